"""Elements on one coordinate: a generalised force, and perhaps a potential, as formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, a_coordinate
from easydyn.mechanics.symbols import Parameter
from easydyn.vec.scalars import Scalar, alone, scalar, symbols_of


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


class GeneralizedForce(OnCoordinate):
    """Generalised force Q of a coordinate (N, or N m for an angle): the equation reads f - Q = 0.

    Its power is Q dq/dt (principle of virtual power). If the coordinate joins two bodies, the force acts on both: the
    coordinate implies action and reaction.

    Parameters
    ----------
    coordinate : Coordinate
        As returned by `model.coordinates`.
    force : scalar (N, or N m)
        SymPy expression of t, coordinates, rates, states, parameters.

    Raises
    ------
    InputError
        An argument that is not a coordinate, a force that is not a scalar.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("damped rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(GeneralizedForce(q, -4*q.dot))
    >>> model.compile().accelerations(0, [0], [1])
    array([-2.])
    """

    def __init__(self, coordinate: Any, force: Any):
        self.take(locals())
        self.force = alone(scalar(force, f"the generalised force on {coordinate}"))
