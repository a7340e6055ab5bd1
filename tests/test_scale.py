"""`scale=`: what errors of first-order states count beside while the states are small.

p' = 3 (p_s - p) from p = 0, so p = p_s (1 - exp(-3 t)): in Pa, in bar or in any unit the same run.
"""

import math

import numpy as np
import pytest
from targets import LOOPS
from together import together

from easydyn import Model, Stepper, integrate, newmark_extrapolated
from easydyn.errors import InputError, ModelError

METHODS = {
    name: name for name in ("newmark", "hht", "generalized_alpha", "dop853", "lobatto", "scipy:RK45", "scipy:Radau",
                            "scipy:BDF", "scipy:LSODA")
} | {"order 6": newmark_extrapolated(6), "order 10": newmark_extrapolated(10)}  # fmt: skip


def filling(unit, method, scale, **options):
    run = integrate(
        lambda t, q, qd, qdd: qdd - 3 * (unit - qd), q=[0.0], qd=[0.0], t_final=2.0, first_order=[0], names=["p"],
        method=METHODS[method], scale=scale, save_every=0.1, **options,
    )  # fmt: skip
    return run, np.abs(run["p"] / unit - (1 - np.exp(-3 * run.t))).max()


@pytest.mark.parametrize("method", METHODS)
def test_with_a_scale_the_unit_does_not_matter(method):
    plain, error = filling(1.0, method, None)
    assert error < 2e-4 if method in ("scipy:BDF", "scipy:LSODA") else 2e-5
    for unit in (1e5, 1e-5):
        run, error_of_unit = filling(unit, method, unit)
        assert run.stats.steps == plain.stats.steps
        assert np.allclose(run["p"] / unit, plain["p"], rtol=1e-6, atol=1e-9)
        assert error_of_unit == pytest.approx(error, rel=1e-2, abs=1e-9)


@pytest.mark.parametrize("method", ["newmark", "scipy:LSODA"])
def test_without_one_a_state_from_zero_is_measured_by_one(method):
    """Too much work for a large state, too few digits of a small one: as docs/conventions.md says."""
    plain, error = filling(1.0, method, None)
    assert filling(1e5, method, None)[0].stats.steps > plain.stats.steps
    small, error_of_small = filling(1e-5, method, None)
    assert small.stats.steps < plain.stats.steps and error_of_small > 5 * error


def test_a_state_that_has_grown_beyond_its_scale_is_measured_by_its_size():
    """Twice the scale, the same steps: the larger of both counts, of a state that starts at its final size."""
    runs = [
        integrate(
            lambda t, q, qd, qdd: qdd + qd - np.cos(t), q=[0.0], qd=[1e3], t_final=2.0, first_order=[0], scale=scale
        )
        for scale in (None, 1.0, 500.0, 2e3)
    ]
    assert runs[0].stats.steps == runs[1].stats.steps == runs[2].stats.steps > runs[3].stats.steps


def tank(**options):
    """Two states beside a coordinate; the first one has a typical size."""
    model = Model("tank")
    (x,) = model.coordinates("x", initial=0.1)
    (ps,) = model.parameters(ps=2e5)
    size = options.pop("size", ps)
    (p,) = model.states("p", scale=size) if size is not None else model.states("p")
    (i,) = model.states("i", initial=1)
    model.equation(x.ddot + 4 * x)
    model.equation(p.dot + 3 * (p - ps))
    model.equation(i.dot + i)
    return model


@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_states_of_a_model(target, scheme):
    """The scale is an expression of parameters; the other state has none."""
    run = tank().simulate(1, target=target, scheme=scheme)
    assert run["p"][-1] == pytest.approx(2e5 * (1 - math.exp(-3)), rel=1e-5)
    assert run["i"][-1] == pytest.approx(math.exp(-1), rel=1e-5)
    assert run.stats.steps < tank(size=None).simulate(1, target=target, scheme=scheme).stats.steps
    other = tank().simulate(1, target=target, scheme=scheme, parameters={"ps": 2e-3})
    assert other["p"] / 2e-3 == pytest.approx(run["p"] / 2e5, abs=1e-9)


def test_steppers_know_it():
    stepper = tank().stepper(target="python")
    assert list(stepper.run.weight) == [1.0, 2e5, 1.0]
    plain = Stepper(lambda t, q, qd, qdd: qdd + qd, q=[0.0, 0.0], qd=[3.0, 0.0], first_order=[0, 1], scale=(1, 7))
    assert list(plain.run.weight) == [3.0, 7.0]


@together("wrong, kind, words", [
    (0, InputError, "the scale of p is 0: expected a number above zero"),
    (-1.0, InputError, "the scale of p is -1: expected a number above zero"),
    ("big", InputError, "scale='big': expected a number for all, or 1 in a tuple, for p"),
    ((1, 2), InputError, "scale has 2 values: expected 1, for p"),
    (math.inf, InputError, "scale value of p is inf: expected a finite number"),
])  # fmt: skip
def test_a_wrong_scale_declares_nothing(wrong, kind, words):
    model = Model("wrong")
    with pytest.raises(kind, match=words):
        model.states("p", scale=wrong)
    assert model.names == () and model.states("p", scale=1.0)


def test_a_scale_that_depends_on_what_moves():
    model = Model("wrong")
    (x,) = model.coordinates("x")
    with pytest.raises(
        ModelError, match="scale value of p depends on x .coordinate.: it may depend on parameters only"
    ):
        model.states("p", scale=x)


def test_a_scale_that_parameters_make_negative():
    with pytest.raises(InputError, match="the scale of p is -1: expected a number above zero"):
        tank().simulate(1, parameters={"ps": -1})


@pytest.mark.parametrize("wrong, words", [
    ((1.0, 2.0), "scale has 2 values: expected 1, one for each first-order state"),
    (0.0, "a scale of first-order states is 0: expected a number above zero"),
    ("1", "a scale of first-order states is '1': expected a number"),
])  # fmt: skip
def test_a_wrong_scale_of_integrate(wrong, words):
    with pytest.raises(InputError, match=words):
        filling(1.0, "newmark", wrong)
    with pytest.raises(InputError, match="no unknown is a first-order state"):
        integrate(lambda t, q, qd, qdd: qdd, q=[0.0], qd=[1.0], t_final=1, scale=1.0)
