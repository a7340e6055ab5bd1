"""Exercise 01, frames and transforms.

Replace every `...`; README.md says what is asked.
"""

import math

from easydyn import tdisp, trotz

L1, L2 = 1.2, 1.1  # m


# 1. A frame at the lower end of the upper arm
def elbow(q1):
    return ...


# 2. A frame at the lower end of the forearm
def hand(q1, q2):
    return ...


# 3. A point of the ground, as the hand sees it
def seen_from_hand(q1, q2, point):
    return ...


# 4. By which angle is this frame turned about z?
def angle(T):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("01", globals())
