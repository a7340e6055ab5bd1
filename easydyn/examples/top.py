"""A heavy spinning top on a fixed point: it precesses, slowly or fast, and nods.

Lesson: a moment turns a spinning body sideways. Released with its axis at rest, the top falls, moves sideways, and
comes to rest again at its initial height; its path has cusps. At two rates of precession there is no nutation; the slow
rate is near m g l / (C omega). Three coordinates, the Euler angles, are sufficient. Two of them do not appear in the
equations, so their momenta are conserved.
"""

from __future__ import annotations

from math import cos, sqrt
from typing import Any

import numpy as np

from easydyn import Model, Trajectory, tdisp, trotx, trotz, visu
from easydyn.examples.figures import axes

PICTURES = {
    "path": "path of the axis",
    "nutation": "angle of the axis from the vertical",
    "precession": "rate of precession",
}
PLOTS = {"nutation": ("nutation",)}

MASS, RADIUS, ARM, GRAVITY = 1.0, 0.1, 0.1, 9.81  # kg, m, m, m/s2
A = MASS * RADIUS**2 / 4 + MASS * ARM**2  # kg m2, about the fixed point, across the axis
C = MASS * RADIUS**2 / 2  # kg m2, about the axis
TILT, SPIN = 1.0, 100.0  # rad, rad/s


def gyroscope() -> Model:
    """A disc of 1 kg and 0.1 m radius at the end of an arm of 0.1 m without mass; the other end is fixed.

    The coordinates are Euler angles: `precession` about the vertical z, `nutation` of the axis from z, `spin` of the
    disc on its arm. The top is released at a nutation of 1 rad, spinning at 100 rad/s.

    >>> slow, fast = steady_precession()
    >>> round(slow, 6), round(fast, 6)
    (2.01695, 72.015679)
    >>> rates = {"precession.dot": slow, "spin.dot": SPIN - slow * cos(TILT)}
    >>> bool(abs(gyroscope().simulate(1, initial=rates)["nutation"] - TILT).max() < 1e-6)
    True
    """
    model = Model("gyroscope", gravity=(0, 0, -GRAVITY))
    precession, nutation, spin = model.coordinates("precession nutation spin", initial=(0, TILT, 0), rates=(0, 0, SPIN))
    T = trotz(precession) * trotx(nutation) * trotz(spin) * tdisp(0, 0, ARM)
    across = MASS * RADIUS**2 / 4
    top = [
        visu.Cylinder(RADIUS, 0.012, colour="blue"),
        visu.Box(0.9 * RADIUS, 0.012, 0.014, at=tdisp(RADIUS / 2, 0, 0), colour="white", name="mark"),
        visu.Cylinder(0.006, 1.2 * ARM, at=tdisp(0, 0, -0.3 * ARM), colour="grey", name="arm"),
        visu.Cone(0.006, 0.2 * ARM, at=tdisp(0, 0, -0.9 * ARM) * trotx(np.pi), colour="grey", name="tip"),
    ]
    model.body("disc", T, mass=MASS, inertia=(across, across, C), shape=top)
    return model


def steady_precession(tilt: float = TILT, spin: float = SPIN) -> tuple[float, float]:
    """The slow and the fast rate (rad/s) of precession at a constant tilt (rad), in closed form.

    A cos(tilt) rate^2 - C spin rate + m g l = 0, with the total spin (rad/s) about the axis.
    """
    a, b, c = A * cos(tilt), C * spin, MASS * GRAVITY * ARM
    root = sqrt(b * b - 4 * a * c)
    return 2 * c / (b + root), (b + root) / (2 * a)


def simulate() -> Trajectory:
    """Simulate 2 s after the release at rest."""
    return gyroscope().simulate(2, save_every=0.002)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    slow, _ = steady_precession()
    if name == "precession":
        ax = axes(ax, "rate of precession [rad/s]")
        ax.plot(run.t, run["precession.dot"], label="let go at rest")
        ax.axhline(slow, color="k", linestyle="--", linewidth=1, label="without nutation (slow)")
        ax.set_xlim(0, 0.5)
        ax.set_ylim(top=5)
    else:
        ax = axes(ax, "nutation [rad]", "precession [rad]")
        steady = gyroscope().simulate(
            2, save_every=0.01, initial={"precession.dot": slow, "spin.dot": SPIN - slow * np.cos(TILT)}
        )
        ax.plot(run["precession"], run["nutation"], label="let go at rest")
        ax.plot(steady["precession"], steady["nutation"], "k--", linewidth=1, label="at the slow rate of precession")
        ax.set_xlim(0, 2)
        ax.set_ylim(1.1, 0.98)
    ax.legend(loc="upper right")
    return ax
