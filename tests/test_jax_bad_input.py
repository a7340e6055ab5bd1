"""What cannot be done by JAX, and why: each is told by a sentence."""

from contextlib import contextmanager
from copy import copy
from importlib.util import find_spec

import pytest
from mistakes import explained

from easydyn import Force

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


test_mistake_is_explained = explained(__file__)
