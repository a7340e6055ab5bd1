"""Theo Jansen's walking legs on one crankshaft, in vacuum: three loops each, one degree of freedom for all."""

from math import pi

from easydyn import Model, tdisp, trotz

# Jansen's numbers (mm): the bars by letter; the crank has 15, the fixed pivot is 38 beside its axis and 7.8 below.
B, C, D, E, F, G, H, I, J, K = (x / 1000 for x in (41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9))
GUESS = {"j": 2.4, "k": -2.2, "b": 1.6, "c": -1.3, "f": -1.6, "g": pi}  # angles to the horizontal, of a leg on the left


def _corner(base, left, right):
    """Where a triangle of these sides has its third corner, the base from the origin along x."""
    x = (base**2 + left**2 - right**2) / (2 * base)
    return x, (left**2 - x**2) ** 0.5


def jansen(legs=12, speed=6.0):
    """The model, and its closures, three for each leg: pairs to both sides follow each other on the crank."""
    model = Model(f"{legs} Jansen legs")
    (crank,) = model.coordinates("crank", initial=0.4, rates=speed)
    model.body("crankshaft", trotz(crank), mass=0.5, inertia=(0, 0, 1e-4))
    closures = []
    for i in range(legs):
        phase, side = 4 * pi * (i // 2) / max(legs, 2), (-1) ** i  # 1: on the left
        guess = [x if side > 0 else pi - x for x in GUESS.values()]
        j, k, b, c, f, g = model.coordinates([f"{x}{i}" for x in GUESS], initial=guess)
        pin, pivot = trotz(crank + phase) * tdisp(0.015, 0, 0), tdisp(-0.038 * side, -0.0078, 0)
        corner, foot = _corner(B, D, E), _corner(G, I, H)
        places = {
            "j": (pin * trotz(j - crank - phase), J, (J / 2, 0, 0)),
            "k": (pin * trotz(k - crank - phase), K, (K / 2, 0, 0)),
            "b": (pivot * trotz(b), B, ((B + corner[0]) / 3, side * corner[1] / 3, 0)),
            "c": (pivot * trotz(c), C, (C / 2, 0, 0)),
        }
        places["f"] = places["b"][0] * tdisp(corner[0], side * corner[1], 0) * trotz(f - b), F, (F / 2, 0, 0)
        places["g"] = places["c"][0] * tdisp(C, 0, 0) * trotz(g - c), G, ((G + foot[0]) / 3, side * foot[1] / 3, 0)
        bars = {
            name: model.body(f"{name}{i}", T, mass=length, inertia=(0, 0, length**3 / 12), com=com)
            for name, (T, length, com) in places.items()
        }
        closures += [
            model.close((bars[one], (x, 0, 0)), (bars[other], (y, 0, 0)), joint="revolute", name=f"{one}{i}")
            for one, x, other, y in (("j", J, "b", B), ("k", K, "c", C), ("f", F, "g", G))
        ]
    return model, tuple(closures)


if __name__ == "__main__":
    model, closures = jansen()
    print(model.mobility().sentences[0])
    run = model.simulate(1)
    print(run, run["crank.dot"])
