"""Files of results: arrays and a description in JSON in one .npz file, and tables of text."""

from __future__ import annotations

import csv
import json
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from easydyn.errors import FileError, InputError
from easydyn.files import path_to, written

FORMAT = 1  # of the files that `write` writes
WIDTH = 25  # of a column that is not separated by commas: a blank, and the longest number that there is
MOST_ARRAYS = 100  # of one file
PLENTY = 2**30  # bytes of arrays that any file may hold; more, if it is
DENSEST = 100  # times smaller than what it holds
Run = TypeVar("Run")
# What reading may raise of a file that is not as `write` writes it.
_DAMAGED = (
    LookupError, ValueError, TypeError, EOFError, AttributeError, RuntimeError, OverflowError, MemoryError, SyntaxError,
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, tokenize.TokenError, Warning,
)  # fmt: skip


def write(path: Any, about: Mapping[str, Any], arrays: Mapping[str, Any]) -> Path:
    """Write arrays and their description to one file, which appears under its name only when it is complete."""
    path = path_to(path)
    with written(path) as file:
        np.savez_compressed(file, about=np.array(json.dumps({"format": FORMAT, **about})), **arrays)
    return path


def read(path: Any, built: Callable[[dict[str, Any], dict[str, Any]], Run]) -> Run:
    """The result of `built(about, arrays)` for a file that `write` wrote; FileError if it cannot be read."""
    path = path_to(path)
    try:
        arrays = _arrays(path)
        about = json.loads(str(arrays.pop("about")))
        if about["format"] != FORMAT:
            raise FileError(f"'{path}' has format {about['format']}: this version reads {FORMAT}.")
        return built(about, arrays)
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}': expected one written by run.save(path).") from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {error.strerror or error}. Expected a .npz file.") from None
    except _DAMAGED as error:
        if isinstance(error, FileError):
            raise
        raise FileError(
            f"'{path}' is not a run written by Trajectory.save, or it is damaged. Save the run again."
        ) from None


def _arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a .npz file; ValueError and the like for what `write` does not write.

    Nothing is believed that costs memory before it is checked: neither what is packed how small, nor shapes.
    """
    with zipfile.ZipFile(path) as archive, warnings.catch_warnings():
        warnings.simplefilter("error")  # of NumPy, about headers that it did not write
        members = archive.infolist()
        size = sum(member.file_size for member in members)
        if len(members) > MOST_ARRAYS or size > max(PLENTY, DENSEST * path.stat().st_size):
            raise zipfile.BadZipFile("more than a run holds")
        found = {}
        for member in members:
            if member.flag_bits & 1 or member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise zipfile.BadZipFile("not packed as NumPy does")
            with archive.open(member) as file:
                version = np.lib.format.read_magic(file)
                layout = np.lib.format
                header = layout.read_array_header_1_0 if version == (1, 0) else layout.read_array_header_2_0
                shape, _, kind = header(file)
                if kind.kind not in "fiubU" or not kind.itemsize or math.prod(shape) * kind.itemsize > member.file_size:
                    raise zipfile.BadZipFile("an array that cannot be there")
            with archive.open(member) as file:
                found[member.filename.removesuffix(".npy")] = np.lib.format.read_array(file, allow_pickle=False)
        return found


def table(run: Any, also: Mapping[str, Any]) -> tuple[list[str], np.ndarray]:
    """Names and columns (N, m): those of a run, then the further ones by name, as `to_csv` takes them."""
    heading, columns = list(run.columns), [run[name] for name in run.columns]
    for name, what in also.items():
        if isinstance(what, np.ndarray) and what.dtype != object:
            values = _numbers(name, what, len(run))
        else:
            values = run[what] if isinstance(what, str) else run.of(what)
        parts = "xyz" if values.shape[1:] == (3,) else range(1, 1 + values.shape[-1])
        heading += [name] if values.ndim == 1 else [f"{name}.{part}" for part in parts]
        columns += [values] if values.ndim == 1 else list(values.T)
    twice = [name for k, name in enumerate(heading) if name in heading[:k]]
    if twice:
        raise InputError(f"the column {twice[0]!r} is asked for, and is there already: choose another name for it.")
    return heading, np.column_stack(columns)


def _numbers(name: str, values: np.ndarray, instants: int) -> np.ndarray:
    """An array (N,) or (N, k) as a column or several; InputError when it is no such array."""
    if values.ndim not in (1, 2) or len(values) != instants or values.dtype.kind not in "fiub":
        raise InputError(
            f"{name} is an array of {values.dtype} of shape {values.shape}: expected a number, or a row of numbers, "
            f"for each of the {instants} instants of the run."
        )
    return values.astype(float)


def write_table(path: Any, heading: Sequence[str], table: np.ndarray) -> Path:
    """Write columns to a text file below a line of their names.

    Numbers are the shortest that are read back equal. A name that ends in .res gives columns of equal width, separated
    by blanks, below a line that begins with #; any other name gives commas.
    """
    path = path_to(path)
    rows = table.tolist()
    with written(path, text=True) as file:
        if path.suffix.lower() == ".res":
            file.write("#" + "".join(f" {name:>{WIDTH - 1}}" for name in heading)[1:] + "\n")
            file.writelines("".join(f"{x!r:>{WIDTH}}" for x in row) + "\n" for row in rows)
        else:
            writer = csv.writer(file)
            writer.writerow(heading)
            writer.writerows(rows)
    return path

