"""Controllers ready for use: PID and state feedback, sampled or continuous.

A sampled controller is given to `model.controller(period, law)`. A continuous controller adds states to the model, and
returns its command as an expression.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, isinf
from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.forces.friction import above_zero
from easydyn.inputs import a, a_model, by_name, finite, function, is_function, low_high, names_of, positive, real_array
from easydyn.model.declarations import constant
from easydyn.run.declared import measured

Target = float | Callable[[float], float]


def _target(given: Any, what: str) -> Callable[[float], float]:
    """A set-point as a function of time."""
    return function(given, what, "t") if is_function(given) else Constant(finite(given, what))


class Constant:
    """A constant function of time; unlike a lambda, it can be sent to another process."""

    def __init__(self, value: float):
        self.value = value

    def __call__(self, t: float) -> float:
        return self.value


@answers
class PID:
    """Sampled PID controller u = P e + I sum(e h) + D (e - e')/h of the error e = setpoint - measured.

    Parameters
    ----------
    measured, command : str
        Name of the output (or coordinate, rate, state) that is controlled, and name of the input that the controller
        sets.
    proportional, integral, derivative : float
        P, I (1/s), D (s); zero if left out.
    setpoint : float or function of time
        The set-point, in the unit of the measured quantity; zero if left out.
    limits : (float, float), optional
        Lowest and highest command; one of them may be infinite. While the command is at a limit, the integral does not
        grow further (anti-windup).
    filter : float (s), optional
        Time constant of a first-order filter of the derivative.

    Raises
    ------
    InputError
        When a value is not possible.

    Example
    -------
    >>> law = PID("speed", "u", proportional=2, integral=1, setpoint=3)
    >>> law.begin()
    >>> law(0.0, {"speed": 1.0})  # no time has passed yet: P e alone
    {'u': 4.0}
    >>> law(0.5, {"speed": 1.0})
    {'u': 5.0}
    """

    def __init__(
        self, measured: str, command: str, *, proportional: Any = 0, integral: Any = 0, derivative: Any = 0,
        setpoint: Any = 0, limits: Any = None, filter: Any = None,
    ):  # fmt: skip
        self.measured = a(str, measured, "measured of a PID", "the name of an output")
        self.command = a(str, command, "command of a PID", "the name of an input")
        self.proportional = finite(proportional, "proportional of a PID")
        self.integral = finite(integral, "integral of a PID")
        self.derivative = finite(derivative, "derivative of a PID")
        self.setpoint = _target(setpoint, "the setpoint of a PID")
        self.lower, self.upper = _limits(limits)
        self.filter = 0.0 if filter is None else positive(filter, "filter of a PID")
        self.begin()

    @property
    def idle(self) -> bool:
        """True when all gains are zero: the command is then always 0."""
        return self.proportional == self.integral == self.derivative == 0

    def begin(self) -> None:
        """Forget the past errors; called at the start of every run."""
        self._sum, self._slope = 0.0, 0.0
        self._last: tuple[float, float] | None = None  # time and error of the sample before

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        error = self.setpoint(t) - outputs[self.measured]
        total = self._sum
        if self._last is not None:
            h = t - self._last[0]
            total += error * h
            raw = (error - self._last[1]) / h
            self._slope += (raw - self._slope) * (h / (self.filter + h))
        self._last = t, error
        free = self.proportional * error + self.integral * total + self.derivative * self._slope
        command = min(max(free, self.lower), self.upper)
        if command == free or (free - command) * error * self.integral < 0:  # not driven further into a limit
            self._sum = total
        return {self.command: command}


@answers
class StateFeedback:
    """Sampled state feedback u = -sum k (x - setpoint of x).

    Parameters
    ----------
    command : str
        Name of the input that the controller sets.
    gains : dict, or array (s,) or (1, s)
        Gain by the name of an output, coordinate, rate or state: {"x": 3, "x.dot": 2}; or numbers, in the order of
        `names`.
    names : sequence of str, optional
        The names to which the gains of an array belong, such as `lin.state_space().states`.
    setpoints : dict, optional
        Values, or functions of time, by the same names; zero if left out.
    limits : (float, float), optional
        Lowest and highest command, in its unit; one of them may be infinite.

    Raises
    ------
    InputError
        An invalid name or gain, a set-point without a gain, limits in the wrong order.

    Example
    -------
    >>> law = StateFeedback("u", {"x": 3, "x.dot": 2}, setpoints={"x": 1})
    >>> law(0.0, {"x": 0.0, "x.dot": 0.5})
    {'u': 2.0}
    """

    def __init__(self, command: str, gains: Any, *, names: Any = None, setpoints: Any = None, limits: Any = None):
        if names is not None:
            gains = _named(gains, names)
        given = by_name(gains, "gains", '{"x": 3, "x.dot": 2}, or an array and names=')
        if not given:
            raise InputError('gains of a StateFeedback has no entry: expected a dict such as {"x": 3, "x.dot": 2}.')
        self.command = a(str, command, "command of a StateFeedback", "the name of an input")
        self.gains = {name: finite(value, f"the gain of {name}") for name, value in given.items()}
        wanted = by_name(setpoints, "setpoints", '{"x": 1}')
        for name in wanted:
            if name not in self.gains:
                raise InputError(f"setpoints has {name!r}, which has no gain: expected one of {', '.join(self.gains)}.")
        self.setpoints = {name: _target(value, f"the setpoint of {name}") for name, value in wanted.items()}
        self.lower, self.upper = _limits(limits)

    def __call__(self, t: float, outputs: Mapping[str, float]) -> dict[str, float]:
        command = 0.0
        for name, gain in self.gains.items():
            target = self.setpoints.get(name)
            command -= gain * (outputs[name] - (target(t) if target is not None else 0.0))
        return {self.command: min(max(command, self.lower), self.upper)}


def _named(gains: Any, names: Any) -> dict[str, float]:
    """Gains by name, of an array."""
    row, found = real_array(gains, "gains"), names_of(names)
    if len(set(found)) < len(found):
        raise InputError(f"names is {found}: expected different names, one for each gain.")
    if row.shape not in ((len(found),), (1, len(found))):
        raise InputError(
            f"gains has shape {row.shape}: expected ({len(found)},), one for each of {', '.join(found)}. Of gains for "
            "several inputs give one row, gains[0], to each StateFeedback."
        )
    return dict(zip(found, row.ravel().tolist(), strict=True))


def _limits(given: Any) -> tuple[float, float]:
    return (-inf, inf) if given is None else low_high(given, "limits", number=_limit)


def _limit(value: Any, what: str) -> float:
    return value if isinstance(value, float) and isinf(value) else finite(value, what)


@answers
def continuous_pid(
    model: Any, name: str, error: Any, *, proportional: Any = 0, integral: Any = 0, derivative: Any = 0,
    filter: Any = None,
) -> sympy.Expr:  # fmt: skip
    """Add a continuous PID controller to a model: its states and their equations, all of them or none.

        f.dot = (e - f)/filter,    s.dot = f,    u = P f + I s + D f.dot

    Parameters
    ----------
    model : Model
        The model to which the states and their equations are added.
    name : str
        The states are called name_integral and name_filtered.
    error : SymPy expression
        e, the set-point minus the measured quantity, in its own unit.
    proportional, integral, derivative : scalars
        P, I (1/s), D (s): numbers or expressions of parameters; zero if left out.
    filter : scalar (s)
        Time constant of the filter of the error; needed with a derivative.

    Returns
    -------
    SymPy expression
        Its command u, in the unit of P e.

    Raises
    ------
    InputError, ModelError
        A derivative without a filter, impossible values, symbols that the model does not know.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, tdisp
    >>> cart = Model("cart")
    >>> x, = cart.coordinates("x")
    >>> body = cart.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    >>> u = continuous_pid(cart, "position", 1 - x, proportional=8, integral=2, derivative=5, filter=0.01)
    >>> cart.add(GeneralizedForce(x, u))
    >>> run = cart.simulate(20)
    >>> bool(abs(run["x"][-1] - 1) < 1e-2)
    True
    """
    a_model(model, "the model of a continuous_pid")
    a(str, name, "the name of a continuous_pid", 'a text, such as "position"')
    what = f"the controller '{name}'"
    e = measured(error, f"the error of {what}", model)
    gains = {"proportional": proportional, "integral": integral, "derivative": derivative}
    P, I, D = (constant(value, f"the {gain} of {what}", model) for gain, value in gains.items())  # noqa: E741
    if D != 0 and filter is None:
        raise InputError(
            f"{what} has a derivative and no filter: give filter=, a time constant (s) shorter than what is to be "
            "controlled."
        )
    command = 0 * e
    with model.together():
        if filter is not None:
            T = above_zero(constant(filter, f"the filter of {what}", model), f"the filter of {what}")
            (f,) = model.states([f"{name}_filtered"])
            model.equation(f.dot - (e - f) / T)
            e, rate = f, (e - f) / T
            command += D * rate
        if I != 0:
            (s,) = model.states([f"{name}_integral"])
            model.equation(s.dot - e)
            command += I * s
    return command + P * e
