"""Contacts of a point, or a sphere, with a plane: the gap, the normal force, friction along the plane.

A point of a body penetrates a plane by the depth p > 0. With the plane's normal n the forces are

    Fn = max(0, k p^a + c p^b p.dot)        along n: it never pulls (stiffness k, power a, damping c, damping_power b)
    Ft = mu Fn d                            along the plane, against the velocity of slip (friction.py)

Both act on the body at the point of contact, and the opposite forces act on the body of the plane at the same point in
space. The contact stores and returns the energy k p^(a+1)/(a+1); damping and friction dissipate energy.

Source of the damped law: K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in
vibroimpact, J. Applied Mechanics 42 (1975) 440-445.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces import effort
from easydyn.forces.declared import Argument, Declared, Element, Size
from easydyn.forces.effort import Assembly, Demand, an_end, constant, positive, react, rotation_of, steady, two_bodies
from easydyn.forces.frames import frame_of, slip
from easydyn.forces.friction import DryFriction, state_names
from easydyn.inputs import expect, finite
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Parameter
from easydyn.vec import Shift, Transform, Turn, Vector, cross, dot, vector
from easydyn.vec.scalars import Scalar, is_number, is_zero, largest, power, sqrt


def _exponent(value: Any, what: str) -> Scalar:
    value = positive(value, what)
    if is_number(value):
        value = float(value)
        expect(not value < 1, what, value, "1 or more (below 1 the contact is infinitely stiff where it begins)")
        return int(value) if value.is_integer() else value
    return value


class Pressing(Declared):
    """The law of a soft contact: the force on two bodies that overlap by a depth, and the energy it stores.

    Parameters
    ----------
    where : str
        The element, for messages.
    stiffness, power, damping, damping_power : scalar
        k (N/m^a), a, c (N s/m^(b+1)) and b; b is a if None.
    """

    stiffness, damping = Argument(positive), Argument(positive)
    power, damping_power = Argument(_exponent), Argument(_exponent)

    def __init__(self, where: str, stiffness: Any, power: Any, damping: Any, damping_power: Any):
        self.what = where
        damping_power = power if damping_power is None else damping_power
        self.take(locals())

    @property
    def lossless(self) -> bool:
        """True without damping."""
        return is_zero(self.damping)

    def press(
        self, assembly: Assembly, element: Any, normal: Vector, place: Vector, gap: Scalar, along: Sequence[Vector],
        law: DryFriction | None,
    ) -> None:  # fmt: skip
        """Push the first body of an `element` along the unit `normal` at a `place` (m) if the `gap` (m) is negative.

        Friction by a `law` acts against the slip in the directions `along`, across the normal.
        """
        value = assembly.value
        velocity = slip(assembly, element, place)
        p = largest(0, -gap)
        elastic = value(self.stiffness) * power(p, _at_work(assembly, self.power))
        damping = value(self.damping) * power(p, _at_work(assembly, self.damping_power))
        pressing = largest(0, elastic - damping * opening(assembly, element, gap, normal, velocity))
        force = normal * pressing
        if law is not None:
            # beyond z0 from the plane the bristles are free, and nothing in between is a jump
            z0 = 1 if law.sticking is None else value(law.sticking)
            engaged = 1 if law.sticking is None else z0 / (z0 + largest(0, gap))
            friction = law.friction(assembly, [dot(t, velocity) for t in along], engaged, along)
            for t, share in zip(along, friction, strict=True):
                force = force - t * (pressing * share)
        react(assembly, element.bodies[0], element.bodies[1], force, place)

    def stored(self, assembly: Assembly, gap: Scalar) -> Scalar:
        """The energy (J) at a `gap` (m)."""
        a = _at_work(assembly, self.power)
        return assembly.value(self.stiffness) * power(largest(0, -gap), a + 1) / (a + 1)

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """The conditions on its exponents."""
        for name, exponent in (("power", self.power), ("damping_power", self.damping_power)):
            yield Demand(f"the {name} of {self.what}", _at_work(assembly, exponent), 1)


def opening(assembly: Assembly, element: Any, gap: Scalar, normal: Vector, velocity: Vector) -> Scalar:
    """The rate of the gap of an `element` (m/s), by the `velocity` of its matter unless a size changes with time."""
    return dot(normal, velocity) if constant(element.expressions()) else assembly.calculus.rate(gap)


def dry_friction(
    where: str, name: Any, directions: int, friction: Any, static_friction: Any, slip_speed: Any, static_speed: Any,
    sticking: Any,
) -> DryFriction | None:  # fmt: skip
    """The friction of a soft contact, after a check; None for one without friction."""
    if friction is not None:
        states = () if sticking is None else state_names(name, where, directions)
        return DryFriction(where, friction, static_friction, slip_speed, static_speed, sticking, states)
    given = {"static_friction": static_friction, "slip_speed": slip_speed, "static_speed": static_speed}
    extra = [key for key, value in (given | {"sticking": sticking}).items() if value is not None]
    if extra:
        raise InputError(f"{where} has {', '.join(extra)} and no friction: give friction= as well, or none.")
    return None


FIXED = Parameter, ". For a plane that moves give the body that it is fixed to, as (body, (x, y, z))."


def unit_normal(given: Any, what: str) -> Vector:
    """The unit vector of a direction; its components are numbers or expressions of parameters."""
    n = vector(given, what)
    for x in n:
        steady(x, what, *FIXED)
    if all(is_number(x) for x in n):
        n = n.map(lambda x: finite(x, f"a component of {what}"))
        expect(0 < dot(n, n) < float("inf"), what, tuple(n), "a vector of non-zero, finite length")
        return n / sqrt(dot(n, n))
    square = sympy.trigsimp(dot(n, n))
    return n if square == 1 else n / sqrt(square)


class PlanePoint(Element):
    """Contact of a point of a body with a plane that is fixed to the ground or to another body.

    The normal force is Fn = max(0, k p^a + c p^b p.dot) for a depth p > 0, friction is at most mu Fn (docs/contact.md).

    Parameters
    ----------
    end : Body or (Body, (x, y, z))
        The body and its point (m) in body axes, the origin if left out.
    plane : Body or (Body, (x, y, z))
        The body of the plane, `ground` or another one, and a point (m) of the plane in its axes.
    normal : 3 scalars (no unit)
        Direction out of the plane, to the side where the point is free, in the axes of the plane's body; any length.
    stiffness : scalar (N/m^power)
        k.
    power : scalar (no unit)
        a >= 1.
    damping : scalar (N s/m^(damping_power + 1))
        c, none if left out.
    damping_power : scalar (no unit)
        b >= 1, equal to a if left out.
    friction : scalar (no unit), optional
        Coefficient of friction mu in sliding; no friction if left out.
    static_friction : scalar (no unit), optional
        Coefficient at rest; equal to the coefficient in sliding if left out.
    slip_speed : scalar (m/s)
        Velocity of slip v0 that spreads the change of sign of friction; needed with friction.
    static_speed : scalar (m/s)
        Velocity of slip at which friction is half-way between both coefficients; needed with static_friction.
    sticking : scalar (m), optional
        Displacement z0 at which the contact begins to slide; up to z0 it sticks, elastically. If left out, friction
        needs some slip, and a body that should rest creeps.
    name : str, optional
        Name of the contact, and of its states `name_stick_1`, `name_stick_2` (in a planar model `name_stick`); needed
        with sticking.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("ball", gravity=(0, -9.81, 0))
    >>> x, y = model.coordinates("x y", initial=(0, -0.01))
    >>> ball = model.body("ball", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(PlanePoint(ball, ground, normal=(0, 1, 0), stiffness=5000, friction=0.5, slip_speed=1e-3))
    >>> model.compile().accelerations(0, [0, -0.01], [1, 0]).round(3)
    array([-12.5 ,  15.19])
    """

    end, plane, normal = Argument(an_end, "body"), Argument(an_end), Argument(unit_normal)

    def __init__(
        self, end: Any, plane: Any, *, normal: Any = None, stiffness: Any = None, power: Any = 1, damping: Any = 0,
        damping_power: Any = None, friction: Any = None, static_friction: Any = None, slip_speed: Any = None,
        static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def take(self, values: Mapping[str, Any], *names: str) -> None:
        self.name = values["name"]
        self._label = "" if self.name is None else f" {self.name!r}"
        super().take(values, "end", "plane")
        two_bodies(self.end[0], self.plane[0], self.what)
        self.what = str(self)
        if values["normal"] is None:
            raise InputError(f"{self} has no normal: give normal=(x, y, z), the direction out of the plane.")
        super().take(values)
        for x in self.plane[1]:
            steady(x, f"a point of the plane of {self}", *FIXED)
        pressing = ("stiffness", "power", "damping", "damping_power")
        law = self.pressing = Pressing(self.what, *(values[name] for name in pressing))
        self.stiffness, self.power, self.damping, self.damping_power = (getattr(law, name) for name in pressing)
        self.tangents = tangents(self.normal, self.end[0].T, self.plane[0].T)
        rubbing = ("friction", "static_friction", "slip_speed", "static_speed", "sticking")
        self.law = dry_friction(self.what, self.name, len(self.tangents), *(values[name] for name in rubbing))

    @property
    def conservative(self) -> bool:  # type: ignore[override]
        """True without damping and friction, of what does not change with time."""
        return self.law is None and self.pressing.lossless and constant(self.expressions())

    @property
    def observer(self) -> Body | Ground:
        return self.plane[0]

    @property
    def named_frames(self) -> tuple[tuple[str, Any], ...]:
        """The body and the plane, in words, and their frames."""
        return tuple((f"an end of {self}", frame_of(end, "")) for end in (self.end, self.plane))

    def place(self, assembly: Assembly, normal: Vector) -> Vector:
        """Position (m) of the point that touches the plane first, for the plane's unit `normal` in the current axes.

        `assembly` provides the scalars (numbers, expressions or graph nodes).
        """
        return effort.place(assembly, *self.end)[0]

    def _contact(self, assembly: Assembly) -> tuple[Vector, Vector, Scalar]:
        """The normal, the place of contact, the gap (m)."""
        state = assembly.state(self.plane[0])
        origin = state.T.e + state.T.R * self.plane[1].map(assembly.value)
        normal = state.T.R * self.normal.map(assembly.value)
        place = self.place(assembly, normal)
        return normal, place, dot(normal, place - origin)

    def apply(self, assembly: Assembly) -> None:
        along = []
        if self.law is not None:
            R = rotation_of(assembly, self.plane[0])
            along = [R * t.map(assembly.value) for t in self.tangents]
        self.pressing.press(assembly, self, *self._contact(assembly), along, self.law)

    def potential(self, assembly: Assembly) -> Scalar:
        return self.pressing.stored(assembly, self._contact(assembly)[2])

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        yield f"contact{self._label} of '{self.end[0].name}' with '{self.plane[0].name}'", self._contact(assembly)[2]

    def __repr__(self) -> str:
        return f"{type(self).__name__}{self._label} of '{self.end[0].name}' on '{self.plane[0].name}'"


def _at_work(assembly: Assembly, exponent: Scalar) -> Scalar:
    """An exponent in the scalars at work; a number stays one, so that p**2 is p*p."""
    return exponent if is_number(exponent) else assembly.value(exponent)


def tangents(n: Vector, *frames: Transform) -> list[Vector]:
    """Unit vectors in a plane: one if both bodies move in a plane perpendicular to it, otherwise two.

    The formula for two vectors is that of T. Duff and others, Building an orthonormal basis, revisited, J. Computer
    Graphics Techniques 6 (2017) 1-8.
    """
    for axis in (Vector(0, 0, 1), Vector(0, 1, 0), Vector(1, 0, 0)):
        if dot(n, axis) == 0 and all(_stays_across(T, axis) for T in frames):
            return [cross(n, axis)]
    sign = (1 if n.z >= 0 else -1) if is_number(n.z) else sympy.Piecewise((1, n.z >= 0), (-1, True))
    a = -1 / (sign + n.z)
    b = n.x * n.y * a
    return [Vector(1 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vector(b, sign + n.y * n.y * a, -n.y)]


def _stays_across(T: Transform, axis: Vector) -> bool:
    """True when a frame keeps the axis where it is: all its motion is in planes across it."""
    return all(
        f.axis in (axis, -axis) if isinstance(f, Turn) else isinstance(f, Shift) and constant(iter([dot(f.e, axis)]))
        for f in T.factors
    )


class PlaneSphere(PlanePoint):
    """Contact of a sphere with a plane that is fixed to the ground or to another body.

    It acts like `PlanePoint`, at the deepest point of the sphere. With power=1.5 and the stiffness (4/3) E* sqrt(r) it
    is Hertz's law of contact, with the effective modulus E* and the radius r.

    Parameters
    ----------
    end : Body or (Body, (x, y, z))
        The body and the centre of the sphere (m) in body axes, the origin if left out.
    plane : Body or (Body, (x, y, z))
        The body of the plane, `ground` or another one, and a point (m) of the plane in its axes.
    radius : scalar (m)
        Radius of the sphere.
    normal, stiffness, power, damping, damping_power
        As in `PlanePoint`.
    friction, static_friction, slip_speed, static_speed, sticking, name
        As in `PlanePoint`.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("ball", gravity=(0, 0, -9.81))
    >>> z, = model.coordinates("z", initial=0.09)
    >>> ball = model.body("ball", tdisp(0, 0, z), mass=2, inertia=(0, 0, 0))
    >>> model.add(PlaneSphere(ball, ground, radius=0.1, normal=(0, 0, 1), stiffness=5000))
    >>> model.compile().accelerations(0, [0.09], [0])
    array([15.19])
    """

    radius = Size(effort.a_size)

    def __init__(
        self, end: Any, plane: Any, *, radius: Any = None, normal: Any = None, stiffness: Any = None, power: Any = 1,
        damping: Any = 0, damping_power: Any = None, friction: Any = None, static_friction: Any = None,
        slip_speed: Any = None, static_speed: Any = None, sticking: Any = None, name: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        yield from super().demands(assembly)
        yield Demand(
            f"the depth (m) to which the sphere of {self} is in the plane", -self._contact(assembly)[2], None,
            assembly.value(self.radius), "Beyond its radius the centre is behind the plane: look at the initial "
            "values, at the point of the plane and at the sign of the normal.",
        )  # fmt: skip

    def place(self, assembly: Assembly, normal: Vector) -> Vector:
        return super().place(assembly, normal) - normal * assembly.value(self.radius)
