"""Closed forms as SymPy expressions, for reading: a coordinate by those before it, and parts by names of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy

from easydyn.constraints.search import Forms
from easydyn.engine.derivation import Derivation
from easydyn.engine.graph import Node, reachable
from easydyn.engine.sympy_bridge import operation
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.symbols import t


def formulas_of(mechanism: Mechanism, found: Forms) -> tuple[tuple[Any, Any], ...]:
    """(symbol, formula) of all closed forms `found` of a `mechanism` : each of symbols before it."""
    signs = {form.branch: sympy.Integer(int(found.branches[str(form.branch)])) for form in found.forms if form.branch}
    derivation = Derivation(replace(mechanism, parameters=(*mechanism.parameters, *signs)))
    symbols: dict[tuple[str, int], Any] = {("t", 0): t}
    symbols |= {("q", j): x for j, x in enumerate(mechanism.coordinates)}
    symbols |= {("p", k): signs.get(p, p) for k, p in enumerate((*mechanism.parameters, *signs))}
    inputs = {str(u): u for u in mechanism.inputs}
    symbols |= {("u", k): inputs.get(name, sympy.S.Zero) for k, name in enumerate(mechanism.held)}
    listed, parts = list[tuple[Any, Any]](), sympy.numbered_symbols("part", real=True, start=1)
    for form in found.forms:
        node, written = form.node(form.on(derivation, derivation.symbols[form.coordinate])), dict[int, Any]()
        for x in reachable([node]):
            written[x.index] = _expression(x, [written[a.index] for a in x.args], symbols)
        shared, (e,) = sympy.cse(written[node.index], parts)
        listed += [*shared, (form.coordinate, e)]
    return tuple(listed)


def _expression(node: Node, args: list[Any], symbols: Mapping[tuple[str, int], Any]) -> Any:
    if node.op == "input":
        return symbols[node.value]
    if node.op != "const":
        return operation(node.op, *args)
    return sympy.Integer(node.value) if node.value == int(node.value) else sympy.Float(node.value)
