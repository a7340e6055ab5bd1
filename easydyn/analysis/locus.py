"""Poles as functions of one value: root locus and Campbell diagram."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.analysis.equilibrium import Equilibrium, equilibrium
from easydyn.analysis.linearize import linearize
from easydyn.arguments import answers, asked
from easydyn.errors import InputError, UnknownNameError
from easydyn.inputs import a_model, by_name, expect, real_array

MOST = 10_000  # values of one locus


@answers
@dataclass(frozen=True, eq=False)
class RootLocus:
    """Poles over the values of a parameter, one column for each pole: the root locus of control theory.

    Attributes
    ----------
    parameter : str
        Its name.
    values : array (N,)
        Its values, in its own unit.
    poles : complex array (N, m)
        rad/s; a column follows one pole.
    states : array (N, n)
        The states at which the equations were linearised: coordinates, and the values of first-order states.
    names : tuple of str
        The n unknowns.
    title : str
        The name of the model.
    unit : str
        Unit of the values, if it is known.

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> locus = pendulum.root_locus("l1", [1.0, 1.2], at=pendulum.equilibrium())
    >>> locus.poles.shape, locus.unstable
    ((2, 4), array([False, False]))
    """

    parameter: str
    values: np.ndarray
    poles: np.ndarray
    states: np.ndarray
    names: tuple[str, ...]
    title: str
    unit: str = ""

    @property
    def frequencies(self) -> np.ndarray:
        """Frequencies of oscillation (N, m), Hz: the imaginary parts of the poles over 2 pi."""
        return self.poles.imag / (2 * np.pi)

    @property
    def damping(self) -> np.ndarray:
        """Damping ratios (N, m); 0 for poles at zero."""
        size = np.abs(self.poles)
        return np.divide(-self.poles.real, size, out=np.zeros(size.shape), where=size > 0)

    @property
    def unstable(self) -> np.ndarray:
        """True (N,) where some pole has a real part above zero by more than rounding errors."""
        return np.any(self.poles.real > 1e-7 * np.abs(self.poles).max(axis=1, keepdims=True), axis=1)

    plot = asked("easydyn.analysis.poleplots:locus")
    plot_frequencies = asked("easydyn.analysis.poleplots:campbell")
    plot_parts = asked("easydyn.analysis.poleplots:parts")

    def __repr__(self) -> str:
        lines = [f"Root locus of '{self.title}' over {self.parameter}", f"{self.parameter:>12}   poles [rad/s]"]
        upper = np.any(self.poles.imag > 0, axis=0) | np.all(self.poles.imag == 0, axis=0)
        shown = (
            range(len(self.values)) if len(self.values) <= 20 else np.linspace(0, len(self.values) - 1, 20, dtype=int)
        )
        for k in shown:
            poles = (f"{p.real:.5g}" + f"{p.imag:+.5g}j" * bool(p.imag) for p in self.poles[k, upper])
            lines.append(f"{self.values[k]:12.6g}   " + "  ".join(poles))
        return "\n".join(lines)


@answers
def root_locus(
    model: Any,
    parameter: Any,
    values: Any,
    *,
    at: Any = None,
    t: float | None = None,
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    locked: Any = None,
    target: str = "python",
    scheme: str = "recursive",
) -> RootLocus:
    """Compute the poles over the values of a parameter, and follow each pole as it moves.

    Parameters
    ----------
    model : Model
        The model.
    parameter : Parameter or str
        A parameter; or, where `at` gives values by name, a coordinate or a rate ("spin.dot").
    values : array (N,)
        Its values, in its own unit.
    at : optional
        As in `linearize`. An equilibrium is found again for each value; the search starts from the one before.
    t, parameters, inputs, locked, target, scheme : optional
        As in `linearize`.

    Returns
    -------
    RootLocus
        With `poles` (N, m), `frequencies`, `damping`, `unstable`, `plot()`.

    Raises
    ------
    UnknownNameError
        A name that is neither a parameter nor in `at`.
    InputError
        No value, or one for which a coordinate loses its inertia.

    Notes
    -----
    Poles are the eigenvalues of control theory: det(M s^2 + C s + K) = 0.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, tdisp
    >>> model = Model("oscillator")
    >>> x, = model.coordinates("x")
    >>> k, = model.parameters(k=1)
    >>> mass = model.body("mass", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(GeneralizedForce(x, -k*x))
    >>> abs(model.root_locus("k", [1, 4, 9]).poles[:, 0].imag)
    array([1., 2., 3.])
    """
    a_model(model, "model")
    name = str(parameter)
    numbers = np.ravel(real_array(values, "values"))
    if not len(numbers):
        raise InputError("values is empty: expected the values of the parameter, such as numpy.linspace(0, 10, 101).")
    expect(len(numbers) <= MOST, "values", numbers.shape, f"at most {MOST}, each of which is linearised", "has shape")
    of_state = [k for x in model.names for k in (x, f"{x}.dot", f"{x}.ddot")]
    own = list(model.values(parameters))
    if name not in own and (name not in of_state or isinstance(at, Equilibrium | tuple | list)):
        raise UnknownNameError(
            f"root_locus over {name!r}: expected a parameter, of {', '.join(own) or 'which there are none'}; or, where "
            "at= gives values by name, a coordinate or its rate."
        )
    options: dict[str, Any] = {"t": t, "inputs": inputs, "locked": locked, "target": target, "scheme": scheme}
    fixed = by_name(parameters, "parameters", '{"l1": 1.3}')
    rows: list[np.ndarray] = []
    states: list[np.ndarray] = []
    for value in numbers.tolist():
        here = fixed | {name: value} if name in own else fixed
        if isinstance(at, Equilibrium):
            at = _followed(model, at, here, options)
            lin = linearize(model, at, **options)
        else:
            start = at if name in own else by_name(at, "at", '{"q1.dot": 2}') | {name: value}
            lin = linearize(model, start, parameters=here or None, **options)
        poles = lin.poles()
        rows.append(_matched(rows, poles) if rows else poles)
        states.append(np.where(lin.state.system.states, lin.qd, lin.q))
    m = lin.state.system.mechanism
    unit = m.signals.unit(name) or m.units.get(name, "")
    return RootLocus(name, numbers, np.array(rows), np.array(states), lin.state.system.names, model.name, unit)


def _followed(model: Any, last: Equilibrium, parameters: Mapping[str, Any], options: Mapping[str, Any]) -> Equilibrium:
    """The equilibrium for other parameters, from the last one."""
    guess = {name: last[name] for name in last.names}
    locked = last.locked if options["locked"] is None else options["locked"]
    found = equilibrium(
        model, guess, t=last.t if options["t"] is None else options["t"], parameters=last.parameters | dict(parameters),
        inputs=last.inputs | by_name(options["inputs"], "inputs", '{"u": 2}'),
        locked=locked, rates=last.rates, target=options["target"], scheme=options["scheme"],
    )  # fmt: skip
    found.check()
    return found


def _matched(rows: Sequence[np.ndarray], poles: np.ndarray) -> np.ndarray:
    """The poles in the order that continues the rows so far, by the least total distance to where they are expected."""
    from scipy.optimize import linear_sum_assignment  # half a second, for this alone

    expected = rows[-1] if len(rows) == 1 else 2 * rows[-1] - rows[-2]
    if len(poles) != len(expected):
        raise InputError(
            f"the number of poles changes from {len(expected)} to {len(poles)}: some coordinate loses its inertia "
            "for one of the values. Leave that value out."
        )
    # half way between where a pole was and where it is expected: poles that meet on the real axis turn sharply
    distance = np.abs(expected[:, None] - poles) + np.abs(rows[-1][:, None] - poles)
    return poles[linear_sum_assignment(np.nan_to_num(distance))[1]]  # SciPy refuses what is not finite
