"""Surfaces: a ring and a wheel on a slide that follows a sine, by a drive of second order (Bessel, 50 Hz).

Beside them, as in the original, a surface with waves and a pipe whose temperature swings.
"""

from math import pi

from sympy import cos, sin

from easydyn import Model, t, tdisp, visu


def surfaces():
    """The model, and the published signals."""
    model = Model("Surfaces")
    s, v = model.states("s v")
    model.body("ring", tdisp(s, 0, 0), mass=1, inertia=(0.001, 0.001, 0.001), shape=visu.Torus(0.5, 0.1))
    model.body("wheel", tdisp(s, 0, 1), mass=1, inertia=(0.001, 0.001, 0.001), shape=visu.Tyre(0.25, 0.1))
    span = (-1, 1, 49)
    waves = visu.Surface(lambda x, y: (x, y, 0.5 + sin(3 * x - t) * cos(3 * y) / 2), span, span, opacity=0.6)
    pipe = visu.Pipe(0.2, 2, value=lambda x: sin(pi * x / 2) * cos(pi * t) + 1, label="T", at=tdisp(0, 1.5, 1))
    model.body("sights", tdisp(0, 0, 0), mass=0, inertia=(0, 0, 0), shape=[waves, pipe])
    model.equation(s.dot - v)
    model.equation(v.dot - ((2 * sin(pi * t) - s) * 100 * pi - 1.3617 * v) * 100 * pi / 0.6180)
    return model, {"prismatic.s": s, "prismatic.v": v}


if __name__ == "__main__":
    model, signals = surfaces()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("surfaces.png")
