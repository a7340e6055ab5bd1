"""Point masses on the line between two points: for a spring with mass, a damper, a cable.

A mass is at a fraction s of the line, or at a distance d from one of its ends, along the unit vector u to the other:

    r = (1 - s) r_1 + s r_2,        r = r_1 + d u        r = r_2 - d u

The masses are bodies of the model, with formulas as frames. They have inertia, weight and energy like any body; nothing
is lumped to the ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.forces.effort import above_zero, given, positive
from easydyn.inputs import expect, is_listed
from easydyn.mechanics.mechanism import Ground, path
from easydyn.vec import Shift, Transform, Vector, dot
from easydyn.vec.scalars import Scalar, is_number, sqrt


class OnLine(NamedTuple):
    """A point mass of an element, which becomes a body of the model.

    >>> from easydyn import Model, Spring, ground, tdisp
    >>> model = Model("mount")
    >>> x, = model.coordinates("x")
    >>> crate = model.body("crate", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> Spring(crate, ground, stiffness=5, free_length=1, mass=3, at=0.5).masses[0].name
    'crate-ground mass'

    Attributes
    ----------
    name : str
        Its name, unless that name is taken.
    T : Transform
        Its frame.
    mass : scalar (kg)
        A number or an expression of parameters.
    inertia : 3 scalars (kg m2), optional
        Principal moments about the axes of its frame; those of a point if left out.
    """

    name: str
    T: Transform
    mass: Scalar
    inertia: tuple[Scalar, Scalar, Scalar] = (0, 0, 0)


def masses_of(ends: Any, what: str, mass: Any, at: Any, distances: Any) -> tuple[OnLine, ...]:
    """Make the given point masses of a line; InputError, naming `what`, for values that make no sense."""
    if mass is None:
        for name, value in (("at", at), ("distances", distances)):
            if value is not None:
                raise InputError(f"{what} has {name}= and no mass: give mass= (kg) beside it, or leave it out.")
        return ()
    of_two = len(_several(mass)) != 1 or is_listed(mass)
    if of_two and at is not None or not of_two and distances is not None:
        raise InputError(
            f"the mass of {what} is {mass!r}, and goes with "
            + ("distances=(d1, d2), those from each end (m)" if of_two else "at=, where on the line it is (0 to 1)")
            + f", not with {'at' if of_two else 'distances'}=: expected one mass and at=, or two and distances=."
        )
    if not of_two:
        if at is None:
            raise InputError(
                f"the mass of {what} is {mass!r} and its place is not said: give at= (no unit), 0 at the first end, "
                "0.5 in the middle, 1 at the second end."
            )
        fraction = given(at, f"the place (at=) of the mass of {what}")
        if is_number(fraction) and not 0 <= float(fraction) <= 1:
            raise InputError(
                f"the place (at=) of the mass of {what} is {at}: expected a fraction of the line, 0 at the first end "
                "to 1 at the second."
            )
        return (_placed(ends, _weight(mass, f"the mass of {what}"), fraction),)
    weights = [_weight(m, f"a mass of {what}") for m in _two(mass, f"the masses of {what}", "kg")]
    if distances is None:
        raise InputError(f"{what} has two masses: give distances=(d1, d2) (m), that of each from its end.")
    lengths = [positive(d, f"a distance of {what}") for d in _two(distances, f"the distances of {what}", "m")]
    return tuple(
        _placed(ends, m, d, from_end=k) for k, (m, d) in enumerate(zip(weights, lengths, strict=True), start=1)
    )


def rod(ends: Any, mass: Any, what: str) -> tuple[OnLine, ...]:
    """A slender rod of a `mass` (kg) between two points: a sixth of it at each, two thirds in the middle.

    For any motion these have the momentum, the angular momentum, the energy and the weight of the rod.
    """
    m = _weight(mass, f"the mass of {what}")
    at_ends = (
        OnLine(f"{body.name} end of rod", body.T * Transform((Shift(point),)), m / 6)
        for body, point in (ends.end_1, ends.end_2)
        if not isinstance(body, Ground)
    )
    return (*at_ends, _placed(ends, 2 * m / 3, sympy.Rational(1, 2)))


def _several(values: Any) -> Sequence[Any]:
    """What is in a list or an array; of anything else itself."""
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    return list(values) if is_listed(values) else [values]


def _two(values: Any, what: str, unit: str) -> Sequence[Any]:
    listed = _several(values)
    expect(len(listed) == 2, what, values, f"two ({unit}), for the first end and for the second", "are")
    return listed


def _weight(value: Any, what: str) -> Scalar:
    return above_zero(value, what, " (kg). An element without mass has no mass=.")


def _placed(ends: Any, mass: Scalar, where: Scalar, from_end: int = 0) -> OnLine:
    """A mass at a fraction of the line, or at a distance from one of its ends."""
    (one, p), (other, r) = ends.end_1, ends.end_2
    if from_end == 2 or (not from_end and isinstance(one, Ground)):  # the frame with most factors is shared
        (one, p), (other, r) = (other, r), (one, p)
        where = where if from_end else 1 - where
    to, there = path(one, other)
    line = (to.inv() * there) * r - p
    step = where / sqrt(dot(line, line)) if from_end else where
    place = Vector(*(a + step * b for a, b in zip(p, line, strict=True)))
    first, second = (end[0].name for end in (ends.end_1, ends.end_2))
    return OnLine(f"{first}-{second} mass", one.T * Transform((Shift(place),)), mass)
