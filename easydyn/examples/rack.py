"""A wheel that spins at the end of an axle, whose rack turns about the vertical: precession and nutation.

Lesson: a fast spinning body does not fall, it moves sideways. Released at rest, the axle sinks a little and rises again
while it precesses; with a fast wheel it moves along a cycloid. At 10 rad/s the wheel is not fast: its axle falls
through the lowest point. The example is the third one of T. Zaiczek, O. Enge-Rosenblatt, Performance Analysis of von
Mises' Motor Calculus within Modelica, 2009, with masses and lengths of our own.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from easydyn import Model, Trajectory, tdisp, trotx, troty, trotz, visu
from easydyn.examples.figures import axes
from easydyn.examples.trolley import differences

PICTURES = {
    "path": "path of the axle on the unit sphere",
    "cycloid": "beside the cycloid of the fast top",
    "difference": "by motors less by vectors",
}

GRAVITY, ARM = 9.81, 0.2  # m/s2, m
RACK = 0.02  # kg m2, about the vertical
AXLE, WHEEL, RADIUS = 0.1, 1.0, 0.2  # kg, kg, m: a slender rod, a thin disc
SPIN = 50.0  # rad/s
ACROSS = AXLE * ARM**2 / 3 + WHEEL * (RADIUS**2 / 4 + ARM**2)  # kg m2, of axle and wheel about the rack's bearing
C = WHEEL * RADIUS**2 / 2  # kg m2, of the wheel about its axis
WEIGHT = (AXLE * ARM / 2 + WHEEL * ARM) * GRAVITY  # N m, about the bearing when the axle is level


def spinning_wheel(spin: float = SPIN) -> Model:
    """A thin disc of 1 kg and 0.2 m radius at the end of an axle of 0.2 m, level at first, on a rack; no friction.

    Coordinates `rack` about the vertical z, `axle` downwards from level, `wheel` about the axle (rad). The axle is
    released at rest, with the wheel spinning.

    Parameters
    ----------
    spin : float (rad/s)
        Spin of the wheel at the start.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = spinning_wheel().simulate(2, tolerance=1e-10, method="dop853")
    >>> bool(abs(run["axle"].max() - deepest(50)) < 1e-4)
    True
    """
    model = Model("spinning wheel", gravity=(0, 0, -GRAVITY))
    rack, axle, wheel = model.coordinates("rack axle wheel", rates=(0, 0, spin))
    turned = trotz(rack) * troty(axle)
    post = [visu.Cylinder(0.02, 0.4, at=tdisp(0, 0, -0.2), colour="grey")]
    model.body("rack", trotz(rack), mass=0, inertia=(0, 0, RACK), shape=post)
    J = AXLE * ARM**2 / 12
    model.body("axle", turned * tdisp(ARM / 2, 0, 0), mass=AXLE, inertia=(0, J, J),
               shape=visu.Cylinder(0.01, ARM, at=troty(np.pi / 2), colour="dark"))  # fmt: skip
    disc = [visu.Cylinder(RADIUS, 0.02, at=troty(np.pi / 2), colour="blue"),
            visu.Box(0.024, 0.02, 0.9 * RADIUS, at=tdisp(0, 0, RADIUS / 2), colour="white", name="mark")]  # fmt: skip
    model.body("wheel", turned * tdisp(ARM, 0, 0) * trotx(wheel), mass=WHEEL, inertia=(C, C / 2, C / 2), shape=disc)
    return model


class FastTop(NamedTuple):
    """The cycloid of a fast top that is released at rest with its axis level.

    Attributes
    ----------
    precession : float (rad/s)
        Mean rate about the vertical: weight / spin momentum.
    nutation : float (rad/s)
        Rate of nutation.
    depth : float (rad)
        Half of the largest drop, about which the axle oscillates.
    """

    precession: float
    nutation: float
    depth: float

    def angles(self, t: Any) -> tuple[Any, Any]:
        """Angles of rack and axle (rad) at times t (s)."""
        phase = self.nutation * np.asarray(t)
        return self.precession / self.nutation * (phase - np.sin(phase)), self.depth * (1 - np.cos(phase))


def fast_top(spin: float = SPIN) -> FastTop:
    """The motion in closed form for a wheel of high spin (rad/s).

    With the spin momentum H = C spin and inertias A about the vertical, B about the bearing, small angles obey
    A rack'' = H axle', B axle'' = weight - H rack': a cycloid of rate H/sqrt(A B).
    """
    H, A, B = C * spin, RACK + ACROSS, ACROSS
    precession = WEIGHT / H
    return FastTop(precession, H / sqrt(A * B), A * precession / H)


def deepest(spin: float = SPIN) -> float:
    """The largest drop of the axle (rad), for any spin (rad/s), in closed form; pi if it passes the lowest point.

    The momenta about the vertical and about the axle are conserved, and so is the energy. With S = sin(axle), the
    turning point is at 2 weight B S^2 + H^2 S = 2 weight A.
    """
    a, b, c = 2 * WEIGHT * ACROSS, (C * spin) ** 2, 2 * WEIGHT * (RACK + ACROSS)
    S = 2 * c / (b + sqrt(b * b + 4 * a * c))
    return float(np.arcsin(S)) if S < 1 else np.pi


def simulate() -> Trajectory:
    """Simulate 10 s at 50 rad/s."""
    return spinning_wheel().simulate(10, save_every=0.005)


def on_sphere(run: Trajectory) -> np.ndarray:
    """The point where the axle meets the unit sphere: x, y, z, (N, 3)."""
    rack, axle = run["rack"], run["axle"]
    return np.column_stack([np.cos(axle) * np.cos(rack), np.cos(axle) * np.sin(rack), -np.sin(axle)])


def projected(path: np.ndarray) -> np.ndarray:
    """Projection of points (N, 3) as seen from an elevation of 35 degrees: to the right and up, (2, N)."""
    x, y, z = path.T
    c, s = np.cos(np.radians(35)), np.sin(np.radians(35))
    return np.array([(x + y) / np.sqrt(2), c * z + s * (y - x) / np.sqrt(2)])


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "difference":
        return differences(spinning_wheel(), {"rack, axle, wheel [rad]": ["rack", "axle", "wheel"]}, ax)
    if name == "path":
        slow = spinning_wheel(10).simulate(3, save_every=0.005)
        ax = axes(ax, "", "", aspect="equal")
        circle = np.linspace(0, 2 * np.pi, 200)
        level = np.column_stack([np.cos(circle), np.sin(circle), 0 * circle])
        ax.plot(*projected(level), "k:", linewidth=0.8, label="level")
        for label, path in (("50 rad/s, 3 s", on_sphere(run)[run.t <= 3]), ("10 rad/s, 3 s", on_sphere(slow))):
            ax.plot(*projected(path), linewidth=1, label=label)
        ax.legend(loc="upper right")
        return ax
    top = fast_top()
    ax = axes(ax, "axle [rad]", "rack [rad]")
    few = run.t <= 1
    ax.plot(run["rack"][few], run["axle"][few], label="50 rad/s")
    ax.plot(*top.angles(run.t[few]), "k--", linewidth=1, label="fast top")
    ax.invert_yaxis()
    ax.legend(loc="upper right")
    return ax
