"""A family of methods from outside (nystrom.py) does what those of the house do: native and interpreted."""

import pickle

import numpy as np
import pytest
from nystrom import HALVED, NYSTROM, halved, nystrom
from sympy import Heaviside
from targets import needs_llvmlite

from easydyn import Damper, GeneralizedForce, Model, Spring, ground, integrate, t, tdisp, trotz
from easydyn.errors import InputError
from easydyn.sim import Method, lobatto

TARGETS = ["python", pytest.param("native", marks=needs_llvmlite)]


@pytest.fixture(params=TARGETS)
def target(request):
    return request.param


def pendulum():
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0.4, 0.1))
    push = model.input("push", unit="N m")
    model.body("upper", trotz(q1) * tdisp(0, -0.5, 0), mass=1.1, inertia=(0.1, 0.1, 0.1))
    model.body("lower", trotz(q1) * tdisp(0, -1, 0) * trotz(q2) * tdisp(0, -0.3, 0), mass=0.7, inertia=(0.1, 0.1, 0.1))
    return model, q1, q2, push


def test_order_and_step_control():
    """q'' = -q: errors of fixed steps fall as h^4; those of controlled ones follow the tolerance."""

    def oscillator(t, q, qd, qdd):
        return qdd + q

    errors = [
        abs(integrate(oscillator, q=[1.0], qd=[0.0], t_final=4, step=h, method=nystrom()).q[-1, 0] - np.cos(4))
        for h in (0.1, 0.05, 0.025)
    ]
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(16, rel=0.1)
    for tolerance in (1e-5, 1e-8):
        run = integrate(oscillator, q=[1.0], qd=[0.0], t_final=4, tolerance=tolerance, method=nystrom())
        assert abs(run.q[:, 0] - np.cos(run.t)).max() < 4 * tolerance
    assert run.t.size == 501 and nystrom().order == 4
    assert repr(nystrom()).endswith("family=Family('Nystroem'))")


@pytest.fixture(params=[nystrom, halved])
def method(request):
    """A family whose steps are controlled, and one that finds their length itself."""
    return request.param()


def test_saved_instants_work_inputs_and_energy(target, method):
    """Between steps, with an input from a table, beside another method; the work balances."""
    runs = []
    for one in (method, "dop853"):
        model, q1, q2, push = pendulum()
        upper, lower = model.bodies
        model.add(Spring(upper, lower, stiffness=3, free_length=0.2), Damper(upper, lower, damping=0.1))
        model.add(GeneralizedForce(q1, push))
        runs.append(
            model.simulate(
                2, method=one, tolerance=1e-9, target=target, save_every=0.013,
                inputs={"push": ([0, 1, 2], [0, 2, -1])},
            )
        )  # fmt: skip
    ours, theirs = runs
    assert ours.status == theirs.status == "finished"
    for a, b in ((ours.q, theirs.q), (ours.qd, theirs.qd), (ours.integrals, theirs.integrals)):
        np.testing.assert_allclose(a, b, atol=3e-7)
    energy = ours.energy
    assert np.ptp(energy.total - energy.work) < 1e-6


@pytest.mark.one_in(2)
def test_events_jumps_and_locks(target, method):
    """It lands on an event, takes what an action changes, restarts at a jump in time, and keeps a lock."""
    found = []
    for one in (method, "newmark_extrapolated"):
        model, q1, q2, push = pendulum()
        model.add(GeneralizedForce(q2, 0.3 * Heaviside(t - 0.7)))

        def turn(instant):
            instant["q1.dot"] = -0.5 * instant["q1.dot"]

        model.event(q1, action=turn, direction=-1, name="wall")
        run = model.simulate(
            2, method=one, tolerance=1e-9, target=target, locked={"q2": [(0.3, 0.5)]}, save_every=0.01
        )
        held = (run.t > 0.301) & (run.t < 0.499)
        assert np.ptp(run["q2"][held]) < 1e-9 and np.ptp(run["q2"]) > 0.1
        found.append((run.q[-1], [e.t for e in run.events if e.name == "wall"]))
    (q, times), (other_q, other_times) = found
    assert times == pytest.approx(other_times, abs=1e-6) and len(times) > 1
    np.testing.assert_allclose(q, other_q, atol=1e-5)


@pytest.mark.one_in(2)
def test_states_and_equations(target, method):
    """A first-order state beside a coordinate: x' = q - x."""
    model = Model("filter")
    (q,) = model.coordinates("q", initial=1)
    (x,) = model.states("x")
    body = model.body("cart", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (0, -0.1, 0)), stiffness=4, free_length=0.05))
    model.equation(x.dot - q + x)
    ours, theirs = (model.simulate(3, method=m, tolerance=1e-9, target=target) for m in (method, lobatto()))
    np.testing.assert_allclose(ours["x"], theirs["x"], atol=1e-7)


@pytest.mark.one_in(2)
def test_stepper_and_pickle(target, method):
    model, *_ = pendulum()
    stepper = model.stepper(method=pickle.loads(pickle.dumps(method)), tolerance=1e-8, target=target)
    stepper.advance(1.0)
    run = model.simulate(1.0, method="lobatto", tolerance=1e-10, target=target)
    np.testing.assert_allclose(stepper.q, run.q[-1], atol=1e-6)
    assert stepper.method.family == (NYSTROM if method.name == "nystrom" else HALVED)
    assert stepper.step(0.05) < 1e-3 and stepper.t == pytest.approx(1.05, abs=1e-15)


def test_what_is_no_family_is_refused():
    with pytest.raises(InputError, match=r"the family of a Method is 3: expected a Family, such as newmark\(\).family"):
        Method("mine", family=3)
