"""Beams beside what others published, and beside the equations of rods as SciPy solves them (rod.py)."""

import math

import numpy as np
import pytest
import sympy
from rod import bent_rod

from easydyn import Force, GeneralizedForce, Model, tdisp, trotz
from easydyn.flexible import Material, Section
from easydyn.mechanics.symbols import t


def strip(elements):
    """A cantilever that bends easily one way alone: E Iz = 1e4, E Iy = G J = L = 1; a load downwards at its tip."""
    model = Model("strip")
    (load,) = model.parameters(load=0)
    section, material = Section(1, 1e-2, 1e-6, 1e-6), Material(E=1e6, density=1, G=1e6)
    beam = model.beam("b", length=1, section=section, material=material, elements=elements, spatial=True)
    model.add(Force(beam.tip, (0, -load, 0)))
    return model


@pytest.mark.long
def test_lateral_buckling():
    """Prandtl (1899), Timoshenko: J of order -1/4 is zero at P L^2/(2 sqrt(E Iy G J)); E Iz adds half a part in 1e4."""
    special = pytest.importorskip("scipy.special")
    optimize = pytest.importorskip("scipy.optimize")
    load, found = 2 * optimize.brentq(lambda x: special.jv(-0.25, x), 1.5, 2.5), []
    assert load == pytest.approx(4.0126, abs=1e-4)
    model = strip(4)
    for share in (0.98, 0.99):
        K = model.linearize(at=model.equilibrium(parameters={"load": share * load})).K
        found.append(np.linalg.eigvalsh((K + K.T) / 2)[0])
    assert 0.98 + 0.01 * found[0] / (found[0] - found[1]) == pytest.approx(1, abs=1e-3)


def arc(s):
    return 100 * math.sin(s * math.pi / 4), 100 * (1 - math.cos(s * math.pi / 4)), 0


def bent(elements):
    """Where the tip of the bend of 45 degrees is under 600."""
    model = Model("bend")
    (load,) = model.parameters(load=0)
    section = Section(1, 1 / 12, 1 / 12, 0.16666, shear_y=0.833334, shear_z=0.833334)
    beam = model.beam("b", curve=arc, spatial=True, section=section, elements=elements,
                      material=Material(E=1e7, density=1, nu=0))  # fmt: skip
    model.add(Force(beam.tip, (0, 0, load)))
    start = None
    for share in (300, 600):
        found = model.equilibrium(parameters={"load": share}, initial=start)
        start = {str(q): found[str(q)] for q in model.mechanism.coordinates}
    return np.array([found[f"b_{c}{elements}"] for c in "xyz"])


def tip_of_bend():
    stiffness = (1e7, 4166670, 4166670, 833300, 1e7 / 12, 1e7 / 12)
    return bent_rod(25 * math.pi, stiffness, (0, 0, 600), curvature=(0, 0, 0.01))[0]


@pytest.mark.long
def test_bend_of_45_degrees():
    """Bathe, Bolourchi (1979): 8 straight elements; Simo, Vu-Quoc (1986), Comp. Meth. Appl. Mech. Eng. 58.

    The equations of the rod give 23.561, 13.605, 53.476; published values lie within 1.5 % and 0.8 % of them.
    """
    own = bent(8)
    moved = abs(own - arc(1))
    assert moved == pytest.approx(abs(tip_of_bend() - arc(1)), rel=1e-4)
    assert moved == pytest.approx([23.5, 13.4, 53.4], rel=0.016)  # Bathe and Bolourchi
    assert own == pytest.approx([47.23, 15.79, 53.37], rel=0.01)  # Simo and Vu-Quoc: where the tip is


PRINCETON = {"section": Section.rectangle(12.377e-3, 3.2024e-3, shear=True), "length": 0.508,
             "material": Material(E=71.7e9, density=2770, nu=0.31)}  # fmt: skip


def princeton(elements, loads):
    """Where the tip is under loads at 45 degrees: Dowell, Traybar (1975), 7075 aluminium, 12.377 by 3.2024 mm."""
    model = Model("Princeton")
    down, aside = model.parameters(down=0, aside=0)
    beam = model.beam("b", elements=elements, spatial=True, **PRINCETON)
    model.add(Force(beam.tip, (0, down, aside)))
    shares = [load * math.sqrt(0.5) for load in loads]
    found = (model.equilibrium(parameters={"down": share, "aside": share}) for share in shares)
    return [np.array([at[f"b_{c}{elements}"] for c in "xyz"]) for at in found]


def tip_of_princeton(load):
    section, E, G = PRINCETON["section"], PRINCETON["material"].E, PRINCETON["material"].G
    stiffness = (E * section.area, G * section.shear_y, G * section.shear_z, G * section.torsion, E * section.inertia_y,
                 E * section.inertia)  # fmt: skip
    return bent_rod(PRINCETON["length"], stiffness, (0, load * math.sqrt(0.5), load * math.sqrt(0.5)))[0]


@pytest.mark.long
def test_princeton_beam():
    """The three loads of the experiment, beside the equations of the rod."""
    loads = (4.448, 8.896, 13.345)
    for load, tip in zip(loads, princeton(6, loads), strict=True):
        assert tip == pytest.approx(tip_of_princeton(load), abs=1e-5 * 0.508)


# -- motion -----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_spin_up_of_an_arm(reference):
    """Kane, Ryan, Banerjee (1987); data of Simo, Vu-Quoc (1986): it lags by 0.57 m, and is stretched at last.

    The curve of the tip is that of the linear equation of a stretched beam in a turning frame, by Ritz's method.
    """
    integrate = pytest.importorskip("scipy.integrate")
    data = reference("flexible.json")["spin_up_arm"]
    L, EI, line, n = data["L"], data["EI"], data["rhoA"], 4
    model, end = Model("arm"), 15
    slow = (t**2 / 2 + (end / (2 * sympy.pi)) ** 2 * (sympy.cos(2 * sympy.pi * t / end) - 1)) * 6 / end
    section = Section(1, EI / data["EA"])
    model.beam("b", root=trotz(sympy.Piecewise((slow, t < end), (6 * t - 45, True))), length=L, section=section,
               material=Material(E=data["EA"], density=line), elements=n)  # fmt: skip
    run = model.simulate(20, save_every=0.05, method="newmark", step=0.01)
    deflection, stretch = run[f"b_y{n}"], run[f"b_x{n}"] - L
    assert stretch[run.t > 18].mean() == pytest.approx(data["steady_extension"], rel=2e-3)

    s, w = (x * L / 2 for x in np.polynomial.legendre.leggauss(20))
    s = s + L / 2
    shapes = [np.polynomial.Polynomial([0] * k + [L**-k]) for k in (2, 3, 4)]
    f, slope, bent = (np.array([p.deriv(k)(s) if k else p(s) for p in shapes]) for k in (0, 1, 2))
    M = line * (f * w) @ f.T
    K, pulled = EI * (bent * w) @ bent.T, (slope * w * line / 2 * (L * L - s * s)) @ slope.T
    turned = line * f @ (w * s)

    def rates(time, y):
        u = min(time / end, 1)
        speed = 6 * (u - math.sin(2 * math.pi * u) / (2 * math.pi))
        faster = 6 / end * (1 - math.cos(2 * math.pi * u))
        return [*y[3:], *np.linalg.solve(M, -(K + speed**2 * (pulled - M)) @ y[:3] - faster * turned)]

    found = integrate.solve_ivp(rates, (0, 20), np.zeros(6), method="Radau", rtol=1e-5, atol=1e-7, t_eval=run.t)
    tip = found.y[:3].sum(axis=0)
    assert deflection.min() == pytest.approx(-0.57, abs=0.01)
    assert deflection == pytest.approx(tip, abs=0.01)


def test_flexible_double_pendulum_in_free_flight():
    """Two beams, hinged to each other: momentum 1e-8, angular momentum 1e-8, energy 1e-6."""
    model = Model("two")
    kind = {"length": 0.5, "section": Section.rectangle(0.02, 0.02), "material": Material(E=5e6, density=1000),
            "elements": 1}  # fmt: skip
    first = model.beam("a", ends=("free", "free"), **kind)
    model.beam("b", root=first.tip.T, ends=("pinned", "free"), **kind)
    start = {"a_y0.dot": 1, "a_q0.dot": 3, "a_x1.dot": 0.5, "a_y1.dot": -2, "b_y1.dot": 3, "b_q1.dot": 4}
    run = model.simulate(0.1, save_every=0.01, initial=start, method="dop853", tolerance=1e-10)
    assert np.ptp(run.energy.total) < 1e-6 * run.energy.kinetic.max()
    system, kept = model.compile(), []
    for q, qd in zip(run.q, run.qd, strict=True):
        at = dict(zip(run.names, q, strict=True))
        turned = {"x": lambda k, at=at: -at["a_y" + k], "y": lambda k, at=at: at["a_x" + k], "q": lambda k: 1.0}
        free = [name if name.startswith("a_") else None for name in run.names]  # b is seen from a
        rigid = [[float(name is not None and name[2] == c) for name in free] for c in "xy"]
        rigid.append([turned[name[2]](name[3]) if name else 0.0 for name in free])
        kept.append(np.array(rigid) @ system.mass_matrix(0, q) @ qd)
    assert np.ptp(kept, axis=0) == pytest.approx(np.zeros(3), abs=1e-8)
    assert abs(kept[0]).min() > 0.01 and np.ptp(run.energy.potential) > 0.02


@pytest.mark.long
def test_slider_crank_with_a_flexible_rod():
    """Problem "crank" of the test set of Bari (Simeon 1998): two shapes across, two along; after 0.1 s.

    The masses of the rod stand on it as Gauss's rule has them. Published digits of what moves slowly are reached; along
    the rod a vibration of 1e-7 m differs, that of a start which is published with nine digits.
    """
    l1, l2, h, rho, E = 0.15, 0.30, 0.008, 7870.0, 2e11
    model, phi = Model("crank"), 150 * t
    across, twice, middle, end = model.coordinates(
        "q1 q2 q3 q4", initial=(0, 0, 0.103339863e-4, 0.169327969e-4),
        rates=(0.444896105, 0.463434311e-2, -0.178591076e-5, -0.268938672e-5),
    )  # fmt: skip
    rod = tdisp(l1 * sympy.cos(phi), l1 * sympy.sin(phi), 0) * trotz(-sympy.asin(l1 * sympy.sin(phi) / (l2 + end)))
    line = rho * h * h * l2
    with model.together():
        for k, (x, w) in enumerate(zip(*np.polynomial.legendre.leggauss(8), strict=True)):
            s = float(x + 1) / 2
            along = middle * 4 * s * (1 - s) + end * s * (2 * s - 1)
            aside = across * math.sin(math.pi * s) + twice * math.sin(2 * math.pi * s)
            model.body(f"part {k}", rod * tdisp(l2 * s + along, aside, 0), mass=line * float(w) / 2, inertia=(0, 0, 0))
        model.body("turning", rod, mass=0, inertia=(0, 0, line * h * h / 12))
        model.body("slider", rod * tdisp(l2 + end, 0, 0), mass=0.075552, inertia=(0, 0, 0))
        EA, bend = E * h * h / l2, math.pi**4 / 24 * (h / l2) ** 2
        model.add(GeneralizedForce(across, -EA * bend * across), GeneralizedForce(twice, -16 * EA * bend * twice),
                  GeneralizedForce(middle, -EA * (16 * middle - 8 * end) / 3),
                  GeneralizedForce(end, -EA * (7 * end - 8 * middle) / 3))  # fmt: skip
    q = model.simulate(0.1, save_every=0.1, method="dop853", tolerance=1e-9).q[-1]
    angle = -math.asin(l1 * math.sin(15) / (l2 + q[3]))
    slider = l1 * math.cos(15) + (l2 + q[3]) * math.cos(angle)
    assert angle == pytest.approx(-3.311734987910881e-01, abs=1e-7)
    assert slider == pytest.approx(1.697373326718410e-01, abs=1e-7)
    assert q[:2] == pytest.approx([1.893192460247178e-04, 2.375751865617931e-05], rel=3e-4)
    assert q[2:] == pytest.approx([-5.323907988763734e-06, -8.363283141616840e-06], abs=1e-7)
