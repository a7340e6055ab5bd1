"""Positions of the frames of a scene: as a straight-line program, in numbers, along a run.

The program is one of the engine: NumPy evaluates it here, and the page that `model.explore()` makes evaluates it in the
browser. Its outputs are the rows of R and e for each frame but the ground, and then the vectors of the arrows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.engine.program import Program
from easydyn.errors import InputError
from easydyn.mechanics.attitude import quaternions as quaternions
from easydyn.result.attitudes import at_start
from easydyn.vec import Transform
from easydyn.visu.shapes import number
from easydyn.visu.solids import FARTHEST
from easydyn.visu.surfaces import limits_of


def frame_nodes(system: Any, transforms: Sequence[Transform]) -> list[Any]:
    """Nodes of the first three rows of the matrices, twelve for each transform."""
    parts = ((T.R, T.e) for T in (given.map(system.node) for given in transforms))
    return [system.node(x) for R, e in parts for i in range(3) for x in (*(R[i, j] for j in range(3)), e[i])]


def arrow_ends(scene: Any) -> list[Any]:
    """The ends that have a vector: tips of arrows, and signals of surfaces."""
    return [end for part in scene.parts for end in part.ends if end.vector is not None]


def completed(scene: Any, tips: np.ndarray) -> np.ndarray:
    """Vectors of all arrows and signals, (N, m, 3): `tips` of those that are formulas, others as they were given."""
    ends = arrow_ends(scene)
    found = np.empty((len(tips), len(ends), 3))
    found[:, [k for k, end in enumerate(ends) if is_formula(end)]] = tips
    for k, end in enumerate(ends):
        if not is_formula(end):
            found[:, k] = end.vector
    return found


def is_formula(end: Any) -> bool:
    """True if the vector of an end is three formulas, and not numbers at the instants of the pictures."""
    return not isinstance(end.vector, np.ndarray)


def program(scene: Any) -> Program:
    """The program of all frames but the ground, and of the vectors of arrows."""
    nodes = frame_nodes(scene.system, [frame.T for frame in scene.frames[1:]])
    for end in filter(is_formula, arrow_ends(scene)):
        nodes += [scene.system.node(c) for c in end.vector]
    return Program("scene", nodes)


def evaluated(system: Any, nodes: Sequence[Any], t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """The nodes at N instants, (N, number of nodes); NaN if a value is undefined."""
    found, apart = np.empty((len(t), len(nodes))), system.copy()  # a scene that cannot be drawn stays as it was
    for j, column in enumerate(apart.one(tuple(nodes), t, q, qd, np.zeros_like(q), target="numpy")):
        found[:, j] = column
    if (np.abs(found) > FARTHEST).any():
        raise InputError(
            f"a place or a size in the picture is {np.nanmax(np.abs(found)):.3g}: expected at most {FARTHEST:g}. Look "
            "at the run, which has run away, and at its units."
        )
    return found


def frames_at(
    system: Any, transforms: Sequence[Transform], t: np.ndarray, q: np.ndarray, qd: np.ndarray
) -> np.ndarray:  # fmt: skip
    """Matrices (N, number of transforms, 4, 4) at N instants, from coordinates and from states, which stand in qd."""
    return _matrices(evaluated(system, frame_nodes(system, transforms), t, q, qd))


def _matrices(rows: np.ndarray) -> np.ndarray:
    """Matrices (N, k, 4, 4) of their first three rows, (N, 12 k)."""
    found = np.zeros((len(rows), rows.shape[1] // 12, 4, 4))
    found[..., 3, 3], found[..., :3, :] = 1.0, rows.reshape(len(rows), -1, 3, 4)
    return found


def frames_and_tips(scene: Any, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Matrices (N, frames but the ground, 4, 4) and vectors of arrows (N, m, 3)."""
    rows, k = evaluated(scene.system, program(scene).outputs, t, q, qd), 12 * (len(scene.frames) - 1)
    return _matrices(rows[:, :k]), rows[:, k:].reshape(len(t), -1, 3)


def at_rest(scene: Any) -> tuple[np.ndarray, np.ndarray]:
    """Frames and tips of the picture at rest, as one instant."""
    q, qd = scene.initial
    return frames_and_tips(scene, np.zeros(1), q[None], qd[None])


def states_at(run: Any, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q and qd (N, n) at any times; outside of a run, those of its first or last instant.

    Attitudes that are renewed during the run are converted to the reference of the start.
    """
    found = run.at(np.clip(times, run.t[0], run.t[-1]))
    return at_start(run, found.q, found.qd, found.held)


def between(scene: Any, frames: np.ndarray, tips: np.ndarray) -> dict[int, np.ndarray]:
    """Matrices (N, 4, 4) of parts that are stretched between two ends, by their indices among the parts of a scene.

    They take the z axis of the part, from 0 to 1, to the line between its ends, and do not turn about it: the third
    column is as long as the line, the others have length 1, or less where an arrow is short. Where a line has no length
    its last direction is kept.

    Parameters
    ----------
    frames : array (N, k, 4, 4)
        Of the scene's frames but the ground.
    tips : array (N, m, 3)
        Vectors of arrows.
    """
    found = lines(scene, frames, tips).items()
    return {k: _stretched(start, line, scene.parts[k].full) for k, (start, line) in found}


def placed(scene: Any, frames: np.ndarray, tips: np.ndarray) -> list[np.ndarray]:
    """The matrices (N, 4, 4) of all parts of a scene: those of their frames, but of parts `between` two ends."""
    where, stretched = located(scene, frames), between(scene, frames, tips)
    return [stretched.get(k, where[part.body]) for k, part in enumerate(scene.parts)]


def lines(scene: Any, frames: np.ndarray, tips: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """The lines between the two ends of parts: their starts and the vectors to the other ends, (N, 3) each.

    They are listed by the indices of the parts in a scene; `frames` (N, k, 4, 4) and `tips` (N, m, 3) as in `between`.
    """
    where = located(scene, frames)
    vectors = dict(zip(map(id, arrow_ends(scene)), np.moveaxis(tips, 1, 0), strict=True))

    def place(end: Any) -> np.ndarray:
        T = where[end.frame]
        point = T[:, :3, :3] @ end.point + T[:, :3, 3]
        if end.vector is None:
            return point
        return point + end.scale * np.einsum("nij,nj->ni", where[end.axes][:, :3, :3], vectors[id(end)])

    found = {}
    for k, part in enumerate(scene.parts):
        if part.kind == "between":
            start, stop = (place(end) for end in part.ends)
            found[k] = start, stop - start
    return found


def located(scene: Any, frames: np.ndarray) -> dict[str, np.ndarray]:
    """Matrices (N, 4, 4) of all frames by their names, the ground among them; `frames` (N, k, 4, 4) are the others."""
    ground = np.broadcast_to(np.eye(4), (len(frames), 4, 4))
    return dict(zip((frame.name for frame in scene.frames), (ground, *np.moveaxis(frames, 1, 0)), strict=True))


def surfaces(
    scene: Any, frames: np.ndarray, tips: np.ndarray
) -> dict[int, tuple[np.ndarray, np.ndarray | None]]:  # fmt: skip
    """Nodes (N, n, 3) of surfaces in the axes of the ground (m), and their values (N, n), by indices of the parts.

    `frames` (N, k, 4, 4) and `tips` (N, m, 3) as in `between`.
    """
    at = {id(end): k for k, end in enumerate(arrow_ends(scene))}
    found = {}
    for k, part in enumerate(scene.parts):
        if part.net is not None:
            signals = tips[:, [at[id(end)] for end in part.ends]].reshape(len(tips), 3 * len(part.ends))
            if part.net.frames:
                found[k] = part.net.nodes(_between_frames(scene, part.net, frames, signals))
                continue
            nodes, values = part.net.nodes(signals)
            place = scene.index(part.body)
            if place:
                T = frames[:, place - 1]
                nodes = np.einsum("nij,npj->npi", T[:, :3, :3], nodes) + T[:, None, :3, 3]
            found[k] = nodes, values
    return found


def _between_frames(scene: Any, net: Any, frames: np.ndarray, signals: np.ndarray) -> np.ndarray:
    """What the nodes of a net between frames follow from: the rows of both frames, and its signals, by its pieces."""
    N, p = len(frames), len(net.frames)
    every = np.concatenate([np.broadcast_to(np.eye(4), (N, 1, 4, 4)), frames], axis=1)
    pairs = np.array([[scene.index(name) for name in pair] for pair in net.frames])
    rows = every[:, pairs][..., :3, :].reshape(N, p, 24)
    return np.concatenate([rows, signals.reshape(N, p, -1)], axis=2)


SAMPLES = 200  # instants of a run that the ends of a scale are taken from


def samples(count: int) -> np.ndarray:
    """Indices of a sample of a number of instants."""
    return np.unique(np.linspace(0, count - 1, min(SAMPLES, count)).astype(int))


def set_scales(scene: Any, frames: np.ndarray, tips: np.ndarray) -> None:
    """Give scales of surfaces without limits those of the shown values; scales of one name share them."""
    some = samples(len(frames))
    open_scales: dict[Any, list[tuple[int, np.ndarray]]] = {}
    for k, (_, values) in surfaces(scene, frames[some], tips[some]).items():
        scale = scene.parts[k].net.scale
        if scale is not None and scale.limits is None and values is not None:
            open_scales.setdefault(scale, []).append((k, values.ravel()))
    for scale, found in open_scales.items():
        limits = limits_of(scale, np.concatenate([values for _, values in found]))
        if scale.zero is not None:
            most = max(map(abs, limits))
            limits = -most if scale.zero else 0.0, most
        for k, _ in found:
            part = scene.parts[k]
            scene.parts[k] = replace(part, net=replace(part.net, scale=replace(scale, limits=limits)))


def _stretched(start: np.ndarray, line: np.ndarray, full: float) -> np.ndarray:
    lengths = np.hypot.reduce(line, axis=1)  # of all that numbers can be
    x, z = np.array([1.0, 0.0, 0.0]), next((v / d for v, d in zip(line, lengths, strict=True) if d), np.eye(3)[2])
    T = np.zeros((len(line), 4, 4))
    T[:, 3, 3], T[:, :3, 3] = 1.0, start
    for k, length in enumerate(lengths):
        z = line[k] / length if length else z
        across = x - (x @ z) * z  # x is carried along as it was
        if across @ across < 1e-6:
            other = np.eye(3)[np.argmin(np.abs(z))]
            across = other - (other @ z) * z
        x = across / np.linalg.norm(across)
        wide = max(min(1.0, length / full), 1e-9) if full > 0 else 1.0  # all of it from the length `full` on
        T[k, :3, 0], T[k, :3, 1], T[k, :3, 2] = wide * x, wide * np.cross(z, x), z * length
    return T


def rates(scene: Any, t: np.ndarray, q: np.ndarray, qd: np.ndarray, step: float = 1e-6) -> np.ndarray:
    """Speeds of the centres of mass (m/s) and of turning (rad/s) of bodies at instants t (N,): an array (N, bodies, 2).

    They are differences of frames along the rates of the state, not between pictures.
    """
    bodies = scene.system.mechanism.bodies
    own = [body.T for body in bodies]
    before, now, after = (frames_at(scene.system, own, t + h, q + h * qd, qd) for h in (-step, 0, step))
    change = (after - before) / (2 * step)
    com = np.array([[number(c, scene.values) for c in b.com] for b in bodies]).reshape(len(bodies), 3)
    moved = np.einsum("nkij,kj->nki", change[..., :3, :3], com) + change[..., :3, 3]
    turned = change[..., :3, :3] @ np.swapaxes(now[..., :3, :3], -1, -2)  # the skew tensor of omega
    return np.stack([np.linalg.norm(moved, axis=-1), np.linalg.norm(turned, axis=(-2, -1)) / np.sqrt(2)], axis=-1)
