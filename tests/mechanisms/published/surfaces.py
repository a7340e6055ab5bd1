"""Surfaces: a ring and a wheel on a slide that follows a sine, by a drive of second order (Bessel, 50 Hz)."""

from math import pi

from sympy import sin

from easydyn import Model, t, tdisp, visu


def surfaces():
    """The model, and the published signals."""
    model = Model("Surfaces")
    s, v = model.states("s v")
    model.body("ring", tdisp(s, 0, 0), mass=1, inertia=(0.001, 0.001, 0.001), shape=visu.Torus(0.5, 0.1))
    model.body("wheel", tdisp(s, 0, 1), mass=1, inertia=(0.001, 0.001, 0.001), shape=visu.Tyre(0.25, 0.1))
    model.equation(s.dot - v)
    model.equation(v.dot - ((2 * sin(pi * t) - s) * 100 * pi - 1.3617 * v) * 100 * pi / 0.6180)
    return model, {"prismatic.s": s, "prismatic.v": v}


if __name__ == "__main__":
    model, signals = surfaces()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("surfaces.png")
