"""What a Trajectory needs from its origin to compute frames, energies and forces."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np


class Source(Protocol):
    """The origin of a run of N instants: a model with the parameters of the run, or a system written by hand.

    Attributes
    ----------
    mechanism : object
        With `name`, `bodies`, `efforts`, and, by name, `outputs` and `given` (inputs that are formulas).
    """

    @property
    def mechanism(self) -> Any: ...

    def frames(self, t: Any, q: Any, qd: Any) -> np.ndarray:
        """Transforms (N, bodies, 4, 4) at some times (s), coordinates and states, q and qd (N, n)."""

    def closed(self, run: Any, rows: np.ndarray) -> Any:
        """The run, with its interpolated instants moved to where the constraints hold."""

    def energies_along(self, run: Any) -> np.ndarray:
        """Kinetic and potential energy (J) along a run, (N, 2)."""

    def along(self, run: Any, expression: Any) -> np.ndarray:
        """An expression (N,), or several (N, m), along a run."""

    def element(self, run: Any, effort: Any) -> np.ndarray:
        """Power (W) and potential (J) of a force element along a run, (N, 2)."""

    def supplied(self, run: Any, effort: Any) -> np.ndarray:
        """Work (J) of a force element beyond its potential since the start of a run, (N,)."""

    def locking_force(self, run: Any, coordinate: Any) -> np.ndarray:
        """The generalised force (N,) that holds a coordinate while it is locked, zero while it is free."""

    def balances(self, run: Any) -> np.ndarray:
        """F, M, G, vG, omega of each body along a run, (N, bodies, 5, 3): see engine/balances.py."""

    def actions(self, run: Any) -> list[tuple[Any, str, np.ndarray]]:
        """(effort, body, force and moment about the ground's origin (N, 2, 3)) of each effort on each body."""

    def motions(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """G, vG, omega of each body at some states, (N, bodies, 3, 3)."""

    def drives(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """vG, omega (N, bodies, 2, 3) for a unit rate of each state that frames depend on, and for time ("")."""
