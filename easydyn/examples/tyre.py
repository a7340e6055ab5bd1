"""A wheel with a tyre, dropped while it spins, at an angle to its way and leaning: it bounces and rolls off."""

from __future__ import annotations

from typing import Any

from easydyn import Model, Trajectory, Tyre, ground, tdisp, trotx, troty, trotz
from easydyn.examples.figures import axes

PICTURES = {"height": "height of the centre", "path": "way of the centre"}
PLOTS = {"height": ("z",)}


def tyre_drop() -> Model:
    """Wheel of 1.1 kg released 18 mm above the ground, without velocity, spinning at 1 rad/s.

    Coordinates: `x`, `y`, `z` of the centre (m), `spin` about the axle (rad). It heads 0.1 rad to the left of x and
    leans 0.3 rad to the right.

    >>> tyre_drop().compile().accelerations(0, [0, 0, 0.48, 0], [0, 0, 0, 1]).round(3)
    array([15.447,  1.55 ,  9.595, -8.427])
    """
    model = Model("dropped tyre", gravity=(0, 0, -9.81))
    x, y, z, spin = model.coordinates("x y z spin", initial=(0, 0, 0.5, 0), rates=(0, 0, 0, 1))
    heading, camber = model.parameters(heading=0.1, camber=0.3)
    T = tdisp(x, y, z) * trotz(heading) * trotx(camber) * troty(spin)
    wheel = model.body("wheel", T, mass=1.1, inertia=(1, 1, 1))
    tyre = Tyre(
        wheel, ground, axle=(0, 1, 0), normal=(0, 0, 1), outer_radius=0.5, torus_radius=0.1, stiffness=1e4, damping=10,
        nominal_load=2500, slip_stiffness=2e4, side_slip_stiffness=2e4, camber_stiffness=2e3, exponent=0.8,
        static_friction=1, dynamic_friction=0.8, low_speed=0.01,
    )  # fmt: skip
    model.add(tyre)
    return model


def simulate() -> Trajectory:
    """Simulate 2 s, with fourteen bounces."""
    return tyre_drop().simulate(2, save_every=0.005, tolerance=1e-7)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = axes(ax, "y [m]", "x [m]")
    ax.plot(run["x"], run["y"])
    return ax
