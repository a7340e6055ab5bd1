"""Outlines, joints, supports and springs of a scene in a textbook drawing; sketch.py adds the names."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Shift, Transform, Turn
from easydyn.visu import bent, chains, looks, motion, solids
from easydyn.visu.chains import Node
from easydyn.visu.drafting import ACCENT, FILL, THIN, Drafter
from easydyn.visu.motion import at_rest
from easydyn.visu.picture import Instant
from easydyn.visu.scene import Part, Scene, upwards

GROUND = ("ground", "wall")


class Outline(chains.Joined):
    """Draws a scene in its initial state with a `Drafter`.

    `normal` is the normal of the plane of motion, or None; `T` are the matrices (4, 4) of the nodes.
    """

    def __init__(self, scene: Scene, ax: Any, towards: Any):
        super().__init__(scene)
        self.inner, self.inner_symbols = bent.inner(self.m), bent.inner_symbols(self.m)
        self.bent: dict[str, tuple[np.ndarray, np.ndarray, float]] = {}  # of beams: line, across it (n, 3), width
        where, tips = at_rest(scene)
        self.instant = Instant(scene, where, tips[0])
        transforms = [node.T for node in self.nodes] + [body.T for body in self.m.bodies]
        found = motion.frames_at(scene.system, transforms, np.zeros(1), *(x[None] for x in scene.initial))[0]
        self.T, bodies = found[: len(self.nodes)], found[len(self.nodes) :]
        gravity = self.vector(self.m.gravity)
        self.gravity = solids.unit(gravity) if gravity.any() else None
        self.normal = looks.plane_of(self.m.bodies, [T[None] for T in bodies], gravity) if len(bodies) else None
        up, to_eye, extent = scene.view.up, scene.view.towards, max(scene.view.size)
        if towards is not None:
            to_eye = np.array(towards, dtype=float)
        elif self.normal is not None and abs(self.normal @ up) < 0.9:
            to_eye = self.normal * np.sign(self.normal @ to_eye)
        if any(node.free for node in self.nodes):  # the way from the ground is drawn, too
            extent = max(extent, *(float(np.linalg.norm(T[:3, 3])) for T in bodies))
        self.s = float(np.clip(scene.size, 0.6 * extent, 0.9 * extent))
        self.paper = Drafter(ax, upwards(up, to_eye), to_eye, self.s)
        self.flat = self.normal is not None and abs(self.normal @ self.paper.towards) > 0.99
        places = [T[:3, 3] for T in self.T] + [T[:3, 3] for T in bodies]
        self.middle = np.mean(places, axis=0)

    # -- numbers ------------------------------------------------------------------------------------------------------

    def before(self, node: Node) -> np.ndarray:
        """The frame (4, 4) in which a joint begins."""
        return np.asarray(self.of(node.parent) @ self.matrix(node.offset))

    def of(self, node: Any) -> np.ndarray:
        return np.asarray(self.T[self.nodes.index(node)])

    def point(self, body: Any, point: Any) -> np.ndarray:
        """Ground position (3,) of a point of a body, for ends of elements."""
        T, start = body.T * Transform((Shift(point),)), (x[None] for x in self.scene.initial)
        return np.asarray(motion.frames_at(self.scene.system, [T], np.zeros(1), *start)[0, 0, :3, 3])

    # -- parts ----------------------------------------------------------------------------------------------------

    def draw_parts(self) -> None:
        paper = self.paper
        drawn: list[tuple[float, Part, np.ndarray]] = []
        for part, T in zip(self.scene.parts, self.instant.matrices, strict=True):
            fixed = part.body == "ground"
            if part.name == "gravity" or (fixed and self.flat and (part.name in GROUND or _is_guide(part))):
                continue
            if part.net is not None and part.kind == "surface":
                self._draw_bent(part)
            elif part.kind == "centre":
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
            kind = part.name.split()[0]
            fill = "#d8d8d8" if kind in GROUND else {"joint": "#9aa5ae", "mark": "white"}.get(kind, FILL)
            assert part.solid is not None
            paper.solid(part.solid, T, fill, order=2 + 0.8 * k / len(drawn))
        self._draw_walls()
        self._draw_clamps()
        feet = [part.solid.nodes for part in self.scene.parts
                if part.name == part.body == "ground" and part.solid is not None and part.solid.surfaces]  # fmt: skip
        if feet and self.m.bodies and not self.flat:
            foot = paper.flat(np.concatenate(feet))
            level = (foot[:, 1].min() - 0.005 * self.s) * paper.up
            left, right = (x * paper.right + level for x in (foot[:, 0].min(), foot[:, 0].max()))
            paper.hatched(left, right, -paper.up, THIN)

    def _draw_bent(self, part: Part) -> None:
        """A beam between the two sides that are seen of it; the lines and faces of a body from matrices."""
        nodes = self.instant.surfaces[self.scene.parts.index(part)][0][0]
        net, paper = part.net, self.paper
        assert net is not None
        if net.pieces is None:
            if part.name in self.inner:
                paper.faces(nodes, net.triangles)
            return
        rows = np.unique(np.stack([net.pieces, net.places[:, 0]], axis=1), axis=0)
        sections = [nodes[(net.pieces == k) & (net.places[:, 0] == s)] for k, s in rows]
        middles = np.array([section.mean(axis=0) for section in sections])
        along = np.gradient(middles, axis=0)
        across = np.cross(paper.towards, along)
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-300)
        reach = [(section - middle) @ out for section, middle, out in zip(sections, middles, across, strict=True)]
        low, high = (np.array([f(r) for r in reach])[:, None] for f in (min, max))
        least = 0.006 * self.s
        low, high = np.minimum(low, -least), np.maximum(high, least)
        paper.polygon(np.concatenate([middles + low * across, (middles + high * across)[::-1]]))
        self.bent[part.name] = middles, across, float(np.max(high - low))

    def _draw_clamps(self) -> None:
        """Hatching where beams are clamped to the ground."""
        for line in bent.lines(self.m) if self.flat else ():
            for end in (0, -1) if line.name in self.bent else ():
                node = line.nodes[end]
                if bent.clamped(line, end) and not any(map(chains.moves, node.T.scalars())):
                    middles, across, wide = self.bent[line.name]
                    side = max(1.2 * wide, 0.09 * self.s) * across[end]
                    p, away = middles[end], middles[end] - middles[1 if end == 0 else -2]
                    self.paper.hatched(p - side, p + side, away)

    def _is_block_of_inertia(self, part: Part) -> bool:
        """True of the boxes that stand for bodies in space: joints and links say more of what is held by joints."""
        if self.flat or not self.m.bodies or part.name != "body" or part.solid is None or len(part.solid.nodes) != 8:
            return False
        held = [node for node in self.nodes if any(b.name == part.body for b, _ in node.bodies)]
        joints = all(isinstance(node.joint, Turn | Shift) and not node.flies for node in held)
        return joints and all(not b.shape for b in self.m.bodies if b.name == part.body)

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
            for own, other in (pair, pair[::-1]):
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

    # -- joints -------------------------------------------------------------------------------------------------------

    def draw_joint(self, node: Node) -> None:
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
                self.paper.support(place[:3, 3], self.away(place[:3, 3]))
            self.paper.circle(place[:3, 3], 0.024 * self.s)
        elif parent is self.root and node.direction is not None:
            for part in self.scene.parts:
                if part.body == "ground" and _is_guide(part) and part.solid is not None and _of(part, node):
                    self._draw_guide(node, part.solid.nodes)

    def _draw_guide(self, node: Node, nodes: np.ndarray) -> None:
        """A line under what slides, with hatching: beside a block, not through it."""
        along = self.along(node)
        side = np.cross(self.paper.towards, along)
        if not side.any():
            return  # seen from its end
        side *= -np.sign(side @ self.paper.up) if abs(side @ self.paper.up) > 0.1 else -np.sign(side @ self.paper.right)
        blocks = [
            part.solid.nodes @ T[:3, :3].T + T[:3, 3]
            for part, T in zip(self.scene.parts, self.instant.matrices, strict=True)
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
        T = looks.at(self.of(node)[:3, 3]) @ looks.along(self.along(node))
        self.paper.solid(solids.box(side, side, 1.5 * side), T, order=3)

    def away(self, point: np.ndarray) -> np.ndarray:
        """The side of a pin on which the ground is: above a hanging part, below a standing one, beside a lying one."""
        rest = [self.instant.where[body.name][:3, 3] for body in self.m.bodies]
        line = np.mean(rest, axis=0) - point
        x, y = line @ self.paper.right, line @ self.paper.up
        return self.paper.up * (1.0 if y < -0.35 * abs(x) else -1.0)

    def along(self, node: Node) -> np.ndarray:
        return np.asarray(self.before(node)[:3, :3] @ solids.unit(self.vector(node.direction)))

    def is_rod(self, body: Body, d: float) -> bool:
        """True if the inertia is that of a uniform rod that begins at its joint."""
        mass = self.value(body.mass)
        if mass <= 0 or self.normal is None:
            return False
        inertia = looks.inertia_of(body, self.value)
        axis = looks.turning_axis(body, self.normal)
        h = float(np.sqrt(3 * max(axis @ inertia @ axis, 0) / mass))
        return abs(h - d) < 0.02 * d


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
