"""Coulomb's friction without a regularising slip speed: the element either slides or sticks, decided exactly."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Declared
from easydyn.forces.effort import Assembly, Demand, Placeholder, constant, positive
from easydyn.forces.friction import not_above
from easydyn.forces.law import with_symbols
from easydyn.forces.slip import SlipModes, modes_of
from easydyn.inputs import finite
from easydyn.mechanics.symbols import Acceleration, Flag, LockingForce, StateRate
from easydyn.vec.scalars import Scalar, symbols_of

SPEED = Placeholder("speed", nonnegative=True)  # for which a law of the speed is written
DIRECTION, FORCE = Placeholder("direction", real=True), Placeholder("force", real=True)


class Coulomb(Declared):
    """The friction of an element while it slides, and its largest friction while it sticks.

    Parameters
    ----------
    where : str
        The element, for messages.
    level : scalar (N, N m, or no unit) or callable
        Friction in sliding; or a law `level(speed)` with speed >= 0 (m/s or rad/s).
    static_level : scalar, optional
        Largest friction at rest; equal to the friction in sliding at zero speed if left out.
    name : str
        Name of its flags.
    """

    def __init__(self, where: str, level: Any, static_level: Any, name: str):
        self.what = where
        self.level = positive(_of_speed(level, where), f"the friction of {where}")
        at_rest = self.level.xreplace({SPEED: 0}) if SPEED in symbols_of(self.level) else self.level
        self.static_level = at_rest
        if static_level is not None:
            self.static_level = positive(static_level, f"the static friction of {where}")
            not_above(at_rest, self.static_level, f"the friction of {where}", "its static friction")
        for s in symbols_of(self.level, self.static_level):
            if isinstance(s, Acceleration | StateRate | LockingForce):
                raise InputError(
                    f"the friction of {where} depends on {s}, which itself follows from what sticks: expected an "
                    "expression of coordinates, rates, states, inputs, time and parameters. Friction in proportion to "
                    "the force of a contact is RigidContact(..., friction=, slip=); with a slip_speed it is smooth, "
                    "and may depend on forces."
                )
        self.modes: SlipModes = modes_of(name)

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Those of its modes."""
        return tuple(self.modes)

    def expressions(self) -> Iterator[Scalar]:
        """The scalars that the user gave."""
        for x in (self.level, self.static_level):
            yield x.xreplace({SPEED: 0, DIRECTION: 0}) if {SPEED, DIRECTION} & symbols_of(x) else x

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """Conditions on the parameters: friction is not negative, and at rest it is not less than in sliding."""
        if constant(self.expressions()):
            level, static = (assembly.value(x) for x in self.expressions())
            yield Demand(f"the friction of {self.what}", level, 0)
            if static is not level:
                yield Demand(f"the static friction of {self.what}", static, level)

    def formula(self, speed: Any) -> Any:
        """Friction while it slides at a speed, as a formula."""
        return _at_least_zero(self.level, SPEED, speed)

    def levels(
        self, assembly: Assembly, speed: Scalar, direction: Scalar = 0, force: Scalar = 0
    ) -> tuple[Scalar, Scalar]:
        """Friction while it slides at a speed, and largest friction while it sticks, in the scalars of an assembly.

        Where they depend on the `direction` of slip, that at rest is opposite to the `force` that holds.
        """
        level = assembly.value(self.formula(SPEED), {SPEED: speed, DIRECTION: direction})
        return level, assembly.value(_at_least_zero(self.static_level, DIRECTION, -sympy.sign(FORCE)), {FORCE: force})


@functools.lru_cache(typed=True)
def _at_least_zero(level: Any, what: Any, given: Any) -> Any:
    """A level where it is above zero, with something `given` in it; found once for all elements that are alike."""
    return sympy.Max(0, sympy.sympify(level).xreplace({what: given}))


def _of_speed(level: Any, where: str) -> Any:
    """A level as a formula of SPEED, where a law of the speed was given."""
    if isinstance(level, tuple | list) and level:
        return _of_table(level, where)
    if not callable(level) or hasattr(level, "free_symbols"):
        return level
    remedy = "Expected level(speed) of formulas, speed >= 0, with functions of SymPy."
    return with_symbols(level, f"the friction of {where}", remedy, SPEED)


def _of_table(points: Any, where: str) -> Any:
    """Friction by straight lines between points (speed, level); beyond them the last line goes on."""
    pairs = [tuple(p) if isinstance(p, tuple | list) else () for p in points]
    if len(pairs) < 2 or any(len(p) != 2 for p in pairs):
        raise InputError(
            f"the friction of {where} is {points!r}: expected a number, a function of the speed, or a table of two "
            "points or more, ((0, 3), (10, 4), ...), each a speed and the friction there."
        )
    speeds = [finite(v, f"a speed in the friction of {where}") for v, _ in pairs]
    levels = [positive(f, f"a value in the friction of {where}") for _, f in pairs]
    if speeds[0] != 0 or any(b <= a for a, b in pairwise(speeds)):
        raise InputError(
            f"the friction of {where} has a table at the speeds {', '.join(f'{v:g}' for v in speeds)}: expected some "
            "that grow from zero."
        )
    between = zip(pairwise(speeds), pairwise(levels), strict=True)
    lines = [f + (g - f) / (b - a) * (SPEED - a) for (a, b), (f, g) in between]
    parts = [(line, SPEED < b) for line, b in zip(lines, speeds[1:], strict=True)]
    return sympy.Piecewise(*parts[:-1], (lines[-1], True))
