"""Exercise 02, velocity and acceleration by hand.

Replace every `...`; README.md says what is asked.
"""

from easydyn import System, cross, tdisp, trotz, vcoord

L = 0.8  # m


# 1. The frame of the rod in its middle, and the vector from the pivot to it
def frame(q):
    return ...


def arm(q):
    return ...


# 2. Angular velocity and acceleration of the rod
def omega(qd):
    return ...


def omegad(qdd):
    return ...


# 3. Velocity of the centre of mass
def velocity(q, qd):
    return ...


# 4. Acceleration of the centre of mass
def acceleration(q, qd, qdd):
    return ...


# 5. Together (nothing to write here)
def compute_motion(t, q, qd, qdd, bodies):
    cart, rod = bodies
    cart.T = tdisp(q[0], 0, 0)
    cart.vG, cart.aG = vcoord(qd[0], 0, 0), vcoord(qdd[0], 0, 0)
    rod.T, rod.omega, rod.omegad = frame(q), omega(qd), omegad(qdd)
    rod.vG, rod.aG = velocity(q, qd), acceleration(q, qd, qdd)


def system():
    made = System(
        "pendulum on a cart", compute_motion, coordinates="x phi",
        gravity=(0, -9.81, 0), initial=(0, 1),
    )  # fmt: skip
    made.body("cart", mass=2, inertia=(0, 0, 0))
    made.body("rod", mass=1, inertia=(0, 0, L**2 / 12))
    return made


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("02", globals())
