"""Gravity fields: the acceleration at every position, and the potential energy of a kilogram there.

    R_i = m_i g(G_i)        V = m_i v(G_i),   g = -grad v

Each body feels the field at its centre of mass. A body that is not small also feels a torque, and an additional force,
in the field of a point mass. `GravityGradient` is the element for both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import sympy

from easydyn.arguments import Thing, answers
from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, Placeholder, constant, positive
from easydyn.forces.law import with_symbols
from easydyn.inputs import a, expect, is_function
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Parameter
from easydyn.vec import Vector, dot, singles
from easydyn.vec.scalars import Scalar, one_expression, sqrt

PLACE = Vector(*(Placeholder(name, real=True) for name in "xyz"))  # where a field is looked at, ground components


@answers
class GravityField(Thing):
    """A gravity field by formulas of the position, R_i = m_i g(G_i) of eq. (6): `Model(gravity=GravityField(...))`.

    Parameters
    ----------
    acceleration : function of a Vector, optional
        acceleration(r) -> 3 scalars (m/s2), ground components, at the position r (m); SymPy formulas, which may contain
        parameters and time. If they are polynomials and a potential exists, it is found. Otherwise the energy balance
        counts the effect of the field as work.
    potential : function of a Vector, optional
        potential(r) -> scalar (J/kg), instead of the acceleration, which is then -grad v.

    Raises
    ------
    InputError
        When neither or both are given, or a function does not return a formula.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> trap = GravityField(potential=lambda r: 2 * (r.x**2 + r.y**2 + 3 * r.z**2))
    >>> model = Model("grain", gravity=trap)
    >>> x, y, z = model.coordinates("x y z")
    >>> grain = model.body("grain", tdisp(x, y, z), mass=5, inertia=(0, 0, 0))
    >>> model.compile().accelerations(0, [1, 1, 1], [0, 0, 0])
    array([ -4.,  -4., -12.])
    """

    def __init__(self, acceleration: Any = None, *, potential: Any = None):
        if (acceleration is None) == (potential is None):
            raise InputError(
                "a GravityField takes acceleration= or potential=, one of the two: a function of the place r (m) that "
                "returns 3 scalars (m/s2), or one scalar (J/kg)."
            )
        if potential is not None:
            self._v: sympy.Expr | None = _formula(potential, "the potential of a GravityField")
            self._g = tuple(-sympy.diff(self._v, x) for x in PLACE)
        else:
            self._g = tuple(_formulas(acceleration, "the acceleration of a GravityField"))
            self._v = _potential_of(self._g)

    @property
    def stores(self) -> bool:
        """True when it has a potential, which does not change with time."""
        return self._v is not None and all(s in PLACE or isinstance(s, Parameter) for s in self._v.free_symbols)

    def expressions(self) -> Iterator[Scalar]:
        """The parts of its formulas other than the position, in their own units: symbols of the model."""
        yield from sorted({s for g in self._g for s in g.free_symbols} - set(PLACE), key=str)

    def acceleration(self, assembly: Assembly, place: Vector) -> Vector:
        """The acceleration (m/s2) at the position `place` (m), both in the scalars of an `assembly`."""
        here = dict(zip(PLACE, place, strict=True))
        return Vector(*(assembly.value(g, here) for g in self._g))

    def potential(self, assembly: Assembly, place: Vector) -> Scalar:
        """The potential energy of a kilogram (J/kg) at the position `place` (m), in the scalars of an `assembly`."""
        return assembly.value(self._v, dict(zip(PLACE, place, strict=True)))

    def __repr__(self) -> str:
        return type(self).__name__


class UniformGravity(GravityField):
    """The same acceleration everywhere (R_i of eq. 6); `Model(gravity=(0, 0, -9.81))` means the same.

    Parameters
    ----------
    acceleration : 3 scalars (m/s2)
        Ground components, numbers or expressions of parameters.

    Raises
    ------
    InputError
        An acceleration that does not have three components.

    Example
    -------
    >>> from easydyn import Model
    >>> Model("stone", gravity=UniformGravity((0, 0, -9.81))).gravity
    Vector(x=0, y=0, z=-9.81)
    """

    def __init__(self, acceleration: Any):
        self.g = singles(acceleration, "the acceleration of a UniformGravity")
        super().__init__(potential=lambda r: -dot(self.g, r))


class PointGravity(GravityField):
    """The field of a point mass, or of a sphere, by Newton's law: g = -mu d/|d|^3 at d = r - centre, v = -mu/|d|.

    Parameters
    ----------
    mu : scalar (m3/s2)
        The constant of gravitation times the mass; 3.986e14 for the Earth.
    centre : 3 scalars (m), optional
        Position of the point mass, ground components; the origin if left out. It may move with time.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("satellite", gravity=PointGravity(4.0))
    >>> x, y = model.coordinates("x y", initial=(2, 0))
    >>> moon = model.body("moon", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    >>> model.compile().accelerations(0, [2, 0], [0, 0]).round(9) + 0.0
    array([-1.,  0.])
    """

    def __init__(self, mu: Any = None, centre: Any = (0, 0, 0)):
        self.mu = positive(mu, "mu of a PointGravity")
        self.centre = singles(centre, "the centre of a PointGravity")

    @property
    def stores(self) -> bool:
        return constant(self.expressions())

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.mu, *self.centre)

    def _from_centre(self, assembly: Assembly, place: Vector) -> tuple[Scalar, Vector]:
        return assembly.value(self.mu), place - self.centre.map(assembly.value)

    def acceleration(self, assembly: Assembly, place: Vector) -> Vector:
        mu, d = self._from_centre(assembly, place)
        square = dot(d, d)
        return d * (-mu / (square * sqrt(square)))

    def potential(self, assembly: Assembly, place: Vector) -> Scalar:
        mu, d = self._from_centre(assembly, place)
        return -mu / sqrt(dot(d, d))


class _OfField(Element):
    """What a field of gravity does to one body."""

    body = Argument(lambda value, what: a(Body, value, what, "a body, as returned by model.body"))
    field: Any

    @property
    def stores(self) -> bool:
        return bool(self.field.stores)

    @property
    def conservative(self) -> bool:
        return self.stores

    def expressions(self) -> Iterator[Scalar]:
        yield from self.field.expressions()


class Weight(_OfField):
    """The force of a `field` on a `body`, m g(G) at its centre of mass; the model adds one for each body.

    >>> from easydyn import Model, tdisp
    >>> model = Model("stone")
    >>> x, = model.coordinates("x")
    >>> Weight(model.body("stone", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0)), PointGravity(1))
    Weight of 'stone' by PointGravity
    """

    def __init__(self, body: Any, field: Any):
        self.take(locals())
        self.field = a(GravityField, field, "the field of a Weight", "a GravityField")

    def apply(self, assembly: Assembly) -> None:
        state = assembly.state(self.body)
        state.apply(self.field.acceleration(assembly, state.G) * assembly.value(self.body.mass), state.G)

    def potential(self, assembly: Assembly) -> Scalar:
        if not self.stores:
            return 0
        return self.field.potential(assembly, assembly.state(self.body).G) * assembly.value(self.body.mass)

    def __repr__(self) -> str:
        return f"Weight of '{self.body.name}' by {self.field!r}"


class GravityGradient(_OfField):
    """Torque and additional force of a PointGravity on a body that is not small, beside its weight.

    They follow from MacCullagh's formula. With d from the centre to the body's centre of mass, u = d/|d|, and the
    inertia tensor Phi about the centre of mass:

        M = 3 mu/|d|^3 u x Phi u
        F = -3 mu/(2 |d|^4) ((tr Phi - 5 u.Phi u) u + 2 Phi u)
        V = -mu/(2 |d|^3) (tr Phi - 3 u.Phi u)

    Parameters
    ----------
    body : Body
        The body on which it acts.
    field : PointGravity
        The field, usually that of the model.

    Raises
    ------
    InputError
        An argument that is not a body, or not a PointGravity.

    Example
    -------
    >>> from easydyn import Model, tdisp, trotz
    >>> earth = PointGravity(3.986e14)
    >>> model = Model("satellite", gravity=earth)
    >>> a, = model.coordinates("a", initial=0.1)
    >>> station = model.body("station", tdisp(7e6, 0, 0) * trotz(a), mass=100, inertia=(10, 60, 60))
    >>> model.add(GravityGradient(station, earth))
    >>> model.compile().accelerations(0, [0.1], [0]).round(9)  # -3/2 mu/d^3 (60 - 10)/60 sin 0.2
    array([-2.89e-07])
    """

    def __init__(self, body: Any, field: Any):
        self.take(locals())
        self.field = a(PointGravity, field, "the field of a GravityGradient", "a PointGravity")

    def _terms(self, assembly: Assembly) -> tuple[Scalar, Scalar, Vector, Vector, Scalar]:
        """mu, |d|, u, Phi u and tr Phi."""
        state = assembly.state(self.body)
        mu, d = self.field._from_centre(assembly, state.G)
        length = sqrt(dot(d, d))
        u, R, inertia = d * (1 / length), state.T.R, self.body.inertia.map(assembly.value)
        return mu, length, u, R * (inertia * (R.T * u)), sum(inertia[k, k] for k in range(3))

    def apply(self, assembly: Assembly) -> None:
        state = assembly.state(self.body)
        mu, length, u, Phi_u, trace = self._terms(assembly)
        strength = 3 * mu / (length * length * length)
        force = (u * (trace - 5 * dot(u, Phi_u)) + Phi_u * 2) * (-strength / (2 * length))
        state.apply(force, state.G)
        state.MG = state.MG + u.cross(Phi_u) * strength

    def potential(self, assembly: Assembly) -> Scalar:
        if not self.stores:
            return 0
        mu, length, u, Phi_u, trace = self._terms(assembly)
        return -mu / (2 * length * length * length) * (trace - 3 * dot(u, Phi_u))


@answers
def a_field(given: Any) -> Any:
    """The field from `given`, a GravityField or a function of the position; 3 scalars (m/s2) stay as given.

    >>> a_field((0, 0, -9.81))
    (0, 0, -9.81)
    """
    if isinstance(given, UniformGravity):
        return given.g
    if isinstance(given, GravityField):
        return given
    return GravityField(given) if is_function(given) and not isinstance(given, type) else given


def _called(function: Callable[[Vector], Any], what: str) -> Any:
    expect(is_function(function), what, function, "a function of the place r, lambda r: ...")
    return with_symbols(function, what, "Write it with SymPy: sympy.sqrt(r.x**2 + r.y**2).", PLACE)


def _formula(function: Callable[[Vector], Any], what: str) -> sympy.Expr:
    formula = one_expression(_called(function, what), f"what {what} returned")
    check_convertible(formula, what)
    return formula


def _formulas(function: Callable[[Vector], Any], what: str) -> list[sympy.Expr]:
    found = singles(_called(function, what), f"what {what} returned")
    formulas = [sympy.sympify(c) for c in found]
    for formula in formulas:
        check_convertible(formula, what)
    return formulas


def _potential_of(g: tuple[sympy.Expr, ...]) -> sympy.Expr | None:
    """v with g = -grad v, of polynomials; None where there is none, or none is looked for."""
    if not all(c.is_polynomial(*PLACE) for c in g):
        return None
    v, origin = sympy.Integer(0), list(PLACE)
    for k in (2, 1, 0):  # along the axes to the place: z last
        v -= sympy.integrate(g[k].subs(dict.fromkeys(origin[k + 1:], 0)), (PLACE[k], 0, PLACE[k]))
    return v if all(sympy.expand(c + sympy.diff(v, x)) == 0 for c, x in zip(g, PLACE, strict=True)) else None
