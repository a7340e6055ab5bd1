"""Exercise 14, mass distribution.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

# parts to try things with: mass (kg), edges (m), place of the middle (m)
BRACKET = [
    (2.0, (0.4, 0.2, 0.02), (0.2, 0.1, 0.0)),
    (1.0, (0.02, 0.2, 0.2), (0.0, 0.1, 0.1)),
]


# 1. The tensor of a box about its middle
def box(m, a, b, c):
    return ...


# 2. The tensor about another point; r leads from there to the centre of mass
def moved(I, m, r):
    return ...


# 3. The centre of mass of the whole
def centre(parts):
    return ...


# 4. The tensor of the whole about its centre of mass
def composite(parts):
    return ...


# 5. Principal moments, and the axes as columns
def principal(I):
    return ...


# 6. The moment of the bearings
def bearings(I, W):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("14", globals())
