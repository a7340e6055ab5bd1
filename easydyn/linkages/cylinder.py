"""A bar on a hydraulic or pneumatic cylinder: three bars, of which one changes its length."""

from __future__ import annotations

from typing import Any

from easydyn.arguments import answers
from easydyn.linkages.linkage import Linkage, Maker, heading, in_a_plane, meet
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import tdisp, trotz


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
