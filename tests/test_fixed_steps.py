"""Steps of fixed length: cut short where something happens, and solved down to the rounding of a body at rest."""

import numpy as np
import pytest

from easydyn import Model, Spring, ground, hht, tdisp


def hung():
    """3 kg on a stiff spring, in balance at y = 0."""
    model = Model("hung", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y")
    load = model.body("load", tdisp(0, y - 0.7, 0), mass=3, inertia=(0, 0, 0))
    model.add(Spring(ground, load, stiffness=1e5, free_length=0.7 - 3 * 9.81 / 1e5))
    return model


def drop():
    """A parabola, which the trapezoidal rule follows exactly."""
    model = Model("drop", gravity=(0, -10, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("stone", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    return model, y


@pytest.mark.filterwarnings("ignore::easydyn.errors.EnergyWarning")  # what hht takes away at long steps
@pytest.mark.parametrize("target", ["native", "python"])
@pytest.mark.parametrize("method", ["newmark", hht(-0.1)])
@pytest.mark.parametrize("step", [1e-2, 1e-3])
@pytest.mark.parametrize("y", [0, 1e-9, 1e-6, -1e-3])
def test_at_rest_and_nearly(y, step, method, target):
    """The residual of lengths of 0.7 m has a rounding that y = 0 does not show; energy at the end is not more."""
    run = hung().simulate(100 * step, step=step, method=method, initial={"y": y}, target=target)
    amplitude = np.sqrt(run["y"] ** 2 + run["y.dot"] ** 2 * 3 / 1e5)
    assert amplitude.max() < abs(y) * (1 + 1e-6) + 1e-14
    assert len(run) == 101 and (y == 0 or np.ptp(run["y"]) > 1.2 * abs(y))


def with_event(model, y):
    model.event(y - 0.7, direction=-1, name="there")


def with_controller(model, y):
    model.controller(0.015, lambda t, outputs: None)


def with_table(model, y):
    model.input("u")


@pytest.mark.parametrize("target", ["native", "python"])
@pytest.mark.parametrize("happening", [with_event, with_controller, with_table])
def test_cut_short_by_what_changes_nothing(happening, target):
    """After an event, a sample, a point of a table the next step is as long as the others, and time goes with it."""
    model, y = drop()
    happening(model, y)
    inputs = {"u": ([0, 0.004, 0.3], [0, 1, 2])} if happening is with_table else None
    run = model.simulate(0.4, step=0.01, inputs=inputs, target=target)
    np.testing.assert_allclose(run["y"], 1 - 5 * run.t**2, rtol=0, atol=1e-13)
    assert np.diff(run.t).max() < 0.01 * (1 + 1e-6) and len(run) > 41
