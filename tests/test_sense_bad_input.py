"""What can be written and makes no sense: elements that do nothing, limits exchanged, wheels that lie on their side."""

import pickle

import numpy as np
import pytest
import sympy
from mistakes import explained
from test_forces_bad_input import NOTHING  # noqa: F401  in mistakes.txt
from together import together

from easydyn import (
    Drag,
    EndStop,
    GeneralizedForce,
    JointFriction,
    Model,
    PlaneSphere,
    Trajectory,
    Tyre,
    ground,
    integrate,
    tdisp,
    trotx,
    troty,
)

TYRE = {
    "axle": (0, 1, 0), "normal": (0, 0, 1), "outer_radius": 0.3, "torus_radius": 0.05, "stiffness": 2e5,
    "nominal_load": 1000, "slip_stiffness": 2e4, "side_slip_stiffness": 2e4, "camber_stiffness": 2e3, "exponent": 0.8,
    "static_friction": 1, "dynamic_friction": 0.8, "low_speed": 0.1,
}  # fmt: skip


def cart(*elements, initial=0.0, **parameters):
    """A mass on a line, with what functions of its coordinate, its body and its parameters say acts on it."""
    model = Model("cart")
    (x,) = model.coordinates("x", initial=initial)
    p = model.parameters(**parameters) if parameters else ()
    body = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    for element in elements:
        model.add(element(x, body, *p))
    return model


def again(model):
    model.add(*model.mechanism.efforts)


def wheel(turn=0.0, height=0.295, **options):
    model = Model("wheel", gravity=(0, 0, -9.81))
    z, roll = model.coordinates("z roll", initial=(height, turn))
    body = model.body("wheel", tdisp(0, 0, z) * trotx(roll) * troty(0), mass=100, inertia=(1, 2, 1))
    parameters = dict(zip(options, model.parameters(**options), strict=True)) if options else {}
    model.add(Tyre(body, ground, **(TYRE | parameters)))
    return model


def ball(height, kind=PlaneSphere, **options):
    model = Model("ball", gravity=(0, 0, -9.81))
    (z,) = model.coordinates("z", initial=height)
    body = model.body("ball", tdisp(0, 0, z), mass=1, inertia=(0, 0, 0))
    model.add(kind(body, ground, normal=(0, 0, 1), stiffness=1e6, **options))
    return model


def driven(*laws, inputs=None, name=None):
    model = cart()
    u = model.input("u")
    model.add(GeneralizedForce(model.symbols["x"], u))
    for k, law in enumerate(laws):
        model.controller(0.1, law, name=name or f"law {k}")
    return model.simulate(0.5, inputs=inputs)


def returning(value):
    model = cart()

    @model.efforts
    def push(t, bodies):
        return value

    return model.compile("python").residual(0, [0], [0], [0])


def rooted():
    model = Model("rooted")
    (x,) = model.coordinates("x")
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, -sympy.sqrt(1 - x)))
    model.output("level", sympy.sqrt(x))
    return model


def free(names):
    return integrate(lambda t, q, qd, qdd: qdd, q=[1.0, 2], qd=[0.0, 0], t_final=0.1, names=names)


def driven_cart(mass=1.0, damping=0.0, gravity=(0, -9.81, 0)):
    model = Model("cart", gravity=gravity)
    x, y = model.coordinates("x y", rates=(1, 0))
    body = model.body("cart", tdisp(x, y, 0), mass=mass, inertia=(0, 0, 0))
    model.add(Drag(body, linear=damping))
    return model


def read_with(w, **other):
    path = driven_cart().simulate(0.1).save(w.folder / "cart.npz")
    return Trajectory.load(path, model=driven_cart(**other))


def constrained(*equations):
    """A point in the plane, with equations of its coordinates."""
    model = Model("bead")
    x, y = model.coordinates("x y", initial=(1, 0))
    (L,) = model.parameters(L=1)
    model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    for equation in equations:
        model.equation(equation(x, y, L))
    return model.simulate(0.1)


def rate_in_a_force():
    model = Model("coil")
    (x,) = model.coordinates("x")
    (current,) = model.states("L")
    model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, 3 * current.dot))
    return model.simulate(0.1)


test_mistake_is_explained = explained(__file__)


@together("height", [-0.9, 0.0, 0.05, 0.2])
def test_check_tells_the_depth_at_the_start(height):
    """A ball is let be to half of its diameter, and what is deeper is told before it is shot up."""
    found = ball(height, radius=0.1).check()
    deep = [text for text in found if "is pressed in by 1 m at the start" in text]
    assert bool(deep) == (height < 0)


def test_what_makes_sense_is_left_alone():
    """Limits in their order, a wheel that leans, a table in lists, one controller after another law's silence."""
    stop = cart(lambda x, b, a: EndStop(x, lower=a, upper=1, stiffness=1, damping=0), a=-3)
    assert stop.simulate(0.1, parameters={"a": 0.5}).status == "finished"
    assert wheel(turn=1.0, height=0.2).simulate(0.01).status == "finished"
    run = driven(lambda t, o: None, lambda t, o: {"u": 2})
    assert run["x"][-1] == pytest.approx(0.25, rel=1e-6)
    for table in (([0, 1], [2, 2]), (np.array([0, 1]), np.array([2, 2])), [[0, 0.5, 1], [2, 2, 2]]):
        assert driven(inputs={"u": table})["x"][-1] == pytest.approx(0.25, rel=1e-6)


def test_friction_of_a_load_is_no_parameter():
    """What depends on the state is not looked at: it may be negative for a moment."""
    model = cart(lambda x, b: JointFriction(x, x, slip_speed=0.1), initial=-1.0)
    assert model.simulate(0.1).status == "finished"


def test_a_run_is_read_with_the_model_that_made_it(tmp_path):
    """What moves it in another way, and has the same energies, is no other mechanism."""
    path = driven_cart().simulate(0.1).save(tmp_path / "cart.npz")
    for model in (driven_cart(), driven_cart(damping=3)):
        run = Trajectory.load(path, model=model)
        assert run.frames("cart").shape == (len(run), 4, 4)


def test_vectors_of_a_body_have_components_by_name():
    model = driven_cart(mass=2.0)
    q, body = model.mechanism.coordinates[0], model["cart"]
    for column in (body.v, body.omega, body.a, body.alpha, body.vG, body.aG, body.d[q], body.theta[q], body.dG[q]):
        assert (column.x, column.y, column.z) == tuple(column) and column == sympy.Matrix(list(column))
    assert body.v.x == q.dot and (2 * body.v).x == 2 * q.dot and (body.v + body.a).y == body.v[1] + body.a[1]
    assert body.v.diff(q.dot).x == 1 and body.v.subs(q.dot, 3).x == 3
    pickled = pickle.loads(pickle.dumps(body.v))
    assert pickled == body.v and pickled.x == body.v.x
