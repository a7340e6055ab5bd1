"""Vectors, directions, rotation and inertia tensors (sections II and V.D of the paper): the algebra under vec.py.

Notation: `{u}_0` are components in the ground frame 0; `R` (3x3) turns components in a body's axes into ground
components, its columns are the body's unit vectors (eq. 2). Components are any scalar: floats, NumPy arrays (many
states at once), SymPy expressions. Everything here is frozen.
Lengths in m, angles in rad; inertia in kg m2, elements of the tensor (Ixy is the matrix entry: docs/conventions.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.arguments import Attributes, answers
from easydyn.errors import InputError
from easydyn.inputs import expect, finite, is_listed, shown
from easydyn.vec.rigid import quaternions, rows_of
from easydyn.vec.scalars import Scalar, atan2, cos, is_number, one_scalar, scalar, select, sin, sqrt


class Vector(NamedTuple):
    """Three components in one frame; made by `vcoord`. `u + v`, `2*u`, `dot(u, v)`, `cross(u, v)`, `u[0]`, `u.x`.

    Parameters
    ----------
    x, y, z : scalar
        The components, in the unit of the vector; arrays of equal shape represent many states at once.

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

    def __matmul__(self, other: Any) -> Vector:
        raise InputError("u @ v is ambiguous for vectors: write dot(u, v) or cross(u, v).")

    def __rmatmul__(self, matrix: Any) -> Vector:
        return Tensor.of(matrix, "the matrix applied to a vector") * self

    def __truediv__(self, divisor: Any) -> Vector:
        divisor = scalar(divisor, "the divisor of a vector")
        if not isinstance(divisor, np.ndarray) and is_number(divisor) and divisor == 0:
            raise InputError(
                "the divisor of a vector is 0: expected another number (a vector of no length points nowhere)."
            )
        return Vector(self.x / divisor, self.y / divisor, self.z / divisor)

    def __xor__(self, other: Any) -> Vector:
        raise InputError("u ^ v is not the cross product here: in Python ^ binds looser than +. Write cross(u, v).")

    def __rxor__(self, other: Any) -> Vector:
        return self ^ other

    def __eq__(self, other: object) -> bool:
        return tuple(self) == (tuple(other) if isinstance(other, sympy.MatrixBase) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(tuple(self))

    def dot(self, other: Any) -> Scalar:
        """Scalar product with the vector `other` (3,), given in the same frame; its unit is the product of theirs."""
        return dot(self, other)

    def cross(self, other: Any) -> Vector:
        """Vector product (3,) with the vector `other` (3,), given in the same frame: self x other."""
        return cross(self, other)

    def norm(self) -> Scalar:
        """Length of the vector, in its own unit."""
        return sqrt(dot(self, self))

    def map(self, function: Callable[[Scalar], Scalar]) -> Vector:
        """The vector (3,) of `function(component)`."""
        return Vector(function(self.x), function(self.y), function(self.z))

    @property
    def matrix(self) -> Any:
        """The components as an array (..., 3), or as a SymPy column when one of them is symbolic."""
        return assemble(self, (3,))

    def _sympy_(self) -> sympy.ImmutableDenseMatrix:
        return sympy.ImmutableDenseMatrix(3, 1, list(self))

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sympy.latex(self._sympy_())}$"


Vector.__getattr__ = Attributes.__getattr__  # type: ignore[attr-defined]


class Tensor(NamedTuple):
    """A 3x3 tensor, kept as its columns; `A * u` is a Vector, `A * B` a tensor, `A[i, j]` an element.

    Parameters
    ----------
    X, Y, Z : Vector
        The columns (3,).

    Example
    -------
    >>> A = Tensor.of([[1, 2, 0], [0, 1, 0], [0, 0, 1]])
    >>> A[0, 1], A * (0, 1, 0)
    (2, Vector(x=2, y=1, z=0))
    """

    X: Vector
    Y: Vector
    Z: Vector

    @classmethod
    def of(cls, matrix: Any, what: str = "the tensor") -> Any:
        """Tensor of the 3x3 `matrix` (SymPy matrix, array, nested list).

        Raises InputError, naming `what`, for another shape.
        """
        if isinstance(matrix, Tensor):
            return cls(*tuple(matrix))
        rows = rows_of(matrix, 3, 3, what)
        return cls(*(Vector(*(rows[i][j] for i in range(3))) for j in range(3)))

    def __mul__(self, other: Any) -> Any:  # type: ignore[override]
        if isinstance(other, sympy.MatrixBase) and other.shape == (3, 3):
            other = Tensor.of(other, "the matrix that a tensor is multiplied by")
        if isinstance(other, Tensor):
            kind = Rotation if isinstance(self, Rotation) and isinstance(other, Rotation) else Tensor
            return kind(self * other.X, self * other.Y, self * other.Z)
        if not isinstance(other, Vector) and hasattr(other, "_sides"):  # a Transform
            raise InputError(
                f"a tensor times {other!r}: expected a vector, a tensor or a number. With a rotation R write "
                "transform(R) * T, or T1 * T2 and then .R."
            )
        several = isinstance(other, tuple | list | sympy.MatrixBase) or isinstance(other, np.ndarray) and other.ndim > 0
        if not several:
            factor = scalar(other, "the factor of a tensor")
            return self._of_columns(self.X * factor, self.Y * factor, self.Z * factor)
        u = vector(other, "the vector that a tensor is applied to")
        return self.X * u.x + self.Y * u.y + self.Z * u.z

    def __rmul__(self, factor: Any) -> Any:  # type: ignore[override]
        if isinstance(factor, sympy.MatrixBase):
            return Tensor.of(factor, "the matrix that multiplies a tensor") * self
        return self * scalar(factor, "the factor of a tensor")

    def __matmul__(self, other: Any) -> Any:
        return self * other

    def __add__(self, other: Any) -> Any:  # type: ignore[override]
        o = Tensor.of(other, "the tensor added")
        return self._of_columns(self.X + o.X, self.Y + o.Y, self.Z + o.Z)

    def __radd__(self, other: Any) -> Any:
        return self if isinstance(other, int) and other == 0 else self + other  # 0 + I: so that sum() works

    def _of_columns(self, *columns: Vector) -> Tensor:
        """What sums and multiples are: a multiple of a rotation is none."""
        return Tensor(*columns)

    def __getitem__(self, index: Any) -> Any:  # type: ignore[override]
        try:
            if isinstance(index, tuple):
                row, column = index
                return tuple(self)[column][row]
            return tuple(self)[index]
        except (IndexError, TypeError, ValueError):
            raise InputError(f"a tensor has no element {index!r}: expected [row, column], each 0, 1 or 2.") from None

    @property
    def T(self) -> Any:
        """The transpose; of a rotation tensor it is the inverse."""
        return type(self)(*(Vector(*row) for row in zip(self.X, self.Y, self.Z, strict=True)))

    def map(self, function: Callable[[Scalar], Scalar]) -> Tensor:
        """The tensor (3x3) of `function(element)`."""
        return Tensor(self.X.map(function), self.Y.map(function), self.Z.map(function))

    @property
    def matrix(self) -> Any:
        """The elements as an array (..., 3, 3), or as a SymPy matrix when one of them is symbolic."""
        return assemble([self[i, j] for i in range(3) for j in range(3)], (3, 3))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(self.matrix, dtype=dtype)

    def _sympy_(self) -> sympy.ImmutableDenseMatrix:
        return sympy.ImmutableDenseMatrix(3, 3, [self[i, j] for i in range(3) for j in range(3)])

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {sympy.latex(self._sympy_())}$"


Tensor.__getattr__ = Attributes.__getattr__  # type: ignore[attr-defined]


class Rotation(Tensor):
    """Rotation tensor R_0i: its columns are the unit vectors of frame i in the axes of frame 0 (eq. 2).

    Parameters
    ----------
    X, Y, Z : Vector
        The unit vectors (3,).

    Example
    -------
    >>> from easydyn import trotz
    >>> R = trotz(0.5).R
    >>> bool(abs((R * R.inv()).matrix - IDENTITY.matrix).max() < 1e-15)
    True
    """

    _factors: Any = None  # of a product of transforms: what quaternions of symbols are made of

    def ux(self) -> Vector:
        """Unit vector x of the frame, in ground components (3,)."""
        return self.X

    def uy(self) -> Vector:
        """Unit vector y of the frame, in ground components (3,)."""
        return self.Y

    def uz(self) -> Vector:
        """Unit vector z of the frame, in ground components (3,)."""
        return self.Z

    def inv(self) -> Rotation:
        """The inverse (3x3), which is the transpose."""
        return self.T

    def angles(self, order: str) -> tuple[Scalar, Scalar, Scalar]:
        """Angles (a, b, c) in rad with R = R_i(a) R_j(b) R_k(c) for the axes `order` = "ijk", e.g. "zyx" or "zxz".

        The six orders of three different axes give b in [-pi/2, pi/2], the six with the first axis repeated b in
        [0, pi]. Where the sequence is singular (b = -pi/2 or pi/2; 0 or pi) the third angle is set to zero. Raises
        InputError for any other order.

        >>> from easydyn import rotation_sequence
        >>> a, b, c = rotation_sequence("zyx", 0.3, -0.2, 0.1).R.angles("zyx")
        >>> round(a, 12), round(b, 12), round(c, 12)
        (0.3, -0.2, 0.1)
        """
        R: Any = self
        i, j, k = axes_of(order)
        m = 3 - i - j
        sign = 1 if (j - i) % 3 == 1 else -1
        if i == k:
            s, c = sqrt(R[i, j] ** 2 + R[i, m] ** 2), R[i, i]
            a, small = atan2(R[j, i], -sign * R[m, i]), s
        else:
            s, c = sign * R[i, k], sqrt(R[i, i] ** 2 + R[i, j] ** 2)
            a, small = atan2(-sign * R[j, k], R[k, k]), c
        if not is_number(small):  # of symbols, the shorter formula
            last = atan2(R[i, j], sign * R[i, m]) if i == k else atan2(-sign * R[i, j], R[i, i])
            return a, atan2(s, c), last
        singular = small < 4e-15  # of rounding; the third angle is then worth no more
        a = select(singular, atan2(sign * R[m, j], R[j, j]), a)
        row = [cos(a) * R[j, n] + sign * sin(a) * R[m, n] for n in range(3)]  # of R_i(-a) R = R_j(b) R_k(c)
        last = atan2(-sign * row[m], row[j]) if i == k else atan2(sign * row[i], row[j])
        return a, atan2(s, c), select(singular, 0.0, last)


    @answers
    def quaternion(self) -> tuple[Scalar, Scalar, Scalar, Scalar]:
        """Unit quaternion (4,) of the rotation, scalar first (no unit): `tquat` goes back.

        For numbers e0 >= 0, and the largest component decides, so that half a turn is as good as any other rotation.
        Of symbols it is the product of the quaternions of the factors, as they were written: cos and sin of half
        angles, the symbols of a `tquat`; no sign is chosen. Raises InputError for symbols in a matrix.

        >>> from easydyn import trotx
        >>> trotx(3.14159265358979).R.quaternion()[1]
        1.0
        """
        if not self._of_numbers():
            e: Any = (1, 0, 0, 0)
            for turn in self._turns("a quaternion"):
                (a, *u), (b, *v) = e, turn.quaternion()
                u, v = Vector(*u), Vector(*v)
                e = (a * b - dot(u, v), *(u * b + v * a + cross(u, v)))
            return e
        e = quaternions(np.asarray(self.matrix, dtype=float))
        e = np.where(e[..., :1] < 0, -e, e)
        return tuple(e.tolist() if e.ndim == 1 else np.moveaxis(e, -1, 0))

    @answers
    def rotation_vector(self) -> Vector:
        """Unit vector of the axis times the angle (rad), (3,): the same components in the axes before and after.

        For numbers it is at most pi long. Of symbols it is one formula where the factors are turns about one axis;
        raises InputError for others.

        >>> from easydyn import trotz
        >>> trotz(0.25).R.rotation_vector()
        Vector(x=0.0, y=0.0, z=0.25)
        """
        if not self._of_numbers():
            turns = self._turns("a rotation vector")
            if len(turns) > 1 or not all(hasattr(turn, "angle") for turn in turns):
                raise InputError(
                    "a rotation vector of symbols is one formula only of turns about one axis: take R.quaternion(), "
                    "whose last three components are about half of it, or give numbers."
                )
            return sum((turn.axis * turn.angle for turn in turns), ZERO)
        e0, *e = self.quaternion()
        u = Vector(*e)
        size = u.norm()
        some = size > 0
        return u * select(some, 2 * atan2(size, e0) / select(some, size, 1.0), 2.0)

    def _of_numbers(self) -> bool:
        return all(is_number(x) for column in self for x in column)

    def _turns(self, what: str) -> list[Any]:
        """The factors that turn, those about the same axis as one; InputError names `what` a matrix has not."""
        if self._factors is None:
            raise InputError(
                f"{what} of a matrix of symbols is no single formula: take it of the .R of a product of transforms, "
                "such as (A.T.inv() * B.T).R, or give numbers."
            )
        found: list[Any] = []
        for f in self._factors:
            if found and hasattr(f, "angle") and getattr(found[-1], "axis", None) == f.axis:
                f = f._replace(angle=found.pop().angle + f.angle)
            if getattr(f, "angle", f.R is not IDENTITY) != 0:
                found.append(f)
        return found


class Inertia(Tensor):
    """Inertia tensor (kg m2) about a point, in some axes; made by `inertia_tensor`.

    Parameters
    ----------
    X, Y, Z : Vector
        The columns (3,).

    Example
    -------
    >>> I = inertia_tensor(1, 2, 3)
    >>> I * (0, 0, 10)
    Vector(x=0, y=0, z=30)
    """

    def _of_columns(self, *columns: Vector) -> Inertia:
        return Inertia(*columns)

    def rotated(self, R: Tensor) -> Inertia:
        """The same tensor (kg m2) in other axes: R I R^T; `R` (3x3) turns components in the old axes into new ones."""
        R = R if isinstance(R, Tensor) else Rotation.of(R, "the rotation")
        return Inertia(*(R * self * R.T))

    def moved(self, mass: Scalar, displacement: Any) -> Inertia:
        """About a point that is `displacement` (m, 3 components) away from the centre of mass of a body of `mass` (kg).

        I + m (d.d 1 - d d^T), the theorem of Huygens and Steiner (kg m2).

        >>> inertia_tensor(0, 0, 1/12).moved(1, (0, 0.5, 0)).Z.z
        0.3333333333333333
        """
        d = vector(displacement, "displacement")
        dd = dot(d, d)
        unit = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
        return Inertia(*(column + (u * dd - d * dot(d, u)) * mass for column, u in zip(self, unit, strict=True)))


@answers
def vcoord(x: Scalar, y: Scalar, z: Scalar) -> Vector:
    """The vector of components `x`, `y`, `z`: numbers, arrays or SymPy expressions, in the unit of the vector.

    Raises InputError for a component that is not a scalar.

    >>> vcoord(0, -1.2, 0).norm()
    1.2
    """
    return Vector(scalar(x, "component x"), scalar(y, "component y"), scalar(z, "component z"))


def vector(value: Any, what: str = "the vector") -> Vector:
    """Vector of the three scalars of `value`: a tuple, list, array (3,) or SymPy column.

    Raises InputError, naming `what`, otherwise.

    >>> vector([1, 2, 3])
    Vector(x=1, y=2, z=3)
    """
    if isinstance(value, Vector):
        return value
    if isinstance(value, sympy.MatrixBase):
        value = value.flat()
    if not is_listed(value):
        raise InputError(f"{what} is {shown(value)} ({type(value).__name__}): expected three components (x, y, z).")
    components = list(value)
    if len(components) != 3:
        raise InputError(f"{what} has {len(components)} components: expected three, (x, y, z).")
    return Vector(*(scalar(c, f"component {n} of {what}") for n, c in zip("xyz", components, strict=True)))


def singles(value: Any, what: str) -> Vector:
    """The same with one scalar in each place: InputError, naming `what`, for arrays of several."""
    return vector(value, what).map(lambda c: one_scalar(c, what))


@answers
def dot(u: Any, v: Any) -> Scalar:
    """Scalar product u . v of two vectors `u` and `v` (3,) given in the same frame; its unit is the product of theirs.

    Raises InputError for anything without three components.

    >>> dot((1, 2, 3), (4, 5, 6))
    32
    """
    u, v = vector(u, "the first vector of dot"), vector(v, "the second vector of dot")
    return u.x * v.x + u.y * v.y + u.z * v.z


@answers
def cross(u: Any, v: Any) -> Vector:
    """Vector product u x v (3,) of two vectors `u` and `v` (3,) given in the same frame.

    Raises InputError for anything without three components.

    >>> cross((1, 0, 0), (0, 1, 0))
    Vector(x=0, y=0, z=1)
    """
    u, v = vector(u, "the first vector of cross"), vector(v, "the second vector of cross")
    return Vector(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)


@answers
def axial(W: Tensor) -> Vector:
    """The vector w (3,) of a skew tensor `W` (3x3), in the unit of W: W u = w x u (eq. 37).

    >>> axial(Tensor.of([[0, -3, 2], [3, 0, -1], [-2, 1, 0]]))
    Vector(x=1, y=2, z=3)
    """
    W = W if isinstance(W, Tensor) else Tensor.of(W, "the skew tensor")
    return Vector(W[2, 1], W[0, 2], W[1, 0])


@answers
def inertia_tensor(Ixx: Scalar, Iyy: Scalar, Izz: Scalar, Ixy: Scalar = 0, Iyz: Scalar = 0, Ixz: Scalar = 0) -> Inertia:
    """Inertia tensor of a body from its elements.

    Parameters
    ----------
    Ixx, Iyy, Izz : scalar (kg m2)
        Moments of inertia.
    Ixy, Iyz, Ixz : scalar (kg m2)
        Elements of the matrix, i.e. Ixy is minus the integral of x y dm; 0 by default.

    Returns
    -------
    Inertia
        A tensor (3x3).

    Raises
    ------
    InputError
        An element that is not a scalar.

    Example
    -------
    >>> inertia_tensor(1, 2, 3, 0.1)[0, 1]
    0.1
    """
    given = {"Ixx": Ixx, "Iyy": Iyy, "Izz": Izz, "Ixy": Ixy, "Iyz": Iyz, "Ixz": Ixz}
    xx, yy, zz, xy, yz, xz = (scalar(x, f"{name} of an inertia tensor") for name, x in given.items())
    return Inertia(Vector(xx, xy, xz), Vector(xy, yy, yz), Vector(xz, yz, zz))


_kind: Any
for _kind in (Vector, Tensor):  # number * vector comes back to __rmul__ here, also for NumPy's and SymPy's numbers
    _kind.__array_ufunc__ = None
    _kind._op_priority = 1000.0

IDENTITY = Rotation(Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
ZERO = Vector(0, 0, 0)


def axes_of(order: str) -> tuple[int, int, int]:
    """Indices (i, j, k) of the axes named by `order`, such as "zyx".

    Raises InputError for anything but three letters of x, y, z, and for the same letter twice in a row.
    """
    if not (isinstance(order, str) and len(order) == 3 and set(order) <= set("xyz")):
        raise InputError(f'rotation order {order!r}: expected three letters of x, y, z, such as "zyx" or "zxz".')
    i, j, k = ("xyz".index(c) for c in order)
    if i == j or j == k:
        raise InputError(f"rotation order {order!r}: two turns in a row about the same axis are only one.")
    return i, j, k


def assemble(entries: Iterable[Scalar], shape: tuple[int, ...]) -> Any:
    """Array (leading axes first) of numeric entries, SymPy matrix when one of them is symbolic."""
    entries = list(entries)
    if any(isinstance(x, sympy.Basic) for x in entries):
        return sympy.ImmutableDenseMatrix(shape[0], shape[1] if len(shape) > 1 else 1, entries)
    stacked = np.stack(np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in entries)), axis=-1)
    return stacked.reshape(stacked.shape[:-1] + shape)


AXES = {"x": Vector(1, 0, 0), "y": Vector(0, 1, 0), "z": Vector(0, 0, 1)}


def direction(given: Any, what: str) -> Vector:
    """The unit vector of "x", "y", "z" or of three numbers; InputError, naming `what`, otherwise."""
    if isinstance(given, str) and given in AXES:
        return AXES[given]
    n = vector(given, what)
    expect(all(map(is_number, n)), what, tuple(n), "numbers; put angles into the frames instead")
    u = np.array([finite(c, f"a component of {what}") for c in n])
    norm = float(np.linalg.norm(u))
    expect(norm > 0 and np.isfinite(norm), what, tuple(n), "a vector that is not zero")
    exact = np.array_equal(np.abs(u), np.eye(3)[int(np.argmax(np.abs(u)))])
    return Vector(*(int(x) for x in u)) if exact else Vector(*map(float, u / norm))
