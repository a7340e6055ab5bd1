"""A stepper as data: contents of its record, agenda and clocks, for copies, pickles and other steppers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from easydyn.native.record import copy_into
from easydyn.sim.run import Run

# what a run saves, which a stepper does not
OF_RECORDS = frozenset(("rows", "seams", "steps_taken", "witnesses", "instants"))
SCALARS = (int, float, str, type(None))
DATA = (*SCALARS, tuple, list, set, dict)


def snapshot(stepper: Any) -> dict[str, Any]:
    """All data that change while a stepper runs: numbers and arrays of its record, its agenda, its clocks."""
    r, agenda = stepper.run, stepper.agenda
    kinds = {name: kind for name, kind in Run.fields().items() if name not in OF_RECORDS}
    arrays = {name: getattr(r, name) for name, kind in kinds.items() if kind == "array"}
    return {
        "numbers": {name: getattr(r, name) for name, kind in kinds.items() if kind in ("int", "float")},
        "arrays": {name: np.array(x) for name, x in arrays.items() if x is not None},
        "inverses": getattr(r, "inverses", None),
        "agenda": {k: x for k, x in vars(agenda).items() if isinstance(x, DATA) and k not in ("events", "clocks")},
        "clocks": [_remembered(clock) for clock in agenda.clocks],
    }


def _remembered(clock: Any) -> dict[str, Any]:
    """What a clock knows of the past, and the law of a controller, which may remember what it saw."""
    return {k: x for k, x in vars(clock).items() if k == "_law" or isinstance(x, SCALARS)}


def remade(
    make: Callable[..., Any], arguments: tuple[Any, ...], options: Mapping[str, Any], state: Mapping[str, Any]
) -> Any:
    """Another stepper, taken to a state that `snapshot` gave."""
    stepper = make(*arguments, **options)
    r = stepper.run
    for name, value in state["numbers"].items():
        setattr(r, name, value)
    for name, values in state["arrays"].items():
        there = getattr(r, name)
        if there is not None and len(there) == len(values):
            copy_into(there, values)
        else:
            setattr(r, name, r.array(values))
    if state["inverses"] is not None:
        r.inverses = dict(state["inverses"])
    vars(stepper.agenda).update(state["agenda"])
    for clock, found in zip(stepper.agenda.clocks, state["clocks"], strict=True):
        vars(clock).update(found)
    return stepper
