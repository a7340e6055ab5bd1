"""SpringWithMass: a body in space hangs on a spring that is not light: half a kilogram in its middle."""

from easydyn import Model, Spring, ground


def spring_with_mass():
    """The model, and the published signals."""
    model = Model("SpringWithMass", gravity=(0, -9.80665, 0))
    body = model.free_body("body", mass=1, inertia=(0.001, 0.001, 0.001), position=(0, -0.3, 0))
    model.add(Spring(ground, body, stiffness=40, free_length=0.2, mass=0.5, at=0.5))
    return model, {f"body.{name}[{i + 1}]": vector[i] for name, vector in (("r_0", body.T.e), ("v_0", body.v))
                   for i in range(3)}  # fmt: skip


if __name__ == "__main__":
    model, signals = spring_with_mass()
    model.simulate(5, save_every=0.01).plot("body_y").figure.savefig("spring_with_mass.png")
