"""Solution of exercise 08."""

from sympy import Abs, sign, sqrt

from easydyn import Model

m, k = 10, 1e5  # kg, N/m
K, rho = 2e8, 860  # Pa, kg/m3
S1, S2 = 1e-3, 6e-4  # m2, sections of the piston
V01, V02 = 1e-4, 3e-4  # m3, volumes at x = 0
Cd, Se1, Se2 = 0.611, 1e-5, 1.5e-5  # -, m2, orifices
pE1, pE2 = 100e5, 12e5  # Pa


def flow(Se, difference):
    return Cd * Se * sqrt(2 * Abs(difference) / rho) * sign(difference)


def model():
    made = Model("hydraulic jack")
    (x,) = made.coordinates("x", unit="m")
    p1, p2 = made.states("p1 p2", initial=(10e5, 10e5), unit="Pa")
    made.equation(m * x.ddot + k * x - p1 * S1 + p2 * S2)
    made.equation(S1 * x.dot + (V01 + S1 * x) / K * p1.dot - flow(Se1, pE1 - p1))
    made.equation(-S2 * x.dot + (V02 - S2 * x) / K * p2.dot - flow(Se2, pE2 - p2))
    return made


x_rest = (pE1 * S1 - pE2 * S2) / k
