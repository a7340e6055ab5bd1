"""Exercise 33, project: the r3 robot and its controllers.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

from easydyn import Model, tdisp, trotx, troty

# turn of the joint, mass (kg), centre of mass (m), inertia (kg m2),
# way to the next joint (m)
BODIES = (
    (troty, 1, (0, 0, 0), (0.58, 1.16, 0.58), (0, 0.324, 0.3)),
    (trotx, 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46, 0, 0), (0, 0.65, 0)),
    (trotx, 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07, 0, 0),
     (0, 0.414, -0.155)),
    (troty, 28.7, (0, 0, 0), (1.67, 0.081, 1.67), (0, 0.186, 0)),
    (trotx, 5.2, (0, 0, 0), (1.25, 0.81, 1.53), (0, 0.125, 0)),
    (troty, 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001), (0, 0, 0)),
)
RATIO = np.array([-105, 210, 60, -99, 79.2, -99])
ROTOR = np.array([1.3e-3, 1.3e-3, 1.3e-3, 1.6e-4, 1.8e-4, 4.3e-5])  # kg m2
CONSTANT = np.array([1.1616, 1.1616, 1.1616, 0.2365, 0.2608, 0.0842])  # N m/A
START = np.radians([-60, 20, 90, 0, -110, 0])
END = np.radians([60, -70, -35, 45, 110, 45])
SPEEDS = (3, 1.5, 5, 3.1, 3.1, 4.1)  # rad/s
ACCELERATIONS = (15, 15, 15, 60, 60, 60)  # rad/s2
KP_, KD_ = 400.0, 36.0  # 1/s2, 1/s, of the computed torque
# of the cascade: 1/s, N m s/rad, N m/rad, N m
KV, KP, KI, LIMIT = 12.0, 90.0, 700.0, 150.0


# 1. The path of one joint: place, rate, acceleration
def path(start, end, speed, acceleration, t):
    return ...


# 2. The time that all joints need together
def duration(ways, speeds, accelerations):
    return ...


# 3. The robot
def robot():
    return ...


# 4. The currents of a motion
def currents(q, v, a):
    return ...


# 5. Computed torques
def control(q, v, wanted, rate, acceleration):
    return ...


# 6. A cascade for one joint: torque, sum
def cascade(error, speed, total, h):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("33", globals())
