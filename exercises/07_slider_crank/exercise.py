"""Exercise 07, the slider-crank.

Replace every `...`; README.md says what is asked.
"""

import numpy as np
from sympy import asin, cos, sin

from easydyn import Model, tdisp, trotz

L1, L2 = 0.9, 2.1  # m


# 1. The angle of the rod
def alpha(q):
    return ...


# 2. The position of the slider
def slider(q):
    return ...


# 3. The model
def model():
    made = ...
    # coordinate, bodies
    return made


# 4. The period of a run
def period(run):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("07", globals())
