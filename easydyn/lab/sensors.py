"""What a camera before a plane motion and sensors on a body see of a model.

In which pixel a camera sees a point:

    u = u0 + s (cos(a) x - sin(a) y),    v = v0 - s (sin(a) x + cos(a) y)        v counted downwards

The scale s (px/m), the origin (u0, v0) in px and the angle a (rad) by which the x axis is turned to the left are
parameters of the model, which a fit finds. A camera that does not look at the plane at right angles sees it by a
homography, (u, v, 1) ~ H (x, y, 1). Four corners determine it, by the direct linear transform after normalisation
(Hartley and Zisserman, Multiple View Geometry, section 4.4). The distortion of a lens is left out.

What a gyroscope and an accelerometer measure, in the axes of the body:

    gyroscope       omega' = R^T omega                     (rad/s)
    accelerometer   f      = R^T (a_P - g)                 (m/s^2), the specific force: 9.81 upwards where nothing moves

with a_P = a + alpha x r + omega x (omega x r), r = R at. A phone's axes are those of its screen: x to the right, y
upwards, z towards you. Place the frame of a body like that, or add one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import a, a_model, by_name, finite, flag, name_in, names_of, pair, positive, real_array, text
from easydyn.lab.recording import Recording
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Vector, cross, dot, singles, vector
from easydyn.vec.scalars import is_number, vanishes

__all__ = ["Camera", "Sensed", "accelerometer", "gyro"]


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


PARTS = {"scale": ("scale",), "origin": ("x", "y"), "angle": ("angle",)}  # what is known of a camera: its parameters
FLAT = 1e-9  # m, or of the size of the points: what is nearer to the plane lies in it


@answers
class Camera:
    """A camera that looks at the plane z = 0 of a model: it maps points (m) to pixels, and a fit finds what it is.

    It adds parameters to the model: camera_scale (px/m), camera_x, camera_y (px, where x = y = 0 is seen) and
    camera_angle (rad, by which the x axis is turned to the left). With `corners` it needs none.

    Parameters
    ----------
    model : Model
        The model that is seen.
    recording : Recording, optional
        What was read of a film: its scale, origin and angle are the guesses, and its tracks are known.
    scale : float, optional
        Guess of the scale (px/m); of the recording if left out.
    origin : (2,), optional
        Guess of the pixel in which x = y = 0 is seen (px); of the recording if left out.
    angle : float, optional
        Guess of the angle (rad); of the recording, or 0 (a level camera), if left out.
    y_up : bool, optional
        True: pixels are counted from below. As in the recording, or False, if left out.
    corners : dict, optional
        Four points or more of the plane (m) and their pixels: {(0, 0): (112, 640), (0.5, 0): (730, 655), ...}. The
        camera may then look at the plane from any side.
    fixed : str or sequence of str
        What is known: "scale", "origin", "angle".
    name : str
        With what the names of the parameters begin: for a second camera.

    Attributes
    ----------
    size : tuple of two float, or None
        Width and height (px) of the picture, where the recording tells them.
    start : float
        The time of the film (s) at which that of the recording is 0.
    unknowns : tuple of str
        The parameters that a fit has to find: `model.fit(film, ["length", *camera.unknowns], ...)`.

    Raises
    ------
    InputError, UnknownNameError, ModelError
        No scale or origin; corners on a line, or fewer than four; names that the model has already.

    Example
    -------
    >>> from easydyn import Model, lab, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q", initial=0.5)
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> camera = lab.Camera(model, scale=400, origin=(640, 180))
    >>> camera.unknowns
    ('camera_scale', 'camera_x', 'camera_y', 'camera_angle')
    >>> camera.pixels([(0, -1, 0)])
    array([[640., 580.]])
    >>> list(camera.sees(bob.T.e, "mass A").values())
    ['mass A x', 'mass A y']
    """

    def __init__(
        self, model: Any, recording: Any = None, *, scale: Any = None, origin: Any = None, angle: Any = None,
        y_up: Any = None, corners: Any = None, fixed: Any = (), name: str = "camera",
    ):  # fmt: skip
        self.model = a_model(model, "model")
        self.recording = None if recording is None else a(Recording, recording, "recording", "what lab.read gives")
        said = None if recording is None else recording.y_up
        self.y_up = bool(said) if y_up is None else flag(y_up, "y_up")
        known: Any = None if recording is None else recording.camera
        self.size: tuple[float, float] | None = getattr(known, "size", None)
        self.start: float = getattr(known, "start", 0.0)
        self.unknowns: tuple[str, ...] = ()
        if corners is not None:
            if any(x is not None for x in (scale, origin, angle)):
                raise InputError("a camera got corners, and scale, origin or angle: the corners say all of them.")
            self._H = homography(corners)
            return
        if known is None and (scale is None or origin is None):
            raise InputError(
                "a camera has no scale or no origin, and no recording tells them: expected scale=430 (px/m) and "
                "origin=(640, 180) (px), which may be guesses, or corners={(0, 0): (112, 640), ...}."
            )
        s = positive(known.scale if scale is None else scale, "the scale of a camera")
        u, v = pair(known.origin if origin is None else origin, "the origin of a camera", "(640, 180)")
        turned = finite(angle, "the angle of a camera") if angle is not None else getattr(known, "angle", 0.0)
        fixed = [fixed] if isinstance(fixed, str) else names_of(fixed, "fixed")
        for what in fixed:
            name_in(what, PARTS, "fixed has {!r}, which no camera has: expected one of {}.")
        begin = text(name, "the name of a camera", '"camera"')
        values = {f"{begin}_{part}": x for part, x in zip(("scale", "x", "y", "angle"), (s, u, v, turned), strict=True)}
        scale, u, v, angle = self.model.parameters(**values)
        self.unknowns = tuple(f"{begin}_{x}" for part, own in PARTS.items() if part not in fixed for x in own)
        up = 1 if self.y_up else -1
        c, n = scale * sympy.cos(angle), scale * sympy.sin(angle)
        self._H = sympy.Matrix([[c, -n, u], [up * n, up * c, v], [0, 0, 1]])

    def sees(self, point: Any, track: str) -> dict[Any, str]:
        """Say which `point` of the model (m) a `track` of the film follows: for `to=` of `model.fit`.

        Parameters
        ----------
        point : Body or 3 scalars (m)
            A point in the plane z = 0, such as `bob.T.e`; a body stands for the origin of its frame.
        track : str
            The name of the track, "mass A": its columns are "mass A x" and "mass A y" (px).

        Returns
        -------
        dict
            Expressions of u and v (px), and the names of the columns: {u: "mass A x", v: "mass A y"}.

        Raises
        ------
        InputError, UnknownNameError
            A point off the plane; a track that the recording does not have, or has in m.
        """
        x, y, z = singles(point.T.e if isinstance(point, Body) else point, "the point that a camera sees")
        text(track, "the name of a track", '"mass A"')
        if not vanishes(z, FLAT):
            raise _off_plane(f"the point of {track!r}", z)
        columns = f"{track} x", f"{track} y"
        if self.recording is not None:
            name_in(track, self.recording.tracks, "the recording has no track {!r}: it has {}.")
            if self.recording.unit(columns[0]) not in ("px", ""):
                raise InputError(
                    f"track {track!r} is in {self.recording.unit(columns[0])}, and not in pixels: its calibration is "
                    "done. Compare with the point itself, to={point[0]: 'mass A x', ...}, or read the .trk of the film."
                )
        u, v, w = sympy.Matrix(self._H) * sympy.Matrix([x, y, 1])
        return {u / w: columns[0], v / w: columns[1]}

    def pixels(self, points: Any, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """In which pixels points of the plane z = 0 are seen, (N, 2).

        Parameters
        ----------
        points : array (N, 3) (m)
            The points.
        parameters : dict, optional
            Values of the camera's parameters, in their own units, such as `fit.parameters`; others in it do no harm.
            Those of the model if left out.

        Returns
        -------
        array (N, 2) (px)

        Raises
        ------
        InputError
            Points that are no (N, 3), or off the plane.
        """
        given = real_array(points, "the points that a camera sees")
        if given.ndim != 2 or given.shape[1] != 3:
            raise InputError(f"the points that a camera sees have shape {given.shape}: expected (N, 3), x, y, z in m.")
        off = np.abs(given[:, 2])
        if (off > FLAT * (1 + np.abs(given).max(initial=0))).any():
            raise _off_plane("a point", f"{given[int(np.argmax(off)), 2]:g} m")
        return projected(self.matrix(parameters), given[:, :2])

    def matrix(self, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """The homography H (3, 3) from (x, y, 1) in m to multiples of (u, v, 1) in px, for values of `parameters`."""
        if isinstance(self._H, np.ndarray):
            return self._H
        own = {str(p): p for p in self._H.free_symbols}
        given = by_name(parameters, "parameters", '{"camera_scale": 430}')
        values = self.model.values({name: x for name, x in given.items() if name in own})
        return np.array(self._H.subs({p: values[name] for name, p in own.items()}).evalf(17), dtype=float)


def projected(H: np.ndarray, points: np.ndarray) -> np.ndarray:
    """The pixels (..., 2) of points (..., 2) of the plane, by a homography (3, 3)."""
    found = points @ H[:, :2].T + H[:, 2]
    return np.asarray(found[..., :2] / found[..., 2:])


def homography(corners: Any) -> np.ndarray:
    """The homography (3, 3) of corners {(x, y) in m: (u, v) in px}, by least squares where there are more than four."""
    if not isinstance(corners, Mapping) or len(corners) < 4:
        raise InputError(
            "corners are points of the plane and their pixels: expected a dict of four or more, such as "
            "{(0, 0): (112, 640), (0.5, 0): (730, 655), (0.5, 0.4): (700, 130), (0, 0.4): (140, 118)}."
        )
    given = np.array([[pair(end, "a corner", "(640, 180)") for end in ends] for ends in corners.items()])
    middle = given.mean(axis=0)
    size = np.linalg.norm(given - middle, axis=2).mean(axis=0) + 1e-300
    M, P = (np.array([[k, 0, -k * x], [0, k, -k * y], [0, 0, 1]]) for k, (x, y) in zip(1 / size, middle, strict=True))
    (x, y), (u, v) = projected(M, given[:, 0]).T, projected(P, given[:, 1]).T
    one, none = np.ones_like(x), np.zeros_like(x)
    rows = [[x, y, one, none, none, none, -u * x, -u * y, -u], [none, none, none, x, y, one, -v * x, -v * y, -v]]
    _, sizes, V = np.linalg.svd(np.concatenate([np.stack(row, axis=1) for row in rows]))
    if sizes[7] < 1e-6 * sizes[0] or abs(np.linalg.det(V[-1].reshape(3, 3))) < 1e-6:
        raise InputError(
            "the corners do not determine what the camera sees: expected four of which no three lie on a line."
        )
    H = np.linalg.inv(P) @ V[-1].reshape(3, 3) @ M
    return np.asarray(H / H[2, 2])


def _off_plane(what: str, z: Any) -> InputError:
    return InputError(
        f"{what} lies off the plane z = 0, at z = {z}: a camera sees motions in that plane only. Choose the axes of "
        "the model so that the motion lies in it."
    )
