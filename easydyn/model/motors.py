"""Kinematics by hand in motors, which `compute_motion` of a System may write instead of four vectors of a body.

    b.velocity = Motor(omega, v)           of the frame T, about its origin and in its axes (rad/s; m/s)
    b.velocity_rate = Motor(...)           the rates of these six components
    b.momentum = Motor(p, l)               likewise (kg m/s; kg m2/s), if it is to be checked, too

Equations are those of T. Zaiczek, O. Enge-Rosenblatt, Performance Analysis of von Mises' Motor Calculus within
Modelica, 2009: p = M v (4), p' + v x p = f (5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import a
from easydyn.mechanics.mbs import BodyState, resultant
from easydyn.motor import Dyad, Motor, inertia_dyad
from easydyn.vec import ZERO, Vector, cross, vector

VECTORS = ("vG", "omega", "aG", "omegad")
MOTORS = ("velocity", "velocity_rate", "momentum")


@dataclass(eq=False, slots=True)
class HandState(BodyState):
    """A body whose motion is written by hand, by vectors or by motors.

    Attributes
    ----------
    velocity, velocity_rate, momentum : Motor, optional
        Its velocity motor (rad/s; m/s), the rates of its components, its momentum motor (kg m/s; kg m2/s): in its axes
        and about the origin of T, which is its centre of mass.

    Example
    -------
    >>> from easydyn import inertia_tensor
    >>> HandState("arm", 2, inertia_tensor(1, 1, 1)).velocity is None
    True
    """

    velocity: Any = None
    velocity_rate: Any = None
    momentum: Any = None

    @property
    def by_motors(self) -> bool:
        """True when its motion is written by motors."""
        return self.velocity is not None

    def begin(self) -> None:
        """Discard the motion that was written before."""
        self.vG = self.omega = self.aG = self.omegad = ZERO
        self.velocity = self.velocity_rate = self.momentum = None

    def read(self) -> None:
        """Compute the vectors in ground axes from the written motors; InputError if the data do not fit together."""
        given = [name for name in MOTORS if getattr(self, name) is not None]
        if not given:
            return
        if missing := [name for name in MOTORS[:2] if name not in given]:
            raise InputError(
                f"body '{self.name}' has the motor {given[-1]}, and no {missing[0]}: write velocity = Motor(omega, v) "
                "and velocity_rate, the rates of its components; momentum may be left out."
            )
        if both := [name for name in VECTORS if getattr(self, name) is not ZERO]:
            raise InputError(
                f"body '{self.name}' has the motor velocity, and {both[0]} as well: expected its motion by motors, or "
                "by vG, omega, aG, omegad."
            )
        for name in given:
            setattr(self, name, self._in_numbers(name))
        R, v, rate = self.T.R, self.velocity, self.velocity_rate
        self.vG, self.omega, self.omegad = R * v.h, R * v.g, R * rate.g
        self.aG = R * (rate.h + cross(v.g, v.h))

    def _in_numbers(self, name: str) -> Motor:
        value = a(Motor, getattr(self, name), f"the {name} of body '{self.name}'", "a Motor(g, h)")
        return Motor(*(resultant(half, f"the {name} of body '{self.name}'") for half in (value.g, value.h)))

    @property
    def dyad(self) -> Dyad:
        """The inertia dyad, from its velocity motor to its momentum motor, eq. (4): mass (kg), inertia (kg m2)."""
        return inertia_dyad(self.mass, ZERO, self.inertia)

    @property
    def needed(self) -> Motor:
        """The force motor that acts on it (N; N m), eq. (5), in its axes; from the written momentum, if any."""
        p = self.dyad @ self.velocity if self.momentum is None else self.momentum
        needed: Motor = self.dyad @ self.velocity_rate + self.velocity.cross(p)
        return needed

    def force_balance(self) -> Vector:
        """m a - R (N), in ground axes."""
        if not self.by_motors:
            return super(HandState, self).force_balance()
        return self.T.R * self.needed.g - vector(self.R, f"the resultant force R on body '{self.name}'")

    def moment_balance(self) -> Vector:
        """Phi alpha + omega x Phi omega - MG (N m), in ground axes."""
        if not self.by_motors:
            return super(HandState, self).moment_balance()
        return self.T.R * self.needed.h - vector(self.MG, f"the resultant moment MG on body '{self.name}'")

    def parts(self) -> dict[str, np.ndarray]:
        """The parts of its motion that were written, three numbers each, by name: `velocity.g`, ... for motors."""
        if not self.by_motors:
            return {name: np.asarray(vector(getattr(self, name)), dtype=float) for name in VECTORS}
        written = ((name, getattr(self, name)) for name in MOTORS)
        halves = ((name, half, getattr(a, half)) for name, a in written if a is not None for half in "gh")
        return {f"{name}.{half}": np.asarray(value, dtype=float) for name, half, value in halves}

    def expected(self, v: np.ndarray, omega: np.ndarray, slope: Callable[[str], np.ndarray]) -> dict[str, np.ndarray]:
        """The right values of these parts, from the velocities (ground axes) of T and the `slope` in time of a part."""
        if not self.by_motors:
            return {"vG": v, "omega": omega, "aG": slope("vG"), "omegad": slope("omega")}
        back = np.asarray(self.T.R, dtype=float).T
        found = {"velocity.g": back @ omega, "velocity.h": back @ v}
        found |= {f"velocity_rate.{half}": slope(f"velocity.{half}") for half in "gh"}
        if self.momentum is not None:
            p = self.dyad @ self.velocity
            found |= {"momentum.g": np.asarray(p.g, dtype=float), "momentum.h": np.asarray(p.h, dtype=float)}
        return found


WORDS = {  # of each part: what it is, its unit, what says how large it has to be
    "vG": ("velocity", "m/s", "the derivative of T"),
    "omega": ("angular velocity", "rad/s", "the derivative of T"),
    "aG": ("acceleration", "m/s2", "the derivative of T"),
    "omegad": ("angular acceleration", "rad/s2", "the derivative of T"),
    "velocity.g": ("angular velocity, body axes", "rad/s", "the derivative of T"),
    "velocity.h": ("velocity, body axes", "m/s", "the derivative of T"),
    "velocity_rate.g": ("rate of velocity.g", "rad/s2", "the derivative of T"),
    "velocity_rate.h": ("rate of velocity.h", "m/s2", "the derivative of T"),
    "momentum.g": ("momentum, body axes", "kg m/s", "the inertia"),
    "momentum.h": ("angular momentum, body axes", "kg m2/s", "the inertia"),
}
