"""BevelGear1D: two rotors and a bevel gear in a cube that turns about x, y and z; four torques, of 5 to 8 Hz.

The cube of steel has sides of 0.1 m; its centre is 0.05 m from the origin along (1, 1, 1), and it has its weight: so
the published samples say. Its inertia is less than that of its rotors, as in no real housing: `model.check()` tells.
"""

from math import pi, sqrt

from sympy import sin

from easydyn import Actuator, Model, Rotor, t, trotx, troty, trotz, visu
from easydyn.constraints import BevelGear


def bevel_gear1d():
    """The model, and the published signals."""
    model = Model("BevelGear1D", gravity=(0, -9.80665, 0))
    a, b, c = model.coordinates("a b c")
    p, q = model.coordinates("p q")
    cube = visu.Box.along([0.1 / sqrt(3)] * 3, 0.1)
    housing = model.body("housing", trotx(a) * troty(b) * trotz(c), density=7700, shape=cube)
    model.add(Rotor(housing, axis="x", inertia=1.1, coordinate=p, name="inertia1"))
    model.add(Rotor(housing, axis="y", inertia=18.2, coordinate=q, name="inertia2"))
    model.add(BevelGear(p, q, 10, axes=("x", "y")))
    for k, angle in enumerate((a, b, c, p)):
        model.add(Actuator(angle, command=(110 + 10 * k) * sin(2 * pi * (5 + k) * t)))
    turning = {"inertia2": q, "revolute1": a, "revolute2": b, "revolute3": c}
    return model, {f"{name}.{what}": x for name, angle in turning.items()
                   for what, x in (("phi", angle), ("w", angle.dot))}  # fmt: skip


if __name__ == "__main__":
    model, signals = bevel_gear1d()
    model.simulate(0.4, save_every=0.001).plot(*signals.values()).figure.savefig("bevel_gear1d.png")
