"""GearConstraint: a gear between two bodies, and between two rotors of the same inertia, each driven by a torque."""

from math import pi

from sympy import sin

from easydyn import Actuator, Model, Rotor, ground, t, tdisp, trotx, visu
from easydyn.constraints import Gear, GearConstraint


def gear_constraint(thick=0.1, thicker=0.2, length=0.4):
    """The model, and its signals: both trains turn alike. The sizes of the shafts (m, of steel) are chosen here."""
    model = Model("GearConstraint")
    a, b, p, q = model.coordinates("a b p q")
    shapes = [visu.Cylinder.along((length, 0, 0), diameter / 2) for diameter in (thick, thicker)]
    one = model.body("cyl1", trotx(a), density=7700, shape=shapes[0])
    two = model.body("cyl2", tdisp(length, 0, 0) * trotx(b), density=7700, shape=shapes[1])
    for body, coordinate, name in ((one, p, "inertia1"), (two, q, "inertia2")):
        model.add(Rotor(ground, axis="x", inertia=body.inertia[0, 0], coordinate=coordinate, name=name))
    model.add(GearConstraint(one, two, ground, ratio=10, axes=("x", "x"), name="gearConstraint"), Gear(p, q, 10))
    model.add(Actuator(a, command=2 * sin(2 * pi * t)), Actuator(p, command=2 * sin(2 * pi * t)))
    turning = {"gearConstraint.actuatedRevolute_a": a, "gearConstraint.actuatedRevolute_b": b,
               "inertia1": p, "inertia2": q}  # fmt: skip
    return model, {f"{name}.{what}": x for name, angle in turning.items()
                   for what, x in (("phi", angle), ("w", angle.dot))}  # fmt: skip


if __name__ == "__main__":
    model, signals = gear_constraint()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("gear_constraint.png")
