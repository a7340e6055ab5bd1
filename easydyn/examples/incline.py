"""A mass that slides on a slanting line, on a spring, in gravity along the line: a motion known exactly.

Lesson: a coordinate need not lie along an axis. The frame is a displacement by q along a unit vector in space, and the
spring finds its own direction. From rest at its free length the mass moves as q = 1 - cos(2 pi t): it oscillates about
the position where spring and weight are in balance.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from easydyn import Damper, Model, Spring, Trajectory, ground, tdisp
from easydyn.examples.figures import axes

PICTURES = {"motion": "free and damped, on the line along (1.1, 2.2, 3.3)"}
LENGTH = sqrt(1.1**2 + 2.2**2 + 3.3**2)
LINE = (1.1 / LENGTH, 2.2 / LENGTH, 3.3 / LENGTH)  # unit vector


def spring_pendulum() -> Model:
    """1 kg on a line through the origin along (1.1, 2.2, 3.3), on a spring from the origin of free length 2 m.

    Stiffness 39.478417 N/m, gravity 39.478417 m/s2 along the line. `q` (m) is the stretch of the spring. The parameter
    `c` (N s/m) is a damper parallel to the spring, zero by default.

    >>> run = spring_pendulum().simulate(2, save_every=0.01)
    >>> bool(abs(run["q"] - (1 - np.cos(2 * np.pi * run.t))).max() < 1e-5)
    True
    """
    model = Model("spring pendulum")
    (q,) = model.coordinates("q", unit="m")
    k, g, c = model.parameters(k=39.478417, g=39.478417, c=0)
    model.gravity = tuple(g * u for u in LINE)
    mass = model.body("mass", tdisp(*((2 + q) * u for u in LINE)), mass=1, inertia=(0, 0, 0))
    model.add(Spring(ground, mass, stiffness=k, free_length=2), Damper(ground, mass, damping=c))
    return model


def simulate() -> Trajectory:
    """Simulate five oscillations."""
    return spring_pendulum().simulate(5, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    damped = spring_pendulum().simulate(5, save_every=0.01, parameters={"c": 1})
    ax = axes(ax, "q [m]")
    ax.plot(run.t, run["q"], label="c = 0")
    ax.plot(damped.t, damped["q"], label="c = 1 N s/m")
    some = slice(None, None, 10)
    ax.plot(run.t[some], 1 - np.cos(2 * np.pi * run.t[some]), "k.", markersize=4, label="1 - cos(2 pi t)")
    ax.set_ylim(top=2.5)
    ax.legend(loc="upper center", ncols=3)
    return ax
