"""What the check of an exercise is written with: `@stage("...")`, and the student's `Work`::

    @stage("The position of the hand")
    def hand(work):
        q1, q2 = work.draw(2)
        T = work.transform(work.call("hand", q1, q2))
        work.compare(T.e, expected, mistakes=[(other, "This is ... .")])

The first method of `Work` that is not content raises `Wrong`, which holds what was called, what came, what was expected
and a sentence. Random numbers are the same at every run, and have three decimals,
so that a call can be repeated by hand.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import EasyDynError, IntegrationError
from easydyn.vec import Tensor, Transform, as_transform

SEED = 1788
Mistakes = Iterable[tuple[Any, str]]


class Wrong(Exception):
    """A stage that does not pass: a sentence, with what was called, what came, what was expected.

    Parameters
    ----------
    sentence : str
        What is wrong, for the student to read.
    called, came, expected : str
        The call, its result, and what the result should have been, as they are shown; nothing if left out.
    unfinished : bool
        True where nothing is wrong yet, but a `...` is still to be replaced.

    Example
    -------
    >>> wrong = Wrong("The sign is wrong.", came="-1", expected="1")
    >>> print(wrong, wrong.came)
    The sign is wrong. -1
    """

    def __init__(
        self, sentence: str, *, called: str = "", came: str = "", expected: str = "", unfinished: bool = False
    ) -> None:
        super().__init__(sentence)
        self.called, self.came, self.expected, self.unfinished = called, came, expected, unfinished


@answers
@dataclass(frozen=True)
class Stage:
    """One step of an exercise: its title, and the function that checks it; made by `stage`.

    Parameters
    ----------
    title : str
        What the step is, in a few words.
    function : callable
        It is given the Work, and raises Wrong (or lets methods of Work raise it) when the step does not pass.

    Example
    -------
    >>> named = Stage("A name", lambda work: work.value("x"))
    >>> named.wrong(Work({"x": 1})) is None
    True
    """

    title: str
    function: Callable[[Work], None]

    def wrong(self, work: Work) -> Wrong | None:
        """What is wrong with the `work`, a Wrong; None when the stage passes."""
        try:
            self.function(work)
        except Wrong as wrong:
            return wrong
        except EasyDynError as error:
            return Wrong(f"With your answer easydyn cannot go on: {error}", called=work.called)
        except Exception as error:
            return Wrong(
                f"The check itself stumbled over your answer ({type(error).__name__}: {error}). Is it of the kind that "
                "the statement asks for?",
                called=work.called,
            )
        return None


@answers
def stage(title: str) -> Callable[[Callable[[Work], None]], Stage]:
    """Decorator that makes a Stage, with this `title`, of a function of the Work.

    Stages are checked in the order in which they stand in check.py.

    >>> @stage("The sign")
    ... def sign(work):
    ...     work.require(work.number(work.value("x")) > 0, "x is negative.")
    >>> sign.title, str(sign.wrong(Work({"x": -1})))
    ('The sign', 'x is negative.')
    """
    return lambda function: Stage(title, function)


class Work:
    """What a student has written: names and their values. Its methods raise Wrong, with a sentence for the student.

    Parameters
    ----------
    names : mapping
        The global names of the student's script or notebook.

    Attributes
    ----------
    rng : numpy.random.Generator
        Random numbers, alike at every run.
    called : str
        The last call, as it is shown.

    Example
    -------
    >>> work = Work({"double": lambda x: 2 * x})
    >>> work.number(work.call("double", 1.5)), work.called
    (3.0, 'double(1.5)')
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names
        self.rng = np.random.default_rng(SEED)
        self.called = ""

    def _wrong(self, sentence: str, came: Any, expected: Any) -> Wrong:
        """What is wrong with what was called last."""
        return Wrong(sentence, called=self.called, came=show(came), expected=show(expected))

    def draw(self, count: int, low: float = -1.0, high: float = 1.0) -> list[float]:
        """As many random numbers as `count` says, from `low` to `high`, of three decimals, in any unit."""
        return [round(float(x), 3) for x in self.rng.uniform(low, high, count)]

    @property
    def files(self) -> set[str]:
        """Where the student's lines are: the script, or the cells of a notebook."""
        own = [x for x in self.names.values() if getattr(x, "__module__", None) == self.names.get("__name__", "")]
        methods = [f for x in own if isinstance(x, type) for f in vars(x).values()]
        codes = [getattr(x, "__code__", None) for x in (*own, *methods)]
        return {code.co_filename for code in codes if code is not None}

    # -- what the student has written -----------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """The value of a `name` of the student's, who has written one."""
        self.called = name
        if name not in self.names:
            raise Wrong(
                f"There is no `{name}` in your work yet, or it was renamed: the statement says what it is.",
                expected=f"something called {name}",
                unfinished=True,
            )
        if holes(self.names[name]):
            raise Wrong(f"`{name}` is still to be found: put your answer where the `...` stands.", unfinished=True)
        return self.names[name]

    def call(self, name: str, *arguments: Any) -> Any:
        """What the student's function of this `name` returns for the `arguments`."""
        function = self.value(name)
        if not callable(function):
            sentence = f"`{name}` is no longer a function: keep the line `def {name}(...):` of the exercise."
            raise self._wrong(sentence, function, "a function")
        return self.result(f"{name}({', '.join(show(x) for x in arguments)})", function, *arguments)

    def result(self, called: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a `function` (or a method, a class) returns for the `arguments`, shown as `called`."""
        self.called = called
        try:
            value = function(*arguments)
        except Wrong:
            raise
        except Exception as error:
            place = line_of(error, *self.files)
            if "llipsis" in str(error):
                raise Wrong(f"There is still a `...` to be replaced{place}.", called=called, unfinished=True) from error
            came = "an error" if isinstance(error, EasyDynError) else f"an error, {type(error).__name__}"
            raise Wrong(f"Your function stopped{place}: {error}", called=called, came=came) from error
        if holes(value):
            name = called.partition("(")[0]
            raise Wrong(f"`{name}` is still to be written: put your answer where the `...` stands.", unfinished=True)
        if value is None:
            sentence = "Your function returns nothing: does it end with `return ...` and your result?"
            raise self._wrong(sentence, value, "a result")
        return value

    # -- of which kind it is --------------------------------------------------------------------------------------

    def number(self, value: Any) -> float:
        """A finite real number (in its own unit) of a `value`."""
        return float(self.array(value, (), "one number"))

    def vector(self, value: Any) -> np.ndarray:
        """Three numbers, (3,), of a `value` that is a Vector, a tuple, a list, an array or a SymPy column."""
        return self.array(value, (3,), "a vector of three numbers (x, y, z)")

    def array(self, value: Any, shape: tuple[int, ...], expected: str = "") -> np.ndarray:
        """Finite real numbers (in their own unit) of a `value`, in an array of the `shape`; `expected` describes it."""
        expected = expected or f"numbers in an array of shape {shape}"

        def wrong(sentence: str) -> Wrong:
            return self._wrong(sentence, value, expected)

        symbols, scalars = symbols_of(value), flat(value)
        if symbols:
            raise wrong(f"Your answer still contains {names_of(symbols)}: it is asked for in numbers.")
        if any(complex(x).imag for x in scalars if isinstance(x, complex) or getattr(x, "is_number", False)):
            raise wrong("Your answer is imaginary: is there the root of a negative number?")
        try:
            numbers = [x.real if isinstance(x, complex) else x for x in scalars if not isinstance(x, str)]
            array = np.array(numbers, dtype=float).reshape(np.shape(plain(value)))
        except (TypeError, ValueError):
            raise wrong("Your answer is not made of real numbers.") from None
        if array.size == int(np.prod(shape)) and sorted(x for x in array.shape if x > 1) == [x for x in shape if x > 1]:
            array = array.reshape(shape)
        if array.shape != shape:
            raise wrong(f"Your answer has another shape: {size_of(array)}.")
        if not np.all(np.isfinite(array)):
            raise wrong("Your answer is not finite: is there a division by zero, or the root of a negative number?")
        return array

    def transform(self, value: Any) -> Transform:
        """A rigid transform of numbers, of a `value` that is a Transform or a 4x4 matrix."""
        self.array(getattr(value, "matrix", value), (4, 4), "a transform, such as trotz(q) * tdisp(x, y, z)")
        try:
            return as_transform(value, "your answer")
        except EasyDynError as error:
            expected = "a rotation (orthogonal, right-handed) and a displacement"
            raise self._wrong(f"This is not the matrix of a frame: {error}", value, expected) from None

    def a(self, kind: type | tuple[type, ...], value: Any, expected: str) -> Any:
        """The `value`, in its own unit, when it is of a type, `kind` (or one of several); `expected` describes it."""
        if not isinstance(value, kind):
            raise self._wrong(f"Your answer is of another kind ({type(value).__name__}).", value, expected)
        return value

    def at(self, value: Any, values: Mapping[str, float]) -> np.ndarray:
        """Numbers of an expression, `value` (or of a vector, a matrix of them), in their own unit.

        `values` has one for each symbol, by its name: {"q1": 0.3}.
        """
        strangers = [s for s in symbols_of(value) if str(s) not in values]
        if strangers:
            sentence = f"Your answer contains {names_of(strangers)}, which it should not depend on."
            raise self._wrong(sentence, value, f"an expression of {', '.join(values)}")
        point = ", ".join(f"{name}={x:g}" for name, x in values.items())
        self.called = f"{self.called.split(' at ')[0]} at {point}"
        numbers = [_value(x, values) for x in flat(value)]
        shape = np.shape(plain(value))
        return self.array(numbers[0] if shape == () else np.reshape(numbers, shape), shape)

    # -- whether it is right --------------------------------------------------------------------------------------

    def compare(
        self,
        came: Any,
        expected: Any,
        sentence: str = "",
        *,
        mistakes: Mistakes = (),
        tolerance: float = 1e-6,
        size: float | None = None,
        wanted: str = "",
    ) -> None:
        """Numbers must agree: to `tolerance` relative to the largest of `expected` (or to `size`).

        Parameters
        ----------
        came, expected : number or array of any shape
            What the student has, and what is right, in the same unit.
        sentence : str
            What is said when they differ.
        mistakes : sequence of pairs
            What a typical mistake gives, and what is said of that one instead.
        tolerance : float
            Largest relative difference (no unit).
        size : float, optional
            What differences are relative to, in the unit of the numbers.
        wanted : str
            Shown in place of the right numbers, where these are the answer and could be copied.
        """
        right = np.array(flat(expected), dtype=float)
        given = np.array(flat(came), dtype=float)
        largest = float(np.max(np.abs(right), initial=0.0)) if size is None else size
        allowed = tolerance * (largest if largest > 1e-12 else 1.0)
        if given.shape == right.shape and np.all(np.abs(given - right) <= allowed):
            return
        for value, said in mistakes:
            wrong = np.array(flat(value), dtype=float)
            if wrong.shape == given.shape and np.all(np.abs(given - wrong) <= max(allowed, 1e-9 * np.abs(wrong).max())):
                sentence = said
                break
        raise self._wrong(sentence or "The values differ.", came, wanted or expected)

    def require(self, condition: Any, sentence: str, *, came: Any = "", expected: Any = "") -> None:
        """A `condition` must hold, or the `sentence` is said; `came` and `expected` are shown, in their own unit."""
        if not condition:
            raise self._wrong(sentence, came, expected)

    def simulate(self, model: Any, *arguments: Any, **options: Any) -> Any:
        """A run of the student's `model`; a run that fails is told in the words of easydyn.

        `arguments` and `options` are those of `model.simulate`.
        """
        try:
            return model.simulate(*arguments, **options)
        except IntegrationError as error:
            raise Wrong(f"Your model does not run: {error}", called=self.called) from error


def _value(x: Any, values: Mapping[str, float]) -> Any:
    """The number that an expression is; NaN where it is not real."""
    if not symbols_of(x):
        return x
    z = complex(x.subs({s: values[str(s)] for s in symbols_of(x)}).evalf())
    return z.real if abs(z.imag) <= 1e-12 * abs(z) else float("nan")


def plain(value: Any) -> Any:
    """Nested lists in place of tensors, transforms and SymPy matrices."""
    if isinstance(value, Transform):
        value = value.matrix
    if isinstance(value, sympy.MatrixBase):
        return list(value) if 1 in value.shape else value.tolist()
    if isinstance(value, Tensor):
        return [[value[i, j] for j in range(3)] for i in range(3)]
    if isinstance(value, list | tuple):
        return [plain(x) for x in value]
    return value


def flat(value: Any) -> list[Any]:
    """All scalars of a value, row by row."""
    value = plain(value)
    if isinstance(value, np.ndarray):
        return list(value.ravel())
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]


def symbols_of(value: Any) -> list[Any]:
    """The SymPy symbols in a value."""
    found = {s for x in flat(value) for s in getattr(x, "free_symbols", ())}
    return sorted(found, key=str)


def names_of(symbols: Sequence[Any]) -> str:
    """`q` and `l`, for a sentence."""
    return " and ".join(f"`{s}`" for s in symbols)


def holes(value: Any) -> bool:
    """True where a `...` is left in a `value`, or in one of its entries.

    >>> holes([1, ...]), holes([1, 2])
    (True, False)
    """
    return value is Ellipsis or (isinstance(value, list | tuple) and any(holes(x) for x in value))


def size_of(array: np.ndarray) -> str:
    """2 numbers; 3 x 3 numbers."""
    return "one number" if array.shape == () else " x ".join(map(str, array.shape)) + " numbers"


def show(value: Any) -> str:
    """A value as a person would write it: six digits, rows of a matrix below each other."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_) or value is None:
        return str(value)
    if isinstance(value, int | float | np.number):
        return f"{value:.6g}"
    if isinstance(value, Transform) and not value.free_symbols:
        return show(np.array(value.matrix, dtype=float))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.array2string(value + 0.0, precision=5, suppress_small=True, separator=", ", threshold=40)
    if isinstance(value, list | tuple) and len(value) <= 20:
        return f"({', '.join(show(x) for x in value)})"
    text = repr(value)
    return text if len(text) <= 240 else text[:230] + " ..."


def line_of(error: BaseException, *files: str) -> str:
    """ " in line 12, `x = 1/0`": the deepest line of these files that an error came through."""
    if isinstance(error, SyntaxError) and error.filename in files:
        return f" in line {error.lineno}, `{(error.text or '').strip()}`"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not frames or frames[-1].lineno is None:
        return ""
    text = linecache.getline(frames[-1].filename, frames[-1].lineno).strip()
    return f" in line {frames[-1].lineno}" + (f", `{text}`" if text else "")
