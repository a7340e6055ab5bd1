"""A thrown body with products of inertia: it tumbles, and its angular momentum stays.

Lesson: the use of an inertia tensor, and the sign of its products of inertia. H = I omega holds with the elements of
the tensor, and an off-diagonal element is minus an integral such as that of x y dm: with integrals 0.1, 0.2, 0.3 (xy,
xz, yz) and diagonal 1, 2, 3, the angular velocity (1, 2, 3) has the angular momentum (0.2, 3, 8.2). With the wrong sign
it would be (1.8, 5, 9.8), which belongs to another body.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn import Model, Trajectory, rotation_sequence, tdisp, visu
from easydyn.examples.figures import axes
from easydyn.vec import vector
from easydyn.visu import solids

PICTURES = {
    "drawing": "figure 1: reference frame of a body",
    "velocity": "angular velocity in body axes",
    "momentum": "angular momentum in ground and in body axes",
}


def free_body(diagonal: Sequence[float] = (1.5, 2, 3), integrals: Sequence[float] = (0.1, 0.2, 0.3)) -> Model:
    """A body of 1 kg is thrown up at 15 m/s, turning at (1, 2, 3) rad/s.

    Coordinates `x y z` of the centre of mass (m), then `yaw pitch roll` (rad), about z, the new y, the new x.

    Parameters
    ----------
    diagonal : 3 numbers (kg m2)
        Ixx, Iyy, Izz.
    integrals : 3 numbers (kg m2)
        Integrals of x y dm, x z dm, y z dm: minus the elements of the tensor.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    At zero angles the generalised forces of roll, pitch, yaw are moments about x, y, z; from rest they are I omegad,
    and no other body has the same:

    >>> model = free_body((1, 2, 3))
    >>> rest = np.zeros(6)
    >>> model.compile().residual(0, rest, rest, [0, 0, 0, 3, 2, 1])[5:2:-1].round(12)
    array([0.2, 3. , 8.2])

    That tensor is good for checking signs. No real body has it:

    >>> model.check()[0].split(",")[0]
    "body 'body': the largest principal moment"
    """
    model = Model("thrown body", gravity=(0, 0, -9.81))
    x, y, z, yaw, pitch, roll = model.coordinates("x y z yaw pitch roll", rates=(1, 0, 15, 3, 2, 1))
    Jxy, Jxz, Jyz = vector(integrals, "the integrals of inertia")
    inertia = (*vector(diagonal, "the diagonal of the tensor"), -Jxy, -Jyz, -Jxz)  # Ixx, Iyy, Izz, Ixy, Iyz, Ixz
    model.body("body", tdisp(x, y, z) * rotation_sequence("zyx", yaw, pitch, roll), mass=1, inertia=inertia)
    return model


def inertia_of(body: Any) -> np.ndarray:
    """The inertia tensor (kg m2) in numbers, (3, 3)."""
    return np.array([[float(body.inertia[i, j]) for j in range(3)] for i in range(3)])


def velocity_and_momentum(run: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angular velocity (rad/s) in body axes, angular momentum (N m s) in body axes and in ground axes: (N, 3) each."""
    (body,) = run.source.mechanism.bodies
    R = run.frames(body)[:, :3, :3]
    omega = np.einsum("nji,nj->ni", R, run.of(body.omega))
    tensor = inertia_of(body)
    momentum = omega @ tensor
    return omega, momentum, np.einsum("nij,nj->ni", R, momentum)


def drawing(ax: Any = None) -> Any:
    """Draw the body as the uniform ellipsoid of its inertia, its frame, and the ground frame."""
    model = free_body((1.5, 2, 2.5))
    model.gravity = (0, 0, 0)  # nothing but frames
    scene = model.scene(initial={"x": 6, "y": 1, "z": 3, "yaw": 0.5, "pitch": -0.4, "roll": 0.3})
    scene.parts = [part for part in scene.parts if part.kind == "centre"]
    moments, principal = np.linalg.eigh(inertia_of(model.bodies[0]))
    squares = 5 / 2 * (moments.sum() - 2 * moments)  # of its half axes: m (b^2 + c^2)/5 and so on, of 1 kg
    turned = np.eye(4)
    turned[:3, :3] = principal * np.sqrt(squares)
    turned[:3, 0] *= np.sign(np.linalg.det(principal))
    scene.add("body", visu.Mesh(solids.sphere(1.0, 72).placed(turned)))
    ax = scene.sketch(ax, frames=True)
    for text in [*ax.texts]:  # any body, in the paper, without coordinates
        text.set_text(text.get_text().replace("{1}", "i").replace("$x$, $y$, $z$", r"$\mathbf{e}_i$"))
        if "yaw" in text.get_text():
            text.remove()
    return ax


def simulate() -> Trajectory:
    """Simulate the flight of 3 s."""
    return free_body().simulate(3, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "drawing":
        return drawing(ax)
    omega, inside, outside = velocity_and_momentum(run)
    if name == "velocity":
        ax = axes(ax, "angular velocity [rad/s]")
        for values, axis in zip(omega.T, "xyz", strict=True):
            ax.plot(run.t, values, label=f"about {axis}")
        ax.set_ylim(-4, 5)
        ax.legend(loc="upper center", ncols=3)
    else:
        ax = axes(ax, "angular momentum [N m s]")
        for one, two, axis in zip(outside.T, inside.T, "xyz", strict=True):
            (line,) = ax.plot(run.t, one, label=f"{axis}, ground")
            ax.plot(run.t, two, "--", linewidth=1, color=line.get_color(), label=f"{axis}, body")
        ax.set_ylim(-8, 12.5)
        ax.legend(loc="upper center", ncols=3)
    return ax
