"""Files of films and sensors, as programs write them: `read` finds out what a file is, and what its numbers mean.

What a file says is taken: units in brackets, times, calibrations. What it leaves open is asked for, in a sentence that
names the argument, or noted, if only one meaning makes sense.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import FileError, InputError, UnknownNameError
from easydyn.files import path_to
from easydyn.inputs import among, by_name, expect, flag, is_listed, positive, shown, text
from easydyn.lab.formats import raws_of
from easydyn.lab.recording import UNITS, Calibration, Recording, Runs, joined, numbers, twice, unit_of, usable
from easydyn.lab.table import Raw, bare

__all__ = ["read"]

TIMES = ("t", "time")  # what a column of times may be called, whatever its capitals
LIKE_TIMES = ("millis", "micros", "ms", "us", "seconds", "sec", "timestamp", "tout")
FRAMES = ("frame", "frame#", "frames", "frame number")
LONG_STEP = 5  # s: times without a unit whose steps are longer are asked about
LENGTHS = ("x", "y", "z", "r")
WIDE = 20  # m: a film that shows more is asked about
LIKELY = 0.6  # points of DeepLabCut that are less likely are gaps
ANGLES = ("theta", "omega", "alpha", "θ", "ω", "α")  # of Tracker


class Asked(NamedTuple):
    """What a reader was told about a file, checked."""

    file: str
    time: str | None
    units: dict[str, str]
    frame_rate: float | None
    time_unit: str | None
    y_up: bool | None
    names: tuple[str, ...]
    drop: bool


@answers
def read(
    path: Any, *, time: str | None = None, units: Mapping[str, str] | None = None, decimal: str | None = None,
    frame_rate: float | None = None, time_unit: str | None = None, y_up: bool | None = None,
    names: Sequence[str] = (), drop: bool = False,
) -> Recording | Runs:  # fmt: skip
    """Read what Tracker, phyphox, Vernier, PASCO, OpenSim, DeepLabCut, Kinovea, Arduino and tables have written.

    Parameters
    ----------
    path : str or Path
        The file: text of columns, .trk, .trz, .zip (phyphox), .mat; .c3d, .xlsx and .xls by their libraries.
    time : str, optional
        The column of times, if several could be it, or none is called so.
    units : dict of str to str, optional
        Units that the file does not say: of a column, `{"theta": "deg"}`, or of all x, y and z, `{"length": "cm"}`.
    decimal : "," or ".", optional
        The decimal sign, if the numbers do not show it.
    frame_rate : float, optional
        Frames per second (1/s) of a file that counts frames.
    time_unit : str, optional
        The unit of the times, if the file does not say it: "ms".
    y_up : bool, optional
        False if y of the file goes down: metres are turned round, pixels are left to the camera.
    names : sequence of str, optional
        Names of the columns, or of the point masses of a table of x, y, x, y, if the file has none.
    drop : bool, optional
        Leave out rows that cannot be used: broken ones, and those whose times do not increase.

    Returns
    -------
    Recording, or Runs
        What was measured, in SI; a list of recordings if the file holds several runs.

    Raises
    ------
    FileError, InputError, UnknownNameError
        The file cannot be read; what it leaves open has to be said; a name that is not there.
    MissingDependencyError
        A file of a kind that needs a package which is not installed.

    Example
    -------
    >>> from pathlib import Path
    >>> from easydyn import lab
    >>> _ = Path("swing.csv").write_text("Time (ms);Angle (deg)\\n0;30,0\\n100;28,5\\n200;24,1\\n")
    >>> swing = lab.read("swing.csv")
    >>> print(swing)
    swing.csv: 3 instants, 0 to 0.2 s, 10 /s; Angle in rad
    >>> swing.units["Angle"]
    'deg'
    """
    place = path_to(path, '"swing.trk"')
    expect(decimal is None or among(decimal, (",", ".")), "decimal", decimal, '"," or "."')
    expect(is_listed(names), "names", names, 'a list of names, ("mass A", "mass B")')
    asked = Asked(
        place.name, None if time is None else str(time),
        {name: _a_unit(f"the unit of {name}", x) for name, x in by_name(units, "units", '{"theta": "deg"}').items()},
        None if frame_rate is None else positive(frame_rate, "frame_rate"),
        None if time_unit is None else _a_unit("time_unit", time_unit, "s"),
        None if y_up is None else flag(y_up, "y_up"), tuple(text(x, "a name in names") for x in names),
        flag(drop, "drop"),
    )  # fmt: skip
    raws = raws_of(place, decimal, asked.drop)
    if len(raws) == 1:
        found = [_recording(part, asked) for part in raws[0].runs()]
    else:
        own = [asked._replace(names=asked.names[k : k + 1]) for k in range(len(raws))]
        found = [joined([*map(_recording, raws, own)], [raw.title for raw in raws])]
    for key in asked.units:
        if key != "length" and not any(key in (x, x.rpartition(" ")[2]) for one in found for x in one.columns):
            raise UnknownNameError(f"units has {key!r}: '{asked.file}' has {', '.join(found[0].columns)}, or length.")
    return found[0] if len(found) == 1 else Runs(found)


def _a_unit(what: str, given: Any, si: str = "") -> str:
    known = unit_of(given) if isinstance(given, str) else None
    if known is None or si and known[0] != si:
        among = [word for word, (kind, _) in UNITS.items() if kind == si] if si else list(UNITS)
        raise InputError(f"{what} is {shown(given)}: expected one of {', '.join(among)}.")
    return str(given)


def column_of_times(names: Sequence[str], time: str | None = None) -> str | None:
    """Which of some names is that of the times: `time`, or one called so; InputError where two could be."""
    if time is not None:
        return next((name for name in names if name == time), None)
    named = [name for name in dict.fromkeys(names) if name.lower() in TIMES and not (name == "T" and "t" in names)]
    if len(named) > 1:
        raise InputError(f"two columns could be the time: {', '.join(named)}: say time={named[0]!r}.")
    return named[0] if named else None


def no_column_of_times(names: Iterable[str], time: str | None, more: str = "") -> InputError:
    """What is said where no column of these names holds the times."""
    wanted = "'t' or 'time'" if time is None else repr(time)
    return InputError(
        f"the data have no column {wanted}: they have {', '.join(dict.fromkeys(names)) or 'none'}. Say which one holds "
        f"the times (s) by time=...{more}"
    )


def _recording(raw: Raw, asked: Asked) -> Recording:
    """A recording of the columns of a file: what their names, units and times mean."""
    raw = _named(raw, asked)
    at, t = _times(raw, asked)
    rows = [k for k, name in enumerate(raw.names) if k != at and name and name.lower() not in FRAMES]
    columns, faults = usable((raw.names[k], raw.columns[k]) for k in rows)
    units, notes = {}, list(raw.notes)
    for name, own in ((raw.names[k], raw.units[k]) for k in rows if raw.names[k] in columns):
        units[name], factor = _unit_of(name, own, raw, asked, notes)
        columns[name] = columns[name] * factor
    for name in [name for name in columns if raw.kind == "DeepLabCut" and name.endswith("likelihood")]:
        unlikely, stem = columns.pop(name) < LIKELY, name[: -len("likelihood")]
        columns |= {stem + x: np.where(unlikely, math.nan, columns[stem + x]) for x in "xy" if stem + x in columns}
        notes.append(f"{stem.strip()}: {int(unlikely.sum())} points of likelihood below {LIKELY} are gaps")
    keep = ~np.all([np.isnan(t), *map(np.isnan, columns.values())], axis=0)  # the end of a shorter run
    if asked.drop:
        good = keep & (t > np.fmax.accumulate(np.append(-math.inf, t[:-1])))
        notes += [f"{(keep & ~good).sum()} rows left out, whose times do not increase"] * bool((keep & ~good).any())
        keep = good
    back = np.flatnonzero(np.diff(t[keep]) < 0)
    if len(back):
        raise InputError(
            f"the times go back to {t[keep][back[0] + 1]:g} s in row {back[0] + 2} (a known fault of phyphox): leave "
            "the row out, or drop=True."
        )
    y_up = raw.y_up if asked.y_up is None else asked.y_up
    for name in columns:
        if asked.y_up is False and name.rpartition(" ")[2] == "y" and (unit_of(units[name]) or ("m",))[0] == "m":
            columns[name], y_up = -columns[name], True
            notes.append(f"{name} turned round: it goes up now")
    return Recording(
        t[keep], {name: x[keep] for name, x in columns.items()}, {name: units[name] for name in columns},
        _camera(raw, asked, columns, notes), tuple(dict.fromkeys(notes)), asked.file, y_up, faults,
    )  # fmt: skip


def _named(raw: Raw, asked: Asked) -> Raw:
    """The columns with the names that were asked for: of all columns, or of the points."""
    given, count = asked.names, len(raw.columns)
    points = sum(name.rpartition(" ")[2] == "x" for name in raw.names)
    if given and len(given) == count:
        names, units = zip(*map(bare, given), strict=True)
        return replace(raw, names=list(names), units=[x or y for x, y in zip(units, raw.units or units, strict=True)])
    if not raw.names:
        raise FileError(f"'{asked.file}' begins with numbers: expected a line of names, or names=(...) of {count}.")
    if given and len(given) != points:
        raise InputError(f"names has {len(given)} entries: '{asked.file}' has {count} columns, and {points} points.")
    if not given and raw.names.count("x") > 1:
        often, many = ("twice", "two") if points == 2 else (f"{points} times", points)
        raise InputError(
            f"'{asked.file}' has x {often}: it is a table of {many} point masses without their names; keep the row of "
            "names, or say names=(...)."
        )
    found, k = [], -1
    for name in raw.names:
        last = name.rpartition(" ")[2]
        k += last == "x"
        found.append(f"{given[k]} {last}" if given and k >= 0 else name)
    return replace(raw, names=found)


def _times(raw: Raw, asked: Asked) -> tuple[int, np.ndarray]:
    """The column of times, or -1, and the times (s)."""
    name = column_of_times(raw.names, asked.time and bare(asked.time)[0])
    frames = next((x for x in raw.names if x.lower() in FRAMES and not asked.time), None)
    if name is None and not asked.time:
        stated = [x for x, unit in zip(raw.names, raw.units, strict=True) if (unit_of(unit) or "-")[0] == "s"]
        stated = stated or [x for x in raw.names if x.lower() in LIKE_TIMES]
        name = stated[0] if len(stated) == 1 else None
    if asked.frame_rate and frames or name is None:
        name = frames
    if name is None and asked.frame_rate:
        return -1, np.arange(len(raw.columns[0])) / asked.frame_rate
    if name is None:
        raise no_column_of_times(raw.names, asked.time)
    if raw.names.count(name) > 1:
        raise InputError(twice(name))
    at = raw.names.index(name)
    t, unit = numbers(name, raw.columns[at]), asked.time_unit or raw.units[at]
    if asked.frame_rate is not None:
        if raw.units[at]:
            raise InputError(f"'{asked.file}' has times in {raw.units[at]}: frame_rate is for files that count frames.")
        return at, t / asked.frame_rate
    if name == frames:
        raise InputError(f"'{asked.file}'{raw.kind and f' ({raw.kind})'} has frames and no times: frame_rate=...")
    known = unit_of(unit)
    there = t[np.isfinite(t)]
    if not unit and len(there) > 1 and (step := float(np.median(np.diff(there)))) > LONG_STEP:
        raise InputError(
            f"the times of '{asked.file}' go from {there[0]:.10g} to {there[-1]:.10g} in steps of {step:.4g}: s, ms or "
            'frames? time_unit="ms", or frame_rate=30.'
        )
    return at, t * (known[1] if known and known[0] == "s" else 1.0)


def _unit_of(name: str, own: str, raw: Raw, asked: Asked, notes: list[str]) -> tuple[str, float]:
    """The unit of a column, and the factor from it to SI."""
    last = name.rpartition(" ")[2]
    unit = asked.units.get(name) or asked.units.get(last) or own
    length = last in LENGTHS and unit == own and (unit_of(own) or ("m",))[0] == "m"
    if length and "length" in asked.units:
        unit = asked.units["length"]
    elif raw.kind == "Tracker" and not unit and length:
        unit = "m"
        notes.append("x and y are in the unit of the calibration stick, taken as m")
    elif raw.kind == "Tracker" and not unit and last in ANGLES:
        raise InputError(
            f"{last} of a Tracker file is in degrees or radians, as its menu stood: units={{\"{last}\": \"deg\"}}."
        )
    known = unit_of(unit)
    if unit and known is None:
        notes.append(f"{name} is in {unit}, which is no unit known here: as it stands")
    return unit, 1.0 if known is None else known[1]


def _camera(raw: Raw, asked: Asked, columns: dict[str, np.ndarray], notes: list[str]) -> Calibration | None:
    """The calibration of a film, in pixels per metre."""
    if raw.camera is None:
        return None
    unit = unit_of(asked.units.get("length", raw.stick))
    scale = raw.camera.scale / (unit[1] if unit and unit[0] == "m" else 1.0)
    width = raw.camera.size[0] if raw.camera.size else max(np.nanmax(x) for x in columns.values())
    if width / scale > WIDE and "length" not in asked.units:
        notes.append(
            f"'{asked.file}' says {scale:.3g} px per m, so that the film of {width:.0f} px is {width / scale:.0f} m "
            'wide: was the stick in cm? units={"length": "cm"}'
        )
    return raw.camera._replace(scale=scale, start=0.0 if asked.frame_rate else raw.camera.start)
