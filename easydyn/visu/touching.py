"""Shapes that touch in an automatic scene: what is in contact is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.touch import Contact, Sliding, shapes
from easydyn.vec import tdisp
from easydyn.visu import colours, looks, solids

THIN = 0.04  # of the mechanism: how thick shapes of a plane are drawn


def ends_on(builder: Any, body: Body | Ground) -> list[Any]:
    """The ends of contacts on a body, each shape once."""
    elements = (*builder.m.efforts, *builder.m.constraints)
    contacts = [element for element in elements if isinstance(element, Contact | Sliding)]
    ends = [end for contact in contacts for end in (contact.first, contact.second) if end.body is body]
    return list({(repr(end.shape), str(end.local)): end for end in ends}.values())


def solids_on(builder: Any, body: Body | Ground) -> list[solids.Solid]:
    """The shapes with which a body touches others, in its axes; planes are drawn elsewhere."""
    found = []
    for end in ends_on(builder, body):
        shape = solid_of(end.shape, builder.value, THIN * builder.s)
        if shape is not None:
            found.append(shape.placed(builder.matrix(end.local)))
    return found


def draw_shapes(builder: Any, draw_plane: Callable[..., None], planes: set[Any]) -> None:
    """Planes and half-planes, and what touches the others on the ground."""
    for solid in solids_on(builder, ground):
        builder.draw("ground", "ground", solid, colours.GROUND)
        builder.shown.append(np.broadcast_to(solid.nodes, (len(builder.instants[0]), *solid.nodes.shape)))
    for body in (ground, *builder.m.bodies):
        for end in ends_on(builder, body):
            if isinstance(end.shape, shapes.Plane | shapes.HalfPlane):
                draw_plane(builder, (body, end.local.e), end.local.R * end.shape.normal, planes)


def solid_of(shape: Any, value: Callable[[Any], float], thin: float) -> solids.Solid | None:
    """A shape as a solid about its origin, those of a plane `thin`; None for planes."""
    if isinstance(shape, shapes.Curve):
        outline = shape.outline(value)
        if shape.solid:
            return _prism(_flat(outline[:-1]), thin)
        return _wall(outline, shape.outline(value, thin / 2), thin)
    sizes = [value(x) for x in shape.scalars()]
    if isinstance(shape, shapes.Disc):
        return solids.frustum(sizes[0], sizes[0], thin, 48)
    if isinstance(shape, shapes.Hole):
        return solids.tube(1.1 * sizes[0], sizes[0], thin, 64)
    if isinstance(shape, shapes.Sphere):
        return solids.sphere(sizes[0])
    if isinstance(shape, shapes.Point):
        return solids.sphere(thin / 2)
    if isinstance(shape, shapes.Box):
        return solids.box(*sizes)
    if isinstance(shape, shapes.Polygon):
        return _prism(np.array(shape.corners, dtype=float), thin)
    if isinstance(shape, shapes.Rim):
        return solids.torus(sizes[0], 0.03 * sizes[0]).placed(looks.along(np.array(shape.axis, dtype=float)))
    if isinstance(shape, shapes.Ellipsoid):
        return solids.sphere(1.0).placed(np.diag([*sizes, 1.0]))
    if isinstance(shape, shapes.Capsule):
        r, length = sizes
        ends = [solids.sphere(r).placed(tdisp(0, 0, side * length / 2).matrix) for side in (-1, 1)]
        return solids.joined([solids.frustum(r, r, length), *ends])
    return None


def _prism(corners: np.ndarray, thin: float) -> solids.Solid:
    n = len(corners)
    nodes = np.concatenate([corners - (0, 0, thin / 2), corners + (0, 0, thin / 2)])
    sides = [(k, (k + 1) % n, n + (k + 1) % n, n + k) for k in range(n)]
    ends = [tuple(reversed(range(n))), tuple(range(n, 2 * n))] if n > 2 else []
    edges = [edge for k in range(n) for edge in ((k, (k + 1) % n), (n + k, n + (k + 1) % n), (k, n + k))]
    return solids.solid(nodes, edges, [*ends, *sides])


def _flat(points: np.ndarray) -> np.ndarray:
    return np.column_stack([points, np.zeros(len(points))])


def _wall(front: np.ndarray, back: np.ndarray, thin: float) -> solids.Solid:
    """What is between two lines of as many points."""
    n, lines = len(front), [(front, -1), (front, 1), (back, 1), (back, -1)]
    nodes = np.concatenate([_flat(line) + (0, 0, side * thin / 2) for line, side in lines])
    edges = [(m * n + k, m * n + k + 1) for m in range(4) for k in range(n - 1)]
    strips = [((m * n), ((m + 1) % 4) * n) for m in range(4)]
    faces = [(a + k, a + k + 1, b + k + 1, b + k) for a, b in strips for k in range(n - 1)]
    return solids.solid(nodes, edges, faces)
