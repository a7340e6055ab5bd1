"""An inverted pendulum on a cart, caught from 20 degrees and stood upright by state feedback.

Lesson: feedback makes an unstable equilibrium stable. The gains are those of a linear quadratic regulator. They were
computed outside of this program, from the equations linearised about the upright position, and work on the nonlinear
model even far from it. The same gains act continuously, as a formula for the input, or on samples every 10 ms.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, pi

from easydyn import GeneralizedForce, Model, StateFeedback, Trajectory, tdisp, trotz, visu
from easydyn.examples.figures import axes, second_axis

PICTURES = {"motion": "caught from 20 degrees", "force": "force, sampled every 10 ms or not"}

# u = -sum(gain * value). Minimal integral of 10 x^2 + 100 angle^2 + x.dot^2 + angle.dot^2 + 0.1 u^2, by the algebraic
# Riccati equation of the linearised model; N/m, N/rad, N s/m, N s/rad.
GAINS = {"x": -10.0, "angle": 70.3917, "x.dot": -11.3803, "angle.dot": 12.76}


def inverted_pendulum(period: float | None = 0.01) -> Model:
    """A rod of 0.2 kg and 0.6 m stands on a cart of 1 kg; a force moves the cart.

    Coordinates `x` of the cart (m) and `angle` of the rod from upright (rad), 20 degrees at first; input `force` (N).

    Parameters
    ----------
    period : float (s) or None
        Period of the sampled controller. With None the force comes from `simulate(inputs=...)`, for example
        `feedback(model)`.

    Returns
    -------
    Model
        Ready for `simulate`.

    Example
    -------
    >>> run = inverted_pendulum().simulate(6)
    >>> bool(max(abs(run["angle"][-1]), abs(run["x"][-1])) < 0.01)
    True
    """
    model = Model("inverted pendulum", gravity=(0, -9.81, 0))
    x, angle = model.coordinates("x angle", initial=(0, pi / 9))
    M, m, l = model.parameters(M=1, m=0.2, l=0.6)
    force = model.input("force", unit="N")
    wheels = [
        visu.Cylinder(0.03, 0.02, at=tdisp(0.08 * i, -0.05, 0.06 * k), colour="dark") for i in (-1, 1) for k in (-1, 1)
    ]
    cart = [visu.Box(0.26, 0.07, 0.12), *wheels]
    model.body("cart", tdisp(x, 0, 0), mass=M, inertia=(0, 0, 0), shape=cart)
    model.body("rod", tdisp(x, 0, 0) * trotz(angle) * tdisp(0, l / 2, 0), mass=m, inertia=(0, 0, m * l**2 / 12))
    model.add(GeneralizedForce(x, force))
    if period is not None:
        model.controller(period, StateFeedback("force", GAINS))
    return model


def feedback(model: Model) -> Expr:
    """The continuous controller: the force as a formula of the state."""
    return -sum(gain * model.symbols[name] for name, gain in GAINS.items())


def simulate() -> Trajectory:
    """Simulate 6 s with the sampled controller."""
    return inverted_pendulum().simulate(6, save_every=0.01)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "motion":
        ax = axes(ax, "angle [rad]")
        ax.plot(run.t, run["angle"], label="angle")
        second_axis(ax, "x [m]", run.t, run["x"], "cart", "center right")
        return ax
    model = inverted_pendulum(period=None)
    smooth = model.simulate(6, save_every=0.01, inputs={"force": feedback(model)})
    ax = axes(ax, "force [N]")
    ax.plot(smooth.t, smooth["force"], label="continuous")
    ax.step(run.t, run["force"], where="post", linewidth=1, label="sampled")
    ax.set_xlim(0, 3)
    ax.legend()
    return ax
