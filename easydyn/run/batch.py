"""Many runs of a model in machine code: the conditions for this, and the start of each run.

Parameters, initial values and inputs have an axis for the runs. Where all is formulas, runs go side by side: something
may jump at times that are the same for all, and events may set rates, states and coordinates by formulas. Where the
loop of a single run deals with impacts or with modes of friction, it makes them in turn. A model with other parts (a
controller, a loop that must be assembled) runs in the ordinary way, one run after the other. So does a single run in
which a formula has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import sympy

from easydyn.engine import llvm
from easydyn.engine.demands import met
from easydyn.engine.system import CompiledSystem
from easydyn.mechanics.physical import parameters_of, sizes_by_parameters
from easydyn.run.balance import ROUNDING, SHARE
from easydyn.run.closing import ReducedClosing
from easydyn.run.impacts import Strike
from easydyn.run.jumps import before, time_switches
from easydyn.run.schedule import AtStart, Jumps
from easydyn.run.setup import Setup
from easydyn.run.simulation import Preparation, prepare
from easydyn.run.slip_events import Change
from easydyn.sim import Stepper
from easydyn.sim.ensemble import LANES, MOST_UNKNOWNS, Ends, Ensemble
from easydyn.sim.functions import Evaluation
from easydyn.sim.lanes import ALONE, STOPPED
from easydyn.sim.queue import Queue
from easydyn.sim.request import Request
from easydyn.sim.strike import NUMBERS, RESTITUTION, TOUCH
from easydyn.vec import Block

AT_ONCE = 100_000  # numbers of states whose other coordinates are found at once
LOOKS = 201  # instants at which angles are followed that several freedoms determine
SURE = 0.3  # rad, m: so far apart they show which way the motion goes


def hindrance(setup: Setup, prepared: Preparation, request: Request, varied: Sequence[str]) -> str:
    """The reason, in words, why a run of a setup is not machine code, or begins as no other does; empty if none."""
    m, functions = setup.system.mechanism, prepared.functions
    in_time = {str(s) for g, _ in time_switches(m) for s in g.free_symbols}
    matrices = [f for b in m.bodies for f in b.T.factors if isinstance(f, Block)]
    reasons = (
        (not functions.native, "there is no machine code for its equations"),
        (bool(functions.live), "an input is a function in Python"),
        (functions.edges > 0, "a root or an arcsine has an end"),
        (bool(in_time & set(varied)), "something jumps at a time that differs from run to run"),
        (any({str(p) for p in parameters_of(f)} & set(varied) for f in matrices), "a matrix of its own turns a frame"),
        (request.method.family.name != "Runge-Kutta", f"the method is {request.method.name}, and not dop853"),
        (request.step is not None, "steps have a fixed length"),
    )  # fmt: skip
    return next((why for reason, why in reasons if reason), "")


def obstacle(setup: Setup, prepared: Preparation, request: Request) -> str:
    """The reason, in words, why such runs of a setup do not go side by side; empty if they do."""
    system, start = setup.system, prepared.start
    changing = [e for k, e in enumerate(start["events"]) if callable(e.action) and actions_of(setup, k) is None]
    reasons = (
        (not closed_alike(setup, start["jumps"]), "its loops have to be assembled"),
        (bool(acting_clocks(prepared) or start["before_restart"]), "something is done on the way"),
        (bool(changing), "an event changes the motion"),
        (system.n > MOST_UNKNOWNS, f"it has more than {MOST_UNKNOWNS} unknowns"),
        (not solvable(setup, prepared, request.t_start), "its accelerations are no formula"),
    )  # fmt: skip
    return next((why for reason, why in reasons if reason), "")


def in_loop(setup: Setup, prepared: Preparation, varied: Sequence[str]) -> bool:
    """True if the loop of a single run deals with all that happens in it: nothing, impacts, or modes of friction."""
    m, functions, start = setup.system.mechanism, prepared.functions, prepared.start
    own: Any = ()
    if functions.slips is not None and functions.slips.alone:
        own = Change
    elif functions.impacts is not None and functions.slips is None:
        own = Strike
    clocks = acting_clocks(prepared)
    by_itself = not clocks and not start["before_restart"]
    if own and len(clocks) == len(start["before_restart"]) == 1:
        by_itself = isinstance(clocks[0], AtStart) and len(clocks[0].effects) == 1
    acting = [e for e in start["events"] if callable(e.action) and not isinstance(e.action, own)]
    gravity = {str(s) for x in m.gravity for s in sympy.sympify(x).free_symbols}  # the measure of what is small
    plain = closed_alike(setup, start["jumps"]) and not setup.whole and not functions.sets and not acting
    return by_itself and plain and not (own and gravity & {*varied})


def acting_clocks(prepared: Preparation) -> list[Any]:
    """The clocks that do more than to begin anew at jumps."""
    return [x for x in prepared.start["clocks"] if not isinstance(x, Jumps) or x.effects]


def closed_alike(setup: Setup, jumps: Sequence[float]) -> bool:
    """True if closed forms give all that depends on others."""
    closing = setup.closing
    if not isinstance(closing, ReducedClosing) or setup.system.mechanism.multipliers or jumps:
        return closing is None
    return closing.closed.beside is None


def actions_of(setup: Setup, k: int) -> Any:
    """What the event number `k` sets, by places in q and qd, and by which formulas; None if it does something else."""
    signals, n = setup.system.mechanism.signals, setup.system.n
    action = setup.events[k].action if k < len(setup.events) else None
    if not isinstance(action, Mapping):
        return None
    own = [(signals[str(name)], formula) for name, formula in action.items()]
    return [(s.order * n + s.column, x) for s, x in own] if all(s.slot in ("q", "qd") for s, _ in own) else None


def solvable(setup: Setup, prepared: Preparation, t: float) -> bool:
    """True if there is a formula for the accelerations; of equations, one that is right at the start."""
    if "accelerations" in prepared.functions.evaluated:
        return True
    system, m = setup.system, setup.system.mechanism
    if not m.equations or m.callbacks or not system.computable("accelerations"):
        return False
    found = system.along("accelerations", np.array([t]), tuple(x[None] for x in (setup.q, setup.qd, 0 * setup.q)),
                         np.array([system.held]))[0]  # fmt: skip
    return bool(np.allclose(found, system.accelerations(t, setup.q, setup.qd), rtol=1e-9, atol=1e-12))


@dataclass(eq=False)
class Batch:
    """Runs of a model, side by side or in turn, that differ in what is `varied`.

    Attributes
    ----------
    setup : Setup
        Of one of these runs.
    request : Request
        What is asked of each: method, tolerance, from when to when.
    start : dict of str to scalar
        What the model begins with, by name, numbers or formulas of parameters.
    varied : tuple of str
        Parameters, initial values and inputs that differ, by name.
    instants : tuple of float (s)
        When states are kept on the way.
    assembled : callable
        It assembles the loops of runs of which some initial values differ (constraints/stack.py).
    prepared : Preparation
        What each of the runs needs.
    why_not : str
        The reason, in words, why these runs are made one by one; empty if machine code makes them.
    in_turn : bool
        True if the loop of a single run makes them, one after the other; else they go side by side.
    """

    setup: Setup
    request: Request
    start: Mapping[str, Any]
    varied: tuple[str, ...]
    instants: tuple[float, ...] = ()
    assembled: Callable[..., Any] = tuple
    prepared: Preparation = field(init=False)
    why_not: str = field(init=False)
    in_turn: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        setup, request, varied = self.setup, self.request, (*self.varied, *self._formulas)
        make = partial(prepare, setup, request.t_start, request.t_final, request.method)
        self.prepared = make()
        self.why_not = hindrance(setup, self.prepared, request, varied)
        if not self.why_not and (why := obstacle(setup, self.prepared, request)):
            self.in_turn = in_loop(setup, self.prepared, varied)
            self.prepared, self.why_not = (make(work=True), "") if self.in_turn else (self.prepared, why)

    @cached_property
    def _ensemble(self) -> Ensemble | Queue:
        prepared, request, system = self.prepared, self.request, self.setup.system
        start, functions = dict(prepared.start), prepared.functions
        if self.in_turn:
            start |= {"clocks": (), "before_restart": ()}
        elif "accelerations" not in functions.evaluated:
            functions = functions.also(accelerations=Evaluation(*system.kernel("accelerations"), "accelerations"))

        def stepper() -> Stepper:
            return Stepper(
                functions, t=request.t_start, method=request.method, tolerance=request.tolerance,
                max_step=request.longest_step, min_step=request.min_step, **start,
            )  # fmt: skip

        stops = [event.action == "stop" or event.ends is not None for event in start["events"]]
        if self.in_turn:
            noted = [event.action is None and event.ends is None for event in start["events"]]
            return Queue(stepper, stops, noted, request.t_final, self.way)
        text = llvm.module(system.program("accelerations"), LANES, own=True)
        actions = system.kernel(self._set)[0] if self._set else None
        sets = [(k, place) for k in range(len(stops)) for place, _ in actions_of(self.setup, k) or ()]
        return Ensemble(
            stepper, stops, text, request.t_start, request.t_final, self.way, start["jumps"], (actions, sets)
        )

    @cached_property
    def _set(self) -> tuple[Any, ...]:
        """The formulas of what events set."""
        return tuple(x for k in range(len(self.setup.events)) for _, x in actions_of(self.setup, k) or ())

    @property
    def watched(self) -> bool:
        """Whether the energy can be seen to be wrong: it stays as it is, or what is done is added up."""
        return self.in_turn or not (self.setup.system.sources_of_work or self._set or self.prepared.start["jumps"])

    def before(self, t: np.ndarray) -> np.ndarray:
        """Times (s) as they are looked at: of a jump the time just before, but at the start."""
        return before(t, self.prepared.start["jumps"], self.request.t_start)

    def ready(self) -> None:
        """Derive and compile what is needed, before several threads ask for it at once."""
        assert self._ensemble.n == self.setup.system.n

    def runs(self, values: Mapping[str, np.ndarray], count: int, seams: bool = False) -> Ends:
        """The runs of so many `values` (N,), in their own units; those that need the ordinary way are ALONE."""
        functions = self.prepared.functions.evaluated
        keys = {name: x.key for name, x in functions.items() if self.in_turn or name in ("events", "residual")}
        if not self.in_turn:
            keys |= {"accelerations": "accelerations"} | ({"actions": self._set} if self._set else {})
        q, qd, every, branches = self._starts(values, count)
        values = {**values, **branches}
        q[~self._begin_well(values, q, qd)] = np.nan
        size, constants = np.ones(count), dict[str, np.ndarray]()
        for name, key in keys.items():
            own = self.setup.system.constants_of(key, values)
            constants[name] = np.stack([x * size for x in own], axis=1) if own else np.zeros((count, 0))
        found = self._ensemble.runs(q, qd, constants, seams)
        doubtful = self._doubtful(values, count) | ~np.isfinite(q).all(axis=1) | ~np.isfinite(qd).all(axis=1)
        doubtful |= np.isin(found.why - STOPPED, [k for k, e in enumerate(self.prepared.start["events"]) if e.ends])
        found.why[doubtful | self._unbalanced(values, q, qd, found)] = ALONE
        return found if self.setup.closing is None else self._with_all(values, every, found)

    def _begin_well(self, values: Mapping[str, np.ndarray], q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The runs (N,) whose elements make sense at the start, and in which no contact touches there."""
        system, t, gaps = self.setup.system, self.request.t_start, self.prepared.functions.evaluated.get("gaps")
        fine = met(system, values, t, q, qd)
        if gaps is not None:
            found = system.at_values(gaps.key, values, t, (q, qd, 0 * q))[:, : NUMBERS * len(system.derivation.gaps)]
            share = found[:, RESTITUTION::NUMBERS]
            fine &= ((found[:, ::NUMBERS] > TOUCH) & (share >= 0) & (share <= 1)).all(axis=1)
        return fine  # type: ignore[no-any-return]

    def _with_all(self, values: Mapping[str, np.ndarray], begin: np.ndarray, found: Ends) -> Ends:
        """The same with all coordinates of loops in place of the independent ones.

        A run is to be made ALONE where these have no value, or go too far between two instants for angles to be
        followed that do not depend on the end alone.
        """
        system, closing, follows = self.setup.system, self.setup.closing, self.setup.closing.way(self.setup.system) != 0
        t, x, place = found.in_order(np.tile(self.way, (len(begin), 1)))
        x[found.why == ALONE], begin[found.why == ALONE] = 0.0, 0.0
        ended = np.isnan(x).any(axis=(2, 3))  # where it stays, so that angles can be followed
        x = np.where(ended[:, :, None, None], x[:, -1:], x).swapaxes(1, 2)
        t = np.where(ended, np.inf, t).clip(max=found.t[:, None])
        each, seams = np.arange(len(begin))[:, None], found.seams.shape[1]
        place = place[:, np.r_[:seams, seams + np.searchsorted(self.way, self.instants), -1]]
        whole = np.zeros((*place.shape, 3, self.whole.n))

        def solved(part: np.ndarray, at: np.ndarray, x: np.ndarray) -> np.ndarray:
            now = np.array([np.interp(at, np.arange(len(y)), y) for y in t[part]])
            return self.of("solved", {name: y[part] for name, y in values.items()}, now, x.swapaxes(1, 2), system)

        for part in np.array_split(np.arange(len(x)), -(-x.size // AT_ONCE)):
            here = closing.whole_states(system, x[part], partial(solved, part), begin[part])
            whole[part, :, :, : here.shape[3]] = here.swapaxes(1, 2)[each[: len(part)], place[part]]
            speed = np.abs(here[:, 1]).max(axis=2, initial=0)
            far = (np.diff(t[part]) * np.maximum(speed[:, 1:], speed[:, :-1]) > SURE).any(axis=1) & follows
            found.why[part[~np.isfinite(here).all(axis=(1, 2, 3)) | far]] = ALONE
        whole[ended[each, place]] = np.nan
        beside, saved, last = np.split(whole, [seams, -1], axis=1)
        beside = beside.reshape(len(begin), seams, 3 * self.whole.n)
        beside = np.concatenate([found.seams[:, :, :1], beside], axis=2)
        return replace(found, state=last[:, 0], saved=saved, seams=beside)

    @cached_property
    def way(self) -> np.ndarray:
        """Instants (s) at which states are found: those that are kept, and those from which angles are followed."""
        looks = LOOKS if self.setup.closing is not None and self.setup.closing.way(self.setup.system) else 0
        return np.union1d(self.instants, np.linspace(self.request.t_start, self.request.t_final, looks))

    @cached_property
    def whole(self) -> CompiledSystem:
        """The system with all coordinates, of which states are told."""
        return self.setup.system if self.setup.closing is None else self.setup.closing.whole

    def _unbalanced(self, values: Mapping[str, np.ndarray], q: np.ndarray, qd: np.ndarray, found: Ends) -> np.ndarray:
        """The runs (N,) that have another energy at their end, where nothing does work."""
        if not self.watched or not self.setup.system.mechanism.bodies:
            return np.zeros(len(q), dtype=bool)
        ends = (self.request.t_start, np.stack([q, qd, 0 * q], axis=1)), (found.t[:, None], found.state)
        key, own = "mechanical_energies", self.setup.system
        (T0, V0), (T, V) = (self.of(key, values, t, x[:, None], own)[:, 0].T for t, x in ends)
        most = np.max([T0, T, abs(V - V0), abs(found.work)], axis=0)
        return np.asarray(abs(T + V - T0 - V0 - found.work) > SHARE * most + ROUNDING * (abs(V) + most))

    def of(self, key: Any, values: Mapping[str, np.ndarray], t: Any, x: np.ndarray, system: Any = None) -> np.ndarray:
        """A program (N, K, m) of a `system`, the whole, by its `key`, in states `x` (N, K, 3, n) for `values` (N,)."""
        each = {name: y[:, None] for name, y in values.items()}
        return (system or self.whole).at_values(key, each, t, tuple(np.moveaxis(x, 2, 0)))  # type: ignore[no-any-return]

    def _starts(self, values: Mapping[str, np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray, Any, Any]:
        """Initial q and qd (N, n) of the runs, and all coordinates of loops; NaN where these are closed otherwise.

        And the branches of closed forms, by name.
        """
        system, m, closing = self.setup.system, self.setup.system.mechanism, self.setup.closing
        q, qd = np.tile(self.setup.q, (count, 1)), np.tile(self.setup.qd, (count, 1))
        places = {s.name: ((q, qd)[s.order], s.column) for s in m.signals.values() if s.slot in ("q", "qd")}
        t, zeros = self.request.t_start, np.zeros((count, 1, 3, system.n))
        found = {name: self.of((x,), values, t, zeros, system)[:, 0, 0] for name, x in self._formulas.items()}
        found |= {name: values[name] for name in self.varied}
        for name in found.keys() & places.keys():
            array, j = places[name]
            array[:, j] = found[name]
        if closing is None:
            return q, qd, None, {}
        deciding = {*closing.constraints.names, *closing.constraints.lengths}
        deciding |= {str(s) for x in self._formulas.values() for s in x.free_symbols}
        moved = [x for x in self.varied if x.removesuffix(".dot") in deciding]
        kept = {*moved} == {f"{x}.dot" for x in m.coordinates} and not any(".dot" in x for x in closing.closed.moved)
        if kept or not moved:
            return q, qd, np.tile(closing.closed.q, (count, 1)), {}
        every, k, n = self.assembled(closing, system, t, found, moved), len(m.coordinates), len(closing.closed.q)
        q[:, :k], qd[:, :k] = (x[:, closing.columns(system)] for x in (every, every[:, n:]))
        return q, qd, every[:, :n], dict(zip(closing.forms.branches, every[:, 2 * n :].T, strict=True))

    @cached_property
    def _formulas(self) -> dict[str, sympy.Expr]:
        """Initial values that follow from what is varied, by name."""
        formulas = {name: x for name, x in self.start.items() if isinstance(x, sympy.Expr)}
        return {name: x for name, x in formulas.items() if {str(s) for s in x.free_symbols} & {*self.varied}}

    def _doubtful(self, values: Mapping[str, np.ndarray], count: int) -> np.ndarray:
        """The runs (N,) whose masses, inertias or sizes may be none."""
        if not self._masses:
            return np.zeros(count, dtype=bool)
        states = np.zeros((count, 1, 3, self.whole.n))
        found = self.of(self._masses, values, self.request.t_start, states)[:, 0].reshape(count, -1, 10)
        doubtful = ~np.isfinite(found).all(axis=(1, 2)) | (found[:, :, 0] < 0).any(axis=1)
        moments = np.linalg.eigvalsh(np.where(doubtful[:, None, None], 0.0, found[:, :, 1:]).reshape(count, -1, 3, 3))
        return doubtful | (moments[:, :, 0] < -1e-12 * np.abs(moments[:, :, 2])).any(axis=1)

    @cached_property
    def _masses(self) -> tuple[Any, ...]:
        """Ten expressions of each body and size in which something varied is: mass and inertia; x, 1/x and zeros."""
        nine, m = [(i, j) for i in range(3) for j in range(3)], self.setup.system.mechanism
        tens = [[sympy.sympify(x) for x in (b.mass, *(b.inertia[k] for k in nine))] for b in m.bodies]
        tens += [[x, 1 / x, *[sympy.S.Zero] * 8] for _, x in sizes_by_parameters(self.whole.mechanism)]
        return tuple(x for ten in tens if {str(s) for x in ten for s in x.free_symbols} & {*self.varied} for x in ten)
