"""From a model to its motion: initial state, jumps, the integrator, the result."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from easydyn import errors
from easydyn.engine.graph import collector_at_rest
from easydyn.engine.system import CompiledSystem
from easydyn.mechanics.driving import steady
from easydyn.mechanics.places import places
from easydyn.result.by_hand import noted, trajectory
from easydyn.result.instants import merged, parted
from easydyn.result.trajectory import Trajectory
from easydyn.run.automatic import advised, fitted, fitting, smooth
from easydyn.run.balance import judged, warned
from easydyn.run.closing import EVERY_ROW, LOST, ReducedClosing
from easydyn.run.domains import written
from easydyn.run.edges import ends, watch_of
from easydyn.run.impacts import Impulses, contact_events
from easydyn.run.in_loop import groups_of, renewed_in_loop, rubbed_in_loop, struck_in_loop
from easydyn.run.jumps import before, before_jumps, time_jumps
from easydyn.run.kicks import Corners, Kicks
from easydyn.run.model_source import SourceOfModel
from easydyn.run.modes import FrictionModes
from easydyn.run.reach import ALL, near
from easydyn.run.reassembly import Reassembly, renewals_of
from easydyn.run.schedule import Assignments, AtStart, Jumps, LockClock, Sampler, Table, events_of
from easydyn.run.setup import Setup
from easydyn.run.slip_events import friction_events
from easydyn.run.stepping import Stepping
from easydyn.run.unknowns import follow, of_unknowns
from easydyn.sim import Stepper
from easydyn.sim.agenda import Event
from easydyn.sim.driver import drive
from easydyn.sim.functions import Evaluation, Functions
from easydyn.sim.methods import AUTO, Method, method_of
from easydyn.sim.progress import watched
from easydyn.sim.request import Request
from easydyn.sim.sparse import FEWEST, plan

AGAIN = True  # False where tests look for faults of closed forms
TURN = 1.0  # rad, m: between two kept states of bodies that turn freely, of which full turns are counted
INSTEAD = "it was made again by multipliers, because the first run"


def sides_of_laws(system: CompiledSystem, stepper: Stepper, q: Any, qd: Any) -> Mapping[str, float]:
    """The differences that are zero where a law jumps, each by a text, in a state of a run."""
    found: dict[str, Any] = {}
    for place, x in written(system.mechanism):
        jumping = (p for p in places(x) if p.kind != "bend" and p.part.free_symbols)
        found |= {f"{p.part} in {place}": p.crosses for p in jumping}
    found |= {f"{name} of a force element": node for name, node in system.derivation.switches}
    key = tuple(found.values())
    if not key:
        return {}
    return dict(zip(found, system.at(key, stepper.t, q, qd, stepper.qdd, stepper.held_values()).tolist(), strict=True))


def decided_by_runs(system: CompiledSystem) -> set[Any]:
    """The flags that no action sets: a run finds them from the motion."""
    of_gaps = {flag for gap in system.derivation.gaps for flag in (gap.closed, gap.compliance)}
    return of_gaps | {flag for slip in system.derivation.slips for flag in slip.modes}


def _functions(
    setup: Setup, method: Method, work: bool, live: Mapping[int, Any], unrolled: bool, stepping: bool
) -> Functions:  # fmt: skip
    """What a method evaluates of a system, accelerations by formulas if `unrolled`, contacts by time `stepping`."""
    system, native, d = setup.system, setup.system.native and not live, setup.system.derivation
    routine, width = system.kernel_abreast("residual") if native else (None, 1)
    abreast = Evaluation(routine) if native else None

    def evaluation(key: Any) -> Evaluation:
        return Evaluation(*system.kernel(key, live), key)

    m, decided = system.sources_of_work if work else 0, decided_by_runs(system)
    # rows are not exchanged: matrices of states and multipliers may ask for that, those of forces of contacts do not
    impulses = {str(gap.impulse) for gap in (system.derivation.gaps if system.mechanism.flags else ())}
    impulses |= {slip.name for slip in (system.derivation.slips if stepping else ())}
    pressing = {k for k, name in enumerate(system.names) if name in impulses}
    plain = not system.mechanism.multipliers and sum(system.states) == len(pressing)
    some = native and plain and system.n >= FEWEST
    groups = groups_of(system, stepping) if some and pressing else None
    sparse = plan(system.pattern, pressing) if some and groups is None else None
    accelerations_abreast, evaluated = None, {"residual": evaluation("residual")}
    if method.family.explicit:
        if unrolled:
            evaluated["accelerations"] = evaluation("accelerations")
            if native and method.family.abreast > 1:
                routine, width = system.kernel_abreast("accelerations")
                accelerations_abreast = Evaluation(routine) if width == method.family.abreast else None
        elif sparse is None and groups is None:  # else differences are shorter
            evaluated["mass_matrix"] = evaluation("mass_matrix")
    if system.mechanism.rows:
        evaluated["projection"] = evaluation("projection")
    _, shown, gaps = setup.whole or (None, None, ())
    if gaps:
        evaluated["distances"] = Evaluation(*system.kernel(gaps, live))
    carried = "projection" in evaluated and setup.closing is not None and not isinstance(setup.closing, ReducedClosing)
    evaluated |= {"rates": evaluation("supplied_power_stepping" if stepping else "supplied_power")} if m else {}
    if m and d.mechanism.driven_from_outside:
        evaluated["energy"] = evaluation((sum(d.mechanical_energies),))
    return Functions(
        evaluated, native=native, abreast=abreast, width=width,
        accelerations_abreast=accelerations_abreast, plan=sparse, groups=groups, m=m, linear=system.linear,
        usual_energy=system.usual_energy or np.inf if m else np.inf,
        explain=watch_of(system).explain, switching=functools.partial(sides_of_laws, system), live=live,
        of_time=functools.partial(of_time, system) if m and system.mechanism.driven else None,
        dip=None if not carried else functools.partial(setup.closing.depends, system),  # type: ignore[union-attr]
        smooth=functools.partial(smooth, system), held=d.mechanism.held, inputs=len(system.mechanism.inputs),
        flags=[str(flag) for flag in system.mechanism.flags if flag not in decided],
        steady=steady(system.mechanism.drives), left_out=len(gaps) // 2, whole=shown,
        way=(setup.closing.way(system) if isinstance(setup.closing, ReducedClosing) else 0.0)
        or TURN * bool(system.mechanism.attitudes),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Preparation:
    """Data that a run needs at its start: functions to evaluate, and arguments of a Stepper."""

    setup: Setup
    functions: Functions
    start: dict[str, Any]


def prepare(
    setup: Setup, t_start: float, t_end: float, method: Method, *, work: bool = False, unrolled: bool = True
) -> Preparation:  # fmt: skip
    """What a run by a method needs, with jumps between two times (s); `work` says that it is integrated, too.

    Accelerations come from M in numbers, not from formulas, unless `unrolled`.
    """
    system, m, inputs = setup.system, setup.system.mechanism, setup.inputs
    found = sorted({*time_jumps(system, t_start, t_end), *(x for x in setup.jumps if t_start <= x <= t_end)})
    live = {m.held.index(name): function for name, function in inputs.functions.items()}
    unrolled = unrolled and method.family.explicit and system.unrolled_at(t_start, setup.q, setup.qd)
    work = bool(work and m.bodies)
    stepping = setup.interval > 0
    functions_key = None if live else (method.family.explicit, method.family.abreast, work, unrolled, stepping)
    functions = system.prepared.of(functions_key, lambda: _functions(setup, method, work, live, unrolled, stepping))
    # what happens is the same in the next run
    plain = not live and setup.closing is None
    modes: Any = None
    impulses: Any = None
    if m.locks or m.flags:
        impulses = system.prepared.of("impulses" if plain else None, lambda: Impulses(system, live))
        if system.derivation.slips:
            modes = system.prepared.of("modes" if plain else None, lambda: FrictionModes(system, impulses, live))
    guards = () if setup.closing is None else setup.closing.guards(system)
    struck, rubbing = (None, None) if stepping else (impulses, modes)  # that events tell of
    changed: list[Any] = [x for x in (rubbing or struck,) if x is not None]
    if setup.closing is not None:
        solved = isinstance(setup.closing, ReducedClosing)
        changed = changed if solved else [Reassembly(setup.closing.constraints), *changed]
        guards = (*guards, *Corners(system, setup.closing.whole if solved else system).events())
    guards = (*guards, *system.prepared.of("ends", lambda: ends(system)))
    renewals = renewals_of(system)
    guards = (*guards, *(renewal.event for renewal in renewals))
    if m.algebraic:
        following = functools.partial(follow, system)
        changed = [*([following] if changed else []), *changed, following]

    def with_events() -> tuple[Functions, list[Event], Any]:
        own = [*(contact_events(struck) if struck else ()), *(friction_events(rubbing) if rubbing else ())]
        events, switching = events_of(setup.events, system, live, own, guards)
        if not events:
            return functions, events, None
        more = replace(functions.also(events=switching), edges=len(watch_of(system).edges))
        if renewals and not changed:
            more = renewed_in_loop(more, system, renewals, events)
        if struck is not None and not live and changed == [struck]:
            more = struck_in_loop(more, system, struck, events)
        if rubbing is not None and changed == [rubbing]:
            more = rubbed_in_loop(more, rubbing, events)
        return more, events, (functions, setup.events)  # which are kept alive with what is known by their numbers

    key = "events", stepping, id(functions), id(renewals), *map(id, setup.events)
    functions, events, _ = system.prepared.of(key if plain else None, with_events)
    clocks: list[Any] = [
        Table(name, m.held.index(name), *table, m.moved_by_inputs) for name, table in inputs.tables.items()
    ]
    if found:
        kinks = m.driven or any(c.timed for c in m.constraints)
        effects: list[Any] = [Kicks(system, impulses or Impulses(system, live))] if kinks else []
        effects += [struck.after_jump] if struck is not None and struck.gaps else []
        clocks += [Jumps(found, *effects)] if effects or m.flags or m.jumps_in_time else []
    clocks += [LockClock(name, when) for name, when in setup.locked.items() if when]
    flags = system.derivation.starting_flags
    first: list[Any] = [Assignments(flags, system)] if flags else []
    first += [renewal.at_start for renewal in renewals]
    first += [struck.at_start] if struck is not None and struck.gaps else []
    first += [rubbing.at_start] if rubbing is not None else []
    clocks += [AtStart(first, struck is not None and bool(struck.gaps))] if first else []
    clocks += [Stepping(impulses, modes, setup.interval)] if stepping else []
    owners = {m.held.index(name): "a table of this run" for name in inputs.tables}
    clocks += [Sampler(controller, system, live, owners) for controller in setup.controllers]
    return Preparation(setup, functions, {
        "q": setup.q, "qd": setup.qd, "first_order": system.states, "scale": setup.scales,
        "jumps": found, "names": system.names, "held": system.held, "events": events,
        "clocks": clocks, "before_restart": changed,
    })  # fmt: skip


def with_inputs(run: Trajectory, setup: Setup) -> Trajectory:
    """A run with what its inputs were: functions of time, and formulas, which are not held."""
    held, formulas = run.held.copy(), setup.system.mechanism.given
    for name, function in setup.inputs.functions.items():
        held[:, run.held_names.index(name)] = [_as_far_as_it_goes(function, x) for x in run.t]
    if formulas:
        key = tuple(formulas.values())
        found = setup.system.along(key, before_jumps(setup.system, run), (run.q, run.qd, run.qdd), held)
        held = np.column_stack([held, found])
    return replace(run, held=held, held_names=(*run.held_names, *map(str, formulas)))


def _as_far_as_it_goes(function: Callable[[float], float], t: float) -> float:
    """The value of an input at a saved instant; NaN where the function fails, as it may have done during the run."""
    try:
        return function(t)
    except errors.EasyDynError:
        return np.nan


def made(setup_by: Callable[[str], Setup], request: Request, way: str) -> Trajectory:
    """The run that is asked for, with the loops solved in a `way`; documented at `Model.simulate`.

    Closed forms end at dead points. Beside these, a run that loses its loops, or whose energy is wrong, is made again
    by multipliers, and told to be so; if the rows that were chosen depend on each other on the way, by those of every
    row.
    """
    whose, why, ways = "", "", [way]
    doubtful: Trajectory | None = None
    failed: list[errors.IntegrationError] = []
    for chosen in ways:
        try:
            with watched(request.progress):
                with collector_at_rest():
                    setup = setup_by(chosen)
                if chosen == way:
                    whose = f"model '{setup.name}'"
                    ways += ["multipliers"] if AGAIN and isinstance(setup.closing, ReducedClosing) else []
                    ways += [EVERY_ROW] if setup.closing is not None and setup.closing.redundancy.dependent else []
                run = simulate(near(setup, request), request)
        except LOST as error:
            if chosen == way and isinstance(error, errors.DeadPointError):  # closed forms end there, multipliers go on
                ways.insert(1, "dead points")
                continue
            failed.append(error)
            why = why or f"ended at t = {request.t_start if error.time is None else error.time:g} s"
            continue
        if run.status != "doubtful":
            return noted(run, f"{INSTEAD} {why}" if why else "")
        doubtful, why = run if doubtful is None else doubtful, why or "was doubtful"
    refused = max(failed, key=lambda x: (isinstance(x, errors.ChangePointError), x.time or 0.0), default=None)
    if doubtful is not None and not isinstance(refused, errors.ChangePointError):
        return warned(doubtful, whose)  # type: ignore[no-any-return]
    assert refused is not None
    raise refused


def simulate(setup: Setup, request: Request, unrolled: bool = True) -> Trajectory:
    """Integrate what was set up.

    Formulas of accelerations (`unrolled`) divide by masses of bodies, which may vanish on the way where constraints
    alone determine some rates. Such a run is begun again.
    """
    setup, request = fitted(setup, request, prepare)
    with collector_at_rest():
        prepared = prepare(setup, request.t_start, request.t_final, request.method, work=True, unrolled=unrolled)
    system, inputs, asked = setup.system, setup.inputs, setup.whole[0] if setup.whole else setup
    whole = asked.system if setup.closing is None else setup.closing.whole
    result = functools.partial(
        trajectory, source=SourceOfModel(whole, setup.closing), title=setup.name, units=dict(whole.mechanism.units),
        parameters=whole.parameters, followed=(*inputs.functions, *map(str, inputs.formulas)),
    )  # fmt: skip

    def named(run: Trajectory) -> Trajectory:
        closing = setup.closing
        remark = "" if run.status == "failed" else setup.remark
        run = noted(run, remark, *(() if closing is None else (str(closing.closed), closing.note)))
        driven = (inputs.functions or inputs.formulas) and len(run.held) == len(run)
        if not driven and closing is None:
            return run
        run, shown = merged(run)
        run = with_inputs(run, asked) if driven else run
        return parted(run if closing is None else closing.shown(run, asked.system), shown)

    try:
        run = named(drive(
            prepared.functions, request, made=result, judge=judge_of(prepared, request), shown=named, **prepared.start,
        ))  # fmt: skip
    except BaseException as error:
        if setup.whole and isinstance(error, errors.IntegrationError) and not isinstance(error, KeyboardInterrupt):
            asked.system.prepared[ALL] = True
            return simulate(asked, request)
        kept = getattr(error, "trajectory", None)
        formulas = system.mechanism.multipliers and "accelerations" in prepared.functions.evaluated
        if formulas and isinstance(error, errors.ChatterError | errors.StepSizeError | errors.NotFiniteError):
            return simulate(setup, request, unrolled=False)
        if kept is not None:
            error.trajectory = named(kept)  # type: ignore[attr-defined]
        if isinstance(error, errors.IntegrationError):
            explained = error if setup.closing is None else setup.closing.explained(error)
            explained.args = (f"model '{setup.name}': {explained}{of_unknowns(system, explained)}",)
            if explained is not error:
                raise explained from None
        raise
    return advised(run, setup, request, prepare)


def judge_of(prepared: Preparation, request: Request) -> Any:
    """The function that checks the energy of a run, `judge(run, records)`.

    None where there are no bodies that have any, or where a force stores energy by an input that follows a function of
    Python: nobody knows its rate.
    """
    system, m, functions = prepared.setup.system, prepared.setup.system.mechanism, prepared.setup.inputs.functions
    if not m.bodies or (m.moved_by_inputs and functions):
        return None
    jumps = prepared.start["jumps"] if m.jumps_in_time else []
    key = None if functions or jumps else "energies"
    energies = system.prepared.of(key, lambda: _energies(system, functions, jumps, request.t_start))
    solved = isinstance(prepared.setup.closing, ReducedClosing)
    return functools.partial(judged, energies=energies, request=request, solved=solved)


def _energies(system: CompiledSystem, functions: Mapping[str, Any], jumps: Sequence[float], start: float) -> Any:
    """Kinetic and potential energy (J) of a witness, of which a few are looked at: in Python, nothing is compiled.

    They lack what time alone determines, for which no work is integrated. At jumps they are those before, at the start
    those after.
    """
    d, n, names = system.derivation, system.n, system.mechanism.held
    key = tuple(x - part for x, part in zip(d.mechanical_energies, d.of_time, strict=True))
    evaluate, constants = system.function(key, "python")
    places = system.program(key).held
    live = [(names.index(name), function) for name, function in functions.items()]

    def energies(x: list[float]) -> Any:
        own, time = constants, x[0]
        if jumps:
            time = float(before(np.array([time]), jumps, start)[0])
        if places:
            own, held = list(constants), x[2 + 2 * n :]
            for k, function in live:
                held[k] = function(time)
            for place, k in places:
                own[place] = held[k]
        try:
            return evaluate(time, x[1 : 1 + n], x[1 + n : 1 + 2 * n], (), own)
        except (ValueError, ZeroDivisionError, OverflowError):
            return [np.nan, np.nan]

    return energies


def of_time(system: CompiledSystem, t: np.ndarray, start: float) -> np.ndarray:
    """The change since the start of the energy (J) that time alone determines, at instants (N,) in s."""
    t, none = np.append(t, start), np.zeros((len(t) + 1, system.n))
    found = system.along(tuple(system.derivation.of_time), t, (none, none, none), none[:, :0]).sum(axis=1)
    return np.asarray(found[:-1] - found[-1])


def stepper(setup: Setup, t_start: float, t_end: float, method: Any, **options: Any) -> Stepper:
    """A Stepper at the start of what was set up; jumps in time are known up to `t_end`."""
    chosen = method_of(method)
    if chosen == AUTO:
        asked = Request(t_end, t_start, tolerance=options.get("tolerance", 1e-6), save_at=(t_end,))
        chosen = fitting(setup, asked, prepare)[0]
    prepared = prepare(setup, t_start, t_end, chosen)
    made = Stepper(prepared.functions, method=chosen, t=t_start, **prepared.start, **options)
    made.made_by = stepper, (setup, t_start, t_end, chosen), options
    return made
