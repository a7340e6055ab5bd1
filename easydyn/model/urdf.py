"""Robots from URDF files: links and joints become bodies and coordinates of a Model.

For a joint T(child) = T(parent) * origin * motion: rotation about, or displacement along, its axis; a planar joint
displaces along two axes perpendicular to it, and then turns about it; a floating joint displaces, and turns freely. The
inertia of a link is about its centre of mass, in its own axes. What concerns motion and cannot be read is refused, with
its line. What does not concern motion is drawn, or left out with a note.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.parsers import expat

import numpy as np

from easydyn.errors import EasyDynError, FileError
from easydyn.files import path_to
from easydyn.forces import JointFriction, TorsionDamper
from easydyn.inputs import among, expect, flag, is_function, positive, shown
from easydyn.mechanics.symbols import Coordinate
from easydyn.model.declarations import other_than
from easydyn.model.urdf_shapes import Shapes
from easydyn.vec import Inertia, Transform, inertia_tensor, tdisp, trot, trotx, troty, trotz

LARGEST = 20_000_000  # bytes
MOST, DEEPEST = 5_000, 2_000  # joints, and those behind each other, whose transforms have six million factors together
LISTED = 6  # things of one kind in a note
SINGLE = {"revolute": ("",), "continuous": ("",), "prismatic": ("",)}  # how the names of coordinates end
JOINTS = {**SINGLE, "fixed": (), "floating": ("_x", "_y", "_z", "_a", "_b", "_c"), "planar": ("_x", "_y", "_a")}
MOMENTS = {"ixx": "", "iyy": "", "izz": "", "ixy": "0", "iyz": "0", "ixz": "0"}  # with their defaults
NEGLIGIBLE, SMALLEST = 1e-6, 1e-6  # of the largest principal moment, and a radius of gyration (m), of rounding
OPEN = "URDF describes trees: leave a joint out, and close the loop by model.close after from_urdf"
XACRO = "Expand the .xacro first: xacro robot.xacro > robot.urdf"
PARTS = {"robot": "link joint material", "link": "inertial visual collision",
         "joint": "origin parent child axis limit dynamics mimic"}  # fmt: skip


class Joint(NamedTuple):
    """A joint of a robot that was read from a file, as `model.joints` has it by its name.

    Attributes
    ----------
    name : str
        Its name in the file; the coordinates have it without the characters that a symbol cannot have.
    type : str
        "revolute", "continuous", "prismatic", "fixed", "floating" or "planar".
    coordinates : tuple of Coordinate
        None for a fixed joint, one, three, or six. Those of a joint that mimics another are its leader's.
    factor, offset : float
        A joint that mimics another moves by `factor*q + offset` (rad or m); 1 and 0 for others.
    limits : (float, float) or None
        The lowest and the highest value of its coordinate (rad or m), for which no joint that mimics it passes its own
        limits. None where there are none.
    effort, velocity : float or None
        The largest effort (N m or N) and the largest speed (rad/s or m/s) that the file allows.
    parent, child : str
        The names of its links.
    before : Transform
        The frame of the joint in its parent, from the ground.
    after : Transform
        The frame of the child, from the ground.

    Example
    -------
    >>> from easydyn import Model, examples
    >>> robot = Model.from_urdf(examples.double_pendulum().to_urdf("pendulum.urdf"))
    >>> robot.joints["q1"].coordinates
    (q1,)
    """

    name: str
    type: str
    coordinates: tuple[Coordinate, ...]
    factor: float
    offset: float
    limits: tuple[float, float] | None
    effort: float | None
    velocity: float | None
    parent: str
    child: str
    before: Transform
    after: Transform


class Tag(ElementTree.Element):
    """An element that knows its line."""

    line = 0


class _Robot:
    """Links and joints of a file by name; `ends` are the links of joints, from the base outwards.

    `remarks` are elements of the file, or texts, by the sentence that holds for them.
    """

    ends: dict[str, Any]

    def __init__(self, path: Path, floating: bool):
        self.path = path
        self.remarks: dict[str, dict[str, None]] = {}
        self.root = root = self._root()
        self.need(root.tag == "robot", root, f"its root is <{root.tag}>, expected a <robot>", "Give a URDF file")
        for tag in root.iter():
            macro = tag.tag.startswith("xacro:") or "${" in "".join(tag.attrib.values())
            self.need(not macro, tag, "it has macros, expected plain URDF", XACRO)
        self.name = root.get("name") or path.stem
        self.links, self.joints = self._by_name("link"), self._by_name("joint")
        self.need(self.links, root, "it has no <link>, expected one or more", "Give the file of a whole robot")
        for whole in (root, *self.links.values(), *self.joints.values()):
            for part in whole:
                if part.tag not in PARTS[whole.tag].split():
                    self.note("what does not concern motion was left out", f"<{part.tag}>, line {part.line}")
        ends: dict[str, Any] = {}
        parents: dict[str, str] = {}
        children: dict[Any, list[str]] = {name: [] for name in self.links}
        for name, joint in self.joints.items():
            what = f"it is of type {joint.get('type')!r}, expected one of {', '.join(JOINTS)}"
            self.need(joint.get("type") in JOINTS, joint, what, "Choose the type that moves as it does")
            sides = (joint.find(side) for side in ("parent", "child"))
            parent, child = ends[name] = [None if side is None else side.get("link") for side in sides]
            what = f"it leads from {parent!r} to {child!r}, expected the names of two links"
            self.need({parent, child} <= self.links.keys(), joint, what, "Correct <parent> and <child>, or add a link")
            what = f"link '{child}' is the child of joint '{parents.get(child)}', too, expected a tree"
            self.need(child not in parents, joint, what, OPEN)
            parents[child] = name
            children[parent].append(name)
        roots = [name for name in self.links if name not in parents]
        for name in roots[1:]:
            what = f"it is no child of a joint, and '{roots[0]}' is none, expected one base"
            self.need(False, self.links[name], what, "Join both by a fixed joint, or make a file of each robot")
        ready, self.ends = [(root, 0) for root in roots[:1]], {}
        for link, before in ready:
            ready += [(ends[name][1], before + 1) for name in children[link]]
            self.ends |= {name: ends[name] for name in children[link]}
        deep = max((before for _, before in ready), default=0)
        what = f"it has {len(ends)} joints, {deep} behind each other, expected {MOST} and {DEEPEST} at most"
        self.need(len(ends) <= MOST and deep <= DEEPEST, root, what, "Read a part of the robot")
        for name in (name for name in self.joints if name not in self.ends):
            self.need(False, self.joints[name], "it is in a loop that nothing joins to the base, expected a tree", OPEN)
        self.base = roots[0]
        if floating:
            free = other_than(self.base, self.joints)
            self.joints = {free: Tag("joint", {"type": "floating"})} | self.joints
            self.ends = {free: ["", self.base]} | self.ends
        self.kinds = {name: joint.get("type") for name, joint in self.joints.items()}

    def _root(self) -> Any:
        try:
            with open(self.path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            raise FileError(f"cannot read '{self.path}': {error.strerror or error}. Expected a URDF file.") from None
        if len(data) > LARGEST:
            raise FileError(f"'{self.path}' is larger than {LARGEST / 1e6:g} MB: expected a URDF file, without meshes.")
        parser, builder = expat.ParserCreate(), ElementTree.TreeBuilder(element_factory=Tag)

        def start(tag: str, attributes: dict[str, str]) -> None:
            element: Any = builder.start(tag, attributes)
            element.line = parser.CurrentLineNumber
            self.need(tag[0] != "!", element, "entities could follow, expected elements alone", "Take it out")

        parser.StartElementHandler, parser.EndElementHandler = start, builder.end
        parser.StartDoctypeDeclHandler = lambda *_: start("!DOCTYPE", {})
        try:
            parser.Parse(data, True)
        except FileError:
            raise
        except (expat.ExpatError, LookupError, ValueError) as error:  # of elements; of an encoding
            cure = "Mend that line; a file that ends too early was not copied whole"
            cure = XACRO if self.path.suffix == ".xacro" or b"<xacro:" in data else cure
            where = f"'{self.path}', line {parser.CurrentLineNumber}"
            raise FileError(f"{where}: it is no XML ({error}). {cure}.") from None
        return builder.close()

    def _by_name(self, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in self.root.findall(tag):
            self.need(element.get("name"), element, "it has no name, expected one", "Name it")
            alone = found.setdefault(element.get("name", ""), element) is element
            self.need(alone, element, "another one has this name, expected one for each", "Rename it")
        return found

    def need(self, true: Any, tag: Any, what: str, cure: str) -> None:
        """Say what is wrong with an element, unless something is true."""
        if not true:
            name = f"<{tag.tag}>" if "name" not in tag.attrib else f"<{tag.tag} name={shown(tag.get('name'))}>"
            raise FileError(f"'{self.path}', line {tag.line}, {name}: {what}. {cure}.")

    def note(self, text: str, thing: str) -> None:
        """Tell of a thing. What the same text holds for is told at once."""
        self.remarks.setdefault(text, {})[thing] = None

    @property
    def notes(self) -> list[str]:
        """What was told, in sentences."""
        more = {text: f" and {len(x) - LISTED} more" * (len(x) > LISTED) for text, x in self.remarks.items()}
        return [f"'{self.path.name}': {t}: {'; '.join([*x][:LISTED])}{more[t]}." for t, x in self.remarks.items()]

    @contextmanager
    def spared(self, text: str, tag: Any) -> Iterator[None]:
        """Note what goes wrong in a `with` block about an element that does not concern motion."""
        try:
            yield
        except EasyDynError as error:
            self.note(text, f"line {tag.line} ({error})")

    def numbers(self, tag: Any, key: str, count: int, default: str, where: str) -> list[float]:
        """Numbers in an attribute; FileError otherwise."""
        text = default if tag is None else tag.get(key, default)
        try:
            found = [float(x) for x in text.split()]
        except ValueError:
            found = []
        good = len(found) == count and np.isfinite(found).all()
        what = f"{key} of {where} is {shown(text)}, expected {count} finite number{'s' * (count > 1)}"
        self.need(good, tag, what, "Write numbers such as 0.5, with spaces between them")
        return found

    def origin(self, tag: Any, where: str) -> Transform:
        """The transform of <origin xyz rpy> in an element."""
        found = tag.find("origin")
        x, y, z = self.numbers(found, "xyz", 3, "0 0 0", where)
        roll, pitch, yaw = self.numbers(found, "rpy", 3, "0 0 0", where)
        turns = (turn(a) for turn, a in ((trotz, yaw), (troty, pitch), (trotx, roll)) if a)
        return math.prod(turns, start=tdisp(x, y, z) if x or y or z else Transform())

    def followed(self, joint: str) -> tuple[str, float, float]:
        """The joint whose coordinate moves a joint, with factor and offset: itself, or the one that it mimics."""
        seen, factor, offset, where = [joint], 1.0, 0.0, f"joint '{joint}'"
        while (mimic := self.joints[seen[-1]].find("mimic")) is not None and self.kinds[joint] != "fixed":
            master = mimic.get("joint")
            single = {self.kinds.get(x) for x in (joint, master)} <= SINGLE.keys()
            what = f"{where} mimics {master!r}, expected another joint of one coordinate, and no ring of them"
            self.need(single and master not in seen, mimic, what, "Name the joint that leads, or take the <mimic> out")
            k, b = (self.numbers(mimic, key, 1, x, where)[0] for key, x in (("multiplier", "1"), ("offset", "0")))
            seen, factor, offset = [*seen, master], factor * k, factor * b + offset
        return seen[-1], factor, offset

    def inertia(self, link: str) -> tuple[float, tuple[float, ...], Inertia]:
        """Mass, centre of mass, and inertia about it in the axes of the link."""
        tag, where = self.links[link].find("inertial"), f"link '{link}'"
        if tag is None:
            return 0.0, (0.0, 0.0, 0.0), inertia_tensor(0, 0, 0)
        heavy, turning = tag.find("mass"), tag.find("inertia")
        what = f"that of {where} is not whole, expected a <mass> and an <inertia>"
        cure = "Add what is missing; a link that weighs nothing has no <inertial>"
        self.need(None not in (heavy, turning), tag, what, cure)
        (mass,) = self.numbers(heavy, "value", 1, "", where)
        self.need(mass >= 0, heavy, f"the mass of {where} is {mass}, expected >= 0", "Correct it")
        J = inertia_tensor(*(self.numbers(turning, key, 1, x, where)[0] for key, x in MOMENTS.items()))
        moments, axes = np.linalg.eigh(np.array([list(column) for column in J], dtype=float))
        if 0 > moments[0] >= -max(NEGLIGIBLE * moments[2], SMALLEST**2 * mass):
            self.note("negative principal moments (kg m2) were set to zero", f"{moments[0]:.3g}, line {turning.line}")
            J = Inertia.of(((axes * np.maximum(moments, 0)) @ axes.T).tolist(), "an inertia")
        T = self.origin(tag, where)
        return mass, tuple(map(float, T.e)), J.rotated(T.R)

    def limit(self, joint: str, key: str) -> float | None:
        """A number in the <limit> of a joint; None without it."""
        tag = self.joints[joint].find("limit")
        if tag is not None and key in tag.attrib:
            with self.spared("limits were left out", tag):
                return self.numbers(tag, key, 1, "", f"joint '{joint}'")[0]
        return None

    def ranges(self) -> dict[str, tuple[float, float]]:
        """Limits of coordinates, by their joints: within them no joint that they move passes its own limits."""
        found: dict[str, tuple[float, float]] = {}
        for joint, kind in self.kinds.items():
            leader, factor, offset = self.followed(joint)
            if kind in ("revolute", "prismatic") and factor:
                low, high = (self.limit(joint, key) or 0.0 for key in ("lower", "upper"))
                a, b = sorted((x - offset) / factor for x in (low, high))
                low_, high_ = found.get(leader, (a, b))
                if low < high and max(a, low_) <= min(b, high_):
                    found[leader] = max(a, low_), min(b, high_)
                else:
                    self.note("limits that are missing or that exclude each other were left out", f"'{joint}'")
        return found

    def losses(self, joint: str) -> np.ndarray:
        """Damping and dry friction of a joint."""
        tag, found = self.joints[joint].find("dynamics"), np.zeros(2)
        for k, key in enumerate(("damping", "friction")):
            (found[k],) = self.numbers(tag, key, 1, "0", f"joint '{joint}'")
            what = f"the {key} of joint '{joint}' is {found[k]:g}, expected 0 or more"
            self.need(found[k] >= 0, tag, what, "Correct the sign: losses take energy away")
        return found


def from_urdf(of: Any, path: Any, gravity: Any, meshes: Any, name: Any, base: Any, packages: Any, slip: Any) -> Any:
    """The Model of a URDF file; documented at `Model.from_urdf`."""
    if not (meshes is None or is_function(meshes)):
        meshes = flag(meshes, "meshes") or None if not isinstance(meshes, str | Path) else path_to(meshes, folder=True)
        meshes = False if meshes is None else meshes
    expect(among(base, ("fixed", "floating")), "base", base, '"fixed" or "floating"')
    slip = None if slip is None else positive(slip, "slip_speed")
    robot = _Robot(path_to(path, "robot.urdf"), base == "floating")
    shapes = Shapes(robot, meshes, packages)
    model = of(robot.name if name is None else name, gravity=gravity)
    names = {"": "ground"} | {link: link for link in robot.links}
    if "ground" in names and (base == "floating" or robot.base != "ground" or len(robot.links["ground"])):
        names["ground"] = other_than("ground", robot.links)
        robot.note("links were renamed, for ground is the fixed frame", f"'ground' to '{names['ground']}'")
    symbols, free = _coordinates(robot, model)
    ranges, losses = robot.ranges(), {joint: np.zeros(2) for joint in symbols}
    frames = {"": Transform(), robot.base: Transform()}
    for joint, (parent, child) in robot.ends.items():
        tag, kind, (leader, factor, offset) = robot.joints[joint], robot.kinds[joint], robot.followed(joint)
        before, q = frames[parent] * robot.origin(tag, f"joint '{joint}'"), symbols.get(leader, ())
        frames[child] = before * (free.get(joint) or _motion(robot, joint, q, factor, offset))
        model._joints[joint] = Joint(
            joint, kind, q, factor, offset, ranges.get(leader), robot.limit(joint, "effort"),
            robot.limit(joint, "velocity"), names[parent], names[child], before, frames[child],
        )  # fmt: skip
        own = robot.losses(joint)
        if kind in SINGLE:
            losses[leader] += own * (factor**2, abs(factor))
        elif own.any() and kind != "fixed":
            robot.note("losses of joints of several coordinates were left out", f"'{joint}'")
    for link, T in list(frames.items())[1:]:
        mass, com, inertia = robot.inertia(link)
        shape = shapes.of(robot.links[link])
        if link != robot.base or mass or shape or base == "floating":
            body = model.body(names[link], T, mass=mass, inertia=(0, 0, 0), com=com, shape=shape or None)
            model._bodies[body.name] = replace(body, inertia=inertia)  # what is impossible is a finding of check
    for joint, (damping, friction) in losses.items():
        if damping:
            model.add(TorsionDamper(symbols[joint][0], damping=float(damping)))
        if friction:
            model.add(JointFriction(symbols[joint][0], float(friction), slip_speed=slip))
    model._notes = robot.notes
    return model


def _coordinates(robot: _Robot, model: Any) -> tuple[dict[str, tuple[Any, ...]], dict[str, Transform]]:
    """The coordinates of each joint that moves by itself, by its name, and the motions of floating joints."""
    found, free = {}, {}
    for joint, kind in robot.kinds.items():
        if kind == "fixed" or robot.followed(joint)[0] != joint:
            continue
        plain = "".join(c if f"a{c}".isidentifier() else "_" for c in joint)
        plain = plain if plain.isidentifier() and plain != "t" else f"q_{plain}"
        while any(f"{plain}{end}" in model.symbols for end in JOINTS[kind]):
            plain += "_"
        names = [f"{plain}{end}" for end in JOINTS[kind]]
        q = model.coordinates(names[:3])
        if kind == "floating":
            free[joint] = tdisp(*q) * model.spherical(plain)
        found[joint] = tuple(model.symbols[name] for name in names)
    return found, free


def _motion(robot: _Robot, joint: str, q: tuple[Any, ...], factor: float, offset: float) -> Transform:
    """The motion of a joint by one coordinate, factor*q + offset, or of a planar one by three."""
    kind, tag = robot.kinds[joint], robot.joints[joint].find("axis")
    if kind == "fixed":
        return Transform()
    axis = np.array(robot.numbers(tag, "xyz", 3, "1 0 0", f"joint '{joint}'"))
    robot.need(axis.any(), tag, f"the axis of joint '{joint}' is zero, expected a direction", "Give 0 0 1, say")
    u = axis / np.linalg.norm(axis)
    if kind == "planar":
        e = np.cross(np.eye(3)[np.argmax(np.abs(u)) - 1], u)
        e = e / np.linalg.norm(e)
        shift = [x + y for x, y in zip(_along(e, q[0]), _along(np.cross(u, e), q[1]), strict=True)]
        return tdisp(*shift) * trot(_along(u, 1), q[2])
    (x,) = _along([factor], q[0])
    return tdisp(*_along(u, x + (offset or 0))) if kind == "prismatic" else trot(_along(u, 1), x + (offset or 0))


def _along(u: Any, x: Any) -> list[Any]:
    """The components of x in a direction, without products by 0 and 1."""
    return [0 if not c else x if c == 1 else float(c) * x for c in u]
