"""Solution of exercise 10."""

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

    def length_and_rate(self, assembly):
        one, two = assembly.state(self.body_1), assembly.state(self.body_2)
        r = two.T.e - one.T.e
        L = r.norm()
        u = r / L
        Ld = dot(u, two.velocity_at(two.T.e) - one.velocity_at(one.T.e))
        return u, L, Ld

    def apply(self, assembly):
        one, two = assembly.state(self.body_1), assembly.state(self.body_2)
        k, L0, c = assembly.value(self.k), assembly.value(self.L0), assembly.value(self.c)
        u, L, Ld = self.length_and_rate(assembly)
        force = u * (k * (L - L0) + c * Ld)
        one.apply(force, one.T.e)
        two.apply(-force, two.T.e)

    def potential(self, assembly):
        k, L0 = assembly.value(self.k), assembly.value(self.L0)
        stretch = self.length_and_rate(assembly)[1] - L0
        return k * stretch * stretch / 2
