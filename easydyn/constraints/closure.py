"""A closed loop: two frames that a joint holds together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.constraints.chain import DISTANCE, JOINTS, MOMENTS, Chain, coincident
from easydyn.constraints.constraint import Constraint, Row
from easydyn.forces.effort import Assembly, react
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.vec import Rotation, Transform, Vector, cross, dot
from easydyn.vec.scalars import Scalar, symbols_of


@answers
class Closure(Constraint):
    """Two frames that a joint holds together, made by `model.close`.

    The load of a multiplier acts on the second frame at its origin; the opposite load acts on the first frame at the
    same point.

    Parameters
    ----------
    first, second : (body, Transform)
        The frames: each a body and a constant frame of it, whose z is the axis of the joint.
    joint : str or tuple of str
        One of `joints.JOINTS`, "distance", or the directions that coincide.
    name : str
        Its name.
    length : scalar (m), optional
        Length of a massless rod between the origins, with "distance".

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("bead")
    >>> x, y = model.coordinates("x y", initial=(0.6, 0.8))
    >>> bead = model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    >>> model.close(bead, ground, joint="distance", length=1)
    Closure 'bead-ground': distance of bead and ground
    """

    joined, added = True, False

    def __init__(
        self, first: tuple[Body | Ground, Transform], second: tuple[Body | Ground, Transform], joint: Any, name: str,
        length: Scalar = None,
    ):  # fmt: skip
        self.first, self.second, self.joint, self.name, self.length = first, second, joint, name, length
        self._moves: tuple[str, ...] = ()
        self._turns: tuple[str, ...] = ()
        self.labels: tuple[str, ...] = (DISTANCE,)
        if joint != DISTANCE:
            self._moves, self._turns = JOINTS[joint] if isinstance(joint, str) else coincident(joint)
            self.labels = (*(f"F{x}" for x in self._moves), *(_moment(pair) for pair in self._turns))

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.first[0], self.second[0]

    @property
    def title(self) -> str:
        return f"the loop over '{self.name}'"

    def expressions(self) -> Iterator[Scalar]:
        yield from (*self.first[1].scalars(), *self.second[1].scalars())
        if self.length is not None:
            yield self.length

    def frames(self, assembly: Assembly) -> tuple[Transform, Transform]:
        """Both frames, in the scalars of an `assembly`."""
        one, other = (assembly.state(b).T * local.map(assembly.value) for b, local in (self.first, self.second))
        return one, other

    def rows(self, assembly: Assembly) -> list[Row]:
        A, B = self.frames(assembly)
        between, rate = B.e - A.e, assembly.calculus.rate
        found = []
        if self.joint == DISTANCE:
            length = assembly.value(self.length)
            value = (dot(between, between) - length * length) / (2 * length)
            return [Row(DISTANCE, value, rate(value), between / length)]
        axes, others = _axes(A.R), _axes(B.R)
        for x in self._moves:
            value = dot(axes[x], between)
            found.append(Row(f"F{x}", value, rate(value), axes[x]))
        for pair in self._turns:
            one, other = axes[pair[0]], others[pair[1]]
            value = dot(one, other)
            found.append(Row(_moment(pair), value, rate(value), moment=cross(other, one)))
        return found

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        one, other = self.bodies
        place = self.frames(assembly)[1].e
        for row, load in loads:
            if self.joint == DISTANCE or row.label.startswith("F"):
                react(assembly, other, one, row.force * load, place)
            else:
                react(assembly, other, one, moment=row.moment * load)

    def lengths(self, number: Callable[[Scalar], float], fixed: Collection[str]) -> str:
        # of a loop whose sides only turn: whether one is longer than all others together
        chain = Chain(self)
        if self.joint != DISTANCE and not chain.a_point:
            return ""
        sides: list[float] = []
        e, R = np.zeros(3), np.eye(3)
        for factor, coordinates in zip(chain.factors, chain.coordinates, strict=True):
            free = {q for q in coordinates if str(q) not in fixed}
            if free & symbols_of(*factor.e):
                return ""  # a side that slides is as long as it must be
            e = e + R @ [number(x) for x in factor.e]
            if free:
                sides, e, R = [*sides, float(np.linalg.norm(e))], np.zeros(3), np.eye(3)
            else:
                R = R @ np.array([[number(x) for x in column] for column in factor.R]).T
        sides.append(float(np.linalg.norm(e)))
        if self.length is not None:
            sides.append(number(self.length))
        *others, longest = sorted(x for x in sides if x > 0) or [0.0]
        if not longest > sum(others):
            return ""
        count = {1: "one", 2: "two", 3: "three", 4: "four"}.get(len(others), str(len(others)))
        together = f"the other {count}" + (" together" if len(others) > 1 else "")
        return f"The longest side, {longest:.6g} m, is longer than {together}, {sum(others):.6g} m."

    def __repr__(self) -> str:
        joint = self.joint if isinstance(self.joint, str) else f"coincidence in {', '.join(self.joint)}"
        one, other = (body.name for body in self.bodies)
        return f"Closure '{self.name}': {joint} of {one} and {other}"


def _axes(R: Rotation) -> dict[str, Vector]:
    """The unit vectors of a frame by name."""
    return dict(zip("xyz", R, strict=True))


def _moment(pair: str) -> str:
    """The component of the moment that goes with a pair of axes."""
    return MOMENTS.get(pair) or MOMENTS[pair[::-1]]
