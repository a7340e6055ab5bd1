"""Linear systems solved on the graph, as straight-line code."""

from __future__ import annotations

from collections.abc import Sequence

from easydyn.engine.graph import Node


def solve(M: Sequence[Sequence[Node]], f: Sequence[Node]) -> list[Node]:
    """x of M x = f by elimination: zeros are left out, and of a symmetric M (the same nodes) one half is worked out.

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
    return x
