"""A chain of ten links with spherical joints beside the same with three angles in each joint, by three methods.

    python benchmarks/attitude.py

Prints the time of a run that is compiled already, the best of several, and how far the two motions are apart. The
motion stays away from the singular attitude of the angles; with renewals there is nothing to compare with.
"""

from __future__ import annotations

import time

import numpy as np

from easydyn import Model, tdisp, trotx, troty, trotz

LINKS, RUNS = 10, 9
METHODS = {"newmark": 1e-5, "dop853": 1e-10, "lobatto": 1e-10}


def chain(renewed: bool) -> Model:
    """Rods on each other, with what joins them."""
    model = Model("chain", gravity=(0, 0, -9.81))
    T = tdisp(0, 0, 0)
    for k in range(LINKS):
        spin = (0.3, 0.5 if k % 2 else -0.4, 0.2)
        if renewed:
            T = T * model.spherical(f"j{k}", angular_velocity=spin)
        else:
            a, b, c = model.coordinates(f"a{k} b{k} c{k}", rates=spin)
            T = T * trotx(a) * troty(b) * trotz(c)
        model.body(f"link {k}", T * tdisp(0, 0, -0.1), mass=1, inertia=(0.02, 0.02, 0.01))
        T = T * tdisp(0, 0, -0.2)
    return model


def main() -> None:
    models = {"three angles": chain(False), "spherical": chain(True)}
    for method, tolerance in METHODS.items():
        options = {"method": method, "tolerance": tolerance, "save_every": 0.05}
        ends, best = {}, dict.fromkeys(models, np.inf)
        for _ in range(RUNS):  # in turns, so that both see the same machine
            for name, model in models.items():
                begin = time.perf_counter()
                run = model.simulate(10, **options)
                best[name] = min(best[name], time.perf_counter() - begin)
                ends[name] = np.array([run.frames(f"link {k}") for k in range(LINKS)])
        apart = abs(ends["spherical"] - ends["three angles"]).max()
        ratio = best["spherical"] / best["three angles"]
        times = ", ".join(f"{name} {1e3 * seconds:.1f} ms" for name, seconds in best.items())
        print(f"{method:8} {times}, ratio {ratio:.2f}, apart {apart:.1e}")


if __name__ == "__main__":
    main()
