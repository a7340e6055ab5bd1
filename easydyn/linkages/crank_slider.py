"""Crank, connecting rod and slider; and the same as a cylinder of an engine, on an existing shaft."""

from __future__ import annotations

from typing import Any

from sympy import Symbol, atan2, cos, pi, sin, sqrt

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.linkages.linkage import Linkage, Maker, in_a_plane
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


@answers
def crank_slider(
    model: Any, *, crank: Any, rod: Any, offset: Any = 0, angle: Any = 0.6, rate: Any = 0, side: Any = 1,
    density: Any = 1.0, slider: Any = 1.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a crank-slider: a crank about the origin, a rod, and a slider along x.

        slide = crank cos(a) + sqrt(rod^2 - (offset - crank sin(a))^2)

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    crank, rod : scalar (m)
        Lengths: numbers, or expressions of parameters.
    offset : scalar (m)
        Height of the slider's path above the crank's axis.
    angle, rate : float
        Angle of the crank at the start, and its rate (rad, rad/s).
    side : {1, -1}
        1 for a slider on the side of positive x.
    density : scalar (kg/m)
        Mass per length of crank and rod, slender bars.
    slider : scalar (kg)
        Mass of the slider.
    at : Transform, optional
        The frame in whose xy plane it lies, with x along the slide; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank" (rad), "rod" (rad, from the crank), "slide" (m).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("engine", gravity=(0, -9.81, 0))
    >>> linkage = crank_slider(model, crank=0.1, rod=0.3, rate=20)
    >>> print(linkage.mobility)
    4 links, 4 joints of one freedom in a plane: 3 (4 - 1) - 2 x 4 = 1 degree of freedom.
    """
    make = Maker(model, "crank_slider", name, at)
    r, l = make.length(crank, "crank"), make.length(rod, "rod")
    e, sign = make.number(offset, "offset"), make.side(side)
    a = Coordinate(make.symbol("crank"))
    x = r * cos(a) + sign * sqrt(l**2 - (e - r * sin(a)) ** 2)
    with model.together():
        forms = {"rod": atan2(e - r * sin(a), x - r * cos(a)) - a, "slide": x}
        q, found = make.coordinates({"crank": angle}, {"crank": rate}, forms)
        turned = make.at * trotz(a)
        bodies = {
            "crank": make.rod("crank", turned, r, density),
            "rod": make.rod("rod", turned * tdisp(r, 0, 0) * trotz(q["rod"]), l, density),
            "slider": make.body("slider", make.at * tdisp(q["slide"], e, 0), mass=slider, inertia=(0, 0, 0)),
        }
        pin = make.pin((bodies["rod"], (l, 0, 0)), bodies["slider"])
    return Linkage("crank-slider", bodies, q, (pin,), found, in_a_plane(4, 4))


@answers
def engine_cylinder(
    model: Any, shaft: Any, crank: Any, *, throw: Any, rod: Any, phase: Any = 0, bank: Any = 0, along: Any = 0,
    density: Any = 1.0, piston: Any = 1.0, at: Any = None, name: str = "cylinder",
) -> Linkage:  # fmt: skip
    """Add a cylinder of an engine, rod and piston, to a crankshaft of the model; a V6 engine needs six calls.

    With the angle c = crank + phase - bank from the cylinder's axis to the crank pin,

        piston = throw cos(c) + sqrt(rod^2 - throw^2 sin(c)^2)

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    shaft : Body
        The crankshaft, whose frame is at * trotz(crank).
    crank : Coordinate
        Its angle (rad).
    throw, rod : scalar (m)
        Radius of the crank pin, length of the rod.
    phase, bank : scalar (rad)
        Angle of the crank pin on the shaft; angle of the cylinder's axis from the x axis of the plane.
    along : scalar (m)
        Position of the cylinder along the shaft.
    density : scalar (kg/m)
        Mass per length of the rod, a slender bar.
    piston : scalar (kg)
        Mass of the piston.
    at : Transform, optional
        The frame in which the shaft rotates about z; the ground if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "rod" (rad, from the cylinder's axis), "piston" (m); they follow from the angle of the shaft.

    Raises
    ------
    InputError, ModelError
        A rod that is shorter than the throw, an invalid length, a shaft that is not a body, names that are taken.

    Example
    -------
    >>> from easydyn import Model, trotz
    >>> model = Model("engine")
    >>> crank = model.coordinate("crank", rate=100)
    >>> shaft = model.body("shaft", trotz(crank), mass=8, inertia=(0, 0, 0.02))
    >>> left = engine_cylinder(model, shaft, crank, throw=0.045, rod=0.2, bank=0.5, name="left")
    >>> right = engine_cylinder(model, shaft, crank, throw=0.045, rod=0.2, bank=-0.5, name="right")
    >>> model.mobility().degrees_of_freedom
    1
    """
    make = Maker(model, "engine_cylinder", name, at)
    if not isinstance(shaft, Body) or not isinstance(crank, Symbol) or model.symbols.get(str(crank)) != crank:
        raise InputError(f"engine_cylinder got {shaft!r}, {crank!r}: expected a shaft of the model, and its angle.")
    r, l = make.length(throw, "throw"), make.length(rod, "rod")
    turn, lean = make.number(phase, "phase"), make.number(bank, "bank")
    c, z = crank + turn - lean, make.number(along, "along")
    with model.together():
        forms = {"rod": atan2(-r * sin(c), sqrt(l**2 - r**2 * sin(c) ** 2)), "piston": 0}
        forms["piston"] = r * cos(c) + sqrt(l**2 - r**2 * sin(c) ** 2)
        start = {crank: model.initial_values[str(crank)]}
        q, found = make.coordinates({}, {}, forms, start)
        axis = make.at * tdisp(0, 0, z) * trotz(lean)
        head = make.body("piston", axis * tdisp(q["piston"], 0, 0), mass=piston, inertia=(0, 0, 0))
        bar = make.rod("rod", head.T * trotz(pi + q["rod"]), l, density)
        pin = make.pin((bar, (l, 0, 0)), (shaft, (r * cos(turn), r * sin(turn), z)))
    bodies, coordinates = {"shaft": shaft, "rod": bar, "piston": head}, {"shaft": crank} | q
    return Linkage("cylinder of an engine", bodies, coordinates, (pin,), found, in_a_plane(4, 4))
