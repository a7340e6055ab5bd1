"""A scene as a textbook drawing: outlines, supports, labelled coordinates and lengths, gravity.

The labels follow from the products that the user wrote (chains.py). A rotation is an arc from the direction of its body
at angle zero; a displacement is an arrow from the place of its body at zero. A length is a constant displacement that
contains a parameter; it is drawn along its link.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError
from easydyn.inputs import flag, shown, text
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import t
from easydyn.result.plots import axes, shown_as
from easydyn.vec import Shift, Transform, Turn
from easydyn.vec.scalars import scalar, symbolic
from easydyn.visu import bent, chains, elements
from easydyn.visu.chains import Node
from easydyn.visu.colours import PALETTE
from easydyn.visu.drafting import ACCENT, THIN, formula
from easydyn.visu.loads import NOTHING, REACTIONS, Load, freed, largest_of
from easydyn.visu.outline import Outline
from easydyn.visu.scene import Scene, direction
from easydyn.visu.solids import unit

SMALLEST_ANGLE = np.radians(4)  # that is drawn as it is
POINTS = "OABCDEFGHIJKLMN"
LONGEST = 0.45  # of the size of a free body: the largest force
MOVES = 8  # of a label, at most
SEEN = 0.05  # of a force: less of it is no arrow


def sketch(
    scene: Scene, ax: Any = None, *, lengths: bool = True, frames: bool = False, points: bool = False,
    names: Mapping[str, Any] | None = None, towards: Any = None, forces: Any = False,
) -> Any:  # fmt: skip
    """Make a textbook drawing: outlines, supports, coordinates with their names, lengths, gravity; returns axes.

    The drawing shows the initial state of the scene. Angles start from the direction of a body at zero,
    displacements from its place at zero. Choose a state in which they are visible: `model.scene(initial={"q1":
    0.5}).sketch()`.

    With `forces` it is a free-body diagram: bodies alone, cut free from all others, with an arrow for each force
    and moment that others exert on them. These are the forces that the motion needs (eq. 6).

    Parameters
    ----------
    ax : matplotlib axes, optional
        Those of a new figure if left out.
    lengths : bool
        True: show constant displacements that contain a parameter.
    frames : bool
        True: show the axes of the ground and of the bodies.
    points : bool
        True: show letters at the joints that turn: O, A, B, ...
    names : dict, optional
        Names of motions that are not coordinates: {"alpha": asin(l1*sin(q)/l2)}.
    towards : array (3,), optional
        Direction from the mechanism to the eye (no unit). If left out, the normal of a plane mechanism; a corner
        view for a spatial one.
    forces : bool, body, str, or list of bodies
        A body (or its name): the forces on this body. A list: those on these bodies together, without those that
        they exert on each other. True: those on all bodies, which come from the ground and from outside.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError, UnknownNameError, ModelError
        Arguments that are no drawing; a force along the line of sight; forces that the model does not tell: of
        joints that share a coordinate, welded bodies, flexible bodies, efforts in plain Python.

    Example
    -------
    >>> from easydyn import examples
    >>> ax = examples.double_pendulum().scene(initial={"q1": 0.5}).sketch()
    >>> sorted(text.get_text() for text in ax.texts if "_" in text.get_text())
    ['$l_{1}$', '$l_{2}$', '$q_{1}$', '$q_{2}$']
    >>> ax = examples.double_pendulum().scene(initial={"q1": 0.5}).sketch(forces="lower arm")
    >>> [text.get_text() for text in ax.texts if text.get_text()]
    ['weight 8.83 N', 'upper arm 3.45 N']
    """
    from matplotlib import rcParams

    if names is not None and not isinstance(names, Mapping):
        raise InputError(f'names={names!r}: expected a dict from texts to expressions, such as {{"alpha": q1 + q2}}.')
    given = {
        text(name, "a name of a sketch", '"alpha"'): symbolic(scalar(x, f"what {name!r} names"))
        for name, x in (names or {}).items()
    }
    if any(x is None for x in given.values()):
        raise InputError(f"names={shown(names)}: expected a dict from texts to expressions.")
    lengths, frames, points = (
        flag(x, what) for x, what in ((lengths, "lengths"), (frames, "frames"), (points, "points"))
    )
    towards = None if towards is None else direction(towards)
    free = None if forces is False else FreeBody(scene, *freed(scene, forces), towards)
    drawn = axes(ax)
    drawn.set_aspect("equal")
    drawn.set_axis_off()
    if free is None:
        Sketch(scene, drawn, given, towards).draw(lengths, frames, points)
    else:
        free.draw(drawn)
    drawn.margins(0.06)
    drawn.autoscale_view()
    drawn.apply_aspect()
    if free is not None:
        free.separate()
    beyond = max((x.get_window_extent().y1 for x in drawn.texts), default=0.0) - drawn.get_window_extent().y1
    points = max(beyond, 0.0) * 72 / drawn.figure.dpi  # by which names stand above the axes
    drawn.set_title(shown_as(scene.title), pad=points + rcParams["axes.titlepad"])
    return drawn


def negative(name: str) -> str:
    """The name of a negative quantity: what its arrow shows has the opposite value.

    >>> negative("$q$"), negative("$-q$"), negative("$a - b$")
    ('$-q$', '$q$', '$-(a - b)$')
    """
    inner = name.strip("$")
    if any(x in inner[1:] for x in "+-"):
        return f"$-({inner})$"
    return f"${inner[1:]}$" if inner.startswith("-") else f"$-{inner}$"


class Sketch(Outline):
    """An outline with names: of coordinates, lengths, frames and points."""

    def __init__(self, scene: Scene, ax: Any, names: dict[str, Any], towards: Any):
        super().__init__(scene, ax, towards)
        self.names = names
        self.with_frames = False
        self.beside: list[tuple[Node, str]] = []  # coordinates that are named beside their bodies
        self.drawn_lengths: set[str] = set()  # lengths that have been drawn
        self.arcs: dict[int, np.ndarray] = {}  # by node: the side (3,) of its link on which the arc is

    # -- the whole ----------------------------------------------------------------------------------------------------

    def draw(self, lengths: bool, frames: bool, points: bool) -> None:
        """Draw all of it."""
        self.with_frames = frames
        self.draw_parts()
        joints = [node for node in self.nodes if node.joint is not None]
        for node in joints:
            self.draw_joint(node)
        for node in joints:
            if not self.inner_symbols & set(Transform((node.joint,)).free_symbols):  # type: ignore[arg-type]
                self._draw_coordinate(node)
        self._draw_beams(lengths)
        self._draw_names_of_free_bodies()
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

    def _draw_beams(self, lengths: bool) -> None:
        """Names of beams, and their lengths where these are formulas."""
        for line in bent.lines(self.m):
            if line.name not in self.bent:
                continue
            middles, across, wide = self.bent[line.name]
            k = len(middles) // 2
            out = across[k] * (1 if across[k] @ self.paper.up >= 0 else -1)
            if line.made:
                self.paper.label(middles[k] + wide / 2 * out, out, line.name)
            total = sum(element.length for element in line.elements)
            if lengths and getattr(total, "free_symbols", None) and line.elements[0].free is None:
                text = formula(sympy.nsimplify(sympy.expand(total)))
                self.paper.dimension(middles[0], middles[-1], text, -out, 0.16 * self.s)

    def _draw_meetings(self) -> list[np.ndarray]:
        """Pins where loops are closed, and where the free ends of two rods meet: the products do not speak of them."""
        ends = [(self.of(node) @ [*tip, 1])[:3] for node in self.nodes for tip in [self._tip(node)] if tip is not None]
        found: list[np.ndarray] = []
        for closure in elements.joints_of_loops(self.m) if self.flat else ():
            if closure.joint == "revolute":
                body, local = closure.first
                found.append(self.point(body, local.e))
                self.paper.circle(found[-1], 0.024 * self.s)
        for k, a in enumerate(ends):
            if any(np.linalg.norm(a - b) < 0.01 * self.s for b in found):
                continue
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
        return 2 * p if d > 1e-9 * self.s and self.is_rod(body, d) else None

    def _draw_letters(self, joints: list[Node], meetings: list[np.ndarray]) -> None:
        """Letters at the pins, on the side where there is most room."""
        pins = [node for node in joints if isinstance(node.joint, Turn) and not node.parent.unattached]  # type: ignore[union-attr]
        places = [self.of(node)[:3, 3] for node in pins] + meetings
        lines = [part.solid.nodes[[0, -1]] @ T[:3, :3].T + T[:3, 3]
                 for part, T in zip(self.scene.parts, self.instant.matrices, strict=True)
                 if part.name == "link" and part.solid is not None]  # fmt: skip
        candidates = np.radians(np.arange(0, 360, 15))
        for letter, p in zip(POINTS, places, strict=False):
            taken = [b - a for a, b in lines if np.linalg.norm(a - p) < 0.05 * self.s]
            taken += [a - b for a, b in lines if np.linalg.norm(b - p) < 0.05 * self.s]
            held = (node for node in pins if node.parent is self.root and np.allclose(p, self.of(node)[:3, 3]))
            taken += [self.away(p) for _ in held]
            sides = [np.arctan2(line @ self.paper.up, line @ self.paper.right) for line in taken]
            room = [-max((float(np.cos(c - side)) for side in sides), default=0.0) for c in candidates]
            best = candidates[int(np.argmax(room))]
            out = np.cos(best) * self.paper.right + np.sin(best) * self.paper.up
            self.paper.label(p, out, letter, gap=0.045)

    def _draw_frames(self) -> None:
        flat, length = self.flat, (0.17 if self.flat else 0.26) * self.s
        self.paper.frame(np.eye(4), "0", length, flat)
        for k, body in enumerate((b for b in self.m.bodies if b.name not in self.inner), start=1):
            self.paper.frame(self.instant.where[body.name], str(k), length, flat)

    def _draw_gravity(self) -> None:
        """An arrow at the left of all."""
        assert self.gravity is not None
        box = self.paper.ax.dataLim
        x, y = box.x0 - 0.12 * self.s, box.y0 + 0.72 * (box.y1 - box.y0)
        start = x * self.paper.right + y * self.paper.up
        end = start + 0.2 * self.s * self.gravity
        self.paper.arrow(start, end)
        self.paper.text((start + end) / 2, "$g$", shift=(-0.06, 0))

    # -- coordinates --------------------------------------------------------------------------------------------------

    def _name(self, expression: Any) -> tuple[str, int] | None:
        """What a motion is called, and the sign that it has in the expression; None if it has no short name.

        A name is a coordinate, what was given in `names`, or a short formula.
        """
        named = [*self.names.items(), *((str(q), q) for q in self.m.coordinates)]
        for sign in (1, -1):
            for name, other in named:
                if sympy.expand(expression - sign * other) == 0:
                    return formula(name), sign
        plain = expression.subs({s: sympy.Symbol(str(s)) for s in expression.free_symbols})
        return (formula(plain), 1) if len(str(plain)) <= 8 else None

    def _draw_coordinate(self, node: Node) -> None:
        parent, joint = node.parent, node.joint
        assert parent is not None
        if isinstance(joint, Turn):
            found = self._name(joint.angle)
            if found is not None and not self.flat and parent.flies:
                self.beside.append((node, found[0]))
            elif found is not None:
                self._draw_turn(node, *found)
        elif isinstance(joint, Shift) and node.direction is not None:
            moving = [c for c in joint.e if chains.moves(c)]
            found = self._name(moving[0]) if len(moving) == 1 else self._shared_name(moving)
            if found is not None:
                self._draw_shift(node, *found)
        elif isinstance(joint, Shift):
            moving = [c for c in joint.e if chains.moves(c)]
            texts = [found[0] if (found := self._name(c)) is not None else None for c in moving]
            start, end = self.before(node)[:3, 3], self.of(node)[:3, 3]
            if all(texts) and np.linalg.norm(end - start) > 0.05 * self.s:
                self.paper.arrow(start, end, ACCENT, 1.0)
                out = np.cross(self.paper.towards, end - start)
                self.paper.label(start + 0.4 * (end - start), out, ", ".join(t for t in texts if t), ACCENT)
            else:
                self.beside += [(node, text) for text in texts if text]

    def _draw_names_of_free_bodies(self) -> None:
        """Coordinates that no arrow or arc shows: those of a free body in space, beside its centre of mass."""
        for node in self.nodes:
            above = [node]
            while above[-1].parent is not None:
                above.append(above[-1].parent)
            names = [name for other, name in self.beside if other in above]
            if node.bodies and names and not any(child.bodies for child in chains.walk(node) if child is not node):
                place = self.instant.where[node.bodies[0][0].name][:3, 3]
                self.paper.text(place, ", ".join(names), ACCENT, shift=(0.04, -0.12), ha="left")

    def _shared_name(self, moving: list[Any]) -> tuple[str, int] | None:
        """The coordinate of a motion along a slanting line, and the sign that it has in the first component."""
        found = {s for c in moving for s in c.free_symbols if chains.moves(s)}
        if len(found) != 1:
            return None
        (q,) = found
        return formula(str(q)), 1 if self._now(sympy.diff(moving[0], q)) > 0 else -1

    def _now(self, expression: Any) -> float:
        """The value of an expression in the state that is drawn."""
        state = dict(zip(self.m.unknowns, map(float, self.scene.initial[0]), strict=False))
        return self.value(sympy.sympify(expression).xreplace({t: 0.0, **state}))

    def _draw_turn(self, node: Node, name: str, sign: int) -> None:
        place = self.before(node)
        axis = unit(place[:3, :3] @ self.vector(node.joint.axis))  # type: ignore[union-attr]
        arm = self._arm(node, axis)
        centre = place[:3, 3]
        if arm is None:
            self._draw_spin(node, centre, sign * axis, name)
            return
        turned = self.of(node)[:3, :3] @ place[:3, :3].T  # from the frame before to that after
        first = turned.T @ arm
        angle = float(np.arctan2(np.cross(first, arm) @ axis, first @ arm))
        turns = np.round((self._now(node.joint.angle) - angle) / (2 * np.pi))  # type: ignore[union-attr]
        angle += 2 * np.pi * float(np.clip(turns, -1, 0) if angle > 0 else np.clip(turns, 0, 1))
        length = float(np.linalg.norm(arm))
        radius = float(np.clip(0.45 * length, 0.1 * self.s, 0.24 * self.s))
        if abs(angle) < SMALLEST_ANGLE:
            angle = sign * np.radians(40)
            self.paper.arc(centre, first, axis, angle, name, radius)
        else:
            reach = max(1.25 * radius, min(0.9 * length, 1.8 * radius))
            self.paper.line([centre, centre + reach * first / length], ACCENT, THIN, (0, (5, 3)), order=1.8)
            if abs((self._middle_below(node) - centre) @ axis) > 0.1 * self.s:  # what turns is not beside the arc
                self.paper.line([centre, centre + reach * arm / length], ACCENT, THIN, (0, (5, 3)), order=1.8)
            self.paper.arc(centre, first, axis, angle, name if sign * angle > 0 else negative(name), radius)
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
            ends += [self.of(below) @ self.matrix(offset) @ [*self.vector(body.com), 1]
                     for body, offset in below.bodies]  # fmt: skip
            for end in ends:
                line = end[:3] - here
                across = line - (line @ axis) * axis
                if np.linalg.norm(across) > 0.03 * self.s:
                    return np.asarray(across)
        for part, T in zip(self.scene.parts, self.instant.matrices, strict=True):
            if part.name == "mark" and part.solid is not None and any(part.body == b.name for b, _ in node.bodies):
                line = T[:3, :3] @ part.solid.nodes.mean(axis=0) + T[:3, 3] - here
                across = line - (line @ axis) * axis
                if np.linalg.norm(across) > 1e-6 * self.s and abs(axis @ self.paper.towards) > 0.6:
                    return np.asarray(2.2 * across)
        return None

    def _draw_spin(self, node: Node, centre: np.ndarray, axis: np.ndarray, name: str) -> None:
        """An arrow around an axis: of what turns about its own axis."""
        ends = [self.of(child)[:3, 3] for child in chains.walk(node)]
        ends += [self.instant.where[b.name][:3, 3] for n in chains.walk(node) for b, _ in n.bodies]
        reach = [float((end - centre) @ axis) for end in ends]
        far = max(reach, key=abs, default=0.0)
        place = centre + axis * (0.32 * far if abs(far) > 0.1 * self.s else 0.0)
        first = self.paper.right - (self.paper.right @ axis) * axis
        if np.linalg.norm(first) < 0.3:
            first = self.paper.up - (self.paper.up @ axis) * axis
        first = unit(first)
        start = np.cross(axis, first) if np.cross(axis, first) @ self.paper.towards > 0 else -np.cross(axis, first)
        self.paper.arc(place, -start, axis, np.radians(285), name, 0.09 * self.s)

    def _draw_shift(self, node: Node, name: str, sign: int) -> None:
        """An arrow from the place at zero; `sign` is that of what has the name, in the first component that moves."""
        (first, *_) = (k for k, c in enumerate(node.joint.e) if chains.moves(c))  # type: ignore[union-attr]
        along = self.along(node)
        sense = along * sign * np.sign((self.before(node)[:3, :3].T @ along)[first])  # in which it grows
        start, end = self.before(node), self.of(node)
        way = end[:3, 3] - start[:3, 3]
        fixed = [offset for _, offset in node.bodies] or [child.offset for child in node.children]
        root = start[:3, :3] @ (self.matrix(fixed[0])[:3, 3] if fixed else np.zeros(3))
        a = start[:3, 3] + root
        b = a + way
        side = np.cross(self.paper.towards, along)
        if np.linalg.norm(side) < 0.2:
            side = self.paper.right
        side = unit(side)
        rest = float((self.middle - (a + b) / 2) @ side)  # where the mechanism is not
        if abs(rest) < 0.05 * self.s:
            rest = float(side @ (self.paper.up if abs(side @ self.paper.up) > 0.3 else -self.paper.right))
        side *= -np.sign(rest)
        if np.linalg.norm(way) < 0.05 * self.s:
            a, b = b, b + 0.2 * self.s * sense
        elif way @ sense < 0:
            name = negative(name)
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
            if len(moving) != 1 or not len(getattr(moving[0], "free_symbols", ())):
                continue
            p = self.matrix(offset)[:3, 3]
            d = float(np.linalg.norm(p))
            if d < 1e-9 * self.s or np.linalg.norm(p - root) < 1e-9 * self.s:
                continue
            expression = sympy.sympify(moving[0]) * (1 if self.value(moving[0]) > 0 else -1)
            if body is not None and self._tip(node) is not None:
                p, expression = 2 * p, 2 * expression  # to the end of the rod
            key = tuple(np.round(unit(p), 6))
            if key not in found or found[key][0] < np.linalg.norm(p):
                found[key] = float(np.linalg.norm(p)), expression, p
        T = self.of(node)
        for length, expression, p in found.values():
            line = T[:3, :3] @ p
            side = np.cross(self.paper.towards, line)
            if np.linalg.norm(side) < 0.2 * length:
                continue
            side = unit(side)
            arc = self.arcs.get(id(node))
            if arc is not None and abs(side @ arc) > 1e-9:
                side = -side * np.sign(side @ arc)
            elif side @ self.paper.up < 0:
                side = -side
            start = T[:3, 3]
            if (text := formula(expression)) in self.drawn_lengths:
                continue
            self.drawn_lengths.add(text)
            self.paper.dimension(start, start + line, text, side, (0.24 if self.with_frames else 0.11) * self.s)


class FreeBody(Outline):
    """An outline of the bodies that are cut free, with their loads as arrows."""

    def __init__(self, scene: Scene, names: Collection[str], loads: list[Load], towards: Any):
        alone = scene.copy()
        inner = {frame.name for frame in scene.frames if not frame.is_body}
        drawn = {*names, *inner}
        alone.parts = [
            part for part in scene.parts
            if part.body in names
            or (part.ends and {end.frame for end in part.ends} <= drawn and {end.frame for end in part.ends} - inner)
        ]  # fmt: skip
        super().__init__(alone, None, towards)
        self.loads = loads
        places = [self.instant.where[name][:3, 3] for name in names]
        for part, T in zip(alone.parts, self.instant.matrices, strict=True):
            if part.solid is not None:
                places += list(part.solid.nodes @ T[:3, :3].T + T[:3, 3])
        places += [load.p for load in loads]
        flat = self.paper.flat(places)
        extent = float(np.linalg.norm(np.ptp(flat, axis=0)))
        if extent > 1e-6 * self.s:
            self.s = self.paper.s = 0.8 * extent
        for load in loads:
            if np.linalg.norm(self.paper.flat(load.f)) < SEEN * np.linalg.norm(load.f):
                raise InputError(
                    f"the force of '{load.name}' points at the eye, so that no arrow shows it: choose another view, "
                    "such as towards=(1, 1, 1)."
                )
        self.scale = LONGEST * self.s / (largest_of(loads) or 1.0)

    def _draw_walls(self) -> None:
        """None: what is cut away is not drawn."""

    _draw_clamps = _draw_walls

    def draw(self, ax: Any) -> None:
        """Draw all of it into axes."""
        self.paper.ax = ax
        self.draw_parts()
        largest = largest_of(self.loads)
        moment = max((float(np.linalg.norm(load.m)) for load in self.loads), default=0.0)
        for load in self.loads:
            colour = PALETTE["purple" if load.layer == REACTIONS else "vermilion"]
            if np.linalg.norm(load.f) > NOTHING * largest:
                self._draw_force(load, colour)
            if np.linalg.norm(load.m) > NOTHING * max(largest * self.s, moment):
                self._draw_moment(load, colour)

    def separate(self) -> None:
        """Move labels that stand on another one up or down, once the limits of the axes are known."""
        boxes: list[Any] = []
        ax = self.paper.ax
        for label in [label for label in ax.texts if label.get_text()]:
            box = label.get_window_extent()
            for _ in range(MOVES):
                other = next((b for b in boxes if b.overlaps(box)), None)
                if other is None:
                    break
                step = 1.05 * box.height * (1 if box.y0 > other.y0 else -1)
                x, y = ax.transData.transform(label.get_position())
                label.set_position(ax.transData.inverted().transform((x, y + step)))
                box = label.get_window_extent()
            boxes.append(box)

    def _draw_force(self, load: Load, colour: str) -> None:
        line = load.f * self.scale
        length = float(np.linalg.norm(load.f))
        self.paper.arrow(load.p, load.p + line, colour, 1.4)
        self.paper.circle(load.p, 0.009 * self.s, colour, 7, 0)
        self.paper.label(load.p + line, line, f"{load.name} {_digits(length)} N", colour)

    def _draw_moment(self, load: Load, colour: str) -> None:
        """An arc for the part about the line of sight, an arrow with two heads for the rest."""
        about = float(load.m @ self.paper.towards)
        rest = load.m - about * self.paper.towards
        size, radius = float(np.linalg.norm(load.m)), 0.1 * self.s
        text = f"{load.name} {_digits(size)} N m"
        if self.flat or abs(about) > 0.9 * size:
            axis = self.paper.towards * np.sign(about)
            self.paper.arc(load.p, -self.paper.up, axis, np.radians(270), text, radius, colour)
            return
        tip = load.p + 0.3 * self.s * load.m / size
        self.paper.arrow(load.p, tip, colour, 1.4)
        self.paper.arrow(load.p, load.p + 0.86 * (tip - load.p), colour, 1.4)
        self.paper.label(tip, rest, text, colour)


def _digits(x: float) -> str:
    """Three digits: 3190, 0.0123."""
    return f"{float(f'{x:.3g}'):g}"
