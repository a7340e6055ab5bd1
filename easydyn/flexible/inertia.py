"""The inertia of a flexible body, represented by a few point masses.

Displacements are linear in the coordinates q of the shapes: a particle of the body is, in the frame of the body, at

    r = x + sum_k phi_k q_k

The motion needs only these integrals from M: the products of the 4 + 3 m functions 1, x_a, phi_ka over the mass (a = 1,
2, 3). They are the mass, the static moments and their change with q, the moments of inertia with their linear and
quadratic terms, and the coupling between the shapes (Coriolis). They form a positive semidefinite matrix G, hence G = F
F'. F may be rotated, F Q, until all elements of its first row are equal. Then

    G = sum_p m_p f_p f_p',      f_p = (1, x, phi_1, .., phi_m) at point p,      m_p = mass/(number of points)

is the matrix of as many points of equal mass. The points are bodies like any other, so every inertia term is included,
in every scheme, in energies, reactions and gravity fields.

If each node has three degrees of freedom, and M is the same along x, y and z (solid elements, consistent or lumped), G
follows from M. Otherwise (beams, shells) M determines a part of G: the mass, the moments, and the momentum, the angular
momentum and the mass of every shape. These are kept to the last digit. The rest of G describes how inertia and Coriolis
forces change as the body bends. It is taken from a body whose nodes have the mass that M gives them along the axes, on
the mean, and the rotary inertia of their rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from easydyn.errors import ModelError
from easydyn.flexible.matrices import Matrices

ISOTROPIC, ROUNDING, IMPOSSIBLE = 1e-9, 1e-13, 1e-7  # relative
ALIKE = 0.02  # of the mass of a shape: below, its nodes hardly move, and what does is taken to move in all directions


class Points(NamedTuple):
    """Points of equal mass (kg): their positions (m), and their displacements by each shape, (p, 3) and (p, 3, m)."""

    mass: float
    places: np.ndarray
    shapes: np.ndarray


class Rigid(NamedTuple):
    """Mass (kg), centre (m), and moments of inertia about the centre (kg m2), in the frame of the body."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


def rigid_of(given: Matrices) -> Rigid:
    """The rigid body properties that follow from M."""
    J = given.over(given.rigid, given.rigid)
    mass = float(np.diag(J)[:3].mean())
    com = np.array([J[1, 5] - J[2, 4], J[2, 3] - J[0, 5], J[0, 4] - J[1, 3]]) / (2 * mass)
    about_origin = (J[3:, 3:] + J[3:, 3:].T) / 2
    return Rigid(mass, com, about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)))


def points_of(given: Matrices, V: np.ndarray, what: str) -> Points:
    """The points for the shapes V; ModelError where M has moments of inertia that no body has."""
    n, m = len(given.nodes), V.shape[1]
    fields = V.reshape(n, given.freedoms, m)
    F = np.column_stack([np.ones(n), given.nodes, fields[:, :3].reshape(n, 3 * m)])  # phi_ka at column 4 + a m + k
    blocks = [[given.M[a :: given.freedoms, b :: given.freedoms] for b in range(3)] for a in range(3)]
    mean = (blocks[0][0] + blocks[1][1] + blocks[2][2]) / 3
    off = max(float(abs(blocks[a][b] - (mean if a == b else 0 * mean)).max()) for a in range(3) for b in range(3))
    if given.freedoms == 3 and off <= ISOTROPIC * float(abs(mean).max()):
        return _points(np.asarray(F.T @ (mean @ F)))
    estimated = np.asarray(F.T @ (mean @ F)) + _of_sections(given, fields)
    return _points(_corrected(given, V, estimated, what))


def _points(G: np.ndarray) -> Points:
    """Points with these integrals."""
    size = np.sqrt(np.diag(G))
    size = np.where(size > 0, size, 1)
    values, vectors = np.linalg.eigh(G / np.outer(size, size))
    keep = values > ROUNDING * values[-1]
    F = size[:, None] * (vectors[:, keep] * np.sqrt(values[keep]))
    count = F.shape[1]
    first = F[0] / np.linalg.norm(F[0])
    mirror = first - np.full(count, count**-0.5)  # Householder's: first goes to equal elements
    if mirror @ mirror > 0:
        F = F - np.outer(F @ mirror, mirror) * (2 / (mirror @ mirror))
    mass = float(G[0, 0]) / count
    f = F / np.sqrt(mass)
    return Points(mass, f[1:4].T, np.moveaxis(f[4:].reshape(3, -1, count), 2, 0))


def _of_sections(given: Matrices, fields: np.ndarray) -> np.ndarray:
    """What the rotary inertia of nodes adds to G: of the rows of M, as arms that turn with the node."""
    n, m = len(given.nodes), fields.shape[2]
    G = np.zeros((4 + 3 * m, 4 + 3 * m))
    if given.freedoms == 3:
        return G
    turned = np.zeros((n, 6, 3))
    turned[:, 3:] = np.eye(3)
    rows = np.asarray(given.M @ turned.reshape(-1, 3)).reshape(n, 6, 3)[:, 3:]
    for J, theta in zip(rows, fields[:, 3:], strict=True):
        J = (J + J.T) / 2
        values, axes = np.linalg.eigh(np.trace(J) / 2 * np.eye(3) - J)
        for square, arm in zip(values, axes.T, strict=True):
            if square > 0:
                moved = np.cross(theta.T, arm).T  # (3, m): theta x arm
                f = np.concatenate([[0], arm, moved.ravel()])
                G += square * np.outer(f, f)
    return G


def _corrected(given: Matrices, V: np.ndarray, G: np.ndarray, what: str) -> np.ndarray:
    """G with all that M says: an estimate, to which rigid motions are added and whose rest is stretched."""
    m = V.shape[1]
    A = _of_rigid(rigid_of(given), what)
    around = np.linalg.pinv(G[:4, :4], rcond=1e-12, hermitian=True)
    a = (around @ G[:4, 4:]).reshape(4, 3, m)  # what each shape has of 1 and x
    rest = (G[4:, 4:] - G[4:, :4] @ around @ G[:4, 4:]).reshape(3, m, 3, m)
    wanted = given.over(given.rigid, V)
    J = given.over(given.rigid, given.rigid)
    lacking = wanted - _momentum(np.einsum("ij,jak->iak", A, a))
    scale = np.sqrt(np.maximum(np.diag(J), 1e-30 * np.diag(J).max()))
    compliance = np.linalg.pinv(J / np.outer(scale, scale), rcond=1e-12, hermitian=True) / np.outer(scale, scale)
    rigid = compliance @ lacking
    for axis in range(3):  # v + omega x x
        a[0, axis] += rigid[axis]
        y, z = (axis + 1) % 3, (axis + 2) % 3
        a[1 + z, axis] += rigid[3 + y]
        a[1 + y, axis] -= rigid[3 + z]
    b = np.einsum("ij,jak->iak", A, a)
    left = given.over(V, V) - np.einsum("iak,ial->kl", b, a)
    corrected = np.zeros((4 + 3 * m, 4 + 3 * m))
    corrected[:4, :4], corrected[:4, 4:] = A, b.reshape(4, -1)
    corrected[4:, :4] = corrected[:4, 4:].T
    mine = np.einsum("iak,ibl->akbl", a, np.einsum("ij,jbl->ibl", A, a))
    corrected[4:, 4:] = (mine + _stretched(rest, left)).reshape(3 * m, 3 * m)
    return (corrected + corrected.T) / 2


def _momentum(b: np.ndarray) -> np.ndarray:
    """Momentum and moment of momentum (6, m) of shapes, from their integrals with 1 and x: (4, 3, m)."""
    of = [b[1 + y, z] - b[1 + z, y] for y, z in ((1, 2), (2, 0), (0, 1))]
    return np.concatenate([b[0], np.array(of)])


def _of_rigid(rigid: Rigid, what: str) -> np.ndarray:
    """The integrals of products of 1 and x: (4, 4), of what has these moments of inertia."""
    mass, com, inertia = rigid
    second = np.trace(inertia) / 2 * np.eye(3) - inertia
    values, axes = np.linalg.eigh(second)
    if values[0] < -IMPOSSIBLE * max(values[-1], 0):
        a, b, c = np.linalg.eigvalsh(inertia)
        raise ModelError(
            f"M of {what} has the principal moments of inertia {a:.4g}, {b:.4g} and {c:.4g} kg m2, the largest more "
            "than the sum of the others, which no body has. Look at the rotary inertia of beams: about their axis it "
            "is that of the polar moment Iy + Iz, not of the constant of torsion."
        )
    A = np.zeros((4, 4))
    A[0, 0], A[0, 1:], A[1:, 0] = mass, mass * com, mass * com
    A[1:, 1:] = axes * np.maximum(values, 0) @ axes.T + mass * np.outer(com, com)
    return A


def _stretched(rest: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Products of the rest of the shapes, (3, m, 3, m), whose sum over the three axes is what is `left` of M."""
    values, axes = np.linalg.eigh(left)
    half = axes * np.sqrt(np.maximum(values, 0))  # left = half half'
    back = axes / np.sqrt(np.maximum(values, max(1e-30 * values[-1], 1e-200)))
    there = back.T @ np.einsum("akal->kl", rest) @ back
    shares, directions = np.linalg.eigh(there)
    factors = np.where(shares > ALIKE, 1 / np.sqrt(np.maximum(shares, ALIKE)), 1.0)
    C = half @ directions @ (factors[:, None] * (directions.T @ back.T))
    found = np.einsum("ik,akbl,jl->aibj", C, rest, C)
    more = half @ directions @ np.diag(np.where(shares > ALIKE, 0.0, 1 - np.maximum(shares, 0))) @ directions.T @ half.T
    for axis in range(3):
        found[axis, :, axis] += more / 3
    return np.asarray(found)
