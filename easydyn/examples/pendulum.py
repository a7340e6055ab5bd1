"""The double pendulum of the paper (figure 2, section VII.A): two rods in a vertical plane, released from rest.

Lesson: write the position of each body, from the ground outwards, and nothing else. The energy is conserved within the
tolerance.
"""

from __future__ import annotations

from typing import Any

from easydyn import Model, Trajectory, tdisp, trotz

PICTURES = {"drawing": "figure 2: frames and angles", "angles": "figure 8: evolution of the angles"}


def double_pendulum() -> Model:
    """Rods of 1.2 m and 1.1 m, masses 1.1 kg and 0.9 kg; q1 = 0, q2 = 1 rad at rest (section VI and VII.A).

    >>> double_pendulum().compile().accelerations(0, [0, 1], [0, 0]).round(6)
    array([  2.345522, -15.675858])
    """
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0, 1))
    l1, l2, m1, m2 = model.parameters(l1=1.2, l2=1.1, m1=1.1, m2=0.9)
    upper = trotz(q1) * tdisp(0, -l1 / 2, 0)  # eq. (3)
    lower = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)  # eq. (4)
    model.body("upper arm", upper, mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    model.body("lower arm", lower, mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    return model


def simulate() -> Trajectory:
    """Simulate the run of the paper: 5 s."""
    return double_pendulum().simulate(5, save_every=0.01, max_step=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "drawing":
        scene = double_pendulum().scene(initial={"q1": 0.5, "q2": 0.6})
        return scene.sketch(ax, frames=True, points=True)
    ax = run.plot("q1", "q2", ax=ax)
    ax.set_ylabel("angles [rad]")
    return ax
