"""Files of results: arrays and a description in JSON in one .npz file, and tables of text."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from easydyn.errors import FileError

FORMAT = 1  # of the files that `write` writes
Run = TypeVar("Run")


def write(path: Any, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write arrays and what is said about them to one file, which takes its place when it is whole."""
    path = _path(path)
    partial = path.with_name(path.name + ".part")
    try:
        with open(partial, "wb") as file:  # a half-written file never takes the place of a whole one
            np.savez_compressed(file, about=np.array(json.dumps({"format": FORMAT, **about})), **arrays)
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise _cannot_write(path, error) from None
    return path


def read(path: Any, built: Callable[[dict[str, Any], dict[str, Any]], Run]) -> Run:
    """What `built(about, arrays)` makes of a file that `write` wrote; FileError when it cannot."""
    path = _path(path)
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
            about = json.loads(str(data["about"]))
            arrays = {name: data[name] for name in data.files if name != "about"}
        if about["format"] != FORMAT:
            raise FileError(f"'{path}' has format {about['format']}: this version reads {FORMAT}.")
        return built(about, arrays)
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}': expected one written by run.save(path).") from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {error.strerror or error}. Expected a .npz file.") from None
    except (KeyError, ValueError, TypeError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"'{path}' is not a run written by Trajectory.save, or it is damaged. Save the run again."
        ) from None


def write_table(path: Any, heading: Sequence[str], table: np.ndarray) -> Path:
    """Write columns to a text file, separated by commas, below a line of their names."""
    path = _path(path)
    try:
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(heading)
            writer.writerows(table.tolist())
    except OSError as error:
        raise _cannot_write(path, error) from None
    return path


def _path(path: Any) -> Path:
    """A path to a file; FileError for what cannot be one."""
    try:
        found = Path(path)
    except TypeError:
        found = Path()
    if not found.name or "\0" in str(found):
        raise FileError(f'the path is {path!r}: expected the name of a file, such as "run.npz".')
    return found


def _cannot_write(path: Path, error: OSError) -> FileError:
    return FileError(f"cannot write '{path}': {error.strerror or error}. Choose another folder.")
