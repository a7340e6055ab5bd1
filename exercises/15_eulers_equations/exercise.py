"""Exercise 15, Euler's equations.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

BRICK = (0.02, 0.05, 0.06)  # kg m2: moments to try things with


# 1. The rates, in the axes of the body
def rates(I, w, M):
    return ...


# 2. The angular momentum, in the axes of the ground
def momentum(I, w, R):
    return ...


# 3. How fast a disturbance grows
def growth(I, W):
    return ...


# 4. How fast the angular velocity goes round, seen from the body
def wobble(A, C, n):
    return ...


# 5. Both rates of steady precession
def precession(A, C, n, mgl, lean):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("15", globals())
