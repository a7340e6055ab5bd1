"""Engines: cranks, rods and pistons, with a force on each piston; of one cylinder, and a V of six."""

from math import cos, pi, sin

from sympy import cos as cosine

from easydyn import GeneralizedForce, Model, tdisp, trotz


def _cylinder(model, crank, shaft, name, phase, bank, along):
    """A cylinder whose axis is turned by `bank` from the vertical; its crank pin leads by `phase`."""
    guess = -0.3 * cos(phase - bank), 0.2 + 0.045 * sin(phase - bank)
    b, x = model.coordinates([f"rod{name}", f"piston{name}"], initial=guess)
    axis = tdisp(0, 0, along) * trotz(bank) * trotz(pi / 2)
    piston = model.body(f"piston {name}", axis * tdisp(x, 0, 0), mass=0.4, inertia=(0, 0, 0))
    rod = model.body(f"rod {name}", piston.T * trotz(pi + b), mass=0.6, inertia=(0, 0, 0.003), com=(0.1, 0, 0))
    model.add(GeneralizedForce(x, -200 * (1 - cosine(crank + phase - bank))))
    pin = (shaft, (0.045 * cos(phase - pi / 2), 0.045 * sin(phase - pi / 2), along))
    return model.close((rod, (0.2, 0, 0)), pin, joint="revolute", name=f"pin {name}")


def engine(banks=(0.0,), phases=(pi / 2,), name="one-cylinder engine"):
    """The model, and its crank pins."""
    model = Model(name, gravity=(0, -9.81, 0))
    (crank,) = model.coordinates("crank", initial=0.3, rates=100)
    shaft = model.body("crankshaft", trotz(crank), mass=8, inertia=(0, 0, 0.02))
    pins = [_cylinder(model, crank, shaft, i + 1, phase, bank, 0.1 * i)
            for i, (bank, phase) in enumerate(zip(banks, phases, strict=True))]  # fmt: skip
    return model, tuple(pins)


def engine_v6():
    """The same of six cylinders in banks at 30 degrees to each side, crank pins in pairs."""
    return engine([pi / 6, -pi / 6] * 3, [pi / 2 + 2 * pi / 3 * (i // 2) for i in range(6)], "V6 engine")


if __name__ == "__main__":
    model, closures = engine()
    print(model.mobility())
    run = model.simulate(0.2)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
