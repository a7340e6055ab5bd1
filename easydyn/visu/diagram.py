"""A model without bodies: each coordinate is a block on a rail, or a pointer on a dial when it is an angle."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import ModelError
from easydyn.vec import Shift, Transform, Turn, Vector
from easydyn.visu import colours, looks, solids
from easydyn.visu.scene import Frame, Part, Scene, View


def diagram(title: str, system: Any, q: np.ndarray) -> Scene:
    """The scene of a system without bodies, with sizes from the instants q (N, n)."""
    m = system.mechanism
    if not m.coordinates:
        raise ModelError(
            f"model '{title}' has neither bodies nor coordinates: there is nothing to be drawn. Plot its states."
        )
    reach = max(float(np.abs(q[:, j]).max()) for j in range(len(m.coordinates)))
    lengths = [float(np.abs(q[:, j]).max()) for j, c in enumerate(m.coordinates) if m.units.get(str(c)) != "rad"]
    E = max(lengths, default=1.0) or reach or 1.0
    view = View(np.zeros(3), (1.0, 1.0), np.array([0.0, 1.0, 0.0]), looks.view(np.array([0.0, 0.0, 1.0]), None)[1])
    scene = Scene(title, system, view, E)
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
        label = Part(
            "name", str(c), "text", colours.GREYS["black"], point=np.array([0, 0.2 * E, 0.15 * E]), text=str(c)
        )
        scene.parts.append(label)
    n = len(m.coordinates)
    middle = np.array([E / 2, -0.4 * E * (n - 1), 0])
    scene.view = View(middle, (2.2 * E, 0.8 * E * n + 0.2 * E), view.up, view.towards)
    return scene
