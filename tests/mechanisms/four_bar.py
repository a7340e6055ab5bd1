"""Four bars in a plane, rotations about y: a ground of 1 m, crank and coupler of 4 m, a rocker of 5 m."""

from math import pi

from easydyn import Model, tdisp, troty

GUESSES = {"plus": (-1.5, 0.5), "minus": (2.0, 2.4)}  # of coupler (from the crank) and rocker (from the ground)


def four_bar(branch="plus", crank=1.2, rate=0.8):
    """The model, and its pin between coupler and rocker."""
    model = Model("four-bar", gravity=(0, 0, -9.81))
    a, b, c = model.coordinates("a b c", initial=(crank, *GUESSES[branch]), rates=(rate, 0, 0))
    joint = troty(a) * tdisp(4, 0, 0)
    places = {"crank": (troty(a), 4), "coupler": (joint * troty(b), 4), "rocker": (tdisp(1, 0, 0) * troty(c), 5)}
    rods = {
        name: model.body(name, T, mass=1, inertia=(0, l**2 / 12, 0), com=(l / 2, 0, 0))
        for name, (T, l) in places.items()
    }
    pin = model.close((rods["coupler"], (4, 0, 0)), (rods["rocker"], (5, 0, 0)), joint="revolute", axis="y", name="pin")
    return model, (pin,)


if __name__ == "__main__":
    for branch in GUESSES:
        model, (pin,) = four_bar(branch, pi / 2, 0)
        print(model.mobility(), model.assemble())
        print(model.simulate(5).reaction(pin).force[:3])
