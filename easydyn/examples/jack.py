"""The hydraulic jack of the paper (figure 3, eqs. 23-29): no body at all, but two stiff pressures.

Lesson: equations need not come from bodies. The oil is stiff: the pressures ring at first, in steps of microseconds,
and the steps grow some hundredfold as they calm down.
"""

from __future__ import annotations

from typing import Any

from sympy import Abs, Piecewise, sign, sqrt

from easydyn import Model, Trajectory, t

PICTURES = {
    "position": "figure 4: mass position",
    "pressures": "figure 5: pressure in the chambers",
    "velocity": "figure 6: mass velocity",
    "steps": "figure 7: evolution of the time step",
}


def hydraulic_jack() -> Model:
    """A jack pushes a mass against a spring; the supply pressure rises from 10 to 100 bar in 0.01 s (table I).

    Coordinate `x` (m), first-order states `p1`, `p2` (Pa). The second V01 of table I is V02 = 3e-4 m3.

    >>> jack = hydraulic_jack()
    >>> float(jack.compile().accelerations(0, [0, 0, 0], [0, 10e5, 10e5])[0].round(9))  # 1000 N - 500 N on 10 kg
    50.0
    """
    model = Model("hydraulic jack")
    (x,) = model.coordinates("x", unit="m")
    p1, p2 = model.states("p1 p2", initial=(10e5, 10e5), unit="Pa")
    m, k, K, rho, pE2, S1, S2, V01, V02, Cd, Se1, Se2 = model.parameters(
        m=10, k=1e5, K=2e8, rho=860, pE2=10e5, S1=1e-3, S2=5e-4, V01=1e-4, V02=3e-4, Cd=0.611, Se1=1e-5, Se2=1e-5
    )
    pE1 = Piecewise((10e5 + 9e8 * t, t < 0.01), (100e5, True))

    def flow(Se: Any, difference: Any) -> Any:  # eq. (23)
        return Cd * Se * sqrt(2 * Abs(difference) / rho) * sign(difference)

    model.equation(m * x.ddot + k * x - p1 * S1 + p2 * S2)  # (25)
    model.equation(S1 * x.dot + (V01 + S1 * x) / K * p1.dot - flow(Se1, pE1 - p1))  # (27)
    model.equation(-S2 * x.dot + (V02 - S2 * x) / K * p2.dot - flow(Se2, pE2 - p2))  # (28)
    return model


def simulate() -> Trajectory:
    """The run of the paper: 1 s, steps of 0.5 ms at most."""
    return hydraulic_jack().simulate(1, save_every=0.001, max_step=0.0005)


def draw(run: Trajectory, name: str, ax: Any = None) -> Any:
    """Draw one of PICTURES; returns the axes."""
    if name == "steps":
        return run.plot_steps(ax=ax)
    if name == "pressures":
        ax = run.plot("p1", "p2", ax=ax)
        for line in ax.lines:
            line.set_ydata(line.get_ydata() / 1e5)
        ax.relim()
        ax.autoscale()
        ax.set_ylabel("pressures [bar]")
        return ax
    return run.plot("x" if name == "position" else "x.dot", ax=ax)


if __name__ == "__main__":
    from easydyn.examples.figures import main

    main("hydraulic_jack")
