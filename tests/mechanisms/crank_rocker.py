"""A crank that turns and a rocker that swings: 0.3, 0.8, 0.6 m on a ground of 0.9 m, uniform rods, 6 rad/s."""

from math import pi

from easydyn import Model, tdisp, trotz


def crank_rocker():
    """The model, and its pin between coupler and rocker."""
    model = Model("crank-rocker", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("crank coupler rocker", initial=(pi / 2, -1.2, 1.8), rates=(6, 0, 0))
    places = [trotz(a), trotz(a) * tdisp(0.3, 0, 0) * trotz(b), tdisp(0.9, 0, 0) * trotz(c)]
    crank, coupler, rocker = (
        model.body(name, T, mass=m, inertia=(0, 0, m * l**2 / 12), com=(l / 2, 0, 0))
        for name, T, m, l in zip(("crank", "coupler", "rocker"), places, (1, 2, 1.5), (0.3, 0.8, 0.6), strict=True)
    )
    pin = model.close((coupler, (0.8, 0, 0)), (rocker, (0.6, 0, 0)), joint="revolute", name="pin")
    return model, (pin,)


if __name__ == "__main__":
    model, (pin,) = crank_rocker()
    print(model.mobility())
    print(model.simulate(5).reaction(pin).force[:3])
