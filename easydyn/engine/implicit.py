"""Efforts that depend on accelerations, or bring equations of their own: a closed contact, the inertia of a rotor.

    M qdd = -h + sum_x Q_x x,        c_p(qdd, pd) = 0  of each state p of an element

The x are the few accelerations, or rates of states, on which efforts depend; Q_x are the generalised forces of a unit
of x. M is that of the bodies alone, so that everything that is known of trees still holds:

    qdd = a + sum_x a_x x,           a = -M^-1 h,   a_x = M^-1 Q_x,

each by articulated bodies, which share all that does not depend on the right side. With that in the equations of the x
there remains a linear system as small as the number of the x and of the states.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from easydyn.engine.derivatives import Forward, gradient
from easydyn.engine.elimination import Pivot, eliminated
from easydyn.engine.graph import Node, reachable
from easydyn.engine.recursion import Joint, Wrench
from easydyn.vec import Vector

if TYPE_CHECKING:
    from easydyn.engine.derivation import Derivation


class Applied(NamedTuple):
    """What efforts do: wrenches at the joints of the tree, generalised forces of the coordinates that move bodies."""

    wrenches: Mapping[Joint, Wrench]
    generalized: Sequence[Node]

    def scalars(self, zero: Node) -> list[Node]:
        """All of them."""
        return [*self.generalized, *(zero.graph.node(x) for w in self.wrenches.values() for u in w for x in u)]

    def map(self, function: Callable[[Node], Node], zero: Node) -> Applied:
        """The same with a function of each."""

        def column(u: Vector) -> Vector:
            return u.map(lambda x: function(zero.graph.node(x)))

        return Applied(
            {joint: (column(F), column(M)) for joint, (F, M) in self.wrenches.items()},
            [function(x) for x in self.generalized],
        )


class Implicit:
    """The efforts of a derivation as functions of accelerations.

    Attributes
    ----------
    known : Applied
        The efforts as if all accelerations were zero.
    felt : dict
        Of each place among the accelerations on which efforts depend what a unit of it does.
    linear : bool
        False where efforts, or equations of elements, are no linear functions of the accelerations.
    """

    def __init__(self, derivation: Derivation, applied: Applied):
        g = self._graph = derivation.graph
        m = derivation.mechanism
        self._qdd, self._moving = derivation.qdd, m.moving
        place = {x.index: j for j, x in enumerate(self._qdd)}
        self._none = dict.fromkeys(self._qdd, g.zero)
        self._states = list(range(derivation.n - len(m.element_states), derivation.n))
        self._equations = derivation.element_equations
        used = [place[x.index] for x in reachable(applied.scalars(g.zero)) if x.index in place]
        self.felt = {}
        for j in sorted(used):
            forward = Forward(g, {self._qdd[j]: g.one})
            self.felt[j] = applied.map(forward, g.zero)
        self._slopes = [gradient({c: g.one}, self._qdd) for c in self._equations]
        slopes = [x for unit in self.felt.values() for x in unit.scalars(g.zero)] + [x for c in self._slopes for x in c]
        self.linear = not any(x.index in place for x in reachable(slopes))
        self.known = applied.map(lambda x: g.substitute([x], self._none)[0], g.zero) if used else applied

    def split(self, takes_inertia: Callable[[int], bool]) -> tuple[dict[int, Node], dict[int, Applied]]:
        """Inertias that can be added to coordinates (of the moving ones, by position), and what else is felt."""
        zero = self._graph.zero
        added, felt = {}, {}
        for j, unit in self.felt.items():
            if j in self._moving and takes_inertia(k := self._moving.index(j)):
                added[k] = -unit.generalized[k]
                unit = unit._replace(generalized=[zero if i == k else Q for i, Q in enumerate(unit.generalized)])
            if any(x is not zero for x in unit.scalars(zero)):
                felt[j] = unit
        return added, felt

    def solvable(self, takes_inertia: Callable[[int], bool], most: int) -> bool:
        """True when the equations are linear, and the small system has at most that many unknowns."""
        return self.linear and len({*self.split(takes_inertia)[1], *self._states}) <= most

    def mass_rows(
        self, M: Sequence[Sequence[Node]], on_coordinates: Callable[[Applied], list[Node]]
    ) -> list[list[Node]]:
        """Derivatives of all rows of the residual by all accelerations, from M of the bodies (eq. 8).

        `on_coordinates` gives the generalised forces of efforts.
        """
        zero, n, moving = self._graph.zero, len(self._qdd), len(self._moving)
        rows = [[zero] * n for _ in range(moving)]
        for row, entries in zip(rows, M, strict=True):
            for j, entry in zip(self._moving, entries, strict=True):
                row[j] = self._graph.node(entry)
        for j, unit in self.felt.items():
            for row, Q in zip(rows, on_coordinates(unit), strict=True):
                row[j] = row[j] - Q
        return rows + [list(c) for c in self._slopes]

    def accelerations(
        self, without: Sequence[Node], felt: Mapping[int, Applied], solve: Callable[[Applied], list[Node]]
    ) -> tuple[list[Node], list[Pivot]]:
        """All accelerations, and the pivots of the small system.

        From those of the bodies `without` what is `felt`; `solve` gives M^-1 of what is applied.
        """
        g, zero = self._graph, self._graph.zero
        known = dict(zip(self._moving, without, strict=True))
        units = {x: dict(zip(self._moving, solve(unit), strict=True)) for x, unit in felt.items()}
        coordinates = [x for x in felt if x not in self._states]
        unknown = [*coordinates, *self._states]
        if not unknown:
            return [known[j] for j in self._moving], []
        rows, right = [], []
        for x in coordinates:  # x - sum_u a_u x = a
            rows.append([(g.one if u == x else zero) - units.get(u, {}).get(x, zero) for u in unknown])
            right.append(known[x])
        constants = g.substitute(self._equations, self._none)
        for c, slopes in zip(constants, self._slopes, strict=True):

            def along(a: Mapping[int, Node], slopes: Sequence[Node] = slopes) -> Node:
                return sum((slopes[j] * a[j] for j in a if slopes[j] is not zero), zero)

            own = {x: slopes[x] for x in self._states}
            rows.append([own.get(u, zero) + along(units.get(u, {})) for u in unknown])
            right.append(-(c + along(known)))
        found, pivots = eliminated(rows, right)
        values = dict(zip(unknown, found, strict=True))
        for j in self._moving:
            if j not in values:
                values[j] = sum((units[x][j] * values[x] for x in felt), known[j])
        return [values[j] for j in range(len(self._qdd))], pivots
