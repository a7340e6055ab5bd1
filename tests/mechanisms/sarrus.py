"""Sarrus' linkage: two folding pairs of plates at right angles let a platform move straight up and down."""

from easydyn import Model, tdisp, trotx, troty


def sarrus():
    """The model, and the hinge of the second pair on the platform."""
    model = Model("Sarrus", gravity=(0, 0, -9.81))
    a, b, c, d, e = model.coordinates("a b c d e", initial=(-0.8, -1.4, 2.2, 0.9, 1.3), rates=(0.5, 0, 0, 0, 0))
    plate = {"mass": 1, "inertia": (0.01, 0.02, 0.03)}
    lower = model.body("lower x", tdisp(0.2, 0, 0) * troty(a), com=(0.25, 0, 0), **plate)
    upper = model.body("upper x", lower.T * tdisp(0.5, 0, 0) * troty(b), com=(0.25, 0, 0), **plate)
    top = upper.T * tdisp(0.5, 0, 0) * troty(c)
    platform = model.body("platform", top, mass=4, inertia=(0.1, 0.1, 0.2), com=(-0.2, 0, 0))
    first = model.body("lower y", tdisp(0, 0.2, 0) * trotx(d), com=(0, 0.25, 0), **plate)
    second = model.body("upper y", first.T * tdisp(0, 0.5, 0) * trotx(e), com=(0, 0.25, 0), **plate)
    hinge = model.close((second, (0, 0.5, 0)), (platform, (-0.2, 0.2, 0)), joint="revolute", axis="x", name="hinge")
    return model, (hinge,)


if __name__ == "__main__":
    model, closures = sarrus()
    print(model.mobility())
    run = model.simulate(0.5)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
