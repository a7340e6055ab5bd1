"""Contacts that a run cannot reach in its time are left out of it, but for the least of their gaps.

They have no unknowns, rows and gaps in it then, and the errors of steps are those of what moves near each other. It is
known of bodies on which contacts and gravity act alone: what has gone twice as far as the largest rate at the start,
and gravity, lead in that time is not back before its end, as nothing is there that turns it. A run in which one of
these gaps closes after all, or that fails, is made again with all contacts.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, reduce
from typing import Any

import numpy as np

from easydyn.errors import IntegrationError
from easydyn.forces.gap import EARTH
from easydyn.mechanics.symbols import t
from easydyn.run.edges import NEVER_NEGATIVE
from easydyn.run.impacts import Impulses
from easydyn.run.setup import Setup
from easydyn.sim.agenda import Event
from easydyn.vec.scalars import symbols_of

FAR = 2.0  # times the way of the fastest in that time: impacts hand on what one has
CLEAR = 2.0  # times that: with a gap between both, other starts would leave out others, each by a system of its own
FEWEST = 10  # contacts: fewer cost less than another system


def near(setup: Setup, span: float) -> Setup:
    """The setup of a run of a `span` (s) without the contacts that it cannot reach; itself where these are few."""
    system, m, q, qd = setup.system, setup.system.mechanism, setup.q, setup.qd
    if len(system.derivation.gaps) < FEWEST or setup.interval or len(m.states) != len(m.element_states) or any(
        (m.callbacks, m.driven, m.inputs, m.locks, m.constraints, setup.controllers, setup.events, setup.jumps)
    ) or not all(e.flags for e in m.efforts):  # fmt: skip
        return setup
    impulses = system.prepared.of("impulses", lambda: Impulses(system, {}))
    gap, rate, acceleration, _ = system.at(impulses.key, 0.0, q, qd, 0 * q)[: 4 * len(impulses.gaps)].reshape(-1, 4).T
    way = span * (abs(rate).max() + span / 2 * (abs(acceleration).max() + EARTH * impulses.unit * any(m.gravity)))
    far = gap > FAR * way
    if (far & ((gap < CLEAR * FAR * way) | (qd[impulses.unknowns] != 0))).any():
        return setup
    less, own, *left = system.prepared.of(("near", far.tobytes()), lambda: _without(system, far))
    scales = setup.scales and [setup.scales[k - system.n] for k in own if k >= len(m.coordinates)]
    return replace(setup, system=less, q=q[own], qd=qd[own], scales=scales, whole=(setup, *left)) if left else setup


def _without(system: Any, far: np.ndarray) -> tuple[Any, ...]:
    """The system without elements of which all gaps are `far` (k,), and the places (n,) of its unknowns among all.

    Then what a run of it shows (functions.py), and an event that ends it: the least of the gaps that are left out has
    closed. Where these are few it is the same system, and nothing is left out.
    """
    m, away = system.mechanism, {gap.impulse: x for gap, x in zip(system.derivation.gaps, far)}
    own = {e: [away[p] for p in e.states if p in away] for e in m.efforts}
    gone = [e for e in m.efforts if own[e] and all(own[e]) and not e.measured]
    if len(gone) < FEWEST or t in symbols_of(*(x for e in m.efforts for x in e.expressions())):
        return system, np.arange(system.n)
    left = {p for e in gone for p in e.states}
    states, efforts = (p for p in m.states if p not in left), (e for e in m.efforts if e not in gone)
    less = system.with_locks((), efforts=tuple(efforts), states=tuple(states), outputs={})
    n, work, names = system.n, less.sources_of_work, ((less.names, system.names), (less.mechanism.held, m.held))
    at, held = (np.array([every.index(x) for x in some], dtype=int) for some, every in names)
    row = [0], *(at + 1 + k * n for k in range(3)), np.arange(work) + 1 + 3 * n, held + 1 + 3 * n + work
    gaps = [less.node(gap.value) for e in gone for gap in e.gaps(less.derivation)]
    least = reduce(partial(less.derivation.graph.call, "min"), gaps)
    guard = Event("contact that was left out", None, -1, silent=True, floor=NEVER_NEGATIVE, ends=reached)
    return less, at, (system.names, system.states, m.held, np.concatenate(row)), (guard, least)


def reached(stepper: Any) -> IntegrationError:
    """What ends such a run."""
    return IntegrationError("a contact that was left out has closed.", time=stepper.t)
