"""Numbers that look like another unit: millimetres, degrees, kg mm2, N/mm; and numbers too far apart.

The bounds are wide: they accept the sizes of machines, vehicles and toys, and catch factors of a thousand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy

from easydyn.forces import Spring
from easydyn.mechanics.known import in_numbers
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.result.trajectory import in_degrees
from easydyn.vec import Turn
from easydyn.vec.scalars import is_number, symbols_of

STRONG = 500.0  # m/s2: more gravity than anybody means; 9810 is in mm/s2
FAR = 100.0  # m: a rigid distance that deserves a second look
LIGHT = 0.1  # kg/m: what stands that far away is heavier than this times the distance
GYRATION = 50.0  # m: a radius of gyration that large
BESIDE = 100.0  # times the lengths of the model, belongs to kg mm2; a spring that sags so far, to N/mm
DEGREES = 180 / math.pi  # of a radian
APART = 1e8  # ratio of masses that costs half of the digits


def magnitudes(model: Any, q: np.ndarray) -> Iterator[str]:
    """Findings on the sizes of numbers, at the initial coordinates q."""
    yield from _degrees(model, q)
    yield from _signs(model)
    g = math.hypot(*(number(c, model) for c in model.mechanism.gravity))
    lengths = {body.name: _length(body, model) for body in model.bodies}
    longest = max(lengths.values(), default=0.0)
    if g > STRONG:
        yield (
            f"gravity is {g:.4g} m/s2: that looks like mm/s2. Lengths are in m throughout: 9.81, and the lengths, "
            "inertias and stiffnesses with it."
        )
        return
    if g > 0:
        yield from _millimetres(model, lengths)
        yield from _soft_springs(model, g, longest)
    yield from _large_inertias(model, longest)
    yield from _far_apart(model)


def number(x: Any, model: Any) -> float:
    """The value of a scalar with the parameters of the model, at zero coordinates and time; NaN if it has none."""
    if is_number(x):
        return float(x)
    e = sympy.sympify(x).xreplace(in_numbers(model.values()))
    try:
        value = complex(sympy.N(e.xreplace(dict.fromkeys(e.free_symbols, sympy.Integer(0)))))
    except (TypeError, ValueError):  # a division by zero
        return math.nan
    return value.real if value.imag == 0 else math.nan


def _length(body: Any, model: Any) -> float:
    """The largest distance (m) that is written in a body's transform or in its centre of mass."""
    written = [x for factor in body.T.factors if not isinstance(factor, Turn) for x in factor.e]
    values = [abs(number(x, model)) for x in (*written, *body.com)]
    return max((x for x in values if math.isfinite(x)), default=0.0)


def _degrees(model: Any, q: np.ndarray) -> Iterator[str]:
    """An angle beyond a full turn, at the start or as a constant of a transform, is most often in degrees."""
    for name, value in zip(model.names, q, strict=True):
        if model.mechanism.units.get(name) == "rad" and abs(value) > 2 * np.pi:
            yield in_degrees(f"the initial value of {name} is", value)
    seen = set()
    for body in model.bodies:
        for factor in (f for f in body.T.factors if isinstance(f, Turn)):
            symbols = symbols_of(factor.angle)
            if not symbols or not all(isinstance(s, Parameter) for s in symbols) or factor.angle in seen:
                continue
            seen.add(factor.angle)
            if abs(value := number(factor.angle, model)) > 2 * np.pi:
                yield in_degrees(f"the transform of body '{body.name}' turns by {factor.angle} =", value)
    yield from _turned_into_degrees(model)
    yield from _angles_of_elements(model)


def _turned_into_degrees(model: Any) -> Iterator[str]:
    """An angle times 180/pi, in a turn or under a sine."""
    seen = set()
    for body in model.bodies:
        for factor in body.T.factors:
            if factor in seen:
                continue
            seen.add(factor)
            if isinstance(factor, Turn):
                angles = [sympy.sympify(factor.angle)]
            else:
                written = [sympy.sympify(x) for x in type(body.T)((factor,)).scalars()]
                angles = [f.args[0] for x in written for f in sorted(x.atoms(sympy.sin, sympy.cos, sympy.tan), key=str)]
            for angle in angles:
                slopes = (angle.diff(s) for s in angle.free_symbols if isinstance(s, Coordinate))
                if any(x.is_number and abs(abs(float(x)) - DEGREES) < 1e-6 * DEGREES for x in slopes):
                    yield (
                        f"the transform of body '{body.name}' turns by {angle}, an angle in degrees: angles are in "
                        "radians everywhere. Leave out the factor 180/pi."
                    )
                    return


def _angles_of_elements(model: Any) -> Iterator[str]:
    """Whole numbers beyond a full turn where elements of an angle take angles: degrees."""
    for effort in model.mechanism.efforts:
        name = str(getattr(effort, "coordinate", ""))
        if model.mechanism.units.get(name) != "rad":
            continue
        for what in ("free_angle", "lower", "upper"):
            given = getattr(effort, what, None)
            value = math.nan if given is None else number(given, model)
            if abs(value) > 2 * np.pi and float(value).is_integer():
                yield in_degrees(f"the {what} of {effort} is", value)
                break


def _signs(model: Any) -> Iterator[str]:
    """Values that parameters make negative."""
    for effort in model.mechanism.efforts:
        for name in ("stiffness", "free_length", "damping"):
            value = getattr(effort, name, None)
            if isinstance(value, sympy.Expr) and number(value, model) < 0:
                yield (
                    f"the {name} of a {effort} is {value} = {number(value, model):g}: expected a number >= 0. Check "
                    "the sign of the parameter."
                )


def _millimetres(model: Any, lengths: dict[str, float]) -> Iterator[str]:
    """What stands rigidly far away, under gravity, and weighs next to nothing: a length in mm."""
    for body in model.bodies:
        m, L = number(body.mass, model), lengths[body.name]
        if L > FAR and 0 < m < LIGHT * L:
            yield (
                f"body '{body.name}' weighs {m:.3g} kg, and a distance of {L:.4g} m is written in its transform: "
                "lengths are in m. If it is in mm, divide by 1000."
            )
            return


def _large_inertias(model: Any, longest: float) -> Iterator[str]:
    """A radius of gyration far beyond all lengths of the model: an inertia in kg mm2."""
    for body in model.bodies:
        m = number(body.mass, model)
        largest = max(number(body.inertia[i, i], model) for i in range(3))
        k = math.sqrt(max(largest, 0.0) / m) if m > 0 else 0.0
        if k > GYRATION and k > BESIDE * longest > 0:
            yield (
                f"body '{body.name}': {largest:.4g} kg m2 and {m:.4g} kg make a radius of gyration of {k:.4g} m, where "
                f"no length of the model is more than {longest:.4g} m. If the inertia is in kg mm2, multiply by 1e-6."
            )
            return


def _soft_springs(model: Any, g: float, longest: float) -> Iterator[str]:
    """A spring that the weight of the body on it would stretch to many times all lengths: a stiffness in N/mm."""
    for effort in model.mechanism.efforts:
        if not isinstance(effort, Spring) or effort.stiffness is None:
            continue
        k = number(effort.stiffness, model)
        ends: list[Any] = [body for body in effort.bodies if body in model.bodies]
        m = max((number(body.mass, model) for body in ends), default=0.0)
        size = max(longest, number(effort.free_length, model))
        if k > 0 and m * g / k > BESIDE * size > 0:
            yield (
                f"the {effort} has a stiffness of {k:.4g} N/m: under the weight of {m:.4g} kg it would stretch by "
                f"{m * g / k:.3g} m, where no length of the model is more than {size:.3g} m. If the stiffness is in "
                "N/mm, multiply by 1000."
            )
            return


def _far_apart(model: Any) -> Iterator[str]:
    """Masses so different that the light ones are lost in the rounding of the heavy ones."""
    masses = {body.name: m for body in model.bodies if (m := number(body.mass, model)) > 0}
    if not masses:
        return
    heavy, light = max(masses, key=masses.__getitem__), min(masses, key=masses.__getitem__)
    if masses[heavy] > APART * masses[light]:
        yield (
            f"body '{heavy}' ({masses[heavy]:.3g} kg) is {masses[heavy] / masses[light]:.1g} times as heavy as body "
            f"'{light}' ({masses[light]:.3g} kg): the equations lose that many digits. Let what hardly moves be the "
            "ground, and give mass 0 to what has none to speak of."
        )
