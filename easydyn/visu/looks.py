"""Appearance of an automatic scene: rods, discs and boxes of a given inertia, and the view."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from easydyn.mechanics.mechanism import Body
from easydyn.vec import Block, Turn
from easydyn.visu import solids
from easydyn.visu.scene import View
from easydyn.visu.solids import Solid

Number = Callable[[Any], float]


def at(point: Any) -> np.ndarray:
    """The 4x4 array of a displacement."""
    T = np.eye(4)
    T[:3, 3] = point
    return T


def along(axis: np.ndarray) -> np.ndarray:
    """A 4x4 array that turns z to an axis."""
    z = solids.unit(axis)
    x = solids.unit(np.cross(np.eye(3)[np.argmin(np.abs(z))], z))
    T = np.eye(4)
    T[:3, :3] = np.stack([x, np.cross(z, x), z], axis=1)
    return T


def rod(start: np.ndarray, end: np.ndarray, radius: float) -> Solid:
    """A round rod from one point to another, with round ends."""
    line = end - start
    length = float(np.linalg.norm(line))
    quarter = [(radius * np.cos(a), radius * np.sin(a)) for a in (np.pi / 2 * np.arange(4) / 4)]
    profile = [(0.0, -radius), *((x, -z) for x, z in reversed(quarter)), *((x, length + z) for x, z in quarter)]
    profile.append((0.0, length + radius))
    return solids.turned(profile, 16).placed(at(start) @ along(line))


def pot(radius: float) -> Solid:
    """A cylinder and its rod along z from 0 to 1, to be stretched along z."""
    pieces = [(radius, 0.3, 0.35), (0.4 * radius, 0.5, 1.0)]
    return solids.joined([solids.frustum(r, r, length, 16).placed(at((0, 0, z))) for r, z, length in pieces])


def floor(reach: float, size: float) -> Solid:
    """A net in the plane z = 0, out to `reach`: about four lines per size of the mechanism, limited in number."""
    wanted = max(size / 4, reach / 100)
    power = 10 ** np.floor(np.log10(wanted))
    return solids.grid(reach, float(next(k * power for k in (1, 2, 5, 10) if k * power >= wanted * 0.999)))


def distance_to_segment(p: np.ndarray, end: np.ndarray) -> float:
    """Distance of a point from the segment between the origin and `end`."""
    s = np.clip(p @ end / (end @ end), 0, 1)
    return float(np.linalg.norm(p - s * end))


def inertia_of(body: Body, number: Number) -> np.ndarray:
    """The inertia tensor in numbers, (3, 3)."""
    return np.array([[number(body.inertia[i, j]) for j in range(3)] for i in range(3)])


def gyration(body: Body, number: Number) -> float:
    """The largest radius of gyration (m) about the centre of mass, 0 without mass."""
    mass = number(body.mass)
    return float(np.sqrt(max(np.linalg.eigvalsh(inertia_of(body, number))[2], 0) / mass)) if mass > 0 else 0.0


def box_of(inertia: np.ndarray, mass: float, size: float) -> Solid | None:
    """The uniform box of this inertia in body axes, no larger than the mechanism; None for a point mass."""
    if mass <= 0:
        return None
    moments, axes = _principal(inertia)
    squares = 6 * (moments.sum() - 2 * moments) / mass
    if squares.max() <= (0.02 * size) ** 2:
        return None
    sides = np.clip(np.sqrt(np.maximum(squares, 0)), 0.035 * size, 0.9 * size)
    place = np.eye(4)
    place[:3, :3] = axes
    return solids.box(*sides).placed(place)


def ball_of(inertia: np.ndarray, mass: float, size: float) -> Solid | None:
    """The uniform ball of this inertia, no larger than the mechanism; None if its moments are not equal."""
    moments = _principal(inertia)[0]
    if mass <= 0 or np.ptp(moments) > 1e-6 * moments[0]:
        return None
    radius = float(np.sqrt(2.5 * moments[0] / mass))
    return solids.sphere(min(radius, 0.5 * size)) if radius > 1e-3 * size else None


def disc_of(inertia: np.ndarray, mass: float, size: float) -> tuple[np.ndarray, float, float] | None:
    """(axis, radius, thickness) of the uniform disc of this inertia; None if there is no such disc."""
    moments, axes = _principal(inertia)
    for k in range(3):
        a, b, c = moments[(k + 1) % 3], moments[(k + 2) % 3], moments[k]
        if mass > 0 and abs(a - b) < 1e-6 * c and 12 * a < 8 * c:  # thinner than its radius is long
            radius = np.sqrt(2 * c / mass)
            thickness = np.sqrt(max(12 * a / mass - 3 * radius**2, (0.08 * radius) ** 2))
            share = min(1.0, 0.7 * size / radius)
            return axes[:, k], float(radius * share), float(thickness * share)
    return None


def _principal(inertia: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments and axes, right-handed; those of the body where it is given along them."""
    if np.linalg.norm(inertia - np.diag(np.diag(inertia))) < 1e-9 * max(float(np.abs(inertia).max()), 1e-300):
        return np.diag(inertia), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] = -axes[:, 0]
    return moments, axes


def planar(body: Body) -> bool:
    """True when the body turns about one axis only, if at all."""
    return _axis(body) is not False


def _axis(body: Body) -> Any:
    """The axis of all turns of a body, None when it does not turn, False when there are several."""
    found = None
    for factor in body.T.factors:
        if isinstance(factor, Block):
            return False
        if isinstance(factor, Turn):
            if any(getattr(c, "free_symbols", ()) for c in factor.axis):
                return False
            axis = np.array([float(c) for c in factor.axis])
            if found is not None and np.linalg.norm(np.cross(found, axis)) > 1e-9:
                return False
            found = axis if found is None else found
    return found


def turning_axis(body: Body, normal: np.ndarray | None) -> np.ndarray:
    """The axis, in body axes, that a planar body turns about."""
    own = _axis(body)
    if own is None or own is False:
        own = np.array([0.0, 0.0, 1.0]) if normal is None else normal
    return own


def plane_of(bodies: Sequence[Body], T: Sequence[np.ndarray], gravity: np.ndarray) -> np.ndarray | None:
    """The normal of the plane in which all bodies move, or None when there is none."""
    axes = [_axis(body) for body in bodies]
    if any(axis is False for axis in axes):
        return None
    turning = [axis for axis in axes if axis is not None]
    points = np.stack([M[:, :3, 3] for M in T], axis=1).reshape(-1, 3)
    spread = np.ptp(points, axis=0)
    if turning:
        normal = turning[0]
        if any(np.linalg.norm(np.cross(normal, axis)) > 1e-9 for axis in turning):
            return None
    else:
        normal = _plane_of_points(points, gravity)
    moves_out = np.ptp(np.stack([M[:, :3, 3] @ normal for M in T]), axis=1).max()
    return normal if moves_out <= 1e-6 * max(float(spread.max()), 1e-9) else None


def _plane_of_points(points: np.ndarray, gravity: np.ndarray) -> np.ndarray:
    """The normal of the plane nearest to points (n, 3); of a line, the plane that gravity shares, else z if it can."""
    z = np.array([0.0, 0.0, 1.0])
    if not np.abs(points).max(initial=0.0) < 1e100:  # whose squares are not finite: no singular values, no end
        return z
    _, s, axes = np.linalg.svd(points - points.mean(axis=0), full_matrices=True)
    if len(s) < 3 or s[0] <= 1e-12:
        return z
    if s[1] > 1e-9 * s[0]:
        return axes[2] * (np.sign(axes[2][np.argmax(np.abs(axes[2]))]))
    for other in (gravity, *(np.cross(z, axes[0]),), np.array([1.0, 0.0, 0.0])):
        normal = np.cross(axes[0], other)
        if np.linalg.norm(normal) > 1e-6 * max(float(np.linalg.norm(other)), 1e-12):
            normal = solids.unit(normal)
            return normal * np.sign(normal[np.argmax(np.abs(normal))])
    return z


def view(normal: np.ndarray | None, gravity: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(up, towards the eye): plane mechanisms are seen along the normal of their plane, spatial ones from a corner."""
    if gravity is not None:
        up = -gravity
    elif normal is not None and abs(normal[1]) < 0.9:
        up = np.array([0.0, 1.0, 0.0])
    else:
        up = np.array([0.0, 0.0, 1.0])
    if normal is not None and abs(normal @ up) < 0.9:
        front = solids.unit(normal - (normal @ up) * up)
        right = np.cross(up, front)
        return up, -front if right[np.argmax(np.abs(right))] < 0 else front
    first = np.array([1.0, 0.0, 0.0]) if abs(up[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    right = solids.unit(first - (first @ up) * up)
    front = np.cross(right, up)
    azimuth, elevation = np.radians(35), np.radians(22)
    towards = np.cos(elevation) * (np.cos(azimuth) * front + np.sin(azimuth) * right) + np.sin(elevation) * up
    return up, towards


def framed(points: np.ndarray, up: np.ndarray, towards: np.ndarray, margin: float, follow: str | None) -> View:
    """The view that contains all points (n, 3), with a margin (m) around them."""
    middle, axes = points.mean(axis=0), solids.seen_along(up, towards)
    for axis in axes:
        along_it = (points - middle) @ axis
        middle = middle + axis * (along_it.min() + along_it.max()) / 2
    width, height = (float(np.ptp(points @ axis)) + 2 * margin for axis in axes[:2])
    return View(middle, (width, height), up, towards, follow)
