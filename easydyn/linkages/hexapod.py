"""A hexapod, or Stewart platform: a plate on six struts, with six degrees of freedom."""

from __future__ import annotations

from typing import Any

from sympy import Float, atan2, cos, pi, sin, sqrt

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.linkages.linkage import Linkage, Maker
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Transform, tdisp, trotx, troty, trotz

POSE = ("x", "y", "z", "a", "b", "c")


@answers
def hexapod(
    model: Any, *, base: Any = 1.0, platform: Any = 0.6, spread: Any = 0.25, pose: Any = (0, 0, 1.1, 0, 0, 0),
    rates: Any = (0, 0, 0, 0, 0, 0), mass: Any = 20.0, half: Any = 1.0, at: Any = None, name: str = "",
) -> Linkage:  # fmt: skip
    """Add a hexapod: six struts, each with a universal joint below, a slide, and a ball at the platform.

    The platform's frame is tdisp(x, y, z) * trotz(c) * troty(b) * trotx(a). With the line d of a strut, foot to ball,

        s = |d|,    u = atan2(-dy, dz),    w = atan2(dx, sqrt(dy^2 + dz^2))

    Parameters
    ----------
    model : Model
        The model to which it is added, completely or not at all.
    base, platform : scalar (m)
        Radii of the circles of feet and of balls: numbers, or expressions of parameters.
    spread : scalar (rad)
        Half the angle between two neighbouring feet; the balls of the platform have the same half angle.
    pose, rates : 6 floats
        x, y, z (m), a, b, c (rad) of the platform at the start, and their rates.
    mass : scalar (kg)
        Mass of the platform, a thin disc.
    half : scalar (kg)
        Mass of each half of a strut, a slender bar of half its length at the start.
    at : Transform, optional
        The frame of the base, z upwards; the ground's if left out.
    name : str
        Prefix of the names of bodies and coordinates.

    Returns
    -------
    Linkage
        Coordinates "x", "y", "z" (m), "a", "b", "c" (rad); for the first strut "u0", "w0" (rad), "s0" (m), and so on.

    Raises
    ------
    InputError, ModelError
        An invalid length or pose, names that are taken.

    Example
    -------
    >>> from easydyn import Model
    >>> legs = hexapod(Model("simulator", gravity=(0, 0, -9.81)))
    >>> print(legs.mobility)
    14 links, 6 universal joints, 6 slides, 6 balls: 6 (14 - 1) - 6 x 4 - 6 x 5 - 6 x 3 = 6 degrees of freedom.
    """
    make = Maker(model, "hexapod", name, at)
    R, r = make.length(base, "base"), make.length(platform, "platform")
    turn = make.number(spread, "spread")
    for what, values in (("pose", pose), ("rates", rates)):
        if not isinstance(values, list | tuple) or len(values) != 6:
            raise InputError(f"{what} of hexapod is {values!r}: expected six numbers, x, y, z (m), a, b, c (rad).")
    q = {role: Coordinate(make.symbol(role)) for role in POSE}
    plate = tdisp(q["x"], q["y"], q["z"]) * trotz(q["c"]) * troty(q["b"]) * trotx(q["a"])
    feet, balls = [], []
    for k in range(6):
        sign, corner = (1, -1)[k % 2], 2 * pi * (k // 2) / 3
        feet.append((R * cos(corner + sign * turn), R * sin(corner + sign * turn), 0))
        ball = corner + sign * (pi / 3 - turn)
        balls.append((r * cos(ball), r * sin(ball), 0))
    forms: dict[str, Any] = {}
    for k, (foot, ball) in enumerate(zip(feet, balls, strict=True)):
        d = [p - f for p, f in zip((plate * tdisp(*ball)).e, foot, strict=True)]
        forms |= {f"u{k}": atan2(-d[1], d[2]), f"w{k}": atan2(d[0], sqrt(d[1] ** 2 + d[2] ** 2))}
        forms[f"s{k}"] = sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2)
    with model.together():
        found, formulas = make.coordinates(
            dict(zip(POSE, pose, strict=True)), dict(zip(POSE, rates, strict=True)), forms
        )
        whole, each = make.number(mass, "mass"), make.number(half, "half")
        about = whole * r**2 / 4
        top = make.body("platform", make.at * plate, mass=whole, inertia=(about, about, 2 * about))
        bodies, closures = {"platform": top}, []
        for k, (foot, ball) in enumerate(zip(feet, balls, strict=True)):
            out = Float(model.initial_values[make.symbol(f"s{k}")], 17) / 2
            data = {"mass": each, "inertia": (each * out**2 / 12, each * out**2 / 12, 0)}
            lower = make.at * tdisp(*foot) * trotx(found[f"u{k}"]) * troty(found[f"w{k}"])
            bodies[f"lower_{k}"] = make.body(f"lower {k}", lower, com=(0, 0, out / 2), **data)
            upper: Transform = lower * tdisp(0, 0, found[f"s{k}"])
            bodies[f"upper_{k}"] = make.body(f"upper {k}", upper, com=(0, 0, -out / 2), **data)
            closures.append(make.pin(bodies[f"upper_{k}"], (top, ball), f"ball {k}", joint="spherical"))
    return Linkage(
        "hexapod", bodies, found, tuple(closures), formulas,
        "14 links, 6 universal joints, 6 slides, 6 balls: 6 (14 - 1) - 6 x 4 - 6 x 5 - 6 x 3 = 6 degrees of freedom.",
    )  # fmt: skip
