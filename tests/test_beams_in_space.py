"""Beams in space: what is stress-free, frequencies in both planes and of twist, schemes."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sympy import sympify

from easydyn import Model, tdisp, trotx, troty, trotz
from easydyn.flexible import Material, Section
from easydyn.flexible.beam import strains
from easydyn.flexible.chain import along


def test_curve_is_free_of_stress():
    model = Model("helix")
    material, section = Material(E=1e7, density=1, nu=0.3), Section.circle(0.1)
    beam = model.beam("b", curve=lambda s: (math.sin(s), 1 - math.cos(s), 0.2 * s), spatial=True, section=section,
                      material=material, elements=3)  # fmt: skip
    at = [float(model.initial_values[str(q)]) for q in model.mechanism.coordinates]
    system, rest = model.compile(target="python"), np.zeros(len(at))
    assert system.residual(0, at, rest, rest) == pytest.approx(rest, abs=1e-8)
    assert float(beam.elements[0].length) == pytest.approx(math.sqrt(1.04) / 3, rel=1e-6)
    assert np.abs(system.residual(0, np.array(at) + 1e-3, rest, rest)).max() > 1e-3


def test_axes_turn_along_a_curve_without_twist():
    """A helix: its length, points and tangents; between nodes the axes turn by the shortest way, by SciPy."""
    speed = math.hypot(3, 1.5)
    length, places = along(lambda s: (math.sin(3 * s), 1 - math.cos(3 * s), 1.5 * s), 6, "it", True)
    assert length == pytest.approx(speed, rel=1e-10)
    before = None
    for s, place in zip(np.linspace(0, 1, 7), places, strict=True):
        R = np.array(place.R.matrix, dtype=float)
        np.testing.assert_allclose(place.at, (math.sin(3 * s), 1 - math.cos(3 * s), 1.5 * s), atol=2e-11)
        tangent = np.array([3 * math.cos(3 * s), 3 * math.sin(3 * s), 1.5]) / speed
        np.testing.assert_allclose(R[:, 0], tangent, atol=5e-10 if 0 < s < 1 else 4e-6)
        assert place.angle == pytest.approx(3 * s, abs=4e-6)  # about z, of the projection
        if before is not None:
            axis = np.cross(before[:, 0], R[:, 0])
            size = np.linalg.norm(axis)
            turn = Rotation.from_rotvec(axis / size * math.atan2(size, before[:, 0] @ R[:, 0])).as_matrix()
            np.testing.assert_allclose(R, turn @ before, atol=3e-15)
        before = R
    for way in (1, -1):  # round more than once, to the left and to the right: angles are counted on
        places = along(lambda s, way=way: (math.cos(9 * s), way * math.sin(9 * s), 0), 24, "it", False)[1]
        expected = way * (np.pi / 2 + np.linspace(0, 9, 25))
        np.testing.assert_allclose([place.angle for place in places], expected, atol=1e-6)


@pytest.mark.long
def test_frequencies_in_both_planes_and_of_twist():
    model, L = Model("cantilever"), 2
    section, material = Section.rectangle(0.02, 0.05), Material(E=70e9, density=2700, nu=0.33)
    model.beam("b", length=L, section=section, material=material, elements=4, spatial=True)
    found = model.linearize().poles().imag
    for inertia in (section.inertia, section.inertia_y):
        exact = 1.8751040687119611**2 * math.sqrt(70e9 * inertia / (2700 * section.area * L**4))
        assert np.abs(found / exact - 1).min() < 3e-4  # rotary inertia
    polar = section.inertia + section.inertia_y
    twist = math.pi / 2 / L * math.sqrt(material.G * section.torsion / (2700 * polar))
    assert np.abs(found / twist - 1).min() < 0.01  # (pi/2/4)^2/24 of lumped inertia


def test_schemes_agree(rng):
    model = Model("element", gravity=(0.3, -9, 1.2))
    material = Material(E=1e6, density=2700, nu=0.3, damping=0.01, mass_damping=0.2)
    model.beam("b", section=Section.rectangle(0.02, 0.05, shear=True), material=material, elements=1, spatial=True,
               curve=[(0, 0, 0), (0.5, 0.1, 0.1), (1, 0, 0.3)])  # fmt: skip
    n = len(model.mechanism.coordinates)
    at = (0, 0.1 * rng.normal(size=n), rng.normal(size=n), rng.normal(size=n))
    systems = [model.compile(scheme=scheme, target="python") for scheme in ("recursive", "explicit", "motor")]
    first, *others = (system.residual(*at) for system in systems)
    for other in others:
        assert other == pytest.approx(first, rel=1e-9, abs=1e-8)
    zero = np.zeros(n)
    q = at[1] + [model.initial_values[x] for x in model.names]  # forces are derivatives of the potential
    near = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))
    V = [[w * systems[0].energies(0, q + x * 1e-3 * e, zero, zero)[1] for x, w in near] for e in np.eye(n)]
    assert systems[0].residual(0, q, zero, zero) == pytest.approx(np.sum(V, axis=1) / 1e-3, rel=1e-6)


@pytest.mark.parametrize("elements", [1, 3])
def test_steps_that_follow_vibrations_along_a_beam_are_told_once(elements):
    """Between rigid ends an element rings at pi c/L at most; told are 5000 steps or more, of up to 3 rad of that."""
    model = Model("bar")
    material, section = Material(E=4e6, density=1000), Section.rectangle(0.02, 0.01)
    beam = model.beam("bar", length=2, section=section, material=material, elements=elements)
    highest = math.pi * math.sqrt(4e6 / 1000) / (2 / elements)

    def told(rad, steps=5000):
        return [x for element in beam.elements for x in element._wasted_steps(model, rad / highest * steps, steps)]

    assert len(told(2.99)) == 1 and f"up to {highest:.2g} rad/s" in told(2.99)[0]
    assert f"damping={20 / highest:.1g} (s)" in told(2.99)[0] and "5000 steps" in told(2.99)[0]
    assert told(3.01) == told(2.99, 4999) == []
    slow = math.pi**2 * math.sqrt(4e6 * section.inertia / (1000 * section.area)) / 2**2
    assert f"step={0.06 / slow:.1g}," in told(2.99)[0]


def test_frames_between_nodes_are_at_right_angles_and_along_the_beam(rng):
    model, h, L = Model("frames"), 1e-5, 1.25
    material = Material(E=1e6, density=2700, nu=0.3, damping=0.01, mass_damping=0.2)
    section = Section.rectangle(0.02, 0.05)
    kind = {"length": L, "section": section, "material": material, "elements": 1, "spatial": True}
    beam = model.beam("b", **kind)
    q = {x: model.initial_values[str(x)] + 0.2 * rng.normal() for x in model.mechanism.coordinates}

    def number(x):
        x = sympify(sympify(x).xreplace(q))
        return float(x.xreplace(dict.fromkeys(x.free_symbols, 0)))  # no turn of axes in which angles are counted

    root, between, before, after, tip, end = (
        np.array(T.map(number).matrix, dtype=float) for T in (*map(beam.at, (0, 0.3, 0.3 - h, 0.3 + h, 1)), beam.tip.T)
    )
    R, way = between[:3, :3], (after - before)[:3, 3]
    assert R.T @ R == pytest.approx(np.eye(3), abs=1e-12) and np.linalg.det(R) == pytest.approx(1)
    assert R[:, 0] == pytest.approx(way / np.linalg.norm(way), abs=1e-8)
    assert root == pytest.approx(np.eye(4), abs=1e-12) and tip == pytest.approx(end, abs=1e-12)
    root = troty(0.4) * tdisp(1, 2, 3)
    elsewhere = Model("root").beam("b", root=root, **kind).at(0.3).map(number).matrix
    assert np.array(elsewhere, dtype=float) == pytest.approx(root.matrix @ between, abs=1e-12)
    a, end = 1e-5, tdisp(L, 0, 0)  # curvatures of cubics with small slopes at their ends
    for turn, k, sense in ((trotz, 0, 1), (troty, 1, -1)):
        bow, wave = (strains(beam.elements[0], turn(x), end * turn(a), float) for x in (-a, a))
        assert (bow.even[k], wave.odd[k]) == pytest.approx((sense * 2 * a / L, -sense * 6 * a / L), rel=1e-6)
        assert [*bow.odd, *wave.even, bow.even[1 - k], wave.odd[1 - k]] == pytest.approx([0] * 6, abs=1e-12)
    longer = strains(beam.elements[0], tdisp(0.1, 0, 0), tdisp(0.1 + L * (1 + a), 0, 0) * trotx(a), float)
    assert (longer.stretch, longer.twist) == pytest.approx((a, a / L), rel=1e-6)
    Phi, (s, weight) = 0.4, np.polynomial.legendre.leggauss(4)  # inertia, by the line of a beam with shear
    s, weight, per = (s + 1) / 2, weight / 2, 1 / (1 + Phi)
    fall = 1 - 3 * s**2 + 2 * s**3 + Phi * (1 - s)
    line = per * np.array([fall, s * (1 - s) ** 2 + Phi / 2 * s * (1 - s), 1 + Phi - fall,
                           -s * s * (1 - s) - Phi / 2 * s * (1 - s)])  # fmt: skip
    w, g, m = np.array([[0, 1, 0, -1], [-1, -0.5, 1, -0.5], [0, 0.5, 0, 0.5]])  # of what is zero in rigid motions
    more = per**2 * (np.outer(w, w) / 240 - 2 / 105 * np.outer(g, g)) - (np.outer(m, g) + np.outer(g, m)) / 60
    np.testing.assert_allclose(beam.elements[0]._consistent(Phi), line * weight @ line.T + more, rtol=0, atol=1e-15)
    straight = model.linearize(target="python")
    one = np.array([[12 / L**3, -6 / L**2], [-6 / L**2, 4 / L]])  # of the textbook
    parts = [[[1e6 * section.area / L]], [[material.G * section.torsion / L]]]
    parts += [1e6 * I * one for I in (section.inertia, section.inertia_y)]
    springs = np.sort(np.concatenate([np.linalg.eigvalsh(x) for x in parts]))
    np.testing.assert_allclose(np.linalg.eigvalsh(straight.K), springs, rtol=1e-9)
    np.testing.assert_allclose(straight.C, 0.01 * straight.K + 0.2 * straight.M, rtol=0, atol=1e-9)
