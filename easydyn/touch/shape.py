"""Shapes that touch, and what all pairs of them give: where they touch."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import sympy

from easydyn.arguments import Thing
from easydyn.vec import Vector
from easydyn.vec.scalars import Scalar, largest, where


class Shape(Thing):
    """Base class of shapes that touch.

    >>> from easydyn import shapes
    >>> isinstance(shapes.Disc(0.1), Shape), shapes.Disc(0.1)
    (True, Disc(0.1))
    """

    planar = False  # it lies in x, y of its frame

    def scalars(self) -> Iterator[Scalar]:
        """The sizes that the user gave (m)."""
        return (x for _, x in self.named_sizes)

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each size (m) that must be above zero, and the size."""
        return ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self.scalars()))})"


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
