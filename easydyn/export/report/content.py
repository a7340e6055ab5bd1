"""Sections of a report about a model: its data, the transforms, the kinematics, the equations, their sizes."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import sympy

from easydyn.engine.scheme import SCHEMES
from easydyn.errors import IncompleteEquationsWarning, ModelError
from easydyn.export.report.document import Formula, Formulas, Heading, Inline, Items, Listing, Maths, Paragraph, Table
from easydyn.export.report.html import width
from easydyn.export.report.naming import LINE, Names, blocks, formula
from easydyn.export.report.typeset import call, line, named
from easydyn.mechanics.mechanism import Body
from easydyn.vec import Block, Transform, Turn, Vector

MOST_PAIRS = 60  # of a body and an unknown, in the kinematics
MOST_OPERATIONS = 1000  # of velocities and accelerations that are printed, and of a matrix that is simplified
MOST_WRITTEN = 100_000  # operations of a residual, each as often as it is written, whose equations are printed as such
MOST_LINES = 1500  # of a listing
_UNITS = {
    "Spring": {"stiffness": "N/m", "free_length": "m"}, "Damper": {"damping": "N s/m"},
    "Force": {"force": "N", "at": "m"}, "Moment": {"moment": "N m"}, "Drag": {"at": "m", "wind": "m/s"},
    "Bushing": {"stiffness": "N/m", "damping": "N s/m", "rotational_stiffness": "N m/rad",
                "rotational_damping": "N m s/rad", "preload": "N", "preload_moment": "N m"},
    "Tyre": {"outer_radius": "m", "torus_radius": "m", "stiffness": "N/m", "damping": "N s/m", "low_speed": "m/s"},
    "PlaneSphere": {"radius": "m"},
}  # fmt: skip
_OF_COORDINATES = {  # what acts on a coordinate in this unit
    "m": {"force": "N", "stiffness": "N/m", "damping": "N s/m", "lower": "m", "upper": "m"},
    "rad": {"force": "N m", "stiffness": "N m/rad", "damping": "N m s/rad", "lower": "rad", "upper": "rad"},
}
_AXES = {(1, 0, 0): "trotx", (0, 1, 0): "troty", (0, 0, 1): "trotz"}


class Content:
    """The sections about a model, in their order; `blocks()` yields them.

    Parameters
    ----------
    model : Model
    values : dict
        Values of parameters, by name; None where there is none.
    start : dict
        Values at the start, by name.
    kinematics, equations : bool
        True: include these sections.
    """

    def __init__(
        self, model: Any, values: dict[str, float | None], start: dict[str, Any], kinematics: bool, equations: bool
    ):
        self.model, self._values, self._start = model, values, start
        self._kinematics, self._equations = kinematics, equations
        self._m = model.mechanism
        taken = {str(s)[:1] for s in model.symbols}
        letter = next((c for c in "zwgykjn" if c not in taken), "zz")
        self.names = Names(letter)

    def blocks(self) -> Iterator[Any]:
        """All sections."""
        yield from self._unknowns()
        yield from self._parameters()
        yield from self._bodies()
        yield from self._efforts()
        yield from self._loops()
        yield from self._outside()
        if self._kinematics and self._m.bodies:
            yield from self._motions()
        if self._equations:
            yield from self._of_motion()
        if not self._m.constraints or None not in self._values.values():
            yield from self._sizes()

    # -- formulas -------------------------------------------------------------------------------------------------

    def _formulas(self, pairs: Iterable[tuple[Any, Any]]) -> list[Any]:
        """left = right for every pair, after the definitions of what stands in them by name."""
        left, right = zip(*pairs, strict=True)
        definitions, found = self.names.of(right, left)
        return blocks([formula(name, e) for name, e in (*definitions, *zip(left, found, strict=True))])

    def _maths(self, e: Any, most: float = LINE) -> Inline:
        """An expression within a line, or its text where it is too wide for that."""
        return Maths(e) if width(e) <= most else f"({len(str(e))} letters long: see the program)"

    def _value(self, e: Any) -> Inline:
        """An expression of parameters, with its value."""
        e = sympy.sympify(e)
        symbols = {s: self._values.get(str(s)) for s in e.free_symbols}
        if not symbols or any(v is None for v in symbols.values()):
            return self._maths(e, 40)
        number = sympy.Float(float(e.xreplace({s: sympy.Float(v, 17) for s, v in symbols.items()}).evalf(17)))
        return Maths(line(e, "=", number) if width(e) < 26 else number)

    # -- data -----------------------------------------------------------------------------------------------------

    def _unknowns(self) -> Iterator[Any]:
        m = self._m
        yield Heading("Unknowns and parameters")
        kinds = ((m.coordinates, "coordinate"), (m.states, "first-order state"))
        rows = [(Maths(named(name)), name, kind, m.units.get(name, ""), self._number(self._start[name]),
                 self._number(self._start.get(f"{name}.dot", ""))) for x, kind in kinds for name in map(str, x)]
        heading = ("symbol", "name", "kind", "unit", "at the start", "rate at the start")
        yield Table(heading, tuple(rows), (4, 5))

    def _number(self, x: Any) -> Inline:
        return Maths(sympy.Float(x, 17)) if isinstance(x, float) else str(x)

    def _parameters(self) -> Iterator[Any]:
        m = self._m
        if m.parameters:
            rows = [(Maths(named(str(p))), str(p), self._number(v) if (v := self._values.get(str(p))) is not None
                     else "not given") for p in m.parameters]  # fmt: skip
            yield Table(("parameter", "name", "value [SI]"), tuple(rows), (2,))
        if any(c != 0 for c in m.gravity):
            equation = line(named("g"), "=", sympy.ImmutableDenseMatrix([*m.gravity]))
            yield Paragraph(("Gravity in ground components: ", Maths(equation), " m/s²."))
        elif m.bodies:
            yield Paragraph("There is no gravity.")

    def _bodies(self) -> Iterator[Any]:
        m = self._m
        yield Heading("Bodies")
        if not m.bodies:
            yield Paragraph("This model has no bodies: its equations are given as they are.")
            return
        rows = []
        for b in m.bodies:
            tensor = b.inertia
            inertia = [("xx", tensor[0, 0]), ("yy", tensor[1, 1]), ("zz", tensor[2, 2]), ("xy", tensor[0, 1]),
                       ("yz", tensor[1, 2]), ("xz", tensor[0, 2])]  # fmt: skip
            shown = [(name, x) for k, (name, x) in enumerate(inertia) if k < 3 or x != 0]
            first: list[tuple[Inline, ...]] = [(b.name, self._value(b.mass)), *[("", "")] * (len(shown) - 1)]
            rows += [(*x, Maths(named(f"I_{name}")), self._value(y)) for x, (name, y) in zip(first, shown, strict=True)]
        yield Table(("body", "mass [kg]", "inertia about G", "value [kg m²]"), tuple(rows))
        off = [b for b in m.bodies if any(c != 0 for c in b.com)]
        if off:
            places = tuple((b.name, Maths(sympy.Tuple(*b.com))) for b in off)
            yield Table(("body", "centre of mass in body axes [m]"), places)
        yield from self._products()

    def _products(self) -> Iterator[Any]:
        formulas, long = [], list[Formula]()
        for k, b in enumerate(self._m.bodies, start=1):
            factors = [self._factor(f, long) for f in b.T.factors] or [1]
            found: list[list[Any]] = [[]]
            for f in factors:
                taken = sum(2 if isinstance(x, str) else 2 + width(x) for x in found[-1])
                if found[-1] and taken + width(f) > LINE:
                    found.append([])
                found[-1] += ["·", f] if found[-1] or len(found) > 1 else [f]
            formulas.append(Formula(named(f"T_{k}"), tuple(line(*x) for x in found)))
        told = f". The symbols {self.names.letter}1, {self.names.letter}2, ... stand for their long parts" * bool(long)
        yield Paragraph(f"Frames of the bodies, as products from the ground outwards{told}:")
        yield from blocks(long)
        yield Formulas(tuple(formulas))
        indices = ", ".join(f"{k} is {b.name}" for k, b in enumerate(self._m.bodies, start=1))
        yield Paragraph(f"The index is that of the body: {indices}.")
        for k, b in enumerate(self._m.bodies, start=1):
            if len(b.T.factors) < 7 and width(b.T.matrix) <= LINE:
                yield Formulas((Formula(named(f"T_{k}"), (b.T.matrix,)),))

    def _factor(self, factor: Any, long: list[Formula]) -> Any:
        """A factor of a product; where it is too wide, its parts by names, of which `long` has the definitions."""
        if isinstance(factor, Turn):
            name, parts = _AXES.get(tuple(factor.axis)), [factor.angle]
            shown = call(name, *parts) if name else call("trot", sympy.Tuple(*factor.axis), *parts)
        else:
            shown = Transform((factor,)).matrix if isinstance(factor, Block) else call("tdisp", *factor.e)
            parts = shown if isinstance(factor, Block) else shown.args
        if width(shown) <= LINE:
            return shown
        return shown.xreplace({e: self.names.name(e, long) for e in parts if width(e) > LINE / 6})

    # -- efforts, and what comes from outside -----------------------------------------------------------------------

    def _efforts(self) -> Iterator[Any]:
        m = self._m
        if not m.efforts and not m.callbacks:
            return
        yield Heading("Efforts")
        items: list[Inline] = []
        for effort in m.efforts:
            shown: list[Any] = []
            for name, value in self._data(effort):
                unit = self._unit(effort, name)
                shown += [f"{', ' if shown else ': '}{name} ", value, *([f" {unit}"] if unit else [])]
            items.append((f"{effort}", *shown))
        items += [f"{getattr(f, '__name__', 'a function')}, written in plain Python." for f in m.callbacks]
        yield Items(tuple(items))
        if m.callbacks:
            yield Paragraph(
                "Efforts in plain Python take part in every run, and are missing in the equations below: formulas "
                "cannot show them."
            )

    def _unit(self, effort: Any, words: str) -> str:
        """The unit of what a force element was given; nothing where it depends on an exponent or a law."""
        kind = type(effort).__name__
        units = _UNITS.get(kind, {})
        if kind in ("GeneralizedForce", "EndStop"):
            acted = {self._m.units.get(str(q), "") for q in effort.coordinates}
            units = _OF_COORDINATES.get(next(iter(acted)), {}) if len(acted) == 1 else {}
        return units.get(words.replace(" ", "_"), "")

    def _data(self, effort: Any) -> Iterator[tuple[str, Inline]]:
        """What a force element was given, by name: its public attributes that are scalars or vectors."""
        for name, value in vars(effort).items():
            words = name.replace("_", " ")
            if name.startswith("_") or isinstance(value, bool | str):
                continue
            if isinstance(value, Body) and name in ("frame", "reaction"):
                yield f"{words} on" if name == "reaction" else "in the axes of", f"'{value.name}'"
            elif isinstance(value, Vector) and any(c != 0 for c in value):
                place = sympy.Tuple(*value)
                yield words, Maths(place) if width(place) <= LINE else "(long: see the program)"
            elif isinstance(value, int | float | sympy.Expr) and value not in effort.coordinates:
                yield words, self._maths(value)

    def _loops(self) -> Iterator[Any]:
        if not self._m.constraints:
            return
        yield Heading("Closed loops and constraints")
        yield Items(tuple(f"{constraint}" for constraint in self._m.constraints))
        if None not in self._values.values():
            yield Items(tuple(self.model.mobility().sentences))
        yield Paragraph(
            "Each independent row of their equations has a multiplier, an unknown of the equations below: its "
            "generalised force is the multiplier times the derivative of the row by each coordinate."
        )

    def _outside(self) -> Iterator[Any]:
        m, model = self._m, self.model
        if not (m.inputs or m.outputs or model.happenings):
            return
        yield Heading("Inputs, outputs and events")
        if m.inputs:
            rows = [(Maths(named(str(u))), str(u), m.units.get(str(u), "")) for u in m.inputs]
            yield Table(("input", "name", "unit"), tuple(rows))
        if m.outputs:
            shown = [(name, self._maths(e, 50), m.units.get(name, "")) for name, e in m.outputs.items()]
            yield Table(("output", "formula", "unit"), tuple(shown))
        events = [(e.name, self._maths(e.expression, 40), {-1: "falling", 0: "both", 1: "rising"}[e.direction])
                  for e in model.events]  # fmt: skip
        if events:
            yield Table(("event", "where this crosses zero", "direction"), tuple(events))
        others = [text for text in model.happenings if not text.startswith("event ")]
        if others:
            yield Paragraph(f"What else can change a run: {', '.join(others)}.")

    # -- kinematics -------------------------------------------------------------------------------------------------

    def _motions(self) -> Iterator[Any]:
        m = self._m
        yield Heading("Kinematics")
        if len(m.bodies) * len(m.unknowns) > MOST_PAIRS:
            yield Paragraph(
                f"The {len(m.bodies)} bodies and {len(m.unknowns)} unknowns of this model would fill too many pages: "
                "body.v, body.omega, body.a, body.alpha, body.d and body.theta have what would stand here."
            )
            return
        yield Paragraph(
            "The partial contributions d and θ of each coordinate, velocity v and acceleration a of the frame's "
            "origin, angular velocity ω and angular acceleration α, in ground components. What is not written is zero."
        )
        found = []
        for k, b in enumerate(m.bodies, start=1):
            try:
                accelerations = [("a", "", b.a), ("alpha", "", b.alpha)]
            except ModelError as error:  # its frame follows states
                accelerations = []
                yield Paragraph(f"Of {error}")
            of = [x for q in m.coordinates for x in (("d", str(q), b.d[q]), ("theta", str(q), b.theta[q]))]
            found.append((k, b, [("v", "", b.v), ("omega", "", b.omega)], accelerations, of))
        every = (c for *_, rates, accelerations, _ in found for *_, u in (*rates, *accelerations) for c in u)
        short = self.names.operations(every) <= MOST_OPERATIONS
        if not short:
            yield Paragraph(
                "The accelerations of this model are left out here: they would fill many pages. "
                "body.a and body.alpha have them."
            )
        for k, b, rates, accelerations, of in found:
            yield Heading(f"Body {k}: {b.name}", 2)
            # v_2_x and d_2_q_x: below the letter stand the body, the coordinate and the axis
            groups = [[(named("_".join(filter(None, (name, str(k), q.replace("_", ""), axis)))), c)
                       for name, q, u in vectors for axis, c in zip("xyz", u, strict=True) if c != 0]
                      for vectors in (of, [*rates, *(accelerations if short else [])])]  # fmt: skip
            for pairs in filter(None, groups):
                yield from self._formulas(pairs)
            if not any(groups):
                yield Paragraph("This body does not move.")

    # -- equations --------------------------------------------------------------------------------------------------

    def _of_motion(self) -> Iterator[Any]:
        yield Heading("Equations of motion")
        if self._m.equations:
            yield Paragraph("As they were declared, each of them zero:")
            yield from self._formulas((named(f"f_{k}"), e) for k, e in enumerate(self._m.equations, start=1))
        if listing := self._too_long():
            yield Paragraph(
                "As formulas these equations would fill many pages: model.equations() has them. Here is the program "
                "that evaluates their residual instead, one operation a line, as a run uses it:"
            )
            yield listing
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", IncompleteEquationsWarning)
                eom = self.model.equations()
        except ModelError as error:
            yield Paragraph(f"There are no equations in symbols. {error}")
            return
        if eom.missing:
            yield Paragraph(f"These equations lack the efforts in plain Python: {', '.join(eom.missing)}.")
        if eom.M.free_symbols & set(eom.accelerations):
            yield Paragraph("They are not linear in the accelerations: there is no mass matrix that is free of them.")
            return
        unknowns, loads = (sympy.ImmutableDenseMatrix([named(str(x)) for x in column])
                           for column in (eom.accelerations, eom.multipliers))  # fmt: skip
        right = [named("W"), loads] if loads else [sympy.S.Zero]
        yield Formulas((Formula(line(named("M"), unknowns, "+", named("h")), (line(*right),)),))
        # a difference of entries that depend on modes takes SymPy without end, and is not zero
        symmetric = eom.M.is_symmetric(not eom.M.has(sympy.Piecewise) and sympy.count_ops(eom.M) < MOST_OPERATIONS)
        parts = {"M": eom.M.upper_triangular() if symmetric else eom.M, "h": eom.h, "W": eom.W, "Phi": eom.Phi,
                 "r": eom.rates}  # fmt: skip
        pairs = [(named(f"{name}_{i + 1}" + f"_{j + 1}" * (name in "MW")), part[i, j]) for name, part in parts.items()
                 for i in range(part.rows) for j in range(part.cols) if part[i, j] != 0]  # fmt: skip
        before, letter = self.names.count, self.names.letter
        formulas = self._formulas(pairs)
        text = "M is symmetric: elements below its diagonal are not repeated. " if symmetric and eom.M.rows > 1 else ""
        text += "The rows Φ and r of the constraints, on places and on rates, are zero. " if loads else ""
        text += "What is not written is zero."
        if self.names.count > before:
            text += f" The symbols {letter}1, {letter}2, ... stand for parts that are used more than once or are long."
        yield Paragraph(text)
        yield from formulas

    def _too_long(self) -> Listing | None:
        """The program of the residual, where its equations would be too long as formulas."""
        if None in self._values.values():
            return None
        program, length = self.model.compile("python").program("residual"), dict[int, int]()
        for node in program.nodes:
            length[node.index] = 1 + sum(length[a.index] for a in node.args)
        if sum(length[node.index] for node in program.outputs) < MOST_WRITTEN:
            return None
        lines = str(program).splitlines()
        left = len(lines) - MOST_LINES
        more = [f"# and {left} more lines: model.compile().program('residual') has them"] if left > 0 else []
        return Listing((*lines[:MOST_LINES], *more))

    # -- sizes --------------------------------------------------------------------------------------------------------

    def _sizes(self) -> Iterator[Any]:
        yield Heading("Sizes")
        yield Paragraph(
            "Operations of one evaluation; divisions count as multiplications, and what depends on parameters alone "
            "is not counted."
        )
        rows = []
        for scheme in SCHEMES:
            for of in ("residual", "mass_matrix", "accelerations"):
                if scheme != "recursive" and (of == "accelerations" or len(self._m.unknowns) > 12):
                    continue
                counts = self.model.operations(of, scheme)
                keys = ("mul", "add", "trig", "other")
                rows.append((scheme, of.replace("_", " "), *(str(counts[key]) for key in keys)))
        heading = ("scheme", "of", "multiplications", "additions", "sines and cosines", "other")
        yield Table(heading, tuple(rows), (2, 3, 4, 5))
