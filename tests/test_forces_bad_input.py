"""Mistakes with force elements, and what is said of them; in the manner of test_bad_input.py."""

import pickle

from mistakes import explained
from test_bad_input import hand  # noqa: F401  in mistakes.txt

from easydyn import (
    Bushing,
    Damper,
    Model,
    Spring,
    Trajectory,
    ground,
    t,
    tdisp,
)
from easydyn.mechanics.symbols import Input  # noqa: F401  in mistakes.txt

NOTHING = {"stiffness": 0, "rotational_stiffness": 0, "damping": 0, "rotational_damping": 0}


def spring(w, law=None, **options):
    return Spring(w.upper, ground, law=law, free_length=1, **options)


def bushing(w, frame=None, **options):
    return Bushing(ground, w.upper if frame is None else frame, **(NOTHING | options))


def of_another_model(w):
    """A run read with a model that has one damper more."""
    models = []
    for count in (1, 2):
        model = Model("cart")
        (x,) = model.coordinates("x")
        cart = model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
        model.add(*(Damper(cart, (ground, (5, 0, 0)), damping=1) for _ in range(count)))
        models.append(model)
    path = models[0].simulate(0.1).save(w.folder / "cart.npz")
    return Trajectory.load(path, model=models[1]).work(models[1].mechanism.efforts[0])


def of_a_pickled_run(w):
    model = Model("cart")
    (x,) = model.coordinates("x")
    damper = Damper(model.body("cart", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0)), (ground, (5, 0, 0)), damping=1)
    model.add(damper)
    run, own = pickle.loads(pickle.dumps((model.simulate(0.1, initial={"x.dot": 1}), damper)))
    assert run.work(own)[-1] < 0
    return run.work(damper)


def work_of_a_drive():
    model = Model("cart")
    x, y = model.coordinates("x y")
    cart = model.body("cart", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    drive = model.constraint(x - t, name="drive")
    model.add(Damper(cart, (ground, (5, 0, 0)), damping=1))
    return model.simulate(0.1, constraints="multipliers").work(drive)


test_mistake_is_explained = explained(__file__)
