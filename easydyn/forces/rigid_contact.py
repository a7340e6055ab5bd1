"""A rigid contact: bodies that touch and never overlap, with impacts by Newton's law of restitution."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, Effort
from easydyn.inputs import finite, positive
from easydyn.scalars import Scalar, is_number, scalar
from easydyn.symbols import Coordinate, Flag, Parameter, State, t

STABILISATION = 20.0  # 1/s: what is left of a gap in a closed contact decays at this rate


class RigidContact(Effort):
    """A gap that never closes further than zero: impacts with restitution, and a contact force while it stays closed.

    An impact changes the rates at once: gap.dot+ = -e gap.dot-, by an impulse along the gradient of the gap. When
    impacts follow each other faster and faster, the contact is closed at their accumulation point: it then carries a
    force, and opens when that would become a pull. Without friction; see `PlanePoint` for soft contact with friction.

    Parameters
    ----------
    gap : SymPy expression (m)
        Distance that must not become negative: of coordinates, parameters and time, such as `ball.T.e[1] - r`.
    restitution : scalar (no unit)
        e, from 0 (no rebound) to 1 (no loss): a number or an expression of parameters.
    name : str
        Its unknown: `run["floor"]` is the impulse so far (N s), impacts included, `run["floor.dot"]` the force (N).
    rest : float (s)
        Impacts that follow each other within this time are taken as a closed contact.

    Raises
    ------
    InputError
        When a value is missing, or cannot be.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("ball", gravity=(0, -9.81, 0))
    >>> y, = model.coordinates("y", initial=1)
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(RigidContact(y, restitution=0.5, name="floor"))
    >>> run = model.simulate(3)
    >>> bool(abs(run["y"][-1]) < 1e-9), round(float(run["floor.dot"][-1]), 6)
    (True, 19.62)
    """

    implicit = True

    def __init__(self, gap: Any, *, restitution: Any = None, name: Any = None, rest: Any = 1e-6):
        state = _checked_name(name)
        self.gap = sympy.sympify(scalar(gap, "the gap of a RigidContact"))
        wrong = [s for s in self.gap.free_symbols if not isinstance(s, Coordinate | Parameter) and s != t]
        if wrong or not self.coordinates:
            raise InputError(
                f"the gap of RigidContact '{name}' is {self.gap}: expected a distance that depends on coordinates, and "
                f"on parameters and time{f', not on {wrong[0]}' if wrong else ''}."
            )
        if restitution is None:
            raise InputError(f"the restitution of RigidContact '{name}' was not given: expected a number from 0 to 1.")
        self.restitution = scalar(restitution, f"the restitution of RigidContact '{name}'")
        if is_number(self.restitution) and not 0 <= finite(self.restitution, "the restitution") <= 1:
            raise InputError(
                f"the restitution of RigidContact '{name}' is {self.restitution}: expected a number from 0 (no "
                "rebound) to 1 (no loss)."
            )
        self.rest = positive(rest, f"the time `rest` of RigidContact '{name}'")
        self.name = state
        # `closed` is 0 while it is open, else a compliance (1/kg), small beside the mobility of what it carries: it
        # shares a load among contacts that could carry it in many ways (impacts.py)
        self.impulse, self.closed = State(state), Flag(f"{state}.closed")

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(sorted((s for s in self.gap.free_symbols if isinstance(s, Coordinate)), key=str))

    @property
    def states(self) -> tuple[State, ...]:
        return (self.impulse,)

    @property
    def flags(self) -> tuple[Flag, ...]:
        return (self.closed,)

    @property
    def force(self) -> Any:
        """The contact force (N), a symbol."""
        return self.impulse.dot

    @cached_property
    def gradient(self) -> dict[Coordinate, Scalar]:
        """Derivatives of the gap with respect to the coordinates (no unit, or m per rad)."""
        return {q: sympy.diff(self.gap, q) for q in self.coordinates}

    @cached_property
    def approach(self) -> Scalar:
        """Rate of the gap (m/s)."""
        return sum((d * q.dot for q, d in self.gradient.items()), sympy.diff(self.gap, t))

    @cached_property
    def acceleration(self) -> Scalar:
        """Second derivative of the gap (m/s2)."""
        found = sympy.diff(self.approach, t)
        for q, d in self.gradient.items():
            found += sympy.diff(self.approach, q) * q.dot + d * q.ddot
        return found

    @property
    def switching(self) -> sympy.Expr:
        """What falls through zero: the gap when it closes, the force when it opens."""
        return sympy.Piecewise((self.force, self.closed > 0), (self.gap, True))

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.gap, self.restitution)

    def apply(self, assembly: Assembly) -> None:
        force, a = assembly.value(self.force), STABILISATION
        for q, d in self.gradient.items():
            assembly.add_generalized(q, assembly.value(d) * force)
        kept = self.acceleration + 2 * a * self.approach + a**2 * self.gap + self.closed * self.force
        # the equation of the force, written as force - rate: force = 0 while open, kept = 0 while closed
        equation = sympy.Piecewise((kept, self.closed > 0), (self.force, True))
        assembly.add_rate(self.impulse, force - assembly.value(equation))

    def __repr__(self) -> str:
        return f"RigidContact '{self.name}'"


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise InputError(
            f'the name of a RigidContact is {name!r}: expected letters, digits and underscores, such as "floor".'
        )
    return name
