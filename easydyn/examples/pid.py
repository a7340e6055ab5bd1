"""The speed of a direct-current motor under P, PI and PID control, continuous or sampled.

Lesson: the purpose of each term. P alone leaves an error, at 50 * 10/11 rad/s. The integral removes this error. The
derivative reacts to the step of the set-point with a sharp peak. A continuous controller consists of states and
equations of the model. A sampled controller is a Python object that is called every millisecond, and the run lands on
each of its samples. The shorter the period, the better the two agree.
"""

from __future__ import annotations

from typing import Any

from easydyn import PID, Model, Trajectory, continuous_pid
from easydyn.errors import InputError
from easydyn.examples.figures import axes
from easydyn.examples.motor import dc_motor
from easydyn.inputs import among

PICTURES = {"speed": "set point 50 rad/s", "sampled": "PID, continuous and sampled"}

SET_POINT = 50  # rad/s
FILTER = 1e-3  # s, of the error: 1000 rad/s
GAINS: dict[str, dict[str, float]] = {
    "P": {"proportional": 0.2},
    "PI": {"proportional": 0.18, "integral": 0.1},
    "PID": {"proportional": 0.24, "integral": 0.17, "derivative": 0.03},
}


def speed_control(law: str = "PID", period: float | None = None) -> Model:
    """The motor of motor.py with a speed controller for its voltage; the set-point steps to 50 rad/s at t = 0.

    Parameters
    ----------
    law : {"P", "PI", "PID"}
        Key of GAINS.
    period : float (s), optional
        Period of a sampled controller; if left out, the controller is continuous, with a filter of the error at 1000
        rad/s.

    Returns
    -------
    Model
        Ready for `simulate`.

    Raises
    ------
    InputError
        Another law.

    Example
    -------
    >>> run = speed_control("P").simulate(10)
    >>> round(float(run["speed"][-1]), 3)  # P leaves an error of 1/(1 + 50 P)
    45.455
    """
    if not among(law, GAINS):
        raise InputError(f"law={law!r}: expected one of {', '.join(GAINS)}.")
    if period is not None:
        model = dc_motor()
        law_of_motor = PID("speed", "u", setpoint=lambda t: SET_POINT if t > 0 else 0, **GAINS[law])
        model.controller(period, law_of_motor)
    else:
        model = dc_motor(
            lambda model, speed: continuous_pid(model, "control", SET_POINT - speed, filter=FILTER, **GAINS[law])
        )
    model.name = f"DC motor with {law} control"
    return model


def simulate() -> Trajectory:
    """Simulate 5 s with the continuous PID controller."""
    return speed_control().simulate(5, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = axes(ax, "speed [rad/s]")
    if name == "speed":
        for law in ("P", "PI"):
            other = speed_control(law).simulate(5, save_every=0.01)
            ax.plot(other.t, other["speed"], label=law)
        ax.plot(run.t, run["speed"], label="PID")
        ax.axhline(SET_POINT, color="k", linestyle=":", linewidth=1, label="set point")
    else:
        ax.plot(run.t, run["speed"], "k", label="continuous")
        for period in (0.1, 0.03, 0.001):
            other = speed_control("PID", period).simulate(5, save_every=0.01)
            ax.plot(other.t, other["speed"], "--", label=f"sampled every {1000 * period:g} ms")
        ax.set_xlim(0, 2)
    ax.legend()
    return ax
