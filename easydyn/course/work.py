"""Tools for the check of an exercise: `@stage("...")`, and the student's `Work`::

    @stage("The position of the hand")
    def hand(work):
        work.answers("hand", work.inputs(4, 2), lambda q1, q2: (L*cos(q1 + q2), L*sin(q1 + q2), 0), "Where is it at 0?",
                     mistakes=[(lambda q1, q2: ..., "This is ... .")])

The first method of `Work` that finds an error raises `Wrong`, with the call, its result, the expected result and a
message. The check asks for the student's results (asking.py): it gets plain values, and a `Kept` for each object that
stays with the student. Random numbers are the same in every run unless a seed is given. They have three decimals, so
that a call can be repeated by hand.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.course.asking import Asking, Failed, Kept, here
from easydyn.course.diagnosis import limits, of_inputs, of_values
from easydyn.course.plain import Unreadable
from easydyn.course.room import Missing, flat, plain
from easydyn.errors import EasyDynError
from easydyn.inputs import shown, whole
from easydyn.vec import Tensor, Transform, as_transform

SEED = 1788


class Wrong(Exception):
    """A stage that does not pass: a message, with the call, its result and the expected result.

    Parameters
    ----------
    sentence : str
        The message to the student.
    called, came, expected : str
        The call, its result, and the expected result, as text; not shown if left out.
    unfinished : bool
        True if the only problem is a `...` that must still be replaced.
    recognised : bool
        True if the message describes a recognised mistake, and needs no hint.

    Example
    -------
    >>> wrong = Wrong("The sign is wrong.", came="-1", expected="1")
    >>> print(wrong, wrong.came)
    The sign is wrong. -1
    """

    def __init__(self, sentence: str, *, called: str = "", came: str = "", expected: str = "",
                 unfinished: bool = False, recognised: bool = False) -> None:  # fmt: skip
        super().__init__(sentence)
        self.called, self.came, self.expected = called, came, expected
        self.unfinished, self.recognised = unfinished, recognised


@answers
@dataclass(frozen=True)
class Stage:
    """One step of an exercise: its title, and the function that checks it; made by `stage`.

    Parameters
    ----------
    title : str
        The name of the step, in a few words.
    function : callable
        A function of the Work. It raises Wrong (or lets methods of Work raise it) if the step does not pass.
    together : bool, optional
        Whether nothing is to be written for it: it passes only where a step before it does.

    Example
    -------
    >>> named = Stage("A name", lambda work: work.value("x"))
    >>> named.wrong(Work({"x": 1})) is None
    True
    """

    title: str
    function: Callable[[Work], None]
    together: bool = False

    def wrong(self, work: Work) -> Wrong | None:
        """The Wrong of a `work` that does not pass; None if the stage passes."""
        try:
            self.function(work)
        except Wrong as wrong:
            return wrong
        except Failed as failed:
            return work._stumbled(failed)
        except Unreadable as error:
            return Wrong(f"What your script answers cannot be read ({error}).", called=work.called)
        except EasyDynError as error:
            return Wrong(f"With your answer easydyn cannot go on: {error}", called=work.called)
        except Exception as error:
            said = f"The check itself stumbled over your answer ({type(error).__name__}: {error})."
            return Wrong(f"{said} Is it of the kind that the statement asks for?", called=work.called)
        return None


@answers
def stage(title: str, *, together: bool = False) -> Callable[[Callable[[Work], None]], Stage]:
    """Decorator that makes a Stage, with this `title`, of a function of the Work.

    Stages are checked in the order in which they stand in check.py. One that puts what is written before `together`
    passes only where a stage before it does.

    >>> @stage("The sign")
    ... def sign(work):
    ...     work.require(work.number(work.value("x")) > 0, "x is negative.")
    >>> sign.title, str(sign.wrong(Work({"x": -1})))
    ('The sign', 'x is negative.')
    """
    return lambda function: Stage(title, function, together)


class Work:
    """The names and values of a student's script; its methods raise Wrong, with a message for the student.

    Parameters
    ----------
    names : mapping or Asking
        The global names of the student's script or notebook; or an Asking for them.
    seed : int, optional
        Seed of the random numbers; if left out, they are the same in every run.
    questions : mapping, optional
        The functions of the exercise's `questions.py`, for `ask`.

    Attributes
    ----------
    rng : numpy.random.Generator
        Random numbers.
    called : str
        The last call, as text.
    rights : dict
        For names of the student that the stage compares, the functions that are right.
    wrong : frozenset of str
        The names of the student that an earlier stage found wrong; other functions of the student find the right ones.

    Example
    -------
    >>> work = Work({"double": lambda x: 2 * x})
    >>> work.number(work.call("double", 1.5)), work.called
    (3.0, 'double(1.5)')
    """

    def __init__(
        self, names: Mapping[str, Any] | Asking, seed: int | None = None, questions: Mapping[str, Any] | None = None
    ) -> None:
        self.asking = names if isinstance(names, Asking) else here(names, {} if questions is None else questions)
        self.rng = np.random.default_rng(SEED if seed is None else whole(seed, "the seed", 2**63, least=0))
        self.called = ""
        self.rights: dict[str, Callable[..., Any]] = {}
        self.wrong: frozenset[str] = frozenset()

    def _wrong(self, sentence: str, came: Any, expected: Any, recognised: bool = True) -> Wrong:
        """What is wrong with what was called last; most sentences need no hint beside them."""
        return Wrong(sentence, called=self.called, came=show(came), expected=show(expected), recognised=recognised)

    def draw(self, count: int, low: float = -1.0, high: float = 1.0) -> list[float]:
        """Draw `count` random numbers from `low` to `high`, with three decimals, in any unit."""
        return [round(float(x), 3) for x in self.rng.uniform(low, high, count)]

    def inputs(self, count: int, size: int, low: float = -2.0, high: float = 2.0) -> list[tuple[float, ...]]:
        """Arguments for `count` calls, each of `size` random numbers from `low` to `high`, in any unit.

        The first two calls have numbers above and below the middle, so that both signs occur if they are possible.
        """
        middle = (low + high) / 2
        halves = [self.draw(size, *((middle, high) if k % 2 else (low, middle))) for k in range(min(count, 2))]
        return [tuple(x) for x in halves[::-1]] + [tuple(self.draw(size, low, high)) for _ in range(count - 2)]

    # -- what the student has written -----------------------------------------------------------------------------

    def value(self, name: str) -> Any:
        """The value of a `name` of the student; Wrong if it is missing."""
        self.called = name
        try:
            value = self.asking.ask("value", None, name)
        except Missing:
            sentence = f"There is no `{name}` in your work yet, or it was renamed: the statement says what it is."
            raise Wrong(sentence, expected=f"something called {name}", unfinished=True) from None
        if holes(value):
            raise Wrong(f"`{name}` is still to be found: put your answer where the `...` stands.", unfinished=True)
        return value

    def call(self, name: str, *arguments: Any) -> Any:
        """The result of the student's function `name` for the `arguments`."""
        function = self.value(name)
        if not (isinstance(function, Kept) and function.kept_.get("callable")):
            sentence = f"`{name}` is no longer a function: keep the line `def {name}(...):` of the exercise."
            raise self._wrong(sentence, function, "a function")
        return self.result(f"{name}({', '.join(map(_typed, arguments))})", function, *arguments)

    def result(self, called: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """The result of a `function` (or a method, a class) of the student for the `arguments`, shown as `called`."""
        self.called = called
        name = called.partition("(")[0]
        takes = function.kept_.get("takes") if isinstance(function, Kept) else None
        counts = takes[:2] if isinstance(takes, list) and all(isinstance(x, int) for x in takes[:2]) else None
        if counts and not counts[0] <= len(arguments) <= counts[1]:
            sentence = f"`{name}` takes another number of arguments: keep the line `def {name}(...):` of the exercise."
            wanted = len(arguments)
            raise self._wrong(sentence, f"a function of {_some(counts[0])}", f"a function of {_some(wanted)}")
        try:
            value = function(*arguments)
        except Failed as failed:
            raise self._stumbled(failed) from None
        if holes(value):
            raise Wrong(f"`{name}` is still to be written: put your answer where the `...` stands.", unfinished=True)
        if value is None:
            raise self._wrong(NOTHING, value, "a result")
        return value

    def ask(self, question: str, *arguments: Any) -> Any:
        """The result of a function (`question`) of the exercise's questions.py for `arguments`, on the student's side.

        The function must not contain the right answer. Numbers are in their own unit.
        """
        return self.asking.ask("question", None, question, *arguments)

    def _stumbled(self, failed: Failed) -> Wrong:
        """What is said when the student's lines raise an error."""
        if "llipsis" in failed.said:
            sentence = f"There is still a `...` to be replaced{failed.place}."
            return Wrong(sentence, called=self.called, unfinished=True)
        if "gives None (NoneType)" in failed.said:
            return self._wrong(NOTHING, None, "a result")
        if failed.of_easydyn and not failed.place:
            return Wrong(f"With your answer easydyn cannot go on: {failed.said}", called=self.called)
        said = failed.said + advice(failed.said)
        came = "an error" if failed.of_easydyn else f"an error, {failed.kind}"
        return Wrong(f"Your function stopped{failed.place}: {said}", called=self.called, came=came, recognised=True)

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
        self._is_data(value, expected)
        if symbols:
            raise wrong(f"Your answer still contains {names_of(symbols)}: it is asked for in numbers.")
        if any(_imaginary(x) for x in scalars if isinstance(x, complex) or getattr(x, "is_number", False)):
            raise wrong("Your answer is imaginary: is there the root of a negative number?")
        try:
            numbers = [x.real if isinstance(x, complex) else x for x in scalars if not isinstance(x, str)]
            array = np.array(numbers, dtype=float).reshape(np.shape(plain(value)))
        except (TypeError, ValueError):
            raise wrong("Your answer is not made of real numbers.") from None
        except OverflowError:
            raise wrong("Your answer is larger than any number that Python calculates with.") from None
        if [x for x in array.shape if x > 1] == [x for x in shape if x > 1] and array.size == int(np.prod(shape)):
            array = array.reshape(shape)  # a row or a column is as good as a list
        if array.shape != shape:
            if array.shape == shape[::-1]:
                raise wrong("Rows and columns of your answer are exchanged: transpose it.")
            raise wrong(f"Your answer has another shape: {size_of(array)}.")
        if not np.all(np.isfinite(array)):
            raise wrong("Your answer is not finite: is there a division by zero, or the root of a negative number?")
        return array

    def _is_data(self, value: Any, expected: str) -> None:
        """Refuse a function, a Model and the like where numbers or expressions are asked for."""
        for kept in flat(value):
            if isinstance(kept, Kept):
                self.a((), kept, expected)

    def transform(self, value: Any) -> Transform:
        """A rigid transform of numbers, of a `value` that is a Transform or a 4x4 matrix."""
        self.array(getattr(value, "matrix", value), (4, 4), "a transform, such as trotz(q) * tdisp(x, y, z)")
        try:
            return as_transform(value, "your answer")
        except EasyDynError as error:
            expected = "a rotation (orthogonal, right-handed) and a displacement"
            raise self._wrong(f"This is not the matrix of a frame: {error}", value, expected) from None

    def a(self, kind: type | tuple[type, ...], value: Any, expected: str) -> Any:
        """The `value`, in its own unit, if it has the type `kind` (or one of several); `expected` describes it."""
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not (value.is_a(*kinds) if isinstance(value, Kept) else isinstance(value, kinds)):
            name = value.kept_.get("kind") if isinstance(value, Kept) else type(value).__name__
            if isinstance(value, Kept) and value.kept_.get("class"):
                name = f"the class {name} itself"
            raise self._wrong(f"Your answer is of another kind ({name}).", value, expected)
        return value

    def several(self, value: Any, count: int, expected: str) -> list[Any]:
        """The `count` values (each in its own unit) of a `value` that is a tuple, a list or an array.

        `expected` describes it.
        """
        if not isinstance(value, tuple | list | np.ndarray) or isinstance(value, Tensor) or len(value) != count:
            number = len(value) if isinstance(value, tuple | list | np.ndarray) else 1
            sentence = f"Your function returns {_some(number, 'value')}, {count} are asked for: return {expected}."
            raise self._wrong(sentence, value, f"({expected})")
        return list(value)

    def at(self, value: Any, values: Mapping[str, float]) -> np.ndarray:
        """Numbers of an expression, `value` (or of a vector, a matrix of them), in their own unit.

        `values` has one for each symbol, by its name: {"q1": 0.3}.
        """
        self._is_data(value, f"an expression of {', '.join(values)}")
        strangers = [s for s in symbols_of(value) if str(s) not in values]
        if strangers:
            sentence = f"Your answer contains {names_of(strangers)}, which it should not depend on."
            raise self._wrong(sentence, value, f"an expression of {', '.join(values)}")
        point = ", ".join(f"{name}={x:g}" for name, x in values.items())
        self.called = f"{self.called.split(' at ')[0]} at {point}"
        numbers, shape = [_value(x, values) for x in flat(value)], np.shape(plain(value))
        return self.array(numbers[0] if shape == () else np.reshape(numbers, shape), shape)

    # -- whether it is right --------------------------------------------------------------------------------------

    def compare(
        self, came: Any, expected: Any, sentence: str = "", *, mistakes: Iterable[tuple[Any, str]] = (),
        tolerance: float = 1e-6, size: Any = None, wanted: str = "", enough: bool = False,
    ) -> None:  # fmt: skip
        """Require that numbers agree, each to `tolerance` relative to the expected one (or to `size`).

        Parameters
        ----------
        came, expected : number or array of any shape
            The student's numbers, and the right ones, in the same unit.
        sentence : str
            The message if they differ.
        mistakes : sequence of pairs
            The result of a typical mistake, and the message for it.
        tolerance : float
            Largest relative difference (no unit). Where zero is expected, it is relative to the largest number.
        size : float or array, optional
            What differences are relative to, in the unit of the numbers: one number, or one for each.
        wanted : str
            Text in place of the right numbers, if these are the answer and could be copied.
        enough : bool
            True where the sentence needs no hint beside it.
        """
        right, given = _numbers(expected), _numbers(came)
        allowed = limits(right[None], tolerance, size)
        if not _agrees(given, right, allowed[0]):
            said = _explained(given[None], right[None], allowed, (([_numbers(x)], y) for x, y in mistakes), tolerance)
            sentence = said or sentence or "The values differ."
            raise self._wrong(sentence, came, wanted or expected, recognised=enough or bool(said))

    def answers(
        self, name: str, inputs: Iterable[Any], right: Callable[..., Any], sentence: str,
        mistakes: Iterable[tuple[Callable[..., Any], str]] = (), *, tolerance: float = 1e-6, size: Any = None,
        wanted: str = "", take: Callable[[Any], Any] | None = None, ask: Callable[..., Any] | None = None,
        enough: bool = False,
    ) -> None:  # fmt: skip
        """Require that the student's function (or expression) agrees with the right one at all inputs.

        A mistake is recognised if it gives the student's answers at *all* inputs. Common mistakes are recognised
        automatically: a sign, a factor 2, degrees, exchanged components or arguments.

        Parameters
        ----------
        name : str
            Name of the student's function; or of an expression, if the inputs are mappings.
        inputs : iterable
            For each call its arguments, a tuple; or numbers by the names of symbols, {"q": 0.3}.
        right : callable
            A function that gives the right answer for the same arguments (or the mapping): a number, a vector, an
            array, a Transform, in the unit of the answer. The student's answer must have the same form.
        sentence : str
            The message if the answers differ, and no mistake is recognised.
        mistakes : iterable of pairs
            A function like `right` that gives the answer of a typical mistake, and the message for it.
        tolerance : float
            Largest relative difference (no unit) of each component, relative to the largest value that it has at the
            inputs, and to the largest component at one input if that is smaller.
        size : float or array, optional
            What differences are relative to, in the unit of the answer: one number, or one for each component.
        wanted : str
            Text in place of the right answer, if it could be copied.
        take : callable, optional
            A function that takes the compared part from the student's answer: `lambda came: came[0]`.
        ask : callable, optional
            A function that gives the answer, if it is not an object of the student called `name`: `lambda q:
            system.frames(0, q)[0]`; for inputs that are mappings, `lambda: model.mechanism.equations[0]`. Then `name`
            is shown, with the arguments in place of `{}`.
        enough : bool
            True where the sentence needs no hint beside it.
        """

        def answer(given: Any) -> Any:
            if isinstance(given, Mapping):
                value = self.value(name) if ask is None else ask()
                self.called = name
                return self.at(value, given)
            if ask is None:
                return self.call(name, *given)
            self.called = name.format(*map(_typed, given))
            return ask(*given)

        if ask is None:
            self.rights.setdefault(name, right)
        seen: list[tuple[str, np.ndarray, np.ndarray, Any, Any]] = []
        wrong, points = None, list(inputs)
        for given in points:
            expected = right(given) if isinstance(given, Mapping) else right(*given)
            try:
                came = answer(given)
                came = self._like(expected, came if take is None else take(came))
            except (Wrong, Failed) as found:
                wrong = found
                break
            seen.append((self.called, _numbers(came), _numbers(expected), came, expected))
        if len({one[2].shape for one in seen}) == 1:
            allowed = list(limits(np.array([one[2] for one in seen]), tolerance, size))
        else:
            allowed = [limits(one[2][None], tolerance, size)[0] for one in seen]
        first = next((k for k, one in enumerate(seen) if not _agrees(one[1], one[2], allowed[k])), None)
        if first is None:
            if wrong is not None:
                raise wrong
            return
        points = points[: len(seen)]
        if ask is not None:
            names = list(inspect.signature(ask).parameters)
        else:
            names = [] if isinstance(points[0], Mapping) else names_in(self.value(name))
        self.called, came, expected = seen[first][0], *seen[first][3:]
        given_all, right_all = np.array([one[1] for one in seen]), np.array([one[2] for one in seen])

        def fits(k: int, given: Any) -> bool:
            values = _at_all(right, [given])
            return values is not None and _is_mistake(given_all[k], values[0], allowed[k], tolerance)

        known = ((_at_all(function, points), said) for function, said in mistakes)
        said = _explained(given_all, right_all, allowed, known, tolerance) or of_inputs(points, fits, names)
        raise self._wrong(said or sentence, came, wanted or expected, recognised=enough or bool(said))

    def _like(self, expected: Any, came: Any) -> Any:
        """What came (in its own unit), of the form that `expected` has: Transform, number, vector or array."""
        if isinstance(expected, Transform):
            return np.array(self.transform(came).matrix, dtype=float)
        shape = np.shape(np.array(plain(expected), dtype=float))
        return self.number(came) if shape == () else self.vector(came) if shape == (3,) else self.array(came, shape)

    def right(self, name: str, function: Callable[..., Any]) -> None:
        """Say which `function` is right for a `name` of the student's, with values in their own unit, for later stages.

        If this stage does not pass, the student's other functions find it in place of their own. Those that `answers`
        compares as a whole are known already. It must also take SymPy symbols if the student's may be called with them.
        """
        self.rights[name] = function

    def either(self, *judgements: Callable[[], None]) -> None:
        """Require that one of several `judgements` passes; otherwise the first says what is wrong.

        The others are judgements by what the student's own earlier stages give, so that a mistake there counts once.
        """
        try:
            judgements[0]()
        except (Wrong, Failed):
            for judgement in judgements[1:]:
                with suppress(Wrong, Failed):
                    return judgement()
            raise

    def require(self, condition: Any, sentence: str, *, came: Any = "", expected: Any = "") -> None:
        """Require a `condition`, or raise the `sentence`; `came` and `expected` are shown, in their own unit."""
        if not condition:
            raise self._wrong(sentence, came, expected)

    def simulate(self, model: Any, *arguments: Any, **options: Any) -> Any:
        """Run the student's `model`; if the run fails, the message of easydyn is shown.

        `arguments` and `options` are those of `model.simulate`.
        """
        try:
            return model.simulate(*arguments, **options)
        except Failed as failed:
            if "easydyn.errors.IntegrationError" not in failed.kinds:
                raise self._stumbled(failed) from None
            raise Wrong(f"Your model does not run: {failed.said}", called=self.called) from None


NOTHING = "Your function returns nothing: does it end with `return ...` and your result?"
ADVICE = {
    r"expression to float|has no callable|is a symbol and no number|be real number, not (?!Vector|list|tuple|str|None)":
        "functions of `math` and `numpy` want numbers: take sin, cos and sqrt from SymPy, or the methods of vectors",
    r"can't multiply sequence|unsupported operand .*'(list|tuple)'|concatenate (list|tuple)":
        "a tuple or a list is no vector: vcoord(x, y, z) is one, and numpy.array(...)",
    r"FunctionClass|'function' and|and 'function'|not function|'builtin_function_or_method'":
        "this is a function, which has to be called: is there a pair of brackets missing?",
    r"cannot access local variable|referenced before assignment":
        "what is assigned in a function is its own: `nonlocal` before it takes the one of the function around",
    r"math domain error|expected a (nonnegative|positive) input|a number in range from -1":
        "the root or logarithm of a negative number, or asin and acos of more than 1: look at the signs in it",
    r"'Node'|truth value of Relational":
        "formulas and machine code are made of these lines: + - * / ** and the methods of vectors, no `if`",
}  # fmt: skip


def advice(said: str) -> str:
    """Advice for an error message of Python, `said`; empty if there is none."""
    return next((f" ({help})" for pattern, help in ADVICE.items() if re.search(pattern, said)), "")


def _imaginary(x: Any) -> bool:
    """Whether the imaginary part of a number is more than a rounding error."""
    z = complex(x)
    return abs(z.imag) > 1e-12 * max(1.0, abs(z.real))


def _numbers(value: Any) -> np.ndarray:
    """All numbers of a value in a row."""
    return np.array(flat(value), dtype=float)


def _agrees(came: np.ndarray, other: np.ndarray, allowed: np.ndarray) -> bool:
    """Whether numbers are others, but for what is allowed to each."""
    return came.shape == other.shape and bool(np.all(np.abs(came - other) <= allowed))


def _is_mistake(came: np.ndarray, other: np.ndarray, allowed: np.ndarray, tolerance: float) -> bool:
    """Whether numbers are those of a mistake, which may be larger than the right ones."""
    if came.shape != other.shape or other.shape != allowed.shape or not np.all(np.isfinite(other)):
        return False
    return _agrees(came, other, np.maximum(np.maximum(allowed, tolerance * np.abs(other)),
                                           1e-9 * np.max(np.abs(other), initial=0.0)))  # fmt: skip


def _explained(given: np.ndarray, right: np.ndarray, allowed: Sequence[np.ndarray] | np.ndarray,
               mistakes: Iterable[tuple[list[np.ndarray] | None, str]], tolerance: float) -> str:  # fmt: skip
    """What is said of the mistake, of the exercise or a common one, that gives all answers (a row for each input)."""
    for values, said in mistakes:
        if values is not None and all(_is_mistake(*one, tolerance) for one in zip(given, values, allowed)):
            return said
    return of_values(given, right, tolerance)


def _at_all(function: Callable[..., Any], points: Sequence[Any]) -> list[np.ndarray] | None:
    """Numbers of a function at all inputs; None where it has none."""
    try:
        with np.errstate(all="ignore"):
            return [_numbers(function(p) if isinstance(p, Mapping) else function(*p)) for p in points]
    except (ArithmeticError, ValueError, TypeError, LookupError):  # other inputs than those drawn have none
        return None


def _typed(value: Any) -> str:
    """An argument, as it can be typed; a function by its name, which may be its text."""
    if isinstance(value, Transform):
        return str(value)
    return getattr(value, "__name__", "f") if callable(value) and not isinstance(value, Kept) else show(value)


def names_in(function: Any) -> list[str]:
    """The names of the arguments of a student's function."""
    takes = function.kept_.get("takes") if isinstance(function, Kept) else None
    names = takes[2] if isinstance(takes, list) and len(takes) == 3 and isinstance(takes[2], list) else []
    return [name if isinstance(name, str) and name.isidentifier() and len(name) < 20 else "" for name in names]


def _some(count: int, what: str = "argument") -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _value(x: Any, values: Mapping[str, float]) -> Any:
    """The number that an expression is; NaN where it is not real."""
    if not symbols_of(x):
        return x
    z = complex(x.subs({s: values[str(s)] for s in symbols_of(x)}).evalf())
    return z.real if abs(z.imag) <= 1e-12 * abs(z) else float("nan")


def symbols_of(value: Any) -> list[Any]:
    """The SymPy symbols in a value."""
    found = {s for x in flat(value) if not isinstance(x, Kept) for s in getattr(x, "free_symbols", ())}
    return sorted(found, key=str)


def names_of(symbols: Sequence[Any]) -> str:
    """Names for a sentence, such as "`q` and `l`"."""
    return " and ".join(f"`{s}`" for s in symbols)


def holes(value: Any) -> bool:
    """True where a `...` is left in a `value`, or in one of its entries.

    >>> holes([1, ...]), holes([1, 2])
    (True, False)
    """
    return value is Ellipsis or (isinstance(value, list | tuple) and any(holes(x) for x in value))


def size_of(array: np.ndarray) -> str:
    """The size of an array in words: "2 numbers", "3 x 3 numbers"."""
    return "one number" if array.shape == () else " x ".join(map(str, array.shape)) + " numbers"


def show(value: Any) -> str:
    """A value as a person would write it: six digits, rows of a matrix below each other."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_) or value is None:
        return str(value)
    if isinstance(value, int | float | np.number):
        return shown(value) if isinstance(value, int) and value.bit_length() > 1000 else f"{value:.6g}"
    if isinstance(value, Transform) and not value.free_symbols:
        return show(np.array(value.matrix, dtype=float))
    if isinstance(value, np.ndarray) and value.dtype != object:
        return np.array2string(value + 0.0, precision=5, suppress_small=True, separator=", ", threshold=40)
    if isinstance(value, list | tuple) and len(value) <= 20:
        inside = ", ".join(show(x) for x in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside},)" if len(value) == 1 else f"({inside})"
    return shown(value)
