"""Derivatives of the equations, exact: by coordinates, rates, accelerations, parameters, inputs.

Forward sweeps over the graph (derivatives.py), one for each variable: of a mechanism, where most derivatives vanish,
they give shorter programs than reverse ones. Efforts in plain Python are in no graph: their part is differenced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from easydyn.arguments import answers
from easydyn.engine.derivatives import Forward
from easydyn.engine.graph import Node
from easydyn.errors import InputError
from easydyn.inputs import among, listed
from easydyn.vec.scalars import scalar

if TYPE_CHECKING:
    from easydyn.engine.derivation import Derivation
    from easydyn.engine.system import CompiledSystem

VARIABLES = ("q", "qd", "qdd", "parameters", "inputs")
_STEP = 6e-6  # of central differences: the cube root of rounding


class Jacobian(NamedTuple):
    """The derivatives of expressions (of the residual: None) by one of VARIABLES, as the key of a program."""

    by: str
    of: tuple[Any, ...] | None = None

    def outputs(self, derivation: Derivation) -> list[Node]:
        """Of each expression, row by row, its derivatives."""
        outputs = derivation.residual if self.of is None else derivation.expressions(self.of)
        one = derivation.graph.one
        columns = []
        for x in getattr(derivation, self.by):
            forward = Forward(derivation.graph, {x: one})
            columns.append([forward(f) for f in outputs])
        return [column[i] for i in range(len(outputs)) for column in columns]


def expressions_of(given: Any, what: str) -> tuple[Any, ...]:
    """Expressions of a list, each a scalar; InputError, naming `what`, otherwise."""
    found = tuple(scalar(e, "an expression") for e in listed(given, what, "SymPy expressions"))
    for e in found:
        if isinstance(e, np.ndarray):
            raise InputError(f"an expression is an array of shape {e.shape}: expected a number or a SymPy expression.")
    return found


class Differentiable:
    """The methods of a CompiledSystem that compute derivatives."""

    mechanism: Any
    n: int
    _parameters_or_self: Callable[..., CompiledSystem]

    @answers
    def jacobian(
        self, by: str, t: Any, q: Any, qd: Any, qdd: Any, *, of: Sequence[Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Derivatives of the residual f(t, q, qd, qdd), exact but for efforts in plain Python (central differences).

        Parameters
        ----------
        by : {"q", "qd", "qdd", "parameters", "inputs"}
            The variable of differentiation: df/dq is the stiffness matrix, df/dqd the damping matrix, df/dqdd the mass
            matrix M of eq. (8). The column of q of a first-order state is zero.
        t : scalar or array (...)
            Time (s).
        q, qd, qdd : arrays (..., n)
            Coordinates (m, rad) and their derivatives; leading axes are many states at once.
        of : sequence of SymPy expressions, optional
            Expressions to differentiate instead of the residual.
        parameters : dict, optional
            Values that differ from those of the system.

        Returns
        -------
        array (..., rows, columns)
            A row for each equation or expression.

        Raises
        ------
        InputError
            When a shape does not fit.

        Example
        -------
        >>> from easydyn import examples
        >>> system = examples.slider_crank().compile()
        >>> system.jacobian("qdd", 0, [1], [0], [0]) == system.mass_matrix(0, [1])
        array([[ True]])
        """
        if not among(by, VARIABLES):
            raise InputError(f"jacobian(by={by!r}): expected one of {', '.join(VARIABLES)}.")
        of = None if of is None else expressions_of(of, "of")
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, q, qd, qdd)
        columns = len(getattr(self.mechanism, by)) if by in ("parameters", "inputs") else self.n
        rows = self.n if of is None else len(of)
        key = Jacobian(by, of)
        J = system._many(key, time, x, (rows, columns))
        if of is None and by in ("q", "qd") and self.mechanism.callbacks:
            J = J - callback_derivatives(system, by, time, x[0], x[1])
        return J


def callback_derivatives(system: CompiledSystem, by: str, t: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
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
