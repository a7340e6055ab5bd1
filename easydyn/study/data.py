"""Measured data from a pandas table, arrays by name, a run, or a file of columns.

Times are checked. Values that were not measured are NaN, and are skipped.
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError, InputError, UnknownNameError
from easydyn.files import path_to
from easydyn.inputs import shown
from easydyn.result.trajectory import Trajectory

TIMES = ("t", "time")  # what a column of times may be called, whatever its capitals
EMPTY = ("", "nan", "na", "n/a", "null", "none", "-")  # what stands in a file where nothing was measured
MOST_BYTES = 500_000_000  # of a file of text


@dataclass(frozen=True, eq=False)
class Data:
    """Measured columns (N,), in their own units, at times t (N,), s; NaN where nothing was measured."""

    t: np.ndarray
    columns: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name; UnknownNameError where there is none."""
        if name not in self.columns:
            raise UnknownNameError(f"the data have no column {name!r}: they have {', '.join(self.columns) or 'none'}.")
        return self.columns[name]


def data_of(data: Any, time: str | None = None) -> Data:
    """Measured data of a DataFrame, a dict of arrays, a Trajectory, a structured array or a file of columns."""
    found = _columns(data)
    if time is None:
        named = [name for name in found if name.lower() in TIMES]
    else:
        named = [name for name in found if name == str(time)]
    if not named:
        wanted = "'t' or 'time'" if time is None else repr(str(time))
        raise InputError(
            f"the data have no column {wanted}: they have {', '.join(found) or 'none'}. Say which one holds the times "
            "(s) by time=..."
        )
    t = _numbers(named[0], found.pop(named[0]))
    columns = {name: _numbers(name, values) for name, values in found.items() if _is_numeric(values)}
    for name, values in columns.items():
        if len(values) != len(t):
            raise InputError(f"column {name!r} of the data has {len(values)} values, and there are {len(t)} times.")
    _check_times(t)
    return Data(t, columns)


def _check_times(t: np.ndarray) -> None:
    if len(t) < 2:
        raise InputError(f"the data have {len(t)} instants: expected at least two.")
    if not np.isfinite(t).all():
        raise InputError(f"the time in row {int(np.argmin(np.isfinite(t))) + 1} of the data is no finite number.")
    wrong = np.flatnonzero(np.diff(t) <= 0)
    if len(wrong):
        k = int(wrong[0])
        raise InputError(
            f"the times of the data do not increase: {t[k + 1]:g} s in row {k + 2} comes after {t[k]:g} s. Sort the "
            "rows, and leave out those that are there twice."
        )


def _columns(data: Any) -> dict[str, Any]:
    """Whatever it is, as columns by name."""
    if isinstance(data, Trajectory):
        return {name: data[name] for name in data.columns}
    if isinstance(data, str | os.PathLike):
        return _of_file(path_to(data, '"measured.csv"'))
    if isinstance(data, np.ndarray) and data.dtype.names:
        return {name: data[name] for name in data.dtype.names}
    if hasattr(data, "columns") and hasattr(data, "to_numpy"):  # a DataFrame
        found = {str(name): data[name].to_numpy() for name in data.columns}
        if not any(name.lower() in TIMES for name in found) and _is_numeric(np.asarray(data.index)):
            found = {str(data.index.name or "t"): np.asarray(data.index)} | found
        return found
    if isinstance(data, Mapping) and data and all(isinstance(name, str) for name in data):
        return dict(data)
    raise InputError(
        f"data is {shown(data)} ({type(data).__name__}): expected a DataFrame, a dict of arrays by name, a Trajectory, "
        "a structured array, or the path of a file of columns."
    )


def _is_numeric(values: Any) -> bool:
    try:
        return np.asarray(values).dtype.kind in "fiub" or np.asarray(values, dtype=float).ndim == 1
    except (ValueError, TypeError, OverflowError):
        return False


def _numbers(name: str, values: Any) -> np.ndarray:
    try:
        found = np.array(values, dtype=float)
    except (ValueError, TypeError, OverflowError):
        raise InputError(f"column {name!r} of the data does not hold numbers.") from None
    if found.ndim != 1:
        raise InputError(f"column {name!r} of the data has shape {found.shape}: expected (N,), a number for each time.")
    return found


def _of_file(path: Path) -> dict[str, Any]:
    """Columns of a file of text, below a line of names: commas, semicolons (with decimal commas), tabs, blanks."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(f"'{path}' has more than {MOST_BYTES / 1e6:g} MB: expected a file of columns.")
        lines = [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line.strip()]
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}': expected measured data in columns.") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text in UTF-8"
        raise FileError(f"cannot read '{path}': {reason}. Expected a file of columns below a line of names.") from None
    if not lines:
        raise FileError(f"'{path}' is empty: expected columns below a line of their names.")
    separator = next((mark for mark in ("\t", ";", ",") if mark in lines[0]), None)
    rows = list(csv.reader(lines, delimiter=separator)) if separator else [line.split() for line in lines]
    heading = [name.strip() for name in rows[0]]
    if heading[0].startswith("#"):
        heading = [heading[0][1:].strip(), *heading[1:]] if heading[0] != "#" else heading[1:]
    rows = [row for row in rows[1:] if not row[0].lstrip().startswith("#")]
    if all(_number(name, separator) is not None for name in heading):
        raise FileError(f"'{path}' begins with numbers: expected a line of names above the columns.")
    for k, row in enumerate(rows, start=2):
        if len(row) != len(heading):
            raise FileError(f"row {k} of '{path}' has {len(row)} entries, and there are {len(heading)} columns.")
    columns = {name: [_number(row[j], separator) for row in rows] for j, name in enumerate(heading)}
    return {  # a column of other texts is kept as it is: it is told of if it is asked for
        name: [row[j] for row in rows] if None in columns[name] else np.array(columns[name], dtype=float)
        for j, name in enumerate(heading)
    }


def _number(text: str, separator: str | None) -> float | None:
    """A number; NaN where nothing was measured; None for any other text."""
    plain = text.strip().lower()
    if plain in EMPTY:
        return math.nan
    try:
        return float(plain.replace(",", ".") if separator == ";" else plain)
    except ValueError:
        return None


def columns_of(to: Any, data: Data, known: Sequence[str]) -> list[tuple[Any, str]]:
    """The pairs (quantity of the model, column of the data) that are to be fitted."""
    if to is None:
        pairs = [(name, name) for name in data.columns if name in known]
        if not pairs:
            raise InputError(
                f"no column of the data ({', '.join(data.columns) or 'none'}) is called as something of the model "
                f"({', '.join(known)}): say which belongs to which, such as "
                f'to={{"{known[0]}": "{next(iter(data.columns), "angle")}"}}.'
            )
        return pairs
    if not isinstance(to, Mapping) or not to:
        raise InputError(f'to is {shown(to)}: expected what is measured by which column, {{"q1": "angle"}}.')
    for column in to.values():
        if not isinstance(column, str):
            raise InputError(f"to has {shown(column)} as a column of the data: expected its name.")
        data[column]
    return list(to.items())
