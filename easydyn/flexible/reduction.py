"""Reduction of the degrees of freedom of a finite element program to a few shapes in which a body deforms.

    K phi = omega^2 M phi                   modes, of what is free or held at nodes
    u_i = -K_ii^-1 K_ib u_b + Phi q         Craig and Bampton: static shapes of the freedoms u_b that are kept, and
                                            modes of what they hold

The rigid part of every shape, R (R' M R)^-1 R' M, is removed, so that only the frame carries the body along. Momentum
and angular momentum are then those of this frame (Tisserand's frame, at small displacements). Finally the shapes are
combined so that M and K are both diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.sparse import csc_array, diags
from scipy.sparse.linalg import eigsh, splu

from easydyn.errors import InputError, ModelError
from easydyn.flexible.matrices import Matrices
from easydyn.inputs import expect, listed, whole

NOTHING = 1e-10  # of the largest: what shapes have left of mass


class Shapes(NamedTuple):
    """Shapes of a body: columns of freedoms of the nodes, with the mass and the stiffness that they have."""

    V: np.ndarray  # (n freedoms, m)
    M: np.ndarray  # (m, m)
    K: np.ndarray  # (m, m)
    names: list[str]  # what the coordinates end in

    @property
    def frequencies(self) -> np.ndarray:
        """Angular frequencies (rad/s) of the body on a fixed frame."""
        if not len(self.names):
            return np.zeros(0)
        return np.asarray(np.sqrt(np.maximum(linalg.eigh(self.K, self.M, eigvals_only=True), 0)))


def shapes_of(given: Matrices, modes: Any, boundary: Any, clamped: Any, what: str) -> Shapes:
    """The requested shapes; errors for invalid nodes and numbers, and for parts without stiffness."""
    n, f = len(given.nodes), given.freedoms
    held = _nodes(clamped, n, f"the clamped nodes of {what}")
    kept = _nodes(boundary, n, f"the boundary nodes of {what}")
    if both := sorted(set(held) & set(kept)):
        raise InputError(f"node {both[0]} of {what} is clamped and a boundary node: expected one of the two.")
    freedom = np.setdiff1d(np.arange(n * f), _freedoms(held, f))
    for chosen, name in ((held, "clamped"), ([*held, *kept] if kept else [], "boundary")):
        if chosen and np.linalg.matrix_rank(given.rigid[_freedoms(chosen, f)]) < np.linalg.matrix_rank(given.rigid):
            raise InputError(
                f"the {name} nodes of {what} do not hold it: with 3 freedoms of each, expected three or more that are "
                "on no line. In a joint that turns take three about it, or the free body with its frame there."
            )
    if isinstance(modes, str) and modes == "nodes":
        return _nodal(given, held, freedom, what)
    expect(not isinstance(modes, str), f"the modes of {what}", modes, 'how many, or "nodes"', "are")
    count = whole(modes, f"the modes of {what}", least=0)
    b = _freedoms(kept, f)
    inner = np.setdiff1d(freedom, b)
    most = len(freedom) - (0 if held else 6)
    if count > len(inner) or count + len(b) > most + (0 if held else 6 * bool(kept)):
        raise InputError(f"{what} is to have {count} modes, and has {most} at most: expected fewer.")
    V = np.zeros((n * f, len(b) + count))
    if V.size and given.K.diagonal()[freedom].min() <= 0:
        raise loose(what)
    if kept:
        static, modal = _held_at(given, inner, b, count, what)
        V[b, : len(b)] = np.eye(len(b))
        V[np.ix_(inner, np.arange(len(b)))] = static
        V[np.ix_(inner, np.arange(len(b), len(b) + count))] = modal
    elif count:
        V[freedom] = lowest(*_part(given, freedom), count, None if held else given.rigid, what)
    return _combined(given, V, free=not held, what=what)


def _nodes(given: Any, n: int, what: str) -> list[int]:
    return sorted({whole(k, f"one of {what}", n - 1, least=0) for k in listed(given, what, "their numbers")})


def _freedoms(nodes: list[int], freedoms: int) -> np.ndarray:
    return (np.array(nodes, dtype=int)[:, None] * freedoms + np.arange(freedoms)).ravel()


def _part(given: Matrices, freedom: np.ndarray) -> tuple[Any, Any]:
    return given.M[freedom][:, freedom], given.K[freedom][:, freedom]


def _nodal(given: Matrices, held: list[int], freedom: np.ndarray, what: str) -> Shapes:
    """Every freedom of every node that is not clamped is a coordinate of its own."""
    if not held:
        raise InputError(
            f'{what} is to have the freedoms of its nodes as coordinates (modes="nodes"), which hold its rigid motions '
            "as well: clamp a node, clamped=[0], and its frame is that of this node."
        )
    V = np.zeros((given.M.shape[0], len(freedom)))
    V[freedom, range(len(freedom))] = 1
    letters = "xyzabc"[: given.freedoms]
    names = [f"{letters[j % given.freedoms]}{j // given.freedoms}" for j in freedom]
    return _stiff(Shapes(V, given.over(V, V), np.asarray(V.T @ (given.K @ V)), names), given, what)


def _held_at(given: Matrices, inner: np.ndarray, b: np.ndarray, count: int, what: str) -> tuple[np.ndarray, np.ndarray]:
    """Static shapes of the freedoms b, and modes of the inner ones with these held."""
    if not len(inner):
        return np.zeros((0, len(b))), np.zeros((0, 0))
    M, K = _part(given, inner)
    static = -_solver(K, what)(given.K[inner][:, b])
    return static, lowest(M, K, count, None, what) if count else np.zeros((len(inner), 0))


def _solver(K: Any, what: str) -> Callable[[Any], np.ndarray]:
    """X of K X = B, with K of what is held; B is sparse where K is."""
    try:
        if not isinstance(K, np.ndarray):
            factors = splu(K.tocsc())
            return lambda B: np.asarray(factors.solve(np.ascontiguousarray(B.toarray())))
        factors = linalg.cho_factor(K)
    except (np.linalg.LinAlgError, RuntimeError):  # the latter of the sparse one
        raise loose(what) from None
    return lambda B: np.asarray(linalg.cho_solve(factors, B))


def loose(what: str) -> ModelError:
    """The message if a motion has no stiffness although it is not rigid, or should be held."""
    return ModelError(
        f"K of {what} has a motion without stiffness beside its rigid ones, or is negative: a node that no element "
        "holds, a mechanism, freedoms without stiffness (rotations of solid elements: give 3 freedoms of each node)."
    )


def lowest(M: Any, K: Any, count: int, rigid: np.ndarray | None, what: str) -> np.ndarray:
    """The modes of the lowest frequencies, as columns in some order; for a free body without its `rigid` motions."""
    if not isinstance(K, np.ndarray):
        return _lowest_sparse(M, K, count, rigid)
    if rigid is not None:  # made stiff, beyond all others, so that they are not among the lowest
        MR, Q = M @ rigid, np.linalg.qr(rigid)[0]
        lost = Q @ (Q.T @ _without_mass(rigid, rigid.T @ MR))
        carried = MR @ np.linalg.pinv(rigid.T @ MR, hermitian=True) @ MR.T
        K = K + np.trace(K) * (1e3 / max(np.trace(M), 1e-300) * carried + lost @ lost.T)
    try:
        flexibility, found = linalg.eigh(M, K, subset_by_index=(len(K) - count, len(K) - 1))
    except np.linalg.LinAlgError:
        raise loose(what) from None
    if flexibility[0] <= 1e-14 * flexibility[-1]:
        raise InputError(f"{what} is to have {count} modes, not all of which have a mass: expected fewer.")
    return np.asarray(found)


def _without_mass(R: np.ndarray, J: np.ndarray) -> np.ndarray:
    """Rigid motions without inertia: the rotation of a line about itself."""
    values, vectors = np.linalg.eigh(J)
    none = vectors[:, values < 1e-12 * values[-1]]
    return np.asarray(R @ none / np.maximum(np.linalg.norm(R @ none, axis=0), 1e-300))


def _lowest_sparse(M: Any, K: Any, count: int, rigid: np.ndarray | None) -> np.ndarray:
    """The same by Lanczos' method, about a shift below zero."""
    held = np.zeros(K.shape[0])
    lost = np.zeros((len(held), 0)) if rigid is None else _without_mass(rigid, rigid.T @ (M @ rigid))
    held[np.abs(lost).argmax(axis=0)] = K.diagonal().max()  # a spring that no mode needs to deform
    more = 0 if rigid is None else 6 - lost.shape[1]
    shift = -float(K.diagonal().sum() / M.diagonal().sum()) * 1e-6
    start = np.random.default_rng(0).normal(size=len(held))  # the same modes each time
    values, found = eigsh((K + diags(held)).tocsc(), min(count + more, len(held) - 1), csc_array(M), shift, v0=start)
    return np.asarray((found - lost @ (lost.T @ found))[:, np.argsort(values)[more : more + count]])


def _combined(given: Matrices, V: np.ndarray, free: bool, what: str) -> Shapes:
    """The same shapes without what is rigid in them, combined so that M and K are diagonal, the softest first."""
    if not V.shape[1]:
        return Shapes(V, np.zeros((0, 0)), np.zeros((0, 0)), [])
    R = given.rigid
    if free:
        before = np.sqrt(np.diag(given.over(V, V)))
        V = V - R @ (np.linalg.pinv(given.over(R, R), hermitian=True) @ given.over(R, V))
        V = V / np.where(before > 0, before, 1)
    masses, directions = np.linalg.eigh(given.over(V, V))
    keep = masses > NOTHING * masses[-1]
    V = (V @ directions[:, keep]) / np.sqrt(masses[keep])
    if free:
        V = V - R @ (np.linalg.pinv(given.over(R, R), hermitian=True) @ given.over(R, V))
    stiffness = V.T @ (given.K @ V)
    V = V @ np.linalg.eigh((stiffness + stiffness.T) / 2)[1]
    places = V.reshape(len(given.nodes), given.freedoms, -1)
    largest = np.linalg.norm(places[:, :3], axis=1).max(axis=0)
    turned = np.linalg.norm(places[:, 3:], axis=1).max(axis=0) * float(np.ptp(given.nodes, axis=0).max())
    V = V / np.where(largest > 1e-3 * turned, largest, turned)  # a metre at the node that moves most
    peak = V[np.argmax(abs(V), axis=0), range(V.shape[1])]
    V = V * np.where(peak < 0, -1, 1)
    return _stiff(Shapes(V, np.diag(np.einsum("ij,ij->j", V, given.M @ V)),
                         np.diag(np.einsum("ij,ij->j", V, given.K @ V)),
                         [str(k + 1) for k in range(V.shape[1])]), given, what)  # fmt: skip


def _stiff(shapes: Shapes, given: Matrices, what: str) -> Shapes:
    """The shapes, if each has stiffness and mass."""
    if np.linalg.eigvalsh(shapes.M)[0] <= NOTHING * 1e-4 * abs(shapes.M).max():
        raise ModelError(
            f"M of {what} is negative, or gives no mass to some of its shapes: expected that every node which is a "
            "coordinate, or kept as boundary, has mass; with 6 freedoms moments of inertia as well."
        )
    own, V = np.diag(shapes.K), abs(shapes.V)
    squares, felt = own / np.diag(shapes.M), np.einsum("ij,ij->j", V, abs(given.K) @ V)
    # Terms of K that cancel leave rounding errors in proportion to their sizes, whatever the units of the freedoms.
    if (own <= 1e-15 * felt).any() or squares.min() < 1e-12 * squares.max() or (
        np.linalg.eigvalsh(shapes.K / np.sqrt(np.outer(own, own)))[0] <= 1e-15 * len(own)
    ):
        raise loose(what)
    return shapes
