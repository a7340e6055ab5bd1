"""Frames that constraints join: a body, or the ground, and a constant frame of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import finite
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Shift, Transform, Vector, as_transform, vector
from easydyn.vec.scalars import is_number

AXES = {"x": Vector(1, 0, 0), "y": Vector(0, 1, 0), "z": Vector(0, 0, 1)}


def frame_of(given: Any, what: str) -> tuple[Body | Ground, Transform]:
    """(body, frame in it) of a body, (body, (x, y, z)) or (body, Transform); InputError, naming `what`, otherwise."""
    body, local = given, Transform()
    if isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], Body | Ground):
        body, place = given
        point = not isinstance(place, Transform) and _is_point(place)
        local = Transform((Shift(vector(place, f"the point of {what}")),)) if point else as_transform(
            place, f"the transform of {what}"
        )  # fmt: skip
    if not isinstance(body, Body | Ground):
        hint = f" model[{body!r}] is the body of that name." if isinstance(body, str) else ""
        raise InputError(
            f"{what} is {given!r}: expected a body, ground, (body, (x, y, z)) with a point in body axes, or (body, "
            f"Transform).{hint}"
        )
    return body, local


def _is_point(place: Any) -> bool:
    """True for what is to be a point, and no matrix."""
    if isinstance(place, tuple | list):
        return not any(isinstance(x, tuple | list | np.ndarray) for x in place)
    return getattr(place, "shape", ()) in ((3,), (3, 1)) or getattr(place, "ndim", 0) == 1


def direction(given: Any, what: str) -> Vector:
    """The unit vector of "x", "y", "z" or of three numbers; InputError, naming `what`, otherwise."""
    if isinstance(given, str) and given in AXES:
        return AXES[given]
    n = vector(given, what)
    if not all(is_number(c) for c in n):
        raise InputError(f"{what} is {tuple(n)}: expected numbers; put angles into the frames instead.")
    u = np.array([finite(c, f"a component of {what}") for c in n])
    norm = float(np.linalg.norm(u))
    if not norm > 0 or not np.isfinite(norm):
        raise InputError(f"{what} is {tuple(n)}: expected a vector that is not zero.")
    exact = np.array_equal(np.abs(u), np.eye(3)[int(np.argmax(np.abs(u)))])
    return Vector(*(int(x) for x in u)) if exact else Vector(*map(float, u / norm))
