"""Drawings: nodes, edges and surfaces that move node by node, without bodies, and their files.

    drawing = easyanim.Drawing("line", nodes=[(0, 0, 0), (1, 0, 0)], edges=[(0, 1)])
    drawing.nodes, drawing.frames      # (N, 3), (F, N, 3)

Colours are numbers, as in the files; `COLOURS` gives the meaning of each. The files are those of EasyAnim: .vol (nodes,
edges, surfaces), .van (frames), .vmo (modes), .hab (meshes). docs/easyanim.md has the layouts. Numbers stand in columns
of 15 characters: a blank, then all digits that fit into the other 14.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.files import written
from easydyn.inputs import listed, real_array, shown, whole
from easydyn.visu.colours import COLOURS as BY_NAME
from easydyn.visu.colours import rgb
from easydyn.visu.solids import indices

# In the order of the sixteen colours that screens once had, as near to them as colours are that stay apart for all.
COLOURS = {
    0: "black", 1: "blue", 2: "green", 3: "sky", 4: "vermilion", 5: "purple", 6: "orange", 7: "light", 8: "grey",
    9: "dark", 14: "yellow", 15: "white",
}  # fmt: skip
_VALUES = {number: BY_NAME[name] for number, name in COLOURS.items()}


def colour_number(colour: str) -> int:
    """The number of a colour "#rrggbb", or of the one that is nearest to it."""
    return min(_VALUES, key=lambda number: float(np.sum((rgb(_VALUES[number]) - rgb(colour)) ** 2)))


@answers
class ModeShape(NamedTuple):
    """The motion of nodes in a mode: x + a Re(amplitudes exp(i phase)), with a of your choice.

    Attributes
    ----------
    id : int
        Its number in the file.
    pole : complex (rad/s)
        The pole of the linearised equations.
    amplitudes : complex array (N, 3)
        The amplitude of each node, in m for each m (or rad) of the coordinate that moves most.

    Example
    -------
    >>> from easydyn import easyanim
    >>> easyanim.ModeShape(1, -3 + 4j, [[1, 0, 0]]).pole
    (-3+4j)
    """

    id: int
    pole: complex
    amplitudes: np.ndarray


def _mode(given: Any) -> ModeShape:
    """A ModeShape of one, or of three values."""
    try:
        number, pole, amplitudes = given
        return ModeShape(whole(number, "the id of a mode", least=0), complex(pole), np.array(amplitudes, dtype=complex))
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"a mode of a drawing is {shown(given)}: expected ModeShape(id, pole, amplitudes).") from None


@answers
@dataclass(frozen=True, eq=False)
class Drawing:
    """Nodes, edges and surfaces, with the positions of the nodes in each frame, or their motion in modes.

    Attributes
    ----------
    title : str
        One line, with single blanks.
    nodes : array (N, 3)
        Points (m).
    edges : array (E, 2) of int
        The nodes that each edge joins, counted from 0.
    surfaces : tuple of tuples of int
        The nodes around each surface, counted from 0.
    edge_colours, surface_colours : arrays (E,), (S,) of int
        Keys of `COLOURS`; 0 if left out.
    frames : array (F, N, 3)
        Positions (m) of all nodes; F is 0 if nothing moves.
    modes : tuple of ModeShape
        The motions of the nodes in modes of a mechanism, or of anything else.
    node_ids, edge_ids, surface_ids : arrays (N,), (E,), (S,) of int
        Their numbers in files; 1, 2, 3 ... if left out.

    Raises
    ------
    InputError
        Arrays that do not fit together; numbers that are not finite; nodes that do not exist.

    Example
    -------
    >>> from easydyn import easyanim
    >>> triangle = easyanim.Drawing("triangle", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], surfaces=[(0, 1, 2)])
    >>> paths = easyanim.write(triangle, "triangle")
    >>> [path.name for path in paths]
    ['triangle.vol']
    """

    title: str
    nodes: Any
    edges: Any = ()
    surfaces: Any = ()
    edge_colours: Any = None
    surface_colours: Any = None
    frames: Any = ()
    modes: tuple[ModeShape, ...] = ()
    node_ids: Any = field(default=None, repr=False)
    edge_ids: Any = field(default=None, repr=False)
    surface_ids: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        def keep(name: str, value: Any) -> None:
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

        keep("title", " ".join(str(self.title).split()))
        keep("nodes", self._numbers("nodes", self.nodes, (-1, 3)))
        n = len(self.nodes)
        edges, surfaces = indices(self.edges, self.surfaces, n, "a drawing")
        keep("edges", edges)
        keep("surfaces", surfaces)
        moving = np.size(real_array(self.frames, "frames of a drawing"))
        keep("frames", self._numbers("frames", self.frames, (-1, n, 3)) if moving else np.empty((0, n, 3)))
        keep("modes", tuple(_mode(s) for s in listed(self.modes, "modes of a drawing", "ModeShapes")))
        for mode in self.modes:
            if mode.amplitudes.shape != (n, 3) or not np.isfinite([*mode.amplitudes.ravel(), mode.pole]).all():
                raise InputError(
                    f"the amplitudes of mode {mode.id} have shape {mode.amplitudes.shape}: expected finite numbers, "
                    f"({n}, 3), one row for each node."
                )
            mode.amplitudes.setflags(write=False)
        for what, count in (("node", n), ("edge", len(self.edges)), ("surface", len(self.surfaces))):
            keep(f"{what}_ids", self._whole(f"{what}_ids", count, np.arange(1, count + 1)))
            if len(set(getattr(self, f"{what}_ids").tolist())) < count:
                raise InputError(f"{what}_ids holds a number twice: expected a number of its own for each.")
            if what != "node":
                keep(f"{what}_colours", self._whole(f"{what}_colours", count, np.zeros(count, dtype=int)))

    def _numbers(self, name: str, value: Any, shape: tuple[int, ...]) -> np.ndarray:
        found = real_array(value, f"{name} of a drawing").copy()
        if found.ndim != len(shape) or any(k not in (-1, own) for k, own in zip(shape, found.shape, strict=True)):
            wanted = ", ".join("any" if k < 0 else str(k) for k in shape)
            raise InputError(f"{name} of a drawing has shape {found.shape}: expected ({wanted}).")
        if not np.isfinite(found).all():
            raise InputError(f"{name} of a drawing are not all finite: look where its numbers come from.")
        return found

    def _whole(self, name: str, count: int, default: np.ndarray) -> np.ndarray:
        given = getattr(self, name)
        found = default if given is None else np.array(real_array(given, f"{name} of a drawing"))
        if found.shape != (count,) or (count and not (found == np.floor(found)).all()):
            raise InputError(f"{name} of a drawing is {shown(given)}: expected {count} whole numbers.")
        return found.astype(int)

    def __repr__(self) -> str:
        moving = [name for name in ("frames", "modes") if len(getattr(self, name))]
        counts = [f"{len(getattr(self, name))} {name}" for name in ("nodes", "edges", "surfaces", *moving)]
        return f"Drawing({self.title!r}: {', '.join(counts)})"


WIDTH = 15

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
