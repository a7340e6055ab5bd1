"""A bicycle in its plane: a frame on two wheels with tyres, driven by a moment on the rear one."""

from __future__ import annotations

from typing import Any

from easydyn import Model, Moment, Trajectory, Tyre, ground, tdisp, troty

PICTURES = {"speed": "speed of the frame", "slip": "rolling without slip, and driven"}
PLOTS = {"speed": ("x.dot",), "slip": ("rear.dot", "front.dot")}


def planar_bicycle() -> Model:
    """Frame of 80 kg on wheels of 1.1 kg, 1 m apart; it rolls at 0.35 m/s when 1 N m begins to drive the rear wheel.

    Coordinates: `x`, `z` of the frame (m), half-way between the axles; its `pitch` (rad); `rear` and `front`, the
    rotations of the wheels in the frame (rad). The wheels are discs, and just touch the ground at first.

    >>> planar_bicycle().compile().accelerations(0, [0, 0.346, 0, 0, 0], [0.35, 0, 0, 1, 1]).round(2)
    array([-0.31, -0.08, -0.09, 79.7 , 64.86])
    """
    model = Model("bicycle", gravity=(0, 0, -9.81))
    x, z, pitch, rear, front = model.coordinates(
        "x z pitch rear front", initial=(0, 0.35, 0, 0, 0), rates=(0.35, 0, 0, 1, 1)
    )
    m, R, moment = model.parameters(m=1.1, R=0.35, moment=1)
    T = tdisp(x, 0, z) * troty(pitch)
    frame = model.body("frame", T, mass=80, inertia=(10, 10, 10))
    wheels = {}
    for name, place, turn in (("rear wheel", -0.5, rear), ("front wheel", 0.5, front)):
        inertia = (m * R**2 / 4, m * R**2 / 2, m * R**2 / 4)
        wheels[name] = model.body(name, T * tdisp(place, 0, 0) * troty(turn), mass=m, inertia=inertia)
        tyre = Tyre(
            wheels[name], ground, axle=(0, 1, 0), normal=(0, 0, 1), outer_radius=R, torus_radius=0.05, stiffness=1e5,
            damping=30, nominal_load=500, slip_stiffness=4000, side_slip_stiffness=4000, camber_stiffness=400,
            exponent=0.8, static_friction=1, dynamic_friction=0.8, low_speed=0.01,
        )  # fmt: skip
        model.add(tyre)
    model.add(Moment(wheels["rear wheel"], (0, moment, 0), frame=frame, reaction=frame))
    return model


def simulate() -> Trajectory:
    """Simulate 20 s, in which the bicycle gains speed."""
    return planar_bicycle().simulate(20, save_every=0.02)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
