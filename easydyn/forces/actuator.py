"""An actuator: a force on command, within the limits of the machine that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element, Size
from easydyn.forces.effort import EXCHANGED, Assembly, Demand, Placeholder, a_coordinate, above_zero, given, positive
from easydyn.forces.law import formula_of
from easydyn.forces.line import Ends, OnLine, masses_of
from easydyn.inputs import expect, finite, is_function
from easydyn.vec.scalars import Scalar, is_number

_F, _V, _LOW, _HIGH, _P = (Placeholder(name, real=True) for name in ("force", "speed", "low", "high", "power"))
_BETWEEN = sympy.Min(sympy.Max(_F, _LOW), _HIGH)
_OF_POWER = sympy.Piecewise((sympy.Min(_F, _P / _V), _V > 0), (sympy.Max(_F, _P / _V), _V < 0), (_F, True))


def _limits(limit: Any, what: str) -> tuple[Scalar, Scalar]:
    """(lowest, highest) of one limit for both signs, or of two."""
    if not isinstance(limit, tuple | list):
        highest = positive(limit, what)
        return -highest, highest
    expect(len(limit) == 2, what, limit, "one number, or (lowest, highest)")
    lowest, highest = (given(x, "a limit of an Actuator") for x in limit)
    if is_number(lowest) and is_number(highest) and finite(lowest, "lowest") > finite(highest, "highest"):
        raise InputError(f"{what} is {limit!r}: expected the lowest force first.")
    return lowest, highest


class Actuator(Element):
    """A force on command, on a coordinate or between two points, within the limits of the machine that makes it.

    On a coordinate it is a generalised force. Between two points it acts on their distance L in the same way: a
    positive force pushes the points apart (principle of virtual power). With v = dq/dt, or dL/dt, the command is
    bounded in turn by

    - the torque-speed line of a motor, from -Fs (1 + v/v0) to Fs (1 - v/v0),
    - its power when it drives, F v <= P,
    - the limits of the force.

    Parameters
    ----------
    where : Coordinate, or two ends
        Two ends are given as for a Spring: Body or (Body, (x, y, z)). The two points must not meet.
    command : scalar (N m, or N)
        The force wanted: any expression of t, coordinates, rates, states, parameters. Or a function that returns one,
        of the distance L (m) and of dL/dt (m/s), or of the coordinate and its rate: `lambda L, v: 200*(1 - L) - 9*v`.
    limit : scalar or (lowest, highest), optional
        Largest force, of either sign; or the lowest and the highest one.
    stall, no_load_speed : scalars (N m and rad/s, or N and m/s), optional
        Fs, the largest force at rest, and v0, the speed at which the force has fallen to zero.
    power : scalar (W), optional
        P, the largest power that it delivers; it does not limit braking.
    mass : scalar or two (kg), optional
        Point masses on the line between two ends, as for a Spring; for example of a cylinder and its piston.
    at : scalar (no unit), optional
        Position of one mass on the line, from 0 at the first end to 1 at the second.
    distances : two scalars (m), optional
        Distances of two masses, each from its own end.

    Raises
    ------
    InputError
        No command, masses without a line, one of `stall` and `no_load_speed` without the other, limits that exclude
        each other.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("servo")
    >>> q, = model.coordinates("q")
    >>> arm = model.body("arm", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(Actuator(q, command=100*(1 - q) - 10*q.dot, limit=30))
    >>> model.compile().accelerations(0, [[0], [0.9]], [[0], [0]])
    array([[15.],
           [ 5.]])
    """

    coordinate = Argument(a_coordinate, missing=None)
    command = Argument(given)
    stall, no_load_speed = Argument(positive, missing=None), Size(above_zero, missing=None)
    power = Argument(positive, missing=None)
    limit = Argument(_limits, missing=None)
    ends: Ends | None

    def __init__(
        self, *where: Any, command: Any = None, limit: Any = None, stall: Any = None, no_load_speed: Any = None,
        power: Any = None, mass: Any = None, at: Any = None, distances: Any = None,
    ):  # fmt: skip
        if len(where) not in (1, 2):
            raise InputError(f"an Actuator acts on {len(where)} things: expected a coordinate, or two ends.")
        self.ends = Ends(*where, "an Actuator") if len(where) == 2 else None
        coordinate: Any = None if self.ends else a_coordinate(where[0], "the coordinate of an Actuator")
        said = [name for name, x in (("mass", mass), ("at", at), ("distances", distances)) if x is not None]
        if self.ends is None and said:
            raise InputError(
                f"an Actuator on {coordinate} has {said[0]}=, and no line on which a mass is: masses are those of "
                "an Actuator between two ends. Give a body that mass."
            )
        self._masses = () if self.ends is None else masses_of(self.ends, "an Actuator", mass, at, distances)
        if is_function(command):
            of = self.ends.length_and_rate() if self.ends else (coordinate, coordinate.dot)
            command = formula_of(command, "the command of an Actuator", "length, speed", *of)
        if (stall is None) != (no_load_speed is None):
            raise InputError("an Actuator has stall= and no_load_speed= together, or none of them.")
        self.take(locals())

    @property
    def masses(self) -> tuple[OnLine, ...]:
        return self._masses

    def _speed(self, assembly: Assembly) -> Scalar:
        if self.ends is None:
            return assembly.value(self.coordinate.dot)
        return self.ends.opening(assembly) / self.ends.length(assembly)

    def _force(self, assembly: Assembly) -> Scalar:
        force = assembly.value(self.command)
        if self.stall is not None:
            force = _clamped(assembly, force, self._by_motor(assembly))
        if self.power is not None:
            given = {_F: force, _V: self._speed(assembly), _P: assembly.value(self.power)}
            force = assembly.value(_OF_POWER, given)
        return force if self.limit is None else _clamped(assembly, force, self._by_limit(assembly))

    def _by_motor(self, assembly: Assembly) -> tuple[Scalar, Scalar]:
        """The lowest and the highest force at this speed."""
        stall, part = assembly.value(self.stall), self._speed(assembly) / assembly.value(self.no_load_speed)
        return -(stall * (1 + part)), stall * (1 - part)

    def _by_limit(self, assembly: Assembly) -> tuple[Scalar, Scalar]:
        return assembly.value(self.limit[0]), assembly.value(self.limit[1])

    def apply(self, assembly: Assembly) -> None:
        if self.ends is None:
            assembly.add_generalized(self.coordinate, self._force(assembly))
        else:
            self.ends.pull(assembly, -(self._force(assembly) / self.ends.length(assembly)))

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        if self.limit is not None:
            lowest, highest = self._by_limit(assembly)
            yield Demand(f"the highest force of {self}", highest, lowest, None, EXCHANGED)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        command = assembly.value(self.command)
        bounds = [("motor", self._by_motor)] if self.stall is not None else []
        bounds += [("limit", self._by_limit)] if self.limit is not None else []
        for name, of in bounds:
            low, high = of(assembly)
            yield f"lowest by {name}", command - low
            yield f"highest by {name}", command - high


def _clamped(assembly: Assembly, force: Scalar, bounds: tuple[Scalar, Scalar]) -> Scalar:
    return assembly.value(_BETWEEN, {_F: force, _LOW: bounds[0], _HIGH: bounds[1]})
