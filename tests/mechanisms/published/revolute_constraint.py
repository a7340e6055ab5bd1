"""RevoluteConstraint: a body on an inclined hinge and a spring, once by a joint, once held by a constraint."""

from math import radians

from easydyn import Model, Spring, ground, rotation_sequence, tdisp, trot


def revolute_constraint(axis=(0, 0, 1)):
    """The model, and the published signals: both bodies move alike. The axis is that of a joint by default, z."""
    model = Model("RevoluteConstraint", gravity=(0, -9.80665, 0))
    turned = rotation_sequence("xyz", *map(radians, (10, 55, 68)))
    base = tdisp(0.2, -0.3, 0.2) * turned
    phi = model.coordinate("phi")
    given = {"mass": 1, "inertia": (1, 1, 1), "com": (0.2, 0, 0)}
    joint = model.body("bodyOfJoint", base * trot(axis, phi), **given)
    free = model.free_body("bodyOfConstraint", position=(0.2, -0.3, 0.2), attitude=turned, **given)
    model.close((ground, base), free, joint="revolute", axis=axis, name="constraint")
    for body in (joint, free):
        model.add(Spring((ground, (0.8, 0, 0.3)), (body, (0.4, 0, 0)), stiffness=20, free_length=0))
    return model, {"joint.phi": phi, "joint.w": phi.dot, **{
        f"{body.name}.body.w_a[{i + 1}]": (body.T.R.inv() * body.omega)[i] for body in (joint, free) for i in range(3)}}


if __name__ == "__main__":
    model, signals = revolute_constraint()
    model.simulate(10, save_every=0.01).plot("phi").figure.savefig("revolute_constraint.png")
