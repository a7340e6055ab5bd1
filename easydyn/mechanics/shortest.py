"""The inertia of a body in eq. (6), in the axes in which its formulas are shortest.

Rates go from factor to factor of the frame, each in the axes reached so far, and no rotation tensor is multiplied out.
Axes may be those of the ground, of the body, or any between; the force m a is written in those in which its formulas
are short. The moment Phi alpha + omega x Phi omega is written in the axes of the body, where Phi is constant; or in
those before its last turns, if these leave Phi as it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import sympy

from easydyn.mechanics.kinematics import Calculus
from easydyn.mechanics.symbols import Coordinate, t
from easydyn.vec import ZERO, Block, Factor, Inertia, Shift, Tensor, Transform, Turn, Vector, axial
from easydyn.vec.scalars import Scalar

MOST = 4  # axes between those of the ground and of the body that are tried


class Rates(NamedTuple):
    """Rates of a frame, all in one set of axes.

    Attributes
    ----------
    d, theta : lists of n Vector
        Partial contributions (eq. 5), m and rad per unit of each coordinate.
    v, omega : Vector (m/s, rad/s)
        Velocity of the origin, angular velocity.
    a, alpha : Vector (m/s2, rad/s2)
        Accelerations without those of the coordinates.

    Example
    -------
    >>> Rates([], [], ZERO, ZERO, ZERO, ZERO).omega
    Vector(x=0, y=0, z=0)
    """

    d: list[Vector]
    theta: list[Vector]
    v: Vector
    omega: Vector
    a: Vector
    alpha: Vector


class Shortest:
    """Makes the short formulas of the bodies of a mechanism.

    Parameters
    ----------
    q : sequence of n Coordinate
        The coordinates of the equations.
    calculus : Calculus
        `SymbolicCalculus` for SymPy.
    drives : dict
        States that drive frames, with their rates (in their unit per s).

    Example
    -------
    >>> from easydyn import trotx, trotz
    >>> from easydyn.mechanics.kinematics import SymbolicCalculus
    >>> q, p = Coordinate("q"), Coordinate("p")
    >>> short = Shortest([q, p], SymbolicCalculus([q, p]))
    >>> short.rates(trotz(q) * trotx(p), 2).omega
    Vector(x=p.dot, y=q.dot*sin(p), z=q.dot*cos(p))
    """

    def __init__(
        self, q: Sequence[Coordinate], calculus: Calculus, drives: Mapping[Any, Scalar] = MappingProxyType({})
    ) -> None:
        self.q, self.calculus, self.drives = list(q), calculus, drives
        self._moved: dict[Any, Any] = {}
        self._lengths: dict[Any, int] = {}

    def rates(self, T: Transform, k: int) -> Rates:
        """The rates of a frame `T` in the axes after `k` of its factors."""
        n, ahead = len(self.q), list[Factor]()
        d, theta = [ZERO] * n, [ZERO] * n
        v = omega = a = alpha = ZERO
        for i, f in enumerate(T.factors):
            R = Transform(ahead).R
            if not isinstance(f, Turn):
                e, (partial, rate, bias) = _turned(R, f.e), self._of(f, "e", R)
                d = [d_j + _cross(w, e) + u for d_j, w, u in zip(d, theta, partial, strict=True)]
                v = v + _cross(omega, e) + rate
                a = a + _cross(alpha, e) + _cross(omega, _cross(omega, e)) + _scaled(_cross(omega, rate), 2) + bias
            if isinstance(f, Shift):
                continue
            if i < k:
                back = f.R.T
                d, theta = [_turned(back, u) for u in d], [_turned(back, u) for u in theta]
                v, omega, a, alpha = (_turned(back, u) for u in (v, omega, a, alpha))
            else:
                ahead.append(f)
            partial, rate, bias = self._of(f, "after" if i < k else "before", R)
            alpha = alpha + bias + _cross(omega, rate)
            omega = omega + rate
            theta = [w + u for w, u in zip(theta, partial, strict=True)]
        return Rates(d, theta, v, omega, a, alpha)

    def _of(self, f: Factor, what: str, R: Tensor) -> tuple[list[Vector], Vector, Vector]:
        """By each coordinate, in time, and its rate without accelerations: the displacement, or the rotation vector.

        The latter in the axes before the factor, or after it; turned by R.
        """
        key = f, what
        if key not in self._moved:
            diff, rate, tidy = self.calculus.diff, self.calculus.rate, self.calculus.tidy

            def by(x: Any) -> Vector:
                if what == "e":
                    return f.e.map(lambda c: diff(c, x))
                if isinstance(f, Turn):
                    return f.axis * diff(f.angle, x)
                changes = f.R.map(lambda c: diff(c, x))
                return axial(f.R.T * changes if what == "after" else changes * f.R.T).map(tidy)

            partial = [by(x) for x in self.q]
            drift = sum((by(s) * r for s, r in self.drives.items()), by(t))
            moving = [(u, x.dot) for u, x in zip(partial, self.q, strict=True)]
            velocity = sum((_scaled(u, x) for u, x in moving), drift)
            bias = sum((_scaled(u.map(rate), x) for u, x in moving), drift.map(rate))
            self._moved[key] = partial, velocity, bias
        partial, velocity, bias = self._moved[key]
        return [_turned(R, u) for u in partial], _turned(R, velocity), _turned(R, bias)

    def of_body(self, T: Transform, mass: Scalar, inertia: Inertia) -> tuple[list[Scalar], list[Scalar]]:
        """What a body with its frame `T` at G adds to M (eq. 8), lower half by rows, and to h without what is applied.

        `mass` (kg) and `inertia` (kg m2) are its own; M is in kg and h in N, or with m and rad.
        """
        n, pairs = len(self.q), [(i, j) for i in range(len(self.q)) for j in range(i + 1)]
        M, h = [0] * len(pairs), [0] * n
        if mass != 0:
            turns = [k for k, f in enumerate(T.factors, start=1) if not isinstance(f, Shift)]
            r = min((self.rates(T, k) for k in [0, *turns[-MOST:]]), key=self._length)
            M = [_times(_dot(r.d[i], r.d[j]), mass) for i, j in pairs]
            h = [_times(_dot(u, r.a), mass) for u in r.d]
        if any(x != 0 for column in inertia for x in column):
            r = self.rates(T, alike(T, inertia))
            momenta = [_turned(inertia, u) for u in r.theta]
            euler = _turned(inertia, r.alpha) + _cross(r.omega, _turned(inertia, r.omega))
            M = [x + _dot(r.theta[i], momenta[j]) for x, (i, j) in zip(M, pairs, strict=True)]
            h = [x + _dot(u, euler) for x, u in zip(h, r.theta, strict=True)]
        return M, h

    def _length(self, r: Rates) -> int:
        """The operations that m d.d and m d.a will have."""
        sizes = [[self._operations(c) if c != 0 else -1 for c in u] for u in (*r.d, r.a)]
        return sum(x + y + 2 for u in sizes[:-1] for w in sizes for x, y in zip(u, w, strict=True) if min(x, y) >= 0)

    def _operations(self, e: Any) -> int:
        """Operations of an expression, each part as often as it is written, but counted once."""
        if not isinstance(e, sympy.Basic) or not e.args:
            return 0
        found = self._lengths.get(e)
        if found is None:
            own = len(e.args) - 1 if isinstance(e, sympy.Add | sympy.Mul) else 1
            found = self._lengths[e] = own + sum(map(self._operations, e.args))
        return found


def _times(x: Scalar, y: Scalar) -> Scalar:
    """A product; SymPy would look at the whole of y before it says that 0 y is nothing."""
    return 0 if x == 0 or y == 0 else x * y


def _scaled(u: Vector, factor: Scalar) -> Vector:
    return u.map(lambda c: _times(c, factor))


def _dot(u: Vector, v: Vector) -> Scalar:
    return _times(u.x, v.x) + _times(u.y, v.y) + _times(u.z, v.z)


def _cross(u: Vector, v: Vector) -> Vector:
    return Vector(*(_times(u[i - 2], v[i - 1]) - _times(u[i - 1], v[i - 2]) for i in range(3)))


def _turned(R: Tensor, u: Vector) -> Vector:
    return Vector(*(_dot(row, u) for row in R.T))


def alike(T: Transform, inertia: Inertia) -> int:
    """The least number of factors of a frame `T` after which the axes have the constant tensor `inertia` (kg m2).

    >>> from easydyn import inertia_tensor, trotx, trotz
    >>> T = trotz(Coordinate("q")) * trotx(Coordinate("p")) * trotz(Coordinate("r"))
    >>> alike(T, inertia_tensor(1, 1, 2)), alike(T, inertia_tensor(1, 2, 3))
    (2, 3)
    """
    rounding = 1e-12 * max(abs(x) if x.is_number else 0 for x in map(sympy.sympify, (c for u in inertia for c in u)))
    for k in range(len(T.factors), 0, -1):
        f = T.factors[k - 1]
        if isinstance(f, Turn):
            turned = inertia.rotated(Turn(f.axis, sympy.atan2(3, 4)).R)  # a quarter turn may leave what no other does
            changes = (sympy.expand(turned[i, j] - inertia[i, j]) for i in range(3) for j in range(3))
            if any(abs(x) > rounding if x.is_number else x != 0 for x in changes):
                return k
        elif isinstance(f, Block):
            return k
    return 0
