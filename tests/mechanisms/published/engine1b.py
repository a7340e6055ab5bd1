"""Engine1b: the engine of Engine1a with gas in its cylinder: a pressure for the way out, another for the way in."""

from math import pi

from sympy import Piecewise

from easydyn import Actuator, Model, Rotor, ground, tdisp, trotx, visu


def gas(s, diameter, length):
    """The force of the gas (N) on a piston at s, outwards; the published polynomials of the pressure, in 1e5 Pa."""
    x = 1 - s / length
    coefficients = [(177.4132, -287.2189, 151.8252, -24.9973, 2.4), (2836360, -10569296, 14761814, -9158505, 2129670),
                    (-3929704, 14748765, -20747000, 12964477, -3036495), (145.93, -131.707, 17.3438, 17.9272, 2.4)]
    p = [sum(c * x ** (4 - k) for k, c in enumerate(row)) for row in coefficients]
    pressure = Piecewise((Piecewise((p[0], x < 0.986061), (p[1], True)), s.dot < 0),
                         (Piecewise((p[2], x > 0.933), (p[3], True)), True))  # fmt: skip
    return 1e5 * pressure * pi * diameter**2 / 4


def engine1b():
    """The model, and the published signals."""
    model = Model("Engine1b", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi", rate=10)
    s, turn = model.coordinates("s turn", initial=(0.05, 0))
    bars = {"crank1": visu.Cylinder.along((0.1, 0, 0), 0.025), "crank2": visu.Box.along((0, 0.1, 0), 0.02, 0.05),
            "crank3": visu.Cylinder.along((0.1, 0, 0), 0.015), "crank4": visu.Box.along((0, -0.1, 0), 0.02, 0.05)}
    places = (0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0), (0.2, 0.1, 0)
    for (name, bar), place in zip(bars.items(), places, strict=True):
        crank = model.body(name, trotx(phi) * tdisp(*place), density=7700, shape=bar)
    top = tdisp(0.15, 0.45 - s, 0)
    model.body("piston", top, density=7700, shape=visu.Cylinder.along((0, -0.1, 0), 0.05))
    bar = visu.Box.along((0, -0.2, 0), 0.02, 0.06, across="x")
    rod = model.body("connectingRod", top * tdisp(0, -0.1, 0) * trotx(turn), density=7700, shape=bar)
    model.close((rod, (0, -0.2, 0)), (crank, (-0.05, 0, 0)), joint="revolute", axis="x", name="b2")
    flywheel = Rotor(ground, axis="x", inertia=1, coordinate=phi, name="inertia")
    model.add(flywheel, Actuator(s, command=gas(s, 0.1, 0.35)))
    return model, {"inertia.phi": phi, "inertia.w": phi.dot, "cylinder.s": s, "cylinder.v": s.dot}


if __name__ == "__main__":
    model, signals = engine1b()
    model.simulate(0.5, save_every=0.001).plot("phi.dot").figure.savefig("engine1b.png")
