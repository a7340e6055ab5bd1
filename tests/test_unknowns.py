"""Points without mass, and unknowns that equations determine at every instant. References: the same with small masses,
springs in series in closed form, roots of polynomials."""

import numpy as np
import pytest
import sympy
from targets import SCHEMES, TARGETS

from easydyn import Bushing, Force, GeneralizedForce, JointFriction, Model, Moment, Spring, ground, t, tdisp, trotz
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.targets import python_functions
from easydyn.engine.unknowns import Unknowns
from easydyn.forces import SpringDamperSeries

START = 0.1260270026, 0.5672875422  # where the knot of `star` is in balance


def star(mass=None, knot=START):
    """A ball on three springs that meet in a knot, of a small mass, or of none."""
    model = Model("star", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(1.5, -0.4))
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    if mass is None:
        u, v = model.unknowns("u v", initial=(0.3, 0.2), unit="m")
        knot = model.node("knot", position=(u, v, 0))
    else:
        u, v = model.coordinates("u v", initial=knot)
        knot = model.body("knot", tdisp(u, v, 0), mass=mass, inertia=(0, 0, 0))
    model.add(
        Spring((ground, (-1, 1, 0)), knot, stiffness=200, free_length=0.8),
        Spring((ground, (1, 1, 0)), knot, stiffness=300, free_length=0.9),
        Spring(knot, ball, stiffness=100, free_length=1),
    )
    return model


@pytest.fixture(scope="module")
def massless():
    return star()


@pytest.fixture(scope="module")
def tight(massless):
    return massless.simulate(0.2, method="dop853", tolerance=1e-12, save_at=[0, 0.2])


@pytest.mark.long
def test_three_springs_at_a_point(massless):
    """Beside a point mass of 1e-3, 1e-4, 1e-5 kg in its place: what is left is proportional to the mass."""
    options = {"method": "dop853", "tolerance": 1e-11, "save_at": [0, 1]}
    run = massless.simulate(1, **options)
    start = float(run["u"][0]), float(run["v"][0])
    np.testing.assert_allclose(start, START, atol=1e-9)
    away = []
    for mass in (1e-3, 1e-4, 1e-5):
        heavy = star(mass, start).simulate(1, **options)
        away.append(np.hypot(heavy["x"][-1] - run["x"][-1], heavy["y"][-1] - run["y"][-1]) / mass)
        assert len(run.steps.t) < 0.5 * len(heavy.steps.t)
    assert max(away) / min(away) < 1.1 and abs(away[2] / away[1] - 1) < 0.02


def test_forces_on_a_point_may_depend_on_motions_of_bodies():
    """Between two springs without free lengths a point is where (k + l) r = k a + l b + F, whatever F depends on."""
    model = Model("pulled")
    y, x = model.coordinates("y x", initial=(0.2, 0.3), rates=(0.5, 2))
    model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    u, v = model.unknowns("u v", initial=(0.3, 0.2), unit="m")
    knot = model.node("knot", position=(u, v, 0))
    model.add(
        Spring((ground, (-1, 1, 0)), knot, stiffness=200, free_length=0),
        Spring((ground, (0, -1, 0)), knot, stiffness=300, free_length=0),
        Force(knot, (7 * x.dot, x - 4 * y.dot, 0)),
    )
    run = model.simulate(0.1, method="dop853", save_at=[0, 0.1], target="python")
    np.testing.assert_allclose(run["u"], (-200 + 7 * 2) / 500, rtol=1e-13)
    np.testing.assert_allclose(run["v"], (200 - 300 + run["x"] - 4 * 0.5) / 500, rtol=1e-13)


def test_no_more_steps_than_without_the_point(massless):
    """The same springs as one law each way: a straight line of two springs in series, and the one that they make."""
    runs = []
    for joined in (False, True):
        model = Model("line")
        (x,) = model.coordinates("x", initial=2.5)
        block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        if joined:
            model.add(Spring(ground, block, stiffness=20, free_length=2))
        else:
            knot = model.node("knot", position=(model.unknown("s", initial=1), 0, 0))
            model.add(Spring(ground, knot, stiffness=30, free_length=1))
            model.add(Spring(knot, block, stiffness=60, free_length=1))
        runs.append([model.simulate(2, method=m, target="python") for m in ("newmark", "dop853")])
    for point, plain in zip(*runs, strict=True):
        assert len(point.steps.t) <= len(plain.steps.t)
        np.testing.assert_allclose(30 * (point["s"] - 1), 20 * (point["x"] - 2), atol=1e-12)  # 1/(1/30 + 1/60)
    assert abs(runs[0][1]["x"][-1] - (2 + 0.5 * np.cos(2 * np.sqrt(20)))) < 1e-6


@pytest.mark.one_in(4)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("target", TARGETS)
def test_every_target_and_scheme(massless, tight, target, scheme):
    run = massless.simulate(0.2, method="lobatto", tolerance=1e-10, target=target, scheme=scheme, save_at=[0, 0.2])
    np.testing.assert_allclose(run.energy.total, run.energy.total[0], rtol=1e-9)
    np.testing.assert_allclose(run.q[-1], tight.q[-1], atol=1e-8)
    np.testing.assert_allclose(run["u"][-1], tight["u"][-1], atol=1e-8)


@pytest.mark.parametrize("method", ["newmark", "hht", "newmark_extrapolated", "scipy:RK45", "scipy:Radau"])
def test_every_method(massless, tight, method):
    run = massless.simulate(0.2, method=method, tolerance=1e-5, target="numpy")
    np.testing.assert_allclose([run["x"][-1], run["u"][-1]], [tight["x"][-1], tight["u"][-1]], atol=1e-4)


def ring_of_three(space):
    model = Model("ring", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.1, -1.15))
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    nodes = []
    for k, (a, b) in enumerate([(-0.5, 0.3), (0.5, 0.3), (0, -0.5)]):
        at = (a, b, 0) if space else (*model.unknowns(f"u{k} v{k}", initial=(a, b)), 0)
        nodes.append(model.node(f"n{k}", position=at))
    ring = [Spring(nodes[k], nodes[(k + 1) % 3], stiffness=500, free_length=0.7) for k in range(3)]
    outer = [Spring((ground, (s, 1, 0)), nodes[k], stiffness=200, free_length=0.5) for k, s in ((0, -1), (1, 1))]
    model.add(*ring, *outer, Spring(nodes[2], ball, stiffness=100, free_length=0.5))
    return nodes, model.simulate(0.3, method="dop853", tolerance=1e-10, target="numpy", save_at=[0, 0.15, 0.3])


def test_a_ring_of_three_springs():
    """Three points: energy is conserved, forces balance at each of them, space and plane are the same."""
    _, beside = ring_of_three(False)
    nodes, run = ring_of_three(True)
    np.testing.assert_allclose(run.q[:, :2], beside.q[:, :2], atol=1e-8)
    assert np.ptp(run.energy.total) < 1e-7
    places = [np.array([run.of(c) for c in node.T.e]).T for node in nodes]
    here = places[0]
    pull = 0
    for other, k, length in ((places[1], 500, 0.7), (places[2], 500, 0.7), (np.array([-1, 1, 0]), 200, 0.5)):
        line = other - here
        size = np.linalg.norm(line, axis=1, keepdims=True)
        pull = pull + k * (size - length) * line / size
    np.testing.assert_allclose(pull, 0, atol=1e-9)


def test_series_with_maxwell_s_element():
    """A spring before a spring and a damper in series: a softer spring and the same damper."""
    options = {"method": "dop853", "tolerance": 1e-11, "target": "python", "save_at": [0, 1]}
    runs = []
    for joined in (False, True):
        model = Model("three in series")
        (x,) = model.coordinates("x", initial=2.5)
        block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
        start, first = ground, 2
        if not joined:
            start, first = model.node("knot", position=(model.unknown("s", initial=1), 0, 0)), 1
        stiffness = 1 / (1 / 40 + 1 / 70) if joined else 70
        model.add(SpringDamperSeries(start, block, stiffness=stiffness, damping=5, free_length=first, name="maxwell"))
        if not joined:
            model.add(Spring(ground, start, stiffness=40, free_length=1))
        runs.append(model.simulate(1, **options))
    for name in ("x", "x.dot", "maxwell_way"):
        assert abs(runs[0][name][-1] - runs[1][name][-1]) < 1e-9
    assert abs(runs[0].energy.balance[-1] - runs[0].energy.balance[0]) < 1e-9


@pytest.mark.parametrize(
    ("method", "scheme"), [("newmark", "recursive"), ("dop853", "explicit"), ("scipy:RK45", "explicit")]
)
def test_an_equation_with_rates(method, scheme):
    """A force by F + F^3/100 = 10 x + 3 x': the only real root, by Cardano."""
    model = Model("pad")
    x, F = model.coordinate("x", initial=1.5), model.unknown("F", unit="N")
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.equation(F + F**3 / 100 - 10 * x - 3 * x.dot)
    model.add(GeneralizedForce(x, -F))
    run = model.simulate(1, method=method, scheme=scheme, target="python", tolerance=1e-7)
    c = 50 * (10 * run["x"] + 3 * run["x.dot"])  # F^3 + 100 F = 2 c
    root = np.sqrt(c**2 + (100 / 3) ** 3)
    np.testing.assert_allclose(run["F"], np.cbrt(c + root) + np.cbrt(c - root), atol=1e-11)
    assert run.unit("F") == "N" and block.mass == 2


def test_unknowns_of_linear_equations_need_no_guess():
    """Two equations, in any order, and one of them with a zero on the diagonal."""
    model = Model("levers")
    x = model.coordinate("x", initial=1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    a, b = model.unknowns("a b", initial=1e6)
    model.equation(sympy.Eq(b, 3 * x))
    model.equation(a + b - x)
    model.add(GeneralizedForce(x, a))
    np.testing.assert_allclose(model.compile().accelerations(0, [1, 0, 0], [0, 0, 0])[0], -2)
    run = model.simulate(0.5, method="dop853", tolerance=1e-10, target="python")
    np.testing.assert_allclose(run["x"], np.cos(np.sqrt(2) * run.t), atol=1e-8)
    np.testing.assert_allclose(run["a"], -2 * run["x"], atol=1e-14)


def test_jumps_move_points_at_once():
    """A controller that pulls at the point: it jumps, and the work of that is counted."""
    model = star()
    pull = model.input("pull")
    model.add(Force(model["knot"], (pull, 0, 0)))
    model.controller(0.1, lambda t, outputs: {"pull": 20 * (round(t * 10) % 2)})
    run = model.simulate(0.3, method="dop853", tolerance=1e-9, target="numpy")
    np.testing.assert_allclose(run["u"], run.qd[:, 2], atol=1e-8)  # what is carried along is what is there
    assert abs(run.energy.balance[-1] - run.energy.balance[0]) < 1e-6


def test_locks_events_and_friction():
    model = star()
    x, y = (c for c in model.mechanism.coordinates)
    model.lock(x)
    model.event(y + 0.2, direction=1, action={y: -0.3})
    model.add(JointFriction(y, level=0.5))
    run = model.simulate(0.3, method="dop853", target="numpy")
    np.testing.assert_allclose(run["x"], 1.5, atol=1e-12)
    assert len(run.events) >= 1 and np.abs(run["v"] - run.qd[:, 3]).max() < 1e-5


def test_in_a_loop():
    """The ball on a rod: solved for an independent coordinate, and with multipliers."""
    found = []
    for way in ("reduced", "multipliers"):
        model = star()
        model.close(model["ball"], ground, joint="distance", length=sympy.sqrt(sympy.Rational(241, 100)))
        run = model.simulate(0.1, constraints=way, method="dop853", tolerance=1e-9, target="python", save_at=[0, 0.1])
        assert abs(run.energy.total[-1] - run.energy.total[0]) < 1e-8
        found.append([run[name][-1] for name in "xyuv"])
    np.testing.assert_allclose(*found, atol=1e-8)


def test_equilibrium_and_small_motions(massless):
    """The same as with a mass of 1e-7 kg, of which the slow modes are looked at."""
    rest = massless.equilibrium()
    heavy = star(1e-7)
    beside = heavy.equilibrium()
    assert rest.stable and abs(rest["u"] - beside["u"]) < 1e-6 and abs(rest["y"] - beside["y"]) < 1e-6
    lin = massless.linearize(rest)
    assert lin.names == ("x", "y") and max(lin.check().values()) < 1e-9
    slow = sorted(np.abs(heavy.linearize(beside).poles()))[:4]
    np.testing.assert_allclose(sorted(np.abs(lin.poles())), slow, rtol=1e-6)
    assert massless.check() == []


def test_equations_in_sympy_hold_the_balance():
    model = Model("two springs")
    x, s = model.coordinate("x"), model.unknown("s")
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    knot = model.node("knot", position=(s, 0, 0))
    model.add(Spring(ground, knot, stiffness=3, free_length=0), Spring(knot, block, stiffness=5, free_length=0))
    equations = model.equations()
    assert [sympy.expand(e) for e in equations.residual] == [2 * x.ddot + 5 * x - 5 * s, 5 * x - 8 * s]
    assert equations.M == sympy.Matrix([[2, 0], [0, 0]])
    assert list(knot.v) == [s.dot, 0, 0]


@pytest.mark.parametrize("whole", [False, True])
def test_two_bushings_in_a_row_are_half_as_stiff(whole):
    """Also where the node between them has all six unknowns: 2 pi sqrt(2/(2/2)) = 8.886 s."""
    model = Model("two bushings")
    a = model.coordinate("a", initial=0.1)
    wheel = model.body("wheel", trotz(a), mass=0, inertia=(0, 0, 2))
    node = model.node("node", frame=tdisp(0, 0, 0) if whole else trotz(model.unknown("w")))
    others = {"stiffness": 100 * whole, "damping": 0, "rotational_damping": 0}
    model.add(*(Bushing(*ends, rotational_stiffness=2, **others) for ends in ((ground, node), (node, wheel))))
    run = model.simulate(2, method="dop853", tolerance=1e-11, target="python")
    np.testing.assert_allclose(run["a"], 0.1 * np.cos(np.sqrt(0.5) * run.t), atol=3e-11)
    np.testing.assert_allclose(run["node_rz" if whole else "w"], run["a"] / 2, atol=1e-12)
    assert np.ptp(run.energy.total) < 1e-11


def test_a_node_that_turns_is_a_body_of_little_mass():
    """By large angles, with a force and a moment on it in its own axes: what is left is proportional to the mass."""

    def turning(mass, initial):
        model = Model("arm")
        x, a = model.coordinates("x a", initial=(0.05, 0.4))
        arm = model.body("arm", tdisp(1 + x, 0.2, 0) * trotz(a), mass=2, inertia=(0, 0, 0.3))
        names = (model.unknowns if mass is None else model.coordinates)("u v w", initial=initial)
        frame = tdisp(names[0], names[1], 0) * trotz(names[2])
        inertia = (0, 0, 0.1 * (mass or 0))
        node = model.node("n", frame=frame) if mass is None else model.body("n", frame, mass=mass, inertia=inertia)
        one = {"stiffness": (200, 300, 0), "rotational_stiffness": (0, 0, 20), "damping": 0, "rotational_damping": 0}
        model.add(Bushing(ground, (node, (-0.5, 0, 0)), **one), Bushing((node, (0.5, 0.1, 0)), arm, **one))
        model.add(Force(node, (3, 1, 0), at=(0.1, 0.2, 0), frame=node), Moment(node, (0, 0, 6), frame=node))
        return model

    model, options = turning(None, (0.5, 0, 0)), {"method": "dop853", "tolerance": 1e-11, "save_at": [0, 0.1]}
    options["target"] = "python"
    run = model.simulate(0.1, **options)
    start = [float(run[name][0]) for name in "uvw"]
    assert start[2] > 0.1
    heavy = [turning(mass, start).simulate(0.1, **options) for mass in (1e-3, 1e-4)]
    away = [[(h[name][-1] - run[name][-1]) / m for name in "xa"] for h, m in zip(heavy, (1e-3, 1e-4), strict=True)]
    np.testing.assert_allclose(away[1], away[0], rtol=0.02)
    eom = model.equations()
    values = {s: float(run[str(s)][-1]) for s in model.symbols.values() if str(s) in run.columns}
    slopes = zip(eom.accelerations, [*run.qdd[-1, :2], *run.qd[-1, 2:]], strict=True)
    assert abs(np.array(eom.residual.xreplace({**values, **dict(slopes)}), dtype=float)).max() < 1e-8


def test_a_point_on_a_rail():
    """It goes as far as its position says, s along a parabola: what the rail bears is not looked for."""
    model = Model("rail", gravity=(0, -9.81, 0))
    x, s = model.coordinate("x", initial=1.5), model.unknown("s", initial=0.4)
    block = model.body("block", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    bead = model.node("bead", position=(s, s**2, 0))
    model.add(Spring(ground, bead, stiffness=30, free_length=0), Spring(bead, block, stiffness=20, free_length=0))
    run = model.simulate(0.3, target="python")
    work = 30 * (run["s"] + 2 * run["s"] ** 3) - 20 * (run["x"] - run["s"]) + 20 * 2 * run["s"] ** 3
    np.testing.assert_allclose(work, 0, atol=1e-9)


def test_a_force_that_changes_with_time():
    model = Model("shaken")
    x, s = model.coordinate("x", initial=2), model.unknown("s", initial=1)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    knot = model.node("knot", position=(s, 0, 0))
    model.add(Spring(ground, knot, stiffness=30, free_length=1), Spring(knot, block, stiffness=60, free_length=1))
    model.add(Force(knot, (9 * sympy.sin(5 * t), 0, 0)))
    run = model.simulate(0.5, method="dop853", tolerance=1e-9, target="python")
    np.testing.assert_allclose(90 * run["s"], 60 * run["x"] - 30 + 9 * np.sin(5 * run.t), atol=1e-10)
    other = Model("shaken by two thirds")
    x = other.coordinate("x", initial=2)
    other.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    other.add(GeneralizedForce(x, -20 * (x - 2) + 6 * sympy.sin(5 * t)))
    assert abs(other.simulate(0.5, method="dop853", tolerance=1e-9, target="python")["x"][-1] - run["x"][-1]) < 1e-8


@pytest.mark.long
def test_exports_and_reports(massless, tmp_path):
    """They are written, and begin where the knot is in balance, not where it was looked for."""
    text = massless.export("c", tmp_path / "star.c", t_final=1).read_text(encoding="utf-8")
    assert "0.12602699" in text and "0.56728754" in text
    for language, name in (("modelica", "star.mo"), ("julia", "star.jl")):
        assert massless.export(language, tmp_path / name, t_final=1).is_file()
    assert "star" in massless.report(tmp_path / "star.md").read_text(encoding="utf-8")


def test_points_and_what_meets_there_are_drawn(massless, tight):
    """Springs end where the forces balance, at every instant, and at the start, from a guess that is off."""
    scene = massless.scene()
    assert [p.name for p in scene.parts if p.kind == "between"].count("spring") == 3
    moving = tight.animate()
    k = [frame.name for frame in moving.scene.frames].index("knot") - 1
    for i in (0, -1):
        assert moving.frames[i, k, :2, 3] == pytest.approx([tight["u"][i], tight["v"][i]], abs=1e-12)
    scene.sketch()


def test_steps_that_do_not_become_small_give_no_number():
    """The last one is small beside the unknowns, beside the first one, or where all is zero."""
    graph = Graph()
    solver = object.__new__(Unknowns)
    solver._graph = graph
    x, first, last = (graph.input("q", k) for k in range(3))
    program = Program("guard", solver._guarded([x], [[first], [last]]), {"q": ["x", "first", "last"]})
    prologue, evaluate = python_functions(program)
    for *q, settled in (
        (0.0, 1.0, 1.0, False), (0.0, 1.0, 0.01, False), (0.0, -1.0, 1e-4, True), (2.0, 1e-3, -1e-6, True),
        (2.0, 1e-3, 1e-5, False), (0.0, 1e-13, -5e-13, True), (0.0, 1e-13, 5e-12, False),
    ):  # fmt: skip
        (value,) = evaluate(0.0, q, [0.0] * 3, [0.0] * 3, prologue([]))
        assert value == q[0] if settled else np.isnan(value), q
