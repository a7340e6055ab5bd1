"""The chain of a loop, and the scalar equations that follow from it.

A chain of rotations and displacements leads from the first frame of a closure to the second. If the chain is cut
anywhere, the origins of the first and of the second frame, as seen from the cut, are the same point:

    a_k = (F_1 ... F_k)^-1 0,      b_k = F_k+1 ... F_m 0,      a_k = b_k

Its components are scalar equations, and so are the distances |a_k| = |b_k|, which do not contain the rotations at the
cut. Some of these equations have only one unknown. For example, a rod with its joints gives an equation between the
coordinates of its ends; and a rotation about an axis does not change the component along the axis.

If both frames have an axis n in common, it gives three more equations, as seen from the cut: for its direction, for the
distance of a plane normal to it, and for the moment of a line along it:

    n_a = (R_1 ... R_k)' n,    n_b = R_k+1 ... R_m n,    n_a = n_b,    n_a.a_k = n_b.b_k,    a_k x n_a = b_k x n_b

Joints keep some of these quantities at zero. With the axes x, y, z of the first frame (z along the axis of the joint),
those of the second, and the vector r from the origin of the first to that of the second, in the axes of the first:

    displacement  r.x, r.y, r.z        rotation  y.z', x.z', x.y'   (a dash: of the second frame)

A rotation about the axis is free when only y.z' and x.z' are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

import sympy

from easydyn.engine.kept import Kept
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import ZERO, Factor, Transform, Turn, Vector, cross, dot
from easydyn.vec.tensors import AXES

Value = Callable[[Any], Any]


class Read(NamedTuple):
    """The selection of an equation, as seen from a cut.

    Attributes
    ----------
    what : str
        "x", "y", "z", a component; "square" of what it is; "plane", a distance; or a row of the closure by its label.
    cut : int
        Number of factors before the cut.
    of : str
        "" of the point, "x", "y" or "z" of an axis that both frames have in common, "along z" of a line along it.
    """

    what: str
    cut: int
    of: str = ""


class Chain:
    """The factors from the first frame of a closure to the second.

    Parameters
    ----------
    closure : Closure
        Between two bodies, or a body and the ground.
    """

    def __init__(self, closure: Any):
        one, other = (body.T * local for body, local in (closure.first, closure.second))
        here, there = list(one.factors), list(other.factors)
        while here and there and here[0] == there[0]:
            here, there = here[1:], there[1:]
        self.closure = closure
        self.factors: list[Factor] = [*(f.inv() for f in reversed(here)), *there]
        self.a_point = closure.joint != DISTANCE and {"Fx", "Fy", "Fz"} <= set(closure.labels)
        self.axes = "".join(n for n in "xyz" if _common(n, set(closure.labels)))

    @cached_property
    def coordinates(self) -> list[set[Coordinate]]:
        """The coordinates in each factor."""
        return [{s for s in Transform((f,)).free_symbols if isinstance(s, Coordinate)} for f in self.factors]

    def reads(self, wanted: Collection[Coordinate], axes: Collection[str]) -> Iterator[Read]:
        """The available equations, at cuts next to `wanted` coordinates; `axes` are the axes in common."""
        closure = self.closure
        if closure.joint == DISTANCE:
            yield Read("square", 0)
            return
        yield from (Read(label, 0) for label in closure.labels if not (self.a_point and label.startswith("F")))
        beside = {c for k, inside in enumerate(self.coordinates) if not inside.isdisjoint(wanted) for c in (k, k + 1)}
        for k in sorted(beside):
            if self.a_point:
                yield from (Read(what, k) for what in ("x", "y", "z", "square"))
            for n in axes:
                yield from (Read(what, k, n) for what in "xyz")
                across = {f"F{x}" for x in "xyz" if x != n} <= set(closure.labels)
                if f"F{n}" in closure.labels and not self.a_point:
                    yield Read("plane", k, n)
                elif across and not self.a_point:
                    yield from (Read(what, k, f"along {n}") for what in ("x", "y", "z", "square"))


def placed_once(closure: Any, value: Any) -> Placed:
    """The chain of a closure in the nodes of a derivation, whose `value` keeps it as long as symbols mean the same."""
    return value.kept.of(closure, lambda: Placed(Chain(closure), value))  # type: ignore[no-any-return]


class Placed:
    """A chain in the scalars of an assembly: its points, and its equations."""

    def __init__(self, chain: Chain, value: Value):
        self.chain, self.value = chain, value
        self.factors = Transform(chain.factors).map(value).factors
        self.angles = {k: f.angle for k, f in enumerate(self.factors) if isinstance(f, Turn)}
        self.trigonometric = Kept()  # A, B, C of equations, by their nodes and factors
        m = len(self.factors)
        self.left, self.right = [ZERO] * (m + 1), [ZERO] * (m + 1)
        for k, f in enumerate(self.factors):
            self.left[k + 1] = f.R.T * (self.left[k] - f.e)
        for k in range(m - 1, -1, -1):
            f = self.factors[k]
            self.right[k] = f.e + f.R * self.right[k + 1]

    def equation(self, read: Read) -> Any:
        """The expression that is zero."""
        closure, k = self.chain.closure, read.cut
        if closure.joint == DISTANCE:
            length = self.value(closure.length)
            first = self._after(0)
            return dot(self.right[first], self.right[first]) - length * length
        if read.what[0] in "FM":
            return self._row(read.what)
        if read.of:
            return self._of_an_axis(read)
        if read.what == "square":
            before, after = self._before(k), self._after(k)
            return dot(self.left[before], self.left[before]) - dot(self.right[after], self.right[after])
        place = "xyz".index(read.what)
        return self.left[k][place] - self.right[k][place]

    def _of_an_axis(self, read: Read) -> Any:
        """What is zero of an axis that both frames have in common."""
        before = after = read.cut
        if read.what in ("plane", "square"):
            before, after = self._before(before), self._after(after)
        one, other = self.directions[read.of[-1]]
        here, there = one[before], other[after]
        if read.what == "plane":
            return dot(here, self.left[before]) - dot(there, self.right[after])
        if read.of.startswith("along"):
            here, there = cross(self.left[before], here), cross(self.right[after], there)
        if read.what == "square":
            return dot(here, here) - dot(there, there)
        place = "xyz".index(read.what)
        return here[place] - there[place]

    def along(self, n: str) -> Any:
        """1 if a common axis points in the same direction in both frames, -1 if not."""
        one, other = self.directions[n]
        return dot(one[0], other[0])

    @cached_property
    def directions(self) -> dict[str, tuple[list[Vector], list[Vector]]]:
        """Common axes as seen from each cut: the axis of the first frame, and that of the second."""
        found = {}
        for n in self.chain.axes:
            one = accumulate(self.factors, lambda x, f: f.R.T * x, initial=AXES[n])
            other = accumulate(reversed(self.factors), lambda x, f: f.R * x, initial=AXES[n])
            found[n] = [*one], [*other][::-1]
        return found

    def _after(self, k: int) -> int:
        """The cut behind turns, which do not change the distance of what follows."""
        while k < len(self.factors) and isinstance(self.factors[k], Turn):
            k += 1
        return k

    def _before(self, k: int) -> int:
        while k > 0 and isinstance(self.factors[k - 1], Turn):
            k -= 1
        return k

    def _row(self, label: str) -> Any:
        """A row of the closure in the axes of the first frame."""
        if label.startswith("F"):
            return self.right[0]["xyz".index(label[1])]
        one, other = {"Mx": ("y", "z"), "My": ("x", "z"), "Mz": ("x", "y")}[label]
        column = AXES[other]
        for f in reversed(self.factors):
            column = f.R * column
        return column["xyz".index(one)]


def _common(n: str, labels: set[str]) -> bool:
    """True for an axis that the rows of a closure keep in common."""
    locked = {f"M{x}" for x in "xyz" if x != n}
    return locked <= labels


@lru_cache(maxsize=1000)
def slope_of(expression: Any, coordinate: Coordinate) -> Any:
    """The factor of a coordinate in an expression that is linear in it, a number; None for any other."""
    if not isinstance(expression, sympy.Expr):
        return None
    slope = sympy.diff(expression, coordinate)
    return float(slope) if slope.is_number and slope != 0 else None


# For each joint: which components of r are zero, and which pairs of axes (of the first, of the second) stay normal.
JOINTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "revolute": (("x", "y", "z"), ("yz", "xz")),
    "prismatic": (("x", "y"), ("yz", "xz", "xy")),
    "cylindrical": (("x", "y"), ("yz", "xz")),
    "spherical": (("x", "y", "z"), ()),
    "universal": (("x", "y", "z"), ("xy",)),
    "planar": (("z",), ("yz", "xz")),
    "weld": (("x", "y", "z"), ("yz", "xz", "xy")),
}
DISTANCE = "distance"  # a rod between the origins, and no joint
COMPONENTS = ("x", "y", "z", "rx", "ry", "rz")
TURNS = {"rx": "yz", "ry": "xz", "rz": "xy"}  # what stays normal when a rotation about this axis is locked
MOMENTS = {"yz": "Mx", "xz": "My", "xy": "Mz"}


def coincident(components: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The equations of coincident directions: `("x", "y", "rz")` are two displacements and a rotation of frame 1.

    With one free rotation, its axis keeps its direction. A single locked rotation keeps two axes perpendicular.
    """
    free = [x for x in ("rx", "ry", "rz") if x not in components]
    turns: tuple[str, ...] = tuple(TURNS[x] for x in components if x in TURNS)
    if len(free) == 1:
        axis = free[0][1]
        turns = tuple(f"{x}{axis}" for x in "xyz" if x != axis)
    return tuple(x for x in "xyz" if x in components), turns
