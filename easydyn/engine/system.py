"""A model with numbers: residual, mass matrix, accelerations, frames, energies, any expression."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from easydyn.arguments import answers, asked
from easydyn.engine.callbacks import Callbacks
from easydyn.engine.demands import demands_of
from easydyn.engine.derivation import Derivation
from easydyn.engine.graph import Node, collector_at_rest, reachable
from easydyn.engine.jacobians import VARIABLES, Jacobian, Placing, callback_derivatives, expressions_of, frame_of
from easydyn.engine.kept import Kept
from easydyn.engine.observer import Observer
from easydyn.engine.program import Program, pattern_of
from easydyn.engine.targets import Function, Target, check_target, functions_on
from easydyn.engine.variations import Variations
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.inputs import among, by_name, finite, real_array
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.physical import check_physical
from easydyn.mechanics.symbols import Coordinate, Parameter, State
from easydyn.native.record import Array
from easydyn.sim.linear import LARGEST_CONDITION, culprits, inverse, singular
from easydyn.vec import tdisp, vector

SOUND = 1e-8  # of what the equations lack without accelerations: so much they may lack with those of formulas

class Programs:
    """The programs of one derivation, written and compiled when they are first needed, whatever the values."""

    def __init__(self, derivation: Derivation | Variations):
        self.derivation: Any = derivation
        self._made = Kept(alone=threading.RLock())  # who derives is alone: the graph is shared
        unknowns = derivation.names
        self.inputs: dict[str, Sequence[str]] = {
            "q": unknowns,
            "qd": [f"{x}.dot" for x in unknowns],
            "qdd": [f"{x}.ddot" for x in unknowns],
            "p": [str(p) for p in derivation.mechanism.parameters],
            "u": [*derivation.mechanism.held, *(f"force {k}" for k, _ in enumerate(derivation.from_python))],
        }

    def program(self, key: Any) -> Program:
        """The program called `key`, or that of a tuple of SymPy expressions, or of derivatives."""
        return self._made.of(key, lambda: self._written(key))

    def _written(self, key: Any) -> Program:
        from easydyn.sim.progress import waiting

        with waiting("equations are derived"), collector_at_rest():
            if isinstance(key, Jacobian | Placing):
                name, outputs = type(key).__name__.lower(), key.outputs(self.derivation)
            elif isinstance(key, str):
                name, outputs = key, getattr(self.derivation, key)
            else:
                name, outputs = "expression", self.derivation.expressions(key)
            return Program(name, outputs, self.inputs)

    def functions(self, key: Any, target: str) -> tuple[Function, Function]:
        """(prologue, evaluate) of a program on a target."""
        return self._made.of((Function, key, target), lambda: functions_on(self.program(key), target))

    @functools.cached_property
    def linear(self) -> bool:
        """True when the residual is M qdd + h with an M free of qdd."""
        if not self.derivation.mechanism.equations and not self.derivation.accelerations_in_efforts:
            return True  # bodies alone: nothing need be derived to know
        if not self.derivation.mechanism.equations and self.derivation.scheme.along_the_tree:
            return self.derivation.linear_efforts
        nodes = reachable(self.program("mass_matrix").outputs)
        return not any(n.op == "input" and n.value[0] == "qdd" for n in nodes)

    def of(self, mechanism: Mechanism) -> Programs:
        """Those of another mechanism by the same scheme."""
        return Programs(Derivation(mechanism, self.derivation.scheme))

    def __getstate__(self) -> dict[str, Any]:
        return {"mechanism": self.derivation.mechanism, "scheme": self.derivation.scheme}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(Derivation(**state))  # type: ignore[misc]


@answers
class CompiledSystem:
    """Numbers of a model, as made by `model.compile(...)`.

    Methods take `t` (s), a number or an array (...), and `q, qd, qdd` (..., n): coordinates (m, rad), rates and
    accelerations of one state or many. `parameters` gives values that differ from those of the system. Programs have a
    `key` ("residual", expressions, derivatives). `held` are the values that are held between events: inputs, locks
    (`locks`).

    Attributes
    ----------
    target : str
        How the equations are evaluated: "native" (machine code), "numpy", "python" (one state at a time) or "jax". With
        target="auto" it is native if possible, otherwise Python for one state and NumPy for many at once.
    names : tuple of str
        The unknowns: coordinates, then first-order states. A state is the rate of its column: it stands in qd, its
        derivative in qdd, and its column of q has no meaning (eq. 29).
    parameters : dict
        The values used.
    inputs : dict
        Values of the inputs; inputs that are not named are zero.
    """

    _QUICK = "one", "at", "function", "node", "program", "whole", "energies"

    def __init__(
        self, programs: Programs, parameters: Mapping[str, float], target: str = "auto",
        inputs: Mapping[str, float] | None = None,
    ):  # fmt: skip
        self._programs = programs
        self._wanted = target
        self.target = check_target(target)
        self.parameters = dict(parameters)
        self.mechanism: Mechanism = programs.derivation.mechanism
        self.scheme = programs.derivation.scheme.name
        self.names = tuple(programs.derivation.names)
        self.n = len(self.names)
        self.states = np.array(programs.derivation.first_order)
        self._p = [float(parameters[str(p)]) for p in self.mechanism.parameters]
        self.inputs = {str(u): float((inputs or {}).get(str(u), 0.0)) for u in self.mechanism.inputs}
        known = self.inputs | self.mechanism.references
        self.held = [known.get(name, 0.0) for name in self.mechanism.held]
        self._ready: dict[Any, tuple[Function, Any]] = {}
        self.prepared = Kept()  # what runs have made of it
        self.callbacks = Callbacks(self)

    def copy(self) -> CompiledSystem:
        """The same system as an object of its own."""
        return type(self)(**self.__getstate__())

    def with_locks(self, locks: tuple[Coordinate, ...], **parts: Any) -> CompiledSystem:
        """The same system with other coordinates that can be locked; other `parts` of its mechanism (no unit)."""
        programs = self._programs.of(replace(self.mechanism, locks=locks, **parts))
        return CompiledSystem(programs, self.parameters, self._wanted, self.inputs)

    def with_constraints(self, constraints: tuple[Any, ...]) -> CompiledSystem:
        """The same with other `constraints`, in numbers alone: no element carries them."""
        programs = self._programs.of(replace(self.mechanism, constraints=constraints))
        return CompiledSystem(programs, self.parameters, self._wanted, self.inputs)

    def with_references_as_parameters(self) -> CompiledSystem:
        """The same with references of attitudes as constants among the parameters, and nothing to lock."""
        m = self.mechanism
        references = {x.reference: x.start for x in m.attitudes}
        fixed = replace(m, parameters=(*m.parameters, *references), locks=(), attitudes=())
        values = self.parameters | {str(x): value for x, value in references.items()}
        return CompiledSystem(self._programs.of(fixed), values, self._wanted, self.inputs)

    def __repr__(self) -> str:
        unknowns = ", ".join(self.names)
        return f"CompiledSystem of '{self.mechanism.name}' ({self.scheme}, {self.target}; unknowns {unknowns})"

    _repr_html_ = asked("easydyn.result.rich:of_system")

    def __getstate__(self) -> dict[str, Any]:
        return {
            "programs": self._programs,
            "parameters": self.parameters,
            "target": self._wanted,
            "inputs": self.inputs,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def node(self, value: Any) -> Node:
        """The node of a scalar `value` of the user, in its own unit."""
        return self._programs.derivation.value(value)

    @property
    def derivation(self) -> Any:
        """The equations on their graph."""
        return self._programs.derivation

    def program(self, key: Any) -> Program:
        """The straight-line program called `key`: "residual", "mass_matrix", "bias", "accelerations", "frames"."""
        return self._programs.program(key)

    # -- evaluation -----------------------------------------------------------------------------------------------

    def function(self, key: Any, target: str | None = None) -> tuple[Function, Any]:
        """f(t, q, qd, qdd, constants) -> list for a `target`, and the constants; ModelError where these fail."""
        target = target or self.target
        ready = self._ready.get((key, target))
        if ready is None:
            prologue, evaluate = self._programs.functions(key, target)
            try:
                with np.errstate(all="ignore"):
                    constants = prologue(self._p, [*self.held, *[0.0] * len(self.derivation.from_python)])
            except (ValueError, ZeroDivisionError, OverflowError) as error:
                raise ModelError(
                    f"model '{self.mechanism.name}': {error} in what depends on parameters alone, "
                    f"with {self.parameters}. Check their values."
                ) from None
            ready = self._ready[key, target] = evaluate, constants
        return ready

    def computable(self, key: Any) -> bool:
        """False if a part of the program `key` that needs parameters alone has no value (division by zero)."""
        try:
            self.function(key)
        except ModelError:
            return False
        return True

    def one(
        self, key: Any, t: float, q: Any, qd: Any, qdd: Any, constants: Any = None, target: str | None = None
    ) -> Any:  # fmt: skip
        """One state, on a `target`, with other `constants` (their own units); if Python raises, NumPy shows NaN."""
        target = target or self.target
        if self.mechanism.callbacks and (places := self._from_python(key)):
            constants = (self.function(key, target)[1] if constants is None else constants).copy()
            forces = self.callbacks.forces(t, q, qd)
            for place, k in places:
                constants[place] = forces[k]
        if target == "numpy":
            return self._numpy(key, np.float64(t), q, qd, qdd, constants)
        evaluate, own = self.function(key, target)
        if target != "python":
            return evaluate(t, q, qd, qdd, own if constants is None else constants)
        try:
            return evaluate(t, q.tolist(), qd.tolist(), qdd.tolist(), own if constants is None else constants)
        except (ValueError, ZeroDivisionError, OverflowError):
            return self._numpy(key, np.float64(t), q, qd, qdd, constants)

    def _numpy(self, key: Any, t: Any, q: Any, qd: Any, qdd: Any, constants: Any = None) -> list[Any]:
        evaluate, own = self.function(key, "numpy")
        with np.errstate(all="ignore"):
            return evaluate(t, q, qd, qdd, own if constants is None else constants)

    def at(
        self, key: Any, t: float, q: Any, qd: Any, qdd: Any, held: Sequence[float] | None = None,
        target: str | None = None,
    ) -> np.ndarray:  # fmt: skip
        """A program at one state, (m,), with what is `held` between events, the system's own values if left out.

        On another `target` it is not compiled for a few evaluations.
        """
        found = self.one(key, t, q, qd, qdd, None if held is None else self.with_held(key, held, target), target)
        return found if type(found) is np.ndarray else np.array(found, dtype=float)

    def with_held(self, key: Any, held: Sequence[float], target: str | None = None) -> Any:
        """The constants of a program on a `target` with these values held between events."""
        constants = self.function(key, target)[1].copy()
        for place, index in self.program(key).held:
            if index < len(held):
                constants[place] = held[index]
        return constants

    def _from_python(self, key: Any) -> list[tuple[int, int]]:
        """The places among the constants of the generalised forces of efforts in plain Python, and which they are."""
        return [(place, k - len(self.held)) for place, k in self.program(key).held if k >= len(self.held)]

    def _many(
        self, key: Any, t: Any, x: Sequence[np.ndarray], shape: tuple[int, ...], held: Sequence[float] | None = None
    ) -> np.ndarray:  # fmt: skip
        """States along leading axes; the result has these axes, then `shape`."""
        q, qd, qdd = x
        lead = q.shape[:-1]
        if not lead:
            return self.at(key, float(t), q, qd, qdd, held).reshape(shape)
        flat = [y.reshape(-1, self.n) for y in x]
        from_python = self.mechanism.callbacks and self._from_python(key)
        if self.target == "native" and not from_python:
            evaluate, constants = self.function(key)
            constants = constants if held is None else self.with_held(key, held)
            return evaluate.compiled.many(t.ravel(), flat, constants).reshape(lead + shape)  # type: ignore[attr-defined]
        if self.target == "jax" and not from_python:
            return self.at(key, t, q, qd, qdd, held).reshape(lead + shape)
        if from_python or self._wanted == "python" or isinstance(self._wanted, Target):
            rows = [self.at(key, float(s), a, b, c, held) for s, a, b, c in zip(t.ravel(), *flat, strict=True)]
            return np.array(rows, dtype=float).reshape(lead + shape)
        columns = self._numpy(key, t, q, qd, qdd, None if held is None else self.with_held(key, held, "numpy"))
        return _stacked(columns, lead).reshape(lead + shape)

    def _arguments(self, t: Any, *vectors: Any) -> tuple[Any, list[np.ndarray]]:
        if type(t) is float or type(t) is int:
            shape = (self.n,)
            for x in vectors:
                if type(x) is not np.ndarray or x.dtype != float or x.shape != shape:
                    break
            else:  # one state: nothing to fit
                return np.float64(t), [*vectors, *[np.zeros(shape)] * (3 - len(vectors))]
        names = ("q", "qd", "qdd")
        arrays = [_state(self.whole(x), name, self.names) for x, name in zip(vectors, names, strict=False)]
        time = real_array(t, "t", copy=False)
        try:
            lead = np.broadcast_shapes(time.shape, *(x.shape[:-1] for x in arrays))
        except ValueError:
            shapes = ", ".join(f"{n} {np.shape(x)}" for n, x in zip(("t", *names), (t, *vectors), strict=False))
            raise InputError(f"the leading axes do not fit together: {shapes}.") from None
        arrays += [np.zeros(self.n)] * (3 - len(arrays))
        return np.broadcast_to(time, lead), [np.broadcast_to(x, (*lead, self.n)) for x in arrays]

    def whole(self, x: Any) -> Any:
        """A vector `x` (..., n) that leaves out the multipliers of constraints, with zeros in their place."""
        m = self.mechanism.multipliers
        if not m or np.shape(x)[-1:] != (self.n - m,):
            return x
        array = np.asarray(x)
        return np.concatenate([array, np.zeros((*array.shape[:-1], m))], axis=-1)

    def _own(self, found: np.ndarray, q: Any, axes: int = 1) -> np.ndarray:
        """A result without multipliers, where the coordinates `q` were given without them."""
        n = q.shape[-1] if type(q) is np.ndarray else np.shape(q)[-1]
        if n == self.n:
            return found
        return found[..., :n] if axes == 1 else found[..., :n, :n]

    def _parameters_or_self(self, parameters: Mapping[str, Any] | None) -> CompiledSystem:
        if parameters is None:
            return self
        system = self.copy()
        system.set_parameters(parameters)
        return system

    def set_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Change values of `parameters` of a system that nobody else holds, such as a copy.

        Raises UnknownNameError, InputError and ModelError for values that a model cannot have.
        """
        m = self.mechanism
        self.parameters |= check_values(parameters, m.name, m.parameters, m.coordinates, m.states)
        check_physical(m, self.parameters)
        self._p = [self.parameters[str(p)] for p in m.parameters]
        self._ready.clear()
        self.prepared.clear()

    def residual(self, t: Any, q: Any, qd: Any, qdd: Any, *, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """f(t, q, qd, qdd) of eq. (6) (..., n): the generalised forces (N, N m) that are missing for this motion.

        Raises InputError when a shape does not fit.
        """
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, q, qd, qdd)
        return self._own(system._many("residual", time, x, (self.n,)), q)

    def mass_matrix(self, t: Any, q: Any, qd: Any = None, *, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """M(q) of eq. (8), (..., n, n). For equations it is the derivative of the residual with respect to qdd.

        `qd`, in which states stand, is needed where these drive frames; InputError where it is left out then.
        """
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, *self._with_states(q, qd))
        return self._own(system._many("mass_matrix", time, x, (self.n, self.n)), q, axes=2)

    def accelerations(self, t: Any, q: Any, qd: Any, *, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """qdd (..., n) for which the residual is zero.

        Raises SingularMatrixError if some coordinate carries no inertia at this state, InputError for a wrong shape.
        """
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, q, qd)
        if not (system.explicit_accelerations and system.computable("checked_accelerations")):
            return self._own(system._solved_accelerations(time, *x[:2]), q)
        qdd = system._many("checked_accelerations", time, x, (self.n,))
        if _all_finite(qdd):
            return self._own(qdd, q)
        doubtful = np.nonzero(~np.isfinite(qdd).all(axis=-1)) if qdd.ndim > 1 else ()
        qdd[doubtful], good = system._judged_accelerations(time[doubtful], *(y[doubtful] for y in x))
        return self._own(qdd if good else system._solved_accelerations(time, *x[:2]), q)

    def bound(self) -> Callable[[float, np.ndarray, np.ndarray], np.ndarray]:
        """A function f(t, q, qd) -> qdd of one state at a time (eq. 9): `accelerations`, quicker to call.

        Returns
        -------
        callable
            It takes a time (s) and arrays (n,), and gives an array (n,), with the values that the system has now.
            Whatever else it is given, it does what `accelerations` does, with the same errors.

        Example
        -------
        >>> from easydyn import Model, tdisp
        >>> model = Model("ball", gravity=(0, -10, 0))
        >>> y, = model.coordinates("y")
        >>> ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
        >>> f = model.compile().bound()
        >>> f(0.0, np.array([1.0]), np.array([0.0]))
        array([-10.])
        """
        if self.target != "native" or not (self.explicit_accelerations and self.computable("checked_accelerations")):
            return self.accelerations
        native: tuple[Any, Any] = self.function("checked_accelerations")
        (evaluate, constants), general, none = native, self.accelerations, np.zeros(self.n)
        array, floats = np.ndarray, none.dtype

        def accelerations(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
            if type(q) is type(qd) is array and q.shape == qd.shape == none.shape and q.dtype is qd.dtype is floats:
                if type(t) is float and (qdd := evaluate(t, q, qd, none, constants)).dot(none) == 0:  # all finite
                    return qdd  # type: ignore[no-any-return]
            return np.asarray(general(t, q, qd))

        return accelerations

    def _judged_accelerations(self, time: Any, q: np.ndarray, qd: np.ndarray, none: np.ndarray) -> Any:
        """qdd as straight-line code, and whether the residual bears them out, at all these states.

        What the equations lack with these accelerations, beside what they lack without any: much, or no number, where
        the mass matrix is singular, or nearly.
        """
        qdd = self._many("accelerations", time, (q, qd, none), (self.n,))
        lacks = self._many("residual", time, (q, qd, qdd), (self.n,))
        without = self._many("residual", time, (q, qd, none), (self.n,))
        most = np.abs(without).max(axis=-1)
        good = (np.abs(lacks).max(axis=-1) <= 1e-3 * most) & (most > 0) & np.isfinite(qdd).all(axis=-1)
        return qdd, bool(np.all(good))

    def unrolled_at(self, t: float, q: np.ndarray, qd: np.ndarray) -> bool:
        """True if straight-line code gives qdd at a state; else M is solved in numbers, where rows can be exchanged.

        The code divides by masses of bodies, then by what they leave to the multipliers. Where coordinates stand only
        in constraints, or move no body by themselves, no mass is left, but the equations determine everything.
        """
        if not (self.explicit_accelerations and self.computable("accelerations")):
            return False
        if not self.mechanism.multipliers:
            return True
        moved = qd + np.where(self.states, 0.0, np.linspace(0.5, 1.5, self.n))  # so that something is to be balanced
        x = np.asarray(q, dtype=float), moved, np.zeros(self.n)
        with np.errstate(all="ignore"):
            qdd = self._many("accelerations", np.float64(t), x, (self.n,))
            lacks = self._many("residual", np.float64(t), (*x[:2], qdd), (self.n,))
            without = self._many("residual", np.float64(t), x, (self.n,))
        return bool(np.abs(lacks).max() <= SOUND * np.abs(without).max())

    def _solved_accelerations(self, time: Any, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        """qdd from M and the residual, in numbers."""
        qdd = np.zeros(q.shape)
        for _ in range(1 if self.linear else 30):
            f = self.residual(time, q, qd, qdd)
            M = self._many("mass_matrix", time, (q, qd, qdd), (self.n, self.n))
            step = self._solve(time, M, f)
            qdd = qdd - step
            if np.all(np.abs(step) <= 1e-15 * np.abs(qdd)):
                break
        return qdd

    @property
    def linear(self) -> bool:
        """True when the residual is M qdd + h with an M free of qdd."""
        return self._programs.linear

    def _solve(self, t: Any, M: np.ndarray, f: np.ndarray) -> np.ndarray:
        if M.ndim == 2 and (one := inverse(M)) is not None:
            return one @ f
        scale = np.abs(M).max(axis=-1, keepdims=True)
        with np.errstate(all="ignore"):
            scaled = M / scale
            bad = ~np.all(np.isfinite(scaled), axis=(-1, -2))
            bad |= ~(np.linalg.cond(np.where(bad[..., None, None], np.eye(self.n), scaled)) < LARGEST_CONDITION)
        if np.any(bad) and np.all(np.isfinite(M)):
            first = tuple(np.argwhere(bad)[0])
            blamed = culprits(M[first], self.names)
            raise singular(blamed, float(np.asarray(t)[first]))
        if np.any(bad):
            return np.full(f.shape, np.nan)
        return np.linalg.solve(M, f[..., None])[..., 0]

    def jacobian(
        self, by: str, t: Any, q: Any, qd: Any, qdd: Any, *, of: Sequence[Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> np.ndarray:  # fmt: skip
        """Derivatives of the residual f(t, q, qd, qdd), exact but for efforts in plain Python (central differences).

        Parameters
        ----------
        by : {"q", "qd", "qdd", "parameters", "inputs"}
            The variable of differentiation: df/dq is the stiffness matrix, df/dqd the damping matrix, df/dqdd the mass
            matrix M of eq. (8). The column of q of a first-order state is zero.
        t : scalar or array (...)
            Time (s).
        q, qd, qdd : arrays (..., n)
            Coordinates (m, rad) and their derivatives; leading axes are many states at once.
        of : sequence of SymPy expressions, optional
            Expressions to differentiate instead of the residual.
        parameters : dict, optional
            Values that differ from those of the system.

        Returns
        -------
        array (..., rows, columns)
            A row for each equation or expression.

        Raises
        ------
        InputError
            When a shape does not fit.

        Example
        -------
        >>> from easydyn import examples
        >>> system = examples.slider_crank().compile()
        >>> system.jacobian("qdd", 0, [1], [0], [0]) == system.mass_matrix(0, [1])
        array([[ True]])
        """
        if not among(by, VARIABLES):
            raise InputError(f"jacobian(by={by!r}): expected one of {', '.join(VARIABLES)}.")
        of = None if of is None else expressions_of(of, "of")
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, q, qd, qdd)
        columns = len(getattr(self.mechanism, by)) if by in ("parameters", "inputs") else self.n
        rows = self.n if of is None else len(of)
        key = Jacobian(by, of)
        J = system._many(key, time, x, (rows, columns))
        if by in ("q", "qd") and self.mechanism.callbacks:
            slopes = system._many(Jacobian("from_python", of), time, x, (rows, len(self.mechanism.moving)))
            J = J + slopes @ callback_derivatives(system, by, time, x[0], x[1])
        return J

    def frames(self, t: Any, q: Any, qd: Any = None, *, parameters: Mapping[str, Any] | None = None) -> np.ndarray:
        """The 4x4 matrices T of all bodies, (..., bodies, 4, 4).

        `qd`, in which states stand, is needed where these drive frames; InputError where it is left out then.
        """
        system = self._parameters_or_self(parameters)
        time, x = system._arguments(t, *self._with_states(q, qd))
        return system._many("frames", time, x, (len(self.mechanism.bodies), 4, 4))

    def frame_jacobian(
        self, frame: Any, t: Any, q: Any, qd: Any = None, *, at: Any = (0, 0, 0), axes: Any = None
    ) -> np.ndarray:
        """The geometric Jacobian (..., 6, n) of a point of a frame: three rows of velocity, three of rotation (eq. 5).

        Parameters
        ----------
        frame : Body or Transform
            The frame, of the model's symbols.
        t : scalar or array (...)
            Time (s).
        q : array (..., n)
            Coordinates (m, rad); leading axes are many states at once.
        qd : array (..., n), optional
            Rates, in which states stand that drive frames.
        at : 3 scalars (m)
            A point that is fixed in the frame; its origin if left out.
        axes : Body or Transform, optional
            The axes of the components; those of the ground if left out.

        Returns
        -------
        array (..., 6, n)
            A column for each coordinate: m, then rad, per unit of the coordinate.

        Raises
        ------
        InputError
            An array of the wrong shape, a frame that is none.

        Example
        -------
        >>> from easydyn import examples
        >>> pendulum = examples.double_pendulum()
        >>> J = pendulum.compile().frame_jacobian(pendulum["lower arm"], 0, [0, 0])
        >>> J.shape, J[5]
        ((6, 2), array([1., 1.]))
        """
        frames = [frame_of(frame, "frame") * tdisp(*vector(at, "at"))]
        frames += [] if axes is None else [frame_of(axes, "axes")]
        key, n = Placing(tuple(frames)), len(self.mechanism.coordinates)
        time, x = self._arguments(t, *self._with_states(q, qd))
        _, R, J = key.parted(self._many(key, time, x, (len(frames) * (12 + 6 * n),)), n)
        if axes is None:
            return J[..., 0, :, :]
        to = np.swapaxes(R[..., 1, :, :], -1, -2)
        return np.concatenate([to @ J[..., 0, :3, :], to @ J[..., 0, 3:, :]], axis=-2)

    def _with_states(self, q: Any, qd: Any) -> tuple[Any, ...]:
        """q, and qd where it is given; InputError where it is not, and is needed."""
        if qd is not None:
            return q, qd
        if self.mechanism.drives:
            driving = ", ".join(map(str, self.mechanism.drives))
            raise InputError(
                f"the frames of '{self.mechanism.name}' depend on states ({driving}), which stand in qd: give it too, "
                "after q."
            )
        return (q,)

    def energies(self, t: Any, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Kinetic and potential energy (J) and the power of all other efforts (W), (..., 3)."""
        time, x = self._arguments(t, q, qd, qdd)
        e = self._many("energies", time, x, (3,))
        if self.mechanism.callbacks:
            e[..., 2] += self.callbacks.power(time, x[0], x[1])
        return e

    def evaluate(self, expressions: Sequence[Any], t: Any, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Any m SymPy `expressions` of the model's symbols, (..., m), in their own units."""
        time, x = self._arguments(t, q, qd, qdd)
        key = expressions_of(expressions, "expressions")
        return self._many(key, time, x, (len(key),))

    def along(self, key: Any, t: np.ndarray, x: Sequence[np.ndarray], held: np.ndarray) -> np.ndarray:
        """A program along a run: N instants of states `x` (three arrays (N, n)), N rows of what was held; (N, m)."""
        m = len(self.program(key).outputs)
        if not self.program(key).held or not len(held):
            return self._many(key, t, x, (m,))
        found, inputs = np.empty((len(t), m)), len(self.mechanism.inputs)
        at_once = held.copy()  # values at each instant: no slopes
        at_once[:, inputs : 3 * inputs] = 0.0
        rows, groups = np.unique(at_once, axis=0, return_inverse=True)
        order = np.argsort(groups.ravel(), kind="stable")
        for row, members in zip(rows, np.split(order, np.cumsum(np.bincount(groups.ravel()))[:-1]), strict=True):
            found[members] = self._many(key, t[members], [y[members] for y in x], (m,), row.tolist())
        return found

    def constants_of(self, key: Any, values: Mapping[str, np.ndarray]) -> list[Any]:
        """The constants of a program in NumPy, with arrays (N,) as `values` of parameters and of what is held."""
        m = self.mechanism
        p = [values.get(str(x), own) for x, own in zip(m.parameters, np.array(self._p), strict=True)]
        u = [values.get(name, own) for name, own in zip(m.held, np.array(self.held), strict=True)]
        with np.errstate(all="ignore"):
            return self._programs.functions(key, "numpy")[0](p, u)

    def at_values(self, key: Any, values: Mapping[str, np.ndarray], t: Any, x: Sequence[np.ndarray]) -> np.ndarray:
        """A program (..., m) in states `x`, three arrays (..., n), at times and `values` (...), or numbers."""
        constants = self.constants_of(key, values)
        with np.errstate(all="ignore"):
            return _stacked(self._programs.functions(key, "numpy")[1](t, *x, constants), x[0].shape[:-1])

    def element(self, effort: Any, t: Any, q: Any, qd: Any, qdd: Any) -> np.ndarray:
        """Power (W) that a force element, `effort`, gives to the bodies, and its potential (J), (..., 2)."""
        return self.evaluate(self.derivation.element(effort), t, q, qd, qdd)

    def loads(self, effort: Any) -> list[Node]:
        """The loads of a force element, `effort`: its forces, moments, generalised forces and equations, one by one."""
        seen = Observer(self._programs.derivation, effort.observer)
        effort.apply(seen)
        wrenches = (x for _, force, moment, _ in seen.wrenches() for vector in (force, moment) for x in vector)
        on_bodies = [*seen.generalized.values(), *seen.equations.values(), *map(self.node, wrenches)]
        return [*on_bodies, *seen.on_points()]

    def closure_nodes(self, constraint: Any) -> tuple[Node, ...]:
        """Force (N) and moment (N m) on the second frame of a `constraint` for a unit of each multiplier."""
        derivation = self._programs.derivation
        rows = constraint.rows(derivation)
        return tuple(derivation.graph.node(x) for row in rows for u in (row.force, row.moment) for x in u)

    @property
    def sources_of_work(self) -> int:
        """The number of sources of work besides gravity and springs: each force element, and all else as one."""
        return len(self.mechanism.working) + self.mechanism.driven_from_outside

    @functools.cached_property
    def usual_energy(self) -> float:
        """All masses (kg) and moments of inertia (kg m2) together: an energy (J), as for rates of 1 m/s and 1 rad/s."""
        masses = sum(b.mass + sum(b.inertia[i][i] for i in range(3)) for b in self.mechanism.bodies)
        q = np.zeros(self.n)
        return float(self.at((self.node(masses),), 0.0, q, q, q, target="python")[0])

    @functools.cached_property
    def demands(self) -> list[Any]:
        """Conditions of force elements on the start of a run; their scalars are nodes."""
        return demands_of(self._programs.derivation)

    @functools.cached_property
    def pattern(self) -> list[list[int]]:
        """For each unknown, the rows of the residual in which it, or its derivatives, may occur."""
        return pattern_of(self.program("residual"), self.n)

    # -- for the time loop ------------------------------------------------------------------------------------------

    @property
    def native(self) -> bool:
        """True when a time loop can run without Python."""
        return self.target == "native" and not self.mechanism.callbacks

    @property
    def explicit_accelerations(self) -> bool:
        """True if qdd is computed by straight-line code; otherwise it is solved for, with M and the residual."""
        return self._programs.derivation.unrolled_is_sensible

    def kernel(self, key: Any, live: Mapping[int, Callable[[float], float]] | None = None) -> tuple[Any, Any, Any]:
        """A program as the kernels of a time loop call it: f(time, q, qd, qdd, constants, result), constants.

        And the places among the constants of what is held between events. `live` has functions of time for some of
        that, by index: they are called at every evaluation.
        """
        evaluate, constants = self.function(key)
        held = [(place, index) for place, index in self.program(key).held if index < len(self.held)]
        if self.native and not live:
            return evaluate.compiled.routine(), constants, held  # type: ignore[attr-defined]
        followed = [(place, live[index]) for place, index in held if index in live] if live else []
        if self.target == "python" and not self.mechanism.callbacks and not followed:
            numpy = self._numpy

            def plain(time: Array, q: Array, qd: Array, qdd: Array, constants: Any, result: Array) -> None:
                try:
                    result[:] = evaluate(time[0], q, qd, qdd, constants)
                except (ValueError, ZeroDivisionError, OverflowError):
                    values = numpy(key, np.float64(time[0]), np.array(q), np.array(qd), np.array(qdd), constants)
                    result[:] = [float(x) for x in values]

            return plain, constants, held

        # of the constants, as the target takes them
        as_given: Any = np.array if self.target in ("native", "jax") else list

        def general(time: Array, q: Array, qd: Array, qdd: Array, constants: Any, result: Array) -> None:
            at, rate, slope = np.array(q), np.array(qd), np.array(qdd)
            for place, function in followed:
                constants[place] = function(time[0])
            found = self.one(key, time[0], at, rate, slope, as_given(constants))
            values: np.ndarray = np.array(found, dtype=float)
            if key in ("supplied_power", "supplied_power_stepping") and self.mechanism.callbacks:
                values[-1] += self.callbacks.power(time[0], at, rate)
            result[:] = values.tolist()

        return general, constants, held

    def kernel_abreast(self, key: str) -> tuple[Any, int]:
        """The machine code of a program for several states side by side, and how many."""
        from easydyn.engine.compiled import LANES

        return self.function(key)[0].compiled.routine(LANES), LANES  # type: ignore[attr-defined]


def check_values(
    values: Mapping[str, Any], model: str, parameters: Iterable[Parameter], coordinates: Iterable[Coordinate],
    states: Iterable[State],
) -> dict[str, float]:  # fmt: skip
    """Values of `parameters` as floats; InputError for unknown names and for values that are not finite numbers."""
    values = by_name(values, "parameters", "{'l1': 1.3}")
    known = {str(p) for p in parameters}
    checked = {}
    for name, value in values.items():
        if name not in known:
            start = {str(x) for q in coordinates for x in (q, q.dot)} | {str(p) for p in states}
            raise UnknownNameError(
                f"model '{model}' has no parameter '{name}': "
                + (f"its parameters are {sorted(known)}." if known else "it has none.")
                + (f" Values at the start go to initial={{'{name}': ...}}." if name in start else "")
            )
        checked[name] = finite(value, f"parameter '{name}'")
    return checked


def _stacked(columns: Sequence[Any], lead: tuple[int, ...]) -> np.ndarray:
    """Numbers, or arrays that broadcast to `lead`, one beside the other: (..., m)."""
    found = np.empty((*lead, len(columns)))
    for j, column in enumerate(columns):
        found[..., j] = column
    return found


def _all_finite(x: np.ndarray) -> bool:
    return all(map(math.isfinite, x.tolist())) if x.ndim == 1 else bool(np.isfinite(x).all())


def _state(value: Any, what: str, names: Sequence[str]) -> np.ndarray:
    array = real_array(value, what, copy=False)
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise InputError(
            f"{what} has shape {array.shape}: expected (..., {len(names)}), one value for each of {', '.join(names)}."
        )
    return array
