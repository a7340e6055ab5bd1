"""Functions of a run in the form that kernels call: (time, q, qd, qdd, constants, result), all arrays.

Made of a residual in Python by `of_python`, for kernels that are interpreted; `native` functions, for compiled kernels,
come from whoever can compile equations. Either kind is stepped by the same kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from easydyn.errors import EasyDynError, FunctionError, InputError, IntegrationError, in_your_function
from easydyn.inputs import function, is_function, real_array
from easydyn.native.record import Array
from easydyn.sim.run import Run
from easydyn.sim.sparse import Plan

Residual = Callable[[float, np.ndarray, np.ndarray, np.ndarray], Any]
_FLOAT = np.dtype(float)

# What kernels call with constants of its own, by its name in the record of a run.
EVALUATED = tuple(name for name in Run.fields() if f"{name}_constants" in Run.fields())


@dataclass(frozen=True)
class Evaluation:
    """A function as kernels call it (a Python function, or a compiled one), and its constants."""

    call: Any
    constants: Sequence[float] = ()
    held: Sequence[tuple[int, int]] = ()  # (place among the constants, index of what is held)
    key: Any = None  # of the program that it is, where it is one


@dataclass(frozen=True)
class Functions:
    """The functions of one system.

    Attributes
    ----------
    evaluated : dict of str to Evaluation
        By the names that they have in the record of a run (run.py), where a new one is entered: `residual`,
        f(t, q, qd, qdd), n values; `mass_matrix` and `accelerations`, df/dqdd (n n values) and qdd (n values), found
        from the residual where they are missing; `rates` of what is integrated along the run, m values; `events`, the
        switching functions of events.
    native : bool
        All functions are machine code.
    abreast : Evaluation, optional
        The residual of `width` states side by side.
    accelerations_abreast : Evaluation, optional
        The accelerations of eight states side by side.
    plan : Plan, optional
        Of iteration matrices that are mostly zero, where the functions are machine code.
    m : int
        Integrals along the run.
    linear : bool
        The residual is linear in qdd.
    edges : int
        How many events, at the end, are edges of domains; behind the functions stand the rates of theirs.
    explain : callable, optional
        A better exception for what a stepper failed with, `explain(stepper, error)`.
    energy : Evaluation, optional
        What the last of the integrals accounts for: a sudden change of it, by an action, is added there.
    switching : callable, optional
        Of a stepper, and a state (q, qd): where laws jump, the difference that is zero there, by a text.
    held : sequence of str
        Names of what is constant between events; the first `inputs` of them are inputs.
    live : mapping
        Of these, by index, those that are a function of time.
    flags : sequence of str
        Of those that are held, beside inputs, what actions may set.
    steady : set of str
        States that no action may set.
    """

    evaluated: Mapping[str, Evaluation]
    native: bool = False
    abreast: Evaluation | None = None
    width: int = 1
    accelerations_abreast: Evaluation | None = None
    plan: Plan | None = None
    m: int = 0
    linear: bool = False
    edges: int = 0
    explain: Callable[[Any, IntegrationError], IntegrationError] | None = None
    energy: Evaluation | None = None
    switching: Callable[..., Mapping[str, float]] | None = None
    held: Sequence[str] = ()
    inputs: int = 0
    live: Mapping[int, Callable[[float], float]] = field(default_factory=dict)
    flags: Sequence[str] = ()
    steady: frozenset[str] = frozenset()
    keep: Any = field(default=None, repr=False)
    blanks: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)  # records (blank.py)

    def __post_init__(self) -> None:
        assert "residual" in self.evaluated and set(self.evaluated) <= set(EVALUATED), sorted(self.evaluated)

    def also(self, **evaluations: Evaluation) -> Functions:
        """The same functions and some more."""
        return replace(self, evaluated={**self.evaluated, **evaluations})

    def better(self, stepper: Any, error: IntegrationError) -> IntegrationError:
        """The exception that names the cause of what a `stepper` failed with, where somebody can; else the `error`."""
        return error if self.explain is None else self.explain(stepper, error)


def of_python(residual: Residual, n: int) -> Functions:
    """The functions of a residual f(t, q, qd, qdd) -> (n,) of plain numbers."""
    function(residual, "the residual", "t, q, qd, qdd")
    asked = False

    def call(time: Array, q: Array, qd: Array, qdd: Array, constants: Array, result: Array) -> None:
        nonlocal asked
        try:
            f = residual(time[0], np.array(q), np.array(qd), np.array(qdd))
            if not asked:
                asked = True
                again = residual(time[0], np.array(q), np.array(qd), np.array(qdd))
                if not np.array_equal(_checked(f, n), _checked(again, n), equal_nan=True):
                    raise InputError(
                        f"the residual gave {f} and then {again} for the same state, at t = {time[0]:g} s: expected a "
                        "function of t, q, qd and qdd alone. It must not count its calls, nor keep what it computed, "
                        "nor take random numbers."
                    )
        except EasyDynError:
            raise
        except Exception as error:
            where = f"t = {time[0]:g} s"
            raise FunctionError(in_your_function("the residual", where, error), time=time[0]) from error
        if type(f) is not np.ndarray or f.dtype is not _FLOAT or f.shape != (n,):
            f = _checked(f, n)
        result[:] = f.tolist()

    return Functions({"residual": Evaluation(call)})


def rates_of_python(rates: Callable[..., Any], t: float, q: Any, qd: Any, qdd: Any) -> tuple[Evaluation, int]:
    """The rates g(t, q, qd, qdd) -> (m,), and m, found by calling them once."""
    if not is_function(rates):
        raise InputError(f"rates is {rates!r}: expected a function g(t, q, qd, qdd) -> (m,).")
    function(rates, "rates", "t, q, qd, qdd")

    def values(time: float, *state: Any) -> np.ndarray:
        try:
            given = rates(time, *(np.array(x, dtype=float) for x in state))
        except EasyDynError:
            raise
        except Exception as error:
            raise FunctionError(in_your_function("the function rates", f"t = {time:g} s", error), time=time) from error
        found = real_array(given, "what rates returned")
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
    """The array (n,) of what a residual returned in another form."""
    values = real_array(f, "what the residual returned", f"an array of {n} real numbers")
    if values.shape != (n,):
        raise InputError(f"the residual returned shape {values.shape}: expected ({n},), one value per coordinate.")
    return values
