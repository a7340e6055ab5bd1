"""A MacPherson suspension: a lower arm, a strut that guides the wheel, a tie rod that steers it.

Lesson: two loops in space, one degree of freedom. The strut slides below a ball at the chassis, which takes two
equations; the tie rod keeps a distance, which takes one. Three angles follow from that of the arm, by formulas that
the program finds.
"""

from __future__ import annotations

from math import pi

from easydyn import Damper, Force, Model, Spring, Trajectory, ground, tdisp, trotx, troty, trotz, visu

PICTURES = {"height": "height of the hub after it was let go", "steer": "steering angle while the wheel moves"}
PLOTS = {"height": ("hub",), "steer": ("steer",)}

PIVOT, TOP, RACK = (0, 0.35, 0.2), (-0.02, 0.58, 0.8), (-0.13, 0.3, 0.26)  # m: x forward, y outwards, z up
ARM, HUB, KNUCKLE = 0.36, (0, 0.09, 0.1), (-0.12, -0.02, 0.07)  # m: length; two points in the axes of the carrier
ROD = 0.377  # m: the tie rod


def macpherson(rack: float = 0.0) -> Model:
    """The suspension of a wheel of 35 kg beside a chassis that stands still; the tyre is a spring of 200 kN/m.

    Coordinates `arm` (rad), and what follows from it: `swing`, `lean`, `steer` (rad) of the carrier.
    Output `hub`: its height (m).

    Parameters
    ----------
    rack : float (m)
        How far the rack pushes the tie rod outwards.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> macpherson().mobility().degrees_of_freedom
    1
    """
    model = Model("MacPherson suspension", gravity=(0, 0, -9.81))
    (shift,) = model.parameters(rack=rack)
    arm, swing, lean, steer = model.coordinates("arm swing lean steer", initial=(-0.04, 0.2, 0, 0))
    lower = model.body("lower arm", tdisp(*PIVOT) * trotx(arm), mass=3, inertia=(0.03, 0.01, 0.03), com=(0, ARM / 2, 0),
                       shape=visu.Cylinder.along((0, ARM, 0), 0.015, colour="grey"))  # fmt: skip
    frame = tdisp(*(lower.T * tdisp(0, ARM, 0)).e) * trotx(swing) * troty(lean) * trotz(steer)
    wheel = visu.Tyre(0.3, 0.1, at=tdisp(*HUB) * trotx(pi / 2 - 0.2), colour="dark")
    arms = [visu.Cylinder.along(to, 0.018, colour="blue") for to in ((0, 0, 0.45), HUB, KNUCKLE)]
    carrier = model.body("wheel", frame, mass=35, inertia=(0.8, 1.5, 0.8), com=HUB, shape=[wheel, *arms])
    end = RACK[0], RACK[1] + shift, RACK[2]
    model.close(carrier, (ground, TOP), joint=("x", "y"), name="strut")
    model.close((carrier, KNUCKLE), (ground, end), joint="distance", length=ROD, name="tie rod")
    strut = carrier, (ground, TOP)
    model.add(Spring(*strut, stiffness=25e3, free_length=0.7), Damper(*strut, damping=1500))
    hub = (frame * tdisp(*HUB)).e
    model.add(Force(carrier, (0, 0, 200e3 * (0.3 - hub.z)), at=HUB))
    model.output("hub", hub.z, unit="m")
    return model


def simulate() -> Trajectory:
    """Simulate 1 s."""
    return macpherson().simulate(1, save_every=0.002)
