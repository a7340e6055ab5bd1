"""Inputs, outputs, sampled controllers, PID: against closed forms, and loops written by hand."""

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from math import exp, inf

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
from targets import LOOPS

from easydyn import PID, GeneralizedForce, Model, StateFeedback, Trajectory, continuous_pid, t, tdisp, trotz
from easydyn.errors import EventError, InterruptedRunError

METHODS = (
    "newmark", "hht", "generalized_alpha", "newmark_extrapolated", "dop853", "lobatto", "scipy:RK45", "scipy:Radau",
)  # fmt: skip


def cart(mass=2.0, **initial):
    """mass x'' = u, with the output speed."""
    model = Model("cart")
    (x,) = model.coordinates("x", **initial)
    model.body("cart", tdisp(x, 0, 0), mass=mass, inertia=(0, 0, 0))
    u = model.input("u", unit="N")
    model.add(GeneralizedForce(x, u))
    model.output("speed", x.dot, unit="m/s")
    return model, x, u


# -- what an input is -------------------------------------------------------------------------------------------------


@pytest.mark.one_in(15)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", ["native", "numpy", "python"])
def test_number_table_function_and_formula(method, target):
    """2 x'' = u: by number 4, by a ramp 4 t in three ways, by a table with a jump."""
    model, x, u = cart()
    options = {"method": method, "target": target}
    assert model.simulate(1, inputs={"u": 4}, **options)["x"][-1] == pytest.approx(1, abs=1e-6)
    for ramp in (([0, 1], [0, 4]), lambda time: 4 * time, 4 * t):
        run = model.simulate(1, inputs={"u": ramp}, **options)
        assert run["x"][-1] == pytest.approx(1 / 3, abs=5e-6)
        np.testing.assert_allclose(run["u"], 4 * run.t, rtol=0, atol=1e-12)
        np.testing.assert_allclose(run.of(u + x), 4 * run.t + run["x"], rtol=0, atol=1e-12)
        assert run.unit("u") == "N" and run.unit("speed") == "m/s"
    run = model.simulate(3, inputs={"u": ([0.5, 1, 1, 2], [0, 4, -2, -2])}, **options)
    # speed: a ramp of 4 N to 1 s, then -2 N to the end; impulse 1 N s, then -2 N (t - 1)
    assert run["speed"][-1] == pytest.approx((1 - 2 * 2) / 2, abs=1e-6)
    assert run.energy.balance[-1] == pytest.approx(run.energy.balance[0], abs=2e-5)
    expected = np.interp(run.t, [0, 0.5, 1, 1.0000001, 3], [0, 0, 4, -2, -2])
    away = abs(run.t - 1) > 1e-6
    np.testing.assert_allclose(run["u"][away], expected[away], rtol=0, atol=1e-9)
    assert 1.0 in run.steps.t or method in ("scipy:RK45", "scipy:Radau")


def test_a_table_keeps_its_ends_and_may_be_a_point():
    model, x, u = cart()
    assert model.simulate(1, inputs={"u": ([0.3], [4])})["x"][-1] == pytest.approx(1)
    for times in ([-5, -1], [4, 6]):
        run = model.simulate(1, inputs={"u": (times, [4, 4])})
        assert run["x"][-1] == pytest.approx(1) and set(run["u"]) == {4}
    run = model.simulate(3, t_start=1, inputs={"u": (np.array([0, 2, 2]), np.array([0, 4, 0]))})
    assert run["speed"][-1] == pytest.approx(1.5, abs=1e-6) and run["u"][0] == 2


def test_a_formula_of_the_state_is_feedback():
    """2 x'' = -8 x - 12 x': s = -3 +- sqrt(5), by a formula and by equations of its own."""
    model, x, u = cart(initial=1)
    a, b = -3 + 5**0.5, -3 - 5**0.5
    for scheme in ("recursive", "explicit", "motor"):
        run = model.simulate(2, inputs={"u": -8 * x - 12 * x.dot}, tolerance=1e-9, method="dop853", scheme=scheme)
        np.testing.assert_allclose(run["x"], (b * np.exp(a * run.t) - a * np.exp(b * run.t)) / (b - a), atol=1e-8)
        np.testing.assert_allclose(run["u"], -8 * run["x"] - 12 * run["x.dot"], rtol=0, atol=1e-12)


def test_inputs_in_three_dimensions_and_driven_frames():
    """A slider on an arm that is driven backwards, -2 rad/s: m x'' = 4 m x + u; its output is a height."""
    model = Model("turntable")
    (x,) = model.coordinates("x", initial=0.3)
    body = model.body("slider", trotz(-2 * t) * tdisp(x, 0, 0), mass=0.5, inertia=(0, 0, 0))
    u = model.input("u", -0.6)  # as much as 4 m x at the start
    model.add(GeneralizedForce(x, u))
    model.output("y", body.T.e[1])
    still = model.simulate(1)
    np.testing.assert_allclose(still["x"], 0.3, atol=1e-9)
    np.testing.assert_allclose(still["y"], 0.3 * np.sin(-2 * still.t), atol=1e-9)
    assert np.ptp(still.energy.balance) < 1e-9
    off = model.simulate(1, inputs={"u": 0}, method="dop853", tolerance=1e-10)
    assert off["x"][-1] == pytest.approx(0.3 * np.cosh(2), abs=1e-8)


@pytest.mark.long
def test_inputs_in_equations_outputs_and_compiled_systems():
    model = Model("lag")
    (p,) = model.states("p")
    u, v = model.input("u"), model.input("v", 3)
    model.equation(p.dot + 2 * p - u * v)
    model.output("mix", p + 10 * u)
    run = model.simulate(1, inputs={"u": 4}, method="dop853", tolerance=1e-10)
    assert run["p"][-1] == pytest.approx(6 * (1 - exp(-2)), abs=1e-9)
    np.testing.assert_allclose(run["mix"], run["p"] + 40, rtol=0, atol=1e-12)
    assert model.compile(inputs={"u": 5}).accelerations(0, [0], [1]) == pytest.approx([13])
    assert model.compile().accelerations(0, [0], [1]) == pytest.approx([-2])
    assert model.symbols["u"] is u and model.simulate(0.1)["v"][-1] == 3


def test_what_inputs_were_is_saved_and_pickled(tmp_path):
    """Numbers, tables, functions and formulas; the file is read with the model, which knows nothing of them."""
    model, x, u = cart()
    v, w, _ = model.input("v", 2), model.input("w"), model.input("z")
    model.output("sum", u + 10 * v + 100 * w)
    tables = {"v": ([0, 1], [5, 6]), "z": ([0, 0.25, 1], [1, 1, -2])}
    run = model.simulate(1, inputs={"u": 3 - x, **tables, "w": lambda time: time**2})
    loaded = Trajectory.load(run.save(tmp_path / "run.npz"), model=model)
    copied = pickle.loads(pickle.dumps(run))
    expected = 3 - run["x"] + 10 * (5 + run.t) + 100 * run.t**2
    for one in (run, loaded, copied):
        np.testing.assert_allclose(one["sum"], expected, rtol=0, atol=1e-11)
        np.testing.assert_allclose(one["z"], np.minimum(1, 2 - 4 * run.t), rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.of(u * w), (3 - run["x"]) * run.t**2, rtol=0, atol=1e-11)
        np.testing.assert_array_equal(one.energy.balance, run.energy.balance)
        assert {"u", "v", "w", "sum", "speed"} <= set(one.columns)
    heading = run.to_csv(tmp_path / "run.csv").read_text().splitlines()[0]
    assert "u" in heading.split(",") and "sum" in heading.split(",")
    assert pickle.loads(pickle.dumps(model)).simulate(1)["v"][-1] == 2


def test_a_live_input_of_a_stepper():
    """x' = 2 - x through 2 x'' = u, in steps of co-simulation, by hand."""
    model, x, u = cart()
    stepper = model.stepper()
    position = speed = 0.0
    for _ in range(50):
        stepper["u"] = 2 - stepper["x.dot"]
        force = 2 - speed
        assert stepper["u"] == pytest.approx(force, abs=1e-12) and stepper["x.ddot"] == pytest.approx(force / 2)
        stepper.advance(0.02)
        position, speed = position + 0.02 * speed + 0.0002 * force / 2, speed + 0.02 * force / 2
    assert (stepper["x"], stepper["x.dot"]) == (pytest.approx(position, abs=1e-12), pytest.approx(speed, abs=1e-12))


# -- sampled controllers ----------------------------------------------------------------------------------------------


def by_hand(end=2.0, period=0.1):
    """u = 1 - x - x' held for a period, exactly."""
    x = v = 0.0
    for _ in range(round(end / period)):
        a = (1 - x - v) / 2
        x, v = x + v * period + a * period**2 / 2, v + a * period
    return x


@pytest.mark.one_in(15)
@pytest.mark.parametrize("target", ["native", "numpy", "python"])
@pytest.mark.parametrize("method", METHODS)
def test_a_sampled_law_with_every_method(method, target):
    model, x, u = cart()
    model.controller(0.1, lambda time, seen: {"u": 1 - seen["x"] - seen["speed"]})
    run = model.simulate(2, method=method, target=target)
    assert run["x"][-1] == pytest.approx(by_hand(), abs=1e-9)
    if method not in ("scipy:RK45", "scipy:Radau"):
        assert model.simulate(2, method=method, target=target, step=0.03)["x"][-1] == pytest.approx(by_hand(), abs=1e-9)


def test_when_samples_are_due():
    """Start, other starts of runs, two periods, a period longer than the run; outputs are those of the instant."""
    seen = []

    def law(time, outputs):
        seen.append((time, outputs["x"], outputs["speed"], outputs["x.ddot"], outputs["u"]))
        return {"u": 2.0 * len(seen)}

    model, x, u = cart()
    model.controller(0.25, law)
    model.simulate(4, t_start=3)
    assert [row[0] for row in seen] == [3, 3.25, 3.5, 3.75]
    assert seen[2] == pytest.approx((3.5, 0.15625, 0.75, 2, 4))
    for start, expected in ((3.1, [3.25, 3.5, 3.75]), (-1, [0, 0.25, 0.5, 0.75])):
        seen.clear()
        model.simulate(max(1, round(start) + 1), t_start=start)
        assert [row[0] for row in seen] == expected
    seen.clear()
    model.simulate(0.2)
    assert len(seen) == 1

    model, x, u = cart()
    v = model.input("v")
    model.add(GeneralizedForce(x, v))
    first, second = [], []
    model.controller(0.1, lambda time, outputs: first.append(time), name="first")
    model.controller(0.15, lambda time, outputs: second.append(time) or {"v": 3}, start=0.05, name="second")
    run = model.simulate(0.48)
    assert first == pytest.approx([0, 0.1, 0.2, 0.3, 0.4]) and second == pytest.approx([0.05, 0.2, 0.35])
    assert run["speed"][-1] == pytest.approx(3 * 0.43 / 2)


def test_what_a_law_sees_and_may_return():
    model, x, u = cart(initial=0.5)
    v = model.input("v", 7)
    model.output("twice", 2 * x + v)
    found = {}

    def law(time, seen):
        found.update(seen)
        found["get"] = seen.get("x"), seen.get("nothing", 4), "x.dot" in seen, "nothing" in seen, seen["v"]
        return {"u": np.float64(2)} if time < 0.15 else None

    model.controller(0.1, law)
    run = model.simulate(1)
    assert found["twice"] == pytest.approx(2 * run["x"][-1] + 7, abs=1) and found["get"][1:] == (4, True, False, 7)
    assert set(run["u"]) <= {0, 2} and run["u"][-1] == 2
    formula = model.simulate(1, inputs={"v": 3 * t})  # also the inputs that are formulas
    assert found["get"][4] == pytest.approx(3 * 0.9) and formula["v"][-1] == pytest.approx(3)


def test_a_law_with_a_memory_begins_anew_with_every_run():
    class Counter:
        def begin(self):
            self.count = 0

        def __call__(self, time, seen):
            self.count += 1
            return {"u": self.count}

    model, x, u = cart()
    counter = model.controller(0.1, Counter())
    runs = [model.simulate(1)["x"][-1] for _ in range(2)]
    assert runs[0] == runs[1] and counter.count in (10, 11)


def test_a_controller_that_fails_or_is_interrupted_keeps_the_run():
    def fails(time, seen):
        if time > 0.45:
            raise ValueError("too late")
        return {"u": 1}

    def interrupts(time, seen):
        if time > 0.45:
            raise KeyboardInterrupt

    for law, kind in ((fails, EventError), (interrupts, InterruptedRunError)):
        model, x, u = cart()
        model.controller(0.1, law)
        with pytest.raises(kind) as caught:
            model.simulate(1)
        assert caught.value.time == pytest.approx(0.5) and caught.value.trajectory.t[-1] == pytest.approx(0.5)


# -- PID, state feedback ----------------------------------------------------------------------------------------------

R, L, K, J = 2.0, 0.5, 0.02, 2e-4
GAINS = {"proportional": 0.24, "integral": 0.17, "derivative": 0.03}


def motor():
    model = Model("direct-current motor")
    i, w = model.states("i w", unit=("A", "rad/s"))
    U = model.input("U", unit="V")
    model.equation(L * i.dot + R * i + K * w - U)
    model.equation(J * w.dot - K * i)
    model.output("speed", w)
    return model


def pid(errors, h):
    """The command after these errors, from the formula."""
    slope = (errors[-1] - errors[-2]) / h if len(errors) > 1 else 0
    return GAINS["proportional"] * errors[-1] + GAINS["integral"] * h * sum(errors[1:]) + GAINS["derivative"] * slope


def exact_loop(n, h):
    """Speed and current at every sample by the matrix exponential of the motor: exact."""
    A = np.array([[-R / L, -K / L], [K / J, 0]])
    M = scipy.linalg.expm(h * np.block([[A, np.array([[1 / L], [0]])], [np.zeros((1, 3))]]))
    states, total, last = [np.zeros(2)], 0.0, None
    for _ in range(n):
        error = 50 - states[-1][1]
        command = GAINS["proportional"] * error
        if last is not None:
            total += error * h
            command += GAINS["integral"] * total + GAINS["derivative"] * (error - last) / h
        last = error
        states.append(M[:2, :2] @ states[-1] + M[:2, 2] * command)
    return np.array(states)


@pytest.mark.long
def test_pid_of_a_motor_at_a_kilohertz():
    """10 s, 10 000 samples: the same loop by hand with a Stepper, and by the exact motion between samples."""
    model = motor()
    model.controller(0.001, PID("speed", "U", setpoint=50, **GAINS))
    run = model.simulate(10, save_every=0.001)
    stepper, speeds, total, last = motor().stepper(), [0.0], 0.0, None
    for _ in range(10000):
        error = 50 - stepper["w"]
        command = GAINS["proportional"] * error
        if last is not None:
            total += error * 0.001
            command += GAINS["integral"] * total + GAINS["derivative"] * (error - last) / 0.001
        last = error
        stepper["U"] = command
        stepper.advance(0.001)
        speeds.append(stepper["w"])
    np.testing.assert_allclose(run["speed"], speeds, rtol=0, atol=1e-10)

    exact = exact_loop(10000, 0.001)
    tight = model.simulate(10, save_every=0.001, method="dop853", tolerance=1e-12)
    np.testing.assert_allclose(np.stack([tight["i"], tight["w"]], axis=1), exact, rtol=0, atol=1e-10)
    assert abs(run["speed"] - exact[:, 1]).max() < 1e-5 and abs(run["speed"][-1] - 50) < 0.01


def test_pid_by_its_formula():
    law = PID("y", "u", setpoint=lambda time: 1 + time, **GAINS)
    rng = np.random.default_rng(1)
    for _ in range(2):
        law.begin()
        errors = []
        for k in range(20):
            y = rng.normal()
            errors.append(1 + 0.1 * k - y)
            assert law(0.1 * k, {"y": y})["u"] == pytest.approx(pid(errors, 0.1))


def test_pid_limits_and_filter():
    """At a limit the integral stands still; the filtered slope of a step of the error decays by T/(T + h)."""
    law = PID("y", "u", integral=1, proportional=0, limits=(-2, 3))
    for k in range(100):
        command = law(float(k), {"y": -1.0})["u"]
    assert command == 3
    assert law(100.0, {"y": 0.5})["u"] < 3  # free at once
    pump = PID("y", "u", proportional=1, limits=(0, inf))
    assert [pump(float(k), {"y": y})["u"] for k, y in enumerate((5.0, -7.0))] == [0, 7]
    law = PID("y", "u", derivative=2, filter=0.3)
    commands = [law(0.1 * k, {"y": 0.0 if k < 3 else -1.0})["u"] for k in range(8)]
    peak = 2 * (1 / 0.1) * 0.1 / 0.4
    assert commands == pytest.approx([0, 0, 0, *(peak * (0.3 / 0.4) ** k for k in range(5))])


def test_state_feedback():
    model, x, u = cart()
    model.controller(0.1, StateFeedback("u", {"x": 1, "speed": 1}, setpoints={"x": lambda time: 1.0}))
    assert model.simulate(2)["x"][-1] == pytest.approx(by_hand(), abs=1e-9)
    law = StateFeedback("u", {"x": 3}, setpoints={"x": 1}, limits=(-1, 2))
    assert law(0, {"x": 0})["u"] == 2 and law(0, {"x": 5})["u"] == -1


def test_continuous_pid():
    """Against SciPy on the loop written by hand: states x, x', f, s."""
    model, x, u = cart(mass=1.0)
    command = continuous_pid(model, "loop", 1 - x, proportional=8, integral=2, derivative=5, filter=0.05)
    model.add(GeneralizedForce(x, command))
    run = model.simulate(3, method="dop853", tolerance=1e-10)

    def slope(time, s):
        x, v, f, total = s
        rate = (1 - x - f) / 0.05
        return [v, 8 * f + 2 * total + 5 * rate, rate, f]

    found = scipy.integrate.solve_ivp(slope, (0, 3), [0, 0, 0, 0], rtol=1e-11, atol=1e-12, t_eval=run.t)
    np.testing.assert_allclose(run["x"], found.y[0], rtol=0, atol=1e-7)
    np.testing.assert_allclose(run["loop_integral"], found.y[3], rtol=0, atol=1e-7)
    assert {"loop_filtered", "loop_integral"} <= set(model.symbols)


def test_energy_balance_with_a_controller():
    model, x, u = cart()
    model.controller(0.01, PID("x", "u", proportional=5, derivative=3, setpoint=1))
    for method in ("newmark", "dop853", "lobatto"):
        run = model.simulate(3, method=method)
        assert np.ptp(run.energy.balance) < 1e-5 and np.ptp(run.energy.work) > 0.1


# -- what a law remembers belongs to the run --------------------------------------------------------------------------


class Lagging:
    """A law with numbers and a list for its memory."""

    def begin(self):
        self.total = 0.0
        self.late.clear()

    def __init__(self):
        self.late, self.total = [], 0.0

    def __call__(self, t, seen):
        self.late.append(seen["x"])
        self.total += 0.01 * (1 - self.late[max(len(self.late) - 5, 0)])
        return {"u": 4 * self.total - 0.5 * seen["x.dot"]}


def cart_with(law):
    model = Model("cart")
    (x,) = model.coordinates("x")
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u - 2 * x))
    model.controller(0.01, law)
    return model


LAWS = {
    "PID": lambda: PID("x", "u", proportional=8, integral=5, derivative=2, setpoint=1, limits=(-9, 9), filter=0.02),
    "own": Lagging,
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("target", LOOPS)
def test_threads_that_share_a_model_with_a_controller(name, target):
    """Each run is bit for bit as alone, whatever its parameters and its length; threads change places all the time."""
    model = cart_with(LAWS[name]())
    k = model.parameters(k=0)[0]
    model.add(GeneralizedForce(model.symbols["x"], -k * model.symbols["x"]))

    def run(value):
        found = model.simulate(0.5, parameters={"k": value}, target=target, save_every=0.01, progress=False)
        return np.column_stack([found.q, found["u"]])

    values = [0.0, 1.0, 2.0, 3.0] * 2
    alone, interval = [run(value) for value in values[:4]] * 2, sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(run, values))
    finally:
        sys.setswitchinterval(interval)
    assert all(np.array_equal(a, b) for a, b in zip(alone, found, strict=True))
    assert not np.array_equal(alone[0], alone[1])


@pytest.mark.parametrize("name", LAWS)
def test_steppers_side_by_side(name):
    model = cart_with(LAWS[name]())
    alone = model.stepper()
    alone.advance(0.5)
    first, second = model.stepper(), model.stepper()
    for _ in range(5):
        first.advance(0.1)
        second.advance(0.07)
    assert first.q[0] == pytest.approx(alone.q[0], abs=1e-9) and second.t == pytest.approx(0.35)
    alone.reset()
    alone.advance(0.5)
    assert first.q[0] == pytest.approx(alone.q[0], abs=1e-9)


def test_a_law_may_be_looked_at_after_the_run():
    law = Lagging()
    model = cart_with(law)
    for _ in range(2):
        model.simulate(0.2, save_every=0.1)
        assert len(law.late) == 20 and law.total != 0


def test_an_input_with_a_memory():
    """A function of time that is an object: what it remembers begins anew with every run."""

    class Ramp:
        def __init__(self):
            self.begin()

        def begin(self):
            self.most = 0.0

        def __call__(self, t):
            self.most = max(self.most, min(t, 1.0))
            return self.most

    model, ramp = cart_with(lambda t, seen: None), Ramp()
    first, second = (model.simulate(2, inputs={"u": ramp}, save_every=0.5, step=0.01) for _ in range(2))
    assert np.array_equal(first.q, second.q) and ramp.most == 0
    assert first["u"][-1] == 1


def test_pickled_models_keep_their_controllers():
    model = cart_with(LAWS["PID"]())
    run = model.simulate(0.3, save_every=0.1)
    again = pickle.loads(pickle.dumps(model)).simulate(0.3, save_every=0.1)
    assert np.array_equal(run.q, again.q)
