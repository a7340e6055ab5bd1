"""The equations that are shown are short, without simplification: beside LagrangesMethod and KanesMethod of SymPy.

Counted are the operations (`sympy.count_ops`) of M and of the forcing together, for eleven systems. The frames and
points for SymPy are made from the same products of factors, one frame for each turn, as its manual does it:
`orient_axis`, and `v2pt_theory` where a displacement is constant.
"""

import time
from pathlib import Path

import numpy as np
import pytest
import sympy
import sympy.physics.mechanics as me

from easydyn import Force, Model, Moment, inertia_tensor, t, tdisp, transform, trotx, troty, trotz
from easydyn.examples import spatial_robot
from easydyn.mechanics.kinematics import SymbolicCalculus, motion
from easydyn.mechanics.shortest import Shortest
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Transform, Turn

TURNS = {"x": trotx, "y": troty, "z": trotz}


def free_turns(order, arm=False):
    """A body on three rotations; as a pendulum with its centre of mass off the point at which it hangs."""
    model = Model(order)
    A, B, C, m, l, g = model.parameters("A B C m l g")
    T = tdisp(0, 0, 0)
    for axis, q in zip(order, model.coordinates("q1 q2 q3"), strict=True):
        T = T * TURNS[axis](q)
    if arm:
        model.gravity = (0, 0, -g)
    model.body("body", T * tdisp(0, 0, -l) if arm else T, mass=m if arm else 0, inertia=(A, B, C))
    return model


def furuta():
    model = Model("Furuta pendulum")
    m1, m2, L, l1, l2, g = model.parameters("m1 m2 L l1 l2 g")
    I, J = (inertia_tensor(*model.parameters(" ".join(f"{x}{k}" for k in range(6)))) for x in "IJ")
    model.gravity = (0, 0, -g)
    a, b = model.coordinates("a b")
    model.body("arm", trotz(a) * tdisp(l1, 0, 0), mass=m1, inertia=I)
    model.body("rod", trotz(a) * tdisp(L, 0, 0) * trotx(b) * tdisp(0, 0, -l2), mass=m2, inertia=J)
    return model


def gimbals():
    model = Model("gyroscope in gimbals")
    a, b, c = model.coordinates("a b c")
    T = trotz(a), trotz(a) * trotx(b), trotz(a) * trotx(b) * trotz(c)
    for k, frame in enumerate(T):
        model.body(f"ring {k}", frame, mass=0, inertia=model.parameters(f"A{k} B{k} C{k}"))
    return model


def chain(n, cart=False):
    model = Model(f"{n} links")
    (g,) = model.parameters("g")
    T = tdisp(0, 0, 0)
    model.gravity = (0, -g, 0)
    if cart:
        T = tdisp(model.coordinate("x"), 0, 0)
        model.body("cart", T, mass=model.parameters("M")[0], inertia=(0, 0, 0))
    for k in range(n):
        m, l, s, J = model.parameters(f"m{k} l{k} s{k} J{k}")
        T = T * trotz(model.coordinate(f"q{k}"))
        model.body(f"link {k}", T * tdisp(0, -s, 0), mass=m, inertia=(0, 0, J))
        T = T * tdisp(0, -l, 0)
    return model


def slung_load():
    model = Model("quadrotor")
    M, m, L, A, B, C, g = model.parameters("M m L A B C g")
    x, y, z, yaw, pitch, roll, a, b = model.coordinates("x y z yaw pitch roll a b")
    push, *turn = (model.input(name, 0) for name in ("u", "tx", "ty", "tz"))
    model.gravity = (0, 0, -g)
    body = model.body("body", tdisp(x, y, z) * trotz(yaw) * troty(pitch) * trotx(roll), mass=M, inertia=(A, B, C))
    model.body("load", tdisp(x, y, z) * trotx(a) * troty(b) * tdisp(0, 0, -L), mass=m, inertia=(0, 0, 0))
    model.add(Force(body, (0, 0, push), frame=body), Moment(body, turn, frame=body))
    return model


def two_balls():
    model = Model("spherical double pendulum")
    m1, m2, l1, l2, g = model.parameters("m1 m2 l1 l2 g")
    a, b, c, d = model.coordinates("a b c d")
    model.gravity = (0, 0, -g)
    T = trotx(a) * troty(b) * tdisp(0, 0, -l1)
    model.body("ball 1", T, mass=m1, inertia=(0, 0, 0))
    model.body("ball 2", T * trotx(c) * troty(d) * tdisp(0, 0, -l2), mass=m2, inertia=(0, 0, 0))
    return model


# operations of M and forcing: ours; by SymPy 1.14 the shorter of its two methods
SYSTEMS = {
    "body on zxz": (lambda: free_turns("zxz"), 311, 498),
    "body on zyx": (lambda: free_turns("zyx"), 315, 501),
    "3-D pendulum": (lambda: free_turns("zxz", arm=True), 358, 775),
    "Furuta pendulum": (furuta, 214, 300),
    "gyroscope in gimbals": (gimbals, 369, 584),
    "double pendulum": (lambda: chain(2), 77, 104),
    "triple pendulum": (lambda: chain(3), 371, 575),
    "cart with double pendulum": (lambda: chain(2, cart=True), 205, 211),
    "spatial robot of the paper": (spatial_robot, 986, 1457),
    "quadrotor with a slung load": (slung_load, 664, 812),
    "spherical double pendulum": (two_balls, 1073, 2020),
}


def by_sympy(model, kinds=(False, True)):
    """M and forcing by LagrangesMethod and by KanesMethod."""
    mechanism, N = model.mechanism, me.ReferenceFrame("N")
    q = [me.dynamicsymbols(str(x)) for x in mechanism.coordinates]
    now, same = me.dynamicsymbols._t, dict(zip(mechanism.coordinates, q, strict=True))
    found = []
    for kane in kinds:
        u = [me.dynamicsymbols(f"u{k}") if kane else x.diff() for k, x in enumerate(q)]
        speeds = {x.diff(): y for x, y in zip(q, u, strict=True)}

        def inside(frame, components, same=same):
            return sum((sympy.sympify(c).xreplace(same) * e for c, e in zip(components, frame, strict=True)), 0 * N.x)

        def rates(frame, components, speeds=speeds, same=same):
            moving = [sympy.sympify(c).xreplace(same).diff(now).xreplace(speeds) for c in components]
            return sum((c * e for c, e in zip(moving, frame, strict=True)), 0 * N.x)

        origin = me.Point("O")
        origin.set_vel(N, 0 * N.x)
        known, bodies, loads = {(): (N, origin)}, [], []
        for body in mechanism.bodies:
            key = ()
            for factor in body.frame_at_G.factors:
                (frame, point), key = known[key], (*key, factor)
                if key in known:
                    continue
                if isinstance(factor, Turn):
                    turned = me.ReferenceFrame(f"F{len(known)}")
                    axis = inside(frame, factor.axis)
                    angle = sympy.sympify(factor.angle).xreplace(same)
                    turned.orient_axis(frame, axis, angle)
                    turned.set_ang_vel(frame, axis * angle.diff(now).xreplace(speeds))
                    known[key] = turned, point
                else:
                    to = point.locatenew(f"P{len(known)}", inside(frame, factor.e))
                    moving = rates(frame, factor.e)
                    if moving != 0:
                        spin = frame.ang_vel_in(N) if frame is not N else 0 * N.x
                        to.set_vel(N, point.vel(N) + moving + spin.cross(inside(frame, factor.e)))
                    else:
                        to.set_vel(N, point.vel(N)) if frame is N else to.v2pt_theory(point, N, frame)
                    known[key] = frame, to
            frame, point = known[key]
            I, m = body.inertia, sympy.sympify(body.mass)
            tensor = me.inertia(frame, *map(sympy.sympify, (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[0, 2])))
            bodies.append(me.RigidBody(body.name, point, frame, m, (tensor, point)))
            weight = m * inside(N, mechanism.gravity, {})
            bodies[-1].potential_energy = -(weight & point.pos_from(origin)) if weight != 0 else 0
            loads += [(point, weight)] if kane and weight != 0 else []
        for effort in mechanism.efforts if model.name == "quadrotor" else ():
            given = effort.force if isinstance(effort, Force) else effort.moment
            body = next(b for b in bodies if b.name == effort.body.name)
            loads.append((body.masscenter if isinstance(effort, Force) else body.frame, inside(body.frame, given, {})))
        if kane:
            method = me.KanesMethod(N, q, u, [x.diff() - y for x, y in zip(q, u, strict=True)])
            method.kanes_equations(bodies, loads or None)
        else:
            method = me.LagrangesMethod(me.Lagrangian(N, *bodies), q, forcelist=loads, frame=N)
            method.form_lagranges_equations()
        found.append((method.mass_matrix, method.forcing))
    return found


def operations(parts):
    return sum(map(sympy.count_ops, parts))


def test_rates_in_the_axes_of_any_factor_are_those_of_the_textbook():
    """Velocities and accelerations, partial ones too, of turns, shifts and matrices that move with time as well."""
    q, p = (Coordinate(x) for x in "qp")
    block = transform((trotx(q) * troty(p * t)).R.matrix, (q, 0, t))
    T = trotz(q) * block * tdisp(0, p, 1) * trotx(p)
    calculus = SymbolicCalculus([q, p])
    short = Shortest([q, p], calculus)
    exact = motion(T, [q, p], [q.dot, p.dot], t, calculus, {})
    at = {q: 0.3, p: -0.7, q.dot: 1.1, p.dot: 0.6, q.ddot: 0, p.ddot: 0, t: 0.4}

    def number(u):
        return [float(sympy.sympify(x).xreplace(at)) for x in u]

    for k in range(len(T.factors) + 1):
        R, r = Transform(T.factors[:k]).R, short.rates(T, k)
        for own, other in ((r.v, exact.v), (r.omega, exact.omega), (r.a, exact.a), (r.alpha, exact.alpha),
                           *zip(r.d, exact.d, strict=True), *zip(r.theta, exact.theta, strict=True)):  # fmt: skip
            assert number(R * own) == pytest.approx(number(other), abs=1e-12), k


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", SYSTEMS)
def test_equations_are_no_longer_than_those_of_sympy(name):
    build, ours, shorter = SYSTEMS[name]
    model, began = build(), time.process_time()
    eom = model.equations()
    found = operations((eom.M, eom.h))
    took = time.process_time() - began
    assert found == ours <= shorter and took < 3  # 1 s on a core that nothing else uses


@pytest.mark.nightly
@pytest.mark.parametrize("name", SYSTEMS)
def test_sympy_is_counted_rightly(name):
    build, _, shorter = SYSTEMS[name]
    assert min(map(operations, by_sympy(build()))) == shorter


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["double pendulum", "Furuta pendulum"])
def test_simplified_equations_are_shorter_and_the_same(name, rng):
    eom = SYSTEMS[name][0]().equations()
    short = eom.simplified()
    assert all(sympy.count_ops(getattr(short, x)) <= sympy.count_ops(getattr(eom, x)) for x in ("M", "f", "coriolis"))
    at = {s: rng.uniform(0.3, 1) for s in eom.M.free_symbols | eom.h.free_symbols}
    for x in ("M", "h"):
        one, other = (np.array(getattr(e, x).xreplace(at), dtype=float) for e in (eom, short))
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-13)


@pytest.mark.nightly
@pytest.mark.parametrize("name", SYSTEMS)
def test_simplified_equations_are_no_longer_than_those_of_lagrange_after_trigsimp(name):
    model = SYSTEMS[name][0]()
    short, ((M, forcing),) = model.equations().simplified(), by_sympy(model, [False])
    assert operations((short.M, short.h)) <= operations((sympy.trigsimp(M), sympy.trigsimp(forcing)))


def test_the_document_has_the_counts_of_today():
    page = (Path(__file__).parent.parent / "docs" / "validation.md").read_text(encoding="utf-8")
    for name, (_, ours, shorter) in SYSTEMS.items():
        assert f"| {name} | {ours} | {shorter} |" in page
