"""Checks on plain numbers that a user gives: each failure is an InputError that names the culprit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from inspect import signature
from math import isfinite
from typing import Any

import numpy as np

from easydyn.errors import InputError


def finite(value: Any, what: str) -> float:
    """A finite float; InputError, naming `what`, otherwise."""
    if isinstance(value, str | bool | np.bool_) or value is None:
        raise InputError(f"{what} is {value!r}: expected a number.")
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r} ({type(value).__name__}): expected a number.") from None
    if not isfinite(number):
        raise InputError(f"{what} is {number}: expected a finite number.")
    return number


def positive(value: Any, what: str) -> float:
    """A finite float above zero; InputError, naming `what`, otherwise."""
    number = finite(value, what)
    if number <= 0:
        raise InputError(f"{what} is {number:g}: expected a number above zero.")
    return number


def whole(value: Any, what: str, most: int = 10**9) -> int:
    """A whole number from 1 to `most`; InputError, naming `what`, otherwise."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < 1:
        shown = short(value) if isinstance(value, int) else repr(value)
        raise InputError(f"{what} is {shown}: expected a whole number above zero.")
    if value > most:
        raise InputError(f"{what} is {short(value)}: expected a whole number from 1 to {most}.")
    return int(value)


def short(value: Any) -> str:
    """A whole number as text, however long it is."""
    if isinstance(value, bool | np.integer):
        return f"{value}"
    return f"{value}" if abs(value) < 10**15 else f"a number of about {int(value.bit_length() * 0.30103) + 1} digits"


def state_vector(value: Any, what: str) -> np.ndarray:
    """A fresh array (n,) of finite floats; InputError, naming `what`, otherwise."""
    array = np.array(real_array(value, what, "a list of numbers"))
    if array.ndim != 1 or not len(array):
        raise InputError(f"{what} has shape {array.shape}: expected (n,), one value for each coordinate.")
    if not np.isfinite(array).all():
        raise InputError(
            f"{what}[{int(np.argmin(np.isfinite(array)))}] is not finite: {array}. Expected finite numbers."
        )
    return array


def finite_array(value: Any, what: str) -> np.ndarray:
    """An array of finite floats, of any shape; InputError, naming `what`, otherwise."""
    array = real_array(value, what)
    if not np.isfinite(array).all():
        place = ", ".join(map(str, np.argwhere(~np.isfinite(array))[0]))
        raise InputError(f"{what}{f'[{place}]' if place else ''} is not finite: expected finite numbers.")
    return array


def real_array(value: Any, what: str, expected: str = "real numbers", copy: bool = True) -> np.ndarray:
    """An array of floats, of any shape; InputError, naming `what`, for texts, truth values, None, complex numbers.

    Without `copy` an array of floats is returned as it is, to be read only.
    """
    array = None
    try:
        given = np.asarray(value)
        if given.dtype.kind in "fiu" or given.dtype.kind == "O" and not any(x is None for x in given.flat):
            array = given.astype(float, copy=copy)
    except (TypeError, ValueError):
        pass
    if array is None:
        raise InputError(f"{what} is {value!r}: expected {expected}.")
    return array


def times(value: Any, what: str = "jumps") -> list[float]:
    """Times (s), sorted; InputError, naming `what`, when it is not a list of finite numbers."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{what} is {value!r}: expected a list of times (s), such as {what}=[0.5].")
    return sorted(finite(x, f"a time of `{what}`") for x in value)


def function(value: Any, what: str, arguments: str) -> Any:
    """A function that can be called with `arguments`, "t, q, qd"; InputError, naming `what`, otherwise."""
    if not callable(value):
        raise InputError(f"{what} is {value!r}: expected a function f({arguments}).")
    try:
        signature(value).bind(*arguments.split(", "))
    except TypeError as error:
        raise InputError(f"{what} cannot be called ({error}): expected a function f({arguments}).") from None
    except ValueError:  # one of the builtins that do not tell their arguments
        pass
    return value


def names_of(value: Any, what: str = "names") -> list[str]:
    """A list of names; InputError otherwise."""
    if not isinstance(value, list | tuple) or not all(isinstance(x, str) for x in value):
        raise InputError(f"{what} is {value!r}: expected a list of names, such as {what}=['q1', 'q2'].")
    return list(value)


def unknowns_of(value: Any, what: str = "names") -> list[str]:
    """Names of unknowns, each of which is a column of the result; InputError otherwise."""
    found = names_of(value, what)
    for k, name in enumerate(found):
        if not name.strip() or name == "t" or "." in name or name in found[:k]:
            raise InputError(
                f"{what} has {name!r}: expected different names, none of them empty, none t (which is time), and "
                "without a dot, for run['q1.dot'] is the rate of q1."
            )
    return found


def no_unknown_options(unknown: Iterable[str], function: Any, *others: Any) -> None:
    """InputError for an option that a function does not have, with those that it (and the others) has."""
    known = {
        p.name: None for f in (function, *others) for p in signature(f).parameters.values() if p.kind is p.KEYWORD_ONLY
    }
    for name in unknown:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise InputError(f"{function.__name__} has no option {name!r}: expected one of {', '.join(known)}.{hint}")


def by_name(values: Any, what: str, example: str) -> dict[str, Any]:
    """Values by name, of a dict or of None; InputError, naming `what`, otherwise."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise InputError(f"{what} is {values!r}: expected a dict such as {example}.")
    return {str(key): value for key, value in values.items()}
