"""Closed forms: coordinates that follow from others by formulas, found from the loops that were declared.

An equation of a chain with one unknown is an equation of an angle (angle.py), or a polynomial of first or of second
degree (polynomial.py). Two equations of one angle give its direction. Angles of a parallelogram keep their difference,
or stay constant; no root shows this where the parallelogram is flat. The sign of a root selects the way in which the
loop is assembled; it is kept along a run.

Each kind is a class, and a line of `KINDS` in search.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from easydyn.constraints.chain import Chain, Placed, Read, placed_once, slope_of
from easydyn.engine.derivatives import gradient
from easydyn.engine.graph import reachable
from easydyn.mechanics.symbols import Coordinate, Parameter

TRIVIAL = 1e-10  # of what the coefficients of an equation could be


@dataclass(frozen=True)
class Form(ABC):
    """The formula by which a coordinate follows from others.

    Attributes
    ----------
    coordinate : Coordinate
        The dependent coordinate.
    constraint : Constraint
        The constraint with the equations.
    by : frozenset of Coordinate
        The independent coordinates on which it finally depends.
    said : str
        The way, in words.
    of_these_lengths : bool
        True if it holds only with these lengths.
    wraps : bool
        True for an angle that jumps by whole turns along a motion, as an arctangent does.
    """

    coordinate: Coordinate
    constraint: Any = None
    by: frozenset[Coordinate] = frozenset()

    said: ClassVar[str]
    of_these_lengths: ClassVar[bool] = False
    two: ClassVar[bool] = False  # solutions
    wraps: ClassVar[bool] = False

    @property
    def branch(self) -> Parameter | None:
        """The parameter (1 or -1) that selects one of two solutions; None if there is only one."""
        return Parameter(f"{self.coordinate}:branch") if self.two else None

    @abstractmethod
    def node(self, s: Solving) -> Any:
        """The coordinate in nodes of a derivation, in which an input stands for it so far."""

    def on(self, derivation: Any, unknown: Any) -> Solving:
        """Its equations in nodes of a derivation, in which an input `unknown` stands for the coordinate."""
        return Solving(self, derivation, unknown)

    def margin(self, s: Solving) -> Any:
        """The radicand relative to its largest value: near zero two solutions meet, below zero there is none."""
        return s.g.one

    def may_end(self, s: Solving) -> bool:
        """True if two solutions may meet, or a direction may be lost: its margin must then be checked."""
        return self.branch is not None

    def gradient(self, s: Solving) -> Any:
        """Derivative of the equation by the unknown, relative to its largest value: zero at a dead point."""
        return s.g.one

    def solutions(self, s: Solving) -> tuple[Any, Any]:
        """The coordinate in nodes, for both signs of the root; twice the same if there is no root."""
        node = self.node(s)
        return node, node


@dataclass(frozen=True)
class Kind(Form):
    """A form that solves equations.

    Attributes
    ----------
    reads : tuple of Read
        The equations of a chain; empty for a constraint that is an equation.
    factor : int
        The factor of the chain that contains the coordinate.
    rank : int
        Order of the kinds, the simplest first.
    """

    reads: tuple[Read, ...] = ()
    factor: int = -1

    rank: ClassVar[int]

    # -- how it is found --------------------------------------------------------------------------------------------

    @classmethod
    @abstractmethod
    def candidates(cls, coordinate: Coordinate, equations: Sequence[ReadEquation]) -> Iterator[Kind]:
        """The forms of this kind that a coordinate may have, from equations in which it is the only unknown."""

    @abstractmethod
    def coefficients(self, s: Solving) -> list[Any]:
        """The coefficients of its solution, in nodes."""

    @abstractmethod
    def judged(self, numbers: Any, size: float) -> tuple[float, Kind] | None:
        """Its margin from the coefficients in numbers, and the form itself, settled; None if it does not hold.

        `size` is a length of the mechanism (m).
        """

    def everywhere(self, coefficients: Sequence[Any]) -> bool:
        """True if its equation is of its kind at every configuration, by its coefficients in nodes."""
        return True

    # -- what it gives ----------------------------------------------------------------------------------------------

    @abstractmethod
    def solution(self, s: Solving, branch: Any) -> Any:
        """Compute the unknown; `branch` is the sign of the root (1 or -1)."""

    def declared(self, s: Solving, branch: Any) -> Any:
        """The same; the graph records the equations that it solves, and differentiates it by them."""
        return self.solution(s, branch)

    def node(self, s: Solving) -> Any:
        return self.declared(s, None if self.branch is None else s.d.value(self.branch))

    def solutions(self, s: Solving) -> tuple[Any, Any]:
        plus = self.solution(s, s.g.one)
        return plus, plus if self.branch is None else self.solution(s, -s.g.one)


@dataclass(frozen=True)
class ReadEquation:
    """An equation of a constraint, and the coordinates in it.

    Attributes
    ----------
    constraint : Constraint
        Whose.
    chain, read : Chain, Read or None
        The chain and the selection of the equation; None for a constraint that is an equation.
    coordinates : frozenset of Coordinate
        All coordinates in the equation.
    turns : frozenset of int
        The positions of the factors of the chain that are rotations in it.
    """

    constraint: Any
    chain: Chain | None
    read: Read | None
    coordinates: frozenset[Coordinate]
    turns: frozenset[int] = frozenset()

    def place(self, coordinate: Coordinate) -> int:
        """The factor of the chain that contains a coordinate; -1 if there are several, or none."""
        if self.chain is None or self.read is None:
            return -1
        places = [k for k, inside in enumerate(self.chain.coordinates) if coordinate in inside]
        if len(places) > 1:  # angles from the ground stand in two turns; which of these is in the equation?
            places = [k for k in places if k in self.turns]
        return places[0] if len(places) == 1 else -1


class Solving:
    """The equations of a form on a graph.

    Parameters
    ----------
    form : Form
        The form to solve.
    derivation : Derivation
        With nodes for all symbols; the coordinate itself is an input, `unknown`.
    unknown : Node
        The input that stands for the coordinate.
    """

    def __init__(self, form: Any, derivation: Any, unknown: Any):
        self.form, self.d, self.x, self.g = form, derivation, unknown, derivation.graph

    @cached_property
    def placed(self) -> Placed | None:
        """The chain; None of a constraint that is an equation."""
        return placed_once(self.form.constraint, self.d.value) if self.form.reads else None

    @cached_property
    def equations(self) -> list[Any]:
        """What is zero, in nodes."""
        if self.placed is None:
            return [self.g.node(self.d.value(self.form.constraint.expression))]
        return [self.g.node(self.placed.equation(read)) for read in self.form.reads]

    def _of_the_angle(self) -> tuple[tuple[Any, float], tuple[Any, float]]:
        """The nodes that stand for sine and cosine of the angle of the factor, each with its sign."""
        assert self.placed is not None
        angle = self.g.node(self.placed.angles[self.form.factor])
        nodes = self.g.call("sin", angle), self.g.call("cos", angle)
        sine, cosine = ((x.args[0], -1.0) if x.op == "neg" else (x, 1.0) for x in nodes)
        return sine, cosine

    def turned(self, equation: Any, sine: Any, cosine: Any) -> Any:
        """An equation with other nodes for sine and cosine of the angle of the factor."""
        (one, by_sine), (other, by_cosine) = self._of_the_angle()
        images = {one: self.g.node(by_sine * sine), other: self.g.node(by_cosine * cosine)}
        return self.g.substitute([equation], images)[0]

    def trigonometric(self, equation: Any) -> tuple[Any, Any, Any]:
        """A, B, C of an equation: the factors of cosine and sine of the angle of the factor, and the rest.

        If it contains squares of them, they follow from its values at 0, a quarter and half a turn.
        """
        assert self.placed is not None
        key = equation.index, self.form.factor
        return self.placed.trigonometric.of(key, lambda: self._trigonometric(equation))

    def _trigonometric(self, equation: Any) -> tuple[Any, Any, Any]:
        g = self.g
        (sine, by_sine), (cosine, by_cosine) = self._of_the_angle()
        B, A = gradient({equation: g.one}, [sine, cosine])
        if not {sine.index, cosine.index} & {node.index for node in reachable([A, B])}:
            return by_cosine * A, by_sine * B, self.turned(equation, g.zero, g.zero)
        places = (g.zero, g.one), (g.one, g.zero), (g.zero, -g.one)
        start, quarter, half = (self.turned(equation, s, c) for s, c in places)
        C = (start + half) / 2
        return (start - half) / 2, quarter - C, C

    def polynomial(self, equation: Any) -> tuple[Any, Any, Any]:
        """a, b, c of an equation a x^2 + 2 b x + c."""
        g = self.g
        slope = gradient({equation: g.one}, [self.x])[0]
        curvature = gradient({slope: g.one}, [self.x])[0] if slope is not g.zero else g.zero
        b, c = g.substitute([slope, equation], {self.x: g.zero})
        return curvature / 2, b / 2, c

    def unknown_at(self, angle: Any) -> Any:
        """The coordinate at an angle of the factor."""
        assert self.placed is not None
        written = self.placed.chain.factors[self.form.factor].angle  # type: ignore[union-attr]
        slope = slope_of(written, self.form.coordinate)
        rest = self.g.substitute([self.g.node(self.placed.angles[self.form.factor])], {self.x: self.g.zero})[0]
        return (angle - rest) / slope


def size(node: Any) -> Any:
    """The value of a sum, or of a product of sums, with all terms made positive; it does not vanish where these do."""
    found, stack = dict[Any, Any](), [node]
    while stack:
        x = stack[-1]
        parts = x.args if x.op in ("add", "sub", "mul", "neg") else ()
        if left := [y for y in parts if y not in found]:
            stack += left
        else:
            own = [found[y] for y in parts] or [abs(x)]
            found[stack.pop()] = own[0] if len(own) == 1 else own[0] * own[1] if x.op == "mul" else own[0] + own[1]
    return found[node]
