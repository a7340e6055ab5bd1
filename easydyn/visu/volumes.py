"""Scenes as drawings: the nodes of all parts, which move with the frames of the parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.visu import motion
from easydyn.visu.animation import Animation
from easydyn.visu.automatic import scene_of
from easydyn.visu.drawing import Drawing, ModeShape, colour_number
from easydyn.visu.motion import at_rest, frames_and_tips
from easydyn.visu.scene import Scene
from easydyn.visu.solids import Solid, solid

PATH = 100  # nodes of the path of a point, at most
_STENCIL = np.array([0.0, -2.0, -1.0, 1.0, 2.0])  # of central differences of fourth order; the first is at rest
_WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / 12


def of_animation(animation: Animation) -> Drawing:
    """The drawing of an animated run; the nodes are those of its first frame."""
    return drawn(animation.scene, animation.frames, animation.tips)


def of_scene(scene: Scene) -> Drawing:
    """The drawing of a scene at rest."""
    return drawn(scene, *at_rest(scene), moving=False)


def of_modes(linearization: Any) -> Drawing:
    """The mechanism in the state about which it was linearised, and the motion of its nodes in each mode."""
    scene, rest = at_state(linearization)
    modes = enumerate(linearization.modes(), 1)
    return replace(
        rest, modes=tuple(ModeShape(k, mode.pole, amplitudes_of(scene, linearization, mode)) for k, mode in modes)
    )


def at_state(linearization: Any) -> tuple[Scene, Drawing]:
    """The scene in the state about which it was linearised, and its drawing."""
    state = linearization.state
    t, q, qd = np.full(1, state.t), state.q[None], state.qd[None]
    scene = scene_of(state.system.mechanism.name, state.system, t, q)
    return scene, drawn(scene, *frames_and_tips(scene, t, q, qd), moving=False)


def amplitudes_of(scene: Scene, linearization: Any, mode: Any) -> np.ndarray:
    """The complex amplitudes (N, 3) of the nodes in a mode: derivatives of their positions along its shape."""
    state = linearization.state
    shape = state.directions.spread(mode.shape.astype(complex))
    h = 1e-3 * min(1.0, scene.size)  # m or rad
    found = []
    for phase in (1, -1j):  # that of the real part, and of the imaginary one
        frames, tips = frames_and_tips(scene, *state.moved(shape, h * phase * _STENCIL))
        pairs = [drawn(scene, frames[[0, i]], tips[[0, i]], still=True).frames for i in range(1, len(frames))]
        found.append(np.einsum("i,ink->nk", _WEIGHTS / h, np.diff(pairs, axis=1)[:, 0]))
    return found[0] + 1j * found[1]


def drawn(scene: Scene, frames: np.ndarray, tips: np.ndarray, *, moving: bool = True, still: bool = False) -> Drawing:
    """The parts of a scene at N instants.

    Solids give their nodes, edges and surfaces. A part stretched between two ends follows them. A centre of mass is a
    small cross. A path is a line of nodes; each node follows the point until it has reached its own place. Texts are
    left out. `moving=False` leaves out the frames; `still=True` leaves out the paths, so the instants need no order.
    """
    surfaces = motion.surfaces(scene, frames, tips)
    reach = 0.012 * scene.size
    pieces: list[tuple[np.ndarray, Solid, int]] = []
    for k, (part, T) in enumerate(zip(scene.parts, motion.placed(scene, frames, tips), strict=True)):
        shape = part.solid
        if part.kind == "centre":
            ends = np.concatenate([reach * np.eye(3), -reach * np.eye(3)]) + part.point
            shape = solid(ends, [(0, 3), (1, 4), (2, 5)])
        if part.net is not None:
            nodes = surfaces[k][0]
            shape = Solid(nodes[0], np.zeros((0, 2), dtype=int), tuple(map(tuple, part.net.triangles.tolist())))
        elif shape is not None:
            nodes = np.einsum("fij,nj->fni", T[:, :3, :3], shape.nodes) + T[:, None, :3, 3]
        elif part.kind == "path" and moving and not still and len(frames) > 1:
            point = T[:, :3, :3] @ part.point + T[:, :3, 3]
            places = np.linspace(0, len(point) - 1, min(PATH, len(point))).round().astype(int)
            nodes = point[np.minimum(np.arange(len(point))[:, None], places)]
            shape = solid(nodes[-1], [(j, j + 1) for j in range(len(places) - 1)])
        else:
            continue
        pieces.append((nodes, shape, colour_number(part.colour)))
    count = [0, *np.cumsum([nodes.shape[1] for nodes, _, _ in pieces], dtype=int).tolist()]
    every = np.concatenate([nodes for nodes, _, _ in pieces], axis=1) if pieces else np.zeros((len(frames), 0, 3))
    shifted = list(zip(pieces, count, strict=False))
    return Drawing(
        scene.title, every[0], [edge for (_, shape, _), k in shifted for edge in (shape.edges + k).tolist()],
        [tuple(i + k for i in s) for (_, shape, _), k in shifted for s in shape.surfaces],
        [colour for _, shape, colour in pieces for _ in shape.edges],
        [colour for _, shape, colour in pieces for _ in shape.surfaces], every if moving else (),
    )  # fmt: skip
