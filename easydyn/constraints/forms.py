"""Closed forms: coordinates that follow from others by formulas, found from the loops that were declared.

Of one unknown an equation of a chain is one of three kinds, whatever else stands in it:

    angle     A cos x + B sin x + C = 0      x = atan2(-B C -+ A k, -A C +- B k),   k^2 = A^2 + B^2 - C^2
    length    a x^2 + 2 b x + c = 0          x = (-b +- sqrt(b^2 - a c))/a
    linear    b x + c = 0

Angles of a parallelogram keep their difference, or stay as they are, which no root shows where it is flat:

    parallel  x = x0 + s (u - u0)            s = 1, 0 or -1

A, B and C are what the equation is at three places: x = 0, a quarter and half a turn. Two equations of one angle
(a point that turns about a known axis) give its direction without a root. The sign of the root is the way in which the
loop is assembled; it is kept along a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from easydyn.constraints.chain import Chain, Placed, Read, slope_of
from easydyn.engine.derivatives import gradient, solve_for_angle, solve_for_length
from easydyn.engine.graph import reachable
from easydyn.mechanics.symbols import Coordinate, Parameter

ANGLE, DIRECTION, LENGTH, LINEAR, PARALLEL = "angle", "direction", "length", "linear", "parallel"


@dataclass(frozen=True)
class Form:
    """How a coordinate follows from others.

    Attributes
    ----------
    coordinate : Coordinate
        Which.
    constraint : Constraint
        From whose equations.
    way : str
        "angle", "direction", "length", "linear" or "parallel".
    reads : tuple of Read
        The equations, of a chain; none of a constraint that is an equation.
    factor : int
        Of the chain, in which the coordinate stands.
    sign : float
        Of a direction: that of the determinant of its two equations.
    by : frozenset of Coordinate
        The independent coordinates on which it depends in the end.
    other, slope, offset : Coordinate or None, float, float
        Of what is parallel: u, s, and x0 - s u0 (rad).
    """

    coordinate: Coordinate
    constraint: Any
    way: str
    reads: tuple[Read, ...] = ()
    factor: int = -1
    sign: float = 1.0
    by: frozenset[Coordinate] = frozenset()
    other: Coordinate | None = None
    slope: float = 0.0
    offset: float = 0.0

    @property
    def branch(self) -> Parameter | None:
        """The parameter (1 or -1) that says which of two solutions it is; None where there is one."""
        return Parameter(f"{self.coordinate}:branch") if self.way in (ANGLE, LENGTH) else None

    def node(self, derivation: Any, unknown: Any) -> Any:
        """The coordinate in nodes of a derivation, in which an input `unknown` stands for it so far."""
        if self.way == PARALLEL:
            start = derivation.graph.constant(self.offset)
            return start if self.other is None else start + self.slope * derivation.value(self.other)
        return Solving(self, derivation, unknown).declared()

    def margin(self, derivation: Any, unknown: Any) -> Any:
        """What is under the root, beside what it is at most: near zero there are two ways to go on, below none."""
        return Solving(self, derivation, unknown).margin()

    def may_end(self, derivation: Any, unknown: Any) -> bool:
        """True where two solutions may meet, or a direction be lost: its margin is looked at."""
        if self.way == DIRECTION:
            return not Solving(self, derivation, unknown).direction()[2].fixed
        return self.branch is not None

    def gradient(self, derivation: Any, unknown: Any) -> Any:
        """By how much the equation grows with the unknown, beside what that is at most: zero at a dead point."""
        return Solving(self, derivation, unknown).gradient()


class Solving:
    """The solution of a form on a graph.

    Parameters
    ----------
    form : Form
        What is solved.
    derivation : Derivation
        With nodes for all symbols; the coordinate itself is an input, `unknown`.
    unknown : Node
        That input.
    placed : Placed, optional
        The chain of the form in nodes of this derivation, if it is there already.
    """

    def __init__(self, form: Form, derivation: Any, unknown: Any, placed: Placed | None = None):
        self.form, self.d, self.x = form, derivation, unknown
        self.g = derivation.graph
        if form.reads:
            self.placed: Placed | None = placed or Chain(form.constraint).placed(derivation.value)
            self.equations = [self.g.node(self.placed.equation(read)) for read in form.reads]
        else:
            self.placed = None
            self.equations = [self.g.node(derivation.value(form.constraint.expression))]

    def _of_the_angle(self) -> tuple[tuple[Any, float], tuple[Any, float]]:
        """The nodes that stand for sine and cosine of the angle of the factor, each with its sign."""
        assert self.placed is not None
        angle = self.g.node(self.placed.angles[self.form.factor])
        nodes = self.g.call("sin", angle), self.g.call("cos", angle)
        sine, cosine = ((x.args[0], -1.0) if x.op == "neg" else (x, 1.0) for x in nodes)
        return sine, cosine

    def _turned(self, equation: Any, sine: Any, cosine: Any) -> Any:
        """An equation with other nodes for sine and cosine of the angle of the factor."""
        (one, by_sine), (other, by_cosine) = self._of_the_angle()
        images = {one: self.g.node(by_sine * sine), other: self.g.node(by_cosine * cosine)}
        return self.g.substitute([equation], images)[0]

    def trigonometric(self, equation: Any) -> tuple[Any, Any, Any]:
        """A, B, C of an equation: what is in front of cosine and sine of the angle of the factor, and what is left.

        Where there are squares of them: from its values at 0, a quarter and half a turn.
        """
        g = self.g
        (sine, by_sine), (cosine, by_cosine) = self._of_the_angle()
        B, A = gradient({equation: g.one}, [sine, cosine])
        if not {sine.index, cosine.index} & {node.index for node in reachable([A, B])}:
            return by_cosine * A, by_sine * B, self._turned(equation, g.zero, g.zero)
        places = (g.zero, g.one), (g.one, g.zero), (g.zero, -g.one)
        start, quarter, half = (self._turned(equation, s, c) for s, c in places)
        C = (start + half) / 2
        return (start - half) / 2, quarter - C, C

    def polynomial(self, equation: Any) -> tuple[Any, Any, Any]:
        """a, b, c of an equation a x^2 + 2 b x + c."""
        g = self.g
        slope = gradient({equation: g.one}, [self.x])[0]
        curvature = gradient({slope: g.one}, [self.x])[0] if slope is not g.zero else g.zero
        b, c = g.substitute([slope, equation], {self.x: g.zero})
        return curvature / 2, b / 2, c

    def margin(self) -> Any:
        if self.form.way == DIRECTION:
            (A1, B1, _), (A2, B2, _) = (self.trigonometric(e) for e in self.equations)
            determinant = A1 * B2 - A2 * B1
            return self.g.call("sqrt", determinant * determinant / ((A1 * A1 + B1 * B1) * (A2 * A2 + B2 * B2)))
        if self.form.way == LINEAR:
            return self.g.one
        if self.form.way == ANGLE:
            A, B, C = self.trigonometric(self.equations[0])
            return 1 - C * C / (A * A + B * B)
        a, b, c = self.polynomial(self.equations[0])
        return (b * b - a * c) / (b * b + abs(a * c))

    def gradient(self) -> Any:
        g = self.g
        if self.form.way == ANGLE:
            assert self.placed is not None
            A, B, _ = self.trigonometric(self.equations[0])
            angle = g.node(self.placed.angles[self.form.factor])
            return (B * g.call("cos", angle) - A * g.call("sin", angle)) / g.call("sqrt", A * A + B * B)
        a, b, c = self.polynomial(self.equations[0])
        return (a * self.x + b) / g.call("sqrt", b * b + abs(a * c))

    def solution(self, branch: Any = None) -> Any:
        """The unknown; `branch` is the sign of the root (1 or -1), that of the form's parameter if left out."""
        g, form = self.g, self.form
        if branch is None and form.branch is not None:
            branch = self.d.value(form.branch)
        if form.way == LINEAR:
            _, b, c = self.polynomial(self.equations[0])
            return -(c / (2 * b))
        if form.way == LENGTH:
            a, b, c = self.polynomial(self.equations[0])
            root = g.call("sqrt", b * b - a * c)
            return (branch * root - b) / a
        sine, cosine, _ = self.direction(branch)
        return self._unknown_at(g.call("atan2", sine, cosine))

    def direction(self, branch: Any = None) -> tuple[Any, Any, Any]:
        """Sine and cosine of the angle of the factor, both times a length, and this length."""
        g, form = self.g, self.form
        if form.way == ANGLE:
            A, B, C = self.trigonometric(self.equations[0])
            length = A * A + B * B
            k = branch * g.call("sqrt", length - C * C)
            return -(B * C) - A * k, B * k - A * C, length
        (A1, B1, C1), (A2, B2, C2) = (self.trigonometric(e) for e in self.equations)
        sine, cosine, length = A2 * C1 - A1 * C2, B1 * C2 - B2 * C1, A1 * B2 - A2 * B1
        return (sine, cosine, length) if form.sign > 0 else (-sine, -cosine, -length)

    def _unknown_at(self, angle: Any) -> Any:
        """The coordinate at an angle of the factor."""
        assert self.placed is not None
        written = self.placed.chain.factors[self.form.factor].angle  # type: ignore[union-attr]
        slope = slope_of(written, self.form.coordinate)
        rest = self.g.substitute([self.g.node(self.placed.angles[self.form.factor])], {self.x: self.g.zero})[0]
        return (angle - rest) / slope

    def declared(self) -> Any:
        """The unknown; the graph is told which equations it solves, by which it is differentiated."""
        g, form = self.g, self.form
        if form.way not in (ANGLE, DIRECTION):
            node = self.solution()
            if form.way == LENGTH:
                solve_for_length(node, self.x, self.equations)
            return node
        branch = None if form.branch is None else self.d.value(form.branch)
        sine, cosine, length = self.direction(branch)
        angle = g.call("atan2", sine, cosine)
        equations = [self._turned(e, g.call("sin", self.x), g.call("cos", self.x)) for e in self.equations]
        solve_for_angle(angle, sine / length, cosine / length, self.x, equations)
        return self._unknown_at(angle)
