"""Many runs of one model: what is drawn, which runs there are, what is kept of each, side by side or one by one."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from mistakes import explained
from scipy import stats

import easydyn
from easydyn import (
    At,
    Damper,
    GeneralizedForce,
    Integral,
    JointFriction,
    Last,
    Max,
    Min,
    Model,
    Normal,
    RigidContact,
    Spring,
    Uniform,
    examples,
    tdisp,
    trotx,
    trotz,
)
from easydyn.constraints.stack import Stack
from easydyn.errors import InputError, InterruptedRunError
from easydyn.native.machine import available
from easydyn.sim.lanes import ALONE, LANES, Lanes, take_next
from easydyn.study.distributions import splitmix, uniform_numbers, values_at
from easydyn.study.keep import extreme, integral

needs_machine_code = pytest.mark.skipif(not available(), reason="machine code only")


def studied(b, **options):
    return b.model.study(1, **{"over": {"q1": Uniform(-1, 1)}, "samples": 4, **options})


def with_lambda(b):
    from concurrent.futures import ProcessPoolExecutor

    b.other.event(b.x - 5, action=lambda instant: None, name="far")
    b.other.study(1, over={"x": [1, 2]}).run(ProcessPoolExecutor(1))


def of_another_study(b):
    studied(b).run(folder=b.folder / "runs")
    studied(b, seed=1).resume(b.folder / "runs")


def of_other_blocks(b):
    studied(b, block=4).run(folder=b.folder / "runs")
    studied(b, block=2).resume(b.folder / "runs")


def damaged(b, name, content, then="resume"):
    studied(b).run(folder=b.folder / "runs")
    (b.folder / "runs" / name).write_bytes(content)
    getattr(studied(b), then)(folder=b.folder / "runs")


class Interrupted(ThreadPoolExecutor):
    def submit(self, *arguments):
        raise KeyboardInterrupt


@pytest.mark.parametrize("given", [{}, {"push": 3.0}, {"push": easydyn.t**2 + 1}, {"push": ([0, 1], [0, 2])}])
def test_an_input_is_kept_by_its_name(given):
    """As a number, a formula and a table, and as what a controller has set; the same as in a single run."""
    model = Model("pushed")
    (x,), (c,), push = model.coordinates("x", initial=1.0), model.parameters(c=1.0), model.input("push", 2.0)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, push - c * x))
    if not given:
        model.controller(0.3, lambda time, output: {"push": output["x"]})
    keep = {"end": Last("push"), "highest": Max("push"), "same": Last(push), "sum": Integral("push")}
    found = model.study(1.0, over={"c": [0.5, 2.0]}, keep=keep, inputs=given, tolerance=1e-8).run()
    runs = [model.simulate(1.0, parameters={"c": c}, inputs=given, tolerance=1e-8)["push"] for c in (0.5, 2.0)]
    assert found["end"] == pytest.approx([push[-1] for push in runs], abs=1e-6)
    assert (found["end"] == found["same"]).all() and (found["sum"] > 0).all()
    assert found["highest"] == pytest.approx([push.max() for push in runs], abs=1e-6)


test_mistake_is_explained = explained(__file__)


# -- what is drawn ----------------------------------------------------------------------------------------------------


def test_what_is_drawn_has_the_distribution_that_was_asked_for():
    """By Kolmogorov's test, and no number is near its neighbour, nor near that of another name or seed."""
    runs = np.arange(20_000)
    for distribution, law in (
        (Uniform(-1, 3), stats.uniform(-1, 4)), (Normal(2, 0.5), stats.norm(2, 0.5)), (stats.gamma(2), stats.gamma(2)),
    ):  # fmt: skip
        assert stats.kstest(values_at(distribution, uniform_numbers(1, "l1", runs)), law.cdf).pvalue > 0.01
    u = uniform_numbers(1, "l1", runs)
    for other in (np.roll(u, 1), uniform_numbers(2, "l1", runs), uniform_numbers(1, "l2", runs)):
        assert abs(np.corrcoef(u, other)[0, 1]) < 0.03


def test_splitmix_is_that_of_the_article():
    """The first numbers of the generator as its authors' program gives them for the state 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert splitmix(np.uint64(1234567), np.arange(4)).tolist() == published


@pytest.mark.parametrize("part", [slice(0, 10), slice(990, 1000), slice(None, None, 7)])
def test_a_run_draws_the_same_in_whatever_block_it_is(part):
    runs = np.arange(1000)
    for distribution in (Uniform(0, 1), Normal(0, 1)):
        whole = values_at(distribution, uniform_numbers(3, "q1", runs))
        np.testing.assert_array_equal(whole[part], values_at(distribution, uniform_numbers(3, "q1", runs[part])))


def test_grids_are_products_and_what_is_drawn_is_drawn_at_each_point():
    over = {"q1": [0, 1], ("q2", "q2.dot"): [[1, 2], [3, 4], [5, 6]], "q1.dot": Uniform(0, 1)}
    study = examples.double_pendulum().study(0.1, over=over, samples=5)
    values = study.values(np.arange(study.count))
    assert study.count == 30 and study.names == ("q1", "q2", "q2.dot", "q1.dot")
    np.testing.assert_array_equal(values["q1"], np.repeat([0, 1], 15))
    np.testing.assert_array_equal(values["q2"] + 1, values["q2.dot"])
    np.testing.assert_array_equal(values["q2"], np.tile(np.repeat([1, 3, 5], 5), 2))
    assert len(set(values["q1.dot"])) == 30
    result = study.run()
    assert not result.messages
    pytest.importorskip("pandas")
    found = result.to_pandas()
    assert list(found.columns[:4]) == list(study.names) and (found["message"] == "").all()


# -- runs side by side are those that are made one by one -------------------------------------------------------------


def pendulum(**event):
    model = Model("pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0, 1))
    l1, m2, c = model.parameters(l1=1.2, m2=0.9, c=0.1)
    model.body("upper", trotz(q1) * tdisp(0, -l1 / 2, 0), mass=1.1, inertia=(0, 0, 0.132))
    lower = model.body(
        "lower", trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -0.55, 0), mass=m2, inertia=(0, 0, m2 / 10)
    )
    model.add(Damper(lower, model.ground, damping=c))
    model.output("height", lower.T.e[1])
    if event:
        model.event(q2 + 0.3, name="low", **event)
    return model


@needs_machine_code
def test_masses_of_two_bodies_side_by_side_and_one_that_is_none():
    masses, model = np.array([-1, *np.linspace(1, 4, 15)]), Model("blocks")
    (x, y), (m,) = model.coordinates("x y"), model.parameters(m=1)
    for q, mass in ((x, m), (y, 2 * m)):
        model.body(f"block {q}", tdisp(q, 0, 0), mass=mass, inertia=(0, 0, 0))
        model.add(GeneralizedForce(q, 1))
    study = model.study(1.0, over={"m": masses}, keep={"x": Last(x), "y": Last(y)})
    result = study.run(progress=False)
    assert study.how == "side by side" and [*result.messages] == [0] and "m = -1" in result.messages[0]
    np.testing.assert_allclose([result["x"] * masses, result["y"] * masses], [[np.nan] + 15 * [a] for a in (0.5, 0.25)])


@needs_machine_code
def test_what_an_action_sets_and_a_force_that_jumps_in_closed_form_side_by_side():
    """z is set to 10 e when x has come 1 m far, and x back; the other one is pushed by 1, 3, -2 and 1 N, times e."""
    e = np.linspace(0.1, 1.6, 16)
    thrown, pushed = Model("thrown"), Model("pushed")
    x, z = thrown.coordinates("x z", rates=(1, 0))
    thrown.equation(x.ddot)
    thrown.equation(z.ddot)
    thrown.event(x - 1, direction=1, action={z: 10 * thrown.parameters(e=0.5)[0], x: 0})
    study = thrown.study(2.5, over={"e": e}, keep={"x": Last(x), "z": Last(z)})
    found = study.run()
    assert study.how == "side by side" and np.allclose(found["z"], 10 * e, atol=1e-9)
    assert np.allclose(found["x"], 0.5, atol=1e-9)
    y = pushed.coordinate("y")
    steps = sp.Piecewise((1, easydyn.t < 0.5), (3, easydyn.t < 1), (-2, easydyn.t < 1.7), (1, True))
    pushed.equation(y.ddot - pushed.parameters(e=0.5)[0] * steps)
    study = pushed.study(2, over={"e": e}, keep={"v": Last(y.dot)})
    assert study.how == "side by side" and np.allclose(study.run()["v"], 0.9 * e, atol=1e-9)


@needs_machine_code
def test_the_state_after_an_action_is_saved_at_its_instant_side_by_side():
    """A sledge of v.dot = f - k v is pushed to 2, 3 and 4 m/s at 0.25, 0.5 and 1 s; f is 0 until 0.5 s, and then 1."""
    model = Model("sledge")
    (x,), (k,) = model.coordinates("x", rates=1), model.parameters(k=1)
    model.equation(x.ddot + k * x.dot - sp.Piecewise((0, easydyn.t < 0.5), (1, True)))
    for time, speed in ((0.25, 2), (0.5, 3), (1, 4)):
        model.event(easydyn.t - time, action={x.dot: speed})
    keep = {"v": x.dot, "then": At(x.dot, 0.5), "a": Last(x.ddot), "way": Integral(x.dot)}
    ks = np.array([0.5, 1, 2])
    study = model.study(1, over={"k": ks}, keep=keep, save_at=[0.25, 0.5, 1], tolerance=1e-9)
    found = study.run()
    assert study.how == "side by side"
    np.testing.assert_allclose(found["v"], 3 * [[2, 3, 4]], atol=1e-12)
    way = (3 * (1 - np.exp(-ks / 4)) + (3 - 1 / ks) * (1 - np.exp(-ks / 2)) + 0.5) / ks
    for name, wanted in {"then": 3 + 0 * ks, "a": 1 - 4 * ks, "way": way}.items():
        np.testing.assert_allclose(found[name], wanted, atol=1e-8)


VARIED = {"l1": Uniform(1, 2), "m2": Uniform(0.5, 1), "q1": Uniform(-1, 1), "q2.dot": Normal(0, 1)}


@needs_machine_code
@pytest.mark.parametrize("event", [{}, {"action": "stop", "direction": -1}, {"direction": -1}], ids=str)
def test_runs_side_by_side_are_those_of_simulate(event):
    """Step by step: as many steps, and the same states but for rounding; at instants on the way, and at the end."""
    model, instants = pendulum(**event), (0.0, 0.4, 1.1, 2.0)
    study = model.study(2, over=VARIED, samples=43, save_at=instants, block=43)
    assert study.how == "side by side"
    values = study.values(np.arange(study.count))
    found = study.batch.runs(values, study.count)
    stopped = 0
    for k in range(0, study.count, 6):
        parameters = {name: values[name][k] for name in ("l1", "m2")}
        initial = {name: values[name][k] for name in ("q1", "q2.dot")}
        run = model.simulate(2, method="dop853", parameters=parameters, initial=initial, save_at=instants)
        assert run.stats.steps == found.steps[k] and abs(run.t[-1] - found.t[k]) < 1e-12
        np.testing.assert_allclose(found.state[k], [run.q[-1], run.qd[-1], run.qdd[-1]], rtol=1e-9, atol=1e-9)
        for j, t in enumerate(instants):
            if t <= run.t[-1]:
                np.testing.assert_allclose(found.saved[k, j, 0], run.q[run.t == t][0], rtol=1e-9, atol=1e-9)
            else:
                assert np.isnan(found.saved[k, j]).all()
        stopped += run.status == "stopped"
    assert stopped == (8 if event.get("action") else 0)


def beaten():
    """A pendulum that is pushed from 0.5 to 1.2 s, and loses a part of its rate where it passes the vertical.

    A brush slows it down at an angle, after that where this is the vertical, too.
    """
    model = Model("beaten", gravity=(0, -9.81, 0))
    (q,), (k,) = model.coordinates("q", initial=1), model.parameters(k=0.9)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0.1))
    model.add(GeneralizedForce(q, sp.Piecewise((0, easydyn.t < 0.5), (1.5, easydyn.t < 1.2), (0, True))))
    model.event(q, action={q.dot: k * q.dot}, name="beat")
    model.event(q - k + 0.5, action={q.dot: 0.9 * q.dot}, name="brush")
    return model


def driven():
    """A motor whose voltage falls at 0.3 s; its current is a state, and is cut where the shaft is at 4 rad."""
    model = examples.dc_motor(lambda model, speed: sp.Piecewise((3, easydyn.t < 0.3), (1, True)))
    (angle,), (i,) = model.mechanism.coordinates, model.mechanism.states
    model.event(angle - 4, action={i: 0}, name="cut")
    return model


def test_a_place_whose_last_run_has_ended_begins_no_other():
    """An action in the very step that ends the last run: what is kept would stand before all that is kept."""
    b = Lanes()
    b.allocate({"own": LANES, "is_fresh": LANES})
    b.begun = b.count = 3
    b.is_fresh[2] = 1.0
    assert take_next(b, 2) == 0 and b.own[2] == -1 and b.is_fresh[2] == 0


@needs_machine_code
@pytest.mark.parametrize(
    ("make", "over", "keep"),
    [
        (beaten, {"q": np.linspace(0.5, 1.5, 9), "k": [0.5, 0.9]}, ("q", "q.dot", "total energy")),
        pytest.param(driven, {"i": np.linspace(-1, 1, 9), "R": [1.5, 2.0]}, ("angle", "i"), marks=pytest.mark.long),
    ],
)
def test_what_happens_side_by_side_is_what_happens_in_a_run(make, over, keep):
    """Jumps in time, actions of events, states: values, extremes and integrals beside them, to rounding."""
    model = make()
    kept = {f"{how.__name__} {name}": how(name) for how in (Last, Max, Min, Integral) for name in keep}
    study = model.study(2, over=over, keep=kept, save_at=[0.3, 0.5, 0.9, 2.0])
    found = study.run()
    assert study.how == "side by side" and not found.messages
    for k in range(0, study.count, 3):
        one = {name: float(found[name][k]) for name in study.names}
        parameters = {name: x for name, x in one.items() if name not in model.initial_values}
        initial = {name: x for name, x in one.items() if name in model.initial_values}
        run = model.simulate(2, method="dop853", parameters=parameters, initial=initial, save_at=study.instants)
        assert len(run.events) > 0
        wanted = np.concatenate([x.of_run(run) for x in study.kept])
        np.testing.assert_allclose(found.table[k], wanted, rtol=1e-10, atol=1e-11)


def four_bar():
    """A crank that turns, a coupler whose angle is counted from it, and so turns against it, a rocker."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    m, r, first = model.parameters(m=2.0, r=0.4, first=1.2)
    a, b, c = model.coordinates("a b c", initial=(first, -0.9, 1.4), rates=(2, 0, 0))
    model.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=m, inertia=(0, 0, m / 9))
    coupler = model.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=2,
                         inertia=(0, 0, 0.05))  # fmt: skip
    rocker = model.body("rocker", tdisp(1, 0, 0) * trotz(c) * tdisp(r, 0, 0), mass=1, inertia=(0, 0, 0.02))
    model.close((coupler, (0.5, 0, 0)), (rocker, (0.4, 0, 0)), joint="revolute")
    model.event(a - 30, action="stop", name="enough")
    return model


@needs_machine_code
def test_loops_that_are_closed_alike_go_side_by_side():
    """Dependent coordinates are those of a run, whole turns among them, before an event stops it and at its end."""
    model = four_bar()
    keep = {f"{how.__name__} {name}": how(name) for how in (Last, Max, Min, Integral) for name in ("b", "c", "c.dot")}
    keep |= {"energy": Last("total energy"), "early": At("b", 0.3), "late": At("b", 1.1)}
    study = model.study(2, over={"a.dot": np.linspace(-40, 40, 9), "m": [1.0, 2.5]}, keep=keep, tolerance=1e-8)
    found = study.run()
    assert study.how == "side by side" and not found.messages
    assert found["Last b"].max() > 12 * np.pi and found["Last b"].min() < -8 * np.pi
    assert np.isnan(found["late"]).any() and not np.isnan(found["late"]).all() and not np.isnan(found["early"]).any()
    for k in range(study.count):
        run = model.simulate(
            2, method="dop853", tolerance=1e-8, parameters={"m": float(found["m"][k])},
            initial={"a.dot": float(found["a.dot"][k])}, save_at=sorted({*study.instants, 2.0}),
        )  # fmt: skip
        wanted = np.concatenate([x.of_run(run) for x in study.kept])
        np.testing.assert_allclose(found.table[k], wanted, rtol=1e-10, atol=1e-10)


@needs_machine_code
def test_loops_that_begin_elsewhere_are_assembled_each_as_simulate_does():
    """From other positions and rates, given or by formulas, on other branches; none of them is made alone."""
    model = four_bar()
    keep = {"end": Last("b"), "highest": Max("c"), "rate": Last("b.dot"), "energy": Last("total energy")}
    several = {"a": [-2, 0.4, 0.8, 4, 5]}, {"first": [1.0, 1.2, 1.8], "c.dot": [1, 2], "m": [1, 3]}
    for over in several:
        study = model.study(0.5, over=over, keep=keep)
        found, values = study.run(), study.values(np.arange(study.count))
        assert study.how == "side by side" and not found.messages
        assert not (study.batch.runs(values, study.count).why == ALONE).any()
        for k in range(study.count):
            one = study._sorted({name: float(x[k]) for name, x in values.items()})
            run = model.simulate(0.5, method="dop853", save_at=study.instants, **one)
            wanted = np.concatenate([x.of_run(run) for x in study.kept])
            np.testing.assert_allclose(found.table[k], wanted, rtol=1e-9, atol=1e-10)
    both = model.study(0.1, over={"a": [1.2], "c": [1.0, 1.1]}, keep=keep)
    assert both.how == "side by side" and all("assembled by moving" in x for x in both.run().messages.values())
    assert len(both.run().messages) == 2
    study = model.study(1, over={"a": [1, 2]}, constraints="multipliers")
    assert study.how == "one by one: its loops have to be assembled"


@needs_machine_code
@pytest.mark.parametrize(
    ("name", "over", "alone"),
    [("four-bar", {"r": [0.1, 0.4, 0.6, 1.1], "first": [1.2, 0.8]}, 0),
     ("slider-crank", {"length": [0.25, 0.4, 0.7], "radius": [0.05, 0.1, 0.2], "side": [-0.1, 0.02]}, 1),
     ("parallelogram", {"second": [0.25, 0.3, 0.35, 0.4]}, 2),
     ("double rocker", {"length": [0.45, 0.55], "a.dot": [0.5, 20]}, 2)],
)  # fmt: skip
def test_loops_of_other_lengths_go_side_by_side(name, over, alone):
    """Each is assembled with its own lengths. Alone is what comes to a dead point, or may, and what has other forms."""
    models = {"four-bar": four_bar, "slider-crank": slider_crank, "parallelogram": parallelogram}
    model = models.get(name, double_rocker)()
    last = str(model.mechanism.coordinates[-1])
    keep = {"end": Last(last), "highest": Max(f"{last}.dot"), "energy": Last("total energy")}
    study = model.study(0.4, over=over, keep=keep, method="dop853")
    found, values = study.run(), study.values(np.arange(study.count))
    assert study.how == "side by side" and not found.messages
    assert (study.batch.runs(values, study.count).why == ALONE).sum() == alone
    for k in range(study.count):
        one = study._sorted({name: float(x[k]) for name, x in values.items()})
        run = model.simulate(0.4, method="dop853", save_at=study.instants, **one)
        wanted = np.concatenate([x.of_run(run) for x in study.kept])
        np.testing.assert_allclose(found.table[k], wanted, rtol=1e-9, atol=1e-10)


def slider_crank():
    model = Model("slider-crank", gravity=(0, -9.81, 0))
    radius, length, side = model.parameters(radius=0.1, length=0.4, side=0.02)
    a, b, x = model.coordinates("a b x", initial=(0.5, -0.2, 0.45), rates=(10, 0, 0))
    model.body("crank", trotz(a) * tdisp(radius / 2, 0, 0), mass=1, inertia=(0, 0, 0.01))
    rod = model.body("rod", trotz(a) * tdisp(radius, 0, 0) * trotz(b - a) * tdisp(length / 2, 0, 0), mass=1,
                     inertia=(0, 0, 0.02))  # fmt: skip
    slider = model.body("slider", tdisp(x, side, 0), mass=2, inertia=(0, 0, 0))
    model.close((rod, (length / 2, 0, 0)), slider, joint="revolute")
    return model


def double_rocker():
    model = Model("double rocker", gravity=(0, -9.81, 0))
    (length,) = model.parameters(length=0.5)
    a, b, c = model.coordinates("a b c", initial=(-1.4, 0, -1.7), rates=(0.5, 0, 0))
    model.body("left", trotz(a) * tdisp(length / 2, 0, 0), mass=1, inertia=(0, 0, 0.01))
    coupler = model.body("coupler", trotz(a) * tdisp(length, 0, 0) * trotz(b - a) * tdisp(0.4, 0, 0), mass=1,
                         inertia=(0, 0, 0.03))  # fmt: skip
    right = model.body("right", tdisp(1, 0, 0) * trotz(c) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.02))
    model.close((coupler, (0.4, 0, 0)), right, joint="revolute")
    return model


def parallelogram():
    """With cranks of 0.3 m and `second`: of other lengths its coupler turns."""
    model = Model("parallelogram", gravity=(0, -9.81, 0))
    (second,) = model.parameters(second=0.3)
    a, b, c = model.coordinates("a b c", initial=(0.4, 0, 0.4), rates=(1, 0, 0))
    model.body("left", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    coupler = model.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b - a) * tdisp(0.5, 0, 0), mass=1,
                         inertia=(0, 0, 0.1))  # fmt: skip
    right = model.body("right", tdisp(1, 0, 0) * trotz(c) * tdisp(second, 0, 0), mass=1, inertia=(0, 0, 0.01))
    model.close((coupler, (0.5, 0, 0)), right, joint="revolute")
    return model


def closed(effort):
    """A parallelogram with an effort at its first crank."""
    model = parallelogram()
    (level,) = model.parameters(level=0.3)
    model.add(effort(model.symbols["a"], level=level))
    return model


def stop(angle, level):
    return RigidContact(angle - 0.3, restitution=level, name="stop")


def rubbed(count):
    """Pendulums that hang on each other by joints with friction; the first is pushed and has a mass of its own."""
    model = Model("rubbed", gravity=(0, -9.81, 0))
    level, mass = model.parameters(level=0.3, mass=1.0)
    angles = model.coordinates(" ".join(f"q{k}" for k in range(1, count + 1)), initial=0.5)
    place = trotz(0)
    for k, q in enumerate(angles):
        place = place * trotz(q) * tdisp(0, -0.5, 0)
        model.body(f"rod {k}", place, mass=mass if k == 0 else 1, inertia=(0, 0, 0.02))
        model.add(JointFriction(q, level=level))
        place = place * tdisp(0, -0.5, 0)
    model.add(GeneralizedForce(angles[0], 4 * sp.sin(5 * easydyn.t)))
    return model


def balls():
    """Two balls above each other, which bounce on a floor."""
    model = Model("balls", gravity=(0, -9.81, 0))
    (share,) = model.parameters(share=0.9)
    low, high = model.coordinates("low high", initial=(0.5, 0.9))
    for q, mass in ((low, 1), (high, 2)):
        model.body(f"ball {q}", tdisp(0, q, 0), mass=mass, inertia=(0, 0, 0))
    model.add(RigidContact(low - 0.1, restitution=share, name="floor"))
    model.add(RigidContact(high - low - 0.2, restitution=share, name="between"))
    model.event(high - 0.75, name="seen", silent=True)
    return model


@needs_machine_code
@pytest.mark.parametrize(
    ("make", "over", "alone"),
    [(lambda: rubbed(1), {"level": [0.05, 0.4, 3], "q1.dot": [-3, 0, 2]}, 0),
     (lambda: rubbed(3), {"level": [0.05, 0.4], "mass": [0.5, 2], "q2": [-0.5, 0]}, 0),
     (balls, {"share": [0.85, 0.95, 1, 1.2, 0.1], "high.dot": [-1, 0.5]}, 4),
     (balls, {"low": [0.3, 0.1, 0.05]}, 2),
     (lambda: closed(JointFriction), {"level": [0.05, 0.3, 5], "a.dot": [-3, 0, 2]}, 0),
     (lambda: closed(stop), {"level": [0.3, 1], "a.dot": [-3, 1]}, 2)],
)  # fmt: skip
def test_what_the_loop_of_a_run_deals_with_is_made_in_turn(make, over, alone):
    """Modes of friction and impacts, to the last digits of a run; alone is what comes to rest, overlaps or is wrong."""
    model = make()
    first, last = model.mechanism.coordinates[0], f"{model.mechanism.coordinates[-1]}.dot"
    keep = {how.__name__: how(last) for how in (Last, Max, Min, Integral)}
    keep |= {"then": At(f"{first}.ddot", 0.3), "energy": Last("total energy")}
    study = model.study(0.8, over=over, keep=keep, method="dop853")
    found, values = study.run(), study.values(np.arange(study.count))
    assert study.how == "in turn" and (study.batch.runs(values, study.count).why == ALONE).sum() == alone
    events = 0
    for k in range(study.count):
        one = study._sorted({name: float(x[k]) for name, x in values.items()})
        if k in found.messages:
            with pytest.raises(InputError) as error:
                model.simulate(0.8, **one)
            assert str(error.value) == found.messages[k] and np.isnan(found.table[k]).all()
            continue
        run = model.simulate(0.8, method="dop853", save_at=sorted({*study.instants, 0.8}), **one)
        events += len(run.events)
        wanted = np.concatenate([x.of_run(run) for x in study.kept])
        np.testing.assert_allclose(found.table[k], wanted, rtol=1e-12, atol=1e-12)
    assert events > 2


@needs_machine_code
def test_more_unknowns_than_fit_side_by_side_are_made_in_turn():
    """A row of 34 masses between springs, a stop on its way, and a force that jumps in time."""
    model = Model("row")
    (stiffness,) = model.parameters(stiffness=40.0)
    x = model.coordinates(" ".join(f"x{k}" for k in range(34)), initial=[0.01 * k for k in range(34)])
    for k, q in enumerate(x):
        model.body(f"mass {k}", tdisp(q, 0, 0), mass=1 + k / 40, inertia=(0, 0, 0))
        model.add(GeneralizedForce(q, stiffness * (sum(x[max(k - 1, 0) : k + 2]) - 3 * q)))
    model.add(GeneralizedForce(x[0], sp.Piecewise((1.0, easydyn.t < 0.4), (0, True))))
    model.event(x[33] - 0.2, action="stop", name="far")
    keep = {"end": Last("x3"), "fastest": Max("x0.dot"), "energy": Last("total energy")}
    study = model.study(1, over={"stiffness": [0.5, 60.0, 600.0]}, keep=keep)
    found = study.run()
    assert study.how == "in turn" and not found.messages and not len(found.doubtful)
    for k, value in enumerate((0.5, 60.0, 600.0)):
        run = model.simulate(
            1, method="dop853", save_at=sorted({*study.instants, 1.0}), parameters={"stiffness": value},
        )  # fmt: skip
        assert (run.status == "stopped") == (value > 1)
        wanted = np.concatenate([x.of_run(run) for x in study.kept])
        np.testing.assert_allclose(found.table[k], wanted, rtol=1e-12, atol=1e-12)


def rod_in_space():
    """A crank, a rocker about another axis that slides, and a rod between them, too short for some of their places."""
    model = Model("rod in space", gravity=(0, 0, -9.81))
    a, s, c = model.coordinates("a s c", initial=(0.2, 0.1, 0.3), rates=(1, 0.2, 0))
    crank = model.body("crank", trotz(a) * tdisp(0.3, 0, 0), mass=1, inertia=(1, 1, 1))
    rocker = model.body("rocker", tdisp(1 + s, 0.2, 0.3) * trotx(c) * tdisp(0, 0.4, 0), mass=1, inertia=(1, 1, 1))
    model.close(crank, rocker, joint="distance", length=0.9)
    return model


def closed_twice():
    model = four_bar()
    bodies = {body.name: body for body in model.mechanism.bodies}
    model.close((bodies["coupler"], (0.5, 0, 0)), (bodies["rocker"], (0.4, 0, 0)), joint="revolute", name="again")
    return model


@pytest.mark.parametrize(("make", "given", "least"), [
    (four_bar, "a a.dot", 150), (four_bar, "c c.dot", 10), (rod_in_space, "a s a.dot s.dot", 40),
    (rod_in_space, "a c.dot", 40), (closed_twice, "a", 0),
])  # fmt: skip
def test_starts_assembled_together_are_those_assembled_alone(make, given, least):
    """From guesses of both branches, some of which cannot be assembled; what needs more than the plain way is left."""
    model, given, draw = make(), given.split(), np.random.default_rng(1).uniform
    closed, redundancy = model.solver.closed({}, model.values())
    at, (q, qd) = model.solver.constraints_at(model.values()), model.initial()
    hold, rates = ([x for x in at.names if f"{x}{end}" in given] for end in ("", ".dot"))
    closed = replace(closed, independent=at.assemble(q, qd, (), hold).independent)
    like = SimpleNamespace(closed=closed, redundancy=redundancy)
    stack, q, qd = Stack(at, like, 200), q + draw(-2.5, 2.5, (200, at.n)), qd + draw(-1, 1, (200, at.n))
    found, speeds = stack.assembled(q, qd, given)
    assert least <= stack.fine.sum() < (200 if least else 1)
    for k in np.flatnonzero(stack.fine):
        one = at.assemble(q[k], qd[k], (), hold, rates)
        np.testing.assert_allclose([found[k], speeds[k]], [one.q, one.qd], rtol=1e-9, atol=1e-10)
        assert one.independent == like.closed.independent and not {*one.moved} & {*given}
        assert at.redundancy(one.q).kept == redundancy.kept


@needs_machine_code
def test_actions_without_end_are_told_as_by_simulate():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,), (e,) = model.coordinates("y", initial=1), model.parameters(e=0.8)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action={y.dot: -e * y.dot}, name="bounce")
    found = model.study(3, over={"e": [0.3, 1.0]}, keep={"y": Last("y")}).run()
    assert list(found.messages) == [0] and "event 'bounce' has come again" in found.messages[0]
    period = 2 * (2 / 9.81) ** 0.5
    assert abs(found["y"][1] - (1 - 9.81 * (3 - 3 * period) ** 2 / 2)) < 1e-6


@needs_machine_code
def test_forces_in_time_are_those_of_the_stages_of_each_run():
    """x.ddot = cos(w t) from 0.3 s on, side by side, in closed form."""
    model = Model("pushed")
    x = model.coordinate("x")
    (w,) = model.parameters(w=1.0)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, sp.cos(w * easydyn.t)))
    study = model.study(2.3, t_start=0.3, over={"w": np.linspace(1, 9, 20)}, keep={"x": Last(x)}, tolerance=1e-10)
    assert study.how == "side by side"
    found = study.run()
    w, (a, b) = found["w"], (0.3, 2.3)
    exact = (np.cos(w * a) - np.cos(w * b)) / w**2 - np.sin(w * a) / w * (b - a)
    np.testing.assert_allclose(found["x"], exact, atol=1e-8)


@needs_machine_code
def test_a_run_that_stops_does_not_stop_the_others():
    """Half of the pendulums fall through the vertical; each ends where its own energy says it is."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.event(q, name="down", action="stop", direction=-1)
    over = {"q": np.linspace(0.1, 1.5, 50), "q.dot": [0.0, 0.2]}
    result = model.study(0.53, over=over, keep={"q end": Last("q"), "qd end": Last("q.dot")}, tolerance=1e-9).run()
    ended = result["qd end"] ** 2 / 2 - 9.81 * np.cos(result["q end"])
    began = result["q.dot"] ** 2 / 2 - 9.81 * np.cos(result["q"])
    np.testing.assert_allclose(ended, began, atol=1e-7)
    down = np.abs(result["q end"]) < 1e-9
    assert 5 < down.sum() < 95 and (result["q end"][~down] > 0).all()


@needs_machine_code
def test_the_same_is_found_one_by_one():
    keep = {
        "height": "height", "largest": Max("q1.dot"), "least": Min("height"), "energy": Last("total energy"),
        "then": At("q2.ddot", 0.5), "kinetic": Last("kinetic energy"),
    }  # fmt: skip
    options = {"over": VARIED, "samples": 12, "seed": 4, "keep": keep, "save_at": [0.3, 1.0], "tolerance": 1e-8}
    side = pendulum().study(1, **options)
    alone = pendulum().study(1, **options, method="lobatto")
    assert side.how == "side by side" and alone.how == "one by one: the method is lobatto, and not dop853"
    first, second = side.run(), alone.run()
    for name in first.names:
        np.testing.assert_allclose(first[name], second[name], rtol=2e-5, atol=2e-5, err_msg=name)


@needs_machine_code
def test_the_largest_value_is_that_of_the_motion():
    """Of a free vibration: its amplitude, and that times its frequency, between the instants that are looked at."""
    model = Model("spring", gravity=(0, 0, 0))
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=100.0)
    cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(cart, model.ground, stiffness=k, free_length=0))
    stiffness = np.linspace(3, 20, 15) ** 2
    keep = {"far": Max("x.dot"), "near": Min("x"), "end": Last("x")}
    found = model.study(3, over={"k": stiffness}, keep=keep, tolerance=1e-9).run()
    np.testing.assert_allclose(found["far"], np.sqrt(stiffness), rtol=1e-6)
    np.testing.assert_allclose(found["near"], -1, rtol=1e-6)
    np.testing.assert_allclose(found["end"], np.cos(3 * np.sqrt(stiffness)), atol=1e-6)


@needs_machine_code
def test_results_do_not_depend_on_blocks_threads_or_order():
    """Bit for bit, with a run among them that fails."""
    model = pendulum(direction=-1)
    over = {"m2": Normal(0.3, 0.3), "q1": Uniform(-1, 1)}
    options = {"over": over, "samples": 150, "seed": 7, "keep": {"end": Last("q1"), "top": Max("q2")}}
    whole = model.study(1, **options, block=150).run()
    assert 10 < len(whole.messages) < 40 and set(whole.messages) == set(whole.failed)
    for block in (1, 7, 64):
        with ThreadPoolExecutor(2) as threads:
            other = model.study(1, **options, block=block).run(threads if block > 1 else None)
        np.testing.assert_array_equal(other.table, whole.table)
        assert other.messages == whole.messages


def test_a_run_that_fails_is_a_row_with_its_sentence():
    model = pendulum()
    result = model.study(0.5, over={"m2": [1, -1, 0.5]}, keep={"end": Last("q1")}).run()
    assert np.isnan(result["end"]).tolist() == [False, True, False] and result.failed.tolist() == [1]
    assert result.messages == {1: "the mass of body 'lower' is m2 = -1: expected a number >= 0 (kg)."}
    assert "1 failed" in repr(result)
    pytest.importorskip("pandas")
    assert result.to_pandas()["message"].tolist() == ["", result.messages[1], ""]


@pytest.mark.parametrize("method", [None, "newmark"])
def test_a_study_is_of_the_model_as_it_was(method):
    model = pendulum()
    model.study(0.5, over={"q1": [0.1, 0.2]})  # a copy of the model is known
    study = model.study(0.5, over={"q1": [0.1, 0.2]}, method=method)
    before = study.run().table
    model.set_parameters(l1=2.0)
    model.coordinates("more")
    np.testing.assert_array_equal(study.run().table, before)


def implicit():
    """An equation that is no linear one of the acceleration."""
    model = Model("implicit")
    (x,) = model.coordinates("x", initial=1)
    model.equation(x.ddot**3 + x.ddot + x)
    return model


def begun():
    """Two blocks of which one begins at twice the place of the other."""
    model = Model("begun")
    x, y = model.coordinates("x y", initial=1)
    for q in (x, y):
        model.body(f"block {q}", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.start(y - 2 * x, free=[y])
    return model


@needs_machine_code
@pytest.mark.parametrize(
    ("make", "why"),
    [
        (begun, "one by one: an element asks something of the start"),
        (implicit, "in turn"),  # its accelerations are no formula
    ],
)
def test_contacts_and_equations_are_studied_one_by_one(make, why):
    """Whatever a model has, a study is a loop over its runs."""
    model = make()
    name = next(iter(model.initial_values))
    values = [model.initial_values[name] + 0.1 * k for k in range(2)]
    study = model.study(0.2, over={name: values})
    assert study.how == why
    found, method = study.run(), "dop853" if why == "in turn" else "auto"
    for k, value in enumerate(values):
        run = model.simulate(0.2, initial={name: value}, save_at=[0.2], method=method)
        for kept in study.kept:
            assert found[kept.name][k] == run[kept.what][-1]


def test_ctrl_c_keeps_what_is_there(monkeypatch, tmp_path):
    study = pendulum().study(0.1, over={"q1": np.linspace(0, 1, 20)}, block=5)
    make, made = type(study).make, []

    def interrupted(self, k):
        made.append(k)
        if len(made) == 3:
            raise KeyboardInterrupt
        return make(self, k)

    monkeypatch.setattr(type(study), "make", interrupted)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    with pytest.raises(InterruptedRunError, match=r"^the study was interrupted after [23] of 4 blocks; ") as caught:
        study.run(folder=tmp_path / "runs")
    monkeypatch.undo()
    result = caught.value.result
    assert np.isnan(result.table).any(axis=1).sum() == len(result.messages) in (5, 10)
    whole = study.resume(tmp_path / "runs")
    np.testing.assert_array_equal(whole.table, study.run().table)


def test_integrals_are_those_of_closed_forms():
    """Of a swing, side by side and one by one, to the end and to where an event stops the run; instants in between."""
    model = Model("oscillator")
    (x,) = model.coordinates("x", initial=1)
    (w,) = model.parameters(w=2.0)
    model.equation(x.ddot + w**2 * x)
    w = np.array([1.0, 2.0, 3.7])
    keep = {"way": Integral(x), "square": Integral(x**2), "then": At("x", 0.123456)}
    for method, tolerance, near in (("dop853", 1e-9, 1e-8), ("newmark", 1e-6, 3e-5)):
        found = model.study(3, over={"w": w}, keep=keep, method=method, tolerance=tolerance).run()
        np.testing.assert_allclose(found["way"], np.sin(3 * w) / w, atol=near)
        np.testing.assert_allclose(found["square"], 1.5 + np.sin(6 * w) / (4 * w), atol=near)
    model.event(x, action="stop")
    found = model.study(3, over={"w": w}, keep=keep | {"when": Last("t")}, tolerance=1e-9).run()
    np.testing.assert_allclose(found["way"], 1 / w, atol=1e-8)
    np.testing.assert_allclose(found["when"], np.minimum(np.pi / 2 / w, 3), atol=1e-8)
    assert found.study.kept[0].unit(model) == ""


def test_progress_is_told():
    told = []
    pendulum().study(0.1, over={"q1": np.linspace(0, 1, 20)}, block=5).run(progress=told.append)
    assert told == [0.25, 0.5, 0.75, 1.0]


def test_tables_and_plots():
    xarray, pandas = pytest.importorskip("xarray"), pytest.importorskip("pandas")
    over = {"q1": [0.0, 0.5], "q2": [0.1, 0.2, 0.3]}
    result = pendulum().study(0.5, over=over, keep={"y": "height", "top": Max("q1.dot")}, save_at=[0.1, 0.5]).run()
    data, table = result.to_xarray(), result.to_pandas()
    assert isinstance(data, xarray.Dataset) and isinstance(table, pandas.DataFrame)
    assert data["y"].dims == ("q1", "q2", "time") and data["top"].attrs == {"units": "rad/s"}
    for k in range(6):
        one = data.sel(q1=table["q1"][k], q2=table["q2"][k])
        assert one["top"] == table["top"][k] and one["y"].sel(time=0.5) == table["y at 0.5 s"][k]
    ax = result.plot("q1", "q2", "top")
    assert (ax.get_xlabel(), ax.get_ylabel(), len(ax.collections)) == ("q1 [rad]", "q2 [rad]", 1)
    assert type(ax.collections[0]).__name__ == "QuadMesh", "a field over two grids, not single points"
    assert len(result.plot("q1", "top").lines) == 1


def test_measures_of_what_jumps():
    """A pulse of 1 m/s2 from k until 0.777 s: largest, smallest and integral by hand, however it is written."""
    model = Model("pulse")
    (x,) = model.coordinates("x")
    (k,) = model.parameters(k=0.5)
    t = easydyn.t
    u = sp.Piecewise((0, t < k), (1, t < 0.777), (0, True))
    model.equation(x.ddot - u)
    keep = {
        "a": Max("x.ddot"), "b": Max(u), "c": Min(-u), "d": Integral(u), "e": Integral("x.ddot"), "f": Max(t * u),
        "g": Integral(sp.Heaviside(0.123 - t)), "h": Max(sp.Piecewise((1, (t > 0.50001) & (t < 0.50002)), (0, True))),
        "i": Min(abs(x - 0.01)),
    }  # fmt: skip
    ks = [0.1, 0.3331, 0.5]
    found = model.study(1, over={"k": ks}, keep=keep).run()
    for name, wanted in {"a": 1, "b": 1, "c": -1, "f": 0.777, "g": 0.123, "h": 1}.items():
        assert abs(found[name] - wanted).max() < 1e-9
    for name in "de":
        assert abs(found[name] - (0.777 - np.array(ks))).max() < 1e-12
    assert found["i"].max() < 1e-9 and found["i"].min() >= 0


@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_measures_of_a_bouncing_ball(method):
    """The largest speeds are those just before and just after the first impact."""
    model = Model("ball", gravity=(0, -10, 0))
    (y,) = model.coordinates("y", initial=5)
    (e,) = model.parameters(e=0.5)
    model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=e, name="floor"))
    keep = {"up": Max("y.dot"), "down": Min("y.dot"), "path": Integral(abs(y.dot)), "energy": Max("kinetic energy")}
    keep["action"] = Integral("kinetic energy")
    found = model.study(1.9, over={"e": [0.5, 0.8]}, keep=keep, method=method).run()
    up = np.array([5.0, 8.0])
    time = np.array([0.9, 0.9])  # after the impact at 1 s
    path = 5 + np.where(time < up / 10, up * time - 5 * time**2, up**2 / 10 - (up * time - 5 * time**2))
    action = (1000 + up**3 - (up - 9) ** 3) / 30
    wanted = {"up": up, "down": [-10, -10], "path": path, "energy": [100, 100], "action": action}
    for name, values in wanted.items():
        assert abs(found[name] - values).max() < 1e-8


def test_rounding_between_an_event_and_an_instant_bends_nothing():
    """Of -(t - c)^2, with a row twice at two units of rounding beside an instant: its top, and its integral."""
    for c in 0.3 + np.arange(-40, 41) / 1000:
        t = np.sort([*np.linspace(0, 1, 11), *2 * [0.3 - 2 * np.spacing(0.3)]])[None]
        assert -0.0026 < extreme(t, -((t - c) ** 2), 1.0)[0] < 1e-15
        assert abs(integral(t, -((t - c) ** 2))[0] + ((1 - c) ** 3 + c**3) / 3) < 1e-14


@needs_machine_code
def test_no_parabola_goes_through_a_kink_side_by_side():
    model = Model("swing")
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=1.0)
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -k * x))
    over = {"k": np.linspace(1, 9, 60)}
    study = model.study(2, over=over, keep={"least": Min(abs(x)), "most": Max(abs(x.dot))})
    found = study.run()
    assert study.how == "side by side" and found["least"].min() >= 0 and found["least"].max() < 0.02
    w = np.sqrt(over["k"])
    most = np.where(2 * w > np.pi / 2, w, w * np.sin(2 * w))
    assert abs(found["most"] - most).max() < 1e-6
    signs = model.study(2, over={"k": [1.0, 2.0]}, keep={"sign": Integral(sp.sign(x))}, tolerance=1e-11)
    assert signs.how == "one by one: what is kept as 'sign' jumps"
    assert abs(signs.run()["sign"] - (np.pi / np.sqrt([1.0, 2.0]) - 2)).max() < 1e-6


@pytest.mark.skipif(not available(), reason="runs are made one by one")
@pytest.mark.parametrize("damping", [0, 0.3])
def test_side_by_side_the_energy_is_watched_too(damping):
    class Wrong(Spring):
        def potential(self, assembly):
            return 1.02 * super().potential(assembly)

        @property
        def conservative(self):
            return True

    for kind in (Spring, Wrong):
        model = Model("spring")
        (x,), (k,) = model.coordinates("x", initial=0.3), model.parameters(k=9)
        block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(kind(block, (model.ground, (-1, 0, 0)), stiffness=k, free_length=1))
        if damping:
            model.add(GeneralizedForce(x, -damping * x.dot))
        study = model.study(2.0, over={"k": np.linspace(5, 20, 20)}, keep={"x": Last("x")})
        result = study.run(progress=False)
        assert study.how == "side by side" and len(result.doubtful) == 20 * (kind is Wrong)
        assert all("the energy balance is wrong" in text for text in result.messages.values())
        rate = np.sqrt(np.linspace(5, 20, 20) - damping**2 / 4)
        decay = damping / 2
        expected = 0.3 * np.exp(-2 * decay) * (np.cos(2 * rate) + decay / rate * np.sin(2 * rate))
        np.testing.assert_allclose(result["x"], expected, rtol=0, atol=2e-6)
