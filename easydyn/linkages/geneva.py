"""The Geneva wheel: a crank whose pin turns a slotted wheel by one slot per turn, and locks it in between."""

from __future__ import annotations

from typing import Any

from sympy import Piecewise, atan2, cos, floor, pi, sin

from easydyn.arguments import answers
from easydyn.inputs import whole
from easydyn.linkages.linkage import Linkage, Maker
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


@answers
def geneva(
    model: Any, slots: Any = 4, *, distance: Any, angle: Any = float(pi), rate: Any = 0, crank: Any = 1e-3,
    wheel: Any = 1e-3, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a Geneva wheel: the pin of the crank enters a slot, turns the wheel, and leaves; then the wheel is held.

        wheel = -(2 pi k + n b)/n,      tan(b) = s sin(c)/(1 - s cos(c)),      s = sin(pi/n)

    with n slots, k full turns of the crank and c its angle beside them, b = pi/n and -pi/n outside of the engagement.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    slots : int
        Their number n, three or more.
    distance : scalar (m)
        Of both axes. The crank turns about the origin, the wheel about the point at this distance along x. The pin is
        at distance sin(pi/n) from the axis of the crank, so that it enters a slot without a shock.
    angle, rate : float
        Angle of the crank at the start, from the line of both axes, and its rate (rad, rad/s). At pi the wheel is held.
    crank, wheel : scalar (kg m2)
        Their moments of inertia about their axes.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank" (rad), "wheel" (rad). Its closure is the constraint of both angles, whose load is the moment
        on the wheel.

    Raises
    ------
    InputError, ModelError
        Another number of slots, an invalid distance, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> wheel = geneva(Model("indexing"), 4, distance=0.1, rate=10)
    >>> [round(wheel.closed_form({"crank": c})["wheel"], 6) for c in (0, 3.14, 9.42)]
    [-0.0, -0.785398, -2.356194]
    """
    make = Maker(model, "geneva", name, at)
    n, d = whole(slots, "the slots of geneva", least=3), make.length(distance, "distance")
    c, s = Coordinate(make.symbol("crank")), sin(pi / n)
    turns = floor((c + pi) / (2 * pi))
    beside, enters = c - 2 * pi * turns, pi / 2 - pi / n
    engaged = atan2(s * sin(c), 1 - s * cos(c))
    b = Piecewise((pi / n, beside > enters), (-pi / n, beside < -enters), (engaged, True))
    with model.together():
        q, found = make.coordinates({"crank": angle}, {"crank": rate}, {"wheel": -2 * pi / n * turns - b})
        J = [make.length(x, what) for x, what in ((crank, "the inertia of the crank"), (wheel, "that of the wheel"))]
        bodies = {
            "crank": make.body("crank", make.at * trotz(c), mass=0, inertia=(0, 0, J[0])),
            "wheel": make.body("wheel", make.at * tdisp(d, 0, 0) * trotz(q["wheel"]), mass=0, inertia=(0, 0, J[1])),
        }
        meshes = model.constraint(q["wheel"] - found[q["wheel"]], name=make.symbol("pin"))
    text = "crank and wheel turn about fixed axes, and the crank determines the wheel: 1 degree of freedom."
    return Linkage("Geneva wheel", bodies, q, (meshes,), found, text)
