"""What can be written and makes no sense: elements that do nothing, limits exchanged, wheels that lie on their side."""

import pickle

import numpy as np
import pytest
import sympy
import test_bad_input as bad
import test_forces_bad_input as of_forces
from mistakes import Mistake, explained
from together import together

from easydyn import (
    Actuator,
    Bushing,
    Damper,
    Drag,
    EndStop,
    Force,
    GeneralizedForce,
    JointFriction,
    Model,
    Moment,
    PlanePoint,
    PlaneSphere,
    Spring,
    System,
    Trajectory,
    Tyre,
    ground,
    integrate,
    tdisp,
    trotx,
    troty,
)
from easydyn.errors import InputError, ModelError

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


MISTAKES = [
    # another model, another kind of equation
    Mistake("run read with other masses", ModelError, lambda w: read_with(w, mass=2.0), "not the one that made the run",
            r"the kinetic energy at t = 0 s was 0.5 J in this run, and is 1 J with the model 'cart': not the one that"),
    Mistake("run read with other gravity", ModelError, lambda w: read_with(w, gravity=(0, -1, 0)),
            "not the one that made the run", r"the potential energy at t = 0.0\d* s was -\d.* J in this run, and is -"),
    Mistake("constraint as an equation", ModelError, lambda w: constrained(lambda x, y, L: x**2 + y**2 - L**2),
            "looks like a constraint between coordinates", r"has 1 equations: expected 0.* = 0 looks like a .* solve"),
    Mistake("balance of a node without mass", ModelError, lambda w: constrained(lambda x, y, L: 3 * x.dot + x - L),
            "looks like a balance of forces on", r"= 0 looks like a balance of forces on x, which has its .* model"),
    Mistake("rate of a state in a force", ModelError, lambda w: rate_in_a_force(),
            "the unknown of the first-order state",
            r"no equation contains L.dot, .*GeneralizedForce on x contains it, which says what the force is, not"),
    # elements that do nothing
    Mistake("force that is its own reaction", InputError, lambda w: Force(w.upper, (1, 0, 0), reaction=w.upper),
            "together they do nothing", r"body and the reaction of a Force are both 'upper arm': .* Expected another"),
    Mistake("moment of the ground on the ground", InputError, lambda w: Moment(ground, (1, 0, 0), reaction=ground),
            "together they do nothing", r"the body and the reaction of a Moment are both 'ground'"),
    Mistake("force on the ground", InputError, lambda w: Force(ground, (1, 0, 0)), "acts on the ground alone",
            r"a Force acts on the ground alone, which nothing moves: expected a body of the model"),
    Mistake("spring within a body", InputError,
            lambda w: Spring((w.upper, (0, 1, 0)), (w.upper, (0, 0, 0)), stiffness=1, free_length=1),
            "and itself: expected two bodies", r"a Spring is between 'upper arm' and itself: expected two bodies, or"),
    Mistake("damper of the ground", InputError, lambda w: Damper(ground, (ground, (1, 0, 0)), damping=1),
            "and itself: expected two bodies", r"a Damper is between 'ground' and itself: expected two bodies"),
    Mistake("actuator within a body", InputError, lambda w: Actuator(w.upper, (w.upper, (1, 0, 0)), command=1),
            "and itself: expected two bodies", r"an Actuator is between 'upper arm' and itself: expected two bodies"),
    Mistake("bushing within a body", InputError,
            lambda w: Bushing(w.upper, (w.upper, (1, 0, 0)), **of_forces.NOTHING),
            "and itself: expected two bodies", r"a Bushing is between 'upper arm' and itself: expected two bodies"),
    Mistake("drag on the ground", InputError, lambda w: Drag(ground, linear=1), "the body of a Drag is the ground",
            r"the body of a Drag is the ground, which nothing moves: expected a body"),
    Mistake("element added twice", ModelError, lambda w: again(cart(lambda x, b: Force(b, (1, 0, 0)))),
            "already, and would act twice", r"Force on 'cart' was added to model 'cart' already, and would act twice"),
    Mistake("element twice in one call", ModelError, lambda w: w.model.add(*2 * [Force(w.upper, (1, 0, 0))]),
            "already, and would act twice", r"Force on 'upper arm' was added to model 'pendulum' already.*leave out"),
    # the wrong way round
    Mistake("static friction below friction", InputError,
            lambda w: JointFriction(w.q1, 6, static_level=5, static_speed=0.1, slip_speed=0.01),
            "expected the first to be the smaller one", r"friction of JointFriction on q1 is 6, and its static .* 5:"),
    Mistake("static friction of a contact below friction", InputError,
            lambda w: PlanePoint(w.upper, ground, normal=(0, 1, 0), stiffness=1, friction=0.6, static_friction=0.5,
                                 static_speed=0.1, slip_speed=0.01),
            "expected the first to be the smaller one", r"the friction of PlanePoint .* is 0.6, and its static .* 0.5"),
    Mistake("dynamic friction of a tyre above static friction", InputError,
            lambda w: Tyre(w.upper, ground, **(TYRE | {"dynamic_friction": 1.2})),
            "expected the first to be the smaller one", r"the dynamic_friction of Tyre .* is 1.2, and its static_fric"),
    Mistake("limits exchanged by parameters", ModelError,
            lambda w: cart(lambda x, b, a: EndStop(x, lower=a, upper=1, stiffness=1, damping=0), a=3).simulate(1),
            "at the start", r"at the start the upper limit of EndStop on x is 1: expected at least 3. The lower limit"),
    Mistake("limits of an actuator exchanged by parameters", ModelError,
            lambda w: cart(lambda x, b, a: Actuator(x, command=1, limit=(0, a)), a=-3).simulate(1),
            "at the start", r"at the start the highest force of Actuator on x is -3: expected at least 0"),
    Mistake("limit of an actuator below zero", ModelError,
            lambda w: cart(lambda x, b, a: Actuator(x, command=1, limit=a), a=-3).sensitivity(1, ["a"]),
            "at the start", r"at the start the highest force of Actuator on x is -3: expected at least 3"),
    Mistake("negative friction", ModelError,
            lambda w: cart(lambda x, b, mu: JointFriction(x, mu, slip_speed=0.1), mu=0.2).simulate(
                1, parameters={"mu": -0.2}),
            "at the start", r"at the start the friction of JointFriction on x is -0.2: expected at least 0. Look at"),
    Mistake("static friction that a parameter makes too small", ModelError,
            lambda w: cart(lambda x, b, mu: JointFriction(x, 1, static_level=mu, static_speed=1, slip_speed=0.1),
                           mu=0.2).stepper(max_step=1),
            "at the start", r"at the start the static friction of JointFriction on x is 0.2: expected at least 1"),
    Mistake("power of a contact below one", ModelError,
            lambda w: cart(lambda x, b, a: PlanePoint(b, ground, normal=(1, 0, 0), stiffness=1, power=a), a=0.5,
                           initial=1.0).simulate(1),
            "at the start", r"at the start the power of PlanePoint of 'cart' on 'ground' is 0.5: expected at least 1"),
    Mistake("radii exchanged by parameters", ModelError, lambda w: wheel(torus_radius=0.4).simulate(0.1),
            "at the start", r"at the start the outer_radius \(m\) of Tyre of 'wheel' is 0.3: expected at least 0.4"),
    Mistake("friction of a tyre exchanged by parameters", ModelError,
            lambda w: wheel(static_friction=0.5).simulate(0.1),
            "at the start", r"at the start the static_friction of Tyre of 'wheel' is 0.5: expected at least 0.8"),
    # where nothing holds
    Mistake("wheel on its side", ModelError, lambda w: wheel(turn=np.pi / 2, height=0.04).simulate(0.1),
            "at the start", r"angle between the axle and the normal of Tyre of 'wheel' is 1: .* most 0.99. A wh"),
    Mistake("wheel below the road", ModelError, lambda w: wheel(height=-0.1).simulate(0.1),
            "at the start", r"the depth \(m\) to which Tyre of 'wheel' is in the road is 0.4: expected at most 0.3"),
    Mistake("sphere in the plane", ModelError, lambda w: ball(-0.9, radius=0.1).simulate(1),
            "at the start", r"the depth \(m\) to which the sphere of PlaneSphere of 'ball' .* is 1: .* most 0.1. Bey"),
    Mistake("efforts that return a dict", ModelError, lambda w: returning({"arm": 3}), "expected nothing",
            r"the efforts function 'push' of model 'cart' returned {'arm': 3} at t = 0 s: expected nothing. Add"),
    # inputs
    Mistake("table of two points", InputError,
            lambda w: driven(inputs={"u": [(0, 0), (1, 5)]}), "which may be two points or (times, values)",
            r"table of input u is \[\(0, 0\), \(1, 5\)\], which may be two .* a pair of lists, \(\[t1, t2\], \[u1"),
    Mistake("two controllers of one input", ModelError,
            lambda w: driven(lambda t, o: {"u": 1}, lambda t, o: {"u": 2} if t > 0.25 else None),
            "gives as well", r"controller 'law 1' of model 'cart' returned a value for 'u' at t = 0.3 s, which contro"),
    Mistake("two controllers of one name and one input", ModelError,
            lambda w: driven(lambda t, o: {"u": 1}, lambda t, o: {"u": 2}, name="<lambda>"),
            "gives as well", r"'<lambda>' .* for 'u' at t = 0 s, which another controller of that name gives as well"),
    Mistake("table and controller of one input", ModelError,
            lambda w: driven(lambda t, o: {"u": 1}, inputs={"u": ([0, 1], [0, 1])}),
            "gives as well", r"controller 'law 0' of .* for 'u' at t = 0 s, which a table of this run gives as well"),
    # names that hide columns
    Mistake("unknown called t", InputError, lambda w: free(["t", "x"]), "expected different names, none of them empty",
            r"names has 't': expected different names, none of them empty, none t \(which is time\)"),
    Mistake("unknown called as a rate", InputError, lambda w: free(["x", "x.dot"]),
            "expected different names, none of them empty", r"names has 'x.dot': .* without a dot, for run"),
    Mistake("two unknowns of one name", InputError, lambda w: free(["x", "x"]),
            "expected different names, none of them empty", r"names has 'x': expected different names"),
    Mistake("coordinate by hand called t", InputError,
            lambda w: System("rotor", lambda t, q, qd, qdd, bodies: None, coordinates="t"),
            "expected different names, none of them empty", r"coordinates has 't': expected different names"),
    # what is no number
    Mistake("motion with NaN", InputError,
            lambda w: w.model.inverse_dynamics([0, 1], [[0, 1], [0, np.nan]], qd=[[0, 0]] * 2),
            "is not finite: expected finite numbers", r"q\[1, 1\] is not finite: expected finite numbers"),
    Mistake("frequency that is none", InputError,
            lambda w: w.model.linearize().frequency_response([1, np.nan], input="q1", output="q1"),
            "is not finite: expected finite numbers", r"omega\[1\] is not finite: expected finite numbers"),
    Mistake("motion out of the domain", ModelError,
            lambda w: rooted().inverse_dynamics([0, 1], [[0.0], [3.0]], qd=[[0.0], [0]], qdd=[[0.0], [0]]),
            "is not a finite number at t =", r"force of x is not a finite number at t = 1 s, where .* is x = 3: look"),
    Mistake("output out of its domain", ModelError,
            lambda w: rooted().linearize().frequency_response(1, input="x", output="level"),
            "is not finite at this state", r"a derivative of output level is not finite at this state. Look for the"),
    Mistake("frequency beyond all numbers", InputError,
            lambda w: w.model.linearize().frequency_response([1, 1e200], input="q1", output="q1"),
            "beyond what numbers can hold", r"the response at omega = 1e\+200 rad/s is beyond what numbers can hold"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


def test_names_are_new():
    names = [mistake.name for mistake in (*bad.MISTAKES, *of_forces.MISTAKES, *MISTAKES)]
    assert len(set(names)) == len(names)


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
