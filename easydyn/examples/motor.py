"""A direct-current motor: a rotor and a circuit, which drive and brake each other.

Lesson: bodies and other equations in one model. The rotor is a body with a coordinate; the current is a first-order
state with its own equation. The circuit drives the rotor by the moment Km i, and the rotor acts on the circuit by the
voltage Kb omega. As Km = Kb, the rotor gains exactly the power that the circuit loses to this voltage.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

from easydyn import GeneralizedForce, Model, Trajectory, tdisp, trotz, visu
from easydyn.examples.figures import second_axis
from easydyn.inputs import function
from easydyn.vec.scalars import scalar

PICTURES = {"run_up": "run up to 50 rad/s"}


def dc_motor(voltage: Callable[[Model, Any], Any] | None = None) -> Model:
    """L i.dot + R i + Kb omega = u and J omega.dot + Kf omega = Km i, switched on at u = 1 V.

    Coordinate `angle` (rad), state `i` (A), input `u` (V), output `speed` (rad/s). Without friction (Kf = 0) the speed
    goes to u/Kb = 50 rad/s: both poles are at -2/s, so that it is 50 (1 - (1 + 2 t) exp(-2 t)).

    Parameters
    ----------
    voltage : function (model, speed) -> expression (V), optional
        A continuous controller instead of the input.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> from math import exp
    >>> run = dc_motor().simulate(3)
    >>> round(float(run["speed"][-1]), 4), round(50 * (1 - 7 * exp(-6)), 4)
    (49.1324, 49.1324)
    """
    model = Model("DC motor")
    (angle,) = model.coordinates("angle")
    (i,) = model.states("i", unit="A")
    L, R, Kb, Km, J, Kf = model.parameters(L=0.5, R=2, Kb=0.02, Km=0.02, J=2e-4, Kf=0)
    if voltage is not None:
        function(voltage, "voltage", "model, speed")
    u = model.input("u", 1, unit="V") if voltage is None else scalar(voltage(model, angle.dot), "the voltage")
    slots = [2 * pi * k / 8 for k in range(8)]
    rotor = [
        visu.Cylinder(0.02, 0.07, colour="grey"),
        *(visu.Box(0.012, 0.008, 0.072, at=trotz(a) * tdisp(0.017, 0, 0), colour="orange", name="winding")
          for a in slots),
        visu.Cylinder(0.005, 0.13, colour="dark", name="shaft"),
        visu.Box(0.012, 0.004, 0.002, at=tdisp(0.01, 0, 0.035), colour="white", name="mark"),
    ]  # fmt: skip
    model.body("rotor", trotz(angle), mass=0, inertia=(0, 0, J), shape=rotor)
    model.add(GeneralizedForce(angle, Km * i - Kf * angle.dot))
    model.equation(L * i.dot + R * i + Kb * angle.dot - u)
    model.output("speed", angle.dot, unit="rad/s")
    return model


def simulate() -> Trajectory:
    """Simulate 5 s at 1 V."""
    return dc_motor().simulate(5, save_every=0.02)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    ax = run.plot("speed", ax=ax)
    ax.lines[0].set_label("speed")
    second_axis(ax, "current [A]", run.t, run["i"], "current", "center right")
    return ax
