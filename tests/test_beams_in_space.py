"""Beams in space: what is stress-free, frequencies in both planes and of twist, schemes."""

import math

import numpy as np
import pytest

from easydyn import Model
from easydyn.flexible import Material, Section


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
    systems = (model.compile(scheme=scheme, target="python") for scheme in ("recursive", "explicit", "motor"))
    first, *others = (system.residual(*at) for system in systems)
    for other in others:
        assert other == pytest.approx(first, rel=1e-9, abs=1e-8)
