"""Ready-made linkages: their closed forms close them at every place, runs keep to them, mistakes are told."""

from math import atan2, cos, isnan, pi, sin, tan

import numpy as np
import pytest
from mistakes import explained
from sympy import sympify

from easydyn import Model, tdisp, trotx, troty, trotz, vcoord
from easydyn.linkages import (
    bar_with_cylinder,
    crank_slider,
    engine_cylinder,
    four_bar,
    four_bar_with_slide,
    geneva,
    hexapod,
    scissor,
    steering,
    stephenson,
    watt,
)

FOUR = {"ground": 0.9, "crank": 0.3, "coupler": 0.8, "rocker": 0.6}
SLANTED = tdisp(0.2, -0.1, 0.4) * trotx(0.7) * trotz(-0.4)  # linkages lie in any plane
TURN = np.linspace(-pi, pi, 8)


def engine(model, **where):
    crank = model.coordinate("crank", initial=0.3, rate=20)
    shaft = model.body("shaft", where.get("at", tdisp(0, 0, 0)) * trotz(crank), mass=8, inertia=(0, 0, 0.02))
    data = {"throw": 0.045, "rod": 0.2, "phase": 0.4, "bank": -0.5, "along": 0.1}
    return engine_cylinder(model, shaft, crank, **data, **where)


CASES = {  # what makes it, where it is looked at, degrees of freedom
    "crank-slider": (lambda m, **w: crank_slider(m, crank=0.3, rod=0.9, offset=0.1, rate=4, **w),
                     [{"crank": a} for a in TURN], 1),
    "crank-slider, other side": (lambda m, **w: crank_slider(m, crank=0.3, rod=0.9, side=-1, angle=-2, rate=4, **w),
                                 [{"crank": a} for a in TURN], 1),
    "engine cylinder": (engine, [{"crank": a} for a in TURN], 1),
    "four-bar": (lambda m, **w: four_bar(m, **FOUR, rate=4, **w), [{"crank": a} for a in TURN], 1),
    "four-bar, other side": (lambda m, **w: four_bar(m, **FOUR, side=-1, rate=4, **w),
                             [{"crank": a} for a in TURN], 1),
    "four-bar with slide": (
        lambda m, **w: four_bar_with_slide(m, ground=0.9, crank=0.3, coupler=0.8, slide=0.6, rate=3, **w),
        [{"crank": a, "slide": s} for a in (-2.0, 0.5, 2.5) for s in (0.5, 0.7)], 2),
    "bar with cylinder": (lambda m, **w: bar_with_cylinder(m, bar=1.0, foot=(0.6, -0.2), stroke=0.9, rate=-0.3, **w),
                          [{"stroke": s} for s in (0.5, 0.8, 1.2, 1.5)], 1),
    "steering": (
        lambda m, **w: steering(m, track=1.5, arm=(-0.15, -0.05), rack=0.35, behind=0.18, rate=0.1, **w),
        [{"rack": y} for y in (-0.06, -0.02, 0, 0.03, 0.06)], 1),
    "scissor": (lambda m, **w: scissor(m, stages=3, length=1.2, rate=0.2, **w),
                [{"rising_0": a} for a in (0.2, 0.7, 1.3)], 1),
    "one stage": (lambda m, **w: scissor(m, stages=1, length=1.2, rate=0.2, **w), [{"rising_0": 0.9}], 1),
    "Watt": (lambda m, **w: watt(m, **FOUR, point=(0.5, -0.3), dyad=(0.9, 0.6), foot=(1.9, 0), rate=4, **w),
             [{"crank": a} for a in TURN], 1),
    "Stephenson": (
        lambda m, **w: stephenson(m, **FOUR, point=(0.5, 0.3), dyad=(1.1, 0.6), foot=(1.6, 0.2), rate=4, **w),
        [{"crank": a} for a in TURN], 1),
    "hexapod": (lambda m, **w: hexapod(m, rates=(0.2, 0, 0.1, 0.3, 0, -0.2), **w),
                [dict(zip("xyzabc", pose, strict=True)) for pose in
                 ((0, 0, 1.1, 0, 0, 0), (0.1, -0.2, 1.2, 0.2, -0.1, 0.3), (-0.2, 0.1, 0.9, -0.3, 0.2, -0.4))], 6),
}  # fmt: skip


def made(name, **where):
    model = Model(name, gravity=(0, -9.81, 0))
    return model, CASES[name][0](model, **where)


def gaps(model, linkage, values):
    """By how much the closures are open (m, rad), seen in the constraints' own equations."""
    system = model.compile("python")
    q = np.zeros(system.n)
    for name, value in values.items():
        q[system.names.index(name)] = value
    m = len(model.mechanism.constraints[0].labels)
    zero = np.zeros(system.n)
    assert m
    return np.array(system.one("constraint_values", 0.0, q, zero, zero), dtype=float)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", CASES)
def test_the_closed_form_closes_it(name):
    """At places all over its reach: frames from the transforms alone, no assembly."""
    model, linkage = made(name, at=SLANTED)
    reached = 0
    for values in CASES[name][1]:
        found = linkage.closed_form(values)
        if any(map(isnan, found.values())):
            continue
        reached += 1
        assert np.abs(gaps(model, linkage, values | found)).max() < 1e-12, values
    assert reached == len(CASES[name][1])
    assert linkage.independent == list(CASES[name][1][0])


@pytest.mark.parametrize("name", [name for name in CASES if name != "hexapod"])
def test_the_parts_of_every_joint_meet_at_one_place(name):
    """By the frames of the bodies, in any plane; no equation of a constraint, nothing compiled."""
    model, linkage = made(name, at=SLANTED)
    values = CASES[name][1][-1]
    there = {model.symbols[x]: value for x, value in (values | linkage.closed_form(values)).items()}
    for pin in linkage.closures:
        one, other = (body.T.map(lambda x: sympify(x).xreplace(there)) * T for body, T in (pin.first, pin.second))
        gap = one.inv() * other.e
        off = [getattr(gap, x[1:]) for x in pin.labels if x[0] == "F"] or [gap.norm() - pin.length]  # of a rod
        assert max(map(abs, off)) < 1e-12, pin


@pytest.mark.one_in(16)
@pytest.mark.parametrize("name", CASES)
def test_it_is_counted_runs_and_keeps_to_its_closed_form(name):
    model, linkage = made(name)
    freedom = CASES[name][2]
    assert model.mobility().degrees_of_freedom == freedom
    assert linkage.mobility.endswith(f"= {freedom} degree{'s' * (freedom > 1)} of freedom.")
    run = model.simulate(0.05, save_every=0.05, target="numpy")
    found = linkage.closed_form({x: run[x][-1] for x in linkage.independent})
    for x, value in found.items():
        assert run[x][-1] == pytest.approx(value, abs=1e-7), x
    balance = run.energy.balance
    assert abs(balance[-1] - balance[0]) < 1e-5 * max(1.0, abs(run.energy.kinetic).max())


def test_lengths_may_be_parameters():
    model = Model("four-bar", gravity=(0, -9.81, 0))
    g, r, l, c = model.parameters(g=0.9, r=0.3, l=0.8, c=0.6)
    linkage = four_bar(model, ground=g, crank=r, coupler=l, rocker=c, density=2)
    fixed = four_bar(Model("fixed"), **FOUR)
    values = {"crank": 0.4}
    data = {"g": 0.9, "r": 0.3, "l": 0.8, "c": 0.6}
    expected = fixed.closed_form(values)
    assert linkage.closed_form(values, data) == pytest.approx(expected, abs=1e-12)
    assert linkage.closed_form(values, data | {"l": 0.7})["rocker"] != pytest.approx(expected["rocker"])
    assert model.mobility().degrees_of_freedom == 1


def test_several_in_one_model_have_names_of_their_own():
    """A V of six cylinders on one shaft, in six calls."""
    model = Model("V6", gravity=(0, -9.81, 0))
    crank = model.coordinate("crank", rate=100)
    shaft = model.body("shaft", trotz(crank), mass=8, inertia=(0, 0, 0.02))
    for i in range(6):
        bank, phase = pi / 6 * (1, -1)[i % 2], 2 * pi / 3 * (i // 2)
        engine_cylinder(model, shaft, crank, throw=0.045, rod=0.2, bank=bank, phase=phase, along=0.1 * i, name=f"c{i}")
    assert model.mobility().degrees_of_freedom == 1
    assert model.closures().nonlinear == 0  # solved in closed form
    run = model.simulate(0.02, save_every=0.02, target="numpy")
    assert run["crank"][-1] == pytest.approx(2, rel=0.02)


def test_struts_of_a_hexapod_lie_between_their_ends():
    """By vectors: from the foot to the ball; the halves of each are bars, with their inertia across them alone."""
    pose = dict(zip("xyzabc", (0.1, -0.2, 1.2, 0.2, -0.1, 0.3), strict=True))
    legs = hexapod(Model("m"), base=1.1, platform=0.7, spread=0.3, mass=30, half=2, pose=tuple(pose.values()))
    found = legs.closed_form(pose)
    there = {next(s for s in legs.coordinates.values() if str(s) == x): value for x, value in (pose | found).items()}
    plate = (trotz(0.3) * troty(-0.1) * trotx(0.2)).R
    for k in range(6):
        sign, corner = (-1) ** k, 2 * pi * (k // 2) / 3
        below, above = corner + sign * 0.3, corner + sign * (pi / 3 - 0.3)
        foot, ball = 1.1 * vcoord(cos(below), sin(below), 0), 0.7 * vcoord(cos(above), sin(above), 0)
        d = plate * ball + vcoord(0.1, -0.2, 1.2) - foot
        s, u, w = (found[f"{x}{k}"] for x in "suw")
        assert np.allclose(tuple(d), (s * sin(w), -s * cos(w) * sin(u), s * cos(w) * cos(u)), rtol=0, atol=1e-12)
        for half, end, com in (("lower", foot, s / 4), ("upper", foot + d, -s / 4)):
            body = legs.bodies[f"{half}_{k}"]
            T = body.T.map(lambda x: sympify(x).xreplace(there))
            assert np.allclose([float(x) for x in T.e], tuple(end), rtol=0, atol=1e-12)
            assert np.allclose([float(x) for x in body.com], (0, 0, com), rtol=1e-12) and body.mass == 2
            assert np.allclose(np.array(body.inertia, float), np.diag([1, 1, 0]) * 2 * s**2 / 48, rtol=1e-12)
    top = legs.bodies["platform"]
    assert top.mass == 30 and np.allclose(np.array(top.inertia, float), 30 * 0.49 / 4 * np.diag([1, 1, 2]), rtol=1e-14)


def test_masses_are_those_of_bars():
    """Slender: m l^2 / 12 about the middle. A wheel of Geneva takes its own; here it has made three turns and a bit."""
    lift = scissor(Model("m"), stages=2, length=1.2, density=3, load=7)
    for name, bar in lift.bodies.items():
        m, J = (7, 0) if name == "load" else (3.6, 3.6 * 1.44 / 12)
        assert float(bar.mass) == pytest.approx(m) and np.allclose(np.array(bar.inertia, float), np.diag([0, J, J]))
    assert [bar.com.x for bar in four_bar(Model("m"), **FOUR).bodies.values()] == [0.15, 0.4, 0.3]
    wheel = geneva(Model("m"), 5, distance=0.1, crank=2, wheel=3)
    assert [wheel.bodies[x].inertia[2, 2] for x in ("crank", "wheel")] == [2, 3]
    for beside, b in ((0.1, atan2(n := sin(pi / 5) * sin(0.1), 1 - n / tan(0.1))), (-1, -pi / 5), (1, pi / 5)):
        closed = wheel.closed_form({"crank": 6 * pi + beside})["wheel"]
        assert closed == pytest.approx(-6 * pi / 5 - b, abs=1e-12)


@pytest.mark.long
def test_known_positions():
    """By hand: a crank at right angles, a parallelogram, a lift, a platform that is level."""
    x = crank_slider(Model("m"), crank=3, rod=5).closed_form({"crank": pi / 2})["slide"]
    assert x == pytest.approx(4)
    known = crank_slider(Model("m"), crank=5, rod=5, offset=1).closed_form({"crank": atan2(4, 3)})
    assert known["slide"] == pytest.approx(7) and known["rod"] == pytest.approx(atan2(-3, 4) - atan2(4, 3))
    lift = scissor(Model("m"), stages=2, length=2)
    model = Model("m")
    lift = scissor(model, stages=2, length=2, angle=pi / 6)
    system = model.compile("python")
    q, _ = model.initial(None, system.parameters)
    assert system.frames(0, q)[-1, :2, 3] == pytest.approx([0, 2])  # the load, two lengths times a half
    assert lift.bodies["load"].name == "load"
    legs = hexapod(Model("m"), base=1, platform=0.6, spread=0.25)
    found = legs.closed_form(dict(zip("xyzabc", (0, 0, 1.1, 0, 0, 0), strict=True)))
    assert np.ptp([found[f"s{k}"] for k in range(6)]) < 1e-12


def with_parameter():
    model = Model("m")
    (r,) = model.parameters(r=0.3)
    return crank_slider(model, crank=r, rod=1)


test_mistake_is_explained = explained(__file__)
