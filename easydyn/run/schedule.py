"""Conversion of a model's events, controllers, inputs and locks to the events and clocks of `sim`."""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import ceil, inf, isfinite
from typing import Any

import numpy as np
import sympy

from easydyn.arguments import Attributes
from easydyn.engine.system import CompiledSystem
from easydyn.errors import EasyDynError, EventError, InputError, ModelError, UnknownNameError, in_your_function
from easydyn.inputs import by_name, due, finite, function, real_array
from easydyn.lab.recording import Recording
from easydyn.mechanics.symbols import Acceleration, Coordinate, Input, LockingForce, StateRate
from easydyn.run.declared import Controller, DeclaredEvent, lockable, measured
from easydyn.run.edges import watch_of
from easydyn.sim.agenda import Event, Instant
from easydyn.sim.functions import Evaluation, Guarded

# -- inputs ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    """Values of the inputs of a model in a run: numbers and first values, tables, functions of time, formulas."""

    numbers: dict[str, float]
    tables: dict[str, tuple[np.ndarray, np.ndarray]]
    functions: dict[str, Callable[[float], float]]
    formulas: dict[Input, sympy.Expr]


def inputs_by_name(known: Iterable[str], given: Any) -> dict[str, Any]:
    """Inputs by name; of a recording those of its columns that are called as an input, as tables."""
    if not isinstance(given, Recording):
        return by_name(given, "inputs", '{"u": 2}')
    found = {name: given.table(name) for name in known if name in given.columns}
    if not found:
        raise InputError(
            f"no column of the recording ({', '.join(given.columns)}) is called as an input ({', '.join(known)}): "
            'expected inputs={"u": recording.table("Torque")}.'
        )
    return found


def inputs_of(model: Any, given: Mapping[str, Any] | None) -> Inputs:
    """Sort the inputs given by name; inputs that are not given have the values of `model.input`.

    Raises
    ------
    UnknownNameError, InputError, ModelError
    """
    numbers = {str(u): value for u, value in model._inputs.items()}
    tables, functions, formulas = {}, {}, {}
    for name, value in inputs_by_name(numbers, given).items():
        if name not in numbers:
            known = ", ".join(numbers) or "none; declare one with model.input"
            raise UnknownNameError(f"model '{model.name}' has no input {name!r}: its inputs are {known}.")
        what = f"input {name}"
        if isinstance(value, sympy.Expr) and not value.is_number:
            formulas[Input(name)] = _formula(value, what, model)
            del numbers[name]
        elif callable(value) and not isinstance(value, sympy.Basic):
            functions[name] = _checked_function(for_one_run(function(value, what, "t")), what)
        elif isinstance(value, list | tuple):
            tables[name] = _table(value, what)
        else:
            numbers[name] = finite(value, what)
    return Inputs(numbers, tables, functions, formulas)


def begins_with(model: Any, parameters: Any, inputs: Any, initial: Any) -> dict[str, dict[str, float]]:
    """All numbers with which a run begins, by the arguments of `simulate` that give them, and by name."""
    values, given = model.values(parameters), inputs_of(model, inputs)
    start, places = model.initial(initial, values), [model.signals[name] for name in model.initial_values]
    at_first = {s.name: float(start[s.order][s.column]) for s in places}
    return {"parameters": values, "inputs": given.numbers, "initial": at_first}


def _formula(value: sympy.Expr, what: str, model: Any) -> sympy.Expr:
    found = measured(value, what, model)
    cyclic = [s for s in found.free_symbols if isinstance(s, Input | Acceleration | StateRate | LockingForce)]
    if cyclic:
        raise ModelError(
            f"{what} was given as {value}, which contains {cyclic[0]}: a formula for an input may contain coordinates, "
            "their rates, states, time and parameters."
        )
    return found


def _checked_function(function: Callable[[float], Any], what: str) -> Callable[[float], float]:
    guarded = Guarded(function, f"the function of {what}", ModelError)
    return lambda t: finite(guarded(t), f"{what} at t = {t:g} s")


def _table(given: Any, what: str) -> tuple[np.ndarray, np.ndarray]:
    if len(given) != 2:
        raise InputError(f"{what} has {len(given)} entries: expected a table (times, values), a pair of lists.")
    times, values = (real_array(x, f"the {name} of {what}") for x, name in zip(given, ("times", "values"), strict=True))
    if times.ndim != 1 or times.shape != values.shape or not len(times):
        raise InputError(
            f"the table of {what} has times of shape {times.shape} and values of shape {values.shape}: expected two "
            "lists of the same length, times (s) and values."
        )
    if len(times) == 2 and (isinstance(given, list) or any(isinstance(x, tuple) for x in given)):
        raise InputError(
            f"the table of {what} is {given!r}, which may be two points or (times, values): expected a pair of lists, "
            "([t1, t2], [u1, u2])."
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise InputError(f"the table of {what} has entries that are not finite numbers.")
    if np.any(np.diff(times) < 0):
        k = int(np.argmax(np.diff(times) < 0))
        raise InputError(
            f"the times of {what} go back from {times[k]:g} to {times[k + 1]:g} s: expected them in order; twice the "
            "same time is a jump."
        )
    return times, values


class Clock:
    """What begins to act with the run."""

    next: float

    def begin(self, t: float) -> None:
        self.next = t


class Table(Clock):
    """A clock that follows a table: straight lines between its points, its ends before and after."""

    def __init__(self, name: str, index: int, times: np.ndarray, values: np.ndarray, moves: bool = False):
        self.moves, self.prior = moves, True
        self.name, self._index, self._times, self._values = name, index, times.tolist(), values.tolist()

    def act(self, instant: Instant, t: float) -> None:
        times, values = self._times, self._values
        k = bisect_right(times, due(t))  # the first point that lies ahead
        value, slope = values[max(k - 1, 0)], 0.0
        if 0 < k < len(times):
            slope = (values[k] - values[k - 1]) / (times[k] - times[k - 1])
            value = values[k - 1] + slope * (t - times[k - 1])
        self.next = times[k] if k < len(times) else inf
        instant.stepper.set_input(self._index, value, slope)
        instant.changed = True


# -- controllers ----------------------------------------------------------------------------------------------------


_CONTAINERS = (list, dict, set, bytearray, deque, np.ndarray)


def for_one_run(law: Any) -> Any:
    """A law as one run has it: of an object with a method `begin` a copy, told to begin; else the law itself.

    Containers in it are copied, so that two runs at a time, in two threads or step by step, do not meet in them.
    """
    if not callable(getattr(law, "begin", None)) or not hasattr(law, "__dict__"):
        return law
    own = copy(law)
    vars(own).update({name: copy(x) for name, x in vars(own).items() if isinstance(x, _CONTAINERS)})
    own.begin()
    return own


class Readings(Attributes, dict[str, float]):
    """Data for a controller: outputs by name and, on request, coordinates, rates, states and inputs."""

    def __init__(self, outputs: Iterable[tuple[str, float]], instant: Instant):
        super().__init__(outputs)
        self._instant = instant

    def __missing__(self, name: str) -> float:
        return self._instant[name]

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or name in self._instant

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in self else default

    def __setitem__(self, name: str, value: Any) -> None:
        raise InputError(f"{name!r} was to be set among what is measured: return {{{name!r}: {value!r}}} instead.")


class Sampler:
    """A clock that asks a controller's law at every sample."""

    def __init__(self, controller: Controller, system: CompiledSystem, live: Mapping[int, Any], owners: dict[int, Any]):
        self._owners = owners  # what gives each input, a controller or a text; shared by all that do
        self._controller = controller
        self.name, self.period, self._origin = controller.name, controller.period, controller.start
        self._law = self._given = controller.law
        self._where = f"controller '{controller.name}' of model '{system.mechanism.name}'"
        self.moves = system.mechanism.moved_by_inputs
        formulas: dict[str, Any] = {str(u): formula for u, formula in system.mechanism.given.items()}
        formulas |= system.mechanism.outputs
        self._outputs, key = tuple(formulas), tuple(formulas.values())
        self._measured = Evaluation(*system.kernel(key, live)) if key else None
        self._probe: Callable[[], Any] | None = None
        self._inputs = {str(u): k for k, u in enumerate(system.mechanism.inputs) if k not in live}

    def begin(self, t: float) -> None:
        self._count = max(0, ceil(max((t - self._origin) / self.period, 0.0) - 1e-9))
        self.next = max(self._origin + self._count * self.period, t)
        self._law = for_one_run(self._given)

    def leave(self) -> None:
        """Whoever wrote the law may look at what it has come to."""
        if self._law is not self._given:
            vars(self._given).update(vars(self._law))

    def act(self, instant: Instant, t: float) -> None:
        if self._measured is not None and self._probe is None:
            self._probe = instant.stepper.probe(self._measured, len(self._outputs))
        measured = () if self._probe is None else zip(self._outputs, self._probe().tolist(), strict=True)
        try:
            given = self._law(t, Readings(measured, instant))
        except EasyDynError as error:
            error.args = (f"{self._where}, at t = {t:g} s: {error}",)
            raise
        except Exception as error:
            raise EventError(in_your_function(self._where, f"t = {t:g} s", error), time=t) from error
        self._count += 1
        self.next = self._origin + self._count * self.period
        if given is None:
            return
        if not isinstance(given, Mapping):
            raise InputError(
                f"{self._where} returned {given!r} at t = {t:g} s: expected a dict of inputs, such as "
                '{"u": 2.0}, or None.'
            )
        for name, value in given.items():
            index = self._inputs.get(str(name))
            if index is None:
                raise UnknownNameError(
                    f"{self._where} returned a value for {str(name)!r}: expected one of the inputs that this run does "
                    f"not give as a function or a formula, {', '.join(self._inputs) or 'none'}."
                )
            owner = self._owners.setdefault(index, self._controller)
            if owner is not self._controller:  # which may have the same name: all lambdas do
                what = owner if isinstance(owner, str) else f"controller '{owner.name}' of the same model"
                if what.startswith(f"controller '{self.name}'"):
                    what = "another controller of that name"
                raise ModelError(
                    f"{self._where} returned a value for {str(name)!r} at t = {t:g} s, which {what} gives as well: "
                    "expected one of them to give it. Let one law call the other, or add two inputs up in an effort."
                )
            if type(value) is not float or not isfinite(value):
                value = finite(value, f"what {self._where} returned for {name} at t = {t:g} s")
            instant.stepper.set_input(index, value)
            instant.changed = True


# -- jumps in time ---------------------------------------------------------------------------------------------------


class Jumps:
    """A clock that stands still at jumps in time: energy that comes or goes with them is counted as work.

    Parameters
    ----------
    times : sequence of float
        When (s).
    effects : callables
        What jumps and kinks do there to the rates, with the Stepper, in this order.
    """

    name, moves = "jump", True

    def __init__(self, times: Sequence[float], *effects: Callable[[Any], None]):
        self._times, self.effects = list(times), effects

    def begin(self, t: float) -> None:
        self.next = next((x for x in self._times if x > t + 1e-12 * abs(t)), inf)

    def act(self, instant: Instant, t: float) -> None:
        instant.changed = True
        for effect in self.effects:
            effect(instant.stepper)
        self.begin(t)


# -- locks ----------------------------------------------------------------------------------------------------------


class LockClock(Clock):
    """A clock that locks a coordinate during some intervals."""

    moves = True

    def __init__(self, name: str, intervals: Sequence[tuple[float, float]]):
        self.name, self._intervals = name, sorted(intervals)

    def act(self, instant: Instant, t: float) -> None:
        t = due(t)
        inside = any(a <= t < b for a, b in self._intervals)
        if inside != bool(instant[f"{self.name}.locked"]):
            (instant.lock if inside else instant.unlock)(self.name)
            instant.note("locked" if inside else "free")
        self.next = min((x for interval in self._intervals for x in interval if x > t), default=inf)


def locks_of(model: Any, given: Any) -> tuple[tuple[Coordinate, ...], dict[str, list[tuple[float, float]]]]:
    """The coordinates that can be locked during a run, and when they are: {} intervals for those locked by actions.

    `given` is None, a list of coordinates that are locked throughout, or a dict of intervals (begin, end) in seconds.
    """
    always = [(-inf, inf)]
    found: dict[Coordinate, list[tuple[float, float]]] = {q: always if on else [] for q, on in model._locks.items()}
    if isinstance(given, str) or isinstance(given, Coordinate):
        given = [given]
    if given is not None and not isinstance(given, Mapping | list | tuple):
        raise InputError(
            f'locked is {given!r}: expected a list of coordinates, such as ["q2"], or a dict of intervals.'
        )
    if given is not None:  # it replaces what the model says; what that names can still be locked by actions
        found = dict.fromkeys(found, [])
    for key in given or ():
        q = lockable(key, model)
        found[q] = _intervals(given[key], q) if isinstance(given, Mapping) else always
    return tuple(found), {str(q): when for q, when in found.items()}


def _intervals(given: Any, q: Coordinate) -> list[tuple[float, float]]:
    pairs = [given] if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 0 else given
    found = []
    for pair in pairs if isinstance(pairs, list | tuple) else [pairs]:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InputError(
                f"locked has {given!r} for {q}: expected (begin, end) in seconds, or a list of such pairs."
            )
        begin, end = (finite(x, f"a time of locked[{str(q)!r}]") for x in pair)
        if not begin < end:
            raise InputError(f"locked has {pair!r} for {q}: expected an end after the beginning.")
        found.append((begin, end))
    return found


# -- events ---------------------------------------------------------------------------------------------------------


class Assignments:
    """An action given as {symbol: expression or node}: all are worked out first, then set."""

    def __init__(self, values: Mapping[Any, Any], system: CompiledSystem):
        self._names, self._key, self._system = [str(s) for s in values], tuple(values.values()), system

    def __call__(self, instant: Instant) -> None:
        s = instant.stepper
        found = self._system.at(self._key, s.t, s.q, s.qd, s.qdd, s.held_values())
        for name, value in zip(self._names, found.tolist(), strict=True):
            instant[name] = value


class AtStart(Clock):
    """A clock that acts at the start alone: what holds there is found by several effects, in their order."""

    name = "rigid contacts"  # which alone tell something

    def __init__(self, effects: Sequence[Callable[[Instant], None]], moves: bool):
        self.effects, self.moves = effects, moves

    def act(self, instant: Instant, t: float) -> None:
        self.next = inf
        for effect in self.effects:
            effect(instant)


def events_of(
    declared: Iterable[DeclaredEvent], system: CompiledSystem, live: Any, modes: Iterable[tuple[Event, Any]] = (),
    guards: Iterable[tuple[Event, Any]] = (),
) -> tuple[list[Event], Any]:  # fmt: skip
    """The events of a run, and their switching functions as kernels call them: those of `modes` before all `guards`."""
    found: list[tuple[Event, Any]] = []
    for e in declared:
        acting = replace(e, action=Assignments(e.action, system)) if isinstance(e.action, Mapping) else e
        found.append((acting, e.expression))
    found += modes
    for change in system.derivation.transitions:
        found.append((Event(change.name, None, change.direction, Assignments(change.sets, system)), change.guard))
    found += [*guards, *((Event(name), node) for name, node in system.derivation.switches)]
    watch = watch_of(system)
    events = [*(event for event, _ in found), *watch.events()]
    key = *(x for _, x in found), *watch.expressions, *watch.rates
    return events, Evaluation(*system.kernel(key, live), key) if events else None
