"""Pendulum: a body on a hinge with a damper, released with its centre of mass level with the hinge."""

from easydyn import Model, TorsionDamper, trotz


def pendulum():
    """The model, and the published signals."""
    model = Model("Pendulum", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi")
    model.body("body", trotz(phi), mass=1, inertia=(0.001, 0.001, 0.001), com=(0.5, 0, 0))
    model.add(TorsionDamper(phi, damping=0.1))
    return model, {"rev.phi": phi, "rev.w": phi.dot}


if __name__ == "__main__":
    model, signals = pendulum()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("pendulum.png")
