"""Every argument of every public function, given what makes no sense: used by test_mutants.py.

`CALLS` holds a call that works for each public name that takes arguments; a mutant is that call with one argument, or
one element of it, replaced by one of `BAD`. It may work, or end in an exception of easydyn.errors; any other exception
is raw. What a call gives is used afterwards as a user would (`use`), so that what was let in shows where it hurts.

    python tests/mutants.py Description.body        all mutants of these calls, raw ones told
"""

import gc
import inspect
import json
import math
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
import zlib
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread

HERE = Path(__file__).resolve().parent
MEMORY = 4 * 2**30  # bytes of the process that makes the calls
TIME = 30.0  # s of the processor for one of them
CLOCK = 5  # times as long by the clock: other programs may take the processor

os.environ["MPLBACKEND"] = "Agg"
sys.path.insert(0, str(HERE))

import numpy as np  # noqa: E402
import sympy  # noqa: E402
from held import held  # noqa: E402
from public_names import public  # noqa: E402
from working_calls import BY_EASYDYN, CALLS, UNCALLED, World  # noqa: E402

import easydyn  # noqa: E402
from easydyn import Cut, Event, Model, System, Transform, integrate, t, trotz, vcoord, visu  # noqa: E402
from easydyn.course.walls.measure import processor_time  # noqa: E402
from easydyn.errors import EasyDynError  # noqa: E402
from easydyn.export import report  # noqa: E402
from easydyn.forces import Effort  # noqa: E402

# ------------------------------------------------------------------------------------------------------- bad values


def _raises(*args, **options):
    raise ZeroDivisionError("of the user's own function")


BAD = {
    "None": lambda: None,
    "empty text": lambda: "",
    "text": lambda: "no such thing",
    "lone surrogate": lambda: "a\ud800b",
    "mathtext": lambda: r"$\x$",
    "nul": lambda: "a\0b",
    "bytes": lambda: b"abc",
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "huge integer": lambda: 10**400,
    "huge": lambda: 1e308,
    "tiny": lambda: 5e-324,
    "-1": lambda: -1,
    "0": lambda: 0,
    "half": lambda: 0.5,
    "True": lambda: True,
    "complex": lambda: 1j,
    "float32": lambda: np.float32("nan"),
    "time": lambda: np.datetime64("NaT"),
    "empty list": lambda: [],
    "list": lambda: [None, "a"],
    "ragged": lambda: [[1, 2], [3]],
    "huge in a list": lambda: [10**400, 1, 1],
    "nan in a list": lambda: (math.nan, 1, 1),
    "array": lambda: np.zeros((2, 2)),
    "long array": lambda: np.ones(20_000),
    "array of objects": lambda: np.array([None, "a", {}], dtype=object),
    "no-dimensional": lambda: np.array(None, dtype=object),
    "dict": lambda: {"no such": 1},
    "dict of what is no name": lambda: {None: [], 3: "x"},
    "set": lambda: {1, "a"},
    "generator": lambda: (x for x in (1, None, "a")),
    "class": lambda: int,
    "object": object,
    "module": lambda: math,
    "of no argument": lambda: lambda: 3,
    "gives None": lambda: lambda *args, **options: None,
    "gives text": lambda: lambda *args, **options: "text",
    "gives nan": lambda: lambda *args, **options: math.nan,
    "gives an array": lambda: lambda *args, **options: np.zeros((2, 2)),
    "gives a huge integer": lambda: lambda *args, **options: 10**400,
    "raises": lambda: _raises,
    "math.sin": lambda: math.sin,
    "symbol": lambda: sympy.Symbol("z"),
    "coordinate of nobody": lambda: easydyn.mechanics.symbols.Coordinate("nobody"),
    "MatrixSymbol": lambda: sympy.MatrixSymbol("A", 3, 3),
    "Matrix": lambda: sympy.Matrix([1, sympy.Symbol("z"), 3]),
    "nan of SymPy": lambda: sympy.nan,
    "oo": lambda: sympy.oo,
    "zoo": lambda: sympy.zoo,
    "I": lambda: sympy.I,
    "huge of SymPy": lambda: sympy.Integer(10) ** 400,
    "condition": lambda: sympy.Symbol("z") > 0,
    "function of time": lambda: sympy.Function("f")(t),
    "infinite sum": lambda: sympy.Sum(1 / sympy.Symbol("n"), (sympy.Symbol("n"), 1, sympy.oo)),
    "model": lambda: Model("another"),
    "body": lambda: easydyn.ground,
    "transform": lambda: trotz(t),
    "vector": lambda: vcoord(1, math.nan, sympy.Symbol("z")),
}


# ------------------------------------------------------------------------------------------------------- the mutants


def called():
    """Public names that take arguments: {path without "easydyn.": its name}."""
    found = {}
    for name in public().values():
        if name.kind == "property" or name.kind == "class" and (not name.listed or issubclass(name.thing, Exception)):
            continue
        if issubclass(name.thing, BaseException) if name.kind == "class" else False:
            continue
        if [p for p in inspect.signature(name.thing).parameters if p not in ("self", "cls")]:
            found[name.path.removeprefix("easydyn.")] = name
    return found


def uncalled():
    return {path: reason for reason, paths in UNCALLED.items() for path in paths.split()}


def calls():
    """(path, which of its calls, what makes it)."""
    for path, makers in CALLS.items():
        for k, maker in enumerate(makers if isinstance(makers, list) else [makers]):
            yield path, k, maker


def places(function, arguments, options):
    """Every place of a call that can hold something else: ("x",), or ("x", 0) for an element of what is given there."""
    bound = inspect.signature(function).bind(*arguments, **options)
    for name, parameter in inspect.signature(function).parameters.items():
        given = bound.arguments.get(name)
        if parameter.kind is parameter.VAR_POSITIONAL or parameter.kind is parameter.VAR_KEYWORD:
            for key in range(len(given)) if isinstance(given, tuple) else given or ():
                yield name, key
            continue
        yield (name,)
        if type(given) in (tuple, list, dict) and given:
            yield name, next(iter(given)) if isinstance(given, dict) else 0


def mutated(function, arguments, options, place, value):
    """The arguments and options with `value` in that place."""
    bound = inspect.signature(function).bind(*arguments, **options)
    name, *inside = place
    if inside:
        held = bound.arguments[name]
        if isinstance(held, dict):
            value = {**held, inside[0]: value}
        else:
            value = type(held)([*held[: inside[0]], value, *held[inside[0] + 1 :]])
    bound.arguments[name] = value
    # in the order of the signature, as bound arguments are read in that order
    order = [name for name in inspect.signature(function).parameters if name in bound.arguments]
    bound.arguments = {name: bound.arguments[name] for name in order}
    parameters = inspect.signature(function).parameters
    plain, named = [], {}
    for name, x in bound.arguments.items():
        kind = parameters[name].kind
        if kind is inspect.Parameter.POSITIONAL_ONLY:
            plain.append(x)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            plain = [bound.arguments[p] for p in order[: order.index(name)]] + list(x)
            named = {}
        elif kind is inspect.Parameter.VAR_KEYWORD:
            named.update(x)
        else:
            named[name] = x
    return plain, named


def mutants(world):
    """All of them: (path, which call, place, name of the bad value)."""
    for path, k, maker in calls():
        for place in places(*maker(world)):
            if (path, place[0]) in BY_EASYDYN:
                continue
            for bad in BAD:
                yield path, k, place, bad


def code(mutant):
    """A number that is the same on every machine."""
    return zlib.crc32(repr(mutant).encode())


# ------------------------------------------------------------------------------------------------- what is done then


def use(result, world):
    """Use what a call gave, as one would: what it let in must not end in a raw error later."""
    repr(result)
    if isinstance(result, Effort):
        world.m.add(result)
    elif isinstance(result, visu.Shape):
        scene = world.m.scene()
        scene.add("rod", result)
        scene.picture()
    elif isinstance(result, Transform):
        world.m.body("tool", result, mass=1, inertia=(1, 1, 1))
    elif isinstance(result, Cut):
        world.run.reactions(result)
    elif isinstance(result, Event):
        integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=0.02, step=0.01, events=[result])
    elif isinstance(result, (easydyn.PID, easydyn.StateFeedback)):
        world.m.controller(0.005, result)
    elif isinstance(result, System) and not len(result.new_bodies()):
        result.body("bob", mass=1, inertia=(1, 1, 1))
        result.simulate(0.02, step=0.01)
    elif isinstance(result, easydyn.Method):
        world.plain.simulate(0.02, step=0.01, target="python", method=result)
    elif isinstance(result, Model) and len(result.bodies):
        result.compile(target="python")
    if world.small is not None:
        world.m.check()
        run = world.m.simulate(0.02, step=0.01, target="python")
        run.of(world.s.q)


def text_everywhere(world):
    """Where names and titles go."""
    run = world.m.simulate(0.02, step=0.01, target="python")
    run.plot("q")
    run.plot_energy()
    run.save(world.path("named.npz"))
    easydyn.Trajectory.load(world.path("named.npz"))
    run.to_csv(world.path("named.csv"))
    document = report.compose(world.m, run, None, True, True, [])  # with pictures of the scene, and plots
    report.html.page(document)
    report.markdown.text(document, {})
    world.m.report(world.path("named.tex"))
    world.m.scene().sketch()
    run.animate(every=0.01).save(world.path("named.html"))
    run.animate(every=0.01).save(world.path("named.glb"))
    world.m.export("c", world.path("named.c"))


TEXTS = ("lone surrogate", "mathtext", "nul")


def attempt(world, mutant):
    """None when all is well: the call works, or is refused in words of easydyn; else what went wrong."""
    from matplotlib import pyplot

    path, k, place, bad = mutant
    world.renew()
    pyplot.close("all")
    makers = CALLS[path]
    function, arguments, options = (makers[k] if isinstance(makers, list) else makers)(world)
    value = BAD[bad]()
    arguments, options = mutated(function, arguments, options, place, value)
    watched = [world.model] if world.small is None else [world.m]
    before = [held(model) for model in watched]
    try:
        try:
            result = function(*arguments, **options)
        except EasyDynError as error:
            str(error).encode()  # it can be printed
            if [held(model) for model in watched] != before:
                return f"the model has changed ({error})"
            return None
        use(result, world)
        if bad in TEXTS and world.small is not None:
            text_everywhere(world)
    except EasyDynError as error:
        str(error).encode()
        return None
    except (KeyboardInterrupt, SystemExit) as error:
        return f"{type(error).__name__}"
    except BaseException as error:
        if type(error) is ZeroDivisionError and "of the user's own function" in str(error):
            return None  # his own, as it was
        trace = traceback.extract_tb(error.__traceback__)
        ours = next((f for f in reversed(trace) if "easydyn" + os.sep in f.filename), trace[-1])
        last = trace[-1]
        return (
            f"{type(error).__name__}: {str(error)[:150]} at {Path(ours.filename).name}:{ours.lineno} in {ours.name}, "
            f"from {Path(last.filename).name}:{last.lineno}"
        )
    return None


def work(chosen):
    """Make these mutants, numbers of `mutants`; a line in JSON before and after each."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):  # not on this system
        pass
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        world = World(folder)
        everything = list(mutants(world))
        gc.freeze()  # none of it is garbage
        for number in chosen:
            mutant = everything[number]
            print(json.dumps(["begin", number]), flush=True)
            print(json.dumps(["end", number, attempt(world, mutant)]), flush=True)
        os.chdir(HERE)


def _line(lines, process, limit):
    """A line; Empty when the process has taken as much of the processor as it may, or much longer by the clock."""
    began, before = time.monotonic(), processor_time(process.pid)
    while True:
        try:
            return lines.get(timeout=min(1.0, limit))
        except Empty:
            spent = processor_time(process.pid)
            over = time.monotonic() - began
            if over > (limit if spent is None else CLOCK * limit) or (spent is not None and spent - before > limit):
                raise


def _read(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put("")


def tried(chosen, told=None):
    """Make mutants in a process of their own: {number: what went wrong}; what hangs is ended, and the rest goes on."""
    wrong, left = {}, list(chosen)
    while left:
        process = subprocess.Popen(
            [sys.executable, str(HERE / "mutants.py"), "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True, encoding="utf-8", errors="replace",
        )  # fmt: skip
        lines = SimpleQueue()
        reader = Thread(target=_read, args=(process.stdout, lines), daemon=True)
        reader.start()
        process.stdin.write(json.dumps(left))
        process.stdin.close()
        current, wait = None, 10 * TIME
        try:
            while left:
                line = _line(lines, process, wait)
                if not line:
                    raise Empty
                if not line.startswith('["'):
                    continue
                what, number, *result = json.loads(line)
                if what == "begin":
                    current, wait = number, TIME
                    continue
                left.remove(number)
                if result[0] is not None:
                    wrong[number] = result[0]
                    if told:
                        told(number, result[0])
                current = None
        except Empty:
            ended = process.poll()
            if current is None:
                raise RuntimeError(f"the process that makes the calls ended ({ended})") from None
            wrong[current] = "no answer in time" if ended is None else f"the process died ({ended})"
            if told:
                told(current, wrong[current])
            left.remove(current)
        finally:
            process.kill()
            process.wait()
            reader.join()
            process.stdout.close()
    return wrong


if __name__ == "__main__":
    if sys.argv[1:] == ["--work"]:
        work(json.loads(sys.stdin.read()))
    else:
        with tempfile.TemporaryDirectory() as folder:
            everything = list(mutants(World(folder)))
        share = int(os.environ.get("SHARE", "1"))
        words = sys.argv[1:]
        chosen = [
            n for n, m in enumerate(everything)
            if (not words or any(w in f"{m[0]} {m[2]} {m[3]}" for w in words)) and code(m) % share == 0
        ]  # fmt: skip
        print(len(everything), "mutants,", len(chosen), "tried", flush=True)
        wrong = tried(chosen, lambda n, text: print(*everything[n], "->", ascii(text)[1:-1], flush=True))
        print(len(wrong), "raw")
