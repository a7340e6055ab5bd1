"""A mechanism whose constraints are carried by elements, one multiplier for each independent row, or are solved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import sympy

from easydyn.constraints.constraint import Carried
from easydyn.constraints.search import Forms
from easydyn.engine.derivation import Derivation
from easydyn.engine.graph import Node, reachable
from easydyn.engine.sympy_bridge import operation
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.symbols import t


def reduced(mechanism: Mechanism, found: Forms) -> Mechanism:
    """The mechanism without the coordinates that have a closed form.

    Constraints remain if coordinates are carried, or equations watched.
    """
    followers = {form.coordinate for form in found.forms}
    branches = tuple(form.branch for form in found.forms if form.branch is not None)
    rates = tuple(c for c in mechanism.constraints if c.of_rates)
    return replace(
        mechanism, coordinates=tuple(c for c in mechanism.coordinates if c not in followers), forms=found.forms,
        parameters=(*mechanism.parameters, *branches),
        constraints=mechanism.constraints if found.carried or found.watched else rates,
        outputs=dict(mechanism.outputs) | {str(x): x for c in followers for x in (c, c.dot)},
    )  # fmt: skip


SOFT = 1e-10  # of what a row yields where nothing else holds it


def carried(mechanism: Mechanism, kept: Sequence[int]) -> Mechanism:
    """The mechanism with elements that carry the rows `kept`, by their position among those of all constraints.

    Of rows that yield a little, ~k stands for the position k.

    >>> from easydyn import Model, trotz
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> wheels = [model.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
    >>> mesh = model.constraint(a + 3*b, name="mesh")
    >>> carried(model.mechanism, [0]).states
    (mesh:load,)
    """
    elements, first, mass = [], 0, sum(body.mass for body in mechanism.bodies)
    for constraint in mechanism.constraints:
        count = len(constraint.labels)
        soft = [~k - first for k in kept if first <= ~k < first + count]
        own = sorted([k - first for k in kept if first <= k < first + count] + soft)
        if own:
            elements.append(Carried(constraint, own, soft, SOFT / mass if soft else 0))
        first += count
    states = tuple(p for element in elements for p in element.states)
    return replace(mechanism, efforts=(*mechanism.efforts, *elements), states=(*mechanism.states, *states))


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
