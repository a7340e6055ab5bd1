"""Mistakes with loops and constraints: each is answered by a sentence that names the loop and says what to do."""

import numpy as np
import pytest
from mechanisms.five_link import five_link
from mistakes import Mistake, explained

from easydyn import (
    KnifeEdge,
    Model,
    Rolling,
    RollingWheel,
    RollingWheelSet,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)
from easydyn.errors import (
    AssemblyError,
    ChangePointError,
    DeadPointError,
    DomainError,
    InputError,
    ModelError,
    UnknownNameError,
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


MISTAKES = [
    Mistake("joint", InputError, lambda b: b.close(joint="hinge"), "the joint of the loop over", "'revolute', 'pris"),
    Mistake("itself", ModelError, lambda b: b.close(b.crank, (b.crank, (1, 0, 0))), "with itself", "'crank' with its"),
    Mistake("no length", InputError, lambda b: b.close(joint="distance"), 'joint="distance" needs length=', "crank-gr"),
    Mistake("a length", InputError, lambda b: b.close(length=1), 'length= goes with joint="distance"', "'revolute'"),
    Mistake("two locks for one freedom", ModelError, lambda b: b.model.simulate(0.1, locked=["a", "c"]),
            "nothing tells which of them carries the load", r"locks hold a and c .*already with a.*Lock a alone"),
    Mistake("no rod", InputError, lambda b: b.close(joint="distance", length=0), "expected one above zero",
            "spherical"),
    Mistake("no name", InputError, lambda b: b.close(name=3), "the name of a constraint is", 'name="pin"'),
    Mistake("a name twice", ModelError, lambda b: b.close(name="pin"), "already: every one has a name of its own",
            "pin"),
    Mistake("no frame", InputError, lambda b: b.close("crank"), "expected a body, ground, (body, (x, y, z)) with",
            "the first frame of close"),
    Mistake("a stranger", UnknownNameError, lambda b: b.close(b.stranger),
            "is not a body of model",
            "four-bar"),
    Mistake("an axis of symbols", InputError, lambda b: b.close(axis=(b.l3, 0, 1)), "expected numbers", "frames"),
    Mistake("no axis", InputError, lambda b: b.close(axis=(0, 0, 0)), "expected a vector that is not zero", "axis of"),
    Mistake("equals", InputError, lambda b: b.model.constraint(b.a == b.b),
            "expected one SymPy expression that is zero",
            "compares at once"),
    Mistake("no integral", InputError, lambda b: b.model.constraint(b.a - b.b, holonomic=b.a),
            "holonomic= goes with a constraint of rates", "has none"),
    Mistake("another integral", ModelError, lambda b: b.model.constraint(b.a.dot - b.b.dot, holonomic=b.a + b.b),
            "the rate of holonomic=", "a multiple of it"),
    Mistake("accelerations", ModelError, lambda b: b.model.constraint(b.a.ddot - 1),
            "a constraint is of coordinates, or of their rates", "model.equation"),
    Mistake("speed", ModelError, lambda b: b.model.constraint(b.a.dot**2 + b.b.dot**2 - 1),
            "it is not linear in the rates", "a factor of its own"),
    Mistake("nothing", ModelError, lambda b: b.model.constraint(b.l3 - 1), "it has no coordinate, and", "slip"),
    Mistake("dependent", InputError, lambda b: b.model.dependent("a", b.b), "model.dependent got",
            "a coordinate of"),
    Mistake("of itself", ModelError, lambda b: b.model.dependent(b.a, b.a + 1), "itself: expected others",
            "model.constraint"),
    Mistake("of two things", ModelError, lambda b: b.of_two_things(), "is dependent already",
            "^v is dependent already, v = u: .*model.constraint"),
    Mistake("in a circle", ModelError, lambda b: b.in_a_circle(), "in its turn: expected a coordinate that does not",
            "^u would follow from w, which follows from v and u in its turn: .*model.constraint"),
    Mistake("hold", UnknownNameError, lambda b: b.model.assemble(hold=["d"]),
            ": expected coordinates, of",
            "hold"),
    Mistake("form", InputError, lambda b: b.model.simulate(1, constraints="lagrange"),
            ": expected \"reduced\" or \"multipliers\"",
            "reduced"),
    Mistake("lengths", AssemblyError, lambda b: b.model.simulate(1, parameters={"l3": 6}), "cannot be assembled",
            "the loop over 'pin' stays open"),
    Mistake("a rate at a dead point", AssemblyError, lambda b: b.rocker_at_its_end(),
            "its loops forbid this rate there", r"cannot start with c\.dot = 1 \(.* fits\)"),
    Mistake("no length at all", AssemblyError, lambda b: b.rod(1e-320).simulate(0.1), "has no finite equations at",
            "rod"),
    Mistake("drives", AssemblyError, lambda b: b.contradicted(),
            "fit its constraints at t =", "drive"),
    Mistake("planes", ModelError, lambda b: b.out_of_plane(), "can never close: its equation", "hinge"),
    Mistake("out of reach", AssemblyError, lambda b: b.shrinking(), "the loops cannot be kept closed at t =",
            "lengths"),
    Mistake("another model's", UnknownNameError, lambda b: b.model.simulate(0.1).multipliers(b.theirs),
            "is not a constraint of model", "pin"),
    Mistake("no reaction", InputError, lambda b: b.other.simulate(0.1).reaction(b.theirs),
            "joins no two frames, so that it has no reaction", "multipliers"),
    Mistake("rates", InputError, lambda b: b.model.equilibrium(rates={"a": 2}),
            "an equilibrium of a model with constraints is at rest", "Drive"),
    Mistake("accelerations given", InputError, lambda b: b.model.linearize(at=([1, 0, 0], [0, 0, 0], [0, 0, 0])),
            "arrays: expected (q, qd); accelerations follow", "constraints"),
    Mistake("plane of a body", InputError, lambda b: b.roll(Rolling, b.crank, b.crank),
            "expected different bodies, the last of them", "Rolling 'crank-crank' is of 'crank', 'crank'"),
    Mistake("a wheel with no name", InputError, lambda b: b.roll(name=""),
            'expected a text, such as name="rear"', "Rolling"),
    Mistake("a wheel twice", ModelError, lambda b: b.twice(), "already: once is enough", "'crank-ground'"),
    Mistake("two wheels of one name", ModelError, lambda b: b.twice(KnifeEdge(b.crank, ground)),
            "every one has a name of its own. Give it", "crank-ground"),
    Mistake("no wheel", InputError, lambda b: b.roll(Rolling, "crank", ground),
            "expected a body, ground, (body, (x, y, z)) with", "the body of a Rolling"),
    Mistake("a strange wheel", UnknownNameError, lambda b: b.roll(RollingWheel, b.stranger, ground),
            "is not a body of model", "the body of RollingWheel 'stranger-ground'"),
    Mistake("no axle", InputError, lambda b: b.roll(axis=(0, 0, 0)), "expected a vector that is not zero",
            "the axis of Rolling 'crank-ground'"),
    Mistake("a normal of symbols", InputError, lambda b: b.roll(RollingWheelSet, b.crank, b.coupler, ground,
                                                              normal=(0, b.l3, 1)),
            "expected numbers", "the normal of RollingWheelSet 'crank-coupler-ground'"),
    Mistake("no radius", InputError, lambda b: b.roll(radius=0), "expected a number above zero",
            "the radius of a Rolling"),
    Mistake("lying", AssemblyError, lambda b: b.coin(np.pi / 2), "so that its equations have no value",
            "Rolling 'rim' lies flat at a = 0.*Incline it"),
    Mistake("falling", DomainError, lambda b: b.coin(0.3), "Stop the run before with an event, or let a contact take",
            "Rolling 'rim' lies flat at t = "),
    Mistake("change point", ChangePointError, lambda b: b.kite(), "comes to a change point at t =",
            r"the loop over 'pin' can go on in two ways there, and rigid links do not say in which\. Take"),
    Mistake("start at a change point", ChangePointError, lambda b: b.parallelogram((0, 0, 0)),
            "starts at a change point", r"\(a = 0, b = 0, c = 0\): the loop over 'pin' can go on .* at rest\. Start"),
    Mistake("rates of neither way", ChangePointError, lambda b: b.parallelogram((6, 0, 0)), "starts at a change point",
            r"its rates are those of neither \(a\.dot = 6, c\.dot = 18\)\. Start beside it, .* give all rates"),
    Mistake("rates of the crossed way", ChangePointError, lambda b: b.parallelogram((1, -2, -1)),
            "starts at a change point", r"model 'flat' starts at a change point"),
    Mistake("too many drives", InputError, lambda b: b.needed(drives=["a", "b"]),
            "different coordinates, as many as", "drives has a, b: expected 1 .* has freedoms, such as a"),
    Mistake("no such drive", UnknownNameError, lambda b: b.needed(drives="d"), "which is not one of", "drives has 'd'"),
    Mistake("drives of a tree", InputError, lambda b: b.open_tree().inverse_dynamics([0], {"x": t}, drives="x"),
            "has no closed loops, each coordinate has its force", "leave it out"),
    Mistake("half a motion", InputError, lambda b: b.model.inverse_dynamics([0], [[1, 2, 3]], qd=[[0, 0, 0]]),
            "of closed loops give both, or none", "of qd and qdd one was given"),
    Mistake("an open motion", InputError, lambda b: b.model.inverse_dynamics([0], *np.zeros((3, 1, 3))),
            "the prescribed motion does not keep model", r"the loop over 'pin'.* is open by .*Prescribe a alone"),
    Mistake("a motion too far", ModelError, lambda b: b.needed({"c": 1.9 - t}, times=np.linspace(0, 1, 11)),
            "the prescribed motion goes where", "cannot be closed at t = "),
    Mistake("a drive at its dead point", ModelError, lambda b: b.straight(), "it is at a dead point of theirs",
            "drives on c cannot hold"),
    Mistake("states and loops", ModelError, lambda b: b.with_a_state(), "has first-order states beside closed loops",
            "Leave the states out"),
    Mistake("sliders", ModelError, lambda b: five_link()[0].explore(), "has loops without a closed form",
            "would follow by iteration.*sliders cannot close"),
    Mistake("dead point", DeadPointError, lambda b: b.dead_point(), "a closed form ends at t =", "$"),
]  # fmt: skip


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture(scope="module")
def motion(tmp_path_factory):
    return Bench(tmp_path_factory.mktemp("loops")).model.simulate(0.01, step=0.005).q


test_mistake_is_explained = explained(MISTAKES)


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
