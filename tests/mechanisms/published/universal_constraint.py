"""UniversalConstraint: a body on a bar, a cross with axes z and x and a spring, by a joint, and by a constraint."""

from math import pi, radians

from easydyn import Model, Spring, ground, rotation_sequence, tdisp, trotx, troty, trotz


def universal_constraint():
    """The model, and the published signals: both bodies move alike."""
    model = Model("UniversalConstraint", gravity=(0, -9.80665, 0))
    turned = rotation_sequence("xyz", *map(radians, (10, 55, 68)))
    base, bar = tdisp(0.2, -0.3, 0.2) * turned, tdisp(0.1, 0.15, 0.2)
    a, b = model.coordinates("a b")
    given = {"mass": 1, "inertia": (1, 1, 1), "com": (0.2, 0, 0)}
    joint = model.body("bodyOfJoint", base * trotz(a) * trotx(b) * bar, **given)
    free = model.free_body("bodyOfConstraint", position=(base * bar).e, attitude=turned, **given)
    first, second = (ground, base * troty(-pi / 2)), (free, bar.inv() * trotz(-pi / 2))  # x is z there, y is x
    model.close(first, second, joint="universal", name="constraint")
    for body in (joint, free):
        model.add(Spring((ground, (0.8, 0, 0.3)), (body, (0.4, 0, 0)), stiffness=20, free_length=0))
    return model, {"joint.phi_a": a, "joint.phi_b": b, "joint.w_a": a.dot, "joint.w_b": b.dot, **{
        f"{body.name}.body.w_a[{i + 1}]": (body.T.R.inv() * body.omega)[i] for body in (joint, free) for i in range(3)}}


if __name__ == "__main__":
    model, signals = universal_constraint()
    model.simulate(10, save_every=0.01).plot("a", "b").figure.savefig("universal_constraint.png")
