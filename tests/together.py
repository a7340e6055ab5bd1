"""Many small cases of one thing are one test: a test of its own for each would cost more than the case."""

import functools
import inspect

import pytest


def together(names, cases, ids=None):
    """Like `pytest.mark.parametrize`, but one test: all cases are tried, and those that fail are told together.

    What a fixture makes, a folder say, is the same for all of them. Cases that take time to find are given as a
    function, which is called when the test runs, not by every process that collects it.
    """
    names = names.replace(",", " ").split() if isinstance(names, str) else [*names]
    cases = cases if callable(cases) else [*cases]

    def decorate(test):
        own = inspect.signature(test)

        @functools.wraps(test)
        def whole(**fixtures):
            failed, given = [], [*cases()] if callable(cases) else cases
            for k, case in enumerate(given):
                values = case if len(names) > 1 else (case,)
                try:
                    test(**dict(zip(names, values, strict=True)), **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"for {ids[k] if isinstance(ids, list) else (ids or repr)(case)}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{test.__name__}: {len(failed)} of {len(given)} cases", failed)

        whole.__signature__ = own.replace(parameters=[p for name, p in own.parameters.items() if name not in names])
        return whole

    return decorate
