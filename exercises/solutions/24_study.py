"""Solution of exercise 24."""

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


def strata(u, order):
    n = len(u)
    return [(order[i] + u[i]) / n for i in range(n)]


def swings(dampers, rates):
    study = pendulum().study(3, over={"c": dampers, "q.dot": rates}, keep={"largest": Max("q")})
    found = study.run()["largest"]
    return found.reshape(len(dampers), len(rates))


def step(r, J):
    r, J = np.array(r), np.array(J)
    return -np.linalg.solve(J.T @ J, J.T @ r)


def errors(r, J):
    r, J = np.array(r), np.array(J)
    variance = r @ r / (len(r) - J.shape[1])
    covariance = variance * np.linalg.inv(J.T @ J)
    return np.sqrt(np.diag(covariance))


def shares(a, w):
    parts = [(x * y) ** 2 for x, y in zip(a, w)]
    return [part / sum(parts) for part in parts]


def indices(yA, yB, yM):
    yA, yB, yM = np.array(yA), np.array(yB), np.array(yM)
    V = np.var(np.concatenate([yA, yB]))
    S = np.mean(yB * (yM - yA)) / V
    T = np.mean((yA - yM) ** 2) / (2 * V)
    return S, T
