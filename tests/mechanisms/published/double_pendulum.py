"""DoublePendulum: two steel bars on hinges, the first with a damper, released from rest."""

from easydyn import Model, TorsionDamper, tdisp, trotz, visu


def double_pendulum():
    """The model, and the published signals."""
    model = Model("DoublePendulum", gravity=(0, -9.80665, 0))
    phi1, phi2 = model.coordinates("phi1 phi2")
    bar = visu.Box.along((0.5, 0, 0), 0.06)
    first = model.body("boxBody1", trotz(phi1), density=7700, shape=bar)
    model.body("boxBody2", first.T * tdisp(0.5, 0, 0) * trotz(phi2), density=7700, shape=bar)
    model.add(TorsionDamper(phi1, damping=0.1))
    return model, {"revolute1.phi": phi1, "revolute1.w": phi1.dot, "revolute2.phi": phi2, "revolute2.w": phi2.dot}


if __name__ == "__main__":
    model, signals = double_pendulum()
    model.simulate(3, save_every=0.01).plot(*signals.values()).figure.savefig("double_pendulum.png")
