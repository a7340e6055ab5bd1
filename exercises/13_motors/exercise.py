"""Exercise 13, motors.

Replace every `...`; README.md says what is asked.
"""

from math import cos, sin

from easydyn import cross, inertia_tensor, vcoord
from easydyn.motor import Motor, inertia_dyad

M, L = 1.8, 0.6  # kg, m
W = 7.0  # rad/s, of the column
G = 9.81  # m/s2
J = M * L**2 / 3  # kg m2, of the rod about the hinge
# DYAD @ velocity is the momentum of the rod
DYAD = inertia_dyad(M, vcoord(0, 0, -L / 2), inertia_tensor(J, J, 0))


# 1. The moment about another point
def moment(g, h, r):
    return ...


# 2. A point of the screw's axis
def point_of_axis(g, h):
    return ...


# 3. The momentum motor of a body
def momentum(m, c, I, w, v):
    return ...


# 4. The velocity motor of the rod, in its axes
def velocity(q, qd):
    return ...


# 5. The rates of its components
def rate(q, qd, qdd):
    return ...


# 6. What the motion needs about the hinge
def residual(q, qd, qdd):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("13", globals())
