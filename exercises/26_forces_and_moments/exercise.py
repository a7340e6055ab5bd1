"""Exercise 26, forces and moments.

Replace every `...`; README.md says what is asked.
"""

from math import cos, sin

from easydyn import Force, Model, tdisp, trotz

m1, m2, l, g = 4.0, 2.0, 1.2, 9.81  # kg, kg, m, m/s2


# 1. The moment of a force (N m)
def moment(P, F, Q):
    return ...


# 2. The resultant (N), and the moment about Q (N m)
def resultant(points, forces, Q):
    return ...


# 3. A point of the line of action (m)
def line(X, Y, M):
    return ...


# 4. The force in the pin, on the rod (N)
def pin(q, v, xa, qa):
    return ...


# 5. The force of the rail, on the trolley (N)
def rail(q, v, xa, qa):
    return ...


# 6. The generalised forces (N, N m)
def generalised(q, u):
    return ...


def model(u=10):
    """Given: the trolley with the rod."""
    made = Model("trolley with a rod", gravity=(0, -g, 0))
    x, q = made.coordinates("x q")
    trolley = made.body("trolley", tdisp(x, 0, 0), mass=m1, inertia=(0, 0, 1))
    T = tdisp(x, 0, 0) * trotz(q) * tdisp(0, -l / 2, 0)
    made.body("rod", T, mass=m2, inertia=(0, 0, m2 * l**2 / 12))
    made.add(Force(trolley, (u, 0, 0)))
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("26", globals())
