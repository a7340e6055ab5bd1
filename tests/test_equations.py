"""The equations as symbols: short when simplified, and honest about what they cannot hold."""

import warnings

import pytest
import sympy
from sympy import Piecewise

from easydyn import Force, Model, Moment, t, tdisp, trot, trotx, trotz
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
