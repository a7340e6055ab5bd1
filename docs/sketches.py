"""Draws the sketches of the exercises' statements anew: `python docs/sketches.py`, and then look at each of them.

They are drawn by easydyn alone; test_sketches.py in tests compares what is labelled in them with the statements.
"""

from __future__ import annotations

import math
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

from easydyn import (
    Damper,
    Model,
    Pulley,
    Rope,
    Spring,
    TorsionDamper,
    TorsionSpring,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
    visu,
)
from easydyn.examples import jack
from easydyn.examples.crank import closed
from easydyn.examples.r3 import BODIES
from easydyn.flexible import Beam, Material, Section
from easydyn.visu import solids

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


@sketch_of("14_mass_distribution")
def mass_distribution(ax: Any) -> Any:
    model = Model("two boxes on a shaft", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("W", initial=0.9)
    boxes = [visu.Box(0.5, 0.24, 0.12, at=tdisp(0.12, 0, 0.25)), visu.Box(0.16, 0.3, 0.24, at=tdisp(-0.05, 0, 0.43))]
    shaft = visu.Cylinder(0.015, 0.8, at=tdisp(0, 0, 0.4))
    model.body("rotor", trotz(q), mass=1, inertia=(1, 1, 1), shape=[shaft, *boxes])
    return model.scene().sketch(ax, frames=True, towards=(1, -0.5, 0.35))


@sketch_of("15_eulers_equations")
def eulers_equations(ax: Any) -> Any:
    model = Model("top on its tip", gravity=(0, 0, -9.81))
    psi, lean, n = model.coordinates("psi vartheta n", initial=(0.7, 0.6, 0.5))
    wheel, stem = visu.Cylinder(0.16, 0.04, at=tdisp(0, 0, 0.7)), visu.Cylinder(0.012, 0.9, at=tdisp(0, 0, 0.45))
    T = trotz(psi) * trotx(lean) * trotz(n)
    model.body("top", T, mass=1, inertia=(0.02, 0.02, 0.03), com=(0, 0, 0.7), shape=[wheel, stem])
    return model.scene().sketch(ax, towards=(1, -0.2, 0.25))


@sketch_of("16_freedoms_and_loops")
def four_bar(ax: Any) -> Any:
    model = Model("four-bar")
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5))
    r0, r1, r2, r3 = model.parameters(r0=1.1, r1=0.35, r2=0.9, r3=0.7)
    mass = {"mass": 1, "inertia": (0, 0, 1)}
    crank = trotz(a)
    model.body("crank", crank, com=(0.175, 0, 0), **mass)
    bar, end = crank * tdisp(r1, 0, 0) * trotz(b), tdisp(r0, 0, 0) * trotz(c)
    coupler = model.body("coupler", bar, com=(0.45, 0, 0), **mass)
    rocker = model.body("rocker", end, com=(0.35, 0, 0), **mass)
    model.body("end of the rocker", end * tdisp(r3, 0, 0), **mass)
    model.body("end of the coupler", bar * tdisp(r2, 0, 0), **mass)
    model.close((coupler, (r2, 0, 0)), (rocker, (r3, 0, 0)), joint="revolute")
    scene = model.scene(initial=model.assemble())
    scene.add(ground, visu.Text("O", at=tdisp(0.03, -0.09, 0)), visu.Text("D", at=tdisp(1.2, -0.04, 0)))
    scene.add("crank", visu.Text("P", at=tdisp(0.42, 0.06, 0)))
    return scene.sketch(ax)


@sketch_of("17_multipliers")
def dumbbell(ax: Any) -> Any:
    model = Model("two beads on a rod", gravity=DOWN)
    x1, y1, x2, y2 = model.coordinates("x1 y1 x2 y2", initial=(0.25, 0.6, 1.05, 0.3))
    free = {"inertia": (0, 0, 0), "mass": 1}
    one = model.body("1", tdisp(x1, y1, 0), shape=visu.Sphere(0.07), **free)
    model.body("2", tdisp(x2, y2, 0), shape=visu.Sphere(0.045), **free)
    rod = visu.Cylinder.along((0.8, -0.3, 0), 0.01)
    scene = model.scene()
    scene.add(one, rod)
    return scene.sketch(ax)


@sketch_of("18_rolling")
def rolling(ax: Any) -> Any:
    model = Model("wheel that stands upright", gravity=(0, 0, -9.81))
    x, y, psi, phi = model.coordinates("x y psi varphi", initial=(0.7, 0.5, 0.6, 0.7))
    r = 0.3
    wheel = visu.Cylinder(r, 0.04, at=trotx(math.pi / 2))
    spoke = visu.Cylinder.along((r, 0, 0), 0.012)
    T = tdisp(x, y, r) * trotz(psi) * troty(phi)
    model.body("wheel", T, mass=1, inertia=(1, 1, 1), shape=[wheel, spoke])
    scene = model.scene()
    scene.add(ground, visu.Text("C", at=tdisp(0.78, 0.5, -0.03)), visu.Text("G", at=tdisp(0.63, 0.5, 0.35)))
    return scene.sketch(ax, frames=True, towards=(0.5, -1, 0.6))


@sketch_of("19_quaternions")
def quaternions(ax: Any) -> Any:
    model = Model("a turn about one axis", gravity=(0, 0, -9.81))
    (angle,) = model.coordinates("varphi", initial=0.8)
    out = trotz(0.7) * troty(-0.6)
    axis = visu.Cylinder.along((1.1, 0, 0), 0.012)
    block = visu.Box(0.25, 0.4, 0.2, at=tdisp(0.7, 0, 0))
    model.body("block", out * trotx(angle), mass=1, inertia=(1, 1, 1), shape=[axis, block])
    return model.scene().sketch(ax, frames=True, towards=(1, -0.6, 0.4))


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


def element(ax: Any, held: bool, *start: float) -> Any:
    """A beam of one element, whose first end is held, or not."""
    model, one = Model("beam"), ground
    mass: dict[str, Any] = {"mass": 0, "inertia": (0, 0, 0), "shape": visu.Box(0.012, 0.1, 0.05)}
    if not held:
        w, p = model.coordinates("w1 p1", initial=start[:2])
        one = model.body("one", tdisp(0, w, 0) * trotz(p), **mass)
    w, p = model.coordinates("w2 p2", initial=start[-2:])
    (length,) = model.parameters(L=1.2)
    two = model.body("two", tdisp(length, w, 0) * trotz(p), **mass)
    model.add(Beam(one, two, Section.rectangle(0.05, 0.03), Material(E=1e6, density=1000), length=1.2))
    return model.scene().sketch(ax)


@sketch_of("22_beam")
def beam(ax: Any) -> Any:
    return element(ax, False, 0.12, 0.25, 0.3, -0.3)


@sketch_of("23_parts_that_bend")
def parts_that_bend(ax: Any) -> Any:
    return element(ax, True, 0.25, 0.35)


@sketch_of("31_walking_machine")
def walking_machine(ax: Any) -> Any:
    solved = runpy.run_path(str(FOLDER / "solutions" / "31_walking_machine.py"))
    model = Model("a leg of the walking machine")
    (q,) = model.coordinates("theta", initial=0.7)
    P, C, D, E, F, G = solved["leg"](0.7)
    B = (-solved["a"], -solved["l"])

    def bars(name: str, radius: float, *points: Any) -> None:
        for n, (one, two) in enumerate(zip(points, points[1:], strict=False)):
            bar = visu.Cylinder.along((two[0] - one[0], two[1] - one[1], 0), radius)
            model.body(f"{name} {n}", tdisp(*one, 0), mass=0, inertia=(0, 0, 0), shape=bar)

    crank = visu.Cylinder.along((solved["M"], 0, 0), 0.012)
    model.body("crank", trotz(q), mass=1, inertia=(0, 0, 1), com=(0.07, 0, 0), shape=crank)
    for name, points in (("upper", (B, C, E, B)), ("link", (B, D)), ("lower", (D, F, G, D))):
        bars(name, 0.012, *points)
    for name, points in (("j", (P, C)), ("k", (P, D)), ("f", (E, F))):
        bars(name, 0.005, *points)
    drawn = model.scene().sketch(ax)
    for name, place in zip("PCDEFGBO", (P, C, D, E, F, G, B, (0, 0)), strict=True):
        drawn.annotate(name, place, xytext=(-12, -10) if name in "OB" else (5, 4), textcoords="offset points",
            fontsize=9)
    return drawn


@sketch_of("30_cam")
def cam(ax: Any) -> Any:
    model = Model("a cam and its follower", gravity=DOWN)
    q, y = model.coordinates("q y", initial=(0.6, 0.5))
    disc = visu.Cylinder(0.3, 0.08, at=tdisp(0.12, 0, 0))
    model.body("cam", trotz(q), mass=1, inertia=(0, 0, 1), shape=disc)
    lift = 0.3 + 0.12 * math.sin(0.6) - 0.5
    face = visu.Box(0.7, 0.03, 0.08, at=tdisp(0, lift + 0.015, 0))
    stem = visu.Box(0.05, 0.4, 0.05, at=tdisp(0, lift + 0.23, 0))
    follower = model.body("follower", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0), shape=[face, stem])
    model.add(Spring((follower, (0, lift + 0.43, 0)), (ground, (0, 1.3, 0)), stiffness=1, free_length=0.5))
    return model.scene().sketch(ax)


@sketch_of("34_hoist")
def hoist(ax: Any) -> Any:
    model, r = Model("a hoist on three strands", gravity=DOWN), 0.1
    y, z = model.coordinates("y z", initial=(-1.0, -0.6))
    box = visu.Box(0.7, 0.25, 0.2, at=tdisp(r, -0.225, 0))
    load = model.body("load", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0), shape=box)
    end = model.body("end", tdisp(6 * r, z, 0), mass=1, inertia=(0, 0, 0), shape=visu.Sphere(0.08))
    above = [(ground, (x * r, 0, 0)) for x in (1, 5)]
    path = (Pulley(above[0], r, side="right"), Pulley((load, (3 * r, 0, 0)), r, side="left"),
            Pulley(above[1], r, side="right"))  # fmt: skip
    model.add(Rope(load, *path, end, name="rope"))
    return model.scene().sketch(ax)


@sketch_of("35_dominoes")
def dominoes(ax: Any) -> Any:
    model = Model("dominoes", gravity=DOWN)
    angles = model.coordinates("a b c", initial=(0.35, 0, 0))
    for k, a in enumerate(angles):
        block = visu.Box(0.1, 0.8, 0.3, at=tdisp(-0.05, 0.4, 0))
        model.body(f"block {k}", tdisp(0.35 * k, 0, 0) * trotz(-a), mass=1, inertia=(0, 0, 1), shape=block)
    return model.scene().sketch(ax)


@sketch_of("32_car")
def car(ax: Any) -> Any:
    model = Model("a quarter of a car")
    z, w, r = model.coordinates("z w r", initial=(0.12, 0.08, 0.04))
    body = model.body("body", tdisp(0, 1.2 + z, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.7, 0.25, 0.1))
    wheel = model.body("wheel", tdisp(0, 0.55 + w, 0), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.4, 0.12, 0.1))
    plate = visu.Box(0.5, 0.03, 0.1, at=tdisp(0, -0.015, 0))
    road = model.body("road", tdisp(0, r, 0), mass=0, inertia=(0, 0, 0), shape=plate)
    model.add(Spring((wheel, (-0.12, 0.06, 0)), (body, (-0.12, -0.125, 0)), stiffness=1, free_length=1))
    model.add(Damper((wheel, (0.12, 0.06, 0)), (body, (0.12, -0.125, 0)), damping=1))
    model.add(Spring(road, (wheel, (0, -0.06, 0)), stiffness=1, free_length=1))
    return model.scene().sketch(ax)


@sketch_of("33_robot_r3")
def robot_r3(ax: Any) -> Any:
    model = Model("the r3 robot", gravity=(0, -9.81, 0))
    joints = model.coordinates([f"q{k}" for k in range(1, 7)], initial=(0.5, -0.5, 1.7, 0.4, 0.5, 0.5))
    T = tdisp(0, 0.351, 0)
    for k, (q, (turn, *_, way)) in enumerate(zip(joints, BODIES, strict=True), start=1):
        T = T * turn(q)
        link = visu.Cylinder.along(way, 0.05 - 0.006 * k) if any(way) else visu.Sphere(0.03)
        model.body(f"link {k}", T, mass=0, inertia=(0, 0, 0), shape=link)
        T = T * tdisp(*way)
    box = visu.Box(0.2, 0.2, 0.2, at=tdisp(0.1, 0.25, 0.1), colour="orange")
    model.body("load", T, mass=0, inertia=(0, 0, 0), shape=box)
    return model.scene().sketch(ax, towards=(1, 0.35, 0.2))


@sketch_of("24_study")
def study(ax: Any) -> Any:
    model = Model("pendulum", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.6)
    m, length = model.parameters(m=1, l=1)
    model.body("point", trotz(q) * tdisp(0, -length, 0), mass=m, inertia=(0, 0, 0))
    model.add(TorsionDamper(q, damping=0.1))
    return model.scene().sketch(ax)


@sketch_of("25_inverse_kinematics")
def inverse_kinematics(ax: Any) -> Any:
    model, T = Model("planar arm (3R)", gravity=DOWN), trotz(0)
    rods = model.parameters(L1=0.8, L2=0.65, L3=0.4)
    for q, length in zip(model.coordinates("q1 q2 q3", initial=(0.3, 0.55, 0.6)), rods, strict=True):
        T = T * trotz(q)
        model.body(f"rod {q}", T * tdisp(length / 2, 0, 0), mass=1, inertia=(0, 0, 0.1))
        T = T * tdisp(length, 0, 0)
    return model.scene().sketch(ax)


@sketch_of("26_forces_and_moments")
def forces_and_moments(ax: Any) -> Any:
    model = Model("trolley with a rod", gravity=DOWN)
    x, q = model.coordinates("x q", initial=(0.5, 0.6))
    (length,) = model.parameters(l=1.2)
    block = visu.Box(0.36, 0.18, 0.1)
    model.body("trolley", tdisp(x, 0, 0), mass=4, inertia=(0, 0, 1), shape=block)
    T = tdisp(x, 0, 0) * trotz(q) * tdisp(0, -length / 2, 0)
    model.body("rod", T, mass=2, inertia=(0, 0, 2 * length**2 / 12))
    return model.scene().sketch(ax)


@sketch_of("27_four_roads")
def four_roads(ax: Any) -> Any:
    model = Model("disc on a wedge", gravity=DOWN)
    x, s = model.coordinates("x s", initial=(0.5, 0.55))
    slope, r = 0.5, 0.15
    corners = [(0, 0), (0, -0.6), (0.6 / math.tan(slope), -0.6)]
    nodes = [(*corner, z) for z in (-0.05, 0.05) for corner in corners]
    faces = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5)]
    wedge = visu.Mesh(solids.Solid(np.array(nodes), np.array(edges), faces))
    model.body("wedge", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 1), shape=wedge)
    T = tdisp(x, 0, 0) * trotz(-slope) * tdisp(s, 0, 0) * tdisp(0, r, 0)
    model.body("disc", T, mass=2, inertia=(0, 0, 0.02), shape=visu.Cylinder(r, 0.1))
    scene = model.scene()
    scene.parts = [part for part in scene.parts if part.name != "guide s"]  # the wedge is its guide
    return scene.sketch(ax)


@sketch_of("28_measured_and_simulated")
def measured(ax: Any) -> Any:
    model = Model("pendulum", gravity=DOWN)
    (q,) = model.coordinates("q", initial=0.6)
    (length,) = model.parameters(l=0.6)
    model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=0.2, inertia=(0, 0, 0))
    return model.scene().sketch(ax)


@sketch_of("29_relative_motion")
def relative_motion(ax: Any) -> Any:
    model = Model("ladder on a turntable", gravity=(0, 0, -9.81))
    a, b, c = model.coordinates("a b c", initial=(0.7, 0.6, 1.7))
    table = [visu.Box(0.25, 1.8, 0.1, at=tdisp(0, 0.65, -0.06)), visu.Box(0.25, 0.25, 0.8, at=tdisp(0, 1.4, 0.4))]
    model.body("table", trotz(a), mass=900, inertia=(400, 400, 700), shape=table)
    ladder = trotz(a) * tdisp(0, 1.4, 0.9) * trotx(b)
    T = ladder * tdisp(0, 1.2, 0)
    model.body("ladder", T, mass=600, inertia=(1800, 30, 1800), shape=visu.Box(0.25, 2.4, 0.06))
    box = visu.Box(0.4, 0.36, 0.4, at=tdisp(0, 0, 0.23))
    model.body("basket", ladder * tdisp(0, c, 0), mass=250, inertia=(0, 0, 0), shape=box)
    return model.scene().sketch(ax, towards=(1, 0.6, 0.8))


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
