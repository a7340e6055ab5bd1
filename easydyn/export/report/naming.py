"""Long formulas divided into short ones: a part that is used several times, or is too wide, gets its own name.

The formulas are read into a graph (engine/graph.py), in which nothing is computed twice; a node that several others use
gets a name. Short formulas are written out, and sin^2 + cos^2 = 1 is used to shorten them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import sympy
from sympy.simplify.fu import TR8

from easydyn.engine.graph import Graph, Node, reachable
from easydyn.engine.sympy_bridge import FromSympy, operation
from easydyn.engine.targets import uses
from easydyn.export.report.document import Formula, Formulas
from easydyn.export.report.html import width
from easydyn.export.report.typeset import line, terms

LINE = 66.0  # letters that fit on a line beside a left side
_WRITTEN_OUT = 120  # operations of a formula that is written out
_TERMS, _ANGLES = 24, 5  # of a sum in which products of sines are looked at, which takes SymPy a while
_LINES = 3  # that it may take
_WORTH = 14.0  # width of what is worth a name
_FACTOR = 0.45 * LINE  # width of a factor


class Names:
    """Gives names to parts of formulas, and remembers them.

    Parameters
    ----------
    letter : str
        With which the names begin.
    """

    def __init__(self, letter: str):
        self.letter, self._graph = letter, Graph()
        self._read = FromSympy(self._graph, {}, later=self._input)
        self._inputs: dict[tuple[str, int], Any] = {}
        self._known: dict[int, Any] = {}
        self._shown: dict[int, Any] = {}
        self._by_expression: dict[Any, Any] = {}
        self._open: dict[int, Any] = {}
        self._definitions: list[tuple[sympy.Symbol, Any]] = []
        self._operations: dict[int, int] = {}
        self.count = 0

    def _input(self, symbol: Any) -> Node:
        node = self._graph.input("q", len(self._inputs))
        self._inputs[node.value] = symbol
        return node

    def operations(self, formulas: Iterable[Any]) -> int:
        """How many operations they have together, each counted once."""
        return sum(n.op not in ("const", "input") for n in reachable([self._read(e) for e in formulas]))

    def of(self, formulas: Iterable[Any], left: Iterable[Any] = ()) -> tuple[list[tuple[Any, Any]], list[Any]]:
        """New definitions (name, expression), in their order, and the formulas with these names in them.

        Long sums that have a left side stand in later formulas by it.
        """
        self._definitions, outputs = [], [self._read(e) for e in formulas]
        for node in reachable(outputs):
            self._operations.setdefault(node.index, 1 + sum(self._operations[a.index] for a in node.args))
        written = {n.index: e for n in dict.fromkeys(outputs) if (e := self._written_out(n)) is not None}
        long = [n for n in dict.fromkeys(outputs) if n.index not in written]
        inner = reachable(long)
        counts = uses(inner, long)
        self._open = {}
        ends = {n.index for n in long}
        for node in inner:
            e = self._shown.get(node.index, self._known.get(node.index))
            if e is None:
                e = self._expression(node)
                shared = counts[node.index] > 1 and width(e) > _WORTH and node.op not in ("neg", "const", "input")
                if node.index not in ends and (shared or width(e) > LINE):
                    e = self._named(node, e)
            self._open[node.index] = e
        found = [written.get(n.index, self._open.get(n.index)) for n in outputs]
        for name, node, e in zip(left, outputs, found, strict=False):
            part, known = (node.args[0], -name) if node.op == "neg" else (node, name)
            if part.op in ("add", "sub") and width(e) > _WORTH:
                self._shown.setdefault(part.index, known)
        return self._definitions, found

    def name(self, e: Any, definitions: list[Formula]) -> Any:
        """The name of a formula, whose new definitions are added to these."""
        found, (shown,) = self.of([e])
        name = self._named(self._read(e), shown)
        definitions += [formula(*x) for x in found]
        return name

    def _named(self, node: Node, e: Any) -> Any:
        if node.index in self._known:
            return self._known[node.index]
        if e not in self._by_expression:
            self.count += 1
            self._by_expression[e] = sympy.Symbol(f"{self.letter}{self.count}", real=True)
            self._definitions.append((self._by_expression[e], e))
        self._known[node.index] = self._open[node.index] = self._by_expression[e]
        return self._known[node.index]

    def _expression(self, node: Node) -> Any:
        """The expression of a node, its arguments by name where they are too wide to stand inside."""
        args = [self._open[a.index] for a in node.args]
        if node.op not in ("add", "sub", "neg"):
            for k, (a, e) in enumerate(zip(node.args, args, strict=True)):
                wide = width(e) > _FACTOR or (isinstance(e, sympy.Piecewise) and node.op != "select")
                if wide and not isinstance(e, sympy.logic.boolalg.Boolean):
                    args[k] = self._named(a, e)
            if node.op == "mul" and sum(map(width, args)) > LINE:
                k = max((0, 1), key=lambda i: width(args[i]))
                args[k] = self._named(node.args[k], args[k])
        else:
            args = [
                self._named(a, e) if e.has(sympy.Piecewise) and not e.is_Symbol else e
                for a, e in zip(node.args, args, strict=True)
            ]
        return expression(node, args, self._inputs)

    def _written_out(self, node: Node) -> Any:
        """The whole of a short formula; None of one that is long."""
        if self._operations[node.index] > _WRITTEN_OUT:
            return None
        found: dict[int, Any] = {}
        for n in reachable([node]):
            args = [found[a.index] for a in n.args]
            found[n.index] = self._shown.get(n.index) or expression(n, args, self._inputs)
        plain = found[node.index]
        choices = [plain]
        if not plain.has(sympy.Piecewise) and not isinstance(plain, sympy.logic.boolalg.Boolean):
            choices += [opened := sympy.expand(plain), pythagoras(opened)]
            if len(opened.args) <= _TERMS and len(opened.atoms(sympy.sin, sympy.cos)) <= _ANGLES:
                choices.append(sympy.expand(TR8(opened)))  # sin a cos b + cos a sin b = sin(a + b)
        best = min(choices, key=lambda e: (width(e), choices.index(e)))
        inside = best.args if isinstance(best, sympy.Add) else [best]
        nested = any(x.has(sympy.Piecewise) for x in inside if not isinstance(x, sympy.Piecewise))
        fits = all(width(x) <= LINE for x in inside) and width(best) <= _LINES * LINE
        return best if fits and not nested and not (len(inside) > 1 and best.has(sympy.Piecewise)) else None


def pythagoras(e: Any) -> Any:
    """An expanded expression with the squares of sines as 1 - cos^2."""
    squares = {s**2: 1 - sympy.cos(s.args[0]) ** 2 for s in e.atoms(sympy.sin)}
    return sympy.expand(e.subs(squares)) if squares else e


def constant(value: float) -> Any:
    """A number as people write it: 1/2, 1/3, pi/6, or its digits."""
    if value == round(value) and abs(value) < 1e6:
        return sympy.Integer(round(value))
    for unit, name in ((1.0, sympy.Integer(1)), (math.pi, sympy.pi)):
        for below in (2, 3, 4, 6, 12) if unit == 1.0 else (1, 2, 3, 4, 6):
            above = value / unit * below
            if abs(above - round(above)) < 1e-13 * max(1.0, abs(above)) and 0 < abs(round(above)) <= 12:
                return sympy.Rational(round(above), below) * name
    return sympy.Float(value, 17)


def expression(node: Node, args: Sequence[Any], inputs: dict[tuple[str, int], Any]) -> Any:
    """A node as a SymPy expression of those of its arguments."""
    if node.op == "const":
        return constant(node.value)
    return inputs[node.value] if node.op == "input" else operation(node.op, *args)


# -- lines ------------------------------------------------------------------------------------------------------------


def formula(left: Any, e: Any) -> Formula:
    """left = expression, in lines that are not too wide, broken between the terms of a sum."""
    found: list[list[Any]] = [[]]
    most = room = LINE + 8 - width(left)
    for k, (negative, tree) in enumerate(terms(sympy.sympify(e))):
        sign = ["−"] if negative else ["+"] if k else []
        need = width(tree) + 2.4 * len(sign)
        if found[-1] and need > room:
            found.append([])
            room = most
        found[-1] += [*sign, tree]
        room -= need
    return Formula(left, tuple(line(*items) for items in found))


def blocks(formulas: Sequence[Formula]) -> list[Formulas]:
    """Formulas one below the other, those that are short side by side, in their order."""
    found: list[tuple[int, list[Formula]]] = []
    for each in formulas:
        taken = width(each.left) + 2.4 + sum(map(width, each.lines))
        tall = any(isinstance(x, sympy.Expr) and sympy.fraction(x)[1] != 1 for x in each.lines[0].parts)
        columns = 1 if len(each.lines) > 1 else 4 if taken < 14 else 3 if taken < 20 else 2 if taken < 33 else 1
        columns = min(columns, 3) if tall else columns
        if found and columns > 1 and found[-1][0] > 1 and (abs(found[-1][0] - columns) <= 1 or len(found[-1][1]) == 1):
            found[-1] = (min(found[-1][0], columns), [*found[-1][1], each])
        elif found and columns == found[-1][0] == 1:
            found[-1][1].append(each)
        else:
            found.append((columns, [each]))
    return [Formulas(tuple(group), columns if len(group) > 1 else 1) for columns, group in found]
