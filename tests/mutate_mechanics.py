"""Small changes of the mechanics at random places: do the tests of every change notice them?

    python tests/mutate_mechanics.py 40 --seed 7                        40 changes; those that survive are printed
    python tests/mutate_mechanics.py 20 test_flexible test_beams_in_space --of flexible    of a room, by these files
    python tests/mutate_mechanics.py 9 test_events --of sim/locate.py:362                  all of a line

A change turns a sign, drops a term or a factor, doubles a number, takes another axis or index, turns a comparison, or
takes the smaller of two for the larger. No file is changed: a process that has collected the tests forks, and the copy
has the function with the change, and its source where machine code is made of that. There the tests run that call the
function, those of its own room first, quick ones before slow ones, until one fails. Which test calls which function is
found by a run of each test file, and kept in build/mutations.json.

Left as they are: conditions of what is told (of `if` that only raises, of `assert` and `expect`), sizes of arrays and
limits of memory, counts of operations that choose between equal formulas, and pictures. A wrong one changes no result.
Limits and factors of searches, of steps and of errors are changed: there are tests of what they cost.

A survivor is a gap of the tests, or the program is the same with the change: that has to be argued by hand.
"""

import argparse
import ast
import builtins
import importlib
import importlib.machinery
import json
import linecache
import os
import random
import resource
import shutil
import subprocess
import sys
import time
import types
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MAP = ROOT / "build" / "mutations.json"
ROOMS = (
    "vec mechanics engine constraints forces touch flexible motor sim run analysis result linkages study native "
    "model/urdf.py model/to_urdf.py export/expressions.py export/fmu/content.py"
).split()
APART = (  # of messages, pages, pictures, the course: they run no mechanics that others do not
    "arguments catalogue docstrings documents exercises grading handout habits house lite mutants "
    "newcomer notebooks pictures player report set_up showing site sketches start strings submissions "
    "benchmarks command_line easyanim gltf hostile live_view progress scene solutions survival variants "
    "interruptions study_processes mode_pictures export_ all_or_nothing unchanging course rooms_from"
).split()
COMPILING = 60.0  # s of the processor: a change within it is machine code that nobody has kept
ASIDE = ("plots", "poleplots", "progress", "blank", "budget")  # pictures, sizes of arrays, limits of memory
COUNTED = ("Shortest._length", "Shortest._operations")  # how long equal formulas are
NEIGHBOURS = {f"{u}{x}": f"{u}{y}" for u in ("", "u") for x, y in ("xy", "yz", "zx")}
OTHERS = {"min": "max", "minimum": "maximum", "argmin": "argmax", "smallest": "largest", "Min": "Max"}
OTHERS |= {other: one for one, other in OTHERS.items()}
TURNED = {ast.Lt: ">", ast.LtE: ">", ast.Gt: "<", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "=="}

# ------------------------------------------------------------------------------------------------------------- changes


class Places(ast.NodeVisitor):
    """All changes of a source: (begin, end, new text, function, what it is)."""

    def __init__(self, source):
        self.source, self.found, self.functions, self.parents = source, [], [], []
        self.depth = 0  # of functions, not of classes
        self.lines = [0]
        for line in source.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))
        self.visit(ast.parse(source))

    def at(self, node, end=False):
        line, column = (node.end_lineno, node.end_col_offset) if end else (node.lineno, node.col_offset)
        return self.lines[line - 1] + column

    def change(self, node, text, what):
        begin, end = self.at(node), self.at(node, end=True)
        # not what is made when a module is loaded: no test calls it
        if self.depth and ".".join(self.functions) not in COUNTED:
            self.found.append((begin, end, text, ".".join(self.functions), f"{what}: {text.decode()}"))

    def text(self, node):
        return self.source[self.at(node) : self.at(node, end=True)]

    def generic_visit(self, node):
        self.parents.append(node)
        super().generic_visit(node)
        self.parents.pop()

    def inside(self, node):
        if node.name not in ("__repr__", "__str__"):
            self.functions.append(node.name)
            self.depth += isinstance(node, ast.FunctionDef)
            for statement in node.body:
                self.visit(statement)
            self.functions.pop()
            self.depth -= isinstance(node, ast.FunctionDef)

    visit_FunctionDef = visit_ClassDef = inside

    def visit_AnnAssign(self, node):
        if node.value is not None:
            self.visit(node.value)

    def nothing(self, node):
        """What is told, and what is asked before it is told, is no mechanics."""

    visit_Raise = visit_JoinedStr = visit_Assert = visit_Import = visit_ImportFrom = nothing

    def visit_If(self, node):
        if not any(isinstance(x, ast.Raise) for x in node.body):
            self.visit(node.test)
        for statement in (*node.body, *node.orelse):
            self.visit(statement)

    def visit_BinOp(self, node):
        self.generic_visit(node)
        gap = self.at(node.left, end=True), self.at(node.right)
        sign = next((x for x in (b"**", b"//", b"+", b"-", b"*", b"/") if x in self.source[gap[0] : gap[1]]), None)
        texts = any(isinstance(x, ast.Constant | ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)
                    and not isinstance(getattr(x, "value", ""), int | float) for x in ast.walk(node))  # fmt: skip
        if sign not in (b"+", b"-", b"*", b"/") or texts:
            return
        place = self.source.index(sign, gap[0])
        left = self.source[self.at(node) : place].rstrip()
        right = self.source[place + 1 : self.at(node, end=True)].lstrip()
        other = {b"+": b"-", b"-": b"+", b"*": b"/", b"/": b"*"}[sign]
        self.change(node, b"(" + left + b" " + other + b" " + right + b")", "sign")
        self.change(node, b"(" + left + b")", "dropped")
        if sign in b"+-":
            self.change(node, b"(" + sign.strip(b"+") + b"(" + right + b"))", "dropped")  # kernels know no sign plus

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        if isinstance(node.op, ast.USub):
            self.change(node, b"(" + self.text(node.operand) + b")", "sign")

    def visit_Constant(self, node):
        x, of = node.value, self.parents[-1]
        arithmetic = isinstance(of, ast.BinOp) and isinstance(of.op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow)
        if type(x) in (int, float) and arithmetic and (x == 0 or 1e-3 < abs(x) < 1e3):
            for factor in ("1 + ",) if x == 0 else ("2*",) if type(x) is int else ("2*", "0.5*"):
                self.change(node, f"({factor}{x})".encode(), "factor")

    def visit_Subscript(self, node):
        self.visit(node.value)
        index = node.slice
        if isinstance(index, ast.Constant) and index.value in (0, 1, 2) and isinstance(node.ctx, ast.Load):
            self.change(index, str((1, 0, 1)[index.value]).encode(), "index")
        elif not isinstance(index, ast.Constant):
            self.visit(index)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        other = NEIGHBOURS.get(node.attr) or OTHERS.get(node.attr)
        if other and isinstance(node.ctx, ast.Load):
            self.change(node, self.text(node)[: -len(node.attr)] + other.encode(), "axis")

    def visit_Call(self, node):
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "expect":
            return self.nothing(node)
        self.generic_visit(node)
        if name in OTHERS:
            self.change(node.func, OTHERS[name].encode(), "other")

    def visit_Compare(self, node):
        self.generic_visit(node)
        turned = TURNED.get(type(node.ops[0]))
        one, two = node.left, node.comparators[0]
        if len(node.ops) == 1 and turned and not any(isinstance(getattr(x, "value", 0), str) for x in (one, two)):
            middle = self.source[self.at(one, end=True) : self.at(two)]
            sign = next(x for x in (b"<=", b">=", b"==", b"!=", b"<", b">") if x in middle)
            text = self.source[self.at(node) : self.at(one, end=True)] + middle.replace(sign, turned.encode(), 1)
            self.change(node, text + self.source[self.at(two) : self.at(node, end=True)], "turned")


def files_of_rooms():
    places = [ROOT / "easydyn" / room for room in ROOMS]
    files = [file for place in places for file in (sorted(place.rglob("*.py")) if place.is_dir() else [place])]
    return [file for file in files if file.stem not in ASIDE]


def all_places(seed):
    """Every place, in an order by chance, in which each line that has places has the same chance to come first."""
    draw, keyed = random.Random(seed), []
    for file in files_of_rooms():
        source = file.read_bytes()
        lines = [(source.count(b"\n", 0, one[0]), one) for one in Places(source).found]
        alike = Counter(line for line, _ in lines)
        keyed += [(draw.expovariate(1 / alike[line]), file.relative_to(ROOT), one) for line, one in lines]
    return [(file, one) for _, file, one in sorted(keyed)]


# ----------------------------------------------------------------------------------------------- as a plugin of pytest


class Marks(ast.NodeTransformer):
    """Each function of a source says its name when it is called; lines stay where they are."""

    def __init__(self, file):
        self.file, self.inside = file, []

    def visit_ClassDef(self, node):
        self.inside.append(node.name)
        self.generic_visit(node)
        self.inside.pop()
        return node

    def visit_FunctionDef(self, node):
        self.visit_ClassDef(node)
        where = int(ast.get_docstring(node, clean=False) is not None)
        call = ast.parse(f"__called__({f'{self.file}:' + '.'.join((*self.inside, node.name))!r})").body[0]
        for one in ast.walk(call):
            if hasattr(one, "lineno"):
                ast.copy_location(one, node.body[0])
        node.body.insert(where, call)
        return node


class Marked(importlib.machinery.SourceFileLoader):
    """A module of the mechanics, whose functions say their names."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        tree = Marks(Path(path).relative_to(ROOT)).visit(ast.parse(self.get_data(path)))
        return compile(tree, path, "exec", dont_inherit=True)


class Finder:
    """Modules of the package are loaded with marks."""

    files = None

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.partition(".")[0] != "easydyn":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.origin and Path(spec.origin) in cls.files:
            spec.loader = Marked(spec.loader.name, spec.loader.path)
        return spec


if "MUTATIONS" in os.environ:  # this is the process of pytest
    CALLED = set()
    builtins.__called__ = CALLED.add
    Finder.files = set(files_of_rooms())
    sys.meta_path.insert(0, Finder)


def in_a_copy(config, work, seconds=None):
    """Do something in a copy of this process, silently, and for so many seconds of the processor at most."""
    child = os.fork()
    if not child:
        if seconds:
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        config.pluginmanager.unregister(name="terminalreporter")
        try:
            work()
        finally:
            os._exit(0)
    os.waitpid(child, 0)


def run_items(items):
    """Run tests until one fails; whether one did."""
    session = items[0].session
    for item, following in zip(items, [*items[1:], None], strict=True):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return True
    return False


def mapped(items, path):
    """In a copy: run the tests of a file, and write which functions each calls, and how long it takes."""
    found = {}
    for item, following in zip(items, [*items[1:], None], strict=True):
        failures, begin = item.session.testsfailed, time.process_time()
        CALLED.clear()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if item.session.testsfailed == failures:
            found[item.nodeid] = [round(time.process_time() - begin, 3), sorted(CALLED)]
    path.write_text(json.dumps(found), encoding="utf-8")


def put_in(file, change):
    """Give the functions of this process a change, and their source where machine code is made of it."""
    begin, end, text, function, _ = change
    source = (ROOT / file).read_bytes()
    changed = (source[:begin] + text + source[end:]).decode()
    path = str(ROOT / file)
    linecache.cache[path] = (len(changed), None, changed.splitlines(keepends=True), path)
    whole = compile(changed, path, "exec")
    module = importlib.import_module(".".join(file.with_suffix("").parts).removesuffix(".__init__"))
    inside, put = function.split("."), 0
    for depth in range(len(inside), 0, -1):  # a function within another comes with it
        code, thing = whole, module
        for part in inside[:depth]:
            code = next((x for x in code.co_consts if isinstance(x, types.CodeType) and x.co_name == part), None)
            thing = vars(thing).get(part) if thing is not None else None
            if code is None:
                break
        for one in (thing, *(getattr(thing, x, None) for x in ("fget", "func", "__func__", "__wrapped__"))):
            while hasattr(one, "__wrapped__"):
                one = one.__wrapped__
            if isinstance(one, types.FunctionType) and code is not None and len(one.__code__.co_freevars) == len(
                code.co_freevars
            ):
                one.__code__, put = code, put + 1
        if put:
            return True
    return False


def stored():
    return json.loads(MAP.read_text(encoding="utf-8")) if MAP.exists() else {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    asked = json.loads(os.environ["MUTATIONS"])
    known = stored()
    files = {}
    for item in session.items:
        files.setdefault(item.nodeid.partition("::")[0], []).append(item)
    say = session.config.pluginmanager.get_plugin("capturemanager")
    say.suspend_global_capture(in_=True)
    MAP.parent.mkdir(exist_ok=True)
    for name, items in files.items():
        items = [item for item in items if item.nodeid not in known]
        if items:
            part = MAP.with_suffix(f".{os.getpid()}")
            in_a_copy(session.config, lambda items=items, part=part: mapped(items, part))
            if part.exists():
                known = stored() | json.loads(part.read_text(encoding="utf-8"))
                part.write_text(json.dumps(known), encoding="utf-8")
                part.replace(MAP)  # as a whole: another process may read it
                print(f"{name}: {sum(s for n, (s, _) in known.items() if n.startswith(name)):.0f} s", flush=True)
    there = {item.nodeid: item for item in session.items}
    known = {name: (s, set(called)) for name, (s, called) in known.items() if name in there}
    for items in files.values():
        share_fixtures([item for item in items if item.nodeid in known], known)
    counts, survived = {"noticed": 0, "hangs": 0, "survived": 0, "nobody calls it": 0}, []
    for file, change in asked_for(asked):
        tests = [there[name] for name in tests_of(file, change[3], known, asked["seconds"])]
        text = f"{file}:{line_of(file, change)} {change[3]}, {change[4]}"
        outcome = Path(f"{MAP}.{os.getpid()}")

        def work(file=file, change=change, tests=tests, outcome=outcome, place=f"{outcome}.cache"):
            if file.parts[1] in ("sim", "native") or file.stem in ("llvm", "rolling"):  # code is kept under their text
                os.environ["EASYDYN_CACHE"] = place
            if put_in(file, change):
                outcome.write_text("noticed" if run_items(tests) else "survived")
            else:
                outcome.write_text("nobody calls it")

        begin = time.monotonic()
        if tests:
            in_a_copy(session.config, work, 3 * asked["seconds"] + COMPILING)
            said = outcome.read_text() if outcome.exists() else "hangs"  # or has ended the process
            outcome.unlink(missing_ok=True)
            shutil.rmtree(f"{outcome}.cache", ignore_errors=True)
        else:
            said = "nobody calls it"
        counts[said] += 1
        if said not in ("noticed", "hangs"):
            survived.append(text)
        print(f"{said:8}  {text}    ({len(tests)} tests, {time.monotonic() - begin:.0f} s)", flush=True)
    print(f"\n{counts}", *survived, sep="\n", flush=True)
    return True


def share_fixtures(items, known):
    """What the first test calls to make a fixture of its file, the others that use it call too."""
    first = {}
    for item in items:
        for name, definitions in item._fixtureinfo.name2fixturedefs.items():
            if definitions[-1].scope == "module":
                known[item.nodeid][1].update(known[first.setdefault(name, item.nodeid)][1])


def line_of(file, change):
    return (ROOT / file).read_bytes().count(b"\n", 0, change[0]) + 1


def asked_for(asked):
    """The changes of a seed; --of gives paths or parts of them, with a line (beam.py:399) or without."""
    places = all_places(asked["seed"])
    if asked["of"]:
        places = [p for p in places if any(part in f"{p[0]}:{line_of(*p)}:" for part in asked["of"])]
    return places[asked["skip"] : asked["skip"] + asked["count"]]


def tests_of(file, function, known, seconds):
    """Tests for a change, the most telling first: those of the room, then quick ones of all files in turn.

    What runs as machine code is called by nobody, or by the test of a kernel alone: tests are taken, too, that call
    something else of its file, and of its room.
    """
    words = {*file.stem.strip("_").split("_"), file.parent.name}
    ranks = {}
    for rank, one in enumerate((f"{file}:{function}", f"{file}:", f"{file.parent}/")):
        if ranks and file.parts[1] not in ("sim", "native"):
            break
        for name, (_, called) in known.items():
            if any(x == one or one[-1] in ":/" and x.startswith(one) for x in called):
                ranks.setdefault(name, rank)
    turns, ordered = {}, []
    for name in sorted(ranks, key=lambda name: (known[name][0], name)):
        path = name.partition("::")[0]
        turns[path] = turns.get(path, 0) + 1
        near = any(word in path for word in words)
        ordered.append((ranks[name], turns[path] * (0.2 if near else 1.0), known[name][0], name))
    chosen, total = [], 0.0
    for _, _, s, name in sorted(ordered):
        if (total := total + s + 0.02) > seconds and chosen:
            break
        chosen.append(name)
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("count", nargs="?", type=int, default=40)
    parser.add_argument("tests", nargs="*", help="names of test files; all of the mechanics if left out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0, help="so many of the seed's changes, which were tried before")
    parser.add_argument("--seconds", type=float, default=30.0, help="of the processor, of tests for one change")
    parser.add_argument("--of", action="append", help="only places whose path:line has this in it")
    given = parser.parse_args()
    files = [ROOT / "tests" / f"{name}.py" for name in given.tests] or [
        *(file for file in sorted((ROOT / "tests").glob("test_*.py")) if not any(x in file.stem for x in APART)),
        *sorted({ROOT / "easydyn" / room.partition("/")[0] for room in ROOMS}),  # examples of docstrings
    ]
    places = os.pathsep.join((str(ROOT), str(ROOT / "tests")))
    environment = {**os.environ, "MUTATIONS": json.dumps(vars(given)), "PYTHONPATH": places}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "mutate_mechanics"]
    return subprocess.call([*command, "--tb", "line", "--timeout", "120", *map(str, files)], cwd=ROOT, env=environment)


if __name__ == "__main__":
    sys.exit(main())
