"""The forces in the contact patch of a tyre, from its load, its slips and its camber.

The tread is a brush: bristles that bend as they go through the patch, under a pressure with a parabolic distribution
along the patch. They adhere in the front part, and slide in the rear part. Sliding begins where slip S_s, S_a and
camber together need more force than friction allows: with the elastic forces e = (C_s S_s, C_a S_a) and the camber
thrust c = (0, -C_g sin gamma), a parabola like the pressure,

    |e/S + 3 c| = 3 mu Fz          S, from 0 to 1: the share of the patch that slides          l = 1 - S adheres

    Fx = C_s S_s l^2 + mu_x Fz s                    s = 1 - 3 l^2 + 2 l^3,   (mu_x, mu_y) = mu (S_s, S_a)/S_sa
    Fy = C_a S_a l^2 + (mu_y Fz - c) s + c          mu = mu_s - (mu_s - mu_d) S_sa,   S_sa = sqrt(S_s^2 + S_a^2)
    Mz = -L l^2 (C_a S_a (2 l/3 - 1/2) + 3/2 (mu_y Fz - c) S^2)

mu_y Fz - c is the friction that remains for slip besides camber. |F| <= mu Fz and |Mz| <= 3/16 mu Fz L follow as long
as |c| <= mu Fz. At the smallest loads, where |c| is larger, the code enforces these limits.

Source: G. Gim and P. E. Nikravesh, An analytical model of pneumatic tyres for vehicle dynamic simulations, Int. J.
Vehicle Design 11 (1990) and 12 (1991), three parts; also known as the tyre model of the University of Arizona.
"""

from __future__ import annotations

from typing import NamedTuple

from easydyn.vec.scalars import Scalar, largest, power, smallest, sqrt

# Each of these keeps a root or a quotient regular where all of its terms vanish, far below anything that matters.
_SHARE = 1e-6  # of the nominal load: below it, forces are in proportion to the load
_ROOT = 1e-9


class Law(NamedTuple):
    """The constants of a tyre: stiffnesses C (N, N/rad) at the nominal load (N), their exponents, friction.

    C(Fz) = C (Fz/nominal_load)^exponent, in the order slip, side slip, camber.
    """

    nominal_load: Scalar
    stiffnesses: tuple[Scalar, Scalar, Scalar]
    exponents: tuple[Scalar, Scalar, Scalar]
    static_friction: Scalar
    dynamic_friction: Scalar


class Patch(NamedTuple):
    """The load of the ground on the tyre: forces Fx (forward), Fy (to the left), moment Mz (upwards) in N and N m."""

    Fx: Scalar
    Fy: Scalar
    Mz: Scalar


def patch(law: Law, load: Scalar, slips: tuple[Scalar, Scalar], camber: Scalar, length: Scalar) -> Patch:
    """Forces and moment of the patch.

    Parameters
    ----------
    law : Law
    load : scalar (N)
        Fz >= 0.
    slips : 2 scalars
        S_s and S_a, without unit: the velocity with which the tread slides backwards and to the right, divided by the
        speed of travel or of rolling, whichever is larger. A positive slip causes a positive force.
    camber : scalar
        sin(gamma), positive when the top of the wheel leans to the right; the thrust c then points to the right.
    length : scalar (m)
        L, the length of the patch.
    """
    Ss, Sa = slips
    N = largest(load, law.nominal_load * _SHARE)
    Cs, Ca, Cg = (C * power(N / law.nominal_load, n) for C, n in zip(law.stiffnesses, law.exponents, strict=True))
    x, y, c = Cs * Ss / N, Ca * Sa / N, -Cg * camber / N  # all forces in shares of the load from here
    Ssa = sqrt(Ss * Ss + Sa * Sa + _ROOT**2)
    mu = law.static_friction - (law.static_friction - law.dynamic_friction) * smallest(1, Ssa)
    e2 = x * x + y * y
    # friction goes with the slip; where camber alone is too much for it, with what is left of that too
    bend = sqrt(e2 + _ROOT**2) / Ssa
    ahead, aside = bend * Ss, bend * Sa + 3 * (largest(0, c - mu) - largest(0, -c - mu))
    size = sqrt(ahead * ahead + aside * aside + _ROOT**2)
    mu_x, mu_y = mu * ahead / size, mu * aside / size
    # |e/S + 3c| = 3 mu solved for S: S = e^2/(3 (root - c y))
    root = sqrt(largest(0, mu * mu * e2 - c * c * x * x) + _ROOT**2)
    S = smallest(1, e2 / (3 * largest(root - c * y, _ROOT)))
    adhering = (1 - S) * (1 - S)
    sliding = S * S * (3 - 2 * S)  # = 1 - 3 l^2 + 2 l^3
    Fx = x * adhering + mu_x * sliding
    Fy = y * adhering + (mu_y - c) * sliding + c
    within = load / largest(1, sqrt(Fx * Fx + Fy * Fy + _ROOT**2) / mu)
    Mz = adhering * (y * (2 * (1 - S) / 3 - 0.5) + 1.5 * (mu_y - c) * S * S)
    largest_Mz = 0.1875 * mu  # friction to the left in front, to the right behind
    Mz = smallest(largest_Mz, largest(-largest_Mz, Mz))
    return Patch(Fx * within, Fy * within, -Mz * length * load)
