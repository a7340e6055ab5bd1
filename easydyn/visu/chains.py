"""The joints of a mechanism, read off the products that the user wrote.

T = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2/2, 0) is a chain. A factor that depends on a coordinate or
on time is a joint; the factors between two joints form a rigid part. Bodies whose products begin alike share the
beginning. A `Node` is the frame that a joint moves; the ground is the first one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy

from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Parameter
from easydyn.vec import Factor, Shift, Transform, Turn, Vector
from easydyn.vec.scalars import Scalar
from easydyn.visu.shapes import number


@dataclass(eq=False)
class Node:
    """A frame that a joint moves, and what is rigidly attached to it.

    Attributes
    ----------
    T : Transform
        From the ground to the frame, the joint included.
    joint : Turn, Shift, Block or None
        The last factor of T; None for the ground.
    parent : Node or None
    offset : Transform
        From the parent's frame to the place of the joint: constant.
    bodies : list of (Body, Transform)
        Those attached, with their constant transforms from the frame.
    children : list of Node
        Frames whose joints are attached.
    """

    T: Transform = field(default_factory=Transform)
    joint: Factor | None = None
    parent: Node | None = None
    offset: Transform = field(default_factory=Transform)
    bodies: list[tuple[Body, Transform]] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    @cached_property
    def direction(self) -> Vector | None:
        """Direction (of any length but zero) of a displacement along a straight line; otherwise None."""
        if not isinstance(self.joint, Shift):
            return None
        e = self.joint.e
        moving = [k for k in range(3) if moves(e[k])]
        first = e[moving[0]]
        if len(moving) == 1:
            return Vector(*(int(k == moving[0]) for k in range(3)))
        ratios: list[Scalar] = [0, 0, 0]
        for k in moving:  # all components change in the same proportion, whatever changes
            found = set()
            for s in sorted(e[k].free_symbols | first.free_symbols, key=str):
                if not isinstance(s, Parameter):
                    slope, other = sympy.diff(first, s), sympy.diff(e[k], s)
                    if slope != 0 and _differs(other / slope):  # seen in numbers: cancelling roots may take minutes
                        return None
                    found.add(sympy.cancel(other / slope) if slope != 0 else sympy.nan)
            if len(found) != 1 or moves(ratio := found.pop()) or ratio in (0, sympy.nan):
                return None
            ratios[k] = ratio
        return Vector(*ratios)

    @property
    def free(self) -> bool:
        """True when nothing guides the motion: several components of a displacement change, not along a line."""
        return isinstance(self.joint, Shift) and self.direction is None

    @property
    def flies(self) -> bool:
        """True when a free motion leads to the frame."""
        return self.free or (self.parent is not None and self.parent.flies)

    @property
    def unattached(self) -> bool:
        """True when the frame is reached from the ground without a joint that could be drawn."""
        if self.parent is None or self.bodies:
            return False
        if isinstance(self.joint, Turn) and not self.parent.unattached:
            return False
        return self.free or not isinstance(self.joint, Shift) or self.parent.unattached


def _differs(ratio: sympy.Expr) -> bool:
    """True of an expression with other values at two places, for the same parameters: a quick look, no proof."""
    symbols = sorted(ratio.free_symbols, key=str)
    places = (
        {s: sympy.Float(0.31 + 0.17 * k + (0 if isinstance(s, Parameter) else step * (k + 1)))
         for k, s in enumerate(symbols)} for step in (0, 0.06)
    )  # fmt: skip
    found = [sympy.sympify(ratio.xreplace(place)).evalf() for place in places]
    if not all(x.is_number and x.is_finite for x in found):
        return False
    one, two = map(complex, found)
    return abs(one - two) > 1e-6 * (abs(one) + abs(two))


def chains(bodies: Iterable[Body]) -> Node:
    """The ground's node, with all others below it."""
    root = Node()
    known: dict[tuple[Factor, ...], Node] = {}
    for body in bodies:
        node, path, since = root, (), []  # type: tuple[Node, tuple[Factor, ...], list[Factor]]
        for factor in split(body.T.factors):
            if not any(map(moves, Transform((factor,)).scalars())):
                since.append(factor)
                continue
            path = (*path, *since, factor)
            if path not in known:
                child = Node(Transform(path), factor, node, Transform(since))
                known[path] = child
                node.children.append(child)
            node, since = known[path], []
        node.bodies.append((body, Transform(since)))
    return root


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, nearest to the ground first."""
    yield node
    for child in node.children:
        yield from walk(child)


class Joined:
    """The mechanism of a scene, by its joints and in numbers; whoever draws it goes on from here."""

    def __init__(self, scene: Any):
        self.scene, self.m, self._values = scene, scene.system.mechanism, scene.values
        self.root = chains(self.m.bodies)
        self.nodes = list(walk(self.root))

    def value(self, scalar: Any) -> float:
        return number(scalar, self._values)

    def vector(self, u: Any) -> np.ndarray:
        return np.array([self.value(c) for c in u])

    def matrix(self, T: Transform) -> np.ndarray:
        return np.array(T.map(self.value).matrix, dtype=float).reshape(4, 4)


def joints(root: Node) -> Iterator[tuple[Node, Node, bool]]:
    """First and last node of each joint between two bodies, or between the ground and one, and whether it is free."""
    for node in walk(root):
        if node.parent is not None and (node.parent is root or node.parent.bodies):
            last, free = node, node.free
            while not last.bodies and len(last.children) == 1:
                last = last.children[0]
                free = free or last.free
            yield node, last, free


def label(node: Node, first: Node | None = None) -> str:
    """Coordinates or time that move the joint of a node, or all joints from the node `first` to it."""
    found: list[str] = []
    while True:
        symbols = Transform((node.joint,)).free_symbols if node.joint is not None else set()
        found = [*sorted(str(s) for s in symbols if moves(s)), *found]
        if node is (first or node) or node.parent is None:
            return ", ".join(dict.fromkeys(found))
        node = node.parent


def moves(scalar: Scalar) -> bool:
    """True when a scalar depends on a coordinate or on time."""
    return any(not isinstance(s, Parameter) for s in getattr(scalar, "free_symbols", ()))


def split(factors: Iterable[Factor]) -> Iterator[Factor]:
    """The factors, with sums of a moving and a constant part split in two: trotz(q + a) as trotz(q) * trotz(a)."""
    for factor in factors:
        if isinstance(factor, Turn):
            moving, fixed = _parts(factor.angle)
            if moving != 0 and fixed != 0:
                yield from (Turn(factor.axis, moving), Turn(factor.axis, fixed))
                continue
        elif isinstance(factor, Shift):
            pairs = [_parts(c) for c in factor.e]
            moving_e, fixed_e = (Vector(*(pair[k] for pair in pairs)) for k in (0, 1))
            if any(c != 0 for c in moving_e) and any(c != 0 for c in fixed_e):
                yield from (Shift(moving_e), Shift(fixed_e))
                continue
        yield factor


def _parts(scalar: Any) -> tuple[Scalar, Scalar]:
    """(what moves, what does not) of a sum."""
    if not moves(scalar):
        return 0, scalar
    terms = sympy.Add.make_args(scalar)
    moving = [x for x in terms if moves(x)]
    return sympy.Add(*moving), sympy.Add(*(x for x in terms if not moves(x)))
