"""A V6 engine: six pistons on one crankshaft, all of them placed by formulas of its angle.

Lesson: where a loop can be solved by hand, its bodies are written as formulas of one coordinate, eq. (39), and no
constraint is needed. The gas above each piston is a stiff spring: one cylinder makes the shaft run unevenly, six
balance each other.
"""

from __future__ import annotations

from math import pi
from typing import Any

from sympy import asin, cos, sin, sqrt

from easydyn import Force, Model, Trajectory, tdisp, trotx, trotz, visu
from easydyn.examples.figures import axes
from easydyn.inputs import whole

PICTURES = {"speed": "speed of the crankshaft", "pistons": "pistons of one bank"}
PLOTS = {"pistons": ("piston1", "piston3", "piston5")}

THROW, ROD = 0.045, 0.16  # m
GAS, AREA, AIR = 0.01, 0.001, 1e5  # m, m2, Pa: least height of the gas, its section; pressure when it is highest


def v6_engine(cylinders: int = 6) -> Model:
    """A crankshaft of 0.03 kg m2 at 100 rad/s, pistons of 0.4 kg, rods of 0.6 kg, banks at 30 degrees to each side.

    Coordinate `crank` (rad), from the vertical. Outputs `piston1`, ... (m): how far the pistons are from the shaft.

    Parameters
    ----------
    cylinders : int
        Number of cylinders, 1 to 12: pairs share a crank pin, and pins follow each other at 120 degrees.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> one, six = (v6_engine(n).simulate(0.1)["crank.dot"] for n in (1, 6))
    >>> bool(one.max() - one.min() > 3 * (six.max() - six.min()))
    True
    """
    model = Model("V6 engine", gravity=(0, -9.81, 0))
    crank = model.coordinate("crank", rate=100)
    webs = [visu.Cylinder(0.03, 0.02, at=tdisp(0, 0, z), colour="grey") for z in (-0.3, -0.1, 0.1, 0.3)]
    model.body("crankshaft", trotz(crank), mass=8, inertia=(0, 0, 0.03), shape=webs)
    for k in range(whole(cylinders, "cylinders", 12, least=1)):
        bank = (-1) ** k * pi / 6
        pin = crank + 2 * pi / 3 * (k // 2) - bank  # its angle from the axis of the cylinder, along which y points
        height = THROW * cos(pin) + sqrt(ROD**2 - THROW**2 * sin(pin) ** 2)
        top = tdisp(0, 0, 0.1 * k - 0.25) * trotz(bank) * tdisp(0, height, 0)
        piston = model.body(f"piston {k + 1}", top, mass=0.4, inertia=(0, 0, 0),
                            shape=visu.Cylinder(0.036, 0.05, at=trotx(pi / 2), colour="blue"))  # fmt: skip
        model.body(f"rod {k + 1}", top * trotz(-asin(THROW * sin(pin) / ROD)), mass=0.6, com=(0, -ROD / 2, 0),
                   inertia=(0, 0, 0.6 * ROD**2 / 12),
                   shape=visu.Box.along((0, -ROD, 0), 0.02, 0.012, colour="orange"))  # fmt: skip
        squeezed = (GAS + 2 * THROW) / (GAS + THROW + ROD - height)
        model.add(Force(piston, (0, -AREA * AIR * (squeezed**1.4 - 1), 0), frame=piston))
        model.output(f"piston{k + 1}", height, unit="m")
    return model


def simulate() -> Trajectory:
    """Simulate about three turns of the shaft."""
    return v6_engine().simulate(0.2, save_every=2e-4)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = axes(ax, "crank.dot [rad/s]")
    ax.plot(run.t, run["crank.dot"], label="six cylinders")
    single = v6_engine(1).simulate(run.t[-1], save_every=2e-4)
    ax.plot(single.t, single["crank.dot"], "--", label="one cylinder")
    ax.legend()
    return ax
