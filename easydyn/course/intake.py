"""Intake of submissions: files are read and copied before anything runs, or refused with a reason.

A student is a folder, a zip, or the first part of a file name such as student_NN.py. The exercise of a file follows
from its name (03.py, Exercise_3.py, contributions.py), from the name of its folder, or from the line
easydyn.exercise("03", ...) in it.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import stat
import tokenize
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from easydyn.course.catalogue import Exercise
from easydyn.errors import FileError
from easydyn.files import path_to

LARGEST, ARCHIVE, ALL_TOGETHER = 2 * 2**20, 64 * 2**20, 32 * 2**20  # bytes: of a file, of a zip, of what is in one
FILES, LISTED = 5000, 20  # that are looked at, of a student; that are listed as not taken
_WORDS = "exercises?|exercice|exo?|uebung|übung|aufgabe|task"
_BY_NUMBER = re.compile(rf"(?:(?:{_WORDS})[\s_.-]*)?(\d{{1,2}})(?:[\s_.()-].*)?", re.IGNORECASE | re.DOTALL)
_FLAT = (
    r"(.+)_(\d\d)",
    r"(.+?)[_ -](\d\d_[a-z].*)",
    rf"(.+?)[_ -]((?:{_WORDS})[ _.-]*\d{{1,2}}(?:[ _.()-].*)?)",
    r"(.+?)[_ -](\d{1,2}(?:[ _.()-].*)?)",
)
_INSIDE = re.compile(r"(?:easydyn\.)?exercise\(\s*[\"']?(\d{1,2})[\"']?\s*,\s*globals")
_SKIPPED = re.compile(r"\..*|__MACOSX|__pycache__|venv|site-packages|node_modules|Thumbs\.db|desktop\.ini")
_SCRIPTS, _BESIDE = (".py", ".ipynb"), (".py", ".txt", ".csv", ".json", ".npz", ".npy", ".dat", ".mat")
_ARCHIVES = (".7z", ".rar", ".gz", ".tgz", ".tar", ".bz2", ".xz")
_OF_JUPYTER = r"(?:%%?[A-Za-z]|!|get_ipython\(\))"  # how a line begins that is no Python
_DISPLAY = b"def display(*things, **options): print(*things)  # of a notebook\n"


class NoText(Exception):
    """The submitted file is not a script."""


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


class File(NamedTuple):
    """A file of a student: its name, its path, and its contents."""

    name: PurePosixPath
    path: Path
    data: bytes


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
    originals : dict
        The original contents of the files that were read.
    """

    taken: dict[tuple[str, str], Submission] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    students: set[str] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    originals: dict[Path, bytes] = field(default_factory=dict)

    def say(self, student: str, sentence: str) -> None:
        """Add a remark on a file of a student."""
        self.students.add(student)
        said = self.refused.setdefault(student, [])
        if len(said) < LISTED:
            said.append(sentence)
        elif len(said) == LISTED:
            said.append("and more that is not taken")

    def refuse(self, student: str, name: object, reason: str) -> None:
        """Refuse a file, with a reason."""
        self.say(student, f"not taken: {name} ({reason})")

    def restored(self) -> list[Path]:
        """Restore files that have changed since they were read, and list them."""
        changed = []
        for path, data in self.originals.items():
            with suppress(OSError):
                if not path.is_file() or path.read_bytes() != data:
                    changed.append(path)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
        return changed


def hand_in(folder: str | Path, there: Sequence[Exercise], one_student: str = "") -> Intake:
    """Read all submissions, by students and exercises; if `one_student` is named, all files are of this student."""
    place = path_to(folder, '"submissions"', folder=True)
    if not place.is_dir():
        raise FileError(f"there is no folder '{folder}': expected the submissions, a folder for each student.")
    found = Intake()
    flat: dict[str, list[File]] = {}
    if one_student:
        found.students.add(one_student)
        _take(found, one_student, list(_files(found, one_student, place)), there)
        return found
    for path in sorted(place.iterdir()):
        kind = _kind(path.name)
        if _SKIPPED.fullmatch(path.name):
            continue
        if path.is_symlink():
            found.others.append(f"{path.name} (a link, which is not followed)")
        elif path.is_dir():
            found.students.add(path.name)
            _take(found, path.name, list(_files(found, path.name, path)), there)
        elif kind == ".zip":
            if path.stem in found.students:
                found.say(path.stem, f"{path.name}: something else that was handed in has the same name")
            found.students.add(path.stem)
            _take(found, path.stem, list(_unpacked(found, path.stem, path.name, path)), there)
        elif kind in _SCRIPTS:
            student, name = _owner(path.name.removesuffix(".txt"), there)
            if (data := _read(found, student or place.name, path, path.name)) is not None:
                flat.setdefault(student or place.name, []).append(File(PurePosixPath(name), path, data))
        else:
            found.others.append(f"{path.name} (neither a folder of a student nor a script, a notebook, a zip)")
    for student, files in flat.items():
        found.students.add(student)
        _take(found, student, files, there, together=False)
    if not found.taken:
        seen = "; ".join([x for said in found.refused.values() for x in said][:3] + found.others[:3])
        raise FileError(
            f"there are no submissions in '{folder}': expected student/NN_name.py or student_NN.py, with NN the number "
            f"of an exercise. There: {seen or 'nothing'}."
        )
    return found


def _owner(name: str, there: Sequence[Exercise]) -> tuple[str, str]:
    """Whose a file is that lies in no folder, "" if it does not say; and its name without that."""
    stem, ending = os.path.splitext(name)
    if not _numbers(PurePosixPath(name), b"", there)[0]:
        for pattern in _FLAT:
            if match := re.fullmatch(pattern, stem, re.IGNORECASE | re.DOTALL):
                return match[1], match[2] + ending
        return stem, name
    return "", name


def _kind(name: str) -> str:
    """The ending of a file; .py also of what Windows calls 03.py.txt."""
    lower = name.lower()
    return ".py" if lower.endswith(".py.txt") else os.path.splitext(lower)[1]


def _files(found: Intake, student: str, folder: Path) -> Iterator[File]:
    """The files of a student's folder, with those in folders and zips below."""
    count = 0
    for place, folders, names in os.walk(
        folder, onerror=lambda error: found.refuse(student, error.filename, error.strerror or "cannot be read")
    ):
        for link in [x for x in folders if os.path.islink(os.path.join(place, x))]:
            found.refuse(student, link, "a link, which is not followed")
        folders[:] = sorted(x for x in folders if not _SKIPPED.fullmatch(x))
        for path in (Path(place, x) for x in sorted(names) if not _SKIPPED.fullmatch(x)):
            name = PurePosixPath(*path.relative_to(folder).parts)
            count += 1
            if count > FILES:
                return found.refuse(student, folder.name, f"it has more than {FILES} files: the others are not read")
            if path.is_symlink():
                found.refuse(student, name, "a link, which is not followed")
            elif _kind(name.name) == ".zip":
                yield from _unpacked(found, student, str(name), path)
            elif (data := _read(found, student, path, name)) is not None:
                yield File(name, path, data)


def _read(found: Intake, student: str, path: Path, name: object, most: int = LARGEST) -> bytes | None:
    """What is in a file, if it is one, and not too large."""
    reason, data = "", b""
    try:
        kind = path.lstat()
        if not stat.S_ISREG(kind.st_mode):
            reason = "no file that can be read"
        elif kind.st_size > most:
            reason = f"more than {most // 2**20} MB"
        else:
            with open(path, "rb") as file:
                data = file.read(most)
    except OSError as error:
        reason = error.strerror or "cannot be read"
    if reason:
        found.refuse(student, name, reason)
        return None
    if _kind(path.name) in (*_SCRIPTS, ".zip"):
        found.originals[path] = data
    return data


def _unpacked(found: Intake, student: str, name: str, path: Path) -> Iterator[File]:
    """The files of a zip, read in memory; their names are never those of files here."""
    data = _read(found, student, path, name, ARCHIVE)
    if data is None:
        return
    total = 0
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for count, entry in enumerate(x for x in archive.infolist() if not x.is_dir()):
                if count >= FILES:
                    return found.refuse(student, name, f"it has more than {FILES} files: the others are not read")
                inner = PurePosixPath(entry.filename.replace("\\", "/"))
                shown = f"{name}/{inner}"
                if inner.is_absolute() or ".." in inner.parts or ":" in entry.filename:
                    found.refuse(student, shown, "a name that leads out of the zip")
                elif any(_SKIPPED.fullmatch(part) for part in inner.parts):
                    continue
                elif stat.S_ISLNK(entry.external_attr >> 16):
                    found.refuse(student, shown, "a link, which is not followed")
                elif _kind(inner.name) == ".zip":
                    found.refuse(student, shown, "a zip within a zip: unpack it")
                else:
                    with archive.open(entry) as file:
                        content = file.read(LARGEST + 1)
                    total += len(content)
                    if total > ALL_TOGETHER:
                        return found.refuse(student, shown, f"the zip has more than {ALL_TOGETHER // 2**20} MB in it")
                    if len(content) > LARGEST:
                        found.refuse(student, shown, f"more than {LARGEST // 2**20} MB")
                        continue
                    yield File(inner, path / inner, content)
    except Exception as error:  # of each way to compress its own, and of archives that were made to break programs
        secret = "encrypted" in str(error) or "password" in str(error)
        found.refuse(student, name, "it is locked with a password" if secret else "no zip that can be read")


def _take(found: Intake, student: str, files: list[File], there: Sequence[Exercise], together: bool = True) -> None:
    """Take of each exercise the file that is most clearly meant for it; what lies beside it if it is `together`."""
    known = {e.number: e for e in there}
    candidates: dict[str, list[tuple[tuple[int, str], File, bytes]]] = {}
    helpers = {f.name for f in files if f.name.suffix.lower() == ".py" and _is_helper(f, files)}
    for one in (f for f in files if _kind(f.name.name) in _SCRIPTS):
        name, kind = one.name, _kind(one.name.name)
        try:
            source, note = script_of(one.data) if kind == ".ipynb" else text_of(one.data)
        except (NoText, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
            reason = "no notebook that can be read" if kind == ".ipynb" else str(error)
            found.refuse(student, name, reason)
            continue
        numbers, rank = _numbers(name, source, there)
        if not numbers and name in helpers:
            continue  # it is there for another script
        if not numbers:
            found.refuse(student, name, "of which exercise? Call it such as 03.py")
        for number in numbers:
            if number not in known:
                found.refuse(student, name, f"there is no exercise {number}")
                continue
            if note:
                found.say(student, f"{name}: {note}")
            candidates.setdefault(number, []).append(((rank + (kind != ".py"), str(name)), one, source))
    for number, those in sorted(candidates.items()):
        _, first, source = min(those, key=lambda x: x[0])
        if (student, number) not in found.taken:
            beside = _beside(first, files) if together else {}
            found.taken[student, number] = Submission(student, known[number], first.path, source, beside)
        taken = found.taken[student, number]
        for _, other, text in those:
            if other.path != taken.script and text != taken.source:
                found.refuse(student, other.name, f"exercise {number} is taken from {taken.script.name}")
    mine = [s for (name, _), s in found.taken.items() if name == student]
    for one in (f for f in files if _kind(f.name.name) not in _SCRIPTS):
        if _kind(one.name.name) in _ARCHIVES:
            found.refuse(student, one.name, "an archive of another kind: make it a zip")
        elif not any(one.name.name in s.beside or one.path.stem == s.exercise.name for s in mine):
            found.refuse(student, one.name, "neither a script (.py) nor a notebook (.ipynb) nor a zip")


def _is_helper(one: File, files: Sequence[File]) -> bool:
    """Whether another script of the folder imports it."""
    word = re.compile(rf"^\s*(?:from|import)\s+{re.escape(one.name.stem)}\b", re.MULTILINE)
    others = (f for f in files if f is not one and f.name.parent == one.name.parent and _kind(f.name.name) == ".py")
    return one.name.stem.isidentifier() and any(word.search(f.data.decode("utf-8", "replace")) for f in others)


def _beside(script: File, files: Sequence[File]) -> dict[str, bytes]:
    """What a script may import or read: small files of its folder, by their names."""
    found: dict[str, bytes] = {}
    for other in files:
        near = other.name.parent == script.name.parent and other.path.parent == script.path.parent
        if near and other is not script and _kind(other.name.name) in _BESIDE and len(found) < 50:
            found[other.name.name] = other.data
    return found


def _numbers(name: PurePosixPath, source: bytes, there: Sequence[Exercise]) -> tuple[list[str], int]:
    """The exercises that a file answers, none if that is not known; and how clearly it says so (0 is best)."""
    for rank, word in enumerate((name.name.removesuffix(".txt").rpartition(".")[0], *reversed(name.parent.parts))):
        for exercise in there:
            if word.lower() in (exercise.name.lower(), exercise.number):
                return [exercise.number], 4 * rank
        if match := _BY_NUMBER.fullmatch(word):
            return [f"{int(match[1]):02d}"], 4 * rank + 2
        for exercise in there:
            if re.fullmatch(rf"{re.escape(exercise.name[3:])}(?:[ _.()-].*)?", word, re.IGNORECASE):
                return [exercise.number], 4 * rank + 2
    inside = _INSIDE.findall(source.decode("utf-8", "replace"))
    return sorted({f"{int(x):02d}" for x in inside}), 100


def text_of(data: bytes) -> tuple[bytes, str]:
    """A script that Python can read, with a remark on how it was read if needed; NoText for anything else."""
    if b"get_ipython(" in data:  # a notebook that was saved as a script
        data = re.sub(rb"(?m)^([ \t]*)(get_ipython\(\)[^\r\n]*)", rb"\1pass  # \2", data)
    for mark, code in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if data.startswith(mark):
            return data.decode(code).lstrip("\ufeff").encode(), "" if code == "utf-8" else "read as UTF-16"
    if b"\0" in data:
        raise NoText("no text: is it a script?")
    try:
        code, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        data.decode(code)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text = data.decode("cp1252", "replace")
        if sum(not x.isprintable() and not x.isspace() for x in text) > len(text) / 20:
            raise NoText("no text: is it a script?") from None
        return text.encode(), "not in UTF-8, read as Latin-1"
    return data, ""


def _plain_line(line: str) -> str:
    """A line of a notebook as Python: what only Jupyter does is a remark, what is timed stays."""
    line = re.sub(r"^(\s*(?:[\w., ]+=\s*)?)%time\s+(?=\S)", r"\1", line)
    line = re.sub(rf"^(\s*[\w., ]+=\s*)({_OF_JUPYTER}.*)$", r"\1None  # \2", line)
    return re.sub(rf"^(\s*)((?:{_OF_JUPYTER}|\?).*|[\w.]+\?+\s*)$", r"\1pass  # \2", line)


def script_of(notebook: bytes) -> tuple[bytes, str]:
    """The Python cells of a notebook one after the other, without lines that only Jupyter understands."""
    cells = json.loads(notebook.decode("utf-8-sig"))["cells"]
    texts = []
    for cell in cells:
        if cell["cell_type"] == "code":
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            if not re.match(r"%%(?!time\b|timeit\b|capture\b)", text.lstrip()):
                texts.append("\n".join(map(_plain_line, text.splitlines())))
    made = "\n\n".join(texts).encode("utf-8", "replace")
    return (_DISPLAY if b"display(" in made else b"") + made, ""
