"""Energies, powers, and the loads that each body needs, before projection on coordinates: the basis of reactions.

    F_i = m_i a_i - R_i,   M_i = Phi_i alpha_i + omega_i x Phi_i omega_i - MG_i        (the brackets of eq. 6)

F_i and M_i (about G_i) must come from what joins the body to others: bearings, and generalised forces, which name no
body. Beside that stands what each effort does on each body, so that a motor between two bodies can be told from the
bearing beside it. All in ground components.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from easydyn.engine.graph import CONDITIONS, Node, reachable
from easydyn.engine.observer import Observer
from easydyn.mechanics import mbs
from easydyn.mechanics.kinematics import motion
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, ground
from easydyn.vec import ZERO, Vector, cross

JUMPING = {"select", "floor", "ceil", "sign", "mod", *CONDITIONS}  # operations


class Alone(Observer):
    """The `Assembly` of one effort, on bodies that carry nothing else, in ground axes."""

    def __init__(self, derivation: Any):
        super().__init__(derivation, ground)

    def state(self, body: Body | Ground) -> BodyState:
        """The body, in the same motion as with all others."""
        return self._states.of(body, lambda: dataclasses.replace(self._derivation.state(body), R=ZERO, MG=ZERO))

    def power(self) -> Node:
        """What the effort gives to the bodies and the coordinates (W); a state of an element has none of its own."""
        shares = (Q * self._derivation.symbols[q.dot] for q, Q in self.generalized.items())
        return sum(shares, self._derivation.graph.node(mbs.power(self._states.values())))

    def actions(self) -> list[tuple[str, Vector, Vector]]:
        """Of each body on which it acts: name, force (N), moment about the origin of the ground (N m)."""
        graph = self._derivation.graph
        states = [s for body, s in self._states.items() if not isinstance(body, MasslessPoint)]
        acted = [s for s in states if any(graph.node(c) is not graph.zero for c in (*s.R, *s.MG))]
        return [(s.name, s.R, s.MG + cross(s.G, s.R)) for s in acted]


def balances_of(derivation: Any) -> list[Node]:
    """F, M, G, vG, omega of each body, three components each."""
    rows = [(b.force_balance(), b.moment_balance(), b.G, b.vG, b.omega) for b in derivation.loaded]
    return [derivation.graph.node(x) for row in rows for u in row for x in u]


def actions_of(derivation: Any) -> tuple[list[tuple[int, str]], list[Node]]:
    """(effort by position, body) of each action, and their forces and moments about the ground's origin."""
    acting: list[tuple[int, str]] = []
    outputs: list[Node] = []
    for k, effort in enumerate(derivation.mechanism.efforts):
        assembly = Alone(derivation)
        effort.apply(assembly)
        for name, force, moment in assembly.actions():
            acting.append((k, name))
            outputs += [derivation.graph.node(x) for x in (*force, *moment)]
    return acting, outputs


def balances(system: Any, t: np.ndarray, x: Sequence[np.ndarray], held: np.ndarray) -> np.ndarray:
    """F, M, G, vG, omega of each body along a run, (N, bodies, 5, 3), with the efforts in plain Python."""
    found = system.along("balances", t, x, held).reshape(len(t), len(system.mechanism.bodies), 5, 3)
    if system.mechanism.callbacks:
        found[:, :, :2] -= system.callbacks.resultants(t, x[0], x[1])
    return found


def actions(system: Any, t: np.ndarray, x: Sequence[np.ndarray], held: np.ndarray) -> list[Any]:
    """Of each effort, on each body: force and moment about the ground's origin along a run, (N, 2, 3)."""
    acting = system.derivation.acting
    if not acting:
        return []
    found = system.along("actions", t, x, held).reshape(len(t), len(acting), 2, 3)
    return [(system.mechanism.efforts[k], name, found[:, i]) for i, (k, name) in enumerate(acting)]


def masses(derivation: Any) -> list[Node]:
    """M of the coordinates alone (row by row), of which forces of contacts are no part."""
    d, count = derivation, len(derivation.mechanism.coordinates)
    if d.scheme.along_the_tree and len(d.moving) == count and not d.mechanism.equations:
        felt = {x.index for x in reachable(d.applied.scalars(d.graph.zero))}
        if not any(x.index in felt for x in d.qdd[:count]):
            return [d.graph.node(x) for row in d.scheme.mass_matrix(d) for x in row]
    M, row_of = d.free_mass_matrix, {j: row for row, j in enumerate(d.mechanism.moving)}
    for j in range(count):
        if j not in row_of:  # it moves no body: an equation that has its acceleration
            left = [row for row in range(len(d.mechanism.moving), d.n) if row not in row_of.values()]
            row_of[j] = next((row for row in left if d.graph.node(M[row * d.n + j]) is not d.graph.zero), left[0])
    return [x for j in range(count) for x in M[row_of[j] * d.n : row_of[j] * d.n + count]]


def mechanical(derivation: Any) -> list[Node]:
    """Kinetic and potential energy (J)."""
    d = derivation
    potential = mbs.gravity_potential(d.moved, d.gravity)
    potential = sum((d.potential(effort) for effort in d.mechanism.efforts), potential)
    kinetic = sum((effort.kinetic(d) for effort in d.inertial), d.scheme.kinetic_energy(d))
    return [d.graph.node(x) for x in (kinetic, potential)]


def of_time(derivation: Any) -> list[Node]:
    """The parts of the kinetic and of the potential energy (J) that time alone determines.

    Their rate is left out of what is integrated: no motion feels it, so that steps may be too long for it. What
    may jump is no part of them.
    """
    d, graph, parts = derivation, derivation.graph, dict[Node, Node]()
    energies = d.mechanical_energies if d.mechanism.driven else [graph.zero] * 2
    for x in reachable(energies):
        own = [parts[y] for y in x.args]
        known = [part is y for part, y in zip(own, x.args, strict=True)]
        whole = x.fixed or x is d.t or x.args and all(known) and x.op not in JUMPING
        linear = x.op in ("add", "sub", "neg") or x.op == "mul" and any(known)
        parts[x] = x if whole else getattr(graph, x.op)(*own) if linear else graph.zero
    return [parts[x] for x in energies]


def supplied(derivation: Any, stepping: bool = False) -> list[Node]:
    """Powers (W) whose integrals are the works, in the order of `mechanism.working`.

    For each effort this is its power plus the rate of its potential. The last one is the power of drives and callbacks,
    if there are any, without that for the energy `of_time`, and with time `stepping` that of contacts which work in no
    other way.
    """
    d = derivation

    def of(effort: Any) -> Node:
        power, stored = d.element(effort)
        return power + d.calculus.rate(stored + effort.kinetic(d) if effort.inertial else stored)

    found = d.apart(of, d.mechanism.working)
    if d.mechanism.driven_from_outside:
        drives = mbs.driving_power(_driven(d)) if d.mechanism.driven else 0
        if stepping:
            counted = {p for effort in d.mechanism.working for p in effort.states}
            drives = sum((gap.power(d) for gap in d.gaps if gap.impulse not in counted), drives)
        found.append(d.graph.node(drives) - d.calculus.rate(sum(d.of_time)))
    return found


def _driven(derivation: Any) -> list[BodyState]:
    """The loaded bodies with the explicit-time part of their velocities."""
    d = derivation
    for body, state in zip(d.mechanism.bodies, d.loaded, strict=True):
        only_time = motion(d.transform(body.frame_at_G), (), (), d.t, d.calculus, d.drives)
        state.vG_t, state.omega_t = only_time.v_t, only_time.omega_t
    return d.loaded
