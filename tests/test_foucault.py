"""Foucault's pendulum: the linear one in the Earth's rotating frame, and a spherical one on a turntable.

The first is two equations without bodies; the second a body whose frame contains the driven turn trotz(Omega t).
"""

import numpy as np
import pytest

from easydyn import Model, newmark, t, tdisp, trotx, troty, trotz


@pytest.fixture(scope="module")
def ref(reference):
    return reference("foucault.json")


def linear(case):
    """Swing of 3 m amplitude, x east and y north, released at rest in the rotating frame."""
    model = Model("Foucault")
    x, y = model.coordinates("x y", initial=case["z0"])
    turning, stiffness = case["Omega"] * np.sin(np.radians(case["lat_deg"])), case["g"] / case["L"]
    model.equation(x.ddot - 2 * turning * y.dot + stiffness * x)
    model.equation(y.ddot + 2 * turning * x.dot + stiffness * y)
    return model


def test_linear_pendulum_by_default(ref):
    """100 s, six swings of 3 m: within 3e-4 m, reached 2e-4; across the plane of the swing 2e-6 m."""
    run = linear(ref["a"]).simulate(100)
    x, y = ref["a"]["xy_t"]["100.0"]
    assert run["x"][-1] == pytest.approx(x, abs=3e-4)
    assert run["y"][-1] == pytest.approx(y, abs=3e-6)


@pytest.mark.parametrize("end, step, within", [(100, 0.02, 2e-7), (600, 0.05, 1e-5), (3600, 0.1, 5e-5)])
def test_linear_pendulum_by_fox_goodwin(end, step, within, ref):
    """beta = 1/12 has next to no phase error in a linear oscillator: an hour, two hundred swings; reached 2e-5 m."""
    run = linear(ref["a"]).simulate(end, step=step, method=newmark(1 / 12), tolerance=1e-12, save_every=100)
    np.testing.assert_allclose(run.q[-1], ref["a"]["xy_t"][f"{end}.0"], rtol=0, atol=within)


def test_the_plane_of_the_swing_turns_as_the_sine_of_the_latitude(ref):
    """-Omega sin(latitude), from the axes of the ellipse through position and velocity, over 1000 s."""
    run = linear(ref["a"]).simulate(1000, step=0.05, method=newmark(1 / 12), tolerance=1e-12, save_every=50)
    w = np.sqrt(ref["a"]["g"] / ref["a"]["L"])
    square = (run["x"] + 1j * run["y"]) ** 2 + ((run["x.dot"] + 1j * run["y.dot"]) / w) ** 2  # twice the angle
    angle = np.unwrap(np.angle(square)) / 2
    assert np.polyfit(run.t, angle, 1)[0] == pytest.approx(ref["a"]["rotation_rate"], rel=1e-3)
    assert ref["a"]["rotation_rate"] == pytest.approx(
        -ref["a"]["Omega"] * np.sin(np.radians(ref["a"]["lat_deg"])), rel=1e-12
    )


def turntable(case):
    """(model, place of the bob in the turning axes): released at rest on the turntable."""
    model = Model("turntable", gravity=(0, 0, -9.81))
    p, q = model.coordinates("p q", initial=(0, -case["theta0"]))
    place = trotx(p) * troty(q) * tdisp(0, 0, -case["L"])
    model.body("bob", trotz(case["Omega"] * t) * place, mass=1, inertia=(0, 0, 0))
    return model, place.e


def test_turntable_by_default(ref):
    """Within 5e-5 m after 20 s; reached 2.7e-5. The work of the drive closes the energy balance."""
    model, place = turntable(ref["b"])
    run = model.simulate(20, save_every=0.1)
    np.testing.assert_allclose(run.of(place)[-1], ref["b"]["xyz_t20"], rtol=0, atol=5e-5)
    assert np.ptp(run.energy.balance) < 1e-5 * np.ptp(run.energy.kinetic)


def test_turntable_as_steps_go_to_zero(ref):
    """Richardson's limit of three fixed steps: within 1e-6 m (a single run needs a tolerance of 3e-8 for as much)."""
    model, place = turntable(ref["b"])
    ends = [model.simulate(20, step=h, tolerance=1e-11, save_every=1).of(place)[-1] for h in (0.02, 0.01, 0.005)]
    first = [(4 * ends[i + 1] - ends[i]) / 3 for i in (0, 1)]
    np.testing.assert_allclose((16 * first[1] - first[0]) / 15, ref["b"]["xyz_t20"], rtol=0, atol=1e-6)
    errors = [np.abs(end - ref["b"]["xyz_t20"]).max() for end in ends]
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.1)
