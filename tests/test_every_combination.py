"""Schemes x targets x methods: twenty random mechanisms give the same numbers and the same motions by all of them."""

import numpy as np
import pytest
from sympy import Piecewise, sin
from test_articulated import random_mechanism

from easydyn import Damper, Force, GeneralizedForce, Moment, Spring, ground, t
from easydyn.native.machine import available

SCHEMES = ("recursive", "explicit")
TARGETS = ("python", "numpy", "native") if available() else ("python", "numpy")
METHODS = ("newmark", "hht", "generalized_alpha", "dop853", "newmark_extrapolated", "RK45", "Radau")


def mechanism(seed):
    """A random tree of test_articulated with forces in body axes, springs, dampers and a force that switches."""
    model = random_mechanism(seed)
    q, rng = model.mechanism.coordinates, np.random.default_rng(1000 + seed)
    first, last = model.bodies[0], model.bodies[-1]
    model.add(
        Force(last, tuple(rng.normal(size=3)), frame=last, at=tuple(rng.normal(size=3) * 0.1)),
        Moment(first, (0.3 * sin(t), 0, 0.2)),
        Spring((last, (0.1, 0, 0)), (ground, (1, 2, 3)), stiffness=3, free_length=0.4),
        Damper((last, (0, 0.1, 0)), (ground, (3, -2, 4)), damping=0.2),
    )
    model.add(*(GeneralizedForce(x, -0.5 * x.dot - 2 * x) for x in q))
    model.add(GeneralizedForce(q[-1], Piecewise((0.4, q[-1] > 0), (0.1, True))))
    return model


def close(a, b, tolerance):
    return np.abs(a - b).max() <= tolerance * max(np.abs(b).max(), 1e-3)


@pytest.mark.parametrize("seed", range(20))
def test_numbers(seed, rng):
    model = mechanism(seed)
    n, states = len(model.names), 8
    q, qd, qdd = rng.normal(size=(3, states, n))
    time = rng.uniform(0, 3, size=states)
    first = model.compile(target="python", scheme="explicit")
    right = {
        "residual": first.residual(time, q, qd, qdd), "mass_matrix": first.mass_matrix(time, q),
        "frames": first.frames(time, q), "energies": first.energies(time, q, qd, qdd),
    }  # fmt: skip
    accelerations = first.accelerations(time, q, qd)
    condition = np.linalg.cond(right["mass_matrix"]).max()
    for scheme in SCHEMES:
        for target in TARGETS:
            system = model.compile(target=target, scheme=scheme)
            many = {
                "residual": system.residual(time, q, qd, qdd), "mass_matrix": system.mass_matrix(time, q),
                "frames": system.frames(time, q), "energies": system.energies(time, q, qd, qdd),
            }  # fmt: skip
            for name, values in many.items():
                assert close(values, right[name], 1e-12), (scheme, target, name)
            one = system.residual(float(time[2]), q[2], qd[2], qdd[2])
            assert close(one, right["residual"][2], 1e-12), (scheme, target)
            assert close(system.accelerations(time, q, qd), accelerations, 1e-14 * condition + 1e-12), (scheme, target)


@pytest.mark.parametrize("seed", range(0, 20, 4))
def test_motions(seed):
    """Half a second by all methods, on all targets and schemes, beside DOP853 in plain Python at a fine tolerance."""
    model = mechanism(seed)
    initial = dict(zip(model.names, 0.1 + 0.05 * np.arange(len(model.names)), strict=True))  # off the switch at zero
    right = model.simulate(
        0.5, initial=initial, method="dop853", tolerance=1e-12, save_every=0.125, target="python", scheme="explicit"
    )
    size = np.abs(right.q).max()
    for method in METHODS:
        first = None
        for scheme, target in (("recursive", TARGETS[-1]), ("recursive", "python"), ("explicit", TARGETS[-1])):
            run = model.simulate(
                0.5, initial=initial, method=method, tolerance=1e-6, save_every=0.125, target=target, scheme=scheme
            )
            where = f"{method}, {scheme}, {target}"
            assert np.abs(run.q - right.q).max() < 3e-5 * max(size, 1), where
            first = first or run
            assert np.abs(run.q - first.q).max() < 1e-6 * max(size, 1), where
