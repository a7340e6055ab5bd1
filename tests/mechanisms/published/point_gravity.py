"""PointGravity: two bodies in the field of a point; the orbit of the first is an ellipse, that of the second flat."""

from easydyn import Model, PointGravity


def point_gravity():
    """The model, and the published signals."""
    model = Model("PointGravity", gravity=PointGravity(1))
    bodies = [model.free_body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=place, velocity=(speed, 0, 0))
              for name, place, speed in (("body1", (0, 0.6, 0), 1), ("body2", (0.6, 0.6, 0), 0.6))]  # fmt: skip
    return model, {f"{body.name}.{name}[{i + 1}]": vector[i] for body in bodies
                   for name, vector in (("r_0", body.T.e), ("v_0", body.v)) for i in range(3)}  # fmt: skip


if __name__ == "__main__":
    model, signals = point_gravity()
    run = model.simulate(5, save_every=0.01)
    run.plot("body1_y", x="body1_x").figure.savefig("point_gravity.png")
