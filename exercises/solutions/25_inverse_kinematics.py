"""Solution of exercise 25."""

from math import acos, atan2, cos, pi, sin

import numpy as np

from easydyn import GeneralizedForce, Model, tdisp, trotz

L1, L2, L3 = 0.5, 0.4, 0.15  # m
m1, m2, m3 = 4.0, 3.0, 1.5  # kg
g = 9.81  # m/s2
KP = np.array([100.0, 40.0, 6.0])  # N m/rad
KD = np.array([20.0, 6.0, 0.6])  # N m s/rad


def hand(q1, q2, q3):
    T = trotz(q1) * tdisp(L1, 0, 0)
    T = T * trotz(q2) * tdisp(L2, 0, 0)
    return T * trotz(q3) * tdisp(L3, 0, 0)


def two_links(x, y, elbow):
    c = (x**2 + y**2 - L1**2 - L2**2) / (2 * L1 * L2)
    q2 = elbow * acos(c)
    q1 = atan2(y, x) - atan2(L2 * sin(q2), L1 + L2 * cos(q2))
    return q1, q2


def three_links(x, y, phi, elbow):
    first, second = two_links(x - L3 * cos(phi), y - L3 * sin(phi), elbow)
    third = phi - first - second
    return first, second, third


def jacobian(q1, q2, q3):
    x3, y3 = L3 * cos(q1 + q2 + q3), L3 * sin(q1 + q2 + q3)
    x2, y2 = x3 + L2 * cos(q1 + q2), y3 + L2 * sin(q1 + q2)
    x1, y1 = x2 + L1 * cos(q1), y2 + L1 * sin(q1)
    return [[-y1, -y2, -y3], [x1, x2, x3], [1, 1, 1]]


def step(q, pose, damping):
    T = np.array(hand(*q).matrix, dtype=float)
    turn = (pose[2] - sum(q) + pi) % (2 * pi) - pi
    e = np.array([pose[0] - T[0, 3], pose[1] - T[1, 3], turn])
    J = np.array(jacobian(*q))
    return np.linalg.solve(J.T @ J + damping**2 * np.eye(3), J.T @ e)


def torques(q, v, wanted):
    q1, q2, q3 = q
    G3 = m3 * g * L3 / 2 * cos(q1 + q2 + q3)
    G2 = G3 + (m2 / 2 + m3) * g * L2 * cos(q1 + q2)
    G1 = G2 + (m1 / 2 + m2 + m3) * g * L1 * cos(q1)
    G = np.array([G1, G2, G3])
    return G + KP * (np.array(wanted) - q) - KD * np.array(v)


def drive(start, pose, elbow):
    """Given: a run of 4 s from the angles `start` to the pose, by your work."""
    model, T = Model("arm", gravity=(0, -g, 0)), trotz(0)
    for k, (L, m) in enumerate(zip((L1, L2, L3), (m1, m2, m3)), start=1):
        (q,) = model.coordinates(f"q{k}", initial=start[k - 1])
        middle = T * trotz(q) * tdisp(L / 2, 0, 0)
        model.body(f"rod {k}", middle, mass=m, inertia=(0, 0, m * L**2 / 12))
        model.add(GeneralizedForce(q, model.input(f"u{k}")))
        T = middle * tdisp(L / 2, 0, 0)
    wanted = three_links(*pose, elbow)

    def law(t, state):
        q, v = ([state[f"q{k}{dot}"] for k in (1, 2, 3)] for dot in ("", ".dot"))
        return dict(zip(("u1", "u2", "u3"), torques(q, v, wanted)))

    model.controller(0.004, law)
    return model.simulate(4, save_every=0.02)
