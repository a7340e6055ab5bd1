"""The equations as functions of jax.numpy: compiled by XLA, vectorised over states, differentiated.

    system = model.compile(target="jax")
    motion = system.motion(5, step=0.05)                # a pure function of parameters and initial values
    jax.jit(motion)({"l1": lengths})                    # an ensemble
    jax.jacfwd(lambda x: motion({"l1": x})["q"][-1])(1.2)

The program is that of all other targets, in another notation. Numbers have 64 bits. Methods of a system set this
themselves. A pure function, which JAX calls, requires that the user has set 64 bits in JAX; it raises an error
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any

import numpy as np

from easydyn.arguments import answers
from easydyn.engine.jacobians import Jacobian, expressions_of
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.engine.targets import jax_functions, jax_here
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.inputs import among, by_name, positive, shown
from easydyn.sim import pure as steps

METHODS = ("dop853", "newmark")
MOST_STEPS = 10_000_000
ABREAST = 256  # runs side by side on a processor: what they need stays near it


def _in_double_precision(jax: Any) -> Any:
    """JAX, which has been told to reckon with 64 bits; InputError where it has not."""
    if not jax.config.jax_enable_x64:
        raise InputError(
            'JAX reckons with 32 bits here, and this needs 64: call jax.config.update("jax_enable_x64", True) once, '
            'before anything else of JAX, or put the call, and jax.jit around it, into "with jax.enable_x64(True):".'
        )
    return jax


@answers
class JaxSystem(CompiledSystem):
    """Numbers of a model by JAX, made by `model.compile(target="jax")`: a CompiledSystem, and pure functions.

    Parameters
    ----------
    programs, parameters, target, inputs
        As for a CompiledSystem; values in their own units.
    start : sequence of scalar
        Initial values of q and qd, (2 n,): numbers or expressions of parameters, in their own units.
    obstacles : sequence of str
        Descriptions of whatever changes a run besides the equations; if there is any, no pure run is possible.

    Raises
    ------
    InputError, ModelError, UnknownNameError, MissingDependencyError
        As its methods say.

    Example
    -------
    >>> from easydyn import examples
    >>> from easydyn.errors import MissingDependencyError
    >>> try:
    ...     system = examples.double_pendulum().compile(target="jax")
    ... except MissingDependencyError:  # where there is no JAX
    ...     pass
    ... else:
    ...     assert system.residual(0, [1, 0], [0, 0], [0, 0]).dtype == float
    """

    def __init__(
        self, programs: Programs, parameters: Mapping[str, float], target: str = "jax",
        inputs: Mapping[str, float] | None = None, start: Sequence[Any] = (), obstacles: Sequence[str] = (),
    ):  # fmt: skip
        super().__init__(programs, parameters, target, inputs)
        self._start, self._obstacles = tuple(start), tuple(obstacles)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"start": self._start, "obstacles": self._obstacles}

    # -- the equations as functions -------------------------------------------------------------------------------

    def pure(self, key: Any) -> Callable[..., Any]:
        """A quantity as a pure function of jax.numpy, f(t, q, qd, qdd, parameters) -> array, of one state (n,).

        It can be given to jax.jit, jax.vmap, jax.grad, jax.jacfwd. Efforts in plain Python are not in it.

        Parameters
        ----------
        key : str or sequence of SymPy expressions
            "residual" (n,), "mass_matrix" (n, n), "accelerations" (n,), "frames" (bodies, 4, 4), or m expressions of
            the model's symbols, (m,).

        Returns
        -------
        callable
            The function. Its `parameters` is a dict of parameters and inputs that differ from the system's; it may be
            left out. All values are in their own units. The function raises InputError if JAX is not set to 64 bits.

        Raises
        ------
        InputError
            For another key.
        ModelError
            When the model has efforts in plain Python.
        """
        jax = jax_here()
        named = isinstance(key, str)
        if named and key not in ("residual", "mass_matrix", "accelerations", "frames"):
            raise InputError(
                f'pure({key!r}): expected "residual", "mass_matrix", "accelerations", "frames", or a list of '
                "expressions."
            )
        if self.mechanism.callbacks:
            culprits = ", ".join(f.__name__ for f in self.mechanism.callbacks)
            raise ModelError(
                f"model '{self.mechanism.name}' has efforts in plain Python ({culprits}), which JAX cannot look into: "
                "write them as Force, Moment or GeneralizedForce."
            )
        key = key if named else expressions_of(key, "the expressions")
        shapes = {"mass_matrix": (self.n, self.n), "frames": (len(self.mechanism.bodies), 4, 4)}
        shape = shapes.get(key) if named else None
        if key == "accelerations":
            return lambda t, q, qd, qdd=None, parameters=None: self._accelerations(*self._values(parameters))(
                t, *map(_in_double_precision(jax).numpy.asarray, (q, qd))
            )
        prologue, evaluate = jax_functions(self.program(key))

        def function(t: Any, q: Any, qd: Any, qdd: Any, parameters: Mapping[str, Any] | None = None) -> Any:
            state = map(_in_double_precision(jax).numpy.asarray, (q, qd, qdd))
            found = evaluate(t, *state, prologue(*self._values(parameters)))
            return found if shape is None else found.reshape(shape)

        return function

    def _values(self, given: Mapping[str, Any] | None) -> tuple[list[Any], list[Any]]:
        """Values of parameters, and of what is held, with those that are given."""
        own = by_name(given, "parameters", '{"l1": 1.3}')
        names = [str(p) for p in self.mechanism.parameters]
        for name, value in own.items():
            if name not in names and name not in self.inputs:
                known = ", ".join([*names, *self.inputs]) or "none"
                raise UnknownNameError(
                    f"there is no parameter or input {name!r} here: expected one of {known}. Values at the start are "
                    "the second argument of a motion."
                )
            own[name] = self._number(value, f"parameter {name!r}")
        held = [own.get(name, value) for name, value in zip(self.mechanism.held, self.held, strict=True)]
        return [own.get(name, value) for name, value in zip(names, self._p, strict=True)], held

    def _number(self, value: Any, what: str) -> Any:
        """A number, an array of numbers, or what JAX traces; InputError otherwise."""
        try:
            if not isinstance(value, str | bytes | bool) and value is not None:
                return jax_here().numpy.asarray(value, dtype=float)
        except (TypeError, ValueError, OverflowError):
            pass
        raise InputError(f"{what} is {shown(value)}: expected a number, or an array of numbers, one for each run.")

    # -- runs -----------------------------------------------------------------------------------------------------

    def motion(
        self, t_final: float, *, step: float, method: str = "dop853", save_every: float | None = None
    ) -> Callable[..., Any]:
        """A run from 0 to `t_final` (s) as a pure function, motion(parameters, initial) -> dict of arrays.

        It can be given to jax.jit, jax.vmap, jax.grad, jax.jacfwd, jax.jacrev. Values of both dicts may also be arrays
        of one shape (...): this makes all runs at once, faster than with vmap.

        Parameters
        ----------
        t_final : float
            End of the run (s).
        step : float
            The fixed step (s), slightly shortened if the run is not a multiple of it. The error is not controlled:
            halve the step, and compare.
        method : {"dop853", "newmark"}
            "dop853" has order 8. "newmark" is Newmark's method of order 2 (beta = 1/4, gamma = 1/2), for stiff systems;
            it gives NaN if its iteration does not converge.
        save_every : float, optional
            Interval between saved instants (s); t_final must be a multiple of it. If left out, only start and end are
            saved.

        Returns
        -------
        callable
            The function. Its `parameters` are parameters and inputs that differ from the system's; its `initial` values
            are those that differ from the model's, {"q1": 0.3, "q1.dot": 2}, in their own units. It returns {"t": (K,),
            "q", "qd", "qdd": (..., K, n)}, and raises InputError if JAX is not set to 64 bits.

        Raises
        ------
        InputError
            A value that makes no sense.
        ModelError
            A model whose run needs more than its equations: events, controllers, loops, friction that sticks.
        """
        jax = jax_here()
        end, h = positive(t_final, "t_final"), positive(step, "step")
        if not among(method, METHODS):
            raise InputError(f"method={shown(method)}: expected one of {', '.join(METHODS)}, with fixed steps.")
        self._check_pure()
        if method == "dop853" and not self.linear:
            raise ModelError(
                f"the equations of '{self.mechanism.name}' are not linear in the accelerations: take "
                'method="newmark".'
            )
        every = end if save_every is None else positive(save_every, "save_every")
        if not end / min(h, every) <= MOST_STEPS:
            raise InputError(
                f"step is {min(h, every):g} s: expected one that makes at most {MOST_STEPS:g} steps of {end:g} s."
            )
        intervals, within = max(1, round(end / every)), max(1, ceil(min(every, end) / h - 1e-9))
        if abs(intervals * every - end) > 1e-9 * end:
            raise InputError(f"save_every is {every:g} s: expected a whole part of t_final, {end:g} s.")
        h = end / (intervals * within)

        def runs(p: Any, u: Any, q: Any, qd: Any) -> Any:
            a = self._accelerations(p, u)
            step = steps.explicit_step(jax, a, h) if method == "dop853" else self._implicit(p, u, h)
            return steps.march(jax, step, (q, qd, a(0.0, q, qd)), h, intervals, within)

        def motion(parameters: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None) -> Any:
            jnp = _in_double_precision(jax).numpy
            p, u = self._values(parameters)
            q, qd = self._begin(p, u, initial)
            values = [jnp.asarray(x, dtype=float) for x in (*p, *u, *q, *qd)]
            lanes = _common([x.shape for x in values])
            cuts = np.cumsum([len(p), len(u), self.n])

            def of(values: Any) -> Any:
                p, u, q, qd = (values[a:b] for a, b in zip((0, *cuts), (*cuts, len(values)), strict=True))
                shape = _common([x.shape for x in values])
                return runs(p, u, *(jnp.stack([jnp.broadcast_to(x, shape) for x in y]) for y in (q, qd)))

            found = _in_blocks(jax, of, values, lanes)
            q, qd, qdd = (jnp.moveaxis(x, (0, 1), (-2, -1)) for x in found)
            return {"t": jnp.arange(intervals + 1) * (h * within), "q": q, "qd": qd, "qdd": qdd}

        return motion

    def _check_pure(self) -> None:
        obstacles = list(self._obstacles)
        m, d = self.mechanism, self.derivation
        for what, there in (
            ("efforts in plain Python", m.callbacks), ("closed loops", m.constraints or m.multipliers),
            ("attitudes that are renewed", m.attitudes), ("unknowns of force elements", m.algebraic),
            ("contacts that close", d.gaps), ("friction that sticks", d.slips),
            ("elements that change their mode", d.transitions or m.flags), ("locks", m.locks),
        ):  # fmt: skip
            obstacles += [what] if there else []
        if obstacles:
            raise ModelError(
                f"model '{m.name}' has {', '.join(obstacles)}: its runs are more than its equations, and cannot be "
                "pure functions. Use model.simulate or model.study."
            )

    def _begin(self, p: Any, u: Any, initial: Mapping[str, Any] | None) -> tuple[list[Any], list[Any]]:
        """q and qd at the start, each (n,) scalars."""
        prologue, evaluate = jax_functions(self.program(self._start))
        known = self.mechanism.signals.values()
        places = {s.name: s.order * self.n + s.column for slot in ("q", "qd") for s in known if s.slot == slot}
        constants, lanes = prologue(p, u), _common([np.shape(x) for x in (*p, *u)])
        zero = jax_here().numpy.zeros((self.n, *lanes))
        values = list(evaluate(0.0, zero, zero, zero, constants))
        for name, value in by_name(initial, "initial", '{"q1": 0.3}').items():
            if name not in places:
                raise UnknownNameError(f"there is no initial value {name!r}: expected one of {', '.join(places)}.")
            values[places[name]] = self._number(value, f"initial {name!r}")
        return values[: self.n], values[self.n :]

    def _accelerations(self, p: Any, u: Any) -> Callable[..., Any]:
        """qdd(t, q, qd) with these values: straight-line code, or M x = -h, or by iteration."""
        jax = jax_here()
        jnp = jax.numpy
        if self.explicit_accelerations:
            prologue, evaluate = jax_functions(self.program("accelerations"))
            constants = prologue(p, u)
            return lambda t, q, qd: evaluate(t, q, qd, jnp.zeros_like(q), constants)
        residual, mass = (jax_functions(self.program(key)) for key in ("residual", "mass_matrix"))
        c, d = residual[0](p, u), mass[0](p, u)

        def matrix(t: Any, q: Any, qd: Any, qdd: Any) -> Any:
            return mass[1](t, q, qd, qdd, d).reshape((self.n, self.n, *q.shape[1:]))

        def linear(t: Any, q: Any, qd: Any) -> Any:
            zero = jnp.zeros_like(q)
            return -steps.solved(jax, matrix(t, q, qd, zero), residual[1](t, q, qd, zero, c))

        def iterated(t: Any, q: Any, qd: Any) -> Any:
            f = lambda a: residual[1](t, q, qd, a, c)  # noqa: E731
            return steps.root(jax, f, lambda a: matrix(t, q, qd, a), jnp.zeros_like(q))

        return linear if self.linear else iterated

    def _implicit(self, p: Any, u: Any, h: float) -> steps.Step:
        """A step of Newmark's method with these values."""
        jax = jax_here()
        residual, *derivatives = (
            jax_functions(self.program(key)) for key in ("residual", *map(Jacobian, ("q", "qd", "qdd")))
        )
        c, *constants = (prologue(p, u) for prologue, _ in (residual, *derivatives))

        def matrices(t: Any, q: Any, qd: Any, qdd: Any) -> Any:
            square = (self.n, self.n, *q.shape[1:])
            found = zip(derivatives, constants, strict=True)
            return [evaluate(t, q, qd, qdd, d).reshape(square) for (_, evaluate), d in found]

        return steps.implicit_step(jax, lambda t, q, qd, qdd: residual[1](t, q, qd, qdd, c), matrices, h)


def jax_system(system: CompiledSystem, start: Sequence[Any], obstacles: Sequence[str]) -> JaxSystem:
    """The same system with pure functions."""
    return JaxSystem(system._programs, system.parameters, "jax", system.inputs, start, obstacles)


def _common(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of runs that values of these shapes make together; InputError where they make none."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        found = ", ".join(sorted({str(s) for s in shapes if s}))
        raise InputError(
            f"values have axes {found}, which do not fit together: expected one value for each run."
        ) from None


def _in_blocks(jax: Any, of: Callable[..., Any], values: list[Any], lanes: tuple[int, ...]) -> Any:
    """What `of` makes, (K, n, ...), of values that broadcast to the shape `lanes`: on a processor some at a time."""
    jnp, count = jax.numpy, int(np.prod(lanes))
    if count <= ABREAST or jax.default_backend() != "cpu":
        return of([jnp.broadcast_to(x, lanes) if x.shape else x for x in values])
    blocks = -(-count // ABREAST)
    spread = [jnp.broadcast_to(x, lanes).ravel() for x in values if x.shape]
    cut = [jnp.concatenate([x, jnp.broadcast_to(x[-1:], (blocks * ABREAST - count,))]) for x in spread]

    def one(rows: Any) -> Any:
        row = iter(rows)
        return of([next(row) if x.shape else x for x in values])

    found = jax.lax.map(one, [x.reshape(blocks, ABREAST) for x in cut])
    whole = (jnp.moveaxis(x, 0, -2).reshape((*x.shape[1:3], blocks * ABREAST))[..., :count] for x in found)
    return [x.reshape((*x.shape[:2], *lanes)) for x in whole]
