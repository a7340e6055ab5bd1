"""RollingWheel: a wheel rolls on a plane without slip, falls, and gets up again; its turns are about z, y and x."""

from easydyn import Model, Rolling, ground, tdisp, trotx, troty, trotz


def rolling_wheel():
    """The model, and the published signals: the three angles, in the order in which they are turned, and the place."""
    model = Model("RollingWheel", gravity=(0, 0, -9.80665))
    a, b, c = model.coordinates("a b c", rates=(0, 5, 1))
    x, y, z = model.coordinates("x y z", initial=(0.2, 0.2, 0.3))
    frame = tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c)
    wheel = model.body("wheel1", frame, mass=2, inertia=(0.12, 0.06, 0.12))
    model.add(Rolling(wheel, ground, radius=0.3))
    return model, {"wheel1.x": x, "wheel1.y": y,
                   **{f"wheel1.angles[{i}]": angle for i, angle in enumerate((a, b, c), start=1)},
                   **{f"wheel1.der_angles[{i}]": angle.dot for i, angle in enumerate((a, b, c), start=1)}}  # fmt: skip


if __name__ == "__main__":
    model, signals = rolling_wheel()
    model.simulate(4, save_every=0.01).plot("y", x="x").figure.savefig("rolling_wheel.png")
