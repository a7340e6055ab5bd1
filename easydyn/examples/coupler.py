"""A four-bar whose coupler draws a straight line: Hoeken's linkage, with the curve of its pen.

Lesson: one line closes a loop, `model.close`, and the other angles are found as formulas of the crank. A point far
out on the coupler stays within 1 mm of a line of 0.4 m while the crank makes half a turn, and returns quickly.
"""

from __future__ import annotations

from typing import Any

from easydyn import Model, Trajectory, tdisp, trotz, visu
from easydyn.examples.figures import axes

PICTURES = {"curve": "curve of the pen", "speed": "speed of the pen along the line"}
PLOTS = {"speed": ("pen_x", "crank.dot")}

GROUND, CRANK, BAR = 0.2, 0.1, 0.25  # m: 2 : 1 : 2.5, the coupler goes on for another 2.5


def coupler_curve(rate: float = 6.0) -> Model:
    """Crank of 0.1 m, rocker of 0.25 m on pivots 0.2 m apart, a coupler of 0.5 m with the rocker's pin in its middle.

    Coordinates `crank`, `coupler` (from the crank), `rocker` (rad). Outputs `pen_x`, `pen_y` (m): its end.

    Parameters
    ----------
    rate : float (rad/s)
        Rate of the crank at the start.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> import numpy as np
    >>> run = coupler_curve().simulate(1)
    >>> float(np.ptp(run["pen_y"][np.cos(run["crank"]) < 0]).round(3))  # in half of a turn
    0.001
    """
    model = Model("coupler curve", gravity=(0, -9.81, 0))
    crank, coupler, rocker = model.coordinates("crank coupler rocker", initial=(0, 1.4, 1.4), rates=(rate, 0, 0))
    turned = trotz(crank)
    wheel = [visu.Cylinder(0.06, 0.02, colour="grey"), visu.Box.along((CRANK, 0, 0), 0.02, 0.024, colour="dark")]
    model.body("crank", turned, mass=2, inertia=(0, 0, 0.02), shape=wheel)
    bar = model.body("coupler", turned * tdisp(CRANK, 0, 0) * trotz(coupler), mass=1, inertia=(0, 0, 0.25 / 12),
                     com=(BAR, 0, 0), shape=[visu.Box.along((2 * BAR, 0, 0), 0.015, colour="blue"),
                                             visu.Sphere(0.016, at=tdisp(2 * BAR, 0, 0), colour="orange")])  # fmt: skip
    swing = model.body("rocker", tdisp(GROUND, 0, 0) * trotz(rocker), mass=0.5, inertia=(0, 0, 0.5 * BAR**2 / 12),
                       com=(BAR / 2, 0, 0), shape=visu.Box.along((BAR, 0, 0), 0.015, colour="green"))  # fmt: skip
    model.close((bar, (BAR, 0, 0)), (swing, (BAR, 0, 0)), joint="revolute")
    pen = (bar.T * tdisp(2 * BAR, 0, 0)).e
    model.output("pen_x", pen.x, unit="m")
    model.output("pen_y", pen.y, unit="m")
    return model


def simulate() -> Trajectory:
    """Simulate about two turns of the crank."""
    return coupler_curve().simulate(2, save_every=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "curve":
        ax = axes(ax, "y [m]", "x [m]", aspect="equal")
        ax.plot(run["pen_x"], run["pen_y"])
        return ax
