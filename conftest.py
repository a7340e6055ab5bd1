"""For every test, the examples in docstrings included: no windows, no figures left open, no files left behind."""

import gc
import os
import sys

import pytest

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib; worker processes inherit it


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Ten thousand tests are no garbage: it is not looked for among them, and seldom among what SymPy remembers."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(5_000, 20, 10)


@pytest.fixture(autouse=True)
def tidy(request, tmp_path_factory, monkeypatch):
    """Docstring examples run in a folder of their own, as they may save files; figures are closed after each test."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch.chdir(tmp_path_factory.mktemp("docstring"))
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
