"""Nothing wrong ends "finished": energy is watched, and formulas that end or jump end the run.

A crank longer than its rod comes to a dead point, where asin closes the loop no longer; the true motion passes it on
the other branch, and methods bounce off.
"""

import math
import warnings

import numpy as np
import pytest
import sympy
from mistakes import explained
from sympy import Max, Piecewise, asin, cos, floor, log, pi, sin, sqrt
from together import together

from easydyn import Damper, Force, GeneralizedForce, Model, Spring, Trajectory, ground, t, tdisp, trotz
from easydyn.analysis import check
from easydyn.errors import DomainError, EnergyWarning
from easydyn.mechanics.symbols import Coordinate, Parameter
from easydyn.run.balance import NOISE, _noise, imbalance
from easydyn.run.domains import bounds, edges

METHODS = ["newmark", "hht", "generalized_alpha", "newmark_extrapolated", "dop853", "lobatto"]
EDGE = math.asin(0.8)  # rad: where the crank stands at right angles to the rod
BEGUN = {"initial": {"q": 0.3, "q.dot": 1}, "progress": False}


def long_crank(gravity=(-9.81, 0, 0)):
    model = Model("slider-crank", gravity=gravity)
    (q,) = model.coordinates("q", initial=0.3)
    l1, l2 = model.parameters(l1=1, l2=0.8)
    a = asin(l1 * sin(q) / l2)
    x = l1 * cos(q) + l2 * cos(a)
    model.body("crank", trotz(q) * tdisp(l1 / 2, 0, 0), mass=1, inertia=(0, 0, 0.0833))
    model.body("rod", tdisp(x, 0, 0) * trotz(-a) * tdisp(-l2 / 2, 0, 0), mass=2, inertia=(0, 0, 0.6667))
    model.body("slider", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 2))
    return model


@pytest.fixture(scope="module")
def crank():
    return long_crank()


def ended(model, *arguments, **options):
    with pytest.raises(DomainError) as caught:
        model.simulate(*arguments, **options)
    return caught.value


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_at_the_dead_point(crank, method):
    """By independent quadrature of the energy integral the crank is there at 0.416246 s."""
    error = ended(crank, 1, method=method, **BEGUN)
    assert "the transform of body 'rod' ends at t = 0.416" in str(error)
    assert "asin(l1*sin(q)/l2) needs l1*sin(q)/l2 between -1 and 1" in str(error)
    run = error.trajectory
    assert run.status == "failed" and 0.40 < run.t[-1] == error.time < 0.41626 and run.q.max() < EDGE
    early = run.t < 0.40
    assert np.ptp(run.energy.balance[early]) < 1e-4 * np.ptp(run.energy.kinetic)


@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_interpreted_runs_end_there_too(crank, method):
    error = ended(crank, 1, method=method, target="python", tolerance=1e-5, **BEGUN)
    assert "rod' ends at t = 0.416" in str(error)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", ["scipy:RK45", "scipy:Radau"])
def test_methods_of_scipy_end_there_too(crank, method):
    pytest.importorskip("scipy")
    error = ended(crank, 1, method=method, **BEGUN)
    assert "rod' ends at t = 0.416" in str(error) and 0.40 < error.trajectory.t[-1] < 0.41626


def test_fixed_steps_and_steppers_end_there(crank):
    assert "rod' ends" in str(ended(crank, 1, step=0.01, **BEGUN))
    stepper = crank.stepper(initial=BEGUN["initial"])
    with pytest.raises(DomainError, match="rod' ends at t = 0.416"):
        stepper.advance(1)


def test_time_of_the_edge_by_quadrature(crank):
    """t = integral of dq sqrt(m(q)/(2 (E - V))): the crank has one freedom."""
    system = crank.compile("python")
    nodes, weights = np.polynomial.legendre.leggauss(60)
    s = (nodes + 1) / 2  # q = EDGE - (EDGE - 0.3) s^2 takes the root at the edge away
    q = EDGE - (EDGE - 0.3) * s**2
    m = system.mass_matrix(np.zeros(60), q[:, None])[:, 0, 0]
    V = system.energies(np.zeros(60), q[:, None], np.zeros((60, 1)), np.zeros((60, 1)))[:, 1]
    T0, V0 = system.energies(0.0, np.array([0.3]), np.array([1.0]), np.zeros(1))[:2]
    time = np.sum(weights / 2 * np.sqrt(m / (2 * (T0 + V0 - V))) * 2 * s * (EDGE - 0.3))
    error = ended(crank, 1, method="lobatto", tolerance=1e-8, **BEGUN)
    told = float(str(error).partition("at t = ")[2].partition(" s")[0])
    assert told == pytest.approx(time, abs=2e-3) and time == pytest.approx(0.416246, abs=1e-5)


@pytest.mark.long
def test_turning_shortly_before_the_edge_is_no_end():
    """A spring turns the crank 0.02 rad before its edge."""
    model = Model("near")
    (q,) = model.coordinates("q", initial=0.5)
    model.body("crank", trotz(q), mass=0, inertia=(0, 0, 1))
    model.body("rod", trotz(asin(q)), mass=0, inertia=(0, 0, 1e-3))
    model.add(GeneralizedForce(q, -40 * q))
    for method in ("newmark", "dop853"):
        run = model.simulate(1, method=method, initial={"q": 0.98})
        assert run.status == "finished" and abs(run.q).max() < 1


def test_what_every_value_keeps_away_from_costs_nothing():
    """The ordinary slider-crank has no edge: l1 < l2."""
    q, k = Coordinate("q"), Parameter("k")
    (edge,) = edges([("here", asin(k * sin(q)))])
    assert bounds(edge.inside, {"k": 0.5})[0] > 0 > bounds(edge.inside, {"k": 2})[0]
    assert edges([("here", sqrt(q**2 + 1) + sqrt(k - 1))]) == []


def test_a_guarded_root_has_no_edge_where_another_piece_holds():
    x = Coordinate("x")
    (edge,) = edges([("the cam", Piecewise((0, x < 0), (sqrt(x - 1) * x, x < 5), (x, True)))])
    assert [edge.inside.subs(x, value) for value in (-3, 0.5, 1.5, 9)] == [1, -0.5, 0.5, 1]


def sliding(formula, **options):
    model = Model("slide")
    x, y = model.coordinates("x y", initial=(-0.5, 0), rates=(1, 0))
    model.body("cart", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.body("follower", tdisp(0, formula(x), 0), mass=1e-3, inertia=(0, 0, 0))
    return model


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("formula", "what"),
    [
        (lambda x: floor(2 * x + 0.5), "the transform of body 'follower' jumps"),
        (lambda x: Piecewise((0, x < 0.2), (1, True)), "the transform of body 'follower' jumps"),
        (lambda x: Max(x, 0), "the velocity that follows from the transform of body 'follower' jumps"),
        (abs, "the velocity that follows from the transform of body 'follower' jumps"),
    ],
)
def test_bodies_that_leap_are_told(formula, what):
    model = sliding(formula)
    error = ended(model, 2)
    assert what in str(error) and str(formula(sympy.Symbol("x", real=True))) in str(error)
    (finding,) = check(model)
    assert what in finding and "Bodies do not jump" in finding


def test_pieces_that_meet_are_left_alone():
    model = sliding(lambda x: Piecewise((0, x < 0), (x**2, True)))
    assert check(model) == [] and model.simulate(2).status == "finished"


# -- the energy of runs ---------------------------------------------------------------------------------------------


def test_what_is_told_of_energy():
    time = np.linspace(0, 1, 11)
    T = 10 * np.sin(3 * time) ** 2
    lost = np.where(time > 0.55, 0.1, 0.0)
    assert imbalance(time, T, 100 - T, 0 * T) is None
    found = imbalance(time, T, 100 - T - lost, 0 * T)
    assert found is not None and (found.begin, found.end) == pytest.approx((0.5, 0.6))
    assert "0.1 J were lost that no force gave or took, 1 % of the 9.95 J" in str(found)
    assert imbalance(time, T, 100 - T - lost, -lost) is None  # a damper took it
    found = imbalance(time, T + 2 * lost, 100 - T, 0 * T)
    assert (found.begin, found.end, found.change) == pytest.approx((0.5, 0.6, 0.2))
    late = np.where(time > 0.35, 0.1, 0.0) + 2 * lost  # most of it in the second of two
    assert imbalance(time, T, 100 - T + late, 0 * T).begin == pytest.approx(0.5)
    assert imbalance(time, T, 100 - T - late, 0 * T).begin == pytest.approx(0.5)
    back = np.where((time > 0.15) & (time < 0.75), 0.1, 0.0) + 0.06 * (time > 0.85)  # a loss that is largest
    assert imbalance(time, T, 100 - T + 2 * back - 0.05 * (time > 0.25), 0 * T).end == pytest.approx(0.2)
    assert imbalance(time, T * 0, 100 - 1e-9 * T, 0 * T) is None  # rounding


def pendulum():
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=2)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    return model


def test_a_coarse_step_is_told(tmp_path):
    model = pendulum()
    with pytest.warns(EnergyWarning, match="'pendulum': the energy of this run is doubtful: reached t = 5 s, but"):
        run = model.simulate(5, step=0.1)
    assert run.status == "doubtful" and "A fixed step of 0.1 s is long beside this motion" in run.message
    assert check(run) == run.check() == [run.message]
    assert Trajectory.load(run.save(tmp_path / "run.npz")).check() == [run.message]
    assert model.simulate(5).check() == []


def test_rates_that_deform_something_stiff_are_told():
    """Two blocks joined by a stiff spring and a damper: at one speed nothing is said, at two the start is meant."""
    model = Model("blocks")
    x, y = model.coordinates("x y", initial=(0, 1), rates=(1, 1))
    ends = [model.body(str(q), tdisp(q, 0, 0), mass=1, inertia=(0, 0, 0)) for q in (x, y)]
    model.add(Spring(*ends, stiffness=1e8, free_length=1), Damper(*ends, damping=1e4))
    fixed = {"step": 1e-3, "method": "generalized_alpha", "target": "python"}
    assert model.simulate(0.03, **fixed).status == "finished"
    with pytest.warns(EnergyWarning, match="The rates at the start, most of all y.dot, deform something stiff, whose"):
        model.simulate(0.03, initial={"y.dot": 1.5}, **fixed)
    assert model.simulate(0.003, initial={"y.dot": 1.5}, target="python").status == "finished"  # "or no step"
    with pytest.warns(EnergyWarning) as told:
        pendulum().simulate(5, step=0.1, initial={"q.dot": 0.5}, target="python")
    assert "deform" not in str(told[0].message)


@pytest.mark.parametrize("save_every", [None, 5])
@pytest.mark.parametrize("target", ["auto", "python"])
def test_damping_of_a_method_is_told(save_every, target):
    with pytest.warns(EnergyWarning, match="were lost that .* damps fast vibrations on purpose"):
        run = pendulum().simulate(5, tolerance=3e-2, max_step=1, method="hht", save_every=save_every, target=target)
    assert run.status == "doubtful"


@pytest.mark.parametrize("method", METHODS[:3])
def test_a_fast_drive_is_not_told(method):
    """The work of a drive, a thousand times what it leaves, is that of its force at the same instants as its motion."""
    model = Model("shaken", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    model.body("bob", tdisp(sin(30 * t) / 20, 0, 0) * trotz(q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.02))
    run = model.simulate(10, method=method, tolerance=1e-4)
    assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-2


def test_a_run_that_is_stopped_is_judged_too():
    model = pendulum()
    model.event(t - 4, action="stop", name="four")
    with pytest.warns(EnergyWarning):
        run = model.simulate(5, step=0.1)
    assert run.status == "doubtful" and run.message.startswith("event 'four' at t = 4 s, but the energy balance")


def test_a_force_that_is_not_of_its_potential_is_told():
    class Wrong(Spring):
        def potential(self, assembly):
            return 1.02 * super().potential(assembly)

        @property
        def conservative(self):
            return True

    for kind, status in ((Spring, "finished"), (Wrong, "doubtful")):
        model = Model("spring")
        (x,) = model.coordinates("x", initial=2)
        block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.body("shaker", tdisp(0, sin(20 * pi * t) / 20, 0), mass=0.1, inertia=(0, 0, 0))  # which steps do not see
        model.add(kind(block, ground, stiffness=9, free_length=1))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run = model.simulate(1, method="dop853")
        assert (run.status, len(said)) == (status, kind is Wrong)
        shaken = 0.05 * math.pi**2 * (np.cos(20 * math.pi * run.t) ** 2 - 1)
        np.testing.assert_allclose(run.energy.work, shaken, rtol=0, atol=1e-13)
        assert ("Give a tolerance below 1e-06 or max_step=." in run.message) == (kind is Wrong)
    with pytest.warns(EnergyWarning, match="The method is exact enough: forces are not those of their potential"):
        model.simulate(1, method="dop853", tolerance=1e-10)
    (y,) = model.coordinates("y", initial=2)
    follower = model.body("follower", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.constraint(y - x)
    assert follower and model.closures().nonlinear == 0
    with pytest.warns(EnergyWarning, match='Compare constraints="multipliers", which keeps all coordinates') as told:
        model.simulate(1, method="dop853")
    assert len(told) == 1  # a second run, by multipliers, is no better, and says nothing of its own


def on_a_spring(stiffness, place=0):
    """A block on a spring, and what jumps with time or an input: its stiffness, or the place of its guide."""
    model = Model("jumps")
    (x,) = model.coordinates("x", initial=1, rates=0.5)
    block = model.body("block", tdisp(x + place, place, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(block, (ground, (-9, 0, 0)), stiffness=stiffness(model), free_length=9))
    return model


@pytest.mark.parametrize("method", ["newmark", "dop853"])
@pytest.mark.parametrize("what", ["stiffness in time", "input", "table", "velocity of a drive", "end"])
def test_energy_that_comes_with_a_jump_is_work(what, method):
    """A spring that stiffens, or a guide that starts to move, all at once: the balance closes at all instants."""
    options = {}
    if what == "input":
        model = on_a_spring(lambda model: model.input("k", 100))
        model.controller(0.5, lambda t, seen: {"k": 150 if t % 1 < 0.25 else 100})
    elif what == "table":
        model = on_a_spring(lambda model: model.input("k", 100))
        options["inputs"] = {"k": ([0, 0.7, 0.7, 1], [100, 120, 60, 80])}
    elif what == "velocity of a drive":
        model = on_a_spring(lambda model: 100, Max(0, 4 * (t - 1)))
    else:
        model = on_a_spring(lambda model: Piecewise((100, t < (1 if "time" in what else 2)), (200, True)))
    run = model.simulate(2, method=method, tolerance=1e-8, save_every=0.01, **options)
    turned_over = np.ptp(run.energy.kinetic)
    assert run.status == "finished" and np.ptp(run.energy.balance) < 1e-4 * turned_over
    assert what == "end" or np.ptp(run.energy.work) > 0.05 * turned_over


def test_nothing_is_said_where_there_is_no_energy():
    model = Model("equation")
    (x,) = model.coordinates("x", initial=1)
    model.equation(x.ddot + 0.1 * x.dot + x)
    assert model.simulate(5, step=0.5).status == "finished"


# -- what has no value ----------------------------------------------------------------------------------------------


def falling(**options):
    model = Model("fall", gravity=(0, 0, -9.81))
    (z,) = model.coordinates("z", initial=1)
    body = model.body("stone", tdisp(0, 0, z), mass=1, inertia=(0, 0, 0))
    return model, z, body


def force_out_of_its_domain():
    model, z, body = falling()
    model.add(Force(body, (0, 0, sqrt(z - 0.5))))
    model.simulate(1)


def event_without_value():
    model, z, _ = falling()
    model.event(log(z - 0.5) + 100, name="far")
    model.simulate(1)


def leap():
    sliding(lambda x: floor(x)).simulate(2)


test_mistake_is_explained = explained(__file__)


@together(
    ("function", "strict"),
    [(asin, False), (sympy.acosh, False), (sqrt, False), (sympy.atanh, True), (log, True), (lambda x: 1 / x, True)],
)
def test_what_has_a_value_on_its_edge(function, strict):
    """acosh(1) is 0, and atanh(1) is no number."""
    (edge,) = edges([("a force", function(Coordinate("x")))])
    assert edge.strict is strict


def test_the_energy_of_errors_is_that_of_small_motions():
    """Of each coordinate that moves: m e^2/2 at whatever rate, and what a displacement by e stores on either side."""
    masses, springs = np.array([2.0, 30.0, 700.0]), np.array([3.0, 0.5, 11.0])

    def energies(row):
        q, qd = np.array(row[1:]).reshape(2, 3)
        return masses @ qd**2 / 2, -springs @ np.minimum(q, 0)  # a stop holds it on the other side

    noise = _noise([0.0, 0, 0, 0, 0.1, -0.2, 0.3], energies, np.array([True, False, True]))
    assert noise == pytest.approx((masses @ (1, 0, 1)) * NOISE**2 / 2 + (springs @ (1, 0, 1)) * NOISE, rel=1e-4)
