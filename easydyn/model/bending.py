"""Bodies that bend: beams, with nodes and elements, and bodies from the matrices of a finite element program.

    blade = model.beam("blade", root=hub.T, length=2, section=section, material=material, elements=8)
    frame = model.flexible_body("frame", T, nodes=points, M=M, K=K, modes=6)
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from easydyn.errors import InputError
from easydyn.flexible.beam import Piece, share
from easydyn.flexible.body import (
    Drawn,
    Elasticity,
    FlexibleBody,
    cells_of,
    damping_of,
    data_of,
    factor_of,
    frame_of,
    stiffening_of,
)
from easydyn.flexible.chain import FlexibleBeam, Place, along, freedom, held, relative_frame
from easydyn.flexible.inertia import points_of, rigid_of
from easydyn.flexible.matrices import matrices_of
from easydyn.flexible.section import a_material, a_section
from easydyn.forces.effort import above_zero
from easydyn.inputs import flag, text, whole
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Block, Transform, Vector, as_transform, tdisp, trotz


def beam(
    model: Any, name: str, *, root: Any = None, length: Any = None, section: Any = None, material: Any = None,
    elements: int = 8, ends: Any = ("clamped", "free"), spatial: bool = False, curve: Any = None,
) -> FlexibleBeam:  # fmt: skip
    """Add a beam that bends: nodes, their coordinates, and elements between them.

    The beam bends in the plane x, y of its root, or in space with `spatial=True`. Take a beam called "blade". In
    the plane the coordinates of node 3 are blade_x3, blade_y3 (m), its position as seen from the root, and blade_q3
    (rad), its angle of rotation. In space they are blade_x3, blade_y3, blade_z3, and the three coordinates of a
    spherical joint "blade_3", which describes the rotation from the unstressed orientation of the node. The frame
    of the node is `blade.nodes[3].T`, its body is "blade 3".

    Parameters
    ----------
    name : str
        Its name.
    root : Transform, optional
        The frame at the root, which may move: the beam runs along its x axis, and y and z lie across. The ground if
        left out.
    length : scalar (m)
        Length of the whole unstressed beam; with `curve`, the length of the curve.
    section : Section
        Area, second moments, and in space the torsion constant.
    material : Material
        Young's modulus, density, damping; in space, and where there is shear, nu or G.
    elements : int
        Number of elements, all of the same length.
    ends : two of {"clamped", "pinned", "free", "roller", "guided", "spherical"}
        How the beam is held at its root, and at its other end. "clamped" holds everything, "pinned" lets it turn
        about z, "free" holds nothing, "roller" lets it move along x and turn, "guided" lets it move along x only,
        and "spherical" (in space) lets it turn in every direction.
    spatial : bool
        True for a beam that bends in space and twists.
    curve : function or sequence of points, optional
        The unstressed centre line of a curved beam as seen from the root: a function of a number from 0 to 1 that
        returns (x, y) or (x, y, z) (m), or points through which a smooth line is laid. The nodes are at equal
        distances on the line.

    Returns
    -------
    FlexibleBeam
        With its `nodes`, its `tip`, and frames `at` any fraction of its length.

    Raises
    ------
    InputError, ModelError, TransformError
        An invalid length, section, material or end; a name that is taken.

    Notes
    -----
    `easydyn.flexible.Beam` and docs/flexible.md describe the element, and say how many elements are needed.

    Example
    -------
    >>> from easydyn import Force, Model
    >>> from easydyn.flexible import Material, Section
    >>> model = Model("ruler")
    >>> steel, flat = Material(E=210e9, density=7850), Section.rectangle(0.03, 0.001)
    >>> ruler = model.beam("ruler", length=0.3, section=flat, material=steel, elements=2)
    >>> model.add(Force(ruler.tip, (0, -0.01, 0)))
    >>> round(model.equilibrium()["ruler_y2"] * 1e4, 3)  # -F L^3/(3 E I)
    -1.714
    """
    text(name, "the name of a beam", '"blade"')
    what = f"beam '{name}'"
    start = Transform() if root is None else as_transform(root, f"the root of {what}")
    cut, made_of = a_section(section, f"the section of {what}"), a_material(material, f"the material of {what}")
    count = whole(elements, f"the number of elements of {what}")
    flag(spatial, f"spatial of {what}")
    if curve is None:
        L = above_zero(length, f"the length of {what}", " (m).")
        places = [Place((L * k / count, 0, 0), Transform().R, 0.0) for k in range(count + 1)]
    elif length is not None:
        raise InputError(f"{what} has length= and curve=: expected one of them, a curve has its own length.")
    else:
        L, places = along(curve, count, f"the curve of {what}", spatial)
    first, last = held(name, ends, count, spatial)
    prefix = re.sub(r"\W", "_", name)
    with model.together():
        nodes: list[Body] = []
        for k, place in enumerate(places):
            free = freedom(first if k == 0 else last if k == count else "free", spatial)
            T = start * _node(model, prefix, k, place, free, spatial)
            mass, turning = share(cut, made_of, L / count, 1 if k in (0, count) else 2)
            nodes.append(model.body(f"{name} {k}", T, mass=mass, inertia=turning))
        between = []
        for (one, other), (here, there) in zip(pairwise(nodes), pairwise(places), strict=True):
            rest = None if curve is None else relative_frame(here, there)
            between.append(Piece(one, other, cut, made_of, length=L / count, free=rest))
        model.add(*between)
    return FlexibleBeam(name, nodes, between)


def _node(model: Any, prefix: str, k: int, place: Place, free: tuple[str, str], spatial: bool) -> Transform:
    """The frame of a node as seen from the root, and its coordinates."""
    moves, turns = free
    names, start = [f"{prefix}_{c}{k}" for c in moves], [place.at["xyz".index(c)] for c in moves]
    if turns == "q":
        names, start = [*names, f"{prefix}_q{k}"], [*start, 0.0 if spatial else place.angle]
    symbols = list(model.coordinates(names, initial=tuple(start))) if names else []
    at = dict(zip("xyz", place.at, strict=True)) | dict(zip(moves, symbols, strict=False))
    moved = tdisp(*at.values()) if any(x != 0 for x in at.values()) else Transform()
    if not spatial:
        angle = symbols[-1] if turns else place.angle
        return moved * trotz(angle) if turns or angle else moved
    if place.R != Transform().R:
        moved = moved * Transform((Block(place.R, Vector(0, 0, 0)),))
    if turns == "s":
        return moved * model.spherical(f"{prefix}_{k}")
    return moved * trotz(symbols[-1]) if turns else moved


def flexible_body(
    model: Any, name: str, T: Any, *, nodes: Any = None, M: Any = None, K: Any = None, modes: Any = 6,
    boundary: Any = (), clamped: Any = (), damping: Any = 0, rayleigh: Any = None, stiffening: Any = (),
    stiffness: Any = 1, unit: str = "m", mesh: Any = None,
) -> FlexibleBody:  # fmt: skip
    """Add a flexible body, with small deformations in its frame, from matrices of a finite element program.

    For a body called "frame" the coordinates are frame_1, frame_2, ... (m), one for each mode shape, the softest
    first. The frame T moves as you write it: freely, in a joint, with another body.

    Parameters
    ----------
    name : str
        Its name.
    T : Transform
        The frame in which the positions of its nodes are given (a floating frame of reference).
    nodes : array (n, 3), or path
        Positions of the nodes (m).
    M, K : array, sparse matrix of SciPy, or path to .mtx, .npz, .npy
        Mass and stiffness matrices (kg, N/m; kg m2, N m for rotations) of the free, unsupported body. Each node has
        3 degrees of freedom (x, y, z), or 6 (followed by the rotations about x, y, z), one node after the other.
        The mass matrix is consistent or lumped.
    modes : int or "nodes"
        Number of modes: those of the free body, or those with the clamped and the boundary nodes held. 0 is a rigid
        body. With "nodes" the degrees of freedom of the nodes themselves are the coordinates, frame_x3, ..; it
        needs `clamped`.
    boundary : list of int, optional
        Nodes on which something acts, counted from 0. Their static shapes are added to the modes, so that a load
        there bends the body as in the complete finite element model (Craig and Bampton).
    clamped : list of int, optional
        Nodes that do not move in the frame T: at these nodes the body is fixed to that frame.
    damping : float, or one for each mode (no unit), optional
        Fraction of critical damping. None if left out.
    rayleigh : (alpha, beta), optional
        Damping alpha M + beta K, in 1/s and s.
    stiffening : list of (load, matrix), optional
        Geometric stiffness. Each pair has a load, a formula in its own unit, and the matrix that one unit of it
        adds to K, such as (q.dot**2, G) for a blade that rotates by q.
    stiffness : scalar (no unit), optional
        A factor on K, such as a parameter, for sensitivities.
    unit : {"m", "mm"}
        "mm" for matrices in mm, N, tonnes (MPa).
    mesh : list of tuples of int, optional
        The picture of the body: edges of two nodes, faces of three or more, counted from 0. If left out, lines
        between nodes that K couples.

    Returns
    -------
    FlexibleBody
        With its `nodes`, which are frames to hang things on, its `coordinates` and `frequencies`.

    Raises
    ------
    InputError, ModelError, FileError, TransformError
        Matrices that are not symmetric, are negative, belong to a supported body, or have a wrong size; a name that
        is taken.

    Notes
    -----
    All inertia terms are included, to the order of the shapes: see `easydyn.flexible.inertia`, docs/flexible.md. If
    a body bends by more than a tenth of its length, the displacements are not small: use a chain of beams instead.

    Example
    -------
    >>> import numpy as np
    >>> from easydyn import Model, trotz
    >>> corners, bars = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.zeros((4, 3, 4, 3))
    >>> for i in range(4):
    ...     for j in set(range(4)) - {i}:
    ...         line = corners[j] - corners[i]
    ...         k = 1000 * np.outer(line, line) / (line @ line)
    ...         bars[i, :, i] += k
    ...         bars[i, :, j] -= k
    >>> model = Model("four masses, six bars")
    >>> q, = model.coordinates("q", rates=1)
    >>> frame = model.flexible_body("frame", trotz(q), nodes=corners, M=np.eye(12), K=bars.reshape(12, 12), modes=6)
    >>> frame.coordinates
    (frame_1, frame_2, frame_3, frame_4, frame_5, frame_6)
    >>> frame.frequencies.round(2)
    array([31.62, 31.62, 31.62, 50.  , 50.  , 63.25])
    """
    from easydyn.flexible.reduction import shapes_of  # by SciPy

    text(name, "the name of a flexible body", '"frame"')
    what = f"flexible body '{name}'"
    frame = as_transform(T, f"the transform of {what}")
    given = matrices_of(nodes, M, K, unit, what)
    shapes = shapes_of(given, modes, boundary, clamped, what)
    factor = factor_of(stiffness, what)
    D = damping_of(damping, rayleigh, shapes, what)
    loads = stiffening_of(stiffening, given, shapes.V, what)
    rigid, count = rigid_of(given), len(shapes.names)
    cells = cells_of(mesh, given, what)
    fields = shapes.V.reshape(len(given.nodes), given.freedoms, count)
    prefix = re.sub(r"\W", "_", name)
    with model.together():
        symbols = model.coordinates([f"{prefix}_{end}" for end in shapes.names], unit="m") if count else ()
        if count:
            body = model.body(name, frame, mass=0, inertia=(0, 0, 0))
            points = points_of(given, shapes.V, what)
            for k, (place, field) in enumerate(zip(points.places, points.shapes, strict=True)):
                at = frame * frame_of(place, field, symbols)
                model.body(f"{name} mass {k + 1}", at, mass=points.mass, inertia=(0, 0, 0))
            model.add(Elasticity(name, symbols, shapes.K, D, factor, loads, data_of(given, rigid, shapes),
                                Drawn(given.nodes, fields, cells)))  # fmt: skip
        else:
            body = model.body(name, frame, mass=rigid.mass, inertia=rigid.inertia, com=tuple(rigid.com))
    return FlexibleBody(model, name, frame, body, *rigid, symbols, shapes.frequencies, given.nodes, fields)
