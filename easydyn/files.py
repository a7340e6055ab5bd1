"""Files that users name: what a path may be, and writing that is whole or not at all.

Whatever easydyn writes takes its place when it is whole. Until then it stands beside it under a name that no other
process uses (run.npz.5b1e...part.npz): two that write to one path leave one of the two results, and what was there
before stays until then, whatever fails: a full disk, Ctrl-C, a process that is killed (which leaves the other name).
"""

from __future__ import annotations

import codecs
import errno
import os
import secrets
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from easydyn.errors import FileError, MissingDependencyError

PATIENCE = 2.0  # s in which another program on Windows may let go of a file
_FULL = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def path_to(path: Any, such_as: str = '"run.npz"', endings: Sequence[str] = (), folder: bool = False) -> Path:
    """A path to a file (or to a `folder`), with one of the endings if there are any; FileError for anything else."""
    found = None
    try:
        text = os.fspath(path)
        if isinstance(text, str) and text.strip() and "\0" not in text and os.fsencode(text):
            found = Path(text)
    except (TypeError, UnicodeEncodeError):
        pass
    if endings and (found is None or found.suffix.lower() not in endings):
        shown = repr(path) if found is None else repr(str(path))
        raise FileError(f"the path is {shown}: expected the name of a file that ends in {' or '.join(endings)}.")
    if found is None or not found.name and not folder:
        raise FileError(f"the path is {path!r}: expected the name of a file, such as {such_as}.")
    return found


def cannot_write(path: Any, error: OSError | str) -> FileError:
    """What is said of a file that cannot be written."""
    reason = error if isinstance(error, str) else error.strerror or error
    if isinstance(error, OSError) and error.errno in _FULL:
        return FileError(f"cannot write '{path}': {reason}. Make room, or choose another disk; an older file is kept.")
    return FileError(f"cannot write '{path}': {reason}. Choose another folder.")


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Why a text in UTF-8 cannot be read."""
    if isinstance(error, OSError):
        return error.strerror or str(error)
    wide = error.object[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return "it is text in UTF-16, save it in UTF-8" if wide else "it is no text in UTF-8"


@contextmanager
def replacing(path: Path, new: bool = False) -> Iterator[Path]:
    """A free name beside `path`, with its ending: what is written there takes the place of `path` at the end.

    When anything fails, it is removed, and what was at `path` is as it was; the system's errors become FileError. With
    `new` a file that is there is not replaced. A link stays, and what it leads to is replaced; what is no file
    (/dev/null, a pipe) is written to as it is.
    """
    place, there = _target(path, new)
    whole = there is None or stat.S_ISREG(there.st_mode)
    partial = beside(place)
    try:
        yield partial if whole else place
        if there is not None and whole:
            with suppress(OSError):  # not every file system has permissions
                shutil.copymode(place, partial)
        if whole:
            _take_place(partial, place, new)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise cannot_write(path, error) from None
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


@contextmanager
def written(path: Path, text: bool = False, new: bool = False) -> Iterator[IO[Any]]:
    """A file to write to, which takes its place when it is whole; as `replacing`. Texts are in UTF-8."""
    with (
        replacing(path, new) as partial,
        open(partial, "w", newline="", encoding="utf-8") if text else open(partial, "wb") as file,
    ):
        yield file


def write_text(path: Path, text: str, new: bool = False) -> Path:
    """Write a text whole or not at all; as `replacing`."""
    with written(path, text=True, new=new) as file:
        file.write(text)
    return path


def writable(path: Path) -> None:
    """FileError when a file cannot be written, as is better known before hours of work than after them."""
    partial = beside(_target(path, False)[0])
    try:
        open(partial, "xb").close()
        partial.unlink()
    except OSError as error:
        raise cannot_write(path, error) from None


def _target(path: Path, new: bool) -> tuple[Path, os.stat_result | None]:
    """What is written to in the end, and what is known of it if it is there; FileError when it cannot be replaced."""
    place = Path(os.path.realpath(path)) if os.path.islink(path) else path
    try:
        there = place.stat()
    except FileNotFoundError:
        return place, None
    except OSError as error:
        raise cannot_write(path, error) from None
    if new:
        raise _exists(path)
    if stat.S_ISDIR(there.st_mode):
        raise cannot_write(path, os.strerror(errno.EISDIR))
    if not os.access(place, os.W_OK):
        raise cannot_write(path, os.strerror(errno.EACCES))
    return place, there


def beside(place: Path) -> Path:
    """A name in the same folder that nobody else uses, with the same ending."""
    return place.with_name(f"{place.name[:24]}.{secrets.token_hex(8)}.part{place.suffix[:12]}")


def _exists(path: Path) -> FileError:
    return FileError(f"'{path}' exists already: choose another name, nothing was changed.")


def _take_place(partial: Path, place: Path, new: bool) -> None:
    if new:
        open(place, "x").close()  # of two processes one is the first
    try:
        _replace(partial, place)
    except OSError:
        if new:
            place.unlink()
        raise


def _replace(partial: Path, place: Path) -> None:
    """os.replace, which Windows refuses for as long as another program has the file open."""
    limit = time.monotonic() + PATIENCE
    while True:
        try:
            return os.replace(partial, place)
        except PermissionError:
            if sys.platform != "win32" or time.monotonic() > limit:
                raise
            time.sleep(0.02)


def package(name: str, what: str, install: str) -> Any:
    """An optional package; MissingDependencyError if it is not installed, with the call that needed it."""
    try:
        return import_module(name)
    except ImportError:
        shown = name.partition(".")[0]
        raise MissingDependencyError(f"{what} needs {shown}: pip install {install}.") from None


def ffmpeg() -> str | None:
    """The path of ffmpeg: of the program that matplotlib is told to take, or else of the package imageio-ffmpeg."""
    known = sys.modules.get("matplotlib")
    found = shutil.which("ffmpeg" if known is None else known.rcParams["animation.ffmpeg_path"])
    with suppress(ImportError, RuntimeError):
        from imageio_ffmpeg import get_ffmpeg_exe

        found = found or get_ffmpeg_exe()
    return found
