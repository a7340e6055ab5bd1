"""Efforts in plain Python (`@model.efforts`): called with numbers, one state at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError, InputError, ModelError, SlowRunWarning, calls_to_user, in_your_function
from easydyn.mechanics.mbs import Bodies, BodyState, resultant
from easydyn.vec import ZERO, Block, Inertia, Rotation, Transform, Vector


class Callbacks:
    """The Python functions of a system, and their contributions to its equations."""

    def __init__(self, system: Any):
        self._system = system

    def warn(self) -> None:
        """Warn once that Python functions at every residual cost time."""
        mechanism = self._system.mechanism
        for function in mechanism.callbacks:
            warnings.warn(
                f"the efforts function '{function.__name__}' of model '{mechanism.name}' is plain Python, called "
                "at every residual: the run is slower than with Force, Moment and the other symbolic efforts.",
                SlowRunWarning,
                stacklevel=calls_to_user(),
            )

    def _loaded_bodies(self, t: float, q: np.ndarray, qd: np.ndarray) -> list[BodyState]:
        """The bodies as a callback sees them, with the callbacks' efforts on them."""
        values = iter(self._system.at("callback_motion", t, q, qd, np.zeros(self._system.n)).tolist())

        def take() -> Vector:
            return Vector(next(values), next(values), next(values))

        states = []
        for body in self._system.mechanism.bodies:
            R = Rotation(take(), take(), take())
            com = Vector(*(self._constant(c) for c in body.com))
            state = BodyState(body.name, self._constant(body.mass), Inertia(ZERO, ZERO, ZERO), com)
            state.T, state.vG, state.omega = Transform((Block(R, take()),)), take(), take()
            pairs = [(take(), take()) for _ in self._system.mechanism.moving]
            state.d, state.theta = tuple(d for d, _ in pairs), tuple(theta for _, theta in pairs)
            states.append(state)
        view = Bodies(states)
        for function in self._system.mechanism.callbacks:
            where = f"the efforts function '{function.__name__}' of model '{self._system.mechanism.name}'"
            try:
                returned = function(t, view)
            except InputError as error:
                raise type(error)(f"{where}, at t = {t:g} s: {error}") from error
            except EasyDynError:
                raise
            except Exception as error:
                raise ModelError(in_your_function(where, f"t = {t:g} s", error)) from error
            if returned is not None:
                raise ModelError(
                    f"{where} returned {returned!r} at t = {t:g} s: expected nothing. Add what it does to the bodies, "
                    'as in bodies["arm"].R += ...'
                )
        return states

    def _constant(self, value: Any) -> float:
        node = self._system.node(value)
        if node.op == "const":
            return float(node.value)
        return float(self._system.at((value,), 0.0, *(np.zeros(self._system.n),) * 3)[0])

    def forces(self, t: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Generalised forces of the callbacks, sum_i d_ij . R_i + theta_ij . MG_i, of each coordinate that moves."""

        def at_one(ti: float, qi: np.ndarray, qdi: np.ndarray) -> np.ndarray:
            total = np.zeros(len(self._system.mechanism.moving))
            states = self._loaded_bodies(ti, qi, qdi)
            for state in states:
                R = resultant(state.R, f"the resultant force R on body '{state.name}'")
                M = resultant(state.MG, f"the resultant moment MG on body '{state.name}'")
                total += [R.dot(d) + M.dot(theta) for d, theta in zip(state.d, state.theta, strict=True)]
            return total

        return self._each(at_one, t, q, qd, (len(self._system.mechanism.moving),))

    def resultants(self, t: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """What the callbacks put on the bodies: R and MG of each, (..., bodies, 2, 3)."""
        shape = (len(self._system.mechanism.bodies), 2, 3)

        def at_one(ti: float, qi: np.ndarray, qdi: np.ndarray) -> np.ndarray:
            given = [float(c) for state in self._loaded_bodies(ti, qi, qdi) for c in (*state.R, *state.MG)]
            return np.reshape(given, shape)

        return self._each(at_one, t, q, qd, shape)

    def power(self, t: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """Q . qd, not R . vG: what R does on the prescribed part of a driven frame, the drive takes back."""
        return np.sum(self.forces(t, q, qd) * qd[..., self._system.mechanism.moving], axis=-1)

    def _each(self, function: Callable[..., Any], t: Any, q: Any, qd: Any, shape: tuple[int, ...]) -> np.ndarray:
        lead = np.shape(q)[:-1]
        if not lead:
            return np.asarray(function(float(t), q, qd), dtype=float)
        flat = zip(np.ravel(t), q.reshape(-1, self._system.n), qd.reshape(-1, self._system.n), strict=True)
        return np.array([function(float(ti), qi, qdi) for ti, qi, qdi in flat], dtype=float).reshape(lead + shape)
