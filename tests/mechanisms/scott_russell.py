"""A lift of two Scott-Russell linkages; a slide guides its platform that would stay level without."""

from math import pi

from easydyn import Model, ground, tdisp, trotz


def scott_russell():
    """The model, and its closures: feet on the ground, tops on the platform, whose guide makes two redundant."""
    model = Model("double Scott-Russell", gravity=(0, -9.81, 0))
    y, a, b, c, d = model.coordinates("y a b c d", initial=(0.9, 0.6, pi - 0.6, pi - 0.6, 0.6))
    platform = model.body("platform", tdisp(0, y, 0), mass=20, inertia=(0, 0, 1))
    closures = []
    for name, x, one, other in (("left", -0.6, a, b), ("right", 0.6, c, d)):
        crank = model.body(f"{name} crank", tdisp(x, 0, 0) * trotz(one), mass=2, inertia=(0, 0, 0.04), com=(0.25, 0, 0))
        link = model.body(f"{name} link", crank.T * tdisp(0.5, 0, 0) * trotz(other - one), mass=4, inertia=(0, 0, 0.33))
        closures += [
            model.close(ground, (link, (-0.5, 0, 0)), joint=("y",), name=f"{name} foot"),
            model.close((platform, (x, 0, 0)), (link, (0.5, 0, 0)), joint="revolute", name=f"{name} top"),
        ]
    return model, tuple(closures)


if __name__ == "__main__":
    model, closures = scott_russell()
    print(model.mobility())
    run = model.simulate(0.2)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
