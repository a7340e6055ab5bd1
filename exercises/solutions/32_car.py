"""Solution of exercise 32."""

import numpy as np

from easydyn import Damper, GeneralizedForce, Model, Spring, ground, tdisp, trotx, troty

M, m, k, K, c = 320.0, 38.0, 21e3, 190e3, 1400.0  # kg, kg, N/m, N/m, N s/m
BODY, ROLL, PITCH = 1280.0, 420.0, 1750.0  # kg, kg m2, kg m2
FRONT, WHEELBASE, TRACK = 1.1, 2.6, 1.5  # m
N0 = 0.1  # 1/m


def profile(s, n, phases, G0):
    n, phases = np.array(n), np.array(phases)
    amplitude = np.sqrt(2 * G0 * (n / N0) ** -2 * (n[1] - n[0]))
    return np.cos(2 * np.pi * np.outer(s, n) + phases) @ amplitude


def gains(f):
    p = 2j * np.pi * f
    strut = c * p + k
    A = np.array([[M * p**2 + strut, -strut], [-strut, m * p**2 + strut + K]])
    z, w = np.linalg.solve(A, [0, K])
    return abs(p**2 * z), abs(z - w), abs(K * (1 - w))


def quarter():
    made = Model("quarter car")
    z, w = made.coordinates("z w")
    road = made.input("road", unit="m")
    body = made.body("body", tdisp(0, 0, 0.5 + z), mass=M, inertia=(0, 0, 0))
    wheel = made.body("wheel", tdisp(0, 0, w), mass=m, inertia=(0, 0, 0))
    made.add(Spring(wheel, body, stiffness=k, free_length=0.5), Damper(wheel, body, damping=c))
    made.add(GeneralizedForce(w, K * (road - w)))
    return made


def measures(t, acceleration, force, travel, load):
    comfort = np.sqrt(np.mean(np.array(acceleration) ** 2))
    grip = np.sqrt(np.mean(np.array(force) ** 2)) / load
    return comfort, grip, max(travel) - min(travel)


def four(s, left, right, v, t):
    front = 5 + v * t
    rear = front - WHEELBASE
    return [np.interp(place, s, track) for place in (front, rear) for track in (left, right)]


def full():
    made = Model("car")
    z, pitch, roll, *wheels = made.coordinates("z pitch roll w1 w2 w3 w4")
    made.body("body", tdisp(0, 0, z) * troty(pitch) * trotx(roll), mass=BODY, inertia=(ROLL, PITCH, PITCH))
    rear = FRONT - WHEELBASE
    corners = [(FRONT, TRACK / 2), (FRONT, -TRACK / 2), (rear, TRACK / 2), (rear, -TRACK / 2)]
    for n, (w, (x, y)) in enumerate(zip(wheels, corners), start=1):
        height = made.input(f"r{n}", unit="m")
        made.body(f"wheel {n}", tdisp(x, y, w), mass=m, inertia=(0, 0, 0))
        stretch, rate = z - x * pitch + y * roll - w, z.dot - x * pitch.dot + y * roll.dot - w.dot
        force = k * stretch + c * rate
        for q, share in ((z, 1), (pitch, -x), (roll, y), (w, -1)):
            made.add(GeneralizedForce(q, -share * force))
        made.add(GeneralizedForce(w, K * (height - w)))
    return made
