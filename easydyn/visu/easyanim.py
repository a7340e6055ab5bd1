"""Files of EasyAnim: .vol (nodes, edges, surfaces), .van (frames), .vmo (modes), .hab (meshes).

docs/easyanim.md has the layouts.

Numbers stand in columns of 15 characters: a blank, then all digits that fit into the other 14.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.files import written
from easydyn.visu.drawing import Drawing

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
