"""Exercise 34, ropes.

Replace every `...`; README.md says what is asked.
"""

from math import exp, pi

from easydyn import Model, Pulley, Rope, ground, tdisp

G = 9.81  # m/s2


# 1. The velocity of the load (m/s)
def speeds(n, v):
    return ...


# 2. The acceleration of the free end, downwards, and the tension
def falls(M, m, n):
    return ...


# 3. A pulley with inertia: acceleration, and both tensions
def turned(m1, m2, J, r):
    return ...


# 4. The largest mass that is held (kg)
def holds(m1, mu, turns):
    return ...


# 5. The acceleration of a rope that slips
def slips(m1, m2, mu):
    return ...


# 6. A hoist on two strands
def model(M, m):
    made = ...
    # coordinates, two bodies, the rope
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("34", globals())
