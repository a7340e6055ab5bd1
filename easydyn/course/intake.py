"""Intake of submissions: files are read before anything runs, or refused with a reason.

A student is a folder, a zip, or the first part of a file name such as student_NN.py. The exercise of a file follows
from its name (03.py, Exercise_3.py, contributions.py), from the name of its folder, or from the line
easydyn.exercise("03", ...) in it. Files are read by another process (reading.py), with limits for each student.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from easydyn.course import reading
from easydyn.course.catalogue import Exercise
from easydyn.errors import FileError
from easydyn.files import path_to

PATIENCE = 6 * reading.SECONDS  # seconds by the clock that the files of a student may take, on a busy machine


@dataclass(frozen=True)
class Submission:
    """A script that a student has submitted for an exercise.

    Attributes
    ----------
    student : str
        The name of the folder or zip, or the first part of the name of the file.
    exercise : Exercise
        The exercise that it answers.
    script : Path
        The path of the script; in a zip, it follows the name of the zip.
    source : bytes
        Its contents before anything ran.
    beside : dict of str to bytes
        Other files of the same folder, which the script may import or read.
    """

    student: str
    exercise: Exercise
    script: Path
    source: bytes = field(default=b"", repr=False)
    beside: dict[str, bytes] = field(default_factory=dict, repr=False)


@dataclass
class Intake:
    """All submissions, and the refused files by student.

    Attributes
    ----------
    taken : dict
        Submissions, by student and number of the exercise.
    refused : dict
        By student the files that were refused, or read in a special way, with the reason.
    students : set
        Students of whom any file was found.
    others : list
        Files beside the students' folders that belong to nobody.
    seen : dict
        Sizes and digests of the files that were read.
    """

    taken: dict[tuple[str, str], Submission] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    students: set[str] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    seen: dict[Path, tuple[int, str]] = field(default_factory=dict)

    def changed(self) -> set[Path]:
        """Files that are others now than when they were read; they stay as they are."""
        found = set()
        for path, (size, digest) in self.seen.items():
            with suppress(OSError):
                same = path.is_file() and path.stat().st_size == size
                if not same or reading.fingerprint(path.read_bytes())[1] != digest:
                    found.add(path)
        return found


def hand_in(folder: str | Path, there: Sequence[Exercise], one_student: str = "") -> Intake:
    """Read all submissions, by students and exercises; if `one_student` is named, all files are of this student."""
    place = path_to(folder, '"submissions"', folder=True)
    if not place.is_dir():
        raise FileError(f"there is no folder '{folder}': expected the submissions, a folder for each student.")
    found, names = Intake(), [exercise.name for exercise in there]
    sources: dict[str, list[tuple[str, str | None]]] = {one_student: [(str(place), None)]} if one_student else {}
    for path in [] if one_student else sorted(place.iterdir()):
        kind = reading.kind_of(path.name)
        if reading.SKIPPED.fullmatch(path.name):
            continue
        if path.is_symlink():
            found.others.append(f"{path.name} (a link, which is not followed)")
        elif path.is_dir() or kind == ".zip":
            student = path.name if path.is_dir() else path.stem
            if student in sources and not path.is_dir():
                found.refused[student] = [f"{path.name}: something else that was handed in has the same name"]
            sources.setdefault(student, []).append((str(path), None))
        elif kind in reading.SCRIPTS:
            student, name = reading.owner_of(path.name.removesuffix(".txt"), names)
            sources.setdefault(student or place.name, []).append((str(path), name))
        else:
            found.others.append(f"{path.name} (neither a folder of a student nor a script, a notebook, a zip)")
    found.students |= sources.keys()
    known = {exercise.number: exercise for exercise in there}
    for student, words in zip(sources, _read(list(sources.values()), names), strict=True):
        if words is None:
            most = f"{reading.SECONDS} s or {reading.MEMORY // 2**20} MB"
            words = {"said": [f"not taken: all of it (to read it takes more than {most})"]}
        if words["said"]:
            found.refused.setdefault(student, []).extend(words["said"])
        found.seen |= {Path(name): (size, digest) for name, (size, digest) in words.get("seen", {}).items()}
        files = {name: base64.b64decode(data) for name, data in words.get("files", {}).items()}
        for number, (script, source, beside) in words.get("taken", {}).items():
            data = {name: files[path] for name, path in beside.items()}
            submission = Submission(student, known[number], Path(script), base64.b64decode(source), data)
            found.taken[student, number] = submission
    if not found.taken:
        seen = "; ".join([x for said in found.refused.values() for x in said][:3] + found.others[:3])
        raise FileError(
            f"there are no submissions in '{folder}': expected student/NN_name.py or student_NN.py, with NN the number "
            f"of an exercise. There: {seen or 'nothing'}."
        )
    return found


def _read(students: list[Any], names: list[str]) -> Iterator[dict[str, Any] | None]:
    """What a process finds of each student; None of whom it does not get through with: another process goes on."""
    while students:
        with subprocess.Popen([sys.executable, "-P", reading.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL) as process:  # fmt: skip
            assert process.stdin is not None and process.stdout is not None
            with suppress(OSError), process.stdin:
                process.stdin.write(json.dumps({"exercises": names, "students": students}).encode())
            try:
                while students and (line := _line(process, process.stdout)).endswith(b"\n"):
                    students = students[1:]
                    yield json.loads(line)
            finally:
                process.kill()
        if students:
            students = students[1:]
            yield None


def _line(process: subprocess.Popen[bytes], answers: IO[bytes]) -> bytes:
    """The next line of a process, which is ended when it takes too long."""
    timer = threading.Timer(PATIENCE, process.kill)
    timer.start()
    try:
        return answers.readline()
    finally:
        timer.cancel()
