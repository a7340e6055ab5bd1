"""UserDefinedGravityField: a pendulum of a tonne in the normal gravity of the Earth, WGS84, on the equator."""

from easydyn import Model, TorsionDamper, tdisp, trotz

A, B, GM, OMEGA = 6378137.0, 6356752.3142, 398600441800000.0, 7.292115e-05


def normal_gravity(r):
    """Its acceleration at a place r whose y is the height; the second order in the height as published."""
    flattening, m = 1 / 298.257223563, OMEGA**2 * A**2 * B / GM
    return 0, -9.7803253359 * (1 - r.y / A * (2 * (1 + flattening + m) + 3 * r.y / A)), 0


def user_defined_gravity_field():
    """The model, and the published signals."""
    model = Model("UserDefinedGravityField", gravity=normal_gravity)
    phi = model.coordinate("phi")
    arm = tdisp(0, 20, 0) * trotz(phi)
    model.body("body", arm, mass=1000, inertia=(0.001, 0.001, 0.001), com=(10, 0, 0))
    model.add(TorsionDamper(phi, damping=0.1))
    return model, {"rev.phi": phi, "rev.w": phi.dot}


if __name__ == "__main__":
    model, signals = user_defined_gravity_field()
    model.simulate(10, save_every=0.01).plot(*signals.values()).figure.savefig("user_defined_gravity_field.png")
