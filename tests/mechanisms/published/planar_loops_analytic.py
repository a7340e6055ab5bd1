"""PlanarLoops_analytic: three loops behind each other, driven by a sine through a drive of second order (50 Hz)."""

from math import hypot, pi

from sympy import sin

from easydyn import Model, ground, t, tdisp, trotz


def planar_loops_analytic():
    """The model, and the published signals; the second rod of each loop has no mass."""
    model = Model("PlanarLoops_analytic", gravity=(0, -9.80665, 0))
    phi, w = model.states("phi w")
    model.equation(phi.dot - w)
    model.equation(w.dot - ((0.7 * sin(2 * pi * t) - phi) * 100 * pi - 1.3617 * w) * 100 * pi / 0.6180)
    end = trotz(phi) * tdisp(0, 0.5, 0)
    rods = [((0.6, 0, 0), (0.1, 0.5)), ((0.5, 0.1, 0), (0.1, 0.6)), ((0.4, -0.05, 0), (0, 0.55))]
    for k, (first, second) in enumerate(rods, start=1):
        middle = tuple(x / 2 for x in first)
        angle = model.coordinate(f"phi{k}")
        body = model.body(f"body{k}", end * trotz(angle), mass=1, inertia=(0.001, 0.001, 0.001), com=middle)
        model.close((body, first), (ground, (0.5 * k, 0, 0)), joint="distance", length=hypot(*second), name=f"rod{k}")
        end = body.T * tdisp(*first)
    return model, {"rev.phi": phi, "rev.w": w, **{f"jointRRR{k}.phi": model.symbols[f"phi{k}"] for k in (1, 2, 3)}}


if __name__ == "__main__":
    model, signals = planar_loops_analytic()
    model.simulate(5, save_every=0.01).plot(*signals.values()).figure.savefig("planar_loops_analytic.png")
