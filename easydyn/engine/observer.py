"""Efforts as an observer on a body sees them, so that none is turned to the ground and back.

A force on the slide of an arm, written in the arm's axes, needs no rotation at all if it is worked out on the arm. What
an effort does on the bodies does not depend on who looks: an observer on body o sees body i at T_o^-1 T_i, where what
the two have in common falls out, and velocities are those that he sees. (An effort of which this is not true says so by
leaving its `observer` at the ground.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.engine.graph import Node
from easydyn.engine.kept import Kept
from easydyn.forces import Effort
from easydyn.mechanics.kinematics import rotation_vector
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, ground, path
from easydyn.mechanics.rates import WithRates
from easydyn.mechanics.symbols import Coordinate, State
from easydyn.vec import Inertia, Rotation, Vector, cross
from easydyn.vec.scalars import Scalar

_NEAR = 12  # factors between two bodies; for more it is cheaper to go by the ground, which others have done before


class SeenState(BodyState):
    """A body in the observer's axes. The efforts are collected about the origin of its frame: MG is about that."""

    __slots__ = ()

    def apply(self, force: Vector, point: Vector) -> None:
        self.R = self.R + force
        self.MG = self.MG + cross(point - self.T.e, force)


class Observer(WithRates):
    """The `Assembly` of the efforts that are worked out in the axes of one body."""

    def __init__(self, derivation: Any, base: Body | Ground):
        self.value, self.calculus = derivation.value, derivation.calculus
        self.generalized: dict[Coordinate, Node] = {}
        self.equations: dict[State, Node] = {}
        self._derivation, self._base, self.mechanism = derivation, base, derivation.mechanism
        self._states = Kept()

    @property
    def gravity(self) -> Vector:
        """As it is seen from here."""
        return self._derivation.transform(self._base.T).R.T * self._derivation.gravity

    def state(self, body: Body | Ground) -> BodyState:
        """The body as it is seen from here."""
        if body not in self._states:
            here, there = path(self._base, body)
            T = self._derivation.transform(here).inv() * self._derivation.transform(there)
            com = body.com.map(self.value)
            v = (T * com).map(self.calculus.rate)
            omega = rotation_vector(T, self.calculus.rate, self.calculus.tidy)
            nothing = Inertia(*3 * [Vector(0, 0, 0)])  # efforts do not ask what they act on
            self._states[body] = SeenState(body.name, 0, nothing, com, T, v, omega)
        return self._states[body]

    def add_generalized(self, q: Coordinate, force: Node) -> None:
        """Add to the generalised force of q."""
        self.generalized[q] = self.generalized.get(q, self._derivation.graph.zero) + force

    def add_equation(self, state: State, expression: Scalar) -> None:
        """Say what is zero for a state."""
        self.equations[state] = self._derivation.graph.node(expression)

    def on_points(self) -> list[Node]:
        """The forces and moments on points without mass, one by one."""
        on = [s for body, s in self._states.items() if isinstance(body, MasslessPoint)]
        return [self._derivation.graph.node(c) for s in on for c in (*s.R, *s.MG)]

    def wrenches(self) -> Iterator[tuple[str, Vector, Vector, Rotation]]:
        """Of each body: its name, force and moment about its origin in the observer's axes, its rotation to these."""
        for body, state in self._states.items():
            if body is not ground and not isinstance(body, MasslessPoint):  # there they balance each other
                yield body.name, state.R, state.MG, state.T.R


def observer_of(effort: Effort) -> Body | Ground:
    """The body from which an effort is worked out: the one that it names, if it is near all that take part."""
    base = effort.observer
    near = all(sum(len(T.factors) for T in path(base, body)) <= _NEAR for body in effort.bodies)
    return base if near else ground
