"""Paths from point to point, planned before the run: formulas of time that drive coordinates or set-points."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.effort import Placeholder
from easydyn.inputs import finite, finite_array, is_listed, positive
from easydyn.vec.scalars import one_expression

_T = Placeholder("time", real=True)


@answers
class PointToPoint:
    """A motion from one point to another, as fast as the limits of speed and acceleration of all axes allow.

    `point_to_point` makes it. All axes move together. The position is the start before 0 s, and the end after `end`.

    Attributes
    ----------
    end : float
        Duration of the motion (s).
    """

    def __init__(self, start: list[float], way: list[float], at_speed: float, at_acceleration: float):
        self._start, self._way = start, way
        self.end = 0.0
        parts: list[tuple[Any, Any, Any, Any]] = [(0, 0, 0, sympy.true)]  # s, its rates, and until when
        if any(way):
            a = 1 / at_acceleration
            v = min(1 / at_speed, sqrt(a))  # the top speed is not reached where there is no way left for it
            rising, last = v / a, 1 / v  # ends of the first and of the second part
            self.end = last + rising
            left = self.end - _T
            parts = [
                (0, 0, 0, _T <= 0), (a * _T**2 / 2, a * _T, a, _T < rising), (v * (_T - rising / 2), v, 0, _T < last),
                (1 - a * left**2 / 2, a * left, -a, _T < self.end), (1, 0, 0, sympy.true),
            ]  # fmt: skip
        self._path = [sympy.Piecewise(*((part[k], part[3]) for part in parts)) for k in range(3)]

    def position(self, t: Any) -> tuple[Any, ...]:
        """Position of each axis (m or rad), a formula of time `t` (s), or its values at an array (N,).

        Raises InputError for an invalid time.
        """
        return tuple(a + b * s for a, b, s in zip(self._start, self._way, self._at(0, t), strict=True))

    def velocity(self, t: Any) -> tuple[Any, ...]:
        """Speed of each axis (m/s or rad/s), a formula of time `t` (s), as `position`.

        Raises InputError for an invalid time.
        """
        return tuple(b * s for b, s in zip(self._way, self._at(1, t), strict=True))

    def acceleration(self, t: Any) -> tuple[Any, ...]:
        """Acceleration of each axis (m/s2 or rad/s2), a formula of time `t` (s), as `position`.

        Raises InputError for an invalid time.
        """
        return tuple(b * s for b, s in zip(self._way, self._at(2, t), strict=True))

    def _at(self, order: int, t: Any) -> list[Any]:
        """A derivative of the path, for each axis."""
        if is_listed(t):
            times = finite_array(t, "the time of a path")
            return [np.asarray(sympy.lambdify(_T, self._path[order], "numpy")(times)) + 0 * times] * len(self._way)
        time = one_expression(t, "the time of a path")
        if time.is_number:
            time = sympy.Float(finite(t, "the time of a path"))
        return [self._path[order].subs(_T, time)] * len(self._way)

    def __repr__(self) -> str:
        return f"path of {len(self._way)} axes, {self.end:g} s"


@answers
def point_to_point(start: Any, end: Any, speeds: Any, accelerations: Any) -> PointToPoint:
    """Plan the motion of one axis or of several from a start to an end: all begin together and arrive together.

    All follow one path s(t) from 0 to 1, q = start + s (end - start), whose speed is a trapezoid: s.ddot is as large as
    the accelerations allow, then s.dot as large as the speeds allow. Where the way is too short for that speed it is a
    triangle (kinematics of constant acceleration).

    Parameters
    ----------
    start, end : float or sequence of float (m or rad)
        Position of one axis, or one value for each axis. An axis may stay, or move backward.
    speeds, accelerations : float or sequence of float (m/s, m/s2 or rad/s, rad/s2)
        Largest speeds and accelerations, above zero: one value for all axes, or one for each.

    Returns
    -------
    PointToPoint
        `.end` is the duration (s); `.position(t)`, `.velocity(t)`, `.acceleration(t)` are tuples of formulas, one for
        each axis. To begin later, use for example `.position(t - 0.5)`.

    Raises
    ------
    InputError
        Numbers of values that do not match, speeds or accelerations that are not above zero.

    Example
    -------
    >>> from easydyn import point_to_point, t
    >>> plan = point_to_point((0, 1), (2, 0.5), speeds=(1, 1), accelerations=2)
    >>> plan.end
    2.5
    >>> [round(float(q), 6) for q in plan.position(1.25)], [round(float(v), 6) for v in plan.velocity(1.25)]
    ([1.0, 0.75], [1.0, -0.25])
    >>> float(plan.velocity(t)[0].subs(t, 0.25))
    0.5
    """
    places = [_numbers(x, f"the {what} of a path") for x, what in ((start, "start"), (end, "end"))]
    axes = max(map(len, places))
    if min(map(len, places)) != axes or not axes:
        raise InputError(
            f"the start of a path has {len(places[0])} numbers, its end has {len(places[1])}: expected one for each "
            "axis in both."
        )
    way = [b - a for a, b in zip(*places, strict=True)]
    bounds = []
    for given, what in ((speeds, "speeds"), (accelerations, "accelerations")):
        found = [positive(x, f"one of the {what} of a path") for x in _numbers(given, f"the {what} of a path")]
        if len(found) not in (1, axes):
            raise InputError(
                f"the {what} of a path are {len(found)} numbers: expected one for all axes, or {axes}, one for each."
            )
        bounds.append(max(abs(b) / x for b, x in zip(way, found * (axes if len(found) == 1 else 1), strict=True)))
    if any(way) and not all(1e-100 < x < 1e100 for x in bounds):
        raise InputError(
            f"a path takes {max(bounds):g} s at these speeds or accelerations, which nothing could follow: look at its "
            "start, its end and its bounds."
        )
    return PointToPoint(places[0], way, *bounds)


def _numbers(given: Any, what: str) -> list[float]:
    """Of a number or of a sequence the numbers."""
    listed = list(given) if is_listed(given) else [given]
    return [finite(x, f"a number in {what}" if is_listed(given) else what) for x in listed]
