"""Beams at work, beside closed forms and SciPy: loops, contacts, a rotor, cables, arches that snap through."""

import math
from dataclasses import replace

import numpy as np
import pytest
import sympy
from mistakes import explained

from easydyn import (
    Force,
    GeneralizedForce,
    Model,
    Moment,
    PlanePoint,
    RigidContact,
    Spring,
    TorsionSpring,
    ground,
    t,
    tdisp,
    trotx,
    trotz,
)
from easydyn.errors import EnergyWarning
from easydyn.flexible import Material, Section

G = 9.81


def two_bars(stiffness=100, across=False):
    """One half of two bars that lean on each other: 1 m wide, 0.5 m high, a load on the apex."""
    model = Model("two bars")
    (P,) = model.parameters(P=0)
    (y,) = model.coordinates("y", initial=0.5)
    x = model.coordinate("x", initial=1) if across else 1
    apex = model.body("apex", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    if across:
        model.constraint(x - 1)
    model.add(Spring((apex, (0, 0, 0)), (ground, (0, 0, 0)), stiffness=stiffness, free_length=1.25**0.5))
    model.add(Force(apex, (0, -P, 0)))
    return model


# -- paths of equilibria ----------------------------------------------------------------------------------------------


def test_two_bars_snap_through_at_the_loads_of_the_closed_form():
    """k (L - l) y/l has its extrema at l^3 = L a^2; between them the stiffness is negative."""
    path = two_bars().equilibrium_path("P", 5)
    L = 1.25**0.5
    length = L ** (1 / 3)
    y = math.sqrt(length**2 - 1)
    largest = 100 * (L - length) * y / length
    one, other = path.limits
    assert path.values[[one, other]] == pytest.approx([largest, -largest], rel=1e-9)
    assert path["y"][[one, other]] == pytest.approx([y, -y], rel=1e-5)
    l = np.sqrt(1 + path["y"] ** 2)
    assert path.values == pytest.approx(100 * (L - l) * path["y"] / l, abs=1e-8)
    assert path.values[-1] == 5 and "followed to 5" in path.message
    inside = np.arange(len(path))
    between = (inside >= one) & (inside <= other)
    assert (path.stable == ~between).all()
    assert "limit point at P = 2.145716287" in repr(path)
    back = two_bars().equilibrium_path("P", -5, most=30)
    assert not back.limits and back.values[-1] == -5 and back.stable.all()  # pulled up it only becomes stiffer


def test_a_path_goes_on_where_displacements_become_much_larger_than_at_its_start():
    """A bar on a spring, a little out of the vertical: q - 0.01 = P sin(q), at every point, up to P = 1.2."""
    model = Model("column")
    (P,) = model.parameters(P=0)
    (q,) = model.coordinates("q")
    bar = model.body("bar", trotz(q) * tdisp(0, 1, 0), mass=1, inertia=(0, 0, 1))
    model.add(TorsionSpring(q, stiffness=1, free_angle=0.01), Force(bar, (0, -P, 0)))
    path = model.equilibrium_path("P", 1.2)
    assert path.values[-1] == 1.2 and len(path) < 100
    assert path["q"] - 0.01 == pytest.approx(path.values * np.sin(path["q"]), abs=1e-12)


@pytest.mark.long
def test_a_path_of_a_loop_goes_on_where_other_coordinates_become_independent():
    """The same with the loop as equations: it turns by 2.8 rad, past the place where x says nothing of q."""
    path = looped().equilibrium_path("F", 8)
    assert path.values[-1] == 8 and path["q"][-1] > 2.7 and path.stable.all() and not path.limits
    assert path["q"] - 0.01 == pytest.approx(path.values * np.sin(path["q"]), abs=1e-10)
    assert path["x"] == pytest.approx(-np.sin(path["q"]), abs=1e-10)
    assert path["y"] == pytest.approx(np.cos(path["q"]), abs=1e-10)


def test_a_path_goes_through_sharp_bends_with_shorter_steps():
    """P = x + sin(30 x) turns where cos(30 x) = -1/30; P = x + atan(1000 (x - 0.5)) rises by pi within a millimetre."""
    found = {}
    for name, force in (("waves", lambda x: x + sympy.sin(30 * x)), ("wall", lambda x: x + sympy.atan(1000 * x - 500))):
        model = Model(name)
        (x,), (p,) = model.coordinates("x"), model.parameters(P=0.0)
        model.body("point", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(GeneralizedForce(x, p - force(x) + force(sympy.Integer(0))))
        found[name] = model.equilibrium_path("P", 1.15 if name == "waves" else 3)
    waves, wall = found.values()
    turn = math.acos(-1 / 30)
    places = np.array([turn, 2 * math.pi - turn]) / 30
    assert waves["x"][list(waves.limits)] == pytest.approx(places, rel=1e-5)
    assert waves.values[list(waves.limits)] == pytest.approx(places + np.sin(30 * places), rel=1e-9)
    assert waves.values == pytest.approx(waves["x"] + np.sin(30 * waves["x"]), abs=1e-8)
    rise = wall["x"] + np.arctan(1000 * wall["x"] - 500) + math.atan(500)
    assert wall.values == pytest.approx(rise, abs=1e-8) and len(wall.limits) == 0
    assert "followed to 1.15" in waves.message and "followed to 3." in wall.message


def test_a_loop_snaps_through_at_the_loads_of_the_closed_form():
    """The width of the two bars is a coordinate, and an equation holds it."""
    path, length = two_bars(across=True).equilibrium_path("P", 5), 1.25 ** (1 / 6)
    largest = 100 * (1.25**0.5 - length) * math.sqrt(length**2 - 1) / length
    assert path.values[list(path.limits)] == pytest.approx([largest, -largest], rel=1e-9)
    assert path.stable[: path.limits[0]].all()
    assert not path.stable[path.limits[0] : path.limits[1] + 1].any() and path.stable[path.limits[1] + 1 :].all()


def test_a_path_that_is_too_long_ends_with_what_to_do():
    path = two_bars().equilibrium_path("P", 5, most=7)
    assert len(path) == 7 and "most=14 goes on farther" in path.message


def test_the_picture_of_a_path_has_both_parts_and_the_limits():
    path = two_bars().equilibrium_path("P", 5)
    ax = path.plot("y")
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["stable", "unstable"]
    assert ax.get_xlabel() == "y [m]" and ax.get_ylabel() == "P"
    assert list(ax.lines[-1].get_ydata()) == pytest.approx(list(path.values[list(path.limits)]))
    assert two_bars().equilibrium(path.initial(0)).found
    stable = np.arange(len(path)) % 3 == 0  # pieces of one point, and of two
    ax = replace(path, stable=stable).plot("y")
    styles = [line.get_linestyle() for line in ax.lines[:-1]]
    assert styles == ["-", "--"] * (len(styles) // 2) + ["-"] * (len(styles) % 2)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["stable", "unstable"]


@pytest.mark.parametrize("elements", [3, pytest.param(6, marks=pytest.mark.long)])
def test_a_column_whose_pin_a_loop_guides_turns_as_by_its_stability_function(elements):
    """Clamped, and pinned to a slider by a loop; a moment M there, a load P along: M = s(P) (E I/L) angle.

    s is zero at 20.19 E I/L^2, Euler's load. Beams are too stiff by an error of order 4.
    """
    model = Model("column on a slider")
    (P,) = model.parameters(P=0)
    s = model.coordinate("s", initial=1)
    column = model.beam("c", length=1, section=Section(area=1, inertia=1e-6), material=Material(E=1e6, density=1),
                        elements=elements)  # fmt: skip
    slider = model.body("slider", tdisp(s, 0, 0), mass=1, inertia=(0, 0, 0))
    model.close(column.tip, slider, joint="revolute")  # which says nothing of the angle of the tip, except by rounding
    model.add(Force(slider, (-P, 0, 0)), Moment(column.tip, (0, 0, 1e-4)))
    path = model.equilibrium_path("P", 15)
    assert path.values[-1] == 15 and path.stable.all() and not path.limits
    k = np.sqrt(path.values[1:])
    stiffness = k * (np.sin(k) - k * np.cos(k)) / (2 - 2 * np.cos(k) - k * np.sin(k))
    apart = np.abs(path[f"c_q{elements}"][1:] * stiffness / 1e-4 - 1)
    assert (apart[k < 2] < 3.5e-4 * (3 / elements) ** 3.5).all() and (apart < 1.3e-2 * (3 / elements) ** 3.5).all()
    assert path["c_q1"][-1] / path["c_q1"][1] > 1.5  # it bows


@pytest.mark.long
def test_a_straight_column_becomes_unstable_at_eulers_load():
    """The path goes straight on; its stability changes at pi^2 E I/(4 L^2), where there is no limit point."""
    model = Model("column")
    (P,) = model.parameters(P=0)
    column = model.beam("c", length=1, section=Section(area=1, inertia=1e-6), material=Material(E=1e6, density=1),
                        elements=3)  # fmt: skip
    model.add(Force(column.tip, (-P, 0, 0)))
    path = model.equilibrium_path("P", 4)
    changes = np.flatnonzero(np.diff(path.stable.astype(int)))
    euler = math.pi**2 / 4
    assert len(changes) == 1 and not path.limits
    assert path.values[changes[0]] < euler < path.values[changes[0] + 1]


WIDE, RISE, THICK, E = 2.0, 0.04, 0.03, 70e9


def limit_loads_by_collocation():
    """The largest and the least load of a shallow arch, symmetrical, pinned: rods that bend and stretch (SciPy)."""
    bvp = pytest.importorskip("scipy.integrate").solve_bvp
    R = (WIDE**2 / 4 + RISE**2) / (2 * RISE)
    phi, EI, EA = math.asin(WIDE / 2 / R), E * THICK**4 / 12, E * THICK**2

    def rod(s, u, F):
        _, _, angle, moment = u
        c, d = np.cos(angle), np.sin(angle)
        stretched = 1 + (F[0] * c + F[1] * d) * EI / EA
        return np.stack([stretched * c, stretched * d, moment - 1 / R, stretched * (F[0] * d - F[1] * c)])

    s = np.linspace(0, R * phi, 41)
    u = np.stack([WIDE / 2 - R * np.sin(phi - s / R), R * np.cos(phi - s / R) - R * np.cos(phi), phi - s / R, 0 * s])
    F, loads, heights = np.zeros(2), [], np.linspace(RISE, -0.9 * RISE, 40)
    for height in heights:
        found = bvp(
            rod, lambda a, b, F, y=height: np.array([a[0], a[1], a[3], b[2], b[0] - WIDE / 2, b[1] - y]), s, u, p=F,
            tol=1e-8, max_nodes=20_000,
        )  # fmt: skip
        assert found.success
        s, u, F = found.x, found.y, found.p
        loads.append(-2 * F[1] * EI)

    def extremum(k):
        a, b, c = np.polyfit(heights[k - 1 : k + 2] - heights[k], loads[k - 1 : k + 2], 2)
        return c - b * b / (4 * a)

    return extremum(int(np.argmax(loads))), extremum(int(np.argmin(loads)))


@pytest.mark.long
def test_a_shallow_arch_snaps_through_at_the_loads_of_collocation():
    R = (WIDE**2 / 4 + RISE**2) / (2 * RISE)
    phi = math.asin(WIDE / 2 / R)

    def line(s):
        a = phi * (1 - 2 * s)
        return WIDE / 2 - R * math.sin(a), R * math.cos(a) - R * math.cos(phi), 0

    expected, errors = np.array(limit_loads_by_collocation()), []
    for elements in (4, 8):
        model = Model("arch")
        (P,) = model.parameters(P=0)
        arch = model.beam("arch", curve=line, section=Section.rectangle(THICK, THICK), elements=elements,
                          material=Material(E=E, density=2700), ends=("pinned", "pinned"))  # fmt: skip
        model.add(Force(arch.nodes[elements // 2], (0, -P, 0)))
        path = model.equilibrium_path("P", 4000)
        errors.append(np.abs(path.values[list(path.limits)] / expected - 1))
    assert (errors[0] < 2e-2).all() and (errors[1] < 5e-3).all() and errors[1][0] < 5e-4
    assert errors[0][0] > 8 * errors[1][0]


# -- loops and contacts -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_slider_crank_with_a_flexible_rod_keeps_its_balance_and_a_stiff_one_moves_as_a_rigid_one():
    def crank(E, duration, fits=True, **options):
        model = Model("slider-crank")
        q, s = model.coordinates("q s", initial=(0, 0.7))
        own = model.body("crank", trotz(q) * tdisp(0.1, 0, 0), mass=0.5, inertia=(0, 0, 0.002))
        rod = model.beam("rod", root=own.T * tdisp(0.1, 0, 0), length=0.5, section=Section.rectangle(0.02, 0.01),
                         material=Material(E=E, density=1000, damping=1e-3 * 2e8 / E), elements=2,
                         ends=("pinned", "free"))  # fmt: skip
        slider = model.body("slider", tdisp(s, 0, 0), mass=0.3, inertia=(0, 0, 0))
        model.close(rod.tip, slider, joint="revolute")
        turning = -20 - 20 * 0.2 / 0.5
        rates = {"q.dot": 20, "rod_q0.dot": turning}
        for k in (1, 2):
            rates |= {f"rod_q{k}.dot": turning, f"rod_y{k}.dot": turning * 0.5 * k / 2}
        return model.simulate(duration, initial=rates if fits else {"q.dot": 20}, save_every=0.002, **options)

    run = crank(2e8, 0.3)
    assert np.ptp(run.energy.balance) < 1e-5 * run.energy.kinetic.max()
    stiff = crank(2e11, 0.1)
    rigid = 0.2 * np.cos(stiff["q"]) + np.sqrt(0.5**2 - (0.2 * np.sin(stiff["q"])) ** 2)
    assert stiff["s"] == pytest.approx(rigid, abs=2e-5) and np.ptp(stiff["s"]) > 0.2

    fixed = {"method": "generalized_alpha", "step": 2e-4}
    assert np.ptp((run := crank(2e11, 0.1, **fixed)).energy.balance) < 1e-3 * run.energy.kinetic.max()
    with pytest.warns(EnergyWarning, match="rates at the start, most of all .*, deform something stiff"):
        crank(2e11, 0.1, fits=False, **fixed)
    run = crank(2e11, 0.1, fits=False, method="dop853")
    assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-5 * run.energy.kinetic.max()


def on_floor(height, angle, friction=0.3, **material):
    model = Model("bar on a floor", gravity=(0, -G, 0))
    bar = model.beam("bar", root=tdisp(0, height, 0) * trotz(angle), length=1, section=Section.rectangle(0.03, 0.02),
                     material=Material(E=2e9, density=1000, **material), elements=2, ends=("free", "free"))  # fmt: skip
    for node in bar.nodes:
        model.add(PlanePoint(node, ground, normal=(0, 1, 0), stiffness=2e4, damping=1e3, friction=friction,
                             slip_speed=1e-4))  # fmt: skip
    return model


def test_a_beam_that_slides_is_slowed_down_by_friction_and_stops():
    """mu g, and v^2/(2 mu g), of a beam that lies on its nodes."""
    model = on_floor(0, 0, damping=1e-3)
    start = model.equilibrium().initial | {f"bar_x{k}.dot": 1.0 for k in range(3)}
    run = model.simulate(0.6, save_every=0.01, initial=start)
    slowed = (run["bar_x1.dot"][0] - run["bar_x1.dot"][20]) / run.t[20]
    assert slowed == pytest.approx(0.3 * G, rel=1e-4)
    assert run["bar_x1"][-1] - run["bar_x1"][0] == pytest.approx(1 / (2 * 0.3 * G), rel=1e-4)
    assert np.ptp(run.energy.balance) < 1e-6 * run.energy.kinetic[0]


@pytest.mark.long
def test_a_beam_that_falls_gives_its_energy_to_the_floor_and_to_damping():
    model = on_floor(0.2, 0.2, damping=2e-4)
    run = model.simulate(0.8, save_every=0.01, initial={f"bar_x{k}.dot": 1.0 for k in range(3)})
    energy = run.energy
    assert np.ptp(energy.balance) < 1e-5 * energy.total[0]
    assert energy.total[-1] < 0.2 * energy.total[0] and run["bar_y0"].min() < -0.19


@pytest.mark.long
def test_rigid_contacts_of_nodes_hold_a_beam_that_falls():
    model = Model("bar on a rigid floor", gravity=(0, -G, 0))
    bar = model.beam("bar", length=1, section=Section.rectangle(0.03, 0.02), elements=2, ends=("free", "free"),
                     material=Material(E=2e8, density=1000, damping=1e-3))  # fmt: skip
    for k, node in enumerate(bar.nodes):
        model.add(RigidContact(node.T.e.y, restitution=0, name=f"floor{k}"))
    run = model.simulate(0.5, save_every=0.005, initial={f"bar_y{k}": 0.1 for k in range(3)})
    heights = np.stack([run[f"bar_y{k}"] for k in range(3)])
    assert heights.min() > -1e-7 and np.abs(heights[:, -1]).max() < 1e-4
    assert run.t[np.argmax(heights[0] < 1e-6)] == pytest.approx(math.sqrt(0.2 / G), abs=0.006)


# -- rotors and cables ------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_blade_flaps_as_in_the_table_and_above_southwells_bound(reference):
    table = {row[0]: row[1:] for row in reference("flexible.json")["rotating_cantilever_flapping"]["eta_c1_c2_c3"]}
    model = Model("blade")
    (W,) = model.parameters(W=0)
    model.beam("b", root=trotz(W * t), length=1, elements=4, spatial=True, material=Material(E=1e6, density=1, nu=0),
               section=Section(area=1, inertia=1e-6, inertia_y=1e-6, torsion=1e-6))  # fmt: skip
    speeds = np.array([0.0, 3.0, 6.0])
    locus = model.root_locus("W", speeds, at=model.equilibrium())
    for speed, poles in zip(speeds, locus.poles, strict=True):
        found = np.sort(poles.imag[poles.imag > 1e-6])
        for wanted, tolerance in zip(table[speed][:2], (3e-4, 4e-4), strict=True):
            assert np.abs(found / wanted - 1).min() < tolerance
        lag = math.sqrt(table[speed][0] ** 2 - speed**2)  # in the plane of rotation
        assert np.abs(found / lag - 1).min() < 1e-3
        assert table[speed][0] ** 2 >= table[0][0] ** 2 + speed**2


def hung(model, root, span=1.6, length=2.0, elements=12):
    """The equilibrium of a rope of hardly any bending stiffness between two points, its sag and the force along x."""
    thin, angle = Section(area=1e-5, inertia=1e-16), 1.1311  # of an arc: sin(a)/a is span/length
    rope = model.beam("r", root=root, length=length, section=thin, material=Material(E=1e11, density=7850),
                      elements=elements, ends=("pinned", "free"))  # fmt: skip
    assert rope.tip is rope.nodes[elements]
    R, guess = length / (2 * angle), {}
    for k in range(elements + 1):
        a = angle * (2 * k / elements - 1)
        guess[f"r_q{k}"] = a
        if k:
            guess |= {f"r_x{k}": R * (math.sin(a) + math.sin(angle)), f"r_y{k}": R * (math.cos(angle) - math.cos(a))}
    ends = [f"r_x{elements}", f"r_y{elements}"]
    found = model.equilibrium(guess | dict(zip(ends, (span, 0), strict=True)), locked=ends)
    return found, -found[f"r_y{elements // 2}"], abs(found.residual[found.names.index(ends[0])])


@pytest.mark.long
def test_a_cable_hangs_as_a_catenary():
    brentq = pytest.importorskip("scipy.optimize").brentq
    found, sag, force = hung(Model("cable", gravity=(0, -G, 0)), tdisp(0, 0, 0))
    a = brentq(lambda a: 2 * a * math.sinh(0.8 / a) - 2, 0.1, 100)
    assert found.stable and sag == pytest.approx(a * (math.cosh(0.8 / a) - 1), rel=2e-4)
    assert force == pytest.approx(7850 * 1e-5 * G * a, rel=2e-4)


@pytest.mark.long
def test_a_rope_whirls_as_a_troposkein():
    """H (1 + y'^2)^(1/2) + mu y^2/2 is the same along it, mu = rho A W^2: two elliptic integrals."""
    optimize = pytest.importorskip("scipy.optimize")
    from scipy.integrate import quad

    model = Model("skipping rope")
    (W,) = model.parameters(W=20)
    _, radius, force = hung(model, trotx(W * t))
    mu = 7850 * 1e-5 * 20**2

    def lacking(v):
        H, b = np.exp(v)

        def part(a):
            return mu * (b * math.cos(a)) ** 2 / (2 * H)

        per = 2 * math.sqrt(2 * H / mu)
        span = per * quad(lambda a: 1 / math.sqrt(part(a) + 2), 0, math.pi / 2)[0]
        length = per * quad(lambda a: (1 + part(a)) / math.sqrt(part(a) + 2), 0, math.pi / 2)[0]
        return span - 1.6, length - 2

    H, b = np.exp(optimize.fsolve(lacking, np.log([0.3 * mu, 0.5])))
    assert radius == pytest.approx(b, rel=3e-4) and force == pytest.approx(H, rel=3e-4)


test_mistake_is_explained = explained(__file__)


def looped(rolls=False):
    """A bar on a spring, a little out of the vertical; its end has a place, and two equations say where."""
    model = Model("loop")
    (F,) = model.parameters(F=0)
    x, y, q = model.coordinates("x y q", initial=(0, 1, 0))
    bar = model.body("bar", tdisp(x, y, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    model.add(TorsionSpring(q, stiffness=1, free_angle=0.01), Force(bar, (0, -F, 0)))
    model.constraint(x + sympy.sin(q))
    model.constraint(y.dot + q.dot * sympy.sin(q) if rolls else y - sympy.cos(q))
    return model
