"""Every message of the package, read off its source: used by test_error_catalogue.py.

A message is what an exception or a warning of `easydyn.errors` is made with. What is written in quotation marks is
known, what is put into braces is not: a template is a sequence of texts and of HOLE. Strings in local variables, both
sides of `x if c else y`, sums, and functions of the package that return a text are followed; a function whose argument
is the whole message is followed to where it is called.
"""

import ast
import functools
import itertools
from pathlib import Path
from typing import Any, NamedTuple

from easydyn import errors

PACKAGE = Path(errors.__file__).parent
HOLE = None  # what is known at run time only
MOST = 48  # alternatives of one message
LEAST = 12  # characters of a message of its own: "{path}: {error}" passes another one on
GUARD = "expect"  # expect(fits, what, value, expected, verb) says "{what} {verb} {value}: expected {expected}."
GUARDED = "Guarded"  # Guarded(function, where, kind, when) says "{where} failed at {when(t)}: ..."
SENTENCES = {"_why_not": "ModelError"}  # functions whose sentences are raised later
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
# What is not of easydyn.errors: protocols of Python, what does not leave the function, what only developers meet.
OTHERS = {
    "AttributeError": {
        "__init__.py", "lab/__init__.py", "model/__init__.py", "arguments.py", "examples/__init__.py",
        "native/record.py", "mechanics/symbols.py", "course/asking.py",
    },
    "TypeError": {"course/asking.py", "export/__init__.py", "export/report/__init__.py"},
    "BadZipFile": {"result/trajectory_files.py"},
    "ValueError": {f"course/{name}.py" for name in ("asking", "plain", "reading", "room")} | {"result/trajectory.py"},
    "LinAlgError": {"analysis/spectrum.py"},
    "ImportError": {"native/machine.py"},
    "AssertionError": {"engine/derivatives.py"},
    "OSError": {"native/cache.py", "course/walls/jail.py"},  # of the second: what the system does not give
    "_Enough": {"study/optimise.py"},  # ends a search
    "Spent": {"study/problem.py"},  # the same of a fit
    # Between the process of a student and the one that checks: each becomes a sentence of a report.
    **{kind: {"course/asking.py", "course/plain.py", "course/room.py"}
       for kind in ("Unreadable", "Missing", "Refused", "Failed", "Ended")},
}  # fmt: skip
# Functions that make an exception of another kind: kernels that are not in their language, stages that do not pass.
MAKERS = {"refuse", "refusal", "Wrong", "wrong", "_wrong", "_stumbled"} | {"kind"}  # the last: that of a Guarded


GIVEN: dict[Any, Any] = {}  # what parameters are given, while a message is read for one of its callers


class Message(NamedTuple):
    """What is said somewhere, in one of its forms."""

    where: str  # sim/driver.py:118
    kind: str  # InputError
    pieces: tuple[str | None, ...]

    def __str__(self):
        return f"{self.where}: {self.kind}: {''.join('…' if piece is HOLE else piece for piece in self.pieces)}"


class Module:
    """A file of the package, with its functions and what they were called by."""

    def __init__(self, path):
        self.name = path.relative_to(PACKAGE).as_posix()
        self.tree = ast.parse(path.read_text(encoding="utf-8"))
        self.dotted = ".".join(["easydyn", *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        self.parents, self.nodes = {}, [self.tree]
        for node in self.nodes:  # it grows
            children = [*ast.iter_child_nodes(node)]
            self.parents |= dict.fromkeys(children, node)
            self.nodes += children
        imports = [node for node in self.nodes if isinstance(node, ast.ImportFrom)]
        self.imported = {(node.module, alias.name) for node in imports for alias in node.names}

    def function_around(self, node):
        while node in self.parents:
            node = self.parents[node]
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return node
        return None


class Package(NamedTuple):
    """All files, and by name what they define and what they call."""

    modules: list[Module]
    functions: dict[str, list[tuple[Module, ast.FunctionDef]]]
    calls: dict[str, list[tuple[Module, ast.Call]]]


@functools.cache
def package():
    """Read when the first test asks, not by every process that collects tests."""
    whole = Package([Module(path) for path in sorted(PACKAGE.rglob("*.py"))], {}, {})
    for module in whole.modules:
        for node in module.nodes:
            if isinstance(node, ast.FunctionDef):
                whole.functions.setdefault(node.name, []).append((module, node))
            elif isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                whole.calls.setdefault(called, []).append((module, node))
    return whole


def defined(name):
    return package().functions.get(name, [])


def calls(name):
    return package().calls.get(name, [])


def joined(*parts):
    """All ways to put alternatives one after the other; neighbouring texts become one."""
    found = []
    for choice in itertools.islice(itertools.product(*parts), MOST):
        pieces: list[str | None] = []
        for piece in itertools.chain.from_iterable(choice):
            if piece is not HOLE and pieces and pieces[-1] is not HOLE:
                pieces[-1] += piece
            elif piece is not HOLE or not pieces or pieces[-1] is not HOLE:
                pieces.append(piece)
        found.append(tuple(pieces))
    return found


def templates(node, module, depth=0) -> list[tuple[str | None, ...]]:
    """What an expression may say."""
    unknown: list[tuple[str | None, ...]] = [(HOLE,)]
    if depth > 6:
        return unknown
    if isinstance(node, ast.Constant):
        return [(str(node.value),)] if isinstance(node.value, str) else unknown
    if isinstance(node, ast.JoinedStr):
        return joined(*(templates(value, module, depth + 1) for value in node.values))
    if isinstance(node, ast.FormattedValue):
        plain = node.conversion == -1 and node.format_spec is None
        return templates(node.value, module, depth + 1) if plain else unknown
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return joined(templates(node.left, module, depth + 1), templates(node.right, module, depth + 1))
    if isinstance(node, ast.IfExp):
        return [*templates(node.body, module, depth + 1), *templates(node.orelse, module, depth + 1)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(defined(node.func.id)) == 1:
        return returned(*defined(node.func.id)[0], node, module, depth)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "replace":
        return [emptied(pieces, node.args[0]) for pieces in templates(node.func.value, module, depth + 1)]
    if isinstance(node, ast.Name):
        return variable(node, module, depth)
    return unknown


def emptied(pieces, mark):
    """The pieces of a text with HOLE for each mark, "{}" or "{!r}", in whose place something is put at run time."""
    if not (isinstance(mark, ast.Constant) and str(mark.value).startswith("{")):
        return pieces
    parts = [[HOLE] if piece is HOLE else piece.split(mark.value) for piece in pieces]
    return tuple(x for part in parts for i, text in enumerate(part) for x in ([HOLE, text] if i else [text]) if x != "")


def returned(home, function, call, module, depth):
    """What a function of the package that returns a text says, with the texts it is given."""
    values = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    given = {} if call is None else dict(zip([a.arg for a in function.args.args], call.args, strict=False))
    found: list[tuple[str | None, ...]] = []
    for value in values:
        parts = []
        for piece in value.values if isinstance(value, ast.JoinedStr) else [value]:
            inner = piece.value if isinstance(piece, ast.FormattedValue) else None
            if isinstance(inner, ast.Name) and inner.id in given:
                parts.append(templates(given[inner.id], module, depth + 1))
            else:
                parts.append(templates(piece, home, depth + 1))
        found += joined(*parts)
    return found[:MOST] if any(any(form) for form in found) else [(HOLE,)]


@functools.cache
def steps_of(function):
    steps = [step for step in ast.walk(function) if isinstance(step, ast.Assign | ast.AugAssign)]
    return sorted(steps, key=lambda step: step.lineno)


def variable(node, module, depth):
    """What a local variable may hold: every text that is assigned or added to it in the function."""
    function = module.function_around(node)
    if function is None or isinstance(function, ast.Lambda):
        return [(HOLE,)]
    if (function, node.id) in GIVEN:
        argument, where = GIVEN[function, node.id]
        return templates(argument, where, depth + 1)
    found: list[tuple[str | None, ...]] = []
    for step in steps_of(function):
        if isinstance(step, ast.AugAssign):
            if isinstance(step.target, ast.Name) and step.target.id == node.id:
                found = joined(found or [(HOLE,)], [("",), *templates(step.value, module, depth + 1)])
            continue
        for target in step.targets:
            pairs = [(target, step.value)]
            if isinstance(target, ast.Tuple) and isinstance(step.value, ast.Tuple):
                pairs = list(zip(target.elts, step.value.elts, strict=False))
            for name, value in pairs:
                if isinstance(name, ast.Name) and name.id == node.id:
                    found += templates(value, module, depth + 1)
    if not found:
        for step in module.tree.body:  # a constant of the module
            if isinstance(step, ast.Assign) and ast.unparse(step.targets[0]) == node.id:
                found = templates(step.value, module, depth + 1)
    return found[:MOST] or [(HOLE,)]


def whole_message(node, module):
    """The expressions that a message may be: where it is a parameter, what the callers give."""
    function = module.function_around(node)
    if isinstance(node, ast.Name) and isinstance(function, ast.FunctionDef):
        names = [a.arg for a in function.args.args]
        if node.id in names:
            place = names.index(node.id) - (names[0] in ("self", "cls"))
            for where, call in calls(function.name):
                keyword = next((k.value for k in call.keywords if k.arg == node.id), None)
                argument = keyword or (call.args[place] if len(call.args) > place else None)
                if argument is not None:
                    yield from whole_message(argument, where)
            return
    yield node, module


def made(node, module):
    """The kind of exception or warning that a call makes, and its message; None for other calls."""
    if isinstance(node.func, ast.Name) and node.func.id == GUARD:
        _, what, value, expected, *verb = node.args
        parts = [what, verb[0] if verb else ast.Constant("is"), value, ast.Constant(": expected "), expected]
        shown = [ast.FormattedValue(part, -1 if part is not value else ord("r")) for part in parts]
        message = ast.copy_location(ast.JoinedStr([*shown, ast.Constant(".")]), node)
        message.values[1:1], message.values[3:3] = [ast.Constant(" ")], [ast.Constant(" ")]
        module.parents[message] = node
        return "InputError", message
    if getattr(module.function_around(node), "name", "") == GUARD:
        return None
    if isinstance(node.func, ast.Name) and node.func.id == GUARDED:
        function, where, *more = node.args
        more += [keyword.value for keyword in node.keywords]
        (kind,) = [x.id for x in more if x.id in KINDS] or ["FunctionError"]
        (when,) = [x for x in more if x.id not in KINDS] or [ast.Name("at_time")]
        end = ". Look at the line of your function shown above."
        parts = [where, ast.Constant(" failed at "), ast.Call(when, [], []), function, ast.Constant(end)]
        parts = [ast.FormattedValue(x, ord("r") if x is function else -1) for x in parts]
        message = ast.copy_location(ast.JoinedStr(parts), node)
        module.parents[message] = node
        return kind, message
    if isinstance(node.func, ast.Name) and node.func.id in KINDS and node.args:
        return node.func.id, node.args[0]
    if isinstance(node.func, ast.Call) and ast.unparse(node.func.func) == "type" and node.args:
        if isinstance(node.args[0], ast.JoinedStr):
            return "", node.args[0]  # type(error)(f"..."): the same kind again
    if isinstance(node.func, ast.Attribute) and node.func.attr == "warn" and len(node.args) == 2:
        return ast.unparse(node.args[1]), node.args[0]
    return None


def changed(node):
    """The text that an exception on its way is given instead of its own: error.args = (text,)."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
        if getattr(node.targets[0], "attr", "") == "args":
            return "", node.value.elts[0]
    return None


def calls_of(home, function):
    """Calls of a function of the package: by a name that is its own or imported from there; of a method by its name."""
    alone = len(defined(function.name)) == 1
    if home.parents.get(function) is not home.tree:
        return calls(function.name) if alone else []
    return [
        (where, call)
        for where, call in calls(function.name)
        if isinstance(call.func, ast.Name) and (where is home or (home.dotted, function.name) in where.imported)
    ]


def given_by_callers(home, function, levels=3):
    """For each call of a function: its parameters with the arguments they are given, those of the caller's too."""
    if levels == 0 or not isinstance(function, ast.FunctionDef):
        return
    names = [a.arg for a in function.args.args]
    names = names[names[:1] in (["self"], ["cls"]) :]
    defaults = zip(function.args.args[::-1], function.args.defaults[::-1], strict=False)
    own = {(function, a.arg): (default, home) for a, default in defaults}
    for where, call in calls_of(home, function):
        arguments = own | {(function, name): (x, where) for name, x in zip(names, call.args, strict=False)}
        arguments |= {(function, k.arg): (k.value, where) for k in call.keywords}
        for more in given_by_callers(where, where.function_around(call), levels - 1):
            yield arguments | more
        yield arguments


@functools.cache
def messages():
    """Every message of the package, in each of its forms; what only passes on another message is none."""
    found: dict[str, list[Message]] = {}
    for module in package().modules:
        for node in module.nodes:
            call = made(node, module) if isinstance(node, ast.Call) else changed(node)
            if call is None:
                continue
            for text, where in whole_message(call[1], module):
                place = f"{where.name}:{text.lineno}"
                forms = [Message(place, call[0], pieces) for pieces in templates(text, where)]
                for given in itertools.islice(given_by_callers(where, where.function_around(text)), 400):
                    GIVEN.update(given)
                    forms += [Message(place, call[0], pieces) for pieces in templates(text, where)]
                    GIVEN.clear()
                found[f"{place}:{text.col_offset}"] = [*dict.fromkeys(form for form in forms if known(form) >= LEAST)]
    for name, kind in SENTENCES.items():
        for module, function in defined(name):
            for value in (n.value for n in ast.walk(function) if isinstance(n, ast.Return)):
                place = f"{module.name}:{value.lineno}"
                found[place] = [Message(place, kind, pieces) for pieces in templates(value, module)]
    return [forms for forms in found.values() if forms]


def known(form):
    """How many characters of a message are written in the source."""
    return sum(len(piece) for piece in form.pieces if piece is not HOLE)


def strangers():
    """Exceptions that are raised and are neither of easydyn.errors nor among OTHERS and MAKERS."""
    for module in package().modules:
        for node in module.nodes:
            if not isinstance(node, ast.Raise) or node.exc is None:
                continue
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            name = raised.id if isinstance(raised, ast.Name) else getattr(raised, "attr", "")
            if isinstance(raised, ast.Call):  # type(error)(...)
                continue
            if name in KINDS | MAKERS or module.name in OTHERS.get(name, ()):
                continue
            if any("Error" in ast.unparse(f.returns) for _, f in defined(name) if f.returns is not None):
                continue  # a function that returns one of ours, which `messages` finds where it is made
            if name.startswith(("refused", "error")):  # kept, or made, before
                continue
            yield f"{module.name}:{node.lineno}: {ast.unparse(node)[:80]}"
