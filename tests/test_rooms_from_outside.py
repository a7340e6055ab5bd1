"""A target and a language of export from outside, by public names alone: everything works with them.

Elements from outside are in test_transitions.py and test_implicit.py, a family of methods in test_new_family.py.
"""

import mpmath
import numpy as np
import pytest
from python_language import PYTHON

from easydyn import examples
from easydyn.engine.program import PYTHON as NOTATION
from easydyn.engine.targets import Target, source
from easydyn.errors import InputError

# -- a target: thirty digits ----------------------------------------------------------------------------------------

FUNCTIONS = "sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log floor ceil sign inf"


def thirty_digits(program):
    """Programs in the arithmetic of mpmath."""
    mp = mpmath.mp.clone()
    mp.dps = 30
    space = {name: getattr(mp, name) for name in FUNCTIONS.split()} | {"pow": mp.power}
    exec(source(program, NOTATION, "{}[{}]"), space)

    def exact(values):
        return [mp.mpf(float(x)) if not isinstance(x, mpmath.mpf) else x for x in values]

    def prologue(p, u=()):
        return list(space["prologue"](exact(p), exact(u)))

    def evaluate(t, q, qd, qdd, constants):
        return space["evaluate"](mp.mpf(float(t)), exact(q), exact(qd), exact(qdd), constants)

    return prologue, evaluate


EXACT = Target("thirty digits", thirty_digits)


@pytest.mark.parametrize("scheme", ["recursive", "explicit"])
def test_a_target_evaluates(scheme):
    """Residual, M, accelerations, frames at one state and at many, beside the target that is there."""
    model = examples.slider_crank()
    ours, theirs = (model.compile(target, scheme) for target in (EXACT, "python"))
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.normal(size=(3, 4, ours.n)) * 0.3
    t = np.linspace(0, 1, 4)
    for name, state in (("residual", (q, qd, qdd)), ("frames", (q,)), ("accelerations", (q, qd))):
        many = getattr(ours, name)(t, *state)
        np.testing.assert_allclose(many, getattr(theirs, name)(t, *state), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(getattr(ours, name)(t[1], *(x[1] for x in state)), many[1], rtol=1e-12, atol=1e-12)
    assert "thirty digits" in repr(ours)


@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_a_target_runs(method):
    model = examples.double_pendulum()
    runs = [model.simulate(0.1, method=method, target=target, save_every=0.02) for target in (EXACT, "python")]
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-9)
    np.testing.assert_allclose(runs[0].energy.total, runs[1].energy.total, atol=1e-9)
    lin = [model.linearize(target=target) for target in (EXACT, "python")] if method == "newmark" else []
    for a, b in zip(lin[:1], lin[1:], strict=True):
        np.testing.assert_allclose(a.K, b.K, rtol=1e-6, atol=1e-6)


def test_what_is_no_target_is_refused():
    with pytest.raises(InputError, match=r"target='fortran': expected one of auto, native, numpy, python, or a Target"):
        examples.double_pendulum().compile("fortran")


# -- a language ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["double_pendulum", "slider_crank", "hydraulic_jack"])
def test_a_language_exports(name, tmp_path):
    """What the file says is what the system says, at random states, also with another parameter."""
    model = getattr(examples, name)()
    path = model.export(PYTHON, tmp_path)
    assert path.suffix == ".py"
    space = {}
    exec(path.read_text(encoding="utf-8"), space)
    rng = np.random.default_rng(5)
    for change in (1.0, 1.01):
        given = {x: value * change for x, value in space["parameters"].items()}
        system = model.compile("python", parameters=given)
        more = (space["prepare"](given),) if "constants" in path.read_text().split("def residual")[1][:60] else ()
        for _ in range(3):
            t, (q, qd, qdd) = 0.1, rng.normal(size=(3, system.n)) * 0.1
            found = space["residual"](t, q.tolist(), qd.tolist(), qdd.tolist(), *more)
            np.testing.assert_allclose(found, system.residual(t, q, qd, qdd), rtol=1e-10, atol=1e-9)


def test_what_is_no_language_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"language='basic': expected one of .*\"rust\", or a Language"):
        examples.double_pendulum().export("basic", tmp_path)
