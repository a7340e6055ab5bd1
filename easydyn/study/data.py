"""Measured data from a pandas table, arrays by name, a run, or a file of columns.

Times are checked. Values that were not measured are NaN, and are skipped.
"""

from __future__ import annotations

import csv
import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError, InputError, UnknownNameError
from easydyn.files import path_to
from easydyn.inputs import shown
from easydyn.result.trajectory import Trajectory

TIMES = ("t", "time")  # what a column of times may be called, whatever its capitals
EMPTY = ("", "nan", "na", "n/a", "null", "none", "-")  # what stands in a file where nothing was measured
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # or decimals
MOST_BYTES = 500_000_000  # of a file of text


@dataclass(frozen=True, eq=False)
class Data:
    """Measured columns (N,), in their own units, at times t (N,), s; NaN where nothing was measured.

    Of columns that cannot be used `faults` says why, by name: it is told if they are asked for.
    """

    t: np.ndarray
    columns: dict[str, np.ndarray]
    faults: dict[str, str] = field(default_factory=dict)

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name; UnknownNameError where there is none, InputError where it cannot be used."""
        if name in self.faults:
            raise InputError(self.faults[name])
        if name not in self.columns:
            raise UnknownNameError(f"the data have no column {name!r}: they have {', '.join(self.columns) or 'none'}.")
        return self.columns[name]


def data_of(data: Any, time: str | None = None) -> Data:
    """Measured data of a DataFrame, a dict of arrays, a Trajectory, a structured array or a file of columns."""
    listed, index = _columns(data)
    name = _time(listed, index, None if time is None else str(time))
    names = [own for own, _ in listed]
    if names.count(name) > 1:
        raise InputError(_twice(name))
    t = _seconds(name, dict(listed)[name] if name in names else index[1])
    _check_times(t)
    columns: dict[str, np.ndarray] = {}
    faults: dict[str, str] = {}
    for own, values in listed:
        if own == name:
            continue
        if names.count(own) > 1:
            faults[own] = _twice(own)
            continue
        try:
            columns[own] = _numbers(own, values)
        except InputError as error:
            faults[own] = str(error)
            continue
        if len(columns[own]) != len(t):
            raise InputError(
                f"column {own!r} of the data has {len(columns[own])} values, and there are {len(t)} times."
            )
    return Data(t, columns, faults)


def _twice(name: str) -> str:
    return f"the data have two columns called {name!r}: expected one. Give each a name of its own."


def _time(listed: Columns, index: Index, time: str | None) -> str:
    """The name of the column of times, or of the index."""
    names = list(dict.fromkeys(name for name, _ in listed))
    if time is None:
        named = [name for name in names if name in TIMES] or [name for name in names if name.lower() in TIMES]
        named = named or ([index[0]] if index[0].lower() in TIMES else [])
        if len(named) > 1:
            raise InputError(
                f"{' and '.join(named)} of the data may both be the times: say which, such as time={named[0]!r}."
            )
    else:
        named = [name for name in (*names, *index[:1]) if name == time][:1]
    if not named:
        wanted = "'t' or 'time'" if time is None else repr(time)
        rows = " The index of the table counts its rows, and is no time." if index[2] else ""
        raise InputError(
            f"the data have no column {wanted}: they have {', '.join(names) or 'none'}. Say which one holds the times "
            f"(s) by time=...{rows}"
        )
    return named[0]


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


Columns = list[tuple[str, Any]]
Index = tuple[str, Any, bool]  # of a table: its name, or none, its values, and whether it only counts rows


def _columns(data: Any) -> tuple[Columns, Index]:
    """Whatever it is, as columns by name, and what a table has as its index."""
    none: Index = "", None, False
    if isinstance(data, Trajectory):
        later = np.append(np.diff(data.t) > 0, True)  # at an event, which has two values
        return [(name, data[name][later]) for name in data.columns], none
    if isinstance(data, str | os.PathLike):
        return _of_file(path_to(data, '"measured.csv"')), none
    if isinstance(data, np.ndarray) and data.dtype.names:
        return [(name, data[name]) for name in data.dtype.names], none
    if hasattr(data, "columns") and hasattr(data, "to_numpy"):
        return _of_table(data)
    if isinstance(data, Mapping) and data and all(isinstance(name, str) for name in data):
        return list(data.items()), none
    raise InputError(
        f"data is {shown(data)} ({type(data).__name__}): expected a DataFrame, a dict of arrays by name, a Trajectory, "
        "a structured array, or the path of a file of columns."
    )


def _of_table(data: Any) -> tuple[Columns, Index]:
    """The columns and the index of a DataFrame. An index of whole numbers without a name counts rows."""
    if not hasattr(data, "iloc"):  # it has no index
        return [(str(name), data[name].to_numpy()) for name in data.columns], ("", None, False)
    index = data.index
    values, name = index.to_numpy(), "" if index.name is None else str(index.name)
    counts = not name and values.dtype.kind in "iub"
    name = name or ("t" if values.dtype.kind in "fmM" or hasattr(index, "tz") else "")
    return [(str(x), data.iloc[:, k].to_numpy()) for k, x in enumerate(data.columns)], (name, values, counts)


def _seconds(name: str, values: Any) -> np.ndarray:
    """Times in s: of dates since the first of them."""
    found = np.asarray(values)
    if found.dtype == object and all(hasattr(x, "timestamp") for x in found.flat):  # dates of Python, or with zones
        return _numbers(name, [(x - found.flat[0]).total_seconds() for x in found.flat])
    if found.dtype.kind not in "mM" or not found.size or np.isnat(found).any():
        return _numbers(name, values)
    if found.dtype.kind == "M":
        found = found - found.ravel()[0]
    if np.datetime_data(found.dtype)[0] in ("Y", "M", "generic"):
        raise InputError(f"the times {name!r} of the data are in {np.datetime_data(found.dtype)[0]}: expected seconds.")
    return _numbers(name, found / np.timedelta64(1, "s"))


def _numbers(name: str, values: Any) -> np.ndarray:
    """Numbers (N,), NaN where nothing was measured; InputError, which names the row, for anything else."""
    where = f"column {name!r} of the data"
    if hasattr(values, "magnitude"):
        raise InputError(f"{where} has a unit, {values.units}: expected plain numbers, in the unit of the model.")
    mask = np.ma.getmaskarray(values) if np.ma.isMaskedArray(values) else None
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.array(None)
    if found.ndim != 1:
        raise InputError(f"{where} has shape {found.shape}: expected (N,), a number for each time.")
    if found.dtype.kind in "cmM":
        kind = "complex numbers" if found.dtype.kind == "c" else "dates or durations"
        raise InputError(f"{where} holds {kind}: expected real numbers.")
    if found.dtype.kind not in "fiub":
        listed = [_number(x) for x in found.tolist()]
        if None in listed:
            row = listed.index(None)
            raise InputError(
                f"{where} has {shown(found.tolist()[row])} in row {row + 1}: expected a number, or nothing where "
                "nothing was measured."
            )
        found = np.array(listed, dtype=float)
    found = found.astype(float)
    if mask is not None:
        found[mask] = math.nan
    if np.isinf(found).any():
        raise InputError(
            f"{where} has {found[np.isinf(found)][0]} in row {int(np.argmax(np.isinf(found))) + 1}: expected a number, "
            "or nothing where nothing was measured."
        )
    return found


def _of_file(path: Path) -> Columns:
    """Columns of a file of text, below a line of names: commas, semicolons, tabs, blanks; decimal points or commas."""
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
    if all(_number(name) is not None for name in heading):
        raise FileError(f"'{path}' begins with numbers: expected a line of names above the columns.")
    for k, row in enumerate(rows, start=2):
        if len(row) != len(heading):
            raise FileError(f"row {k} of '{path}' has {len(row)} entries, and there are {len(heading)} columns.")
    commas = [text for row in rows for text in map(str.strip, row) if "," in text and _number(text) is not None]
    if commas and all(map(THOUSANDS.fullmatch, commas)):
        raise FileError(
            f"{commas[0]!r} in '{path}' may be a decimal number or a whole one, as all numbers with commas there: "
            "write decimal points."
        )
    return [(name, [row[j] for row in rows]) for j, name in enumerate(heading)]


def _number(value: Any) -> float | None:
    """A number, with a decimal point or a decimal comma; NaN where nothing was measured; None for anything else."""
    plain = value.strip().lower() if isinstance(value, str) else value
    if plain is None or isinstance(plain, str) and plain in EMPTY or type(plain).__name__ in ("NAType", "NaTType"):
        return math.nan
    if isinstance(plain, str) and plain.count(",") == 1 and "." not in plain:
        plain = plain.replace(",", ".")
    try:
        return float(plain)
    except (ValueError, TypeError, OverflowError):
        return None


def columns_of(to: Any, data: Data, known: Sequence[str]) -> list[tuple[Any, str]]:
    """The pairs (quantity of the model, column of the data) that are to be fitted."""
    if to is None:
        pairs = [(name, name) for name in (*data.columns, *data.faults) if name in known]
        for name, _ in pairs:
            data[name]  # says what is wrong with it
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
