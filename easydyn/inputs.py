"""Checks on plain numbers that a user gives: each failure is an InputError that names the culprit."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from inspect import signature
from math import isfinite, log10
from typing import Any
from unicodedata import category

import numpy as np

from easydyn.errors import InputError, UnknownNameError

LONGEST = 200  # characters of a value in a message


def shown(value: Any) -> str:
    """A value as a message shows it: its repr, cut where it is long, whatever it is."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**15:
        return f"a number of about {int(value.bit_length() * log10(2)) + 1} digits"
    try:
        text = f"{value:.15g}" if isinstance(value, float) else repr(value)
    except Exception as error:  # an object of the user's own
        return f"a {type(value).__name__} (whose repr fails: {type(error).__name__})"
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]} ... {text[-15:]}"


def expect(fits: Any, what: str, value: Any, expected: str, verb: str = "is") -> None:
    """InputError, which says what a `value` is and what was expected, unless it `fits`."""
    if not fits:
        raise InputError(f"{what} {verb} {shown(value)}: expected {expected}.")


def finite(value: Any, what: str) -> float:
    """A finite float; InputError, naming `what`, otherwise."""
    if type(value) is float and isfinite(value):
        return value
    expect(value is not None and not isinstance(value, str | bytes | bool | np.bool_), what, value, "a number")
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.item()
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {shown(value)} ({type(value).__name__}): expected a number.") from None
    except OverflowError:
        raise InputError(f"{what} is {shown(value)}: expected a number below 1.8e308.") from None
    expect(isfinite(number), what, number, "a finite number")
    return number


def positive(value: Any, what: str) -> float:
    """A finite float above zero; InputError, naming `what`, otherwise."""
    number = finite(value, what)
    expect(number > 0, what, number, "a number above zero")
    return number


def pair(value: Any, what: str, such_as: str, verb: str = "is", number: Any = None) -> tuple[float, float]:
    """Two finite numbers, or such as `number` takes; InputError, naming `what`, otherwise."""
    found = list(value) if is_listed(value) else []
    expect(len(found) == 2, what, value, f"two numbers, such as {such_as}", verb)
    return (number or finite)(found[0], f"the first of {what}"), (number or finite)(found[1], f"the second of {what}")


def low_high(value: Any, what: str, verb: str = "are", number: Any = None) -> tuple[float, float]:
    """Two finite numbers, or such as `number` takes, the lower one first; InputError, naming `what`, otherwise."""
    low, high = pair(value, what, "(-1, 1), the lower one first", verb, number)
    expect(low < high, what, value, "the lower one first", verb)
    return low, high


def whole(value: Any, what: str, most: int = 10**9, *, least: int = 1) -> int:
    """A whole number from `least` to `most`; InputError, naming `what`, otherwise."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or value < least:
        reach = "above zero" if least == 1 else f"of {least} or more"
        raise InputError(f"{what} is {shown(value)}: expected a whole number {reach}.")
    expect(value <= most, what, value, f"a whole number from {least} to {most}")
    return int(value)


def state_vector(value: Any, what: str, n: int | None = None) -> np.ndarray:
    """A fresh array (n,) of finite floats, of `n` where it is given; InputError, naming `what`, otherwise."""
    array = real_array(value, what, "a list of numbers")
    expect(array.ndim == 1 and len(array), what, array.shape, "(n,), one value for each coordinate", "has shape")
    if n is not None and len(array) != n:
        raise InputError(f"{what} has {len(array)} values: expected {n}, one for each coordinate.")
    if not isfinite(array.dot(array)) and not np.isfinite(array).all():
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
    except (TypeError, ValueError, OverflowError):
        pass
    expect(array is not None, what, value, expected)
    return array  # type: ignore[return-value]


def due(t: float) -> float:
    """The latest time (s) that is still t: rounding of it, and never less than what can be squared."""
    return t + max(1e-12 * abs(t), 1e-100)


def times(value: Any, what: str = "jumps") -> list[float]:
    """Times (s), sorted; InputError, naming `what`, when it is not a list of finite numbers."""
    expect(is_listed(value), what, value, f"a list of times (s), such as {what}=[0.5]")
    return sorted(finite(x, f"a time of `{what}`") for x in value)


def is_text(value: Any) -> bool:
    """Whether a value is a text to be shown: not empty, without halves or control characters but those of lines."""
    return (
        isinstance(value, str)
        and bool(value.strip())
        and (value.isprintable() or not any(category(c) in ("Cc", "Cs") and c not in "\n\r\t" for c in value))
    )


def text(value: Any, what: str, such_as: str = "") -> str:
    """A text to be shown, a name or a title; InputError, naming `what`, otherwise."""
    expect(is_text(value), what, value, f"a text{such_as and ', such as '}{such_as}")
    return str(value)


def is_listed(value: Any) -> bool:
    """Whether a value can be gone through one by one and is not a text, nor a dict."""
    if type(value) in (list, tuple):
        return True
    if isinstance(value, str | bytes | Mapping | type) or isinstance(value, np.ndarray) and value.ndim == 0:
        return False
    return isinstance(value, Iterable) and not isinstance(value, np.generic)


def listed(value: Any, what: str, of: str) -> list[Any]:
    """What a list (a tuple, a generator, ...) holds; InputError, naming `what`, when it is no list `of` these."""
    expect(is_listed(value), what, value, f"a list of {of}")
    return list(value)


def flag(value: Any, what: str) -> bool:
    """True or False; InputError, naming `what`, otherwise."""
    good = isinstance(value, bool | np.bool_) or isinstance(value, int) and value in (0, 1)
    expect(good, what, value, "True or False")
    return bool(value)


def among(value: Any, choices: Iterable[str]) -> bool:
    """Whether a value is one of these texts."""
    return isinstance(value, str) and value in choices


def a(kind: Any, value: Any, what: str, expected: str) -> Any:
    """A value of a kind (a class, or several); InputError, naming `what`, otherwise."""
    if not isinstance(value, kind):
        raise InputError(f"{what} is {shown(value)} ({type(value).__name__}): expected {expected}.")
    return value


def a_model(value: Any, what: str) -> Any:
    """A Model, by what it can do; InputError, naming `what`, otherwise."""
    if isinstance(value, type) or not (hasattr(value, "mechanism") and hasattr(value, "compile")):
        raise InputError(f"{what} is {shown(value)} ({type(value).__name__}): expected a Model.")
    return value


def is_function(value: Any) -> bool:
    """True for what can be called; symbols can, but only to say that they are none."""
    return callable(value) and not getattr(value, "is_symbol", False)


def function(value: Any, what: str, arguments: str) -> Any:
    """A function that can be called with `arguments`, "t, q, qd"; InputError, naming `what`, otherwise."""
    expect(is_function(value), what, value, f"a function f({arguments})")
    try:
        signature(value).bind(*arguments.split(", "))
    except TypeError as error:
        raise InputError(f"{what} cannot be called ({error}): expected a function f({arguments}).") from None
    except ValueError:  # one of the builtins that do not tell their arguments
        expect(not isinstance(value, type), what, value, f"a function f({arguments})")
    return value


def names_of(value: Any, what: str = "names") -> list[str]:
    """A list of names; InputError otherwise."""
    good = isinstance(value, list | tuple) and all(map(is_text, value))
    expect(good, what, value, f"a list of names, such as {what}=['q1', 'q2']")
    return list(value)


def interactive() -> bool:
    """True in a terminal or a notebook, where somebody gives what is asked, and watches what is told."""
    return "ps1" in vars(sys) or "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", lambda: False)())


def name_in(name: Any, names: Iterable[Any], message: str) -> str:
    """A name among others, as a text; else UnknownNameError, by `told`: {!r} is the name, {} are the others."""
    text, there = str(name), [*map(str, names)]
    if text not in there:
        raise UnknownNameError(message.replace("{}", ", ".join(there) or "none").replace("{!r}", shown(text)))
    return text


def place_of(body: Any, bodies: Iterable[Any]) -> int:
    """The index of a body, given itself or by its name, among some bodies; UnknownNameError otherwise."""
    names = [each.name for each in bodies]
    return names.index(name_in(getattr(body, "name", body), names, "there is no body {!r}: the bodies are {}."))


def coordinates_of(value: Any, what: str, known: Sequence[Any]) -> list[str]:
    """Names of coordinates, of a list of names or symbols; UnknownNameError for one that is not `known`."""
    message = f"{what} has {{!r}}: expected coordinates, of {{}}."
    return [name_in(x, known, message) for x in listed(value, what, "names of coordinates")]


def unknowns_of(value: Any, what: str = "names") -> list[str]:
    """Names of unknowns, each of which is a column of the result; InputError otherwise."""
    found, seen = names_of(value, what), set[str]()
    for name in found:
        if not name.strip() or name == "t" or "." in name or name in seen:
            raise InputError(
                f"{what} has {name!r}: expected different names, none of them empty, none t (which is time), and "
                "without a dot, for run['q1.dot'] is the rate of q1."
            )
        seen.add(name)
    return found


def by_name(values: Any, what: str, example: str) -> dict[str, Any]:
    """Values by name, of a dict or of None; InputError, naming `what`, otherwise."""
    values = {} if values is None else values
    expect(isinstance(values, Mapping), what, values, f"a dict such as {example}")
    return {str(key): value for key, value in values.items()}
