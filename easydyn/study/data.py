"""Measured data from a pandas table, arrays by name, a run, or a file of columns.

Times are checked. Values that were not measured are NaN, and are skipped.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError, InputError
from easydyn.files import path_to
from easydyn.inputs import shown
from easydyn.lab.recording import Recording, number, numbers
from easydyn.result.trajectory import Trajectory

TIMES = ("t", "time")  # what a column of times may be called, whatever its capitals
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # or decimals
MOST_BYTES = 500_000_000  # of a file of text


def data_of(data: Any, time: str | None = None) -> Recording:
    """Measured data of a Recording, a DataFrame, a dict of arrays, a Trajectory, a structured array or a file."""
    if isinstance(data, Recording):
        return data
    listed, index = _columns(data)
    name = _time(listed, index, None if time is None else str(time))
    names = [own for own, _ in listed]
    if names.count(name) > 1:
        raise InputError(_twice(name))
    t = _seconds(name, dict(listed)[name] if name in names else index[1])
    columns: dict[str, np.ndarray] = {}
    faults: dict[str, str] = {}
    for own, values in listed:
        if own == name:
            continue
        if names.count(own) > 1:
            faults[own] = _twice(own)
            continue
        try:
            columns[own] = numbers(own, values)
        except InputError as error:
            faults[own] = str(error)
    return Recording(t, columns, faults=faults)


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
        return numbers(name, [(x - found.flat[0]).total_seconds() for x in found.flat])
    if found.dtype.kind not in "mM" or not found.size or np.isnat(found).any():
        return numbers(name, values)
    if found.dtype.kind == "M":
        found = found - found.ravel()[0]
    if np.datetime_data(found.dtype)[0] in ("Y", "M", "generic"):
        raise InputError(f"the times {name!r} of the data are in {np.datetime_data(found.dtype)[0]}: expected seconds.")
    return numbers(name, found / np.timedelta64(1, "s"))


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
    if all(number(name) is not None for name in heading):
        raise FileError(f"'{path}' begins with numbers: expected a line of names above the columns.")
    for k, row in enumerate(rows, start=2):
        if len(row) != len(heading):
            raise FileError(f"row {k} of '{path}' has {len(row)} entries, and there are {len(heading)} columns.")
    commas = [text for row in rows for text in map(str.strip, row) if "," in text and number(text) is not None]
    if commas and all(map(THOUSANDS.fullmatch, commas)):
        raise FileError(
            f"{commas[0]!r} in '{path}' may be a decimal number or a whole one, as all numbers with commas there: "
            "write decimal points."
        )
    return [(name, [row[j] for row in rows]) for j, name in enumerate(heading)]


def columns_of(to: Any, data: Recording, known: Sequence[str]) -> list[tuple[Any, str]]:
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
