"""Exercise 18, rolling.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

G = 9.81  # m/s2


# 1. The velocity of the matter at the contact
def contact_velocity(v, w, r):
    return ...


# 2. The velocity of the centre of a wheel that rolls
def rolling_rates(psi, phid, r):
    return ...


# 3. The same as a matrix, for the rates of x, y, psi, phi
def constraints(psi, r):
    return ...


# 4. Down a slope: acceleration, and force of the ground
def slope(beta, m, r, J):
    return ...


# 5. A wheel set: speed of its middle, and rate of its heading
def wheel_set(left, right, r, b):
    return ...


# 6. Where it is after the time t
def place(left, right, r, b, t):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("18", globals())
