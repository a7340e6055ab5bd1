"""PrismaticConstraint: a body slides in an inclined plane on a spring, once on slides, once held by a constraint."""

from math import radians

from easydyn import Model, Spring, ground, rotation_sequence, tdisp


def prismatic_constraint():
    """The model, and the published signals: both bodies move alike."""
    model = Model("PrismaticConstraint", gravity=(0, -9.80665, 0))
    turned = rotation_sequence("xyz", *map(radians, (10, 55, 68)))
    base = tdisp(0.2, -0.3, 0.2) * turned
    x, y = model.coordinates("x y")
    given = {"mass": 1, "inertia": (1, 1, 1), "com": (0.2, 0, 0)}
    joint = model.body("bodyOfJoint", base * tdisp(x, y, 0), **given)
    free = model.free_body("bodyOfConstraint", position=(0.2, -0.3, 0.2), attitude=turned, **given)
    model.close((ground, base), free, joint=("z", "rx", "ry", "rz"), name="constraint")
    for body in (joint, free):
        model.add(Spring((ground, (0.8, 0, 0.3)), (body, (0.4, 0, 0)), stiffness=20, free_length=0))
    slides = {"x.s": x, "x.v": x.dot, "y.s": y, "y.v": y.dot}
    return model, {**{f"jointPrismatic_{name}": q for name, q in slides.items()}, **{
        f"{body.name}.{name}[{i + 1}]": vector[i] for body in (joint, free)
        for name, vector in (("r_0", body.T.e), ("v_0", body.v)) for i in range(3)}}  # fmt: skip


if __name__ == "__main__":
    model, signals = prismatic_constraint()
    model.simulate(10, save_every=0.01).plot("x", "y").figure.savefig("prismatic_constraint.png")
