"""Exercise 27, four roads to one equation.

Replace every `...`; README.md says what is asked.
"""

from math import cos, sin

from easydyn import Force, Model, tdisp, trotz

M, m, r, b, g = 5.0, 2.0, 0.15, 0.5, 9.81  # kg, kg, m, rad, m/s2


# 1. The kinetic energy (J)
def kinetic(v, w):
    return ...


# 2. d'Alembert: the left sides for x and for s (N)
def dalembert(xa, sa, F):
    return ...


# 3. Lagrange: the momenta of x and of s (kg m/s)
def momenta(v, w):
    return ...


# 4. Newton: the force of the wedge on the disc (N)
def cut(xa, sa):
    return ...


# 5. Kane: the partial velocities of the centre of the disc (no unit)
def partials():
    return ...


# 6. Hamilton's function (J)
def hamilton(px, ps, s):
    return ...


def model(F=0):
    """Given: the wedge and the disc."""
    made = Model("disc on a wedge", gravity=(0, -g, 0))
    x, s = made.coordinates("x s")
    wedge = made.body("wedge", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 1))
    T = tdisp(x, 0, 0) * trotz(-b) * tdisp(s, r, 0) * trotz(-s / r)
    made.body("disc", T, mass=m, inertia=(0, 0, m * r**2 / 2))
    made.add(Force(wedge, (F, 0, 0)))
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("27", globals())
