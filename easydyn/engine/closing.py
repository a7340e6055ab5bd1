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
from typing import Any

from easydyn.engine.derivatives import gradient
from easydyn.engine.elimination import Pivot, eliminated
from easydyn.engine.graph import Graph, Node
from easydyn.mechanics.mechanism import Mechanism

SOFT = 1e-10  # of J J': so that rows which depend on each other share what is missing
OPEN, ROUNDING = 1e-6, 1e-9  # of the size of the mechanism, and m: so far equations without multiplier may be open


class Closing:
    """The part of a Derivation with its constraints in nodes, row by row."""

    mechanism: Mechanism
    graph: Graph
    n: int
    q: list[Node]
    qd: list[Node]
    moved: Any

    @cached_property
    def _rows(self) -> list[Any]:
        return [row for constraint in self.mechanism.constraints for row in constraint.rows(self)]

    @cached_property
    def constraint_values(self) -> list[Node]:
        """g of each row; zero of those that restrict rates only."""
        return [self.graph.zero if row.value is None else self.graph.node(row.value) for row in self._rows]

    @cached_property
    def constraint_rates(self) -> list[Node]:
        """The rate of each row."""
        return [self.graph.node(row.rate) for row in self._rows]

    @cached_property
    def _jacobian(self) -> list[list[Node]]:
        coordinates = len(self.mechanism.coordinates)
        q, qd, one = self.q[:coordinates], self.qd[:coordinates], self.graph.one
        return [
            gradient({rate: one}, qd) if row.value is None else gradient({value: one}, q)
            for row, rate, value in zip(self._rows, self.constraint_rates, self.constraint_values, strict=True)
        ]

    @property
    def constraint_jacobian(self) -> list[Node]:
        """Derivatives of these rates with respect to the rates of coordinates, row by row."""
        return [x for row in self._jacobian for x in row]

    @property
    def carried_rates(self) -> tuple[Node, ...]:
        """The rates of rows that have multipliers."""
        return tuple(self.constraint_rates[k] for k in self.mechanism.carried)

    @cached_property
    def projection(self) -> list[Node]:
        """Corrections (2 n) of coordinates and rates that bring them back to the constraints with multipliers.

        Then comes the determinant of A A', in units of its mean diagonal: it is zero where A loses its rank. Last comes
        whether one of the other constraints is open (1 or 0).
        """
        kept, zero, places = self.mechanism.carried, self.graph.zero, self.constraint_values
        soft = any(getattr(effort, "soft", ()) for effort in self.mechanism.efforts)
        of_place = [k for k in kept if self._rows[k].value is not None]
        corrections, pivots = list[Node](), list[Pivot]()
        for rows, missing in ((of_place, places), (kept, self.constraint_rates)):
            found, pivots = self._least([self._jacobian[k] for k in rows], [missing[k] for k in rows], soft)
            corrections += [*found, *[zero] * (self.n - len(self.mechanism.coordinates))]
        g, left = self.graph, [abs(x) for k, x in enumerate(places) if k not in kept and not x.fixed]
        size = sum((abs(x) for state in self.moved for x in state.T.e), zero) if left else zero
        mean, square = sum((pivot.size for pivot in pivots), zero) / max(len(pivots), 1), g.one
        for pivot in pivots:
            square = square * (pivot.value / mean)
        return [*corrections, square, g.any_of(g.call("lt", OPEN * size + ROUNDING, x) for x in left)]

    def _least(
        self, J: Sequence[Sequence[Node]], missing: Sequence[Node], soft: bool
    ) -> tuple[list[Node], list[Pivot]]:  # fmt: skip
        """The least x with J x = -missing, and the pivots; rows may depend on each other if they are `soft`."""
        columns, zero = range(len(self.mechanism.coordinates)), self.graph.zero
        if not J:
            return [zero for _ in columns], []
        m = len(J)
        entries = [{c: x for c, x in enumerate(row) if x is not zero} for row in J]
        of_column: list[dict[int, Node]] = [{} for _ in columns]
        for i, row in enumerate(entries):
            for c, x in row.items():
                of_column[c][i] = x
        N = [[zero] * m for _ in range(m)]
        for i, row in enumerate(entries):
            for j in sorted({j for c in row for j in of_column[c] if j <= i}):
                N[i][j] = N[j][i] = sum((row[c] * entries[j][c] for c in row if c in entries[j]), zero)
        for i in range(m if soft else 0):
            N[i][i] = N[i][i] * (1 + SOFT)
        y, pivots = eliminated(N, missing)
        return [-sum((x * y[i] for i, x in column.items()), zero) for column in of_column], pivots
