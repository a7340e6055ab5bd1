"""Modes of elements of a user's own: flags, transitions, and forces of locks as symbols. References: closed forms."""

import numpy as np
import pytest
import sympy

from easydyn import Effort, GeneralizedForce, Model, RigidContact, t, tdisp, trotz
from easydyn.errors import InputError, ModelError
from easydyn.forces import Transition
from easydyn.mechanics.symbols import Flag


class Ratchet(Effort):
    """A drive that pulls while a speed is below one level and rests until the speed has fallen below another."""

    def __init__(self, q, force, low, high):
        self.q, self.force, self.low, self.high = q, force, low, high
        self.on = Flag("drive.on")

    @property
    def coordinates(self):
        return (self.q,)

    @property
    def flags(self):
        return (self.on,)

    def expressions(self):
        return iter((self.force, self.low, self.high))

    def start(self, assembly):
        return {self.on: 1}

    def apply(self, assembly):
        assembly.add_generalized(self.q, assembly.value(self.on * self.force))

    def transitions(self, assembly):
        speed = assembly.value(self.q.dot)
        yield Transition("off", speed - assembly.value(self.high), 1, {self.on: 0})
        yield Transition("on", speed - assembly.value(self.low), -1, {self.on: 1})


def cart():
    """A cart of 2 kg against a constant resistance of 3 N, driven by 9 N between 1 and 2 m/s."""
    model = Model("cart")
    x, = model.coordinates("x")
    high, = model.parameters(high=2)
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    drive = Ratchet(x, 9, 1, high)
    model.add(GeneralizedForce(x, -3), drive)
    return model, drive


@pytest.mark.parametrize("target", ["auto", "python"])
@pytest.mark.parametrize("method", ["newmark", "dop853", "lobatto"])
def test_instants_of_a_drive_with_two_levels(method, target):
    """3 m/s2 while it pulls, -1.5 m/s2 while it rests: off at 2/3 s, then a period of 2/3 s + 1/3 s."""
    model, drive = cart()
    model.output("pull", drive.on * 9)
    run = model.simulate(3, method=method, target=target, tolerance=1e-8)
    expected = [("off", 2 / 3 + k) for k in range(3)] + [("on", 4 / 3 + k) for k in range(2)]
    found = [(e.name, e.t) for e in run.events]
    assert [name for name, _ in found] == [name for name, _ in sorted(expected, key=lambda pair: pair[1])]
    np.testing.assert_allclose([time for _, time in found], sorted(time for _, time in expected), atol=1e-12,
                               rtol=1e-12)  # fmt: skip
    assert set(run["drive.on"]) == {0.0, 1.0} and set(run["pull"]) == {0.0, 9.0}
    np.testing.assert_array_equal(run.of(drive.on), run["drive.on"])
    assert np.ptp(run.energy.balance) < 1e-6


def test_a_parameter_moves_the_level_and_nothing_is_derived_again():
    model, _ = cart()
    run = model.simulate(1, parameters={"high": 1.5}, method="dop853")
    assert run.events[0].t == pytest.approx(0.5, abs=1e-12)


def test_flags_stand_in_events_and_in_other_elements():
    """A brake that acts while the drive rests; an event where that begins."""
    model, drive = cart()
    x, = model.mechanism.coordinates
    model.add(GeneralizedForce(x, -1 * (1 - drive.on)))
    model.event(drive.on - 0.5, direction=-1, name="rests")
    run = model.simulate(1.2, method="dop853")
    assert [e.name for e in run.events] == ["off", "rests", "on"]
    assert run.events[2].t - run.events[0].t == pytest.approx(1 / 2, abs=1e-12)  # -2 m/s2


@pytest.mark.parametrize("target", ["auto", "python"])
def test_actions_set_flags(target):
    """An operator switches the drive off at 1.1 s, while it pulls; at 1 m/s it goes on by itself."""
    for action in ({}, lambda instant: instant.update({"drive.on": 0})):
        model, drive = cart()
        model.event(t - 1.5, name="switch", action=action or {drive.on: 0})
        run = model.simulate(2.5, method="dop853", target=target, tolerance=1e-9)
        # off at 2/3 s (2 m/s), on at 4/3 s (1 m/s), by hand off at 1.5 s (1.5 m/s), on 1/3 s later
        found = [(e.name, round(e.t, 6)) for e in run.events]
        assert found == [("off", 0.666667), ("on", 1.333333), ("switch", 1.5), ("on", 1.833333), ("off", 2.166667)]
        assert np.ptp(run.energy.balance) < 1e-8


def test_flags_of_contacts_are_not_set_by_actions():
    model = Model("ball", gravity=(0, -9.81, 0))
    y, = model.coordinates("y", initial=0.1)
    model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    contact = RigidContact(y, restitution=0, name="floor")
    model.add(contact)
    model.event(t - 0.05, name="switch", action={contact.closed: 1})
    with pytest.raises(InputError, match=r"floor\.closed was to be set: .*contacts close and open by themselves"):
        model.simulate(1)


def test_flags_of_contacts_are_seen_from_outside():
    model = Model("ball", gravity=(0, -9.81, 0))
    y, = model.coordinates("y", initial=0.1)
    model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    contact = RigidContact(y, restitution=0, name="floor")
    model.add(contact)
    model.output("rests", sympy.Piecewise((1, contact.closed > 0), (0, True)))
    run = model.simulate(1)
    assert run["rests"][0] == 0 and run["rests"][-1] == 1


@pytest.mark.parametrize("target", ["auto", "python"])
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_a_lock_that_breaks(method, target):
    """A carriage under a growing force carries an arm; the lock of the arm holds m r a, and breaks at 0.5 N m."""
    model = Model("arm")
    x, a = model.coordinates("x a")
    ramp, = model.parameters(ramp=2.0)
    model.body("carriage", tdisp(x, 0, 0), mass=3, inertia=(0, 0, 0))
    model.body("arm", tdisp(x, 0, 0) * trotz(a) * tdisp(0, 0.5, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, ramp * t))
    model.lock(a)
    force = model.locking_force(a)
    model.output("hold", force)
    model.event(abs(force) - 0.5, direction=1, name="breaks", action=lambda instant: instant.unlock("a"))
    run = model.simulate(3, method=method, target=target, tolerance=1e-8)
    # of the acceleration s = 2 t/4 the arm of 0.5 m needs the moment 1 kg 0.5 m s = 0.25 t
    (broken,) = (e for e in run.events if e.name == "breaks")
    assert broken.t == pytest.approx(2, abs=1e-12)
    before = run.t < 1.999
    np.testing.assert_allclose(np.abs(run["hold"][before]), 0.25 * run.t[before], atol=1e-12, rtol=1e-12)
    np.testing.assert_allclose(run.of(force), run.locking_force("a"), atol=1e-12, rtol=1e-12)
    assert abs(run["a"][-1]) > 0.05


def test_the_force_of_a_lock_is_no_force_of_the_model():
    model = Model("slide")
    x, y = model.coordinates("x y")
    model.body("slide", tdisp(x, y, 0), mass=3, inertia=(0, 0, 0))
    force = model.locking_force(x)
    with pytest.raises(ModelError, match=r"depends on x\.locking_force \(force of a lock\)"):
        model.add(GeneralizedForce(y, force))
    run = model.simulate(0.1)  # x is not locked in this run
    assert not np.any(run.of(force))
