"""ForceAndTorque: a force and a torque, along the axes of a frame that is turned, at the tip of a rod on two hinges."""

from math import radians

from easydyn import Force, Model, Moment, tdisp, troty, trotz, visu


def force_and_torque():
    """The model, and the published signals."""
    model = Model("ForceAndTorque", gravity=(0, -9.80665, 0))
    phi1, phi2 = model.coordinates("phi1 phi2")
    rod = visu.Cylinder.along((1, 0, 0), 0.025)
    body = model.body("body", tdisp(0, -0.5, 0) * trotz(phi1) * troty(phi2), density=7700, shape=rod)
    turned = trotz(radians(30)).R
    model.add(Force(body, turned * (0, 1000, 0), at=(1, 0, 0)), Moment(body, turned * (-100, 100, 0)))
    return model, {"revolute1.phi": phi1, "revolute1.w": phi1.dot, "revolute2.phi": phi2, "revolute2.w": phi2.dot}


if __name__ == "__main__":
    model, signals = force_and_torque()
    model.simulate(1.01, save_every=0.005).plot(*signals.values()).figure.savefig("force_and_torque.png")
