"""What is public in easydyn, and what its docstrings must say: used by test_docstrings.py.

Public are the names in `__all__` of any module, those of the textbook (TEXTBOOK), the classes of what these return, and
the public methods and properties of all these classes. CONTRIBUTING.md says the rules in words.
"""

import ast
import functools
import importlib
import inspect
import pkgutil
import re
import textwrap
from typing import Any, NamedTuple

import sympy

import easydyn
from easydyn.arguments import asked
from easydyn.errors import EasyDynError

TEXTBOOK = ("easydyn.mechanics.symbols", "easydyn.mechanics.kinematics", "easydyn.mechanics.mbs",
    "easydyn.mechanics.equations", "easydyn.errors")
MECHANICS = ("easydyn.mechanics.kinematics", "easydyn.mechanics.mbs", "easydyn.forces.", "easydyn.analysis.",
    "easydyn.sim.methods")

SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}[ ]*$", re.MULTILINE)
SECTIONS = {"Parameters", "Attributes", "Returns", "Yields", "Raises", "Warns", "Example", "Notes", "References"}
NAMES = re.compile(r"^([\\*]*\w+(?:, [\\*]*\w+)*)(?: : (.*))?$")

# A number or an array is a quantity: the text must say its unit, that it has none, or its shape.
QUANTITY = re.compile(
    r"\b(float|complex|numbers?|scalars?|arrays?|vectors?|matrix|Vector|Tensor|Rotation|Inertia|Scalar|ndarray)\b"
)
NO_QUANTITY = re.compile(r"\b(?:bool|callable|function|Callable)\b")
# Parameters without an annotation count as quantities, but for those that are always some kind of thing.
THINGS = set("arguments ax body condition coordinate effort efforts entry key model name options path run text".split())
SYMBOL = r"(?:[munkMGµ]?(?:N|m|kg|g|s|rad|J|W|Hz|Pa|V|A|B)\d?|H|ohm|dB|degrees|px|pixels|points)"
UNIT = re.compile(
    rf"\((?:in |1/)?{SYMBOL}(?![\w(=])[^()]*(?:\([^()]*\)[^()]*)?\)"
    r"|\b(?:no|its|their|own|SI|of the|same|any) units?\b|\bunits? of\b"
    r"|\b(?:rad|Hz|kg|(?i:seconds)|radians|metres|count|index|indices)\b"
)
SHAPE = re.compile(r"\((?:[\w.+]+, ?)+[\w.+]*\)|\b\d ?x ?\d\b|\(\d\)")
ELSEWHERE = re.compile(r"documented at `(\w+)\.(\w+)`")
# Where a quantity of mechanics comes from: an equation or a section of the paper, or something with a name.
SOURCE = re.compile(
    r"\beqs?\. \(?\d+|\(\d+[a-z]?\)|\bsections? [IVX]+|\bAppendix\b|\bfig\. \d|^References\n---"
    r"|\b(?:laws?|principles?|theorem|formula|method|balances?|model) (?:of|by) |'s? (?:laws?|theorem|formula|method)\b"
    r"|\bd'Alembert|\btangent equations?\b|\beigenvector\b|\bcontrol theory\b|\bHilber|\bChung|\bHairer|\bCoulomb",
    re.MULTILINE,
)


OF_WHAT = "what is its unit (or 'no unit'), or its shape?"
MOST_IN_PROSE = 5  # parameters


class Name(NamedTuple):
    """One public name."""

    path: str  # easydyn.model.Model.simulate
    thing: Any  # class or function; of a property the function that computes it
    kind: str  # "class", "function", "method", "property"
    listed: bool  # in an __all__, or in the textbook: to be called by users

    @property
    def doc(self):
        return inspect.cleandoc(self.thing.__doc__ or "")


def modules():
    """Every module of the package but those that are programs."""
    found = pkgutil.walk_packages(easydyn.__path__, "easydyn.")
    return [easydyn, *(importlib.import_module(m.name) for m in found if not m.name.endswith("__main__"))]


def own(thing):
    return (inspect.isclass(thing) or inspect.isfunction(thing)) and thing.__module__.startswith("easydyn")


def function_of(member):
    """The function behind a method or a property."""
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if isinstance(member, asked):
        return getattr(member.owner, member.name)
    return member if inspect.isfunction(member) else None


def members(cls):
    """Public methods and properties by name, each with the classes of the package that have it, the nearest first."""
    found = {}
    for base in cls.__mro__:
        if base.__module__.startswith("easydyn"):
            for name, member in [*vars(base).items()]:
                behind = function_of(member)
                if not name.startswith("_") and behind is not None and not behind.__name__.startswith("_"):
                    found.setdefault(name, []).append((base, member))
    return found


@functools.cache
def public():
    """All public names by path."""
    found, classes = {}, {}
    for module in modules():
        for name, thing in vars(module).items():
            if inspect.isclass(thing) and own(thing) and not name.startswith("_"):
                classes.setdefault(name, set()).add(thing)

    def add(thing, listed):
        path = f"{thing.__module__}.{thing.__qualname__}"
        if path in found and (found[path].listed or not listed):
            return
        found[path] = Name(path, thing, "class" if inspect.isclass(thing) else "function", listed)
        if inspect.isfunction(thing):
            results(thing)
            return
        for name, each in members(thing).items():
            # a docstring is inherited
            base, member = next(((base, m) for base, m in each if function_of(m).__doc__), each[0])
            behind = function_of(member)
            kind = "property" if isinstance(member, property | functools.cached_property) else "method"
            where = f"{base.__module__}.{base.__qualname__}.{name}"
            found.setdefault(where, Name(where, behind, kind, False))
            results(behind)

    def results(function):
        for word in re.findall(r"[A-Z]\w+", str(function.__annotations__.get("return", ""))):
            seen = function.__globals__.get(word)  # what is imported for annotations alone is known by its name
            for thing in (seen,) if inspect.isclass(seen) else classes.get(word, ()):
                if own(thing) and (thing is seen or len(classes[word]) == 1):
                    add(thing, False)

    for module in modules():
        if hasattr(module, "__all__"):
            listed = [getattr(module, name) for name in module.__all__]
        elif module.__name__ in TEXTBOOK:
            listed = [
                x for n, x in vars(module).items() if n[0] != "_" and getattr(x, "__module__", "") == module.__name__
            ]
        else:
            continue
        for thing in listed:
            if own(thing):
                add(thing, True)
    return found


# ------------------------------------------------------------------------------------------------------- reading


def sections(doc):
    """{"": what stands before the first header, "Parameters": ..., ...}."""
    parts = SECTION.split(doc)
    return {"": parts[0].strip()} | {head: text.strip("\n") for head, text in zip(parts[1::2], parts[2::2])}


def entries(text):
    """{name: (type, description)} of a section in the manner of NumPy."""
    found, current = {}, []
    for line in text.splitlines():
        head = NAMES.match(line)
        if head and not line.startswith(" "):
            current = [name.replace("\\", "").lstrip("*") for name in head[1].split(", ")]
            for name in current:
                found[name] = ((head[2] or "").strip(), "")
        elif line.strip():
            for name in current:
                found[name] = (found[name][0], f"{found[name][1]} {line.strip()}".strip())
    return found


@functools.cache
def parameters(name):
    """{parameter: annotation as text} of a function, or of what makes an object of a class."""
    if name.kind == "class" and not name.listed:  # users get one, and make none
        fields = getattr(name.thing, "_fields", None) or getattr(name.thing, "__dataclass_fields__", ())
        hints = getattr(name.thing, "__annotations__", {})
        return {field: str(hints.get(field, "")) for field in fields if not field.startswith("_")}
    if name.kind == "class" and not made_here(name.thing):
        return {}
    owner = ("model", "run", "scene") if name.kind == "method" else ()  # of a method that is a function elsewhere
    return {
        p.name: "" if p.annotation is p.empty else str(p.annotation)
        for p in signature_of(name.thing).values()
        if p.name not in ("self", "cls", "unknown", *owner)  # **unknown is refused with a hint
        and not p.name.startswith("_")
    }


@functools.cache
def signature_of(thing):
    try:
        return inspect.signature(thing).parameters
    except ValueError:  # of classes that Python itself makes
        return {}


def made_here(cls):
    """Whether this class says how its objects are made: fields, or a constructor that no public base describes."""
    if hasattr(cls, "_fields") or "__dataclass_fields__" in vars(cls):
        return True
    maker = next(base for base in cls.__mro__ if "__init__" in vars(base))
    described = maker is not cls and f"{maker.__module__}.{maker.__qualname__}" in public()
    return getattr(maker.__init__, "__module__", "").startswith("easydyn") and not described


def class_of(name):
    """The docstring of the class that a method belongs to: what it says of a parameter need not be said again."""
    owner = public().get(name.path.rsplit(".", 1)[0])
    return owner.doc if owner and name.kind in ("method", "property") else ""


@functools.cache
def tree_of(function):
    return ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]


def own_nodes(tree):
    """The nodes of a function without those of functions inside of it."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            waiting.extend(ast.iter_child_nodes(node))


@functools.cache
def gives(name):
    """The annotation of what a function returns; None where it returns nothing."""
    hint = name.thing.__annotations__.get("return")
    if hint in ("None", None, "NoReturn") and hint is not None:
        return None
    values = (n for n in own_nodes(tree_of(name.thing)) if isinstance(n, ast.Return | ast.Yield | ast.YieldFrom))
    if not any(
        n.value is not None and not (isinstance(n.value, ast.Constant) and n.value.value is None) for n in values
    ):
        return None
    return str(hint or "")


@functools.cache
def raised(name):
    """Exceptions of easydyn that the body itself raises."""
    bodies = [name.thing]
    if name.kind == "class":
        bodies = [vars(name.thing).get(n) for n in ("__init__", "__post_init__", "__new__")]
    found = set()
    for body in map(inspect.unwrap, bodies):
        if not inspect.isfunction(body) or body.__module__ is None or not hasattr(body, "__code__"):
            continue
        if body.__code__.co_filename.startswith("<"):  # written by dataclass
            continue
        for node in own_nodes(tree_of(body)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name):
                kind = getattr(easydyn.errors, node.exc.func.id, None)
                if inspect.isclass(kind) and issubclass(kind, EasyDynError):
                    found.add(node.exc.func.id)
    return found


# ------------------------------------------------------------------------------------------------------- judging


def quantity(kind, hint, parameter=""):
    """Whether the type in a docstring, or else the annotation, says that it is a number or an array."""
    told = kind or hint
    if told in ("", "Any"):
        return bool(parameter) and parameter not in THINGS
    return bool(QUANTITY.search(told)) and not NO_QUANTITY.search(told)


def measured(text):
    return bool(UNIT.search(text) or SHAPE.search(text))


def problems(name, doc=None):
    """What the docstring of a name lacks, as sentences; or what another text would lack in its place."""
    doc = name.doc if doc is None else doc
    if not doc:
        return ["it has no docstring"]
    if found := ELSEWHERE.search(doc):
        return list(of_sharing(name, doc, *found.groups()))
    parts = sections(doc)
    return [
        *first_sentence(parts[""]),
        *(
            f"an example stands in the section {head}: begin it with Example"
            for head in parts
            if misplaced(head, parts)
        ),
        *(
            f"there is a section {head!r}: expected one of {', '.join(sorted(SECTIONS))}"
            for head in parts.keys() - SECTIONS - {""}
        ),
        *of_parameters(name, doc, parts),
        *of_result(name, doc, parts),
        *(
            f"it raises {kind} and does not say so"
            for kind in sorted(raised(name))
            if not re.search(rf"\b{kind}\b", doc)
        ),
        *of_source(name, doc),
        *of_example(name, doc),
    ]


def of_sharing(name, doc, owner, member):
    """`equilibrium(model, ...)` is documented at `Model.equilibrium`: what is said there counts here."""
    owners = [other.thing for other in public().values() if other.kind == "class" and other.thing.__name__ == owner]
    there = getattr(owners[0], member, None) if owners else None
    if there is None:
        yield f"it is documented at {owner}.{member}, which does not exist"
        return
    given = inspect.signature(there).parameters
    if not any(p.kind is p.VAR_KEYWORD for p in given.values()):
        for extra in parameters(name).keys() - given.keys() - {owner.lower()}:
            yield f"it has a parameter {extra!r} that {owner}.{member} does not have"
    for kind in sorted(raised(name)):
        if not re.search(rf"\b{kind}\b", doc + there.__doc__):
            yield f"it raises {kind} and neither it nor {owner}.{member} says so"


def misplaced(head, parts):
    return head not in ("", "Example") and ">>>" in parts[head]


def first_sentence(text):
    first = text.split("\n\n")[0]
    if not first or not re.search(r"[.:](?:\s|$)", first):
        yield "it does not begin with a sentence that ends with a full stop"


def of_parameters(name, doc, parts):
    expected = {} if name.kind == "property" else parameters(name)
    said = (
        entries(parts.get("Parameters", ""))
        if name.kind != "class"
        else (entries(parts.get("Parameters", "")) | entries(parts.get("Attributes", "")))
    )
    if name.kind != "class" or name.listed:
        for extra in entries(parts.get("Parameters", "")).keys() - signature_of(name.thing).keys():
            yield f"it describes a parameter {extra!r}, which does not exist"
    untold = [parameter for parameter in expected if not named(parameter, class_of(name))]
    if "Parameters" not in parts and len(untold) > MOST_IN_PROSE and name.kind != "class":
        yield f"it has {len(untold)} parameters of its own, and no section Parameters"
        return
    for parameter, hint in expected.items():
        if parameter in said:
            kind, text = said[parameter]
            if not text:
                yield f"nothing is said of the parameter {parameter!r}"
            if quantity(kind, hint, parameter) and not measured(f"{kind} {text}") and not text.startswith("As in `"):
                yield f"the parameter {parameter!r} is a number or an array: {OF_WHAT}"
        elif "Parameters" in parts:
            yield f"it does not describe the parameter {parameter!r}"
        elif not named(parameter, doc) and not named(parameter, class_of(name)):
            yield f"it does not name `{parameter}`"
        elif named(parameter, doc) and quantity("", hint, parameter) and not measured(parts[""]):
            yield f"`{parameter}` is a number or an array: {OF_WHAT}"


def named(parameter, doc):
    return re.search(rf"`[^`\n]*\b{parameter}\b[^`\n]*`", doc)


def of_result(name, doc, parts):
    if name.kind == "class":
        return
    hint = gives(name)
    told = parts.get("Returns", parts.get("Yields"))
    if hint is None:
        if told is not None:
            yield "it returns nothing, and has a section Returns"
    elif told is None and "Parameters" in parts:
        yield "it has no section Returns"
    elif quantity("", hint) and not measured(told if told is not None else parts[""]):
        yield f"it returns a number or an array: {OF_WHAT}"


def of_source(name, doc):
    if name.kind == "class" and issubclass(name.thing, sympy.Symbol):
        return
    if (
        name.kind in ("class", "function")
        and name.listed
        and name.path.startswith(MECHANICS)
        and not SOURCE.search(doc)
    ):
        yield "it is mechanics: which equation of the paper, or which law?"


def of_example(name, doc):
    if name.kind in ("class", "function") and name.listed and ">>>" not in doc:
        if not (name.kind == "class" and issubclass(name.thing, Exception)):
            yield "it has no example (>>>)"
