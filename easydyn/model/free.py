"""Free rotations: free bodies and spherical joints, in coordinates that are never singular.

    stone = model.free_body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(0, 3, 0.01))
    leg = model.body("leg", trunk.T * tdisp(0, -0.2, 0) * model.spherical("hip") * tdisp(0, -0.4, 0), ...)
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from easydyn.engine.graph import Graph
from easydyn.errors import InputError
from easydyn.inputs import among, expect, finite_array, is_listed, shown, text
from easydyn.mechanics.attitude import Attitude, angles_of, best, rates_of
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Reference
from easydyn.vec import Rotation, Transform, tdisp, tquat, vector
from easydyn.vec.rigid import check_rotation
from easydyn.vec.scalars import is_number

NORM = 1e-6  # of a quaternion beside one: farther off, it is a mistake and no rounding


def free_body(
    model: Any, name: str, *, mass: Any = None, inertia: Any = None, com: Any = None, position: Any = (0, 0, 0),
    attitude: Any = None, velocity: Any = (0, 0, 0), angular_velocity: Any = (0, 0, 0), axes: str = "ground",
    shape: Any = None, density: Any = None,
) -> Body:  # fmt: skip
    """Add a body that moves and rotates freely: six coordinates, and no singular attitude.

    For a body called "stone" they are stone_x, stone_y, stone_z, the position of its frame's origin (m), and three
    angles stone_a, stone_b, stone_c (rad). The reference of the angles is renewed during runs, and the angles then
    jump. Read the attitude by `run.quaternion("stone")`, `run.angles("stone", "zxz")` or `run.frames("stone")`.

    Parameters
    ----------
    name : str
        Its name: `model["stone"]`.
    mass : scalar (kg)
        A number or an expression of parameters.
    inertia : 3 or 6 scalars or 3x3 (kg m2)
        As of `model.body`.
    com : 3 scalars (m), optional
        Centre of mass in body axes; the frame's origin if left out.
    position : 3 scalars (m), optional
        Position of the frame's origin at the start, ground components.
    attitude : 3x3, 4 floats or Transform, optional
        Attitude at the start: a rotation matrix, a quaternion (scalar first) or a rotation; the axes of the ground
        if left out.
    velocity : 3 scalars (m/s), optional
        Velocity of the frame's origin at the start.
    angular_velocity : 3 floats (rad/s), optional
        At the start.
    axes : {"ground", "body"}
        The axes in which the components of velocity and angular velocity are given.
    shape : Shape or list of them, optional
        The shape from `easydyn.visu` that represents it in pictures.
    density : scalar (kg/m3), instead of mass, inertia and com
        As of `model.body`: they follow from the solids of its shape.

    Returns
    -------
    Body
        As of `model.body`.

    Raises
    ------
    InputError, ModelError, TransformError
        An invalid attitude or vector, symbols instead of numbers; a name that is taken.

    Notes
    -----
    R = Rz(g) Rx(a) Ry(b) Rz(c), with g held and renewed before cos b comes near zero: docs/attitude.md.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("stone")
    >>> stone = model.free_body("stone", mass=1, inertia=(1, 2, 3), angular_velocity=(0, 3, 0.01))
    >>> run = model.simulate(1, method="dop853")
    >>> bool(abs(run.energy.total[-1] - 9.00015) < 1e-5)
    True
    """
    where = f"free body '{_name(name)}'"
    place = vector(position, f"the position of {where}")
    R, spin = _rotation(attitude, where), _numbers(angular_velocity, f"the angular velocity of {where}")
    speed = vector(velocity, f"the velocity of {where}")
    if _in_axes(axes, "ground", where):
        speed = Rotation.of(R.tolist(), where) * speed
    else:
        spin = R.T @ spin
    prefix = re.sub(r"\W", "_", name)
    with model.together():
        xyz = model.coordinates([f"{prefix}_{x}" for x in "xyz"], initial=tuple(place), rates=tuple(speed), unit="m")
        T = tdisp(*xyz) * _turn(model, name, R, spin)
        body: Body = model.body(name, T, mass=mass, inertia=inertia, com=com, shape=shape, density=density)
    return body


def spherical(
    model: Any, name: str, *, attitude: Any = None, angular_velocity: Any = (0, 0, 0), axes: str = "parent"
) -> Transform:
    """Make a spherical joint for transforms: a rotation of three coordinates, without a singular attitude.

    For a joint called "hip" the coordinates are hip_a, hip_b, hip_c (rad). The reference of the angles is renewed
    during runs, and the angles then jump. Read the attitude by `run.quaternion("hip")` or
    `run.angles("hip", "zxz")`.

    Parameters
    ----------
    name : str
        Its name.
    attitude : 3x3, 4 floats or Transform, optional
        Attitude at the start of the frame after the joint as seen from the frame before it: a rotation matrix, a
        quaternion (scalar first) or a rotation; no rotation if left out.
    angular_velocity : 3 floats (rad/s), optional
        Angular velocity at the start of the frame after the joint relative to the frame before it.
    axes : {"parent", "body"}
        The axes in which the angular velocity is given: those before the joint, or those after it.

    Returns
    -------
    Transform
        A factor for the transforms of bodies.

    Raises
    ------
    InputError, ModelError, TransformError
        An invalid attitude or vector, symbols instead of numbers; a name that is taken.

    Notes
    -----
    R = Rz(g) Rx(a) Ry(b) Rz(c), with g held and renewed before cos b comes near zero: docs/attitude.md.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("pendulum", gravity=(0, 0, -9.81))
    >>> T = model.spherical("hinge", angular_velocity=(1, 2, 0))
    >>> bob = model.body("bob", T * tdisp(0, 0, -1), mass=1, inertia=(0.1, 0.1, 0.1))
    >>> [str(q) for q in bob.coordinates]
    ['hinge_a', 'hinge_b', 'hinge_c']
    """
    where = f"spherical joint '{_name(name)}'"
    R, spin = _rotation(attitude, where), _numbers(angular_velocity, f"the angular velocity of {where}")
    if not _in_axes(axes, "parent", where):
        spin = R.T @ spin
    with model.together():
        turn: Transform = _turn(model, name, R, spin)
    return turn


def _turn(model: Any, name: str, R: np.ndarray, spin: np.ndarray) -> Transform:
    """The rotation of that name with its coordinates, from its value at the start and the velocity in its axes."""
    prefix, graph = re.sub(r"\W", "_", name), Graph()
    axes = [[graph.constant(x) for x in axis] for axis in R.T]
    g = best(graph, axes, *map(graph.constant, spin[:2])).value
    start = angles_of(g, R)
    names = [f"{prefix}_{x}" for x in "abc"]
    abc = model.coordinates(names, initial=tuple(start), rates=tuple(rates_of(start, spin)), unit="rad")
    found = Attitude(name, Reference(f"{prefix}.reference"), g, tuple(abc))
    model._attitudes.append(found)
    model._symbols[str(found.reference)] = found.reference
    return found.T


def _name(given: Any) -> str:
    return text(given, "the name of what turns freely", '"stone"')


def _in_axes(axes: Any, first: str, where: str) -> bool:
    """True where it is the axes of the body that are meant, False for the other ones; InputError for none of them."""
    expect(among(axes, (first, "body")), f"axes= of {where}", axes, f'"{first}" or "body"')
    return bool(axes == "body")


def _numbers(given: Any, what: str) -> np.ndarray:
    """Three numbers; InputError, naming `what`, for anything else."""
    found = vector(given, what)
    expect(all(is_number(x) and np.ndim(x) == 0 for x in found), what, given, "three numbers (rad/s), without symbols")
    return finite_array([float(x) for x in found], what)


def _rotation(given: Any, where: str) -> np.ndarray:
    """The rotation matrix (3, 3) of an attitude; InputError or TransformError, naming the thing, for anything else."""
    what = f"the attitude of {where}"
    if given is None:
        return np.eye(3)
    if isinstance(given, Transform):
        if not all(is_number(x) for x in given.scalars()):
            raise InputError(f"{what} is {given}: expected numbers in it, for it is a value at the start.")
        if any(float(x) for x in given.e):
            raise InputError(
                f"{what} is {given}, which displaces: expected a rotation alone. A displacement is a position, or "
                "another factor of the transform."
            )
        return np.array(given.R.matrix, dtype=float)
    array = finite_array(given, what) if is_listed(given) or hasattr(given, "__array__") else np.zeros(())
    if array.shape == (4,):
        size = float(np.sqrt(array @ array))
        if abs(size - 1) > NORM:
            raise InputError(f"{what} is the quaternion {shown(given)} of length {size:.6g}: expected 1, scalar first.")
        return np.array(tquat(*(array / size)).R.matrix, dtype=float)
    expect(
        array.shape == (3, 3), what, given,
        "a rotation matrix (3x3), a quaternion (4 numbers, scalar first) or a rotation such as trotz(0.3)",
    )  # fmt: skip
    check_rotation(Rotation.of(array.tolist(), what), what)
    return array
