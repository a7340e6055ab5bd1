"""A rigid contact: bodies that touch but never overlap, with impacts by Newton's law of restitution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from easydyn.errors import InputError
from easydyn.forces.effort import Assembly, Demand, Effort, a_name
from easydyn.forces.gap import Gap, gap_of, restitution_of
from easydyn.forces.rubbing import rubbing
from easydyn.forces.slip import Slip
from easydyn.inputs import positive
from easydyn.mechanics.places import branches, places
from easydyn.mechanics.symbols import Coordinate, Flag, Parameter, State, t
from easydyn.vec.scalars import Scalar, one_expression

MOST = 32  # smooth branches of a gap


class RigidContact(Effort):
    """A gap that never becomes negative: impacts with restitution, and a contact force while it stays closed.

    An impact changes the rates at once: gap.dot+ = -e gap.dot-, by an impulse along the gradient of the gap. When
    impacts follow each other faster and faster, the contact closes at their accumulation point. It then transmits a
    force, and opens when the force would become a pull. With `friction` and `slip` the contact sticks or slides
    (Coulomb's law), also in impacts. `PlanePoint` is a soft contact. A gap may have corners (`Min`, `Max`, `Abs`,
    `Piecewise`): each of its smooth branches is a contact of its own, "floor", "floor_2" and so on.

    Parameters
    ----------
    gap : SymPy expression (m)
        Distance that must not become negative: an expression of coordinates, parameters and time, such as
        `ball.T.e[1] - r`.
    restitution : scalar (no unit)
        e, from 0 (no rebound) to 1 (no loss): a number or an expression of parameters.
    name : str
        Name of its unknown: `run["floor"]` is the impulse so far (N s), impacts included, `run["floor.dot"]` the force
        (N).
    friction : scalar (no unit), optional
        Coefficient of friction in sliding: a number or an expression of parameters.
    slip : SymPy expression (m/s), or two of them
        Velocity of slip at the point of contact, linear in the rates, such as `block.v[0]`; in space its two components
        in the plane of contact, as (vx, vy).
    static_friction : scalar (no unit), optional
        Coefficient of friction while it sticks; equal to the coefficient in sliding if left out.
    rest : float (s)
        Impacts that follow each other within this time count as a closed contact.

    Raises
    ------
    InputError
        When a value is missing, or is not possible.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("ball", gravity=(0, -9.81, 0))
    >>> y, = model.coordinates("y", initial=1)
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(RigidContact(y, restitution=0.5, name="floor"))
    >>> run = model.simulate(3)
    >>> bool(abs(run["y"][-1]) < 1e-9), round(float(run["floor.dot"][-1]), 6)
    (True, 19.62)
    """

    implicit = True

    def __init__(
        self, gap: Any, *, restitution: Any = None, friction: Any = None, slip: Any = None, static_friction: Any = None,
        name: Any = None, rest: Any = 1e-6,
    ):  # fmt: skip
        self.name = state = a_name(name, "a RigidContact", ', such as "floor"')
        self.gap = one_expression(gap, "the gap of a RigidContact")
        known = (Coordinate, Parameter, State)
        wrong = [s for s in self.gap.free_symbols if not isinstance(s, known) and s != t]
        if wrong or not self.coordinates:
            raise InputError(
                f"the gap of RigidContact '{name}' is {self.gap}: expected a distance that depends on coordinates, and "
                f"on parameters, time and states that frames follow{f', not on {wrong[0]}' if wrong else ''}."
            )
        if restitution is None:
            raise InputError(f"the restitution of RigidContact '{name}' was not given: expected a number from 0 to 1.")
        self.restitution = restitution_of(restitution, f"RigidContact '{name}'")
        self.rest = positive(rest, f"the time `rest` of RigidContact '{name}'")
        self.impulse, self.closed = State(state), Flag(f"{state}.closed")
        self.branches = tuple(_Branch(self, k, formula) for k, formula in enumerate(_branches(self)))
        found = (rubbing(branch, friction, slip, static_friction) for branch in self.branches)
        self.rubbings = [rub for rub in found if rub is not None]

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return tuple(sorted((s for s in self.gap.free_symbols if isinstance(s, Coordinate)), key=str))

    @property
    def states(self) -> tuple[State, ...]:
        rubs = (impulse for rub in self.rubbings for impulse in rub.impulses)
        return (*(branch.impulse for branch in self.branches), *rubs)

    @property
    def flags(self) -> tuple[Flag, ...]:
        rubs = (flag for rub in self.rubbings for flag in rub.flags)
        return (*(flag for branch in self.branches for flag in (branch.closed, branch.compliance)), *rubs)

    @property
    def force(self) -> Any:
        """The contact force (N); of a gap that bends in space the sum of the forces of its branches."""
        return sum(branch.force for branch in self.branches)

    def expressions(self) -> Iterator[Scalar]:
        yield from (self.gap, self.restitution)
        for rub in self.rubbings[:1]:
            yield from rub.expressions()

    def gaps(self, assembly: Assembly) -> Iterator[Gap]:
        whole, e = assembly.value(self.gap), assembly.value(self.restitution)
        for branch in self.branches:
            value = assembly.value(branch.formula)
            yield gap_of(
                assembly, value, name=branch.name, element=repr(self), restitution=e, rest=self.rest,
                impulse=branch.impulse, closed=branch.closed, compliance=branch.compliance,
                beyond=value - whole if len(self.branches) > 1 else None,
            )  # fmt: skip

    def apply(self, assembly: Assembly) -> None:
        for gap in self.gaps(assembly):
            gap.press(assembly)
        for rub in self.rubbings:
            rub.apply(assembly)

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        return (slip for rub in self.rubbings for slip in rub.slips(assembly))

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        return (demand for rub in self.rubbings[:1] for demand in rub.demands(assembly))

    def __repr__(self) -> str:
        return f"RigidContact '{self.name}'"


class _Branch:
    """A smooth branch of a gap, with an impulse of its own: "floor", then "floor_2" ..."""

    def __init__(self, contact: RigidContact, k: int, formula: Any):
        self.name, self.formula, self._contact = f"{contact.name}_{k + 1}" if k else contact.name, formula, contact
        self.impulse, self.closed = State(self.name), Flag(f"{self.name}.closed")
        self.compliance, self.force = Flag(f"{self.name}.compliance"), self.impulse.dot

    def __repr__(self) -> str:
        return repr(self._contact)


def _branches(contact: RigidContact) -> list[Any]:
    """The smooth branches of its gap, which are a few."""
    steps = [str(p.part) for p in places(contact.gap) if p.kind == "round" and not p.timed]
    found = branches(contact.gap) if not steps else []
    if steps or len(found) > MOST:
        what = f"contains {steps[0]}, which has steps without end" if steps else f"has {len(found)} branches"
        raise InputError(
            f"the gap of {contact} {what}: expected at most {MOST} smooth pieces, by Piecewise, Min, Max or Abs. Give "
            "each part of the surface that is reached a RigidContact of its own."
        )
    return found
