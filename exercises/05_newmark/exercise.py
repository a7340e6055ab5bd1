"""Exercise 05, Newmark's method in twenty lines.

Replace every `...`; README.md says what is asked.
"""

from math import log2

BETA, GAMMA = 1 / 4, 1 / 2


# 1. The acceleration at t = 0
def start(f, q, qd):
    return ...


# 2. Newmark's formulas: (q1, qd1)
def formulas(q, qd, qdd, qdd1, h):
    return ...


# 3. One step: (q1, qd1, qdd1)
def step(f, t, q, qd, qdd, h):
    return ...


# 4. Many steps: (q, qd) at the end
def run(f, q, qd, t_final, steps):
    return ...


# 5. The order of a method, from its errors with h, h/2, h/4, ...
def order(errors):
    return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("05", globals())
