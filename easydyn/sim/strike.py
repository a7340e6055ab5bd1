"""Impacts in the loop: of contacts whose impulse nothing else takes part in (kernels).

An impulse P and the changes of the rates solve the system that a force and accelerations solve while a gap is closed:

    M dqd - J' P = 0,    J dqd = -(1 + e) J qd

so that the matrix of accelerations serves, with this gap closed. Where other contacts take part, where a gap has leapt,
and where impacts accumulate, nothing is changed here: such events are left to Python.
"""

from __future__ import annotations

from easydyn.sim.iteration import acceleration_matrix, all_finite, evaluate, solve
from easydyn.sim.loop import at_jump, restart, tiny
from easydyn.sim.run import DONE, EVENT, Run
from easydyn.sim.states import copy

TOUCH = 1e-9  # lengths, and as an acceleration: smaller gaps and pulls count as zero
STILL = 1e-12  # lengths per s (or s2): a gap of that rate neither opens nor strikes
LEFT = 1e-6  # lengths per s: a closed gap that opens more slowly is still closed
LEAP = 1e-6  # lengths: an open gap that is by so much below zero has not come there by a motion
APART = 1e-13  # of an impulse, or a rate: what takes part by less does not
PARTINGS = 3  # times that a gap below zero is brought back
RATE, ACCELERATION, RESTITUTION, NUMBERS = 1, 2, 3, 4  # of each gap, after the gap itself; all of them


def measure_gaps(s: Run) -> None:
    """All gaps at the present state."""
    s.time[0] = s.t + tiny(s.t) if at_jump(s, s.t) else s.t
    s.gaps(s.time, s.q, s.qd, s.qdd, s.gaps_constants, s.gap_values)


def is_closed(s: Run, k: int) -> bool:
    return s.q[int(s.gap_places[int(s.gap_place_start[k])])] != 0


def prepare(s: Run, k: int) -> bool:
    """The factors with which gap k responds; False where there are none."""
    first, last = int(s.gap_place_start[k]), int(s.gap_place_start[k + 1])
    for p in range(first, last):
        s.q[int(s.gap_places[p])] = 1.0
    copy(s.q, s.q_at, s.n)
    copy(s.qd, s.qd_at, s.n)
    copy(s.qdd, s.qdd_at, s.n)
    s.level = s.method.levels
    evaluate(s, s.q_at, s.qd_at, s.qdd_at)
    known = all_finite(s.f, s.n) and acceleration_matrix(s)
    s.level = 0
    for p in range(first, last):
        s.q[int(s.gap_places[p])] = 0.0
    return known


def response(s: Run, k: int, change: float) -> bool:
    """delta, by which q or qd are too large, and the impulse too small, where gap k, or its rate, is to lose a change.

    False where closed contacts take part.
    """
    for i in range(s.n):
        s.f[i] = 0.0
    s.f[int(s.gap_row[k])] = change
    s.level = s.method.levels
    solve(s, s.f, s.delta)
    s.level = 0
    most = APART * abs(s.delta[int(s.gap_unknown[k])])
    for j in range(s.number_of_gaps):
        if j != k and not abs(s.delta[int(s.gap_unknown[j])]) <= most:
            return False
    return all_finite(s.delta, s.n)


def bounce(s: Run) -> bool:
    """Give q and qd after the impacts of this instant; False where others take part."""
    prepared, struck = -1, 0
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        if s.fired[s.first_gap + k] != 0:
            if is_closed(s, k) or s.gap_values[at] < -LEAP or s.gap_values[at] > TOUCH:
                return False
            for _ in range(PARTINGS):
                gap = s.gap_values[at]
                if gap >= 0:
                    break
                if prepared != k and not prepare(s, k):
                    return False
                prepared = k if gap > -STILL else -1  # farther away others hold
                if not response(s, k, gap):
                    return False
                for i in range(s.n):
                    if s.first_order[i] == 0:
                        s.q[i] -= s.delta[i]
                measure_gaps(s)
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        rate = s.gap_values[at + RATE]
        if not is_closed(s, k) and s.gap_values[at] <= TOUCH and rate < -STILL:
            for j in range(s.number_of_gaps):
                s.gap_rates[j] = s.gap_values[NUMBERS * j + RATE]
            e = min(max(s.gap_values[at + RESTITUTION], 0.0), 1.0)
            if (prepared != k and not prepare(s, k)) or not response(s, k, (1 + e) * rate):
                return False
            for i in range(s.n):
                if s.first_order[i] == 0 or i == int(s.gap_unknown[k]):
                    s.qd[i] -= s.delta[i]
            measure_gaps(s)
            for j in range(s.number_of_gaps):
                near = is_closed(s, j) or s.gap_values[NUMBERS * j] <= TOUCH
                if j != k and near and abs(s.gap_values[NUMBERS * j + RATE] - s.gap_rates[j]) > -APART * rate:
                    return False
            if s.gap_values[at + RATE] < -STILL:
                return False
            struck += 1
    return struck > 0


def energy(s: Run) -> float:
    """The mechanical energy at the present state; 0 where nobody asks for it."""
    if s.has_energy == 0:
        return 0.0
    s.time[0] = s.t + tiny(s.t) if at_jump(s, s.t) else s.t
    s.energy(s.time, s.q, s.qd, s.qdd, s.energy_constants, s.gap_rates)
    return s.gap_rates[0]


def flies(s: Run) -> bool:
    """True where no contact that touches comes back so soon that it is at rest."""
    measure_gaps(s)
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        fall = -s.gap_values[at + ACCELERATION]
        if not is_closed(s, k) and s.gap_values[at] <= TOUCH and fall > STILL:
            if 2 * max(s.gap_values[at + RATE], 0.0) < s.gap_rest[k] * fall:
                return False
    return True


def strike(s: Run) -> int:
    """The impacts that have fired, as a row of `struck`; EVENT, and all as it was, where they are left to Python."""
    n, first = s.n, -1
    for e in range(s.number_of_events):
        if s.fired[e] != 0:
            k = e - s.first_gap
            if k < 0 or k >= s.number_of_gaps:
                return EVENT
            if first < 0:
                first = k
    row = s.struck_rows * (2 + 5 * n)
    s.struck[row] = s.t
    s.struck[row + 1] = s.first_gap + first
    for i in range(n):
        s.struck[row + 2 + i] = s.q[i]
        s.struck[row + 2 + n + i] = s.qd[i]
        s.struck[row + 2 + 2 * n + i] = s.qdd[i]
    before = energy(s)
    measure_gaps(s)
    approaches = s.gap_values[NUMBERS * first + RATE] < -STILL
    if not (approaches and bounce(s) and restart(s) == DONE and flies(s)):
        for i in range(n):
            s.q[i] = s.struck[row + 2 + i]
            s.qd[i] = s.struck[row + 2 + n + i]
            s.qdd[i] = s.struck[row + 2 + 2 * n + i]
        for level in range(s.method.levels + 1):
            s.has_factors[level] = 0
        return EVENT
    for i in range(n):
        s.struck[row + 2 + 3 * n + i] = s.q[i]
        s.struck[row + 2 + 4 * n + i] = s.qd[i]
    if s.has_energy:
        s.integral[s.m - 1] += energy(s) - before
    s.struck_rows += 1
    return DONE
