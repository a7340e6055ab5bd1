"""D'Alembert's equations by motors, body by body in body axes (scheme "motor").

Velocity, momentum and load of a body are one motor each. The package `easydyn.motor` has the operations on motors. It
is the algebra of T. Zaiczek, O. Enge-Rosenblatt, Performance Analysis of von Mises' Motor Calculus within Modelica,
2009, on the nodes of the graph. From a joint to the next, in the axes beyond it (eqs. 1, 6, 3),

    v = X v_before + v_r,   a = X a_before + (X v_before) x v_r + v_r',    X: to another point and into other axes,

with v_r, what the joint adds: (e; 0) times the rate of an angle, (0; e) times that of a displacement. Of each body,
with the dyad M of its inertia, about the origin of its frame (eqs. 4, 5)

    p = M v,   p' + v x p = f,   p' = M a;

The ground has the acceleration (0; -g), so that p' contains the weights. The loads that the bodies beyond a joint need
are summed up at the joint. The generalised force of a coordinate is the power of this sum (section 2.2): its inner
product with the motion that the joint adds for qd_j = 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from easydyn.engine.graph import Graph, Node, reachable
from easydyn.mechanics.kinematics import Calculus
from easydyn.mechanics.mbs import BodyState
from easydyn.motor import Dyad, Motor, inertia_dyad
from easydyn.vec import IDENTITY, ZERO, Factor, Rotation, Shift, Transform, Turn, Vector, axial, cross
from easydyn.vec.scalars import Scalar

_AT_REST = Motor(ZERO, ZERO)


class Place(NamedTuple):
    """A frame at R, e in the axes of another."""

    R: Rotation
    e: Vector

    def to(self, a: Motor) -> Motor:
        """A motor of the other frame, about the origin of this one and in its axes."""
        return a.moved(self.e).turned(self.R.T)

    def back(self, a: Motor) -> Motor:
        """A motor of this frame, about the origin of the other and in its axes."""
        return a.turned(self.R).moved(-self.e)


class Joint:
    """A constant placement in the axes before it, then one moving factor; motors are about its origin, in its axes."""

    def __init__(self, before: Joint | None, place: Place, factor: Factor | None):
        self.before, self.place, self.factor = before, place, factor
        self.moving = Place(factor.R, factor.e) if factor else Place(IDENTITY, ZERO)
        self.children: dict[tuple[Place, Factor], Joint] = {}
        self.velocity = self.acceleration = _AT_REST

    def to(self, a: Motor) -> Motor:
        """A motor of the axes before, in the axes of this joint."""
        return self.moving.to(self.place.to(a))

    def back(self, a: Motor) -> Motor:
        """A motor of the axes of this joint, in the axes before."""
        return self.place.back(self.moving.back(a))

    def adds(self, change: Callable[[Scalar], Scalar]) -> Motor:
        """Its motion relative to the axes before, for any derivative of its angle and displacement, eq. (6)."""
        f = self.factor
        if isinstance(f, Turn):
            return Motor.revolute(f.axis) * change(f.angle)
        assert f is not None
        back = f.R.T
        shifts = (Motor.prismatic(axis) * change(s) for axis, s in zip(IDENTITY, f.e, strict=True))
        turn = ZERO if isinstance(f, Shift) else axial(back * f.R.map(change))
        return sum(shifts, _AT_REST).turned(back) + Motor(turn, ZERO)

    def move(self, calculus: Calculus) -> None:
        """Its velocity and acceleration from those before it, eq. (3)."""
        assert self.before is not None
        carried, own = self.to(self.before.velocity), self.adds(calculus.rate)
        self.velocity = carried + own
        self.acceleration = self.to(self.before.acceleration) + carried.cross(own) + own.map(calculus.rate)

    def contributions(self, coordinates: Sequence[Node], calculus: Calculus) -> dict[int, Motor]:
        """The motion that the joint adds for a unit rate of each coordinate that moves it, by position."""
        if self.factor is None or not coordinates:
            return {}
        graph = coordinates[0].graph
        inputs = {x.index for x in reachable(graph.node(x) for x in Transform((self.factor,)).scalars())}
        found = {
            j: self.adds(lambda x, q=q: calculus.diff(x, q))  # type: ignore[misc]
            for j, q in enumerate(coordinates)
            if q.index in inputs
        }
        return {j: a for j, a in found.items() if any(graph.node(x) is not graph.zero for x in (*a.g, *a.h))}


class Seat(NamedTuple):
    """Where a body sits: beyond a joint, at a place there; its inertia in its own axes, about its own origin."""

    joint: Joint
    place: Place
    inertia: Dyad


class MotorTree:
    """The joints between the ground and the bodies, those nearer to the ground first, and motors of the bodies."""

    def __init__(self, graph: Graph, gravity: Vector, calculus: Calculus):
        self.graph, self.gravity, self.calculus = graph, gravity, calculus
        self.joints = [Joint(None, Place(IDENTITY, ZERO), None)]
        self.joints[0].acceleration = Motor(ZERO, -gravity)
        self.seats: dict[str, Seat] = {}

    def move(self, body: BodyState) -> None:
        """Seat a body, and give it the velocities and accelerations of its centre of mass, in ground axes."""
        inertia = inertia_dyad(body.mass, body.com, body.inertia.moved(body.mass, body.com))
        seat = self.seats[body.name] = Seat(*self._place(body.T), inertia)
        v, a = (x.moved(body.com) for x in (self.velocity(seat), self.acceleration(seat)))
        R, node = body.T.R, self.graph.node
        body.vG, body.omega = (R * v.h).map(node), (R * v.g).map(node)
        body.aG = (R * (a.h + cross(v.g, v.h)) + self.gravity).map(node)
        body.omegad = (R * a.g).map(node)

    def _place(self, T: Transform) -> tuple[Joint, Place]:
        """The last joint on the way of T, and the constant placement beyond it."""
        joint, R, e = self.joints[0], IDENTITY, ZERO
        for f in T.factors:
            if all(self.graph.node(x).fixed for x in Transform((f,)).scalars()):
                e = e + R * f.e
                R = R if isinstance(f, Shift) else R * f.R
                continue
            key = Place(R, e), f
            if key not in joint.children:
                joint.children[key] = Joint(joint, *key)
                joint.children[key].move(self.calculus)
                self.joints.append(joint.children[key])
            joint, R, e = joint.children[key], IDENTITY, ZERO
        return joint, Place(R, e)

    def velocity(self, seat: Seat) -> Motor:
        """Velocity of a body, in its axes and about its origin: (rad/s; m/s)."""
        return seat.place.to(seat.joint.velocity)

    def acceleration(self, seat: Seat) -> Motor:
        """The rates of its components, less gravity: (rad/s2; m/s2)."""
        return seat.place.to(seat.joint.acceleration)

    def residual(self, bodies: Iterable[BodyState], coordinates: Sequence[Node]) -> list[Scalar]:
        """Eq. (5) of each of the `bodies`, as powers by the rates of `coordinates`."""
        needed: dict[Joint, Motor] = {}
        for body in bodies:
            seat, back = self.seats[body.name], body.T.R.T
            v, a = self.velocity(seat), self.acceleration(seat)
            applied = Motor(back * body.R, back * body.MG).moved(-body.com)
            lacks = seat.inertia @ a + v.cross(seat.inertia @ v) - applied
            needed[seat.joint] = needed.get(seat.joint, _AT_REST) + seat.place.back(lacks)
        self._sum_up(needed)
        rows: list[Scalar] = [self.graph.zero] * len(coordinates)
        for joint, ways in self._ways(coordinates).items():
            for j, way in ways.items():
                rows[j] = rows[j] + needed.get(joint, _AT_REST).dot(way)
        return rows

    def mass_matrix(self, bodies: Sequence[BodyState], coordinates: Sequence[Node]) -> list[list[Scalar]]:
        """M by columns: the momenta of all bodies when one coordinate has the rate one, by the rates of the others."""
        n, ways = len(coordinates), self._ways(coordinates)
        M: list[list[Scalar]] = [[self.graph.zero] * n for _ in range(n)]
        for k in range(n):
            moved: dict[Joint, Motor] = {}
            for joint in self.joints[1:]:
                assert joint.before is not None
                if k in ways[joint] or joint.before in moved:
                    carried = joint.to(moved.get(joint.before, _AT_REST))
                    moved[joint] = carried + ways[joint].get(k, _AT_REST)
            momenta: dict[Joint, Motor] = {}
            for seat in (self.seats[body.name] for body in bodies):
                if seat.joint in moved:
                    p = seat.place.back(seat.inertia @ seat.place.to(moved[seat.joint]))
                    momenta[seat.joint] = momenta.get(seat.joint, _AT_REST) + p
            self._sum_up(momenta)
            for joint, p in momenta.items():
                for j, way in ways[joint].items():
                    if j <= k:
                        M[j][k] = M[j][k] + p.dot(way)
        return [[M[min(j, k)][max(j, k)] for k in range(n)] for j in range(n)]

    def kinetic_energy(self, bodies: Iterable[BodyState]) -> Scalar:
        """Half the sum of the inner products (v, p), section 2.2 (J)."""
        motions = [(seat, self.velocity(seat)) for seat in (self.seats[body.name] for body in bodies)]
        return sum((v.dot(seat.inertia @ v) * 0.5 for seat, v in motions), self.graph.zero)

    def _sum_up(self, motors: dict[Joint, Motor]) -> None:
        """Add to each joint the loads of the joints that follow it."""
        for joint in reversed(self.joints[1:]):
            if joint in motors:
                assert joint.before is not None
                motors[joint.before] = motors.get(joint.before, _AT_REST) + joint.back(motors[joint])

    def _ways(self, coordinates: Sequence[Node]) -> Mapping[Joint, Mapping[int, Motor]]:
        return {joint: joint.contributions(coordinates, self.calculus) for joint in self.joints}
