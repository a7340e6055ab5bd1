"""The record of a run before it begins: its functions, coefficients and arrays, made once for a system and copied."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from easydyn.native.record import Memory, copy_into
from easydyn.sim.functions import Functions
from easydyn.sim.iteration import INVERTED
from easydyn.sim.kernels import INTERPRETED, Kernels, compiled_for
from easydyn.sim.methods import Method
from easydyn.sim.rub import SLOW
from easydyn.sim.run import Run
from easydyn.sim.strike import MOST

_STATE = ("q", "qd", "qdd", "q0", "qd0", "qdd0", "q1", "qd1", "qdd1")
_WORK = (
    "slope0", "guess", "kept", "kept_q", "kept_qd", "kept_qdd", "kept_slope", "q_known", "qd_known", "q_at", "qd_at",
    "qdd_at", "scale", "weight", "per_weight", "first_order", "f", "delta", "epsilon", "slope", "lag", "lag0",
    "q_between", "qd_between", "qdd_between", "q_seam", "q_dip", "qd_dip",
)  # fmt: skip
LOGGED = 20_000  # numbers of impacts, before they are taken over


def new_record(functions: Functions, method: Method, n: int, states: bool, events: int) -> tuple[Any, Kernels]:
    """A record for a run of n unknowns, some of them first-order `states`, and the kernels that work on it."""
    if not functions.native:
        return _filled(Run(), functions, method, n, states, events), INTERPRETED
    key = method, n, states, events
    if key not in functions.blanks:
        blank = _filled(Memory.of(Run)(), functions, method, n, states, events)
        functions.blanks[key] = blank, compiled_for(blank)
    blank, kernels = functions.blanks[key]
    twin = blank.copy()
    twin.method = blank.method
    return twin, kernels


@functools.cache
def _sizes(n: int, m: int, width: int, method: Method, held: int, sparse: tuple[int, int]) -> dict[str, int]:
    """The arrays of a run, and how long they are; `sparse` are the entries of a matrix and those of its factors."""
    several = method.family.levels + 1  # beside those of the steps, the factors of M
    sizes = dict.fromkeys((*_STATE, *_WORK), n)
    sizes |= dict.fromkeys(("integral", "integral0", "integral1", "rate", "rate0", "kept_rate"), m)
    sizes |= dict.fromkeys(("integral_scale", "whole", "parts", "within"), m)
    sizes["correction"] = 2 * n + 2
    sizes |= dict.fromkeys(("pivots", "row_scales", "column_scales"), several * n)
    sizes |= dict.fromkeys(("abreast_q", "abreast_qd", "abreast_qdd", "abreast_f"), width * n)
    sizes |= dict.fromkeys(("abreast_time", "abreast_epsilon"), width)
    entries, room = sparse
    return sizes | {
        "time": 1, "energy_now": 1, "matrix": entries, "factors": several * room, "ordered": n,
        "has_factors": several, "contraction": several,
        "held": held, **method.family.arrays(method.family, n, m),
    }  # fmt: skip


def _filled(r: Any, functions: Functions, method: Method, n: int, states: bool, events: int) -> Any:
    """Put functions, coefficients and arrays of the right size into a new record."""
    family = method.family
    evaluated = functions.evaluated
    plan = functions.plan
    groups, sparse = functions.groups, (n * n, n * n)
    if plan is not None:
        sparse = len(plan.entry_row), plan.room
    elif groups is not None:
        sparse = groups.room + INVERTED**2, groups.room
    r.room = sparse[1]
    sizes = _sizes(n, functions.m, functions.width, method, len(functions.held), sparse)
    r.allocate(sizes | {f"{name}_constants": len(x.constants) for name, x in evaluated.items()})
    for name, evaluation in evaluated.items():
        setattr(r, name, evaluation.call)
        copy_into(getattr(r, f"{name}_constants"), evaluation.constants)
    r.residuals_abreast = (functions.abreast or evaluated["residual"]).call
    r.accelerations_abreast = (functions.accelerations_abreast or evaluated["residual"]).call
    if plan is not None:
        r.sparse, r.entries, r.fill = 1, len(plan.entry_row), len(plan.fill_at)
        r.colours = len(plan.colour_start) - 1
        for name, values in plan.arrays().items():
            setattr(r, name, r.array(values))
    if groups is not None:
        r.sparse, r.groups = 2, len(groups.flags)
        r.group_start, r.group_flag = r.array([0, *np.cumsum([*map(len, groups.members)])]), r.array(groups.flags)
        r.group_member = r.array([i for x in groups.members for i in x])
        r.allocate(dict.fromkeys(("block_start", "column_start", "colour_start"), n + 1))
        r.allocate(dict.fromkeys(("members", "last", "following", "root", "number", "colour_columns"), n))
        r.allocate({"entry_row": groups.room, "group_counts": r.groups})
        copy_into(r.group_counts, np.full(r.groups, -1.0))
    r.coefficients = r.array(family.coefficients())
    for name in ("weight", "per_weight"):
        copy_into(getattr(r, name), np.ones(n))
    copy_into(r.integral_scale, np.full(functions.m, functions.usual_energy))
    r.n, r.m, r.width = n, functions.m, functions.width
    r.number_of_held, r.number_of_inputs, r.next_stop = len(functions.held), functions.inputs, np.inf
    r.has_mass_matrix, r.has_accelerations = int("mass_matrix" in evaluated), int("accelerations" in evaluated)
    r.has_projection, r.has_energy = int("projection" in evaluated), int("energy" in evaluated)
    r.has_abreast = int(bool(functions.accelerations_abreast))
    r.linear, r.method, r.has_states, r.number_of_events = int(functions.linear), family, int(states), events
    r.number_of_edges = functions.edges
    r.number_of_distances = functions.left_out
    r.allocate(dict.fromkeys(("distance", "distance_before"), 2 * functions.left_out))
    copy_into(r.distance, [np.inf] * functions.left_out + [0.0] * functions.left_out)
    _done_by_loop(r, functions)
    r.beta, r.gamma, r.alpha_m, r.alpha_f = method.beta, method.gamma, method.alpha_m, method.alpha_f
    r.share = (1 - method.alpha_f) / (1 - method.alpha_m)
    r.error_constant, r.limited = method.error_constant, int(method.limited)
    return r


def _done_by_loop(r: Any, functions: Functions) -> None:
    """Tell the loop where what it sets stands: how far from q. What is allocated at once is one piece of memory.

    Where Python interprets, there are lists, and their places are numbered.
    """
    if not (functions.sets or functions.impacts or functions.slips):
        return
    read: dict[int, list[tuple[str, int]]] = {}  # what is held
    for x, e in functions.evaluated.items():
        for p, i in e.held:
            read.setdefault(i, []).append((f"{x}_constants", p))
    names = "q", "qd", "held", *(f"{x}_constants" for x in functions.evaluated)
    addresses = {x: getattr(r, f"address_of_{x}") for x in names} if functions.native else {}

    def places(slot: str, index: int) -> list[int]:
        found = [(slot, index), *(read.get(index, []) if slot == "held" else [])]
        if functions.native:
            return [(addresses[name] - addresses["q"]) // 8 + p for name, p in found]
        r.scattered += [(getattr(r, name), p) for name, p in found]
        return [*range(len(r.scattered) - len(found), len(r.scattered))]

    r.struck_room = max(int(LOGGED // (3 + 5 * r.n)), 32)
    if functions.sets and functions.native:
        found = [(e, k, p) for k, (e, slot, index) in enumerate(functions.sets) for p in places(slot, index)]
        r.allocate({"renewed": len(functions.sets)})
        r.renewed_event, r.renewed_result, r.renewed_place = map(r.array, zip(*found, strict=True))
        r.number_of_renewed = len(found)
    if functions.impacts is not None and functions.native:
        gaps = functions.impacts
        flags, soft = ([places("held", k) for k in x] for x in (gaps.flags, gaps.compliances))
        starts = np.cumsum([0, *(len(x) + len(y) for x, y in zip(flags, soft, strict=True))])
        r.gap_unknown, r.gap_rest, r.gap_column = map(r.array, (gaps.unknowns, gaps.rest, sum(gaps.columns, [])))
        r.gap_slope_start = r.array([0, *np.cumsum([*map(len, gaps.columns)])])
        r.gap_places = r.array([p for x, y in zip(flags, soft, strict=True) for p in x + y])
        r.gap_place_start, r.gap_soft_start = r.array(starts), r.array(starts[:-1] + [len(x) for x in flags])
        r.first_gap, r.number_of_gaps = gaps.first, len(flags)
        r.allocate({
            "gap_values": 4 * len(flags) + len(r.gap_column),
            **dict.fromkeys(("gap_lack", "gap_feels", "gap_closed", "gap_opened", "gap_struck"), len(flags)),
            **dict.fromkeys(("gap_active", "gap_impulse", "gap_near", "gap_pushes", "gap_wrong"), MOST),
            **dict.fromkeys(("mobility", "mobility_factors"), MOST**2),
        })  # fmt: skip
    if functions.slips is not None:
        slips, count = functions.slips, len(functions.slips.columns)
        modes = [places("held", k) for mode in slips.modes for k in mode]
        r.slip_column, r.slip_places = r.array(slips.columns), r.array(sum(modes, []))
        r.slip_place_start = r.array([0, *np.cumsum([*map(len, modes)])])
        r.first_slip, r.number_of_slips, r.rubs = slips.first, count, int(slips.alone)
        r.allocate({
            "slip_values": slips.numbers,
            **dict.fromkeys(("slip_slow", "slip_direction", "slip_sticks", "slip_rests"), count),
            **dict.fromkeys(("slip_changes", "slip_way"), count),
        })  # fmt: skip
        copy_into(r.slip_slow, [SLOW] * count)
    if functions.impacts or functions.slips:
        r.allocate({"struck": (r.struck_room + r.number_of_gaps + r.number_of_slips) * (3 + 5 * r.n)})
