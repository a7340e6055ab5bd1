"""Draws the sketches of the exercises' statements anew: `python docs/sketches.py`, and then look at each of them.

They are drawn by easydyn alone; test_sketches.py in tests compares what is labelled in them with the statements.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

from easydyn import Damper, Model, Spring, TorsionSpring, examples, ground, t, tdisp, trotx, troty, trotz, visu
from easydyn.examples import jack
from easydyn.examples.crank import closed

FOLDER = Path(__file__).resolve().parent.parent / "exercises"
DOWN = (0, -9.81, 0)
SKETCHES: dict[str, Callable[[Any], Any]] = {}


def sketch_of(name: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """The function below draws the sketch of this exercise into axes."""

    def put(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        SKETCHES[name] = function
        return function

    return put


@sketch_of("01_frames")
def frames(ax: Any) -> Any:
    scene = examples.double_pendulum().scene(initial={"q1": 0.5, "q2": 0.6})
    return scene.sketch(ax, frames=True, points=True)


@sketch_of("02_velocity")
def velocity(ax: Any) -> Any:
    model = Model("cart with a pendulum", gravity=DOWN)
    x, phi = model.coordinates("x phi", initial=(0.7, 0.5))
    (length,) = model.parameters(l=0.8)
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    T = tdisp(x, 0, 0) * trotz(phi) * tdisp(0, -length / 2, 0)
    model.body("rod", T, mass=1, inertia=(0, 0, length**2 / 12))
    return model.scene().sketch(ax)


@sketch_of("03_contributions")
def contributions(ax: Any) -> Any:
    model = Model("turntable with a carriage", gravity=(0, 0, -9.81))
    s, q = model.coordinates("s q", initial=(0.6, 0.5))
    w, length = model.parameters(w=0.5, l=0.5)
    carriage = trotz(w * t) * tdisp(s, 0, 0)
    model.body("carriage", carriage, mass=1, inertia=(0, 0, 0), shape=visu.Box(0.12, 0.1, 0.06))
    rod = visu.Cylinder(0.012, 0.5, at=tdisp(0, 0, 0.25))
    T = carriage * trotx(q) * tdisp(0, 0, -length)
    model.body("rod", T, mass=1, inertia=(0.01, 0.01, 0), shape=[rod, visu.Sphere(0.04)])
    scene = model.scene()
    scene.add(ground, visu.Cylinder(0.9, 0.02, at=tdisp(0, 0, 0.06)))
    return scene.sketch(ax, towards=(1, -0.6, 0.35))


@sketch_of("04_dalembert")
def dalembert(ax: Any) -> Any:
    model = Model("rod in a bearing", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.6)
    m, length = model.parameters(m=1, l=1)
    T = trotz(q) * tdisp(0, -length / 2, 0)
    model.body("rod", T, mass=m, inertia=(0, 0, m * length**2 / 12))
    return model.scene().sketch(ax, points=True)


@sketch_of("05_newmark")
def newmark(ax: Any) -> Any:
    model = Model("one of many: a mass on a spring")
    (q,) = model.coordinates("q", initial=0.4)
    mass = model.body("mass", tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(mass, (ground, (-0.6, 0, 0)), stiffness=1, free_length=0.6))
    return model.scene().sketch(ax)


@sketch_of("06_double_pendulum")
def double_pendulum(ax: Any) -> Any:
    return examples.double_pendulum().scene(initial={"q1": 0.5, "q2": 0.6}).sketch(ax, points=True)


@sketch_of("07_slider_crank")
def slider_crank(ax: Any) -> Any:
    model = examples.slider_crank()
    alpha, x = closed(*(model.symbols[name] for name in ("q", "l1", "l2")))
    return model.scene().sketch(ax, points=True, names={"alpha": alpha, "x": x})


@sketch_of("08_jack")
def hydraulic_jack(ax: Any) -> Any:
    return jack.drawing(ax)


@sketch_of("09_spatial")
def spatial(ax: Any) -> Any:
    model = Model("turret with an arm", gravity=(0, 0, -9.81))
    a, b = model.coordinates("a b", initial=(0.5, -0.4))
    model.body("turret", trotz(a), mass=0, inertia=(0, 0, 0), shape=visu.Cylinder(0.06, 0.5, at=tdisp(0, 0, 0.25)))
    T = trotz(a) * tdisp(0, 0, 0.5) * troty(b) * tdisp(0.6, 0, 0)
    model.body("arm", T, mass=3, inertia=(0.02, 0.4, 0.42), shape=visu.Box(1.2, 0.08, 0.06))
    return model.scene().sketch(ax, towards=(0.5, -1, 0.35))


@sketch_of("10_force_element")
def strut(ax: Any) -> Any:
    model = Model("strut between two bodies")
    x, y = model.coordinates("x y", initial=(1.0, 0.5))
    one = model.body("body 1", tdisp(0, 0, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.24, 0.2, 0.1))
    two = model.body("body 2", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.24, 0.2, 0.1))
    model.add(Spring(one, two, stiffness=1, free_length=1), Damper(one, two, damping=1))
    return model.scene().sketch(ax)


@sketch_of("11_small_motions")
def small_motions(ax: Any) -> Any:
    model = Model("rod with a torsion spring", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.7)
    m, length = model.parameters(m=2, l=1)
    T = trotz(q) * tdisp(0, -length / 2, 0)
    model.body("rod", T, mass=m, inertia=(0, 0, m * length**2 / 12))
    model.add(TorsionSpring(q, stiffness=20, free_angle=1))
    return model.scene().sketch(ax, points=True)


@sketch_of("12_control")
def control(ax: Any) -> Any:
    return examples.dc_motor().scene().sketch(ax)


@sketch_of("13_motors")
def motors(ax: Any) -> Any:
    model = Model("rod on a column", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=0.6)
    (W,) = model.parameters(W=0.6)
    column = visu.Cylinder(0.03, 1.0, at=tdisp(0, 0, -0.5))
    model.body("column", trotz(W * t), mass=0, inertia=(0, 0, 0), shape=column)
    rod = visu.Cylinder(0.02, 0.7, at=tdisp(0, 0, -0.35), colour="orange")
    model.body("rod", trotz(W * t) * trotx(q), mass=1, inertia=(0.2, 0.2, 0), com=(0, 0, -0.35), shape=rod)
    return model.scene().sketch(ax, towards=(1, -0.35, 0.2))


@sketch_of("20_friction_and_impacts")
def friction_and_impacts(ax: Any) -> Any:
    model = Model("block on a slope", gravity=DOWN)
    (x,) = model.coordinates("x", initial=0.5)
    plane = trotz(-0.4)
    model.body("slope", plane, mass=0, inertia=(0, 0, 0), shape=visu.Box(1.6, 0.02, 0.2, at=tdisp(0.5, -0.11, 0)))
    model.body("block", plane * tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.3, 0.2, 0.2))
    return model.scene().sketch(ax)


@sketch_of("21_robot")
def robot(ax: Any) -> Any:
    model = Model("arm of two links", gravity=DOWN)
    q1, q2 = model.coordinates("q1 q2", initial=(0.5, 0.7))
    upper, lower = model.parameters(L1=0.8, L2=0.6)
    T = trotz(q1)
    model.body("upper", T * tdisp(upper / 2, 0, 0), mass=1, inertia=(0, 0, 0.1))
    T = T * tdisp(upper, 0, 0) * trotz(q2)
    model.body("lower", T * tdisp(lower / 2, 0, 0), mass=1, inertia=(0, 0, 0.1))
    return model.scene().sketch(ax)


def main() -> None:
    """Draw all of them, or those whose names begin with what is typed."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for name, draw in SKETCHES.items():
        if sys.argv[1:] and not name.startswith(tuple(sys.argv[1:])):
            continue
        figure, ax = pyplot.subplots(figsize=(4.6, 3.2))
        draw(ax)
        path = FOLDER / name / "sketch.png"
        figure.savefig(path, dpi=110, bbox_inches="tight", metadata={"Software": None})
        pyplot.close(figure)
        print(path)


if __name__ == "__main__":
    main()
