"""The rules that keep easydyn one house (docs say why), read off the sources themselves.

    engine, sim      know nothing of the textbook and of models: sim steps any second-order system
    vec, mechanics   know nothing of the engine: they can be read alone
    native           makes machine code, and knows nothing of the rest (but of `errors` and `files`)
    visu, analysis, export, course   use public names only: they are the first users of the API

A rule on a room that is not built yet holds by itself.
"""

import ast
import functools
import importlib.util
import inspect
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

from together import together

import easydyn

PACKAGE = Path(importlib.util.find_spec("easydyn").origin).parent
ROOT = Path(__file__).resolve().parent.parent
EXERCISES = PACKAGE / "course" / "exercises"  # a wheel carries them inside; they are material, not the program
FILES = sorted(file for file in PACKAGE.rglob("*.py") if EXERCISES not in file.parents)
TEXTBOOK = ("vec", "mechanics")
# from the ground up: a room imports from those before it
STREET = (
    "errors files inputs arguments native vec motor mechanics lab sim result forces flexible engine constraints touch "
    "run analysis study model linkages export visu easyanim examples course __main__"
).split()
BACK = {  # loaded when they are asked for: what a model and a run show of themselves
    ("model", "visu"), ("model", "export"), ("result", "visu"),
    ("forces", "engine"),  # a law tells at once of what cannot be evaluated
}  # fmt: skip
CIRCLES = {"forces": [3], "result": [4], "run": [2]}  # files of a room that lead to each other: how many in each circle
MOST_MODULES = 133  # of easydyn that its import loads; the number falls
FIRST_USERS = ("visu", "analysis", "export", "course", "study")
BUDGET = tomllib.loads((Path(__file__).parent / "budget.toml").read_text(encoding="utf-8"))


@functools.cache
def source_of(file):
    return file.read_text(encoding="utf-8")


@functools.cache
def nodes_of(source):
    return [*ast.walk(ast.parse(source))]


def nodes(file):
    return nodes_of(source_of(file))


def label(file):
    return file.relative_to(PACKAGE.parent).as_posix()


@functools.cache
def room(name):
    """The files of a module or of a package, `sim` or `sim.loop`."""
    place = PACKAGE.joinpath(*name.split("."))
    return [file for file in FILES if file == place.with_suffix(".py") or place in file.parents]


def module_name(file):
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@functools.cache
def is_module(dotted):
    path = PACKAGE.parent.joinpath(*dotted.split("."))
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@functools.cache
def imports(file):
    """[(line, module, name or None)] of every import, also inside functions, with relative ones resolved."""
    found = []
    here = module_name(file).split(".") if file.name == "__init__.py" else module_name(file).split(".")[:-1]
    for node in nodes(file):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = here[: len(here) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                if is_module(f"{module}.{alias.name}"):
                    found.append((node.lineno, f"{module}.{alias.name}", None))
                else:
                    found.append((node.lineno, module, alias.name))
    return found


def reached(module, name):
    """The modules that an import reaches: a name taken from `easydyn` itself counts for the module it comes from."""
    yield module
    if module == "easydyn" and name not in (None, "__version__"):
        thing = getattr(easydyn, name)
        yield getattr(thing, "__module__", None) or type(thing).__module__


def trespasses(rooms, forbidden):
    """Where these rooms import a forbidden module, or anything inside of it."""
    return [
        f"{label(file)}:{line} imports {target}"
        for name in rooms
        for file in room(name)
        for line, module, what in imports(file)
        for target in reached(module, what)
        if any(target == banned or target.startswith(banned + ".") for banned in forbidden)
    ]


def report(findings):
    return "\n".join(["", *findings])


def test_the_first_rooms_are_there():
    for name in ("vec", "mechanics.mbs", "mechanics.kinematics", "sim"):
        assert room(name), f"easydyn has no {name}: the rules below would hold by themselves"


def test_the_street_is_walked_in_one_direction():
    """Also by imports inside functions, and by those for types alone; every exception is needed."""
    rooms = {file.relative_to(PACKAGE).parts[0].removesuffix(".py") for file in FILES} - {"__init__"}
    assert rooms == set(STREET)
    back = {}
    for name in STREET:
        for file in room(name):
            for line, module, _ in imports(file):
                target = (*module.split("."), "")[1] if module.startswith("easydyn.") else name
                if STREET.index(target) > STREET.index(name):
                    back.setdefault((name, target), []).append(f"{label(file)}:{line} imports {module}")
    assert back.keys() == BACK, report(sum((back[pair] for pair in back.keys() - BACK), []))


def test_no_circle_inside_a_room():
    """Imports inside functions and those for types alone count; a circle that is gone leaves the list."""
    found = {}
    for name in STREET:
        leads = {module_name(file): {module for _, module, _ in imports(file)} for file in room(name)}
        reached = {file: closure_of(file, leads) for file in leads}
        circles = {frozenset(x for x in reached[file] if file in reached[x]) for file in leads if file in reached[file]}
        found |= {name: sorted(circles, key=len)} if circles else {}
    assert {name: list(map(len, circles)) for name, circles in found.items()} == CIRCLES, report(
        f"{name}: {', '.join(sorted(circle))}" for name, circles in found.items() for circle in circles
    )


def closure_of(file, leads):
    """All files of a room that a file leads to, on whatever way."""
    found, left = set(), [file]
    while left:
        new = {x for x in leads[left.pop()] if x in leads} - found
        found |= new
        left += new
    return found


def test_sim_steps_any_second_order_system():
    banned = ["sympy", *(f"easydyn.{name}" for name in ("mechanics", "model", "forces", "vec", "result"))]
    found = trespasses(["sim"], banned)
    assert not found, report(found)


def test_the_loop_knows_no_family_of_methods():
    """A family is chosen in methods.py, and asked what it is nowhere: it says what it needs."""
    names = "newmark_step", "runge_kutta", "collocation", "extrapolation", "scipy_methods"
    families = [f"easydyn.sim.{name}" for name in names]
    loop = ["sim.loop", "sim.locate", "sim.march", "sim.blank", "sim.records", "sim.stepper", "sim.chatter", "sim.run"]
    assert not (found := trespasses(loop, families)), report(found)
    asked = re.compile(r"family\s*(==|!=|is\b (not )?[A-Z]|in\b [A-Z(\[])|isinstance\([^)]*Family\)")
    found = [
        f"{label(file)}:{number}: {line.strip()}"
        for file in room("sim")
        if file.name != "methods.py"
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if asked.search(line)
    ]
    assert not found, report(found)


def test_what_stands_behind_a_run_can_do_all_that_a_trajectory_asks():
    """A model's source, and a System written by hand: with the arguments of the protocol, in its order."""
    from easydyn.result.source import Source
    from easydyn.run.model_source import SourceOfModel

    asked = {name: thing for name, thing in vars(Source).items() if inspect.isfunction(thing) and name[0] != "_"}
    assert {"frames", "along", "supplied", "locking_force"} <= set(asked)
    for kind in (SourceOfModel, easydyn.System):
        for name, thing in asked.items():
            own = list(inspect.signature(getattr(kind, name)).parameters) if hasattr(kind, name) else []
            if name != "frames" or kind is easydyn.System:  # a model's are those of its system
                assert own == list(inspect.signature(thing).parameters), f"{kind.__name__}.{name}"
        assert hasattr(kind, "mechanism") or kind is SourceOfModel


def test_a_run_is_not_handed_the_model():
    """It is set up once, and what makes it knows neither the Model nor its private parts."""
    found = trespasses(
        ["run.simulation", "run.impacts", "run.model_source"], ["easydyn.model.model", "easydyn.model.description"]
    )
    assert not found, report(found)
    for name in ("run.simulation", "run.model_source"):
        (file,) = room(name)
        assert "model._" not in file.read_text(encoding="utf-8")
    most = {
        label(file) + ":" + node.name: len(node.args.args) + len(node.args.kwonlyargs)
        for file in FILES
        for node in nodes(file)
        if isinstance(node, ast.FunctionDef)
    }
    assert max(most.values()) <= 22, [name for name, count in most.items() if count > 22]


def test_the_root_of_the_package_can_be_taken_in_at_a_glance():
    """Rooms, and what all of them stand on."""
    names = sorted(path.name for path in PACKAGE.iterdir() if path.name not in ("__pycache__", "py.typed"))
    assert len(names) <= 28, names


def test_native_knows_nothing_of_the_rest():
    """But of what all rooms stand on: exceptions, and files that are whole."""
    found = [
        f"{label(file)}:{line} imports {module}"
        for file in room("native")
        for line, module, _ in imports(file)
        if module.startswith("easydyn") and not module.startswith("easydyn.native")
        and module not in ("easydyn.errors", "easydyn.files")
    ]  # fmt: skip
    assert room("native") and not found, report(found)


def test_textbook_can_be_read_without_the_engine():
    found = trespasses(TEXTBOOK, ["easydyn.engine"])
    assert not found, report(found)


def test_first_users_import_public_names_only():
    found = []
    for user in FIRST_USERS:
        for file in room(user):
            for line, module, name in imports(file):
                if not f"{module}.".startswith("easydyn.") or f"{module}.".startswith(f"easydyn.{user}."):
                    continue
                if name == "__version__":
                    continue
                private = any(part.startswith("_") for part in [*module.split("."), name or ""])
                if private or (module == "easydyn" and name not in (None, *easydyn.__all__)):
                    found.append(f"{label(file)}:{line} imports {module}{f'.{name}' if name else ''}")
    assert not found, report(found)


def test_first_users_touch_no_private_attributes_of_others():
    found = []
    for user in FIRST_USERS:
        own = set()
        for file in room(user):
            for node in nodes(file):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    own.add(node.name)
                elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                    own.update([node.attr] if isinstance(node.value, ast.Name) and node.value.id == "self" else [])
                elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    own.add(node.id)
        documented = {"_replace", "_asdict", "_fields", "_make", "_exit"}  # of named tuples, of os; underscore and all
        for file in room(user):
            for node in nodes(file):
                if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                    if node.attr not in own | documented:
                        found.append(f"{label(file)}:{node.lineno} uses .{node.attr}")
    assert not found, report(found)


def test_only_what_a_model_shows_knows_of_export():
    """And it asks for it where it is called, so that importing easydyn does not load it."""
    strangers = [file for file in FILES if file not in room("export")]
    found = [
        f"{label(file)}:{line}" for file in strangers for line, module, _ in imports(file)
        if f"{module}.".startswith("easydyn.export.")
    ]  # fmt: skip
    assert found and all(place.startswith("easydyn/model/model.py:") for place in found), report(found)
    assert len(found) == 3, "one import for source files, one for reports, one for FMUs" + report(found)
    (file,) = room("model.model")
    at_top = [node.module or "" for node in nodes(file)[0].body if isinstance(node, ast.ImportFrom)]
    assert not any(name.startswith("easydyn.export") for name in at_top)


def test_import_is_light(tmp_path):
    """What a model does not need is not loaded: plots, compilers and tables come when they are asked for."""
    heavy = ("matplotlib", "numba", "llvmlite", "scipy", "pandas")
    program = (
        f"import sys; sys.path.insert(0, {str(PACKAGE.parent)!r}); before = set(sys.modules); import easydyn; "
        "print(sum(name.startswith('easydyn') for name in sys.modules)); "
        "from easydyn.analysis import equilibrium, inverse_kinematics, linearize; "
        f"print(*(name for name in {heavy} if name in set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules, *loaded = done.stdout.split()
    assert loaded == [], f"import easydyn, or analyses, load {', '.join(loaded)}"
    assert int(modules) <= MOST_MODULES, f"import easydyn loads {modules} modules of its own: load some when asked for"


@together("package", [file for file in FILES if file.name == "__init__.py"], ids=label)
def test_names_loaded_when_asked_for_are_those_that_type_checkers_see(package):
    """And completion sees them, too, before anybody has asked."""
    module, source = importlib.import_module(module_name(package)), package.read_text(encoding="utf-8")
    assert set(getattr(module, "__all__", ())) <= set(dir(module)) | set(getattr(module, "MODELS", ()))
    for line, origin, name in imports(package) if "when_asked(" in source else ():
        if name is not None and name in module.__all__:
            assert getattr(module, name) is getattr(importlib.import_module(origin), name), f"{label(package)}:{line}"


@functools.cache
def code_lines(source):
    """How many lines hold code: blank lines, comments and docstrings do not count."""
    text = source.splitlines()
    lines = {k for k, line in enumerate(text, 1) if line.strip() and not line.lstrip().startswith("#")}
    docstrings = set()
    for node in nodes_of(source):
        if isinstance(node, ast.Constant | ast.JoinedStr):  # a text may hold blank lines and what looks like a comment
            lines.update(range(node.lineno, node.end_lineno + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            if ast.get_docstring(node, clean=False) is not None and not text[node.body[0].lineno - 1][
                : node.body[0].col_offset
            ].strip():
                docstrings.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines - docstrings)


def test_code_lines_are_counted_rightly():
    docstring, code = '"""Doc\nstring."""\n\n# comment\n', 'x = 1  # one\ntext = """two\nthree"""\n'
    assert code_lines(docstring) == 0
    assert code_lines(docstring + code) == 3
    assert code_lines(docstring + code + 'def f():\n    "doc"\n    return (\n        4\n    )\n') == 7


def test_mbs_can_be_read_in_one_sitting():
    lines = code_lines((PACKAGE / "mechanics" / "mbs.py").read_text(encoding="utf-8"))
    assert lines <= 150, f"mbs.py has {lines} lines of code; the original had 150, and so may ours"


def test_motor_calculus_can_be_read_in_one_sitting():
    assert code_lines((PACKAGE / "motor" / "__init__.py").read_text(encoding="utf-8")) <= 250


@together("language", ["c", "cpp", "fortran", "jax", "julia", "matlab", "modelica", "rust"])
def test_a_language_is_a_table_and_a_template(language):
    """What it does not share with others fits a page or two; its fixed text is a file that reads as the language."""
    assert code_lines((PACKAGE / "export" / f"{language}.py").read_text(encoding="utf-8")) <= 90
    assert (PACKAGE / "export" / "templates" / f"{language}.txt").read_text(encoding="utf-8").startswith("@@ file\n")


@together("file", FILES, ids=label)
def test_file_is_small(file):
    lines = code_lines(source_of(file))
    assert lines <= 500, f"{label(file)} has {lines} lines of code: split it by ideas"



def lines_by_room():
    """How many lines of code each room holds; small rooms and the files of the root stand together."""
    counts = Counter()
    for file in FILES:
        first = file.relative_to(PACKAGE).parts[0]
        counts[first if first in BUDGET else "others"] += code_lines(source_of(file))
    return counts


def test_rooms_keep_their_budget():
    """A room that grows takes its lines from another one: numbers of budget.toml fall, and their sum never rises."""
    grown = [f"{room} has {n} lines, {n - BUDGET[room]['lines']} more" for room, n in lines_by_room().items()
             if n > BUDGET[room]["lines"]]  # fmt: skip
    assert not grown, (
        f"{'; '.join(grown)}, than tests/budget.toml gives: look for what is there twice (python tests/test_house.py "
        "counts by room), or take the lines from another room there."
    )


def dangers(file):
    """Where text or a file could become a running program."""
    may_compile = PACKAGE / "engine" in file.parents
    for node in nodes(file):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for name in names:
                if name.split(".")[0] in ("pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"):
                    yield node, f"imports {name}"
        elif isinstance(node, ast.Name) and node.id in ("eval", "pickle"):
            yield node, f"uses {node.id}"
        elif isinstance(node, ast.Name) and node.id in ("exec", "compile") and not may_compile:
            yield node, f"uses {node.id}, which only the engine may"
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "builtins":
            yield node, f"goes round by builtins.{node.attr}"
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("sympify", "S", "parse_expr", "parse_latex") and node.args:
                text = isinstance(node.args[0], ast.JoinedStr) or isinstance(getattr(node.args[0], "value", None), str)
                if text or called.startswith("parse"):
                    yield node, f"{called} of text, which SymPy evaluates as a program"
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle" and getattr(keyword.value, "value", None) is not False:
                    yield node, "allow_pickle: a file of results could run a program"


@together("file", FILES, ids=label)
def test_text_and_files_never_become_programs(file):
    found = [f"{label(file)}:{node.lineno} {what}" for node, what in dangers(file)]
    assert not found, report(found)


def test_every_public_name_is_explained():
    found = []
    for name in easydyn.__all__:
        thing = getattr(easydyn, name)
        if isinstance(thing, str | int | float | tuple):
            continue  # a constant has no docstring of its own
        speaks = inspect.isclass(thing) or inspect.isroutine(thing) or inspect.ismodule(thing)
        text = vars(thing if speaks else type(thing)).get("__doc__") if not inspect.isroutine(thing) else thing.__doc__
        made_by_machine = (text or "").startswith(f"{name}(")  # what a dataclass says when nobody else does
        if not (text or "").strip() or made_by_machine:
            found.append(f"easydyn.{name} has no docstring")
    assert not found, report(found)


def test_start_py_needs_nothing():
    """It prepares a machine that has only Python: its own standard library, and old enough words to be read by it."""
    source = (ROOT / "start.py").read_text(encoding="utf-8")
    nodes = [*ast.walk(ast.parse(source, feature_version=(3, 6)))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    foreign = [name for name in names if name.split(".")[0] not in sys.stdlib_module_names]
    assert not foreign, f"start.py imports {', '.join(foreign)}"


if __name__ == "__main__":
    for name, lines in lines_by_room().most_common():
        print(f"{lines:7,d} of {BUDGET[name]['lines']:6,d}, to be {BUDGET[name]['goal']:6,d}  {name}")
    print(f"{lines_by_room().total():7,d} of {sum(x['lines'] for x in BUDGET.values()):6,d}")
