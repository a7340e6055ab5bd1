"""Checks on plain numbers that a user gives: each failure is an InputError that names the culprit."""

from __future__ import annotations

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
    if not np.isfinite(number):
        raise InputError(f"{what} is {number}: expected a finite number.")
    return number


def positive(value: Any, what: str) -> float:
    """A finite float above zero; InputError, naming `what`, otherwise."""
    number = finite(value, what)
    if number <= 0:
        raise InputError(f"{what} is {number:g}: expected a number above zero.")
    return number


def state_vector(value: Any, what: str) -> np.ndarray:
    """A fresh array (n,) of finite floats; InputError, naming `what`, otherwise."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r}: expected a list of numbers.") from None
    if array.ndim != 1 or not len(array):
        raise InputError(f"{what} has shape {array.shape}: expected (n,), one value for each coordinate.")
    if not np.isfinite(array).all():
        raise InputError(f"{what}[{int(np.argmin(np.isfinite(array)))}] is not finite: {array}.")
    return array
