"""Exercise 30, cams.

Replace every `...`; README.md says what is asked.
"""

from math import cos, inf, pi, sin

import numpy as np

from easydyn import Contact, Force, Model, shapes, t, tdisp, trotz

G = 9.81  # m/s2
R = 0.03  # m, of the disc


# 1. The lift and its derivatives by the angle
def lift(phi, e):
    return ...


# 2. The force of the cam on the follower (N)
def force(phi, w, m, k, e, p):
    return ...


# 3. The rate above which the follower jumps (rad/s)
def jump(m, k, e, p):
    return ...


# 4. The angle at which it leaves
def leaves(w, m, k, e, p):
    return ...


# 5. The smallest base (m)
def base(lifts, bends):
    return ...


# 6. The cam and its follower
def model(w, m, k, e, p):
    made = ...
    # the cam: T = trotz(w * t - pi / 2), its centre at (e, 0) of this frame
    # the follower, the spring, the contact
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("30", globals())
