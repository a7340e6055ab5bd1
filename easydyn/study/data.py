"""Measured data from a pandas table, arrays by name, a run, or a file of columns; of several recordings and runs.

Several recordings are {"film": ..., "phone": ...}, several runs [first, second]. Times are checked. Values that were
not measured are NaN, and are skipped.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import expect, shown
from easydyn.lab.reading import column_of_times, no_column_of_times, read
from easydyn.lab.recording import Recording, numbers, twice, usable
from easydyn.result.trajectory import Trajectory


def data_of(data: Any, time: str | None = None) -> Recording:
    """Measured data of a Recording, a DataFrame, a dict of arrays, a Trajectory, a structured array or a file."""
    if isinstance(data, str | os.PathLike):
        found = read(data, time=time)
        if not isinstance(found, Recording):
            raise InputError(f"the file '{data}' holds {len(found)} runs: expected one, such as lab.read(path)[0].")
        return found
    if isinstance(data, Recording):
        return data
    listed, index = _columns(data)
    name = _time(listed, index, None if time is None else str(time))
    names = [own for own, _ in listed]
    if names.count(name) > 1:
        raise InputError(twice(name))
    t = _seconds(name, dict(listed)[name] if name in names else index[1])
    columns, faults = usable(pair for pair in listed if pair[0] != name)
    return Recording(t, columns, faults=faults)


def _time(listed: Columns, index: Index, time: str | None) -> str:
    """The name of the column of times, or of the index."""
    names = [name for name, _ in listed]
    found = column_of_times(names, time)
    if found is None:
        found = column_of_times(index[:1], time)
    if found is None:
        rows = " The index of the table counts its rows, and is no time." if index[2] else ""
        raise no_column_of_times(names, time, rows)
    return found


Columns = list[tuple[str, Any]]
Index = tuple[str, Any, bool]  # of a table: its name, or none, its values, and whether it only counts rows


def _columns(data: Any) -> tuple[Columns, Index]:
    """Whatever it is, as columns by name, and what a table has as its index."""
    none: Index = "", None, False
    if isinstance(data, Trajectory):
        later = np.append(np.diff(data.t) > 0, True)  # at an event, which has two values
        return [(name, data[name][later]) for name in data.columns], none
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
    try:
        found = np.asarray(values)
    except ValueError:  # rows of different lengths
        return numbers(name, values)
    if found.dtype == object and all(hasattr(x, "timestamp") for x in found.flat):  # dates of Python, or with zones
        return numbers(name, [(x - found.flat[0]).total_seconds() for x in found.flat])
    if found.dtype.kind not in "mM" or not found.size or np.isnat(found).any():
        return numbers(name, values)
    if found.dtype.kind == "M":
        found = found - found.ravel()[0]
    if np.datetime_data(found.dtype)[0] in ("Y", "M", "generic"):
        raise InputError(f"the times {name!r} of the data are in {np.datetime_data(found.dtype)[0]}: expected seconds.")
    return numbers(name, found / np.timedelta64(1, "s"))


def columns_of(to: Any, data: Any, known: Sequence[str]) -> list[tuple[Any, str]]:
    """The pairs (quantity of the model, column of the data) that are to be fitted."""
    if to is None:
        pairs: list[tuple[Any, str]] = data.pairs(known)
        if not pairs:
            raise InputError(
                f"no column of the data ({', '.join(data.columns) or 'none'}) is called as something of the model "
                f"({', '.join(known)}): say which belongs to which, such as "
                f'to={{"{known[0]}": "{next(iter(data.columns), "angle")}"}}.'
            )
        return pairs
    expect(isinstance(to, Mapping) and to, "to", to, 'what is measured by which column, {"q1": "angle"}')
    for column in to.values():
        if not isinstance(column, str):
            raise InputError(f"to has {shown(column)} as a column of the data: expected its name.")
        data[column]
    return list(to.items())


class Streams:
    """What was recorded in one run: columns by name, each with the times and the clocks of its recording.

    A column whose name several recordings have is called "film.angle"; each may be called so.
    """

    def __init__(self, recordings: Mapping[str, Any]):
        self.recordings = recordings
        listed = [(stream, name) for stream, one in recordings.items() for name in (*one.columns, *one.faults)]
        names = [name for _, name in listed]
        self._places = {f"{stream}.{name}": (stream, name) for stream, name in listed if stream}
        self._places |= {name: (stream, name) for stream, name in listed if names.count(name) == 1}
        twice = self.faults = {name for name in names if names.count(name) > 1}
        self.columns = [f"{stream}.{name}" if name in twice else name for stream, name in listed]

    def __getitem__(self, name: str) -> np.ndarray:
        """The values of a column."""
        return self.column(name)[0]

    def column(self, name: str) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
        """The values and the times (s) of a column; who may say these times: its recording, and the column itself."""
        if name in self.faults:
            full = ", ".join(text for text, place in self._places.items() if place[1] == name)
            raise InputError(f"several recordings have a column {name!r}: expected one of {full}.")
        if name not in self._places:
            raise UnknownNameError(f"the data have no column {name!r}: they have {', '.join(self.columns) or 'none'}.")
        stream, own = self._places[name]
        recording = self.recordings[stream]
        return recording[own], recording.t, tuple(dict.fromkeys(x for x in (stream, name, own) if x))

    def pairs(self, known: Sequence[str]) -> list[tuple[str, str]]:
        """The columns that are called as something `known`, each with the name of that."""
        own = {full: name for full, (_, name) in self._places.items()}
        return [(own.get(name, name), name) for name in self.columns if own.get(name, name) in known]


def streams_of(data: Any, time: str | None) -> list[Streams]:
    """The recordings of each run, from a table, a dict of tables, or a list of such."""
    if isinstance(data, list | tuple):
        if not data:
            raise InputError("data is an empty list: expected the recordings of one run or more.")
        return [one for part in data for one in streams_of(part, time)]
    tables = [_is_table(one) for one in data.values()] if isinstance(data, Mapping) else []
    if not any(tables):
        return [Streams({"": data_of(data, time)})]
    for name, one in data.items():
        if not isinstance(name, str) or not _is_table(one):
            raise InputError(
                f"data has {shown(one)} as {name!r}, beside recordings: expected a table for each, with its times."
            )
    return [Streams({name: data_of(one, time) for name, one in data.items()})]


def _is_table(one: Any) -> bool:
    return isinstance(one, Mapping | Trajectory | str | os.PathLike) or hasattr(one, "columns") or bool(
        getattr(getattr(one, "dtype", None), "names", None)
    )
