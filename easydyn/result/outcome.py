"""Energies along a run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from easydyn.sim.motion import Named


@dataclass(frozen=True, eq=False)
class Energy(Named):
    """Energies along a run (J), arrays (N,).

    `potential` is the energy of gravity and springs, `total` the sum of `kinetic` and `potential`. `work` is the work
    that all other efforts (forces, dampers, drives) have done on the system since the start. `balance` is total - work;
    it is constant except for the error of integration.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray
    work: np.ndarray
    balance: np.ndarray

    def __repr__(self) -> str:
        ends = ", ".join(f"{name} {self[name][0]:.6g} to {self[name][-1]:.6g}" for name in self)
        return f"Energy({ends}; balance within {np.ptp(self.balance):.3g} J)"
