"""Closed loops: the same motion in both forms, beside reference numbers, with loads, rest and small motions."""

import json
from math import pi
from pathlib import Path

import numpy as np
import pytest
import sympy

from easydyn import (
    At,
    Cut,
    GeneralizedForce,
    Model,
    Spring,
    TorsionSpring,
    Trajectory,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.constraints import assembly
from easydyn.engine.system import CompiledSystem
from easydyn.errors import AssemblyError, ChangePointError, StepSizeError

REFERENCE = json.loads((Path(__file__).parent / "data" / "loops.json").read_text(encoding="utf-8"))
FORMS = ("reduced", "multipliers")


def four_bar(**start):
    """The crank and rocker of the reference; its pin."""
    p = REFERENCE["general_four_bar"]["params"]
    lengths = [p[x] for x in "abcd"]
    model = Model("four-bar", gravity=(0, -p["g"], 0))
    a, b, c = model.coordinates("a b c", initial=(np.pi / 2, -1.2, 1.8), rates=(6, 0, 0))
    (l1, l2, l3, l4), masses = lengths, p["masses"]
    inertias = [(0, 0, m * x**2 / 12) for m, x in zip(masses, lengths)]
    model.body("crank", trotz(a) * tdisp(l1 / 2, 0, 0), mass=masses[0], inertia=inertias[0])
    coupler = model.body("coupler", trotz(a) * tdisp(l1, 0, 0) * trotz(b) * tdisp(l2 / 2, 0, 0), mass=masses[1],
                         inertia=inertias[1])  # fmt: skip
    rocker = model.body("rocker", tdisp(l4, 0, 0) * trotz(c) * tdisp(l3 / 2, 0, 0), mass=masses[2], inertia=inertias[2])
    pin = model.close((coupler, (l2 / 2, 0, 0)), (rocker, (l3 / 2, 0, 0)), joint="revolute", name="pin")
    return model, pin


@pytest.fixture(scope="module")
def linkage():
    return four_bar()


def end_of(run):
    """What the reference tells: angles from the ground, and their rates."""
    a, b, c = (run[x][-1] for x in "abc")
    ad, bd, cd = (run[f"{x}.dot"][-1] for x in "abc")
    return np.array([a, a + b, c, ad, ad + bd, cd])


def gap(run, points=(("coupler", 0.4), ("rocker", 0.3))):
    """How far the ends that are held together are from each other."""
    ends = [run.frames(name) @ np.array([x, 0, 0, 1]) for name, x in points]
    return np.abs(ends[0] - ends[1]).max()


@pytest.mark.one_in(12)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("method", "tolerance", "error"), [
    ("newmark", 1e-6, 3e-5), ("hht", 1e-6, 3e-5), ("dop853", 1e-11, 1e-9), ("lobatto", 1e-11, 1e-9),
    ("newmark_extrapolated", 1e-8, 1e-7), ("scipy:RK45", 1e-9, 1e-5),
])  # fmt: skip
def test_the_linkage_moves_as_the_reference(linkage, form, method, tolerance, error):
    run = linkage[0].simulate(1, method=method, tolerance=tolerance, constraints=form)
    assert run.status == "finished"
    assert np.abs(end_of(run) - REFERENCE["general_four_bar"]["y_t1"]).max() < error
    assert gap(run) < 1e-10
    assert np.ptp(run.energy.balance) < 10 * error


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
@pytest.mark.parametrize("target", ["native", "numpy", "python"])
def test_schemes_and_targets_agree(linkage, form, scheme, target):
    model, pin = linkage
    run = model.simulate(0.1, method="dop853", tolerance=1e-10, constraints=form, scheme=scheme, target=target)
    other = model.simulate(0.1, method="dop853", tolerance=1e-10, constraints="multipliers")
    assert np.abs(end_of(run) - end_of(other)).max() < 1e-10
    assert np.allclose(run.reaction(pin).force[-1, :2], other.reaction(pin).force[-1, :2], atol=1e-7)


def test_accelerations_at_the_start(linkage):
    model, _ = linkage
    run = model.simulate(0.01)
    a, b, c = run.qdd[0]
    assert np.allclose([a, a + b, c], REFERENCE["general_four_bar"]["acc0"], atol=1e-9)
    assert np.allclose(model.compile().accelerations(0, run.q[0], run.qd[0]), run.qdd[0])


def test_the_pin_carries_what_the_balances_of_the_bodies_say(linkage):
    """Newton and Euler for the coupler and the rocker, cut free of all joints (run.reactions), know no multipliers."""
    model, pin = linkage
    run = model.simulate(0.5, method="dop853", tolerance=1e-10)
    cuts = [
        Cut("rocker", "coupler", "Fx Fy", at=(0.3, 0, 0)), Cut("rocker", "ground", "Fx Fy", at=(-0.3, 0, 0)),
        Cut("coupler", "crank", "Fx Fy", at=(-0.4, 0, 0)), Cut("crank", "ground", "Fx Fy", at=(-0.15, 0, 0)),
    ]  # fmt: skip
    by_balances = run.reactions(*cuts)[0].force
    mine = run.reaction(pin)
    assert np.allclose(mine.force[:, :2], by_balances[:, :2], atol=1e-6 * np.abs(by_balances).max())
    assert np.isnan(mine.force[:, 2]).all() and np.isnan(mine.moment[:, :2]).all()  # nobody knows them
    least = run.reaction(pin, minimum_norm=True)
    assert np.abs(least.force[:, 2]).max() < 1e-9 and np.allclose(least.force[:, :2], mine.force[:, :2])
    assert run.multipliers(pin).shape == (len(run), 5)


def test_mobility_is_told_in_sentences(linkage):
    told = linkage[0].mobility()
    assert told.degrees_of_freedom == 1 and told.independent == ("a",)
    assert told.redundant == ("pin Fz", "pin Mx", "pin My")
    assert "the loop over 'pin' is planar: 3 of its 5 equations hold by themselves" in str(told).replace("The", "the")


def test_assembling(linkage):
    model, _ = linkage
    found = model.assemble({"a": 0.3}, hold=["a"])
    assert found["a"] == 0.3
    run = model.simulate(0.01, initial=found)
    assert gap(run) < 1e-12 and "assembled" not in run.message
    ways = model.assemblies(hold=["a"])
    assert len(ways) == 2 and abs(ways[0]["c"] - ways[1]["c"]) > 0.1
    for way in ways:
        assert gap(model.simulate(0.01, initial=way)) < 1e-12
    with pytest.raises(AssemblyError, match="cannot be assembled"):
        model.assemble({"a": 0.3, "b": 0, "c": 0}, hold=["a", "b", "c"])


def test_circles_meet_on_both_sides_of_the_line_between_their_centres():
    """A held angle keeps its value; the other one has two."""
    model = Model("rods")
    a, b = model.coordinates("a b", initial=(1.0, 1.5))
    ends = [(model.body(f"rod {q}", tdisp(x, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1)), (0.5, 0, 0))
            for q, x in ((a, 0), (b, 0.8))]  # fmt: skip
    model.close(*ends, joint="distance", length=0.7)
    ways = model.assemblies(hold=["a"])
    assert [way["a"] for way in ways] == [1.0, 1.0]
    dx, dy = 0.8 - 0.5 * np.cos(1.0), -0.5 * np.sin(1.0)  # to the pivot of rod b
    turn = np.arccos((0.7**2 - 0.5**2 - dx**2 - dy**2) / np.hypot(dx, dy))
    expected = np.sort(np.mod([np.arctan2(dy, dx) + turn, np.arctan2(dy, dx) - turn], 2 * pi))
    assert np.sort([way["b"] % (2 * pi) for way in ways]) == pytest.approx(expected, abs=1e-12)


def test_rates_fulfil_the_constraints_after_every_step():
    """A pendulum in x and y: its velocity is at right angles to its rod, whatever the error of a step."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(1, 0))
    model.body("bob", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.constraint(x**2 + y**2 - 1)
    run = model.simulate(0.3, method="newmark", tolerance=1e-4)
    assert np.abs(run["x"] * run["x.dot"] + run["y"] * run["y.dot"]).max() < 1e-13


def test_a_force_beyond_all_bounds_is_no_dead_point():
    """Three of the five equations of a pin in the plane say nothing: they are no sign of lengths that do not reach."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.0, -0.5, 1.5))
    rod = {"mass": 1, "inertia": (0, 0, 0.1)}
    model.body("crank", trotz(a) * tdisp(0.5, 0, 0), **rod)
    coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b) * tdisp(0.3, 0, 0), **rod)
    rocker = model.body("rocker", tdisp(1.2, 0, 0) * trotz(c) * tdisp(0.6, 0, 0), **rod)
    model.close((coupler, (0.3, 0, 0)), (rocker, (0.2, 0, 0)), joint="revolute", name="pin")
    model.add(GeneralizedForce(a, (0.3 - t) ** -1.5))
    with pytest.raises(StepSizeError, match="at t = 0.3 s"):
        model.simulate(1, constraints="multipliers")


@pytest.mark.parametrize("turn", [1, -1])
def test_a_parallelogram_loses_an_equation_on_its_way_to_where_it_is_flat(turn):
    """1e-4 rad before it; not on its way from there."""
    model = Model("parallelogram")
    a, b, c = model.coordinates("a b c", initial=(1, -1, 1))
    rod = {"mass": 1, "inertia": (0, 0, 0.1)}
    model.body("crank", trotz(a), **rod)
    coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b), **rod)
    rocker = model.body("rocker", tdisp(2, 0, 0) * trotz(c), **rod)
    model.close((coupler, (2, 0, 0)), (rocker, (1, 0, 0)), joint="revolute", name="pin")
    at, open_ = model.solver.constraints_at(model.values()), turn * np.array([1.0, -1.0, 1.0])
    assert at.lost(1e-4 * open_, -open_, open_, 2) == ["the loop over 'pin'"]
    assert at.lost(1e-4 * open_, open_, open_, 2) == []


@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_a_kite_comes_to_a_change_point(form):
    """Crank and base are equal: when the crank meets the base, the rocker may turn alone. A reach has no second way.

    A closed form loses its direction there, and would go on from the opposite one; Newmark's steps pass over it.
    """
    two, none = (ChangePointError, "the loop over 'pin' can go on in two ways"), (AssemblyError, "kept closed")
    for base, driven, error, sentence in (1.0, True, *two), (1.0, False, *two), (1.2, True, *none):
        model = Model("kite")
        a, b, c = model.coordinates("a b c", initial=(1, -1.2, 1.3), rates=(-2, 0, 0))
        rod = {"mass": 1, "inertia": (0, 0, 0.1)}
        model.body("crank", trotz(a), **rod)
        coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b), **rod)
        rocker = model.body("rocker", tdisp(base, 0, 0) * trotz(c), **rod)
        model.close((coupler, (0.7, 0, 0)), (rocker, (0.7, 0, 0)), joint="revolute", name="pin")
        if driven:
            model.constraint(a - 1 + 2 * t, name="drive")
        with pytest.raises(error, match=sentence):
            model.simulate(1.2, method="dop853", constraints=form, tolerance=1e-9)
        if base == 1.0:
            with pytest.raises(error, match=sentence) as passed:
                model.simulate(1.2, step=0.007, constraints=form, save_every=0.35)
            when = 0.5 if driven else 0.493431
            assert 0.35 <= passed.value.trajectory.t[-1] < when + 0.007
            assert passed.value.time == pytest.approx(when, abs=1e-5)


def test_rest_and_small_motions(linkage):
    model, _ = linkage
    rest = model.equilibrium()
    assert rest.stable and np.abs(rest.residual).max() < 1e-8
    linear = model.linearize(at=rest)
    assert linear.names == ("a",)
    start = rest.initial
    start["a"] += 1e-3
    run = model.simulate(3, method="dop853", tolerance=1e-11, initial=start)
    swing = run["a"] - rest["a"]
    k = np.flatnonzero(swing[:-1] * swing[1:] < 0)
    zeros = run.t[k] - swing[k] * np.diff(run.t)[k] / np.diff(swing)[k]
    assert abs(2 * np.diff(zeros).mean() - 2 * np.pi / abs(linear.poles()[0])) < 1e-6
    moving = model.linearize(at={"a": 0.7, "a.dot": 5})
    assert max(moving.check().values()) < 1e-9


def test_files_keep_the_loads(linkage, tmp_path):
    model, pin = linkage
    for form in FORMS:
        run = model.simulate(0.1, constraints=form)
        run.save(tmp_path / "run.npz")
        again = Trajectory.load(tmp_path / "run.npz", model=model)
        assert np.allclose(again.reaction(pin).force[:, :2], run.reaction(pin).force[:, :2], rtol=1e-9, atol=1e-9)


def test_a_law_of_an_angle_that_follows_is_no_law_of_its_sines():
    """A torsion spring on the rocker: the angle itself counts, and goes on beyond a turn."""
    results = []
    for form in FORMS:
        model, _ = four_bar()
        model.add(TorsionSpring(model.symbols["c"], stiffness=3, free_angle=1))
        model.add(GeneralizedForce(model.symbols["b"], -0.1 * model.symbols["b"].dot))
        results.append(end_of(model.simulate(0.5, method="dop853", tolerance=1e-10, constraints=form)))
    assert np.abs(results[0] - results[1]).max() < 1e-8


def test_angles_that_follow_go_on_beyond_a_turn():
    """A double crank (the ground is its shortest link): both cranks turn, whatever is saved."""
    runs = []
    for form in FORMS:
        model = Model("double crank")
        a, b, c = model.coordinates("a b c", initial=(0.3, 0.5, 0.9), rates=(9, 0, 0))
        one = model.body("one", trotz(a) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 0.1))
        rod = model.body("rod", trotz(a) * tdisp(1, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
        other = model.body("other", tdisp(0.3, 0, 0) * trotz(c) * tdisp(0.9, 0, 0), mass=1, inertia=(0, 0, 0.1))
        assert one
        model.close((rod, (0.5, 0, 0)), other, joint="revolute")
        runs.append(model.simulate(3, method="dop853", tolerance=1e-10, save_every=1.0, constraints=form))
    assert runs[0]["c"][-1] > 12
    assert np.allclose(runs[0].q, runs[1].q, atol=1e-7)


@pytest.mark.parametrize("times", [[3.0], [1.0, 3.0]])
def test_angles_that_follow_count_turns_from_the_start_whatever_is_saved(times):
    """The crank turns round, and the coupler beside it: where the start is not saved, too."""
    whole = examples.coupler_curve().simulate(3, method="dop853", save_every=0.1)
    run = examples.coupler_curve().simulate(3, method="dop853", save_at=times)
    np.testing.assert_allclose(run.q, whole.q[[round(10 * t) for t in times]], atol=1e-9)
    assert np.abs(run.q[-1]).max() > 4 * np.pi


@pytest.mark.parametrize("form", FORMS)
def test_followers_start_with_the_turns_that_they_were_given(form):
    """A four-bar whose followers are given with whole turns moves as without, and they go on from there."""
    model, _ = four_bar()
    plain = model.simulate(0.2, save_every=0.05, constraints=form)
    turned = {"b": -1.2 - 4 * np.pi, "c": 1.8 + 2 * np.pi}
    run = model.simulate(0.2, save_every=0.05, constraints=form, initial=turned)
    for name, turns in (("a", 0), ("b", -2), ("c", 1)):
        np.testing.assert_allclose(run[name] - plain[name], 2 * np.pi * turns, atol=1e-7)  # the method's tolerance


def n_four_bar(N, v0):
    """IFToMM A02: parallelograms side by side, through their change points."""
    model = Model(f"{N} four-bars", gravity=(0, -9.81, 0))
    cranks = model.coordinates([f"a{i}" for i in range(N + 1)], initial=np.pi / 2, rates=[-v0] + [0] * N)
    rods = model.coordinates([f"c{i}" for i in range(N)])
    place = [tdisp(i, 0, 0) * trotz(a) for i, a in enumerate(cranks)]
    about = {"mass": 1, "inertia": (0, 0, 1 / 12)}
    links = [model.body(f"crank {i}", T * tdisp(0.5, 0, 0), **about) for i, T in enumerate(place)]
    for i, c in enumerate(rods):
        rod = model.body(f"rod {i}", place[i] * tdisp(1, 0, 0) * trotz(c - cranks[i]) * tdisp(0.5, 0, 0), **about)
        model.close((rod, (0.5, 0, 0)), (links[i + 1], (0.5, 0, 0)), joint="revolute", name=f"pin {i}")
    return model


@pytest.mark.parametrize(("N", "v0"), [
    (1, 1.0), (2, 1.0), (2, -1.0), pytest.param(40, 1.0, marks=pytest.mark.long),
])  # fmt: skip
@pytest.mark.parametrize("form", FORMS)
def test_four_bars_side_by_side(N, v0, form):
    if N > 2 and form == "multipliers":
        return  # the same equations, 120 unknowns: nothing new
    run = n_four_bar(N, v0).simulate(10, method="dop853", tolerance=1e-10, constraints=form)
    wanted = REFERENCE["n_four_bar"]["results"][f"N={N},v0={v0:.1f}"]
    end = [np.cos(run["a0"][-1]), np.sin(run["a0"][-1])]
    assert np.allclose(end, wanted["B0_10"], atol=1e-7)


def test_gears_by_a_constraint_and_as_dependent():
    for way in ("constraint", "dependent"):
        for form in FORMS:
            model = Model("gears")
            a, b = model.coordinates("a b", rates=(3, 0))
            for q, inertia in ((a, 2), (b, 5)):
                model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, inertia))
            mesh = model.constraint(a + 3 * b, name="mesh") if way == "constraint" else model.dependent(b, -a / 3)
            model.add(GeneralizedForce(a, 3), GeneralizedForce(b, -12))  # 7 on a, by the gear
            run = model.simulate(1, constraints=form)
            assert abs(run["a.ddot"][-1] - 7 / (2 + 5 / 9)) < 1e-9
            assert np.allclose(run["b"], -run["a"] / 3, atol=1e-12)
            assert abs(run.multipliers(mesh)[-1, 0] * (1 if way == "constraint" else 1 / 3) - (
                2 * run["a.ddot"][-1] - 3)) < 1e-7  # fmt: skip


def test_a_blade_on_ice_goes_in_a_circle():
    """A constraint of rates: closed form, and the force across the blade is m v omega."""
    model = Model("sled")
    x, y, h = model.coordinates("x y h", rates=(1, 0, 2))
    model.body("sled", tdisp(x, y, 0) * trotz(h), mass=1, inertia=(0, 0, 1))
    blade = model.constraint(y.dot * sympy.cos(h) - x.dot * sympy.sin(h), name="blade")
    for form in FORMS:
        run = model.simulate(3, method="dop853", tolerance=1e-10, constraints=form)
        assert np.allclose(run["x"], np.sin(2 * run.t) / 2, atol=1e-8)
        assert np.allclose(run["y"], (1 - np.cos(2 * run.t)) / 2, atol=1e-8)
        assert np.allclose(run.multipliers(blade)[:, 0], 2, atol=1e-7)


JOINTS = [
    ("revolute", 5), ("prismatic", 5), ("cylindrical", 4), ("spherical", 3), ("universal", 4), ("planar", 3),
    ("weld", 6), (("x", "y", "rz"), 3),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("joint", "equations"), JOINTS, ids=[str(j) for j, _ in JOINTS])
def test_joints_in_space(joint, equations):
    """A body with six coordinates on a spring, held by a joint: degrees of freedom, energy, the same in both forms."""
    model = Model("in space", gravity=(0, 0, -9.81))
    x, y, z, a, b, c = model.coordinates("x y z a b c", rates=(0.2, 0.1, -0.3, 0.4, -0.2, 0.5))
    T = tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c)
    block = model.body("block", T, mass=2, inertia=(0.1, 0.2, 0.15), com=(0.2, 0.1, -0.1))
    model.add(Spring((block, (0.3, 0, 0)), (ground, (1, 0.5, 0.2)), stiffness=30, free_length=0.5))
    joined = model.close(ground, block, joint=joint, name="joint")
    assert model.mobility().degrees_of_freedom == 6 - equations
    if equations == 6:
        run = model.simulate(0.05)
        assert np.abs(run.q).max() < 1e-12
        weight = run.reaction(joined).force[0] + model["block"].mass * np.array([0, 0, -9.81])
        assert np.isfinite(weight).all()
        return
    ends = []
    for form in FORMS:
        run = model.simulate(0.2, method="dop853", tolerance=1e-10, constraints=form, target="python")
        assert run.status == "finished"
        assert np.ptp(run.energy.balance) < 1e-7
        ends.append(run.q[-1])
        cut = run.reaction(block, "ground", efforts=True, carrying=[block])
        own, spring = run.reaction(joined).force, cut.force
        assert own.shape == spring.shape and np.isfinite(own).all()
    assert np.abs(ends[0] - ends[1]).max() < 1e-7


def test_a_rod_without_mass():
    """A distance instead of a body: a pendulum in Cartesian coordinates beside one with an angle."""
    model = Model("bead", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.6, -0.8))
    bead = model.body("bead", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    rod = model.close(bead, ground, joint="distance", length=1, name="rod")
    run = model.simulate(2, method="dop853", tolerance=1e-10, constraints="multipliers")
    other = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = other.coordinates("q", initial=np.arctan2(0.6, 0.8))
    other.body("bead", trotz(q) * tdisp(0, -1, 0), mass=2, inertia=(0, 0, 0))
    swing = other.simulate(2, method="dop853", tolerance=1e-11)
    assert np.allclose(run["x"], np.sin(swing["q"]), atol=1e-8)
    tension = 2 * (swing["q.dot"] ** 2 + 9.81 * np.cos(swing["q"]))
    assert np.allclose(np.linalg.norm(run.reaction(rod).force, axis=1), np.abs(tension), atol=1e-5)


def test_legs_that_yield_a_little_share_the_weight_as_springs_would():
    """Four equal ones, of which three would do: the least loads (in squares) that balance a weight off the middle."""
    model = Model("table", gravity=(0, 0, -9.81))
    x, y, z, a, b, c = model.coordinates("x y z a b c")
    T = tdisp(x, y, z) * trotz(c) * troty(b) * trotx(a)
    model.body("top", T, mass=10, inertia=(1, 1, 2), com=(0.2, -0.1, 0))
    feet = np.array([(0.5, 0.4), (0.5, -0.4), (-0.5, 0.4), (-0.5, -0.4)])
    for k, foot in enumerate(feet):
        model.constraint((T * tdisp(*foot, 0)).e.z, name=f"leg {k}")
    system = model.system(model.values(), "python", "recursive", kept=(~0, ~1, ~2, ~3))
    found = system.accelerations(0, np.zeros(10), np.zeros(10))
    balance = np.vstack([np.ones(4), feet.T])
    loads = np.linalg.pinv(balance) @ (98.1 * np.array([1, 0.2, -0.1]))
    np.testing.assert_allclose(found[6:], loads, rtol=1e-5)
    sinking = found[2] + feet @ (-found[4], found[3])  # of the feet
    np.testing.assert_allclose(sinking, -1e-10 / 10 * loads, rtol=1e-2)


def two_wheels():
    """In mesh; the angle of the first."""
    model = Model("gears")
    a, b = model.coordinates("a b")
    for q in (a, b):
        model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2))
    model.constraint(a + 3 * b, name="mesh")
    return model, a


def test_locks_that_leave_nothing_to_move_are_told():
    model, _ = two_wheels()
    run = model.simulate(0.1, locked=["a"], target="python")
    assert run.message.endswith("nothing can move: a is locked, and the loops hold all others")
    assert "nothing can move" not in model.simulate(0.1, locked={"a": (0.05, 0.06)}, target="python").message
    assert np.ptp(run["b"]) == 0


def test_what_has_no_solution_says_so():
    """An equation is no length; no way to assemble is an error that says why, not an empty list."""
    model, a = two_wheels()
    model.constraint(sympy.sin(a) - 2, name="steep")
    for ask in (model.assemble, model.assemblies):
        with pytest.raises(AssemblyError, match=r"numbers in sin\(a\) - 2 = 0 \(is there a solution at all\?\)"):
            ask()


def test_a_joint_of_shafts_is_not_planar():
    model = Model("shafts")
    a, b = model.coordinates("a b", initial=(0.3, 0.2))
    one, other = (model.body(name, T, mass=1, inertia=(1, 1, 1)) for name, T in (
        ("one", trotz(a)), ("other", trotx(0.6) * trotz(b))))  # fmt: skip
    model.close(one, other, joint="universal", name="cross")
    assert "'cross' joins what turns about one point: 3 of its 4 equations hold" in str(model.mobility())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_what_time_prescribes_is_no_parallel(form):
    """A crank turns as it is told, and a pendulum hangs from the slider, free: a and b do not stay as they are."""
    model = Model("driven", gravity=(0, -9.81, 0))
    a, b, x, c = model.coordinates("a b x c", initial=(0.4, -0.5, 1.27, 0.3))
    rod = trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.5, 0, 0)
    bodies = [model.body(name, T, mass=1, inertia=(0.1, 0.1, 0.1)) for name, T in (
        ("crank", trotz(a)), ("rod", rod), ("slider", tdisp(x, 0, 0)))]  # fmt: skip
    bob = tdisp(x, 0, 0) * trotz(c) * tdisp(0, -0.4, 0)
    model.body("bob", bob, mass=0.5, inertia=(0, 0, 0.01))
    model.close((bodies[1], (0.5, 0, 0)), bodies[2], joint="revolute", axis="z")
    model.constraint(a - 0.4 - 2 * t, name="drive")
    of_frames = Model("driven frames", gravity=(0, -9.81, 0))
    b, x, c = of_frames.coordinates("b x c", initial=(-0.5, 1.27, 0.3))
    turned = trotz(0.4 + 2 * t) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.5, 0, 0)
    coupler = of_frames.body("rod", turned, mass=1, inertia=(0.1, 0.1, 0.1))
    slider = of_frames.body("slider", tdisp(x, 0, 0), mass=1, inertia=(0.1, 0.1, 0.1))
    of_frames.body("bob", bob, mass=0.5, inertia=(0, 0, 0.01))
    of_frames.close((coupler, (0.5, 0, 0)), slider, joint="revolute", axis="z")
    tree = Model("by hand", gravity=(0, -9.81, 0))
    (swing,) = tree.coordinates("c", initial=0.3)
    turn = 0.4 + 2 * t
    place = 0.3 * sympy.cos(turn) + sympy.sqrt(1 - (0.3 * sympy.sin(turn)) ** 2)
    tree.body("bob", tdisp(place, 0, 0) * trotz(swing) * tdisp(0, -0.4, 0), mass=0.5, inertia=(0, 0, 0.01))
    options = {"method": "dop853", "tolerance": 1e-10, "save_every": 0.1}
    for locked in (None, {"c": (0.5, 1.2)}):
        expected = tree.simulate(2, locked=locked, **options)
        for each in (model, of_frames):
            run = each.simulate(2, constraints=form, locked=locked, **options)
            np.testing.assert_allclose(run["c"], expected["c"], atol=1e-8)
            np.testing.assert_allclose(run["c.dot"], expected["c.dot"], atol=1e-7)
            if each is model:
                np.testing.assert_allclose(run["a"], 0.4 + 2 * run.t, atol=1e-9)


def test_a_pair_of_links_that_time_drives_stays_parallel():
    """A parallelogram whose crank is told where to go, twice through its flat places: both cranks stay parallel."""
    model = Model("parallelogram", gravity=(0, -9.81, 0))
    a, b, c, d = model.coordinates("a b c d", initial=(0.5, -0.5, 0.5, 0.2))
    crank = model.body("crank", trotz(a), mass=1, inertia=(0.1, 0.1, 0.1))
    coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b), mass=1, inertia=(0.1, 0.1, 0.1))
    other = model.body("other", tdisp(2, 0, 0) * trotz(c), mass=1, inertia=(0.1, 0.1, 0.1))
    model.body("bob", crank.T * tdisp(1, 0, 0) * trotz(d) * tdisp(0.3, 0, 0), mass=0.2, inertia=(0, 0, 0))
    model.close((coupler, (2, 0, 0)), (other, (1, 0, 0)), joint="revolute", axis="z")
    model.constraint(a - 0.5 - 3 * t, name="drive")
    run = model.simulate(2.5, method="dop853", tolerance=1e-9)
    np.testing.assert_allclose(run["a"], 0.5 + 3 * run.t, atol=1e-8)
    np.testing.assert_allclose(run["c"], run["a"], atol=1e-8)
    np.testing.assert_allclose(run["b"], -run["a"], atol=1e-8)


@pytest.mark.parametrize("form", ["reduced", "multipliers"])
@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_a_parallelogram_that_starts_flat_goes_on_as_its_rates_say(form, method):
    """Two cranks of equal length, one of them offset, with a coupler that only shifts: beside that as an open tree."""
    model = Model("flat", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0, 0, pi / 2), rates=(6, -6, 6))
    rod = {"mass": 1, "inertia": (0, 0, 0.1)}
    model.body("crank", trotz(a), **rod, com=(0.5, 0, 0))
    coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b), **rod, com=(1, 0, 0))
    rocker = model.body("rocker", tdisp(2, 0, 0) * trotz(c), **rod, com=(0, -0.5, 0))
    model.close((coupler, (2, 0, 0)), (rocker, (0, -1, 0)), joint="revolute", name="pin")
    tree = Model("open", gravity=(0, -9.81, 0))
    (turn,) = tree.coordinates("a", rates=6)
    tree.body("crank", trotz(turn), **rod, com=(0.5, 0, 0))
    tree.body("coupler", trotz(turn) * tdisp(1, 0, 0) * trotz(-turn), **rod, com=(1, 0, 0))
    tree.body("rocker", tdisp(2, 0, 0) * trotz(turn), **rod, com=(0.5, 0, 0))
    options = {"method": method, "tolerance": 1e-9, "save_every": 0.1}
    run, expected = model.simulate(3, constraints=form, **options), tree.simulate(3, **options)
    np.testing.assert_allclose(run["a"], expected["a"], atol=1e-4 if method == "newmark" else 1e-7)
    np.testing.assert_allclose(run["b"], -run["a"], atol=1e-8)
    np.testing.assert_allclose(run["c"], run["a"] + pi / 2, atol=1e-8)
    assert run.energy.kinetic[0] == pytest.approx(expected.energy.kinetic[0], rel=1e-12)
    assert model.mobility().degrees_of_freedom == 1


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["dop853", "newmark"])
def test_a_bead_on_a_rod_passes_its_dead_points(method):
    """x = cos(a), y = sin(a): where y is zero the closed form of y ends, however it is scaled."""
    model = Model("bead on a rod", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.6, 0.8))
    bead = model.body("bead", tdisp(x, y, 0), mass=0.001, inertia=(0, 0, 0))
    model.close((bead, (0, 0, 0)), (ground, (0, 0, 0)), joint="distance", length=1)
    tree = Model("pendulum", gravity=(0, -9.81, 0))
    (a,) = tree.coordinates("a", initial=np.arctan2(0.8, 0.6))
    tree.body("bead", trotz(a) * tdisp(1, 0, 0), mass=0.001, inertia=(0, 0, 0))
    run = model.simulate(2, method=method, constraints="reduced", tolerance=1e-8)
    beside = tree.simulate(2, method=method, tolerance=1e-8)
    assert run.status == "finished" and sum("dead point" in h.name for h in run.events) == 2
    assert run["x"][-1] == pytest.approx(np.cos(beside["a"][-1]), abs=1e-6)
    assert run["y"][-1] == pytest.approx(np.sin(beside["a"][-1]), abs=1e-6)


@pytest.mark.parametrize("order", ["abx", "xba", "bax"])
def test_rates_that_were_given_are_kept_before_those_that_were_not(order):
    """The crank turns as its model says, in whatever order they were declared, wherever a run starts."""
    model = Model("slider-crank")
    start = {"a": (0.5, 6), "b": (-0.2, 0), "x": (1.3, 0)}
    q = {name: model.coordinate(name, initial=start[name][0], rate=start[name][1]) for name in order}
    a, b, x = q["a"], q["b"], q["x"]
    model.body("crank", trotz(a) * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0.05))
    rod = model.body("rod", trotz(a) * tdisp(0.4, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    slider = model.body("slider", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.close((rod, (0.5, 0, 0)), slider, joint=("x", "y"))
    assert model.assemble()["a.dot"] == pytest.approx(6, abs=1e-12)
    assert model.assemble({"x": 1.31})["a.dot"] == pytest.approx(6, abs=1e-12)
    found = model.assemble({"a": 0.5, "x.dot": -1.0})  # what is named comes first
    assert found["x.dot"] == pytest.approx(-1, abs=1e-12) and found["a.dot"] != pytest.approx(6, abs=0.1)


def crank_rocker():
    """The rocker swings between 1.534 and 2.591 rad."""
    model = Model("crank and rocker", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5))
    rod = {"mass": 1, "inertia": (0, 0, 0.05)}
    model.body("crank", trotz(a) * tdisp(0.3, 0, 0), **rod)
    coupler = model.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), **rod)
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), **rod)
    model.close((coupler, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute")
    return model


@pytest.mark.long
def test_a_value_that_is_named_is_kept_or_refused():
    """It never starts elsewhere in silence; what a study labels a row with is what the run began with."""
    model = crank_rocker()
    kept = model.simulate(0.01, initial={"c": 1.9})
    assert kept["c"][0] == 1.9 and "moving a from 1.2 to" in kept.message
    for value in (1.4, 2.6, 3.0):
        with pytest.raises(AssemblyError, match=f"cannot be assembled with c = {value:g} held: the loop over 'couple"):
            model.simulate(0.01, initial={"c": value})
    study = model.study(0.01, over={"c": [1.4, 1.9, 2.6]}, keep={"began": At("c", 0)}).run()
    assert np.isnan(study["began"][[0, 2]]).all() and study["began"][1] == 1.9
    assert study.failed.tolist() == [0, 2] and "c = 1.4 held" in study.messages[0]
    guesses = model.study(0.01, over={"c": [1.4, 1.9]}, initial={"b": -0.9}, keep={"began": At("c", 0)}).run()
    assert np.isnan(guesses["began"]).all() and "moving c = 1.9 to 1.66" in guesses.messages[1]


def test_angles_that_follow_are_unwound_along_coordinates(monkeypatch):
    """Not along what stands beside the coordinates; and all places between instants are asked for at once."""
    asked, along = [], CompiledSystem.along

    def seen(self, key, t, *states):
        asked.extend([len(t)] * (key == "solved"))
        return along(self, key, t, *states)

    monkeypatch.setattr(CompiledSystem, "along", seen)
    run = examples.macpherson().simulate(0.5, method="dop853")
    assert asked == [len(run)]  # at the instants, and nowhere between: it hardly moves
    asked.clear()
    run = examples.coupler_curve().simulate(3, method="dop853", save_every=0.1)
    assert len(asked) == 2 and asked[0] == len(run) < asked[1]
    closer = examples.coupler_curve().simulate(3, method="dop853", save_every=0.01)
    np.testing.assert_allclose(run.q, closer.q[::10], atol=1e-9)


@pytest.mark.parametrize("size", [2, 5, 30])
def test_steps_and_columns_of_assembling_are_those_of_their_definitions(size):
    """By inverses or least squares, all columns at once or one by one: regular, singular, and rows that are zero."""
    rng = np.random.default_rng(size)
    regular, g = rng.normal(size=(size, size)), rng.normal(size=2 * size)
    twice = np.concatenate([regular[:-1], regular[:1]])
    wide = rng.normal(size=(size, size + 3))
    spaced = np.zeros((2 * size, size))
    spaced[::2] = regular
    for J in (regular, spaced, twice, wide, 0 * regular):
        exact = np.linalg.pinv(J, rcond=1e-9) @ g[: len(J)]
        np.testing.assert_allclose(assembly._least(J, g[: len(J)]), exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())
    for rows in (wide, np.repeat(wide, 2, axis=0)):
        order, wanted = rng.permutation(len(rows)).tolist(), list[int]()
        for k in order:  # by what is left of a row beside those before it
            left = rows[k] - rows[wanted].T @ np.linalg.lstsq(rows[wanted].T, rows[k], rcond=None)[0]
            wanted += [k] if np.linalg.norm(left) > assembly.GOOD * np.linalg.norm(rows[k]) else []
        assert len(wanted) == size and assembly._independent_rows(rows, size, order, 1e-12) == wanted
