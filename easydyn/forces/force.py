"""A force applied at a point of a body."""

from __future__ import annotations

from typing import Any

from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, a_point, place, react, rotation_of
from easydyn.forces.on_body import OnBody
from easydyn.mechanics.mechanism import ground
from easydyn.vec import singles


class Force(OnBody):
    """Force on a body (R of eq. 6), and the opposite force on `reaction` at the same point in space.

    Parameters
    ----------
    body : Body
        The body it acts on.
    force : 3 scalars (N)
        Components in the axes of `frame`: SymPy expressions of t, coordinates, rates, states, parameters.
    at : 3 scalars (m), optional
        Point of application in the axes of `body`, from its frame's origin (the origin if left out).
    frame : Body, optional
        Body in whose axes the components are given (the ground if left out).
    reaction : Body, optional
        Body on which the reaction acts; none if left out (an external force).

    Raises
    ------
    InputError
        An argument that is not a body, a force without three components, a body that is its own reaction.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("sledge")
    >>> x, = model.coordinates("x")
    >>> sledge = model.body("sledge", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Force(sledge, (6, 0, 0)))
    >>> model.compile().accelerations(0, [0], [0])
    array([3.])
    """

    force = Argument(lambda value, what: singles(value, "the force"))
    at = Argument(a_point, "point `at`")

    def __init__(self, body: Any, force: Any, *, at: Any = (0, 0, 0), frame: Any = ground, reaction: Any = None):
        self.take(locals())

    def apply(self, assembly: Assembly) -> None:
        force = rotation_of(assembly, self.frame) * self.force.map(assembly.value)
        point, _ = place(assembly, self.body, self.at)
        react(assembly, self.body, self.reaction, force, point)
