"""The equations as symbols: short when simplified, and honest about what they cannot hold."""

import warnings

import numpy as np
import pytest
import sympy
from sympy import Piecewise

from easydyn import Force, GeneralizedForce, Model, Moment, Rolling, ground, t, tdisp, trot, trotx, troty, trotz
from easydyn.constraints import Gear, GearConstraint
from easydyn.errors import IncompleteEquationsWarning
from easydyn.examples import double_pendulum


def test_simplified_equations_of_the_double_pendulum():
    """The mass matrix as it stands in every book."""
    model = double_pendulum()
    l1, l2, m1, m2, q2 = (model.symbols[name] for name in ("l1", "l2", "m1", "m2", "q2"))
    M = model.equations().simplified().M
    assert sympy.expand(M[0, 0]) == sympy.expand(
        l1**2 * m1 / 3 + l1**2 * m2 + l1 * l2 * m2 * sympy.cos(q2) + l2**2 * m2 / 3
    )
    assert M[1, 1] == l2**2 * m2 / 3 and sympy.expand(M[0, 1] - M[1, 0]) == 0


def test_no_dust_of_decimals_is_left():
    model = Model("gyroscope")
    a, b = model.coordinates("a b")
    model.body("rotor", trotz(a) * trotx(b), mass=1, inertia=(0.1, 0.2, 0.25))
    M = model.equations().simplified().M
    assert M[0, 1] == 0 and all(abs(x) > 1e-6 for x in M.atoms(sympy.Float))


def test_an_exact_axis_stays_exact():
    model = Model("wheel")
    (a,) = model.coordinates("a")
    assert trot((1, 1, 1), a).R[0, 0].has(sympy.Rational(1, 3))
    model.body("wheel", trot((1, 2, 2), a), mass=0, inertia=(9, 9, 9))
    assert model.equations().simplified().M[0, 0] == 9


def test_a_piecewise_stays_whole():
    model = Model("turntable")
    (s,) = model.coordinates("s")
    (w,) = model.parameters(w=2)
    push = Piecewise((3, t < 1), (0, True))
    table = model.body("table", trotz(w * t), mass=0, inertia=(0, 0, 1))
    bead = model.body("bead", trotz(w * t) * tdisp(s, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Force(bead, (push, 0, 0), frame=table))
    assert sympy.expand(model.equations().simplified().h[0] + 2 * s * w**2 + push) == 0


def test_efforts_in_python_are_not_in_the_equations_and_that_is_said():
    model = Model("rotor")
    (q,) = model.coordinates("q")
    rotor = model.body("rotor", trotz(q), mass=0, inertia=(0, 0, 2))
    model.add(Moment(rotor, (0, 0, 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.equations().missing == ()

    @model.efforts
    def wind_up(time, bodies):
        bodies["rotor"].MG += (0, 0, 1)

    with pytest.warns(IncompleteEquationsWarning, match=r"\(wind_up\)"):
        equations = model.equations()
    assert equations.missing == ("wind_up",) and "wind_up" in repr(equations)
    assert r"wind\_up" in equations._repr_latex_()


# -- with constraints: what is shown is what is solved ----------------------------------------------------------------


def gearbox(bodies=False):
    model = Model("gearbox")
    p, q = model.coordinates("p q", rates=(5, 1))
    one, other = (model.body(f"shaft {x}", trotz(x), mass=0, inertia=(0, 0, J)) for x, J in ((p, 1), (q, 25)))
    model.add(GearConstraint(one, other, ground, ratio=5, axes=("z", "z")) if bodies else Gear(p, q, 5))
    model.add(GeneralizedForce(p, 4))
    return model


def four_bar():
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(1.2, -0.8, 1.65), rates=(2, 0, 0))
    model.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    rod = model.body("rod", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=2, inertia=(0, 0, 0.1))
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=1.5, inertia=(0, 0, 0.05))
    model.close((rod, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute")  # 3 of its 5 rows hold by themselves
    return model


def driven_and_led():
    """A constraint of place that moves, one of rates with a varying factor, and a force of a state."""
    model = Model("led", gravity=(0, -9.81, 0))
    x, y, a = model.coordinates("x y a", initial=(0.4, 0.1, 0.3), rates=(1, 0, 0.5))
    (p,) = model.states("p", initial=0.2)
    body = model.body("body", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.3))
    model.constraint(y - x**2 / 2 - sympy.sin(t) / 5)
    model.constraint(a.dot - (1 + x**2) * x.dot)
    model.add(Force(body, (3 * p, 0, 0)))
    model.equation(p.dot + 4 * p - x.dot)
    return model


def rolling_disc():
    model = Model("disc", gravity=(0, 0, -9.81))
    yaw, lean, spin, x, y, z = model.coordinates(
        "yaw lean spin x y z", initial=(0.1, 0.2, 0, 0, 0, 0.49), rates=(0.4, 0, 5, 0, 0, 0)
    )
    T = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin)
    model.add(Rolling(model.body("disc", T, mass=2, inertia=(0.125, 0.25, 0.125)), ground, radius=0.5))
    return model


def spatial_slider_crank():
    model = Model("spatial", gravity=(0, -9.81, 0))
    a, s, b, c, d = model.coordinates("a s b c d", initial=(0.7, 0.9, 0.1, -0.2, 0.1), rates=(3, 0, 0, 0, 0))
    crank = model.body("crank", trotx(a) * tdisp(0, 0.1, 0), mass=1, inertia=(0.02, 0.01, 0.01))
    slider = model.body("slider", tdisp(s, 0, 0), mass=2, inertia=(0, 0, 0))
    T = tdisp(s, 0, 0) * trotz(b) * troty(c) * trotx(d) * tdisp(-0.4, 0, 0)
    rod = model.body("rod", T, mass=0.5, inertia=(0.001, 0.03, 0.03))
    model.close((crank, (0, 0.1, 0)), (rod, (-0.4, 0, 0)), joint="spherical")
    model.constraint(d - b * c / 2)  # the attitude of the rod about itself
    assert slider is not None
    return model


MODELS = {
    f.__name__: f
    for f in (gearbox, four_bar, driven_and_led, rolling_disc, spatial_slider_crank)
} | {"gear between bodies": lambda: gearbox(bodies=True)}  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", MODELS)
def test_what_is_shown_of_a_model_with_constraints_gives_the_motion_of_a_run(name):
    model = MODELS[name]()
    equations, m = model.equations(), model.mechanism
    run = model.simulate(0.2, method="dop853", tolerance=1e-10, constraints="multipliers")
    k = len(run) // 2
    n, values = len(m.coordinates), dict(zip(run.names, run.q[k], strict=True))
    there = {q: values[str(q)] for q in m.coordinates} | {t: run.t[k]}
    there |= {q.dot: run.qd[k, j] for j, q in enumerate(m.coordinates)}
    there |= {p: run.qd[k, n + j] for j, p in enumerate(m.states)}

    def number(e):
        return np.array(e.xreplace(there).evalf(), dtype=float)

    full, right, Phi, rates = map(
        number, (equations.mass_matrix_full, equations.forcing_full, equations.Phi, equations.rates)
    )
    found = np.linalg.solve(full, right).ravel()
    size = np.abs(found).max()
    assert found[:n] == pytest.approx(run.qdd[k, :n], abs=1e-9 * size)
    loads = np.concatenate([run.multipliers(c)[k] for c in m.constraints])
    assert found[len(m.unknowns) :] == pytest.approx(loads[~np.isnan(loads)], abs=1e-9 * size)
    assert np.abs([*Phi.ravel(), *rates.ravel()]).max() < 1e-9
    # the same by its parts, from the residual, and in independent coordinates
    own = len(m.unknowns)
    M, h, W, gamma, f, coriolis = map(number, (getattr(equations, x) for x in "M h W gamma f coriolis".split()))
    assert W.shape == (own, len(gamma)) == (own, Phi.size + rates.size) and h == pytest.approx(coriolis - f, abs=1e-12)
    assert M @ found[:own, None] + h == pytest.approx(W @ found[own:, None], abs=1e-9 * size)
    assert W.T @ found[:own, None] + gamma == pytest.approx(0 * gamma, abs=1e-9 * size)
    unknowns = (*equations.accelerations, *equations.multipliers)
    left = equations.residual.xreplace(dict(zip(unknowns, found.tolist(), strict=True)))
    assert np.abs(number(left)).max() < 1e-9 * size
    reduced = equations.reduced()
    for s, e in reduced.where:  # in order: each may need those before it
        there.setdefault(s, float(e.xreplace(there)))
    free = np.linalg.solve(number(reduced.M), -number(reduced.h))
    assert number(equations.B) @ free + number(equations.b) == pytest.approx(found[:own, None], abs=1e-9 * size)
    assert reduced.reduced() is reduced and reduced.W.shape == (len(equations.independent), 0)


def test_simplified_equations_and_latex_hold_the_multipliers():
    equations = gearbox().equations().simplified()
    assert equations.M == sympy.diag(1, 25) and equations.mass_matrix_full.row(2) == sympy.Matrix([[1, -5, 0]])
    assert list(equations.mass_matrix_full.LUsolve(equations.forcing_full)) == [2, sympy.Rational(2, 5), -2]
    assert list(equations.W) == [1, -5] and r"\left[\begin{matrix}1\\-5\end{matrix}\right]" in equations._repr_latex_()
    assert "W = Matrix([[1], [-5]])" in str(equations) and "multipliers (p:load.dot,)" in repr(equations)
    assert list(equations.B) == [1, sympy.Rational(1, 5)] and list(equations.reduced().M) == [2]
