"""The equations of motion as SymPy expressions, by the textbook: eqs. (5) to (8)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import sympy

from easydyn.arguments import Attributes, answers
from easydyn.mechanics import mbs
from easydyn.mechanics.kinematics import SymbolicCalculus, motion
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, Mechanism, ground, no_moments
from easydyn.mechanics.rates import WithRates
from easydyn.mechanics.symbols import Coordinate, Multiplier, State, t
from easydyn.vec import ZERO, Inertia, Vector
from easydyn.vec.scalars import Scalar


class Equations(Attributes, WithRates):
    """Equations of motion of a model: `M` (8), `h` (7), `residual` (6) = M qdd + h; LaTeX in a notebook.

    Rows: one for each coordinate that moves a body, then those of `model.equation`, of the states of elements, and of
    unknowns without rates. Columns of M: the accelerations of the coordinates, then the derivatives of the first-order
    states. With equations that are not linear in these, M still depends on them and only `residual` is meaningful.
    Efforts in plain Python (`@model.efforts`) cannot be included: `missing` names them.

    The last columns of a model with constraints are its multipliers lambda, the last rows the second derivatives of its
    constraints (the first ones of those on rates): the whole is [[M, -W], [W', 0]], and with h it gives the motion.

        M qdd + h = W lambda,      Phi(q, t) = 0,      W' qdd + gamma = 0

    Parameters
    ----------
    mechanism : Mechanism
        The mechanism of the equations; `model.equations()` makes them.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("ball", gravity=(0, -10, 0))
    >>> y, = model.coordinates("y")
    >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    >>> model.equations().M, model.equations().h
    (Matrix([[2]]), Matrix([[20]]))
    """

    def __init__(self, mechanism: Mechanism):
        m = self.mechanism = mechanism
        self.calculus = SymbolicCalculus(m.coordinates, m.states, m.drives)  # part of the `Assembly`
        self.missing = tuple(function.__name__ for function in mechanism.callbacks)

    def value(self, expression: Scalar, given: Mapping[sympy.Symbol, Scalar] | None = None) -> Scalar:
        """The `expression` in its own unit, with the values `given` for symbols (part of the `Assembly`)."""
        if not given:
            return expression
        return sympy.sympify(expression).xreplace({s: sympy.sympify(x) for s, x in given.items()})

    @property
    def gravity(self) -> Vector:
        """Gravity of the mechanism (m/s2), ground axes (part of the `Assembly` of force elements)."""
        return self.mechanism.gravity

    def state(self, body: Body | Ground) -> BodyState:
        """The state of a `body` in symbols (part of the `Assembly` of force elements)."""
        if isinstance(body, MasslessPoint):
            if body.name not in self._points:
                v, omega = Vector(*body.v), Vector(*body.omega)
                self._points[body.name] = BodyState(body.name, 0, body.inertia, T=body.T, vG=v, omega=omega)
            return self._points[body.name]
        return self._ground if body is ground else self._states[body.name]

    def add_generalized(self, q: Coordinate, force: Scalar) -> None:
        """Add a `force` (N, N m) to the generalised force of `q` (part of the `Assembly` of force elements)."""
        self._generalized[q] = self._generalized.get(q, 0) + force

    def add_equation(self, state: State, expression: Scalar) -> None:
        """Add an equation for a `state`: `expression` = 0, in any unit (part of the `Assembly` of force elements)."""
        self._of_states[state] = expression

    @cached_property
    def accelerations(self) -> tuple[Any, ...]:
        """The unknowns of the equations: q.ddot of the coordinates, p.dot of the states."""
        return tuple(q.ddot for q in self.mechanism.coordinates) + tuple(p.dot for p in self.mechanism.states)

    @cached_property
    def _bodies(self) -> list[BodyState]:
        self._generalized: dict[Coordinate, Scalar] = {}
        self._of_states: dict[State, Scalar] = {}
        self._ground = BodyState("ground", 0, Inertia(ZERO, ZERO, ZERO))
        self._states: dict[str, BodyState] = {}
        self._points: dict[str, BodyState] = {}
        q = [self.mechanism.coordinates[j] for j in self.mechanism.moving]
        for body in self.mechanism.bodies:
            m = motion(body.frame_at_G, q, [x.dot for x in q], t, self.calculus, self.mechanism.drives)
            self._states[body.name] = BodyState(
                body.name,
                body.mass,
                self.mechanism.inertias[body.name],
                body.com,
                body.T,
                m.v,
                m.omega,
                m.a,
                m.alpha,
                d=m.d,
                theta=m.theta,
            )
        for effort in self.mechanism.efforts:
            effort.apply(self)
            no_moments(self.mechanism.points, self, effort)
        mbs.apply_gravity(self._states.values(), self.mechanism.gravity)
        return list(self._states.values())

    @cached_property
    def residual(self) -> sympy.ImmutableDenseMatrix:
        """f (n x 1), zero on a motion of the system (eq. 6)."""
        moving = self.mechanism.moving
        rows = [sympy.sympify(f) for f in mbs.residual(self._bodies, len(moving))]
        rows = [f - self._generalized.get(self.mechanism.coordinates[j], 0) for f, j in zip(rows, moving, strict=True)]
        rows += [*self.mechanism.equations, *self.mechanism.element_equations(self._of_states)]
        return sympy.ImmutableDenseMatrix(rows)

    @cached_property
    def M(self) -> sympy.ImmutableDenseMatrix:
        """Mass matrix (n x n), eq. (8), -W and W' beside it; for equations the derivative of the residual by qdd."""
        m = self.mechanism
        others = [effort for effort in m.efforts if not any(isinstance(p, Multiplier) for p in effort.states)]
        given = (e for effort in others for e in effort.expressions())
        if (
            m.equations
            or m.algebraic
            or any(effort.inertial or effort.implicit for effort in others)
            or any(x in getattr(e, "free_symbols", ()) for e in given for x in self.accelerations)
        ):
            return sympy.ImmutableDenseMatrix(self.residual.jacobian(self.accelerations))
        M = sympy.Matrix(mbs.mass_matrix(self._bodies, len(m.moving)))
        M = sympy.diag(M, sympy.eye(len(m.element_states) - m.multipliers), sympy.zeros(m.multipliers))
        if m.multipliers:
            first = len(self.accelerations) - m.multipliers
            M[:first, first:] = self.residual[:first, :].jacobian(self.multipliers)
            M[first:, :] = self.residual[first:, :].jacobian(self.accelerations)
        return sympy.ImmutableDenseMatrix(M)

    @cached_property
    def h(self) -> sympy.ImmutableDenseMatrix:
        """h(q, qd, t) (n x 1): centrifugal and Coriolis terms and the applied efforts (eq. 7)."""
        return self.residual.xreplace(dict.fromkeys(self.accelerations, sympy.Integer(0)))

    @property
    def multipliers(self) -> sympy.ImmutableDenseMatrix:
        """lambda (m x 1), the last unknowns (N, N m): those of the constraints that are independent of each other."""
        return sympy.ImmutableDenseMatrix([p.dot for p in self.mechanism.states if isinstance(p, Multiplier)])

    @property
    def W(self) -> sympy.ImmutableDenseMatrix:
        """The forces on the coordinates and states by a unit of each multiplier (n x m): the loads are W lambda."""
        m = self.mechanism.multipliers
        return -self.M[: len(self.accelerations) - m, len(self.accelerations) - m :]

    @property
    def gamma(self) -> sympy.ImmutableDenseMatrix:
        """What the derivatives of the constraints are without accelerations (m x 1): W' qdd + gamma = 0."""
        return self.h[len(self.accelerations) - self.mechanism.multipliers :, :]

    @property
    def Phi(self) -> sympy.ImmutableDenseMatrix:
        """The constraints (m x 1), each zero: places (m, no unit); rates of those that restrict rates only (1/s)."""
        rows = [row for constraint in self.mechanism.constraints for row in constraint.rows(self)]
        kept = (rows[k] for k in self.mechanism.carried)
        return sympy.ImmutableDenseMatrix([row.rate if row.value is None else row.value for row in kept])

    @answers
    def simplified(self) -> Equations:
        """The same equations with sines and cosines combined; SymPy needs some time for more than a few bodies."""
        other = Equations(self.mechanism)
        h = self.h.applyfunc(_tidy)
        M = self.M.applyfunc(_tidy)
        other.__dict__ |= {"M": M, "h": h, "residual": (M * sympy.Matrix(self.accelerations) + h).as_immutable()}
        return other

    def _repr_latex_(self) -> str:
        unknowns = sympy.latex(sympy.ImmutableDenseMatrix(self.accelerations))
        right = (
            "0" if not self.missing else f"\\text{{efforts in Python: {', '.join(self.missing)}}}".replace("_", "\\_")
        )
        return f"$\\displaystyle {sympy.latex(self.M)} {unknowns} + {sympy.latex(self.h)} = {right}$"

    def __repr__(self) -> str:
        missing = f", without the efforts in Python: {', '.join(self.missing)}" if self.missing else ""
        return f"Equations of '{self.mechanism.name}': M {self.M.shape}, unknowns {self.accelerations}{missing}"


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
