"""Functions of a run in the form that kernels call: (time, q, qd, qdd, constants, result), all arrays.

`of_python` makes them from a residual in Python, for interpreted kernels. `native` functions, for compiled kernels,
come from the module that compiles the equations. The same kernels step both kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError, FunctionError, InputError, IntegrationError, in_your_function
from easydyn.inputs import expect, function, is_function, real_array
from easydyn.native.record import Array
from easydyn.sim.run import Run
from easydyn.sim.sparse import Groups, Plan

Residual = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]
_FLOAT = np.dtype(float)

# Functions that kernels call, each with its own constants, by their names in the record of a run.
EVALUATED = tuple(name for fields in [Run.fields()] for name in fields if f"{name}_constants" in fields)


def at_time(t: float, *_: Any) -> str:
    """When a function of time was called, in words."""
    return f"t = {t:g} s"


@dataclass(eq=False)
class Guarded:
    """A user's own function: what it raises becomes an error of a `kind` that says `where` and `when`."""

    function: Any
    where: str
    kind: type[EasyDynError] = FunctionError
    when: Callable[..., str] = at_time

    def __call__(self, *given: Any) -> Any:
        try:
            return self.function(*given)
        except EasyDynError:
            raise
        except Exception as error:
            time = {"time": given[0]} if self.when is at_time and issubclass(self.kind, IntegrationError) else {}
            raise self.kind(in_your_function(self.where, self.when(*given), error), **time) from error


@dataclass(frozen=True)
class Evaluation:
    """A function as kernels call it (a Python function, or a compiled one), and its constants."""

    call: Any
    constants: Sequence[float] = ()
    held: Sequence[tuple[int, int]] = ()  # (place among the constants, index of the held value)
    key: Any = None  # of the program, if the function is one


@dataclass(frozen=True)
class Impacts:
    """The gaps of a system: unknowns of their impulses, columns of their gradients, what is held, times of rest (s).

    `first` is the number of the first of their events.
    """

    unknowns: Sequence[int]
    columns: Sequence[list[int]]
    flags: Sequence[int]
    compliances: Sequence[int]
    rest: Sequence[float]
    first: int


@dataclass(frozen=True)
class Slips:
    """Slips that each hold a coordinate of their own: its column, and the places among what is held of its mode.

    A mode is a direction of sliding, and whether the slip sticks. `numbers` are those that are measured of all, `first`
    is the number of the first of their events, `alone` is true where no other event is to be told of what they do.
    """

    columns: Sequence[int]
    modes: Sequence[tuple[int, int]]
    numbers: int
    first: int
    alone: bool


@dataclass(frozen=True)
class Functions:
    """The functions of one system.

    Attributes
    ----------
    evaluated : dict of str to Evaluation
        The functions by their names in the record of a run (run.py), where new ones are declared. `residual` is
        f(t, q, qd, qdd), n values. `mass_matrix` is df/dqdd, n n values, and `accelerations` is qdd, n values; both
        follow from the residual if they are missing. `rates` are the m rates of what is integrated along the run.
        `events` are the switching functions of events. `energy` is the quantity whose changes the last integral
        collects: if an action changes it suddenly, the change is added to that integral.
    native : bool
        True if all functions are machine code.
    abreast : Evaluation, optional
        Evaluates the residual of `width` states at a time.
    accelerations_abreast : Evaluation, optional
        Evaluates the accelerations of eight states at a time.
    plan : Plan, optional
        How to factorise iteration matrices that are mostly zero, if the functions are machine code.
    groups : Groups, optional
        How they fall into blocks instead, if the functions are machine code.
    m : int
        Number of integrals along the run.
    linear : bool
        True if the residual is linear in qdd.
    edges : int
        Number of events that are edges of domains. They are the last events; the rates of their switching functions
        follow after all switching functions.
    usual_energy : float
        An energy (J) that works are compared with, as long as they are smaller; infinite where none is known.
    explain : callable, optional
        `explain(stepper, error)` returns an exception that names the cause of the error.
    of_time : callable, optional
        `of_time(t, start)` is the change since the start of the part of it that time alone determines, at instants t.
        The rates do not contain its rate.
    switching : callable, optional
        `switching(stepper, q, qd)` gives, by a text, the differences that are zero where laws of forces jump.
    dip : callable, optional
        `dip(t, q, qd, held)` is the error if constraints depend on each other between three states (3, n) at times t.
    smooth : callable
        True if it is known that no law jumps with the state.
    held : sequence of str
        Names of the values that are constant between events; the first `inputs` of them are inputs.
    live : mapping
        The held values that are functions of time, by index.
    flags : sequence of str
        Names of held values other than inputs that actions may set.
    steady : set of str
        Names of the states that no action may set.
    sets : sequence of (int, str, int)
        What `renewals`, one of the functions evaluated, gives: the loose event at which it is set, and where it stands,
        "q", "qd" or "held" and an index. With machine code the loop sets it, else the actions of the events do.
    impacts : Impacts, optional
        The gaps whose impacts the loop finds, with machine code; `gaps`, one of the functions evaluated, measures them.
    slips : Slips, optional
        The slips whose modes the loop finds; `slips`, one of the functions evaluated, measures them.
    left_out : int
        The number of gaps that are left out; `distances`, one of the functions evaluated, gives them, then their rates.
    whole : tuple, optional
        Of what a run shows, where that is more than it has: unknowns, mask of states, names of what is held, where
        among these the numbers of a row of its own stand, and the number of integrals.
    way : float
        How far coordinates go until another state is kept, beside those that are saved; below 0 for every step, 0 for
        no such states.
    """

    evaluated: Mapping[str, Evaluation]
    native: bool = False
    abreast: Evaluation | None = None
    width: int = 1
    accelerations_abreast: Evaluation | None = None
    plan: Plan | None = None
    groups: Groups | None = None
    m: int = 0
    usual_energy: float = np.inf
    linear: bool = False
    edges: int = 0
    explain: Callable[[Any, IntegrationError], IntegrationError] | None = None
    of_time: Callable[[np.ndarray, float], np.ndarray] | None = None
    switching: Callable[..., Mapping[str, float]] | None = None
    dip: Callable[..., IntegrationError | None] | None = None
    smooth: Callable[[], bool] = bool  # of functions of Python nobody knows
    held: Sequence[str] = ()
    inputs: int = 0
    live: Mapping[int, Callable[[float], float]] = field(default_factory=dict)
    flags: Sequence[str] = ()
    steady: frozenset[str] = frozenset()
    sets: Sequence[tuple[int, str, int]] = ()
    impacts: Impacts | None = None
    slips: Slips | None = None
    left_out: int = 0
    whole: Any = None
    way: float = 0.0
    keep: Any = field(default=None, repr=False)
    blanks: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # records (blank.py)

    def __post_init__(self) -> None:
        assert "residual" in self.evaluated and set(self.evaluated) <= set(EVALUATED), sorted(self.evaluated)

    def also(self, **evaluations: Evaluation) -> Functions:
        """These functions together with others."""
        return replace(self, evaluated={**self.evaluated, **evaluations})

    def better(self, stepper: Any, error: IntegrationError) -> IntegrationError:
        """An exception that names the cause of the `error` of a `stepper`; the `error` itself if no cause is known."""
        return error if self.explain is None else self.explain(stepper, error)


def of_python(residual: Residual, n: int) -> Functions:
    """The functions of a residual f(t, q, qd, qdd) -> (n,) of plain numbers."""
    function(residual, "the residual", "t, q, qd, qdd")
    asked, guarded = False, Guarded(residual, "the residual")

    def call(time: Array, q: Array, qd: Array, qdd: Array, constants: Array, result: Array) -> None:
        nonlocal asked
        f = guarded(time[0], np.array(q), np.array(qd), np.array(qdd))
        if not asked:
            asked = True
            again = guarded(time[0], np.array(q), np.array(qd), np.array(qdd))
            if not np.array_equal(_checked(f, n), _checked(again, n), equal_nan=True):
                raise InputError(
                    f"the residual gave {f} and then {again} for the same state, at t = {time[0]:g} s: expected a "
                    "function of t, q, qd and qdd alone. It must not count its calls, nor keep what it computed, nor "
                    "take random numbers."
                )
        if type(f) is not np.ndarray or f.dtype is not _FLOAT or f.shape != (n,):
            f = _checked(f, n)
        result[:] = f.tolist()

    return Functions({"residual": Evaluation(call)})


def rates_of_python(rates: Callable[..., Any], t: float, q: Any, qd: Any, qdd: Any) -> tuple[Evaluation, int]:
    """The rates g(t, q, qd, qdd) -> (m,), and m, found by calling them once."""
    expect(is_function(rates), "rates", rates, "a function g(t, q, qd, qdd) -> (m,)")
    guarded = Guarded(function(rates, "rates", "t, q, qd, qdd"), "the function rates")

    def values(time: float, *state: Any) -> np.ndarray:
        found = real_array(guarded(time, *(np.array(x, dtype=float) for x in state)), "what rates returned")
        if found.ndim != 1:
            raise InputError(f"rates returned shape {found.shape}: expected (m,).")
        return found

    m = len(values(t, q, qd, qdd))

    def call(time: Array, q: Array, qd: Array, qdd: Array, constants: Array, result: Array) -> None:
        found = values(time[0], q, qd, qdd)
        if len(found) != m:
            raise InputError(f"rates returned shape {found.shape}: expected ({m},), as at the start.")
        result[:] = found.tolist()

    return Evaluation(call), m


def _checked(f: Any, n: int) -> np.ndarray:
    """The values that a residual returned in another form, as an array (n,)."""
    values = real_array(f, "what the residual returned", f"an array of {n} real numbers")
    if values.shape != (n,):
        raise InputError(f"the residual returned shape {values.shape}: expected ({n},), one value per coordinate.")
    return values
