"""A folded chain is let go at one end: its tip falls faster than a stone.

Lesson: a loop makes many bodies, each placed from the one before it, with relative coordinates. The links that have
come to rest on the fixed side pull the others down, so that the free end falls faster than in free fall. The energy is
conserved and goes into fewer and fewer links, until the chain cracks like a whip.
"""

from __future__ import annotations

from typing import Any

from sympy import pi

from easydyn import Model, Trajectory, tdisp, trotz
from easydyn.examples.figures import axes
from easydyn.inputs import whole

PICTURES = {"tip": "height of the free end, and of a stone", "energy": "kinetic and potential energy"}


def falling_chain(links: int = 11) -> Model:
    """Links (rods) of 0.1 m and 0.05 kg: some hang down from the fixed end, one lies across, the rest point up again.

    Coordinates `q1`, `q2`, ...: angle of each link in its joint, zero when it continues the link before it (rad).
    Outputs `tip_x`, `tip_y` (m): the free end, as seen from the fixed one.

    Parameters
    ----------
    links : int
        Number of links. With an odd number both ends begin at the same height, and a single link lies across.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> falling_chain(1).compile().accelerations(0, [pi / 2], [0])  # one rod, horizontal: 3 g / 2 l
    array([-147.15])
    """
    model = Model("falling chain", gravity=(0, -9.81, 0))
    l, m = model.parameters(l=0.1, m=0.05)
    links = whole(links, "links", 1000)
    bends = [0] * links
    for j in (links // 2, links // 2 + 1):
        if j < links:
            bends[j] = pi / 2
    q = model.coordinates([f"q{j}" for j in range(1, links + 1)], initial=bends)
    end = tdisp(0, 0, 0)
    for j, angle in enumerate(q, start=1):
        end = end * trotz(angle)
        model.body(f"link {j}", end * tdisp(0, -l / 2, 0), mass=m, inertia=(0, 0, m * l**2 / 12))
        end = end * tdisp(0, -l, 0)
    model.output("tip_x", end.e.x, unit="m")
    model.output("tip_y", end.e.y, unit="m")
    return model


def simulate() -> Trajectory:
    """Simulate until the free end is nearly at the bottom."""
    return falling_chain().simulate(0.4, save_every=0.002)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "energy":
        return run.plot_energy(ax=ax)
    ax = axes(ax, "height [m]")
    ax.plot(run.t, run["tip_y"], label="free end of the chain")
    ax.plot(run.t, -9.81 * run.t**2 / 2, "k--", linewidth=1, label="stone")
    ax.legend()
    return ax
