"""A ball that rolls on a turntable: it goes round in circles, at 2/7 of the speed of the table."""

from easydyn import Model, cross, tdisp, trotx, troty, trotz


def ball_on_turntable(table=3.0, radius=1.0):
    """The model, and its two constraints; homogeneous, 1 kg."""
    model = Model("ball on a turntable", gravity=(0, 0, -9.81))
    x, y, a, b, c = model.coordinates("x y a b c", initial=(0.5, 0, 0, 0, 0), rates=(0, 0.3, 0, 0, 0.2))
    inertia = 0.4 * radius**2
    ball = model.body("ball", tdisp(x, y, radius) * troty(a) * trotx(b) * trotz(c), mass=1, inertia=(inertia,) * 3)
    slip = ball.v + cross(ball.omega, (0, 0, -radius)) - cross((0, 0, table), (x, y, 0))
    return model, tuple(model.constraint(component, name=name) for component, name in zip(slip[:2], "xy", strict=True))


if __name__ == "__main__":
    model, rows = ball_on_turntable()
    print(model.mobility())
    print(model.simulate(1)["x"])
