"""Inverse dynamics of closed loops: the drive forces that a prescribed motion needs, apart from joint forces.

    f(t, q, qd, qdd) = J' lambda + E tau

f is the load that the open tree needs, J' lambda the load of the closures, and E tau the load of the drives. If there
are as many drives as degrees of freedom, lambda and tau follow. The loops give values, rates and accelerations of the
coordinates that are not prescribed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from easydyn.errors import InputError, ModelError
from easydyn.inputs import is_listed, name_in

CLOSED = 1e-6  # of the size: how far a loop may be open, or opening in a second, in a motion that is given by numbers
SINGULAR = 1e-9


class DrivenLoops:
    """A model with closed loops, whose motion is prescribed.

    Parameters
    ----------
    model : Model
        With constraints.
    parameters, inputs, target, scheme : optional
        As in `Model.compile`.
    """

    def __init__(self, model: Any, parameters: Any, inputs: Any, target: str, scheme: str):
        self.model, self.values = model, model.values(parameters)
        self.system = model.compile(target, scheme, parameters=parameters, inputs=inputs)
        self.n = len(self.system.mechanism.coordinates)
        self.names = self.system.names[: self.n]
        self.start = model.solver.closed(None, self.values)[0]
        if len(self.system.names) > self.n + self.system.mechanism.multipliers:
            raise ModelError(
                f"model '{model.name}' has first-order states beside closed loops: the forces that its motion needs "
                "are not known here. Leave the states out, or simulate it with a controller that drives it."
            )

    def drives(self, given: Any) -> list[int]:
        """Columns of the coordinates on which drives act."""
        listed = self.start.independent if given is None else list(given) if is_listed(given) else [given]
        named = [name_in(x, self.names, "drives has {!r}, which is not one of {}.") for x in listed]
        freedoms = len(self.start.independent)
        if len(named) != freedoms or len(set(named)) != freedoms:
            raise InputError(
                f"drives has {', '.join(named) or 'nothing'}: expected {freedoms} different coordinates, as many as "
                f"model '{self.model.name}' has freedoms, such as {', '.join(self.start.independent)}."
            )
        return [self.names.index(name) for name in named]

    def followed(
        self, instants: np.ndarray, known: Sequence[int], *motion: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, qd, qdd (N, n) of all coordinates, from the motion (N, known) of the `known` columns."""
        free = np.array([j not in known for j in range(self.n)])
        whole = [np.zeros((len(instants), self.n)) for _ in range(3)]
        q = self.start.q.copy()
        for k, time in enumerate(instants):
            at = self.model.solver.constraints_at(self.values, float(time))
            q[list(known)] = motion[0][k]
            found = at.newton(q, free, at.size(q)) if k else at.place(q, [self.names[j] for j in known])
            if found is None:
                raise ModelError(
                    f"the loops of model '{self.model.name}' cannot be closed at t = {time:g} s, where "
                    f"{', '.join(f'{self.names[j]} = {q[j]:.6g}' for j in known)}: the prescribed motion goes where "
                    "the mechanism does not reach. Look at model.assemble there."
                )
            whole[0][k] = found
            q = found.copy()
        whole[1][:, list(known)], whole[2][:, list(known)] = motion[1], motion[2]
        A = self._jacobian(instants, *whole)
        follow = np.flatnonzero(free)
        for order, what in ((1, partial(self._along, "constraint_rates")), (2, self._accelerations)):
            missing = what(instants, *whole)
            for k, (J, x) in enumerate(zip(A, missing, strict=True)):
                whole[order][k, follow] += np.linalg.lstsq(J[:, follow], -x, rcond=1e-10)[0]
        return whole[0], whole[1], whole[2]

    def forces(self, instants: np.ndarray, drives: Sequence[int], *motion: np.ndarray) -> np.ndarray:
        """The forces (N, n) of the drives, zero for coordinates without a drive."""
        self._check_closed(instants, *motion)
        needed = self.system.residual(instants, *motion)
        A = self._jacobian(instants, *motion)
        found = np.zeros((len(instants), self.n))
        columns = np.eye(self.n)[:, list(drives)]
        for k, (J, f) in enumerate(zip(A, needed, strict=True)):
            size = np.abs(J).max(axis=1, keepdims=True)
            whole = np.column_stack([(J / np.where(size > 0, size, 1)).T, columns])
            solved, _, rank, _ = np.linalg.lstsq(whole, f, rcond=SINGULAR)
            if rank < self.n or not np.isfinite(solved).all():
                names = ", ".join(self.names[j] for j in drives)
                raise ModelError(
                    f"drives on {names} cannot hold model '{self.model.name}' at t = {instants[k]:g} s: it is at a "
                    "dead point of theirs, where forces would have to be infinite. Drive other coordinates."
                )
            found[k, list(drives)] = solved[len(J) :]
        return found

    def _along(self, key: str, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.system.along(key, instants, [*map(self.system.whole, motion)], np.zeros((0, 0)))
        return found

    def _jacobian(self, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        return self._along("constraint_jacobian", instants, *motion).reshape(len(instants), -1, self.n)

    def _accelerations(self, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        """What the accelerations of all rows lack; zero in rows that are redundant."""
        found = np.zeros((len(instants), len(self.system.mechanism.rows)))
        found[:, self.system.mechanism.carried] = self._along("residual", instants, *motion)[:, self.n :]
        return found

    def _check_closed(self, instants: np.ndarray, *motion: np.ndarray) -> None:
        size = self.model.solver.constraints_at(self.values, 0.0).size(self.start.q)
        rows = [f"{c.title} ({label})" for c in self.system.mechanism.constraints for label in c.labels]
        for what, key in (("is open by", "constraint_values"), ("opens at a rate of", "constraint_rates")):
            found = np.abs(self._along(key, instants, *motion))
            if not found.max(initial=0) <= CLOSED * max(size, float(np.abs(motion[1]).max(initial=0)) * size):
                k, row = np.unravel_index(int(np.argmax(found)), found.shape)
                raise InputError(
                    f"the prescribed motion does not keep model '{self.model.name}' closed: {rows[row]} {what} "
                    f"{found[k, row]:.3g} at t = {instants[k]:g} s. Prescribe {', '.join(self.start.independent)} "
                    "alone, in a dict by name: the others follow."
                )
