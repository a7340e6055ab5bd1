"""Exercise 12, control.

Replace every `...`; README.md says what is asked.
"""

from easydyn import Model

L, R = 0.008, 1.2  # H, ohm
k = 0.1  # V s/rad, and N m/A
J, b = 2e-3, 1.5e-3  # kg m2, N m s


# 1. The motor
def motor():
    made = ...
    # states, input, two equations, output
    return made


# 2. Its speed at a constant voltage (rad/s)
def steady_speed(U):
    return ...


# 3. Its speed with a proportional controller that wants 100 rad/s
def proportional_speed(P):
    return ...


# 4. A sampled PI controller, called every h seconds
def PI(P, I, wanted, h=0.01):
    def law(t, outputs):
        return ...

    return law


# 5. Its gains
P = ...
I = ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("12", globals())
