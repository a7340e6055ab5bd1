"""Contacts that a run cannot reach are left out of it, and nothing but its cost tells so."""

import numpy as np
import pytest
import sympy

from easydyn import Contact, GeneralizedForce, Model, Spring, ground, shapes, t, tdisp, trotz
from easydyn.errors import StepSizeError
from easydyn.run import reach, simulation
from easydyn.run.setup import setup_of
from easydyn.sim.request import Request

METHODS = "newmark", "lobatto", "dop853", "newmark_extrapolated"
NAMES = [f"{axis}{k}" for k in range(4) for axis in "xya"]


def discs(walls, count=4, **options):
    """Discs that fall into a box, and walls that are so far away that none of them gets there."""
    model, chance, ends = Model("discs", gravity=(0, -9.81, 0)), np.random.default_rng(1), []
    for k in range(count):
        start, speed = (0.13 * k - 0.3, 0.1 + 0.05 * chance.random(), 0), (chance.random(), 0, 0)
        x, y, a = model.coordinates(f"x{k} y{k} a{k}", initial=start, rates=speed)
        body = model.body(f"disc {k}", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.001))
        ends.append((body, shapes.Disc(0.05)))
    planes = [(0, (0, 1)), (0.5, (1, 0)), (0.5, (-1, 0)), *((100 + k, (1, 0)) for k in range(walls))]
    faces = [((ground, tdisp(*(-away * c for c in n), 0)), shapes.HalfPlane(n)) for away, n in planes]
    model.add(*Contact.between([*ends, *faces], **{"restitution": 0.5} | options))
    return model


def row(count=4, wall=40.0, ratio=0.02, walls=12):
    """Balls in a row, each much lighter than the one before: the speed of the first grows from one to the next."""
    model, ends = Model("cannon"), []
    for k in range(count):
        x, = model.coordinates(f"x{k}", initial=0.3 * k, rates=1.0 if k == 0 else 0.0)
        body = model.body(f"ball {k}", tdisp(x, 0, 0), mass=ratio**k, inertia=(0, 0, 0))
        ends.append((body, shapes.Sphere(0.1)))
    faces = [((ground, tdisp(wall + k, 0, 0)), shapes.Plane((-1, 0, 0))) for k in range(walls)]
    model.add(*Contact.between([*ends, *faces], restitution=1))
    return model


@pytest.fixture
def left_out(monkeypatch):
    """How many contacts each run has left out, in a list."""
    found, near = [], reach.near

    def noted(setup, request):
        made = near(setup, request)
        found.append(setup.system.n - made.system.n)
        return made

    monkeypatch.setattr(simulation, "near", noted)
    return found


@pytest.fixture(scope="module")
def both():
    """A model without walls that are far, and one with ten."""
    return discs(0), discs(10)


@pytest.mark.parametrize("method", METHODS)
def test_walls_that_are_far_change_no_digit(method, both, left_out):
    near, far = (model.simulate(0.4, method=method) for model in both)
    assert left_out == [0, 40] and len(near.events) >= 8
    assert [(e.name, e.what) for e in near.events] == [(e.name, e.what) for e in far.events]
    assert near.stats.steps == far.stats.steps and near.t.shape == far.t.shape
    assert max(np.abs(near[name] - far[name]).max() for name in NAMES) < 1e-12
    assert np.abs(near.energy.total - far.energy.total).max() < 1e-12


def test_what_is_left_out_stands_in_the_run_as_open(left_out):
    model = discs(10, friction=0.3)
    run = model.simulate(0.3, save_every=0.01)
    whole = model.compile()
    assert left_out == [80] and run.names == whole.names and run.q.shape == (len(run), whole.n)
    assert run.held_names == tuple(whole.mechanism.held) and run.held.shape[1] == len(run.held_names)
    assert not run["touch_1_13.dot"].any() and not run["touch_1_13.closed"].any()
    assert run["touch_1_5"].max() > 1
    stepper = model.stepper()
    assert len(stepper.q) == whole.n  # one that may go on for ever has all


def test_a_ball_that_others_make_fast_reaches_the_wall(left_out, monkeypatch):
    """7.5 times as fast as the first: within 8 s it is at 40 m, where its rate at the start leads to 8 m."""
    model = row()
    runs = [model.simulate(8, tolerance=1e-9)]
    assert left_out == [48]
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    runs.append(model.simulate(8, tolerance=1e-9))
    walls = [[(e.name, e.t) for e in run.events if int(e.name.split("_")[2]) > 4] for run in runs]
    assert walls[0] and walls[0] == walls[1] and np.array_equal(runs[0].q, runs[1].q)
    assert runs[0].status == runs[1].status == "finished"


@pytest.mark.parametrize(("seed", "every"), [
    (seed, every) if every is (None, 0.05)[seed % 2] else pytest.param(seed, every, marks=pytest.mark.long)
    for seed in range(4) for every in (None, 0.05)
])  # fmt: skip
def test_runs_of_few_contacts_are_those_of_all(seed, every, left_out, monkeypatch):
    """Where far too much is left out, so that many of these contacts close after all."""
    chance = np.random.default_rng(seed)
    span, speed = float(chance.uniform(0.3, 2)), float(chance.uniform(0.5, 3))
    monkeypatch.setattr(reach, "FAR", 0.05)
    monkeypatch.setattr(reach, "CLEAR", 1.0)
    options = {"method": METHODS[seed % 4], "tolerance": 1e-8, "save_every": every, "initial": {"x0.dot": speed}}
    few = row(3, 2.0, 0.3, 6).simulate(span, **options)
    assert left_out[0] > 0
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    every = row(3, 2.0, 0.3, 6).simulate(span, **options)
    assert [(e.name, round(e.t, 7)) for e in few.events] == [(e.name, round(e.t, 7)) for e in every.events]
    assert np.allclose(few.q[-1], every.q[-1], atol=1e-7) and few.q.shape == every.q.shape


def test_a_run_that_fails_is_made_again_with_all(monkeypatch):
    asked, drive = [], simulation.drive

    def failing(functions, request, **start):
        asked.append(start["names"])
        return drive(functions, request, **start)

    monkeypatch.setattr(simulation, "drive", failing)
    model = row()
    with pytest.raises(StepSizeError, match="ball|x0|step"):
        model.simulate(3, min_step=1.0)
    assert [len(names) for names in asked] == [model.compile().n - 48, model.compile().n]


@pytest.mark.parametrize("what", ["function", "event", "read", "controller", "few"])
def test_what_may_move_otherwise_keeps_all_contacts(what, left_out):
    model = row(walls=2 if what == "few" else 12)
    wall = model.mechanism.efforts[-1]
    if what == "event":
        model.event(t - 0.1, action=lambda instant: instant.note("half"))
    if what == "read":
        model.event(wall.states[0].dot - 1, action="stop")
    if what == "controller":
        model.input("u")
        model.controller(0.1, lambda t, outputs: {"u": 0.0})
    if what == "function":
        model.input("u")
    inputs = {"u": lambda t: 0.0} if what == "function" else {}
    model.simulate(4, inputs=inputs)  # in 0.2 s more is far, but some of it only just
    assert left_out == [0]


def pushed(what):
    """Balls in a row that something acts on, and the options of a run."""
    model, options = row(ratio=0.5), {}
    first, last, count = model.symbols["x0"], model.symbols["x3"], model.state("count", unit="1", scale=2.0)
    model.equation(count.dot - sympy.sin(first))
    if what == "event":
        model.event(last - 1.1, action={last.dot: -0.5 * last.dot, count: count + 3}, name="turned")
    elif what == "lock":
        model.lock(last, locked=False)
        options = {"locked": {"x3": [(0.05, 0.2)]}}
    else:
        u = model.input("u", 0.5)
        model.add(GeneralizedForce(last, u))
        given = {"table": ([0.0, 0.1, 0.1, 1.0], [1.0, 1.0, -2.0, 3.0]), "number": -1.0}
        options = {"inputs": {"u": given.get(what, last + first.dot + t)}}
    return model, options


@pytest.mark.parametrize("what", [
    "event", "number", *(pytest.param(x, marks=pytest.mark.long) for x in ("lock", "table", "formula"))
])  # fmt: skip
def test_what_acts_on_bodies_changes_nothing_for_what_is_far(what, left_out, monkeypatch):
    model, options = pushed(what)
    few = model.simulate(0.4, tolerance=1e-9, **options)
    assert left_out == [48] and few.status == "finished"
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    whole = model.simulate(0.4, tolerance=1e-9, **options)
    assert [(e.name, e.what) for e in few.events] == [(e.name, e.what) for e in whole.events]
    assert few.names == whole.names and few.held_names == whole.held_names and few.held.shape[1] == whole.held.shape[1]
    assert few.q[-1] == pytest.approx(whole.q[-1], abs=1e-8) and few.held[-1] == pytest.approx(whole.held[-1], abs=1e-8)
    assert few["count"][-1] == pytest.approx(whole["count"][-1], abs=1e-8) and few["count"][-1] > 3 * (what == "event")
    assert few.integrals[-1] == pytest.approx(whole.integrals[-1], rel=1e-7, abs=1e-8)
    assert np.ptp(few.energy.balance) < 1e-8


@pytest.mark.parametrize("way", ["reduced", pytest.param("multipliers", marks=pytest.mark.long)])
def test_loops_leave_out_what_is_far(way, left_out, monkeypatch):
    """A ball on the coupler of a four-bar strikes another one, and neither comes near the walls."""
    model = Model("loop", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.4), rates=(3, 0, 0))
    x, y = model.coordinates("x y", initial=(0.1, 0.75))
    bar, rod = {"mass": 1, "inertia": (0, 0, 0.02)}, trotz(a) * tdisp(0.4, 0, 0) * trotz(b)
    model.body("crank", trotz(a) * tdisp(0.2, 0, 0), **bar)
    coupler = model.body("coupler", rod * tdisp(0.5, 0, 0), **bar)
    rocker = model.body("rocker", tdisp(0.8, 0, 0) * trotz(c) * tdisp(0.4, 0, 0), **bar)
    model.close((coupler, (0.5, 0, 0)), (rocker, (0.4, 0, 0)), joint="revolute")
    ball = model.body("ball", tdisp(x, y, 0), mass=0.3, inertia=(0, 0, 0))
    walls = [((ground, tdisp(-100 - k, 0, 0)), shapes.HalfPlane((1, 0))) for k in range(10)]
    model.add(*Contact.between([((coupler, tdisp(-0.5, 0, 0)), shapes.Disc(0.1)), (ball, shapes.Disc(0.1)), *walls],
                               restitution=0.5))  # fmt: skip
    options = {"constraints": way, "tolerance": 1e-9}
    few = model.simulate(0.5, **options)
    assert left_out == [20] and few.status == "finished" and len(few.events) >= 1
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    whole = model.simulate(0.5, **options)
    assert few.names == whole.names and few.held_names == whole.held_names and few.message == whole.message
    assert [e.name for e in few.events] == [e.name for e in whole.events]
    assert few.q[-1] == pytest.approx(whole.q[-1], abs=1e-7) and few.qdd[-1] == pytest.approx(whole.qdd[-1], abs=1e-5)
    assert np.abs(few.energy.total[-1] - whole.energy.total[-1]) < 1e-7


def test_springs_and_driven_frames_leave_out_what_is_far(left_out, monkeypatch):
    """The work of the drive comes after that of friction which is left out."""
    model = row(ratio=0.5)
    lift = model.body("lift", tdisp(0, 0, 30 + t**2), mass=1, inertia=(0, 0, 0))
    rough = Contact((lift, shapes.Sphere(0.1)), (ground, shapes.Plane((0, 0, 1))), restitution=0, friction=0.1)
    model.add(Spring(*model.mechanism.bodies[:2], stiffness=20, free_length=0.3), rough)
    few = model.simulate(0.4, tolerance=1e-9)
    assert left_out[0] >= 49 and not few.work(rough).any()
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    whole = model.simulate(0.4, tolerance=1e-9)
    assert few.integrals.shape[1] == whole.integrals.shape[1] == 2
    assert few.integrals[-1] == pytest.approx(whole.integrals[-1], abs=1e-8) and few.integrals[-1, 1] > 0.1
    assert few.q[-1] == pytest.approx(whole.q[-1], abs=1e-8) and np.ptp(few.energy.balance) < 1e-8


def test_what_comes_near_and_leaves_behind_a_wall_that_stays_is_seen(left_out):
    """A ball falls along a wall, in steps that are longer than the way to the post below it and on."""
    model = Model("fall", gravity=(9.81, 0, 0))
    x, y, a = model.coordinates("x y a")
    ball = model.body("ball", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.01))
    posts = [((ground, tdisp(1e4 + 50 * k, 0, 0)), shapes.Disc(0.1)) for k in range(10)]
    wall = (ground, tdisp(0, 25, 0)), shapes.HalfPlane((0, -1))
    model.add(*Contact.between([(ball, shapes.Disc(0.1)), *posts, wall], restitution=0.5))
    run, again = (model.simulate(60, method="dop853") for _ in range(2))
    assert left_out == [11, 0]  # it was wrong once
    assert [e.t for e in run.events] == [e.t for e in again.events]
    assert run.events[0].t == pytest.approx(np.sqrt(2 * (1e4 - 0.2) / 9.81), rel=1e-9)


def test_forces_that_others_take_from_a_contact_keep_all():
    """The load of a wall that is far stands in the formula of another force."""
    model = row()
    wall = model.mechanism.efforts[-1]
    setup = setup_of(model, 0.0, target="python")
    assert reach.near(setup, Request(8)).system.n == setup.system.n - 48
    model.add(GeneralizedForce(model.symbols["x0"], wall.states[0].dot))
    setup = setup_of(model, 0.0, target="python")
    assert reach.near(setup, Request(8)) is setup
