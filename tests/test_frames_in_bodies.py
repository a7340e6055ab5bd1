"""A frame that moves in its body with time is the same as that of a massless body which moves so."""

import numpy as np
import pytest
import sympy
from test_sense_bad_input import TYRE

from easydyn import (
    Contact,
    Model,
    PlanePoint,
    PlaneSphere,
    Rolling,
    RollingOn,
    Sliding,
    Tyre,
    constraints,
    ground,
    shapes,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)

U = sympy.Symbol("u")
CARRIED = tdisp(t**2 / 2, 0, 0)
SHAKEN = tdisp(0.1 * sympy.sin(3 * t), 0.05 * sympy.sin(3 * t), 0) * trotz(0.3 * t)
RAISED = tdisp(0.1 * sympy.sin(3 * t), 0.2 * t**2, 0.1 * sympy.sin(t)) * trotz(0.3 * t)
PLANE, HOLE, CURVE = shapes.HalfPlane("y"), shapes.Hole(1), shapes.Curve(U, U**2 / 4, (U, -2, 2))
HARD = {"restitution": 0, "friction": 0.5}
SOFT = {"stiffness": 9810, "damping": 10, "friction": 0.5, "slip_speed": 0.01}
PRESSED = {"normal": (0, 1, 0), "stiffness": 9810}


def disc(y=0.1):
    model = Model("disc", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=(0, y, 0))
    return model, model.body("disc", tdisp(x, y, 0) * trotz(a), mass=1, inertia=(0, 0, 0.005))


def on(kind, shape, T, y=0.1, **options):
    """A disc on a shape of the ground that moves by T."""
    def made(frame):
        model, body = disc(y)
        model.add(kind((body, shapes.Disc(0.1)), (frame(model, ground, T), shape), **options))
        return model
    return made  # fmt: skip


def of(kind, *at, y=0.1, **options):
    """A point of a disc, which moves in it, on the ground."""
    def made(frame):
        model, body = disc(y)
        model.add(kind(frame(model, body, tdisp(*at)), ground, **options))
        return model
    return made  # fmt: skip


def rolling(frame):
    model = Model("wheel", gravity=(0, 0, -9.81))
    x, y, z, a = model.coordinates("x y z a", initial=(0, 0, 0.1, 0))
    wheel = model.body("wheel", tdisp(x, y, z) * trotx(0.1) * troty(a), mass=1, inertia=(0.005, 0.01, 0.005))
    model.add(Rolling(wheel, frame(model, ground, RAISED), radius=0.1))
    return model


def blade(frame):
    model = Model("sleigh")
    x, h, y = model.coordinates("x h y", rates=(1, 2, 0))
    sleigh = model.body("sleigh", tdisp(x, y, 0) * trotz(h), mass=2, inertia=(0, 0, 0.5))
    ice = frame(model, ground, tdisp(0.1 * t**2, 0.2 * t**2, 0) * trotz(0.4 * t**2))
    model.add(constraints.KnifeEdge((sleigh, (-0.3, 0, 0)), ice))
    return model


def ball(frame):
    model = Model("ball", gravity=(0, 0, -9.81))
    x, y, z, a = model.coordinates("x y z a", initial=(0, 0, 0.1, 0))
    body = model.body("ball", tdisp(x, y, z) * troty(a), mass=1, inertia=(0.004, 0.004, 0.004))
    belt = frame(model, ground, tdisp(t**2 / 2, t**2 / 3, 0) * trotz(t))
    model.add(Contact((body, shapes.Sphere(0.1)), (belt, shapes.Plane("z")), **HARD))
    return model


def tyre(frame):
    model = Model("car", gravity=(0, 0, -9.81))
    x, y, z, a = model.coordinates("x y z a", initial=(0, 0, 0.295, 0), rates=(9, 0, 0, 30))
    wheel = model.body("wheel", tdisp(x, y, z) * troty(a), mass=100, inertia=(0, 2, 0))
    model.add(Tyre(frame(model, wheel, tdisp(0, 0.1 * sympy.sin(6 * t), 0)), ground, **TYRE))
    return model


CASES = {
    "a rolling disc": on(RollingOn, PLANE, SHAKEN),
    "a disc that rolls in a hole": on(RollingOn, HOLE, SHAKEN, y=-0.9),
    "a disc that rolls on a curve": on(RollingOn, CURVE, SHAKEN),
    "a disc that slides on a curve": on(Sliding, CURVE, SHAKEN),
    "a disc in a hole": on(Contact, HOLE, SHAKEN, y=-0.9, **HARD),
    "a disc that rubs": on(Contact, PLANE, CARRIED, **HARD),
    "a soft disc that rubs": on(Contact, PLANE, SHAKEN, y=0.099, **SOFT),
    "a soft disc": on(Contact, PLANE, SHAKEN, y=0.099, stiffness=9810),
    "a disc that sticks": on(Contact, PLANE, CARRIED, y=0.099, sticking=1e-4, name="belt", **SOFT),
    "a ball on a plane": ball, "a wheel": rolling, "a blade": blade, "a tyre": tyre,
    "a point": of(PlanePoint, 0.1 * sympy.sin(3 * t), -0.1, 0, **PRESSED),
    "a sphere": of(PlaneSphere, 0.1 * sympy.sin(3 * t), 0.01 * sympy.sin(5 * t), 0, radius=0.1, y=0.099, damping=50,
                   friction=0.5, slip_speed=0.01, **PRESSED),
}  # fmt: skip


def in_body(model, body, T):
    return (body, (*T.e,)) if len(T.factors) == 1 else (body, T)


def of_its_own(model, body, T):
    return model.body("driven", body.T * T, mass=0, inertia=(0, 0, 0))


@pytest.mark.parametrize("case", CASES)
def test_a_frame_that_moves_with_time_is_that_of_a_driven_body(case):
    one, other = (CASES[case](frame).simulate(0.5, method="dop853", tolerance=1e-10) for frame in (in_body, of_its_own))
    names = ["x", "y"] + ["a"] * (case != "a blade")
    for name in names:
        assert one[name][-1] == pytest.approx(other[name][-1], abs=1e-7), name
    assert np.ptp(one.energy.balance) < 1e-8


def test_a_belt_takes_a_disc_along_by_a_third_of_its_way():
    """A force F at the rim: m x.ddot = F, I a.ddot = r F, and x.ddot + r a.ddot = 1 m/s2 where I = m r2/2."""
    for model in (CASES["a disc that rubs"](in_body), on(RollingOn, PLANE, CARRIED)(in_body)):
        run = model.simulate(1, method="dop853", tolerance=1e-10)
        assert run["x"][-1] == pytest.approx(1 / 6, abs=1e-7)
        assert run["a"][-1] == pytest.approx(10 / 3, abs=1e-6)


def test_a_disc_that_grows_lifts_itself_with_the_energy_of_its_drive():
    model, body = disc()
    size = 0.1 + 0.02 * sympy.sin(5 * t)
    model.add(Sliding((body, shapes.Disc(size)), (ground, PLANE)))
    run = model.simulate(0.2, method="dop853", tolerance=1e-10)
    assert run["y"] == pytest.approx(0.1 + 0.02 * np.sin(5 * run.t), abs=1e-9)
    assert np.ptp(run.energy.balance) < 1e-8


@pytest.mark.parametrize("contact", [
    lambda body, k: Contact((body, shapes.Disc(0.1)), (ground, PLANE), stiffness=k),
    lambda body, k: PlaneSphere(body, ground, radius=0.1, normal=(0, 1, 0), stiffness=k),
])  # fmt: skip
def test_a_soft_contact_counts_the_work_of_what_changes_its_stiffness(contact):
    model, body = disc(0.099)
    model.add(contact(body, 9810 * (1 + sympy.sin(9 * t) / 2)))
    run = model.simulate(0.3, method="dop853", tolerance=1e-10)
    assert np.ptp(run.energy.balance) < 1e-8
