"""Solutions of exercises on forces, equations and relative motion, beside what easydyn finds."""

import runpy
from pathlib import Path

import numpy as np

from easydyn.visu.loads import freed

SOLUTIONS = Path(__file__).resolve().parent.parent / "exercises" / "solutions"


def test_forces_of_a_trolley_are_those_of_a_free_body():
    solution = runpy.run_path(str(SOLUTIONS / "26_forces_and_moments.py"))
    model = solution["model"]()
    state = {"q": 0.6, "q.dot": 2}
    xa, qa = model.compile(target="python").accelerations(0, [0, 0.6], [0, 2])
    scene = model.scene(initial=state)
    (pin,) = [x for x in freed(scene, "rod").loads if x.name == "trolley"]
    (rail,) = [x for x in freed(scene, "trolley").loads if x.name == "ground"]
    assert np.allclose(solution["pin"](0.6, 2, xa, qa), pin.f[:2], atol=1e-9)
    assert abs(solution["rail"](0.6, 2, xa, qa) - rail.f[1]) < 1e-9


def test_four_roads_lead_to_the_motion_of_a_disc_on_a_wedge():
    """Residual, mass matrix, momenta, energy; the cut by the free body of the disc."""
    solution = runpy.run_path(str(SOLUTIONS / "27_four_roads.py"))
    model = solution["model"](F=7)
    system = model.compile(target="python")
    q, qd, qdd = np.array([0.2, 0.4]), np.array([0.7, 1.1]), np.array([0.3, -0.8])
    assert np.allclose(solution["dalembert"](*qdd, 7), system.residual(0, q, qd, qdd), atol=1e-12)
    p = solution["momenta"](*qd)
    assert np.allclose(p, system.mass_matrix(0, q) @ qd, atol=1e-12)
    energy = solution["kinetic"](*qd) - 2 * 9.81 * 0.4 * np.sin(0.5)
    assert abs(solution["hamilton"](*p, 0.4) - energy) < 1e-12
    run = model.simulate(1e-6, step=1e-6, save_at=[0.0])
    force, _ = run.reaction("disc", "wedge")
    normal, down = np.array([np.sin(0.5), np.cos(0.5)]), np.array([np.cos(0.5), -np.sin(0.5)])
    assert np.allclose(solution["cut"](*run.qdd[0]), (force[0, :2] @ normal, force[0, :2] @ down), atol=1e-9)


def test_terms_of_relative_motion_are_the_acceleration_of_a_basket():
    """Added they are what easydyn differentiates; along the ladder the residual of the basket's distance."""
    solution = runpy.run_path(str(SOLUTIONS / "29_relative_motion.py"))
    model = solution["model"]()
    basket = next(body for body in model.bodies if body.name == "basket")
    q, qd, qdd = (0.3, 0.5, 4.0), (0.4, -0.3, 0.7), (0.1, 0.6, -0.2)
    now = {}
    for z, *values in zip(model.mechanism.coordinates, q, qd, qdd, strict=True):
        now |= dict(zip((z, z.dot, z.ddot), values, strict=True))

    def at(vector):
        return np.array([float(x.subs(now)) for x in vector])

    assert np.allclose(sum(solution["velocity"](q, qd)), at(basket.v), atol=1e-12)
    assert np.allclose(sum(solution["acceleration"](q, qd, qdd)), at(basket.a), atol=1e-12)
    residual = model.compile(target="python").residual(0, *map(np.array, (q, qd, qdd)))
    assert abs(solution["push"](q, qd, qdd) - residual[2]) < 1e-9
