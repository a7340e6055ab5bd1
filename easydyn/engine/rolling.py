"""Equal parts of a program, as of the contacts of many bodies: each kind is one loop, and not one text for each part.

What one contact adds to a graph are nodes one after the other, a block (`Graph.block`). Blocks are of one kind if
they have the same operations on the same kinds of arguments. A block may need what others of its kind have found before
it: the loop keeps their order. Rows of a table say where the arguments of each block are, and where its results go.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from easydyn.engine.graph import Node
from easydyn.engine.program import SLOTS, Program

LONG = 1200  # operations: shorter programs are compiled fast as they are
FEWEST = 8  # blocks of a kind: for fewer no loop is made


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
    ranges = program.outputs[0].graph.blocks
    starts, found = [start for start, _ in ranges], dict[int, list[Node]]()
    for node in sorted(program.body, key=lambda x: x.index):
        k = bisect_right(starts, node.index) - 1
        if k >= 0 and node.index < ranges[k][1]:
            found.setdefault(k, []).append(node)
    kinds: dict[tuple[object, ...], list[Block]] = {}
    for body in found.values():
        key, block = _kind(body, constants)
        kinds.setdefault(key, []).append(block)
    families = [blocks for blocks in kinds.values() if len(blocks) >= FEWEST]
    if not families:
        return Rolled([program.body], [])
    place = {x.index: (f, p) for f, blocks in enumerate(families) for b in blocks for p, x in enumerate(b.body)}
    alone = [x for x in program.body if x.index not in place]
    used = [set[int]() for _ in families]
    elsewhere = (a for x in alone for a in x.args)
    for x in (*program.outputs, *elsewhere, *(a for blocks in families for b in blocks for a in b.arguments)):
        if x.index in place:
            used[place[x.index][0]].add(place[x.index][1])
    return Rolled(_in_turn(program, alone, families), [sorted(x) for x in used])


def _kind(body: Sequence[Node], constants: dict[int, int]) -> tuple[tuple[object, ...], Block]:
    """What blocks of a kind have in common, and the block."""
    place, number = {x.index: p for p, x in enumerate(body)}, dict[int, int]()
    arguments, key = list[Node](), list[object]()
    for x in body:
        key.append(x.op)
        for a in x.args:
            if a.index in place:
                key.append(place[a.index])
            else:
                if a.index not in number:
                    number[a.index] = len(arguments)
                    arguments.append(a)
                key.append((source(a, constants), number[a.index]))
    return tuple(key), Block(list(body), arguments)


def _in_turn(program: Program, alone: list[Node], families: list[list[Block]]) -> list[Loop | list[Node]]:
    """Loops and single operations in an order in which arguments come first, with as few loops as there can be."""
    parts: list[Loop | list[Node]] = []
    missing = {x.index for x in program.body}
    while True:
        ready, later = list[Node](), list[Node]()
        for x in alone:  # arguments first
            if any(a.index in missing for a in x.args):
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
            break
        families[loops[0].kind], found = left
        missing -= found
        parts += loops
    return parts
