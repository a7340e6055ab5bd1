"""RollingWheelSetDriving: two wheels on an axle, each driven by a torque of its own; a small body ahead of the axle."""

from math import pi

from sympy import sin

from easydyn import Actuator, Model, RollingWheelSet, ground, t, tdisp, troty, trotz


def rolling_wheel_set_driving():
    """The model, and the published signals; the torques are between the wheels and their axle."""
    model = Model("RollingWheelSetDriving", gravity=(0, 0, -9.80665))
    theta1, theta2, phi = model.coordinates("theta1 theta2 phi")
    x, y = model.coordinates("x y", initial=(0.1, 0.1))
    axle = model.body("body", tdisp(x, y, 0.1) * trotz(phi), mass=0.01, inertia=(0.001, 0.001, 0.001), com=(0.2, 0, 0))
    wheels = [model.body(name, axle.T * tdisp(0, side, 0) * troty(theta), mass=0.5, inertia=(0.02, 0.01, 0.02))
              for name, side, theta in (("wheel1", 0.25, theta1), ("wheel2", -0.25, theta2))]  # fmt: skip
    model.add(RollingWheelSet(*wheels, ground, radius=0.1))
    model.add(Actuator(theta1, command=2 * sin(2 * pi * t)), Actuator(theta2, command=2 * sin(2 * pi * t + pi / 2)))
    angles = {"theta1": theta1, "theta2": theta2, "phi": phi, "x": x, "y": y}
    return model, {**{f"wheelSet.{name}": value for name, value in angles.items()},
                   "wheelSet.der_theta1": theta1.dot, "wheelSet.der_theta2": theta2.dot}  # fmt: skip


if __name__ == "__main__":
    model, signals = rolling_wheel_set_driving()
    model.simulate(3, save_every=0.01).plot("y", x="x").figure.savefig("rolling_wheel_set_driving.png")
