"""Files that are no plain table: of Tracker (.trk, .trz), phyphox (.zip), Kinovea, MATLAB, C3D, Excel.

They may come from anywhere: XML with entities is refused, what is packed is unpacked up to a limit, and nothing is
executed.
"""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from easydyn.errors import FileError, MissingDependencyError
from easydyn.files import package
from easydyn.lab import apart
from easydyn.lab.recording import Calibration
from easydyn.lab.table import Raw, decoded, table

MOST_BYTES = 500_000_000  # of a file, and of all that is unpacked of it
MOST_FRAMES = 1_000_000  # of a film
PATIENCE = 60  # s, with what other libraries read
ALONE = "import runpy, sys; sys.path[:] = sys.argv[5:]; runpy.run_path(sys.argv[1], run_name='__main__')"


def raws_of(path: Path, decimal: str | None, drop: bool) -> list[Raw]:
    """The tables of a file: one, or several with times of their own; FileError where it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileError(f"'{path}' has more than {MOST_BYTES / 1e6:g} MB: expected a file of columns.")
        return _raws(path.read_bytes(), path, decimal, drop)
    except (FileError, MissingDependencyError):
        raise
    except FileNotFoundError:
        raise FileError(f"there is no file '{path}': expected measured data in columns.") from None
    except Exception as error:  # of the system; of a library, on a damaged file
        reason = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"[:200]
        raise FileError(f"cannot read '{path}': {reason}. Expected a file of columns below a line of names.") from None


def _raws(content: bytes, path: Path, decimal: str | None, drop: bool) -> list[Raw]:
    ending = path.suffix.lower()
    if content.startswith((b"PK\3\4", b"PK\5\6")):
        return _packed(content, path, decimal, drop)
    if ending in (".xls", ".xlsx"):
        return _sheets(content, path, decimal, drop)
    if ending in (".mat", ".c3d"):
        if content.startswith((b"MATLAB 7.3", b"\x89HDF")):
            raise FileError(f"'{path}' is a file of MATLAB 7.3: there, save('{path.name}', '-v7') saves an older one.")
        return [_matlab(path) if ending == ".mat" else _c3d(path)]
    text = decoded(content, path)
    if text.startswith("#Kinovea"):
        return _kinovea(text, path)
    return [_tracker(text, path) if text.lstrip().startswith("<") else table(text, path.name, decimal, drop)]


def _packed(content: bytes, path: Path, decimal: str | None, drop: bool) -> list[Raw]:
    """Of a zip: the table of each set of phyphox, what Tracker has packed with its film, the sheets of a workbook."""
    from zipfile import ZipFile

    files, left = {}, MOST_BYTES
    with ZipFile(BytesIO(content)) as archive:
        for entry in archive.infolist():
            if entry.filename.lower().endswith((".csv", ".trk", ".xml")):
                with archive.open(entry) as file:
                    files[entry.filename] = file.read(left + 1)
                left -= len(files[entry.filename])
                if left < 0:
                    raise FileError(f"'{path}' holds more than {MOST_BYTES / 1e6:g} MB: expected measured data.")
    if "xl/workbook.xml" in files:
        for name in files:
            _without_entities(decoded(files[name], name), path)
        return _sheets(content, path, decimal, drop)
    trk = [_tracker(decoded(x, path), path) for name, x in files.items() if name.lower().endswith(".trk")]
    sets = {name: decoded(x, name) for name, x in files.items() if name.lower().endswith(".csv")}
    raws = []
    for name, text in sets.items():
        if "meta/" not in name:
            raws.append(table(text, name, decimal, drop))
            raws[-1].title = Path(name).stem
    if not trk and not raws:
        raise FileError(f"'{path}' holds no .csv and no .trk: expected what phyphox or Tracker has packed.")
    for name in (name for name in sets if name.endswith("meta/time.csv")):
        _pauses(table(sets[name], name, decimal), raws)
    return trk[:1] or raws


def _pauses(events: Raw, raws: list[Raw]) -> None:
    """Times after a pause are so much later as it was long: the clock of phyphox stands still in it."""
    names, stopped, waited = [str(x).strip('"') for x in events.columns[0]], math.nan, 0.0
    at, clock = (np.asarray(events.columns[k], dtype=float) for k in (1, 2))
    times = [np.asarray(raw.columns[0], dtype=float) for raw in raws]
    for k, name in enumerate(names):
        if name == "PAUSE":
            stopped = clock[k]
        elif math.isfinite(stopped):
            waited = clock[k] - stopped
            for raw, own in zip(raws, times, strict=True):
                raw.columns[0] = np.where(own > at[k], raw.columns[0] + waited, raw.columns[0])
                raw.notes.append(f"paused at {at[k]:g} s for {waited:g} s: the times after it are later by this")
            stopped = math.nan


def _sheets(content: bytes, path: Path, decimal: str | None, drop: bool) -> list[Raw]:
    """Of a workbook: the table of each sheet; those of phyphox that describe the device are no data."""
    if content.startswith(b"PK"):
        load = package("openpyxl", path.suffix, "openpyxl").load_workbook
        sheets = {sheet.title: sheet.values for sheet in load(BytesIO(content), read_only=True, data_only=True)}
    else:
        book = package("xlrd", path.suffix, "xlrd").open_workbook(file_contents=content)
        sheets = {x.name: (x.row_values(k) for k in range(x.nrows)) for x in book.sheets()}
    raws: list[Raw] = []
    for name, rows in sheets.items():
        text = "\n".join("\t".join("" if x is None else str(x) for x in row) for row in rows)
        if not name.startswith("Metadata") and text.strip():
            raws.append(table(text, f"{path.name}, {name}", decimal, drop))
            raws[-1].title = name
    return raws


def _kinovea(text: str, path: Path) -> list[Raw]:
    """Tracks of a text of Kinovea: times h:mm:ss:hundredths, x and y, a blank line between two."""
    raws: list[Raw] = []
    for part in re.split(r"\n\s*\n", text):
        rows = [line.replace(",", ".").split() for line in part.split("\n") if line.strip() and line[0] != "#"]
        clocks = np.array([[float(x) for x in row[0].split(":")] for row in rows]).reshape(-1, 4)
        values = np.array([(float(row[1]), float(row[2])) for row in rows])
        names = ["t", *(f"point {len(raws) + 1} {x}" for x in "xy")]
        if rows:
            raws.append(Raw(names, [clocks @ (3600, 60, 1, 0.01), *values.T], ["s", "", ""], "Kinovea"))
            raws[-1].notes = ["times in hundredths of a second; x and y in the unit of Kinovea's calibration, or px"]
    if not raws:
        raise FileError(f"'{path}' is empty: expected columns below a line of their names.")
    return raws


def _without_entities(text: str, path: Path) -> None:
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text):
        raise FileError(f"'{path}' is XML with a document type, which could hold entities: expected a file without.")


def _tracker(text: str, path: Path) -> Raw:
    """A file of Tracker: points in px, y down, at the times of their frames; its coordinates are the calibration."""
    from xml.etree import ElementTree

    _without_entities(text, path)
    root = ElementTree.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))

    def named(within: Any, name: str) -> Iterator[Any]:
        return (x for x in within.iter("property") if x.get("name") == name)

    def value(within: Any, name: str, default: Any) -> Any:
        found = next((x.text for x in named(within, name) if x.text), None)
        return default if found is None else type(default)(found)

    def frames(within: Any) -> dict[int, Any]:
        found = next(named(within, "framedata"), ())
        return {int(x.get("name").strip("[]")): x for x in found if re.fullmatch(r"\[\d{1,8}\]", x.get("name") or "")}

    tracks: dict[str, dict[int, tuple[float, float]]] = {}
    for item in (x for tracks in named(root, "tracks") for x in tracks):
        points = {k: (value(x, "x", math.nan), value(x, "y", math.nan)) for k, x in frames(item).items()}
        points = {k: point for k, point in points.items() if all(map(math.isfinite, point))}
        if points:
            tracks[value(item, "name", f"point {len(tracks) + 1}")] = points
    if not tracks:
        raise FileError(f"'{path}' holds no marked points: expected a file of Tracker with point masses.")
    step = max(value(root, "stepsize", 1), 1)
    marked = sorted({k for points in tracks.values() for k in points})
    between = range(marked[0], marked[-1] + 1, step)
    every = np.array(sorted({*marked, *between[:MOST_FRAMES]}))
    frame = value(root, "delta_t", math.nan) / 1000
    start = value(root, "startframe", 0) * frame - value(root, "starttime", 0.0) / 1000
    names, columns = ["frame", "t"], [every.astype(float), every * frame - start]
    for name, points in tracks.items():
        names += [f"{name} x", f"{name} y"]
        columns += np.array([points.get(int(k), (math.nan, math.nan)) for k in every]).T.tolist()
    coords = frames(next(named(root, "coords"), root))
    seen = [[value(x, key, 0.0) for key in ("xscale", "xorigin", "yorigin", "angle")] for x in coords.values()]
    units, stick = ["", "s", *["px"] * (len(names) - 2)], value(root, "length_unit", "m")
    raw = Raw(names, [np.asarray(x) for x in columns], units, "Tracker", y_up=False, stick=stick)
    if seen and seen[0][0] > 0:
        (scale, u, v, angle), film = seen[0], value(next(named(root, "video"), root), "path", "")
        width, height = value(root, "width", 0.0), value(root, "height", 0.0)
        size = (width, height) if width and height else None
        raw.camera = Calibration(scale, (u, v), math.radians(angle), size, film, start)
        if any(x != seen[0] for x in seen):
            raw.notes.append("the calibration changes along the film: that of its first frame is taken")
    return raw


def _apart(library: str, read: Callable[[str], dict[str, Any]], path: Path) -> dict[str, Any]:
    """What a function of apart.py finds in a file by a library, in a process of its own; FileError where it fails."""
    if sys.platform == "emscripten":  # there are no processes in a browser
        return {name: np.asarray(x) for name, x in read(str(path)).items()}
    with TemporaryDirectory() as folder:
        place = f"{folder}/found.npz"
        given = [apart.__file__, read.__name__, str(path.absolute()), place]
        try:
            done = subprocess.run(
                [sys.executable, "-c", ALONE, *given, *sys.path],
                capture_output=True, text=True, errors="replace", timeout=PATIENCE,
            )  # fmt: skip
            failed = done.returncode and (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1][:200]
        except subprocess.TimeoutExpired:
            failed = f"no end in {PATIENCE} s"
        if failed:
            raise FileError(f"cannot read '{path}': {library} failed, {failed}. The file may be damaged.")
        return dict(np.load(place))


def _matlab(path: Path) -> Raw:
    """Vectors of a .mat file, and what Simulink saves as a structure with time."""
    held = _apart("SciPy", apart.matlab, path)
    found = {name: held[str(k)] for k, name in enumerate(held["names"].tolist())}
    length = len(next((x for name, x in found.items() if name.lower() in ("t", "time", "tout")), ()))
    kept = {name: x for name, x in found.items() if len(x) == length or not length}
    notes = [f"{name} left out: {len(x)} values, not {length}" for name, x in found.items() if name not in kept]
    return Raw(list(kept), list(kept.values()), [""] * len(kept), "MATLAB", notes)


def _c3d(path: Path) -> Raw:
    """Markers of a C3D file; gaps where one was not seen."""
    package("ezc3d", ".c3d", "ezc3d")
    held = _apart("ezc3d", apart.c3d, path)
    points, labels = held["points"], held["labels"][: held["points"].shape[1]].tolist()
    names = [f"{label} {axis}" for label in labels for axis in "xyz"]
    t = np.arange(points.shape[2]) / held["rate"][0]
    columns = [t, *points[:, : len(labels)].transpose(1, 0, 2).reshape(len(names), -1)]
    return Raw(["t", *names], columns, ["s", *[*held["units"].tolist(), ""][:1] * len(names)], "C3D")
