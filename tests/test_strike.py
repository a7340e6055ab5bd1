"""Impacts in the loop: their kernels in Python, on contacts by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from easydyn.errors import FunctionError
from easydyn.sim import strike
from easydyn.sim.cone import guessed
from easydyn.sim.functions import Guarded
from easydyn.sim.run import DONE, EVENT


def test_what_was_opened_is_closed_again_with_its_compliance():
    """Flags stand at places 0, 1 and 3, compliances at 2 and at 4 and 5, of three gaps; that of place 6 is open."""
    closed = [1.0, 1.0, 3e-9, 1.0, 4e-8, 4e-8, 0.0, 0.0]
    s = SimpleNamespace(
        number_of_gaps=3, q=closed.copy(), gap_opened=[0.0] * 3, renewed_by_now=0,
        gap_places=[0, 1, 2, 3, 4, 5, 6, 7], gap_place_start=[0, 3, 6, 8], gap_soft_start=[2, 4, 7],
    )  # fmt: skip
    for k in (0, 1):
        strike.set_open(s, k)
    assert s.q == [0.0] * 8 and s.gap_opened == [3e-9, 4e-8, 0.0] and s.renewed_by_now == 1
    strike.close_again(s)
    assert s.q == closed


def test_a_load_is_shared_as_it_is_known_better_by_contacts_ever_less_soft():
    """Two contacts beside each other, which the motion tells apart by 5e-10 of what they move."""
    most, m, e = strike.MOST, 2, 1e-9
    s = SimpleNamespace(gap_active=[0, 1], gap_lack=[-1.0, -1.0 - 0.3 * e], mobility=[0.0] * most * m)
    for name in "gap_impulse gap_near gap_pushes gap_wrong".split():
        setattr(s, name, [0.0] * m)
    s.mobility_factors = [0.0] * most * m
    s.mobility[0], s.mobility[1], s.mobility[most], s.mobility[most + 1] = 1.0, 1.0, 1.0, 1 + e
    assert strike.shared(s, m)
    assert strike.left_by(s, m) < strike.EXACT and s.gap_impulse == pytest.approx([0.7, 0.3], abs=1e-3)


def test_a_gap_changes_along_its_own_slopes():
    """Of three gaps, by four coordinates: 2 x0, none, and 3 x1 - 5 x3."""
    s = SimpleNamespace(
        number_of_gaps=3, gap_slope_start=[0, 1, 1, 3], gap_column=[0, 1, 3],
        gap_values=[9.0] * strike.NUMBERS * 3 + [2.0, 3.0, -5.0],
    )  # fmt: skip
    assert [strike.along(s, k, [1.0, 10.0, 100.0, 1000.0]) for k in range(3)] == [2, 0, 30 - 5000]


@pytest.mark.parametrize("fired, gap", [
    ([0, 0, 0, 1, 0], 1), ([0, 0, 1, 1, 0], 0), ([1, 0, 0, 1, 0], -1), ([0, 0, 0, 0, 1], -1),
])  # fmt: skip
def test_the_first_gap_that_has_fired_is_struck_but_beside_other_events_none(monkeypatch, fired, gap):
    """Of five events the third and the fourth are of gaps."""
    struck, row = [], [0.5, 2 + gap, 0, 1, 2, 3, 1, -2]
    s = SimpleNamespace(n=1, number_of_events=5, first_gap=2, number_of_gaps=2, fired=fired, struck_rows=1, t=0.5)
    s.q, s.qd, s.qdd, s.struck, s.gap_opened, s.renewed_by_now, s.has_energy = [1], [2], [3], [0] * 16, [1, 1], 0, 0

    def strikes(s, first):
        struck.append(first)
        s.qd[0] = -2
        return True

    for name, one in (("is_closed", lambda s, k: False), ("energy", lambda s: 0.0), ("strikes", strikes)):
        monkeypatch.setattr(strike, name, one)
    assert strike.strike(s) == (DONE if gap >= 0 else EVENT)
    assert struck == ([gap] if gap >= 0 else []) and s.struck == [0] * 8 + (row if gap >= 0 else [0] * 8)


def test_contacts_that_feel_others_join_them_with_all_of_the_mobility(monkeypatch, rng):
    """Of four gaps two are struck, another feels them, and the last does not, as it moves something else."""
    W, inverse = rng.normal(size=(4, 5)), np.diag(rng.uniform(1, 2, 5))
    W[3], W[:3, 4] = np.eye(5)[4], 0.0
    s = SimpleNamespace(number_of_gaps=4, gap_feels=[2.0, 1.0, 2.0, 1.0], gap_active=[2.0, 0.0] + [0.0] * 6)
    s.gap_impulse, s.mobility = np.zeros(8), np.full(strike.MOST**2, np.nan)

    def carry(s, first, last):
        s.delta = inverse @ sum(W[int(s.gap_active[a])] * s.gap_impulse[a] for a in range(first, last))
        return True

    for name, one in (("carry", carry), ("along", lambda s, k, x: W[k] @ x), ("shared", lambda s, count: count == 3)):
        monkeypatch.setattr(strike, name, one)
    assert strike.push(s, 2) and s.number_active == 3 and s.gap_feels == [2, 2, 2, 1] and s.gap_active[:3] == [2, 0, 1]
    some = W[[2, 0, 1]]
    np.testing.assert_allclose(s.mobility.reshape(strike.MOST, -1)[:3, :3], some @ inverse @ some.T, rtol=1e-14)


def test_what_is_guessed_to_be_open_is_pushed_where_it_would_close():
    """By however little beside the others: 1e-9 of them is no rounding, 1e-13 is."""
    free = np.array([False, False, True])
    for unit in (1.0, 2.0**20, 2.0**-20):
        for closing, expected in ((-0.5, 0.5), (-1e-9, 1e-9), (-1e-13, 0.0)):
            found = guessed(np.eye(3), unit * np.array([closing, 1.0, -1.0]), free, free)
            assert (found / unit).tolist() == [expected, 0.0, 1.0]


def test_what_a_function_raises_has_the_time_of_its_call():
    def wrong(time, q):
        raise ZeroDivisionError

    with pytest.raises(FunctionError) as told:
        Guarded(wrong, "the force")(2.5, 7.0)
    assert told.value.time == 2.5
