"""Unknowns that equations without their rates determine (index 1), solved within each evaluation.

    e(s, x) = 0,        s <- s - (de/ds)^-1 e(s, x)

where x is all that is known at an instant. If the equations are linear in s, one Newton step gives the solution.
Otherwise the iteration starts from the integral of ds/dt, which is close to the solution, and takes a few steps; the
number of correct digits doubles with each. The derivatives of s follow from the equations: ds/dx = -(de/ds)^-1 de/dx.

The equations of a point without mass are those of virtual work, sum_k (R_k . dr/ds + M_k . theta_s) = 0, with the
forces R_k and moments M_k of the elements that end there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from easydyn.engine.derivatives import GraphCalculus, gradient, solve_together
from easydyn.engine.elimination import solve
from easydyn.engine.graph import Graph, Node, reachable
from easydyn.engine.observer import Observer
from easydyn.engine.sympy_bridge import FromSympy
from easydyn.errors import ModelError
from easydyn.mechanics.mechanism import Mechanism, ground, no_moments
from easydyn.mechanics.symbols import Unknown

STEPS = 3  # of Newton's iteration: from 1e-3 to 1e-24 where it is quadratic
NEAR = 1e-6  # the last step of those that come near, beside the unknowns
SMALLER = 1e-3  # or beside the first step
TINY = 1e-12  # or in their own units, where all of them are zero


class Unknowns:
    """The unknowns of a mechanism on a graph.

    Parameters
    ----------
    graph : Graph
        The graph of all nodes.
    mechanism : Mechanism
        The mechanism, whose states include the unknowns.
    symbols : mapping
        The node of every symbol; for the unknowns, the nodes of their columns.
    rates : mapping
        The rates of inputs of the graph.
    first : int
        The first place of q after those of the coordinates, where the inputs that stand for unknowns begin.
    """

    def __init__(
        self, graph: Graph, mechanism: Mechanism, symbols: Mapping[Any, Node], rates: Mapping[Node, Node], first: int
    ):  # fmt: skip
        self._graph, self._mechanism = graph, mechanism
        self.symbols: list[Unknown] = list(mechanism.algebraic)
        self._stand = [graph.input("q", first + k) for k in range(len(self.symbols))]
        moved = [graph.input("qd", first + k) for k in range(len(self.symbols))]
        known = {**symbols, **dict(zip(self.symbols, self._stand, strict=True))}
        self._value = FromSympy(graph, known, f"model '{mechanism.name}'")
        self._calculus = GraphCalculus(graph, {**rates, **dict(zip(self._stand, moved, strict=True))})
        self._guess = [symbols[s] for s in self.symbols]
        self.equations = self._equations()
        self._check(moved)
        self.slopes = [gradient({e: graph.one}, self._stand) for e in self.equations]
        self.linear = not {x.index for x in self._stand} & {x.index for x in reachable(_flat(self.slopes))}
        self.nodes = self._solved()

    def _equations(self) -> list[Node]:
        """The equations, as scalars that are zero: those of the unknowns of points, then those of the model."""
        m = self._mechanism
        own = {"value": self._value, "calculus": self._calculus, "graph": self._graph, "mechanism": m}
        seen = Observer(SimpleNamespace(**own, transform=lambda T: T.map(self._value)), ground)
        for effort in m.efforts:
            if any(body is point for body in effort.bodies for point in m.points):
                effort.apply(seen)
                no_moments(m.points, seen, effort)
        work = [self._graph.zero] * len(m.of_points)
        moved = [self._calculus.rate(self._stand[self.symbols.index(s)]) for s in m.of_points]
        for state in map(seen.state, m.points):
            for x, load in zip((*state.vG, *state.omega), (*state.R, *state.MG), strict=True):
                shares = gradient({self._graph.node(x): self._graph.node(load)}, moved)
                work = [a + b for a, b in zip(work, shares, strict=True)]
        return [*work, *map(self._value, m.conditions)]

    def _check(self, moved: Sequence[Node]) -> None:
        """Raise ModelError if the balance of a point contains its speed, or if an unknown is in no equation."""
        m, rates = self._mechanism, {x.index for x in moved}
        names = ", ".join(map(str, self.symbols))
        for e in self.equations:
            if rates & {x.index for x in reachable([e])}:
                raise ModelError(
                    f"model '{m.name}': what pulls at its points without mass depends on their speeds, and their "
                    f"places ({names}) are found from a balance of forces at rest. Put the damper elsewhere, take "
                    "SpringDamperSeries, or give the point a mass: a body with mass=."
                )
        held = {x.index for x in reachable(self.equations)}
        idle = [str(s) for s, x in zip(self.symbols, self._stand, strict=True) if x.index not in held]
        if idle:
            where = [p.name for p in m.points if any(s in p.T.free_symbols and str(s) in idle for s in self.symbols)]
            if where:
                raise ModelError(
                    f"model '{m.name}': nothing holds the point '{where[0]}', and {idle[0]} is in no balance of "
                    "forces. Join it by springs to bodies, or to the ground."
                )
            raise ModelError(
                f"model '{m.name}': the unknown {idle[0]} is in none of its equations. Add model.equation(...) with it."
            )

    def _at(self, nodes: Sequence[Node], x: Sequence[Node]) -> list[Node]:
        return self._graph.substitute(nodes, dict(zip(self._stand, x, strict=True)))

    def _solved(self) -> list[Node]:
        n = len(self.symbols)
        x: list[Node] = [self._graph.zero] * n if self.linear else self._guess
        steps = []
        for _ in range(1 if self.linear else STEPS):
            there = self._at([*self.equations, *_flat(self.slopes)], x)
            rows = [there[n + i * n : n + (i + 1) * n] for i in range(n)]
            step = solve(rows, there[:n])
            x = [a - b for a, b in zip(x, step, strict=True)]
            steps.append(step)
        self.unguarded = x  # whether the iteration has converged or not
        if not self.linear:
            x = self._guarded(x, steps)
            solve_together(x, self._stand, self.equations, self.slopes)
        return x

    def _guarded(self, x: list[Node], steps: Sequence[Sequence[Node]]) -> list[Node]:
        """The solution, or not a number if the steps do not become small: the iteration then does not converge."""
        g = self._graph
        first, last, size = (sum((abs(a) for a in those), g.zero) for those in (steps[0], steps[-1], x))
        near = g.call("le", last, size * NEAR + TINY)
        sure = g.any_of([near, g.call("le", last, first * SMALLER)])
        large = last + 1e200  # infinity is no constant of a program that other languages are to read
        return [g.select(sure, a, large * large - large * (2 * large)) for a in x]

    @property
    def checks(self) -> list[Node]:
        """The equations at the guess, then their derivatives by the unknowns, row by row, to explain a failure."""
        return self._at([*self.equations, *_flat(self.slopes)], self._guess)


def _flat(rows: Sequence[Sequence[Node]]) -> list[Node]:
    return [x for row in rows for x in row]
