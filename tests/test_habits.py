"""What people write by habit, coming from SymPy, NumPy or another program: it works, or a sentence says what does."""

import base64

import numpy as np
import pytest
import sympy
from mistakes import Mistake, explained

from easydyn import Damper, Force, GeneralizedForce, Model, Spring, ground, t, tdisp, trotz
from easydyn.errors import InputError
from easydyn.mechanics.symbols import Input, LockingForce, State, Time, partial_derivative
from easydyn.visu.curves import extremes

MISTAKES = [
    Mistake("third derivative", InputError, lambda w: w.q1.diff(t, 3), "a model knows rates up to q.ddot only",
            r"q1.ddot is differentiated with respect to time: a model knows rates"),
    Mistake("rate of an input", InputError, lambda w: sympy.diff(2 * Input("u"), t),
            "the rate of an input is not known", r"u is differentiated .*Make it a first-order state"),
    Mistake("rate of a locking force", InputError, lambda w: LockingForce("q1").diff(t),
            "the rate of a locking force is not known", r"q1.locking_force is differentiated .* is not known\."),
    Mistake("second derivative of a state", InputError, lambda w: State("p").diff(t, 2),
            "a model knows of a state its rate only", r"p.dot is differentiated .* a model knows of a state its"),
]  # fmt: skip
test_mistake_is_explained = explained(MISTAKES)


# -- derivatives by time ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def symbols():
    model = Model("symbols")
    x, y = model.coordinates("x y")
    (p,) = model.states("p")
    (k,) = model.parameters(k=2)
    return x, y, p, k


def test_derivatives_by_time_follow_the_motion(symbols):
    x, y, p, k = symbols
    assert x.diff(t) == sympy.diff(x, t) == x.dot and x.diff(t, 2) == x.diff(t, t) == x.dot.diff(t) == x.ddot
    assert p.diff(t) == p.dot and k.diff(t) == 0 and t.diff(t) == 1
    assert (k * x**2 + t * y).diff(t) == 2 * k * x * x.dot + y + t * y.dot
    assert sympy.sin(x).diff(t, 2) == x.ddot * sympy.cos(x) - x.dot**2 * sympy.sin(x)
    assert sympy.Matrix([x * y, 3]).diff(t) == sympy.Matrix([x.dot * y + x * y.dot, 0])
    assert sympy.Derivative(x, t).doit() == x.dot and sympy.Derivative(x, (t, 2)).doit() == x.ddot
    assert (x * y).diff(x) == y and x.diff(y) == 0 and t.diff(x) == 0 and sympy.Symbol("x").diff(t) == 0


def test_the_partial_derivative_holds_what_moves(symbols):
    x, y, _, _ = symbols
    assert partial_derivative(x * t**2 + y, t) == 2 * x * t and partial_derivative(x * y, x) == y
    assert partial_derivative(sympy.sin(x), t) == 0


def test_time_stays_a_symbol_like_others():
    """Its free symbols hold it, though they are not true; SymPy does with time what it does with others."""
    s = sympy.Symbol("t", real=True)
    assert t.free_symbols == {t} and (2 * t).free_symbols == {t} and t in t.free_symbols and not t.is_constant()
    assert t.is_constant(s) and isinstance(t, Time)
    for work in (
        lambda t: sympy.integrate(t, t), lambda t: sympy.integrate(t * sympy.sin(t), (t, 0, 1)),
        lambda t: sympy.solve(t**2 - 2, t), lambda t: sympy.series(sympy.sin(t), t, 0, 4),
        lambda t: sympy.simplify(t / t**2),
        lambda t: sympy.limit(sympy.sin(t) / t, t, 0), lambda t: sympy.Poly(t**2 + t, t).degree(),
        lambda t: sympy.Sum(t, (t, 1, 3)).doit(), lambda t: sympy.Piecewise((1, t < 1), (t, True)).diff(t),
        lambda t: sympy.exp(-t).diff(t, 2), lambda t: sympy.lambdify(t, t + 1)(2),
    ):  # fmt: skip
        assert str(work(t)) == str(work(s))


def damped(*forces):
    model = Model("slide")
    x, y = model.coordinates("x y", rates=(1, 2))
    block = model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(*(force(model, x, block) for force in forces))
    return model.compile("python").accelerations(0, [0, 0], [1, 2])


@pytest.mark.parametrize(
    "force",
    [
        lambda m, x, b: GeneralizedForce(x, -3 * x.diff(t)),
        lambda m, x, b: GeneralizedForce(x, -3 * sympy.diff(x, t)),
        lambda m, x, b: GeneralizedForce(x, -3 * sympy.Derivative(x, t)),
        lambda m, x, b: Force(b, (-3 * b.T.e.x.diff(t), 0, 0)),
        lambda m, x, b: Force(b, sympy.Matrix([-3 * sympy.Derivative(b.T.e.x, t), 0, 0])),
        lambda m, x, b: Force(b, -3 * sympy.Matrix([x, 0, 0]).diff(t)),
    ],
)
def test_a_damping_force_damps_however_its_rate_is_written(force):
    assert damped(force) == pytest.approx([-1.5, 0])


def test_derivatives_are_known_wherever_expressions_are_given():
    model = Model("filter", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    (p,) = model.states("p")
    arm = model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    model.equation(sympy.Derivative(p, t) + p - q.diff(t))
    model.output("speed", sympy.Derivative(q, t))
    model.event(sympy.Derivative(q, t), name="turns", direction=1)
    model.add(Damper(arm, ground, law=lambda v: 0.1 * v))
    run = model.simulate(2, save_every=0.1)
    assert run["speed"] == pytest.approx(run["q.dot"]) and run.events
    along = run.of([sympy.Derivative(q, t), sympy.diff(q**2, t), arm.T.e.x.diff(t) - arm.v.x])
    assert along[:, 0] == pytest.approx(run["q.dot"]) and along[:, 2] == pytest.approx(0, abs=1e-12)
    assert along[:, 1] == pytest.approx(2 * run["q"] * run["q.dot"])


def test_a_driven_frame_moves_as_before():
    """The derivative along the motion holds what explicit time adds once, not twice."""
    model = Model("driven")
    (x,) = model.coordinates("x")
    body = model.body("body", tdisp(x + sympy.sin(t), x * t, 0), mass=1, inertia=(0, 0, 0))
    assert body.v.x == x.dot + sympy.cos(t) and sympy.expand(body.v.y) == x + t * x.dot
    assert sympy.simplify(body.T.e.y.diff(t, 2) - body.a.y) == 0


def test_a_law_knows_time_beside_its_variable():
    model = Model("law")
    (x,) = model.coordinates("x", initial=1)
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    spring = Spring(block, ground, law=lambda s: t * s, free_length=0.5)
    assert t in set(spring.expressions())
    model.add(spring)
    assert model.compile("python").accelerations(2, [1], [0]) == pytest.approx([-1])


# -- curves beside an animation ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fast():
    """29 Hz, saved every ms."""
    model = Model("fast")
    (x,) = model.coordinates("x", initial=0.1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -((2 * np.pi * 29) ** 2) * x))
    return model.simulate(5, save_every=0.001)


def drawn(animation):
    (group,) = animation.data["plots"]
    keys = ("times", "drawn", "numbers")
    return [{k: np.frombuffer(base64.b64decode(c[k]), "<f4") for k in keys if k in c} for c in group["curves"]]


def test_a_curve_is_drawn_at_the_instants_of_the_run(fast):
    animation = fast.animate()
    (curve,) = drawn(animation)
    turns = np.count_nonzero(np.diff(np.sign(curve["drawn"])))
    assert len(animation.t) == 151 and abs(turns - 2 * 29 * 5) <= 2, "twice in each of 29 * 5 periods"
    assert curve["times"][0] == 0 and curve["times"][-1] == pytest.approx(5)
    assert "29 times a second" in animation.data["note"] and "every=0.004" in animation.data["note"]
    assert "note" not in fast.animate(every=0.004).data


def test_a_bounce_touches_the_floor():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, direction=-1, action={y.dot: -0.9 * y.dot})
    run = model.simulate(3)
    (curve,) = drawn(run.animate(plots="y"))
    assert curve["drawn"].min() == pytest.approx(0, abs=1e-6) and curve["numbers"].min() > 1e-4


def test_pixels_keep_their_least_and_largest():
    s = np.linspace(0, 1, 100_001)
    x = np.sin(2e4 * s)
    x[5000], x[70_000] = 3, np.nan
    k = extremes(s, x, 100)
    assert len(k) <= 303 and k[0] == 0 and k[-1] == 100_000 and 5000 in k and 70_000 in k
    assert (np.diff(k) > 0).all()
    for pixel in (0, 50, 99):
        here = k[(s[k] >= pixel / 100) & (s[k] < (pixel + 1) / 100)]
        assert np.nanmin(x[here]) < -0.99 and np.nanmax(x[here]) > 0.99
    assert list(extremes(s[:5], x[:5], 100)) == [0, 1, 2, 3, 4]


def test_a_run_that_is_thinned_says_so():
    model = Model("slow")
    (x,) = model.coordinates("x", rates=1)
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate(1000, save_every=0.5)
    assert run.animate().data["note"] == "A picture every 1 s of the run: run.animate(every=0.05) shows more."
    short = model.simulate(5, save_every=0.01).animate()
    assert "note" not in short.data and "drawn" not in drawn(short)[0], "the line through the pictures is the same"
