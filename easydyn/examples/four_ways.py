"""The double pendulum four ways: by its equations, by vectors, by relative motion, by the whole transformation.

Lesson: what easydyn derives for you, and what you may still do yourself. `closed_form` has Lagrange's equations from a
book, and no bodies. `by_hand` has velocities and accelerations derived by hand, in numbers, with `System`.
`relative_pendulum` places the lower rod as seen from the upper one. `double_pendulum` (pendulum.py) writes the
transformations of both rods from the ground. All four give the same accelerations, to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import cos, sin

from easydyn import Model, System, Trajectory, cross, tdisp, trotz, vcoord
from easydyn.examples.figures import axes
from easydyn.examples.pendulum import double_pendulum

PICTURES = {"angles": "and by Lagrange", "accelerations": "and the other ways"}


def closed_form() -> Model:
    """Lagrange's equations of the two angles, without bodies; q2 is the angle between the rods.

    >>> closed_form().compile().accelerations(0, [0, 1], [0, 0]).round(6)
    array([  2.345522, -15.675858])
    """
    model = Model("double pendulum by equations")
    q1, q2 = model.coordinates("q1 q2", initial=(0, 1), unit="rad")
    l1, l2, m1, m2, g = model.parameters(l1=1.2, l2=1.1, m1=1.1, m2=0.9, g=9.81)
    b = l2 / 2
    J1, J2 = m1 * l1**2 / 12 + m1 * l1**2 / 4, m2 * l2**2 / 12 + m2 * b**2  # about the upper end of each rod
    M11 = J1 + J2 + m2 * (l1**2 + 2 * l1 * b * cos(q2))
    M12 = J2 + m2 * l1 * b * cos(q2)
    turning = m2 * l1 * b * sin(q2)
    weight2 = m2 * g * b * sin(q1 + q2)
    weight1 = (m1 / 2 + m2) * g * l1 * sin(q1) + weight2
    model.equation(M11 * q1.ddot + M12 * q2.ddot - turning * (2 * q1.dot + q2.dot) * q2.dot + weight1)
    model.equation(M12 * q1.ddot + J2 * q2.ddot + turning * q1.dot**2 + weight2)
    return model


def by_hand() -> System:
    """Positions, velocities and accelerations by hand (eqs. 32-33); partial contributions are computed numerically.

    >>> by_hand().accelerations(0, [0, 1], [0, 0]).round(6)
    array([  2.345522, -15.675858])
    """
    l1, l2, m1, m2 = 1.2, 1.1, 1.1, 0.9

    def compute_motion(t: Any, q: Any, qd: Any, qdd: Any, bodies: Any) -> None:
        upper, lower = bodies
        upper.T = trotz(q[0]) * tdisp(0, -l1 / 2, 0)
        lower.T = trotz(q[0]) * tdisp(0, -l1, 0) * trotz(q[1]) * tdisp(0, -l2 / 2, 0)
        upper.omega, upper.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
        lower.omega, lower.omegad = vcoord(0, 0, qd[0] + qd[1]), vcoord(0, 0, qdd[0] + qdd[1])
        OG1 = upper.T.R * vcoord(0, -l1 / 2, 0)
        AG2 = lower.T.R * vcoord(0, -l2 / 2, 0)  # from the hinge between the rods
        upper.vG = cross(upper.omega, OG1)
        upper.aG = cross(upper.omegad, OG1) + cross(upper.omega, upper.vG)
        lower.vG = 2 * upper.vG + cross(lower.omega, AG2)
        lower.aG = 2 * upper.aG + cross(lower.omegad, AG2) + cross(lower.omega, cross(lower.omega, AG2))

    system = System(
        "double pendulum by hand", compute_motion, coordinates="q1 q2", gravity=(0, -9.81, 0), initial=[0, 1]
    )
    system.body("upper arm", mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    system.body("lower arm", mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    return system


def relative_pendulum() -> Model:
    """The lower rod as seen from the upper one: along its second half, a rotation by q2, and along half the lower rod.

    >>> relative_pendulum().compile().accelerations(0, [0, 1], [0, 0]).round(6)
    array([  2.345522, -15.675858])
    """
    model = Model("double pendulum by relative motion", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0, 1))
    l1, l2, m1, m2 = model.parameters(l1=1.2, l2=1.1, m1=1.1, m2=0.9)
    upper = model.body("upper arm", trotz(q1) * tdisp(0, -l1 / 2, 0), mass=m1, inertia=(1, 1, m1 * l1**2 / 12))
    hinge = upper.T * tdisp(0, -l1 / 2, 0)
    model.body("lower arm", hinge * trotz(q2) * tdisp(0, -l2 / 2, 0), mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
    return model


def simulate() -> Trajectory:
    """Simulate 5 s by relative motion."""
    return relative_pendulum().simulate(5, save_every=0.01, max_step=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "angles":
        other = closed_form().simulate(5, save_every=0.1)
        ax = axes(ax, "angles [rad]")
        for q in ("q1", "q2"):
            (line,) = ax.plot(run.t, run[q], label=q)
            ax.plot(other.t, other[q], ".", color=line.get_color(), label=f"{q}, Lagrange")
        ax.set_ylim(top=1.5)
        ax.legend(loc="upper center", ncols=2)
        return ax
    ax = axes(ax, "difference of q2.ddot [rad/s²]")
    some = slice(None, None, 5)
    state = run.t[some], run.q[some], run.qd[some]
    hand = by_hand()
    ways = {
        "vectors by hand": np.array([hand.accelerations(*each) for each in zip(*state, strict=True)]),
        "Lagrange's equations": closed_form().compile().accelerations(*state),
        "transforms from the ground": double_pendulum().compile().accelerations(*state),
    }
    for label, found in ways.items():
        ax.plot(state[0], (found - relative_pendulum().compile().accelerations(*state))[:, 1], ".", label=label)
    ax.set_ylim(top=6e-14)
    ax.legend(loc="upper right")
    return ax
