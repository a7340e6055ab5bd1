"""Closest points of curves: unknowns of a contact, that equations determine at every instant.

A disc of centre c touches a curve p(u) where their distance is least, a flat face with the outward normal n where the
curve is deepest below it:

    (c - p) . p' = 0,        n . p' = 0

The search begins at the nearest of many samples, and Newton's method goes on from there, at every evaluation anew: the
nearest point of the whole curve is found whatever the motion was before. Its rate is that of the equation. A run needs
no state for it. A cam that is given by the lift of its flat follower touches it at the angle of n, in closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import sympy

from easydyn.errors import InputError, ModelError
from easydyn.forces.effort import Assembly, Demand, Placeholder
from easydyn.touch.curve import Curve, Jet, Lift, Piece
from easydyn.touch.shape import Shape, Touch, least, most
from easydyn.touch.shapes import HalfPlane, Point
from easydyn.vec import Transform, Vector, dot
from easydyn.vec.scalars import Scalar, is_number, sqrt, where

STEPS = 4  # of Newton's method from a sample; one more follows with the piece of the curve that is found
STEEP = 0.02  # of the square of the speed along the curve: the least slope of the equation in these steps
APART = 2  # samples: of these pairs of places a disc must not touch both
NARROW = 1 - 1e-6  # of the square of the radius: the least distance of other places from the centre of a disc
_X, _Y = Placeholder("x", real=True), Placeholder("y", real=True)

Law = Callable[[Jet], tuple[Scalar, Scalar, Scalar, Scalar]]


def closest(assembly: Assembly, curve: Curve, law: Law, key: Iterable[Any]) -> tuple[Scalar, Jet]:
    """The parameter at which something is least on a curve, and the curve there.

    `law` gives what is least, its derivative, that of this, and the least value which the latter has in the search.
    """
    value, (start, end) = assembly.value, curve.law.ends
    step = (end - start) / len(curve.samples)

    def find() -> tuple[Scalar, Piece]:
        u, best = curve.samples[0], None
        for v, jet in zip(curve.samples, curve.jets(value), strict=True):
            height = law(jet)[0]
            u = v if best is None else where(best - height, v, u)
            best = height if best is None else least(best, height)
        for steps in (STEPS, 1):
            piece = curve.law.near(value, u)
            for _ in range(steps):
                _, slope, bend, steep = law(piece(u))
                u = u - most(-step, least(step, slope / most(bend, steep)))
        return u, piece

    solved: Any = getattr(assembly.calculus, "solved", None)
    if solved is None:
        raise ModelError(
            "the point of a Curve that is closest to another shape is found by iteration and has no formula, so that "
            "model.equations() has none of this model. Runs, linearize() and the other analyses need no formulas."
        )
    u, piece = solved(lambda v, piece: law(piece(v))[1], find, (curve, *key))
    return u, piece(u)


def disc_on_curve(radius: Scalar, curve: Curve, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A disc, or a point, on the free side of a curve."""
    r, centre = assembly.value(radius), other.R.T * (one.e - other.e)
    centre = Vector(centre.x, centre.y, 0)

    def law(jet: Jet) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        d, square = centre - jet.p, dot(jet.d, jet.d)
        return dot(d, d), -dot(d, jet.d), square - dot(d, jet.dd), square * STEEP

    u, jet = closest(assembly, curve, law, centre)
    n = curve.normal(jet)
    gap, normal = dot(n, centre - jet.p) + curve.offset - r, other.R * n
    return Touch(gap, normal, one.e - normal * r, _within(curve, u, jet))


def curve_on_face(curve: Curve, normal: Vector, assembly: Assembly, one: Transform, other: Transform) -> Touch:
    """A convex curve on a half-plane."""
    n = other.R * normal
    down = one.R.T * n
    if isinstance(curve.law, Lift) and curve.law.flat:  # in closed form
        u = assembly.value(sympy.atan2(-_Y, -_X), {_X: down.x, _Y: down.y})
        jet = curve.law.near(assembly.value, u)(u)
    else:

        def law(jet: Jet) -> tuple[Scalar, Scalar, Scalar, Scalar]:
            return dot(down, jet.p), dot(down, jet.d), dot(down, jet.dd), sqrt(dot(jet.dd, jet.dd)) * STEEP

        u, jet = closest(assembly, curve, law, down)
    point = jet.p + down * curve.offset
    return Touch(dot(n, one.e - other.e) + dot(down, point), n, one.e + one.R * point, _within(curve, u, jet))


def _within(curve: Curve, u: Scalar, jet: Jet) -> Scalar | None:
    """The way (m) to the nearer end of an open curve, negative beyond it."""
    if curve.closed:
        return None
    start, end = curve.law.ends
    return least(u - start, end - u) * sqrt(dot(jet.d, jet.d))


def _at_one_place(value: Any, curve: Curve, other: Any) -> list[tuple[Scalar, int, int]]:
    """Numbers above zero where a curve touches another shape at one place only, each with the samples of both places.

    The curve must not bend towards its free side by more than the other shape does; and where a disc touches it, the
    disc must not cut it elsewhere.
    """
    if isinstance(curve.law, Lift) and curve.law.flat and isinstance(other, HalfPlane) or isinstance(other, Point):
        return []
    jets = curve.jets(value)
    if isinstance(other, HalfPlane):
        return [(-curve.bend(jet), k, k) for k, jet in enumerate(jets)]
    r = value(other.radius) - curve.offset
    found = [(1 - curve.bend(jet) * r, k, k) for k, jet in enumerate(jets)]
    for a in range(0, len(jets), APART):
        centre = jets[a].p + curve.normal(jets[a]) * r
        ways = [(b, centre - jets[b].p) for b in range(0, len(jets), APART)]
        found += [(dot(d, d) - NARROW * r * r, a, b) for b, d in ways if b != a]
    return found


def look(curve: Curve, other: Shape, what: str) -> None:
    """InputError for a curve of numbers that touches another shape at two places at once."""
    found = [] if curve.law.parameters else _at_one_place(lambda x: x, curve, other)
    if not all(is_number(x) for x, _, _ in found):
        return
    least_, a, b = min(found, default=(1, 0, 0))
    if least_ < 0 and a == b:
        raise InputError(
            f"{what}: the curve is too hollow at u = {curve.samples[a]:.4g}, where its radius is "
            f"{1 / abs(curve.bend(curve.jets(lambda x: x)[a])):.4g} m and a {type(other).__name__} would touch it at "
            "two places: expected a smaller disc, or pieces of the curve, each in a contact of its own."
        )
    if least_ < 0:
        raise InputError(
            f"{what}: the curve has a neck, where a {type(other).__name__} would touch it at u = "
            f"{curve.samples[a]:.4g} and at u = {curve.samples[b]:.4g} at once: expected a smaller disc, or pieces of "
            "the curve, each in a contact of its own."
        )


def demands(assembly: Assembly, curve: Curve, other: Shape, what: str) -> Iterator[Demand]:
    """The same for a curve with parameters, at the start of a run."""
    found = [x for x, _, _ in _at_one_place(assembly.value, curve, other)]
    if found:
        told = f"the least of what is above zero where the curve of {what} is not too hollow"
        remedy = "A disc or a half-plane would touch it at two places: take a smaller disc, or pieces of the curve."
        yield Demand(told, least(*found), 0, remedy=remedy)
