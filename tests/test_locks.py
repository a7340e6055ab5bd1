"""Locked coordinates: against models in which they are no coordinates, and impulses by hand."""

import numpy as np
import pytest

from easydyn import (
    PID,
    Clutch,
    GeneralizedForce,
    JointFriction,
    Model,
    RigidContact,
    Trajectory,
    examples,
    newmark_extrapolated,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)

METHODS = ("newmark", "hht", "generalized_alpha", "newmark_extrapolated", newmark_extrapolated(10), "dop853", "lobatto")
G = 9.81


def spatial(free=True):
    """A 3-D chain on a driven, tilted base: joints a, b, c; or without b, which is then -0.7 for good."""
    model = Model("chain", gravity=(0, 0, -G))
    (a,) = model.coordinates("a", initial=0.3, rates=0.4)
    (b,) = model.coordinates("b", initial=-0.7) if free else (-0.7,)
    (c,) = model.coordinates("c", initial=0.5, rates=-0.8)
    first = tdisp(0, 0, 0.05 * t**2) * trotx(-0.4) * trotz(a) * tdisp(0.5, 0, 0)
    second = first * troty(b) * tdisp(0, 0.3, -0.4)
    model.body("first", first, mass=2, inertia=(0.1, 0.2, 0.3))
    model.body("second", second, mass=1.5, inertia=(0.1, 0.12, 0.05, 0.01, -0.02, 0.005))
    model.body("third", second * trotx(c) * tdisp(0, 0, -0.3), mass=0.8, inertia=(0.02, 0.03, 0.01))
    return model


@pytest.mark.one_in(12)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_a_locked_coordinate_is_none(method, scheme):
    """The same motion as without that coordinate; the force that holds it is what inverse dynamics asks for."""
    options = {"method": method, "tolerance": 1e-7, "save_every": 0.05}
    run = spatial().simulate(1, locked=["b"], scheme=scheme, **options)
    reference = spatial(free=False).simulate(1, **options)
    assert abs(run["b"] + 0.7).max() < 1e-15 and abs(run["b.dot"]).max() < 1e-15 and abs(run["b.ddot"]).max() < 1e-12
    for name in ("a", "c"):
        np.testing.assert_allclose(run[name], reference[name], rtol=0, atol=1e-6)
    inverse = spatial().compile().residual(run.t, run.q, run.qd, run.qdd)
    np.testing.assert_allclose(run.locking_force("b"), inverse[:, 1], rtol=0, atol=1e-5)
    assert abs(inverse[:, [0, 2]]).max() < 1e-4 and abs(inverse[:, 1]).max() > 1
    assert np.ptp(run.energy.balance) < 1e-4


@pytest.mark.parametrize("target", ["native", "numpy", "python"])
def test_all_coordinates_locked(target):
    """Nothing moves but the driven base; the forces are those of inverse dynamics."""
    run = spatial().simulate(1, locked=["a", "b", "c"], initial={"a.dot": 0, "c.dot": 0}, target=target)
    assert np.ptp(run.q, axis=0).tolist() == [0, 0, 0] and run.status == "finished"
    zero = np.zeros_like(run.q)
    inverse = spatial().compile().residual(run.t, run.q, zero, zero)
    for k, name in enumerate("abc"):
        np.testing.assert_allclose(run.locking_force(name), inverse[:, k], rtol=0, atol=1e-9)
    assert np.ptp(run.energy.balance) < 1e-4 * max(1, np.ptp(run.energy.work))


@pytest.mark.one_in(16)
@pytest.mark.parametrize(
    ("method", "target", "scheme"),
    [(method, "native", "recursive") for method in METHODS]
    + [("newmark", target, scheme) for target in ("numpy", "python") for scheme in ("recursive", "explicit", "motor")]
    + [("dop853", "python", "explicit"), ("newmark", "native", "explicit")],
)
def test_a_moving_coordinate_is_stopped_by_an_impulse(method, target, scheme):
    """M (qd+ - qd-) has an entry at what is locked alone; then it stands; when it is free it begins from rest."""
    pendulum = examples.double_pendulum()
    run = pendulum.simulate(3, locked={"q2": (1, 2)}, method=method, target=target, scheme=scheme)
    assert [(event.t, event.name, event.what) for event in run.events] == [(1, "q2", "locked"), (2, "q2", "free")]
    held = (run.t > 1 + 1e-9) & (run.t < 2 - 1e-9)
    assert held.sum() > 5 and np.ptp(run["q2"][held]) == 0 and abs(run["q2.dot"][held]).max() == 0
    assert np.ptp(run.energy.balance) < 2e-5
    force = run.locking_force("q2")
    assert abs(force[held]).min() > 0 and abs(force[(run.t < 1 - 1e-9) | (run.t > 2 + 1e-9)]).max() == 0

    stepper = pendulum.stepper(locked={"q2": (1, 2)}, method=method, target=target, scheme=scheme)
    before = pendulum.stepper(locked={"q2": (2, 3)}, method=method, target=target, scheme=scheme)  # later
    stepper.advance(1)
    before.advance(1)
    np.testing.assert_allclose(stepper.q, before.q, rtol=0, atol=1e-7)
    M = pendulum.compile().mass_matrix(1, before.q)
    assert abs(before.qd[1]) > 0.1 and stepper.qd[1] == 0
    assert stepper.qd[0] == pytest.approx(before.qd[0] + M[0, 1] / M[0, 0] * before.qd[1], abs=1e-7)


def test_intervals():
    """Touching, overlapping, several coordinates, beyond the run, from before it."""
    pendulum = examples.double_pendulum()

    def events(locked):
        return [(event.t, event.name, event.what) for event in pendulum.simulate(5, locked=locked).events]

    assert events({"q2": [(1, 2), (2, 3)]}) == events({"q2": [(1, 2.5), (2, 3)]}) == events({"q2": (1, 3)})
    assert events({"q1": (1, 3), "q2": [(2, 4)]}) == [
        (1, "q1", "locked"), (2, "q2", "locked"), (3, "q1", "free"), (4, "q2", "free")
    ]  # fmt: skip
    assert events({"q2": (4, 50)}) == [(4, "q2", "locked")]
    assert events({"q2": (-5, 1)}) == [(0, "q2", "locked"), (1, "q2", "free")]
    assert events("q2") == events([pendulum.symbols["q2"]]) == [(0, "q2", "locked")] and events([]) == []


@pytest.mark.long
def test_saved_instants_fixed_steps_and_scipy():
    """The same motion, with some instants, in fixed steps, and by a method of SciPy, which lands on locks, too."""
    pendulum, locked = examples.double_pendulum(), {"q2": (1, 2)}
    tight = pendulum.simulate(3, locked=locked, method="dop853", tolerance=1e-11)
    every = pendulum.simulate(3, locked=locked)
    some = pendulum.simulate(3, locked=locked, save_every=0.07)
    assert some.q[-1].tolist() == every.q[-1].tolist()
    for options in ({"step": 1e-3}, {"method": "scipy:RK45", "tolerance": 1e-9}, {"method": "scipy:Radau"}):
        run = pendulum.simulate(3, locked=locked, **options)
        np.testing.assert_allclose(run.q[-1], tight.q[-1], rtol=0, atol=1e-4)


def test_an_action_locks_and_lets_go():
    model = examples.double_pendulum()
    q1, q2 = (model.symbols[name] for name in ("q1", "q2"))
    model.lock(q2, locked=False)
    model.event(q2 - 0.5, direction=-1, action=lambda instant: instant.lock(q2), name="catch")
    model.event(t - 2, action=lambda instant: instant.unlock("q2"), name="release")
    run = model.simulate(3)
    assert [event.name for event in run.events][:2] == ["catch", "release"]
    caught = run.events[0]
    held = (run.t > caught.t) & (run.t < 2)
    assert np.ptp(run["q2"][held]) < 1e-15 and abs(run["q2"][held] - 0.5).max() < 1e-9
    assert caught.after["q2.dot"] == 0 and "q1.dot" in caught.after
    assert np.ptp(run.energy.balance) < 2e-5 and run.energy.work[-1] < -1e-3
    free = model.simulate(3, locked=[])  # said for this run: what actions lock is still possible
    assert [event.name for event in free.events][:2] == ["catch", "release"]


def test_a_lock_of_the_model_and_of_a_run():
    model = examples.double_pendulum()
    model.lock("q2")
    assert np.ptp(model.simulate(1)["q2"]) == 0
    assert np.ptp(model.simulate(1, locked=[])["q2"]) > 0.1
    assert np.ptp(model.simulate(1, locked=["q1"])["q1"]) == 0
    model.lock("q2", locked=False)
    assert np.ptp(model.simulate(1)["q2"]) > 0.1


def test_locks_beside_controllers_and_inputs():
    """A cart under PID, its second cart locked for a while: as by the exact motion between samples."""
    model = Model("train")
    x, y = model.coordinates("x y")
    model.body("engine", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("wagon", tdisp(x + y, 0, 0), mass=3, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u))
    model.controller(0.1, PID("x", "u", proportional=4, derivative=2, setpoint=1))
    run = model.simulate(2, locked={"y": (0.45, 1.25)})

    a, v, w, last, time = 0.0, 0.0, 0.0, None, 0.0  # engine, its speed, that of the wagon
    for k in range(20):
        error = 1 - a
        force = 4 * error + (2 * (error - last) / 0.1 if last is not None else 0)
        last = error
        for end in sorted({0.45, 1.25, 0.1 * (k + 1)}):
            if time < end <= 0.1 * (k + 1) + 1e-12:
                h = end - time
                together = 0.45 <= time + h / 2 <= 1.25
                if together and v != w:
                    v = w = (2 * v + 3 * w) / 5
                acceleration = force / (5 if together else 2)
                a, v = a + v * h + acceleration * h**2 / 2, v + acceleration * h
                w += acceleration * h if together else 0
                time = end
    assert run["x"][-1] == pytest.approx(a, abs=1e-9)
    assert run["x.dot"][-1] + run["y.dot"][-1] == pytest.approx(w, abs=1e-9)
    assert np.ptp(run.energy.balance) < 1e-9


def test_locking_forces_of_a_file(tmp_path):
    """The file knows what was locked; the model need not."""
    pendulum = examples.double_pendulum()
    run = pendulum.simulate(2, locked={"q2": (0.5, 1)})
    loaded = Trajectory.load(run.save(tmp_path / "run.npz"), model=pendulum)
    np.testing.assert_array_equal(loaded.locking_force("q2"), run.locking_force("q2"))
    np.testing.assert_array_equal(loaded.energy.balance, run.energy.balance)
    assert loaded.events == run.events and abs(run.locking_force("q2")).max() > 0.1


def test_friction_carries_again_what_a_lock_lets_go():
    """Locks hold both shafts of an engaged clutch, one after the other, then neither: J q.ddot = 6 - 3 on q and p."""
    shafts = Model("clutch between locks")
    q, p = shafts.coordinates("q p", rates=1)
    for name, a, inertia in (("one", q, 1), ("other", p, 2)):
        shafts.body(name, trotz(a), mass=0, inertia=(0, 0, inertia))
    shafts.add(GeneralizedForce(q, 6), JointFriction(q, 3), Clutch(q, p, level=20))
    how = {"method": "dop853", "target": "python"}
    run = shafts.simulate(4, locked={"q": (1, 3), "p": (2, 3)}, **how)
    held = (run.t > 2 + 1e-9) & (run.t < 3 - 1e-9)
    assert abs(run["q.dot"][held]).max() == abs(run["p.dot"][held]).max() == 0 and np.ptp(run.energy.balance) < 1e-9
    assert run["q.dot"][-1] == pytest.approx(1, abs=1e-9) and run["p.ddot"][-1] == pytest.approx(1, abs=1e-9)
    (leaves,) = (e.what for e in run.events if e.t == 3 and e.name == "q_friction")
    assert leaves == "slides forward" and run["q_p_clutch.dot"][-1] == pytest.approx(-2, abs=1e-9)
    shafts.lock(p, locked=False, until=t > 3)  # which stays true when the lock has broken
    again = shafts.simulate(4, locked={"q": (1, 3), "p": (2, 9)}, **how)
    np.testing.assert_allclose(again.q[-1], run.q[-1], rtol=0, atol=1e-9)


@pytest.mark.parametrize("order", ["q z", "z q"])
@pytest.mark.parametrize("first", [True, False])
def test_impulses_beside_a_coordinate_that_moves_no_body(order, first):
    """A disc is stopped by a lock, and by a wall; z.ddot = q, and the state s of s.dot = q, feel no impulse."""
    model = Model("follower")
    model.coordinates(order)
    z, q = (model.symbols[x] for x in "zq")
    (s,) = model.states("s")
    model.body("disc", trotz(q), mass=0, inertia=(0, 0, 2))
    for equation in (s.dot - q, z.ddot - q)[:: 1 if first else -1]:
        model.equation(equation)
    model.add(RigidContact(2 - q, restitution=0.5, name="wall"))
    run = model.simulate(4, initial={"q.dot": 1}, locked={"q": (3.5, 4)}, method="dop853", tolerance=1e-10)
    assert run["q"][-1] == pytest.approx(1.25, abs=1e-9)  # 2 s at 1 rad/s, 1.5 s at -0.5 rad/s, 0.5 s at rest
    assert run["s"][-1] == pytest.approx(2 + 1.5 * 1.625 + 0.625, abs=1e-8)  # the areas below q
    # the area below s, each piece of the end of the run before, plus its own
    assert run["z"][-1] == pytest.approx(8 / 6 + 2 * 1.5 + 1.5**2 - 1.5**3 / 12 + 4.4375 * 0.5 + 1.25 / 8, abs=1e-8)
