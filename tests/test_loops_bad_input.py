"""Mistakes with loops and constraints: each is answered by a sentence that names the loop and says what to do."""

import numpy as np
import pytest
from mechanisms.five_link import five_link  # noqa: F401  in mistakes.txt
from mistakes import explained

from easydyn import (
    Model,
    Rolling,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.run.setup import setup_of
from easydyn.run.simulation import simulate
from easydyn.sim.request import Request


class Bench:
    """A four-bar linkage in good order."""

    def __init__(self, folder):
        self.model = Model("four-bar", gravity=(0, -9.81, 0))
        self.a, self.b, self.c = self.model.coordinates("a b c", initial=(1.2, -0.9, 1.5))
        (self.l3,) = self.model.parameters(l3=0.6)
        body = self.model.body
        self.crank = body("crank", trotz(self.a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
        chain = trotz(self.a) * tdisp(0.3, 0, 0) * trotz(self.b) * tdisp(0.4, 0, 0)
        self.coupler = body("coupler", chain, mass=2, inertia=(0, 0, 0.1))
        self.rocker = body("rocker", tdisp(0.9, 0, 0) * trotz(self.c) * tdisp(0.3, 0, 0), mass=1, inertia=(0, 0, 0.05))
        self.pin = self.model.close((self.coupler, (0.4, 0, 0)), (self.rocker, (self.l3 / 2, 0, 0)), joint="revolute",
                                    name="pin")  # fmt: skip
        self.other = Model("other")
        (self.x,) = self.other.coordinates("x")
        self.stranger = self.other.body("stranger", tdisp(self.x, 0, 0), mass=1, inertia=(0, 0, 0))
        self.theirs = self.other.constraint(self.x - 1, name="theirs")

    def close(self, one=None, other=None, joint="revolute", **more):
        return self.model.close(one or self.crank, other or ground, joint=joint, **more)

    def rod(self, length):
        model = Model("bead")
        x, y = model.coordinates("x y", initial=(0.6, 0.8))
        model.close(model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0)), ground, joint="distance",
                    length=length, name="rod")  # fmt: skip
        return model

    def roll(self, kind=Rolling, *more, **options):
        """An element on a body of the model is given to it."""
        self.model.add(kind(*(more or (self.crank, ground)), **{"radius": 0.2} | options))

    def needed(self, motion=None, times=(0.0, 0.1), **options):
        return self.model.inverse_dynamics(times, motion or {"a": 1.2 + t}, **options)

    def straight(self):
        """Crank and coupler in line: the rocker does not move them."""
        there = float(np.arccos((0.9**2 + 1.1**2 - 0.6**2) / (2 * 0.9 * 1.1)))
        return self.needed({"a": there + 0 * t}, times=[0.0], drives="c")

    def with_a_state(self):
        other = Bench(None)
        (s,) = other.model.states("s", initial=0)
        other.model.equation(s.dot)
        return other.needed()

    def open_tree(self):
        tree = Model("slide")
        (x,) = tree.coordinates("x")
        tree.body("slide", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        return tree

    def twice(self, other=None):
        found = Rolling(self.crank, ground, radius=1)
        self.model.add(found, other or found)

    def coin(self, lean):
        model = Model("coin", gravity=(0, 0, -9.81))
        a, b, c = model.coordinates("a b c", initial=(0, lean, 0))
        x, y, z = model.coordinates("x y z")
        frame = tdisp(x, y, z) * trotz(a) * trotx(b) * troty(c)
        model.add(Rolling(model.body("coin", frame, mass=2, inertia=(1, 2, 1)), ground, radius=1, name="rim"))
        return model.simulate(3, target="python")

    def of_two_things(self):
        model = Model("gears")
        u, v = model.coordinates("u v")
        model.dependent(v, u)
        model.dependent(v, 2 * u)

    def in_a_circle(self):
        model = Model("gears")
        u, v, w = model.coordinates("u v w")
        model.dependent(v, u)
        model.dependent(w, 2 * v)
        model.dependent(u, w / 2)

    def contradicted(self):
        model = Model("gears")
        (a,) = model.coordinates("a")
        model.body("wheel", trotz(a), mass=1, inertia=(0, 0, 1))
        model.constraint(a.dot - 1, name="one")
        model.constraint(a.dot - 2, name="two")
        return model.simulate(1)

    def out_of_plane(self):
        model = Model("beside")
        (a,) = model.coordinates("a")
        arm = model.body("arm", trotz(a) * tdisp(1, 0, 0.1), mass=1, inertia=(0, 0, 1))
        model.close(arm, (ground, (1, 0, 0)), joint="revolute", name="hinge")
        return model.simulate(1)

    def shrinking(self):
        model = Model("shrinking")
        x, y = model.coordinates("x y", initial=(1, 0))
        bead = model.body("bead", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.body("other", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
        model.constraint(x**2 + y**2 - 1 + t, name="rod")
        assert bead
        return model.simulate(2, method="dop853")

    def rocker_at_its_end(self):
        model = Model("crank and rocker")
        a, b, c = model.coordinates("a b c", initial=(0.6, 0, 1.5))
        model.body("crank", trotz(a), mass=1, inertia=(0, 0, 1))
        coupler = model.body("coupler", trotz(a) * tdisp(3, 0, 0) * trotz(b), mass=1, inertia=(0, 0, 1))
        rocker = model.body("rocker", tdisp(9, 0, 0) * trotz(c), mass=1, inertia=(0, 0, 1))
        model.close((coupler, (8, 0, 0)), (rocker, (6, 0, 0)), joint="revolute")
        end = np.pi - np.arccos((81 + 36 - 121) / 108)  # crank and coupler in line
        return model.simulate(0.1, initial={"c": end, "c.dot": 1})

    def dead_point(self):
        model = Model("rocking", gravity=(0, -9.81, 0))
        a, c = model.coordinates("a c", initial=(0.5, 2.0), rates=(5, 0))
        one = model.body("one", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
        other = model.body("other", tdisp(1, 0, 0) * trotz(c) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
        model.close((one, (0.5, 0, 0)), (other, (0.5, 0, 0)), joint="distance", length=0.6)
        return simulate(setup_of(model, 0.0, constraints="reduced"), Request(20, method="dop853"))

    def parallelogram(self, rates):
        """Flat at the start."""
        model = Model("flat", gravity=(0, -9.81, 0))
        a, b, c = model.coordinates("a b c", rates=rates)
        rod = {"mass": 1, "inertia": (0, 0, 0.1)}
        model.body("crank", trotz(a), **rod)
        coupler = model.body("coupler", trotz(a) * tdisp(1, 0, 0) * trotz(b), **rod)
        rocker = model.body("rocker", tdisp(2, 0, 0) * trotz(c), **rod)
        model.close((coupler, (2, 0, 0)), (rocker, (1, 0, 0)), joint="revolute", name="pin")
        return model.simulate(0.5, method="dop853")

    def kite(self):
        model = Model("kite", gravity=(0, -9.81, 0))
        a, b, c = model.coordinates("a b c", initial=(1.0, -0.9, 1.5), rates=(6, 0, 0))
        rod = {"mass": 1, "inertia": (0, 0, 0.1)}
        model.body("crank", trotz(a) * tdisp(0.25, 0, 0), **rod)
        coupler = model.body("coupler", trotz(a) * tdisp(0.5, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), **rod)
        rocker = model.body("rocker", tdisp(0.5, 0, 0) * trotz(c) * tdisp(0.5, 0, 0), **rod)
        model.close((coupler, (0.5, 0, 0)), (rocker, (0.5, 0, 0)), joint="revolute", name="pin")
        return model.simulate(1, method="dop853")


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("loops")).model.simulate(0.01, step=0.005).q


test_mistake_is_explained = explained(__file__)


def test_a_dead_point_is_passed():
    """Where a closed form ends, multipliers go on: the run comes to its end, and keeps its energy."""
    model = Model("rocking", gravity=(0, -9.81, 0))
    a, c = model.coordinates("a c", initial=(0.5, 2.0), rates=(5, 0))
    one = model.body("one", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    other = model.body("other", tdisp(1, 0, 0) * trotz(c) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
    model.close((one, (0.5, 0, 0)), (other, (0.5, 0, 0)), joint="distance", length=0.6)
    run = model.simulate(5, method="dop853", tolerance=1e-9, save_every="step")
    assert run.status == "finished"
    assert np.ptp(run.energy.balance) < 1e-6 * np.ptp(run.energy.kinetic)
    assert run.events and {e.name for e in run.events} == {"dead point of the loop over 'one-other': c"}
    i = np.searchsorted(run.t, [e.t for e in run.events])
    ends = [np.column_stack([x0 + np.cos(run[q][i]), np.sin(run[q][i])]) for x0, q in ((0, "a"), (1, "c"))]
    rod, link = ends[1] - ends[0], ends[1] - [1, 0]
    assert abs(rod[:, 0] * link[:, 1] - rod[:, 1] * link[:, 0]).max() < 1e-6  # they are in line there
    assert len(run.events) == (np.diff(np.sign(run["a.dot"])) != 0).sum()  # where the first one turns back
