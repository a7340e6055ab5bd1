"""Walking legs after Theo Jansen: two feet on one crank, which go straight on the ground and return in an arc.

Lesson: many loops, one degree of freedom. Each leg has six links, written one after the other as they are met from the
crank. Three pins close its loops, and the program finds the formulas of all angles.
"""

from __future__ import annotations

from math import pi
from typing import Any

from easydyn import Model, Trajectory, tdisp, trotz, visu
from easydyn.examples.figures import axes

PICTURES = {"feet": "paths of the feet", "speed": "speed of the crank"}
PLOTS = {"speed": ("crank.dot",)}

# Jansen's numbers (m): the bars by letter. The crank is 15 mm long; its axis is 38 mm beside the pivot of the legs.
B, C, D, E, F, G, H, I, J, K = (x / 1000 for x in (41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9))
START = 0.4  # rad, of the crank
GUESS = {"j": 2.4, "k": -2.2, "b": 1.6, "c": -1.3, "f": -1.6, "g": pi}  # rad, from the horizontal: a leg on the left


def _corner(base: float, left: float, right: float, side: int) -> tuple[float, float, int]:
    """The third corner of a triangle with its base along x from the origin."""
    x = (base**2 + left**2 - right**2) / (2 * base)
    return x, side * (left**2 - x**2) ** 0.5, 0


def walking_legs(rate: float = 6.0) -> Model:
    """A leg to each side, bars of 10 kg/m, on a crank at a `rate` (rad/s).

    Coordinates `crank`, and for each leg (`l`, `r`) the angles of six links in their joints, `jl` ... `gr` (rad).
    Outputs `foot_l_x`, ... (m).

    Example
    -------
    >>> walking_legs().mobility().degrees_of_freedom
    1
    """
    model = Model("walking legs", gravity=(0, -9.81, 0))
    crank = model.coordinate("crank", initial=START, rate=rate)
    disc = [visu.Cylinder(0.02, 0.004, colour="grey"), visu.Box.along((0.015, 0, 0), 0.004, 0.006, colour="dark")]
    model.body("crank", trotz(crank), mass=0.5, inertia=(0, 0, 1e-2), shape=disc)
    for leg, side, colour in (("l", 1, "blue"), ("r", -1, "orange")):
        to = {name: x if side > 0 else pi - x for name, x in GUESS.items()}
        before = {"j": START, "k": START, "f": to["b"], "g": to["c"]}  # of the link before
        start = [x - before.get(name, 0) for name, x in to.items()]
        j, k, b, c, f, g = model.coordinates([x + leg for x in GUESS], initial=start)
        pin, pivot = trotz(crank) * tdisp(0.015, 0, 0), tdisp(-0.038 * side, -0.0078, 0)
        knee, foot = _corner(B, D, E, side), _corner(G, I, H, side)
        frames = {"j": pin * trotz(j), "k": pin * trotz(k), "b": pivot * trotz(b), "c": pivot * trotz(c)}
        frames |= {"f": frames["b"] * tdisp(*knee) * trotz(f), "g": frames["c"] * tdisp(C, 0, 0) * trotz(g)}
        bars = {}
        for (name, T), length, third in zip(frames.items(), (J, K, B, C, F, G), (0, 0, knee, 0, 0, foot), strict=True):
            ends = [(length, 0, 0), *([third] if third else [])]
            middle = tuple(sum(x) / (1 + len(ends)) for x in zip(*ends, strict=True))
            shape = [visu.Box.along(x, 0.003, colour=colour) for x in ends]
            data = {"mass": 10 * length, "inertia": (0, 0, 10 * length**3 / 12), "com": middle}
            bars[name] = model.body(name + leg, T, shape=shape, **data)
        for one, x, other, y in (("j", J, "b", B), ("k", K, "c", C), ("f", F, "g", G)):
            model.close((bars[one], (x, 0, 0)), (bars[other], (y, 0, 0)), joint="revolute", name=f"pin {one}{leg}")
        tip = (bars["g"].T * tdisp(*foot)).e
        model.output(f"foot_{leg}_x", tip.x, unit="m")
        model.output(f"foot_{leg}_y", tip.y, unit="m")
    return model


def simulate() -> Trajectory:
    """Simulate about two turns of the crank."""
    return walking_legs().simulate(2, save_every=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = axes(ax, "y [m]", "x [m]", aspect="equal")
    for leg in "lr":
        ax.plot(run[f"foot_{leg}_x"], run[f"foot_{leg}_y"])
    return ax
