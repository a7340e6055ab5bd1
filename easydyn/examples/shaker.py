"""A hexapod that shakes its platform: six struts, each driven to the length that the wanted pose has.

Lesson: what is hard forwards is easy backwards. The length of a strut is a formula of the pose, so that each drive
knows where to go; the pose that belongs to six lengths is the solution of polynomials. A drive is a spring and a
damper here, and its free length moves.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from sympy import cos, sin, sqrt

from easydyn import Damper, Model, Spring, Trajectory, ground, t, tdisp, trotx, troty, trotz, visu
from easydyn.examples.figures import axes
from easydyn.inputs import finite, positive

PICTURES = {"height": "height, wanted and reached", "angle": "angle about x, and what the weight does to it"}

HEIGHT, HEAVE, ROLL, RATE = 1.1, 0.05, 0.1, 2 * pi  # m, m, rad, rad/s
BASE, PLATFORM, SPREAD = 1.0, 0.6, 0.25  # m, m: radii of feet and balls; rad: half the angle between neighbours


def hexapod(stiffness: float = 1e5, damping: float = 1e3) -> Model:
    """A platform of 20 kg that is to heave by 0.05 m and to roll by 0.1 rad, once a second; struts without mass.

    Coordinates `x`, `y`, `z` (m), `a`, `b`, `c` (rad) of the platform.

    Parameters
    ----------
    stiffness, damping : float (N/m, N s/m)
        Of each drive.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = hexapod().simulate(0.25, method="lobatto")
    >>> bool(abs(run["z"][-1] - (HEIGHT + HEAVE)) < 1e-3)
    True
    """
    lag = finite(damping, "damping") / positive(stiffness, "stiffness")  # s
    model = Model("hexapod", gravity=(0, 0, -9.81))
    rates = (0, 0, HEAVE * RATE, ROLL * RATE, 0, 0)
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=(0, 0, HEIGHT, 0, 0, 0), rates=rates)
    box = visu.Box(0.3, 0.2, 0.25, at=tdisp(0, 0, 0.14), colour="grey")
    platform = model.body("platform", tdisp(x, y, z) * trotz(c) * troty(b) * trotx(a), mass=20, inertia=(1.8, 1.8, 3.6),
                          shape=[visu.Cylinder(PLATFORM, 0.04, colour="blue"), box])  # fmt: skip
    wanted = tdisp(0, 0, HEIGHT + HEAVE * sin(RATE * t)) * trotx(ROLL * sin(RATE * t))
    for k in range(6):
        sign, corner = (-1) ** k, 2 * pi * (k // 2) / 3
        foot, ball = corner + sign * SPREAD, corner + sign * (pi / 3 - SPREAD)
        start, end = (BASE * cos(foot), BASE * sin(foot), 0), (PLATFORM * cos(ball), PLATFORM * sin(ball), 0)
        length = sqrt(sum((p - f) ** 2 for p, f in zip((wanted * tdisp(*end)).e, start, strict=True)))
        ends = (ground, start), (platform, end)
        model.add(Spring(*ends, stiffness=stiffness, free_length=length + lag * length.diff(t)))
        model.add(Damper(*ends, damping=damping))
    return model


def simulate() -> Trajectory:
    """Simulate two periods."""
    return hexapod().simulate(2, save_every=0.01, method="lobatto")


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    name, size, mean = ("z", HEAVE, HEIGHT) if name == "height" else ("a", ROLL, 0)
    ax = axes(ax, f"{name} [{run.unit(name)}]")
    ax.plot(run.t, run[name], label="reached")
    ax.plot(run.t, mean + size * np.sin(RATE * run.t), "k--", linewidth=1, label="wanted")
    ax.legend()
    return ax
