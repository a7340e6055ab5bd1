"""Exercise 19, quaternions.

Replace every `...`; README.md says what is asked.
"""

import numpy as np


def step(slope, state, h):
    """One step of the classical method of Runge and Kutta.

    slope(state) returns the rates of the state, an array.
    """
    k1 = slope(state)
    k2 = slope(state + h / 2 * k1)
    k3 = slope(state + h / 2 * k2)
    k4 = slope(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


# 1. The quaternion of a turn
def quaternion(axis, angle):
    return ...


# 2. The product
def product(a, b):
    return ...


# 3. A vector turned
def turned(e, u):
    return ...


# 4. The rate
def rate(e, w):
    return ...


# 5. The angle between two attitudes
def angle_between(a, b):
    return ...


# 6. The attitude of what tumbles
def attitude(e, w, I, h, steps):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("19", globals())
