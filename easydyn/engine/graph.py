"""A graph of scalar operations in which nothing is ever expanded or computed twice.

A node is an operation on earlier nodes. Nodes are *hash-consed*: the same operation on the same arguments is the same
node, so that a shared factor is shared everywhere. Constants are folded, zeros and ones vanish, and signs are
normalised (a - b and b - a are one node and its negative), all while the graph is built. Nodes behave as numbers:
the formulas of vec.py, kinematics.py and mbs.py run on them unchanged.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from easydyn.errors import ModelError

# name -> number of arguments and the function on floats, used to fold constants and to print programs
UNARY: dict[str, Any] = {
    "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh, "asinh": math.asinh,
    "acosh": math.acosh, "atanh": math.atanh, "exp": math.exp, "log": math.log, "abs": abs, "floor": math.floor,
    "ceil": math.ceil, "sign": lambda x: 1.0 if x > 0 else -1.0 if x < 0 else 0.0,  # NumPy's truths have no difference
}  # fmt: skip
BINARY: dict[str, Any] = {
    "atan2": math.atan2, "pow": math.pow, "min": min, "max": max, "mod": lambda x, y: x % y,
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "eq": lambda x, y: x == y,
}  # fmt: skip
CONDITIONS = frozenset({"lt", "le", "eq", "and", "or", "not"})
_FIXED, _INDEX = attrgetter("fixed"), attrgetter("index")


class Node:
    """One scalar of the graph: an operation `op` on the nodes `args`, or an input, or a constant (`value`)."""

    __slots__ = ("args", "fixed", "graph", "index", "op", "value")
    __array_ufunc__ = None

    def __init__(self, graph: Graph, op: str, args: tuple[Node, ...], value: Any = None):
        self.graph, self.op, self.args, self.value = graph, op, args, value
        self.index = len(graph.nodes)
        # of parameters and constants alone: worked out once per set of values
        self.fixed: bool = value[0] == "p" if op == "input" else all(map(_FIXED, args))
        graph.nodes.append(self)

    def __add__(self, other: Any) -> Node:
        return self.graph.add(self, other if isinstance(other, Node) else self.graph.constant(other))

    def __radd__(self, other: Any) -> Node:
        return self.graph.add(self.graph.constant(other), self)

    def __sub__(self, other: Any) -> Node:
        return self.graph.sub(self, other if isinstance(other, Node) else self.graph.constant(other))

    def __rsub__(self, other: Any) -> Node:
        return self.graph.sub(self.graph.constant(other), self)

    def __mul__(self, other: Any) -> Node:
        if isinstance(other, tuple):  # a Vector or Tensor: its own product applies
            return NotImplemented
        return self.graph.mul(self, other if isinstance(other, Node) else self.graph.constant(other))

    def __rmul__(self, other: Any) -> Node:
        return self.graph.mul(self.graph.constant(other), self)

    def __truediv__(self, other: Any) -> Node:
        return self.graph.div(self, self.graph.node(other))

    def __rtruediv__(self, other: Any) -> Node:
        return self.graph.div(self.graph.node(other), self)

    def __pow__(self, other: Any) -> Node:
        return self.graph.raised(self, self.graph.node(other))

    def __rpow__(self, other: Any) -> Node:
        return self.graph.raised(self.graph.node(other), self)

    def __neg__(self) -> Node:
        return self.graph.neg(self)

    def __abs__(self) -> Node:
        return self.graph.call("abs", self)

    def sin(self) -> Node:
        """The sine, a node of the same graph; so that functions of scalars find it."""
        return self.graph.call("sin", self)

    def cos(self) -> Node:
        """The cosine, a node of the same graph."""
        return self.graph.call("cos", self)

    def sqrt(self) -> Node:
        """The square root, a node of the same graph."""
        return self.graph.call("sqrt", self)

    def __repr__(self) -> str:
        if self.op == "const":
            return repr(self.value)
        if self.op == "input":
            return f"{self.value[0]}[{self.value[1]}]"
        return f"{self.op}({', '.join(f'#{a.index}' for a in self.args)})"


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Pause Python's search for cyclic garbage while a graph grows: that makes very many objects, and frees none."""
    resting = not gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if not resting:
            gc.enable()


class Graph:
    """The nodes, in an order in which arguments come before the operations on them."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._known: dict[Any, Node] = {}
        self.solutions: dict[int, Any] = {}  # nodes that solve equations (derivatives.Solution), by their index
        self.blocks: list[tuple[int, int]] = []  # nodes of a contact, or a joint: the first, and the end
        self.turned: dict[int, tuple[Node, Node]] = {}  # sine and cosine of angles that were found by these
        self.zero = self.constant(0.0)
        self.one = self.constant(1.0)

    def apart(self, part: Callable[[], Any], wanted: bool = True) -> Any:
        """What a function gives; where `wanted`, its nodes are a block (rolling.py), but for one within another."""
        if not wanted or self.blocks and self.blocks[-1][1] < 0:
            return part()
        self.blocks.append((len(self.nodes), -1))
        try:
            return part()
        finally:
            self.blocks[-1] = self.blocks[-1][0], len(self.nodes)

    def _make(self, op: str, *args: Node, value: Any = None) -> Node:
        key = op, args or value
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Node(self, op, args, value)
        return found

    def constant(self, value: float) -> Node:
        """The node of a number."""
        found = self._known.get(value) if type(value) is float or type(value) is int else None
        if found is not None:
            return found
        value = float(value)
        if math.isnan(value):
            raise ModelError("a constant of the model is NaN (not a number): look for 0/0 or inf - inf in its data.")
        found = self._known[value] = self._make("const", value=0.0 if value == 0 else value)
        return found

    def input(self, slot: str, index: int) -> Node:
        """The node of an input: slot is one of t, q, qd, qdd, p (parameters), u (held between events)."""
        return self._make("input", value=(slot, index))

    def node(self, value: Any) -> Node:
        """The node of a node or a number."""
        return value if isinstance(value, Node) else self.constant(value)

    # -- arithmetic -----------------------------------------------------------------------------------------------

    def neg(self, a: Node) -> Node:
        if a.op == "const":
            return self.constant(-a.value)
        return a.args[0] if a.op == "neg" else self._make("neg", a)

    def add(self, a: Node, b: Node) -> Node:
        if a is self.zero:
            return b
        if b is self.zero:
            return a
        if a.op == "const" and b.op == "const":
            return self.constant(a.value + b.value)
        if b.op == "neg":
            return self.sub(a, b.args[0])
        if a.op == "neg":
            return self.sub(b, a.args[0])
        return self._make("add", a, b) if a.index <= b.index else self._make("add", b, a)

    def sub(self, a: Node, b: Node) -> Node:
        if a is b:
            return self.zero
        if b is self.zero:
            return a
        if a is self.zero:
            return self.neg(b)
        if a.op == "const" and b.op == "const":
            return self.constant(a.value - b.value)
        if b.op == "neg":
            return self.add(a, b.args[0])
        if a.op == "neg":
            return self.neg(self.add(a.args[0], b))
        if b.op == "sub" and b.args[0] is a:  # a - (a - c)
            return b.args[1]
        return self._make("sub", a, b) if a.index <= b.index else self.neg(self._make("sub", b, a))

    def mul(self, a: Node, b: Node) -> Node:
        if a is self.zero or b is self.zero:
            return self.zero
        if a is self.one:
            return b
        if b is self.one:
            return a
        if a.op == "const" and b.op == "const":
            return self.constant(a.value * b.value)
        if a.op == "neg":
            return self.neg(self.mul(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.mul(a, b.args[0]))
        if b.op == "const":
            a, b = b, a
        if a.op == "const" and a.value < 0:
            return self.neg(self.mul(self.constant(-a.value), b))
        if b.fixed and not a.fixed:
            a, b = b, a
        if a.fixed and b.op == "mul" and b.args[0].fixed:  # p (q x) = (p q) x: one product less at every evaluation
            return self.mul(self.mul(a, b.args[0]), b.args[1])
        if a.op == "const" or (a.fixed and not b.fixed) or a.index <= b.index:
            return self._make("mul", a, b)
        return self._make("mul", b, a)

    def div(self, a: Node, b: Node) -> Node:
        if b is self.one or a is self.zero:
            return a if b is not self.zero else self.constant(math.inf)  # 0/0: not determined, so it is no number
        if a is b:
            return self.one
        if b.op == "const" and b.value != 0:
            reciprocal = 1 / b.value
            if a.op == "const":
                return self.constant(a.value / b.value)
            if reciprocal * b.value == 1 and math.isfinite(reciprocal):
                return self.mul(self.constant(reciprocal), a)
        if a.op == "neg":
            return self.neg(self.div(a.args[0], b))
        if b.op == "neg":
            return self.neg(self.div(a, b.args[0]))
        return self._make("div", a, b)

    def power(self, a: Node, n: int) -> Node:
        """a**n by repeated squaring."""
        if n < 0:
            return self.div(self.one, self.power(a, -n))
        result, square = self.one, a
        while n:
            if n & 1:
                result = self.mul(result, square)
            n >>= 1
            if n:
                square = self.mul(square, square)
        return result

    def raised(self, a: Node, n: Node) -> Node:
        """a**n: by products where n is a whole number, by a root where it is a half."""
        if n.op == "const" and n.value == 0.5:
            return self.call("sqrt", a)
        if n.op == "const" and abs(n.value) <= 64 and n.value == int(n.value):
            return self.power(a, int(n.value))
        return self.call("pow", a, n)

    # -- functions ------------------------------------------------------------------------------------------------

    def call(self, name: str, *args: Node) -> Node:
        """A function of the table, folded when its arguments are constants."""
        if all(a.op == "const" for a in args):
            function = UNARY.get(name) or BINARY[name]
            try:
                value = function(*(a.value for a in args))
            except (ValueError, ZeroDivisionError, OverflowError) as error:
                numbers = ", ".join(str(a.value) for a in args)
                raise ModelError(f"{name}({numbers}) in the model is not a real number: {error}.") from None
            return value if isinstance(value, Node) else self.constant(value)
        a = args[0]
        if a.op == "neg":
            if name in ("sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "sign"):
                return self.neg(self.call(name, a.args[0]))
            if name in ("cos", "cosh", "abs"):
                return self.call(name, a.args[0])
        if self.turned and name in ("sin", "cos") and (known := self._turned(a)):
            return known[name == "cos"]
        return self._make(name, *args)

    def _turned(self, angle: Node) -> tuple[Node, Node] | None:
        """Sine and cosine of a sum in which there is an angle of which they are known; None of any other."""
        if angle.index in self.turned or angle.op not in ("neg", "add", "sub"):
            return self.turned.get(angle.index)
        found = [self._turned(a) for a in angle.args]
        if not any(found):
            return None
        pairs = (pair or (self.call("sin", a), self.call("cos", a)) for pair, a in zip(found, angle.args, strict=True))
        (s, c), *others = pairs
        if angle.op == "neg":
            s = -s
        for sine, cosine in others:
            if angle.op == "sub":
                sine = -sine
            s, c = s * cosine + c * sine, c * cosine - s * sine
        self.turned[angle.index] = s, c
        return s, c

    def all_of(self, conditions: Iterable[Node]) -> Node:
        """True (1) when all conditions hold."""
        return self._logic("and", conditions, absorbing=self.zero, neutral=self.one)

    def any_of(self, conditions: Iterable[Node]) -> Node:
        """True (1) when one of the conditions holds."""
        return self._logic("or", conditions, absorbing=self.one, neutral=self.zero)

    def _logic(self, op: str, conditions: Iterable[Node], absorbing: Node, neutral: Node) -> Node:
        result = neutral
        for c in conditions:
            if c is absorbing or result is absorbing:
                return absorbing
            result = c if result is neutral else result if c is neutral else self._make(op, result, c)
        return result

    def negation(self, c: Node) -> Node:
        """True (1) when the condition does not hold."""
        if c.op == "const":
            return self.zero if c.value else self.one
        return c.args[0] if c.op == "not" else self._make("not", c)

    def select(self, condition: Node, a: Node, b: Node) -> Node:
        """a where the condition holds, b elsewhere."""
        if a is b or condition is self.one:
            return a
        if condition is self.zero:
            return b
        return self._make("select", condition, a, b)

    def substitute(self, outputs: Iterable[Node], images: Mapping[Node, Node]) -> list[Node]:
        """The outputs with some nodes replaced by others, everything above them folded anew."""
        outputs = list(outputs)
        known = {node.index: image for node, image in images.items()}
        arithmetic: dict[str, Any] = {
            "neg": self.neg, "add": self.add, "sub": self.sub, "mul": self.mul, "div": self.div, "select": self.select,
            "not": self.negation, "and": lambda *c: self.all_of(c), "or": lambda *c: self.any_of(c),
        }  # fmt: skip
        for node in reachable(outputs):
            if node.index not in known:
                arguments = tuple([known[a.index] for a in node.args])
                if arguments == node.args:
                    known[node.index] = node
                elif node.op in arithmetic:
                    known[node.index] = arithmetic[node.op](*arguments)
                else:
                    known[node.index] = self.call(node.op, *arguments)
        return [known[node.index] for node in outputs]


def reachable(outputs: Iterable[Node]) -> list[Node]:
    """The nodes that the outputs depend on, arguments first."""
    found = set[Node]()
    stack = list(outputs)
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += node.args
    return sorted(found, key=_INDEX)


def in_order_of_use(outputs: Iterable[Node]) -> list[Node]:
    """The same, each node just before what first uses it: fewer are kept at once, in registers."""
    placed = dict[Node, None]()
    for output in outputs:
        stack = [output]
        while stack:
            node = stack[-1]
            if node not in placed and (waiting := [a for a in node.args if a not in placed]):
                stack += waiting[::-1]
            else:
                placed[stack.pop()] = None
    return list(placed)
