"""Robots from URDF files: links and joints become bodies and coordinates of a Model.

For a joint T(child) = T(parent) * origin * rotation about, or displacement along, its axis. The inertia of a link is
about its centre of mass, in its own axes. Unknown parts of the format are refused, with a few exceptions: limits,
transmissions, sensors and collision shapes are ignored, because they do not change the motion of a free mechanism.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from easydyn.errors import FileError, InputError
from easydyn.files import path_to
from easydyn.forces import JointFriction, TorsionDamper
from easydyn.inputs import flag, is_function
from easydyn.vec import Transform, inertia_tensor, tdisp, trot, trotx, troty, trotz

LARGEST = 20_000_000  # bytes
JOINTS = ("revolute", "continuous", "prismatic", "fixed")
SLIP = 1e-3  # rad/s or m/s, over which dry friction grows
_PACKAGE = re.compile(r"^(package|model)://[^/]+/|^file://")


class _Robot:
    """The elements of a file, by name."""

    def __init__(self, path: Path):
        self.path = path
        root = _root(path)
        if root.tag != "robot":
            raise self.wrong(f"its root is <{root.tag}>", "a <robot>")
        self.name = root.get("name") or path.stem
        self.links = self._by_name(root, "link")
        self.joints = self._by_name(root, "joint")
        materials = ((m.get("name", ""), m.find("color")) for m in root.findall("material"))
        self.colours = {name: colour.get("rgba") for name, colour in materials if colour is not None}
        self.children: dict[str, list[str]] = {name: [] for name in self.links}
        parents: dict[str, str] = {}
        for name, joint in self.joints.items():
            parent, child = (self._link_of(joint, side) for side in ("parent", "child"))
            if child in parents:
                both = f"'{parents[child]}' and '{name}'"
                raise self.wrong(f"link '{child}' is the child of two joints, {both}", "a tree")
            parents[child] = name
            self.children[parent].append(name)
        self.parents = parents
        roots = [name for name in self.links if name not in parents]
        if len(roots) != 1:
            raise self.wrong(f"{len(roots)} links are no child of a joint ({', '.join(roots[:4])})", "one, the base")
        self.base = roots[0]

    def wrong(self, what: str, expected: str) -> FileError:
        return FileError(f"'{self.path}': {what}, expected {expected}. Give a URDF file of a robot without loops.")

    def _by_name(self, root: Any, tag: str) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in root.findall(tag):
            name = element.get("name")
            if not name or name in found:
                raise self.wrong(f"a <{tag}> has the name {name!r}", "a name of its own for each")
            found[name] = element
        return found

    def _link_of(self, joint: Any, side: str) -> str:
        element = joint.find(side)
        name = None if element is None else element.get("link")
        if name not in self.links:
            raise self.wrong(f"the {side} of joint '{joint.get('name')}' is {name!r}", "the name of a <link>")
        return str(name)

    def numbers(self, element: Any, key: str, count: int, default: str, where: str) -> list[float]:
        """Numbers in an attribute; FileError otherwise."""
        text = default if element is None else element.get(key, default)
        try:
            found = [float(x) for x in text.split()]
        except ValueError:
            found = []
        if len(found) != count or not np.isfinite(found).all():
            raise self.wrong(f"{key} of {where} is {text!r}", f"{count} finite number{'s' * (count > 1)}")
        return found

    def origin(self, element: Any, where: str) -> Transform:
        """The transform of <origin xyz rpy> in an element."""
        found = element.find("origin")
        x, y, z = self.numbers(found, "xyz", 3, "0 0 0", where)
        roll, pitch, yaw = self.numbers(found, "rpy", 3, "0 0 0", where)
        turns = [turn(angle) for turn, angle in ((trotz, yaw), (troty, pitch), (trotx, roll)) if angle]
        T = tdisp(x, y, z) if x or y or z else Transform()
        for turn in turns:
            T = T * turn
        return T


def _root(path: Path) -> Any:
    try:
        data = path.read_bytes()[: LARGEST + 1]
    except OSError as error:
        raise FileError(f"cannot read '{path}': {error.strerror or error}. Expected a URDF file.") from None
    if len(data) > LARGEST or b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise FileError(
            f"'{path}' is larger than {LARGEST / 1e6:g} MB, or defines entities: expected a plain URDF file."
        )
    try:
        return ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        raise FileError(
            f"'{path}' is no XML ({error}): expected a URDF file; a .xacro is expanded by xacro first."
        ) from None


def from_urdf(model_class: Any, path: Any, gravity: Any, meshes: Any, name: Any) -> Any:
    """The Model of a URDF file; documented at `Model.from_urdf`."""
    if not (meshes is None or is_function(meshes)):
        meshes = flag(meshes, "meshes") or None if not isinstance(meshes, str | Path) else path_to(meshes, folder=True)
        meshes = False if meshes is None else meshes
    place = path_to(path, "robot.urdf")
    robot = _Robot(place)
    model = model_class(robot.name if name is None else name, gravity=gravity)
    symbols = _coordinates(robot, model)
    places = {robot.base: Transform()}
    for joint in _outwards(robot):
        element = robot.joints[joint]
        parent, child = element.find("parent").get("link"), element.find("child").get("link")
        places[child] = places[parent] * robot.origin(element, f"joint '{joint}'") * _moved(robot, joint, symbols)
    for link, T in places.items():
        mass, com, inertia = _inertia(robot, link)
        shape = list(_shapes(robot, link, meshes))
        if link != robot.base or mass or shape:
            model.body(link, T, mass=mass, inertia=inertia, com=com, shape=shape or None)
    for joint in robot.joints:
        _losses(robot, joint, symbols, model)
    return model


def _outwards(robot: _Robot) -> Iterator[str]:
    """Joints from the base outwards."""
    ready, count = list(robot.children[robot.base]), 0
    while ready:
        joint = ready.pop(0)
        count += 1
        yield joint
        ready += robot.children[robot.joints[joint].find("child").get("link")]
    if count < len(robot.joints):
        raise robot.wrong("some joints form a loop, which nothing joins to the base", "a tree")


def _coordinates(robot: _Robot, model: Any) -> dict[str, Any]:
    """The coordinate of each joint that moves by itself, by the name of the joint."""
    moving = []
    for joint, element in robot.joints.items():
        kind = element.get("type")
        if kind not in JOINTS:
            raise robot.wrong(f"joint '{joint}' is of type {kind!r}", f"one of {', '.join(JOINTS)}")
        if kind != "fixed" and element.find("mimic") is None:
            moving.append(joint)
    names: dict[str, str] = {}
    for joint in moving:
        plain = re.sub(r"\W", "_", joint, flags=re.ASCII)
        plain = plain if plain.isidentifier() and plain != "t" else f"q_{plain}"
        while plain in names.values():
            plain += "_"
        names[joint] = plain
    return dict(zip(names, model.coordinates(list(names.values())), strict=True)) if names else {}


def _moved(robot: _Robot, joint: str, symbols: dict[str, Any]) -> Transform:
    """The turn or the displacement of a joint."""
    element, where = robot.joints[joint], f"joint '{joint}'"
    if element.get("type") == "fixed":
        return Transform()
    axis = np.array(robot.numbers(element.find("axis"), "xyz", 3, "1 0 0", where))
    length = float(np.linalg.norm(axis))
    if not length:
        raise robot.wrong(f"the axis of {where} is zero", "a direction")
    q, factor, offset = _followed(robot, joint, symbols)
    q = factor * q + offset if offset else factor * q
    u = [float(x) if x else 0 for x in axis / length]
    if element.get("type") == "prismatic":
        return tdisp(*(x * q if x else 0 for x in u))
    return trot(u, q)


def _followed(robot: _Robot, joint: str, symbols: dict[str, Any]) -> tuple[Any, float, float]:
    """The coordinate that moves a joint, and by which factor and offset: where it mimics another, that of the other."""
    mimic, where = robot.joints[joint].find("mimic"), f"joint '{joint}'"
    if mimic is None:
        return symbols[joint], 1, 0
    master = mimic.get("joint")
    if master not in symbols:
        raise robot.wrong(f"{where} mimics {master!r}", "a joint that moves by itself")
    (factor,) = robot.numbers(mimic, "multiplier", 1, "1", where)
    (offset,) = robot.numbers(mimic, "offset", 1, "0", where)
    return symbols[master], factor, offset


def _inertia(robot: _Robot, link: str) -> tuple[float, tuple[float, ...], Any]:
    """Mass, centre of mass, and inertia about it in the axes of the link."""
    element, where = robot.links[link].find("inertial"), f"the inertial of link '{link}'"
    if element is None:
        return 0.0, (0.0, 0.0, 0.0), (0, 0, 0)
    if element.find("mass") is None or element.find("inertia") is None:
        raise robot.wrong(f"{where} is not whole", "a <mass> and an <inertia>")
    (mass,) = robot.numbers(element.find("mass"), "value", 1, "", where)
    keys = ("ixx", "iyy", "izz", "ixy", "iyz", "ixz")
    values = [robot.numbers(element.find("inertia"), key, 1, "" if key[1] == key[2] else "0", where)[0] for key in keys]
    T = robot.origin(element, where)
    return mass, tuple(map(float, T.e)), inertia_tensor(*values).rotated(T.R)


def _losses(robot: _Robot, joint: str, symbols: dict[str, Any], model: Any) -> None:
    """Damping and dry friction of a joint; one that mimics another by a factor turns that much faster."""
    if robot.joints[joint].get("type") == "fixed":
        return
    q, factor, _ = _followed(robot, joint, symbols)
    element, faster = robot.joints[joint].find("dynamics"), abs(factor)
    (damping,) = robot.numbers(element, "damping", 1, "0", f"joint '{joint}'")
    (friction,) = robot.numbers(element, "friction", 1, "0", f"joint '{joint}'")
    if damping and faster:
        model.add(TorsionDamper(q, damping=damping * faster**2))
    if friction and faster:
        model.add(JointFriction(q, friction * faster, slip_speed=SLIP / faster))


# -- what is seen ---------------------------------------------------------------------------------------------------


def _shapes(robot: _Robot, link: str, meshes: Any) -> Iterator[Any]:
    """The visual shapes of a link."""
    from easydyn import visu

    for element in robot.links[link].findall("visual"):
        where, geometry = f"a visual of link '{link}'", element.find("geometry")
        form = None if geometry is None else next(iter(geometry), None)
        if form is None:
            raise robot.wrong(f"{where} has no geometry", "a box, a cylinder, a sphere or a mesh")
        options = {"at": robot.origin(element, where), **_colour(robot, element, where)}
        if form.tag == "box":
            yield visu.Box(*robot.numbers(form, "size", 3, "", where), **options)
        elif form.tag == "sphere":
            yield visu.Sphere(*robot.numbers(form, "radius", 1, "", where), **options)
        elif form.tag in ("cylinder", "capsule"):
            radius, length = (robot.numbers(form, key, 1, "", where)[0] for key in ("radius", "length"))
            yield visu.Cylinder(radius, length, **options)
        elif form.tag != "mesh":
            raise robot.wrong(f"{where} is a <{form.tag}>", "a box, a cylinder, a sphere or a mesh")
        elif meshes is not False:
            yield _mesh(robot, form, where, meshes, options)


def _colour(robot: _Robot, element: Any, where: str) -> dict[str, Any]:
    material = element.find("material")
    if material is None:
        return {}
    colour = material.find("color")
    rgba = robot.colours.get(material.get("name", "")) if colour is None else colour.get("rgba")
    if rgba is None:
        return {}
    *rgb, opacity = robot.numbers({"rgba": rgba}, "rgba", 4, "", where)
    shares = [round(255 * min(max(x, 0.0), 1.0)) for x in rgb]
    return {"colour": "#{:02x}{:02x}{:02x}".format(*shares), "opacity": min(max(opacity, 0.0), 1.0)}


def _mesh(robot: _Robot, form: Any, where: str, meshes: Any, options: dict[str, Any]) -> Any:
    """A mesh: of an STL file beside the robot, or what the user's function makes of its name."""
    from easydyn import visu

    scale = robot.numbers(form, "scale", 3, "1 1 1", where)
    if len(set(scale)) > 1 or scale[0] <= 0:
        raise robot.wrong(f"the scale of {where} is {scale}", "three times the same number above zero")
    name = form.get("filename", "")
    found = _found(robot, name, meshes)
    if is_function(meshes):
        return visu.Mesh(_called(meshes, str(found or name), where), scale=scale[0], **options)
    if found is None or found.suffix.lower() != ".stl":
        raise InputError(
            f"the mesh '{name}' of {where} is {'no STL file' if found else 'not found'}: expected an STL file beside "
            f"'{robot.path.name}' or in the folder meshes=. Give a function that reads it, meshes=trimesh.load, or "
            "leave meshes out, meshes=False."
        )
    return visu.Mesh(found, scale=scale[0], **options)


def _called(function: Callable[[str], Any], name: str, where: str) -> Any:
    try:
        return function(name)
    except Exception as error:  # of the user's own function, or of the library that it is
        raise InputError(
            f"meshes={getattr(function, '__name__', function)!r} failed on '{name}', the mesh of {where} "
            f"({type(error).__name__}: {error}): expected a function that returns a mesh."
        ) from error


def _found(robot: _Robot, name: str, meshes: Any) -> Path | None:
    """The file of a mesh: where its name says, seen from the robot, from the folders above it, or from `meshes`."""
    plain = Path(_PACKAGE.sub("", name))
    bases = [meshes] if isinstance(meshes, Path) else [robot.path.parent, *list(robot.path.resolve().parents)[:3]]
    tries = [base / plain for base in bases] + [base / plain.name for base in bases[:1]]
    return next((place for place in tries if place.is_file()), None)
