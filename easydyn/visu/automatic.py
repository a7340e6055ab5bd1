"""A scene of any model, with nothing declared: links, axes, guides, bodies, springs, ground and gravity.

What is drawn follows from the products (chains.py) and from masses and inertias alone:

- a link goes from the joint of a body to its centre of mass, to the joints of what hangs on it, and to its springs;
  at a free end it goes on as far as a uniform rod of this inertia would, h = sqrt(3 I/m), at most as far as it came;
- a body in a plane whose joint is at its centre of mass is the uniform disc of its inertia, r = sqrt(2 I/m), or, when
  it does not turn, a block; one without inertia is a ball;
- a body in space is the uniform box of its inertia, a^2 = 6 (Iy + Iz - Ix)/m.

Sizes that do not follow from data are shares of the size of the mechanism: the largest diagonal, over all instants
given, of the box about its joints, centres of mass and springs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.errors import ModelError
from easydyn.forces import Damper
from easydyn.forces.contact import PlaneContact
from easydyn.forces.line import Ends
from easydyn.mechanism import Body, Ground
from easydyn.symbols import t as time
from easydyn.vec import Shift, Transform, Turn
from easydyn.visu import colours, looks, motion, solids
from easydyn.visu.chains import Node, chains, moves, walk
from easydyn.visu.scene import Frame, Part, Scene, View
from easydyn.visu.shapes import arrow, number

INSTANTS = 60  # of a run, at most, that sizes are taken from


def scene_of(title: str, system: Any, t: np.ndarray, q: np.ndarray) -> Scene:
    """The scene of a system, with sizes from the instants t (N,) and q (N, n).

    Raises
    ------
    ModelError
        A model with neither bodies nor coordinates, or one that cannot be assembled at these instants.
    """
    if len(t) > INSTANTS:
        chosen = np.linspace(0, len(t) - 1, INSTANTS).astype(int)
        t, q = t[chosen], q[chosen]
    return _Builder(title, system, t, q).scene if system.mechanism.bodies else _diagram(title, system, q)


class _Builder:
    def __init__(self, title: str, system: Any, t: np.ndarray, q: np.ndarray):
        self.m = system.mechanism
        self.root = chains(self.m.bodies)
        self.nodes = list(walk(self.root))
        view = View(np.zeros(3), (1.0, 1.0), np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
        self.scene = Scene(title, system, view)
        self.scene.frames += [Frame(body.name, body.T) for body in self.m.bodies]
        self.values = self.scene.values
        self.T = self._positions(title, system, t, q)
        self.normal = looks.plane_of(self.m.bodies, self.T[len(self.nodes) :], self._number)
        gravity = np.array([self._number(c) for c in self.m.gravity])
        strength = np.linalg.norm(gravity)
        self.gravity = gravity / strength if strength > 0 else None
        self.E = self.scene.size = self._size()
        lengths = [float(np.linalg.norm(p)) for node in self.nodes[1:] for p in self._attached(node)]
        self.s = float(np.clip(4 * max(lengths, default=self.E), self.E / 2, self.E))  # what thicknesses are shares of
        self.shown: list[np.ndarray] = [self._instants()]  # points (N, k, 3) that the picture must hold
        for node in self.nodes:
            self._draw(node)
        self._draw_efforts()
        self._look()

    # -- numbers ----------------------------------------------------------------------------------------------------

    def _number(self, scalar: Any) -> float:
        return number(scalar, self.values)

    def _matrix(self, T: Transform) -> np.ndarray:
        return np.array(T.map(self._number).matrix, dtype=float).reshape(4, 4)

    def _positions(self, title: str, system: Any, t: np.ndarray, q: np.ndarray) -> list[np.ndarray]:
        """Matrices (N, 4, 4) of all nodes, then of all bodies, at the instants where the model can be assembled."""
        transforms = [node.T for node in self.nodes] + [body.T for body in self.m.bodies]
        T = motion.frames_at(system, transforms, t, q)
        good = np.isfinite(T).all(axis=(1, 2, 3))
        if not good.any():
            raise ModelError(
                f"the frames of model '{title}' are not finite: it cannot be assembled in this state. Give other "
                "initial values, or check the formulas of the transforms (asin, acos, sqrt)."
            )
        return list(np.moveaxis(T[good], 1, 0))

    def of_body(self, body: Body | Ground) -> np.ndarray:
        """Matrices (N, 4, 4) of a body."""
        if isinstance(body, Ground):
            return self.T[0]
        return self.T[len(self.nodes) + self.m.bodies.index(body)]

    def _point(self, body: Body | Ground, point: Any) -> np.ndarray:
        """Ground positions (N, 3) of a point of a body."""
        T = self.of_body(body)
        return T[:, :3, :3] @ np.array([self._number(c) for c in point]) + T[:, :3, 3]

    def _instants(self) -> np.ndarray:
        """Ground positions (N, k, 3) of joints, centres of mass and ends of springs."""
        points = [self._point(body, body.com) for body in self.m.bodies]
        for k, node in enumerate(self.nodes):
            if node.joint is not None and not node.unattached:
                points.append(self.T[k][:, :3, 3])
                if node.parent is self.root and isinstance(node.joint, Turn):
                    points.append(np.broadcast_to(self._matrix(node.offset)[:3, 3], points[0].shape))
        points += [self._point(*end) for ends in self._lines() for end in (ends.end_1, ends.end_2)]
        return np.stack(points, axis=1)

    def _lines(self) -> list[Ends]:
        found = [getattr(effort, "ends", None) for effort in self.m.efforts]
        return [ends for ends in found if isinstance(ends, Ends)]

    def _size(self) -> float:
        points = self._instants()
        size = float(np.linalg.norm(np.ptp(points, axis=1), axis=1).max())
        lengths = [looks.gyration(body, self._number) for body in self.m.bodies]
        size = max(size, *(2 * k for k in lengths)) if size < 1e-9 else size
        return size if size > 1e-9 else float(np.linalg.norm(np.ptp(points, axis=0), axis=1).max()) / 4 or 1.0

    # -- parts --------------------------------------------------------------------------------------------------------

    def _carrier(self, node: Node) -> tuple[str, np.ndarray]:
        """The frame that parts of a node are drawn in, and the matrix (4, 4) from the node's axes to it."""
        if node is self.root:
            return "ground", np.eye(4)
        if node.bodies:
            body, offset = node.bodies[0]
            return body.name, np.linalg.inv(self._matrix(offset))
        name = f"at {_label(node)}"
        if all(frame.name != name or frame.T != node.T for frame in self.scene.frames):
            while any(frame.name == name for frame in self.scene.frames):
                name += "'"
            self.scene.frames.append(Frame(name, node.T, is_body=False))
        return next(f.name for f in self.scene.frames if f.T == node.T and not f.is_body), np.eye(4)

    def _solid(self, name: str, frame: str, solid: solids.Solid, colour: str | None = None, opacity: float = 1) -> None:
        own = colour or self.scene.colour_of(frame)
        self.scene.parts.append(Part(name, frame, "solid", own, solid, opacity))

    def _draw(self, node: Node) -> None:
        if node.joint is not None:
            self._draw_joint(node)
        if node is not self.root:
            declared = any(body.shape for body, _ in node.bodies)
            attached = self._attached(node)
            if not declared:
                self._draw_links(node, attached)
        for k, (body, offset) in enumerate(node.bodies):
            if body.shape:
                self.scene.add(body.name, *body.shape)
            else:
                self._draw_body(node, body, offset, first=k == 0)
            if not _is_zero(body.mass):
                centre = np.array([self._number(c) for c in body.com])
                self.scene.parts.append(
                    Part("centre of mass", body.name, "centre", colours.GREYS["black"], point=centre, text=body.name)
                )

    def _attached(self, node: Node) -> list[np.ndarray]:
        """Points of the node's frame that its joint is linked to."""
        points = [self._matrix(offset)[:3, 3] for _, offset in node.bodies]
        points += [self._centre(body, offset) for body, offset in node.bodies]
        points += [self._matrix(child.offset)[:3, 3] for child in node.children]
        for ends in self._lines():
            for body, offset in node.bodies:
                for own, point in (ends.end_1, ends.end_2):
                    if own is body:
                        points.append(self._in_node(offset, [self._number(c) for c in point]))
        return [p for p in points if np.linalg.norm(p) > 0.02 * self.E]

    def _centre(self, body: Body, offset: Transform) -> np.ndarray:
        return self._in_node(offset, [self._number(c) for c in body.com])

    def _in_node(self, offset: Transform, point: Any) -> np.ndarray:
        T = self._matrix(offset)
        return T[:3, :3] @ np.array(point) + T[:3, 3]

    def _draw_links(self, node: Node, attached: list[np.ndarray]) -> None:
        frame, to_frame = self._carrier(node) if attached else ("ground", np.eye(4))
        colour = None if node.bodies else colours.MASSLESS
        kept: list[np.ndarray] = []
        for p in sorted(attached, key=lambda p: -np.linalg.norm(p)):  # the longer ones hide those along them
            if all(looks.distance_to_segment(p, longer) > 0.01 * self.E for longer in kept):
                kept.append(p)
                self._solid("link", frame, looks.rod(np.zeros(3), p, 0.016 * self.s).placed(to_frame), colour)

    def _draw_body(self, node: Node, body: Body, offset: Transform, first: bool) -> None:
        G = self._centre(body, offset)
        d = float(np.linalg.norm(G))
        inward = np.linalg.inv(self._matrix(offset))
        inertia = looks.inertia_of(body, self._number)
        mass = self._number(body.mass)
        centre = np.array([self._number(c) for c in body.com])
        in_space = not looks.planar(body) or bool(np.linalg.eigvalsh(inertia)[0] > 0)
        if self.normal is None and in_space:
            disc = looks.disc_of(inertia, mass, self.E)
            if disc is not None:
                self._disc(body, centre, *disc)
                return
            solid = looks.box_of(inertia, mass, self.E) or solids.sphere(0.05 * self.s)
            self._solid("body", body.name, solid.placed(looks.at(centre)))
            return
        axis = looks.turning_axis(body, self.normal)
        k = float(np.sqrt(max(axis @ inertia @ axis, 0) / mass)) if mass > 0 else 0.0
        turns = any(isinstance(f, Turn) and moves(f.angle) for f in body.T.factors)
        if node is not self.root and first and d > 0.02 * self.E and not node.free:
            h = np.sqrt(3) * k
            leaf = len(node.bodies) == 1 and not any(
                np.linalg.norm(self._matrix(c.offset)[:3, 3]) > 0.5 * d for c in node.children
            )
            if not leaf:
                return
            if h > 0.6 * d:
                tip = G * (1 + min(h, d) / d)
                self.shown.append(self._node_points(node, [tip]))
                self._solid("link", body.name, looks.rod(G, tip, 0.016 * self.s).placed(inward))
                return
            radius = np.sqrt(2) * k
            if radius > 0.03 * self.s:
                self._disc(body, centre, axis, radius)
            else:
                self._solid("body", body.name, solids.sphere(0.04 * self.s).placed(looks.at(centre)))
        elif turns and k > 0:
            self._disc(body, centre, axis, np.clip(np.sqrt(2) * k, 0.06 * self.E, 0.4 * self.E))
        elif turns or node.free:
            self._solid("body", body.name, solids.sphere(0.05 * self.s).placed(looks.at(centre)))
        else:
            s = 0.09 * self.s
            sides = s * (1 + 0.7 * self._direction(node))
            self._solid("body", body.name, solids.box(*sides).placed(looks.at(centre)))

    def _direction(self, node: Node) -> np.ndarray:
        """1 along the axis of a prismatic joint, 0 across; zero where there is none."""
        found = np.zeros(3)
        if isinstance(node.joint, Shift):
            found[[i for i in range(3) if moves(node.joint.e[i])][:1]] = 1.0
        return found

    def _disc(
        self, body: Body, centre: np.ndarray, axis: np.ndarray, radius: float, thickness: float | None = None
    ) -> None:
        thickness = min(0.04 * self.s, 0.3 * radius) if thickness is None else thickness
        place = looks.at(centre) @ looks.along(axis)
        self._solid("body", body.name, solids.frustum(radius, radius, thickness, 48).placed(place))
        mark = solids.box(0.9 * radius, 0.1 * radius, 1.1 * thickness).placed(looks.at((0.45 * radius, 0, 0)))
        self._solid("mark", body.name, mark.placed(place), colours.GREYS["white"])

    def _node_points(self, node: Node, points: Any) -> np.ndarray:
        T = self.T[self.nodes.index(node)]
        return np.stack([T[:, :3, :3] @ p + T[:, :3, 3] for p in points], axis=1)

    # -- joints -------------------------------------------------------------------------------------------------------

    def _draw_joint(self, node: Node) -> None:
        parent = node.parent
        assert parent is not None
        if isinstance(node.joint, Turn) and not parent.unattached:
            self._draw_pin(node, parent)
        elif isinstance(node.joint, Shift) and not node.free and not parent.unattached:
            self._draw_guide(node, parent)

    def _draw_pin(self, node: Node, parent: Node) -> None:
        name, r = f"joint {_label(node)}", 0.026 * self.s
        turns = _turns_at_one_point(node)
        if len(turns) >= 3:
            if turns[0] is node:
                frame, to_frame = self._carrier(turns[-1])
                self._solid(name, frame, solids.sphere(1.6 * r).placed(to_frame), colours.GREYS["dark"])
            return
        axis = np.array([self._number(c) for c in node.joint.axis])  # type: ignore[union-attr]
        pin = solids.frustum(r, r, 0.1 * self.s).placed(looks.along(axis))
        if node.bodies:
            frame, place = self._carrier(node)
        else:
            frame, to_frame = self._carrier(parent)
            place = to_frame @ self._matrix(node.offset)
        self._solid(name, frame, pin.placed(place), colours.GREYS["dark"])
        if parent is self.root:
            back = -axis if self.normal is None or axis @ self.normal > 0 else axis
            if self.gravity is not None and abs(axis @ self.gravity) > 0.9:
                back = axis * np.sign(axis @ self.gravity)
            plate = solids.frustum(2.6 * r, 2.6 * r, 0.012 * self.s).placed(looks.at((0, 0, 0.05 * self.s)))
            ground = plate.placed(self._matrix(node.offset) @ looks.along(back))
            self._solid("ground", "ground", ground, colours.GROUND)

    def _draw_guide(self, node: Node, parent: Node) -> None:
        joint, offset = node.joint, self._matrix(node.offset)
        axis = self._direction(node)
        before = self.T[self.nodes.index(parent)] @ offset
        after = self.T[self.nodes.index(node)]
        travel = np.einsum("nij,ni->nj", before[:, :3, :3], after[:, :3, 3] - before[:, :3, 3]) @ axis
        low, high = float(travel.min()), float(travel.max())
        if parent is self.root:
            margin = max(0.15 * self.E, 0.3 * self.E - (high - low) / 2)
            low, high = low - margin, high + margin
        else:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low < 1e-9 * self.E:
            return
        across = np.array([self._number(c) if not moves(c) else 0.0 for c in joint.e])  # type: ignore[union-attr]
        bar = solids.box(*(axis * (high - low) + (1 - axis) * 0.022 * self.s))
        bar = bar.placed(looks.at(across + axis * (low + high) / 2))
        frame, to_frame = self._carrier(parent)
        colour = colours.GROUND if parent is self.root else None if parent.bodies else colours.MASSLESS
        self._solid(f"guide {_label(node)}", frame, bar.placed(to_frame @ offset), colour)
        ends = [offset[:3, :3] @ (axis * s) + offset[:3, 3] for s in (low, high)]
        self.shown.append(self._node_points(parent, ends))

    # -- efforts, gravity, view ---------------------------------------------------------------------------------------

    def _draw_efforts(self) -> None:
        planes: set[Any] = set()
        for effort in self.m.efforts:
            ends = getattr(effort, "ends", None)
            name = type(effort).__name__.lower()
            if isinstance(ends, Ends):
                pair = tuple(self.scene.end(*end) for end in (ends.end_1, ends.end_2))
                if name == "spring":
                    solid, colour = solids.coil(0.032 * self.s, 0.006 * self.s, 9), colours.SPRING
                else:
                    solid = looks.pot(0.016 * self.s)
                    colour = colours.DAMPER if isinstance(effort, Damper) else colours.PALETTE["purple"]
                self.scene.parts.append(Part(name, pair[0].frame, "between", colour, solid, ends=pair))
            elif isinstance(effort, PlaneContact):
                self._draw_contact(effort, planes)

    def _draw_contact(self, effort: PlaneContact, planes: set[Any]) -> None:
        body, point = effort.end
        radius = getattr(effort, "radius", None)
        if isinstance(body, Body) and not body.shape:
            size = 0.02 * self.s if radius is None else self._number(radius)
            centre = [self._number(c) for c in point]
            self._solid("contact", body.name, solids.sphere(size).placed(looks.at(centre)))
        key = (effort.plane[0].name, *effort.plane[1], *effort.normal)
        if key in planes:
            return
        planes.add(key)
        normal = np.array([self._number(c) for c in effort.normal])
        place = looks.at([self._number(c) for c in effort.plane[1]]) @ looks.along(normal)
        name = "ground" if isinstance(effort.plane[0], Ground) else "plane"
        reach = float(np.ptp(np.concatenate(self.shown, axis=1), axis=(0, 1)).max()) + 0.5 * self.E
        middle = np.linalg.inv(place) @ np.append(np.concatenate(self.shown, axis=1).mean(axis=(0, 1)), 1.0)
        middle[2] = 0.0
        self._solid(
            name, effort.plane[0].name, looks.floor(reach, self.E).placed(place @ looks.at(middle[:3])), colours.GROUND
        )

    def _look(self) -> None:
        points = np.concatenate([*self.shown, *self._hulls()], axis=1).reshape(-1, 3)
        up, towards = looks.view(self.normal, self.gravity)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        follow = None
        if np.linalg.norm(np.ptp(points, axis=0)) > 6 * self.E:  # it goes far: go along with the heaviest
            heaviest = max(self.m.bodies, key=lambda body: self._number(body.mass))
            place = self.of_body(heaviest)[:, None, :3, 3]
            hulls = np.concatenate([np.concatenate(self._hulls() or self.shown[:1], axis=1), self.shown[0]], axis=1)
            follow, points = heaviest.name, (hulls - place + place[0]).reshape(-1, 3)
            middle = place[0, 0]
        net = any(p.name == "ground" and p.solid is not None and not p.solid.surfaces for p in self.scene.parts)
        if self.normal is None and self.gravity is not None and not net:
            level = middle + up * ((points - middle) @ up).min() - up * 0.03 * self.E
            reach = 0.6 * max(self.E, float(np.linalg.norm(np.ptp(points, axis=0))))
            floor = looks.floor(reach, self.E).placed(looks.at(level) @ looks.along(up))
            self._solid("ground", "ground", floor, colours.GROUND)
        self.scene.view = looks.framed(points, up, towards, 0.12 * self.E, follow)
        if self.gravity is not None:
            self._draw_gravity(self.gravity, self.scene.view)

    def _hulls(self) -> list[np.ndarray]:
        """Ground positions (N, 8, 3) of the corners of the boxes about the solids of bodies."""
        known = {body.name: self.of_body(body) for body in self.m.bodies}
        found = []
        for part in self.scene.parts:
            if part.kind == "solid" and part.solid is not None and part.body in known and part.solid.surfaces:
                ends = np.array([part.solid.nodes.min(axis=0), part.solid.nodes.max(axis=0)])
                corners = np.array(
                    [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
                )
                T = known[part.body]
                found.append(np.einsum("nij,kj->nki", T[:, :3, :3], corners) + T[:, None, :3, 3])
        return found

    def _draw_gravity(self, gravity: np.ndarray, view: View) -> None:
        """An arrow at the left of the picture, which is made wider for it."""
        width, height = view.size
        length = 0.16 * max(width, height)
        right = np.cross(view.up, view.towards)
        right /= np.linalg.norm(right)
        top = view.target - right * (0.5 * width + 0.3 * length) - gravity * 0.5 * length
        needle = arrow(0.06).placed(np.diag([length, length, length, 1])).placed(looks.at(top) @ looks.along(gravity))
        self._solid("gravity", "ground", needle, colours.GRAVITY)
        label = top - right * 0.25 * length + gravity * 0.5 * length
        self.scene.parts.append(Part("gravity", "ground", "text", colours.GRAVITY, point=label, text="g"))
        target = view.target - right * 0.3 * length
        self.scene.view = replace(view, target=target, size=(width + 0.9 * length, height))


def _diagram(title: str, system: Any, q: np.ndarray) -> Scene:
    """A model without bodies: each coordinate is a block on a rail, or a pointer on a dial when it is an angle."""
    m = system.mechanism
    if not m.coordinates:
        raise ModelError(
            f"model '{title}' has neither bodies nor coordinates: there is nothing to be drawn. Plot its states."
        )
    reach = max(float(np.abs(q[:, j]).max()) for j in range(len(m.coordinates)))
    lengths = [float(np.abs(q[:, j]).max()) for j, c in enumerate(m.coordinates) if m.units.get(str(c)) != "rad"]
    E = max(lengths, default=1.0) or reach or 1.0
    view = View(np.zeros(3), (1.0, 1.0), np.array([0.0, 1.0, 0.0]), looks.view(np.array([0.0, 0.0, 1.0]), None)[1])
    scene = Scene(title, system, view, E)
    for j, c in enumerate(m.coordinates):
        turns = m.units.get(str(c)) == "rad"
        y = -0.8 * E * j
        joint = Turn(Transform().R.T.Z, c) if turns else Shift(type(m.gravity)(c, 0, 0))
        scene.frames.append(Frame(str(c), Transform((Shift(type(m.gravity)(0, y, 0)), joint))))
        colour = scene.colour_of(str(c))
        if turns:
            moving = [looks.rod(np.zeros(3), np.array([0.35 * E, 0, 0]), 0.03 * E)]
            fixed = solids.frustum(0.4 * E, 0.4 * E, 0.02 * E).placed(looks.at((0, y, -0.06 * E)))
        else:
            low, high = min(0.0, float(q[:, j].min())) - 0.4 * E, max(0.0, float(q[:, j].max())) + 0.4 * E
            moving = [solids.box(0.36 * E, 0.24 * E, 0.24 * E)]
            fixed = solids.box(high - low, 0.05 * E, 0.05 * E).placed(looks.at(((low + high) / 2, y, 0)))
            zero = solids.box(0.02 * E, 0.34 * E, 0.08 * E).placed(looks.at((0, y, -0.15 * E)))
            scene.parts.append(Part("zero", "ground", "solid", colours.GREYS["light"], zero))
        scene.parts.append(Part("ground", "ground", "solid", colours.GROUND, fixed))
        scene.parts += [Part("body", str(c), "solid", colour, solid) for solid in moving]
        label = Part(
            "name", str(c), "text", colours.GREYS["black"], point=np.array([0, 0.2 * E, 0.15 * E]), text=str(c)
        )
        scene.parts.append(label)
    n = len(m.coordinates)
    middle = np.array([E / 2, -0.4 * E * (n - 1), 0])
    scene.view = View(middle, (2.2 * E, 0.8 * E * n + 0.2 * E), view.up, view.towards)
    return scene


def _label(node: Node) -> str:
    """The coordinates of a joint, or the time."""
    symbols = getattr(node.joint, "angle", None) if isinstance(node.joint, Turn) else None
    found = Transform((node.joint,)).free_symbols if symbols is None else symbols.free_symbols  # type: ignore[arg-type]
    return ", ".join(sorted(str(s) for s in found if moves(s) or s == time))


def _is_zero(mass: Any) -> bool:
    return bool(mass == 0)


def _turns_at_one_point(node: Node) -> list[Node]:
    """The turns in a row, without anything between them, of which the node's joint is one."""
    found = [node]

    def bare(n: Node) -> bool:
        return isinstance(n.joint, Turn) and not n.bodies and len(n.children) == 1

    while (up := found[0].parent) is not None and bare(up) and not _shifted(found[0].offset):
        found.insert(0, up)
    while (
        bare(found[-1]) and isinstance(found[-1].children[0].joint, Turn) and not _shifted(found[-1].children[0].offset)
    ):
        found.append(found[-1].children[0])
    return found


def _shifted(T: Transform) -> bool:
    return any(not isinstance(f, Turn) for f in T.factors)
