"""A satellite around a point mass: gravity pulls its nearer end more, and it swings about the line to the centre.

Lesson: a field in place of a constant gravity, and an element for its torque. A long body points to the centre. It
swings sqrt(3) times an orbit in the plane of the orbit, and twice across it.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from easydyn import GravityGradient, Model, PointGravity, Trajectory, tdisp, trotx, troty, trotz, visu
from easydyn.examples.figures import axes
from easydyn.inputs import positive

PICTURES = {"angles": "angles from the line to the centre", "orbit": "the orbit"}

MU, RADIUS = 8.0, 2.0  # m3/s2, m: an orbit in 2 pi s, once a radian
RATE = sqrt(MU / RADIUS**3)  # rad/s


def satellite(pitch: float = 0.2, across: float = 0.2, length: float = 0.4) -> Model:
    """Two spheres of 1 kg at the ends of a light rod, on a circular orbit of 2 m about a point mass.

    Coordinates `x`, `y`, `z` (m); `yaw` in the plane of the orbit, `tilt` out of it, `spin` about the rod (rad).

    Parameters
    ----------
    pitch, across : float (rad)
        Angles at the start between the rod and the line to the centre, in the plane of the orbit and across it.
    length : float (m)
        Of the rod.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = satellite(0, 0, 0.004).simulate(6, method="dop853")
    >>> float(abs(run["yaw"] - RATE * run.t).max().round(4))  # it points to the centre all the time
    0.0
    """
    length, field = positive(length, "length"), PointGravity(MU)
    model = Model("satellite", gravity=field)
    x, y, z = model.coordinates("x y z", initial=(RADIUS, 0, 0), rates=(0, RADIUS * RATE, 0))
    yaw, tilt, spin = model.coordinates("yaw tilt spin", initial=(pitch, across, 0), rates=(RATE, 0, 0))
    balls = [visu.Sphere(0.2 * length, at=tdisp(end, 0, 0), colour="blue") for end in (-length / 2, length / 2)]
    shape = [visu.Cylinder(0.05 * length, length, at=troty(pi / 2), colour="grey"), *balls]
    slim, long = 0.032 * length * length, 0.532 * length * length  # kg m2, of both spheres
    body = model.body("satellite", tdisp(x, y, z) * trotz(yaw) * troty(tilt) * trotx(spin), mass=2,
                      inertia=(slim, long, long), shape=shape)  # fmt: skip
    model.body("planet", tdisp(0, 0, 0), mass=0, inertia=(0, 0, 0), shape=visu.Sphere(0.3, colour="orange"))
    model.add(GravityGradient(body, field))
    return model


def simulate() -> Trajectory:
    """Simulate two orbits."""
    return satellite().simulate(4 * pi / RATE, save_every=0.02, method="dop853")


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "angles":
        ax = axes(ax, "angle [rad]")
        ax.plot(run.t, run["yaw"] - np.unwrap(np.arctan2(run["y"], run["x"])), label="in the plane of the orbit")
        ax.plot(run.t, run["tilt"], label="across it")
        ax.legend()
        return ax
    ax = axes(ax, "y [m]", "x [m]", aspect="equal")
    ax.plot(run["x"], run["y"])
    return ax
