"""From a model to its motion: initial state, jumps, the integrator, the result (one arrow of the street)."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from easydyn.arguments import no_unknown_options
from easydyn.balance import is_wrong, judged, remedy
from easydyn.edges import watch_of
from easydyn.engine.balances import actions, balances
from easydyn.engine.demands import check_start
from easydyn.engine.sympy_bridge import check_convertible
from easydyn.engine.system import CompiledSystem
from easydyn.errors import (
    EasyDynError,
    EnergyWarning,
    InputError,
    IntegrationError,
    ModelError,
    UnknownNameError,
    calls_to_user,
)
from easydyn.impacts import FirstTouch, Impulses
from easydyn.inputs import finite, times
from easydyn.jumps import jump_times, jumping_parts, switching_functions
from easydyn.mechanism import Mechanism
from easydyn.scalars import symbolic
from easydyn.schedule import FirstFlags, Jumps, LockClock, Sampler, Table, events_of, inputs_of, locks_of
from easydyn.sim import Stepper, integrate
from easydyn.sim.functions import Evaluation, Functions
from easydyn.sim.loop import tiny
from easydyn.sim.methods import Method, method_of
from easydyn.symbols import LockingForce, Parameter, t
from easydyn.trajectory import Trajectory, as_expressions

if TYPE_CHECKING:
    from easydyn.model import Model


class Source:
    """What a Trajectory asks of the model it came from: expressions, frames and energies, with the run's parameters."""

    def __init__(self, system: CompiledSystem):
        self.system = system
        self.mechanism = system.mechanism
        self.names = system.names
        self.frames = system.frames

    def _along(self, run: Trajectory, key: Any, system: CompiledSystem | None = None) -> np.ndarray:
        """A program along a run, with what was held then: by name, for a file may come from a run with other inputs."""
        system = system or self.system
        held = run.held
        if run.held_names != tuple(system.mechanism.held) and len(held) == len(run):
            columns = {name: held[:, k] for k, name in enumerate(run.held_names)}
            given = [columns.get(name, np.full(len(run), x)) for name, x in zip(system.mechanism.held, system.held)]
            held = np.column_stack(given) if given else np.zeros((0, 0))
        return system.along(key, run.t, (run.q, run.qd, run.qdd), held)

    def energies_along(self, run: Trajectory) -> np.ndarray:
        """Kinetic and potential energy (J) along a run, (N, 2)."""
        return self._along(replace(run, t=self.instants(run)), "energies")[:, :2]

    def locking_force(self, run: Trajectory, coordinate: Any) -> np.ndarray:
        """The generalised force (N,) that holds a coordinate while it is locked, zero while it is free."""
        locks = [name.removesuffix(".locked") for name in run.held_names if name.endswith(".locked")]
        if str(coordinate) not in locks:
            raise UnknownNameError(
                f"{str(coordinate)!r} cannot be locked in this run: {', '.join(locks) or 'no coordinate'} can. Lock it "
                f'with simulate(locked=["{coordinate}"]).'
            )
        system = self.system
        if [str(q) for q in self.mechanism.locks] != locks:  # the run comes from a file
            system = system.with_locks(tuple(q for q in self.mechanism.coordinates if str(q) in locks))
        order = [str(q) for q in system.mechanism.locks]
        return self._along(run, "locking_forces", system)[:, order.index(str(coordinate))]

    def balances(self, run: Trajectory) -> np.ndarray:
        """F, M, G, vG, omega of each body along a run, (N, bodies, 5, 3): see engine/balances.py."""
        return balances(self.system, self.instants(run), (run.q, run.qd, run.qdd), run.held)

    def actions(self, run: Trajectory) -> list[tuple[Any, str, np.ndarray]]:
        """(effort, body, force and moment about the ground's origin (N, 2, 3)) of each effort on each body."""
        return actions(self.system, self.instants(run), (run.q, run.qd, run.qdd), run.held)

    def motions(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """G, vG, omega of each body at some states, (N, bodies, 3, 3)."""
        return balances(self.system, t, (q, qd, np.zeros(q.shape)), np.zeros((0, 0)))[:, :, 2:]

    def instants(self, run: Trajectory) -> np.ndarray:
        """The times of a run (N,), just before the jumps on which it landed: its accelerations are those before."""
        times = run.t.copy()
        for jump in time_jumps(self.system, times[0], times[-1]):
            there = np.abs(times - jump) <= 2 * tiny(jump)
            times[there] = jump - tiny(jump)
            if there[0]:
                times[0] = jump + tiny(jump)  # a run starts after it
        return times

    def __getstate__(self) -> dict[str, Any]:
        return {"system": self.system}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def along(self, run: Trajectory, expression: Any) -> np.ndarray:
        """An expression (N,), or several (N, m), along a run."""
        listed, several = as_expressions(expression)
        checked = [symbolic(e) for e in listed]
        for e in checked:
            if not isinstance(e, sympy.Expr | sympy.logic.boolalg.Boolean) or isinstance(e, sympy.MatrixExpr):
                raise InputError(
                    f"run.of got {expression!r}: expected a SymPy expression of the model's symbols, such as q1 + q2, "
                    "body.v or body.T.e; frames come from run.frames."
                )
            self._check_symbols(e)
        values = self._along(run, tuple(checked))
        lost = np.argwhere(np.isnan(values) & np.isfinite(np.hstack([run.q, run.qd, run.qdd])).all(axis=1)[:, None])
        if len(lost):
            k, i = lost[0]
            raise ModelError(
                f"run.of: {checked[i]} is not a number at t = {run.t[k]:.6g} s, and at {len(lost)} of {len(run)} "
                "instants in all: a root, a logarithm or an arcsine is out of its domain there, or 0/0. Say what holds "
                "there: sympy.Piecewise((value, condition), (other, True))."
            )
        return values if several else values[:, 0]

    def element(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Power (W) and potential (J) of a force element along a run, (N, 2)."""
        self._check_effort(effort)
        return self._along(run, self.system.element_nodes(effort))

    def supplied(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Work (J) of a force element beyond its potential since the start of a run, (N,)."""
        self._check_effort(effort)
        working = self.mechanism.working
        if not any(effort is e for e in working):
            return np.zeros(len(run))
        if run.integrals.shape != (len(run), self.system.sources_of_work):
            raise ModelError(
                f"run.work: this run has not kept the work of {effort}: it comes from another model, or stopped before "
                "its first step. Simulate again."
            )
        return run.integrals[:, [effort is e for e in working].index(True)]

    def _check_effort(self, effort: Any) -> None:
        known = self.mechanism.efforts
        if not any(effort is e for e in known):
            raise UnknownNameError(
                f"{effort!r} is not a force element of model '{self.mechanism.name}': expected one that was given to "
                f"model.add, of: {', '.join(map(str, known)) or 'none'}."
            )

    def _check_symbols(self, e: Any) -> None:
        m = self.mechanism
        known = [t, *m.coordinates, *m.states, *m.parameters, *m.inputs, *m.given]
        known += [x.dot for x in (*m.coordinates, *m.states)] + [q.ddot for q in m.coordinates]
        known += [*m.flags, *map(LockingForce, m.coordinates)]
        foreign = sorted(e.free_symbols - set(known), key=str)
        if foreign:
            kind = type(foreign[0]).__name__
            raise ModelError(
                f"run.of: {foreign[0]} ({kind}) is not a symbol of model '{m.name}': use those "
                f"that the model returned, of {', '.join(str(s) for s in known if '.' not in str(s))}, with .dot and "
                ".ddot."
            )
        check_convertible(e, "run.of")


def written(mechanism: Mechanism) -> Iterator[tuple[str, Any]]:
    """All scalars that a mechanism's equations are made of, each with the thing in which it stands."""
    yield from ((f"equation {e} = 0", e) for e in mechanism.equations)
    yield from (("gravity", g) for g in mechanism.gravity)
    yield from ((f"input {u}", formula) for u, formula in mechanism.given.items())
    for effort in mechanism.efforts:
        yield from ((str(effort), x) for x in effort.expressions())
    for body in mechanism.bodies:
        yield from ((f"the transform of body '{body.name}'", x) for x in body.T.scalars())


@functools.lru_cache(maxsize=64)
def time_switches(mechanism: Mechanism) -> tuple[tuple[sympy.Expr, bool], ...]:
    """The switching functions in time, as of jumps.py, of all that a mechanism's equations are made of."""
    return switching_functions(x for _, x in written(mechanism))


def sides_of_laws(system: CompiledSystem, stepper: Stepper, q: Any, qd: Any) -> Mapping[str, float]:
    """The differences that are zero where a law jumps, each by a text, in a state of a run."""
    found: dict[str, Any] = {}
    for place, x in written(system.mechanism):
        found |= {f"{part} in {place}": difference for part, difference in jumping_parts(x)}
    found |= {f"{name} of a force element": node for name, node in system.switches}
    key = tuple(found.values())
    if not key:
        return {}
    constants = system.with_held(key, stepper.held_values())
    there = system.one(key, stepper.t, q, qd, stepper.qdd, constants)
    return dict(zip(found, map(float, there), strict=True))


def time_jumps(system: CompiledSystem, start: float, end: float) -> list[float]:
    """Times in [start, end] at which an effort, an equation or a driven frame of the model jumps."""
    functions = time_switches(system.mechanism)
    if not functions:
        return []
    values: Mapping[sympy.Symbol, Any] = {Parameter(k): sympy.Float(v, 17) for k, v in system.parameters.items()}
    return jump_times(functions, values, start, end)


def _functions(system: CompiledSystem, method: Method, work: bool, live: Mapping[int, Any]) -> Functions:
    """What a method evaluates of a system; kept there for the next run."""
    if live:
        return _new_functions(system, method, work, live)
    key = method.family.explicit, method.family.abreast, work
    if key not in system.prepared:
        system.prepared[key] = _new_functions(system, method, work, live)
    return system.prepared[key]


def _new_functions(system: CompiledSystem, method: Method, work: bool, live: Mapping[int, Any]) -> Functions:
    native = system.native and not live
    abreast, width = None, 1
    if native:
        routine, width = system.kernel_abreast("residual")
        abreast = Evaluation(routine)

    def evaluation(key: str) -> Evaluation:
        return Evaluation(*system.kernel(key, live))

    m = system.sources_of_work if work else 0
    accelerations_abreast, evaluated = None, {"residual": evaluation("residual")}
    if method.family.explicit:
        if system.explicit_accelerations and system.computable("accelerations"):
            evaluated["accelerations"] = evaluation("accelerations")
            if native and method.family.abreast > 1:
                routine, width = system.kernel_abreast("accelerations")
                accelerations_abreast = Evaluation(routine) if width == method.family.abreast else None
        else:
            evaluated["mass_matrix"] = evaluation("mass_matrix")
    if m:
        evaluated["rates"] = evaluation("supplied_power")
    return Functions(
        evaluated,
        native=native,
        abreast=abreast,
        width=width,
        accelerations_abreast=accelerations_abreast,
        energy=evaluation("mechanical_energy") if m and system.mechanism.worked_otherwise else None,
        switching=functools.partial(sides_of_laws, system),
        m=m,
        linear=system.linear,
        explain=watch_of(system).explain,
        held=system.mechanism.held,
        live=live,
        inputs=len(system.mechanism.inputs),
    )


class Preparation:
    """All that a run of a model needs before it can begin."""

    def __init__(
        self, model: Model, t_start: float, t_end: float, *, initial: Any, parameters: Any, jumps: Any, target: str,
        scheme: str, inputs: Any, locked: Any, method: Any, work: bool = False,
    ):  # fmt: skip
        self.method = method_of(method)
        jumps = times(jumps)
        self.inputs = inputs_of(model, inputs)
        locks, self.locked = locks_of(model, locked)
        system = self.system = self.system_of(model, model.values(parameters), target, scheme, locks)
        m = system.mechanism
        q, qd = model.initial(initial, system.parameters)
        self._check_locked(model, q, qd, t_start)
        check_start(self.of_the_motion, t_start, q, qd)
        model.warn_of_callbacks(system)
        found = time_jumps(system, t_start, t_end)
        live = {m.held.index(name): function for name, function in self.inputs.functions.items()}
        functions = _functions(system, self.method, bool(work and m.bodies), live)
        impulses = Impulses(system) if m.locks or m.flags else None
        events, switching = events_of(model._events.values(), system, impulses, live)
        edges = len(watch_of(system).edges)
        self.functions = replace(functions.also(events=switching), edges=edges) if events else functions
        self.start: dict[str, Any] = {
            "q": q,
            "qd": qd,
            "first_order": system.states,
            "scale": model.scales(system.parameters),
            "jumps": sorted({*found, *jumps}),
            "names": system.names,
            "held": system.held,
        }
        tables = self.inputs.tables.items()
        clocks: list[Any] = [Table(name, m.held.index(name), *table, m.moved_by_inputs) for name, table in tables]
        clocks += [Jumps(found)] if found and m.jumps_in_time else []
        clocks += [LockClock(name, when) for name, when in self.locked.items() if when]
        clocks += [FirstFlags(system)] if system.starting_flags else []
        clocks += [FirstTouch(impulses)] if impulses is not None and impulses.gaps else []
        owners = {m.held.index(name): "a table of this run" for name in self.inputs.tables}
        clocks += [Sampler(controller, system, live, owners) for controller in model._controllers]
        self.happenings: dict[str, Any] = {
            "events": events,
            "clocks": clocks,
            "before_restart": impulses,
        }

    def system_of(
        self, model: Model, values: Mapping[str, float], target: str, scheme: str, locks: Any
    ) -> CompiledSystem:
        """What is integrated."""
        return model.system(values, target, scheme, self.inputs, locks)

    @property
    def of_the_motion(self) -> CompiledSystem:
        """The equations of the motion alone."""
        return self.system

    def _check_locked(self, model: Model, q: Any, qd: Any, t_start: float) -> None:
        for name, when in self.locked.items():
            j = self.system.names.index(name)
            if qd[j] and any(a <= t_start < b for a, b in when):
                raise InputError(
                    f"{name} of model '{model.name}' is locked from the start, but its rate there is {qd[j]:g}: "
                    f"expected zero; give initial={{'{name}.dot': 0}}, or lock it later."
                )


def with_inputs(run: Trajectory, prepared: Preparation) -> Trajectory:
    """A run with what its inputs were: functions of time, and formulas, which are not held."""
    held, formulas = run.held.copy(), prepared.system.mechanism.given
    for name, function in prepared.inputs.functions.items():
        held[:, run.held_names.index(name)] = [_as_far_as_it_goes(function, x) for x in run.t]
    if formulas:
        key = tuple(formulas.values())
        found = prepared.system.along(key, run.t, (run.q, run.qd, run.qdd), held)
        held = np.column_stack([held, found])
    return replace(run, held=held, held_names=(*run.held_names, *map(str, formulas)))


def _as_far_as_it_goes(function: Callable[[float], float], t: float) -> float:
    """The value of an input at a saved instant; NaN where the function fails, as it may have done during the run."""
    try:
        return function(t)
    except EasyDynError:
        return np.nan


def simulate(
    model: Model,
    t_final: float,
    *,
    t_start: float = 0.0,
    initial: Any = None,
    parameters: Any = None,
    jumps: Any = (),
    target: str = "auto",
    scheme: str = "recursive",
    method: Any = "newmark",
    inputs: Any = None,
    locked: Any = None,
    **options: Any,
) -> Trajectory:
    """Integrate a model; documented at `Model.simulate`."""
    t_final, t_start = finite(t_final, "t_final"), finite(t_start, "t_start")
    prepared = Preparation(
        model, t_start, t_final, initial=initial, parameters=parameters, jumps=jumps, target=target, scheme=scheme,
        inputs=inputs, locked=locked, method=method, work=True,
    )  # fmt: skip
    system = prepared.system

    about = {
        "source": Source(system),
        "title": model.name,
        "units": dict(system.mechanism.units),
        "parameters": system.parameters,
        "followed": tuple(prepared.inputs.functions),
    }

    def named(run: Trajectory) -> Trajectory:
        begun = len(run.held) == len(run)
        return with_inputs(run, prepared) if begun and (prepared.inputs.functions or prepared.inputs.formulas) else run

    try:
        run = integrate(
            prepared.functions,
            method=prepared.method,
            t_final=t_final,
            t_start=t_start,
            about=about,
            judge=judge_of(prepared, options),
            **prepared.start,
            **prepared.happenings,
            **options,
        )
    except BaseException as error:
        kept = getattr(error, "trajectory", None)
        if kept is not None:
            error.trajectory = named(kept)  # type: ignore[attr-defined]
        if isinstance(error, IntegrationError):
            error.args = (f"model '{model.name}': {error}",)
        raise
    if is_wrong(run):
        warnings.warn(
            f"model '{model.name}': the energy of this run is doubtful: {run.message}",
            EnergyWarning,
            stacklevel=calls_to_user(),
        )
    return named(run)


def judge_of(prepared: Preparation, options: Mapping[str, Any]) -> Any:
    """What looks at the energy of a run, `judge(run, records)`.

    None where there are no bodies that have any, or where a force stores energy by an input that follows a function of
    Python: nobody knows its rate.
    """
    m = prepared.system.mechanism
    if not m.bodies or (m.moved_by_inputs and prepared.inputs.functions):
        return None

    def judge(run: Trajectory, records: Any) -> Trajectory:
        system, functions = prepared.system, prepared.inputs.functions
        jumps = prepared.start["jumps"] if system.mechanism.jumps_in_time else []
        if functions or jumps:
            energies = _energies(system, functions, jumps, run.t[0])
        else:
            energies = system.prepared.get("energies") or _energies(system)
            system.prepared["energies"] = energies
        return judged(run, records, energies, lambda: remedy(prepared.method, options))  # type: ignore[no-any-return]

    return judge


def _energies(
    system: CompiledSystem, functions: Mapping[str, Any] | None = None, jumps: Any = (), start: float = 0.0
) -> Any:
    """Kinetic and potential energy (J) of a witness, of which a few are looked at: in Python, nothing is compiled.

    At jumps they are those before, at the start those after.
    """
    key, n, names = "mechanical_energies", system.n, system.mechanism.held
    evaluate, constants = system.function(key, "python")
    places = system.program(key).held
    live = [(names.index(name), function) for name, function in (functions or {}).items()]

    def energies(x: list[float]) -> Any:
        own, time = constants, x[0]
        if any(abs(time - jump) <= 2 * tiny(jump) for jump in jumps):
            time += tiny(time) if time == start else -tiny(time)
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


def stepper(
    model: Model,
    *,
    t_start: float = 0.0,
    t_end: float = 1e3,
    initial: Any = None,
    parameters: Any = None,
    jumps: Any = (),
    target: str = "auto",
    scheme: str = "recursive",
    inputs: Any = None,
    locked: Any = None,
    **options: Any,
) -> Stepper:
    """A Stepper at the initial state of a model; jumps in time are known up to `t_end`."""
    no_unknown_options(options, stepper, Stepper)
    t_start, t_end = finite(t_start, "t_start"), finite(t_end, "t_end")
    prepared = Preparation(
        model, t_start, t_end, initial=initial, parameters=parameters, jumps=jumps, target=target, scheme=scheme,
        inputs=inputs, locked=locked, method=options.pop("method", "newmark"),
    )  # fmt: skip
    return Stepper(
        prepared.functions, method=prepared.method, t=t_start, **prepared.start, **prepared.happenings, **options
    )
