"""EngineV6: six cylinders in a V with gas, all bodies of their shapes, a load that grows with the speed, a filter."""

from math import pi, radians

from sympy import Abs, Piecewise

from easydyn import Actuator, Model, Rotor, ground, tdisp, trotx, troty, visu

INCLINATION = -30, 30, -30, 30, -30, 30  # degrees, of the cylinders
OFFSET = -30, 90, 210, 210, 90, -30  # degrees, of their crank pins


def gas(s, diameter, length):
    """The force of the gas (N) on a piston at s, outwards; the published polynomials of the pressure, in 1e5 Pa."""
    x = 1 - s / length
    coefficients = [(177.4132, -287.2189, 151.8252, -24.9973, 2.4), (2836360, -10569296, 14761814, -9158505, 2129670),
                    (-3929704, 14748765, -20747000, 12964477, -3036495), (145.93, -131.707, 17.3438, 17.9272, 2.4)]
    p = [sum(c * x ** (4 - k) for k, c in enumerate(row)) for row in coefficients]
    pressure = Piecewise((Piecewise((p[0], x < 0.986061), (p[1], True)), s.dot < 0),
                         (Piecewise((p[2], x > 0.933), (p[3], True)), True))  # fmt: skip
    return 1e5 * pressure * pi * diameter**2 / 4


def cylinder(model, phi, k):
    """Add cylinder k with its part of the crankshaft, 0.2 m along the shaft."""
    throw = trotx(phi) * trotx(radians(OFFSET[k])) * tdisp(0.2 * k, 0, 0)
    axle, pin = (visu.Cylinder(radius, 0.12, at=tdisp(0.05, 0, 0) * troty(pi / 2)) for radius in (0.025, 0.015))
    web = visu.Box.along((0, 0.1, 0), 0.02, 0.05)
    model.body(f"crank1 {k + 1}", throw, density=7700, shape=axle)
    model.body(f"crank2 {k + 1}", throw * tdisp(0.1, 0, 0), density=7700, shape=web)
    crank = model.body(f"crank3 {k + 1}", throw * tdisp(0.1, 0.1, 0), density=7700, shape=pin)
    model.body(f"crank4 {k + 1}", throw * tdisp(0.2, 0, 0), density=7700, shape=web)
    s, turn = model.coordinates([f"s{k + 1}", f"turn{k + 1}"], initial=(0.12, 0))
    low = tdisp(0.2 * k + 0.15, 0, 0) * trotx(radians(INCLINATION[k])) * tdisp(0, 0.32 - s, 0)
    model.body(f"piston {k + 1}", low, density=7700, shape=visu.Cylinder.along((0, 0.1, 0), 0.05))
    bar = visu.Box(0.02, 0.22, 0.06, at=tdisp(0, -0.11, 0))
    rod = model.body(f"rod {k + 1}", low * trotx(turn), density=7700, shape=bar)
    model.close((rod, (0, -0.2, 0)), (crank, (0.05, 0, 0)), joint="revolute", axis="x", name=f"B1 {k + 1}")
    model.add(Actuator(s, command=gas(s, 0.1, 0.22)))


def engine_v6():
    """The model, and the published signals: the moment on the load, filtered twice (critical damping, 5 Hz)."""
    model = Model("EngineV6", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi", rate=10)
    for k in range(6):
        cylinder(model, phi, k)
    speed = phi.dot / 200
    model.add(Rotor(ground, axis="x", inertia=1, coordinate=phi, name="load"),
              Actuator(phi, command=-100 * speed * Abs(speed)))  # fmt: skip
    x1, x2 = model.states("x1 x2", unit="N m")
    moment, w = phi.ddot + 100 * speed * Abs(speed), 10 * pi / (2**0.5 - 1) ** 0.5
    model.equation(x1.dot - w * (moment - x1))
    model.equation(x2.dot - w * (x1 - x2))
    model.start(x1.dot, x2.dot, free=[x1, x2])
    return model, {"filter.x[1]": x1, "filter.x[2]": x2, "load.phi": phi, "load.w": phi.dot}


if __name__ == "__main__":
    model, signals = engine_v6()
    model.simulate(1.01, save_every=0.005).plot(*signals.values()).figure.savefig("engine_v6.png")
