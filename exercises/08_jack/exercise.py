"""Exercise 08, the hydraulic jack.

Replace every `...`; README.md says what is asked.
"""

from sympy import Abs, sign, sqrt

from easydyn import Model

m, k = 10, 1e5  # kg, N/m
K, rho = 2e8, 860  # Pa, kg/m3
S1, S2 = 1e-3, 6e-4  # m2, sections of the piston
V01, V02 = 1e-4, 3e-4  # m3, volumes at x = 0
Cd, Se1, Se2 = 0.611, 1e-5, 1.5e-5  # -, m2, orifices
pE1, pE2 = 100e5, 12e5  # Pa


# 1. The flow through an orifice
def flow(Se, difference):
    return ...


# 2, 3. The model
def model():
    made = ...
    # coordinate, states, three equations
    return made


# 4. Where does the mass come to rest? (m)
x_rest = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("08", globals())
