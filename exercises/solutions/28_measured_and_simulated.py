"""Solution of exercise 28."""

from math import isnan, pi, sqrt

from easydyn import GeneralizedForce, Model, lab, tdisp, trotz

m, g = 0.2, 9.81  # kg, m/s2


def metres(u, v, scale, origin):
    x = (u - origin[0]) / scale
    y = (origin[1] - v) / scale
    return x, y


def residuals(measured, simulated):
    return [a - b for a, b in zip(measured, simulated) if not isnan(a)]


def noise(r, unknowns):
    return sqrt(sum(x**2 for x in r) / (len(r) - unknowns))


def correlation(r):
    return sum(a * b for a, b in zip(r, r[1:])) / sum(x**2 for x in r)


def scale(radius, period):
    length = g * (period / (2 * pi)) ** 2
    return radius / length


def pendulum():
    """Given: the pendulum and its bob; guesses of its length and its damper."""
    model = Model("pendulum", gravity=(0, -g, 0))
    (q,) = model.coordinates("q", initial=0.6)
    length, c = model.parameters(length=0.5, c=0.01)
    end = trotz(q) * tdisp(0, -length, 0)
    bob = model.body("bob", end, mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model, bob


def fitted(t, x, y):
    model, bob = pendulum()
    camera = lab.Camera(model, scale=1.0, origin=(0, 0), y_up=True, fixed=["origin", "angle"])
    data = {"t": t, "bob x": x, "bob y": y}
    unknowns = ["length", "c", "q", "q.dot", *camera.unknowns]
    fit = model.fit(data, unknowns, to=camera.sees(bob.T.e, "bob"))
    return fit["length"], fit["camera_scale"]
