"""The checks of all that the user declares in a `Model`, each with its error message.

The functions here only check; the model changes after they have returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy

from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.forces.effort import Effort
from easydyn.forces.effort import positive as nonnegative
from easydyn.inputs import by_name, finite, function, is_function, is_listed, is_text, positive, text
from easydyn.mechanics.known import check_symbols, in_numbers
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, Mechanism
from easydyn.mechanics.physical import check_principal, parameters_of
from easydyn.mechanics.symbols import LAW, MOTION, Coordinate, Input, Parameter, State, StateRate, Time, Unknown
from easydyn.vec import Block, Factor, Inertia, Transform, Turn, as_transform, inertia_tensor, vector
from easydyn.vec.rigid import check_rotation, rows_of
from easydyn.vec.scalars import Scalar, alone, is_number, one_expression, one_scalar, scalar, symbols_of


def names(given: Any, what: str, model: Any, *, optional: bool = False) -> list[str]:
    """The names in a text or a list, each new to the model and fit for a symbol."""
    if isinstance(given, str):
        found = given.replace(",", " ").split()
    elif is_listed(given):
        found = list(given)
    else:
        hint = f" Write model.{what}(**values) to unpack a dict." if isinstance(given, Mapping) else ""
        raise InputError(
            f'the names of {what} are {given!r}: expected a text such as "q1 q2", or a list of names.{hint}'
        )
    if not found and not optional:
        raise InputError(f'model.{what}() got no name: expected a text such as "q1 q2".')
    taken = {**model._symbols, **model._outputs}
    for i, name in enumerate(found):
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(
                f"{name!r} cannot be the name of one of the {what}: expected letters, digits and underscores, "
                "not beginning with a digit."
            )
        if name == "t":
            raise ModelError("the name t is taken by time (from easydyn import t): choose another.")
        if name in taken or name in found[:i]:
            raise ModelError(f"model '{model.name}' has '{name}' already: every name is declared once.")
    return found


def holding(efforts: Sequence[Any], model: Any) -> None:
    """Raise ModelError when two elements would use the same flag for a coordinate that they hold."""
    known = {str(flag): effort for effort in model._efforts for _, flag in effort.holds}
    for effort in efforts:
        for _, flag in effort.holds:
            other = known.setdefault(str(flag), effort)
            if other is not effort:
                raise ModelError(
                    f"{effort} of model '{model.name}' has the same name as {other}, and the flag {flag} cannot tell "
                    "of both: give one of them another name=, or add their levels up in one."
                )


def single(given: Any, what: str, model: Any) -> None:
    """Raise InputError unless exactly one name was given, as a string."""
    if not isinstance(given, str) or len(given.replace(",", " ").split()) != 1:
        raise InputError(
            f"model.{what}() got {given!r}: expected one name, such as \"q1\"; model.{what}s() takes several, and "
            "returns them in a tuple."
        )


def values(given: Any, found: Sequence[str], what: str, model: Any) -> list[Scalar]:
    """One value for each name, from one scalar for all or from a sequence."""
    if isinstance(given, str | Mapping) or given is None:
        raise InputError(
            f"{what}={given!r}: expected a number for all, or {len(found)} in a tuple, for {', '.join(found)}."
        )
    if isinstance(given, list | tuple | np.ndarray) and not (isinstance(given, np.ndarray) and given.ndim == 0):
        if len(given) != len(found):
            raise InputError(f"{what} has {len(given)} values: expected {len(found)}, for {', '.join(found)}.")
        each = list(given)
    else:
        each = [given] * len(found)
    return [constant(value, f"{what} value of {name}", model) for value, name in zip(each, found, strict=True)]


def sizes(given: Any, found: Sequence[str], model: Any) -> list[Scalar]:
    """Typical sizes of states: numbers above zero, or expressions of declared parameters."""
    each = values(given, found, "scale", model)
    for size, name in zip(each, found, strict=True):
        if is_number(size):
            positive(size, f"the scale of {name}")
    return each


def units(given: Any, found: Sequence[str]) -> dict[str, str]:
    """Units by name, from one string for all or from a sequence."""
    if given is None:
        return {}
    each = list(given) if is_listed(given) else [given] * len(found)
    if len(each) != len(found) or not all(is_text(u) or isinstance(u, str) and not u for u in each):
        raise InputError(f"unit={given!r}: expected a text, or one for each of {', '.join(found)}.")
    return dict(zip(found, each, strict=True))


def parameter(value: Any, name: str) -> float | None:
    """Value of a parameter: a finite number, or None if it is given later."""
    if value is None:
        return None
    if isinstance(value, sympy.Expr) and not value.is_number:
        raise InputError(
            f"parameter '{name}' is {value}: expected a number. Write expressions of parameters where they are used."
        )
    return finite(value, f"parameter '{name}'")


def constant(value: Any, what: str, model: Any) -> Scalar:
    """A finite number, or an expression of declared parameters."""
    value = alone(scalar(value, what))
    if is_number(value):
        finite(value, what)
        return value
    check_symbols(value, what, model, (Parameter,), "parameters only")
    return value


def of_gravity(c: Any, model: Any) -> None:
    """A component of a uniform gravity."""
    known = model._symbols
    moving = [s for s in symbols_of(c) if isinstance(s, Coordinate) and known.get(str(s)) == s]
    if moving:
        raise ModelError(
            f"gravity is {c} in one of its components and depends on {moving[0]} (coordinate): expected numbers, or "
            "formulas of parameters. Where it is not the same everywhere it is a function of the place r of each body, "
            "gravity=lambda r: (0, -g*r.y, 0), a GravityField, or PointGravity(mu, centre)."
        )
    constant(c, "gravity", model)


def field(given: Any, model: Any) -> None:
    """Check a field of gravity before `model.gravity` gets it."""
    for e in given.expressions():
        check_symbols(e, "the field of gravity", model, (Parameter, Time), "parameters and time, and on the place r")


def body(name: Any, T: Any, mass: Any, inertia: Any, com: Any, shape: Any, model: Any, density: Any = None) -> Body:
    """Return the body that `model.body` adds, after all checks have passed."""
    text(name, "the name of a body", '"upper arm"')
    where = f"body '{name}'"
    if name == "ground":
        raise ModelError("the name ground is taken: it is body 0, model.ground.")
    if name in model._bodies or name in {point.name for point in model._points.values()}:
        raise ModelError(f"model '{model.name}' has a body '{name}' already: every body has a name of its own.")
    frame = as_transform(T, f"the transform of {where}")
    new = [f for f in frame.factors if model._checked.get(id(f)) is not f]  # bodies of a chain share most of theirs
    if any(isinstance(x, np.ndarray) for x in Transform(new).scalars()):
        frame = frame.map(alone)
        new = list(frame.factors)
    _check_factors(new, where, model)
    if density is not None:
        mass, inertia, com = _weighed(density, mass, inertia, com, shapes(shape, where), where)
    mass, tensor = inertial(mass, inertia, where, partial(constant, model=model))
    of_centre = f"the centre of mass of {where}"
    centre = vector((0, 0, 0) if com is None else com, of_centre).map(lambda c: constant(c, of_centre, model))
    return Body(name, frame, mass, tensor, centre, shapes(shape, where))


def inertial(mass: Any, inertia: Any, where: str, value: Callable[[Any, str], Any]) -> tuple[Any, Inertia]:
    """The mass and the inertia tensor of a body, whose components become a `value`, given with what they are."""
    if mass is None:
        raise InputError(f"{where} has no mass: give mass= (kg); there is no default.")
    mass = value(mass, f"the mass of {where}")
    if is_number(mass) and float(mass) < 0:
        raise ModelError(f"the mass of {where} is {float(mass):g}: expected a number >= 0 (kg).")
    if inertia is None:
        raise InputError(f"{where} has no inertia: give inertia=(Ixx, Iyy, Izz) (kg m2); (0, 0, 0) for a point mass.")
    return mass, _tensor_of(inertia, where, value)


def _weighed(density: Any, mass: Any, inertia: Any, com: Any, drawn: tuple[Any, ...], where: str) -> tuple[Any, ...]:
    """Mass, inertia and centre of mass of what is as dense everywhere, by the volumes of its shapes."""
    if mass is not None or inertia is not None or com is not None:
        raise InputError(
            f"{where} has a density, and mass=, inertia= or com= beside it: expected density= alone, or these alone."
        )
    from easydyn.visu.weight import together  # loaded with the shapes

    rho = nonnegative(density, f"the density of {where}")
    volumes = [volume for volume in (getattr(shape, "volume", None) for shape in drawn) if volume is not None]
    if not volumes:
        raise InputError(
            f"{where} has a density and no solid shape: give it one, such as shape=visu.Box(0.1, 0.2, 0.3), or mass= "
            "and inertia= instead of the density."
        )
    whole = together(volumes)
    J = [[rho * float(x) for x in row] for row in whole.J]
    return rho * whole.size, J, tuple(map(float, whole.centre))


def other_than(name: str, taken: Iterable[str], form: str = "{} {}") -> str:
    """A `name`, with a number after it in this form if the name is taken."""
    k, found = 1, name
    while found in taken:
        k += 1
        found = form.format(name, k)
    return found


def shapes(given: Any, where: str) -> tuple[Any, ...]:
    """The shapes that a body is drawn with, as a tuple: one shape, several or None may be given."""
    listed = () if given is None else tuple(given) if isinstance(given, list | tuple) else (given,)
    for shape in listed:
        if isinstance(shape, type) or not callable(getattr(shape, "solids", None)):  # what draws them is not known here
            raise InputError(
                f"the shape of {where} is {shape!r}: expected shapes of easydyn.visu, such as visu.Box(0.1, 0.2, 0.3)."
            )
    return listed


def _check_factors(factors: Iterable[Factor], where: str, model: Any) -> None:
    known = {p: v for p, v in model._parameters.items() if v is not None}
    what = f"the transform of {where}"
    for factor in factors:
        scalars = [*Transform((factor,)).scalars()]
        for s in scalars:
            one_scalar(s, what)
            for x in sorted((x for x in symbols_of(s) if isinstance(x, Input | Unknown)), key=str):
                kind = "unknown" if isinstance(x, Unknown) else "input"
                raise ModelError(
                    f"{what} depends on {x} ({kind}), and would leap with it: let a state follow {x}, which the "
                    'transform may have, s = model.state("s"), with model.equation(s.dot - v) and one for v.dot.'
                )
            kinds = (Coordinate, Parameter, State, Time)
            check_symbols(s, what, model, kinds, "coordinates, states, time and parameters")
            check_convertible(s, what)
            if is_number(s):
                finite(s, f"a number in {what}")
        if isinstance(factor, Turn) and is_number(factor.angle) and abs(float(factor.angle)) > 2 * math.pi:
            degrees = float(factor.angle)
            raise ModelError(
                f"the transform of {where} turns by a constant angle of {degrees:g}, more than a full turn "
                f"(2 pi = 6.28): angles are in radians. If it is in degrees, write math.radians({degrees:g})."
            )
        if isinstance(factor, Block) and parameters_of(factor) <= set(known):  # else when they have their values
            check_rotation(factor.R, f"the transform of {where}", known)


_TENSOR = "3 (Ixx, Iyy, Izz), 6 (Ixx, Iyy, Izz, Ixy, Iyz, Ixz) or a 3x3 tensor (kg m2)"


def _tensor_of(given: Any, where: str, value: Callable[[Any, str], Any]) -> Inertia:
    """The inertia tensor from 3 or 6 elements or a 3x3 matrix: real scalars, symmetric, no negative moment."""
    what = f"the inertia of {where}"
    tensor: Any
    if isinstance(given, list | tuple):
        given = [alone(x) for x in given]
    nested = isinstance(given, list | tuple) and any(
        isinstance(x, list | tuple) or isinstance(x, np.ndarray) and x.ndim for x in given
    )
    if isinstance(given, Inertia):
        tensor = given
    elif isinstance(given, sympy.MatrixBase) or nested or isinstance(given, np.ndarray) and given.ndim > 1:
        tensor = Inertia.of(rows_of(given, 3, 3, what), what)
    elif isinstance(given, list | tuple) or isinstance(given, np.ndarray) and given.ndim == 1:
        if len(given) not in (3, 6):
            raise InputError(f"{what} has {len(given)} values: expected {_TENSOR}.")
        tensor = inertia_tensor(*(scalar(x, what) for x in given))
    else:
        raise InputError(f"{what} is {given!r}: expected {_TENSOR}.")
    for x in (tensor[i, j] for i in range(3) for j in range(3)):
        if is_number(x):
            finite(x, what)
    for i, j in ((0, 1), (1, 2), (0, 2)):
        a, b = tensor[i, j], tensor[j, i]
        if is_number(a) and is_number(b) and abs(float(a) - float(b)) > 1e-9 * max(abs(float(a)), abs(float(b))):
            raise ModelError(
                f"{what} is not symmetric: element ({i + 1},{j + 1}) is {a}, ({j + 1},{i + 1}) is {b}, expected the "
                "same."
            )
    if all(is_number(tensor[i, j]) for i in range(3) for j in range(3)):
        check_principal(np.array([[float(tensor[i, j]) for j in range(3)] for i in range(3)]), what)
    return Inertia(*tensor.map(lambda x: value(x, what)))


def effort(given: Any, model: Any) -> None:
    """Check a force element: its bodies, coordinates and symbols belong to the model."""
    if not isinstance(given, Effort):
        hint = " Write model.add(*efforts) to unpack a list." if isinstance(given, list | tuple) else ""
        if hasattr(given, "labels"):
            hint = " A closure or a constraint is in its model as soon as model.close or model.constraint returns."
        raise InputError(
            f"model.add got {given!r}: expected Force, Moment, GeneralizedForce, Spring, Damper, ...{hint}"
        )
    for b in given.bodies:
        if not isinstance(b, Ground) and not any(b is own for own in (*model.bodies, *model._points.values())):
            raise UnknownNameError(
                f"{given} refers to body '{b.name}', which is not a body of model '{model.name}' "
                f"(its bodies: {', '.join(x.name for x in model.bodies) or 'none'})."
            )
        if isinstance(b, MasslessPoint) and given.implicit and given.flags:
            raise ModelError(f"{given} ends at '{b.name}', which has no mass: take a body with a mass, or stiffness=.")
    for q in given.coordinates:
        if model._symbols.get(str(q)) != q:
            raise UnknownNameError(
                f"{given}: {q} is not a coordinate of model '{model.name}' (its coordinates: "
                f"{', '.join(map(str, model.mechanism.coordinates)) or 'none'})."
            )
    for what, (_, local) in given.named_frames:
        in_body(local, what, model)
    for e in given.expressions():
        check_symbols(e, str(given), model, LAW)
        check_convertible(e, str(given))
        if is_number(e):
            finite(e, f"a number in {given}")


def in_body(local: Transform, what: str, model: Any) -> None:
    """Raise ModelError for a frame that moves in its body otherwise than with time: its loads would not move it."""
    for s in local.scalars():
        check_symbols(s, what, model, (Parameter, Time), "parameters and time (a frame of a body is constant in it)")


def added_once(given: Effort, before: Iterable[Effort], model: Any) -> None:
    """Raise ModelError for a force element that the model has already."""
    if any(given is own for own in before):
        raise ModelError(
            f"{given} was added to model '{model.name}' already, and would act twice: leave out one of the two, or "
            "make another element for a second one of the same kind."
        )


def zero(expression: Any, what: str) -> sympy.Expr:
    """One expression that is zero, of itself or of the two sides of an equation."""
    if isinstance(expression, sympy.Equality):
        expression = expression.lhs - expression.rhs
    plain = is_number(expression) or isinstance(expression, sympy.Expr) and not isinstance(expression, sympy.MatrixExpr)
    if not plain or isinstance(expression, bool | np.ndarray | str):
        raise InputError(
            f"{what} is {expression!r}: expected one SymPy expression that is zero, or sympy.Eq(left, right); left == "
            "right compares at once, and gives True or False."
        )
    return one_expression(expression, what)


def equation(expression: Any, model: Any) -> sympy.Expr:
    """Check an equation and return it as an expression that is zero."""
    what = f"an equation of model '{model.name}'"
    e = zero(expression, what)
    check_symbols(e, what, model)
    if not any(isinstance(s, MOTION) for s in e.free_symbols):
        raise ModelError(
            f"{what} is {e}: it contains no coordinate, no state and none of their derivatives, so it cannot determine "
            "anything."
        )
    check_convertible(e, what)
    for u in (s for s in model._states if isinstance(s, Unknown)):
        if u.dot in e.free_symbols:
            raise ModelError(
                f"{what} contains {u.dot}, the rate of an unknown: its equation determines {u} itself, at every "
                f'instant. What changes by its rate is a state: {u} = model.state("{u}").'
            )
    return e


def callback(given: Any, model: Any) -> Callable[..., Any]:
    """Check a Python function of efforts: it must be callable, and take (t, bodies)."""
    name = getattr(given, "__name__", given) if is_function(given) else given
    return function(given, f"the efforts function '{name}' of model '{model.name}'", "t, bodies")


def complete(mechanism: Mechanism) -> Mechanism:
    """Return the mechanism if its equations are complete: as many as unknowns, and each coordinate used."""
    m = mechanism
    where = f"model '{m.name}'"
    if not m.unknowns:
        raise ModelError(f'{where} has no coordinates: declare them with model.coordinates("q1 q2").')
    if m.algebraic or m.conditions:
        _enough_conditions(m)
    in_equations = {s for e in m.equations for s in e.free_symbols}
    idle = [str(q) for j, q in enumerate(m.coordinates) if j not in m.moving]
    lost = [q for q in idle if not in_equations & {Coordinate(q), Coordinate(q).dot, Coordinate(q).ddot}]
    if lost:
        acted = [str(f) for f in m.efforts if any(str(q) in lost for q in f.coordinates)]
        raise ModelError(
            f"{where}: coordinate {', '.join(lost)} moves nothing: it appears in no body's transform, in no constraint "
            "and in no equation. Use it in a transform, or do not declare it."
            + (f" {acted[0]} pushes it, and it has no mass: take model.node, or model.unknowns." if acted else "")
        )
    of_elements = set(m.element_states)
    silent = [str(p) for p in m.states if p.dot not in in_equations and p not in of_elements]
    if silent:
        rate = State(silent[0]).dot
        forces = [str(f) for f in m.efforts if rate in symbols_of(*f.expressions())]
        hint = f" {forces[0]} contains it, which says what the force is, not how {silent[0]} changes." if forces else ""
        raise ModelError(
            f"{where}: no equation contains {silent[0]}.dot, the unknown of the first-order state {silent[0]}.{hint} "
            f"Add model.equation(...) with {silent[0]}.dot in it."
        )
    expected = len(m.unknowns) - len(m.moving) - len(of_elements)
    if len(m.equations) != expected:
        needed = idle + [str(p) for p in m.states if p not in of_elements]
        raise ModelError(
            f"{where} has {len(m.equations)} equations: expected {expected}"
            + (f", one for each of {', '.join(needed)}" if needed else "")
            + (". Coordinates that move bodies get theirs from d'Alembert." if m.moving else ".")
            + (_too_many(m) if len(m.equations) > expected else "")
        )
    for f in m.efforts:
        for q in f.coordinates:
            if str(q) in idle:
                raise ModelError(
                    f"{where}: {f} acts on a coordinate that moves no body: write the force into its equation instead."
                )
    return m


def _enough_conditions(m: Mechanism) -> None:
    """ModelError unless there are as many equations as unknowns that are no places of points."""
    others = [str(s) for s in m.algebraic if s not in m.of_points]
    if len(m.conditions) != len(others):
        of_points = ", ".join(map(str, m.of_points))
        said = f" ({of_points} by the balance of forces on points without mass)" if of_points else ""
        raise ModelError(
            f"model '{m.name}' has {len(m.conditions)} equations for the unknowns {', '.join(others) or '(none)'}"
            f"{said}: expected {len(others)}, one for each. Equations of unknowns have no accelerations, and no rates "
            "of states."
        )


def _too_many(m: Mechanism) -> str:
    """What an equation too many may have been meant for."""
    moving = {m.coordinates[j] for j in m.moving}
    for e in m.equations:
        symbols = e.free_symbols
        unknowns = {s for s in symbols if isinstance(s, MOTION)}
        if unknowns and all(s in moving for s in unknowns):
            return (
                f" {e} = 0 looks like a constraint between coordinates, which is no equation of motion: give it to "
                f"model.constraint({e}); or solve it for one of them, and write what you find in the transforms."
            )
        own = sorted((q for q in moving if symbols & {q, q.dot, q.ddot}), key=str)
        if own and not any(isinstance(s, State | StateRate) for s in unknowns):
            return (
                f" {e} = 0 looks like a balance of forces on {own[0]}, which has its equation: give these forces with "
                "model.add. Where a point has no mass, let no body move with it: it is a node, "
                f'model.node("...", position=(x, y, z)), an end for springs.'
            )
    return ""


def units_of(bodies: Iterable[Body]) -> dict[str, str]:
    """Units of coordinates by their use: rad for an angle or an argument of a sine, m for a length."""
    angles: set[Any] = set()
    lengths: set[Any] = set()
    for factor in dict.fromkeys(f for b in bodies for f in b.T.factors):
        if isinstance(factor, Turn):
            angles |= symbols_of(factor.angle)
            continue
        for e in (x for x in factor.e if isinstance(x, sympy.Expr)):
            lengths |= e.free_symbols
            angles |= {s for f in e.atoms(sympy.Function) for s in f.free_symbols}
        if isinstance(factor, Block):
            angles |= symbols_of(*(x for column in factor.R for x in column))
    return {str(s): "rad" if s in angles else "m" for s in angles | lengths if isinstance(s, Coordinate)}


def initial(
    model: Any, overriding: Mapping[str, Any] | None, parameters: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Initial q and qd (n,): the model's own values, replaced by those of `overriding` ("q1", "q1.dot", a state)."""
    own = by_name(overriding, "initial", '{"q1": 0.3, "q1.dot": 2}').items()
    start = model.initial_values if own else {}
    for key, value in own:
        if str(key) not in start:
            where = {Parameter: "parameters", Input: "inputs"}.get(type(model._symbols.get(str(key))), "")
            raise UnknownNameError(
                f"initial has {str(key)!r}, which model '{model.name}' does not know: expected one of "
                f"{', '.join(start)}." + (f" It goes to {where}={{{str(key)!r}: ...}}." if where else "")
            )
        start[str(key)] = finite(value, f"the initial value of {key}")

    def numbers(values: Mapping[Any, Any], ending: str = "") -> list[float]:
        found = []
        for symbol, x in values.items():
            x = start[f"{symbol.name}{ending}"] if own else x
            if type(x) not in (float, int) or not -1e308 < x < 1e308:
                x = finite(_in_numbers(x, parameters), f"the initial value of {symbol.name}{ending}")
            found.append(x)
        return found

    q, states = numbers(model._coordinates), numbers(model._states)
    return np.array(q + [0.0] * len(states), dtype=float), np.array(numbers(model._rates, ".dot") + states, dtype=float)


def scales(model: Any, parameters: Mapping[str, float]) -> list[float | None] | None:
    """Typical sizes of the states, None for a state without one; a single None when no state has one."""
    if not model._scales:
        return None
    found = [(p, model._scales.get(p)) for p in model._states]
    return [None if x is None else positive(_in_numbers(x, parameters), f"the scale of {p}") for p, x in found]


def _in_numbers(value: Any, parameters: Mapping[str, float]) -> Any:
    return value.xreplace(in_numbers(parameters)).evalf(17) if isinstance(value, sympy.Expr) else value
