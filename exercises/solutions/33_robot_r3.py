"""Solution of exercise 33."""

import numpy as np

from easydyn import Model, tdisp, trotx, troty

BODIES = (  # turn of the joint, mass (kg), centre of mass (m), inertia (kg m2), way to the next joint (m)
    (troty, 1, (0, 0, 0), (0.58, 1.16, 0.58), (0, 0.324, 0.3)),
    (trotx, 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46, 0, 0), (0, 0.65, 0)),
    (trotx, 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07, 0, 0), (0, 0.414, -0.155)),
    (troty, 28.7, (0, 0, 0), (1.67, 0.081, 1.67), (0, 0.186, 0)),
    (trotx, 5.2, (0, 0, 0), (1.25, 0.81, 1.53), (0, 0.125, 0)),
    (troty, 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001), (0, 0, 0)),
)
RATIO = np.array([-105, 210, 60, -99, 79.2, -99])
ROTOR = np.array([1.3e-3, 1.3e-3, 1.3e-3, 1.6e-4, 1.8e-4, 4.3e-5])  # kg m2
CONSTANT = np.array([1.1616, 1.1616, 1.1616, 0.2365, 0.2608, 0.0842])  # N m/A
START, END = np.radians([-60, 20, 90, 0, -110, 0]), np.radians([60, -70, -35, 45, 110, 45])
SPEEDS, ACCELERATIONS = (3, 1.5, 5, 3.1, 3.1, 4.1), (15, 15, 15, 60, 60, 60)  # rad/s, rad/s2
KP_, KD_ = 400.0, 36.0  # 1/s2, 1/s, of the computed torque
KV, KP, KI, LIMIT = 12.0, 90.0, 700.0, 150.0  # 1/s, N m s/rad, N m/rad, N m, of the cascade


def path(start, end, speed, acceleration, t):
    way, side = abs(end - start), np.sign(end - start)
    speed = min(speed, np.sqrt(way * acceleration))
    ramp = speed / acceleration
    whole = way / speed + ramp
    if t <= 0:
        return start, 0.0, 0.0
    if t >= whole:
        return end, 0.0, 0.0
    if t < ramp:
        return start + side * acceleration * t**2 / 2, side * acceleration * t, side * acceleration
    if t > whole - ramp:
        left = whole - t
        return end - side * acceleration * left**2 / 2, side * acceleration * left, -side * acceleration
    return start + side * speed * (t - ramp / 2), side * speed, 0.0


def duration(ways, speeds, accelerations):
    moving = [(abs(w), v, a) for w, v, a in zip(ways, speeds, accelerations) if w]
    speed = min(v / w for w, v, a in moving)
    acceleration = min(a / w for w, v, a in moving)
    speed = min(speed, np.sqrt(acceleration))
    return 1 / speed + speed / acceleration


def robot():
    made = Model("r3", gravity=(0, -9.81, 0))
    joints = made.coordinates([f"joint{k}" for k in range(1, 7)])
    T = tdisp(0, 0.351, 0)
    for k, (turn, mass, com, inertia, way) in enumerate(BODIES):
        T = T * turn(joints[k])
        made.body(f"link {k + 1}", T, mass=mass, inertia=inertia, com=com)
        T = T * tdisp(*way)
    made.body("load", T, mass=15, inertia=(0.001, 0.001, 0.001), com=(0.1, 0.25, 0.1))
    return made


ROBOT = robot()


def torques(q, v, a):
    """Of the joints (N m)."""
    return ROBOT.inverse_dynamics([0.0], [list(q)], [list(v)], [list(a)], target="python")[0]


def currents(q, v, a):
    motor = torques(q, v, a) / RATIO + ROTOR * RATIO * np.array(a)
    return motor / CONSTANT


def control(q, v, wanted, rate, acceleration):
    e, ed = np.array(wanted) - q, np.array(rate) - v
    return torques(q, v, np.array(acceleration) + KD_ * ed + KP_ * e)


def cascade(error, speed, total, h):
    d = KV * error - speed
    more = total + d * h
    torque = KP * d + KI * more
    if abs(torque) > LIMIT:
        return LIMIT * np.sign(torque), total
    return torque, more

