"""The family of Newmark's methods: one stepper, different coefficients.

    q1  = q + h qd + h^2 ((1/2 - beta) qdd + beta qdd1)          (12)
    qd1 = qd + h ((1 - gamma) qdd + gamma qdd1)                  (13)

and the residual is taken at t + (1 - alpha_f) h, with (1 - alpha_f) of the new and alpha_f of the old q and qd, and
(1 - alpha_m), alpha_m of the accelerations. Newmark (1959): both alphas zero. Hilber, Hughes and Taylor (1977):
alpha_f = -alpha. Generalised alpha: Chung and Hulbert (1993).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from easydyn.errors import InputError
from easydyn.inputs import finite


@dataclass(frozen=True)
class Method:
    """Coefficients of a method of Newmark's family, made by `newmark`, `hht`, `generalized_alpha`."""

    name: str
    beta: float
    gamma: float
    alpha_m: float = 0.0
    alpha_f: float = 0.0

    @property
    def drift(self) -> float:
        """gamma - 1/2 + alpha_m - alpha_f: zero for methods of second order."""
        return self.gamma - 0.5 + self.alpha_m - self.alpha_f

    @property
    def order(self) -> int:
        """Order of accuracy."""
        return 2 if abs(self.drift) < 1e-12 else 1

    @property
    def error_constant(self) -> float:
        """C in the local error C h^3 d3q/dt3 of a position (eq. 21, where beta = 1/4 gives C = 1/12).

        It is |beta - 1/6|; never less than 1/12, for at beta = 1/6 the velocities' error takes over; a method of
        first order adds what its velocity error makes of the position in the same step.
        """
        return max(abs(self.beta - 1 / 6), 1 / 12) + abs(self.drift)


def newmark(beta: float = 0.25, gamma: float = 0.5) -> Method:
    """Newmark's method; beta = 1/4, gamma = 1/2 (constant average acceleration) unless said.

    Unconditionally stable for gamma >= 1/2 and beta >= (gamma + 1/2)^2/4; of second order for gamma = 1/2.
    """
    _within("beta", beta, 0.0, 1.0)
    _within("gamma", gamma, 0.5, 1.5)
    return Method("newmark", float(beta), float(gamma))


def hht(alpha: float = -0.1) -> Method:
    """Hilber-Hughes-Taylor: second order, damps high frequencies the more the lower alpha in [-1/3, 0]."""
    _within("alpha", alpha, -1 / 3, 0.0)
    return Method("hht", (1 - alpha) ** 2 / 4, (1 - 2 * alpha) / 2, 0.0, -float(alpha))


def generalized_alpha(spectral_radius: float = 0.9) -> Method:
    """Generalised alpha: second order, `spectral_radius` in [0, 1] is what is left of infinite frequencies a step."""
    _within("spectral_radius", spectral_radius, 0.0, 1.0)
    rho = float(spectral_radius)
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    gamma = 0.5 - alpha_m + alpha_f
    return Method("generalized_alpha", (1 - alpha_m + alpha_f) ** 2 / 4, gamma, alpha_m, alpha_f)


_BY_NAME: dict[str, Callable[[], Method]] = {"newmark": newmark, "hht": hht, "generalized_alpha": generalized_alpha}


def method_of(value: Any) -> Method:
    """The Method of a name or of a Method; InputError otherwise."""
    if isinstance(value, Method):
        return value
    if isinstance(value, str) and value in _BY_NAME:
        return _BY_NAME[value]()
    raise InputError(
        f"method={value!r}: expected one of {', '.join(_BY_NAME)}, or newmark(beta, gamma), hht(alpha), "
        "generalized_alpha(spectral_radius)."
    )


def _within(name: str, value: Any, low: float, high: float) -> None:
    if not low <= finite(value, name) <= high:
        raise InputError(f"{name} is {value!r}: expected a number from {low:.6g} to {high:.6g}.")
