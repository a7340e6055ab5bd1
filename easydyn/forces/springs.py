"""Springs and dampers between two points, linear or with any law; and both in series, Maxwell's element."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.errors import InputError
from easydyn.forces.declared import Argument
from easydyn.forces.effort import Assembly, a_name, constant, positive
from easydyn.forces.law import Law
from easydyn.forces.line import Line
from easydyn.mechanics.symbols import State
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


class Damper(Line):
    """Damper between two points: tension c dL/dt along the line that joins them, the law of viscous friction.

    Instead of c any function of dL/dt may be given.

    Parameters
    ----------
    end_1, end_2 : Body or (Body, (x, y, z))
        Its ends; the points (m) are in body axes, the origin if left out. They must not meet: the line of the
        damper would have no direction.
    damping : scalar (N s/m)
        c, a number or an expression of parameters.
    law : function, instead of the damping
        Tension (N) as a function of v = dL/dt (m/s), positive when the points separate; for example a shock absorber
        that is harder in one direction, `lambda v: sympy.Piecewise((300*v, v < 0), (900*v, True))`. It is called once,
        with a symbol.
    mass, at, distances : scalar (kg), scalar (no unit), 2 scalars (m), optional
        Point masses on its line, as for a Spring.

    Raises
    ------
    InputError
        Neither or both of damping and law, a law that does not return a formula.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("dashpot")
    >>> x, = model.coordinates("x", initial=1)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Damper(mass, ground, damping=4))
    >>> model.compile().accelerations(0, [1], [3])
    array([-6.])
    """

    damping = Argument(positive, unless="law")
    law = Argument(Law, missing=None)

    def __init__(
        self, end_1: Any, end_2: Any, *, damping: Any = None, law: Any = None, mass: Any = None, at: Any = None,
        distances: Any = None,
    ):  # fmt: skip
        self.take(locals())

    def apply(self, assembly: Assembly) -> None:
        opening = self.ends.opening(assembly)
        if self.law is None:
            line = self.ends.line(assembly)
            self.ends.pull(assembly, assembly.value(self.damping) * opening / dot(line, line))  # c Ldot / L
        else:
            length = self.ends.length(assembly)
            self.ends.pull(assembly, self.law.over_length(assembly, opening / length, length))

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        if self.law is not None:
            yield from self.law.switches(assembly, self.ends.opening(assembly) / self.ends.length(assembly))


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
