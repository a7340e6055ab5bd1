"""A bar that a cylinder holds: the cylinder's two halves slide in each other, and its rod ends on the bar."""

from easydyn import Model, tdisp, troty, trotz


def bar_with_cylinder(plane="xz", half=0.025):
    """The model, and its pin between bar and rod; in the plane xz (rotations about y) or xy."""
    turn, axis, e = (troty, "y", (0, 0, -9.81)) if plane == "xz" else (trotz, "z", (0, -9.81, 0))
    model = Model("bar with cylinder", gravity=e)
    q, w, s = model.coordinates("q w s", initial=(1, 2, 0.15), rates=(0.8, 0, 0))

    def inertia(x):
        return (0, x, 0) if plane == "xz" else (0, 0, x)

    bar = model.body("bar", turn(q), mass=0.6, inertia=inertia(0.6 * 0.174**2 / 12), com=(0.087, 0, 0))
    tube = model.body("tube", tdisp(0.13, 0, 0) * turn(w), mass=half, inertia=inertia(half * 0.1**2 / 12),
                      com=(0.05, 0, 0))  # fmt: skip
    rod = model.body("rod", tube.T * tdisp(s, 0, 0), mass=half, inertia=inertia(half * 0.1**2 / 12), com=(0.05, 0, 0))
    pin = model.close((bar, (0.174, 0, 0)), rod, joint="revolute", axis=axis, name="pin")
    return model, (pin,)


if __name__ == "__main__":
    model, (pin,) = bar_with_cylinder()
    print(model.mobility(), model.assemble())
    print(model.simulate(0.2).reaction(pin).force[:3])
