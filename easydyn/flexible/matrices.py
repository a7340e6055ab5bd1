"""Matrices of a finite element program: read, converted to SI units, and checked before use.

Every node has 3 degrees of freedom (displacements along x, y, z) or 6 (followed by small rotations about x, y, z), one
node after the other. A free body has six rigid motions, the columns of `rigid`. For these K gives no force, and M gives
the mass, its first and its second moments.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np

from easydyn.errors import FileError, InputError, ModelError
from easydyn.files import path_to, unreadable
from easydyn.inputs import among, expect, finite_array

DENSE = 3000  # freedoms up to which sparse matrices are filled up: what follows is then exact, and quick enough
SYMMETRIC, RIGID, SAME = 1e-7, 1e-5, 1e-6  # relative: files have seven digits or so
UNITS = {"m": (1.0, 1.0), "mm": (1e-3, 1e3)}  # metre and kilogram by unit: with mm go tonnes, N, MPa


class Matrices(NamedTuple):
    """Nodes (n, 3) in m, and the matrices that belong to them, in SI units: arrays, or sparse matrices of SciPy."""

    nodes: np.ndarray
    M: Any
    K: Any
    freedoms: int  # of a node: 3 or 6
    rigid: np.ndarray  # (n freedoms, 6): translations along x, y, z, rotations about the axes through the origin

    def over(self, V: np.ndarray, W: np.ndarray) -> np.ndarray:
        """V' M W."""
        return np.asarray(V.T @ (self.M @ W))


def matrices_of(nodes: Any, M: Any, K: Any, unit: Any, what: str) -> Matrices:
    """The data given for a flexible body, in SI units; errors name data that do not fit."""
    expect(among(unit, UNITS), f"the unit of {what}", unit, '"m" (with kg, N), or "mm" (with tonnes, N)')
    if nodes is None or M is None or K is None:
        missing = ", ".join(name for name, x in (("nodes", nodes), ("M", M), ("K", K)) if x is None)
        raise InputError(f"{what} has no {missing}: expected nodes=, M= and K= of a finite element program.")
    metre, kilogram = UNITS[unit]
    points = finite_array(read(nodes, "nodes", what), f"the nodes of {what}") * metre
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2:
        raise InputError(f"the nodes of {what} have shape {points.shape}: expected (n, 3), the place of each (m).")
    mass, stiffness = (square(read(A, name, what), f"{name} of {what}") for A, name in ((M, "M"), (K, "K")))
    n, size = len(points), mass.shape[0]
    if size != stiffness.shape[0]:
        raise InputError(
            f"M of {what} is {size} x {size} and K is {stiffness.shape[0]} x {stiffness.shape[0]}: expected the same "
            "size, of the same freedoms in the same order."
        )
    if size not in (3 * n, 6 * n):
        raise InputError(
            f"M of {what} is {size} x {size}, and there are {n} nodes: expected {3 * n} (3 freedoms of each node: x, "
            f"y, z) or {6 * n} (6: x, y, z and rotations about them), one node after the other. Supports are not taken "
            "out: clamped=[...] holds nodes."
        )
    freedoms = size // n
    each = np.tile(np.repeat([1 / metre, 1.0], 3)[:freedoms], n)  # their unit of each freedom in m, or rad
    joule = kilogram * metre**2  # of their unit of energy: u M u and u K u are energies
    mass, stiffness = (_scaled(A, joule * each, each) for A in (mass, stiffness))
    return _looked_at(Matrices(points, mass, stiffness, freedoms, rigid_motions(points, freedoms)), what)


def _scaled(A: Any, left: np.ndarray, right: np.ndarray) -> Any:
    return A * left[:, None] * right if isinstance(A, np.ndarray) else A.multiply(left[:, None]).multiply(right).tocsr()


def rigid_motions(nodes: np.ndarray, freedoms: int) -> np.ndarray:
    """Six columns: displacements of all nodes as the body moves along x, y, z and turns about them."""
    R = np.zeros((len(nodes), freedoms, 6))
    R[:, :3, :3] = np.eye(3)
    for axis in range(3):
        R[:, :3, 3 + axis] = np.cross(np.eye(3)[axis], nodes)
        if freedoms == 6:
            R[:, 3 + axis, 3 + axis] = 1.0
    return R.reshape(-1, 6)


# -- what is wrong ----------------------------------------------------------------------------------------------------


def _looked_at(given: Matrices, what: str) -> Matrices:
    """The matrices, made symmetric to the last digit; ModelError for those of no body that is free."""
    found = []
    for A, name in ((given.M, "M"), (given.K, "K")):
        off = abs(A - A.T)
        largest = float(abs(A).max())
        if off.max() > SYMMETRIC * largest:
            i, j = np.unravel_index(int(off.argmax()), off.shape)
            raise ModelError(
                f"{name} of {what} is not symmetric: element ({i + 1},{j + 1}) is {A[i, j]:g}, ({j + 1},{i + 1}) is "
                f"{A[j, i]:g}. Of a file that holds one half, give A + A.T - diag(A)."
            )
        least = int(np.argmin(A.diagonal()))
        if A.diagonal()[least] < -SYMMETRIC * largest or largest == 0:
            raise ModelError(
                f"{name} of {what} is negative: element ({least + 1},{least + 1}) is {A.diagonal()[least]:g}. Expected "
                "a matrix with which every motion has an energy of zero or more."
            )
        found.append((A + A.T) / 2)
    given = given._replace(M=found[0], K=found[1])
    _rigid(given, what)
    _of_one_mass(given, what)
    return given


_MOTIONS = ("displaced along x", "displaced along y", "displaced along z", "turned about x", "turned about y",
            "turned about z")  # fmt: skip


def _rigid(given: Matrices, what: str) -> None:
    """K answers with no force to a rigid motion of a body that nothing holds."""
    R, largest = given.rigid, float(abs(given.K).max())
    forces = abs(np.asarray(given.K @ R)).max(axis=0) / (largest * np.maximum(abs(R).max(axis=0), 1e-300))
    if forces.max() > RIGID:
        worst = int(np.argmax(forces))
        raise ModelError(
            f"K of {what} has no rigid motions: {_MOTIONS[worst]} as a whole it answers with forces of "
            f"{forces[worst]:.2g} of its largest element, expected none. It is that of the free body, without "
            "supports, its freedoms in the order of the nodes, which are in the same unit of length."
        )


def _of_one_mass(given: Matrices, what: str) -> None:
    """M has the same mass along x, y and z, and the moments of a body."""
    J = given.over(given.rigid, given.rigid)
    masses, first = np.diag(J)[:3], J[:3, 3:]
    mass = float(masses.mean())
    if not mass > 0 or np.ptp(masses) > SAME * mass or abs(J[:3, :3] - np.diag(masses)).max() > SAME * mass:
        said = " and ".join(f"{m:.6g}" for m in masses)
        raise ModelError(
            f"the mass of {what} disagrees: M gives {said} kg along x, y and z. Expected the same: nodes with mass in "
            "some directions alone, or freedoms in another order, are no body that moves in space."
        )
    size = float(abs(given.nodes).max())
    if abs(first + first.T).max() > SAME * mass * size:
        raise ModelError(
            f"the mass of {what} disagrees with its nodes: M gives no single centre of mass. Expected nodes in the "
            "order of the freedoms and in the unit of length of the matrices."
        )


# -- files ------------------------------------------------------------------------------------------------------------


def read(given: Any, name: str, what: str) -> Any:
    """The given matrix; or, if a path is given, the contents of the file: .mtx (Matrix Market), .npz, .npy."""
    if not isinstance(given, str | os.PathLike):
        return given
    from scipy.io import mmread
    from scipy.sparse import load_npz

    path = path_to(given, '"frame.mtx"', (".mtx", ".npz", ".npy"))
    try:
        with open(path, "rb") as file:
            if path.suffix.lower() == ".mtx":
                return _filled(mmread(file))
            found = np.load(file, allow_pickle=False)
            arrays = {name: found} if isinstance(found, np.ndarray) else dict(found)
        if name in arrays or len(arrays) == 1:
            return arrays.get(name, next(iter(arrays.values())))
        if "format" in arrays:  # of a sparse matrix, as SciPy writes it
            return _filled(load_npz(path))
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"cannot read '{path}' for {name} of {what}: {unreadable(error)}.") from None
    except Exception as error:  # of NumPy, of SciPy, of zipfile: what a file may hold has no end
        reason = "it holds Python objects, which are not read" if "pickle" in str(error) else str(error).rstrip(".")
        raise FileError(
            f"cannot read '{path}' for {name} of {what}: {reason}. Expected numbers: numpy.savez(path, nodes=..., "
            "M=..., K=...), scipy.sparse.save_npz, or scipy.io.mmwrite."
        ) from None
    raise FileError(f"'{path}' has no {name}: it has {', '.join(arrays)}. Expected nodes, M and K by these names.")


def _filled(A: Any) -> Any:
    """A sparse matrix as an array, unless it is large; an array as it is."""
    return A if isinstance(A, np.ndarray) else A.toarray() if max(A.shape) <= DENSE else A.tocsr()


def square(given: Any, what: str) -> Any:
    """A square matrix of finite numbers, as an array; a large sparse one stays sparse."""
    A = _filled(given) if callable(getattr(given, "tocsr", None)) else given
    if isinstance(A, np.ndarray) or not hasattr(A, "tocsr"):
        A = finite_array(A, what)
    elif not np.isfinite(A.data).all() or A.dtype.kind not in "fiu":
        raise InputError(f"{what} has elements that are not finite: expected finite numbers.")
    expect(A.ndim == 2 and A.shape[0] == A.shape[1], what, A.shape, "a square matrix, or a path to one", "has shape")
    return A
