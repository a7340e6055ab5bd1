"""What model.check(), run.check() and the calls say of beams that are not what was meant; and of good ones nothing."""

import math
import re

import numpy as np
import pytest
from mistakes import explained
from together import together

from easydyn import Force, Model, ground, tdisp, trotz
from easydyn.analysis.beams import beams
from easydyn.errors import ModelError
from easydyn.flexible import Beam, Material, Section

STEEL = {"E": 210e9, "density": 7850, "nu": 0.3}


def ruler(section=None, load=None, gravity=(0, -9.81, 0), material=STEEL, **given):
    """A ruler of steel, 0.5 m long, 30 mm high, 3 mm thick: clamped, in the plane."""
    model = Model("ruler", gravity=gravity)
    made = {"length": 0.5, "elements": 3, "section": section or Section.rectangle(0.003, 0.03)} | given
    beam = model.beam("ruler", material=Material(**material), **made)
    if load is not None:
        model.add(Force(beam.tip, load))
    return model


def apart(x=1.0, turned=0.0, length=1):
    """An element between two frames of one's own."""
    model = Model("own", gravity=(0, -9.81, 0))
    u, v, q = model.coordinates("u v q")
    end = model.body("end", tdisp(x + u, v, 0) * trotz(q + turned), mass=1, inertia=(0, 0, 1))
    model.add(Beam(ground, end, Section.rectangle(0.02, 0.02), Material(**STEEL), length=length))
    return model


def negative():
    model = Model("negative", gravity=(0, -9.81, 0))
    E, = model.parameters(E=-210e9)
    model.beam("ruler", length=1, section=FLAT, material=Material(E=E, density=7850), elements=2)
    return model


FLAT = Section.rectangle(0.03, 0.0005)
FINDINGS = [
    ("E in GPa", lambda: ruler(material=STEEL | {"E": 210}), "carries waves at 0.16 m/s, .*210 GPa of steel is 210e9"),
    ("E in MPa", lambda: ruler(material=STEEL | {"E": 210e3}), "beam 'ruler' carries waves at 5.2 m/s, which no mat"),
    ("E in kPa by mistake", lambda: ruler(material=STEEL | {"E": 210e12}), r"carries waves at 1.6e\+05 m/s, which no"),
    ("g/cm3", lambda: ruler(material=STEEL | {"density": 7.85}), r"the density, 7.85 kg/m3 \(7.85 g/cm3 is 7850\)"),
    ("G in GPa", lambda: ruler(material={"E": 210e9, "density": 7850, "G": 80}), "has G = 3.8e-10 E: expected a third"),
    ("length in mm", lambda: ruler(length=500), "is 500 m long, .* more slender than any cable. .* divide it by 1000"),
    ("shorter than an atom", lambda: apart(length=5e-324), "is .* m long, shorter than an atom: expected lengths in m"),
    ("all in mm", lambda: ruler(Section.rectangle(10, 30), length=500), r"weighs 1.18e\+09 kg: lengths, width and"),
    ("stubby", lambda: ruler(Section.rectangle(0.1, 0.2)), "times the radius of gyration of its section: shear bends"),
    ("turned", lambda: ruler(FLAT), "would sink by about 0.1.* m of 0.5 m along its axis y .* turned by 90 degrees"),
    ("turned in space", lambda: ruler(Section.rectangle(0.0005, 0.03), spatial=True, gravity=(0, 0, -9.81)),
     "along its axis z under its loads"),
    ("buckled", lambda: ruler(load=(-2e4, 0, 0)), r"is pressed with about 2e\+04 N, more than the load at which it bu"),
    ("across the plane", lambda: ruler(gravity=(0, 0, -9.81)), "acts across the plane in which it can move, and noth"),
    ("damping as a ratio", lambda: ruler(material=STEEL | {"damping": 0.02}), "the damping of beam 'ruler' is 0.02 s"),
    ("area of the diameter", lambda: ruler(Section(math.pi * 0.02**2, 7.85e-9, 7.85e-9, 1.57e-8), spatial=True),
     "less than any of the area 0.00126 m2"),
    ("torsion constant", lambda: ruler(Section(1e-4, 8e-10, 8e-10, 8e-9), spatial=True), "has the torsion constant 8"),
    ("axes across", lambda: apart(turned=math.pi / 2), "make 1.57 rad with the line from one to the other"),
    ("stretched at first", lambda: apart(x=1.2), "is stretched by 20.0% at t = 0 s: strains are to be small"),
    ("few elements along a curve", lambda: ruler(length=None, elements=1, curve=lambda s: (
        0.3 * math.sin(2 * s), 0.3 - 0.3 * math.cos(2 * s))), "beam 'ruler' turns by 1 rad beside its chord in Beam"),
]  # fmt: skip


def found(model):
    return list(beams(model, model.compile("python"), *model.initial()))


@together(("make", "said"), [case[1:] for case in FINDINGS], ids=[case[0] for case in FINDINGS])
def test_a_mistake_is_told(make, said):
    (finding,) = found(make())
    assert re.search(said, finding), finding
    assert finding.endswith(".") and len(finding) < 600


def test_a_negative_modulus_is_refused_by_its_element():
    said = r"the modulus E of the Material of Beam between 'ruler 0' and 'ruler 1' is E = -2.1e\+11: expected a number"
    (finding,) = negative().check()
    assert re.search(said, finding), finding
    with pytest.raises(ModelError, match=said):
        negative().simulate(1)


GOOD = {
    "ruler": ruler,
    "aluminium": lambda: ruler(material={"E": 70e9, "density": 2700, "damping": 1e-4}),
    "rubber": lambda: ruler(Section.circle(0.05), material={"E": 5e6, "density": 1100}),
    "oak": lambda: ruler(Section.rectangle(0.05, 0.1), length=3, material={"E": 11e9, "density": 700, "G": 0.7e9}),
    "flat and stiff enough": lambda: ruler(Section.rectangle(0.03, 0.001), length=0.3),
    "a column below Euler's load": lambda: ruler(load=(-1.2e4, 0, 0)),
    "elastica": lambda: ruler(Section.rectangle(0.001, 0.001), load=(0, 1, 0), gravity=(0, 0, 0)),
    "stubby with shear": lambda: ruler(Section.rectangle(0.1, 0.2, shear=True)),
    "a pendulum": lambda: ruler(ends=("pinned", "free")),
    "in flight": lambda: ruler(ends=("free", "free")),
    "a tube in space": lambda: ruler(Section.circle(0.04, 0.036), spatial=True, length=2),
    "a power line": lambda: ruler(Section.circle(0.02), ends=("pinned", "pinned"), length=200),
    "own nodes": apart,
    "numbers without a unit": lambda: ruler(Section(1, 1e-6), length=1, material={"E": 1e6, "density": 1}),
    "along a curve": lambda: ruler(length=None, curve=lambda s: (0.3 * math.sin(s), 0.3 - 0.3 * math.cos(s))),
    "along an S": lambda: ruler(length=None, elements=1, curve=lambda s: (s, 0.2 * s * (s - 0.5) * (s - 1))),
}  # fmt: skip


@pytest.mark.parametrize("make", GOOD.values(), ids=GOOD)
def test_of_good_beams_nothing_is_said(make):
    assert found(make()) == []


def test_check_asks_for_all_that():
    (finding,) = ruler(material=STEEL | {"E": 210e3}).check()
    assert "which no material does" in finding


def test_a_run_that_bends_too_far_tells_it():
    """An elastica of one element, from its rest: P L^2/(E I) = 10."""
    model = ruler(Section(1, 1e-6), elements=1, length=1, load=(0, 10, 0), gravity=(0, 0, 0),
                  material={"E": 1e6, "density": 1})  # fmt: skip
    rest = model.equilibrium()
    start = {str(q): rest[str(q)] for q in model.mechanism.coordinates}
    (finding,) = model.simulate(0.001, initial=start, step=0.0005, method="generalized_alpha").check()
    assert re.search("beam 'ruler' turns by 1.03 rad beside its chord in .* which is more than an element", finding)
    assert model.simulate(0.001, step=0.0005, method="generalized_alpha").check() == []


@pytest.mark.long
def test_steps_that_follow_what_nothing_damps_are_told():
    model = ruler(length=0.5, elements=2)
    run = model.simulate(0.04, save_every=0.01)
    (finding,) = run.check()
    assert re.search(f"up to 6.5e.04 rad/s, and nothing damps that: the run took {run.stats.steps} steps", finding)
    cure = float(re.search(r"damping=(\S+) \(s\)", finding)[1])
    damped = ruler(elements=2, material=STEEL | {"damping": cure}).simulate(0.04, save_every=0.01)
    assert damped.check() == [] and damped.stats.steps < run.stats.steps / 3
    fixed = model.simulate(0.04, step=float(re.search(r"step=(\S+),", finding)[1]), method="generalized_alpha")
    assert fixed.check() == []
    sag = 7850 * 9.81 * 0.5**4 / (8 * 210e9 * 0.03**2 / 12)  # of its own weight, and twice that when let go
    assert np.abs(fixed["ruler_y2"]).max() == pytest.approx(2 * sag, rel=0.05)


test_mistake_is_explained = explained(__file__)


def ruler_of(w):
    return Model("other").beam("r", length=1, section=FLAT, material=Material(**STEEL), elements=2)
