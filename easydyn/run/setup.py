"""The setup of a run: read from the model once, checked, and frozen; all later steps use only the setup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from easydyn.engine.demands import check_start
from easydyn.engine.system import CompiledSystem
from easydyn.errors import InputError
from easydyn.inputs import among, by_name, positive, times
from easydyn.run.closing import EVERY_ROW, ReducedClosing, closing_of, reduced
from easydyn.run.declared import Controller, DeclaredEvent
from easydyn.run.schedule import Inputs, inputs_of, locks_of
from easydyn.run.starting import started
from easydyn.run.unknowns import determined


@dataclass(frozen=True, eq=False)
class Setup:
    """A model with the values of one run.

    Attributes
    ----------
    system : CompiledSystem
        What is integrated.
    q, qd : arrays (n,)
        The state at the start.
    scales : list, optional
        Typical sizes of first-order states.
    inputs : Inputs
        The inputs, sorted by kind.
    locked : dict
        Coordinates that can be locked, by name, each with the intervals (s) of time in which it is.
    events, controllers : tuples
        As declared.
    jumps : list of float
        Times (s) at which something jumps, given by the user.
    closing : Closing, optional
        For a model with constraints: how it was assembled, and which equations are redundant.
    remark : str
        The result of `model.start`, and how contacts are found, in words.
    interval : float
        Of the time stepping of contacts (s); 0 where they are events.
    whole : tuple, optional
        Where contacts were left out (reach.py): the setup with them, what a run shows, and their gaps.
    """

    system: CompiledSystem
    q: np.ndarray
    qd: np.ndarray
    scales: list[float | None] | None
    inputs: Inputs
    locked: Mapping[str, list[tuple[float, float]]]
    events: tuple[DeclaredEvent, ...]
    controllers: tuple[Controller, ...]
    jumps: list[float]
    closing: Any = None
    remark: str = ""
    interval: float = 0.0
    whole: tuple[Any, ...] = ()

    @property
    def name(self) -> str:
        """The model's."""
        return self.system.mechanism.name


ROUNDING = 1e-12  # of a rate that closed loops or what is asked of the start have left of zero


def way_of(constraints: Any) -> str:
    """The way of solving loops, checked."""
    if not among(constraints, ("reduced", "multipliers")):
        raise InputError(f'constraints={constraints!r}: expected "reduced" or "multipliers".')
    return str(constraints)


def interval_of(contacts: Any, step: Any) -> tuple[float | None, Any]:
    """The interval (s) of time stepping of `contacts`, None where they are events; and the step of the method."""
    if not among(contacts, ("events", "stepping")):
        raise InputError(f'contacts={contacts!r}: expected "events" or "stepping".')
    return (None, step) if contacts == "events" else (1e-3 if step is None else positive(step, "step"), None)


def stepped(setup: Setup, interval: float) -> Setup:
    """A setup of which contacts and friction are found by time stepping, in intervals (s)."""
    system = setup.system
    if system.mechanism.locks:
        raise InputError(
            f'contacts="stepping" in model \'{setup.name}\', whose {system.mechanism.locks[0]} can be locked: impulses '
            "of locks are those of events. Leave `contacts` out, or hold the coordinate by a constraint."
        )
    if not system.derivation.gaps and not system.derivation.slips:
        return setup
    for gap in system.derivation.gaps:
        if gap.compliance is None:
            raise InputError(
                f'contacts="stepping": the gap of {gap.element} has no flag of compliance, which holds the force of an '
                "interval. Give `gap_of` one: compliance=Flag(...), and list it among the flags of the element."
            )
    remark = f"contacts and friction by time stepping, in intervals of {interval:g} s"
    return replace(setup, interval=interval, remark="; ".join(filter(None, (setup.remark, remark))))


def setup_of(
    model: Any, t_start: float, *, initial: Any = None, parameters: Any = None, jumps: Any = (), target: str = "auto",
    scheme: str = "recursive", inputs: Any = None, locked: Any = None, constraints: str = "multipliers",
    starts: bool = True, interval: float | None = None,
) -> Setup:  # fmt: skip
    """What a run of a model begins with at `t_start` (s); options as at `Model.simulate`.

    Without `starts` what `model.start` asks is left aside. With an `interval` (s) contacts are found by time stepping.
    """
    jumps, remark = times(jumps), ""
    if starts:
        initial, parameters, remark = begun(model, t_start, initial, parameters, inputs, locked)
    given = inputs_of(model, inputs)
    locks, when = locks_of(model, locked)
    values, closing = model.values(parameters), None
    if model.constraints:
        closing = closing_of(model, initial, values, t_start)
        if constraints == EVERY_ROW:  # of a run in which the independent ones have become dependent
            closing = closing.with_every_row()
        system = model.system(values, target, scheme, given, locks, closing.redundancy.kept)
        closing = replace(closing, whole=system)
        start = model.initial(initial, system.parameters)
        if constraints == "reduced" and not when and not model.solver.reasons_for_multipliers():
            closing, system = reduced(model, closing, system, target, scheme, given, t_start)
        if constraints == "dead points":  # of a run that begins again where closed forms ended
            forms = model.solver.forms(closing.closed, values, t_start).forms  # valid beyond them are multipliers alone
            closing = replace(closing, left=tuple(form for form in forms if form.branch is not None))
        if not isinstance(closing, ReducedClosing) and constraints != EVERY_ROW:
            parallel = model.solver.regular_system(values, target, scheme, given, locks, closing.closed, t_start)
            if parallel is not None:  # parallelograms in it stay parallel
                closing, system = replace(closing, left=()), parallel
        q, qd = closing.begin(system, *start)
        closing.check_way(system, t_start, q, qd)
    else:
        system = model.system(values, target, scheme, given, locks)
        q, qd = model.initial(initial, system.parameters)
    for name, intervals in when.items():
        rate = qd[system.names.index(name)]
        if abs(rate) > ROUNDING * (1 + abs(qd).max()) and any(a <= t_start < b for a, b in intervals):
            raise InputError(
                f"{name} of model '{model.name}' is locked from the start, but its rate there is {rate:g}: "
                f"expected zero; give initial={{'{name}.dot': 0}}, or lock it later."
            )
    if closing is not None and when:
        closing = closing.held([name for name, spans in when.items() if any(a <= t_start < b for a, b in spans)])
    if system.mechanism.algebraic:
        qd = determined(system, t_start, q, qd)
    check_start(system, t_start, q, qd)
    model.warn_of_callbacks(system)
    found = Setup(
        system, q, qd, scales_of(model, system), given, when, tuple(model._events.values()), model.controllers, jumps,
        closing, remark,
    )  # fmt: skip
    return found if interval is None else stepped(found, interval)


def begun(
    model: Any, t_start: float, initial: Any, parameters: Any, inputs: Any = None, locked: Any = None
) -> tuple[Any, Any, str]:
    """Initial values and parameters of a run, as `model.start` asks for, and what was found, in words."""
    if not model._starts:
        return initial, parameters, ""
    state_of = partial(setup_of, model, t_start, target="python", inputs=inputs, locked=locked, starts=False)
    own, values = by_name(initial, "initial", '{"q1": 0.3}'), by_name(parameters, "parameters", '{"l1": 1.3}')
    plain = not (inputs or locked or model.mechanism.callbacks)
    plain = plain and all(type(x) in (float, int) for x in (*own.values(), *values.values()))
    key = "begun", t_start, *own.items(), "and", *values.items(), *model.values(parameters).values()
    return model._recent.of(key if plain else None, lambda: started(model, t_start, own, values, state_of))


def scales_of(model: Any, system: CompiledSystem) -> list[float | None] | None:
    """Typical sizes of the states; infinite of multipliers, whose errors do not count, and of unknowns."""
    scales, m = model.scales(system.parameters), system.mechanism
    if not m.algebraic and not m.multipliers:
        return scales
    own = [None] * (len(m.states) - m.multipliers) if scales is None else scales
    return [*(np.inf if s in m.algebraic else x for x, s in zip(own, m.states)), *[np.inf] * m.multipliers]
