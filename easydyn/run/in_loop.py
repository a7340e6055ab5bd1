"""What the loop does by itself at events: renewals of attitudes, impacts and releases, modes of friction."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from easydyn.engine.program import pattern_of
from easydyn.mechanics.symbols import Coordinate, Parameter, Time
from easydyn.run.impacts import Impulses, Strike
from easydyn.run.reassembly import Renewal
from easydyn.run.slip_events import Change
from easydyn.sim.agenda import Event
from easydyn.sim.cone import islands
from easydyn.sim.functions import Evaluation, Functions, Impacts
from easydyn.sim.sparse import Groups

if TYPE_CHECKING:
    from easydyn.engine.system import CompiledSystem
    from easydyn.run.modes import FrictionModes

WIDEST, MANY = 12, 3  # unknowns of one island that are a block; of all unknowns to those of bodies
OF_PLACE = {Coordinate, Time, Parameter}
SMALL = 600  # unknowns up to which all of them may be one block


def renewed_in_loop(
    functions: Functions, system: CompiledSystem, renewals: Sequence[Renewal], events: Sequence[Event]
) -> Functions:  # fmt: skip
    """Functions with which the loop renews attitudes."""
    sets = [(events.index(x.event[0]), *place) for x in renewals for place in x.sets]
    key = tuple(y for x in renewals for y in x.key)
    return replace(functions.also(renewals=Evaluation(*system.kernel(key))), sets=sets)


def groups_of(system: CompiledSystem, stepping: bool = False) -> Groups | None:
    """What is tied together by bodies, and by each contact while it is closed; None where bodies tie too much.

    The forces of time `stepping`, those of slips, too, are constant, and tie nothing.
    """
    n, (names, held) = system.n, ({x: k for k, x in enumerate(y)} for y in (system.names, system.mechanism.held))
    unknowns = [names[str(gap.impulse)] for gap in system.derivation.gaps]
    asleep = {*unknowns, *(names[s.name] for s in system.derivation.slips if stepping and s.name in names)}
    flags = [held[str(gap.closed)] for gap in system.derivation.gaps]
    pattern = pattern_of(system.program("residual"), n, {*flags})
    tying = [(i, j) for j, rows in enumerate(pattern) for i in rows]
    islands_of = islands(n, [pair for pair in tying if not (stepping and asleep.intersection(pair))])
    tied: dict[int, list[int]] = {}
    for i in sorted({*range(n)} - asleep):
        tied.setdefault(int(islands_of[i]), []).append(i)
    free = n - len(asleep)
    if not _rows_are_own(system, asleep) or max(map(len, tied.values())) > WIDEST and n < MANY * free:
        return None
    if stepping:
        unknowns = []
    own: dict[int, list[int]] = {k: [k] for k in unknowns}
    for i, j in ((i, j) for j, rows in enumerate(system.pattern) for i in rows if i != j):
        for contact, other in ((i, j), (j, i)):
            if contact in own:
                own[contact].append(other)
    members = [*tied.values(), *(sorted({*own[k]}) for k in unknowns)]
    return Groups(members, [-1] * len(tied) + flags[: len(unknowns)], min(n, max(SMALL, 4 * free)) ** 2)


def _rows_are_own(system: CompiledSystem, unknowns: Set[int]) -> bool:
    """True if the rows of the residual that determine these forces are in their places."""
    states = [str(p) for effort in system.mechanism.efforts for p in effort.states]
    row = {p: k for k, p in enumerate(states, start=system.n - len(states))}
    return all(row.get(system.names[k]) == k for k in unknowns)


def struck_in_loop(
    functions: Functions, system: CompiledSystem, impulses: Impulses, events: Sequence[Event]
) -> Functions:  # fmt: skip
    """Functions with which the loop finds impacts and releases."""
    gaps, heard = impulses.gaps, _heard(events, Strike)
    bent = any(gap.compliance is None or gap.beyond is not None for gap in gaps)
    if not gaps or heard or bent or impulses.unit != 1 or system.mechanism.locks:
        return functions
    first = next(k for k, e in enumerate(events) if isinstance(e.action, Strike))
    impacts = Impacts(impulses.unknowns, impulses.columns, impulses.flags, impulses.compliances,
                      [gap.rest for gap in gaps], first)  # fmt: skip
    measured = Evaluation(*system.kernel(impulses.key), impulses.key)
    return replace(functions.also(gaps=measured), impacts=impacts)


def rubbed_in_loop(functions: Functions, modes: FrictionModes, events: Sequence[Event]) -> Functions:
    """Functions with which the loop finds modes of friction, where each slip holds a coordinate of its own."""
    first = next(k for k, e in enumerate(events) if isinstance(e.action, Change))
    found = modes.for_loop(first, _heard(events, Change))
    if found is None:
        return functions
    return replace(functions.also(slips=found[0]), slips=found[1])


def _heard(events: Sequence[Event], own: type) -> bool:
    """True if an event other than those whose action is an `own` one may leap with what happens.

    What coordinates, time and parameters alone decide does not: an impact changes rates, a mode changes accelerations.
    """
    asked = [getattr(e, "expression", None) for e in events
             if not isinstance(e.action, own) and (e.action is not None or not e.silent)]  # fmt: skip
    return any(x is None or {type(s) for s in x.free_symbols} - OF_PLACE for x in asked)
