"""Equations of motion in independent coordinates: qdd = B udd + b from what constraints say, W' qdd + gamma = 0."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import sympy

LONG = 40  # operations of an entry that gets a name
SMALL = 1e-9  # beside the largest entry: no pivot


class Reduction(NamedTuple):
    """What is known of the loops of a model at a state in which they are closed.

    Attributes
    ----------
    independent : frozenset of str
        The coordinates whose rates determine all rates, by name.
    at : dict
        Values of all symbols there, in their own units: they say which pivots are not zero.
    where : function
        Gives the closed forms of coordinates and of parts: (symbol, formula in its unit), each of symbols before it.

    Example
    -------
    >>> Reduction().where()
    ()
    """

    independent: frozenset[str] = frozenset()
    at: Mapping[Any, float] = MappingProxyType({})
    where: Callable[[], Sequence[tuple[Any, Any]]] = tuple


OPEN = Reduction()  # nothing follows from anything


def solved(
    A: sympy.Matrix, groups: Sequence[Sequence[int]], at: Mapping[Any, float], before: int = 0
) -> tuple[dict[int, dict[int, Any]], list[tuple[Any, Any]]]:
    """Rows A x = 0 solved for as many x as they determine (Gauss, Jordan), with names for what is long.

    Parameters
    ----------
    A : matrix (m, n)
        The rows, each in its own unit; the last x is 1.
    groups : sequence of sequences of int
        The x to solve for, those of the first group before all others.
    at : dict
        Values of all symbols at a state, in their own units: pivots are chosen there, the simplest that are not small.
    before : int
        The number of names that there are already.

    Returns
    -------
    tuple
        By x, what the others contribute to it; then what was named: symbols with formulas, each of symbols before it.

    Example
    -------
    >>> x = sympy.Symbol("x")
    >>> solved(sympy.Matrix([[2, x, 4 * x]]), [[0]], {x: 1})
    ({0: {1: -x/2, 2: -2*x}}, [])
    """
    named: list[tuple[Any, Any]] = []
    values = {s: sympy.Float(x) for s, x in at.items()}

    def short(e: Any) -> Any:
        if e.count_ops() <= LONG:
            return e
        named.append((sympy.Symbol(f"entry{before + len(named) + 1}", real=True), e))
        values[named[-1][0]] = e.xreplace(values).evalf()
        return named[-1][0]

    def number(e: Any) -> float:
        return abs(complex(e.xreplace(values).evalf()))

    rows = [{j: short(e) for j, e in enumerate(A.row(i)) if e != 0} for i in range(A.rows)]
    sizes, found = [max(map(number, row.values()), default=0.0) for row in rows], dict[int, int]()
    for group in groups:
        while possible := [
            (len(row), row[j].count_ops(), i, j) for i, row in enumerate(rows) for j in group
            if i not in found.values() and j in row and number(row[j]) > SMALL * sizes[i]
        ]:  # fmt: skip
            i, j = min(possible)[2:]
            pivot, found[j] = rows[i].pop(j), i
            rows[i] = {c: short(e / pivot) for c, e in rows[i].items()}
            for row in rows:
                factor = row.pop(j, 0)
                for c, e in rows[i].items() if factor != 0 else ():
                    row[c] = short(row.get(c, 0) - factor * e)
    return {j: {c: -e for c, e in rows[i].items()} for j, i in found.items()}, named
