"""What energies and powers are made of: bodies, elements that store energy or have inertia of their own, drives."""

from __future__ import annotations

from typing import Any

from easydyn.engine.graph import Node, reachable
from easydyn.mechanics import mbs
from easydyn.mechanics.kinematics import motion
from easydyn.mechanics.mbs import BodyState


def masses(derivation: Any) -> list[Node]:
    """M of the coordinates alone (row by row), of which forces of contacts are no part."""
    d, count = derivation, len(derivation.mechanism.coordinates)
    if d.scheme.along_the_tree and len(d.moving) == count and not d.mechanism.equations:
        felt = {x.index for x in reachable(d.applied.scalars(d.graph.zero))}
        if not any(x.index in felt for x in d.qdd[:count]):
            return [d.graph.node(x) for row in d.scheme.mass_matrix(d) for x in row]
    return [x for i in range(count) for x in d.free_mass_matrix[i * d.n : i * d.n + count]]


def mechanical(derivation: Any) -> list[Node]:
    """Kinetic and potential energy (J)."""
    d = derivation
    potential = mbs.gravity_potential(d.moved, d.gravity)
    potential = sum((d.potential(effort) for effort in d.mechanism.efforts), potential)
    kinetic = sum((effort.kinetic(d) for effort in d.inertial), d.scheme.kinetic_energy(d))
    return [d.graph.node(x) for x in (kinetic, potential)]


def supplied(derivation: Any, stepping: bool = False) -> list[Node]:
    """Powers (W) whose integrals are the works, in the order of `mechanism.working`.

    For each effort this is its power plus the rate of its potential. The last one is the power of drives and callbacks,
    if there are any, and with time `stepping` that of contacts which work in no other way.
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
        found.append(d.graph.node(drives))
    return found


def _driven(derivation: Any) -> list[BodyState]:
    """The loaded bodies with the explicit-time part of their velocities."""
    d = derivation
    for body, state in zip(d.mechanism.bodies, d.loaded, strict=True):
        only_time = motion(d.transform(body.frame_at_G), (), (), d.t, d.calculus, d.drives)
        state.vG_t, state.omega_t = only_time.v_t, only_time.omega_t
    return d.loaded
