"""Closed forms of loops over every joint: none leaves a nonlinear equation, and the motion is that by multipliers."""

import numpy as np
import pytest
import sympy
from mechanisms.hexapod import hexapod

from easydyn import GeneralizedForce, Model, Spring, ground, t, tdisp, trot, trotx, troty, trotz
from easydyn.constraints import Gear
from easydyn.constraints.chain import JOINTS, Chain, coincident
from easydyn.constraints.search import _entire, forms_at
from easydyn.engine.graph import Graph
from easydyn.engine.system import CompiledSystem
from easydyn.errors import AssemblyError
from easydyn.run.setup import setup_of
from easydyn.sim.lanes import ALONE
from easydyn.study import Last
from easydyn.vec import Transform

ROD = {"mass": 1, "inertia": (0.02, 0.03, 0.04)}
TIGHT = {"method": "dop853", "tolerance": 1e-11, "target": "python", "save_every": 0.05}


def inverted_slider_crank():
    """A rod on a crank slides, beside the pivot, through a block that turns; two unknown angles that only add up."""
    model = Model("inverted slider-crank", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0.7, -0.9, -0.2), rates=(2, 0, 0))
    crank = model.body("crank", trotz(a), **ROD)
    rod = model.body("rod", crank.T * tdisp(0.3, 0, 0) * trotz(b), com=(0.2, 0, 0), **ROD)
    block = model.body("block", tdisp(1, 0, 0) * trotz(c), **ROD)
    model.close(rod, (block, (0, 0.1, 0)), joint="prismatic", axis="x", name="slide")
    return model


def two_slides():
    """A rod between two slides, one of them welded on: an angle and two lengths."""
    model = Model("two slides", gravity=(0, -9.81, 0))
    a, x, b, y = model.coordinates("a x b y", initial=(0.5, 0.8, -0.4, -0.3), rates=(1, 0, 0, 0))
    first = model.body("first", trotz(a) * tdisp(x, 0, 0) * trotz(b), **ROD)
    second = model.body("second", tdisp(0.8, 0, 0) * tdisp(0, y, 0), **ROD)
    model.close(first, (second, (0.1, 0.2, 0)), joint="weld", name="weld")
    return model


def pins_that_slide():
    """A four-bar whose last pin may slide along itself."""
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5), rates=(2, 0, 0))
    crank = model.body("crank", trotz(a), **ROD)
    coupler = model.body("coupler", crank.T * tdisp(0.3, 0, 0) * trotz(b), **ROD)
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c), **ROD)
    model.close((coupler, (0.8, 0, 0)), (rocker, (0.6, 0, 0)), joint="cylindrical", name="pin")
    return model


def free_body(joint):
    """A body with six coordinates on a crank that is inclined: what the joint leaves is free, the rest follows."""
    def build():
        model = Model(f"free body, {joint}", gravity=(0, 0, -9.81))
        a, w, v, u, *place = model.coordinates("a w v u x y z", initial=(0.4, 0.3, 0.2, 0.1, 0.4, 0.2, 0.1),
                                               rates=(2, 0, 0, 0, 0, 0, 0))  # fmt: skip
        crank = model.body("crank", trotx(0.3) * trotz(a), **ROD)
        body = model.body("body", tdisp(*place) * trotz(w) * troty(v) * trotx(u), **ROD)
        model.close((crank, (0.5, 0, 0)), (body, (-0.2, 0.1, 0)), joint=joint, name="joint")
        return model
    return build


CASES = {
    "inverted slider-crank": inverted_slider_crank, "two slides": two_slides, "pins that slide": pins_that_slide,
    **{f"free body, {joint}": free_body(joint) for joint in (
        "weld", "revolute", "prismatic", "cylindrical", "spherical", "universal", "planar",
    )},
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", CASES)
def test_no_nonlinear_equation_is_left(name):
    model = CASES[name]()
    told = model.closures()
    assert told.nonlinear == 0, told
    one, other = (model.simulate(0.1, constraints=form, **TIGHT) for form in ("reduced", "multipliers"))
    assert np.ptp(other.q, axis=0).max() > 0.05
    np.testing.assert_allclose(one.q, other.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.qd, other.qd, rtol=0, atol=1e-8)


@pytest.mark.long
def test_a_hexapod_with_its_struts_known_is_solved_by_iteration():
    """Direct kinematics: one angle of the platform is left to an equation of its own, and the struts' angles."""
    told = hexapod()[0].closures({f"s{k}": 1.2 for k in range(6)})
    assert told.independent == tuple(f"s{k}" for k in range(6))
    assert told.nonlinear == 5 and {q for loop in told.loops for q in loop.iterated} == set("xyzab")


@pytest.mark.parametrize("rods", [2, 3])
def test_each_loop_answers_for_as_many_coordinates_as_it_has_equations(rods):
    """A platform on rods, each of which says one thing of x, y and the angle."""
    model = Model("platform")
    x, y, a = model.coordinates("x y a", initial=(0.5, 1.0, 0.1))
    plate = model.body("plate", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 1))
    for k in range(rods):
        ends = (ground, (k, 0, 0)), (plate, (0.6 * k - 0.5, 0.2 * (k % 2), 0))
        model.close(*ends, joint="distance", length=1.1, name=f"rod {k}")
    assert [len(loop.solved) + len(loop.iterated) for loop in model.closures().loops] == [1] * rods


def test_a_quotient_is_smooth_where_its_divisor_is_constant():
    graph = Graph()
    x, p = graph.input("q", 0), graph.input("p", 0)
    assert _entire(graph.div(x, p)) and not _entire(graph.div(p, x))


@pytest.mark.parametrize("name, held", [
    ("weld", "x y z rx ry rz"), ("revolute", "x y z rx ry"), ("prismatic", "x y rx ry rz"), ("spherical", "x y z"),
    ("cylindrical", "x y rx ry"), ("universal", "x y z rz"), ("planar", "z rx ry"),
])  # fmt: skip
def test_joints_by_name_are_those_by_what_they_hold(name, held):
    moves, turns = coincident(tuple(held.split()))
    assert moves == JOINTS[name][0] and {*turns} == {*JOINTS[name][1]}


def test_a_table_in_words():
    told = inverted_slider_crank().closures()
    assert str(told).splitlines() == [
        "loop   coordinates that follow                               nonlinear equations",
        "slide  c as an angle (two solutions), then b as a direction  0",
        "Known: a. Nonlinear equations left: 0.",
    ]
    assert "then b as a direction" in told._repr_html_() and told.order == ("c", "b")


def test_why_runs_take_multipliers_is_told():
    model = inverted_slider_crank()
    model.add(GeneralizedForce(model.symbols["c"], -2 * model.symbols["c"]))  # a spring that counts whole turns
    told = model.closures()
    assert told.nonlinear == 2 and told.loops[0].way == "b, c by Newton's iteration"
    assert "Runs take multipliers: an angle that follows stands in a law as it is, not in sines" in str(told)


def drag_link(rate, rope):
    """Both cranks turn round; a load hangs on a rope from a drum that turns with the one that follows."""
    model = Model("drag link", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0.5, 1.5366853221392278, 1.4721315116316527), rates=(rate, 0, 0))
    model.body("A", trotz(a) * tdisp(0.25, 0, 0), mass=2, inertia=(0, 0, 0.2))
    B = model.body("B", trotz(a) * tdisp(0.5, 0, 0) * trotz(b) * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0.02))
    C = model.body("C", tdisp(0.2, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=2, inertia=(0, 0, 0.2))
    model.close((B, (0.2, 0, 0)), (C, (0.3, 0, 0)), joint="revolute")
    if rope == "transform":
        load = model.body("load", tdisp(0, 0.1 * c, 0), mass=3, inertia=(0, 0, 0))
    else:
        (x,) = model.coordinates("x", initial=0.14721315116316527)
        load = model.body("load", tdisp(0, x, 0), mass=3, inertia=(0, 0, 0))
        if rope == "gear":
            model.add(Gear(x, c, 0.1))
        elif rope == "constraint":
            model.constraint(10 * x - c)
        else:
            model.dependent(x, 0.1 * c)
    model.add(Spring(load, (ground, (0, -1, 0)), stiffness=20, free_length=1))
    return model


@pytest.mark.one_in(4)
@pytest.mark.parametrize("rope", ["dependent", "constraint", "gear", "transform"])
def test_a_rope_on_a_drum_that_follows_counts_whole_turns(rope):
    """In both directions, three turns: the closed form of an angle knows it but for whole turns."""
    for rate in (6, -20):
        run = drag_link(rate, rope).simulate(1.5, method="dop853", tolerance=1e-10)
        energy = run.energy
        assert run.status == "finished" and np.ptp(energy.balance) < 1e-7 * energy.kinetic.max()
        if rope != "transform":
            np.testing.assert_allclose(run["x"], 0.1 * run["c"], atol=1e-13)
        if rate == 6:
            assert run["a"][-1] == pytest.approx(9.086014252, abs=1e-8)  # with all coordinates and multipliers
        else:
            assert run["a"][-1] < -18


def test_what_follows_in_whole_turns_is_still_solved():
    """Two turns of a body for one of the crank that follows: sines of whole multiples do not count turns."""
    model = drag_link(6, "dependent")
    c = model.symbols["c"]
    plain = Model("plain")
    a, b, c = plain.coordinates("a b c", initial=(0.5, 1.54, 1.47))
    B = plain.body("B", trotz(a) * tdisp(0.5, 0, 0) * trotz(b) * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0.02))
    C = plain.body("C", tdisp(0.2, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=2, inertia=(0, 0, 0.2))
    plain.close((B, (0.2, 0, 0)), (C, (0.3, 0, 0)), joint="revolute")
    plain.body("twice", trotz(-2 * c) * tdisp(0.1, 0, 0), mass=1, inertia=(0, 0, 0.01))
    assert not plain.closures().notes and model.closures().notes


def five_bar():
    """Rods of one length between cranks as heavy as flywheels, which go round where the ends of these meet."""
    model, turn, end = Model("five-bar"), 0.5, np.arccos(0.25)
    first, other = np.exp(1j * (end + turn)), 0.5 + np.exp(1j * (np.pi - end))
    way, bend = np.angle(other - first), np.arccos(abs(other - first) / 2.7)
    start = end + turn, np.pi - end, way + bend - end - turn, way - bend + end
    a, c, b, d = model.coordinates("a c b d", initial=start, rates=(0, turn, 0, 0))
    A = model.body("A", trotz(a), mass=1, inertia=(0, 0, 2000))
    C = model.body("C", tdisp(0.5, 0, 0) * trotz(c), mass=1, inertia=(0, 0, 2000))
    B = model.body("B", A.T * tdisp(1, 0, 0) * trotz(b) * tdisp(0.7, 0, 0), mass=0.1, inertia=(0, 0, 0.01))
    D = model.body("D", C.T * tdisp(1, 0, 0) * trotz(d) * tdisp(0.7, 0, 0), mass=0.1, inertia=(0, 0, 0.01))
    model.close((B, (0.65, 0, 0)), (D, (0.65, 0, 0)), joint="revolute")
    model.add(*(GeneralizedForce(x, -2000 * turn * f(t)) for x, f in ((a, sympy.cos), (c, sympy.sin))))
    return model


def test_elbows_go_round_each_other_between_instants(monkeypatch):
    """A turn of what follows, where what is independent comes back to its start: in a run, in a study side by side."""
    model, end, exact = five_bar(), 2 * np.pi, {"method": "dop853", "tolerance": 1e-13}
    run = model.simulate(end, constraints="reduced", save_at=[1, end], **exact)
    other = model.simulate(end, constraints="multipliers", save_at=np.linspace(1, end, 9), **exact)
    assert run.q.shape == (2, 4) and abs(other["b"][-1] - model.initial_values["b"] + 2 * np.pi) < 0.1
    np.testing.assert_allclose(run.q, other.q[[0, -1]], atol=1e-9)
    np.testing.assert_allclose(run.at(other.t).q, other.q, atol=1e-3)  # it has kept states on its way
    study = model.study(end, over={"c.dot": [0.5, 0.6]}, keep={"b": Last("b")}, tolerance=1e-13)
    found = study.run()
    assert not found.messages and abs(found["b"][0] - other["b"][-1]) < 1e-9
    beside = model.simulate(end, constraints="multipliers", save_at=[end], initial={"c.dot": 0.6}, **exact)
    assert abs(found["b"][1] - beside["b"][-1]) < 1e-9  # alone: it comes near to where the cranks meet
    alone = [False, True] if study.batch is None else study.batch.runs(study.values(np.arange(2)), 2).why == ALONE
    assert list(alone) == [False, True]
    along = CompiledSystem.along

    def lost(self, key, *state):
        values = along(self, key, *state)
        return np.vstack([values[:-1], np.nan * values[-1:]]) if key == "solved" else values

    monkeypatch.setattr(CompiledSystem, "along", lost)
    with pytest.raises(AssemblyError, match=r"loops cannot be kept closed at t = 6.28319 s \(a = ") as caught:
        model.simulate(end, constraints="reduced", save_at=[1, end], **exact)
    assert caught.value.trajectory.status == "failed" and caught.value.trajectory.t[-1] < end
    monkeypatch.setattr("easydyn.run.simulation.AGAIN", True)
    again = model.simulate(end, constraints="reduced", save_at=[1, end], **exact)
    assert "made again by multipliers, because the first run ended at t = 6.28319 s" in again.message
    np.testing.assert_allclose(again.q, other.q[[0, -1]], atol=1e-12)


CAMS = {  # followers that stand still at the start, and nothing there says that they will ever move
    "dwell": lambda a: sympy.Piecewise((0, a < 1.5), (0.4 * ((a - 1.5) / 1.2) ** 3, a < 2.7), (0.4, True)),
    "dead band": lambda a: sympy.Piecewise((0, a < 2), (0.1 * (a - 2) ** 3, True)),
    "smooth": lambda a: 0.2 * (1 + sympy.tanh(20 * (a - 3))),
    "one tooth": lambda a: sympy.Piecewise((0, sympy.cos(a - 3) < 0.9), (99 * (sympy.cos(a - 3) - 0.9) ** 3, True)),
}


@pytest.mark.one_in(8)
@pytest.mark.parametrize("cam", CAMS)
@pytest.mark.parametrize("form", ["reduced", "multipliers"])
def test_a_follower_in_its_dwell_is_no_parallel(cam, form):
    model = Model("cam")
    a = model.coordinate("a", rate=2.0)
    w = model.coordinate("w")
    model.body("cam", trotz(a), mass=0, inertia=(0, 0, 50))
    model.body("follower", trotz(w), mass=0, inertia=(0, 0, 0.2))
    model.dependent(w, CAMS[cam](a))
    run = model.simulate(2.5, method="dop853", constraints=form, max_step=0.05)
    law = sympy.lambdify(a, CAMS[cam](a))
    np.testing.assert_allclose(run["w"], [law(x) for x in run["a"]], atol=1e-9)
    assert np.ptp(run["w"]) > 0.09


def test_a_groove_that_is_level_at_the_start_is_no_parallel():
    """A pin in a curved groove, as a constraint of places: (a - 1)^8 is flat enough to be taken for level."""
    model = Model("groove")
    a = model.coordinate("a", initial=1.0, rate=2.0)
    w = model.coordinate("w")
    model.body("cam", trotz(a), mass=0, inertia=(0, 0, 50))
    model.body("follower", trotz(w), mass=0, inertia=(0, 0, 0.2))
    model.constraint(w - (a - 1) ** 16 / 40)
    run = model.simulate(0.5, method="dop853", tolerance=1e-9)
    np.testing.assert_allclose(run["w"], (run["a"] - 1) ** 16 / 40, atol=1e-10)


def test_a_square_that_vanishes_at_the_start_is_no_line():
    """sin(u) x^2 + x = 1 by its two roots; where u is zero it looks linear."""
    model = Model("parabola", gravity=(0, -9.81, 0))
    u, x = model.coordinates("u x", initial=(0, 1.0), rates=(1, 0))
    model.body("bead", tdisp(u, x, 0), mass=1, inertia=(0, 0, 0))
    model.constraint(sympy.sin(u) * x**2 + x - 1)
    run = model.simulate(1, method="dop853", tolerance=1e-10)
    s = np.sin(run["u"][1:])
    np.testing.assert_allclose(run["x"][1:], (np.sqrt(1 + 4 * s) - 1) / (2 * s), atol=1e-9)
    assert run["u"][-1] > 0.5 and np.ptp(run.energy.balance) < 1e-8


def test_the_margin_of_a_linear_equation_is_how_steep_it_is():
    """p x + r^2 = 1, for x: |p| beside the length of the gradient (p, x, 2 r), with x as it is solved."""
    model = Model("bead")
    p, r, x = model.coordinates("p r x", initial=(0.6, 0.5, 1.25))
    model.body("bead", tdisp(p, r, x), mass=1, inertia=(0, 0, 0))
    model.constraint(p * x + r**2 - 1)
    at = model.solver.constraints_at(model.values(), 0.0)
    (form,) = forms_at(at, np.array([0.6, 0.5, 1.25]), ["p", "r"]).forms
    derivation, q = at.system.derivation, np.array([-0.3, 0.7, 99])  # x is not read
    node = form.margin(form.on(derivation, derivation.symbols[form.coordinate]))
    whole = np.concatenate([q, np.zeros(at.system.n - 3)])
    (found,) = at.system.one((node,), 0.0, whole, 0 * whole, 0 * whole)
    assert found == pytest.approx(0.3 / np.linalg.norm([0.3, (1 - 0.49) / 0.3, 1.4]), rel=1e-14)


def test_a_chain_leads_from_the_first_frame_to_the_second(rng):
    """The product of its factors, beside the frames of both bodies; what both have in front is left out."""
    model = Model("chain")
    a, b, c, x = model.coordinates("a b c x")
    base = trotz(a) * tdisp(0.3, 0.1, 0)
    arm = model.body("arm", base * trotx(b) * tdisp(x, 0, 0.2), **ROD)
    rod = model.body("rod", base * troty(c), **ROD)
    ends = tdisp(0.1, 0.2, 0.3) * trotx(0.4), tdisp(-0.3, 0.2, 0.1) * trotz(-0.7)
    closure = model.close((arm, ends[0]), (rod, ends[1]), joint="revolute")
    chain = Chain(closure)
    assert a not in set().union(*chain.coordinates)
    q = dict(zip((a, b, c, x), rng.uniform(-1, 1, 4), strict=True))

    def number(T):
        found = np.eye(4)
        found[:3, :3] = [[sympy.sympify(T.R[i, j]).subs(q) for j in range(3)] for i in range(3)]
        found[:3, 3] = [sympy.sympify(e).subs(q) for e in T.e]
        return found

    one, other = (number(body.T) @ number(end) for body, end in zip((arm, rod), ends, strict=True))
    np.testing.assert_allclose(number(Transform(tuple(chain.factors))), np.linalg.inv(one) @ other, atol=1e-14)


def test_no_sine_of_an_angle_that_follows_is_worked_out_again():
    reduced = setup_of(inverted_slider_crank(), 0.0, constraints="reduced").system
    assert reduced.program("accelerations").operations["trig"] == 2, "of the crank alone"


@pytest.mark.parametrize("target", ["python", "numpy"])
def test_axes_that_parameters_tilt(target):
    def angles(lean):
        model = Model("four-bar")
        tilt = model.parameter("tilt", 0.3)
        n = (0, sympy.sin(lean(tilt)), sympy.cos(lean(tilt)))
        a, b, c = model.coordinates("a b c", initial=(1.2, -0.9, 1.5), rates=(2, 0, 0))
        crank = model.body("crank", trot(n, a), **ROD)
        coupler = model.body("coupler", crank.T * tdisp(0.3, 0, 0) * trot(n, b), **ROD)
        rocker = model.body("rocker", tdisp(0.9, 0, 0) * trot(n, c), **ROD)
        model.close((coupler, (0.8, 0, 0)), (rocker, (0.6, 0, 0)), joint="spherical", name="pin")
        assert model.closures().nonlinear == 0
        return model.simulate(1, target=target, save_every=0.5).q

    np.testing.assert_allclose(angles(lambda tilt: tilt), angles(lambda tilt: 0.3), rtol=1e-9)
