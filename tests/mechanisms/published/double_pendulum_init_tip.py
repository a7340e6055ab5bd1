"""DoublePendulumInitTip: the double pendulum begins where its tip is at a given place, at rest."""

from math import pi

from easydyn import Model, TorsionDamper, tdisp, trotz, visu


def double_pendulum_init_tip():
    """The model, and the published signals; the guess of the second angle says on which side the elbow is."""
    model = Model("DoublePendulumInitTip", gravity=(0, -9.80665, 0))
    phi1, phi2 = model.coordinates("phi1 phi2", initial=(0, pi / 2))
    bar = visu.Box.along((0.5, 0, 0), 0.06)
    first = model.body("boxBody1", trotz(phi1), density=7700, shape=bar)
    second = model.body("boxBody2", first.T * tdisp(0.5, 0, 0) * trotz(phi2), density=7700, shape=bar)
    model.add(TorsionDamper(phi1, damping=0.1))
    tip = (second.T * tdisp(0.5, 0, 0)).e
    model.start(tip.x - 0.7, tip.y - 0.3, free=[phi1, phi2])
    return model, {"revolute1.phi": phi1, "revolute1.w": phi1.dot, "revolute2.phi": phi2, "revolute2.w": phi2.dot}


if __name__ == "__main__":
    model, signals = double_pendulum_init_tip()
    print(model.simulate(5).message)
