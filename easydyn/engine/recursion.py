"""Newton's and Euler's equations along the tree of the transforms (scheme "recursive").

Bodies whose products begin alike share these factors: the factors form a tree, and the tree is the mechanism. Factors
that depend on parameters alone are put together into constant placements, so that a joint is

    parent axes -> constant rotation Rc and displacement ec -> one moving factor -> its own axes.

Outwards, velocities and accelerations go from joint to joint, in each joint's own axes; gravity enters as an
acceleration of the ground. Inwards, the forces F and moments M that the bodies beyond the joint require are summed up
about the joint's origin:

    F = m a + Omega S,   M = J alpha + omega x J omega + S x a,   Omega = alpha~ + omega~ omega~

with the mass m, first moment S = m c and inertia J about the origin of all that is rigidly fixed there. A generalised
coordinate q gets F and M projected on what it moves: M . axis for the angle of a turn, F for a displacement, through
one reverse sweep if these are functions of q.

Before that, masses are regrouped (base inertial parameters). A mass on the axis of a turn moves as if it were fixed to
the parent, and is added to the parent; so is the inertia beyond a displacement. A displacement along the axis of a turn
commutes with the turn, and is moved to its other side. These operations depend on parameters alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from easydyn.engine.derivatives import gradient
from easydyn.engine.graph import Graph, Node, reachable
from easydyn.mechanics.mechanism import Body
from easydyn.vec import (
    IDENTITY,
    ZERO,
    Block,
    Factor,
    Inertia,
    Rotation,
    Shift,
    Tensor,
    Transform,
    Turn,
    Vector,
    along,
    axial,
    cross,
    dot,
)
from easydyn.vec.scalars import Scalar

MANY = 300  # joints: the equations of fewer are not much slower to compile one by one, and faster to evaluate
_AXES = (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))
_UNIT = Tensor(*_AXES)
_NOTHING = Tensor(ZERO, ZERO, ZERO)

Wrench = tuple[Vector, Vector]


def outer(u: Vector, v: Vector) -> Tensor:
    """The tensor u v^T."""
    return Tensor(u * v.x, u * v.y, u * v.z)


def steiner(m: Scalar, p: Vector) -> Tensor:
    """Inertia of a point mass: m (p.p 1 - p p^T)."""
    return Tensor(*(c * m for c in (_scaled(_UNIT, dot(p, p)) + _scaled(outer(p, p), -1))))


def _scaled(A: Tensor, factor: Scalar) -> Tensor:
    return Tensor(*(column * factor for column in A))


def tensor(element: Callable[[int, int], Scalar]) -> Tensor:
    """The tensor of element(row, column)."""
    return Tensor(*(Vector(*(element(i, j) for i in range(3))) for j in range(3)))


def symmetric(A: Tensor) -> Tensor:
    """A symmetric tensor from its upper half; the lower half is not computed."""
    return tensor(lambda i, j: A[min(i, j), max(i, j)])


class Direction(NamedTuple):
    """A way in which a joint moves: v of its origin and w of its axes (own axes), at the rate sum_j rates[j] qd_j."""

    v: Vector
    w: Vector
    rates: dict[int, Node]


class Joint:
    """A node of the tree: a constant placement in the parent's axes, one moving factor, what is fixed beyond it."""

    def __init__(self, parent: Joint | None, Rc: Rotation, ec: Vector, factor: Factor | None):
        self.parent, self.Rc, self.ec, self.factor = parent, Rc, ec, factor
        self.children: dict[Any, Joint] = {}
        self.m: Scalar = 0
        self.S: Vector = ZERO
        self.J: Tensor = _NOTHING

    def motion(self, ground: Vector, rate: Callable[[Scalar], Scalar]) -> None:
        """omega, alpha, a of the joint's axes and origin from the parent's (a of the ground is -g)."""
        if self.parent is None or self.factor is None:
            self.omega, self.alpha, self.a, self.Omega = ZERO, ZERO, ground, _NOTHING
            return
        p, f = self.parent, self.factor
        back = self.Rc.T
        omega, alpha, a = back * p.omega, back * p.alpha, back * (p.a + p.Omega * self.ec)
        if not isinstance(f, Turn):
            e, ed = f.e, f.e.map(rate)
            a = a + _spin(omega, alpha) * e + cross(omega, ed) * 2 + ed.map(rate)
        if not isinstance(f, Shift):
            R = f.R.T
            if isinstance(f, Turn):
                own = f.axis * rate(f.angle)
                own_rate = f.axis * rate(rate(f.angle))
            else:
                own = axial(R * f.R.map(rate))
                own_rate = own.map(rate)
            carried = R * omega
            omega, alpha, a = carried + own, R * alpha + own_rate + cross(carried, own), R * a
        self.omega, self.alpha, self.a = omega, alpha, a
        self.Omega = _spin(omega, alpha)

    def balance(self, applied: Wrench) -> Wrench:
        """F and M (own axes, about the origin) for the motion of the masses fixed here, minus the applied ones."""
        F = self.a * self.m + self.Omega * self.S
        return F - applied[0], _euler(self.J, self.omega, self.alpha, self.Omega) + cross(self.S, self.a) - applied[1]

    def slide(self) -> Vector:
        """Remove the displacement along the axis of the turn from this side of the turn, and return it."""
        if not isinstance(self.factor, Turn) or self.factor.axis not in _AXES or self.Rc is not IDENTITY:
            return ZERO
        along = Vector(*(c if u else 0 for u, c in zip(self.factor.axis, self.ec, strict=True)))
        self.ec = Vector(*(0 if u else c for u, c in zip(self.factor.axis, self.ec, strict=True)))
        return along

    def regroup(self) -> None:
        """Add to the parent the masses and inertias that move as if they were fixed to it."""
        p, f = self.parent, self.factor
        if p is None:
            return
        if isinstance(f, Turn):
            m, u = self.m, f.axis
            s: Scalar = dot(u, self.S)
            k: Scalar = 0
            if u in _AXES:
                other = (_AXES.index(u) + 1) % 3
                k = self.J[other][other]
            w = self.Rc * u
            p.m = p.m + m
            p.S = p.S + self.ec * m + w * s
            mixed = _scaled(outer(self.ec, w) + outer(w, self.ec), -1) + _scaled(_UNIT, dot(self.ec, w) * 2)
            p.J = p.J + steiner(m, self.ec) + _scaled(mixed, s) + _scaled(_UNIT + _scaled(outer(w, w), -1), k)
            self.m, self.S = 0, self.S - u * s
            self.J = self.J + _scaled(_UNIT + _scaled(outer(u, u), -1), -k)
        elif isinstance(f, Shift):
            p.J = p.J + symmetric(self.Rc * self.J * self.Rc.T)
            self.J = _NOTHING

    def directions(self, coordinates: Sequence[Node], diff: Callable[[Scalar, Node], Scalar]) -> list[Direction]:
        """The ways in which it moves; the coordinates are those of the sequence, by position.

        For a turn this is its axis. For a displacement or a block these are the columns, one for each coordinate, or
        the axes of the components if these are fewer.
        """
        f = self.factor
        if f is None or not coordinates:
            return []
        inputs = {x.index for x in reachable(coordinates[0].graph.node(x) for x in Transform((f,)).scalars())}
        present = [(j, q) for j, q in enumerate(coordinates) if q.index in inputs]

        def rates(scalar: Scalar) -> dict[int, Node]:
            found = {j: q.graph.node(diff(scalar, q)) for j, q in present}
            return {j: rate for j, rate in found.items() if rate is not rate.graph.zero}

        if isinstance(f, Turn):
            ways = [Direction(ZERO, f.axis, rates(f.angle))]
        elif isinstance(f, Shift) and sum(map(bool, map(rates, f.e))) < max(2, len(present)):
            ways = [Direction(axis, ZERO, rates(component)) for axis, component in zip(_AXES, f.e, strict=True)]
        else:
            ways = []
            for j, q in present:
                back, change = f.R.T, lambda x, q=q: diff(x, q)
                w = ZERO if isinstance(f, Shift) else axial(back * f.R.map(change))
                v = back * f.e.map(change)
                if any(x is not q.graph.zero and x != 0 for x in (*v, *w)):
                    ways.append(Direction(v, w, {j: q.graph.one}))
        return [way for way in ways if way.rates]

    def contributions(
        self, coordinates: Sequence[Node], diff: Callable[[Scalar, Node], Scalar]
    ) -> dict[int, tuple[Vector, Vector]]:
        """Of each coordinate that moves this joint: rotation and velocity of its origin, relative and in own axes."""
        found: dict[int, tuple[Vector, Vector]] = {}
        for v, w, rates in self.directions(coordinates, diff):
            for j, rate in rates.items():
                before = found.get(j, (ZERO, ZERO))
                found[j] = before[0] + w * rate, before[1] + v * rate
        return found

    @property
    def displacement(self) -> Vector:
        """From the parent's origin to that of the joint, in the joint's axes before it turns."""
        return self.ec if self.factor is None else self.Rc.T * self.ec + self.factor.e

    def add_to_parent(self, m: Scalar, S: Vector, J: Tensor) -> Composite:
        """Mass, first moment and inertia beyond the joint, in the parent's axes and about its origin."""
        f = self.factor
        if isinstance(f, Turn | Block):
            S, J = f.R * S, symmetric(turned(J, f))
        if not isinstance(f, Turn) and f is not None:
            S, J = _moved(m, S, J, f.e)
        S, J = self.Rc * S, symmetric(self.Rc * J * self.Rc.T)
        return (m, *_moved(m, S, J, self.ec))


Composite = tuple[Scalar, Vector, Tensor]


def _moved(m: Scalar, S: Vector, J: Tensor, e: Vector) -> tuple[Vector, Tensor]:
    """First moment and inertia about a point from which the present origin is seen at e."""
    Se = dot(S, e) * 2 + dot(e, e) * m
    pair = S + e * m
    # (S.e 2 + m e.e) 1 - S e^T - e S^T - m e e^T
    return pair, J + _scaled(_UNIT, Se) + _scaled(outer(pair, e) + outer(e, S), -1)


def turned(A: Tensor, f: Turn | Block) -> Tensor:
    """R A R^T, about a coordinate axis with the few products that it takes."""
    R = f.R
    if isinstance(f, Block) or f.axis not in _AXES:
        return R * A * R.T
    z = _AXES.index(f.axis)
    x, y = (z + 1) % 3, (z + 2) % 3
    c, s = R[x, x], R[y, x]
    mixed = A[x, y] * 2 if A[x, y] is A[y, x] else A[x, y] + A[y, x]
    u = c * (A[x, x] - A[y, y]) - s * mixed
    new: list[list[Scalar]] = [[0] * 3 for _ in range(3)]
    new[x][x], new[y][y], new[z][z] = A[y, y] + c * u, A[x, x] - c * u, A[z, z]
    new[x][y], new[y][x] = A[x, y] + s * u, A[y, x] + s * u
    new[x][z], new[y][z] = c * A[x, z] - s * A[y, z], s * A[x, z] + c * A[y, z]
    new[z][x], new[z][y] = c * A[z, x] - s * A[z, y], s * A[z, x] + c * A[z, y]
    return tensor(lambda i, j: new[i][j])


def _spin(omega: Vector, alpha: Vector) -> Tensor:
    """alpha~ + omega~ omega~."""
    x, y, z = omega
    xx, yy, zz, xy, yz, xz = x * x, y * y, z * z, x * y, y * z, x * z
    return Tensor(
        Vector(-(yy + zz), xy + alpha.z, xz - alpha.y),
        Vector(xy - alpha.z, -(xx + zz), yz + alpha.x),
        Vector(xz + alpha.y, yz - alpha.x, -(xx + yy)),
    )


def _euler(J: Tensor, omega: Vector, alpha: Vector, Omega: Tensor) -> Vector:
    """J alpha + omega x J omega, with the products of omega that Omega has already."""
    products = Vector(omega.y * omega.z, omega.z * omega.x, omega.x * omega.y)
    components = []
    for x, y, z in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        moment = alpha[x] * J[x, x] + products[x] * (J[z, z] - J[y, y])
        moment = moment - Omega[z, x] * J[x, y] + Omega[y, x] * J[x, z]
        components.append(moment + (Omega[y, y] - Omega[z, z]) * J[y, z])
    return Vector(*components)


class Tree:
    """The joints of a mechanism, parents first."""

    def __init__(
        self, graph: Graph, bodies: Sequence[Body], inertias: Mapping[str, Inertia], value: Callable[[Any], Node]
    ):
        self.graph = graph
        self._value = value
        self.root = Joint(None, IDENTITY, ZERO, None)
        self.joints = [self.root]
        self.at: dict[str, tuple[Joint, Rotation, Vector]] = {}  # body -> its joint, rotation and position there
        kept: dict[int, Any] = {}
        places = [along(body.T, kept, (self.root, IDENTITY, ZERO), self._place) for body in bodies]
        slid: dict[Joint | None, Vector] = {self.root: ZERO}
        for joint in self.joints[1:]:
            joint.ec = joint.ec + slid[joint.parent]
            slid[joint] = joint.slide()
        for body, (joint, R, e) in zip(bodies, places, strict=True):
            e = e + slid[joint]
            self.at[body.name] = joint, R, e
            c = e + R * body.com.map(value)
            m = value(body.mass)
            joint.m, joint.S = joint.m + m, joint.S + c * m
            joint.J = joint.J + symmetric(R * Tensor(*inertias[body.name].map(value)) * R.T) + steiner(m, c)
        self._many = len(self.joints) > MANY
        self.masses = {joint: (joint.m, joint.J) for joint in self.joints}  # before they are regrouped
        for joint in reversed(self.joints):
            joint.regroup()

    def _place(self, before: tuple[Joint, Rotation, Vector], right: Transform) -> tuple[Joint, Rotation, Vector]:
        """The last joint on the way of a product, and the constant placement beyond it, from those of its left side."""
        joint, R, e = before
        for f in right.map(self._value).factors:
            if all(self.graph.node(x).fixed for x in Transform((f,)).scalars()):
                e = e + R * f.e
                R = R if isinstance(f, Shift) else R * f.R
                continue
            key = (tuple(R), tuple(e), f)
            if key not in joint.children:
                joint.children[key] = Joint(joint, R, e, f)
                self.joints.append(joint.children[key])
            joint, R, e = joint.children[key], IDENTITY, ZERO
        return joint, R, e

    def applied(self, efforts: Iterable[tuple[str, Vector, Vector, Rotation]]) -> dict[Joint, Wrench]:
        """Force and moment that are applied at each joint, its own axes.

        `efforts`: body, force and moment at the body's origin, in any axes, and the rotation from the body's to these.
        """
        wrenches: dict[Joint, Wrench] = dict.fromkeys(self.joints, (ZERO, ZERO))
        for name, force, moment, R_body in efforts:
            joint, R, e = self.at[name]
            f, m = R * (R_body.T * force), R * (R_body.T * moment)
            before = wrenches[joint]
            wrenches[joint] = before[0] + f, before[1] + m + cross(e, f)
        return wrenches

    def wrenches(
        self, gravity: Vector, rate: Callable[[Scalar], Scalar], applied: Mapping[Joint, Wrench]
    ) -> dict[Joint, Wrench]:
        """Force and moment that the motion of the masses fixed at each joint requires, minus the applied ones."""
        for joint in self.joints:
            self.graph.apart(partial(joint.motion, -gravity, rate), self._many)
        return {x: self.graph.apart(partial(x.balance, applied[x]), self._many) for x in self.joints}

    def residual(self, coordinates: Sequence[Node], wrenches: Mapping[Joint, Wrench]) -> list[Node]:
        """Generalised forces that the motion needs, one for each coordinate, from the wrenches of joints."""
        needed = dict(wrenches)
        seeds: dict[Node, Node] = {}

        def seed(scalar: Scalar, amount: Scalar) -> None:
            node = self.graph.node(scalar)
            seeds[node] = seeds.get(node, self.graph.zero) + amount

        def inwards(joint: Joint) -> None:
            F, M = needed[joint]
            project(joint.factor, F, M, seed)
            F, M = transport(joint.factor, F, M)
            F, M = joint.Rc * F, joint.Rc * M
            assert joint.parent is not None
            there = needed.get(joint.parent, (ZERO, ZERO))
            needed[joint.parent] = there[0] + F, there[1] + M + cross(joint.ec, F)

        for joint in reversed(self.joints[1:]):
            if joint in needed:
                self.graph.apart(partial(inwards, joint), self._many)
        return gradient(seeds, coordinates)

    def mass_matrix(self, coordinates: Sequence[Node], diff: Callable[[Scalar, Node], Scalar]) -> list[list[Node]]:
        """M by composite bodies: the load for a unit acceleration at each joint, projected on the joints before it."""
        n, zero = len(coordinates), self.graph.zero
        composite: dict[Joint, Composite] = {j: (j.m, j.S, j.J) for j in self.joints}
        for joint in reversed(self.joints[1:]):
            assert joint.parent is not None
            m, S, J = composite[joint.parent]
            more = joint.add_to_parent(*composite[joint])
            composite[joint.parent] = m + more[0], S + more[1], J + more[2]
        own = {joint: joint.contributions(coordinates, diff) for joint in self.joints[1:]}
        at_joint = [[zero] * n for _ in range(n)]
        before = [[zero] * n for _ in range(n)]
        for joint in self.joints[1:]:
            m, S, J = composite[joint]
            for k, (w, v) in own[joint].items():
                F, M = v * m + cross(w, S), J * w + cross(S, v)
                at: Joint | None = joint
                while at is not None and at.factor is not None:
                    entries = at_joint if at is joint else before
                    for i, (wi, vi) in own[at].items():
                        entries[i][k] = entries[i][k] + dot(wi, M) + dot(vi, F)
                    F, M = transport(at.factor, F, M)
                    F, M = at.Rc * F, at.Rc * M
                    M = M + cross(at.ec, F)
                    at = at.parent
        total = [[at_joint[i][k] + before[i][k] + before[k][i] for k in range(n)] for i in range(n)]
        return [[total[min(i, k)][max(i, k)] for k in range(n)] for i in range(n)]


def project(f: Factor | None, F: Vector, M: Vector, seed: Callable[[Scalar, Scalar], None]) -> None:
    """Generalised forces of the scalars of a factor, from force and moment beyond it (its axes, its origin)."""
    if isinstance(f, Turn):
        seed(f.angle, dot(f.axis, M))
        return
    assert f is not None
    turned = F if isinstance(f, Shift) else f.R * F
    for component, amount in zip(f.e, turned, strict=True):
        seed(component, amount)
    if isinstance(f, Block):  # M . vee(R^T dR) = sum over elements of dR * (R M~)/2
        skew = f.R * Tensor(Vector(0, M.z, -M.y), Vector(-M.z, 0, M.x), Vector(M.y, -M.x, 0))
        for i in range(3):
            for j in range(3):
                seed(f.R[i, j], skew[i, j] * 0.5)


def transport(f: Factor | None, F: Vector, M: Vector) -> Wrench:
    """Force and moment beyond a factor, in the axes and about the origin before it."""
    if isinstance(f, Turn | Block):
        F, M = f.R * F, f.R * M
    if isinstance(f, Shift | Block):
        M = M + cross(f.e, F)
    return F, M
