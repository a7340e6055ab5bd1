"""Exercise 23, parts that bend.

Replace every `...`; README.md says what is asked.
"""

import numpy as np


# 1. The stiffness of a beam element (w1, p1, w2, p2)
def element(E, I, L):
    return ...


# 2. Deflection (m) and angle (rad) of the end of a cantilever
def tip(P, E, I, L):
    return ...


# 3. The frequencies of a pair of matrices (rad/s)
def frequencies(M, K):
    return ...


# 4. The stiffness of some freedoms, the others follow
def condensed(K, keep):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("23", globals())
