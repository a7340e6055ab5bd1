"""A seven-axis arm moves its hand along a line: inverse kinematics, inverse dynamics, computed torque.

Lesson: the way from a task to torques. The poses of the hand become angles, each found from the one before
(`inverse_kinematics`). Angles become torques: the residual of the equations of motion is what a motion needs beside the
model's own forces. A controller in three lines adds what brings the arm back to its path. The arm has one axis more
than the pose of a hand needs. Its data are round numbers in the proportions of such arms, and of no maker.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from math import pi
from typing import Any

import numpy as np

from easydyn import GeneralizedForce, Model, Trajectory, tdisp, troty, trotz, visu
from easydyn.examples.figures import axes
from easydyn.inputs import function

PICTURES = {"image": "in motion", "error": "angles beside their path", "torques": "torques of the joints"}
PLOTS = {"torques": tuple(f"torque{k}" for k in range(1, 8))}

# the axis of each joint, and the way to the next one (m)
LINKS: tuple[tuple[Callable[..., Any], tuple[float, float, float]], ...] = (
    (trotz, (0, 0, 0.35)), (troty, (0, 0, 0.16)), (trotz, (0.08, 0, 0.16)), (troty, (-0.08, 0, 0.2)),
    (trotz, (0, 0, 0.2)), (troty, (0.09, 0, 0)), (trotz, (0, 0, 0.12)),
)  # fmt: skip
DENSITY = 1500  # kg/m3, of all parts as if they were solid
READY = np.array([0, -0.2, 0, 1.8, 0, pi - 1.6, 0])  # rad: the hand points down
ROTOR = 0.1  # kg m2, of each motor, as the joint feels it through the gear
TRAVEL, PERIOD = 2.0, 0.002  # s
KP, KD = 100.0, 20.0  # 1/s2, 1/s: two poles at 10 rad/s


def arm() -> Model:
    """The arm and its hand without a controller: the torque of each joint (N m) is an input."""
    model, T = Model("seven-axis arm", gravity=(0, 0, -9.81)), tdisp(0, 0, 0)
    for k, (turn, way) in enumerate(LINKS, start=1):
        q = model.coordinate(f"joint{k}", initial=READY[k - 1] + 0.1 * (k == 2))
        T, radius = T * turn(q), 0.065 - 0.005 * k
        shape = [visu.Sphere(1.3 * radius, colour="dark"), visu.Cylinder.along(way, radius, colour="light")]
        model.body(f"link {k}", T, density=DENSITY, shape=shape)
        model.add(GeneralizedForce(q, model.input(f"torque{k}", unit="N m") - ROTOR * q.ddot))
        T = T * tdisp(*way)
    palm = visu.Box(0.04, 0.16, 0.05, at=tdisp(0, 0, 0.025), colour="grey")
    fingers = [visu.Box(0.02, 0.02, 0.08, at=tdisp(0, y, 0.09), colour="orange") for y in (-0.04, 0.04)]
    model.body("hand", T, density=DENSITY, shape=[palm, *fingers])
    return model


@cache
def path() -> Any:
    """The seven angles (rad) along the line as a spline of time (s): `path()(t)`; `path()(t, 1)` are their rates."""
    from scipy.interpolate import make_interp_spline

    model, t = arm(), np.linspace(0, TRAVEL, 81)
    s = t[:, None] / TRAVEL
    poses = np.tile(model.compile().frames(0, READY)[-1], (len(t), 1, 1))
    poses[:, :3, 3] += s**3 * (10 - 15 * s + 6 * s**2) * (0.1, 0.4, -0.2)  # from rest to rest
    found = model.inverse_kinematics({"hand": poses}, initial=dict(zip(model.names, READY, strict=True)))
    return make_interp_spline(t, found.q, k=5)


def computed_torque(system: Any) -> Callable[[float, Any, Any], Any]:
    """The law: the torques (N m) that give the error of each angle the equation e'' + KD e' + KP e = 0."""

    def law(t: float, q: Any, qd: Any) -> Any:
        wanted, rate, acceleration = (path()(min(t, TRAVEL), order) for order in range(3))
        return system.residual(t, q, qd, acceleration + KD * (rate - qd) + KP * (wanted - q))

    return law


def seven_axis_arm(law: Callable[[float, Any, Any], Any] | None = None) -> Model:
    """An arm of 26 kg, whose hand a sampled controller moves along a straight line.

    Coordinates `joint1` ... `joint7` (rad), inputs `torque1` ... `torque7` (N m), set 500 times a second. It starts at
    rest, 0.1 rad beside its path in the second joint. In 2 s the hand moves 0.1 m along x, 0.4 m along y, 0.2 m down.

    Parameters
    ----------
    law : function of (t, q, qd) -> seven torques (N m), optional
        The controller, of time (s), angles (rad) and rates (rad/s), arrays (7,); computed torque if left out.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = seven_axis_arm().simulate(2)
    >>> bool(abs(run.q[-1] - path()(2)).max() < 1e-4)
    True
    """
    model = arm()
    law = computed_torque(model.compile()) if law is None else function(law, "law", "t, q, qd")
    rates = [f"{q}.dot" for q in model.names]

    def sampled(t: float, state: Mapping[str, float]) -> dict[str, float]:
        q, qd = (np.array([state[name] for name in names]) for names in (model.names, rates))
        return {f"torque{k}": float(torque) for k, torque in enumerate(law(t, q, qd), start=1)}

    model.controller(PERIOD, sampled, name="law")
    return model


def simulate() -> Trajectory:
    """Simulate the way along the line, and half a second after it."""
    return seven_axis_arm().simulate(2.5, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "image":
        return run.animate(trace="hand").picture(at=(0, 0.8, 1.2, 2), ax=ax)
    ax = axes(ax, "angle less its path [rad]")
    ax.plot(run.t, run.q - path()(np.minimum(run.t, TRAVEL)), label=list(run.names))
    ax.legend(ncols=2)
    return ax
