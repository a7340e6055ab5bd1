"""Dry friction: the share of its largest value that acts, and its direction.

Friction is F = -level d: `level` is mu Fn of a contact, or the largest friction force of a joint. d is the share of it
that acts, with a direction, |d| <= 1. Two laws have the same form; v is the velocity of slip, u has no unit:

    regularised     u = v/v0                d = u/sqrt(1 + |u|^2)
    sticking        u = s + v/v0            d = u/max(1, |u|)           s.dot = (d - s) v0/z0

The second law describes a brush of bristles (spring and damper side by side) that slides as a whole when the force on
it reaches the level. Below the level d = u, thus s.dot = v/z0: s is the deflection of the bristles divided by z0, the
deflection at which they begin to slide. With this law nothing creeps at rest. The regularised law always creeps,
because it has no force without a velocity.

Sources: the elastic-plastic interpretation of bristles is that of P. Dupont, V. Hayward, B. Armstrong and F. Altpeter,
Single state elastoplastic friction models, IEEE Trans. Automatic Control 47 (2002) 787-792; that the bristles'
stiffness is in proportion to the load is found in C. Canudas de Wit and P. Tsiotras, Dynamic tire friction models for
vehicle traction control, Proc. 38th IEEE Conf. Decision and Control (1999) 3746-3751. The fall from static to dynamic
friction with velocity is the form of D. P. Hess and A. Soom, J. Tribology 112 (1990) 147-152.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Declared, Size
from easydyn.forces.effort import Assembly, Demand, a_name, above_zero, constant, positive
from easydyn.mechanics.symbols import State
from easydyn.vec import ZERO, dot
from easydyn.vec.scalars import Scalar, is_number, largest, sqrt


class DryFriction(Declared):
    """The law of dry friction of an element, with the states of its sticking.

    Parameters
    ----------
    where : str
        The element, for messages.
    level, static_level : scalar
        Largest friction in sliding, and at rest (equal if left out): coefficients, or forces.
    slip_speed : scalar (m/s or rad/s)
        v0.
    static_speed : scalar (m/s or rad/s)
        Velocity of slip at which friction is half-way between its static and its dynamic value.
    sticking : scalar (m or rad), optional
        z0; the regularised law if left out.
    states : tuple of State
        One for each direction in which it sticks.
    """

    level, static_level = Argument(positive, "friction"), Argument(positive, "static friction", missing=None)
    slip_speed, static_speed = Size(above_zero), Size(above_zero, missing=None)
    sticking = Size(above_zero, missing=None)
    states: tuple[State, ...] = ()  # type: ignore[assignment]

    def __init__(
        self, where: str, level: Any, static_level: Any, slip_speed: Any, static_speed: Any, sticking: Any,
        states: tuple[State, ...],
    ):  # fmt: skip
        self.what, self.states = where, states
        self.take(locals())
        if self.static_level is not None:
            above_zero(static_speed, f"the static_speed of {where}")
            not_above(self.level, self.static_level, f"the friction of {where}", "its static friction")
        elif static_speed is not None:
            raise InputError(
                f"{where} has a static_speed and no static friction: give both, or none of them (friction is then the "
                "same at rest as in sliding)."
            )

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """Conditions on the parameters: friction is not negative, and at rest it is not less than in sliding."""
        level = assembly.value(self.level)
        if constant(iter((self.level,))):
            yield Demand(f"the friction of {self.what}", level, 0)
        if self.static_level is not None and constant(iter((self.level, self.static_level))):
            yield Demand(f"the static friction of {self.what}", assembly.value(self.static_level), level)

    def friction(self, assembly: Assembly, velocity: Sequence[Scalar], engaged: Any = 1, along: Any = ()) -> list[Any]:
        """Return level d for a velocity of slip: friction against it, in the directions of the velocity components.

        The bristles follow d up to the share `engaged`: with 0 they return to their undeformed shape. Three directions
        `along` are axes without their parts along the normal: what bristles have kept in that direction does not count.
        """
        value = assembly.value
        level, v0 = value(self.level), value(self.slip_speed)
        if self.static_level is not None:
            ratio = [v / value(self.static_speed) for v in velocity]
            level = level + (value(self.static_level) - level) / (1 + sum(r * r for r in ratio))
        u = [v / v0 for v in velocity]
        if self.sticking is None:
            size = sqrt(1 + sum(x * x for x in u))
            return [level * (x / size) for x in u]
        s = [value(p) for p in self.states]
        bent = sum((t * x for t, x in zip(along, s, strict=True)), ZERO) if len(s) > 2 else ZERO
        u = [x + y for x, y in zip([dot(t, bent) for t in along] if len(s) > 2 else s, u, strict=True)]
        size = sqrt(largest(1, sum(x * x for x in u)))
        d = [x / size for x in u]
        for p, x, y in zip(self.states, s, d, strict=True):
            assembly.add_rate(p, (y * engaged - x) * (v0 / value(self.sticking)))
        return [level * x for x in d]


def not_above(lower: Scalar, upper: Scalar, what: str, those: str) -> None:
    """Raise InputError, naming `what` and `those`, if two numbers are in the wrong order."""
    if is_number(lower) and is_number(upper) and float(lower) > float(upper):
        raise InputError(f"{what} is {lower}, and {those} {upper}: expected the first to be the smaller one, or equal.")


def state_names(name: Any, where: str, count: int) -> tuple[State, ...]:
    """The states of a sticking element, named after it."""
    if name is None:
        raise InputError(
            f'{where} sticks and has no name: give name="..." (letters, digits, underscores); its states are called '
            "after it."
        )
    a_name(name, where)
    return tuple(State(f"{name}_stick{x}") for x in [["", "_1", "_2", "_3"][k + (count > 1)] for k in range(count)])
