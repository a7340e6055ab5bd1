"""Impacts in the loop: of contacts, and of the closed ones that feel them (kernels).

An impulse P on the contacts that feel each other changes their rates by A P, where

    A = J M^-1 J',    M (qd+ - qd-) = J' P

and P only pushes, as in run/impacts.py: P >= 0, A P + b >= 0, one of both zero. What opens here is open. What comes to
rest, a gap that has leapt, and more contacts than there is room for are left to Python: nothing is changed here then.
"""

from __future__ import annotations

from math import sqrt

from easydyn.native.record import Array
from easydyn.sim.iteration import acceleration_matrix, all_finite, evaluate, solve
from easydyn.sim.loop import beside_jump, find_accelerations, restart
from easydyn.sim.run import DONE, EVENT, SPENT, Run
from easydyn.sim.states import copy, fill, point_at

TOUCH = 1e-9  # lengths, and as an acceleration: smaller gaps and pulls count as zero
STILL = 1e-12  # lengths per s (or s2): a gap of that rate neither opens nor strikes
LEFT = 1e-6  # lengths per s: a closed gap that opens more slowly is still closed
# of contacts, beside what they move: a load is shared among those that could carry it in many ways; in one way only
SOFTNESS, HARD = 1e-8, 1e-12
LEAP = 1e-6  # lengths: an open gap that is by so much below zero has not come there by a motion
APART = 1e-13  # of the mobility of a contact: what feels its impulse by less does not
PARTINGS = 3  # times that a gap below zero is brought back
MOST_IMPACTS = 20  # one after the other at one instant; more where more contacts touch than rows of balls need
MOST = 40  # contacts that feel each other
PIVOTS = 100  # sets of contacts that push which are tried
SHARINGS = 6  # times that a load is shared anew, by contacts that are ever less soft
EXACT = 1e-11  # of the largest rate: what is left when a load is shared
UNIQUE = 1e-6  # of a mobility: what is left of it beside others, where their impulses are unique
RATE, ACCELERATION, RESTITUTION, NUMBERS = 1, 2, 3, 4  # of each gap, after the gap itself; all of them
IMPACT, OPENS = 0, 1  # what is told of it


def measure_gaps(s: Run) -> None:
    """All gaps at the present state."""
    s.time[0] = beside_jump(s, 1)
    s.gaps(s.time, s.q, s.qd, s.qdd, s.gaps_constants, s.gap_values)


def is_closed(s: Run, k: int) -> bool:
    return s.q[int(s.gap_places[int(s.gap_place_start[k])])] != 0


def prepare(s: Run) -> bool:
    """The factors of the matrix in which no contact is closed; False where there are none."""
    for k in range(s.number_of_gaps):
        s.gap_closed[k] = 1.0 if is_closed(s, k) else 0.0
        set_closed(s, k, 0.0)
    point_at(s, s.q, s.qd, s.qdd)
    s.level = s.method.levels
    evaluate(s, s.q_at, s.qd_at, s.qdd_at)
    known = all_finite(s.f, s.n) and acceleration_matrix(s)
    s.level = 0
    for k in range(s.number_of_gaps):
        set_closed(s, k, s.gap_closed[k])
    return known


def set_closed(s: Run, k: int, flag: float) -> None:
    """Write the flag of gap k, which is closed, wherever it is read."""
    if s.gap_closed[k] != 0:
        for p in range(int(s.gap_place_start[k]), int(s.gap_soft_start[k])):
            s.q[int(s.gap_places[p])] = flag


def compliance(s: Run, k: int) -> float:
    return s.q[int(s.gap_places[int(s.gap_soft_start[k])])]


def set_open(s: Run, k: int) -> None:
    """Open gap k, which is closed; what its compliance was is kept."""
    s.gap_opened[k] = compliance(s, k)
    for p in range(int(s.gap_place_start[k]), int(s.gap_place_start[k + 1])):
        s.q[int(s.gap_places[p])] = 0.0
    s.renewed_by_now = 1


def close_again(s: Run) -> None:
    """Close all gaps that were opened."""
    for k in range(s.number_of_gaps):
        if s.gap_opened[k] != 0:
            for p in range(int(s.gap_place_start[k]), int(s.gap_place_start[k + 1])):
                s.q[int(s.gap_places[p])] = 1.0 if p < s.gap_soft_start[k] else s.gap_opened[k]


def along(s: Run, k: int, x: Array) -> float:
    """The change of gap k by changes x of the coordinates."""
    total = 0.0
    for p in range(int(s.gap_slope_start[k]), int(s.gap_slope_start[k + 1])):
        total += s.gap_values[NUMBERS * s.number_of_gaps + p] * x[int(s.gap_column[p])]
    return total


def carry(s: Run, first: int, last: int) -> bool:
    """The changes delta by the impulses of the active contacts from `first` to `last`."""
    fill(s.f, s.n, 0.0)
    for a in range(first, last):
        k = int(s.gap_active[a])
        for p in range(int(s.gap_slope_start[k]), int(s.gap_slope_start[k + 1])):
            s.f[int(s.gap_column[p])] += s.gap_values[NUMBERS * s.number_of_gaps + p] * s.gap_impulse[a]
    s.level = s.method.levels
    solve(s, s.f, s.delta)
    s.level = 0
    return all_finite(s.delta, s.n)


def push(s: Run, count: int) -> bool:
    """Changes delta by the impulses of `count` active contacts, and of those they feel, that make up for `gap_lack`.

    gap_feels[k] is 1 for those that may take part; it is 2 for those that do. False where impulses are not unique.
    """
    a = 0
    while a < count:
        s.gap_impulse[a] = 1.0
        if not carry(s, a, a + 1):
            return False
        one = along(s, int(s.gap_active[a]), s.delta)
        for k in range(s.number_of_gaps):
            if s.gap_feels[k] == 1 and abs(along(s, k, s.delta)) > APART * one:
                if count == MOST:
                    return False
                s.gap_feels[k] = 2.0
                s.gap_active[count] = k
                count += 1
        for b in range(count):
            s.mobility[a * MOST + b] = along(s, int(s.gap_active[b]), s.delta)
        a += 1
    for b in range(count):  # what joined later, by symmetry
        for a in range(b):
            s.mobility[a * MOST + b] = s.mobility[b * MOST + a]
    s.number_active = count
    return shared(s, count) and carry(s, 0, count)


def shared(s: Run, m: int) -> bool:
    """The impulses of active contacts; a load that could be carried in many ways is shared by those that carry it.

    The matrix is then made softer by less and less, as what each carries is known better.
    """
    if complementary(s, m, 0.0):
        return True
    softness = 0.0
    for a in range(m):
        s.gap_near[a] = 0.0
        softness = max(softness, SOFTNESS * s.mobility[a * MOST + a])
    for turn in range(SHARINGS):
        if not complementary(s, m, softness):
            return False
        copy(s.gap_impulse, s.gap_near, m)
        if left_by(s, m) <= EXACT:
            return True
        softness *= 0.1 if turn > 0 else 1.0
    return True


def left_by(s: Run, m: int) -> float:
    """What the impulses leave of the rates of contacts that push, and what they lack of others; of the largest."""
    largest, most = 0.0, 0.0
    for a in range(m):
        rate = s.gap_lack[int(s.gap_active[a])]
        largest = max(largest, abs(rate))
        for b in range(m):
            rate += s.mobility[a * MOST + b] * s.gap_impulse[b]
        if s.gap_pushes[a] != 0 or rate < 0:
            most = max(most, abs(rate))
    return most / max(largest, 1e-300)


def complementary(s: Run, m: int, softness: float) -> bool:
    """The impulses x >= 0 with A x + b >= 0 and zero where x > 0; False where they are not unique, or not found.

    A has a softness beside it, of what x is more than `gap_near`. All that push and should not, or do not and should,
    change at once as long as they become fewer, then one by one: J. J. Judice, F. M. Pires, Computers and Operations
    Research 21 (1994) 587-596.
    """
    x, pushes, largest, fewest, left = s.gap_impulse, s.gap_pushes, 0.0, m + 1, 4
    for a in range(m):
        lack = s.gap_lack[int(s.gap_active[a])]
        largest = max(largest, abs(lack))
        pushes[a] = 1.0 if lack < softness * s.gap_near[a] else 0.0
    for _ in range(PIVOTS):
        if not impulses_of(s, m, softness):
            return False
        wrong, last = 0, 0
        for a in range(m):
            s.gap_wrong[a] = 0.0
            rate, size = s.gap_lack[int(s.gap_active[a])] - softness * s.gap_near[a], largest
            for b in range(m):
                change = s.mobility[a * MOST + b] * x[b]
                rate += change
                size = max(size, abs(change))
            if (pushes[a] != 0 and x[a] < 0) or (pushes[a] == 0 and rate < -STILL * size):
                s.gap_wrong[a] = 1.0
                wrong, last = wrong + 1, a
        if wrong == 0:
            return True
        if wrong < fewest:
            fewest, left = wrong, 4
        else:
            left -= 1
        for a in range(m):
            if s.gap_wrong[a] != 0 and (left > 0 or a == last):
                pushes[a] = 1 - pushes[a]
    return False


def impulses_of(s: Run, m: int, softness: float) -> bool:
    """The impulses with which those that push have lost what they lack, by Cholesky's factors."""
    L, x = s.mobility_factors, s.gap_impulse
    for a in range(m):
        x[a] = 0.0
        if s.gap_pushes[a] != 0:
            x[a] = softness * s.gap_near[a] - s.gap_lack[int(s.gap_active[a])]
            for b in range(a + 1):
                if s.gap_pushes[b] != 0:
                    rest = s.mobility[a * MOST + b]
                    for c in range(b):
                        if s.gap_pushes[c] != 0:
                            rest -= L[a * MOST + c] * L[b * MOST + c]
                    if b < a:
                        L[a * MOST + b] = rest / L[b * MOST + b]
                        x[a] -= L[a * MOST + b] * x[b]
                    elif rest + softness > UNIQUE * (s.mobility[a * MOST + a] if softness == 0 else softness):
                        L[a * MOST + a] = sqrt(rest + softness)
                        x[a] /= L[a * MOST + a]
                    else:
                        return False
    for a in range(m - 1, -1, -1):
        if s.gap_pushes[a] != 0:
            for b in range(a + 1, m):
                if s.gap_pushes[b] != 0:
                    x[a] -= L[b * MOST + a] * x[b]
            x[a] /= L[a * MOST + a]
    return True


def part(s: Run, k: int) -> bool:
    """Bring a gap that rounding has left below zero back to zero; what it touches gives way."""
    depth = 0.0
    for j in range(s.number_of_gaps):
        depth = max(depth, -s.gap_values[NUMBERS * j])
    for j in range(s.number_of_gaps):
        s.gap_lack[j] = s.gap_values[NUMBERS * j]
        s.gap_feels[j] = 1.0 if s.gap_lack[j] < LEAP + 2 * depth else 0.0
    s.gap_active[0], s.gap_feels[k] = k, 2.0
    if not push(s, 1):
        return False
    for i in range(s.n):
        if s.first_order[i] == 0:
            s.q[i] += s.delta[i]
    return True


def approaching(s: Run) -> int:
    """The contacts that touch and approach are active, with what their rates lack; their number, MOST + 1 if too many.

    Those that are closed may take part.
    """
    count = 0
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        rate = s.gap_values[at + RATE]
        s.gap_lack[k], s.gap_feels[k] = rate, 0.0
        if is_closed(s, k):
            s.gap_feels[k] = 1.0
        elif s.gap_values[at] <= TOUCH and rate < -STILL:
            if count == MOST:
                return MOST + 1
            s.gap_lack[k] = (1 + min(max(s.gap_values[at + RESTITUTION], 0.0), 1.0)) * rate
            s.gap_feels[k] = 2.0
            s.gap_active[count] = k
            count += 1
    return count


def bounce(s: Run) -> bool:
    """Give q and qd after the impacts of this instant; False where they are left to Python."""
    prepared = False
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        if s.fired[s.first_gap + k] != 0:
            if is_closed(s, k) or s.gap_values[at] < -LEAP or s.gap_values[at] > TOUCH:
                return False
            for turn in range(PARTINGS):
                gap = s.gap_values[at]
                if gap >= 0 and turn > 0:  # what rests beside it lies below zero as deep as it is soft
                    break
                if not (prepared or prepare(s)) or not part(s, k):
                    return False
                prepared = gap > -STILL  # farther away other factors hold
                measure_gaps(s)
    return impacts(s, prepared) == DONE and s.number_struck > 0


def impacts(s: Run, prepared: bool) -> int:
    """Make impacts of all open contacts that touch and approach, until none does, and mark these contacts.

    Returns DONE, SPENT if that goes on for longer, EVENT where it is left to Python.
    """
    touching = 0
    s.number_struck = 0
    for k in range(s.number_of_gaps):
        s.gap_struck[k] = 0.0
        if not is_closed(s, k) and s.gap_values[NUMBERS * k] <= TOUCH:
            touching += 1
    for _ in range(max(MOST_IMPACTS, int(touching * touching / 2))):
        count = approaching(s)
        if count == 0:
            return DONE
        if count > MOST or not (prepared or prepare(s)) or not push(s, count):
            return EVENT
        prepared = True
        for i in range(s.n):
            if s.first_order[i] == 0:
                s.qd[i] += s.delta[i]
        measure_gaps(s)
        for a in range(s.number_active):
            k = int(s.gap_active[a])
            s.qd[int(s.gap_unknown[k])] += s.gap_impulse[a]
            if a < count:
                s.gap_struck[k] = 1.0
                s.number_struck += 1
            elif s.gap_values[NUMBERS * k + RATE] > STILL:
                set_open(s, k)
    return SPENT


def collide(s: Run) -> int:
    """The same for an event that Python deals with; all is as it was where it answers EVENT."""
    fill(s.gap_opened, s.number_of_gaps, 0.0)
    copy(s.qd, s.kept_qd, s.n)
    renewed = s.renewed_by_now
    measure_gaps(s)
    answer = impacts(s, False)
    if answer == EVENT:
        close_again(s)
        s.renewed_by_now = renewed
        copy(s.kept_qd, s.qd, s.n)
    return answer


def releases(s: Run) -> bool:
    """Open the closed contacts that have fired, and no longer press; False where Python has to look at them."""
    measure_gaps(s)
    for k in range(s.number_of_gaps):
        if is_closed(s, k) and abs(s.gap_values[NUMBERS * k + RATE]) > LEFT:
            return False
        if s.fired[s.first_gap + k] != 0:
            if not is_closed(s, k) or s.qdd[int(s.gap_unknown[k])] * compliance(s, k) > HARD * TOUCH:
                return False
            set_open(s, k)
    return restart(s) == DONE


def energy(s: Run) -> float:
    """The mechanical energy at the present state; 0 where nobody asks for it."""
    if s.has_energy == 0:
        return 0.0
    s.time[0] = beside_jump(s, 1)
    s.energy(s.time, s.q, s.qd, s.qdd, s.energy_constants, s.energy_now)
    return s.energy_now[0]


def begin_row(s: Run, event: int, what: float) -> int:
    """The place of the next row of `struck`, in which stand the time, the event, and what is told of it."""
    row = s.struck_rows * (3 + 5 * s.n)
    s.struck[row] = s.t
    s.struck[row + 1] = event
    s.struck[row + 2] = what
    return row


def flies(s: Run, depth: float) -> bool:
    """True where no contact that touches comes back so soon that it is at rest."""
    measure_gaps(s)
    for k in range(s.number_of_gaps):
        at = NUMBERS * k
        fall = -s.gap_values[at + ACCELERATION]
        if not is_closed(s, k) and s.gap_values[at] <= TOUCH and fall > STILL:
            rate = max(s.gap_values[at + RATE], 0.0)
            least = TOUCH if rate <= LEFT else depth / max(1 - s.gap_values[at + RESTITUTION] ** 2, LEFT)
            if 2 * rate < s.gap_rest[k] * fall or rate * rate <= 2 * least * fall:
                return False
    return True


def strikes(s: Run, k: int) -> bool:
    """The impacts of this instant, of which contact k is the first; False where they are left to Python."""
    measure_gaps(s)
    depth = -s.gap_values[NUMBERS * k]
    if not s.gap_values[NUMBERS * k + RATE] < -STILL or not bounce(s):
        return False
    opened = 0.0
    for j in range(s.number_of_gaps):
        opened += s.gap_opened[j]
    return (find_accelerations(s) if opened == 0 else restart(s)) == DONE and flies(s, depth)


def strike(s: Run) -> int:
    """What has fired, impacts or one release, as a row of `struck`; EVENT, and all as it was, where it is Python's."""
    n, first = s.n, -1
    for e in range(s.number_of_events):
        if s.fired[e] != 0:
            k = e - s.first_gap
            if k < 0 or k >= s.number_of_gaps:
                return EVENT
            if first < 0:
                first = k
    release = is_closed(s, first)
    row = begin_row(s, s.first_gap + first, OPENS if release else IMPACT)
    for i in range(n):
        s.struck[row + 3 + i] = s.q[i]
        s.struck[row + 3 + n + i] = s.qd[i]
        s.struck[row + 3 + 2 * n + i] = s.qdd[i]
    fill(s.gap_opened, s.number_of_gaps, 0.0)
    renewed, before = s.renewed_by_now, energy(s)
    if not (releases(s) if release else strikes(s, first)):
        close_again(s)
        s.renewed_by_now = renewed
        for i in range(n):
            s.q[i] = s.struck[row + 3 + i]
            s.qd[i] = s.struck[row + 3 + n + i]
            s.qdd[i] = s.struck[row + 3 + 2 * n + i]
        fill(s.has_factors, s.method.levels + 1, 0.0)
        return EVENT
    for i in range(n):
        s.struck[row + 3 + 3 * n + i] = s.q[i]
        s.struck[row + 3 + 4 * n + i] = s.qd[i]
    if s.has_energy:
        s.integral[s.m - 1] += energy(s) - before
    s.struck_rows += 1
    for k in range(first + 1, s.number_of_gaps):
        if release and s.gap_opened[k] != 0:
            begin = s.struck_rows * (3 + 5 * n)
            for i in range(3 + 5 * n):
                s.struck[begin + i] = s.struck[row + i]
            s.struck[begin + 1] = s.first_gap + k
            s.struck_rows += 1
    return DONE
