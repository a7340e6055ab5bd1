"""Questions and answers over two pipes, a line of JSON each: a checking process (`over`) and a student's (`serve`).

Every question has its own random number, and the answer must contain it. An answer without a question, a second answer,
or an answer in another form ends the check; it cannot make a stage pass.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Any

from easydyn.course.asking import Asking, Ended
from easydyn.course.plain import Unreadable
from easydyn.course.room import Room

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
