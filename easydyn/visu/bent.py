"""Flexible bodies as surfaces: beams along the line of their elements, bodies from matrices by their shapes.

A beam is a net of points (s, y, z): s goes from 0 to 1 along an element; y and z lie on the outline of its section. The
line of the element is the Hermite cubic of its nodes, as in `Beam.at`: exact at the nodes, smooth between them. The
frames of the nodes move the net, so it bends in the browser as well. The values that colours show, `VALUES`, are
computed for each instant of a run:

    stress        E (strain - y k_y - z k_z), along the beam, of stretch and bending
    curvature     (k_y^2 + k_z^2)^(1/2), beside that without stress
    deflection    the distance from where the line would be without stress, carried along by its first node where that
                  is clamped, else by the chord between its ends; of bodies from matrices, from their frame

The nodes and point masses of such a body (`inner`) are not drawn themselves.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.errors import InputError
from easydyn.flexible import Beam, Elasticity
from easydyn.flexible.beam import Piece, strains
from easydyn.inputs import among, expect
from easydyn.mechanics.mechanism import path
from easydyn.vec import Block, Rotation, Shift, Transform, Vector, cross, dot
from easydyn.vec.scalars import sqrt
from easydyn.visu import colours, looks, motion, solids
from easydyn.visu.chains import moves
from easydyn.visu.scene import End, Part, carriers
from easydyn.visu.shapes import number
from easydyn.visu.solids import Solid
from easydyn.visu.surfaces import Net, net_of, pieced, scale_of

VALUES = {"stress": ("stress", "MPa"), "curvature": ("curvature", "1/m"), "deflection": ("deflection", "mm")}
SECTIONS = 48  # along a beam, about
AROUND = 16  # sides of what is round
THINNEST, THICKEST = 1 / 80, 1 / 8  # of the length of a beam, that it is drawn with
SHEET = 4.0  # as many times higher, or less high, than a square of the same area: it is a number, and no rectangle
NODE_SIZE, EDGE_SIZE = 0.012, 0.004  # of the size of a body from matrices: its nodes, and the lines between them
FRAME = 12  # numbers of a frame: the rows of R and e


@dataclass(frozen=True, eq=False)
class Line:
    """A row of elements; each begins at the end of the one before.

    Attributes
    ----------
    name : str
        Of the beam.
    elements : tuple of Beam
        In their order.
    """

    name: str
    elements: tuple[Beam, ...]

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the two nodes of each element."""
        return tuple((element.node_a.name, element.node_b.name) for element in self.elements)

    @property
    def nodes(self) -> tuple[Any, ...]:
        """All bodies, and the ground, along it."""
        return self.elements[0].node_a, *(element.node_b for element in self.elements)

    @property
    def own(self) -> list[Transform]:
        """Of each node the factors of its transform without those that all begin with."""
        first, *others = self.nodes
        shared = min(len(first.T.factors) - len(path(first, node)[0].factors) for node in others)
        return [Transform(node.T.factors[shared:]) for node in self.nodes]

    @property
    def level(self) -> bool:
        """True if it bends in a plane only."""
        return all(element.level for element in self.elements)

    @property
    def made(self) -> bool:
        """True if `model.beam` made its nodes."""
        return isinstance(self.elements[0], Piece)


def lines(mechanism: Any) -> list[Line]:
    """The beams of a mechanism."""
    rows: list[list[Beam]] = []
    for effort in mechanism.efforts:
        if isinstance(effort, Beam):
            last = rows[-1][-1] if rows else None
            if last is not None and last.node_b is effort.node_a and type(last) is type(effort):
                rows[-1].append(effort)
            else:
                rows.append([effort])
    return [Line(_name(row[0]), tuple(row)) for row in rows]


def _name(first: Beam) -> str:
    return re.sub(r" 0$", "", first.node_a.name) if isinstance(first, Piece) else "beam"


def inner(mechanism: Any) -> set[str]:
    """Names of bodies that are drawn as parts of a whole: nodes of beams, or pieces of bodies from matrices."""
    return {name for names in wholes(mechanism).values() for name in names}


def wholes(mechanism: Any) -> dict[str, list[str]]:
    """The names of the bodies that make up each flexible body, by its name."""
    every = [body.name for body in mechanism.bodies]
    found = {line.name: [node.name for node in line.nodes] for line in lines(mechanism) if line.made}
    for effort in mechanism.efforts:
        if isinstance(effort, Elasticity) and effort.drawn:
            piece = re.compile(rf"{re.escape(effort.name)}( mass \d+| node \d+)?")
            found[effort.name] = [name for name in every if piece.fullmatch(name)]
    return found


def inner_symbols(mechanism: Any) -> set[Any]:
    """Coordinates of the nodes of beams (without those of the carrying bodies), and of the shapes of bodies."""
    found: set[Any] = set()
    for line in lines(mechanism):
        if line.made:
            found.update(*(T.free_symbols for T in line.own))
    for effort in mechanism.efforts:
        if isinstance(effort, Elasticity):
            found |= set(effort.coordinates)
    return {s for s in found if moves(s)}


def between_ends(mechanism: Any) -> set[Any]:
    """Coordinates of the inner nodes of beams."""
    found: set[Any] = set()
    for line in lines(mechanism):
        if line.made:
            first, *inside, last = (T.free_symbols for T in line.own)
            found |= set().union(*inside) - first - last
    return {s for s in found if moves(s)}


def clamped(line: Line, end: int) -> bool:
    """True if the first (0) or the last node (-1) is fixed to the body that carries the beam."""
    return not any(map(moves, line.own[end].scalars()))


# -- beams ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Outline:
    """A cross section as pictures show it: lines around it, each smooth, and triangles between their points.

    Attributes
    ----------
    sides : list of arrays (n, 2)
        Points (y, z) in m.
    cap : array (n, 2), array (m, 3)
        Points and triangles of the section itself.
    scale : array (2,)
        How much larger than life it is drawn along y and z.
    reach : array (2,)
        Its extent along y and z (m), as it is drawn.
    """

    sides: list[np.ndarray]
    cap: tuple[np.ndarray, np.ndarray]
    scale: np.ndarray
    reach: np.ndarray


def outline_of(section: Any, length: float, values: Any) -> Outline:
    """The outline of a section of a beam of a length (m), at least as thick as can be seen."""

    def value(x: Any) -> float:
        return number(x, values)

    if section.diameters is not None:
        outer, bore = (value(d) / 2 for d in section.diameters)
        a = np.linspace(0, 2 * np.pi, AROUND + 1)
        ring = np.stack([np.cos(a), np.sin(a)], axis=1)
        sides = [outer * ring]
        k = np.arange(AROUND)
        if bore > 0:
            sides.append(bore * ring[::-1])
            points = np.concatenate([outer * ring, bore * ring])
            b = AROUND + 1
            faces = np.concatenate([np.stack([k, k + 1, b + k], 1), np.stack([k + 1, b + k + 1, b + k], 1)])
        else:
            points = np.concatenate([np.zeros((1, 2)), outer * ring])
            faces = np.stack([np.zeros(AROUND, int), k + 1, k + 2], axis=1)
    else:
        if section.outline:
            points = np.array([[value(c) for c in point] for point in section.outline])
        else:  # a rectangle of the same area and inertia, or a square where that would be a sheet: of a cable
            area, inertia = value(section.area), value(section.inertia)
            height, side = np.sqrt(12 * inertia / area), np.sqrt(area)
            sizes = np.array([height, area / height] if 1 / SHEET < height / side < SHEET else [side, side])
            sizes = np.clip(sizes, length * THINNEST, length * THICKEST) / 2
            points = sizes * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
        if _area(points) < 0:
            points = points[::-1]
        sides = [points[[k, (k + 1) % len(points)]] for k in range(len(points))]
        faces = _filled(points)
    reach = np.ptp(points, axis=0)
    scale = np.maximum(1.0, length * THINNEST / np.maximum(reach, 1e-300))
    if section.diameters is not None:
        scale[:] = scale.max()
    return Outline([side * scale for side in sides], (points * scale, faces), scale, reach * scale)


def _area(points: np.ndarray) -> float:
    y, z = points.T
    return float(y @ np.roll(z, -1) - z @ np.roll(y, -1)) / 2


def _filled(points: np.ndarray) -> np.ndarray:
    """Triangles of a polygon that goes anticlockwise: one ear after the other is cut off."""
    left, found = list(range(len(points))), []

    def turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> float:
        return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    while len(left) > 3:
        for k in range(len(left)):
            i, j, l = left[k - 1], left[k], left[(k + 1) % len(left)]
            a, b, c = points[[i, j, l]]
            others = (points[m] for m in left if m not in (i, j, l))
            if turn(a, b, c) >= 0 and not any(
                min(turn(a, b, p), turn(b, c, p), turn(c, a, p)) >= 0 and p.tolist() not in (a.tolist(), c.tolist())
                for p in others
            ):
                found.append((i, j, l))
                del left[k]
                break
        else:  # it crosses itself
            break
    return np.array([*found, tuple(left[:3])])


def _net(line: Line, section: Outline, lengths: Sequence[float]) -> Net:
    """The net of a beam whose elements have these lengths (m)."""
    n = len(lengths)
    steps = max(1, -(-SECTIONS // n))
    s = np.concatenate([np.linspace(0, 1, steps + 1)[min(k, 1) :] for k in range(n)])
    of = np.concatenate([np.full(steps + (k == 0), k) for k in range(n)])
    L = np.asarray(lengths)[of]
    stations = np.stack([s, L, of], axis=1)

    def ring(some: np.ndarray, points: np.ndarray) -> np.ndarray:
        return np.hstack([np.repeat(some, len(points), axis=0), np.tile(points, (len(some), 1))])

    points, faces = section.cap
    rows, triangles = pieced([
        *((ring(stations, side), net_of(len(s), len(side))[:, ::-1]) for side in section.sides),
        (ring(stations[:1], points), faces[:, ::-1]), (ring(stations[-1:], points), faces),
    ])  # fmt: skip
    which = rows[:, 2].astype(int)
    return Net(
        rows[:, [0, 3, 4, 1]], triangles, (), _program(None), None, line.pairs, which, _rigid(line, section, lengths)
    )


def _rigid(line: Line, section: Outline, lengths: Sequence[float]) -> tuple[tuple[str, Solid], ...]:
    """A beam in rigid parts, one on each node, half an element to each side."""
    found, (points, faces) = [], section.cap
    n = len(points)
    for k, node in enumerate(line.nodes):
        ends = -lengths[k - 1] / 2 if k else 0.0, lengths[k] / 2 if k < len(lengths) else 0.0
        nodes = np.concatenate([np.insert(points, 0, x, axis=1) for x in ends])
        sides = []
        for side in section.sides:
            at = [int(np.argmin(np.linalg.norm(points - p, axis=1))) for p in side]
            sides += [(a, b, n + b, n + a) for a, b in itertools.pairwise(at)]
        caps = [*map(tuple, faces[:, ::-1].tolist()), *map(tuple, (faces + n).tolist())]
        edges = [(a, n + a) for a in range(n)]
        found.append((node.name, solids.solid(nodes, edges, [*sides, *caps])))
    return tuple(found)


def _program(value: str | None, level: bool = True) -> Program:
    """Points of a beam, and their values, from places (s, y, z, L) and two frames: see `Net`."""
    graph = Graph()
    s, y, z, L = (graph.input("q", k) for k in range(4))

    def signal(k: int) -> Any:
        return graph.input("qd", 2 * FRAME + k)

    def triple(k: int) -> Vector:
        return Vector(signal(k), signal(k + 1), signal(k + 2))

    def frame(k: int) -> tuple[Vector, Vector, Vector]:
        """x, y, and the place of a frame whose rows begin at k."""
        rows = [[graph.input("qd", k + 4 * i + j) for i in range(3)] for j in range(4)]
        return Vector(*rows[0]), Vector(*rows[1]), Vector(*rows[3])

    (t_a, y_a, r_a), (t_b, y_b, r_b) = frame(0), frame(FRAME)
    bow, back = s * (1 - s), 1 - s
    H = (1 + 2 * s) * back * back, bow * back * L, s * s * (3 - 2 * s), -bow * s * L
    r = r_a * H[0] + t_a * H[1] + r_b * H[2] + t_b * H[3]
    t = (r_b - r_a) * (6 * bow / L) + t_a * (back * (1 - 3 * s)) + t_b * (s * (3 * s - 2))
    x = t * (1 / sqrt(dot(t, t)))
    across = y_a * back + y_b * s
    across = across - x * dot(x, across)
    across = across * (1 / sqrt(dot(across, across)))
    r = r + across * y + cross(x, across) * z
    found: list[Any] = [r.x, r.y, r.z]
    if value == "deflection":
        d = sum((triple(3 * k) * h for k, h in enumerate(H)), Vector(0, 0, 0))
        found.append(sqrt(dot(d, d)))
    elif value is not None:
        about = [signal(k) + (1 - 2 * s) * signal(k + 1) for k in ((1,) if level else (1, 3))]
        if value == "stress":
            found.append(signal(0) - sum(c * k for c, k in zip((y, z), about, strict=False)))
        else:
            found.append(sqrt(sum(k * k for k in about)))
    return Program("beam", [graph.node(c) for c in found])


def plain() -> Program:
    """The net of a beam without values."""
    return _program(None)


def drawn(builder: Any) -> None:
    """Draw all flexible bodies into the scene of a builder; beams have a block where they are clamped to the ground."""
    ends = {}
    for k, line in enumerate(lines(builder.m)):
        lengths = [builder.value(element.length) for element in line.elements]
        section = outline_of(line.elements[0].section, sum(lengths), builder.scene.values)
        colour = colours.BODIES[k % len(colours.BODIES)]
        net = _net(line, section, lengths)
        builder.scene.parts.append(Part(line.name, "ground", "surface", colour, net=net))
        ends[line.name] = section
        for end in (0, -1):
            node = line.nodes[end]
            if line.made and clamped(line, end) and not any(map(moves, node.T.scalars())):
                _wall(builder, node, section, end)
    for effort in builder.m.efforts:
        if isinstance(effort, Elasticity) and effort.drawn is not None:
            _draw_body(builder, effort)


def _wall(builder: Any, node: Any, section: Outline, end: int) -> None:
    """What a beam is clamped to: a block of the ground."""
    side = 2.2 * section.reach + 0.04 * builder.s
    thick = 0.03 * builder.s
    block = solids.box(thick, *side).placed(looks.at((-thick / 2 if end == 0 else thick / 2, 0, 0)))
    builder.draw("wall", "ground", block.placed(builder.matrix(node.T)), colours.GROUND)


# -- bodies from matrices ---------------------------------------------------------------------------------------------


def _draw_body(builder: Any, effort: Elasticity) -> None:
    """A body by the faces and edges of its mesh, or by its nodes and the edges between those that K joins."""
    given = effort.drawn
    assert given is not None
    size = float(np.linalg.norm(np.ptp(given.places, axis=0))) or 1.0
    m, pieces = len(effort.coordinates), []

    def put(at: np.ndarray, of: Any, faces: Any) -> None:
        pieces.append((np.hstack([at, given.shapes[of][:, :3].reshape(len(at), 3 * m)]), faces))

    faces = [cell for cell in given.cells if len(cell) > 2]
    for cell in faces:
        put(given.places[list(cell)], list(cell), [(0, k, k + 1) for k in range(1, len(cell) - 1)])
    edges = [cell for cell in given.cells if len(cell) == 2]
    for i, j in edges:
        along = given.places[j] - given.places[i]
        if along.any():
            z = looks.along(along)[:3, :3]
            a = 2 * np.pi / 3 * np.arange(3)
            ring = EDGE_SIZE * size * (np.outer(np.cos(a), z[:, 0]) + np.outer(np.sin(a), z[:, 1]))
            points = np.concatenate([given.places[i] + ring, given.places[j] + ring])
            put(points, [i] * 3 + [j] * 3, [t for k in range(3) for l in [(k + 1) % 3]
                                            for t in ((k, l, 3 + l), (k, 3 + l, 3 + k))])  # fmt: skip
    if not faces:
        ball = NODE_SIZE * size * np.concatenate([np.eye(3), -np.eye(3)])
        sides = [(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)]
        for k, place in enumerate(given.places):
            put(place + ball, [k] * 6, sides)
    name, net = effort.name, Net(*pieced(pieces), effort.coordinates, _shaped(m, False))
    ends = carriers(name, effort.coordinates)
    builder.scene.parts.append(Part(name, name, "surface", builder.scene.colour_of(name), net=net, ends=ends))


def _shaped(m: int, valued: bool) -> Program:
    """x + sum of phi_k q_k, and the length of the sum (mm), from places (x, phi_1 ...), shapes along their columns."""
    graph = Graph()
    q = [graph.input("qd", k) for k in range(m)]
    found, square = [], graph.node(0)
    for i in range(3):
        moved = graph.node(0)
        for k in range(m):
            moved = moved + graph.input("q", 3 + i * m + k) * q[k]
        found.append(graph.input("q", i) + moved)
        square = square + moved * moved
    return Program("body", [*found, 1000 * sqrt(square)] if valued else found)


# -- colours ----------------------------------------------------------------------------------------------------------


def coloured(scene: Any, frames: np.ndarray, value: Any, weights: np.ndarray | None = None) -> None:
    """Give all flexible bodies in a scene the colours of a value, at N instants.

    Parameters
    ----------
    scene : Scene
        Whose parts change.
    frames : array (N, k, 4, 4)
        Of the scene's frames but the ground.
    value : str
        One of `VALUES`.
    weights : array (M, N), optional
        Factors that make the strains and displacements at M instants from those at these N. For modes, which are small
        motions drawn large, they take the linear part.

    Raises
    ------
    InputError
        Another value; a scene without flexible bodies, or for which the value is not known.
    """
    expect(among(value, VALUES), "colour", value, f"what bent bodies are to show, {', '.join(VALUES)}")
    label, unit = VALUES[value]
    by_frames = {line.pairs: line for line in lines(scene.system.mechanism)}
    where = motion.located(scene, frames)
    done = False
    for k, part in enumerate(scene.parts):
        net = part.net
        if net is None or part.ghost:
            continue
        palette, zero = ("coolwarm", 0.5) if value == "stress" else ("viridis", 0.0)
        scale = replace(scale_of(None, label, unit, palette, "colour"), zero=zero)
        if net.frames in by_frames:
            line = by_frames[net.frames]
            signals = _signals(line, where, value, scene.values)
            if weights is not None:
                signals = weights @ signals
            ends = tuple(End("ground", np.zeros(3), np.ascontiguousarray(signals[:, j : j + 3]))
                         for j in range(0, signals.shape[1], 3))  # fmt: skip
            net = replace(net, program=_program(value, line.level), scale=scale)
            scene.parts[k] = replace(part, net=net, ends=ends)
        elif any(isinstance(e, Elasticity) and e.name == part.name for e in scene.system.mechanism.efforts):
            if value != "deflection":
                continue
            scene.parts[k] = replace(part, net=replace(net, program=_shaped(len(net.signals), True), scale=scale))
        else:
            continue
        done = True
    if not done:
        raise InputError(
            f'colour="{value}": nothing in this picture bends so that it is known. Beams (model.beam) have stress, '
            'curvature and deflection, bodies from matrices (model.flexible_body) have "deflection".'
        )


def _signals(line: Line, where: dict[str, np.ndarray], value: str, values: Any) -> np.ndarray:
    """Of each element the numbers that its colours are made of, 3, 6 or 12, one element after the other: (N, k)."""

    def known(x: Any) -> float:
        return number(x, values)

    if value == "deflection":
        return _deflections(line, where, known)
    total = sum(known(element.length) for element in line.elements)
    scale, level = outline_of(line.elements[0].section, total, values).scale, line.level
    found = []
    for element in line.elements:
        one, other = (_transform(where[node.name]) for node in (element.node_a, element.node_b))
        strain = strains(element, one, other, known)
        E = known(element.material.E) * 1e-6
        factors = (E, *(E / scale)) if value == "stress" else (1.0, 1.0, 1.0)
        zero = np.zeros(len(where["ground"]))
        e, *curved = (f * np.asarray(x) + zero for f, x in (
            (factors[0], strain.stretch), (factors[1], strain.even[0]), (factors[1], strain.odd[0]),
            (factors[2], strain.even[1]), (factors[2], strain.odd[1])))  # fmt: skip
        found.append(np.stack([e, *curved[:2]] if level else [e, *curved, zero], axis=1))
    return np.concatenate(found, axis=1)


def _transform(T: np.ndarray) -> Transform:
    """Frames (N, 4, 4) as a Transform of arrays."""
    columns = [Vector(*(T[:, i, j] for i in range(3))) for j in range(4)]
    return Transform((Block(Rotation(*columns[:3]), columns[3]),))


def _deflections(line: Line, where: dict[str, np.ndarray], known: Callable[[Any], float]) -> np.ndarray:
    """Of each element r and L t of both nodes, less where they would be without stress, in mm."""
    now = [where[node.name] for node in line.nodes]
    rest = [np.eye(4)]
    for element in line.elements:
        step = element.free or Transform((Shift(Vector(element.length, 0, 0)),))
        rest.append(rest[-1] @ np.array(step.map(known).matrix, dtype=float).reshape(4, 4))
    first = now[0]
    if not clamped(line, 0):  # the chord carries it
        a, b = now[-1][:, :3, 3] - first[:, :3, 3], first[:, :3, :3] @ rest[-1][:3, 3]
        first = first.copy()
        first[:, :3, :3] = np.stack([solids.shortest(p, q) for p, q in zip(b, a, strict=True)]) @ first[:, :3, :3]
    off = [1000 * (T - first @ own) for T, own in zip(now, rest, strict=True)]
    pairs = (off[j][:, :3, c] for k in range(len(line.elements)) for j in (k, k + 1) for c in (3, 0))
    return np.concatenate([*pairs], axis=1)
