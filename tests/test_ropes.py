"""Ropes over pulleys: closed forms, own derivations, energy; and the mistakes with them."""

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.integrate import quad, solve_ivp
from scipy.sparse.csgraph import dijkstra

from easydyn import (
    Around,
    Contact,
    Force,
    GeneralizedForce,
    Model,
    Pulley,
    Rope,
    Spring,
    TorsionSpring,
    Winch,
    ground,
    shapes,
    t,
    tdisp,
    trot,
    trotx,
    troty,
    trotz,
    visu,
)
from easydyn.errors import DomainError, IntegrationError
from easydyn.mechanics.mechanism import Body
from easydyn.touch.contact import InSymbols
from easydyn.touch.path import PIECES, Path, Point
from easydyn.vec.tensors import ZERO, Inertia
from easydyn.visu.motion import frames_at

G = 9.81


def kept(run, limit=1e-8):
    """The energy balance of a run holds."""
    return np.ptp(run.energy.balance) <= limit


def point(model, name, x, y, mass):
    return model.body(name, tdisp(x, y, 0), mass=mass, inertia=(0, 0, 0))


# -- reeves and machines --


@pytest.mark.parametrize(
    "path, stiffness, depth",
    [([], None, 0.5), ([Pulley(ground, 0)], None, 0.5), ([], 100, 0.5 + G / 200 + np.hypot(G / 200, (G / 200) ** 0.5))],
)
def test_a_body_falls_from_the_place_where_its_rope_is_fixed(path, stiffness, depth):
    """Slack strands of the length zero do not pull: free fall, then rest (rigid), or the depth of the same energy."""
    model = Model("bungee", gravity=(0, -G, 0))
    body = point(model, "jumper", *model.coordinates("x y", initial=(0, 0)), 1)
    fixed = (ground, (-1, 0, 0)) if path else ground
    model.add(Rope(fixed, *path, body, length=0.5 + bool(path), stiffness=stiffness, name="rope"))
    run = model.simulate(0.47 if stiffness else 1, method="dop853", tolerance=1e-10)
    fall = (2 * 0.5 / G) ** 0.5
    assert kept(run) and run.events[0].t == pytest.approx(fall, rel=1e-9)
    assert run["y"].min() == pytest.approx(-depth, abs=1e-5)


def hoist(n, M, m, r=0.05):
    """A load M on n strands of a rope whose free end is m: its strands are side by side, 2 r apart."""
    model = Model(f"hoist {n}", gravity=(0, -G, 0))
    y, z = model.coordinates("y z", initial=(-3, -1))
    load = point(model, "load", 0, y, M)
    end = point(model, "end", 2 * r * n, z, m)
    start = (ground, (0, 0, 0)) if n % 2 == 0 else load
    path = [start]
    for k in range(n):
        low = (k + n) % 2 == 0  # from the ground down to the load
        x = (2 * k + 1) * r
        path.append(Pulley((load if low else ground, (x, 0, 0)), r, side="left" if low else "right"))
    model.add(Rope(*path, end, name="rope"))
    return model.simulate(0.05, save_every=0.05, tolerance=1e-10)


@pytest.mark.parametrize("n", [2, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 3, 4, 5, 6))])
def test_hoist_on_n_strands(n):
    """m falls with (m - M/n) g/(m + M/n^2), and the rope carries m (g - a)."""
    M, m = 7.0, 5.0
    run = hoist(n, M, m)
    a = (m - M / n) * G / (m + M / n**2)
    assert abs(run["z.ddot"][-1] + a) < 1e-9 and abs(run["y.ddot"][-1] - a / n) < 1e-9
    assert abs(run["rope.tension"][-1] - m * (G - a)) < 1e-8 and kept(run)


def atwood(m1, m2, r=0.1, rubs=None, J=None, whole=True, **options):
    model = Model("atwood", gravity=(0, -G, 0))
    x, y, q = model.coordinates("x y q", initial=(-1, -1, 0))
    one, other = point(model, "one", -r, x, m1), point(model, "other", r, y, m2)
    wheel = model.body("wheel", trotz(q), mass=0, inertia=(0, 0, 1 if J is None else J))
    carrier = ground if J is None or not whole else wheel
    pulley = Pulley(carrier, r, side="right", friction=rubs, angle=None if J is None else q)
    model.add(rope := Rope(one, pulley, other, name="rope", **options))
    return model, rope


@pytest.mark.parametrize("whole", [True, False])
def test_pulley_that_the_rope_turns(whole):
    """Atwood's machine: a = (m2 - m1) g/(m1 + m2 + J/r^2), and the tensions differ by J a/r^2."""
    model, rope = atwood(1, 3, J=0.02, whole=whole)
    run = model.simulate(0.3, save_every=0.3, tolerance=1e-10)
    a = 2 * G / (4 + 0.02 / 0.1**2)
    assert abs(run["y.ddot"][-1] + a) < 1e-8 and abs(run["q.ddot"][-1] + a / 0.1) < 1e-7 and kept(run)
    before, after = run["rope.tension_1"][-1], run["rope.tension_2"][-1]
    assert abs(before - (G + a)) < 1e-8 and abs(after - 3 * (G - a)) < 1e-8
    assert len(rope.tensions) == 2 and abs(run["rope.slack"][-1]) < 1e-9


def test_rough_drum():
    """Half a turn with mu = 0.2: slides with (m2 - m1 f)/(m2 + m1 f) g, f = e^(mu pi); sticks below m2/m1 = f."""
    f = np.exp(0.2 * np.pi)
    run = atwood(1, 4, rubs=0.2)[0].simulate(0.3, save_every=0.3, tolerance=1e-10)
    assert abs(run["y.ddot"][-1] + (4 - f) / (4 + f) * G) < 1e-9 and kept(run)
    assert abs(run["rope.tension_2"][-1] / run["rope.tension_1"][-1] - f) < 1e-9
    held, gone = (atwood(1, f * e, rubs=0.2)[0].simulate(0.3, save_every=0.3, tolerance=1e-10)
                  for e in (1 - 1e-5, 1 + 1e-5))  # fmt: skip
    assert abs(held["y"][-1] + 1) < 1e-8 and gone["y"][-1] + 1 < -1e-7
    back = atwood(4, 1, rubs=0.2)[0].simulate(0.3, save_every=0.3, tolerance=1e-10)
    assert abs(back["x.ddot"][-1] + (4 - f) / (4 + f) * G) < 1e-9


@pytest.mark.long
def test_a_belt_slips_on_its_rough_drum():
    """Drawn tight by 2 T0, it slips at 2 T0 r (f - 1)/(f + 1): 4.39200 N m for mu = 0.3, T0 = 50 N, r = 0.1 m."""
    f, r, T0, J = np.exp(0.3 * np.pi), 0.1, 50, 0.005
    most = 2 * T0 * r * (f - 1) / (f + 1)
    assert abs(most - 4.39200) < 5e-6
    for share in (1 - 1e-5, 1 + 1e-5, 1.2):
        model = Model("belt")
        x, q = model.coordinates("x q", initial=(0.5, 0))
        driver = model.body("driver", tdisp(x, 0, 0) * trotz(q), mass=1, inertia=(0, 0, J))
        ends = [Winch(driver, r, angle=q, side="left", wrap=2) for _ in range(2)]
        model.add(Rope(ends[0], Pulley(ground, r, side="left", friction=0.3), ends[1], name="belt"))
        model.add(Force(driver, (2 * T0, 0, 0)), GeneralizedForce(q, share * most))
        run = model.simulate(0.1, save_every=0.1, tolerance=1e-9)
        assert abs(J * run["q.ddot"][-1] - max(0, share - 1) * most) < 2e-8 and kept(run)  # N m
        tensions = run["belt.tension_1"][-1], run["belt.tension_2"][-1]
        assert sum(tensions) == pytest.approx(2 * T0, abs=1e-6)
        assert tensions[1] / tensions[0] == pytest.approx(f, rel=2e-5 if share < 1 else 1e-8)


# -- slack and taut --


def test_a_rope_over_a_pulley_on_the_ground_bears_each_load_by_its_own_tension():
    """m (g + a): of the reaction of the ground on a load the rope is the part on this load, not all on the pulley."""
    run = atwood(2, 3)[0].simulate(0.1)
    for name, mass, a in (("one", 2, "x.ddot"), ("other", 3, "y.ddot")):
        force = run.reaction(name, ground).force
        assert abs(force[:, 1] - mass * (G + run[a])).max() < 1e-9 and abs(force[:, 0]).max() < 1e-12


def test_ball_on_a_string_leaves_its_circle():
    """With v0^2 = 3.5 g L the string is slack at y = L/2 (0.403265 s, by quadrature), and later taut again."""
    L = 0.7
    model = Model("string", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(0, -L), rates=(np.sqrt(3.5 * G * L), 0))
    model.add(Rope(ground, point(model, "ball", x, y, 2), length=L, name="string"))
    assert not model.equations().residual.has(sympy.DiracDelta)  # its length never falls below a least one
    run = model.simulate(0.6, tolerance=1e-11)
    left = next(e for e in run.events if "opens" in str(e))
    when = quad(lambda a: 1 / np.sqrt(3.5 * G / L - 2 * G / L * (1 - np.cos(a))), 0, np.arccos(-0.5))[0]
    assert abs(when - 0.403265) < 1e-6 and abs(left.t - when) < 2e-11
    assert abs(run.at(left.t)["y"][0] - L / 2) < 1e-10 and kept(run, 1e-7)
    assert run["string.slack"].min() > -1e-10 and run["string.slack"][-1] > 1e-3
    assert abs(run["string.tension"][0] - 2 * (3.5 * G + G)) < 1e-9 and run["string.tension"][-1] == 0


@pytest.mark.parametrize("law", [{}, {"length": 2.4, "stiffness": 1000}, {"length": 2.4, "keep_taut": True}])
def test_a_load_that_runs_into_its_pulley_is_told(law):
    """Nothing is left of the strand where the load is at the rim: sqrt(0.1^2 - 0.05^2) below the axle."""
    model = Model("collides", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(-1, -1))
    light, heavy = (point(model, *of) for of in (("light", -0.05, x, 1), ("heavy", 0.1, y, 3)))
    model.add(Rope(light, Pulley(ground, 0.1, side="right"), heavy, name="rope", **law))
    with pytest.raises(IntegrationError, match="'light' and Pulley of 'ground' is used up: they overlap") as e:
        model.simulate(1.5)
    assert e.value.trajectory["x"][-1] == pytest.approx(-np.sqrt(0.0075), abs=1e-4)


@pytest.mark.parametrize("law", [{"length": 2.2, "stiffness": 1000}, {"length": 2.03}])
def test_a_rope_that_leaves_its_pulley_ends_the_run(law):
    """The pulley sinks below the straight line at 0.3 s: it does not draw the rope down."""
    model = Model("leaves", gravity=(0, -G, 0))
    x, = model.coordinates("x", initial=1)
    load = point(model, "load", x, 0, 1)
    sinks = model.body("sinks", tdisp(0, 0.1 - t / 2, 0), mass=0, inertia=(0, 0, 0))
    model.add(Rope((ground, (-1, 0, 0)), Pulley(sinks, 0.05, side="right"), load, name="rope", **law))
    model.add(Force(load, (5, 0, 0)))
    with pytest.raises(DomainError, match=r"the wrap .* on Pulley of 'sinks' is used up at t = 0\.3 s: the rope"):
        model.simulate(1)


def test_a_taut_rope_that_winds_further_than_it_counts_ends_the_run():
    """A ball at 3 m/s winds a string round a fixed post: turns are counted where it may be slack, up to its end."""
    for taut in (True, False):
        model = Model("post")
        x, y = model.coordinates("x y", initial=(1, 0.1), rates=(0, 3))
        ball, own = point(model, "ball", x, y, 1), {"keep_taut": True} if taut else {}
        model.add(Rope((ground, (-1, -0.1, 0)), Pulley(ground, 0.1, side="left"), ball, length=2.05, name="r", **own))
        start = dict(model.assemble()) if taut else {"x": 1 - 1e-4}
        why = "the rope leaves it, or is wound beyond 294 degrees" if taut else "1.857.*'ball' is used up: they overlap"
        with pytest.raises(IntegrationError, match=why):
            model.simulate(2.5, initial=start)


def test_a_drum_without_rope_ends_the_run():
    """All that was on the drum, a turn and a half, is paid out after 3 pi rad."""
    model = Model("drum", gravity=(0, -G, 0))
    q, y = model.coordinates("q y", initial=(0, -1))
    drum = model.body("drum", trotz(q), mass=0, inertia=(0, 0, 0.02))
    model.add(Rope(Winch(drum, 0.1, angle=q, side="right", wrap=1.5), point(model, "load", 0.1, y, 2), name="rope"))
    with pytest.raises(DomainError, match=r"the wrap .* on Winch of 'drum' is used up at t = ") as e:
        model.simulate(2)
    assert abs(e.value.trajectory["q"][-1]) == pytest.approx(3 * np.pi, rel=1e-6)


def test_slack_and_taut_again():
    """Two sledges on a slack rope: common momentum after the jerk, m1 m2/(m1 + m2) v^2/2 is lost."""
    model = Model("sledges")
    a, b = model.coordinates("a b", initial=(0, 0.5), rates=(0, 2))
    one, other = point(model, "one", a, 0, 3), point(model, "other", b, 0, 1)
    model.add(Rope(one, other, length=1, name="rope"))
    model.add(Force(other, (-0.5, 0, 0)))
    run = model.simulate(2)
    taut = next(e for e in run.events if "impact" in str(e))
    when = (2 - np.sqrt(4 - 0.5)) / 0.5
    v = 2 - 0.5 * when
    assert abs(taut.t - when) < 1e-8
    after = run.at(taut.t)
    assert abs(after["a.dot"][0] - v / 4) < 1e-8 and abs(after["b.dot"][0] - v / 4) < 1e-8
    assert abs(run["rope"][-1] - 3 * v / 4) < 1e-8  # then it is slack, as `other` is braked
    assert run["rope.tension"][-1] == 0 and kept(run)
    assert abs(run.energy.work[-1] + 0.5 * (run["b"][-1] - 0.5) + 0.375 * v**2) < 1e-8


# -- winches --


def test_winch_with_a_swinging_load():
    """Beside Lagrange's equations of (q, a), derived here: the tangent point runs round the drum."""
    r, m, J, L, torque = 0.2, 5.0, 0.4, 4.0, 7.0
    model = Model("winch", gravity=(0, -G, 0))
    q, x, y = model.coordinates("q x y")
    drum = model.body("drum", trotz(q), mass=0, inertia=(0, 0, J))
    load = point(model, "load", x, y, m)
    model.add(Rope(Winch(drum, r, angle=q, side="right", wrap=2), load, length=L, name="rope"))
    model.add(GeneralizedForce(q, torque))
    # the rope leaves the drum at the angle b, to the right of it, along u: side right, so P = r (cos b, sin b)
    t = sympy.Symbol("t")
    Q, b = (sympy.Function(n)(t) for n in "Qb")
    free = L - 2 * np.pi * r * 2 - r * (Q - b)
    e = sympy.Matrix([sympy.cos(b), sympy.sin(b)])
    u = sympy.Matrix([sympy.sin(b), -sympy.cos(b)])
    p = r * e + free * u
    v = p.diff(t)
    lagrange = J * Q.diff(t) ** 2 / 2 + m * v.dot(v) / 2 - m * G * p[1]
    eqs = [lagrange.diff(z.diff(t)).diff(t) - lagrange.diff(z) - f for z, f in ((Q, torque), (b, 0))]
    acc = sympy.symbols("A B")
    names = sympy.symbols("Q b Qd bd")
    swap = [(Q.diff(t, 2), acc[0]), (b.diff(t, 2), acc[1]), (Q.diff(t), names[2]), (b.diff(t), names[3]),
            (Q, names[0]), (b, names[1])]  # fmt: skip
    M, f = sympy.linear_eq_to_matrix([sympy.expand(eq.subs(swap)) for eq in eqs], acc)
    number = sympy.lambdify(names, (M, f))
    place = sympy.lambdify(names, [*p.subs(swap), *v.subs(swap)])

    def rates(_, s):
        A, g = number(*s)
        return [*s[2:], *np.linalg.solve(A, g).ravel()]

    start = [0, 0.5, 0, 0]
    own = solve_ivp(rates, (0, 1), start, method="DOP853", rtol=1e-11, atol=1e-12)
    x0, y0, vx, vy = place(*start)
    run = model.simulate(1, initial={q: 0, x: x0, y: y0, "x.dot": vx, "y.dot": vy}, method="dop853", save_every=1)
    xe, ye, *_ = place(*own.y[:, -1])
    assert abs(run["x"][-1] - xe) < 1e-6 and abs(run["y"][-1] - ye) < 1e-6 and abs(run["q"][-1] - own.y[0, -1]) < 1e-6
    assert kept(run, 1e-6)


def test_winch_winds_on_beyond_many_turns():
    """A drum in a body that does not turn with it: what is wound up is r times the angle, also after many turns."""
    model = Model("crane", gravity=(0, -G, 0))
    x, q, y = model.coordinates("x q y", initial=(0, 0, -20), rates=(0, 10, 1))
    crab = model.body("crab", tdisp(x, 0, 0), mass=50, inertia=(0, 0, 0))
    model.body("drum", tdisp(x, 0, 0) * trotz(q), mass=0, inertia=(0, 0, 0.5))
    load = model.body("load", tdisp(x + 0.1, y, 0), mass=2, inertia=(0, 0, 0))
    model.add(Rope(load, Winch(crab, 0.1, angle=q, side="left"), name="rope"))
    run = model.simulate(1.5, method="dop853")
    assert np.abs(run["y"] + 20 - 0.1 * run["q"]).max() < 1e-7 and run["q"].max() > 10
    a = -2 * G * 0.1 / (0.5 + 2 * 0.01)
    assert abs(run["q.ddot"][-1] - a) < 1e-7 and kept(run, 1e-6)


# -- in space, elastic --


def test_rope_in_space_is_the_shortest_path():
    """Two pulleys on tilted planes: their strand is on the line of both planes; a search finds no shorter path."""
    r, R = 0.3, 0.2
    model = Model("tilted")
    s, = model.coordinates("s")
    T1, T2 = trotx(0.4) * troty(-0.3), trotx(-0.5) * troty(0.2)
    n1, n2 = (np.array([float(T.R[i, 2]) for i in range(3)]) for T in (T1, T2))
    u = np.cross(n1, n2) / np.linalg.norm(np.cross(n1, n2))
    c1 = np.zeros(3)
    P = c1 - r * np.cross(n1, u)  # on the left
    c2 = P + 2 * u - R * np.cross(n2, u)  # on the right
    A, B = c1 - 1.5 * u + 0.9 * np.cross(n1, u), c2 + 1.1 * u - 1.3 * np.cross(n2, u)
    one = model.body("one", tdisp(*c1) * T1, mass=1, inertia=(1, 1, 1))
    other = model.body("other", tdisp(*c2) * T2, mass=1, inertia=(1, 1, 1))
    slider = model.body("slider", tdisp(*B + s * u), mass=1, inertia=(0, 0, 0))
    path = (ground, tuple(A)), Pulley(one, r, side="left"), Pulley(other, R, side="right"), slider
    rope = Rope(*path, length=9, name="rope")
    model.add(rope)
    found = model.simulate(0.01, save_every=0.01)["rope.length"][0]

    # both planes unfolded into one about their line; nodes on the circles, edges that do not enter them
    a = (np.arange(400) + 0.5) * np.pi / 200
    ring = np.column_stack([np.cos(a), np.sin(a)])
    nodes = np.vstack([[-1.5, 0.9], [3.1, -r - R - 1.3], r * ring, [2, -r - R] + R * ring])
    ways = nodes[None] - nodes[:, None]
    lengths = np.linalg.norm(ways, axis=2)
    with np.errstate(all="ignore"):
        for centre, radius, above in (((0, 0), r, -1), ((2, -r - R), R, 1)):
            to = np.asarray(centre) - nodes[:, None]
            along = np.clip((to * ways).sum(axis=2) / lengths**2, 0, 1)
            near = np.linalg.norm(to - along[..., None] * ways, axis=2)
            at = (centre[0] - nodes[:, None, 0]) / ways[..., 0]
            wrong = (at > 0) & (at < 1) & (above * (nodes[:, None, 1] + at * ways[..., 1] - centre[1]) < radius * 0.9)
            lengths[(near < radius * np.cos(np.pi / 400) - 1e-9) | wrong] = 0
    best = dijkstra(np.nan_to_num(lengths), indices=0)[1]
    assert abs(found - best) < 2e-5


def test_elastic_rope_swings_and_never_pushes():
    """A mass on an elastic rope over a pulley: sqrt(EA/(L m)); thrown up it is slack, with a constant energy."""
    model = Model("bungee", gravity=(0, -G, 0))
    y, = model.coordinates("y", initial=-2)
    ball = point(model, "ball", 0.1, y, 2)
    start = (ground, (-0.1, -1, 0))
    L, EA = 1 + np.pi * 0.1 + 1.9, 3000.0
    rope = Rope(start, Pulley(ground, 0.1, side="right"), ball, length=L, stiffness=EA, name="rope")
    model.add(rope)
    still = model.equilibrium(initial={y: -2.0})
    assert abs(still["y"] + 1.9 + 2 * G * L / EA) < 1e-9
    (pair,) = {round(abs(e), 9) for e in model.linearize(still).poles()}
    assert abs(pair - np.sqrt(EA / (L * 2))) < 1e-6
    run = model.simulate(1, initial={y: -2.0, "y.dot": 3})
    assert run["rope.tension"].min() == 0 and run["rope.slack"].max() > 0.1 and np.ptp(run.energy.total) < 1e-6


def test_an_elastic_rope_holds_its_load_on_a_drum_that_a_spring_holds():
    """In rest m g r = k (q0 - q) and m g = EA (path - L)/L; K of small motions is EA/L (r, -1) x (r, -1), and k."""
    m, r, k, q0, L, EA = 2, 0.1, 50.0, -12.0, 2.5, 1e4
    model = Model("hoist", gravity=(0, -G, 0))
    q, y = model.coordinates("q y", initial=(q0, -1.8))
    drum = model.body("drum", trotz(q), mass=1, inertia=(0, 0, 0.1))
    model.add(TorsionSpring(q, stiffness=k, free_angle=q0))
    model.add(Rope(Winch(drum, r, angle=q, side="right", wrap=3), point(model, "load", r, y, m), length=L, stiffness=EA,
                   name="rope"))  # fmt: skip
    still = model.equilibrium()
    assert still.stable and abs(still["q"] - q0 + m * G * r / k) < 1e-9
    wound = 2 * np.pi * r * 3 + r * still["q"]
    assert abs(wound - still["y"] - L * (1 + m * G / EA)) < 1e-9
    found = model.linearize(still).K - [[k, 0], [0, 0]]
    np.testing.assert_allclose(found, EA / L * np.outer((r, -1), (r, -1)), rtol=0, atol=1e-6)


def test_damping_of_an_elastic_rope():
    """The balance of energy holds with damping, and the rope takes energy away, never gives it."""
    model = Model("damped", gravity=(0, -G, 0))
    y, = model.coordinates("y", initial=-1)
    rope = Rope(ground, point(model, "ball", 0, y, 2), length=1, stiffness=1000, damping=20, name="rope")
    model.add(rope)
    run = model.simulate(1, tolerance=1e-7)
    assert kept(run, 1e-5) and run["rope.tension"].min() == 0
    assert run.power(rope).max() < 1e-9 or run.energy.total[-1] < run.energy.total[0] - 0.01


def test_work_of_a_rope_that_is_slack_and_still_stretched():
    """Where damping has taken its whole tension, the ball flies freely in long steps, and the stretch goes to nothing.

    There potential falls with the path, and work with it: the balance is as near as the tolerance, whatever the steps.
    """
    model = Model("swung", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(0.3, 0.2), rates=(1, 0))
    ball = point(model, "ball", x, y, 0.5)
    model.add(Rope(ground, ball, length=0.6, stiffness=400, damping=30, name="rope"))
    for tolerance in (1e-6, 1e-7):
        run = model.simulate(2, tolerance=tolerance)
        assert kept(run, 40 * tolerance) and run.energy.work[-1] < -1


# -- with mass, round bodies, as a constraint --


def test_chain_slides_off_a_table():
    """x = x0 cosh(w t), w^2 = g/L: the end has passed at acosh(L/x0)/w, and the energy is kept."""
    L, x0 = 1.0, 0.2
    model = Model("chain", gravity=(0, -G, 0))
    a, b = model.coordinates("a b", initial=(L - x0, x0))
    tail, tip = point(model, "tail", -a, 0, 0), point(model, "tip", 0, -b, 1e-8)
    model.add(Rope(tail, Pulley(ground, 0), tip, length=L, density=2, name="chain"))
    model.event(a - 0.001, action="stop", name="off")
    run = model.simulate(2, tolerance=1e-8)
    w = np.sqrt(G / L)
    assert abs(np.arccosh(L / x0) / w - 0.731917) < 1e-6
    assert abs(run.t[-1] - np.arccosh((L - 0.001) / x0) / w) < 3e-7 and np.ptp(run.energy.total) < 1e-7
    assert np.abs(run["b"] - x0 * np.cosh(w * run.t)).max() < 1e-6


def test_heavy_rope_on_a_winch_and_over_a_moving_pulley():
    """(m + rho h) g moves J/r^2 + m + rho L; over a pulley that moves itself the energy is kept."""
    r, m, rho, J = 0.2, 2, 1.5, 0.3
    model = Model("winch", gravity=(0, -G, 0))
    q, y = model.coordinates("q y", initial=(0, -3))
    drum = model.body("drum", trotz(q), mass=0, inertia=(0, 0, J))
    end = Winch(drum, r, angle=q, side="right", wrap=3)
    model.add(Rope(end, point(model, "load", r, y, m), density=rho, name="rope"))
    run = model.simulate(0.3, tolerance=1e-8)
    whole = 3 + 6 * np.pi * r
    assert abs(run["rope.length"][0] - whole) < 1e-12
    assert abs(run["y.ddot"][0] + (m + 3 * rho) * G / (J / r**2 + m + rho * whole)) < 1e-6
    assert np.ptp(run.energy.total) < 1e-6
    model = Model("trolley", gravity=(0, -G, 0))
    x, y, z = model.coordinates("x y z", initial=(0, -1, -2))
    trolley, one = point(model, "trolley", x, 0, 3), point(model, "one", x - 0.3, y, 2)
    two = point(model, "two", x + 0.2, z, 1)
    model.add(Rope(one, Pulley(trolley, 0.2, side="right"), two, density=rho, name="rope"))
    run = model.simulate(0.3, tolerance=1e-8)
    assert np.ptp(run.energy.total) < 1e-6 and kept(run, 1e-6)


def test_string_round_a_peg():
    """A pendulum whose string is caught by a peg, and lifts off again: the energy is kept."""
    model = Model("peg", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(-0.8, -0.6))
    peg = Around((ground, (0.05, -0.5, 0)), 0.05, side="left")
    model.add(Rope(ground, peg, point(model, "ball", x, y, 2), length=1, name="string"))
    run = model.simulate(1.5, tolerance=1e-7)
    assert len([e for e in run.events if e.name == "string"]) == 2  # it touches, and lifts off
    assert np.ptp(run.energy.total) < 1e-4 and np.abs(run["string.slack"]).max() < 1e-7
    free = np.hypot(run["x"], run["y"]) > 1 - 1e-6
    assert free[0] and free[-1] and not free.all() and run["string.tension"].min() > 0


def test_rope_round_a_sphere_and_a_cylinder():
    """Of a sphere the great circle by the angle between its ends; of a helix what is unrolled; forces are gradients."""
    A, B, C, r = np.array([-0.8, 0.1, 0.3]), np.array([0.7, 0.3, -0.5]), np.array([0.1, 0.05, 0]), 0.4
    model = Model("round", gravity=(0, 0, -G))
    ball = model.body("ball", tdisp(*model.coordinates("x y z", initial=B)), mass=2, inertia=(0, 0, 0))
    moved, turned = model.coordinates("moved turned")
    post = model.body("post", tdisp(C[0] + moved, C[1], 0) * troty(turned), mass=1, inertia=(1, 1, 1))
    for name, shape, of in (("a", visu.Sphere(r), {}), ("b", r, {"side": "right"})):
        model.add(Rope((ground, tuple(A)), Around(post, shape, **of), ball, length=1.5, stiffness=100, name=name))
    run = model.simulate(0.2, method="dop853", tolerance=1e-10)

    def unrolled(a, b):
        on = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        on -= sum(np.arccos(r / np.linalg.norm(x)) for x in (a, b))
        return sum(np.sqrt(x @ x - r**2) for x in (a, b)) + r * on

    assert abs(run["a.length"][0] - unrolled(A - C, B - C)) < 1e-12
    flat = unrolled((A - C)[:2], (B - C)[:2])
    assert abs(run["b.length"][0] - np.hypot(flat, 0.8)) < 1e-12 and np.ptp(run.energy.total) < 1e-8


def test_rope_that_is_kept_taut():
    """A constraint: the tension of a pendulum is 3 m g cos(a), and the balance of energy holds."""
    model = Model("taut", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(1, 0))
    model.add(Rope(ground, point(model, "ball", x, y, 2), length=1, keep_taut=True, name="string"))
    run = model.simulate(1)
    assert np.abs(run.multipliers("string")[:, 0] - 6 * G * -run["y"]).max() < 1e-3 and kept(run, 1e-4)


def test_the_tension_of_a_rope_that_is_kept_taut_stands_in_laws():
    """At rest below its end it is m g: a tenth of it drives the ball aside with g/10."""
    model = Model("taut", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(0, -1))
    ball = point(model, "ball", x, y, 2)
    rope = Rope(ground, ball, length=1, keep_taut=True, name="string")
    model.add(rope)
    model.add(Force(ball, (rope.tension / 10, 0, 0)))
    assert model.simulate(1e-6)["x.ddot"][0] == pytest.approx(G / 10, rel=1e-9)


def test_rope_is_drawn_along_its_path():
    """The length of what is drawn is that of the path, but for the chords on arcs; names of it stand in formulas."""
    model, rope = atwood(1, 3)
    model.output("twice", 2 * rope.tension)
    model.event(rope.slack - 1, name="long")
    run = model.simulate(0.1, save_every=0.1)
    assert abs(run["twice"][-1] - 2 * run.of(rope.tension)[-1]) < 1e-12 and run.of(rope.slack**2)[-1] < 1e-12
    scene = model.scene()
    ends = [[end.frame for end in part.ends] for part in scene.parts if part.kind == "between"]
    at = np.zeros(1), run.q[:1], run.qd[:1]
    frames = frames_at(scene.system, [f.T for f in scene.frames], *at)
    place = {f.name: T[:3, 3] for f, T in zip(scene.frames, frames[0], strict=True)}
    drawn = sum(np.linalg.norm(place[b] - place[a]) for a, b in ends)
    assert 0 < run["rope.length"][0] - drawn < 0.01 * np.pi * 0.1
    assert any(part.name == "pulley" for part in scene.parts)


@pytest.mark.parametrize("case", ["crossed", "across", "left", "right", "free"])
def test_a_rope_is_straight_and_tangent_to_the_circles_that_it_turns_round(case, rng):
    """With that a path is determined: arcs are those of the chords that are drawn on them, all of it is the length."""
    body = Body("frame", tdisp(*rng.normal(size=3)) * trot(rng.normal(size=3), 2), 0, Inertia(ZERO, ZERO, ZERO))
    ends, own = {
        "crossed": (((-1, 0, 0), (2, -0.5, 0)), [((0, -0.1, 0), 0.2, "z", "left"), ((1, 0.2, 0), 0.15, "z", "right")]),
        "across": (((-1, -0.3, 0), (0.2, 2, 1)), [((0, 0, 0), 0.2, "z", "left"), ((0.2, 1, 0.15), 0.15, "x", "left")]),
        "left": (((-1, 0.1, -0.3), (1, 0.2, 0.5)), [((0, 0.4, 0), 0.5, "z", "left")]),
        "right": (((-1, 0.1, -0.3), (1, 0.2, 0.5)), [((0, 0.4, 2), 0.5, "z", "right")]),
        "free": (((-1, 0.1, -0.3), (1, 0.2, 0.5)), [((0, 0.4, 2), 0.1, "z", "left")]),
    }[case]
    kind = Around if len(own) == 1 else Pulley
    guides = [kind((body, at), r, axis=axis, side=side) for at, r, axis, side in own]
    path = Path([Point((body, ends[0]), "an end"), *guides, Point((body, ends[1]), "an end")], "rope", False)
    T = np.array(body.T.inv().matrix)
    points = [T[:3, :3] @ np.array([*x], float) + T[:3, 3] for x in path.points(InSymbols())]
    total = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert np.allclose([points[0], points[-1]], ends, rtol=0, atol=1e-12)
    if case == "free":
        assert total == pytest.approx(np.linalg.norm(np.subtract(*ends)), abs=1e-12)
    for k, (at, r, axis, side) in enumerate(own if case != "free" else ()):
        first = 1 + k * (PIECES + 1)
        arc, n = np.array(points[first : first + PIECES + 1]), np.eye(3)["xyz".index(axis)]
        out, before, after = arc - at, arc[0] - points[first - 1], points[first + PIECES + 1] - arc[-1]
        out = out - np.outer(out @ n, n)
        assert np.allclose(np.linalg.norm(out, axis=1), r, rtol=0, atol=1e-12)
        assert max(abs(before @ out[0]), abs(after @ out[-1])) < 1e-12
        turns = np.array([np.arctan2(np.cross(a, b) @ n, a @ b) for a, b in zip(out, out[1:], strict=False)])
        assert (turns * (1 if side == "left" else -1) > 0).all() and np.ptp(turns) < 1e-12
        assert before @ np.cross(n, out[0]) * turns[0] > 0 and after @ np.cross(n, out[-1]) * turns[0] > 0
        rise, level = ((x @ n) / np.linalg.norm(x - n * (x @ n)) for x in (before, after))
        assert rise == pytest.approx(level, abs=1e-12)
        assert arc[-1] @ n - arc[0] @ n == pytest.approx(rise * r * abs(turns.sum()), abs=1e-12)
        total += np.hypot(1, rise) * r * abs(turns.sum()) - np.linalg.norm(np.diff(arc, axis=0), axis=1).sum()
    assert float(path.length(InSymbols())) == pytest.approx(total, abs=1e-12)


@pytest.mark.long
def test_rope_in_a_unit(tmp_path):
    """A unit for other programs moves as the model does, and knows the tension and what is slack."""
    fmpy = pytest.importorskip("fmpy")
    model, _ = atwood(1, 3, J=0.02)
    names = ["y", "rope.tension", "rope.tension_2", "rope.slack"]
    unit = str(model.to_fmu(tmp_path / "rope.fmu"))
    found = fmpy.simulate_fmu(unit, fmi_type="CoSimulation", stop_time=0.3, output=names)
    run = model.simulate(0.3)
    assert all(abs(found[name][-1] - run[name][-1]) < 1e-6 for name in names)


def peg(**options):
    """A ball on a string of 1 m, let go at the height of its fixed end, catches a peg 0.7 m below that."""
    model = Model("peg", gravity=(0, -G, 0))
    ball = point(model, "ball", *model.coordinates("x y", initial=(1, 0)), 1)
    model.add(Rope(ground, Around((ground, (0, -0.7, 0)), 0.02, side="right"), ball, length=1, name="r", **options))
    return model


def test_a_string_winds_round_a_peg_for_many_turns():
    """The pendulum of an involute: l(w) = l0 - r w, l^2 w'' - r l w'^2 = -g dy/dw, from the place where it catches."""
    r, tilt, last = 0.02, np.arcsin(0.02 / 0.7), 1.2
    caught = lambda t, s: s[0] - np.pi / 2 + tilt  # noqa: E731
    caught.terminal = True
    exact = {"rtol": 1e-11, "atol": 1e-12}
    fall = solve_ivp(lambda t, s: [s[1], G * np.cos(s[0])], (0, 2), [0, 0], events=caught, **exact)
    free = 1 - np.sqrt(0.49 - r * r)

    def turns(t, s):
        left = free - r * s[0]
        return [s[1], (r * s[1] ** 2 + G * np.sin(tilt - s[0])) / left]

    w = solve_ivp(turns, (fall.t[-1], last), [0, fall.y[1, -1] / free], **exact).y[0, -1]
    run = peg().simulate(last, method="dop853", tolerance=1e-10)
    left, turned = free - r * w, tilt - w
    assert w > 4 * np.pi and kept(run)
    assert run["x"][-1] == pytest.approx(r * np.cos(turned) + left * np.sin(turned), abs=1e-7)
    assert run["y"][-1] == pytest.approx(-0.7 + r * np.sin(turned) - left * np.cos(turned), abs=1e-7)


def test_a_free_rope_stays_straight_where_its_ends_pass_each_other_beside_what_it_may_lie_on():
    model = Model("free")
    body = point(model, "body", *model.coordinates("x y", initial=(-0.5, 1.2), rates=(1, 0)), 1)
    model.add(Rope((ground, (0, 1, 0)), Around(ground, 0.2, side="left"), body, length=2, name="r"))
    run = model.simulate(1)
    assert run["r.length"] == pytest.approx(np.hypot(run["x"], run["y"] - 1), abs=1e-12)


@pytest.mark.parametrize("options", [{"stiffness": 1e5, "damping": 30}, {"keep_taut": True}])
def test_a_rope_whose_turns_are_not_counted_ends_the_run_before_half_a_turn(options):
    with pytest.raises(DomainError, match="half a turn .* of the rope 'r' round Around .* is used up at t = 0.80"):
        peg(**options).simulate(1)


# -- mistakes --


def _rope(b, *path, **options):
    b.model.add(Rope(*(path or (ground, b.upper)), **{"name": "rope", **options}))


def no_room(b):
    model = Model("overlap")
    y, = model.coordinates("y", initial=-1)
    model.add(Rope(ground, Pulley((ground, (0.1, 0, 0)), 0.2, side="left"), point(model, "load", 1, y, 1), name="rope"))
    model.simulate(0.1)


def measured_in_a_force(b):
    model = Model("short")
    y, = model.coordinates("y", initial=-1)
    load = point(model, "load", 0, y, 1)
    rope = Rope(ground, load, name="rope")
    model.add(rope)
    model.add(Force(load, (rope.tension, 0, 0)))


def on_a_node(b, kind="rope"):
    model = Model("node", gravity=(0, -G, 0))
    y, = model.coordinates("y", initial=-1)
    load, knot = point(model, "load", 0, y, 1), model.node("knot", position=(0.1, -0.5, 0))
    model.add(Spring(ground, knot, stiffness=200, free_length=0.4), Spring(knot, load, stiffness=100, free_length=0.4))
    if kind == "contact":
        model.add(Contact((knot, shapes.Sphere(0.1)), ((ground, tdisp(0, -1, 0)), shapes.Plane("y")), restitution=0))
    end = point(Model("another"), "other", 0, 0, 1) if kind == "other" else knot
    model.add(Rope((ground, (1, 0, 0)), end, length=1.2, keep_taut=kind != "rope", name="rope"))


def too_short(b):
    model = Model("short")
    y, = model.coordinates("y", initial=-1)
    model.add(Rope(ground, point(model, "load", 0, y, 1), length=0.9, name="rope"))
    model.simulate(0.1)


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize("method", ["dop853", "newmark", "lobatto"])
def test_load_that_meets_its_own_eye_is_refused_there(method):
    """Beyond the eye the taut rope would have to give way at once, which no known kink of its length tells."""
    model = Model("eye", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(-1, -1))
    load = model.body("load", tdisp(0, x, 0), mass=1, inertia=(0, 0, 0))
    other = model.body("other", tdisp(0.1, y, 0), mass=3, inertia=(0, 0, 0))
    model.add(Rope(load, Pulley(ground, 0), other, name="rope"))
    with pytest.raises(IntegrationError, match="at t = 0.638214") as caught:
        model.simulate(1.5, method=method)
    kept = caught.value.trajectory
    assert abs(kept["x"][-1]) < 1e-5
    assert kept["rope.slack"].min() > -1e-5


@pytest.mark.parametrize("method", ["dop853", "newmark", "lobatto"])
def test_a_string_that_is_wound_up_whole_ends_where_its_ball_meets_the_peg(method):
    """It comes there ever faster, by steps ever shorter, and never beyond."""
    model = Model("peg", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(1 - 1e-9, 0))
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(Rope(ground, Around((ground, (0, -0.71, 0)), 0.02, side="right"), ball, length=1, name="string"))
    with pytest.raises(DomainError, match="between Around of 'ground' and Point of 'ball' is used up at t = 1.1558"):
        model.simulate(1.5, method=method)
