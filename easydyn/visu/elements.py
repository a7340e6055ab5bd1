"""Force elements in an automatic scene: springs and dampers between their ends, planes, and parts that touch them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.constraints.chain import DISTANCE
from easydyn.constraints.closure import Closure
from easydyn.constraints.rolling import Touching
from easydyn.forces import Damper, Force, PlanePoint, RigidContact, Spring
from easydyn.forces.line import Ends
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.touch import Contact, Sliding, shapes
from easydyn.touch.rope import Rope, Taut
from easydyn.vec import Shift, Transform, tdisp
from easydyn.visu import colours, looks, motion, solids
from easydyn.visu.chains import moves
from easydyn.visu.scene import End, Frame, Part
from easydyn.visu.shapes import Tyre, arrow

THICK = 0.006  # of a rope, of what thicknesses are shares of


def draw_efforts(builder: Any) -> None:
    """Draw the force elements, and the points without mass where they meet."""
    planes: set[Any] = set()
    for point in builder.m.points:
        builder.draw("node", point.name, solids.sphere(0.02 * builder.s), colours.GREYS["black"])
    for effort in builder.m.efforts:
        ends = getattr(effort, "ends", None)
        if isinstance(ends, Ends):
            _draw_line(builder, effort, ends)
        elif isinstance(effort, PlanePoint):
            _draw_touching(builder, effort)
            _draw_plane(builder, effort.plane, effort.normal, planes)
        elif _is_tyre(effort):
            _draw_plane(builder, effort.road, effort.normal, planes)
        elif isinstance(effort, Rope):
            _draw_rope(builder, effort)
        elif isinstance(effort, Force):
            _draw_thrust(builder, effort)
    draw_shapes(builder, _draw_plane, planes)
    for constraint in builder.m.constraints:
        if isinstance(constraint, Taut):
            _draw_rope(builder, constraint.rope)
        if isinstance(constraint, Touching):
            body, local = constraint.plane
            _draw_plane(builder, (body, local.e), local.R * constraint.normal, planes)
    for closure in joints_of_loops(builder.m):
        _draw_closure(builder, closure)
    if not planes and builder.gravity is not None:
        _draw_floor(builder, [effort.gap for effort in builder.m.efforts if isinstance(effort, RigidContact)])


def joints_of_loops(mechanism: Any) -> list[Closure]:
    """The joints of the loops of a mechanism, also of loops that are solved explicitly."""
    found = (*mechanism.constraints, *(form.constraint for form in mechanism.forms))
    return list(dict.fromkeys(c for c in found if isinstance(c, Closure)))


def _draw_closure(builder: Any, closure: Closure) -> None:
    """The joint that closes a loop, as the joints are drawn that transforms speak of; a rod where it is one."""
    name, r, dark = f"joint {closure.name}", 0.026 * builder.s, colours.GREYS["dark"]
    ends = closure.first, closure.second
    places = [(getattr(body, "name", "ground"), builder.matrix(local)) for body, local in ends]
    if closure.joint == DISTANCE:
        pair = tuple(builder.scene.end(body, local.e) for body, local in ends)
        bar = solids.frustum(0.4 * r, 0.4 * r, 1.0, 16).placed(looks.at((0, 0, 0.5)))
        builder.scene.parts.append(Part(name, pair[0].frame, "between", dark, bar, ends=pair))
    else:
        solid = {
            "revolute": solids.frustum(r, r, 0.1 * builder.s),
            "cylindrical": solids.frustum(1.3 * r, 1.3 * r, 0.16 * builder.s),
            "prismatic": solids.box(2.2 * r, 2.2 * r, 0.16 * builder.s),
        }.get(str(closure.joint), solids.sphere(1.6 * r) if closure.joint in ("spherical", "universal") else None)
        if solid is not None:
            frame, place = places[0] if places[0][0] != "ground" else places[1]
            builder.draw(name, frame, solid.placed(place), dark)
    for frame, place in places:
        if frame == "ground":
            builder.draw("ground", "ground", solids.box(*[2.3 * r] * 3).placed(place), colours.GROUND)


def _draw_line(builder: Any, effort: Any, ends: Ends) -> None:
    pair = tuple(builder.scene.end(*end) for end in (ends.end_1, ends.end_2))
    if isinstance(effort, Spring):
        solid, colour = solids.coil(0.032 * builder.s, 0.006 * builder.s, 9), colours.SPRING
    else:
        solid = looks.pot(0.016 * builder.s)
        colour = colours.DAMPER if isinstance(effort, Damper) else colours.PALETTE["purple"]
    for end, (body, _) in zip(pair, (ends.end_1, ends.end_2), strict=True):
        if isinstance(body, Ground) and end.frame == "ground":
            block = solids.box(*[0.06 * builder.s] * 3).placed(looks.at(end.point))
            builder.draw("ground", "ground", block, colours.GROUND)
    name = type(effort).__name__.lower()
    builder.scene.parts.append(Part(name, pair[0].frame, "between", colour, solid, ends=pair))


def _draw_thrust(builder: Any, effort: Force) -> None:
    """An arrow of a fixed length where a force along one axis of its body acts beside the body's origin: a rotor."""
    body = effort.body
    acting = [k for k, c in enumerate(effort.force) if c != 0]
    if not isinstance(body, Body) or effort.frame is not body or builder.declared(body) or len(acting) != 1:
        return
    if any(map(moves, effort.at)):
        return
    point = builder.vector(effort.at)
    if np.linalg.norm(point) > 0.02 * builder.E:
        length = 0.22 * builder.s
        needle = arrow(0.05).placed(np.diag([length, length, length, 1]))
        place = looks.at(point) @ looks.along(np.eye(3)[acting[0]])
        builder.draw("force", body.name, needle.placed(place), colours.PALETTE["vermilion"])


def _draw_touching(builder: Any, effort: PlanePoint) -> None:
    """A ball of the radius that touches the plane, a small one for a point."""
    body, point = effort.end
    if isinstance(body, Body) and not builder.declared(body) and not any(map(moves, point)):
        radius = getattr(effort, "radius", None)
        if radius is None and body.name in builder.inner:
            return  # the beam itself is seen
        size = 0.02 * builder.s if radius is None else builder.value(radius)
        centre = builder.vector(point)
        builder.draw("contact", body.name, solids.sphere(size).placed(looks.at(centre)))


def _draw_plane(builder: Any, plane: Any, normal: Any, planes: set[Any]) -> None:
    key = (plane[0].name, *plane[1], *normal)
    if key in planes:
        return
    planes.add(key)
    place = looks.at(builder.vector(plane[1]))
    place = place @ looks.along(builder.vector(normal))
    _draw_net(builder, place, plane[0].name, "ground" if isinstance(plane[0], Ground) else "plane")


def _draw_net(builder: Any, place: np.ndarray, body: str, name: str) -> None:
    """A net in the plane z = 0 of a frame, under all that is seen."""
    points = np.concatenate(builder.shown, axis=1)
    reach = float(np.ptp(points, axis=(0, 1)).max()) + 0.5 * builder.E
    middle = np.linalg.inv(place) @ np.append(points.mean(axis=(0, 1)), 1.0)
    middle[2] = 0.0
    net = looks.floor(reach, builder.E).placed(place @ looks.at(middle[:3]))
    builder.draw(name, body, net, colours.GREYS["light"])
    builder.shown.append(np.broadcast_to((place @ np.append(middle[:3], 1.0))[:3], (len(points), 1, 3)))


def _draw_floor(builder: Any, gaps: list[Any]) -> None:
    """Where gaps of rigid contacts close: as far below the lowest point of the bodies as the smallest gap is wide."""
    if not gaps or builder.gravity is None:
        return
    system, (t, q, qd) = builder.scene.system, builder.instants
    widths = motion.evaluated(system, [system.node(gap) for gap in gaps], t, q, qd).min(axis=1)
    hulls = np.concatenate(builder.hulls() or builder.shown[:1], axis=1)
    lowest = (hulls @ -builder.gravity).min(axis=1)
    level = float(np.median(lowest - widths))
    if not np.isfinite(level) or np.ptp(lowest - widths) > 0.2 * builder.E:
        return  # these gaps are not above a floor
    _draw_net(builder, looks.at(-builder.gravity * level) @ looks.along(-builder.gravity), "ground", "ground")


def _is_tyre(effort: Any) -> bool:
    return all(hasattr(effort, name) for name in ("wheel", "axle", "outer_radius", "road", "normal"))


def tyre_of(builder: Any, body: Body) -> solids.Solid | None:
    """The tyre of a wheel, or the rim of a rolling body, in body axes; None for other bodies."""
    for effort in builder.m.efforts:
        if _is_tyre(effort) and effort.wheel[0] is body:
            radius = builder.value(effort.outer_radius)
            width = 2 * builder.value(getattr(effort, "torus_radius", 0)) or 0.2 * radius
            centre = builder.vector(effort.wheel[1])
            axle = builder.vector(effort.axle)
            return Tyre(radius, min(width, radius)).local().placed(looks.at(centre) @ looks.along(axle))
    for constraint in builder.m.constraints:
        for own, local in constraint.wheels if isinstance(constraint, Touching) else ():
            if own is body and constraint.radius != 0:
                radius = builder.value(constraint.radius)
                axle = builder.vector(local.R * constraint.axis)
                place = looks.at(builder.vector(local.e)) @ looks.along(axle)
                return Tyre(radius, 0.12 * radius).local().placed(place)
    return None


def _draw_rope(builder: Any, rope: Any) -> None:
    """A rope as short straight pieces between points that move with it, and what it lies on as discs."""
    thread = solids.frustum(THICK * builder.s, THICK * builder.s, 1.0, 8).placed(looks.at((0, 0, 0.5)))
    for part in rope.parts:
        points = [Transform((Shift(p),)) for p in part.path.points(builder.scene.system.derivation)]
        names = [f"point {k} of {part.name}" for k in range(len(points))]
        builder.scene.frames += [Frame(name, T, is_body=False) for name, T in zip(names, points, strict=True)]
        found = motion.frames_at(builder.scene.system, points, *builder.instants)[:, :, :3, 3]
        builder.shown.append(found[:, np.isfinite(found).all(axis=(0, 2))])
        for pair in zip(names, names[1:], strict=False):
            ends = tuple(End(name, np.zeros(3)) for name in pair)
            builder.scene.parts.append(Part("rope", pair[0], "between", colours.PALETTE["orange"], thread, ends=ends))
    for guide in rope.guides:
        _draw_guide(builder, guide)


def _draw_guide(builder: Any, guide: Any) -> None:
    centre = looks.at(builder.vector(guide.point))
    fixed = isinstance(guide.body, Ground)
    frame, radius = "ground" if fixed else guide.body.name, builder.value(guide.radius)
    if guide.eye:
        block = solids.box(*[0.06 * builder.s] * 3) if fixed and guide.ends else solids.sphere(0.015 * builder.s)
        builder.draw("ground" if fixed else "rope", frame, block.placed(centre), colours.GROUND)
        return
    if getattr(guide, "sphere", False):
        solid = solids.sphere(radius)
    else:
        solid = solids.frustum(radius, radius, 0.02 * builder.s)
        centre = centre @ looks.along(np.array([float(c) for c in guide.axis]))
    builder.draw(type(guide).__name__.lower(), frame, solid.placed(centre), colours.GREYS["light"])


THIN = 0.04  # of the mechanism: how thick shapes of a plane are drawn


def ends_on(builder: Any, body: Body | Ground) -> list[Any]:
    """The ends of contacts on a body, each shape once."""
    elements = (*builder.m.efforts, *builder.m.constraints)
    contacts = [element for element in elements if isinstance(element, Contact | Sliding)]
    ends = [end for contact in contacts for end in (contact.first, contact.second) if end.body is body]
    return list({(repr(end.shape), str(end.local)): end for end in ends}.values())


def solids_on(builder: Any, body: Body | Ground) -> list[solids.Solid]:
    """The shapes with which a body touches others, in its axes; planes are drawn elsewhere."""
    found = ((solid_of(end.shape, builder.value, THIN * builder.s), end.local) for end in ends_on(builder, body))
    return [shape.placed(builder.matrix(local)) for shape, local in found if shape is not None]


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
