"""The record of a run before it begins: its functions, coefficients and arrays, made once for a system and copied."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from easydyn.native.record import Memory, copy_into
from easydyn.sim.dop853 import coefficients as of_dop853
from easydyn.sim.functions import Functions
from easydyn.sim.kernels import INTERPRETED, Kernels, compiled_for
from easydyn.sim.lobatto_nodes import NODES, POINTS
from easydyn.sim.lobatto_nodes import coefficients as of_lobatto
from easydyn.sim.methods import Method
from easydyn.sim.run import COLLOCATION, EXTRAPOLATION, RUNGE_KUTTA, Run

_STATE = ("q", "qd", "qdd", "q0", "qd0", "qdd0", "q1", "qd1", "qdd1")
_WORK = (
    "slope0", "guess", "kept", "kept_q", "kept_qd", "kept_qdd", "kept_slope", "q_known", "qd_known", "q_at", "qd_at",
    "qdd_at", "scale", "weight", "per_weight", "first_order", "f", "delta", "epsilon", "slope", "q_between",
    "qd_between", "qdd_between",
)  # fmt: skip
_COEFFICIENTS = {RUNGE_KUTTA: of_dop853, COLLOCATION: of_lobatto}


def new_record(functions: Functions, method: Method, n: int, states: bool, events: int) -> tuple[Any, Kernels]:
    """A record for a run of n unknowns, some of them first-order `states`, and the kernels that work on it."""
    if not functions.native:
        return _filled(Run(), functions, method, n, states, events), INTERPRETED
    key = method, n, states, events
    if key not in functions.blanks:
        blank = _filled(Memory.of(Run)(), functions, method, n, states, events)
        functions.blanks[key] = blank, compiled_for(blank)
    blank, kernels = functions.blanks[key]
    return blank.copy(), kernels


@functools.cache
def _sizes(n: int, m: int, width: int, levels: int, family: int, held: int) -> dict[str, int]:
    """The arrays of a run, and how long they are."""
    several = levels + 1  # beside those of the steps, the factors of M
    sizes = dict.fromkeys((*_STATE, *_WORK), n)
    sizes |= dict.fromkeys(("integral", "integral0", "integral1", "rate", "rate0", "kept_rate"), m)
    sizes |= dict.fromkeys(("pivots", "row_scales", "column_scales"), several * n)
    sizes |= dict.fromkeys(("abreast_q", "abreast_qd", "abreast_qdd", "abreast_f"), width * n)
    sizes |= dict.fromkeys(("abreast_time", "abreast_epsilon"), width)
    stages = {RUNGE_KUTTA: 16, EXTRAPOLATION: 4}.get(family, 0)
    return sizes | {
        "time": 1, "matrix": n * n, "factors": several * n * n, "has_factors": several, "contraction": several,
        "stage_qd": stages * n, "stage_qdd": stages * n, "stage_rate": stages * m, "held": held,
        "dense": 7 * (2 * n + m) if family == RUNGE_KUTTA else 0,
        "tableau": levels * (3 * n + m),
    } | (_of_collocation(n, m) if family == COLLOCATION else {})  # fmt: skip


def _of_collocation(n: int, m: int) -> dict[str, int]:
    """Further arrays, and other lengths, of a run by collocation."""
    sizes = dict.fromkeys(("point_q", "point_qd", "point_qdd", "node_qdd"), POINTS * n)
    sizes |= dict.fromkeys(("ahead", "legendre"), POINTS * NODES)
    return sizes | {"point_time": POINTS, "terms": POINTS, "node_qdd0": n, "dense": 2 * NODES, "stage_rate": NODES * m}


def _filled(r: Any, functions: Functions, method: Method, n: int, states: bool, events: int) -> Any:
    """Put functions, coefficients and arrays of the right size into a new record."""
    evaluations = {"residual": functions.residual} | {
        name: getattr(functions, name)
        for name in ("mass_matrix", "accelerations", "rates", "events")
        if getattr(functions, name) is not None
    }
    sizes = _sizes(n, functions.m, functions.width, method.levels, method.family, len(functions.held))
    r.allocate(sizes | {f"{name}_constants": len(x.constants) for name, x in evaluations.items()})
    for name, evaluation in evaluations.items():
        setattr(r, name, evaluation.call)
        copy_into(getattr(r, f"{name}_constants"), evaluation.constants)
    r.residuals_abreast = (functions.abreast or functions.residual).call
    r.accelerations_abreast = (functions.accelerations_abreast or functions.residual).call
    r.coefficients = r.array(_COEFFICIENTS.get(method.family, list)())
    for name in ("weight", "per_weight"):
        copy_into(getattr(r, name), np.ones(n))
    r.n, r.m, r.width, r.levels = n, functions.m, functions.width, method.levels
    r.number_of_held, r.number_of_inputs, r.next_stop = len(functions.held), functions.inputs, np.inf
    r.has_mass_matrix, r.has_accelerations = int(bool(functions.mass_matrix)), int(bool(functions.accelerations))
    r.has_abreast = int(bool(functions.accelerations_abreast))
    r.linear, r.family, r.has_states, r.number_of_events = int(functions.linear), method.family, int(states), events
    r.number_of_edges = functions.edges
    r.beta, r.gamma, r.alpha_m, r.alpha_f = method.beta, method.gamma, method.alpha_m, method.alpha_f
    r.error_constant, r.exponent = method.error_constant, method.exponent
    r.largest_growth, r.limited = method.largest_growth, int(method.limited)
    return r
