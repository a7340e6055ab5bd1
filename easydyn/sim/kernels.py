"""The kernels that a run calls from outside: interpreted, or compiled once and kept on disk."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from easydyn.sim import loop
from easydyn.sim.run import EXTRAPOLATION

_SOURCES = ("run", "newton", "newmark_step", "runge_kutta", "extrapolation", "loop")


@dataclass(frozen=True)
class Kernels:
    """The kernels go(run), restart(run), step_to(run, h, end), controlled_step(run, target), derivatives(run).

    Each answers DONE or what went wrong.
    """

    go: Callable[..., int]
    restart: Callable[..., int]
    step_to: Callable[..., int]
    controlled_step: Callable[..., int]
    derivatives: Callable[..., int]


INTERPRETED = Kernels(loop.go, loop.restart, loop.step_to, loop.controlled_step, loop.derivatives)


FEW = 4  # unknowns up to which loops are compiled for their number


def compiled_for(run: Any) -> Kernels:
    """The kernels as machine code for a record: the same source, with what is known of the run put in.

    The family of the method, a small number of unknowns, and what the system does not have: what they exclude is left
    out, and short loops are unrolled.
    """
    fixed: dict[str, float] = {"family": run.family, "has_states": run.has_states}
    for name in ("m", "alpha_f", "alpha_m", "levels"):
        if getattr(run, name) == 0:
            fixed[name] = getattr(run, name)
    if run.family != EXTRAPOLATION:
        fixed["level"] = 0
    if run.n <= FEW:
        fixed["n"] = run.n
    return _compiled(tuple(sorted(fixed.items())))


@functools.cache
def _compiled(fixed: tuple[tuple[str, float], ...]) -> Kernels:
    from easydyn.native import compiler, machine

    entries = (loop.go, loop.restart, loop.step_to, loop.controlled_step, loop.derivatives)
    here, native = Path(loop.__file__).parent, Path(compiler.__file__).parent
    sources = [here / f"{name}.py" for name in _SOURCES] + [
        native / f"{name}.py" for name in ("compiler", "expressions", "language")
    ]
    library = machine.library(
        lambda: compiler.translate(entries, dict(fixed)),
        (repr(fixed), *(file.read_bytes() for file in sources)),
        level=3 if "n" in dict(fixed) else 2,
    )

    def callable_of(name: str, parameters: int) -> Callable[..., int]:
        routine = library.routine(name)
        prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, *[ctypes.c_double] * parameters)
        function = prototype(routine.address)

        def call(run: Any, *numbers: float) -> int:
            return int(function(run.address, *numbers))

        call.routine = routine  # type: ignore[attr-defined]  # keeps the library in memory
        return call

    numbers = {"go": 0, "restart": 0, "step_to": 2, "controlled_step": 1, "derivatives": 0}
    return Kernels(**{name: callable_of(name, count) for name, count in numbers.items()})
