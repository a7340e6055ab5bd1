"""Fourbar_analytic: the crank and the slide of Fourbar2; easydyn finds the closed form of their loop by itself."""

from math import radians, sqrt

from easydyn import Model, tdisp, trotx, visu


def fourbar_analytic():
    """The model, and the published signals."""
    model = Model("Fourbar_analytic", gravity=(0, -9.80665, 0))
    phi, s = model.coordinates("phi s", initial=(0, -0.2), rates=(radians(300), 0))
    crank = model.body("b1", trotx(phi), density=7700, shape=visu.Cylinder.along((0, 0.5, 0.1), 0.025))
    slide = model.body("b2", tdisp(1.2 + s, 0, 0), density=7700, shape=visu.Cylinder.along((0, 0.2, 0), 0.025))
    model.close((slide, (0, 0.2, 0)), (crank, (0, 0.5, 0.1)), joint="distance", length=sqrt(1.1), name="jointSSP")
    return model, {"j1.phi": phi, "j1.w": phi.dot}


if __name__ == "__main__":
    model, signals = fourbar_analytic()
    print(model.closures(), model.simulate(5))
