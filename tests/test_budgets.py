"""Runs that would never end, or fill the memory: laws that chatter, steps and samples without number; and what is kept.

Nothing here takes long: what is tested is that it does not.
"""

import time
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from mistakes import explained
from targets import LOOPS
from together import together

from easydyn import (
    Damper,
    GeneralizedForce,
    JointFriction,
    Model,
    Stepper,
    TorsionDamper,
    examples,
    ground,
    integrate,
    tdisp,
    vcoord,
)
from easydyn.errors import (
    BudgetError,
    ChatterError,
    EventError,
    FunctionError,
    InputError,
    InterruptedRunError,
    LongRunWarning,
    ModelError,
)
from easydyn.sim import dop853, records
from easydyn.sim.agenda import Agenda
from easydyn.sim.chatter import Chatter
from easydyn.sim.records import Records

pytestmark = pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")
METHODS = ["newmark", "hht", "generalized_alpha", "newmark_extrapolated", "dop853", "lobatto"]
OF_SCIPY = ["scipy:RK23", "scipy:RK45", "scipy:DOP853", "scipy:LSODA"]


def sliding(*laws):
    """A block on a spring, which dry friction brings to rest: 1 m/s at the start, it sticks after 0.38 s."""
    model = Model("block", gravity=(0, 0, 0))
    (x,) = model.coordinates("x", rates=(1,))
    block = model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -5 * x))
    for law in laws:
        model.add(law(x, block))
    return model


def sign_of_rate(x, block):
    return GeneralizedForce(x, -2 * sympy.sign(x.dot))


def chatters(run, steps=10_000):
    with pytest.raises(ChatterError) as caught:
        run()
    error = caught.value
    assert error.coordinate in ("x", "q[0]") and error.time < 0.6
    if error.trajectory is not None:
        assert error.trajectory.stats.steps < steps and error.trajectory.t[-1] == error.time
        assert error.trajectory.status == "failed"
    return str(error)


# -- chatter --------------------------------------------------------------------------------------------------------


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("target", LOOPS)
def test_dry_friction_by_a_sign_is_recognised(method, target):
    said = chatters(lambda: sliding(sign_of_rate).simulate(3, method=method, target=target, save_every=0.1))
    assert "sign(x.dot) in GeneralizedForce on x" in said and "between -3 and 1" in said and "JointFriction" in said


@pytest.mark.parametrize("method", OF_SCIPY)
def test_dry_friction_by_methods_of_scipy(method):
    pytest.importorskip("scipy")
    assert "sign(x.dot)" in chatters(lambda: sliding(sign_of_rate).simulate(30, method=method))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("law, said", [
    (lambda x, _: GeneralizedForce(x, -4 * sympy.Heaviside(x.dot) + 2), "Heaviside(x.dot)"),
    (lambda x, _: GeneralizedForce(x, sympy.Piecewise((2, x.dot < 0), (-2, True))), "x.dot < 0"),
    (lambda x, _: TorsionDamper(x, law=lambda w: 2 * sympy.sign(w)), "TorsionDamper"),
    (lambda x, block: Damper((block, (0, 0, 0)), (ground, (9, 0, 0)), law=lambda v: 2 * sympy.sign(v)), "Damper"),
], ids=["Heaviside", "Piecewise", "TorsionDamper", "Damper"])  # fmt: skip
def test_other_laws_that_jump(law, said):
    assert said in chatters(lambda: sliding(law).simulate(3, save_every=0.1, target="python"))


def test_it_is_the_law_that_jumps_which_is_named():
    harmless = [
        lambda x, _: GeneralizedForce(x, -0.1 * sympy.sign(x)),
        lambda x, _: GeneralizedForce(x, -0.1 * sympy.Abs(x.dot) * x.dot),
    ]
    said = chatters(lambda: sliding(sign_of_rate, *harmless).simulate(3, target="python"))
    assert "(sign(x.dot) in GeneralizedForce on x)" in said
    assert ", 400 steps have taken " in said  # so many that it is no chance


def test_what_belongs_to_a_motion_is_told_by_the_weight_of_each_rate():
    """The same zigzag of 0.02 m/s is a motion beside a weight of 1 m/s, and none beside one of 100 m/s."""
    chatter = object.__new__(Chatter)
    zigzag = 0.01 * (-1.0) ** np.arange(40)[:, None]
    for weight, share in ((1.0, 0.0), (100.0, 37 / 40)):
        chatter.stepper = SimpleNamespace(run=SimpleNamespace(tolerance=1e-6, weight=[1.0, weight]))
        turns = chatter._turns(np.hstack([10 * zigzag, zigzag]), np.ones((40, 2)))
        assert turns == (pytest.approx(share, abs=0.03), int(share > 0))


@together("between, wide, jump, slope, left, found", [
    (0.0, 1.0, 4.0, 0.0, 1.0, True),
    (12.0, 1.0, 4.0, 0.0, 1.0, True),  # beside a load that is larger than the jump
    (-12.0, 1.0, -4.0, 0.0, 1.0, True),
    (3.0, 1.0, 1.0, 1.9, 1.0, True),  # what else changes is less than three times the jump
    (3.0, 1.0, 1.0, 4.0, 1.0, False),
    (3.0, 1.0, 0.0, 4.0, 1.0, False),  # a slope, of which nothing is left at states that are equal
    (0.0, 1.0, 0.0, 0.0, 1.0, False),
    (0.0, 100.0, 4.0, 0.0, 20e-6, False),  # 8e-5 m/s until the end, where 1e-4 m/s are the tolerance
    (0.0, 100.0, 4.0, 0.0, 30e-6, True),
])  # fmt: skip
def test_where_a_law_jumps(between, wide, jump, slope, left, found):
    """A jump as the second rate, weighed by `wide`, goes through 0.3: states on both sides of it, as good as equal."""
    run = SimpleNamespace(t=2.0, end=2.0 + left, tolerance=1e-6, weight=[1e9, wide])
    stepper = SimpleNamespace(first_order=np.array([True, False]), run=run)
    law = lambda q, v: between + jump * np.sign(v - 0.3) / 2 + slope * (v - 0.3) / 2  # noqa: E731

    def twin():
        inner = SimpleNamespace(run=SimpleNamespace(qdd=[0.0, 0.0]), q=None, qd=None)
        inner.restart = lambda: inner.run.qdd.__setitem__(1, law(inner.q[1], inner.qd[1]))
        return inner

    stepper.twin = twin
    chatter = object.__new__(Chatter)
    chatter.stepper, h = stepper, 0.25
    states = np.zeros((3, 40, 2))
    states[0], states[1, :, 1], states[2, :, 1] = 7.0, 0.3 + 1e-3 * (-1.0) ** np.arange(40), 1.0
    said = chatter._jump(h, *states, 1)
    assert (said is not None) == found
    if found:
        j, low, high, *ends = said
        sides = sorted([low[3] - 0.3, high[3] - 0.3])
        assert j == 1 and sides == pytest.approx([0, 0], abs=1e-9) and sides[0] <= 0 <= sides[1]
        assert ends == pytest.approx(sorted(law(0, 0.3 + side * (4 * h + 1e-3)) for side in (-1, 1)))  # of four steps
        assert low[0] == high[0] == 7.0 and low[1] != 7.0  # what has no rate of its own stays


@pytest.mark.long
def test_efforts_in_plain_python_and_residuals():
    model = sliding()

    @model.efforts
    def friction(t, bodies):
        bodies["block"].R += vcoord(-2 * np.sign(bodies["block"].vG[0]), 0, 0)

    chatters(lambda: model.simulate(3, method="dop853", initial={"x.dot": 1e-7}))
    options = {"q": [0], "qd": [1e-7], "t_final": 3, "method": "dop853"}
    chatters(lambda: integrate(lambda t, q, qd, qdd: qdd + 5 * q + 2 * np.sign(qd), **options))


def test_a_first_order_state():
    """A relay that holds a level: there is no rate of anything in it."""
    model = Model("tank")
    (level,) = model.states("x", initial=0)
    model.equation(level.dot - 1 + 3 * sympy.Heaviside(level - sympy.Rational(2, 5)))
    said = chatters(lambda: model.simulate(30, method="dop853"))
    assert "the rate of x jumps between -2 and" in said and "(Heaviside(x - 2/5) in the equation" in said


def test_a_stepper_recognises_it_too():
    for target in LOOPS:
        stepper = sliding(sign_of_rate).stepper(target=target)
        chatters(lambda stepper=stepper: stepper.advance(3))
        assert stepper.steps < 10_000


@pytest.mark.long
def test_what_is_only_fast_goes_on():
    """Stiff, fast or bouncing: short steps alone are no chatter, nor are jumps that are passed."""
    smooth = sliding(lambda x, _: GeneralizedForce(x, -2 * sympy.tanh(x.dot / 1e-6)))
    assert smooth.simulate(0.5, method="newmark_extrapolated", save_every=0.1).status == "finished"
    friction = sliding(lambda x, _: JointFriction(x, 2, slip_speed=1e-4))
    assert friction.simulate(3, save_every=0.1).status == "finished"
    bang = sliding(lambda x, _: GeneralizedForce(x, -sympy.sign(x)))
    assert bang.simulate(3, method="dop853").status == "finished"
    hard = sliding(lambda x, _: GeneralizedForce(x, -1e14 * x))
    for method in ("lobatto", "dop853", "newmark"):
        with pytest.warns(LongRunWarning), pytest.raises(BudgetError):
            hard.simulate(3, method=method, tolerance=1e-4, max_steps=20_000, save_every=0.1)


@pytest.mark.filterwarnings("ignore::easydyn.errors.EnergyWarning")  # of such a law, with steps that long
def test_a_fixed_step_is_left_alone():
    run = sliding(sign_of_rate).simulate(1, step=1e-3, method="dop853")
    assert run.status == "doubtful" and run.t[-1] == 1 and run.stats.steps == 1000  # the energy balance says what it is


# -- events without end ---------------------------------------------------------------------------------------------


def back(distance, t_final, **options):
    """A body that an action sets back just before it would leave."""
    model = Model("hamster")
    (x,) = model.coordinates("x", rates=(1,))
    model.body("hamster", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.event(x - distance, direction=1, action={x: 0}, name="back")
    return model.simulate(t_final, save_every=t_final, **options)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("target", LOOPS)
def test_events_at_a_steady_pace_without_end(target):
    with pytest.raises(EventError, match=r"without end at t = 0.3 s \(back\)") as caught:
        back(1e-4, 3000, target=target)
    assert len(caught.value.trajectory.events) == 2999
    assert len(back(1e-3, 1).events) == 999, "many, but not without end"


@together("returns, ratio, rests", [(20, 0.4, True), (9, 0.01, True), (8, 0.01, False), (12, 0.4, False)])
def test_returns_after_ever_shorter_times(returns, ratio, rests):
    """More than 8 of them, the last 1e-6 of the first: then what is passed at last has come to rest."""
    agenda, run = object.__new__(Agenda), SimpleNamespace(t=5.0, side=[1.0, -1.0])
    agenda.stepper, agenda.events, agenda._returns = SimpleNamespace(run=run), [None, SimpleNamespace(name="up")], {}
    for k in range(returns):
        agenda._look_at_returns(1, -1.0)
        run.t += ratio**k
    run.side[1] = 1.0
    if rests:
        with pytest.raises(EventError, match=f"'up' has come again {returns} times"):
            agenda._look_at_returns(1, -1.0)
    else:
        agenda._look_at_returns(1, -1.0)
        assert not agenda._returns


@pytest.mark.long
def test_a_ball_that_comes_to_rest_still_does():
    """Its impacts follow each other ever faster, and are not without end."""
    assert examples.bouncing_ball().simulate(20).status == "finished"


# -- budgets --------------------------------------------------------------------------------------------------------


def without_memory(monkeypatch, times=1):
    take_over, left = Records.take_over, [times]

    def full(self):
        take_over(self)
        if self.r.steps > 1000 and left[0]:
            left[0] -= 1
            raise MemoryError

    monkeypatch.setattr(Records, "take_over", full)


def full_memory(w):
    with pytest.MonkeyPatch.context() as patch:
        without_memory(patch)
        w.simulate(100, save_every=0.01, max_step=0.005)


def slow(**options):
    return integrate(lambda t, q, qd, qdd: qdd + q, q=[1], qd=[0], t_final=10, **options)


test_mistake_is_explained = explained(__file__)


@pytest.mark.parametrize("target", LOOPS)
@pytest.mark.parametrize("method", ["newmark", "dop853"])
def test_exactly_as_many_steps_as_there_may_be(method, target):
    model = examples.double_pendulum()
    run = model.simulate(1, method=method, target=target, step=0.01, max_steps=100)
    assert run.stats.steps == 100
    with pytest.raises(BudgetError) as caught:
        model.simulate(1, method=method, target=target, max_step=0.02, max_steps=50, tolerance=1e-9)
    assert caught.value.trajectory.stats.steps == 50 and len(caught.value.trajectory.steps) == 50


def test_it_is_told_before(monkeypatch):
    """At a tenth of the steps, or of the memory, there may be. Steps are taken over by hundreds: one by one is slow."""
    take_over, taken = Records.take_over, []
    monkeypatch.setattr(Records, "take_over", lambda self: taken.append(self.r.step_rows) or take_over(self))
    for option in ({"max_steps": 10_000}, {"max_memory": 1e6}):
        with pytest.warns(LongRunWarning, match="at this pace it will stop at"), pytest.raises(BudgetError) as caught:
            slow(max_step=1e-3 if option.get("max_steps") else 1e-4, tolerance=1e-9, **option)
        assert sum(taken) > 50 * len(taken)
        assert caught.value.trajectory.t[-1] > 0.5


@together("length, kept", [(99, [3, 4, 2]), (9, [3, 4, 2]), (8, [3, 4, 1]), (7, [3, 4]), (5, [3, 2]), (0, [0])])
def test_what_is_more_than_a_length_is_cut_from_the_end(length, kept):
    chunks = [np.arange(3), np.arange(3, 7), np.arange(7, 9)]
    records._cut(chunks, length)
    assert [len(chunk) for chunk in chunks] == kept and [*np.concatenate(chunks)] == [*range(min(length, 9))]


def test_states_before_a_jump_stand_among_those_that_are_shown(rng):
    """After what is shown at that instant, unless that is the state after all jumps: as if sorted one by one."""
    for _ in range(20):
        shown, at = np.unique(rng.integers(0, 9, 6)), np.sort(rng.integers(0, 9, 5))
        seams = np.column_stack([at, rng.normal(size=5)]).astype(float)
        rows, early = np.column_stack([shown, rng.normal(size=len(shown))]), []
        for k, t in enumerate(shown):
            first = np.flatnonzero(at == t)[:1]
            if len(first) and rng.integers(2):  # saved as the first of them, before it jumps
                rows[k] = seams[first[0]]
            early.append(not len(first) or (rows[k] == seams[first[0]]).all())
        kept = object.__new__(Records)
        kept.r, kept.rows, kept.seams, kept.places = SimpleNamespace(seaming=0, save_every=0.0), [rows], [seams], "tx"
        kept.steps_shown = False
        *both, places = kept._with_seams()
        every = [*((t, 2 * (not e)) for t, e in zip(shown, early, strict=True)), *((t, 1) for t in at)]
        order = sorted(range(len(every)), key=lambda k: every[k])  # noqa: B023
        assert places.tolist() == [place for place, k in enumerate(order) if k >= len(shown)]
        assert all((a == b).all() for a, b in zip(both, (rows, seams), strict=True))


def test_the_seconds_of_a_run_are_those_that_pass():
    model = Model("pushed")
    model.equation(model.coordinate("x").ddot - 1)
    begin = time.perf_counter()
    assert 0 < model.simulate(1).stats.seconds < time.perf_counter() - begin


def test_steps_fill_the_memory_although_few_instants_are_saved():
    model = Model("swing")
    x = model.coordinate("x", initial=1)
    model.equation(x.ddot + x)
    with pytest.warns(LongRunWarning), pytest.raises(BudgetError):
        model.simulate(1000, max_step=1e-2, save_every=100, max_memory=1e6)


def test_witnesses_are_some_however_many_steps_there_are(monkeypatch):
    seen, go = [], Records.go
    monkeypatch.setattr(Records, "go", lambda records, report: (go(records, report), seen.append(records)))
    model = Model("swing")
    x = model.coordinate("x", initial=1)
    model.equation(x.ddot + x)
    model.simulate(50, max_step=0.1)
    at = seen[0].witnesses()[:, 0]
    assert seen[0].r.steps > 500 and 16 <= len(at) <= 34 and np.diff(at).max() < 50 / 16


@pytest.mark.parametrize("times", [1, 5, 40])
def test_a_run_without_memory_keeps_what_fits(times, monkeypatch):
    """Every other instant, again and again until there is room; the last state is always there."""
    concatenate, left = np.concatenate, [times]

    class Full:
        def __getattr__(self, name):
            return getattr(np, name)

        @staticmethod
        def concatenate(arrays):
            left[0] -= 1
            if left[0] > 0:
                raise MemoryError
            return concatenate(arrays)

    without_memory(monkeypatch)
    monkeypatch.setattr(records, "np", Full())
    if times == 40:
        with pytest.raises(MemoryError):
            slow(max_step=0.005)
        return
    with pytest.raises(BudgetError, match="the memory is full") as caught:
        slow(max_step=0.002)
    run = caught.value.trajectory
    assert run.t[0] == 0 and run.t[-1] == caught.value.time and np.all(np.diff(run.t) > 0)
    assert 4000 / 2**times < len(run) < 5000 / 2 ** (times - 1) and np.abs(run.q[:, 0] - np.cos(run.t)).max() < 1e-3


# -- what is kept, whatever is raised ---------------------------------------------------------------------------------


class Late:
    """A function that raises an exception of the user's own from some time on."""

    def __init__(self, exception, value=0.0):
        self.exception, self.value = exception, value

    def __call__(self, t, *_):
        if t > 0.7:
            raise self.exception
        return self.value


def kept(run, kind, cause=None):
    with pytest.raises(kind) as caught:
        run()
    error = caught.value
    if cause is not None:
        assert isinstance(error.__cause__, cause) and "mine" in str(error)
    run = error.trajectory
    assert 0.5 < run.t[-1] <= 0.701 and len(run) > 5 and run.t[0] == 0 and np.all(np.isfinite(run.q))
    assert run.status == ("interrupted" if kind is InterruptedRunError else "failed")
    return error


def driven():
    model = sliding()
    u = model.input("u")
    model.add(GeneralizedForce(model.symbols["x"], u))
    return model


EXCEPTIONS = [kind("mine") for kind in (ValueError, ZeroDivisionError, KeyError, MemoryError, StopIteration)]


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("method", ["newmark", "dop853", "newmark_extrapolated", "lobatto", "scipy:RK45"])
def test_a_residual_that_raises(method, exception):
    if method == "scipy:RK45":
        pytest.importorskip("scipy")
    late = Late(exception)
    kept(lambda: integrate(lambda t, q, qd, qdd: qdd + q + late(t), q=[1], qd=[0], t_final=3, method=method,
                           save_every=0.05), FunctionError, type(exception))  # fmt: skip


@pytest.mark.parametrize("method", ["newmark", "dop853", "scipy:RK45"])
def test_an_input_that_raises(method):
    if method == "scipy:RK45":
        pytest.importorskip("scipy")
    late = Late(OSError("mine"), 0.5)
    error = kept(lambda: driven().simulate(3, inputs={"u": late}, method=method, save_every=0.05), ModelError, OSError)
    assert error.trajectory["u"][0] == 0.5


def test_efforts_that_raise():
    model, late = sliding(), Late(OSError("mine"), None)
    model.efforts(lambda t, bodies: late(t))
    kept(lambda: model.simulate(3, save_every=0.05), ModelError, OSError)


@pytest.mark.long
def test_controllers_actions_and_what_they_return():
    for given, kind in ((Late(OSError("mine")), EventError), (lambda t, seen: 3 if t > 0.7 else None, InputError)):
        model = driven()
        model.controller(0.01, given if kind is InputError else lambda t, seen, given=given: given(t) or None)
        kept(lambda model=model: model.simulate(3, save_every=0.05), kind)
    model = driven()
    model.event(model.symbols["x"].dot - 0.1, action=lambda instant: {}["mine"])
    with pytest.raises(EventError) as caught:
        model.simulate(3)
    assert caught.value.trajectory.t[-1] > 0.3


def test_progress_that_raises():
    seen = []

    def report(fraction):
        seen.append(fraction)
        if len(seen) == 3:
            raise OSError("mine")

    with pytest.raises(FunctionError, match="OSError: mine") as caught:
        examples.double_pendulum().simulate(2000, method="dop853", progress=report, save_every=0.5)
    assert caught.value.trajectory.t[-1] == pytest.approx(2000 * seen[-1])


def test_what_is_no_exception_is_kept_too():
    with pytest.raises(SystemExit) as caught:
        slow(rates=Late(SystemExit(), [0.0]), save_every=0.05)
    assert caught.value.trajectory.t[-1] > 0.5
    kept(lambda: slow(rates=Late(KeyboardInterrupt(), [0.0]), save_every=0.05), InterruptedRunError)


def test_sensitivities_keep_the_motion():
    model, late = driven(), Late(OSError("mine"), 0.5)
    k = model.parameters(k=1)[0]
    model.add(GeneralizedForce(model.symbols["x"], -k * model.symbols["x"]))
    kept(lambda: model.sensitivity(3, ["k"], inputs={"u": late}, save_every=0.05), ModelError, OSError)


def test_a_stepper_keeps_its_state():
    late = Late(OSError("mine"))
    stepper = Stepper(lambda t, q, qd, qdd: qdd + q + late(t), q=[1], qd=[0], method=dop853(), max_step=0.05)
    with pytest.raises(FunctionError, match="OSError: mine"):
        stepper.advance(3)
    assert 0.5 < stepper.t <= 0.7 and stepper.q[0] == pytest.approx(np.cos(stepper.t), abs=1e-6)


def test_a_bar_that_nobody_sees_ends_no_run(monkeypatch):
    """A pipe that was closed at the other end, a notebook that was closed."""
    from easydyn.sim import progress

    class Closed:
        def write(self, text):
            raise ValueError("I/O operation on closed file")

        flush = isatty = lambda self: None

    monkeypatch.setattr(progress, "_stream", Closed)
    assert slow(progress=True).status == "finished"
