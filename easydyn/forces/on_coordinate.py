"""The common part of elements on one coordinate: a generalised force, and perhaps a potential, as formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.effort import Assembly, Effort, a_coordinate, symbols_of
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.vec.scalars import Scalar


class OnCoordinate(Effort):
    """Base class of elements on one coordinate; if it joins two bodies, they act on both.

    Attributes
    ----------
    coordinate : Coordinate
    force : SymPy expression
        Generalised force (N, or N m for an angle), positive if it tends to increase the coordinate.
    energy : SymPy expression
        Potential (J), 0 if there is none.
    """

    force: Scalar = 0
    energy: Scalar = 0

    def __init__(self, coordinate: Any):
        self.coordinate = a_coordinate(coordinate, f"the coordinate of {self._name}")

    @property
    def _name(self) -> str:
        name = type(self).__name__
        return f"an {name}" if name[0] in "AEIO" else f"a {name}"

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return (self.coordinate,)

    def expressions(self) -> Iterator[Scalar]:
        yield self.force

    def apply(self, assembly: Assembly) -> None:
        assembly.add_generalized(self.coordinate, assembly.value(self.force))

    def potential(self, assembly: Assembly) -> Scalar:
        return assembly.value(self.energy)

    def _depends_on_place_alone(self) -> bool:
        return all(s == self.coordinate or isinstance(s, Parameter) for s in symbols_of(self.force))

    def __repr__(self) -> str:
        return f"{type(self).__name__} on {self.coordinate}"
