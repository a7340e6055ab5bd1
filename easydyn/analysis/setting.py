"""The system of an analysis: parameters, inputs at one time, and locked coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.errors import ModelError
from easydyn.inputs import a_model
from easydyn.run.schedule import Inputs, inputs_of, locks_of


def system_for(
    model: Any, t: float, parameters: Any, inputs: Any, target: str, scheme: str, *, carried: bool = True
) -> tuple[Any, dict[str, Any]]:
    """The compiled system with its inputs at t, and these inputs by name: numbers, or formulas.

    For a model with constraints, the system includes the elements that carry them, or not.
    """
    a_model(model, "model")
    rigid = [e for e in model.mechanism.efforts if e.flags and not (e.holds or getattr(e, "stretches", False))]
    if rigid:
        raise ModelError(
            f"model '{model.name}' has {rigid[0]}, whose force no position and no velocity determines: it cannot be in "
            "an equilibrium or in linear equations here. Use a soft contact (PlanePoint, PlaneSphere, a Contact with "
            "stiffness=), a Rope with keep_taut=True, or stiffness=, or lock what it holds."
        )
    given = inputs_of(model, inputs)
    numbers = given.numbers | {name: function(t) for name, function in given.functions.items()}
    numbers |= {name: float(np.interp(t, *table)) for name, table in given.tables.items()}
    now = Inputs(numbers, {}, {}, given.formulas)
    system = model.system(model.values(parameters), target, scheme, now, (), None if carried else ())
    return system.copy(), numbers | {str(u): formula for u, formula in given.formulas.items()}


def locked_at(model: Any, locked: Any, t: float) -> list[str]:
    """Names of the coordinates that are locked at t: those given or, for None, those that the model locks."""
    intervals = locks_of(model, list(locked) if isinstance(locked, tuple) else locked)[1]
    return [name for name, when in intervals.items() if any(begin <= t < end for begin, end in when)]


def rows_of(system: Any, free: np.ndarray) -> np.ndarray:
    """True for the equations that apply (n,): those of d'Alembert for the free coordinates, then all others.

    A quantity that follows from others at every instant has no equation of its own.
    """
    m = system.mechanism
    rows = np.array([free[j] for j in m.moving] + [True] * (system.n - len(m.moving)), dtype=bool)
    last = system.n - m.multipliers
    rows[last - len(m.algebraic) : last] = False
    return rows


def shown(names: Sequence[str], values: np.ndarray, most: int = 6) -> str:
    """The first few values by name, as text for messages."""
    text = ", ".join(f"{name} = {x + 0.0:.6g}" for name, x in zip(names[:most], values[:most], strict=True))
    return text + (", ..." if len(names) > most else "")
