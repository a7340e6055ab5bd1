"""FreeBody: a bar in space between two springs without free length, turned a little about each axis."""

from math import radians

from easydyn import Model, Spring, ground, rotation_sequence


def free_body():
    """The model, and the published signals; the body's angular velocity is in its own axes."""
    model = Model("FreeBody", gravity=(0, -9.80665, 0))
    body = model.free_body("body", mass=1, inertia=(1, 1, 1), com=(0.2, 0, 0), position=(0.2, -0.5, 0.1),
                           attitude=rotation_sequence("xyz", *[radians(10)] * 3))  # fmt: skip
    model.add(
        Spring(ground, body, stiffness=20, free_length=0),
        Spring((ground, (0.8, 0, 0)), (body, (0.4, 0, 0)), stiffness=20, free_length=0),
    )
    vectors = {"r_0": body.T.e, "v_0": body.v, "w_a": body.T.R.inv() * body.omega}
    return model, {f"body.{name}[{i + 1}]": vector[i] for name, vector in vectors.items() for i in range(3)}


if __name__ == "__main__":
    model, signals = free_body()
    model.simulate(10, save_every=0.01).plot(*signals.values()).figure.savefig("free_body.png")
