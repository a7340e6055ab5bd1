"""Is this model what its author meant? Each finding is a sentence with its remedy; no finding, all is well."""

from __future__ import annotations

from typing import Any

import numpy as np

from easydyn.errors import EasyDynError

STATES = 5  # random states at which matrices are looked at
BALANCE = 1e-3  # of the energy exchanged: a run of the default tolerance is far below


def check(model: Any, seed: int = 0) -> list[str]:
    """Look for what is probably a mistake in a model that can be built.

    Parameters
    ----------
    model : Model
    seed : int
        Where the random states start; the same findings come each time.

    Returns
    -------
    list of str
        Findings: bodies that cannot exist, coordinates without inertia, one-sided internal efforts, a start where the
        equations say nothing, an energy balance that does not close. Empty when all is well.
    """
    try:
        system = model.compile()
        q, qd = model.initial()
    except EasyDynError as error:
        return [str(error)]
    findings = [*_impossible_bodies(model, system), *_one_sided(model), *_forgotten(model), *_degrees(model, q)]
    if model.bodies and not model.mechanism.states:
        findings += _inertia(system, q, np.random.default_rng(seed))
    try:
        acceleration = system.accelerations(0.0, q, qd)
        if not np.all(np.isfinite(acceleration)):
            name = system.names[int(np.argmin(np.isfinite(acceleration)))]
            findings.append(
                f"the acceleration of {name} is not finite at the initial state: look for a length that is zero there, "
                "or a square root or arcsine out of its domain."
            )
    except EasyDynError as error:
        findings.append(str(error))
    return findings or _balance(model)


def _impossible_bodies(model: Any, system: Any) -> list[str]:
    """Principal moments of a real body obey the triangle inequality; a planar (0, 0, Izz) is left alone."""
    findings = []
    zeros = np.zeros(system.n)
    for body in model.bodies:
        entries = [body.inertia[i, j] for i in range(3) for j in range(3)]
        tensor = system.evaluate(entries, 0.0, zeros, zeros, zeros).reshape(3, 3)
        if np.count_nonzero(tensor) <= 1:
            continue
        a, b, c = np.linalg.eigvalsh(tensor)
        if c > (a + b) * (1 + 1e-9):
            findings.append(
                f"body '{body.name}': the largest principal moment, {c:.4g}, is more than the sum of the other two, "
                f"{a:.4g} + {b:.4g} kg m2, which no real body has. Check the inertia (about the centre of mass, in kg "
                "m2); in a planar model give (0, 0, Izz)."
            )
    return findings


def _one_sided(model: Any) -> list[str]:
    """An effort given in the axes of a moving body most often comes from that body: where is the reaction?"""
    findings = []
    for effort in model.mechanism.efforts:
        frame: Any = getattr(effort, "frame", None)
        reaction = getattr(effort, "reaction", None)
        if frame in model.bodies and reaction is None and frame is not effort.body:
            findings.append(
                f"{effort} is given in the axes of '{frame.name}' but nothing bears the reaction: add reaction= with "
                f"the body '{frame.name}' if it is the one that exerts it."
            )
    return findings


def _forgotten(model: Any) -> list[str]:
    """Nothing acts at all, and nobody said that this is meant."""
    m = model.mechanism
    acts = m.efforts or m.equations or m.callbacks or model.gravity_given or any(model.gravity)
    if not model.bodies or acts:
        return []
    return [
        "nothing acts on the bodies: no gravity and no effort. Give gravity=(0, -9.81, 0), say, or gravity=(0, 0, 0) "
        "if that is meant."
    ]


def _degrees(model: Any, q: np.ndarray) -> list[str]:
    """An angle that starts beyond a full turn is most often in degrees."""
    return [
        f"the initial value of {name} is {value:g} rad, more than a full turn: angles are in radians. If it is in "
        f"degrees, write math.radians({value:g})."
        for name, value in zip(model.names, q, strict=True)
        if model.mechanism.units.get(name) == "rad" and abs(value) > 2 * np.pi
    ]


def _inertia(system: Any, q0: np.ndarray, generator: np.random.Generator) -> list[str]:
    """M must be positive definite wherever the mechanism may go."""
    for _ in range(STATES):
        q = q0 + generator.uniform(-0.3, 0.3, system.n)
        M = system.mass_matrix(0.0, q)
        if not np.all(np.isfinite(M)):
            continue
        scale = np.sqrt(np.maximum(np.diag(M), 0))
        weightless = [name for name, s in zip(system.names, scale, strict=True) if s == 0]
        if weightless:
            return [
                f"coordinate {weightless[0]} moves no mass and no inertia (its diagonal element of M is zero): give "
                "mass or inertia to a body that it moves."
            ]
        smallest = np.linalg.eigvalsh(M / np.outer(scale, scale))[0]
        if smallest < 1e-12:
            values = ", ".join(f"{name} = {x:.3g}" for name, x in zip(system.names, q, strict=True))
            return [
                f"the mass matrix is singular at {values}: two coordinates do the same there (a gimbal, or one motion "
                "written twice). Choose other coordinates."
            ]
    return []


def _balance(model: Any) -> list[str]:
    """A short run: energy less work must stay."""
    if not model.bodies or model.mechanism.states or model.mechanism.equations:
        return []
    try:
        run = model.simulate(0.2, progress=False)
    except EasyDynError as error:
        return [f"a run of 0.2 s fails: {error}"]
    energy = run.energy
    exchanged = max(np.ptp(energy.kinetic), np.ptp(energy.work), 1e-9)
    drift = np.ptp(energy.balance)
    if drift > BALANCE * exchanged:
        return [
            f"the energy balance of a run of 0.2 s does not close: {drift:.3g} J of {exchanged:.3g} J exchanged. An "
            "effort may jump with time or state, or a motion be too fast for the tolerance."
        ]
    return []
