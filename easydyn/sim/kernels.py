"""The kernels that a run calls from outside: interpreted, or compiled once and kept on disk."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from easydyn.sim import lanes, locate, loop, march, rub, strike
from easydyn.sim.family import Family
from easydyn.sim.progress import waiting

_SOURCES = (
    "run", "states", "family", "dop853", "lobatto_nodes", "sparse", "iteration", "accelerations", "newmark_step",
    "runge_kutta", "collocation", "extrapolation", "projection", "quadrature", "loop", "locate", "crossover", "strike",
    "cone", "rub", "witnesses", "march", "lanes", "scipy_methods",
)  # fmt: skip


@dataclass(frozen=True)
class Kernels:
    """The kernels that are called from outside; each answers DONE or what went wrong."""

    go: Callable[..., int]
    restart: Callable[..., int]
    step_to: Callable[..., int]
    controlled_step: Callable[..., int]
    derivatives: Callable[..., int]
    arm_anew: Callable[..., int] = locate.arm_anew
    watch: Callable[..., int] = locate.watch
    collide: Callable[..., int] = strike.collide
    change_modes: Callable[..., int] = rub.change_modes
    save_after: Callable[..., int] = march.save_after


INTERPRETED = Kernels(march.go, loop.restart, loop.step_to, loop.controlled_step, loop.derivatives)

# The same to be compiled, with the number of floats that each takes beside the record.
_ENTRIES: dict[Callable[..., int], int] = {
    march.go: 0, loop.restart: 0, loop.step_to: 2, loop.controlled_step: 1, loop.derivatives: 0,
}  # fmt: skip
_OF_EVENTS = {locate.arm_anew: 1, locate.watch: 0, strike.collide: 0, rub.change_modes: 1, march.save_after: 0}

# What a run may be without. The rest (integrals, held values, edges, states) is looked up while it runs: few kernels
# serve all models.
_OF_SYSTEM = ("number_of_events", "number_of_renewed", "number_of_gaps", "has_projection", "sparse")
FEW = 4  # unknowns up to which loops are compiled for their number
WORK, RUNS = 1e5, 2000.0  # evaluations, or runs side by side, after which quick code is replaced by good code
_COMPILING = threading.Lock()  # not twice, and Python 3.11's parser counts the depth of trees for all threads together


def compiled_for(run: Any) -> Kernels:
    """The kernels as machine code for a record: the same source, with what is known of the run put in.

    The family of the method, a small number of unknowns, and what the system does not have: what they exclude is left
    out, and short loops are unrolled.
    """
    return _compiled(tuple(sorted(_known(run).items())), run.method)


def side_by_side(run: Any) -> Callable[[Any, Any], int]:
    """The kernel for many runs (lanes.py) as machine code, for the record of a single one: of the two it is called."""
    library = functools.partial(_library, tuple(sorted(_known(run).items())), run.method, (lanes.march,))
    march = _called(library, "march", "begun", RUNS, ctypes.c_void_p)
    return lambda several, single: march(several, single.address)


def _called(library: Callable[[bool], Any], name: str, work: str, most: float, *kinds: Any) -> Callable[..., int]:
    """What calls a kernel of a `library(quick)` with a record, and arguments of these kinds.

    It is quick code until the field `work` of records has grown by `most`. The numbers of both codes are the same to
    the last digit: no sum is reordered.
    """

    def taken(quick: bool) -> tuple[Callable[..., int], float]:
        with _COMPILING:
            found = library(quick)
        routine = found.routine(name)
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *kinds)(routine.address)
        function.routine = routine  # type: ignore[attr-defined]  # keeps the library in memory
        return function, most if found.quick else inf

    function, left = taken(True)

    def call(run: Any, *others: Any) -> int:
        nonlocal function, left
        left += getattr(run, work)
        answer = function(run.address, *others)
        left -= getattr(run, work)
        if left < 0:
            function, left = taken(False)
        return answer

    return call


def _known(run: Any) -> dict[str, float]:
    """What is known of a run and does not change; as little as costs no time, so that few kernels serve all runs.

    Without events their kernels are left out. The number of unknowns is put in where it makes a difference: in runs
    without events, and where steps solve equations.
    """
    fixed: dict[str, float] = {}
    for name in _OF_SYSTEM if run.number_of_events == 0 else ("sparse",):
        if getattr(run, name) == 0:
            fixed[name] = 0
    if run.method.abreast == 1:
        fixed["has_abreast"] = 0
    if run.method.levels == 0:
        fixed["level"] = 0
    if run.n <= FEW and (run.number_of_events == 0 or not run.method.explicit):
        fixed["n"] = run.n
    return fixed


def _description(family: Family) -> str:
    """The kernels of a family by name, and its numbers."""
    return repr([(k, f"{x.__module__}.{x.__qualname__}" if callable(x) else x) for k, x in vars(family).items()])


@functools.cache
@waiting("the method is compiled, once for all models of this kind")
def _library(
    fixed: tuple[tuple[str, float], ...], family: Family, entries: tuple[Callable[..., int], ...], quick: bool
) -> Any:
    """The machine code of some kernels, and of those that they call; where it is new, `quick`, or compiled well."""
    from easydyn.native import machine

    here, native = Path(loop.__file__).parent, Path(machine.__file__).parent
    sources = [here / f"{name}.py" for name in _SOURCES] + [
        native / f"{name}.py" for name in ("compiler", "expressions", "language", "abreast")
    ]

    def text() -> str:
        from easydyn.native import compiler

        return compiler.translate(entries, dict(fixed), {"method": family})

    own = all(f.__module__.removeprefix("easydyn.sim.") in _SOURCES for f in vars(family).values() if callable(f))
    names = " ".join(kernel.__name__ for kernel in entries)
    level = 3 if "n" in dict(fixed) and family.abreast == 1 else 2  # else the loops are written out
    return machine.library(
        text,
        # a family from elsewhere: nobody knows of what other files its kernels are made
        (names, repr(fixed), _description(family), *(file.read_bytes() for file in sources)) if own else (text(),),
        level, quick,
    )


@functools.cache
def _compiled(fixed: tuple[tuple[str, float], ...], family: Family) -> Kernels:
    entries = dict(_ENTRIES) if ("number_of_events", 0) in fixed else _ENTRIES | _OF_EVENTS
    library = functools.partial(_library, fixed, family, tuple(entries))
    return Kernels(**{
        kernel.__name__: _called(library, kernel.__name__, "residuals", WORK, *[ctypes.c_double] * numbers)
        for kernel, numbers in entries.items()
    })  # fmt: skip
