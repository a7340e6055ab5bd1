"""Exercise 35, dominoes.

Replace every `...`; README.md says what is asked.
"""

from math import asin, cos, sqrt

from easydyn import Contact, Model, shapes, tdisp, trotz

G = 9.81  # m/s2


# 1. The moment of inertia about the lower end (kg m2)
def inertia(m, h):
    return ...


# 2. The angle at which they touch
def angle(h, d):
    return ...


# 3. The rate with which the first arrives (rad/s)
def arrives(w, h, d):
    return ...


# 4. Both rates after the impact (rad/s)
def after(w, e):
    return ...


# 5. The energy that the impact takes (J)
def lost(m, h, w, e):
    return ...


# 6. Two dominoes
def model(m, h, d, w):
    made = ...
    # coordinates; two bodies with their centres at com=(0, h / 2, 0); the contact
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("35", globals())
