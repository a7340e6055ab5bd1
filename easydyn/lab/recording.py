"""What was measured: columns at instants, NaN where nothing was, in SI; and the checks of what is given as numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError, UnknownNameError
from easydyn.files import package
from easydyn.inputs import a, by_name, expect, finite, shown

__all__ = ["Recording"]

GROUPED = re.compile(r"[+-]?\d{1,3}(?:(,)\d{3}(?:,\d{3})*\.\d*|(\.)\d{3}(?:\.\d{3})*,\d*)")  # 1,234.5 or 1.234,5
EMPTY = ("", "nan", "na", "n/a", "null", "none", "-")  # what stands in a file where nothing was measured


class Calibration(NamedTuple):
    """What a file of Tracker says of its camera: where the pixel (u, v), v down, of a point (x, y) in m is.

    Attributes
    ----------
    scale : float
        Pixels per metre (px/m).
    origin : (2,)
        Where x = y = 0 is in the picture (px), from its upper left corner.
    angle : float
        By how much the x axis is turned to the left in the picture (rad).
    size : (2,) or None
        Width and height of the picture (px).
    film : str
        The path of the film, as the file names it; "" where it names none.
    start : float
        Where t = 0 is in the film (s).
    """

    scale: float
    origin: tuple[float, float]
    angle: float = 0.0
    size: tuple[float, float] | None = None
    film: str = ""
    start: float = 0.0


@answers
@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """Measured columns at instants, in SI; pixels stay pixels. `recording["x"]` is a column, `["t"]` the times.

    Data for `model.fit`; `print` shows what it holds, and what was assumed. It does not change: methods give others.

    Parameters
    ----------
    t : (N,)
        Times (s), which increase.
    columns : dict of str to (N,)
        What was measured, by name, in SI units; NaN where nothing was.
    units : dict of str to str
        The unit that each column had in the file; "" where none was said.
    camera : Calibration or None
        Scale, origin and angle of the film, where the file has them.
    notes : tuple of str
        What was assumed or left out.
    title : str
        Where it comes from, such as the name of the file.
    y_up : bool or None
        Whether y goes up; False in pixels, counted from above. None where nothing was said.
    faults : dict of str to str
        Columns that cannot be used, and why: told when they are asked for.

    Raises
    ------
    InputError
        Times that do not increase, columns of another length, or what is no number.

    Example
    -------
    >>> from easydyn import lab
    >>> swing = lab.Recording([0, 0.1, 0.2], {"angle": [0.3, 0.28, None]}, {"angle": "deg"})
    >>> print(swing)
    3 instants, 0 to 0.2 s, 10 /s, 1 missing; angle in rad
    >>> swing.cut(0.05, 1).t
    array([0.1, 0.2])
    """

    t: np.ndarray
    columns: Mapping[str, np.ndarray]
    units: Mapping[str, str] = field(default_factory=dict)
    camera: Calibration | None = None
    notes: tuple[str, ...] = ()
    title: str = ""
    y_up: bool | None = None
    faults: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        t = numbers("t", self.t)
        check_times(t)
        columns = {x: numbers(x, values) for x, values in by_name(self.columns, "columns", '{"x": [1, 2]}').items()}
        for name, values in columns.items():
            if len(values) != len(t):
                raise InputError(f"column {name!r} of the data has {len(values)} values, and there are {len(t)} times.")
        for array in (t, *columns.values()):
            array.flags.writeable = False
        a((Calibration, NoneType), self.camera, "camera", "the calibration of a film, or None")
        units = {name: str(x) for name, x in by_name(self.units, "units", '{"x": "m"}').items()}
        own = {"t": t, "columns": columns, "units": units, "faults": by_name(self.faults, "faults", '{"x": "why"}')}
        for name, value in own.items():
            object.__setattr__(self, name, value)

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by its name; UnknownNameError where there is none, InputError where it cannot be used."""
        name = str(name)
        if name in self.faults:
            raise InputError(self.faults[name])
        if name in self.columns or name == "t":
            return self.columns.get(name, self.t)
        raise UnknownNameError(f"the data have no column {shown(name)}: they have {', '.join(self.columns) or 'none'}.")

    def __iter__(self) -> Iterator[str]:
        return iter(("t", *self.columns))

    def keys(self) -> tuple[str, ...]:
        """The names: "t", and those of the columns, so that `dict(recording)` is a dict of arrays."""
        return tuple(self)

    def unit(self, name: str) -> str:
        """The unit of the column called `name` as it is here, in SI; as in the file where that is not known."""
        self[name]
        text = "s" if name == "t" else self.units.get(name, "")
        return (unit_of(text) or (text,))[0]

    def table(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Times (s) and values (N,) of the column called `name` without its gaps: `inputs={"u": data.table("u")}`."""
        there = np.isfinite(self[name])
        return self.t[there], self[name][there]

    @property
    def tracks(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Points by name, each with its x and y (N,), in m or in px: "mass A" of the columns "mass A x", "mass A y"."""
        points = [x for x in self.columns if x.rpartition(" ")[2] == "x" and self.unit(x) in ("m", "px", "")]
        pairs = [(x, x[:-1] + "y") for x in points if x[:-1] + "y" in self.columns]
        return {x[:-1].strip(): (self[x], self[y]) for x, y in pairs}

    @property
    def runs(self) -> list[Recording]:
        """This one: `lab.read(path).runs` is a list, whether a file holds one run or several."""
        return [self]

    def cut(self, start: float, end: float) -> Recording:
        """The instants from `start` to `end` (s); InputError where fewer than two are left."""
        start, end = finite(start, "the start of the cut"), finite(end, "the end of the cut")
        which = (self.t >= start) & (self.t <= end)
        return replace(self, t=self.t[which], columns={name: x[which] for name, x in self.columns.items()})

    def shifted(self, by: float) -> Recording:
        """The same values at times that are later `by` so much (s)."""
        return replace(self, t=self.t + finite(by, "the shift of the times"))

    def without(self, column: str, rows: Iterable[int] | slice | int) -> Recording:
        """The same, but nothing measured in some `rows` (indices from 0, or a slice) of a `column`; InputError."""
        values = self[column].copy()
        try:
            values[rows if isinstance(rows, slice) else np.atleast_1d(np.asarray(rows))] = math.nan
        except (IndexError, TypeError, ValueError):
            raise InputError(f"rows is {shown(rows)}: expected rows from 0 to {len(values) - 1}, [3, 4].") from None
        return replace(self, columns={**self.columns, column: values})

    def to_pandas(self) -> Any:
        """The columns as a pandas DataFrame indexed by t, units in its `attrs`; MissingDependencyError."""
        pandas = package("pandas", "to_pandas", '"easydyn[pandas]"')
        table = pandas.DataFrame(dict(self.columns), index=pandas.Index(self.t, name="t"))
        table.attrs = {"units": {name: self.unit(name) for name in self}, "notes": list(self.notes)}
        return table

    def __str__(self) -> str:
        missing = max((int(np.isnan(x).sum()) for x in self.columns.values()), default=0)
        rate = 1 / float(np.median(np.diff(self.t)))
        head = f"{len(self.t)} instants, {self.t[0]:.4g} to {self.t[-1]:.4g} s, {rate:.4g} /s"
        groups: dict[tuple[str, str], list[str]] = {}
        for name in self.columns:
            stem, space, last = name.rpartition(" ")
            groups.setdefault((stem + ": " * bool(space), self.unit(name)), []).append(last)
        texts = [(f"{self.title}: " if self.title else "") + head + (f", {missing} missing" if missing else "")]
        texts += [stem + ", ".join(names) + (f" in {unit}" if unit else "") for (stem, unit), names in groups.items()]
        texts += [f"scale {self.camera.scale:.4g} px/m (from the file)"] if self.camera else []
        return "\n".join(["; ".join(texts), *(f"  {note}" for note in (*self.notes, *self.faults.values()))])

    def __repr__(self) -> str:
        return f"<Recording of {len(self.t)} instants: {', '.join(self.columns)}>"


class Runs(list[Recording]):
    """The recordings of a file that holds several runs: a list, for a fit of all of them."""

    @property
    def runs(self) -> list[Recording]:
        """The recordings, as a list."""
        return list(self)

    def __str__(self) -> str:
        return "\n".join(map(str, self))


def joined(parts: Sequence[Recording], titles: Sequence[str]) -> Recording:
    """One recording of several with times of their own, of which each has gaps at those of the others."""
    t = np.unique(np.concatenate([part.t for part in parts]))
    names = [name for part in parts for name in part.columns]
    columns, units = {}, {}
    for part, title in zip(parts, titles, strict=True):
        for name, values in part.columns.items():
            own = name if names.count(name) == 1 else f"{title} {name}"
            columns[own], units[own] = np.full(len(t), math.nan), part.units.get(name, "")
            columns[own][np.searchsorted(t, part.t)] = values
    faults = {name: text for part in parts for name, text in part.faults.items()}
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Recording(t, columns, units, notes=notes, title=parts[0].title, y_up=parts[0].y_up, faults=faults)


def check_times(t: np.ndarray) -> None:
    """InputError for times that do not increase."""
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


def twice(name: str) -> str:
    """What is said of a name that two columns have."""
    return f"the data have two columns called {name!r}: expected one. Give each a name of its own."


def usable(listed: Iterable[tuple[str, Any]]) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Columns of numbers by name, and what is wrong with the others: told when they are asked for."""
    columns, faults = dict[str, np.ndarray](), dict[str, str]()
    for name, values in listed:
        try:
            if name in {**columns, **faults}:
                columns.pop(name, None)
                raise InputError(twice(name))
            columns[name] = numbers(name, values)
        except InputError as error:
            faults[name] = str(error)
    return columns, faults


def numbers(name: str, values: Any) -> np.ndarray:
    """Numbers (N,), NaN where nothing was measured; InputError, which names the row, for anything else."""
    where = f"column {name!r} of the data"
    if hasattr(values, "magnitude"):
        raise InputError(f"{where} has a unit, {values.units}: expected plain numbers, in the unit of the model.")
    try:
        found = np.asarray(values)
    except ValueError:
        found = np.array(None)
    expect(found.ndim == 1, where, found.shape, "(N,), a number for each time", "has shape")
    if found.dtype.kind in "cmM":
        kind = "complex numbers" if found.dtype.kind == "c" else "dates or durations"
        raise InputError(f"{where} holds {kind}: expected real numbers.")
    if found.dtype.kind not in "fiub":
        listed = []
        for row, value in enumerate(found.tolist(), start=1):
            listed.append(number(value))
            if listed[-1] is None:
                raise InputError(
                    f"{where} has {shown(value)} in row {row}: expected a number, or nothing where nothing was "
                    "measured."
                )
        found = np.array(listed)
    found = found.astype(float)
    if np.ma.isMaskedArray(values):
        found[np.ma.getmaskarray(values)] = math.nan
    if np.isinf(found).any():
        raise InputError(
            f"{where} has {found[np.isinf(found)][0]} in row {int(np.argmax(np.isinf(found))) + 1}: expected a number, "
            "or nothing where nothing was measured."
        )
    return found


def number(value: Any) -> float | None:
    """A number, with a decimal point or a decimal comma; NaN where nothing was measured; None for anything else."""
    if isinstance(value, str):
        if value.strip().lower() in EMPTY:
            return math.nan
        if "," in value:
            grouped = GROUPED.fullmatch(value.strip())
            value = (value.replace(grouped[1] or grouped[2], "") if grouped else value).replace(",", ".")
        value = value.replace("_", "?")  # which Python would take
    elif value is None or type(value).__name__ in ("NAType", "NaTType"):
        return math.nan
    try:
        return float(value)
    except (ValueError, TypeError, OverflowError):
        return None


_DEGREE, _TURN, _G = math.pi / 180, 2 * math.pi, 9.80665  # rad, rad, m/s^2
_WRITTEN = {
    "s": "s 1 sec 1 second 1 seconds 1 sek 1 ms 1e-3 millis 1e-3 us 1e-6 µs 1e-6 micros 1e-6 ns 1e-9 min 60 h 3600",
    "m": "m 1 meter 1 meters 1 metre 1 metres 1 cm 1e-2 mm 1e-3 um 1e-6 µm 1e-6 km 1e3 in 0.0254 inch 0.0254 ft 0.3048",
    "px": "px 1 pixel 1 pixels 1", "Hz": "hz 1", "kg": "kg 1 g_mass 1e-3", "N": "n 1 kn 1e3", "N m": "nm 1 n*m 1",
    "m/s": "m/s 1 cm/s 1e-2 mm/s 1e-3 km/h 0.2777777777777778", "V": "v 1 mv 1e-3", "A": "a 1 ma 1e-3",
    "m/s^2": f"m/s^2 1 m/s2 1 m/s/s 1 cm/s^2 1e-2 mm/s^2 1e-3 g {_G!r}", "uT": "ut 1 µt 1",
    "rad": f"rad 1 radian 1 radians 1 deg {_DEGREE!r} degree {_DEGREE!r} degrees {_DEGREE!r} ° {_DEGREE!r} "
           f"grad {_DEGREE!r} rev {_TURN!r} mrad 1e-3",
    "rad/s": f"rad/s 1 deg/s {_DEGREE!r} °/s {_DEGREE!r} dps {_DEGREE!r} rev/s {_TURN!r} rpm {_TURN / 60!r}",
    "rad/s^2": f"rad/s^2 1 rad/s2 1 deg/s^2 {_DEGREE!r} °/s^2 {_DEGREE!r}",
}  # fmt: skip
UNITS = {
    word: (si, float(factor))
    for si, text in _WRITTEN.items() for word, factor in zip(text.split()[::2], text.split()[1::2], strict=True)
}  # fmt: skip
_SIGNS = str.maketrans({"²": "^2", "·": "*", "⋅": "*", "º": "°", "μ": "µ"})


def unit_of(text: str) -> tuple[str, float] | None:
    """The SI unit and the factor to it of a unit as it is written, "°/s" or "cm"; None of one that is not known."""
    plain = re.sub(r"\s+|\*\*(?=2)", lambda found: "^" if "*" in found[0] else "", text.strip().translate(_SIGNS))
    return UNITS.get(plain) or UNITS.get(plain.lower())
