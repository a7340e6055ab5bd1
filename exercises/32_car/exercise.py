"""Exercise 32, project: a car on a measured road.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

from easydyn import (
    Damper,
    GeneralizedForce,
    Model,
    Spring,
    ground,
    tdisp,
    trotx,
    troty,
)

M, m, k, K, c = 320.0, 38.0, 21e3, 190e3, 1400.0  # kg, kg, N/m, N/m, N s/m
BODY, ROLL, PITCH = 1280.0, 420.0, 1750.0  # kg, kg m2, kg m2
FRONT, WHEELBASE, TRACK = 1.1, 2.6, 1.5  # m
N0 = 0.1  # 1/m


# 1. A road of a given spectrum
def profile(s, n, phases, G0):
    return ...


# 2. Acceleration, travel and tyre force for a road of 1 m
def gains(f):
    return ...


# 3. The quarter car
def quarter():
    return ...


# 4. Comfort, grip and travel
def measures(t, acceleration, force, travel, load):
    return ...


# 5. The road under the four wheels
def four(s, left, right, v, t):
    return ...


# 6. The whole car
def full():
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("32", globals())
