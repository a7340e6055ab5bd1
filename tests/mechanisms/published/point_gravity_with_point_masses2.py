"""PointGravityWithPointMasses2: six points on a rigid cross without mass, in the field of a point.

At 1.35 s one of them passes 0.14 m beside the centre: as the published model does, runs ask for a tolerance of 1e-7.
"""

from easydyn import Model, PointGravity, tdisp


def point_gravity_with_point_masses2():
    """The model, and the published signals."""
    model = Model("PointGravityWithPointMasses2", gravity=PointGravity(5))
    cross = model.free_body("cross", mass=0, inertia=(0, 0, 0), position=(2, 0, 0), velocity=(0, 0, -1))
    ends = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
    points = [model.body(f"pointMass{k}", cross.T * tdisp(*end), mass=1, inertia=(0, 0, 0))
              for k, end in enumerate(ends, start=1)]  # fmt: skip
    return model, {f"{point.name}.{name}[{i + 1}]": vector[i] for point in points
                   for name, vector in (("r_0", point.T.e), ("v_0", point.v)) for i in range(3)}  # fmt: skip


if __name__ == "__main__":
    model, signals = point_gravity_with_point_masses2()
    run = model.simulate(3, save_every=0.01, tolerance=1e-7)
    run.plot("cross_x", "cross_z").figure.savefig("point_gravity_with_point_masses2.png")
