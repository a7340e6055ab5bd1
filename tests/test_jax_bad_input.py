"""What cannot be done by JAX, and why: each is told by a sentence."""

from contextlib import contextmanager
from copy import copy
from importlib.util import find_spec

import numpy as np
import pytest
from mistakes import Mistake, explained

from easydyn import Force, examples
from easydyn.errors import InputError, ModelError, UnknownNameError

pytestmark = pytest.mark.skipif(find_spec("jax") is None, reason="JAX is not installed")


@contextmanager
def bits(many=True):
    import jax

    with jax.enable_x64(many):
        yield


def with_32_bits(make):
    with bits(False):
        return make()


def moved(b, *values, model=None, **options):
    with bits():
        return (model or b.model).compile("jax").motion(**{"t_final": 0.1, "step": 0.05} | options)(*values)


def with_callback(b):
    model = copy(b.model)

    @model.efforts
    def push(t, bodies):
        pass

    return model.compile("jax").pure("residual")


def nonlinear(b):
    model = copy(b.model)
    model.add(Force(b.upper, (b.q1.ddot**3, 0, 0)))
    return moved(b, model=model)


def with_event(b):
    model = copy(b.model)
    model.event(b.q1, name="down")
    return moved(b, model=model)


MISTAKES = [
    Mistake("32 bits", InputError, lambda b: with_32_bits(b.model.compile("jax").motion(0.1, step=0.05)),
            "JAX reckons with 32 bits here, and this needs 64", r"jax.config.update\(\"jax_enable_x64\", True\)"),
    Mistake("32 bits of a quantity", InputError,
            lambda b: with_32_bits(lambda: b.model.compile("jax").pure("residual")(0, [0, 0], [0, 0], [0, 0])),
            "JAX reckons with 32 bits here, and this needs 64", "with jax.enable_x64"),
    Mistake("key", InputError, lambda b: b.model.compile("jax").pure("energy"),
            "expected \"residual\", \"mass_matrix\", \"accelerations\", \"frames\", or a list of expressions",
            r"^pure\('energy'\)"),
    Mistake("callback", ModelError, with_callback, "which JAX cannot look into", r"^model 'pendulum' has .*\(push\)"),
    Mistake("parameter", UnknownNameError, lambda b: moved(b, {"l3": 1}), "there is no parameter or input",
            "'l3' here: expected one of l1. Values at the start are"),
    Mistake("initial", UnknownNameError, lambda b: moved(b, {}, {"l1": 1}), "there is no initial value",
            "'l1': expected one of q1, q2, q1.dot, q2.dot"),
    Mistake("text", InputError, lambda b: moved(b, {"l1": "long"}), "expected a number, or an array of numbers",
            "^parameter 'l1' is 'long'"),
    Mistake("symbol", InputError, lambda b: moved(b, {}, {"q1": b.q1}), "expected a number, or an array of numbers",
            "^initial 'q1' is q1"),
    Mistake("axes", InputError, lambda b: moved(b, {"l1": np.ones(3)}, {"q1": np.ones(2)}),
            "which do not fit together: expected one value for each run", r"^values have axes \(2,\), \(3,\)"),
    Mistake("method", InputError, lambda b: moved(b, method="lobatto"), "with fixed steps",
            "^method='lobatto': expected one of dop853, newmark,"),
    Mistake("nonlinear", ModelError, nonlinear, "are not linear in the accelerations: take method=\"newmark\"",
            "^the equations of 'pendulum'"),
    Mistake("interval", InputError, lambda b: moved(b, save_every=0.03), "expected a whole part of t_final",
            "^save_every is 0.03 s: expected a whole part of t_final, 0.1 s"),
    Mistake("steps", InputError, lambda b: moved(b, step=1e-12), "expected one that makes at most",
            "^step is 1e-12 s"),
    Mistake("events", ModelError, with_event,
            "its runs are more than its equations, and cannot be pure functions", "^model 'pendulum' has event 'down'"),
    Mistake("loops", ModelError, lambda b: examples.fourfold_pendulum().compile("jax").motion(1, step=0.1),
            "its runs are more than its equations, and cannot be pure functions", "has closed loops"),
]  # fmt: skip
test_mistake_is_explained = explained(MISTAKES)
