"""What `model.equations()` shows is what is solved: beside the compiled system, in independent coordinates, too.

Five states at random, in which the loops are closed: the whole [[M, -W], [W', 0]] and its right side beside the
residual, then its solution, and that of `reduced()`, beside the accelerations.
"""

import functools

import numpy as np
import pytest
from mechanisms.published import PUBLISHED
from mistakes import explained
from scipy import optimize
from sympy import cos, sin
from test_linkages import CASES as LINKAGES
from test_linkages import made
from test_mechanisms import CASES as MECHANISMS

from easydyn import (
    Clutch,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    RigidContact,
    examples,
    ground,
    t,
    tdisp,
    trotx,
    trotz,
)
from easydyn.engine.graph import Graph
from easydyn.engine.program import Program
from easydyn.engine.sympy_bridge import FromSympy
from easydyn.engine.targets import python_functions
from easydyn.errors import AssemblyError

ALL = {f"example {name}": functools.partial(lambda n: getattr(examples, n)(), name) for name in examples.MODELS}
ALL |= {f"linkage {name}": functools.partial(lambda n: made(n)[0], name) for name in LINKAGES}
ALL |= {f"mechanism {name}": functools.partial(lambda n: MECHANISMS[n].build()[0], name) for name in MECHANISMS}
ALL |= {f"published {name}": functools.partial(lambda n: PUBLISHED[n].build()[0], name) for name in PUBLISHED}
# five seconds each, and up to a minute: at night
NIGHTLY = """example falling_chain; example robot_r3; example seven_axis_arm; linkage scissor; mechanism squeezer;
mechanism Bricard; mechanism five-link suspension; mechanism two Jansen legs; example planar_bicycle;
published Elementary.HeatLosses; example tyre_drop; linkage hexapod; mechanism hexapod; mechanism Jansen;
mechanism V6 engine; mechanism wheel loader; mechanism Whipple's bicycle"""
# SymPy itself would take more than four minutes; ThreeSprings has a test of its own
LARGE = """mechanism scissor lift of 20 stages; mechanism closed chain; published Elementary.ThreeSprings"""


def function_of(parts, where, symbols):
    """Of values of the `symbols`: the parts in numbers, after the formulas in `where`, one after the other."""
    graph = Graph()
    known = {s: graph.input("q", k) for k, s in enumerate(symbols)}
    for s, e in where:
        known[s] = known[s] if s in symbols else FromSympy(graph, known)(e)
    value = FromSympy(graph, known)
    prologue, evaluate = python_functions(Program("parts", [value(e) for part in parts for e in part], ()))
    ends = np.cumsum([part.rows * part.cols for part in parts])[:-1]

    def function(values):
        found = np.array(evaluate(0.0, values, [], [], prologue([], ())), dtype=float)
        return [x.reshape(part.shape) for x, part in zip(np.split(found, ends), parts, strict=True)]

    return function


def states_of(model, rng, count):
    """Consistent states near the start: q, qd of the coordinates and states, without multipliers."""
    m, found = model.mechanism, []
    q0, qd0 = model.initial()
    n, own = len(m.coordinates), len(m.unknowns)
    names = [str(x) for x in m.coordinates]
    closed = model.solver.closed(None, model.values())[0] if m.constraints else None
    free = closed.independent if closed else names
    size = np.array([0.1 if m.units.get(name) == "rad" else 0.02 for name in names])
    for _ in range(50):
        q, qd = q0.copy(), qd0.copy()
        q[:n] += size * rng.uniform(-1, 1, n)
        qd[:n] += rng.uniform(-1, 1, n)
        qd[n:own] += 0.1 * rng.uniform(-1, 1, own - n) * (1 + abs(qd[n:own]))
        if closed:
            start = {x: q[names.index(x)] for x in free} | {f"{x}.dot": qd[names.index(x)] for x in free}
            try:
                there = model.assemble(start)
            except AssemblyError:
                continue
            q[:n], qd[:n] = [there[x] for x in names], [there[f"{x}.dot"] for x in names]
        found.append((q[:own], qd[:own]))
        if len(found) == count:
            return found
    raise AssertionError("no states")


def compared(model, rng, count=5):
    """The largest relative errors of the whole, of the accelerations, and of those of the reduced form."""
    eom, m, values, system = model.equations(), model.mechanism, model.values(), model.compile("python")
    reduced = eom.reduced()
    parts = [eom.mass_matrix_full, eom.forcing_full, reduced.M, reduced.h, eom.B, eom.b]
    n, states = len(m.coordinates), eom.mechanism.states
    symbols = [t, *m.coordinates, *(q.dot for q in m.coordinates), *states, *m.parameters]
    others = {s for e in [*parts, *(e for _, e in reduced.where)] for s in e.free_symbols} - set(symbols)
    others = sorted(others - {s for s, _ in reduced.where}, key=str)
    known = {**system.inputs, **m.references}
    fixed = [values[str(p)] for p in m.parameters] + [known.get(str(s), 0.0) for s in others]
    function, errors = function_of(parts, reduced.where, [*symbols, *others]), np.zeros(3)
    for at, rates in states_of(model, rng, count):
        q, qd, own = np.zeros(system.n), np.zeros(system.n), len(rates)
        q[:own], qd[:own] = at, rates
        full, right, M, h, B, b = function([0.3, *q[:n], *qd, *fixed])
        x = rng.uniform(-1, 1, system.n)
        lacks = full @ x[:, None] - right - system.residual(0.3, q, qd, x)[:, None]
        qdd = system.accelerations(0.3, q, qd)[:own, None]
        solved, free = np.linalg.solve(full, right)[:own], np.linalg.solve(M, -h)
        sizes = np.abs(full * x).sum() + np.abs(right).sum(), np.abs(qdd).max() + 1e-3
        found = np.abs(lacks) / sizes[0], np.abs(solved - qdd) / sizes[1], np.abs(B @ free + b - qdd) / sizes[1]
        errors = np.maximum(errors, [e.max(initial=0) for e in found])
    return errors


QUICK = "example dc_motor", "example bouncing_ball", "mechanism gears", "mechanism sleigh", "mechanism Oldham"
EACH = [pytest.param(name, marks=() if name in QUICK else pytest.mark.nightly if k % 5 else pytest.mark.long)
        for k, name in enumerate(name for name in ALL if name not in LARGE and name not in NIGHTLY)]  # fmt: skip
EACH += [pytest.param(name, marks=pytest.mark.nightly) for name in ALL if name in NIGHTLY]


@pytest.mark.parametrize("name", EACH)
def test_what_is_shown_is_what_is_solved(name, rng):
    assert (compared(ALL[name](), rng) < [1e-10, 1e-9, 1e-9]).all()


@pytest.mark.long
def test_points_without_mass_are_where_their_loads_balance(rng):
    """Their rows have no rates, the whole matrix is singular; where they hold, the others are those of the system."""
    model = ALL["published Elementary.ThreeSprings"]()
    eom, m, system = model.equations(), model.mechanism, model.compile("python")
    symbols = [*m.coordinates, *(q.dot for q in m.coordinates), *eom.mechanism.states]
    parts = eom.mass_matrix_full, eom.forcing_full
    others = sorted({s for part in parts for s in part.free_symbols} - {*symbols}, key=str)
    function = function_of(parts, [], [*symbols, *others])
    for q, qd in states_of(model, rng, 5):

        def rows(knots, q=q, qd=qd):
            full, right = function([*q[:6], *qd[:6], *knots, *(m.references[str(s)] for s in others)])
            return full, right[:, 0]

        qd[6:] = optimize.root(lambda knots: rows(knots)[1][6:], qd[6:], tol=1e-14).x  # noqa: B023
        (full, right), x = rows(qd[6:]), rng.uniform(-1, 1, 9)
        assert not full[6:].any() and abs(right[6:]).max() < 1e-12
        assert (full @ x - right)[:6] == pytest.approx(system.residual(0.3, q, qd, x)[:6], rel=1e-10, abs=1e-10)


def test_what_holds_in_a_mode_has_a_multiplier():
    """A block that lies and sticks, or slides; two shafts in a clutch, or locked: beside what is known."""
    model = Model("block", gravity=(0, -10, 0))
    x, y = model.coordinates("x y")
    block = model.body("block", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(block, (5, 0, 0)))
    model.add(RigidContact(y, restitution=0, friction=0.3, slip=block.v[0], name="floor"))
    on = {"floor.closed": 1}
    stuck = on | {"floor_friction.sticks": 1}
    for mode, speed, loads, a in (({}, 1, [], 2.5), (on, 1, [20], -0.5), (stuck, 0, [20, -5], 0)):
        eom, at = model.equations(mode), {x: 0, y: 0, x.dot: speed, y.dot: 0}
        solution = list(eom.mass_matrix_full.xreplace(at).LUsolve(eom.forcing_full.xreplace(at)))
        assert solution[0] == pytest.approx(a) and solution[4 - len(loads) :] == pytest.approx(loads)
        assert len(eom.multipliers) == len(loads)
        assert len(eom.Phi) == bool(loads) and len(eom.rates) == (len(loads) == 2)
        reduced = eom.reduced()
        free = reduced.M.xreplace(at).LUsolve(-reduced.h.xreplace(at))
        assert list(eom.B.xreplace(at) * free + eom.b.xreplace(at))[:1] == pytest.approx(solution[:1])

    shafts = Model("shafts")
    p, q = shafts.coordinates("p q")
    for angle in (p, q):
        shafts.body(f"shaft {angle}", trotz(angle), mass=0, inertia=(0, 0, 1))
    shafts.add(Clutch(p, q, level=1), JointFriction(p, 5), GeneralizedForce(p, 4))
    shafts.lock(q)
    assert list(shafts.equations().multipliers) == [shafts.locking_force(q)]
    engaged = shafts.equations({"p_q_clutch.sticks": 1})
    assert list(engaged.W) == [1, -1] and list(engaged.rates) == [p.dot - q.dot]
    assert list(engaged.reduced().M) == [2] and list(engaged.B) == [1, 1]
    held = shafts.equations({"p_friction.sticks": 1})
    assert str(held.multipliers[0]) == "p.holding_force" and list(held.rates) == [p.dot]


def test_angular_velocity_in_any_axes(rng):
    model = Model("gyroscope")
    a, b, c = model.coordinates("a b c")
    ring = model.body("ring", trotz(a) * trotx(b), mass=0, inertia=(1, 1, 1))
    rotor = model.body("rotor", ring.T * trotz(c), mass=0, inertia=(1, 1, 2))
    assert list(rotor.omega_in(ring)) == [b.dot, a.dot * sin(b), a.dot * cos(b) + c.dot]
    assert ring.omega_in(ground) == ring.omega
    at = {s: rng.uniform(-1, 1) for s in rotor.omega.free_symbols | {a, b, c}}
    for of, body in ((rotor, rotor), (ring, rotor)):
        expected = np.array(body.T.R.T.matrix * of.omega, dtype=object)
        found = of.omega_in(body).xreplace(at)
        assert [float(x) for x in found] == pytest.approx([float(x.xreplace(at)) for x in expected.ravel()], abs=1e-14)


test_mistake_is_explained = explained(__file__)
