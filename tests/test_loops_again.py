"""Loops that are run again, with other starts and lengths, in any order: as the first time, and at once."""

from types import SimpleNamespace

import numpy as np
import pytest
from mechanisms.squeezer import squeezer

from easydyn import Model, tdisp, trotz
from easydyn.constraints import search
from easydyn.constraints.assembly import Constraints
from easydyn.errors import DeadPointError, InputError, StepSizeError
from easydyn.model import solving
from easydyn.run import simulation
from easydyn.run.closing import Closing


def four_bar():
    """With lengths that are parameters."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    l1, l2, l3 = model.parameters(l1=0.3, l2=0.8, l3=0.6)
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5), rates=(2, 0, 0))
    rod = {"mass": 1, "inertia": (0, 0, 0.03)}
    model.body("crank", trotz(a) * tdisp(l1 / 2, 0, 0), **rod)
    coupler = model.body("coupler", trotz(a) * tdisp(l1, 0, 0) * trotz(b) * tdisp(l2 / 2, 0, 0), **rod)
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(l3 / 2, 0, 0), **rod)
    model.close((coupler, (l2 / 2, 0, 0)), (rocker, (l3 / 2, 0, 0)), joint="revolute", name="pin")
    return model


STARTS = [
    {},
    {"initial": {"a": 0.4}},
    {"initial": {"a": 1.2, "b": 0.5, "c": 3.6}},  # the other side
    {"parameters": {"l3": 0.55}},
    {"parameters": {"l1": 0.6, "l2": 0.9, "l3": 0.6}, "initial": {"a": 1.0, "b": -1.0, "c": 1.0}},  # a parallelogram
    {"initial": {"a": 1.2, "c": 1.5}},
]


def ended(model, start):
    run = model.simulate(0.2, method="dop853", tolerance=1e-9, save_every=0.1, target="python", **start)
    return np.concatenate([run.q.ravel(), run.qd.ravel(), run.qdd.ravel()])


def test_what_was_run_before_changes_nothing():
    alone = [ended(four_bar(), start) for start in STARTS]
    model = four_bar()
    for k in (3, 1, 4, 0, 2, 5, 1, 0, 4):
        np.testing.assert_array_equal(ended(model, STARTS[k]), alone[k], err_msg=str(STARTS[k]))


def test_another_start_is_not_searched_again(monkeypatch):
    """Closed forms are searched for once; at other starts they are looked at, with the signs that they have there."""
    model = four_bar()
    ended(model, STARTS[0])
    monkeypatch.setattr(search.Search, "_round", lambda self: pytest.fail("the closed forms are searched again"))
    runs = [ended(model, STARTS[k]) for k in (1, 2, 3)]
    assert abs(runs[0] - runs[1]).max() > 0.1


def test_what_is_kept_has_a_bound():
    model, pins = squeezer()
    for k in range(solving.MOST + 3):
        model.assemble({"beta": -0.06 + 1e-4 * k}, hold=["beta"])
    assert len(model._recent) == solving.MOST
    assert pins


# -- step by step


@pytest.mark.long
def test_steppers_by_both_forms_go_where_a_run_goes():
    model = squeezer()[0]
    run = model.simulate(0.01, method="dop853", tolerance=1e-10, save_at=[0, 0.01])
    for constraints in ("reduced", "multipliers"):
        stepper = model.stepper(method="dop853", tolerance=1e-10, constraints=constraints)
        stepper.advance(0.01)
        there = dict(zip(stepper.names, stepper.q, strict=True))
        own = [name for name in run.names if name in there]
        assert len(own) == (1 if constraints == "reduced" else 7)
        assert all(abs(there[name] - run[name][-1]) < 1e-8 for name in own)
    with pytest.raises(InputError, match="constraints='loops': expected \"reduced\" or \"multipliers\""):
        model.stepper(constraints="loops")


def test_a_stepper_by_independent_coordinates_ends_at_a_dead_point():
    """A slider that pulls a crank straight cannot say where it goes on."""
    model = Model("slider drives", gravity=(0, 0, 0))
    x, a = model.coordinates("x a", initial=(1.6, 0.6), rates=(2, 0))
    slider = model.body("slider", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    crank = model.body("crank", trotz(a), mass=1, inertia=(0, 0, 0.1), com=(0.5, 0, 0))
    model.close((crank, (1, 0, 0)), slider, joint="distance", length=1.0)
    stepper = model.stepper(method="dop853", constraints="reduced")
    with pytest.raises(DeadPointError, match="a closed form ends at t = "):
        stepper.advance(1)
    assert 0 < stepper.t < 1


def test_other_masses_are_no_other_lengths(monkeypatch):
    """Loops are assembled once for all values of what does not decide how they close; with other lengths anew."""
    calls, assemble = [], Constraints.assemble
    monkeypatch.setattr(Constraints, "assemble", lambda *given: calls.append(1) or assemble(*given))
    model = four_bar()
    (load,) = model.parameters(load=1.0)
    model.body("load", model.bodies[0].T, mass=load, inertia=(0, 0, 0.1 * load))
    values = model.values()
    closed, redundancy = model.solver.closed(None, values)
    count = len(calls)
    assert model.solver.closed(None, values | {"load": 2.0})[0] is closed and len(calls) == count
    longer, same = model.solver.closed(None, values | {"l2": 0.81})
    assert abs(longer.q - closed.q).max() > 1e-3 and len(calls) == count + 1
    assert model.solver.constraints_at(values).lengths == ["l1", "l2", "l3"]
    # planar rows out of the plane say nothing anywhere; the others count without a look beside
    assert same.kept == redundancy.kept == (0, 1) and same.known.tolist() == [True, True, False, False, False]
    assert (same.degrees_of_freedom, same.dependent) == (1, ())


def test_rows_that_count_are_found_without_a_look_beside(monkeypatch):
    """As by samples, where these are looked at."""
    model = four_bar()
    at, q = model.solver.constraints_at(model.values()), model.solver.closed(None, model.values())[0].q
    at_once = at.redundancy(q)
    monkeypatch.setattr("easydyn.constraints.assembly._smallest", lambda J, rank: 0.0)
    by_samples = at.redundancy(q)
    for name in ("kept", "degrees_of_freedom", "dependent"):
        assert getattr(at_once, name) == getattr(by_samples, name)
    assert at_once.known.tolist() == by_samples.known.tolist()
    beside = np.sign([x - q for x in at.samples(q)[1:]]).tolist()
    assert len(beside) == 4 and [-x for x in beside[0]] in beside  # on both sides


def test_rows_of_any_size_go_on_in_one_way():
    """It is their directions that count where a run starts."""
    for rows, regular in (([[3e5, 1e5], [-1e-5, 3e-5]], True), ([[3e5, 1e5], [3e-5, 1e-5]], False)):
        system = SimpleNamespace(mechanism=SimpleNamespace(rows=rows, carried=[0, 1]), n=2, at=lambda *_, J=rows: J)
        assert Closing._one_way(None, system, 0.0, np.zeros(2), np.zeros(2)) is regular


@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_other_initial_values_are_assembled_by_one_iteration(monkeypatch, form):
    """Where no angles keep their difference their rates tell it; rows are known from the first run."""
    model = four_bar()
    model.simulate(0.01, constraints=form, initial={"a": 1.21})
    calls, newton = [], Constraints.newton
    monkeypatch.setattr(Constraints, "newton", lambda *given: calls.append(1) or newton(*given))
    model.simulate(0.01, constraints=form, initial={"a": 1.22})
    assert len(calls) == 1


@pytest.mark.parametrize("size, rows, kept", [
    (1.0, (1e-16, 2e-16), ()), (1.0, (1e5, 2e-8, 9e-9), (0, 1)), (1e-3, (3e-5, 2e-16, 9e-17), (0, 1)),
    (1e3, (3.0, 4e-13, 2e-13), (0, 1)), (1e3, (2e-13, 9e-14), (0,)),
])  # fmt: skip
def test_rows_that_rounding_leaves_are_told_from_small_ones(size, rows, kept):
    """Of 1e-13 of the largest row, or of the size of a small mechanism; in any one, and with any sign."""
    J = np.column_stack([np.array(rows) / 2, -np.array(rows)])
    expected = [x if k in kept else 1.0 for k, x in enumerate(rows)]
    assert Constraints._sizes(J, size).tolist() == expected


def test_angles_that_turn_alike_do_so_all_along_a_walk():
    """Of two that differ by what is twice 0.1 rad, the same, or the opposite; at one place all are alike."""
    model = Model("angles")
    a, b = model.coordinates("a b")
    undriven = SimpleNamespace(dependent=lambda q, names: [1])
    at = SimpleNamespace(angles=[True, True], undriven=undriven)
    one = SimpleNamespace(q=np.array([0.0, 0.5]), at=at, coordinates=[a, b], by={}, unknown=[b])
    for slope, found in ((2.0, []), (1.0, [1.0]), (-1.0, [-1.0])):
        walk = np.array([[0.0, 0.5], [0.1, 0.5 + 0.1 * slope], [-0.2, 0.5 - 0.2 * slope]])
        assert [x.slope for x in search.Search._candidates(one, walk)] == found


def test_columns_that_say_the_same_follow_by_their_rates_only():
    """Of three columns and two equations the largest is taken, then the one that says most beside it."""
    J = np.array([[1.0, 0.9, 0.0], [0.0, 0.1, 0.5], [9.0, 9.0, 9.0]])
    at = SimpleNamespace(jacobian=lambda q: J, of_place=np.array([True, True, False]), size=lambda q: 1.0)
    at.scaled = lambda x, size: x
    assert Constraints.followers(at, np.zeros(3), [0, 1, 2]) == [1]


def test_of_several_ways_to_close_the_nearest_is_taken():
    """An angle and a length, in turns of the size: what is nearest to where it is, not to zero, nor in metres."""
    ways = iter([[0.1, 0.1], [5.0, 2.0], [7.0, 1.0], [6.0, 1.2], [6.0, 2.6]])
    at = SimpleNamespace(n=2, names=["a", "x"], angles=np.array([True, False]), newton=lambda *_: np.array(next(ways)))
    at.size, at._once, at._reached = lambda q: 0.1, lambda *_: None, None
    at.dependent_near, at.unturned = lambda q, hold: [0], lambda x, q: x
    assert Constraints.place(at, np.array([6.0, 2.0]), []).tolist() == [5, 2]


def test_rows_that_follow_from_others_hold_of_mechanisms_of_no_size():
    """Turns about one point have no length to compare with: 1e-9 is rounding, 2e-8 is not."""
    model = Model("shafts")
    a, b = model.coordinates("a b")
    for q in (a, b):
        model.body(f"shaft {q}", trotz(q), mass=1, inertia=(0, 0, 1))
    for times in (1, 2):
        model.constraint(times * (a - b))
    system = model.compile("python")
    for apart, is_open in ((0.0, 0), (4e-10, 0), (1e-8, 1)):
        assert system.at("projection", 0.0, np.array([apart, 0, 0]), *np.zeros((2, 3)))[-1] == is_open


def test_of_runs_that_all_end_the_one_that_came_furthest_says_why(monkeypatch):
    monkeypatch.setattr(simulation, "near", lambda setup, request: setup)
    setup = SimpleNamespace(name="m", closing=SimpleNamespace(redundancy=SimpleNamespace(dependent=True)))
    request = SimpleNamespace(progress=None, t_start=0.0)
    for times in ((0.1, 0.3), (0.3, 0.1)):
        ends = iter(times)

        def end(*_, ends=ends):
            raise StepSizeError("no step is short enough", time=next(ends))

        monkeypatch.setattr(simulation, "simulate", end)
        with pytest.raises(StepSizeError) as refused:
            simulation.made(lambda way: setup, request, "multipliers")
        assert refused.value.time == 0.3
