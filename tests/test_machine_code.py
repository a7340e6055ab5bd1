"""Machine code: kernels compiled and interpreted, sines, programs on every target, the cache on disk."""

from __future__ import annotations

import ctypes
import errno
import math
import os
import pickle
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from math import inf, isfinite, sqrt
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from targets import needs_llvmlite
from together import together

from easydyn import Contact, GeneralizedForce, Model, examples, shapes, t, tdisp, trotx, trotz
from easydyn.engine import llvm, recursion, rolling
from easydyn.engine.graph import BINARY, UNARY
from easydyn.errors import SlowRunWarning
from easydyn.native import cache, compiler, machine
from easydyn.native.record import INTERPRETED, Array, Function, Memory, Record
from easydyn.sim import kernels

pytestmark = needs_llvmlite
FACTOR, WHOLE = 2.5, 3


class Data(Record):
    n: int
    x: float
    a: Array
    b: Array
    double: Function


def helper(a: Array, n: int) -> float:
    total = 0.0
    for i in range(n):
        if a[i] < 0:
            continue
        if a[i] > 100:
            break
        total += a[i] * FACTOR
    return total


def first_above(s: Data, limit: float) -> int:
    for i in range(s.n):
        if s.a[i] > limit:
            return i
    return -1


def both(a: Array, n: int, i: int) -> bool:
    return i < n and a[i] > 0 and not (a[i] == 2)


def work(s: Data, k: int) -> int:
    """Everything that a kernel may contain."""
    a, n = s.a, s.n
    found = 0
    while True:
        found += 1
        s.x += helper(a, n) / found
        if found >= k or s.x > 1e6:
            break
    for i in range(n - 1, -1, -2):
        s.b[i] = max(a[i], WHOLE) if i != 1 else min(-1.5, a[i])
    for i in range(2, 2):
        s.b[i] = 1e9
    for i in range(1, n):
        a[i - 1], s.b[i] = s.b[i], a[i - 1]
        s.b[i] *= -2
        s.b[i] -= float(i) ** 2 + abs(-a[0]) ** 0.5
    if both(a, n, n) or both(a, n, 0):
        found += 10
    elif 0 < s.x <= inf and isfinite(s.x):
        found -= int(3.9) - WHOLE
    else:
        found = 0
    s.double(a, s.b)
    if INTERPRETED:
        assert isinstance(a, list)
    return found + first_above(s, 1.0)


def twice(a, b):
    b[0] = 2 * a[0]


def twice_kernel(a: Array, b: Array) -> None:
    b[0] = 2 * a[0]


def compiled(kernel, *types, result=ctypes.c_int64):
    text = compiler.translate([kernel])
    library = machine.library(lambda: text, (text,), level=2)
    function = ctypes.CFUNCTYPE(result, *types)(library.routine(kernel.__name__).address)
    function.library = library
    return function


@together("values", [[1, 2, 3], [-1, 0.5, 200, 7], [4], [0.0, -0.0, 1e300, -3, 2, 9]], ids=str)
@together("k", [1, 5])
def test_kernels_do_the_same_compiled_and_interpreted(values, k):
    function = compiled(work, ctypes.c_void_p, ctypes.c_int64)
    text = compiler.translate([twice_kernel])
    plain, memory = Data(), Memory.of(Data)()
    memory.double = machine.library(lambda: text, (text,), level=2).routine("twice_kernel")
    plain.double = twice
    for data in (plain, memory):
        data.n, data.x, data.a, data.b = len(values), 0.25, data.array(values), data.array(np.zeros(len(values)))
    assert function(memory.address, k) == work(plain, k)
    assert memory.x == pytest.approx(plain.x, rel=1e-15)
    assert np.allclose(memory.a, plain.a, rtol=1e-15) and np.allclose(memory.b, plain.b, rtol=1e-14)


def smallest(a: Array, n: int) -> float:
    found = inf
    for i in range(n):
        found = min(found, a[i])
    return max(found, -sqrt(a[0]))


def test_minimum_and_maximum_treat_nan_as_python_does():
    function = compiled(smallest, ctypes.c_void_p, ctypes.c_int64, result=ctypes.c_double)
    for values in ([1.0, math.nan, 3.0], [4.0, -5.0], [4.0, -1.0, math.nan]):
        array = np.array(values)
        assert function(array.ctypes.data, len(values)) == smallest(values, len(values))


def comprehension(a: Array, n: int) -> float:
    return sum(a[i] for i in range(n))


def unknown_field(s: Data) -> float:
    return s.nothing


def two_arrays(s: Data, k: int) -> float:
    a = s.a
    if k:
        a = s.b
    return a[0]


@pytest.mark.parametrize("kernel", [comprehension, unknown_field, two_arrays], ids=lambda kernel: kernel.__name__)
def test_what_is_not_for_kernels_is_refused_with_its_line(kernel):
    with pytest.raises(TypeError, match=rf"test_machine_code.py:\d+, kernel {kernel.__name__}: "):
        compiler.translate([kernel])


# -- programs -------------------------------------------------------------------------------------------------------


def evaluate(expressions, values, target):
    model = Model("bench")
    x, y = model.coordinates("x y")
    model.body("point", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    found = [e.subs({"x": x, "y": y}) if isinstance(e, sympy.Basic) else e(x, y) for e in expressions]
    many = np.zeros((len(values), 2))
    return model.compile(target=target).evaluate(found, 0, np.array(values, dtype=float), many, many)


def test_sines_and_cosines_are_right_to_two_units_in_the_last_place(rng):
    near = [k * math.pi / 2 * (1 + e) for k in range(-40, 41) for e in (0, 1e-15, -3e-9)]
    angles = [*near, *rng.normal(size=300), *rng.normal(size=300) * 1e3, *rng.normal(size=300) * 9e5]
    angles += [0.0, -0.0, 1e-300, 5e-324, 1e6, 1.1e6, 1e22, -1e300]
    found = evaluate([sympy.sin(sympy.Symbol("x")), sympy.cos(sympy.Symbol("x"))], [(a, 0) for a in angles], "native")
    single = [evaluate([sympy.sin(sympy.Symbol("x"))], [(a, 0)], "native")[0, 0] for a in angles[::50]]
    assert np.array_equal(single, found[::50, 0])
    with mpmath.workdps(400):
        for k, function in enumerate((mpmath.sin, mpmath.cos)):
            for a, value in zip(angles, found[:, k], strict=True):
                exact = function(mpmath.mpf(a))
                unit = np.spacing(abs(float(exact))) if exact else 5e-324
                assert abs(mpmath.mpf(float(value)) - exact) <= 2 * unit, (a, value)
    strange = evaluate([sympy.sin(sympy.Symbol("x"))], [(math.nan, 0), (1, 0), (math.inf, 0)], "native")[:, 0]
    assert np.array_equal(np.isnan(strange), [True, False, True])


def operation(name, arguments):
    def build(x, y):
        functions = {
            "abs": sympy.Abs, "ceil": sympy.ceiling, "min": sympy.Min, "max": sympy.Max, "mod": sympy.Mod,
            "lt": lambda a, b: sympy.Piecewise((1, a < b), (0, True)),
            "le": lambda a, b: sympy.Piecewise((1, a <= b), (0, True)),
            "eq": lambda a, b: sympy.Piecewise((1, sympy.Eq(a, b)), (0, True)), "pow": lambda a, b: a**b,
        }  # fmt: skip
        function = functions.get(name) or getattr(sympy, name)
        return function(x, y) if arguments == 2 else function(x)

    return build


@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_every_operation_gives_what_numpy_gives(name, rng):
    values = [*rng.normal(size=(40, 2)) * 2, (0, 0), (1, 1), (-1, 2), (0.5, -0.5), (2, -3), (-7.5, 2), (1e3, 1e-3)]
    build = [operation(name, 2 if name in BINARY else 1)]
    native, numpy = (evaluate(build, values, target)[:, 0] for target in ("native", "numpy"))
    one_by_one = [evaluate(build, [v], "native")[0, 0] for v in values[:6]]
    assert np.allclose(native, numpy, rtol=1e-14, atol=1e-15, equal_nan=True)
    assert np.allclose(one_by_one, numpy[:6], rtol=1e-14, atol=1e-15, equal_nan=True)


def chain(n):
    model = Model("chain", gravity=(0, -9.81, 0))
    q = model.coordinates([f"q{k}" for k in range(n)])
    (l,) = model.parameters(l=0.5)
    T = trotz(0)
    for k in range(n):
        T = T * trotz(q[k])
        model.body(f"rod {k}", T * tdisp(0, -l / 2, 0), mass=1, inertia=(0, 0, l**2 / 12))
        T = T * tdisp(0, -l, 0)
    return model


@pytest.mark.long
def test_long_programs_are_cut_into_parts_that_agree(rng):
    model = chain(150)
    q, qd, qdd = rng.normal(size=(3, 5, 150))
    native, python = model.compile(target="native"), model.compile(target="python")
    for of in (lambda s: s.residual(0, q, qd, qdd), lambda s: s.residual(0, q[0], qd[0], qdd[0])):
        assert np.allclose(of(native), of(python), rtol=1e-11)
    qdd = native.accelerations(0, q, qd)
    scale = np.abs(native.residual(0, q, qd, 0 * qdd)).max()
    assert np.abs(native.residual(0, q, qd, qdd)).max() < 1e-9 * scale


def test_parameters_change_without_compiling_again(rng):
    model, q = chain(3), rng.normal(size=(3, 3))
    native, python = model.compile(target="native"), model.compile(target="python")
    for l in (0.3, 0.7):
        values = {"l": l}
        assert np.allclose(native.residual(0, *q, parameters=values), python.residual(0, *q, parameters=values))


def test_target_says_what_it_is():
    assert chain(1).compile().target == "native" == chain(1).compile(target="native").target
    assert chain(1).compile(target="python").target == "python"
    native, python = (chain(2).simulate(1, initial={"q0": 1}, target=target) for target in ("native", "python"))
    assert native.stats.steps == python.stats.steps and native.stats.residuals == python.stats.residuals


def test_threads_do_not_mix_their_states(rng):
    system = chain(3).compile(target="native")
    states = rng.normal(size=(4, 3, 3))
    right = [system.residual(0.0, *x) for x in states]
    wrong = []

    def ask(k):
        for _ in range(3000):
            if not np.array_equal(system.residual(0.0, *states[k]), right[k]):
                wrong.append(k)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_systems_travel_as_pickles():
    model = chain(2)
    system = pickle.loads(pickle.dumps(model.compile(target="native")))
    assert system.target == "native"
    assert np.array_equal(
        system.residual(0, [1, 2], [0, 1], [1, 0]), model.compile().residual(0, [1, 2], [0, 1], [1, 0])
    )


# -- the cache ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, monkeypatch):
    place = tmp_path / "machine code"
    monkeypatch.setenv("EASYDYN_CACHE", str(place))
    return place


@pytest.fixture
def counted(monkeypatch):
    calls, original = [], machine._Host.compile
    monkeypatch.setattr(machine._Host, "compile", lambda *given: calls.append(1) or original(*given))
    return calls


def used(k):
    """A model that no other test has compiled."""
    model = Model("cached")
    (x,) = model.coordinates("x")
    model.body("cart", tdisp(x, 0, 0), mass=1 + k / 7, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, sympy.sin(k * x) * t))
    return model.compile(target="native").residual(1.0, [0.3], [0], [2])[0]


def expected(k):
    return (1 + k / 7) * 2 - math.sin(k * 0.3)


def test_second_time_nothing_is_compiled(folder, counted):
    assert used(1) == pytest.approx(expected(1))
    first = len(counted)
    assert first >= 1 and used(1) == pytest.approx(expected(1)) and len(counted) == first
    assert not list(folder.glob("*.part*")) and len(list(folder.glob("*.obj"))) >= 1
    if hasattr(os, "getuid"):
        assert folder.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "harm", [lambda b: b[:50], lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b"", lambda b: b * 2]
)
def test_what_is_not_what_was_written_is_compiled_again(folder, counted, harm):
    used(2)
    for file in folder.glob("*.obj"):
        file.write_bytes(harm(file.read_bytes()))
    first = len(counted)
    assert used(2) == pytest.approx(expected(2)) and len(counted) > first
    again = len(counted)
    assert used(2) == pytest.approx(expected(2)) and len(counted) == again  # it was written anew


@pytest.mark.parametrize(
    ("name", "method"),
    [("bouncing_ball", "newmark"),
     *[pytest.param("falling_chain", m, marks=pytest.mark.long) for m in ("dop853", "lobatto", "newmark")]],
)  # fmt: skip
def test_kernels_compiled_quickly_and_well_give_the_same_digits(folder, counted, monkeypatch, name, method):
    """By the first code, by both in one run where it stops at events, by the second, which the folder has then."""
    runs, made = [], []
    for work in (inf, 0.0, 0.0):
        monkeypatch.setattr(kernels, "WORK", work)
        kernels._compiled.cache_clear(), kernels._library.cache_clear()
        runs.append(getattr(examples, name)().simulate(0.5, method=method))
        made.append(len(counted))
    assert made[0] < made[1] == made[2]
    for run in runs[1:]:
        assert all(np.array_equal(getattr(run, x), getattr(runs[0], x)) for x in ("t", "q", "qd", "qdd"))
    kernels._compiled.cache_clear(), kernels._library.cache_clear()


@pytest.mark.long
def test_runs_side_by_side_compiled_quickly_and_well_give_the_same_digits(folder, counted, monkeypatch):
    tables, made = [], []
    for runs in (inf, 0.0, 0.0):
        monkeypatch.setattr(kernels, "RUNS", runs)
        kernels._library.cache_clear()
        study = examples.double_pendulum().study(0.5, over={"l1": np.linspace(0.8, 1.2, 20)}, method="dop853")
        tables.append(study.run(progress=False))
        made.append(len(counted))
    assert "side by side" in repr(study) and made[0] < made[1] == made[2]
    for name in ("q1 end", "q2.dot end"):
        assert all(np.array_equal(table[name], tables[0][name]) for table in tables[1:])


def test_threads_compile_one_after_the_other(folder, monkeypatch):
    """Python 3.11's parser counts the depth of trees for all threads together: two at once may end in a SystemError."""
    inside, most, compiled = [], [], []
    parse, translate = compiler.ast.parse, compiler.translate

    def noted(entries, *more):
        compiled.append(entries)
        return translate(entries, *more)

    def slowly(*given, **options):
        inside.append(1), most.append(len(inside)), time.sleep(0.02)
        found = parse(*given, **options)
        inside.pop()
        return found

    monkeypatch.setattr(compiler.ast, "parse", slowly)
    monkeypatch.setattr(compiler, "translate", noted)
    kernels._library.cache_clear(), compiler._definitions.cache_clear()
    study = examples.double_pendulum().study(0.5, over={"l1": np.linspace(0.8, 1.2, 40)}, block=5, method="dop853")
    with ThreadPoolExecutor(4) as threads:
        study.run(threads, progress=False)
    assert len(most) > 1 and max(most) == 1 and len([x for x in compiled if x == (kernels.lanes.march,)]) == 1


def test_cache_can_be_switched_off(folder, counted, monkeypatch):
    monkeypatch.setenv("EASYDYN_CACHE", "off")
    assert used(3) == pytest.approx(expected(3)) and used(3) == pytest.approx(expected(3))
    assert len(counted) >= 2 and not folder.exists() and cache.folder() is None


def test_folder_that_cannot_be_made(tmp_path, monkeypatch, counted):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("EASYDYN_CACHE", str(tmp_path / "file" / "cache"))
    assert used(4) == pytest.approx(expected(4))


@pytest.mark.parametrize("where", ["os.open", "os.replace"])
def test_full_disk(folder, monkeypatch, where):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(where, full)
        assert used(5) == pytest.approx(expected(5))
    assert not list(folder.glob("*"))


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="permissions are POSIX's")
def test_folder_that_others_may_write_to_is_not_trusted(folder, counted):
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.warns(SlowRunWarning, match="machine code is not kept in .*: every process compiles anew"):
        used(6)
    first = len(counted)
    used(6)
    assert len(counted) > first and not list(folder.glob("*"))


def test_old_files_go_when_there_are_too_many(folder, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST_SIZE", 4000)
    monkeypatch.setattr(cache, "SELDOM", 1)
    for k in range(6):
        cache.store(cache.key_of(str(k)), b"x" * 1000)
        os.utime(folder / f"{cache.key_of(str(k))}.obj", (k, k))
    cache.store(cache.key_of("last"), b"x" * 1000)
    left = {k for k in range(6) if cache.load(cache.key_of(str(k)))}
    assert cache.load(cache.key_of("last")) == b"x" * 1000 and 0 not in left and len(left) <= 3


@pytest.mark.long
def test_processes_share_a_folder(folder):
    program = (
        f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(Path(cache.__file__).parents[2])]!r}\n"
        "from test_machine_code import used, expected\n"
        "assert all(abs(used(k) - expected(k)) < 1e-12 for k in (8, 9, 8))\nprint('good')"
    )
    environment = os.environ | {"EASYDYN_CACHE": str(folder)}
    running = [
        subprocess.Popen([sys.executable, "-c", program], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)  # test_native.py begins four at once
    ]
    assert [process.communicate(timeout=120)[0].strip() for process in running] == ["good"] * 2
    assert not list(folder.glob("*.part*")) and list(folder.glob("*.obj"))


def says_the_same(native, python, states):
    """The residual at `states` (3, 11, n), one by one and side by side, is that of the program in Python."""
    expected = [python.one("residual", 0.5, *state) for state in states.swapaxes(0, 1)]
    function, constants = native.function("residual")
    alone = [native.one("residual", 0.5, *state) for state in states.swapaxes(0, 1)]
    for found in alone, function.compiled.many(np.full(11, 0.5), list(states), constants):
        assert np.allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


def test_mechanisms_side_by_side_are_a_loop(rng):
    """Four-bars of different lengths: as Python has them; the text hardly knows how many there are."""

    def row(count):
        model = Model("row", gravity=(0, -9.81, 0))
        for k in range(count):
            a, b, c = model.coordinates(f"a{k} b{k} c{k}", initial=(1.2, -1.5, 0.5), rates=(0.8, 0, 0))
            T, crank = tdisp(9 * k, 0, 0) * trotz(a), 3.71 + 0.06 * k
            place = {"mass": 6.1 + 0.7 * k, "inertia": (0, 0, 0.1)}
            model.body(f"crank {k}", T * tdisp(crank / 3, 0, 0), **place)
            coupler = model.body(f"coupler {k}", T * tdisp(crank, 0, 0) * trotz(b), com=(2.1, 0, 0), **place)
            rocker = model.body(f"rocker {k}", tdisp(9 * k + 1, 0, 0) * trotz(c), com=(2.3, 0, 0), **place)
            model.close((coupler, (4, 0, 0)), (rocker, (5, 0, 0)), joint="revolute")
        return model.compile(target="native"), model.compile(target="python")

    native, python = row(12)
    states = rng.normal(size=(3, 11, native.n))
    says_the_same(native, python, states)
    lengths = [llvm.module(row(n)[0].program("residual"), 8).count("\n") for n in (12, 24)]
    assert lengths[1] < 1.02 * lengths[0]


@pytest.mark.parametrize("turns", [(trotz,), (trotz, trotx)], ids=["one kind", "two kinds in turn"])
def test_joints_of_a_long_chain_are_a_loop(turns, rng, monkeypatch):
    """As Python has them; of two kinds that need each other in turn no loop is made."""
    monkeypatch.setattr(recursion, "MANY", 20)
    monkeypatch.setattr(rolling, "LONG", 400)

    def chain(count):
        model, T = Model("chain", gravity=(0, -9.81, 0)), trotz(0)
        for k, q in enumerate(model.coordinates(" ".join(f"q{k}" for k in range(count)))):
            T *= turns[k % len(turns)](q) * tdisp(0.031 * k, -0.52, 0)
            model.body(f"link {k}", T, mass=6.1 + 0.7 * k, inertia=(0.021, 0.013, 0.035), com=(0.011, 0.27, 0))
        return model

    model = chain(32)
    native, python = model.compile(target="native"), model.compile(target="python")
    state = rng.normal(size=(3, native.n))
    for key in "residual", "accelerations":
        found, expected = native.one(key, 0.5, *state), np.array(python.one(key, 0.5, *state))
        assert np.allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    few, many = (llvm.module(chain(n).compile().program("residual")).count("\n") for n in (32, 64))
    assert (many < 1.2 * few) == (len(turns) == 1)


def test_pairs_of_one_kind_are_a_loop(rng):
    """The contacts of nine discs: as Python has them, one state or many; the text hardly knows how many there are."""

    def pile(count):
        model, r, ends = Model("pile", gravity=(0, -9.81, 0)), 0.1, []
        for k in range(count):
            x, y = model.coordinates(f"x{k} y{k}", initial=[0.3 * k, 1])
            ends.append((model.body(f"d{k}", tdisp(x, y, 0), mass=1 + k, inertia=(0, 0, 0)), shapes.Disc(r + 0.01 * k)))
        model.add(*Contact.between(ends, restitution=0.5))
        return model.compile(target="native"), model.compile(target="python")

    native, python = pile(9)
    held = [float(rng.random() < 0.5) for _ in native.held]
    states = rng.normal(size=(3, 11, native.n))
    native.held, python.held = held, held
    says_the_same(native, python, states)
    lengths = [llvm.module(pile(n)[0].program("residual"), 8).count("\n") for n in (9, 13)]
    assert lengths[1] < 1.8 * lengths[0]  # with 2.2 times as many pairs
