"""A moment applied to a body."""

from __future__ import annotations

from typing import Any

from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, react, rotation_of
from easydyn.forces.on_body import OnBody
from easydyn.mechanics.mechanism import ground
from easydyn.vec import singles


class Moment(OnBody):
    """Moment on a body (MG of eq. 6), and the opposite moment on `reaction`.

    Parameters
    ----------
    body : Body
        The body it acts on.
    moment : 3 scalars (N m)
        Components in the axes of `frame`: SymPy expressions of t, coordinates, rates, states, parameters.
    frame : Body, optional
        Body in whose axes the components are given (the ground if left out).
    reaction : Body, optional
        Body on which the reaction acts; none if left out.

    Raises
    ------
    InputError
        An argument that is not a body, a moment without three components, a body that is its own reaction.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("rotor")
    >>> q, = model.coordinates("q")
    >>> rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    >>> model.add(Moment(rotor, (0, 0, 6)))
    >>> model.compile().accelerations(0, [0], [0])
    array([3.])
    """

    moment = Argument(lambda value, what: singles(value, "the moment"))

    def __init__(self, body: Any, moment: Any, *, frame: Any = ground, reaction: Any = None):
        self.take(locals())

    def apply(self, assembly: Assembly) -> None:
        moment = rotation_of(assembly, self.frame) * self.moment.map(assembly.value)
        react(assembly, self.body, self.reaction, moment=moment)
