"""Exercise 11, equilibrium and small motions.

Replace every `...`; README.md says what is asked.
"""

from math import cos, pi, sin, sqrt

from easydyn import Model, TorsionDamper, TorsionSpring, tdisp, trotz

m, l, g = 2.4, 0.9, 9.81  # kg, m, m/s2
k, q0, c = 20.0, 1.1, 0.6  # N m/rad, rad, N m s


# 1. The sum of the moments at rest
def moment(q):
    return ...


# 2. The angle of rest (rad)
rest = ...

# 3. The linearised equation about it
M = ...
C = ...
K = ...


# 4. The same with easydyn
def model():
    made = ...
    # coordinate, body, spring, damper
    return made


# 5. Natural frequency (Hz) and damping ratio
frequency = ...
ratio = ...

# 6. The stiffness from which the rod stands upright, with q0 = pi (N m/rad)
critical = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("11", globals())
