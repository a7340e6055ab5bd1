"""Crank, rod and slider in the plane xz, rotations about y; the slide may pass beside the crank's axis."""

from easydyn import Model, tdisp, troty


def crank_slider(side="right", offset=0.0, crank=0.7, rate=1.3):
    """The model, and its closure between rod and slider."""
    model = Model("crank-slider", gravity=(0, 0, -9.81))
    sign = {"left": -1, "right": 1}[side]
    a, b, x = model.coordinates("a b x", initial=(crank, -crank if sign > 0 else 3.1 - crank, 2 * sign),
                                rates=(rate, 0, 0))  # fmt: skip
    model.body("crank", troty(a), mass=5, inertia=(0, 5 * 0.5**2 / 12, 0), com=(0.25, 0, 0))
    rod = model.body("rod", troty(a) * tdisp(0.5, 0, 0) * troty(b), mass=5, inertia=(0, 5 * 2**2 / 12, 0),
                     com=(1, 0, 0))  # fmt: skip
    slider = model.body("slider", tdisp(x, 0, offset), mass=10, inertia=(0, 0, 0))
    pin = model.close((rod, (2, 0, 0)), slider, joint="revolute", axis="y", name="pin")
    return model, (pin,)


if __name__ == "__main__":
    for side in ("left", "right"):
        model, (pin,) = crank_slider(side)
        print(model.mobility(), model.assemble())
        print(model.simulate(2).reaction(pin).force[:3])
