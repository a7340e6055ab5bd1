"""A wheel set on rails hunts: its conical wheels steer it back to the middle, and above some speed ever further out.

Lesson: a model of one's own forces, and `root_locus`. A wheel set that has moved to the left rolls on a larger circle
there, and turns back: J. Klingel found the length of this wave in 1883. Creep (J. J. Kalker's linear law, equal along
and across) damps it at low speed, and feeds it at high speed.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np

from easydyn import GeneralizedForce, Model, Trajectory, tdisp, trotx, troty, trotz, visu
from easydyn.examples.figures import axes
from easydyn.inputs import positive

PICTURES = {"path": "sideways motion at two speeds", "poles": "growth of the hunting motion over the speed"}

CONE, RADIUS, GAUGE = 0.05, 0.45, 0.75  # rad; m; m: half the distance of the rails
MASS, YAW, SPIN = 1500.0, 800.0, 120.0  # kg, kg m2, kg m2
CREEP = 1e7  # N: of a wheel, along and across
STIFF, TURN = 2e5, 5e5  # N/m, N m/rad: the springs to the bogie
WAVE = 2 * pi * sqrt(RADIUS * GAUGE / CONE)  # m, by Klingel


def wheel_set(speed: float = 20.0) -> Model:
    """A wheel set of 1500 kg that a bogie leads along the rails at a constant speed.

    Coordinates `y` to the left (m), `yaw` (rad), and `spin` beside that of pure rolling (rad). Parameter `v` (m/s).

    Parameters
    ----------
    speed : float (m/s)
        Speed along the rails.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> slow, fast = (wheel_set(v).linearize().poles().real.max() for v in (20, 80))
    >>> bool(slow < 1e-9 < fast)
    True
    """
    model = Model("wheel set")
    (v,) = model.parameters(v=positive(speed, "speed"))
    y, yaw, spin = model.coordinates("y yaw spin", initial=(0.003, 0, 0))
    axle = visu.Cylinder(0.08, 2 * GAUGE, at=trotx(pi / 2), colour="grey")
    wheels = [visu.Frustum(RADIUS + 0.03, RADIUS - 0.03, 0.12, at=tdisp(0, side * GAUGE, 0) * trotx(-side * pi / 2),
                           colour="blue") for side in (-1, 1)]  # fmt: skip
    model.body("wheel set", tdisp(0, y, RADIUS) * trotz(yaw) * troty(spin), mass=MASS, inertia=(YAW, SPIN, YAW),
               shape=[axle, *wheels])  # fmt: skip
    force: Any = 0
    moment: Any = 0
    torque: Any = 0
    for side in (1, -1):  # the left wheel, the right one: its radius is RADIUS + side CONE y
        along = -side * (GAUGE * yaw.dot + v * CONE * y / RADIUS) - RADIUS * spin.dot  # m/s, of the point of contact
        across = y.dot - v * yaw
        force -= CREEP / v * across
        moment += side * GAUGE * CREEP / v * along
        torque += RADIUS * CREEP / v * along
    model.add(GeneralizedForce(y, force - STIFF * y), GeneralizedForce(yaw, moment - TURN * yaw),
              GeneralizedForce(spin, torque))  # fmt: skip
    return model


def simulate() -> Trajectory:
    """Simulate 3 s at 40 m/s."""
    return wheel_set(40).simulate(3, save_every=0.005, method="dop853")


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "path":
        ax = axes(ax, "y [m]")
        for speed in (40, 80):
            other = wheel_set(speed).simulate(1, save_every=0.005)
            ax.plot(other.t, other["y"], label=f"{speed} m/s")
        ax.legend()
        return ax
    ax = axes(ax, "largest real part [1/s]", "v [m/s]")
    locus = wheel_set().root_locus("v", np.linspace(5, 100, 96))
    ax.plot(locus.values, np.where(abs(locus.poles.imag) > 1, locus.poles.real, -np.inf).max(axis=1))
    ax.axhline(0, color="k", linewidth=0.8)
    return ax
