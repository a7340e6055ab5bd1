"""Directions given by name or by three numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.inputs import expect, finite
from easydyn.vec.scalars import is_number
from easydyn.vec.tensors import Vector, vector

AXES = {"x": Vector(1, 0, 0), "y": Vector(0, 1, 0), "z": Vector(0, 0, 1)}


def direction(given: Any, what: str) -> Vector:
    """The unit vector of "x", "y", "z" or of three numbers; InputError, naming `what`, otherwise."""
    if isinstance(given, str) and given in AXES:
        return AXES[given]
    n = vector(given, what)
    expect(all(map(is_number, n)), what, tuple(n), "numbers; put angles into the frames instead")
    u = np.array([finite(c, f"a component of {what}") for c in n])
    norm = float(np.linalg.norm(u))
    expect(norm > 0 and np.isfinite(norm), what, tuple(n), "a vector that is not zero")
    exact = np.array_equal(np.abs(u), np.eye(3)[int(np.argmax(np.abs(u)))])
    return Vector(*(int(x) for x in u)) if exact else Vector(*map(float, u / norm))
