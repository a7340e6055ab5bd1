"""What all pairs of shapes give: where they touch."""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

import sympy

from easydyn.vec import Vector
from easydyn.vec.scalars import Scalar, largest, where


class Touch(NamedTuple):
    """Where two shapes touch, in ground axes.

    Attributes
    ----------
    gap : scalar
        The distance (m), negative where they overlap.
    normal : Vector
        From the second shape to the first one (no unit).
    point : Vector
        The place of contact (m).
    beyond : scalar or None
        Negative where the features do not face each other (m).
    ends : tuple of scalar
        They change their signs where the gap bends (m).
    """

    gap: Scalar
    normal: Vector
    point: Vector
    beyond: Scalar | None = None
    ends: tuple[Scalar, ...] = ()

    @property
    def turned(self) -> Touch:
        """The same for shapes in the other order."""
        return self._replace(normal=-self.normal)


def most(x: Scalar, y: Scalar) -> Scalar:
    """The larger one of two scalars; of formulas as they are written."""
    return where(x - y, x, y) if any(isinstance(a, sympy.Basic) for a in (x, y)) else largest(x, y)


def least(*found: Scalar) -> Scalar:
    """The least of some scalars."""
    return -reduce(most, (-x for x in found))
