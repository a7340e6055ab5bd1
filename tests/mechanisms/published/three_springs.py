"""ThreeSprings: three springs meet in a point without mass; a body hangs on one of them."""

from easydyn import Model, Spring, ground


def three_springs():
    """The model, and the published signals; `spring1.r_rel_0` leads from the first spring's support to the point."""
    model = Model("ThreeSprings", gravity=(0, -9.80665, 0))
    body = model.free_body("body1", mass=0.8, inertia=(0.1, 0.1, 0.1), com=(0, -0.2, 0), position=(0.5, -0.3, 0))
    knot = model.node("knot", position=(0.1, -0.2, 0.2))
    model.add(
        Spring((ground, (0.3, 0, 0)), knot, stiffness=20, free_length=0.1),
        Spring((ground, (0, 0, 0.3)), knot, stiffness=20, free_length=0.1),
        Spring(knot, body, stiffness=40, free_length=0.1),
    )
    vectors = {"body1.r_0": body.T.e, "body1.v_0": body.v, "body1.w_a": body.T.R.inv() * body.omega,
               "spring1.r_rel_0": knot.T.e - (0.3, 0, 0)}  # fmt: skip
    return model, {f"{name}[{i + 1}]": vector[i] for name, vector in vectors.items() for i in range(3)}


if __name__ == "__main__":
    model, signals = three_springs()
    model.simulate(10, save_every=0.01).plot("body1_x", "body1_y", "body1_z").figure.savefig("three_springs.png")
