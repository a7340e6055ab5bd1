"""Efforts that depend on accelerations, or bring equations of their own: a closed contact, the inertia of a rotor.

    M qdd = -h + sum_x Q_x x,        c_p(qdd, pd) = 0  of each state p of an element

The x are the few accelerations, or rates of states, on which efforts depend; Q_x are the generalised forces of a unit
of x. M is the mass matrix of the bodies alone, so that the methods for trees still apply:

    qdd = a + sum_x a_x x,           a = -M^-1 h,   a_x = M^-1 Q_x,

The articulated-body method computes each of them; all that does not depend on the right-hand side is shared. Inserted
into the equations of the x, this leaves a linear system whose size is the number of the x and of the states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from easydyn.engine.derivatives import Forward, felt, gradient
from easydyn.engine.elimination import Pivot, eliminated, width
from easydyn.engine.graph import Node, reachable
from easydyn.engine.recursion import Joint, Wrench
from easydyn.vec import Vector


class Applied(NamedTuple):
    """Effects of efforts: wrenches at joints of the tree, generalised forces of the coordinates that move bodies."""

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
            [x if x is zero else function(x) for x in self.generalized],
        )


class Implicit:
    """The efforts of a derivation as functions of accelerations.

    Attributes
    ----------
    known : Applied
        The efforts as if all accelerations were zero.
    felt : dict
        For the place of each acceleration on which efforts depend, the effect of a unit of it.
    linear : bool
        False if efforts, or equations of elements, are not linear functions of the accelerations.
    """

    def __init__(self, derivation: Any, applied: Applied):
        g = self._graph = derivation.graph
        m = derivation.mechanism
        self._qdd, self._moving = derivation.qdd, m.moving
        place = {x.index: j for j, x in enumerate(self._qdd)}
        self._none = dict.fromkeys(self._qdd, g.zero)
        self._states = list(range(derivation.n - len(m.element_states), derivation.n))
        self._equations = derivation.element_equations
        used = [place[x.index] for x in reachable(applied.scalars(g.zero)) if x.index in place]
        self.felt = self._units(applied, sorted(used))
        self._slopes = [gradient({c: g.one}, self._qdd) for c in self._equations]
        slopes = [x for unit in self.felt.values() for x in unit.scalars(g.zero)] + [x for c in self._slopes for x in c]
        self.linear = not any(x.index in place for x in reachable(slopes))
        self.known = applied.map(lambda x: g.substitute([x], self._none)[0], g.zero) if used else applied

    def _units(self, applied: Applied, places: Sequence[int]) -> dict[int, Applied]:
        """The effect of a unit of each acceleration, with wrenches at the joints that it loads only."""
        g, zero = self._graph, self._graph.zero
        feels = felt(applied.scalars(zero), [self._qdd[j] for j in places])

        def bits_of(wrench: Wrench) -> int:
            found = 0
            for x in (*wrench[0], *wrench[1]):
                found |= feels[g.node(x).index]
            return found

        joints = {joint: bits_of(wrench) for joint, wrench in applied.wrenches.items()}
        units = {}
        for k, j in enumerate(places):
            forward, bit = Forward(g, {self._qdd[j]: g.one}, feels, 1 << k), 1 << k
            part = applied._replace(wrenches={at: applied.wrenches[at] for at, feel in joints.items() if feel & bit})
            units[j] = part.map(forward, zero)
        return units

    def split(self, takes_inertia: Callable[[int], bool]) -> tuple[dict[int, Node], dict[int, Applied]]:
        """Inertias that can be added to moving coordinates, by position, and the remaining effects."""
        zero = self._graph.zero
        added, felt = {}, {}
        for j, unit in self.felt.items():
            if j in self._moving and takes_inertia(k := self._moving.index(j)):
                added[k] = -unit.generalized[k]
                unit = unit._replace(generalized=[zero if i == k else Q for i, Q in enumerate(unit.generalized)])
            if any(x is not zero for x in unit.scalars(zero)):
                felt[j] = unit
        return added, felt

    def solvable(self, bodies: Any, most: int) -> bool:
        """True when the equations are linear, and eliminating one x touches at most that many others.

        Two x are coupled if the equation of one contains something that the other moves. Of loops side by side, only
        neighbours are coupled.
        """
        if not self.linear:
            return False
        felt = self.split(bodies.takes_inertia)[1]
        if len({*felt, *self._states}) <= most:
            return True
        zero, place = self._graph.zero, {j: k for k, j in enumerate(self._moving)}
        moved: dict[int, list[int]] = {}  # of each branch what moves it
        for x, unit in felt.items():
            for branch in bodies.branches(unit.wrenches, [k for k, Q in enumerate(unit.generalized) if Q is not zero]):
                moved.setdefault(branch, []).append(x)

        def row(accelerations: Iterable[int]) -> set[int]:
            own = {x for x in accelerations if x in self._states}
            branches = bodies.branches({}, (place[j] for j in accelerations if j in place))
            return own.union(*(moved.get(branch, ()) for branch in branches))

        rows = {x: row([x]) for x in felt if x not in self._states}
        slopes = zip(self._states, self._slopes, strict=True)
        return width(rows | {p: row([j for j, a in enumerate(s) if a is not zero]) for p, s in slopes}) < most

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
        self, without: Mapping[int, Node], felt: Mapping[int, Applied],
        response: Callable[[Applied], Mapping[int, Node]],
    ) -> tuple[list[Node], list[Pivot]]:  # fmt: skip
        """All accelerations, and the pivots of the small system.

        They follow from those of the bodies `without` the effects `felt`; `response` gives M^-1 times the applied
        loads. Both leave zeros out.
        """
        g, zero = self._graph, self._graph.zero
        known = {j: without.get(k, zero) for k, j in enumerate(self._moving)}
        units = {x: {self._moving[k]: a for k, a in response(unit).items()} for x, unit in felt.items()}
        coordinates = [x for x in felt if x not in self._states]
        unknown = [*coordinates, *self._states]
        if not unknown:
            return [known[j] for j in self._moving], []
        rows, right = [], []
        for x in coordinates:  # x - sum_u a_u x = a
            rows.append([(g.one if u == x else zero) - units.get(u, {}).get(x, zero) for u in unknown])
            right.append(known[x])
        moves: dict[int, list[int]] = {}  # what each is moved by
        for x, unit in units.items():
            for j in unit:
                moves.setdefault(j, []).append(x)
        place = {u: k for k, u in enumerate(unknown)}
        constants = g.substitute(self._equations, self._none)
        for c, every in zip(constants, self._slopes, strict=True):
            slopes = {j: slope for j, slope in enumerate(every) if slope is not zero}
            row = [zero] * len(coordinates) + [slopes.get(u, zero) for u in self._states]
            for u in {u: None for j in slopes for u in moves.get(j, ())}:
                unit = units[u]
                row[place[u]] += sum((slope * unit[j] for j, slope in slopes.items() if j in unit), zero)
            rows.append(row)
            right.append(-(c + sum((slope * known[j] for j, slope in slopes.items() if j in known), zero)))
        found, pivots = eliminated(rows, right)
        values = dict(zip(unknown, found, strict=True))
        for j in self._moving:
            if j not in values:
                values[j] = sum((units[x][j] * values[x] for x in moves.get(j, ())), known[j])
        return [values[j] for j in range(len(self._qdd))], pivots
