"""Initial conditions given as equations (`model.start`), solved for their free quantities before a run begins.

    e(z) = 0,        dz = -J^+ e,    J = de/dz by central differences

z are initial values and parameters, e is worked out in the state that a run with these begins with: loops assembled,
unknowns found, accelerations those of the equations of motion. J^+ gives the least change where more is free than is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy

from easydyn.engine.jacobians import differences
from easydyn.errors import AssemblyError, EasyDynError
from easydyn.mechanics.symbols import Unknown
from easydyn.run.schedule import begins_with

ROUNDS = 60
CLOSE = 1e-11  # the last change, beside 1 and the value
SMALL = 1e-9  # a change of e that is none, beside the largest


class Wanted:
    """What one call of `model.start` asks: expressions that are zero, and names of what is free for it.

    >>> Wanted([sympy.Symbol("x") - 1], ("x",)).free
    ('x',)
    """

    def __init__(self, expressions: Sequence[sympy.Expr], free: Sequence[str] | None):
        self.expressions, self.free = tuple(expressions), None if free is None else tuple(free)


def started(
    model: Any, t: float, own: Mapping[str, Any], values: Mapping[str, Any], state_of: Callable[..., Any]
) -> tuple[dict[str, Any], dict[str, Any], str]:  # fmt: skip
    """Initial values and parameters for which all that `model.start` asks is so, and what they are, in words.

    They are `own` initial values and `values` of parameters, by name, but for what is free. `state_of(initial=,
    parameters=)` gives the setup of a run that begins with these.
    """
    expressions = [e for wanted in model._starts for e in wanted.expressions]
    names = _free(model, own)
    known = begins_with(model, values, None, own)
    at_first = known["parameters"] | known["initial"]

    def given(z: np.ndarray) -> dict[str, dict[str, Any]]:
        found = {"initial": dict(own), "parameters": dict(values)}
        for name, x in zip(names, z.tolist(), strict=True):
            found["parameters" if name in known["parameters"] else "initial"][name] = x
        return found

    def lacking(z: np.ndarray) -> np.ndarray:
        try:
            return _evaluated(state_of(**given(z)), t, expressions)
        except EasyDynError:
            return np.full(len(expressions), np.nan)

    z = np.array([at_first[name] for name in names])
    if not np.isfinite(e := lacking(z)).all():
        e = _evaluated(state_of(**given(z)), t, expressions)  # an error of its own comes from here
    z, e = _solved(lacking, z, e, expressions, names, model)
    changed = [f"{name} = {x:.6g}" for name, x in zip(names, z, strict=True) if x != at_first[name]]
    message = f"it began with {', '.join(changed[:6])}{', ...' * (len(changed) > 6)}, by model.start" if changed else ""
    found = given(z)
    return found["initial"], found["parameters"], message


def _free(model: Any, given: Mapping[str, Any]) -> list[str]:
    """Names of all that may be changed: what is named, and, where a call names nothing, all initial values."""
    named = [name for wanted in model._starts for name in wanted.free or ()]
    if all(wanted.free is not None for wanted in model._starts):
        return list(dict.fromkeys(named))
    rest = [str(q) for q in model._coordinates]
    rest += [f"{q}.dot" for q in model._coordinates if not model._locks.get(q)]
    rest += [str(p) for p in model._states if not isinstance(p, Unknown)]
    return list(dict.fromkeys([*named, *(name for name in rest if name not in given)]))


def _solved(
    lacking: Callable[[np.ndarray], np.ndarray], z: np.ndarray, e: np.ndarray, expressions: Sequence[Any],
    names: Sequence[str], model: Any,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """z with e(z) = 0 by Newton's iteration with the least changes, and shorter steps where these do not help."""
    where, first, left = f"model '{model.name}'", z, 1.0
    for _ in range(ROUNDS):
        if not e.any():
            return z, e
        if left > 1e-3:  # where a step has left little of e, J serves once more
            J = differences(lacking, z)
        if not np.isfinite(J).all():
            break
        sizes = np.linalg.norm(J, axis=1)
        if (idle := sizes <= SMALL * max(sizes.max(), np.abs(e).max())).any():
            raise AssemblyError(
                f"{where}: {expressions[int(np.argmax(idle))]} ought to be zero at the start, and does not change with "
                f"{', '.join(names)}: let something else be free for it, model.start(..., free=[...])."
            )
        scaled = J / sizes[:, None]
        if np.linalg.matrix_rank(scaled, tol=SMALL) < len(e):
            raise AssemblyError(
                f"{where}: what ought to be zero at the start, {', '.join(map(str, expressions))}, does not change "
                f"independently with {', '.join(names)}: let something else be free, or ask for less."
            )
        change, share = np.linalg.lstsq(scaled, -e / sizes, rcond=None)[0], 1.0
        if np.all(np.abs(change) <= CLOSE * (1 + np.abs(z))):
            z = z + change
            return np.where(np.abs(z - first) <= CLOSE * (1 + np.abs(first)), first, z), e  # less is rounding
        while share > 1e-4:
            new = lacking(z + share * change)
            left = float(np.linalg.norm(new / sizes) / np.linalg.norm(e / sizes))
            if left < 1:  # it is nan where e has no value
                break
            share /= 2
        else:
            break
        z, e = z + share * change, new
    at = ", ".join(f"{name} = {x:.6g}" for name, x in zip(names, z, strict=True))
    raise AssemblyError(
        f"{where}: no start was found at which {', '.join(map(str, expressions))} is zero; the search ended at {at}, "
        f"where it is {', '.join(f'{x:.3g}' for x in e)}. Begin nearer to it by initial=, or look whether there is one."
    )


def _evaluated(setup: Any, t: float, expressions: Sequence[Any]) -> np.ndarray:
    """The expressions in the state that a run begins with."""
    system, q, qd = setup.system, setup.q, setup.qd
    m, held = system.mechanism, list(system.held)
    for name, spans in setup.locked.items():
        if any(a <= t < b for a, b in spans):
            held[m.held.index(f"{name}.locked")] = 1.0

    qdd = accelerations_at(system, t, q, qd, held if setup.locked else None)
    found = system.at(tuple(expressions), t, q, qd, qdd, held if setup.locked else None)
    return np.where(np.isfinite(qdd).all(), found, np.nan)


def accelerations_at(system: Any, t: float, q: np.ndarray, qd: np.ndarray, held: Any) -> np.ndarray:
    """qdd (n,) from M and the residual, the least where several do; NaN where they have no value."""
    qdd = np.zeros(system.n)
    for _ in range(1 if system.linear else 20):
        f = system.at("residual", t, q, qd, qdd, held)
        M = system.at("mass_matrix", t, q, qd, qdd, held).reshape(system.n, system.n)
        if not (np.isfinite(f).all() and np.isfinite(M).all()):
            return np.full(system.n, np.nan)
        change = np.linalg.lstsq(M, -f, rcond=1e-13)[0]
        qdd = qdd + change
        if np.abs(change).max(initial=0.0) <= 1e-14 * np.abs(qdd).max(initial=0.0):
            break
    return qdd
