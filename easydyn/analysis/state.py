"""A state of a model under analysis: time, coordinates, rates, accelerations, and values of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from easydyn.analysis.closed import Directions
from easydyn.analysis.equilibrium import Equilibrium
from easydyn.analysis.setting import locked_at, rows_of, system_for
from easydyn.errors import InputError
from easydyn.inputs import by_name, finite, state_vector
from easydyn.mechanics.driving import without_drives
from easydyn.run.unknowns import determined


class Unlocked:
    """The directions of a system without constraints: all coordinates but locked ones, `free` (n,), and its states."""

    def __init__(self, system: Any, free: np.ndarray):
        self.free, self.rows, self.states = free, rows_of(system, free), system.states[free]
        self.names = tuple(name for name, moves in zip(system.names, free, strict=True) if moves)

    def matrices(self, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K of small motions, from the derivatives (n, n) of the residual."""
        return M[self.rows][:, self.free], C[self.rows][:, self.free], K[self.rows][:, self.free]

    def column(self, forces: np.ndarray) -> np.ndarray:
        """Forces (n,), or columns of them, in the equations of small motions."""
        return forces[self.rows]

    def row(self, *by: np.ndarray) -> tuple[np.ndarray, ...]:
        """Derivatives of an output by the unknowns of small motions, from those by all unknowns (n,)."""
        return tuple(x[self.free] for x in by)

    def spread(self, shape: np.ndarray) -> np.ndarray:
        """A shape of small motions, extended to all unknowns (n,): q for coordinates, values for states."""
        whole = np.zeros(len(self.free), dtype=shape.dtype)
        whole[self.free] = shape
        return whole


@dataclass(frozen=True, eq=False)
class OperatingPoint:
    """t (s), q, qd, qdd (n,) of a compiled system, and the `directions` in which it can move."""

    t: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    system: Any = field(repr=False)
    directions: Unlocked | Directions

    def matrices(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K of small motions."""
        here = (self.t, self.q, self.qd, self.qdd)
        return self.directions.matrices(*(self.system.jacobian(by, *here) for by in ("qdd", "qd", "q")))

    def moved(self, shape: np.ndarray, amplitudes: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """t (N,), q and qd (N, n) at N complex amplitudes of a `shape` (n,) of all unknowns; the time stays."""
        states, away = self.system.states, np.real(np.asarray(amplitudes)[:, None] * shape)
        q, qd = self.q + np.where(states, 0.0, away), self.qd + np.where(states, away, 0.0)
        return np.full(len(away), self.t), q, qd


def state_of(
    model: Any,
    at: Any,
    t: float | None,
    parameters: Mapping[str, Any] | None,
    inputs: Mapping[str, Any] | None,
    locked: Any,
    target: str,
    scheme: str,
) -> OperatingPoint:
    """The state that `at` gives: an Equilibrium, values by name that replace initial ones, arrays, or None."""
    given: dict[str, Any] = {}
    if isinstance(at, Equilibrium):
        at.check()
        if at.names != model.names:
            raise InputError(
                f"at is an equilibrium of {', '.join(at.names)}, the unknowns of model '{model.name}' are "
                f"{', '.join(model.names)}: find the equilibrium of this model."
            )
        t = at.t if t is None else t
        parameters = at.parameters | by_name(parameters, "parameters", '{"l1": 1.3}')
        inputs = at.inputs | by_name(inputs, "inputs", '{"u": 2}')
        locked = at.locked if locked is None else locked
    time = finite(0.0 if t is None else t, "t")
    system, _ = system_for(model, time, parameters, inputs, target, scheme)
    locks = [*locked_at(model, locked, time), *map(str, system.mechanism.algebraic)]  # which follow
    free = np.array([name not in locks for name in system.names], dtype=bool)
    if model.constraints:
        return _closed(model, at, time, system, locks, free)
    n, unlocked = system.n, Unlocked(system, free)
    if isinstance(at, Equilibrium):
        return OperatingPoint(time, at.q, at.qd, np.zeros(n), system, unlocked)
    if _numbers(at):
        at = _halves(state_vector(at, "at"), system)
    if isinstance(at, tuple | list):
        q, qd, *rest = _vectors(at, system.names, 3, "(q, qd) or (q, qd, qdd).")
        qdd = rest[0] if rest else None
    else:
        given = by_name(at, "at", 'an Equilibrium, or {"q1": 0.3, "q1.dot": 2}')
        second = {f"{x}.dot" if state else f"{x}.ddot" for x, state in zip(system.names, system.states, strict=True)}
        q, qd = model.initial({k: v for k, v in given.items() if k not in second}, system.parameters)
        accelerations = {k: finite(v, f"the value of {k}") for k, v in given.items() if k in second}
        qdd = None
        if accelerations:
            qdd = np.array([accelerations.get(f"{x}.dot" if s else f"{x}.ddot", 0.0)
                            for x, s in zip(system.names, system.states, strict=True)])  # fmt: skip
    if system.mechanism.algebraic:
        qd = determined(system, time, q, qd)
    return OperatingPoint(time, q, qd, _moving(system, time, q, qd, unlocked) if qdd is None else qdd, system, unlocked)


def _numbers(at: Any) -> bool:
    """Whether `at` is a list of plain numbers: one vector, and not several."""
    if isinstance(at, np.ndarray):
        return at.ndim == 1 and at.dtype.kind in "fiu"
    return isinstance(at, tuple | list) and bool(at) and all(isinstance(x, int | float | np.number) for x in at)


def _halves(x: np.ndarray, system: Any) -> tuple[np.ndarray, np.ndarray]:
    """q and qd of a vector of n numbers, coordinates and states at rest, or of 2 n."""
    n = system.n
    if len(x) == 2 * n:
        return x[:n], x[n:]
    if len(x) == n:
        return np.where(system.states, 0.0, x), np.where(system.states, x, 0.0)
    raise InputError(
        f"at has {len(x)} numbers: expected {n}, for {', '.join(system.names)} at rest, or {2 * n}, with their rates."
    )


def _vectors(at: Any, names: Sequence[str], most: int, expected: str) -> list[np.ndarray]:
    """q and qd, and qdd if it may be there, of the arrays in `at`."""
    if not 2 <= len(at) <= most:
        raise InputError(f"at has {len(at)} arrays: expected {expected}")
    vectors = {what: state_vector(x, what) for what, x in zip(("q", "qd", "qdd"), at, strict=False)}
    for what, x in vectors.items():
        if len(x) != len(names):
            raise InputError(f"{what} in at has {len(x)} values: expected {len(names)}, for {', '.join(names)}.")
    return list(vectors.values())


def _closed(
    model: Any, at: Any, t: float, system: Any, locks: Sequence[str], free: np.ndarray
) -> OperatingPoint:  # fmt: skip
    """A state of a model with constraints: assembled, with multipliers."""
    without_drives(system.mechanism, "linearize")
    multipliers = np.zeros(system.mechanism.multipliers)
    if isinstance(at, Equilibrium):
        q, qd = at.q, at.qd
    elif isinstance(at, tuple | list):
        q, qd = _vectors(at, model.names, 2, "(q, qd); accelerations follow from the constraints.")
    else:
        given = by_name(at, "at", 'an Equilibrium, or {"q1": 0.3, "q1.dot": 2}')
        q, qd = model.initial(given, system.parameters)
        closed, _ = model.solver.closed(given, system.parameters, t)
        q[: len(closed.q)], qd[: len(closed.qd)] = closed.q, closed.qd
    q, qd = np.concatenate([q, multipliers]), np.concatenate([qd, multipliers])
    if system.mechanism.algebraic:
        qd = determined(system, t, q, qd)
    qdd = _moving(system, t, q, qd, Unlocked(system, free))
    directions = Directions(system, model.solver.constraints_at(system.parameters, t), t, q, qd, qdd, locks)
    return OperatingPoint(t, q, qd, qdd, system, directions)


def _moving(s: Any, t: float, q: np.ndarray, qd: np.ndarray, unlocked: Unlocked) -> np.ndarray:
    """The accelerations that the equations give; locked coordinates have none."""
    if unlocked.free.all():
        return s.accelerations(t, q, qd)  # type: ignore[no-any-return]
    qdd = np.zeros(s.n)
    M = s.jacobian("qdd", t, q, qd, qdd)[unlocked.rows][:, unlocked.free]
    f = s.residual(t, q, qd, qdd)[unlocked.rows]
    # what locks hold already leaves loops with loads that nothing tells: the least of them
    qdd[unlocked.free] = -(np.linalg.lstsq(M, f, rcond=1e-12)[0] if s.mechanism.multipliers else np.linalg.solve(M, f))
    return qdd
