"""Writing a Model as a URDF file, if it is a tree of rotations and displacements by one coordinate, and free motions.

A coordinate has a joint of its name; where it moves other bodies, too, their joints mimic that one. Gears do the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import numpy as np
import sympy

from easydyn.constraints.gears import Gear
from easydyn.errors import ModelError
from easydyn.files import path_to, write_text
from easydyn.forces import JointFriction, TorsionDamper
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Shift, Transform, Turn, trot
from easydyn.vec.scalars import is_number

BASE, ZERO = "ground", 1e-15  # no body is called so
SEEN = {"Box": ("box", {"size": "sides"}), "Sphere": ("sphere", {"radius": "radius"}),
        "Cylinder": ("cylinder", {"radius": "bottom", "length": "length"})}  # fmt: skip


def to_urdf(model: Any, path: Any, *, parameters: Mapping[str, Any] | None = None) -> Path:
    """Write the model as a robot in a URDF file: links, joints, inertias, boxes, cylinders, spheres.

    This is possible if rotations and displacements, each by one coordinate, or free motions lead to every body, and
    if nothing acts but gravity (which the file does not contain), dampers and dry friction on joints. A `Gear`
    between two joints becomes `mimic`. Limits are written of a robot that was read from a file.

    Parameters
    ----------
    path : str or Path
        A name that ends in .urdf.
    parameters : dict, optional
        Values that differ from the model's own; the file holds numbers, each in its own unit.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    ModelError, FileError
        Something that URDF cannot express, which the message names; a file that cannot be written.

    Example
    -------
    >>> from easydyn import Model, tdisp, trotz
    >>> model = Model("bar")
    >>> q = model.coordinate("q")
    >>> bar = model.body("bar", trotz(q) * tdisp(0, -0.5, 0), mass=2, inertia=(0.1, 0, 0.1))
    >>> Model.from_urdf(model.to_urdf("bar.urdf")).names
    ('q',)
    """
    place = path_to(path, "robot.urdf", endings=(".urdf", ".xml"))
    return write_text(place, _Writer(model, parameters).text())


class _Writer:
    def __init__(self, model: Any, parameters: Any):
        self.model, self.where = model, f"model '{model.name}'"
        self.numbers = in_numbers(model.compile("python", parameters=parameters).parameters)
        self.root = Element("robot", name=model.name)
        self.links: dict[tuple[Any, ...], str] = {(): BASE}
        self.written: set[Any] = set()  # coordinates that have a joint of their own
        self.scaled: dict[Any, str] = {}  # what is said of those that have none
        self.read = {joint.coordinates[0]: joint for joint in reversed(model.joints.values()) if joint.coordinates}
        self.gears, self.losses = self._gears(), self._losses()

    def unfit(self, what: str) -> ModelError:
        return ModelError(
            f"{self.where} does not fit into a URDF file: {what}. Expected a tree of bodies, each joint a turn or a "
            "displacement by one coordinate or free, gears between joints, and no efforts but TorsionDamper and "
            "JointFriction; write what fits as a model of its own."
        )

    def _gears(self) -> dict[Any, Any]:
        """The gears by which coordinates follow others; ModelError for what no tree of joints has."""
        m = self.model.mechanism
        gears = {c.one: c for c in m.constraints if isinstance(c, Gear)}
        extra = [f"node '{point.name}'" for point in m.points]
        extra += [c.title for c in m.constraints if c not in gears.values()]
        extra += [*(f"state {p}" for p in m.states), *(f"input {u}" for u in m.inputs)]
        extra += [x for x in self.model.happenings if x not in map(str, m.efforts)]
        extra += [f"efforts in Python, {f.__name__}" for f in m.callbacks] + ["equations"] * bool(m.equations)
        for q, gear in gears.items():
            for _ in gears:
                q = gears[q].other if q in gears else q
            extra += [f"{gear.title} in a ring of gears"] * (q in gears)
        if extra:
            raise self.unfit(f"it has {extra[0]}")
        return gears

    def _losses(self) -> dict[Any, list[float]]:
        """Damping and dry friction of coordinates, also of joints that follow."""
        found: dict[Any, list[float]] = {}
        for effort in self.model.mechanism.efforts:
            dry: Any = type(effort) is JointFriction and (effort.law or effort.coulomb)
            if type(effort) is TorsionDamper and not effort.law:
                losses = effort.damping, 0
            elif dry and dry.static_level in (None, dry.level) and not getattr(dry, "sticking", None):
                losses = 0, dry.level
            else:
                raise self.unfit(f"it has {effort}")
            sums = found.setdefault(effort.coordinate, [0.0, 0.0])
            sums[:] = (x + self.number(y, str(effort)) for x, y in zip(sums, losses, strict=True))
        return found

    def number(self, x: Any, what: str) -> float:
        """A scalar as a number, with the values of the parameters."""
        value = x.xreplace(self.numbers) if isinstance(x, sympy.Basic) else x
        if not is_number(value):
            raise self.unfit(f"{what} is {x}")
        return float(value)

    def text(self) -> str:
        SubElement(self.root, "link", name=BASE)
        for body in self.model.bodies:
            self._body(body)
        for q in self.model.mechanism.coordinates:
            if q not in self.written:
                raise self.unfit(self.scaled.get(q, f"coordinate {q} moves no body"))
        ElementTree.indent(self.root)
        return '<?xml version="1.0"?>\n' + ElementTree.tostring(self.root, encoding="unicode") + "\n"

    def _body(self, body: Any) -> None:
        factors, parent, still, end = list(body.T.factors), self.links[()], Transform(), 0
        for k, factor in enumerate(factors):  # which may become more
            if k < end:
                continue
            scalars = list(Transform((factor,)).scalars())
            if all(is_number(x.xreplace(self.numbers) if isinstance(x, sympy.Basic) else x) for x in scalars):
                still = still * Transform((factor,))
                continue
            attitudes = (a for a in self.model.mechanism.attitudes if list(a.T.factors) == factors[k + 1 : k + 5])
            free = next(attitudes, None) if all(isinstance(x, Coordinate) for x in scalars) else None
            if isinstance(factor, Shift) and not free:
                factors[k : k + 1] = self._one_by_one(factor, body.name)
                factor = factors[k]
            end = k + 5 if free else k + 1
            key, last = tuple(factors[:end]), end == len(factors)
            if key not in self.links:
                name = body.name if last else f"after {body.name} {k}"
                if free:
                    self._element(free.name, "floating", still, parent, name)
                    self.written |= {*scalars, *free.coordinates}
                else:
                    self._joint(factor, still, parent, name, body.name)
                self.links[key] = name
                self._link(name, body if last else None)
                if last:
                    return
            parent, still = self.links[key], Transform()
        self._link(body.name, body)
        self._element(f"fixed {body.name}", "fixed", still, parent, body.name)

    def _one_by_one(self, shift: Shift, of: str) -> list[Shift]:
        """A displacement by several coordinates as displacements by one each; what is constant is in the first."""
        moving = [self._linear(x, of, either=True)[0] for x in shift.e]
        every = list(dict.fromkeys(q for q in moving if q is not None))
        return [
            Shift(type(shift.e)(*(x if own == q or own is None and q == every[0] else 0
                                  for x, own in zip(shift.e, moving, strict=True))))
            for q in every
        ]  # fmt: skip

    def _element(self, name: str, kind: str, still: Transform, parent: str, child: str) -> Any:
        joint = SubElement(self.root, "joint", name=name, type=kind)
        self._origin(joint, still)
        SubElement(joint, "parent", link=parent)
        SubElement(joint, "child", link=child)
        return joint

    def _joint(self, factor: Any, still: Transform, parent: str, name: str, of: str) -> None:
        """A moving factor behind constant ones."""
        if isinstance(factor, Turn):
            q, scale, offset = self._linear(factor.angle, of)
            axis = np.array([self.number(x, f"an axis of '{of}'") for x in factor.axis])
            kind, still = "continuous", still * trot(axis.tolist(), offset) if offset else still
        elif isinstance(factor, Shift):
            parts = [self._linear(x, of, either=True) for x in factor.e]
            q = next(q for q, _, _ in parts if q is not None)
            along = np.array([scale if own is not None else 0.0 for own, scale, _ in parts])
            scale = float(np.linalg.norm(along))
            axis, kind = along / scale, "prismatic"
            still = still * Transform((Shift(type(factor.e)(*(offset for _, _, offset in parts))),))
        else:
            raise self.unfit(f"the transform of '{of}' has a moving matrix, {factor}")
        leads = q not in self.written and abs(abs(scale) - 1) <= ZERO
        read = self.read.get(q) if leads else None
        kind = "revolute" if kind == "continuous" and read and read.limits else kind
        joint = self._element(str(q) if leads else f"{q} of {name}", kind, still, parent, name)
        SubElement(joint, "axis", xyz=_row(axis * np.sign(scale) if leads else axis))
        if kind != "continuous":
            low, high = read.limits if read and read.limits else (-1e3, 1e3)
            most = {x: repr((read and getattr(read, x)) or 1e9) for x in ("effort", "velocity")}
            SubElement(joint, "limit", {"lower": repr(low), "upper": repr(high), **most})
        if leads:
            self.written.add(q)
            damping, friction = self.losses.get(q, (0.0, 0.0))
            if damping or friction:
                SubElement(joint, "dynamics", damping=repr(damping), friction=repr(friction))
            if q in self.gears:
                gear, where = self.gears[q], f"the gear of {q}"
                n, c = (repr(self.number(x, where)) for x in (gear.ratio, gear.offset))
                SubElement(joint, "mimic", joint=str(gear.other), multiplier=n, offset=c)
        else:
            self.scaled[q] = f"'{of}' moves by {scale:g} times {q}"
            SubElement(joint, "mimic", joint=str(q), multiplier=repr(scale))

    def _linear(self, x: Any, of: str, either: bool = False) -> tuple[Any, float, float]:
        """(coordinate, factor, constant) of a*q + b; without a coordinate (None, 0, b), where that may be."""
        value = sympy.sympify(x).xreplace(self.numbers)
        moving = [s for s in value.free_symbols if isinstance(s, Coordinate)]
        if either and not value.free_symbols:
            return None, 0.0, float(value)
        slope = sympy.expand(value).diff(moving[0]) if len(moving) == len(value.free_symbols) == 1 else value
        if not moving or not slope.is_number:
            raise self.unfit(f"the transform of '{of}' depends on {x}")
        return moving[0], float(slope), float(value.xreplace({moving[0]: sympy.Integer(0)}))

    def _link(self, name: str, body: Any) -> None:
        link = SubElement(self.root, "link", name=name)
        if body is None:
            return
        inertial = SubElement(link, "inertial")
        SubElement(inertial, "origin", xyz=_row([self.number(x, "the centre of mass") for x in body.com]), rpy="0 0 0")
        SubElement(inertial, "mass", value=repr(self.number(body.mass, f"the mass of '{name}'")))
        keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        values = {k: repr(self.number(body.inertia[i, j], f"the inertia of '{name}'")) for k, (i, j) in keys.items()}
        SubElement(inertial, "inertia", values)
        for shape in body.shape:
            if type(shape).__name__ in SEEN:
                tag, sizes = SEEN[type(shape).__name__]
                visual = SubElement(link, "visual")
                self._origin(visual, shape.at)
                row = {key: _row(np.atleast_1d(getattr(shape, x))) for key, x in sizes.items()}
                SubElement(SubElement(visual, "geometry"), tag, row)

    def _origin(self, element: Any, T: Transform) -> None:
        R = np.array([[self.number(T.R[i, j], "a rotation") for j in range(3)] for i in range(3)])
        pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
        if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
            roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
        else:  # at the pole one of the two is free
            roll, yaw = np.arctan2(-R[1, 2], R[1, 1]), 0.0
        e = [self.number(x, "a displacement") for x in T.e]
        SubElement(element, "origin", xyz=_row(e), rpy=_row([roll, pitch, yaw]))


def _row(numbers: Any) -> str:
    return " ".join(repr(float(x) + 0.0) for x in numbers)
