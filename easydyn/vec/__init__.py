"""Homogeneous transforms, with the vectors and tensors they are made of (sections II and V.D of the paper).

Notation: `T = (R e; 0 1)` (eq. 1) places a frame: R (3x3) is its rotation tensor, e (m) the position of its origin;
`T * p` is the ground position of the point whose body coordinates are p, `T1 * T2` goes from frame to frame.
Components are any scalar: floats, NumPy arrays (many states at once), SymPy expressions. Everything here is frozen.
A Transform keeps the product that the user wrote (`T.factors`), because the factors are the joints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.arguments import Attributes, answers
from easydyn.errors import InputError, TransformError
from easydyn.inputs import is_listed, shown
from easydyn.vec.rigid import check_rotation, rows_of
from easydyn.vec.scalars import Scalar, cos, is_number, scalar, sin, sqrt, symbols_of
from easydyn.vec.tensors import (
    IDENTITY,
    ZERO,
    Inertia,
    Rotation,
    Tensor,
    Vector,
    assemble,
    axes_of,
    axial,
    cross,
    dot,
    inertia_tensor,
    singles,
    vcoord,
    vector,
)

__all__ = [
    "IDENTITY", "ZERO", "Block", "Factor", "Inertia", "Rotation", "Shift", "Tensor", "Transform", "Turn",
    "Vector", "as_transform", "axial", "cross", "dot", "inertia_tensor", "rotation_sequence", "tdisp",
    "tquat", "transform", "trot", "trotx", "troty", "trotz", "vcoord", "vector",
]  # fmt: skip


class Turn(NamedTuple):
    """Factor of a Transform: rotation of `angle` (rad) about the constant unit vector `axis` (3,).

    >>> trotz(0.3).factors
    (Turn(axis=Vector(x=0, y=0, z=1), angle=0.3),)
    """

    axis: Vector
    angle: Scalar

    @property
    def R(self) -> Rotation:
        """The rotation tensor (3x3), by Rodrigues' formula."""
        c, s = cos(self.angle), sin(self.angle)
        if self.axis in _PRINCIPAL:
            return _PRINCIPAL[self.axis](c, s)
        x, y, z = self.axis  # Rodrigues' formula
        C = 1 - c
        return Rotation(
            Vector(x * x * C + c, x * y * C + z * s, x * z * C - y * s),
            Vector(x * y * C - z * s, y * y * C + c, y * z * C + x * s),
            Vector(x * z * C + y * s, y * z * C - x * s, z * z * C + c),
        )

    @property
    def e(self) -> Vector:
        """Its displacement (m), which is zero."""
        return ZERO

    @answers
    def quaternion(self) -> tuple[Scalar, ...]:
        """Its quaternion (4,), scalar first (no unit)."""
        half = self.angle / 2
        return (cos(half), *(self.axis * sin(half)))

    def inv(self) -> Turn:
        """The inverse rotation."""
        return Turn(self.axis, -self.angle)

    def __str__(self) -> str:
        if self.axis in _PRINCIPAL:
            return f"trot{'xyz'[list(_PRINCIPAL).index(self.axis)]}({self.angle})"
        return f"trot({tuple(self.axis)}, {self.angle})"


_PRINCIPAL: dict[Vector, Callable[[Scalar, Scalar], Rotation]] = {
    Vector(1, 0, 0): lambda c, s: Rotation(Vector(1, 0, 0), Vector(0, c, s), Vector(0, -s, c)),
    Vector(0, 1, 0): lambda c, s: Rotation(Vector(c, 0, -s), Vector(0, 1, 0), Vector(s, 0, c)),
    Vector(0, 0, 1): lambda c, s: Rotation(Vector(c, s, 0), Vector(-s, c, 0), Vector(0, 0, 1)),
}


class Shift(NamedTuple):
    """Factor of a Transform: displacement `e` (m) without rotation.

    >>> tdisp(1, 0, 0).factors
    (Shift(e=Vector(x=1, y=0, z=0)),)
    """

    e: Vector

    @property
    def R(self) -> Rotation:
        """Its rotation tensor (3x3), which is the identity."""
        return IDENTITY

    def inv(self) -> Shift:
        """The inverse displacement."""
        return Shift(-self.e)

    def __str__(self) -> str:
        return f"tdisp({self.e.x}, {self.e.y}, {self.e.z})"


class Block(NamedTuple):
    """Factor of a Transform: a general rotation tensor `R` (3x3) and displacement `e` (m).

    `unit` has four symbols of a quaternion, whose squares must add up to 1; otherwise it is empty.

    >>> [type(factor).__name__ for factor in tquat(1, 0, 0, 0).factors]
    ['Block']
    """

    R: Rotation
    e: Vector
    unit: tuple[Any, ...] = ()

    @answers
    def quaternion(self) -> tuple[Scalar, ...]:
        """Its quaternion (4,), scalar first (no unit): `unit`, or that of the numbers in R."""
        return self.unit or self.R.quaternion()

    def inv(self) -> Block:
        """The inverse: R^T and -R^T e."""
        conjugate = tuple(-x if i else x for i, x in enumerate(self.unit))
        return Block(self.R.T, -(self.R.T * self.e), conjugate)

    def __str__(self) -> str:
        rows = [[self.R[i, j] for j in range(3)] for i in range(3)]
        return f"transform({rows}, {tuple(self.e)})"


Factor = Turn | Shift | Block


class Transform(Attributes):
    """Homogeneous transformation matrix T = (R e; 0 1) (eq. 1), kept as the product of factors that was written.

    Made by `trotx troty trotz trot tdisp tquat transform` and their products; `T1 * T2` (or `@`), `T * point`,
    `T.R` (rotation tensor, 3x3), `T.e` (vector, m), `T.matrix` (4x4), `T.inv()`, `T.factors`.

    Consecutive rotations about the same axis are added before their cosines are taken, so that e and R of eqs. (3) and
    (4) have the same form as in the paper.

    Parameters
    ----------
    factors : sequence of Turn, Shift and Block
        The factors, from left to right; the identity if left out. Anything else raises TransformError.

    Example
    -------
    >>> T = trotz(0.1) * tdisp(0, -1, 0) * trotz(0.2)
    >>> print(T)
    trotz(0.1) * tdisp(0, -1, 0) * trotz(0.2)
    >>> T * (0, 0, 0) == T.e
    True
    """

    __array_ufunc__ = None
    _op_priority = 1000.0
    _sides: Any = None  # left and right, of a product

    def __init__(self, factors: Iterable[Factor] = ()) -> None:
        self.factors: tuple[Factor, ...] = tuple(factors) if is_listed(factors) else (factors,)  # type: ignore
        for factor in self.factors:
            if not isinstance(factor, Turn | Shift | Block):
                raise TransformError(
                    f"a factor of a Transform is {shown(factor)}: write products such as trotz(q) * tdisp(x, y, z)."
                )

    @cached_property
    def free_symbols(self) -> set[sympy.Symbol]:
        """The SymPy symbols in angles, displacements and elements."""
        return symbols_of(*self.scalars())

    def scalars(self) -> Iterator[Scalar]:
        """Every scalar in the factors: axes (no unit), angles (rad), displacements (m), elements."""
        for f in self.factors:
            if isinstance(f, Turn):
                yield from (*f.axis, f.angle)
            else:
                yield from f.e
            if isinstance(f, Block):
                yield from (f.R[i, j] for i in range(3) for j in range(3))

    @cached_property
    def R(self) -> Rotation:
        """Rotation tensor R_0i (3x3)."""
        R = Rotation(*self._way.R)
        R._factors = self.factors
        return R

    @property
    def e(self) -> Vector:
        """Position of the origin of the frame (m), ground components."""
        return self._way.e

    @cached_property
    def _way(self) -> Way:
        """Where its factors lead to; of a product from where its left side leads to."""
        for part in sides(self, lambda x: "_way" in x.__dict__):
            left, right = part._sides or (None, part)
            part.__dict__["_way"] = way = reduce(Way.beyond, right.factors, left._way if left else Way())
        return way

    def __getstate__(self) -> dict[str, Any]:
        return {"factors": self.factors}

    @property
    def matrix(self) -> Any:
        """The 4x4 matrix: an array (..., 4, 4), or a SymPy matrix when something is symbolic."""
        R, e = self.R, self.e
        rows = [*R.T.X, e.x, *R.T.Y, e.y, *R.T.Z, e.z, 0, 0, 0, 1]
        return assemble(rows, (4, 4))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Transform):
            product = object.__new__(Transform)  # without a look at each factor again
            product.factors, product._sides = self.factors + other.factors, (self, other)
            return product
        if isinstance(other, Vector):
            return self.e + self.R * other
        shape = np.shape(other) if isinstance(other, list | tuple | np.ndarray) else getattr(other, "shape", ())
        if shape in ((3,), (3, 1)):
            return self.e + self.R * vector(other, "the point")
        return self * as_transform(other, "the right factor of a product of transforms")

    __matmul__ = __mul__

    def __rmul__(self, other: Any) -> Any:
        return as_transform(other, "the left factor of a product of transforms") * self

    __rmatmul__ = __rmul__

    def __add__(self, other: Any) -> Any:
        raise InputError(
            "transforms are not added, subtracted or divided: write T1 * T2 for one after the other, T.inv() for the "
            "way back, T.e + u for a displaced point."
        )

    __radd__ = __sub__ = __rsub__ = __truediv__ = __rtruediv__ = __add__

    def __setitem__(self, place: Any, value: Any) -> None:
        raise InputError("elements of a transform are not set: write another product, such as T * tdisp(x, y, z).")

    def inv(self) -> Transform:
        """The inverse transform: the inverse factors in reverse order."""
        return Transform(f.inv() for f in reversed(self.factors))

    def map(self, function: Callable[[Scalar], Scalar]) -> Transform:
        """The same product with `function(scalar)` in place of every angle (rad), displacement (m) and element."""

        def image(f: Factor) -> Factor:
            if isinstance(f, Turn):
                return Turn(f.axis if f.axis in _PRINCIPAL else f.axis.map(function), function(f.angle))
            return Shift(f.e.map(function)) if isinstance(f, Shift) else Block(
                Rotation(*f.R.map(function)), f.e.map(function)
            )  # fmt: skip

        return Transform(map(image, self.factors))

    __array__ = Tensor.__array__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Transform) and self.factors == other.factors

    def __hash__(self) -> int:
        return hash(self.factors)

    def __str__(self) -> str:
        return " * ".join(str(f) for f in self.factors) or "transform(identity)"

    __repr__ = __str__

    def _sympy_(self) -> sympy.ImmutableDenseMatrix:
        return sympy.ImmutableDenseMatrix(self.matrix)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sympy.latex(self._sympy_())}$"


class Way(NamedTuple):
    """R and e of some factors. R is `before * last.R`: as long as the axis stays the same only the angle grows."""

    before: Rotation = IDENTITY
    last: Turn | None = None
    R: Rotation = IDENTITY
    e: Vector = ZERO

    def beyond(self, f: Factor) -> Way:
        """The same with one factor more."""
        before, last, R, e = self
        if isinstance(f, Shift):
            return Way(before, last, R, e + R * f.e)
        if isinstance(f, Block):
            return Way(before, None, f.R if R is IDENTITY else R * f.R, e + R * f.e)
        if last is not None and last.axis == f.axis:
            last = Turn(f.axis, last.angle + f.angle)
        else:
            before, last = R, f
        return Way(before, last, last.R if before is IDENTITY else before * last.R, e)


def sides(T: Transform, known: Callable[[Transform], bool]) -> list[Transform]:
    """A product after its left side, after the left side of that, and so on from the first that is not `known`."""
    found = [T]
    while found[-1]._sides and not known(found[-1]._sides[0]):
        found.append(found[-1]._sides[0])
    return found[::-1]


def along(T: Transform, kept: dict[int, Any], start: Any, step: Callable[[Any, Transform], Any]) -> Any:
    """What step(found, factors) makes of `start` side by side of the product T; what left sides give is `kept`."""
    for part in sides(T, lambda x: id(x) in kept):
        left, right = part._sides or (None, part)
        kept[id(part)] = part, step(kept[id(left)][1] if left else start, right)
    return kept[id(T)][1]


@answers
def trotx(angle: Scalar) -> Transform:
    """Rotation about x by `angle` (rad), which is a number, an array (many states at once) or a SymPy expression.

    >>> trotx(0.0).R.uz()
    Vector(x=0, y=-0.0, z=1.0)
    """
    return Transform((Turn(Vector(1, 0, 0), scalar(angle, "the angle of trotx")),))


@answers
def troty(angle: Scalar) -> Transform:
    """Rotation about y by `angle` (rad), which is a number, an array (many states at once) or a SymPy expression.

    >>> troty(0.0).R.ux()
    Vector(x=1.0, y=0, z=-0.0)
    """
    return Transform((Turn(Vector(0, 1, 0), scalar(angle, "the angle of troty")),))


@answers
def trotz(angle: Scalar) -> Transform:
    """Rotation about z by `angle` (rad), which is a number, an array (many states at once) or a SymPy expression.

    >>> trotz(0.0).R.uy()
    Vector(x=-0.0, y=1.0, z=0)
    """
    return Transform((Turn(Vector(0, 0, 1), scalar(angle, "the angle of trotz")),))


@answers
def trot(axis: Any, angle: Scalar) -> Transform:
    """Rotation of `angle` (rad) about `axis` (3 components in the axes where the factor stands; any length but zero).

    By Rodrigues' formula, or as a rotation about x, y, z if the axis is one of these. Raises InputError when the axis
    has no direction.

    >>> print(trot((0, 0, 2), 0.5))
    trotz(0.5)
    """
    u = singles(axis, "the axis of trot")
    exact = isinstance(angle, sympy.Expr) and all(type(c) is int for c in u)  # sqrt(3), not 1.73205080756888
    length = sqrt(sympy.Integer(dot(u, u)) if exact else dot(u, u))
    if is_number(length) and not np.all((0 < np.asarray(length, float)) & (np.asarray(length, float) < np.inf)):
        raise InputError(f"the axis of trot is {tuple(u)}: expected a vector of non-zero, finite length.")
    along_one = (x for x in _PRINCIPAL if all(c == 0 for c in cross(u, x)) and is_number(length) and dot(u, x) > 0)
    u = next(along_one, u / length)
    turn = Turn(u, scalar(angle, "the angle of trot"))
    fixed = all(getattr(s, "constant", False) for c in u for s in getattr(c, "free_symbols", ()))
    return Transform((turn if fixed else Block(turn.R, ZERO),))


@answers
def tdisp(x: Scalar, y: Scalar, z: Scalar) -> Transform:
    """Displacement of `x`, `y`, `z` (m) along the axes of the frame where the factor stands.

    >>> (tdisp(1, 0, 0) * tdisp(0, 2, 0)).e
    Vector(x=1, y=2, z=0)
    """
    return Transform((Shift(Vector(scalar(x, "x of tdisp"), scalar(y, "y of tdisp"), scalar(z, "z of tdisp"))),))


@answers
def tquat(e0: Scalar, e1: Scalar, e2: Scalar, e3: Scalar) -> Transform:
    """Rotation, body to ground, by the unit quaternion `e0` + `e1` i + `e2` j + `e3` k (scalar part first, no unit).

    For four symbols it is the rotation of the quaternion divided by its norm. If the symbols are coordinates of a
    model, a constraint of the model holds the norm at 1. Raises TransformError for numbers whose squares do not add up
    to 1.

    >>> tquat(0, 0, 0, 1).R.ux()
    Vector(x=-1, y=0, z=0)
    """
    p = [scalar(c, f"e{i} of tquat") for i, c in enumerate((e0, e1, e2, e3))]
    if all(is_number(c) for c in p):
        norm2 = np.asarray(sum(c * c for c in p), dtype=float)
        if not np.all(np.abs(norm2 - 1) < 1e-9):
            raise TransformError(
                f"tquat{tuple(p)}: the squares sum up to {norm2}, expected 1. Divide the quaternion by its norm."
            )
    a, b, c, d = p
    R = Rotation(
        Vector(a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)),
        Vector(2 * (b * c - a * d), a * a - b * b + c * c - d * d, 2 * (c * d + a * b)),
        Vector(2 * (b * d + a * c), 2 * (c * d - a * b), a * a - b * b - c * c + d * d),
    )
    if len({x for x in p if isinstance(x, sympy.Symbol)}) < 4:
        return Transform((Block(R, ZERO),))
    size = a * a + b * b + c * c + d * d
    return Transform((Block(Rotation(*(column * (1 / size) for column in R)), ZERO, tuple(p)),))


@answers
def transform(R: Any, e: Any = (0, 0, 0)) -> Transform:
    """Transform of a 3x3 rotation `R` (SymPy matrix, array, nested list) and a displacement `e` (m, 3 components).

    Raises InputError for other shapes; TransformError, naming the entry and its error, when R is not a rotation.

    >>> print(transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 2, 3)).e)
    Vector(x=1, y=2, z=3)
    """
    rotation = Rotation.of(R, "the rotation given to transform")
    check_rotation(rotation, "the rotation given to transform")
    return Transform((Block(rotation, vector(e, "the displacement given to transform")),))


@answers
def as_transform(value: Any, what: str) -> Transform:
    """Transform of a Transform or of a raw 4x4 matrix, `value`.

    Raises InputError for another shape, TransformError for a matrix that is not a rigid transform; both name `what`.

    >>> as_transform(tdisp(0, 2, 0).matrix, "the frame").e.norm()
    2.0
    """
    if isinstance(value, Transform):
        return value
    if isinstance(getattr(value, "T", None), Transform) or hasattr(value, "nodes"):
        nodes = "Its frames are those of its nodes, such as .tip.T, and .at(0.5)"
        own = "Its frame is .T" if hasattr(value, "T") else nodes
        raise InputError(f"{what} is {value!r}: expected a 4x4 matrix or a Transform. {own}.")
    rows = rows_of(value, 4, 4, what)
    for j, expected in enumerate((0, 0, 0, 1)):
        if not (is_number(rows[3][j]) and abs(float(rows[3][j]) - expected) < 1e-12):
            displaced = j < 3 and not (is_number(rows[3][j]) and not np.isfinite(float(rows[3][j])))
            hint = " It looks transposed: the displacement is the last column." if displaced else ""
            raise TransformError(f"{what}: entry (4,{j + 1}) is {rows[3][j]}, expected {expected}.{hint}")
    rotation = Rotation.of([row[:3] for row in rows[:3]], what)
    check_rotation(rotation, what)
    return Transform((Block(rotation, Vector(*(row[3] for row in rows[:3]))),))


@answers
def rotation_sequence(order: str, a: Scalar, b: Scalar, c: Scalar) -> Transform:
    """Three consecutive rotations about the axes named by `order`: "zyx" is trotz(a) * troty(b) * trotx(c).

    The angles `a`, `b`, `c` are in rad. The twelve orders of two or three axes are accepted, any other raises
    InputError; `T.R.angles(order)` goes back.

    >>> print(rotation_sequence("zyx", 0.3, -0.2, 0.1))
    trotz(0.3) * troty(-0.2) * trotx(0.1)
    """
    turns = (trotx, troty, trotz)
    i, j, k = axes_of(order)
    return turns[i](a) * turns[j](b) * turns[k](c)
