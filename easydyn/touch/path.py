"""The path of a rope: straight strands between its ends and pulleys, and arcs on the pulleys, in closed form.

A strand leaves a pulley of centre c, radius r and axis n at a tangent. With its direction u and m = n x u, to its left,

    P = c - s r m,      s = 1 where the pulley lies to the left of the rope, -1 to its right.

Between two parallel pulleys, D = c_B - c_A = l u + rho m with rho = s_B r_B - s_A r_A, so

    l = sqrt(D^2 - rho^2),      u = (l D - rho n x D) / D^2,

and a point is a pulley without a radius. Between pulleys that are not parallel, u is the line of their two planes. An
arc is r times the angle of wrap, from u before to u after. The angle is counted on: it is the angle beside that of a
flag, which follows it in steps of two radians, so that no atan2 comes near to its jump.

The length changes by l.dot = u . (v_Q - v_P), the velocities of the bodies at both tangent points: what turns about the
axis of a pulley changes no length. A tension T so acts as T u at P and as -T u at Q (virtual work).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import sympy

from easydyn.arguments import Thing
from easydyn.errors import InputError, ModelError
from easydyn.forces.effort import Assembly, Placeholder, Transition, a_size, an_end, positive, symbols_of
from easydyn.forces.line import push
from easydyn.inputs import among
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Coordinate, Flag
from easydyn.touch.pairs import chosen
from easydyn.vec import Turn, Vector, cross, dot
from easydyn.vec.scalars import Scalar, is_number, largest, one_expression, sqrt, where
from easydyn.vec.tensors import direction

STEP = 2  # rad: by so much the middle of the angles that a flag stands for is moved
FAR = 2.8  # rad: from that middle, where the flag follows
NEAR = 1e-6  # of the length of a strand: by so much it may leave the plane of a pulley
PIECES = 8  # of an arc on a picture
SIDES = {"left": 1, "right": -1}
_SIN, _COS, _STEPS, _ANGLE = (Placeholder(x, real=True) for x in ("sin", "cos", "steps", "angle"))


class Guide(Thing):
    """What a rope runs over, or is wound on: a point of a body, with a radius and an axis. See `Pulley`, `Winch`."""

    body: Body | Ground
    point: Vector
    radius: Scalar = 0
    axis: Vector | None = None
    side = 0
    angle: Any = None
    friction: Any = None
    wrap: Scalar = 0
    ends = True  # a rope begins or ends there
    _whole = False  # the angle turns the body itself

    def _round(self, body: Any, radius: Any, axis: Any, side: Any, angle: Any, wrap: Any) -> None:
        what = f"a{'n' * isinstance(self, Around)} {type(self).__name__}"
        self.body, self.point = an_end(body, f"the place of {what}")
        self.radius = a_size(radius, f"the radius of {what}", positive)
        side = "left" if side is None and self.eye and not self.ends else side
        self.axis = direction(axis, f"the axis of {what}")
        if not among(side, SIDES):
            raise InputError(
                f'the side of {what} is {side!r}: expected "left" or "right", where the pulley lies as seen along the '
                "rope from its first end, with the axis towards the eye."
            )
        self.side, self.wrap = SIDES[side], positive(wrap, f"the full turns (wrap) of {what}")
        if angle is not None:
            self.angle = one_expression(angle, f"the angle of {what}")
            if not any(isinstance(s, Coordinate) for s in self.angle.free_symbols):
                raise InputError(f"the angle of {what} is {angle}: expected a coordinate, which the rope turns.")
            turns = [f.angle for f in self.body.T.factors if isinstance(f, Turn)]
            self._whole = any(sympy.sympify(x) == self.angle for x in turns)
            if not self._whole and any(self.angle.free_symbols & symbols_of(x) for x in turns):
                raise InputError(
                    f"the angle of {what} is {angle}, and body '{self.body.name}' turns with it otherwise: give the "
                    "angle by which this body turns itself, or that of a drum in a body which it does not turn."
                )

    @property
    def eye(self) -> bool:
        """True of a point, which has no axis."""
        return is_number(self.radius) and float(self.radius) == 0

    @property
    def turned(self) -> bool:
        """True where the rope does not slip, so that it ends there, and begins again."""
        return self.angle is not None

    def expressions(self) -> Iterator[Scalar]:
        """The scalars that the user gave, in their own units."""
        given = (*self.point, self.radius, self.wrap, self.angle, self.friction)
        return (x for x in given if x is not None)

    def _seen(self, assembly: Assembly) -> Site:
        """Where it is, in the scalars of an assembly."""
        T = assembly.state(self.body).T
        n = None if self.eye else T.R * self.axis
        return Site(self, T.e + T.R * self.point.map(assembly.value), assembly.value(self.radius), self.side, n)

    def _across(self) -> Vector:
        """The direction in the body, across the axis, from which the angle of a drum is counted: x, else y."""
        n = self.axis or Vector(0, 0, 1)
        x = Vector(1, 0, 0) if abs(n[0]) < 0.9 else Vector(0, 1, 0)
        x = x - n * dot(n, x)
        return x / sqrt(dot(x, x))

    def _mark(self, assembly: Assembly) -> Vector:
        """The direction of the rope where it is fixed to a drum."""
        T, n, x = assembly.state(self.body).T, self.axis, self._across()
        assert n is not None
        if not self._whole:
            turn = [assembly.value(f(self.angle)) for f in (sympy.cos, sympy.sin)]
            x = x * turn[0] + cross(n, x) * turn[1]
        return T.R * (cross(n, x) * self.side)

    def __repr__(self) -> str:
        return f"{type(self).__name__} of '{self.body.name}'"


class Point(Guide):
    """An end of a rope that is fixed to a body."""

    def __init__(self, given: Any, what: str):
        self.body, self.point = an_end(given, what)


class Pulley(Guide):
    """A pulley that a rope runs over: it slides freely there, turns the pulley, or rubs.

    Parameters
    ----------
    body : Body or (Body, (x, y, z))
        What carries its axle: the axle is at the body's origin, or at a point (m) in body axes; `ground` is a body too.
    radius : scalar (m)
        r, to the middle of the rope; 0 for an eye, through which the rope runs in any direction.
    axis : "x", "y", "z" or 3 floats
        Direction of its axis in body axes (no unit).
    side : {"left", "right"}
        Where the pulley lies, as seen along the rope from its first end, with the axis towards the eye: round a pulley
        on its left a rope turns left.
    angle : Coordinate, optional
        The angle (rad) by which the pulley turns about its axis, as `q`: the rope does not slip, and turns it. The body
        is the pulley itself if `q` turns it, else what carries it. The tension is not the same on both sides.
    friction : scalar (no unit), optional
        Coefficient of friction mu: the rope sticks, or slides where the ratio of tensions is e^(mu wrap).
    wrap : scalar (no unit)
        Full turns of the rope beside those that are seen from its strands.

    Raises
    ------
    InputError
        A value that is missing, or not possible.

    Notes
    -----
    Friction is Eytelwein's (L. Euler, Remarques sur l'effet du frottement dans l'equilibre, 1762).

    Example
    -------
    >>> from easydyn import ground
    >>> Pulley((ground, (0, 2, 0)), 0.1, side="left")
    Pulley of 'ground'
    """

    ends = False

    def __init__(
        self, body: Any, radius: Any = None, *, axis: Any = "z", side: Any = None, angle: Any = None,
        friction: Any = None, wrap: Any = 0,
    ):  # fmt: skip
        self._round(body, radius, axis, side, angle, wrap)
        if friction is not None:
            self.friction = positive(friction, "the friction of a Pulley")
        if angle is not None and (friction is not None or self.eye):
            raise InputError(
                f"{self} has an angle, by which the rope turns it without slip, "
                f"{'and no radius' if self.eye else 'and a friction, by which it slips'}: expected one of the two."
            )


class Winch(Guide):
    """A drum on which a rope ends: it winds the rope up, or pays it out.

    Parameters
    ----------
    body : Body or (Body, (x, y, z))
        The drum, or what carries it, as of a `Pulley`.
    radius : scalar (m)
        r, to the middle of the rope.
    angle : Coordinate, or expression of coordinates
        The angle (rad) by which it turns about its axis. As the last part of a path a drum on the left of the rope
        winds it up while the angle grows; as the first part it pays it out.
    axis : "x", "y", "z" or 3 floats
        Direction of its axis in body axes (no unit).
    side : {"left", "right"}
        Where the drum lies, as of a `Pulley`.
    wrap : scalar (no unit)
        Full turns of the rope on the drum at angle 0, when it is fixed on the x axis of the body that carries the drum
        (on its y axis, if x is its own). What is on the drum is part of the length of the rope.

    Raises
    ------
    InputError
        A value that is missing, or not possible.

    Notes
    -----
    The rope does not slip: what is wound up is r times the angle (kinematics of rolling).

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("hoist")
    >>> q, = model.coordinates("q")
    >>> drum = model.body("drum", trotz(q), mass=2, inertia=(0, 0, 0.01))
    >>> Winch(drum, 0.1, angle=q, side="left")
    Winch of 'drum'
    """

    def __init__(
        self, body: Any, radius: Any = None, *, angle: Any = None, axis: Any = "z", side: Any = None,
        wrap: Any = 0,
    ):  # fmt: skip
        self._round(body, radius, axis, side, angle, wrap)
        if angle is None or self.eye:
            raise InputError("a Winch needs a radius above 0 and angle=, the coordinate that turns it.")


class Around(Guide):
    """A cylinder or a sphere that a rope lies on where it is in the way, and leaves where it is not, without friction.

    Parameters
    ----------
    body : Body or (Body, (x, y, z))
        Its body, with the centre at the body's origin, or at a point (m) in body axes.
    shape : scalar (m), or Sphere
        The radius of a cylinder without ends, or a sphere (`visu.Sphere(0.1)`).
    axis : "x", "y", "z" or 3 floats
        Direction of the axis of a cylinder in body axes (no unit); the rope may run round it as a helix.
    side : {"left", "right"}
        Where a cylinder lies, as of a `Pulley`. Round a sphere a rope takes the shorter way.

    Raises
    ------
    InputError
        A value that is missing, or not possible.

    Notes
    -----
    The shortest line: unrolled, a helix is straight; on a sphere it is a great circle (geodesics).

    Example
    -------
    >>> from easydyn import ground
    >>> Around((ground, (0, 2, 0)), 0.1, side="left")
    Around of 'ground'
    """

    ends = False

    def __init__(self, body: Any, shape: Any = None, *, axis: Any = "z", side: Any = None):
        self.sphere = hasattr(shape, "radius")
        self._round(body, getattr(shape, "radius", shape), axis, "left" if self.sphere else side, None, 0)

    def _strands(self, path: Path, assembly: Assembly, k: int) -> tuple[Strand, Strand, Scalar, Scalar]:
        """The strands beside it, the first with its arc; its angle of wrap (rad), below 0 if it is free, as counted."""
        before, after = path.guides[k - 1], path.guides[k + 1]
        (_, c, r, s, n), P, Q = self._seen(assembly), before._seen(assembly).centre, after._seen(assembly).centre
        a, b, way = P - c, Q - c, Q - P
        if self.sphere:
            n, s = cross(a, b), 1
            n = n / sqrt(dot(n, n))
        assert n is not None
        along, a, b = dot(n, way), a - n * dot(n, a), b - n * dot(n, b)
        da, db = dot(a, a), dot(b, b)
        la, lb = path.reach(da - r * r, before, self), path.reach(db - r * r, self, after)
        u, v = (cross(n, a) * (s * r) - a * la) / da, (cross(n, b) * (s * r) + b * lb) / db
        w, local = path.counted(assembly, k, {_SIN: dot(n, cross(u, v)) * s, _COS: dot(u, v)}, 0)
        rise = along / (la + r * w + lb)  # a helix is straight when it is unrolled
        steep, straight, middle = sqrt(1 + rise * rise), sqrt(dot(way, way)), P + way / 2
        u, v, la, lb = (u + n * rise) / steep, (v + n * rise) / steep, la * steep, lb * steep

        e, half = way / straight, straight / 2
        first = Strand(before, self, P, chosen(w, P + u * la, middle), chosen(w, u, e), where(w, la, half), da - r * r,
                       0, where(w, r * w * steep, 0))  # fmt: skip
        last = Strand(self, after, chosen(w, Q - v * lb, middle), Q, chosen(w, v, e), where(w, lb, half), db - r * r, 0)
        return first, last, w, local


class Site(NamedTuple):
    """A guide at an instant, in the scalars of an assembly: centre, radius, side, and axis or None."""

    guide: Guide
    centre: Vector
    radius: Scalar
    side: int
    axis: Vector | None


class Strand(NamedTuple):
    """A straight part, in the scalars of an assembly: guides, tangent points, direction, length.

    Where `room` is below zero, or `off` is not zero, there is none; `arc` lies on an `Around` after it.
    """

    first: Guide
    last: Guide
    P: Vector
    Q: Vector
    u: Vector
    length: Scalar
    room: Scalar
    off: Scalar
    arc: Scalar = 0

    def opening(self, assembly: Assembly) -> Scalar:
        """Its rate of length (m/s), by the velocities of the bodies at its ends."""
        (v, w) = (_velocity(assembly, g, p) for g, p in ((self.first, self.P), (self.last, self.Q)))
        return dot(w - v, self.u)

    def pull(self, assembly: Assembly, tension: Scalar) -> None:
        """Apply a tension (N) to both bodies, and to what moves its ends in them."""
        for guide, p, force in ((self.first, self.P, self.u * tension), (self.last, self.Q, self.u * -tension)):
            push(assembly, guide.body, guide.point, p, force)


def _velocity(assembly: Assembly, guide: Guide, p: Vector) -> Vector:
    """The velocity of what is at a place, as part of the body of a guide that may move in it."""
    state, rate = assembly.state(guide.body), assembly.calculus.rate
    v = state.velocity_at(p) + state.T.R * guide.point.map(lambda x: rate(assembly.value(x)))
    if not guide.turned or guide._whole:
        return v
    site = guide._seen(assembly)
    return v + cross(site.axis, p - site.centre) * rate(assembly.value(guide.angle))


class Path:
    """Guides in their order, from the first end of a rope to its last one; `name` is the prefix of its flags.

    Without `counts`, angles of wrap are between -65 and 294 degrees beside their full turns, but for those of drums; on
    an `Around` between -180 and 180 degrees.
    """

    def __init__(self, guides: Sequence[Guide], name: str, counts: bool):
        self.guides, self.name, self.counts = tuple(guides), name, counts
        self._steps = {
            k: Flag(f"{name}.turns_{k}") for k, g in enumerate(guides)
            if g.turned or counts and isinstance(g, Pulley | Around) and not (g.eye or getattr(g, "sphere", False))
        }  # fmt: skip
        self._parallel = {
            (a, b): _cosine(a, b) for a, b in zip(guides, guides[1:], strict=False) if not (a.eye or b.eye)
        }
        for a, b in zip(guides, guides[1:], strict=False):
            if (isinstance(a, Around) and not b.eye) or (isinstance(b, Around) and not a.eye):
                raise InputError(
                    f"the rope '{name}' goes from {a} to {b}: expected a fixed end or an eye, Pulley(body, 0), on both "
                    "sides of an Around, between which the rope is straight where it lifts off."
                )

    @property
    def flags(self) -> tuple[Flag, ...]:
        """Those that count its turns."""
        return tuple(self._steps.values())

    def strands(self, assembly: Assembly) -> list[Strand]:
        """Its straight parts."""
        sites = [guide._seen(assembly) for guide in self.guides]
        found: list[Strand] = []
        for k, (a, b) in enumerate(zip(sites, sites[1:], strict=False)):
            if isinstance(b.guide, Around):
                found += b.guide._strands(self, assembly, k + 1)[:2]
            elif not isinstance(a.guide, Around):
                found.append(self._strand(a, b))
        return found

    def reach(self, room: Scalar, one: Guide, other: Guide) -> Scalar:
        """The length of a strand by its square; InputError for numbers that leave no room for it."""
        try:
            return sqrt(room)
        except ModelError:
            raise InputError(
                f"the rope '{self.name}' has no room between {one} and {other}: they overlap. Move them apart."
            ) from None

    def _strand(self, a: Site, b: Site) -> Strand:
        D, n = b.centre - a.centre, a.axis or b.axis
        parallel = self._parallel.get((a.guide, b.guide), 1)
        if n is None:
            length = sqrt(largest(dot(D, D), 1e-300))  # slack at the length zero, it has no direction
            return Strand(a.guide, b.guide, a.centre, b.centre, D / length, length, length, 0)
        if not parallel:
            assert a.axis is not None and b.axis is not None
            line = cross(a.axis, b.axis)
            u = line / sqrt(dot(line, line))
            u = u * (dot(u, D) / sqrt(dot(u, D) * dot(u, D)))
            P = a.centre - cross(a.axis, u) * (a.side * a.radius)
            Q = b.centre - cross(b.axis, u) * (b.side * b.radius)
            length = dot(Q - P, u)
            beside = Q - P - u * length
            return Strand(a.guide, b.guide, P, Q, u, length, length, sqrt(dot(beside, beside)))
        side = b.side * parallel
        rho, square = side * b.radius - a.side * a.radius, dot(D, D)
        room = square - rho * rho
        length = self.reach(room, a.guide, b.guide)
        u = (D * length - cross(n, D) * rho) / square
        left = cross(n, u)
        P, Q = a.centre - left * (a.side * a.radius), b.centre - left * (side * b.radius)
        return Strand(a.guide, b.guide, P, Q, u, length, room, dot(n, D))

    def wraps(self, assembly: Assembly, strands: Sequence[Strand]) -> Iterator[tuple[int, Scalar, Scalar]]:
        """The place of each guide with an arc, its angle of wrap (rad), and how far that is from where its flag is."""
        for k, guide in enumerate(self.guides):
            before, after = strands[k - 1].u if k else None, strands[k].u if k < len(strands) else None
            if isinstance(guide, Point | Around) or guide.eye and guide.friction is None:
                continue
            s, n = guide.side, guide._seen(assembly).axis
            if n is None and before is not None and after is not None:
                turn = cross(before, after)
                given = {_SIN: sqrt(dot(turn, turn)), _COS: dot(before, after)}
                yield k, assembly.value(sympy.atan2(_SIN, _COS), given), 0
                continue
            assert n is not None
            if before is not None and after is not None and not guide.turned:
                given = {_SIN: dot(n, cross(before, after)) * s, _COS: dot(before, after)}
                angle, local = self.counted(assembly, k, given, 1)
            else:  # from the place where it is fixed to the drum, which the angle turns
                u = after if before is None else before
                assert u is not None
                x = assembly.state(guide.body).T.R * guide._across()
                out, mark = cross(n, u) * -s, assembly.value(guide.angle)
                given = {_SIN: dot(n, cross(x, out)), _COS: dot(x, out)}
                if guide._whole:  # seen from what carries the drum
                    given = self._ahead(assembly, mark, given)
                found, local = self.counted(assembly, k, given, sympy.Rational(1, 2))
                angle = (mark - found) * (s if after is None else -s)
            yield k, angle + 2 * sympy.pi.evalf() * assembly.value(guide.wrap) if guide.wrap != 0 else angle, local

    @staticmethod
    def _ahead(assembly: Assembly, angle: Scalar, given: Mapping[Any, Scalar]) -> dict[Any, Scalar]:
        """Sine and cosine of an angle to which another one is added."""
        s, c = sympy.sin(_ANGLE), sympy.cos(_ANGLE)
        of = {**given, _ANGLE: angle}
        return {_SIN: assembly.value(_SIN * c + _COS * s, of), _COS: assembly.value(_COS * c - _SIN * s, of)}

    def counted(
        self, assembly: Assembly, k: int, given: Mapping[Any, Scalar], first: Any
    ) -> tuple[Scalar, Scalar]:  # fmt: skip
        """An angle that goes on beyond a full turn, from its `given` sine and cosine, and its part beside the flag's.

        `first` is the place of its middle, where it begins, in steps.
        """
        middle = STEP * (self._steps.get(k, sympy.S.Zero) + first)
        s, c = sympy.sin(middle), sympy.cos(middle)
        local = assembly.value(sympy.atan2(_SIN * c - _COS * s, _COS * c + _SIN * s), given)
        return local + assembly.value(middle), local

    def length(self, assembly: Assembly) -> Scalar:
        """Its length (m), in the scalars of an `assembly`."""
        strands = self.strands(assembly)
        arcs = (assembly.value(self.guides[k].radius) * w for k, w, _ in self.wraps(assembly, strands))
        return sum(arcs, sum((strand.length + strand.arc for strand in strands), 0))

    def points(self, assembly: Assembly) -> list[Vector]:
        """Places (m) along it, for a picture: the ends of its straight parts, and some on each arc between them."""
        found: list[Vector] = []
        strands = self.strands(assembly)
        for k, strand in enumerate(strands):
            if k:
                found += _bent(assembly, strands[k - 1], strand)
            found += [strand.P, strand.Q]
        return found

    def lifts(self, assembly: Assembly) -> Iterator[tuple[int, Scalar, Scalar]]:
        """The angles (rad) that go through zero where the rope leaves what it lies on: as `wraps`."""
        return ((k, *x._strands(self, assembly, k)[2:]) for k, x in enumerate(self.guides) if isinstance(x, Around))

    def _counted(self, assembly: Assembly) -> Iterator[tuple[Flag, Scalar]]:
        every = (*self.wraps(assembly, self.strands(assembly)), *self.lifts(assembly))
        return ((self._steps[k], local) for k, _, local in every if k in self._steps)

    def start(self, assembly: Assembly) -> dict[Flag, Scalar]:
        """Flags of angles that are far from their middle at the start."""
        step = sympy.Piecewise((sympy.sign(_ANGLE), sympy.Abs(_ANGLE) > FAR), (0, True))
        return {flag: assembly.value(step, {_ANGLE: local}) for flag, local in self._counted(assembly)}

    def transitions(self, assembly: Assembly, name: str) -> Iterator[Transition]:
        """Where flags follow the angles."""
        for flag, local in self._counted(assembly):
            guard = assembly.value(FAR - sympy.Abs(_ANGLE), {_ANGLE: local})
            new = assembly.value(_STEPS + sympy.sign(_ANGLE), {_STEPS: assembly.value(flag), _ANGLE: local})
            yield Transition(f"{name} turns on", guard, -1, {flag: new})


def _bent(assembly: Assembly, before: Strand, after: Strand) -> Iterator[Vector]:
    """Points on the arc between two strands, which turns from one direction to the other by less than a full turn."""
    guide = after.first
    _, c, r, s, n = guide._seen(assembly)
    if guide.eye or n is None or isinstance(guide, Around) and guide.sphere:
        return
    level = before.u - n * dot(n, before.u)  # a helix rises
    given = {_SIN: dot(n, cross(level, after.u)) * s, _COS: dot(level, after.u)}
    angle = sympy.atan2(_SIN, _COS)
    angle = angle + sympy.Piecewise((2 * sympy.pi, angle < -1), (0, True))
    at, rise = before.Q - c, dot(n, after.P - before.Q)
    out, side = at - n * dot(n, at), cross(n, at)
    for k in range(1, PIECES):
        turn = [assembly.value(f(angle * k / PIECES), given) for f in (sympy.cos, sympy.sin)]
        yield c + n * (dot(n, at) + rise * k / PIECES) + out * turn[0] + side * (turn[1] * s)


def _cosine(a: Guide, b: Guide) -> int:
    """1 or -1 where the axes of two guides are parallel or opposite however their bodies move, 0 where they are not."""
    numbers, found = Random(1), set()
    symbols = sorted({*a.body.T.free_symbols, *b.body.T.free_symbols}, key=str)
    for _ in range(3):
        values = {s: sympy.Float(numbers.uniform(0.3, 2.7)) for s in symbols}
        cosine = float(dot(*(_turned(g, values) for g in (a, b))))
        found.add(round(cosine) if abs(abs(cosine) - 1) < 1e-9 else 0)
    return found.pop() if len(found) == 1 else 0


def _turned(guide: Guide, values: Mapping[Any, Any]) -> Vector:
    """The axis of a guide in the axes of the ground, for values of the symbols."""
    assert guide.axis is not None
    return guide.body.T.map(lambda x: float(sympy.sympify(x).xreplace(values))).R * guide.axis
