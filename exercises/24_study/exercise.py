"""Exercise 24, a study.

Replace every `...`; README.md says what is asked.
"""

import numpy as np

from easydyn import GeneralizedForce, Max, Model, tdisp, trotz

m, l, g = 1.5, 0.8, 9.81  # kg, m, m/s2


def pendulum():
    """Given: the pendulum, with the parameter c, the damper (N m s)."""
    model = Model("pendulum", gravity=(0, -g, 0))
    (q,) = model.coordinates("q")
    (c,) = model.parameters(c=0.1)
    model.body("point", trotz(q) * tdisp(0, -l, 0), mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model


# 1. One run in each stratum
def strata(u, order):
    return ...


# 2. A map of largest angles (rad)
def swings(dampers, rates):
    # a study of the pendulum, all its runs, rows
    return ...


# 3. A step of Gauss and Newton
def step(r, J):
    return ...


# 4. Standard errors
def errors(r, J):
    return ...


# 5. What makes a sum scatter
def shares(a, w):
    return ...


# 6. Sobol's indices
def indices(yA, yB, yM):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("24", globals())
