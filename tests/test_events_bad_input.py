"""Mistakes with events, inputs, controllers, locks and impacts; in the manner of test_bad_input.py."""


from mistakes import explained

from easydyn import (
    GeneralizedForce,
    Model,
    RigidContact,
    t,
    tdisp,
)


def cart(**options):
    """A cart with an input; what it does before it runs, and how it runs."""
    model = Model("cart", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0, 1), rates=(1, 0))
    model.body("cart", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    u = model.input("u")
    model.add(GeneralizedForce(x, u))
    return model, x, y, u


def event(action=None, expression=lambda x, y, u: x - 0.5, run=True, **options):
    model, x, y, u = cart()
    model.event(expression(x, y, u), action=action(x, u) if getattr(action, "symbols", False) else action,
                name=options.pop("name", "wall"), **options)  # fmt: skip
    return model.simulate(1) if run else model


def with_symbols(function):
    function.symbols = True
    return function


def setting(name, value):
    return event(lambda instant: instant.__setitem__(name, value))


def law(answer, **options):
    model, x, y, u = cart()
    model.controller(options.pop("period", 0.1), answer, **options)
    return model.simulate(1)


def returning(answer):
    return law(lambda time, seen: answer, name="loop")


def inputs(**given):
    return cart()[0].simulate(1, inputs=given)


def formula(make):
    model, x, y, u = cart()
    v = model.input("v")
    return model.simulate(1, inputs={"u": make(x, v)})


def locked(given, **options):
    return cart()[0].simulate(1, locked=given, **options)


def contact(gap=lambda x, y: y, restitution=0.5, name="floor", run=True, parameters=None, **options):
    model, x, y, u = cart()
    (e,) = model.parameters(e=0.5)
    model.add(RigidContact(gap(x, y), restitution=e if restitution == "e" else restitution, name=name, **options))
    return model.simulate(1, parameters=parameters) if run else model


def equation_of_its_own():
    model = Model("free")
    (z,) = model.coordinates("z")
    model.equation(z.ddot)
    model.lock(z)


def bounced():
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, action={y.dot: -0.6 * y.dot}, direction=-1, name="floor")
    return model.simulate(4)


def endless():
    """Each of two events brings the other about."""
    model, x, y, u = cart()
    model.event(x - 0.5, action={u: 1}, name="begin")
    model.event(u - 0.5, direction=1, action={u: -1}, name="down")
    model.event(u + 0.5, direction=-1, action={u: 1}, name="up")
    return model.simulate(1)


def locked_by_hand(w):
    model, x, y, u = cart()
    model.lock(x, locked=False)
    model.event(t - 0.5, action=lambda instant: instant.update({"x.locked": 1}))
    return model.simulate(1)


def fails(*_):
    raise ValueError("mine")


def residual(time, q, qd, qdd):
    return qdd


test_mistake_is_explained = explained(__file__)
