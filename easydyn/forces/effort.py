"""What every force element is: an `Effort` that adds itself to the bodies of an `Assembly`.

The same `apply` serves SymPy expressions and the engine's graph: `assembly.value` turns what the user wrote into the
scalars at work, `assembly.state(body)` is the BodyState (mbs.py) on which forces accumulate.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from easydyn.errors import InputError
from easydyn.inputs import finite
from easydyn.mbs import BodyState
from easydyn.mechanism import Body, Ground, ground
from easydyn.scalars import Scalar, is_number, scalar
from easydyn.symbols import Coordinate, Flag, State
from easydyn.vec import ZERO, Rotation, Vector, vector


class Assembly(Protocol):
    """The bodies at work while equations are assembled, in some kind of scalar."""

    def value(self, expression: Scalar) -> Scalar:
        """The scalar at work for what the user wrote."""

    def state(self, body: Body | Ground) -> BodyState:
        """The body's state, whose resultants R and MG grow."""

    def add_generalized(self, q: Coordinate, force: Scalar) -> None:
        """Add a generalised force to the equation of coordinate q."""

    def add_rate(self, state: State, rate: Scalar) -> None:
        """Say what the derivative of a state of the element is: the equation state.dot - rate = 0."""


class Effort(ABC):
    """Base class of force elements: validate in `__init__`, add to the bodies in `apply`.

    What it stores it gives as its `potential`: the energy balance of a run counts that there, and the rest of what it
    does in the work. An element that does nothing else says that it is conservative.
    """

    conservative = False
    implicit = False  # `apply` uses accelerations, or the rates of its own states

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        """The bodies it acts on or refers to."""
        return ()

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates whose equations it enters directly."""
        return ()

    @property
    def states(self) -> tuple[State, ...]:
        """First-order states of its own, unknowns of the model that start at zero; `apply` gives the rate of each."""
        return ()

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What of it is on or off, and changes at events only."""
        return ()

    @property
    def observer(self) -> Body | Ground:
        """The body from which it is best worked out: the ground, unless places seen from another body say all."""
        return ground

    @abstractmethod
    def expressions(self) -> Iterator[Scalar]:
        """The scalars it was given, for the check of their symbols and for the search of jumps in time."""

    @abstractmethod
    def apply(self, assembly: Assembly) -> None:
        """Add forces and moments to the bodies of the assembly, and say what the rates of its states are."""

    def potential(self, assembly: Assembly) -> Scalar:
        """Potential energy (J); zero unless it stores some."""
        return 0

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        """(name, switching function) of each place where the law changes; a run lands where one is zero."""
        return iter(())


def a_body(value: Any, what: str) -> Body | Ground:
    """`value` when it is a body or the ground; InputError, naming `what`, otherwise."""
    if isinstance(value, Body | Ground):
        return value
    raise InputError(f"{what} is {value!r}: expected a body, as returned by model.body(...), or ground.")


def an_end(value: Any, what: str) -> tuple[Body | Ground, Vector]:
    """(body, point) of an end given as a body (its origin) or as a pair (body, (x, y, z))."""
    if isinstance(value, Body | Ground):
        return value, ZERO
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return a_body(value[0], f"the body of {what}"), vector(value[1], f"the point of {what}")
    raise InputError(f"{what} is {value!r}: expected a body, or a pair (body, (x, y, z)) with the point in body axes.")


def positive(value: Any, what: str) -> Scalar:
    """A scalar that is not a negative number; InputError, naming `what`, otherwise."""
    if value is None:
        raise InputError(f"{what} was not given: there is no default for a physical value.")
    value = scalar(value, what)
    if is_number(value) and finite(value, what) < 0:
        raise InputError(f"{what} is {value}: expected a number >= 0.")
    return value


def rotation_of(assembly: Assembly, frame: Body | Ground) -> Rotation:
    """Rotation tensor from the axes of a body to those of the ground, in the scalars at work."""
    return assembly.state(frame).T.R


def place(assembly: Assembly, body: Body | Ground, point: Vector) -> tuple[Vector, Vector]:
    """Ground position (m) and velocity (m/s) of a point given in body axes."""
    state = assembly.state(body)
    position = state.T.e + state.T.R * point.map(assembly.value)
    return position, state.velocity_at(position)
