"""Fourbar1: a crank, a slide and a coupler in space, with seven joints and one degree of freedom."""

from math import radians

from easydyn import Model, tdisp, trotx, troty, trotz, visu


def fourbar1():
    """The model, and the published signals."""
    model = Model("Fourbar1", gravity=(0, -9.80665, 0))
    phi = model.coordinate("phi", rate=radians(300))
    s, a, b = model.coordinates("s a b", initial=(-0.2, 0, 0))
    one, two, three = (visu.Cylinder.along(end, 0.025) for end in ((0, 0.5, 0.1), (0, 0.2, 0), (-1, 0.3, 0.1)))
    crank = model.body("b1", trotx(phi), density=7700, shape=one)
    slide = model.body("b2", tdisp(1.2 + s, 0, 0), density=7700, shape=two)
    coupler = model.body("b3", slide.T * tdisp(0, 0.2, 0) * troty(a) * trotz(b), density=7700, shape=three)
    model.close((coupler, (-1, 0.3, 0.1)), (crank, (0, 0.5, 0.1)), joint="spherical", name="j3, j4, j5")
    return model, {"j1.phi": phi, "j1.w": phi.dot, "j2.s": s, "j2.v": s.dot}


if __name__ == "__main__":
    model, signals = fourbar1()
    model.simulate(5, save_every=0.01).plot("phi.dot", "s").figure.savefig("fourbar1.png")
