"""Sensitivities: the derivatives of a motion by parameters and initial values, along the run.

    f(t, q, qd, qdd) = 0        f_q s + f_qd sd + f_qdd sdd + f_p = 0,        s = dq/dp

Both equations are integrated together (engine/variations.py), with one step control, so the derivatives are as accurate
as the motion. If that is not possible (efforts in plain Python), the derivatives are differences of whole runs, and the
result says so.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import sympy

from easydyn.analysis.saltation import TOGETHER, Jumps
from easydyn.arguments import answers, no_unknown_options
from easydyn.engine.derivation import Derivation
from easydyn.engine.jacobians import Jacobian
from easydyn.engine.kept import Kept
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.engine.variations import Variations, Varied
from easydyn.errors import InputError, IntegrationError, ModelError
from easydyn.inputs import a_model, among, by_name, finite, flag, name_in
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.signals import SLOTS
from easydyn.mechanics.symbols import Parameter
from easydyn.result.attitudes import alike
from easydyn.result.trajectory import Trajectory, as_expressions
from easydyn.run import schedule
from easydyn.run.jumps import corners, jump_times, time_switches
from easydyn.run.model_source import SourceOfModel
from easydyn.run.schedule import begins_with, inputs_of, locks_of
from easydyn.run.setup import setup_of
from easydyn.run.simulation import Preparation, prepare, trajectory
from easydyn.sim.driver import drive
from easydyn.sim.request import Request

_STEP = 3e-4  # of differences between runs, beside the value
DIRECTIONS = 32  # sets of them that are remembered of a model: 2.5 MB and half a second each, for 40 links
STARTS = 4  # of which the derivatives are remembered: in a fit each piece begins as the last one
VARIED: WeakKeyDictionary[Derivation, Kept] = WeakKeyDictionary()  # with derivatives, by equations without


@answers
@dataclass(frozen=True, eq=False)
class Sensitivity:
    """A run and its derivatives by m parameters or initial values: the tangent equations, integrated with the motion.

    Attributes
    ----------
    run : Trajectory
        The motion: N instants of n unknowns.
    by : tuple of str
        The names by which the motion is differentiated.
    q, qd, qdd : arrays (N, n, m)
        Derivatives of q, qd, qdd; first-order states stand in them as in a Trajectory (eq. 29). By name: `s["q1",
        "l1"]`.
    note : str
        Where the derivatives are not exact, and why.
    loads : function () -> array (N, k, m), or None
        Works out the derivatives of the k multipliers of constraints, in their units, for `of`.

    Example
    -------
    >>> from easydyn import examples
    >>> s = examples.double_pendulum().sensitivity(0.5, ["l1"])
    >>> s["q1", "l1"].shape == s.t.shape
    True
    """

    run: Trajectory
    by: tuple[str, ...]
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    note: str = ""
    loads: Callable[[], np.ndarray] | None = field(default=None, repr=False)

    @property
    def t(self) -> np.ndarray:
        """Instants (s)."""
        return self.run.t

    @property
    def columns(self) -> tuple[str, ...]:
        """The available names: coordinates, rates, accelerations, states with their rates, outputs."""
        run = self.run
        return (*run.signals.names(slots=SLOTS), *run.outputs)

    def __getitem__(self, names: Any) -> np.ndarray:
        """Derivative (N,) of a column of the run ("q1", "q1.dot", "p1", an output) by a name: `s["q1.dot", "l1"]`."""
        if not isinstance(names, tuple) or len(names) != 2:
            raise InputError(f's[{names!r}]: expected two names, such as s["q1", "l1"], the derivative of q1 by l1.')
        what, by = map(str, names)
        if (place := self._place(what)) is not None:
            return place[:, self._column(by)]
        return self.of(self.run.source.mechanism.outputs[what], by)

    def gradient(self, what: Any) -> np.ndarray:
        """Derivatives (N, m) of `what`, a column of the run or an expression, by all names of `by`.

        Raises UnknownNameError if there is no such column.
        """
        place = self._place(str(what)) if isinstance(what, str) or str(what) in self.columns else None
        if place is not None:
            return place
        expression = self.run.source.mechanism.outputs[str(what)] if isinstance(what, str) else what
        return np.column_stack([self.of(expression, by) for by in self.by])

    def _place(self, what: str) -> np.ndarray | None:
        """Where the derivatives (N, m) of a column stand; None for an output."""
        signal = self.run.signals.get(what)
        if signal is not None and signal.slot in SLOTS:
            return (self.q, self.qd, self.qdd)[signal.order][:, signal.column]
        name_in(what, self.columns, "there are no derivatives of {!r}: there are those of {}.")
        return None

    def _column(self, by: Any) -> int:
        return self.by.index(name_in(by, self.by, "there are no derivatives by {!r}: there are those by {}."))

    def of(self, expression: Any, by: Any) -> np.ndarray:
        """Derivative by the name `by` of any `expression` of the model along the run: (N,), or (N, k) for several.

        This is the total derivative: it includes the change of the motion, and the direct dependence of the expression
        on a parameter or an input. Raises UnknownNameError if the run was not differentiated by this name.
        """
        run, k = self.run, self._column(by)
        listed, several = as_expressions(expression)
        run.of(listed if several else listed[0])  # says what is wrong with it
        system, rows, n = run.source.system, len(listed), len(run.names)
        x = run.source.states(run)

        def derivative(kind: str, columns: int) -> np.ndarray:
            key = Jacobian(kind, tuple(listed))
            return system.along(key, run.t, x, run.held).reshape(len(run), rows, columns)

        total = np.zeros((len(run), rows))
        for slot, s in (("q", self.q), ("qd", self.qd), ("qdd", self.qdd)):
            J = derivative(slot, system.n)
            total += np.einsum("tij,tj->ti", J[:, :, :n], s[:, :, k])
        if self.loads is not None and J[:, :, n:].any():
            total += np.einsum("tij,tj->ti", J[:, :, n:], self.loads()[:, :, k])
        for kind, known in (("parameters", system.parameters), ("inputs", system.inputs)):
            if str(by) in known:
                total += derivative(kind, len(known))[:, :, list(known).index(str(by))]
        return total if several else total[:, 0]

    def __repr__(self) -> str:
        lines = [
            f"Sensitivity of '{self.run.title}' at t = {self.run.t[-1]:g} s" + (f"; {self.note}" if self.note else "")
        ]
        rows = [*self.run.signals.names(slots=("q", "qd")), *self.run.outputs]
        width, columns = max(map(len, rows)), [max(12, len(by) + 2) for by in self.by]
        lines.append(
            " " * (width + 14) + "".join(f"d/d {by}".rjust(w + 2) for by, w in zip(self.by, columns, strict=True))
        )
        for name in rows:
            values = "".join(f"{self[name, by][-1]:{w + 2}.6g}" for by, w in zip(self.by, columns, strict=True))
            lines.append(f"{name:<{width}}{self.run[name][-1]:14.6g}{values}")
        return "\n".join(lines)


@answers
def sensitivity(
    model: Any, t_final: float, of: Any, *, exact: bool | None = None, t_start: float = 0.0,
    initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None, jumps: Any = (),
    target: str = "auto", scheme: str = "recursive", method: Any = None, inputs: Any = None, locked: Any = None,
    **options: Any,
) -> Sensitivity:  # fmt: skip
    """Simulate a run together with its derivatives with respect to parameters and initial values.

    The tangent equations f_q s + f_qd sd + f_qdd sdd + f_p = 0, s = dq/dp, are derived exactly and integrated with
    the motion. Where a force jumps, the derivatives jump too; the jump follows from the switching condition of the
    force.

    Parameters
    ----------
    model : Model
        The model.
    t_final : float
        End of the run (s).
    of : list of str or symbols
        Parameters; inputs that are numbers; coordinates, rates ("q1.dot") and states, which stand for their values
        at the start.
    exact : bool, optional
        False for central differences between whole runs. If left out, central differences are used where tangent
        equations do not apply: efforts in plain Python, controllers, events, locks, inputs that are functions.
    t_start, initial, parameters, jumps, target, scheme, method, inputs, locked, **options
        As in `simulate`.

    Returns
    -------
    Sensitivity
        With `run`, `q`, `qd`, `qdd` (N, n, m); `s["q1", "l1"]`, `s.of(expression, "l1")`.

    Raises
    ------
    UnknownNameError, ModelError
        A name that is not one of these; a motion that stays at a jump, and therefore has no derivatives.
    IntegrationError
        As in `simulate`.

    Example
    -------
    >>> from easydyn import examples
    >>> s = examples.double_pendulum().sensitivity(1, ["l1", "q2"], method="dop853")
    >>> s["q1", "l1"].shape, round(float(s["q1", "l1"][-1]), 4)
    ((501,), 0.5183)
    """
    no_unknown_options(options, sensitivity, a_model(model, "model").simulate)
    tangents = Tangents(model, of, exact=exact, target=target, scheme=scheme, inputs=inputs, locked=locked)
    return tangents.run(
        t_final, t_start=t_start, initial=initial, parameters=parameters, jumps=jumps, method=method, inputs=inputs,
        **options,
    )  # fmt: skip


class Tangents:
    """A model with its derivatives by some names, derived and compiled once for many runs (as in a fit).

    Options are those of `Model.sensitivity`. With `endless`, events that would stop a run are ignored: the caller knows
    when the run ends.
    """

    def __init__(
        self, model: Any, of: Any, *, exact: bool | None = None, target: str = "auto", scheme: str = "recursive",
        inputs: Any = None, locked: Any = None, endless: bool = False,
    ):  # fmt: skip
        self.model, self.names, self.endless = model, _names(of, model, inputs), endless
        exact = None if exact is None else flag(exact, "exact")
        why = self.why = _why_not_exact(model, inputs, locked, endless)
        if exact and why:
            raise ModelError(
                f"model '{model.name}' has {why}: its motion cannot be differentiated exactly. Leave `exact` out, and "
                "whole runs are differenced."
            )
        self.exact = bool(not why if exact is None else exact)
        self._options: dict[str, Any] = {"target": target, "scheme": scheme, "locked": locked}
        self._programs: Any = None
        self._known: tuple[Any, Any] = None, None  # the values of the last run, and its system
        self._starts = Kept(STARTS)

    def run(
        self, t_final: float, *, t_start: float = 0.0, initial: Any = None, parameters: Any = None, jumps: Any = (),
        method: Any = None, inputs: Any = None, **options: Any,
    ) -> Sensitivity:  # fmt: skip
        """A run with its derivatives, from `t_start` to `t_final` (s)."""
        model, names, what = self.model, self.names, self._options | {"jumps": jumps, "inputs": inputs}
        if not self.exact:
            what |= options | {"t_start": t_start} | ({} if method is None else {"method": method})
            return _differenced(model, t_final, names, initial, parameters, what)
        chosen = "newmark" if method is None else "dop853" if among(method, ("auto",)) else method
        request = Request(t_final, t_start, chosen, **options)
        base, prepared = self._prepared(request, **what, initial=initial, parameters=parameters)
        try:
            whole = drive(prepared.functions, request, made=trajectory, **prepared.start)
        except IntegrationError as error:
            if error.trajectory is not None:
                error.trajectory = self._split(error.trajectory, base).run
            error.args = (
                f"model '{model.name}': {error} (In a run with its derivatives; exact=False differences plain runs.)",
            )
            raise
        return self._split(whole, base)

    def _prepared(self, request: Request, **options: Any) -> tuple[CompiledSystem, Preparation]:
        """The system of a motion, and a run of it and of its derivatives, made of what the motion alone begins with."""
        model, times = self.model, (request.t_start, request.t_final)
        setup = setup_of(model, request.t_start, **options)
        setup = replace(setup, events=()) if self.endless else setup
        base, values, start = setup.system, setup.system.parameters, (setup.q, setup.qd)
        if self._programs is None:
            directions = tuple(_direction(name, model, values, setup.inputs.numbers, start) for name in self.names)
            programs = VARIED.setdefault(base.derivation, Kept(DIRECTIONS)).of(
                directions, lambda: Programs(Variations(Derivation(base.mechanism, options["scheme"]), directions))
            )
            if programs.derivation.rounds:
                raise ModelError(
                    f"the equations of model '{model.name}' round the motion (floor, ceiling, Mod): difference whole "
                    "runs with exact=False."
                )
            self._programs, self.directions = programs, directions
        key = tuple(values.values()), tuple(setup.inputs.numbers.values())
        if self._known[0] != key:  # in a fit values may be the same
            self._known = key, CompiledSystem(self._programs, values, options["target"], setup.inputs.numbers)
        system, given = self._known[1], by_name(options["initial"], "initial", '{"q1": 0.3}')
        slopes = self._starts.of(
            (key, *given), lambda: np.array([_start(d, model, base.mechanism, given, values) for d in self.directions])
        )
        q, qd = (np.append(x, slopes[:, k]) for k, x in enumerate(start))
        prepared = prepare(replace(setup, system=system, q=q, qd=qd), *times, request.method, work=True)
        jumps, own = Jumps(base, system, self.directions), len(base.derivation.switches)
        at_start = prepared.start
        events = at_start["events"] = [*at_start["events"]]
        acting = [k for k, event in enumerate(events) if event.ends is None]  # others end a run
        for i, (k, (_, switch)) in enumerate(zip(acting, system.derivation.switches, strict=True)):
            events[k] = replace(events[k], action=partial(jumps, switch), silent=i >= own)
        changed, switches = {d.name for d in self.directions}, time_switches(system.mechanism)
        moving = [x for x in switches if changed & {p.name for p in x[0].free_symbols if isinstance(p, Parameter)}]
        moved = jump_times(moving, in_numbers(values), *times)
        for switch in switches if moved else ():  # those that stay matter where another one is at the same time
            found = [x for x in jump_times([switch], in_numbers(values), *times) if x > times[0] and _among(x, moved)]
            at_start["clocks"].append(schedule.Jumps(found, partial(jumps.in_time, system.node(switch[0]))))
        return base, prepared

    def _split(self, whole: Trajectory, base: CompiledSystem) -> Sensitivity:
        """The run and its derivatives."""
        n, scale = base.n, np.array([d.scale for d in self.directions])
        shape = (len(whole), len(scale), n)
        parts = [x[:, n:].reshape(shape).transpose(0, 2, 1) / scale for x in (whole.q, whole.qd, whole.qdd)]
        run = replace(
            whole, q=whole.q[:, :n].copy(), qd=whole.qd[:, :n].copy(), qdd=whole.qdd[:, :n].copy(), names=base.names,
            first_order=base.states, title=self.model.name, units=dict(base.mechanism.units),
            parameters=base.parameters, source=SourceOfModel(base), seams=None,
        )  # fmt: skip
        return Sensitivity(run, tuple(self.names), parts[0], parts[1], parts[2])


def _among(time: float, instants: Sequence[float]) -> bool:
    """True when a time (s) is one of the instants, which are sorted."""
    k = bisect_left(instants, time - TOGETHER)
    return k < len(instants) and instants[k] <= time + TOGETHER


def _why_not_exact(model: Any, inputs: Any, locked: Any, endless: bool) -> str:
    """What forbids tangent equations, in words; empty where nothing does."""
    stops = [f"event '{event.name}'" for event in model.events if endless and event.action == "stop"]
    found = ["efforts in plain Python"] if model.mechanism.callbacks else []
    found += [str(effort) for effort in model.mechanism.efforts if effort.flags]
    found += [c.title for c in model.mechanism.constraints]
    found += [f"the attitude of {x.name}, whose reference is renewed," for x in model.mechanism.attitudes]
    found += [f"the unknown {s}" for s in model.mechanism.algebraic]
    found += ["a start by equations (model.start)"] if model.starts else []
    found += [text for text in model.happenings if text not in stops]
    found += [f"a corner in time in {place}" for place in corners(model.mechanism)]
    found += ["locked coordinates"] if locks_of(model, locked)[1] else []
    found += ["an input that is a function"] if inputs_of(model, inputs).functions else []
    return found[0] if found else ""


def _names(of: Any, model: Any, inputs: Any) -> list[str]:
    """The names that are meant, each a parameter, a constant input or an initial value."""
    a_model(model, "model")
    listed = list(of) if isinstance(of, list | tuple) else [of]
    known = [*map(str, model.mechanism.parameters), *inputs_of(model, inputs).numbers, *model.initial_values]
    message = (
        "sensitivity of {!r}: expected parameters, inputs that are numbers, or coordinates, rates and states for their "
        "values at the start, of {}."
    )
    names = [name_in(x, known, message) for x in listed]
    if not names or len(set(names)) != len(names):
        raise InputError(f"sensitivity got of={listed!r}: expected at least one name, and each once.")
    return names


def _direction(
    name: str, model: Any, values: Mapping[str, float], inputs: Mapping[str, float],
    start: tuple[np.ndarray, np.ndarray],
) -> Varied:  # fmt: skip
    """With a scale near the size of the value, so that derivatives by moduli in Pa and by lengths in m are alike."""
    if name in values:
        return Varied(name, "parameters", list(values).index(name), _power_of_two(values[name]))
    if name in inputs:
        return Varied(name, "inputs", list(inputs).index(name), _power_of_two(inputs[name]))
    states = [str(p) for p in model.mechanism.states]
    return Varied(name, "", 0, max(1.0, _power_of_two(start[1][model.names.index(name)])) if name in states else 1.0)


def _power_of_two(value: float) -> float:
    return 2.0 ** round(math.log2(abs(value))) if value else 1.0


def _start(
    direction: Varied, model: Any, mechanism: Any, given: Mapping[str, Any], values: Mapping[str, float]
) -> np.ndarray:
    """Derivatives of the initial q and qd (2, n) along a direction, times its scale."""
    found = np.zeros((2, len(mechanism.unknowns)))
    for name, expression in model.initial_values.items():
        slope = float(name == direction.name)
        if direction.kind == "parameters" and name not in given and isinstance(expression, sympy.Expr):
            slope = float(sympy.diff(expression, Parameter(direction.name)).xreplace(in_numbers(values)).evalf(17))
        if slope:
            place = mechanism.signals[name]
            found[place.order, place.column] = slope * direction.scale
    return found


def _differenced(
    model: Any, t_final: float, names: Sequence[str], initial: Any, parameters: Any, given_options: dict[str, Any]
) -> Sensitivity:
    """Central differences between whole runs, of tight tolerance unless another is given."""
    options: dict[str, Any] = {"method": "dop853", "tolerance": 1e-11} | given_options
    if options.get("save_every") is None and options.get("save_at") is None:
        options["save_every"] = (finite(t_final, "t_final") - finite(options["t_start"], "t_start")) / 500
    known = begins_with(model, parameters, options["inputs"], initial)
    given: dict[str, dict[str, Any]] = {
        "initial": by_name(initial, "initial", '{"q1": 0.3}'),
        "parameters": known["parameters"],
        "inputs": by_name(options.pop("inputs"), "inputs", '{"u": 2}'),
    }
    run = model.simulate(t_final, **given, **options)
    pairs = []
    for name in names:
        kind, value = next((kind, own[name]) for kind, own in known.items() if name in own)
        step = _STEP * (abs(value) if kind == "parameters" and value else max(1.0, abs(value)))
        ends = [
            model.simulate(t_final, **(given | {kind: given[kind] | {name: value + sign * step}}), **options)
            for sign in (1, -1)
        ]
        if not all(len(end) == len(run) for end in ends):
            raise ModelError(
                f"the runs with {name} a little larger and smaller do not end alike (an event stops one of them "
                "earlier): give a t_final before that."
            )
        pairs.append((*ends, 2 * step))
    parts = _by_differences(pairs, lambda end: np.array(alike(run, end)))
    said, loads = "differences between whole runs, not exact", partial(_by_differences, pairs, _multipliers)
    return Sensitivity(run, tuple(names), parts[0], parts[1], parts[2], said, loads)


def _by_differences(
    pairs: Sequence[tuple[Trajectory, Trajectory, float]], of: Callable[[Trajectory], np.ndarray]
) -> np.ndarray:  # fmt: skip
    """Derivatives (..., m) of what runs hold, from two of them in each of m directions that differ by so much."""
    return np.stack([(of(more) - of(less)) / width for more, less, width in pairs], axis=-1)


def _multipliers(run: Trajectory) -> np.ndarray:
    return np.asarray(run.source.states(run)[2][:, len(run.names) :])
