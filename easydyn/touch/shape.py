"""The base class of shapes that touch."""

from __future__ import annotations

from collections.abc import Iterator

from easydyn.arguments import Thing
from easydyn.vec.scalars import Scalar


class Shape(Thing):
    """Base class of shapes that touch.

    >>> from easydyn import shapes
    >>> isinstance(shapes.Disc(0.1), Shape), shapes.Disc(0.1)
    (True, Disc(0.1))
    """

    planar = False  # it lies in x, y of its frame

    def scalars(self) -> Iterator[Scalar]:
        """The sizes that the user gave (m)."""
        return iter(())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(str, self.scalars()))})"
