"""`Contact`: two shapes on two bodies that touch, with impacts and rest, or with a stiffness.

A rigid contact has one gap for each feature pair of the shapes (pairs.py), with its force along the normal at the place
of contact, and with friction a slip there: the velocity of the matter of the first body less that of the second one,

    g.dot = n . (v1 - v2),        s = t . (v1 - v2),        F = N n + f t

in one direction t if both bodies move in one plane, otherwise in two.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property, partial
from itertools import combinations
from typing import Any, NamedTuple

import sympy

from easydyn.arguments import answers, no_unknown_options
from easydyn.errors import InputError
from easydyn.forces.contact import Pressing, dry_friction
from easydyn.forces.coulomb import Coulomb
from easydyn.forces.effort import Assembly, Demand, Effort, Placeholder, a_name, constant, react, steady, two_bodies
from easydyn.forces.frames import frame_of, slip
from easydyn.forces.gap import Gap, gap_of, length, restitution_of
from easydyn.forces.rubbing import Rubbing
from easydyn.forces.slip import Slip, determine
from easydyn.inputs import expect, is_listed, positive
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Flag, Measure, Parameter, State
from easydyn.touch.closest import demands, look
from easydyn.touch.pairs import FAR, Pair, pairs_of, separation
from easydyn.touch.shape import Shape, Touch
from easydyn.touch.shapes import Curve, Polygon
from easydyn.vec import Shift, Transform, Turn, Vector, cross, dot, vector
from easydyn.vec.scalars import Scalar, is_number, largest, sqrt, where
from easydyn.vec.tensors import ZERO, Inertia

DRY = "friction", "static_friction", "slip_speed", "static_speed", "sticking"
_END = Placeholder("end", real=True)
SLOW = 1e-4  # lengths per s: slower impacts have no rebound
ALMOST = 1e-12  # of a squared length: an axis in the direction of another one
AXES = Vector(0, 0, 1), Vector(0, 1, 0), Vector(1, 0, 0)


class End(NamedTuple):
    """A shape on a body.

    Attributes
    ----------
    body : Body or Ground
    local : Transform
        The frame of the shape in axes of the body.
    shape : Shape
    """

    body: Body | Ground
    local: Transform
    shape: Shape

    def placed(self, assembly: Assembly) -> Transform:
        """The frame of the shape in the scalars of an `assembly`."""
        return assembly.state(self.body).T * self.local.map(assembly.value)

    @property
    def T(self) -> Transform:
        """The frame of the shape, as a formula."""
        return self.body.T * self.local


def end_of(given: Any, what: str) -> End:
    """A shape on a body: (body, shape), ((body, Transform), shape), or a body that is drawn as a sphere or a box."""
    drawn = given.shape if isinstance(given, Body) else ()
    if len(drawn) == 1 and (touching := getattr(drawn[0], "touching", None)) is not None:
        given = (given, drawn[0].at), touching
    if not isinstance(given, tuple | list) or len(given) != 2 or not isinstance(given[1], Shape):
        raise InputError(
            f"{what} is {given!r}: expected (body, shape) or ((body, Transform), shape), such as (ball, "
            "shapes.Sphere(0.1)), with a shape from easydyn.shapes; or a body with shape= one visu.Sphere or visu.Box."
        )
    return End(*frame_of(given[0], what), given[1])


class InSymbols:
    """The frames of bodies as formulas: as much of an assembly as geometry needs.

    >>> InSymbols().value(2)
    2
    """

    gravity = Vector(0, 0, 0)

    def value(self, expression: Any, given: Any = None) -> Any:
        """The expression with the `given` formulas in place of its placeholders (in its own unit)."""
        return sympy.sympify(expression).xreplace(given) if given else expression

    def state(self, body: Any) -> Any:
        """What has the transform T of a `body`."""
        return body


class Ended:
    """What is between two shapes on bodies."""

    first: End
    second: End

    @property
    def bodies(self) -> tuple[Body | Ground, Body | Ground]:
        return self.first.body, self.second.body

    @property
    def named_frames(self) -> tuple[tuple[str, Any], ...]:
        """The ends, in words, and their frames."""
        return tuple((f"an end of {self}", (end.body, end.local)) for end in (self.first, self.second))

    def expressions(self) -> Iterator[Scalar]:
        for end in (self.first, self.second):
            yield from end.local.scalars()
            yield from end.shape.scalars()

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each size (m) that must be above zero, and the size."""
        named = ((f"{what} of {self}", x) for end in (self.first, self.second) for what, x in end.shape.named_sizes)
        return tuple(named)


class Contact(Ended, Effort):
    """Two shapes that touch and do not overlap, as `RigidContact` is for a formula of the gap.

    Shapes with corners have a gap for each: "box", then "box_2" and so on. Shapes in a plane lie in x, y of their
    frames.

    Parameters
    ----------
    first, second : (Body, Shape) or ((Body, Transform), Shape)
        The shapes (`easydyn.shapes`), each on a body or on `ground`. A body whose `shape` is one `visu.Sphere` or
        `visu.Box` stands for this.
    restitution : scalar (no unit), optional
        e, from 0 (no rebound) to 1 (no loss), of a rigid contact: this, or `stiffness`.
    friction, static_friction : scalar (no unit), optional
        Coefficients of friction in sliding and at rest. The slip follows from the shapes.
    rest : float (s)
        Impacts that follow each other within this time count as a closed contact.
    rest_speed : float (m/s), optional
        Slower impacts have no rebound, so that heaps come to rest; 1e-4 if left out, in the unit of length.
    stiffness, power, damping, damping_power : scalar, optional
        k (N/m^a), a, c (N s/m^(b+1)) and b of a soft contact, whose law is that of `PlanePoint`.
    slip_speed, static_speed, sticking : scalar, optional
        Of the friction of a soft contact (m/s, m/s, m), as of `PlanePoint`.
    name : str, optional
        Of its impulse and its force: `run["floor.dot"]` (N). The names of both bodies, "ball_table", if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible, or for shapes that are not known to touch each other.

    Example
    -------
    >>> from easydyn import Contact, Model, ground, shapes, tdisp
    >>> model = Model("ball", gravity=(0, -9.81, 0))
    >>> y, = model.coordinates("y", initial=1)
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> floor = (ground, shapes.HalfPlane((0, 1, 0)))
    >>> model.add(Contact((ball, shapes.Disc(0.1)), floor, restitution=0.5, name="floor"))
    >>> run = model.simulate(3)
    >>> round(float(run["y"][-1]), 9), round(float(run["floor.dot"][-1]), 6)
    (0.1, 19.62)
    """

    linear = True

    @property
    def implicit(self) -> bool:  # type: ignore[override]
        """True of a rigid contact, whose force is an unknown."""
        return self.pressing is None

    @property
    def conservative(self) -> bool:
        """True without friction and damping: the forces of a rigid contact, on both bodies, do no work together."""
        smooth = self.touches[0].rubs is None and self.touches[0].law is None and constant(self.expressions())
        return smooth and (self.pressing is None or self.pressing.lossless)

    def __init__(
        self, first: Any, second: Any, *, restitution: Any = None, friction: Any = None, static_friction: Any = None,
        rest: Any = 1e-6, rest_speed: Any = None, stiffness: Any = None, power: Any = 1, damping: Any = 0,
        damping_power: Any = None, slip_speed: Any = None, static_speed: Any = None, sticking: Any = None,
        name: Any = None,
    ):  # fmt: skip
        self.first, self.second = end_of(first, "the first end of a Contact"), end_of(second, "the second end")
        two_bodies(self.first.body, self.second.body, "a Contact")
        self.name = _named(name, self.first.body, self.second.body)
        self.pairs = pairs_of(self.first.shape, self.second.shape, str(self))
        self.axis = axis_of(self.first, self.second)
        in_plane(self)
        for x in (x for end in (self.first, self.second) for x in end.shape.scalars()):
            steady(x, f"a size of {self}")
        for curve, other in curves_of(self):
            look(curve, other, str(self))
        soft = {"stiffness": stiffness, "damping_power": damping_power, "slip_speed": slip_speed}
        soft |= {"static_speed": static_speed, "sticking": sticking}
        given = [key for key, value in soft.items() if value is not None]
        if (restitution is None) == (stiffness is None) or restitution is not None and given:
            raise InputError(
                f"{self} has {' and '.join(['restitution'] * (restitution is not None) + given) or 'no law'}: expected "
                "restitution= for rigid bodies, with impacts, or stiffness= for a soft contact, with slip_speed= and "
                "sticking= for its friction."
            )
        self.rest = positive(rest, f"the time `rest` of {self}")
        self.rest_speed = None if rest_speed is None else positive(rest_speed, f"the speed `rest_speed` of {self}")
        self.restitution, self.pressing, coulomb, law = restitution, None, None, None
        if stiffness is not None:
            self.pressing = Pressing(str(self), stiffness, power, damping, damping_power)
            dry = (friction, static_friction, slip_speed, static_speed, sticking)
            law = partial(dry_friction, str(self), directions=1 if self.axis else 3, **dict(zip(DRY, dry, strict=True)))
        else:
            self.restitution = restitution_of(restitution, str(self))
            if friction is None and static_friction is not None:
                raise InputError(f"{self} has static_friction and no friction: give friction= as well, or none.")
            coulomb = None if friction is None else Coulomb(str(self), friction, static_friction, "")
        self.touches = tuple(_Feature(self, k, pair, coulomb, law) for k, pair in enumerate(self.pairs))

    @classmethod
    @answers
    def between(cls, ends: Any, *, name: Any = "touch", **options: Any) -> list[Contact]:
        """Contacts of all pairs of a list of `ends`, (body, shape), with the same `options` of `Contact`.

        Their names are "touch_1_2" and so on, with `name` before the places of both ends in the list. Ends on the same
        body do not touch. InputError is raised for what is no list of ends.

        >>> from easydyn import Contact, Model, ground, shapes, tdisp
        >>> model = Model("balls")
        >>> balls = [model.body(n, tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        ...          for n, x in zip("abc", model.coordinates("x y z"))]
        >>> found = Contact.between([(ball, shapes.Sphere(0.1)) for ball in balls], restitution=1)
        >>> [contact.name for contact in found]
        ['touch_1_2', 'touch_1_3', 'touch_2_3']
        """
        no_unknown_options(options, Contact.between, Contact)
        expect(is_listed(ends), "the ends of Contact.between", ends, "a list of (body, shape)", "are")
        found = [end_of(end, "an end of Contact.between") for end in ends]
        return [
            cls(ends[a], ends[b], name=f"{name}_{a + 1}_{b + 1}", **options)
            for a, b in combinations(range(len(found)), 2) if found[a].body is not found[b].body
        ]  # fmt: skip

    @property
    def states(self) -> tuple[State, ...]:
        if self.pressing is not None:
            return tuple(p for x in self.touches if x.law for p in x.law.states)
        return (*(x.impulse for x in self.touches), *(p for x in self.touches if x.rubs for p in x.rubs.impulses))

    @property
    def flags(self) -> tuple[Flag, ...]:
        if self.pressing is not None:
            return ()
        rubs = (flag for x in self.touches if x.rubs for flag in x.rubs.flags)
        return (*(flag for x in self.touches for flag in (x.closed, x.compliance)), *rubs)

    @property
    def force(self) -> Any:
        """The normal force (N), of all features together; of a rigid contact alone."""
        return sum(x.force for x in self.touches)

    @cached_property
    def _formulas(self) -> list[Touch]:
        assembly: Any = InSymbols()
        return [pair(assembly, self.first.T, self.second.T) for pair in self.pairs]

    @property
    def gap(self) -> Any:
        """The distance (m) as a formula, for `run.of`: of polygons that along a normal of one of their edges."""
        one, other = self.first.shape, self.second.shape
        if curves_of(self):
            return Measure(f"{self.name}.gap")
        if isinstance(one, Polygon) and isinstance(other, Polygon):
            return separation(one, other, self.first.T, self.second.T)
        return sympy.Min(*(x.gap for x in self._formulas), evaluate=False)

    @property
    def points(self) -> list[Vector]:
        """The place (m) of contact of each feature, ground components, as formulas for `run.of`."""
        if curves_of(self):
            return [Vector(*(Measure(f"{self.name}.{axis}") for axis in "xyz"))]
        return [x.point for x in self._formulas]

    @property
    def point(self) -> Vector:
        """The place (m) of contact of the first feature, ground components, as formulas for `run.of`."""
        return self.points[0]

    @property
    def slip(self) -> Any:
        """The speed (m/s) of the first shape along the second, of the first feature, as a formula for `run.of`.

        In a plane x, y it is positive along n x z, n being the normal towards the first shape; in space it is the size.
        """
        if curves_of(self):
            return Measure(f"{self.name}.slip")
        touch, none = self._formulas[0], Inertia(ZERO, ZERO, ZERO)
        frames = [Body("", end.T, 0, none) for end in (self.first, self.second)]
        one, other = (vector(x.v) + cross(vector(x.omega), touch.point - x.T.e) for x in frames)
        return self._along(InSymbols(), touch, one - other)

    def _along(self, assembly: Any, touch: Touch, v: Vector) -> Any:
        """The part of a velocity across the normal: with a sign where bodies move in a plane."""
        if self.axis is not None:
            return dot(tangents(self, assembly, touch)[0], v)
        along = v - touch.normal * dot(touch.normal, v)
        return sqrt(dot(along, along))

    @property
    def measured(self) -> Mapping[str, tuple[Callable[[Assembly], Scalar], str]]:
        touch = self.touches[0].touch
        if not curves_of(self):
            return {}
        point = {x: partial(lambda k, assembly: touch(assembly).point[k], k) for k, x in enumerate("xyz")}
        found = {"gap": lambda assembly: touch(assembly).gap} | point
        lengths = {f"{self.name}.{what}": (function, "m") for what, function in found.items()}
        return lengths | {f"{self.name}.slip": (self._sliding, "m/s")}

    def _sliding(self, assembly: Assembly) -> Scalar:
        touch = self.touches[0].touch(assembly)
        return self._along(assembly, touch, slip(assembly, self, touch.point))

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        law = self.touches[0].law
        return super().named_sizes if law is None else (*super().named_sizes, *law.named_sizes)

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.restitution,) if self.pressing is None else self.pressing.expressions()
        yield from super().expressions()
        for law in (x.rubs or x.law for x in self.touches[:1]):
            yield from law.expressions() if law else ()

    def gaps(self, assembly: Assembly) -> Iterator[Gap]:
        return (x.gap(assembly) for x in self.touches if self.pressing is None)

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        return (slip for x in self.touches if x.rubs for slip in x.rubs.slips(assembly))

    def apply(self, assembly: Assembly) -> None:
        for x in self.touches:
            x.apply(assembly)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        for x in self.touches:
            if self.pressing is not None:
                yield f"contact '{x.name}'", x.depth(x.touch(assembly))
                continue
            for end in x.touch(assembly).ends:
                law = sympy.Piecewise((_END, x.closed > 0), (1, True))
                yield f"{x.name}: another feature", assembly.value(law, {_END: end})

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        if self.pressing is not None:
            yield from self.pressing.demands(assembly)
        elif constant(iter([self.restitution])):
            yield Demand(f"the restitution of {self}", assembly.value(self.restitution), 0, 1)
        for curve, other in curves_of(self):
            yield from demands(assembly, curve, other, str(self))
        sizes = [min(end.shape.lengths) for end in (self.first, self.second) if type(end.shape) is Polygon]
        if len(sizes) == 2:  # corners within the other polygon face none of its edges
            told, remedy = f"the distance (m) of the polygons of {self}", "They overlap: move them apart."
            yield Demand(told, assembly.value(self.gap), -min(sizes) / 4, remedy=remedy)
        yield from (demand for x in self.touches[:1] if (law := x.rubs or x.law) for demand in law.demands(assembly))

    def potential(self, assembly: Assembly) -> Scalar:
        if self.pressing is None:
            return 0
        return sum(self.pressing.stored(assembly, x.depth(x.touch(assembly))) for x in self.touches)

    def __repr__(self) -> str:
        return f"Contact '{self.name}'"


class _Feature:
    """A feature pair of a contact, with an impulse of its own: "box", then "box_2" ..."""

    def __init__(self, contact: Contact, k: int, pair: Pair, coulomb: Coulomb | None, law: Any):
        self.name, self.pair, self.contact = f"{contact.name}_{k + 1}" if k else contact.name, pair, contact
        self.impulse, self.closed = State(self.name), Flag(f"{self.name}.closed")
        self.compliance, self.force = Flag(f"{self.name}.compliance"), self.impulse.dot
        self.law = None if law is None else law(name=self.name)
        self.rubs = None if coulomb is None else _Rubs(self, coulomb, [None] * (2 if contact.axis is None else 1))

    def touch(self, assembly: Assembly) -> Touch:
        return self.pair(assembly, self.contact.first.placed(assembly), self.contact.second.placed(assembly))

    def gap(self, assembly: Assembly, touch: Touch | None = None) -> Gap:
        c, moves, touch = self.contact, touch is None, touch or self.touch(assembly)
        rate = assembly.calculus.rate(touch.gap)
        slow = SLOW * length(assembly) if c.rest_speed is None else c.rest_speed
        e = where(largest(rate, -rate) - slow, assembly.value(c.restitution), 0)
        return gap_of(
            assembly, touch.gap, name=self.name, element=repr(c), restitution=e, moves=moves,
            rest=c.rest, impulse=self.impulse, closed=self.closed, compliance=self.compliance, beyond=touch.beyond,
        )  # fmt: skip

    def depth(self, touch: Touch) -> Scalar:
        """The gap (m), where the features face each other; far away elsewhere."""
        return touch.gap if touch.beyond is None else where(touch.beyond, touch.gap, FAR)

    def apply(self, assembly: Assembly) -> None:
        touch, pressing = self.touch(assembly), self.contact.pressing
        ways = tangents(self.contact, assembly, touch) if self.law or self.rubs is not None else []
        if pressing is not None:
            pressing.press(assembly, self.contact, touch.normal, touch.point, self.depth(touch), ways, self.law)
            return
        gap = self.gap(assembly, touch)
        gap.determine(assembly)
        rubbing = []
        if self.rubs is not None:
            for (slip, sliding), p, t in zip(self.rubs.sliding(assembly, False), self.rubs.impulses, ways, strict=True):
                determine(assembly, slip, p, sliding)
                rubbing.append(t * assembly.value(p.dot))
        react(assembly, *self.contact.bodies, gap.push(assembly, touch.normal, *rubbing), touch.point)

    def __repr__(self) -> str:
        return repr(self.contact)


class _Rubs(Rubbing):
    """The friction of a feature pair, whose slip follows from the shapes."""

    def velocities(self, assembly: Assembly) -> list[Scalar]:
        touch, contact = self._contact.touch(assembly), self._contact.contact
        v = slip(assembly, contact, touch.point)
        return [dot(t, v) for t in tangents(contact, assembly, touch)]

    def expressions(self) -> Iterator[Scalar]:
        return self._coulomb.expressions()


def curves_of(contact: Any) -> list[tuple[Curve, Shape]]:
    """The curve of a contact, and what touches it; none where there is none."""
    one, other = contact.first.shape, contact.second.shape
    return [(a, b) for a, b in ((one, other), (other, one)) if isinstance(a, Curve)]


def tangents(contact: Contact, assembly: Assembly, touch: Touch) -> list[Vector]:
    """Unit vectors across the normal, one for bodies that move in a plane, otherwise two; three axes of soft contacts.

    The three are without their parts along the normal, and smooth where it is. The two jump at n.z = 0 in
    axes of the second shape: T. Duff and others, Building an orthonormal basis, revisited, J. Computer Graphics
    Techniques 6 (2017) 1-8.
    """
    if contact.axis is not None:
        t = cross(touch.normal, contact.axis)
        return [t] if contact.first.shape.planar else [t / sqrt(dot(t, t))]
    R = contact.second.placed(assembly).R
    if contact.pressing is not None:  # its bristles would jump with directions that do
        return [R * axis - touch.normal * dot(touch.normal, R * axis) for axis in AXES[::-1]]
    n = R.T * touch.normal
    sign = where(n.z, 1, -1)
    a = -1 / (sign + n.z)
    b = n.x * n.y * a
    ways = Vector(1 + sign * n.x * n.x * a, sign * b, -sign * n.x), Vector(b, sign + n.y * n.y * a, -n.y)
    return [R * t for t in ways]


def axis_of(one: End, other: End) -> Vector | None:
    """The axis, in ground axes, across the plane in which both bodies move; None for motion in space."""
    own = [end.T.R * AXES[0] for end in (one, other)]
    fixed = (*AXES, *(z for z in own if not any(map(_moving, z))))
    return next((axis for axis in fixed if all(_seen(end.T, axis) for end in (one, other))), None)


def _seen(T: Transform, axis: Vector) -> Vector | None:
    """An axis of the ground in a frame; None unless all motion of this is in planes across the axis."""
    for factor in T.factors:
        if isinstance(factor, Turn) and _moving(factor.angle):
            if not _along(axis, factor.axis):
                return None
        elif any(_moving(x) for x in Transform((factor,)).scalars()):
            if not isinstance(factor, Shift) or _moving(sympy.sympify(dot(axis, factor.e))):
                return None
        else:  # less what rounding leaves of it in other directions
            axis = (Transform((factor,)).R.T * axis).map(lambda x: round(x, 14) if is_number(x) else sympy.simplify(x))
    return axis


def _moving(x: Any) -> bool:
    return any(not isinstance(s, Parameter) for s in getattr(x, "free_symbols", ()))


def in_plane(contact: Any) -> None:
    """InputError where shapes of a plane are on bodies that leave it."""
    ends = contact.first, contact.second
    for end in ends if any(x.shape.planar for x in ends) else ():
        if contact.axis is None or not _along(_seen(end.T, contact.axis), AXES[0]):
            raise InputError(
                f"{contact} is between shapes of the plane x, y of their frames, and the frame of '{end.body.name}' "
                "leaves that plane: expected bodies that move in one plane, and frames with z across it. Take shapes "
                "of space: Sphere, Plane, Capsule, Box, Ellipsoid, Rim."
            )


def _along(one: Any, other: Vector) -> bool:
    more = dot(one, other) ** 2 - 1
    return bool(abs(more) < ALMOST if is_number(more) else sympy.simplify(more) == 0)


def _named(name: Any, *bodies: Body | Ground) -> str:
    if name is None:
        name = "_".join("".join(c if c.isalnum() else "_" for c in body.name) for body in bodies)
    return a_name(name, "a Contact", ', such as "floor"')
