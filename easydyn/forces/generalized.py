"""A force given directly in the equation of one coordinate."""

from __future__ import annotations

from typing import Any

from easydyn.forces.on_coordinate import OnCoordinate
from easydyn.vec.scalars import alone, scalar


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
