"""Reading of what students have handed in, by a process of its own: python reading.py; it imports no package.

The process gets the students, the files of each and the names of the exercises, and answers with a line of JSON for
each student. Its time and its memory are limited for each student anew: what is made to break it costs one student.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import io
import json
import os
import re
import stat
import sys
import time
import tokenize
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

LARGEST, ARCHIVE, ALL_TOGETHER = 2 * 2**20, 64 * 2**20, 32 * 2**20  # bytes: of a file, of a zip, of what a student has
FILES, LISTED = 5000, 20  # that are looked at, of a student; that are listed as not taken
SECONDS, MEMORY = 10, 2**30  # of the processor, for a student; bytes
_WORDS = "exercises?|exercice|exo?|uebung|übung|aufgabe|task"
_BY_NUMBER = re.compile(rf"(?:(?:{_WORDS})[\s_.-]*)?(\d{{1,2}})(?:[\s_.()-].*)?", re.IGNORECASE | re.DOTALL)
_FLAT = (
    r"(.+)_(\d\d)", r"(.+?)[_ -](\d\d_[a-z].*)",
    rf"(.+?)[_ -]((?:{_WORDS})[ _.-]*\d{{1,2}}(?:[ _.()-].*)?)", r"(.+?)[_ -](\d{1,2}(?:[ _.()-].*)?)",
)  # fmt: skip
_INSIDE = re.compile(r"(?:easydyn\.)?exercise\(\s*[\"']?(\d{1,2})[\"']?\s*,\s*globals")
_IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\w+)", re.MULTILINE)
SKIPPED = re.compile(r"\..*|__MACOSX|__pycache__|venv|site-packages|node_modules|Thumbs\.db|desktop\.ini")
SCRIPTS, _BESIDE = (".py", ".ipynb"), (".py", ".txt", ".csv", ".json", ".npz", ".npy", ".dat", ".mat")
_ARCHIVES = (".7z", ".rar", ".gz", ".tgz", ".tar", ".bz2", ".xz")
_OF_JUPYTER = re.compile(r"%%?[A-Za-z]|!|get_ipython\(\)")  # how a line begins that is no Python
_DISPLAY = b"def display(*things, **options): print(*things)  # of a notebook\n"
_CODECS = set(
    "utf-8 utf-8-sig ascii iso8859-1 iso8859-2 iso8859-9 iso8859-15 cp1250 cp1251 cp1252 cp1254 cp437 cp850 mac-roman "
    "koi8-r shift_jis cp932 euc_jp euc_kr cp949 gbk gb2312 gb18030 big5".split()
)


class File(NamedTuple):
    """A file of a student: its name, its path, and its contents."""

    name: PurePosixPath
    path: Path
    data: bytes


class Reading:
    """What is read of one student: files that are `taken` by number, `said` of others, digests of files as `seen`."""

    def __init__(self, exercises: Sequence[str]) -> None:
        self.exercises = {name[:2]: name for name in exercises}
        self.taken: dict[str, tuple[File, bytes, list[File]]] = {}
        self.said: list[str] = []
        self.seen: dict[str, tuple[int, str]] = {}
        self.files, self.bytes = 0, 0

    def refuse(self, name: object, reason: str) -> None:
        """Refuse a file, with a reason."""
        self.say(f"not taken: {name} ({reason})")

    def say(self, sentence: str) -> None:
        """Add a remark on a file."""
        if len(self.said) <= LISTED:
            self.said.append(sentence if len(self.said) < LISTED else "and more that is not taken")

    def read(self, sources: Sequence[Any]) -> dict[str, Any]:
        """Read folders and zips, then files that lie beside them; what was found as data."""
        for path in (Path(source) for source, owned in sources if owned is None):
            inside = self._inside(path) if path.is_dir() else self._unpacked(path.name, path)
            self._take([*self._counted(inside, path.name)])
        flat = ((Path(source), PurePosixPath(owned)) for source, owned in sources if owned is not None)
        several = (File(name, path, data) for path, name in flat if (data := self._data(path, path.name)) is not None)
        self._take([*self._counted(several, "what was handed in")], together=False)
        files: dict[PurePosixPath, bytes] = {}
        taken = {}
        for number, (first, source, beside) in self.taken.items():
            files |= {one.name: one.data for one in beside}
            names = {one.name.name: str(one.name) for one in beside}
            taken[number] = str(first.path), base64.b64encode(source).decode(), names
        return {"taken": taken, "said": self.said, "seen": self.seen,
                "files": {str(name): base64.b64encode(data).decode() for name, data in files.items()}}  # fmt: skip

    def _counted(self, files: Iterator[File], name: object) -> Iterator[File]:
        """The files up to the most that is read of a student."""
        for one in files:
            self.files, self.bytes = self.files + 1, self.bytes + len(one.data)
            most = f"more than {FILES} files" if self.files > FILES else f"more than {ALL_TOGETHER // 2**20} MB"
            if self.files > FILES or self.bytes > ALL_TOGETHER:
                return self.refuse(name, f"it has {most}: the others are not read")
            yield one

    def _inside(self, folder: Path) -> Iterator[File]:
        """The files of a student's folder, with those in folders and zips below."""
        for place, folders, names in os.walk(
            folder, onerror=lambda error: self.refuse(error.filename, error.strerror or "cannot be read")
        ):
            names += [x for x in folders if os.path.islink(os.path.join(place, x))]
            folders[:] = sorted(x for x in folders if not SKIPPED.fullmatch(x))
            for path in (Path(place, x) for x in sorted(names) if not SKIPPED.fullmatch(x)):
                name = PurePosixPath(*path.relative_to(folder).parts)
                if kind_of(name.name) == ".zip":
                    yield from self._unpacked(str(name), path)
                elif (data := self._data(path, name)) is not None:
                    yield File(name, path, data)

    def _data(self, path: Path, name: object, most: int = LARGEST) -> bytes | None:
        """What is in a file, if it is one, and not too large."""
        reason, data = "", b""
        try:
            kind = path.lstat()
            if stat.S_ISLNK(kind.st_mode):
                reason = "a link, which is not followed"
            elif not stat.S_ISREG(kind.st_mode):
                reason = "no file that can be read"
            elif kind.st_size > most:
                reason = f"more than {most // 2**20} MB"
            else:
                with open(path, "rb") as file:
                    data = file.read(most)
        except OSError as error:
            reason = error.strerror or "cannot be read"
        if reason:
            self.refuse(name, reason)
            return None
        if kind_of(path.name) in (*SCRIPTS, ".zip"):
            self.seen[str(path)] = fingerprint(data)
        return data

    def _unpacked(self, name: str, path: Path) -> Iterator[File]:
        """The files of a zip, read in memory; their names are never those of files here."""
        data = self._data(path, name, ARCHIVE)
        if data is None:
            return
        if data.count(b"PK\1\2") > 4 * FILES:
            return self.refuse(name, f"it has more than {4 * FILES} files")
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for entry in (x for x in archive.infolist() if not x.is_dir()):
                    inner = PurePosixPath(entry.filename.replace("\\", "/"))
                    shown = f"{name}/{inner}"
                    if inner.is_absolute() or ".." in inner.parts or ":" in entry.filename:
                        self.refuse(shown, "a name that leads out of the zip")
                    elif any(SKIPPED.fullmatch(part) for part in inner.parts):
                        continue
                    elif stat.S_ISLNK(entry.external_attr >> 16):
                        self.refuse(shown, "a link, which is not followed")
                    elif kind_of(inner.name) == ".zip":
                        self.refuse(shown, "a zip within a zip: unpack it")
                    else:
                        with archive.open(entry) as file:
                            content = file.read(LARGEST + 1)
                        if len(content) <= LARGEST:
                            yield File(inner, path / inner, content)
                            continue
                        self.bytes += len(content)
                        self.refuse(shown, f"more than {LARGEST // 2**20} MB")
        except Exception as error:  # of each way to compress its own, and of archives that were made to break programs
            secret = "encrypted" in str(error) or "password" in str(error)
            self.refuse(name, "it is locked with a password" if secret else "no zip that can be read")

    def _take(self, files: list[File], together: bool = True) -> None:
        """Take of each exercise the file that is most clearly meant for it; what lies beside it if it is `together`."""
        candidates: dict[str, list[tuple[tuple[int, str], File, bytes]]] = {}
        helpers = _helpers(files)
        for one in (f for f in files if kind_of(f.name.name) in SCRIPTS):
            name, kind = one.name, kind_of(one.name.name)
            try:
                source, note = script_of(one.data) if kind == ".ipynb" else text_of(one.data)
            except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
                self.refuse(name, "no notebook that can be read" if kind == ".ipynb" else str(error))
                continue
            numbers, rank = numbers_of(name, source, self.exercises)
            if not numbers and name not in helpers:  # a helper is there for another script
                self.refuse(name, "of which exercise? Call it such as 03.py")
            for number in numbers:
                if number not in self.exercises:
                    self.refuse(name, f"there is no exercise {number}")
                    continue
                if note:
                    self.say(f"{name}: {note}")
                candidates.setdefault(number, []).append(((rank + (kind != ".py"), str(name)), one, source))
        for number, those in sorted(candidates.items()):
            _, first, source = min(those, key=lambda x: x[0])
            taken, chosen, _ = self.taken.setdefault(
                number, (first, source, _lying_beside(first, files) if together else [])
            )
            for _, other, text in those:
                if other.path != taken.path and text != chosen:
                    self.refuse(other.name, f"exercise {number} is taken from {taken.path.name}")
        used = {one.name.name for _, _, beside in self.taken.values() for one in beside}
        for one in (f for f in files if kind_of(f.name.name) not in SCRIPTS):
            if kind_of(one.name.name) in _ARCHIVES:
                self.refuse(one.name, "an archive of another kind: make it a zip")
            elif one.name.name not in used and one.path.stem not in [self.exercises[x] for x in self.taken]:
                self.refuse(one.name, "neither a script (.py) nor a notebook (.ipynb) nor a zip")


def fingerprint(data: bytes) -> tuple[int, str]:
    """By what a file is known again: its size and a digest."""
    return len(data), hashlib.sha256(data).hexdigest()


def kind_of(name: str) -> str:
    """The ending of a file; .py also of what Windows calls 03.py.txt."""
    lower = name.lower()
    return ".py" if lower.endswith(".py.txt") else os.path.splitext(lower)[1]


def owner_of(name: str, exercises: Sequence[str]) -> tuple[str, str]:
    """Whose a file is that lies in no folder, "" if it does not say; and its name without that."""
    stem, ending = os.path.splitext(name)
    if not numbers_of(PurePosixPath(name), b"", {x[:2]: x for x in exercises})[0]:
        for pattern in _FLAT:
            if match := re.fullmatch(pattern, stem, re.IGNORECASE | re.DOTALL):
                return match[1], match[2] + ending
        return stem, name
    return "", name


def _helpers(files: Sequence[File]) -> set[PurePosixPath]:
    """The scripts that another script of their folder imports."""
    wanted: dict[tuple[PurePosixPath, str], set[PurePosixPath]] = {}
    for one in (f for f in files if kind_of(f.name.name) == ".py"):
        for word in _IMPORTED.findall(one.data.decode("utf-8", "replace")):
            wanted.setdefault((one.name.parent, word), set()).add(one.name)
    scripts = (f.name for f in files if f.name.suffix.lower() == ".py")
    return {name for name in scripts if wanted.get((name.parent, name.stem), set()) - {name}}


def _lying_beside(script: File, files: Sequence[File]) -> list[File]:
    """What a script may import or read: small files of its folder."""
    near = (f for f in files if f.name.parent == script.name.parent and f.path.parent == script.path.parent)
    return [f for f in near if f is not script and kind_of(f.name.name) in _BESIDE][:50]


def numbers_of(name: PurePosixPath, source: bytes, exercises: dict[str, str]) -> tuple[list[str], int]:
    """The exercises that a file answers, none if that is not known; and how clearly it says so (0 is best)."""
    for rank, word in enumerate((name.name.removesuffix(".txt").rpartition(".")[0], *reversed(name.parent.parts))):
        for number, exercise in exercises.items():
            if word.lower() in (exercise.lower(), number):
                return [number], 4 * rank
        if match := _BY_NUMBER.fullmatch(word):
            return [f"{int(match[1]):02d}"], 4 * rank + 2
        for number, exercise in exercises.items():
            if re.fullmatch(rf"{re.escape(exercise[3:])}(?:[ _.()-].*)?", word, re.IGNORECASE):
                return [number], 4 * rank + 2
    inside = _INSIDE.findall(source.decode("utf-8", "replace"))
    return sorted({f"{int(x):02d}" for x in inside}), 100


def text_of(data: bytes) -> tuple[bytes, str]:
    """A script that Python can read, with a remark on how it was read if needed; ValueError for anything else."""
    if b"get_ipython(" in data:  # a notebook that was saved as a script
        data = re.sub(rb"(?m)^([ \t]*)(get_ipython\(\)[^\r\n]*)", rb"\1pass  # \2", data)
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16").encode(), "read as UTF-16"
    if b"\0" in data:
        raise ValueError("no text: is it a script?")
    try:
        code, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if codecs.lookup(code).name not in _CODECS:
            raise ValueError(f"it asks for the encoding {code}: save it in UTF-8")
        data.decode(code)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        text = data.decode("cp1252", "replace")
        if sum(not x.isprintable() and not x.isspace() for x in text) > len(text) / 20:
            raise ValueError("no text: is it a script?") from None
        return text.encode(), "not in UTF-8, read as Latin-1"
    return data, ""


def _plain_line(line: str) -> str:
    """A line of a notebook as Python: what only Jupyter does is a remark, what is timed stays."""
    body = line.lstrip()
    start, instead = line[: len(line) - len(body)], "pass"
    name, equals, rest = body.partition("=")
    if equals and re.fullmatch(r"[\w., ]+", name):
        body = rest.lstrip()
        start, instead = line[: len(line) - len(body)], "None"
    if re.match(r"%time\s+\S", body):
        body = body[5:].lstrip()
    asked = instead == "pass" and (body[:1] == "?" or re.fullmatch(r"[\w.]+\?+", body.rstrip()))
    return f"{start}{instead}  # {body}" if asked or _OF_JUPYTER.match(body) else start + body


def script_of(notebook: bytes) -> tuple[bytes, str]:
    """The Python cells of a notebook one after the other, without lines that only Jupyter understands."""
    cells, texts = json.loads(notebook.decode("utf-8-sig"))["cells"], []
    for cell in cells:
        if cell["cell_type"] == "code":
            source = cell["source"]
            text = source if isinstance(source, str) else "".join(source)
            if not re.match(r"%%(?!time\b|timeit\b|capture\b)", text.lstrip()):
                texts.append("\n".join(map(_plain_line, text.splitlines())))
    made = "\n\n".join(texts).encode("utf-8", "replace")
    return (_DISPLAY if b"display(" in made else b"") + made, ""


def _limit() -> None:
    """What the next student may take: time of the processor and memory, where the system has limits of them."""
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for name, most in (("CPU", int(time.process_time()) + SECONDS + 1), ("AS", MEMORY)):
            number = getattr(resource, f"RLIMIT_{name}")
            resource.setrlimit(number, (most, resource.getrlimit(number)[1]))


if __name__ == "__main__":
    asked = json.load(sys.stdin.buffer)
    for sources in asked["students"]:
        _limit()
        print(json.dumps(Reading(asked["exercises"]).read(sources)), flush=True)
