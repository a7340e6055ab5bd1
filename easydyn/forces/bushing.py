"""A bushing: springs and dampers between two frames, in three directions and about three axes.

Each angle phi_i of the rotation R from frame 1 to frame 2 has a vector g_i with d phi_i/dt = g_i . omega. Here omega is
the angular velocity of frame 2 relative to frame 1, and everything is in the axes of frame 1. A generalised moment
tau_i on the angle is then the moment tau_i g_i on frame 2: its power is tau_i d phi_i/dt.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.forces.declared import Argument, Element
from easydyn.forces.effort import Assembly, Placeholder, constant, given, positive, react, two_bodies
from easydyn.forces.frames import frame_of
from easydyn.inputs import among
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.vec import Rotation, Transform, Vector, cross, dot, vector
from easydyn.vec.scalars import Scalar, is_zero, sqrt


def _a_frame(value: Any, what: str) -> tuple[Body | Ground, Transform]:
    """(body, place in it) of a body, of (body, point) or of (body, Transform)."""
    body, offset = frame_of(value, what)
    if not constant(offset.scalars()):
        raise InputError(f"the place of {what} is {offset}: expected numbers and parameters, it is fixed to its body.")
    return body, offset


def _three(value: Any, what: str) -> Vector:
    """Three scalars that are no negative numbers, of three or of one for all."""
    several = isinstance(value, tuple | list | np.ndarray | sympy.MatrixBase)
    each = vector(value, what) if several else Vector(value, value, value)
    return each.map(lambda c: positive(c, what))


def _a_load(value: Any, what: str) -> Vector:
    return vector(value, what).map(lambda c: given(c, what))


def _an_order(value: Any, what: str) -> str:
    if not among(value, ("vector", *CARDAN_ORDERS)):
        raise InputError(
            f"{what} is {value!r}: expected one of {', '.join(CARDAN_ORDERS)}, or vector for the rotation vector."
        )
    return str(value)


class Bushing(Element):
    """Springs and dampers between two frames, along and about the axes of the first: Hooke's law in six directions.

    Let u be the displacement of the origin of frame 2 in the axes of frame 1, and phi the angles of rotation from frame
    1 to frame 2 (cardan angles, or the rotation vector). Then

        V = sum of k u^2 / 2 - F0 u  +  sum of kr phi^2 / 2 - M0 phi
        force on frame 2, at its origin:  -k u - c du/dt + F0
        moment on frame 2:                that whose power is (-kr phi - cr dphi/dt + M0) . dphi/dt

    and the opposite force and moment act, at the same place, on the body of frame 1. The moment follows from the
    potential at large angles, too: without damping, energy is conserved. A rotation about a single axis may reach half
    a turn. Of the two possible triples of cardan angles the element takes the one with the smaller |a| + |b| + |c|,
    less than 3/2 pi. Where the second angle is a quarter of a turn and the others are not zero, cardan angles have no
    moment (gimbal lock): take the rotation vector there.

    Parameters
    ----------
    frame_1, frame_2 : Body, (Body, (x, y, z)) or (Body, Transform)
        Frames fixed to bodies; the frame of the body itself if neither a point nor a transform is given.
    stiffness, damping : 3 scalars, or one for all (N/m, N s/m)
        k and c along x, y, z of frame 1.
    rotational_stiffness, rotational_damping : 3 scalars, or one for all (N m/rad, N m s/rad)
        kr and cr of the angles about x, y, z.
    preload : 3 scalars (N), optional
        F0, force on frame 2 where u = 0.
    preload_moment : 3 scalars (N m), optional
        M0, moment on frame 2 where phi = 0.
    order : str
        Angles of the rotation from frame 1 to frame 2: one of the six cardan sequences, "xyz" for
        `trotx(a) * troty(b) * trotz(c)`, or "vector" for the rotation vector (axis times angle).

    Raises
    ------
    InputError
        A missing stiffness or damping (0 is a valid value), a frame that moves in its body, an unknown order.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, trotz
    >>> model = Model("engine mount")
    >>> x, q = model.coordinates("x q")
    >>> engine = model.body("engine", tdisp(x, 0, 0) * trotz(q), mass=2, inertia=(0, 0, 0.5))
    >>> mount = dict(stiffness=800, rotational_stiffness=(50, 50, 20), damping=0, rotational_damping=0)
    >>> model.add(Bushing(ground, engine, **mount, order="xyz"))
    >>> model.compile().accelerations(0, [0.01, 0.1], [0, 0])
    array([-4., -4.])
    """

    frame_1 = Argument(_a_frame, "first frame")
    frame_2 = Argument(_a_frame, "second frame")
    stiffness, rotational_stiffness = Argument(_three), Argument(_three)
    damping, rotational_damping = Argument(_three), Argument(_three)
    preload, preload_moment = Argument(_a_load), Argument(_a_load)
    order = Argument(_an_order)

    def __init__(
        self, frame_1: Any, frame_2: Any, *, stiffness: Any = None, rotational_stiffness: Any = None,
        damping: Any = None, rotational_damping: Any = None, preload: Any = (0, 0, 0),
        preload_moment: Any = (0, 0, 0), order: str = "xyz",
    ):  # fmt: skip
        self.take(locals(), "frame_1", "frame_2")
        two_bodies(self.frame_1[0], self.frame_2[0], "a Bushing")
        self.take(locals())

    @property
    def conservative(self) -> bool:
        undamped = all(map(is_zero, (*self.damping, *self.rotational_damping)))
        return undamped and constant(self.expressions())

    @property
    def observer(self) -> Body | Ground:
        return ground if ground in self.bodies else self.frame_1[0]

    def _frames(self, assembly: Assembly) -> tuple[Transform, Transform]:
        first, second = (assembly.state(body).T * own.map(assembly.value) for body, own in (self.frame_1, self.frame_2))
        return first, second

    def _turned(self, assembly: Assembly, R: Rotation) -> tuple[Vector, tuple[Vector, Vector, Vector]]:
        """The angles about x, y, z, and of each the vector g with d phi/dt = g . omega (axes of frame 1)."""
        return rotation_vector_of(assembly, R) if self.order == "vector" else cardan(assembly, R, self.order)

    def apply(self, assembly: Assembly) -> None:
        first, second = self._frames(assembly)
        one, two = assembly.state(self.frame_1[0]), assembly.state(self.frame_2[0])
        into = first.R.T
        place = second.e
        u, u_dot = into * (place - first.e), into * (two.velocity_at(place) - one.velocity_at(place))
        k, c = self.stiffness.map(assembly.value), self.damping.map(assembly.value)
        force = first.R * (self.preload.map(assembly.value) - _each(k, u) - _each(c, u_dot))
        phi, g = self._turned(assembly, into * second.R)
        omega = into * (two.omega - one.omega)
        phi_dot = Vector(*(dot(g_i, omega) for g_i in g))
        k, c = self.rotational_stiffness.map(assembly.value), self.rotational_damping.map(assembly.value)
        tau = self.preload_moment.map(assembly.value) - _each(k, phi) - _each(c, phi_dot)
        moment = first.R * (g[0] * tau.x + g[1] * tau.y + g[2] * tau.z)
        react(assembly, self.frame_2[0], self.frame_1[0], force, place, moment)

    def potential(self, assembly: Assembly) -> Scalar:
        first, second = self._frames(assembly)
        u = first.R.T * (second.e - first.e)
        phi, _ = self._turned(assembly, first.R.T * second.R)
        stored: Scalar = 0
        for x, k, F in ((u, self.stiffness, self.preload), (phi, self.rotational_stiffness, self.preload_moment)):
            stored = stored + dot(_each(k.map(assembly.value), x), x) / 2 - dot(F.map(assembly.value), x)
        return stored


def _each(u: Vector, v: Vector) -> Vector:
    """The products of the components."""
    return Vector(u.x * v.x, u.y * v.y, u.z * v.z)


CARDAN_ORDERS = ("xyz", "yzx", "zxy", "xzy", "zyx", "yxz")
Angles = tuple[Vector, tuple[Vector, Vector, Vector]]

_R = Rotation(*(Vector(*(Placeholder(f"R{i}{j}", real=True) for i in range(3))) for j in range(3)))
_SQUARE, _COSINE = (Placeholder(name, real=True) for name in ("square", "cosine"))
_UNIT = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))

# Of the angles a, b, c with |b| up to a quarter of a turn the triple nearer to zero, and the sign of its cos b.
_FIRST = tuple(Placeholder(name, real=True) for name in "abc")
_NEAR = sum(abs(angle) for angle in _FIRST) <= 1.5 * math.pi
_SIDE = sympy.Piecewise((1, _NEAR), (-1, True))
_NEARER = tuple(
    sympy.Piecewise((x, _NEAR), (sign * (x - math.pi), x > 0), (sign * (x + math.pi), True))
    for x, sign in zip(_FIRST, (1, -1, 1), strict=True)
)

# The rotation vector phi = theta n of R, from w = sin(theta) n, the axial vector of R, and cos(theta). For small angles
# by series: theta/sin(theta) in powers of sin^2, and beta of the inverse of the left Jacobian in powers of theta^2.
_SMALL = 1e-3
_ROOT = sympy.sqrt(_SQUARE)  # sin(theta), then theta
_STRETCH = sympy.Piecewise(
    (sum(c * _SQUARE**n for n, c in enumerate(map(sympy.Rational, ("1", "1/6", "3/40", "5/112", "35/1152")))),
     (_SQUARE < _SMALL) & (_COSINE > 0)),
    (sympy.atan2(_ROOT, _COSINE) / _ROOT, True),
)  # fmt: skip
_BETA = sympy.Piecewise(
    (sum(c * _SQUARE**n for n, c in enumerate(map(sympy.Rational, ("1/12", "1/720", "1/30240", "1/1209600")))),
     _SQUARE < _SMALL),
    ((1 - _ROOT / 2 * sympy.cos(_ROOT / 2) / sympy.sin(_ROOT / 2)) / _SQUARE, True),
)  # fmt: skip


def cardan(assembly: Assembly, R: Rotation, order: str) -> Angles:
    """Cardan angles (about x, about y, about z) with R = R_i(a) R_j(b) R_k(c) for `order` = "ijk".

    Every R has two such triples, (a, b, c) with b up to a quarter of a turn and (a + pi, pi - b, c + pi). The function
    takes the one with the smaller |a| + |b| + |c|, which is less than 3/2 pi. So a rotation about a single axis, also
    about the second one, may reach half a turn.

    The axes of the rotations are e1 = axis i of frame 1, e3 = axis k of frame 2, and e2 perpendicular to both. So g2 is
    e2, and g1, g3 are e2 x e3 and e1 x e2 divided by their common projection, cos b.
    """
    i, j, k = ("xyz".index(axis) for axis in order)
    given = {_R[a, b]: R[a, b] for a in range(3) for b in range(3)}
    first = [assembly.value(angle, given) for angle in _R.angles(order)]
    near = dict(zip(_FIRST, first, strict=True))
    angles = [assembly.value(angle, near) for angle in _NEARER]
    sign = 1 if (j - i) % 3 == 1 else -1
    e1, e3 = _UNIT[i], R[k]
    across = cross(e3, e1) * sign  # cos b e2
    cosine = sqrt(dot(across, across)) * assembly.value(_SIDE, near)
    e2 = across / cosine
    g = {i: cross(e2, e3) * sign / cosine, j: e2, k: cross(e1, e2) * sign / cosine}
    phi = dict(zip((i, j, k), angles, strict=True))
    return Vector(phi[0], phi[1], phi[2]), (g[0], g[1], g[2])


def rotation_vector_of(assembly: Assembly, R: Rotation) -> Angles:
    """The rotation vector (axis times angle) of a rotation of less than half a turn.

    d phi/dt = (1 - [phi]/2 + beta [phi]^2) omega with beta = (1 - theta/2 cot(theta/2)) / theta^2, the inverse of the
    left Jacobian of the rotation group.
    """
    w = Vector(R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]) * 0.5
    cosine = (R[0, 0] + R[1, 1] + R[2, 2] - 1) * 0.5
    phi = w * assembly.value(_STRETCH, {_SQUARE: dot(w, w), _COSINE: cosine})
    beta = assembly.value(_BETA, {_SQUARE: dot(phi, phi)})
    once = [cross(phi, unit) for unit in _UNIT]
    # the rows of the matrix: unit . (omega - phi x omega / 2 + beta phi x (phi x omega))
    x, y, z = (unit + v * 0.5 + cross(phi, v) * beta for unit, v in zip(_UNIT, once, strict=True))
    return phi, (x, y, z)
