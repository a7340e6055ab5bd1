"""A ball bounces ever lower, infinitely often in four seconds, and lies still.

Lesson: sudden changes are events. The run locates each impact to rounding accuracy, and reverses the velocity at once.
The impacts accumulate at a finite time. There the contact closes permanently and carries the weight.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from easydyn import Model, RigidContact, Trajectory, tdisp
from easydyn.examples.figures import axes

PICTURES = {"height": "height above the floor", "gaps": "time between impacts"}

HEIGHT, GRAVITY = 1.0, 9.81  # m, m/s2


def bouncing_ball(restitution: float = 0.8) -> Model:
    """A ball of 0.5 kg and 5 cm radius falls 1 m onto a rigid floor.

    Coordinate `height` of its lowest point (m); `run["floor"]` is the impulse so far (N s), `run["floor.dot"]` the
    force of the floor (N).

    Parameters
    ----------
    restitution : float (no unit)
        Speed after an impact divided by the speed before it.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = bouncing_ball().simulate(5)
    >>> found = [event.t for event in run.events[:10]]
    >>> bool(abs(np.array(found) - impact_times(10)).max() < 1e-9)
    True
    """
    model = Model("bouncing ball", gravity=(0, -GRAVITY, 0))
    (height,) = model.coordinates("height", initial=HEIGHT)
    radius, e = model.parameters(radius=0.05, e=restitution)
    moment = 2 * 0.5 * radius**2 / 5
    ball = model.body("ball", tdisp(0, height + radius, 0), mass=0.5, inertia=(moment, moment, moment))
    model.add(RigidContact(ball.T.e[1] - radius, restitution=e, name="floor"))
    return model


def impact_times(number: int, restitution: float = 0.8) -> Any:
    """Times (s) of the first impacts, in closed form."""
    fall = sqrt(2 * HEIGHT / GRAVITY)
    flights = 2 * fall * restitution ** np.arange(1, number)
    return fall + np.concatenate(([0], np.cumsum(flights)))


def accumulation(restitution: float = 0.8) -> float:
    """The time (s) at which the impacts accumulate."""
    return sqrt(2 * HEIGHT / GRAVITY) * (1 + restitution) / (1 - restitution)


def simulate() -> Trajectory:
    """Simulate 5 s, until the ball has long been at rest."""
    return bouncing_ball().simulate(5, save_every=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "height":
        ax = run.plot("height", ax=ax)
        ax.axvline(accumulation(), color="k", linestyle="--", linewidth=1, label="impacts pile up")
    else:
        times = np.array([event.t for event in run.events[:-1]])
        ax = axes(ax, "time to the next impact [s]", "impact")
        ax.semilogy(np.arange(1, len(times)), np.diff(times), ".", label="run")
        expected = np.diff(impact_times(len(times)))
        ax.semilogy(np.arange(1, len(times)), expected, linewidth=1, label="2 sqrt(2h/g) 0.8^n")
    ax.legend()
    return ax
