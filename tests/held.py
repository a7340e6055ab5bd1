"""All that an object holds, to be compared before and after: the tests of "all or nothing" share this."""

import inspect
from contextlib import contextmanager
from functools import cached_property, wraps

import numpy as np
import sympy

from easydyn import Model, System
from easydyn.visu.scene import Scene

KEPT_FOR_SPEED = ("_compiled", "_recent", "_last", "_warned", "_programs")  # what is derived, and whether it has warned


def held(x, above=()):
    """Everything in an object, down to numbers, texts and symbols, as tuples that can be compared."""
    if isinstance(x, sympy.Basic | str | bytes | bool | int | float | complex | type | None):
        return type(x).__name__, x
    if isinstance(x, np.ndarray):
        return x.shape, x.dtype.str, x.tobytes() if x.dtype != object else tuple(map(str, x.flat))
    if id(x) in above:
        return "itself"
    above = (*above, id(x))
    if isinstance(x, dict):
        return "dict", tuple((held(key, above), held(value, above)) for key, value in x.items())
    if isinstance(x, tuple | list):
        return type(x).__name__, tuple(held(each, above) for each in x)
    if isinstance(x, set | frozenset):
        return "set", frozenset(map(str, x))
    if not type(x).__module__.startswith("easydyn") or not hasattr(x, "__dict__"):
        return type(x).__name__, id(x)  # a function of the user
    derived = [name for name in vars(x) if isinstance(getattr(type(x), name, None), cached_property)]
    left = {name: value for name, value in vars(x).items() if name not in (*derived, *KEPT_FOR_SPEED)}
    return type(x).__name__, held(left, above)


def declaring(kind):
    """(class, name, function) of what changes objects of a class: its public methods, and the setters of properties."""
    for base in kind.__mro__:
        if not base.__module__.startswith("easydyn"):
            continue
        for name, thing in vars(base).items():
            if isinstance(thing, property) and thing.fset is not None:
                yield base, name, thing
            elif inspect.isfunction(thing) and not name.startswith("_"):
                yield base, name, thing


@contextmanager
def nothing_half_done():
    """While it lasts, every public method of a model, a system or a scene that fails must leave it as it was."""
    changed = []

    def watched(function):
        @wraps(function)
        def call(self, *args, **options):
            before = held(self)
            try:
                return function(self, *args, **options)
            except BaseException:
                if held(self) != before:
                    changed.append(f"{type(self).__name__}.{function.__name__}")
                raise

        return call

    replaced = [each for kind in (Model, System, Scene) for each in declaring(kind)]
    for base, name, thing in replaced:
        if isinstance(thing, property):
            setattr(base, name, thing.setter(watched(thing.fset)))
        else:
            setattr(base, name, watched(thing))
    try:
        yield changed
    finally:
        for base, name, thing in replaced:
            setattr(base, name, thing)
