"""A double pendulum on a trolley, by three derivations: vectors, the textbook, motor calculus.

Lesson: the way of deriving the equations does not change the motion. The example is the first one of T. Zaiczek, O.
Enge-Rosenblatt, Performance Analysis of von Mises' Motor Calculus within Modelica, 2009, who compare two libraries in
this way. Their paper prints no data; the numbers here are our own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sympy import pi

from easydyn import GeneralizedForce, Model, Trajectory, tdisp, trotz, visu
from easydyn.examples.figures import axes

PICTURES = {
    "trolley": "position of the trolley",
    "angles": "angles of the pendulum",
    "difference": "by motors less by vectors",
}
PLOTS = {"trolley": ("s",), "angles": ("phi1", "phi2")}
SCHEMES = ("recursive", "explicit", "motor")


def trolley_pendulum() -> Model:
    """A trolley of 5 kg on a level track, a body that hangs on it, and a second body on the first; friction everywhere.

    Coordinates `s` of the trolley (m), `phi1` of the upper body from hanging, `phi2` of the lower one from the upper
    (rad). The motion begins with the upper body level.

    >>> run = trolley_pendulum().simulate(10, save_every=0.01)
    >>> round(float(abs(run["s"]).max()), 2)
    0.68
    """
    model = Model("trolley pendulum", gravity=(0, -9.81, 0))
    s, phi1, phi2 = model.coordinates("s phi1 phi2", initial=(0, pi / 2, 0))
    M0, M1, M2 = model.parameters(M0=5, M1=2, M2=1.5)
    J1, J2 = model.parameters(J1=0.2, J2=0.1)
    l1, a1, a2 = model.parameters(l1=1, a1=0.5, a2=0.4)
    wheels = [
        visu.Cylinder(0.06, 0.04, at=tdisp(0.2 * i, -0.1, 0.12 * k), colour="dark") for i in (-1, 1) for k in (-1, 1)
    ]
    trolley = tdisp(s, 0, 0)
    upper = trolley * trotz(phi1)
    lower = upper * tdisp(0, -l1, 0) * trotz(phi2)
    model.body("trolley", trolley, mass=M0, inertia=(0, 0, 0), shape=[visu.Box(0.6, 0.14, 0.2), *wheels])
    model.body("upper", upper * tdisp(0, -a1, 0), mass=M1, inertia=(0, 0, J1), shape=rod(1.0, 0.5, "blue"))
    model.body("lower", lower * tdisp(0, -a2, 0), mass=M2, inertia=(0, 0, J2), shape=rod(0.8, 0.4, "orange"))
    for q, d in zip((s, phi1, phi2), model.parameters(d0=1.0, d1=0.2, d2=0.1), strict=True):
        model.add(GeneralizedForce(q, -d * q.dot))
    return model


def rod(length: float, above: float, colour: str) -> list[Any]:
    """A bar of a given length (m), with its upper end at a given distance (m) above the frame."""
    bar = visu.Box(0.07, length, 0.05, at=tdisp(0, above - length / 2, 0), colour=colour)
    return [bar, visu.Cylinder(0.05, 0.08, at=tdisp(0, above, 0), colour="grey")]


def by_schemes(model: Model, schemes: Sequence[str] = SCHEMES) -> dict[str, Trajectory]:
    """10 s of the same motion by each scheme, so accurate that the error of the method is negligible in comparison."""
    return {
        name: model.simulate(10, scheme=name, method="dop853", tolerance=1e-12, save_every=0.02) for name in schemes
    }


def simulate() -> Trajectory:
    """Simulate 10 s."""
    return trolley_pendulum().simulate(10, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    groups = {"s [m]": ["s"], "phi1 [rad]": ["phi1"], "phi2 [rad]": ["phi2"]}
    return differences(trolley_pendulum(), groups, ax)


def differences(model: Model, groups: Mapping[str, Sequence[str]], ax: Any = None) -> Any:
    """Plot the deviation of motors from vectors: the largest of each group of columns, at every instant."""
    ax = axes(ax, "difference")
    ours, theirs = by_schemes(model, ("motor", "recursive")).values()
    for label, columns in groups.items():
        ax.plot(ours.t, np.max([abs(ours[c] - theirs[c]) for c in columns], axis=0), label=label)
    ax.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
    ax.legend(loc="upper right")
    return ax
