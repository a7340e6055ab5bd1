"""Units made up at random, by FMPy beside `simulate`: events, samples and inputs that change at round times.

A model is a chain with a spring and a damper, and what happens to it: events with actions at communication points and
between them, several at one instant, sampled controllers, inputs that jump, forces that jump in time, a contact. The
unit and `simulate` share the formulas; what is compared is who does what, and when.
"""

import shutil

import numpy as np
import pytest
import sympy
from chance import seeds

from easydyn import (
    PID,
    Damper,
    GeneralizedForce,
    Model,
    RigidContact,
    Spring,
    StateFeedback,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import BudgetError, StepSizeError

COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
T_FINAL, STEP = 1.5, 0.1  # s; the importing program communicates every STEP


def round_time(rng):
    return sympy.Rational(int(rng.integers(1, 15)), 10) if rng.random() < 0.7 else round(float(rng.uniform(0, 1.4)), 3)


def chain(model, rng):
    """Bodies one after the other, each by a joint that turns or slides."""
    T, n = tdisp(0, 0, 0), int(rng.integers(1, 4))
    q = model.coordinates([f"q{i}" for i in range(n)], initial=rng.uniform(-0.4, 0.4, n), rates=rng.uniform(-1, 1, n))
    for i in range(n):
        turns = (trotz, trotx, troty)[int(rng.integers(3))]
        T = T * (turns(q[i]) if rng.random() < 0.7 else tdisp(q[i], 0, 0)) * tdisp(0, -float(rng.uniform(0.3, 0.6)), 0)
        body = model.body(f"link {i}", T, mass=float(rng.uniform(0.5, 2)), inertia=rng.uniform(0.02, 0.1, 3))
    reach = (body, (0.1, 0, 0)), (ground, (float(rng.uniform(0.5, 1)), -0.2, 0.1))
    model.add(Spring(*reach, stiffness=float(rng.uniform(5, 40)), free_length=0.5))
    model.add(*(Damper(link, model.ground, damping=0.2) for link in model.bodies[:1]))
    return q


def what_it_does(rng, q, inputs, count):
    """What an action sets: inputs, rates, coordinates, a state that counts."""
    action = {count: count + int(rng.integers(1, 9))}
    kind = rng.integers(4)
    if kind == 0:
        action[inputs[0]] = float(rng.uniform(-3, 3))
    elif kind == 1:
        action[q.dot] = float(rng.uniform(-0.9, 0.5)) * q.dot
    elif kind == 2:
        action[q] = q + float(rng.uniform(-0.1, 0.1))
    return action


def made_up(seed):
    """The model, and its inputs in a run: numbers, and a table that jumps at communication points."""
    rng = np.random.default_rng(seed)
    model = Model(f"unit {seed}", gravity=(0, -9.81, 0))
    q = chain(model, rng)
    u, push, count = model.input("u", float(rng.uniform(-1, 1))), model.input("push"), model.state("count")
    model.equation(count.dot)
    model.add(*(GeneralizedForce(x, -0.5 * x.dot) for x in q))
    model.add(GeneralizedForce(q[0], u + push), GeneralizedForce(q[-1], -0.3 * push))
    model.output("seen", sympy.sin(q[0]) + q[-1].dot + 0.1 * u)
    for k in range(int(rng.integers(1, 4))):
        x = q[int(rng.integers(len(q)))]
        when = (t - round_time(rng), x - float(rng.uniform(-0.3, 0.3)), x.dot)[int(rng.choice(3, p=[0.6, 0.2, 0.2]))]
        if rng.random() < 0.3:
            when = when * float(rng.choice([-2.0, 3.0]))
        action = what_it_does(rng, x, (u, push), count)
        if not when.has(t):  # it counts, and turns nothing
            action = {count: count + 1} if rng.random() < 0.6 else {count: count + 1, u: float(rng.uniform(-1, 1))}
        model.event(when, direction=int(rng.integers(-1, 2)), action=action, name=f"event {k}")
    if rng.random() < 0.3:  # another one at the same instant
        same = model.events[0]
        model.event(same.expression * 2, action={count: 2 * count + 1}, name="at the same time")
    if rng.random() < 0.3:
        when = round_time(rng)
        model.add(GeneralizedForce(q[-1], sympy.Piecewise((0, t < when), (float(rng.uniform(-2, 2)), True))))
    if rng.random() < 0.5:
        w = model.input("w")
        model.add(GeneralizedForce(q[-1], w))
        period = float(rng.choice([0.1, 0.05, 0.02, 0.03]))
        seen = str(rng.choice(["seen", "q0", "q0.dot"]))
        if rng.random() < 0.5:
            law = PID(seen, "w", proportional=2.0, integral=1.0, derivative=0.1, setpoint=0.2, filter=0.03)
        else:
            law = StateFeedback("w", {seen: 2.0, "q0.dot": 0.3}, limits=(-2, 2))
        model.controller(period, law)
    if rng.random() < 0.4:
        (y,) = model.coordinates("y", initial=float(rng.choice([0.4, 0.5, 1.0])), rates=float(rng.choice([0, -1, 1])))
        model.body("ball", tdisp(2, y, 0), mass=0.5, inertia=(0, 0, 0))
        e = float(rng.choice([0, 0.5, 0.8]))
        model.add(RigidContact(y, restitution=e, name="floor"), GeneralizedForce(y, 0.5 * u))
    steps = sorted({round(int(rng.integers(1, 15)) * STEP, 1) for _ in range(2)})
    times, values = [0.0], [float(rng.uniform(-2, 2))]
    for when in steps:
        times += [when, when]
        values += [values[-1], float(rng.uniform(-2, 2))]
    return model, (np.array([*times, T_FINAL + 1]), np.array([*values, values[-1]]))


def differences(fmpy, seed, folder, versions=("2.0", "3.0"), kinds=("CoSimulation", "ModelExchange")):
    """The largest difference of coordinates, rates, states, outputs, beside their size; by version and kind."""
    model, table = made_up(seed)
    options = {"method": "dop853", "tolerance": 1e-10, "save_every": STEP, "inputs": {"push": tuple(table)}}
    options["max_steps"] = 300_000
    final = T_FINAL
    try:
        run = model.simulate(final, **options)
    except (StepSizeError, BudgetError) as refused:
        # A controller that is too slow for its gains: it is compared before it runs away.
        speeds = abs(refused.trajectory.qd).max(axis=1)
        assert speeds.max() > 1e5
        final = STEP * int(refused.trajectory.t[np.argmax(speeds > 1e3)] / STEP - 0.5)
        run = model.simulate(final, **options)
    assert run.status == "finished" and final >= STEP, run.message
    names = [*(name for name in run.names if not name.startswith("floor")), "seen"]
    names += [f"{name}.dot" for name in run.names if name[0] in "qy"]
    signal = np.array(list(zip(*table, strict=True)), dtype=[("time", float), ("push", float)])
    happened = np.array([0.0, *(event.t for event in run.events), *table[0]])
    smooth = np.array([abs(happened - x).min() > 1e-6 for x in run.t])  # values have one side there
    sampled = smooth.copy()
    for controller in model.controllers:
        sampled &= abs(run.t / controller.period - np.round(run.t / controller.period)) > 1e-6
    found = {}
    for version in versions:
        path = model.to_fmu(folder / f"unit {version}.fmu", version=version)
        for kind in kinds:
            rows = fmpy.simulate_fmu(
                str(path), fmi_type=kind, stop_time=final, output=names, relative_tolerance=1e-9,
                output_interval=STEP, input=signal,
            )  # fmt: skip
            rows = rows[np.unique(np.round(rows["time"] / STEP, 6), return_index=True)[1]]
            rows = rows[abs(rows["time"] / STEP - np.round(rows["time"] / STEP)) < 1e-6]
            assert len(rows) == len(run), (kind, rows["time"])
            worst = 0.0
            for name in names:
                which = sampled if name == "seen" else smooth
                worst = max(worst, np.abs(rows[name] - run[name])[which].max(initial=0) / max(1, abs(run[name]).max()))
            found[version, kind] = worst
    return found


@pytest.mark.skipif(COMPILER is None, reason="no C compiler is installed")
@pytest.mark.filterwarnings("ignore::easydyn.errors.LongRunWarning")  # of what runs away
@pytest.mark.parametrize("seed", seeds("units"))
def test_a_unit_does_what_simulate_does(seed, tmp_path):
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    found = differences(fmpy, seed, tmp_path, versions=("3.0",) if seed % 2 else ("2.0",))
    assert max(found.values()) < 1e-5, found
