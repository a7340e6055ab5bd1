"""scheme="motor": d'Alembert's equations by motor calculus, beside those of the other two schemes."""


import re
from pathlib import Path

import numpy as np
import pytest
from mechanisms.four_bar import four_bar
from mechanisms.gears import gears
from mechanisms.rolling_disc import rolling_disc
from robots import manutec_r3
from targets import SCHEMES, TARGETS
from test_attitude import stone
from test_driven_frames import crane
from test_friction_modes import arm, block, disc
from test_locks import spatial
from test_mechanisms import CASES, model_of
from test_operations import chain

from easydyn import Model, examples, t, tdisp, transform, trotx, trotz
from easydyn.engine.derivation import Derivation
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.examples import MODELS
from easydyn.examples.figures import module_of

CLOSE = 1e-11
QUANTITIES = ("residual", "mass_matrix", "bias", "energies", "frames")


def differences(run, targets, count):
    """The largest differences of motors to the other schemes at some instants of a run, beside the largest value.

    In the mode in which the run is there, with its inputs; the residual and the powers beside the motion, too, where
    the residual is not zero.
    """
    some = np.unique(np.linspace(0, len(run.t) - 1, count).astype(int))
    q, qd, qdd = (x[some] for x in run.source.states(run))
    state = q, qd, qdd + np.random.default_rng(5).normal(size=qdd.shape) * (1 + np.abs(qdd))
    held = run.held[some] if len(run.held) else run.held
    found, values = {}, {}
    for scheme, target in (("recursive", "numpy"), ("explicit", "numpy"), *(("motor", target) for target in targets)):
        programs = Programs(Derivation(run.source.system.mechanism, scheme))
        system = CompiledSystem(programs, run.parameters, target)
        of = {name: system.along(name, run.t[some], state, held) for name in QUANTITIES}
        M, h = of["mass_matrix"].reshape(len(some), system.n, system.n), of["bias"]
        if programs.derivation.unrolled_is_sensible:
            of["accelerations"] = system.along("accelerations", run.t[some], state, held)
        elif system.n <= 40:  # with row exchanges, as `accelerations` does it
            of["accelerations"] = -np.linalg.solve(M, h[:, :, None])[:, :, 0]
        for name, here in of.items():
            for way, expected in values.get(name, {}).items():
                if scheme == "motor" and way[0] != scheme:
                    size = np.abs(of["residual" if name == "bias" else name]).max(initial=0.0)  # at rest bias is zero
                    found[name, *way, target] = np.abs(here - expected).max(initial=0.0) / (size or 1.0)
            values.setdefault(name, {})[scheme, target] = here
    return found


def worst(found):
    return max(found.items(), key=lambda pair: pair[1])


SLOW = ("robot_r3", "seven_axis_arm")
QUICK = [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in MODELS]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", QUICK)
def test_motors_agree_along_the_beginning_of_a_run(name):
    how = {"max_step": 5e-4} if name in ("hydraulic_jack", "dc_motor", "wheel_set") else {"step": 2e-3}
    how |= {"initial": {"chassis": 0.02}} if name == "quarter_car" else {}  # that does not stand at rest
    run = getattr(examples, name)().simulate(0.02, target="python", **how)
    found = worst(differences(run, ("python",), 3))
    assert found[1] < CLOSE, found


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", MODELS)
def test_motors_agree_along_the_run_of_an_example(name):
    found = worst(differences(module_of(name).simulate(), TARGETS, 40))
    assert found[1] < CLOSE, found


LOOPS = [(name, form) for name, case in CASES.items() for form in ("reduced", "multipliers") if form not in case.long]
TOO_LONG = {("scissor lift of 20 stages", "multipliers"), ("Jansen", "multipliers")}  # as others, 20 s each


@pytest.mark.long
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("name", "form"), [pair for pair in LOOPS if pair not in TOO_LONG])
def test_motors_agree_along_the_run_of_a_loop(name, form):
    run = model_of(name)[0].simulate(CASES[name].t_final / 4, constraints=form, tolerance=1e-6)
    found = worst(differences(run, TARGETS[:2], 10) if not CASES[name].long else differences(run, ("numpy",), 5))
    assert found[1] < CLOSE, found


@pytest.mark.parametrize("form", ["reduced", "multipliers"])
@pytest.mark.parametrize("build", [four_bar, gears])
def test_loops_move_alike(build, form):
    options = {"method": "dop853", "tolerance": 1e-11, "save_every": 0.1, "constraints": form, "target": "python"}
    expected, found = (build()[0].simulate(0.3, scheme=scheme, **options) for scheme in ("recursive", "motor"))
    np.testing.assert_allclose(found.q, expected.q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(found.qdd, expected.qdd, rtol=0, atol=1e-8)


def test_a_block_and_a_driven_frame():
    """A rotation tensor of formulas, as one factor, on a frame that is driven, with its centre of mass beside it."""
    model = Model("block", gravity=(0.3, -2, -9))
    a, b = model.coordinates("a b")
    turn = (trotz(2 * a) * trotx(a - b)).R
    T = trotx(t**2) * tdisp(0, 0, t) * transform(turn, (b, a * b, 0)) * tdisp(0.2, 0, 0)
    model.body("block", T, mass=2, inertia=(0.1, 0.2, 0.25, 0.01, 0.02, -0.03), com=(0.1, -0.2, 0.3))
    ours, theirs = (model.compile("python", scheme) for scheme in ("motor", "explicit"))
    rng = np.random.default_rng(7)
    q, qd, qdd = rng.uniform(-1, 1, (3, 4, 2))
    time = rng.uniform(0, 1, 4)
    for what, state in (("residual", (q, qd, qdd)), ("mass_matrix", (q,)), ("energies", (q, qd, qdd))):
        found, expected = (getattr(system, what)(time, *state) for system in (ours, theirs))
        assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max(), what
    assert np.abs(expected[:, 2]).min() > 1  # the drive's power


def test_residual_of_a_chain_grows_linearly_and_its_mass_matrix_as_the_square():
    """Not more than this by one rod: docs/motors.md says where the operations go."""
    total = {(of, n): sum(chain(n).operations(of, "motor")[x] for x in ("mul", "add"))
             for of in ("residual", "mass_matrix") for n in (5, 6, 10, 11)}  # fmt: skip
    more = [total["residual", n + 1] - total["residual", n] for n in (5, 10)]
    assert more[0] == more[1] <= 52
    assert total["mass_matrix", 10] / total["mass_matrix", 5] < 5


@pytest.mark.parametrize("scheme", SCHEMES)
def test_energies_and_work_do_not_depend_on_the_scheme(scheme):
    """Energies and work along a run with a sampled force."""
    model = examples.inverted_pendulum()
    runs = [model.simulate(0.2, step=2e-3, target="python", scheme=x) for x in ("recursive", scheme)]
    for found in zip(*((run.energy.kinetic, run.energy.potential, run.energy.work) for run in runs), strict=True):
        np.testing.assert_allclose(found[1], found[0], rtol=0, atol=1e-11)


@pytest.mark.long
def test_the_table_of_operations_is_true(reference):
    """docs/motors.md, by `model.operations`."""
    page = (Path(__file__).parent.parent / "docs" / "motors.md").read_text(encoding="utf-8")
    kind = "residual|mass matrix|accelerations"
    rows = re.findall(rf"^\| (.*) \| ({kind}) \| (.+\+.+) \| (.+) \| (.+) \|$", page, re.MULTILINE)
    models = {"r3 robot": lambda: manutec_r3(reference("r3_robot.json")), "ten rods in a plane": lambda: chain(10)}
    assert len(rows) == 24
    for name, of, *counts in rows:
        if name.strip():
            model = models.get(name, getattr(examples, name.strip("`"), None))()
        for scheme, written in zip(("explicit", "motor", "recursive"), counts, strict=True):
            found = model.operations(of.replace(" ", "_"), scheme)
            assert written == f"{found['mul']} + {found['add']}", (name, of, scheme)


MOTIONS = {
    "a disc that rolls": lambda: (rolling_disc(0.2, 1.0)[0], 0.2, {}),
    "joints that stick and slide": lambda: (arm((0.8,) * 6), 0.05, {}),
    "a disc that slides, and then rolls": lambda: (disc(0.2, 1.0), 0.4, {}),
    "a block that rocks on its edges": lambda: (block(0.6, 0.5), 0.2, {}),
    "a body that turns freely": lambda: (stone(angular_velocity=(0.1, 5, 0.1))[0], 0.6, {}),
    "a coordinate that is locked": lambda: (spatial(), 0.3, {"locked": {"b": (0.1, 0.2)}}),
    "a drive": lambda: (crane(), 0.2, {}),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", MOTIONS)
def test_what_sticks_rolls_or_turns_freely_moves_alike(name):
    """The same events, the same motion, by the same steps."""
    model, end, options = MOTIONS[name]()
    how = {"method": "dop853", "tolerance": 1e-8, "save_every": end / 5, "target": "python"} | options
    expected, found = (model.simulate(end, scheme=scheme, **how) for scheme in ("recursive", "motor"))
    assert [(event.name, event.what) for event in found.events] == [(e.name, e.what) for e in expected.events]
    np.testing.assert_allclose([e.t for e in found.events], [e.t for e in expected.events], rtol=0, atol=1e-9)
    for of in ("q", "qd"):
        size = max(1.0, np.abs(getattr(expected, of)).max())
        near = np.full(len(expected.names), 1e-10 * size)
        near[len(model.mechanism.coordinates) :] *= 100  # impulses: corners share what they could carry in many ways
        assert np.all(np.abs(getattr(found, of) - getattr(expected, of)) <= near)
    assert np.ptp(found.q, axis=0).max() > 1e-3
