"""SymPy expressions into the graph, and the graph back into SymPy for display."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import sympy
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from easydyn.engine.graph import UNARY, Graph, Node
from easydyn.engine.kept import Kept
from easydyn.errors import ModelError
from easydyn.inputs import shown
from easydyn.mechanics.symbols import Multiplier
from easydyn.vec.scalars import Where

_CALLED = {"abs": "Abs", "ceil": "ceiling", "mod": "Mod"}  # otherwise by SymPy
_FUNCTIONS: dict[Any, str] = {
    getattr(sympy, _CALLED.get(op, op)): op for op in (*UNARY, "atan2", "mod") if op != "sqrt"
}
_RECIPROCALS: dict[Any, str] = {
    sympy.cot: "tan", sympy.sec: "cos", sympy.csc: "sin", sympy.coth: "tanh", sympy.sech: "cosh", sympy.csch: "sinh",
}  # fmt: skip
_CLIPPED = (sympy.Max, sympy.Min, sympy.Piecewise, sympy.Heaviside)  # zero in a whole region: a contact that is open


class FromSympy:
    """Converts expressions to nodes, each subexpression once; `symbols` maps SymPy symbols to nodes.

    Those whose nodes are made when they are first asked for come from `later`, which gives None for what is none.
    """

    def __init__(
        self, graph: Graph, symbols: Mapping[sympy.Symbol, Node], where: str = "the model",
        later: Callable[[Any], Node | None] = lambda symbol: None,
    ):  # fmt: skip
        self.graph = graph
        self._symbols, self._later = symbols, later
        self._where = where
        self._known: dict[Any, Node] = {}
        self.kept = Kept()  # what is made of these nodes

    def __call__(self, expression: Any, given: Mapping[sympy.Symbol, Any] | None = None) -> Node:
        """The node of an expression; `given` are nodes (or numbers) of symbols beside those that are known anyhow."""
        if given:
            symbols = ChainMap({s: self.graph.node(x) for s, x in given.items()}, self._symbols)  # type: ignore[arg-type]
            return FromSympy(self.graph, symbols, self._where, self._later)(expression)
        if isinstance(expression, Node):
            return expression
        if not isinstance(expression, sympy.Basic):
            return self._constant(expression)
        found = self._known.get(expression)
        if found is None:
            found = self._known[expression] = self._convert(expression)
        return found

    def _convert(self, e: Any) -> Node:
        g = self.graph
        if e.is_Symbol:
            node = self._symbols.get(e)
            node = self._later(e) if node is None else node
            if node is None and isinstance(e, Multiplier):
                raise ModelError(
                    f"{self._where}: a law depends on {e}, the load of a constraint, which is found in runs and in "
                    "equations of motion; here the loads are not known, or the constraint says what others say already."
                )
            if node is None:
                raise ModelError(f"{self._where} depends on {e}, which is not a symbol of the model.")
            return node
        if e is sympy.true or e is sympy.false:
            return g.one if e else g.zero
        if e.is_Number or e.is_NumberSymbol or e in (sympy.I, sympy.zoo):
            return self._number(e)
        if e.is_Add:
            return reduce(g.add, map(self, e.args))
        if e.is_Mul:
            return self._product(e)
        if e.is_Pow:
            return self._power(*e.args)
        name = _FUNCTIONS.get(e.func)
        if name:
            return g.call(name, *map(self, e.args))
        return self._special(e)

    def _number(self, e: Any) -> Node:
        if e.is_finite is False or e.is_real is False or e is sympy.nan:
            raise ModelError(
                f"{self._where} contains {e}, which is not a finite real number. Look for a division by "
                "zero or the root of a negative number."
            )
        return self._constant(e)

    def _constant(self, x: Any) -> Node:
        try:
            number = float(x)
        except (TypeError, ValueError, OverflowError):
            raise ModelError(f"{self._where} contains {shown(x)}, which is not a finite real number.") from None
        return self.graph.constant(number)

    def _product(self, e: Any) -> Node:
        g, numerator, denominator = self.graph, self.graph.one, self.graph.one
        for factor in e.args:
            base, exponent = factor.as_base_exp()
            if exponent.is_Number and exponent.is_negative:
                denominator = denominator * self(sympy.Pow(base, -exponent))
            else:
                numerator = numerator * self(factor)
        return g.div(numerator, denominator)

    def _power(self, base: Any, exponent: Any) -> Node:
        g = self.graph
        if exponent.is_Integer and abs(int(exponent)) <= 64:
            return g.power(self(base), int(exponent))
        if exponent.is_Rational and exponent.q == 2 and exponent.p > 2 and base.has(*_CLIPPED):
            return g.call("pow", self(base), self(exponent))  # has a derivative where the base is zero: a root has not
        if exponent.is_Rational and exponent.q == 2 and abs(int(exponent.p)) <= 64:
            return g.power(g.call("sqrt", self(base)), int(exponent.p))
        return g.call("pow", self(base), self(exponent))

    def _special(self, e: Any) -> Node:
        g = self.graph
        if e.func in _RECIPROCALS:
            return 1 / g.call(_RECIPROCALS[e.func], self(e.args[0]))
        if isinstance(e, sympy.Piecewise):
            value, condition = e.args[-1]
            if condition != True:  # noqa: E712 (a SymPy condition)
                raise ModelError(
                    f"{self._where}: {e} says nothing for the remaining cases. End the Piecewise with (value, True)."
                )
            result = self(value)
            for value, condition in reversed(e.args[:-1]):
                result = g.select(self(condition), self(value), result)
            return result
        if isinstance(e, Where):
            condition, a, b = map(self, e.args)
            return g.select(g.call("lt", g.zero, condition), a, b)
        if isinstance(e, sympy.Heaviside):
            x = self(e.args[0])
            at_zero = self(e.args[1])
            return g.select(g.call("lt", x, g.zero), g.zero, g.select(g.call("lt", g.zero, x), g.one, at_zero))
        if isinstance(e, sympy.Max | sympy.Min):
            name = "max" if isinstance(e, sympy.Max) else "min"
            return reduce(lambda a, b: g.call(name, a, b), map(self, e.args))
        if isinstance(e, sympy.StrictLessThan | sympy.StrictGreaterThan):
            return g.call("lt", self(e.lts), self(e.gts))
        if isinstance(e, sympy.LessThan | sympy.GreaterThan):
            return g.call("le", self(e.lts), self(e.gts))
        if isinstance(e, sympy.Equality | sympy.Unequality):
            equal = g.call("eq", self(e.lhs), self(e.rhs))
            return equal if isinstance(e, sympy.Equality) else g.negation(equal)
        if isinstance(e, sympy.And):
            return g.all_of(map(self, e.args))
        if isinstance(e, sympy.Or):
            return g.any_of(map(self, e.args))
        if isinstance(e, sympy.Not):
            return g.negation(self(e.args[0]))
        if isinstance(e, sympy.ITE):  # what SymPy makes of a Piecewise in a condition
            condition, a, b = map(self, e.args)
            return g.any_of([g.all_of([condition, a]), g.all_of([g.negation(condition), b])])
        if isinstance(e, sympy.DiracDelta):
            raise ModelError(f"{self._where} contains {e}: an impulse is not a force. Give the velocity jump instead.")
        if isinstance(e, sympy.Derivative | AppliedUndef):
            raise ModelError(
                f"{self._where} contains {e}: unknown functions of time are not used here. Declare the coordinate "
                "with model.coordinates and use q, q.dot, q.ddot."
            )
        if isinstance(e, ExprWithLimits | sympy.Subs | sympy.Limit):
            raise ModelError(
                f"{self._where} contains {e.func.__name__}(...), which is not worked out: write it with .doit()."
            )
        raise ModelError(
            f"{self._where} contains {e.func.__name__}(...), which cannot be evaluated here. "
            f"Functions that can: {', '.join(sorted(f.__name__ for f in (*_FUNCTIONS, *_RECIPROCALS)))}, sqrt, "
            "Piecewise, Heaviside, Min, Max and conditions."
        )


def check_convertible(expression: Any, what: str) -> None:
    """ModelError when an expression holds what cannot be evaluated (an unknown function, NaN, an open Piecewise).

    Its symbols stand for themselves: whether a root or a logarithm is in its domain shows where they have values.
    """
    if isinstance(expression, sympy.Basic):
        graph = Graph()
        symbols = sorted(expression.free_symbols, key=str)
        FromSympy(graph, {s: graph.input("q", i) for i, s in enumerate(symbols)}, what)(expression)


_TO_SYMPY: dict[str, Any] = {name: function for function, name in _FUNCTIONS.items()} | {
    "neg": lambda a: -a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b, "sqrt": sympy.sqrt, "pow": sympy.Pow, "min": sympy.Min, "max": sympy.Max,
    "lt": sympy.Lt, "le": sympy.Le, "eq": sympy.Eq, "and": lambda *c: sympy.And(*map(_condition, c)),
    "or": lambda *c: sympy.Or(*map(_condition, c)), "not": lambda c: sympy.Not(_condition(c)),
    "select": lambda c, a, b: _cases(_condition(c), a, b),
}  # fmt: skip


def operation(op: str, *args: Any) -> Any:
    """What a node is in SymPy, by its operation and the expressions of its arguments."""
    return _TO_SYMPY[op](*args)


def _cases(c: Any, a: Any, b: Any) -> Any:
    """a where c holds, b elsewhere; the cases of b go on below."""
    return sympy.Piecewise((a, c), *(b.args if isinstance(b, sympy.Piecewise) else ((b, True),)))


def _condition(c: Any) -> Any:
    return c if isinstance(c, sympy.logic.boolalg.Boolean) else sympy.Ne(c, 0)
