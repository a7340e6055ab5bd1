"""Fourbar2: a crank and a slide in space, joined by a rod without mass."""

from math import radians, sqrt

from easydyn import Model, tdisp, trotx, visu


def fourbar2():
    """The model, and the published signals."""
    model = Model("Fourbar2", gravity=(0, -9.80665, 0))
    phi, s = model.coordinates("phi s", initial=(0, -0.2), rates=(radians(300), 0))
    crank = model.body("b1", trotx(phi), density=7700, shape=visu.Cylinder.along((0, 0.5, 0.1), 0.025))
    slide = model.body("b2", tdisp(1.2 + s, 0, 0), density=7700, shape=visu.Cylinder.along((0, 0.2, 0), 0.025))
    model.close((slide, (0, 0.2, 0)), (crank, (0, 0.5, 0.1)), joint="distance", length=sqrt(1.1), name="rod")
    return model, {"j1.phi": phi, "j1.w": phi.dot, "j2.s": s, "j2.v": s.dot}


if __name__ == "__main__":
    model, signals = fourbar2()
    model.simulate(5, save_every=0.01).plot("phi.dot", "s").figure.savefig("fourbar2.png")
