"""Bodies that roll on a plane without slip, and blades that slide only along themselves.

The plane has the unit normal n; a is the unit vector of the axis, C the centre, r the radius. If a and n are not
parallel, the disc's lowest point P, its direction of travel u, and the direction w to the left of it in the plane are

    s = a . n,   k = sqrt(1 - s^2),   P = C - r (n - s a)/k,   u = a x n/k,   w = n x u

The disc stays on the plane and does not slip. With v(P), the velocity of the wheel's material point relative to that of
the plane, the conditions are

    (C - O) . n - r k = 0              a constraint on coordinates
    u . v(P) = 0,   w . v(P) = 0       two that restrict rates only

Multipliers are the components of the force that the plane exerts at P: along n, u and w.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from easydyn.arguments import answers
from easydyn.constraints.constraint import Constraint, Limit, Row
from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, react
from easydyn.forces.frames import frame_of, velocity_at
from easydyn.forces.friction import above_zero
from easydyn.inputs import text
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import ZERO, Transform, Vector, cross, dot
from easydyn.vec.scalars import Scalar, sqrt
from easydyn.vec.tensors import direction

Frame = tuple[Body | Ground, Transform]
FLAT = 1e-6  # k^2: a disc that leans by all but 1e-3 rad of a right angle lies flat


class _Touch(NamedTuple):
    """Where something touches its plane: the point, the directions n, u, w, and s; ground components."""

    wheel: Frame
    point: Vector
    normal: Vector
    forward: Vector
    left: Vector
    along: Scalar  # s
    turning: Vector  # a x n: by what a turn of the wheel changes s
    height: Scalar  # of the lowest point above the plane (m)


class Touching(Constraint):
    """The common part of the elements of this module: frames that touch one plane."""

    joined = True

    def __init__(self, frames: Sequence[Any], plane: Any, axis: Any, normal: Any, name: Any, *radius: Any):
        kind = type(self).__name__
        if any(isinstance(x, tuple | list) and x and hasattr(x[-1], "planar") for x in (*frames, plane)):
            raise InputError(f"a {kind} is between frames: RollingOn rolls a Disc on a HalfPlane or on a Curve.")
        self.wheels = tuple(frame_of(x, f"the body of a {kind}") for x in frames)
        self.plane = frame_of(plane, f"the plane of a {kind}")
        named = [*self.wheels, self.plane]
        name = "-".join(frame[0].name for frame in named) if name is None else name
        self.name = text(name, f"the name of a {kind}", 'name="rear"')
        if len({id(frame[0]) for frame in named}) < len(named):
            listed = ", ".join(f"'{frame[0].name}'" for frame in named)
            raise InputError(f"{self} is of {listed}: expected different bodies, the last of them that of the plane.")
        self.axis = direction("y" if axis is None else axis, f"the axis of {self}")
        self.normal = direction("z" if normal is None else normal, f"the normal of {self}")
        self.radius = above_zero(radius[0], f"the radius of a {kind}") if radius else 0

    @property
    def named_frames(self) -> tuple[tuple[str, Frame], ...]:
        """The role of each frame, in words, and the frame."""
        return (*((f"the body of {self}", wheel) for wheel in self.wheels), (f"the plane of {self}", self.plane))

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return (*(body for body, _ in self.wheels), self.plane[0])

    @property
    def of_place(self) -> tuple[bool, ...]:
        return tuple(label.endswith(("Fz", "Mx")) for label in self.labels)

    @property
    def named_sizes(self) -> tuple[tuple[str, Scalar], ...]:
        """What messages call each value that must be above zero, and the value, in its own unit."""
        return ((f"the radius of {self}", self.radius),)

    def expressions(self) -> Iterator[Scalar]:
        for _, frame in self.named_frames:
            yield from frame[1].scalars()
        yield self.radius

    def _touches(self, assembly: Assembly) -> list[_Touch]:
        """Where it touches, wheel by wheel, in the scalars of an `assembly`."""
        ground_frame = _placed(assembly, self.plane)
        n, r, found = ground_frame.R * self.normal, assembly.value(self.radius), []
        for wheel in self.wheels:
            frame = _placed(assembly, wheel)
            a = frame.R * self.axis
            s = dot(a, n)
            k = sqrt(1 - s * s)
            turning = cross(a, n)
            u = turning / k
            point = frame.e - (n - a * s) * (r / k)
            height = dot(frame.e - ground_frame.e, n) - r * k
            found.append(_Touch(wheel, point, n, u, cross(n, u), s, turning, height))
        return found

    def _middle(self, assembly: Assembly) -> Vector:
        """The point about which `run.reaction` has its moment: where it touches, or midway between two wheels."""
        points = [touch.point for touch in self._touches(assembly)]
        return sum(points, ZERO) / len(points)

    def _on(self, assembly: Assembly, label: str) -> list[_Touch]:
        """The places at which the load of a row acts, in equal parts."""
        return self._touches(assembly)[:1]

    def _row(self, assembly: Assembly, label: str, touch: _Touch) -> Row:
        """A row with the load of a wheel."""
        what = label[-2:]
        rate = assembly.calculus.rate
        lever = touch.point - self._middle(assembly) if len(self.wheels) > 1 else ZERO
        if what == "Fz":
            return Row(label, touch.height, rate(touch.height), touch.normal, cross(lever, touch.normal))
        if what == "Mx":
            return Row(label, touch.along, rate(touch.along), moment=touch.turning)
        way = touch.forward if what == "Fx" else touch.left
        slip = velocity_at(assembly, touch.wheel, touch.point) - velocity_at(assembly, self.plane, touch.point)
        return Row(label, None, dot(way, slip), way, cross(lever, way))

    def rows(self, assembly: Assembly) -> list[Row]:
        return [self._row(assembly, label, self._on(assembly, label)[0]) for label in self.labels]

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        for row, load in loads:
            touch = self._on(assembly, row.label)[0]
            if row.label.endswith("Mx"):
                react(assembly, touch.wheel[0], self.plane[0], moment=row.moment * load)
            else:
                react(assembly, touch.wheel[0], self.plane[0], row.force * load, touch.point)

    def limits(self, assembly: Assembly) -> list[Limit]:
        reason = "its axis is along the normal of the plane, there is no point of contact and no direction of travel"
        advice = "Incline it; axis= is in the axes of the wheel (y if left out), normal= in those of the plane (z)."
        return [
            Limit(1 - touch.along * touch.along - FLAT, f"{self} lies flat", reason, advice)
            for touch in self._touches(assembly)
        ]

    def __repr__(self) -> str:
        return f"{type(self).__name__} '{self.name}'"


@answers
class Rolling(Touching):
    """A disc that rolls on a plane without slip, in any orientation: its rim touches the plane and does not slip.

    It has one constraint on coordinates (the disc stays on the plane) and two on rates. If the coordinates already fix
    the height of the disc, the first constraint is found to be redundant. `run.reaction(rolling)` is the load that the
    plane exerts at the point of contact.

    Parameters
    ----------
    body : Body, (body, (x, y, z)) or (body, Transform)
        The disc and its centre (m): the origin of a body if no point is given.
    plane : ground, Body, (body, (x, y, z)) or (body, Transform)
        The plane is z = 0 of this frame; it may move.
    radius : scalar (m)
        Radius of the rim.
    axis : str or 3 numbers (no unit), optional
        Axis of the disc, in the axes of its frame: y if left out. It points to the left of a disc that rolls forward.
    normal : str or 3 numbers (no unit), optional
        Out of the plane, in the axes of its frame: z if left out.
    name : str, optional
        Its name; "disc-ground", from the names of the bodies, if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Notes
    -----
    (C - O) . n = r sqrt(1 - (a . n)^2), u . v = 0, w . v = 0, with v at the point of contact (docs/rolling.md).

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, trotx, troty, trotz
    >>> model = Model("coin", gravity=(0, 0, -9.81))
    >>> yaw, lean, spin = model.coordinates("yaw lean spin", rates=(0, 0, 5))
    >>> x, y, z = model.coordinates("x y z", initial=(0, 0, 0.5))
    >>> frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin)
    >>> coin = model.body("coin", frame, mass=2, inertia=(0.1, 0.2, 0.1))
    >>> model.add(Rolling(coin, ground, radius=0.5))
    >>> model.mobility().degrees_of_freedom, round(model.assemble()["x.dot"], 9)
    (3, 2.5)
    """

    labels: tuple[str, ...] = ("Fz", "Fx", "Fy")

    def __init__(
        self, body: Any, plane: Any, *, radius: Any = None, axis: Any = None, normal: Any = None, name: Any = None
    ):
        super().__init__([body], plane, axis, normal, name, radius)


@answers
class RollingWheel(Rolling):
    """A wheel that rolls on a plane without slip and stays upright: its axis is parallel to the plane.

    It is the wheel of a vehicle without suspension. It has the three constraints of `Rolling`, and one that holds it
    upright, which is redundant if the coordinates hold it upright already.

    Parameters
    ----------
    body, plane, radius, axis, normal, name
        As in `Rolling`: frames, a radius (m), two directions, a name.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Notes
    -----
    The equations of `Rolling`, and a . n = 0.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, troty, trotz
    >>> model = Model("wheel", gravity=(0, 0, -9.81))
    >>> yaw, spin, x, y = model.coordinates("yaw spin x y", rates=(1, 5, 0, 0))
    >>> frame = tdisp(x, y, 0.3) * trotz(yaw) * troty(spin)
    >>> model.add(RollingWheel(model.body("wheel", frame, mass=2, inertia=(0.1, 0.2, 0.1)), ground, radius=0.3))
    >>> model.mobility().redundant
    ('wheel-ground Fz', 'wheel-ground Mx')
    """

    labels = ("Fz", "Fx", "Fy", "Mx")


@answers
class RollingWheelSet(Touching):
    """Two wheels on one axle that roll on a plane without slip, each with its own speed.

    Both stay on the plane and roll along it. Sideways there is only one constraint, because the axle keeps the distance
    of the wheels.

    Parameters
    ----------
    left, right : Body, (body, (x, y, z)) or (body, Transform)
        The wheels and their centres (m), on the axle. The same body for both is refused: a rigid pair of wheels cannot
        roll round a bend.
    plane : ground, Body, (body, (x, y, z)) or (body, Transform)
        The plane is z = 0 of this frame.
    radius : scalar (m)
        Radius of both wheels.
    axis, normal : str or 3 numbers (no unit), optional
        As of `Rolling`.
    name : str, optional
        Its name; "left-right-ground", from the names of the bodies, if left out.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Notes
    -----
    The equations of `Rolling` along n and u for each wheel, and along w for the left one.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, troty, trotz
    >>> model = Model("axle")
    >>> l, r, yaw, x, y = model.coordinates("l r yaw x y", rates=(3, 5, 0, 0, 0))
    >>> axle = tdisp(x, y, 0.5) * trotz(yaw)
    >>> wheels = [model.body(name, axle * tdisp(0, side, 0) * troty(q), mass=1, inertia=(0.1, 0.1, 0.1))
    ...           for name, side, q in (("left", 1, l), ("right", -1, r))]
    >>> model.add(RollingWheelSet(*wheels, ground, radius=0.5))
    >>> round(model.assemble()["yaw.dot"], 9)  # (5 - 3)*0.5 m/s over 2 m
    0.5
    """

    labels = ("left Fz", "right Fz", "left Fx", "right Fx", "Fy")

    def __init__(
        self, left: Any, right: Any, plane: Any, *, radius: Any = None, axis: Any = None, normal: Any = None,
        name: Any = None,
    ):  # fmt: skip
        super().__init__([left, right], plane, axis, normal, name, radius)

    def _on(self, assembly: Assembly, label: str) -> list[_Touch]:
        touches = self._touches(assembly)
        return touches[1:] if label.startswith("right") else touches[:1]


@answers
class KnifeEdge(Touching):
    """A blade on a plane, such as a runner or a skate: it slides along itself, rotates, and has no sideways velocity.

    It is one constraint on rates; the coordinates must keep the blade on the plane.

    Parameters
    ----------
    body : Body, (body, (x, y, z)) or (body, Transform)
        The body and the point (m) where it touches the plane: its origin if no point is given.
    plane : ground, Body, (body, (x, y, z)) or (body, Transform)
        The plane is parallel to z = 0 of this frame.
    axis : str or 3 numbers (no unit), optional
        Across the blade, in the axes of its frame: y if left out.
    normal : str or 3 numbers (no unit), optional
        Out of the plane, in the axes of its frame: z if left out.
    name : str, optional
        Its name; "blade-ground", from the names of the bodies, if left out.

    Raises
    ------
    InputError
        When a value is not possible.

    Notes
    -----
    w . v = 0, with w of the module's equations and v the velocity of the point.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, trotz
    >>> model = Model("sleigh")
    >>> x, h, y = model.coordinates("x h y", rates=(1, 2, 0))
    >>> sleigh = model.body("sleigh", tdisp(x, y, 0) * trotz(h), mass=2, inertia=(0, 0, 0.5))
    >>> model.add(KnifeEdge((sleigh, (-0.3, 0, 0)), ground))
    >>> round(model.assemble()["y.dot"], 9)  # the blade goes along x, and the body turns about it
    0.6
    """

    labels = ("Fy",)

    def __init__(self, body: Any, plane: Any, *, axis: Any = None, normal: Any = None, name: Any = None):
        super().__init__([body], plane, axis, normal, name)


def _placed(assembly: Assembly, frame: Frame) -> Transform:
    return assembly.state(frame[0]).T * frame[1].map(assembly.value)
