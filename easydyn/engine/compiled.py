"""Programs that run as machine code: one state at a time, or many at once."""

from __future__ import annotations

import ctypes
import inspect
import threading
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.engine import graph, llvm, program, rolling
from easydyn.engine.program import Program
from easydyn.engine.rolling import told
from easydyn.native import abreast, language
from easydyn.native.cache import key_of
from easydyn.sim.progress import waiting

LANES = 8  # states side by side


@cache
def _writers() -> list[bytes]:
    """The files that write a program as text: where it is kept as machine code, the text itself is not written."""
    return [Path(inspect.getfile(x)).read_bytes() for x in (graph, program, rolling, llvm, abreast, language)]


class CompiledProgram:
    """A program as machine code, compiled when it is first called for."""

    def __init__(self, program: Program):
        self.program = program
        self._libraries: dict[tuple[int, bool, int], Any] = {}
        self._through: dict[int, Any] = {}  # functions that go through states in rows, by the care of their compiling
        self._states = 0  # that they have gone through

    @cached_property
    def _told(self) -> str:
        return key_of(told(self.program), *_writers())

    def routine(self, lanes: int = 1) -> Any:
        """The machine code for so many states side by side."""
        return self._library(lanes).routine("evaluate")

    def _library(self, lanes: int, rows: bool = False, level: int = 1) -> Any:
        place, key = (lanes, rows, level), (self._told, f"{lanes} {rows}")
        if place not in self._libraries:
            from easydyn.native import machine

            with waiting("equations are compiled, to be kept for later runs"):
                self._libraries[place] = machine.library(lambda: llvm.module(self.program, lanes, rows), key, level)
        return self._libraries[place]

    def one(self) -> Callable[..., np.ndarray]:
        """f(t, q, qd, qdd, constants) -> array, of one state; compiled at the first call, as loops need other forms."""
        function: Any = None
        n, m = len(self.program.inputs["q"]), len(self.program.outputs)
        work, result = np.zeros(1 + 3 * n), np.zeros(max(m, 1))
        start = work.ctypes.data
        pointers = np.array([start, *(start + 8 * (1 + k * n) for k in range(3)), 0, result.ctypes.data], np.int64)
        at = ctypes.c_void_p(pointers.ctypes.data)
        q_at, qd_at, qdd_at = (work[1 + k * n : 1 + (k + 1) * n] for k in range(3))
        result = result[:m]
        held: Any = None  # the constants of the last call
        needs_qdd = "qdd" in self.program.slots
        lock = threading.Lock()  # of the buffers

        def evaluate(t: float, q: Any, qd: Any, qdd: Any, constants: np.ndarray) -> np.ndarray:
            nonlocal held, function
            with lock:
                if function is None:  # PYFUNCTYPE does not let go of Python's lock: the fastest to call
                    evaluate.routine = routine = self._library(1).routine("packed")  # type: ignore[attr-defined]
                    function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(routine.address)
                if constants is not held:
                    held, pointers[4] = constants, constants.ctypes.data
                work[0] = t
                q_at[:] = q
                qd_at[:] = qd
                if needs_qdd:
                    qdd_at[:] = qdd
                function(at)
                return result.copy()

        return evaluate  # whose routine keeps the machine code in memory

    def many(self, t: np.ndarray, states: list[np.ndarray], constants: np.ndarray) -> np.ndarray:
        """The program at N states, t (N,) and three arrays (N, n): an array (N, m)."""
        count, m = len(t), len(self.program.outputs)
        result = np.empty((count, m))
        if result.size:
            read = (slot in self.program.slots for slot in ("t", "q", "qd", "qdd"))
            arrays = [np.ascontiguousarray(x) if r else None for x, r in zip((t, *states), read, strict=True)]
            whole = count - count % LANES
            self._go_through(arrays, constants, result, whole)
            if whole < count:  # the last one is repeated
                rest = np.minimum(np.arange(whole, whole + LANES), count - 1)
                last = np.empty((LANES, m))
                self._go_through([x if x is None else x[rest] for x in arrays], constants, last, LANES)
                result[whole:] = last[: count - whole]
        return result

    def _go_through(self, arrays: Sequence[Any], constants: np.ndarray, result: np.ndarray, count: int) -> None:
        """The states in rows, a multiple of the lanes of them; what the program does not depend on is None."""
        self._states += count
        level = int(self._states > 200_000)  # few do not earn what LLVM's care costs, more than half of compiling
        if level not in self._through:
            prototype = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * (len(arrays) + 2))
            self._through[level] = prototype(self._library(LANES, True, level).routine("many").address)
        self._through[level](count, *(x if x is None else x.ctypes.data for x in (*arrays, constants, result)))


def compiled_functions(program: Program, prologue: Callable[..., Any]) -> tuple[Any, Any]:
    """(prologue, evaluate) of one state, as of the other targets; constants are an array."""
    compiled = CompiledProgram(program)
    evaluate = compiled.one()
    evaluate.compiled = compiled  # type: ignore[attr-defined]
    return (lambda p, u=(): np.array(prologue(p, u), dtype=float)), evaluate
