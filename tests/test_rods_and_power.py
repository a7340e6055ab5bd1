"""Rods with mass between two bodies, and the power that goes through joints and drives."""

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.optimize import brentq
from together import together

from easydyn import EndStop, GeneralizedForce, Model, RollingWheel, Rope, ground, t, tdisp, trotz
from easydyn.constraints import GearConstraint


def hanging(mass):
    """A bead on a rod that hangs at a fixed point, by two coordinates and a closure."""
    model = Model("bead", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.6, -0.8), rates=(0.8, 0.6))
    bead = model.body("bead", tdisp(x, y, 0), mass=0.5, inertia=(0, 0, 0))
    rod = model.close(ground, bead, joint="distance", length=1, mass=mass)
    return model, rod


def test_a_rod_with_mass_is_a_slender_rod():
    """One end fixed: a pendulum with its moment of inertia; both free: a body with a third coordinate."""
    model, _ = hanging(3)
    run = model.simulate(0.01, method="dop853", tolerance=1e-12, target="python")
    moment, weight = 0.5 + 3 / 3, (0.5 + 1.5) * 9.81
    angle = -weight * 0.6 / moment  # of the acceleration at the start; 1 rad/s there
    assert run.qdd[0] == pytest.approx((angle * 0.8 - 0.6, angle * 0.6 + 0.8), abs=1e-9)
    assert run.energy.kinetic[0] == pytest.approx(moment / 2) and np.ptp(run.energy.total) < 1e-10

    free = Model("two beads", gravity=(0, -9.81, 0))
    q = free.coordinates("a b c d e f", initial=(0, 0, 0, 0.6, 0, 0.8), rates=(1, 2, 0.3, 1.4, -1, 0))
    beads = [free.body(f"bead {k}", tdisp(*q[3 * k : 3 * k + 3]), mass=1 + k, inertia=(0, 0, 0)) for k in range(2)]
    free.close(*beads, joint="distance", length=1, mass=2)
    assert free.mechanism.bodies[-1].mass == pytest.approx(4 / 3)
    run = free.simulate(0.001, method="dop853", target="python")
    v, w = run.qd[0, :3], run.qd[0, 3:]
    assert run.energy.kinetic[0] == pytest.approx(v @ v / 2 + w @ w + (v @ v + v @ w + w @ w) * 2 / 6)


def test_power_through_a_joint_is_what_the_bodies_beyond_it_gain():
    model, rod = hanging(None)
    run = model.simulate(0.3, method="dop853", tolerance=1e-10, target="python", save_every=0.1)
    assert run.power(rod) == pytest.approx(0, abs=1e-9)  # across its motion

    bars = Model("two bars")
    a, x, y, b = bars.coordinates("a x y b", initial=(0.2, np.cos(0.2) + 0.5, np.sin(0.2), 0))
    first = bars.body("first", trotz(a), mass=0, inertia=(0, 0, 2))
    second = bars.body("second", tdisp(x, y, 0) * trotz(b), mass=3, inertia=(0, 0, 0.4))
    pin = bars.close((first, (1, 0, 0)), (second, (-0.5, 0, 0)), joint="revolute")
    bars.add(GeneralizedForce(a, 5))
    run = bars.simulate(0.3, method="dop853", tolerance=1e-10, target="python", save_every=0.1)
    gained = 3 * (run.qd[:, 1] * run.qdd[:, 1] + run.qd[:, 2] * run.qdd[:, 2]) + 0.4 * run.qd[:, 3] * run.qdd[:, 3]
    np.testing.assert_allclose(run.power(pin), gained, atol=1e-8)


def test_power_of_a_drive_is_that_of_its_multiplier():
    """A joint prescribed by an equation, on its place or on its rate, accelerates two wheels."""
    for by_rate in (False, True):
        model = Model("driven")
        a, b = model.coordinates("a b", rates=(0.1, 0))
        for q in (a, b):
            model.body(f"wheel {q}", trotz(q), mass=0, inertia=(0, 0, 2))
        model.add(GeneralizedForce(a, -3))
        drive = model.constraint(a.dot - 0.1 - t if by_rate else a - 0.1 * t - t**2 / 2, name="drive")
        run = model.simulate(0.5, method="dop853", tolerance=1e-11, target="python", save_every=0.1)
        np.testing.assert_allclose(run.multipliers(drive)[:, 0], 2 + 3, atol=1e-8)
        np.testing.assert_allclose(run.power(drive), 5 * (0.1 + run.t), atol=1e-8)


def test_power_of_every_constraint_that_one_can_hold():
    """A wheel on a belt that speeds up gains what rolling gives it; gears, a rope and a lock give nothing."""
    model = Model("works", gravity=(0, -9.81, 0))
    x, y, a, b, c, e = model.coordinates("x y a b c e", initial=(0, 0.3, 0, 0, 0, -1))
    wheel = model.body("wheel", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.1))
    belt = model.body("belt", tdisp(t**2, 0, 0), mass=0, inertia=(0, 0, 0))
    shafts = [model.body(f"shaft {q}", trotz(q), mass=0, inertia=(0, 0, 1)) for q in (b, c)]
    ball = model.body("ball", tdisp(0.3, e, 0), mass=1, inertia=(0, 0, 0))
    rolling = RollingWheel(wheel, belt, radius=0.3, axis=(0, 0, 1), normal="y", name="rolling")
    gear = GearConstraint(*shafts, ground, ratio=2, axes=("z", "z"), name="gear")
    rope = Rope(ground, ball, length=(1.09) ** 0.5, keep_taut=True, name="rope")
    model.add(rolling, gear, rope, GeneralizedForce(b, 3))
    run = model.simulate(0.3, method="dop853", tolerance=1e-11, target="python", save_every=0.1)
    gained = 2 * run["x.dot"] * run["x.ddot"] + 0.1 * run["a.dot"] * run["a.ddot"]
    np.testing.assert_allclose(run.power(rolling), gained, atol=1e-9)
    assert gained[-1] > 0.1 and abs(run.multipliers(gear)).min() > 0.1
    for still in (gear, rope, model.locking_force(c)):
        np.testing.assert_allclose(run.power(still), 0, atol=1e-9)
    held = model.simulate(0.1, locked=["b"], target="python", constraints="multipliers")
    assert abs(held.locking_force("b")).min() > 1 and not held.power(model.locking_force(b)).any()


test_mistake_is_explained = explained(__file__)


def prescribed(motion):
    """A mass whose place is a function of time, beside a free one on a spring: its own forces move nothing."""
    model = Model("prescribed", gravity=(0, 0, 0))
    q, x = model.coordinates("q x", initial=(0.3, 0))
    model.body("led", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("free", tdisp(0, x, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 10 - 30 * x))
    model.constraint(q - motion)
    return model, q


LONG = "dop853", "lobatto", "newmark_extrapolated"


@together("method", LONG)
def test_work_of_what_no_acceleration_feels(method):
    """Beside its integral, also at instants within the steps, which are those of the motion alone."""
    motion = 0.3 + 1.1 * t + t**2 / 5
    model, q = prescribed(motion)
    fast = 5 * sympy.sin(200 * t)
    force = GeneralizedForce(q, fast)
    model.add(force)
    run = model.simulate(0.8, method=method, tolerance=1e-7, save_every=0.01)
    so_far = sympy.lambdify(t, sympy.integrate((fast * motion.diff(t)).expand(), t))
    np.testing.assert_allclose(run.work(force), so_far(run.t) - so_far(0.0), rtol=0, atol=2e-7)
    assert run.stats.steps < 30


@together("method", LONG)
def test_work_of_a_force_that_jumps_and_moves_nothing(method):
    motion = 0.3 + 0.37 * t + t**3
    model, q = prescribed(motion)
    force = GeneralizedForce(q, -3 * sympy.sign(q - 0.7) * q.dot)
    model.add(force)
    run = model.simulate(0.8, method=method, tolerance=1e-7)
    so_far = sympy.lambdify(t, sympy.integrate((3 * motion.diff(t) ** 2).expand(), t))
    jump = brentq(lambda x: 0.37 * x + x**3 - 0.4, 0, 0.8, xtol=1e-15)
    assert float(run.work(force)[-1]) == pytest.approx(2 * so_far(jump) - so_far(0.8), rel=0, abs=1e-7)


STEPPED = ("dop853", 1e-9, 1e-7), ("lobatto", 1e-9, 1e-9), ("newmark", 1e-6, 1e-3), ("hht", 1e-7, 5e-5)


@together("method, tolerance, limit", STEPPED)
def test_energy_of_a_stop_on_a_prescribed_coordinate(method, tolerance, limit):
    """The run lands on the stop to rounding, on either side of it: the values of each step are those of one side."""
    motion = 0.3 + 0.37 * t + t**3
    model, q = prescribed(motion)
    stop = EndStop(q, upper=0.7, stiffness=400, damping=3)
    model.add(stop)
    run = model.simulate(0.8, method=method, tolerance=tolerance)
    so_far = sympy.lambdify(t, sympy.integrate((3 * motion.diff(t) ** 2).expand(), t))
    jump = brentq(lambda x: 0.37 * x + x**3 - 0.4, 0, 0.8, xtol=1e-15)
    lost = so_far(0.8) - so_far(jump)
    assert [event.name for event in run.events] == ["upper limit"]
    assert run.events[0].t == pytest.approx(jump, rel=0, abs=1e-12)
    assert float(run.work(stop)[-1]) == pytest.approx(-lost - 200 * (run["q"][-1] - 0.7) ** 2, rel=0, abs=limit)
    assert np.ptp(run.energy.balance) < limit
