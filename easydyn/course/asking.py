"""Questions of a check to the student's side (room.py), directly or over pipes, and objects that stay there.

A `Kept` stands for a Model, a function or a class of the student. Its attributes, items and calls are questions:
`model.compile().mass_matrix(0, q)` gives an array. All answers come from the student's side: a check takes numbers from
them, and compares these with its own results.

Over two pipes, a line of JSON each, a checking process asks (`over`) and a student's answers (`serve`). Every question
has its own random number, and the answer must contain it. An answer without a question, a second answer, or an answer
in another form ends the check; it cannot make a stage pass.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Any

from easydyn.course.plain import Reader, Unreadable, as_json
from easydyn.course.room import Missing, Refused, Room


class Failed(Exception):
    """An exception of the student's code: its `kind`, the names of its `kinds`, its message `said`, and the line."""

    def __init__(self, kind: str, kinds: list[str], said: str, place: str) -> None:
        super().__init__(said)
        self.kind, self.kinds, self.said, self.place = kind, kinds, said, place

    @property
    def of_easydyn(self) -> bool:
        """True for errors of easydyn, whose messages need no class name."""
        return "easydyn.errors.EasyDynError" in self.kinds


class Ended(BaseException):
    """The student's process has ended."""


class Kept:
    """An object that stays on the student's side: a Model, a function, a class; its attributes and calls are questions.

    `kept_` describes it: kind, kinds, whether it can be called and with how many arguments, how it is shown.
    """

    def __init__(self, asked: Asking, number: int, about: Mapping[str, Any]) -> None:
        self.asking_, self.number_, self.kept_ = asked, number, about

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.asking_.ask("get", self, name)

    def __getitem__(self, key: Any) -> Any:
        return self.asking_.ask("item", self, key)

    def __len__(self) -> int:
        return int(self.asking_.ask("length", self))

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return self.asking_.ask("call", self, *arguments, **options)

    def __repr__(self) -> str:
        return str(self.kept_.get("shown", ""))[:240]

    def is_a(self, *kinds: type) -> bool:
        """True if it is of one of the kinds, according to the student's side."""
        names = self.kept_.get("kinds", [])
        return any(f"{kind.__module__}.{kind.__qualname__}" in names for kind in kinds)


class Asking:
    """Questions to a room; `send(question)` returns the answer, `functions` are those that were handed over."""

    def __init__(self, send: Callable[[dict[str, Any]], Any]) -> None:
        self.send = send
        self.functions: list[Callable[..., Any]] = []
        self.reader = Reader(self._kept)

    def ask(self, kind: str, of: Kept | None = None, *given: Any, **options: Any) -> Any:
        """The answer to a question; Failed if the student's code raises an error, Unreadable if it is not valid."""
        question: dict[str, Any] = {"ask": kind, "with": [as_json(x, self._handed) for x in given]}
        if kind == "question":
            question |= {"name": question["with"].pop(0)}
        if of is not None:
            question["of"] = {"kept": of.number_}
        if options:
            question["options"] = {k: as_json(x, self._handed) for k, x in options.items()}
        answer = self.send(question)
        if "missing" in answer:
            raise Missing
        if "unfit" in answer:
            raise Refused(str(answer["unfit"]), str(answer.get("came", "")), bool(answer.get("unfinished")))
        if "error" in answer:
            kinds = answer.get("kinds")
            kinds = [str(x) for x in kinds] if isinstance(kinds, list) else []
            said, place = str(answer.get("said", ""))[:2000], str(answer.get("place", ""))[:400]
            raise Failed(str(answer["error"])[:80], kinds, said, place)
        if "value" not in answer:
            raise Unreadable("no answer")
        return self.reader.read(answer["value"])

    def mend(self, rights: Mapping[str, Callable[..., Any]]) -> bool:
        """Put what is right in place of functions of the student, for what builds on them; nothing else is replaced.

        False if the student's side has not done so.
        """

        def if_it_can(right: Callable[..., Any]) -> Callable[..., Any]:
            def function(*arguments: Any) -> Any:
                with suppress(Exception):  # it has no value there
                    return right(*arguments)

            return function

        with suppress(Failed, Missing, Refused, Unreadable):
            self.ask("mend", None, {name: if_it_can(right) for name, right in rights.items()})
            return True
        return False

    def called_back(self, number: Any, given: Any) -> Any:
        """The value, as data, of a function that was handed over."""
        if not (isinstance(number, int) and 0 <= number < len(self.functions)):
            raise Unreadable("no such function")
        return as_json(self.functions[number](*self.reader.read({"list": given})), self._handed)

    def _handed(self, value: Any) -> dict[str, Any]:
        if isinstance(value, Kept):
            return {"kept": value.number_}
        if not callable(value):
            raise TypeError(f"a {type(value).__name__} cannot be handed to the student's side: expected plain values")
        if value not in self.functions:
            self.functions.append(value)
        return {"function": self.functions.index(value)}

    def _kept(self, data: dict[str, Any]) -> Kept:
        if not isinstance(data.get("kept"), int):
            raise Unreadable("no form of an answer")
        return Kept(self, data["kept"], data)


def here(names: Mapping[str, Any] | None, questions: Mapping[str, Any]) -> Asking:
    """Questions to names of this process: a notebook, a script that checks itself."""

    def call_back(number: int, given: list[Any]) -> Any:
        return room.reader.read(asking.called_back(number, [room.tell(x) for x in given]))

    room = Room(names, questions, call_back)
    asking = Asking(room.answer)
    return asking


LONGEST = 16 * 2**20  # bytes of a line


def say(stream: IO[bytes], **words: Any) -> None:
    """Send a line; Ended if nobody reads it."""
    try:
        stream.write(json.dumps(words).encode() + b"\n")
        stream.flush()
    except (OSError, ValueError):
        raise Ended from None


def hear(stream: IO[bytes]) -> dict[str, Any]:
    """The next line; Ended if there is none, Unreadable if it is not valid."""
    try:
        line = stream.readline(LONGEST)
    except (OSError, ValueError):
        raise Ended from None
    if not line:
        raise Ended
    if not line.endswith(b"\n"):
        raise Unreadable("too long" if len(line) >= LONGEST else "cut off")
    words = None
    with suppress(ValueError, RecursionError):
        words = json.loads(line)
    if not isinstance(words, dict):
        raise Unreadable("no line of the protocol")
    return words


def over(questions: IO[bytes], answers: IO[bytes]) -> Asking:
    """An Asking for a student's process, which reads `questions` and writes `answers`."""

    def send(question: dict[str, Any]) -> Any:
        number = secrets.token_hex(8)
        say(questions, id=number, **question)
        while True:
            said = hear(answers)
            if said.get("id") != number:
                raise Unreadable("it was not asked")
            if "call" not in said:
                return said
            try:
                answer = {"value": asking.called_back(said["call"], said.get("with"))}
            except Exception as error:  # the student's lines find it, as at home
                answer = {"error": f"{error}"}
            say(questions, **answer)

    asking = Asking(send)
    return asking


def serve(questions: IO[bytes], answers: IO[bytes], asked_for: Mapping[str, Any], walls: str) -> None:
    """Answer questions until there are no more.

    `asked_for` are the functions of the exercise's questions.py; `walls` is the way of isolation (walls).
    """
    born = os.getpid()

    def answered(question: dict[str, Any]) -> None:
        asked.append(question["id"])
        answer = room.answer(question)
        if os.getpid() != born:  # a copy that the student's lines have made: it is not asked
            os._exit(0)
        say(answers, id=asked.pop(), **answer)

    def call_back(function: int, given: list[Any]) -> Any:
        say(answers, id=asked[-1], call=function, **{"with": [room.tell(x) for x in given]})
        while "ask" in (said := hear(questions)):  # a question that has come up meanwhile
            answered(said)
        if "error" in said:
            raise ValueError(said["error"])
        return room.reader.read(said["value"])

    asked: list[Any] = []
    room = Room(None, asked_for, call_back)
    say(answers, ready=True, walls=walls)
    while True:
        answered(hear(questions))
