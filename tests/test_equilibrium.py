"""Static equilibrium: closed forms, open contacts, bad guesses, and what is said when there is none."""

import re

import numpy as np
import pytest
import scipy.optimize
import scipy.special
import sympy
from mistakes import explained
from test_laws import tree
from together import together

from easydyn import (
    Force,
    GeneralizedForce,
    Model,
    PlanePoint,
    PlaneSphere,
    RigidContact,
    Spring,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.analysis.statics import Problem
from easydyn.engine.system import CompiledSystem
from easydyn.errors import ModelError

SCHEMES_AND_TARGETS = [("recursive", "python"), ("recursive", "native"), ("explicit", "numpy"), ("motor", "python")]


def particle(names, *forces, mass=1.0, initial=0.0, gravity=(0, 0, 0)):
    """A point mass with coordinates among x y z; forces are functions of the symbols that give the vector."""
    model = Model("particle", gravity=gravity)
    q = model.coordinates(names, initial=initial)
    place = {str(s): s for s in q}
    body = model.body("point", tdisp(*(place.get(n, 0) for n in "xyz")), mass=mass, inertia=(0, 0, 0))
    for force in forces:
        model.add(Force(body, force(*q)))
    return model


def ball(power=1, k=1e4, height=1.0):
    """A ball above a floor at z = 0.1 that only pushes; along x a weak spring."""
    return particle(
        "x z",
        lambda x, z: (-5 * x, 0, k * sympy.Max(0, sympy.Rational(1, 10) - z) ** power - 30 * z.dot),
        mass=2, initial=(0.3, height), gravity=(0, 0, -9.81),
    )  # fmt: skip


# -- closed forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("scheme", "target"), SCHEMES_AND_TARGETS)
def test_damped_torsion_pendulum(scheme, target):
    """Reference value: 4 q = m g l cos(90 deg - q) with its root to all digits, from three guesses."""
    model = Model("torsion pendulum", gravity=(-9.81, 0, 0))
    (q,) = model.coordinates("q")
    model.body("rod", trotz(q) * tdisp(0, 0.2, 0), mass=1, inertia=(0, 0, 0.03))
    model.add(GeneralizedForce(q, -4 * q - 0.1 * q.dot))
    for guess in (0, 3, -2.5):
        eq = model.equilibrium({"q": guess}, scheme=scheme, target=target)
        assert abs(eq["q"] - 0.44312552849270587) < 1e-12
        assert eq.found and eq.status == "found" and eq.stable and eq.free == ()
        assert np.abs(eq.residual).max() < 1e-14


@together("guess", [(0, 1), (3, 0), (3.1, 3.1), (2, -2.5), (-3, 3), (0.1, 3.1415)])
def test_pendulum_hangs_whatever_the_guess(guess):
    eq = examples.double_pendulum().equilibrium(dict(zip(("q1", "q2"), guess, strict=True)))
    assert eq.stable and eq.message == "in stable equilibrium."
    np.testing.assert_allclose(eq.q / (2 * np.pi), np.round(eq.q / (2 * np.pi)), atol=1e-14)  # down, after whole turns
    assert np.abs(eq.q).max() < 7


@pytest.mark.long
def test_a_chain_that_is_rolled_up_hangs_down():
    """Thirty links, from a spiral; then it swings like a heavy rope, w = j sqrt(g/L)/2 with the zeros j of J0."""
    n = 30
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{i}" for i in range(n)], initial=0.15)
    T = tdisp(0, 0, 0)
    for i in range(n):
        T = T * trotz(q[i])
        model.body(f"link {i}", T * tdisp(0, -0.1, 0), mass=1, inertia=(0, 0, 1 / 300))
        T = T * tdisp(0, -0.2, 0)
    eq = model.equilibrium()
    assert eq.stable and np.abs(eq.q).max() < 1e-9 and eq.steps > 100  # it does not fall so far at once
    rope = scipy.special.jn_zeros(0, 3) * np.sqrt(9.81 / (n * 0.2)) / 2
    np.testing.assert_allclose(2 * np.pi * model.linearize(eq).modes().frequencies[:3], rope, rtol=1e-2)


def test_a_guess_that_is_an_equilibrium_is_taken():
    model = examples.double_pendulum()
    for q in ([np.pi, 0], [0, np.pi], [np.pi, np.pi]):
        eq = model.equilibrium({"q1": q[0], "q2": q[1]})
        assert eq.stable is False and eq.status == "found" and eq.q.tolist() == q
        growth = float(re.search(r"exp\((.*) t\)", eq.message)[1])
        assert growth == pytest.approx(model.linearize(eq).poles().real.max(), rel=1e-3)
        nearby = model.equilibrium({"q1": q[0] + 1e-5, "q2": q[1]})
        assert nearby.stable


def test_slider_crank_rests_at_the_bottom():
    eq = examples.slider_crank().equilibrium()
    assert abs(eq["q"] + np.pi / 2) < 1e-14 and eq.stable


def test_states_and_time():
    """The hydraulic jack: k x = p1 S1 - p2 S2 with both pressures those of the supply, before and after the ramp."""
    jack = examples.hydraulic_jack()
    for time, p1 in ((0.0, 10e5), (0.005, 55e5), (1.0, 100e5)):
        eq = jack.equilibrium(t=time)
        assert eq["p1"] == pytest.approx(p1, rel=1e-12) and eq["p2"] == pytest.approx(10e5, rel=1e-12)
        assert eq["x"] == pytest.approx((p1 * 1e-3 - 10e5 * 5e-4) / 1e5, rel=1e-11)
        assert eq.found and eq.stable is not False  # where a flow is zero its derivative is infinite, or nearly


def test_equations_in_any_order():
    model = Model("equations")
    (x,) = model.coordinates("x")
    p, r = model.states("p r", initial=(7, -3))
    model.equation(p.dot + 4 * p - r)
    model.equation(r.dot + 2 * r - 3 * x - 1)
    model.equation(x.ddot + x.dot + 5 * x - p - 1)
    eq = model.equilibrium()
    exact = np.linalg.solve([[0, 4, -1], [-3, 0, 2], [5, -1, 0]], [0, 1, 1])
    np.testing.assert_allclose([eq["x"], eq["p"], eq["r"]], exact, rtol=1e-14)
    assert eq.initial == {"x": eq["x"], "x.dot": 0.0, "p": eq["p"], "r": eq["r"]}
    assert eq.qd.tolist() == [0, eq["p"], eq["r"]]
    run = model.simulate(1, initial=eq.initial)
    assert np.abs(run["x"] - eq["x"]).max() < 1e-12 and np.abs(run["p"] - eq["p"]).max() < 1e-12


def test_motor_at_full_speed():
    model = Model("motor")
    i, w = model.states("i w")
    u = model.input("u", 1)
    model.equation(0.5 * i.dot + 2 * i + 0.02 * w - u)
    model.equation(2e-4 * w.dot - 0.02 * i)
    assert model.equilibrium()["w"] == pytest.approx(50, rel=1e-13)
    assert model.equilibrium(inputs={"u": 3})["w"] == pytest.approx(150, rel=1e-13)
    assert model.equilibrium(inputs={"u": ([0, 2], [0, 4])}, t=1)["w"] == pytest.approx(100, rel=1e-13)
    assert model.equilibrium(inputs={"u": lambda t: 5 * t}, t=0.5)["w"] == pytest.approx(125, rel=1e-13)
    assert model.equilibrium(inputs={"u": 3 - 0.01 * w})["w"] == pytest.approx(100, rel=1e-13)


def test_suspended_body_in_space_has_least_energy():
    """Four springs hold a body with an offset centre of mass: the minimum of an energy written here anew."""
    model = Model("hammock", gravity=(0.5, -1, -9.81))
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=(0.1, 0, -0.2, 0.1, -0.2, 0.3))
    com, mass = np.array([0.1, -0.05, 0.02]), 3.0
    body = model.body("plate", tdisp(x, y, z) * trotx(a) * troty(b) * trotz(c), mass=mass, inertia=(0.1, 0.2, 0.25),
                      com=tuple(com))  # fmt: skip
    corners = np.array([(0.5, 0.4, 0), (-0.5, 0.4, 0.1), (-0.5, -0.4, 0), (0.5, -0.4, 0)])
    anchors = np.array([(1, 1, 1), (-1, 1, 1.2), (-1, -1, 1), (1, -1, 0.9)])
    for corner, anchor in zip(corners, anchors, strict=True):
        model.add(Spring((body, tuple(corner)), (ground, tuple(anchor)), stiffness=80, free_length=0.6))

    def energy(v):
        from scipy.spatial.transform import Rotation

        R, e = Rotation.from_euler("XYZ", v[3:]).as_matrix(), v[:3]
        lengths = np.linalg.norm(e + corners @ R.T - anchors, axis=1)
        return 40 * np.sum((lengths - 0.6) ** 2) - mass * np.dot([0.5, -1, -9.81], e + R @ com)

    eq = model.equilibrium()
    best = scipy.optimize.minimize(energy, eq.q * 0.9, method="BFGS", options={"gtol": 1e-9})
    assert eq.stable and energy(eq.q) <= best.fun + 1e-12
    np.testing.assert_allclose(eq.q, best.x, atol=1e-6)
    frame = eq.frames("plate")
    assert frame.shape == (4, 4) and eq.frames().shape == (1, 4, 4)
    np.testing.assert_allclose(frame[:3, 3], eq.q[:3])


def test_random_trees_come_to_rest_where_a_damped_run_does():
    model = tree(7, n=3)
    for q in model.mechanism.coordinates:
        model.add(GeneralizedForce(q, -6 * q.dot - 2 * q))
    eq = model.equilibrium()
    run = model.simulate(60, initial=eq.initial | {"q0": eq["q0"] + 0.2, "q2": eq["q2"] - 0.1}, tolerance=1e-7)
    assert eq.stable and np.abs(run.qd[-1]).max() < 1e-6
    np.testing.assert_allclose(run.q[-1], eq.q, atol=1e-6)


# -- contact -----------------------------------------------------------------------------------------------------------


@together("power", [1, sympy.Rational(3, 2), 2, 3])
@together("height", [1.0, 50.0, 0.1, 0.05, -2.0])
def test_a_body_in_the_air_finds_the_floor(power, height):
    """k p^a = m g, from above (where nothing pushes and no stiffness tells where to go), and from inside."""
    eq = ball(power, height=height).equilibrium()
    assert eq["z"] == pytest.approx(0.1 - (2 * 9.81 / 1e4) ** (1 / float(power)), abs=1e-14)
    assert eq["x"] == pytest.approx(0, abs=1e-12) and eq.stable


def test_blocks_fall_into_a_stack():
    """Six blocks apart in the air: each contact bears the weight of those above, m g = k p^1.5."""
    model = Model("stack", gravity=(0, 0, -9.81))
    n = 6
    z = model.coordinates([f"z{i}" for i in range(n)], initial=[2 * i + 1 for i in range(n)])
    for i in range(n):
        block = model.body(f"b{i}", tdisp(0, 0, z[i]), mass=1 + i, inertia=(0, 0, 0))
        push = 1e5 * sympy.Max(0, (z[i - 1] + 0.5 if i else 0.25) - z[i]) ** sympy.Rational(3, 2)
        model.add(Force(block, (0, 0, push)))
        if i:
            model.add(Force(model.bodies[i - 1], (0, 0, -push)))
    eq = model.equilibrium()
    weights = 9.81 * np.cumsum(np.arange(n, 0, -1))[::-1]
    exact = np.cumsum([0.25, *[0.5] * (n - 1)] - (weights / 1e5) ** (2 / 3))
    np.testing.assert_allclose(eq.q, exact, rtol=1e-12)
    assert eq.stable


def test_a_chain_lies_down_on_the_floor(rng):
    """Links on hinges, each of whose ends a floor 1.3 m below only pushes: two hang, the others lie."""
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{i}" for i in range(5)], initial=[0.2] * 5)
    T = tdisp(0, 0, 0)
    for i in range(5):
        T = T * trotz(q[i])
        link = model.body(f"link {i}", T * tdisp(0, -0.25, 0), mass=1, inertia=(0, 0, 0.02))
        T = T * tdisp(0, -0.5, 0)
        model.add(Force(link, (0, 2000 * sympy.Max(0, -1.3 - T.e.y), 0), at=(0, -0.25, 0)))
    eq = model.equilibrium()
    assert eq.stable and np.abs(eq.residual).max() < 1e-9
    tips = (eq.frames() @ [0, -0.25, 0, 1])[:, 1]
    assert np.all(tips[3:] < -1.3) and tips[:2].tolist() == pytest.approx([-0.5, -1.0], abs=1e-3)

    def energy(angles):  # written here anew: weight, and half k p^2 of the floor
        y = -0.5 * np.cumsum(np.cos(np.cumsum(angles)))
        middle = y + 0.25 * np.cos(np.cumsum(angles))
        return 9.81 * middle.sum() + 1000 * np.sum(np.maximum(0, -1.3 - y) ** 2)

    assert all(energy(eq.q + step) > energy(eq.q) for step in 1e-3 * rng.normal(size=(50, 5)))


def test_a_block_that_sticks_and_one_that_creeps():
    """Bristles hold a block on a slope; regularised friction lets it creep for ever, and that is said."""
    found = []
    for sticking in (1e-4, None):
        model = Model("block on a slope", gravity=(2, 0, -9.81))
        x, z = model.coordinates("x z", initial=(0, 0.01))
        block = model.body("block", tdisp(x, 0, z), mass=2, inertia=(0, 0, 0))
        model.add(PlanePoint(block, ground, normal=(0, 0, 1), stiffness=1e5, damping=10, friction=0.4,
                             slip_speed=1e-3, sticking=sticking, name="foot"))  # fmt: skip
        found.append(model.equilibrium())
    stuck, creeping = found
    assert stuck.status == "indifferent" and stuck.free == ("x",) and 0 < stuck["x"] < 0.01
    assert stuck["z"] == pytest.approx(-2 * 9.81 / 1e5) and stuck["foot_stick"] == pytest.approx(-2 / (0.4 * 9.81))
    assert creeping.status == "not found" and "x keeps running away" in creeping.message


def test_a_heavy_ball_stands_up():
    """A ball on a floor, with its weight off the middle: Hertz's contact, and the weight below."""
    model = Model("tumbler", gravity=(0, 0, -9.81))
    x, y, z, a, b = model.coordinates("x y z a b", initial=(0, 0, 2, 2.0, -1.2))
    ball = model.body("ball", tdisp(x, y, z) * trotx(a) * troty(b), mass=2, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.05))
    model.add(PlaneSphere(ball, ground, normal=(0, 0, 1), radius=0.3, stiffness=1e5, power=1.5, damping=10))
    eq = model.equilibrium()
    assert eq.free == ("x", "y") and eq["z"] == pytest.approx(0.3 - (2 * 9.81 / 1e5) ** (2 / 3), rel=1e-12)
    R = eq.frames("ball")[:3, :3]
    np.testing.assert_allclose(R @ [0, 0, 1], [0, 0, 1], rtol=0, atol=1e-14)  # upright
    # without friction the centre of mass moves up and down alone, and the ball swings about it: I w^2 = m g e
    swing = np.sqrt(2 * 9.81 * 0.05 / 0.1)
    lin = model.linearize(eq)
    assert max(lin.check().values()) < 1e-6
    np.testing.assert_allclose([m.frequency * 2 * np.pi for m in lin.modes()[2:4]], swing, rtol=1e-13)


def test_a_rope_that_is_slack():
    """A weight on a rope that only pulls, started below the ceiling and beside it."""
    model = particle(
        "x z",
        lambda x, z: tuple(
            -1e3 * sympy.Max(0, 1 - 1.5 / sympy.sqrt(x**2 + z**2)) * s for s in (x, sympy.Integer(0), z)
        ),
        mass=3, initial=(0.4, -0.3), gravity=(0, 0, -9.81),
    )  # fmt: skip
    eq = model.equilibrium()
    assert eq["x"] == pytest.approx(0, abs=1e-12) and eq["z"] == pytest.approx(-1.5 - 3 * 9.81 / 1e3, rel=1e-13)


# -- none, or many -----------------------------------------------------------------------------------------------------


def test_what_runs_away_is_named():
    model = particle("x y", lambda x, y: (-3 * x, 0, 0), gravity=(0, -9.81, 0))
    eq = model.equilibrium()
    assert eq.status == "not found" and not eq.found and eq.stable is None
    assert re.match(r"no equilibrium: y keeps running away \(y = -.*nothing holds it.* locked=\['y'\]", eq.message)
    assert eq.message in repr(eq)
    for use in (lambda: eq["x"], lambda: eq.frames(), lambda: eq.initial, lambda: model.linearize(eq)):
        with pytest.raises(ModelError, match="model 'particle': no equilibrium: y keeps running away"):
            use()
    held = model.equilibrium(locked=["y"])
    assert held.stable and held["y"] == 0 and held.locked == ("y",) and "y = 0 m, locked" in repr(held)
    np.testing.assert_allclose(held.residual, [0, 9.81])
    both = particle("x y", lambda x, y: (1, 9, 0)).equilibrium()  # x goes a ninth as far, in the same proportion
    assert "no equilibrium: x and y keep running away" in both.message


def test_forces_that_jump_past_zero_are_named_by_the_acceleration_that_they_leave(monkeypatch):
    """Two masses stay where their forces change sign: 2 N on 1 kg, 50 N on 100 kg."""
    model = Model("jumps")
    x, y = model.coordinates("x y", initial=(0.3, 0.2))
    model.body("heavy", tdisp(x, 0, 0), mass=100, inertia=(0, 0, 0))
    model.body("light", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    for q, place, force in ((x, 0.3, 50), (y, 0.2, 2)):
        model.add(GeneralizedForce(q, sympy.Piecewise((-force, q > place), (force, True)) - q))
    monkeypatch.setattr("easydyn.analysis.statics.STEPS", 20)
    eq = model.equilibrium()
    said = r"no equilibrium was found in 20 steps: .* \(x = 0.3, y = 0.2\) .* of (-1.8|2.2) is left in equation 2"
    assert re.match(said, eq.message) and eq.steps == 20


ROUNDING = 5e-15  # units in the last place of an angle, by sines of another library


def test_a_torque_that_no_weight_balances():
    model = Model("winch", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    (T,) = model.parameters(T=5)
    model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, T))
    eq = model.equilibrium()
    assert eq["q"] == pytest.approx(np.arcsin(5 / 9.81), abs=ROUNDING) and eq.stable
    assert "q keeps running away" in model.equilibrium(parameters={"T": 12}).message
    up = model.equilibrium({"q": np.pi - np.arcsin(5 / 9.81)})
    assert up.stable is False and up["q"] == pytest.approx(np.pi - np.arcsin(5 / 9.81), abs=ROUNDING)


def test_what_is_free_is_named():
    model = Model("cart", gravity=(0, -9.81, 0))
    x, q = model.coordinates("x q", initial=(0.7, 0.4))
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.body("bob", tdisp(x, 0, 0) * trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    eq = model.equilibrium()
    assert eq.status == "indifferent" and eq.free == ("x",) and eq.found
    assert "no stiffness determines x, so that" in eq.message and "locked=['x']" in eq.message
    assert abs(eq["q"]) < 1e-14 and abs(eq.residual).max() < 1e-13
    assert model.equilibrium(locked=["x"])["x"] == 0.7


@pytest.mark.parametrize("pull", [2e-6, 1e6])
def test_a_soft_spring_beside_a_stiff_one_is_a_spring(pull):
    """Springs of 1e-6 and 1e9 N/m, however far the soft one gives way: neither coordinate is free."""
    model = Model("soft and stiff")
    x, y = model.coordinates("x y")
    model.body("mass", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 1e3 - 1e9 * x), GeneralizedForce(y, pull - 1e-6 * y))
    eq = model.equilibrium()
    assert eq.stable and eq.free == () and eq.q.tolist() == pytest.approx([1e-6, 1e6 * pull], rel=1e-13)


def test_a_body_in_space_is_free_in_six_ways():
    model = Model("raft")
    x, y, z, a, b, c = model.coordinates("x y z a b c", initial=0.1)
    model.body("raft", tdisp(x, y, z) * trotx(a) * troty(b) * trotz(c), mass=3, inertia=(1, 2, 3))
    eq = model.equilibrium()
    assert eq.free == ("x", "y", "z", "a", "b", "c") and eq.q.tolist() == [0.1] * 6 and eq.steps == 0


def test_two_that_are_free_together():
    model = Model("pair")
    x, y = model.coordinates("x y", initial=(0, 3))
    model.body("a", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("b", tdisp(y, 0, 0), mass=3, inertia=(0, 0, 0))
    model.add(Spring(*model.bodies, stiffness=10, free_length=1))
    eq = model.equilibrium()
    assert eq.free == ("x", "y") and "other values of them" in eq.message
    assert eq["y"] - eq["x"] == pytest.approx(1, abs=1e-13)
    assert (eq["x"] + 3 * eq["y"]) / 4 == pytest.approx(9 / 4, abs=1e-12)  # by internal forces alone


def test_no_stiffness_but_stable():
    """A cubic spring: nothing to the first order, and said so; the search ends near zero."""
    eq = particle("x", lambda x: (-(x**3), 0, 0), initial=1).equilibrium()
    assert abs(eq["x"]) < 3e-8  # Newton takes a third off at each step, until the force is rounding


def test_double_well():
    """The stable equilibrium on the side of the guess, and the unstable one only if it is asked for."""
    model = particle("x", lambda x: (x - x**3, 0, 0), initial=0.01)
    assert model.equilibrium()["x"] == pytest.approx(1, abs=1e-14)
    assert model.equilibrium({"x": -0.5})["x"] == pytest.approx(-1, abs=1e-14)
    assert model.equilibrium({"x": 100})["x"] == pytest.approx(1, abs=1e-14)
    assert model.equilibrium({"x": 0}).stable is False


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
def test_a_hill_beside_a_stiff_spring_is_left(stiffness):
    """However stiff the other direction is: a double well, whose hill is at x = 0, where the search begins."""
    model = particle("x z", lambda x, z: (x - x**3, 0, -stiffness * (z - 1)), initial=(0, 1.5))
    rest = model.equilibrium()
    assert rest.stable and abs(rest["x"]) == pytest.approx(1, abs=1e-12) and rest["z"] == pytest.approx(1, abs=1e-12)
    assert model.equilibrium({"x": 0, "z": 1}).stable is False


def test_symmetric_start_leaves_the_saddle():
    """A column that stands on its symmetry and is pressed: it does not stay on the ridge that the guess lies on."""
    model = particle("x z", lambda x, z: (4 * x - x**3, 0, -2 * (z - 1)), initial=(0, 5))
    eq = model.equilibrium()
    assert eq.stable and abs(eq["x"]) == pytest.approx(2, abs=1e-12) and eq["z"] == pytest.approx(1, abs=1e-13)


# -- relative rest, constant rates, locks ------------------------------------------------------------------------------


def test_a_pendulum_on_a_turntable():
    """At rest relative to the turntable: cos a = g / (W^2 l), or hanging where it turns slowly."""
    model = Model("governor", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=0.3)
    (W,) = model.parameters(W=5)
    model.body("ball", trotz(W * t) * trotx(q) * tdisp(0, 0, -1), mass=1, inertia=(0, 0, 0))
    for time in (0, 0.3):
        assert model.equilibrium(t=time)["q"] == pytest.approx(np.arccos(9.81 / 25), abs=1e-14)
    assert model.equilibrium(parameters={"W": 3})["q"] == pytest.approx(0, abs=1e-14)
    assert model.equilibrium({"q": 0}).stable is False


def test_the_same_with_a_coordinate_that_turns():
    model = Model("governor", gravity=(0, 0, -9.81))
    turn, q = model.coordinates("turn q", initial=(0, 0.3))
    model.body("ball", trotz(turn) * trotx(q) * tdisp(0, 0, -1), mass=1, inertia=(0, 0, 0))
    eq = model.equilibrium(rates={"turn": 5})
    assert eq["q"] == pytest.approx(np.arccos(9.81 / 25), abs=1e-14)
    assert eq["turn.dot"] == 5 and eq.rates == {"turn": 5} and eq.locked == () and "at a rate of 5" in repr(eq)
    assert eq.residual == pytest.approx([0, 0], abs=1e-12)
    run = model.simulate(2, initial=eq.initial, method="dop853", tolerance=1e-10)
    assert np.abs(run["q"] - eq["q"]).max() < 1e-8
    assert model.equilibrium()["q"] == pytest.approx(0, abs=1e-14)  # the model's own rates play no part


def test_locked_coordinates():
    model = examples.double_pendulum()
    eq = model.equilibrium({"q1": 0.7}, locked=["q1"])
    assert eq["q1"] == 0.7 and eq["q2"] == pytest.approx(-0.7, abs=1e-14) and eq.stable
    weight = 9.81 * np.sin(0.7) * (1.1 * 0.6 + 0.9 * 1.2)
    assert eq.residual == pytest.approx([weight, 0], rel=1e-13)
    model.lock("q1")
    assert model.equilibrium({"q1": 0.7})["q2"] == pytest.approx(-0.7, abs=1e-14)
    assert model.equilibrium({"q1": 0.7}, locked=[])["q1"] == pytest.approx(0, abs=1e-14)


def test_efforts_in_python():
    model = Model("pushed", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y")
    model.body("block", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))

    @model.efforts
    def spring(t, bodies):
        bodies["block"].R += vcoord(0, -200 * bodies["block"].T.e.y, 0)

    assert model.equilibrium()["y"] == pytest.approx(-2 * 9.81 / 200, rel=1e-9)


def test_what_has_no_mass():
    model = Model("series")
    a, b = model.coordinates("a b")
    model.body("mass", tdisp(a, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(a, 10 - 100 * (a - b)))
    model.equation(100 * (a - b) - 300 * b)
    eq = model.equilibrium()
    assert (eq["a"], eq["b"]) == pytest.approx((10 / 100 + 10 / 300, 10 / 300), rel=1e-13) and eq.stable


def rigid():
    model = Model("rigid", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.5, name="floor"))
    return model


test_mistake_is_explained = explained(__file__)


def test_derivatives_that_are_not_finite_are_found_by_differences():
    """Of a flow by the root of a pressure difference that is zero, beside a column that is kept as it is."""
    flow = lambda x, v: np.array([np.sin(2 * x[0]) + x[0] * x[1], np.exp(x[0]) - 3 * x[1]])  # noqa: E731
    known = np.array([[np.nan, 0.4], [np.inf, -3.0]])
    problem = Problem(flow, lambda by, x, v: known.copy(), np.array([2, 2]), np.ones(2))
    exact = [[2 * np.cos(0.8) + 0.7, 0.4], [np.exp(0.4), -3]]
    np.testing.assert_allclose(problem.jacobian(np.array([0.4, 0.7])), exact, rtol=1e-8)


def test_rotor_many_turns_away_is_at_rest_at_once():
    """Nothing depends on the angle of a rotor but the spring of its gear: a step of many turns is no guess."""
    model = Model("arm behind a gear of 1:200", gravity=(0, -9.81, 0))
    q, rotor = model.coordinates("q rotor", initial=(0.5, 0))
    model.body("arm", trotz(q) * tdisp(1, 0, 0), mass=2, inertia=(0, 0, 0.1))
    model.add(GeneralizedForce(q, -8000 * (q - rotor / 200)))
    model.add(GeneralizedForce(rotor, 40 * (q - rotor / 200) - 3 * (rotor - 150)))
    model.body("rotor", trotx(rotor), mass=1, inertia=(1e-3, 0, 0), com=(0, 0, 0))
    rest = model.equilibrium()

    def lacking(x):  # moments about both axes
        twist = x[0] - x[1] / 200
        return [-8000 * twist - 2 * 9.81 * np.cos(x[0]), 40 * twist - 3 * (x[1] - 150)]

    found = scipy.optimize.fsolve(lacking, [0.75, 150], xtol=1e-13)
    assert rest.stable and rest.steps <= 3 and found[1] > 20 * 2 * np.pi
    np.testing.assert_allclose([rest["q"], rest["rotor"]], found, rtol=1e-10)


def test_path_makes_three_systems(monkeypatch):
    """That of the model, a copy of the equilibrium's and one that changes along the path."""
    model, made = particle("x", lambda x: (3 - x, 0, 0)), []
    (P,) = model.parameters(P=0)
    model.add(Force(model.mechanism.bodies[0], (P, 0, 0)))
    monkeypatch.setattr(CompiledSystem, "__init__", counted(CompiledSystem.__init__, made))
    path = model.equilibrium_path("P", 2)
    assert len(made) <= 3 and len(path) > 10
    np.testing.assert_allclose(path["x"], 3 + path.values, rtol=1e-12)


def counted(function, calls):
    """The function, which adds to a list at each call."""

    def called(*given, **named):
        calls.append(1)
        return function(*given, **named)

    return called


def test_a_path_begins_and_ends_where_its_parameter_does():
    """A mass that begins or ends with zero, 20 q = -M g cos q; a load just below the first limit point."""
    model = Model("mass on an arm", gravity=(0, -9.81, 0))
    (M,) = model.parameters(M=0)
    (q,) = model.coordinates("q")
    model.body("load", trotz(q) * tdisp(1, 0, 0), mass=M, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -20 * q))
    for first, last in ((0, 5), (5, 0)):
        path = model.equilibrium_path("M", last, parameters={"M": first})
        assert path.values[[0, -1]].tolist() == [first, last]
        np.testing.assert_allclose(20 * path["q"], -9.81 * path.values * np.cos(path["q"]), rtol=0, atol=1e-12)
    bars = particle("y", initial=0.5)
    (P,) = bars.parameters(P=0)
    apex = bars.mechanism.bodies[0]
    bars.add(Spring(apex, (ground, (1, 0, 0)), stiffness=100, free_length=1.25**0.5), Force(apex, (0, -P, 0)))
    path = bars.equilibrium_path("P", 2.1456)  # 2.14570 is the limit point
    assert path.values.max() == path.values[-1] == 2.1456 and path["y"][-1] > 0.27 and not path.limits
