"""Equilibria over a parameter, followed through limit points: pseudo-arclength continuation.

The parameter p is a further unknown beside the unknowns x of F(x, p) = 0; the arc length s along the path is given
(Riks, 1979):

    F(x, p) = 0,        t.(u - u0) = s,        u = (x/X, p/P),  t the tangent at u0

X and P are the scales of the changes of x and p. They come from the stiffness at the start, and later from the distance
that x has gone, so that neither dominates the step. At a limit point, p has an extremum along the path: the stiffness
matrix is singular, but the matrix of this larger system is not. There a structure snaps through.

Of models with loops all coordinates are unknowns, and the loops are equations beside those of equilibrium:

    N' f(t, q, 0, 0) = 0,      c(q) = 0

N spans the rates that the constraints c allow, so that their loads, which do no work along N, are not among the
unknowns. No coordinate is independent for the whole path: N is taken from those that are independent where a step
begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from easydyn.analysis.closed import basis
from easydyn.analysis.equilibrium import ClosedStatics, Statics, equilibrium, stability_of
from easydyn.analysis.setting import system_for
from easydyn.arguments import answers
from easydyn.constraints.assembly import Constraints
from easydyn.errors import InputError, ModelError
from easydyn.inputs import a_model, by_name, expect, finite, name_in, whole

FIRST, LONGEST, SHORTEST = 0.02, 0.1, 1e-6  # steps of the arc
ITERATIONS = 8  # of Newton's method, more is a step too long
CLOSE = 1e-10  # of a step of Newton's method: it has converged
DIFFERENCE = 1e-6  # of the parameter, for the derivative by it
SHARP = 1e-15  # of the arc: a limit point, the end


@answers
@dataclass(frozen=True, eq=False)
class EquilibriumPath:
    """Equilibria over a parameter, one after the other along their path.

    Attributes
    ----------
    parameter : str
        Its name.
    values : array (N,)
        Its values, in its own unit: rising and falling, where the path has limit points.
    states : array (N, n)
        Coordinates, and the values of first-order states.
    stable : bool array (N,)
        Whether each equilibrium is stable, according to its poles.
    limits : tuple of int
        Numbers of the points, from 0 to N - 1, at which the parameter has an extremum: there a structure snaps through.
    names : tuple of str
        The n unknowns.
    message : str
        A sentence that says how far the path was followed.
    title : str
        The name of the model.
    unit : str
        Unit of the values, if it is known.
    units : dict
        Units of the unknowns, by name.

    Example
    -------
    >>> from easydyn import Model, Spring, ground, tdisp, Force
    >>> model = Model("two bars that lean on each other: one half")
    >>> P, = model.parameters(P=0)
    >>> y, = model.coordinates("y", initial=0.5)
    >>> apex = model.body("apex", tdisp(1, y, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(Spring((apex, (0, 0, 0)), (ground, (0, 0, 0)), stiffness=100, free_length=1.25**0.5))
    >>> model.add(Force(apex, (0, -P, 0)))
    >>> path = model.equilibrium_path("P", 5)
    >>> path.values[list(path.limits)].round(4), len(path.limits)
    (array([ 2.1457, -2.1457]), 2)
    """

    parameter: str
    values: np.ndarray
    states: np.ndarray
    stable: np.ndarray
    limits: tuple[int, ...]
    names: tuple[str, ...]
    message: str
    title: str
    unit: str = ""
    units: Mapping[str, str] | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: Any) -> np.ndarray:
        """A coordinate, or a first-order state, along the path (N,)."""
        return self.states[:, self.names.index(name_in(name, self.names, "this path has no {!r}: it has {}."))]

    def initial(self, number: Any) -> dict[str, float]:
        """The state by name at the point `number`, in the units of the unknowns, for `simulate(initial=...)`.

        `model.scene(initial=...)` takes it as well. Raises InputError for a number that the path does not have.
        """
        k = whole(number, "the number of a point of a path", least=-len(self))
        expect(not k >= len(self), "the number of a point of a path", k, f"one below {len(self)}")
        return dict(zip(self.names, self.states[k].tolist(), strict=True))

    def plot(self, of: Any, ax: Any = None) -> Any:
        """Draw the parameter over an unknown: stable parts as a line, others dashed, limit points as dots.

        The unknown `of` is given by its name (no unit). Returns matplotlib axes, `ax` or new ones. Raises
        UnknownNameError if `of` is not an unknown.
        """
        from easydyn.result.plots import axes, label, shown_as

        x, drawn = self[of], axes(ax)
        unit, ends = (self.units or {}).get(str(of), ""), np.flatnonzero(np.diff(self.stable.astype(int))) + 1
        for k, piece in enumerate(np.split(np.arange(len(self)), ends)):
            joined = np.append(piece, piece[-1] + 1)[: len(self) - piece[0]]
            style = "-" if self.stable[piece[0]] else "--"
            said = None if k > 1 else "stable" if self.stable[piece[0]] else "unstable"
            drawn.plot(x[joined], self.values[joined], style, color="C0" if style == "-" else "C1", label=said)
        drawn.plot(x[list(self.limits)], self.values[list(self.limits)], "o", color="C0", linestyle="none")
        drawn.set(xlabel=label(str(of), unit), ylabel=label(self.parameter, self.unit), title=shown_as(self.title))
        if len(ends):
            drawn.legend()
        return drawn

    def __repr__(self) -> str:
        lines = [f"Equilibria of '{self.title}' over {self.parameter}: {self.message}"]
        for k in self.limits:
            lines.append(f"  limit point at {self.parameter} = {self.values[k]:.10g} {self.unit}".rstrip())
        return "\n".join(lines)


@answers
def equilibrium_path(
    model: Any, parameter: Any, to: Any, *, initial: Mapping[str, Any] | None = None, t: float = 0.0,
    parameters: Mapping[str, Any] | None = None, inputs: Mapping[str, Any] | None = None, locked: Any = None,
    most: int = 400, target: str = "python", scheme: str = "recursive",
) -> EquilibriumPath:  # fmt: skip
    """Follow equilibria over a parameter, such as a load, through limit points, where a structure snaps through.

    The path begins with the equilibrium at the present value of the parameter. The parameter may rise and fall
    along the path, which ends when the parameter reaches `to`.

    Parameters
    ----------
    model : Model
        The model.
    parameter : Parameter or str
        The parameter to change.
    to : float
        Its last value, in its own unit.
    initial : dict, optional
        The guess for the first equilibrium.
    most : int
        Largest number of points on the path.
    t, parameters, inputs, locked, target, scheme : optional
        As in `equilibrium`.

    Returns
    -------
    EquilibriumPath
        With `values` (N,), `states` (N, n), `stable`, `limits`; `path["q1"]`, `path.plot("q1")`.

    Raises
    ------
    UnknownNameError
        A name that is not a parameter.
    InputError
        A value that is not a number, or that the parameter has already.
    ModelError
        There is no equilibrium to begin with, or constraints are on rates (rolling).

    Notes
    -----
    Riks's method: F(x, p) = 0 with a given arc length. At bifurcations the path goes straight on.

    Example
    -------
    >>> from easydyn import Model, TorsionSpring, Force, trotz, tdisp
    >>> model = Model("column: a bar on a spring, a little out of the vertical")
    >>> P, = model.parameters(P=0)
    >>> q, = model.coordinates("q")
    >>> bar = model.body("bar", trotz(q) * tdisp(0, 1, 0), mass=1, inertia=(0, 0, 1))
    >>> model.add(TorsionSpring(q, stiffness=1, free_angle=0.01), Force(bar, (0, -P, 0)))
    >>> path = model.equilibrium_path("P", 1.2)
    >>> round(float(path["q"][-1]), 4)  # q - 0.01 = P sin(q)
    1.0522
    """
    a_model(model, "model")
    own = model.values(parameters)
    name = name_in(parameter, own, "equilibrium_path over {!r}: expected a parameter, of {}.")
    end, most = finite(to, "to"), whole(most, "most", least=2)
    fixed = by_name(parameters, "parameters", '{"l1": 1.3}')
    if model.constraints:
        placed_alone(model)
    start = float(own[name])
    if start == end:
        raise InputError(f"to is {end:g}, which is the value of {name} at the start: expected another one.")
    options: dict[str, Any] = {"t": t, "inputs": inputs, "target": target, "scheme": scheme}
    first = equilibrium(model, initial, parameters=fixed, locked=locked, **options)
    first.check()

    system, _ = system_for(model, first.t, fixed, inputs, target, scheme, carried=False)

    def statics_at(p: float, near: np.ndarray | None = None) -> Statics:
        system.set_parameters({name: p})
        held = (*first.locked, *map(str, system.mechanism.algebraic))
        if not model.constraints:
            return Statics(system, first.t, first.q, first.qd, np.array([x not in held for x in system.names]))
        at = model.solver.constraints_at(system.parameters, first.t)
        return OnLoops(system, at, first.t, first.q, first.qd, held, near)

    points, why = _Follower(statics_at, start, end).walk(most)
    states, stable = [], []
    for point in points:
        now = statics_at(point.p, point.x)
        states.append(now.shown(point.x))
        there, x = now.independent(point.x) if isinstance(now, OnLoops) else (now, point.x)
        names = [name for name, free in zip(first.names, there.free, strict=True) if free]
        stable.append(not point.limit and stability_of(there, x, names, ())[0] is not False)
    units = first.system.mechanism.units
    return EquilibriumPath(
        name, np.array([point.p for point in points]), np.array(states), np.array(stable),
        tuple(k for k, point in enumerate(points) if point.limit), first.names, why, model.name,
        units.get(name, ""), units,
    )  # fmt: skip


class _Point(NamedTuple):
    """A point of a path: x, p, and whether p is a maximum or a minimum there."""

    x: np.ndarray
    p: float
    limit: bool = False


class _Follower:
    """Follows F(x, p) = 0 from p = `start` to `end`; `here` gives the equations at p."""

    def __init__(self, statics_at: Any, start: float, end: float):
        self.statics_at, self.start, self.end = statics_at, start, end
        self.P = abs(end - start)
        x = self.near = statics_at(start).x0
        J, by_p = self._derivatives(x, start)
        slope = np.linalg.lstsq(J, -by_p, rcond=1e-12)[0]
        self.X = max(float(np.linalg.norm(slope)) * self.P, 1e-9)
        self.first = _Point(x, start)

    def _residual(self, x: np.ndarray, p: float) -> np.ndarray:
        return np.asarray(self.statics_at(p, self.near).problem.residual(x))

    def _derivatives(self, x: np.ndarray, p: float) -> tuple[np.ndarray, np.ndarray]:
        e, (low, high) = DIFFERENCE * max(self.P, abs(p)), sorted((self.start, self.end))
        below = p if low <= p < low + e else p - e  # a mass may begin, or end, with zero
        above = p if high - e < p <= high else p + e
        by_p = (self._residual(x, above) - self._residual(x, below)) / (above - below)
        return self.statics_at(p, self.near).problem.jacobian(x), by_p

    def _tangent(self, at: _Point, before: np.ndarray | None) -> np.ndarray:
        """The direction of the path, of length 1, scaled: (dx/X, dp/P); on from `before`, or towards the end."""
        J, by_p = self._derivatives(at.x, at.p)
        A = np.concatenate([J * self.X, by_p[:, None] * self.P], axis=1)
        rows = np.abs(A).max(axis=1, keepdims=True)
        found = np.linalg.svd(A / np.where(rows > 0, rows, 1.0))[2][-1]
        towards = found[-1] * np.sign(self.end - self.start) if before is None else found @ before
        return np.asarray(found if towards >= 0 else -found)

    def _corrected(self, at: _Point, t: np.ndarray, s: float, end: float | None = None) -> tuple[_Point, int] | None:
        """The point of the path at the arc s along t, or with p at the `end`, and the steps that it took."""
        x, p = at.x + s * self.X * t[:-1], at.p + s * self.P * t[-1] if end is None else end
        for iteration in range(1, ITERATIONS + 1):
            f, (J, by_p) = self._residual(x, p), self._derivatives(x, p)
            arc = t[:-1] @ (x - at.x) / self.X + t[-1] * (p - at.p) / self.P - s
            A = np.block([[J * self.X, by_p[:, None] * self.P], [t[None, :-1], t[None, -1:]]])
            if not (np.isfinite(A).all() and np.isfinite(f).all()):
                return None
            rows = np.maximum(np.abs(A).max(axis=1), 1e-300)
            du = np.linalg.lstsq(A / rows[:, None], -np.append(f, arc) / rows, rcond=1e-14)[0]
            x, p = x + self.X * du[:-1], p + self.P * du[-1] if end is None else end
            if np.linalg.norm(du) < CLOSE:
                return _Point(x, float(p)), iteration
            if np.linalg.norm(du) > 10 * max(s, FIRST):
                return None
        return None

    def walk(self, most: int) -> tuple[list[_Point], str]:
        points, s, at = [self.first], FIRST, self.first
        t = self._tangent(at, None)
        sign = np.sign(self.end - self.start)
        along = np.append(np.zeros(len(at.x)), sign)  # that of the parameter
        while len(points) < most:
            last = (at.p + s * self.P * t[-1] - self.end) * sign >= 0  # never beyond: there may be no such model
            ahead, far, end = (along, abs(self.end - at.p) / self.P, self.end) if last else (t, s, None)
            found = self._corrected(at, ahead, far, end)
            if found is None or last and np.linalg.norm(found[0].x - at.x) > 2 * s * self.X:  # another branch
                s /= 3
                if s < SHORTEST:
                    return points, f"followed to {at.p:.6g}, where the search came to no further point."
                continue
            new, iterations = found
            ahead = self._tangent(new, t)
            if ahead @ t < 0.9 and s > 1e-3:  # it turns sharply
                s /= 2
                continue
            if ahead[-1] * t[-1] < 0 and (top := self._where(at, t, s, lambda x, t: self._tangent(x, t)[-1])):
                points.append(top._replace(limit=True))
            if last or (new.p - self.end) * sign >= 0:
                there = new if last else self._where(at, t, s, lambda x, _: self.end - x.p)
                points.append((there or new)._replace(p=self.end))
                return points, f"followed to {self.end:g}."
            points.append(new)
            at, t = new, self._rescaled(new, ahead)
            self.near = at.x
            s = min(LONGEST, s * (1.5 if iterations <= 4 else 1.0 if iterations == 5 else 0.6))
        return points, f"followed to {points[-1].p:.6g}, over {most} points: most={2 * most} goes on farther."

    def _rescaled(self, at: _Point, t: np.ndarray) -> np.ndarray:
        """The tangent where x is measured by how far it has gone, farther perhaps than the first stiffness says."""
        X = max(self.X, float(np.linalg.norm(at.x - self.first.x)))
        t = np.append(t[:-1] * (self.X / X), t[-1])
        self.X = X
        return np.asarray(t / np.linalg.norm(t))

    def _where(self, at: _Point, t: np.ndarray, s: float, of: Callable[[_Point, np.ndarray], float]) -> _Point | None:
        """The point between 0 and s where a function of point and tangent, whose sign changes, is zero."""
        from scipy.optimize import brentq

        last = None

        def value(x: float) -> float:
            nonlocal last
            found = self._corrected(at, t, x)
            last = last if found is None else found[0]
            return 0.0 if found is None else float(of(found[0], t))  # where there is none the search ends

        value(brentq(value, 0.0, s, xtol=SHARP, rtol=1e-14))
        return last


class OnLoops(Statics):
    """The equations of a path at one value of its parameter; unknowns are all coordinates that are not locked."""

    def __init__(
        self, system: Any, at: Constraints, t: float, q: np.ndarray, qd: np.ndarray, held: Sequence[str],
        near: np.ndarray | None = None,
    ):  # fmt: skip
        super().__init__(system, t, q, qd, np.array([x not in held for x in system.names]))
        self.at, self.held = at, list(held)
        beside = q if near is None else self.state(near)[0]
        self.dependent = at.dependent(beside[: at.n], self.held)
        independent = [j for j in range(at.n) if j not in self.dependent]
        self._moved = [k for k, j in enumerate(independent) if self.free[j]]

    def forces(self, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        q, qd = self.state(x)
        n = self.at.n
        N = np.zeros((self.system.n, len(self._moved) + self.system.n - n))
        N[:n, : len(self._moved)] = basis(self.at.jacobian(q[:n]), self.dependent)[:, self._moved]
        N[n:, len(self._moved) :] = np.eye(self.system.n - n)
        left = self._left(N) @ self.lacking(q, qd)
        return np.concatenate([left, self.at.values(q[:n])[self.at.of_place]])

    def derivative(self, what: str, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return self.differences(x, rates)

    def independent(self, x: np.ndarray) -> tuple[Statics, np.ndarray]:
        """The equations in the independent coordinates at x, and their values."""
        q, qd = self.state(x)
        here = ClosedStatics(self.system, self.at, self.t, q, qd, self.held)
        return here, here.x0


def placed_alone(model: Any) -> None:
    """ModelError where a constraint is on rates: it leaves a place without an equation."""
    if not all(x for c in model.constraints for x in c.of_place):
        raise ModelError(
            f"equilibrium_path of model '{model.name}': some constraints are on rates (rolling), and places that they "
            "leave open have no path. Lock the coordinates that only they determine, or leave these constraints out."
        )
