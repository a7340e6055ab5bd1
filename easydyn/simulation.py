"""From a model to its motion: initial state, jumps, the integrator, the result (one arrow of the street)."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy

from easydyn.engine.graph import Graph
from easydyn.engine.sympy_bridge import FromSympy
from easydyn.engine.system import CompiledSystem
from easydyn.errors import InputError, IntegrationError, ModelError, UnknownNameError
from easydyn.inputs import finite, no_unknown_options, times
from easydyn.jumps import jump_times, switching_functions
from easydyn.mechanism import Mechanism
from easydyn.sim import Stepper, integrate
from easydyn.sim.functions import Evaluation, Functions
from easydyn.sim.methods import Method, method_of
from easydyn.sim.run import NEWMARK
from easydyn.symbols import Parameter, t
from easydyn.trajectory import Trajectory, as_expressions

if TYPE_CHECKING:
    from easydyn.model import Model


class Source:
    """What a Trajectory asks of the model it came from: expressions, frames and energies, with the run's parameters."""

    def __init__(self, system: CompiledSystem):
        self.system = system
        self.mechanism = system.mechanism
        self.names = system.names
        self.frames = system.frames
        self.energies = system.energies

    def __getstate__(self) -> dict[str, Any]:
        return {"system": self.system}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def along(self, run: Trajectory, expression: Any) -> np.ndarray:
        """An expression (N,), or several (N, m), along a run."""
        listed, several = as_expressions(expression)
        try:
            checked = [sympy.sympify(e, strict=True) for e in listed]
        except (sympy.SympifyError, TypeError):
            checked = [None]
        for e in checked:
            if not isinstance(e, sympy.Expr | sympy.logic.boolalg.Boolean) or isinstance(e, sympy.MatrixExpr):
                raise InputError(
                    f"run.of got {expression!r}: expected a SymPy expression of the model's symbols, such as q1 + q2, "
                    "body.v or body.T.e; frames come from run.frames."
                )
            self._check_symbols(e)
        values = self.system.evaluate(checked, run.t, run.q, run.qd, run.qdd)
        return values if several else values[:, 0]

    def element(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Power (W) and potential (J) of a force element along a run, (N, 2)."""
        self._check_effort(effort)
        return self.system.element(effort, run.t, run.q, run.qd, run.qdd)

    def supplied(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Work (J) of a force element beyond its potential since the start of a run, (N,)."""
        self._check_effort(effort)
        working = self.mechanism.working
        if not any(effort is e for e in working):
            return np.zeros(len(run))
        if run.integrals.shape != (len(run), self.system.sources_of_work):
            raise ModelError(
                f"run.work: this run has not kept the work of {effort}: it comes from another model, or stopped before "
                "its first step. Simulate again."
            )
        return run.integrals[:, [effort is e for e in working].index(True)]

    def _check_effort(self, effort: Any) -> None:
        known = self.mechanism.efforts
        if not any(effort is e for e in known):
            raise UnknownNameError(
                f"{effort!r} is not a force element of model '{self.mechanism.name}': expected one that was given to "
                f"model.add, of: {', '.join(map(str, known)) or 'none'}."
            )

    def _check_symbols(self, e: Any) -> None:
        m = self.mechanism
        known = [t, *m.coordinates, *m.states, *m.parameters]
        known += [x.dot for x in (*m.coordinates, *m.states)] + [q.ddot for q in m.coordinates]
        foreign = sorted(e.free_symbols - set(known), key=str)
        if foreign:
            kind = type(foreign[0]).__name__
            raise ModelError(
                f"run.of: {foreign[0]} ({kind}) is not a symbol of model '{m.name}': use those "
                f"that the model returned, of {', '.join(str(s) for s in known if '.' not in str(s))}, with .dot and "
                ".ddot."
            )
        graph = Graph()
        FromSympy(graph, dict.fromkeys(known, graph.one), "run.of")(e)


@functools.lru_cache(maxsize=64)
def _switching_functions(mechanism: Mechanism) -> tuple[tuple[sympy.Expr, bool], ...]:
    """The switching functions of all that a mechanism's equations are made of."""
    scalars: list[Any] = [*mechanism.equations, *mechanism.gravity]
    for effort in mechanism.efforts:
        scalars += effort.expressions()
    for body in mechanism.bodies:
        scalars += body.T.scalars()
    return switching_functions(scalars)


def time_jumps(system: CompiledSystem, start: float, end: float) -> list[float]:
    """Times in [start, end] at which an effort, an equation or a driven frame of the model jumps."""
    functions = _switching_functions(system.mechanism)
    if not functions:
        return []
    values: Mapping[sympy.Symbol, Any] = {Parameter(k): sympy.Float(v, 17) for k, v in system.parameters.items()}
    return jump_times(functions, values, start, end)


def _prepare(
    model: Model, t_start: float, t_end: float, initial: Any, parameters: Any, jumps: Any, target: str, scheme: str
) -> tuple[CompiledSystem, dict[str, Any]]:
    jumps = times(jumps)
    system = model.system(model.values(parameters), target, scheme)
    q, qd = model.initial(initial, system.parameters)
    model.warn_of_callbacks(system)
    found = time_jumps(system, t_start, t_end)
    return system, {
        "q": q,
        "qd": qd,
        "first_order": system.states,
        "jumps": sorted({*found, *jumps}),
        "names": system.names,
    }


def _functions(system: CompiledSystem, method: Method, work: bool = False) -> Functions:
    """What a method evaluates of a system; kept there for the next run."""
    key = method.family != NEWMARK, work
    if key not in system.prepared:
        system.prepared[key] = _new_functions(system, method, work)
    return system.prepared[key]


def _new_functions(system: CompiledSystem, method: Method, work: bool) -> Functions:
    abreast, width = None, 1
    if system.native:
        routine, width = system.kernel_abreast("residual")
        abreast = Evaluation(routine)
    mass_matrix = accelerations = None
    m = system.sources_of_work if work else 0
    if method.family != NEWMARK:
        if system.explicit_accelerations:
            accelerations = Evaluation(*system.kernel("accelerations"))
        else:
            mass_matrix = Evaluation(*system.kernel("mass_matrix"))
    return Functions(
        Evaluation(*system.kernel("residual")),
        native=system.native,
        abreast=abreast,
        width=width,
        mass_matrix=mass_matrix,
        accelerations=accelerations,
        rates=Evaluation(*system.kernel("supplied_power")) if m else None,
        m=m,
        linear=system.linear,
    )


def simulate(
    model: Model,
    t_final: float,
    *,
    t_start: float = 0.0,
    initial: Any = None,
    parameters: Any = None,
    jumps: Any = (),
    target: str = "auto",
    scheme: str = "recursive",
    **options: Any,
) -> Trajectory:
    """Integrate a model; documented at `Model.simulate`."""
    t_final, t_start = finite(t_final, "t_final"), finite(t_start, "t_start")
    method = method_of(options.pop("method", "newmark"))
    system, start = _prepare(model, t_start, t_final, initial, parameters, jumps, target, scheme)

    def named(run: Trajectory) -> Trajectory:
        return dataclasses.replace(
            run, title=model.name, units=dict(system.mechanism.units), parameters=system.parameters
        )

    try:
        run = integrate(
            _functions(system, method, work=True),
            method=method,
            t_final=t_final,
            t_start=t_start,
            source=Source(system),
            **start,
            **options,
        )
    except IntegrationError as error:
        if error.trajectory is not None:
            error.trajectory = named(error.trajectory)
        error.args = (f"model '{model.name}': {error}",)
        raise
    return named(run)


def stepper(
    model: Model,
    *,
    t_start: float = 0.0,
    t_end: float = 1e3,
    initial: Any = None,
    parameters: Any = None,
    jumps: Any = (),
    target: str = "auto",
    scheme: str = "recursive",
    **options: Any,
) -> Stepper:
    """A Stepper at the initial state of a model; jumps in time are known up to `t_end`."""
    no_unknown_options(options, stepper, Stepper)
    t_start, t_end = finite(t_start, "t_start"), finite(t_end, "t_end")
    system, start = _prepare(model, t_start, t_end, initial, parameters, jumps, target, scheme)
    method = method_of(options.pop("method", "newmark"))
    return Stepper(_functions(system, method), method=method, t=t_start, **start, **options)
