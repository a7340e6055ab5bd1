"""A scissor lift: in each stage two bars cross at their midpoints."""

from __future__ import annotations

from typing import Any

from sympy import pi

from easydyn.arguments import answers
from easydyn.inputs import whole
from easydyn.linkages.linkage import Linkage, Maker
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


@answers
def scissor(
    model: Any, *, stages: int, length: Any, angle: Any = 0.5, rate: Any = 0, density: Any = 1.0, load: Any = 10.0,
    at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a scissor lift along y: the left foot turns about the origin, the right one slides along x.

    All rising bars have the angle a of the first one, all falling bars pi - a; the load is at height stages length
    sin(a).

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    stages : int
        Number of stages, at most 50.
    length : scalar (m)
        Length of the bars: a number, or an expression of parameters.
    angle, rate : float
        Angle of the first bar at the start, and its rate (rad, rad/s).
    load : scalar (kg)
        Mass at the left end of the uppermost stage.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "rising_0", "falling_0", "rising_1", ... (rad).

    Raises
    ------
    InputError, ModelError
        An invalid length or number of stages, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> lift = scissor(Model("lift"), stages=3, length=1.2)
    >>> print(lift.mobility)
    6 angles, 5 equations of the slide and of 2 hinges: 6 - 5 = 1 degree of freedom.
    """
    make = Maker(model, "scissor", name, at)
    count, l = whole(stages, "stages of scissor", 50), make.length(length, "length")
    first = Coordinate(make.symbol("rising_0"))
    roles = [f"{way}_{i}" for i in range(count) for way in ("rising", "falling")][1:]
    with model.together():
        forms = {role: first if role.startswith("rising") else pi - first for role in roles}
        q, found = make.coordinates({"rising_0": angle}, {"rising_0": rate}, forms)
        foot, last, closures = make.at, None, []
        bodies: dict[str, Any] = {}
        for i in range(count):
            a, b = q[f"rising_{i}"], q[f"falling_{i}"]
            middle = foot * trotz(a) * tdisp(l / 2, 0, 0)
            up = make.rod(f"rising {i}", middle, l, density, -l / 2)
            down = make.rod(f"falling {i}", middle * trotz(b - a), l, density, -l / 2)
            bodies |= {f"rising_{i}": up, f"falling_{i}": down}
            if last is None:
                rail = (model.ground, make.at)
                closures.append(make.pin(rail, (down, (-l / 2, 0, 0)), "slide", joint=("y",)))
            else:
                closures.append(make.pin((down, (-l / 2, 0, 0)), (last, (l / 2, 0, 0)), f"hinge {i}"))
            foot, last = down.T * tdisp(l / 2, 0, 0) * trotz(-b), up
        bodies["load"] = make.body("load", foot, mass=load, inertia=(0, 0, 0))
    equations, hinges = 2 * count - 1, count - 1
    of = f"of the slide and of {hinges} hinge{'s' if hinges != 1 else ''}" if hinges else "of the slide"
    counted = f"{2 * count} angles, {equations} equation{'s' if equations > 1 else ''} {of}: "
    return Linkage(
        "scissor lift", bodies, q, tuple(closures), found,
        f"{counted}{2 * count} - {equations} = 1 degree of freedom.",
    )  # fmt: skip
