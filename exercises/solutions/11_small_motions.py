"""Solution of exercise 11."""

from math import cos, pi, sin, sqrt

from easydyn import Model, TorsionDamper, TorsionSpring, tdisp, trotz

m, l, g = 2.4, 0.9, 9.81  # kg, m, m/s2
k, q0, c = 20.0, 1.1, 0.6  # N m/rad, rad, N m s


def moment(q):
    return -k * (q - q0) - m * g * l / 2 * sin(q)


rest = q0
for _ in range(20):
    slope = (moment(rest + 1e-6) - moment(rest - 1e-6)) / 2e-6
    rest -= moment(rest) / slope

M = m * l**2 / 3
C = c
K = k + m * g * l / 2 * cos(rest)


def model():
    made = Model("rod", gravity=(0, -g, 0))
    (q,) = made.coordinates("q")
    made.body("rod", trotz(q) * tdisp(0, -l / 2, 0), mass=m, inertia=(0, 0, m * l**2 / 12))
    made.add(TorsionSpring(q, stiffness=k, free_angle=q0), TorsionDamper(q, damping=c))
    return made


frequency = sqrt(K / M) / (2 * pi)
ratio = C / (2 * sqrt(K * M))
critical = m * g * l / 2
