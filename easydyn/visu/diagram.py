"""A model without bodies: a coordinate is a block on a rail, or a pointer on a dial when it is an angle; a first-order
state is a gauge, whose column is as high as its value beside the largest one of its unit."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import ModelError
from easydyn.vec import Shift, Transform, Turn, Vector
from easydyn.visu import colours, looks, solids
from easydyn.visu.scene import End, Frame, Part, Scene, View


def diagram(title: str, system: Any, q: np.ndarray, qd: np.ndarray) -> Scene:
    """The scene of a system without bodies, with sizes from the instants q and qd (N, n)."""
    m = system.mechanism
    if not m.coordinates:
        raise ModelError(
            f"model '{title}' has neither bodies nor coordinates: there is nothing to be drawn. Plot its states."
        )
    reach = max(float(np.abs(q[:, j]).max()) for j in range(len(m.coordinates)))
    lengths = [float(np.abs(q[:, j]).max()) for j, c in enumerate(m.coordinates) if m.units.get(str(c)) != "rad"]
    E = max(lengths, default=1.0) or reach or 1.0
    scene = Scene(title, system, View(), E)
    for j, c in enumerate(m.coordinates):
        turns = m.units.get(str(c)) == "rad"
        y = -0.8 * E * j
        joint = Turn(Vector(0, 0, 1), c) if turns else Shift(Vector(c, 0, 0))
        scene.frames.append(Frame(str(c), Transform((Shift(Vector(0, y, 0)), joint))))
        colour = scene.colour_of(str(c))
        if turns:
            moving = [looks.rod(np.zeros(3), np.array([0.35 * E, 0, 0]), 0.03 * E)]
            fixed = solids.frustum(0.4 * E, 0.4 * E, 0.02 * E).placed(looks.at((0, y, -0.06 * E)))
        else:
            low, high = min(0.0, float(q[:, j].min())) - 0.4 * E, max(0.0, float(q[:, j].max())) + 0.4 * E
            moving = [solids.box(0.36 * E, 0.24 * E, 0.24 * E)]
            fixed = solids.box(high - low, 0.05 * E, 0.05 * E).placed(looks.at(((low + high) / 2, y, 0)))
            zero = solids.box(0.02 * E, 0.34 * E, 0.08 * E).placed(looks.at((0, y, -0.15 * E)))
            scene.parts.append(Part("zero", "ground", "solid", colours.GREYS["light"], zero))
        scene.parts.append(Part("ground", "ground", "solid", colours.GROUND, fixed))
        scene.parts += [Part("body", str(c), "solid", colour, solid) for solid in moving]
        scene.parts.append(_named(str(c), str(c), (0, 0.2 * E, 0.15 * E)))
    n = len(m.coordinates)
    right = max(E, *(float(part.solid.nodes[:, 0].max()) for part in scene.parts if part.solid is not None))
    left = min(float(part.solid.nodes[:, 0].min()) for part in scene.parts if part.solid is not None)
    states = list(m.states)
    for k, state in enumerate(states):
        _draw_gauge(scene, state, qd[:, n:], states, right + 0.45 * E * (k + 1), 0.8 * E)
    if states:
        right += 0.45 * E * len(states) + 0.3 * E
    low, high = -0.8 * E * (n - 1) - 0.45 * E, 0.75 * E if states else 0.45 * E
    middle = np.array([(left + right) / 2, (low + high) / 2, 0])
    scene.view = View(middle, (1.1 * (right - left), 1.1 * (high - low)))
    return scene


def _draw_gauge(scene: Scene, state: Any, values: np.ndarray, states: list[Any], x: float, height: float) -> None:
    """A post with a column beside it: from zero, in the middle where some value is negative, to the value."""
    m, name = scene.system.mechanism, str(state)
    alike = [j for j, other in enumerate(states) if m.units.get(str(other)) == m.units.get(name)]
    largest = float(np.abs(values[:, alike]).max()) or 1.0
    negative = bool((values[:, alike] < 0).any())
    zero = 0.0 if negative else -height / 2
    scale = (height / 2 if negative else height) / largest
    top = Transform((Shift(Vector(x, zero + scale * state, 0)),))
    scene.frames.append(Frame(name, top, is_body=False))
    width = 0.16 * height
    post = solids.box(0.5 * width, height, 0.5 * width).placed(looks.at((x, 0, -width)))
    foot = solids.box(1.6 * width, 0.25 * width, width).placed(looks.at((x, zero, 0)))
    ends = End("ground", np.array([x, zero, 0.0])), End(name, np.zeros(3))
    column = solids.box(0.8 * width, 0.8 * width, 1.0).placed(looks.at((0, 0, 0.5)))
    scene.parts += [
        Part("gauge", "ground", "solid", colours.GREYS["light"], post),
        Part("zero", "ground", "solid", colours.GROUND, foot),
        Part("column", "ground", "between", colours.PALETTE["vermilion"], column, ends=ends),
        _named(name, "ground", (x, height / 2 + 0.8 * width, 0)),
    ]


def _named(name: str, frame: str, place: tuple[float, float, float]) -> Part:
    """A name at a place of a frame."""
    return Part("name", frame, "text", colours.GREYS["black"], point=np.array(place), text=name)
