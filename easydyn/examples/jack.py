"""The hydraulic jack of the paper (figure 3, eqs. 23-29): no body at all, but two stiff pressures.

Lesson: equations need not come from bodies. The oil is stiff. At first the pressures oscillate fast and the steps are
microseconds long; when the oscillations decay, the steps grow about a hundredfold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import Abs, Piecewise, sign, sqrt

from easydyn import Model, Trajectory, ground, t, tdisp, troty, visu
from easydyn.result.plots import axes
from easydyn.visu import solids
from easydyn.visu.drafting import ACCENT, FILL, THIN, Drafter
from easydyn.visu.scene import End

PICTURES = {
    "drawing": "figure 3: chambers, mass and spring",
    "position": "figure 4: mass position",
    "pressures": "figure 5: pressure in the chambers",
    "velocity": "figure 6: mass velocity",
    "steps": "figure 7: evolution of the time step",
}
PLOTS = {"position": ("x",), "velocity": ("x.dot",)}


def hydraulic_jack() -> Model:
    """A jack pushes a mass against a spring; the supply pressure rises from 10 to 100 bar in 0.01 s (table I).

    Coordinate `x` (m), first-order states `p1`, `p2` (Pa). The second value called V01 in table I is V02 = 3e-4 m3.

    >>> jack = hydraulic_jack()
    >>> float(jack.compile().accelerations(0, [0, 0, 0], [0, 10e5, 10e5])[0].round(9))  # 1000 N - 500 N on 10 kg
    50.0
    """
    model = Model("hydraulic jack")
    (x,) = model.coordinates("x", unit="m")
    p1, p2 = model.states("p1 p2", initial=(10e5, 10e5), unit="Pa")
    m, k, K, rho, pE2, S1, S2, V01, V02, Cd, Se1, Se2 = model.parameters(
        m=10, k=1e5, K=2e8, rho=860, pE2=10e5, S1=1e-3, S2=5e-4, V01=1e-4, V02=3e-4, Cd=0.611, Se1=1e-5, Se2=1e-5
    )
    pE1 = Piecewise((10e5 + 9e8 * t, t < 0.01), (100e5, True))

    def flow(Se: Any, difference: Any) -> Any:  # eq. (23)
        return Cd * Se * sqrt(2 * Abs(difference) / rho) * sign(difference)

    model.equation(m * x.ddot + k * x - p1 * S1 + p2 * S2)  # (25)
    model.equation(S1 * x.dot + (V01 + S1 * x) / K * p1.dot - flow(Se1, pE1 - p1))  # (27)
    model.equation(-S2 * x.dot + (V02 - S2 * x) / K * p2.dot - flow(Se2, pE2 - p2))  # (28)
    return model


def simulate() -> Trajectory:
    """Simulate the run of the paper: 1 s, with steps of at most 0.5 ms."""
    return hydraulic_jack().simulate(1, save_every=0.001, max_step=0.0005)


class Sizes:
    """Lengths (m) from the data of table I: of the chambers at x = 0, V0/S, and radii of round cross sections.

    Radii are drawn `wider` times as large as they are. Mass and spring are drawn at a size that suits the picture.
    """

    def __init__(self, parameters: Any, wider: float = 3.0):
        S1, S2, V01, V02 = (parameters[name] for name in ("S1", "S2", "V01", "V02"))
        self.first, self.second = V01 / S1, V02 / S2
        self.piston = wider * (S1 / np.pi) ** 0.5
        self.rod = wider * ((S1 - S2) / np.pi) ** 0.5  # what chamber 2 lacks of the cross section
        self.thick, self.reach, self.mass, self.spring = 0.03, 0.12, 0.16, 0.35
        self.end = self.first + self.thick + self.second  # of the cylinder, from its bottom
        self.free = self.end + self.reach  # where the rod ends at x = 0


def scene(model: Model | None = None) -> Any:
    """The jack as a `visu.Scene`: cylinder, piston, mass, spring; a model without bodies has no shapes of its own."""
    model = model or hydraulic_jack()
    sizes = Sizes(model.values())
    found = model.scene()
    found.parts.clear()
    turned = troty(np.pi / 2)
    middle, wall = sizes.end / 2, sizes.free + sizes.mass + sizes.spring
    outer, side = sizes.piston + 0.008, sizes.mass
    tube = visu.Tube(outer, sizes.piston, sizes.end, at=tdisp(middle, 0, 0) * turned, colour="sky", opacity=0.35)
    caps = [visu.Cylinder(outer, 0.012, at=tdisp(x, 0, 0) * turned, colour="grey") for x in (0, sizes.end)]
    ports = [visu.Cylinder(0.012, 0.05, at=tdisp(x, 0, outer + 0.02), colour="grey") for x in (0.03, sizes.end - 0.03)]
    board = visu.Box(0.03, 2 * side, 2 * side, at=tdisp(wall + 0.015, 0, 0), colour="grey")
    found.add(ground, tube, *caps, *ports, board)
    end = sizes.free - sizes.first - sizes.thick / 2  # of the rod, from the piston
    found.add(
        "x",
        visu.Cylinder(sizes.piston, sizes.thick, at=tdisp(sizes.first + sizes.thick / 2, 0, 0) * turned, colour="dark"),
        visu.Cylinder(sizes.rod, end, at=tdisp(sizes.free - end / 2, 0, 0) * turned, colour="light"),
        visu.Box(sizes.mass, side, side, at=tdisp(sizes.free + sizes.mass / 2, 0, 0), colour="blue", name="mass"),
    )
    ends = (End("x", np.array([sizes.free + sizes.mass, 0, 0])), End("ground", np.array([wall, 0, 0])))
    coil = solids.coil(0.04, 0.007, 8)
    found.parts.append(visu.Part("spring", "x", "between", visu.COLOURS["dark"], coil, ends=ends))
    found.view = visu.View(np.array([wall / 2, 0.0, 0.0]), (1.15 * wall, 0.5), np.array([0.0, 0.0, 1.0]),
                           np.array([0.25, -1.0, 0.35]))  # fmt: skip
    return found


def drawing(ax: Any = None) -> Any:
    """The figure of the paper, with chamber lengths from their volumes, for x = 5 cm."""
    sizes, x = Sizes(hydraulic_jack().values(), 6.0), 0.05
    ax = axes(ax)
    ax.set_aspect("equal")
    ax.set_axis_off()
    paper = Drafter(ax, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]), 0.7)

    def at(u: float, v: float) -> np.ndarray:
        return np.array([u, v, 0.0])

    def box(u0: float, u1: float, v: float, fill: str, order: float = 2.0) -> None:
        paper.polygon([at(u0, -v), at(u1, -v), at(u1, v), at(u0, v)], fill, order=order)

    R, r, face = sizes.piston, sizes.rod, sizes.first + x
    rod_end = sizes.free + x
    wall = sizes.free + sizes.mass + sizes.spring
    box(0, sizes.end, R, "#d7e9f4", 1.5)  # oil
    box(face, face + sizes.thick, R, "#9aa5ae")
    box(face + sizes.thick, rod_end, r, FILL)
    box(rod_end, rod_end + sizes.mass, 0.7 * sizes.mass, FILL)
    paper.text(at(rod_end + sizes.mass / 2, 0), "$m$")
    paper.spring(at(rod_end + sizes.mass, 0), at(wall, 0))
    paper.label(at((rod_end + sizes.mass + wall) / 2, 0.03), at(0, 1), "$k$")
    paper.hatched(at(wall, 0.13), at(wall, -0.13), at(1, 0))
    floor = 0.7 * sizes.mass
    paper.hatched(at(sizes.free - 0.05, -floor), at(wall, -floor), at(0, -1))
    for number, place, middle in ((1, 0.03, face / 2), (2, sizes.end - 0.03, (face + sizes.thick + sizes.end) / 2)):
        pipe = [at(place + side * 0.012, v) for side, v in ((-1, R), (1, R), (1, R + 0.16), (-1, R + 0.16))]
        paper.polygon(pipe, "#d7e9f4", order=1.4)
        for side in (-1, 1):  # the throttling section
            tip = place + 0.004 * side
            paper.polygon([at(place + 0.012 * side, R + 0.05), at(tip, R + 0.06), at(place + 0.012 * side, R + 0.07)],
                          "#1a1a1a", order=2)  # fmt: skip
        paper.label(at(place + 0.012, R + 0.06), at(1, 0), f"$S_{{e{number}}}$")
        paper.label(at(place, R + 0.16), at(0, 1), f"$p_{{E{number}}}$")
        paper.arrow(at(place - 0.035, R + 0.14), at(place - 0.035, R + 0.06), ACCENT, 1.0)
        paper.label(at(place - 0.035, R + 0.1), at(-1, 0), f"$Q_{number}$", ACCENT)
        text = f"$p_{number}, V_{number}$"
        if number == 1:
            paper.text(at(middle, 0), text)
        else:
            paper.line([at(middle, (R + r) / 2), at(middle, R + 0.045)], width=THIN)
            paper.label(at(middle, R + 0.045), at(0, 1), text, gap=0.01)
    paper.label(at(face - 0.004, 0.62 * R), at(-1, 0), "$S_1$", gap=0.01)
    paper.label(at(face + sizes.thick + 0.004, -(R + r) / 2), at(1, 0), "$S_2$", gap=0.01)
    for u in (sizes.first, face):
        paper.line([at(u, -R), at(u, -R - 0.09)], ACCENT, THIN)
    paper.arrow(at(sizes.first, -R - 0.07), at(face, -R - 0.07), ACCENT, 1.0)
    paper.label(at(face, -R - 0.07), at(1, 0), "$x$", ACCENT)
    paper.dimension(at(0, -R), at(sizes.first, -R), r"$V_{01}/S_1$", at(0, -1), 0.07)
    ax.margins(0.04, 0.12)
    ax.autoscale_view()
    return ax


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "drawing":
        return drawing(ax)
    if name == "steps":
        return run.plot_steps(ax=ax)
    ax = run.plot("p1", "p2", ax=ax)
    for line in ax.lines:
        line.set_ydata(line.get_ydata() / 1e5)
    ax.relim()
    ax.autoscale()
    ax.set_ylabel("pressures [bar]")
    return ax
