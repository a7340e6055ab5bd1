"""The slider-crank mechanism of the paper (section VII.B): a closed loop in one coordinate, by eq. (39).

Lesson: a loop needs no constraint if the other angles follow from one of them in closed form. Released under gravity,
the mechanism returns after 5.33 s. The motor carries it over its dead points, and it continues to rotate when the motor
stops.
"""

from __future__ import annotations

from typing import Any

from sympy import Piecewise, asin, cos, sin

from easydyn import Model, Moment, Trajectory, t, tdisp, trotz
from easydyn.inputs import flag

PICTURES = {
    "drawing": "figure 9: angles and lengths",
    "angle": "figure 10: angle of the crank",
    "image": "figure 11: in motion",
}
PLOTS = {"angle": ("q",)}


def closed(q: Any, l1: Any, l2: Any) -> tuple[Any, Any]:
    """The angle of the rod and the position of the slider that close the loop, eq. (39)."""
    alpha = asin(l1 * sin(q) / l2)
    return alpha, l1 * cos(q) + l2 * cos(alpha)


def slider_crank(motor: bool = False) -> Model:
    """Crank, connecting rod and slider under gravity (table II), released at q = 1 rad.

    Parameters
    ----------
    motor : bool
        Add a moment of 10 N m on the crank until t = 2 s.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> slider_crank().compile().accelerations(0, [1], [0]).round(6)
    array([-0.949824])
    >>> driven = slider_crank(motor=True)
    >>> driven.compile().accelerations(0, [1], [0]).round(10)
    array([0.24484074])
    >>> driven.simulate(6, save_every=2, method="dop853", tolerance=1e-9)["q"][1::2].round(6)  # at 2 and 6 s
    array([ 1.823996, 13.736834])
    """
    flag(motor, "motor")
    model = Model("slider-crank", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    l1, l2 = model.parameters(l1=1, l2=2)
    alpha, x = closed(q, l1, l2)
    crank = model.body("crank", trotz(q) * tdisp(l1 / 2, 0, 0), mass=1, inertia=(0, 0, 0.0833))
    model.body("rod", tdisp(x, 0, 0) * trotz(-alpha) * tdisp(-l2 / 2, 0, 0), mass=2, inertia=(0, 0, 0.6667))
    model.body("slider", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 2))
    if motor:
        model.add(Moment(crank, (0, 0, Piecewise((10, t < 2), (0, True)))))
    return model


def simulate() -> Trajectory:
    """Simulate 6 s, one oscillation and a little more, as in the paper."""
    return slider_crank().simulate(6, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "drawing":
        model = slider_crank()
        alpha, x = closed(*(model.symbols[symbol] for symbol in ("q", "l1", "l2")))
        return model.scene().sketch(ax, points=True, names={"alpha": alpha, "x": x})
    return run.animate(trace="rod").picture(at=(0, 0.9, 1.5, 1.9, 2.3), ax=ax)
