"""Events of a run: zero crossings of switching functions, and actions at times known beforehand.

The kernels stop and answer EVENT or STOP; this module decides in Python what is done then. An action gets an `Instant`:
the state by name, which it can read and change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Protocol

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import EasyDynError, EventError, InputError, IntegrationError, UnknownNameError, in_your_function
from easydyn.inputs import among, due, finite, flag, function, shown, text
from easydyn.sim.functions import Guarded
from easydyn.sim.locate import LOOSE
from easydyn.sim.loop import beside_jump, tiny
from easydyn.sim.motion import Happening
from easydyn.sim.strike import IMPACT, OPENS

QUIET = 10  # events in a row, as below, after which those without an action are passed over
RETURNS, AT_REST = 8, 1e-6  # times that an action has turned the motion back, and the last flight beside the first
CROWD = 1000  # events in a row, so near to each other that the run does not get on
MOST_EVENTS = 1e7  # to the end of the run, at the pace of the last CROWD of them
IN_LOOP = "impact", "opens", "sticks", "slides forward", "slides backward"  # what the loop finds, as it numbers it
STEADY = 0.9  # their duration beside that of the CROWD before: less where they crowd together, and come to an end


@answers
@dataclass(frozen=True)
class Event:
    """A condition on the motion that is located: g(t, q, qd, qdd) crosses zero.

    Parameters
    ----------
    name : str
        Its name in `run.events`.
    function : callable, optional
        g(t, q, qd, qdd) -> float.
    direction : {-1, 0, 1}
        -1: falling; 0: both; 1: rising.
    action : callable, "stop" or None
        A function of an `Instant`, which it may change; "stop" ends the run. If left out, only the time is noted.
    silent : bool
        True: the run lands there, but does not list the event.
    ends : callable, optional
        For an event that a run cannot pass: ends(stepper) is the exception with which the run fails, or None if it can
        go on.
    floor : float
        Tolerance in the unit of g, for a quantity that must not become negative (a gap between bodies): a value below
        -floor triggers the event in any case. 0 for all other events.
    loose : bool
        True: the event is not located; it happens at the end of the step in which g has left its side.

    Raises
    ------
    InputError
        `name` is not a name, `direction` not a direction, or a function does not take these arguments.

    Example
    -------
    >>> from easydyn import integrate
    >>> def bounce(instant):
    ...     instant["y.dot"] = -0.5 * instant["y.dot"]
    >>> run = integrate(lambda t, q, qd, qdd: qdd + 9.81, q=[1.0], qd=[0.0], t_final=1, names=["y"],
    ...                 events=[Event("bounce", lambda t, q, qd, qdd: q[0], direction=-1, action=bounce)])
    >>> round(run.events[0].t, 6)  # the square root of 2/9.81
    0.451524
    """

    name: str
    function: Callable[..., Any] | None = None
    direction: int = 0
    action: Any = None
    silent: bool = False
    floor: float = 0.0
    ends: Callable[[Any], IntegrationError | None] | None = None
    loose: bool = False

    def __post_init__(self) -> None:
        text(self.name, "the name of an event", '"contact"')
        if type(self.direction) is not int or self.direction not in (-1, 0, 1):
            raise InputError(
                f"the direction of event '{self.name}' is {self.direction!r}: expected -1 (falling), 1 (rising) or 0 "
                "(both)."
            )
        if self.function is not None:
            function(self.function, f"the switching function of event '{self.name}'", "t, q, qd, qdd")
        if self.action is not None and not among(self.action, ("stop",)):
            function(self.action, f"the action of event '{self.name}'", "instant")
        if self.ends is not None:
            function(self.ends, f"what ends a run at event '{self.name}'", "instant")
        flag(self.silent, f"silent of event '{self.name}'")
        flag(self.loose, f"loose of event '{self.name}'")
        if finite(self.floor, f"the floor of event '{self.name}'") < 0:
            raise InputError(f"the floor of event '{self.name}' is {self.floor:g}: expected a number >= 0.")


class Clock(Protocol):
    """An action at times known beforehand."""

    name: str
    next: float  # the next time (s); infinity when there is none
    moves: bool  # it can change coordinates or rates, not inputs alone

    def begin(self, t: float) -> None:
        """A run begins at time t (s): set `next`."""

    def act(self, instant: Instant, t: float) -> None:
        """Do what is due at time t (s), and set `next`."""


@answers
class Instant(MutableMapping[str, float]):
    """The state of a run while something happens: values by name, `instant["y.dot"] = 0`, and the time `instant.t`.

    Coordinates, their rates, states, inputs and flags of force elements can be changed; accelerations follow. `stop`
    ends the run; `lock` holds a coordinate, and `unlock` releases it. Raises UnknownNameError for a name that does not
    exist, InputError for a quantity that cannot be set.

    Parameters
    ----------
    stepper : Stepper
        The run. An action receives the Instant; it does not make one.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("ball", gravity=(0, -10, 0))
    >>> y, = model.coordinates("y", initial=5)
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    >>> def catch(instant):
    ...     instant["y.dot"] = 0
    ...     instant.stop("caught")
    >>> model.event(y, direction=-1, action=catch)
    >>> run = model.simulate(3)
    >>> round(float(run.t[-1]), 6), float(run["y.dot"][-1])
    (1.0, 0.0)
    """

    def __init__(self, stepper: Any):
        self.stepper = stepper
        self.stopped: str | None = None
        self.changed = False
        self.given: set[str] = set()  # what has been set since the run went on
        self.notes: list[str] = []
        run = stepper.run
        self._places: dict[str, tuple[Any, int]] = {}
        for j, (name, state) in enumerate(zip(stepper.names, stepper.first_order, strict=True)):
            columns = (run.qd, run.qdd) if state else (run.q, run.qd, run.qdd)
            self._places |= {name + end: (x, j) for end, x in zip(("", ".dot", ".ddot"), columns, strict=False)}
        self.results = {name for name in self._places if self._places[name][0] is run.qdd}
        self._held = {name: k for k, name in enumerate(stepper.functions.held)}
        self._inputs = stepper.functions.held[: stepper.functions.inputs]
        self._flags = stepper.functions.flags
        moved = {x: j + (0 if a is run.q else run.n) for x, (a, j) in self._places.items() if a is not run.qdd}
        self._own, self._order = [*moved, *self._inputs, *self._flags], np.array([*moved.values()], dtype=int)
        self._of_flags = np.array([self._held[name] for name in self._flags], dtype=int)

    def _numbers(self) -> np.ndarray:
        """What does not follow from the equations: coordinates, rates, states, inputs and flags."""
        run, held = self.stepper.run, self._held
        inputs = [self.stepper.value_of(held[name]) for name in self._inputs]
        flags = np.asarray(run.held)[self._of_flags]
        return np.concatenate([np.concatenate([run.q, run.qd])[self._order], inputs, flags])

    def _changes(self, before: np.ndarray, after: np.ndarray) -> Iterator[dict[str, float]]:
        """The values of `_numbers`, or of the first of them, that are others now, by name: those before, and after."""
        some = np.flatnonzero(after != before).tolist()
        return ({self._own[k]: float(x[k]) for k in some} for x in (before, after))

    @property
    def t(self) -> float:
        """Time (s)."""
        return float(self.stepper.run.t)

    def __getitem__(self, name: str) -> float:
        place = self._places.get(str(name))
        if place is not None:
            return float(place[0][place[1]])
        k = self._held.get(str(name))
        if k is None:
            raise self._unknown(name)
        return self.stepper.value_of(k)

    def __setitem__(self, name: str, value: Any) -> None:
        name = str(name)
        if name in self._inputs:
            if self._held[name] in self.stepper.functions.live:
                raise InputError(
                    f"input {name} was to be set: it is given as a function of time in this run. Give it a number, and "
                    "let actions and controllers change that."
                )
            self.stepper.set_input(self._held[name], finite(value, f"the value given to {name}"))
        elif name in self.results:
            raise InputError(
                f"{name} was to be set: it follows from the equations. Set "
                f"{name.removesuffix('.ddot')} or its rate, or an input that is a force."
            )
        elif name in self.stepper.functions.steady:
            raise InputError(
                f"{name} was to be set: frames of bodies follow it, and would leap. Let it change by its equation: "
                "give that an input, and set the input."
            )
        elif name in self._places:
            array, j = self._places[name]
            array[j] = finite(value, f"the value given to {name}")
            self.given.add(name)
        elif name in self._flags:
            self.stepper.set_held(self._held[name], finite(value, f"the value given to {name}"))
        elif name in self._held:
            raise InputError(
                f"{name} was to be set: it says what holds at this instant, and is set by the run itself. Call "
                "instant.lock() and instant.unlock() for coordinates; contacts close and open by themselves."
            )
        else:
            raise self._unknown(name)
        self.changed = True

    def __contains__(self, name: object) -> bool:
        return str(name) in self._places or str(name) in self._held

    def get(self, name: str, default: Any = None) -> Any:
        """The value of that `name`, in its own unit, or `default` if there is none."""
        return self[name] if name in self else default

    def __delitem__(self, name: str) -> None:
        raise InputError(f"{name!r} cannot be taken away from a state; give it another value.")

    def __iter__(self) -> Iterator[str]:
        return iter((*self._places, *self._inputs, *self._flags))

    def __len__(self) -> int:
        return len(self._places) + len(self._inputs) + len(self._flags)

    def __repr__(self) -> str:
        return f"Instant(t = {self.t:g} s, {', '.join(f'{name} = {self[name]:g}' for name in self)})"

    def _unknown(self, name: Any) -> UnknownNameError:
        from difflib import get_close_matches  # loaded where something is misspelt

        close = get_close_matches(str(name), list(self), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        return UnknownNameError(f"there is no {str(name)!r} in this run: it has {', '.join(self)}.{hint}")

    def stop(self, why: str = "stopped by an action") -> None:
        """End the run here; `why` becomes its message."""
        self.stopped = str(why)

    def note(self, what: str) -> None:
        """Add a sentence, `what`, to the list of what happened."""
        self.notes.append(str(what))

    def lock(self, name: Any) -> None:
        """Lock the coordinate `name` at its present value; an impulse on the whole system makes its rate zero."""
        self._switch(name, 1.0)

    def unlock(self, name: Any) -> None:
        """Release the coordinate `name`."""
        self._switch(name, 0.0)

    def _switch(self, name: Any, on: float) -> None:
        key = f"{name}.locked"
        if key not in self._held:
            known = [x.removesuffix(".locked") for x in self._held if x.endswith(".locked")]
            raise UnknownNameError(
                f"coordinate {str(name)!r} cannot be locked during this run"
                + (f", those that can are {', '.join(known)}" if known else "")
                + f". Declare it with model.lock({name}, locked=False)."
            )
        self.stepper.set_held(self._held[key], on)
        self.changed = True


class Agenda:
    """The events and the clocks of a run, and the list of past events."""

    def __init__(self, stepper: Any, events: Sequence[Event] = (), clocks: Sequence[Clock] = ()):
        self.stepper, self.events, self.clocks = stepper, list(events), list(clocks)
        self.happenings: list[Happening] = []
        # times of events, and of every so many that did something
        self.happened, self._marks = list[float](), list[float]()
        self.stopped: str | None = None
        self._crowd, self._acted, self.landings, self._since = 0, 0, 0, -inf
        self._returns: dict[int, tuple[float, int, float, float]] = {}  # last time, how often, first and last flight
        self._listed, self._done = set[str](), set[int]()  # events of this crowd, and those at this time
        self._values: tuple[float, Any] = -inf, ()  # of switching functions: when, and what was seen
        r = stepper.run
        r.next_stop = inf
        if not self.events:
            return
        m = len(self.events)
        r.all_loose = int(all(event.loose for event in self.events))
        of_events = "g0 g1 g_seen g_end g_change g_largest above of_above rates0 rates1 side fired roots".split()
        r.allocate(dict.fromkeys(of_events, m) | {"g": m + r.number_of_edges})
        r.allocate(dict.fromkeys(("integral_landing", "rate_before", "rate_near"), r.m))
        r.allocate(dict.fromkeys(("q_landing", "qd_landing", "qdd_landing"), r.n))
        r.directions = r.array([event.direction * (LOOSE if event.loose else 1.0) for event in self.events])
        r.floors = r.array([event.floor for event in self.events])
        passive = [event.action is event.ends is None and not event.floor and not event.loose for event in self.events]
        r.switches = r.array(list(map(float, passive)))
        calm = [getattr(event.action or event.ends, "calm", False) for event in self.events[: m - r.number_of_edges]]
        r.calm = int(bool(calm) and all(calm))

    @functools.cached_property
    def instant(self) -> Instant:
        """The state by name; actions change it."""
        return Instant(self.stepper)

    def begin(self) -> None:
        """Do what is due at the start."""
        for clock in self.clocks:
            clock.begin(self.stepper.run.t)
        if self.clocks:
            self._tick()
        if self.events:
            self._arm()

    def _arm(self) -> None:
        r = self.stepper.run
        if self.stepper.call(self.stepper.kernels.arm_anew, r.max_step if r.max_step < inf else 1.0):
            raise self.without_value(r.g0)

    def without_value(self, values: Any) -> EventError:
        """The exception for switching functions if one of their `values` is not a number."""
        r = self.stepper.run
        name = next((event.name for event, g in zip(self.events, values) if g != g), "")
        return EventError(
            f"the condition of event '{name}' is nan at t = {r.t:.6g} s: the event would be missed. Look for a square "
            "root, arcsine or logarithm out of its domain, and guard it with a Piecewise.",
            time=r.t,
        )

    def leave(self) -> None:
        """End the run, or a part of it: clocks store their results."""
        for clock in self.clocks:
            getattr(clock, "leave", lambda: None)()

    def at_stop(self) -> None:
        """Do what is due at a stop."""
        sides = np.array(self.stepper.run.side if self.events else ())
        self._tick()
        if self.events:
            self._arm()
            self._leapt(sides, set())

    def _leapt(self, sides: np.ndarray, fired: set[int]) -> None:
        """Events whose switching function has leapt over zero, with an input or by an action, happen now.

        One that has happened at this very time, and whose function has not changed since, has only been turned back.
        """
        r = self.stepper.run
        before, self._values = self._values, (r.t, np.array(r.g0))
        known = self._done if before[0] == r.t else set()
        self._done = fired | known
        for e in (sides * np.asarray(r.side) < 0).nonzero()[0].tolist():
            event, done = self.events[e], fired.union(e for e in known if before[1][e] == r.g0[e])
            heard = event.floor == 0 and (event.action is not None or not event.silent)
            if event.direction * sides[e] <= 0 and heard and e not in done:
                r.fired[e], r.landed = 1.0, 1

    def _tick(self, prior: bool = False) -> None:
        """Do what is due now; with `prior`, only what comes before events of the same time."""
        r, instant = self.stepper.run, self.instant
        instant.changed = False
        t, late = r.t, due(r.t)
        clocks = [x for x in self.clocks if x.next <= late and (not prior or getattr(x, "prior", False))]
        # energy that comes or goes with a jump in time is work, too
        before = self._energy(beside_jump(r, -1)) if any(clock.moves for clock in clocks) else None
        for clock in clocks:
            clock.act(instant, t)
            if instant.notes:
                self.happenings.append(Happening(t, clock.name, "; ".join(instant.notes)))
                instant.notes.clear()
        r.next_stop = self.clocks[0].next if len(self.clocks) == 1 else min(clock.next for clock in self.clocks)
        self.stopped = instant.stopped
        if instant.changed:
            self.stepper.renew()
            if before is not None and r.has_energy:
                r.integral[r.m - 1] += self._energy() - before

    def _energy(self, time: float | None = None) -> float:
        """The energy whose sudden changes count as work, now or at a time (s); zero where nobody asks for it."""
        energy = self.stepper.functions.evaluated.get("energy")
        return 0.0 if energy is None else float(self.stepper.probe(energy, 1)(time)[0])

    def at_event(self, end: float) -> None:
        """Do what one or several simultaneous events require."""
        r, instant = self.stepper.run, self.instant
        self.landings += 1
        marks, sides = np.asarray(r.fired).nonzero()[0].tolist(), np.array(r.side)
        fired = [self.events[e] for e in marks]
        self._check_crowd(end, r.t, any(event.action is not None for event in fired))
        if r.t + tiny(r.t) >= r.next_stop:  # actions see inputs as they are after a jump, by a table as by a formula
            self._tick(prior=True)
        instant.changed = False
        for event in fired:
            error = event.ends(self.stepper) if event.ends is not None else None
            if error is not None:
                raise error
            itself = getattr(event.action, "lists_itself", False)  # what has happened
            before, energy, place = None if itself else instant._numbers(), self._energy(), len(self.happenings)
            if event.action == "stop":
                instant.stop(f"event '{event.name}' at t = {r.t:.9g} s")
            elif event.action is not None:
                self._act(event)
            if instant.changed:
                self.stepper.renew()
                if r.has_energy:
                    r.integral[r.m - 1] += self._energy() - energy
            changes = ({}, {}) if before is None else instant._changes(before, instant._numbers())
            again = event.action is None and event.name in self._listed  # it only touches zero
            if instant.notes or not (event.silent or again):
                self._listed.add(event.name)
                happening = Happening(r.t, event.name, "; ".join(instant.notes), *changes)
                self.happenings.insert(place, happening)  # before what follows from it
            instant.notes.clear()
        self.stopped = instant.stopped
        if instant.changed:
            r.fixed_count = 0
        r.next_stop = min([r.next_stop, *(clock.next for clock in self.clocks)])
        self._arm()
        for e in marks:
            if callable(self.events[e].action):
                self._look_at_returns(e, float(sides[e]))
        self._leapt(sides, {*marks})
        if self._crowd > QUIET:  # what is only looked at does not hold a run up
            for e, event in enumerate(self.events):
                if event.action is None:
                    r.side[e] = 0.0

    def _act(self, event: Event) -> None:
        try:
            returned = event.action(self.instant)
            if returned is not None and isinstance(returned, Mapping):
                raise InputError(
                    f"it returned {returned!r}: expected it to set what changes, instant[name] = value; a dict of "
                    "symbols and expressions is given as the action itself."
                )
        except IntegrationError:  # of what the run itself does there: it says when
            raise
        except Exception as error:
            where, when = f"the action of event '{event.name}'", f"t = {self.instant.t:g} s"
            if not isinstance(error, EasyDynError):
                raise EventError(in_your_function(where, when, error), time=self.instant.t) from error
            if not getattr(event.action, "inner", False):
                error.args = (f"{where} at {when}: {error}",)
            raise

    def happened_in_loop(self) -> None:
        """List the impacts and the modes of friction that the loop has found."""
        r, n, order = self.stepper.run, self.stepper.run.n, self.instant._order
        rows = np.array(r.struck[: r.struck_rows * (3 + 5 * n)]).reshape(r.struck_rows, -1)
        r.struck_rows = 0
        for (t, e, what), before, after in zip(
            rows[:, :3].tolist(), rows[:, 3 : 3 + 2 * n], rows[:, 3 + 3 * n :], strict=True
        ):
            self.happened.append(t)
            changes = self.instant._changes(before[order], after[order]) if what in (IMPACT, OPENS) else ({}, {})
            self.happenings.append(Happening(t, self.events[int(e)].name, IN_LOOP[int(what)], *changes))
            self.landings += 1
            self._check_crowd(r.end, t, True)

    def _check_crowd(self, end: float, t: float, acted: bool) -> None:
        self._acted += acted
        if acted and self._acted % CROWD == 0:
            self._marks = [*self._marks[-2:], t]
            if len(self._marks) == 3:
                before, last = np.diff(self._marks)
                if last > STEADY * before and last * MOST_EVENTS < CROWD * (end - t):  # not a ball that comes to rest
                    raise self._without_end(t)
        if t - self._since > 1e-9 * (end - t) + 1e-15:
            self._crowd, self._since = 0, t
            self._listed.clear()
        self._crowd += 1
        if self._crowd > CROWD and acted:
            raise self._without_end(t)

    def _look_at_returns(self, e: int, side: float) -> None:
        """EventError where an action has turned the motion back, after ever shorter times, and now no longer does.

        So ends a ball that is bounced by an action: its last flights are shorter than any step.
        """
        r, event = self.stepper.run, self.events[e]
        before, count, first, last = self._returns.get(e, (r.t, 0, 0.0, 0.0))
        flight = r.t - before
        if r.side[e] * side >= 0:  # it is turned back
            self._returns[e] = r.t, count + 1, first or flight, flight
            return
        self._returns.pop(e, None)
        if count > RETURNS and last < AT_REST * first:
            raise EventError(
                f"event '{event.name}' has come again {count} times, after ever shorter times, and is passed at "
                f"t = {r.t:.9g} s: what its action turns back has come to rest. Let the action end that, with "
                "instant.lock(name) or instant.stop(), or use a RigidContact in place of the event.",
                time=r.t,
            )

    def _without_end(self, t: float) -> EventError:
        fired = [event for event, mark in zip(self.events, self.stepper.run.fired, strict=True) if mark]
        names = ", ".join(sorted({h.name for h in self.happenings[-CROWD:]} | {event.name for event in fired}))
        if all(getattr(event.action, "inner", False) for event in fired):
            return EventError(
                f"contacts and friction change without end at t = {t:.9g} s ({names}): what sticks, slides and touches "
                "is not settled there. Take another method or tolerance, less friction, a soft contact, PlanePoint, or "
                'for a heap of bodies contacts="stepping".',
                time=t,
            )
        return EventError(
            f"events follow each other without end at t = {t:.9g} s ({names}): what an action does brings the "
            "event about again. Give the event a direction, or let the action move the state away from it.",
            time=t,
        )


def values_of(event: Sequence[Event]) -> Callable[..., None]:
    """The switching functions of several events as kernels call them."""
    functions = [Guarded(e.function, f"the switching function of event '{e.name}'") for e in event]

    def call(time: Any, q: Any, qd: Any, qdd: Any, constants: Any, result: Any) -> None:
        at = time[0], np.array(q), np.array(qd), np.array(qdd)
        for k, g in enumerate(functions):
            value = g(*at)
            try:
                result[k] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise InputError(f"{g.where} returned {shown(value)}: expected one number.") from None

    return call
