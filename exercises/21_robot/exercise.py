"""Exercise 21, a robot.

Replace every `...`; README.md says what is asked.
"""

from math import cos, sin

from easydyn import Model, tdisp, trotz

m1, m2 = 3.0, 2.0  # kg
L1, L2 = 0.8, 0.5  # m
g = 9.81  # m/s2
KP, KD = 30.0, 11.0  # 1/s2, 1/s
n, J = 60, 2.5e-4  # no unit, kg m2


# 1. The torques that hold the arm (N m)
def gravity(q1, q2):
    return ...


# 2. The mass matrix (kg m2)
def mass_matrix(q2):
    return ...


# 3. The torques of a motion (N m)
def torques(q1, q2, v1, v2, a1, a2):
    return ...


# 4. The same arm as a model
def arm():
    made = ...
    # coordinates, two bodies
    return made


# 5. The torques that bring the arm to w1, w2 (N m)
def command(q1, q2, v1, v2, w1, w2):
    return ...


# 6. The torque of a motor behind a gear (N m)
def motor_torque(tau, a):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("21", globals())
