"""Kinematics by hand: the user writes T, vG, omega, aG, omegad of each body; mbs.py does the rest (section V.C).

The original `mbs` module works in this way: partial contributions are computed numerically (eq. 31). `check_motion`
compares the kinematics that the user wrote with the derivatives of T.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from easydyn.arguments import answers, no_unknown_options
from easydyn.errors import InputError, ModelError
from easydyn.inputs import (
    by_name,
    expect,
    finite,
    function,
    is_text,
    name_in,
    positive,
    real_array,
    state_vector,
    text,
    unknowns_of,
    whole,
)
from easydyn.mechanics import mbs
from easydyn.mechanics.mbs import Bodies, resultant
from easydyn.mechanics.mechanism import Body, Mechanism
from easydyn.model.declarations import inertial
from easydyn.model.motors import VECTORS, WORDS, HandState
from easydyn.result.by_hand import integrate, trajectory
from easydyn.result.trajectory import Trajectory
from easydyn.run.balance import judged, warned
from easydyn.sim.driver import drive
from easydyn.sim.functions import Guarded, of_python
from easydyn.sim.linear import culprits, inverse, singular
from easydyn.sim.request import OPTIONS, Request
from easydyn.vec import Inertia, Transform, as_transform, axial, vector

ComputeMotion = Callable[[Any, Any, Any, Any, Any], None]


@answers
class System:
    """A multibody system whose kinematics is written by hand, in numbers.

    A state is given as `t` (s), and `q`, `qd`, `qdd` (n,): coordinates (m, rad), rates and accelerations. Methods that
    take many states at once say so.

    Parameters
    ----------
    name : str
        Name of the system.
    compute_motion : callable
        `compute_motion(t, q, qd, qdd, bodies)` fills `T` (frame at the centre of mass), `vG, omega, aG, omegad`
        (ground components) of `bodies[0]`, `bodies[1]`, ... or `bodies["name"]`. In motor calculus it fills, instead of
        the last four, `velocity` and `velocity_rate`, motors in body axes about the origin of T, and `momentum` if
        wanted.
    coordinates : str or list of str
        Names of the generalised coordinates.
    gravity : 3 floats (m/s2), optional
        None if left out.
    initial, rates : floats, optional
        Coordinates and rates at the start; zero if left out.
    efforts : callable, optional
        `efforts(t, bodies)` adds to `bodies[i].R` (N) and `.MG` (N m).

    Raises
    ------
    InputError
        No name, a function that cannot be called with these arguments, a wrong number of values.

    Example
    -------
    >>> from easydyn import System, trotz, tdisp, vcoord, cross
    >>> def compute_motion(t, q, qd, qdd, bodies):
    ...     b = bodies[0]
    ...     b.T = trotz(q[0]) * tdisp(0, -1.0, 0)
    ...     b.omega, b.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
    ...     r = b.T.e
    ...     b.vG = cross(b.omega, r)
    ...     b.aG = cross(b.omegad, r) + cross(b.omega, cross(b.omega, r))
    >>> pendulum = System("pendulum", compute_motion, coordinates="q", gravity=(0, -9.81, 0), initial=1.0)
    >>> pendulum.body("bob", mass=1, inertia=(0, 0, 0))
    >>> check_motion(pendulum)
    []
    >>> round(float(pendulum.accelerations(0, [0.5], [0])[0] / np.sin(0.5)), 9)
    -9.81
    """

    def __init__(
        self,
        name: str,
        compute_motion: ComputeMotion,
        *,
        coordinates: Any,
        gravity: Any = (0, 0, 0),
        initial: Any = 0.0,
        rates: Any = 0.0,
        efforts: Callable[..., None] | None = None,
    ):
        text(name, "the name of a System", '"double pendulum"')
        function(compute_motion, f"compute_motion of '{name}'", "t, q, qd, qdd, bodies")
        if efforts is not None:
            function(efforts, f"efforts of '{name}'", "t, bodies")
        self.name = name
        self.names = _names(coordinates)
        self.n = len(self.names)
        self.gravity = vector(gravity, "gravity").map(lambda x: finite(x, "gravity"))
        self.q = _start(initial, self.n, "initial")
        self.qd = _start(rates, self.n, "rates")
        self._compute_motion = Guarded(compute_motion, f"compute_motion of '{name}'", ModelError, _at_state)
        self._efforts = None if efforts is None else Guarded(efforts, f"the efforts of '{name}'", ModelError)
        self._data: dict[str, tuple[float, Inertia]] = {}

    def body(self, name: str, *, mass: Any = None, inertia: Any = None) -> None:
        """Add a body, `name`: `mass` (kg), `inertia` (kg m2) about its centre of mass in its axes, as in `Model.body`.

        Raises InputError for a value that is missing or is not a number, ModelError for a name that is taken or a
        negative mass.
        """
        if not is_text(name) or name == "ground" or name in self._data:
            raise ModelError(
                f"the name of a body is {name!r}: expected a text that no other body of '{self.name}' has, nor the "
                "ground."
            )
        self._data[name] = inertial(mass, inertia, f"body '{name}'", finite)

    # -- one state ------------------------------------------------------------------------------------------------

    def new_bodies(self) -> Bodies:
        """Make bodies at rest in the ground frame, without efforts."""
        return Bodies([HandState(name, mass, inertia) for name, (mass, inertia) in self._data.items()])

    def motion(self, t: float, q: Any, qd: Any, qdd: Any) -> Bodies:
        """The bodies as `compute_motion` fills them."""
        bodies, (q, qd, qdd) = self.new_bodies(), self._rows(True, q=q, qd=qd, qdd=qdd)
        self._fill(finite(t, "t"), q, qd, qdd, bodies)
        return bodies

    def _fill(self, t: Any, q: Any, qd: Any, qdd: Any, bodies: Any) -> None:
        if not self._data:
            raise ModelError(f"'{self.name}' has no bodies: add them with system.body(name, mass=, inertia=).")
        for b in bodies:
            b.begin()
        self._compute_motion(t, q, qd, qdd, bodies)
        for b in bodies:
            if not isinstance(b.T, Transform):
                b.T = as_transform(b.T, f"the T of body '{b.name}'")
            b.read()
            for name in VECTORS:
                setattr(b, name, resultant(getattr(b, name), f"{name} of body '{b.name}'"))

    def loaded(self, t: float, q: Any, qd: Any, qdd: Any) -> Bodies:
        """The bodies in motion, with partial contributions (eq. 31) and all efforts; ModelError if an effort fails."""
        bodies = self.new_bodies()
        mbs.numeric_partial_contributions(self._fill, t, q, bodies)
        self._fill(t, q, qd, qdd, bodies)
        mbs.apply_gravity(bodies, self.gravity)
        if self._efforts is not None:
            self._efforts(t, bodies)
        return bodies

    def residual(self, t: float, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """f(t, q, qd, qdd) of eq. (6), (n,)."""
        q, qd, qdd = self._rows(True, q=q, qd=qd, qdd=qdd)
        return self._residual(finite(t, "t"), q, qd, qdd)

    def _residual(self, t: float, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        f = mbs.residual(list(self.loaded(t, q, qd, qdd)), self.n)
        return real_array(f, f"the residual of '{self.name}'", "numbers: no symbols in T, R and MG of the bodies")

    def mass_matrix(self, t: float, q: Any) -> np.ndarray:
        """M of eq. (8), (n, n)."""
        (q,), rest = self._rows(True, q=q), np.zeros(self.n)
        M = mbs.mass_matrix(list(self.loaded(finite(t, "t"), q, rest, rest)), self.n)
        return real_array(M, f"the mass matrix of '{self.name}'", "numbers: no symbols in the T of the bodies")

    def accelerations(self, t: float, q: Any, qd: Any) -> np.ndarray:
        """qdd (n,) for which the residual is zero; SingularMatrixError if M cannot be inverted."""
        q, qd = self._rows(True, q=q, qd=qd)
        M = self.mass_matrix(t, q)
        solver = inverse(M)
        if solver is None:
            raise singular(culprits(M, self.names), t)
        return -np.linalg.solve(M, self.residual(t, q, qd, np.zeros(self.n)))

    def frames(self, t: Any, q: Any, qd: Any = None) -> np.ndarray:
        """The 4x4 matrices of the bodies, (..., bodies, 4, 4), for one state or many, q (..., n); none depends on `qd`.

        Raises InputError if the numbers of instants and states differ.
        """
        (q,) = self._rows(q=q)
        rest = np.zeros(self.n)
        lead = q.shape[:-1]
        given = real_array(t, "t")
        expect(given.shape in ((), lead), "t", given.shape, f"{lead}, as many instants as states, or one", "has shape")
        states = zip(np.broadcast_to(given, lead).ravel(), q.reshape(-1, self.n), strict=True)
        found = [[b.T.matrix for b in self.motion(ti, qi, rest, rest)] for ti, qi in states]
        return np.array(found).reshape((*lead, len(self._data), 4, 4))

    def energies(self, t: Any, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Kinetic and gravity energy (J), power of other efforts (W), (..., 3); one state or many, q (..., n)."""
        q, qd, qdd = self._rows(q=q, qd=qd, qdd=qdd)
        lead = q.shape[:-1]
        states = zip(np.broadcast_to(t, lead).ravel(), *(x.reshape(-1, self.n) for x in (q, qd, qdd)), strict=True)
        return np.array([self._energies(*state) for state in states]).reshape((*lead, 3))

    def closed(self, run: Trajectory, rows: np.ndarray) -> Trajectory:
        """The `run` itself for any `rows` (k,), because it has no loops."""
        return run

    def energies_along(self, run: Trajectory) -> np.ndarray:
        """Kinetic energy and potential of gravity (J) along a `run`, (N, 2)."""
        return self.energies(run.t, run.q, run.qd, run.qdd)[:, :2]

    def balances(self, run: Trajectory) -> np.ndarray:
        """Loads that bodies need beside efforts along a `run`, and motion: F, M, G, vG, omega, (N, bodies, 5, 3)."""
        return self._balances(run.t, run.q, run.qd, run.qdd)

    def _balances(self, *columns: np.ndarray) -> np.ndarray:
        states = [self.loaded(*row) for row in zip(*columns, strict=True)]
        found = [[(b.force_balance(), b.moment_balance(), b.G, b.vG, b.omega) for b in state] for state in states]
        return np.array(found, dtype=float)

    def motions(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """G, vG, omega of each body at some states, (N, bodies, 3, 3)."""
        return self._balances(t, q, qd, np.zeros(q.shape))[:, :, 2:]

    def drives(self, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
        """Empty at any `t` (s), `q`, `qd` (N, n), because no frame follows a state."""
        return {}

    def actions(self, run: Trajectory) -> list[Any]:
        """Empty for any `run`, because efforts in plain Python do not say between which bodies they act."""
        return []

    def _rows(self, one: bool = False, /, **vectors: Any) -> list[np.ndarray]:
        """Arrays (..., n) of what was given by name, of `one` state (n,)."""
        read, shape = (state_vector, f"({self.n},)") if one else (real_array, f"(..., {self.n})")
        found = [read(value, what) for what, value in vectors.items()]
        for what, array in zip(vectors, found, strict=True):
            if array.ndim == 0 or array.shape[-1] != self.n or array.shape != found[0].shape:
                raise InputError(
                    f"{what} has shape {array.shape}: expected {shape}, one value for each of {', '.join(self.names)}."
                )
        return found

    def _energies(self, t: float, q: Any, qd: Any, qdd: Any) -> list[float]:
        bodies = self.loaded(t, q, qd, qdd)
        weight = sum(mbs.dot(self.gravity, vector(b.vG)) * b.mass for b in bodies)
        supplied = mbs.power(bodies) - weight + mbs.driving_power(bodies)
        return [mbs.kinetic_energy(bodies), mbs.gravity_potential(bodies, self.gravity), supplied]

    # -- what a Trajectory asks -----------------------------------------------------------------------------------

    @property
    def mechanism(self) -> Any:
        """The bodies by name, as a Trajectory needs them."""
        bodies = tuple(Body(name, Transform(), mass, inertia) for name, (mass, inertia) in self._data.items())
        return Mechanism(self.name, bodies=bodies)

    def source(self, parameters: Mapping[str, Any] | None = None) -> System:
        """The source of the values of a Trajectory: the system itself, which has no `parameters`."""
        return self

    def along(self, run: Trajectory, expression: Any) -> np.ndarray:
        """Raise ModelError: there are no symbols, so no `expression` can be evaluated along a `run` (N,)."""
        raise ModelError(
            f"run.of({expression!r}): '{self.name}' is written in numbers and has no symbols. Use run[name] and "
            "run.frames, or describe the system as a Model."
        )

    def element(self, run: Trajectory, effort: Any) -> np.ndarray:
        """Raise ModelError: efforts are a function here, so no `effort` can be evaluated along a `run` (N,)."""
        raise ModelError(
            f"{effort!r}: '{self.name}' is written in numbers and has no force elements. See run.energy, or describe "
            "the system as a Model."
        )

    supplied = element

    def locking_force(self, run: Trajectory, coordinate: Any) -> np.ndarray:
        """Raise ModelError: no `coordinate` is locked along a `run` (N,) of kinematics by hand."""
        raise ModelError(
            f"run.locking_force({str(coordinate)!r}): '{self.name}' is written in numbers, and its coordinates cannot "
            "be locked. Describe the system as a Model."
        )

    def simulate(
        self, t_final: float, *, initial: Mapping[str, Any] | None = None, t_start: float = 0.0, **options: Any
    ) -> Trajectory:
        """Integrate the motion by Newmark's method, or another one.

        Parameters
        ----------
        t_final : float
            End of the run (s).
        initial : dict, optional
            Values at the start that differ from those of the system: {"q1": 0.3, "q1.dot": 2}.
        t_start : float
            Start of the run (s), 0 by default.
        **options
            Those of `integrate`: tolerance, max_step, save_every, method, jumps, ...

        Returns
        -------
        Trajectory
            As from `Model.simulate`.

        Raises
        ------
        UnknownNameError, InputError
            A name or an option that does not exist, a value that is not a number.
        IntegrationError
            As in `Model.simulate`.
        """
        q, qd = self.q.copy(), self.qd.copy()
        message = f"initial has {{!r}}, which '{self.name}' does not know: expected one of {{}}."
        for key, value in by_name(initial, "initial", '{"q1": 0.3, "q1.dot": 2}').items():
            name_in(key, [*self.names, *(f"{x}.dot" for x in self.names)], message)
            base, _, suffix = key.partition(".")
            (qd if suffix else q)[self.names.index(base)] = finite(value, f"the initial value of {key}")
        no_unknown_options(options, self.simulate, integrate)
        request = Request(t_final, t_start, **{x: options.pop(x) for x in OPTIONS if x in options})
        return drive(
            of_python(self._residual, self.n), request, q=q, qd=qd, names=self.names,
            made=lambda *motion: trajectory(*motion, source=self, title=self.name), judge=self._judge_of(request),
            rates=lambda *state: self.energies(*state)[2:], **options,
        )  # fmt: skip

    def _judge_of(self, request: Request) -> Any:
        """What looks at the energy of a run: see balance.py."""
        n = self.n

        def energies(x: list[float]) -> Any:
            return self.energies(x[0], np.array(x[1 : 1 + n]), np.array(x[1 + n : 1 + 2 * n]), np.zeros(n))[:2]

        return lambda run, records: warned(judged(run, records, energies, request), f"'{self.name}'")


@answers
def check_motion(
    system: System, *, samples: int = 5, seed: int = 0, span: float = 1.0, tolerance: float = 1e-6
) -> list[str]:
    """Compare hand-written kinematics with the derivatives of T (eqs. 36-38) at random states.

    Motors are compared in body axes with the same derivatives. A momentum motor is compared with the momentum that
    follows from the inertia.

    Parameters
    ----------
    system : System
        The system whose `compute_motion` is checked.
    samples, seed : int
        Number of random states, and the seed of the random numbers.
    span : float
        Coordinates, rates and accelerations (m, rad, s) are drawn from [-span, span] around the initial coordinates.
    tolerance : float
        Largest accepted difference, relative to the size of the quantity (or to 1) (no unit).

    Returns
    -------
    list of str
        A sentence for each body and component that is wrong; empty when everything is correct.

    Raises
    ------
    InputError
        An argument that is not a System, numbers that make no sense.

    Example
    -------
    >>> from easydyn import System, tdisp, vcoord
    >>> def compute_motion(t, q, qd, qdd, bodies):
    ...     bodies[0].T = tdisp(q[0] ** 2, 0, 0)
    ...     bodies[0].vG = vcoord(2 * q[0] * qd[0], 0, 0)
    ...     bodies[0].aG = vcoord(2 * q[0] * qdd[0], 0, 0)
    >>> slider = System("slider", compute_motion, coordinates="q")
    >>> slider.body("slider", mass=1, inertia=(0, 0, 0))
    >>> [finding[:52] for finding in check_motion(slider)]
    ["body 'slider': component x of aG (acceleration) is -"]
    """
    if not isinstance(system, System):
        raise InputError(f"check_motion got {system!r}: expected a System; a Model derives its motion itself.")
    samples = whole(samples, "samples", 1_000_000)
    seed = whole(seed, "seed", 2**63, least=0)
    span, tolerance = min(positive(span, "span"), 1e300), positive(tolerance, "tolerance")
    generator = np.random.default_rng(seed)
    worst: dict[tuple[str, str, int], tuple[float, float, float]] = {}
    for _ in range(samples):
        t = float(generator.uniform(0, span))
        q = system.q + generator.uniform(-span, span, system.n)
        qd, qdd = generator.uniform(-span, span, (2, system.n))
        _compare(system, t, q, qd, qdd, tolerance, worst)
    findings = []
    for (body, name, component), (_, written, derived) in sorted(worst.items()):
        word, unit, judge = WORDS[name]
        findings.append(
            f"body '{body}': component {'xyz'[component]} of {name} ({word}) is {written:.6g} {unit} as written, but "
            f"{judge} gives {derived:.6g}."
        )
    return findings


def _compare(system: System, t: float, q: Any, qd: Any, qdd: Any, tolerance: float, worst: Any) -> None:
    """Central differences of eighth order along q + qd s + qdd s^2/2: exact to about 1e-10."""
    s, weights = 1e-2, (4 / 5, -1 / 5, 4 / 105, -1 / 280)

    def at(x: float) -> Bodies:
        return system.motion(t + x, q + qd * x + qdd * x * x / 2, qd + qdd * x, qdd)

    steps = [(at(k * s), at(-k * s), w / s) for k, w in enumerate(weights, start=1)]
    here: Any = at(0.0)
    for i, body in enumerate(here):

        def slope(pick: Callable[[HandState], np.ndarray], i: int = i) -> np.ndarray:
            return sum((pick(a[i]) - pick(b[i])) * w for a, b, w in steps)  # type: ignore[return-value]

        W = slope(lambda b: np.asarray(b.T.R)) @ np.asarray(body.T.R).T  # (37)
        e = slope(lambda b: np.asarray(b.T.e, dtype=float))
        derived = body.expected(e, np.array(axial(W)), lambda part: slope(lambda b: b.parts()[part]))
        parts = body.parts()
        for name, right in derived.items():
            written = parts[name]
            for c in range(3):
                difference = abs(written[c] - right[c]) / max(1.0, float(np.abs(right).max()))
                key = (body.name, name, c)
                if not difference <= max(tolerance, worst.get(key, (0.0,))[0]):
                    worst[key] = (difference, float(written[c]), float(right[c]))


def _at_state(t: float, q: Any, *_: Any) -> str:
    return f"t = {t:g} s, q = {np.asarray(q)}"


def _names(coordinates: Any) -> list[str]:
    found = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else coordinates
    if not isinstance(found, list | tuple) or not found or len(set(map(str, found))) < len(found):
        raise InputError(f'coordinates={coordinates!r}: expected different names, such as "q1 q2".')
    return unknowns_of(found, "coordinates")


def _start(value: Any, n: int, what: str) -> np.ndarray:
    return state_vector(np.full(n, value) if isinstance(value, int | float) else value, what, n)
