"""The models that come with easydyn: each runs, keeps its energy, is well, and does what closed forms or others say.

The four models of the paper have files of their own, too. "Independent" means: equations written here, by other means
than transforms (rotation matrices, absolute angles, matrix exponentials), integrated by SciPy to 1e-10 or better.
"""

import functools

import numpy as np
import pytest
from pieces import solve_in_pieces
from scipy.integrate import quad, solve_ivp
from scipy.linalg import expm, solve_continuous_are
from scipy.optimize import brentq

from easydyn import Model, check_motion, examples
from easydyn.examples import (
    MODELS,
    PAPER,
    arm,
    ball,
    car,
    cart,
    chain,
    flight,
    four_ways,
    pid,
    top,
    tumbling,
    vibration,
)
from easydyn.examples.figures import module_of

TIGHT = {"method": "dop853", "tolerance": 1e-10}


@functools.cache
def run_of(name):
    """What `demo` shows."""
    return module_of(name).simulate()


def model_of(name):
    return getattr(examples, name)()


def integrated(function, t_end, start):
    """The state at t_end, of DOP853."""
    found = solve_ivp(function, (0, t_end), start, method="DOP853", rtol=1e-12, atol=1e-13)
    assert found.success
    return found.y[:, -1]


# -- all of them ------------------------------------------------------------------------------------------------------


def test_models_and_modules_do_not_hide_each_other():
    """A module of the name of its model would take its place once it is imported."""
    assert not set(MODELS) & set(MODELS.values()) and set(PAPER) <= set(MODELS) <= set(examples.__all__)
    for name in MODELS:
        assert isinstance(module_of(name).__doc__, str) and isinstance(model_of(name), Model)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", [name for name in MODELS if name != "hydraulic_jack"])
def test_energy_less_work_stays(name):
    """Within 2e-5 of the energy that is exchanged, which the default tolerance gives. (The jack has no bodies.)"""
    energy = run_of(name).energy
    exchanged = max(np.ptp(energy.kinetic), np.ptp(energy.work))
    assert exchanged > 0.05
    assert np.ptp(energy.balance) < 2e-5 * exchanged


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", MODELS)
def test_nothing_to_find_fault_with(name):
    assert model_of(name).check() == []


HOW = {  # end, options: 0.3 s with controlled steps unless said otherwise
    "spatial_robot": (0.6, {}),
    "bouncing_ball": (0.6, {}),
    "quarter_car": (0.6, {"step": 5e-3, "initial": {"chassis": 0.02}}),  # not at rest, where rounding opens and closes
    "planar_bicycle": (0.3, {"step": 5e-4}),  # its slip begins at zero, which rounding crosses
    "one_axis": (0.002, {}),
    "robot_r3": (0.0006, {}),
    "falling_chain": (0.2, {"step": 2e-3}),
    "hydraulic_jack": (0.02, {"max_step": 5e-4}),
}


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", MODELS)
def test_same_motion_on_every_target(name):
    """Over the first events, samples and jumps."""
    end, options = HOW.get(name, (0.3, {}))
    native, python = (model_of(name).simulate(end, target=target, **options) for target in ("auto", "python"))
    assert native.stats.steps == python.stats.steps and len(native.events) == len(python.events)
    moved = np.abs(native.q - native.q[0]).max() + np.abs(native.qd - native.qd[0]).max()
    assert moved > 1e-3
    for a, b in ((native.q, python.q), (native.qd, python.qd)):
        np.testing.assert_allclose(a[-1], b[-1], rtol=1e-9, atol=1e-9 * max(1, np.abs(a).max()))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", MODELS)
def test_all_schemes_have_the_same_accelerations(name, rng):
    """At a state near the initial one, that is not at rest."""
    model = model_of(name)
    q, qd = model.initial()
    state = 0.1, q + rng.uniform(-0.1, 0.1, len(q)), qd + rng.uniform(-0.1, 0.1, len(q))
    expected = model.compile("python").accelerations(*state)
    for scheme in ("explicit", "motor"):
        found = model.compile("python", scheme).accelerations(*state)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


# -- oscillator, mass on a line ---------------------------------------------------------------------------------------


def damped(t, c, k=4 * np.pi**2):
    """Motion of 1 kg from q = 1 at rest."""
    w = np.sqrt(k - c * c / 4)
    return np.exp(-c * t / 2) * (np.cos(w * t) + c / (2 * w) * np.sin(w * t))


@pytest.mark.parametrize("c", [0, 1])
def test_oscillator_in_closed_form(c):
    run = examples.oscillator().simulate(5, parameters={"c": c}, save_every=0.01, max_step=0.005, **TIGHT)
    np.testing.assert_allclose(run["q"], damped(run.t, c), rtol=0, atol=1e-11)
    default = examples.oscillator().simulate(5, parameters={"c": c}, save_every=0.01, max_step=0.005)
    np.testing.assert_allclose(default["q"], damped(run.t, c), rtol=0, atol=2e-5)


@pytest.mark.parametrize("frequency", [0.3, 1, 1.7])
def test_resonance(frequency):
    assert vibration.measured_amplitude(frequency) == pytest.approx(vibration.amplitude(frequency), rel=1e-3)


def test_oscillator_at_resonance_in_closed_form():
    """Without damping the amplitude grows: q = F t sin(w t)/(2 w) from rest."""
    w = 2 * np.pi
    run = examples.oscillator().simulate(4, initial={"q": 0}, parameters={"F": 3, "omega": w}, save_every=0.1, **TIGHT)
    # k of the model is (2 pi)^2 rounded once: no difference at this accuracy
    np.testing.assert_allclose(run["q"], 3 * run.t * np.sin(w * run.t) / (2 * w), rtol=0, atol=1e-9)


@pytest.mark.parametrize("c", [0, 1])
def test_spring_pendulum_in_closed_form(c):
    """q = 1 - cos(2 pi t), within 3e-7 as 39.478417 is (2 pi)^2 to eight digits. In space it stays on its line."""
    run = examples.spring_pendulum().simulate(5, parameters={"c": c}, save_every=0.01, **TIGHT)
    np.testing.assert_allclose(run["q"], 1 - damped(run.t, c, 39.478417), rtol=0, atol=2e-10)
    np.testing.assert_allclose(run["q"], 1 - damped(run.t, c), rtol=0, atol=3e-7)
    line = np.array([1.1, 2.2, 3.3]) / np.linalg.norm([1.1, 2.2, 3.3])
    np.testing.assert_allclose(run.frames("mass")[:, :3, 3], np.outer(2 + run["q"], line), rtol=0, atol=1e-14)


# -- double pendulum, slider-crank ------------------------------------------------------------------------------------


def test_four_ways_have_the_same_accelerations(rng):
    q, qd = rng.uniform(-3, 3, (2, 20, 2))
    expected = examples.double_pendulum().compile().accelerations(0, q, qd)
    for model in (four_ways.closed_form(), four_ways.relative_pendulum()):
        np.testing.assert_allclose(model.compile().accelerations(0, q, qd), expected, rtol=1e-12, atol=1e-12)
    system = four_ways.by_hand()
    found = [system.accelerations(0, *state) for state in zip(q, qd, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


def test_kinematics_by_hand_are_right():
    assert check_motion(four_ways.by_hand()) == []


def test_four_ways_move_alike():
    ends = [make().simulate(0.5, step=0.01).q[-1] for make in (
        four_ways.closed_form, four_ways.by_hand, four_ways.relative_pendulum, examples.double_pendulum)]  # fmt: skip
    np.testing.assert_allclose(ends, [ends[0]] * 4, rtol=0, atol=1e-9)


def test_slider_crank_with_motor():
    """Reference: Runge-Kutta at two step sizes, to ten digits."""
    model = examples.slider_crank(motor=True)
    assert model.compile().accelerations(0, [1], [0])[0] == pytest.approx(0.2448407404, abs=5e-11)
    run = model.simulate(6, save_every=1, method="dop853", tolerance=1e-12)
    assert run["q"][2] == pytest.approx(1.8239958302, abs=1e-10)
    assert run["q"][6] == pytest.approx(13.7368343320, abs=1e-10)


# -- motor ------------------------------------------------------------------------------------------------------------


def motor_matrices(L=0.5):
    """d/dt (i, omega) = A (i, omega) + B u."""
    R, Kb, Km, J = 2, 0.02, 0.02, 2e-4
    return np.array([[-R / L, -Kb / L], [Km / J, 0]]), np.array([1 / L, 0])


def test_dc_motor_in_closed_form():
    """A double pole at -2/s, and 50 rad/s in the end."""
    run = examples.dc_motor().simulate(10, save_every=0.5, **TIGHT)
    np.testing.assert_allclose(run["speed"], 50 * (1 - (1 + 2 * run.t) * np.exp(-2 * run.t)), rtol=0, atol=5e-9)
    np.testing.assert_allclose(run["i"], 2 * run.t * np.exp(-2 * run.t), rtol=0, atol=1e-9)  # J omega.dot / Km


def test_dc_motor_with_a_small_inductance():
    """Next to no inductance, 0.5 mH: 49.998 rad/s after 10 s at 1 V, as 50 (1 - exp(-t))."""
    run = examples.dc_motor().simulate(10, parameters={"L": 0.5e-3})
    assert round(run["speed"][-1], 3) == 49.998
    A, B = motor_matrices(0.5e-3)
    rates, V = np.linalg.eig(A)  # expm of SciPy 1.11 overflows: the rates are -1 and -20,000 1/s
    expected = V @ (np.expm1(10 * rates) / rates * np.linalg.solve(V, B))
    assert run["speed"][-1] == pytest.approx(expected[1], abs=1e-5)
    assert run["i"][-1] == pytest.approx(expected[0], abs=1e-7)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("law", pid.GAINS)
def test_continuous_speed_control(law):
    """A linear system: (i, omega, filtered error, its integral), by the matrix exponential."""
    P, I, D = (pid.GAINS[law].get(name, 0) for name in ("proportional", "integral", "derivative"))
    A, B = motor_matrices()
    rate = np.array([0, -1000, -1000, 0, 1000 * 50])  # of the filtered error; the last column is constant
    command = P * np.array([0, 0, 1, 0, 0]) + I * np.array([0, 0, 0, 1, 0]) + D * rate
    system = np.zeros((5, 5))
    system[:2, :2] = A
    system[:2] += np.outer(B, command)
    system[2], system[3, 2] = rate, 1
    run = pid.speed_control(law).simulate(5, save_every=0.25)
    expected = np.array([expm(system * t)[:2, 4] for t in run.t])
    np.testing.assert_allclose(run["speed"], expected[:, 1], rtol=0, atol=5e-5)
    np.testing.assert_allclose(run["i"], expected[:, 0], rtol=0, atol=5e-6)
    assert run["speed"][-1] == pytest.approx(50 * 10 / 11 if law == "P" else 50, abs=0.3)


@pytest.mark.parametrize("law", pid.GAINS)
def test_sampled_speed_control(law):
    """A voltage that is constant for a period: the state after it by the matrix exponential, without integration."""
    period, steps = 0.01, 100
    P, I, D = (pid.GAINS[law].get(name, 0) for name in ("proportional", "integral", "derivative"))
    A, B = motor_matrices()
    whole = expm(np.block([[A, B[:, None]], [np.zeros((1, 3))]]) * period)
    state, total, before, speeds = np.zeros(2), 0.0, 0.0, [0.0]
    for k in range(steps):
        error = 50 * (k > 0) - state[1]
        total += error * period
        u = P * error + I * total + D * (error - before) / period
        before = error
        state = whole[:2, :2] @ state + whole[:2, 2] * u
        speeds.append(state[1])
    run = pid.speed_control(law, period).simulate(steps * period, save_every=period, tolerance=1e-8)
    np.testing.assert_allclose(run["speed"], speeds, rtol=0, atol=2e-7)


@pytest.mark.long
def test_sampled_control_comes_near_the_continuous_one():
    """Its delay is that of the samples: ten times shorter, ten times nearer."""
    expected = pid.speed_control().simulate(1, save_every=0.1, tolerance=1e-8)["speed"]
    away = [
        abs(pid.speed_control("PID", period).simulate(1, save_every=0.1, tolerance=1e-8)["speed"] - expected)[2:].max()
        for period in (0.02, 0.002)
    ]
    assert away[1] < 0.15 * away[0]


# -- bodies in space --------------------------------------------------------------------------------------------------


def test_products_of_inertia():
    """Diagonal 1, 2, 3 and positive integrals 0.1, 0.2, 0.3 (xy, xz, yz), times (1, 2, 3): (0.2, 3, 8.2)."""
    model = tumbling.free_body(diagonal=(1, 2, 3))
    run = model.simulate(0.1, save_every=0.1)
    omega, inside, outside = tumbling.velocity_and_momentum(run)
    np.testing.assert_allclose(omega[0], [1, 2, 3], rtol=1e-14)
    np.testing.assert_allclose(inside[0], [0.2, 3.0, 8.2], rtol=1e-14)
    np.testing.assert_allclose(outside, [inside[0]] * 2, rtol=0, atol=1e-6)
    turning = run.energy.kinetic[0] - (1**2 + 15**2) / 2
    assert turning == pytest.approx((1 * 0.2 + 2 * 3.0 + 3 * 8.2) / 2, rel=1e-12)
    assert "which no real body has" in model.check()[0]


def test_free_body_beside_euler():
    """Euler's equations in body axes and the rotation matrix, integrated here; the centre of mass on its parabola."""
    tensor = np.array([[1.5, -0.1, -0.2], [-0.1, 2, -0.3], [-0.2, -0.3, 3]])

    def rates(t, state):
        w, R = state[:3], state[3:].reshape(3, 3)
        skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        return np.concatenate([np.linalg.solve(tensor, -skew @ tensor @ w), (R @ skew).ravel()])

    end = integrated(rates, 3, [1, 2, 3, *np.eye(3).ravel()])
    run = examples.free_body().simulate(3, save_every=0.25, **TIGHT)
    omega, _, momentum = tumbling.velocity_and_momentum(run)
    np.testing.assert_allclose(omega[-1], end[:3], rtol=0, atol=2e-10)
    np.testing.assert_allclose(run.frames("body")[-1, :3, :3], end[3:].reshape(3, 3), rtol=0, atol=2e-10)
    np.testing.assert_allclose(momentum, [tensor @ [1, 2, 3]] * len(run), rtol=0, atol=3e-9)
    np.testing.assert_allclose(run["z"], 15 * run.t - 9.81 / 2 * run.t**2, rtol=0, atol=1e-10)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("tilt", [0.4, 2.0])
def test_steady_precession(fast, tilt):
    """At either rate the top does not nod, above and below the horizontal; half-way between it does."""
    pair = top.steady_precession(tilt)
    assert min(pair) < 0 < max(pair) if tilt > np.pi / 2 else 0 < pair[0] < pair[1]

    def nod(rate):
        start = {"nutation": tilt, "precession.dot": rate, "spin.dot": top.SPIN - rate * np.cos(tilt)}
        return np.ptp(examples.gyroscope().simulate(0.5, initial=start, save_every=0.005, **TIGHT)["nutation"])

    assert nod(pair[fast]) < 1e-8 < 0.01 < nod(sum(pair) / 2)


def test_nutation_in_closed_form():
    """Let go at rest: the cubic of u = cos(nutation) gives both bounds, a quadrature the period."""
    A, C, moment = top.A, top.C, top.MASS * top.GRAVITY * top.ARM
    u0, spin = np.cos(top.TILT), top.SPIN
    # A u'^2 = (1 - u^2) 2 m g l (u0 - u) - (C spin)^2 (u0 - u)^2 / A
    a, b = 2 * moment / A, (C * spin / A) ** 2
    lowest = (b - np.sqrt(b * b - 4 * a * (b * u0 - a))) / (2 * a)  # a (1 - u^2) = b (u0 - u)
    run = examples.gyroscope().simulate(1, save_every=1e-3, **TIGHT)
    nutation = run["nutation"]
    assert nutation.min() == pytest.approx(top.TILT, abs=1e-9)
    assert nutation.max() == pytest.approx(np.arccos(lowest), abs=1e-6)

    middle, half = (u0 + lowest) / 2, (u0 - lowest) / 2

    def slowness(x):  # u = middle + half cos(x): the roots at both ends cancel
        u = middle + half * np.cos(x)
        other = (
            (b - np.sqrt(b * b - 4 * a * (b * u0 - a))) / (2 * a),
            (b + np.sqrt(b * b - 4 * a * (b * u0 - a))) / (2 * a),
        )
        return 1 / np.sqrt(a * (other[1] - u))

    period = 2 * quad(slowness, 0, np.pi)[0]
    crossings = run.t[1:-1][(nutation[1:-1] > nutation[:-2]) & (nutation[1:-1] >= nutation[2:])]
    assert np.diff(crossings).mean() == pytest.approx(period, abs=2e-4)


def test_momenta_of_the_top_stay():
    run = run_of("gyroscope")
    c, rate = np.cos(run["nutation"]), run["precession.dot"]
    about_axis = top.C * (run["spin.dot"] + rate * c)
    about_vertical = top.A * rate * (1 - c**2) + about_axis * c
    for momentum in (about_axis, about_vertical):
        np.testing.assert_allclose(momentum, momentum[0], rtol=1e-7)


# -- contact, chain, car ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("e", [0.8, 0.5])
def test_bouncing_ball(e):
    """The first ten impacts to 1e-9 s, their accumulation, and the weight that the floor carries then."""
    run = examples.bouncing_ball(e).simulate(5, save_every=0.01)
    times = [event.t for event in run.events]
    fall = np.sqrt(2 / 9.81)
    expected = fall + np.concatenate([[0], np.cumsum(2 * fall * e ** np.arange(1, 10))])
    np.testing.assert_allclose(times[:10], expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ball.impact_times(10, e), expected, rtol=1e-14)
    assert "accumulate" in run.events[-1].what
    assert times[-1] == pytest.approx(fall * (1 + e) / (1 - e), abs=1e-5) == ball.accumulation(e)
    assert run["floor.dot"][-1] == pytest.approx(0.5 * 9.81, abs=1e-9) and abs(run["height"][-1]) < 1e-9


def absolute_chain(n, l=0.1, m=0.05):
    """The chain in angles from the vertical, all measured from the ground: M_jk = a_jk cos(a_j - a_k), by hand."""
    k = np.arange(n)
    beyond = n - 1 - np.maximum.outer(k, k)  # whole links that both j and k move
    weight = m * l**2 * (beyond + np.where(np.equal.outer(k, k), 1 / 3, 1 / 2))
    pull = m * 9.81 * l * (n - 1 - k + 1 / 2)

    def rates(t, state):
        angle, rate = state[:n], state[n:]
        apart = np.subtract.outer(angle, angle)
        h = (weight * np.sin(apart)) @ rate**2 + pull * np.sin(angle)
        return np.concatenate([rate, -np.linalg.solve(weight * np.cos(apart), h)])

    return rates


@pytest.mark.parametrize(("n", "end"), [(1, 1.0), (2, 0.6), (7, 0.25)])
def test_chain_beside_absolute_angles(n, end):
    run = chain.falling_chain(n).simulate(end, save_every=end, **TIGHT)
    expected = integrated(absolute_chain(n), end, np.concatenate([np.cumsum(run.q[0]), np.zeros(n)]))
    np.testing.assert_allclose(np.cumsum(run.q[-1]), expected[:n], rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["tip_y"][-1], -0.1 * np.cos(expected[:n]).sum(), rtol=0, atol=1e-11)


@pytest.mark.long
def test_tip_of_the_chain_overtakes_a_stone():
    """And comes near the ideal chain of Calkin and March, v^2 = 2 g y (1 - y/2L)/(1 - y/L), that never bends twice."""
    run = run_of("falling_chain")
    fallen = 9.81 * run.t**2 / 2
    later = run.t > 0.02
    assert np.all(-run["tip_y"][later] > fallen[later])
    fine = chain.falling_chain(31).simulate(0.36, save_every=0.005, parameters={"l": 0.03, "m": 0.015})
    y, speed, L = -fine["tip_y"], -np.gradient(fine["tip_y"], fine.t), 0.93
    part = (y > 0.2 * L) & (y < 0.7 * L)
    assert part.sum() > 20
    np.testing.assert_allclose(speed[part], np.sqrt(2 * 9.81 * y * (1 - y / 2 / L) / (1 - y / L))[part], rtol=0.02)


def car_rates(t, state):
    """Two masses by Newton's law, here with the bump, the tyre that only pushes, and both slopes of the damper."""
    chassis, wheel, chassis_rate, wheel_rate = state
    road = 0.04 * (1 - np.cos(2 * np.pi * 10 * (t - 0.5))) if 0.5 <= t < 0.6 else 0.0
    opening = chassis_rate - wheel_rate
    suspension = -20e3 * (chassis - wheel) - (2000 if opening > 0 else 1000) * opening + 300 * 9.81
    tyre = max(0.0, 340 * 9.81 - 180e3 * (wheel - road))
    return [chassis_rate, wheel_rate, suspension / 300 - 9.81, (tyre - suspension) / 40 - 9.81]


def test_car_over_a_bump():
    def leaves_or_lands(t, state):
        return 340 * 9.81 - 180e3 * (state[1] - 0.04 * (1 - np.cos(2 * np.pi * 10 * (t - 0.5))) * (0.5 <= t < 0.6))

    switches = [lambda t, _: t - 0.6, lambda t, state: state[2] - state[3], leaves_or_lands]
    expected = solve_in_pieces(car_rates, [0.5, 2], np.zeros(4), switches)[-1, :2]  # at rest before the bump
    run = examples.quarter_car().simulate(2, save_every=0.05)
    np.testing.assert_allclose([run["chassis"][-1], run["wheel"][-1]], expected, rtol=0, atol=2e-6)
    shown = run_of("quarter_car")
    assert shown["load"].min() == 0 and shown["load"].max() > 3 * 340 * 9.81  # the wheel leaves the road, and lands
    assert shown["load"][-1] == pytest.approx(340 * 9.81, rel=1e-2)


@pytest.mark.parametrize("frequency", [0.7, 3, 12])
def test_transmissibility(frequency):
    """Closed form, solved here as two linear equations."""
    s = 2j * np.pi * frequency
    link = 1500 * s + 20e3
    matrix = np.array([[300 * s**2 + link, -link], [-link, 40 * s**2 + link + 180e3]])
    expected = abs(np.linalg.solve(matrix, [0, 180e3])[0])
    assert car.transmissibility(frequency) == pytest.approx(expected, rel=1e-12)
    assert car.measured_transmissibility(frequency) == pytest.approx(expected, rel=1e-2)


def test_car_on_a_measured_road():
    """Straight lines between the points of a table; long after a kerb the car stands that much higher."""
    run = car.quarter_car(road=([0.5, 0.6, 1.0, 1.01], [0, 0.02, 0.02, 0.05])).simulate(6, save_every=0.05)
    np.testing.assert_allclose(run["road"], np.interp(run.t, [0.5, 0.6, 1.0, 1.01], [0, 0.02, 0.02, 0.05]), atol=1e-12)
    np.testing.assert_allclose([run["chassis"][-1], run["wheel"][-1]], 0.05, atol=1e-4)
    assert np.ptp(run.energy.balance) < 1e-5 * np.ptp(run.energy.work)


# -- inverted pendulum, quadrotor -------------------------------------------------------------------------------------


def pendulum_rates(t, state, force):
    """Cart of 1 kg, rod of 0.2 kg and 0.6 m, by Lagrange's equations."""
    x, angle, v, w = state
    M, m, l, g = 1, 0.2, 0.6, 9.81
    matrix = [[M + m, -m * l / 2 * np.cos(angle)], [-m * l / 2 * np.cos(angle), m * l**2 / 3]]
    right = [force - m * l / 2 * w**2 * np.sin(angle), m * g * l / 2 * np.sin(angle)]
    return [v, w, *np.linalg.solve(matrix, right)]


def feedback(state):
    return -np.array([cart.GAINS[name] for name in ("x", "angle", "x.dot", "angle.dot")]) @ state


def test_gains_are_those_of_the_regulator():
    """Riccati's equation for the linear model, found here from differences of the nonlinear one."""
    steps = 1e-6 * np.eye(4)
    A = np.array([np.subtract(pendulum_rates(0, s, 0), pendulum_rates(0, -s, 0)) / 2e-6 for s in steps]).T
    B = np.subtract(pendulum_rates(0, np.zeros(4), 1), pendulum_rates(0, np.zeros(4), -1))[:, None] / 2
    P = solve_continuous_are(A, B, np.diag([10, 100, 1, 1]), [[0.1]])
    gains = (B.T @ P / 0.1)[0]
    np.testing.assert_allclose([cart.GAINS[name] for name in ("x", "angle", "x.dot", "angle.dot")], gains, atol=1e-4)
    assert np.linalg.eigvals(A).real.max() > 1 and np.linalg.eigvals(A - B @ gains[None]).real.max() < -1


def test_pendulum_under_continuous_feedback():
    model = examples.inverted_pendulum(period=None)
    run = model.simulate(2, save_every=0.5, inputs={"force": cart.feedback(model)}, **TIGHT)
    end = integrated(lambda t, s: pendulum_rates(t, s, feedback(s)), 2, [0, np.pi / 9, 0, 0])
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], end, rtol=0, atol=2e-10)
    np.testing.assert_allclose(run["force"][-1], feedback(end), rtol=0, atol=1e-8)


def test_pendulum_under_sampled_feedback():
    state = np.array([0, np.pi / 9, 0, 0])
    for _ in range(50):
        force = feedback(state)
        state = integrated(lambda t, s, force=force: pendulum_rates(t, s, force), 0.01, state)
    run = examples.inverted_pendulum().simulate(0.5, save_every=0.5, **TIGHT)
    np.testing.assert_allclose([*run.q[-1], *run.qd[-1]], state, rtol=0, atol=1e-12)


def test_pendulum_falls_without_control_and_stands_with_it():
    assert abs(examples.inverted_pendulum(period=None).simulate(1)["angle"]).max() > 1.5
    run = run_of("inverted_pendulum")
    assert abs(run["angle"][-1]) < 1e-3 and abs(run["x"][-1]) < 1e-3 and abs(run["x"]).max() < 0.5


@pytest.mark.long
def test_quadrotor_beside_newton_and_euler():
    """Rotation matrix and velocity in body axes, integrated here sample by sample; the control law is the model's own.

    From an attitude and an angular velocity in space, towards a target that needs all four rotors.
    """

    def target(t):
        return 1.0, -0.5, 2.0, 0.8

    start = {"yaw": -0.4, "pitch": 0.3, "roll": -0.2, "x.dot": 0.5, "yaw.dot": 0.3, "pitch.dot": -0.2, "roll.dot": 0.4}
    run = flight.quadrotor(target).simulate(0.3, initial=start, save_every=0.3, **TIGHT)
    a, b, c = -0.4, 0.3, -0.2
    turns = [
        np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]]),
        np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]]),
        np.array([[1, 0, 0], [0, np.cos(c), -np.sin(c)], [0, np.sin(c), np.cos(c)]]),
    ]
    axes = np.array([[0, 0, 1], turns[0] @ [0, 1, 0], turns[0] @ turns[1] @ [1, 0, 0]]).T  # of yaw, pitch, roll
    R = turns[0] @ turns[1] @ turns[2]
    w = R.T @ axes @ [0.3, -0.2, 0.4]
    state = np.concatenate([[0, 0, 0, 0.5, 0, 0], w, R.ravel()])
    J = np.array([0.01, 0.01, 0.018])

    def rates(t, s, f):
        front, left, back, right = f
        v, w, R = s[3:6], s[6:9], s[9:].reshape(3, 3)
        moment = [0.2 * (left - right), 0.2 * (back - front), 0.02 * (front - left + back - right)]
        skew = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
        a = R[:, 2] * sum(f) - 0.1 * v - [0, 0, 9.81]
        return np.concatenate([v, a, (moment - np.cross(w, J * w)) / J, (R @ skew).ravel()])

    law = flight.pilot(target)
    for k in range(60):
        R, w = state[9:].reshape(3, 3), state[6:9]
        yaw, pitch, roll = np.arctan2(R[1, 0], R[0, 0]), -np.arcsin(R[2, 0]), np.arctan2(R[2, 1], R[2, 2])
        about = np.array([[0, 0, 1], [-np.sin(yaw), np.cos(yaw), 0], R[:, 0]]).T
        angle_rates = np.linalg.solve(about, R @ w)
        seen = dict(zip(("x", "y", "z", "x.dot", "y.dot", "z.dot"), state[:6], strict=True))
        seen |= {"yaw": yaw, "pitch": pitch, "roll": roll}
        seen |= dict(zip(("yaw.dot", "pitch.dot", "roll.dot"), angle_rates, strict=True))
        thrusts = law(0.005 * k, seen)
        f = [thrusts[rotor] for rotor in ("front", "left", "back", "right")]
        state = integrated(lambda t, s, f=f: rates(t, s, f), 0.005, state)
    assert len({round(x, 6) for x in f}) == 4
    np.testing.assert_allclose([*run.q[-1, :3], *run.qd[-1, :3]], state[:6], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.frames("body")[-1, :3, :3], state[9:].reshape(3, 3), rtol=0, atol=1e-12)


def test_quadrotor_flies():
    """Up 2 m, then 1.5 m sideways, which it must tilt for; thrusts within their limits."""
    run = run_of("quadrotor")
    before, after = (int(np.argmin(abs(run.t - t))) for t in (3.99, 8))
    np.testing.assert_allclose([run[x][before] for x in "xyz"], [0, 0, 2], atol=0.02)
    np.testing.assert_allclose([run[x][after] for x in "xyz"], [0, 1.5, 2], atol=0.02)
    assert 0.2 < abs(run["roll"]).max() < 0.5 and abs(run["pitch"]).max() < 1e-9
    for rotor in flight.ROTORS:
        assert 0 <= run[rotor].min() and run[rotor].max() <= 6


# -- seven-axis arm ----------------------------------------------------------------------------------------------------


def test_computed_torque_brings_the_hand_of_the_arm_to_its_line():
    """The error of an angle is that of e'' + 20 e' + 100 e = 0, as far as torques that hold for 2 ms are it."""
    run = run_of("seven_axis_arm")
    error = run.q - arm.path()(np.minimum(run.t, arm.TRAVEL))
    assert np.abs(error[:, 1] - 0.1 * (1 + 10 * run.t) * np.exp(-10 * run.t)).max() < 2e-3
    assert np.abs(np.delete(error, 1, axis=1)).max() < 2e-3 and np.abs(error[-1]).max() < 2e-5
    hand = run.frames("hand")
    s = np.minimum(run.t, arm.TRAVEL)[:, None] / arm.TRAVEL
    line = s**3 * (10 - 15 * s + 6 * s**2) * (0.1, 0.4, -0.2) + hand[-1, :3, 3] - (0.1, 0.4, -0.2)
    late = run.t > 1.2
    assert np.abs(hand[late, :3, 3] - line[late]).max() < 1e-3
    assert np.abs(hand[late, :3, :3] - np.diag((-1, 1, -1))).max() < 1e-3  # it points down


def test_gravity_compensation_holds_the_arm():
    """Torques that are the slope of the potential energy, by heights of the centres of mass and differences."""
    plain = arm.arm()
    system = plain.compile()

    def potential(q):
        T = system.frames(0, q)
        heights = [(frame @ (*map(float, body.com), 1))[2] for frame, body in zip(T, plain.bodies, strict=True)]
        return 9.81 * sum(float(body.mass) * z for body, z in zip(plain.bodies, heights, strict=True))

    steps = 1e-5 * np.eye(7)
    slope = [(potential(arm.READY + d) - potential(arm.READY - d)) / 2e-5 for d in steps]
    rest = np.zeros(7)
    torques = system.residual(0, arm.READY, rest, rest)
    np.testing.assert_allclose(torques, slope, atol=1e-7)
    held = examples.seven_axis_arm(lambda t, q, qd: system.residual(t, q, rest, rest) - 5 * qd)
    run = held.simulate(1, save_every=0.1, initial=dict(zip(held.names, arm.READY, strict=True)))
    assert np.abs(run.q - arm.READY).max() < 1e-9


# -- loops, machines, rails, orbits -----------------------------------------------------------------------------------


def corner(p, q, a, b):
    """Where circles about p and q meet, of radii a and b: to the left of the way from p to q."""
    d = np.linalg.norm(q - p)
    along = (a**2 - b**2 + d**2) / (2 * d)
    e = (q - p) / d
    return p + along * e + np.sqrt(a**2 - along**2) * np.array([-e[1], e[0]])


def test_pen_of_the_coupler_curve():
    """By two circles; while the crank makes half a turn on the side away from the rocker, it stays on a line."""
    run = examples.coupler_curve().simulate(1, save_every=0.01)
    pen = []
    for angle in run["crank"]:
        end = 0.1 * np.array([np.cos(angle), np.sin(angle)])
        pen.append(2 * corner(end, np.array([0.2, 0]), 0.25, 0.25) - end)
    np.testing.assert_allclose(np.column_stack([run["pen_x"], run["pen_y"]]), pen, rtol=0, atol=1e-9)
    straight = np.cos(run["crank"]) < 0
    assert np.ptp(run["pen_y"][straight]) < 1e-3 and np.ptp(run["pen_x"][straight]) > 0.35


def test_v6_engine_beside_its_energy():
    """The speed follows from the energy alone: pistons, rods and gas are functions of the angle."""
    r, l, n = 0.045, 0.16, 6
    run = examples.v6_engine().simulate(0.05, save_every=1e-4, **TIGHT)
    a, w = run["crank"], run["crank.dot"]
    kinetic, potential = 0.015 * w**2, 0.0
    for k in range(n):
        bank = (-1) ** k * np.pi / 6
        c = a + 2 * np.pi / 3 * (k // 2) - bank
        root = np.sqrt(l**2 - (r * np.sin(c)) ** 2)
        h, dh = r * np.cos(c) + root, (-r * np.sin(c) - r**2 * np.sin(c) * np.cos(c) / root) * w
        lean, turn = np.arcsin(r * np.sin(c) / l), r * np.cos(c) * w / root
        middle = np.array([l / 2 * np.cos(lean) * turn, dh + l / 2 * np.sin(lean) * turn])
        kinetic = kinetic + 0.2 * dh**2 + 0.3 * (middle**2).sum(axis=0) + 0.6 * l**2 / 24 * turn**2
        s = 0.01 + r + l - h
        potential = potential + 0.4 * 9.81 * np.cos(bank) * h
        beside, up = l / 2 * np.sin(lean), h - l / 2 * np.cos(lean)  # the middle of the rod, to the right of the axis
        potential = potential + 0.6 * 9.81 * (np.cos(bank) * up + np.sin(bank) * beside)
        potential = potential + 1e-3 * 1e5 * (0.1**1.4 * s**-0.4 / 0.4 + s)
    total = kinetic + potential
    assert np.ptp(total) < 1e-6 * np.ptp(potential)


@pytest.mark.long
def test_feet_of_walking_legs():
    """By circles, five for a foot."""
    run = examples.walking_legs().simulate(1.2, save_every=0.02)
    B, C, D, E, F, G, H, I, J, K = (41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9)
    pivot, feet = np.array([-38, -7.8]), []
    for angle in run["crank"]:
        pin = 15 * np.array([np.cos(angle), np.sin(angle)])
        top, low = corner(pivot, pin, B, J), corner(pin, pivot, K, C)
        ankle = corner(low, corner(pivot, top, D, E), G, F)
        feet.append(corner(low, ankle, I, H))
    np.testing.assert_allclose(np.column_stack([run["foot_l_x"], run["foot_l_y"]]), np.array(feet) / 1000, atol=1e-8)


@pytest.mark.long
def test_hexapod_reaches_its_pose():
    """Its stiffness is the sum of k g g^T with g = (u, p x u) of each strut, but for what the weight of 196 N adds."""
    model, rows = examples.hexapod(1e6, 0), []
    for k in range(6):
        sign, at = (-1) ** k, 2 * np.pi * (k // 2) / 3
        foot, end = at + sign * 0.25, at + sign * (np.pi / 3 - 0.25)
        p = 0.6 * np.array([np.cos(end), np.sin(end), 0])
        d = p + [0, 0, 1.1] - np.array([np.cos(foot), np.sin(foot), 0])
        u = d / np.linalg.norm(d)
        rows.append([*u, *np.cross(p, u)])
    stiffness = 1e6 * np.array(rows).T @ rows
    found = model.linearize().K
    np.testing.assert_allclose(found, stiffness, rtol=0, atol=200)
    run = run_of("hexapod")
    assert np.abs(run["z"] - 1.1 - 0.05 * np.sin(2 * np.pi * run.t)).max() < 1.5e-3
    assert np.abs(run["a"] - 0.1 * np.sin(2 * np.pi * run.t)).max() < 1.5e-3


@pytest.mark.long
def test_macpherson_by_formulas_beside_multipliers():
    """By formulas and by multipliers the same; the strut lies on its line, the rod is as long."""
    model = examples.macpherson()
    formulas, multipliers = (model.simulate(0.5, save_every=0.01, constraints=kind, **TIGHT)
                             for kind in ("reduced", "multipliers"))  # fmt: skip
    assert np.abs(formulas.q - multipliers.q).max() < 1e-10
    P, A, S, R = np.array([0, 0.35, 0.2]), 0.36, np.array([-0.02, 0.58, 0.8]), np.array([-0.13, 0.3, 0.26])
    for angle, swing, lean, steer in formulas.q:
        joint = P + A * np.array([0, np.cos(angle), np.sin(angle)])
        d = S - joint
        own = np.arctan2(-d[1], d[2]), np.arctan2(d[0], np.hypot(d[1], d[2]))
        np.testing.assert_allclose([swing, lean], own, rtol=0, atol=1e-9)
        z = d / np.linalg.norm(d)
        x = np.array([np.cos(lean), np.sin(swing) * np.sin(lean), -np.cos(swing) * np.sin(lean)])
        end = -0.12 * (np.cos(steer) * x + np.sin(steer) * np.cross(z, x))
        end = end - 0.02 * (np.cos(steer) * np.cross(z, x) - np.sin(steer) * x) + 0.07 * z
        assert abs(np.linalg.norm(joint + end - R) - 0.377) < 1e-9


def test_benchmark_bicycle_rides_by_itself():
    """Weave dies out from 4.292 m/s on, capsizing begins at 6.024 m/s (table 2 of the benchmark)."""
    model = examples.benchmark_bicycle()
    growth = [model.linearize(parameters={"v": v}).poles().real.max() for v in (4.29, 4.3, 6.02, 6.03)]
    assert [g > 1e-9 for g in growth] == [True, False, False, True]


def test_wheel_set_hunts():
    """Klingel's wave at low speed; the critical speed by Routh and Hurwitz."""
    from easydyn.examples.rails import CONE, CREEP, GAUGE, MASS, RADIUS, STIFF, TURN, WAVE, YAW

    def routh(v):
        across, turning = [MASS, 2 * CREEP / v, STIFF], [YAW, 2 * CREEP * GAUGE**2 / v, TURN]
        a4, a3, a2, a1, a0 = np.polyadd(np.polymul(across, turning), [4 * CREEP**2 * GAUGE * CONE / RADIUS])
        return a1 * a2 * a3 - a0 * a3**2 - a4 * a1**2

    critical = brentq(routh, 5, 200)
    model = examples.wheel_set()

    def hunting(v):
        poles = model.linearize(parameters={"v": v}).poles()
        return poles[(np.abs(poles.imag) > 0.1) & (poles.real > -50)]

    assert np.abs(hunting(critical).real).max() < 1e-9 * critical and 50.2 < critical < 50.3
    assert abs(2 * np.pi * 5 / hunting(5.0).imag.max() / WAVE - 1) < 2e-3


def test_satellite_swings_about_the_line_to_the_centre():
    """A small body: sqrt(3 k) times an orbit in its plane, sqrt(1 + 3 k) times across it, k = (I - Ix)/I."""
    a, k = 1e-3, 0.5 / 0.532
    run = examples.satellite(a, a, 4e-3).simulate(20, initial={"spin.dot": np.sin(a)}, save_every=0.1, **TIGHT)
    pitch = run["yaw"] - np.unwrap(np.arctan2(run["y"], run["x"]))
    np.testing.assert_allclose(pitch, a * np.cos(np.sqrt(3 * k) * run.t), rtol=0, atol=1e-5)
    np.testing.assert_allclose(run["tilt"], a * np.cos(np.sqrt(1 + 3 * k) * run.t), rtol=0, atol=1e-5)
