"""Mechanisms with closed loops, and such that roll: they run, stay closed, keep their energy, and agree with others.

Each is a file of tests/mechanisms, which runs by itself. Reference numbers: tests/data/mechanisms.json, computed twice
independently; closed forms and equations of motion in one coordinate are written here.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest
from mechanisms.bar_with_cylinder import bar_with_cylinder
from mechanisms.bicycle import bicycle
from mechanisms.bricard import bricard
from mechanisms.cardan import cardan, double_cardan, side_by_side
from mechanisms.closed_chain import closed_chain
from mechanisms.coin import coin
from mechanisms.crank_rocker import crank_rocker
from mechanisms.crank_slider import crank_slider
from mechanisms.engines import engine, engine_v6
from mechanisms.five_link import five_link
from mechanisms.flyball import flyball
from mechanisms.four_bar import four_bar
from mechanisms.four_bar_with_slide import four_bar_with_slide
from mechanisms.gears import gears
from mechanisms.hexapod import hexapod
from mechanisms.jansen import jansen
from mechanisms.n_four_bar import n_four_bar
from mechanisms.oldham import oldham
from mechanisms.rattleback import rattleback
from mechanisms.rolling_disc import rolling_disc
from mechanisms.sarrus import sarrus
from mechanisms.scissor_lift import scissor_lift
from mechanisms.scott_russell import scott_russell
from mechanisms.six_bars import stephenson, watt
from mechanisms.sleigh import sleigh
from mechanisms.spatial_slider_crank import spatial_slider_crank
from mechanisms.squeezer import squeezer
from mechanisms.steering import steering
from mechanisms.trailer import trailer
from mechanisms.turntable import ball_on_turntable
from mechanisms.wheel_loader import wheel_loader

FORMS = ("multipliers", "reduced")  # of constraints= in a run


class Case(NamedTuple):
    """A mechanism, how long it runs (s), its degrees of freedom; the forms that it is run in if it takes `long`."""

    build: Callable
    t_final: float
    freedom: int
    long: tuple[str, ...] = ()


CASES = {
    "four-bar": Case(four_bar, 2, 1),
    "four-bar, other branch": Case(functools.partial(four_bar, "minus"), 1, 1),
    "crank-rocker": Case(crank_rocker, 1, 1),
    "crank-slider with offset": Case(functools.partial(crank_slider, offset=0.1), 1, 1),
    "crank-slider on the left": Case(functools.partial(crank_slider, "left"), 1, 1),
    "bar with cylinder": Case(bar_with_cylinder, 0.2, 1),
    "four-bar with slide": Case(four_bar_with_slide, 0.5, 2),
    "two four-bars": Case(n_four_bar, 2, 1),
    "scissor lift": Case(scissor_lift, 0.3, 1),
    "scissor lift of 20 stages": Case(functools.partial(scissor_lift, 20), 0.1, 1, long=("reduced",)),
    "Watt": Case(watt, 0.5, 1),
    "Stephenson": Case(stephenson, 0.5, 1),
    "steering": Case(steering, 0.5, 1),
    "squeezer": Case(squeezer, 0.01, 1),
    "Oldham": Case(oldham, 0.5, 1),
    "Cardan joint": Case(cardan, 0.5, 1),
    "two Cardan joints": Case(double_cardan, 0.5, 1),
    "two lines of Cardan joints": Case(side_by_side, 0.5, 1),
    "Bricard": Case(bricard, 1, 1),
    "Sarrus": Case(sarrus, 0.5, 1),
    "flyball": Case(flyball, 0.2, 4),
    "spatial slider-crank": Case(spatial_slider_crank, 0.5, 1),
    "hexapod": Case(hexapod, 0.05, 6, long=("multipliers",)),
    "five-link suspension": Case(five_link, 0.2, 1, long=("reduced",)),
    "closed chain of 5 links": Case(functools.partial(closed_chain, 5), 0.1, 3),
    "closed chain": Case(closed_chain, 0.1, 28, long=("multipliers",)),
    "two Jansen legs": Case(functools.partial(jansen, 2), 1, 1, long=("multipliers",)),
    "Jansen": Case(jansen, 1, 1, long=("reduced",)),
    "Scott-Russell": Case(scott_russell, 0.2, 1),
    "gears": Case(gears, 1, 1),
    "engine": Case(engine, 0.1, 1),
    "V6 engine": Case(engine_v6, 0.05, 1, long=("reduced",)),
    "wheel loader": Case(wheel_loader, 0.2, 2, long=("reduced",)),
    "rolling disc": Case(functools.partial(rolling_disc, 0.2, 1.0), 1, 3),
    "coin": Case(coin, 1, 3),
    "Whipple's bicycle": Case(bicycle, 0.5, 3),
    "sleigh": Case(sleigh, 1, 2),
    "ball on a turntable": Case(ball_on_turntable, 1, 3),
    "rattleback": Case(rattleback, 0.5, 3),
    "trailer": Case(trailer, 1, 2),
}

TIGHT = {"method": "dop853", "tolerance": 1e-11}
EACH = [pytest.param(name, marks=pytest.mark.long if case.long else ()) for name, case in CASES.items()]
RUNS = [pytest.param(name, form, marks=pytest.mark.long if case.long else ())
        for name, case in CASES.items() for form in case.long or FORMS]  # fmt: skip


@functools.cache
def model_of(name):
    return CASES[name].build()


@functools.cache
def run_of(name, form):
    case = CASES[name]
    options = {} if case.long else TIGHT
    return model_of(name)[0].simulate(case.t_final, constraints=form, save_every=case.t_final / 40, **options)


def gaps(run, closure):
    """The vectors (N, 3) between the origins of the frames that a closure joins, found from the run's frames alone."""
    ends = []
    for body, local in (closure.first, closure.second):
        frame = np.eye(4) if body.name == "ground" else run.frames(body)
        place = np.array([float(x) for x in local.e] + [1.0])
        ends.append((frame @ place)[..., :3])
    return ends[1] - ends[0], np.abs(np.concatenate([np.atleast_2d(x) for x in ends])).max()


# -- all of them ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EACH)
def test_degrees_of_freedom(name):
    model, closures = model_of(name)
    assert not closures or model.mobility().degrees_of_freedom == CASES[name].freedom


# How many nonlinear equations are left; none in all others.
LEFT = {"five-link suspension": 4, "coin": 1, "Whipple's bicycle": 2, "rattleback": 1}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", EACH)
def test_loops_are_solved_in_closed_form(name):
    told = model_of(name)[0].closures()
    assert told.nonlinear == sum(loop.nonlinear for loop in told.loops) == LEFT.get(name, 0)
    solved = [q for loop in told.loops for q in loop.solved]
    assert sorted(solved) == sorted(told.order) and not {*solved} & {*told.independent}
    assert all(q in loop.way for loop in told.loops for q in (*loop.solved, *loop.iterated))


@pytest.mark.one_in(15)
@pytest.mark.parametrize(("name", "form"), RUNS)
def test_loops_stay_closed_and_energy_stays(name, form):
    """Places and rates to 1e-10 of the size at each saved instant; energy less work to 1e-8 of what there is.

    (What takes long runs with default settings, which leave 1e-5 of the energy.)
    """
    model, closures = model_of(name)
    run = run_of(name, form)
    assert run.t[-1] == CASES[name].t_final
    energy = run.energy
    largest = max(np.abs(energy.kinetic).max(), np.ptp(energy.work), np.ptp(energy.potential))
    assert np.ptp(energy.balance) < (1e-5 if CASES[name].long else 1e-8) * largest
    at = model.solver.constraints_at(model.values())
    size, speed = at.size(run.q[0]), max(1.0, np.abs(run.qd).max())
    for q, qd in zip(run.q, run.qd, strict=True):
        assert np.abs(at.values(q)).max(initial=0) < 1e-10 * size
        assert np.abs(at.rates(q, qd)).max(initial=0) < 1e-10 * size * speed
    for closure in closures:
        if getattr(closure, "joint", None) in ("revolute", "spherical", "universal", "weld"):
            between, largest = gaps(run, closure)
            assert np.abs(between).max() < 1e-10 * max(largest, size)


@pytest.mark.one_in(35)
@pytest.mark.parametrize("name", [name for name, case in CASES.items() if not case.long])
def test_all_forms_give_the_same_motion(name):
    """At the end to 1e-9 of the largest value, where independent coordinates are integrated, and where all are."""
    first, *others = (run_of(name, form) for form in FORMS)
    for run in others:
        np.testing.assert_allclose(run.q, first.q, rtol=0, atol=1e-9 * max(1, np.abs(first.q).max()))
        np.testing.assert_allclose(run.qd, first.qd, rtol=0, atol=1e-8 * max(1, np.abs(first.qd).max()))


# What takes long: how long it runs here (s). (Two legs say as much as twelve in a twentieth of the time.)
SHORT = {"scissor lift of 20 stages": 0.05, "hexapod": 0.02, "five-link suspension": 0.1, "closed chain": 0.02,
         "two Jansen legs": 0.2, "V6 engine": 0.02, "wheel loader": 0.1}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.long
@pytest.mark.parametrize("name", SHORT)
def test_both_forms_of_what_takes_long(name):
    """Places to 1e-9 of the largest value, rates to 1e-8, as above, over a short run."""
    at = {"save_every": SHORT[name] / 4, **TIGHT}
    first, other = (model_of(name)[0].simulate(SHORT[name], constraints=form, **at) for form in FORMS)
    assert np.ptp(first.q, axis=0).max() > 1e-6
    np.testing.assert_allclose(other.q, first.q, rtol=0, atol=1e-9 * max(1, np.abs(first.q).max()))
    np.testing.assert_allclose(other.qd, first.qd, rtol=0, atol=1e-8 * max(1, np.abs(first.qd).max()))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["five-link suspension", "wheel loader", "hexapod"])
@pytest.mark.parametrize("form", FORMS)
def test_methods_schemes_and_targets_of_large_loops(name, form):
    """Over 0.02 s beside dop853 by multipliers: methods of high order to 1e-9; Newmark's and HHT's gain as order 2."""

    def error(**options):
        run = model_of(name)[0].simulate(0.02, save_every=0.02, **{"constraints": form, "target": "python"} | options)
        found = np.concatenate([run.q[-1], run.qd[-1] / 1e2])
        return np.abs(found - expected).max() / max(1, np.abs(found).max())

    run = model_of(name)[0].simulate(0.02, save_every=0.02, constraints="multipliers", target="python", **TIGHT)
    expected = np.concatenate([run.q[-1], run.qd[-1] / 1e2])
    for options in (
        {"method": "lobatto", "tolerance": 1e-10}, {"scheme": "explicit", **TIGHT}, {"target": "numpy", **TIGHT},
    ):  # fmt: skip
        assert error(**options) < 1e-9, options
    for method in ("newmark", "hht"):
        coarse, fine = (error(method=method, step=step) for step in (2e-4, 1e-4))
        assert coarse < 1e-5 and coarse / fine == pytest.approx(4, abs=0.2), method
