"""Equal parts of a program, as of the contacts of many bodies: each kind is one loop, and not one text for each part.

A block is what needs nothing of the rest, as a mechanism beside others, or what one contact, or a joint of many, adds
to a graph: nodes one after the other (`Graph.apart`). Blocks are of one kind if they have the same operations on the
same kinds of arguments. A block may need what others of its kind have found before it: the loop keeps their order. Rows
of a table say where the arguments of each block are, and where its results go.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from easydyn.engine.graph import Node
from easydyn.engine.program import SLOTS, Program

LONG = 1200  # operations: shorter programs are compiled fast as they are
LEAST = 50  # operations of what needs nothing of the rest: a row of a table for less takes longer than it does
FEWEST = 8  # blocks of a kind: for fewer no loop is made
SHARE = 1 / 8  # of a program, that loops are to be at least
MOST = 6  # loops, and parts between them, for each kind: of kinds that need each other in turn no loops are made


class Block(NamedTuple):
    """Operations one after the other, and the nodes from elsewhere on which they are."""

    body: list[Node]
    arguments: list[Node]


class Loop(NamedTuple):
    """Blocks of one kind, in their order."""

    kind: int
    blocks: list[Block]


class Rolled(NamedTuple):
    """A program as loops, and operations between them; with the places, in their blocks, of results of each kind."""

    parts: list[Loop | list[Node]]
    results: list[list[int]]


def source(node: Node, constants: dict[int, int]) -> str:
    """The array in which a node from elsewhere is found: a slot, constants (c), literals (k), what was found (w)."""
    if node.op == "const":
        return "k"
    if node.index in constants:
        return "c"
    return str(node.value[0]) if node.op == "input" and node.value[0] in SLOTS else "w"


def rolled(program: Program, constants: dict[int, int]) -> Rolled:
    """The loops of a long program; operations alone where there are none."""
    if len(program.body) < LONG:
        return Rolled([program.body], [])
    families, left = list[list[Block]](), sorted(program.body, key=lambda x: x.index)
    for split in (_independent, _marked):
        kinds: dict[tuple[object, ...], list[Block]] = {}
        for part in parts if len(parts := split(left)) >= FEWEST else ():
            key, block = _kind(part, constants)
            kinds.setdefault(key, []).append(block)
        families += [blocks for blocks in kinds.values() if len(blocks) >= FEWEST]
        place = {x.index: (f, p) for f, blocks in enumerate(families) for b in blocks for p, x in enumerate(b.body)}
        left = [x for x in left if x.index not in place]
    alone = [x for x in program.body if x.index not in place]
    if len(place) < SHARE * len(program.body):
        return Rolled([program.body], [])
    used = [set[int]() for _ in families]
    elsewhere = (a for x in alone for a in x.args)
    for x in (*program.outputs, *elsewhere, *(a for blocks in families for b in blocks for a in b.arguments)):
        if x.index in place:
            used[place[x.index][0]].add(place[x.index][1])
    return Rolled(_in_turn(program, alone, families), [sorted(x) for x in used])


def told(program: Program) -> str:
    """All that the text of a program depends on: its nodes by place; of a long one their order in the graph, blocks."""
    place = {x.index: k for k, x in enumerate(program.nodes)}
    nodes = [(x.op, x.value, *[place[a.index] for a in x.args]) for x in program.nodes]
    order = sorted(place) if len(program.body) >= LONG else []
    blocks = [[bisect_left(order, x) for x in block] for block in program.body[0].graph.blocks] if order else []
    outputs, ranges = [place[x.index] for x in program.outputs], [x for x in blocks if x[0] < x[1]]
    return repr((nodes, outputs, len(program.inputs["q"]), [place[x] for x in order], ranges))


def _independent(body: Sequence[Node]) -> list[list[Node]]:
    """Parts of a program that need nothing of each other, as of mechanisms side by side."""
    root, parts = dict[int, int](), dict[int, list[Node]]()

    def top(k: int) -> int:
        while root[k] != k:
            root[k] = k = root[root[k]]
        return k

    for x in body:
        root[x.index] = x.index
        for a in x.args:
            if a.index in root:
                root[top(a.index)] = x.index
    for x in body:
        parts.setdefault(top(x.index), []).append(x)
    return [part for part in parts.values() if len(part) >= LEAST]


def _marked(body: list[Node]) -> list[list[Node]]:
    """The parts of a program that are blocks of its graph."""
    at = [x.index for x in body]
    ranges = [(bisect_left(at, first), bisect_left(at, end)) for first, end in (body[0].graph.blocks if body else ())]
    return [body[first:end] for first, end in ranges if first < end]


def _kind(body: list[Node], constants: dict[int, int]) -> tuple[tuple[object, ...], Block]:
    """What blocks of a kind have in common, and the block."""
    place, number = {x.index: p for p, x in enumerate(body)}, dict[int, int]()
    arguments, key = dict[int, Node](), list[object]()
    for x in body:
        key.append(x.op)
        for a in x.args:
            if a.index in place:
                key.append(place[a.index])
            else:
                key.append((source(a, constants), number.setdefault(a.index, len(number))))
                arguments[a.index] = a
    return tuple(key), Block(body, [*arguments.values()])


def _in_turn(program: Program, alone: list[Node], families: list[list[Block]]) -> list[Loop | list[Node]]:
    """Loops and single operations in an order in which arguments come first, with as few loops as there can be."""
    parts: list[Loop | list[Node]] = []
    missing = {x.index for x in program.body}
    while len(parts) <= MOST * len(families):
        ready, later = list[Node](), list[Node]()
        for x in alone:  # arguments first
            if not missing.isdisjoint([a.index for a in x.args]):
                later.append(x)
            else:
                ready.append(x)
                missing.discard(x.index)
        alone = later
        if ready:
            parts.append(ready)
        loops = list[Loop]()
        for f, blocks in enumerate(families):
            now, rest, found = list[Block](), list[Block](), set[int]()
            for b in blocks:
                if any(a.index in missing and a.index not in found for a in b.arguments):
                    rest.append(b)
                else:
                    now.append(b)
                    found.update(x.index for x in b.body)
            if now and (not loops or len(now) > len(loops[0].blocks)):
                loops, left = [Loop(f, now)], (rest, found)
        if not loops:
            return parts
        families[loops[0].kind], found = left
        missing -= found
        parts += loops
    return [program.body]
