"""Check what is physically possible with the values of parameters: masses, inertias, rotations, sizes of elements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import sympy

from easydyn.errors import ModelError
from easydyn.inputs import finite
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.symbols import Parameter
from easydyn.vec import Block, Factor, Transform
from easydyn.vec.rigid import check_rotation
from easydyn.vec.scalars import Scalar, is_number


def check_principal(tensor: np.ndarray, what: str) -> None:
    """Raise ModelError, naming `what`, for an inertia tensor (kg m2, 3x3) with a negative principal moment."""
    moments = np.linalg.eigvalsh(tensor)
    if moments[0] < -1e-12 * max(abs(moments[2]), 1e-300):
        raise ModelError(
            f"{what} has a negative principal moment, {moments[0]:.6g} (principal moments "
            f"{', '.join(f'{m:.6g}' for m in moments)} kg m2): none can be below zero. Off-diagonal values are "
            "elements of the tensor."
        )


def check_physical(mechanism: Mechanism, values: Mapping[str, float]) -> None:
    """Check with the values of parameters: masses and moments >= 0, rotations, sizes of elements > 0."""
    numbers = in_numbers(values)

    def number(x: Scalar, what: str) -> float:
        if is_number(x):
            return float(x)
        found = sympy.sympify(x).xreplace(numbers)
        if found.is_Float and found.is_finite:  # nothing is printed where nothing is wrong: a fit asks at each try
            return float(found)
        return finite(found.evalf(17), f"{what} (= {x} with {values})")

    for b in mechanism.bodies:
        tensor = [[b.inertia[i, j] for j in range(3)] for i in range(3)]
        if is_number(b.mass) and all(is_number(x) for row in tensor for x in row):
            continue
        mass = number(b.mass, f"the mass of body '{b.name}'")
        if mass < 0:
            raise ModelError(f"the mass of body '{b.name}' is {b.mass} = {mass:g}: expected a number >= 0 (kg).")
        what = f"the inertia of body '{b.name}'"
        check_principal(np.array([[number(x, what) for x in row] for row in tensor]), what)
    factors = {f: b.name for b in reversed(mechanism.bodies) for f in b.T.factors if isinstance(f, Block)}
    for factor, name in factors.items():
        if parameters_of(factor):
            check_rotation(factor.R, f"the transform of body '{name}'", numbers)
    for what, x in sizes_by_parameters(mechanism):
        if (value := number(x, what)) <= 0:
            raise ModelError(f"{what} is {x} = {value:g}: expected a number above zero.")


def sizes_by_parameters(mechanism: Mechanism) -> Iterator[tuple[str, sympy.Expr]]:
    """What messages call each value above zero that parameters give, and the value: of elements and of constraints."""
    for part in (*mechanism.efforts, *mechanism.constraints):
        for what, x in part.named_sizes:
            if isinstance(x, sympy.Expr) and all(isinstance(s, Parameter) for s in x.free_symbols):
                yield what, x


def parameters_of(factor: Factor) -> set[Parameter]:
    """The parameters in a factor of a transform."""
    return {s for s in Transform((factor,)).free_symbols if isinstance(s, Parameter)}
