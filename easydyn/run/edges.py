"""Events at which formulas of a model have no value any longer, or transforms jump (domains.py).

An edge of a transform is an event that ends the run, and so is a jump of a transform. If a run fails for another
reason because a formula has no value, the error names that formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from itertools import compress
from typing import Any

import numpy as np

from easydyn import errors
from easydyn.constraints.constraint import Limit, used_up
from easydyn.engine.system import CompiledSystem
from easydyn.errors import DomainError, IntegrationError, NotFiniteError, SingularMatrixError, StepSizeError
from easydyn.run.domains import Edge, Switch, bounds, edges, of_transforms, written
from easydyn.sim.agenda import Event
from easydyn.sim.failures import not_closed, state_of
from easydyn.sim.linear import culprits

NEVER_NEGATIVE = 1e-300  # as a floor of events: what is inside has one side only
BESIDE = 1e-5  # of a step: how far beside a jump a transform is looked at
LASTING = 0.75  # of a difference that does not shrink with the distance
ROUNDING = 1e-9
NEAR = 1e-3  # of the largest that an edge's function has been: near enough to explain a failure
MANY = 200  # coordinates: beyond that nobody looks for the position that is to blame
ASIDE = 0.3  # rad, m, s: a position beside this one
BACK = 1e-2  # rad, m: a position a little before this one
ILL, BETTER = 1e4, 100.0  # a condition of the mass matrix that is told, and how much better it is beside


class Watch:
    """The edges and the jumps of one system; made once for its values."""

    def __init__(self, system: CompiledSystem):
        self.system = system
        found, jumps = of_transforms(system.mechanism)
        self.edges = [e for e in found if not bounds(e.inside, system.parameters)[0] > 0]
        ranges = ((s, bounds(s.crosses, system.parameters)) for s in jumps)
        self.switches = [s for s, (low, high) in ranges if low <= 0 <= high]
        inside = [system.node(e.inside) for e in self.edges]
        self.expressions = [s.crosses for s in self.switches] + inside
        self.rates = [system.derivation.calculus.rate(x) for x in inside]
        self._key = tuple(inside + self.rates)

    @cached_property
    def _everywhere(self) -> list[Edge]:
        """The edges of all formulas; found at the first failure, and kept, as there may be thousands in a run."""
        return edges(written(self.system.mechanism))

    def events(self) -> list[Event]:
        """Events that end a run, for `expressions`."""
        jumps = [Event(f"jump of {s.owner}", silent=True, ends=partial(self._at_jump, s)) for s in self.switches]
        return jumps + [
            Event(f"edge of {e.owner}", None, -1, silent=True, floor=NEVER_NEGATIVE, ends=partial(self._at_edge, k))
            for k, e in enumerate(self.edges)
        ]

    def _values(self, key: Any, stepper: Any, state: Sequence[Any] | None = None) -> np.ndarray:
        t, q, qd, qdd = state or (stepper.t, stepper.q, stepper.qd, stepper.qdd)
        return self.system.at(key, t, q, qd, qdd, stepper.held_values())

    def _at_edge(self, k: int, stepper: Any) -> IntegrationError:
        both = self._values(self._key, stepper).reshape(2, -1)
        inside, rate = both[:, k]
        later = 2 * inside / -rate if inside > 0 > rate else 0.0
        same = np.isclose(both, both[:, [k]]).all(axis=0)  # an arc and its root, which rounding puts first or last
        return self._ended(self.edges[int(np.argmax(same))], stepper, stepper.t + later)

    def _ended(self, edge: Edge, stepper: Any, t: float) -> DomainError:
        state = state_of(stepper.run, stepper.names, stepper.first_order)
        return DomainError(
            f"{edge.owner} ends at t = {t:.6g} s ({state}): {edge.formula} needs {edge.needs}. The motion goes on "
            "where this formula has no value, or on its other branch: a mechanism at its dead point, say. Describe "
            "it by another coordinate (an angle that goes on turning), or keep away from there.",
            time=stepper.t,
        )

    def _at_jump(self, switch: Switch, stepper: Any) -> IntegrationError | None:
        h = max(stepper.run.taken, 1e-9)
        what = self.jump(switch, stepper.t, stepper.q, stepper.qd, stepper.qdd, BESIDE * h)
        if not what:
            return None
        where = f"at t = {stepper.t:.6g} s ({state_of(stepper.run, stepper.names, stepper.first_order)})"
        return DomainError(f"{jumping(switch, what)} {where}. {CORNER if what == 'rate' else REMEDY}", time=stepper.t)

    def jump(self, switch: Switch, t: float, q: Any, qd: Any, qdd: Any, beside: float) -> str:
        """The part of a transform that jumps there, "value" or "rate", or nothing.

        The transform is compared at a time `beside` (s) before and after: a jump does not shrink with `beside`.
        """
        node = self.system.node(switch.formula)
        key = (node, self.system.derivation.calculus.rate(node))

        def at(x: float) -> Any:
            return self.system.at(key, t + x, q + x * qd, qd, qdd)

        near, far = at(beside) - at(-beside), at(2 * beside) - at(-2 * beside)
        size = np.abs(at(beside)) + np.abs(at(-beside))
        lasting = (np.abs(near) > LASTING * np.abs(far)) & (np.abs(near) > ROUNDING * size)
        return "value" if lasting[0] else "rate" if lasting[1] else ""

    # -- what went wrong --------------------------------------------------------------------------------------------

    def explain(self, stepper: Any, error: IntegrationError) -> IntegrationError:
        """An exception that names the formula that has no value or ends; otherwise the same exception."""
        if isinstance(error, errors.BudgetError):  # it stays one: with more steps the run may get on
            return error if (locked := self._locked(stepper)) is None else _named(error, str(locked).removesuffix("."))
        r = stepper.run
        states = [(stepper.t, stepper.q, stepper.qd, stepper.qdd)]
        states += [(r.time[0], *(np.array(x) for x in (r.q_at, r.qd_at, r.qdd_at)))]
        states += [(r.t + r.taken, *(np.array(x) for x in (r.q1, r.qd1, r.qdd1)))]
        if isinstance(error, NotFiniteError):  # where Newton's iteration went is not known any more, but it was near
            states += [_ahead(states[0], x) for x in (r.taken, 10 * r.taken, 1e-12, 1e-9, 1e-6)]
        states = [state for state in states if all(np.all(np.isfinite(x)) for x in state)]
        try:
            for k, state in enumerate(states):
                if (edge := self._left(stepper, state)) is not None:
                    if edge in self.edges and k:
                        return self._ended(edge, stepper, stepper.t)
                    return _named(error, f"{edge}")
            if (edge := self._reached(stepper)) is not None:
                return self._ended(edge, stepper, stepper.t)
            for state in states if isinstance(error, NotFiniteError) else ():
                if (element := self._element(stepper, state)) is not None:
                    return _named(error, element)
            for limit in limits_of(self.system) if isinstance(error, StepSizeError) else ():
                both = (*stepper.start[:2], *states[0][2:]), states[0]
                begun, now = (self._values((limit.value,), stepper, state)[0] for state in both)
                if now <= NEAR**2 * begun:  # it comes there ever faster
                    return _lost(limit, stepper)
            if isinstance(error, StepSizeError | errors.ConvergenceError | SingularMatrixError):
                return self._at_dead_point(stepper) or self._locked(stepper) or error
        except errors.EasyDynError:  # what is wrong is wrong in the formulas themselves
            pass
        return error

    def _at_dead_point(self, stepper: Any) -> IntegrationError | None:
        """The message for a position where the equations of constraints are dependent, unlike at the start.

        Or where they are half as independent as BACK on the way there: runs that begin near a dead point end before.
        """
        m, qd = self.system.mechanism, stepper.qd
        if not m.multipliers:
            return None
        n = len(m.coordinates)
        back = BACK / max(np.abs(qd[:n]).max(), NEVER_NEGATIVE) * qd
        states = stepper.start[:2], (stepper.t, stepper.q), (stepper.t, stepper.q - back)
        J = [np.reshape(self._values("constraint_jacobian", stepper, (*s, qd, stepper.qdd)), (-1, n)) for s in states]
        finite = np.isfinite(J).all(axis=(1, 2), keepdims=True)
        begun, values, before = np.linalg.svd(np.where(finite, J, 0), compute_uv=False)
        last = np.count_nonzero(begun > ROUNDING * begun[0]) - 1  # rows that share a load are more than this
        dead = values[last] <= max(BETTER * ROUNDING**0.5 * begun[last], before[last] / 2)
        return not_closed(stepper.run, stepper.names, stepper.first_order) if dead else None

    def _locked(self, stepper: Any) -> SingularMatrixError | None:
        """The message for a position where the mass matrix is nearly singular, but not beside it (gimbal lock).

        Each coordinate, and the time, is moved by ASIDE. With very many coordinates this is left out.
        """
        n, names = len(stepper.names), stepper.names
        if n > MANY:
            return None
        M, here = self._condition(stepper, stepper.t, stepper.q)
        if here < ILL:
            return None
        beside = {f"{x} = {q:.6g}": ASIDE * row for x, q, row in zip(names, stepper.q, np.eye(n), strict=True)}
        found = {x: self._condition(stepper, stepper.t, stepper.q + dq)[1] for x, dq in beside.items()}
        found[f"t = {stepper.t:.6g} s"] = self._condition(stepper, stepper.t + ASIDE, stepper.q)[1]
        cause = min(found, key=found.__getitem__)
        if not found[cause] * BETTER < here:
            return None
        blamed = culprits(M, names)
        size = f"its condition is {here:.1g}" if here < 1 / ROUNDING**2 else "it has no inverse"
        return SingularMatrixError(
            f"the mass matrix is nearly singular at t = {stepper.t:.6g} s "
            f"({state_of(stepper.run, names, stepper.first_order)}; {size}), as {cause}: the acceleration of "
            f"{', '.join(blamed)} is hardly determined, and changes too fast for steps of any length. Two coordinates "
            "do the same in this position, or one does nothing: three rotations one after the other are in gimbal lock "
            "where the middle one is at 90 degrees. Take model.free_body or model.spherical, which have no such "
            "attitude, another order of rotations, which stays far from there, or other coordinates.",
            time=stepper.t,
            coordinate=blamed[0],
        )

    def _condition(self, stepper: Any, t: float, q: np.ndarray) -> tuple[np.ndarray, float]:
        """The mass matrix at (t, q), and its condition, whatever the units."""
        M = np.reshape(self._values("mass_matrix", stepper, (t, q, stepper.qd, stepper.qdd)), (len(q), len(q)))
        with np.errstate(all="ignore"):
            rows = M / np.abs(M).max(axis=1, keepdims=True)
            scaled = rows / np.abs(rows).max(axis=0)
        return M, float(np.linalg.cond(scaled)) if np.isfinite(scaled).all() else np.inf

    def _left(self, stepper: Any, state: Sequence[Any]) -> Edge | None:
        """The formula that has no value at a state."""
        found = self._values(tuple(e.inside for e in self._everywhere), stepper, state)
        pairs = zip(self._everywhere, found, strict=True)
        return next((edge for edge, inside in pairs if inside < 0 or edge.strict and inside == 0), None)

    def _reached(self, stepper: Any) -> Edge | None:
        """The edge of a transform at which the steps have become too short."""
        inside, rates = self._values(self._key, stepper).reshape(2, -1)
        near = (inside < NEAR**2) | (inside + 2 * rates * stepper.run.taken < 0)
        return next(compress(self.edges, near), None)

    def _element(self, stepper: Any, state: Sequence[Any]) -> str | None:
        """The force element, what it demands, or the equation, that has no value at a state for an unknown reason."""
        m = self.system.mechanism
        for limit in limits_of(self.system):
            if not self._values((limit.value,), stepper, state)[0] >= 0:
                return f"{limit.what}: {limit.reason}"
        for effort in m.efforts:
            if not np.all(np.isfinite(self._values(tuple(self.system.derivation.element(effort)), stepper, state))):
                return f"{effort} has no value there"
        for equation in m.equations:
            if not np.all(np.isfinite(self._values((equation,), stepper, state))):
                return f"the equation {equation} = 0 has no value there"
        return None


def limits_of(system: CompiledSystem) -> list[Limit]:
    """What must stay above zero for the constraints and the force elements to make sense."""
    found = [limit for c in system.mechanism.constraints for limit in c.limits(system.derivation)]
    return found + used_up(system.demands)


def ends(system: CompiledSystem) -> list[tuple[Event, Any]]:
    """The events that end a run because a constraint, or a force element, has lost its meaning."""
    return [(Event("limit", None, -1, silent=True, ends=partial(_lost, x)), x.value) for x in limits_of(system)]


def _lost(limit: Limit, stepper: Any) -> DomainError:
    return DomainError(
        f"{limit.what} at t = {stepper.t:g} s: {limit.reason}. Stop the run before with an event, or let a contact "
        "take over.",
        time=stepper.t,
    )


REMEDY = (
    "Bodies do not jump: write a transform without steps and corners (floor, sign, Abs, Max, a Piecewise whose pieces "
    "do not meet), let pieces meet with equal values and equal slopes, or use a contact or an end stop."
)
CORNER = (
    "Bodies do not jump to another velocity: the formula is continuous and has a corner there. Let its pieces meet "
    "with equal slopes, too, or use a contact or an end stop."
)


def jumping(switch: Switch, what: str) -> str:
    """The message for a transform that jumps, in its "value" or its "rate"."""
    where = f"{switch.owner} jumps" if what == "value" else f"the velocity that follows from {switch.owner} jumps"
    return f"{where}, by {switch.formula},"


def _ahead(state: Sequence[Any], x: float) -> tuple[Any, ...]:
    """The motion extrapolated by x (s)."""
    t, q, qd, qdd = state
    return t + x, q + x * qd + x * x / 2 * qdd, qd + x * qdd, qdd


def _named(error: IntegrationError, what: str) -> IntegrationError:
    error.args = (f"{error} The cause: {what}.",)
    return error


def watch_of(system: CompiledSystem) -> Watch:
    """The `Watch` of a system, which is kept with it for the next run."""
    return system.prepared.of("watch", lambda: Watch(system))  # type: ignore[no-any-return]
