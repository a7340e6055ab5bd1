"""Exercise 09, three dimensions.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

from easydyn import cross, dot, tdisp, troty, trotz, vcoord

HEIGHT, REACH = 0.5, 0.6  # m
MASS = 3.0  # kg
INERTIA = np.diag([0.05, 0.4, 0.43])  # kg m2, in the axes of the arm
LOAD, PLACE = 1.2, np.array([0.3, 0.1, -0.2])  # kg, m


# 1. The frame of the arm
def frame(q):
    return ...


# 2. Its angular velocity, ground components
def omega(q, qd):
    return ...


# 3. Its inertia tensor in ground axes
def inertia_in_ground(q):
    return ...


# 4. Its kinetic energy
def kinetic_energy(q, qd):
    return ...


# 5. The inertia tensor with the load, in the axes of the arm
def with_load():
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("09", globals())
