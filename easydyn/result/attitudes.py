"""Attitudes of bodies and of renewed joints along a run; a renewal of the reference leaves no jump in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.mechanics.attitude import angles_of, matrix_of, quaternions, rates_of, seen_from, spin_of
from easydyn.vec import Rotation, Vector
from easydyn.vec.tensors import axes_of

if TYPE_CHECKING:
    from easydyn.result.trajectory import Trajectory

REFERENCE = ".reference"
NOISE = 1e-12  # of the largest value of the same unit, or of 1 rad
COMPONENTS = ("e0", "e1", "e2", "e3")  # of a quaternion, scalar first


def renewed_of(run: Trajectory) -> list[tuple[str, int, list[int]]]:
    """For every renewed attitude: its name, the column of its held value, and the columns of its three angles."""
    found = []
    for k, name in enumerate(run.held_names):
        angles = [f"{name.removesuffix(REFERENCE)}_{x}" for x in "abc"]
        if name.endswith(REFERENCE) and all(x in run.names for x in angles) and len(run.held):
            found.append((name.removesuffix(REFERENCE), k, [run.names.index(x) for x in angles]))
    return found


def shown(run: Trajectory) -> list[str]:
    """The names that are plotted by default: unknowns that move, with quaternions in place of renewed angles."""
    renewed = renewed_of(run)
    leaping = {j for _, _, places in renewed for j in places}
    names = [name for j, name in enumerate(run.names) if j not in leaping]
    names += [f"{name}.{e}" for name, _, _ in renewed for e in COMPONENTS]
    found = [(name, run.unit(name), float(np.abs(run[name]).max(initial=0.0))) for name in names]
    most = {u: max([float(u == "rad"), *(x for _, v, x in found if v == u)]) for u in {u for _, u, _ in found}}
    return [name for name, u, x in found if not x <= NOISE * most[u]] or names


def ends(run: Trajectory, k: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """q, qd, qdd at both ends of the intervals that begin with the rows k, with the held values of the later ends.

    An angle that differs by a full turn is brought near to the value that the rates predict.
    """
    pairs = tuple((array[k], array[k + 1]) for array in (run.q, run.qd, run.qdd))
    h = (run.t[k + 1] - run.t[k])[:, None]
    for _, column, places in renewed_of(run):
        before, after = run.held[k, column], run.held[k + 1, column]
        changed = np.flatnonzero(before != after)
        if not len(changed):
            continue
        rows = np.ix_(changed, np.array(places))
        with np.errstate(all="ignore"):
            moved = seen_from(before[changed], after[changed], *(first[rows] for first, _ in pairs))
        for (first, _), values in zip(pairs, moved, strict=True):
            first[rows] = values
        (q0, q1), (v0, v1), _ = ((first[rows], last[rows]) for first, last in pairs)
        turns = (q1 - q0 - h[changed] * (v0 + v1) / 2) / (2 * np.pi)
        pairs[0][0][rows] = q0 + 2 * np.pi * np.round(np.nan_to_num(turns))
    return pairs


def at_start(
    run: Trajectory, q: np.ndarray, qd: np.ndarray, held: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The rows q, qd, each with its `held` values, converted to the values held at the start of their model.

    Rates of attitudes that are singular with that are not finite, or large.
    """
    starts = getattr(getattr(run.source, "mechanism", None), "references", {})
    for name, column, places in renewed_of(run):
        start = np.full(len(q), starts.get(f"{name}{REFERENCE}", run.held[0, column]))
        changed = np.flatnonzero(held[:, column] != start)
        if len(changed):
            rows = np.ix_(changed, np.array(places))
            angles = angles_of(start[changed], matrix_of(held[changed, column], q[rows]))
            with np.errstate(all="ignore"):
                rates = rates_of(angles, spin_of(q[rows], qd[rows]))
            q, qd = q.copy(), qd.copy()
            q[rows], qd[rows] = angles, rates
    return q, qd


def alike(run: Trajectory, other: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of another run of the same length and nearly the same motion, with the held values of this run."""
    found = tuple(array.copy() for array in (other.q, other.qd, other.qdd))
    for _, column, places in renewed_of(run):
        moved = seen_from(other.held[:, column], run.held[:, column], *(x[:, places] for x in found))
        for array, values in zip(found, moved, strict=True):
            array[:, places] = values
        found[0][:, places] += 2 * np.pi * np.round((run.q[:, places] - found[0][:, places]) / (2 * np.pi))
    return found[0], found[1], found[2]


def rotations(run: Trajectory, name: Any) -> np.ndarray:
    """Rotation matrices (N, 3, 3) along a run of a body, or of a joint whose reference is renewed."""
    key = str(getattr(name, "name", name))
    attitudes = getattr(getattr(run.source, "mechanism", None), "attitudes", ())
    bodies = [body.name for body in getattr(getattr(run.source, "mechanism", None), "bodies", ())]
    own = {x.name: str(x.reference).removesuffix(REFERENCE) for x in attitudes}
    for prefix, column, places in renewed_of(run):
        if key not in bodies and key in (prefix, *(n for n, p in own.items() if p == prefix)):
            return matrix_of(run.held[:, column], run.q[:, places])
    return run.frames(name)[:, :3, :3]


def component(run: Trajectory, name: str, which: str) -> np.ndarray:
    """One component (N,) of the quaternion of an attitude whose reference is renewed, as a column of a run."""
    (_, column, places), = (x for x in renewed_of(run) if x[0] == name)
    return _upwards(quaternions(matrix_of(run.held[:, column], run.q[:, places])))[:, COMPONENTS.index(which)]


def _upwards(e: np.ndarray) -> np.ndarray:
    """The same rotations by quaternions of which the first has no negative scalar."""
    return -e if len(e) and e[0, 0] < 0 else e


def quaternion(run: Trajectory, name: Any) -> np.ndarray:
    """Unit quaternions (N, 4), documented at `Trajectory.quaternion`."""
    return _upwards(quaternions(rotations(run, name)))


def rotation_vector(run: Trajectory, name: Any) -> np.ndarray:
    """Rotation vectors (N, 3) in rad, documented at `Trajectory.rotation_vector`."""
    return np.stack(_tensor(rotations(run, name)).rotation_vector(), -1)


def _tensor(R: np.ndarray) -> Rotation:
    """Matrices (N, 3, 3) as one tensor of arrays (N,)."""
    return Rotation(*(Vector(*(R[:, i, j] for i in range(3))) for j in range(3)))


def angles(run: Trajectory, name: Any, order: str) -> np.ndarray:
    """Angles (N, 3) in rad, documented at `Trajectory.angles`."""
    axes_of(order)
    return np.unwrap(np.stack(_tensor(rotations(run, name)).angles(order), -1), axis=0)
