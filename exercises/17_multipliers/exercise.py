"""Exercise 17, multipliers, drift and projection.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

M1, M2, L, G = 2.0, 0.7, 0.9, 9.81  # kg, kg, m, m/s2
MASSES = np.diag([M1, M1, M2, M2])


# 1. The equation of the rod, its Jacobian, its second derivative
#    without accelerations
def loop(q, qd):
    return ...


# 2. Accelerations and multipliers
def solve(M, h, J, gamma):
    return ...


# 3. The force in the rod
def pull(q, qd):
    return ...


# 4. How a gap goes on
def opening(g0, gd0, alpha, t):
    return ...


# 5. Coordinates that close the loop
def closed(q):
    return ...


# 6. Rates that keep it closed
def rates_closed(q, qd):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("17", globals())
