"""Ropes with mass: the inertia and the weight of straight parts and of arcs, for a rope that does not stretch.

What is at the distance x along the rope from its first end is at r = P + u (x - A) in a strand that begins at P, where
A is the length before it, and at r = c + r e on a pulley. It moves by dr/dt at constant x:

    v = P.dot - u A.dot + u.dot (x - A),    v = c.dot + V tau,   V = tau . (v of the strand - c.dot)

along strands a linear function of x, as its acceleration is; on arcs with the tangent tau, whose integral over the
angle is S = -s n x (u_after - u_before). So all integrals are closed forms, for planes that do not turn. The loads
follow from d'Alembert's principle, Q_j = rho integral (g - a) . dv/dqd_j dx.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from easydyn.forces.effort import Assembly
from easydyn.vec import ZERO, Vector, cross, dot
from easydyn.vec.scalars import Scalar, is_number

if TYPE_CHECKING:
    from easydyn.touch.path import Path


class Piece(NamedTuple):
    """A strand or an arc: the integral of its place (m2), and its motion by a few velocities and accelerations.

    The integrals of v . v and of a . dv are the sums of weights w_ij v_i . v_j and w_ij a_i . dv_j, that of dv is the
    sum of shares s_i dv_i.
    """

    place: Vector
    v: Sequence[Vector]
    a: Sequence[Vector]
    weights: Sequence[Sequence[Scalar]]
    shares: Sequence[Scalar]


def pieces(path: Path, assembly: Assembly) -> Iterator[Piece]:
    """The strands and arcs of a path, in the scalars of an `assembly`."""
    rate, strands = assembly.calculus.rate, path.strands(assembly)
    wraps, before, last = {k: w for k, w, _ in path.wraps(assembly, strands)}, 0, len(strands)
    ends = []  # velocities at both ends of the strands
    for k, (_, _, P, Q, u, length, *_) in enumerate(strands):
        if k in wraps:
            before = before + assembly.value(path.guides[k].radius) * wraps[k]
        turning, passing, longer = u.map(rate), rate(before) if not is_number(before) else 0, rate(length)
        v, w = P.map(rate) - u * passing, Q.map(rate) - u * (passing + longer)
        a, b = v.map(rate) - turning * passing, w.map(rate) - turning * (passing + longer)
        ends.append((v, w))
        third, sixth, half = length / 3, length / 6, length / 2
        yield Piece((P + Q) * half, (v, w), (a, b), ((third, sixth), (sixth, third)), (half, half))
        before = before + length
    for k, angle in wraps.items():
        guide = path.guides[k]
        _, c, r, s, n = guide._seen(assembly)
        if n is None:
            continue
        first = strands[k - 1].u if k else guide._mark(assembly)
        final = strands[k].u if k < last else guide._mark(assembly)
        tau, beside = (final, ends[k][0]) if k < last else (first, ends[k - 1][1])
        v = c.map(rate)
        V, S = dot(tau, beside - v), cross(n, final - first) * -s
        turned = S * rate(V) + cross(n, S) * (s * V * V / r)
        yield Piece(
            c * (r * angle) - cross(n, S) * (s * r * r), (v, S * V, Vector(V, 0, 0)),
            (v.map(rate), turned, Vector(rate(V), 0, 0)), ((r * angle, r, 0), (r, 0, 0), (0, 0, r * angle)),
            (r * angle, r, 0),
        )  # fmt: skip


def load(path: Path, assembly: Assembly, density: Scalar) -> None:
    """Add inertia and weight to the coordinates of an `assembly`."""
    for piece in pieces(path, assembly):
        for i, v in enumerate(piece.v):
            force = sum((a * -w[i] for a, w in zip(piece.a, piece.weights, strict=True)), ZERO)
            force = force + assembly.gravity * piece.shares[i]
            for component, f in zip(v, force, strict=True):
                if not is_number(component):
                    for q, slope in assembly.rate_slopes(component).items():
                        assembly.add_generalized(q, slope * f * density)


def energies(path: Path, assembly: Assembly, density: Scalar) -> tuple[Scalar, Scalar]:
    """Kinetic energy, and potential energy in the gravity (J)."""
    kinetic: Scalar = 0
    potential: Scalar = 0
    for piece in pieces(path, assembly):
        twice = sum(dot(v, w) * x for v, row in zip(piece.v, piece.weights, strict=True)
                    for w, x in zip(piece.v, row, strict=True))  # fmt: skip
        kinetic, potential = kinetic + twice * density / 2, potential - dot(assembly.gravity, piece.place) * density
    return kinetic, potential
