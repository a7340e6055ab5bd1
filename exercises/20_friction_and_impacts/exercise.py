"""Exercise 20, friction and impacts.

Replace every `...`; README.md says what is asked.
"""

from math import copysign, cos, sin, sqrt

from easydyn import Model, tdisp

M = 1.3  # kg
MU0, MU = 0.55, 0.4  # at rest, in motion
G = 9.81  # m/s2


# 1. The force of friction along x, which points down the slope (N)
def friction(v, push, a):
    return ...


# 2. How far up (m), and for how long (s)
def turning(v, a):
    return ...


# 3. The height after n impacts (m)
def height(h, e, n):
    return ...


# 4. The time until it rests (s)
def rest_time(h, e):
    return ...


# 5. A ball that bounces by an event
def ball(e):
    made = ...
    # coordinate, body, event
    return made


# 6. The energy lost by n impacts (J)
def lost(m, h, e, n):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("20", globals())
