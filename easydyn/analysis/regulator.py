"""The linear quadratic regulator of a linearised model, by SciPy's solution of Riccati's equation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from easydyn.errors import InputError
from easydyn.inputs import finite, finite_array, name_in

SYMMETRIC, ZERO, STILL = 1e-9, 1e-12, 1e-12  # relative


def lqr(self: Any, Q: Any, R: Any = 1.0, *, inputs: Sequence[str] | None = None) -> np.ndarray:
    """Gains K of the linear quadratic regulator: u = -K x minimises the integral of x' Q x + u' R u.

    Parameters
    ----------
    Q : array (s, s), (s,) or dict
        Weights of the state x of `state_space`: a matrix, its diagonal, or weights by name, {"x": 10, "q.dot": 1},
        with 0 for the others.
    R : array (m, m), (m,) or float
        Weights of the inputs.
    inputs : sequence of str, optional
        As in `state_space`.

    Returns
    -------
    array (m, s)
        The gains, for `StateFeedback("u", K, names=lin.state_space().states)`. The state x is measured from the
        state about which the model was linearised.

    Raises
    ------
    InputError
        Weights that have another size, are not symmetric or not positive; a system that the inputs cannot
        stabilise.

    Example
    -------
    >>> from easydyn import GeneralizedForce, Model, tdisp
    >>> model = Model("cart")
    >>> x, = model.coordinates("x")
    >>> cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    >>> model.add(GeneralizedForce(x, model.input("u")))
    >>> model.linearize().lqr([1, 0]).round(4)  # doctest: +SKIP
    array([[1.    , 1.4142]])
    """
    from scipy.linalg import solve_continuous_are

    space = self.state_space(inputs)
    if not space.inputs:
        raise InputError("lqr needs an input: declare one with model.input(...), or name a coordinate, inputs=['x'].")
    weights = _matrix(Q, space.states, "Q"), _matrix(R, space.inputs, "R")
    if np.linalg.eigvalsh(weights[0])[0] < -ZERO * np.abs(weights[0]).max(initial=0.0):
        raise InputError("Q of lqr has a negative eigenvalue: expected weights >= 0.")
    if np.linalg.eigvalsh(weights[1])[0] <= 0:
        raise InputError("R of lqr has an eigenvalue that is not above zero: expected a weight > 0 for every input.")
    why = "the motion that they leave does not come to rest"
    found = None
    try:
        P = solve_continuous_are(space.A, space.B, *weights)
        found = np.linalg.solve(weights[1], space.B.T @ P)
    except np.linalg.LinAlgError as error:
        why = str(error).rstrip(".")
    if found is None or not np.linalg.eigvals(space.A - space.B @ found).real.max() < -STILL * np.abs(space.A).max():
        raise InputError(
            f"lqr finds no gains ({why}): expected inputs that reach every unstable mode, and weights Q on each motion "
            "that does not come to rest by itself."
        )
    return np.asarray(found)


def _matrix(given: Any, names: Sequence[str], what: str) -> np.ndarray:
    """A symmetric matrix of weights: of a matrix, a diagonal, one number, or numbers by name."""
    n = len(names)
    if isinstance(given, Mapping):
        message = f"{what} of lqr has {{!r}}: expected one of {{}}."
        by = {name_in(name, names, message): finite(x, f"the weight of {name}") for name, x in given.items()}
        return np.diag([by.get(name, 0.0) for name in names])
    array = finite_array(given, f"{what} of lqr")
    if array.ndim == 0 or array.shape == (1,):
        return float(array.item()) * np.eye(n)
    if array.shape == (n,):
        return np.diag(array)
    if array.shape != (n, n) or np.abs(array - array.T).max() > SYMMETRIC * np.abs(array).max():
        raise InputError(
            f"{what} of lqr has shape {array.shape}: expected a number, ({n},), or a symmetric matrix ({n}, {n}), for "
            f"{', '.join(names)}."
        )
    return (array + array.T) / 2
