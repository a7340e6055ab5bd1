"""Angles of a rotation for rotational springs, with the vectors that turn generalised moments into moments.

Each angle phi_i of R (frame 1 to frame 2) has a vector g_i with d phi_i/dt = g_i . omega. Here omega is the angular
velocity of frame 2 relative to frame 1, and everything is in the axes of frame 1. A generalised moment tau_i on the
angle is then the moment tau_i g_i on frame 2: its power is tau_i d phi_i/dt.
"""

from __future__ import annotations

import math

import sympy

from easydyn.forces.effort import Assembly, Placeholder
from easydyn.vec import Rotation, Vector, cross, dot
from easydyn.vec.scalars import sqrt

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
    (
        sum(c * _SQUARE**n for n, c in enumerate(map(sympy.Rational, ("1", "1/6", "3/40", "5/112", "35/1152")))),
        (_SQUARE < _SMALL) & (_COSINE > 0),
    ),
    (sympy.atan2(_ROOT, _COSINE) / _ROOT, True),
)
_BETA = sympy.Piecewise(
    (
        sum(c * _SQUARE**n for n, c in enumerate(map(sympy.Rational, ("1/12", "1/720", "1/30240", "1/1209600")))),
        _SQUARE < _SMALL,
    ),
    ((1 - _ROOT / 2 * sympy.cos(_ROOT / 2) / sympy.sin(_ROOT / 2)) / _SQUARE, True),
)


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
