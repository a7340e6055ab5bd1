"""Conditions of force elements on the start of a run, in numbers: a valid depth, limits in order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.errors import ModelError

if TYPE_CHECKING:
    from easydyn.forces.effort import Demand

_SCALARS = ("value", "least", "most")


def demands_of(derivation: Any) -> list[Demand]:
    """The demands of all efforts, whose scalars are nodes; those of numbers alone were looked at in the declaration."""
    asked = []
    for effort in derivation.mechanism.efforts:
        for demand in effort.demands(derivation):
            given = {name: x for name in _SCALARS if (x := getattr(demand, name)) is not None}
            nodes = {name: derivation.graph.node(x) for name, x in given.items()}
            if any(node.op != "const" for node in nodes.values()):
                asked.append(demand._replace(**nodes))
    return asked


def met(system: Any, values: Mapping[str, np.ndarray], t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """True (N,) where all demands hold at the starts (N, n) of runs with `values` (N,) of parameters, by name."""
    nodes, fine = _nodes(system.demands), np.ones(len(q), dtype=bool)
    columns: dict[Any, Any] = dict(zip(nodes, system.at_values(nodes, values, t, (q, qd, 0 * q)).T, strict=True))
    for d in system.demands:
        fine &= (columns[d.value] >= columns.get(d.least, -np.inf)) & (columns[d.value] <= columns.get(d.most, np.inf))
    return fine


def _nodes(demands: list[Demand]) -> tuple[Any, ...]:
    return tuple(x for d in demands for x in (d.value, d.least, d.most) if x is not None)


def check_start(system: Any, t: float, q: np.ndarray, qd: np.ndarray) -> None:
    """Raise ModelError if a force element makes no sense at the start of a run."""
    demands = system.demands
    nodes = _nodes(demands)
    if not nodes:
        return
    found = system.at(nodes, t, q, qd, np.zeros(system.n), target="python").tolist()
    values: dict[Any, float] = dict(zip(nodes, found, strict=True))
    for d in demands:
        value, least, most = values[d.value], values.get(d.least, -np.inf), values.get(d.most, np.inf)
        if value < least:
            raise ModelError(f"at the start {d.what} is {value:.6g}: expected at least {least:.6g}. {d.remedy}")
        if value > most:
            raise ModelError(f"at the start {d.what} is {value:.6g}: expected at most {most:.6g}. {d.remedy}")
