"""Forward and reverse derivatives on the graph.

Forward: one memoised sweep gives the derivative of any node along a direction (a seed per input); with the seeds
q -> qd, qd -> qdd, t -> 1 it is the total time derivative. Reverse: one sweep gives the derivative of
sum_i seed_i * node_i with respect to every input at once.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from easydyn.engine.elimination import solve
from easydyn.engine.graph import CONDITIONS, Graph, Node, reachable
from easydyn.engine.kept import Kept
from easydyn.vec.scalars import Scalar

# derivatives of a node y with respect to each of its arguments
_PARTIALS: dict[str, Callable[..., tuple[Any, ...]]] = {
    "neg": lambda g, y, x: (-g.one,),
    "add": lambda g, y, a, b: (g.one, g.one),
    "sub": lambda g, y, a, b: (g.one, -g.one),
    "mul": lambda g, y, a, b: (b, a),
    "div": lambda g, y, a, b: (g.one / b, -(y / b)),
    "sqrt": lambda g, y, x: (0.5 / y,),
    "sin": lambda g, y, x: (g.call("cos", x),),
    "cos": lambda g, y, x: (-g.call("sin", x),),
    "tan": lambda g, y, x: (y * y + 1,),
    "asin": lambda g, y, x: (1 / g.call("sqrt", 1 - x * x),),
    "acos": lambda g, y, x: (-(1 / g.call("sqrt", 1 - x * x)),),
    "atan": lambda g, y, x: (1 / (x * x + 1),),
    "sinh": lambda g, y, x: (g.call("cosh", x),),
    "cosh": lambda g, y, x: (g.call("sinh", x),),
    "tanh": lambda g, y, x: (1 - y * y,),
    "asinh": lambda g, y, x: (1 / g.call("sqrt", x * x + 1),),
    "acosh": lambda g, y, x: (1 / g.call("sqrt", x * x - 1),),
    "atanh": lambda g, y, x: (1 / (1 - x * x),),
    "exp": lambda g, y, x: (y,),
    "log": lambda g, y, x: (1 / x,),
    "abs": lambda g, y, x: (g.call("sign", x),),
    "atan2": lambda g, y, a, b: (b / (a * a + b * b), -(a / (a * a + b * b))),
    "pow": lambda g, y, a, b: (
        b * g.call("pow", a, b - 1),  # 0**n does not depend on n
        g.zero if b.op == "const" else y * g.call("log", g.select(g.call("lt", g.zero, a), a, g.one)),
    ),
    "min": lambda g, y, a, b: _of_first(g.call("lt", a, b)),
    "max": lambda g, y, a, b: _of_first(g.call("lt", b, a)),
    "mod": lambda g, y, a, b: (g.one, -g.call("floor", a / b)),  # a - b floor(a/b)
    "select": lambda g, y, c, a, b: (g.zero, *_of_first(c)),
    **dict.fromkeys((*CONDITIONS, "sign", "floor", "ceil"), lambda g, y, *args: tuple(g.zero for _ in args)),
}


def _of_first(condition: Node) -> tuple[Node, Node]:
    """One and zero where a condition holds, else zero and one."""
    g = condition.graph
    return g.select(condition, g.one, g.zero), g.select(condition, g.zero, g.one)


def partials(node: Node) -> tuple[Node, ...]:
    """Derivatives of a node with respect to each of its arguments."""
    return _PARTIALS[node.op](node.graph, node, *node.args)


class Forward:
    """Derivatives along one direction, given by the seeds of the inputs; called on nodes, memoised between calls.

    Nodes that `feel` other bits than this one, by their index, are known to be constant, and not gone through.
    """

    def __init__(
        self, graph: Graph, seeds: Mapping[Node, Node], feel: Mapping[int, int] = MappingProxyType({}), bit: int = 1
    ):  # fmt: skip
        self.graph, self._feel, self._bit = graph, feel, bit
        self._known: dict[int, Node] = {node.index: seed for node, seed in seeds.items()}

    def __call__(self, output: Node) -> Node:
        known, zero, feel, bit = self._known, self.graph.zero, self._feel, self._bit
        stack = [output]
        while stack:
            node = stack[-1]
            if node.index in known:
                stack.pop()
                continue
            if not feel.get(node.index, bit) & bit:
                known[node.index] = zero
                continue
            solution = self.graph.solutions.get(node.index)
            arguments = node.args if solution is None else solution.equations
            pending = [a for a in arguments if a.index not in known]
            if pending:
                stack.extend(pending)
                continue
            stack.pop()
            tangents = [known[a.index] for a in arguments]
            if all(tangent is zero for tangent in tangents):
                known[node.index] = zero
            elif solution is not None:
                known[node.index] = solution.tangent(tangents)
            elif node.op == "select":
                known[node.index] = self.graph.select(node.args[0], tangents[1], tangents[2])
            else:
                pairs = zip(partials(node), tangents, strict=True)
                known[node.index] = sum((p * x for p, x in pairs if x is not zero), zero)
        return known[output.index]


def felt(outputs: Iterable[Node], inputs: Iterable[Node]) -> dict[int, int]:
    """Of each node under some outputs, by its index, the inputs that it depends on, as bits."""
    bits = {x.index: 1 << k for k, x in enumerate(inputs)}
    found = dict[int, int]()
    for node in reachable(outputs):
        found[node.index] = functools.reduce(lambda x, a: x | found[a.index], node.args, bits.get(node.index, 0))
    return found


def slopes(graph: Graph, outputs: Sequence[Node], inputs: Sequence[Node]) -> list[Node]:
    """Of each output, row by row, its derivatives with respect to inputs."""
    feel = {} if graph.solutions else felt(outputs, inputs)
    forwards = [Forward(graph, {x: graph.one}, feel, 1 << k if feel else 1) for k, x in enumerate(inputs)]
    columns = [[forward(f) for f in outputs] for forward in forwards]
    return [x for row in zip(*columns, strict=True) for x in row]


def _within(condition: Node, a: Node, b: Node) -> bool:
    """True for two nodes that are zero in the same branch of this condition."""
    zero = condition.graph.zero
    return all(x.op == "select" and x.args[0] is condition for x in (a, b)) and any(
        a.args[k] is zero and b.args[k] is zero for k in (1, 2)
    )


def _plus(a: Node, b: Node) -> Node:
    """a + b; two parts of the same branch become one part of it."""
    if a.op == "select" and _within(a.args[0], a, b):
        return a.graph.select(a.args[0], _plus(a.args[1], b.args[1]), _plus(a.args[2], b.args[2]))
    return a + b


def _times(seed: Node, partial: Node) -> Node:
    """seed * partial; zero in the branch that is not taken, where the partial derivative may have no value."""
    zero = seed.graph.zero
    if seed.op == "select" and seed.args[2] is zero:
        return seed.graph.select(seed.args[0], _times(seed.args[1], partial), zero)
    if seed.op == "select" and seed.args[1] is zero:
        return seed.graph.select(seed.args[0], zero, _times(seed.args[2], partial))
    if seed.op == "add" and any(_is_part(x) for x in seed.args):
        return _plus(*(_times(x, partial) for x in seed.args))
    return seed * partial


def _is_part(node: Node) -> bool:
    """True for nodes that are zero outside of a branch, and for sums with such parts."""
    if node.op == "select":
        return any(x is node.graph.zero for x in node.args[1:])
    return node.op == "add" and any(_is_part(x) for x in node.args)


def gradient(seeds: Mapping[Node, Node], inputs: Iterable[Node]) -> list[Node]:
    """Derivatives of sum of seed * node with respect to the inputs, the seeds held constant, in one reverse sweep.

    An input may be a node that is computed from others of them: each derivative is at constant values of the others. Of
    two that are one node, the first has the derivative.

    A derivative that comes from one branch of a `select` stays behind its condition, because it may have no value
    elsewhere (a root).
    """
    inputs = list(inputs)
    if not inputs:
        return []
    graph = inputs[0].graph
    adjoint: dict[int, Node] = {node.index: seed for node, seed in seeds.items()}
    order = reachable(seeds)
    by_equations = graph.solutions and all(x.op == "input" for x in inputs)
    given = {x.index for x in inputs}
    depends = set(given)
    for node in order:
        if any(a.index in depends for a in node.args):
            depends.add(node.index)
    for node in reversed(order):
        seed = adjoint.get(node.index)
        if seed is None or seed is graph.zero or node.index not in depends:
            continue
        if node.index in given or not any(a.index in depends for a in node.args):
            continue
        if by_equations and node.index in graph.solutions:
            for x, slope in zip(inputs, graph.solutions[node.index].gradient(tuple(inputs)), strict=True):
                if slope is not graph.zero:
                    adjoint[x.index] = _plus(adjoint.get(x.index, graph.zero), _times(seed, slope))
            continue
        if node.op == "select":
            condition, zero = node.args[0], graph.zero
            shares = [zero, graph.select(condition, seed, zero), graph.select(condition, zero, seed)]
        else:
            shares = [p if p is graph.zero else _times(seed, p) for p in partials(node)]
        for argument, share in zip(node.args, shares, strict=True):
            if argument.index in depends and share is not graph.zero:
                adjoint[argument.index] = _plus(adjoint.get(argument.index, graph.zero), share)
    return [adjoint.pop(x.index, graph.zero) for x in inputs]


class Equations:
    """Equations that nodes x solve, which are differentiated by these, not by their own formulas.

        e_k(x, y) = 0,      s = de/dx,      x' = -s^-1 e'

    with e' at a constant x; of one node that solves several equations, x' = -sum_k s_k e_k'/sum_k s_k^2. The equations
    are as short as the loop, while the derivatives of a formula with roots and arcs are several times as long.

    Parameters
    ----------
    nodes : sequence of Node
        The nodes that solve the equations.
    unknowns : sequence of Node
        The inputs that stand for them in the equations.
    equations : sequence of Node
        As many as there are nodes, or several that hold together for one.
    slopes : sequence of sequence of Node, optional
        Their derivatives with respect to the unknowns; found if not given.
    """

    def __init__(
        self, nodes: Sequence[Node], unknowns: Sequence[Node], equations: Sequence[Node],
        slopes: Sequence[Sequence[Node]] | None = None,
    ):  # fmt: skip
        self.equations, self._graph = equations, nodes[0].graph
        self._images = dict(zip(unknowns, nodes, strict=True))
        slopes = slopes or [gradient({e: self._graph.one}, unknowns) for e in equations]
        self._slopes = [self._graph.substitute(row, self._images) for row in slopes]
        self._tangents, self._gradients = Kept(), Kept()

    def tangents(self, tangents: tuple[Node, ...]) -> list[Node]:
        """x' of all nodes, from the derivatives of the equations at a constant x."""
        return self._tangents.of(tangents, lambda: self._solved(tangents))

    def _solved(self, tangents: tuple[Node, ...]) -> list[Node]:
        zero = self._graph.zero
        if all(e is zero for e in tangents):
            return [zero for _ in self._images]
        there = self._graph.substitute(tangents, self._images)
        if len(self._images) > 1:
            return solve(self._slopes, [-e for e in there])
        slopes = [s for (s,) in self._slopes]
        if len(there) == 1:
            return [-(there[0] / slopes[0])]
        along = sum((s * e for s, e in zip(slopes, there, strict=True)), zero)
        return [-(along / sum((s * s for s in slopes), zero))]

    def gradients(self, inputs: tuple[Node, ...]) -> list[list[Node]]:
        """The derivatives of all nodes with respect to each input."""
        def made() -> list[list[Node]]:
            rows = [gradient({e: self._graph.one}, inputs) for e in self.equations]
            return [self.tangents(column) for column in zip(*rows, strict=True)]

        return self._gradients.of(inputs, made)


class Solution:
    """One of the nodes that solve equations, or a node whose derivatives are those of one times a factor.

    Parameters
    ----------
    solved : Equations
        What the nodes solve.
    place : int
        The position of this node among them.
    factor : Node or float
        1, or the slope of this node along that one.
    """

    def __init__(self, solved: Equations, place: int = 0, factor: Node | float = 1):
        self.equations, self._solved, self._place, self._factor = solved.equations, solved, place, factor

    def tangent(self, tangents: Sequence[Node]) -> Node:
        """x', from those of the equations at a constant x."""
        return self._factor * self._solved.tangents(tuple(tangents))[self._place]

    def gradient(self, inputs: tuple[Node, ...]) -> list[Node]:
        """Derivatives with respect to inputs."""
        return [self._factor * column[self._place] for column in self._solved.gradients(inputs)]


def solve_together(
    nodes: Sequence[Node], unknowns: Sequence[Node], equations: Sequence[Node], slopes: Sequence[Sequence[Node]]
) -> None:
    """Declare that nodes solve equations together, in which inputs stand for them; `slopes` are the derivatives."""
    solved = Equations(nodes, unknowns, equations, slopes)
    for k, node in enumerate(nodes):
        if node.op not in ("const", "input") and not _stands_in(node, equations):
            node.graph.solutions[node.index] = Solution(solved, k)


def solve_for_length(node: Node, unknown: Node, equations: Sequence[Node]) -> None:
    """Declare that a node solves equations, in which an input stands for it."""
    if node.op not in ("const", "input"):  # else it is known without them
        node.graph.solutions[node.index] = Solution(Equations([node], [unknown], equations))


def solve_for_angle(angle: Node, sine: Node, cosine: Node, unknown: Node, equations: Sequence[Node]) -> None:
    """Declare that an angle, known by its sine and cosine, solves equations, in which an input stands for it."""
    graph = angle.graph
    if angle.op == "const":
        return
    graph.turned[angle.index] = sine, cosine  # first: the slopes of the equations have them, too
    solved = Equations([angle], [unknown], equations)
    graph.solutions[angle.index] = Solution(solved)
    for node, factor in ((sine, cosine), (cosine, -sine)):
        if node.op in ("div", "mul", "neg") and not _stands_in(node, equations):  # not one that stands for others
            graph.solutions[node.index] = Solution(solved, 0, factor)


def _stands_in(node: Node, equations: Sequence[Node]) -> bool:
    """True for a node that existed before the equations: they depend on it, directly or through another solution."""
    seen, stack = set[int](), list(equations)
    while stack:
        one = stack.pop()
        if one is node:
            return True
        if one.index in seen:
            continue
        seen.add(one.index)
        solution = node.graph.solutions.get(one.index)
        stack.extend(solution.equations if solution is not None else ())
        stack.extend(one.args if one.index > node.index else ())  # arguments are older than what is made of them
    return False


class GraphCalculus:
    """The calculus of kinematics.py on graph nodes."""

    def __init__(self, graph: Graph, rates: dict[Node, Node]):
        self._graph = graph
        self.total = Forward(graph, rates)
        self._partial: dict[int, Forward] = {}
        self._found: dict[Hashable, tuple[Node, Any]] = {}

    def diff(self, expression: Scalar, symbol: Node) -> Node:
        """Partial derivative with respect to an input."""
        forward = self._partial.setdefault(symbol.index, Forward(self._graph, {symbol: self._graph.one}))
        return forward(self._graph.node(expression))

    def gradient(self, expression: Scalar, symbols: Sequence[Node]) -> list[Node]:
        """Partial derivatives with respect to inputs, in one reverse sweep: as short as the expression itself."""
        return gradient({self._graph.node(expression): self._graph.one}, symbols)

    def rate(self, expression: Scalar) -> Node:
        """Total time derivative."""
        return self.total(self._graph.node(expression))

    def tidy(self, expression: Scalar) -> Scalar:
        """Leave the expression as it is: the graph simplifies while it is built."""
        return expression

    def solved(self, equation: Callable[..., Scalar], find: Callable[[], Any], key: Hashable) -> tuple[Node, Any]:
        """What solves an `equation`, by which it is differentiated, as `find` computes it, with what it needs besides.

        `find` gives both, the second is the second argument of the equation. It is found once for each `key`.
        """
        if key not in self._found:
            found, more = find()
            node, unknown = self._graph.node(found), self._graph.input("x", len(self._graph.solutions))
            self._found[key] = node, more
            solve_for_length(node, unknown, [self._graph.node(equation(unknown, more))])
        return self._found[key]
