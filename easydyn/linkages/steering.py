"""A steering gear: a rack moves two tie rods, which turn the wheels' knuckles."""

from __future__ import annotations

from typing import Any

import sympy

from easydyn.arguments import answers
from easydyn.linkages.linkage import Linkage, Maker, in_a_plane, meet, number
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


@answers
def steering(
    model: Any, *, track: Any, arm: Any, rack: Any, behind: Any, shift: Any = 0, rate: Any = 0, knuckle: Any = 20.0,
    inertia: Any = 0.6, rack_mass: Any = 3.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a steering gear in the plane of the axle, x forwards, y to the left: rack, two tie rods, two knuckles.

    Tie rods are massless. Their length is such that the wheels point straight ahead at a shift of zero. The end of an
    arm is the intersection of two circles: that of the arm about the kingpin, and that of the tie rod about the end of
    the rack.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    track : scalar (m)
        Distance between the kingpins.
    arm : 2 scalars (m)
        End of the left steering arm in the axes of its knuckle, such as (-0.15, -0.05); the right one is its mirror
        image.
    rack : scalar (m)
        Distance from the middle of the rack to each of its ends.
    behind : scalar (m)
        Distance of the rack behind the axle; negative if it is ahead of the axle.
    shift, rate : float
        Shift of the rack to the left at the start, and its rate (m, m/s).
    knuckle, rack_mass : scalar (kg)
        Mass of each knuckle with its wheel, and mass of the rack.
    inertia : scalar (kg m2)
        Moment of inertia of each knuckle with its wheel about its kingpin.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "rack" (m), "left", "right" (rad, positive to the left).

    Raises
    ------
    InputError, ModelError
        A shift that tie rods cannot follow, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> gear = steering(Model("car"), track=1.5, arm=(-0.15, -0.05), rack=0.35, behind=0.18)
    >>> found = gear.closed_form({"rack": -0.05})  # to the right: the wheels, whose arms point back, turn to the left
    >>> round(found["left"], 3), round(found["right"], 3)
    (0.396, 0.326)
    """
    make = Maker(model, "steering", name, at)
    w, h, back = make.length(track, "track"), make.length(rack, "rack"), make.number(behind, "behind")
    ax, ay = make.point(arm, "arm")
    y, forms, ties, ends = Coordinate(make.symbol("rack")), {}, {}, {}
    for role, sign in (("left", 1), ("right", -1)):
        kingpin, end = (0, sign * w / 2), (-back, y + sign * h)
        straight = (ax, sign * (w / 2 + ay))
        tie = sympy.sqrt((straight[0] + back) ** 2 + (straight[1] - sign * h) ** 2)
        span = sympy.sqrt(ax**2 + ay**2)
        kept = {}
        for side in (1, -1):  # of two ways that in which the wheel is straight when the rack is in the middle
            found = meet(kingpin, end, span, tie, side)
            u, v = found[0] - kingpin[0], found[1] - kingpin[1]
            turn = sympy.atan2(ax * v - sign * ay * u, ax * u + sign * ay * v)  # from the arm that is straight
            kept[abs(number(turn, {y: 0.0} | make.values))] = turn
        forms[role], ties[role], ends[role] = kept[min(kept)], tie, sign
    with model.together():
        q, formulas = make.coordinates({"rack": shift}, {"rack": rate}, forms)
        bar = make.body("rack", make.at * tdisp(-back, y, 0), mass=rack_mass, inertia=(0, 0, 0))
        bodies, closures = {"rack": bar}, []
        for role, sign in ends.items():
            frame = make.at * tdisp(0, sign * w / 2, 0) * trotz(q[role])
            bodies[role] = make.body(role, frame, mass=knuckle, inertia=(inertia, inertia, inertia))
            first, second = (bar, (0, sign * h, 0)), (bodies[role], (ax, sign * ay, 0))
            closures.append(make.pin(first, second, f"{role} tie rod", joint="distance", length=ties[role]))
    return Linkage("steering gear", bodies, q, tuple(closures), formulas, in_a_plane(6, 7))
