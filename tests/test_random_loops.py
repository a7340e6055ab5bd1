"""Loops by chance, in the plane and in space, beside maximal coordinates (maximal.py).

Four-, five- and six-bars, sliders, rods with balls, Bricard's chains of six rods, in any plane; with branches, gears
and ropes of any ratio on what follows, drives in time, springs, torsion and damping; from all zeros, from dead points,
with a joint that is driven beside one that is free.
"""

import numpy as np
import pytest
import sympy
from chance import seeds
from maximal import Joint, Mechanism, turned
from scipy.optimize import minimize_scalar

from easydyn import GeneralizedForce, Model, Spring, TorsionSpring, ground, t, tdisp, trotx, troty, trotz
from easydyn.constraints import Gear
from easydyn.constraints.search import Search
from easydyn.errors import AssemblyError, ChangePointError, IntegrationError

TURNS = {"x": trotx, "y": troty, "z": trotz}
AXES = dict(zip("xyz", np.eye(3), strict=True))
NEAR = 1e-8


class Both:
    """One mechanism, told to easydyn and to maximal.py."""

    def __init__(self, rng, plane=()):
        self.rng, gravity = rng, rng.uniform(-10, 10, 3)
        self.model, self.maximal = Model("by chance", gravity=tuple(gravity)), Mechanism(gravity)
        self.plane, self.names, self.frames, self.guessed = plane, [], [], False
        self.reference = self.rough = None

    def _const(self, way):
        T, R = tdisp(0, 0, 0), np.eye(3)
        for axis, angle in way:
            T, R = T * TURNS[axis](float(angle)), R @ turned(AXES[axis], angle)
        return T, R

    def joint(self, parent, at=(0, 0, 0), kind="R", axis="z", start=0.0, rate=0.0, way=(), size=0.3, ratio=None):
        """A body on a parent (-1: the ground); with a `ratio` (n, q) its coordinate is n q, and easydyn has none."""
        rng, k = self.rng, len(self.frames)
        way = (*self.plane, *way) if parent < 0 else way
        at = np.array(at, dtype=float)
        if parent < 0:
            at = self._const(self.plane)[1] @ at
        T, R = self._const(way)
        name = f"q{k}"
        if ratio is None:
            (q,) = self.model.coordinates(name, initial=float(start), rates=float(rate))
        else:
            q = ratio[0] * self.model.symbols[f"q{ratio[1]}"]
            self.maximal.gears.append((k, ratio[1], ratio[0]))
        moved = TURNS[axis](q) if kind == "R" else tdisp(*(q if x == axis else 0 for x in "xyz"))
        before = tdisp(0, 0, 0) if parent < 0 else self.frames[parent].T
        mass, com = float(rng.uniform(0.3, 2)), size * rng.uniform(-0.5, 0.5, 3)
        inertia = np.array([1, 1.2, 1.5]) * float(rng.uniform(0.02, 0.1))
        frame = before * tdisp(*map(float, at)) * T * moved
        self.frames.append(
            self.model.body(f"b{k}", frame, mass=mass, inertia=tuple(map(float, inertia)), com=tuple(map(float, com)))
        )
        self.maximal.body(mass, inertia, com)
        self.maximal.joints.append(Joint(parent, k, kind, at, R, AXES[axis], start=start))
        self.names.append(None if ratio else name)
        return k

    def start(self, k):
        return self.maximal.joints[k].start

    def places(self):
        """Origins (N, 3) and rotations of all bodies as started."""
        q = [j.start for j in self.maximal.joints]
        centres, R, *_ = self.maximal.placed(q, 0 * np.array(q))
        return centres - np.einsum("nij,nj->ni", R, np.array(self.maximal.com)), R

    def at(self, run, k):
        """All coordinates of the joints and their rates at an instant of a run."""
        q, qd = np.zeros((2, len(self.names)))
        for j, name in enumerate(self.names):
            if name:
                q[j], qd[j] = run[name][k], run[f"{name}.dot"][k]
        for j, other, n in self.maximal.gears:
            if self.names[j] is None:
                q[j], qd[j] = n * q[other], n * qd[other]
        return q, qd

    def close(self, a, at, b, kind="R", to=None, axis="z"):
        """Close a loop between points of two bodies; of b the point that is there, if none is given."""
        o, R = self.places()
        point = o[a] + R[a] @ at
        Rb, ob = (np.eye(3), np.zeros(3)) if b < 0 else (R[b], o[b])
        to = Rb.T @ (point - ob) if to is None else np.array(to, dtype=float)
        one = (self.frames[a], tuple(map(float, at)))
        other = (ground if b < 0 else self.frames[b], tuple(map(float, to)))
        name = {"R": "revolute", "S": "spherical", "D": "distance"}[kind]
        length = float(np.linalg.norm(ob + Rb @ to - point))
        more = {"D": {"length": length}, "R": {"axis": axis}}.get(kind, {})
        loop = self.model.close(one, other, joint=name, **more)
        frame = np.eye(3) if kind != "R" else Rb.T @ R[a]
        self.maximal.loops.append(Joint(
            a, b, kind, np.array(at, dtype=float), np.eye(3), AXES[axis], to, frame, length=length
        ))  # fmt: skip
        return loop

    def gear(self, k, q, ratio):
        """Coordinate k is `ratio` times coordinate q, from where both start."""
        x, y = (self.model.symbols[self.names[i]] for i in (k, q))
        offset = self.start(k) - ratio * self.start(q)
        way = self.rng.integers(3)
        if way == 0:
            self.model.dependent(x, ratio * y + offset)
        elif way == 1:
            self.model.constraint(x - ratio * y - offset, name=f"gear {k}")
        else:
            self.model.add(Gear(x, y, ratio, offset=offset))
        self.maximal.gears.append((k, q, ratio))

    def drive(self, k):
        """A coordinate that time prescribes: from where it starts, or from where it can be if it cannot be there."""
        speed, swing, beat = (float(x) for x in self.rng.uniform((-4, -1, 1), (4, 1, 5)))
        begin, guess = self.start(k), np.array([j.start for j in self.maximal.joints])
        free = self.maximal.assembled(guess) if self.guessed else guess
        self.maximal.drives.append((
            k, lambda s: begin + speed * s + swing * np.sin(beat * s),
            lambda s: speed + swing * beat * np.cos(beat * s), lambda s: -swing * beat**2 * np.sin(beat * s),
        ))  # fmt: skip
        if self.guessed and free is not None and self.maximal.assembled(guess) is None:
            begin = float(np.remainder(free[k], 2 * np.pi))  # of a hinge
        law = begin + speed * t + swing * sympy.sin(beat * t)
        self.model.constraint(self.model.symbols[self.names[k]] - law, name="drive")

    def loads(self, coordinates):
        """Springs between points, and of angles; damping."""
        rng, n = self.rng, len(self.frames)
        for _ in range(rng.integers(0, 3)):
            a, b = rng.choice(np.arange(-1, n), 2, replace=False).tolist()
            at, to = rng.uniform(-0.3, 0.3, (2, 3)) + np.array([[0, 0, 0.6], [0, 0, -0.6]])
            k, free = float(rng.uniform(5, 60)), float(rng.uniform(0, 0.4))
            ends = [(ground if i < 0 else self.frames[i], tuple(map(float, p))) for i, p in ((a, at), (b, to))]
            self.model.add(Spring(*ends, stiffness=k, free_length=free))
            self.maximal.springs.append((a, at, b, to, k, free))
        for i in coordinates:
            q = self.model.symbols[self.names[i]]
            chance = rng.uniform()
            if chance < 0.15 and self.maximal.joints[i].kind == "R":
                k, free = float(rng.uniform(1, 5)), float(rng.uniform(-1, 1))
                self.model.add(TorsionSpring(q, stiffness=k, free_angle=free))
                self.maximal.torsion.append((i, k, free))
            elif chance < 0.4:
                d = float(rng.uniform(0.05, 0.5))
                self.model.add(GeneralizedForce(q, -d * q.dot))
                self.maximal.damping.append((i, d))

    def driven_wheel(self, q):
        """What turns, or a load that is lifted, by any ratio with a coordinate that may follow from others."""
        rng = self.rng
        ratio = float(rng.choice([-3, 0.37, 1.7, 2, -0.5, 1, 0.1]))
        kind, at = str(rng.choice(["R", "P"])), rng.uniform(-1, 1, 3)
        if rng.uniform() < 0.35:
            self.joint(-1, at, kind, start=ratio * self.start(q), ratio=(ratio, q))
        else:
            self.gear(self.joint(-1, at, kind, start=float(rng.uniform(-1, 1))), q, ratio)


def planar(both, flat=False):
    """A chain of two or three links, and another from the ground: four-, five- and six-bars, sliders."""
    rng = both.rng
    angle = (lambda: 0.0) if flat else (lambda: float(rng.uniform(-3, 3)))
    first = both.joint(-1, start=angle(), rate=float(rng.uniform(-8, 8)))
    links = [first]
    for _ in range(rng.integers(1, 3)):
        links.append(both.joint(links[-1], (float(rng.uniform(0.2, 0.8)), 0, 0), start=angle()))
    tip = (float(rng.uniform(0.3, 1.2)), 0 if flat else float(rng.uniform(-0.3, 0.3)), 0)
    slider = rng.uniform() < 0.3
    at = (float(rng.uniform(0.4, 1.2)), float(rng.uniform(0.1, 0.4)) if flat else float(rng.uniform(-0.3, 0.3)), 0)
    other = both.joint(-1, at, "P" if slider else "R", axis="x" if slider else "z", start=0.0 if slider else angle())
    both.close(links[-1], tip, other)
    ends = [*links, other]
    if rng.uniform() < 0.3:  # a second loop, from a link of the first
        fifth = both.joint(links[-1], (0.3, 0.2, 0), start=angle())
        sixth = both.joint(-1, (float(rng.uniform(-1, 1)), 0.7, 0), start=angle())
        both.close(fifth, (float(rng.uniform(0.4, 0.9)), 0, 0), sixth)
        ends += [fifth, sixth]
    if rng.uniform() < 0.4:
        ends.append(both.joint(links[-1], (0.2, 0.1, 0), start=angle(), rate=float(rng.uniform(-3, 3))))
    return ends


def in_space(both):
    """A crank and a rocker about any axes, with a rod between balls, or one that is as light as none."""
    rng = both.rng
    way = [(str(x), float(rng.uniform(-3, 3))) for x in rng.choice(list("xyz"), 2)]
    crank = both.joint(-1, way=way[:1], start=float(rng.uniform(-3, 3)), rate=float(rng.uniform(-6, 6)))
    rocker = both.joint(-1, rng.uniform(-1, 1, 3), way=way[1:], axis="x", start=float(rng.uniform(-3, 3)))
    if rng.uniform() < 0.3:
        both.close(crank, (0.3, 0.2, 0), rocker, "D", to=(0, 0.7, 0.2))
        return [crank, rocker]
    ends = [crank]
    for axis, at in zip("zyx", ((0.3, 0.1, 0), (0, 0, 0), (0, 0, 0)), strict=True):
        ends.append(both.joint(ends[-1], at, axis=axis, start=float(rng.uniform(-1, 1)), size=0.1))
    both.close(ends[-1], (0.6, 0.1, 0), rocker, "S")
    return [*ends, rocker]


def bricard(both, lengths=None, twists=None, offsets=None, start=None):
    """Six rods and hinges, alike in pairs: they move, though counting says that they cannot."""
    rng = both.rng
    a = np.tile(rng.uniform(0.2, 1.2, 3) if lengths is None else lengths, 2)
    R = np.tile(rng.uniform(-0.5, 0.5, 3) * rng.integers(0, 2) if offsets is None else offsets, 2)
    twist = np.tile(rng.uniform(0.3, 2.6, 3) * rng.choice([-1, 1], 3) if twists is None else twists, 2)
    start = rng.uniform(-2, 2, 5) if start is None else start
    ends, last, way = [], -1, ()
    for k in range(5):
        at = (0, 0, 0) if k == 0 else (a[k - 1], 0, R[k - 1])
        last = both.joint(last, at, start=start[k], rate=float(rng.uniform(-3, 3) * (k == 0)), way=way)
        ends.append(last)
        way = [("x", float(twist[k]))]
    here = tdisp(float(a[4]), 0, float(R[4])) * trotx(float(twist[4]))
    there = both._const(both.plane)[0] * trotx(-float(twist[5])) * tdisp(-float(a[5]), 0, -float(R[5]))
    both.model.close((both.frames[last], here), (ground, there), joint="revolute", name="last hinge")
    P, x = both._const(both.plane)[1], AXES["x"]
    back = P @ turned(x, -twist[5])
    both.maximal.loops.append(Joint(
        last, -1, "R", np.array([a[4], 0, R[4]]), turned(x, twist[4]), AXES["z"],
        back @ np.array([-a[5], 0, -R[5]]), back,
    ))  # fmt: skip
    both.guessed = True
    return ends


def built(seed):
    """The mechanism of a seed."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(["planar", "planar", "flat", "space", "bricard"])
    plane = [(str(x), float(rng.uniform(-3, 3))) for x in rng.choice(list("xyz"), 2)] if rng.uniform() < 0.4 else ()
    both = Both(rng, plane)
    make = {"space": in_space, "bricard": bricard}.get(str(kind), planar)
    ends = make(both, kind == "flat") if make is planar else make(both)
    if rng.uniform() < 0.25:
        both.drive(ends[0])
    for _ in range(rng.integers(0, 3)):
        both.driven_wheel(int(rng.choice(ends)))
    both.loads(ends)
    return both


def beside(both, form, final=0.5):
    """The run, and the largest differences of coordinates and of rates at its end."""
    run = both.model.simulate(final, method="dop853", tolerance=1e-11, constraints=form, save_at=[0, final])
    q, qd = both.at(run, 0)
    assert both.guessed or np.abs(q - [j.start for j in both.maximal.joints]).max() < 1e-9  # it was closed
    if both.reference is None:  # of the first form; the other begins alike
        both.reference = both.maximal.run(q, qd, final)
    assert both.reference[2] < 1e-8
    return run, apart(both, both.at(run, -1), both.reference)


def apart(both, found, reference):
    """The largest differences of coordinates and of rates, of those that easydyn has."""
    there = [k for k, name in enumerate(both.names) if name]
    places, rates = (np.abs(found[k][there] - reference[k][there]).max() for k in (0, 1))
    return float(max(places, rates / max(1.0, np.abs(reference[1][there]).max())))


def blurred(both, run, final=0.5):
    """How far the reference may be off where neighbouring motions part: its error falls as its tolerance.

    With ten times the tolerance it is nine times its error away from itself.
    """
    if both.rough is None:
        both.rough = both.maximal.run(*both.at(run, 0), final, tolerance=1e-12)
    return 2 / 9 * apart(both, both.rough, both.reference)


def refused_rightly(both, error):
    """True if the motion of rigid links ends where a run has ended, and the sentence says how.

    At a change point equations are lost that were independent before; beyond its reach a driven mechanism has no
    configuration.
    """
    run, maximal = error.trajectory, both.maximal
    if run is None:  # all begin where they can be assembled, but those that are guessed
        start = [j.start for j in maximal.joints]
        return both.guessed and isinstance(error, AssemblyError) and maximal.assembled(start, tries=10) is None
    q, qd = both.at(run, -1)
    if isinstance(error, ChangePointError):
        begun, rank = maximal.least(both.at(run, 0)[0])
        way = qd / np.abs(qd).max()
        there = minimize_scalar(lambda s: maximal.least(q + s * way, rank)[0], bounds=(-1e-3, 1e-3), method="bounded",
                                options={"xatol": 1e-12})  # fmt: skip
        return there.fun < 1e-4 * begun
    if not isinstance(error, AssemblyError) or not maximal.drives:
        return False
    return maximal.near(run.t[-1], q) is not None and maximal.near(run.t[-1] + 1e-4, q) is None


@pytest.mark.parametrize("seed", seeds("loops"))
def test_random_loops_move_as_in_maximal_coordinates(seed):
    """Both forms; a run that is refused has no motion to go on with."""
    both = built(seed)
    for form in ("reduced", "multipliers"):
        try:
            run, error = beside(both, form)
        except IntegrationError as refused:
            assert refused_rightly(both, refused), refused
            continue
        assert run.status == "finished" and (error < NEAR or error < blurred(both, run))


SIX_RODS = {
    "lengths": (0.837, 0.47, 0.241), "twists": (0.338, 2.17, 2.4), "offsets": (0.044, 0.435, 0.316),
    "start": (-0.5, 3.0, -0.39, -0.5, -3.28),
}  # fmt: skip


@pytest.mark.made_again
@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("form", "equal"),
    [("reduced", True), pytest.param("reduced", False, marks=pytest.mark.long), ("multipliers", False)]
)
def test_equations_that_become_dependent_on_the_way_let_no_loop_go(form, equal, monkeypatch):
    """Of five equations four are independent, and not the same four everywhere: what opens is seen, and run again.

    Nothing opens where it is known that opposite angles are equal.
    """
    if not equal:
        monkeypatch.setattr(Search, "parallel", lambda self: [])
    both = Both(np.random.default_rng(5))
    bricard(both, **SIX_RODS)
    run, error = beside(both, form, 0.5)
    assert run.status == "finished" and error < NEAR
    closing = run.source.closing
    opened = max(float(np.abs(closing.constraints.values(q)).max()) for q in run.q)
    again = form == "reduced" and not equal
    assert opened < 1e-10 and ("it was made again by multipliers" in run.message) == again
