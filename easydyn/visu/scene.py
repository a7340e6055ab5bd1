"""A scene: parts that move with frames, and a view; it is data for all functions that draw.

`model.scene()` makes a scene of any model; `scene.add(...)` adds to it; players, films and files are made from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from easydyn.arguments import answers, asked
from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import finite
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.model.together import together
from easydyn.vec import Shift, Transform, Vector
from easydyn.visu import colours, motion, shapes, solids
from easydyn.visu.chains import moves
from easydyn.visu.solids import Solid
from easydyn.visu.surfaces import Net, Surface


@dataclass(frozen=True)
class Frame:
    """A frame with which parts move: the ground, a body, or a frame between two joints without a body.

    Parameters
    ----------
    name : str
        What it is called.
    T : Transform
        Where it is.
    is_body : bool
        True for the ground and bodies.
    inner : bool
        True for a node of a beam, and for other bodies that are drawn as part of a whole.

    Example
    -------
    >>> from easydyn import examples
    >>> [frame.name for frame in examples.double_pendulum().scene().frames if frame.is_body]
    ['ground', 'upper arm', 'lower arm']
    """

    name: str
    T: Transform
    is_body: bool = True
    inner: bool = False


@dataclass(frozen=True, eq=False)
class End:
    """A point of a frame, at which a part ends.

    Attributes
    ----------
    frame : str
        Its name.
    point : array (3,)
        In its axes (m).
    vector : Vector, array (N, 3), or None
        For an arrow: its tip is at a distance of `scale` times this vector (3,); an array holds it at the instants of
        the pictures.
    axes : str
        The frame in whose axes the vector is given.
    scale : float
        Metres per unit of the vector.
    """

    frame: str
    point: np.ndarray
    vector: Vector | np.ndarray | None = None
    axes: str = "ground"
    scale: float = 1.0


def carriers(frame: str, signals: Sequence[Any]) -> tuple[End, ...]:
    """Ends of a frame that carry the signals of a surface, three in the vector of each."""
    whole = [*signals, *[0] * (-len(signals) % 3)]
    return tuple(End(frame, np.zeros(3), Vector(*whole[k : k + 3])) for k in range(0, len(whole), 3))


@dataclass(frozen=True, eq=False)
class Part:
    """A part of a scene that is drawn.

    Attributes
    ----------
    name : str
        What it is called on the picture.
    body : str
        The name of the frame with which it moves.
    kind : {"solid", "between", "surface", "path", "centre", "text"}
        In this order: a rigid part; a part stretched along its z from 0 to 1 between two ends; a net that changes its
        form; the path of a point; a centre of mass; a text.
    colour : str
        "#rrggbb".
    solid : Solid or None
        Nodes (m), edges and surfaces in the axes of the frame; of unit length for "between".
    opacity : float (no unit)
        From 0 (nothing) to 1.
    ends : tuple of End
        Two for "between"; for "surface" its signals, three in each vector.
    net : Net or None
        For "surface".
    point : array (3,)
        For "path", "centre" and "text", in the axes of the frame (m).
    text : str
        For "text".
    ghost : bool
        True for a part of a second run.
    full : float
        For an arrow: the length (m) below which its thickness is reduced in proportion; 0 if it never is.
    layer : str
        The group with which it is switched on and off, "forces" or "reactions"; "" for parts that always appear.

    Example
    -------
    >>> from easydyn import examples
    >>> scene = examples.double_pendulum().scene()
    >>> sorted({part.kind for part in scene.parts})
    ['centre', 'solid', 'text']
    """

    name: str
    body: str
    kind: str
    colour: str
    solid: Solid | None = None
    opacity: float = 1.0
    ends: tuple[End, ...] = ()
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    text: str = ""
    ghost: bool = False
    net: Net | None = None
    layer: str = ""
    full: float = 0.0

    @property
    def lines(self) -> np.ndarray:
        """The edges as pairs of points, (m, 2, 3); empty if there is no solid."""
        return np.zeros((0, 2, 3)) if self.solid is None else self.solid.nodes[self.solid.edges]


@dataclass(frozen=True, eq=False)
class View:
    """How the scene is looked at.

    Parameters
    ----------
    target : array (3,)
        Point (m) in the middle of the picture.
    size : tuple of two float
        Width and height (m) of the visible region there.
    up : array (3,)
        Upwards on the picture.
    towards : array (3,)
        From the target to the eye.
    follow : str or None
        A body that the camera follows.
    chosen : bool
        True if the size was asked for; it then stays fixed.

    Example
    -------
    >>> from easydyn import examples
    >>> scene = examples.double_pendulum().scene()
    >>> scene.look(towards=(0, 0, 1), size=3)
    >>> scene.view.size, scene.view.chosen
    ((3.0, 3.0), True)
    """

    target: np.ndarray = field(default_factory=lambda: np.zeros(3))
    size: tuple[float, float] = (1.0, 1.0)
    up: np.ndarray = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    towards: np.ndarray = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    follow: str | None = None
    chosen: bool = False


@answers
class Scene:
    """Frames, parts and a view, as data for a drawing; `model.scene()` makes a scene.

    Parameters
    ----------
    title : str
        What it is called.
    system : CompiledSystem
        The system whose frames move.
    view : View
        How it is looked at.
    size : float
        The size (m) of the mechanism, which sets the sizes of joints and links.

    Attributes
    ----------
    frames : list of Frame
        The ground first, then the bodies, then frames between joints.
    parts : list of Part
        The parts that are drawn with the frames.

    Example
    -------
    >>> from easydyn import examples, visu
    >>> scene = examples.double_pendulum().scene()
    >>> sorted({part.name for part in scene.parts if part.body == "lower arm"})
    ['centre of mass', 'joint q2', 'link']
    >>> scene.add("lower arm", visu.Path((0, -0.55, 0)))
    """

    def __init__(self, title: str, system: Any, view: View, size: float = 1.0):
        self.title = title
        self.system = system
        self.frames: list[Frame] = [Frame("ground", Transform())]
        self.parts: list[Part] = []
        self.view = view
        self.size = size
        self.initial = np.zeros(system.n), np.zeros(system.n)  # q and qd of the picture at rest
        self.begun: Callable[[], Any] | None = None  # gives a run of the initial instant alone, for forces

    def copy(self) -> Scene:
        """A copy of the scene, to which parts can be added."""
        found = Scene(self.title, self.system, self.view, self.size)
        found.frames, found.parts = [*self.frames], [*self.parts]
        found.initial, found.begun = self.initial, self.begun
        return found

    def index(self, name: str) -> int:
        """The index of the frame called `name` among the frames; UnknownNameError if there is none."""
        for k, frame in enumerate(self.frames):
            if frame.name == name:
                return k
        bodies = ", ".join(frame.name for frame in self.frames if frame.is_body)
        raise UnknownNameError(f"the scene of '{self.title}' has no body {name!r}: it has {bodies}.")

    @property
    def values(self) -> dict[Any, float]:
        """The values of the parameters by symbol, in their own units; references have their initial values (rad)."""
        m = self.system.mechanism
        return {p: self.system.parameters[str(p)] for p in m.parameters} | {x.reference: x.start for x in m.attitudes}

    def add(self, body: Any, *given: shapes.Shape) -> None:
        """Draw further shapes, `given`, with a `body` (or `ground`, or its name), or with a frame, a Transform.

        A frame is any formula of the model's symbols, such as `crank.T * tdisp(0, 0, s)`.

        Raises
        ------
        UnknownNameError, InputError
            There is no such body, something is not a shape, or a frame has other symbols.
        """
        name = self._framed(body) if isinstance(body, Transform) else self._name(body)
        if not given:
            raise InputError("scene.add got no shape: expected a body and shapes, such as visu.Box(1, 1, 1).")
        for shape in given:
            if not isinstance(shape, shapes.Shape):
                raise InputError(
                    f"scene.add got {shape!r}: expected shapes of easydyn.visu, such as visu.Box(1, 1, 1)."
                )
        own = self.colour_of(name)
        with together(self):  # an end of a spring may need a frame of its own
            self.parts += [part for shape in given for part in self._parts(name, shape, shape.colour or own)]
        seen = [np.zeros((0, 3))]
        if isinstance(body, Transform):  # which may be anywhere
            T = motion.frames_at(self.system, [body], np.zeros(1), *(x[None] for x in self.initial))[0, 0]
            corners = [solid.nodes for shape in given for solid, _ in shape.solids()]
            seen.append(np.vstack([np.zeros((1, 3)), *corners]) @ T[:3, :3].T + T[:3, 3])
        if any(isinstance(shape, Surface) for shape in given):
            seen += [nodes.reshape(-1, 3) for nodes, _ in motion.surfaces(self, *motion.at_rest(self)).values()]
        self.view = widened(self.view, np.concatenate(seen), 0.12 * self.size)

    def _framed(self, T: Transform) -> str:
        """The name of a frame that is no body; it is added where it is new."""
        known = {"t", *map(str, self.system.mechanism.unknowns), *map(str, self.values)}
        unknown = sorted(str(s) for s in T.free_symbols if str(s) not in known)
        if unknown:
            raise UnknownNameError(
                f"a frame of the scene of '{self.title}' contains {unknown[0]}: expected coordinates, states and "
                "parameters of the model, and t."
            )
        return self._frame_of(T, f"frame {len(self.frames)}")

    def _frame_of(self, T: Transform, name: str) -> str:
        """The name of the frame that is at T; it is added under a `name` of its own where there is none."""
        known = next((frame.name for frame in self.frames if frame.T == T), None)
        if known is None:
            while any(frame.name == name for frame in self.frames):
                name += "'"
            self.frames.append(Frame(name, T, is_body=False))
        return known or name

    def hide(self, *bodies: Body | Ground | str) -> None:
        """Leave `bodies` (or `ground`, or names) out of the picture, with all that is drawn with them so far.

        Raises UnknownNameError or InputError where there is no such body.
        """
        names = {self._name(body) for body in bodies}
        self.parts = [p for p in self.parts if p.body not in names and not names & {end.frame for end in p.ends}]

    def colour_of(self, name: str) -> str:
        """The colour in which the body of a `name` is drawn."""
        k = self.index(name)
        return colours.BODIES[(k - 1) % len(colours.BODIES)] if k and self.frames[k].is_body else colours.GROUND

    def look(self, *, follow: Any = None, towards: Any = None, size: Any = None) -> None:
        """Change the view: a body to `follow`, the direction `towards` the eye (3 numbers), the `size` (m) seen."""
        now = self.view
        eye = now.towards if towards is None else direction(towards)
        wide = now.size if size is None else (shapes.positive(size, "the size of a view"),) * 2
        follow, chosen = now.follow if follow is None else self._name(follow), now.chosen or size is not None
        self.view = View(now.target, wide, upwards(now.up, eye), eye, follow, chosen)

    picture = asked("easydyn.visu.picture:still")
    sketch = asked("easydyn.visu.sketch:sketch")
    _repr_html_ = asked("easydyn.visu.page:shown")

    def _name(self, body: Any) -> str:
        name = body.name if isinstance(body, Body | Ground) else body
        if not isinstance(name, str):
            raise InputError(f"{body!r} is no body: expected a body, ground, or a name.")
        return self.frames[self.index(name)].name

    def _parts(self, body: str, shape: shapes.Shape, colour: str) -> list[Part]:
        common: dict[str, Any] = {"name": shape.name, "body": body, "colour": colour, "opacity": shape.opacity}
        if isinstance(shape, shapes.Text):
            return [Part(kind="text", point=shape.place[:3, 3], text=shape.text, **common)]
        if isinstance(shape, shapes.Path):
            return [Part(kind="path", point=shape.point, **common)]
        if isinstance(shape, shapes.SpringShape):
            ends = tuple(self.end(*end) for end in shape.ends)
            coil = solids.coil(shape.radius, 0.16 * shape.radius, shape.turns)
            return [Part(kind="between", solid=coil, ends=ends, **common | {"body": ends[0].frame})]
        if isinstance(shape, Surface):
            return [Part(kind="surface", net=shape.net, ends=carriers(body, shape.net.signals), **common)]
        if isinstance(shape, shapes.Arrow):
            tail = End(body, shape.point)
            tip = End(body, shape.point, shape.vector, self._name(shape.frame), shape.scale)
            solid = shapes.arrow(0.012 * self.size)
            return [Part(kind="between", solid=solid, ends=(tail, tip), **common)]
        found = [Part(kind="solid", solid=solid, **common | {"colour": own or colour}) for solid, own in shape.solids()]
        named = shape.texts if isinstance(shape, shapes.Frame) else ()
        return found + [Part(kind="text", point=point, text=text, **common) for text, point in named]

    def end(self, body: Any, point: Vector) -> End:
        """A `point` (m, 3 components) of a `body` as an End; a point that moves in its body has its own frame."""
        if any(map(moves, point)):
            T = body.T * Transform((Shift(point),))
            return End(self._frame_of(T, f"point {len(self.frames)} of {body.name}"), np.zeros(3))
        return End(self._name(body), np.array([shapes.number(c, self.values) for c in point]))

    def __repr__(self) -> str:
        return f"Scene({self.title!r}: {len(self.parts)} parts in {len(self.frames)} frames)"


def upwards(up: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """What is upwards on a picture: as before, unless one looks along it; then y, or -z along y."""
    others = (up, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, -1.0]))
    return next(other for other in others if np.linalg.norm(np.cross(solids.unit(other), towards)) > 1e-3)


def widened(view: View, points: np.ndarray, margin: float) -> View:
    """The view, enlarged to contain the points (n, 3) as well, if its size was not asked for."""
    if view.chosen or view.follow is not None or not points.size:
        return view
    axes = solids.seen_along(view.up, view.towards)[:2]
    reach = [2 * (float(np.abs((points - view.target) @ axis).max()) + margin) for axis in axes]
    return replace(view, size=(max(view.size[0], reach[0]), max(view.size[1], reach[1])))


def direction(value: Any) -> np.ndarray:
    """The unit vector to the eye, of three numbers."""
    found = np.array([finite(c, "the direction of a view") for c in shapes.a_vector(value, "the direction of a view")])
    if not np.isfinite(found).all() or not found.any():
        raise InputError(f"the direction of a view is {value!r}: expected three finite numbers, not all zero.")
    return solids.unit(found / np.abs(found).max())  # whose squares are finite
