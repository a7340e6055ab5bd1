"""Exercise 22, a beam.

Replace every `...`; README.md says what is asked.
"""

import numpy as np


# 1. The four shapes of the line, at s = x/L
def shapes(s, L):
    return ...


# 2. The mass matrix (w1, p1, w2, p2)
def mass(rho, A, L):
    return ...


# 3. The lowest frequency of a cantilever of one element (rad/s)
def frequency(E, I, rho, A, L):
    return ...


# 4. What a tension adds to the stiffness; the pressure at which the
#    cantilever buckles (N)
def axial(P, L):
    return ...


def buckling(E, I, L):
    return ...


# 5. The tip of a beam that a moment bends: x, y (m), angle (rad)
def rolled(M, E, I, L):
    return ...


# 6. Frequencies of a blade that turns (rad/s): flapping, lagging
def rotating(w0, c, speed):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("22", globals())
