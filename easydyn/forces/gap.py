"""Gaps: distances that must not become negative, the unilateral constraints of force elements.

A closed gap g(q, t) transmits a force F along its gradient, which has the value needed for g = 0:

    Q_j = F dg/dq_j,        g.ddot + 2 a g.dot + a^2 g + c F = 0   while closed,   F = 0   while open.

The unknown F is the rate of a state of the element, its impulse so far. c is a compliance, small compared with the
mobility of the bodies. It distributes a load among contacts that could carry it in many ways (impacts.py). The rounding
error of a closed gap decays at the rate a.

A gap that bends in space (Min, Abs, Piecewise) is as many gaps as it has smooth branches. A branch counts where it is
not less than the gap itself: that is its own part of space, and where the branches of a groove both hold. Beyond a
ridge it is less, and its contact opens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import sympy

from easydyn.errors import InputError
from easydyn.forces.effort import Assembly
from easydyn.inputs import finite
from easydyn.mechanics.symbols import Coordinate, Flag, State
from easydyn.vec import Vector
from easydyn.vec.scalars import Scalar, is_number, scalar, where

STABILISATION = 20.0  # 1/s: a
TORN = 0.05  # m/s: a closed gap that closes faster has bent, where no kink is known (a load that meets an eye)
EARTH = 9.81  # m/s2
BESIDE = 1e-11  # lengths: by so much a branch may be less than the gap of which it is one


def length(assembly: Assembly) -> Scalar:
    """What a metre is in the unit of length of a model, by its gravity; 1 where it has none.

    Lengths that count as zero are shares of it, and speeds of it in a second: units do not change a motion.
    """
    g = assembly.gravity.norm()
    return where(g, g / EARTH, 1)


class Gap(NamedTuple):
    """A distance that must not become negative, in the scalars of an assembly, and the behaviour when it closes.

    Attributes
    ----------
    name, element : str
        Name of its events; name of the element, for messages.
    value, rate, acceleration : scalar
        The distance (m) and its derivatives in time (m/s, m/s2).
    gradient : dict
        The derivative by each coordinate of the equations that changes it (no unit, or m per rad).
    restitution : scalar
        Coefficient of restitution e of an impact, from 0 to 1 (no unit).
    rest : float
        Impacts that follow each other within this time (s) count as a closed contact.
    impulse : State
        The impulse so far (N s); its rate is the force.
    closed : Flag
        0 while it is open, 1 while it is closed.
    compliance : Flag or None
        c (1/kg), found by the run when it closes; for None the flag of closing holds it.
    beyond : scalar or None
        By how much a branch is more than the gap of which it is one (m): it counts where this is not below zero.
    bends : bool
        True where it may bend in places that nobody knows, as the length of a rope does where a load meets its eye.

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
    compliance: Flag | None = None
    beyond: Scalar | None = None
    bends: bool = False

    def guard(self, assembly: Assembly) -> Scalar:
        """What falls through zero, in the scalars of an `assembly`: the gap (m) if open, else the force (N)."""
        torn = -TORN * length(assembly) - STABILISATION * self.value - self.rate if self.bends else -1.0
        force = where(torn, -1, assembly.value(self.impulse.dot))
        ended = -1.0 if self.beyond is None else -self.beyond - BESIDE * length(assembly)
        return self._by_state(assembly, where(ended, -1, force), where(ended, 1, self.value))

    def press(self, assembly: Assembly) -> None:
        """Add the force of the gap to the coordinates of an `assembly`, and the equation that determines it."""
        force = assembly.value(self.impulse.dot)
        for q, slope in self.gradient.items():
            assembly.add_generalized(q, self._by_state(assembly, slope * force, 0))  # no slope where it is a pole
        self.determine(assembly)

    def push(self, assembly: Assembly, direction: Vector, *others: Vector) -> Vector:
        """The force (N) along a unit `direction` and `others` (N) while it is closed, in scalars of an `assembly`."""
        force = sum(others, direction * assembly.value(self.impulse.dot))
        return force.map(lambda x: self._by_state(assembly, x, 0))

    def power(self, assembly: Assembly) -> Scalar:
        """What its force supplies (W), in the scalars of an `assembly`."""
        return self._by_state(assembly, assembly.value(self.impulse.dot) * self.rate, 0)

    def determine(self, assembly: Assembly) -> None:
        """Add the equation that determines the force to an `assembly`."""
        force, a = assembly.value(self.impulse.dot), STABILISATION
        soft = assembly.value(self.compliance or self.closed)
        kept = self.acceleration + 2 * a * self.rate + a**2 * self.value + soft * force
        if self.compliance is not None:  # below zero it is the force itself, of an interval of time stepping
            kept = where(-soft, force + soft, kept)
        assembly.add_equation(self.impulse, self._by_state(assembly, kept, force))

    def _by_state(self, assembly: Assembly, closed: Scalar, opened: Scalar) -> Scalar:
        """One scalar while it is closed, the other while it is open."""
        state = assembly.value(self.closed)
        if isinstance(state, sympy.Basic):  # as it is read
            return sympy.Piecewise((closed, state > 0), (opened, True))
        return where(state, closed, opened)


def restitution_of(value: Any, where: str) -> Scalar:
    """The coefficient of restitution of what is told as `where`; InputError for a number that is none."""
    e = scalar(value, f"the restitution of {where}")
    if is_number(e) and not 0 <= finite(e, "the restitution") <= 1:
        raise InputError(f"the restitution of {where} is {e}: expected a number from 0 (no rebound) to 1 (no loss).")
    return e


def gap_of(
    assembly: Assembly, value: Scalar, *, name: str, element: str, restitution: Scalar, rest: float, impulse: State,
    closed: Flag, compliance: Flag | None = None, beyond: Scalar | None = None, moves: bool = True,
) -> Gap:  # fmt: skip
    """Make the gap of an element, with rates by the chain rule of eq. (38) in the calculus of the assembly.

    Parameters
    ----------
    assembly : Assembly
        The assembly in whose scalars the gap is given.
    value : scalar (m)
        The distance, in the scalars of the assembly. (Its force acts along `assembly.slopes(value)`.)
    name, element, restitution, rest, impulse, closed, compliance, beyond
        As of `Gap`; the restitution in the scalars of the assembly (no unit), the time of rest in s.
    moves : bool
        False where nobody asks what it moves: without its gradient.

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
    acceleration, gradient = assembly.calculus.rate(rate), assembly.slopes(value) if moves else {}
    return Gap(
        name, element, value, rate, acceleration, gradient, restitution, rest, impulse, closed, compliance, beyond
    )
