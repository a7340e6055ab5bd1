"""Contacts that are far away are left out of a run, but for a look at their gaps after each step.

They have no unknowns and rows in it then, and the errors of steps are those of what moves near each other. What is far
is a guess: what is twice as far away as the largest rate at the start, and gravity, lead in the time of the run. Where
forces act, it is what they lead to in a second: discs that fall into a box are held by it for ever after. A run in
which one of these gaps may have closed in a step, by its rates at both ends, or that fails, is made again with all
contacts, and so are all later ones of the same system.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.forces.gap import EARTH
from easydyn.run.domains import written
from easydyn.run.impacts import Impulses
from easydyn.run.setup import Setup
from easydyn.vec.scalars import symbols_of

FAR = 2.0  # times the way of the fastest in that time: impacts hand on what one has
CLEAR = 2.0  # times that: with a gap between both, other starts would leave out others, each by a system of its own
LASTING = 1.0  # s: for so long forces make bodies faster, before something holds them
FEWEST = 10  # contacts: fewer cost less than another system
ALL = "all contacts"  # what is known of a system of which too much was left out


def near(setup: Setup, asked: Any) -> Setup:
    """The setup of the run that is asked for without the contacts that are far; itself where these are few."""
    system, m, q, qd = setup.system, setup.system.mechanism, setup.q, setup.qd
    unknown = any(callable(event.action) for event in setup.events)  # what a function looks at, and remembers
    kept = m.callbacks, m.algebraic, setup.controllers, setup.inputs.functions, unknown, ALL in system.prepared
    if any(kept) or setup.interval or len(system.derivation.gaps) < FEWEST:
        return setup
    hits = system.prepared.of("impulses", lambda: Impulses(system, {}))
    gap, rate, acceleration, _ = system.at(hits.key, asked.t_start, q, qd, 0 * q)[: 4 * len(hits.gaps)].reshape(-1, 4).T
    forces = any(m.gravity) or m.driven or not all(e.flags for e in m.efforts)
    span = min(asked.t_final - asked.t_start, LASTING if forces else np.inf)
    way = span * (abs(rate).max() + span / 2 * (abs(acceleration).max() + EARTH * hits.unit * forces))
    far = gap > FAR * way
    if (far & ((gap < CLEAR * FAR * way) | (qd[hits.unknowns] != 0))).any():
        return setup
    key = "near", far.tobytes(), *map(id, setup.events)
    less, own, _, *left = system.prepared.of(key, lambda: _without(system, far, setup.events))
    scales = setup.scales and [setup.scales[k - system.n] for k in own if k >= len(m.coordinates)]
    return replace(setup, system=less, q=q[own], qd=qd[own], scales=scales, whole=(setup, *left)) if left else setup


def _without(system: Any, far: np.ndarray, events: tuple[Any, ...]) -> tuple[Any, ...]:
    """The system without elements of which all gaps are `far` (k,), and the places (n,) of its unknowns among all.

    Then the model's `events`, what a run of it shows (functions.py), and the gaps that are left out, with their rates.
    Where these are few, or something else depends on them, it is the same system, and nothing is left out.
    """
    m, away = system.mechanism, {gap.impulse: x for gap, x in zip(system.derivation.gaps, far)}
    own = {e: [away[p] for p in e.states if p in away] for e in m.efforts if not e.measured}
    gone = {e: {*e.states, *(p.dot for p in e.states), *e.flags} for e, far in own.items() if far and all(far)}
    left = set[Any]().union(*gone.values())
    stay = (tuple(x for x in every if x not in out) for every, out in ((m.efforts, gone), (m.states, left)))
    parts: dict[str, Any] = dict(zip(("efforts", "states"), stay)) | {"outputs": {}}
    told = [x for event in events for x in (event.expression, *sum(getattr(event.action, "items", tuple)(), ()))]
    if len(gone) < FEWEST or left & symbols_of(*told, *(x for _, x in written(replace(m, **parts), False))):
        return system, np.arange(system.n), events
    less = system.with_locks(m.locks, **parts)
    n, work, names = system.n, system.sources_of_work, ((less.names, system.names), (less.mechanism.held, m.held))
    at, held = (np.array([every.index(x) for x in some], dtype=int) for some, every in names)
    works = [k for k, e in enumerate((*m.working, None)[:work]) if e not in gone]
    row = [0], *(at + 1 + k * n for k in range(3)), np.array(works, dtype=int) + 1 + 3 * n, held + 1 + 3 * n + work
    gaps = [gap for e in gone for gap in e.gaps(less.derivation)]
    distances = tuple(less.node(x) for x in (*(gap.value for gap in gaps), *(gap.rate for gap in gaps)))
    return less, at, events, (system.names, system.states, m.held, np.concatenate(row), work), distances
