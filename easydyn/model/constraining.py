"""Checks of the loops and constraints that a user declares."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np
import sympy

from easydyn.constraints import Closure, Equation
from easydyn.constraints.chain import COMPONENTS, DISTANCE, JOINTS
from easydyn.engine.sympy_bridge import check_convertible
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.forces.frames import frame_of
from easydyn.forces.line import Ends, OnLine
from easydyn.forces.line import rod as rod_of
from easydyn.inputs import among, finite, text
from easydyn.mechanics.known import check_symbols
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Acceleration, Coordinate, Parameter, Rate, State, StateRate, Time
from easydyn.model.declarations import in_body, other_than, zero
from easydyn.vec import Block, Rotation, Transform, Vector, cross
from easydyn.vec.scalars import is_number, scalar
from easydyn.vec.tensors import AXES, direction

# What joints are called elsewhere.
OTHERWISE = {
    "hinge": "revolute", "pin": "revolute", "rotational": "revolute", "slider": "prismatic", "translational":
    "prismatic", "ball": "spherical", "cardan": "universal", "hooke": "universal", "fixed": "weld", "rigid": "weld",
    "rod": "distance", "link": "distance",
}  # fmt: skip
# Rotations that bring z to an axis.
_TO = {
    "x": Rotation(Vector(0, 1, 0), Vector(0, 0, 1), Vector(1, 0, 0)),
    "y": Rotation(Vector(0, 0, 1), Vector(1, 0, 0), Vector(0, 1, 0)),
}


def close(
    model: Any, first: Any, second: Any, *, joint: Any = None, axis: Any = None, length: Any = None,
    name: str | None = None, mass: Any = None,
) -> Closure:  # fmt: skip
    """Close a loop by a joint that holds two frames together; its force is computed with the motion.

    Parameters
    ----------
    first, second : Body, ground, (body, (x, y, z)) or (body, Transform)
        The two frames: the frame of a body, moved to one of its points (m), or by a constant transform.
    joint : str or tuple of str
        "revolute", "prismatic", "cylindrical", "spherical", "universal" (the cross turns about x of the first frame
        and y of the second), "planar", "weld", "distance" (a massless rod), or a tuple of the directions that
        coincide: "x", "y", "z", "rx", "ry", "rz", seen from the first frame.
    axis : str or 3 scalars (no unit), optional
        Axis of the joint, in the axes of both frames: z if left out.
    length : scalar (m)
        Length of the rod, with "distance".
    mass : scalar (kg), optional
        Mass of the rod, with "distance": a slender rod of the same section all along, exactly, as point masses of a
        sixth at its ends and of two thirds in its middle, which are bodies of the model.
    name : str, optional
        Its name; "first-second" if left out.

    Returns
    -------
    Closure
        For `run.reaction(closure)` and `run.multipliers(closure)`.

    Raises
    ------
    InputError, ModelError, UnknownNameError
        An invalid frame, joint or axis; two frames of one body.

    Notes
    -----
    The equations are those of `easydyn.constraints.chain`.

    Example
    -------
    >>> from easydyn import Model, ground, tdisp, trotz
    >>> four = Model("four-bar", gravity=(0, -9.81, 0))
    >>> a, b, c = four.coordinates("a b c", initial=(1.2, -0.9, 1.5))
    >>> crank = four.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    >>> coupler = four.body("coupler", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=2,
    ...                     inertia=(0, 0, 0.1))
    >>> rocker = four.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=1.5, inertia=(0, 0, 0.05))
    >>> pin = four.close((coupler, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute")
    >>> four.mobility().degrees_of_freedom
    1
    """
    frames = ((x, f"the {k} frame of close") for x, k in ((first, "first"), (second, "second")))
    one, other = (_in_model(frame_of(x, what), what, model) for x, what in frames)
    called = _name(name, f"{one[0].name}-{other[0].name}", model)
    where = f"the loop over '{called}'"
    if one[0] is other[0]:
        raise ModelError(
            f"{where} joins '{one[0].name}' with itself: expected frames of two bodies, or of a body and ground."
        )
    kind = _joint(joint, where)
    if (kind == DISTANCE) != (length is not None):
        raise InputError(
            f"{where}: " + ('joint="distance" needs length= (m), that of the rod.' if kind == DISTANCE else
            f'length= goes with joint="distance", and the joint is {kind!r}.')
        )  # fmt: skip
    size = None
    if length is not None:
        size = scalar(length, f"the length of {where}")
        check_symbols(size, f"the length of {where}", model, (Parameter, Time), "parameters and time")
        if is_number(size) and not finite(size, f"the length of {where}") > 0:
            raise InputError(
                f"the length of {where} is {size}: expected one above zero (m). Points that coincide are joined by "
                'joint="spherical", in a plane by joint="revolute".'
            )
    if axis is not None:
        turn = _axis(axis, where)
        one, other = ((body, local * Transform((Block(turn, Vector(0, 0, 0)),))) for body, local in (one, other))
    closure = Closure(one, other, kind, called, size)
    rods = _rod(closure, mass, model) if mass is not None else ()
    with model.together():
        model._constraints[called] = closure
        for called, T, part, inertia in rods:
            model.body(other_than(called, model._bodies), T, mass=part, inertia=inertia)
    return closure


def _rod(closure: Closure, mass: Any, model: Any) -> tuple[OnLine, ...]:
    """The masses of the rod of a closure, after a check."""
    what = f"the rod over '{closure.name}'"
    if closure.length is None:
        raise InputError(f'mass= of {what} goes with joint="distance": other joints have no mass of their own.')
    check_symbols(mass, f"the mass of {what}", model, (Parameter,), "parameters")
    one, other = ((body, tuple(local.e)) for body, local in (closure.first, closure.second))
    return rod_of(Ends(one, other, what), mass, what)


def _name(given: Any, otherwise: str, model: Any) -> str:
    """A name that no other constraint has."""
    if given is None:
        return other_than(otherwise, model._constraints)
    text(given, "the name of a constraint", 'name="pin"')
    if given in model._constraints:
        raise ModelError(f"model '{model.name}' has a constraint '{given}' already: every one has a name of its own.")
    return str(given)


def _in_model(frame: tuple[Body | Ground, Transform], what: str, model: Any) -> tuple[Body | Ground, Transform]:
    """A constant frame of a body of the model."""
    body, local = frame
    if isinstance(body, Body) and not any(body is own for own in model.bodies):
        raise UnknownNameError(f"{what}: '{body.name}' is not a body of model '{model.name}'.")
    in_body(local, what, model)
    return frame


def added(given: Any, others: Sequence[Any], model: Any) -> Any:
    """Return the element that `model.add` adds to the constraints, after all checks; `others` are added before it."""
    known = [*model._constraints.values(), *others]
    if any(given is own for own in known):
        raise ModelError(f"{given} was added to model '{model.name}' already: once is enough.")
    if any(given.name == own.name for own in known):
        raise ModelError(
            f"model '{model.name}' has a constraint '{given.name}' already: every one has a name of its own. Give it "
            "one, name=..."
        )
    for what, frame in (*given.named_frames, *((str(given), (body, Transform())) for body in given.bodies)):
        _in_model(frame, what, model)
    kinds, words = ((Parameter, Time), "parameters and time")
    if not given.joined:
        kinds, words = ((Coordinate, Parameter), "coordinates and parameters")
    for e in given.expressions():
        check_symbols(e, str(given), model, kinds, words)
    return given


def _joint(given: Any, where: str) -> Any:
    known = (*JOINTS, DISTANCE)
    if among(given, known):
        return given
    if isinstance(given, tuple | list) and given and all(among(x, COMPONENTS) and given.count(x) == 1 for x in given):
        return tuple(given)
    listed = ", ".join(map(repr, known))
    hint = ""
    if isinstance(given, str):
        word = given.strip().lower()
        meant = OTHERWISE.get(word) or next(iter(get_close_matches(word, known, 1)), None)
        hint = f" (did you mean {meant!r}?)" if meant else ""
    raise InputError(
        f"the joint of {where} is {given!r}{hint}: expected one of {listed}, or a tuple of what coincides, of "
        f"{', '.join(map(repr, COMPONENTS))}."
    )


def _axis(given: Any, where: str) -> Rotation:
    """A rotation that brings z to an axis."""
    n = direction(given, f"the axis of {where}")
    u = np.array([float(c) for c in n])
    for name, e in AXES.items():
        if np.array_equal(np.abs(u), np.abs(np.array(e, dtype=float))):
            return _TO.get(name, Rotation(*AXES.values()))
    e = np.eye(3)[int(np.argmin(np.abs(u)))]
    x = np.cross(e, u)
    x /= np.linalg.norm(x)
    z = Vector(*map(float, u))
    return Rotation(Vector(*map(float, x)), cross(z, Vector(*map(float, x))), z)


def norms(body: Body, model: Any) -> list[Equation]:
    """Constraints that hold at 1 the norms of quaternions of four coordinates in the transform of a body; each once."""
    blocks = (f for f in body.T.factors if isinstance(f, Block))
    units = (sorted({x for e in f.unit for x in e.free_symbols}, key=str) for f in blocks)
    named = {f"norm of {', '.join(map(str, unit))}": unit for unit in units if unit}
    return [
        Equation(sum((x * x for x in unit), -sympy.S.One), key)
        for key, unit in named.items() if key not in model._constraints and all(isinstance(x, Coordinate) for x in unit)
    ]  # fmt: skip


def constraint(model: Any, expression: Any, *, name: str | None = None, holonomic: Any = None) -> Equation:
    """Add a constraint, `expression = 0`: of coordinates, or linear in their rates.

    Parameters
    ----------
    expression : SymPy expression or Eq
        A function of coordinates, parameters and time (in its own unit); it may also contain rates, linearly.
    name : str, optional
        Its name; the expression if left out.
    holonomic : SymPy expression, optional
        The integral of a constraint on rates, if it can be integrated; the integral is then imposed instead.

    Returns
    -------
    Equation
        For `run.multipliers(constraint)`.

    Raises
    ------
    InputError, ModelError
        Something that is not an expression, or has no coordinate, accelerations, or products of rates.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> gears = Model("gears")
    >>> a, b = gears.coordinates("a b")
    >>> wheels = [gears.body(f"wheel {q}", trotz(q), mass=1, inertia=(0, 0, 2)) for q in (a, b)]
    >>> gears.constraint(a + 3*b, name="mesh")
    Constraint 'mesh': a + 3*b = 0
    """
    return _kept(_equation(expression, name, holonomic, model), model)


def _kept(found: Equation, model: Any) -> Equation:
    with model.together():
        model._constraints[found.name] = found
    return found


def _equation(expression: Any, name: Any, holonomic: Any, model: Any) -> Equation:
    """The constraint that is added, after all checks have passed."""
    what = f"a constraint of model '{model.name}'"
    if name is not None:
        what = f"constraint '{name}'"
    e = zero(expression, what)
    rates = sorted((s for s in e.free_symbols if isinstance(s, Rate)), key=str)
    if holonomic is not None:
        if not rates:
            raise InputError(f"{what}: holonomic= goes with a constraint of rates, and {e} has none.")
        integral = zero(holonomic, f"the integral (holonomic=) of {what}")
        _of_coordinates(integral, f"the integral (holonomic=) of {what}", model)
        found = sum(sympy.diff(integral, q) * q.dot for q in integral.free_symbols if isinstance(q, Coordinate))
        t = next((s for s in integral.free_symbols if isinstance(s, Time)), None)
        found += sympy.diff(integral, t) if t is not None else 0
        ratio = sympy.simplify(found / e)
        if any(isinstance(s, Rate) for s in ratio.free_symbols) or ratio == 0:
            raise ModelError(
                f"{what}: the rate of holonomic={integral} is {found}, expected {e}, or a multiple of it without rates."
            )
        return Equation(integral, _name(name, str(integral), model))
    wrong = sorted((s for s in e.free_symbols if isinstance(s, Acceleration | StateRate | State)), key=str)
    if wrong:
        raise ModelError(
            f"{what} is {e}: it has {wrong[0]}, and a constraint is of coordinates, or of their rates. An equation of "
            "motion goes to model.equation(...), the equation of a state too."
        )
    if not rates:
        _of_coordinates(e, what, model)
        return Equation(e, _name(name, str(e), model))
    check_symbols(e, what, model, (Coordinate, Rate, Parameter, Time), "coordinates, their rates, parameters and time")
    check_convertible(e, what)
    for u in rates:
        slope = sympy.diff(e, u)
        if any(isinstance(s, Rate) for s in slope.free_symbols):
            raise ModelError(
                f"{what} is {e}: it is not linear in the rates (its derivative by {u} is {slope}). A constraint of "
                "rates has each of them as a factor of its own, a(q)*q.dot + b(q) = 0."
            )
    return Equation(e, _name(name, str(e), model))


def dependent(model: Any, coordinate: Any, expression: Any) -> Equation:
    """Make a `coordinate` depend on others: coordinate = `expression` (its unit), as with gears and racks.

    The coordinate keeps its name, its column and its plot. The expression may contain other coordinates, parameters
    and time; anything else raises InputError, ModelError or UnknownNameError. Returns the constraint (an Equation).
    """
    if not isinstance(coordinate, Coordinate) or model._symbols.get(str(coordinate)) != coordinate:
        raise InputError(
            f"model.dependent got {coordinate!r}: expected a coordinate of model '{model.name}', and what it is."
        )
    what = f"what {coordinate} depends on"
    e = zero(expression, what)
    if coordinate in e.free_symbols:
        raise ModelError(
            f"{what} is {e}, which has {coordinate} itself: expected others. An equation that is not solved for it "
            f"goes to model.constraint({coordinate} - ...)."
        )
    check_symbols(e, what, model, (Coordinate, Parameter, Time), "coordinates, parameters and time")
    check_convertible(e, what)
    for other in model._constraints.values():
        said = other.expression if isinstance(other, Equation) and other.name == str(coordinate) else None
        if said is not None and coordinate in said.free_symbols:
            raise ModelError(
                f"{coordinate} is dependent already, {coordinate} = {coordinate - said}: what one says, the other may "
                "contradict. Another equation that holds beside it goes to model.constraint(...)."
            )
    way = _followed(e, coordinate, model)
    if way:
        raise ModelError(
            f"{coordinate} would follow from {way[0]}, which follows from {' and '.join(way[1:])} in its turn: "
            f"expected a coordinate that does not. If both equations are meant, this one goes to "
            f"model.constraint({coordinate} - ...)."
        )
    return _kept(Equation(coordinate - e, _name(None, str(coordinate), model)), model)


def _followed(e: sympy.Expr, coordinate: Coordinate, model: Any) -> list[str]:
    """The way from the coordinates of an expression back to one that would depend on it: names; empty without."""
    said = {c.name: c.expression for c in model._constraints.values() if isinstance(c, Equation)}
    ways = [[s] for s in e.free_symbols if isinstance(s, Coordinate)]
    seen = set[Coordinate]()
    while ways:
        way = ways.pop()
        if way[-1] == coordinate:
            return [str(q) for q in way]
        rest = way[-1] - said.get(str(way[-1]), way[-1])  # of v - H(u): H(u)
        if way[-1] in seen or way[-1] in rest.free_symbols:
            continue
        seen.add(way[-1])
        ways += [[*way, s] for s in rest.free_symbols if isinstance(s, Coordinate)]
    return []


def _of_coordinates(e: sympy.Expr, what: str, model: Any) -> None:
    check_symbols(e, what, model, (Coordinate, Parameter, Time), "coordinates, parameters and time")
    check_convertible(e, what)
    if not any(isinstance(s, Coordinate) for s in e.free_symbols):
        message = "it always holds" if e == 0 else "it can never be changed by a motion"
        raise ModelError(f"{what} is {e}: it has no coordinate, and {message}. Leave it out, or look for a slip in it.")
