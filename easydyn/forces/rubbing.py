"""Friction of a rigid contact: Coulomb's law, |f| <= mu N, in one direction or in the plane of contact.

While it slides, f = -mu N v/|v|. At the instant when sliding begins v is zero, so f is opposite to the acceleration
instead. Its direction e is found with the modes (run/modes.py). From then on f has the direction of -(v + s e), where s
is a speed that is negligibly small, and falls to zero as v grows. Loads across e so turn f at once, as they must: a
fixed direction would let them accelerate the bodies, and -v/|v| alone turns faster than any explicit method can follow.
At a still smaller speed the contact comes to rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from typing import Any

import sympy

from easydyn.errors import InputError
from easydyn.forces.coulomb import Coulomb
from easydyn.forces.effort import Assembly, Demand
from easydyn.forces.gap import STABILISATION, length
from easydyn.forces.slip import START, Across, Slip, SlipModes, beginning, modes_of, transmit
from easydyn.mechanics.symbols import Coordinate, Flag, Parameter, Rate, State, StateRate, t
from easydyn.vec.scalars import Scalar, largest, one_expression, sqrt

KNOWN = (Coordinate, Rate, Parameter, State, StateRate)  # states that frames follow; of others no run knows the rates


class Rubbing:
    """The friction of one contact.

    Parameters
    ----------
    contact : RigidContact
        The contact, with a name, a force and a gap.
    coulomb : Coulomb
        Its coefficients.
    slip : list of SymPy expression (m/s)
        One or two components.
    """

    def __init__(self, contact: Any, coulomb: Coulomb, slip: list[Any]):
        self._contact, self._coulomb, self.slip = contact, coulomb, slip
        names = [f"{contact.name}_friction{x}" for x in ([""], ["_1", "_2"])[len(slip) - 1]]
        self.impulses = tuple(State(name) for name in names)
        self._modes: list[SlipModes] = [modes_of(name) for name in names]

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The flags of its components."""
        return tuple(flag for modes in self._modes for flag in modes)

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        """The coordinates on whose rates the slip depends."""
        rates = {s for v in self.slip for s in v.free_symbols if isinstance(s, Rate)}
        return tuple(sorted((Coordinate(str(s).removesuffix(".dot")) for s in rates), key=str))

    def expressions(self) -> Iterator[Scalar]:
        """The scalars that the user gave."""
        yield from self.slip
        yield from self._coulomb.expressions()

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        """The conditions on its coefficients."""
        return self._coulomb.demands(assembly)

    def _directions(self, velocities: Sequence[Scalar], assembly: Assembly) -> list[Scalar]:
        """Where it slides to."""
        if len(velocities) == 1:
            return [self._modes[0].towards(assembly, velocities[0])]
        (x, y), e, unit = velocities, [assembly.value(modes.slides) for modes in self._modes], length(assembly)
        x, y = x + e[0] * beginning(x, y, unit), y + e[1] * beginning(x, y, unit)
        size = sqrt(largest(x * x + y * y, (START * unit) ** 2 / 16))
        return [x / size, y / size]

    def velocities(self, assembly: Assembly) -> list[Scalar]:
        """The components of the slip (m/s)."""
        return [assembly.value(v) for v in self.slip]

    def sliding(self, assembly: Assembly, moves: bool = True) -> Iterator[tuple[Slip, Scalar]]:
        """Each component, with its force (N) while it slides; without its gradient if nobody asks what it `moves`."""
        velocities = self.velocities(assembly)
        forces = [assembly.value(p.dot) for p in self.impulses]
        directions = self._directions(velocities, assembly)
        level, static = self._coulomb.levels(assembly, 0)
        pressed = assembly.value(self._contact.force)
        for k, (v, f, u) in enumerate(zip(velocities, forces, directions, strict=True)):
            plane = len(velocities) == 2
            across = Across(velocities[1 - k], forces[1 - k], self._modes[1 - k].slides) if plane else None
            slip = Slip(
                str(self.impulses[k]), repr(self._contact), v, assembly.calculus.rate(v),
                assembly.rate_slopes(v) if moves else {}, level, static, self._modes[k], f, False,
                self._contact.impulse, across, k == 1,
            )  # fmt: skip
            yield slip, -(u * level * pressed)

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        """Its components."""
        return (slip for slip, _ in self.sliding(assembly))

    def apply(self, assembly: Assembly) -> None:
        """Add its force, and the equations that determine it."""
        for (slip, sliding), impulse in zip(self.sliding(assembly), self.impulses, strict=True):
            transmit(assembly, slip, impulse, sliding, stabilisation=STABILISATION)


def rubbing(contact: Any, friction: Any, slip: Any, static_friction: Any) -> Rubbing | None:
    """The friction of a contact, after a check; None for a contact without friction."""
    if friction is None and slip is None and static_friction is None:
        return None
    if friction is None or slip is None:
        there, lacking = ("a slip", "friction") if friction is None else ("friction", "slip")
        raise InputError(
            f"{contact} has {there} and no {lacking}: give friction= (a coefficient) and slip= (the velocity of slip, "
            "or its two components in the plane of contact), or none of them."
        )
    parts = list(slip) if isinstance(slip, list | tuple | sympy.MatrixBase) else [slip]
    if len(parts) not in (1, 2):
        raise InputError(
            f"the slip of {contact} has {len(parts)} components: expected one, or two in the plane of contact."
        )
    found = [one_expression(v, f"the slip of {contact}") for v in parts]
    for v in found:
        rates = [s for s in v.free_symbols if isinstance(s, Rate)]
        wrong = [s for s in v.free_symbols if not isinstance(s, KNOWN) and s != t]
        if wrong or not rates or any(sympy.diff(v, r, s) != 0 for r, s in combinations_with_replacement(rates, 2)):
            raise InputError(
                f"the slip of {contact} is {v}: expected a velocity that is linear in the rates of coordinates, such "
                f"as block.v[0]{f', not one that depends on {wrong[0]}' if wrong else ''}."
            )
    return Rubbing(contact, Coulomb(str(contact), friction, static_friction, ""), found)
