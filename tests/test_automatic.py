"""The method that fits: what "auto" takes, that it is no less exact than asked for, and where it says so."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from mistakes import explained

from easydyn import Last, examples, integrate
from easydyn.native.machine import available
from easydyn.result.trajectory import Trajectory

SPEC = importlib.util.spec_from_file_location(
    "auto", Path(__file__).resolve().parent.parent / "benchmarks" / "auto.py"
)
auto = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(auto)

CHOICES = {
    "chain of 5": "lobatto", "decay at 100/s": "dop853", "decay at 10,000/s": "newmark", "strong dampers": "newmark",
    "stiff spring": "newmark_extrapolated", "dry friction": "dop853", "rigid ball": "newmark",
    "van der Pol 5": "dop853", "fast filter": "newmark_extrapolated", "servo": "newmark_extrapolated",
    "air drag": "dop853",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("name", CHOICES)
def test_choice_by_laws_and_rates(name):
    """Against a run by another method to ten digits; evaluations are counted, and no method takes a tenth of them."""
    make, seconds = (auto.STIFF | auto.OTHERS)[name]
    model = make()
    run = model.simulate(seconds, method="auto")
    assert run.stats.method == CHOICES[name] and f'method="auto" took {CHOICES[name]}: ' in run.message
    exact = model.simulate(seconds, method="newmark_extrapolated", tolerance=1e-10)
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=1e-6 * seconds)
    assert run.stats.residuals < 10 * min(model.simulate(seconds, method=x).stats.residuals for x in auto.METHODS[:3])


def test_what_auto_means_for_steppers_and_studies(tmp_path):
    model = examples.double_pendulum()
    stepper = model.stepper(method="auto")
    stepper.advance(1)
    run = model.simulate(1, method="auto")
    quickest = "lobatto" if available() else "dop853"  # interpreted
    assert stepper.method.name == run.stats.method == quickest
    np.testing.assert_allclose(stepper.q, run.q[-1], atol=1e-9 if available() else 1e-6)  # the tolerance of dop853
    study = model.study(1, over={"l1": [1.0, 1.2]}, keep={"end": Last("q2")}, method="auto").run()
    np.testing.assert_allclose(study["end"][1], run["q2"][-1], atol=1e-6)
    assert study.study.how == model.study(1, over={"l1": [1.0, 1.2]}).how  # "auto" is what is taken if nothing is said
    s = model.sensitivity(1, ["l1"], method="auto")
    assert s.run.stats.method == "dop853"
    precise = model.sensitivity(1, ["l1"], tolerance=1e-8)
    np.testing.assert_allclose(s["q2", "l1"][-1], precise["q2", "l1"][-1], rtol=1e-3)
    assert Trajectory.load(run.save(tmp_path / "run.npz")).stats.method == quickest


def test_limit_of_the_steps_is_a_part_of_the_choice():
    """With steps far shorter than exact methods need, the one with the cheapest steps fits; the choice is not kept."""
    model = examples.double_pendulum()
    assert model.simulate(1, method="auto").stats.method != "newmark"
    assert model.simulate(1, method="auto", max_step=1e-4).stats.method == "newmark"


def test_long_run_tells_of_auto():
    model = examples.double_pendulum()
    run = model.simulate(5, tolerance=1e-8)
    assert run.stats.steps > 20_000 and 'method="auto" would take fewer' in run.message
    assert "auto" not in model.simulate(1).message


def by_hand():
    return integrate(lambda t, q, qd, qdd: qdd, q=[0], qd=[0], t_final=1, method="auto")


test_mistake_is_explained = explained(__file__)
