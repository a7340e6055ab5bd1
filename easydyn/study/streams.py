"""Measured data of several recordings, and of several runs: {"film": ..., "phone": ...}, [first, second]."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import shown
from easydyn.result.trajectory import Trajectory
from easydyn.study.data import data_of


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
