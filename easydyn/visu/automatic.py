"""The automatic scene of any model: links, axes, guides, bodies, springs, ground and gravity.

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

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import ModelError
from easydyn.forces import Force, PlanePoint, RigidContact
from easydyn.forces.line import Ends
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Shift, Transform, Turn
from easydyn.visu import bent, colours, elements, looks, motion, solids
from easydyn.visu.chains import Joined, Node, label, moves
from easydyn.visu.diagram import diagram
from easydyn.visu.elements import solids_on
from easydyn.visu.motion import frames_and_tips
from easydyn.visu.scene import Frame, Part, Scene, View
from easydyn.visu.shapes import arrow

INSTANTS = 60  # of a run, at most, that sizes are taken from


@answers
def scene_of(title: str, system: Any, t: np.ndarray, q: np.ndarray, qd: Any = None, shapes: bool = True) -> Scene:
    """The scene of a system, with sizes from some of its states; `model.scene()` makes it for a model.

    Parameters
    ----------
    title : str
        What it is called.
    system : CompiledSystem
        The system whose bodies are drawn.
    t : array (N,)
        Instants (s).
    q, qd : arrays (N, n)
        Coordinates at these instants, and their rates; first-order states stand among the rates.
    shapes : bool
        True: draw the shapes that bodies were given. False: draw the bodies as if they had no shapes.

    Returns
    -------
    Scene
        The scene, with links, joints, centres of mass, ground and gravity.

    Raises
    ------
    ModelError
        A model with neither bodies nor coordinates, or one that cannot be assembled at these instants.

    Example
    -------
    >>> from easydyn import examples
    >>> scene = scene_of("crank", examples.slider_crank().compile(), np.zeros(1), np.ones((1, 1)))
    >>> [frame.name for frame in scene.frames if frame.is_body][:2]
    ['ground', 'crank']
    """
    if len(t) > INSTANTS:
        chosen = np.linspace(0, len(t) - 1, INSTANTS).astype(int)
        t, q, qd = t[chosen], q[chosen], None if qd is None else qd[chosen]
    if not system.mechanism.bodies:
        return diagram(title, system, q, np.zeros_like(q) if qd is None else qd)
    return Builder(title, system, t, q, np.zeros_like(q) if qd is None else qd, shapes).scene


class Builder(Joined):
    """Draws the bodies of a system into `scene`, node by node.

    `E` is the size of the mechanism (m), and `s` is the length (m) to which thicknesses are proportional. `normal` is
    the normal of the plane of motion or None, `gravity` its direction or None. `shown` are the points (N, k, 3) that
    the picture must contain.
    """

    def __init__(self, title: str, system: Any, t: np.ndarray, q: np.ndarray, qd: np.ndarray, shapes: bool = True):
        super().__init__(Scene(title, system, View()))
        self.shapes = shapes
        self.inner = bent.inner(self.m)
        self.scene.frames += [Frame(body.name, body.T, inner=body.name in self.inner) for body in self.m.bodies]
        self.scene.frames += [Frame(point.name, point.T, is_body=False) for point in self.m.points]
        self.T = self._positions(title, system, t, q, qd)
        gravity = self.vector(self.m.gravity)
        self.normal = looks.plane_of(self.m.bodies, self.T[len(self.nodes) :][: len(self.m.bodies)], gravity)
        strength = np.linalg.norm(gravity)
        self.gravity = gravity / strength if strength > 0 else None
        self.E = self.scene.size = self._size()
        lengths = [float(np.linalg.norm(p)) for node in self.nodes[1:] for p in self._attached(node)]
        self.s = float(np.clip(4 * max(lengths, default=self.E), self.E / 2, self.E))  # what thicknesses are shares of
        self.shown: list[np.ndarray] = [self._instants()]  # points (N, k, 3) that the picture must hold
        for node in self.nodes:
            self._draw(node)
        bent.drawn(self)
        elements.draw_efforts(self)
        self._look()

    # -- numbers ----------------------------------------------------------------------------------------------------

    def _positions(
        self, title: str, system: Any, t: np.ndarray, q: np.ndarray, qd: np.ndarray
    ) -> list[np.ndarray]:  # fmt: skip
        """Matrices (N, 4, 4) of all nodes, bodies, and points without mass, where the model can be assembled."""
        transforms = [node.T for node in self.nodes] + [body.T for body in (*self.m.bodies, *self.m.points)]
        T = motion.frames_at(system, transforms, t, q, qd)
        good = np.isfinite(T).all(axis=(1, 2, 3))
        self.instants = t[good], q[good], qd[good]
        if not good.any():
            raise ModelError(
                f"the frames of model '{title}' are not finite: it cannot be assembled in this state. Give other "
                "initial values, or check the formulas of the transforms (asin, acos, sqrt)."
            )
        return list(np.moveaxis(T[good], 1, 0))

    def _is_inner(self, node: Node) -> bool:
        """True of a frame that carries nodes of beams, or pieces of bodies, and nothing else."""
        return bool(node.bodies) and all(body.name in self.inner for body, _ in node.bodies)

    def declared(self, body: Body) -> bool:
        """True for a body that has its own shapes."""
        return self.shapes and bool(body.shape)

    def of_body(self, body: Body | Ground) -> np.ndarray:
        """Matrices (N, 4, 4) of a body."""
        if isinstance(body, Ground):
            return self.T[0]
        return self.T[len(self.nodes) + (*self.m.bodies, *self.m.points).index(body)]

    def _point(self, body: Body | Ground, point: Any) -> np.ndarray:
        """Ground positions (N, 3) of a point of a body."""
        if any(map(moves, point)):
            T = body.T * Transform((Shift(point),))
            return motion.frames_at(self.scene.system, [T], *self.instants)[:, 0, :3, 3]
        T = self.of_body(body)
        return T[:, :3, :3] @ self.vector(point) + T[:, :3, 3]

    def _instants(self) -> np.ndarray:
        """Ground positions (N, k, 3) of joints, centres of mass and ends of springs."""
        points = [self._point(body, body.com) for body in self.m.bodies]
        for node in self.nodes:
            if node.joint is not None and not node.unattached:
                points.append(self._node_points(node, [self._root(node)])[:, 0])
                if node.parent is self.root and isinstance(node.joint, Turn):
                    points.append(np.broadcast_to(self.matrix(node.offset)[:3, 3], points[0].shape))
        points += [self._point(*end) for ends in self._lines() for end in (ends.end_1, ends.end_2)]
        return np.stack(points, axis=1)

    def _lines(self) -> list[Ends]:
        found = [getattr(effort, "ends", None) for effort in self.m.efforts]
        return [ends for ends in found if isinstance(ends, Ends)]

    def _size(self) -> float:
        points = self._instants()
        size = float(np.linalg.norm(np.ptp(points, axis=1), axis=1).max())
        bodies = self.m.bodies  # all at one place: as large as what is declared, or as the inertias say
        if size > 1e-9:  # what flies freely in space keeps its size, however small that is which hangs on it
            free = [node for node in self.nodes if node.flies and self.normal is None]
            bodies = tuple(body for node in free for body, _ in node.bodies)
        declared = [body for body in bodies if self.declared(body)]
        solids_of = [solid.nodes for body in declared for shape in body.shape for solid, _ in shape.solids()]
        lengths = [4 * looks.gyration(body, self.value) for body in bodies if body not in declared]
        size = max([size, *lengths, *(float(np.ptp(nodes, axis=0).max()) for nodes in solids_of)])
        return size if size > 1e-9 else float(np.linalg.norm(np.ptp(points, axis=0), axis=1).max()) / 4 or 1.0

    # -- parts --------------------------------------------------------------------------------------------------------

    def _carrier(self, node: Node) -> tuple[str, np.ndarray]:
        """The frame that parts of a node are drawn in, and the matrix (4, 4) from the node's axes to it."""
        if node is self.root:
            return "ground", np.eye(4)
        if node.bodies:
            body, offset = node.bodies[0]
            return body.name, np.linalg.inv(self.matrix(offset))
        return self.scene._frame_of(node.T, f"at {label(node)}"), np.eye(4)

    def draw(self, name: str, frame: str, solid: solids.Solid, colour: str | None = None, opacity: float = 1) -> None:
        own = colour or self.scene.colour_of(frame)
        self.scene.parts.append(Part(name, frame, "solid", own, solid, opacity))

    def _draw(self, node: Node) -> None:
        if node.joint is not None:
            self._draw_joint(node)
        if node is not self.root and not self._is_inner(node):
            declared = any(self.declared(body) for body, _ in node.bodies)
            attached = self._attached(node)
            if not declared:
                self._draw_links(node, attached)
        for k, (body, offset) in enumerate(node.bodies):
            if body.name in self.inner:
                continue
            if self.declared(body):
                self.scene.add(body.name, *body.shape)
            else:
                self._draw_body(node, body, offset, first=k == 0)
            if body.mass != 0:
                centre = self.vector(body.com)
                self.scene.parts.append(
                    Part("centre of mass", body.name, "centre", colours.GREYS["black"], point=centre, text=body.name)
                )

    def _attached(self, node: Node) -> list[np.ndarray]:
        """Points of the node's frame that its joint is linked to."""
        points = [self.matrix(offset)[:3, 3] for _, offset in node.bodies]
        points += [self._centre(body, offset) for body, offset in node.bodies]
        points += [self.matrix(child.offset)[:3, 3] for child in node.children]
        places = [end for ends in self._lines() for end in (ends.end_1, ends.end_2)]
        places += [(effort.body, effort.at) for effort in self.m.efforts if isinstance(effort, Force)]
        closures = elements.joints_of_loops(self.m)
        places += [(body, local.e) for closure in closures for body, local in (closure.first, closure.second)]
        for body, offset in node.bodies:
            for own, point in places:
                if own is body and not any(map(moves, point)):
                    points.append(self._in_node(offset, self.vector(point)))
        return [p for p in points if np.linalg.norm(p - self._root(node)) > 0.02 * self.E]

    def _root(self, node: Node) -> np.ndarray:
        """Where links begin: at the axis of a turn; what slides has no place but that of what it carries first."""
        if node.direction is None:
            return np.zeros(3)
        first = [offset for _, offset in node.bodies] or [child.offset for child in node.children]
        return self.matrix(first[0])[:3, 3] if first else np.zeros(3)

    def _centre(self, body: Body, offset: Transform) -> np.ndarray:
        return self._in_node(offset, self.vector(body.com))

    def _in_node(self, offset: Transform, point: Any) -> np.ndarray:
        T = self.matrix(offset)
        return T[:3, :3] @ np.array(point) + T[:3, 3]

    def _draw_links(self, node: Node, attached: list[np.ndarray]) -> None:
        frame, to_frame = self._carrier(node) if attached else ("ground", np.eye(4))
        colour = None if node.bodies else colours.MASSLESS
        kept: list[np.ndarray] = []
        root = self._root(node)
        for p in sorted(attached, key=lambda p: -np.linalg.norm(p - root)):  # the longer ones hide those along them
            if all(looks.distance_to_segment(p - root, longer - root) > 0.01 * self.E for longer in kept):
                kept.append(p)
                self.draw("link", frame, looks.rod(root, p, 0.016 * self.s).placed(to_frame), colour)

    def _draw_body(self, node: Node, body: Body, offset: Transform, first: bool) -> None:
        G = self._centre(body, offset)
        root = self._root(node)
        d = float(np.linalg.norm(G - root))
        inward = np.linalg.inv(self.matrix(offset))
        inertia = looks.inertia_of(body, self.value)
        mass = self.value(body.mass)
        centre = self.vector(body.com)
        tyre = elements.tyre_of(self, body)
        if tyre is not None:
            self.draw("tyre", body.name, tyre)
            return
        if touching := solids_on(self, body):
            for solid in touching:
                self.draw("body", body.name, solid)
            return
        ball = looks.ball_of(inertia, mass, self.E)
        reach = [float(np.linalg.norm(p - root)) for p in self._attached(node)] if node is not self.root else []
        if ball is not None and (not reach or (node.flies and self.normal is None)):
            self.draw("body", body.name, ball.placed(looks.at(centre)))
            return
        in_space = not looks.planar(body) or bool(np.linalg.eigvalsh(inertia)[0] > 0)
        if self.normal is None and in_space:
            disc = looks.disc_of(inertia, mass, self.E)
            if disc is not None:
                axis, radius, thickness = disc
                share = 1.0 if node.flies else min(1.0, 0.4 * max(reach, default=np.inf) / radius)
                self._disc(body, centre, axis, radius * share, thickness * share)
                return
            solid = looks.box_of(inertia, mass, self.E) or solids.sphere(0.05 * self.s)
            self.draw("body", body.name, solid.placed(looks.at(centre)))
            return
        axis = looks.turning_axis(body, self.normal)
        I = max(float(axis @ inertia @ axis), 0.0)
        k = float(np.sqrt(I / mass)) if mass > 0 else 0.2 * self.E if I else 0.0  # without a mass it only turns
        turns = any(isinstance(f, Turn) and moves(f.angle) for f in body.T.factors)
        if node is not self.root and first and d > 0.02 * self.E and not node.free:
            h = np.sqrt(3) * k
            leaf = len(node.bodies) == 1 and not any(
                np.linalg.norm(self.matrix(c.offset)[:3, 3] - root) > 0.5 * d for c in node.children
            )
            if not leaf:
                return
            if h > 0.6 * d:
                tip = G + (G - root) * min(h, d) / d
                self.shown.append(self._node_points(node, [tip]))
                self.draw("link", body.name, looks.rod(G, tip, 0.016 * self.s).placed(inward))
                return
            radius = np.sqrt(2) * k
            if radius > 0.03 * self.s:
                self._disc(body, centre, axis, radius)
            else:
                self.draw("body", body.name, solids.sphere(0.04 * self.s).placed(looks.at(centre)))
        elif turns and k > 0 and not reach:
            self._disc(body, centre, axis, np.clip(np.sqrt(2) * k, 0.06 * self.E, 0.4 * self.E))
        elif (turns or node.free) and not reach:
            self.draw("body", body.name, solids.sphere(0.05 * self.s).placed(looks.at(centre)))
        elif not turns and not node.free:
            s = 0.09 * self.s
            own = np.linalg.inv(self.matrix(offset))[:3, :3] @ self._direction(node)
            block = solids.box(s, s, 1.7 * s).placed(looks.at(centre) @ looks.along(own))
            self.draw("body", body.name, block)

    def _direction(self, node: Node) -> np.ndarray:
        """The unit vector along which a joint slides, in the node's axes; x where there is none."""
        return solids.unit(self.vector((1, 0, 0) if node.direction is None else node.direction))

    def _disc(
        self, body: Body, centre: np.ndarray, axis: np.ndarray, radius: float, thickness: float | None = None
    ) -> None:
        thickness = min(0.04 * self.s, 0.3 * radius) if thickness is None else thickness
        place = looks.at(centre) @ looks.along(axis)
        self.draw("body", body.name, solids.frustum(radius, radius, thickness, 48).placed(place))
        mark = solids.box(0.9 * radius, 0.1 * radius, 1.1 * thickness).placed(looks.at((0.45 * radius, 0, 0)))
        self.draw("mark", body.name, mark.placed(place), colours.GREYS["white"])

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
        name, r = f"joint {label(node)}", 0.026 * self.s
        turns = _turns_at_one_point(node)
        if len(turns) >= 3:
            if turns[0] is node:
                frame, to_frame = self._carrier(turns[-1])
                self.draw(name, frame, solids.sphere(1.6 * r).placed(to_frame), colours.GREYS["dark"])
            return
        axis = self.vector(node.joint.axis)  # type: ignore[union-attr]
        pin = solids.frustum(r, r, 0.1 * self.s).placed(looks.along(axis))
        if node.bodies:
            frame, place = self._carrier(node)
        else:
            frame, to_frame = self._carrier(parent)
            place = to_frame @ self.matrix(node.offset)
        self.draw(name, frame, pin.placed(place), colours.GREYS["dark"])
        if parent is self.root:
            back = -axis if self.normal is None or axis @ self.normal > 0 else axis
            if self.gravity is not None and abs(axis @ self.gravity) > 0.9:
                back = axis * np.sign(axis @ self.gravity)
            plate = solids.frustum(2.6 * r, 2.6 * r, 0.012 * self.s).placed(looks.at((0, 0, 0.05 * self.s)))
            ground = plate.placed(self.matrix(node.offset) @ looks.along(back))
            self.draw("ground", "ground", ground, colours.GROUND)

    def _draw_guide(self, node: Node, parent: Node) -> None:
        offset, axis, root = self.matrix(node.offset), self._direction(node), self._root(node)
        before = self.T[self.nodes.index(parent)] @ offset
        after = self.T[self.nodes.index(node)]
        travel = np.einsum("nij,ni->nj", before[:, :3, :3], after[:, :3, 3] - before[:, :3, 3]) @ axis + root @ axis
        low, high = float(travel.min()), float(travel.max())
        if parent is self.root:
            margin = max(0.15 * self.E, 0.3 * self.E - (high - low) / 2)
            falls = 0.0 if self.gravity is None else float(offset[:3, :3] @ axis @ self.gravity)
            lands = any(isinstance(effort, RigidContact | PlanePoint) for effort in self.m.efforts)
            low -= margin * (not lands or falls > -0.9)  # not into the floor
            high += margin * (not lands or falls < 0.9)
        else:
            low, high = min(low, 0.0), max(high, 0.0)
        if high - low < 1e-9 * self.E:
            return
        across = root - (root @ axis) * axis
        width = np.clip(0.008 * (high - low), 0.022 * self.s, 0.05 * self.s)
        bar = solids.box(width, width, high - low)
        bar = bar.placed(looks.at(across + axis * (low + high) / 2) @ looks.along(axis))
        frame, to_frame = self._carrier(parent)
        colour = colours.GROUND if parent is self.root else None if parent.bodies else colours.MASSLESS
        self.draw(f"guide {label(node)}", frame, bar.placed(to_frame @ offset), colour)
        ends = [offset[:3, :3] @ (across + axis * s) + offset[:3, 3] for s in (low, high)]
        self.shown.append(self._node_points(parent, ends))

    # -- efforts, gravity, view ---------------------------------------------------------------------------------------

    def _look(self) -> None:
        points = np.concatenate([*self.shown, *self.hulls()], axis=1).reshape(-1, 3)
        up, towards = looks.view(self.normal, self.gravity)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        follow = None
        travel = np.ptp(points, axis=0)
        level = travel if self.gravity is None else travel * (1 - np.abs(self.gravity))
        if np.linalg.norm(level) > 6 * self.E or np.linalg.norm(travel) > 30 * self.E:
            # it goes far: go along with the heaviest
            heaviest = max(self.m.bodies, key=lambda body: self.value(body.mass))
            place = self.of_body(heaviest)[:, None, :3, 3]
            hulls = np.concatenate([np.concatenate(self.hulls() or self.shown[:1], axis=1), self.shown[0]], axis=1)
            follow, points = heaviest.name, (hulls - place + place[0]).reshape(-1, 3)
            middle = place[0, 0]
        net = any(p.name == "ground" and p.solid is not None and not p.solid.surfaces for p in self.scene.parts)
        if self.normal is None and self.gravity is not None and not net:
            level = middle + up * ((points - middle) @ up).min() - up * 0.03 * self.E
            reach = 0.6 * max(self.E, float(np.linalg.norm(np.ptp(points, axis=0))))
            floor = looks.floor(reach, self.E).placed(looks.at(level) @ looks.along(up))
            self.draw("ground", "ground", floor, colours.GREYS["light"])
        self.scene.view = looks.framed(points, up, towards, 0.12 * self.E, follow)
        if self.gravity is not None:
            self._draw_gravity(self.gravity, self.scene.view)

    def hulls(self) -> list[np.ndarray]:
        """Ground positions (N, 8, 3) of the corners of the boxes about the solids of bodies."""
        known = {body.name: self.of_body(body) for body in self.m.bodies}
        found = []
        for part in self.scene.parts:
            if part.kind == "solid" and part.solid is not None and part.body in known and part.solid.surfaces:
                ends = np.array([part.solid.nodes.min(axis=0), part.solid.nodes.max(axis=0)])
                corners = np.array(list(itertools.product(*ends.T)))
                T = known[part.body]
                found.append(np.einsum("nij,kj->nki", T[:, :3, :3], corners) + T[:, None, :3, 3])
        if any(part.net is not None for part in self.scene.parts):
            for nodes, _ in motion.surfaces(self.scene, *frames_and_tips(self.scene, *self.instants)).values():
                found.append(np.stack([nodes.min(axis=1), nodes.max(axis=1)], axis=1))
        return found

    def _draw_gravity(self, gravity: np.ndarray, view: View) -> None:
        """An arrow at the left of the picture, which is made wider for it."""
        width, height = view.size
        length = 0.16 * max(width, height)
        right = solids.seen_along(view.up, view.towards)[0]
        top = view.target - right * (0.5 * width + 0.3 * length) - gravity * 0.5 * length
        needle = arrow(0.06).placed(np.diag([length, length, length, 1])).placed(looks.at(top) @ looks.along(gravity))
        label = top - right * 0.25 * length + gravity * 0.5 * length
        frame, start = "ground", np.zeros(3)
        if view.follow is not None:  # the arrow goes along, without turning
            body = self.m.bodies[self.scene.index(view.follow) - 1]
            frame, start = f"beside {view.follow}", self.of_body(body)[0, :3, 3]
            self.scene.frames.append(Frame(frame, Transform((Shift(body.T.e),)), is_body=False))
        self.draw("gravity", frame, needle.placed(looks.at(-start)), colours.GRAVITY)
        self.scene.parts.append(Part("gravity", frame, "text", colours.GRAVITY, point=label - start, text="g"))
        target = view.target - right * 0.3 * length
        self.scene.view = replace(view, target=target, size=(width + 0.9 * length, height))


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
