"""Attitudes of bodies and of renewed joints along a run; a renewal of the reference leaves no jump in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.mechanics.attitude import matrix_of, quaternions, seen_from
from easydyn.vec import Rotation, Vector
from easydyn.vec.tensors import axes_of

if TYPE_CHECKING:
    from easydyn.result.trajectory import Trajectory

REFERENCE = ".reference"
NOISE = 1e-12  # of the largest value of the same unit, or of 1 rad
TURN = 0.5  # rad: by which a body turns at most between two looks at angles that are followed
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


def convert(run: Trajectory, x: Sequence[np.ndarray], held: np.ndarray, other: np.ndarray, near: Any = None) -> None:
    """Convert rows q, qd, qdd (N, n), in place, each with its `held` values, to those seen with `other` held values.

    Angles that differ by full turns from what `near` predicts, a function of the rows, are brought near to that.
    """
    for _, column, places in renewed_of(run):
        changed = np.flatnonzero(held[:, column] != other[:, column])
        rows = np.ix_(changed, np.array(places))
        with np.errstate(all="ignore"):
            moved = seen_from(held[changed, column], other[changed, column], *(y[rows] for y in x))
        for y, values in zip(x, moved, strict=True):
            y[rows] = values
        if near is not None:
            x[0][rows] += _turns(near(*x)[rows] - x[0][rows])


def _turns(angles: np.ndarray) -> np.ndarray:
    """The nearest full turns (rad)."""
    return np.asarray(2 * np.pi * np.round(np.nan_to_num(angles / (2 * np.pi))))


def ends(run: Trajectory, k: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """q, qd, qdd at both ends of the intervals that begin with the rows k, with the held values of the later ends.

    An angle that differs by a full turn is brought near to the value that the rates predict.
    """
    pairs = tuple((array[k], array[k + 1]) for array in (run.q, run.qd, run.qdd))
    (_, q), (_, qd), _ = pairs
    h = (run.t[k + 1] - run.t[k])[:, None]
    if len(run.held):
        firsts = [first for first, _ in pairs]
        convert(run, firsts, run.held[k], run.held[k + 1], lambda q0, qd0, _: q - h * (qd0 + qd) / 2)
    return pairs


def at_start(run: Trajectory, q: np.ndarray, qd: np.ndarray, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows q, qd, each with its `held` values, converted to the values held at the start of their model.

    Rates of attitudes that are singular with that are not finite, or large.
    """
    starts, start = getattr(getattr(run.source, "mechanism", None), "references", {}), held.copy()
    for name, column, _ in renewed_of(run):
        start[:, column] = starts.get(f"{name}{REFERENCE}", run.held[0, column])
    q, qd = q.copy(), qd.copy()
    convert(run, (q, qd, np.zeros(q.shape)), held, start)
    return q, qd


def alike(run: Trajectory, other: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, qd, qdd of another run of the same length and nearly the same motion, with the held values of this run."""
    found = other.q.copy(), other.qd.copy(), other.qdd.copy()
    convert(run, found, other.held, run.held)
    for _, _, places in renewed_of(run):
        found[0][:, places] += _turns(run.q[:, places] - found[0][:, places])
    return found


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
    """Unit quaternions (N, 4), scalar first, of a body along the run, each near the one before it.

    Parameters
    ----------
    name : str or Body
        A body, for its attitude relative to the ground; or the name of a spherical joint, for the attitude of the
        frame after the joint relative to the frame before it.

    Returns
    -------
    array (N, 4)
        The quaternions; the scalar of the first one is not negative.

    Raises
    ------
    UnknownNameError
        There is no such body, and no such joint.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("top")
    >>> top = model.free_body("top", mass=1, inertia=(1, 1, 2), angular_velocity=(0, 0, 3.14159265358979))
    >>> run = model.simulate(1, method="dop853")
    >>> abs(run.quaternion("top")[-1]).round(6)  # half a turn about z
    array([0., 0., 0., 1.])
    """
    return _upwards(quaternions(rotations(run, name)))


def rotation_vector(run: Trajectory, name: Any) -> np.ndarray:
    """Axis times angle (rad) of the rotation of a body along the run: (N, 3), at most pi long.

    Parameters
    ----------
    name : str or Body
        As of `quaternion`.

    Returns
    -------
    array (N, 3)
        Components in the ground's axes, or for a joint in the axes before it (equal to those in the axes after it).
        The vector reverses its direction where the angle passes through pi.

    Raises
    ------
    UnknownNameError
        There is no such body, and no such joint.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("top")
    >>> top = model.free_body("top", mass=1, inertia=(1, 1, 2), angular_velocity=(0, 0, 0.5))
    >>> run = model.simulate(1, method="dop853")
    >>> abs(run.rotation_vector(top)[-1]).round(6)
    array([0. , 0. , 0.5])
    """
    return np.stack(_tensor(rotations(run, name)).rotation_vector(), -1)


def _tensor(R: np.ndarray) -> Rotation:
    """Matrices (N, 3, 3) as one tensor of arrays (N,)."""
    return Rotation(*(Vector(*(R[:, i, j] for i in range(3))) for j in range(3)))


def angles(run: Trajectory, name: Any, order: str) -> np.ndarray:
    """Three angles (rad) of the rotation of a body along the run, R = R_i(a) R_j(b) R_k(c): (N, 3), without jumps.

    Parameters
    ----------
    name : str or Body
        As of `quaternion`.
    order : str
        The axes "ijk": "zyx", "zxz", ..., as of `rotation_sequence`.

    Returns
    -------
    array (N, 3)
        Angles go on beyond a full turn, also where a body turns by more than that between two instants. Where the
        sequence is singular, the last angle is zero.

    Raises
    ------
    InputError, UnknownNameError
        The order is not valid; there is no such body, and no such joint.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("top")
    >>> top = model.free_body("top", mass=1, inertia=(1, 1, 2), angular_velocity=(0, 0, 10))
    >>> run = model.simulate(1, method="dop853")
    >>> run.angles(top, "xyz")[-1, 2].round(6)
    np.float64(10.0)
    """
    axes_of(order)
    dense, own = _followed(run)
    return np.unwrap(np.stack(_tensor(rotations(dense, name)).angles(order), -1), axis=0)[own]


def _followed(run: Trajectory) -> tuple[Trajectory, Any]:
    """A run with instants between its own, from one to the next of which no body turns far, and which are its own."""
    if len(run) < 2 or not getattr(getattr(run.source, "mechanism", None), "bodies", ()):
        return run, slice(None)
    t = run.t if run.seams is None else np.union1d(run.t, run.seams[0].t)
    looks = run.at(np.union1d(t, (t[1:] + t[:-1]) / 2))
    speeds = np.linalg.norm(run.source.motions(looks.t, looks.q, looks.qd)[:, :, 2], axis=2).max(axis=1)
    parts = np.ceil(np.diff(looks.t) * np.maximum(speeds[1:], speeds[:-1]) / TURN).clip(1)
    times = np.interp(np.arange(parts.sum() + 1), np.append(0, np.cumsum(parts)), looks.t)
    return run.at(times), np.searchsorted(times, run.t)
