"""Constraints, which hold along a motion, and their forces.

A constraint consists of a few scalar equations, its rows: g(q, t) = 0, or A(q, t) qd + b(q, t) = 0 if it restricts
rates only. With multipliers lambda, one for each row, the equations of motion are

    M qdd + h = J' lambda,      J = dg/dq (or A),      d2g/dt2 = 0 (or d(A qd + b)/dt = 0)

A multiplier is the rate of a state of the element that carries the constraint, like the force of a contact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from easydyn.arguments import Thing, answers
from easydyn.forces.effort import Assembly, Demand, Effort
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Coordinate, Multiplier, State, Time, t
from easydyn.vec import ZERO, Vector
from easydyn.vec.scalars import Scalar, symbols_of


class Row(NamedTuple):
    """One scalar equation of a constraint, in the scalars of an assembly.

    Attributes
    ----------
    label : str
        The component of the load that belongs to it: "Fx", "Mz", "distance".
    value : scalar or None
        g, which is zero when the row holds: in m if its load is a force, no unit if its load is a moment. None if the
        row restricts only a rate.
    rate : scalar
        Rate of g, or A qd + b (its unit per s).
    force, moment : Vector
        Load of a multiplier of 1 on the second frame (N, N m), ground components; zero if it acts on coordinates.

    Example
    -------
    >>> Row("Fx", 0.1, 0.0).label
    'Fx'
    """

    label: str
    value: Scalar | None
    rate: Scalar
    force: Vector = ZERO
    moment: Vector = ZERO


class Limit(NamedTuple):
    """A value that must stay above zero for a constraint to make sense.

    Attributes
    ----------
    value : scalar (no unit)
        In the scalars of an assembly.
    what, reason : str
        What is wrong when the value reaches zero, such as "the wheel lies flat", and why there are no equations then.
    advice : str
        What to do at the start of a run or an analysis: a sentence.
    """

    value: Scalar
    what: str
    reason: str
    advice: str


def used_up(demands: Iterable[Demand]) -> list[Limit]:
    """The limits of those of some demands that hold all along."""
    return [Limit(x.value - x.least, f"{x.what} is used up", x.always, x.remedy) for x in demands if x.always]


@answers
class Constraint(Thing):
    """A constraint: its rows, and how their multipliers act. `model.close` and `model.constraint` make constraints.

    Attributes
    ----------
    name : str
        Its name in messages and results.
    labels : tuple of str
        Labels of its rows, in their order.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> model.constraint(a - 2*b, name="mesh").labels
    ('load',)
    """

    name: str
    labels: tuple[str, ...]
    joined = False  # it is between two frames, and has a reaction
    added = True  # by model.add
    named_frames: Any = ()  # what messages call each frame that was given for it, and the frame
    named_sizes: Any = ()  # what messages call each value that must be above zero, and the value

    @property
    def of_place(self) -> tuple[bool, ...]:
        """True for each row that restricts positions, not only rates."""
        return (True,) * len(self.labels)

    @property
    def of_rates(self) -> bool:
        """True when some of its rows restrict rates only."""
        return not all(self.of_place)

    def limits(self, assembly: Assembly) -> list[Limit]:
        """The values that must stay above zero for it to hold, in the scalars of an `assembly`."""
        return []

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        """The bodies between which it holds."""
        return ()

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates on whose equations it acts directly."""
        return ()

    @property
    def title(self) -> str:
        """Its name in sentences."""
        return str(self)

    @property
    def multipliers(self) -> tuple[Multiplier, ...]:
        """The impulse of each row; its rate is the multiplier."""
        name = self.name.replace(".", "_")  # a dot is for rates
        return tuple(Multiplier(f"{name}:{label}") for label in self.labels)

    def expressions(self) -> Iterator[Scalar]:
        """The scalars that the user gave, in their own units."""
        return iter(())

    def rows(self, assembly: Assembly) -> list[Row]:
        """Its equations, in the scalars of an `assembly`."""
        return []

    def lengths(self, number: Callable[[Scalar], float], fixed: Collection[str]) -> str:
        """A sentence that says which lengths of a loop that cannot be closed do not fit; "" if this is not known.

        `number` gives the values of scalars, each in its own unit; the coordinates named in `fixed` are held.
        """
        return ""

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        """Apply the `loads` in an `assembly`: rows, each with its multiplier (N, N m)."""

    @property
    def driven(self) -> bool:
        """True when it depends explicitly on time, so that its forces do work."""
        return t in symbols_of(*self.expressions())

    @property
    def timed(self) -> bool:
        """True when it, or a frame of its bodies, depends on time: coordinates may then follow from time alone."""
        return self.driven or any(isinstance(x, Time | State) for b in self.bodies for x in b.T.free_symbols)

    @property
    def works(self) -> bool:
        """True when its forces do work: something may move although all rates are zero."""
        return self.driven


class Carried(Effort):
    """The element that imposes a constraint: one state for each kept row; the rates of the states are the multipliers.

    Parameters
    ----------
    constraint : Constraint
        The constraint to impose.
    kept : sequence of int
        Its rows that are independent of all others; the other rows then hold automatically.
    soft : sequence of int
        Of these, the rows that share a load with others. They yield, by `yielding`, so that their multipliers are
        determined.
    yielding : scalar (1/kg)
        By how much, beside which the motion of the bodies is large.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> Carried(model.constraint(a - 2*b, name="mesh"), [0]).states
    (mesh:load,)
    """

    implicit = True

    def __init__(self, constraint: Constraint, kept: Sequence[int], soft: Sequence[int] = (), yielding: Scalar = 0):
        self.constraint, self.kept, self.soft, self.yielding = constraint, tuple(kept), tuple(soft), yielding

    @property
    def conservative(self) -> bool:
        """True for constraints that allow rest: their forces do no work."""
        return not self.constraint.works

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.constraint.bodies

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.constraint.coordinates

    @property
    def states(self) -> tuple[State, ...]:
        found = self.constraint.multipliers
        return tuple(found[k] for k in self.kept)

    def expressions(self) -> Iterator[Scalar]:
        return self.constraint.expressions()

    def apply(self, assembly: Assembly) -> None:
        rows = self.constraint.rows(assembly)
        kept = [rows[k] for k in self.kept]
        self.constraint.push(assembly, [(r, assembly.value(p.dot)) for r, p in zip(kept, self.states, strict=True)])
        for k, row, state in zip(self.kept, kept, self.states, strict=True):
            rate = assembly.calculus.rate(row.rate)
            if k in self.soft:
                rate = rate + assembly.value(self.yielding) * assembly.value(state.dot)  # it gives way to its load
            assembly.add_equation(state, rate)

    def __repr__(self) -> str:
        return self.constraint.title
