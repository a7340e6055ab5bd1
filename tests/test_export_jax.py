"""Files of Python with JAX: they are run, without easydyn, and their functions are traced."""

import re
import subprocess
import sys

import numpy as np
import pytest
import test_export as others
from test_export import CASES, Exported, assert_close, models, reference_numbers, some_states  # noqa: F401

from easydyn import examples

jax = pytest.importorskip("jax")


@pytest.mark.long
def test_numbers_of_every_operation(models, rng, tmp_path):  # noqa: F811
    model, system = models("every operation")
    states = some_states(rng, system, 2)
    for found, state in zip(Exported(model, "jax", tmp_path).check(states), states, strict=True):
        assert_close(found, reference_numbers(system, state))


@pytest.mark.long
@pytest.mark.parametrize("name", ["double pendulum", "hydraulic jack", "driven frame", "not linear"])
def test_numbers_and_motion_are_those_of_the_model(name, models, rng, tmp_path):  # noqa: F811
    others.test_numbers_and_motion_are_those_of_the_model("jax", name, models, rng, tmp_path)


@pytest.mark.long
def test_every_word_of_a_file_can_be_a_name_of_the_model(tmp_path, rng, monkeypatch):
    """But for those of sentences, of which some are no names of bodies."""
    words = others.words_of
    monkeypatch.setattr(others, "words_of", lambda text, mark: words(re.sub(r'"""[^"]*"""', "", text), mark))
    others.test_every_word_of_a_file_can_be_a_name_of_the_model("jax", "newton", tmp_path, rng)


@pytest.mark.long
def test_a_motion_that_runs_away_is_said_and_stops(tmp_path):
    others.test_a_motion_that_runs_away_is_said_and_stops("jax", tmp_path)


PROGRAM = """
import sys
assert "easydyn" not in sys.modules
import double_pendulum as file, jax
slope = jax.jit(jax.jacfwd(lambda x: file.motion(file.parameters | {"l1": x})[1][-1]))
many = jax.jit(jax.vmap(lambda x: file.motion(file.parameters | {"l1": x})[1][-1]))
print(*slope(1.2).tolist(), *many(jax.numpy.array([1.2, 1.3]))[1].tolist())
"""


@pytest.mark.long
def test_functions_of_the_file_can_be_traced(tmp_path):
    """A derivative of the run, and several runs at once, without easydyn."""
    model = examples.double_pendulum()
    model.export("jax", tmp_path, t_final=0.5, step=0.005, save_every=0.5)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    found = np.array(done.stdout.split(), dtype=float).reshape(2, 4)
    options = {"method": "dop853", "tolerance": 1e-12, "save_at": [0, 0.5]}
    exact = model.sensitivity(0.5, ["l1"], parameters={"l1": 1.2}, **options)
    np.testing.assert_allclose(found[0], [*exact.q[-1, :, 0], *exact.qd[-1, :, 0]], rtol=1e-6)
    run = model.simulate(0.5, parameters={"l1": 1.3}, **options)
    np.testing.assert_allclose(found[1], [*run.q[-1], *run.qd[-1]], rtol=1e-6)
