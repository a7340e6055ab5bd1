"""A plugin of pytest for the wheel alone: an example that asks for an optional package that is not there is skipped.

`.ci/run` tries the examples of all docstrings with what the package itself needs, and no more. An example of a table
needs pandas, and says so with `MissingDependencyError`: that answer is right there, so it is no failure. With
everything installed this plugin is not used, and the same examples are run to their ends.
"""

import doctest

import pytest

from easydyn.errors import MissingDependencyError


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    except doctest.UnexpectedException as failure:
        if isinstance(failure.exc_info[1], MissingDependencyError):
            pytest.skip(str(failure.exc_info[1]))
        raise
