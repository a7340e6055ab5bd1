"""Exercise 16, degrees of freedom and a closed loop.

Replace every `...`; README.md says what is asked.
"""

from math import acos, atan2, cos, hypot, sin

import numpy as np

R0, R1, R2, R3 = 1.1, 0.35, 0.9, 0.7  # m


# 1. Degrees of freedom by counting
def count(bodies, taken, each):
    return ...


# 2. The end of the coupler less the end of the rocker
def gap(a, b, c):
    return ...


# 3. Its derivatives with respect to a, b, c
def jacobian(a, b, c):
    return ...


# 4. What a Jacobian leaves
def freedoms(J):
    return ...


# 5. The angle of the rocker, in both ways
def rocker(a, way):
    return ...


# 6. Does the crank turn fully?
def turns(r0, r1, r2, r3):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("16", globals())
