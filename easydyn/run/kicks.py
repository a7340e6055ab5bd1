"""Kicks: changes of rates when the speed of driven frames, or of constraints, changes suddenly, in time or in space.

A ramp begins, a motor stops at an instant: T(q, t) has a kink there. No force on the coordinates is as large as that
of the drive, so the momenta p = dT/dqd of the coordinates go on, but for impulses of constraints,

    M (qd+ - qd-) + p(q, qd-, t+) - p(q, qd-, t-) = J' P,    J qd+ = what the constraints ask for after it

Where a constraint bends in space (a cam with a corner, a gear of two ratios), J is that behind the corner.
"""

from __future__ import annotations

import functools
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.constraints.assembly import free_directions
from easydyn.engine.system import CompiledSystem
from easydyn.errors import DomainError, ModelError
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.places import leaps_at
from easydyn.run.impacts import LEAP, SMALL, Impulses, add
from easydyn.sim.agenda import Event, Instant
from easydyn.sim.loop import tiny

if TYPE_CHECKING:
    from easydyn.sim.stepper import Stepper

BEFORE = 1e-11  # of what changes its sign at a corner: an event comes so much before it
AHEAD = tuple(10.0**k for k in range(-12, -3))  # s: one of them leads behind it
LEAST = 1e-12  # of the momenta, of the rates: what changes by less has no kink


class Kicks:
    """The impulses of kinks in time.

    Parameters
    ----------
    system : CompiledSystem
        What is run.
    impulses : Impulses
        What else restricts the rates, and the masses.
    """

    def __init__(self, system: CompiledSystem, impulses: Impulses):
        self._system, self._impulses = system, impulses
        self._n = len(system.mechanism.coordinates)

    @cached_property
    def _momenta(self) -> Any:
        d = self._system.derivation
        return tuple(d.calculus.gradient(d.mechanical_energies[0], d.qd[: self._n]))

    def __call__(self, stepper: Stepper) -> None:
        """At a jump in time: the rates behind it."""
        n, t, at = self._n, stepper.t, self._impulses.values
        self._check(stepper)
        before, after = (at(self._momenta, stepper, t + side * tiny(t)) for side in (-1, 1))
        if np.abs(after - before).max(initial=0) > LEAST * np.abs([before, after]).max(initial=0):
            add(stepper, "qd", -self._impulses.moved(stepper, (after - before)[:, None])[:, 0])
        missing = at("constraint_rates", stepper, t + tiny(t))
        if np.abs(missing).max(initial=0) > LEAST * np.abs(stepper.qd[:n]).max(initial=0):  # of constraints
            self._impulses.give(stepper, at("constraint_jacobian", stepper, t + tiny(t)).reshape(-1, n), missing)

    def _check(self, stepper: Stepper) -> None:
        """DomainError where a driven frame, or a constraint, has a step."""
        t, m, at = stepper.t, self._system.mechanism, self._impulses.values
        for key, owners in (
            ("frames", [f"the frame of body '{body.name}'" for body in m.bodies for _ in range(16)]),
            ("constraint_values", [c.title for c in m.constraints for _ in c.labels]),
        ):
            if owners:
                leaps = np.abs(at(key, stepper, t + tiny(t)) - at(key, stepper, t - tiny(t)))
                if leaps.max() > LEAP:
                    raise leaping(owners[int(np.argmax(leaps))], stepper)


def leaping(what: str, stepper: Stepper) -> DomainError:
    """The exception for something that has a step."""
    return DomainError(
        f"{what} leaps at t = {stepper.t:.6g} s: bodies do not. Let the pieces of its formula meet with equal "
        "values (a ramp in place of a step).",
        time=stepper.t,
    )


class Corners:
    """The impulses where constraints bend in space.

    Parameters
    ----------
    system : CompiledSystem
        What is run.
    whole : CompiledSystem
        The same with all coordinates, where closed forms solve loops.
    """

    def __init__(self, system: CompiledSystem, whole: CompiledSystem):
        self._system, self._whole = system, whole
        names, m = list(whole.names), system.mechanism
        self._own = [names.index(name) for name in system.names if name in names]
        self._followers = [names.index(str(form.coordinate)) for form in m.forms]
        self._locks = [(m.coordinates.index(q), m.held.index(f"{q}.locked")) for q in m.locks]

    def events(self) -> list[tuple[Event, Any]]:
        """Two events at each corner, just before it from either side, with their switching functions."""
        found: list[tuple[Event, Any]] = []
        known = in_numbers(self._whole.parameters)
        for crosses, (c, e, place) in self._whole.mechanism.corners.items():
            alone = len(place.zero.free_symbols - known.keys()) == 1  # in a coordinate
            if place.kind != "bend" and alone and leaps_at(place, e, known):
                raise ModelError(
                    f"{c.title} of model '{self._whole.mechanism.name}' has a step where {place.zero} is 0: bodies do "
                    "not leap. Let the pieces of its formula meet with equal values (a ramp in place of a step)."
                )
            turn, node = functools.partial(self._turn, c.title, crosses), self._system.node(crosses)
            found += [
                (Event(f"corner of {c.title}", None, -side, turn, silent=True), node - side * BEFORE)
                for side in (1, -1)
            ]
        return found

    def _all(self, stepper: Stepper) -> tuple[np.ndarray, np.ndarray]:
        """All coordinates, and their rates."""
        q, qd = np.zeros(self._whole.n), np.zeros(self._whole.n)
        q[self._own], qd[self._own] = stepper.q[: len(self._own)], stepper.qd[: len(self._own)]
        if self._followers:
            solved = self._at(self._system, "solved", stepper, stepper.q, stepper.qd).reshape(-1, 3)
            q[self._followers], qd[self._followers] = solved[:, 0], solved[:, 1]
        return q, qd

    @staticmethod
    def _at(system: CompiledSystem, key: Any, stepper: Stepper, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        return system.at(key, stepper.now, q, qd, np.zeros(len(q)), stepper.held_values())

    def _turn(self, title: str, crosses: Any, instant: Instant) -> None:
        """Give the rates behind the corner, if the motion goes across it."""
        stepper, whole = instant.stepper, self._whole
        n, key = len(whole.mechanism.coordinates), (whole.node(crosses),)
        q0, qd = self._all(stepper)

        def at(key: Any, q: np.ndarray) -> np.ndarray:
            return self._at(whole, key, stepper, q, qd)

        def behind(rates: np.ndarray) -> float:
            """How fast these rates lead to the other side of the corner; 0 where they do not."""
            values = ((x, at(key, q0 + x * rates)[0]) for x in AHEAD)
            return next(((value - before) / x for x, value in values if value * before < 0), 0.0)

        def rows(q: np.ndarray) -> np.ndarray:
            locked = [j for j, k in self._locks if stepper.run.held[k]]
            return np.vstack([at("constraint_jacobian", q).reshape(-1, n), np.eye(n)[locked]])

        before = at(key, q0)[0]
        if not (speed := behind(qd)):
            return
        q1 = q0 - 2 * before / speed * qd
        if np.abs(at("constraint_values", q1) - at("constraint_values", q0)).max() > LEAP:
            raise leaping(title, stepper)
        M, J = at("own_masses", q1).reshape(n, n), rows(q1)
        rates = at("constraint_rates", q1)
        missing = np.append(rates, np.zeros(len(J) - len(rates)))
        new = qd.copy()
        new[:n] = _projected(qd[:n], J, missing, M)
        onwards = behind(new)
        if not onwards:  # they would lead back: both sides of the corner hold
            new[:n] = _projected(qd[:n], np.vstack([J, rows(q0)]), np.append(missing, np.zeros(len(J))), M)
        own = len(self._own)
        q, rates = stepper.q, stepper.qd
        q[:own] -= before / speed * qd[self._own]
        if onwards:
            q[:own] -= before / onwards * new[self._own]
        rates[:own] = new[self._own]
        stepper.q, stepper.qd = q, rates
        instant.changed = True


def _projected(qd: np.ndarray, J: np.ndarray, missing: np.ndarray, M: np.ndarray) -> np.ndarray:
    """qd with the rates `missing` taken away, by impulses along the rows of J."""
    away = np.linalg.lstsq(J, missing, rcond=SMALL)[0]
    Z = free_directions(J / np.abs(J).max(axis=1, initial=1e-300, keepdims=True), SMALL)
    return np.asarray(qd - away + (Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ M @ away) if Z.size else 0))
