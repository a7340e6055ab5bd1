"""Optima: closed forms, SciPy by hand, gradients beside differences, prices beside what a limit moved does."""

import contextlib
import importlib
import signal
from types import SimpleNamespace

import numpy as np
import pytest
import sympy as sp
from mistakes import explained
from together import together

from easydyn import (
    At,
    AtRest,
    Force,
    Integral,
    Last,
    Linearized,
    Max,
    Min,
    Model,
    PlanePoint,
    examples,
    t,
    tdisp,
)
from easydyn.errors import InterruptedRunError, ModelError
from easydyn.study.evaluation import Limit, Problem, _size
from easydyn.study.measures import differences, measure_of, peaks
from easydyn.study.optimise import _Enough, _Solver
from easydyn.study.unknowns import unknowns_of

optimize = pytest.importorskip("scipy.optimize", reason="the search is SciPy's")
optimise_of_study = importlib.import_module("easydyn.study.optimise")  # the name is that of a function, too
MU = 0.05  # mass of the absorber


def thrown(drag=0.02, height=2.0):
    """A ball that flies until it lands."""
    model = Model("ball", gravity=(0, -9.81, 0))
    angle, speed, drag, height = model.parameters(angle=0.6, speed=10.0, drag=drag, height=height)
    x, y = model.coordinates("x y", initial=(0, height), rates=(speed * sp.cos(angle), speed * sp.sin(angle)))
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    v = sp.sqrt(x.dot**2 + y.dot**2)
    model.add(Force(ball, (-drag * v * x.dot, -drag * v * y.dot, 0)))
    model.event(y, direction=-1, action="stop", name="lands")
    return model


def absorber():
    """A mass of 1 on a spring of 1, and Den Hartog's absorber on it."""
    model = Model("absorber")
    a, b = model.coordinates("a b")
    k, c = model.parameters(k=0.9 * MU, c=0.01)
    u = model.input("u", 0)
    model.equation(a.ddot + a + k * (a - b) + c * (a.dot - b.dot) - u)
    model.equation(MU * b.ddot + k * (b - a) + c * (b.dot - a.dot))
    return model, a


def gradients(model, measures, parameters, t_final):
    """Derivatives of measures by what the optimisation uses, and by differences of the fourth order of their values."""
    u = unknowns_of(model, parameters, None, None, None, "a test", None)
    terms = [(1.0, measure_of(one, model, "it")) for one in measures]
    choices = {"locked": None, "exact": None, "target": "auto", "scheme": "recursive"}
    problem = Problem(model, u, terms, [], (0.0, t_final), {"method": "dop853", "tolerance": 1e-12}, choices)

    def values(x):
        return np.array([value[0] for value, _ in problem._candidates(x)])

    exact = np.array([by[0] for _, by in problem._candidates(u.guess)])
    columns = []
    for j, size in enumerate(u.size):
        h = np.eye(len(u.size))[j] * size * 1e-3
        g = u.guess
        columns.append((8 * (values(g + h) - values(g - h)) - values(g + 2 * h) + values(g - 2 * h)) / (12e-3 * size))
    assert not problem.note
    return exact, np.array(columns).T


@pytest.mark.long
def test_gradients_are_those_of_differences():
    """Of ends, extremes, instants, integrals, of a double pendulum; of a run that an event ends: to 1e-7."""
    model = examples.double_pendulum()
    q1, q2, tip = model.symbols["q1"], model.symbols["q2"], model["lower arm"].T.e
    measures = [Last("q1"), Max("q2"), Min("q1.dot"), At(tip[1], 1.3), Integral(q1**2), Max(tip[0] * q2.dot)]
    exact, by_differences = gradients(model, [*measures, Max("q1.ddot")], {"l1": 1.2, "q2": 0.5, "q1.dot": 0.3}, 3)
    np.testing.assert_allclose(exact, by_differences, atol=1e-7 * np.abs(exact).max())
    model = thrown()
    measures = [Last("x"), Last("t"), Max("y"), Integral("y"), Last("y.dot"), At("x", 0.5), Last("x.ddot")]
    measures += [Integral("x"), Integral("t")]  # the end moves, and these are not zero there
    exact, by_differences = gradients(model, measures, {"angle": 0.6, "speed": 10, "drag": 0.02, "height": 2}, 10)
    np.testing.assert_allclose(exact, by_differences, atol=1e-7 * np.abs(exact).max())


def test_slopes_of_what_is_minimised_and_of_its_limits():
    """Beside differences, by unknowns of unlike sizes, with a largest value as an unknown of its own."""
    model = Model("beaten")
    a = model.coordinate("a", initial=0.1)
    k, c = model.parameters(k=300.0, c=0.02)
    model.equation(a.ddot + c * a.dot + k / 100 * a - sp.sin(1.3 * t))
    u = unknowns_of(model, ["k", "c"], None, None, None, "a test", None)
    terms = [(weight, measure_of(one, model, "it")) for weight, one in ((30.0, Last(a)), (70.0, Max(a)))]
    limits = [Limit("end", measure_of(Last(a.dot), model, "it"), 0.3, 0.3),
              Limit("sum", measure_of(Integral(a), model, "it"), -4.0, 8.0)]  # fmt: skip
    choices = {"locked": None, "exact": None, "target": "auto", "scheme": "recursive"}
    problem = Problem(model, u, terms, limits, (0.0, 2.5), {"method": "dop853", "tolerance": 1e-9}, choices)
    solver = _Solver(problem, 10**6)
    z = np.concatenate([u.guess / u.size * [1.01, 0.9], solver.slack / solver.scale * 1.1])

    def parts(z):
        (value, _), equal, above = solver._objective(z), solver._rules(z, "eq"), solver._rules(z, "ineq")
        return np.concatenate([[value], equal[0], above[0]])

    slopes = np.vstack([solver._objective(z)[1], solver._rules(z, "eq")[1], solver._rules(z, "ineq")[1]])
    h = 1e-4 * np.eye(len(z))
    by_differences = np.array([(parts(z + x) - parts(z - x)) / 2e-4 for x in h]).T
    assert len(slopes) > 4 and len(solver.slack) == 1 and np.ptp(np.log10(u.size)) > 3 and solver.scale > 10
    np.testing.assert_allclose(slopes[:, 2], by_differences[:, 2], atol=1e-9)
    moved = slopes[:, :2].any(axis=1)  # a candidate for the largest value is the start, which nothing moves
    assert moved[:5].all() and not by_differences[~moved, :2].any()
    size = np.abs(slopes[moved, :2]).max(axis=1, keepdims=True)
    np.testing.assert_allclose(slopes[moved, :2] / size, by_differences[moved, :2] / size, atol=1e-4)


class Formulas(Problem):
    """What is asked of a model, by formulas: largest values, squares about wishes, an equation, a peak, a bound.

    With a `side` of -1 all unknowns have the other sign: then they are smallest values, and bounds from above.
    """

    def __init__(self, guess, side=1):
        self.tried, self.side = 0, side
        low, high = np.array([[-1e3, -1e3, 0.5, 1.5, -1e3], [1e5, 1e5, 1e5, 9.0, 1e5]])[::side] * side
        u = SimpleNamespace(
            names=["x", "y", "w", "v", "r"], size=np.array([100.0, 0.01, 1.0, 3.0, 1.0]), guess=side * np.array(guess),
            low=low, high=high,
        )  # fmt: skip
        one = {how: SimpleNamespace(how=how, moving=True, exact=True) for how in ("max", "min", "last")}
        hull, own = one["max" if side > 0 else "min"], one["last"]
        limits = [Limit("peak", hull, *sorted([-np.inf * side, 6.0 * side])), Limit("sum", own, 5.0 * side, 5.0 * side)]
        super().__init__(None, u, [(2.0 * side, hull), (0.5 * side, hull), (1.0, own)], limits, None, {}, {})
        self._tangents = self  # as if there were exact derivatives

    def _candidates(self, x):
        self.tried += 1
        z = self.side * x / [100, 0.01, 1, 1, 1]
        (x, y, w, v, r), by, off = z, np.diag([0.01, 100, 1, 1, 1]), z - [2, 2.6, 1, 1, 7]  # from what is wished for
        if v > 8:
            raise ModelError("no run")
        order, other = [0, 1] if x > y else [1, 0], [0, 1] if v < 5 else [1, 0]
        hulls = [
            (np.array([x, y])[order], by[:2][order]),
            (np.array([v, 2 * v - 5])[other], by[[3, 3]][other] * np.array([[1], [2]])[other]),
            (np.array([r, r / 2]), by[[4, 4]] * [[1], [0.5]]),
            (np.array([x + w]), by[:1] + by[2:3]),
        ]
        hulls = [(self.side * values, slopes) for values, slopes in hulls]
        return [*hulls[:2], (np.array([off @ off]), self.side * 2 * (off @ by)[None]), *hulls[2:]]


@together("side", [1, -1])
def test_an_optimum_among_formulas(side):
    """Where x = y = s: 2 + 2 (s - 2) + 2 (s - 2.6) = 2 (w - 1), w = 5 - s; r at its limit, v at its bound."""
    problem = Formulas([300.0, 0.01, 1.0, 4.0, 1.0], side)
    solver = _Solver(problem, 200)
    with contextlib.suppress(_Enough):
        solver.run()
    s, best, guess, u = 7.6 / 3, solver.best, problem.history[0], problem.unknowns
    assert solver.settled and len(problem.history) == problem.tried < 60
    np.testing.assert_allclose(best.x, side * np.array([100 * s, 0.01 * s, 5 - s, 1.5, 6]), rtol=1e-6)
    value = 2 * s + (s - 2) ** 2 + (s - 2.6) ** 2 + (4 - s) ** 2 + 0.75 + 0.25 + 1
    assert best.objective == pytest.approx(value, rel=1e-9)
    assert best.measured == pytest.approx({"peak": 6 * side, "sum": 5 * side})
    multipliers, left = solver.multipliers(best)
    prices = {"peak": -2 * side, "sum": 2 * (4 - s) * side, "v": 1.5 * side}
    assert left < 1e-5 and problem.prices(multipliers, solver.scale, 1.0) == pytest.approx(prices, rel=1e-4)
    assert problem.prices(multipliers, solver.scale, -1.0)["sum"] == pytest.approx(-prices["sum"], rel=1e-4)
    beside = problem.evaluated(side * np.array([100 * s, 0.01 * s, 5 - s, 3.0, 6]))  # what is left is the slope by v
    whole = np.hypot(np.linalg.norm(beside.smooth[1] * u.size / solver.scale), np.hypot(2, 0.5))
    first = np.linalg.norm(guess.gradient * u.size) / solver.scale
    own = 3 * 4.5 / np.hypot(solver.scale, 3)  # the rate of v, by its size, beside that of the largest value
    assert solver.optimality(beside) == pytest.approx(own / max(whole, first), rel=1e-4)
    assert guess.violation == pytest.approx(1 / 5)
    assert problem.broken(guess) == f"sum = {4 * side}, where {5 * side} is wanted,"
    lost = problem.evaluated(side * np.array([300.0, 0.01, 1.0, 8.5, 1.0]))  # stepped back from, and no result
    assert lost.objective > 1e6 * abs(guess.objective) and lost.violation > 1e5 and not lost.gradient.any()
    assert problem.failures == 1 and lost not in problem.history


KEPT, BROKEN = [300.0, 0.01, 2.0, 4.0, 1.0], [200.0, 0.026, 1.0, 4.0, 6.0]


@together("guess, lower, success, rounds", [
    (KEPT, [0, 0, 0, 0], False, 2),
    (KEPT, [0, 0, 0, 0], True, 2),  # it says so, and does not stand where the slopes are none
    (BROKEN, [0, 0, 0, 0], False, 4),  # where limits are not kept: all times there are
    (KEPT, [0.1, 0.2, 0.3, 0.4], False, 4),
    (KEPT, [0.1, 0.1 + 1e-9, 0.3, 0.4], False, 2),
])  # fmt: skip
def test_how_often_a_search_begins_anew(monkeypatch, guess, lower, success, rounds):
    """Until nothing gets better by more than a share of the objective: each time with v lower by so much, here."""
    problem, begun = Formulas(guess), []
    u = problem.unknowns

    def found(f, z, *, bounds, constraints, **_):
        one = problem.evaluated(z[:5] * u.size)
        np.testing.assert_allclose(z[5:] * solver.scale, [max(one.x[0] / 100, one.x[1] * 100), one.x[3]])
        np.testing.assert_allclose(bounds[:5], np.column_stack([u.low / u.size, u.high / u.size]))
        assert len(bounds) == 7 and [rule["type"] for rule in constraints] == ["eq", "ineq"]
        problem.evaluated(np.array(guess) - [0, 0, 0, lower[len(begun)], 0])
        begun.append(f)
        return SimpleNamespace(success=success)

    monkeypatch.setattr(optimise_of_study, "minimize", found)
    solver = _Solver(problem, 200)
    solver.run()
    first = problem.history[0]
    assert solver.scale == pytest.approx(max(first.objective, *np.abs(first.gradient * u.size)))
    assert len(begun) == rounds and solver.settled == success
    best = min(problem.history, key=lambda one: one.objective)
    better, worse = (problem.evaluated(first.x + [0, 0, by, 10 * by, 0]) for by in (-0.1, 0.1))
    assert better.objective < best.objective < worse.objective
    assert solver.best is (worse if guess is BROKEN else best)  # the best of those that keep the limits, or nearly


def test_an_integral_to_an_end_that_moves_in_closed_form():
    """At constant speed v up to a wall at L: the integral of x is L^2/(2 v)."""
    model = Model("to a wall")
    v, L = model.parameters(v=2.0, L=3.0)
    (x,) = model.coordinates("x", rates=(v,))
    model.equation(x.ddot)
    model.event(x - L, action="stop")
    exact, by_differences = gradients(model, [Integral(x), Last("t")], {"v": 2.0, "L": 3.0}, 10)
    np.testing.assert_allclose(exact, [[-9 / 8, 3 / 2], [-3 / 4, 1 / 2]], rtol=1e-10)
    np.testing.assert_allclose(by_differences, exact, rtol=1e-9)


@together(("short", "degree"), [(False, 4), (True, 2)])
@together(("low", "high"), [(-9, 9), (0.5, 9), (-9, 0.5), (0.4995, 9), (-9, 0.5005)])
def test_differences_are_exact_for_polynomials_and_stay_within_bounds(short, degree, low, high):
    """Of the degree of their order: central where there is room, to one side at a bound."""
    c = np.array([0.3, -1.7, 0.6, 2.0, -0.9][: degree + 1])

    def values(x):
        assert low <= x[0] <= high and x[1] in (0.1, *(0.1 + np.arange(-2, 3) * 0.01))
        return np.array([np.polyval(c[::-1], x[0]) + 5 * x[1], 7.0])

    x, h = np.array([0.5, 0.1]), np.array([1e-3, 1e-2])
    slopes = differences(values, x, h, np.array([low, -9.0]), np.array([high, 9.0]), short)
    exact = np.polyval(np.polyder(c[::-1]), 0.5)
    np.testing.assert_allclose(slopes, [[exact, 5], [0, 0]], atol=1e-11)


@together("lifted", [-9.0, 0.0, 9e3])
def test_peaks_are_where_they_are_at_any_height(lifted):
    """One peak, and a ripple at the bottom that is none, less than a millionth of the range."""
    x = np.linspace(0.0, 1.0, 101)
    ripple = np.where(x > 0.7, 4e-7 * np.sin(60 * x) ** 2, 1e-3 * (0.7 - x))
    y = lifted + np.exp(-(((x - 0.4) / 0.05) ** 2)) + ripple
    found, _ = peaks(x, y, np.zeros((101, 1)), 3)
    np.testing.assert_allclose(found - lifted, [1.0003, 7e-4, 7e-4], atol=2e-6)


def test_the_rest_of_a_state():
    """A tank: in by u, out by k p: p rests at u/k, whatever coordinates do; its rate is zero."""
    model = Model("tank")
    (x,) = model.coordinates("x")
    p = model.state("p", initial=1.0)
    k, u = model.parameters(k=2.0, u=3.0)
    model.equation(p.dot + k * p - u)
    model.equation(x.ddot + x.dot + 4 * (x - 5))
    found = model.optimise(AtRest("p"), {"k": (1.0, 4.0)}, maximise=True)
    assert found["k"] == 1 and found.value == pytest.approx(3, rel=1e-12)
    assert model.optimise({AtRest("p"): 1, AtRest("x"): 1}, {"k": (1.0, 4.0)}).value == pytest.approx(5.75, rel=1e-12)
    still = model.optimise({AtRest("p"): 1, AtRest("x.dot"): 1}, {"k": (1.0, 4.0)})
    assert still.value == pytest.approx(0.75, rel=1e-10)


def test_the_widest_throw_is_torricellis():
    """From a height h: tan(angle) = v / sqrt(v^2 + 2 g h), range v/g sqrt(v^2 + 2 g h); an event stops the run."""
    opt = thrown(drag=0.0).optimise(Last("x"), {"angle": (0.1, 1.5)}, 10, maximise=True)
    root = np.sqrt(100 + 2 * 9.81 * 2)
    assert opt.status == "converged" and opt["angle"] == pytest.approx(np.arctan(10 / root), abs=1e-6)
    assert opt.value == pytest.approx(10 / 9.81 * root, rel=1e-9) == opt.run["x"][-1]
    assert opt.run.t[-1] < 2 and opt.unit == "m" and not opt.prices and "ball" in repr(opt)
    again = thrown(drag=0.0).simulate(10, **opt.options)
    assert again["x"][-1] == pytest.approx(opt.value, rel=1e-9)


def test_a_throw_within_limits_and_what_they_cost():
    """Drag, two limits, two unknowns: SciPy says the same on plain runs; a price is what a limit that moves does."""
    model = thrown()

    def found(highest, last=1.7):
        limits = {Max("y"): (None, highest), Last("t"): (None, last)}
        return model.optimise(Last("x"), {"angle": (0.1, 1.5), "speed": (5, 12)}, 10, maximise=True, constraints=limits)

    opt = found(4.0)
    assert opt.status == "converged" and opt.constraints["Max(y)"] == pytest.approx(4, abs=1e-6)
    assert opt.prices["Last(t)"] == 0 and opt["speed"] == 12 and "speed lies at its bound 12" in opt.message
    price = (found(4.01).value - found(3.99).value) / 0.02
    assert opt.prices["Max(y)"] == pytest.approx(price, rel=1e-3) and price > 0.1
    wider = model.optimise(Last("x"), {"angle": (0.1, 1.5), "speed": (5, 12.01)}, 10, maximise=True,
                           constraints={Max("y"): (None, 4), Last("t"): (None, 1.7)})  # fmt: skip
    assert opt.prices["speed"] == pytest.approx((wider.value - opt.value) / 0.01, rel=1e-2)

    def ran(x):
        return model.simulate(10, method="dop853", parameters={"angle": x[0], "speed": x[1]}, tolerance=1e-10)

    by_hand = optimize.minimize(lambda x: -ran(x)["x"][-1], (0.6, 10), bounds=[(0.1, 1.5), (5, 12)], method="SLSQP",
                                constraints={"type": "ineq", "fun": lambda x: 4 - ran(x)["y"].max()})  # fmt: skip
    assert -by_hand.fun == pytest.approx(opt.value, rel=1e-5)


def test_a_target_is_reached_with_the_least_effort():
    """x'' = u from rest to rest at x = 1 in 1 s with the least integral of u^2: u = 6 - 12 t, the integral 12."""
    model = Model("cart")
    (x,) = model.coordinates("x")
    u0, u1 = model.parameters(u0=1.0, u1=0.0)
    u = u0 + u1 * t
    model.equation(x.ddot - u)
    opt = model.optimise(Integral(u**2), {"u0": 1.0, "u1": 0.0}, 1, constraints={Last(5 * x): 5, Last("x.dot"): 0})
    assert (opt["u0"], opt["u1"]) == (pytest.approx(6, rel=1e-7), pytest.approx(-12, rel=1e-7))
    assert opt.value == pytest.approx(12, rel=1e-8) and opt.status == "converged"
    assert opt.prices["Last(5*x)"] == pytest.approx(24 / 5, rel=1e-6), "12 x^2 of a way x"


@pytest.mark.long
def test_absorbers_of_least_energy_and_of_lowest_peak():
    """Least integral of a^2 after a blow (Asami, Nishihara, Baz, J. Vib. Acoust. 124, 2002); lowest peak of the
    response (Nishihara, Asami, the same, 2002), which Den Hartog's rule approaches: both in closed form."""
    model, a = absorber()
    bounds = {"k": (0.01, 0.1), "c": (0.0005, 0.05)}
    opt = model.optimise(Integral(a**2), bounds, 200, initial={"a.dot": 1})
    ratio, damping = np.sqrt((2 + MU) / 2) / (1 + MU), np.sqrt(MU * (4 + 3 * MU) / (8 * (1 + MU) * (2 + MU)))
    assert opt["k"] == pytest.approx(MU * ratio**2, rel=1e-4) and opt.status == "converged"
    assert opt["c"] == pytest.approx(2 * damping * MU * ratio, rel=1e-4)

    w = np.linspace(0.85, 1.1, 501)
    peak = Linearized(lambda small: abs(small.frequency_response(w, input="u", output="a")))
    opt = model.optimise(peak, bounds)
    s = np.sqrt(4 + 3 * MU)
    ratio = 16 + 23 * MU + 9 * MU**2 + 2 * (2 + MU) * s
    ratio = 2 / (1 + MU) * np.sqrt(2 * ratio / (3 * (64 + 80 * MU + 27 * MU**2)))
    damping = np.sqrt((8 + 9 * MU - 4 * s) / (1 + MU)) / 4
    lowest = np.sqrt(((8 + 9 * MU) ** 2 * (16 + 9 * MU) - 128 * s**3) / (3 * (32 + 27 * MU))) / (3 * MU)
    assert opt.value == pytest.approx(lowest, rel=3e-5) and opt.run is None
    assert opt["k"] == pytest.approx(MU * ratio**2, rel=1e-3)
    assert opt["c"] == pytest.approx(2 * damping * MU * ratio, rel=1e-2)
    assert opt.runs < 30 and opt.plot().get_ylabel() == "Linearized(function)"


@pytest.mark.long
def test_the_lowest_of_the_highest_peaks():
    """Where two peaks are equally high there is a kink: a search among plain runs says the same."""
    model = Model("beaten")
    (a,) = model.coordinates("a", initial=1)
    (k,) = model.parameters(k=1.0)
    model.equation(a.ddot + 0.2 * a.dot + k * a - sp.sin(1.3 * t))
    opt = model.optimise(Max(abs(a)), {"k": (0.955, 2.0)}, 30)
    grid = np.linspace(0.955, 1.0, 91)
    study = model.study(30, over={"k": grid}, keep={"most": Max(abs(a))}).run()
    near = study["most"].argmin()
    assert opt.value == pytest.approx(study["most"][near], rel=1e-4) and opt["k"] == pytest.approx(grid[near], abs=5e-4)
    assert opt.value <= study["most"].min() * (1 + 1e-5) and opt.status == "converged"


def test_rest_and_frequencies():
    """A mass on a spring: where it rests; the stiffness for a frequency of 1 Hz; a sum with weights."""
    model = Model("scale", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y")
    k, m = model.parameters(k=100.0, m=1.0)
    model.add(Force(model.body("mass", tdisp(0, y, 0), mass=m, inertia=(0, 0, 0)), (0, -k * y, 0)))
    slow = {Linearized(lambda small: small.modes().frequencies): (None, 1)}
    opt = model.optimise(AtRest(-y), {"k": (10, 300)}, constraints=slow)
    assert opt["k"] == pytest.approx(4 * np.pi**2, rel=1e-6)
    assert opt.value == pytest.approx(9.81 / (4 * np.pi**2), rel=1e-6)
    assert opt.prices["Linearized(function)"] == pytest.approx(-2 * opt.value, rel=1e-4), "g / (2 pi f)^2"
    both = model.optimise({AtRest(y): -1, AtRest(k): 1e-4}, {"k": (10, 900)})
    assert both["k"] == pytest.approx(np.sqrt(9.81e4), rel=1e-6) and both.unit == ""


@pytest.mark.long
def test_where_nothing_can_be_differentiated():
    """A ball that is dropped on soft ground, a function of the run: differences, and that is said."""
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=0.3)
    (d,) = model.parameters(d=20.0)
    ball = model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(ball, (0, -d * y.dot, 0)), PlanePoint(ball, model.ground, normal=(0, 1, 0), stiffness=1e4))
    opt = model.optimise(lambda run: (run["y"][-1] - 0.1) ** 2, {"d": (1, 100)}, 0.5)
    assert opt.run["y"][-1] == pytest.approx(0.1, abs=1e-4) and "differences between whole runs" in opt.message
    assert opt.status == "converged" and opt.objective == "function"


def test_failures_limits_and_interruption(monkeypatch):
    model = thrown()
    unknowns = {"angle": (0.1, 1.5)}
    none = model.optimise(Last("x"), unknowns, 10, maximise=True, constraints={Last("t"): (None, 0.2)})
    assert none.status == "not converged" and "Last(t) = 0.76" in none.message and none.parameters == {"angle": 0.1}
    few = model.optimise(Last("x"), {"angle": 0.2, "speed": (1, 30)}, 10, maximise=True, max_runs=3)
    assert (few.status, few.runs) == ("not converged", 3) and "max_runs allows no more" in few.message
    assert few.value == few.history["objective"].max()
    runs = type(model).simulate
    count = []

    def interrupted(self, *arguments, **options):
        count.append(1)
        if len(count) == 3:
            signal.raise_signal(signal.SIGINT)
        return runs(self, *arguments, **options)

    monkeypatch.setattr(type(model), "simulate", interrupted)
    with pytest.raises(InterruptedRunError, match="interrupted after 2 values; error.result has the best") as caught:
        model.optimise(Last("x"), unknowns, 10, maximise=True)
    assert caught.value.result.status == "interrupted" and caught.value.result.runs == 2


def test_constraints_of_one_name_stay_apart():
    ways = [lambda lin, k=k: lin.K[0, 0] + k for k in range(3)]
    limits = {Linearized(way): (0, None) for way in ways}
    opt = examples.oscillator().optimise(AtRest("q"), {"k": (0.5, 2)}, constraints=limits)
    assert [*opt.constraints] == ["Linearized(function)", "Linearized(function) (2)", "Linearized(function) (3)"]


def test_a_constraint_is_as_large_as_its_limits_its_value_or_its_change():
    by, size = np.array([[2.0, -3.0]]), np.array([10.0, 1.0])
    for low, high, value, wanted in (-4, 3, 1, 4), (0, np.inf, 5, 5), (0, np.inf, 0, 20), (-np.inf, 0, 0, 20):
        assert _size(Limit("c", None, low, high), np.array([value]), by, size) == wanted
    assert _size(Limit("c", None, 0, 0), np.zeros(1), 0 * by, size) == 1


def test_the_picture():
    opt = thrown().optimise(Last("x"), {"angle": (0.1, 1.5), "speed": (5, 12)}, 10, maximise=True,
                            constraints={Max("y"): (None, 4)})  # fmt: skip
    search, motion = opt.plot()
    assert search.get_ylabel() == "Last(x) [m]" and motion.get_ylabel() == "x [m]"
    assert [line.get_label() for line in motion.lines] == ["guess", "found"]
    assert motion.lines[1].get_ydata()[-1] == pytest.approx(opt.value)


def test_the_picture_of_an_energy():
    opt = examples.oscillator().optimise(Max("kinetic energy"), {"c": (0.1, 2)}, 2, initial={"q": 0.1})
    motion = opt.plot()[1]
    assert motion.get_ylabel() == "kinetic energy [J]"
    assert motion.lines[1].get_ydata().max() == pytest.approx(opt.value, rel=1e-3)


def optimised(b, objective=None, parameters=None, t_final=1, **options):
    b.model.optimise(Last("q1") if objective is None else objective, parameters or {"l1": (1, 2)}, t_final, **options)


def another_count(b):
    counts = iter(range(1, 99))
    optimised(b, Linearized(lambda small: np.ones(next(counts))), t_final=None)


def pressed(b):
    """Ctrl-C at the second of the values."""
    count = iter(range(99))

    def function(run):
        if next(count) == 3:
            raise KeyboardInterrupt
        return run["q1"][-1]

    optimised(b, function)


test_mistake_is_explained = explained(__file__)


# -- what jumps -------------------------------------------------------------------------------------------------------


def switched(high, low, **values):
    """A mass of 1 kg with one force until a time k, and another then."""
    model = Model("switched")
    (x,) = model.coordinates("x")
    model.parameters(**values)
    model.equation(x.ddot - sp.Piecewise((high, t < model.symbols["k"]), (low, True)))
    return model, x


@pytest.mark.parametrize("fuel", [lambda u, x: Integral(u), lambda u, x: Integral(abs(x.ddot)), lambda u, x: "x.ddot"])
def test_the_least_fuel_by_a_switching_time(fuel):
    """x(1) = k - k^2/2 is to be 0.32 m: k = 0.4 s, which is the fuel; the price is dk/dx = 1/(1 - k)."""
    model, x = switched(1, 0, k=0.9)
    measure = fuel(sp.Piecewise((1, t < model.symbols["k"]), (0, True)), x)
    measure = Integral(measure) if isinstance(measure, str) else measure
    opt = model.optimise(measure, {"k": (0.05, 0.95)}, 1, constraints={Last("x"): (0.32, None)})
    assert opt.status == "converged" and abs(opt["k"] - 0.4) < 1e-8 and abs(opt.value - 0.4) < 1e-8
    assert abs(opt.prices["Last(x)"] - 1 / 0.6) < 1e-5


@pytest.mark.parametrize("cost", [lambda x: Max(abs(x.ddot)), lambda x: Integral(x.ddot**2), lambda x: Max("x.ddot")])
def test_rest_to_rest_by_two_thrusts(cost):
    """1 m in 1 s, at rest again: 4 m/s2 until 0.5 s, then -4 m/s2."""
    model = Model("thrusts")
    (x,) = model.coordinates("x")
    k, a = model.parameters(k=0.4, a=3.0)
    model.equation(x.ddot - sp.Piecewise((a, t < k), (-a, True)))
    ends = {Last("x"): 1, Last("x.dot"): 0}
    opt = model.optimise(cost(x), {"k": (0.1, 0.9), "a": (1, 9)}, 1, constraints=ends)
    assert abs(opt["k"] - 0.5) < 1e-8 and abs(opt["a"] - 4) < 1e-7
    assert abs(opt.value - (16 if isinstance(cost(x), Integral) else 4)) < 1e-6


def test_an_integral_of_a_sign_of_the_motion():
    """cos(w t) is positive until pi/(2 w): sign(x) over 2 s is zero for w = pi/2."""
    model = Model("swing")
    (x,) = model.coordinates("x", initial=1)
    (k,) = model.parameters(k=1.0)
    model.equation(x.ddot + k * x)
    opt = model.optimise(Integral(sp.sign(x)), {"k": (1.5, 4)}, 2, constraints={Integral(sp.sign(x)): (0, None)})
    assert abs(opt["k"] - np.pi**2 / 4) < 1e-6
