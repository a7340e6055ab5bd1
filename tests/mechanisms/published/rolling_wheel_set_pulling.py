"""RollingWheelSetPulling: two wheels on an axle, pulled ahead of it by a force that changes its direction."""

from sympy import Max, Min

from easydyn import Force, Model, RollingWheelSet, ground, t, tdisp, troty, trotz


def rolling_wheel_set_pulling():
    """The model, and the published signals; the force turns from x to y between 1 and 2 s."""
    model = Model("RollingWheelSetPulling", gravity=(0, 0, -9.80665))
    theta1, theta2, phi = model.coordinates("theta1 theta2 phi")
    x, y = model.coordinates("x y", initial=(0.1, 0.1))
    axle = model.body("body", tdisp(x, y, 0.1) * trotz(phi), mass=0.01, inertia=(0.001, 0.001, 0.001), com=(0.2, 0, 0))
    wheels = [model.body(name, axle.T * tdisp(0, side, 0) * troty(theta), mass=0.5, inertia=(0.02, 0.01, 0.02))
              for name, side, theta in (("wheel1", 0.25, theta1), ("wheel2", -0.25, theta2))]  # fmt: skip
    force = Max(0, Min(1, 2 - t)), Max(0, Min(2, 2 * t - 2)), 0
    model.add(RollingWheelSet(*wheels, ground, radius=0.1), Force(axle, force, at=(0.2, 0, 0)))
    angles = {"theta1": theta1, "theta2": theta2, "phi": phi, "x": x, "y": y}
    return model, {**{f"wheelSet.{name}": value for name, value in angles.items()},
                   "wheelSet.der_theta1": theta1.dot, "wheelSet.der_theta2": theta2.dot}  # fmt: skip


if __name__ == "__main__":
    model, signals = rolling_wheel_set_pulling()
    model.simulate(3, save_every=0.01).plot("y", x="x").figure.savefig("rolling_wheel_set_pulling.png")
