"""The kernels that a run calls from outside: interpreted, or compiled once and kept on disk."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from easydyn.sim import loop

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


@functools.cache
def compiled() -> Kernels:
    """The kernels as machine code: the same source, through easydyn.native."""
    from easydyn.native import compiler, machine

    entries = (loop.go, loop.restart, loop.step_to, loop.controlled_step, loop.derivatives)
    here, native = Path(loop.__file__).parent, Path(compiler.__file__).parent
    sources = [here / f"{name}.py" for name in _SOURCES] + [native / "compiler.py", native / "record.py"]
    library = machine.library(
        lambda: compiler.translate(entries), tuple(file.read_bytes() for file in sources), level=2
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
