"""All ways to assemble a mechanism: Newton's iteration from many guesses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from easydyn.constraints.assembly import Constraints

SAME = 1e-6  # rad, or beside the size: two configurations that are one
ENOUGH = 40  # guesses in a row that bring nothing new


def all_of(at: Constraints, q: np.ndarray, hold: Sequence[str], starts: int) -> list[np.ndarray]:
    """Return the configurations (n,) that are found, the nearest to q first."""
    at.check_constants()
    dependent = at.dependent_near(q)
    hold = hold or [name for j, name in enumerate(at.names) if j not in dependent]
    free = np.array([name not in hold for name in at.names], dtype=bool)
    size, generator = at.size(q), np.random.default_rng(1)
    spread = np.where(at.angles, np.pi, 2 * size)
    found: list[np.ndarray] = []
    fruitless = 0
    for k in range(starts):
        guess = np.where(free, q + (generator.uniform(-1, 1, at.n) * spread if k else 0), q)
        x = at.newton(guess, free, size)
        fruitless += 1
        if x is not None:
            x = at.unturned(x, q)
            if not any(_same(x, y, at.angles, size) for y in found):
                found.append(x)
                fruitless = 0
        if found and fruitless > max(ENOUGH, 10 * len(found)):
            break
    if not found:
        found = [at.place(q, hold)]  # which says why there is none
    return sorted(found, key=lambda x: float(np.linalg.norm((x - q) / np.where(at.angles, 1.0, size))))


def _same(x: np.ndarray, y: np.ndarray, angles: np.ndarray, size: float) -> bool:
    """True for one configuration, whole turns apart perhaps."""
    apart = np.where(angles, np.abs(np.remainder(x - y + np.pi, 2 * np.pi) - np.pi), np.abs(x - y) / size)
    return bool(np.all(apart < SAME))
