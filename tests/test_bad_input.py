"""What a student may get wrong: what the mistakes of mistakes.txt need, and what must be so after any mistake."""

import math
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy
from matplotlib import pyplot
from mistakes import Bench, check, explained, row_of
from sympy.physics.mechanics import dynamicsymbols  # noqa: F401  in mistakes.txt
from together import together

from easydyn import (
    Force,
    JointFriction,  # noqa: F401  in mistakes.txt
    Model,
    System,
    Trajectory,
    cross,
    integrate,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
    vcoord,
)
from easydyn.errors import (
    BudgetError,
    FunctionError,
    InputError,
    LongRunWarning,
    ModelError,
    SingularMatrixError,
    TransformError,
    UnknownNameError,
)

pytestmark = pytest.mark.filterwarnings("ignore::easydyn.errors.SlowRunWarning")  # callbacks are wanted here
NAN, INF = math.nan, math.inf


def without(package, action):
    """Do something as if a package were not installed."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in sys.modules if name.split(".")[0] == package] + [package]:
            patch.setitem(sys.modules, name, None)
        patch.setattr("easydyn.engine.targets.available", lambda: package != "llvmlite")
        action()


def slider(force=None, initial=0, mass=1):
    """A block on a line, with an effort of (x)."""
    model = Model("slider")
    (x,) = model.coordinates("x", initial=initial)
    block = model.body("block", tdisp(x, 0, 0), mass=mass, inertia=(0, 0, 0))
    if force is not None:
        model.add(Force(block, (force(x), 0, 0)))
    return model


def pushed(change):
    """Simulate the slider with a Python function of efforts that does `change` to its block."""
    model = slider()

    @model.efforts
    def push(t, bodies):
        change(bodies)

    return model.simulate(0.1)


def pushing():
    """The slider with a Python function of efforts."""
    model = slider()

    @model.efforts
    def push(t, bodies):
        bodies["block"].R += 1

    return model


def gimbal(middle=None):
    """A body turned about three axes, one after the other; the middle angle may be given."""
    model = Model("top")
    a, c = model.coordinates("a c")
    (b,) = model.coordinates("b") if middle is None else (middle,)
    model.body("top", trotz(a) * troty(b) * trotx(c), mass=1, inertia=(0.1, 0.1, 0.1))
    return model


def swing(t_final):
    """A long simulation of a swing, in short steps, by someone impatient."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("easydyn.sim.loop.PATIENCE", 20)
        slider(lambda x: -x, initial=1).simulate(t_final, target="python")


def enormous():
    """An equation with a number beyond all floats."""
    model = Model("enormous")
    (x,) = model.coordinates("x")
    model.equation(x.ddot + sympy.Float("1e400") * x)
    return model


def extended(change):
    """A slider to which `change` is done, compiled."""
    model = slider()
    change(model, model["block"])
    return model.compile()


def jack(*chosen):
    """A model of equations: x and the state p, with some of four equations."""
    model = Model("jack")
    (x,) = model.coordinates("x")
    (p,) = model.states("p", initial=2)
    equations = [x.ddot + x - p, p.dot + p, x.ddot - 1, x.dot + x, p - 3]
    for i in chosen:
        model.equation(equations[i])
    return model


def parametrised(value, use):
    """A model with the parameter k = value, used by use(model, k)."""
    model = slider()
    (k,) = model.parameters(k=value) if value is not None else model.parameters("k")
    use(model, k)
    return model.compile().accelerations(0, [0], [0])


def twins():
    """Two coordinates that do the same."""
    model = Model("twins")
    a, b = model.coordinates("a b")
    model.body("block", tdisp(a + b, 0, 0), mass=1, inertia=(0, 0, 0))
    return model


def compute_motion(t, q, qd, qdd, bodies):
    b = bodies[0]
    b.T = trotz(q[0]) * tdisp(0, -1.0, 0)
    b.omega, b.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
    b.vG = cross(b.omega, b.T.e)
    b.aG = cross(b.omegad, b.T.e) + cross(b.omega, b.vG)


def hand(motion=compute_motion, **options):
    """A pendulum with hand-written kinematics."""
    system = System("by hand", motion, **({"coordinates": "q", "gravity": (0, -9.81, 0), "initial": 1.0} | options))
    system.body("bob", mass=1, inertia=(0, 0, 0))
    return system


def wrong(**left):
    """Run the pendulum by hand with something wrong left in its body."""

    def motion(t, q, qd, qdd, bodies):
        compute_motion(t, q, qd, qdd, bodies)
        for name, value in left.items():
            setattr(bodies[0], name, value)

    return hand(motion).simulate(0.1)


def oscillator(residual=lambda t, q, qd, qdd: qdd + q, **options):
    return integrate(residual, **({"q": [1.0], "qd": [0.0], "t_final": 1.0} | options))


def scaled(factor):
    matrix = trotz(0.3).matrix
    matrix[:3, :3] *= factor
    return matrix


def degrees_and_radians(angle):
    c, s = math.cos(angle), math.sin(math.degrees(angle))
    return [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]


@pytest.mark.parametrize("a", [0.5, 2.5, -2.5])
def test_one_element_in_degrees_is_told_whatever_the_angle(a):
    for c, s in ((math.cos(a), math.sin(math.degrees(a))), (math.cos(math.degrees(a)), math.sin(a))):
        with pytest.raises(TransformError, match="use radians in all of them"):
            Model("m").body("b", [[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], mass=1, inertia=(0, 0, 0))


def damaged(w, damage):
    """Load a run whose file has been damaged."""
    path = w.run.save(w.folder / "run.npz")
    damage(path)
    return Trajectory.load(path)


def rewritten(**arrays):
    def damage(path):
        with np.load(path) as data:
            whole = dict(data)
        np.savez(path, **(whole | arrays))

    return damage


# Runs that start well, or nearly, and fail: (mistake, time at which it fails, coordinate).


test_mistake_is_explained = explained(__file__)


ROW = row_of("| `… is …: expected a text` | InputError | a number | a name |")


def made_up(message="the arm is 3: expected a text.", first=lambda w: None, after=None, kind=InputError):
    def make(w):
        first(w)
        raise kind(message) from after

    return make


def failing(function):
    with pytest.raises(Exception) as caught:
        function()
    return caught.value


@together(
    ("make", "pattern", "said"),
    [
        (made_up(kind=ModelError), "", "ModelError: the arm is 3: expected a text."),
        (made_up("the arm is 3: expected a number."), "", "expected a number"),
        (made_up(), "^InputError: the leg", "the arm is 3: expected a text."),
        (made_up("the arm is 3: expected a text"), "", "the arm is 3: expected a text"),
        (made_up("the arm is 3: expected a text" + 900 * "!" + "."), "", "900"),
        (made_up("the arm is 3: expected a text. Traceback."), "", "Traceback"),
        (made_up(after=failing(lambda: np.linalg.inv(np.zeros((2, 2))))), "", "Singular matrix"),
        (made_up(first=lambda w: w.model.parameters(m=1)), "", "the model has changed"),
        (made_up(first=lambda w: w.model.event(w.q1, name="landed")), "", "the model has changed"),
        (made_up(first=lambda w: pyplot.figure()), "", "a figure is left behind"),
    ],
)
def test_what_is_not_explained_is_told(make, pattern, said, tmp_path):
    mine = "^InputError: the arm"
    check(made_up(after=failing(lambda: 1 / 0)), ROW, mine, Bench(tmp_path), Path(__file__))
    with pytest.raises(AssertionError) as caught:
        check(make, ROW, pattern, Bench(tmp_path), Path(__file__))
    pyplot.close("all")
    assert said in str(caught.value)


def test_a_model_refused_for_what_is_missing_can_be_completed():
    model = jack(0)
    with pytest.raises(ModelError, match="no equation contains p.dot"):
        model.simulate(1)
    model.equation(model.symbols["p"].dot + model.symbols["p"])
    assert model.simulate(0.01).status == "finished"


def test_a_refused_override_does_not_stay():
    bench = slider()
    bench.parameters(k=2.0)
    with pytest.raises(UnknownNameError):
        bench.simulate(1, parameters={"k": 3.0, "g": 1})
    assert bench.values() == {"k": 2.0}


def test_errors_of_the_users_own_residual_are_shown_and_nothing_is_lost():
    def residual(t, q, qd, qdd):
        raise RuntimeError("mine")

    with pytest.raises(FunctionError, match="the residual failed at t = 0 s: RuntimeError: mine") as caught:
        oscillator(residual)
    assert isinstance(caught.value.__cause__, RuntimeError) and caught.value.trajectory.status == "failed"


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("method", "middle", "cause"),
    [("newmark", None, "b"), ("newmark", t, "t"), ("lobatto", t, "t")],
)
def test_gimbal_lock_is_told(method, middle, cause):
    """Whether the middle angle is a coordinate or given by time. (As a coordinate lobatto may just get through.)"""
    start = {"c.dot": 1e-5, "b.dot": 1} if middle is None else {"a.dot": 1, "c.dot": 0.3}
    with pytest.raises(SingularMatrixError, match=rf"nearly singular at t = 1.5.*, as {cause} = 1.5.* another order"):
        gimbal(middle).simulate(3, initial=start, method=method)


@pytest.mark.parametrize("method", ["scipy:RK45", "scipy:Radau"])
def test_gimbal_lock_is_told_where_scipy_gives_up(method, monkeypatch):
    """Before the mass matrix has no inverse at all, its steps become too short."""
    monkeypatch.setattr("easydyn.sim.scipy_methods.PATIENCE", 100)
    with pytest.raises(SingularMatrixError, match=r"nearly singular at t = 1.57.*its condition is.* another order"):
        gimbal(t).simulate(3, initial={"a.dot": 1, "c.dot": 0.3}, method=method)


def test_gimbal_lock_that_takes_all_steps_is_told():
    """The exception stays what it is, and says what the steps were spent on."""
    cause = r"max_steps = 2500 .* The cause: the mass matrix is nearly singular"
    with pytest.warns(LongRunWarning), pytest.raises(BudgetError, match=cause):
        gimbal(t).simulate(3, initial={"a.dot": 1, "c.dot": 0.3}, method="dop853", max_steps=2500)
