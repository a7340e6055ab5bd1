"""One motion, derived independently: three schemes of the engine, the textbook in SymPy, kinematics by hand, Kane.

For every model below the accelerations are found by
    (a), (b)  model.compile with the recursive, the explicit and the motor scheme,
    (c)       the SymPy equations of model.equations(), M and h evaluated,
    (d)       easydyn.System with v, omega, a, alpha written by hand (or lambdified) and efforts in plain NumPy,
    (e)       sympy.physics.mechanics with frames, points and loads of its own: Kane's or Lagrange's equations.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import asin, cos, sin, sqrt
from sympy.physics import mechanics as me

from easydyn import (
    Damper,
    Force,
    GeneralizedForce,
    Model,
    Moment,
    Spring,
    System,
    check_motion,
    cross,
    ground,
    rotation_sequence,
    t,
    tdisp,
    tquat,
    transform,
    trot,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.errors import InputError

TOLERANCE = 1e-10
TIME = me.dynamicsymbols._t


@dataclass
class Case:
    """A model, the same system with kinematics in numbers, the same accelerations by sympy.physics.mechanics."""

    model: Model
    system: System
    peer: Any  # (t, q, qd) -> qdd
    low: Any = -3.0
    high: Any = 3.0

    def states(self, rng, number=5):
        n = self.system.n
        for _ in range(number):
            yield float(rng.uniform(-1, 2)), rng.uniform(self.low, self.high, n), rng.uniform(-2, 2, n)


# -- the other side: sympy.physics.mechanics ------------------------------------------------------------------------


class Kane:
    """Frames, points and loads of sympy.physics.mechanics; `accelerations` by KanesMethod."""

    def __init__(self, n, gravity):
        self.N, self.O = me.ReferenceFrame("N"), me.Point("O")
        self.O.set_vel(self.N, 0)
        self.q = me.dynamicsymbols(f"x:{n}", real=True)
        self.u = me.dynamicsymbols(f"u:{n}", real=True)
        self.qd = [x.diff(TIME) for x in self.q]
        self.gravity = self.vec(self.N, *gravity)
        self.bodies, self.loads, self.frames = [], [], 0

    @staticmethod
    def vec(frame, x, y, z):
        return x * frame.x + y * frame.y + z * frame.z

    def turned(self, frame, axis, angle):
        self.frames += 1
        return frame.orientnew(f"F{self.frames}", "Axis", [angle, self.vec(frame, *axis)])

    def body(self, frame, position, mass, inertia):
        """Position of the centre of mass from O; inertia (Ixx, Iyy, Izz, Ixy, Iyz, Ixz), elements of the tensor."""
        G = self.O.locatenew(f"G{len(self.bodies)}", position)
        G.set_vel(self.N, position.dt(self.N))
        tensor = me.inertia(frame, *inertia)
        body = me.RigidBody(f"B{len(self.bodies)}", G, frame, mass, (tensor, G))
        self.bodies.append(body)
        if mass:
            self.loads.append((G, mass * self.gravity))
        return body

    def position(self, body):
        return body.masscenter.pos_from(self.O)

    def force(self, body, F, at):
        """A force at a position (from O): moved to the centre of mass, with its moment."""
        self.loads += [(body.masscenter, F), (body.frame, (at - self.position(body)) ^ F)]

    def torque(self, body, M):
        self.loads.append((body.frame, M))

    def spring(self, body, p, other, p_other, k, L0, c=0):
        """Spring and damper between two positions; `other` may be None (the ground)."""
        line = p_other - p
        L = sqrt(line.dot(line))
        Ldot = line.dot(line.dt(self.N)) / L
        F = (k * (L - L0) + c * Ldot) / L * line
        self.force(body, F, p)
        if other is not None:
            self.force(other, -F, p_other)

    def accelerations(self, *, dependent=None):
        """(t, q, qd) -> qdd; `dependent` = (q of the last symbol, its rate) as NumPy functions of (q, qd)."""
        kinematic = [rate - u for rate, u in zip(self.qd, self.u, strict=True)]
        if dependent is None:
            kane = me.KanesMethod(self.N, self.q, self.u, kinematic)
        else:
            value, rate, loop = dependent
            speed = loop.diff(TIME).subs(dict(zip(self.qd, self.u, strict=True)))
            kane = me.KanesMethod(
                self.N, self.q[:-1], self.u[:-1], kinematic, q_dependent=self.q[-1:], u_dependent=self.u[-1:],
                configuration_constraints=[loop], velocity_constraints=[speed],
            )  # fmt: skip
        kane.kanes_equations(self.bodies, self.loads)
        back = dict(zip(self.qd, self.u, strict=True))
        M, f = kane.mass_matrix.xreplace(back), kane.forcing.xreplace(back)  # by subs, 20 s in all
        function = sympy.lambdify([TIME, list(self.q), list(self.u)], [M, f], modules="numpy", cse=True)

        def solve(time, q, qd):
            if dependent is not None:
                q, qd = np.append(q, value(q)), np.append(qd, rate(q, qd))
            matrix, forcing = function(time, q, qd)
            result = np.linalg.solve(np.array(matrix, float), np.array(forcing, float).ravel())
            return result if dependent is None else result[:-1]

        return solve


# -- kinematics in numbers ------------------------------------------------------------------------------------------


def lambdified(model, efforts=None):
    """A System whose kinematics are those of the bodies of a model, as NumPy functions; efforts(t, q, qd, bodies)."""
    mechanism = model.mechanism
    values = {p: model.values()[str(p)] for p in mechanism.parameters}
    q = mechanism.coordinates
    arguments = [t, list(q), [x.dot for x in q], [x.ddot for x in q]]

    def number(x):
        return float(sympy.sympify(x).xreplace(values))

    functions = []
    for body in model.bodies:
        entries = [*body.frame_at_G.matrix, *body.vG, *body.omega, *body.aG, *body.alpha]
        entries = [sympy.sympify(x).xreplace(values) for x in entries]
        functions.append(sympy.lambdify(arguments, entries, modules="numpy", cse=True))
    latest = {}

    def compute_motion(time, q, qd, qdd, bodies):
        latest.update(q=q, qd=qd)
        for body, function in zip(bodies, functions, strict=True):
            x = np.array(function(time, q, qd, qdd), dtype=float)
            body.T = x[:16].reshape(4, 4)
            body.vG, body.omega, body.aG, body.omegad = x[16:19], x[19:22], x[22:25], x[25:28]

    def numbers(time, bodies):
        efforts(time, latest["q"], latest["qd"], bodies)

    system = System(
        model.name, compute_motion, coordinates=[str(x) for x in q], gravity=[number(g) for g in model.gravity],
        efforts=None if efforts is None else numbers,
    )  # fmt: skip
    for body in model.bodies:
        tensor = [[number(body.inertia[i, j]) for j in range(3)] for i in range(3)]
        system.body(body.name, mass=number(body.mass), inertia=tensor)
    return system


def pull(a, p, b, p_b, k, L0, c=0.0):
    """Spring and damper in numbers, between ground positions p of body a and p_b of body b (None: the ground)."""
    p, p_b = np.asarray(p, float), np.asarray(p_b, float)
    v = np.asarray(a.vG) + np.cross(a.omega, p - np.asarray(a.T.e))
    v_b = 0 if b is None else np.asarray(b.vG) + np.cross(b.omega, p_b - np.asarray(b.T.e))
    L = np.linalg.norm(p_b - p)
    direction = (p_b - p) / L
    F = (k * (L - L0) + c * (v_b - v) @ direction) * direction
    push(a, F, p)
    if b is not None:
        push(b, -F, p_b)


def push(body, F, p):
    """A force in numbers at a ground position."""
    body.R = body.R + F
    body.MG = body.MG + np.cross(np.asarray(p) - np.asarray(body.T.e), F)


# -- the models -----------------------------------------------------------------------------------------------------


def double_pendulum():
    """Planar; parameters, dampers in the joints, a spring to the ground. Kinematics by hand (section V.D)."""
    l1, l2, c, k, L0 = 1.2, 1.1, 0.3, 20.0, 0.5
    m1, m2, I1, I2, anchor = 1.1, 0.9, 0.15, 0.11, (1.5, 0.3, 0.2)
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2")
    L1, L2, C = model.parameters(l1=l1, l2=l2, c=c)
    model.body("upper", trotz(q1) * tdisp(0, -L1 / 2, 0), mass=m1, inertia=(1, 1, I1))
    frame = trotz(q1) * tdisp(0, -L1, 0) * trotz(q2) * tdisp(0, -L2 / 2, 0)
    lower = model.body("lower", frame, mass=m2, inertia=(1, 1, I2))
    model.add(GeneralizedForce(q1, -C * q1.dot), GeneralizedForce(q2, -C * q2.dot))
    model.add(Spring((lower, (0, -L2 / 2, 0)), (ground, anchor), stiffness=k, free_length=L0))

    def motion(_, q, qd, qdd, bodies):
        b1, b2 = bodies
        b1.T = trotz(q[0]) * tdisp(0, -l1 / 2, 0)
        b2.T = trotz(q[0]) * tdisp(0, -l1, 0) * trotz(q[1]) * tdisp(0, -l2 / 2, 0)
        b1.omega, b1.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
        b2.omega, b2.omegad = b1.omega + vcoord(0, 0, qd[1]), b1.omegad + vcoord(0, 0, qdd[1])
        r1, AG2 = b1.T.e, b2.T.R * vcoord(0, -l2 / 2, 0)
        b1.vG = cross(b1.omega, r1)
        b1.aG = cross(b1.omegad, r1) + cross(b1.omega, cross(b1.omega, r1))
        b2.vG = 2 * b1.vG + cross(b2.omega, AG2)
        b2.aG = 2 * b1.aG + cross(b2.omegad, AG2) + cross(b2.omega, cross(b2.omega, AG2))

    def efforts(_, bodies):
        b1, b2 = bodies
        moment = vcoord(0, 0, -c * (b2.omega.z - b1.omega.z))
        b1.MG += vcoord(0, 0, -c * b1.omega.z) - moment
        b2.MG += moment
        pull(b2, b2.T * (0, -l2 / 2, 0), None, anchor, k, L0)

    system = System("by hand", motion, coordinates="q1 q2", gravity=(0, -9.81, 0), efforts=efforts)
    system.body("upper", mass=m1, inertia=(1, 1, I1))
    system.body("lower", mass=m2, inertia=(1, 1, I2))

    s = Kane(2, (0, -9.81, 0))
    A = s.turned(s.N, (0, 0, 1), s.q[0])
    B = s.turned(A, (0, 0, 1), s.q[1])
    upper = s.body(A, -l1 / 2 * A.y, m1, (1, 1, I1))
    low = s.body(B, -l1 * A.y - l2 / 2 * B.y, m2, (1, 1, I2))
    s.torque(upper, (-c * s.qd[0] + c * s.qd[1]) * s.N.z)
    s.torque(low, -c * s.qd[1] * s.N.z)
    s.spring(low, -l1 * A.y - l2 * B.y, None, s.vec(s.N, *anchor), k, L0)
    return Case(model, system, s.accelerations())


def driven_slot():
    """A mass in a slot that turns at a given rate (errata 1): rheonomic, by hand."""
    w, c, k, m, I = 1.7, 0.4, 30.0, 2.0, (0.1, 0.2, 0.3)
    model = Model("slot", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    (W,) = model.parameters(w=w)
    slider = model.body("slider", trotz(W * t) * tdisp(q, 0, 0), mass=m, inertia=I)
    model.add(Force(slider, (-c * q.dot, 0, 0), frame=slider))
    model.add(Spring(slider, (ground, (0.3, -0.2, 0)), stiffness=k, free_length=0.25))

    def motion(time, q, qd, qdd, bodies):
        (b,) = bodies
        b.T = trotz(w * time) * tdisp(q[0], 0, 0)
        b.omega = vcoord(0, 0, w)
        e, r = b.T.R.ux(), b.T.e
        b.vG = cross(b.omega, r) + e * qd[0]
        b.aG = cross(b.omega, cross(b.omega, r)) + 2 * cross(b.omega, e * qd[0]) + e * qdd[0]

    def efforts(_, bodies):
        (b,) = bodies
        e = b.T.R.ux()
        b.R += e * (-c * e.dot(b.vG))  # what turns with the slot is perpendicular to e
        pull(b, b.T.e, None, (0.3, -0.2, 0), k, 0.25)

    system = System("slot by hand", motion, coordinates="q", gravity=(0, -9.81, 0), efforts=efforts)
    system.body("slider", mass=m, inertia=I)

    s = Kane(1, (0, -9.81, 0))
    A = s.turned(s.N, (0, 0, 1), w * TIME)
    b = s.body(A, s.q[0] * A.x, m, I)
    s.force(b, -c * s.qd[0] * A.x, s.q[0] * A.x)
    s.spring(b, s.q[0] * A.x, None, s.vec(s.N, 0.3, -0.2, 0), k, 0.25)
    return Case(model, system, s.accelerations())


def spatial_arm():
    """Two spatial links, centres of mass off the frames, full inertia tensors; by hand."""
    G1, G2, l = (0.1, 0.02, 0.2), (0.05, -0.1, 0.03), 0.7
    I1, I2 = (0.3, 0.4, 0.2, 0.05, -0.03, 0.02), (0.1, 0.05, 0.12, -0.01, 0.02, 0.015)
    model = Model("spatial arm", gravity=(0.5, -0.3, -9.81))
    a, b = model.coordinates("a b")
    first = trotz(a) * tdisp(0, 0, 0.4)
    model.body("link 1", first, mass=3, inertia=I1, com=G1)
    model.body("link 2", first * trotx(b) * tdisp(0, -l, 0), mass=2, inertia=I2, com=G2)

    def motion(_, q, qd, qdd, bodies):
        b1, b2 = bodies
        T1 = trotz(q[0]) * tdisp(0, 0, 0.4)
        T2 = T1 * trotx(q[1]) * tdisp(0, -l, 0)
        b1.T, b2.T = T1 * tdisp(*G1), T2 * tdisp(*G2)
        b1.omega, b1.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
        axis = T1.R.ux()
        b2.omega = b1.omega + axis * qd[1]
        b2.omegad = b1.omegad + axis * qdd[1] + cross(b1.omega, axis) * qd[1]
        r1, r2 = T1.R * vcoord(*G1), b2.T.e - T1.e
        b1.vG = cross(b1.omega, r1)
        b1.aG = cross(b1.omegad, r1) + cross(b1.omega, cross(b1.omega, r1))
        b2.vG = cross(b2.omega, r2)  # the joint stands on the axis of link 1: it is at rest
        b2.aG = cross(b2.omegad, r2) + cross(b2.omega, cross(b2.omega, r2))

    system = System("spatial arm by hand", motion, coordinates="a b", gravity=(0.5, -0.3, -9.81))
    system.body("link 1", mass=3, inertia=I1)
    system.body("link 2", mass=2, inertia=I2)

    s = Kane(2, (0.5, -0.3, -9.81))
    A = s.turned(s.N, (0, 0, 1), s.q[0])
    B = s.turned(A, (1, 0, 0), s.q[1])
    s.body(A, 0.4 * A.z + s.vec(A, *G1), 3, I1)
    s.body(B, 0.4 * A.z - l * B.y + s.vec(B, *G2), 2, I2)
    return Case(model, system, s.accelerations())


def moving_base():
    """A base that is moved as a function of time, a general axis, a prismatic joint; by hand, and by Lagrange."""
    a, w, b, m, G = 0.3, 2.5, 0.2, 1.5, (0.2, -0.1, 0.05)
    I, axis = (0.2, 0.3, 0.25, 0.02, -0.04, 0.03), (1, 2, 3)
    model = Model("moving base", gravity=(0, 0, -9.81))
    phi, s_ = model.coordinates("phi s")
    base = tdisp(a * sin(w * t), b * t**2, 0)
    rod = model.body("rod", base * trot(axis, phi) * tdisp(0, 0, s_), mass=m, inertia=I, com=G)
    model.add(Force(rod, (0, 0, -4 * s_), frame=rod, at=(0.3, 0, 0)))
    unit = vcoord(*axis) / np.sqrt(14)

    def motion(time, q, qd, qdd, bodies):
        (body,) = bodies
        T = tdisp(a * np.sin(w * time), b * time**2, 0) * trot(axis, q[0])
        body.T = T * tdisp(0, 0, q[1]) * tdisp(*G)
        body.omega, body.omegad = unit * qd[0], unit * qdd[0]
        r, e = body.T.e - T.e, T.R.uz()
        body.vG = vcoord(a * w * np.cos(w * time), 2 * b * time, 0) + cross(body.omega, r) + e * qd[1]
        body.aG = (
            vcoord(-a * w * w * np.sin(w * time), 2 * b, 0)
            + cross(body.omegad, r)
            + cross(body.omega, cross(body.omega, r))
            + 2 * cross(body.omega, e) * qd[1]
            + e * qdd[1]
        )

    latest = {}

    def remember(time, q, qd, qdd, bodies):
        latest["s"] = q[1]
        motion(time, q, qd, qdd, bodies)

    def efforts(_, bodies):
        (body,) = bodies
        push(body, np.asarray(body.T.R.uz()) * (-4 * latest["s"]), body.T * (0.3 - G[0], -G[1], -G[2]))

    system = System("moving base by hand", remember, coordinates="phi s", gravity=(0, 0, -9.81), efforts=efforts)
    system.body("rod", mass=m, inertia=I)

    s = Kane(2, (0, 0, -9.81))
    A = s.turned(s.N, axis, s.q[0])
    origin = s.vec(s.N, a * sin(w * TIME), b * TIME**2, 0) + s.q[1] * A.z
    part = s.body(A, origin + s.vec(A, *G), m, I)
    P = s.O.locatenew("P", origin + 0.3 * A.x)
    P.set_vel(s.N, P.pos_from(s.O).dt(s.N))
    part.potential_energy = m * 9.81 * s.position(part).dot(s.N.z)
    lagrange = me.LagrangesMethod(
        me.Lagrangian(s.N, part), s.q, forcelist=[(P, -4 * s.q[1] * A.z)], frame=s.N, bodies=[part]
    )
    lagrange.form_lagranges_equations()
    plain = dict(zip([*s.qd, *s.q], sympy.symbols("v:2 x:2"), strict=True))  # before cse, which would split them
    entries = [lagrange.mass_matrix.subs(plain), lagrange.forcing.subs(plain)]
    arguments = [TIME, [plain[x] for x in s.q], [plain[x] for x in s.qd]]
    function = sympy.lambdify(arguments, entries, cse=True)

    def peer(time, q, qd):
        M, f = function(time, q, qd)
        return np.linalg.solve(np.array(M, float), np.array(f, float).ravel())

    return Case(model, system, peer)


def slider_crank():
    """A closed loop, solved by asin here and by a loop equation with a dependent coordinate there."""
    l1, l2, k, L0 = 1.0, 2.2, 8.0, 1.0
    model = Model("slider-crank", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    L1, L2 = model.parameters(l1=l1, l2=l2)
    alpha = asin(L1 * sin(q) / L2)
    x = L1 * cos(q) + L2 * cos(alpha)
    crank = model.body("crank", trotz(q) * tdisp(L1 / 2, 0, 0), mass=1, inertia=(0, 0, 0.0833))
    model.body("rod", tdisp(x, 0, 0) * trotz(-alpha) * tdisp(-L2 / 2, 0, 0), mass=2, inertia=(0, 0, 0.6667))
    slider = model.body("slider", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 2))
    model.add(Moment(crank, (0, 0, 10 * cos(3 * t))))
    model.add(Spring(slider, (ground, (4, 0.5, 0)), stiffness=k, free_length=L0))

    def efforts(time, q, qd, bodies):
        bodies["crank"].MG += vcoord(0, 0, 10 * np.cos(3 * time))
        pull(bodies["slider"], bodies["slider"].T.e, None, (4, 0.5, 0), k, L0)

    s = Kane(2, (0, -9.81, 0))
    A, B = s.turned(s.N, (0, 0, 1), s.q[0]), s.turned(s.N, (0, 0, -1), s.q[1])
    c = s.body(A, l1 / 2 * A.x, 1, (0, 0, 0.0833))
    s.body(B, l1 * A.x + l2 / 2 * B.x, 2, (0, 0, 0.6667))
    end = (l1 * cos(s.q[0]) + l2 * cos(s.q[1])) * s.N.x
    slide = s.body(s.N, end, 5, (0, 0, 2))
    s.torque(c, 10 * cos(3 * TIME) * s.N.z)
    s.spring(slide, end, None, s.vec(s.N, 4, 0.5, 0), k, L0)
    peer = s.accelerations(
        dependent=(
            lambda q: np.arcsin(l1 * np.sin(q[0]) / l2),
            lambda q, qd: l1 * np.cos(q[0]) * qd[0] / (l2 * np.sqrt(1 - (l1 * np.sin(q[0]) / l2) ** 2)),
            l1 * sin(s.q[0]) - l2 * sin(s.q[1]),
        )
    )
    return Case(model, lambdified(model, efforts), peer)


def cart_with_two_pendulums():
    """A tree with two branches, tied together by a spring and a damper."""
    k, L0, c, d = 25.0, 0.6, 1.5, 0.8
    model = Model("cart", gravity=(0, -9.81, 0))
    x, a, b = model.coordinates("x a b")
    cart = tdisp(x, 0, 0)
    model.body("cart", cart, mass=4, inertia=(0, 0, 0))
    left = model.body("left", cart * tdisp(-0.4, 0, 0) * trotz(a) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.08))
    right = model.body("right", cart * tdisp(0.4, 0, 0) * trotz(b) * tdisp(0, -0.7, 0), mass=2, inertia=(0, 0, 0.3))
    model.add(Spring((left, (0, -0.5, 0)), (right, (0.1, 0.2, 0)), stiffness=k, free_length=L0))
    model.add(Damper((left, (0, -0.5, 0)), (right, (0.1, 0.2, 0)), damping=c))
    model.add(Force(left, (-d * left.vG[0] * left.vG[1], sin(2 * t), 0)))

    def efforts(time, q, qd, bodies):
        _, l, r = bodies
        pull(l, l.T * (0, -0.5, 0), r, r.T * (0.1, 0.2, 0), k, L0, c)
        push(l, np.array([-d * l.vG[0] * l.vG[1], np.sin(2 * time), 0]), l.T.e)

    s = Kane(3, (0, -9.81, 0))
    A, B = s.turned(s.N, (0, 0, 1), s.q[1]), s.turned(s.N, (0, 0, 1), s.q[2])
    s.body(s.N, s.q[0] * s.N.x, 4, (0, 0, 0))
    p, r = (s.q[0] - 0.4) * s.N.x - 0.5 * A.y, (s.q[0] + 0.4) * s.N.x - 0.7 * B.y
    l_, r_ = s.body(A, p, 1, (0, 0, 0.08)), s.body(B, r, 2, (0, 0, 0.3))
    s.spring(l_, p - 0.5 * A.y, r_, r + 0.1 * B.x + 0.2 * B.y, k, L0, c)
    v = p.dt(s.N)
    s.force(l_, s.vec(s.N, -d * v.dot(s.N.x) * v.dot(s.N.y), sin(2 * TIME), 0), p)
    return Case(model, lambdified(model, efforts), s.accelerations())


def opaque_blocks():
    """A raw 4x4 SymPy matrix, a quaternion of an angle, a constant rotation matrix: no factors to see."""
    G, I = (0.1, 0.2, -0.1), (0.2, 0.1, 0.15, 0.02, 0.01, -0.03)
    model = Model("blocks", gravity=(1, 2, -9.81))
    a, b, c = model.coordinates("a b c")
    (l,) = model.parameters(l=0.8)
    rows = [[cos(a), 0, sin(a), l * cos(a)], [0, 1, 0, a / 3], [-sin(a), 0, cos(a), -l * sin(a)], [0, 0, 0, 1]]
    raw = sympy.Matrix(rows)
    fixed = transform([[0, -1, 0], [1, 0, 0], [0, 0, 1]], (0.1, 0.2, 0.3))
    quaternion = tquat(cos(c / 2), 0.6 * sin(c / 2), 0, 0.8 * sin(c / 2))
    model.body("first", raw, mass=1.5, inertia=(0.1, 0.2, 0.3, 0, 0.05, 0))
    model.body("last", raw * (fixed * trotx(b) * quaternion) * tdisp(0, 0, 0.4), mass=2, inertia=I, com=G)

    s = Kane(3, (1, 2, -9.81))
    A = s.turned(s.N, (0, 1, 0), s.q[0])
    B = s.turned(s.turned(A, (0, 0, 1), sympy.pi / 2), (1, 0, 0), s.q[1])
    C = s.turned(B, (0.6, 0, 0.8), s.q[2])
    p = 0.8 * A.x + s.q[0] / 3 * s.N.y
    s.body(A, p, 1.5, (0.1, 0.2, 0.3, 0, 0.05, 0))
    s.body(C, p + s.vec(A, 0.1, 0.2, 0.3) + 0.4 * C.z + s.vec(C, *G), 2, I)
    return Case(model, lambdified(model), s.accelerations())


def top():
    """A top in Euler angles, its tensor full, driven by moments given in its own axes."""
    I = (0.3, 0.35, 0.2, 0.02, -0.03, 0.04)
    model = Model("top", gravity=(0, 0, -9.81))
    a, b, c = model.coordinates("a b c")
    body = model.body("top", rotation_sequence("zxz", a, b, c) * tdisp(0.05, 0, 0.3), mass=2, inertia=I)
    model.add(Moment(body, (0.3 * sin(t), -0.2 * b.dot, 0.1 * c.dot * a), frame=body))

    def efforts(time, q, qd, bodies):
        moment = vcoord(0.3 * np.sin(time), -0.2 * qd[1], 0.1 * qd[2] * q[0])
        bodies[0].MG += bodies[0].T.R * moment

    s = Kane(3, (0, 0, -9.81))
    A = s.turned(s.N, (0, 0, 1), s.q[0])
    C = s.turned(s.turned(A, (1, 0, 0), s.q[1]), (0, 0, 1), s.q[2])
    part = s.body(C, 0.05 * C.x + 0.3 * C.z, 2, I)
    s.torque(part, s.vec(C, 0.3 * sin(TIME), -0.2 * s.qd[1], 0.1 * s.qd[2] * s.q[0]))
    return Case(model, lambdified(model, efforts), s.accelerations(), low=[-3, -2.8, -3], high=[3, -0.4, 3])


def robot():
    """Turret, lift, roll and slide: forces with frame=, at= and reaction=, dependent on velocities."""
    model = Model("robot", gravity=(0, 0, -9.81))
    a, z, r, y = model.coordinates("a z r y")
    column = trotz(a) * tdisp(0, 0, z)
    base = model.body("base", column, mass=25, inertia=(9, 1, 9), com=(0.1, 0, 0.2))
    arm = model.body("arm", column * troty(r) * tdisp(0, y, 0), mass=15, inertia=(1.3, 0.75, 1.5, 0.1, 0.2, -0.3))
    force = (2 * a.dot * r.dot, 5 * sin(t) - 3 * y.dot, 20 * y)
    model.add(Force(arm, force, at=(0.1, 0.2, -0.3), frame=base, reaction=base))
    model.add(Moment(arm, (1, 4 - 0.5 * r.dot, 2), frame=arm, reaction=base))
    model.add(Force(base, (0, 0, 300), at=(0, 0.3, 0)))

    def efforts(time, q, qd, bodies):
        b, p = bodies
        F = b.T.R * vcoord(2 * qd[0] * qd[2], 5 * np.sin(time) - 3 * qd[3], 20 * q[3])
        point = p.T * (0.1, 0.2, -0.3)
        push(p, np.asarray(F), point)
        push(b, -np.asarray(F), point)
        M = p.T.R * vcoord(1, 4 - 0.5 * qd[2], 2)
        p.MG, b.MG = p.MG + M, b.MG - M
        push(b, np.array([0, 0, 300.0]), b.T * (-0.1, 0.3, -0.2))

    s = Kane(4, (0, 0, -9.81))
    A = s.turned(s.N, (0, 0, 1), s.q[0])
    B = s.turned(A, (0, 1, 0), s.q[2])
    origin = s.q[1] * A.z
    b = s.body(A, origin + 0.1 * A.x + 0.2 * A.z, 25, (9, 1, 9))
    p = s.body(B, origin + s.q[3] * B.y, 15, (1.3, 0.75, 1.5, 0.1, 0.2, -0.3))
    F = s.vec(A, 2 * s.qd[0] * s.qd[2], 5 * sin(TIME) - 3 * s.qd[3], 20 * s.q[3])
    at = s.position(p) + s.vec(B, 0.1, 0.2, -0.3)
    s.force(p, F, at)
    s.force(b, -F, at)
    M = s.vec(B, 1, 4 - 0.5 * s.qd[2], 2)
    s.torque(p, M)
    s.torque(b, -M)
    s.force(b, 300 * s.N.z, origin + 0.3 * A.y)
    return Case(model, lambdified(model, efforts), s.accelerations())


def free_body():
    """Six coordinates of one free body, held by a spring and a damper at a corner."""
    k, L0, c, I, G = 40.0, 0.5, 2.0, (0.3, 0.2, 0.4, 0.05, 0.02, -0.03), (0.02, 0.03, -0.05)
    model = Model("free body", gravity=(0, 0, -9.81))
    x, y, z, a, b, g = model.coordinates("x y z a b g")
    box = model.body("box", tdisp(x, y, z) * rotation_sequence("zyx", a, b, g), mass=3, inertia=I, com=G)
    corner, hook = (0.2, 0.3, 0.1), (0, 0, 4)
    model.add(Spring((box, corner), (ground, hook), stiffness=k, free_length=L0))
    model.add(Damper((ground, hook), (box, corner), damping=c))

    def efforts(time, q, qd, bodies):
        (body,) = bodies
        pull(body, body.T * tuple(np.subtract(corner, G)), None, hook, k, L0, c)

    s = Kane(6, (0, 0, -9.81))
    A = s.turned(s.N, (0, 0, 1), s.q[3])
    B = s.turned(A, (0, 1, 0), s.q[4])
    C = s.turned(B, (1, 0, 0), s.q[5])
    p = s.vec(s.N, *s.q[:3])
    part = s.body(C, p + s.vec(C, *G), 3, I)
    s.spring(part, p + s.vec(C, *corner), None, s.vec(s.N, *hook), k, L0, c)
    bounds = np.array([2, 2, 2, 3, 1.2, 3])
    return Case(model, lambdified(model, efforts), s.accelerations(), low=-bounds, high=bounds)


def driven_joints():
    """Joints driven in time beside free ones, a frame that turns about a general axis at a given rate."""
    I = (0.1, 0.2, 0.15, 0.01, 0.02, 0.03)
    model = Model("driven joints", gravity=(0, -9.81, 0))
    a, x, b = model.coordinates("a x b")
    (w,) = model.parameters(w=2.0)
    first = trotz(a + 0.5 * sin(w * t)) * tdisp(1 + x, 0.1 * t, 0)
    second = first * trot((1, -1, 2), 0.7 * t) * trotx(b) * tdisp(0, 0, -0.5)
    model.body("first", first, mass=2, inertia=(0.1, 0.1, 0.2), com=(0, 0.1, 0))
    model.body("second", second, mass=1, inertia=I)
    model.add(GeneralizedForce(x, -6 * x - x.dot))

    def efforts(time, q, qd, bodies):
        first, _ = bodies
        push(first, np.asarray(first.T.R.ux()) * (-6 * q[1] - qd[1]), first.T * (0, -0.1, 0))
        # the force of the slide reacts on the driven arm, whose angle a is free: along the arm, at its own height
        arm = np.asarray(first.T * (0, -0.1, 0))
        moment = np.cross(arm, np.asarray(first.T.R.ux()) * (-6 * q[1] - qd[1]))
        first.MG = first.MG - moment

    s = Kane(3, (0, -9.81, 0))
    A = s.turned(s.N, (0, 0, 1), s.q[0] + sin(2 * TIME) / 2)
    B = s.turned(s.turned(A, (1, -1, 2), 0.7 * TIME), (1, 0, 0), s.q[2])
    p = (1 + s.q[1]) * A.x + 0.1 * TIME * A.y
    part = s.body(A, p + 0.1 * A.y, 2, (0.1, 0.1, 0.2))
    s.body(B, p - 0.5 * B.z, 1, I)
    F = (-6 * s.q[1] - s.qd[1]) * A.x
    s.force(part, F, p)
    s.torque(part, -(p ^ F))
    return Case(model, lambdified(model, efforts), s.accelerations())


def geared_rotors():
    """A rotor of no mass that only turns, geared to a wheel, in a housing that turns about another axis."""
    model = Model("gears", gravity=(0, 0, -9.81))
    q, h = model.coordinates("q h")
    ratio, m = model.parameters(ratio=-3.5, m=1.2)
    housing = trotx(h)
    model.body("housing", housing, mass=3, inertia=(0.3, 0.2, 0.25, 0, 0.05, 0), com=(0, 0.1, 0.2))
    model.body("wheel", housing * tdisp(0, 0, 0.3) * troty(q), mass=m, inertia=(0.02, m * 0.04, 0.02))
    model.body("rotor", housing * troty(ratio * q), mass=0, inertia=(0.001, 0.003, 0.002))
    model.add(GeneralizedForce(q, 0.4 - 0.1 * q.dot))

    def efforts(time, q, qd, bodies):
        moment = bodies["wheel"].T.R.uy() * (0.4 - 0.1 * qd[0])
        bodies["wheel"].MG += moment
        bodies["housing"].MG -= moment

    s = Kane(2, (0, 0, -9.81))
    A = s.turned(s.N, (1, 0, 0), s.q[1])
    B, C = s.turned(A, (0, 1, 0), s.q[0]), s.turned(A, (0, 1, 0), -3.5 * s.q[0])
    box = s.body(A, 0.1 * A.y + 0.2 * A.z, 3, (0.3, 0.2, 0.25, 0, 0.05, 0))
    wheel = s.body(B, 0.3 * A.z, 1.2, (0.02, 0.048, 0.02))
    s.body(C, 0 * A.x, 0, (0.001, 0.003, 0.002))
    M = (0.4 - 0.1 * s.qd[0]) * A.y
    s.torque(wheel, M)
    s.torque(box, -M)
    return Case(model, lambdified(model, efforts), s.accelerations())


CASES = {
    f.__name__: f
    for f in (
        double_pendulum, driven_slot, spatial_arm, moving_base, slider_crank, cart_with_two_pendulums, opaque_blocks,
        top, robot, free_body, driven_joints, geared_rotors,
    )
}  # fmt: skip


@cache
def case(name):
    return CASES[name]()


@cache
def textbook(name):
    """(c): M and h of model.equations() in numbers."""
    model = case(name).model
    equations, mechanism = model.equations(), model.mechanism
    values = {p: model.values()[str(p)] for p in mechanism.parameters}
    arguments = [t, list(mechanism.coordinates), [q.dot for q in mechanism.coordinates]]
    entries = [equations.M.xreplace(values), equations.h.xreplace(values)]
    function = sympy.lambdify(arguments, entries, modules="numpy", cse=True)
    return lambda *state: [np.array(x, dtype=float) for x in function(*state)]


def difference(x, y):
    """Largest difference relative to the size of what is compared."""
    return np.abs(np.asarray(x) - np.asarray(y)).max() / np.abs(x).max()


LONG = ("moving_base", "opaque_blocks")
EVERY = pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name in LONG else ()) for name in CASES]
)


@pytest.mark.one_in(12)
@EVERY
def test_all_derivations_give_the_same_accelerations(name, rng):
    each = case(name)
    recursive, explicit = each.model.compile(), each.model.compile(scheme="explicit")
    motor = each.model.compile("python", "motor")
    book = textbook(name)
    for time, q, qd in each.states(rng):
        expected = recursive.accelerations(time, q, qd)
        M, h = book(time, q, qd)
        assert np.all(np.isfinite(expected)) and np.abs(expected).max() > 1e-3
        assert difference(expected, explicit.accelerations(time, q, qd)) < TOLERANCE
        assert difference(expected, motor.accelerations(time, q, qd)) < TOLERANCE
        assert difference(expected, np.linalg.solve(M, -h.ravel())) < TOLERANCE
        assert difference(expected, each.system.accelerations(time, q, qd)) < TOLERANCE
        assert difference(expected, each.peer(time, q, qd)) < TOLERANCE


@pytest.mark.one_in(4)
@EVERY
def test_all_derivations_give_the_same_residual_and_mass_matrix(name, rng):
    each = case(name)
    recursive, explicit = each.model.compile(), each.model.compile(scheme="explicit")
    motor = each.model.compile("python", "motor")
    book = textbook(name)
    for time, q, qd in each.states(rng, 3):
        qdd = rng.uniform(-5, 5, each.system.n)
        f, M = recursive.residual(time, q, qd, qdd), recursive.mass_matrix(time, q)
        book_M, book_h = book(time, q, qd)
        assert difference(f, explicit.residual(time, q, qd, qdd)) < TOLERANCE
        assert difference(f, motor.residual(time, q, qd, qdd)) < TOLERANCE
        assert difference(f, book_M @ qdd + book_h.ravel()) < TOLERANCE
        assert difference(f, each.system.residual(time, q, qd, qdd)) < TOLERANCE
        assert difference(M, explicit.mass_matrix(time, q)) < TOLERANCE
        assert difference(M, motor.mass_matrix(time, q)) < TOLERANCE
        assert difference(M, book_M) < TOLERANCE
        assert difference(M, each.system.mass_matrix(time, q)) < TOLERANCE


@pytest.mark.one_in(10)
@EVERY
def test_check_motion_accepts_right_kinematics(name):
    each = case(name)
    each.system.q = np.broadcast_to(np.add(each.low, each.high) / 2, (each.system.n,)).copy()  # samples stand about it
    assert check_motion(each.system) == []


@pytest.mark.parametrize("scheme", ["recursive", "explicit", "motor"])
def test_parameters_change_without_deriving_again(scheme, rng):
    """Overriding a value equals a model written with that value."""
    long = Model("double pendulum", gravity=(0, -9.81, 0))
    q1, q2 = long.coordinates("q1 q2")
    long.body("upper", trotz(q1) * tdisp(0, -0.85, 0), mass=1.1, inertia=(1, 1, 0.15))
    lower = long.body("lower", trotz(q1) * tdisp(0, -1.7, 0) * trotz(q2) * tdisp(0, -0.55, 0), mass=0.9,
                      inertia=(1, 1, 0.11))  # fmt: skip
    long.add(GeneralizedForce(q1, -0.3 * q1.dot), GeneralizedForce(q2, -0.3 * q2.dot))
    long.add(Spring((lower, (0, -0.55, 0)), (ground, (1.5, 0.3, 0.2)), stiffness=20, free_length=0.5))
    system = case("double_pendulum").model.compile(scheme=scheme)
    for time, q, qd in case("double_pendulum").states(rng):
        overridden = system.accelerations(time, q, qd, parameters={"l1": 1.7})
        assert difference(long.compile(scheme=scheme).accelerations(time, q, qd), overridden) < TOLERANCE
        assert difference(overridden, system.accelerations(time, q, qd)) > 1e-4


# -- kinematics that are wrong --------------------------------------------------------------------------------------


def spoiled(name, spoil):
    """The hand-written system `name` with its motion spoiled by spoil(t, q, qd, qdd, bodies)."""
    right = CASES[name]().system

    def motion(time, q, qd, qdd, bodies):
        filled = right.motion(time, q, qd, qdd)
        for body, good in zip(bodies, filled, strict=True):
            body.T, body.vG, body.omega, body.aG, body.omegad = good.T, good.vG, good.omega, good.aG, good.omegad
        spoil(time, q, qd, qdd, bodies)

    system = System("spoiled", motion, coordinates=right.names)
    for body in right.new_bodies():
        system.body(body.name, mass=body.mass, inertia=body.inertia)
    return system


def named(findings):
    """{(body, component, quantity)} of the sentences."""
    found = set()
    for sentence in findings:
        body, rest = sentence.split("': component ")
        found.add((body.removeprefix("body '"), rest[0], rest.split(" of ")[1].split(" ")[0]))
    return found


def test_check_motion_names_a_wrong_sign():
    def spoil(_, q, qd, qdd, bodies):
        bodies[1].omega = bodies[0].omega - vcoord(0, 0, qd[1])

    findings = check_motion(spoiled("double_pendulum", spoil))
    assert named(findings) == {("lower", "z", "omega"), ("lower", "z", "omegad")}
    assert any("angular velocity" in sentence and "rad/s" in sentence for sentence in findings)


def test_check_motion_names_a_forgotten_centrifugal_term():
    def spoil(_, q, qd, qdd, bodies):
        b = bodies[0]
        b.aG = cross(b.omegad, b.T.e)  # without omega x (omega x r)

    assert named(check_motion(spoiled("double_pendulum", spoil))) == {("upper", "x", "aG"), ("upper", "y", "aG")}


def test_check_motion_names_a_forgotten_explicit_time_term():
    def spoil(_, q, qd, qdd, bodies):
        bodies[0].omega = vcoord(0, 0, 0)  # the slot turns as a function of time alone

    assert named(check_motion(spoiled("driven_slot", spoil))) == {("slider", "z", "omega")}

    def forget_the_drive(time, q, qd, qdd, bodies):
        b = bodies[0]
        b.vG = b.T.R.ux() * qd[0]
        b.aG = b.T.R.ux() * qdd[0]

    found = named(check_motion(spoiled("driven_slot", forget_the_drive)))
    assert found == {("slider", c, quantity) for c in "xy" for quantity in ("vG", "aG")}


def test_check_motion_names_coriolis_acceleration_counted_once():
    def spoil(_, q, qd, qdd, bodies):
        b = bodies[0]
        b.aG = b.aG - cross(b.omega, b.T.R.ux() * qd[0])

    findings = check_motion(spoiled("driven_slot", spoil))
    assert named(findings) == {("slider", "x", "aG"), ("slider", "y", "aG")}
    assert all("as written, but the derivative of T gives" in sentence for sentence in findings)


def test_check_motion_names_spatial_omega_cross_axis_left_out():
    def spoil(_, q, qd, qdd, bodies):
        axis = bodies[0].T.R.ux()
        bodies[1].omegad = bodies[0].omegad + axis * qdd[1]  # without omega1 x axis * qd2

    found = named(check_motion(spoiled("spatial_arm", spoil)))
    assert found == {("link 2", "x", "omegad"), ("link 2", "y", "omegad")}


def test_rows_times_columns_and_dyads_stay_matrices():
    """What a body gives is a matrix of SymPy's: v.T v is the speed squared, v v.T a dyad with powers."""
    model = Model("pendulum")
    (q,) = model.coordinates("q")
    body = model.body("bob", trotz(q) * tdisp(0, -2, 0), mass=1, inertia=(0, 0, 0))
    v = body.v
    assert sympy.simplify((v.T * v)[0] - v.dot(v)) == 0
    assert sympy.simplify((v * v.T) ** 2 - v.dot(v) * v * v.T) == sympy.zeros(3)
    assert v.T * sympy.eye(3) == v.T
    for make in (lambda: v * v, lambda: v**2, lambda: v ^ v):
        with pytest.raises(InputError, match="column \\* column is ambiguous"):
            make()
