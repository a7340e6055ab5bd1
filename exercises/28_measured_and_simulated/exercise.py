"""Exercise 28, measured and simulated.

Replace every `...`; README.md says what is asked.
"""

from math import isnan, pi, sqrt

from easydyn import GeneralizedForce, Model, lab, tdisp, trotz

m, g = 0.2, 9.81  # kg, m/s2


# 1. From pixels to metres (m)
def metres(u, v, scale, origin):
    return ...


# 2. Residuals, without gaps
def residuals(measured, simulated):
    return ...


# 3. The noise, in the unit of the residuals
def noise(r, unknowns):
    return ...


# 4. How much residuals follow each other (no unit)
def correlation(r):
    return ...


# 5. The scale of a film (px/m)
def scale(radius, period):
    return ...


def pendulum():
    """Given: the pendulum and its bob; guesses of its length and its damper."""
    model = Model("pendulum", gravity=(0, -g, 0))
    (q,) = model.coordinates("q", initial=0.6)
    length, c = model.parameters(length=0.5, c=0.01)
    end = trotz(q) * tdisp(0, -length, 0)
    bob = model.body("bob", end, mass=m, inertia=(0, 0, 0))
    model.add(GeneralizedForce(q, -c * q.dot))
    return model, bob


# 6. The length (m), and the factor by which x and y are too large (no unit)
def fitted(t, x, y):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("28", globals())
