"""Machine code: the compiler of kernels, programs of the engine, the cache on disk; what compiles must change nothing.

The judges are Python itself (a kernel is Python), NumPy, and mpmath for sines and cosines.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import ctypes
import errno
import hashlib
import importlib.util
import itertools
import math
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from math import isfinite, sqrt
from pathlib import Path
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
import sympy
from chance import first
from targets import needs_llvmlite
from together import together

from easydyn import Model, examples, files, tdisp, trotz
from easydyn.engine import llvm, targets
from easydyn.engine.compiled import LANES, CompiledProgram, compiled_functions
from easydyn.engine.graph import BINARY, UNARY, Graph
from easydyn.engine.program import Program
from easydyn.engine.rolling import FEWEST, LONG, told
from easydyn.engine.targets import numpy_functions, python_functions, python_prologue
from easydyn.errors import MissingDependencyError, NotFiniteError, SlowRunWarning
from easydyn.native import cache, compiler, machine
from easydyn.native.record import INTERPRETED, Array, Function, Memory, Record
from easydyn.sim import lanes

pytestmark = needs_llvmlite


@pytest.fixture
def cache_folder(tmp_path, monkeypatch):
    """A folder of compiled objects for one test, empty, with blanks in its name."""
    place = tmp_path / "a cache" / "of its own"
    monkeypatch.setenv("EASYDYN_CACHE", str(place))
    return place


# -- kernels: what compiles gives what Python gives -----------------------------------------------------------------


class Data(Record):
    i: int
    j: int
    k: int
    x: float
    y: float
    z: float
    a: Array
    b: Array
    f: Function


FIVE, HALF, YES, LARGE = 5, 0.5, True, math.inf


def branches(s: Data) -> None:
    if s.x < s.y:
        s.i = 1
    elif s.x == s.y:
        s.i = 2
    else:
        s.i = 3
    if not s.x < s.y:
        s.j = -s.i
    if s.x:
        s.k = 7
    if s.i == 1:
        if s.y > 0:
            s.z = 1.5
        else:
            s.z = -0.0


def whiles(s: Data) -> None:
    n = 0
    while True:
        n += 1
        if n > 100:
            break
        if n - 3 == 0:
            continue
        inner = 0
        while inner < n:
            inner += 1
            if inner == 4:
                break
            if inner < 2:
                continue
            s.x += inner * 0.1
        s.i += inner
    while s.j > 0:
        s.j -= 2
    s.k = n


def ranges(s: Data) -> None:
    for n in range(4):
        s.a[n] = n
    for n in range(2, 6):
        s.x += n
    for n in range(s.j, s.i):
        s.y += 1.0 + n
    for n in range(5, -1, -2):
        s.z = 10 * s.z + n
    for n in range(0, 7, 3):
        s.k = 10 * s.k + n
    for n in range(3, 3):
        s.x = -1e9 * n
    for n in range(-3):
        s.x = -1e9 * n
    for n in range(0, 5, -1):
        s.x = -1e9 * n
    for n in range(s.j, s.j - 4, -1):
        s.b[0] += n


def range_is_fixed_at_the_start(s: Data) -> None:
    count = 4
    for n in range(count):
        count = 100
        s.i += 1
        n += 50
        s.j = n
    for n in range(s.k):
        s.k = 0
        s.x += 1.0
        if n > 2:
            break


def nested_loops(s: Data) -> None:
    for n in range(6):
        if n == 1:
            continue
        for m in range(6):
            if m == n:
                continue
            if m > 4:
                break
            while s.k < 3:
                s.k += 1
                if s.k == 2:
                    break
            s.x = 1.1 * s.x + n - m
        if n == 4:
            break
    s.i = n
    s.j = m


def early_return(s: Data) -> None:
    s.i = found_at(s.a, 6, s.x)
    s.j = sign_of(s.y)
    if s.i == 2:
        return
    s.k = 9


def found_at(a: Array, n: int, x: float) -> int:
    for i in range(n):
        if a[i] == x:
            return i
    return -1


def sign_of(x: float) -> int:
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


def conditional_expressions(s: Data) -> None:
    s.x = s.y if s.y > 0 else s.z
    s.i = 1 if s.x > 0 else 2 if s.y > 0 else 3
    s.z = (1.0 if s.i == 1 else 2.0) * (s.a[0] if s.j < 0 else s.a[s.j])
    other = s.a if s.y > 0 else s.b
    other[1] = 77.0


def short_circuit(s: Data) -> None:
    n = 4
    for m in range(-2, 8):
        if 0 <= m and m < n and s.a[m] > 0:
            s.i += 1
        if m < 0 or m >= n or s.a[m] < 0:
            s.j += 1
        if not (m >= 0 and m < n) or s.a[m] == 1.0:
            s.k += 1
    if s.x != 0 and 1 / s.x > 1:
        s.y = 2.0
    if counted(s) or counted(s) or counted(s):
        s.z = 3.0


def counted(s: Data) -> bool:
    s.x += 1.0
    return s.x > 1.5


def chained(s: Data) -> None:
    if 0 < s.x <= s.y < 10:
        s.i = 1
    if s.x == s.y == s.z:
        s.j = 1
    if s.x != s.y != s.z > -1:
        s.k = 1
    if 1 <= s.i < 3 >= s.i:
        s.a[0] = 1.0


def extremes(s: Data) -> None:
    s.a[0] = min(s.x, s.y)
    s.a[1] = max(s.x, s.y)
    s.a[2] = min(s.y, s.x)
    s.a[3] = max(s.y, s.x)
    s.a[4] = min(s.x, 0.0)
    s.a[5] = max(0.0, s.x)
    s.i = min(s.j, s.k)
    s.j = max(s.j, 3)
    s.b[0] = min(s.j, s.x)
    s.b[1] = max(s.x, 2)
    s.b[2] = max(min(s.x, 1.0), max(s.y, -1.0))


def conversions(s: Data) -> None:
    s.i = int(s.x)
    s.j = int(-s.x)
    s.k = int(s.x / 3) + int(s.i)
    s.y = float(s.i) / 2
    s.z = s.i / 4 + 3 / 2 - 1 / 3
    s.a[0] = s.i
    s.a[1] = 3
    s.a[int(s.x / 3)] = s.i * 2
    s.b[0] = int(0.999999999999)
    s.b[1] = int(-2.5)
    flag = s.x > 1
    s.b[2] = int(flag) + 2 * int(not flag)
    s.k = s.k + int(flag)


def swaps(s: Data) -> None:
    x, y, z = s.x, s.y, s.z
    x, y = y, x
    x, y, z = z, x + y, y
    s.x, s.y, s.z = x, y, z
    s.a[0], s.a[1] = s.a[1], s.a[0]
    s.i, s.j = s.j, s.i
    s.i, s.a[s.i] = 2, 5.0
    same = other = 3.25
    s.b[0] = same + other


def augmented(s: Data) -> None:
    s.x += 2
    s.x *= s.y
    s.x -= 0.1
    s.x /= 3
    s.i += 3
    s.i *= 2
    s.i -= s.j
    s.a[s.j] += s.x
    s.a[s.j + 1] *= s.a[s.j]
    s.a[2] -= 1
    s.a[3] /= 7
    local = 1
    local += s.j
    total = 0.0
    for n in range(4):
        total += s.a[n] * local
    s.z = total


def calls(s: Data) -> None:
    s.i = twice(s.j)
    s.x = mean(s.y, s.z)
    s.y = mean(1, s.j)
    if between(s.x, -1, 1) and not between(s.z, 5, 6):
        s.k = 1
    s.z = float(factorial(s.j)) + twice(twice(2))
    fill(s.a, 3, s.x)
    fill(s.b, s.k, mean(s.y, twice(s.j)))
    touch(s)
    s.a[twice(2)] = mean(s.a[twice(1)], 1.0)


def twice(i: int) -> int:
    return 2 * i


def mean(x: float, y: float) -> float:
    """A docstring is no statement."""
    return (x + y) / 2


def between(x: float, low: float, high: float) -> bool:
    return low <= x <= high


def factorial(i: int) -> int:
    return 1 if i < 2 else i * factorial(i - 1)


def fill(a: Array, n: int, x: float) -> None:
    for i in range(n):
        a[i] = x


def touch(s: Data) -> None:
    s.k += 10
    pass


def function_fields(s: Data) -> None:
    s.f(s.a, s.b)
    work = s.b
    s.f(work, s.a)
    if s.x > 0:
        s.f(s.a, s.a)


def add_to(a: Array, b: Array) -> None:
    for i in range(3):
        b[i] += 2 * a[i] + 1


def elementary(s: Data) -> None:
    s.a[0] = abs(s.x)
    s.a[1] = sqrt(abs(s.y))
    s.a[2] = abs(s.x) ** s.y
    s.a[3] = s.x**2
    s.a[4] = abs(s.x) ** 0.5
    s.a[5] = 2**s.y + abs(s.x) ** (1 / 7) + s.x**3
    s.i = 1 if isfinite(s.x) else 0
    s.j = 1 if isfinite(s.z) else 0
    s.k = 1 if isfinite(s.i) else 0
    s.b[0] = -s.x
    s.b[1] = -(s.x - 3) - -1
    s.b[2] = abs(-0.0) + abs(s.i)


def constants(s: Data) -> None:
    s.i = FIVE * 2 - FIVE
    s.x = HALF + FIVE
    s.y = LARGE
    s.z = -HALF
    if YES:
        s.j = 1
    if s.x < LARGE and not s.y < LARGE:
        s.k = 1
    s.a[0] = 1e-300
    s.a[1] = -5
    s.a[2] = -0.0
    s.a[3] = 0.1
    s.b[0] = 9007199254740993


def interpreted_only(s: Data) -> None:
    if INTERPRETED:
        unknown_to_kernels = [s.x, "Python alone"]
        s.x = float(len(unknown_to_kernels))
    else:
        s.x = 2.0


def booleans(s: Data) -> None:
    small = s.x < 1
    even = True
    for _ in range(s.i):
        even = not even
    s.j = 1 if small and even else 0
    s.k = int(small or even)
    small = not small
    if small:
        s.y = 4.0
    while even:
        even = False
        s.z = 8.0


def reassigned(s: Data) -> None:
    x = 0.0
    x = 3
    s.x = x / 2
    n = s.i
    n = int(s.y)
    s.i = n


def aliases(s: Data) -> None:
    """Two names of one array, and arrays that a kernel gets: no element may stay where it was thought to be."""
    work, other = s.a, s.b
    for n in range(3):
        work[n] += 1.0
        s.a[n] *= 2.0
        other[n] = s.a[n] + work[n]
        s.b[n] += other[n] * s.a[n]
    s.x = exchanged(s.a, s.a, s.b) + exchanged(work, s.b, other)
    s.i = int(s.a[0])
    s.a[0] = s.i + 0.5
    s.y = work[0] + s.i
    s.f(s.a, s.b)
    s.z = work[1] + other[1]


def exchanged(a: Array, b: Array, c: Array) -> float:
    a[0] = 3.0
    b[0] += 4.0
    c[0] = a[0] * 2
    a[1], b[1] = b[0], a[0]
    return a[0] + b[0] + c[0] + b[1]


TYPICAL = {"i": 2, "j": 1, "k": 3, "x": 1.5, "y": -2.25, "z": 0.75, "a": [1, 2, 3, 4, 5, 6], "b": [-1, 0.5, 9]}
KERNELS = {
    branches: [{}, {"x": -3.0}, {"x": -2.25}, {"y": math.nan}, {"x": 0.0, "y": 0.0}, {"x": -1.0, "y": 1.0}],
    whiles: [{}, {"j": 0}, {"j": 9}],
    ranges: [{}, {"i": -3, "j": 4}, {"j": -5}],
    range_is_fixed_at_the_start: [{}, {"k": 0}, {"k": 10}],
    nested_loops: [{}, {"k": 0}],
    early_return: [{}, {"x": 3.0}, {"x": 6.0, "y": 0.0}, {"y": 1.0}],
    conditional_expressions: [{}, {"y": 2.0}, {"y": math.nan, "z": -1.0}, {"j": -1}],
    short_circuit: [{"a": [1, -1, 0, 2]}, {"x": 0.0}, {"x": 0.25, "a": [0, 0, 0, 0]}, {"x": -9.0}],
    chained: [{}, {"y": 5.0}, {"x": 0.5, "y": 0.5, "z": 0.5}, {"y": math.nan}, {"x": 1.0, "y": 2.0, "z": -3.0}],
    extremes: [
        {"x": x, "y": y} for x, y in itertools.product([1.5, -2.0, 0.0, -0.0, math.nan, math.inf, -math.inf], repeat=2)
    ],
    conversions: [{}, {"x": 5.999999}, {"x": 0.0}, {"x": 2.5}],
    swaps: [{}, {"i": 5, "j": 0}],
    aliases: [{}, {"a": [0.5, -7, 3]}],
    augmented: [{}, {"j": 0}],
    calls: [{}, {"j": 5, "z": 5.5}],
    function_fields: [{}, {"x": -1.0}],
    elementary: [{}, {"x": -3.7, "z": math.inf}, {"x": 0.0, "y": 3.0}, {"z": math.nan, "y": 0.3}, {"x": 1e100}],
    constants: [{}],
    interpreted_only: [{}],
    booleans: [{}, {"x": 0.5, "i": 3}, {"x": 0.5, "i": 0}],
    reassigned: [{}, {"y": 7.9}],
}


def fresh(kind, values):
    """A record of Data, interpreted or in memory, that holds the values."""
    s = kind()
    for name, value in values.items():
        setattr(s, name, s.array(value) if name in "ab" else value)
    return s


def contents(s):
    """All fields, floats by their bits (so that -0.0 is not 0.0)."""
    found = {name: getattr(s, name) for name in "ijk"}
    for name in "xyz":
        found[name] = np.float64(getattr(s, name)).tobytes() if not math.isnan(getattr(s, name)) else "nan"
    for name in "ab":
        found[name] = [np.float64(v).tobytes() if not math.isnan(v) else "nan" for v in getattr(s, name)]
    return found


def runner(library, kernel):
    routine = library.routine(kernel.__name__)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(routine.address)

    def run(values):
        s = fresh(Memory.of(Data), values)
        s.f = library.routine("add_to")
        function(s.address)
        return contents(s)

    return run


def interpreted(kernel, values):
    s = fresh(Data, values)
    s.f = add_to
    kernel(s)
    return contents(s)


def apart(text):
    """The module without leave to join a product and a sum in one rounding: Python has no such thing."""
    return text.replace(" contract", "")


@pytest.fixture(scope="module", params=[1, 2, 3], ids=["no passes", "long loops", "short loops"])
def level(request):
    return request.param


@pytest.fixture(scope="module")
def libraries(level):
    """The kernels bit by bit as Python has them, and as they are used."""
    text = compiler.translate([*KERNELS, add_to])
    return [machine.Library(machine._host().compile(x, level)) for x in (apart(text), text)]


def nearly(found, expected):
    """The same ints, and floats but for their last digits."""
    for name in "ijk":
        assert found[name] == expected[name], name
    for name in "xyzab":
        one, other = (values[name] if name in "ab" else [values[name]] for values in (found, expected))
        for a, b in zip(one, other, strict=True):
            a, b = (math.nan if v == "nan" else np.frombuffer(v)[0] for v in (a, b))
            assert a == pytest.approx(b, rel=1e-14, abs=1e-14, nan_ok=True), name


@together("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
def test_a_compiled_kernel_gives_what_python_gives(kernel, libraries):
    exact, used = (runner(library, kernel) for library in libraries)
    for change in KERNELS[kernel]:
        values = TYPICAL | change
        expected = interpreted(kernel, values)
        assert exact(values) == expected, change
        nearly(used(values), expected)


def test_the_kernels_do_something():
    """No comparison above is one of records that nothing has touched."""
    for kernel, changes in KERNELS.items():
        if kernel is not interpreted_only:
            untouched = contents(fresh(Data, TYPICAL))
            assert any(interpreted(kernel, TYPICAL | c) != untouched for c in changes), kernel.__name__


# -- kernels made up at random --------------------------------------------------------------------------------------


class _Author:
    """Writes kernels of well-typed statements; loops end, indices are in range, nothing overflows an int."""

    def __init__(self, rng):
        self.rng = rng

    def pick(self, *options):
        return options[self.rng.integers(len(options))]

    def whole(self, depth):
        if depth == 0:
            return self.pick("i", "j", "s.i", "s.j", "2", "-3", "7", "n")
        a, b = self.whole(depth - 1), self.whole(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"min({a}, {b})", f"max({a}, {b})", f"clip({a})", f"(clip({a})*clip({b}))",
            f"(-{a})", f"({a} if {self.truth(depth - 1)} else {b})", f"int(bounded({self.real(depth - 1)}))",
        )  # fmt: skip

    def real(self, depth):
        if depth == 0:
            return self.pick("x", "y", "s.x", "s.y", "0.3", "-1.7", f"s.a[{self.index(0)}]", f"s.b[{self.index(0)}]")
        a, b = self.real(depth - 1), self.real(depth - 1)
        return self.pick(
            f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"({a} / (1 + abs({b})))", f"min({a}, {b})",
            f"max({a}, {b})", f"abs({a})", f"sqrt(1 + abs({a}))", f"(-{a})", f"({a} * {self.whole(depth - 1)})",
            f"({a} if {self.truth(depth - 1)} else {b})", f"({self.whole(depth - 1)} / (3 + clip({self.whole(0)})**2))",
            f"s.a[{self.index(depth - 1)}]",
        )  # fmt: skip

    def truth(self, depth):
        a, b = self.pick((self.real(0), self.real(0)), (self.whole(0), self.whole(0)), (self.whole(0), self.real(0)))
        simple = f"{a} {self.pick('<', '<=', '>', '>=', '==', '!=')} {b}"
        if depth == 0:
            return simple
        c, d = self.truth(depth - 1), self.truth(depth - 1)
        return self.pick(simple, f"(({c}) and ({d}))", f"(({c}) or ({d}))", f"(not ({c}))", f"isfinite({a})")

    def index(self, depth):
        return f"min(max({self.whole(depth)}, 0), 3)"

    def block(self, depth, indent, looping):
        lines = []
        for _ in range(self.rng.integers(1, 4)):
            lines += self.statement(depth, indent, looping)
        return lines

    def statement(self, depth, indent, looping):
        pad = "    " * indent
        kind = self.rng.integers(10 if depth else 5)
        if kind == 0:
            return [f"{pad}{self.pick('i', 'j', 's.i', 's.j')} = clip({self.whole(2)})"]
        if kind == 1:
            return [f"{pad}{self.pick('x', 'y', 's.x', 's.y')} {self.pick('=', '+=', '-=', '*=')} {self.real(2)}"]
        if kind == 2:
            return [f"{pad}s.{self.pick('a', 'b')}[{self.index(1)}] {self.pick('=', '+=')} bounded({self.real(2)})"]
        if kind == 3:
            return [f"{pad}x, y = y, {self.real(1)}"]
        if kind == 4:
            word = self.pick("break", "continue") if looping else "pass"
            return [f"{pad}if {self.truth(1)}:", f"{pad}    {word}"]
        if kind < 7:
            lines = [f"{pad}if {self.truth(2)}:", *self.block(depth - 1, indent + 1, looping)]
            if kind == 6:
                lines += [f"{pad}elif {self.truth(1)}:", *self.block(depth - 1, indent + 1, looping)]
            return [*lines, f"{pad}else:", *self.block(depth - 1, indent + 1, looping)]
        if kind < 9:
            limits = self.pick("3", "1, 4", "4, -1, -2", "-1", f"clip({self.whole(1)}) - 97", "2, 9, 3")
            return [f"{pad}for n in range({limits}):", *self.block(depth - 1, indent + 1, True)]
        # the counter is not touched by what stands in the loop
        lines = [f"{pad}w{indent} = 0", f"{pad}while w{indent} < 3 and {self.truth(1)}:", f"{pad}    w{indent} += 1"]
        return [*lines, *self.block(depth - 1, indent + 1, True)]

    def kernel(self, name):
        head = [f"def {name}(s: Data) -> None:", "    i, j, n, x, y = 1, -2, 0, 0.5, -1.25"]
        return [*head, *self.block(3, 1, False), *self.block(3, 1, False), "    s.z, s.k = x - y, clip(i - j)"]


HELPERS = """\
from __future__ import annotations

from math import isfinite, sqrt


def clip(i: int) -> int:
    return min(max(i, -100), 100)


def bounded(x: float) -> float:
    if isfinite(x):
        return min(max(x, -50.0), 50.0)
    return 0.0


"""


def module_of(text, name, folder):
    """The text as a module, from a file, where its source can be found."""
    file = folder / f"{name}.py"
    file.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    module.__dict__["Data"] = Data
    spec.loader.exec_module(module)
    return module


@pytest.mark.long
def test_random_kernels_give_what_python_gives(level, tmp_path, rng):
    author, names = _Author(rng), [f"made_up_{k}" for k in range(40)]
    lines = [line for name in names for line in [*author.kernel(name), "", ""]]
    text = HELPERS + "\n".join(lines)
    module = module_of(text, "made_up", tmp_path)
    kernels = [getattr(module, name) for name in names]
    library = machine.Library(machine._host().compile(apart(compiler.translate([*kernels, add_to])), level))
    different = set()
    for kernel in kernels:
        run = runner(library, kernel)
        for _ in range(4):
            values = {name: int(rng.integers(-5, 6)) for name in "ijk"} | {name: rng.normal() for name in "xyz"}
            values |= {name: rng.normal(size=4).tolist() for name in "ab"}
            expected = interpreted(kernel, values)
            assert run(values) == expected, "\n".join(lines)
            different.add(str(expected))
    assert len(different) > 140


# -- what Python does and compiled kernels do otherwise -------------------------------------------------------------


def next_of(s: Data) -> int:
    s.i = s.i + 1
    return s.i


def truncating_call(s: Data) -> None:
    s.x = halved(s.y)


def halved(i: int) -> float:
    return i / 2


def value_of_or(s: Data) -> None:
    s.j = s.i or 7


def value_of_and(s: Data) -> None:
    s.j = s.i and s.k


def index_with_effect(s: Data) -> None:
    s.a[next_of(s)] += 1.0


def while_else(s: Data) -> None:
    while s.i < 3:
        s.i += 1
    else:
        s.x = 5.0


def chain_with_effect(s: Data) -> None:
    if s.x < s.y < next_of(s):
        s.j = 1


def range_of_float(s: Data) -> None:
    for _ in range(sqrt(s.x)):
        s.j += 1


def from_the_end(s: Data) -> None:
    s.x = s.a[-1]


def unequal_signs(s: Data) -> None:
    s.x = 2**s.i


@together(
    "kernel, values",
    [
        (truncating_call, {"y": 3.7}),
        (value_of_or, {"i": 5}),
        (value_of_and, {"i": 5, "k": 3}),
        (index_with_effect, {"i": 0}),
        (while_else, {"i": 0}),
        (chain_with_effect, {"x": 2.0, "y": 1.0}),
        (range_of_float, {"x": 9.0}),
        (from_the_end, {}),
        (unequal_signs, {"i": -1}),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_what_compiles_is_what_python_does_or_is_refused(kernel, values):
    values = TYPICAL | values
    try:
        text = compiler.translate([kernel, add_to])
    except TypeError as refusal:
        assert kernel.__name__ in str(refusal) and __file__ in str(refusal)
        return
    found = runner(machine.Library(machine._host().compile(text, 2)), kernel)(values)
    try:
        expected = interpreted(kernel, values)
    except (TypeError, IndexError):
        pytest.fail("Python refuses what was compiled")
    assert found == expected


def compares_what_is_fixed(s: Data) -> None:
    if s.i == 3:
        s.j = 100
    if s.i != 3:
        s.j = 101
    if s.i > 3:
        s.j = 102
    if s.i >= 3:
        s.j = 103
    if s.i < 3:
        s.j = 104
    if s.i > 3 or s.i == 3:
        s.j = 105
    if s.i > 3 and s.k == 3:
        s.j = 106
    if s.k == 3:
        s.j = 107


@pytest.mark.parametrize(("i", "left"), [(2, {101, 104, 107}), (3, {100, 103, 105, 107}),
                                         (4, {101, 102, 103, 105, 106, 107})])  # fmt: skip
def test_what_a_fixed_field_excludes_is_left_out(i, left):
    text = compiler.translate([compares_what_is_fixed], {"i": i})
    assert {number for number in range(100, 108) if str(number) in text} == left


def test_two_kernels_of_one_name_are_not_taken_for_each_other(tmp_path):
    head = "from __future__ import annotations\n\n\n"
    first = module_of(head + "def value(x: float) -> float:\n    return x + 1\n", "first", tmp_path)
    second = module_of(head + "def value(x: float) -> float:\n    return x * 10\n", "second", tmp_path)
    text = head + "def both(s: Data) -> None:\n    s.x = one(s.y) + two(s.z)\n"
    text += "\n\ndef one(x: float) -> float:\n    return value(x)\n"
    module = module_of(text, "third", tmp_path)
    module.value = first.value
    other = module_of(head + "def two(x: float) -> float:\n    return value(x)\n", "fourth", tmp_path)
    other.value, module.two = second.value, other.two
    values = TYPICAL | {"y": 1.0, "z": 1.0}
    s = fresh(Data, values)
    module.both(s)
    assert s.x == 12.0
    text = compiler.translate([module.both, add_to])
    found = runner(machine.Library(machine._host().compile(text, 1)), module.both)(values)
    assert found["x"] == np.float64(12.0).tobytes()


REFUSED = [
    "s.x = s.x // 2", "s.x = s.x % 2", "s.i = s.i << 1", "s.i = ~s.i", "s.x = +s.x", "s.x **= 2", "s.x = s.x @ s.x",
    "s.x = 1j", "s.x = 'text'", "s.x = TEXT", "s.x = missing", "s.x = s.missing", "s.missing = 1.0", "s.a = s.b",
    "s.f = s.f", "s.i = s.x", "y = 0; y = 1.5", "s.x = s.a[s.x]", "s.x = s.x[0]", "s.x = s.a[0][1]",
    "s.x = s.i[0]", "y = [1.0]", "y = (1.0, 2.0)", "y = {1: 2}", "y = f'{s.x}'", "s.x = sum(1.0 for _ in range(3))",
    "y = lambda: 1", "if s.x is None: s.x = 1.0", "print(s.x)", "s.i = len(s.a)", "s.i = round(s.x)",
    "s.x = missing(s.x)", "s.x(s.a)", "s.f(s.x)",
    "s.f(*s.a)", "s.x = s.f(s.a)", "s.x = float(s.x < 1)", "return 1", "y: float = 1.0", "del s.x", "assert s.x",
    "raise ValueError", "import math", "global TEXT", "yield s.x", "if (y := s.x) > 1: pass", "with s: pass",
    "def inner(): pass", "class Inner: pass", "for n in (1, 2): s.x = n", "for n in s.a: s.x = n",
    "for s.i in range(2): s.x = 1.0", "for n in range(s.x): s.i = n", "(s.x, s.i), y = (1.0, 2), 3",
    "s.x = 1.0 if s.x else s.a", "s.i = 1 if s.x > 0 else 2.5", "if s.i in (1, 2): s.x = 1.0",
    "s.i = whole_of(2.5 > s.x) + whole_of(s.a)", "match s.i:\n        case 1: pass", "try: pass\n    finally: pass",
    "for n in range(2): pass\n    else: pass",
]  # fmt: skip
REFUSED_OTHERWISE = [
    "s.x = (s.x < 1) + 1", "if (s.x < 1) == True: s.x = 1.0", "y, z = s.a", "s.x = numpy.sqrt(s.x)", "s.x = math.pi",
    "for n in range(0, 5, s.i): s.x = n", "for n in range(): s.x = n",
    "s.i = whole_of(i=1)", "s.i = whole_of()", "s.i = whole_of(1, 2)", "s.x = max(s.x, s.y, s.z)", "s.x = max(s.x)",
    "s.x = sqrt()", "s.a[0:2] = s.b", "y = s; y.x = 1.0", "s.x = -'a'", "s.x = whole_of(1)(2)", "s.x = s.a.size",
]  # fmt: skip
REFUSED_OTHERWISE += [
    "if s.a: s.x = 1.0",
    "s.x = sqrt(s.x, 2.0)",
    "s.x = min(s.x, s.y, key=abs)",
    "for n in range(0, 5, 0): s.x = n",
]


@together(
    "statement",
    [
        *REFUSED,
        *REFUSED_OTHERWISE,
    ],
    ids=lambda statement: statement.splitlines()[0],
)
def test_what_is_no_kernel_is_refused_with_file_line_and_name(statement, tmp_path):
    before = (
        "from __future__ import annotations\n\nimport math\nfrom math import sqrt\n\nimport numpy\n\nTEXT = 'text'\n"
        "\n\ndef whole_of(i: int) -> int:\n    return i\n\n\ndef refused(s: Data) -> None:\n"
    )
    module = module_of(f"{before}    {statement}\n", "refused", tmp_path)
    with pytest.raises(TypeError) as caught:
        compiler.translate([module.refused])
    where = f"{tmp_path / 'refused.py'}:{1 + before.count(chr(10))}, kernel refused: "
    assert where in str(caught.value)


@together(
    "text",
    [
        "def refused(s: str) -> None:\n    pass",
        "def refused(x: float, s) -> None:\n    s.x = x",
        "def refused(s: Data) -> int:\n    return",
        "def refused(s: Data) -> int:\n    if s.x > 0:\n        return 1",
    ],
    ids=["annotation", "no annotation", "bare return", "end without return"],
)
def test_signatures_that_make_no_sense_are_refused(text, tmp_path):
    module = module_of(f"from __future__ import annotations\n\n\n{text}\n", "refused", tmp_path)
    with pytest.raises(TypeError, match="refused.py:.*kernel refused"):
        compiler.translate([module.refused])


# -- records --------------------------------------------------------------------------------------------------------


def test_memory_has_the_fields_of_its_record():
    s = Memory.of(Data)()
    s.i, s.x = -3, 2.5
    s.allocate({"a": 4, "b": 2})
    s.a[:] = [1, 2, 3, 4]
    assert (s.i, s.x, s.j, s.y) == (-3, 2.5, 0, 0.0) and type(s.i) is int and type(s.x) is float
    assert s.b.tolist() == [0, 0] and s.f is None
    with pytest.raises(AttributeError):
        s.missing  # noqa: B018
    with pytest.raises((AssertionError, AttributeError)):
        s.a = [1.0, 2.0]
    with pytest.raises(AssertionError):
        s.a = np.zeros(3, dtype=int)
    with pytest.raises(AssertionError):
        s.a = np.zeros((4, 2))[:, 0]


# -- operations of the graph ----------------------------------------------------------------------------------------

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.7, -3.7, -2.5, 1e-300, -1e-300, 5e-324, 1e-10, 1e10, -1e10, 1e22,
    1e300, -1e300, 1.7e308, math.inf, -math.inf, math.nan, math.pi, math.pi / 2, 0.9999999999999999, 709.0, 711.0,
    -745.0, -746.0, 4503599627370497.5, 1e6, 999999.9999,
]  # fmt: skip


def states_of_all_kinds(rng):
    pairs = np.array(list(itertools.product(SPECIAL, SPECIAL)))
    wide = np.exp(rng.uniform(-200, 200, (800, 2))) * rng.choice([-1, 1], (800, 2))
    pairs = np.vstack([pairs, 10 * rng.normal(size=(800, 2)), wide])
    third = rng.normal(size=len(pairs))
    third[:100], third[100:130] = 0, math.nan
    return np.column_stack([pairs, third])


def one_after_the_other(program, states):
    evaluate = CompiledProgram(program).one()
    nothing = np.zeros(states.shape[1])
    return np.array([evaluate(0.0, state, nothing, nothing, np.zeros(0)) for state in states])


def side_by_side(program, states):
    nothing = np.zeros_like(states)
    return CompiledProgram(program).many(np.zeros(len(states)), [states, nothing, nothing], np.zeros(0))


def by_numpy(program, states):
    prologue, evaluate = numpy_functions(program)
    with np.errstate(all="ignore"):
        found = evaluate(np.float64(0), states, states, states, prologue([]))
    return np.column_stack([np.broadcast_to(np.asarray(x, dtype=float), len(states)) for x in found])


def operations():
    g = Graph()
    a, b, c = (g.input("q", i) for i in range(3))
    less = g.call("lt", a, b)
    made = {name: g.call(name, a) for name in UNARY} | {name: g.call(name, a, b) for name in BINARY}
    made |= {"add": g.add(a, b), "sub": g.sub(a, b), "mul": g.mul(a, b), "div": g.div(a, b), "neg": g.neg(a)}
    made |= {"and": g.all_of([less, g.call("le", c, b)]), "or": g.any_of([less, g.call("eq", a, b)])}
    made |= {"not": g.negation(g.call("le", a, b)), "select": g.select(less, c, g.neg(c))}
    # numbers as conditions
    made |= {
        "and of numbers": g.all_of([a, b]),
        "not of a number": g.negation(a),
        "select by a number": g.select(a, b, c),
    }
    return made


# the C library and NumPy differ in the last digits of these
TRANSCENDENTAL = {
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp", "log", "pow",
    "atan2",
}  # fmt: skip
OPERATIONS = operations()


def test_every_operation_of_the_graph_is_there():
    folded = {"add", "sub", "mul", "div", "neg", "and", "or", "not", "select"}
    assert set(UNARY) | set(BINARY) | folded <= set(OPERATIONS)


def in_units_of_the_last_place(found, expected):
    both = np.isnan(found) == np.isnan(expected)
    assert np.all(both), "NaN where it should not be, or none where it should"
    with np.errstate(all="ignore"):
        return np.where(
            (found == expected) | np.isnan(expected), 0.0, np.abs(found - expected) / np.spacing(np.abs(expected))
        )


@pytest.mark.parametrize(
    "name",
    OPERATIONS,
)
def test_operations_are_those_of_numpy(name, rng):
    """NaN, infinities, zeros, huge and tiny numbers included; one state at a time, and four."""
    states = states_of_all_kinds(rng)
    program = Program(name, [OPERATIONS[name]], {"q": "abc"})
    expected = by_numpy(program, states)
    bound = 4 if name in TRANSCENDENTAL else 0  # the C library and NumPy, which has its own for some processors: 2 each
    for found in (one_after_the_other(program, states), side_by_side(program, states)):
        assert in_units_of_the_last_place(found, expected).max() <= bound


def test_remainders_of_ordinary_numbers(rng):
    a, b = Graph().input("q", 0), None
    graph = a.graph
    b = graph.input("q", 1)
    program = Program("mod", [graph.call("mod", a, b)], {"q": "ab"})
    states = np.vstack(
        [rng.uniform(-10, 10, (500, 2)), list(itertools.product([5, -5, 0, 7.5, math.inf], [3, -3, math.inf]))]
    )
    expected = by_numpy(program, states)
    assert in_units_of_the_last_place(side_by_side(program, states), expected).max() == 0
    assert in_units_of_the_last_place(one_after_the_other(program, states), expected).max() == 0


def test_nothing_is_taken_away_from_itself_but_for_zero(rng):
    """x x - y y is zero where x = y, and its root a number, whatever the compiler makes of products and differences."""
    g = Graph()
    x, y = g.input("q", 0), g.input("q", 1)
    difference = g.power(x, 2) - g.power(y, 2)
    program = Program("", [difference, difference.sqrt(), g.call("le", g.zero, difference)], {"q": "xy"})
    states = np.repeat(rng.uniform(0, 1, (100, 1)), 2, axis=1)
    assert np.array_equal(side_by_side(program, states), np.tile([0.0, 0.0, 1.0], (100, 1)))


@pytest.fixture(scope="module")
def sines():
    g = Graph()
    x = g.input("q", 0)
    return Program("sines", [x.sin(), x.cos()], {"q": "x"})


def distance(found, angles):
    """Of sines and cosines from those of mpmath, in units of the last place."""
    with mpmath.workdps(360):
        worst = 0.0
        for angle, pair in zip(angles, found, strict=True):
            for function, value in zip((mpmath.sin, mpmath.cos), pair, strict=True):
                true = function(mpmath.mpf(float(angle)))
                worst = max(worst, float(abs(mpmath.mpf(float(value)) - true)) / math.ulp(float(true)))
        return worst


def angles_of(kind, rng):
    if kind == "a turn":
        return rng.uniform(-math.pi, math.pi, 800)
    if kind == "many turns":
        return rng.uniform(-1e6, 1e6, 800)
    if kind == "all magnitudes":
        return np.exp(rng.uniform(np.log(1e-300), np.log(1e300), 400)) * rng.choice([-1, 1], 400)
    with mpmath.workdps(40):
        quarters = np.concatenate([np.arange(200), rng.integers(0, 636000, 200)])
        nearest = np.array([float(int(k) * mpmath.pi / 2) for k in quarters])
    return np.concatenate([nearest, np.nextafter(nearest, math.inf), -nearest, np.nextafter(-nearest, -math.inf)])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kind", ["a turn", "many turns", "all magnitudes", "near multiples of pi/2"])
def test_sines_and_cosines_are_within_two_units_of_the_last_place(kind, sines, rng):
    """Reached: 1.3 within a turn, 1.6 up to a million radians, 0.6 near multiples of pi/2."""
    angles = angles_of(kind, rng)
    four = side_by_side(sines, angles[:, None])
    assert distance(four, angles) < 2
    one = one_after_the_other(sines, angles[:, None])
    assert distance(one, angles) < 2
    assert np.all(np.abs(four) <= 1) and np.all(np.abs(one) <= 1)


def test_sines_of_what_is_no_angle(sines):
    angles = np.array([math.nan, 1.0, math.inf, 0.0, -math.inf, 2.0, 1e300, 3.0])[:, None]
    for found in (side_by_side(sines, angles), one_after_the_other(sines, angles)):
        with np.errstate(invalid="ignore"):
            expected = np.column_stack([np.sin(angles[:, 0]), np.cos(angles[:, 0])])
        assert in_units_of_the_last_place(found, expected).max() <= 2
    assert side_by_side(sines, np.zeros((1, 1))).tolist() == [[0.0, 1.0]]


@together("count", [1, 2, 3, 4, 5, 9])
def test_groups_of_angles_in_one_state(count, rng):
    """Up to four angles go together; some of them huge, some used for the sine alone, some nested."""
    g = Graph()
    x = [g.input("q", i) for i in range(count)]
    outputs = [f for i, v in enumerate(x) for f in ([v.sin()] if i % 3 == 1 else [v.cos(), v.sin()])]
    outputs += [(x[0].sin() + x[-1]).cos(), ((x[0].sin() + x[-1]).cos() * 3).sin()]
    program = Program("groups", outputs, {"q": [f"x{i}" for i in range(count)]})
    states = rng.uniform(-10, 10, (7, count))
    states[3, 0], states[4, -1] = 1e9, math.nan
    expected = by_numpy(program, states)
    for found in (side_by_side(program, states), one_after_the_other(program, states)):
        assert np.array_equal(np.isnan(found), np.isnan(expected))
        assert np.nanmax(np.abs(found - expected)) < 5e-15


# -- programs -------------------------------------------------------------------------------------------------------


def chain(links):
    model = Model("chain", gravity=(0, -9.81, 0))
    T = None
    for q in model.coordinates([f"q{i}" for i in range(links)]):
        T = trotz(q) if T is None else T * trotz(q)
        model.body(f"link of {q}", T * tdisp(0, -0.05, 0), mass=1, inertia=(0, 0, 0.01))
        T = T * tdisp(0, -0.1, 0)
    return model


@pytest.mark.long
@pytest.mark.parametrize("links", first(1, [100, 250]))
def test_long_programs_are_cut_and_say_the_same(links, rng):
    """Reached 3e-15."""
    model = chain(links)
    native, python = model.compile(target="native"), model.compile(target="python")
    assert llvm.module(native.program("residual")).count("define internal void @part") > links / 30
    states = rng.uniform(-1, 1, (3, 5, links))
    expected = np.array([python.residual(0.0, *(x[k].copy() for x in states)) for k in range(5)])
    found = native.residual(0.0, *states)
    assert np.abs(found - expected).max() < 1e-13 * np.abs(expected).max()
    one = native.residual(0.0, *(x[0].copy() for x in states))
    assert np.abs(one - expected[0]).max() < 1e-13 * np.abs(expected).max()


@pytest.mark.long
def test_programs_cut_anywhere_say_the_same(monkeypatch, rng):
    """Parts of 1 to 40 operations: what one part needs of another, conditions and constants too, finds its way."""
    g = Graph()
    nodes = [g.input("q", i) for i in range(3)] + [g.input("p", 0), g.input("t", 0)]
    conditions = [g.call("lt", nodes[0], nodes[1])]
    for _ in range(300):
        a, b, c = (nodes[i] for i in rng.integers(0, len(nodes), 3))
        conditions.append(g.call(("lt", "le")[rng.integers(2)], a, b))
        some = [conditions[i] for i in rng.integers(0, len(conditions), 3)]
        conditions.append((g.all_of, g.any_of)[rng.integers(2)](some))
        one_of_them = g.select(some[0], b, c)
        made = [a + b, (a * b).sin(), (a - c).cos(), one_of_them, g.call("tanh", a), a * 0.3 - b, a.sin() * b.cos()]
        nodes.append(made[rng.integers(len(made))])
    outputs = [*(nodes[i] for i in rng.integers(0, len(nodes), 40)), *conditions[::20]]
    program = Program("made up", outputs, {"q": "abc", "qd": "abc", "qdd": "abc", "p": "p"})
    states = rng.uniform(-1, 1, (6, 3))
    prologue, evaluate = python_functions(program)
    times = rng.uniform(0, 1, 6)
    expected = np.array(
        [evaluate(t, x.tolist(), [0] * 3, [0] * 3, prologue([0.7])) for t, x in zip(times, states, strict=True)], float
    )
    for part in (1, 2, 7, 40, 600):
        monkeypatch.setattr(llvm, "PART", part)
        prologue, _ = compiled_functions(program, python_prologue(program))
        compiled = CompiledProgram(program)
        found = compiled.many(times, [states, states, states], prologue([0.7]))
        assert np.abs(found - expected).max() < 1e-13, part
        compiled._states = 10**6  # of so many, LLVM takes more care, with the same numbers
        assert np.array_equal(compiled.many(times, [states, states, states], prologue([0.7])), found)
        assert len(np.unique(found)) > 100


def test_outputs_that_need_no_work(rng):
    """Constants, inputs, parameters, the same twice; a program of nothing else, and one without outputs."""
    g = Graph()
    q, qd, qdd, p, time = (g.input(slot, k) for slot, k in (("q", 1), ("qd", 0), ("qdd", 2), ("p", 1), ("t", 0)))
    names = dict.fromkeys(("q", "qd", "qdd"), "abc") | {"p": "uv"}
    outputs = [g.constant(2.5), q, qd, qdd, p, time, q, g.zero, p * 3, g.constant(-1e300), p.sin()]
    program = Program("idle", outputs, names)
    assert not program.body
    prologue, evaluate = compiled_functions(program, python_prologue(program))
    constants = prologue([5.0, 7.0])
    states = rng.normal(size=(3, 6, 3))
    times = rng.normal(size=6)

    def expected(k):
        x, v, a = states[0, k, 1], states[1, k, 0], states[2, k, 2]
        return [2.5, x, v, a, 7.0, times[k], x, 0.0, 21.0, -1e300, math.sin(7.0)]

    for k in range(6):
        assert evaluate(times[k], *states[:, k], constants).tolist() == expected(k)
    many = evaluate.compiled.many(times, list(states), constants)
    assert many.tolist() == [expected(k) for k in range(6)]
    empty = CompiledProgram(Program("empty", [], names))
    assert empty.one()(0.0, *states[:, 0], np.zeros(0)).shape == (0,)
    assert empty.many(times, list(states), np.zeros(0)).shape == (6, 0)


def test_conditions_as_outputs():
    g = Graph()
    a, b = g.input("q", 0), g.input("q", 1)
    less, equal = g.call("lt", a, b), g.call("eq", a, b)
    outputs = [
        less,
        equal,
        g.negation(less),
        g.all_of([less, g.negation(equal)]),
        g.any_of([less, equal]),
    ]
    program = Program("conditions", outputs, {"q": "ab"})
    states = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [math.nan, 1.0], [1.0, math.inf]])
    expected = [
        [1, 0, 0, 1, 1], [0, 0, 1, 0, 0], [0, 1, 1, 0, 1], [0, 0, 1, 0, 0], [1, 0, 0, 1, 1],
    ]  # fmt: skip
    assert side_by_side(program, states).tolist() == expected
    assert one_after_the_other(program, states).tolist() == expected


@together("count", [0, 1, 3, 7, 8, 9, 1001])
def test_any_number_of_states(count, rng):
    """Also such as are no multiple of the lanes."""
    system = examples.double_pendulum().compile(target="native")
    times, (q, qd, qdd) = rng.uniform(size=count), rng.normal(size=(3, count, 2))
    found = system.residual(times, q, qd, qdd)
    assert found.shape == (count, 2)
    for k in {0, count // 2, count - 1} if count else ():
        one = system.residual(float(times[k]), q[k].copy(), qd[k].copy(), qdd[k].copy())
        assert np.allclose(found[k], one, rtol=1e-15, atol=1e-15)
    assert LANES == 8


def test_a_run_in_a_lane_knows_nothing_of_the_run_before(monkeypatch):
    """Sides of all its events are those of its own start; the lanes beside it keep theirs."""
    for name in ("at_rest", "weights", "arm", "save_passed"):
        monkeypatch.setattr(lanes, name, lambda *_: None)
    monkeypatch.setattr(lanes, "first_length", lambda s, span: span / 4)
    width = lanes.LANES
    b = SimpleNamespace(n=2, t=[1.0] * width, lands=[9.0, 3.0], part=[1.0] * width, landings=[0.0] * width)
    b.accelerations, b.q, b.qd, b.constants = lambda *_: None, [], [], []
    b.qdd, b.result = [0.0] * 2 * width, [float(x) for x in range(2 * width)]
    b.is_fresh, b.h, b.fresh = [float(k == 3) for k in range(width)], [0.0] * width, 1
    told = "side", "fired", "g_largest", "g_end", "g_change"
    for name in told:
        setattr(b, name, [-1.0] * 2 * width)
    s = SimpleNamespace(number_of_events=2, max_step=1.0, directions=[0.0, 0.0], **{name: [9.0, 9.0] for name in told})
    lanes.begin(b, s)
    for name in told[:3]:
        assert getattr(b, name) == [0.0 if k in (3, width + 3) else -1.0 for k in range(2 * width)]
    assert b.h[3] == 0.5 and [k for k, x in enumerate(b.qdd) if x] == [3, width + 3]
    assert (b.landings, b.is_fresh, b.fresh) == ([0.0] * width, [0.0] * width, 0)


def test_arrays_of_any_layout(rng):
    system, reference = (examples.double_pendulum().compile(target=target) for target in ("native", "numpy"))
    q = rng.normal(size=(2, 7, 3)).T  # not contiguous: (3, 7, 2)
    assert not q.flags.c_contiguous
    assert np.allclose(system.accelerations(0.0, q, 2 * q), reference.accelerations(0.0, q, 2 * q), rtol=1e-13, atol=0)
    for x in (q[:, ::2], q[::-1], q.astype(np.float32), (10 * q).astype(int), q[0].tolist()):
        assert np.allclose(system.mass_matrix(0.0, x), reference.mass_matrix(0.0, x), rtol=1e-14, atol=1e-14)


def test_parameters_change_without_compiling_again(monkeypatch, rng):
    model = examples.double_pendulum()
    q, qd = rng.normal(size=(2, 6, 2))
    model.compile(target="native").accelerations(0.0, q, qd)
    model.simulate(0.1, target="native")
    monkeypatch.setattr(machine, "library", lambda *_, **__: pytest.fail("compiled again"))
    for length in (0.3, 2.0):
        found = model.compile(target="native", parameters={"l1": length}).accelerations(0.0, q, qd)
        expected = model.compile(target="python", parameters={"l1": length}).accelerations(0.0, q, qd)
        assert np.allclose(found, expected, rtol=1e-13, atol=0)
        native = model.simulate(0.1, target="native", parameters={"l1": length})
        python = model.simulate(0.1, target="python", parameters={"l1": length})
        assert native.stats.steps == python.stats.steps
        assert np.abs(native.q[-1] - python.q[-1]).max() < 1e-13
    system = model.compile(target="native")
    again = system.accelerations(0.0, q, qd, parameters={"l1": 0.3})
    expected = model.compile(target="python", parameters={"l1": 0.3}).accelerations(0.0, q, qd)
    assert np.allclose(again, expected, rtol=1e-13, atol=0)
    assert not np.allclose(again, system.accelerations(0.0, q, qd), rtol=1e-3)


def test_outside_a_domain_there_is_nan_and_no_exception():
    model = Model("roots")
    (q,) = model.coordinates("q")
    model.equation(q.ddot + sympy.sqrt(1 - q) + sympy.log(q) / q)
    system = model.compile(target="native")
    f = system.residual(0.0, [[0.5], [2.0], [0.0], [-1.0]], np.zeros((4, 1)), np.zeros((4, 1)))[:, 0]
    assert np.isfinite(f).tolist() == [True, False, False, False]
    assert not np.isfinite(system.residual(0.0, np.array([2.0]), np.zeros(1), np.zeros(1))[0])
    with pytest.raises(NotFiniteError):
        model.simulate(1, initial={"q": 2}, target="native")


# -- the cache on disk ----------------------------------------------------------------------------------------------


@pytest.fixture
def compilations(monkeypatch):
    """The texts that the processor's code was made from, in a list that grows."""
    seen = []
    host = machine._host()
    original = type(host).compile
    monkeypatch.setattr(
        type(host), "compile", lambda self, text, level: (seen.append(text), original(self, text, level))[1]
    )
    return seen


TEXT = "define double @answer() {\n  ret double 4.2e1\n}"


def answer(depends_on=("answer",), level=1):
    library = machine.library(lambda: TEXT, depends_on, level)
    return ctypes.CFUNCTYPE(ctypes.c_double)(library.routine("answer").address)()


def left_behind(place):
    return sorted(file.suffix for file in place.rglob("*") if file.is_file())


def test_what_was_compiled_once_is_not_compiled_again(cache_folder, compilations):
    assert answer() == 42 and len(compilations) == 1
    assert answer() == 42 and len(compilations) == 1
    assert left_behind(cache_folder) == [".obj"]
    assert answer(("answer", "and more")) == 42 and answer(level=2) == 42 and answer(("answera", "nd more")) == 42
    assert len(compilations) == 4 and left_behind(cache_folder) == [".obj"] * 4


def programs(before=0, blocks=True):
    """Programs that differ in little, on a graph in which something else may have been made before."""
    g = Graph()
    x, y, p, u = g.input("q", 0), g.input("qd", 1), g.input("p", 0), g.input("u", 0)
    for k in range(before):
        _ = g.constant(100.0 + k) * g.input("t", 0).sin()
    for outputs in ([x * y], [x * x], [x + y], [x, y], [y, x], [x, x], [x * 2], [x * 3], [x * p], [x * u], [x.sin()],
                    [g.call("min", x, y)], [g.call("max", x, y)], [x * p, p * p], [p * p], [u], [g.constant(2)]):
        yield Program("some", outputs, {"q": "xy"})
    yield Program("some", [x * y], {"q": "xyz"})
    rows = []
    for k in range(FEWEST):
        def row(at=k):
            z = x * y + (at + 10)
            for _ in range(LONG // FEWEST + 1):
                z = (z * y).sin() + x
            return z
        rows.append(g.apart(row, blocks))
    yield Program("some", rows, {"q": "xy"})


def test_programs_whose_texts_differ_are_told_apart():
    every = [*programs(), list(programs(blocks=False))[-1]]
    keys, texts = [told(p) for p in every], [llvm.module(p) + llvm.module(p, LANES, True) for p in every]
    assert len(set(keys)) == len(set(zip(keys, texts, strict=True))), "a key stands for one text"
    assert texts[-1] != texts[-2] and len(set(texts)) >= len(every) - 3, "parameters alone are left to the prologue"
    assert keys[:-1] == [told(p) for p in programs(before=7)], "what else the graph has is none of its business"


def test_the_text_of_a_program_is_not_written_where_its_code_is_kept(cache_folder, compilations, monkeypatch):
    def product():
        return CompiledProgram(next(programs())).one()(0.0, np.array([2.0, 0]), np.array([0, 3.0]), None, np.zeros(1))

    assert product() == [6] and len(compilations) == 1
    monkeypatch.delattr(llvm, "module")
    assert product() == [6] and len(compilations) == 1


def test_parts_of_a_key_are_kept_apart():
    keys = [
        cache.key_of(*parts)
        for parts in ((), ("",), ("", ""), ("ab",), ("a", "b"), ("b", "a"), ("", "ab"), (b"ab", ""))
    ]
    assert len(set(keys)) == len(keys) and cache.key_of("ab") == cache.key_of(b"ab")


@pytest.mark.parametrize("word", ["off", "OFF"])
def test_the_cache_can_be_switched_off(word, tmp_path, monkeypatch, compilations):
    monkeypatch.setenv("EASYDYN_CACHE", word)
    monkeypatch.chdir(tmp_path)
    assert cache.folder() is None
    assert answer() == answer() == 42 and len(compilations) == 2
    assert list(tmp_path.iterdir()) == []


def spoil(kind, file):
    content = file.read_bytes()
    if kind == "empty":
        file.write_bytes(b"")
    elif kind == "cut off":
        file.write_bytes(content[: len(content) // 2])
    elif kind == "only the mark":
        file.write_bytes(content[:17])
    elif kind == "one bit":
        file.write_bytes(content[:-5] + bytes([content[-5] ^ 1]) + content[-4:])
    elif kind == "bit of the digest":
        file.write_bytes(content[:20] + bytes([content[20] ^ 1]) + content[21:])
    elif kind == "longer":
        file.write_bytes(content + b"\0")
    elif kind == "something else":
        file.write_bytes(b"#!/bin/sh\n" * 100)
    elif kind == "a folder":
        file.unlink()
        file.mkdir()


@pytest.mark.parametrize(
    "kind",
    ["empty", "cut off", "only the mark", "one bit", "bit of the digest", "longer", "something else", "a folder"],
)
def test_a_spoiled_object_is_compiled_again(kind, cache_folder, compilations):
    answer()
    (file,) = cache_folder.iterdir()
    spoil(kind, file)
    assert answer() == 42 and len(compilations) == 2
    if kind != "a folder":
        assert answer() == 42 and len(compilations) == 2, "and is whole again"
        assert left_behind(cache_folder) == [".obj"]


def full(*_, **__):
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("function", ["os.open", "os.replace", "pathlib.Path.mkdir", "os.unlink"])
def test_a_full_disk_is_no_failure(function, cache_folder, compilations, monkeypatch):
    if function != "pathlib.Path.mkdir":
        cache_folder.mkdir(parents=True, mode=0o700)
    with monkeypatch.context() as patch:
        patch.setattr(function, full)
        if function == "os.unlink":
            patch.setattr("os.replace", full)
        assert answer() == 42 and answer() == 42
        assert len(compilations) == 2
    if function != "os.unlink" and cache_folder.exists():
        assert left_behind(cache_folder) == []
    assert answer() == 42 and answer() == 42 and len(compilations) == 3


def test_a_write_that_stops_half_way_leaves_nothing(cache_folder, monkeypatch):
    cache_folder.mkdir(parents=True, mode=0o700)

    @contextlib.contextmanager
    def replacing(path):
        with files.replacing(path) as partial:
            yield partial
            assert partial.read_bytes().endswith(b"content")
            full()

    with monkeypatch.context() as patch:
        patch.setattr(cache, "replacing", replacing)
        cache.store("key", b"content")
    assert left_behind(cache_folder) == [] and cache.load("key") is None


@pytest.mark.parametrize("place", ["a file", "in a file", "/proc/easydyn", "/dev/null", "too long", "loop"])
def test_a_folder_that_cannot_be_is_no_failure(place, tmp_path, monkeypatch, compilations):
    if place.startswith("/") and not Path("/proc/self").exists():
        pytest.skip("there is no /proc here")
    (tmp_path / "file").write_text("text")
    paths = {"a file": tmp_path / "file", "in a file": tmp_path / "file" / "sub", "too long": tmp_path / ("x" * 300)}
    if place == "loop":
        try:
            (tmp_path / "loop").symlink_to(tmp_path / "loop")
        except OSError:
            pytest.skip("no symbolic links here")
        paths["loop"] = tmp_path / "loop" / "sub"
    monkeypatch.setenv("EASYDYN_CACHE", str(paths.get(place, place)))
    assert answer() == 42 and answer() == 42 and len(compilations) == 2
    assert (tmp_path / "file").read_text() == "text"


def test_the_home_of_nobody_is_no_failure(monkeypatch):
    monkeypatch.setenv("EASYDYN_CACHE", "~nobody-of-that-name/cache")
    assert answer() == 42


def test_without_a_home_there_is_no_cache(monkeypatch):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("EASYDYN_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert cache.folder() is None and answer() == 42


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such owners here")
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o720, 0o702])
def test_a_folder_that_others_may_write_to_is_not_trusted(mode, cache_folder, compilations):
    answer()
    cache_folder.chmod(mode)
    with pytest.warns(SlowRunWarning, match="not kept in '.*own', as that folder .* others may write to it") as told:
        assert answer() == 42 and len(compilations) == 2, "what lies there may be somebody else's"
        answer(("another",))
    assert len(told) == 1, "it is said once"
    assert len(left_behind(cache_folder)) == 1
    cache_folder.chmod(0o755)
    assert answer() == 42 and len(compilations) == 3


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such owners here")
def test_a_folder_of_somebody_else_is_not_trusted(cache_folder, compilations, monkeypatch):
    answer()
    monkeypatch.setattr(os, "getuid", lambda: cache_folder.stat().st_uid + 1)
    with pytest.warns(SlowRunWarning, match="is another user's"):
        assert answer() == 42 and len(compilations) == 2


class Found:
    """What the system says of an open file, with another owner or other permissions."""

    def __init__(self, found, owner=0, mode=0):
        self.st_uid, self.st_mode, self.st_size = found.st_uid + owner, found.st_mode | mode, found.st_size


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such owners here")
@pytest.mark.parametrize("strange", [{"owner": 1}, {"mode": 0o020}, {"mode": 0o002}])
def test_a_file_of_somebody_else_in_ones_own_folder_is_not_loaded(strange, cache_folder, compilations, monkeypatch):
    answer()
    told, original = [], os.fstat
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", lambda handle: (told.append(1), Found(original(handle), **strange))[1])
        assert answer() == 42 and len(compilations) == 2 and told
    assert answer() == 42 and len(compilations) == 2, "it was written anew"


@pytest.mark.skipif(not hasattr(os, "umask"), reason="files have no such permissions here")
def test_files_are_for_their_owner_alone_whatever_the_umask(cache_folder, compilations):
    before = os.umask(0)
    try:
        answer()
    finally:
        os.umask(before)
    (file,) = cache_folder.iterdir()
    assert file.stat().st_mode & 0o777 in (0o600, 0o666 * (sys.platform == "win32"))
    assert answer() == 42 and len(compilations) == 1


def test_where_nobody_says_whose_a_file_is_digests_are_keyed(cache_folder, compilations, monkeypatch, tmp_path):
    monkeypatch.delattr(os, "getuid", raising=False)
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    assert answer() == answer() == 42 and len(compilations) == 1
    (key,) = (tmp_path / "home").rglob("key")
    assert len(key.read_bytes()) == 32
    (file,) = cache_folder.iterdir()
    content = file.read_bytes()
    payload = content[len(b"easydyn object 1\n") + 32 :]
    file.write_bytes(b"easydyn object 1\n" + hashlib.sha256(payload).digest() + payload)  # what a stranger can do
    assert answer() == 42 and len(compilations) == 2
    file.write_bytes(content)
    assert answer() == 42 and len(compilations) == 2
    key.write_bytes(b"")
    assert answer() == answer() == 42 and len(compilations) == 4, "without a key nothing is loaded"
    key.write_bytes(bytes(32))
    assert answer() == answer() == 42 and len(compilations) == 5, "another user's key"


def test_not_every_store_looks_at_all_files(cache_folder, monkeypatch):
    """Of keys as they are, hashes, one in sixteen does."""
    looks = []
    monkeypatch.setattr(cache, "_prune", looks.append)
    for k in range(320):
        cache.store(cache.key_of(str(k)), b"content")
    assert 10 <= len(looks) <= 30 and len(left_behind(cache_folder)) == 320


def test_what_was_left_half_written_goes(cache_folder, monkeypatch):
    monkeypatch.setattr(cache, "SELDOM", 1)
    cache.store("key", b"content")
    names = ["tmpab_12xyz.part", "0123456789abcdef01234567.0123456789abcdef.part.obj", "notes.part", "x.part.obj"]
    for name in names:
        (cache_folder / name).write_bytes(bytes(1000))
        os.utime(cache_folder / name, (1000, 1000))
    young = cache_folder / "0123456789abcdef01234567.ffffffffffffffff.part.obj"
    young.write_bytes(bytes(1000))
    cache.store("another", b"content")
    kept = {file.name for file in cache_folder.iterdir()}
    assert kept == {"key.obj", "another.obj", young.name, "notes.part", "x.part.obj"}


def test_names_of_what_is_half_written_are_known(cache_folder, monkeypatch):
    seen, opened = [], cache._for_its_owner

    def spy(path, flags):
        seen.append(Path(path).name)
        return opened(path, flags)

    monkeypatch.setattr(cache, "_for_its_owner", spy)
    cache.store(cache.key_of("x"), b"content")
    assert len(seen) == 1 and cache._LEFT.fullmatch(seen[0])


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no such owners here")
def test_a_new_folder_is_for_its_owner_alone(cache_folder):
    cache.store("key", b"content")
    assert cache_folder.stat().st_mode & 0o777 == 0o700


def test_the_oldest_go_when_the_cache_is_full(cache_folder, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST_SIZE", 10_000)
    monkeypatch.setattr(cache, "SELDOM", 1)
    for k in range(8):
        cache.store(f"key{k}", bytes(1000))
        os.utime(cache_folder / f"key{k}.obj", (1000 + k, 1000 + k))
    assert len(left_behind(cache_folder)) == 8
    assert cache.load("key0") == bytes(1000)  # used just now
    for k in range(8, 12):
        cache.store(f"key{k}", bytes(1000))
    kept = {file.stem for file in cache_folder.iterdir()}
    assert sum(file.stat().st_size for file in cache_folder.iterdir()) <= 10_000
    assert {"key0", "key8", "key9", "key10", "key11"} <= kept and not {"key1", "key2", "key3"} & kept
    (cache_folder / "note.txt").write_text("not ours")
    cache.store("large", bytes(20_000))
    assert cache.load("large") is None and (cache_folder / "note.txt").exists()


PROGRAM = """\
import sys
from easydyn import examples
from easydyn.native import machine
host, count = machine._host(), 0
original = type(host).compile
def counting(self, text, level):
    global count
    count += 1
    return original(self, text, level)
type(host).compile = counting
run = examples.double_pendulum().simulate(0.1, target="native")
print(count, run.q[-1].tobytes().hex(), run.stats.steps)
"""


@pytest.mark.long
def test_several_processes_share_an_empty_cache(cache_folder):
    """Four at once in the same empty folder, then a fifth, which compiles nothing."""
    environment = os.environ | {
        "EASYDYN_CACHE": str(cache_folder),
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    }

    def start():
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def answer_of(process):
        out, errors = process.communicate(timeout=120)
        assert process.returncode == 0 and errors == "", errors
        return out.split()

    together = [answer_of(process) for process in [start() for _ in range(4)]]
    assert int(together[0][0]) > 0 and len({tuple(line[1:]) for line in together}) == 1
    assert set(left_behind(cache_folder)) == {".obj"}
    later = answer_of(start())
    assert later[0] == "0", "the fifth finds all that it needs"
    assert later[1:] == together[0][1:]


# -- threads, processes, memory -------------------------------------------------------------------------------------


@pytest.mark.long
def test_threads_that_evaluate_one_system_do_not_mix_their_states(rng):
    """One thread is held, line by line, while another one evaluates."""
    system = examples.double_pendulum().compile(target="native")
    states = rng.normal(size=(2, 3, 2))
    expected = [system.residual(0.0, *(x.copy() for x in state)) for state in states]
    wanted, done, over = threading.Event(), threading.Event(), threading.Event()

    def other():
        while not over.is_set():
            if wanted.wait(0.01):
                wanted.clear()
                system.residual(0.0, *(x.copy() for x in states[1]))
                done.set()

    def trace(frame, event, _):
        if "compiled.py" in frame.f_code.co_filename and event in ("line", "return"):
            done.clear()
            wanted.set()
            done.wait(0.1)
        return trace

    helper, before = threading.Thread(target=other), sys.gettrace()
    helper.start()
    try:
        sys.settrace(trace)
        found = system.residual(0.0, *(x.copy() for x in states[0]))
    finally:
        sys.settrace(before)
        over.set()
        helper.join()
    assert np.array_equal(found, expected[0])


def test_threads_with_many_states_and_with_runs(rng):
    """Machine code runs beside other threads here: each has its own memory."""
    model = examples.double_pendulum()
    system = model.compile(target="native")
    states = rng.normal(size=(4, 2, 501, 2))
    expected = [system.accelerations(0.0, *state) for state in states]
    runs = [model.simulate(1, target="native", initial={"q1": 0.1 * k}) for k in range(4)]

    def work(k):
        same = all(np.array_equal(system.accelerations(0.0, *states[k]), expected[k]) for _ in range(30))
        run = model.simulate(1, target="native", initial={"q1": 0.1 * k})
        return same and np.array_equal(run.q, runs[k].q)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))


def evaluated_elsewhere(thing, q, qd):
    system = thing.compile(target="native") if isinstance(thing, Model) else thing
    return system.target, system.accelerations(0.0, q, qd), system.accelerations(0.0, q[0].copy(), qd[0].copy())


@pytest.mark.long
def test_models_and_native_systems_travel(rng):
    model = examples.double_pendulum()
    system = model.compile(target="native", parameters={"l1": 0.7})
    q, qd = rng.normal(size=(2, 5, 2))
    system.accelerations(0.0, q, qd)
    for thing, expected in ((system, system), (model, model.compile(target="native"))):
        again = pickle.loads(pickle.dumps(thing))
        target, many, one = evaluated_elsewhere(again, q, qd)
        assert target == "native" and np.array_equal(many, expected.accelerations(0.0, q, qd))
        assert np.array_equal(one, expected.accelerations(0.0, q[0].copy(), qd[0].copy()))
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        target, many, one = pool.submit(evaluated_elsewhere, system, q, qd).result(timeout=120)
    assert target == "native" and np.array_equal(many, system.accelerations(0.0, q, qd))
    assert np.array_equal(one, system.accelerations(0.0, q[0].copy(), qd[0].copy()))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")
def test_systems_that_are_dropped_give_their_memory_back(cache_folder):
    """Machine code of 150 systems, each larger than 100 kB, in the room of a few."""

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    g = Graph()
    x = g.input("q", 0)
    total = x
    for k in range(300):
        total = total * x + 0.1 * k
    program = Program("long", [total], {"q": "x"})
    code = machine._host().compile(llvm.module(program, 4), 1)

    def make_and_drop(number):
        for _ in range(number):
            library = machine.Library(code)
            assert library.routine("evaluate").address

    make_and_drop(30)
    before = resident()
    make_and_drop(150)
    assert resident() - before < 4e6


# -- which target ---------------------------------------------------------------------------------------------------


def test_auto_says_what_it_took():
    model = examples.double_pendulum()
    chosen = model.compile()
    assert chosen.target == "native" and "native" in repr(chosen)
    assert [model.compile(target=name).target for name in ("native", "numpy", "python")] == [
        "native",
        "numpy",
        "python",
    ]


@pytest.mark.parametrize("name", ["generic", "x86-64", "skylake-avx512"])
def test_code_for_another_processor_says_the_same(name, cache_folder, monkeypatch, rng):
    """By `EASYDYN_CPU`; it uses nothing that this machine lacks, and is kept apart in the cache."""
    if name != "generic" and "x86_64" not in machine._host().triple:
        pytest.skip("not a processor of this kind")
    states, found, objects = (0.0, *rng.normal(size=(2, 20, 5))), [], []
    for named in ("", name):
        monkeypatch.setenv("EASYDYN_CPU", named)
        host = machine._Host()
        monkeypatch.setattr(machine, "_host", lambda host=host: host)
        found.append(examples.spatial_robot().compile(target="native").accelerations(*states))
        objects.append(len(left_behind(cache_folder)))
    there = host.llvm.get_host_cpu_features()
    assert host.processor == name and not host.features.count("+")
    assert all(f"-{feature}" in host.features.split(",") for feature in there if not there[feature])
    assert np.allclose(*found, rtol=1e-11, atol=1e-11) and objects[1] > objects[0] > 0


def test_native_without_llvmlite(monkeypatch):
    monkeypatch.setattr(targets, "available", lambda: False)
    model = examples.double_pendulum()
    with pytest.raises(MissingDependencyError, match="llvmlite.*pip install llvmlite"):
        model.compile(target="native")
    with pytest.raises(MissingDependencyError, match="llvmlite"):
        model.simulate(1, target="native")
    assert model.compile().target == "python" and model.compile(target="auto").target == "python"
    assert model.simulate(0.1).status == "finished"


def test_llvmlite_that_is_absent_broken_or_old(monkeypatch):
    class Broken:
        def __init__(self):
            raise self.error

    for error in (
        ImportError("no shared object"),
        OSError("libLLVM"),
        RuntimeError("no target"),
        AttributeError("old"),
    ):
        Broken.error = error
        with monkeypatch.context() as patch:
            machine.available.cache_clear()
            patch.setattr(machine, "_host", Broken)
            with pytest.warns(SlowRunWarning, match=f"no machine code can be made here .*{error}"):
                assert not machine.available()
    with monkeypatch.context() as patch:
        machine.available.cache_clear()
        patch.setitem(sys.modules, "llvmlite", None)
        assert not machine.available()
    machine.available.cache_clear()
    assert machine.available()


@pytest.mark.long
def test_nothing_heavy_is_loaded_before_it_is_needed():
    program = (
        "import sys; from easydyn import examples; m = examples.double_pendulum(); m.simulate(0.1, target='python'); "
        "m.compile(target='numpy').accelerations(0.0, [[0.1, 0.2]] * 3, [[0, 0]] * 3); "
        "print(*(n for n in ('llvmlite', 'scipy', 'numba', 'matplotlib') if n in sys.modules))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []
