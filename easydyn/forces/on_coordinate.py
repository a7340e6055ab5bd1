"""The common part of elements on one coordinate: a generalised force, and perhaps a potential, as formulas."""

from __future__ import annotations

from collections.abc import Iterator

from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, a_coordinate
from easydyn.mechanics.symbols import Parameter
from easydyn.vec.scalars import Scalar, symbols_of


class OnCoordinate(Element):
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

    coordinate = Argument(a_coordinate)

    def expressions(self) -> Iterator[Scalar]:
        yield self.force

    def apply(self, assembly: Assembly) -> None:
        assembly.add_generalized(self.coordinate, assembly.value(self.force))

    def potential(self, assembly: Assembly) -> Scalar:
        return assembly.value(self.energy)

    def _depends_on_place_alone(self) -> bool:
        return all(s == self.coordinate or isinstance(s, Parameter) for s in symbols_of(self.force))
