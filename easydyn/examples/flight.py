"""A quadrotor climbs and steps sideways, flown by a sampled controller.

Lesson: a free body in space with six coordinates and four inputs. The quadrotor cannot push sideways: it must tilt
first. The controller has two loops. The slow loop controls the position and commands a tilt and a thrust. The fast loop
controls the attitude. The controller is called 200 times a second; between samples the rotors keep their thrust.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import Any

from easydyn import Drag, Force, Model, Moment, Trajectory, rotation_sequence, tdisp, trotx, troty, trotz, visu
from easydyn.inputs import function

PICTURES = {
    "place": "a climb to 2 m at 0 s, a step to y = 1.5 m at 4 s",
    "attitude": "angles",
    "thrust": "thrust of the rotors",
}
MASS, ARM, GRAVITY = 1.0, 0.2, 9.81  # kg, m, m/s2
MOMENTS = (0.01, 0.01, 0.018)  # kg m2
TORQUE = 0.02  # m: drag torque of a rotor over its thrust
PERIOD = 0.005  # s
ROTORS = {"front": (ARM, 0, 0), "left": (0, ARM, 0), "back": (-ARM, 0, 0), "right": (0, -ARM, 0)}
PLOTS = {"place": ("x", "y", "z"), "attitude": ("yaw", "pitch", "roll"), "thrust": tuple(ROTORS)}
TURNING = {"front": 1, "left": -1, "back": 1, "right": -1}  # sense of the drag torque about z of the body


def quadrotor(target: Callable[[float], Any] | None = None) -> Model:
    """A body of 1 kg with four rotors on arms of 0.2 m: two along x, two along y of the body, thrust along its z.

    Coordinates `x y z` of the centre (m), then `yaw pitch roll` (rad), about z, the new y, the new x. Inputs: the
    thrusts `front left back right` (N), 0 to 6 N, each with a torque of 0.02 N m per N about z, in opposite directions
    for neighbours. The air resistance is 0.1 N s/m.

    Parameters
    ----------
    target : function of time (s) -> (x, y, z, yaw), optional
        The desired path; `climb_and_step` if left out.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = quadrotor().simulate(10)
    >>> [round(float(run[name][-1]), 2) + 0 for name in ("x", "y", "z")]
    [0.0, 1.5, 2.0]
    """
    model = Model("quadrotor", gravity=(0, 0, -GRAVITY))
    x, y, z, yaw, pitch, roll = model.coordinates("x y z yaw pitch roll")
    T = tdisp(x, y, z) * rotation_sequence("zyx", yaw, pitch, roll)
    body = model.body("body", T, mass=MASS, inertia=MOMENTS, shape=airframe())
    for rotor, place in ROTORS.items():
        thrust = model.input(rotor, MASS * GRAVITY / 4, unit="N")
        model.add(
            Force(body, (0, 0, thrust), at=place, frame=body),
            Moment(body, (0, 0, TURNING[rotor] * TORQUE * thrust), frame=body),
        )
    model.add(Drag(body, linear=0.1))
    model.controller(PERIOD, pilot(climb_and_step if target is None else function(target, "target", "t")), name="pilot")
    return model


def airframe() -> list[visu.Shape]:
    """Its shapes: a hub, two crossed arms, a rotor on each end (the front one in another colour), two skids."""
    parts: list[visu.Shape] = [visu.Cylinder(0.05, 0.05, colour="dark"), visu.Sphere(0.045, at=tdisp(0, 0, 0.02))]
    for turned in (0, pi / 2):
        parts.append(visu.Box(2 * ARM, 0.022, 0.015, at=trotz(turned), colour="grey", name="arm"))
    for rotor, (x, y, _) in ROTORS.items():
        colour = "vermilion" if rotor == "front" else "sky"
        parts.append(visu.Cylinder(0.016, 0.04, at=tdisp(x, y, 0.015), colour="dark", name="motor"))
        parts.append(visu.Torus(0.09, 0.006, at=tdisp(x, y, 0.04), colour=colour, name=f"{rotor} rotor"))
        for blade in (0.4, 0.4 + pi / 2):
            parts.append(visu.Box(0.17, 0.014, 0.004, at=tdisp(x, y, 0.04) * trotz(blade), colour=colour, name="blade"))
    for side in (-1, 1):
        skid = tdisp(0, 0.08 * side, -0.09) * troty(pi / 2)
        parts.append(visu.Cylinder(0.006, 0.2, at=skid, colour="dark", name="skid"))
        parts.append(visu.Cylinder(0.005, 0.09, at=tdisp(0, 0.065 * side, -0.05) * trotx(0.35 * side), colour="dark"))
    return parts


def climb_and_step(t: float) -> tuple[float, float, float, float]:
    """The desired position (x, y, z, yaw): 2 m up, and from 4 s on 1.5 m to the left."""
    return 0.0, 1.5 if t >= 4 else 0.0, 2.0, 0.0


def pilot(target: Callable[[float], Any]) -> Callable[[float, Mapping[str, float]], dict[str, float]]:
    """The control law: the thrust (N) of each rotor, from position and attitude and their rates."""

    def law(t: float, state: Mapping[str, float]) -> dict[str, float]:
        wanted = dict(zip(("x", "y", "z", "yaw"), target(t), strict=True))
        # Place: two poles at 2 rad/s for each direction, at most 3 m/s2.
        ax, ay, az = (_limited(4 * (wanted[q] - state[q]) - 4 * state[f"{q}.dot"], -3, 3) for q in ("x", "y", "z"))
        c, s = cos(state["yaw"]), sin(state["yaw"])
        tilt = {"pitch": (c * ax + s * ay) / GRAVITY, "roll": (s * ax - c * ay) / GRAVITY, "yaw": wanted["yaw"]}
        lift = MASS * (GRAVITY + az) / (cos(state["pitch"]) * cos(state["roll"]))
        # Attitude: two poles at 15 rad/s, at 4 rad/s for the yaw.
        moment = {
            angle: J * (w * w * (tilt[angle] - state[angle]) - 2 * w * state[f"{angle}.dot"])
            for angle, J, w in zip(("roll", "pitch", "yaw"), MOMENTS, (15, 15, 4), strict=True)
        }
        thrust = {}
        for rotor, (px, py, _) in ROTORS.items():
            turning = TURNING[rotor] * moment["yaw"] / (4 * TORQUE)
            tilting = (py * moment["roll"] - px * moment["pitch"]) / (2 * ARM**2)
            thrust[rotor] = _limited(lift / 4 + turning + tilting, 0, 6)
        return thrust

    return law


def _limited(value: float, lower: float, upper: float) -> float:
    return min(max(value, lower), upper)


def simulate() -> Trajectory:
    """Simulate the flight of 8 s."""
    return quadrotor().simulate(8, save_every=0.01)
