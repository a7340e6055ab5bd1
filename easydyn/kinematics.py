"""From position to motion: v, omega, a, alpha and the partial contributions d, theta of a frame T(q, t).

Equations (paper): e and R are those of T (1); v = sum_j d_j qd_j + de/dt and omega = sum_j theta_j qd_j + theta_t
(5, 36), where the last terms are those of explicit time, present in a driven frame T(q, t) and left out in the paper
(see docs/theory.md); the rotation vectors come from dR R^T (37); a = dv/dt and alpha = d omega/dt (38).

The same lines serve SymPy expressions and the nodes of the engine's graph: a `Calculus` says how to differentiate.
All vectors are in the ground frame.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import sympy

from easydyn.scalars import Scalar
from easydyn.symbols import Coordinate, State, t
from easydyn.vec import ZERO, Block, Transform, Turn, Vector, axial


class Calculus(Protocol):
    """How scalars are differentiated."""

    def diff(self, expression: Scalar, symbol: Scalar) -> Scalar:
        """Partial derivative."""

    def rate(self, expression: Scalar) -> Scalar:
        """Total time derivative along the motion."""

    def tidy(self, expression: Scalar) -> Scalar:
        """The expression in a simpler form, or as it is."""


class Motion(NamedTuple):
    """Motion of a frame, ground components: v, a (m/s, m/s2), omega, alpha (rad/s, rad/s2) of eqs. (36)-(38).

    `d[j]`, `theta[j]` are the partial contributions of coordinate j (5); `v_t`, `omega_t` those of explicit time.
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
    """de/dx: what a change of x adds to the position of the frame's origin (eq. 36)."""
    return T.e.map(lambda component: calculus.diff(component, x))


def rotation_contribution(T: Transform, x: Scalar, calculus: Calculus) -> Vector:
    """theta of x: the rotation vector of dR/dx R^T (eq. 37)."""
    return rotation_vector(T, lambda scalar: calculus.diff(scalar, x), calculus.tidy)


def rotation_vector(T: Transform, derivative: Callable[[Scalar], Scalar], tidy: Callable[[Scalar], Scalar]) -> Vector:
    """The rotation vector of dR R^T (eq. 37), factor by factor, for any derivative: partial, or in time.

    With R = R1 R2 ..., dR R^T is the sum of R1..Rk-1 (dRk Rk^T) (R1..Rk-1)^T: each factor adds its own rotation
    vector, turned by what stands before it. That of a turn about a fixed axis is axis * d(angle)/dx.
    """
    total = ZERO
    for R, factor in T.walk():
        if isinstance(factor, Turn):
            total = total + R * (factor.axis * derivative(factor.angle))
        elif isinstance(factor, Block):
            total = total + R * axial(factor.R.map(derivative) * factor.R.T).map(tidy)
    return total


def motion(T: Transform, q: Sequence[Scalar], qd: Sequence[Scalar], time: Scalar, calculus: Calculus) -> Motion:
    """Differentiate T(q, t) into the motion of its frame (eqs. 5, 36-38).

    Parameters
    ----------
    T : Transform
        The frame, as a function of the coordinates and of time.
    q, qd : sequences of n scalars
        Coordinates and their rates.
    time : scalar
        The symbol of time.
    calculus : Calculus
        `SymbolicCalculus` for SymPy.

    Returns
    -------
    Motion
    """
    d = tuple(translation_contribution(T, x, calculus) for x in q)
    theta = tuple(rotation_contribution(T, x, calculus) for x in q)
    v_t = translation_contribution(T, time, calculus)
    omega_t = rotation_contribution(T, time, calculus)
    v = sum((d_j * rate for d_j, rate in zip(d, qd, strict=True)), ZERO) + v_t
    omega = sum((theta_j * rate for theta_j, rate in zip(theta, qd, strict=True)), ZERO) + omega_t
    return Motion(v, omega, v.map(calculus.rate), omega.map(calculus.rate), d, theta, v_t, omega_t)


class SymbolicCalculus:
    """Differentiation by SymPy, for coordinates with `.dot` and `.ddot`, states with `.dot`, and time t."""

    def __init__(self, coordinates: Sequence[Coordinate], states: Sequence[State] = ()) -> None:
        self._pairs: list[tuple[Any, Any]] = []
        for q in coordinates:
            self._pairs += [(q, q.dot), (q.dot, q.ddot)]
        self._pairs += [(p, p.dot) for p in states]

    def diff(self, expression: Scalar, symbol: Scalar) -> Scalar:
        """Partial derivative with respect to one symbol."""
        return sympy.diff(expression, symbol) if isinstance(expression, sympy.Expr) else 0

    def rate(self, expression: Scalar) -> Scalar:
        """Total time derivative: sum over x of d/dx times x.dot, and the explicit d/dt."""
        present = getattr(expression, "free_symbols", ())
        chain = [self.diff(expression, x) * x_dot for x, x_dot in self._pairs if x in present]
        return sum(chain, self.diff(expression, t))

    def tidy(self, expression: Scalar) -> Scalar:
        """Use sin^2 + cos^2 = 1 where the expression is small enough for that to be quick."""
        if isinstance(expression, sympy.Expr) and expression.count_ops() < 300:
            return sympy.trigsimp(expression)
        return expression
