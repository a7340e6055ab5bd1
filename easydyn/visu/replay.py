"""Drawings in the player, which moves rigid frames.

A drawing has only nodes; nodes that edges and surfaces connect form a group. If a group keeps its distances, it moves
as one frame (by the rotation that fits best, Kabsch 1976). Other groups, such as springs, are shown by their edges, and
each of their nodes is a frame.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import finite
from easydyn.vec import Transform, vector
from easydyn.visu import looks
from easydyn.visu.animation import Animation, played
from easydyn.visu.drawing import Drawing, colour_of, picked
from easydyn.visu.scene import End, Frame, Part, Scene
from easydyn.visu.solids import solid, unit

PHASES = 48  # of a period, as it is played
SECONDS = 2.0  # that a period takes in the player
_LINE = solid([(0, 0, 0), (0, 0, 1)], [(0, 1)])


def replayed(drawing: Drawing, every: float, up: Any = None) -> Animation:
    """The frames of a drawing as an animation."""
    return _played(drawing, drawing.frames, every, up, drawing.frames, 1e-4)


def replayed_mode(drawing: Drawing, mode: int, amplitude: Any, up: Any = None) -> Animation:
    """A period of a mode. A group that is rigid in small motions moves as a rigid body also in large ones."""
    frames = drawing.mode_frames(mode, amplitude, PHASES)
    little = drawing.nodes + 1e-3 * (drawing.mode_frames(mode, None, 8) - drawing.nodes)
    return _played(drawing, np.concatenate([frames, frames[:1]]), SECONDS / PHASES, up, little, 2e-6)


def _played(
    drawing: Drawing, frames: np.ndarray, every: float, up: Any, judged: np.ndarray, tolerance: float
) -> Animation:
    """`tolerance` is the share of the size by which a part may differ from a rigid one in the frames `judged`."""
    if not len(drawing.nodes):
        raise InputError(f"the drawing '{drawing.title}' has no nodes: there is nothing to be shown.")
    if not len(frames):
        frames = judged = drawing.nodes[None]
    points = np.concatenate([drawing.nodes, frames.reshape(-1, 3)])
    z, size = np.array([0.0, 0.0, 1.0]), drawing.size or 1.0
    flat = np.ptp(points, axis=0)[2] < 0.3 * size
    high = _upwards(up) if up is not None else np.array([0.0, 1.0, 0.0]) if flat else z
    high, towards = looks.view(z if flat else None, -high)
    scene = Scene(drawing.title, None, looks.framed(points, high, towards, 0.08 * size, None), size)
    motions: list[np.ndarray] = []

    def frame(name: str, T: np.ndarray) -> str:
        scene.frames.append(Frame(name, Transform()))
        motions.append(T)
        return name

    for number, nodes in enumerate(_components(drawing), 1):
        own = set(nodes)
        edges = [k for k, edge in enumerate(drawing.edges) if int(edge[0]) in own]
        surfaces = [k for k, surface in enumerate(drawing.surfaces) if surface[0] in own]
        _, error = _rigid(drawing.nodes[nodes], judged[:, nodes])
        if np.abs(frames[:, nodes] - drawing.nodes[nodes]).max() <= 1e-9 * size:
            _whole(scene, drawing, "ground", edges, surfaces)
        elif error <= tolerance * size:
            T, _ = _rigid(drawing.nodes[nodes], frames[:, nodes])
            _whole(scene, drawing, frame(f"part {number}", T), edges, surfaces)
        else:
            _wires(scene, drawing, number, edges, surfaces, frames, frame)
    T = np.stack(motions, axis=1) if motions else np.zeros((len(frames), 0, 4, 4))
    found: Animation = played(scene, every * np.arange(len(frames)), T, np.zeros((len(frames), 0, 3)), [], 1.0, "html")
    return found


def _upwards(up: Any) -> np.ndarray:
    found = np.array([finite(c, "a component of `up`") for c in vector(up, "`up`")])
    if not found.any():
        raise InputError(f"up={up!r}: expected a direction, three numbers that are not all zero.")
    return unit(found)


def _components(drawing: Drawing) -> list[list[int]]:
    """The nodes that edges and surfaces connect; single nodes are not seen."""
    above = list(range(len(drawing.nodes)))

    def top(k: int) -> int:
        while above[k] != k:
            above[k] = above[above[k]]
            k = above[k]
        return k

    used: set[int] = set()
    for row in [*drawing.edges.tolist(), *drawing.surfaces]:
        used.update(row)
        for k in row[1:]:
            above[top(k)] = top(row[0])
    found: dict[int, list[int]] = {}
    for k in sorted(used):
        found.setdefault(top(k), []).append(k)
    return list(found.values())


def _rigid(nodes: np.ndarray, frames: np.ndarray) -> tuple[np.ndarray, float]:
    """Matrices (F, 4, 4) of the rigid motion of nodes (n, 3) nearest to frames (F, n, 3), and how far it is off (m)."""
    middle, middles = nodes.mean(axis=0), frames.mean(axis=1)
    U, _, Vt = np.linalg.svd(np.einsum("fni,nj->fij", frames - middles[:, None], nodes - middle))
    signs = np.ones((len(frames), 3))
    signs[:, 2] = np.sign(np.linalg.det(U @ Vt))
    T = np.zeros((len(frames), 4, 4))
    T[:, 3, 3] = 1.0
    T[:, :3, :3] = (U * signs[:, None, :]) @ Vt
    T[:, :3, 3] = middles - T[:, :3, :3] @ middle
    error = np.einsum("fij,nj->fni", T[:, :3, :3], nodes) + T[:, None, :3, 3] - frames
    return T, float(np.linalg.norm(error, axis=-1).max())


def _whole(scene: Scene, drawing: Drawing, frame: str, edges: list[int], surfaces: list[int]) -> None:
    """What moves with one frame: its surfaces by colours, and edges that are on none of them."""
    covered = {k for s in surfaces for k in drawing.surfaces[s]}
    bare = [k for k in edges if not covered.issuperset(drawing.edges[k].tolist())]
    for colour in dict.fromkeys(int(drawing.surface_colours[k]) for k in surfaces):
        chosen = [drawing.surfaces[k] for k in surfaces if drawing.surface_colours[k] == colour]
        scene.parts.append(Part("surface", frame, "solid", colour_of(colour), picked(drawing.nodes, [], chosen)))
    for colour in dict.fromkeys(int(drawing.edge_colours[k]) for k in bare):
        lines = [drawing.edges[k].tolist() for k in bare if drawing.edge_colours[k] == colour]
        scene.parts.append(Part("edge", frame, "solid", colour_of(colour), picked(drawing.nodes, lines, [])))


def _wires(
    scene: Scene, drawing: Drawing, number: int, edges: list[int], surfaces: list[int], frames: np.ndarray, frame: Any
) -> None:
    """What changes its form: its edges, or the outlines of its surfaces, between nodes that are frames."""
    lines = {tuple(sorted(drawing.edges[k].tolist())): int(drawing.edge_colours[k]) for k in edges}
    if not lines:
        for k in surfaces:
            around = drawing.surfaces[k]
            for pair in zip(around, (*around[1:], around[0]), strict=True):
                lines.setdefault(tuple(sorted(pair)), int(drawing.surface_colours[k]))
    names = {}
    for node in sorted({k for line in lines for k in line}):
        T = np.zeros((len(frames), 4, 4))
        T[:] = np.eye(4)
        T[:, :3, 3] = frames[:, node]
        names[node] = frame(f"part {number}, node {drawing.node_ids[node]}", T)
    for line, colour in lines.items():
        ends = tuple(End(names[k], np.zeros(3)) for k in line)
        scene.parts.append(Part("edge", ends[0].frame, "between", colour_of(colour), _LINE, ends=ends))
