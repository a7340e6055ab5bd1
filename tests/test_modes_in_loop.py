"""Modes of friction, told once each: those of the loop (sim/rub.py) beside those of Python, and what shares loads."""

import numpy as np
import pytest
import sympy as sp

from easydyn import Brake, Clutch, GeneralizedForce, JointFriction, Model, OneWay, RigidContact, t, tdisp, trotz
from easydyn.run.modes import FrictionModes
from easydyn.run.slip_events import Change


def links(gravity=9.81, most=(1.0, 0.5, 0.3), ahead=None):
    """Links whose base is shaken, with friction in their joints; it is told when the second is straight, or is soon."""
    model, T = Model("links", gravity=(0, -gravity, 0)), tdisp(0.1 * sp.sin(7 * t), 0, 0)
    for k, q in enumerate(model.coordinates("q0 q1 q2", initial=[1.0, 0.1, 0.1])):
        T = T * trotz(q) * tdisp(0, -0.25, 0)
        model.body(f"link {k}", T, mass=1, inertia=(0, 0, 0.03))
        model.add(JointFriction(q, most[k], name=f"f{k}"))
        T = T * tdisp(0, -0.25, 0)
        if ahead is not None and k == 1:
            model.event(q + ahead * q.dot, name="straight")
    return model


@pytest.fixture(scope="module")
def model():
    return links()


def by_python(model, monkeypatch, *given, **options):
    """A run in which each end of a mode is looked at in Python, and how many there were."""
    settle, fired = FrictionModes.settle, []

    def watched(self, stepper, slip=None, anew=False):
        fired.append(slip is not None)
        return settle(self, stepper, slip, anew)

    with monkeypatch.context() as patch:
        patch.setattr(FrictionModes, "settle", watched)
        return model.simulate(*given, **options), sum(fired)


def told(run):
    return [(h.t, h.name, h.what, h.before, h.after) for h in run.events]


@pytest.mark.parametrize("method", ["dop853", "newmark"])
@pytest.mark.parametrize("options", [{}, {"save_every": 0.05}, {"save_at": [0, 0.7, 1.5]}])
def test_the_loop_finds_what_python_finds(model, monkeypatch, method, options):
    run, (other, looked) = (
        model.simulate(1.5, method=method, **options), by_python(model, monkeypatch, 1.5, method=method, **options),
    )  # fmt: skip
    assert looked > 5 and len(run.events) >= looked and told(run) == told(other)
    assert run.status == other.status == "finished" and run.stats.steps == other.stats.steps
    for x in ("t", "q", "qd", "qdd", "held"):
        assert np.array_equal(getattr(run, x), getattr(other, x)), x
    assert np.array_equal(run["total energy"], other["total energy"])


def test_the_loop_alone_deals_with_them_and_python_does_beside_an_event_that_is_told(model, monkeypatch):
    asked, call = [], Change.__call__
    monkeypatch.setattr(Change, "__call__", lambda self, instant: asked.append(instant.t) or call(self, instant))
    run = model.simulate(1.5, method="dop853", tolerance=1e-9)
    assert len(run.events) > 5 and not asked
    of_place = links(ahead=0).simulate(1.5, method="dop853", tolerance=1e-9)
    assert len(of_place.events) > len(run.events) and not asked  # it does not leap with what they change
    beside = links(ahead=0.01).simulate(1.5, method="dop853", tolerance=1e-9)
    changes = [x for x in told(beside) if x[1] != "straight"]
    assert len(asked) > 5 and [x[1:] for x in told(run)] == [x[1:] for x in changes]
    assert all(abs(x[0] - y[0]) < 1e-7 for x, y in zip(told(run), changes))
    changes = [x for x in told(of_place) if x[1] != "straight"]
    assert [x[1:] for x in told(run)] == [x[1:] for x in changes]
    assert all(abs(x[0] - y[0]) < 1e-7 for x, y in zip(told(run), changes))


def test_where_gravity_is_another_python_looks(monkeypatch):
    """There slips are at rest below another velocity; the same kernel finds the modes."""
    model, asked, call = links(1.62, (0.2, 0.1, 0.05)), [], FrictionModes._quickly
    monkeypatch.setattr(FrictionModes, "_quickly", lambda *given: asked.append(call(*given)) or asked[-1])
    run = model.simulate(2)
    assert asked.count(True) > 3 and run.status == "finished"
    monkeypatch.setattr(FrictionModes, "_quickly", lambda *given: False)
    other = model.simulate(2)
    assert [x[1:] for x in told(run)] == [x[1:] for x in told(other)]
    assert np.abs(run.q[-1] - other.q[-1]).max() < 1e-9


def test_a_box_on_a_shaken_floor_turns_back_once_at_a_time():
    """What the method leaves of the rates of its closed gaps once let it turn back, forth, and back at one instant."""
    model = Model("box", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=[0, 0.5, 0])
    model.body("box", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1 / 6))
    for k, (u, v) in enumerate([(-1, -1), (1, -1), (1, 1), (-1, 1)]):
        up = (u * sp.sin(a) + v * sp.cos(a)) / 2
        slip = x.dot - up * a.dot - 1.8 * sp.cos(9 * t)
        model.add(RigidContact(y + up, restitution=0, friction=0.4, slip=slip, name=f"c{k}"))
    run = model.simulate(3, method="dop853")
    changes = [(h.t, h.name) for h in run.events if "slides" in h.what]
    assert len(changes) == len(set(changes)) == 18
    assert abs(run["x"][-1] - model.simulate(3, method="dop853", tolerance=1e-9)["x"][-1]) < 1e-7


@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_what_breaks_away_may_take_along_what_would_have_slid(method):
    """A clutch slides on a brake that holds 6.5 N, and 1 N in sliding: where it stops, the brake cannot hold.

    Beside a brake of 6.5 N the clutch would slide on, backward; beside one of 1 N both go together, with 3.5 m/s2.
    """
    model = Model("two masses")
    p, q = model.coordinates("p q", rates=[1, 0])
    for x, force in ((p, -3), (q, -5)):
        model.body(f"mass {x}", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(GeneralizedForce(x, force))
    model.add(Clutch(p, q, level=2, name="clutch"), Brake(q, level=1, static_level=6.5, name="brake"))
    run = model.simulate(1, method=method)
    assert {(x.name, x.what) for x in run.events} == {("clutch", "sticks"), ("brake", "slides backward")}
    assert [x.t for x in run.events] == pytest.approx([0.2, 0.2], abs=1e-12)  # p.ddot = -5 until then
    assert run.q[-1, :2] == pytest.approx([0.1 - 3.5 * 0.8**2 / 2, -3.5 * 0.8**2 / 2], abs=1e-12)


@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_one_way_that_shares_a_load_is_told_when_it_is_overcome(method):
    """Two brakes hold 2 N and 10 N, and push each other by what drives only one way: they let go at 12 N, at 9 s."""
    model = Model("two masses")
    p, q = model.coordinates("p q")
    for x in (p, q):
        model.body(f"mass {x}", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(OneWay(p, q, name="freewheel"), GeneralizedForce(p, 3 + t))
    model.add(Brake(p, level=2, name="first"), Brake(q, level=10, name="second"))
    run = model.simulate(10, method=method)
    assert [(x.name, x.what) for x in run.events] == [("first", "slides forward"), ("second", "slides forward")]
    assert [x.t for x in run.events] == pytest.approx([9, 9], abs=4e-6)
    assert run.q[-1, :2] == pytest.approx([1 / 12, 1 / 12], abs=4e-6)  # p.ddot = q.ddot = (t - 9)/2
