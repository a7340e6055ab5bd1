"""Linear systems solved on the graph, as straight-line code, and whether their pivots are to be trusted.

A pivot of M is what eliminations leave of a diagonal entry. Where M is singular nothing is left but rounding errors:
the pivot is tiny *beside that entry*, whatever the units of the row. The reverse does not hold (a long chain has small
pivots, and is not singular), so that a small pivot is a reason to look, not a verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
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
    N, b = [list(row) for row in M], list(f)
    rows, columns = list(range(n)), list(range(n))
    order: list[tuple[int, int, list[int]]] = []

    def cost(pivot: tuple[int, int]) -> tuple[int, bool, int]:
        i, j = pivot
        across, down = sum(N[i][c] is not zero for c in columns), sum(N[r][j] is not zero for r in rows)
        return across * down, not N[i][j].fixed, -j

    while columns:
        diagonal = [(i, i) for i in rows if i in columns and N[i][i] is not zero]
        others = [] if diagonal else [(i, j) for i in rows for j in columns if N[i][j] is not zero]
        i, j = min(diagonal or others or [(rows[0], columns[0])], key=cost)
        rows.remove(i)
        columns.remove(j)
        for r in rows:
            if N[r][j] is not zero:
                factor = N[r][j] / N[i][j]
                b[r] = b[r] - factor * b[i]
                for c in columns:
                    if not symmetric or c >= r:
                        N[r][c] = N[r][c] - factor * N[i][c]
                        if symmetric:
                            N[c][r] = N[r][c]
        order.append((i, j, list(columns)))
    x = [zero] * n
    for i, j, after in reversed(order):
        x[j] = (b[i] - sum((N[i][c] * x[c] for c in after), zero)) / N[i][j]
    # off the diagonal there is no entry to compare with: no such pivot is trusted
    return x, [Pivot(N[i][j], M[i][i]) if i == j else Pivot(zero, zero) for i, j, _ in order]
