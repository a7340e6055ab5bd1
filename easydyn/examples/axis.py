"""One axis of an industrial robot: motor, current loop, cascade of controllers, elastic gear with dry friction, load.

Lesson: a drive train consists of coordinates, first-order states and formulas. The bearing sticks and slides exactly.
After the motion has ended, the controller pulls the motor loose again and again, and the run lands on each of these
instants. The axis begins at rest, with matching currents and voltages. You need not compute these initial values:
`model.start` finds them.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import radians
from typing import Any, NamedTuple

import sympy

from easydyn import Model, Rotor, Trajectory, ground, point_to_point, t, tdisp, trotz, visu
from easydyn.forces import ElasticGear, ElectricMotor, JointFriction

PICTURES = {"motion": "the load, and where it ought to be", "friction": "the motor after the motion has ended"}
PLOTS = {"motion": ("load", "reference")}

AXIS = {"w": 5500, "D": 0.6, "k": 1.1616, "J": 0.0013, "ratio": 210, "c": 8, "cd": 0.01, "Rv0": 0.5, "Rv1": 1 / 1300}
KP, KS, TS = 5, 0.5, 0.05  # 1/s, A s/rad, s: of the controllers of place and speed
RESISTANCE = 250  # ohm, of an armature


class Drive(NamedTuple):
    """The parts of a drive: its electric motor, the state of its controller, and its angle; a gear if it is elastic.

    >>> Drive(None, None, 0, None).gear is None
    True
    """

    motor: Any
    integral: Any
    angle: Any
    gear: Any

    @property
    def free(self) -> list[Any]:
        """The values that a steady start may choose."""
        return [*self.motor.states, self.integral]


def drive(
    model: Model, name: str, joint: Any, place: Any, speed: Any, data: Mapping[str, float], at: Any = (0, 0, -0.5)
) -> Drive:
    """Add a motor with its current loop, rotor, gear, friction and controllers to a joint that follows a path.

    With an elasticity `c` in the data, the motor has its own coordinate NAME_motor, and friction acts on the motor
    side. Without it, the motor angle is the joint angle times the ratio, and friction acts on the joint side.

    The rotor is drawn `at` a point (m) on the ground. The set-point of the current is ks (e + s), with s.dot = e/Ts and
    e = kp (n q_ref - p) + n q_ref.dot - p.dot.
    """
    n, w, D, k = (data[key] for key in ("ratio", "w", "D", "k"))
    gear = None
    if "c" in data:
        angle = model.coordinate(f"{name}_motor")
        gear = ElasticGear(
            angle, joint, ratio=n, stiffness=data["c"], damping=data["cd"], name=f"{name}_friction",
            friction=((0, data["Rv0"]), (100, data["Rv0"] + 100 * data["Rv1"])),
        )  # fmt: skip
        speed_of_motor = angle.dot
        model.add(gear)
    else:
        angle, speed_of_motor = n * joint, n * joint.dot
        table, peak = ((0, data["Rv0"]), (1, data["Rv0"] + data["Rv1"])), data["peak"] * data["Rv0"]
        model.add(JointFriction(joint, table, static_level=peak, name=f"{name}_friction"))
    shape = [visu.Cylinder(0.05, 0.12, colour="grey"), visu.Box(0.02, 0.02, 0.13, at=tdisp(0.035, 0, 0), name="mark")]
    rotor = Rotor(ground, axis="z", inertia=data["J"], coordinate=angle, name=f"{name} rotor", position=at, shape=shape)
    model.add(rotor)
    integral = model.state(f"{name}_integral")
    error = KP * (n * place - angle) + n * speed - speed_of_motor
    model.equation(integral.dot - error / TS)
    motor = ElectricMotor(
        angle, resistance=RESISTANCE, inductance=RESISTANCE / (2 * D * w), constant=k, current=KS * (integral + error),
        integral=125 * w / D, name=name,
    )  # fmt: skip
    model.add(motor)
    model.output(f"{name}_capacitor", -motor.states[1] / 5, unit="V")
    if gear is not None:
        model.output(f"{name}_twist", -gear.twist, unit="rad")
        model.output(f"{name}_twist_rate", n * joint.dot - speed_of_motor, unit="rad/s")
    return Drive(motor, integral, angle, gear)


def one_axis() -> Model:
    """An axis of the r3 robot that turns a load of 15 kg by 120 degrees in 0.998 s, from rest to rest.

    Coordinates: `load` (rad) and `axis_motor`, the angle of the motor (rad), which turns 210 times as fast. States:
    `axis_current` of the armature (A), `axis_loop` of the current loop (V), `axis_integral` of the controller of speed
    (rad/s). Outputs: `reference`, the desired angle of the load (rad); `axis_twist` of the spring in the gear, ratio
    times load less motor (rad), and `axis_twist_rate` (rad/s); `axis_capacitor`, the voltage at the capacitor of the
    current loop (V). `axis_friction.sticks` is 1 while the bearing holds, `axis_friction.slides` the direction in which
    it slides.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> one_axis().names
    ('load', 'axis_motor', 'axis_integral', 'axis_current', 'axis_loop')
    """
    model = Model("one axis")
    load = model.coordinate("load")
    model.body("load", trotz(load), mass=15, inertia=(0, 0, 0), com=(1.14, 0, 0))
    plan = point_to_point(0, radians(120), speeds=3, accelerations=10)
    (place,), (speed,) = plan.position(t), plan.velocity(t)
    axis = drive(model, "axis", load, place, speed, AXIS)
    model.start(load.ddot, axis.angle.ddot, *(s.dot for s in axis.motor.states), free=[axis.angle, *axis.free])
    model.output("reference", sympy.sympify(place), unit="rad")
    return model


def simulate() -> Trajectory:
    """Simulate the motion, and half a second after it."""
    return one_axis().simulate(1.4981317, save_every=0.001)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = run.plot("axis_motor.dot", ax=ax)
    ax.set_xlim(0.95, 1.5)
    ax.set_ylim(-10, 10)
    for happening in run.events:
        ax.axvline(happening.t, color="grey", linewidth=0.5)
    return ax
