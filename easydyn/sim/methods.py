"""The methods: Newmark's family (one stepper, different coefficients), and three of high order.

    q1  = q + h qd + h^2 ((1/2 - beta) qdd + beta qdd1)          (12)
    qd1 = qd + h ((1 - gamma) qdd + gamma qdd1)                  (13)

Newmark (1959). The others put accelerations a there, (1 - alpha_m) a1 + alpha_m a = (1 - alpha_f) qdd1 + alpha_f qdd.
Hilber, Hughes and Taylor (1977): alpha_m = 0, alpha_f = -alpha. Generalised alpha: Chung and Hulbert (1993). This form
of them: Arnold and Bruels (2007).

Of high order, for motions that are smooth: DOP853, an explicit Runge-Kutta method (runge_kutta.py), collocation at
Lobatto points (collocation.py), the fastest in machine code, and Newmark's method extrapolated (extrapolation.py),
which serves stiff systems as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.inputs import expect, finite, text
from easydyn.sim.collocation import COLLOCATION
from easydyn.sim.extrapolation import extrapolation
from easydyn.sim.family import Family
from easydyn.sim.newmark_step import NEWMARK
from easydyn.sim.runge_kutta import RUNGE_KUTTA
from easydyn.sim.scipy_methods import SCIPY


@answers
@dataclass(frozen=True)
class Method:
    """A method of integration, made by `newmark`, `hht`, `generalized_alpha`, `newmark_extrapolated`,
    `dop853`, `lobatto`.

    Parameters
    ----------
    name : str
        Its name in results.
    beta, gamma : float (no unit)
        Coefficients of Newmark's method (eqs. 12, 13).
    alpha_m, alpha_f : float (no unit)
        Shares of the old accelerations: those in (12), (13) and those of the motion. Their difference damps.
    family : Family
        The family with the step kernels (sim/family.py); Newmark's if left out.

    Raises
    ------
    InputError
        The name is not text; a coefficient is not a number or too large; the family is not a Family.

    Example
    -------
    >>> newmark().order, hht(-0.2).order, dop853().order
    (2, 2, 8)
    """

    name: str
    beta: float = 0.25
    gamma: float = 0.5
    alpha_m: float = 0.0
    alpha_f: float = 0.0
    family: Family = NEWMARK

    def __post_init__(self) -> None:
        text(self.name, "the name of a Method", '"newmark"')
        for part in ("beta", "gamma", "alpha_m", "alpha_f"):
            _within(f"{part} of a Method", getattr(self, part), -1e6, 1e6)
        if self.beta:
            _within("beta of a Method that is not 0", self.beta, 1e-6, 1e6)
        if not isinstance(self.family, Family):
            raise InputError(f"the family of a Method is {self.family!r}: expected a Family, such as newmark().family.")

    @property
    def drift(self) -> float:
        """gamma - 1/2 + alpha_m - alpha_f (no unit): zero for methods of second order."""
        return self.gamma - 0.5 + self.alpha_m - self.alpha_f

    @property
    def order(self) -> int:
        """Order of accuracy."""
        return self.family.order if abs(self.drift) < 1e-12 else 1

    @property
    def limited(self) -> bool:
        """True if too long fixed steps make the solution of a stiff system grow."""
        of_newmark = self.alpha_f == self.alpha_m == 0 and self.beta < (self.gamma + 0.5) ** 2 / 4 - 1e-12
        return self.family.limited or of_newmark

    @property
    def error_constant(self) -> float:
        """C (no unit) in the local error C h^3 d3q/dt3 of a position (eq. 21, where beta = 1/4 gives C = 1/12).

        It is abs(beta - 1/6); never less than 1/12, for at beta = 1/6 the velocities' error takes over; a method of
        first order adds what its velocity error makes of the position in the same step.
        """
        return max(abs(self.beta - 1 / 6), 1 / 12) + abs(self.drift)


@answers
def newmark(beta: float = 0.25, gamma: float = 0.5) -> Method:
    """Newmark's method (eqs. 12, 13); by default with constant average acceleration.

    Unconditionally stable for gamma >= 1/2 and beta >= (gamma + 1/2)^2/4; of second order for gamma = 1/2.

    Parameters
    ----------
    beta, gamma : float (no unit)
        From 0 to 1 and from 1/2 to 3/2; 1/4 and 1/2 if left out.

    Returns
    -------
    Method
        With these coefficients.

    Raises
    ------
    InputError
        Other values.

    Example
    -------
    >>> newmark().order, newmark(beta=0.3, gamma=0.6).order
    (2, 1)
    """
    _within("beta", beta, 0.0, 1.0)
    _within("gamma", gamma, 0.5, 1.5)
    return Method("newmark", float(beta), float(gamma))


@answers
def hht(alpha: float = -0.1) -> Method:
    """Hilber-Hughes-Taylor, of second order (Earthquake Engineering and Structural Dynamics 5, 1977).

    Parameters
    ----------
    alpha : float (no unit)
        From -1/3 to 0; a lower value damps high frequencies more.

    Returns
    -------
    Method
        beta = (1 - alpha)^2/4, gamma = 1/2 - alpha.

    Raises
    ------
    InputError
        Another value.

    Example
    -------
    >>> round(hht(-0.1).beta, 6), round(hht(-0.1).gamma, 6)
    (0.3025, 0.6)
    """
    _within("alpha", alpha, -1 / 3, 0.0)
    return Method("hht", (1 - alpha) ** 2 / 4, (1 - 2 * alpha) / 2, 0.0, -float(alpha))


@answers
def generalized_alpha(spectral_radius: float = 0.9) -> Method:
    """Generalised alpha, of second order (Chung and Hulbert, Journal of Applied Mechanics 60, 1993).

    Parameters
    ----------
    spectral_radius : float (no unit)
        From 0 to 1: the fraction of an infinite-frequency motion that remains after a step.

    Returns
    -------
    Method
        With the four coefficients of that article.

    Raises
    ------
    InputError
        Another value.

    Example
    -------
    >>> method = generalized_alpha(0.5)
    >>> method.alpha_m, round(method.alpha_f, 6)
    (0.0, 0.333333)
    """
    _within("spectral_radius", spectral_radius, 0.0, 1.0)
    rho = float(spectral_radius)
    alpha_m, alpha_f = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
    return Method("generalized_alpha", (1 - alpha_m + alpha_f) ** 2 / 4, 0.5 - alpha_m + alpha_f, alpha_m, alpha_f)


@answers
def newmark_extrapolated(order: int = 6) -> Method:
    """Newmark's method (beta = 1/4, gamma = 1/2) extrapolated: a high order for smooth motions, stiff ones as well.

    Parameters
    ----------
    order : int
        4, 6, 8, 10 or 12.

    Returns
    -------
    Method
        The method, with enough levels to reach the order.

    Raises
    ------
    InputError
        Another order.

    Example
    -------
    >>> newmark_extrapolated(8).order
    8
    """
    expect(finite(order, "order") in (4, 6, 8, 10, 12), "order", order, "4, 6, 8, 10 or 12")
    return Method("newmark_extrapolated", family=extrapolation(int(order) // 2))


@answers
def dop853() -> Method:
    """The explicit Runge-Kutta method of order 8 of Hairer, Norsett and Wanner, with dense output of order 7.

    >>> dop853().name
    'dop853'
    """
    return Method("dop853", family=RUNGE_KUTTA)


@answers
def lobatto() -> Method:
    """Collocation at nine Lobatto points, of order 16: the fastest for smooth motions in machine code.

    The equations (9) hold at the points, and qd, q are integrals of the polynomial through their accelerations (Hairer,
    Norsett and Wanner, Solving Ordinary Differential Equations I, section II.7).

    >>> lobatto().name, lobatto().order
    ('lobatto', 16)
    """
    return Method("lobatto", family=COLLOCATION)


_BY_NAME: dict[str, Callable[[], Method]] = {
    "newmark": newmark,
    "hht": hht,
    "generalized_alpha": generalized_alpha,
    "newmark_extrapolated": newmark_extrapolated,
    "dop853": dop853,
    "lobatto": lobatto,
    "auto": lambda: AUTO,
}
_OF_SCIPY = tuple(f"scipy:{name}" for name in ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"))


def method_of(value: Any) -> Method:
    """The Method of a name or of a Method; InputError otherwise."""
    if isinstance(value, Method):
        return value
    if isinstance(value, str) and (value in _BY_NAME or value in _OF_SCIPY):
        return _named(str(value))
    if isinstance(value, str) and f"scipy:{value}" in _OF_SCIPY:
        own = f'"{value.lower()}", easydyn\'s own, or ' if value.lower() in _BY_NAME else ""
        raise InputError(f'method={value!r}: expected {own}"scipy:{value}", that of SciPy.')
    raise InputError(
        f"method={value!r}: expected one of {', '.join(_BY_NAME)}, or newmark(beta, gamma), hht(alpha), "
        f"generalized_alpha(spectral_radius), newmark_extrapolated(order), or, of SciPy, {', '.join(_OF_SCIPY)}."
    )


@functools.cache
def _named(name: str) -> Method:
    return _BY_NAME[name]() if name in _BY_NAME else Method(name, family=SCIPY)


def _within(name: str, value: Any, low: float, high: float) -> None:
    expect(low <= finite(value, name) <= high, name, value, f"a number from {low:.6g} to {high:.6g}")


AUTO: Method = Method("auto")  # stands for the one that fits a model: see run/automatic.py
