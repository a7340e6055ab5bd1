"""LLVM's intermediate representation as machine code in memory, through llvmlite.

It is made for the processor of this machine; `EASYDYN_CPU` names another one, in LLVM's words (x86-64, skylake-avx512).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib.util
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from easydyn.errors import SlowRunWarning, calls_to_user
from easydyn.native import cache

# What generated code may call of the C library: looked up here, as not every platform shows these names to LLVM.
_MATHEMATICS = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
    "log", "pow", "fmod", "floor", "ceil", "memcpy", "memset", "memmove",
)  # fmt: skip


QUICK = -1  # level of compiling: a third to a half of the time that it takes to compile well

_OF_WINDOWS = ("__chkstk",)  # what code with long arrays on the stack calls there, of the system itself


@functools.cache
def available() -> bool:
    """True when machine code can be made here: the package llvmlite is installed and works. If not, it is said once."""
    why = missing()
    if why and importlib.util.find_spec("llvmlite") is not None:
        warnings.warn(
            f"no machine code can be made here ({why}): equations and time loops are evaluated by Python, which takes "
            "up to a hundred times longer. Install llvmlite anew (pip install --force-reinstall llvmlite); `python -m "
            "easydyn info` says what there is.",
            SlowRunWarning,
            stacklevel=calls_to_user(),
        )
    return not why


def missing() -> str:
    """Why no machine code can be made here; empty where it can."""
    if importlib.util.find_spec("llvmlite") is None:
        return "the package llvmlite is not installed"
    try:
        _host()
    except (ImportError, OSError, RuntimeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""


class _Host:
    """The processor for which code is made, as LLVM names it: that of this machine, or the one asked for."""

    def __init__(self) -> None:
        import llvmlite
        import llvmlite.binding as llvm

        self.llvm = llvm
        if tuple(int(x) for x in llvmlite.__version__.split(".")[:2]) < (0, 45):
            raise ImportError("llvmlite is older than 0.45")
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        there = llvm.get_host_cpu_features()
        named = os.environ.get("EASYDYN_CPU", "")
        self.processor = named or llvm.get_host_cpu_name()
        # Another processor brings its own features, but never one that this machine lacks: the code is to run here.
        self.features = there.flatten() if not named else ",".join(f"-{name}" for name in there if not there[name])
        self.version = f"{llvmlite.__version__} {llvm.llvm_version_info}"
        self.triple = llvm.get_process_triple()
        for name, library in self.called(sys.platform).items():
            address = ctypes.cast(getattr(ctypes.CDLL(library), name), ctypes.c_void_p).value
            assert address is not None
            llvm.add_symbol(name, address)

    @staticmethod
    def called(platform: str) -> dict[str, str | None]:
        """What generated code may call on a platform, and the library in which each is."""
        if platform == "win32":
            return {**dict.fromkeys(_MATHEMATICS, "ucrtbase"), **dict.fromkeys(_OF_WINDOWS, "ntdll")}
        own: str | None = None if platform == "darwin" else ctypes.util.find_library("m") or "libm.so.6"
        return dict.fromkeys(_MATHEMATICS, own)

    def machine(self, level: int) -> Any:
        """A target machine that generates code with so much care; what runs the code takes it over."""
        return self.llvm.Target.from_triple(self.triple).create_target_machine(
            cpu=self.processor, features=self.features, opt=level, reloc="default", codemodel="jitdefault", jit=True
        )

    def compile(self, text: str, level: int) -> bytes:
        """The object file of a module; level 1 runs no passes of LLVM's, QUICK few, 2 and 3 all (long, short loops)."""
        module = self.llvm.parse_assembly(text)
        module.triple = self.triple
        machine = self.machine(abs(level))
        module.data_layout = str(machine.target_data)
        module.verify()
        if level > 1:
            options = self.llvm.create_pipeline_tuning_options(speed_level=2)
            options.loop_vectorization, options.loop_unrolling = level == 2, level == 3
            builder = self.llvm.create_pass_builder(machine, options)
            builder.getModulePassManager().run(module, builder)
        if level == QUICK:
            passes = self.llvm.create_new_module_pass_manager()
            passes.add_sroa_pass()
            passes.add_simplify_cfg_pass()
            passes.add_instruction_combine_pass()
            passes.add_simplify_cfg_pass()
            passes.run(module, self.llvm.create_pass_builder(machine, self.llvm.create_pipeline_tuning_options()))
        return machine.emit_object(module)


@functools.cache
def _host() -> _Host:
    return _Host()


class Routine:
    """A compiled function: its address, and the library that holds it."""

    def __init__(self, library: Library, address: int):
        self.library, self.address = library, address


class Library:
    """Machine code in memory, as long as this object lives; `quick` where it was compiled so."""

    def __init__(self, code: bytes, quick: bool = False):
        self.quick = quick
        llvm = _host().llvm
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _host().machine(1))
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        self._engine.finalize_object()
        self._routines = WeakValueDictionary[str, Routine]()  # they hold the library, not it them

    def routine(self, name: str) -> Routine:
        """The function of that name."""
        found = self._routines.get(name)
        if found is None:
            address = self._engine.get_function_address(name)
            assert address, f"no function {name} in the compiled object"
            found = self._routines[name] = Routine(self, address)
        return found


def library(write: Callable[[], str], depends_on: tuple[str | bytes, ...], level: int, quick: bool = False) -> Library:
    """The machine code of the text that `write` gives, from the cache if it is there.

    Parameters
    ----------
    write : callable
        Returns the module, in LLVM's intermediate representation; called only when it must be compiled.
    depends_on : tuple of str or bytes
        All that the text depends on.
    level : int
        1 to compile fast; to compile well, 2 (loops are vectorized) or 3 (short loops are unrolled).
    quick : bool
        True: what the cache does not have is compiled by level QUICK.
    """
    host = _host()
    for one in (level, QUICK)[: 1 + quick]:
        key = cache.key_of(host.version, host.triple, host.processor, host.features, str(one), *depends_on)
        code = cache.load(key)
        if code is not None:
            return Library(code, one == QUICK)
    code = host.compile(write(), one)
    cache.store(key, code)
    return Library(code, one == QUICK)


def processor() -> str:
    """The processor for which code is made, as LLVM names it, and the version of llvmlite and LLVM."""
    host = _host()
    return f"{host.processor} ({host.triple}), llvmlite {host.version}"
