"""The equations of motion as SymPy expressions, by the textbook: eqs. (5) to (8)."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from time import perf_counter
from types import MappingProxyType
from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.inputs import interactive
from easydyn.mechanics.independent import OPEN, Reduction, solved
from easydyn.mechanics.kinematics import SymbolicCalculus
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, Mechanism, no_moments
from easydyn.mechanics.rates import WithRates
from easydyn.mechanics.shortest import Shortest
from easydyn.mechanics.symbols import Coordinate, Flag, HoldingForce, LockingForce, Multiplier, State
from easydyn.vec import ZERO, Inertia, Vector, dot
from easydyn.vec.scalars import Scalar

PATIENCE = 2.0  # seconds before it is told how far it is


@answers
class Equations(WithRates):
    """Equations of motion of a model; LaTeX in a notebook, all of them in `print`.

        M qdd + h = W lambda,      Phi(q, t) = 0,      W' qdd + gamma = 0,      h = coriolis - f

    Rows: one for each coordinate that moves a body, then those of `model.equation`, of the states of elements, and of
    unknowns without rates. Columns of M: `accelerations`, of the coordinates, then the derivatives of the first-order
    states. With equations that are not linear in these, M still depends on them and only `residual` is meaningful.
    Efforts in plain Python (`@model.efforts`) cannot be included: `missing` names them.

    M and h are of the bodies and states alone. The multipliers lambda of a model with constraints act by W, with the
    signs and units of `run.multipliers`; W' qdd + gamma = 0 are the second derivatives of its constraints (the first
    ones of those on rates). In independent coordinates u the accelerations are qdd = B udd + b: `reduced`.

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the equations; `model.equations()` makes them.
    reduction : Reduction, optional
        What follows from what in its loops.
    mode : dict
        Values of flags and locks by name, 1 or 0; flags without a value stay symbols.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("ball", gravity=(0, -10, 0))
    >>> y, = model.coordinates("y")
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.equations().M, model.equations().h
    (Matrix([[2]]), Matrix([[20]]))
    """

    def __init__(
        self, mechanism: Mechanism, reduction: Reduction = OPEN, mode: Mapping[str, float] = MappingProxyType({})
    ) -> None:
        m = self.mechanism = mechanism
        self.calculus = SymbolicCalculus(m.coordinates, m.states, m.drives)  # part of the `Assembly`
        self.missing = tuple(function.__name__ for function in mechanism.callbacks)
        self.mode, self._reduction = mode, reduction
        self._flags = {Flag(name): sympy.sympify(value) for name, value in mode.items()} | {s: s.dot for s in m.loading}
        self._generalized: dict[Coordinate, Scalar] = {}
        self._of_states: dict[State, Scalar] = {}
        self._ground = BodyState("ground", 0, Inertia(ZERO, ZERO, ZERO))
        self._states: dict[str, BodyState] = {}

    def value(self, expression: Scalar, given: Mapping[sympy.Symbol, Scalar] | None = None) -> Scalar:
        """The `expression` in its own unit, with the values `given` for symbols (part of the `Assembly`)."""
        known = self._flags | {s: sympy.sympify(x) for s, x in (given or {}).items()}
        return sympy.sympify(expression).xreplace(known) if known else expression

    @property
    def gravity(self) -> Vector:
        """Gravity of the mechanism (m/s2), ground axes (part of the `Assembly` of force elements)."""
        return self.mechanism.gravity

    def state(self, body: Body | Ground) -> BodyState:
        """The state of a `body` in symbols (part of the `Assembly` of force elements)."""
        if isinstance(body, Ground):
            return self._ground
        if body.name not in self._states and isinstance(body, MasslessPoint):
            v, omega = Vector(*body.v), Vector(*body.omega)
            self._states[body.name] = BodyState(body.name, 0, body.inertia, T=body.T, vG=v, omega=omega)
        elif body.name not in self._states:
            inertia, r = self.mechanism.inertias[body.name], self._short.rates(body.frame_at_G, 0)
            a, alpha = (
                sum((u * q.ddot for u, q in zip(columns, self._moving, strict=True)), rest)
                for columns, rest in ((r.d, r.a), (r.theta, r.alpha))
            )
            self._states[body.name] = BodyState(
                body.name, body.mass, inertia, body.com, body.T, r.v, r.omega, a, alpha,
                d=tuple(r.d), theta=tuple(r.theta),
            )  # fmt: skip
        return self._states[body.name]

    def add_generalized(self, q: Coordinate, force: Scalar) -> None:
        """Add a `force` (N, N m) to the generalised force of `q` (part of the `Assembly` of force elements)."""
        self._generalized[q] = self._generalized.get(q, 0) + force

    def add_equation(self, state: State, expression: Scalar) -> None:
        """Add an equation for a `state`: `expression` = 0, in any unit (part of the `Assembly` of force elements)."""
        self._of_states[state] = expression

    @cached_property
    def accelerations(self) -> tuple[Any, ...]:
        """The unknowns beside the multipliers: q.ddot of the coordinates, p.dot of the states."""
        m, forces = self.mechanism, set(self._forces)
        return tuple(q.ddot for q in m.coordinates) + tuple(p.dot for p in m.states if p.dot not in forces)

    @cached_property
    def _acted(self) -> dict[State, Scalar]:
        """The equations of the states of elements, when all efforts act on the bodies and coordinates."""
        for effort in self.mechanism.efforts:
            effort.apply(self)
            no_moments(self.mechanism.points, self, effort)
        states = self.mechanism.element_states
        return dict(zip(states, self.mechanism.element_equations(self._of_states), strict=True))

    @cached_property
    def _forces(self) -> list[Any]:
        """The multipliers of contacts and slips that hold in the present mode, of constraints, of what is locked."""
        m = self.mechanism
        found = [p for p in m.element_states if isinstance(p, Multiplier)]
        if self.mode:  # a row that says that something does not accelerate, and nothing about its force
            second, flags = {q.ddot for q in m.coordinates}, set(m.flags)
            switched = {p for effort in m.efforts if effort.flags for p in effort.states}
            rows = {p: sympy.sympify(row).free_symbols for p, row in self._acted.items()}
            found = [p for p, s in rows.items() if p in found or p in switched and s & second and not s & flags]
        return [*(p.dot for p in found), *self._holding]

    @cached_property
    def _holding(self) -> dict[Any, Coordinate]:
        """The forces that hold coordinates in the present mode, by locks or by friction."""
        on = {q: [x for x in names if self.mode.get(x, 0) > 0.5] for q, names in self.mechanism.holders.items()}
        kinds = {q: LockingForce if f"{q}.locked" in names else HoldingForce for q, names in on.items() if names}
        return {kind(q): q for q, kind in kinds.items()}

    # -- each side of M qdd + h = W lambda ------------------------------------------------------------------------

    @cached_property
    def _inertial(self) -> tuple[list[list[Scalar]], list[Scalar]]:
        """M of the bodies alone, and what else m a and Phi alpha + omega x Phi omega give, by moving coordinates."""
        m, n = self.mechanism, len(self._moving)
        parts = [self._short.of_body(b.frame_at_G, b.mass, m.inertias[b.name]) for b in m.bodies]
        half = [sum(entries) for entries in zip(*(M for M, _ in parts), strict=True)] or [0] * (n * (n + 1) // 2)
        M = [[half[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(n)] for i in range(n)]
        return M, [sum(h[j] for _, h in parts) for j in range(n)]

    @cached_property
    def _short(self) -> Shortest:
        return Shortest(self._moving, self.calculus, self.mechanism.drives)

    @property
    def _moving(self) -> list[Coordinate]:
        return [self.mechanism.coordinates[j] for j in self.mechanism.moving]

    @cached_property
    def _applied(self) -> list[Scalar]:
        """The generalised forces of the weights and of all elements, those of the multipliers among them."""
        assert self._acted is not None
        total, q = [self._generalized.get(x, sympy.S.Zero) for x in self._moving], self._moving
        for s in self._states.values():
            for j, (d, theta) in enumerate(zip(s.d, s.theta, strict=True)):
                total[j] = total[j] + dot(d, s.R) + dot(theta, s.MG)
        for body in self.mechanism.bodies:
            fall = dot(self.gravity, body.frame_at_G.e) if self.gravity != ZERO else 0
            total = [Q + self.calculus.diff(fall, x) * body.mass for Q, x in zip(total, q, strict=True)]
        for force, x in self._holding.items():
            total[q.index(x)] += force
        return total

    @cached_property
    def _rows(self) -> tuple[list[Scalar], list[Scalar]]:
        """What is zero: of the coordinates and states; then of the multipliers, the derivatives of the constraints."""
        (M, h), qdd = self._inertial, [x.ddot for x in self._moving]
        own = [sum((x * a for x, a in zip(row, qdd, strict=True)), h[j] - self._applied[j]) for j, row in enumerate(M)]
        forces, acted = set(self._forces), self._acted
        own += [*self.mechanism.equations, *(row for p, row in acted.items() if p.dot not in forces)]
        closing = [*(row for p, row in acted.items() if p.dot in forces), *(q.ddot for q in self._holding.values())]
        return [self.value(row) for row in own], closing

    def _jacobian(self, rows: Sequence[Scalar], unknowns: Sequence[Any]) -> sympy.ImmutableDenseMatrix:
        entries = [[self.calculus.diff(sympy.sympify(row), x) for x in unknowns] for row in rows]
        return sympy.ImmutableDenseMatrix(len(rows), len(unknowns), lambda i, j: entries[i][j])

    def _at_rest(self, rows: Sequence[Scalar]) -> sympy.ImmutableDenseMatrix:
        """Rows without accelerations and without multipliers."""
        none = dict.fromkeys((*self.accelerations, *self._forces), sympy.S.Zero)
        return sympy.ImmutableDenseMatrix(len(rows), 1, [sympy.sympify(row).xreplace(none) for row in rows])

    @cached_property
    def M(self) -> sympy.ImmutableDenseMatrix:
        """Mass matrix (n x n), eq. (8); where efforts or equations hold accelerations, their derivatives are in it."""
        own, count = self._rows[0], len(self._moving)
        rest = [h - Q for h, Q in zip(self._inertial[1], self._applied, strict=True)]
        M = self._jacobian([*rest, *own[count:]], self.accelerations).as_mutable()
        for i, row in enumerate(self._inertial[0]):
            for x, entry in zip(self.mechanism.moving, row, strict=True):
                M[i, x] += entry
        return M.as_immutable()

    @cached_property
    def h(self) -> sympy.ImmutableDenseMatrix:
        """h(q, qd, t) (n x 1), eq. (7): `coriolis` - `f`."""
        return self.coriolis - self.f

    @cached_property
    def f(self) -> sympy.ImmutableDenseMatrix:
        """The generalised applied forces (n x 1; N, N m): weights and elements, without efforts in plain Python."""
        return self._at_rest([*self._applied, *[0] * (len(self.accelerations) - len(self._moving))])

    @cached_property
    def coriolis(self) -> sympy.ImmutableDenseMatrix:
        """What h is without applied forces (n x 1): centrifugal and Coriolis terms, and the equations of states."""
        return self._at_rest([*self._inertial[1], *self._rows[0][len(self._moving) :]])

    @cached_property
    def multipliers(self) -> sympy.ImmutableDenseMatrix:
        """lambda (m x 1; N, N m), those of the rows that are independent: of constraints as in `run.multipliers`."""
        return sympy.ImmutableDenseMatrix(len(self._forces), 1, self._forces)

    @cached_property
    def W(self) -> sympy.ImmutableDenseMatrix:
        """The forces on the coordinates and states by a unit of each multiplier (n x m): the loads are W lambda."""
        return -self._jacobian(self._rows[0], self._forces)

    @cached_property
    def gamma(self) -> sympy.ImmutableDenseMatrix:
        """What the derivatives of the constraints are without accelerations (m x 1): W' qdd + gamma = 0."""
        return self._at_rest(self._rows[1])

    @cached_property
    def _closing(self) -> sympy.ImmutableDenseMatrix:
        """W' beside 0, as the constraints have it: sliding friction acts in W, and what yields to its load, in 0."""
        return self._jacobian(self._rows[1], (*self.accelerations, *self._forces))

    @cached_property
    def _held(self) -> tuple[dict[Any, Scalar], dict[Any, Scalar]]:
        """By multiplier: the places that are zero; the rates that are zero, of all whose places are not restricted."""
        m, gaps = self.mechanism, (gap for effort in self.mechanism.efforts for gap in effort.gaps(self))
        places = {gap.impulse.dot: gap.value for gap in gaps} if self.mode else {}
        slips = (slip for effort in m.efforts for slip in effort.slips(self)) if self.mode else ()
        rates = {slip.force: slip.velocity for slip in slips} | {F: q.dot for F, q in self._holding.items()}
        for constraint in m.constraints:
            for p, row in zip(constraint.multipliers, constraint.rows(self), strict=True):
                (rates if row.value is None else places)[p.dot] = row.rate if row.value is None else row.value
        return tuple({x: held[x] for x in self._forces if x in held} for held in (places, rates))  # type: ignore

    @cached_property
    def Phi(self) -> sympy.ImmutableDenseMatrix:
        """The constraints on places, each zero (a column; m, or no unit)."""
        return sympy.ImmutableDenseMatrix(len(self._held[0]), 1, list(self._held[0].values()))

    @cached_property
    def rates(self) -> sympy.ImmutableDenseMatrix:
        """The constraints that restrict rates only, each zero (a column; m/s, 1/s)."""
        return sympy.ImmutableDenseMatrix(len(self._held[1]), 1, list(self._held[1].values()))

    @cached_property
    def residual(self) -> sympy.ImmutableDenseMatrix:
        """M qdd + h - W lambda, then the constraints, `Phi` and `rates`: zero on a motion of the system (eq. 6)."""
        return sympy.ImmutableDenseMatrix([*self._rows[0], *self.Phi, *self.rates])

    @property
    def mass_matrix_full(self) -> sympy.ImmutableDenseMatrix:
        """[[M, -W], [W', 0]] (n + m square): mass_matrix_full * (qdd, lambda) = `forcing_full`."""
        return self.M.row_join(-self.W).col_join(self._closing)

    @property
    def forcing_full(self) -> sympy.ImmutableDenseMatrix:
        """The right side -(h, gamma) (n + m) of `mass_matrix_full`."""
        return -sympy.ImmutableDenseMatrix([*self.h, *self.gamma])

    # -- in independent coordinates -------------------------------------------------------------------------------

    @property
    def independent(self) -> tuple[Any, ...]:
        """The coordinates and states whose rates determine all rates, in their order: u of qdd = B udd + b."""
        return tuple(x for x in self.mechanism.unknowns if _rate(x) in self._solved[0])

    @property
    def dependent(self) -> tuple[Any, ...]:
        """The other coordinates, which follow by the constraints."""
        return tuple(q for q in self.mechanism.coordinates if q not in self.independent)

    @cached_property
    def _solved(self) -> tuple[list[Any], sympy.ImmutableDenseMatrix, sympy.ImmutableDenseMatrix, list[Any]]:
        """The independent accelerations, B, b, and what was named in them."""
        names = [str(q) for q in self.mechanism.coordinates]
        groups = [[j for j, name in enumerate(names) if self._forces and name not in self._reduction.independent]]
        if self.mode:  # contacts, clutches and locks hold others, too
            groups.append([j for j in reversed(range(len(names))) if j not in groups[0]])
        return self._by_independent(self._closing[:, : len(self.accelerations)].row_join(self.gamma), groups, 0)

    def _by_independent(self, A: sympy.Matrix, groups: list[list[int]], before: int) -> Any:
        n, at = len(self.accelerations), dict.fromkeys(A.free_symbols, 0.0) | dict(self._reduction.at)
        X, named = solved(A, groups, at, before)
        free = [j for j in range(n) if j not in X]
        X |= {j: {j: sympy.S.One} for j in free}
        whole = sympy.ImmutableDenseMatrix(n, len(free) + 1, lambda j, k: X[j].get([*free, n][k], 0))
        return [self.accelerations[j] for j in free], whole[:, :-1], whole[:, -1], named

    @property
    def B(self) -> sympy.ImmutableDenseMatrix:
        """By how much each acceleration changes with an independent one (n x r): qdd = B udd + b."""
        return self._solved[1]

    @property
    def b(self) -> sympy.ImmutableDenseMatrix:
        """What the accelerations are while the independent ones are zero (n x 1): qdd = B udd + b."""
        return self._solved[2]

    @property
    def where(self) -> tuple[tuple[Any, Any], ...]:
        """(symbol, formula), each of symbols before it: dependent coordinates in closed form, then parts of B and b."""
        return (*self._reduction.where(), *self._solved[3])

    def reduced(self) -> Equations:
        """The equations in independent coordinates, B' M B udd + B' (M b + h) = 0, without multipliers.

        Dependent coordinates and rates stand in them: of these `where`, `Phi` and `rates` say what they are. In place
        of B' stands what W leaves out, where that is another: friction acts, or frames follow states.
        """
        if not self._forces:
            return self
        (free, B, b, named), none = self._solved, sympy.ImmutableDenseMatrix
        P, r = B, len(free)
        if self.mechanism.drives or self.mode:
            follow = [j for j, x in enumerate(self.accelerations) if x not in free]
            _, P, _, others = self._by_independent(self.W.T.row_join(none.zeros(self.W.cols, 1)), [follow], len(named))
            named = named + others
        shown = {"M": P.T * self.M * B, "f": P.T * self.f, "coriolis": P.T * (self.M * b + self.coriolis)}
        shown |= {"accelerations": tuple(free), "_forces": [], "multipliers": none(0, 1, []), "W": none(r, 0, [])}
        shown |= {"gamma": none(0, 1, []), "_closing": none(0, r, []), "Phi": self.Phi, "rates": self.rates}
        return self._with(**shown, _solved=(free, none.eye(r), none.zeros(r, 1), named))

    def _with(self, **shown: Any) -> Equations:
        """Others of which all that is `shown` is given."""
        other = Equations(self.mechanism, self._reduction, self.mode)
        other.__dict__ |= shown
        unknowns = sympy.Matrix(len(other.accelerations), 1, other.accelerations)
        own = other.M * unknowns + other.h - other.W * other.multipliers
        other.__dict__["residual"] = sympy.ImmutableDenseMatrix([*own, *other.Phi, *other.rates])
        return other

    # -- shown ----------------------------------------------------------------------------------------------------

    def simplified(self) -> Equations:
        """The same equations with sines and cosines combined, where that is shorter.

        SymPy needs some time for more than a few bodies: after 2 s a line in a terminal or notebook says how far it is.
        """
        names = ("M", "f", "coriolis", "W", "gamma", "Phi", "rates")
        kept = ("accelerations", "multipliers", "_forces", "_closing", "_solved")
        found: dict[Any, Any] = {e: e for e in (e for name in names for e in getattr(self, name))}
        began = printed = perf_counter()
        for k, e in enumerate(found):
            found[e] = min(_tidy(e), e, key=sympy.count_ops)
            if interactive() and (now := perf_counter()) - began > PATIENCE and now - printed > 1:
                print(f"simplified: {k + 1} of {len(found)} expressions, {now - began:.0f} s", file=sys.stderr)
                printed = now
        shown = {name: getattr(self, name).applyfunc(found.__getitem__) for name in names}
        return self._with(**shown, **{name: self.__dict__[name] for name in kept if name in self.__dict__})

    def _shown(self) -> list[tuple[str, Any]]:
        """What there is of M, h, W and the constraints, by name."""
        parts = ("M", self.M), ("h", self.h), ("W", self.W), ("Phi", self.Phi), ("rates", self.rates)
        return [(name, part) for name, part in parts if part.rows * part.cols]

    def _repr_latex_(self) -> str:
        parts = {name: sympy.latex(part) for name, part in self._shown()}
        unknowns, right = sympy.latex(sympy.ImmutableDenseMatrix(self.accelerations)), "0"
        if "W" in parts:
            right = f"{parts['W']} {sympy.latex(self.multipliers)}"
        if self.missing:
            python = f"\\text{{efforts in Python: {', '.join(self.missing)}}}".replace("_", "\\_")
            right = python if right == "0" else f"{right} + {python}"
        written = [f"{parts['M']} {unknowns} + {parts['h']} = {right}"]
        written += [f"{parts[name]} = 0" for name in ("Phi", "rates") if name in parts]
        return "$\\displaystyle " + ",\\quad ".join(written) + "$"

    def __str__(self) -> str:
        lines = [f"{name} = {part}" for name, part in self._shown()]
        lines += [f"{symbol} = {formula}" for symbol, formula in self._reduction.where()]
        return "\n".join([repr(self), *lines])

    def __repr__(self) -> str:
        missing = f", without the efforts in Python: {', '.join(self.missing)}" if self.missing else ""
        loads = f", multipliers {tuple(self.multipliers)}" if self._forces else ""
        unknowns = f"unknowns {self.accelerations}"
        return f"Equations of '{self.mechanism.name}': M {self.M.shape}, {unknowns}{loads}{missing}"


def _rate(x: Any) -> Any:
    """The unknown of a coordinate or a state."""
    return x.ddot if isinstance(x, Coordinate) else x.dot


def _tidy(e: sympy.Expr) -> sympy.Expr:
    """Put sines and cosines together; decimals are exact fractions meanwhile, so that 0.05 - 0.05 is nothing."""
    decimals = e.atoms(sympy.Float)
    whole = {sympy.Dummy(real=True): p for p in e.atoms(sympy.Piecewise)}  # kept as they are
    e = e.xreplace({p: x for x, p in whole.items()}).xreplace({x: sympy.Rational(str(x)) for x in decimals})
    e = sympy.trigsimp(sympy.expand(e)).xreplace(whole)
    if not decimals:
        return e
    fractions = (x for x in e.atoms(sympy.Rational) if x.q not in (1, 2, 3, 4, 6, 8, 12))
    return e.xreplace({x: sympy.Float(x) for x in fractions})
