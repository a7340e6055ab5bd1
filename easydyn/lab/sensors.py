"""Sensors on a body: what a gyroscope and an accelerometer measure, in the axes of the body.

    gyroscope       omega' = R^T omega                     (rad/s)
    accelerometer   f      = R^T (a_P - g)                 (m/s^2), the specific force: 9.81 upwards where nothing moves

with a_P = a + alpha x r + omega x (omega x r), r = R at. A phone's axes are those of its screen: x to the right, y
upwards, z towards you. Place the frame of a body like that, or add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import a, finite, flag, text
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Vector, cross, dot, singles, vector
from easydyn.vec.scalars import is_number

__all__ = ["Sensed", "accelerometer", "gyro"]


class Sensed(dict[Any, str]):
    """What sensors measure, for `to=` of `model.fit`: columns of the data by expressions of the model.

    Components that are the same whatever happens are left out, such as those across the plane of a plane motion.

    Parameters
    ----------
    columns : dict
        Names of columns by expressions, which it holds as a dict.
    unknowns : tuple of str
        The biases, parameters of the model that a fit has to find.

    Example
    -------
    >>> from easydyn import examples, lab
    >>> [*lab.gyro(examples.double_pendulum()["lower arm"], "z").values()]
    ['Gyroscope z']
    """

    def __init__(self, columns: Mapping[Any, str], unknowns: tuple[str, ...] = ()):
        super().__init__(columns)
        self.unknowns = unknowns


@answers
def gyro(body: Body, axis: str, bias: bool = False, *, column: str = "Gyroscope") -> Sensed:
    """What a gyroscope on a body measures: its angular velocity in the body's axes, omega' = R^T omega (rad/s).

    Parameters
    ----------
    body : Body
        The body that carries it.
    axis : str
        "x", "y" or "z" of the body's axes, or several, "xyz".
    bias : bool
        True: it measures a constant more, a parameter of the model, gyro_bias_z (rad/s), which a fit finds.
    column : str
        With what the names of the columns begin: "Gyroscope" for "Gyroscope z", as phyphox has it.

    Returns
    -------
    Sensed
        For `to=` of `model.fit`: columns by expressions, and the `unknowns`.

    Raises
    ------
    InputError, ModelError
        No body, other axes; a bias that the model has already.

    Example
    -------
    >>> from easydyn import Model, lab, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q")
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> seen = lab.gyro(bob, "z", bias=True)
    >>> dict(seen), seen.unknowns
    ({gyro_bias_z + q.dot: 'Gyroscope z'}, ('gyro_bias_z',))
    """
    return _sensed(a(Body, body, "body", "a body"), vector(body.omega), axis, bias, "gyro", column)


@answers
def accelerometer(
    body: Body, at: Any = (0, 0, 0), axes: str = "xyz", bias: bool = False, *, column: str = "Acceleration"
) -> Sensed:
    """What an accelerometer on a body measures: the specific force R^T (a - g) in the body's axes (m/s2).

    Parameters
    ----------
    body : Body
        The body that carries it.
    at : 3 scalars (m)
        Where it is, in the body's axes.
    axes : str
        The axes of the body along which it measures.
    bias : bool
        True: it measures a constant more along each axis, parameters of the model, accelerometer_bias_x (m/s2), ...
    column : str
        With what the names of the columns begin: "Acceleration" for "Acceleration x", as phyphox has it.

    Returns
    -------
    Sensed
        For `to=` of `model.fit`: columns by expressions, and the `unknowns`.

    Raises
    ------
    InputError, ModelError
        No body, other axes; a gravity that is not uniform; a bias that the model has already.

    Example
    -------
    >>> from easydyn import Model, lab, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q")
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> seen = lab.accelerometer(bob)
    >>> [column for column in seen.values()]
    ['Acceleration x', 'Acceleration y']
    >>> run = model.simulate(1, initial={"q": 1}, method="dop853")
    >>> bool(abs(run.of(list(seen)[0])).max() < 1e-9)       # along the path a pendulum feels nothing
    True
    """
    own = a(Body, body, "body", "a body")
    place = singles(at, "the place of an accelerometer")
    for x in filter(is_number, place):
        finite(x, "the place of an accelerometer")
    r = own.T.R * place
    omega = vector(own.omega)
    a_P = vector(own.a) + cross(vector(own.alpha), r) + cross(omega, cross(omega, r))
    g = getattr(_model_of(own), "gravity", None)
    return _sensed(own, a_P - vector(g, "gravity"), axes, bias, "accelerometer", column)


def _model_of(body: Body) -> Any:
    found = vars(body).get("model", lambda: None)()
    if found is None:
        raise InputError(f"body '{body.name}' belongs to no model: take it as model['{body.name}'].")
    return found


def _sensed(body: Body, quantity: Vector, axes: Any, bias: Any, kind: str, column: Any) -> Sensed:
    """The components of a vector along axes of a body, each with its bias."""
    if not isinstance(axes, str) or not axes or not set(axes) <= set("xyz") or len(set(axes)) < len(axes):
        raise InputError(f'the axes of a sensor are {axes!r}: expected axes of the body, such as "z" or "xyz".')
    text(column, "column", '"Gyroscope"')
    values = {axis: dot(body.T.R["xyz".index(axis)], quantity) for axis in axes}
    names = [f"{kind}_bias_{axis}" for axis in axes] if flag(bias, "bias") else []
    told = {axis: x for axis, x in values.items() if names or getattr(x, "free_symbols", None)}
    if not told:
        raise InputError(
            f"along {' and '.join(axes)} of body '{body.name}' this sensor measures the same whatever happens: "
            "expected an axis along which something changes."
        )
    biases = _model_of(body).parameters(**dict.fromkeys(names, 0.0)) if names else (0,) * len(told)
    return Sensed({x + b: f"{column} {axis}" for (axis, x), b in zip(told.items(), biases, strict=True)}, tuple(names))
