"""Dry friction in a joint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.effort import Assembly, Demand, Effort, a_coordinate
from easydyn.forces.friction import DryFriction, state_names
from easydyn.mechanics.symbols import Coordinate, State
from easydyn.vec.scalars import Scalar


class JointFriction(Effort):
    """Dry friction of a coordinate (Coulomb's law): a force against its rate, of at most `level` (N, or N m).

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    level : scalar (N or N m)
        Friction in sliding: a number or an expression, as of a load.
    slip_speed : scalar (m/s or rad/s)
        Velocity v0 that spreads the change of sign of friction: -level u/sqrt(1 + u^2), u = q.dot/v0.
    static_level : scalar (N or N m), optional
        Friction at rest; that in sliding if left out.
    static_speed : scalar (m/s or rad/s)
        Velocity at which friction is half-way between both; needed with static_level.
    sticking : scalar (m or rad), optional
        Displacement at which the joint begins to slide; up to there it sticks, elastically (docs/contact.md). If left
        out, friction needs some motion, and what should rest creeps.
    name : str, optional
        Its state is called `name_stick`; the name of the coordinate if left out.

    Raises
    ------
    InputError
        When a value is missing, or cannot be.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(JointFriction(q, 6, slip_speed=0.01))
    >>> model.compile().accelerations(0, [0], [1]).round(3)
    array([-3.])
    """

    def __init__(
        self, coordinate: Any, level: Any, *, slip_speed: Any = None, static_level: Any = None,
        static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.coordinate = a_coordinate(coordinate, "the coordinate of a JointFriction")
        states = () if sticking is None else state_names(str(coordinate) if name is None else name, str(self), 1)
        self.law = DryFriction(str(self), level, static_level, slip_speed, static_speed, sticking, states)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (self.coordinate,)

    @property
    def states(self) -> tuple[State, ...]:
        return self.law.states

    def expressions(self) -> Iterator[Scalar]:
        yield from self.law.expressions()

    def apply(self, assembly: Assembly) -> None:
        (friction,) = self.law.friction(assembly, [assembly.value(self.coordinate.dot)])
        assembly.add_generalized(self.coordinate, -friction)

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        yield from self.law.demands(assembly)

    def __repr__(self) -> str:
        return f"JointFriction on {self.coordinate}"
