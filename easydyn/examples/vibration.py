"""A mass on a spring, free, damped or forced: the motion that every method is measured by.

Lesson: one model, many runs. Damping and force are parameters, zero by default. `parameters={"c": 1}` changes them for
one run; the equations are not derived again. All results can be checked against closed forms: cos(2 pi t), the decay
exp(-c t/2m), and the resonance curve, which is measured here from runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sympy import cos, pi

from easydyn import Damper, Force, Model, Spring, Trajectory, ground, t, tdisp
from easydyn.examples.figures import axes

PICTURES = {
    "free": "free motion, undamped and damped",
    "resonance": "amplitude in steady motion, measured and in closed form",
}


def oscillator() -> Model:
    """1 kg on a spring of (2 pi)^2 N/m, released 1 m away from rest: q.ddot + (2 pi)^2 q = 0, period 1 s.

    Parameters of the model: mass `m`, stiffness `k`, damping `c` (N s/m), and a force F cos(omega t) along q.

    >>> run = oscillator().simulate(5, save_every=0.01, max_step=0.005)
    >>> bool(abs(run["q"] - np.cos(2 * np.pi * run.t)).max() < 2e-5)
    True
    """
    model = Model("oscillator")
    (q,) = model.coordinates("q", initial=1)
    m, k, c, F, omega = model.parameters(m=1, k=float(4 * pi**2), c=0, F=0, omega=0)
    mass = model.body("mass", tdisp(q, 0, 0), mass=m, inertia=(0, 0, 0))
    wall = (ground, (-2, 0, 0))
    model.add(
        Spring(wall, mass, stiffness=k, free_length=2), Damper(wall, mass, damping=c),
        Force(mass, (F * cos(omega * t), 0, 0)),
    )  # fmt: skip
    return model


def simulate() -> Trajectory:
    """Simulate five periods of the free motion."""
    return oscillator().simulate(5, save_every=0.01, max_step=0.005)


def amplitude(frequency: Any, c: float = 1.0) -> Any:
    """Amplitude (m) of the steady motion under a force of 1 N, in closed form; frequency in Hz."""
    k = 4 * np.pi**2
    omega = 2 * np.pi * np.asarray(frequency)
    return 1 / np.sqrt((k - omega**2) ** 2 + (c * omega) ** 2)


def measured_amplitude(frequency: float, c: float = 1.0) -> float:
    """The same from a run: half the range of q over the last of many periods."""
    settled = 20.0 / c  # s: exp(-c t/2m) has fallen to 5e-5
    run = oscillator().simulate(
        settled + 1 / frequency, save_every=0.01, initial={"q": 0},
        parameters={"c": c, "F": 1, "omega": 2 * np.pi * frequency},
    )  # fmt: skip
    return float(np.ptp(run["q"][run.t >= settled]) / 2)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "free":
        damped = oscillator().simulate(5, save_every=0.01, parameters={"c": 1})
        ax = axes(ax, "q [m]")
        ax.plot(run.t, run["q"], label="c = 0")
        ax.plot(damped.t, damped["q"], label="c = 1 N s/m")
        ax.plot(damped.t, np.exp(-damped.t / 2), "k:", linewidth=1, label="exp(-c t/2m)")
        ax.set_ylim(top=1.4)
    else:
        frequencies, some = np.linspace(0.2, 2, 300), np.linspace(0.25, 1.95, 18)
        ax = axes(ax, "amplitude per force [m/N]", "frequency [Hz]")
        ax.plot(frequencies, amplitude(frequencies), label="closed form")
        ax.plot(some, [measured_amplitude(f) for f in some], "o", label="from runs of 20 s")
    ax.legend(loc="upper center" if name == "free" else "best", ncols=3)
    return ax
