"""A beam of several elements: its nodes, and the elements between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from easydyn.arguments import Thing, answers
from easydyn.errors import InputError
from easydyn.flexible.beam import Beam, fraction_of
from easydyn.inputs import a, among, finite, is_listed, listed, shown, text
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Block, Rotation, Transform, Vector

HELD = {"clamped": "", "pinned": "q", "free": "xyq", "roller": "xq", "guided": "x"}  # what an end may still do


@answers
class FlexibleBeam(Thing):
    """A flexible beam, as `model.beam` returns it.

    Parameters
    ----------
    name : str
        Its name.
    nodes : sequence of Body
        The frames along it, the first at the root.
    elements : sequence of Beam
        The elements between the nodes, all of the same length.

    Raises
    ------
    InputError
        An invalid name, list of bodies or list of Beams.

    Example
    -------
    >>> from easydyn import Model
    >>> from easydyn.flexible import Material, Section
    >>> model = Model("ruler")
    >>> steel, flat = Material(E=210e9, density=7850), Section.rectangle(0.03, 0.001)
    >>> ruler = model.beam("ruler", length=0.3, section=flat, material=steel, elements=4)
    >>> [node.name for node in ruler.nodes]
    ['ruler 0', 'ruler 1', 'ruler 2', 'ruler 3', 'ruler 4']
    >>> ruler.tip is ruler.nodes[-1]
    True
    """

    def __init__(self, name: str, nodes: Sequence[Body], elements: Sequence[Beam]):
        self.name = text(name, "the name of a beam", '"blade"')
        what = f"beam '{name}'"
        bodies = listed(nodes, f"the nodes of {what}", "bodies")
        between = listed(elements, f"the elements of {what}", "Beams")
        self.nodes = tuple(a(Body, body, f"a node of {what}", "a body") for body in bodies)
        self.elements = tuple(a(Beam, element, f"an element of {what}", "a Beam") for element in between)
        if not self.nodes or not self.elements:
            raise InputError(
                f"{what} has {len(bodies)} nodes and {len(between)} elements: expected one of each at least."
            )

    @property
    def tip(self) -> Body:
        """The last node."""
        return self.nodes[-1]

    def at(self, fraction: Any) -> Transform:
        """The frame of a section, to attach bodies and forces.

        Parameters
        ----------
        fraction : float (no unit)
            Position on the beam: 0 at the root, 1 at the tip.

        Returns
        -------
        Transform
            With x along the beam: a formula of the frames of the two neighbouring nodes.

        Raises
        ------
        InputError
            A fraction that is not a number from 0 to 1.
        """
        where = fraction_of(fraction) * len(self.elements)
        k = min(int(where), len(self.elements) - 1)
        return self.elements[k].at(min(where - k, 1.0))

    def __repr__(self) -> str:
        return f"beam '{self.name}' of {len(self.elements)} elements"


class Place(NamedTuple):
    """The unstressed position of a node as seen from the root: (x, y, z), its axes, their angle of rotation about z."""

    at: tuple[Any, Any, Any]
    R: Rotation
    angle: float


def relative_frame(one: Place, other: Place) -> Transform:
    """The frame of a node as seen from another, both in the unstressed beam."""
    here, there = (Transform((Block(place.R, Vector(*place.at)),)) for place in (one, other))
    product = here.inv() * there
    return Transform((Block(product.R, product.e),))


def held(name: str, ends: Any, elements: int, spatial: bool) -> tuple[str, str]:
    """The support of the two ends of a beam, after a check."""
    what, known = f"the ends of beam '{name}'", [*HELD, *(["spherical"] if spatial else [])]
    if is_listed(ends):
        ends = list(ends)
    if not isinstance(ends, list) or len(ends) != 2 or not all(among(end, known) for end in ends):
        raise InputError(f"{what} are {shown(ends)}: expected two of {', '.join(known)}, that of the root first.")
    if elements == 1 and ends == ["clamped", "clamped"]:
        raise InputError(f"beam '{name}' is clamped at both ends of its only element: expected elements=2 or more.")
    return ends[0], ends[1]


def freedom(end: str, spatial: bool) -> tuple[str, str]:
    """The axes along which a node may move, and its rotation: none, about z ("q"), or about all axes ("s")."""
    if end == "spherical":
        return "", "s"
    free = HELD[end]
    if end == "free" and spatial:
        return "xyz", "s"
    return free.replace("q", ""), "q" if "q" in free else ""


# -- curves -----------------------------------------------------------------------------------------------------------


def along(curve: Any, elements: int, what: str, spatial: bool) -> tuple[float, list[Place]]:
    """Length of a curve (m), and nodes on it at equal distances, with their axes x along it.

    `curve` is a function of a number from 0 to 1, or points, through which a natural cubic spline is laid. The other
    axes are those of the root, moved along the curve without rotation about x.
    """
    from scipy.interpolate import CubicSpline

    if callable(curve):
        fine = np.linspace(0, 1, FINE * elements + 1)
        points = np.array([_point(curve(float(s)), f"{what} at {s:.3g}") for s in fine])
    else:
        given = listed(curve, what, "points (x, y) or (x, y, z), or a function of 0 to 1")
        if len(given) < 3:
            raise InputError(f"{what} has {len(given)} points: expected three or more, or a function of 0 to 1.")
        points = np.array([_point(p, f"a point of {what}") for p in given])
    if not spatial and np.any(points[:, 2] != points[0, 2]):
        raise InputError(f"{what} leaves the plane x, y of its root: give spatial=True for a beam in space.")
    if np.any(np.linalg.norm(np.diff(points, axis=0), axis=1) == 0):
        raise InputError(f"{what} stays at the same point for a while: expected points that follow each other.")
    line = through(points)
    line = through(line(np.linspace(0, line.x[-1], FINE * elements + 1)))
    speed = line.derivative()
    reached = CubicSpline(line.x, np.linalg.norm(speed(line.x), axis=1)).antiderivative()(line.x)  # lengths so far
    nodes = CubicSpline(reached, line.x)(np.linspace(0, reached[-1], elements + 1))
    places, tangents = line(nodes), speed(nodes)
    tangents /= np.linalg.norm(tangents, axis=1)[:, None]
    up = np.array([0.0, 0.0, 1.0]) if abs(tangents[0][2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    found, angle = [], 0.0
    for k, (place, t) in enumerate(zip(places, tangents, strict=True)):
        if k:  # the shortest turn from one tangent to the next
            before = tangents[k - 1]
            axis = np.cross(before, t)
            up = up + np.cross(axis, up) + np.cross(axis, np.cross(axis, up)) / (1 + before @ t)
        up = up - t * (up @ t)
        up /= np.linalg.norm(up)
        side = np.cross(up, t)
        now = float(np.arctan2(t[1], t[0]))
        angle = now if k == 0 else angle + (now - angle + np.pi) % (2 * np.pi) - np.pi
        axes = (Vector(*(float(x) for x in column)) for column in (t, side, up))
        found.append(Place((float(place[0]), float(place[1]), float(place[2])), Rotation(*axes), angle))
    return float(reached[-1]), found


FINE = 40  # points of a curve for each element


def _point(value: Any, what: str) -> list[float]:
    given = [finite(x, what) for x in listed(value, what, "numbers (x, y) or (x, y, z)")]
    if len(given) not in (2, 3):
        raise InputError(f"{what} has {len(given)} numbers: expected (x, y) or (x, y, z), as seen from the root (m).")
    return [*given, 0.0][:3]


def through(points: np.ndarray) -> Any:
    """A cubic spline through points (n, 3), by the length (m) of the chords between them."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.cumsum([0.0, *np.linalg.norm(np.diff(points, axis=0), axis=1)]), points)
