"""The Manutec r3 robot whole: six axes with motors, current loops, controllers, gears, exact friction, a planned path.

Lesson: a large model consists of small ones. The mechanism is a product of transforms. Each axis adds the drive of
axis.py, elastic for the three large axes, rigid for the three axes of the wrist. Six friction elements stick and slide,
and their modes are decided together. The data are those of the published Modelica model of this robot.
"""

from __future__ import annotations

from math import atan2, hypot, radians
from typing import Any

from easydyn import Model, Trajectory, point_to_point, t, tdisp, trotx, troty, visu
from easydyn.examples.axis import drive
from easydyn.inputs import flag

PICTURES = {"speeds": "speeds of the joints", "currents": "currents of the motors", "image": "in motion"}
PLOTS = {"speeds": [f"joint{k}.dot" for k in range(1, 7)], "currents": [f"axis{k}_current" for k in range(1, 7)]}

AXES: tuple[dict[str, float], ...] = (
    {"w": 4590, "D": 0.6, "k": 1.1616, "J": 0.0013, "ratio": -105, "c": 43, "cd": 0.005, "Rv0": 0.4, "Rv1": 0.13 / 160},
    {"w": 5500, "D": 0.6, "k": 1.1616, "J": 0.0013, "ratio": 210, "c": 8, "cd": 0.01, "Rv0": 0.5, "Rv1": 0.1 / 130},
    {"w": 5500, "D": 0.6, "k": 1.1616, "J": 0.0013, "ratio": 60, "c": 58, "cd": 0.04, "Rv0": 0.7, "Rv1": 0.2 / 130},
    {"w": 6250, "D": 0.55, "k": 0.2365, "J": 0.00016, "ratio": -99, "Rv0": 21.8, "Rv1": 9.8, "peak": 26.7 / 21.8},
    {"w": 6250, "D": 0.55, "k": 0.2608, "J": 0.00018, "ratio": 79.2, "Rv0": 30.1, "Rv1": 0.03, "peak": 39.6 / 30.1},
    {"w": 7400, "D": 0.27, "k": 0.0842, "J": 4.3e-5, "ratio": -99, "Rv0": 10.9, "Rv1": 3.92, "peak": 16.8 / 10.9},
)
START, END = (-60, 20, 90, 0, -110, 0), (60, -70, -35, 45, 110, 45)  # degrees
SPEEDS, ACCELERATIONS = (3, 1.5, 5, 3.1, 3.1, 4.1), (15, 15, 15, 60, 60, 60)  # rad/s, rad/s2
# axis of the joint, mass, centre of mass, inertia, and the way to the next joint, in the axes of the body; y is up
BODIES: tuple[tuple[Any, float, tuple[float, ...], tuple[float, ...], tuple[float, ...]], ...] = (
    (troty, 1, (0, 0, 0), (0.58, 1.16, 0.58), (0, 0.324, 0.3)),  # published: 0.001 about x and z, which turns nowhere
    (trotx, 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46, 0, 0), (0, 0.65, 0)),
    (trotx, 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07, 0, 0), (0, 0.414, -0.155)),
    (troty, 28.7, (0, 0, 0), (1.67, 0.081, 1.67), (0, 0.186, 0)),
    (trotx, 5.2, (0, 0, 0), (1.25, 0.81, 1.53), (0, 0.125, 0)),
    (troty, 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001), (0, 0, 0)),
)


def robot_r3(load: float = 15, *, planned: bool = True) -> Model:
    """The r3 robot carries a load from point to point in 1.356 s, from rest to rest.

    Coordinates: `joint1` ... `joint6` (rad), `axis1_motor` ... `axis3_motor`, the angles of the motors behind elastic
    gears (rad). States of each axis: `axis1_current` of the armature (A), `axis1_loop` of its current loop (V),
    `axis1_integral` of the controller of speed (rad/s). Outputs of each axis: `axis1_reference` where the joint ought
    to be (rad), `axis1_capacitor`, the voltage at the capacitor of the current loop (V); of the first three
    `axis1_twist` of the spring in the gear, ratio times joint less motor (rad), and `axis1_twist_rate` (rad/s). Output
    `upper_arm_turning`: the angular velocity of the upper arm about its own x axis (rad/s). `axis1_friction.sticks` is
    1 while the bearing of an axis holds, `axis1_friction.slides` the direction in which it slides: of the motor, and of
    axes 4 to 6 of the joint. Parameter `load` (kg).

    In the published signals these are mechanics.r1.phi and r1.w, axis1.motor.La.i, axis1.controller.PI.x,
    axis1.motor.C.v, axis1.gear.spring.phi_rel and w_rel, mechanics.b2.body.w_a[1], axis1.gear.bearingFriction.mode.

    Parameters
    ----------
    load : float (kg)
        Mass of the load.
    planned : bool
        True for the published path. If False, the set points are inputs `axis1_position` (rad) and `axis1_speed`
        (rad/s), ...: `simulate(inputs={"axis1_position": ..., ...})`; where none is given, the robot stays.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> robot_r3().names[:9]
    ('joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint6', 'axis1_motor', 'axis2_motor', 'axis3_motor')
    """
    planned = flag(planned, "planned")
    model = Model("robot r3", gravity=(0, -9.81, 0))
    start, end = ([radians(x) for x in degrees] for degrees in (START, END))
    joints = model.coordinates([f"joint{k}" for k in range(1, 7)], initial=start)
    T = tdisp(0, 0.351, 0)
    for k, (q, (turn, mass, com, inertia, way)) in enumerate(zip(joints, BODIES, strict=True), start=1):
        T = T * turn(q)
        shape: Any = visu.Sphere(0.06)
        if any(way):
            along = tdisp(*(x / 2 for x in way)) * trotx(-atan2(way[1], way[2]))
            shape = visu.Cylinder(0.15 - 0.02 * k, hypot(*way), at=along)
        body = model.body("upper arm" if k == 2 else f"link {k}", T, mass=mass, inertia=inertia, com=com, shape=shape)
        if k == 2:
            model.output("upper_arm_turning", body.omega.dot(body.T.R.ux()), unit="rad/s")
        T = T * tdisp(*way)
    box = visu.Box(0.2, 0.2, 0.2, at=tdisp(0.1, 0.25, 0.1), colour="orange")
    (carried,) = model.parameters(load=load)
    model.body("load", T, mass=carried, inertia=(0.001, 0.001, 0.001), com=(0.1, 0.25, 0.1), shape=box)

    plan = point_to_point(start, end, SPEEDS, ACCELERATIONS)
    still: list[Any] = [q.ddot for q in joints]
    free: list[Any] = []
    paths = zip(joints, plan.position(t), plan.velocity(t), AXES, strict=True)
    for k, (q, place, speed, data) in enumerate(paths, start=1):
        if not planned:
            place = model.input(f"axis{k}_position", start[k - 1], unit="rad")
            speed = model.input(f"axis{k}_speed", unit="rad/s")
        axis = drive(model, f"axis{k}", q, place, speed, data, at=(0.2 * k - 0.7, 0.1, -0.7))
        model.output(f"axis{k}_reference", place, unit="rad")
        still += [s.dot for s in axis.motor.states]
        free += axis.free
        if axis.gear is not None:
            still.append(axis.angle.ddot)
            free.append(axis.angle)
    model.start(*still, free=free)
    return model


def simulate() -> Trajectory:
    """Simulate the motion, and half a second after it."""
    return robot_r3().simulate(1.856045, save_every=0.002)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    return run.animate(trace="load").picture(at=(0, 0.5, 1, 1.356), ax=ax)
