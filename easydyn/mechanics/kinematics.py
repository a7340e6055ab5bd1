"""From position to motion: v, omega, a, alpha and the partial contributions d, theta of a frame T(q, t).

Equations (paper): e and R are those of T (1); v = sum_j d_j qd_j + de/dt and omega = sum_j theta_j qd_j + theta_t
(5, 36), where the last terms come from explicit time: a driven frame T(q, t) has them, the paper omits them (see
docs/theory.md); the rotation vectors come from dR R^T (37); a = dv/dt and alpha = d omega/dt (38).

The same code serves SymPy expressions and the nodes of the engine's graph: a `Calculus` says how to differentiate. All
vectors are in the ground frame.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import sympy

from easydyn.mechanics.symbols import Coordinate, State, partial_derivative, t
from easydyn.vec import ZERO, Block, Transform, Turn, Vector, Way, along, axial
from easydyn.vec.scalars import Scalar


class Calculus(Protocol):
    """The differentiation of scalars, which is all that kinematics (eqs. 36-38) needs.

    >>> isinstance(SymbolicCalculus([]).diff(t**2, t), sympy.Expr)
    True
    """

    def diff(self, expression: Scalar, symbol: Scalar) -> Scalar:
        """Partial derivative of an `expression` by a `symbol`, in its unit per that of the symbol."""

    def gradient(self, expression: Scalar, symbols: Sequence[Scalar]) -> Sequence[Scalar]:
        """Partial derivatives (n,) of an `expression` by n `symbols`, each in its unit per that of the symbol."""

    def rate(self, expression: Scalar) -> Scalar:
        """Total time derivative of an `expression` along the motion, in its unit per s."""

    def tidy(self, expression: Scalar) -> Scalar:
        """The `expression` in a simpler form, or as it is, in its own unit."""


class Motion(NamedTuple):
    """Motion of a frame, ground components: eqs. (36)-(38).

    Attributes
    ----------
    v, a : Vector
        Velocity (m/s) and acceleration (m/s2) of its origin.
    omega, alpha : Vector
        Angular velocity (rad/s) and angular acceleration (rad/s2).
    d, theta : tuples of n Vector
        Partial contributions (eq. 5), m and rad per unit of each coordinate.
    v_t, omega_t : Vector
        Contributions of explicit time (m/s, rad/s), in a driven frame.

    Example
    -------
    >>> from easydyn import tdisp
    >>> x = Coordinate("x")
    >>> motion(tdisp(x, 0, 0), [x], [x.dot], t, SymbolicCalculus([x])).d
    (Vector(x=1, y=0, z=0),)
    """

    v: Vector
    omega: Vector
    a: Vector
    alpha: Vector
    d: tuple[Vector, ...]
    theta: tuple[Vector, ...]
    v_t: Vector
    omega_t: Vector


def translation_contribution(T: Transform, x: Scalar, calculus: Calculus) -> Vector:
    """de/dx (3,): change of the position of the origin (m) of a frame `T` with `x` (eq. 36), by a `calculus`.

    >>> from easydyn import tdisp
    >>> x = Coordinate("x")
    >>> translation_contribution(tdisp(0, 3 * x, 0), x, SymbolicCalculus([x]))
    Vector(x=0, y=3, z=0)
    """
    return T.e.map(lambda component: calculus.diff(component, x))


def rotation_contribution(T: Transform, x: Scalar, calculus: Calculus) -> Vector:
    """theta (3,) of `x`: the rotation vector of dR/dx R^T of a frame `T` (eq. 37), rad per unit of x, by a `calculus`.

    >>> from easydyn import trotz
    >>> q = Coordinate("q")
    >>> rotation_contribution(trotz(2 * q), q, SymbolicCalculus([q]))
    Vector(x=0, y=0, z=2)
    """
    return rotation_vector(T, lambda scalar: calculus.diff(scalar, x), calculus.tidy)


def rotation_vector(
    T: Transform, derivative: Callable[[Scalar], Scalar], tidy: Callable[[Scalar], Scalar], kept: Any = None
) -> Vector:
    """The rotation vector (3,) of dR R^T (eq. 37), factor by factor, for any derivative: partial, or in time.

    With R = R1 R2 ..., dR R^T is the sum of R1..Rk-1 (dRk Rk^T) (R1..Rk-1)^T: each factor adds its own rotation vector,
    rotated by the factors before it. For a rotation about a fixed axis this vector is axis * d(angle)/dx. `T` is the
    frame, `derivative` differentiates a scalar, `tidy` simplifies it or leaves it as it is. Products that begin alike
    share what is `kept` in a dict, one for each derivative.

    >>> from easydyn import trotx
    >>> rotation_vector(trotx(t**2), lambda x: sympy.diff(x, t), lambda x: x)
    Vector(x=2*t, y=0, z=0)
    """

    def beyond(found: tuple[Way, Vector], right: Transform) -> tuple[Way, Vector]:
        way, total = found
        for factor in right.factors:
            if isinstance(factor, Turn):
                total = total + way.R * (factor.axis * derivative(factor.angle))
            elif isinstance(factor, Block):
                total = total + way.R * axial(factor.R.map(derivative) * factor.R.T).map(tidy)
            way = way.beyond(factor)
        return way, total

    return along(T, {} if kept is None else kept, (Way(), ZERO), beyond)[1]


def motion(
    T: Transform, q: Sequence[Scalar], qd: Sequence[Scalar], time: Scalar, calculus: Calculus,
    drives: Mapping[Any, Scalar] = MappingProxyType({}),
) -> Motion:  # fmt: skip
    """Differentiate T(q, t) into the motion of its frame (eqs. 5, 36-38).

    Parameters
    ----------
    T : Transform
        The frame, as a function of the coordinates and of time.
    q, qd : sequences of n scalars
        Coordinates (m, rad) and their rates.
    time : scalar (s)
        The symbol of time.
    calculus : Calculus
        `SymbolicCalculus` for SymPy.
    drives : dict
        States that drive the frame, as time does, with their rates (in their unit per s).

    Returns
    -------
    Motion
        v, a, omega, alpha and partial contributions, ground components.

    Example
    -------
    >>> from easydyn import tdisp, trotz
    >>> q = Coordinate("q")
    >>> found = motion(trotz(q) * tdisp(2, 0, 0), [q], [q.dot], t, SymbolicCalculus([q]))
    >>> found.v, found.theta
    (Vector(x=-2*q.dot*sin(q), y=2*q.dot*cos(q), z=0), (Vector(x=0, y=0, z=1),))
    """
    d = tuple(translation_contribution(T, x, calculus) for x in q)
    theta = tuple(rotation_contribution(T, x, calculus) for x in q)
    v_t, omega_t = translation_contribution(T, time, calculus), rotation_contribution(T, time, calculus)
    for s, rate in drives.items():
        v_t = v_t + translation_contribution(T, s, calculus) * rate
        omega_t = omega_t + rotation_contribution(T, s, calculus) * rate
    v = sum((d_j * rate for d_j, rate in zip(d, qd, strict=True)), ZERO) + v_t
    omega = sum((theta_j * rate for theta_j, rate in zip(theta, qd, strict=True)), ZERO) + omega_t
    return Motion(v, omega, v.map(calculus.rate), omega.map(calculus.rate), d, theta, v_t, omega_t)


class SymbolicCalculus:
    """Differentiation by SymPy, for the time derivatives of eqs. (36)-(38).

    Parameters
    ----------
    coordinates : sequence of Coordinate
        Their rates are q.dot, and the rates of these are q.ddot.
    states : sequence of State
        Their rates are p.dot.
    drives : dict
        Rates of states that drive frames, as functions (in any unit per s), instead of p.dot.

    Example
    -------
    >>> q = Coordinate("q")
    >>> SymbolicCalculus([q]).rate(sympy.sin(q) + t)
    q.dot*cos(q) + 1
    """

    def __init__(
        self, coordinates: Sequence[Coordinate], states: Sequence[State] = (),
        drives: Mapping[State, Scalar] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._pairs: list[tuple[Any, Any]] = [x for q in coordinates for x in ((q, q.dot), (q.dot, q.ddot))]
        self._pairs += [(p, drives.get(p, p.dot)) for p in states]

    def diff(self, expression: Scalar, symbol: Scalar) -> Scalar:
        """Partial derivative of an `expression` by a `symbol`, in its unit per that of the symbol; 0 of a number."""
        return partial_derivative(expression, symbol) if isinstance(expression, sympy.Expr) else sympy.S.Zero

    def gradient(self, expression: Scalar, symbols: Sequence[Scalar]) -> Sequence[Scalar]:
        """Partial derivatives (n,) of an `expression` by n `symbols`, each in its unit per that of the symbol."""
        return [self.diff(expression, symbol) for symbol in symbols]

    def rate(self, expression: Scalar) -> Scalar:
        """Time derivative of an `expression`, its unit per s: the sum of d/dx times x.dot, and the explicit d/dt."""
        present = getattr(expression, "free_symbols", ())
        chain = [self.diff(expression, x) * x_dot for x, x_dot in self._pairs if x in present]
        return sum(chain, self.diff(expression, t))

    def tidy(self, expression: Scalar) -> Scalar:
        """The `expression`, in its own unit, simplified by sin^2 + cos^2 = 1 where this is quick."""
        quick = isinstance(expression, sympy.Expr) and expression.count_ops() < 300
        return sympy.trigsimp(expression) if quick else expression
