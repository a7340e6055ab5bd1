"""Mistakes with events, inputs, controllers, locks and impacts; in the manner of test_bad_input.py."""

import math

import numpy as np
import sympy
import test_bad_input as bad
from mistakes import Mistake, explained

from easydyn import (
    PID,
    Event,
    GeneralizedForce,
    Model,
    RigidContact,
    StateFeedback,
    continuous_pid,
    t,
    tdisp,
)
from easydyn.errors import EventError, InputError, ModelError, UnknownNameError


def cart(**options):
    """A cart with an input; what it does before it runs, and how it runs."""
    model = Model("cart", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0, 1), rates=(1, 0))
    model.body("cart", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u))
    return model, x, y, u


def event(action=None, expression=lambda x, y, u: x - 0.5, run=True, **options):
    model, x, y, u = cart()
    model.event(expression(x, y, u), action=action(x, u) if getattr(action, "symbols", False) else action,
                name=options.pop("name", "wall"), **options)  # fmt: skip
    return model.simulate(1) if run else model


def with_symbols(function):
    function.symbols = True
    return function


def setting(name, value):
    return event(lambda instant: instant.__setitem__(name, value))


def law(answer, **options):
    model, x, y, u = cart()
    model.controller(options.pop("period", 0.1), answer, **options)
    return model.simulate(1)


def returning(answer):
    return law(lambda time, seen: answer, name="loop")


def inputs(**given):
    return cart()[0].simulate(1, inputs=given)


def formula(make):
    model, x, y, u = cart()
    v = model.input("v")
    return model.simulate(1, inputs={"u": make(x, v)})


def locked(given, **options):
    return cart()[0].simulate(1, locked=given, **options)


def contact(gap=lambda x, y: y, restitution=0.5, name="floor", run=True, parameters=None, **options):
    model, x, y, u = cart()
    (e,) = model.parameters(e=0.5)
    model.add(RigidContact(gap(x, y), restitution=e if restitution == "e" else restitution, name=name, **options))
    return model.simulate(1, parameters=parameters) if run else model


def equation_of_its_own():
    model = Model("free")
    (z,) = model.coordinates("z")
    model.equation(z.ddot)
    model.lock(z)


def bounced():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, action={y.dot: -0.6 * y.dot}, direction=-1, name="floor")
    return model.simulate(4)


def endless():
    """Each of two events brings the other about."""
    model, x, y, u = cart()
    model.event(x - 0.5, action={u: 1}, name="begin")
    model.event(u - 0.5, direction=1, action={u: -1}, name="down")
    model.event(u + 0.5, direction=-1, action={u: 1}, name="up")
    return model.simulate(1)


def locked_by_hand(w):
    model, x, y, u = cart()
    model.lock(x, locked=False)
    model.event(t - 0.5, action=lambda instant: instant.update({"x.locked": 1}))
    return model.simulate(1)


def fails(*_):
    raise ValueError("mine")


def residual(time, q, qd, qdd):
    return qdd


MISTAKES = [
    # events
    Mistake("event that is a condition", InputError, lambda w: w.model.event(w.q1 > 0.3),
            "whose sign changes", r"event 'q1 > 0.3' is q1 > 0.3: expected one scalar .* write q1 - 0.3 instead"),
    Mistake("event that is an array", InputError, lambda w: w.model.event(np.ones(3)),
            "expected one number or one SymPy expression", r"' is an array of shape \(3,\): expected one"),
    Mistake("event that is a text", InputError, lambda w: w.model.event("q1"), "strings are never evaluated",
            r"the expression of event 'q1' is the string 'q1'"),
    Mistake("event of a stranger", ModelError, lambda w: w.model.event(w.x - 1), "which model",
            r"expression of event 'x - 1' contains x, which model 'pendulum' does not declare"),
    Mistake("event that never changes", ModelError, lambda w: w.model.event(w.l1 - 1),
            "it does not change during a run", r"the expression of event 'l1 - 1' is l1 - 1: it does not change"),
    Mistake("event twice", ModelError, lambda w: (event(run=False).event(t - 1, name="wall")),
            "has an event 'wall' already", r"model 'cart' has an event 'wall' already: give one of them another name="),
    Mistake("direction of an event", InputError, lambda w: w.model.event(w.q1, direction="falling"),
            "expected -1 (falling), 1 (rising) or 0 (both)", r"direction of event 'q1' is 'falling': expected -1"),
    Mistake("direction that is a truth value", InputError, lambda w: w.model.event(w.q1, direction=True),
            "expected -1 (falling), 1 (rising) or 0 (both)", r"direction of event 'q1' is True: expected -1"),
    Mistake("name of an event", InputError, lambda w: w.model.event(w.q1, name=3), "the name of an event is",
            r"the name of an event is 3: expected a text, such as \"contact\""),
    Mistake("action that is a text", InputError, lambda w: w.model.event(w.q1, action="halt"),
            "expected a function f(instant)", r"the action of event 'q1' is 'halt': expected a function f\(instant\)"),
    Mistake("action of two arguments", InputError, lambda w: w.model.event(w.q1, action=lambda a, b: 0),
            "expected a function f(instant)", r"the action of event 'q1' cannot be called .*: expected a function"),
    Mistake("action on a name", InputError, lambda w: w.model.event(w.q1, action={"q1": 0}),
            "expected a coordinate, a rate, a state, an input", r"action of event 'q1' sets 'q1': expected a coord"),
    Mistake("action on an acceleration", InputError, lambda w: w.model.event(w.q1, action={w.q1.ddot: 0}),
            "expected a coordinate, a rate, a state, an input", r"action of event 'q1' sets q1.ddot: expected"),
    Mistake("action with a value that is NaN", ModelError, lambda w: w.model.event(w.q1, action={w.q1.dot: math.nan}),
            "which is not a finite real number", r"the value that event 'q1' gives to q1.dot contains nan"),
    Mistake("action that fails", EventError, lambda w: event(fails), "the action of event",
            r"model 'cart': the action of event 'wall' failed at t = 0.5 s: ValueError: mine. Look at the line"),
    Mistake("action that returns a dict", InputError, lambda w: event(lambda instant: {"x.dot": 0}),
            "expected it to set what changes", r"action of event 'wall' at t = 0.5 s: it returned .*instant\[name\]"),
    Mistake("action that sets NaN", InputError, lambda w: setting("x", math.nan), "expected a finite number",
            r"action of event 'wall' at t = 0.5 s: the value given to x is nan: expected a finite number"),
    Mistake("action that sets a root of a negative number", InputError,
            lambda w: event(with_symbols(lambda x, u: {x.dot: sympy.sqrt(-x)})), "expected a finite number",
            r"action of event 'wall' at t = 0.5 s: the value given to x.dot is nan: expected a finite"),
    Mistake("action that sets what is not there", UnknownNameError, lambda w: setting("x.dott", 0),
            "in this run: it has", r"there is no 'x.dott' in this run: it has x, .*Did you mean 'x.dot'\?$"),
    Mistake("action that sets an acceleration", InputError, lambda w: setting("x.ddot", 0),
            "it follows from the equations", r"x.ddot was to be set: it follows from the equations. Set x or its"),
    Mistake("action that sets the flag of a lock", InputError, locked_by_hand,
            "was to be set: it says what holds at this instant", r"x.locked was to be set: .*Call instant.lock\(\)"),
    Mistake("action that takes away", InputError, lambda w: event(lambda instant: instant.pop("x")),
            "cannot be taken away from a state", r"'x' cannot be taken away from a state; give it another value"),
    Mistake("action that locks what cannot be", UnknownNameError, lambda w: event(lambda instant: instant.lock("x")),
            "cannot be locked during this run", r"coordinate 'x' cannot be locked during this run. Declare it with m"),
    Mistake("action on a function of time", InputError,
            lambda w: event(with_symbols(lambda x, u: {u: 1}), run=False).simulate(1, inputs={"u": math.sin}),
            "it is given as a function of time in this run", r"input u was to be set: it is given as a function"),
    Mistake("a ball at rest", EventError, lambda w: bounced(), "has come again",
            r"event 'floor' has come again \d+ times, .* and is passed at t = 1.806\d* s: .* or use a RigidContact"),
    Mistake("events without end", EventError, lambda w: endless(), "events follow each other without end",
            r"events follow each other without end at t = 0.5 s \(begin, down, up\): what an action does"),
    Mistake("events that are none", InputError,
            lambda w: bad.integrate(residual, q=[1.0], qd=[0.0], t_final=1, events=[residual]),
            "expected a list of Event(name, function, direction, action)", r"events is \[<function residual"),
    Mistake("switching function of one argument", InputError, lambda w: Event("zero", lambda time: time),
            "expected a function f(t, q, qd, qdd)", r"switching function of event 'zero' cannot be called .*f\(t, q"),
    Mistake("switching function that returns a text", InputError,
            lambda w: bad.integrate(residual, q=[1.0], qd=[0.0], t_final=1, events=[Event("zero", lambda *_: "no")]),
            "expected one number", r"switching function of event 'zero' returned 'no': expected one number"),
    # inputs and outputs
    Mistake("input that is not finite", InputError, lambda w: w.model.input("u", math.inf), "expected a finite number",
            r"the value of input u is inf: expected a finite number"),
    Mistake("input with the name of a coordinate", ModelError, lambda w: w.model.input("q1"),
            "every name is declared once", r"model 'pendulum' has 'q1' already"),
    Mistake("input in a transform", ModelError, lambda w: (lambda m: m[0].body("b", tdisp(m[3], 0, 0), mass=1,
            inertia=(0, 0, 0)))(cart()), "and would leap with it: let a state follow", r"b. depends on u \(input"),
    Mistake("unknown input", UnknownNameError, lambda w: inputs(v=1), "has no input",
            r"model 'cart' has no input 'v': its inputs are u"),
    Mistake("input of a model without", UnknownNameError, lambda w: w.simulate(inputs={"u": 1}), "has no input",
            r"model 'pendulum' has no input 'u': its inputs are none; declare one with model.input"),
    Mistake("input that is a text", InputError, lambda w: inputs(u="2"), "expected a number",
            r"input u is '2': expected"),
    Mistake("inputs that are no dict", InputError, lambda w: w.simulate(inputs=[1]), "expected a dict such as",
            r"inputs is \[1\]: expected a dict such as \{\"u\": 2\}"),
    Mistake("table of three", InputError, lambda w: inputs(u=([0, 1], [0, 1], [0, 1])),
            "expected a table (times, values)",
            r"input u has 3 entries: expected a table \(times, values\), a pair of lists"),
    Mistake("table that is a pair of numbers", InputError, lambda w: inputs(u=(0, 1)), "lists of the same length",
            r"table of input u has times of shape \(\) and values of shape \(\): expected two lists of the same"),
    Mistake("table of unequal lengths", InputError, lambda w: inputs(u=([0, 1], [1])), "lists of the same length",
            r"table of input u has times of shape \(2,\) and values of shape \(1,\): expected two lists"),
    Mistake("table with NaN", InputError, lambda w: inputs(u=([0, 1], [0, math.nan])), "entries that are not finite",
            r"the table of input u has entries that are not finite numbers"),
    Mistake("table that goes back", InputError, lambda w: inputs(u=([0, 2, 1], [0, 1, 2])), "expected them in order",
            r"the times of input u go back from 2 to 1 s: expected them in order; twice the same time is a jump"),
    Mistake("input function of two arguments", InputError, lambda w: inputs(u=lambda time, x: 0),
            "expected a function f(t)", r"input u cannot be called .*: expected a function f\(t\)"),
    Mistake("input function that fails", ModelError, lambda w: inputs(u=fails), "the function of input",
            r"the function of input u failed at t = 0 s: ValueError: mine. Look at the line of your function"),
    Mistake("input function that returns nothing", InputError, lambda w: inputs(u=lambda time: None),
            "expected a number", r"input u at t = 0 s is None: expected a number"),
    Mistake("input function that returns NaN", InputError, lambda w: inputs(u=lambda time: math.nan),
            "expected a finite number", r"input u at t = 0 s is nan: expected a finite number"),
    Mistake("formula with an acceleration", ModelError, lambda w: formula(lambda x, v: 3 * x.ddot),
            "a formula for an input may contain", r"input u was given as 3\*x.ddot, which contains x.ddot: a formula"),
    Mistake("formula with another input", ModelError, lambda w: formula(lambda x, v: v),
            "a formula for an input may contain", r"input u was given as v, which contains v: a formula for an"),
    Mistake("formula of a stranger", ModelError, lambda w: formula(lambda x, v: sympy.Symbol("k") * x),
            "which model", r"input u contains k, which model 'cart' does not declare"),
    Mistake("output that is a condition", InputError, lambda w: w.model.output("up", w.q1 > 0), "whose sign changes",
            r"output 'up' is q1 > 0: expected one scalar expression"),
    Mistake("output that is a vector", InputError, lambda w: w.model.output("place", w.upper.T.e),
            "expected a number or a SymPy expression", r"output 'place' is Vector\(.*expected a number or a SymPy"),
    Mistake("output with the name of a coordinate", ModelError, lambda w: w.model.output("q1", w.q2),
            "every name is declared once", r"model 'pendulum' has 'q1' already: every name"),
    # controllers
    Mistake("period of zero", InputError, lambda w: w.model.controller(0, lambda time, seen: None, name="loop"),
            "expected a number above zero", r"period of controller 'loop' of model 'pendulum' is 0: expected a number"),
    Mistake("start of a controller", InputError, lambda w: w.model.controller(1, fails, start=math.nan),
            "expected a finite number", r"the start of controller 'fails' of model 'pendulum' is nan: expected"),
    Mistake("law without arguments", InputError, lambda w: w.model.controller(0.1, lambda: None, name="loop"),
            "expected a function f(t, outputs)", r"controller 'loop' of model 'pendulum' cannot be called .*f\(t, out"),
    Mistake("law that is none", InputError, lambda w: w.model.controller(0.1, 3, name="loop"),
            "expected a function f(t, outputs)", r"controller 'loop' of model 'pendulum' is 3: expected a function"),
    Mistake("name of a controller", InputError, lambda w: w.model.controller(0.1, fails, name=3),
            "the name of a controller is", r"the name of a controller is 3: expected a text, such as \"speed\""),
    Mistake("law that fails", EventError, lambda w: law(fails), "failed at t =",
            r"controller 'fails' of model 'cart' failed at t = 0 s: ValueError: mine. Look at the line"),
    Mistake("law that returns a number", InputError, lambda w: returning(3), "expected a dict of inputs",
            r"controller 'loop' of model 'cart' returned 3 at t = 0 s: expected a dict of inputs, such as"),
    Mistake("law that returns a coordinate", UnknownNameError, lambda w: returning({"x": 1}), "returned a value for",
            r"returned a value for 'x': expected one of the inputs that this run does not give as .*, u"),
    Mistake("law for an input that is a function", UnknownNameError,
            lambda w: (lambda m: (m.controller(1, lambda time, seen: {"u": 1}), m.simulate(1, inputs={"u": 3 * t})))(
                cart()[0]), "returned a value for", r"returned a value for 'u': expected one of .*formula, none"),
    Mistake("law that returns NaN", InputError, lambda w: returning({"u": math.nan}), "expected a finite number",
            r"what controller 'loop' of model 'cart' returned for u at t = 0 s is nan: expected a finite"),
    Mistake("law that returns an array", InputError, lambda w: returning({"u": np.ones(2)}), "expected a number",
            r"what controller 'loop' .* returned for u at t = 0 s is array\(.*expected a number"),
    Mistake("law that asks for the unknown", UnknownNameError, lambda w: law(lambda time, seen: {"u": seen["sped"]}),
            "in this run: it has", r"at t = 0 s: there is no 'sped' in this run: it has x, x.dot"),
    Mistake("law that sets an output", InputError, lambda w: law(lambda time, seen: seen.__setitem__("u", 1)),
            "was to be set among what is measured", r"'u' was to be set among what is measured: return \{'u': 1\} ins"),
    Mistake("PID of a symbol", InputError, lambda w: PID(w.q1, "u"), "of a PID is",
            r"measured of a PID is q1: expected the name of an output, or of an input"),
    Mistake("PID with a gain that is none", InputError, lambda w: PID("x", "u", proportional=None), "expected a number",
            r"proportional of a PID is None: expected a number"),
    Mistake("PID with a filter of zero", InputError, lambda w: PID("x", "u", filter=0), "expected a number above zero",
            r"filter of a PID is 0: expected a number above zero"),
    Mistake("PID with one limit", InputError, lambda w: PID("x", "u", limits=3), "expected a pair (lowest, highest)",
            r"limits is 3: expected a pair \(lowest, highest\)"),
    Mistake("PID with limits exchanged", InputError, lambda w: PID("x", "u", limits=(1, -1)),
            "expected the lower one first", r"limits is \(1, -1\): expected the lower one first"),
    Mistake("state feedback to a symbol", InputError, lambda w: StateFeedback(3, {"x": 1}),
            "of a StateFeedback is", r"command of a StateFeedback is 3: expected the name of an input"),
    Mistake("state feedback without gains", InputError, lambda w: StateFeedback("u", {}),
            "gains of a StateFeedback has no entry", r"gains of a StateFeedback has no entry: expected a dict such as"),
    Mistake("setpoint without a gain", InputError, lambda w: StateFeedback("u", {"x": 1}, setpoints={"y": 1}),
            "which has no gain", r"setpoints has 'y', which has no gain: expected one of x"),
    Mistake("derivative without a filter", InputError, lambda w: continuous_pid(w.model, "loop", -w.q1, derivative=1),
            "has a derivative and no filter", r"the controller 'loop' has a derivative and no filter: give filter="),
    # locks
    Mistake("lock of the unknown", UnknownNameError, lambda w: w.model.lock("q7"), "was to be locked",
            r"'q7' was to be locked: expected one of the coordinates of model 'pendulum', q1, q2"),
    Mistake("lock of a rate", UnknownNameError, lambda w: w.simulate(locked=[w.q1.dot]), "was to be locked",
            r"q1.dot was to be locked: expected one of the coordinates"),
    Mistake("lock of what moves no body", ModelError, lambda w: equation_of_its_own(), "it moves no body (yet)",
            r"coordinate z of model 'free' cannot be locked: it moves no body \(yet\)"),
    Mistake("locked that is a number", InputError, lambda w: locked(3), "expected a list of coordinates",
            r"locked is 3: expected a list of coordinates, such as \[\"q2\"\], or a dict of intervals"),
    Mistake("lock at a time", InputError, lambda w: locked({"x": 3}), "expected (begin, end) in seconds",
            r"locked has 3 for x: expected \(begin, end\) in seconds, or a list of such pairs"),
    Mistake("lock from later to earlier", InputError, lambda w: locked({"x": (2, 1)}),
            "expected an end after the beginning",
            r"locked has \(2, 1\) for x: expected an end after the beginning"),
    Mistake("lock with a rate", InputError, lambda w: locked(["x"]), "is locked from the start, but its rate",
            r"x of model 'cart' is locked from the start, but its rate there is 1: expected zero; give initial="),
    Mistake("locking force of what was free", UnknownNameError, lambda w: w.run.locking_force("q2"),
            "cannot be locked in this run",
            r"'q2' cannot be locked in this run: no coordinate can. Lock it with simul"),
    # impacts
    Mistake("gap of a rate", InputError, lambda w: contact(lambda x, y: y.dot), "expected a distance that depends on",
            r"gap of RigidContact 'floor' is y.dot: expected a distance .*not on y.dot"),
    Mistake("gap that is a number", InputError, lambda w: contact(lambda x, y: 3),
            "expected a distance that depends on",
            r"gap of RigidContact 'floor' is 3: expected a distance"),
    Mistake("no restitution", InputError, lambda w: contact(restitution=None), "the restitution of RigidContact",
            r"the restitution of RigidContact 'floor' was not given: expected a number from 0 to 1"),
    Mistake("restitution above one", InputError, lambda w: contact(restitution=1.5),
            "expected a number from 0 (no rebound)",
            r"the restitution of RigidContact 'floor' is 1.5: expected a number from 0"),
    Mistake("restitution above one by a parameter", InputError,
            lambda w: contact(restitution="e", parameters={"e": 2}), "expected a number from 0 (no rebound)",
            r"the restitution of RigidContact 'floor' is 2 at the start: expected a number from 0 \(no rebound\)"),
    Mistake("rest of zero", InputError, lambda w: contact(rest=0), "expected a number above zero",
            r"the time `rest` of RigidContact 'floor' is 0: expected a number above zero"),
    Mistake("contact without a name", InputError, lambda w: contact(name=None),
            "expected letters, digits and underscores",
            r"the name of a RigidContact is None: expected letters, digits and underscores"),
    Mistake("contact with the name of a coordinate", ModelError, lambda w: contact(name="x"),
            "every name is declared once", r"model 'cart' has 'x' already"),
    Mistake("bodies that overlap", InputError, lambda w: contact(lambda x, y: y - 1.2), "the bodies overlap",
            r"the gap of RigidContact 'floor' is -0.2 m at the start: the bodies overlap. Give initial values"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_names_are_new():
    names = [mistake.name for mistake in (*bad.MISTAKES, *MISTAKES)]
    assert len(set(names)) == len(names)
