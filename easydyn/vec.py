"""Vectors, rotation and inertia tensors, homogeneous transforms (sections II and V.D of the paper).

Notation: `{u}_0` are components in the ground frame 0; `R` (3x3) turns components in a body's axes into ground
components, its columns are the body's unit vectors (eq. 2); `T = (R e; 0 1)` (eq. 1) places a frame: `T * p` is the
ground position of the point whose body coordinates are p, `T1 * T2` goes from frame to frame.

Components are any scalar: floats, NumPy arrays (many states at once), SymPy expressions. Everything here is frozen.
A Transform keeps the product that the user wrote (`T.factors`), because the factors are the joints.
Lengths in m, angles in rad; inertia in kg m2, elements of the tensor (Ixy is the matrix entry: docs/conventions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.errors import InputError, TransformError
from easydyn.rigid import check_rotation, rows_of
from easydyn.scalars import Scalar, atan2, cos, is_number, scalar, sin, sqrt
from easydyn.symbols import Parameter


class Vector(NamedTuple):
    """Three components in one frame; made by `vcoord`. `u + v`, `2*u`, `dot(u, v)`, `cross(u, v)`, `u[0]`, `u.x`.

    Example
    -------
    >>> vcoord(1, 2, 3) + 2 * vcoord(0, 1, 0)
    Vector(x=1, y=4, z=3)
    """

    x: Scalar
    y: Scalar
    z: Scalar

    def __add__(self, other: Any) -> Vector:  # type: ignore[override]
        o = vector(other, "the vector added")
        return Vector(self.x + o.x, self.y + o.y, self.z + o.z)

    def __radd__(self, other: Any) -> Vector:
        return self if isinstance(other, int) and other == 0 else self + other  # 0 + u: so that sum() works

    def __sub__(self, other: Any) -> Vector:
        o = vector(other, "the vector subtracted")
        return Vector(self.x - o.x, self.y - o.y, self.z - o.z)

    def __rsub__(self, other: Any) -> Vector:
        return vector(other, "the first vector of a difference") - self

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, factor: Any) -> Vector:  # type: ignore[override]
        if isinstance(factor, tuple | list | sympy.MatrixBase):
            raise InputError("vector * vector is ambiguous: write dot(u, v) or cross(u, v).")
        factor = scalar(factor, "the factor of a vector")
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def __rmul__(self, factor: Any) -> Vector:  # type: ignore[override]
        if isinstance(factor, sympy.MatrixBase) and factor.shape == (3, 3):
            return Tensor.of(factor, "the matrix applied to a vector") * self
        return self * factor

    def __truediv__(self, divisor: Any) -> Vector:
        divisor = scalar(divisor, "the divisor of a vector")
        return Vector(self.x / divisor, self.y / divisor, self.z / divisor)

    def __xor__(self, other: Any) -> Vector:
        raise InputError("u ^ v is not the cross product here: in Python ^ binds looser than +. Write cross(u, v).")

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, sympy.MatrixBase) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def dot(self, other: Any) -> Scalar:
        """Scalar product with a 3-vector in the same frame."""
        return dot(self, other)

    def cross(self, other: Any) -> Vector:
        """Vector product with a 3-vector in the same frame."""
        return cross(self, other)

    def norm(self) -> Scalar:
        """Length of the vector."""
        return sqrt(dot(self, self))

    def map(self, function: Callable[[Scalar], Scalar]) -> Vector:
        """The vector of function(component)."""
        return Vector(function(self.x), function(self.y), function(self.z))

    @property
    def matrix(self) -> Any:
        """The components as an array (..., 3), or as a SymPy column when one of them is symbolic."""
        return _assemble(self, (3,))

    def _sympy_(self) -> sympy.ImmutableDenseMatrix:
        return sympy.ImmutableDenseMatrix(3, 1, list(self))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sympy.latex(self._sympy_())}$"


class Tensor(NamedTuple):
    """A 3x3 tensor, kept as its columns; `A * u` is a Vector, `A * B` a tensor, `A[i, j]` an element."""

    X: Vector
    Y: Vector
    Z: Vector

    @classmethod
    def of(cls, matrix: Any, what: str = "the tensor") -> Any:
        """Tensor of a 3x3 SymPy matrix, array or nested list; raises InputError when its shape is another."""
        if isinstance(matrix, Tensor):
            return cls(*tuple(matrix))
        rows = rows_of(matrix, 3, 3, what)
        return cls(*(Vector(*(rows[i][j] for i in range(3))) for j in range(3)))

    def __mul__(self, other: Any) -> Any:  # type: ignore[override]
        if isinstance(other, Tensor):
            kind = Rotation if isinstance(self, Rotation) and isinstance(other, Rotation) else Tensor
            return kind(self * other.X, self * other.Y, self * other.Z)
        if is_number(other) and not isinstance(other, np.ndarray):
            return Tensor(self.X * other, self.Y * other, self.Z * other)
        u = vector(other, "the vector that a tensor is applied to")
        return self.X * u.x + self.Y * u.y + self.Z * u.z

    def __matmul__(self, other: Any) -> Any:
        return self * other

    def __add__(self, other: Any) -> Tensor:  # type: ignore[override]
        o = Tensor.of(other, "the tensor added")
        return Tensor(self.X + o.X, self.Y + o.Y, self.Z + o.Z)

    def __getitem__(self, index: Any) -> Any:  # type: ignore[override]
        if isinstance(index, tuple):
            row, column = index
            return tuple(self)[column][row]
        return tuple(self)[index]

    @property
    def T(self) -> Any:
        """The transpose; of a rotation tensor it is the inverse."""
        return type(self)(*(Vector(*row) for row in zip(self.X, self.Y, self.Z, strict=True)))

    def map(self, function: Callable[[Scalar], Scalar]) -> Tensor:
        """The tensor of function(element)."""
        return Tensor(self.X.map(function), self.Y.map(function), self.Z.map(function))

    @property
    def matrix(self) -> Any:
        """The elements as an array (..., 3, 3), or as a SymPy matrix when one of them is symbolic."""
        return _assemble([self[i, j] for i in range(3) for j in range(3)], (3, 3))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.matrix, dtype=dtype)

    def _sympy_(self) -> sympy.ImmutableDenseMatrix:
        return sympy.ImmutableDenseMatrix(3, 3, [self[i, j] for i in range(3) for j in range(3)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sympy.latex(self._sympy_())}$"


class Rotation(Tensor):
    """Rotation tensor R_0i: its columns are the unit vectors of frame i in the axes of frame 0 (eq. 2)."""

    def ux(self) -> Vector:
        """Unit vector x of the frame, in ground components."""
        return self.X

    def uy(self) -> Vector:
        """Unit vector y of the frame, in ground components."""
        return self.Y

    def uz(self) -> Vector:
        """Unit vector z of the frame, in ground components."""
        return self.Z

    def inv(self) -> Rotation:
        """The inverse, which is the transpose."""
        return self.T

    def angles(self, order: str) -> tuple[Scalar, Scalar, Scalar]:
        """Angles (a, b, c) in rad with R = R_i(a) R_j(b) R_k(c) for the axes `order` = "ijk", e.g. "zyx" or "zxz".

        The six orders of three different axes give b in [-pi/2, pi/2], the six with the first axis repeated b in
        [0, pi]. Where the sequence is singular (b = +-pi/2, or 0 and pi) the third angle is set to zero.

        >>> a, b, c = rotation_sequence("zyx", 0.3, -0.2, 0.1).R.angles("zyx")
        >>> round(a, 12), round(b, 12), round(c, 12)
        (0.3, -0.2, 0.1)
        """
        R: Any = self
        i, j, k = _axes_of(order)
        sign = 1 if (j - i) % 3 == 1 else -1
        if i == k:
            k = 3 - i - j
            s, c = sqrt(R[i, j] ** 2 + R[i, k] ** 2), R[i, i]
            if not isinstance(s, np.ndarray) and is_number(s) and s < 1e-12:
                return atan2(sign * R[k, j], R[j, j]), atan2(s, c), 0.0
            return atan2(R[j, i], -sign * R[k, i]), atan2(s, c), atan2(R[i, j], sign * R[i, k])
        s, c = sign * R[i, k], sqrt(R[i, i] ** 2 + R[i, j] ** 2)
        if not isinstance(c, np.ndarray) and is_number(c) and c < 1e-12:
            return atan2(sign * R[k, j], R[j, j]), atan2(s, c), 0.0
        return atan2(-sign * R[j, k], R[k, k]), atan2(s, c), atan2(-sign * R[i, j], R[i, i])


class Inertia(Tensor):
    """Inertia tensor (kg m2) about a point, in some axes; made by `inertia_tensor`."""

    def rotated(self, R: Tensor) -> Inertia:
        """The same tensor in the axes that R turns its own into: R I R^T."""
        return Inertia(*(R * self * R.T))

    def moved(self, mass: Scalar, displacement: Any) -> Inertia:
        """About a point `displacement` (m, 3) away from the centre of mass: I + m (d.d 1 - d d^T) (Huygens-Steiner).

        >>> inertia_tensor(0, 0, 1/12).moved(1, (0, 0.5, 0)).Z.z
        0.3333333333333333
        """
        d = vector(displacement, "displacement")
        dd = dot(d, d)
        unit = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
        return Inertia(*(column + (u * dd - d * dot(d, u)) * mass for column, u in zip(self, unit, strict=True)))


def vcoord(x: Scalar, y: Scalar, z: Scalar) -> Vector:
    """The vector of components x, y, z (numbers or SymPy expressions)."""
    return Vector(scalar(x, "component x"), scalar(y, "component y"), scalar(z, "component z"))


def vector(value: Any, what: str = "the vector") -> Vector:
    """Vector of any three scalars (tuple, list, array, SymPy column); raises InputError, naming `what`, otherwise."""
    if isinstance(value, Vector):
        return value
    if isinstance(value, sympy.MatrixBase):
        value = value.flat()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError(f"{what} is {value!r} ({type(value).__name__}): expected three components (x, y, z).")
    components = list(value)
    if len(components) != 3:
        raise InputError(f"{what} has {len(components)} components: expected three, (x, y, z).")
    return Vector(*(scalar(c, f"component {n} of {what}") for n, c in zip("xyz", components, strict=True)))


def dot(u: Any, v: Any) -> Scalar:
    """Scalar product u . v of two vectors given in the same frame.

    >>> dot((1, 2, 3), (4, 5, 6))
    32
    """
    u, v = vector(u), vector(v)
    return u.x * v.x + u.y * v.y + u.z * v.z


def cross(u: Any, v: Any) -> Vector:
    """Vector product u x v of two vectors given in the same frame.

    >>> cross((1, 0, 0), (0, 1, 0))
    Vector(x=0, y=0, z=1)
    """
    u, v = vector(u), vector(v)
    return Vector(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)


def inertia_tensor(Ixx: Scalar, Iyy: Scalar, Izz: Scalar, Ixy: Scalar = 0, Iyz: Scalar = 0, Ixz: Scalar = 0) -> Inertia:
    """Inertia tensor (kg m2) from its elements; Ixy is the matrix entry, i.e. minus the integral of x y dm.

    >>> inertia_tensor(1, 2, 3, 0.1)[0, 1]
    0.1
    """
    return Inertia(Vector(Ixx, Ixy, Ixz), Vector(Ixy, Iyy, Iyz), Vector(Ixz, Iyz, Izz))


_kind: Any
for _kind in (Vector, Tensor):  # number * vector comes back to __rmul__ here, also for NumPy's and SymPy's numbers
    _kind.__array_ufunc__ = None
    _kind._op_priority = 1000.0

IDENTITY = Rotation(Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
ZERO = Vector(0, 0, 0)


class Turn(NamedTuple):
    """Factor of a Transform: rotation of `angle` (rad) about the constant unit vector `axis`."""

    axis: Vector
    angle: Scalar

    @property
    def R(self) -> Rotation:
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
        return ZERO

    def inv(self) -> Turn:
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
    """Factor of a Transform: displacement `e` (m) without rotation."""

    e: Vector

    @property
    def R(self) -> Rotation:
        return IDENTITY

    def inv(self) -> Shift:
        return Shift(-self.e)

    def __str__(self) -> str:
        return f"tdisp({self.e.x}, {self.e.y}, {self.e.z})"


class Block(NamedTuple):
    """Factor of a Transform: a rotation tensor and a displacement of which nothing more is known."""

    R: Rotation
    e: Vector

    def inv(self) -> Block:
        return Block(self.R.T, -(self.R.T * self.e))

    def __str__(self) -> str:
        rows = [[self.R[i, j] for j in range(3)] for i in range(3)]
        return f"transform({rows}, {tuple(self.e)})"


Factor = Turn | Shift | Block


class Transform:
    """Homogeneous transformation matrix T = (R e; 0 1) (eq. 1), kept as the product of factors that was written.

    Made by `trotx troty trotz trot tdisp tquat transform` and their products; `T1 * T2` (or `@`), `T * point`,
    `T.R` (rotation tensor, 3x3), `T.e` (vector, m), `T.matrix` (4x4), `T.inv()`, `T.factors`.

    Rotations that follow each other about the same axis are added before their cosines are taken: the e and R of
    eqs. (3) and (4) come out as they are printed in the paper.

    >>> T = trotz(0.1) * tdisp(0, -1, 0) * trotz(0.2)
    >>> print(T)
    trotz(0.1) * tdisp(0, -1, 0) * trotz(0.2)
    """

    __array_ufunc__ = None
    _op_priority = 1000.0

    def __init__(self, factors: Iterable[Factor] = ()) -> None:
        self.factors: tuple[Factor, ...] = tuple(factors)

    def walk(self) -> Iterator[tuple[Rotation, Factor]]:
        """The factors in order, each with the rotation R from the ground to the axes in which it is written."""
        for R, factor in _accumulate(self.factors):
            if factor is not None:
                yield R, factor

    @property
    def free_symbols(self) -> set[sympy.Symbol]:
        """The SymPy symbols in angles, displacements and elements."""
        found: set[sympy.Symbol] = set()
        for x in self.scalars():
            found |= getattr(x, "free_symbols", set())
        return found

    def scalars(self) -> Iterator[Scalar]:
        """Every scalar that was written: axes, angles, displacements, elements."""
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
        return list(_accumulate(self.factors))[-1][0]

    @cached_property
    def e(self) -> Vector:
        """Position of the origin of the frame (m), ground components."""
        return sum((R * f.e for R, f in self.walk() if not isinstance(f, Turn)), ZERO)

    @property
    def matrix(self) -> Any:
        """The 4x4 matrix: an array (..., 4, 4), or a SymPy matrix when something is symbolic."""
        R, e = self.R, self.e
        rows = [*R.T.X, e.x, *R.T.Y, e.y, *R.T.Z, e.z, 0, 0, 0, 1]
        return _assemble(rows, (4, 4))

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Transform):
            return Transform(self.factors + other.factors)
        shape = np.shape(other) if isinstance(other, list | tuple | np.ndarray) else getattr(other, "shape", ())
        if shape in ((3,), (3, 1)):
            return self.e + self.R * vector(other, "the point")
        return self * as_transform(other, "the right factor of a product of transforms")

    __matmul__ = __mul__

    def __rmul__(self, other: Any) -> Any:
        return as_transform(other, "the left factor of a product of transforms") * self

    __rmatmul__ = __rmul__

    def inv(self) -> Transform:
        """The inverse transform: the inverse factors in reverse order."""
        return Transform(f.inv() for f in reversed(self.factors))

    def map(self, function: Callable[[Scalar], Scalar]) -> Transform:
        """The same product with function(scalar) in place of every angle, displacement and element."""
        images: list[Factor] = []
        for f in self.factors:
            if isinstance(f, Turn):
                images.append(Turn(f.axis if f.axis in _PRINCIPAL else f.axis.map(function), function(f.angle)))
            elif isinstance(f, Shift):
                images.append(Shift(f.e.map(function)))
            else:
                images.append(Block(Rotation(*f.R.map(function)), f.e.map(function)))
        return Transform(images)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.matrix, dtype=dtype)

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


def _accumulate(factors: Iterable[Factor]) -> Iterator[tuple[Rotation, Factor | None]]:
    """Yield (rotation before the factor, factor) and last (rotation after all, None).

    The rotation is `before * Turn(axis, angle).R`: as long as the axis stays the same only the angle grows.
    """
    before, last, R = IDENTITY, None, IDENTITY
    for f in factors:
        yield R, f
        if isinstance(f, Turn):
            if last is not None and last.axis == f.axis:
                last = Turn(f.axis, last.angle + f.angle)
            else:
                before, last = R, f
            R = last.R if before is IDENTITY else before * last.R
        elif isinstance(f, Block):
            R = f.R if R is IDENTITY else R * f.R
            last = None
    yield R, None


def trotx(angle: Scalar) -> Transform:
    """Rotation of `angle` (rad) about x."""
    return Transform((Turn(Vector(1, 0, 0), scalar(angle, "the angle of trotx")),))


def troty(angle: Scalar) -> Transform:
    """Rotation of `angle` (rad) about y."""
    return Transform((Turn(Vector(0, 1, 0), scalar(angle, "the angle of troty")),))


def trotz(angle: Scalar) -> Transform:
    """Rotation of `angle` (rad) about z.

    >>> trotz(0.0).R.uy()
    Vector(x=-0.0, y=1.0, z=0)
    """
    return Transform((Turn(Vector(0, 0, 1), scalar(angle, "the angle of trotz")),))


def trot(axis: Any, angle: Scalar) -> Transform:
    """Rotation of `angle` (rad) about `axis` (3 components in the axes where the factor stands; any length but zero).

    Raises InputError when the axis has no direction.

    >>> print(trot((0, 0, 2), 0.5))
    trotz(0.5)
    """
    u = vector(axis, "the axis of trot")
    length = sqrt(dot(u, u))
    if is_number(length) and not np.all(np.asarray(length, dtype=float) > 0):
        raise InputError(f"the axis of trot is {tuple(u)}: expected a vector of non-zero, finite length.")
    for unit in _PRINCIPAL:
        if all(c == 0 for c in cross(u, unit)) and is_number(length) and dot(u, unit) > 0:
            u = unit
            break
    else:
        u = u / length
    turn = Turn(u, scalar(angle, "the angle of trot"))
    fixed = all(isinstance(s, Parameter) for c in u for s in getattr(c, "free_symbols", ()))
    return Transform((turn if fixed else Block(turn.R, ZERO),))


def tdisp(x: Scalar, y: Scalar, z: Scalar) -> Transform:
    """Displacement of x, y, z (m) along the axes of the frame where the factor stands."""
    return Transform((Shift(vcoord(x, y, z)),))


def tquat(e0: Scalar, e1: Scalar, e2: Scalar, e3: Scalar) -> Transform:
    """Rotation given by the unit quaternion e0 + e1 i + e2 j + e3 k (scalar part first; body to ground).

    Raises TransformError when numbers are given whose squares do not sum up to 1.

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
    return Transform((Block(R, ZERO),))


def transform(R: Any, e: Any = (0, 0, 0)) -> Transform:
    """Transform of a 3x3 rotation (SymPy matrix, array, nested list) and a displacement e (m).

    Raises TransformError, naming the entry and how far it is off, when R is not a rotation.

    >>> print(transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (1, 2, 3)).e)
    Vector(x=1, y=2, z=3)
    """
    rotation = Rotation.of(R, "the rotation given to transform")
    check_rotation(rotation, "the rotation given to transform")
    return Transform((Block(rotation, vector(e, "the displacement given to transform")),))


def as_transform(value: Any, what: str) -> Transform:
    """Transform of a Transform or of a raw 4x4 matrix; raises TransformError, naming `what`, otherwise."""
    if isinstance(value, Transform):
        return value
    rows = rows_of(value, 4, 4, what)
    for j, expected in enumerate((0, 0, 0, 1)):
        if not (is_number(rows[3][j]) and abs(float(rows[3][j]) - expected) < 1e-12):
            hint = " It looks transposed: the displacement is the last column." if j < 3 else ""
            raise TransformError(f"{what}: entry (4,{j + 1}) is {rows[3][j]}, expected {expected}.{hint}")
    rotation = Rotation.of([row[:3] for row in rows[:3]], what)
    check_rotation(rotation, what)
    return Transform((Block(rotation, Vector(*(row[3] for row in rows[:3]))),))


def _axes_of(order: str) -> tuple[int, int, int]:
    if not (isinstance(order, str) and len(order) == 3 and set(order) <= set("xyz")):
        raise InputError(f'rotation order {order!r}: expected three letters of x, y, z, such as "zyx" or "zxz".')
    i, j, k = ("xyz".index(c) for c in order)
    if i == j or j == k:
        raise InputError(f"rotation order {order!r}: two turns in a row about the same axis are only one.")
    return i, j, k


def rotation_sequence(order: str, a: Scalar, b: Scalar, c: Scalar) -> Transform:
    """Three turns in a row about the axes named by `order`: "zyx" is trotz(a) * troty(b) * trotx(c).

    The twelve orders of two or three axes are accepted; `T.R.angles(order)` goes back.

    >>> print(rotation_sequence("zyx", 0.3, -0.2, 0.1))
    trotz(0.3) * troty(-0.2) * trotx(0.1)
    """
    turns = (trotx, troty, trotz)
    i, j, k = _axes_of(order)
    return turns[i](a) * turns[j](b) * turns[k](c)


def _assemble(entries: Iterable[Scalar], shape: tuple[int, ...]) -> Any:
    """Array (leading axes first) of numeric entries, SymPy matrix when one of them is symbolic."""
    entries = list(entries)
    if any(isinstance(x, sympy.Basic) for x in entries):
        return sympy.ImmutableDenseMatrix(shape[0], shape[1] if len(shape) > 1 else 1, entries)
    stacked = np.stack(np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in entries)), axis=-1)
    return stacked.reshape(stacked.shape[:-1] + shape)
