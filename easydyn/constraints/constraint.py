"""What must hold along a motion, and the forces that make it hold.

A constraint is a few scalar equations, its rows: g(q, t) = 0, or A(q, t) qd + b(q, t) = 0 for what restricts rates
only. With multipliers lambda, one for each row, the equations of motion are

    M qdd + h = J' lambda,      J = dg/dq (or A),      d2g/dt2 = 0 (or d(A qd + b)/dt = 0)

A multiplier is the rate of a state of the element that carries the constraint, as the force of a contact is.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from easydyn.arguments import Answering, answers
from easydyn.forces.effort import Assembly, Effort
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Coordinate, Multiplier, State, Time, t
from easydyn.vec import ZERO, Vector
from easydyn.vec.scalars import Scalar


class Row(NamedTuple):
    """One scalar equation of a constraint, in the scalars of an assembly.

    Attributes
    ----------
    label : str
        The component of the load that goes with it: "Fx", "Mz", "distance".
    value : scalar or None
        g, zero where it holds: m for what goes with a force, no unit for what goes with a moment. None: only its rate.
    rate : scalar
        Of g, or A qd + b (its unit per s).
    force, moment : Vector
        What a multiplier of 1 does to the second frame (N, N m), ground components; zero where it acts on coordinates.

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
    """What must stay above zero, or a constraint makes no sense.

    Attributes
    ----------
    value : scalar (no unit)
        In the scalars of an assembly.
    told, reason : str
        What is so where it does not, "the wheel lies flat", and why there are no equations there.
    advice : str
        What to do where a run or an analysis begins: a sentence.
    """

    value: Scalar
    told: str
    reason: str
    advice: str


@answers
class Constraint(metaclass=Answering):
    """What must hold along a motion: rows, and how their multipliers act. `model.close`, `model.constraint` make them.

    Attributes
    ----------
    name : str
        What it is called in messages and results.
    labels : tuple of str
        Of its rows, in their order.

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

    @property
    def of_place(self) -> tuple[bool, ...]:
        """True for each row that says where something is, not only how fast."""
        return (True,) * len(self.labels)

    @property
    def of_rates(self) -> bool:
        """True when some of its rows restrict rates only."""
        return not all(self.of_place)

    def limits(self, assembly: Assembly) -> list[Limit]:
        """What must stay above zero where it is to hold, in the scalars of an `assembly`."""
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
        """What it is called in sentences."""
        return f"constraint '{self.name}'"

    @property
    def multipliers(self) -> tuple[Multiplier, ...]:
        """The impulse of each row; its rate is the multiplier."""
        name = self.name.replace(".", "_")  # a dot is for rates
        return tuple(Multiplier(f"{name}:{label}") for label in self.labels)

    def expressions(self) -> Iterator[Scalar]:
        """The scalars it was given, in their own units."""
        return iter(())

    def rows(self, assembly: Assembly) -> list[Row]:
        """Its equations, in the scalars of an `assembly`."""
        return []

    def lengths(self, number: Callable[[Scalar], float], fixed: Collection[str]) -> str:
        """Of a loop that cannot be closed which lengths do not fit, a sentence; "" where that is not known.

        `number` gives the values of scalars, each in its own unit; the coordinates named in `fixed` are held.
        """
        return ""

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        """Let the `loads` act in an `assembly`: rows, each with its multiplier (N, N m)."""

    @property
    def driven(self) -> bool:
        """True when time stands in it, so that its forces do work."""
        return any(t in getattr(e, "free_symbols", ()) for e in self.expressions())

    @property
    def timed(self) -> bool:
        """True when time stands in it, or in the frames of its bodies: what follows from it moves with time alone."""
        return self.driven or any(isinstance(x, Time | State) for b in self.bodies for x in b.T.free_symbols)

    @property
    def works(self) -> bool:
        """True when its forces do work: where it holds, something may move though all rates are zero."""
        return self.driven


class Carried(Effort):
    """The element that makes a constraint hold: as many states as rows are kept, their rates the multipliers.

    Parameters
    ----------
    constraint : Constraint
        What holds.
    kept : sequence of int
        Its rows that are independent of all others; the rest holds by itself.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("gears")
    >>> a, b = model.coordinates("a b")
    >>> Carried(model.constraint(a - 2*b, name="mesh"), [0]).states
    (mesh:load,)
    """

    implicit = True

    def __init__(self, constraint: Constraint, kept: Sequence[int]):
        self.constraint, self.kept = constraint, tuple(kept)

    @property
    def conservative(self) -> bool:
        """Of constraints that allow rest: their forces do no work."""
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
        for row, state in zip(kept, self.states, strict=True):
            assembly.add_equation(state, assembly.calculus.rate(row.rate))

    def __repr__(self) -> str:
        return self.constraint.title
