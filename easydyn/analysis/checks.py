"""Checks for probable mistakes in a model; each finding is a sentence with its remedy.

A model that can be built may still be wrong: it may have an impossible body, a coordinate without inertia, an effort
without its reaction, or a length in millimetres (magnitudes.py). Values that are only unusual are not reported.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import sympy

from easydyn.analysis.beams import beams, flexible
from easydyn.analysis.magnitudes import magnitudes, number
from easydyn.analysis.relays import relays
from easydyn.arguments import answers
from easydyn.errors import EasyDynError, EnergyWarning
from easydyn.forces import Force, GeneralizedForce, Moment
from easydyn.forces.contact import Pressing
from easydyn.forces.effort import constant
from easydyn.inputs import a_model, whole
from easydyn.mechanics.mechanism import Ground, ground, path
from easydyn.mechanics.symbols import Coordinate, Input, Parameter, Rate
from easydyn.result.trajectory import Trajectory
from easydyn.run.edges import CORNER, REMEDY, jumping, watch_of
from easydyn.run.unknowns import determined
from easydyn.sim.linear import culprits
from easydyn.vec import Block, Vector
from easydyn.vec.scalars import symbols_of, vanishes

STATES = 5  # random states at which matrices are looked at
AROUND = 0.3  # m or rad: how far from the initial state they are
RIGID = 1e-6  # on the elements of R R^T - 1
TRIANGLE = 1e-9  # relative, on principal moments
SINGULAR = 1e-12  # smallest eigenvalue of the scaled mass matrix
NEARLY = 1e-6  # the same at the initial state, beside what it is around
LINES, FAR = 3, 1.5  # random lines on which transforms are looked at, and how far to both sides (m, rad)
CLOSE = 1e-15  # of what is brought to zero, on such a line
DURATION = 0.2  # s, of the run whose energy is looked at
BALANCE = 1e-3  # of the energy exchanged: a run of the default tolerance is far below
SHOT = 5000.0  # m/s2: 500 times the weight
SAME = 1e-3  # of a weight: with g = 9.81 or 9.80665
VANISHING = 1e-12  # of a formula
ROUNDING = 1e-9  # of the energy there is


@answers
def check(model: Any, seed: int = 0) -> list[str]:
    """Look for probable mistakes in a model: in its data, and by laws that every motion must obey.

    In random states the function looks at sizes, at the mass matrix M of eq. (8) and at the balance of energy.
    docs/check.md lists the findings.

    Parameters
    ----------
    model : Model or Trajectory
        The model; it is not changed. For a Trajectory, the function returns `run.check()`.
    seed : int
        Seed of the random states; the same seed gives the same findings.

    Returns
    -------
    list of str
        Findings, each a sentence with its remedy; empty when all is well.

    Example
    -------
    >>> from easydyn import examples
    >>> check(examples.double_pendulum())
    []
    """
    if isinstance(model, Trajectory):
        return model.check()
    a_model(model, "what is checked")
    whole(seed, "seed", least=0)
    try:
        system = model.compile("python")
        q, qd = model.initial()
        if model.constraints:
            return [*model.notes, *_of_a_loop(model, system, q, qd)]
        if system.mechanism.algebraic:
            qd = determined(system, 0.0, q, qd)
    except EasyDynError as error:
        return [*model.notes, str(error)]
    generator = np.random.default_rng(seed)
    around = q + generator.uniform(-AROUND, AROUND, (STATES, system.n))
    findings = [
        *_not_rigid(model, system, [q, *around], qd), *_impossible(model), *_one_sided(model), *_at_rest(model, qd),
        *_unused(model), *magnitudes(model, q), *_deep(model, system, q), *_weight_twice(model),
        *_idle(model, system), *_schedules(model),
        *relays(model, np.random.default_rng(seed)), *flexible(model, q, qd), *beams(model, system, q, qd),
    ]  # fmt: skip
    findings = findings or list(_jumping(system, q, generator))
    freedoms = list(_freedoms(model, system, q, around))
    findings += freedoms or _start(system, q, qd)
    return [*model.notes, *(findings or _balance(model))]


def _of_a_loop(model: Any, system: Any, q: np.ndarray, qd: np.ndarray) -> list[str]:
    """What is wrong with the data of a model with constraints, and whether it moves: at the state that is assembled."""
    closed, _ = model.solver.closed(None, system.parameters)
    n = len(closed.q)
    q, qd = (np.concatenate([own, x[n:]]) for own, x in ((closed.q, q), (closed.qd, qd)))
    whole = [np.concatenate([x, np.zeros(system.mechanism.multipliers)]) for x in (q, qd)]
    findings = [
        *_not_rigid(model, system, whole[:1], whole[1]), *_impossible(model), *_one_sided(model), *_unused(model),
        *magnitudes(model, q), *_weight_twice(model), *_schedules(model), *flexible(model),
        *beams(model, system, *whole),
    ]  # fmt: skip
    return findings or _start(system, *whole)


def _listed(names: Iterable[Any]) -> str:
    return ", ".join(map(str, names))


def _state(system: Any, q: np.ndarray) -> str:
    return _listed(f"{name} = {x:.3g}" for name, x in zip(system.names, q, strict=True))


# -- bodies -----------------------------------------------------------------------------------------------------------


def _not_rigid(model: Any, system: Any, states: Iterable[np.ndarray], qd: np.ndarray) -> Iterator[str]:
    """R R^T = 1 and det R = 1 where the model starts: a matrix was checked when it was given, at values of up to 1."""
    if not any(isinstance(factor, Block) for body in model.bodies for factor in body.T.factors):
        return  # turns and displacements are rigid
    found: set[str] = set()
    for q in states:
        frames = system.frames(0.0, q, qd)
        for body, T in zip(model.bodies, frames, strict=True):
            R = T[:3, :3]
            off = np.abs(R.T @ R - np.eye(3)).max()
            if body.name in found or not (off > RIGID or np.linalg.det(R) < 0):
                continue
            found.add(body.name)
            what = f"the elements of R R^T - 1 are up to {off:.2g}" if off > RIGID else "it is left-handed"
            yield (
                f"the transform of body '{body.name}' is not rigid at {_state(system, q)}: {what}. Check the elements "
                "of its matrix, and the range in which they hold."
            )


def _impossible(model: Any) -> Iterator[str]:
    """Principal moments of a real body obey the triangle inequality; a planar (0, 0, Izz) is left alone."""
    yield from _light_housings(model)
    for body in model.bodies:
        tensor = _numbers(body.inertia, model)
        if np.count_nonzero(tensor) <= 1 and np.trace(tensor) >= 0 or not np.all(np.isfinite(tensor)):
            continue
        a, b, c = np.linalg.eigvalsh(tensor)
        if c > (a + b) * (1 + TRIANGLE):
            yield (
                f"body '{body.name}': the largest principal moment, {c:.4g}, is more than the sum of the other two, "
                f"{a:.4g} + {b:.4g} kg m2, which no real body has. Check the inertia (about the centre of mass, in kg "
                "m2); in a planar model give (0, 0, Izz)."
            )


def _numbers(inertia: Any, model: Any) -> np.ndarray:
    """An inertia (3, 3) in kg m2."""
    return np.array([[number(inertia[i, j], model) for j in range(3)] for i in range(3)])


def _light_housings(model: Any) -> Iterator[str]:
    """What is left of the inertia of a housing without its rotors."""
    left = model.mechanism.inertias
    for body in model.bodies:
        if left[body.name] is body.inertia:
            continue
        tensor = _numbers(left[body.name], model)
        if np.all(np.isfinite(tensor)) and (least := np.linalg.eigvalsh(tensor)[0]) < -ROUNDING * np.abs(tensor).max():
            yield (
                f"body '{body.name}': without that of the rotors in it its inertia has a principal moment of "
                f"{least:.4g} kg m2. A housing has the mass and the inertia of both, as if its rotors stood still: "
                "give it these."
            )


def _jumping(system: Any, q: np.ndarray, generator: Any) -> Iterator[str]:
    """Transforms with steps or corners: along random lines, where a condition in one of them changes."""
    watch = watch_of(system)
    for switch in watch.switches:
        key = (system.node(switch.crosses),)

        def crosses(x: float, rate: np.ndarray) -> float:
            return float(system.at(key, x, q + x * rate, rate, np.zeros(len(q)))[0])  # noqa: B023

        for rate in generator.uniform(-1, 1, (LINES, len(q))):
            grid = np.linspace(-FAR, FAR, 81) + generator.uniform(0, 0.05)
            signs = np.sign([crosses(x, rate) for x in grid])
            found = [k for k in range(80) if signs[k] * signs[k + 1] < 0]
            what = ""
            for k in found[:3]:
                from scipy.optimize import bisect  # takes longer to load than all the rest of a check

                x = bisect(crosses, grid[k], grid[k + 1], args=(rate,), xtol=CLOSE)
                what = what or watch.jump(switch, x, q + x * rate, rate, np.zeros(len(q)), 1e-6)
            if what:
                cure = REMEDY if what == "value" else CORNER
                yield f"{jumping(switch, what)} at {_state(system, q + x * rate)}. {cure}"
                break


# -- efforts ----------------------------------------------------------------------------------------------------------


def _one_sided(model: Any) -> Iterator[str]:
    """An effort between bodies most often has its reaction on the other one.

    It is taken for one if it is given in the axes of another moving body, or if it depends on the motion relative to
    such a body alone, where the body moves in other ways too.
    """
    for effort in model.mechanism.efforts:
        body: Any = getattr(effort, "body", None)
        frame: Any = getattr(effort, "frame", None)
        if body not in model.bodies or getattr(effort, "reaction", ground) is not None:
            continue
        if frame in model.bodies and frame is not body:
            yield (
                f"{effort} is given in the axes of '{frame.name}' but nothing bears the reaction: add reaction= with "
                f"the body '{frame.name}' if it is the one that exerts it."
            )
            continue
        depends = symbols_of(*effort.expressions())
        relative = {Coordinate(str(s).partition(".")[0]) for s in depends if isinstance(s, Coordinate | Rate)}
        if not relative or not relative < set(body.coordinates):
            continue
        other = next((b for b in model.bodies if b.coordinates and relative == _between(b, body)), None)
        if other is not None:
            yield (
                f"{effort} depends on {_listed(sorted(map(str, relative)))}, the motion of '{body.name}' relative to "
                f"'{other.name}', but nothing bears the reaction: add reaction= with the body '{other.name}' if it is "
                "the one that exerts it."
            )


def _between(a: Any, b: Any) -> set[Coordinate]:
    """The coordinates of the factors in which two frames differ."""
    return {s for T in path(a, b) for s in T.free_symbols if isinstance(s, Coordinate)}


def _at_rest(model: Any, qd: np.ndarray) -> list[str]:
    """Nothing acts, nothing moves, and nobody said that this is meant."""
    m = model.mechanism
    acts = m.efforts or m.equations or m.callbacks or m.driven or model.gravity_given or any(m.gravity)
    if not model.bodies or acts or np.any(qd):
        return []
    return [
        "nothing acts on the bodies: no gravity and no effort. Give gravity=(0, -9.81, 0), say, or gravity=(0, 0, 0) "
        "if that is meant."
    ]


def _unused(model: Any) -> Iterator[str]:
    """Parameters and inputs that appear nowhere; what Python functions do with them is not known."""
    used = symbols_of(*model.written())
    if model.mechanism.callbacks:
        return
    for kind, word in ((Parameter, "parameter"), (Input, "input")):
        idle = [s for s in model.symbols.values() if type(s) is kind and s not in used]
        if idle:
            yield (
                f"{word}{'s' * (len(idle) > 1)} {_listed(idle)} {'are' if len(idle) > 1 else 'is'} used nowhere: write "
                "it where it belongs, or take it out."
            )


def _idle(model: Any, system: Any) -> Iterator[str]:
    """An element that is zero as it is written: a formula in which all falls out, a stiffness of 0.

    A parameter that is zero now may be another number in the next run.
    """
    for effort in model.mechanism.efforts:
        nothing = not effort.rotors and not any(x.op != "const" or x.value != 0 for x in system.loads(effort))
        if isinstance(effort, Force | Moment | GeneralizedForce):
            given = effort.force if not isinstance(effort, Moment) else effort.moment
            nothing = all(_vanishes(x) for x in (given if isinstance(given, Vector) else (given,)))
        if nothing:
            yield (
                f"{effort} is zero, and does nothing: take it out, or look at its formula and its numbers. The rate of "
                "a coordinate q is q.dot."
            )


def _vanishes(formula: Any) -> bool:
    """Whether a formula without corners is zero for whatever its symbols are, but for rounding."""
    corners = sympy.Piecewise, sympy.Max, sympy.Min, sympy.Heaviside, sympy.floor, sympy.sign
    return not (isinstance(formula, sympy.Expr) and formula.has(*corners)) and vanishes(formula, VANISHING)


def _weight_twice(model: Any) -> Iterator[str]:
    """A force that is the weight of its body, where there is gravity: it would act twice."""
    gravity = np.array([number(g, model) for g in model.mechanism.gravity])
    if not np.any(gravity):
        return
    for effort in (x for x in model.mechanism.efforts if isinstance(x, Force) and constant(x.force)):
        if not isinstance(effort.body, Ground) and effort.frame is ground:
            weight = number(effort.body.mass, model) * gravity
            force = np.array([number(x, model) for x in effort.force])
            if np.any(weight) and np.abs(force - weight).max() < SAME * np.abs(weight).max():
                yield (
                    f"{effort} is the weight of '{effort.body.name}', which gravity={tuple(gravity.tolist())} gives it "
                    "already: take one of them out."
                )


def _deep(model: Any, system: Any, q: np.ndarray) -> Iterator[str]:
    """A contact that is pressed so hard at the start that it shoots its body away: it lies in the plane by mistake."""
    for effort in model.mechanism.efforts:
        law = getattr(effort, "pressing", None)
        if not isinstance(law, Pressing):
            continue
        ends: list[Any] = [body for body in effort.bodies if body in model.bodies]
        mass = sum(m for body in ends if (m := number(body.mass, model)) > 0)
        stored = float(system.element(effort, 0.0, q, 0 * q, 0 * q)[1]) if mass else 0.0
        k, a = number(law.stiffness, model), number(law.power, model)
        if not stored > 0 or not k > 0:
            continue
        depth = (stored * (a + 1) / k) ** (1 / (a + 1))
        if k * depth**a > SHOT * mass:
            yield (
                f"{effort} is pressed in by {depth:.3g} m at the start, with {k * depth**a:.3g} N on {mass:.3g} kg: it "
                "would shoot away. Look at the initial values, at the point of the plane and at the sign of the normal."
            )


def _schedules(model: Any) -> Iterator[str]:
    """Findings on the events and the controllers of a model."""
    for event in model.events:
        yield from _never(event)
    for controller in model.controllers:
        law = controller.law
        if getattr(law, "idle", False) is True:
            yield (
                f"controller '{controller.name}' has no gain: it gives 0 to {law.command} whatever happens. Give "
                "proportional=, integral= or derivative=."
            )


def _never(event: Any) -> Iterator[str]:
    """An expression that is never negative, or never positive, does not change its sign: x**2, Abs(x)."""
    sign = "negative" if event.expression.is_nonnegative else "positive" if event.expression.is_nonpositive else ""
    if sign:
        yield (
            f"event '{event.name}' never comes: {event.expression} is never {sign}, and an event is where an "
            "expression changes its sign. Write one that does, x - 0.5 in place of (x - 0.5)**2 or Abs(x - 0.5)."
        )


# -- coordinates ------------------------------------------------------------------------------------------------------


def _freedoms(model: Any, system: Any, q0: np.ndarray, around: np.ndarray) -> Iterator[str]:
    """M must be positive definite wherever the mechanism may go, and at its start too."""
    m = model.mechanism
    if not m.bodies or m.equations:
        return
    moving = list(m.moving)
    names = [system.names[j] for j in moving]

    def mass_matrix(q: np.ndarray) -> np.ndarray:
        return system.mass_matrix(0.0, q)[np.ix_(moving, moving)]

    found = [M for M in map(mass_matrix, around) if np.all(np.isfinite(M))]
    if not found:
        return
    scale = np.sqrt(np.maximum(np.median([np.diag(M) for M in found], axis=0), 0))
    weightless = [name for name, s in zip(names, scale, strict=True) if s == 0]
    if weightless:
        yield (
            f"coordinate {_listed(weightless)} moves no mass and no inertia (its diagonal element of M is zero): give "
            "mass or inertia to a body that it moves."
        )
        return
    usual = float(np.median([np.linalg.eigvalsh(M / np.outer(scale, scale))[0] for M in found]))
    if usual < SINGULAR:
        yield (
            f"the mass matrix is singular at every state: of {_listed(culprits(found[0], names))}, two coordinates do "
            "the same (one motion written twice), or a combination of them moves no mass. Take one of them out, or "
            "give mass or inertia."
        )
        return
    M = mass_matrix(q0)
    if np.all(np.isfinite(M)) and np.linalg.eigvalsh(M / np.outer(scale, scale))[0] < NEARLY * usual:
        yield (
            f"the mass matrix is singular, or nearly, at the initial state {_state(system, q0)}, though not around it: "
            f"{_listed(culprits(M, names))} move nothing there, or do the same (a gimbal lock, polar coordinates at "
            "the pole, a dead centre without inertia). Start elsewhere, or choose other coordinates, such as another "
            "order of rotations, or model.free_body and model.spherical, which have no gimbal lock."
        )


def _start(system: Any, q: np.ndarray, qd: np.ndarray) -> list[str]:
    """The equations must say something at the initial state."""
    try:
        acceleration = system.accelerations(0.0, q, qd)
    except EasyDynError as error:
        return [str(error)]
    if np.all(np.isfinite(acceleration)):
        return []
    name = system.names[int(np.argmin(np.isfinite(acceleration)))]
    return [
        f"the acceleration of {name} is not finite at the initial state: look for a length that is zero there, or a "
        "square root or arcsine out of its domain."
    ]


# -- energy -----------------------------------------------------------------------------------------------------------


def _balance(model: Any) -> list[str]:
    """A short run: energy less work must stay, the better the smaller the tolerance."""
    if not model.bodies or model.mechanism.equations:
        return []
    try:
        drift, exchanged, allowed = _drift(model, 1e-6)
        if drift <= allowed or _drift(model, 1e-8)[0] < drift / 5:
            return []
    except EasyDynError as error:
        return [f"a run of {DURATION:g} s fails: {error}"]
    return [
        f"the energy balance of a run of {DURATION:g} s does not close: {drift:.3g} J of {exchanged:.3g} J exchanged, "
        "and no better with a smaller tolerance. The potential of an effort may not be that of its forces, or a force "
        "jump with the state."
    ]


def _drift(model: Any, tolerance: float) -> tuple[float, float, float]:
    """By how much the balance of energy drifts (J), how much energy is exchanged, and the drift that is all right."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EnergyWarning)  # it is looked at here
        energy = model.simulate(DURATION, tolerance=tolerance, progress=False).energy
    exchanged = float(max(np.ptp(energy.kinetic), np.ptp(energy.work)))
    there = float(max(np.abs(energy.kinetic).max(), np.abs(energy.potential).max(), np.abs(energy.work).max()))
    return float(np.ptp(energy.balance)), exchanged, BALANCE * exchanged + ROUNDING * there + 1e-12
