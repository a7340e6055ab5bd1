"""Lines, triangles, frames of formulas, bodies left out of the picture; masses of closed meshes."""

import numpy as np
import pytest
from mistakes import explained

from easydyn import Model, tdisp, trotx, trotz, visu


def test_a_closed_mesh_has_the_mass_of_what_it_encloses():
    """Beside closed forms of a box, wherever it lies, and of the prism that a fine sphere nearly is."""
    at = tdisp(3, -2, 1) * trotz(0.4) * trotx(1.1)
    box = visu.Box(0.2, 0.5, 0.9)
    for scale in (1, (-1, 1, 1)):  # mirrored, too
        mesh, exact = visu.Mesh(box.solid, scale=scale, at=at).volume, visu.Box(0.2, 0.5, 0.9, at=at).volume
        assert mesh.size == pytest.approx(exact.size, rel=1e-12)
        np.testing.assert_allclose(mesh.centre, exact.centre, atol=1e-12)
        np.testing.assert_allclose(mesh.J, exact.J, atol=1e-12)
    inverted = visu.Solid(box.solid.nodes, box.solid.edges, tuple(s[::-1] for s in box.solid.surfaces))
    np.testing.assert_allclose(visu.Mesh(inverted).volume.J, box.volume.J, atol=1e-12)
    far = visu.Mesh(visu.Solid(box.solid.nodes + 1e4, box.solid.edges, box.solid.surfaces)).volume
    np.testing.assert_allclose(far.J, box.volume.J, atol=1e-12)
    ball, errors = visu.Sphere(0.7).volume, []
    for sides in (40, 80):
        found = visu.Mesh(visu.solids.sphere(0.7, sides)).volume
        errors.append(np.array([found.size / ball.size, *found.J.diagonal() / ball.J[0, 0]]) - 1)
    extrapolated = errors[1] + (errors[1] - errors[0]) / 3  # the error falls with the square of the number
    assert abs(errors[1]).max() < 0.01 and abs(extrapolated).max() < 1e-4
    body = Model("block").body("block", tdisp(0, 0, 0), density=1000, shape=visu.Mesh(box.solid))
    assert body.mass == pytest.approx(90) and body.inertia[0, 0] == pytest.approx(90 / 12 * (0.25 + 0.81))


def test_lines_triangles_and_labels_are_where_their_points_are():
    line = visu.Line((0, 0, 0), (1, 0, 0), (1, 2, -1), width=0.02, at=tdisp(0, 0, 5))
    nodes = line.solid.nodes - (0, 0, 5)
    first, second = nodes[: len(nodes) // 2], nodes[len(nodes) // 2 :]
    assert np.linalg.norm(first[:, 1:], axis=1).max() == pytest.approx(0.01)
    along = (second - (1, 0, 0)) @ (np.array((0, 2, -1)) / 5**0.5)
    assert sorted({*along.round(12)}) == pytest.approx([0, 5**0.5])
    triangle = visu.Triangle((0, 0, 0), (2, 0, 0), (0, 3, 0)).solid
    assert triangle.surfaces == ((0, 1, 2), (0, 2, 1)) and triangle.volume == 0
    model = Model("hand")
    a = model.coordinate("a", initial=0.5)
    axes = visu.Frame(0.5, labels=("u", "v", "w"))
    model.body("arm", trotz(a) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 1), shape=axes)
    scene = model.scene()
    texts = {part.text: part.point for part in scene.parts if part.kind == "text" and part.body == "arm"}
    assert texts.keys() == {"u", "v", "w"} and texts["v"] == pytest.approx((0, 0.56, 0))


def test_shapes_stand_on_frames_of_formulas_and_bodies_are_left_out(tmp_path):
    model = Model("hand")
    a, s = model.coordinates("a s", initial=(0.5, 0.2), rates=(1, 1))
    arm = model.body("arm", trotz(a) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 1))
    model.body("slider", trotz(a) * tdisp(s, 0, 0), mass=1, inertia=(0, 0, 0))
    scene, T = model.scene(), arm.T * tdisp(0, s, 0)
    scene.add(T, visu.Triangle((0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), name="flag"))
    scene.add(T, visu.Line((0, 0, 0), (0, 0.3, 0), name="pole"))
    flag, pole = (next(p for p in scene.parts if p.name == name) for name in ("flag", "pole"))
    assert flag.body == pole.body and len([f for f in scene.frames if f.T == T]) == 1
    run = model.simulate(0.2, save_every=0.1, target="python")
    where = visu.motion.frames_at(scene.system, [T], run.t, run.q, run.qd)[:, 0]
    np.testing.assert_allclose(where[:, :3, 3], run.of(T.e), atol=1e-12)
    before = len(scene.parts)
    scene.hide("slider")
    assert len(scene.parts) < before and all(part.body != "slider" for part in scene.parts)
    assert run.animate(scene=scene).save(tmp_path / "hand.html").exists()


test_mistake_is_explained = explained(__file__)
