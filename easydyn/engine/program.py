"""Straight-line programs: the outputs of a graph as a list of simple assignments.

Work that depends on parameters alone stands in a prologue, done once per set of values. What no output needs is not
there. `str(program)` is meant to be read; `program.operations` counts it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property

from easydyn.engine.graph import Node, in_order_of_use

_TRIGONOMETRIC = frozenset({"sin", "cos", "tan", "asin", "acos", "atan", "atan2"})
_MULTIPLICATIONS = frozenset({"mul", "div"})
_ADDITIONS = frozenset({"add", "sub"})
_LINEAR = frozenset({"add", "sub", "neg", "select"})  # zero where all arguments are
_FREE = frozenset({"neg", "const", "input"})

# operations as a person, or Python, writes them
INFIX = {"add": "{} + {}", "sub": "{} - {}", "mul": "{}*{}", "div": "{}/{}", "neg": "-{}"}
PYTHON = INFIX | {
    "lt": "{} < {}", "le": "{} <= {}", "eq": "{} == {}", "and": "{} and {}", "or": "{} or {}", "not": "not {}",
    "select": "{1} if {0} else {2}", "mod": "{} % {}", "abs": "abs({})", "min": "min({}, {})", "max": "max({}, {})",
    "atan2": "atan2({}, {})", "pow": "pow({}, {})",  # math.pow: a negative number to a broken power is no complex one
}  # fmt: skip

# The inputs of every program. Parameters `p` are worked upon in the prologue; `u`, what is held between events, passes
# through it, and may be changed in place among the constants.
SLOTS = ("t", "q", "qd", "qdd", "p", "u")


@dataclass(frozen=True, eq=False)
class Program:
    """Outputs of a graph in the order in which they are computed.

    Attributes
    ----------
    name : str
        What it computes, e.g. "residual".
    outputs : sequence of Node
        What it returns.
    inputs : mapping from slot to names
        What the columns of q, qd, qdd, p are called.
    """

    name: str
    outputs: Sequence[Node]
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes needed, arguments first, each as late as its first use allows."""
        return in_order_of_use(self.outputs)

    @cached_property
    def slots(self) -> frozenset[str]:
        """What it depends on: of t, q, qd, qdd, p, u."""
        return frozenset(n.value[0] for n in self.nodes if n.op == "input")

    @cached_property
    def prologue(self) -> list[Node]:
        """Operations on parameters alone, done once per set of values."""
        return [n for n in self.nodes if n.fixed and n.op not in ("const", "input")]

    @cached_property
    def body(self) -> list[Node]:
        """Operations done at every evaluation."""
        return [n for n in self.nodes if not n.fixed and n.op != "input"]

    @cached_property
    def constants(self) -> list[Node]:
        """Results of the prologue, parameters, and what is held, that the body or the outputs use."""
        used = {a.index for n in self.body for a in n.args} | {n.index for n in self.outputs}
        return [n for n in self.nodes if n.index in used and (n.fixed and n.op != "const" or _is_held(n))]

    @cached_property
    def held(self) -> list[tuple[int, int]]:
        """(place among the constants, index of `u`) of what is held between events."""
        return [(place, n.value[1]) for place, n in enumerate(self.constants) if _is_held(n)]

    @property
    def operations(self) -> dict[str, int]:
        """Counts {"mul", "add", "trig", "other"} of the body; a division counts as mul, sign changes are free."""
        counts = {"mul": 0, "add": 0, "trig": 0, "other": 0}
        for node in self.body:
            if node.op in _MULTIPLICATIONS:
                counts["mul"] += 1
            elif node.op in _ADDITIONS:
                counts["add"] += 1
            elif node.op in _TRIGONOMETRIC:
                counts["trig"] += 1
            elif node.op not in _FREE:
                counts["other"] += 1
        return counts

    def __str__(self) -> str:
        return listing(self)


def pattern_of(program: Program, n: int, zeros: Set[int] = frozenset()) -> list[list[int]]:
    """Of each of n columns of q, qd and qdd the outputs that depend on it; where held values are `zeros`, by index."""
    depends: dict[int, int] = {}  # of each node the columns, as bits
    nothing = set[int]()  # nodes that are zero then
    for node in program.nodes:
        args = node.args
        if node.op == "select" and zeros and (condition := args[0].args):
            args = args[2:] if _is_held(condition[-1]) and condition[-1].value[1] in zeros else args
        zero = [a.index in nothing for a in args]
        if node.op == "const" and node.value == 0 or zero and (
            all(zero) and node.op in _LINEAR or node.op == "mul" and any(zero) or node.op == "div" and zero[0]
        ):  # fmt: skip
            nothing.add(node.index)
            depends[node.index] = 0
        elif node.op == "input" and node.value[0] in ("q", "qd", "qdd"):
            depends[node.index] = 1 << node.value[1]
        else:
            found = 0
            for a in args:
                found |= depends[a.index]
            depends[node.index] = found
    columns: list[list[int]] = [[] for _ in range(n)]
    for row, output in enumerate(program.outputs):
        bits = depends[output.index]
        while bits:
            lowest = bits & -bits
            columns[lowest.bit_length() - 1].append(row)
            bits ^= lowest
    return columns


def _is_held(node: Node) -> bool:
    return node.op == "input" and node.value[0] == "u"


def listing(program: Program) -> str:
    """The program as a person reads it: one operation a line, inputs by the model's own names."""
    label: dict[int, str] = {}
    lines = [f"{program.name}: {program.operations}"]
    for heading, nodes in (("once per set of parameters", program.prologue), ("at every evaluation", program.body)):
        if nodes:
            lines.append(f"# {heading}")
        for node in nodes:
            label[node.index] = f"v{len(label)}"
            words = [_label(a, label, program) for a in node.args]
            lines.append(f"{label[node.index]} = {PYTHON.get(node.op, node.op + '({})').format(*words)}")
    lines.append(f"return {', '.join(_label(n, label, program) for n in program.outputs)}")
    return "\n".join(lines)


def _label(node: Node, label: dict[int, str], program: Program) -> str:
    if node.op == "const":
        return f"{node.value:g}"
    if node.op == "input":
        slot, index = node.value
        names = program.inputs.get(slot)
        return names[index] if names else slot if slot == "t" else f"{slot}[{index}]"
    return label[node.index]
