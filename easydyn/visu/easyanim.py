"""Files of EasyAnim: .vol (nodes, edges, surfaces), .van (frames), .vmo (modes), .hab (meshes).

docs/easyanim.md has the layouts.

Numbers stand in columns of 15 characters: a blank, then all digits that fit into the other 14. Files that are read are
checked completely, and an error message gives the line of the error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any

import numpy as np

from easydyn.errors import FileError
from easydyn.files import written
from easydyn.visu.drawing import Drawing, ModeShape

WIDTH = 15
LONGEST = 100_000  # characters of a line
_WHOLE = re.compile(rb"[+-]?[0-9]{1,15}")

# -- numbers --------------------------------------------------------------------------------------------------------


def number_text(x: float) -> str:
    """The decimal number of at most 14 characters that is nearest to x."""
    forms = ([f"{x:.{d}f}" for d in range(13, -1, -1)], [_short(f"{x:.{d}e}") for d in range(13, -1, -1)])
    fitting = ((text for text in form if len(text) < WIDTH and math.isfinite(float(text))) for form in forms)
    found = [text for text in (next(those, None) for those in fitting) if text is not None]
    return min(found, key=lambda text: (abs(float(text) - x), len(text)))


def _short(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa}e{int(exponent)}"


def rows_text(rows: np.ndarray) -> str:
    """Lines of numbers, 15 characters each, of an array (n, k) of finite numbers."""
    x = np.abs(rows)
    # decimals that fit beside the whole part, one less where rounding might make that longer
    whole = sum(((x >= 10.0**k - 10.0 ** (k - 12)).astype(int) for k in range(1, 12)), np.ones(rows.shape, dtype=int))
    decimals = WIDTH - 2 - whole - (rows < 0)
    plain = (x >= 1e-3) & (x < 1e11)
    forms = np.array([f"%15.{d}f" for d in range(WIDTH)], dtype=object)[np.where(plain, decimals, 0)]
    forms[rows == 0] = f"{0:{WIDTH}d}%.0s"
    values: list[Any] = rows.ravel().tolist()
    flat = forms.ravel()
    for k in np.flatnonzero(~plain & (rows != 0)):
        flat[k], values[k] = "%15s", number_text(values[k])
    return "".join("".join(line) + "\n" for line in flat.reshape(rows.shape)) % tuple(values)


# -- writing --------------------------------------------------------------------------------------------------------


def write_files(drawing: Drawing, path: Path) -> tuple[Path, ...]:
    """Write the files of a drawing: path.hab, or path.vol with .van if it has frames and .vmo if it has modes."""
    if path.suffix.lower() == ".hab":
        parts: dict[Path, Iterable[str]] = {path: _volume(drawing)}
    else:
        parts = {_with(path, ".vol"): _volume(drawing)}
        if len(drawing.frames):
            parts[_with(path, ".van")] = map(rows_text, drawing.frames)
        if drawing.modes:
            parts[_with(path, ".vmo")] = _modes(drawing)
    with ExitStack() as files:  # none takes its place before all are whole
        for place, texts in parts.items():
            file = files.enter_context(written(place))
            file.writelines(text.encode("utf-8", "replace") for text in texts)
    return tuple(parts)


def _volume(drawing: Drawing) -> Iterator[str]:
    ids = drawing.node_ids
    yield f"{drawing.title}\n{len(ids)}\n"
    lines = rows_text(drawing.nodes).splitlines()
    yield from (f"{k:8d}{line}\n" for k, line in zip(ids.tolist(), lines, strict=True))
    yield f"{len(drawing.edges)}\n"
    edges = np.column_stack([drawing.edge_ids, ids[drawing.edges].reshape(-1, 2), drawing.edge_colours])
    yield from ("{:8d} {:8d} {:8d} {:4d}\n".format(*edge) for edge in edges.tolist())
    yield f"{len(drawing.surfaces)}\n"
    for k, around, colour in zip(drawing.surface_ids, drawing.surfaces, drawing.surface_colours, strict=True):
        yield f"{k:8d} {len(around):4d} {' '.join(f'{n:8d}' for n in ids[list(around)].tolist())} {colour:4d}\n"


def _modes(drawing: Drawing) -> Iterator[str]:
    yield f"{drawing.title}\n{len(drawing.modes)}\n"
    for mode in drawing.modes:
        yield f"{mode.id:8d}" + rows_text(np.array([[mode.pole.real, mode.pole.imag]]))
        yield rows_text(np.concatenate([mode.amplitudes.real, mode.amplitudes.imag], axis=1))


def _with(path: Path, ending: str) -> Path:
    """A name with an ending in place of its own, if it has one of these; x.1 is a name, and has none."""
    stem = path.name[: -len(path.suffix)] if path.suffix.lower() in (".vol", ".van", ".vmo") else path.name
    return path.with_name(stem + ending)


# -- reading --------------------------------------------------------------------------------------------------------


class _Lines:
    """The lines of a file one by one, blank ones left out, with what is said of them."""

    def __init__(self, path: Path, file: IO[bytes]):
        self.path, self.file, self.number = path, file, 0

    def line(self) -> bytes:
        """The next line as it is; empty at the end of the file."""
        found = self.file.readline(LONGEST + 1)
        self.number += bool(found)
        if len(found) > LONGEST:
            raise self.broken_line(f"the line has more than {LONGEST} characters: this is not an EasyAnim file")
        return found

    def words(self) -> list[bytes]:
        """The words of the next line that has any; none at the end of the file."""
        while found := self.line():
            if words := found.split():
                return words
        return []

    def broken_line(self, what: str) -> FileError:
        return FileError(f"'{self.path}', line {self.number}: {what}.")

    def cut_off(self, where: str) -> FileError:
        return FileError(f"'{self.path}' ends {where}: it was cut off, or a count in it is wrong.")

    def title(self) -> str:
        found = self.line()
        if not found:
            raise FileError(f"'{self.path}' is empty: expected a title, and then the number of what follows.")
        if self.number == 1:
            found = found.removeprefix(b"\xef\xbb\xbf")
        try:
            return found.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.broken_line(f"expected text in UTF-8, got the byte 0x{found[error.start]:02x}") from None

    def whole(self, word: bytes, what: str) -> int:
        if not _WHOLE.fullmatch(word):
            raise self.broken_line(f"expected {what}, a whole number, got {_shown(word)}")
        return int(word)

    def real(self, word: bytes, what: str) -> float:
        try:
            value = math.nan if b"_" in word else float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.broken_line(f"expected {what}, a finite number, got {_shown(word)}")
        return value

    def count(self, what: str, least: int = 0) -> int:
        words = self.words()
        if not words:
            raise self.cut_off(f"before the number of {what}")
        if len(words) > 1:
            raise self.broken_line(f"expected the number of {what} alone on its line, got {_shown(b' '.join(words))}")
        found = self.whole(words[0], f"the number of {what}")
        if found < least:
            raise self.broken_line(f"the number of {what} is {found}: expected {least or 'zero'} or more")
        return found

    def records(
        self, count: int, what: str, layout: str, least: int, more: bool = False
    ) -> Iterator[tuple[int, list[bytes]]]:
        """The numbers and the other words of `count` lines; with `more`, `least` is the least number of words."""
        lines: dict[int, int] = {}
        for k in range(count):
            words = self.words()
            if not words:
                raise self.cut_off(f"after {k} of {count} {what}s")
            if len(words) < least or (len(words) > least and not more):
                raise self.broken_line(f"expected '{layout}' of {_a(what)}, got {_shown(b' '.join(words))}")
            found = self.whole(words[0], f"the number of {_a(what)}")
            if found in lines:
                raise self.broken_line(f"{what} {found} is there twice: it is in line {lines[found]} already")
            lines[found] = self.number
            yield found, words[1:]

    def row(self, width: int, layout: str, where: str) -> list[float]:
        """The numbers of a line, which may touch each other when each of them fills its 15 columns."""
        while (line := self.line()) and not line.strip():
            pass
        if not line:
            raise self.cut_off(where)
        words = line.split()
        if len(words) != width:
            text = line.rstrip()
            words = [text[k : k + WIDTH].strip() for k in range(0, len(text), WIDTH)]
            if len(words) != width or any(len(word.split()) != 1 for word in words):
                raise self.broken_line(f"expected '{layout}', {width} numbers, got {_shown(b' '.join(line.split()))}")
        return [self.real(word, f"{layout.split()[k]} of a node") for k, word in enumerate(words)]

    def end(self, what: str) -> None:
        if words := self.words():
            raise self.broken_line(f"expected the end of the file after {what}, got {_shown(b' '.join(words))}")


def _a(what: str) -> str:
    return f"an {what}" if what == "edge" else f"a {what}"


def _shown(text: bytes) -> str:
    shown = text[:40].decode("ascii", "backslashreplace")
    return repr(shown + "..." * (len(text) > 40))


def read_files(path: Path) -> Drawing:
    """Read the drawing of a name: x.vol with x.van and x.vmo if they exist, or one file named with its ending."""
    ending = path.suffix.lower()
    if ending == ".hab":
        return _opened(path, _read_volume)
    volume = path if ending == ".vol" else _with(path, ".vol")
    drawing = _opened(volume, _read_volume)
    for kind, reader in ((".van", _read_frames), (".vmo", _read_modes)):
        other = path if ending == kind else _with(path, kind)
        if ending == kind or (ending not in (".vol", ".van", ".vmo") and other.exists()):
            drawing = _opened(other, partial(reader, drawing))
    return drawing


def _opened(path: Path, reader: Callable[[_Lines], Drawing]) -> Drawing:
    try:
        with open(path, "rb") as file:
            return reader(_Lines(path, file))
    except FileNotFoundError:
        raise FileError(
            f"there is no file '{path}': expected a name such as \"x\", of x.vol and its companions, or a .hab."
        ) from None
    except OSError as error:
        raise FileError(f"cannot read '{path}': {error.strerror or error}. Expected an EasyAnim file.") from None


def _read_volume(lines: _Lines) -> Drawing:
    title = lines.title()
    places: dict[int, int] = {}
    nodes: list[list[float]] = []
    for k, words in lines.records(lines.count("nodes"), "node", "id x y z", 4):
        places[k] = len(nodes)
        nodes.append([lines.real(word, f"{axis} of node {k}") for axis, word in zip("xyz", words, strict=True)])

    def known(word: bytes, what: str) -> int:
        node = lines.whole(word, f"a node of {what}")
        if node not in places:
            raise lines.broken_line(
                f"{what} has the node {node}, which is not among the {len(places)} nodes of this file"
            )
        return places[node]

    edges, edge_ids, edge_colours = [], [], []
    for k, words in lines.records(lines.count("edges"), "edge", "id n1 n2 colour", 4):
        edges.append([known(word, f"edge {k}") for word in words[:2]])
        edge_ids.append(k)
        edge_colours.append(lines.whole(words[2], f"the colour of edge {k}"))
    surfaces, surface_ids, surface_colours = [], [], []
    for k, words in lines.records(lines.count("surfaces"), "surface", "id n node1 ... noden colour", 3, True):
        count = lines.whole(words[0], f"how many nodes surface {k} has")
        if count < 3 or len(words) != count + 2:
            raise lines.broken_line(
                f"surface {k} says that it has {count} nodes, and lists {len(words) - 2}: expected as many as it says, "
                "at least 3, and a colour"
            )
        surfaces.append(tuple(known(word, f"surface {k}") for word in words[1:-1]))
        surface_ids.append(k)
        surface_colours.append(lines.whole(words[-1], f"the colour of surface {k}"))
    lines.end(f"{len(surfaces)} surfaces")
    return Drawing(
        title, np.array(nodes, dtype=float).reshape(-1, 3), edges, surfaces,
        np.array(edge_colours, dtype=int), np.array(surface_colours, dtype=int),
        node_ids=np.array(list(places), dtype=int),
        edge_ids=np.array(edge_ids, dtype=int), surface_ids=np.array(surface_ids, dtype=int),
    )  # fmt: skip


def _read_frames(drawing: Drawing, lines: _Lines) -> Drawing:
    n, frames = len(drawing.nodes), []
    if not n:
        raise FileError(f"'{lines.path}' belongs to a scene without nodes: there is nothing that frames could move.")
    while True:
        rows: list[list[float]] = []
        first = lines.file.tell()
        raw = [lines.file.readline(LONGEST + 1) for _ in range(n)]
        try:  # as they are written; what differs from that is read again, line by line
            rows = [[*map(float, line.split())] for line in raw]
            found = np.array(rows)
            plain = found.shape == (n, 3) and bool(np.isfinite(found).all()) and not any(b"_" in line for line in raw)
        except ValueError:
            plain = False
        if plain:
            lines.number += n
            frames.append(found)
            continue
        lines.file.seek(first)
        rows = []
        while len(rows) < n:
            at = len(rows)
            if not at and not _more(lines):
                break
            rows.append(lines.row(3, "x y z", f"in frame {len(frames) + 1}, after {at} of {n} nodes"))
        if not rows:
            break
        frames.append(np.array(rows))
    if not frames:
        raise FileError(f"'{lines.path}' is empty: expected frames of {n} lines 'x y z'.")
    return replace(drawing, frames=np.array(frames))


def _more(lines: _Lines) -> bool:
    """Whether there is anything but blank lines before the end of the file."""
    while True:
        first, number = lines.file.tell(), lines.number
        line = lines.line()
        if not line:
            return False
        if line.strip():
            lines.file.seek(first)
            lines.number = number
            return True


def _read_modes(drawing: Drawing, lines: _Lines) -> Drawing:
    n, modes = len(drawing.nodes), []
    lines.title()
    count = lines.count("modes", 1)
    for k, words in lines.records(count, "mode", "id re im", 3):
        pole = complex(*(lines.real(word, f"the pole of mode {k}") for word in words))
        rows = np.array(
            [lines.row(6, "x y z x y z", f"in mode {k}, after {at} of {n} nodes") for at in range(n)]
        ).reshape(n, 6)
        modes.append(ModeShape(k, pole, rows[:, :3] + 1j * rows[:, 3:]))
    lines.end(f"{count} modes")
    return replace(drawing, modes=tuple(modes))
