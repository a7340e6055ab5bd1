"""`Curve`: the edge of a body in x, y of a frame, by formulas of a parameter, through points, or by the lift of a cam.

A curve p(u) is used with two derivatives. Its free side is along the unit normal n, and its surface lies at p - b n.
The offset b is zero but for cams of roller followers, whose lift is that of the centre of the roller.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.effort import Placeholder
from easydyn.inputs import among, expect, finite, finite_array, is_listed, positive, shown
from easydyn.mechanics.symbols import Parameter
from easydyn.touch.shape import Shape
from easydyn.vec import Vector, dot
from easydyn.vec.scalars import Scalar, cos, is_number, one_expression, sin, sqrt, where

SAMPLES = 64  # of a curve, at least: the search for the closest point begins at the best of them
OUTLINE = 256  # points of a picture
DEGREE = 5  # of splines: their curvature has a smooth rate
CLOSED = 1e-9  # of its size: so near to each other are both ends of a closed curve
SIDES = {"left": 1, "right": -1}
U = Placeholder("u", real=True)

Value = Callable[..., Scalar]


class Jet(NamedTuple):
    """A point of a curve.

    Attributes
    ----------
    p, d, dd : Vector
        Its place (m), and the first two derivatives by the parameter (m).
    """

    p: Vector
    d: Vector
    dd: Vector


Piece = Callable[[Scalar], Jet]


class _Formulas:
    """x(u) and y(u), in SymPy."""

    pieces = 1

    def __init__(self, x: sympy.Expr, y: sympy.Expr, ends: tuple[float, float]):
        self.ends = ends
        self._all = [[sympy.diff(e, U, k) for e in (x, y)] for k in range(3)]
        self.parameters = sorted({*x.free_symbols, *y.free_symbols} - {U}, key=str)
        self.text = f"{x}, {y}, (u, {ends[0]:g}, {ends[1]:g})"

    def near(self, value: Value, u: Scalar) -> Piece:
        """The curve about a parameter."""
        return lambda v: Jet(*(Vector(value(x, {U: v}), value(y, {U: v}), 0) for x, y in self._all))

    def numbers(self, u: Sequence[float], values: Mapping[Any, float]) -> list[Jet]:
        """The curve at some parameters, for `values` of the symbols."""
        given = [[e.xreplace(values) for e in pair] for pair in self._all]
        found = sympy.lambdify(U, given, "math")
        return [Jet(*(Vector(float(x), float(y), 0) for x, y in found(v))) for v in u]


class _Spline:
    """Functions of u by a spline of degree five, with period or without, and derivatives to the third."""

    def __init__(self, u: np.ndarray, y: np.ndarray, closed: bool):
        from scipy.interpolate import make_interp_spline

        spline = make_interp_spline(u, y, k=DEGREE, bc_type="periodic" if closed else None)
        self._starts = np.unique(spline.t[(spline.t >= u[0]) & (spline.t < u[-1])])
        powers = [spline(self._starts, nu=m) / math.factorial(m) for m in range(DEGREE, -1, -1)]
        self._coefficients = np.array(powers)  # (6, n, k), the highest power first
        self.ends, self._closed, self.pieces = (float(u[0]), float(u[-1])), closed, len(self._starts)

    def near(self, value: Value, u: Scalar) -> Callable[[Scalar], list[list[Scalar]]]:
        """The piece about a parameter, as a function of the parameter: derivatives from none to the third."""
        turns: Scalar = 0
        if self._closed:
            turns = value(sympy.floor((U - self.ends[0]) / (self.ends[1] - self.ends[0])), {U: u})
        shift = turns * (self.ends[1] - self.ends[0])
        v = u - shift
        powers, columns = self._coefficients.shape[0], self._coefficients.shape[2]
        rows = np.moveaxis(self._coefficients, 1, 0).reshape(len(self._starts), -1)
        table = np.column_stack([self._starts, rows])
        if is_number(v):
            found = table[max(int(np.searchsorted(self._starts, float(v), "right")) - 1, 0)].tolist()
        else:
            found = table[0].tolist()
            for row in table[1:].tolist():
                beyond = v - row[0]
                found = [where(beyond, new, old) for new, old in zip(row, found, strict=True)]
        start, *flat = found
        c = [[flat[m * columns + k] for m in range(powers)] for k in range(columns)]

        def there(w: Scalar) -> list[list[Scalar]]:
            s = w - shift - start
            return [[_horner(row, s, k) for row in c] for k in range(4)]

        return there


def _horner(c: Sequence[Scalar], s: Scalar, derivative: int) -> Scalar:
    """A polynomial, the highest power first, or one of its derivatives."""
    n = len(c) - 1
    total: Scalar = 0
    for m, x in enumerate(c[: n + 1 - derivative]):
        total = total * s + x * math.perm(n - m, derivative)
    return total


class _Splined:
    """The common part of curves by splines."""

    parameters: Sequence[Any] = ()
    near: Callable[[Value, Scalar], Piece]

    def numbers(self, u: Sequence[float], values: Mapping[Any, float]) -> list[Jet]:
        """The curve at some parameters."""
        return [self.near(_number, v)(v) for v in u]


class _Through(_Splined):
    """A spline through points."""

    def __init__(self, points: np.ndarray, closed: bool):
        if closed:
            points = np.concatenate([points, points[:1]])
        along = np.concatenate([[0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
        self._spline = _Spline(along, points, closed)
        self.ends, self.pieces = self._spline.ends, self._spline.pieces
        self.text = f"{len(points) - closed} points about {tuple(float(round(x, 9)) for x in points.mean(axis=0))}"

    def near(self, value: Value, u: Scalar) -> Piece:
        """The curve about a parameter."""
        there = self._spline.near(value, u)
        return lambda v: Jet(*(Vector(x, y, 0) for x, y in there(v)[:3]))


class Lift(_Splined):
    """The cam of a lift: h is the distance of the follower from the axis, of its face for a flat one.

    With e the unit vector at the angle u, across to it f: p = h e, and for a flat follower p = h e + h' f, whose normal
    is e (the support function of the cam).
    """

    def __init__(self, angles: np.ndarray, heights: np.ndarray, follower: float):
        self._spline, self.flat = _Spline(angles, heights[:, None], True), follower == math.inf
        self.offset = 0.0 if self.flat else follower
        self.ends, self.pieces = self._spline.ends, self._spline.pieces
        least, most = float(heights.min()), float(heights.max())
        kind = "face" if self.flat else "roller" if follower else "point"
        self.text = f"{len(angles) - 1} heights of a {kind} from {least:g} to {most:g}"

    def height(self, value: Value, u: Scalar) -> list[Scalar]:
        """h and its derivatives at an angle."""
        return [row[0] for row in self._spline.near(value, u)(u)]

    def near(self, value: Value, u: Scalar) -> Piece:
        """The curve about a parameter."""
        there = self._spline.near(value, u)

        def jet(v: Scalar) -> Jet:
            e, f = Vector(cos(v), sin(v), 0), Vector(-sin(v), cos(v), 0)
            h, h1, h2, h3 = (row[0] for row in there(v))
            if self.flat:
                return Jet(e * h + f * h1, f * (h + h2), f * (h1 + h3) - e * (h + h2))
            return Jet(e * h, e * h1 + f * h, e * (h2 - h) + f * (2 * h1))

        return jet


@answers
class Curve(Shape):
    """A curve in x, y of its frame: the edge of a cam, a track, a groove.

    Points, discs and half-planes touch it from its free side. That is the outside of a closed curve; of an open one it
    is to the left as the parameter grows. The ends of an open curve touch nothing.

    Parameters
    ----------
    x : expression (m) or sequence of (x, y)
        x as a formula of the parameter; or six or more points (m), through which a spline of degree five goes.
    y : expression (m), optional
        y as a formula of the parameter.
    u : symbol or (symbol, start, end), optional
        The parameter of the formulas and its range; from 0 to 2 pi if left out, once around a closed curve.
    closed : bool, optional
        True for points of a closed curve, False for those of an open one. Closed if left out.
    side : str, optional
        The free side, "left" or "right" as the parameter grows.

    Raises
    ------
    InputError
        When it is no curve, or has a corner.

    Example
    -------
    >>> import sympy
    >>> u = sympy.Symbol("u")
    >>> Curve(u, u**2 / 2, (u, -1, 1))
    Curve(u, u**2/2, (u, -1, 1))
    """

    planar = True

    def __init__(self, x: Any, y: Any = None, u: Any = None, *, closed: Any = None, side: Any = None):
        expect(closed is None or isinstance(closed, bool | np.bool_), "closed of a Curve", closed, "True or False")
        expect(
            side is None or among(side, SIDES), "the side of a Curve", side,
            '"left" or "right", where its free side is as the parameter grows',
        )  # fmt: skip
        if isinstance(x, Lift):
            self.law: Any = x
        elif is_listed(x):
            self.law = _through(x, (y, u), closed is not False)
        else:
            self.law = _formulas(x, y, u)
        self.offset = getattr(self.law, "offset", 0.0)
        self._look(closed, side)

    @classmethod
    @answers
    def lift(cls, table: Any, base: Any, *, follower: Any = 0) -> Curve:
        """The cam that lifts its follower as a `table` says, about the origin.

        Parameters
        ----------
        table : sequence of (angle, lift)
            Angles (rad) of the cam, in order around one turn, six or more of them, and lifts (m) along the direction at
            that angle. A periodic spline of degree five goes through them.
        base : float (m)
            The distance of the follower from the axis where the lift is zero, of the centre of a roller.
        follower : float (m)
            The radius of the roller; 0 for a point, infinity for a flat face across the direction.

        Returns
        -------
        Curve

        Raises
        ------
        InputError
            When the table is none, or for a cam with a cusp.

        Notes
        -----
        A flat follower gives the support function h of the cam: p = h e + h' f, with the radius of curvature h + h''.

        Example
        -------
        >>> import numpy as np
        >>> angles = np.linspace(0, 2 * np.pi, 36, endpoint=False)
        >>> Curve.lift(np.column_stack([angles, 0.01 * np.sin(angles)]), 0.03)
        Curve.lift(36 heights of a point from 0.02 to 0.04)
        """
        rows = finite_array(table, "the table of a cam")
        if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < DEGREE + 1:
            raise InputError(
                f"the table of a cam has the shape {rows.shape}: expected {DEGREE + 1} or more rows (angle, lift)."
            )
        angles, lifts = rows.T
        *steps, last = np.diff([*angles, angles[0] + 2 * math.pi])
        if min(steps) <= 0 or not -2 * math.pi * CLOSED <= last <= 3 * max(steps):
            raise InputError(
                "the angles of a cam are not in order all around one turn: expected angles in rad that grow from the "
                f"first one to the last one by 2 pi or a step less, not from {angles[0]:g} to {angles[-1]:g}."
            )
        heights = positive(base, "the base of a cam") + lifts
        if last > 2 * math.pi * CLOSED:
            angles, heights = np.append(angles, angles[0] + 2 * math.pi), np.append(heights, heights[0])
        elif abs(heights[-1] - heights[0]) > CLOSED * heights.max():
            raise InputError(
                f"the lift of a cam is {lifts[0]:g} m at first and {lifts[-1]:g} m after one turn: expected the same."
            )
        heights[-1] = heights[0]
        flat = isinstance(follower, float) and follower == math.inf
        radius = 0.0 if flat else finite(follower, "the radius of the follower of a cam")
        if radius < 0 or heights.min() <= radius:
            raise InputError(
                f"a cam has the least height {heights.min():g} m and a follower of radius {radius:g} m: expected a "
                "height above the radius, and a radius that is not negative."
            )
        curve = cls(Lift(angles, heights, math.inf if flat else radius))
        for u, jet in zip(curve.samples, curve.jets(_number), strict=True):
            if (dot(jet.d, _left(jet.p)) if flat else 1 + radius * curve.bend(jet)) <= 0:
                raise InputError(
                    f"a cam has a cusp at {math.degrees(u):.4g} deg, where its follower would cut it: take a larger "
                    "base, a smaller roller, or a lift that changes more slowly."
                )
        return curve

    def _look(self, closed: Any, side: Any) -> None:
        """Whether it is closed, and where its free side is."""
        a, b = self.law.ends
        numbers = Random(1)
        values = {s: numbers.uniform(0.5, 1.5) for s in self.law.parameters}
        try:
            jets = self.law.numbers(np.linspace(a, b, SAMPLES + 1).tolist(), values)
        except (TypeError, ValueError, ZeroDivisionError):
            jets = [Jet(*[Vector(math.nan, 0, 0)] * 3)]
        points, ways = (np.array([jet[k][:2] for jet in jets]) for k in range(2))
        size = np.ptp(points, axis=0).max()
        if not np.isfinite([points, ways]).all() or size == 0:
            raise InputError(f"{self} has no values between u = {a:g} and {b:g}: expected real numbers.")
        if (np.hypot(*ways.T) <= CLOSED * size).any():
            u = np.linspace(a, b, SAMPLES + 1)[np.argmin(np.hypot(*ways.T))]
            raise InputError(
                f"{self} stands still at u = {u:.4g}, where both derivatives are zero: expected a curve without "
                "corners, and a parameter that moves along it everywhere."
            )
        ends_meet = np.abs(points[-1] - points[0]).max() <= CLOSED * size
        smooth = np.abs(ways[-1] - ways[0]).max() <= 1e-6 * np.abs(ways).max()
        self.closed = bool(ends_meet and smooth) if closed is None else closed
        if self.closed and not (ends_meet and smooth):
            raise InputError(
                f"{self} does not close smoothly: expected the same place and direction at u = {a:g} and {b:g}, or "
                "closed=False."
            )
        if not (self.law.parameters or isinstance(self.law, Lift)) and (crossing := _crossing(points @ (1, 1j))):
            u, v = (a + (b - a) * k / SAMPLES for k in crossing)
            raise InputError(
                f"{self} crosses itself near u = {u:.3g} and u = {v:.3g}: expected a curve that does not, or pieces of "
                "it, each in a contact of its own."
            )
        area = np.sum(points[:-1, 0] * points[1:, 1] - points[:-1, 1] * points[1:, 0])
        self.sign = SIDES[side] if side else -1 if self.closed and area > 0 else 1
        self.solid = self.closed and (self.sign < 0) == (area > 0)  # what is free is outside

    @cached_property
    def samples(self) -> list[float]:
        """Parameters (no unit) at which a search for the closest point begins."""
        count = max(SAMPLES, self.law.pieces)
        start, end = self.law.ends
        return [float(u) for u in np.linspace(start, end, count + 1)[: count + (not self.closed)]]

    @cached_property
    def _known(self) -> list[Jet]:
        return self.law.numbers(self.samples, {})

    def jets(self, value: Value) -> list[Jet]:
        """The curve at its samples; `value` gives the scalars of its parameters."""
        return [self.law.near(value, u)(u) for u in self.samples] if self.law.parameters else self._known

    def normal(self, jet: Jet) -> Vector:
        """The unit normal at a `jet` towards the free side (no unit)."""
        return _left(jet.d) * (self.sign / sqrt(dot(jet.d, jet.d)))

    def bend(self, jet: Jet) -> Scalar:
        """The curvature at a `jet` (1/m), above zero where the curve bends towards its free side."""
        square = dot(jet.d, jet.d)
        return dot(_left(jet.d), jet.dd) * self.sign / (square * sqrt(square))

    def outline(self, value: Callable[[Scalar], float], depth: float = 0.0) -> np.ndarray:
        """Points (n, 2) (m) at a `depth` (m) behind its surface; `value` gives the numbers of its parameters."""
        values = {s: value(s) for s in self.law.parameters}
        start, end = self.law.ends
        jets = self.law.numbers(np.linspace(start, end, OUTLINE + 1).tolist(), values)
        return np.array([(jet.p - self.normal(jet) * (self.offset + depth))[:2] for jet in jets])

    def scalars(self) -> Iterator[Scalar]:
        yield from self.law.parameters

    def __repr__(self) -> str:
        return f"Curve{'.lift' * isinstance(self.law, Lift)}({self.law.text})"


def _crossing(z: np.ndarray) -> list[int]:
    """Two pieces of a line through points x + i y that cross each other, more steeply than its corners are."""
    way, apart, k = np.diff(z), z[:-1] - z[:-1, None], np.arange(len(z) - 1)
    area = (way[:, None].conj() * way).imag
    steep = np.abs(area) > 0.2 * np.abs(way * way[:, None])  # the sine of their angle
    near = [np.abs((apart.conj() * w).imag - area / 2) <= np.abs(area) * (0.5 + CLOSED) for w in (way, way[:, None])]
    others = np.abs(np.abs(k - k[:, None]) - len(k) / 2) < len(k) / 2 - 1
    return next(iter(np.argwhere(others & steep & near[0] & near[1]).tolist()), [])


def _left(v: Vector) -> Vector:
    """A vector of the plane, turned by a right angle to the left."""
    return Vector(-v.y, v.x, 0)


def _number(expression: Any, given: Any) -> float:
    return float(sympy.sympify(expression).xreplace(given))


def _through(points: Any, others: Sequence[Any], closed: bool) -> _Through:
    if any(x is not None for x in others):
        raise InputError("a Curve has points and a formula: expected Curve(points), or Curve(x, y, u).")
    rows = finite_array(list(points), "the points of a Curve")
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < DEGREE + 1:
        raise InputError(
            f"the points of a Curve have the shape {rows.shape}: expected {DEGREE + 1} or more pairs (x, y)."
        )
    if closed and len(rows) > DEGREE + 1 and np.allclose(rows[0], rows[-1], rtol=0, atol=CLOSED * np.ptp(rows)):
        rows = rows[:-1]
    around = np.concatenate([rows, rows[:1]]) if closed else rows
    if (np.hypot(*np.diff(around, axis=0).T) <= CLOSED * np.ptp(rows)).any():
        raise InputError("two points of a Curve that follow each other are at one place: expected different places.")
    return _Through(rows, closed)


def _formulas(x: Any, y: Any, u: Any) -> _Formulas:
    if y is None or u is None:
        raise InputError("a Curve has no formula of y, or no parameter: expected Curve(x, y, u), or Curve(points).")
    symbol, *ends = u if isinstance(u, tuple | list) and len(u) == 3 else (u, 0, 2 * math.pi)
    if not isinstance(symbol, sympy.Symbol):
        raise InputError(
            f"the parameter of a Curve is {shown(u)}: expected a symbol, u = sympy.Symbol('u'), or (u, start, end)."
        )
    a, b = (finite(e, "an end of the range of a Curve") for e in ends)
    if not a < b:
        raise InputError(f"the range of a Curve goes from {a:g} to {b:g}: expected a start below the end.")
    x, y = (one_expression(e, f"the {c} of a Curve").xreplace({symbol: U}) for e, c in ((x, "x"), (y, "y")))
    odd = sorted((s for e in (x, y) for s in e.free_symbols if s is not U and not isinstance(s, Parameter)), key=str)
    if odd:
        raise InputError(f"a formula of a Curve contains {odd[0]}: expected its parameter {symbol}, and parameters.")
    return _Formulas(x, y, (a, b))
