"""Linear systems solved on the graph, as straight-line code, and whether their pivots are to be trusted.

A pivot of M is what eliminations leave of a diagonal entry. Where M is singular nothing is left but rounding errors:
the pivot is tiny *beside that entry*, whatever the units of the row. The reverse does not hold (a long chain has small
pivots, and is not singular), so that a small pivot is a reason to look, not a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from easydyn.engine.graph import Node

# Where r is left of an entry, later pivots are uncertain by 1e-16/r of theirs: of two that follow each other, and the
# second of which ought to be zero, one is below 1e-8. This leaves some room.
SMALL = 1e-7


class Pivot(NamedTuple):
    """A pivot, and the diagonal entry that it is the remainder of, or a bound of it: `size`."""

    value: Node
    size: Node


def checked(x: Sequence[Node], pivots: Iterable[Pivot]) -> list[Node]:
    """x, with infinity in the first place where a pivot is small beside its entry, or not a number."""
    g = x[0].graph
    conditions = [g.call("lt", pivot.size * SMALL, pivot.value) for pivot in pivots]
    conditions.sort(key=lambda c: not c.fixed)  # those of parameters alone are put together once
    return [g.select(g.all_of(conditions), x[0], g.constant(math.inf)), *x[1:]]


def solve(M: Sequence[Sequence[Node]], f: Sequence[Node]) -> list[Node]:
    """x of M x = f by elimination."""
    return eliminated(M, f)[0]


def eliminated(M: Sequence[Sequence[Node]], f: Sequence[Node]) -> tuple[list[Node], list[Pivot]]:
    """x of M x = f, and the pivots: zeros are left out, and of a symmetric M (the same nodes) one half is worked out.

    Pivots are those with few other entries in their row and column, on the diagonal if there are any: of a mass matrix
    the bodies at the tips come first. No pivot is zero for an M that is positive definite.
    """
    zero, n = f[0].graph.zero, len(f)
    symmetric = all(M[i][j] is M[j][i] for i in range(n) for j in range(i))
    N = [{j: x for j, x in enumerate(row) if x is not zero} for row in M]
    below = [{i for i in range(n) if j in N[i]} for j in range(n)]  # the rows that have an entry in a column
    b = list(f)
    rows, columns = dict.fromkeys(range(n)), dict.fromkeys(range(n))  # that are left
    order: list[tuple[int, int, Node]] = []

    def cost(pivot: tuple[int, int]) -> tuple[int, bool, int]:
        i, j = pivot
        return len(N[i]) * len(below[j]), j not in N[i] or not N[i][j].fixed, -j

    while columns:
        diagonal = [(i, i) for i in rows if i in columns and i in N[i]]
        others = [] if diagonal else [(i, j) for i in rows for j in N[i]]
        i, j = min(diagonal or others or [(min(rows), min(columns))], key=cost)
        symmetric = symmetric and i == j
        del rows[i], columns[j]
        pivot = N[i].pop(j, zero)
        for c in N[i]:
            below[c].discard(i)
        for r in sorted(below[j] - {i}):
            factor = N[r].pop(j) / pivot
            b[r] = b[r] - factor * b[i]
            for c, entry in sorted(N[i].items(), key=_place):
                if c < r and symmetric:
                    continue
                left = N[r].get(c, zero) - factor * entry
                for row, column in {(r, c), (c, r)} if symmetric else {(r, c)}:
                    if left is zero:
                        N[row].pop(column, None)
                        below[column].discard(row)
                    else:
                        N[row][column] = left
                        below[column].add(row)
        order.append((i, j, pivot))
    x = [zero] * n
    for i, j, pivot in reversed(order):
        x[j] = (b[i] - sum((entry * x[c] for c, entry in sorted(N[i].items(), key=_place)), zero)) / pivot
    # off the diagonal there is no entry to compare with: no such pivot is trusted
    return x, [Pivot(pivot, M[i][i]) if i == j else Pivot(zero, zero) for i, j, pivot in order]


def _place(entry: tuple[int, Node]) -> int:
    return entry[0]


def width(rows: Mapping[int, Collection[int]]) -> int:
    """The largest number of other unknowns on which one depends when it is eliminated, fewest first.

    From the unknowns in the row of each: what eliminating takes grows as their number and the square of this.
    """
    near = {x: set(row) - {x} for x, row in rows.items()}
    for x in rows:
        for y in near[x]:
            near[y].add(x)
    most = 0
    while near:
        x = min(near, key=lambda x: len(near[x]))
        around = near.pop(x)
        most = max(most, len(around))
        for y in around:
            near[y] = (near[y] | around) - {x, y}
    return most
