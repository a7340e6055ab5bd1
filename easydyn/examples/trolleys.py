"""A chain of four bodies between two trolleys: a closed loop, by three derivations.

Lesson: to close a loop, name the two points that meet. The equations of motion, however they are derived, are those of
the open chain; the joint that closes the loop adds its forces. The example is the second one of T. Zaiczek, O.
Enge-Rosenblatt, Performance Analysis of von Mises' Motor Calculus within Modelica, 2009, with lengths, masses and
friction of our own.
"""

from __future__ import annotations

from itertools import accumulate
from math import cos, radians, sin
from typing import Any

from easydyn import GeneralizedForce, Model, Trajectory, tdisp, trotz, visu
from easydyn.examples.trolley import differences, rod

PICTURES = {
    "trolleys": "positions of the trolleys",
    "angles": "angles of the chain",
    "difference": "by motors less by vectors",
}
PLOTS = {"trolleys": ("s1", "s2"), "angles": ("phi1", "phi2", "phi3", "phi4")}

LENGTHS = (1.0, 0.8, 0.9, 1.1)  # m
MASSES = (1.5, 1.2, 1.0, 1.0, 1.3, 2.0)  # kg: the first trolley, four bodies, the second trolley
FRICTION = (0.5, 0.2, 0.2, 0.2, 0.2, 0.5)  # N s/m, N m s/rad: the first track, four joints, the second track
START = (45.0, -15.0, 30.0, -37.5)  # degrees, each from the body before it
COLOURS = ("blue", "orange", "green", "blue")


def ends() -> tuple[float, float]:
    """The end of the chain at the start (m): the position of the second trolley."""
    turned = [radians(angle) for angle in accumulate(START)]
    across = sum(l * sin(a) for l, a in zip(LENGTHS, turned, strict=True))
    return across, -sum(l * cos(a) for l, a in zip(LENGTHS, turned, strict=True))


def fourfold_pendulum() -> Model:
    """Two trolleys on level tracks, the second one lower, and four uniform rods in a chain between them.

    Coordinates `s1`, `s2` of the trolleys (m), `phi1` to `phi4` of the rods, each from the one before it, the first
    from hanging (rad). Friction in all joints but the last, where the loop is closed.

    >>> fourfold_pendulum().mobility().degrees_of_freedom
    4
    """
    model = Model("fourfold pendulum", gravity=(0, -9.81, 0))
    across, height = ends()
    names = [f"phi{k}" for k in (1, 2, 3, 4)]
    s1, *phi, s2 = model.coordinates(["s1", *names, "s2"], initial=(0, *map(radians, START), across))
    trolley = [visu.Box(0.5, 0.14, 0.2)]
    model.body("first trolley", tdisp(s1, 0, 0), mass=MASSES[0], inertia=(0, 0, 0), shape=trolley)
    T = tdisp(s1, 0, 0)
    for k, (angle, l) in enumerate(zip(phi, LENGTHS, strict=True), start=1):
        T = T * trotz(angle) * tdisp(0, -l, 0)
        there, m = T * tdisp(0, l / 2, 0), MASSES[k]
        last = model.body(f"rod {k}", there, mass=m, inertia=(0, 0, m * l**2 / 12), shape=rod(l, l / 2, COLOURS[k - 1]))
    second = model.body("second trolley", tdisp(s2, height, 0), mass=MASSES[5], inertia=(0, 0, 0), shape=trolley)
    model.close((last, (0, -LENGTHS[3] / 2, 0)), second, joint="revolute", axis="z", name="pin")
    for q, d in zip((s1, *phi, s2), FRICTION, strict=True):
        model.add(GeneralizedForce(q, -d * q.dot))
    return model


def simulate() -> Trajectory:
    """Simulate 10 s."""
    return fourfold_pendulum().simulate(10, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    groups = {"trolleys [m]": PLOTS["trolleys"], "angles [rad]": PLOTS["angles"]}
    return differences(fourfold_pendulum(), groups, ax)
