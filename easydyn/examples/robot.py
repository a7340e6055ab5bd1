"""The spatial robot of the paper (section VII.C): five degrees of freedom, actuators whose forces jump in time.

Lesson: in space everything works as in the plane. Each actuator acts between two bodies. The run lands on the instants
at which the forces jump; a method that steps across them ends 1 cm away.
"""

from __future__ import annotations

from typing import Any

from sympy import Piecewise, exp, pi

from easydyn import Force, Model, Moment, Trajectory, t, tdisp, trotx, troty, trotz
from easydyn.inputs import finite

PICTURES = {
    "drawing": "figure 12: joints and coordinates",
    "motion": "figure 13: results of the robot simulation",
    "image": "figure 14: in motion",
}
PLOTS = {"motion": ()}


def _phases(first: Any, second: Any, third: Any) -> Piecewise:
    """An effort of table IV: until 0.5 s, until 1.5 s, until the end."""
    return Piecewise((first, t < 0.5), (second, t < 1.5), (third, True))


def spatial_robot(slope: float = 673) -> Model:
    """Point-to-point motion of a robot with lift, turret, sliding and rolling arm, and gripper.

    Coordinates: `lift` z (m), `turret` rotation about z (rad), `slide` of the arm along its y (m), `roll` of the arm
    about y (rad), `grip` rotation of the end arm about x (rad). Tables III and IV; gravity 9.81 m/s2 along -z.

    Parameters
    ----------
    slope : float
        T0z = slope t - 508 (N m, with t in s) in the first half second: the paper's listing has 673 (the default, which
        its design motion confirms), its table 637.

    Returns
    -------
    Model
        Ready for `simulate`.

    Raises
    ------
    InputError
        A slope that is not a finite number.

    Example
    -------
    >>> spatial_robot().names
    ('lift', 'turret', 'slide', 'roll', 'grip')
    """
    slope = finite(slope, "the slope of T0z")
    model = Model("spatial robot", gravity=(0, 0, -9.81))
    lift, turret, slide, roll, grip = model.coordinates(
        "lift turret slide roll grip", initial=(2.25, -pi / 6, 0.75, 0, 0)
    )
    L, C = model.parameters(L=0.5, C=0.05)
    column = trotz(turret) * tdisp(0, 0, lift)
    base = model.body("base", column, mass=250, inertia=(90, 10, 90))
    arm = model.body("arm", column * troty(roll) * tdisp(0, slide, 0), mass=150, inertia=(13, 0.75, 13))
    end = column * troty(roll) * tdisp(0, slide + L, 0) * trotx(grip) * tdisp(0, C, 0)
    hand = model.body("hand", end, mass=100, inertia=(4, 1, 4.3))
    model.add(
        Force(base, (0, 0, _phases(6348, 4905, 3462))),
        Moment(base, (0, 0, _phases(slope * t - 508, 148 * exp(-5.5 * (t - 0.5)) - 8, 240))),
        Force(arm, (0, _phases(36 * t + 986, -2, -1019), 0), frame=arm, reaction=base),
        Moment(hand, (_phases(63.5, 49.05, 34.6), 0, 0), frame=arm, reaction=arm),
    )
    return model


def simulate() -> Trajectory:
    """Simulate the run of the paper: 2 s."""
    return spatial_robot().simulate(2, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "drawing":
        seen = {"lift": 1.1, "turret": -0.5, "slide": 0.9, "grip": 0.4}
        return spatial_robot().scene(initial=seen).sketch(ax, towards=(1, -0.25, 0.45))
    return run.animate(trace="hand").picture(at=(0, 0.8, 1.3, 2), ax=ax)
