"""Derivatives of the equations, exact: by coordinates, rates, accelerations, parameters, inputs.

Forward sweeps over the graph (derivatives.py), one for each variable: of a mechanism, where most derivatives vanish,
they give shorter programs than reverse ones. Efforts in plain Python are in no graph: their part is differenced.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from easydyn.engine.derivatives import slopes
from easydyn.engine.graph import Node
from easydyn.errors import InputError
from easydyn.inputs import listed
from easydyn.vec.scalars import scalar

VARIABLES = ("q", "qd", "qdd", "parameters", "inputs")
_STEP = 6e-6  # of central differences: the cube root of rounding


class Jacobian(NamedTuple):
    """The derivatives of expressions (of the residual: None) by one of VARIABLES, as the key of a program."""

    by: str
    of: tuple[Any, ...] | None = None

    def outputs(self, derivation: Any) -> list[Node]:
        """Of each expression, row by row, its derivatives."""
        outputs = derivation.residual if self.of is None else derivation.expressions(self.of)
        return slopes(derivation.graph, outputs, getattr(derivation, self.by))


def expressions_of(given: Any, what: str) -> tuple[Any, ...]:
    """Expressions of a list, each a scalar; InputError, naming `what`, otherwise."""
    found = tuple(scalar(e, "an expression") for e in listed(given, what, "SymPy expressions"))
    for e in found:
        if isinstance(e, np.ndarray):
            raise InputError(f"an expression is an array of shape {e.shape}: expected a number or a SymPy expression.")
    return found


def callback_derivatives(system: Any, by: str, t: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
    """Derivatives of the generalised forces of efforts in plain Python, by central differences (..., n, n)."""
    J = np.zeros((*q.shape, system.n))
    moved = q if by == "q" else qd
    for j in range(system.n):
        if by == "q" and system.states[j]:
            continue
        e = np.zeros(system.n)
        e[j] = 1
        step = _STEP * np.maximum(1, np.abs(moved[..., j, None]))
        ends = [(q + s * step * e, qd) if by == "q" else (q, qd + s * step * e) for s in (1, -1)]
        forces = [system.callbacks.forces(t, *end) for end in ends]
        J[..., j] = (forces[0] - forces[1]) / (2 * step)
    return J
