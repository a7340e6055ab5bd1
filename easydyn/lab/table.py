"""Tables of text: the encoding, the separator, the heading, the decimal sign, and the columns below.

The separator is the one by which most lines are rows of numbers. The heading is what stands above the first of these
rows: names, or names and units, or the headings of programs. Numbers are read by blocks of lines, as arrays if all of
them are numbers with points, otherwise one by one.
"""

from __future__ import annotations

import codecs
import csv
import math
import re
from dataclasses import dataclass, field

import numpy as np

from easydyn.errors import FileError
from easydyn.lab.recording import Calibration, number, unit_of

BLOCK = 500  # lines that are read at once: where one has a word, all of them are taken one by one
SAMPLE = 200  # lines in which the separator and the heading are looked for
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")  # or decimals
COMMAS = re.compile(r"(?<![\d.])(\d+),(\d+(?:[eE][-+]?\d+)?)(?=,|$)")  # decimal ones, between commas
GROUPS = re.compile(r"(?<![\d.])[1-9]\d{0,2}(?:\.\d{3})+(?!\d)")  # thousands by points
UNIT = re.compile(r"(.+?)\s*[(\[]([^()\[\]]*)[)\]]\s*(Run ?#? ?\d+)?")
OF_A_RUN = re.compile(r"(?P<before>[^:]+): (?P<a>.+)|(?P<b>.+?) (?P<after>Run ?#? ?\d+)")
NO_ANGLES = re.compile(r"_t[xyz]$|force|torque|moment|_[pv][xyz]$")  # among the columns of OpenSim


@dataclass
class Raw:
    """Columns (N,) as a file has them, with their names, "" where there is none, and units as they are written."""

    names: list[str]
    columns: list[np.ndarray]
    units: list[str]
    kind: str = ""
    notes: list[str] = field(default_factory=list)
    title: str = ""
    camera: Calibration | None = None
    stick: str = "m"  # the unit in which the camera's scale is
    y_up: bool | None = None

    def runs(self) -> list[Raw]:
        """Its parts, if all names are those of runs: "Angle Run #2" of PASCO, "Latest: Angle" of Vernier."""
        found = [OF_A_RUN.fullmatch(name) for name in self.names]
        groups: dict[str, list[int]] = {}
        for k, match in enumerate(found):
            groups.setdefault(match["before"] or match["after"] if match else "", []).append(k)
        if not found or "" in groups:
            return [self]
        plain = [match["a"] or match["b"] for match in found if match]
        return [
            Raw([plain[k] for k in at], [self.columns[k] for k in at], [self.units[k] for k in at], notes=self.notes)
            for at in groups.values()
        ]


def bare(name: str) -> tuple[str, str]:
    """A name without its unit in brackets, and the unit; what stands behind the brackets belongs to the name."""
    name = " ".join(name.split())
    match = UNIT.fullmatch(name)
    return (f"{match[1]} {match[3] or ''}".strip(), match[2].strip()) if match else (name, "")


def decoded(content: bytes, where: object) -> str:
    """Bytes as text in UTF-8, UTF-16 or cp1252, with lines that end in LF; FileError where they are no text."""
    marked = content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    half = content[:4000].count(0) > 0.3 * len(content[:4000])
    for code in ("utf-16",) if marked else ("utf-16-le", "utf-16-be") if half else ("utf-8-sig", "cp1252"):
        try:
            found = content.decode(code)
        except UnicodeDecodeError:
            continue
        sample, sure = found[:4000], code in ("utf-8-sig", "utf-16")
        good = sum((c.isprintable() or c in "\t\r\n\f") and (sure or c.isascii()) for c in sample)
        if good >= 0.7 * len(sample):
            return found.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    raise FileError(f"cannot read '{where}': it is no text in UTF-8, UTF-16 or cp1252. Expected a file of columns.")


def table(text: str, where: str, decimal: str | None = None, drop: bool = False) -> Raw:
    """The columns of a text; FileError for what is no table."""
    lines = [line for line in text.split("\n") if line and not line.isspace()]
    if not lines:
        raise FileError(f"'{where}' is empty: expected columns below a line of their names.")
    separator = _separator(lines[:SAMPLE])
    rows = [_split(line, separator) for line in lines[:SAMPLE]]
    first = next((k for k, row in enumerate(rows) if _numeric(row)), min(1, len(rows)))
    while first and "numbers" in _kinds(rows[first - 1]):  # a row of numbers and words
        first -= 1
    raw = _heading(rows[:first], [line.strip() for line in lines[:first]])
    entries = len(rows[first]) if first < len(rows) else 0
    if len(raw.names) < 2 <= entries:
        raw.names, raw.units = [], []
    width = len(raw.names) or entries
    body = [line for line in lines[first:] if line.lstrip()[0] != "#"]
    if raw.kind == "Tracker" and separator == "," and entries >= 2 * width:
        decimal = ","
    body = _with_points(body, separator, where, decimal)
    raw.columns = _columns(body, separator, width, where, first + 1, drop, raw.notes)
    return raw


def _split(line: str, separator: str | None) -> list[str]:
    """The entries of a line, without blanks around them."""
    if separator is None:
        return line.split()
    try:
        cells = next(csv.reader([line], delimiter=separator)) if '"' in line else line.split(separator)
    except csv.Error:
        cells = line.split(separator)
    return [cell.strip() for cell in cells]


def _kinds(row: list[str]) -> set[str]:
    """What a row holds: numbers, gaps, words."""
    return {"words" if x is None else "gaps" if math.isnan(x) else "numbers" for x in map(number, row)}


def _numeric(row: list[str]) -> bool:
    return "numbers" in (found := _kinds(row)) and "words" not in found


def _separator(lines: list[str]) -> str | None:
    """Tab, semicolon, comma, or None for blanks: by which most lines are rows of several numbers."""
    marks = ("\t", ";", ",", None)
    counts = [sum(len(row) > 1 and _numeric(row) for row in (_split(line, mark) for line in lines)) for mark in marks]
    best = marks[counts.index(max(counts))]
    return best if any(counts) else next((mark for mark in marks[:3] if mark and mark in lines[0]), None)


def _heading(rows: list[list[str]], lines: list[str]) -> Raw:
    """Names, units and the program by what stands above the numbers: the entries of its lines, and these lines."""
    raw = Raw([], [], [])
    if not rows:
        return raw
    for row in rows:
        while len(row) > 1 and not row[-1]:
            row.pop()
    names, above = rows[-1], rows[-2] if len(rows) > 1 else [""]
    if names[0].startswith("#"):
        names = [names[0][1:].strip(), *names[1:]] if names[0] != "#" else names[1:]
    width = len(names)
    if lines[0].startswith("PathFileType") and len(rows) > 4:  # OpenSim, of markers
        unit = dict(zip(rows[1], rows[2], strict=False)).get("Units", "")
        groups = _filled(above, width)
        names = [f"{group} {axis[:1].lower()}" if axis else group for group, axis in zip(groups, names, strict=True)]
        raw.units = ["", "s", *[unit] * (width - 2)]
    elif "endheader" in lines:  # OpenSim
        angle = "deg" if any(re.fullmatch(r"(?i)indegrees\s*=\s*yes", line) for line in lines) else "rad"
        raw.units = ["s", *("" if NO_ANGLES.search(name) else angle for name in names[1:])]
    elif lines[0].startswith("Vernier Format") and len(rows) > 3:
        names, raw.units = rows[-3], names
    elif rows[0][0].lower() == "scorer" and len(rows) > 2:
        names = ["frame", *(" ".join(words) for words in list(zip(*rows[1:], strict=False))[1:])]
        raw.kind, raw.units, raw.y_up = "DeepLabCut", ["", *["px"] * (len(names) - 1)], False
    elif len(rows) > 1 and not above[0] and any(above):
        raw.kind = "Tracker"
        groups = _filled(above, width)
        names = [names[0], *(f"{group} {name}" for group, name in zip(groups[1:], names[1:], strict=True))]
    elif len(above) >= width > 1 and all(unit_of(name) or not name for name in names):
        names, raw.units = above[:width], names
    external = len(above) == 1 and above[0] and width > 2 and all(re.match("[xy].", name) for name in names[1:])
    if external or "frame" in names and any(re.match("[xy]_.", name) for name in names):
        raw.kind = "Tracker"  # a table of the autotracker, x_target; an external model, xA
        names = [re.sub(r"^([xy])_?(.+)", r"\2 \1", name) for name in names]
    if raw.kind == "Tracker":
        raw.units = ["s" if names[0].lower() == "t" else "", *[""] * (len(names) - 1)]
    pairs = [bare(name) for name in names]
    raw.names = [name for name, _ in pairs]
    raw.units = [given or own for given, (_, own) in zip(raw.units + [""] * len(pairs), pairs, strict=False)]
    return raw


def _filled(groups: list[str], width: int) -> list[str]:
    """Names that stand above the first of their columns, above each of them."""
    found: list[str] = []
    for name in (groups + [""] * width)[:width]:
        found.append(name or (found[-1] if found else ""))
    return found


def _with_points(lines: list[str], separator: str | None, where: str, decimal: str | None) -> list[str]:
    """The lines with decimal points; as they are where points and commas stand side by side."""
    if separator == ",":
        return [COMMAS.sub(r"\1.\2", line) for line in lines] if decimal == "," else lines
    commas = (cell for line in lines if "," in line for cell in _split(line, separator) if "," in cell)
    found = next((cell for cell in commas if number(cell) is not None), None)
    if found is None:
        return lines
    if decimal == ".":
        return [re.sub(r"(?<=\d),(?=\d{3})", "", line) for line in lines]
    if decimal is None and THOUSANDS.fullmatch(found):
        if all(THOUSANDS.fullmatch(cell) for cell in commas if number(cell) is not None):
            raise FileError(
                f'\'{where}\': "{found}" may be {found.replace(",", ".")} or {found.replace(",", "")} in every row: '
                'say decimal="," or ".".'
            )
    if any("." in line for line in lines):
        return [GROUPS.sub(lambda m: m[0].replace(".", ""), line) for line in lines] if decimal else lines
    return "\n".join(lines).replace(",", ".").split("\n")


def _columns(
    lines: list[str], separator: str | None, width: int, where: str, above: int, drop: bool, notes: list[str]
) -> list[np.ndarray]:
    """The columns (N,) of lines: numbers, or objects in those that hold words."""
    blocks, broken = [[np.empty(0)] * width], 0
    for k in range(0, len(lines), BLOCK):
        block, rows = lines[k : k + BLOCK], []
        if (found := _array(block, separator, width)) is not None:
            blocks.append(list(found.T))
            continue
        for j, line in enumerate(block, start=k + above):
            row = _split(line, separator)
            while len(row) > width and not row[-1]:
                row.pop()
            if len(row) == width:
                rows.append([text if (x := number(text)) is None else x for text in row])
            elif not drop:
                raise FileError(f"row {j} of '{where}' has {len(row)} entries, and there are {width} columns.")
            broken += len(row) != width
        words = [any(isinstance(row[k], str) for row in rows) for k in range(width)]
        blocks.append([np.array([row[k] for row in rows], object if words[k] else float) for k in range(width)])
    notes += [f"{broken} broken rows left out"] if broken else []
    return [np.concatenate(own) for own in zip(*blocks, strict=True)]


def _array(lines: list[str], separator: str | None, width: int) -> np.ndarray | None:
    """Lines of plain numbers and gaps as an array; None of anything else."""
    for attempt in range(2 if separator else 1):
        if attempt:  # gaps
            text = "\n".join([*lines, ""])
            for end in (separator, separator, "\n"):
                text = text.replace(f"{separator}{end}", f"{separator}nan{end}")
            lines = text.split("\n")[:-1]
        try:
            found = np.loadtxt(lines, delimiter=separator, ndmin=2, comments=None, quotechar='"')
        except ValueError:
            continue
        if np.isnan(found[:, width:]).all() and found.shape[1] >= width:
            return found[:, :width]
    return None
