"""Gaps: distances that must not become negative, the unilateral constraints of force elements.

A closed gap g(q, t) transmits a force F along its gradient, which has the value needed for g = 0:

    Q_j = F dg/dq_j,        g.ddot + 2 a g.dot + a^2 g + c F = 0   while closed,   F = 0   while open.

The unknown F is the rate of a state of the element, its impulse so far. c is a compliance, small compared with the
mobility of the bodies. It distributes a load among contacts that could carry it in many ways (impacts.py). The rounding
error of a closed gap decays at the rate a.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import sympy

from easydyn.forces.effort import Assembly, Placeholder
from easydyn.mechanics.symbols import Coordinate, Flag, State
from easydyn.vec.scalars import Scalar

STABILISATION = 20.0  # 1/s: a
_CLOSED, _OPEN = Placeholder("closed"), Placeholder("open")


class Gap(NamedTuple):
    """A distance that must not become negative, in the scalars of an assembly, and the behaviour when it closes.

    Attributes
    ----------
    name, element : str
        Name of its events; name of the element, for messages.
    value, rate, acceleration : scalar
        The distance (m) and its derivatives in time (m/s, m/s2).
    gradient : dict
        The partial derivative by each coordinate on which it depends (no unit, or m per rad).
    restitution : scalar
        Coefficient of restitution e of an impact, from 0 to 1 (no unit).
    rest : float
        Impacts that follow each other within this time (s) count as a closed contact.
    impulse : State
        The impulse so far (N s); its rate is the force.
    closed : Flag
        Zero while it is open, else the compliance (1/kg).

    Notes
    -----
    Newton's law of restitution, and the constraint force of d'Alembert's principle along the gradient.

    Example
    -------
    >>> from easydyn import Model, RigidContact, tdisp
    >>> model = Model("ball")
    >>> y, = model.coordinates("y")
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> (gap,) = RigidContact(y - 1, restitution=0.5, name="floor").gaps(model.equations())
    >>> gap.guard(model.equations())
    Piecewise((floor.dot, floor.closed > 0), (y - 1, True))
    """

    name: str
    element: str
    value: Scalar
    rate: Scalar
    acceleration: Scalar
    gradient: Mapping[Coordinate, Scalar]
    restitution: Scalar
    rest: float
    impulse: State
    closed: Flag

    def guard(self, assembly: Assembly) -> Scalar:
        """What falls through zero, in the scalars of an `assembly`: the gap (m) if open, else the force (N)."""
        return self._by_state(assembly, assembly.value(self.impulse.dot), self.value)

    def press(self, assembly: Assembly) -> None:
        """Add the force of the gap to the coordinates of an `assembly`, and the equation that determines it."""
        force, a = assembly.value(self.impulse.dot), STABILISATION
        for q, slope in self.gradient.items():
            assembly.add_generalized(q, slope * force)
        kept = self.acceleration + 2 * a * self.rate + a**2 * self.value + assembly.value(self.closed) * force
        assembly.add_equation(self.impulse, self._by_state(assembly, kept, force))

    def _by_state(self, assembly: Assembly, closed: Scalar, opened: Scalar) -> Scalar:
        """One scalar while it is closed, the other while it is open."""
        formula = sympy.Piecewise((_CLOSED, self.closed > 0), (_OPEN, True))
        return assembly.value(formula, {_CLOSED: closed, _OPEN: opened})


def gap_of(
    assembly: Assembly, value: Scalar, coordinates: Sequence[Coordinate], *, name: str, element: str,
    restitution: Scalar, rest: float, impulse: State, closed: Flag,
) -> Gap:  # fmt: skip
    """Make the gap of an element, with rates by the chain rule of eq. (38) in the calculus of the assembly.

    Parameters
    ----------
    assembly : Assembly
        The assembly in whose scalars the gap is given.
    value : scalar (m)
        The distance, in the scalars of the assembly.
    coordinates : sequence of Coordinate
        All that the distance depends on.
    name, element, restitution, rest, impulse, closed
        As of `Gap`; the restitution in the scalars of the assembly (no unit), the time of rest in s.

    Returns
    -------
    Gap

    Example
    -------
    >>> from easydyn import Model, RigidContact, tdisp
    >>> model = Model("ball")
    >>> y, = model.coordinates("y")
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> floor = RigidContact(y - 1, restitution=0.5, name="floor")
    >>> (gap,) = floor.gaps(model.equations())
    >>> gap.value, gap.rate, gap.gradient
    (y - 1, y.dot, {y: 1})
    """
    rate = assembly.calculus.rate(value)
    slopes = assembly.calculus.gradient(value, [assembly.value(q) for q in coordinates])
    gradient = dict(zip(coordinates, slopes, strict=True))
    acceleration = assembly.calculus.rate(rate)
    return Gap(name, element, value, rate, acceleration, gradient, restitution, rest, impulse, closed)
