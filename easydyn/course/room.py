"""The student's side of a check: it runs the script, and answers questions about its results, with data.

Right results stand in place of wrong ones for the stages that build on them: a mistake counts once. When a stage does
not pass, the student's other functions find functions that ask the check, in place of the wrong ones.

It contains no check and no right answer. In a notebook and on the command line, the check asks it directly. When a
folder is graded, it is a separate process (walls), and another process asks over a pipe and compares::

    {"id": ..., "ask": "call", "of": {"kept": 3}, "with": [...]}   ->   {"id": ..., "value": {"transform": [...]}}

A function that is passed to the student's code, such as the f of an equation, stays in the asking process: a call sends
{"call": number, "with": [...]}, and the value comes back.
"""

from __future__ import annotations

import inspect
import linecache
import runpy
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from inspect import isfunction, signature
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from easydyn.course.plain import Reader, as_json
from easydyn.errors import EasyDynError
from easydyn.inputs import shown
from easydyn.motor import Motor
from easydyn.vec import Tensor, Transform, Vector, as_transform

RUN_NAME = "easydyn_exercise"  # the __name__ of a script that is checked


class Missing(Exception):
    """There is no such name."""


class Refused(Exception):
    """A script that cannot be run: the message, the result, and whether the script is only unfinished."""

    def __init__(self, sentence: str, came: str = "", unfinished: bool = False) -> None:
        super().__init__(sentence)
        self.came, self.unfinished = came, unfinished


class Room:
    """The names of a student's script, and the objects made from them so far.

    `names` are those of the notebook; a script is run by the question "load". `questions` are the functions of the
    exercise's questions.py, `call_back(number, arguments)` calls a function of the one who asks.
    """

    def __init__(self, names: Mapping[str, Any] | None = None, questions: Mapping[str, Any] | None = None,
                 call_back: Callable[[int, list[Any]], Any] | None = None) -> None:  # fmt: skip
        self.names: Mapping[str, Any] = {} if names is None else names
        self.questions = {} if questions is None else questions
        self.call_back = call_back
        self.kept: list[Any] = []
        self.forms: dict[str, Any] = {}  # the last values of the student's functions, by their names
        self.wrong: dict[str, Any] = {}
        self.reader = Reader(self._object_of)

    @property
    def files(self) -> set[str]:
        """The files of the student's code: the script, or the cells of a notebook."""
        own = [x for x in self.names.values() if getattr(x, "__module__", None) == self.names.get("__name__", "")]
        methods = [f for x in own if isinstance(x, type) for f in vars(x).values()]
        codes = [getattr(inspect.unwrap(x), "__code__", None) for x in (*own, *methods) if callable(x)]
        return {code.co_filename for code in codes if code is not None}

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question; it contains an exception that the student's code raises."""
        try:
            return {"value": self.tell(self._answer(question))}
        except Refused as refused:
            return {"unfit": str(refused)[:4000], "came": refused.came, "unfinished": refused.unfinished}
        except Missing:
            return {"missing": True}
        except Exception as raised:
            error = raised if raised.__cause__ is None else raised.__cause__  # what the student's own line raised
            return {"error": type(error).__name__[:80], "said": _words_of(error), "place": line_of(error, *self.files),
                    "kinds": _kinds(type(error))}  # fmt: skip

    def _answer(self, question: Mapping[str, Any]) -> Any:
        ask, of = question["ask"], question.get("of")
        given = self.reader.read({"list": question.get("with", [])})
        if ask == "load":
            self.names = load(Path(given[0]))
            return {name: self.describe(x) for name, x in self.names.items() if not name.startswith("_")}
        if ask == "value":
            if given[0] not in self.names:
                raise Missing
            return self.wrong.get(given[0], self.names[given[0]])  # never what is lent: in a notebook it stands there
        if ask == "mend":
            return self._mend(given[0])
        if ask == "question":
            return self.questions[question["name"]](*given)
        thing = self.reader.read(of)
        if ask == "call":
            value = thing(*given, **{k: self.reader.read(x) for k, x in question.get("options", {}).items()})
            if isfunction(thing):
                self.forms[thing.__name__] = value
            return value
        if ask == "get":
            return getattr(thing, given[0])
        if ask == "item":
            return thing[given[0]]
        if ask == "length":
            return len(thing)
        raise ValueError(ask)

    def _mend(self, rights: dict[str, Any]) -> None:
        """Put what is right in the place of functions of the student; all mean what they did again where none is."""
        for name, own in self.wrong.items():
            own.__globals__[name] = own
        mine = {name: own for name in rights if isfunction(own := self.names.get(name))}
        self.wrong = {name: own for name, own in mine.items() if own.__globals__.get(name) is own}  # else another's
        for name, own in self.wrong.items():
            own.__globals__[name] = in_place_of(own, rights[name], self.forms.get(name))

    def tell(self, value: Any) -> Any:
        """A value as data; what cannot travel is kept here."""
        return as_json(value, self._keep)

    def _keep(self, value: Any) -> dict[str, Any]:
        number = next((k for k, x in enumerate(self.kept[-200:], max(0, len(self.kept) - 200)) if x is value), None)
        if number is None:
            number = len(self.kept)
            self.kept.append(value)
        return {"kept": number} | self.describe(value)

    def describe(self, value: Any) -> dict[str, Any]:
        """The description of a value that stays here."""
        kind = value if isinstance(value, type) else type(value)
        about = {"callable": True, "takes": takes(value)} if callable(value) else {"callable": False}
        return {"kind": kind.__name__[:80], "kinds": _kinds(kind), "class": isinstance(value, type),
                "shown": shown(value)} | about  # fmt: skip

    def _object_of(self, data: dict[str, Any]) -> Any:
        """What stands for an object in a question: one that was kept, or a function of the one who asks."""
        if "kept" in data:
            return self.kept[data["kept"]]
        number, call_back = int(data["function"]), self.call_back

        def function(*arguments: Any) -> Any:
            assert call_back is not None
            return call_back(number, list(arguments))

        return function


def _words_of(error: BaseException) -> str:
    with suppress(Exception):
        return str(error)[:2000]
    return "(what it says cannot be shown)"


def _kinds(kind: type) -> list[str]:
    return [f"{one.__module__}.{one.__qualname__}"[:120] for one in kind.__mro__[:20]]


def takes(value: Any) -> list[Any] | None:
    """The least and the largest number of positional arguments of a function, and their names; None if unknown."""
    with suppress(TypeError, ValueError):  # one that does not tell
        parameters = inspect.signature(value).parameters.values()
        in_order = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        most = 1000 if any(p.kind is p.VAR_POSITIONAL for p in parameters) else len(in_order)
        return [sum(p.default is p.empty for p in in_order), most, [p.name for p in in_order]]
    return None


def load(path: Path) -> dict[str, Any]:
    """Run a student's script and return its names; Refused, with the line, if it stops."""
    try:
        return runpy.run_path(str(path), run_name=RUN_NAME)
    except (SystemExit, Exception) as error:
        place, came = line_of(error, str(path)), type(error).__name__
        if isinstance(error, SystemExit):
            raise Refused(f"Your script ends itself{place}: take out sys.exit or exit.", came) from None
        if isinstance(error, EOFError):
            raise Refused(f"Your script waits for input{place}: write the values into it.", came) from None
        said = error.msg if isinstance(error, SyntaxError) else _words_of(error)
        if "llipsis" in said:
            raise Refused(f"There is still a `...` to be replaced{place}.", unfinished=True) from None
        kind = "" if isinstance(error, EasyDynError) else f"{came}: "
        raise Refused(f"Your script stops{place}: {kind}{said.rstrip('.')}. Mend this first.", "an error") from None


def line_of(error: BaseException, *files: str) -> str:
    """ " in line 12, `x = 1/0`": the deepest line of these files that an error came through."""
    if isinstance(error, SyntaxError) and error.filename in files:
        return f" in line {error.lineno}, `{(error.text or '').strip()[:200]}`"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename in files]
    if not frames or frames[-1].lineno is None:
        return ""
    text = linecache.getline(frames[-1].filename, frames[-1].lineno).strip()[:200]
    return f" in line {frames[-1].lineno}" + (f", `{text}`" if text else "")


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


def in_place_of(own: Callable[..., Any], right: Callable[..., Any], form: Any) -> Callable[..., Any]:
    """A function that gives what is `right` in a `form`; where that gives None, a student's `own` function."""

    @wraps(own)
    def function(*arguments: Any, **options: Any) -> Any:
        given = signature(own).bind(*arguments, **options)
        given.apply_defaults()
        if (value := right(*given.args)) is None:
            return own(*arguments, **options)
        return formed(value, form, {str(s): s for x in flat(given.args) for s in getattr(x, "free_symbols", ())})

    return function


FORMS = (
    (Motor, 6, Motor.of_motion_vector),
    (Transform, 16, lambda x: as_transform(np.reshape(x, (4, 4)), "it")),
    (float, 1, lambda x: float(*x)),
    (Vector | Transform | float | int, 3, lambda x: Vector(*x)),  # a number where a vector belongs
)


def formed(value: Any, form: Any, symbols: dict[str, Any]) -> Any:
    """A `value` in the `form` of another one, if it can have it, with `symbols` that have come back by their names.

    >>> formed([1, 2, 3], (0.5, 0, 0), {})
    (1.0, 2, 3)
    """
    if type(value) in (tuple, list) and not (isinstance(form, Vector) and len(flat(value)) == 3):
        several = isinstance(form, tuple | list) and not isinstance(form, Vector | Transform | Tensor)
        forms = form if several and len(form) == len(value) else [form] * len(value)
        parts = [formed(x, y, symbols) for x, y in zip(value, forms, strict=True)]
        if isinstance(form, np.ndarray) and len({np.shape(x) for x in parts}) == 1:
            return np.array(parts)
        return type(form)(*parts) if hasattr(form, "_fields") and several else type(form if several else value)(parts)
    if named := [s for s in getattr(value, "free_symbols", ()) if str(s) in symbols]:
        return value.subs({s: symbols[str(s)] for s in named})
    for kind, size, make in FORMS:
        if isinstance(form, kind) and len(flat(value)) == size:
            return make(flat(value))
    return value
