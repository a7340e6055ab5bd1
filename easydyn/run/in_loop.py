"""What a loop in machine code does by itself at events: renewals of attitudes, impacts of single contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from easydyn.run.impacts import Impulses, Strike
from easydyn.run.renewal import Renewal
from easydyn.sim.agenda import Event
from easydyn.sim.functions import Evaluation, Functions, Impacts

if TYPE_CHECKING:
    from easydyn.engine.system import CompiledSystem


def renewed_in_loop(
    functions: Functions, system: CompiledSystem, renewals: Sequence[Renewal], events: Sequence[Event]
) -> Functions:  # fmt: skip
    """Functions with which the loop renews attitudes."""
    sets = [(events.index(x.event[0]), *place) for x in renewals for place in x.sets]
    key = tuple(y for x in renewals for y in x.key)
    return replace(functions.also(renewals=Evaluation(*system.kernel(key))), sets=sets)


def struck_in_loop(
    functions: Functions, system: CompiledSystem, impulses: Impulses, events: Sequence[Event]
) -> Functions:  # fmt: skip
    """Functions with which the loop finds the impacts that nothing else takes part in."""
    gaps, others = impulses.gaps, [e for e in events if not isinstance(e.action, Strike)]
    heard = any(e.action is not None or not e.silent for e in others)
    bent = any(gap.compliance is None or gap.beyond is not None for gap in gaps)
    if not gaps or heard or bent or impulses.unit != 1:
        return functions
    rows = [p for effort in system.mechanism.efforts for p in effort.states]
    first = next(k for k, e in enumerate(events) if isinstance(e.action, Strike))
    impacts = Impacts(
        impulses.unknowns, [system.n - len(rows) + rows.index(gap.impulse) for gap in gaps], impulses.flags,
        [gap.rest for gap in gaps], first,
    )  # fmt: skip
    measured = Evaluation(*system.kernel(impulses.key[: 4 * len(gaps)]))  # without gradients
    energy = {} if functions.energy is None else {"energy": functions.energy}
    return replace(functions.also(gaps=measured, **energy), impacts=impacts)
