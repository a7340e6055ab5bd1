"""Solution of exercise 21."""

from math import cos, sin

from easydyn import Model, tdisp, trotz

m1, m2 = 3.0, 2.0  # kg
L1, L2 = 0.8, 0.5  # m
g = 9.81  # m/s2
KP, KD = 30.0, 11.0  # 1/s2, 1/s
n, J = 60, 2.5e-4  # no unit, kg m2


def gravity(q1, q2):
    lower = m2 * g * L2 / 2 * cos(q1 + q2)
    upper = (m1 / 2 + m2) * g * L1 * cos(q1)
    return upper + lower, lower


def mass_matrix(q2):
    c = m2 * L1 * L2 / 2 * cos(q2)
    b = m2 * L2**2 / 3
    return [[m1 * L1**2 / 3 + m2 * L1**2 + b + 2 * c, b + c], [b + c, b]]


def torques(q1, q2, v1, v2, a1, a2):
    (M11, M12), (M21, M22) = mass_matrix(q2)
    G1, G2 = gravity(q1, q2)
    s = m2 * L1 * L2 / 2 * sin(q2)
    h1, h2 = -s * (2 * v1 * v2 + v2**2), s * v1**2
    return M11 * a1 + M12 * a2 + h1 + G1, M21 * a1 + M22 * a2 + h2 + G2


def arm():
    made = Model("arm", gravity=(0, -g, 0))
    q1, q2 = made.coordinates("q1 q2")
    upper = trotz(q1)
    lower = upper * tdisp(L1, 0, 0) * trotz(q2)
    made.body("upper", upper * tdisp(L1 / 2, 0, 0), mass=m1, inertia=(0, 0, m1 * L1**2 / 12))
    made.body("lower", lower * tdisp(L2 / 2, 0, 0), mass=m2, inertia=(0, 0, m2 * L2**2 / 12))
    return made


def command(q1, q2, v1, v2, w1, w2):
    a1 = KP * (w1 - q1) - KD * v1
    a2 = KP * (w2 - q2) - KD * v2
    return torques(q1, q2, v1, v2, a1, a2)


def motor_torque(tau, a):
    return tau / n + J * n * a
