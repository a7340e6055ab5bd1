"""Exercise 29, relative motion.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

from easydyn import Model, tdisp, trotx, trotz

D, H, m, g = 0.9, 1.5, 250.0, 9.81  # m, m, kg, m/s2


# 1. The rate of a vector in turning axes, ground components
def rate(R, omega, rho, seen):
    return ...


# 2. The angular velocity of the ladder, ground components (rad/s)
def omega(q, qd):
    return ...


# 3. Its angular acceleration, ground components (rad/s2)
def alpha(q, qd, qdd):
    return ...


# 4. The velocity of the basket: carried, relative (m/s)
def velocity(q, qd):
    return ...


# 5. Its acceleration: of the foot, Euler, centripetal, Coriolis, relative (m/s2)
def acceleration(q, qd, qdd):
    return ...


# 6. The force along the ladder (N)
def push(q, qd, qdd):
    return ...


def model():
    """Given: the turntable, the ladder and the basket."""
    made = Model("a ladder on a turntable", gravity=(0, 0, -g))
    a, b, c = made.coordinates("a b c")
    table, ladder = trotz(a), trotz(a) * tdisp(0, D, H) * trotx(b)
    made.body("table", table, mass=900, inertia=(400, 400, 700))
    T = ladder * tdisp(0, 3, 0)
    made.body("ladder", T, mass=600, inertia=(1800, 30, 1800))
    made.body("basket", ladder * tdisp(0, c, 0), mass=m, inertia=(0, 0, 0))
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("29", globals())
