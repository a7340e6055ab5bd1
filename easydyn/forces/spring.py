"""A spring between two points: linear, or with any law of its stretch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, constant, positive
from easydyn.forces.law import Law
from easydyn.forces.line import Line
from easydyn.vec import dot
from easydyn.vec.scalars import Scalar, is_zero, sqrt


class Spring(Line):
    """Spring between two points: tension k (L - L0), along the line that joins them (Hooke's law).

    Any function of L - L0 may be given instead of k.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends; the points (m) are in body axes, the origin if left out; `ground` is a body too.
    stiffness : scalar (N/m)
        k, a number or an expression of parameters.
    free_length : scalar (m)
        L0. With 0 the spring may pass through zero length (by a law, if that is a polynomial of odd powers such as
        k x + c x^3); otherwise its direction is undefined there.
    law : function, instead of the stiffness
        Tension (N) as a function of the stretch x = L - L0 (m): `lambda x: 200*x + 3e4*x**3`; a rope that only pulls,
        `lambda x: sympy.Max(0, k*x)`. It is called once, with a symbol, and may use parameters, time and states. The
        length may be zero where the law is zero for a whole range. The integral of the law is the potential if SymPy
        finds it and the law has no symbols but parameters; otherwise the energy balance counts the effect of the spring
        as work.
    mass : scalar (kg), or two, optional
        One or two point masses on the line. Each is a body of the model, named after the bodies at the ends:
        "bob-ground mass".
    at : scalar (no unit), optional
        Position of one mass: 0 at the first end, 1 at the second.
    distances : 2 scalars (m), optional
        Positions of two masses: distance of the first from the first end, and of the second from the second end.

    Raises
    ------
    InputError, ModelError
        Neither or both of stiffness and law, a law that does not return a formula.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x", initial=1.5)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Spring(mass, ground, stiffness=8, free_length=1))
    >>> model.compile().accelerations(0, [1.5], [0])
    array([-2.])
    """

    stiffness = Argument(positive, unless="law")
    law = Argument(Law, missing=None)
    free_length = Argument(positive)

    def __init__(
        self, end_1: Any, end_2: Any, *, stiffness: Any = None, free_length: Any = None, law: Any = None,
        mass: Any = None, at: Any = None, distances: Any = None,
    ):  # fmt: skip
        self.take(locals())

    @property
    def conservative(self) -> bool:
        return constant(self.expressions()) and (self.law is None or self.law.integral is not None)

    @property
    def _from_zero(self) -> bool:
        return is_zero(self.free_length)

    def _stretch(self, assembly: Assembly) -> Scalar:
        return self.ends.length(assembly) - assembly.value(self.free_length)

    def apply(self, assembly: Assembly) -> None:
        if self.law is None:
            k, L0 = assembly.value(self.stiffness), assembly.value(self.free_length)
            self.ends.pull(assembly, k if self._from_zero else k * (1 - L0 / self.ends.length(assembly)))
            return
        if self._from_zero:
            line = self.ends.line(assembly)
            self.ends.pull(assembly, self.law.over_itself(assembly, dot(line, line)))
        else:
            length = self.ends.length(assembly)
            self.ends.pull(assembly, self.law.over_length(assembly, self._stretch(assembly), length))

    def potential(self, assembly: Assembly) -> Scalar:
        if self.law is not None:
            return self.law.potential(assembly, self._stretch(assembly))
        k, line = assembly.value(self.stiffness), self.ends.line(assembly)
        if self._from_zero:
            return k * dot(line, line) / 2
        stretch = sqrt(dot(line, line)) - assembly.value(self.free_length)
        return k * stretch * stretch / 2

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        if self.law is not None:
            yield from self.law.switches(assembly, self._stretch(assembly))
