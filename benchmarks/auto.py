"""Does `method="auto"` choose well? Mechanisms and stiff test problems by four methods and by "auto".

    python benchmarks/auto.py [NAME ...]

For each model: the evaluations of the residual (which do not depend on the machine), the CPU time of a run after the
first (ms), and the error of the coordinates at the end, beside a run by another method with a tolerance of 1e-10. The
last column is the cost of the choice beside the least of the four, of those whose error is not above hundred times the
tolerance.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sympy import Abs, Rational, cos, sin

from easydyn import GeneralizedForce, JointFriction, Model, PlanePoint, RigidContact, examples, ground, t, tdisp, trotz
from easydyn.errors import EasyDynError

METHODS = ("newmark", "newmark_extrapolated", "dop853", "lobatto")
TOLERANCE, ROUNDS, MOST_ROUNDS = 1e-6, 3, 1000  # of a short run, for 0.4 s
SECONDS = {
    "double_pendulum": 5, "slider_crank": 3, "spatial_robot": 2, "oscillator": 5, "spring_pendulum": 3,
    "relative_pendulum": 3, "free_body": 5, "gyroscope": 1, "falling_chain": 1, "bouncing_ball": 2, "quarter_car": 3,
    "dc_motor": 1, "planar_bicycle": 2, "seven_axis_arm": 1, "trolley_pendulum": 3, "fourfold_pendulum": 2,
    "coupler_curve": 3, "v6_engine": 0.2, "walking_legs": 2, "macpherson": 2, "benchmark_bicycle": 2,
    "satellite": 5,
}  # fmt: skip


def pendulum(*forces: Callable[[Any], Any], links: int = 1, **options: Any) -> Model:
    """A chain of rods with moments at its joints."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    T = tdisp(0, 0, 0)
    for k in range(links):
        (q,) = model.coordinates(f"q{k}", initial=0.8)
        model.body(f"rod {k}", T * trotz(q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 1 / 12))
        T = T * trotz(q) * tdisp(0, -1, 0)
        for force in forces:
            model.add(GeneralizedForce(q, force(q)))
    return model


def decay(rate: float) -> Model:
    """A coordinate that a strong damper pulls to a slow motion."""
    model = Model("decay")
    (x,) = model.coordinates("x")
    model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -rate * (x.dot - cos(t))))
    return model


def dropped(*, rigid: bool) -> Model:
    """A ball on a floor, rigid or soft."""
    model = Model("dropped", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=0.5)
    ball = model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    soft = PlanePoint(ball, ground, normal=(0, 1, 0), stiffness=1e4, damping=20)
    model.add(RigidContact(y, restitution=0.5, name="floor") if rigid else soft)
    return model


def rubbing() -> Model:
    """A pendulum with dry friction."""
    model = pendulum()
    model.add(JointFriction(model.mechanism.coordinates[0], 0.5, name="bearing"))
    return model


def swinging(mu: float) -> Model:
    """Van der Pol's oscillator."""
    model = Model("van der Pol")
    (x,) = model.coordinates("x", initial=2.0)
    model.equation(x.ddot - mu * (1 - x**2) * x.dot + x)
    return model


def comet() -> Model:
    """A point on an eccentric orbit."""
    model = Model("comet")
    x, y = model.coordinates("x y", initial=(1, 0), rates=(0, 0.4))
    for q in (x, y):
        model.equation(q.ddot + q / (x**2 + y**2) ** Rational(3, 2))
    return model


def springs(count: int, stiffness: float) -> Model:
    """A row of points between springs."""
    model = Model("springs")
    xs = model.coordinates([f"x{k}" for k in range(count)], initial=[0.1 * (k % 3) for k in range(count)])
    for left, x, right in zip([0, *xs], xs, [*xs[1:], 0], strict=False):
        model.equation(x.ddot + stiffness * (2 * x - left - right) + 0.1 * x.dot)
    return model


def filtered() -> Model:
    """A pendulum whose moment comes from a fast filter."""
    model = pendulum()
    (q,), (p,) = model.mechanism.coordinates, model.states("p")
    model.equation(p.dot - 1e4 * (q - p))
    model.add(GeneralizedForce(q, -2 * p))
    return model


def falling() -> Model:
    """A light ball in air."""
    model = Model("falling", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=100)
    model.body("ball", tdisp(0, y, 0), mass=0.01, inertia=(0, 0, 0))
    model.add(GeneralizedForce(y, -0.05 * y.dot * Abs(y.dot)))
    return model


def bushed() -> Model:
    """A pendulum in a stiff bushing."""
    model = Model("bushed", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=(0.001, -0.001, 0.7))
    model.body("rod", tdisp(x, y, 0) * trotz(a) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 1 / 12))
    for q in (x, y):
        model.add(GeneralizedForce(q, -1e6 * q - 500 * q.dot))
    return model


STIFF: dict[str, tuple[Callable[[], Model], float]] = {
    "decay at 100/s": (lambda: decay(100), 5), "decay at 10,000/s": (lambda: decay(1e4), 5),
    "stiff spring": (lambda: pendulum(lambda q: -1e6 * q - 2e3 * q.dot), 2),
    "strong dampers": (lambda: pendulum(lambda q: -1e4 * q.dot, links=3), 2),
    "chain of 5": (lambda: pendulum(links=5), 2), "rigid ball": (lambda: dropped(rigid=True), 2),
    "soft ball": (lambda: dropped(rigid=False), 2), "dry friction": (rubbing, 4),
}  # fmt: skip
OTHERS: dict[str, tuple[Callable[[], Model], float]] = {  # by which no number of the rule was chosen
    "van der Pol 5": (lambda: swinging(5), 20), "van der Pol 1000": (lambda: swinging(1000), 2000),
    "comet": (comet, 20), "20 springs": (lambda: springs(20, 1e3), 2), "5 stiff springs": (lambda: springs(5, 1e6), 2),
    "servo": (lambda: pendulum(lambda q: -4e4 * (q - sin(t)) - 400 * q.dot, links=2), 3),
    "driven chain": (lambda: pendulum(lambda q: 3 * sin(20 * t) - 0.2 * q.dot, links=3), 3),
    "fast filter": (filtered, 5), "air drag": (falling, 3), "bushing": (bushed, 2),
}  # fmt: skip


def cost(model: Model, seconds: float, exact: Any) -> dict[str, tuple[int, float, float, str]]:
    """Residuals, the least CPU time (ms), the error at the end, and the method of a run, for each method by turns."""
    found, times = {}, {}
    for method in (*METHODS, "auto"):
        try:
            run = model.simulate(seconds, method=method, tolerance=TOLERANCE)
            error = float(np.abs((run.q[-1] - exact)[~run.first_order]).max(initial=0))
            found[method], times[method] = (run.stats.residuals, error, run.stats.method), []
        except EasyDynError as error:
            found[method], times[method] = (0, np.inf, type(error).__name__), [np.inf]
    for k in range(MOST_ROUNDS):
        for method, spent in times.items():
            if found[method][0] and (k < ROUNDS or sum(spent) < 0.4):
                begin = process_time()
                model.simulate(seconds, method=method, tolerance=TOLERANCE)
                spent.append(process_time() - begin)
    return {x: (residuals, 1e3 * min(times[x]), error, name) for x, (residuals, error, name) in found.items()}


def main() -> None:
    models = {name: (getattr(examples, name), float(time)) for name, time in SECONDS.items()} | STIFF | OTHERS
    print(f"{'model':20}" + "".join(f"{name:>29}" for name in METHODS) + f"{'auto':>29}   beside the best")
    for name in sys.argv[1:] or models:
        make, seconds = models[name]
        model = make()
        precise = "newmark_extrapolated" if name == "van der Pol 1000" else "dop853"
        found = cost(model, seconds, model.simulate(seconds, method=precise, tolerance=1e-10).q[-1])
        good = [found[x][1] for x in METHODS if found[x][2] < 100 * TOLERANCE * seconds] or [np.inf]
        cells = "".join(f"{r:9} {ms:9.2f} ms {error:7.0e}" for r, ms, error, _ in found.values())
        print(f"{name:20}{cells}   {found['auto'][3]} {found['auto'][1] / min(good):.2f}", flush=True)


if __name__ == "__main__":
    main()
