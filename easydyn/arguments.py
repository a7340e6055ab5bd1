"""Typos: arguments, names behind a dot, and assignments that would be lost, in words that help.

    model.body("arm", T, mas=1)    ArgumentError: body() has no argument 'mas': did you mean mass? It takes name, T, ...
    spring.stifness                UnknownAttributeError: Spring has no 'stifness': did you mean stiffness? It has ...
    spring.stiffness = 5           ReadOnlyError: Spring: stiffness stays as it was made: ...

A call that works is not looked at: what is decorated with `answers` is called as it is, and only where that ends in a
TypeError are the arguments held against the signature. When they fit, the TypeError comes from somewhere inside, and
stays what it is. Things that users make, and of which they write their own kinds, derive from `Thing`, which tells of
all three.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, update_wrapper
from importlib import import_module
from inspect import Parameter, Signature, signature
from sys import modules
from types import FunctionType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from easydyn.errors import ArgumentError, EasyDynError, ModelError, ReadOnlyError, UnknownAttributeError, hint_of
from easydyn.inputs import shown

T = TypeVar("T")

IN_ORDER = Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD
MANY = Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD
OWNERS = "self", "cls", "_cls", "model", "run", "scene"  # what a method is given before its arguments
MOST = 9  # names in an expected call
MADE = "_made"
IN_EQUATIONS = (
    "equations are made from it. For a value that changes between runs give a parameter in its place, "
    "k, = model.parameters(k=10), and simulate(5, parameters={'k': 20}); or make another model."
)

# What those write who come from other programs or from formulas, and what it may be called here.
HABITS = {
    "m": "mass", "masse": "mass", "weight": "mass",
    "i": "inertia", "j": "inertia", "moment_of_inertia": "inertia", "tensor": "inertia",
    "cg": "com", "cog": "com", "cm": "com", "center_of_mass": "com", "centre_of_mass": "com",
    "pose": "T", "transform": "T", "matrix": "T", "frame": "T", "position": "T",
    "k": "stiffness", "spring_constant": "stiffness", "kt": "stiffness",
    "c": "damping", "d": "damping", "viscosity": "damping", "coefficient": "damping",
    "l0": "free_length", "rest_length": "free_length", "natural_length": "free_length", "length": "free_length",
    "theta0": "free_angle", "rest_angle": "free_angle", "angle": "free_angle", "q": "coordinate", "joint": "coordinate",
    "mu": "friction", "e": "restitution", "cor": "restitution",
    "dt": "step", "h": "step", "timestep": "step", "time_step": "step", "step_size": "step", "stepsize": "step",
    "max_dt": "max_step", "hmax": "max_step", "min_dt": "min_step", "hmin": "min_step",
    "tol": "tolerance", "rtol": "tolerance", "atol": "tolerance", "reltol": "tolerance", "abstol": "tolerance",
    "tf": "t_final", "t_end": "t_final", "tend": "t_final", "tfinal": "t_final", "t_stop": "t_final",
    "tmax": "t_final", "t_max": "t_final", "t_span": "t_final", "duration": "t_final", "time": "t_final",
    "t0": "t_start t", "tstart": "t_start",
    "x0": "initial q", "y0": "initial q", "q0": "initial q", "ic": "initial", "init": "initial",
    "initial_conditions": "initial", "initial_values": "initial", "initial_state": "initial", "start": "initial",
    "qd0": "rates qd", "v0": "rates qd", "velocity": "rates", "velocities": "rates", "speeds": "rates",
    "params": "parameters", "p": "parameters", "constants": "parameters",
    "t_eval": "save_every", "dt_out": "save_every", "output_step": "save_every",
    "solver": "method", "integrator": "method",
    "g": "gravity", "point": "at", "label": "labels name", "title": "name", "color": "colour",
    "file": "path", "filename": "path",
    "fps": "frames_per_second", "kp": "proportional", "ki": "integral", "kd": "derivative", "ref": "setpoint",
    "reference": "setpoint", "u0": "value", "callback": "action",
}  # fmt: skip


def answers(thing: T) -> T:
    """Decorator: a function, or the constructor and the public methods of a class, that tell of wrong arguments.

    But for the methods that the class names in `_QUICK`: they are called at every step of a run.
    """
    if isinstance(thing, FunctionType):
        return _answering(thing)  # type: ignore[return-value]
    if isinstance(thing, type):
        _attributes(thing)
    quick = vars(thing).get("_QUICK", ())
    for name, member in list(vars(thing).items()):
        if name in quick:
            continue
        if isinstance(member, FunctionType):
            constructor = name in ("__init__", "__new__") and not isinstance(thing, Answering)
            if constructor or not name.startswith("_"):
                setattr(thing, name, _answering(member))
        elif isinstance(member, classmethod | staticmethod) and (name == "__new__" or not name.startswith("_")):
            setattr(thing, name, type(member)(_answering(member.__func__)))
    return thing


def _answering(function: Any) -> Any:
    look, error = mistake_in, TypeError  # kept with the function: the module that it belongs to may not have them

    def answering(*arguments: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        try:
            return function(*arguments, **options) if options else function(*arguments)  # which is faster
        except error:
            refused = look(function, arguments, options)
            if refused is None:
                raise
            raise refused from None

    # with the globals of the function, by which doctest and others tell where it belongs
    code, inside = answering.__code__, answering.__closure__
    found = FunctionType(code, function.__globals__, function.__name__, None, inside)
    return update_wrapper(found, function)


class asked:  # noqa: N801 - it stands where a method stands
    """A method of a class that lives elsewhere, "module:function", and is loaded when it is first asked for.

    It is then a method like others: the function is given the object as its first argument.
    """

    def __init__(self, place: str):
        self.place = place

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, thing: Any, kind: type) -> Any:
        module, _, name = self.place.partition(":")
        function = getattr(import_module(module), name)
        function = getattr(function, "__wrapped__", function)
        own: Any = FunctionType(function.__code__, function.__globals__, self.name, function.__defaults__)
        update_wrapper(own, function)
        own.__kwdefaults__, own.__module__ = function.__kwdefaults__, self.owner.__module__
        own.__name__, own.__qualname__ = self.name, f"{self.owner.__name__}.{self.name}"
        method = _answering(own)
        setattr(self.owner, self.name, method)
        return getattr(kind if thing is None else thing, self.name)


def when_asked(package: str, places: Mapping[str, str]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package, for names loaded when asked for: {"module of the package": "names"}.

    A module that is a name itself is given as "".
    """
    known = {name: module for module, names in places.items() for name in names.split()}

    def found(name: str) -> Any:
        if name not in known:
            raise AttributeError(f"module {package!r} has no {name!r}.")
        if not known[name]:
            return import_module(f"{package}.{name}")
        module = __import__(f"{package}.{known[name]}", fromlist=[name])  # with the module of that name in it
        thing = vars(modules[package])[name] = getattr(module, name)
        return thing

    return found, lambda: sorted({*vars(modules[package]), *known})


class Given(NamedTuple):
    """What a method or a property gives: one value, or `many`, of each of which `fits` is true; `words` say what."""

    words: str
    fits: Callable[[Any], bool]
    many: bool = False


class Answering(ABCMeta):
    """Metaclass of classes that tell of wrong arguments when an object is made, also where a user derives from them.

    What fails in a method of the user's that takes the place of one in `_GIVES`, or gives something else, is told with
    the name of that method.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], members: dict[str, Any], **options: Any) -> None:
        super().__init__(name, bases, members, **options)
        _attributes(cls)
        gives: dict[str, Given] = {} if cls.__module__.startswith("easydyn.") else getattr(cls, "_GIVES", {})
        for place in members.keys() & gives.keys():
            member, label = members[place], f"{place} of your {name}"
            if isinstance(member, property) and member.fget is not None:
                setattr(cls, place, property(_owned(member.fget, label, gives[place])))
            elif isinstance(member, FunctionType):
                if any(isinstance(vars(kind).get(place), property) for kind in cls.__mro__[1:]):
                    raise ModelError(f"{label} is a method: expected a property, with @property in the line above it.")
                setattr(cls, place, _owned(member, label, gives[place]))

    if not TYPE_CHECKING:  # which should look at `__init__`

        def __call__(cls, *arguments: Any, **options: Any) -> Any:
            __tracebackhide__ = True
            try:
                thing = super().__call__(*arguments, **options)
            except TypeError:
                refused = _misfit(cls.__name__, _of_all(cls), arguments, options)
                if refused is None and cls.__abstractmethods__:
                    names = sorted(cls.__abstractmethods__)
                    form = ", ".join([*signature(getattr(cls, names[0])).parameters])
                    refused = ArgumentError(
                        f"{cls.__name__} is abstract, it lacks {_and(names)}: expected def {names[0]}({form}) in it."
                    )
                if refused is None:
                    raise
                raise refused from None
            if cls.__module__.startswith("easydyn."):  # one that a user derives keeps the right to change
                thing.__dict__[MADE] = True
            return thing

    @property
    def __signature__(cls) -> Signature:
        """What Python would find by itself if there were no `__call__` above."""
        return Signature(_made_by(cls, cls.__mro__)[0])


def _owned(function: Any, label: str, gives: Given) -> Any:
    """A method of a user's class that tells what fails in it, or what it gives in place of what is expected."""

    def owned(*arguments: Any) -> Any:
        __tracebackhide__ = True
        try:
            found = function(*arguments)
            listed = gives.many and isinstance(found, Iterable) and not isinstance(found, str)
            each = tuple(found) if listed else (found,)
        except Exception as error:  # whatever happens in a function of the user's
            if isinstance(error, EasyDynError) and not isinstance(error, AttributeError):  # which properties swallow
                raise
            raise ModelError(
                f"{label} failed: {type(error).__name__}: {error}. Look at the line of your function shown above."
                f"{hint_of(error)}"
            ) from error
        wrong = [x for x in each if not gives.fits(x)] if listed or not gives.many else [found]
        if wrong:
            kind = type(wrong[0]).__name__
            raise ModelError(
                f"{label} gives {shown(wrong[0])} ({kind}), and is asked for something else: expected {gives.words}."
            )
        return iter(each) if listed and isinstance(found, Iterator) else each if listed else found

    return update_wrapper(owned, function)


def mistake_in(function: Any, arguments: Sequence[Any], options: Mapping[str, Any]) -> ArgumentError | None:
    """What is wrong with the arguments of a call that failed; None when they fit the signature of the function."""
    parameters = list(signature(function).parameters.values())
    name, owner = function.__name__, function.__qualname__.rpartition(".")[0].rpartition(".")[2]
    if not parameters or not owner or parameters[0].name not in OWNERS:
        return _misfit(name, parameters, arguments, options)
    if not arguments:
        return _without_object(name, owner)
    kinds = (arguments[0] if isinstance(arguments[0], type) else type(arguments[0])).__mro__
    if name in ("__init__", "__new__"):  # of this class, or of one that a class of the user's calls as its base
        makers = ((kind, getattr(kind, name)) for kind in kinds)
        name = next((kind.__name__ for kind, maker in makers if getattr(maker, "__wrapped__", None) is function), name)
    elif owner not in (kind.__name__ for kind in kinds):
        return _without_object(name, owner)
    return _misfit(name, parameters[1:], arguments[1:], options)


def _without_object(name: str, owner: str) -> ArgumentError:
    return ArgumentError(
        f"{name}() was called on the class {owner} itself: expected an object of it before the dot, as in "
        f"model.{name}(...) for model = Model(...)."
    )


def no_unknown_options(unknown: Iterable[str], function: Any, *others: Any) -> None:
    """ArgumentError for an option that neither a function nor the others, to which it passes them on, have."""
    every = [p for f in (function, *others) for p in signature(f).parameters.values()]
    known = [p.name for p in every if p.kind is p.KEYWORD_ONLY]
    no_others(unknown, dict.fromkeys(known), function.__name__)


def no_others(given: Iterable[str], known: Iterable[str], name: str) -> None:
    """ArgumentError for what a call of `name` is given and does not know."""
    listed = list(known)
    unknown = [x for x in given if x not in listed]
    if unknown:
        raise _unknown(name, unknown, listed, ())


def _made_by(cls: type, kinds: Sequence[type]) -> tuple[list[Parameter], Sequence[type]]:
    """The parameters of the first constructor among these classes, and the classes behind it."""
    for k, kind in enumerate(kinds):
        for name in ("__init__", "__new__"):
            maker = vars(kind).get(name)
            if maker is None or kind is object:
                continue
            try:
                return list(signature(getattr(kind, name)).parameters.values())[1:], kinds[k + 1 :]
            except ValueError:  # a class of Python's own among the user's, which does not say
                return [Parameter("values", MANY[0]), Parameter("options", MANY[1])], ()
    return [], ()


def _of_all(cls: type) -> list[Parameter]:
    """The parameters of a constructor, those of its base classes among them where it passes on what it does not know.

    Only where that is known, in easydyn's own: one of the user's may take options that nobody else does.
    """
    found, kinds = _made_by(cls, cls.__mro__)
    while kinds and found and found[-1].kind is Parameter.VAR_KEYWORD and cls.__module__.startswith("easydyn."):
        more, kinds = _made_by(cls, kinds)
        names = {p.name for p in found}
        passed = [p for p in more if p.kind not in MANY and p.name not in names]
        found[-1:] = [p.replace(kind=Parameter.KEYWORD_ONLY, default=None) for p in passed]
        found += [p for p in more if p.kind is Parameter.VAR_KEYWORD]
    return found


def _misfit(
    name: str, parameters: Sequence[Parameter], arguments: Sequence[Any], options: Mapping[str, Any]
) -> ArgumentError | None:
    """What is wrong with the arguments, the most telling mistake first; None when nothing is."""
    try:
        Signature(parameters).bind(*arguments, **options)
    except TypeError:
        pass
    else:
        return None
    kinds = {p.kind for p in parameters}
    ordered = [p.name for p in parameters if p.kind in IN_ORDER]
    named = [p.name for p in parameters if p.kind not in MANY and p.kind is not Parameter.POSITIONAL_ONLY]
    placed = ordered[: len(arguments)]
    unknown = [x for x in options if x not in named]
    if unknown and Parameter.VAR_KEYWORD not in kinds:
        return _unknown(name, unknown, named, placed)
    if len(arguments) > len(ordered) and Parameter.VAR_POSITIONAL not in kinds:
        others = [x for x in named if x not in ordered and x not in options]
        return _surplus(name, ordered, others, arguments, Parameter.VAR_KEYWORD in kinds)
    form = _form(name, parameters)
    twice = [x for x in placed if x in options and x in named]
    if twice:
        return ArgumentError(f"{name}() got {twice[0]} twice, by its place and by its name: give it once, {form}.")
    needed = [p.name for p in parameters if p.default is p.empty and p.kind not in MANY]
    missing = [x for x in needed if x not in placed and not (x in named and x in options)]
    return ArgumentError(f"{name}() lacks {_and(missing)}: expected {form}.") if missing else None


def _unknown(name: str, unknown: Sequence[str], known: Sequence[str], given: Sequence[str]) -> ArgumentError:
    """Arguments that nobody has: what may be meant, and what there is."""
    left = [x for x in known if x not in given and x not in unknown]
    guesses = {x: _meant(x, left) for x in unknown}
    takes = f"It takes {_and(known)}." if known else "It takes nothing by name."
    wrong = " nor ".join(map(repr, unknown))
    meant = _and([x for x in dict.fromkeys(guesses.values()) if x])
    if meant:
        return ArgumentError(f"{name}() has no argument {wrong}: did you mean {meant}? {takes}")
    return ArgumentError(f"{name}() has no argument {wrong}. {takes}")


def _meant(typed: str, known: Sequence[str]) -> str:
    """The argument that is probably meant; an empty text where none is near."""
    from difflib import get_close_matches

    lower = {x.lower(): x for x in known}
    habits = [x for x in HABITS.get(typed.lower(), "").split() if x in known]
    close = get_close_matches(typed.lower(), lower, n=1)
    return habits[0] if habits else lower[close[0]] if close else ""


def _surplus(
    name: str, ordered: Sequence[str], others: Sequence[str], arguments: Sequence[Any], any_name: bool
) -> ArgumentError:
    """More values than there are places: the others by their names, where there are such."""
    got = f"{len(arguments)} value{'s' * (len(arguments) != 1)}"
    if not others and not any_name:
        places = f"{_and(ordered)} alone" if ordered else "no values"
        return ArgumentError(f"{name}() takes {places}, got {got}: leave out what is too much.")
    text = shown(arguments[len(ordered)])
    example = f", e.g. {others[0]}={text if len(text) < 30 else '...'}" if others else ""
    places = f"only {_and(ordered)}" if ordered else "nothing"
    return ArgumentError(f"{name}() takes {places} without a name, got {got}: give the others as name=value{example}.")


def _form(name: str, parameters: Sequence[Parameter]) -> str:
    """A call as it should be: body(name, T, *, mass, inertia, com, shape)."""
    words: list[str] = []
    for p in parameters:
        if p.kind is Parameter.KEYWORD_ONLY and not any(word.startswith("*") for word in words):
            words.append("*")
        stars = "*" if p.kind is Parameter.VAR_POSITIONAL else "**" if p.kind is Parameter.VAR_KEYWORD else ""
        words.append(stars + p.name)
    return f"{name}({', '.join(words[:MOST] + ['...'] * (len(words) > MOST))})"


def _and(words: Iterable[str]) -> str:
    """a; a and b; a, b and c."""
    *first, last = words or [""]
    return f"{', '.join(first)} and {last}" if first else last


# -- names behind a dot ------------------------------------------------------------------------------------------------

# What it is called elsewhere, and what it may be called here.
NAMES_ELSEWHERE = {
    "time": "t", "velocity": "v", "acceleration": "a", "angular_velocity": "omega", "position": "T", "pose": "T",
}  # fmt: skip


class Attributes:
    """Base of what tells of a wrong attribute, and what may be meant.

    >>> class Arm(Attributes):
    ...     length = 1
    >>> Arm().lenght
    Traceback (most recent call last):
    easydyn.errors.UnknownAttributeError: Arm has no 'lenght': did you mean length? It has length.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # which should tell by itself

        def __getattr__(self, name):
            if name.startswith("_") or hasattr(type(self), name):  # libraries ask; a property of ours that fails
                raise AttributeError(name)
            raise unknown(self, name)


def _attributes(cls: type) -> None:
    """Let objects of a class tell of wrong attributes, unless it has words of its own for them."""
    if not hasattr(cls, "__getattr__"):
        cls.__getattr__ = Attributes.__getattr__  # type: ignore[attr-defined]


@lru_cache
def _near(name: str, there: tuple[str, ...]) -> list[str]:
    """What may be meant by a name; those who ask many objects for what they do not have come here each time."""
    from difflib import get_close_matches

    habit = NAMES_ELSEWHERE.get(name, "")
    letters = [x for x in there if x.lower() == name.lower()]  # LQR, of lqr
    return [habit] if habit in there else letters or get_close_matches(name, there, n=1, cutoff=0.7)


def unknown(thing: object, name: str) -> UnknownAttributeError:
    """What is said of an attribute that a thing does not have; by its key, where it has one of that name."""
    kind = type(thing).__name__
    try:
        thing[name]  # type: ignore[index]
    except Exception:  # it has no keys, or not this one
        there = tuple(x for x in dir(thing) if not x.startswith("_"))
        close = _near(name, there)
        if close:
            return UnknownAttributeError(f"{kind} has no '{name}': did you mean {close[0]}? It has {', '.join(there)}.")
        return UnknownAttributeError(f"{kind} has no '{name}': expected another name. It has {', '.join(there)}.")
    return UnknownAttributeError(
        f"{kind} has no attribute '{name}': expected its name in brackets and quotes, ['{name}'], not .{name}."
    )


# -- assignments -------------------------------------------------------------------------------------------------------


class Thing(metaclass=Answering):
    """Base of what users make: it tells of wrong arguments and names, and keeps its attributes once it is made.

    Equations and machine code are made from what was given, so that a later assignment changes nothing: it is refused.
    Attributes that begin with an underscore are its own affair. `_INSTEAD` says why, and what to do.
    """

    _INSTEAD = IN_EQUATIONS

    def __setattr__(self, name: str, value: Any) -> None:
        if MADE in self.__dict__ and not name.startswith("_"):
            self._keep(name)
        refused = None
        try:
            super().__setattr__(name, value)
        except AttributeError as error:  # of a property
            refused = error
        if refused is not None:
            self._keep(name)
            raise refused

    def __delattr__(self, name: str) -> None:
        if not name.startswith("_"):
            self._keep(name)
        super().__delattr__(name)

    def _keep(self, name: str) -> None:
        """Raise what is said of an assignment to `name` that would be lost."""
        kind = type(self).__name__
        if MADE in self.__dict__:
            if not hasattr(self, name):
                raise unknown(self, name)
            label = getattr(self, "name", "")
            owner = f"{kind} '{label}'" if isinstance(label, str) and label else kind
            raise ReadOnlyError(
                f"{owner}: {name} stays as it was made: expected no assignment, because {self._INSTEAD}"
            )
        if isinstance(getattr(type(self), name, None), property):
            raise ReadOnlyError(
                f"{kind}: {name} is a property of its class: expected @property, def {name}(self), or self._{name}."
            )
