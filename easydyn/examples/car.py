"""A quarter of a car drives over a bump: a wheel on its tyre, a chassis on a spring and a damper of two slopes.

Lesson: force elements with any law, and driven ends. The tyre is a spring that only pushes, with a lower end that
follows the road. The shock absorber is softer in compression. On a wavy road the linear car is a filter. This example
measures its transmissibility from runs and compares it with the closed form: far above the resonance at 1.2 Hz, almost
nothing of the road reaches the chassis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sympy import Expr, Min, Piecewise, cos, pi, sin

from easydyn import Damper, Model, Spring, Trajectory, ground, t, tdisp, visu
from easydyn.errors import InputError
from easydyn.examples.figures import axes
from easydyn.inputs import shown, state_vector

PICTURES = {
    "bump": "a bump of 8 cm, 1 m long, at 10 m/s",
    "load": "load of the tyre on the road",
    "transmissibility": "amplitude of the chassis over that of the road",
}
PLOTS = {"bump": ("chassis", "wheel", "road"), "load": ("load",)}
LINEAR = {"rebound": 1500, "compression": 1500, "height": 0}  # a damper of one slope, and no bump


def quarter_car(road: tuple[Sequence[float], Sequence[float]] | None = None) -> Model:
    """Chassis of 300 kg, wheel of 40 kg, springs of 20 and 180 kN/m; the bump begins at t = 0.5 s.

    Coordinates `chassis`, `wheel` (m): heights above their positions at rest. Parameters: the damper's `rebound` and
    `compression` (N s/m); `height`, `length` of the bump (m), `speed` (m/s); `amplitude` (m) and `omega` (rad/s) of a
    wavy road, none at first. Output `load` (N): of the tyre on the road.

    Parameters
    ----------
    road : (times, heights), optional
        A table (s, m) of a measured road instead of the bump; straight lines between its points.

    Returns
    -------
    Model
        Ready for `simulate`.

    Raises
    ------
    InputError
        A road that is not such a pair.

    Example
    -------
    >>> quarter_car().compile().accelerations(0, [0.01, 0], [0, 0])  # chassis 1 cm up: 200 N on 300 kg, on 40 kg
    array([-0.66666667,  5.        ])
    """
    model = Model("quarter car", gravity=(0, -9.81, 0))
    chassis, wheel = model.coordinates("chassis wheel")
    M, m, g = 300, 40, 9.81
    k, K, rebound, compression = model.parameters(k=20e3, K=180e3, rebound=2000, compression=1000)
    height, length, speed, amplitude, omega = model.parameters(height=0.08, length=1, speed=10, amplitude=0, omega=0)
    if road is not None and (not isinstance(road, tuple | list) or len(road) != 2):
        raise InputError(f"road is {shown(road)}: expected a pair of lists, (times, heights).")
    if road is None:
        travelled = speed * (t - 0.5)
        bump = height / 2 * (1 - cos(2 * pi * travelled / length))
        profile = Piecewise((0, t < 0.5), (bump, t < 0.5 + length / speed), (0, True))
    else:
        profile = _straight_lines(*road)
    profile += amplitude * sin(omega * t)
    model.output("road", profile, unit="m")
    tyre = visu.Tyre(0.3, 0.18, at=tdisp(0, 0, -0.16), colour="dark")  # behind the springs
    half = visu.Box(1.1, 0.22, 0.4, at=tdisp(0, 0.11, 0))
    hub = model.body("wheel", tdisp(0, 0.3 + wheel, 0), mass=m, inertia=(0, 0, 0), shape=tyre)
    body = model.body("chassis", tdisp(0, 0.8 + chassis, 0), mass=M, inertia=(0, 0, 0), shape=half)

    def shock_absorber(v: Any) -> Any:
        return Piecewise((compression * v, v < 0), (rebound * v, True))

    patch = (ground, (0, profile, 0))
    model.add(
        Spring(patch, hub, law=lambda x: Min(0, K * x), free_length=0.3 + (M + m) * g / K),
        Spring(hub, body, stiffness=k, free_length=0.5 + M * g / k), Damper(hub, body, law=shock_absorber),
    )  # fmt: skip
    model.output("load", -Min(0, K * (wheel - profile) - (M + m) * g), unit="N")
    return model


def _straight_lines(times: Sequence[float], heights: Sequence[float]) -> Expr:
    """A table as a formula of time; its first and last height before and after."""
    times = state_vector(times, "times of the road").tolist()
    heights = state_vector(heights, "heights of the road").tolist()
    if len(times) != len(heights) or sorted(set(times)) != times:
        raise InputError(f"the road has {len(times)} times and {len(heights)} heights: expected as many, times rising.")
    pieces: list[Any] = [(heights[0], t < times[0])]
    for (t0, t1), (z0, z1) in zip(zip(times, times[1:]), zip(heights, heights[1:])):
        pieces.append((z0 + (z1 - z0) / (t1 - t0) * (t - t0), t < t1))
    return Piecewise(*pieces, (heights[-1], True))


def transmissibility(frequency: Any) -> Any:
    """|chassis / road| of the linear car on a wavy road, in closed form; frequency in Hz."""
    M, m, k, K, c = 300, 40, 20e3, 180e3, 1500
    s = 2j * np.pi * np.asarray(frequency, dtype=float)
    suspension = c * s + k
    return abs(K * suspension / ((M * s**2 + suspension) * (m * s**2 + suspension + K) - suspension**2))


def measured_transmissibility(frequency: float) -> float:
    """The same from a run: half the range of the chassis over the last period, on waves of 5 mm."""
    settled = max(4.0, 2 / frequency)
    wavy = LINEAR | {"amplitude": 0.005, "omega": 2 * np.pi * frequency}
    run = quarter_car().simulate(settled + 1 / frequency, parameters=wavy, max_step=0.02 / frequency)
    return float(np.ptp(run["chassis"][run.t >= settled]) / 0.01)


def simulate() -> Trajectory:
    """Simulate 3 s, over the bump."""
    return quarter_car().simulate(3, save_every=0.005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    frequencies, some = np.geomspace(0.3, 30, 300), np.geomspace(0.4, 25, 12)
    ax = axes(ax, "chassis / road", "frequency [Hz]")
    ax.loglog(frequencies, transmissibility(frequencies), label="closed form")
    ax.loglog(some, [measured_transmissibility(f) for f in some], "o", label="from runs")
    ax.legend()
    return ax
