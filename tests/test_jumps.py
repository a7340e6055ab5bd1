"""Times at which formulas jump: found exactly, and never stepped across."""

import numpy as np
import pytest
from sympy import Abs, And, Heaviside, Max, Mod, Or, Piecewise, ceiling, floor, pi, sign, sin

from easydyn import Force, Model, t, tdisp
from easydyn.errors import InputError
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.run.jumps import jump_times, switching_functions

T1, W = Parameter("t1"), Parameter("w")
VALUES = {T1: 0.3, W: 2.0}


def found(expression, start=0.0, end=2.0):
    return jump_times(switching_functions([expression]), VALUES, start, end)


@pytest.mark.parametrize(
    "expression, times",
    [
        (Piecewise((1, t < 0.5), (2, t < 1.5), (0, True)), [0.5, 1.5]),
        (Piecewise((1, And(t >= T1, t <= 2 * T1)), (0, True)), [0.3, 0.6]),
        (Piecewise((1, Or(t < 0.1, 3 * t > 4)), (0, True)), [0.1, 4 / 3]),
        (Heaviside(t - 0.7), [0.7]),
        (sign(1 - t), [1.0]),
        (Abs(t - 0.25), [0.25]),
        (Max(t, 0.9), [0.9]),
        (floor(4 * t), [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2]),
        (ceiling(t / T1), [0, 0.3, 0.6, 0.9, 1.2, 1.5, 1.8]),
        (Mod(t, 0.8), [0, 0.8, 1.6]),
        (sign(sin(W * pi * t)), [0, 0.5, 1, 1.5, 2]),
        (Piecewise((1, t**2 < 2), (0, True)), [np.sqrt(2)]),
        (Heaviside(t + 1) + t**2 + sin(t), []),
    ],
)
def test_where_conditions_on_time_change(expression, times):
    assert found(expression) == pytest.approx(times, abs=1e-13)


def test_conditions_on_the_state_are_not_jumps_in_time():
    assert found(Piecewise((1, Coordinate("q") > t), (0, True))) == []


def test_too_many_jumps_are_refused():
    with pytest.raises(InputError, match="jumps .* times"):
        found(Mod(t, 1e-6), 0, 1)


def sledge(force):
    model = Model("sledge")
    (x,) = model.coordinates("x")
    model.parameters(t1=0.3, w=2.0)
    body = model.body("sledge", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(Force(body, (force, 0, 0)))
    return model


@pytest.mark.parametrize("scheme", ["explicit", "recursive", "motor"])
@pytest.mark.parametrize("target", ["python", "numpy"])
def test_a_model_lands_on_its_jumps(scheme, target):
    """Constant force until t1, none after: exact on both sides for Newmark."""
    model = sledge(Piecewise((4, t < T1), (0, True)))
    for t1 in (0.3, 0.7123):
        run = model.simulate(2, parameters={"t1": t1}, scheme=scheme, target=target)
        assert t1 in run.steps.t
        assert run["x"][-1] == pytest.approx(2 * t1**2 + 4 * t1 * (2 - t1), abs=1e-12)
        assert run.energy.balance == pytest.approx(0, abs=1e-12)


def test_both_sides_of_heaviside_at_the_start():
    """Heaviside(0) is 1/2, but a run that starts there goes to the right of it."""
    run = sledge(Heaviside(t)).simulate(1)
    assert run["x.ddot"][0] == 1.0 and run["x"][-1] == pytest.approx(0.5, abs=1e-12)


def test_square_wave():
    """x'' = sign(sin(2 pi t)): after each whole period the sledge is at rest, 1/4 m further."""
    run = sledge(sign(sin(W * pi * t))).simulate(3)
    assert run["x.dot"][-1] == pytest.approx(0, abs=1e-10)
    assert run["x"][-1] == pytest.approx(3 * 0.25, abs=1e-10)
    assert run.stats.rejected == 0


def test_a_driven_frame_whose_motion_has_a_kink():
    """The support moves with 1 m/s^2 until t = 1, then uniformly: a mass on a spring-free slide feels the change."""
    model = Model("driven")
    (x,) = model.coordinates("x")
    support = Piecewise((t**2 / 2, t < 1), (t - 0.5, True))
    model.body("mass", tdisp(support + x, 0, 0), mass=2, inertia=(0, 0, 0))
    run = model.simulate(2)
    assert 1.0 in run.steps.t
    assert run["x"][-1] == pytest.approx(-1.5, abs=1e-12), "no force: it stays where it was in space"
