"""Shapes that a body can be given: solids, springs, arrows, paths, text.

    model.body("wheel", T, mass=2, inertia=(...), shape=visu.Cylinder(0.3, 0.05, colour="blue"))

Each shape is placed in the axes of its body by `at`, a Transform of numbers; a colour is a name of `visu.COLOURS` or
"#rrggbb". Lengths are in m. The axis of round shapes is z; turn it with at=trotx(math.pi/2).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from easydyn.arguments import Thing, answers
from easydyn.errors import InputError
from easydyn.forces.effort import an_end
from easydyn.inputs import a, expect, finite, finite_array, is_listed, is_text, positive, real_array, shown, text, whole
from easydyn.mechanics.mechanism import Body, Ground, ground
from easydyn.touch import shapes
from easydyn.vec import Transform, Vector, as_transform, tdisp, transform, trotz
from easydyn.vec import vector as a_vector
from easydyn.vec.scalars import Scalar, is_number
from easydyn.vec.tensors import direction
from easydyn.visu import colours, solids, weight
from easydyn.visu.solids import Solid


class Shape(Thing):
    """A shape that is drawn with a body: the base class of all shapes, which take its parameters as their `options`.

    Parameters
    ----------
    at : Transform of numbers (m, rad), optional
        Its place in the axes of the body; the body's origin if left out.
    colour : str, optional
        A name of `visu.COLOURS` or "#rrggbb"; that of the body if left out.
    name : str, optional
        Its name on the picture; the kind of shape if left out.
    opacity : float (no unit)
        From 0 (nothing) to 1 (the default).

    Raises
    ------
    InputError
        A symbol in `at`; an unknown colour; a name that is not text; an opacity out of its range.

    Example
    -------
    >>> from easydyn import visu
    >>> isinstance(visu.Box(1, 1, 1, colour="blue", opacity=0.5), Shape)
    True
    """

    _INSTEAD = "pictures and masses are made from it. Make another shape, and another body."

    def __init__(self, *, at: Any = None, colour: Any = None, name: Any = None, opacity: Any = 1.0):
        what = type(self).__name__
        self.at = Transform() if at is None else as_transform(at, f"`at` of a {what}")
        if self.at.free_symbols:
            raise InputError(
                f"`at` of a {what} contains {sorted(map(str, self.at.free_symbols))[0]}: expected numbers; what moves "
                "is the body."
            )
        self.colour = colours.colour(colour)
        self.name = what.lower() if name is None else text(name, f"the name of a {what}")
        self.opacity = finite(opacity, f"the opacity of a {what}")
        expect(0 <= self.opacity <= 1, f"the opacity of a {what}", self.opacity, "a number from 0 to 1")

    @property
    def place(self) -> np.ndarray:
        """The 4x4 array of `at`."""
        return np.array(self.at.matrix, dtype=float).reshape(4, 4)

    def solids(self) -> Iterator[tuple[Solid, str | None]]:
        """Solids in body axes, each with its own colour or None."""
        yield from ()

    @property
    def volume(self) -> weight.Volume | None:
        """The volume, its centre and second moments, for a body with a density; None if it is not a solid."""
        return None

    def __repr__(self) -> str:
        return f"visu.{type(self).__name__}({self.name!r})"


class SolidShape(Shape):
    """Base class of shapes that are one solid: nodes, edges and surfaces.

    >>> isinstance(Sphere(0.1), SolidShape), len(Box(1, 1, 1).solid.nodes)
    (True, 8)
    """

    @abstractmethod
    def local(self) -> Solid:
        """The solid in its own axes."""

    @property
    def solid(self) -> Solid:
        """The solid in the axes of the body."""
        return self.local().placed(self.place)

    def solids(self) -> Iterator[tuple[Solid, str | None]]:
        yield self.solid, self.colour

    @property
    def volume(self) -> weight.Volume | None:
        return self.own_volume.placed(self.place)

    @property
    def own_volume(self) -> weight.Volume:
        """Its volume in its own axes; InputError if there is no closed form."""
        what = type(self).__name__
        raise InputError(
            f"a {what} has no closed form of its mass, and its body has a density: expected a Box, a Sphere, a "
            "Cylinder, a Cone, a Frustum, a Tube or a Torus; else give mass=, inertia= and com= instead."
        )


def _along(to: Any, across: Any, what: str) -> tuple[float, Transform]:
    """Length of the way from the origin `to` a point, and a frame in its middle: z along it, x nearest to `across`."""
    end = _numbers(to, f"the end of {what}")
    length = float(np.linalg.norm(end))
    if not length:
        raise InputError(f"the end of {what} is the origin, where it begins: expected a point elsewhere (m).")
    z = end / length
    if across is None:
        x = np.eye(3)[1] - z[1] * z
        x = x if np.linalg.norm(x) > 1e-6 else np.eye(3)[0]
    else:
        wanted = np.array([float(c) for c in direction(across, f"the direction across {what}")])
        x = wanted - wanted @ z * z
        if np.linalg.norm(x) < 1e-6:
            raise InputError(f"the direction across {what} is {shown(across)}, along it: expected another one.")
    x = solids.unit(x)
    R = np.column_stack([x, np.cross(z, x), z])
    return length, transform(R, end / 2)


@answers
class Box(SolidShape):
    """A box with sides `x`, `y`, `z` (m), its centre at the origin; `options` as in `Shape`.

    >>> round(Box(1, 2, 3).solid.volume, 9)
    6.0
    """

    def __init__(self, x: Any, y: Any, z: Any, **options: Any):
        super().__init__(**options)
        self.sides = tuple(positive(s, f"side {n} of a Box") for s, n in ((x, "x"), (y, "y"), (z, "z")))

    @classmethod
    def along(
        cls, to: Any, width: Any, height: Any = None, *, across: Any = None, colour: Any = None, name: Any = None,
        opacity: Any = 1.0,
    ) -> Box:  # fmt: skip
        """A bar of rectangular section from the origin of the body to a point.

        Parameters
        ----------
        to : 3 numbers (m)
            The point where it ends, in the axes of the body.
        width, height : float (m)
            Width and height of its section; the height equals the width if left out.
        across : str or 3 numbers (no unit), optional
            The direction of the width; if left out y, or x for a bar along y. Its component along the bar is ignored.
        colour, name, opacity : optional
            As in `Shape`; opacity has no unit.

        Returns
        -------
        Box
            The box, with its middle halfway to the point.

        Raises
        ------
        InputError
            A bar without length; a direction along it; values that are not numbers.

        Example
        -------
        >>> Box.along((0.5, 0, 0), 0.1, 0.2).sides
        (0.1, 0.2, 0.5)
        """
        length, at = _along(to, across, "a Box")
        height = width if height is None else height
        return cls(width, height, length, at=at, colour=colour, name=name, opacity=opacity)

    @property
    def touching(self) -> Any:
        """What touches others in a `Contact` of a body with this shape alone."""
        return shapes.Box(*self.sides)

    def local(self) -> Solid:
        return solids.box(*self.sides)

    @property
    def own_volume(self) -> weight.Volume:
        return weight.box(*self.sides)


class Sphere(SolidShape):
    """A sphere of a `radius` (m); `options` as in `Shape`.

    >>> float(Sphere(0.5).solid.nodes[:, 2].max())
    0.5
    """

    def __init__(self, radius: Any, **options: Any):
        super().__init__(**options)
        self.radius = positive(radius, "the radius of a Sphere")

    @property
    def touching(self) -> Any:
        """What touches others in a `Contact` of a body with this shape alone."""
        return shapes.Sphere(self.radius)

    def local(self) -> Solid:
        return solids.sphere(self.radius)

    @property
    def own_volume(self) -> weight.Volume:
        return weight.sphere(self.radius)


class Frustum(SolidShape):
    """A frustum of a cone along z: radii at `bottom` (-z) and `top` (+z), `length` (m), its middle at the origin.

    `options` are as in `Shape`. Raises InputError for radii below zero, or both zero.

    >>> float(Frustum(0.2, 0.1, 0.3).solid.nodes[:, 0].max())
    0.2
    """

    def __init__(self, bottom: Any, top: Any, length: Any, **options: Any):
        super().__init__(**options)
        what = f"a {type(self).__name__}"
        self.bottom, self.top = (finite(r, f"a radius of {what}") for r in (bottom, top))
        if min(self.bottom, self.top) < 0 or not max(self.bottom, self.top):
            raise InputError(f"the radii of {what} are {self.bottom:g} and {self.top:g}: expected one above zero.")
        self.length = positive(length, f"the length of {what}")

    def local(self) -> Solid:
        return solids.frustum(self.bottom, self.top, self.length)

    @property
    def own_volume(self) -> weight.Volume:
        mean, slope = (self.bottom + self.top) / 2, (self.top - self.bottom) / self.length
        return weight.turned(lambda z: (0 * z, mean + slope * z), self.length)


@answers
class Cylinder(Frustum):
    """A cylinder along z of a `radius` and a `length` (m), its middle at the origin; `options` as in `Shape`.

    >>> float(Cylinder(0.1, 0.3).solid.nodes[:, 2].max())
    0.15
    """

    def __init__(self, radius: Any, length: Any, **options: Any):
        radius = positive(radius, "the radius of a Cylinder")
        super().__init__(radius, radius, length, **options)

    @classmethod
    def along(cls, to: Any, radius: Any, *, colour: Any = None, name: Any = None, opacity: Any = 1.0) -> Cylinder:
        """A round bar of a `radius` (m) from the origin of the body `to` a point (3 numbers, m) in its axes.

        `colour`, `name`, `opacity` (no unit) are as in `Shape`. Raises InputError for a bar of no length.

        >>> Cylinder.along((0, 0, 2), 0.1).length
        2.0
        """
        length, at = _along(to, None, "a Cylinder")
        return cls(radius, length, at=at, colour=colour, name=name, opacity=opacity)


class Cone(Frustum):
    """A cone along z, with the `radius` (m) of its base (-z) and a `length` (m), its middle at the origin.

    `options` are as in `Shape`.

    >>> float(Cone(0.1, 0.3).local().nodes[:, 2].max())
    0.15
    """

    def __init__(self, radius: Any, length: Any, **options: Any):
        super().__init__(positive(radius, "the radius of a Cone"), 0.0, length, **options)


class Tube(SolidShape):
    """A hollow cylinder along z: `outer` and `inner` radius, `length` (m); `options` as in `Shape`.

    >>> round(float(Tube(0.2, 0.1, 0.5).solid.nodes[:, 0].max()), 9)
    0.2
    """

    def __init__(self, outer: Any, inner: Any, length: Any, **options: Any):
        super().__init__(**options)
        self.outer, self.inner = _two(outer, inner, "the outer", "the inner", "radius of a Tube")
        self.length = positive(length, "the length of a Tube")

    def local(self) -> Solid:
        return solids.tube(self.outer, self.inner, self.length)

    @property
    def own_volume(self) -> weight.Volume:
        return weight.turned(lambda z: (self.inner + 0 * z, self.outer + 0 * z), self.length)


class Torus(SolidShape):
    """A ring about z: `radius` to the middle of its section, radius of the `section` (m); `options` as in `Shape`.

    >>> round(float(Torus(0.5, 0.1).solid.nodes[:, 0].max()), 9)
    0.6
    """

    def __init__(self, radius: Any, section: Any, **options: Any):
        super().__init__(**options)
        self.radius, self.section = _two(radius, section, "the", "the section", "radius of a Torus")

    def local(self) -> Solid:
        return solids.torus(self.radius, self.section)

    @property
    def own_volume(self) -> weight.Volume:
        return weight.torus(self.radius, self.section)


class Tyre(SolidShape):
    """A wheel that rolls about its z: outer `radius`, `width` (m), with a rim and `spokes`, which show its turning.

    `options` are as in `Shape`.

    >>> round(float(Tyre(0.3, 0.1).solid.nodes[:, 0].max()), 9)
    0.3
    """

    def __init__(self, radius: Any, width: Any, *, spokes: int = 5, **options: Any):
        super().__init__(**options)
        self.radius, self.width = positive(radius, "the radius of a Tyre"), positive(width, "the width of a Tyre")
        self.spokes = _count(spokes, "spokes of a Tyre", 1)

    def local(self) -> Solid:
        r, w = self.radius, self.width
        s, h = 0.3 * w, w / 2
        inner = max(r - max(0.7 * w, 0.12 * r), 0.4 * r)
        profile = [(inner, -0.8 * h), (r - s, -h), (r, -0.5 * h), (r, 0.5 * h), (r - s, h), (inner, 0.8 * h)]
        spoke = solids.box(inner, 0.1 * r, 0.4 * w).placed(tdisp(inner / 2, 0, 0).matrix)
        spokes = [spoke.placed(trotz(2 * np.pi * k / self.spokes).matrix) for k in range(self.spokes)]
        return solids.joined([solids.turned(profile, 36, closed=True), solids.frustum(0.15 * r, 0.15 * r, w), *spokes])


class Gear(SolidShape):
    """A spur gear about z: `radius` of the pitch circle (m), number of `teeth`, `width` (m), radius of the `bore` (m).

    `options` are as in `Shape`. Raises InputError for fewer than 5 teeth, or a bore that reaches their roots.

    >>> Gear(0.1, 20, 0.02).bore
    0.025
    """

    def __init__(self, radius: Any, teeth: int, width: Any, *, bore: Any = None, **options: Any):
        super().__init__(**options)
        self.teeth = _count(teeth, "teeth of a Gear", 5)
        bore = 0.25 * positive(radius, "the radius of a Gear") if bore is None else bore
        self.radius, self.bore = _two(radius, bore, "the", "the bore as a", "radius of a Gear")
        if self.bore >= self.radius * (1 - 2.5 / self.teeth):
            raise InputError(f"the bore of a Gear has radius {self.bore:g}: expected less than that of its roots.")
        self.width = positive(width, "the width of a Gear")

    def local(self) -> Solid:
        return solids.gear(self.radius, self.teeth, self.width, self.bore)


class Mesh(SolidShape):
    """A mesh from an STL file (text or binary), or vertices and faces.

    Parameters
    ----------
    source : str, Path, Solid or object
        The STL file, the solid, or any object with `vertices` (n, 3) and `faces` (k, 3), such as a mesh of trimesh,
        which reads OBJ, PLY, DAE and GLB.
    scale : float or 3 floats (no unit)
        The factor of lengths: 0.001 for a file in mm; or a factor for each of x, y, z. Negative factors mirror the
        mesh, and its surfaces stay seen from outside.
    **options
        As in `Shape`.

    Raises
    ------
    FileError
        The file is not valid; the message gives the line if it is known.
    InputError
        A factor of zero.

    Example
    -------
    >>> half = Mesh(Box(1, 1, 1).solid, scale=0.5)
    >>> round(half.solid.volume, 9)
    0.125
    """

    def __init__(self, source: Any, *, scale: Any = 1.0, **options: Any):
        super().__init__(**options)
        factor = finite_array(scale, "the scale of a Mesh")
        if factor.shape not in ((), (3,)) or not factor.all():
            raise InputError(f"the scale of a Mesh is {shown(scale)}: expected one factor or three, none of them zero.")
        self.mesh = _scaled(source if isinstance(source, Solid) else _of_triangles(source), factor)

    def local(self) -> Solid:
        return self.mesh

    @property
    def own_volume(self) -> weight.Volume:
        return weight.inside(self.mesh.nodes, self.mesh.triangles, f"the mesh '{self.name}'")


def _scaled(solid: Solid, factor: np.ndarray) -> Solid:
    """A solid with longer sides; one that is mirrored has the nodes of its surfaces the other way round."""
    mirrored = np.prod(np.broadcast_to(factor, 3)) < 0
    surfaces = tuple(s[::-1] for s in solid.surfaces) if mirrored else solid.surfaces
    return Solid(solid.nodes * factor, solid.edges, surfaces)


def _of_triangles(source: Any) -> Solid:
    """The solid of an object with vertices and faces, of any library; that of an STL file for anything else."""
    if str(source).lower().endswith((".obj", ".ply", ".dae", ".glb", ".gltf", ".dxf", ".step", ".stp")):
        raise InputError(
            f"the mesh {shown(str(source))} is no STL file: read it with trimesh, visu.Mesh(trimesh.load(...)), or "
            "save it as STL; STEP files need a program for drawings, which saves them as STL."
        )
    if not (hasattr(source, "vertices") and hasattr(source, "faces")):
        return solids.from_stl(source)
    nodes = real_array(source.vertices, "the vertices of a Mesh")
    faces = np.asarray(source.faces)
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not len(nodes) or not np.isfinite(nodes).all():
        raise InputError(f"the vertices of a Mesh have shape {nodes.shape}: expected (n, 3), finite numbers.")
    if faces.ndim != 2 or faces.shape[1] < 3 or faces.dtype.kind not in "iu":
        raise InputError(f"the faces of a Mesh have shape {faces.shape}: expected (k, 3), indices of its vertices.")
    if len(faces) and not 0 <= faces.min() <= faces.max() < len(nodes):
        raise InputError(
            f"the faces of a Mesh have indices from {faces.min()} to {faces.max()}: expected 0 to {len(nodes) - 1}, "
            "those of its vertices."
        )
    return solids.meshed(nodes, faces)


class Line(SolidShape):
    """A line from point to point, drawn as a thin tube.

    Parameters
    ----------
    *points : 3 numbers each (m)
        Two points or more, in the axes of the body.
    width : float (m), optional
        How thick it is drawn; a hundredth of its length if left out.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        Fewer than two points, or a point twice in a row.

    Example
    -------
    >>> Line((0, 0, 0), (1, 0, 0), (1, 1, 0), width=0.02).points.shape
    (3, 3)
    """

    def __init__(self, *points: Any, width: Any = None, **options: Any):
        super().__init__(**options)
        self.points = np.array([_numbers(p, "a point of a Line") for p in points]).reshape(-1, 3)
        self.lengths = np.linalg.norm(np.diff(self.points, axis=0), axis=1)
        if not len(self.lengths) or not self.lengths.all():
            raise InputError(
                f"a Line goes through {len(points)} points: expected two or more, such as (0, 0, 0), (1, 0, 0), none "
                "of them twice in a row."
            )
        self.width = positive(self.lengths.sum() / 100 if width is None else width, "the width of a Line")

    def local(self) -> Solid:
        pieces = []
        for p, q, length in zip(self.points, self.points[1:], self.lengths, strict=False):
            T = np.array(_along(q - p, None, "a Line")[1].matrix)
            T[:3, 3] += p
            pieces.append(solids.frustum(self.width / 2, self.width / 2, length, 8).placed(T))
        return solids.joined(pieces)


class Triangle(SolidShape):
    """A triangle between three points, seen from both sides.

    Parameters
    ----------
    a, b, c : 3 numbers each (m)
        Its corners in the axes of the body.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        Corners on one line.

    Example
    -------
    >>> len(Triangle((0, 0, 0), (1, 0, 0), (0, 1, 0)).solid.surfaces)
    2
    """

    def __init__(self, a: Any, b: Any, c: Any, **options: Any):
        super().__init__(**options)
        self.corners = np.array([_numbers(p, "a corner of a Triangle") for p in (a, b, c)])
        one, other = self.corners[1:] - self.corners[0]
        if np.linalg.norm(np.cross(one, other)) <= 1e-12 * np.linalg.norm(one) * np.linalg.norm(other):
            raise InputError(
                f"the corners of a Triangle, {', '.join(map(shown, (a, b, c)))}, are on one line: expected three "
                "points that are not."
            )

    def local(self) -> Solid:
        return Solid(self.corners, np.array([(0, 1), (1, 2), (0, 2)]), ((0, 1, 2), (0, 2, 1)))


class Frame(Shape):
    """Three axes of a `length` (m): x vermilion, y green, z blue.

    Parameters
    ----------
    length : float (m)
        Of each axis.
    labels : bool or 3 texts
        Names at the ends of the axes: True for x, y, z.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        A length that is not above zero; labels that are not three texts.

    Example
    -------
    >>> len(list(Frame(0.2).solids())), Frame(0.2, labels=True).labels
    (3, ('x', 'y', 'z'))
    """

    def __init__(self, length: Any, *, labels: Any = False, **options: Any):
        super().__init__(**options)
        self.length = positive(length, "the length of a Frame")
        names = ("x", "y", "z") if labels is True else () if labels is False else labels
        self.labels = tuple(names) if is_listed(names) else (names,)
        if len(self.labels) not in (0, 3) or not all(is_text(x) for x in self.labels):
            raise InputError(f"the labels of a Frame are {shown(labels)}: expected True, or three texts.")

    @property
    def texts(self) -> Iterator[tuple[str, np.ndarray]]:
        """Labels, and the points where they stand (m, body axes)."""
        for label, axis in zip(self.labels, np.eye(3), strict=False):
            yield label, self.place[:3, :3] @ axis * 1.12 * self.length + self.place[:3, 3]

    def solids(self) -> Iterator[tuple[Solid, str | None]]:
        own_arrow = arrow(0.025, 0.07, 0.2)
        for axis, own in enumerate(colours.AXES):
            T = np.eye(4)
            T[:3, :3] = np.roll(np.eye(3), axis + 1, axis=0) * self.length
            yield own_arrow.placed(self.place @ T), self.colour or own


class Text(Shape):
    """A `text` at a point of the body, always upright on the picture; `options` as in `Shape`.

    Raises InputError for an empty text.

    >>> Text("G").text
    'G'
    """

    def __init__(self, text: Any, **options: Any):
        expect(is_text(text), "the text of a Text", text, "a text")
        super().__init__(**({"name": text} | options))
        self.text = text


class Path(Shape):
    """The path that a point of the body has left behind it.

    Parameters
    ----------
    point : 3 numbers (m)
        In the axes of the body; its origin if left out.
    **options
        As in `Shape`.

    Example
    -------
    >>> from easydyn import examples, visu
    >>> scene = examples.double_pendulum().scene()
    >>> scene.add("lower arm", visu.Path((0, -0.55, 0), colour="blue"))
    """

    def __init__(self, point: Any = (0, 0, 0), **options: Any):
        super().__init__(**options)
        self.point = _numbers(point, "the point of a Path")


class Arrow(Shape):
    """An arrow that stands for a vector: a force, a velocity.

    Parameters
    ----------
    vector : 3 scalars
        SymPy expressions of the model's symbols, in their own unit: `(0, -9.81*m, 0)`, `body.v`.
    scale : float (m)
        Length of the arrow for a vector of length 1.
    point : 3 numbers (m)
        The point where it begins, in the axes of the body; its origin if left out.
    frame : Body
        The body in whose axes the components are given; the ground if left out.
    **options
        As in `Shape`.

    Raises
    ------
    InputError
        `vector` is not a vector, or `frame` is not a body.

    Example
    -------
    >>> from easydyn import examples, visu
    >>> pendulum = examples.double_pendulum()
    >>> scene = pendulum.scene()
    >>> scene.add("lower arm", visu.Arrow(pendulum["lower arm"].v, scale=0.1, name="velocity"))
    """

    def __init__(self, vector: Any, *, scale: Any, point: Any = (0, 0, 0), frame: Any = ground, **options: Any):
        super().__init__(**options)
        self.vector: Vector = a_vector(vector, "the vector of an Arrow")
        self.scale = positive(scale, "the scale of an Arrow")
        self.point = _numbers(point, "the point of an Arrow")
        self.frame = a((Body, Ground), frame, "the frame of an Arrow", "a body, or ground")


class SpringShape(Shape):
    """A coil spring between two points, which follows them.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends, as in `Spring`.
    radius : float (m)
        Radius of the coil.
    turns : int
        Number of turns.
    **options
        As in `Shape`.

    Example
    -------
    >>> from easydyn import examples, ground, visu
    >>> pendulum = examples.double_pendulum()
    >>> scene = pendulum.scene()
    >>> scene.add("ground", visu.SpringShape(ground, pendulum["lower arm"], radius=0.05))
    """

    def __init__(self, end_1: Any, end_2: Any, *, radius: Any, turns: int = 8, **options: Any):
        super().__init__(**options)
        self.ends = tuple(an_end(end, "an end of a SpringShape") for end in (end_1, end_2))
        self.radius = positive(radius, "the radius of a SpringShape")
        self.turns = _count(turns, "turns of a SpringShape", 1)


def arrow(shaft: float, head: float | None = None, length: float = 0.22) -> Solid:
    """An arrow along z from 0 to 1 with these radii and a head of this length, to be stretched along z."""
    back = 1 - length
    parts = (shaft, shaft, back, back / 2), (head or 2.6 * shaft, 0.0, length, 1 - length / 2)
    return solids.joined([solids.frustum(a, b, h, 12).placed(tdisp(0, 0, z).matrix) for a, b, h, z in parts])


def _numbers(value: Any, what: str) -> np.ndarray:
    return np.array([finite(c, f"a component of {what}") for c in a_vector(value, what)])


MOST = 10_000  # teeth, turns, spokes: more than anybody can see, and more than a page can draw


def _two(large: Any, small: Any, first: str, second: str, what: str) -> tuple[float, float]:
    a, b = positive(large, f"{first} {what}"), positive(small, f"{second} {what}")
    expect(not b >= a, f"{second} {what}", b, f"less than the other, {a:g}")
    return a, b


def _count(value: Any, what: str, least: int) -> int:
    return whole(value, f"the number of {what}", MOST, least=least)


def number(value: Scalar, values: dict[Any, float]) -> float:
    """The numerical value of a scalar that contains only parameters."""
    return float(value) if is_number(value) else float(value.subs(values))
