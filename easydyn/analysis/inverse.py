"""Inverse dynamics: the generalised forces that a prescribed motion needs, f(t, q, qd, qdd) of eq. (6).

The motion is given as formulas of time, which SymPy differentiates, or as values at instants. Values are differentiated
with the polynomial of degree eight through nine neighbouring instants. For smooth motions the error is that of the
numbers (about 1e-16/h^2 of the values at an interval h). Smooth measured motions first.

Of closed loops these are the forces of drives, apart from joint forces:

    f(t, q, qd, qdd) = J' lambda + E tau

f is the load that the open tree needs, J' lambda the load of the closures, and E tau the load of the drives. If there
are as many drives as degrees of freedom, lambda and tau follow. The loops give values, rates and accelerations of the
coordinates that are not prescribed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy

from easydyn.errors import InputError, ModelError
from easydyn.inputs import by_name, finite_array, is_listed, name_in, real_array, times
from easydyn.mechanics.symbols import Parameter, t
from easydyn.vec.scalars import symbolic

POINTS = 9  # instants through which a polynomial is laid
FEWEST = 3  # for a second derivative


def inverse_dynamics(
    model: Any, t: Any, q: Any, qd: Any = None, qdd: Any = None, *, jumps: Any = (),
    parameters: Mapping[str, Any] | None = None, inputs: Mapping[str, Any] | None = None, target: str = "auto",
    scheme: str = "recursive", drives: Any = None,
) -> np.ndarray:  # fmt: skip
    """Compute generalised forces (N, n) that a prescribed motion needs beside the model's efforts: f of eq. (6).

    Parameters
    ----------
    t : array (N,)
        Instants (s), increasing.
    q : array (N, n), or a formula for each coordinate
        Values at the instants; or a list, or a dict by name, of SymPy expressions of t (and of parameters), or of
        functions that return one. Expressions are differentiated exactly. With closed loops a dict may name as many
        coordinates as there are degrees of freedom: the others follow.
    qd, qdd : arrays (N, n), optional
        Derivatives of q. If left out, they come from polynomials through nine neighbouring instants; the numbers
        are taken as exact, so smooth measured data first.
    jumps : sequence of float, optional
        Times (s) at which accelerations jump: values before and after a jump are differentiated separately.
    parameters, inputs, target, scheme : optional
        As in `compile`.
    drives : list of str, optional
        With closed loops, the coordinates on which forces act, as many as there are degrees of freedom; the
        independent coordinates if left out. f = J' lambda + E tau, with zero for all other coordinates.

    Returns
    -------
    array (N, n)
        In N, or N m for an angle. For an equation without bodies it is the residual of the equation.

    Raises
    ------
    InputError, ModelError
        When shapes do not fit, instants do not increase, or a formula has other symbols.

    Example
    -------
    >>> import sympy
    >>> from easydyn import Model, t, tdisp, trotz
    >>> model = Model("pendulum", gravity=(0, -10, 0))
    >>> q, = model.coordinates("q")
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> model.inverse_dynamics([0, 0.5], [sympy.pi/2 + t**2]).round(3)   # qdd + 10 sin(q)
    array([[12.   ],
           [11.689]])
    """
    instants = _instants(t)
    breaks = times(jumps)
    if model.constraints:
        return _of_loops(DrivenLoops(model, parameters, inputs, target, scheme), instants, q, qd, qdd, breaks, drives)
    if drives is not None:
        raise InputError(
            f"drives={drives!r}: model '{model.name}' has no closed loops, each coordinate has its force: leave it out."
        )
    system = model.compile(target, scheme, parameters=parameters, inputs=inputs)
    formulas = _formulas(q, model, system.names)
    if formulas is not None:
        _no_states(system.mechanism, "which formulas do not describe")
        return _forces(system, instants, *_motion(system, formulas, instants, qd, qdd))
    x = _array(q, "q", instants, system.names)
    if qd is None and qdd is not None:
        raise InputError("qdd was given without qd: give both, qd alone, or none of them.")
    if qd is None:
        _no_states(system.mechanism, "whose columns of q have no meaning: give qd and qdd")
        return _forces(system, instants, x, *derivatives(instants, x, breaks))
    xd = _array(qd, "qd", instants, system.names)
    xdd = derivatives(instants, xd, breaks)[0] if qdd is None else _array(qdd, "qdd", instants, system.names)
    return _forces(system, instants, x, xd, xdd)


def _motion(
    system: Any, formulas: Sequence[sympy.Expr], instants: np.ndarray, qd: Any, qdd: Any
) -> list[np.ndarray]:  # fmt: skip
    """Values and two derivatives (N, m) of formulas of time; InputError where derivatives are given, too."""
    if qd is not None or qdd is not None:
        raise InputError("qd and qdd follow from the formulas of q: leave them out.")
    several = [e.diff(t, k) for k in range(3) for e in formulas]
    rest = np.zeros((len(instants), system.n))
    return np.split(system.evaluate(several, instants, rest, rest, rest), 3, axis=1)


def _of_loops(
    loops: DrivenLoops, instants: np.ndarray, q: Any, qd: Any, qdd: Any, breaks: Any, drives: Any
) -> np.ndarray:  # fmt: skip
    """Of closed loops: the motion of all coordinates is given, or of as many as there are freedoms, by name."""
    driven, names = loops.drives(drives), list(loops.names)
    if isinstance(q, Mapping) and len(q) < len(names):
        known = loops.drives(list(by_name(q, "q", '{"q1": sympy.sin(t)}')))
        given = [_formula(x, names[j], loops.model) for j, x in zip(known, q.values(), strict=True)]
        motion = _motion(loops.system, given, instants, qd, qdd)
        return loops.forces(instants, driven, *loops.followed(instants, known, *motion))
    formulas = _formulas(q, loops.model, names)
    if formulas is not None:
        return loops.forces(instants, driven, *_motion(loops.system, formulas, instants, qd, qdd))
    x = _array(q, "q", instants, names)
    if (qd is None) != (qdd is None):
        raise InputError("of qd and qdd one was given: of closed loops give both, or none.")
    if qd is None:
        return loops.forces(instants, driven, x, *derivatives(instants, x, breaks))
    return loops.forces(instants, driven, x, _array(qd, "qd", instants, names), _array(qdd, "qdd", instants, names))


def _forces(system: Any, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
    """The residual along a motion, where it is a number."""
    found: np.ndarray = system.residual(instants, *motion)
    bad = np.argwhere(~np.isfinite(found))
    if len(bad):
        k, j = bad[0]
        raise ModelError(
            f"the generalised force of {system.names[j]} is not a finite number at t = {instants[k]:g} s, where the "
            f"motion is {', '.join(f'{n} = {x:.4g}' for n, x in zip(system.names, motion[0][k], strict=True))}: look "
            "for a root, an arcsine or a division there that has no value."
        )
    return found


def _instants(time: Any) -> np.ndarray:
    instants = real_array(time, "t")
    if instants.ndim != 1 or not len(instants):
        raise InputError(f"t has shape {instants.shape}: expected (N,), the instants (s) of the prescribed motion.")
    if not np.all(np.isfinite(instants)) or np.any(np.diff(instants) <= 0):
        raise InputError("t is not increasing: expected instants (s), each later than the one before.")
    return instants


def _array(given: Any, what: str, instants: np.ndarray, names: Sequence[str]) -> np.ndarray:
    array = finite_array(given, what)
    if array.shape != (len(instants), len(names)):
        raise InputError(
            f"{what} has shape {array.shape}: expected ({len(instants)}, {len(names)}), a row for each instant and a "
            f"column for each of {', '.join(names)}."
        )
    return array


def _no_states(mechanism: Any, why: str) -> None:
    if mechanism.states:
        raise ModelError(f"model '{mechanism.name}' has first-order states, {why}.")


def _formulas(q: Any, model: Any, names: Sequence[str]) -> list[sympy.Expr] | None:
    """A formula of time for each unknown, or None when q is an array of numbers."""
    if isinstance(q, Mapping):
        given = by_name(q, "q", '{"q1": sympy.sin(t)}')
        for name in given:
            name_in(name, names, "q has {!r}, which is not one of {}.")
        missing = [name for name in names if name not in given]
        moves = [str(x) for x in model.mechanism.coordinates]
        if missing and missing[0] not in moves:
            raise ModelError(
                f"model '{model.name}' has {missing[0]} beside its coordinates {', '.join(moves)}: formulas of their "
                "motion do not describe it. Leave out the contact, state or unknown, or simulate the motion."
            )
        if missing:
            raise InputError(f"q says nothing of {missing[0]}: expected a formula for each of {', '.join(names)}.")
        listed = [given[name] for name in names]
    else:
        row = q.ndim == 1 if isinstance(q, np.ndarray) else isinstance(q, Sequence | sympy.MatrixBase)
        listed = list(q) if row else []
        if not any(isinstance(x, sympy.Basic) or callable(x) for x in listed):
            if isinstance(q, sympy.Basic) or callable(q):
                raise InputError(f"q is {q!r}: expected a list, one formula for each of {', '.join(names)}.")
            return None
        if len(listed) != len(names):
            raise InputError(f"q has {len(listed)} formulas: expected one for each of {', '.join(names)}.")
    return [_formula(x, name, model) for x, name in zip(listed, names, strict=True)]


def _formula(given: Any, name: str, model: Any) -> sympy.Expr:
    """What was given for one coordinate, as an expression of time."""
    if callable(given) and not isinstance(given, sympy.Basic):
        try:
            given = given(t)
        except Exception as error:
            raise InputError(
                f"the motion of {name} cannot be called with the symbol t ({type(error).__name__}: {error}): write it "
                "with functions of SymPy, sympy.sin(t), or give its values as an array."
            ) from error
    expression = symbolic(given)
    if not isinstance(expression, sympy.Expr) or isinstance(expression, sympy.MatrixExpr):
        raise InputError(f"the motion of {name} is {given!r}: expected an expression of t, or a function of it.")
    own = {t, *(s for s in model.symbols.values() if isinstance(s, Parameter))}
    foreign = sorted(expression.free_symbols - own, key=str)
    if foreign:
        raise ModelError(
            f"the motion of {name} contains {foreign[0]} ({type(foreign[0]).__name__}): expected an expression of time "
            "(from easydyn import t) and of the model's parameters."
        )
    return expression


def derivatives(instants: np.ndarray, x: np.ndarray, jumps: Sequence[float] = ()) -> tuple[np.ndarray, np.ndarray]:
    """First and second derivatives (N, n) of values at instants, by polynomials that do not reach across jumps.

    At a jump they are the derivatives just after it.
    """
    first, second = np.empty_like(x), np.empty_like(x)
    near = 1e-12 * (1 + np.abs(instants).max())
    edges = [0, *(int(np.searchsorted(instants, jump - near)) for jump in jumps), len(instants)]
    for a, b in zip(edges, edges[1:], strict=False):
        if a == b:
            continue
        # x is continuous: the instant of the jump belongs to the polynomials on both sides
        end = b + 1 if b < len(instants) and min(abs(instants[b] - jump) for jump in jumps) <= near else b
        points = min(POINTS, end - a)
        if points < FEWEST:
            raise InputError(
                f"there are {points} instants from t = {instants[a]:g} s on, before the next jump or the end: expected "
                f"{FEWEST} at least, to differentiate twice. Give more, or qd and qdd."
            )
        at = np.arange(a, b)
        window = np.clip(at - points // 2, a, end - points)[:, None] + np.arange(points)
        h = (instants[window[:, -1]] - instants[window[:, 0]])[:, None] / 2
        z = (instants[window] - instants[at, None]) / h
        # the weights w that give z^k/k! its derivatives at 0: sum_i w_i z_i^k/k! = 1 for k = 1, or 2; else 0
        moments = np.stack([z**k / math.factorial(k) for k in range(points)], axis=1)
        wanted = np.broadcast_to(np.eye(points)[:, 1:3], (len(at), points, 2))
        weights = np.linalg.solve(moments, wanted)
        change = x[window] - x[at, None]
        first[at] = np.einsum("ip,ipj->ij", weights[:, :, 0] / h, change)
        second[at] = np.einsum("ip,ipj->ij", weights[:, :, 1] / h**2, change)
    return first, second


CLOSED = 1e-6  # of the size: how far a loop may be open, or opening in a second, in a motion that is given by numbers
SINGULAR = 1e-9


class DrivenLoops:
    """A model with closed loops, whose motion is prescribed.

    Parameters
    ----------
    model : Model
        With constraints.
    parameters, inputs, target, scheme : optional
        As in `Model.compile`.
    """

    def __init__(self, model: Any, parameters: Any, inputs: Any, target: str, scheme: str):
        self.model, self.values = model, model.values(parameters)
        self.system = model.compile(target, scheme, parameters=parameters, inputs=inputs)
        self.n = len(self.system.mechanism.coordinates)
        self.names = self.system.names[: self.n]
        self.start = model.solver.closed(None, self.values)[0]
        if len(self.system.names) > self.n + self.system.mechanism.multipliers:
            raise ModelError(
                f"model '{model.name}' has first-order states beside closed loops: the forces that its motion needs "
                "are not known here. Leave the states out, or simulate it with a controller that drives it."
            )

    def drives(self, given: Any) -> list[int]:
        """Columns of the coordinates on which drives act."""
        listed = self.start.independent if given is None else list(given) if is_listed(given) else [given]
        named = [name_in(x, self.names, "drives has {!r}, which is not one of {}.") for x in listed]
        freedoms = len(self.start.independent)
        if len(named) != freedoms or len(set(named)) != freedoms:
            raise InputError(
                f"drives has {', '.join(named) or 'nothing'}: expected {freedoms} different coordinates, as many as "
                f"model '{self.model.name}' has freedoms, such as {', '.join(self.start.independent)}."
            )
        return [self.names.index(name) for name in named]

    def followed(
        self, instants: np.ndarray, known: Sequence[int], *motion: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, qd, qdd (N, n) of all coordinates, from the motion (N, known) of the `known` columns."""
        free = np.array([j not in known for j in range(self.n)])
        whole = [np.zeros((len(instants), self.n)) for _ in range(3)]
        q = self.start.q.copy()
        for k, time in enumerate(instants):
            at = self.model.solver.constraints_at(self.values, float(time))
            q[list(known)] = motion[0][k]
            found = at.newton(q, free, at.size(q)) if k else at.place(q, [self.names[j] for j in known])
            if found is None:
                raise ModelError(
                    f"the loops of model '{self.model.name}' cannot be closed at t = {time:g} s, where "
                    f"{', '.join(f'{self.names[j]} = {q[j]:.6g}' for j in known)}: the prescribed motion goes where "
                    "the mechanism does not reach. Look at model.assemble there."
                )
            whole[0][k] = found
            q = found.copy()
        whole[1][:, list(known)], whole[2][:, list(known)] = motion[1], motion[2]
        A = self._jacobian(instants, *whole)
        follow = np.flatnonzero(free)
        for order, what in ((1, partial(self._along, "constraint_rates")), (2, self._accelerations)):
            missing = what(instants, *whole)
            for k, (J, x) in enumerate(zip(A, missing, strict=True)):
                whole[order][k, follow] += np.linalg.lstsq(J[:, follow], -x, rcond=1e-10)[0]
        return whole[0], whole[1], whole[2]

    def forces(self, instants: np.ndarray, drives: Sequence[int], *motion: np.ndarray) -> np.ndarray:
        """The forces (N, n) of the drives, zero for coordinates without a drive."""
        self._check_closed(instants, *motion)
        needed = self.system.residual(instants, *motion)
        A = self._jacobian(instants, *motion)
        found = np.zeros((len(instants), self.n))
        columns = np.eye(self.n)[:, list(drives)]
        for k, (J, f) in enumerate(zip(A, needed, strict=True)):
            size = np.abs(J).max(axis=1, keepdims=True)
            whole = np.column_stack([(J / np.where(size > 0, size, 1)).T, columns])
            solved, _, rank, _ = np.linalg.lstsq(whole, f, rcond=SINGULAR)
            if rank < self.n or not np.isfinite(solved).all():
                names = ", ".join(self.names[j] for j in drives)
                raise ModelError(
                    f"drives on {names} cannot hold model '{self.model.name}' at t = {instants[k]:g} s: it is at a "
                    "dead point of theirs, where forces would have to be infinite. Drive other coordinates."
                )
            found[k, list(drives)] = solved[len(J) :]
        return found

    def _along(self, key: str, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.system.along(key, instants, [*map(self.system.whole, motion)], np.zeros((0, 0)))
        return found

    def _jacobian(self, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        return self._along("constraint_jacobian", instants, *motion).reshape(len(instants), -1, self.n)

    def _accelerations(self, instants: np.ndarray, *motion: np.ndarray) -> np.ndarray:
        """What the accelerations of all rows lack; zero in rows that are redundant."""
        found = np.zeros((len(instants), len(self.system.mechanism.rows)))
        found[:, self.system.mechanism.carried] = self._along("residual", instants, *motion)[:, self.n :]
        return found

    def _check_closed(self, instants: np.ndarray, *motion: np.ndarray) -> None:
        size = self.model.solver.constraints_at(self.values, 0.0).size(self.start.q)
        rows = [f"{c.title} ({label})" for c in self.system.mechanism.constraints for label in c.labels]
        for what, key in (("is open by", "constraint_values"), ("opens at a rate of", "constraint_rates")):
            found = np.abs(self._along(key, instants, *motion))
            if not found.max(initial=0) <= CLOSED * max(size, float(np.abs(motion[1]).max(initial=0)) * size):
                k, row = np.unravel_index(int(np.argmax(found)), found.shape)
                raise InputError(
                    f"the prescribed motion does not keep model '{self.model.name}' closed: {rows[row]} {what} "
                    f"{found[k, row]:.3g} at t = {instants[k]:g} s. Prescribe {', '.join(self.start.independent)} "
                    "alone, in a dict by name: the others follow."
                )
