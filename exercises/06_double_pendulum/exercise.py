"""Exercise 06, the double pendulum.

Replace every `...`; README.md says what is asked.
"""

from math import cos, sin

from easydyn import Model, tdisp, trotz

l1, l2 = 1.2, 1.1  # m
m1, m2 = 1.1, 0.9  # kg
g = 9.81  # m/s2


# 1, 2, 3. The model
def model():
    made = ...  # a Model with a name, and gravity
    # coordinates, bodies
    return made


# 4. Kinetic and potential energy
def energy(q, qd):
    return ...


# 5. A tolerance for five seconds
tolerance = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("06", globals())
