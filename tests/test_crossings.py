"""Each capability beside each other one: what is modelled (capabilities.py) by what is read off.

A cell is right beside a motion by other means, or it is refused by a sentence that names the reason. A cell that says
nothing fails. docs/validation.md shows the table: `python tests/test_crossings.py` works it out and writes it there.
Each test compares one cell with what stands there.
"""

import copy
import functools
import pickle
import re
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
import sympy
from capabilities import CAPABILITIES, END, LATER
from capabilities_of_shapes import SHAPES
from chance import one_in

from easydyn import Trajectory, ground, lab, t, tdisp
from easydyn.errors import EasyDynError
from easydyn.mechanics.symbols import Acceleration, StateRate

OTHERS = tuple(CAPABILITIES)
CAPABILITIES |= SHAPES
PAGE = Path(__file__).parent.parent / "docs" / "validation.md"
BEGIN, FINISH = "<!-- crossings -->", "<!-- end of crossings -->"
TIMES = np.linspace(0.05, END, 24)
BETWEEN = np.array([0.213, 0.467, 0.733, 0.8881, 1.1117])  # no saved instant
MOMENT = 0.27  # s: before anything has happened
METHODS = {  # tolerance, and how near it comes
    "newmark": (1e-9, 1e-5), "generalized_alpha": (1e-9, 1e-5), "dop853": (1e-10, 1e-8), "lobatto": (1e-10, 1e-8),
    "scipy:RK45": (1e-9, 1e-6), "scipy:DOP853": (1e-10, 1e-7), "scipy:Radau": (1e-9, 1e-6), "scipy:BDF": (1e-8, 1e-4),
    "scipy:LSODA": (1e-9, 1e-5),
}  # fmt: skip
EXACT = {"method": "dop853", "tolerance": 1e-10}
COMPILER = shutil.which("cc") or shutil.which("gcc")


class Wrong(AssertionError):
    """A cell with another value than that by other means."""


@functools.cache
def model_of(name):
    c = CAPABILITIES[name]
    return c.model(c.k)


@functools.cache
def run_of(name):
    """A run as it is usually made, with all its steps."""
    return simulated(name, max_step=0.02)


def simulated(name, **options):
    c = CAPABILITIES[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = model_of(name).simulate(END, **{**EXACT, **c.options, **options})
    if run.status != "finished":
        raise Wrong(f"the run is {run.status}: {run.message}")
    return run


@functools.cache
def values_of(name, times=tuple(TIMES), begin=0.0, k=None):
    return CAPABILITIES[name].values(times, begin, k)


def compare(name, found, expected, within):
    rough = CAPABILITIES[name].rough
    for key, value in expected.items():
        here = np.asarray(found[key], dtype=float)
        worst = float(np.abs(here - value).max()) if here.shape == np.shape(value) else np.inf
        if not worst <= within * max(rough, np.abs(value).max()):
            raise Wrong(f"{key} differs by {worst:.3g} (of {np.abs(value).max():.3g}), more than {within:g} of that")


def fourth_order(values, h):
    """The derivative from values at -2 h, -h, h, 2 h."""
    return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / 12 / h


def state_at(name, time=MOMENT):
    """Values of all names of the model at a moment, {name: value, name.dot: ...}, and accelerations by hand."""
    c = CAPABILITIES[name]
    h, mode = 2e-4, 0
    along = c.exact([time - 2 * h, time - h, time, time + h, time + 2 * h])
    rows = [c.shown(time + j * h, x, c.k) for j, x in zip(range(-2, 3), along, strict=True)]

    def slope(key):
        return fourth_order([rows[i][key] for i in (0, 1, 3, 4)], h)

    accelerations = {key.removesuffix(".dot"): slope(key) for key in rows[2] if key.endswith(".dot")}
    states = {str(s): slope(str(s)) for s in model_of(name).mechanism.states if str(s) in rows[2]}
    return along[2], rows[2], accelerations | states, mode


# -- the columns ------------------------------------------------------------------------------------------------------


def by_method(method, begin):
    def cell(name, folder):
        tolerance, within = METHODS[method]
        times = TIMES[TIMES > begin]
        run = simulated(name, method=method, tolerance=tolerance, t_start=begin, save_at=times)
        compare(name, run, values_of(name, tuple(times), begin), within)

    return cell


def stepper(name, folder):
    c, found, times = CAPABILITIES[name], {}, TIMES[5::6]
    made = model_of(name).stepper(t_end=END, **EXACT, **c.options)
    for time in times:
        made.advance(time - made.t)
        for key in c.shown(0.0, np.array(c.start), c.k):
            found.setdefault(key, []).append(made[key])
    found = {key: np.array(x) for key, x in found.items()}
    compare(name, found, values_of(name, tuple(times)), 1e-8)


def study(name, folder):
    c = CAPABILITIES[name]
    names = list(c.shown(0.0, np.array(c.start), c.k))
    made = model_of(name).study(
        END, over={"k": [c.k, 1.1 * c.k]}, save_at=TIMES[3::4], keep={key.replace(".", "_"): key for key in names},
        **EXACT, **c.options,
    )  # fmt: skip
    result = made.run()
    for row, k in enumerate((c.k, 1.1 * c.k)):
        found = {key: result[key.replace(".", "_")][row] for key in names}
        compare(name, found, values_of(name, tuple(TIMES[3::4]), 0.0, k), 1e-8)


def run_at(name, folder):
    compare(name, run_of(name).at(BETWEEN), values_of(name, tuple(BETWEEN)), 1e-6)


def energy_and_work(name, folder):
    c, run = CAPABILITIES[name], simulated(name, save_at=TIMES)
    expected = np.array([c.energy(time, x, c.k) for time, x in zip(TIMES, c.exact(TIMES), strict=True)])
    size = max(np.ptp(expected), np.abs(expected).max() * 1e-3, 1e-12 if c.rough < 1 else 1e-6)
    worst = np.abs(run.energy.total - expected).max()
    if worst > 1e-7 * max(size, np.abs(expected).max()):
        raise Wrong(f"the energy differs by {worst:.3g} J")
    balance = np.ptp(run.energy.balance)
    if balance > 1e-6 * max(size, np.abs(expected).max(), np.ptp(run.energy.work)):
        raise Wrong(f"energy less work changes by {balance:.3g} J")


def reactions(name, folder):
    c, model = CAPABILITIES[name], model_of(name)
    times = np.array([0.11, MOMENT])
    run = simulated(name, save_at=times)
    whole = {"carrying": list(model.bodies)} if name == "beam" else {}
    force = run.reaction(c.held, ground, **whole).force
    modes = []
    along = zip(times, c.exact(times, modes=modes), modes, strict=True)
    expected = np.array([c.push(time, x, np.asarray(c.rates(time, x, c.k, mode)), c.k) for time, x, mode in along])
    known = np.isfinite(expected)
    worst = np.abs((force - expected)[known]).max()
    if not worst <= 1e-7 * max(c.rough, np.abs(expected[known]).max()):
        raise Wrong(f"the force differs by {worst:.3g} N from {expected.tolist()}: {force.tolist()}")


def equations(name, folder):
    """The residual of what is shown vanishes with the accelerations by hand, for some multipliers."""
    c, model = CAPABILITIES[name], model_of(name)
    shown = model.equations()
    _, values, accelerations, _ = state_at(name)
    run = simulated(name, save_at=[MOMENT])
    given, open_ = {}, []
    residual = sympy.Matrix(shown.residual)
    for s in residual.free_symbols:
        key = str(s)
        if isinstance(s, Acceleration | StateRate) and key.removesuffix(".ddot").removesuffix(".dot") in accelerations:
            given[s] = accelerations[key.removesuffix(".ddot").removesuffix(".dot")]
        elif key == "t":
            given[s] = MOMENT
        elif key in values:
            given[s] = values[key]
        elif key in model.values():
            given[s] = model.values()[key]
        elif key in run.names or key in run.held_names or f"{key}" in getattr(run, "outputs", ()):
            given[s] = float(run[key][0])
        else:
            try:
                given[s] = float(run[key][0])
            except EasyDynError:
                open_.append(s)
    for symbol in getattr(shown, "multipliers", ()):
        if symbol in given:
            del given[symbol]
            open_.append(symbol)
    left = residual.xreplace({s: sympy.Float(x, 17) for s, x in given.items()})
    W = np.array(left.jacobian(open_), dtype=float) if open_ else np.zeros((len(left), 0))
    r = np.array(left.xreplace(dict.fromkeys(open_, sympy.S.Zero)), dtype=float)[:, 0]
    if W.shape[1]:
        r = r + W @ np.linalg.lstsq(W, -r, rcond=None)[0]
    locked = [i for i, q in enumerate(model.mechanism.coordinates) if q in (model.mechanism.locks or ())]
    r = np.delete(r, locked)  # what holds it is not among the equations of a model that is free
    if not np.abs(r).max() <= 1e-7 * max(c.rough, 1.0 if c.rough == 1 else 0, *map(abs, accelerations.values())):
        raise Wrong(f"the residual is {r.tolist()}, open {open_}")


def equilibrium(name, folder):
    c = CAPABILITIES[name]
    options = {key: x for key, x in c.options.items() if key == "inputs"}
    found = model_of(name).equilibrium(**options)
    if c.rest is None:
        if "no equilibrium" not in str(found):
            raise Wrong(f"found {found}, where there is none by hand")
        raise EasyDynError(" ".join(str(found).split())[:200])
    compare(name, {key: np.array([found[key]]) for key in c.rest(c.k)},
            {key: np.array([x]) for key, x in c.rest(c.k).items()}, 1e-8)  # fmt: skip


def linearize(name, folder):
    """The poles at rest are those of the equations by hand."""
    c, model = CAPABILITIES[name], model_of(name)
    options = {key: x for key, x in c.options.items() if key == "inputs"}
    x = np.array(c.start, dtype=float) * 0
    rest = c.rest(c.k) if c.rest else {}
    if name == "free body":
        x[3] = 1
    if "p" in rest and name == "first-order state":
        x = np.array([rest["x"], 0.0, rest["p"]])
    elif c.rest:
        keys = list(rest)[: max(1, len(c.start) // 2)]
        x[: len(keys)] = [rest[key] for key in keys] if name != "beam" else 0
    if name == "rate constraint":
        x[3] = 1.0
        at = {"x": 0, "y": 0, "angle": 0, "x.dot": 1, "y.dot": 0, "angle.dot": 0}
    else:
        at = dict(rest)
        at |= {f"{q}.dot": 0.0 for q in model.mechanism.coordinates}
    n = len(x)
    A = np.zeros((n, n))
    for j in range(n):
        h = 1e-4 * max(c.rough, abs(x[j]))
        step = np.eye(n)[j] * h
        A[:, j] = fourth_order([np.asarray(c.rates(0.0, x + i * step, c.k, 0)) for i in (-2, -1, 1, 2)], h)
    expected = np.linalg.eigvals(A)
    poles = model.linearize(at=at, **options).poles()
    size = max(1.0, np.abs(expected).max())
    far = [p for p in poles if abs(p) > 1e-4 * size]
    wanted = [p for p in expected if abs(p) > 1e-4 * size]
    for p in far if name != "beam" else ():  # which stretches, too
        if not min((abs(p - x) for x in wanted), default=np.inf) < 1e-6 * size:
            raise Wrong(f"poles {poles}, by hand {expected}")
    for p in wanted:
        if not min((abs(p - x) for x in far), default=np.inf) < 1e-6 * size:
            raise Wrong(f"poles {poles}, by hand {expected}")


def inverse_dynamics(name, folder):
    """What is needed beside the forces there are, for a motion that is prescribed: M (qdd - qdd by hand)."""
    c, model = CAPABILITIES[name], model_of(name)
    options = {key: x for key, x in c.options.items() if key == "inputs"}
    times = np.array([0.1, 0.2, MOMENT])
    free = c.free or ("x",)
    motion = {q: 0.3 + sympy.Float(0.2 * (i + 1)) * t + 0.3 * t**2 for i, q in enumerate(free)}
    if not model.constraints:
        also = {"lock": {"b": 0.5}, "first-order state": {"p": 3.0}, "beam": {"beam_x1": 1.0}}.get(name, {})
        motion |= {f"body_{x}": sympy.Integer(0) for x in "abc" if name == "free body"} | also
    size = 1e-5 if name == "beam" else 1.0  # a beam that bends little is linear
    columns = [str(q) for q in model.mechanism.coordinates]
    if model.constraints:
        options |= {"drives": free}
    found = model.inverse_dynamics(times, {q: size * x if q in free else x for q, x in motion.items()}, **options)
    n = len(free)
    for i, time in enumerate(times):
        q = size * np.array([0.3 + 0.2 * (j + 1) * time + 0.3 * time**2 for j in range(n)])
        qd = size * np.array([0.2 * (j + 1) + 0.6 * time for j in range(n)])
        qdd = size * np.full(n, 0.6)
        if c.needed:
            expected = c.needed(time, q, qd, qdd, c.k)
        else:
            x = np.concatenate([q, qd, np.zeros(len(c.start) - 2 * n)])
            own = np.asarray(c.rates(time, x, c.k, 1 if name == "dry friction" else 0))[n : 2 * n]
            expected = np.asarray(c.mass(time, x, c.k)) @ (qdd - own)
        here = found[i, [columns.index(x) for x in free]]
        if not np.abs(here - expected).max() <= 1e-8 * max(size, np.abs(expected).max()):
            raise Wrong(f"{here} at {time} s, by hand {expected}")


def sensitivity(name, folder):
    c = CAPABILITIES[name]
    times = TIMES[3::4]
    found = model_of(name).sensitivity(END, of=["k"], save_at=times, **EXACT, **c.options)
    h = 1e-3 * c.k
    steps = [values_of(name, tuple(times), 0.0, c.k + j * h) for j in (-2, -1, 1, 2)]
    expected = {key: fourth_order([values[key] for values in steps], h) for key in steps[0]}
    for key, value in expected.items():
        size = max(np.abs(value).max(), 1e-2 * c.rough / c.k)
        worst = np.abs(found[key, "k"] - value).max()
        if not worst <= 1e-4 * size:
            raise Wrong(f"d{key}/dk differs by {worst:.3g} of {size:.3g}")


def source(name, folder):
    """Accelerations by a program in C, at a state with accelerations by hand."""
    if COMPILER is None:
        pytest.skip("no C compiler is installed")
    c, model = CAPABILITIES[name], model_of(name)
    options = {key: x for key, x in c.options.items() if key == "initial"}
    path = model.export("c", folder / "model.c", **options)
    program = folder / "model"
    if "inputs" in c.options:  # what they are at time t is written into the file
        path.write_text(path.read_text(encoding="utf-8").replace("u[0] = 0.0;", "u[0] = 2*sin(3*t);"), encoding="utf-8")
    subprocess.run([COMPILER, "-std=c11", "-O0", "-o", program, path, "-lm"], check=True, capture_output=True)
    _, values, accelerations, _ = state_at(name)
    system = model.compile("numpy")
    first = np.array(system.states, dtype=bool)
    q = [0.0 if s else values.get(n, 0.0) for n, s in zip(system.names, first, strict=True)]
    qd = [values.get(n if s else f"{n}.dot", 0.0) for n, s in zip(system.names, first, strict=True)]
    if name == "beam":
        q[system.names.index("beam_x1")] = 1.0
    line = " ".join(repr(float(x)) for x in (MOMENT, *q, *qd, *np.zeros(len(q))))
    done = subprocess.run([program, "check"], input=line, capture_output=True, text=True, check=True, timeout=60)
    numbers = {row.split()[0]: row.split()[1:] for row in done.stdout.splitlines()}
    known = [j for j, x in enumerate(system.names) if x in accelerations]
    found = np.array(numbers["accelerations"], dtype=float)[known]
    expected = np.array([accelerations[system.names[j]] for j in known])
    worst = np.abs(found - expected).max()
    strained = 10 if name == "beam" else 1  # the strain along it is of second order
    if not worst <= strained * 1e-7 * max(c.rough, np.abs(expected).max()):
        raise Wrong(f"accelerations {found.tolist()}, by hand {expected.tolist()}")


def unit(kind, version):
    def cell(name, folder):
        fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
        if COMPILER is None:
            pytest.skip("no C compiler is installed")
        c = CAPABILITIES[name]
        options = {key: x for key, x in c.options.items() if key == "initial"}
        path = model_of(name).to_fmu(folder / "unit.fmu", version=version, tolerance=1e-8, **options)
        names = [key for key in c.shown(0.0, np.array(c.start), c.k) if not key.endswith(".dot")]
        inputs = None
        if "inputs" in c.options:
            times = np.linspace(0, END, 2401)
            inputs = np.array([(x, 2 * np.sin(3 * x)) for x in times], dtype=[("time", float), ("u", float)])
        found = fmpy.simulate_fmu(
            str(path), fmi_type=kind, stop_time=END, output=names, relative_tolerance=1e-9,
            output_interval=5e-4 if inputs is not None else 0.05, input=inputs,
        )  # fmt: skip
        expected = {key: x[-1:] for key, x in values_of(name).items() if key in names}
        compare(name, {key: found[key][-1:] for key in names}, expected, 2e-3 if inputs is not None else 1e-5)

    return cell


def same(name, other):
    for at in (None, tuple(BETWEEN)):
        one, two = (run_of(name), other) if at is None else (run_of(name).at(at), other.at(at))
        for key in values_of(name):
            worst = np.abs(one[key] - two[key]).max()
            if not worst <= (1e-13 if at is None else 1e-9) * max(1, np.abs(one[key]).max()):
                raise Wrong(f"{key} differs by {worst:.3g}{'' if at is None else ' between saved instants'}")


def saved(name, folder):
    run_of(name).save(folder / "run.npz")
    same(name, Trajectory.load(folder / "run.npz", model_of(name)))
    alone = Trajectory.load(folder / "run.npz")  # without the model it has no formulas
    expected = {key: x for key, x in values_of(name, tuple(BETWEEN)).items() if key in alone.columns}
    compare(name, alone.at(BETWEEN), expected, 1e-6)


def pickled(name, folder):
    same(name, pickle.loads(pickle.dumps(run_of(name))))
    model, c = copy.deepcopy(model_of(name)), CAPABILITIES[name]
    run = model.simulate(END, save_at=TIMES, **EXACT, **c.options)
    compare(name, run, values_of(name), 1e-8)


def sensed(name):
    """A body that moves, a run about a moment in steps of h, and the places and attitudes of the body there."""
    body, h = model_of(name)["beam 1" if name == "beam" else CAPABILITIES[name].held], 2e-3
    times = MOMENT + h * np.arange(-2, 3)
    run = simulated(name, save_at=times, max_step=0.02)
    compare(name, run, values_of(name, tuple(times)), 1e-7)
    frames = run.frames(body)
    return body, h, run, frames[:, :3, 3], frames[:, :3, :3]


def beside(name, found, expected, within):
    """What sensors measure at the middle instant, beside their values by differences, in axes x, y, z."""
    rough = CAPABILITIES[name].rough
    for column, here in found.items():
        wanted = expected["xyz".index(column[-1])]
        if not abs(here - wanted) <= within * max(rough, np.abs(expected).max()):
            raise Wrong(f"{column} is {here:.9g}, by differences {wanted:.9g}")


def gyro(name, folder):
    body, h, run, _, R = sensed(name)
    told = lab.gyro(body, "xyz")
    turning = R[2].T @ fourth_order(R[[0, 1, 3, 4]], h)
    expected = np.array([turning[2, 1], turning[0, 2], turning[1, 0]])
    beside(name, {column: run.of(x)[2] for x, column in told.items()}, expected, 1e-6)


def accelerometer(name, folder):
    body, h, run, e, R = sensed(name)
    at = np.array([0.1, -0.2, 0.0])
    told = lab.accelerometer(body, at)
    second = np.tensordot([-1, 16, -30, 16, -1], e + R @ at, 1) / (12 * h**2)
    g = np.array([float(x) for x in model_of(name).gravity])
    beside(name, {column: run.of(x)[2] for x, column in told.items()}, R[2].T @ (second - g), 1e-5)


def fit(name, folder):
    """The parameter is found from a recording of the motion by hand."""
    c = CAPABILITIES[name]
    film = lab.Recording(TIMES, values_of(name))
    found = model_of(name).fit(film, {"k": 1.03 * c.k}, t_start=0.0, wrapped=False, **EXACT, **c.options)
    if not (found.status == "converged" and abs(found["k"] - c.k) <= 1e-5 * c.k):
        raise Wrong(f"k = {found['k']:.9g} was found, {c.k:g} is right: {found.message}")


def camera(name, folder):
    """The parameter and the camera are found from pixels of the motion by hand."""
    c = CAPABILITIES[name]
    model = c.model(c.k)
    body = model["beam 1" if name == "beam" else c.held]
    known = {"scale": 300.0 / min(c.rough, 1), "origin": (320, 240), "angle": 0.1}
    made = lab.Camera(model, **known, fixed=("scale", "angle"))
    point = (body.T * tdisp(0.1, 0.2, 0)).e
    to = made.sees(point, "A")
    q = model.mechanism.coordinates
    values = {str(x): float(model.initial_values[str(x)]) for x in q} | values_of(name)
    place = sympy.lambdify([t, *q], list(point[:2]))
    x, y = place(TIMES, *(values[str(x)] for x in q))
    cos, sin = np.cos(0.1), np.sin(0.1)
    u, v = 320 + known["scale"] * (cos * x - sin * y), 240 - known["scale"] * (sin * x + cos * y)
    film = lab.Recording(TIMES, {"A x": u + 0 * TIMES, "A y": v + 0 * TIMES})
    guess = {"k": 1.03 * c.k, "camera_x": 318, "camera_y": 243}
    found = model.fit(film, guess, to, t_start=0.0, **EXACT, **c.options)
    expected = {"k": c.k, "camera_x": 320, "camera_y": 240}
    if found.status != "converged" or any(abs(found[key] - x) > 1e-5 * x for key, x in expected.items()):
        raise Wrong(f"{found.parameters} were found, {expected} are right: {found.message}")


COLUMNS = {
    **{method: by_method(method, 0.0) for method in METHODS},
    **{f"{method}, later": by_method(method, LATER) for method in METHODS},
    "stepper": stepper, "study": study, "run.at": run_at, "energy, work": energy_and_work, "reactions": reactions,
    "equations": equations, "linearize": linearize, "equilibrium": equilibrium, "inverse dynamics": inverse_dynamics,
    "sensitivity": sensitivity, "source": source, "FMU, co-simulation": unit("CoSimulation", "2.0"),
    "FMU, exchange": unit("ModelExchange", "3.0"), "save": saved, "pickle": pickled,
    "fit": fit, "camera": camera, "gyro": gyro, "accelerometer": accelerometer,
}  # fmt: skip


def outcome(name, column, folder):
    """Nothing where the cell is right; the sentence with which it is refused."""
    try:
        COLUMNS[column](name, folder)
    except EasyDynError as refusal:
        text = " ".join(str(refusal).split()).split(": expected one of")[0]
        text = re.sub(r" at 0x[0-9a-f]+", "", text)
        if len(text) < 30:
            raise Wrong(f"refused, but not by a sentence: {text}") from None
        return text
    return ""


def written():
    """{(capability, column): the beginning of its sentence} of the page."""
    page = PAGE.read_text(encoding="utf-8")
    part = page[page.index(BEGIN) : page.index(FINISH)]
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| (.+) \|$", part, re.MULTILINE)
    return {(name, column): text for name, columns, text in rows[2:] for column in columns.split("; ")}


def cells_of_shapes():
    """A few at every change, some `long`, the others `nightly`."""
    cells = {f"{name}-{column}": (name, column) for name in SHAPES for column in COLUMNS}
    at_once = {"soft contact of shapes-scipy:RK45", "rope with friction-reactions"} | one_in(80, set(cells))
    long = one_in(9, set(cells) - at_once)
    for key, cell in cells.items():
        marks = () if key in at_once else pytest.mark.long if key in long else pytest.mark.nightly
        yield pytest.param(*cell, id=key, marks=marks)


@pytest.mark.parametrize(("name", "column"), list(cells_of_shapes()))
def test_a_cell_of_shapes_is_right_or_refused(name, column, tmp_path):
    test_a_cell_is_right_or_refused(name, column, tmp_path)


@pytest.mark.one_in(72)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("name", OTHERS)
def test_a_cell_is_right_or_refused(name, column, tmp_path):
    expected = written().get((name, column), "")
    found = outcome(name, column, tmp_path)
    assert found[: len(expected)] == expected if expected else not found, found


def test_a_wrong_cell_says_so(monkeypatch, tmp_path):
    """With another motion by other means each cell but those of copies fails."""
    c = CAPABILITIES["jump in time"]
    wrong = type(c)(**(c.__dict__ | {"rates": lambda t, x, k, mode=0: c.rates(t, x, k * 1.01, mode)}))
    values_of.cache_clear()
    monkeypatch.setitem(CAPABILITIES, "jump in time", wrong)
    silent = []
    for column in set(COLUMNS) - {"save", "equilibrium", "energy, work", "sensitivity"}:
        if "FMU" in column or column == "source":
            continue
        try:
            outcome("jump in time", column, tmp_path)
            silent.append(column)
        except Wrong:
            pass
    values_of.cache_clear()
    assert not silent


def table():
    """The part of the page: what is right, and what is refused with which sentence."""
    cells = {}
    for name in CAPABILITIES:
        for column in COLUMNS:
            with tempfile.TemporaryDirectory() as folder:
                try:
                    cells[name, column] = outcome(name, column, Path(folder))
                except Exception as error:
                    print(f"{name}, {column}: {type(error).__name__}: {error}", flush=True)
                    cells[name, column] = ""
        print(name, flush=True)
    short = [
        "simulate", "stepper", "study", "run.at", "energy, work", "reactions", "equations", "linearize", "equilibrium",
        "inverse dynamics", "sensitivity", "source", "FMU", "save", "pickle", "fit",
        "camera", "gyro", "accelerometer",
    ]  # fmt: skip
    groups = {
        x: [c for c in COLUMNS if c == x or (x == "simulate" and c.split(",")[0] in METHODS) or c.startswith(x + ",")]
        for x in short
    }
    lines = ["| | " + " | ".join(short) + " |", "|---" * (len(short) + 1) + "|"]
    for name in CAPABILITIES:
        row = ["refused" if any(cells[name, c] for c in groups[x]) else "right" for x in short]
        lines.append(f"| {name} | " + " | ".join(row) + " |")
    lines += ["", "What is refused, and the beginning of the sentence:", ""]
    lines += ["| capability | by | sentence |", "|---|---|---|"]
    for name in CAPABILITIES:
        said = {}
        for column in COLUMNS:
            if cells[name, column]:
                said.setdefault(cells[name, column][:110].rsplit(" ", 1)[0].replace("|", "/"), []).append(column)
        lines += [f"| {name} | {'; '.join(columns)} | {text} |" for text, columns in said.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    head, rest = page.split(BEGIN)
    PAGE.write_text(f"{head}{BEGIN}\n\n{table()}\n\n{FINISH}{rest.split(FINISH)[1]}", encoding="utf-8")
