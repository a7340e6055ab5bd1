"""What does not take part costs nothing, and changes nothing: islands of forces, loads that are held in long chains."""

import numpy as np
import pytest

from easydyn import JointFriction, Model, RigidContact, tdisp, trotz
from easydyn.run.in_loop import groups_of
from easydyn.sim.cone import Bounds, by_least_squares
from easydyn.sim.cone import solve as solution


def test_islands_are_solved_as_if_each_were_alone(rng):
    """Several of one contact that rubs in a plane, mixed up: the cone of Coulomb holds for each, by itself."""
    count = 6
    order = rng.permutation(3 * count)
    A, b = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
    upper, share, normal = np.zeros(3 * count), np.zeros(3 * count), np.zeros(3 * count, dtype=int)
    pairs, alone = [], []
    for k in range(count):
        own, X = order[3 * k : 3 * k + 3], rng.standard_normal((3, 3))
        A[np.ix_(own, own)] = X @ X.T + np.eye(3)
        b[own] = rng.standard_normal(3) * 3
        upper[own], share[own], normal[own] = [np.inf, 0, 0], [0, 0.4, 0.4], own[0]
        pairs.append((own[1], own[2]))
        bounds = Bounds(np.zeros(3), np.array([np.inf, 0, 0]), np.array([0, 0.4, 0.4]), np.zeros(3, dtype=int))
        alone.append((own, solution(A[np.ix_(own, own)], b[own], bounds, [(1, 2)])))
    found = solution(A, b, Bounds(np.zeros(3 * count), upper, share, normal), pairs)
    a = A @ found.force + b
    for own, expected in alone:
        n, x, y = own
        assert found.force[own] == pytest.approx(expected.force, abs=1e-9)
        assert found.side[own].tolist() == expected.side.tolist()
        friction = found.force[[x, y]]
        assert found.force[n] >= 0 and a[n] >= -1e-9 and abs(found.force[n] * a[n]) < 1e-8
        assert np.hypot(*friction) <= 0.4 * found.force[n] + 1e-9
        if np.hypot(*a[[x, y]]) > 1e-6:  # it slides: against its acceleration
            assert friction == pytest.approx(-0.4 * found.force[n] * a[[x, y]] / np.hypot(*a[[x, y]]), abs=1e-7)


def test_forces_that_were_found_from_the_inside_are_exact(rng):
    """Those that do not press are zero, not nearly so; what presses has no rate left but rounding."""
    X, b = rng.standard_normal((40, 40)), 5 * rng.standard_normal(40)
    A = X @ X.T + np.eye(40)
    force = by_least_squares(A, b)
    rate, open_ = A @ force + b, force == 0
    assert force.min() == 0 and 0 < open_.sum() < 40
    assert rate[open_].min() > 0 and np.abs(rate[~open_]).max() < 1e-11


@pytest.mark.parametrize("late", [False, True])
def test_groups_are_made_where_the_rows_of_forces_are_in_their_places(late):
    """A state that is declared after the contacts comes before their forces in the equations, not in the unknowns."""
    model = Model("balls")
    heights = model.coordinates("y0 y1", initial=1)
    states = [] if late else model.states("p")
    for k, y in enumerate(heights):
        model.body(f"ball {k}", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
        model.add(RigidContact(y, restitution=0, name=f"c{k}"))
    (p,) = states or model.states("p")
    model.equation(p.dot + p)
    groups = groups_of(model.compile("python"))
    assert groups is None if late else groups.members == [[0], [1], [2], [0, 3], [1, 4]]


@pytest.mark.long
def test_a_long_chain_breaks_away_once_at_each_joint():
    """The load of a joint is a small difference in a long chain: none is taken for more than it can hold."""
    n, T = 30, trotz(0)
    model = Model("chain", gravity=(0, -9.81, 0))
    for k, q in enumerate(model.coordinates(" ".join(f"q{k}" for k in range(n)), initial=[1.0] + [0.1] * (n - 1))):
        T = T * trotz(q) * tdisp(0, -0.25, 0)
        model.body(f"link {k}", T, mass=1, inertia=(0, 0, 0.03))
        model.add(JointFriction(q, (n - k) / n))
        T = T * tdisp(0, -0.25, 0)
    stepper = model.stepper()
    stepper.advance(0.3)
    told = [(h.name, h.what) for h in stepper.events]
    assert stepper.agenda.landings <= len(told) + 1
    exact = model.simulate(0.3, method="newmark_extrapolated", tolerance=1e-8)
    assert told == [(h.name, h.what) for h in exact.events]
    assert [h.t for h in stepper.events] == pytest.approx([h.t for h in exact.events], abs=1e-4)
