"""The geometric Jacobian of a frame in symbols (eqs. 5, 36, 37), factor by factor.

T = F1 F2 ... Fm: a factor that turns about u by the angle a adds u a' to the rotation, and (u x r) a' to the velocity,
where r leads from the factor to the point; one that moves by s adds s'. All in the axes behind the factor: so they are
short, and come to other axes by the factors before it or behind it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.engine.jacobians import frame_of
from easydyn.errors import UnknownNameError
from easydyn.inputs import a_model
from easydyn.mechanics.kinematics import SymbolicCalculus, rotation_vector
from easydyn.vec import ZERO, Block, Transform, cross, tdisp, vector


@answers
def jacobian(model: Any, frame: Any, at: Any = (0, 0, 0), *, axes: Any = None) -> sympy.ImmutableDenseMatrix:
    """Derive the geometric Jacobian of a frame, 6 x n: velocity and angular velocity are J qd (eqs. 5, 36, 37).

    Parameters
    ----------
    model : Model
        The model.
    frame : Body, str or Transform
        A body, its name, or a frame such as `hand.T * tdisp(0, 0, 0.1)`.
    at : 3 scalars (m)
        A point that is fixed in the frame; its origin if left out.
    axes : Body, str or Transform, optional
        The axes of the components; those of the ground if left out.

    Returns
    -------
    sympy.Matrix
        Three rows of velocity (m per unit of the coordinate), three of angular velocity (rad per unit), a column
        for each coordinate. `system.frame_jacobian` of the compiled model gives numbers, for many states at once.

    Raises
    ------
    InputError, UnknownNameError
        No frame of this model.

    Example
    -------
    >>> from easydyn import examples
    >>> pendulum = examples.double_pendulum()
    >>> list(pendulum.jacobian("upper arm", at=(0, -0.3, 0), axes="upper arm")[:2, 0])
    [l1/2 + 0.3, 0]
    """
    a_model(model, "model")
    coordinates, T = model.mechanism.coordinates, _of_model(model, frame, "frame")
    point = T * tdisp(*vector(at, "at"))
    own = axes is not None and _of_model(model, axes, "axes") == T
    to = None if axes is None or own else _of_model(model, axes, "axes").R.inv()
    calculus = SymbolicCalculus(coordinates)
    sums = {q: [ZERO, ZERO] for q in coordinates}
    for k, factor in enumerate(point.factors):
        alone, behind = Transform((factor,)), Transform(point.factors[k + 1 :])
        for q in coordinates:
            by_q = partial(calculus.diff, symbol=q)
            turned, moved = rotation_vector(alone, by_q, calculus.tidy), alone.e.map(by_q)
            if turned == ZERO and moved == ZERO:
                continue
            if isinstance(factor, Block):
                moved, turned = alone.R.inv() * moved, alone.R.inv() * turned
            moved = moved + cross(turned, behind.e)
            R = behind.R.inv() if own else Transform(point.factors[: k + 1]).R
            R = R if to is None else to * R
            sums[q] = [a + R * b for a, b in zip(sums[q], (moved, turned), strict=True)]
    columns = [[sympy.sympify(x) for v in sums[q] for x in v] for q in coordinates]
    return sympy.ImmutableDenseMatrix(6, len(columns), lambda i, j: columns[j][i])


def _of_model(model: Any, given: Any, what: str) -> Transform:
    T = frame_of(model[given] if isinstance(given, str) else given, what)
    strangers = sorted(str(s) for s in T.free_symbols if str(s) not in model.symbols and "reference" not in str(s))
    if strangers:
        raise UnknownNameError(
            f"{what} contains {strangers[0]}, which model '{model.name}' does not declare: expected a frame of its "
            "coordinates and parameters."
        )
    return T
