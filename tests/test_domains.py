"""Roots, logarithms and arcsines along a run: a fault is told where it happens, and nowhere else."""

import numpy as np
import pytest
from sympy import Piecewise, Rational, acos, asin, cos, log, sin, sqrt

from easydyn import GeneralizedForce, Model, tdisp
from easydyn.errors import ModelError, NotFiniteError
from easydyn.run.domains import bounds


def sled():
    """x = 4 + t."""
    model = Model("sled")
    (x,) = model.coordinates("x", initial=4, rates=1)
    (p,) = model.parameters(p=4)
    model.body("sled", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    return model, x, p


@pytest.fixture(scope="module")
def run():
    return sled()[0].simulate(1, step=0.25, save_every=0.25)


X = np.linspace(4, 5, 5)
FORMULAS = {  # none of them is real where all symbols are 1
    "root": (lambda x, p: sqrt(x - 3), np.sqrt(X - 3)),
    "logarithm": (lambda x, p: log(x - 3), np.log(X - 3)),
    "arccosine": (lambda x, p: acos(2 * x - 9), np.arccos(2 * X - 9)),
    "arcsine": (lambda x, p: asin(x - p), np.arcsin(X - 4)),
    "third root": (lambda x, p: (x - 3) ** Rational(1, 3), (X - 3) ** (1 / 3)),
    "power": (lambda x, p: (x - 3) ** 2.5, (X - 3) ** 2.5),
    "power by a parameter": (lambda x, p: (x - 3) ** (p / 3), (X - 3) ** (4 / 3)),
    "of a parameter": (lambda x, p: sqrt(p - 3), np.ones(5)),
    "guarded": (lambda x, p: Piecewise((sqrt(x - 9), x > 9), (0, True)), np.zeros(5)),
    "guarded, of a parameter": (lambda x, p: Piecewise((log(p - 5), p > 5), (2, True)), np.full(5, 2)),
    "guarded in part": (lambda x, p: Piecewise((sqrt(x - 4.4), x > 4.4), (0, True)), np.sqrt(np.maximum(X - 4.4, 0))),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_what_is_in_its_domain_along_the_run_has_values(name, run):
    formula, expected = FORMULAS[name]
    _, x, p = sled()
    assert run.of(formula(x, p)) == pytest.approx(expected, abs=1e-9)
    assert run.of([x, formula(x, p)])[:, 1] == pytest.approx(expected, abs=1e-9)


def test_forces_outputs_events_plots_and_sensitivities_take_them_too():
    model, x, p = sled()
    every = sum(formula(x, p) for formula, _ in FORMULAS.values())
    force = GeneralizedForce(x, sqrt(x - 3) + log(p - 3) + Piecewise((sqrt(x - 9), x > 9), (0, True)))
    model.add(force)
    model.output("sum", every)
    model.event(log(x - 3) - 0.1, name="there")
    run = model.simulate(0.25, step=0.05, save_every=0.05, target="python")
    assert np.isfinite(run["sum"]).all() and [e.name for e in run.events] == ["there"]
    assert run.events[0].t == pytest.approx(np.exp(0.1) - 1, rel=0.1)
    assert run.power(force) == pytest.approx(run["x.dot"] * np.sqrt(run["x"] - 3))
    assert len(run.plot(log(x - 3)).lines) == 1


def test_bounds_that_hold_for_any_motion():
    """By hand: a sine lies between -1 and 1, a parameter has its value."""
    q, p = Model("m").coordinate("q"), Model("m").parameter("p", 3)
    a, anywhere = sin(q), (-np.inf, np.inf)
    for formula, expected in (
        (a**2, (0, 1)), (a**3, (-1, 1)), ((a + 2) ** 2, (1, 9)), ((a - 3) ** 2, (4, 16)), ((a - 3) ** 3, (-64, -8)),
        (1 / (a + 2), (1 / 3, 1)), ((a - 3) ** -2, (1 / 16, 1 / 4)), (1 / a, anywhere), (a**-2, anywhere),
        (sqrt(a + 2), (1, np.sqrt(3))), (p * a * cos(q) - 2, (-5, 1)), (-2 * (a + 2), (-6, -2)),
        (q, anywhere), (cos(p), (np.cos(3),) * 2), (p + cos(q) ** 4, (3, 4)), ((a + 2) * (a - 3), (-12, -2)),
    ):  # fmt: skip
        assert bounds(formula, {"p": 3.0}) == pytest.approx(expected, rel=1e-14), formula


def test_a_fault_is_told_with_its_time_and_expression(run):
    _, x, _ = sled()
    with pytest.raises(ModelError, match=r"run.of: sqrt\(9/2 - x\) is not a number at t = 0.75 s, and at 2 of 5 inst"):
        run.of([x, sqrt(Rational(9, 2) - x)])
    model, x, _ = sled()
    model.add(GeneralizedForce(x, sqrt(Rational(9, 2) - x)))
    with pytest.raises(NotFiniteError, match="the residual of x is nan at t = 0.[45]"):
        model.simulate(2, target="python")
