"""Exercise 10, a force element of your own.

Replace every `...`; README.md says what is asked.
"""

from easydyn import Effort, dot


class Strut(Effort):
    """A spring and a damper between the origins of two bodies."""

    def __init__(self, body_1, body_2, k, L0, c):
        self.body_1, self.body_2 = body_1, body_2
        self.k, self.L0, self.c = k, L0, c

    @property
    def bodies(self):
        return (self.body_1, self.body_2)

    def expressions(self):
        yield from (self.k, self.L0, self.c)

    # 1. Direction from body 1 to body 2, distance, and its rate
    def length_and_rate(self, assembly):
        one, two = assembly.state(self.body_1), assembly.state(self.body_2)
        u = ...
        L = ...
        Ld = ...
        return u, L, Ld

    # 2, 3. The forces on both bodies
    def apply(self, assembly):
        one, two = assembly.state(self.body_1), assembly.state(self.body_2)
        k, L0 = assembly.value(self.k), assembly.value(self.L0)
        c = assembly.value(self.c)
        u, L, Ld = self.length_and_rate(assembly)
        ...

    # 4. The energy that is stored
    def potential(self, assembly):
        return ...


if __name__ == "__main__":
    import easydyn

    easydyn.exercise("10", globals())
