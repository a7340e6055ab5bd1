"""Mistakes in fits, in the manner of test_bad_input.py."""


from types import SimpleNamespace  # noqa: F401  in mistakes.txt

import numpy as np
import pytest
import test_bad_input as bad
from mistakes import explained

pytest.importorskip("scipy")
T = np.linspace(0, 0.5, 11)
DATA = {"t": T, "q1": 0.1 * T, "angle": 0.1 * T}


def fitted(w, data=None, parameters=None, to=None, **options):
    w.model.fit(DATA if data is None else data, {"l1": 1.0} if parameters is None else parameters, to, **options)


def of_file(w, text, name="data.csv"):
    path = w.folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    fitted(w, path)


def stopped(_):
    """The data of a run that an event stops before they end."""
    model = bad.slider(force=lambda x: 1.0)
    model.event(model.symbols["x"] - 0.01, action="stop")
    model.parameters(c=1.0)
    model.fit({"t": T, "x": T}, {"c": 1.0})


def endless(_):
    """A motion that runs away long before the data end, with pieces from the start on."""
    model = bad.slider(force=lambda x: 200 * x**3, initial=1.0)
    model.parameters(c=1.0)
    model.fit({"t": 10 * T, "x": T}, {"c": 1.0}, shooting="multiple", max_steps=200)


def dependent(_):
    """A start that is to be measured, where one coordinate follows from another."""
    model = bad.slider(force=lambda x: 1.0)
    model.parameters(c=1.0)
    y = model.coordinate("y")
    model.constraint(y - model.symbols["x"])
    model.fit({"t": T, "x": T}, {"c": 1.0}, start="measured")


test_mistake_is_explained = explained(__file__)
