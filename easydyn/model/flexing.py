"""Flexible bodies from the matrices of a finite element program.

    frame = model.flexible_body("frame", T, nodes=points, M=M, K=K, modes=6)
"""

from __future__ import annotations

import re
from typing import Any

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
from easydyn.flexible.inertia import points_of, rigid_of
from easydyn.flexible.matrices import matrices_of
from easydyn.inputs import text
from easydyn.vec import as_transform


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
