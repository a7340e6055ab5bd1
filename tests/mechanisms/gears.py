"""Two gears and a rack: what the teeth ask of the angles is given in closed form, each coordinate by another."""

from easydyn import Model, Spring, ground, tdisp, trotz


def gears(first=0.05, second=0.15, ratio=0.4):
    """The model, and its two constraints: the second gear turns the other way, its pinion drives the rack."""
    model = Model("two gears and a rack", gravity=(-9.81, 0, 0))
    a, b, x = model.coordinates("a b x", initial=(0.2, 0, 0), rates=(3, 0, 0))
    model.body("first gear", trotz(a), mass=1, inertia=(0, 0, 0.002), com=(0.01, 0, 0))
    model.body("second gear", tdisp(0, first + second, 0) * trotz(b), mass=4, inertia=(0, 0, 0.05))
    rack = model.body("rack", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(rack, (ground, (-1, 0, 0)), stiffness=300, free_length=1))
    return model, (model.dependent(b, -a * first / second), model.dependent(x, ratio * second * b))


if __name__ == "__main__":
    model, teeth = gears()
    print(model.mobility())
    print(model.simulate(1).multipliers(teeth[0])[:3])
