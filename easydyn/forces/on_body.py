"""Forces and moments by components: on a body, in the axes of a frame, perhaps with a reaction; and resistance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, Placeholder, a_body, a_point, place, positive, react, rotation_of
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.vec import dot, singles


class OnBody(Element):
    """Base class of efforts on one body, with components in the axes of a frame.

    Attributes
    ----------
    body, frame : Body
    reaction : Body or None
        Body on which the opposite effort acts.
    """

    body, frame, reaction = Argument(a_body), Argument(a_body), Argument(a_body, missing=None)

    def take(self, values: Mapping[str, Any], *names: str) -> None:
        super().take(values)
        if self.reaction is self.body:
            raise InputError(
                f"the body and the reaction of {self.what} are both '{self.body.name}': together they do nothing. "
                "Expected another body as the reaction, or none."
            )
        if self.body is ground and self.reaction is None:
            raise InputError(
                f"{self.what} acts on the ground alone, which nothing moves: expected a body of the model."
            )

    @property
    def observer(self) -> Body | Ground:
        return self.frame

    def __repr__(self) -> str:
        return f"{type(self).__name__} on '{self.body.name}'"


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


_SQUARE = Placeholder("square", real=True)
_ROOT = sympy.Piecewise((sympy.sqrt(_SQUARE), _SQUARE > 0), (0, True))  # with a derivative at zero, too: 0


class Drag(Element):
    """Resistance of a medium at a point of a body: force -(b + a |v|) v, with v the velocity relative to the medium.

    The laws of Stokes (b) and of Newton (a).

    Parameters
    ----------
    body : Body
        The body it acts on.
    at : 3 scalars (m), optional
        Point of application in the axes of `body` (the origin if left out).
    linear : scalar (N s/m)
        b: Stokes' friction of small or slow bodies.
    quadratic : scalar (N s2/m2)
        a; or, instead of a, three values with a = density * coefficient * area / 2:
    density, coefficient, area : scalars (kg/m3, 1, m2)
        Density of the medium, drag coefficient of the shape, area of its cross section.
    wind : 3 scalars (m/s), optional
        Velocity of the medium, ground components; the medium is at rest if left out.

    Raises
    ------
    InputError
        No coefficient at all, or only some of density, coefficient and area.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("parachute", gravity=(0, -10, 0))
    >>> x, y = model.coordinates("x y")
    >>> load = model.body("load", tdisp(x, y, 0), mass=100, inertia=(0, 0, 0))
    >>> model.add(Drag(load, density=1.25, coefficient=1.6, area=40, wind=(3, 0, 0)))
    >>> model.compile().accelerations(0, [0, 0], [0, -4])
    array([ 6., -2.])
    """

    body = Argument(a_body)
    at, wind = Argument(a_point, "point `at`"), Argument(singles)
    linear = Argument(positive, "linear coefficient", missing=0)
    quadratic = Argument(positive, "quadratic coefficient", missing=0)

    def __init__(
        self, body: Any, *, at: Any = (0, 0, 0), linear: Any = None, quadratic: Any = None, density: Any = None,
        coefficient: Any = None, area: Any = None, wind: Any = (0, 0, 0),
    ):  # fmt: skip
        if body is ground:
            raise InputError("the body of a Drag is the ground, which nothing moves: expected a body.")
        three = {"density": density, "coefficient": coefficient, "area": area}
        if all(value is None for value in (linear, quadratic, *three.values())):
            raise InputError(
                "a Drag has no coefficient: give linear=, quadratic=, or density=, coefficient= and area=."
            )
        parts = any(value is not None for value in three.values())
        if quadratic is not None and parts:
            raise InputError("a Drag was given quadratic= and density=, coefficient= or area=: expected one way.")
        if parts:
            rho, C, A = (positive(value, f"the {name} of a Drag") for name, value in three.items())
            quadratic = rho * C * A / 2
        self.take(locals())

    def apply(self, assembly: Assembly) -> None:
        point, _ = place(assembly, self.body, self.at)
        v = assembly.state(self.body).velocity_at(point) - self.wind.map(assembly.value)
        speed = assembly.value(_ROOT, {_SQUARE: dot(v, v)})
        resistance = assembly.value(self.linear) + assembly.value(self.quadratic) * speed
        assembly.state(self.body).apply(v * -resistance, point)
