"""A scene as a drawing of a textbook: outlines, supports, labelled coordinates and lengths, gravity.

What is labelled follows from the products that the user wrote (chains.py): a turn is an arc from the direction that its
body has at angle zero, a displacement an arrow from the place that it has at zero; a length is a constant displacement
that contains a parameter, along the link that it makes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.mechanism import Body, Ground
from easydyn.plots import axes
from easydyn.vec import Shift, Transform, Turn
from easydyn.visu import chains, looks, motion, solids
from easydyn.visu.chains import Node
from easydyn.visu.drafting import ACCENT, INK, THIN, Drafter, formula
from easydyn.visu.page import frames_and_tips
from easydyn.visu.picture import Instant
from easydyn.visu.scene import Part, Scene
from easydyn.visu.shapes import number

SMALLEST_ANGLE = np.radians(4)  # that is drawn as it is
POINTS = "OABCDEFGHIJKLMN"


def sketch(
    scene: Scene, ax: Any, lengths: bool, frames: bool, points: bool, names: Mapping[str, Any] | None, towards: Any
) -> Any:
    """The drawing; documented at `Scene.sketch`."""
    if names is not None and not isinstance(names, Mapping):
        raise InputError(f'names={names!r}: expected a dict from texts to expressions, such as {{"alpha": q1 + q2}}.')
    drawn = axes(ax)
    drawn.set_aspect("equal")
    drawn.set_axis_off()
    Sketch(scene, drawn, dict(names or {}), towards).draw(lengths, frames, points)
    drawn.set_title(scene.title)
    drawn.margins(0.06)
    drawn.autoscale_view()
    return drawn


class Sketch:
    """Draws a scene in its initial state with a `Drafter`.

    `normal` is that of the plane in which all moves, or None; `T` are the matrices (4, 4) of the nodes.
    """

    def __init__(self, scene: Scene, ax: Any, names: dict[str, Any], towards: Any):
        self.scene, self.names = scene, names
        self.m = scene.system.mechanism
        q, qd = scene.initial
        where, tips = frames_and_tips(scene, np.zeros(1), q[None], qd[None])
        self.instant = Instant(scene, where[0], tips[0])
        self.root = chains.chains(self.m.bodies)
        self.nodes = list(chains.walk(self.root))
        transforms = [node.T for node in self.nodes] + [body.T for body in self.m.bodies]
        found = motion.frames_at(scene.system, transforms, np.zeros(1), q[None])[0]
        self.T, bodies = found[: len(self.nodes)], found[len(self.nodes) :]
        gravity = np.array([self.value(c) for c in self.m.gravity])
        self.gravity = gravity / np.linalg.norm(gravity) if gravity.any() else None
        self.normal = looks.plane_of(self.m.bodies, [T[None] for T in bodies], gravity) if len(bodies) else None
        view = scene.view
        up, to_eye = view.up, view.towards
        if towards is not None:
            to_eye = np.array(towards, dtype=float)
        elif self.normal is not None and abs(self.normal @ up) < 0.9:
            to_eye = self.normal * np.sign(self.normal @ to_eye)
        elif not len(bodies):
            to_eye = np.array([0.0, 0.0, 1.0])
        extent = max(view.size)
        self.s = float(np.clip(scene.size, 0.45 * extent, 0.9 * extent))
        self.paper = Drafter(ax, up, to_eye, self.s)
        self.flat = self.normal is not None and abs(self.normal @ self.paper.towards) > 0.99
        places = [T[:3, 3] for T in self.T] + [T[:3, 3] for T in bodies]
        self.middle = np.mean(places, axis=0)
        self.told: set[str] = set()  # lengths that have been drawn
        self.arcs: dict[int, np.ndarray] = {}  # by node: the side (3,) of its link on which the arc is

    # -- numbers ------------------------------------------------------------------------------------------------------

    def value(self, scalar: Any) -> float:
        return number(scalar, self.scene.values)

    def matrix(self, T: Transform) -> np.ndarray:
        return np.array(T.map(self.value).matrix, dtype=float).reshape(4, 4)

    def before(self, node: Node) -> np.ndarray:
        """The frame (4, 4) that a joint begins in."""
        return np.asarray(self.of(node.parent) @ self.matrix(node.offset))

    def of(self, node: Any) -> np.ndarray:
        return np.asarray(self.T[self.nodes.index(node)])

    def point(self, body: Any, point: Any) -> np.ndarray:
        """Ground position (3,) of a point of a body, for ends of elements."""
        end = self.scene.end(body, point)
        if end.frame not in self.instant.places:  # a frame that the scene did not have so far
            T = body.T * Transform((Shift(point),))
            q = self.scene.initial[0]
            return np.asarray(motion.frames_at(self.scene.system, [T], np.zeros(1), q[None])[0, 0, :3, 3])
        return self.instant.point(end.frame, end.point)

    # -- the whole --------------------------------------------------------------------------------------------------------

    def draw(self, lengths: bool, frames: bool, points: bool) -> None:
        """Draw all of it."""
        self.with_frames = frames
        self._draw_parts()
        joints = [node for node in self.nodes if node.joint is not None]
        for node in joints:
            self._draw_joint(node)
        for node in joints:
            self._draw_coordinate(node)
        if lengths:
            for node in joints:
                self._draw_lengths(node)
        meetings = self._draw_meetings()
        if points:
            self._draw_letters(joints, meetings)
        if frames:
            self._draw_frames()
        if self.gravity is not None:
            self._draw_gravity()

    def _draw_parts(self) -> None:
        paper = self.paper
        drawn: list[tuple[float, Part, np.ndarray]] = []
        for part, T in zip(self.scene.parts, self.instant.matrices(), strict=True):
            fixed = part.body == "ground"
            if part.name == "gravity" or (fixed and self.flat and (part.name == "ground" or _is_guide(part))):
                continue
            if part.kind == "centre":
                paper.centre(T[:3, :3] @ part.point + T[:3, 3])
            elif part.kind == "text":
                paper.text(T[:3, :3] @ part.point + T[:3, 3], part.text)
            elif part.kind == "between":
                start, end = T[:3, 3], T[:3, 3] + T[:3, 2]
                if part.name in ("spring", "damper"):
                    aside = 0.0
                    if sum(_same_ends(part, other) for other in self.scene.parts) > 1:
                        aside = 0.045 * self.s * (1 if part.name == "spring" else -1)
                    (paper.spring if part.name == "spring" else paper.damper)(start, end, aside=aside)
                elif any(e.vector is not None for e in part.ends):
                    paper.arrow(start, end, ACCENT)
                elif part.solid is not None:
                    drawn.append((float((start + end) @ paper.towards) / 2, part, T))
            elif part.solid is not None and not (part.name.startswith("joint") and self.flat):
                if not part.solid.surfaces:
                    self._draw_net(part, T)
                    continue
                if self._is_block_of_inertia(part):
                    continue
                middle = T[:3, :3] @ part.solid.nodes.mean(axis=0) + T[:3, 3]
                drawn.append((float(middle @ paper.towards), part, T))
        drawn.sort(key=lambda found: found[0])
        for k, (_, part, T) in enumerate(drawn):
            fill = {"joint": "#9aa5ae", "ground": "#d8d8d8", "mark": "white"}.get(part.name.split()[0], None)
            options = {} if fill is None else {"fill": fill}
            assert part.solid is not None
            paper.solid(part.solid, T, order=2 + 0.8 * k / len(drawn), **options)
        self._draw_walls()
        feet = [part.solid.nodes for part in self.scene.parts
                if part.name == part.body == "ground" and part.solid is not None and part.solid.surfaces]  # fmt: skip
        if feet and self.m.bodies and not self.flat:
            foot = paper.flat(np.concatenate(feet))
            level = (foot[:, 1].min() - 0.005 * self.s) * paper.up
            left, right = (x * paper.right + level for x in (foot[:, 0].min(), foot[:, 0].max()))
            paper.hatched(left, right, -paper.up, THIN)

    def _is_block_of_inertia(self, part: Part) -> bool:
        """True of the boxes that stand for bodies in space: joints and links say more of what is held by joints."""
        if self.flat or not self.m.bodies or part.name != "body" or part.solid is None or len(part.solid.nodes) != 8:
            return False
        held = [node for node in self.nodes if any(b.name == part.body for b, _ in node.bodies)]
        return all(not b.shape for b in self.m.bodies if b.name == part.body) and not any(map(_is_free, held))

    def _draw_net(self, part: Part, T: np.ndarray) -> None:
        """Ground under a plane mechanism; in space a net says little on paper."""
        if self.flat and part.solid is not None:
            places = part.solid.nodes @ T[:3, :3].T + T[:3, 3]
            level = places[0] - (places[0] @ self.paper.right) * self.paper.right
            reach = [p for node in self.nodes[1:] for p in [self.of(node)[:3, 3] @ self.paper.right]]
            a, b = (level + x * self.paper.right for x in (min(reach) - 0.4 * self.s, max(reach) + 0.4 * self.s))
            self.paper.hatched(a, b, -self.paper.up)

    def _draw_walls(self) -> None:
        """Hatching at ends of springs and dampers on the ground."""
        done: list[np.ndarray] = []
        for effort in self.m.efforts:
            ends = getattr(effort, "ends", None)
            pair = (getattr(ends, "end_1", None), getattr(ends, "end_2", None))
            for (own, other) in (pair, pair[::-1]):
                if own is None or other is None or not isinstance(own[0], Ground):
                    continue
                p = self.point(*own)
                away = p - self.point(*other)
                if not np.linalg.norm(away) or any(np.linalg.norm(p - d) < 1e-6 * self.s for d in done):
                    continue
                done.append(p)
                across = np.cross(self.paper.towards, away)
                across *= 0.11 * self.s / max(float(np.linalg.norm(across)), 1e-300)
                self.paper.hatched(p + across, p - across, away)

    def _draw_meetings(self) -> list[np.ndarray]:
        """Pins where the free ends of two rods meet: the loops that the products do not speak of."""
        ends = [(self.of(node) @ [*tip, 1])[:3] for node in self.nodes for tip in [self._tip(node)] if tip is not None]
        found: list[np.ndarray] = []
        for k, a in enumerate(ends):
            if self.flat and any(np.linalg.norm(a - b) < 0.01 * self.s for b in ends[:k]):
                found.append(a)
                self.paper.circle(a, 0.024 * self.s)
        return found

    def _tip(self, node: Node) -> np.ndarray | None:
        """The free end of a rod, in axes of its node."""
        if len(node.bodies) != 1 or node.children or node.joint is None:
            return None
        body, offset = node.bodies[0]
        p = self.matrix(offset)[:3, 3]
        d = float(np.linalg.norm(p))
        return 2 * p if d > 1e-9 * self.s and self._is_rod(body, d) else None

    def _draw_letters(self, joints: list[Node], meetings: list[np.ndarray]) -> None:
        """Letters at the pins, on the side where there is most room."""
        pins = [node for node in joints if isinstance(node.joint, Turn) and not node.parent.unattached]  # type: ignore[union-attr]
        places = [self.of(node)[:3, 3] for node in pins] + meetings
        lines: list[tuple[np.ndarray, np.ndarray]] = []
        for part, T in zip(self.scene.parts, self.instant.matrices(), strict=True):
            if part.name == "link" and part.solid is not None:
                nodes = part.solid.nodes @ T[:3, :3].T + T[:3, 3]
                lines.append((nodes[0], nodes[-1]))
        candidates = np.radians(np.arange(0, 360, 15))
        for letter, p in zip(POINTS, places, strict=False):
            taken = [b - a for a, b in lines if np.linalg.norm(a - p) < 0.05 * self.s]
            taken += [a - b for a, b in lines if np.linalg.norm(b - p) < 0.05 * self.s]
            taken += [self._away(p) for node in pins if node.parent is self.root and np.allclose(p, self.of(node)[:3, 3])]
            sides = [np.arctan2(line @ self.paper.up, line @ self.paper.right) for line in taken]
            room = [-max((float(np.cos(c - side)) for side in sides), default=0.0) for c in candidates]
            best = candidates[int(np.argmax(room))]
            out = np.cos(best) * self.paper.right + np.sin(best) * self.paper.up
            self.paper.label(p, out, letter, gap=0.045)

    def _draw_frames(self) -> None:
        flat, length = self.flat, 0.17 * self.s
        self.paper.frame(np.eye(4), "0", length, flat)
        for k, body in enumerate(self.m.bodies, start=1):
            self.paper.frame(self.instant.where[self.instant.places[body.name]], str(k), length, flat)

    def _draw_gravity(self) -> None:
        """An arrow at the left of all."""
        assert self.gravity is not None
        box = self.paper.ax.dataLim
        x, y = box.x0 - 0.12 * self.s, box.y0 + 0.72 * (box.y1 - box.y0)
        start = x * self.paper.right + y * self.paper.up
        end = start + 0.2 * self.s * self.gravity
        self.paper.arrow(start, end)
        self.paper.text((start + end) / 2, "$g$", shift=(-0.06, 0))

    # -- joints -------------------------------------------------------------------------------------------------------

    def _draw_joint(self, node: Node) -> None:
        parent = node.parent
        assert parent is not None
        place = self.before(node)
        if not self.flat:
            if isinstance(node.joint, Shift) and node.direction is not None and not parent.unattached:
                self._draw_sleeve(node)
            return
        if parent.unattached:
            return
        if isinstance(node.joint, Turn):
            if parent is self.root:
                self.paper.support(place[:3, 3], self._away(place[:3, 3]))
            self.paper.circle(place[:3, 3], 0.024 * self.s)
        elif parent is self.root and node.direction is not None:
            for part in self.scene.parts:
                if part.body == "ground" and _is_guide(part) and part.solid is not None and _of(part, node):
                    self._draw_guide(node, part.solid.nodes)

    def _draw_guide(self, node: Node, nodes: np.ndarray) -> None:
        """A line under what slides, with hatching: beside a block, not through it."""
        along = self._along(node)
        side = np.cross(self.paper.towards, along)
        side *= -np.sign(side @ self.paper.up) if abs(side @ self.paper.up) > 0.1 else -np.sign(side @ self.paper.right)
        blocks = [
            part.solid.nodes @ T[:3, :3].T + T[:3, 3]
            for part, T in zip(self.scene.parts, self.instant.matrices(), strict=True)
            if part.solid is not None and part.name != "link" and any(part.body == b.name for b, _ in node.bodies)
        ]
        middle = nodes.mean(axis=0)
        reach = max((float(((b - middle) @ side).max()) for b in blocks), default=0.05 * self.s)
        low, high = float(((nodes - middle) @ along).min()), float(((nodes - middle) @ along).max())
        foot = middle + side * reach
        self.paper.hatched(foot + low * along, foot + high * along, side)

    def _draw_sleeve(self, node: Node) -> None:
        """What slides on a guide in space."""
        side = 0.075 * self.s
        T = looks.at(self.of(node)[:3, 3]) @ looks.along(self._along(node))
        self.paper.solid(solids.box(side, side, 1.5 * side), T, order=3)

    def _away(self, point: np.ndarray) -> np.ndarray:
        """The side of a pin on which the ground is: above what hangs, below what stands, beside what lies."""
        rest = [T[:3, 3] for T in self.instant.where[1 : 1 + len(self.m.bodies)]]
        line = np.mean(rest, axis=0) - point
        x, y = line @ self.paper.right, line @ self.paper.up
        return self.paper.up * (1.0 if y < -0.35 * abs(x) else -1.0)

    def _along(self, node: Node) -> np.ndarray:
        own = np.array([self.value(c) for c in node.direction])  # type: ignore[union-attr]
        return np.asarray(self.before(node)[:3, :3] @ (own / np.linalg.norm(own)))

    # -- coordinates ---------------------------------------------------------------------------------------------------------

    def _name(self, expression: Any) -> str | None:
        """What a motion is called: a coordinate, what was given in `names`, a short formula; None otherwise."""
        for name, other in self.names.items():
            if sympy.expand(expression - other) == 0 or sympy.expand(expression + other) == 0:
                return formula(name)
        if str(expression) in map(str, self.m.coordinates):
            return formula(str(expression))
        plain = expression.subs({s: sympy.Symbol(str(s)) for s in expression.free_symbols})
        return formula(plain) if len(str(plain)) <= 8 else None

    def _draw_coordinate(self, node: Node) -> None:
        parent, joint = node.parent, node.joint
        assert parent is not None
        if isinstance(joint, Turn):
            name = self._name(joint.angle)
            if name is not None and (self.flat or not _is_free(parent)):
                self._draw_turn(node, name)
        elif isinstance(joint, Shift) and node.direction is not None:
            moving = [c for c in joint.e if chains.moves(c)]
            name = self._name(moving[0]) if len(moving) == 1 else self._shared_name(node, moving)
            if name is not None:
                self._draw_shift(node, name)
        elif isinstance(joint, Shift):
            moving = [c for c in joint.e if chains.moves(c)]
            texts = [self._name(c) for c in moving]
            start, end = self.before(node)[:3, 3], self.of(node)[:3, 3]
            if all(texts) and np.linalg.norm(end - start) > 0.05 * self.s:
                self.paper.arrow(start, end, ACCENT, 1.0)
                out = np.cross(self.paper.towards, end - start)
                self.paper.label(start + 0.4 * (end - start), out, ", ".join(t for t in texts if t), ACCENT)

    def _shared_name(self, node: Node, moving: list[Any]) -> str | None:
        """The coordinate of a motion along a slanting line."""
        found = {s for c in moving for s in c.free_symbols if chains.moves(s)}
        return formula(str(found.pop())) if len(found) == 1 else None

    def _draw_turn(self, node: Node, name: str) -> None:
        place = self.before(node)
        axis = place[:3, :3] @ np.array([self.value(c) for c in node.joint.axis])  # type: ignore[union-attr]
        axis /= np.linalg.norm(axis)
        arm = self._arm(node, axis)
        centre = place[:3, 3]
        if arm is None:
            self._draw_spin(node, centre, axis, name)
            return
        turned = self.of(node)[:3, :3] @ place[:3, :3].T  # from the frame before to that after
        first = turned.T @ arm
        angle = float(np.arctan2(np.cross(first, arm) @ axis, first @ arm))
        length = float(np.linalg.norm(arm))
        radius = float(np.clip(0.45 * length, 0.1 * self.s, 0.24 * self.s))
        if abs(angle) < SMALLEST_ANGLE:
            angle = np.radians(40)
            self.paper.arc(centre, first, axis, angle, name, radius)
        else:
            reach = max(1.25 * radius, min(0.9 * length, 1.8 * radius))
            self.paper.line([centre, centre + reach * first / length], ACCENT, THIN, (0, (5, 3)), order=1.8)
            if abs((self._middle_below(node) - centre) @ axis) > 0.1 * self.s:  # what turns is not beside the arc
                self.paper.line([centre, centre + reach * arm / length], ACCENT, THIN, (0, (5, 3)), order=1.8)
            self.paper.arc(centre, first, axis, angle, name, radius)
        self.arcs[id(node)] = first - arm if abs(angle) < np.pi / 2 else first

    def _middle_below(self, node: Node) -> np.ndarray:
        """The middle of what a joint moves."""
        places = [self.of(below)[:3, 3] for below in chains.walk(node)]
        return np.asarray(np.mean(places, axis=0))

    def _arm(self, node: Node, axis: np.ndarray) -> np.ndarray | None:
        """Across the axis, from a joint to what it turns: a centre of mass or a joint, or the mark on a disc."""
        here = self.of(node)[:3, 3]
        for below in chains.walk(node):
            ends = [self.of(below)[:3, 3] for below in below.children]
            ends += [self.of(below) @ self.matrix(offset) @ [*(self.value(c) for c in body.com), 1]
                     for body, offset in below.bodies]  # fmt: skip
            for end in ends:
                line = end[:3] - here
                across = line - (line @ axis) * axis
                if np.linalg.norm(across) > 0.03 * self.s:
                    return np.asarray(across)
        for part, T in zip(self.scene.parts, self.instant.matrices(), strict=True):
            if part.name == "mark" and part.solid is not None and any(part.body == b.name for b, _ in node.bodies):
                line = T[:3, :3] @ part.solid.nodes.mean(axis=0) + T[:3, 3] - here
                across = line - (line @ axis) * axis
                if np.linalg.norm(across) > 1e-6 * self.s and abs(axis @ self.paper.towards) > 0.6:
                    return np.asarray(2.2 * across)
        return None

    def _draw_spin(self, node: Node, centre: np.ndarray, axis: np.ndarray, name: str) -> None:
        """An arrow around an axis: of what turns about its own axis."""
        ends = [self.of(child)[:3, 3] for child in chains.walk(node)]
        ends += [self.instant.where[self.instant.places[b.name]][:3, 3] for n in chains.walk(node) for b, _ in n.bodies]
        reach = [float((end - centre) @ axis) for end in ends]
        far = max(reach, key=abs, default=0.0)
        place = centre + axis * (0.32 * far if abs(far) > 0.1 * self.s else 0.0)
        first = self.paper.right - (self.paper.right @ axis) * axis
        if np.linalg.norm(first) < 0.3:
            first = self.paper.up - (self.paper.up @ axis) * axis
        first = first / np.linalg.norm(first)
        start = np.cross(axis, first) if np.cross(axis, first) @ self.paper.towards > 0 else -np.cross(axis, first)
        self.paper.arc(place, -start, axis, np.radians(285), name, 0.09 * self.s)

    def _draw_shift(self, node: Node, name: str) -> None:
        along = self._along(node)
        start, end = self.before(node), self.of(node)
        way = end[:3, 3] - start[:3, 3]
        fixed = [offset for _, offset in node.bodies] or [child.offset for child in node.children]
        root = start[:3, :3] @ (self.matrix(fixed[0])[:3, 3] if fixed else np.zeros(3))
        a = start[:3, 3] + root
        b = a + way
        side = np.cross(self.paper.towards, along)
        if np.linalg.norm(side) < 0.2:
            side = self.paper.right
        side /= np.linalg.norm(side)
        rest = float((self.middle - (a + b) / 2) @ side)  # where the mechanism is not
        if abs(rest) < 0.05 * self.s:
            rest = float(side @ (self.paper.up if abs(side @ self.paper.up) > 0.3 else -self.paper.right))
        side *= -np.sign(rest)
        if np.linalg.norm(way) < 0.05 * self.s:
            a, b = b, b + 0.2 * self.s * along
        self.paper.dimension(a, b, name, side, 0.2 * self.s, ACCENT, both=False)

    # -- lengths ------------------------------------------------------------------------------------------------------

    def _draw_lengths(self, node: Node) -> None:
        found: dict[tuple[float, ...], tuple[float, Any, np.ndarray]] = {}
        places: list[tuple[Transform, Body | None]] = [(offset, body) for body, offset in node.bodies]
        places += [(child.offset, None) for child in node.children]
        root = self.matrix(node.bodies[0][1])[:3, 3] if node.direction is not None and node.bodies else np.zeros(3)
        for offset, body in places:
            e = offset.e
            moving = [c for c in e if c != 0]
            if len(moving) != 1 or not getattr(moving[0], "free_symbols", ()):
                continue
            p = self.matrix(offset)[:3, 3]
            d = float(np.linalg.norm(p))
            if d < 1e-9 * self.s or np.linalg.norm(p - root) < 1e-9 * self.s:
                continue
            expression = sympy.sympify(moving[0]) * (1 if self.value(moving[0]) > 0 else -1)
            if body is not None and self._tip(node) is not None:
                p, expression = 2 * p, 2 * expression  # to the end of the rod
            key = tuple(np.round(p / np.linalg.norm(p), 6))
            if key not in found or found[key][0] < np.linalg.norm(p):
                found[key] = float(np.linalg.norm(p)), expression, p
        T = self.of(node)
        for length, expression, p in found.values():
            line = T[:3, :3] @ p
            side = np.cross(self.paper.towards, line)
            if np.linalg.norm(side) < 0.2 * length:
                continue
            side /= np.linalg.norm(side)
            arc = self.arcs.get(id(node))
            if arc is not None and abs(side @ arc) > 1e-9:
                side = -side * np.sign(side @ arc)
            elif side @ self.paper.up < 0:
                side = -side
            start = T[:3, 3]
            if (text := formula(expression)) in self.told:
                continue
            self.told.add(text)
            self.paper.dimension(start, start + line, text, side, (0.24 if self.with_frames else 0.11) * self.s)

    def _is_rod(self, body: Body, d: float) -> bool:
        """True where the inertia is that of a uniform rod that begins at its joint."""
        mass = self.value(body.mass)
        if mass <= 0 or self.normal is None:
            return False
        inertia = looks.inertia_of(body, self.value)
        axis = looks.turning_axis(body, self.normal)
        h = float(np.sqrt(3 * max(axis @ inertia @ axis, 0) / mass))
        return abs(h - d) < 0.02 * d


def _is_free(node: Node) -> bool:
    """True when a node is reached by a free motion."""
    return node.free or (node.parent is not None and _is_free(node.parent))


def _same_ends(part: Part, other: Part) -> bool:
    def where(p: Part) -> list[tuple[float, ...]]:
        return sorted((hash(e.frame), *np.round(e.point, 9)) for e in p.ends)

    return part.kind == other.kind == "between" and where(part) == where(other)


def _is_guide(part: Part) -> bool:
    return part.name.startswith("guide")


def _of(part: Part, node: Node) -> bool:
    """True when a guide is that of a node's joint."""
    symbols = {str(s) for s in Transform((node.joint,)).free_symbols}  # type: ignore[arg-type]
    return set(part.name.removeprefix("guide ").split(", ")) <= symbols
