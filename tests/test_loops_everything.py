"""What works for open trees works for closed loops: derivatives, prescribed motions, other instants, files."""

import copy
import pickle

import numpy as np
import pytest
import sympy
from mechanisms.four_bar import four_bar
from mechanisms.hexapod import DATA, hexapod

from easydyn import (
    GeneralizedForce,
    Model,
    RigidContact,
    Spring,
    Trajectory,
    ground,
    t,
    tdisp,
    trot,
    trotx,
    troty,
    trotz,
)

R, L, D = 0.3, 0.8, 0.1  # m: crank, rod, and how far the slide is off the axis


def slider_crank(loop):
    """A crank with a rod and a slider beside its axis: by a loop, or as an open tree with a root and an arcsine."""
    model = Model("crank and slider", gravity=(0, -9.81, 0))
    r, k = model.parameters(r=R, k=40.0)
    (a,) = model.coordinates("a", initial=0.7, rates=2)
    if loop:
        b, x = model.coordinates("b x", initial=(-0.3, 1.0))
    else:
        b = sympy.asin((D - r * sympy.sin(a)) / L)
        x = r * sympy.cos(a) + L * sympy.cos(b)
    model.body("crank", trotz(a), mass=2, inertia=(0, 0, 0.02), com=(0.15, 0, 0))
    rod = model.body("rod", trotz(a) * tdisp(r, 0, 0) * trotz(b - a), mass=1, inertia=(0, 0, 0.06), com=(0.4, 0, 0))
    slider = model.body("slider", tdisp(x, D, 0), mass=3, inertia=(0, 0, 0))
    model.add(Spring(slider, (ground, (1.5, D, 0)), stiffness=k, free_length=0.5))
    if loop:
        model.close((rod, (L, 0, 0)), slider, joint="revolute", name="pin")
    return model


@pytest.fixture(scope="module")
def models():
    return slider_crank(True), slider_crank(False)


@pytest.fixture(scope="module")
def run():
    return four_bar()[0].simulate(1, method="dop853", tolerance=1e-10)


def test_sensitivities_are_those_of_the_open_tree(models):
    loop, tree = models
    options = {"method": "dop853", "tolerance": 1e-11, "save_every": 0.1}
    found = loop.sensitivity(0.5, ["r", "k", "a"], **options)
    exact = tree.sensitivity(0.5, ["r", "k", "a"], exact=True, **options)
    for name in ("r", "k", "a"):
        there = exact["a", name]
        assert np.abs(found["a", name] - there).max() < 1e-5 * np.abs(there).max()


def test_a_prescribed_motion_needs_the_torque_of_the_open_tree(models):
    loop, tree = models
    instants = np.linspace(0, 2, 21)
    motion = 0.7 + 3 * t + 0.2 * sympy.sin(5 * t)
    torque = loop.inverse_dynamics(instants, {"a": motion})
    needed = tree.inverse_dynamics(instants, [motion])
    assert np.abs(torque[:, 0] - needed[:, 0]).max() < 1e-11 * np.abs(needed).max()
    assert not torque[:, 1:].any()
    b = sympy.asin((D - R * sympy.sin(motion)) / L)
    whole = loop.inverse_dynamics(instants, [motion, b, R * sympy.cos(motion) + L * sympy.cos(b)])
    np.testing.assert_allclose(whole, torque, rtol=0, atol=1e-11 * np.abs(needed).max())


def test_the_force_of_another_drive_has_the_same_power(models):
    loop, _ = models
    instants, moving = np.linspace(0, 0.5, 11), {"a": 0.7 + 2 * t + t**2}
    torque = loop.inverse_dynamics(instants, moving)
    force = loop.inverse_dynamics(instants, moving, drives=["x"])
    a = 0.7 + 2 * instants + instants**2
    b = np.arcsin((D - R * np.sin(a)) / L)
    x_by_a = -R * np.sin(a) + L * np.sin(b) * R * np.cos(a) / (L * np.cos(b))
    np.testing.assert_allclose(force[:, 2] * x_by_a, torque[:, 0], rtol=1e-9)
    assert (loop.inverse_dynamics(instants, moving, drives=loop.symbols["x"]) == force).all()


@pytest.mark.long
def test_legs_of_a_hexapod_push_as_the_platform_is_pushed():
    """The forces along the legs, put together by hand, are those on the platform that do the same."""
    model, _ = hexapod()
    instants = np.linspace(0, 1, 6)
    zero = 0 * t
    motion = {"x": 0.02 + 0.05 * sympy.sin(t), "y": -0.03 + zero, "z": 1.1 + 0.1 * t**2,
              "a": 0.05 + zero, "b": -0.04 + 0.1 * t, "c": 0.06 + zero}  # fmt: skip
    names = [str(c) for c in model.mechanism.coordinates]
    legs = model.inverse_dynamics(instants, motion, drives=[f"s{i}" for i in range(6)])
    pose = model.inverse_dynamics(instants, motion)
    feet = np.array(DATA["base"], dtype=float)
    for k, time in enumerate(instants):
        values = {name: float(e.subs(t, time)) for name, e in motion.items()}
        placed = model.assemble(values, hold=list(values))
        place = np.array([values[name] for name in "xyz"])
        a, b, c = (values[name] for name in "abc")
        turned = np.array((trotz(c) * troty(b) * trotx(a)).matrix, dtype=float)[:3, :3]
        points = place + np.array(DATA["platform"], dtype=float) @ turned.T
        along = (points - feet) / np.linalg.norm(points - feet, axis=1)[:, None]
        forces = np.array([legs[k, names.index(f"s{i}")] for i in range(6)])
        np.testing.assert_allclose(along.T @ forces, pose[k, :3], rtol=1e-8)
        lengths = np.array([placed[f"s{i}"] for i in range(6)])
        np.testing.assert_allclose(lengths, np.linalg.norm(points - feet, axis=1), rtol=1e-10)


def test_other_instants_are_closed(run):
    """Between steps of a high order the polynomials alone would leave 1e-6 of a loop open."""
    times = np.linspace(0, 1, 777)
    found = run.at(times)
    source, none = run.source, np.zeros((len(times), 2))
    states = [np.hstack([x, none]) for x in (found.q, found.qd, found.qdd)]
    for key in ("constraint_values", "constraint_rates"):
        assert np.abs(source.system.along(key, times, states, np.zeros((0, 0)))).max() < 1e-10
    assert np.abs(found.q - four_bar()[0].simulate(1, method="dop853", tolerance=1e-12, save_at=times).q).max() < 1e-6
    assert np.isfinite(found.reaction("pin").force[:, (0, 2)]).all()


def test_multipliers_between_the_saved_instants_are_found_anew():
    model, (pin,) = four_bar()
    run = model.simulate(1, method="dop853", tolerance=1e-10, constraints="multipliers")
    exact = model.simulate(1, method="dop853", tolerance=1e-12, save_at=[0.1234, 0.777]).reaction(pin).force[:, (0, 2)]
    assert np.abs(run.at([0.1234, 0.777]).reaction(pin).force[:, (0, 2)] - exact).max() < 1e-3 * np.abs(exact).max()


def test_files_copies_and_pickles_keep_the_loops(run, tmp_path):
    force = run.reaction("pin").force
    model = four_bar()[0]
    loaded = Trajectory.load(run.save(tmp_path / "run.npz"), model=model)
    for other in (loaded, pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        np.testing.assert_array_equal(other.q, run.q)
        np.testing.assert_allclose(other.reaction("pin").force, force, rtol=1e-9, atol=1e-9)
    again = pickle.loads(pickle.dumps(model)).simulate(1, method="dop853", tolerance=1e-10)
    np.testing.assert_array_equal(again.q, run.q)


@pytest.mark.long
def test_reports_pictures_and_findings_know_loops(run, tmp_path):
    model = four_bar()[0]
    text = model.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "revolute of coupler and rocker" in text and model.mobility().sentences[0] in text
    assert "1.490" in text  # where it is assembled
    assert model.check() == [] and run.check() == []
    assert model.scene() is not None
    page = run.animate().save(tmp_path / "run.html")
    assert page.stat().st_size > 10_000


def test_pictures_show_where_loops_are_closed(tmp_path):
    scene = four_bar()[0].scene()
    (pin,) = (part for part in scene.parts if part.name == "joint pin")
    assert pin.body == "coupler" and np.allclose(pin.solid.nodes.mean(axis=0), (4, 0, 0))
    links = [part for part in scene.parts if part.name == "link" and part.body == "rocker"]
    assert max(part.solid.nodes[:, 0].max() for part in links) > 4.9  # as far as the pin
    balls = [part for part in hexapod()[0].scene().parts if part.name.startswith("joint ball")]
    assert len(balls) == 6


def test_sliders_move_independent_coordinates_and_stop_where_the_loop_cannot_be_closed():
    model = slider_crank(True)
    page = model.explore(limits={"a": (-3, 3)}, parameters={"r": 1.2}, initial={"a": 0.2})  # longer than the rod
    program = page.data["program"]
    assert [slider["name"] for slider in program["sliders"]] == ["a"]
    system = page.scene.system
    frames = system.frames(0, np.array([[0.2], [1.4]]))
    assert np.isfinite(frames[0]).all() and not np.isfinite(frames[1]).all()
    slider = [body.name for body in model.bodies].index("slider")
    x = 1.2 * np.cos(0.2) + np.sqrt(L**2 - (D - 1.2 * np.sin(0.2)) ** 2)
    assert frames[0, slider, 0, 3] == pytest.approx(x, abs=1e-12)


# -- events: what changes the state


def both(build, final=0.7, **options):
    """Runs of the loop in both forms and of the open tree, after `build(model, a)` has added something."""
    runs = []
    for loop, form in ((True, "reduced"), (True, "multipliers"), (False, None)):
        model = slider_crank(loop)
        build(model, model.mechanism.coordinates[0])
        more = {"constraints": form} if form else {}
        runs.append(model.simulate(final, method="dop853", tolerance=1e-10, save_every=0.05, **options, **more))
    return runs


def agree(runs, near=1e-7):
    *loops, tree = runs
    for run in loops:
        assert run.status == tree.status and len(run) == len(tree)
        for name in ("a", "a.dot"):
            assert np.abs(run[name] - tree[name]).max() < near * max(1, np.abs(tree[name]).max()), name
        assert run.events[0].t == pytest.approx(tree.events[0].t, abs=1e-7)


@pytest.mark.long
def test_actions_set_what_they_say_and_the_others_follow():
    def rates(model, a):
        model.event(a - 0.2, direction=-1, action={a.dot: -a.dot / 2}, name="bounce")

    def places(model, a):
        model.event(a - 0.2, direction=-1, action={a: 0.4}, name="jump")

    def function(model, a):
        def act(instant):
            instant["a.dot"] = 1.0

        model.event(a - 0.2, direction=-1, action=act, name="set")

    for build in (rates, places, function):
        runs = both(build, final=0.56)
        assert any(e.name in ("bounce", "jump", "set") for e in runs[0].events)
        agree(runs)


def test_a_rate_of_what_follows_is_set_too():
    for form in ("reduced", "multipliers"):
        model = slider_crank(True)
        x = model.mechanism.coordinates[2]
        model.event(x - 0.95, direction=-1, action={x.dot: -x.dot}, name="wall")
        run = model.simulate(0.7, method="dop853", tolerance=1e-10, save_every="step", constraints=form)
        k = int(np.searchsorted(run.t, run.events[0].t))
        before, after = run.events[0].before["x.dot"], run.events[0].after["x.dot"]
        assert after == pytest.approx(-before, rel=1e-12)
        assert np.abs(run["x.dot"][k - 1 : k + 3] - after).min() < 1e-9
        energy = run.energy.total
        assert np.abs(energy - energy[0]).max() < 1e-6  # all rates are reversed: none is lost


def test_locks_take_what_the_tree_takes():
    def build(model, a):
        model.lock(a, locked=False)

        def hold(instant):
            instant.lock("a")

        model.event(a - 0.2, direction=-1, action=hold, name="hold")

    runs = both(build)
    assert all(any(e.name == "hold" for e in run.events) for run in runs)
    agree(runs)
    force = [run.locking_force("a")[-1] for run in runs]
    assert force[:2] == pytest.approx(force[2:] * 2, rel=1e-6)


@pytest.mark.parametrize("restitution", [0.5, 0.0])
def test_impacts_go_through_the_loop(restitution):
    def build(model, a):
        slider = model.bodies[2]
        model.add(RigidContact(slider.T.e[0] - 0.95, restitution=restitution, name="wall"))

    *loops, tree = both(build, final=1.0)
    assert any("impact" in e.what or "touches" in e.what for e in tree.events)
    for run in loops:
        assert np.abs(run["a"] - tree["a"]).max() < 1e-6
        assert np.abs(run["a.dot"] - tree["a.dot"]).max() < 1e-5 * np.abs(tree["a.dot"]).max()


def test_inputs_that_are_formulas_are_told_as_they_were():
    runs = []
    for loop, form in ((True, "reduced"), (True, "multipliers"), (False, None)):
        model = slider_crank(loop)
        a, u = model.mechanism.coordinates[0], model.input("u")
        model.add(GeneralizedForce(a, u))
        more = {"constraints": form} if form else {}
        for given in (-5 * a.dot, sympy.sin(4 * t)):
            run = model.simulate(0.5, method="dop853", tolerance=1e-10, save_every=0.05, inputs={"u": given}, **more)
            expected = -5 * run["a.dot"] if given != sympy.sin(4 * t) else np.sin(4 * run.t)
            np.testing.assert_allclose(run["u"], expected, rtol=1e-9, atol=1e-9)
            runs.append(run)
    for run, tree in zip(runs[:4], runs[4:] * 2, strict=True):
        assert np.abs(run["a"] - tree["a"]).max() < 1e-8


# -- locks and contacts, wherever the plane of a loop lies ------------------------------------------------------------


@pytest.mark.one_in(2)
@pytest.mark.parametrize("turn", [trotz(0), trot((1, 2, 3), 0.7)], ids=["level", "askew"])
def test_locks_and_contacts_of_loops_in_any_plane(turn):
    """What rounding leaves of equations that hold by themselves restricts no impulse: the loop moves as its tree."""
    runs = []
    for loop in (True, False):
        model = Model("tilted", gravity=(0, -9.81, 0))
        (a,) = model.coordinates("a", initial=0.7, rates=2)
        b = sympy.asin(-0.3 * sympy.sin(a))
        x = 0.3 * sympy.cos(a) + sympy.cos(b)
        if loop:
            b, x = model.coordinates("b x", initial=(-0.3, 1.0))
        model.body("crank", turn * trotz(a), mass=2, inertia=(0.1, 0.1, 0.02), com=(0.15, 0, 0))
        frame = turn * trotz(a) * tdisp(0.3, 0, 0) * trotz(b - a)
        rod = model.body("rod", frame, mass=1, inertia=(0.1, 0.1, 0.06), com=(0.4, 0, 0))
        slider = model.body("slider", turn * tdisp(x, 0, 0), mass=3, inertia=(0.1, 0.1, 0.1))
        if loop:
            model.close((rod, (1, 0, 0)), slider, joint="revolute")
        model.add(RigidContact(x - 0.85, restitution=0.5, name="stop"))
        held = model.simulate(0.6, locked={"a": (0.2, 0.4)}, method="dop853", tolerance=1e-9, save_every=0.1)
        free = model.simulate(1.5, method="dop853", tolerance=1e-9, save_every=0.1)
        runs.append((held["a"], held["a.dot"], free["a"], free["a.dot"], [e.t for e in free.events]))
    assert len(runs[0][-1])
    for one, other in zip(*runs, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-6)


def lifted(loop):
    """An arm that carries another, which turns a third by a constraint; as an open tree that is put in."""
    model = Model("lifted", gravity=(0, -9.81, 0))
    a, e = model.coordinates("a e", initial=(0.5, 0.4))
    b = model.coordinates("b", initial=0.1)[0] if loop else e - a
    model.body("one", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    model.body("two", trotz(a) * tdisp(1, 0, 0) * trotz(e), mass=1, inertia=(0, 0, 0.1), com=(0.3, 0, 0))
    model.body("three", tdisp(3, 0, 0) * trotz(b), mass=1, inertia=(0, 0, 0.5))
    if loop:
        model.constraint(b - 1.0 * e + a)
    return model


def test_small_motions_beside_a_lock_that_carries_something():
    """While one coordinate is locked the loads of the loop are those of the others alone."""
    at = {"a": 0.5, "e": 0.4, "e.dot": 1.0}
    models = [lifted(loop) for loop in (True, False) for _ in range(2)]
    for model in models[1::2]:  # an unknown beside the loop
        e, s = model.symbols["e"], model.unknown("s")
        model.equation(s + s**3 - 2 * e)
        model.add(GeneralizedForce(e, -5 * s))
    for one, other in zip(models[:2], models[2:], strict=True):
        one, other = one.linearize(at, locked=["a"]), other.linearize(at, locked=["a"])
        for x, y in zip((one.M, one.C, one.K), (other.M, other.C, other.K), strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-9, atol=1e-12)
        assert one.qdd[1] == pytest.approx(other.qdd[1], rel=1e-12)
        assert one.qdd[2] == pytest.approx(one.qdd[1], rel=1e-12)
    nothing = lifted(True).linearize({"a": 0.5}, locked=["a", "e"])
    assert len(nothing.poles()) == 0 == len(nothing.modes())
    held = lifted(True).equilibrium({"a": 0.5, "e": 0.4}, locked=["a", "e"])
    assert held.stable and held["b"] == pytest.approx(-0.1, abs=1e-15)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto", "newmark_extrapolated", "scipy:Radau"])
def test_accelerations_at_the_instant_of_a_lock(method):
    """From the start, and at an event: accelerations and the force of the lock are those with the lock."""
    found = []
    for loop in (True, False):
        model = lifted(loop)
        model.lock(model.mechanism.coordinates[0], locked=False)
        model.event(t - 0.1, action=lambda instant: instant.lock("a"))
        start = model.simulate(0.1, locked=["a"], method=method, save_every=0.05, tolerance=1e-7)
        later = model.simulate(0.11, method=method, save_every="step", tolerance=1e-7)
        last = later["e.ddot"][np.abs(later.t - 0.1) < 1e-9][-1:]  # after the event
        found.append([*start["e.ddot"], *start.locking_force("a"), *last])
    assert len(found[0]) == 7
    np.testing.assert_allclose(*found, rtol=1e-5)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", ["scipy:Radau", "scipy:BDF", "scipy:RK45", "newmark"])
def test_a_constraint_without_a_name_runs_by_every_method(method):
    """Its name is its formula, with a decimal point in it; of its multiplier errors do not count."""
    runs = [lifted(True).simulate(0.1, constraints=form, method=method) for form in ("reduced", "multipliers")]
    np.testing.assert_allclose(runs[0].q[-1], runs[1].q[-1], atol=1e-5)
    assert runs[1].multiplier_names == ("a + b - 1_0*e:load",)
