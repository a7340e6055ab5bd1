"""A chain of 30 links that hangs by its first hinge and is closed on itself there: 28 degrees of freedom."""

from math import pi

from easydyn import Model, ground, tdisp, trotz


def closed_chain(links=30):
    """The model, and the hinge that closes it; the links begin as a regular polygon below the hinge."""
    model = Model("closed chain", gravity=(0, -9.81, 0))
    turn, length = 2 * pi / links, 2.0 / links
    bends = [-turn * (links - 1) / 2 - 0.2] + [turn] * (links - 1)
    q = model.coordinates([f"q{i}" for i in range(links)], initial=bends)
    T, link = tdisp(0, 0, 0), None
    for i, angle in enumerate(q):
        T = T * trotz(angle)
        link = model.body(f"link {i}", T * tdisp(length / 2, 0, 0), mass=0.1, inertia=(0, 0, 0.1 * length**2 / 12))
        T = T * tdisp(length, 0, 0)
    return model, (model.close((link, (length / 2, 0, 0)), ground, joint="revolute", name="last hinge"),)


if __name__ == "__main__":
    model, closures = closed_chain()
    print(model.mobility())
    run = model.simulate(0.2)
    print(run, *(f"{c}: {run.reaction(c).force[0]}" for c in closures[:3]), sep="\n")
