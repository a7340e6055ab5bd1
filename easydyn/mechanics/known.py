"""Which symbols an expression may have: those of a model, and of them the kinds that make sense where it stands.

And the values of parameters, in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from easydyn.errors import ModelError
from easydyn.mechanics.symbols import WRITTEN, Multiplier, Parameter, t


def in_numbers(values: Mapping[str, float]) -> dict[sympy.Symbol, sympy.Float]:
    """What `xreplace` takes to put the `values` of parameters, by name and each in its own unit, in their place.

    >>> l = Parameter("l")
    >>> float((2 * l).xreplace(in_numbers({"l": 1.5})))
    3.0
    """
    return {Parameter(name): sympy.Float(value, 17) for name, value in values.items()}


def check_symbols(
    expression: Any, what: str, model: Any, allowed: tuple[Any, ...] = WRITTEN, description: str = "the model's symbols"
) -> None:
    """ModelError when an expression has a symbol that the model does not know, or of a kind not allowed here."""
    if not isinstance(expression, sympy.Basic):
        return
    unknown = expression.atoms(sympy.core.function.AppliedUndef)
    if unknown:
        raise ModelError(
            f"{what} contains {sorted(map(str, unknown))[0]}: unknown functions of time are not used here. Declare "
            "the coordinate with model.coordinates and use q, q.dot, q.ddot."
        )
    declared = model._symbols
    for s in sorted(expression.free_symbols, key=str):
        own = declared.get(str(s))
        if own is None and isinstance(s, Multiplier):
            if Multiplier in allowed and any(s in constraint.multipliers for constraint in model._constraints.values()):
                continue
            raise ModelError(
                f"{what} contains {s}, the multiplier of a constraint, which is found together with the accelerations: "
                "laws of force elements may depend on those of constraints of their own model, nothing else may. Take "
                "it from a run, run.multipliers, or write the force by the motion."
            )
        if own is None:
            raise ModelError(
                f"{what} contains {s}, which model '{model.name}' does not declare. Declare it with "
                f"model.coordinates, model.states or model.parameters, or correct the name; it knows "
                f"{', '.join(n for n in declared if '.' not in n)}."
            )
        if own != s:
            raise ModelError(
                f"{what} contains a {type(s).__name__} called {s} that is not the one of model '{model.name}': use "
                f"the symbol that the model returned" + (" (from easydyn import t for time)." if own == t else ".")
            )
        if not isinstance(s, allowed):
            raise ModelError(f"{what} depends on {s} ({s.said}): it may depend on {description}.")
