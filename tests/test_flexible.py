"""Beams in the plane, beside closed forms: frequencies, elastica, buckling, rotation, and what is conserved."""

import math

import numpy as np
import pytest
import sympy
from mistakes import explained
from together import together

from easydyn import Force, Model, Moment, ground, tdisp, trotx, trotz
from easydyn.flexible import Beam, Material, Section
from easydyn.flexible.chain import along, through
from easydyn.mechanics.symbols import t

EA = 1e6  # E I, rho A and L are 1
UNIT = {"section": Section(area=1, inertia=1 / EA), "material": Material(E=EA, density=1), "length": 1}
# P L^2/(E I), deflection, shortening (over L) and angle of the tip: elliptic integrals
ELASTICA = [
    (0.5, 0.1621435756583712, 0.015918962470837905, 0.24453364713322506),
    (2, 0.49345748039682236, 0.16064172082525185, 0.7817498315568794),
    (10, 0.8106090248802981, 0.5549955977537624, 1.430285538803912),
]


def column(elements, ends=("clamped", "free"), stiffness=EA):
    """A beam of unit length and bending stiffness in a turning frame, with a load of two components and a moment."""
    model = Model("column")
    speed, along, across, moment = model.parameters(speed=0, along=0, across=0, moment=0)
    section, material = Section(area=1, inertia=1 / stiffness), Material(E=stiffness, density=1)
    beam = model.beam(
        "b", root=trotz(speed * t), length=1, section=section, material=material, elements=elements, ends=ends
    )
    model.add(Force(beam.tip, (along, across, 0)), Moment(beam.tip, (0, 0, moment)))
    return model


@pytest.fixture(scope="module")
def cantilever():
    return column(6)


def frequencies(model, count, above=1e-6, **at):
    found = np.sort(model.linearize(**at).poles().imag)
    return found[found > above][:count]


def bending(ends, reference):
    """The squares of the first five wave numbers times the length, in closed form."""
    kind = {("clamped", "free"): "cantilever", ("free", "free"): "free_free", ("pinned", "roller"): "pinned_pinned"}
    return np.array(reference("flexible.json")["bending_frequencies"][f"{kind[ends]}_b"]) ** 2


def test_frequencies_of_a_cantilever(cantilever, reference):
    """Six elements; the closed form has no rotary inertia, which takes (k r)^2/2 or so."""
    errors = frequencies(cantilever, 3) / bending(("clamped", "free"), reference)[:3] - 1
    assert np.all(np.abs(errors) < [3e-6, 4e-5, 2e-4])


@pytest.mark.long
@pytest.mark.parametrize("ends", [("clamped", "free"), ("free", "free"), ("pinned", "roller")])
def test_first_five_frequencies_with_sixteen_elements(ends, reference):
    found = frequencies(column(16, ends, stiffness=1e8), 5, above=1)
    assert found == pytest.approx(bending(ends, reference), rel=1e-4)


@pytest.mark.parametrize(("load", "deflection", "shortening", "angle"), ELASTICA)
def test_elastica(cantilever, load, deflection, shortening, angle):
    found = cantilever.equilibrium(parameters={"across": load})
    reached = [found["b_y6"] / deflection, (1 - found["b_x6"]) / shortening, found["b_q6"] / angle]
    assert reached == pytest.approx([1, 1, 1], abs=1.3e-4)


@pytest.mark.parametrize(("eta", "c"), [(3, (4.797278532, 23.320263675)), (12, (13.170150488, 37.603112331))])
def test_rotating_beam_stiffens(cantilever, eta, c):
    """In the plane of rotation omega^2 is that of flapping less the speed squared."""
    steady = cantilever.equilibrium(parameters={"speed": eta})
    flapping = np.sqrt(frequencies(cantilever, 2, at=steady) ** 2 + eta**2)
    assert flapping == pytest.approx(c, rel=5e-4)
    stretch = steady["b_x6"] - 1
    assert stretch == pytest.approx(eta**2 / EA / 3, rel=1e-3)  # rho A w^2 L^3/(3 E A)


def test_euler_buckles(cantilever):
    """The lowest eigenvalue of K falls through zero at the load of Euler."""
    euler, found = math.pi**2 / 4, []
    for share in (0.98, 0.99):
        K = cantilever.linearize(at=cantilever.equilibrium(parameters={"along": -share * euler})).K
        found.append(np.linalg.eigvalsh(K)[0])
    assert 0.98 + 0.01 * found[0] / (found[0] - found[1]) == pytest.approx(1, abs=1e-4)


def free_flight(damping=0):
    model = Model("flight")
    material = Material(E=5e6, density=1000, damping=damping)
    beam = model.beam(
        "b", length=1, section=Section.rectangle(0.02, 0.02), material=material, elements=2, ends=("free", "free")
    )
    start = {"b_y0.dot": 1, "b_x1.dot": 0.5, "b_y1.dot": -2, "b_q2.dot": 8, "b_y2.dot": 3, "b_q1": 0.2}
    run = model.simulate(0.1, save_every=0.005, initial=start, method="dop853", tolerance=1e-9)
    return model, beam, run


def motions(names, q):
    """How coordinates change in a shift along x, one along y, and a turn about the origin."""
    state = dict(zip(names, q, strict=True))
    turned = {"x": lambda n: -state["b_y" + n], "y": lambda n: state["b_x" + n], "q": lambda n: 1.0}
    shifts = [[float(name[2] == c) for name in names] for c in "xy"]
    return np.array([*shifts, [turned[name[2]](name[3]) for name in names]])


def test_free_flight_keeps_momentum_and_energy():
    model, _, run = free_flight()
    system = model.compile()
    kept = [motions(run.names, run.q[k]) @ system.mass_matrix(0, run.q[k]) @ run.qd[k] for k in range(len(run.t))]
    assert np.ptp(kept, axis=0) == pytest.approx(np.zeros(3), abs=1e-8)
    assert abs(kept[0]).min() > 0.01
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic.max()
    assert np.ptp(run.energy.potential) > 0.1  # it does bend


def test_damping_is_all_the_work():
    _, _, run = free_flight(damping=1e-3)
    assert run.energy.total[-1] < 0.97 * run.energy.total[0]
    assert run.energy.total - run.energy.work == pytest.approx(run.energy.total[0], rel=1e-6)


def test_rigid_motions_have_the_energy_of_a_rigid_body():
    model, _, run = free_flight()
    q = [0.5 * float(name[3]) if name[2] == "x" else 0.0 for name in run.names]  # straight along x
    rigid = motions(run.names, q)
    energies = np.diag(rigid @ model.compile().mass_matrix(0, q) @ rigid.T)
    rho, A, inertia = 1000, 4e-4, 0.02**4 / 12
    assert energies == pytest.approx([rho * A, rho * A, rho * (A / 3 + inertia)], rel=1e-12)


def test_schemes_and_the_textbook_agree(rng):
    """An element between frames of one's own: recursion, explicit contributions, SymPy."""
    model = Model("element")
    p, x, y, q = model.coordinates("p x y q", initial=(0, 1, 0, 0))
    hub = model.body("hub", trotz(p) * tdisp(0.1, 0, 0), mass=1, inertia=(0, 0, 1))
    tip = model.body("tip", hub.T * tdisp(x, y, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    material = Material(E=2e5, density=1e4, damping=0.01)
    model.add(Beam(hub, tip, Section.rectangle(0.02, 0.05), material, length=0.98))
    assert sum(float(b.mass) for b in model.bodies) == pytest.approx(2 + 1e4 * 1e-3 * 0.98)
    at = (0, [0.3, 1.02, 0.1, 0.2], rng.normal(size=4), rng.normal(size=4))
    systems = (model.compile(scheme=scheme, target="python") for scheme in ("recursive", "explicit", "motor"))
    first, *others = (system.residual(*at) for system in systems)
    for other in others:
        assert other == pytest.approx(first, rel=1e-9, abs=1e-9)


def test_forces_are_derivatives_of_the_potential(cantilever, rng):
    """Then differences of the residual are symmetric, wherever the nodes are."""
    system = cantilever.compile(target="python")
    n = len(cantilever.mechanism.coordinates)
    q = np.array([float(v) for k, v in cantilever.initial_values.items() if not k.endswith(".dot")])
    q = q + 1e-3 * rng.normal(size=n)
    zero, h = np.zeros(n), 1e-6
    moved = ((system.residual(0, q + s * h * e, zero, zero) for s in (1, -1)) for e in np.eye(n))
    K = [(more - less) / (2 * h) for more, less in moved]
    assert np.array(K) == pytest.approx(np.array(K).T, rel=1e-6, abs=1e-2)


def test_frames_between_nodes(cantilever):
    model = Model("frames")
    beam = model.beam("b", elements=2, **UNIT)
    third = model.body("third", beam.at(0.3), mass=0, inertia=(0, 0, 0))
    frames = model.compile(target="python").frames(0, [0.5, 0, 0, 1, 0, 0])
    assert frames[-1] == pytest.approx(np.array(tdisp(0.3, 0, 0).matrix, dtype=float))
    assert third.coordinates and repr(beam) == "beam 'b' of 2 elements"
    straight = {x: model.initial_values[str(x)] for x in model.mechanism.coordinates}
    further = beam.at(0.8).map(lambda x: sympy.sympify(x).xreplace(straight)).matrix  # in the second element
    assert np.array(further, dtype=float) == pytest.approx(np.array(tdisp(0.8, 0, 0).matrix, dtype=float))


def test_a_beam_hangs_from_the_tip_of_another():
    model = Model("two beams", gravity=(0, -9.81, 0))
    material = Material(E=5e7, density=1000)
    kind = {"length": 0.5, "section": Section.rectangle(0.02, 0.01), "material": material, "elements": 1}
    first = model.beam("a", ends=("pinned", "free"), **kind)
    model.beam("b", root=first.tip.T, ends=("pinned", "free"), **kind)
    run = model.simulate(0.3, save_every=0.01, method="dop853", tolerance=1e-8)
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic.max()


def test_frequencies_converge_with_the_eighth_order():
    """Pinned beams have no ends: all is as in an endless one. The closed form is Rayleigh's, with rotary inertia."""
    exact = math.pi**2 / math.sqrt(1 + math.pi**2 / EA)
    errors = [frequencies(column(n, ("pinned", "roller")), 1)[0] / exact - 1 for n in (2, 4)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(8, abs=0.2)
    assert errors[0] == pytest.approx(-((math.pi / 2) ** 8) / 240000, rel=0.1)


@pytest.mark.long
def test_sixteen_elements_bend_as_the_elastica_and_roll_up_to_a_circle():
    model, start = column(16), None
    for load, deflection, shortening, angle in ELASTICA:
        found = model.equilibrium(parameters={"across": load}, initial=start)
        start = {str(q): found[str(q)] for q in model.mechanism.coordinates}
        reached = [found["b_y16"] / deflection, (1 - found["b_x16"]) / shortening, found["b_q16"] / angle]
        assert reached == pytest.approx([1, 1, 1], abs=1e-5)
    start = None
    for share in (0.25, 0.5, 0.75, 1):
        found = model.equilibrium(parameters={"moment": 2 * math.pi * share}, initial=start)
        start = {str(q): found[str(q)] for q in model.mechanism.coordinates}
    assert [found["b_x16"], found["b_y16"]] == pytest.approx([0, 0], abs=1e-3)
    assert found["b_q16"] == pytest.approx(2 * math.pi, rel=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(("ends", "k"), [
    (("pinned", "roller"), 1), (("clamped", "roller"), 0.6991556596428412), (("clamped", "guided"), 0.5),
])  # fmt: skip
def test_other_columns_buckle(ends, k):
    model, euler, found = column(8, ends, stiffness=1e8), (math.pi / k) ** 2, []
    for share in (0.98, 0.99):
        K = model.linearize(at=model.equilibrium(parameters={"along": -share * euler})).K
        found.append(np.linalg.eigvalsh((K + K.T) / 2)[0])
    assert 0.98 + 0.01 * found[0] / (found[0] - found[1]) == pytest.approx(1, abs=1e-3)


# -- mistakes -------------------------------------------------------------------------------------------------------


def apart():
    model = Model("apart")
    return model, model.coordinate("q")


def tilted(**changed):
    model, q = apart()
    Beam(ground, model.body("turned", trotx(q), mass=0, inertia=(1, 1, 1)), **(UNIT | changed))


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 1), (0.3, 1), (10, 1)])
def test_torsion_of_a_rectangle_is_that_of_its_membrane(width, height):
    """Prandtl's function as a double series of sines, which has no hyperbolic functions; its tail is integrated."""
    m = np.arange(1, 4000, 2.0)
    terms = np.outer(m**2, m**2) * ((m / width) ** 2 + ((m / height) ** 2)[:, None])
    series = 256 * width * height / math.pi**6 * (1 / terms).sum()
    J = Section.rectangle(width, height).torsion
    assert J == pytest.approx(series, rel=1e-8)  # the tail is of the order 1/4000^3 times the ratio of the sides
    narrow, wide = sorted((width, height))
    assert Section.rectangle(height, width).torsion == J < wide * narrow**3 / 3
    for section in (Section.rectangle(width, height), Section.i_beam(width, height, width / 9, height / 7)):
        (y, z), (y1, z1) = (np.transpose(x) for x in (section.outline, np.roll(section.outline, -1, axis=0)))
        twice = y * z1 - y1 * z  # of the triangles between its corners and the middle
        exact = section.area, section.inertia, section.inertia_y
        found = [(twice * x).sum() for x in (0.5, (y * y + y * y1 + y1 * y1) / 12, (z * z + z * z1 + z1 * z1) / 12)]
        assert np.abs(found) == pytest.approx(exact, rel=1e-12)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("spatial", [False, True])
@pytest.mark.parametrize("elements", [1, 2])
def test_drag_is_on_all_mass_that_of_rotary_inertia_too(spatial, elements):
    """mass_damping alpha: C = alpha M of all small motions, of a thick bar as well."""
    model = Model("thick bar")
    material = Material(E=1e6, density=1000, nu=0.3, mass_damping=0.3)
    model.beam("b", length=0.5, section=Section.rectangle(0.2, 0.3), material=material, elements=elements,
               ends=("free", "free"), spatial=spatial)  # fmt: skip
    lin = model.linearize()
    assert np.abs(lin.C - 0.3 * lin.M).max() <= 1e-12 * np.abs(lin.M).max()


def test_a_spline_through_three_points_is_their_parabola():
    """y = x^2 from -1 to 1: its length is sqrt(5) + asinh(2)/2, its tangents are (1, 2 x)."""
    points = np.array([[-1.0, 1, 0], [0, 0, 0], [1, 1, 0]])
    line = through(points)
    np.testing.assert_allclose(line(np.array([0.5, 2.5]) * line.x[-1] / 3)[:, 1],
                               line(np.array([0.5, 2.5]) * line.x[-1] / 3)[:, 0] ** 2, atol=1e-14)  # fmt: skip
    slopes = line(np.array([0, line.x[-1]]), 1)
    np.testing.assert_allclose(slopes[:, 1] / slopes[:, 0], [-2, 2], rtol=1e-13)
    length, _ = along(points.tolist(), 2, "the curve", spatial=False)
    assert length == pytest.approx(math.sqrt(5) + math.asinh(2) / 2, rel=1e-7)


def test_the_spline_of_an_arc_is_as_good_at_its_ends_as_within():
    """Tangents at the ends, and the length, by points: twice as many are eight times better (order three) and more."""
    errors = []
    for n in (8, 16, 32):
        angle = np.linspace(0, 2, n + 1)
        points = np.array([np.sin(angle), 1 - np.cos(angle), 0.3 * angle]).T
        first, last = through(points)([0, through(points).x[-1]], 1)
        unit = math.sqrt(1.09)
        ends = [first / np.linalg.norm(first) - np.array([1, 0, 0.3]) / unit,
                last / np.linalg.norm(last) - np.array([math.cos(2), math.sin(2), 0.3]) / unit]  # fmt: skip
        length, _ = along(points.tolist(), 4, "the curve", spatial=True)
        errors.append([*(np.abs(end).max() for end in ends), abs(length - 2 * unit)])
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (rates[-1] > 2.7).all() and max(errors[-1]) < 1e-4


def test_a_thin_strip_has_a_third_of_its_width_less_an_end_correction():
    """J = b t^3/3 (1 - 0.63025 t/b): Timoshenko and Goodier, Theory of Elasticity, section 109, to six digits."""
    for b in (8, 20):
        assert Section.rectangle(b, 1).torsion == pytest.approx(b / 3 * (1 - 0.630249 / b), rel=1e-7)


def test_an_i_beam_is_three_rectangles():
    """Of b = 100, h = 200, web 6, flanges 10 mm: sums over its rectangles, each about the middle of the whole."""
    section = Section.i_beam(0.1, 0.2, 0.006, 0.01, shear=True)
    flange, web = (0.1, 0.01), (0.006, 0.18)
    assert section.area == pytest.approx(2 * 1e-3 + 1.08e-3, rel=1e-13)
    about_z = 2 * (flange[0] * flange[1] ** 3 / 12 + 1e-3 * 0.095**2) + web[0] * web[1] ** 3 / 12
    assert section.inertia == pytest.approx(about_z, rel=1e-13)
    assert section.inertia_y == pytest.approx(2 * 0.01 * 0.1**3 / 12 + 0.18 * 0.006**3 / 12, rel=1e-13)
    thin = (2 * 0.1 * 0.01**3 + 0.18 * 0.006**3) / 3
    assert section.torsion == pytest.approx(thin, rel=1e-13)
    # El Darwish and Johnston, J. Struct. Div. ASCE 91 (1965): ends of the flanges, junctions with the web, no fillets
    alpha, D = -0.042 + 0.2204 * 0.6 - 0.0725 * 0.36, 0.01 + 0.006**2 / 0.04
    assert section.torsion == pytest.approx(thin + 2 * alpha * D**4 - 0.42 * 0.01**4, rel=0.05)
    assert section.shear_y == pytest.approx(0.2 * 0.006, rel=1e-13)
    assert section.shear_z == pytest.approx(2 * 5 / 6 * 1e-3, rel=1e-13)  # two rectangles beside each other
    outline = np.array(section.outline)
    y, z = outline.T
    y1, z1 = np.roll(outline, -1, axis=0).T
    twist = y * z1 - y1 * z
    assert abs(twist.sum()) / 2 == pytest.approx(section.area, rel=1e-13)
    assert abs((twist * (y * y + y * y1 + y1 * y1)).sum()) / 12 == pytest.approx(about_z, rel=1e-13)


@together("bore", [0, 0.3, 0.6, 0.95])
def test_shear_of_a_tube_is_cowpers(bore):
    """Cowper, J. Appl. Mech. 33 (1966), without lateral contraction: K = I^2/(A integral of y f), f warps the section.

    The shear stress of Saint-Venant's flexure is along the gradient of f: Laplace's operator of f is -y, and f has no
    slope across the edges. Of a tube of the radii b and 1, f = (3/8 ((1 + b^2) r + b^2/r) - r^3/8) cos(angle).
    """
    section = Section.circle(2, 2 * bore, shear=True)
    r, w = np.polynomial.legendre.leggauss(6)
    r, w = (1 + bore + r * (1 - bore)) / 2, w * (1 - bore) / 2
    f = 3 / 8 * ((1 + bore**2) * r + bore**2 / r) - r**3 / 8
    K = section.inertia**2 / (section.area * math.pi * (w * r * r * f).sum())
    assert section.shear_y == section.shear_z == pytest.approx(K * section.area, rel=1e-12)
    assert section.torsion == pytest.approx(math.pi / 2 * (1 - bore**4), rel=1e-13)
    assert section.inertia == section.inertia_y == pytest.approx(section.torsion / 2, rel=1e-13)


def skewed(free, **changed):
    model, q = apart()
    Beam(ground, model.body("end", tdisp(q, 0, 0), mass=0, inertia=(0, 0, 1)), **(UNIT | changed), free=free)


def beam(w, **changed):
    return w.model.beam("blade", **({**UNIT, "elements": 2} | changed))


test_mistake_is_explained = explained(__file__)


def test_a_beam_in_space_that_shears_vibrates_in_its_plane_as_a_flat_one():
    """A thick round one, of one element: Phi = 12 E I/(G A_s L^2) = 0.96 stands in its masses, too."""
    round_, flat = {"inertia_y": 8e-6, "torsion": 1e-5, "shear_z": 1e-3}, {}
    frequencies = []
    for more in (flat, round_):
        section, model = Section(area=1e-2, inertia=8e-6, shear_y=1e-3, **more), Model("beam")
        model.beam("b", length=0.5, section=section, material=Material(E=2e11, density=7800, G=8e10), elements=1,
                   spatial=bool(more))  # fmt: skip
        lin = model.linearize()
        frequencies.append(np.sort(np.linalg.eigvals(np.linalg.solve(lin.M, lin.K)).real))
    for own in frequencies[0]:
        assert np.abs(frequencies[1] / own - 1).min() < 1e-9
