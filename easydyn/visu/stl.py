"""Meshes from STL files, text or binary; all contents of a file are checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError
from easydyn.visu.solids import FARTHEST, Solid, meshed

LARGEST = 100_000_000  # bytes: two million triangles in binary
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read(path: Any) -> Solid:
    """The mesh of an STL file, with equal nodes merged.

    Raises
    ------
    FileError
        There is no such file, it is too large, or it is not STL; for a text file, the message gives the line of the
        error.
    """
    try:
        place = Path(path)
        with open(place, "rb") as file:
            data = file.read(LARGEST + 1)
    except (OSError, TypeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise FileError(f"cannot read the mesh {str(path)!r}: {reason}. Expected an STL file.") from None
    if len(data) > LARGEST:
        raise FileError(f"the mesh '{place}' is larger than {LARGEST / 1e6:g} MB: save a coarser one, or a binary STL.")
    corners = _binary(data)
    if corners is None:
        corners = _text(data, place)
    if not len(corners):
        raise FileError(f"the mesh '{place}' is not STL, or holds no triangle: expected text or binary STL.")
    bad = ~np.isfinite(corners).all(axis=(1, 2))
    if bad.any():
        raise FileError(f"the mesh '{place}' has a corner that is no finite number, in triangle {bad.argmax() + 1}.")
    if np.abs(corners).max() > FARTHEST:
        raise FileError(f"the mesh '{place}' reaches {np.abs(corners).max():.3g} m: expected at most {FARTHEST:g}.")
    nodes, index = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    return meshed(nodes, index.reshape(-1, 3))


def _binary(data: bytes) -> np.ndarray | None:
    """Corners (k, 3, 3) when the length is the one that the count of triangles asks for."""
    if len(data) < 84:
        return None
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        return None
    with np.errstate(invalid="ignore"):  # of what is no number: it is told later
        return np.frombuffer(data, _RECORD, count, 84)["corners"].astype(float)


def _text(data: bytes, place: Path) -> np.ndarray:
    """Corners (k, 3, 3) of the words `vertex x y z`, three to each facet."""
    if not data.lstrip()[:5].lower() == b"solid":
        return np.empty((0, 3, 3))
    found: list[list[float]] = []
    for number, line in enumerate(data.decode("ascii", "replace").splitlines(), 1):
        words = line.split()
        if not words:
            continue
        key = words[0].lower()
        if key == "vertex":
            try:
                point = [float(word) for word in words[1:]]
            except ValueError:
                point = []
            if len(point) != 3:
                raise FileError(f"the mesh '{place}', line {number}: expected 'vertex x y z', got {line.strip()!r}.")
            found.append(point)
        elif key == "endfacet" and len(found) % 3:
            raise FileError(f"the mesh '{place}', line {number}: expected three corners in each facet.")
        elif key not in ("solid", "facet", "outer", "endloop", "endfacet", "endsolid"):
            raise FileError(f"the mesh '{place}', line {number}: expected a line of STL, got {line.strip()[:40]!r}.")
    if len(found) % 3:
        raise FileError(f"the mesh '{place}' ends within a triangle: expected three corners in each facet.")
    return np.array(found, dtype=float).reshape(-1, 3, 3)
