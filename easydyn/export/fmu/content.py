"""Contents of an FMU: the programs of the model in C, its events and samples, its variables by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
import sympy

from easydyn.engine.graph import Node
from easydyn.engine.program import Program
from easydyn.engine.system import CompiledSystem
from easydyn.errors import ModelError
from easydyn.export.c import LANGUAGE, NOTATION, PARTS, declared, members
from easydyn.export.corners import corners
from easydyn.export.layout import Layout, Routine, Settings, words_of
from easydyn.export.notation import ANY_WIDTH
from easydyn.export.text import fill, packed, plain, sections
from easydyn.mechanics.attitude import matrix_of, quaternions, spin_of
from easydyn.mechanics.symbols import Coordinate, Rate
from easydyn.model.control import PID, Constant, StateFeedback
from easydyn.model.declarations import other_than
from easydyn.result.attitudes import COMPONENTS, REFERENCE
from easydyn.run.impacts import TOUCH
from easydyn.run.jumps import time_switches

LINES = 100  # characters


class Watched(NamedTuple):
    """An indicator: what changes sign, in which direction, how far below zero is too far, and what is done, in C."""

    name: str
    value: Any
    direction: int
    floor: float
    action: tuple[str, ...]


class Variable(NamedTuple):
    """A scalar that others see: as in the description of the model."""

    reference: int
    name: str
    causality: str
    variability: str
    initial: str | None = None
    start: float | None = None
    unit: str = ""
    derivative_of: int | None = None  # a reference


class Content(Layout):
    """A model with its numbers as the parts of an FMU.

    Parameters
    ----------
    model : Model
    system : CompiledSystem
        Of it, with references of attitudes among the parameters.
    start : pair of arrays (n,)
        q and qd.
    path : Path
        The file.
    independent : sequence of str
        The coordinates that keep their values where loops are closed.
    initial : mapping
        Values at the start that replace those of the model.
    """

    def __init__(
        self, model: Any, system: CompiledSystem, start: tuple[Any, Any], path: Any, independent: Sequence[str],
        initial: Mapping[Any, Any],
    ):  # fmt: skip
        self.model, self.independent = model, independent
        self._own = {str(name) for name in initial}
        super().__init__(system, start, Settings(1.0, 1.0, 1.0), LANGUAGE, path)
        self.check()
        self.flags = {self.names.give(f"flag {flag}", str(flag)): str(flag) for flag in system.mechanism.flags}
        self.parameters |= self.inputs | dict.fromkeys(self.flags, 0.0)
        held = [*system.parameters, *system.inputs, *self.flags.values()]
        self.places = {name: k for k, name in enumerate(held)}  # in p

    def check(self) -> None:
        """Raise ModelError for features that an FMU does not support."""
        m, system = self.model.mechanism, self.system
        what = None
        moved = {Coordinate, Rate}
        if m.callbacks:
            what = f"efforts in plain Python ({m.callbacks[0].__name__}): write them as Force or GeneralizedForce"
        elif m.locks:
            what = f"a lock of {m.locks[0]}: leave it out, or write a constraint"
        elif system.derivation.slips:
            what = f"exact friction ({system.derivation.slips[0].element}): give it a slip speed"
        elif m.algebraic:
            what = f"an unknown that equations determine ({m.algebraic[0]}): write a state with a rate in its place"
        elif kink := next(corners(m, system.parameters), None):
            timed = " in time" if kink[1].timed else ""
            what = f"a corner{timed} in {kink[0]}: write it as a smooth function, whose pieces meet with equal slopes"
        elif system.derivation.gaps and m.constraints:
            what = f"impacts ({system.derivation.gaps[0].element}) beside constraints: take a contact with a stiffness"
        for e in self.model.events:
            if isinstance(e.action, Mapping):
                if m.constraints and any(type(target) in moved for target in e.action):
                    what = f"event '{e.name}', which sets coordinates or rates of a closed loop: set inputs or states"
            elif e.action not in (None, "stop"):
                what = f"event '{e.name}', whose action is a function in Python: give a dict of what it sets"
        if what:
            raise self.unfit(what)

    def unfit(self, what: str) -> ModelError:
        thing, _, remedy = what.partition(": ")
        return ModelError(f"model '{self.model.name}' cannot be written as an FMU: it has {thing}. Instead {remedy}.")

    # -- programs -------------------------------------------------------------------------------------------------

    @cached_property
    def functions_of_c(self) -> dict[str, Any]:
        """The programs by the names of their functions."""
        found: dict[str, Any] = {}
        if self.solution == "unrolled":
            found["accelerations"] = "accelerations"
        else:
            found["mass_matrix"] = "mass_matrix"
            found |= {"bias": "bias"} if self.solution == "linear" else {"residual": "residual"}
        if self.system.mechanism.multipliers:
            found["projection"] = tuple(self.system.program("projection").outputs[:-2])
        node = self.system.node
        frames = self.system.program("frames").outputs if self.bodies else ()
        places = [frames[16 * i + 4 * row + 3] for i in range(len(self.bodies)) for row in range(3)]
        found["outputs"] = (*map(node, self.system.mechanism.outputs.values()), *places)
        found["indicators"] = tuple(node(w.value) for w in self.watched)
        found |= {name: tuple(map(node, values)) for name, (values, _) in self.assignments.items()}
        found |= {f"measured_{k}": tuple(x for _, x in seen) for k, (_, seen) in enumerate(self.samplers)}
        found["closing"] = tuple(self._closing())
        found["starts"] = tuple(node(value) for value, _ in self.starts_by_parameters)
        if self.system.derivation.gaps:
            found["gaps"] = tuple(x for gap in self.system.derivation.gaps for x in self._measured(gap))
            found["own_masses"] = "own_masses"
        return {name: key for name, key in found.items() if key}

    def _closing(self) -> Iterator[Any]:
        """Values, rates, and gradients of the rows that have multipliers."""
        m, n = self.system.mechanism, self.coordinates
        if m.multipliers:
            for key, size in (("constraint_values", 1), ("constraint_rates", 1), ("constraint_jacobian", n)):
                outputs = self.system.program(key).outputs
                yield from (x for k in m.carried for x in outputs[k * size : (k + 1) * size])

    @cached_property
    def starts_by_parameters(self) -> list[tuple[Any, int]]:
        """Values at the start that are expressions of parameters, each with its place in (q, qd)."""
        found = []
        for s in self.system.mechanism.signals.values():
            if s.slot in ("q", "qd") and s.name not in self._own:
                value, x = self.model.initial_values.get(s.name), self.unknowns[s.column]
                if (x.is_state or x.name in self.independent) and getattr(value, "free_symbols", None):
                    found.append((value, s.column + s.order * len(self.unknowns)))
        return found

    def _measured(self, gap: Any) -> Iterator[Any]:
        beyond = 0 if gap.beyond is None else gap.beyond
        slopes = (gap.gradient.get(q, 0) for q in self.system.mechanism.coordinates)
        yield from map(self.system.node, (gap.value, gap.rate, gap.acceleration, gap.restitution, beyond, *slopes))

    @cached_property
    def keys(self) -> tuple[Any, ...]:  # type: ignore[override]
        return tuple(self.functions_of_c.values())

    @cached_property
    def _inputs(self) -> dict[tuple[str, int], str]:
        first = 3 * len(self.inputs)  # values, slopes, times
        return super()._inputs | {("u", first + k): name for k, name in enumerate(self.flags)}

    @staticmethod
    def kept(program: Program) -> list[Node]:
        return program.constants

    # -- events ---------------------------------------------------------------------------------------------------

    @cached_property
    def watched(self) -> list[Watched]:
        """All indicators, in the order in which their events are handled."""
        system = self.system
        found = [
            Watched(e.name, e.expression, e.direction, e.floor, self._action(f"event_{k}", e.action))
            for k, e in enumerate(self.model.events)
        ]
        found += [
            Watched(gap.name, guard, -1, TOUCH, (f"touch(I, {k});", "return true;"))
            for k, (gap, guard) in enumerate(zip(system.derivation.gaps, system.derivation.gap_guards, strict=True))
        ]
        found += [
            Watched(x.name, x.guard, x.direction, 0.0, self._action(f"transition_{k}", x.sets))
            for k, x in enumerate(system.derivation.transitions)
        ]
        bent = ("bend_gaps(I);", "return true;") if system.derivation.gaps else ()
        found += [Watched(name, node, 0, 0.0, bent) for name, node in system.derivation.switches]
        switches = time_switches(system.mechanism)
        return found + [Watched(f"jump at {g}", sympy.sin(sympy.pi * g) if p else g, 0, 0.0, bent) for g, p in switches]

    def _action(self, name: str, action: Any) -> tuple[str, ...]:
        if action == "stop":
            return ("I->stopped = true;", "return false;")
        return (f"{name}_sets(I);", "return true;") if action else ()

    @cached_property
    def assignments(self) -> dict[str, tuple[list[Any], list[Any]]]:
        """Values and what they are given to, by the name of a function."""
        events = {f"event_{k}": e.action for k, e in enumerate(self.model.events) if isinstance(e.action, Mapping)}
        events |= {f"transition_{k}": x.sets for k, x in enumerate(self.system.derivation.transitions) if x.sets}
        if self.system.derivation.starting_flags:
            events["start"] = self.system.derivation.starting_flags
        return {name: (list(sets.values()), list(sets)) for name, sets in events.items()}

    def _place(self, symbol: Any) -> str:
        """Where a value stands, as the beginning of an assignment."""
        name = str(symbol)
        if name in self.places:
            return f"set_parameter(I, {self.places[name]}, {{}});"
        place = self.system.mechanism.signals[name]
        return f"I->{place.slot}[{place.column}] = {{}};"

    # -- sampled controllers --------------------------------------------------------------------------------------

    @cached_property
    def samplers(self) -> list[tuple[Any, list[tuple[str, Any]]]]:
        """Controllers, each with what its law looks at, by name and as an expression."""
        found = []
        for controller in self.model.controllers:
            law = controller.law
            targets = [law.setpoint] if isinstance(law, PID) else []
            targets += list(law.setpoints.values()) if isinstance(law, StateFeedback) else []
            known = type(law) in (PID, StateFeedback) and all(isinstance(x, Constant) for x in targets)
            if not known:
                raise self.unfit(
                    f"controller '{controller.name}', a law in Python: take PID or StateFeedback with set-points that "
                    "are numbers, or a continuous law as formulas"
                )
            names = [law.measured] if isinstance(law, PID) else list(law.gains)
            outputs = self.system.mechanism.outputs
            missing = [x for x in [*names, law.command] if x not in outputs and x not in self.model.symbols]
            if missing:
                raise self.unfit(f"controller '{controller.name}' of {missing[0]}, which is not there: name what is")
            found.append((controller, [(x, outputs.get(x, self.model.symbols.get(x))) for x in names]))
        return found

    def _sampled(self, k: int) -> list[str]:
        controller, seen = self.samplers[k]
        law, number = controller.law, self.language.number
        pieces = {
            "k": str(k), "count": str(len(seen)), "is_pid": isinstance(law, PID),
            "lower": "-HUGE_VAL" if law.lower == -inf else number(law.lower),
            "upper": "HUGE_VAL" if law.upper == inf else number(law.upper),
            "assigned": self._place(law.command).format("command"),
        }  # fmt: skip
        if isinstance(law, PID):
            for name in ("proportional", "integral", "derivative", "filter"):
                pieces[name] = number(getattr(law, name))
            return _part("sampled", pieces | {"law": _part("pid", pieces | {"setpoint": number(law.setpoint(0.0))})})
        setpoints = {name: law.setpoints[name](0.0) if name in law.setpoints else 0.0 for name, _ in seen}
        terms = (f"{number(law.gains[x])}*(seen[{i}] - {number(setpoints[x])})" for i, (x, _) in enumerate(seen))
        return _part("sampled", pieces | {"law": f"const double wanted = -({' + '.join(terms)});"})

    # -- text -----------------------------------------------------------------------------------------------------

    def _function(self, name: str, routine: Routine) -> list[str]:
        """A function of C."""
        given = {"t", *(slot for slot, _, _ in routine.inputs)} & routine.slots
        idle = [x for x in ("t", "q", "qd", "qdd") if x not in given] + ["constants"] * (not routine.constants)
        idle += ["out"] * (not routine.results)
        return _part("function", {
            "name": name, "idle": packed((f"(void){x};" for x in idle), " "), "taken": NOTATION.taken(self, routine),
            "statements": list(map(declared, routine.statements)),
            "results": [f"out[{i}] = {text};" for i, text in enumerate(routine.results)],
        })  # fmt: skip

    def pieces_of_c(self) -> dict[str, str | list[str]]:
        """What the templates ask for."""
        m, functions = self.system.mechanism, self.functions_of_c
        routines = [line for name, key in functions.items() for line in self._function(name, self.routine(key))]
        for name in ("projection", "outputs", "indicators", "closing", "starts"):
            routines += [] if name in functions else self._function(name, _NOTHING)
        if self.solution != "unrolled":
            routines += [*PARTS["solve"].splitlines(), *_part(self.solution, {})]
        sizes = {
            "UNKNOWNS": len(self.unknowns), "COORDINATES": self.coordinates, "MULTIPLIERS": m.multipliers,
            "STATES": self.coordinates + len(self.unknowns) - m.multipliers, "PARAMETERS": len(self.places),
            "INDICATORS": len(self.watched), "OUTPUTS": len(m.outputs), "BODIES": len(self.bodies),
            "SAMPLERS": len(self.samplers), "ATTITUDES": len(self.model.mechanism.attitudes),
            "GAPS": len(self.system.derivation.gaps), "STARTS": len(self.starts_by_parameters),
        }  # fmt: skip
        return {
            "sizes": packed((f"{name} = {value}" for name, value in sizes.items()), ", ", end=","),
            "members": [f"    {x}" for x in members(self)] or ["    double none;"],
            "helpers": self.helpers,
            "prepare": self._prepare(),
            "routines": routines,
            "initial_q": packed((f"{value}," for value, _ in self.starts["initial_q"]), " ", width=LINES),
            "initial_qd": packed((f"{value}," for value, _ in self.starts["initial_qd"]), " ", width=LINES),
            "initial_p": packed((f"{self.language.number(x)}," for x in (*self.parameters.values(), 0.0)), " "),
            "nominal": packed(self._nominal(), " "),
            "attitudes": [
                f'{{ "{_in_c(name)}", {{ {str(at)[1:-1]} }}, {{ {", ".join(map(self.language.number, start))} }} }},'
                for name, at, start in [*self.orientations, ("", [0], [0.0])]
            ],
            "independent": packed((f"{int(x.name in self.independent)}," for x in self.unknowns), " ", width=LINES),
            "of_place": packed((f"{int(x)}," for x in [*self._of_place(), False]), " ", width=LINES),
            "start_places": packed((f"{place}," for _, place in [*self.starts_by_parameters, (0, 0)]), " "),
            "watched": [*(f"{{ {w.direction}, {w.floor} }}," for w in self.watched), "{ 0, 0.0 },"],
            "gaps": self._gaps(),
        }

    def _nominal(self) -> Iterator[str]:
        m = self.system.mechanism
        states = self.unknowns[self.coordinates : len(self.unknowns) - m.multipliers]
        impulses = {str(gap.impulse) for gap in self.system.derivation.gaps}
        own = self.model.scales(self.model.values()) or []
        scales = [*own, *[None] * (len(states) - len(own))]
        sizes = [0.0 if x.name in impulses else scale or max(1.0, abs(x.start[1])) for x, scale in zip(states, scales)]
        yield from (f"{self.language.number(size)}," for size in [1.0] * (2 * self.coordinates) + sizes + [1.0])

    def _of_place(self) -> list[bool]:
        """Which rows restrict positions, of those that have multipliers."""
        m = self.system.mechanism
        every = [x for constraint in m.constraints for x in constraint.of_place]
        return [bool(every[k]) for k in m.carried] if m.multipliers else []

    @cached_property
    def orientations(self) -> list[tuple[str, list[int], list[float]]]:
        """Of each attitude its name, where its angles and its reference are, quaternion and angular velocity.

        At the start; the angular velocity (rad/s) is in the axes of the parent.
        """
        names, found = [x.name for x in self.unknowns], []
        for x in self.model.mechanism.attitudes:
            at = [*(names.index(str(q)) for q in x.coordinates), self.places[str(x.reference)]]
            angles, rates = np.array([self.unknowns[j].start for j in at[:3]]).T
            R = matrix_of(np.array(x.start), angles)
            e = quaternions(R[None])[0]
            start = [*(e if e[0] >= 0 else -e), *R @ spin_of(angles, rates)]
            found.append((str(x.reference).removesuffix(REFERENCE), at, list(map(float, start))))
        return found

    def _gaps(self) -> list[str]:
        gaps, names = self.system.derivation.gaps, [x.name for x in self.unknowns]
        return _part("gaps", {
            "flags": ", ".join(str(self.places[str(x.closed)]) for x in gaps),
            "softnesses": ", ".join(str(self.places[str(x.compliance or x.closed)]) for x in gaps),
            "unknowns": ", ".join(str(names.index(str(x.impulse))) for x in gaps),
            "rests": ", ".join(self.language.number(gap.rest) for gap in gaps),
            "names": ", ".join(f'"{_in_c(gap.name)}"' for gap in gaps),
        }) if gaps else []  # fmt: skip

    def _prepare(self) -> list[str]:
        p = self.prologue
        used = words_of(s.text for s in p.statements) | set(p.results)
        return _part("prepare", {
            "taken": [f"const double {x} = given[{k}];" for k, x in enumerate(self.parameters) if x in used],
            "statements": list(map(declared, p.statements)),
            "made": packed((f"made.{x} = {x};" for x in p.results), " ") or ["made.none = given[0];"],
        })  # fmt: skip

    def events_in_c(self) -> list[str]:
        """Assignments, the function that does what is due at an indicator, samples, flags at the start."""
        lines: list[str] = []
        for name, (_, targets) in self.assignments.items():
            assigned = [self._place(x).format(f"found[{i}]") for i, x in enumerate(targets)]
            lines += _part("sets", {"name": name, "count": str(len(targets)), "assigned": assigned})
        cases = [
            line for i, w in enumerate(self.watched) if w.action
            for line in (f"case {i}: // {plain(w.name)}", *(f"    {x}" for x in w.action))
        ]  # fmt: skip
        lines += _part("act", {"cases": cases, "sets_at_start": "start" in self.assignments})
        count, number = range(len(self.samplers)), self.language.number
        return [*lines, *(line for k in count for line in self._sampled(k)), *_part("samples", {
            "clocks": [f"{{ {number(c.start)}, {number(c.period)} }}," for c, _ in self.samplers],
            "calls": [f"if (k == {k}) sample_{k}(I, M);" for k in count],
        })]  # fmt: skip

    # -- variables ------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> list[Variable]:
        """All that others see, in the order of their references."""
        m, model = self.system.mechanism, self.model
        own = self.unknowns[: len(self.unknowns) - m.multipliers]
        moving, states = own[: self.coordinates], own[self.coordinates :]
        taken_names: set[str] = set()
        found: list[Variable] = []

        def add(name: str, *rest: Any, **more: Any) -> int:
            text = other_than(plain(name), taken_names, "{} ({})")
            taken_names.add(text)
            found.append(Variable(len(found), text, *rest, **more))
            return len(found) - 1

        def unit(x: Any, order: int) -> str:
            power = "" if order < 2 else str(order)
            return f"{x.unit}/s{power}" if x.unit and order else x.unit

        add("time", "independent", "continuous", unit="s")
        n = len(self.unknowns)
        follow = {place for _, place in self.starts_by_parameters}
        follow |= {j + k for _, at, _ in self.orientations for j in at[:3] for k in (0, n)}

        def given(place: int) -> str:  # what loops, parameters or quaternions have a say in, is a guess
            return "approx" if (m.multipliers and place % n < len(moving)) or place in follow else "exact"

        places = [add(x.name, "local", "continuous", given(j), x.start[0], unit(x, 0)) for j, x in enumerate(moving)]
        rates = [
            add(f"{x.name}.dot", "local", "continuous", given(n + j), x.start[1], unit(x, 1), of)
            for j, (x, of) in enumerate(zip(moving, places, strict=True))
        ]
        for x, of in zip(moving, rates, strict=True):
            add(f"{x.name}.ddot", "local", "continuous", "calculated", None, unit(x, 2), of)
        at = [
            add(x.name, "local", "continuous", given(n + j), x.start[1], unit(x, 0))
            for j, x in enumerate(states, start=len(moving))
        ]
        for x, of in zip(states, at, strict=True):
            add(f"{x.name}.dot", "local", "continuous", "calculated", None, unit(x, 1), of)
        commands = {c.law.command for c, _ in self.samplers}
        inputs = {str(u) for u in model.mechanism.inputs}
        variability = "fixed" if m.multipliers else "tunable"
        values = self.system.parameters | self.system.inputs | dict.fromkeys(self.flags.values(), 0.0)
        known = {str(p) for p in model.mechanism.parameters}
        for name, value in values.items():
            about = {"unit": plain(m.units.get(name, ""))}
            if name in known:
                add(name, "parameter", variability, "exact", value, **about)
            elif name in inputs and name not in commands:
                add(name, "input", "continuous", None, value, **about)
            elif name in self.flags.values():
                add(name, "local", "discrete", "calculated")
            else:
                add(name, "local", "discrete", "exact", value, **about)
        for name in m.outputs:
            add(name, "output", "continuous", "calculated", unit=plain(m.units.get(name, "")))
        for body in self.bodies.values():
            for axis in "xyz":
                add(f"{body}.{axis}", "local", "continuous", "calculated", unit="m")
        for name, _, start in self.orientations:
            for part, value in zip((*COMPONENTS, "omega_x", "omega_y", "omega_z"), start, strict=True):
                add(f"{name}.{part}", "output", "continuous", "exact", value, "" if part in COMPONENTS else "rad/s")
        for name in self.indicators:
            add(f"indicator of {name}", "local", "continuous", "calculated")
        return found

    @property
    def indicators(self) -> list[str]:
        """Names of what importers find the zeros of: events, and where references of attitudes must be renewed."""
        return [*(w.name for w in self.watched), *(f"{name}.reference" for name, _, _ in self.orientations)]

    @property
    def derivatives(self) -> list[Variable]:
        """Those of the continuous states, in their order."""
        return [v for v in self.variables if v.derivative_of is not None]


def _in_c(text: str) -> str:
    return plain(text).replace("\\", "").replace('"', "'")


_PARTS = sections("fmu")
_NOTHING = Routine("", (), (), (), (), frozenset())  # a function without results
_ARGUMENTS = "double t, const double *q, const double *qd, const double *qdd, const Constants *constants, double *out"


def _part(name: str, pieces: Mapping[str, Any]) -> list[str]:
    """A part of the file, whose long lines are broken later."""
    return fill(_PARTS[name], {"arguments": _ARGUMENTS, **pieces}, width=ANY_WIDTH).splitlines()
