"""The published mechanisms of tests/mechanisms/published beside published trajectories, or another way; their length.

Trajectories: tests/data/published.json, half of the mechanisms, made with DASSL at 1e-6; asked is 1e-3 of the largest
value of each signal. The others are checked by closed forms, by conserved quantities, or by a twin.
"""

import ast
import functools
import importlib
import inspect
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms.published import PUBLISHED
from together import together

from easydyn.examples.axis import drive, one_axis
from easydyn.examples.r3 import robot_r3

DOP853 = {"method": "dop853", "tolerance": 1e-10, "target": "numpy"}  # no machine code for one short run

# What is farther than 1e-3 from the published samples, and why: the samples are what is off.
WIDER = {
    "Elementary.PointGravityWithPointMasses": 1.6e-3,  # bodies 3 and 4 lose 6e-4 of their energy between 1.2 and 1.6 s
    "Elementary.RollingWheel": 1.3e-3,  # they gain 1.2e-4 J, and come within 0.14 rad of gimbal lock at 2.8 s
}
QUICK = ("Elementary.UserDefinedGravityField",)


@functools.cache
def built(name):
    return PUBLISHED[name].build()


def samples(reference, name):
    """Names of signals, times (n,), values (n, signals)."""
    found = reference("published.json")[name]
    table = np.array(found["samples"], dtype=float)
    return SimpleNamespace(names=found["signals"], t=table[:, 0], values=table[:, 1:])


def values(run, signals, names=None):
    """Signals along a run, (N, signals)."""
    found = (signals[name] for name in names or signals)
    return np.stack([run[x] if isinstance(x, str) else np.broadcast_to(run.of(x), run.t.shape) for x in found], axis=1)


def error(found, expected, least=1e-9):
    """The largest difference, of the largest value of each signal; of what is zero by itself."""
    size = np.abs(expected).max(axis=0)
    return (np.abs(found - expected).max(axis=0) / np.where(size < least, 1, size)).max()


def motion(name, t_final=None, instants=41, **options):
    """A run, its model and its signals."""
    model, signals = built(name)
    end = t_final or PUBLISHED[name].t_final
    return model.simulate(end, save_at=np.linspace(0, end, instants), **options), model, signals


# -- all of them ------------------------------------------------------------------------------------------------------


def statements(function):
    """How many statements a function has, its docstring not counted."""
    tree = ast.parse(inspect.getsource(function)).body[0]
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree)) - 2  # less `def` and the docstring


def length(case):
    """Statements of what builds a mechanism, of the functions of its file that it calls, and of its constants."""
    file = importlib.import_module(case.build.__module__)
    own = [f for f in vars(file).values() if inspect.isfunction(f) and f.__module__ == file.__name__]
    assert case.build in own
    own += {"full_robot": [robot_r3, drive], "one_axis": [one_axis, drive]}.get(case.build.__name__, [])
    constants = sum(isinstance(node, ast.Assign) for node in ast.parse(inspect.getsource(file)).body)
    return constants + sum(map(statements, own))


@together("name", PUBLISHED)
def test_no_longer_than_the_original(name):
    assert length(PUBLISHED[name]) <= PUBLISHED[name].original


def written(name):
    """The file of a mechanism."""
    return ast.parse(inspect.getsource(importlib.import_module(PUBLISHED[name].build.__module__)))


TRICKS = {"GeneralizedForce", "Effort", "solve", "multipliers", "tanh", "dependent", "constraint", "unknown"}


@together("name", PUBLISHED)
def test_no_tricks(name):
    """No element of its own, no smoothed friction, no formula that closes a loop, no mass worked out by hand."""
    tree = written(name)
    names = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(tree)}
    assert not names & TRICKS
    given = [k.value for node in ast.walk(tree) if isinstance(node, ast.Call) for k in node.keywords if k.arg == "mass"]
    assert not [mass for mass in given if any(isinstance(node, ast.BinOp) for node in ast.walk(mass))]


@together("name", PUBLISHED)
def test_weight_is_gravity_s(name):
    """No Force carries the acceleration of gravity: what falls does so by `gravity=` or a field."""
    tree = written(name)
    forces = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Force"]
    numbers = {getattr(node, "value", None) for force in forces for node in ast.walk(force)}
    assert not numbers & {9.81, 9.80665, 9.8} and "g" not in {getattr(n, "id", "") for f in forces for n in ast.walk(f)}


SAMPLED = json.loads((Path(__file__).parent / "data" / "published.json").read_text(encoding="utf-8"))
CASES = [name for name in PUBLISHED if name in SAMPLED]
COMPARED = [pytest.param(name, marks=() if name in QUICK else pytest.mark.long) for name in CASES]


@pytest.mark.parametrize("method", [{}, {"method": "dop853"}], ids=["newmark", "dop853"])
@pytest.mark.parametrize("name", COMPARED)
def test_published_trajectories(name, method, reference):
    expected = samples(reference, name)
    model, signals = built(name)
    run = model.simulate(expected.t[-1], save_at=expected.t, **method)
    assert set(expected.names) <= set(signals)
    assert error(values(run, signals, expected.names), expected.values) < WIDER.get(name, 1e-3)


def test_there_are_forty_two():
    """All examples of Modelica.Mechanics.MultiBody: 21 elementary ones, 10 loops, 4 constraints, 5 shafts, 2 robots."""
    groups = [name.split(".")[0] for name in PUBLISHED]
    counts = {"Elementary": 21, "Loops": 10, "Constraints": 4, "Rotational3DEffects": 5, "RobotR3": 2}
    assert {group: groups.count(group) for group in groups} == counts
    assert sum(counts.values()) == 42
    assert len({case.build for case in PUBLISHED.values()}) == 42


SLOW = ("Loops.EngineV6", "Loops.EngineV6_analytic", "Loops.PlanarLoops_analytic")  # half a minute and more
ENERGIES = [
    pytest.param(name, marks=pytest.mark.nightly if name in SLOW else pytest.mark.long)
    for name in PUBLISHED if not name.startswith("RobotR3")
]  # fmt: skip


@pytest.mark.parametrize("name", ENERGIES)
def test_energy_balance(name):
    """What energy changes is work: to 1e-4 of what is exchanged with the default method, 1e-7 with dop853.

    (Robots have electric energy, too: see test_drives.py. A base that moves as it is told takes much work, which the
    default method sums up at the steps that another coordinate asks for: 2e-4.)
    """
    for options, limit in (({}, 2e-4 if "Moving" in name else 1e-4), (DOP853, 1e-7)):
        energy = motion(name, min(PUBLISHED[name].t_final, 3), **options)[0].energy
        exchanged = max(np.ptp(energy.kinetic), np.ptp(energy.potential), np.ptp(energy.work), 1e-3)
        assert np.ptp(energy.balance) < limit * exchanged, (options, np.ptp(energy.balance) / exchanged)


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in PUBLISHED if name not in SAMPLED and "InitTip" not in name])
def test_the_default_method_is_near_the_exact_motion(name):
    """Where no samples are at hand: to 1e-3 of the largest value, beside dop853 at 1e-11."""
    run, _, signals = motion(name, instants=101, tolerance=PUBLISHED[name].tolerance)
    exact, _, _ = motion(name, instants=101, method="dop853", tolerance=1e-11)
    assert error(values(run, signals), values(exact, signals), least=1e-6) < 1e-3


def test_the_table_of_the_documents_is_that_of_today():
    """docs/validation.md: each mechanism, its statements, those of the original."""
    text = (Path(__file__).parent.parent / "docs" / "validation.md").read_text(encoding="utf-8")
    rows = [line.removeprefix("| ").split(" | ") for line in text.splitlines()]
    told = {row[0]: row[1] for row in rows if row[0] in PUBLISHED}
    assert told == {name: f"{length(case)}/{case.original}" for name, case in PUBLISHED.items()}


# -- what the samples are worth ---------------------------------------------------------------------------------------


def test_published_points_lose_energy(reference):
    """Bodies 3 and 4 of PointGravityWithPointMasses: nothing takes energy from them, and the samples lose 9e-4 J."""
    expected = samples(reference, "Elementary.PointGravityWithPointMasses").values
    r3, v3, r4, v4 = (expected[:, k : k + 3] for k in (12, 15, 18, 21))
    kinetic = ((v3**2).sum(axis=1) + (v4**2).sum(axis=1)) / 2
    potential = 5 * ((r3 - r4) ** 2).sum(axis=1) - sum(1 / np.linalg.norm(r, axis=1) for r in (r3, r4))
    total = kinetic + potential
    assert np.ptp(total) > 8e-4
    assert total[-1] < total[1] - 8e-4


# -- the others, another way ------------------------------------------------------------------------------------------


def test_pendulum():
    """phi'' = (-m g l cos phi - d phi')/(J + m l^2), by SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.Pendulum", **DOP853)
    other = solve_ivp(lambda t, y: (y[1], (-9.80665 * 0.5 * np.cos(y[0]) - 0.1 * y[1]) / 0.251), (0, 5), (0, 0),
                      t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12)  # fmt: skip
    assert error(values(run, signals), other.y.T) < 1e-7


def test_free_body_moves_as_newton_and_euler_have_it():
    """Springs without free length are linear; about its centre of mass the inertia of the body is that of a sphere."""
    from scipy.integrate import solve_ivp
    from scipy.spatial.transform import Rotation

    run, _, signals = motion("Elementary.FreeBody", 3, **DOP853)

    def rates(t, y):
        R = Rotation.from_quat(y[3:7]).as_matrix()
        centre, w, lever = y[:3], y[10:13], R @ (0.2, 0, 0)
        one, two = -20 * (centre - lever), 20 * (np.array([0.8, 0, 0]) - centre - lever)
        force = one + two + (0, -9.80665, 0)
        moment = np.cross(-lever, one) + np.cross(lever, two)
        e, s = y[3:6], y[6]
        return [*y[7:10], *(s * w + np.cross(w, e)) / 2, -(w @ e) / 2, *force, *moment]

    start = Rotation.from_euler("XYZ", [10, 10, 10], degrees=True)
    first = [*(np.array([0.2, -0.5, 0.1]) + start.apply((0.2, 0, 0))), *start.as_quat(), *np.zeros(6)]
    y = solve_ivp(rates, (0, 3), first, t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12).y.T
    turned = Rotation.from_quat(y[:, 3:7])
    place = y[:, :3] - turned.apply((0.2, 0, 0))
    found = values(run, signals)
    assert error(found[:, :3], place) < 1e-7
    assert np.abs(found[:, 6:] - turned.inv().apply(y[:, 10:13])).max() < 1e-7


def test_init_spring_constant():
    """c (0.2 - 0.1) l = m g l/2, and the pendulum stays where it is."""
    run, _, signals = motion("Elementary.InitSpringConstant")
    assert abs(run.of(signals["spring.c"])[0] - 49.03325) < 1e-9
    assert np.abs(run["phi"]).max() < 1e-12


def kepler(r, v, mu, t):
    """Place on an ellipse in the plane z = 0 at times t, by Kepler's equation."""
    energy, h = v @ v / 2 - mu / np.linalg.norm(r), np.cross(r, v)
    a = -mu / (2 * energy)
    e = np.cross(v, h) / mu - r / np.linalg.norm(r)
    size = np.linalg.norm(e)
    p = e / size
    q = np.cross(h, p) / np.linalg.norm(h)
    first = np.arctan2(r @ q / np.sqrt(1 - size**2), r @ p + a * size)
    mean = first - size * np.sin(first) + np.sqrt(mu / a**3) * t
    E = mean.copy()
    for _ in range(200):
        E -= (E - size * np.sin(E) - mean) / (1 - size * np.cos(E))
    return a * ((np.cos(E) - size)[:, None] * p + (np.sqrt(1 - size**2) * np.sin(E))[:, None] * q)


@pytest.mark.parametrize(("options", "limit"), [pytest.param({}, 5e-3, marks=pytest.mark.long), (DOP853, 1e-6)])
def test_point_gravity_is_keplers(options, limit):
    """Both orbits beside Kepler's equation: to 5e-3 with the default method, for both pass near the centre."""
    run, _, signals = motion("Elementary.PointGravity", **options)
    starts = {"body1": ((0, 0.6, 0), (1, 0, 0)), "body2": ((0.6, 0.6, 0), (0.6, 0, 0))}
    for name, (r, v) in starts.items():
        found = values(run, signals, [f"{name}.r_0[{i}]" for i in (1, 2, 3)])
        assert error(found, kepler(np.array(r, float), np.array(v, float), 1, run.t)) < limit


@pytest.mark.long
def test_six_points_keep_what_a_central_field_keeps():
    """Energy and angular momentum about the centre, and their mutual distances; computed from the signals."""
    run, _, signals = motion("Elementary.PointGravityWithPointMasses2", **DOP853)
    table = values(run, signals).reshape(len(run.t), 6, 2, 3)
    r, v = table[:, :, 0], table[:, :, 1]
    energy = ((v**2).sum(axis=2) / 2 - 5 / np.linalg.norm(r, axis=2)).sum(axis=1)
    spin = np.cross(r, v).sum(axis=1)
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()
    assert np.ptp(spin, axis=0).max() < 1e-7 * np.abs(spin).max()
    assert np.ptp(np.linalg.norm(r[:, 0] - r[:, 2], axis=1)) < 1e-9
    assert np.abs(r[0] - [(3, 0, 0), (1, 0, 0), (2, 1, 0), (2, -1, 0), (2, 0, 1), (2, 0, -1)]).max() < 1e-12


def test_spring_damper_system():
    """The slide in closed form; the other body in its plane, by Newton and Euler, with SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.SpringDamperSystem", **DOP853)
    w = np.sqrt(30)
    rest = 0.1 + 9.80665 / 30
    np.testing.assert_allclose(run.of(signals["p2.s"]), rest + (0.1 - rest) * np.cos(w * run.t), atol=1e-7)

    def rates(t, y):  # of the frame: x, y, angle
        lever = 0.2 * np.array([np.sin(y[2]), -np.cos(y[2])])
        line = np.array([0.3, 0]) - y[:2]
        length = np.hypot(*line)
        pull = (30 * (length - 0.1) - 2 * (line @ y[3:5]) / length) * line / length
        turn = (-lever[0] * pull[1] + lever[1] * pull[0]) / 0.1
        centre = pull + (0, -9.80665)
        return [*y[3:], *(centre - turn * np.array([-lever[1], lever[0]]) + y[5] ** 2 * lever), turn]

    y = solve_ivp(rates, (0, 10), (0.3, -0.2, 0, 0, 0, 0.03490658503988659), t_eval=run.t, method="DOP853", rtol=1e-11,
                  atol=1e-12).y  # fmt: skip
    found = values(run, signals, ["body1.r_0[1]", "body1.r_0[2]", "body1.v_0[2]", "body1.w_a[3]"])
    assert error(found, y[[0, 1, 4, 5]].T) < 1e-6


def test_spring_with_mass():
    """Half a kilogram in the middle: 1.125 kg move, 1.25 kg weigh; the body hangs straight down."""
    run, _, signals = motion("Elementary.SpringWithMass", **DOP853)
    w, rest = np.sqrt(40 / 1.125), 0.2 + 1.25 * 9.80665 / 40
    expected = -(rest + (0.3 - rest) * np.cos(w * run.t))
    np.testing.assert_allclose(run.of(signals["body.r_0[2]"]), expected, atol=1e-8)
    assert np.abs(values(run, signals, ["body.r_0[1]", "body.r_0[3]"])).max() < 1e-9


@pytest.mark.long
def test_three_springs_balance_in_their_point():
    """The sum of their forces on the point, from the signals; and the body obeys the third."""
    run, _, signals = motion("Elementary.ThreeSprings", **DOP853)
    point = values(run, signals, [f"spring1.r_rel_0[{i}]" for i in (1, 2, 3)]) + (0.3, 0, 0)
    body = values(run, signals, [f"body1.r_0[{i}]" for i in (1, 2, 3)])

    def pull(end, c):
        line = end - point
        return c * line * (1 - 0.1 / np.linalg.norm(line, axis=1))[:, None]

    assert np.abs(pull((0.3, 0, 0), 20) + pull((0, 0, 0.3), 20) + pull(body, 40)).max() < 1e-9


def test_heat_of_the_dampers():
    """What the three dampers take is what is lost; the Maxwell element's part from its state."""
    run, model, signals = motion("Elementary.HeatLosses", instants=301, **DOP853)
    dampers = [element for element in model.compile().mechanism.efforts if "Damper" in type(element).__name__]
    assert len(dampers) == 3
    lost = sum(run.work(element) + run.potential(element) - run.potential(element)[0] for element in dampers)
    assert lost[-1] < -1
    np.testing.assert_allclose(run.energy.total - run.energy.total[0], lost, atol=1e-7)


def test_double_pendulum_begins_at_its_tip():
    """The tip is at (0.7, 0.3) m, at rest, the elbow as guessed; until 0.7 s beside absolute angles, SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.DoublePendulumInitTip", 0.7, **DOP853)
    phi1, w1, phi2, w2 = values(run, signals, [f"revolute{k}.{x}" for k in (1, 2) for x in ("phi", "w")]).T
    tip = 0.5 * np.exp(1j * phi1) + 0.5 * np.exp(1j * (phi1 + phi2))
    assert abs(tip[0] - (0.7 + 0.3j)) < 1e-9
    assert phi2[0] > 0
    assert w1[0] == w2[0] == 0
    m, J, g = 13.86, 0.292908, 9.80665

    def rates(t, y):
        a, b, u, v = y
        c, s = np.cos(a - b), np.sin(a - b)
        M = np.array([[J + m * (0.0625 + 0.25), 0.125 * m * c], [0.125 * m * c, J + 0.0625 * m]])
        damping = -0.1 * u
        h = [damping - 0.125 * m * s * v**2 - 0.75 * m * g * np.cos(a), 0.125 * m * s * u**2 - 0.25 * m * g * np.cos(b)]
        return [u, v, *np.linalg.solve(M, h)]

    y = solve_ivp(rates, (0, 0.7), (phi1[0], phi1[0] + phi2[0], 0, 0), t_eval=run.t, method="DOP853", rtol=1e-11,
                  atol=1e-11).y  # fmt: skip
    assert error(np.stack([phi1, phi1 + phi2, w1, w1 + w2], axis=1), y.T) < 1e-7


def test_driven_wheel_set():
    """Two degrees of freedom, speed and yaw: (M + 2 J/r^2) v' - m b w^2 = sum of moments/r, and so on; by SciPy."""
    from scipy.integrate import solve_ivp

    run, _, signals = motion("Elementary.RollingWheelSetDriving", **DOP853)
    r, half, b, m = 0.1, 0.25, 0.2, 0.01
    along = 2 * 0.5 + m + 2 * 0.01 / r**2
    about = 2 * (0.02 + 0.5 * half**2) + 0.001 + m * b**2 + 2 * 0.01 / r**2 * half**2

    def rates(t, y):
        one, two = 2 * np.sin(2 * np.pi * t), 2 * np.sin(2 * np.pi * t + np.pi / 2)
        v, w = y[3:]
        return [v * np.cos(y[2]), v * np.sin(y[2]), w, ((one + two) / r + m * b * w**2) / along,
                ((two - one) / r * half - m * b * v * w) / about]  # fmt: skip

    y = solve_ivp(rates, (0, 3), (0.1, 0.1, 0, 0, 0), t_eval=run.t, method="DOP853", rtol=1e-11, atol=1e-12).y
    assert error(values(run, signals, [f"wheelSet.{x}" for x in ("x", "y", "phi")]), y[:3].T) < 1e-6


def one_degree(bodies, potential, force, start, times, extra=0.0):
    """phi and its rate (2, n) of a planar mechanism with one degree of freedom, by Lagrange's equation and SciPy.

    `bodies(phi)` are rows (m, J, x, y, angle); derivatives by phi are differences of fourth order.
    """
    from scipy.integrate import solve_ivp

    def slope(f, x, h=1e-3):
        return (8 * (f(x + h) - f(x - h)) - f(x + 2 * h) + f(x - 2 * h)) / (12 * h)

    def inertia(phi):
        m, J = bodies(phi)[:, :2].T
        d = slope(bodies, phi)[:, 2:]
        return extra + (m * (d[:, 0] ** 2 + d[:, 1] ** 2) + J * d[:, 2] ** 2).sum()

    def weight(phi):
        rows = bodies(phi)
        return 9.80665 * (rows[:, 0] * rows[:, 3]).sum() + potential(phi)

    def rates(t, y):
        phi, w = y
        return w, (force(phi, w) - slope(weight, phi) - slope(inertia, phi) * w**2 / 2) / inertia(phi)

    found = solve_ivp(rates, (0, times[-1]), start, t_eval=times, method="DOP853", rtol=1e-9, atol=1e-10)
    return found.y


@pytest.mark.long
def test_engine1a():
    """One degree of freedom; s = 0.45 - 0.1 - (0.1 cos phi + sqrt(0.2^2 - 0.1^2 sin^2 phi)); published masses."""

    def bodies(phi):  # x is the shaft: y up, and across
        pin = 0.1 * np.array([np.cos(phi), np.sin(phi)])
        high = pin[0] + np.sqrt(0.04 - pin[1] ** 2)
        rod = (np.array([high, 0]) + pin) / 2
        turn = np.arctan2(-pin[1], high - pin[0])
        c, s = pin / 0.1
        web = 0.05 * c, 0.05 * s
        rows = [(6.047565858160353, 0, 0, high + 0.05, 0), (1.848, 0.0067144, rod[1], rod[0], turn),
                (1.5118914645400883, 0.000472466083, 0, 0, phi),
                (0.5442809272344317, 6.1231604e-05, pin[1], pin[0], phi),
                *[(0.77, 0.000802083333, web[1], web[0], phi)] * 2]  # fmt: skip
        return np.array(rows)

    run, _, signals = motion("Loops.Engine1a", 2, **DOP853)
    expected = one_degree(bodies, lambda phi: 0, lambda phi, w: 0, (0, 10), run.t, extra=1.0)
    assert error(values(run, signals, ["inertia.phi", "inertia.w"]), expected.T) < 1e-6


@pytest.mark.long
def test_planar_fourbar():
    """One degree of freedom, the end of the coupler by two circles; published masses; a damper in the first hinge."""

    def bodies(phi):
        a = 0.4 * np.exp(1j * phi)
        base, long, short = -0.15 + 1j, abs(0.1 + 1.1j), abs(0.65 + 0.1j)
        line = base - a
        d = abs(line)
        along = (long**2 - short**2 + d**2) / (2 * d)
        end = a + line / d * (along - 1j * np.sqrt(long**2 - along**2))  # on the right
        middle, other = (a + end) / 2, (base + end) / 2
        rows = [(7.7, 0.104270833333, a / 2, phi), (21.26231995808548, 2.16609884573, middle, np.angle(end - a)),
                (12.659710946542186, 0.458914521812, other, np.angle(end - base))]  # fmt: skip
        return np.array([(m, J, z.real, z.imag, angle) for m, J, z, angle in rows])

    assert abs(bodies(0)[1, 2:4] - (0.45, 0.55)).max() < 1e-12
    run, _, signals = motion("Loops.PlanarFourbar", 3, **DOP853)
    expected = one_degree(bodies, lambda phi: 0, lambda phi, w: -0.1 * w, (0, 0), run.t)
    assert error(values(run, signals, ["revolute1.phi", "revolute1.w"]), expected.T) < 1e-6


@pytest.mark.long
def test_engine_v6_analytic():
    """One degree of freedom, six pistons in closed form, with the gas and the load."""
    from mechanisms.published.engine_v6_analytic import INCLINATION, OFFSET

    def pistons(phi):
        """Height of each pin along its cylinder, and where its crank pin is, across and along the cylinder."""
        angle = phi + np.radians(OFFSET) - np.radians(INCLINATION)
        along, across = 0.05 * np.cos(angle), 0.05 * np.sin(angle)
        return along + np.sqrt(0.175**2 - across**2), along, across

    def bodies(phi):
        high, along, across = pistons(phi)
        rows = [(0, 0.1, 0, 0, phi)]
        for k in range(6):
            c, s = np.cos(np.radians(INCLINATION[k])), np.sin(np.radians(INCLINATION[k]))
            centre, middle = high[k] + 0.05, ((high[k] + along[k]) / 2, across[k] / 2)
            rows.append((6, 0, centre * s, centre * c, 0))
            rows.append((1, 0.006, middle[0] * s + middle[1] * c, middle[0] * c - middle[1] * s,
                         np.arctan2(-across[k], high[k] - along[k])))  # fmt: skip
        return np.array(rows)

    first = np.array([177.4132, -287.2189, 151.8252, -24.9973, 2.4])
    second = np.array([145.93, -131.707, 17.3438, 17.9272, 2.4])

    def force(phi, w):
        h = 1e-5
        slope = -(pistons(phi + h)[0] - pistons(phi - h)[0]) / (2 * h)  # of s = 0.32 - high
        x = 1 - (0.32 - pistons(phi)[0]) / 0.195
        assert x.max() < 0.933
        pressure = np.where(slope * w < 0, np.polyval(first, x), np.polyval(second, x))
        return (1e5 * pressure * np.pi * 0.0025 * slope).sum() - 100 * (w / 200) ** 2

    run, _, signals = motion("Loops.EngineV6_analytic", 0.2, **DOP853)
    expected = one_degree(bodies, lambda phi: 0, force, (0, 10), run.t, extra=1.0)
    assert error(values(run, signals, ["load.phi", "load.w"]), expected.T) < 1e-5


TWINS = {
    "Fourbar2": ("Loops.Fourbar2", "Loops.Fourbar_analytic"),
    "Engine1b": ("Loops.Engine1b", "Loops.Engine1b_analytic"),
}


@pytest.mark.parametrize("pair", ["Fourbar2", pytest.param("Engine1b", marks=pytest.mark.long)])
def test_the_analytic_ones_move_as_their_twins(pair):
    """One in reduced form, by closed forms; the other with multipliers."""
    one, other = TWINS[pair]
    first, _, signals = motion(one, 0.5, constraints="multipliers", **DOP853)
    second, model, others = motion(other, 0.5, **DOP853)
    assert model.closures().nonlinear == 0
    names = sorted(set(signals) & set(others))
    assert len(names) >= 2
    assert error(values(first, signals, names), values(second, others, names)) < 1e-6


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["Prismatic", "Revolute", "Spherical", "Universal"])
def test_constraints_hold_what_joints_hold(kind):
    """Six free coordinates with a constraint move as those of a joint."""
    run, _, signals = motion(f"Constraints.{kind}Constraint", 3, **DOP853)
    free = [name for name in signals if name.startswith("bodyOfConstraint")]
    joint = [name.replace("Constraint", "Joint") for name in free]
    assert error(values(run, signals, free), values(run, signals, joint), least=1e-6) < 1e-6
    assert np.ptp(values(run, signals, free)) > 1


def test_loops_behind_each_other_stay_closed():
    """PlanarLoops_analytic: the ends of the three massless rods keep their distances, from the frames of the bodies."""
    run, model, _ = motion("Loops.PlanarLoops_analytic", 0.05, **DOP853)
    ends = [(0.6, 0), (0.5, 0.1), (0.4, -0.05)]
    rods = [np.hypot(0.1, 0.5), np.hypot(0.1, 0.6), 0.55]
    for k, (end, rod) in enumerate(zip(ends, rods, strict=True), start=1):
        tip = run.frames(f"body{k}") @ (*end, 0, 1)
        assert np.abs(np.hypot(tip[:, 0] - 0.5 * k, tip[:, 1]) - rod).max() < 1e-9
    assert np.ptp(run.of(model.symbols["phi3"])) > 0.01


@pytest.mark.parametrize("name", ["ActuatedDrive", "MovingActuatedDrive", "GearConstraint"])
def test_drives_in_closed_form(name):
    """J q'' = M sin(2 pi t); a base that swings about an axis across does not change that."""
    run, model, signals = motion(f"Rotational3DEffects.{name}", **DOP853)
    J, M = 2, 1
    if name == "GearConstraint":
        J, M = sum(float(model[body].inertia[0, 0]) / n**2 for body, n in (("cyl1", 1), ("cyl2", 10))), 2
    w = 2 * np.pi
    phi = M / J * (run.t / w - np.sin(w * run.t) / w**2)
    for column, expected in (("phi", phi), ("w", M / J * (1 - np.cos(w * run.t)) / w)):
        slow = [x for x in signals if x.endswith(f".{column}")]
        shares = [0.1 if name == "GearConstraint" and x.startswith(("inertia2", "gearConstraint.actuatedRevolute_b"))
                  else 1 for x in slow]  # fmt: skip
        assert error(values(run, signals, slow), np.outer(expected, shares)) < 1e-7


def test_the_moving_base_feels_the_gyroscope():
    """Across both axes the bearings carry J times rate times rate of the base."""
    run, _, _ = motion("Rotational3DEffects.MovingActuatedDrive", 1, **DOP853)
    bearing = np.linalg.norm(run.reaction("rotor1D", "base").moment, axis=1)
    spin, swing = run["q.dot"], 4 * np.pi * np.cos(2 * np.pi * run.t)
    drive = np.sin(2 * np.pi * run.t)  # along the axis, what accelerates it
    np.testing.assert_allclose(bearing, np.hypot(2 * spin * swing, drive), atol=1e-6)


@pytest.mark.long
def test_a_rotor_is_a_body():
    """GyroscopicEffects: the pendulum with a rotor in it moves as the one with the body."""
    run, _, signals = motion("Rotational3DEffects.GyroscopicEffects", 2, **DOP853)
    rotor = values(run, signals, ["rotor1D.phi", "rotor1D.w"])
    assert error(rotor, values(run, signals, ["revolute.phi", "revolute.w"])) < 1e-7
    assert np.ptp(rotor[:, 1]) > 1


@pytest.mark.long
def test_bevel_gear_keeps_its_momentum_about_the_shafts():
    """h . w + (100 J1 + J2) w2 = 10 times the impulse of the torque on the first rotor, h = 10 J1 x + J2 y."""
    run, model, signals = motion("Rotational3DEffects.BevelGear1D", **DOP853)
    housing = model["housing"]
    w = np.stack([run.of(c) for c in housing.T.R.inv() * housing.omega], axis=1)
    momentum = w @ (11, 18.2, 0) + 128.2 * run.of(signals["inertia2.w"])
    expected = 10 * 140 / (16 * np.pi) * (1 - np.cos(16 * np.pi * run.t))
    np.testing.assert_allclose(momentum, expected, atol=1e-6 * np.abs(w).max())
    assert "inertia has a principal moment of -18.19" in model.check()[0]


@pytest.mark.one_in(4)
@pytest.mark.long
@pytest.mark.parametrize("name", PUBLISHED)
def test_files_run_by_themselves(name, tmp_path, monkeypatch):
    """As programs, each with what it shows."""
    monkeypatch.chdir(tmp_path)
    file = inspect.getsourcefile(PUBLISHED[name].build)
    runpy.run_path(file, run_name="__main__")


def test_formulas_too_long_for_a_name_are_plotted_without_a_legend():
    """Nothing is listed, and nothing is warned of."""
    run, _, signals = motion("Elementary.FreeBody", 0.1, **DOP853)
    ax = run.plot(*(signals[f"body.w_a[{i}]"] for i in (1, 2, 3)))
    assert len(ax.lines) == 3
    assert ax.get_legend() is None
