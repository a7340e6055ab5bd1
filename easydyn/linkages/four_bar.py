"""Four-bar linkages in a plane and those derived from them: with a slide or a cylinder, and six-bars of two kinds."""

from __future__ import annotations

from typing import Any

from sympy import cos, sin

from easydyn.arguments import answers
from easydyn.linkages.linkage import Linkage, Maker, heading, in_a_plane, meet
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


@answers
def four_bar(
    model: Any, *, ground: Any, crank: Any, coupler: Any, rocker: Any, angle: Any = 1.2, rate: Any = 0, side: Any = 1,
    density: Any = 1.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a four-bar: a crank about the origin, a rocker about (ground, 0), a coupler between their ends.

    The pin of coupler and rocker is the intersection of two circles, about the end of the crank and the rocker's pivot.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    ground, crank, coupler, rocker : scalar (m)
        Lengths: numbers, or expressions of parameters.
    angle, rate : float
        Angle of the crank at the start, and its rate (rad, rad/s).
    side : {1, -1}
        1 if the pin is on the left of the line from the end of the crank to the rocker's pivot.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank", "coupler" (from the crank), "rocker" (rad).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> model = Model("four-bar", gravity=(0, -9.81, 0))
    >>> linkage = four_bar(model, ground=0.9, crank=0.3, coupler=0.8, rocker=0.6, rate=4)
    >>> run = model.simulate(1)
    >>> bool(abs(run["rocker"][-1] - linkage.closed_form({"crank": run["crank"][-1]})["rocker"]) < 1e-9)
    True
    """
    make = Maker(model, "four_bar", name, at)
    with model.together():
        bodies, q, pin, found, _, _ = _four_bar(make, ground, crank, coupler, rocker, angle, rate, side, density)
    return Linkage("four-bar", bodies, q, (pin,), found, in_a_plane(4, 4))


def _four_bar(
    make: Maker, ground: Any, crank: Any, coupler: Any, rocker: Any, start: Any, rate: Any, side: Any, density: Any,
    block: Any = None,
) -> tuple[Any, ...]:  # fmt: skip
    """Bodies, coordinates, the pin, the closed form; the end of the crank and the pin as points.

    With the mass of a `block` the rocker is a guide, and its length the start of the block's position on it.
    """
    last, role = ("rocker", "rocker") if block is None else ("slide", "guide")
    lengths = ((ground, "ground"), (crank, "crank"), (coupler, "coupler"), (rocker, last))
    g, r, l, c = (make.length(x, what) for x, what in lengths)
    a, reach = Coordinate(make.symbol("crank")), c if block is None else Coordinate(make.symbol("slide"))
    end, foot = (r * cos(a), r * sin(a)), (g, 0)
    pin = meet(end, foot, l, reach, make.side(side))
    forms = {"coupler": heading(end, pin) - a, role: heading(foot, pin)}
    free = {"crank": start} if block is None else {"crank": start, "slide": rocker}
    q, found = make.coordinates(free, {"crank": rate}, forms)
    turned = make.at * trotz(a)
    bodies = {
        "crank": make.rod("crank", turned, r, density),
        "coupler": make.rod("coupler", turned * tdisp(r, 0, 0) * trotz(q["coupler"]), l, density),
        role: make.rod(role, make.at * tdisp(g, 0, 0) * trotz(q[role]), c, density),
    }
    tip: Any = (bodies[role], (c, 0, 0))
    if block is not None:
        tip = bodies["block"] = make.body("block", bodies[role].T * tdisp(reach, 0, 0), mass=block, inertia=(0, 0, 0))
    held = make.pin((bodies["coupler"], (l, 0, 0)), tip)
    return bodies, q, held, found, end, pin


@answers
def four_bar_with_slide(
    model: Any, *, ground: Any, crank: Any, coupler: Any, slide: Any, angle: Any = 1.2, rate: Any = 0, side: Any = 1,
    density: Any = 1.0, block: Any = 0.5, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a four-bar whose rocker is a guide; the position of a block on the guide determines the rocker's length.

    It has two degrees of freedom, the crank and the slide. The pin of coupler and block is the intersection of two
    circles.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    ground, crank, coupler : scalar (m)
        Lengths: numbers, or expressions of parameters.
    slide : float (m)
        Distance of the block from the guide's pivot at the start.
    angle, rate : float
        Angle of the crank at the start, and its rate (rad, rad/s).
    side : {1, -1}
        1 if the pin is on the left of the line from the end of the crank to the guide's pivot.
    block : scalar (kg)
        Mass of the block; the guide is a bar as long as the slide at the start.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank" (rad), "slide" (m), "coupler" (from the crank), "guide" (rad).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> linkage = four_bar_with_slide(Model("quick return"), ground=0.9, crank=0.3, coupler=0.8, slide=0.6)
    >>> linkage.independent
    ['crank', 'slide']
    """
    make = Maker(model, "four_bar_with_slide", name, at)
    with model.together():
        bodies, q, held, found, _, _ = _four_bar(make, ground, crank, coupler, slide, angle, rate, side, density, block)
    return Linkage("four-bar with slide", bodies, q, (held,), found, in_a_plane(5, 5))


@answers
def watt(
    model: Any, *, ground: Any, crank: Any, coupler: Any, rocker: Any, point: Any, dyad: Any, foot: Any,
    angle: Any = 1.2, rate: Any = 0, side: Any = 1, second: Any = 1, density: Any = 1.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a six-bar linkage of Watt: a four-bar, and a rod from a point of its rocker to a lever.

    Both pins are intersections of two circles; the second two are about the point of the rocker and the lever's foot.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    ground, crank, coupler, rocker : scalar (m)
        Lengths of the four-bar: numbers, or expressions of parameters.
    point : 2 scalars (m)
        Point of the rocker, in its axes, where the rod begins.
    dyad : 2 scalars (m)
        Lengths of the rod and of the lever.
    foot : 2 scalars (m)
        Point of the plane about which the lever rotates.
    angle, rate : float
        Angle of the crank at the start, and its rate (rad, rad/s).
    side, second : {1, -1}
        1 where the first pin, the second pin, is on the left: of the line from the end of the crank to the rocker's
        pivot, of the line from the point to the foot.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank", "coupler" (from the crank), "rocker", "rod" (from the rocker), "lever" (rad).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> linkage = watt(Model("Watt"), ground=0.9, crank=0.3, coupler=0.8, rocker=0.6, point=(0.5, -0.3),
    ...                dyad=(0.9, 0.6), foot=(1.9, 0))
    >>> print(linkage.mobility)
    6 links, 7 joints of one freedom in a plane: 3 (6 - 1) - 2 x 7 = 1 degree of freedom.
    """
    four = ground, crank, coupler, rocker, angle, rate, side, density
    return _six_bars(Maker(model, "watt", name, at), four, "rocker", point, dyad, foot, second)


@answers
def stephenson(
    model: Any, *, ground: Any, crank: Any, coupler: Any, rocker: Any, point: Any, dyad: Any, foot: Any,
    angle: Any = 1.2, rate: Any = 0, side: Any = 1, second: Any = 1, density: Any = 1.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a six-bar linkage of Stephenson: a four-bar, and a rod from a point of its coupler to a lever.

    Both pins are intersections of two circles; the second two are about the point of the coupler and the lever's foot.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    ground, crank, coupler, rocker : scalar (m)
        Lengths of the four-bar: numbers, or expressions of parameters.
    point : 2 scalars (m)
        Point of the coupler, in its axes, where the rod begins.
    dyad : 2 scalars (m)
        Lengths of the rod and of the lever.
    foot : 2 scalars (m)
        Point of the plane about which the lever rotates.
    angle, rate : float
        Angle of the crank at the start, and its rate (rad, rad/s).
    side, second : {1, -1}
        1 where the first pin, the second pin, is on the left: of the line from the end of the crank to the rocker's
        pivot, of the line from the point to the foot.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "crank", "coupler" (from the crank), "rocker", "rod" (from the coupler), "lever" (rad).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> linkage = stephenson(Model("Stephenson"), ground=0.9, crank=0.3, coupler=0.8, rocker=0.6, point=(0.5, 0.3),
    ...                      dyad=(1.1, 0.6), foot=(1.6, 0.2))
    >>> linkage.independent
    ['crank']
    """
    four = ground, crank, coupler, rocker, angle, rate, side, density
    return _six_bars(Maker(model, "stephenson", name, at), four, "coupler", point, dyad, foot, second)


def _six_bars(make: Maker, four: tuple[Any, ...], link: str, point: Any, dyad: Any, foot: Any, second: Any) -> Linkage:
    px, py = make.point(point, "point")
    pivot, (l, c) = make.point(foot, "foot"), make.point(dyad, "dyad")
    l, c = make.length(l, "rod"), make.length(c, "lever")
    model, turned, start = make.model, make.side(second), four[4]
    with model.together():
        bodies, q, first, found, end, pin = _four_bar(make, *four)
        begin, foot_of_link = (end, q["crank"] + found[q["coupler"]]) if link == "coupler" else ((four[0], 0), None)
        absolute = foot_of_link if foot_of_link is not None else found[q["rocker"]]
        length = four[2] if link == "coupler" else four[3]
        u = ((pin[0] - begin[0]) / length, (pin[1] - begin[1]) / length)  # along the link
        at = (begin[0] + px * u[0] - py * u[1], begin[1] + px * u[1] + py * u[0])
        joint = meet(at, pivot, l, c, turned)
        forms = {"rod": heading(at, joint) - absolute, "lever": heading(pivot, joint)}
        more, formulas = make.coordinates({}, {}, forms, {q["crank"]: start})
        bodies["rod"] = make.rod("rod", bodies[link].T * tdisp(px, py, 0) * trotz(more["rod"]), l, four[7])
        bodies["lever"] = make.rod("lever", make.at * tdisp(*pivot, 0) * trotz(more["lever"]), c, four[7])
        last = make.pin((bodies["rod"], (l, 0, 0)), (bodies["lever"], (c, 0, 0)), "second pin")
    title = "six bars, Watt" if link == "rocker" else "six bars, Stephenson"
    return Linkage(title, bodies, q | more, (first, last), found | formulas, in_a_plane(6, 7))


@answers
def bar_with_cylinder(
    model: Any, *, bar: Any, foot: Any, stroke: Any, rate: Any = 0, side: Any = 1, density: Any = 1.0, half: Any = 0.5,
    at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a bar about the origin that a cylinder holds at its end; the cylinder turns about its foot.

    The end of the bar is the intersection of two circles: radius bar about the origin, radius stroke about the foot.

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    bar : scalar (m)
        Its length: a number, or an expression of parameters.
    foot : 2 scalars (m)
        Point of the plane about which the cylinder rotates.
    stroke, rate : float
        Distance from the foot to the end of the rod at the start (m), and its rate (m/s).
    side : {1, -1}
        1 if the end of the bar is on the left of the line from the origin to the foot.
    half : scalar (kg)
        Mass of each half of the cylinder; each is 0.6 of the stroke long.
    density : scalar (kg/m)
        Mass per length of the bars, which are slender.
    at : Transform, optional
        The frame in whose xy plane it lies; the ground frame if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "stroke" (m), "bar", "tube" (rad).

    Raises
    ------
    InputError, ModelError
        Lengths that cannot be connected, an invalid length, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> linkage = bar_with_cylinder(Model("loader"), bar=1.0, foot=(0.6, -0.2), stroke=0.9)
    >>> linkage.independent, sorted(linkage.bodies)
    (['stroke'], ['bar', 'rod', 'tube'])
    """
    make = Maker(model, "bar_with_cylinder", name, at)
    l, place, out = make.length(bar, "bar"), make.point(foot, "foot"), make.length(stroke, "stroke")
    s = Coordinate(make.symbol("stroke"))
    end = meet((0, 0), place, l, s, make.side(side))
    with model.together():
        forms = {"bar": heading((0, 0), end), "tube": heading(place, end)}
        q, found = make.coordinates({"stroke": out}, {"stroke": rate}, forms)
        long, each = 0.6 * out, make.number(half, "half") / (0.6 * out)
        tube = make.rod("tube", make.at * tdisp(*place, 0) * trotz(q["tube"]), long, each)
        bodies = {
            "bar": make.rod("bar", make.at * trotz(q["bar"]), l, density),
            "tube": tube,
            "rod": make.rod("rod", tube.T * tdisp(s, 0, 0), long, each, -long),
        }
        pin = make.pin((bodies["bar"], (l, 0, 0)), bodies["rod"])
    return Linkage("bar with cylinder", bodies, q, (pin,), found, in_a_plane(4, 4))
