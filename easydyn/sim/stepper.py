"""A second-order system that is integrated step by step: the record of a run, and the kernels that work on it.

`Stepper` holds the state of a run. `step(h)` makes one step of the given length; `advance(h)` makes as many steps as
the tolerance needs to arrive at t + h exactly. `integrate` uses it for a whole run.
"""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import InputError, IntegrationError, SingularMatrixError
from easydyn.inputs import finite, listed, positive, state_vector, times, unknowns_of
from easydyn.native.record import copy_into
from easydyn.sim import loop
from easydyn.sim.agenda import Agenda, Clock, Event, Happening, values_of
from easydyn.sim.blank import new_record
from easydyn.sim.chatter import Chatter
from easydyn.sim.failures import explained
from easydyn.sim.functions import Evaluation, Functions, of_python
from easydyn.sim.methods import AUTO, method_of
from easydyn.sim.run import DIP, DONE, EVENT, FULL, NEAR, NO_VALUE, SPENT, STOP
from easydyn.sim.snapshot import remade, snapshot

UNHEARD = 10_000  # residuals of `advance` within which Ctrl-C is not heard
_ROUTINE = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 6)  # of a program


def _column(name: str, meaning: str) -> Any:
    """The property of a Stepper that is one array of its state."""

    def get(stepper: Stepper) -> np.ndarray:
        return np.array(getattr(stepper.run, name))

    def put(stepper: Stepper, value: Any) -> None:
        copy_into(getattr(stepper.run, name), stepper._checked(name, value))

    get.__doc__ = meaning
    return property(get, put)


@answers
class Stepper:
    """A second-order system that is integrated one step at a time: state and step control.

    Parameters
    ----------
    residual : callable
        f(t, q, qd, qdd) -> (n,), zero on a motion of the system (eq. 9).
    q, qd : arrays (n,)
        State at `t`; the accelerations are found from the equations.
    t : float
        Time (s).
    method : str or Method
        As in `integrate`.
    tolerance : float
        Bound on the rate of error (eq. 22), per second in the unit of the coordinates; for first-order states
        relative to the largest value that each has had.
    max_step, min_step : float, optional
        Longest step (s), and the step (s) below which an advance is given up.
    first_order : sequence of int or of bool, optional
        Unknowns that are first-order states: they stand in qd, their derivative in qdd (eq. 29).
    scale : float or sequence of float, optional
        Typical sizes of first-order states, in their own units, one for all or one for each: errors are relative to at
        least this size.
    jumps : sequence of float
        Times (s) at which the residual jumps.
    names : sequence of str, optional
        Names of the unknowns, for messages.
    events : sequence of Event, optional
        Conditions that `advance` locates, with their actions.
    held, clocks, before_restart : optional
        Values that are held between events, actions at times known beforehand, and further changes after a change of
        the state; `Model.stepper` gives them.

    Attributes
    ----------
    t, q, qd, qdd : float, arrays (n,)
        The state reached; after a change from outside, `restart()` finds the accelerations.
    made_by : tuple
        The recipe for another Stepper at the start: a function, its arguments and its options. `copy.deepcopy(stepper)`
        and pickle use it, and then set the present state.

    Raises
    ------
    InputError
        A value that makes no sense, with its name.

    Example
    -------
    >>> stepper = Stepper(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0])
    >>> stepper.advance(np.pi)
    >>> float(abs(stepper.q[0] + 1)) < 1e-5
    True
    """

    _QUICK = "step", "call", "probe", "set_held"  # of which arguments are not looked at

    def __init__(
        self,
        residual: Any,
        *,
        q: Any,
        qd: Any,
        t: float = 0.0,
        method: Any = "newmark",
        tolerance: float = 1e-6,
        max_step: float | None = None,
        min_step: float | None = None,
        first_order: Any = (),
        scale: Any = None,
        jumps: Sequence[float] = (),
        names: Sequence[str] | None = None,
        held: Sequence[float] = (),
        events: Sequence[Event] = (),
        clocks: Sequence[Clock] = (),
        before_restart: Sequence[Callable[[Stepper], Any]] = (),
    ):
        given = {name: x for name, x in locals().items() if name not in ("self", "residual")}
        method = method_of(method)
        if method is AUTO:
            raise InputError(
                'method="auto" looks at the laws of a model, and here are functions: choose "dop853" where they are '
                'smooth, "newmark" where they jump or are stiff.'
            )
        start, speed = state_vector(q, "q"), state_vector(qd, "qd")
        n = len(start)
        functions = residual if isinstance(residual, Functions) else of_python(residual, n)
        events = _checked_events(events)
        if events and "events" not in functions.evaluated:
            functions = functions.also(events=Evaluation(values_of(events)))
        if len(speed) != n:
            raise InputError(f"q has {n} values and qd {len(speed)}: expected as many rates as coordinates.")
        self.names = default_names(n) if names is None else unknowns_of(names)
        if len(self.names) != n:
            raise InputError(f"names has {len(self.names)} entries: expected {n}, one for each coordinate.")
        self.method, self.functions, self.first_order = method, functions, mask_of(first_order, n)
        self._events, self._clocks, self._before_restart = events, listed(clocks, "clocks", "clocks"), before_restart
        self._probes: dict[int, tuple[Evaluation, Callable[..., np.ndarray]]] = {}
        values = [finite(x, "a value of held") for x in listed(held, "held", "numbers")]
        self._start = finite(t, "t"), start, speed, values
        states = bool(np.count_nonzero(self.first_order))
        self.run, self.kernels = new_record(functions, method, n, states, len(events))
        r: Any = self.run
        if states:
            copy_into(r.first_order, self.first_order.astype(float))
        if states or scale is not None:
            copy_into(r.scale, scales_of(scale, self.first_order))
        r.tolerance = positive(tolerance, "tolerance")
        r.max_step = np.inf if max_step is None else positive(max_step, "max_step")
        r.min_step = 0.0 if min_step is None else positive(min_step, "min_step")
        if jumps := times(jumps):
            r.jumps, r.number_of_jumps = r.array(jumps), len(jumps)
        self.outer = None if method.family.outer is None else method.family.outer(self)
        self._held, self._held_values = _held_places(r, functions), r.held
        self._known_values = np.array(r.held)  # that programs called from here have
        self._tells = bool(functions.sets or functions.impacts or functions.slips)
        self.made_by: tuple[Callable[..., Stepper], tuple[Any, ...], dict[str, Any]] = Stepper, (residual,), given
        self._renewed: Any = None  # the state after the last renewal
        self._begin(*self._start[:3])

    def __reduce__(self) -> Any:
        return remade, (*self.made_by, snapshot(self))

    def __deepcopy__(self, memo: Any) -> Stepper:
        return remade(*self.made_by, copy.deepcopy(snapshot(self), memo))

    def _begin(self, t: float, q: np.ndarray, qd: np.ndarray) -> None:
        r = self.run
        r.t = t
        copy_into(r.q, q)
        copy_into(r.qd, qd)
        for k, value in enumerate(self._start[3]):
            self.set_held(k, value)
        self.agenda = Agenda(self, self._events, self._clocks)
        try:
            self.restart()
        except SingularMatrixError:  # what clocks hold from the start may determine the accelerations
            if not self._clocks:
                raise
            self.agenda.begin()
            self.restart()
        else:
            self.agenda.begin()

    def reset(self, t: float | None = None, q: Any = None, qd: Any = None) -> None:
        """Return to the start, or to another state: like a new stepper of the same system, but without its preparation.

        Parameters
        ----------
        t : float, optional
            Time (s); jumps are known in the interval for which the stepper was made.
        q, qd : arrays (n,), optional
            State; that of the start if left out.

        Raises
        ------
        InputError
        SingularMatrixError, NotFiniteError

        Example
        -------
        >>> stepper = Stepper(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0])
        >>> for amplitude in (1, 2):
        ...     stepper.reset(q=[amplitude])
        ...     stepper.advance(np.pi)
        ...     print(stepper.q.round(4))
        [-1.]
        [-2.]
        """
        start = self._start
        state = [own if x is None else self._checked(name, x) for x, name, own in zip((q, qd), ("q", "qd"), start[1:3])]
        time = start[0] if t is None else finite(t, "t")
        r, n = self.run, len(self.names)
        r.h = r.taken = r.error = 0.0
        r.steps = r.rejected = r.iterations = r.jacobians = r.residuals = r.landed = r.fixed_count = r.dip = 0
        for name in ("weight", "per_weight"):
            copy_into(getattr(r, name), np.ones(n))
        copy_into(r.qdd, np.zeros(n))  # where the search for the accelerations begins
        copy_into(r.integral, np.zeros(r.m))
        self._begin(time, *state)

    @property
    def start(self) -> tuple[float, np.ndarray, np.ndarray]:
        """Time (s), coordinates and rates (n,) at the start."""
        return self._start[:3]

    # -- the state ------------------------------------------------------------------------------------------------

    @property
    def now(self) -> float:
        """Time (s) at which equations are evaluated: at a jump just after it."""
        r = self.run
        return loop.beside_jump(r, 1) if r.number_of_jumps else r.t

    @property
    def t(self) -> float:
        """Time (s)."""
        return self.run.t

    @t.setter
    def t(self, value: float) -> None:
        self.run.t = finite(value, "t")

    q = _column("q", "Coordinates (n,).")
    qd = _column("qd", "Their rates, and first-order states (n,).")
    qdd = _column("qdd", "Accelerations (n,).")

    @property
    def error(self) -> float:
        """Rate of error of the last step (eq. 22 over h), per second in the unit of the coordinates."""
        return self.run.error

    @property
    def steps(self) -> int:
        """Number of steps made."""
        return self.run.steps

    def _checked(self, name: str, value: Any) -> np.ndarray:
        return state_vector(value, name, len(self.names))

    def set_held(self, k: int, value: float) -> None:
        """Set the held quantity number `k` to a `value`, in its own unit; `renew` then finds the accelerations."""
        if self._held_values[k] == self._known_values[k] == value:
            return
        self._held_values[k] = self._known_values[k] = value
        for constants, place in self._held[k]:
            constants[place] = value

    def set_input(self, k: int, value: float, slope: float = 0.0) -> None:
        """Set the input number `k` to a `value` from now on, in its own unit, with its `slope` (per s)."""
        self.set_held(k, value)
        inputs = self.functions.inputs
        if slope or self._held_values[inputs + k]:
            self.set_held(inputs + k, slope)
            self.set_held(2 * inputs + k, self.run.t)

    def value_of(self, k: int, t: float | None = None) -> float:
        """The value of the held quantity number `k`, in its own unit: now or, before the next stop, at `t` (s)."""
        if k in self.functions.live:
            return self.functions.live[k](self.run.t if t is None else t)
        held, inputs = self._held_values, self.functions.inputs
        value = float(held[k])
        if k < inputs and held[inputs + k]:
            value += held[inputs + k] * ((self.run.t if t is None else t) - held[2 * inputs + k])
        return value

    def held_values(self) -> list[float]:
        """Everything that is held, and the present values of inputs that are functions of time, in their own units."""
        found: list[float] = np.asarray(self._held_values, dtype=float).tolist()
        for k, function in self.functions.live.items():
            found[k] = function(self.run.t)
        return found

    def probe(self, evaluation: Evaluation, m: int) -> Callable[..., np.ndarray]:
        """A function for `m` quantities (in their own units) at the present state, by an `evaluation`.

        It takes a time (s) in place of `now`.
        """
        known = self._probes.get(id(evaluation))
        if known is None:
            known = self._probes[id(evaluation)] = evaluation, self._new_probe(evaluation, m)
        return known[1]

    def _new_probe(self, evaluation: Evaluation, m: int) -> Callable[..., np.ndarray]:
        r = self.run
        constants, result = r.array(evaluation.constants), r.array([0.0] * m)
        for place, k in evaluation.held:
            self._held[k].append((constants, place))
            constants[place] = self._held_values[k]
        arrays = (r.time, r.q, r.qd, r.qdd, constants, result)
        time = r.time
        if not self.functions.native:

            def interpreted(at: float | None = None) -> np.ndarray:
                time[0] = self.now if at is None else at
                evaluation.call(*arrays)
                return np.array(result)

            return interpreted
        routine = _ROUTINE(evaluation.call.address)
        places = r.address_of_time, r.address_of_q, r.address_of_qd, r.address_of_qdd
        addresses = [*places, constants.ctypes.data, result.ctypes.data]

        def compiled(at: float | None = None) -> np.ndarray:
            time[0] = self.now if at is None else at
            routine(*addresses)
            return np.array(result)  # `arrays` and the evaluation stay in memory with this function

        compiled.keep = arrays, evaluation  # type: ignore[attr-defined]
        return compiled

    def renew(self) -> None:
        """Update accelerations, first step and rates after a change of the state, or of a held quantity."""
        self.run.fixed_count = 0
        if self.agenda.instant.given or self._state() != self._renewed:
            for effect in self._before_restart:
                effect(self)
            self.agenda.instant.given.clear()
            self.restart()
            self.settled()

    def settled(self) -> None:
        """Note that nothing follows from the present state any more: `renew` then leaves it as it is."""
        self._renewed = self._state()

    def _state(self) -> Any:
        return self.run.t, *(np.asarray(getattr(self.run, x)).tobytes() for x in ("q", "qd", "qdd", "held"))

    def __getitem__(self, name: str) -> float:
        """A coordinate, rate, acceleration, state or input by name."""
        return self.agenda.instant[name]

    def __setitem__(self, name: str, value: float) -> None:
        """Change a coordinate, a rate, a state or an input; the accelerations follow."""
        self.agenda.instant[name] = value
        self.renew()

    @property
    def events(self) -> tuple[Happening, ...]:
        """What has happened so far."""
        return tuple(self.agenda.happenings)

    # -- steps ----------------------------------------------------------------------------------------------------

    def call(self, kernel: Callable[..., int], *numbers: float) -> int:
        """The answer of a `kernel` to `numbers` (no unit); NotFiniteError if a value is not finite."""
        if self.functions.native:
            answer = kernel(self.run, *numbers)
        else:
            try:
                with np.errstate(all="ignore"):
                    answer = kernel(self.run, *numbers)
            except BaseException:  # of the residual, or Ctrl-C
                loop.put_back(self.run)
                raise
        if self._tells:
            self._told_by_loop()
        if self.outer is not None and self.functions.native:
            self.outer.tell(answer)
        return answer

    def _told_by_loop(self) -> None:
        """What the loop has done by itself: what it has renewed for programs that are called from here, its events."""
        if self.run.renewed_by_now:
            self.run.renewed_by_now = 0
            for k in np.flatnonzero(self._held_values != self._known_values).tolist():
                self.set_held(k, float(self._held_values[k]))
        if self.run.struck_rows:
            self.agenda.happened_in_loop()

    def restart(self) -> None:
        """Find the accelerations from the equations at the present state, after a jump or a change by the user.

        Raises
        ------
        SingularMatrixError, NotFiniteError
        """
        answer = self.call(self.kernels.restart)
        if answer:
            raise self.failure(answer)

    def step(self, h: float) -> float:
        """One step of length `h` (s), whatever its error; returns the rate of error (eq. 22 over h).

        Raises
        ------
        ConvergenceError, SingularMatrixError, NotFiniteError
            The state is then what it was before the step.
        """
        if type(h) is not float or not 1e-100 <= h < np.inf:
            h = _length(h, "the step h")
        r = self.run
        r.taken = h
        answer = self.call(self.kernels.step_to, h, r.t + h)
        if answer:
            raise self.failure(answer)
        if r.number_of_jumps and loop.at_jump(r, r.t):
            self.restart()
        return r.error  # type: ignore[no-any-return]

    def advance(self, h: float) -> None:
        """Advance by exactly `h` (s), in steps of controlled length.

        Events and clocks in between are carried out. An action that stops a run ends the advance at that instant, and
        `agenda.stopped` gives the reason.
        """
        r, agenda = self.run, self.agenda
        r.end = end = self.t + _length(h, "the interval h")
        r.recording, r.fixed_step = 0, 0.0
        chatter = Chatter(self)
        while agenda.stopped is None:
            r.budget = 1 if chatter.watching else UNHEARD
            answer = self.call(self.kernels.go)
            if answer == EVENT:
                agenda.at_event(end)
            elif answer == STOP:
                agenda.at_stop()
            elif answer == DIP:
                self.look_back()
            elif answer == DONE:
                if loop.at_jump(r, r.t):
                    self.restart()
                if r.t + loop.tiny(r.t) < r.next_stop:
                    break
                agenda.at_stop()  # what is due on arrival
            elif answer not in (SPENT, FULL):  # the impacts of the loop have been taken over by now
                raise self.failure(answer)
            if answer == SPENT or chatter.watching:
                chatter.look()
        agenda.leave()
        if agenda.stopped is None:
            r.t = end  # it may have landed on an event just before

    def look_back(self) -> None:
        """Fail where a change point lies in the last two steps."""
        r = self.run
        r.dip = 0
        states = (r.t_dip, r.q_dip, r.qd_dip), (r.t0, r.q0, r.qd0), (r.t, r.q, r.qd)
        t, q, qd = (np.array(x, dtype=float) for x in zip(*states, strict=True))
        error = None if self.functions.dip is None else self.functions.dip(t, q, qd, self.held_values())
        if error is not None:
            raise error

    def twin(self) -> Stepper:
        """Another stepper of the same system, at the present state, without events and clocks."""
        return Stepper(
            self.functions, q=self.q, qd=self.qd, t=self.t, method=self.method, tolerance=self.run.tolerance,
            first_order=self.first_order, names=self.names, held=self.held_values(),
        )  # fmt: skip

    # -- what went wrong ------------------------------------------------------------------------------------------

    def failure(self, answer: int) -> IntegrationError:
        """The exception for the number `answer` of a kernel: ConvergenceError, NotFiniteError, ..."""
        if answer == NO_VALUE:
            return self.agenda.without_value(self.run.g_seen)
        if answer == NEAR:
            return IntegrationError("a contact that was left out has closed.", time=self.t)
        return self.functions.better(self, explained(self.run, self.names, self.first_order, answer))


def _checked_events(events: Any) -> list[Event]:
    if not isinstance(events, list | tuple) or not all(isinstance(e, Event) for e in events):
        raise InputError(f"events is {events!r}: expected a list of Event(name, function, direction, action).")
    return list(events)


def _held_places(r: Any, functions: Functions) -> list[list[tuple[Any, int]]]:
    """Of everything that is held the places among the constants, array and index, in which it stands."""
    places: list[list[tuple[Any, int]]] = [[] for _ in functions.held]
    for name, evaluation in functions.evaluated.items():
        for place, k in evaluation.held:
            places[k].append((getattr(r, f"{name}_constants"), place))
    return places


def default_names(n: int) -> list[str]:
    """Default names of unknowns."""
    return [f"q[{j}]" for j in range(n)]


def _length(h: Any, what: str) -> float:
    """A length of time (s) above zero, of which products are too; InputError, naming `what`, otherwise."""
    if positive(h, what) < 1e-100:
        raise InputError(f"{what} is {h:g} s: expected a number above zero, 1e-100 at least.")
    return float(h)


def mask_of(first_order: Any, n: int) -> np.ndarray:
    """Truth values (n,) of indices, or of truth values, of first-order states; InputError otherwise."""
    try:
        given = np.asarray(first_order)
    except ValueError:
        given = np.array([None])
    mask = np.zeros(n, dtype=bool)
    if given.dtype == bool and given.shape == (n,):
        return given.copy()
    if given.size and (given.dtype.kind not in "iu" or given.min() < -n or given.max() >= n):
        raise InputError(f"first_order is {first_order!r}: expected indices below {n}, or {n} truth values.")
    mask[given.astype(int)] = True
    return mask


def scales_of(scale: Any, first_order: np.ndarray) -> np.ndarray:
    """Least weights (n,) of the unknowns: those of first-order states, 0 where none is given; InputError otherwise."""
    found = np.zeros(len(first_order))
    m = int(first_order.sum())
    if scale is None:
        return found
    if not m:
        raise InputError(f"scale is {scale!r}: no unknown is a first-order state; name them in first_order=[...].")
    each = [scale] * m if np.ndim(scale) == 0 else list(scale)
    if len(each) != m:
        raise InputError(f"scale has {len(each)} values: expected {m}, one for each first-order state.")
    for j, x in zip(np.flatnonzero(first_order), each, strict=True):  # infinity: its errors do not count
        found[j] = 0.0 if x is None else x if x == np.inf else positive(x, "a scale of first-order states")
    return found
