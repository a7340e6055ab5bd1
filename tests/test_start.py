"""Initial conditions as equations, `model.start`. References: closed forms of rest, of reach, of circles."""

import numpy as np
import pytest

from easydyn import GeneralizedForce, Model, PointGravity, Spring, TorsionSpring, ground, tdisp, trotz
from easydyn.run import setup


def arm(gravity=(0, -9.81, 0)):
    """Two links of 0.6 m and 0.5 m in a vertical plane, with drives u1 and u2, which are parameters."""
    model = Model("arm", gravity=gravity)
    a, b = model.coordinates("a b", initial=(0.3, 0.8))
    u, v = model.parameters(u=0, v=0)
    model.body("upper", trotz(a) * tdisp(0.6, 0, 0), mass=2, inertia=(0, 0, 0.05))
    model.body("lower", trotz(a) * tdisp(0.6, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.02))
    model.add(GeneralizedForce(a, u), GeneralizedForce(b, v))
    return model, a, b, u, v


def test_the_tip_is_at_a_place():
    """By the law of cosines; the elbow stays on the side on which it was."""
    model, a, b, *_ = arm()
    tip = model["lower"].T.e
    model.start(tip.x - 0.7, tip.y - 0.2, free=[a, b])
    run = model.simulate(0.01, target="python")
    elbow = np.arccos((0.53 - 0.61) / 0.6)
    assert abs(run["b"][0] - elbow) < 1e-10
    shoulder = np.arctan2(0.2, 0.7) - np.arctan2(0.5 * np.sin(elbow), 0.6 + 0.5 * np.cos(elbow))
    assert abs(run["a"][0] - shoulder) < 1e-10
    assert "began with a = " in run.message and "by model.start" in run.message


def test_at_rest_by_unknown_parameters():
    """The torques that hold an arm: M qdd + h = 0 with qdd = 0; and a steady start, for as long as that is unstable."""
    model, a, b, u, v = arm()
    model.start(a.ddot, b.ddot, free=["u", v])
    run = model.simulate(0.5, method="dop853", tolerance=1e-11, target="python")
    low = 9.81 * 0.5 * np.cos(1.1)
    np.testing.assert_allclose(run.parameters["v"], low, rtol=1e-9)
    np.testing.assert_allclose(run.parameters["u"], 9.81 * 3 * 0.6 * np.cos(0.3) + low, rtol=1e-9)
    np.testing.assert_allclose(run["a"], 0.3, atol=1e-8)
    assert model.given_values["u"] == 0  # the model is what it was


def test_all_initial_values_change_least():
    """On the circle r = 1: the nearest point of it; rates of a circular orbit."""
    model = Model("orbit", gravity=PointGravity(1))
    x, y = model.coordinates("x y", initial=(0.9, 1.2), rates=(-0.8, 0.5))
    model.body("stone", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.start(x**2 + y**2 - 1)
    run = model.simulate(0.01, target="python")
    np.testing.assert_allclose(run.q[0], [0.6, 0.8], atol=1e-10)
    np.testing.assert_allclose(run.qd[0], [-0.8, 0.5], atol=1e-12)
    model.start(x * x.dot + y * y.dot, x.dot**2 + y.dot**2 - 1, free=[x.dot, y.dot])
    run = model.simulate(2 * np.pi, method="dop853", tolerance=1e-11, target="python")
    np.testing.assert_allclose(run["x"] ** 2 + run["y"] ** 2, 1, atol=1e-8)
    # what a run names is kept
    run = model.simulate(0.01, initial={"x": 0.28}, target="python")
    np.testing.assert_allclose(run.q[0], [0.28, 0.96], atol=1e-10)


@pytest.mark.parametrize("way", ["reduced", "multipliers"])
def test_in_a_loop(way):
    """A four-bar linkage whose rocker is to be upright, of whatever crank angle that takes."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5))
    coupler = model.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=2,
                         inertia=(0, 0, 0.1))  # fmt: skip
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=1.5, inertia=(0, 0, 0.05))
    model.close((coupler, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute")
    model.start(c - np.pi / 2, c.dot - 0.5, free=[a, a.dot])
    run = model.simulate(0.02, constraints=way, target="python")
    assert abs(run["c"][0] - np.pi / 2) < 1e-9 and abs(run["c.dot"][0] - 0.5) < 1e-8
    pin = np.array([0.9, 0.6]) - 0.3 * np.array([np.cos(run["a"][0]), np.sin(run["a"][0])])
    assert abs(np.hypot(*pin) - 0.8) < 1e-9


def test_with_a_lock_inputs_and_a_stepper():
    """One coordinate is held: the force on the other is zero where its spring says so."""
    model = Model("two slides")
    x, y = model.coordinates("x y", initial=(1, 3))
    one, other = (model.body(str(q), tdisp(q, k, 0), mass=1, inertia=(0, 0, 0)) for k, q in enumerate((x, y)))
    model.add(Spring(one, ground, stiffness=4, free_length=0), GeneralizedForce(y, model.input("u") - 5 * (y - x)))
    model.start(y.ddot, free=[y])
    run = model.simulate(0.1, locked=["x"], inputs={"u": 2.0}, target="python")
    assert abs(run["y"][0] - 1.4) < 1e-10 and np.ptp(run["y"]) < 1e-9
    assert abs(model.stepper(inputs={"u": 2.0})["y"] - 1.4) < 1e-10
    assert other.mass == 1


def test_points_without_mass_and_states():
    """A pressure that holds a piston on a node between springs."""
    model = Model("piston")
    x, s = model.coordinate("x", initial=2), model.unknown("s", initial=1)
    p = model.state("p", initial=1, unit="Pa")
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    knot = model.node("knot", position=(s, 0, 0))
    model.add(Spring(ground, knot, stiffness=30, free_length=0.5), Spring(knot, block, stiffness=60, free_length=0.5))
    model.add(GeneralizedForce(x, 0.01 * p))
    model.equation(p.dot + p - 2000)
    model.start(x.ddot, free=["p"])
    run = model.simulate(0.01, target="python")
    assert abs(run["p"][0] - 100 * 20 * (2 - 1)) < 1e-6  # 1/(1/30 + 1/60)


def test_an_unknown_stiffness():
    model = Model("crane", gravity=(0, -9.81, 0))
    q = model.coordinate("q", initial=0.2)
    k = model.parameter("k", 50)
    boom = model.body("boom", trotz(q) * tdisp(1, 0, 0), mass=2, inertia=(0, 0, 0.1))
    model.add(TorsionSpring(q, stiffness=k, free_angle=0.6))
    model.start(boom.T.e.y - 0.3, q.ddot, free=[q, k])
    found = model.simulate(0.01, target="python", parameters={"k": 30}).parameters["k"]
    assert abs(found - 2 * 9.81 * np.sqrt(1 - 0.09) / (0.6 - np.arcsin(0.3))) < 1e-7


def test_derivatives_of_a_run_and_exports_begin_there(tmp_path):
    """At rest q follows k, as its balance says: (0.6 - q)/(k - m g sin q)."""
    model = Model("crane", gravity=(0, -9.81, 0))
    q = model.coordinate("q", initial=0.2)
    k = model.parameter("k", 50)
    model.body("boom", trotz(q) * tdisp(1, 0, 0), mass=2, inertia=(0, 0, 0.1))
    model.add(TorsionSpring(q, stiffness=k, free_angle=0.6))
    model.start(q.ddot, free=[q])
    found = model.sensitivity(0.05, "k", target="python", save_every=0.05)
    rest = found.run["q"][0]
    assert abs(found["q", "k"][-1] - (0.6 - rest) / (50 - 2 * 9.81 * np.sin(rest))) < 1e-6
    text = model.export("c", tmp_path / "crane.c", t_final=1).read_text(encoding="utf-8")
    assert f"{rest:.9f}"[:9] in text


def test_a_start_is_found_once_for_the_same_values(monkeypatch):
    """A second run looks it up; with other values, those of a copy of the model too, it is found anew."""
    calls, find = [], setup.started
    monkeypatch.setattr(setup, "started", lambda *given: calls.append(1) or find(*given))
    model, a, b, u, v = arm()
    model.start(a.ddot, b.ddot, free=[u, v])
    first = model.simulate(0.01, initial={"a": 0.4}, target="python")
    again = model.simulate(0.01, initial={"a": 0.4}, target="python")
    assert len(calls) == 1 and np.array_equal(first.q, again.q) and first.parameters == again.parameters
    other = model.simulate(0.01, initial={"a": 0.5}, target="python")
    assert len(calls) == 2 and other.parameters["u"] != first.parameters["u"]
    model.simulate(0.01, initial={"a": 0.4}, parameters={"u": 3}, target="python")
    model.simulate(0.51, initial={"a": 0.4}, t_start=0.5, target="python")
    assert len(calls) == 4
    model.body("load", model["lower"].T, mass=1, inertia=(0, 0, 0))
    heavier = model.simulate(0.01, initial={"a": 0.4}, target="python")
    assert heavier.parameters["u"] > first.parameters["u"] + 5
