"""A Grashof crank-rocker under gravity: a closed loop in one coordinate, coupler and rocker in closed form.

Reference: two independent methods (with loop constraints) agree to 1e-10.
"""

import numpy as np
import pytest
from sympy import acos, atan2, cos, pi, sin, sqrt

from easydyn import Model, tdisp, trotz


@pytest.fixture(scope="module")
def ref(reference):
    return reference("general_four_bar.json")


@pytest.fixture(scope="module")
def mechanism(ref):
    """(model, coupler angle, rocker angle): the triangle over the diagonal from the rocker's pivot to the crank pin."""
    a, b, c, d = (ref["params"][k] for k in "abcd")
    model = Model("four-bar", gravity=(0, -ref["params"]["g"], 0))
    (crank,) = model.coordinates("crank", initial=ref["y0"][0], rates=ref["y0"][3])
    x, y = a * cos(crank), a * sin(crank)  # pin A between crank and coupler
    diagonal = sqrt((d - x) ** 2 + y**2)
    direction = pi + atan2(-y, d - x)  # of A seen from the rocker's pivot; d > a keeps it away from the cut of atan2
    rocker = direction - acos((c**2 + diagonal**2 - b**2) / (2 * c * diagonal))
    coupler = atan2(c * sin(rocker) - y, d + c * cos(rocker) - x)
    frames = {
        "crank": (trotz(crank), a),
        "coupler": (tdisp(x, y, 0) * trotz(coupler), b),
        "rocker": (tdisp(d, 0, 0) * trotz(rocker), c),
    }
    for (name, (T, length)), mass in zip(frames.items(), ref["params"]["masses"], strict=True):
        model.body(name, T * tdisp(length / 2, 0, 0), mass=mass, inertia=(0, 0, mass * length**2 / 12))
    return model, coupler, rocker


def along(run, angles):
    """Angles and rates (N, 6) of crank, coupler, rocker."""
    bodies = ("coupler", "rocker")
    angle = [run["crank"], *(run.of(x) for x in angles)]
    rate = [run["crank.dot"], *(run.of(run.source.mechanism.bodies[i].omega)[:, 2] for i in (1, 2))]
    assert [b.name for b in run.source.mechanism.bodies][1:] == list(bodies)
    return np.column_stack(angle + rate)


@pytest.mark.long
def test_start(mechanism, ref):
    """The loop is closed as the reference closes it, and the accelerations agree to 1e-10."""
    model, *angles = mechanism
    run = model.simulate(0.01)
    np.testing.assert_allclose(along(run, angles)[0], ref["y0"], rtol=0, atol=1e-12)
    system = model.compile()
    np.testing.assert_allclose(system.accelerations(0, ref["y0"][:1], ref["y0"][3:4]), ref["acc0"][0], rtol=1e-10)
    _, coupler, rocker = model.bodies
    alpha = [run.of(body.alpha)[0, 2] for body in (coupler, rocker)]
    np.testing.assert_allclose(alpha, ref["acc0"][1:], rtol=1e-10)


def test_the_loop_stays_closed(mechanism, ref):
    """The coupler's far end is the rocker's: by the formula, not by the integration."""
    model, *_ = mechanism
    run = model.simulate(1)
    tip = [run.frames(name) @ [ref["params"][k] / 2, 0, 0, 1] for name, k in (("coupler", "b"), ("rocker", "c"))]
    np.testing.assert_allclose(tip[0], tip[1], rtol=0, atol=1e-14)


def test_state_after_1_s(mechanism, ref):
    """Within 1e-6 (rad) and 2e-6 (rad/s, of up to 19) at a tolerance of 5e-8."""
    model, *angles = mechanism
    end = along(model.simulate(1, tolerance=5e-8, save_every=0.01), angles)[-1]
    np.testing.assert_allclose(end[:3], ref["y_t1"][:3], rtol=0, atol=1e-6)
    np.testing.assert_allclose(end[3:], ref["y_t1"][3:], rtol=0, atol=2e-6)


def test_state_after_5_s(mechanism, ref):
    """Eight turns, default tolerance: within 3e-5 rad, reached 2.2e-5; energy drift below 1e-5 of the kinetic range."""
    model, *angles = mechanism
    run = model.simulate(5, save_every=0.01)
    end = along(run, angles)[-1]
    np.testing.assert_allclose(end[:3], ref["y_t5"][:3], rtol=0, atol=3e-5)
    np.testing.assert_allclose(end[3:], ref["y_t5"][3:], rtol=0, atol=5e-5)
    assert np.ptp(run.energy.total) < 1e-5 * np.ptp(run.energy.kinetic)


def test_cycle(mechanism, ref):
    """After the time of one turn the crank is one turn on, with the speed it had: nothing takes energy away."""
    model, *_ = mechanism
    run = model.simulate(ref["cycle_time"])
    assert run.q[-1, 0] - run.q[0, 0] == pytest.approx(2 * np.pi, abs=1e-5)
    assert run.qd[-1, 0] == pytest.approx(run.qd[0, 0], abs=1e-5)
