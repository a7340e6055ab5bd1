"""Arguments that are misspelt, missing or too many end in an ArgumentError that names the call and the right spelling.

Every public callable is found by introspection (public_names.py) and given the three mistakes; what a call of it needs
beside them does not matter, as Python looks at the names of arguments first.
"""

import doctest
import functools
import inspect
import pickle
import traceback
import warnings
from dataclasses import dataclass
from typing import Any

import pytest
from mistakes import explained
from public_names import public
from together import together
from working_calls import CALLS, UNCALLED

import easydyn
from easydyn import (
    PID,
    Contact,
    Cut,
    Effort,
    Event,
    Model,
    Spring,
    System,
    Trajectory,
    ground,
    newmark,
    trotz,
    visu,
)
from easydyn.arguments import HABITS, answers
from easydyn.errors import ArgumentError, IncompleteEquationsWarning, InputError, SlowRunWarning

# What answers in Python's own words: thousands of calls in every derivation, or nobody's to call.
PLAIN = {
    "of vectors, tensors and transforms: called for each of their components in every derivation":
        "vec.tensors.Vector vec.tensors.Vector.cross vec.tensors.Vector.dot vec.tensors.Vector.norm "
        "vec.tensors.Tensor.of vec.tensors.vector vec.tensors.Rotation.angles vec.tensors.Rotation.inv "
        "vec.tensors.Rotation.ux vec.tensors.Rotation.uy vec.tensors.Rotation.uz "
        "vec.tensors.Inertia.moved vec.tensors.Inertia.rotated vec.Transform vec.Transform.inv vec.Transform.scalars "
        "vec.Block.inv vec.Shift.inv vec.Turn.inv visu.solids.Solid.placed",
    "of formulas, at each operation": "engine.graph.Node.cos engine.graph.Node.sin engine.graph.Node.sqrt",
    "of the textbook, to be read": "mechanics.mbs.BodyState.force_balance mechanics.mbs.BodyState.moment_balance",
    "of each kind of element or shape its own, and called by easydyn":
        "forces.effort.Effort.expressions forces.fields.GravityField.expressions touch.path.Guide.expressions "
        "touch.shape.Shape.scalars visu.shapes.Shape.solids visu.shapes.SolidShape.local",
    "of a part of what is answered as a whole": "course.report.Report.text",
    "an exception, and what easydyn makes for it": "course.work.Wrong course.work.Work",
    "of warnings": "errors.calls_to_user",
    "at every step of a run": "sim.stepper.Stepper.step",
}  # fmt: skip
PLAIN_PATHS = {path for paths in PLAIN.values() for path in paths.split()}
# Those that take any name, as that of a parameter or of a column.
ANY_NAME = """model.description.Description.parameters model.description.Description.set_parameters
result.plots.Panels.set_title
result.trajectory.Trajectory.to_csv result.trajectory.Trajectory.to_pandas
result.trajectory.Trajectory.to_parquet result.trajectory.Trajectory.to_xarray
result.trajectory.Trajectory.to_mat result.trajectory.Trajectory.to_tracker""".split()
PASSED_ON = {  # what else those have that pass options on
    "model.model.Model.sensitivity": "tolerance",
    "analysis.sensitivity.sensitivity": "tolerance", "model.model.Model.fit": "confidence",
    "model.model.Model.optimise": "max_runs", "model.model.Model.study": "jumps",
    "analysis.linearize.Linearization.animate": "follow",
    "model.byhand.System.simulate": "tolerance",
    "touch.contact.Contact.between": "friction",
}  # fmt: skip
FIRST = {"self", "cls", "_cls"}


@functools.cache
def callables():
    """{path: name} of all that users call."""
    uncalled = {path for paths in UNCALLED.values() for path in paths.split()}
    found = {}
    for name in public().values():
        path = name.path.removeprefix("easydyn.")
        exception = inspect.isclass(name.thing) and issubclass(name.thing, BaseException)
        if name.kind != "property" and path not in uncalled | PLAIN_PATHS and not exception:
            if name.kind != "class" or name.listed:
                found[path] = name
    return found


def paths():
    return sorted(callables())


def callable_of(path):
    """A function, a class, or a method of an object that has nothing in it yet."""
    name = callables()[path]
    if name.kind != "method":
        return name.thing
    owner = next(each for each in public_classes() if each.__qualname__ == path.split(".")[-2]
                 and each.__module__ == f"easydyn.{path.rsplit('.', 2)[0]}")  # fmt: skip
    member = inspect.getattr_static(owner, path.rsplit(".", 1)[1])
    if isinstance(member, classmethod | staticmethod):
        return getattr(owner, path.rsplit(".", 1)[1])
    return getattr(tuple.__new__(owner) if issubclass(owner, tuple) else object.__new__(owner), name.thing.__name__)


@functools.cache
def public_classes():
    """The classes, and those of the modules where names are, each once."""
    found = []
    for name in public().values():
        for thing in (name.thing, inspect.getmodule(name.thing)):
            for each in [thing, *vars(thing).values()] if inspect.ismodule(thing) else [thing]:
                if inspect.isclass(each) and each.__module__.startswith("easydyn"):
                    found.append(each)
    return [*dict.fromkeys(found)]


def parameters(path, *kinds):
    return [p for p in inspect.signature(callable_of(path)).parameters.values() if p.kind in kinds]


def order(path):
    return parameters(path, inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def refused(function, /, *arguments, **options):
    """What an ArgumentError says that no other exception is shown with."""
    with pytest.raises(ArgumentError) as caught:
        function(*arguments, **options)
    error = caught.value
    assert isinstance(error, InputError) and isinstance(error, TypeError)
    assert error.__cause__ is None and (error.__suppress_context__ or error.__context__ is None)
    message = str(error)
    assert message.endswith(".") and len(message) < 900
    return message


def called(path):
    return callables()[path].thing.__name__


def typing_error(name):
    """A name with its last letter left out, or a short one with a letter twice."""
    return name[:-1] if len(name) > 3 else name + name[-1]


def test_all_that_is_public_answers():
    assert len(callables()) >= 230
    assert {path for path in CALLS if path not in callables()} <= PLAIN_PATHS
    everything = {name.path.removeprefix("easydyn.") for name in public().values()}
    assert not PLAIN_PATHS - everything, "what is not there needs no reason"
    assert all(len(reason) > 10 for reason in PLAIN)


@together("path", paths)
def test_a_misspelt_argument(path):
    plain = parameters(path, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [p.name for p in plain]
    if path in ANY_NAME or path.startswith("mechanics.symbols."):
        assert parameters(path, inspect.Parameter.VAR_KEYWORD)
        return
    if path in PASSED_ON:
        assert parameters(path, inspect.Parameter.VAR_KEYWORD)
        return  # below
    if not names:
        message = refused(callable_of(path), colour="red")
        assert message.startswith(f"{called(path)}() has no argument 'colour'. It takes nothing by name.")
        return
    for name in names:
        typed = typing_error(name)
        if typed in names:  # as the name of another one
            continue
        message = refused(callable_of(path), **{typed: 1})
        assert message.startswith(f"{called(path)}() has no argument '{typed}'"), message
        near = [name, *(other for other in names if other[:-1] == typed)] if len(name) > 3 else names
        assert any(f"did you mean {other}? It takes " in message for other in near), message
        assert all(other in message.partition("It takes")[2] for other in names)


@together("path", paths)
def test_a_missing_argument(path):
    needed = [
        p.name for p in parameters(
            path, inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD,
            inspect.Parameter.KEYWORD_ONLY)
        if p.default is p.empty
    ]  # fmt: skip
    for k in range(len(needed)):
        given = {p.name: None for p in order(path) if p.name in needed[:k]}
        if any(p.kind is p.POSITIONAL_ONLY for p in order(path)):
            continue
        message = refused(callable_of(path), **given)
        *first, last = [x for x in needed if x not in given]
        listed = f"{', '.join(first)} and {last}" if first else last
        assert message.startswith(f"{called(path)}() lacks {listed}: expected {called(path)}("), message
        form = message.partition("expected ")[2]
        assert all(x in form for x in needed[:9])


@together("path", paths)
def test_one_value_too_many(path):
    if parameters(path, inspect.Parameter.VAR_POSITIONAL):
        return
    places = order(path)
    message = refused(callable_of(path), *[None] * (len(places) + 1))
    assert message.startswith(f"{called(path)}() takes "), message
    assert f"got {len(places) + 1} value" in message
    assert all(p.name in message for p in places)
    others = parameters(path, inspect.Parameter.KEYWORD_ONLY)
    assert not others or f"give the others as name=value, e.g. {others[0].name}=None." in message


@together("path", lambda: filter(order, paths()))
def test_an_argument_given_twice(path):
    place = order(path)[0]
    if place.kind is place.POSITIONAL_ONLY:
        return
    message = refused(callable_of(path), None, **{place.name: None})
    assert message.startswith(f"{called(path)}() got {place.name} twice, by its place and by its name: give it once")


def test_options_that_are_passed_on(bench):
    """They are looked at where they arrive."""
    model = bench.model
    lin = model.linearize()
    hand = System("by hand", lambda t, q, qd, qdd, bodies: None, coordinates="q")
    calls = {
        "model.model.Model.sensitivity": lambda **options: model.sensitivity(0.1, "l1", **options),
        "model.model.Model.fit": lambda **options: model.fit({"t": [0, 1], "q1": [0, 1]}, "l1", **options),
        "model.model.Model.study": lambda **options: model.study(1, over={"q1": [1]}, **options),
        "model.model.Model.optimise": lambda **options: model.optimise("q1", "l1", 1, **options),
        "analysis.sensitivity.sensitivity": lambda **options: model.sensitivity(0.1, "l1", **options),
        "analysis.linearize.Linearization.animate": lambda **options: lin.animate(0, **options),
        "model.byhand.System.simulate": lambda **options: hand.simulate(0.1, **options),
        "touch.contact.Contact.between": lambda **options: Contact.between([], **options),
    }
    assert calls.keys() == PASSED_ON.keys()
    for path, name in PASSED_ON.items():
        message = refused(calls[path], **{typing_error(name): 1})
        assert message.startswith(f"{called(path)}() has no argument '{typing_error(name)}': did you mean {name}? It ")


# -- by the full sentence --------------------------------------------------------------------------------------------

# fmt: off


# fmt: on

test_mistake_is_explained = explained(__file__)


# -- what stays what it is ------------------------------------------------------------------------------------------


class Push(Effort):
    """An element as a user writes it."""

    def __init__(self, body: Any, force: Any = 1, *, fails: Any = None):
        self.body, self.force = body, force
        if fails:
            fails()

    def expressions(self):
        return iter((self.force,))

    def apply(self, assembly):
        pass


@dataclass
class Pull(Effort):
    """Another one, whose constructor is made by `dataclass`."""

    body: Any
    force: float

    def expressions(self):
        return iter((self.force,))

    def apply(self, assembly):
        pass


class Harder(Push):
    """What passes on what it does not know, and takes something more: only its author can tell what it takes."""

    def __init__(self, *values: Any, **options: Any):
        self.factor = options.pop("factor", 2)
        super().__init__(*values, **options)


def test_elements_of_users_answer_without_doing_anything():
    assert refused(Push) == "Push() lacks body: expected Push(body, force, *, fails)."
    assert "'forc': did you mean force?" in refused(Push, ground, forc=1)
    assert refused(Pull, ground) == "Pull() lacks force: expected Pull(body, force)."
    assert "'fore': did you mean force?" in refused(Pull, ground, fore=1)
    assert Harder(ground, factor=3).factor == 3


@pytest.mark.parametrize("error", [TypeError("of my own"), KeyError("k"), InputError("of mine")])
def test_what_a_user_raises_is_his(error):
    def fails():
        raise error

    with pytest.raises(type(error)) as caught:
        Push(ground, fails=fails)
    assert caught.value is error and not isinstance(error, ArgumentError)
    assert traceback.extract_tb(error.__traceback__)[-1].name == "fails"
    with pytest.raises(TypeError) as caught:
        Push(ground, fails=len)  # a TypeError of Python's from inside
    assert type(caught.value) is TypeError and "len()" in str(caught.value)
    with pytest.raises(TypeError) as caught:
        Harder(ground, forc=1)  # the call inside of his own class
    assert type(caught.value) is TypeError and "forc" in str(caught.value)


def test_an_abstract_class_says_so():
    class Nothing(Effort):
        pass

    assert refused(Nothing).startswith("Nothing is abstract, it lacks apply and expressions: expected def apply(self, ")


def test_a_model_of_the_users_own():
    class Pendulum(Model):
        def __init__(self, length):
            super().__init__()

    assert refused(Pendulum, 1) == "Model() lacks name: expected Model(name, *, gravity)."

    class Named(Model):
        pass

    assert refused(Named) == "Named() lacks name: expected Named(name, *, gravity)."


def test_signatures_and_texts_are_as_written():
    for cls in (Spring, Model, PID, Event, Cut, Push, Pull, visu.Box, Trajectory, System):
        own = list(inspect.signature(cls.__init__).parameters.values())[1:]
        assert list(inspect.signature(cls).parameters.values()) == own, cls
    assert str(inspect.signature(Harder)) == "(*values: Any, **options: Any)"
    assert list(inspect.signature(trotz).parameters) == ["angle"]
    assert trotz.__module__ == "easydyn.vec" and ">>>" in trotz.__doc__
    assert Model.simulate.__qualname__ == "Model.simulate"
    assert inspect.unwrap(Model.simulate).__globals__ is Model.simulate.__globals__
    found = {test.name for test in doctest.DocTestFinder().find(easydyn.vec, "vec") if test.examples}
    assert {"vec.trotz", "vec.tdisp", "vec.rotation_sequence"} <= found
    found = {test.name for test in doctest.DocTestFinder().find(easydyn.model.model, "model") if test.examples}
    assert {"model.Model.from_urdf"} <= found
    found = {test.name for test in doctest.DocTestFinder().find(easydyn.export, "export") if test.examples}
    assert "export.export" in found and Model.export.__qualname__ == "Model.export"  # which is loaded when asked for


def test_pickles(bench):
    assert pickle.loads(pickle.dumps(trotz)) is trotz
    assert pickle.loads(pickle.dumps(newmark(beta=0.3))) == newmark(beta=0.3)
    event = Event("e", max, 1)
    assert pickle.loads(pickle.dumps(event)) == event
    assert pickle.loads(pickle.dumps(bench.q1)) == bench.q1
    error = pytest.raises(ArgumentError, trotz).value
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_warnings_point_to_the_line_of_the_user(bench):
    """Through whatever stands between."""
    bench.model.efforts(lambda t, bodies: None)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        bench.model.equations()
        bench.model.simulate(0.01, step=0.005)
    assert {w.category for w in found} == {IncompleteEquationsWarning, SlowRunWarning}
    assert {w.filename for w in found} == {__file__}


def test_a_decorated_class_keeps_what_is_private():
    @answers
    class Thing:
        def _inner(self, x):
            return x

        def outer(self, x):
            return self._inner()  # a mistake of the one who wrote it

        @staticmethod
        def plain(x):
            return x

        @classmethod
        def made(cls, x):
            return cls, x

    with pytest.raises(TypeError) as caught:
        Thing().outer(1)
    assert type(caught.value) is TypeError
    assert "plain() lacks x" in refused(Thing.plain) and "made() lacks x" in refused(Thing.made)
    assert Thing.plain(3) == 3 and Thing.made(3) == (Thing, 3)


def test_habits_lead_to_arguments_that_there_are():
    every = {p for path in callables() for p in inspect.signature(callable_of(path)).parameters}
    every |= set(inspect.signature(visu.animate).parameters)
    for typed, meant in HABITS.items():
        assert typed == typed.lower() and meant
        assert not set(meant.split()) - every, f"{typed}: {meant}"
