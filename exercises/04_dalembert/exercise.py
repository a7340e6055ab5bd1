"""Exercise 04, d'Alembert's principle by hand.

Replace every `...`; README.md says what is asked.
"""

from math import cos, pi, sin, sqrt

from easydyn import cross, dot, vcoord

m, l, c, g = 1.7, 0.8, 0.3, 9.81  # kg, m, N m s, m/s2


# 1. Partial contributions of q: to the velocity of G, to the angular velocity
def contributions(q):
    d = ...
    theta = ...
    return d, theta


# 2. Acceleration of G
def acceleration(q, qd, qdd):
    return ...


# 3. What is left of the equation of motion
def residual(q, qd, qdd):
    return ...


# 4. M and h
def mass(q):
    return ...


def rest(q, qd):
    return ...


# 5. Period of small swings (s), without the brake
period = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("04", globals())
