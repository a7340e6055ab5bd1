"""A second run, drawn pale behind the first: additional frames and parts in the scene, and additional curves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.errors import ModelError
from easydyn.result.trajectory import Trajectory
from easydyn.visu import bent, motion
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.scene import Frame, Part, Scene

PALE = 0.3  # of the opacity


def within(t: np.ndarray, run: Trajectory) -> np.ndarray:
    """Instants (N,) of pictures; outside of a run, its first or last instant."""
    return np.clip(t, run.t[0], run.t[-1])


def with_ghost(scene: Scene, other: Trajectory, t: np.ndarray) -> tuple[Scene, np.ndarray]:
    """The scene with a second copy of all moving parts, and the matrices (N, k, 4, 4) of its frames.

    Raises ModelError for a run of other bodies.
    """
    bodies = [frame.name for frame in scene.frames if frame.is_body][1:]
    names = [] if other.source is None else [body.name for body in other.source.mechanism.bodies]
    if names != bodies or not hasattr(other.source, "system"):
        raise ModelError(
            f"ghost is a run of {', '.join(names) or 'no bodies'}, the animation shows {', '.join(bodies) or 'none'}: "
            "expected a run of the same model."
        )
    own = scene.copy()
    own.system = other.source.system
    times = within(t, other)
    frames, _ = frames_and_tips(own, times, *motion.states_at(other, times))
    found = scene.copy()
    found.frames += [Frame(_of(frame.name), frame.T, is_body=False) for frame in scene.frames[1:]]
    found.parts += [_pale(part) for part in scene.parts if _moves(part)]
    return found, frames


def _of(name: str) -> str:
    return name if name == "ground" else f"{name} (ghost)"


def _moves(part: Part) -> bool:
    """Whether a part moves with the run, without arrows: their vectors are those of the first run."""
    if part.kind == "between":
        return all(end.vector is None for end in part.ends) and any(end.frame != "ground" for end in part.ends)
    if part.net is not None:
        return bool(part.net.frames)
    return part.kind in ("solid", "path") and part.body != "ground"


def _pale(part: Part) -> Part:
    ends = tuple(replace(end, frame=_of(end.frame)) for end in part.ends)
    net = part.net
    if net is not None:  # what its colours say is that of the first run
        pairs = tuple((_of(a), _of(b)) for a, b in net.frames)
        net, ends = replace(net, frames=pairs, program=bent.plain(), scale=None), ()
    return replace(part, body=_of(part.body), ends=ends, net=net, opacity=PALE * part.opacity, ghost=True)


def beside(curves: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Curves of two runs, as the player draws them: those of the second run pale, in the colours of the first."""
    for group, other in zip(curves, others, strict=True):
        for k, curve in enumerate(other["curves"]):
            group["curves"].append(curve | {"name": f"{curve['name']} (ghost)", "of": k})
    return curves
