"""Formulas of a graph in the notation of a language: operators with as few brackets as it allows, one statement a line.

The order of operations is kept, so that the numbers are those of Python to the last digit but for the functions
(sin, ...) of each language. An operation that is used once is written inside the formula that uses it, as long as that
can be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import reduce
from typing import NamedTuple, TypeAlias

from easydyn.engine.graph import CONDITIONS, UNARY, Node

_LONGEST_INLINE = 48  # characters of an operation that is written inside another one
_DEEPEST_INLINE = 8


class Level(IntEnum):
    """How tightly the outermost operation of a formula binds; an operand that binds less gets brackets."""

    ANY = 0
    CHOICE = 1
    LOGIC = 2
    COMPARISON = 3
    SIGN = 4
    SUM = 5
    PRODUCT = 6
    POWER = 7
    ATOM = 8


class Form(NamedTuple):
    """How an operation is written, how tightly it binds, and how tightly its operands must at least."""

    text: str
    level: Level
    operands: tuple[Level, ...]


def infix(symbol: str, level: Level) -> Form:
    """An operator between two operands; one of its own level on its right needs brackets."""
    return Form(f"{{}}{symbol}{{}}", level, (level, Level(level + 1)))


def logical(symbol: str) -> Form:
    """And, or: each operand that is not a mere comparison in brackets, as compilers advise."""
    return Form(f"{{}}{symbol}{{}}", Level.LOGIC, (Level.COMPARISON, Level.COMPARISON))


def call(name: str, arguments: int = 1, text: str | None = None) -> Form:
    """A function; `text` where it is not written name(...)."""
    places = ", ".join(["{}"] * arguments)
    return Form(text or f"{name}({places})", Level.ATOM, (Level.ANY,) * arguments)



COMMON: dict[str, Form] = {name: call(name) for name in UNARY} | {
    "add": infix(" + ", Level.SUM),
    "sub": infix(" - ", Level.SUM),
    "mul": infix("*", Level.PRODUCT),
    "div": infix("/", Level.PRODUCT),
    "neg": Form("-{}", Level.SIGN, (Level.PRODUCT,)),
    "lt": infix(" < ", Level.COMPARISON),
    "le": infix(" <= ", Level.COMPARISON),
    "eq": infix(" == ", Level.COMPARISON),
    "and": logical(" && "),
    "or": logical(" || "),
    "not": Form("!{}", Level.COMPARISON, (Level.ATOM,)),
    "select": Form("{} ? {} : {}", Level.CHOICE, (Level.COMPARISON, Level.SIGN, Level.SIGN)),
    "min": call("smaller", 2),
    "max": call("larger", 2),
    "mod": call("modulo", 2),
    "pow": call("pow", 2),
    "atan2": call("atan2", 2),
}  # the notation of C, for other languages to change
OWN = {op: call(op, 2) for op in ("min", "max", "mod")}  # of languages that have these


Guard: TypeAlias = frozenset[tuple[Node, bool]]  # conditions, and whether they hold


class Statement(NamedTuple):
    """A variable and its formula; `condition` when it is true or false instead of a number."""

    name: str
    text: str
    condition: bool


class Printer:
    """Writes nodes as formulas and statements.

    Parameters
    ----------
    forms : mapping from operation to Form
    number : callable
        A finite number as the language writes it.
    names : mapping from the index of a node to its name
        Inputs, and what was worked out before.
    """

    def __init__(self, forms: Mapping[str, Form], number: Callable[[float], str], names: Mapping[int, str]):
        self._forms, self._number = forms, number
        self._written = {index: (name, Level.ATOM, 0) for index, name in names.items()}  # text, level, depth

    def text(self, node: Node, least: Level = Level.ANY) -> str:
        """The formula of a node that was written before, in brackets when it binds less than `least`."""
        if node.op == "const":
            text, level = self._number(node.value), Level.SIGN if node.value < 0 else Level.ATOM
        else:
            text, level, _ = self._written[node.index]
        return text if level >= least else f"({text})"

    def statements(
        self,
        nodes: Iterable[Node],
        uses: Mapping[int, int],
        kept: Mapping[int, str],
        prefix: str,
        guards: Mapping[int, Guard] | None = None,
    ) -> list[Statement]:
        """Statements for the nodes, arguments first; those not `kept` under a name are called prefix1, prefix2, ...

        With `guards`, what is only wanted under a condition is only worked out under it.
        """
        found: list[Statement] = []
        number = 0
        for node in nodes:
            form = self._forms[node.op]
            text = form.text.format(*map(self.text, node.args, form.operands))
            depth = 1 + max(self._written[a.index][2] if a.op != "const" else 0 for a in node.args)
            inside = uses[node.index] == 1 and len(text) <= _LONGEST_INLINE and depth < _DEEPEST_INLINE
            if node.index not in kept and inside:
                self._written[node.index] = (text, form.level, depth)
                continue
            if node.index in kept:
                name = kept[node.index]
            else:
                number += 1
                name = f"{prefix}{number}"
            condition = node.op in CONDITIONS
            if guards and guards[node.index]:
                text = self._guarded(text, form.level, guards[node.index], "false" if condition else self._number(0.0))
            self._written[node.index] = (name, Level.ATOM, 0)
            found.append(Statement(name, text, condition))
        return found

    def _guarded(self, text: str, level: Level, guard: Guard, otherwise: str) -> str:
        no, form = self._forms["not"], self._forms["select"]
        terms = (
            self.text(condition, Level.COMPARISON) if holds else no.text.format(self.text(condition, no.operands[0]))
            for condition, holds in sorted(guard, key=lambda term: term[0].index)
        )
        return form.text.format(
            reduce(self._forms["and"].text.format, terms), text if level >= form.operands[1] else f"({text})", otherwise
        )


def guards_of(nodes: Sequence[Node], outputs: Iterable[Node]) -> tuple[list[Node], dict[int, Guard]]:
    """The conditions under which nodes are wanted at all, those of every `select` on all ways to them, by index.

    The nodes come back in an order in which conditions stand before what they guard.
    """
    found: dict[int, Guard] = {node.index: frozenset() for node in outputs}

    def wanted(node: Node, guard: Guard) -> None:
        found[node.index] = found.get(node.index, guard) & guard

    for node in reversed(nodes):
        for k, a in enumerate(node.args):
            branch = {(node.args[0], k == 1)} if node.op == "select" and k > 0 else set()
            wanted(a, found[node.index] | branch)
    order: dict[int, Node] = {}
    for node in nodes:
        stack = [node]
        while stack:
            first = [x for x in (*stack[-1].args, *(c for c, _ in found[stack[-1].index])) if x.index not in order]
            if first:
                stack += first
            else:
                last = stack.pop()
                order[last.index] = last
    return list(order.values()), found
