"""Exercise 25, inverse kinematics.

Replace every `...`; README.md says what is asked.
"""

from math import acos, atan2, cos, pi, sin

import numpy as np

from easydyn import GeneralizedForce, Model, tdisp, trotz

L1, L2, L3 = 0.5, 0.4, 0.15  # m
m1, m2, m3 = 4.0, 3.0, 1.5  # kg
g = 9.81  # m/s2
KP = np.array([100.0, 40.0, 6.0])  # N m/rad
KD = np.array([20.0, 6.0, 0.6])  # N m s/rad


# 1. The frame of the hand
def hand(q1, q2, q3):
    return ...


# 2. The angles of two links (rad)
def two_links(x, y, elbow):
    return ...


# 3. The angles of three links (rad)
def three_links(x, y, phi, elbow):
    return ...


# 4. The Jacobian: rows of x, y and phi
def jacobian(q1, q2, q3):
    return ...


# 5. A damped step (rad)
def step(q, pose, damping):
    return ...


# 6. Gravity compensation, and the way to the pose (N m)
def torques(q, v, wanted):
    return ...


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


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("25", globals())
