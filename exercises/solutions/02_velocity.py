"""Solution of exercise 02."""

from easydyn import System, cross, tdisp, trotz, vcoord

L = 0.8  # m


def frame(q):
    return tdisp(q[0], 0, 0) * trotz(q[1]) * tdisp(0, -L / 2, 0)


def arm(q):
    return trotz(q[1]).R * vcoord(0, -L / 2, 0)


def omega(qd):
    return vcoord(0, 0, qd[1])


def omegad(qdd):
    return vcoord(0, 0, qdd[1])


def velocity(q, qd):
    return vcoord(qd[0], 0, 0) + cross(omega(qd), arm(q))


def acceleration(q, qd, qdd):
    w, r = omega(qd), arm(q)
    return vcoord(qdd[0], 0, 0) + cross(omegad(qdd), r) + cross(w, cross(w, r))


def compute_motion(t, q, qd, qdd, bodies):
    cart, rod = bodies
    cart.T, cart.vG, cart.aG = tdisp(q[0], 0, 0), vcoord(qd[0], 0, 0), vcoord(qdd[0], 0, 0)
    rod.T, rod.omega, rod.omegad = frame(q), omega(qd), omegad(qdd)
    rod.vG, rod.aG = velocity(q, qd), acceleration(q, qd, qdd)


def system():
    made = System("pendulum on a cart", compute_motion, coordinates="x phi", gravity=(0, -9.81, 0), initial=(0, 1))
    made.body("cart", mass=2, inertia=(0, 0, 0))
    made.body("rod", mass=1, inertia=(0, 0, L**2 / 12))
    return made
