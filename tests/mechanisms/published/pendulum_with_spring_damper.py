"""PendulumWithSpringDamper: a body slides along a bar that swings, on a spring and a damper."""

from easydyn import Damper, Model, Spring, ground, tdisp, trotz


def pendulum_with_spring_damper():
    """The model, and the published signals."""
    model = Model("PendulumWithSpringDamper", gravity=(0, -9.80665, 0))
    phi, s = model.coordinates("phi s", initial=(0, 0.5))
    body = model.body("body1", tdisp(0.3, 0, 0) * trotz(phi) * tdisp(s, 0, 0), mass=1, inertia=(1, 1, 1))
    hinge = (ground, (0.3, 0, 0))
    model.add(Spring(hinge, body, stiffness=20, free_length=0.2), Damper(hinge, body, damping=1))
    return model, {"prismatic.s": s, "prismatic.v": s.dot, "revolute.phi": phi, "revolute.w": phi.dot}


if __name__ == "__main__":
    model, signals = pendulum_with_spring_damper()
    model.simulate(10, save_every=0.01).plot(*signals.values()).figure.savefig("pendulum_with_spring_damper.png")
