"""A state of a model at which it is looked at: time, coordinates, rates, accelerations, with values of parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from easydyn.analysis.equilibrium import Equilibrium
from easydyn.analysis.setting import locked_at, rows_of, system_for
from easydyn.errors import InputError
from easydyn.inputs import by_name, finite, state_vector


@dataclass(frozen=True, eq=False)
class State:
    """t (s), q, qd, qdd (n,) of a compiled system; `free` is False for locked coordinates (n,)."""

    t: float
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    free: np.ndarray
    system: Any = field(repr=False)

    @property
    def rows(self) -> np.ndarray:
        """The equations that hold: those of locked coordinates do not (n,)."""
        return rows_of(self.system, self.free)


def state_of(
    model: Any,
    at: Any,
    t: float | None,
    parameters: Mapping[str, Any] | None,
    inputs: Mapping[str, Any] | None,
    locked: Any,
    target: str,
    scheme: str,
) -> State:
    """The state meant by `at`: an Equilibrium, values by name beside the initial ones, arrays, or None."""
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
    n, locks = system.n, locked_at(model, locked, time)
    free = np.array([name not in locks for name in system.names], dtype=bool)
    if isinstance(at, Equilibrium):
        return State(time, at.q, at.qd, np.zeros(n), free, system)
    if _numbers(at):
        at = _halves(np.asarray(at, dtype=float), system)
    if isinstance(at, tuple | list):
        if len(at) not in (2, 3):
            raise InputError(f"at has {len(at)} arrays: expected (q, qd) or (q, qd, qdd).")
        vectors = [state_vector(x, what) for x, what in zip(at, ("q", "qd", "qdd"), strict=False)]
        for x, what in zip(vectors, ("q", "qd", "qdd"), strict=False):
            if len(x) != n:
                raise InputError(f"{what} in at has {len(x)} values: expected {n}, for {', '.join(system.names)}.")
        q, qd = vectors[:2]
        qdd = vectors[2] if len(at) == 3 else None
    else:
        given = by_name(at, "at", 'an Equilibrium, or {"q1": 0.3, "q1.dot": 2}')
        second = {f"{x}.dot" if state else f"{x}.ddot" for x, state in zip(system.names, system.states, strict=True)}
        q, qd = model.initial({k: v for k, v in given.items() if k not in second}, system.parameters)
        accelerations = {k: finite(v, f"the value of {k}") for k, v in given.items() if k in second}
        qdd = None
        if accelerations:
            qdd = np.array([accelerations.get(f"{x}.dot" if s else f"{x}.ddot", 0.0)
                            for x, s in zip(system.names, system.states, strict=True)])  # fmt: skip
    found = State(time, q, qd, np.zeros(n) if qdd is None else qdd, free, system)
    return found if qdd is not None else _moving(found)


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


def _moving(state: State) -> State:
    """With the accelerations that the equations give; locked coordinates have none."""
    s = state.system
    if state.free.all():
        qdd = s.accelerations(state.t, state.q, state.qd)
    else:
        M = s.jacobian("qdd", state.t, state.q, state.qd, state.qdd)[state.rows][:, state.free]
        f = s.residual(state.t, state.q, state.qd, state.qdd)[state.rows]
        qdd = np.zeros(s.n)
        qdd[state.free] = -np.linalg.solve(M, f)
    return State(state.t, state.q, state.qd, qdd, state.free, s)
