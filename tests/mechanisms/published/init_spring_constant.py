"""InitSpringConstant: a pendulum begins in equilibrium; the initialisation finds how stiff its spring must be."""

from easydyn import Model, Spring, TorsionDamper, ground, trotz


def init_spring_constant():
    """The model, and the published signals."""
    model = Model("InitSpringConstant", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi")
    c = model.parameter("c", 100)
    body = model.body("body", trotz(phi), mass=1, inertia=(0.001, 0.001, 0.001), com=(0.5, 0, 0))
    spring = Spring((ground, (1, 0.2, 0)), (body, (1, 0, 0)), stiffness=c, free_length=0.1)
    model.add(spring, TorsionDamper(phi, damping=0.1))
    model.start(phi.ddot, free=[c])
    return model, {"rev.phi": phi, "rev.w": phi.dot, "spring.c": c}


if __name__ == "__main__":
    model, signals = init_spring_constant()
    print(model.simulate(1.01).message)
