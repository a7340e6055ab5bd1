"""Constraints on the graph: their values, rates and derivatives, and the way back to where they hold.

A step of an integrator leaves the configurations that constraints allow by its own error. The nearest point of these is
found by Newton's iteration with the least corrections (Gauss),

    dq = -J' (J J')^-1 g,        dqd = -A' (A A')^-1 (A qd + b)

J of the constraints on coordinates, A of all, that have multipliers. The others follow from these, as far as samples
show: each step looks whether they do. J J' is eliminated on the graph, where zeros cost nothing: chains of
loops take a number of operations that grows as their length.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from easydyn.engine.derivatives import gradient
from easydyn.engine.elimination import solve
from easydyn.engine.graph import Node

if TYPE_CHECKING:
    from easydyn.engine.derivation import Derivation

SOFT = 1e-10  # of J J': so that rows which depend on each other share what is missing
OPEN, ROUNDING = 1e-6, 1e-9  # of the size of the mechanism, and m: so far equations without multiplier may be open


class Closing:
    """The constraints of a derivation in nodes, row by row."""

    def __init__(self, derivation: Derivation):
        self._d = derivation
        self.zero = derivation.graph.zero

    @cached_property
    def _rows(self) -> list[Any]:
        return [row for constraint in self._d.mechanism.constraints for row in constraint.rows(self._d)]

    @cached_property
    def values(self) -> list[Node]:
        """g of each row; zero of those that restrict rates only."""
        return [self.zero if row.value is None else self._d.graph.node(row.value) for row in self._rows]

    @cached_property
    def rates(self) -> list[Node]:
        """The rate of each row."""
        return [self._d.graph.node(row.rate) for row in self._rows]

    @cached_property
    def jacobian(self) -> list[list[Node]]:
        """Derivatives of the rates by the rates of coordinates."""
        coordinates = len(self._d.mechanism.coordinates)
        q, qd, one = self._d.q[:coordinates], self._d.qd[:coordinates], self._d.graph.one
        return [
            gradient({rate: one}, qd) if row.value is None else gradient({value: one}, q)
            for row, rate, value in zip(self._rows, self.rates, self.values, strict=True)
        ]

    @property
    def carried_rates(self) -> tuple[Node, ...]:
        """The rates of rows that an effort carries."""
        return tuple(self.rates[k] for k in self._d.mechanism.carried)

    def projection(self) -> list[Node]:
        """dq, then dqd (2 n), and whether an equation of place without a multiplier is open."""
        kept = self._d.mechanism.carried
        soft = any(getattr(effort, "soft", ()) for effort in self._d.mechanism.efforts)
        of_place = [k for k in kept if self._rows[k].value is not None]
        corrections = []
        for rows, missing in ((of_place, self.values), (kept, self.rates)):
            corrections += self._least([self.jacobian[k] for k in rows], [missing[k] for k in rows], soft)
            corrections += [self.zero] * (self._d.n - len(self._d.mechanism.coordinates))
        g, left = self._d.graph, [abs(x) for k, x in enumerate(self.values) if k not in kept and not x.fixed]
        size = sum((abs(x) for state in self._d.moved for x in state.T.e), self.zero) if left else self.zero
        return [*corrections, g.any_of(g.call("lt", OPEN * size + ROUNDING, x) for x in left)]

    def _least(self, J: Sequence[Sequence[Node]], missing: Sequence[Node], soft: bool) -> list[Node]:
        """The least x with J x = -missing; rows may depend on each other if they are `soft`."""
        columns = range(len(self._d.mechanism.coordinates))
        if not J:
            return [self.zero for _ in columns]
        m = len(J)
        entries = [{c: x for c, x in enumerate(row) if x is not self.zero} for row in J]
        of_column: list[dict[int, Node]] = [{} for _ in columns]
        for i, row in enumerate(entries):
            for c, x in row.items():
                of_column[c][i] = x
        N = [[self.zero] * m for _ in range(m)]
        for i, row in enumerate(entries):
            for j in sorted({j for c in row for j in of_column[c] if j <= i}):
                N[i][j] = N[j][i] = sum((row[c] * entries[j][c] for c in row if c in entries[j]), self.zero)
        for i in range(m if soft else 0):
            N[i][i] = N[i][i] * (1 + SOFT)
        y = solve(N, missing)
        return [-sum((x * y[i] for i, x in column.items()), self.zero) for column in of_column]
