"""Pictures of what bends: the line of a beam, its colours beside closed forms, what is left out, sketches, players."""

import math

import numpy as np
import pytest
from browser import Browser, program
from mistakes import explained

from easydyn import Force, Model, Spring, ground, tdisp, trotz, visu
from easydyn.flexible import Beam, Material, Section
from easydyn.visu import arrows, bent, motion, page, volumes

E, B, H, LENGTH, LOAD = 70e9, 0.03, 0.01, 1.2, 40.0
ALUMINIUM = Material(E=E, density=2700, nu=0.3, damping=1e-4)
RECTANGLE = Section.rectangle(B, H)
INERTIA = B * H**3 / 12


def cantilever(elements=2, section=RECTANGLE, spatial=False, load=LOAD, **options):
    model = Model("cantilever")
    beam = model.beam("ruler", length=LENGTH, section=section, material=ALUMINIUM, elements=elements, spatial=spatial,
                      **options)  # fmt: skip
    model.add(Force(beam.tip, (0, -load, 0)))
    return model, beam


def still(model, value, at=None):
    """Nodes (n, 3) and values (n,) of the first bent part of a model in a state, or in equilibrium, with its net."""
    scene = model.scene(initial=at or model.equilibrium().initial)
    frames, tips = page.at_rest(scene)
    bent.coloured(scene, frames, value)
    tips = motion.completed(scene, tips)
    k = next(k for k, part in enumerate(scene.parts) if part.kind == "surface")
    nodes, values = motion.surfaces(scene, frames, tips)[k]
    return scene.parts[k].net, nodes[0], values[0]


def tripod(**given):
    """Four masses and six bars: a model, and its body on three of them."""
    corners, K = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.zeros((4, 3, 4, 3))
    for i in range(4):
        for j in set(range(4)) - {i}:
            along = corners[j] - corners[i]
            k = np.outer(along, along) / (along @ along)
            K[i, :, i] += k
            K[i, :, j] -= k
    model = Model("tripod")
    given = {"nodes": corners, "M": np.eye(12), "K": K.reshape(12, 12), "clamped": [0, 1, 2], "modes": 2} | given
    return model, model.flexible_body("tripod", tdisp(1, 2, 3) * trotz(0.5), **given)


@pytest.fixture(scope="module")
def swinging():
    """A pendulum of two beams that bend, with a spring: its run, and its picture coloured by stress."""
    model = Model("two rods", gravity=(0, -9.81, 0))
    soft = Material(E=5e8, density=2000, damping=1e-3)
    upper = model.beam("upper", length=1, section=RECTANGLE, material=soft, elements=2, ends=("pinned", "free"))
    model.beam("lower", root=upper.tip.T, length=1, section=Section.circle(0.03, 0.02), material=soft, elements=2,
               ends=("pinned", "free"))  # fmt: skip
    model.add(Spring((upper.nodes[1], (0, 0, 0)), (ground, (0.5, 1, 0)), stiffness=5, free_length=1))
    run = model.simulate(0.5, save_every=0.02)
    return model, run, run.animate(every=0.02, colour="stress")


# -- beside closed forms ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spatial", [False, True])
def test_stress_is_that_of_bending(spatial):
    """M y/I in one or two elements, at every node of the net: F (L - x) (h/2)/I above, the opposite below (MPa)."""
    count = 1 if spatial else 2
    net, _, stress = still(cantilever(count, spatial=spatial, load=1.0)[0], "stress")
    s, y, _, _ = net.places.T
    x = (net.pieces + s) * LENGTH / count
    scale = net.places[:, 1].max() / (H / 2)
    expected = 1.0 * (LENGTH - x) * (y / scale) / INERTIA * 1e-6
    assert stress == pytest.approx(expected, abs=1e-5 * expected.max())
    assert stress[np.argmax(y - x)] > 0  # loaded downwards, it is pulled above


def test_stress_of_a_rod_that_is_pulled():
    model = Model("rod")
    beam = model.beam("rod", length=1, section=Section.circle(0.02, 0.01), material=ALUMINIUM, elements=1)
    model.add(Force(beam.tip, (1000, 0, 0)))
    _, _, stress = still(model, "stress")
    assert stress == pytest.approx(1000 / (math.pi / 4 * (0.02**2 - 0.01**2)) * 1e-6, rel=1e-4)


def test_curvature_of_a_circle():
    """Nodes on a half circle, with its tangents: 1/R everywhere, and the line lies on that circle."""
    R, turned = LENGTH / math.pi, np.pi * np.arange(1, 9) / 8
    places = zip(R * np.sin(turned), R * (1 - np.cos(turned)), turned, strict=True)
    at = {f"ruler_{c}{k}": x for k, place in enumerate(places, 1) for c, x in zip("xyq", place, strict=True)}
    net, nodes, curvature = still(cantilever(elements=8, load=0.0)[0], "curvature", at)
    assert curvature == pytest.approx(1 / R, rel=1e-9)
    middle = np.linalg.norm(nodes[:, :2] - (0, R), axis=1) + net.places[:, 1]  # inwards is y
    assert middle == pytest.approx(R, rel=2e-3)


def test_deflection_of_a_cantilever_and_of_a_beam_on_two_supports():
    """F x^2 (3 L - x)/(6 E I) of two elements, exactly between nodes too; F L^3/(48 E I) beside the chord (mm)."""
    net, _, deflection = still(cantilever(load=0.1)[0], "deflection")
    x = (net.pieces + net.places[:, 0]) * LENGTH / 2
    assert deflection == pytest.approx(1000 * 0.1 * x**2 * (3 * LENGTH - x) / (6 * E * INERTIA), abs=1e-6)
    model = Model("bridge")
    beam = model.beam("bridge", root=tdisp(0.3, 0.2, 0), length=LENGTH, section=RECTANGLE, material=ALUMINIUM,
                      elements=2, ends=("pinned", "roller"))  # fmt: skip
    model.add(Force(beam.nodes[1], (0, -1, 0)))
    _, _, deflection = still(model, "deflection")
    assert deflection.max() == pytest.approx(1000 * LENGTH**3 / (48 * E * INERTIA), rel=1e-4)


def test_the_line_is_that_of_the_frames_along_the_beam():
    """Each row of the net has its middle where `beam.at` has it, in space and along a curve."""
    curve = lambda s: (math.sin(1.2 * s), 1 - math.cos(1.2 * s), 0.3 * s * s)  # noqa: E731
    model = Model("hook")
    hook = model.beam("hook", curve=curve, spatial=True, section=RECTANGLE, material=ALUMINIUM, elements=2)
    scene = model.scene(initial={"hook_z1": 0.3, "hook_2_a": 0.2, "hook_2_b": -0.3, "hook_1_c": 0.4})
    ((nodes, _),) = motion.surfaces(scene, *page.at_rest(scene)).values()
    net = next(part.net for part in scene.parts if part.kind == "surface")
    at = np.round(24 * (net.pieces + net.places[:, 0])).astype(int)
    places = (0, 7, 24, 30, 48)  # of 48
    q, qd = scene.initial
    frames = motion.frames_at(scene.system, [hook.at(k / 48) for k in places], np.zeros(1), q[None], qd[None])[0]
    for k, T in zip(places, frames, strict=True):
        own = net.places[at == k][:, 1:3]
        assert nodes[0, at == k] == pytest.approx(T[:3, 3] + own @ T[:3, 1:3].T, abs=1e-9)


def test_sections_are_filled_and_have_their_area():
    corners = [(-0.01, -0.02), (0.01, -0.02), (0.01, 0.02), (0, 0.01), (-0.01, 0.02)]
    for section, area in (
        (Section.i_beam(0.055, 0.1, 0.0041, 0.0057), 2 * 0.055 * 0.0057 + 0.0041 * 0.0886),
        (Section.rectangle(0.02, 0.05), 0.001),
        (Section(1e-3, 1e-7, outline=corners), 0.02 * 0.04 - 0.02 * 0.01 / 2),
        (Section.circle(0.05, 0.03), 16 * math.sin(math.pi / 8) / 2 * (0.025**2 - 0.015**2)),
    ):
        points, faces = bent.outline_of(section, 0.2, {}).cap
        a, b, c = (points[faces[:, k]] for k in range(3))
        found = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
        assert (found >= 0).all() and found.sum() == pytest.approx(area)


def test_an_i_beam_has_the_moments_of_its_three_rectangles():
    b, h, s, t = 0.09, 0.2, 0.006, 0.01
    found, inner = Section.i_beam(b, h, s, t, shear=True), h - 2 * t
    Iz = s * inner**3 / 12 + 2 * (b * t**3 / 12 + b * t * ((h - t) / 2) ** 2)
    assert found.inertia == pytest.approx(Iz) and found.area == pytest.approx(2 * b * t + s * inner)
    assert found.inertia_y == pytest.approx(2 * t * b**3 / 12 + inner * s**3 / 12)
    assert found.shear_y == pytest.approx(h * s) and found.torsion < found.inertia_y


# -- a run ------------------------------------------------------------------------------------------------------------


def test_a_scale_has_zero_in_its_middle_or_at_its_end(swinging):
    _, run, animation = swinging
    scales = [part["legend"] for part in animation.data["parts"] if "legend" in part]
    assert [own["label"] for own in scales] == ["stress"] * 2 and scales[0]["unit"] == "MPa"
    low, high = scales[0]["limits"]
    assert low == -high < 0 and scales[0]["limits"] == scales[1]["limits"]
    curved = run.animate(every=0.1, colour="curvature").data["parts"]
    assert [part["legend"]["limits"][0] for part in curved if "legend" in part] == [0, 0]


def test_nodes_have_no_marks_no_names_and_only_ends_have_curves(swinging):
    _, _, animation = swinging
    scene = animation.scene
    assert not [part for part in scene.parts if part.kind == "centre"]
    assert [part.name for part in scene.parts if part.body[:5] in ("upper", "lower")] == [
        "joint upper_q0", "joint lower_q0", "spring"
    ]  # fmt: skip
    assert not any(frame["body"] for frame in animation.data["frames"])
    assert [curve["name"] for group in animation.data["plots"] for curve in group["curves"]][:3] == [
        "upper_q0", "upper_q2", "lower_q0"
    ]  # fmt: skip


def test_a_clamp_bears_weight_and_moment_and_nodes_have_no_arrows():
    """m g, and m g L/2 about it, of a beam that hangs still."""
    model = Model("shelf", gravity=(0, -9.81, 0))
    shelf = model.beam("shelf", length=LENGTH, section=RECTANGLE, material=ALUMINIUM, elements=2)
    model.add(Spring((shelf.nodes[1], (0, 0, 0)), (ground, (0, 1, 0)), stiffness=0, free_length=1))
    run = model.simulate(0.01, initial=model.equilibrium().initial)
    clamp = next(each for each in arrows._reactions(run, {"reactions"}, []) if each.name == "clamp of shelf")
    weight = 2700 * B * H * LENGTH * 9.81
    assert clamp.f[-1] == pytest.approx((0, weight, 0), abs=1e-5 * weight)
    drawn = {part.name for part in run.animate(every=0.01, arrows=True).scene.parts if part.layer}
    assert drawn == {"clamp of shelf", "weight of shelf"}
    assert clamp.m[-1, 2] == pytest.approx(weight * LENGTH / 2, rel=1e-3)


@pytest.mark.long
def test_a_second_run_bends_as_well_and_has_no_colours(swinging):
    model, run, _ = swinging
    other = model.simulate(0.5, save_every=0.02, initial={"lower_q0": 0.4, "lower_q1": 0.4, "lower_q2": 0.4})
    both = run.animate(every=0.1, colour="deflection", ghost=other)
    parts = {(part.name, part.ghost): k for k, part in enumerate(both.scene.parts) if part.kind == "surface"}
    nets = motion.surfaces(both.scene, both.frames, both.tips)
    alone = other.animate(every=0.1)
    first = next(iter(motion.surfaces(alone.scene, alone.frames, alone.tips).values()))[0]
    nodes, values = nets[parts["upper", True]]
    assert values is None and nodes == pytest.approx(first) and nets[parts["upper", False]][1] is not None


def test_modes_bend_and_have_colours():
    model, _ = cantilever(elements=3, load=0.0)
    shown = model.linearize().animate(2, colour="curvature")
    (nodes, values), *_ = motion.surfaces(shown.scene, shown.frames, shown.tips).values()
    assert np.ptp(nodes[:, -1, 1]) > 0.08 * LENGTH and values.max() > 10 * values[15].max()


def test_the_stress_of_a_mode_is_linear_in_it():
    """Twice the amplitude, twice the stress, however far it is drawn: what is pulled above is pressed below."""
    model, _ = cantilever(elements=2, load=0.0)
    lin, found = model.linearize(), []
    for amplitude in (0.1, 0.2):
        shown = lin.animate(1, colour="stress", amplitude=amplitude, scene=model.scene())
        ((_, values),) = motion.surfaces(shown.scene, shown.frames, shown.tips).values()
        found.append(values)
    assert found[1] == pytest.approx(2 * found[0], rel=1e-6, abs=1e-6 * found[1].max())
    assert found[0].max() == pytest.approx(-found[0].min(), rel=1e-6)


def test_bodies_from_matrices_move_their_nodes():
    """Each node of the picture is displaced by its shapes, and the colour is how far (mm)."""
    model, body = tripod(mesh=[(0, 1, 3), (1, 2, 3)])
    q = np.array([0.05, -0.02])
    scene = model.scene(initial=dict(zip(map(str, body.coordinates), q, strict=True)))
    frames, tips = page.at_rest(scene)
    bent.coloured(scene, frames, "deflection")
    ((nodes, values),) = motion.surfaces(scene, frames, motion.completed(scene, tips)).values()
    moved, c, s = body.shapes[:, :3] @ q, math.cos(0.5), math.sin(0.5)
    expected = (body.places + moved) @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + (1, 2, 3)
    assert nodes[0] == pytest.approx(expected[[0, 1, 3, 1, 2, 3]])
    assert values[0] == pytest.approx(1000 * np.linalg.norm(moved, axis=1)[[0, 1, 3, 1, 2, 3]])
    plain, _ = tripod()
    assert plain.mechanism.efforts[0].drawn.cells == ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


def test_files_have_rigid_pieces_or_the_nodes_of_the_surface(swinging, tmp_path):
    import json

    _, _, animation = swinging
    gltf = json.loads(animation.save(tmp_path / "rods.gltf").read_text())
    assert sum(node["name"] in ("upper", "lower") for node in gltf["nodes"]) == 6
    drawing = volumes.of_animation(animation)
    nodes = next(iter(motion.surfaces(animation.scene, animation.frames, animation.tips).values()))[0]
    n = nodes.shape[1]
    assert any(np.allclose(drawing.frames[:, k : k + n], nodes) for k in range(drawing.frames.shape[1] - n + 1))


def test_a_beam_between_frames_of_ones_own_is_drawn_between_them():
    model = Model("shaft")
    x, q = model.coordinates("x q", initial=(LENGTH, 0.1))
    disc = model.body("disc", tdisp(x, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 0.1))
    model.add(Beam(ground, disc, RECTANGLE, ALUMINIUM, length=LENGTH))
    scene = model.scene()
    assert [part.name for part in scene.parts if part.kind == "surface"] == ["beam"]
    assert any(part.kind == "centre" and part.body == "disc" for part in scene.parts)


# -- sketches ---------------------------------------------------------------------------------------------------------


def test_a_sketch_names_the_beam_and_its_length_not_its_nodes():
    model = Model("bracket", gravity=(0, -9.81, 0))
    (L,) = model.parameters(L=1)
    model.beam("shelf", length=L, section=RECTANGLE, material=ALUMINIUM, elements=4)
    ax = model.scene().sketch()
    assert sorted(text.get_text() for text in ax.texts if text.get_text()) == ["$L$", "$g$", "shelf"]
    hatched = [line for line in ax.lines if len(line.get_xdata()) == 2 and np.ptp(line.get_xdata()) < 1e-9]
    assert any(abs(line.get_xdata()[0]) < 1e-9 for line in hatched)  # the wall at its root


@pytest.mark.browser
@pytest.mark.skipif(program() is None, reason="no Chromium is installed")
@pytest.mark.parametrize("renderer", ["webgl", "canvas"])
def test_the_player_bends_beams_as_python_does(swinging, tmp_path, renderer):
    _, _, animation = swinging
    whole = visu.Page(animation.scene, animation.data | ({"renderer": "canvas"} if renderer == "canvas" else {}))
    with Browser(tmp_path) as browser:
        opened = browser.open(whole.save(tmp_path / "page.html"))
        player = "document.querySelector('.easydyn').easydyn"
        opened.run(f"{player}.pause(), {player}.go(15)")
        opened.settle()
        nets = motion.surfaces(animation.scene, animation.frames, animation.tips).values()
        for found, (nodes, _) in zip(opened.run(f"{player}.surfaces()"), nets, strict=True):
            assert np.array(found).reshape(-1, 3) == pytest.approx(nodes[15], abs=1e-4)
        before = opened.still()
        opened.run(f"{player}.go(25)")
        assert np.abs(opened.still() - before).max() > 0.2
        assert not opened.console


test_mistake_is_explained = explained(__file__)
