"""Sparse iteration matrices, of chains of bodies and beams: the cost grows in proportion to the number of unknowns.

Which entries may differ from zero is read off the equations, once. Columns that have no row in common are found by the
same evaluation of the residual (Curtis, Powell, Reid: On the estimation of sparse Jacobian matrices, 1974). LU factors
have no row exchanges, in an order with little fill: that of least degree (Markowitz 1957), in which a multiplier, whose
diagonal entry is zero, waits for one that it has to do with, and the force of a contact for all coordinates.

`plan` is Python; the rest are kernels, called by those of iteration.py.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import accumulate
from math import inf, isfinite

from easydyn.native.record import Array
from easydyn.sim.run import Run

ROUNDOFF = 2.220446049250313e-16
SMALLEST_PIVOT = 1e-14  # of a matrix whose rows and columns have been scaled to 1
FEWEST = 25  # unknowns: below that a full matrix is as fast


@dataclass(frozen=True)
class Plan:
    """What is where in a sparse matrix and in its factors; lists of whole numbers, as records keep them.

    Attributes
    ----------
    column_start, entry_row : list
        Entries by columns: those of column j begin at column_start[j], each with its row.
    entry_place : list
        Where each of them stands among the factors: the diagonal, then L by columns, then U by rows.
    order : list
        The unknowns in the order of elimination.
    fill_start, fill_at : list
        Of each step of elimination those, by their places in the order, that are left and have to do with it.
    update_to : list
        Where each product of an elimination is taken away.
    colour_start, colour_columns : list
        Columns by colours, those that are found by the same evaluation.
    """

    column_start: list[int]
    entry_row: list[int]
    entry_place: list[int]
    order: list[int]
    fill_start: list[int]
    fill_at: list[int]
    update_to: list[int]
    colour_start: list[int]
    colour_columns: list[int]

    @property
    def room(self) -> int:
        """How long the factors are."""
        return len(self.order) + 2 * len(self.fill_at)

    def arrays(self) -> dict[str, list[int]]:
        """What stands in the record of a run, by its name there."""
        return dict(vars(self))


def plan(columns: Sequence[Sequence[int]], late: Set[int] = frozenset()) -> Plan | None:
    """The plan of a matrix whose columns have entries in these rows; None where it is better taken as full.

    Unknowns that are `late` are eliminated after all others: their diagonal entries may be small before.
    """
    n = len(columns)
    if n < FEWEST or sum(map(len, columns)) > n * n / 4:
        return None
    colours = _colours(columns)
    if len(colours) > n / 2:
        return None
    order, left = _elimination(columns, late, n**3 / 20)
    if len(order) < n:
        return None
    place = {j: k for k, j in enumerate(order)}
    fill = [sorted(place[j] for j in x) for x in left]
    total = sum(map(len, fill))
    starts = _starts(fill)
    below = [{i: n + starts[k] + p for p, i in enumerate(x)} for k, x in enumerate(fill)]

    def at(row: int, column: int) -> int:
        """Where an entry stands among the factors, by places in the order."""
        if row == column:
            return row
        return below[column][row] if row > column else below[row][column] + total

    return Plan(
        _starts(columns),
        [i for rows in columns for i in rows],
        [at(place[i], place[j]) for j, rows in enumerate(columns) for i in rows],
        order,
        starts,
        [i for x in fill for i in x],
        [at(i, j) for x in fill for i in x for j in x],
        _starts(colours),
        [j for colour in colours for j in colour],
    )


def _starts(lists: Sequence[Sequence[int]]) -> list[int]:
    return [*accumulate(map(len, lists), initial=0)]


def _colours(columns: Sequence[Sequence[int]]) -> list[list[int]]:
    """Columns, in groups that have no row in common."""
    taken: list[set[int]] = [set() for _ in columns]  # of each row the colours of its columns
    colours: list[list[int]] = []
    for j, rows in enumerate(columns):
        near = set().union(*(taken[i] for i in rows))
        colour = next(k for k in range(len(colours) + 1) if k not in near)
        if colour == len(colours):
            colours.append([])
        colours[colour].append(j)
        for i in rows:
            taken[i].add(colour)
    return colours


def _elimination(columns: Sequence[Sequence[int]], late: Set[int], most: float) -> tuple[list[int], list[set[int]]]:
    """The order of elimination, and of each step what is left that has to do with it; with `most` products at most."""
    n = len(columns)
    near: list[set[int]] = [set() for _ in range(n)]
    ready = [False] * n
    for j, rows in enumerate(columns):
        for i in rows:
            if i == j:
                ready[j] = True
            else:
                near[i].add(j)
                near[j].add(i)
    heap = [(j in late, len(near[j]), j) for j in range(n) if ready[j]]
    heapq.heapify(heap)
    order, left, done = list[int](), list[set[int]](), [False] * n
    while len(order) < n and most >= 0:
        if not heap:  # nothing but zeros: in any order, and then it is singular
            heap = [(j in late, len(near[j]), j) for j in range(n) if not done[j]]
            heapq.heapify(heap)
        _, degree, k = heapq.heappop(heap)
        if done[k] or degree != len(near[k]):
            continue
        done[k] = True
        order.append(k)
        left.append(near[k])
        most -= len(near[k]) ** 2
        for i in near[k]:
            near[i] |= near[k]
            near[i] -= {i, k}
            ready[i] = True
            heapq.heappush(heap, (i in late, len(near[i]), i))
    return order, left


@dataclass(frozen=True)
class Groups:
    """Unknowns that have to do with each other, in groups: islands of bodies, and what each closed contact ties.

    The matrix is blocks of what is tied together at present. What is in no present group, the force of an open contact,
    is alone in its row, and costs nothing.

    Attributes
    ----------
    members : list of lists of int
        The unknowns of each group.
    flags : list of int
        Where the flag of each group is among what is held: the group counts while it is not zero. -1: always.
    room : int
        Most entries of all blocks.
    """

    members: Sequence[Sequence[int]]
    flags: Sequence[int]
    room: int


# -- kernels --------------------------------------------------------------------------------------------------------


def top(root: Array, i: int) -> int:
    """The first unknown of the block of unknown i, as far as it is known."""
    k = i
    while root[k] != k:
        k = int(root[k])
    return k


def arrange(s: Run) -> None:
    """Find the blocks of the matrix: its entries by columns, and columns of different blocks by the same colour."""
    n, root, number, start, same = s.n, s.root, s.number, s.block_start, True
    for g in range(s.groups):
        flag = int(s.group_flag[g])
        counts = 1.0 if flag < 0 or s.held[flag] != 0 else 0.0
        same = same and s.group_counts[g] == counts
        s.group_counts[g] = counts
    if same:
        return
    for i in range(n):
        root[i], s.last[i], s.following[i] = -1.0, i, -1.0
    for g in range(s.groups):
        if s.group_counts[g] != 0:
            one = int(s.group_member[int(s.group_start[g])])
            for a in range(int(s.group_start[g]), int(s.group_start[g + 1])):
                i = int(s.group_member[a])
                if root[i] < 0:
                    root[i] = i
                one, other = top(root, one), top(root, i)
                root[max(one, other)] = min(one, other)
    k, s.blocks, s.entries, s.colours = 0, 0, 0, 0
    for i in range(n):
        if root[i] >= 0 and root[i] != i:  # the last one of its block so far
            first = top(root, i)
            s.following[int(s.last[first])] = i
            s.last[first] = i
    for i in range(n):
        if root[i] == i:
            start[s.blocks] = k
            j = i
            while j >= 0:
                number[j] = s.blocks
                s.members[k] = j
                k += 1
                j = int(s.following[j])
            size = k - int(start[s.blocks])
            s.blocks += 1
            s.colours = max(s.colours, size)
            s.entries += size * size
    start[s.blocks] = k
    if s.entries > s.room:  # more contacts hold the bodies than there is room for
        s.blocks, s.colours, s.entries = 0, 0, 0
    e = 0
    for j in range(n):
        s.column_start[j] = e
        if root[j] >= 0 and s.blocks > 0:
            for a in range(int(start[int(number[j])]), int(start[int(number[j]) + 1])):
                s.entry_row[e] = s.members[a]
                e += 1
    s.column_start[n] = e
    k = 0
    for c in range(s.colours + 1):
        s.colour_start[c] = k
        for b in range(s.blocks):
            if start[b] + c < start[b + 1]:
                s.colour_columns[k] = s.members[int(start[b]) + c]
                k += 1


def lost_in_rounding(s: Run) -> float:
    """The change of a residual, where it is f, that is nothing but rounding."""
    largest = 0.0
    for i in range(s.n):
        largest = max(largest, abs(s.f[i]))
    return 1e4 * ROUNDOFF * largest


def grown(increment: float, attempt: int) -> float:
    """The next increment to try where the change was lost in rounding; after the fourth the derivative is zero."""
    return 1e4 * increment if attempt < 3 else inf


def point_in_all_lanes(s: Run) -> None:
    """(time, q_at, qd_at, qdd_at), in each lane, to be moved there."""
    width = s.width
    for lane in range(width):
        s.abreast_time[lane] = s.time[0]
    for i in range(s.n):
        for lane in range(width):
            s.abreast_q[i * width + lane] = s.q_at[i]
            s.abreast_qd[i * width + lane] = s.qd_at[i]
            s.abreast_qdd[i * width + lane] = s.qdd_at[i]


def residuals_of_lanes(s: Run, count: int) -> None:
    """The residuals at the points of the first lanes."""
    s.residuals_abreast(s.abreast_time, s.abreast_q, s.abreast_qd, s.abreast_qdd, s.residual_constants, s.abreast_f)
    s.residuals += count


def sparse_differences(s: Run, by_q: float, by_qd: float, by_qdd: float) -> None:
    """The entries of the matrix whose column j is the change of f for changes (by_q, by_qd, by_qdd) epsilon_j."""
    width = s.width
    q, qd, qdd, f = s.abreast_q, s.abreast_qd, s.abreast_qdd, s.abreast_f
    lost = lost_in_rounding(s)
    first = 0
    while first < s.colours:
        last = min(first + width, s.colours)
        for attempt in range(4):
            point_in_all_lanes(s)
            for c in range(first, last):
                for k in range(int(s.colour_start[c]), int(s.colour_start[c + 1])):
                    j = int(s.colour_columns[k])
                    to = j * width + c - first
                    q[to] += by_q * s.epsilon[j]
                    qd[to] += by_qd * s.epsilon[j]
                    qdd[to] += by_qdd * s.epsilon[j]
            residuals_of_lanes(s, last - first)
            again = False
            for c in range(first, last):
                lane = c - first
                for k in range(int(s.colour_start[c]), int(s.colour_start[c + 1])):
                    j = int(s.colour_columns[k])
                    drowned = True
                    for e in range(int(s.column_start[j]), int(s.column_start[j + 1])):
                        i = int(s.entry_row[e])
                        change = f[i * width + lane] - s.f[i]
                        if not abs(change) <= lost:
                            drowned = False
                        s.matrix[e] = change / s.epsilon[j]
                    if drowned:
                        s.epsilon[j] = grown(s.epsilon[j], attempt)
                        again = True
                        if attempt == 3:
                            for e in range(int(s.column_start[j]), int(s.column_start[j + 1])):
                                s.matrix[e] = 0.0
            if not again:
                break
        first = last


def sparse_factorize(s: Run) -> bool:
    """The factors of s.matrix at the present level; False where it is singular, or has entries that are not finite."""
    n, A, V = s.n, s.matrix, s.factors
    at, base, fill = s.level * n, s.level * s.room, s.fill
    rows, columns = s.row_scales, s.column_scales
    for i in range(n):
        rows[at + i] = 0.0
    for e in range(s.entries):
        if not isfinite(A[e]):
            return False
        i = at + int(s.entry_row[e])
        rows[i] = max(rows[i], abs(A[e]))
    for i in range(n):
        if not rows[at + i] > 0:
            return False
        rows[at + i] = 1 / rows[at + i]
    for k in range(s.room):
        V[base + k] = 0.0
    for j in range(n):
        largest = 0.0
        for e in range(int(s.column_start[j]), int(s.column_start[j + 1])):
            largest = max(largest, abs(A[e]) * rows[at + int(s.entry_row[e])])
        if not largest > 0:
            return False
        columns[at + j] = 1 / largest
        for e in range(int(s.column_start[j]), int(s.column_start[j + 1])):
            V[base + int(s.entry_place[e])] = A[e] * rows[at + int(s.entry_row[e])] * columns[at + j]
    p = 0
    for k in range(n):
        if not abs(V[base + k]) > SMALLEST_PIVOT:
            return False
        reciprocal = 1 / V[base + k]
        V[base + k] = reciprocal  # the diagonal holds reciprocals
        first, last = int(s.fill_start[k]), int(s.fill_start[k + 1])
        for a in range(first, last):
            factor = V[base + n + a] * reciprocal
            V[base + n + a] = factor
            if factor != 0:  # else open contacts
                for b in range(first, last):
                    V[base + int(s.update_to[p + b - first])] -= factor * V[base + n + fill + b]
            p += last - first
    return True


def sparse_solve(s: Run, f: Array, x: Array) -> None:
    """x with (matrix) x = f, from its factors at the present level."""
    n, V, y = s.n, s.factors, s.ordered
    at, base, fill = s.level * n, s.level * s.room, s.fill
    for k in range(n):
        i = int(s.order[k])
        y[k] = f[i] * s.row_scales[at + i]
    for k in range(n):
        known = y[k]
        for a in range(int(s.fill_start[k]), int(s.fill_start[k + 1])):
            i = int(s.fill_at[a])
            y[i] -= V[base + n + a] * known
    for k in range(n - 1, -1, -1):
        left = y[k]
        for a in range(int(s.fill_start[k]), int(s.fill_start[k + 1])):
            left -= V[base + n + fill + a] * y[int(s.fill_at[a])]
        y[k] = left * V[base + k]
    for k in range(n):
        i = int(s.order[k])
        x[i] = y[k] * s.column_scales[at + i]
