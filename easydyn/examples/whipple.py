"""Whipple's bicycle: two wheels that roll without slip, a frame with its rider, a fork; it rides by itself.

Lesson: each wheel on the ground is one line, `Rolling`, and of nine rates three are left free. Between 4.3 and 6.0
m/s the bicycle steers into a fall and stays upright. Data and axes (x forward, y to the right, z down) are those of
the benchmark: J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955-1982.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from easydyn import Model, Rolling, Trajectory, ground, tdisp, trotx, troty, trotz, visu
from easydyn.examples.figures import axes

PICTURES = {"angles": "it steers into a fall", "poles": "real parts of its poles over the speed"}
PLOTS = {"angles": ("lean", "steer")}

BENCHMARK = {
    "w": 1.02, "c": 0.08, "lam": pi / 10, "g": 9.81,
    "rR": 0.3, "mR": 2.0, "IRxx": 0.0603, "IRyy": 0.12,
    "xB": 0.3, "zB": -0.9, "mB": 85.0, "IBxx": 9.2, "IByy": 11.0, "IBzz": 2.8, "IBxz": 2.4,
    "xH": 0.9, "zH": -0.7, "mH": 4.0, "IHxx": 0.05892, "IHyy": 0.06, "IHzz": 0.00708, "IHxz": -0.00756,
    "rF": 0.35, "mF": 3.0, "IFxx": 0.1405, "IFyy": 0.28,
}  # fmt: skip


def benchmark_bicycle(speed: float = 4.6) -> Model:
    """The bicycle of the benchmark at a `speed` (m/s), which is its parameter v.

    Coordinates `lean`, `steer`, `rear` (rad), and those that follow: `pitch`, `front`, `yaw` (rad), `x`, `y`, `z` (m).

    Example
    -------
    >>> poles = benchmark_bicycle().linearize(parameters={"v": 5.0}).poles()
    >>> bool((poles.real < 1e-9).all())
    True
    """
    return of_data(BENCHMARK, speed)


def of_data(p: dict[str, float], speed: Any) -> Model:
    """A bicycle of data `p`, by their names in BENCHMARK (m, kg, kg m2, rad, m/s2)."""
    model = Model("bicycle", gravity=(0, 0, p["g"]))
    (v,) = model.parameters(v=speed)
    lean, steer, rear = model.coordinates("lean steer rear", rates=(0, 0, -v / p["rR"]))
    pitch, front, yaw, x, y, z = model.coordinates("pitch front yaw x y z", initial=(0, 0, 0, 0, 0, -p["rR"]))
    frame = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(pitch)  # at the centre of the rear wheel
    ahead = frame * tdisp(p["w"] + p["c"], 0, p["rR"])  # on the axis of the fork, at the ground
    axis = ahead * troty(p["lam"]) * trotz(steer) * troty(-p["lam"])
    hub = axis * tdisp(-p["c"], 0, -p["rF"])  # of the front wheel
    for name, end, T in (("rear wheel", "R", frame * troty(rear)), ("front wheel", "F", hub * troty(front))):
        r, Ixx = p[f"r{end}"], p[f"I{end}xx"]
        spokes = [visu.Box.along(to, 0.01, colour="grey") for to in ((0, 0, r), (0, 0, -r), (r, 0, 0), (-r, 0, 0))]
        shape = [visu.Torus(r - 0.02, 0.02, at=trotx(pi / 2), colour="dark"), *spokes]
        wheel = model.body(name, T, mass=p[f"m{end}"], inertia=(Ixx, p[f"I{end}yy"], Ixx), shape=shape)
        model.add(Rolling(wheel, ground, radius=r, normal=(0, 0, -1)))
    way = (p["xB"], 0, p["zB"] + p["rR"])  # to the centre of mass, from the rear hub
    tubes = [visu.Cylinder.along(end, 0.02, colour="blue") for end in ((-0.3, 0, 0.6), (-0.4, 0, -0.1), (0.5, 0, 0.1))]
    model.body("rider and frame", frame * tdisp(*way), mass=p["mB"],
               inertia=(p["IBxx"], p["IByy"], p["IBzz"], 0, 0, p["IBxz"]), shape=tubes)  # fmt: skip
    model.body("fork", axis * tdisp(p["xH"] - p["w"] - p["c"], 0, p["zH"]), mass=p["mH"],
               inertia=(p["IHxx"], p["IHyy"], p["IHzz"], 0, 0, p["IHxz"]),
               shape=visu.Cylinder.along((p["w"] - p["xH"], 0, -p["rF"] - p["zH"]), 0.02, colour="orange"))  # fmt: skip
    return model


def simulate() -> Trajectory:
    """Simulate 4 s after a push from the side."""
    return benchmark_bicycle().simulate(4, initial={"lean.dot": 0.5}, save_every=0.01, method="dop853")


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = axes(ax, "real part [1/s]", "v [m/s]")
    speeds = np.linspace(0, 10, 81)
    poles = benchmark_bicycle().root_locus("v", speeds).poles
    ax.plot(speeds, np.where(np.abs(poles) > 1e-9, poles.real, np.nan), "C0.", markersize=3)
    ax.axhline(0, color="k", linewidth=0.8)
    return ax
