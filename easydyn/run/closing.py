"""A run of a model with constraints: where it starts, and its multipliers apart from its coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn.constraints import Closure
from easydyn.constraints.assembly import Closed, Redundancy
from easydyn.errors import UnknownNameError
from easydyn.result.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class Closing:
    """How a run was assembled.

    Attributes
    ----------
    closed : Closed
        Its initial state.
    redundancy : Redundancy
        Which equations are independent, which loads are known.
    """

    closed: Closed
    redundancy: Redundancy

    def begin(self, system: Any, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The initial state of a system whose last unknowns are multipliers."""
        zeros, n = np.zeros(system.mechanism.multipliers), len(self.closed.q)
        q, qd = np.concatenate([q, zeros]), np.concatenate([qd, zeros])
        q[:n], qd[:n] = self.closed.q, self.closed.qd
        return q, qd

    def without_multipliers(self, run: Trajectory, system: Any) -> Trajectory:
        """A run with its multipliers beside its unknowns, not among them."""
        m = system.mechanism.multipliers
        n = len(run.names) - m
        told = str(self.closed)
        return replace(
            run, q=run.q[:, :n].copy(), qd=run.qd[:, :n].copy(), qdd=run.qdd[:, :n].copy(), names=run.names[:n],
            first_order=run.first_order[:n], multiplier_names=run.names[n:], multiplier_values=run.qdd[:, n:].copy(),
            message=f"{run.message}; {told}" if told else run.message,
        )  # fmt: skip


def loads(
    source: Any, run: Trajectory, constraint: Any, *, minimum_norm: bool
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Multipliers (N, rows) of a constraint, and the force and moment (N, 6) that they are; nan where unknown.

    A load that several equations share in a way that the motion does not tell is unknown; of `minimum_norm` it is the
    least that does the same (its squares, forces beside moments in SI units, add up to the least).
    """
    constraints = source.mechanism.constraints
    if not any(constraint is c for c in constraints):
        raise UnknownNameError(
            f"{constraint!r} is not a constraint of model '{source.mechanism.name}': expected what model.close or "
            f"model.constraint returned, of: {', '.join(c.name for c in constraints) or 'none'}."
        )
    names = [str(p) for c in constraints for p in c.multipliers]
    known = source.closing.redundancy.known
    values = np.zeros((len(run), len(names)))
    for k, name in enumerate(names):
        if name in run.multiplier_names:
            values[:, k] = run.multiplier_values[:, run.multiplier_names.index(name)]
    if minimum_norm and not known.all():
        A = source._along(run, "constraint_jacobian").reshape(len(run), len(names), -1)
        values = np.array([np.linalg.pinv(a.T, rcond=1e-9) @ (a.T @ x) for a, x in zip(A, values, strict=True)])
    first = sum(len(c.labels) for c in constraints[: [c is constraint for c in constraints].index(True)])
    own = slice(first, first + len(constraint.labels))
    values, told = values[:, own], known[own] | minimum_norm
    shown = np.where(told, values, np.nan)
    if not isinstance(constraint, Closure):
        return shown, np.zeros((len(run), 0))
    units = source._along(run, source.system.closure_nodes(constraint)).reshape(len(run), len(told), 6)
    wrench = np.einsum("nk,nkc->nc", np.where(told, values, 0.0), units)
    unknown = (np.abs(units[:, ~told]) > 1e-9).any(axis=1)
    return shown, np.where(unknown, np.nan, wrench)


def closing_of(model: Any, initial: Any, values: Mapping[str, float], t: float) -> Closing:
    """How a run of a model with constraints begins at t (s)."""
    return Closing(*model.closed(initial, values, t))
