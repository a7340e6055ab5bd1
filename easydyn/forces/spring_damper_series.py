"""A spring and a damper in series, without a mass between them: Maxwell's element."""

from __future__ import annotations

from typing import Any

from easydyn.errors import InputError
from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, a_name, positive
from easydyn.forces.line import Line
from easydyn.mechanics.symbols import State
from easydyn.vec.scalars import Scalar, is_zero


class SpringDamperSeries(Line):
    """A spring and a damper in series between two points, with a massless point between them (Maxwell's element).

    The tension F is the same in both, by Hooke's law and the law of viscous friction. The extension of the damper is a
    state x of the element, zero at the start:

        F = k (L - L0 - x) = c dx/dt

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends, as for a Spring.
    stiffness : scalar (N/m)
        k, a number or an expression of parameters.
    damping : scalar (N s/m)
        c, above zero.
    free_length : scalar (m)
        L0, the free length of the whole element before the damper has moved. The ends must not meet.
    name : str
        Prefix of the state: `NAME_way` is x (m). Letters, digits and underscores.
    mass, at, distances : scalar (kg), scalar (no unit), 2 scalars (m), optional
        Point masses on its line, as for a Spring.

    Raises
    ------
    InputError
        When a value is missing or has the wrong sign; no name.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("creep")
    >>> x, = model.coordinates("x", initial=1.5)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(SpringDamperSeries(mass, ground, stiffness=8, damping=4, free_length=1, name="maxwell"))
    >>> model.compile().accelerations(0, [1.5, 0], [0, 0])  # of x, and the rate of maxwell_way
    array([-2.,  1.])
    """

    stiffness, damping, free_length = Argument(positive), Argument(positive), Argument(positive)

    def __init__(
        self, end_1: Any, end_2: Any, *, stiffness: Any = None, damping: Any = None, free_length: Any = None,
        name: Any = None, mass: Any = None, at: Any = None, distances: Any = None,
    ):  # fmt: skip
        a_name(name, self.what, "; the way of its damper is a state, called after it")
        self.take(locals())
        if is_zero(self.damping):
            raise InputError(f"the damping of {self.what} is 0: nothing would hold its spring. Leave the element out.")
        self.way = State(f"{name}_way")

    @property
    def states(self) -> tuple[State, ...]:
        return (self.way,)

    def _stretch(self, assembly: Assembly) -> Scalar:
        """Of the spring alone (m)."""
        return self.ends.length(assembly) - assembly.value(self.free_length) - assembly.value(self.way)

    def apply(self, assembly: Assembly) -> None:
        tension = assembly.value(self.stiffness) * self._stretch(assembly)
        self.ends.pull(assembly, tension / self.ends.length(assembly))
        assembly.add_rate(self.way, tension / assembly.value(self.damping))

    def potential(self, assembly: Assembly) -> Scalar:
        stretch = self._stretch(assembly)
        return assembly.value(self.stiffness) * stretch * stretch / 2
