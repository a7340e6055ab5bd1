"""Accelerations by articulated bodies: M qdd = -h solved along the tree, in steps whose number grows with n alone.

Seen from a joint, all that lies beyond it is one *articulated body*. When the joint's axes accelerate by a (of their
origin) and alpha, beside what velocities and gravity do, it calls for the force and the moment

    (F, M) = I (a, alpha) + sum_c W_c x_c + p,        W_c . (a, alpha) + sum_d N_cd x_d = g_c .

I is its inertia (6 x 6, symmetric: blocks A, B, B^T, C), p the wrench at qdd = 0 with the efforts taken off (that is
Newton-Euler, recursion.py). The coordinates c are the *open* ones: they move something beyond and something nearer to
the base too, so that their accelerations x_c are not yet to be had. W_c is the wrench that a unit of x_c calls for.

Three operations lead from the tips to the base, columns of six written as one:

- A direction s in which a joint moves, at the rate u, makes a + s u of a. That opens u as one more unknown:
  W_u = I s,  N_uu = s . I s,  N_ud = s . W_d,  g_u = -s . p.  If u = sum_c b_c x_c, the x_c are opened in its place.
- A coordinate on which nothing nearer to the base depends is eliminated (Gauss): with its generalised force in g_c,
  D = N_cc and K = W_c/D,
  I -= K W_c^T,  p += K g_c,  W_d -= K N_cd,  N_de -= N_cd N_ce/D,  g_d -= N_cd g_c/D.
- All is turned and moved into the parent's axes, and added to what else there is.

Then, from the base to the tips, x_c = g_c/D - K . a - sum_d (N_cd/D) x_d, and a grows by s u; the ground has a = 0.

Nothing is left out: this is the elimination in M qdd = -h from the tips to the base, with the same pivots, whatever the
coordinates move. Where each moves one joint none stays open, and the steps grow as the number of bodies; so they do
as long as few are open at a time. Where several coordinates turn one joint (absolute angles), its rate u is eliminated
in place of the one that ends there, if this is not open yet: x_c = (u - sum_d b_d x_d)/b_c is found on the way back.

A coordinate that a lock or sticking friction holds has D infinite meanwhile: K, x_c, and what comes of them, are zero.

D is what the elimination leaves of M_cc = s . I_c s, with I_c the inertia of what lies beyond the joint, held stiff;
where M is nearly singular, some D is small beside it. A bound of M_cc takes no turning of axes: with the mass m beyond,
and J no less than its moment of inertia about any axis through the origin, s = (v, w) makes (|v| sqrt m + |w| sqrt J)^2
at most; seen from a point at the distance d, J is (sqrt J + d sqrt m)^2. Mostly that is work on parameters alone.

Source: R. Featherstone, The calculation of robot dynamics using articulated-body inertias, Int. J. Robotics Research
2 (1983) 13-30. Coordinates left open are those of a Gaussian elimination, and not in that paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from easydyn.engine.elimination import Pivot
from easydyn.engine.graph import Graph, Node
from easydyn.engine.recursion import Direction, Joint, Tree, Wrench, symmetric, tensor, turned
from easydyn.vec import IDENTITY, ZERO, Block, Shift, Tensor, Turn, Vector, cross, dot
from easydyn.vec.scalars import Scalar, sqrt

Motion = tuple[Vector, Vector]  # a, alpha


def product(u: Wrench | Motion, v: Wrench | Motion) -> Scalar:
    """Scalar product of two columns of six."""
    return dot(u[0], v[0]) + dot(u[1], v[1])


def plus(u: Wrench | Motion, v: Wrench | Motion, factor: Scalar = 1) -> tuple[Vector, Vector]:
    """u + v factor, of columns of six."""
    return u[0] + v[0] * factor, u[1] + v[1] * factor


class Eliminated(NamedTuple):
    """x = g/D - K . a - sum_d L_d x_d, the d being those that were open then."""

    coordinate: int
    D: Node
    K: Wrench
    L: Mapping[int, Node]


Eliminations = dict[Joint, list[list[Eliminated]]]
NOTHING: Mapping[int, Node] = MappingProxyType({})


class Step(NamedTuple):
    """A direction of a joint (none: where branches meet), and the coordinates that are eliminated with it.

    `replaced` is the one of them in whose place the rate of the direction is eliminated, if there is one.
    """

    direction: Direction | None
    replaced: int | None
    ending: list[int]


class ArticulatedBody:
    """What lies beyond a joint, in the joint's axes and about its origin: I, and W and N of open coordinates."""

    def __init__(self, graph: Graph, joint: Joint):
        m, (x, y, z) = joint.m, joint.S
        self.graph = graph
        self.A = Tensor(Vector(m, 0, 0), Vector(0, m, 0), Vector(0, 0, m))
        self.B = Tensor(Vector(0, -z, y), Vector(z, 0, -x), Vector(-y, x, 0))
        self.C = joint.J
        self.W: dict[int, Wrench] = {}
        self.N: dict[int, dict[int, Node]] = {}  # symmetric; what is not there is zero

    def add(self, other: ArticulatedBody) -> None:
        """Put a branch on the same body."""
        self.A, self.B, self.C = self.A + other.A, self.B + other.B, self.C + other.C
        for c, W in other.W.items():
            self._open(c, W)
        for c, row in other.N.items():
            for d, entry in row.items():
                if d >= c:
                    self.couple(c, d, entry)

    def _open(self, c: int, W: Wrench) -> None:
        self.W[c] = plus(self.W[c], W) if c in self.W else W
        self.N.setdefault(c, {})

    def couple(self, c: int, d: int, entry: Scalar) -> None:
        """Add to N_cd."""
        if entry is not self.graph.zero and entry != 0:
            self.N[c][d] = self.N[d][c] = self.N[c].get(d, self.graph.zero) + entry

    def move(self, s: Direction, rates: Mapping[int, Node]) -> None:
        """Carry it along a direction, at the rate u = sum_c rates[c] x_c."""
        column, zero = (s.v, s.w), self.graph.zero
        W_u = self.A * s.v + self.B * s.w, self.B.T * s.v + self.C * s.w
        N_u = {d: product(column, W) for d, W in self.W.items()}
        N_uu = product(column, W_u)
        for c, b in rates.items():
            self._open(c, (W_u[0] * b, W_u[1] * b))
        for c, b in rates.items():
            for d in self.W:
                b_d = rates.get(d, zero)
                if d not in rates or d >= c:
                    self.couple(c, d, b * N_u.get(d, zero) + b_d * N_u.get(c, zero) + b * b_d * N_uu)

    def eliminate(self, c: int, locked: Node | None = None) -> Eliminated:
        """Take out a coordinate on which nothing nearer to the base depends, and which moves unless it is `locked`."""
        (F, M), row = self.W.pop(c), self.N.pop(c)
        D, one = row.pop(c, self.graph.zero), self.graph.one
        if locked is not None:
            D = self.graph.select(locked, self.graph.constant(inf), D)
        KF, KM = K = F / D, M / D

        def less(block: Tensor, u: Vector, Ku: Vector, v: Vector, Kv: Vector) -> Tensor:
            """Block - u v^T/D; where a component of K is one, what remains is zero, and comes out so."""
            return tensor(lambda i, j: block[i, j] - (u[i] * Kv[j] if Kv[j] is one else Ku[i] * v[j]))

        self.A, self.C = symmetric(less(self.A, F, KF, F, KF)), symmetric(less(self.C, M, KM, M, KM))
        self.B = less(self.B, F, KF, M, KM)
        L = {d: entry / D for d, entry in row.items()}
        for d, entry in row.items():
            del self.N[d][c]
            self.W[d] = plus(self.W[d], K, -entry)
            for e, other in row.items():
                if e >= d:
                    self.couple(d, e, -(L[d] * other))
        return Eliminated(c, D, K, L)

    def turn(self, f: Turn | Block) -> None:
        """Into the axes before a rotation."""
        R = f.R
        self.A, self.B, self.C = symmetric(turned(self.A, f)), turned(self.B, f), symmetric(turned(self.C, f))
        self.W = {c: (R * F, R * M) for c, (F, M) in self.W.items()}

    def shift(self, e: Vector) -> None:
        """About the origin from which the present one is seen at e: B - A e~, and C + e~ B - (B - A e~) e~."""

        def across(block: Tensor) -> Tensor:
            return Tensor(*(cross(e, column) for column in block))

        B = self.B + across(self.A).T
        old, new, both = across(self.B), across(B), across(self.B + B)
        self.C = symmetric(tensor(lambda i, j: self.C[i, j] + (both[i, i] if i == j else new[i, j] + old[j, i])))
        self.B = B
        self.W = {c: (F, M + cross(e, F)) for c, (F, M) in self.W.items()}


def inertia_of(c: int, s: Direction | None, replaced: int | None, added: Mapping[int, Node]) -> Scalar:
    """What is added to the inertia of a coordinate; of one in whose place u = b x stands, that of u."""
    if c not in added or s is None or c != replaced:
        return added.get(c, 0)
    return added[c] / (s.rates[c] * s.rates[c])


class ArticulatedBodies:
    """The elimination for a tree and its coordinates: planned from what moves what, and carried out.

    Attributes
    ----------
    width : int
        The largest number of other coordinates that are open when one is eliminated, or that stay open on the way from
        a joint to its parent. The number of operations grows with the number of bodies and the square of the width.
    regular : bool
        False when some coordinates can move without moving anything (the sum of two is all that counts): M is singular.
    """

    def __init__(self, tree: Tree, coordinates: Sequence[Node], diff: Callable[[Scalar, Node], Scalar]):
        self.tree, self.n = tree, len(coordinates)
        self.directions = {joint: joint.directions(coordinates, diff) for joint in tree.joints}
        self.width, self.regular = 0, True
        self.steps: dict[Joint, list[Step]] = {}  # of each joint, in the order tips to base
        ends = self._ends()
        still: dict[Joint, set[int]] = {joint: set() for joint in tree.joints}
        branches: list[set[int]] = []  # what is still open where a branch reaches the ground
        for joint in reversed(tree.joints[1:]):
            assert joint.parent is not None
            steps = self.steps[joint] = [Step(None, None, ends.get((joint, -1), []))]
            self._close(steps[0], still[joint])
            for k, s in reversed(list(enumerate(self.directions[joint]))):
                ending = ends.get((joint, k), [])
                replaced = next((c for c in ending if c not in still[joint]), None)
                still[joint] |= s.rates.keys() if replaced is None else {replaced}
                steps.append(Step(s, replaced, ending))
                self._close(steps[-1], still[joint])
            self.width = max(self.width, len(still[joint]))
            if joint.parent is tree.root:
                branches.append(still[joint])
            still[joint.parent] |= still[joint]
        self.steps[tree.root] = [Step(None, None, ends.get((tree.root, -1), []))]
        self._place = {joint: k for k, joint in enumerate(tree.joints)}  # parents first
        self._ends_at = {c: joint for joint, steps in self.steps.items() for *_, ending in steps for c in ending}
        self.regular &= len(self._ends_at) == self.n  # each coordinate moves something
        for c in self.steps[tree.root][0].ending:  # open in some branches: eliminating it joins these
            joined = set().union(*(branch for branch in branches if c in branch))
            self.regular &= c in joined
            branches = [branch for branch in branches if c not in branch] + [joined - {c}]
            self.width = max(self.width, len(joined - {c}))

    def _close(self, step: Step, still: set[int]) -> None:
        self.regular &= still.issuperset(step.ending)
        if step.ending:
            self.width = max(self.width, len(still) - 1)
        still.difference_update(step.ending)

    def _ends(self) -> dict[tuple[Joint, int], list[int]]:
        """The coordinates that end at a direction of a joint, or (-1) where the branches meet that they move."""
        depth = {self.tree.root: 0}
        nearest: dict[int, Joint] = {}  # the joint beyond which, itself included, lies all that a coordinate moves
        for joint in self.tree.joints[1:]:
            assert joint.parent is not None
            depth[joint] = depth[joint.parent] + 1
            for c in sorted({c for s in self.directions[joint] for c in s.rates}):
                one, other = joint, nearest.get(c, joint)
                while one is not other:
                    if depth[one] < depth[other]:
                        one, other = other, one
                    assert one.parent is not None
                    one = one.parent
                nearest[c] = one
        ends: dict[tuple[Joint, int], list[int]] = {}
        for c, joint in sorted(nearest.items()):
            first = next((k for k, s in enumerate(self.directions[joint]) if c in s.rates), -1)
            ends.setdefault((joint, first), []).append(c)
        return ends

    def takes_inertia(self, c: int) -> bool:
        """True when a coordinate can have inertia of its own (a rotor's) or a lock: it is eliminated alone."""
        steps = (step for steps in self.steps.values() for step in steps)
        return all(s is None or replaced != c or len(s.rates) == 1 for s, replaced, _ in steps)

    def inwards(self, added: Mapping[int, Node] = NOTHING, locked: Mapping[int, Node] = NOTHING) -> Eliminations:
        """What is eliminated at each step of each joint, with what is `added` to the inertia of coordinates.

        Coordinates that may be `locked` are those that are not eliminated with others, as for `added`.
        """
        bodies = {joint: ArticulatedBody(self.tree.graph, joint) for joint in self.tree.joints}
        found: Eliminations = {joint: [] for joint in self.tree.joints}
        for joint in reversed(self.tree.joints):
            body, f = bodies[joint], joint.factor
            for s, replaced, ending in self.steps[joint]:
                if s is not None:
                    body.move(s, self._moved(s, replaced))
                for c in ending:
                    body.couple(c, c, inertia_of(c, s, replaced, added))
                found[joint].append([body.eliminate(c, locked.get(c)) for c in ending])
            if joint.parent is not None and f is not None:
                if not isinstance(f, Shift):
                    body.turn(f)
                body.shift(joint.displacement)
                if joint.Rc is not IDENTITY:
                    body.turn(Block(joint.Rc, ZERO))
                bodies[joint.parent].add(body)
        return found

    def _moved(self, s: Direction, replaced: int | None) -> Mapping[int, Scalar]:
        """The coordinates that a direction opens, each with its share of the rate."""
        return s.rates if replaced is None else {replaced: self.tree.graph.one}

    def accelerations(
        self, found: Eliminations, wrenches: Mapping[Joint, Wrench], efforts: Mapping[int, Node]
    ) -> dict[int, Node]:
        """qdd by coordinates, without those that are zero, by what was `found` of inertias.

        From the wrenches of joints at qdd = 0 (Tree.wrenches) and generalised forces, both of which may be few: only
        what lies between them and the base is gone through, and what moves with that.
        """
        zero = self.tree.graph.zero
        p, Q = dict(wrenches), dict(efforts)
        g: dict[int, Node] = {}  # of open coordinates
        y: dict[int, Node] = {}  # g/D of those that are eliminated
        for joint in self._towards_base([*p, *(self._ends_at[c] for c in Q)]):
            own = p.get(joint, (ZERO, ZERO))
            for (s, replaced, _), eliminated in zip(self.steps[joint], found[joint], strict=True):
                if s is not None and replaced is not None:  # the virtual work of Q, with u in place of x
                    Q[replaced] = Q.get(replaced, zero) / s.rates[replaced]
                    Q |= {c: Q.get(c, zero) - Q[replaced] * b for c, b in s.rates.items() if c != replaced}
                if s is not None:
                    g_u = self.tree.graph.node(-product((s.v, s.w), own))
                    for c, b in self._moved(s, replaced).items():
                        g[c] = g.get(c, zero) + g_u * b
                for c, D, K, L in eliminated:
                    left = g.pop(c, zero) + Q.get(c, zero)
                    if left is not zero:
                        own, y[c] = plus(own, K, left), left / D
                        for d, factor in L.items():
                            g[d] = g.get(d, zero) - factor * left
            if joint.parent is not None and joint.factor is not None:
                F, M = own if isinstance(joint.factor, Shift) else (joint.factor.R * u for u in own)
                M = M + cross(joint.displacement, F)
                p[joint.parent] = plus(p.get(joint.parent, (ZERO, ZERO)), (joint.Rc * F, joint.Rc * M))
        x = self._outwards(found, y)
        return {c: value for c in sorted(x) if (value := self.tree.graph.node(x[c])) is not zero}

    def branches(self, wrenches: Mapping[Joint, Wrench], efforts: Iterable[int]) -> set[int]:
        """What moves when something is applied to joints and coordinates: a coordinate of each branch at the base."""
        return {self._branch_of[at] for at in (*wrenches, *efforts) if at in self._branch_of}

    @cached_property
    def _branch_of(self) -> dict[Joint | int, int]:
        """The branch at the base, one of its coordinates, of each joint that moves and of each coordinate."""
        base: dict[Joint, Joint] = {}
        members: dict[Joint, set[int]] = {}
        for joint in self.tree.joints[1:]:
            assert joint.parent is not None
            base[joint] = joint if joint.parent is self.tree.root else base[joint.parent]
            members.setdefault(base[joint], set()).update(c for s in self.directions[joint] for c in s.rates)
        joined: list[set[int]] = []  # branches that coordinates have in common are one
        for found in members.values():
            touching = [group for group in joined if group & found]
            joined = [group for group in joined if not group & found] + [found.union(*touching)]
        of: dict[Joint | int, int] = {c: min(group) for group in joined for c in group}
        return of | {joint: of[next(iter(members[at]))] for joint, at in base.items() if members[at]}

    def pivots(self, found: Eliminations, added: Mapping[int, Node] = NOTHING) -> list[Pivot]:
        """The pivots D, each with a bound of the diagonal entry of M that it is the remainder of.

        Squares are bounded part by part, (x + y + z)^2 <= 3 (x^2 + y^2 + z^2): that takes no square roots.
        """
        graph, pivots = self.tree.graph, []
        beyond: dict[Joint, tuple[Node, Node]] = {}  # m, J; of what is fixed to one joint J is the trace
        for joint, (mass, tensor_there) in self.tree.masses.items():
            moments = (abs(graph.node(tensor_there[i, i])) for i in range(3))
            beyond[joint] = abs(graph.node(mass)), sum(moments, graph.zero)
        entries: dict[int, list[Node]] = {c: [] for c in range(self.n)}  # of each direction in which c moves something
        for joint in reversed(self.tree.joints):
            m, J = beyond[joint]
            for (s, replaced, _), eliminated in zip(self.steps[joint], found[joint], strict=True):
                if s is not None:
                    by_v, by_w = m * dot(s.v, s.v), J * dot(s.w, s.w)
                    entry = by_v + by_w if graph.zero in (by_v, by_w) else (by_v + by_w) * 2
                    for c, b in s.rates.items():
                        entries[c].append(entry if c == replaced else b * b * entry)
                for c, D, *_ in eliminated:
                    of_bodies = sum(entries[c], graph.zero) * len(entries[c])
                    pivots.append(Pivot(D, of_bodies + abs(graph.node(inertia_of(c, s, replaced, added)))))
            if joint.parent is not None:
                away = m * dot(joint.displacement, joint.displacement)
                before = beyond[joint.parent]
                beyond[joint.parent] = before[0] + m, before[1] + J + sqrt(J * away) * 2 + away
        return pivots

    def _towards_base(self, joints: Iterable[Joint]) -> list[Joint]:
        """What lies between joints and the base, themselves included, tips first."""
        found: set[Joint] = set()
        for joint in joints:
            on: Joint | None = joint
            while on is not None and on not in found:
                found.add(on)
                on = on.parent
        return sorted(found, key=self._place.__getitem__, reverse=True)

    def _beyond(self, joints: Iterable[Joint]) -> list[Joint]:
        """What moves with joints, themselves included, the base first."""
        found: set[Joint] = set()
        waiting = list(joints)
        while waiting:
            joint = waiting.pop()
            if joint not in found:
                found.add(joint)
                waiting.extend(joint.children.values())
        return sorted(found, key=self._place.__getitem__)

    def _outwards(self, found: Eliminations, y: Mapping[int, Node]) -> dict[int, Scalar]:
        """The coordinates one after the other, and with them the motion of the joints; those that stay are left out."""
        x: dict[int, Scalar] = {}
        motions: dict[Joint, Motion] = {}
        for joint in self._beyond(self._ends_at[c] for c in y):
            f, steps = joint.factor, self.steps[joint]
            motion = ZERO, ZERO
            if joint.parent in motions and f is not None:
                a, alpha = (joint.Rc.T * u for u in motions[joint.parent])
                a = a + cross(alpha, joint.displacement)
                motion = (a, alpha) if isinstance(f, Shift) else (f.R.T * a, f.R.T * alpha)
            for (s, replaced, _), eliminated in zip(reversed(steps), reversed(found[joint]), strict=True):
                for c, _, K, L in reversed(eliminated):
                    x[c] = y.get(c, 0) - product(K, motion) - sum(factor * x.get(d, 0) for d, factor in L.items())
                if s is not None:
                    rate = sum(b * x.get(c, 0) for c, b in s.rates.items() if c != replaced)
                    if replaced is not None:
                        rate, x[replaced] = x[replaced], (x[replaced] - rate) / s.rates[replaced]
                    motion = plus(motion, (s.v, s.w), rate)
            motions[joint] = motion
        return x
