"""Derivatives of the equations, exact: by coordinates, rates, accelerations, parameters, inputs; and those of frames.

Forward sweeps over the graph (derivatives.py), one for each variable: of a mechanism, where most derivatives vanish,
they give shorter programs than reverse ones. Efforts in plain Python are in no graph: their part is differenced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from easydyn.engine.derivatives import slopes
from easydyn.engine.graph import Node
from easydyn.errors import InputError
from easydyn.inputs import expect, listed
from easydyn.mechanics.kinematics import rotation_contribution
from easydyn.vec import Transform
from easydyn.vec.scalars import scalar

VARIABLES = ("q", "qd", "qdd", "parameters", "inputs")
STEP = 6e-6  # of central differences: the cube root of rounding


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
    """Derivatives of the generalised forces of efforts in plain Python, by central differences (..., moving, n)."""
    forces = system.callbacks.forces
    if by == "qd":
        return differences(lambda x: forces(t, q, x), qd)
    return np.where(system.states, 0.0, differences(lambda x: forces(t, x, qd), q))


def differences(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """Derivatives (..., m, n) of f(x) (..., m) by x (..., n), in their own units, by central differences."""
    steps = STEP * np.maximum(1.0, np.abs(x))
    own = zip(np.eye(x.shape[-1]), np.moveaxis(steps, -1, 0), strict=True)
    return np.stack([(f(x + steps * e) - f(x - steps * e)) / (2 * h[..., None]) for e, h in own], axis=-1)


class Placing(NamedTuple):
    """The key of the program of some frames: of each e (3), R (3 x 3), and the Jacobian (6 x n), row by row.

        v = J_v qd + v_t,        omega = J_omega qd + omega_t

    The columns of J_v and J_omega are the partial contributions d and theta of eq. (5).
    """

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
