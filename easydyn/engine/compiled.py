"""Programs that run as machine code: one state at a time, or many at once."""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from easydyn.engine import llvm
from easydyn.engine.program import Program
from easydyn.engine.targets import python_functions
from easydyn.native.record import Array, Function, Memory, Record

LANES = 8  # states side by side


class Batch(Record):
    """Many states (count n), and what is to be evaluated at each of them (count m)."""

    count: int
    n: int
    m: int
    lanes: int
    t: Array
    q: Array
    qd: Array
    qdd: Array
    constants: Array
    result: Array
    function: Function
    t_abreast: Array
    q_abreast: Array
    qd_abreast: Array
    qdd_abreast: Array
    result_abreast: Array


def evaluate_all(s: Batch) -> None:
    """The function at all states, `lanes` of them side by side; where too few are left, the last one is repeated."""
    lanes = s.lanes
    first = 0
    while first < s.count:
        for lane in range(lanes):
            k = min(first + lane, s.count - 1)
            s.t_abreast[lane] = s.t[k]
            for i in range(s.n):
                s.q_abreast[i * lanes + lane] = s.q[k * s.n + i]
                s.qd_abreast[i * lanes + lane] = s.qd[k * s.n + i]
                s.qdd_abreast[i * lanes + lane] = s.qdd[k * s.n + i]
        s.function(s.t_abreast, s.q_abreast, s.qd_abreast, s.qdd_abreast, s.constants, s.result_abreast)
        for lane in range(min(lanes, s.count - first)):
            for i in range(s.m):
                s.result[(first + lane) * s.m + i] = s.result_abreast[i * lanes + lane]
        first += lanes


@functools.cache
def _evaluate_all() -> tuple[Any, Any]:
    from easydyn.native import compiler, machine

    text = compiler.translate([evaluate_all])
    library = machine.library(lambda: text, (text,), level=2)
    routine = library.routine("evaluate_all")
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(routine.address), library


class CompiledProgram:
    """A program as machine code, compiled when it is first called for."""

    def __init__(self, program: Program):
        self.program = program
        self._libraries: dict[int, Any] = {}

    def routine(self, lanes: int = 1) -> Any:
        """The machine code for so many states side by side."""
        return self._library(lanes).routine("evaluate")

    def _library(self, lanes: int) -> Any:
        if lanes not in self._libraries:
            from easydyn.native import machine

            text = llvm.module(self.program, lanes)
            self._libraries[lanes] = machine.library(lambda: text, (text,), level=1)
        return self._libraries[lanes]

    def one(self) -> Callable[..., np.ndarray]:
        """f(t, q, qd, qdd, constants) -> array, of one state."""
        routine, m = self._library(1).routine("packed"), len(self.program.outputs)
        # PYFUNCTYPE does not let go of Python's lock: the fastest to call
        function = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(routine.address)
        n = len(self.program.inputs["q"])
        work, result = np.zeros(1 + 3 * n), np.zeros(max(m, 1))
        start = work.ctypes.data
        pointers = np.array(
            [start, *(start + 8 * (1 + k * n) for k in range(3)), 0, result.ctypes.data], dtype=np.int64
        )
        at = ctypes.c_void_p(pointers.ctypes.data)
        q_at, qd_at, qdd_at = (work[1 + k * n : 1 + (k + 1) * n] for k in range(3))
        result = result[:m]
        held: Any = None  # the constants of the last call
        lock = threading.Lock()  # of the buffers

        def evaluate(t: float, q: Any, qd: Any, qdd: Any, constants: np.ndarray) -> np.ndarray:
            nonlocal held
            with lock:
                if constants is not held:
                    held, pointers[4] = constants, constants.ctypes.data
                work[0] = t
                q_at[:] = q
                qd_at[:] = qd
                qdd_at[:] = qdd
                function(at)
                return result.copy()

        evaluate.routine = routine  # type: ignore[attr-defined]  # keeps the machine code in memory
        return evaluate

    def many(self, t: np.ndarray, states: list[np.ndarray], constants: np.ndarray) -> np.ndarray:
        """The program at N states, t (N,) and three arrays (N, n): an array (N, m)."""
        count, n = states[0].shape
        m = len(self.program.outputs)
        if count == 0:
            return np.zeros((0, m))
        s = Memory.of(Batch)()
        s.count, s.n, s.m, s.lanes = count, n, m, LANES
        s.t, s.constants = s.array(t), constants
        s.q, s.qd, s.qdd = (np.ascontiguousarray(x, dtype=float).ravel() for x in states)
        s.result = np.empty(count * m)
        s.function = self.routine(LANES)
        s.t_abreast = np.zeros(LANES)
        s.q_abreast, s.qd_abreast, s.qdd_abreast = (np.zeros(LANES * n) for _ in range(3))
        s.result_abreast = np.zeros(LANES * m)
        _evaluate_all()[0](s.address)
        return s.result.reshape(count, m)


def compiled_functions(program: Program) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """(prologue, evaluate) of one state, as of the other targets; constants are an array."""
    prologue, _ = python_functions(program)
    compiled = CompiledProgram(program)
    evaluate = compiled.one()
    evaluate.compiled = compiled  # type: ignore[attr-defined]
    return (lambda p, u=(): np.array(prologue(p, u), dtype=float)), evaluate
