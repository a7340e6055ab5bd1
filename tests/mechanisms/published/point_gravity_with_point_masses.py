"""PointGravityWithPointMasses: four points in the field of a point, two of them joined by a spring."""

from easydyn import Model, PointGravity, Spring, tdisp


def point_gravity_with_point_masses():
    """The model, and the published signals."""
    model = Model("PointGravityWithPointMasses", gravity=PointGravity(1))
    start = [((0, 0.6, 0), 1), ((0.6, 0.6, 0), 0.6), ((0, 0.8, 0), 0.6), ((0.3, 0.8, 0), 0.6)]
    bodies = []
    for k, (place, speed) in enumerate(start, start=1):
        xyz = model.coordinates([f"{axis}{k}" for axis in "xyz"], initial=place, rates=(speed, 0, 0))
        bodies.append(model.body(f"body{k}", tdisp(*xyz), mass=1, inertia=(0, 0, 0)))
    model.add(Spring(bodies[2], bodies[3], stiffness=10, free_length=0))
    return model, {f"{body.name}.{name}[{i + 1}]": vector[i] for body in bodies
                   for name, vector in (("r_0", body.T.e), ("v_0", body.v)) for i in range(3)}  # fmt: skip


if __name__ == "__main__":
    model, signals = point_gravity_with_point_masses()
    model.simulate(2, save_every=0.01).plot("y3", "y4", x="x3").figure.savefig("point_gravity_with_point_masses.png")
