"""Frames that elements join: a body, or the ground, and a frame in it that may move with time."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, constant
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Shift, Transform, Vector, as_transform, singles


def frame_of(given: Any, what: str) -> tuple[Body | Ground, Transform]:
    """Return (body, frame in it) of a body, (body, (x, y, z)) or (body, Transform); else InputError, naming `what`."""
    body, local = given, Transform()
    if isinstance(given, tuple | list) and len(given) == 2 and isinstance(given[0], Body | Ground):
        body, place = given
        point = not isinstance(place, Transform) and _is_point(place)
        local = Transform((Shift(singles(place, f"the point of {what}")),)) if point else as_transform(
            place, f"the transform of {what}"
        )  # fmt: skip
    if not isinstance(body, Body | Ground):
        hint = f" model[{body!r}] is the body of that name." if isinstance(body, str) else ""
        raise InputError(
            f"{what} is {given!r}: expected a body, ground, (body, (x, y, z)) with a point in body axes, or (body, "
            f"Transform).{hint}"
        )
    return body, local


def velocity_at(assembly: Assembly, frame: tuple[Body | Ground, Transform], point: Vector) -> Vector:
    """Velocity (m/s) of what is at a ground position `point` (m) and fixed to a frame that may move in its body."""
    state, local, rate = assembly.state(frame[0]), frame[1].map(assembly.value), assembly.calculus.rate
    v = state.velocity_at(point)
    if constant(frame[1].scalars()):
        return v
    r = local.inv() * (state.T.inv() * point)
    return v + state.T.R * sum((axis.map(rate) * x for axis, x in zip(local.R, r, strict=True)), local.e.map(rate))


def slip(assembly: Assembly, element: Any, point: Vector) -> Vector:
    """Velocity (m/s) at a ground position `point` (m), of what is fixed to the first frame less that of the second."""
    one, other = (velocity_at(assembly, frame, point) for _, frame in element.named_frames)
    return one - other


def _is_point(place: Any) -> bool:
    """True for what is to be a point, and no matrix."""
    if isinstance(place, tuple | list):
        return not any(isinstance(x, tuple | list | np.ndarray) for x in place)
    return getattr(place, "shape", ()) in ((3,), (3, 1)) or getattr(place, "ndim", 0) == 1
