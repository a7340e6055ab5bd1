"""Places, attitudes and Jacobians of frames, for many states at once.

    v = J_v qd + v_t,        omega = J_omega qd + omega_t

The columns of J_v and J_omega are the partial contributions d and theta of eq. (5).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from easydyn.engine.graph import Node
from easydyn.inputs import expect
from easydyn.mechanics.kinematics import rotation_contribution
from easydyn.vec import Transform


class Placing(NamedTuple):
    """The key of the program of some frames: of each e (3), R (3 x 3), and the Jacobian (6 x n), row by row."""

    frames: tuple[Transform, ...]

    def outputs(self, derivation: Any) -> list[Node]:
        """All numbers, frame by frame; the Jacobian has a column for each coordinate."""
        found: list[Any] = []
        q, calculus = derivation.q[: len(derivation.mechanism.coordinates)], derivation.calculus
        for frame in self.frames:
            T = derivation.transform(frame)
            R, theta = T.R, [rotation_contribution(T, x, calculus) for x in q]
            found += [*T.e, *(R[i, j] for i in range(3) for j in range(3))]
            found += [x for component in T.e for x in calculus.gradient(component, q)]
            found += [vector[i] for i in range(3) for vector in theta]
        return [derivation.graph.node(x) for x in found]

    def parted(self, numbers: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """e (..., frames, 3), R (..., frames, 3, 3), J (..., frames, 6, n) of the program's numbers."""
        of_each = numbers.reshape(*numbers.shape[:-1], len(self.frames), 12 + 6 * n)
        e, R, J = of_each[..., :3], of_each[..., 3:12], of_each[..., 12:]
        return e, R.reshape(*R.shape[:-1], 3, 3), J.reshape(*J.shape[:-1], 6, n)


def frame_of(given: Any, what: str) -> Transform:
    """The transform of a body, or one that is given; InputError, naming `what`, otherwise."""
    T = getattr(given, "T", given)
    expect(isinstance(T, Transform), what, given, "a body, or a transform such as arm.T * tdisp(0, 0, 0.1)")
    return T
