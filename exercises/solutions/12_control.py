"""Solution of exercise 12."""

from easydyn import Model

L, R = 0.008, 1.2  # H, ohm
k = 0.1  # V s/rad, and N m/A
J, b = 2e-3, 1.5e-3  # kg m2, N m s


def motor():
    made = Model("motor")
    i, w = made.states("i w")
    U = made.input("U")
    made.equation(L * i.dot + R * i + k * w - U)
    made.equation(J * w.dot + b * w - k * i)
    made.output("speed", w)
    return made


def steady_speed(U):
    return k * U / (R * b + k**2)


def proportional_speed(P):
    G = steady_speed(1)
    return 100 * G * P / (1 + G * P)


def PI(P, I, wanted, h=0.01):
    total = 0.0

    def law(t, outputs):
        nonlocal total
        e = wanted - outputs["speed"]
        total += e * h
        return {"U": P * e + I * total}

    return law


P = 0.12
I = 0.8
