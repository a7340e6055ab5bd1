"""Small motions about a state: M, C, K, B, poles, modes, frequency response, state space.

    f(t, q + dq, qd + dqd, qdd + dqdd, u + du) = f + M dqdd + C dqd + K dq - B du + ...

A first-order state stands in qd (eq. 29): its column of C multiplies the state, its column of M multiplies the
derivative of the state, and its column of K is zero. The matrices are exact derivatives of the programmed equations,
not differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from easydyn.analysis.modes import Modes, mode_of, modes_of, poles_of
from easydyn.analysis.setting import shown
from easydyn.analysis.spectrum import regular, state_matrices
from easydyn.analysis.state import OperatingPoint, Unlocked, state_of
from easydyn.arguments import answers, asked
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.inputs import expect, finite, finite_array, listed, real_array
from easydyn.inputs import whole as whole_number
from easydyn.sim.linear import culprits, singular

if TYPE_CHECKING:
    from easydyn.analysis import poleplots, regulator

# of `check`: central differences of fourth order, beside the values; two lengths, without what jumps there
_STENCIL = 1e-4 * np.array([-2, -1, -0.5, 0.5, 1, 2])
_SIDE = 1e-7  # m or rad (and per s), to either side of a state


class _Matrices(NamedTuple):
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class StateSpace(_Matrices):
    """Linear equations of first order, in the form of control theory: x' = A x + B u, y = C x + D u.

    A StateSpace is the tuple (A, B, C, D), as other programs take it: `control.ss(*space)`,
    `scipy.signal.StateSpace(*space)`.

    Attributes
    ----------
    A : array (s, s)
        System matrix, of the state x with s values.
    B : array (s, inputs)
        Input matrix: how the inputs u act on the rates of the state.
    C : array (outputs, s)
        Output matrix: how the outputs y depend on the state.
    D : array (outputs, inputs)
        Feedthrough matrix: how the outputs depend directly on the inputs.
    states, inputs, outputs : tuple of str
        The names of the components of x, u and y.

    Example
    -------
    >>> from easydyn import examples
    >>> system = examples.double_pendulum().linearize().state_space()
    >>> system.states, system.A.shape
    (('q1', 'q2', 'q1.dot', 'q2.dot'), (4, 4))
    """

    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __new__(
        cls, A: Any, B: Any, C: Any, D: Any, states: Sequence[str], inputs: Sequence[str], outputs: Sequence[str]
    ) -> StateSpace:
        found = super().__new__(cls, A, B, C, D)
        found.states, found.inputs, found.outputs = tuple(states), tuple(inputs), tuple(outputs)
        return found

    def __reduce__(self) -> Any:
        return StateSpace, (*self, self.states, self.inputs, self.outputs)

    def __repr__(self) -> str:
        return (
            f"StateSpace(states {', '.join(self.states)}; inputs {', '.join(self.inputs) or 'none'}; "
            f"outputs {', '.join(self.outputs) or 'none'})"
        )


@answers
@dataclass(frozen=True, eq=False)
class Linearization:
    """The linearised equations M qdd + C qd + K q = B u about a state: first derivatives of the residual (eq. 6).

    Attributes
    ----------
    M, C, K : arrays (n, n)
        df/dqdd, df/dqd, df/dq: kg, N s/m, N/m, or per rad.
    B : array (n, inputs)
        -df/du.
    names : tuple of str
        The unknowns: coordinates that are not locked, then first-order states. In models with rolling, coordinates that
        are determined only by their rates stand before the first-order states.
    inputs, outputs : tuple of str
        The inputs and outputs of the model, by name.
    residual : array (n,)
        f at the state; zero if the state is part of a motion of the system.
    note : str
        A sentence on derivatives that are not exact, and why; otherwise empty.
    state : OperatingPoint
        Where the derivatives were taken; `t`, `q`, `qd`, `qdd` are its values.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, tdisp
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x")
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(GeneralizedForce(x, -8*x))
    >>> abs(model.linearize().poles())
    array([2., 2.])
    """

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    B: np.ndarray
    names: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    residual: np.ndarray
    note: str
    state: OperatingPoint = field(repr=False)

    _repr_html_ = asked("easydyn.result.rich:of_linearization")
    animate = asked("easydyn.visu.modes:animate_mode")
    lqr = regulator.lqr if TYPE_CHECKING else asked("easydyn.analysis.regulator:lqr")
    plot_mode = poleplots.plot_mode if TYPE_CHECKING else asked("easydyn.analysis.poleplots:plot_mode")
    plot_modes = poleplots.plot_modes if TYPE_CHECKING else asked("easydyn.analysis.poleplots:plot_modes")
    plot_poles = poleplots.plot_poles if TYPE_CHECKING else asked("easydyn.analysis.poleplots:plot_poles")
    plot_response = poleplots.plot_response if TYPE_CHECKING else asked("easydyn.analysis.poleplots:plot_response")

    # -- where --------------------------------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Time (s)."""
        return self.state.t

    @property
    def q(self) -> np.ndarray:
        """Coordinates of the whole model (n,), m or rad."""
        return self.state.q

    @property
    def qd(self) -> np.ndarray:
        """Their rates, and first-order states (n,)."""
        return self.state.qd

    @property
    def qdd(self) -> np.ndarray:
        """Accelerations, and rates of first-order states (n,)."""
        return self.state.qdd

    @property
    def states(self) -> np.ndarray:
        """True for unknowns of first order (n,): states, and coordinates that are determined only by their rates."""
        return self.state.directions.states

    # -- poles and modes ----------------------------------------------------------------------------------------------

    def poles(self) -> np.ndarray:
        """All poles (rad/s), complex, sorted by magnitude: the roots of det(M s^2 + C s + K).

        Two for each coordinate, one for each first-order state. Rigid-body motions give poles that are exactly zero.
        """
        return poles_of(self.M, self.C, self.K, self.states)

    def modes(self) -> Modes:
        """The modes by rising frequency, one for each pair of conjugate poles, with frequency (Hz), damping, shape."""
        return self._modes

    @cached_property
    def _modes(self) -> Modes:
        title = f"'{self.state.system.mechanism.name}'"
        return modes_of(self.M, self.C, self.K, self.states, self.names, title)

    def mode_frames(self, mode: Any, amplitude: float = 0.1, phases: Any = 16) -> np.ndarray:
        """Frames of all bodies along one period of a mode: q + amplitude Re(shape exp(i phase)).

        Parameters
        ----------
        mode : Mode or int
            One of `modes()`, or its number.
        amplitude : float
            Amplitude of the coordinate that moves most (m or rad).
        phases : int or array (N,)
            The number of phases, equally spaced over a period; or the phases (rad) themselves.

        Returns
        -------
        array (N, bodies, 4, 4)
            The frames, on the true path of each body: rotations are finite rotations, not linearised ones.

        Raises
        ------
        InputError
            The mode does not exist, or there is no phase.
        """
        shape = self.state.directions.spread(mode_of(self._modes, mode).shape)
        amplitude = finite(amplitude, "the amplitude")
        if isinstance(phases, int | np.integer) and not isinstance(phases, bool):
            expect(not phases < 1, "phases", phases, "a number of phases above zero, or an array of them")
            angles = np.arange(whole_number(phases, "phases", 100_000)) * (2 * np.pi / phases)
        else:
            angles = np.atleast_1d(real_array(phases, "phases"))
        return self.state.system.frames(*self.state.moved(shape, amplitude * np.exp(1j * angles)))

    # -- inputs and outputs -------------------------------------------------------------------------------------------

    def input_column(self, name: Any) -> np.ndarray:
        """The column (n,) of B for the input called `name`, or for a coordinate or a parameter.

        A coordinate stands for a generalised force in its equation (N or N m). A parameter p stands for small changes
        of its value: the column is -df/dp. Raises UnknownNameError for anything else.
        """
        name, system = str(name), self.state.system
        if name in self.inputs:
            return self.B[:, self.inputs.index(name)]
        moving = [system.names[j] for j in system.mechanism.moving]
        if name in moving and name in self.names:
            column = np.zeros(system.n)
            column[moving.index(name)] = 1
            return self.state.directions.column(column)
        if name in system.parameters:
            at = (self.t, self.q, self.qd, self.qdd)
            column = -system.jacobian("parameters", *at)[:, list(system.parameters).index(name)]
            return _defined(self.state.directions.column(column), f"of the equations by {name}")
        raise UnknownNameError(
            f"there is no input {name!r}: expected one of {', '.join([*self.inputs, *moving, *system.parameters])} (an "
            "input, a coordinate for a generalised force on it, or a parameter)."
        )

    def output_rows(self, name: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Derivatives (n,), (n,), (n,), (inputs,) of the output called `name`, by q, qd, qdd and u.

        Outputs are those of the model, and also coordinates, rates, accelerations and states ("q1", "q1.dot"). Raises
        UnknownNameError for anything else.
        """
        name, system = str(name), self.state.system
        by: dict[str, tuple[int, int]] = {}
        for j, (x, state) in enumerate(zip(system.names, system.states, strict=True)):
            if j < system.n - system.mechanism.multipliers if system.mechanism.constraints else x in self.names:
                keys = ("", x, f"{x}.dot") if state else (x, f"{x}.dot", f"{x}.ddot")
                by |= {key: (order, j) for order, key in enumerate(keys) if key}
        if name in by:
            rows = [np.zeros(system.n), np.zeros(system.n), np.zeros(system.n)]
            order, j = by[name]
            rows[order][j] = 1
            by_q, by_qd, by_qdd = self.state.directions.row(*rows)
            return by_q, by_qd, by_qdd, np.zeros(len(self.inputs))
        if name in self.outputs:
            at = (self.t, self.q, self.qd, self.qdd)
            expression = (system.mechanism.outputs[name],)
            whole = (system.jacobian(x, *at, of=expression)[0] for x in ("q", "qd", "qdd"))
            rows = [_defined(row, f"of output {name}") for row in self.state.directions.row(*whole)]
            by_u = _defined(system.jacobian("inputs", *at, of=expression)[0], f"of output {name}")
            return rows[0], rows[1], rows[2], by_u
        raise UnknownNameError(f"there is no output {name!r}: expected one of {', '.join([*self.outputs, *by])}.")

    def frequency_response(self, omega: Any, *, input: Any = None, output: Any = None) -> np.ndarray:
        """Complex amplitude of an output per unit amplitude of an input, at angular frequencies omega.

        With u = exp(i omega t) the motion is q exp(i omega t), (K + i omega C - omega^2 M) q = B.

        Parameters
        ----------
        omega : scalar or array (N,)
            Angular frequencies (rad/s).
        input : str
            An input of the model; a coordinate, for a generalised force in its equation; or a parameter. May be left
            out if the model has one input.
        output : str
            An output of the model, or "q1", "q1.dot", "q1.ddot", "p1". May be left out if the model has one output.

        Returns
        -------
        complex array (N,)
            The complex amplitudes; infinite at the resonance of an undamped mode.

        Raises
        ------
        UnknownNameError, InputError
            The name does not exist, or it was left out although it is needed.
        """
        frequencies = finite_array(omega, "omega")
        chosen = self._one(input, self.inputs, "input", self.names)
        b = self.input_column(chosen)
        direct_of = np.array([name == chosen for name in self.inputs], dtype=float)
        by_q, by_qd, by_qdd, by_u = self.output_rows(self._one(output, self.outputs, "output", self.names))
        s = 1j * np.ravel(frequencies)[:, None, None]
        # an unknown of the amplitudes is q of a coordinate, the value of a state: powers of s less for the latter
        with np.errstate(all="ignore"):
            rate, second = np.where(self.states, 1, s[:, 0]), np.where(self.states, s[:, 0], s[:, 0] ** 2)
            Z = np.where(self.states, 0, self.K) + self.C * rate[:, None, :] + self.M * second[:, None, :]
            singular = np.linalg.slogdet(Z)[0] == 0  # exactly
            amplitudes = np.zeros(Z.shape[:-1], dtype=complex)
            amplitudes[~singular] = np.linalg.solve(Z[~singular], b[None, :, None])[..., 0]
            values = amplitudes * (np.where(self.states, 0, by_q) + by_qd * rate + by_qdd * second)
            response = values.sum(axis=-1) + by_u @ direct_of
        if not np.all(lost := np.isfinite(response) | singular):
            raise InputError(
                f"the response at omega = {np.ravel(frequencies)[np.argmin(lost)]:g} rad/s is beyond what numbers can "
                "hold: expected frequencies nearer to those of the model."
            )
        return np.where(singular, np.inf, response).reshape(frequencies.shape)

    def _one(self, name: Any, those: Sequence[str], what: str, others: Sequence[str]) -> str:
        if name is not None:
            return str(name)
        if len(those) == 1:
            return those[0]
        listed = ", ".join(those or others)
        raise InputError(f"frequency_response needs {what}=: expected a name, such as one of {listed}.")

    def state_space(self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None) -> StateSpace:
        """(A, B, C, D) of x' = A x + B u, y = C x + D u, with x the coordinates, then their rates and the states.

        Parameters
        ----------
        inputs, outputs : sequence of str, optional
            As in `frequency_response`; those of the model if left out. If the model has no outputs, all unknowns are
            outputs.

        Returns
        -------
        StateSpace
            The four matrices, with the names of x, u and y.

        Raises
        ------
        UnknownNameError
            A name that is not there.
        SingularMatrixError
            Some acceleration is not determined.
        """
        if not regular(self.M):
            raise singular(culprits(self.M, self.names), self.t)
        chosen = self.inputs if inputs is None else tuple(map(str, listed(inputs, "inputs", "names")))
        wanted = self.outputs or self.names if outputs is None else tuple(map(str, listed(outputs, "outputs", "names")))
        columns = np.array([self.input_column(name) for name in chosen]).reshape(len(chosen), len(self.names)).T
        E, A = state_matrices(self.M, self.C, self.K, self.states)
        k = len(A) - len(self.names)
        A = np.linalg.solve(E, A)
        B = np.linalg.solve(E, np.vstack([np.zeros((k, len(chosen))), columns]))
        C, D = np.zeros((len(wanted), len(A))), np.zeros((len(wanted), len(chosen)))
        for i, name in enumerate(wanted):
            by_q, by_qd, by_qdd, by_u = self.output_rows(name)
            C[i, :k], C[i, k:] = by_q[~self.states], by_qd
            C[i] += by_qdd @ A[k:]
            D[i] = by_qdd @ B[k:] + [by_u[self.inputs.index(u)] if u in self.inputs else 0.0 for u in chosen]
        coordinates = [x for x, state in zip(self.names, self.states, strict=True) if not state]
        x = [x if state else f"{x}.dot" for x, state in zip(self.names, self.states, strict=True)]
        return StateSpace(A, B, C, D, (*coordinates, *x), chosen, wanted)

    # -- is it right? -------------------------------------------------------------------------------------------------

    def check(self) -> dict[str, float]:
        """M, C, K, B against central differences of the residual: largest difference over largest element (no unit)."""
        s, free = self.state.system, np.arange(self.state.system.n)
        at = (self.q, self.qd, self.qdd)
        found, differenced = {}, []
        for k in (2, 1, 0):
            sizes = np.maximum(1.0, np.abs(at[k]))
            points = [x + np.zeros((len(free), 6, s.n)) for x in at]
            for column, j in enumerate(free):
                points[k][column, :, j] += _STENCIL * sizes[j]
            f = s.residual(self.t, *points)
            differenced.append(_differences(f).T / sizes)
        own = self.state.directions.matrices(*differenced)
        for key, matrix, numeric in zip("MCK", (self.M, self.C, self.K), own, strict=True):
            found[key] = _deviation(matrix, numeric)
        if self.inputs:
            every, sizes = range(len(self.inputs)), np.maximum(1.0, np.abs(s.held[: len(self.inputs)]))
            held = np.tile(np.array(s.held), (len(every), 6, 1))
            held[every, :, every] += np.outer(sizes, _STENCIL)
            count = 6 * len(every)
            points = [np.tile(x, (count, 1)) for x in at]
            f = s.along("residual", np.full(count, self.t), points, held.reshape(count, -1))
            columns = _differences(f.reshape(-1, 6, s.n)).T / sizes
            found["B"] = _deviation(self.B, -self.state.directions.column(columns))
        return found

    def __repr__(self) -> str:
        system = self.state.system
        where = shown(system.names, np.where(system.states, self.qd, self.q))
        lines = [
            f"Linearization of '{system.mechanism.name}' at t = {self.t:g} s, {where}",
            "M qdd + C qd + K q = B u" + (f"; {self.note}" if self.note else ""),
        ]
        for name, matrix, columns in (("M", self.M, self.names), ("C", self.C, self.names), ("K", self.K, self.names),
                                      ("B", self.B, self.inputs)):  # fmt: skip
            if columns:
                lines += _table(name, matrix, columns)
        return "\n".join(lines)


def _table(name: str, matrix: np.ndarray, columns: Sequence[str], most: int = 8) -> list[str]:
    """A matrix under the names of its columns."""
    if max(matrix.shape) > most:
        return [f"{name}  {matrix.shape[0]} x {matrix.shape[1]}"]
    rows = [
        [f"{x + 0.0:.5g}" for x in row]
        for row in np.where(np.abs(matrix) < 1e-14 * np.abs(matrix).max(initial=0), 0, matrix)
    ]
    widths = [max(len(column), *(len(row[j]) for row in rows)) for j, column in enumerate(columns)]
    heading = f"{name}  " + "  ".join(column.rjust(width) for column, width in zip(columns, widths, strict=True))
    return [heading] + ["   " + "  ".join(x.rjust(w) for x, w in zip(row, widths, strict=True)) for row in rows]


def _defined(derivatives: np.ndarray, what: str) -> np.ndarray:
    """ModelError, saying of `what` they are, when derivatives at a state are no numbers."""
    if not np.isfinite(derivatives).all():
        raise ModelError(
            f"a derivative {what} is not finite at this state. Look for the root or a power of something that is zero "
            "there, and move away from it or round it off."
        )
    return derivatives


def _differences(f: np.ndarray) -> np.ndarray:
    """Derivatives (..., n) of values (..., 6, n) at the points of the stencil; a jump between them adds nothing."""
    far, near, nearest = (f[..., 5 - k, :] - f[..., k, :] for k in range(3))
    return (9 * near - far - 8 * nearest) / 6e-4  # type: ignore[no-any-return]


def _deviation(exact: np.ndarray, differenced: np.ndarray) -> float:
    if not exact.size:
        return 0.0
    return float(np.abs(exact - differenced).max() / max(np.abs(exact).max(), 1e-300))


def _kinks(system: Any, here: tuple[Any, ...], own: Unlocked) -> list[str]:
    """The coordinates and rates by which derivatives at, just before and just behind a state differ."""
    t, q, qd, qdd = here
    aside = _SIDE * np.cos(1.0 + np.arange(system.n))  # any direction leads to both sides of a kink

    def sides(by: str, s: float) -> tuple[np.ndarray, float]:
        """By how much the derivatives differ at a distance, and how large they are."""
        at = [system.jacobian(by, t, q + x * aside, qd + x * aside, qdd)[own.rows][:, own.free] for x in (s, 0, -s)]
        return np.ptp(at, axis=0), float(np.abs(at).max(initial=0))

    found = []
    for by, suffix in (("q", ""), ("qd", ".dot")):
        differ, size = sides(by, 1.0)
        kinked = differ > 1e-3 * size
        if kinked.any():  # and no less so nearer to the state, unlike a law that is curved
            kinked &= sides(by, 0.1)[0] > 0.5 * differ
        found += [f"{name}{suffix}" for name, column in zip(own.names, kinked.T, strict=True) if column.any()]
    return found


@answers
def linearize(
    model: Any, at: Any = None, *, t: float | None = None, parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None, locked: Any = None, target: str = "python", scheme: str = "recursive",
) -> Linearization:  # fmt: skip
    """Derive the equations of small motions about a state, M qdd + C qd + K q = B u, with poles, modes, responses.

    The matrices are exact derivatives of the equations. About a state in motion they hold at that instant only. For
    a model with constraints they belong to the independent coordinates. Some constraints restrict rates only. A
    coordinate of which only the rate follows from the others is then an unknown of first order, like a state
    (docs/rolling.md).

    Parameters
    ----------
    model : Model
        The model.
    at : Equilibrium, dict or arrays, optional
        The result of `equilibrium`; or values that differ from the initial ones, {"q1": 0.3, "q1.dot": 2}; or (q,
        qd), or (q, qd, qdd). The accelerations follow from the equations unless they are given ("q1.ddot";
        accelerations that are not named are then zero). The initial state if left out.
    t : float, optional
        Time (s); the time of the equilibrium, or 0, if left out.
    parameters : dict, optional
        Values that differ from the model's own, or from those of the equilibrium.
    inputs : dict, optional
        As in `simulate`, at time t. An input that is given as a formula closes a feedback loop, and is no longer an
        input.
    locked : list, optional
        Coordinates that do not move. If left out, the locked coordinates of the equilibrium, or those of
        `model.lock`.
    target, scheme : str
        As in `compile`.

    Returns
    -------
    Linearization
        With `M`, `C`, `K`, `B`, `poles()`, `modes()`, `mode_frames(...)`, `frequency_response(...)`,
        `state_space()`, `check()`.

    Raises
    ------
    ModelError
        When a derivative is not finite, or `at` is no equilibrium.

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> pendulum.linearize(at=pendulum.equilibrium()).modes().frequencies.round(4)
    array([0.4004, 1.0357])
    """
    state = state_of(model, at, t, parameters, inputs, locked, target, scheme)
    system, here, directions = state.system, (state.t, state.q, state.qd, state.qdd), state.directions
    names, states = directions.names, directions.states
    f = system.residual(*here)
    M, C, K = state.matrices()
    driven = tuple(map(str, system.mechanism.inputs))
    B = -directions.column(system.jacobian("inputs", *here))
    rates = [x if state else f"{x}.dot" for x, state in zip(names, states, strict=True)]
    second = [f"{x}.dot" if state else f"{x}.ddot" for x, state in zip(names, states, strict=True)]
    for matrix, columns in ((K, names), (C, rates), (M, second), (B, driven)):
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            row, column = bad[0]
            raise ModelError(
                f"model '{model.name}': the derivative of equation {row + 1} by {columns[column]} is not finite at "
                "this state, so that there are no linear equations about it. Look for the root or a power of something "
                "that is zero there, and move away from it or round it off."
            )
    notes = []
    if callbacks := system.mechanism.callbacks:
        notes.append(
            f"C and K of efforts in plain Python ({', '.join(f.__name__ for f in callbacks)}) by central differences"
        )
    elif isinstance(directions, Unlocked) and (kinked := _kinks(system, here, directions)):
        listed = ", ".join(kinked)
        notes.append(f"a kink: the derivatives by {listed} depend on the side from which this state is reached")
    note = "; ".join(notes)
    return Linearization(M, C, K, B, names, driven, tuple(system.mechanism.outputs), directions.column(f), note, state)
