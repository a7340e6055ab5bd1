"""Static equilibrium of a model: where it stays at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from easydyn.analysis.closed import Manifold
from easydyn.analysis.setting import locked_at, rows_of, shown, system_for
from easydyn.analysis.spectrum import spectrum
from easydyn.analysis.statics import Problem, Rest, free_directions, relax, scale_of
from easydyn.arguments import answers
from easydyn.constraints.assembly import Constraints
from easydyn.engine.jacobians import STEP, Jacobian, differences
from easydyn.errors import InputError, ModelError, NotFiniteError
from easydyn.inputs import by_name, finite, name_in, place_of
from easydyn.mechanics.driving import without_drives
from easydyn.run.unknowns import nearest
from easydyn.sim.progress import progress_bar

TURN = 1.0  # rad: the longest step of an angle
MARGIN = 1e-7  # of the largest pole: a real part that is rounding


@answers
@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest: the accelerations of all coordinates and the rates of all states are zero.

    Attributes
    ----------
    status : str
        "found", "indifferent" (an equilibrium, and so are its neighbours) or "not found".
    message : str
        A sentence that says whether the equilibrium is stable, which coordinate is free or runs away, and what to do.
    stable : bool or None
        Stability according to the poles of the linearised equations; None if they do not decide.
    free : tuple of str
        Coordinates that nothing determines.
    t : float
        Time at which frames and efforts that depend on time were taken (s).
    q, qd : arrays (n,)
        The coordinates q. qd holds the first-order states (eq. 29) and the rates that were asked for.
    residual : array (n,)
        f(t, q, qd, 0). It is zero, except in the equations of coordinates that are locked or have a given rate: there
        it is the generalised force that holds the coordinate or its rate.
    names : tuple of str
        The unknowns: coordinates and first-order states.
    locked : tuple of str
        Locked coordinates, which kept the value of the guess.
    rates : dict
        Constant rates that were asked for.
    parameters, inputs : dict
        The values used; for an input its number or its formula.
    steps : int
        Steps of the search.
    system : CompiledSystem
        The equations that were solved.

    Example
    -------
    >>> from easydyn import examples
    >>> rest = examples.double_pendulum().equilibrium({"q1": 0.4, "q2": -0.3})
    >>> rest.stable, abs(rest["q1"]) < 1e-9
    (True, True)
    """

    status: str
    message: str
    stable: bool | None
    free: tuple[str, ...]
    t: float
    q: np.ndarray
    qd: np.ndarray
    residual: np.ndarray
    names: tuple[str, ...]
    steps: int
    parameters: dict[str, float]
    locked: tuple[str, ...]
    rates: dict[str, float]
    inputs: dict[str, Any]
    system: Any = field(repr=False)

    @property
    def found(self) -> bool:
        """True when this is an equilibrium."""
        return self.status != "not found"

    @property
    def qdd(self) -> np.ndarray:
        """Accelerations, and rates of states (n,): zero."""
        return np.zeros(len(self.names))

    def check(self) -> None:
        """ModelError, with the reason, when no equilibrium was found."""
        if not self.found:
            raise ModelError(f"model '{self.system.mechanism.name}': {self.message}")

    @property
    def initial(self) -> dict[str, float]:
        """The state by name (m, rad and the units of states), as `model.simulate(..., initial=eq.initial)` takes it.

        Raises ModelError when no equilibrium was found.
        """
        self.check()
        found: dict[str, float] = {}
        for name, state, q, qd in zip(self.names, self.system.states, self.q.tolist(), self.qd.tolist(), strict=True):
            found |= {name: qd} if state else {name: q, f"{name}.dot": qd}
        return found

    def __getitem__(self, name: Any) -> float:
        """Value of a coordinate ("q1"), of its rate ("q1.dot") or of a first-order state."""
        values = self.initial
        return values[name_in(name, values, "this equilibrium has no {!r}: it has {}.")]

    def frames(self, body: Any = None) -> np.ndarray:
        """The matrix T (4, 4) of a `body`, by name, or those of all bodies (bodies, 4, 4).

        Raises UnknownNameError for another body, ModelError when no equilibrium was found.
        """
        self.check()
        frames = self.system.frames(self.t, self.q, self.qd)
        if body is None:
            return frames
        return frames[place_of(body, self.system.mechanism.bodies)]

    def __repr__(self) -> str:
        mechanism = self.system.mechanism
        lines = [f"Equilibrium of '{mechanism.name}': {self.message}"]
        shown = np.where(self.system.states, self.qd, self.q)
        width = max(map(len, self.names))
        for name, value in zip(self.names, shown, strict=True):
            said = f"{name:<{width}} = {value:.10g} {mechanism.units.get(name, '')}".rstrip()
            said += ", locked" if name in self.locked else ""
            lines.append(f"  {said}, at a rate of {self.rates[name]:g}" if name in self.rates else f"  {said}")
        return "\n".join(lines)


@answers
def equilibrium(
    model: Any, initial: Mapping[str, Any] | None = None, *, t: float = 0.0,
    parameters: Mapping[str, Any] | None = None, inputs: Mapping[str, Any] | None = None, locked: Any = None,
    rates: Mapping[str, Any] | None = None, target: str = "python", scheme: str = "recursive",
) -> Equilibrium:  # fmt: skip
    """Find the stable static equilibrium, f(t, q, 0, 0) = 0, that is reached from a guess.

    Open contacts have no stiffness that could guide Newton's method. They are found nevertheless: the search lets
    the system fall, without momentum, until it rests. Frames that depend on time are taken at t. On a turntable,
    for example, the result is relative rest.

    Parameters
    ----------
    model : Model
        The model.
    initial : dict, optional
        The guess where it differs from the model's initial values: {"q1": 0.2}.
    t : float
        Time at which frames and efforts are taken (s).
    parameters : dict, optional
        Values that differ from the model's own.
    inputs : dict, optional
        As in `simulate`: numbers, tables and functions (taken at t), formulas of the model's symbols.
    locked : list, optional
        Coordinates that keep the value of the guess. If left out, these are the coordinates locked by `model.lock`.
        `eq.residual` holds the force that keeps them there.
    rates : dict, optional
        Coordinates that turn or slide at a constant rate: {"spin": 100}.
    target, scheme : str
        As in `compile`.

    Returns
    -------
    Equilibrium
        With `q`, `qd`, `residual`, `status`, `message`, `stable`; `eq["q1"]`, `eq.frames("arm")`. If no equilibrium
        is found, `status` is "not found", `message` names the coordinate that runs away, and `eq["q1"]` raises
        ModelError.

    Raises
    ------
    InputError
        An unknown name, a value that is not a number.
    NotFiniteError
        When the equations give NaN at the guess.

    Example
    -------
    >>> from easydyn import examples
    >>> crank = examples.slider_crank()
    >>> crank.equilibrium()
    Equilibrium of 'slider-crank': in stable equilibrium.
      q = -1.570796327 rad
    """
    time = finite(t, "t")
    system, given = system_for(model, time, parameters, inputs, target, scheme, carried=False)
    names = system.names
    rates = {name: finite(value, f"the rate of {name}") for name, value in by_name(rates, "rates", '{"q1": 2}').items()}
    locks = [name for name in locked_at(model, locked, time) if name not in rates]
    moving = [system.names[j] for j in system.mechanism.moving]  # those for which d'Alembert's equation is left out
    message = "rates has {!r}: expected coordinates that move bodies, of {}."
    kept = [*locks, *(name_in(name, moving, message) for name in rates)]
    for name in by_name(initial, "initial", '{"q1": 0.2}'):
        if name.endswith(".dot"):
            raise InputError(
                f"initial has {name!r}: an equilibrium is at rest. Give rates={{'{name[:-4]}': ...}} for a coordinate "
                "that turns or slides at a constant rate."
            )
    kept += map(str, system.mechanism.algebraic)  # they follow
    q, qd = model.initial(initial, system.parameters)
    qd = np.array([rates.get(x, v if state else 0.0) for x, v, state in zip(names, qd, system.states, strict=True)])
    if model.constraints:
        without_drives(system.mechanism, "equilibrium")
        at = model.solver.constraints_at(system.parameters, time)
        if rates:
            raise InputError(
                f"rates={dict(rates)}: an equilibrium of a model with constraints is at rest. Drive the coordinate: "
                "write its motion, a formula of t, into the transforms."
            )
        q[: at.n] = at.assemble(q[: at.n], 0 * q[: at.n], kept, list(initial or ())).q
        here: Statics = ClosedStatics(system, at, time, q, qd, kept)
    else:
        here = Statics(system, time, q, qd, np.array([x not in kept for x in names]))
    start = here.x0
    f = here.problem.residual(start)
    if not np.all(np.isfinite(f)):
        raise NotFiniteError(
            f"the residual of model '{model.name}' is not finite at the guess ({shown(names, here.shown(start))}): a "
            "square root, arcsine or logarithm may be out of its domain, or a length zero. Start from another guess: "
            "initial={...}.",
            time=here.t,
        )
    with progress_bar(None) as report:
        rest = relax(here.problem, start, report)
    return _result(here, rest, tuple(locks), rates, given)


class Statics:
    """The equilibrium equations of a system; the unknowns are the coordinates that are not locked, and the states."""

    def __init__(self, system: Any, t: float, q: np.ndarray, qd: np.ndarray, free: np.ndarray):
        self.system, self.t, self.q, self.qd, self.free = system, t, q, qd, free
        self.at_rest = np.zeros(system.n)
        self.states = system.states
        self.x0 = np.where(self.states, qd, q)[free]
        self.rows = rows_of(system, free)
        reach = np.where(self._turning(), TURN, np.inf)[free]
        self.problem = Problem(self.forces, self.derivative, np.where(self.states, 1, 2)[free], reach)

    def _turning(self) -> np.ndarray:
        """True for the angles on which stiffness depends (n,): that of a rotor behind a gear may be any."""
        mechanism, bent = self.system.mechanism, set(range(self.system.n))
        if not mechanism.callbacks and not mechanism.constraints:
            nodes = self.system.program(Jacobian("q")).nodes
            bent = {node.value[1] for node in nodes if node.op == "input" and node.value[0] == "q"}
        units = mechanism.units
        return np.array([units.get(x) == "rad" and j in bent for j, x in enumerate(self.system.names)], dtype=bool)

    def state(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, qd) of the unknowns x."""
        whole = np.where(self.states, self.qd, self.q)
        whole[self.free] = x
        q, qd = np.where(self.states, 0.0, whole), np.where(self.states, whole, self.qd)
        return q, nearest(self.system, self.t, q, qd)

    def shown(self, x: np.ndarray) -> np.ndarray:
        """Coordinates and states (n,)."""
        q, qd = self.state(x)
        return np.where(self.states, qd, q)

    def _at(self, x: np.ndarray, rates: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """The arguments of the residual, with rates of the unknowns that are coordinates."""
        q, qd = self.state(x)
        moving = self.free & ~self.states
        qd[moving] += rates[~self.states[self.free]]
        return self.t, q, qd, self.at_rest

    def forces(self, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """The residual of the equations that apply."""
        return self.system.residual(*self._at(x, rates))[self.rows]

    def matrices(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, C, K of small motions about rest at x."""
        none, states = np.zeros(len(x)), self.states[self.free]
        M, J = self.derivative("D", x, none), self.derivative("J", x, none)
        C = np.where(states, J, self.derivative("C", x, none))
        return M, C, np.where(states, 0.0, J)

    def lacking(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """The residual of all equations (n,) at rest."""
        return np.asarray(self.system.residual(self.t, q, qd, self.at_rest))

    def differences(self, x: np.ndarray, rates: np.ndarray, noise: float = 0.0) -> np.ndarray:
        """J by central differences of the forces; a change of no more than the noise is none."""
        J = differences(lambda y: self.forces(y, rates), x) if len(x) else np.zeros((0, 0))
        return np.where(np.abs(J) * 2 * STEP * np.maximum(1.0, np.abs(x)) <= noise, 0.0, J)

    def _left(self, N: np.ndarray) -> np.ndarray:
        """N' for equations, which come in the order of those that move, then the others."""
        moving = self.system.mechanism.moving
        return N[[*moving, *(j for j in range(self.system.n) if j not in moving)]].T

    def derivative(self, what: str, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        """J, C or D: the value of a state stands in qd."""
        at, states = self._at(x, rates), self.states[self.free]

        def by(slot: str) -> np.ndarray:
            return self.system.jacobian(slot, *at)[self.rows][:, self.free]

        if what == "D":
            return by("qdd")
        if what == "C":
            return np.where(states, 0.0, by("qd"))
        return np.where(states, by("qd"), by("q")) if states.any() else by("q")


class ClosedStatics(Statics):
    """The same of a system with constraints: unknowns are the independent coordinates, and the states.

    What the constraints carry is unknown, too; it falls out in the directions in which they allow motion.
    """

    def __init__(self, system: Any, at: Constraints, t: float, q: np.ndarray, qd: np.ndarray, held: Sequence[str]):
        self.manifold = Manifold(at, q[: at.n].copy(), held)
        dependent = [at.names[j] for j in self.manifold.dependent]
        free = np.array([name not in (*dependent, *held) for name in system.names], dtype=bool)
        super().__init__(system, t, q, qd, free)
        self._places = [j for j in self.manifold.independent if free[j]]  # of coordinates

    def state(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        q, qd = super().state(x)
        n = self.manifold.at.n
        found = self.manifold.whole(q[self.manifold.independent])
        q[:n] = np.nan if found is None else found
        return q, qd

    def _directions(self, q: np.ndarray) -> np.ndarray:
        """Rates of all unknowns (n, free) for unit rates of those that are free, states as they are."""
        n, N = self.manifold.at.n, np.eye(self.system.n)[:, self.free]
        moved = [k for k, j in enumerate(np.flatnonzero(self.free)) if j < n]
        basis = self.manifold.basis(q[:n])
        N[:n, moved] = basis[:, [self.manifold.independent.index(j) for j in self._places]]
        return N

    def forces(self, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        q, qd = self.state(x)
        if not np.isfinite(q).all():
            return np.full(len(x), np.nan)
        N = self._directions(q)
        qd = qd + N @ np.where(self.states[self.free], 0.0, rates)
        return self._left(N) @ self.system.residual(self.t, q, qd, self.at_rest)

    def derivative(self, what: str, x: np.ndarray, rates: np.ndarray) -> np.ndarray:
        if what == "J":
            return self.differences(x, rates, self._rounding(x))
        q, qd = self.state(x)
        if not np.isfinite(q).all():
            return np.full((len(x), len(x)), np.nan)
        N = self._directions(q)
        by = self.system.jacobian("qdd" if what == "D" else "qd", self.t, q, qd, self.at_rest)
        found = self._left(N) @ by @ N
        return np.where(self.states[self.free], 0.0, found) if what == "C" else found

    def _rounding(self, x: np.ndarray) -> float:
        """What rounding leaves of forces that cancel in the directions of motion: less is no stiffness."""
        q, qd = self.state(x)
        if not np.isfinite(q).all():
            return 0.0
        loads = self.system.residual(self.t, q, qd, self.at_rest)
        return float(16 * np.finfo(float).eps * np.abs(loads).sum() * np.abs(self._directions(q)).max(initial=1.0))

    def lacking(self, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        f = super().lacking(q, qd)
        moving, at = list(self.system.mechanism.moving), self.manifold.at
        J = at.jacobian(q[: at.n])[:, moving]
        f[: len(moving)] -= J.T @ np.linalg.lstsq(J.T, f[: len(moving)], rcond=1e-10)[0]
        return f


def _result(here: Statics, rest: Rest, locked: tuple[str, ...], rates: dict[str, float], inputs: Any) -> Equilibrium:
    system, x = here.system, rest.x
    q, qd = here.state(x)
    names = [name for name, free in zip(system.names, here.free, strict=True) if free]
    status, stable = "found", None
    free: tuple[str, ...] = ()
    if not rest.found:
        status, message = "not found", _why_not(here, rest, names)
    else:
        directions = free_directions(here.problem.jacobian(x), x)
        free = _involved(directions, names, scale_of(x))
        if free:
            status = "indifferent"
        stable, message = stability_of(here, x, names, free)
    return Equilibrium(
        status=status, message=message, stable=stable, free=free, t=here.t, q=q, qd=qd,
        residual=here.lacking(q, qd), names=system.names, steps=rest.steps,
        parameters=dict(system.parameters), locked=locked, rates=rates, inputs=inputs, system=system,
    )  # fmt: skip


def _involved(directions: np.ndarray, names: Sequence[str], scale: np.ndarray) -> tuple[str, ...]:
    """Names of the unknowns that take part in some of the directions."""
    sizes = np.abs(directions / scale[:, None])
    taking_part = np.any(sizes > 0.1 * sizes.max(axis=0, initial=1e-300), axis=1)
    return tuple(name for name, x in zip(names, taking_part, strict=True) if x)


def stability_of(here: Statics, x: np.ndarray, names: Sequence[str], free: Sequence[str]) -> tuple[bool | None, str]:
    """Whether an equilibrium is stable, according to the poles, and a sentence about it."""
    M, C, K = here.matrices(x)
    poles, shapes = np.zeros(0), np.zeros((len(x), 0))
    known = all(np.all(np.isfinite(matrix)) for matrix in (M, C, K))
    if known and len(x):
        try:
            poles, shapes, *_ = spectrum(M, C, K, here.states[here.free])
        except np.linalg.LinAlgError:
            known = False
    if len(poles):
        worst = int(np.argmax(poles.real))
        if poles[worst].real > MARGIN * np.abs(poles).max():
            who = " and ".join(_involved(np.abs(shapes[:, worst : worst + 1]), names, np.ones(len(x))))
            kind = "grows" if poles[worst].imag == 0 else "oscillates and grows"
            return False, (
                f"in equilibrium, but it is unstable: a motion of {who} {kind} as exp({poles[worst].real:.4g} t). "
                "Start from another guess, initial={...}, for a stable one."
            )
    if free:
        several = len(free) > 1
        return None, (
            f"in equilibrium, but it is indifferent: no stiffness determines {' and '.join(free)}, so that other "
            f"values of {'them' if several else 'it'} would do as well. Add a spring, or lock it: locked={[free[0]]}."
        )
    if not known:
        return None, (
            "in equilibrium; whether it is stable cannot be told, because some derivative of the equations is not "
            "finite there, or no inertia determines an acceleration."
        )
    return True, "in stable equilibrium."


def _why_not(here: Statics, rest: Rest, names: Sequence[str]) -> str:
    """Which coordinate runs away, or where it got stuck."""
    x, scale = rest.x, scale_of(rest.x)
    f = here.problem.residual(x)
    if rest.runaway and np.any(rest.last):
        sizes = np.abs(rest.last) / np.where(np.isfinite(here.problem.reach), 1.0, scale)
        who = int(np.argmax(sizes))
        together = [name for name, size in zip(names, sizes, strict=True) if size > 0.3 * sizes[who]]
        keep = "keep" if len(together) > 1 else "keeps"
        return (
            f"no equilibrium: {' and '.join(together)} {keep} running away ({names[who]} = {x[who]:.3g} when the "
            "search ended), and nothing holds it. Add the spring, the stop or the effort that should balance it, lock "
            f"it with locked={[names[who]]}, or give it a constant rate with rates={{{names[who]!r}: ...}}."
        )
    J = here.problem.jacobian(x)
    undetermined = _involved(free_directions(J, x), names, scale) if np.isfinite(J).all() else ()
    if undetermined:
        return (
            f"no equilibrium was found: no stiffness determines {' and '.join(undetermined)}, and a force acts on it "
            f"all the same (where the search ended, {shown(names, x)}). Add what should balance it, or lock it: "
            f"locked={[undetermined[0]]}."
        )
    worst = int(np.argmax(np.abs(f) / np.maximum(np.abs(here.problem.inertia(x)).sum(axis=1), 1e-300)))
    return (
        f"no equilibrium was found in {rest.steps} steps: where the search ended ({shown(names, x)}) a residual of "
        f"{f[worst]:.3g} is left in equation {worst + 1}. Start from another guess: initial={{...}}."
    )
