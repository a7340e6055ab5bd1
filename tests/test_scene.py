"""Scenes: joints read off the products, sizes that follow from inertia, shapes, meshes, what is said of mistakes."""

import itertools
import json
import math
import os
import pickle
import struct
import sys
from collections import Counter

import numpy as np
import pytest
import sympy
from mistakes import explained
from scipy.spatial.transform import Rotation as ScipyRotation
from together import together

from easydyn import (
    Damper,
    Model,
    PlaneSphere,
    RigidContact,
    Spring,
    System,
    Trajectory,
    Transform,
    examples,
    ground,
    integrate,
    t,
    tdisp,
    tquat,
    trotx,
    troty,
    trotz,
    visu,
)
from easydyn.errors import FileError, InputError, MissingDependencyError
from easydyn.lab import footage
from easydyn.visu import chains, colours, looks, motion, picture, raster, solids
from easydyn.visu.page import at_rest
from easydyn.visu.shapes import number


def part_of(scene, body, name):
    (found,) = (part for part in scene.parts if (part.body, part.name) == (body, name))
    return found


def pendulum(**options):
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.4)
    model.body("arm", trotz(q) * tdisp(0, -0.5, 0), mass=2, inertia=(0, 0, 2 / 12), **options)
    return model


# -- joints -----------------------------------------------------------------------------------------------------------


def test_bodies_share_the_joints_that_their_products_share():
    model = examples.spatial_robot()
    root = chains.chains(model.bodies)
    nodes = list(chains.walk(root))
    joints = [str(node.joint) for node in nodes[1:]]
    assert joints == ["trotz(turret)", "tdisp(0, 0, lift)", "troty(roll)", "tdisp(0, slide, 0)", "trotx(grip)"]
    assert [[body.name for body, _ in node.bodies] for node in nodes[1:]] == [[], ["base"], [], ["arm"], ["hand"]]
    assert str(nodes[5].offset) == "tdisp(0, L, 0)"  # slide + L is a joint, and a displacement on the arm


def test_sums_are_split_into_what_moves_and_what_does_not():
    model = Model("sums")
    x, q = model.coordinates("x q")
    (a,) = model.parameters(a=0.3)
    split = list(chains.split((tdisp(x + a, 2, 0) * trotz(q - a + 1)).factors))
    assert [str(f) for f in split] == ["tdisp(x, 0, 0)", "tdisp(a, 2, 0)", "trotz(q)", "trotz(1 - a)"]


def test_free_bodies_have_no_joints():
    model = Model("brick")
    x, y, z, a, b, c = model.coordinates("x y z a b c")
    model.body("brick", tdisp(x, y, z) * trotz(a) * troty(b) * trotx(c), mass=1, inertia=(1, 2, 2.5))
    assert {part.name for part in model.scene().parts} == {"body", "centre of mass"}


def test_three_turns_at_a_point_are_a_ball():
    model = Model("top", gravity=(0, 0, -9.81))
    a, b, c = model.coordinates("a b c", initial=(0, 0.4, 0))
    model.body("top", trotz(a) * trotx(b) * trotz(c) * tdisp(0, 0, 0.3), mass=1, inertia=(0.01, 0.01, 0.02))
    scene = model.scene()
    joints = [part for part in scene.parts if part.name.startswith("joint")]
    assert len(joints) == 1 and np.ptp(np.ptp(joints[0].solid.nodes, axis=0)) < 1e-12
    assert joints[0].solid.nodes.mean(axis=0) == pytest.approx([0, 0, -0.3])  # in axes of the body


@pytest.mark.parametrize("T", ["transform", "tquat", "matrix"])
def test_transforms_of_which_nothing_is_known_are_drawn(T):
    model = Model("raw", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=-0.7)
    c, s = sympy.cos(q), sympy.sin(q)
    given = {
        "transform": sympy.Matrix([[c, -s, 0, c], [s, c, 0, s], [0, 0, 1, 0], [0, 0, 0, 1]]),
        "tquat": tquat(sympy.cos(q / 2), 0, 0, sympy.sin(q / 2)) * tdisp(1, 0, 0),
        "matrix": [[c, -s, 0, c], [s, c, 0, s], [0, 0, 1, 0], [0, 0, 0, 1]],
    }[T]
    model.body("arm", given, mass=1, inertia=(0.1, 0.2, 0.25))
    scene = model.scene()
    assert part_of(scene, "arm", "body").solid.volume > 0


# -- sizes ------------------------------------------------------------------------------------------------------------


def ends_of_links(scene, body):
    """Points along the links of a body that are farthest from and nearest to its joint, without their round ends."""
    nodes = np.concatenate([p.solid.nodes for p in scene.parts if p.body == body and p.name == "link"])
    r = 0.016 * scene.size
    return nodes.min(axis=0) + r, nodes.max(axis=0) - r


def test_links_reach_from_joint_to_joint_and_as_far_as_the_rod_of_that_inertia():
    """The rods of the paper, 1.2 m and 1.1 m, their centres in the middle: the inertia tells where the last ends."""
    scene = examples.double_pendulum().scene()
    for body, length in (("upper arm", 1.2), ("lower arm", 1.1)):
        low, high = ends_of_links(scene, body)
        assert (low[1], high[1]) == pytest.approx((-length / 2, length / 2), abs=1e-9)


def test_the_loop_of_the_slider_crank_is_closed_by_what_is_drawn(reference):
    """The products do not say where crank and rod meet: the ends that follow from their inertias do, at all times."""
    run = examples.slider_crank().simulate(3)
    animation = run.animate()
    names = [frame.name for frame in animation.scene.frames[1:]]
    crank, rod = (animation.frames[:, names.index(name)] for name in ("crank", "rod"))
    tip = {name: ends_of_links(animation.scene, name) for name in ("crank", "rod")}
    on_crank = crank[:, :3, :3] @ [tip["crank"][1][0], 0, 0] + crank[:, :3, 3]
    on_rod = rod[:, :3, :3] @ [tip["rod"][0][0], 0, 0] + rod[:, :3, 3]
    assert np.abs(on_crank - on_rod).max() < 2e-4  # table II gives the inertias with four digits
    assert np.ptp(on_crank, axis=0)[0] > 0.5


@pytest.mark.parametrize("sides", [(1.0, 2.0, 3.0), (0.4, 0.4, 1.5), (2.0, 0.5, 0.5)])
def test_a_body_in_space_is_the_box_of_its_inertia(sides):
    m, (a, b, c) = 3.0, sides
    turn = ScipyRotation.from_euler("zyx", [0.3, -0.5, 0.2]).as_matrix()
    inertia = m / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    for R in (np.eye(3), turn):
        box = looks.box_of(R @ inertia @ R.T, m, size=10)
        assert sorted(np.linalg.norm(box.nodes[[1, 2, 4]] - box.nodes[0], axis=1)) == pytest.approx(sorted(sides))
        if len(set(sides)) == 3:  # of equal sides the axes are not determined
            corners = R.T @ (box.nodes - box.nodes.mean(axis=0)).T
            assert np.abs(corners).max(axis=1) == pytest.approx(np.array(sides) / 2)
        assert box.volume == pytest.approx(a * b * c)


def test_a_wheel_in_space_is_the_disc_of_its_inertia():
    m, r, w = 2.0, 0.3, 0.1
    axial, across = m * r * r / 2, m * (3 * r * r + w * w) / 12
    axis, radius, width = looks.disc_of(np.diag([across, axial, across]), m, size=2)
    assert np.abs(axis) == pytest.approx([0, 1, 0]) and (radius, width) == pytest.approx((r, w))
    assert looks.disc_of(np.diag([1.0, 1.0, 1.0]), m, size=2) is None
    assert looks.disc_of(np.diag([1.0, 1.2, 0.5]), m, size=2) is None


def test_a_wheel_in_a_plane_is_the_disc_of_its_inertia_with_a_mark():
    model = Model("wheel")
    (q,) = model.coordinates("q", initial=0.3)
    model.body("wheel", tdisp(1, 0, 0) * trotz(q), mass=2, inertia=(0, 0, 2 * 0.25**2 / 2))
    model.body("post", tdisp(-1, 0, 0), mass=0, inertia=(0, 0, 0))
    scene = model.scene()
    assert np.ptp(part_of(scene, "wheel", "body").solid.nodes, axis=0)[:2] == pytest.approx([0.5, 0.5])
    assert part_of(scene, "wheel", "mark").colour != part_of(scene, "wheel", "body").colour


def test_a_point_mass_is_a_ball_at_its_place():
    model = Model("bob", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=0.5)
    model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    scene = model.scene()
    assert part_of(scene, "bob", "body").solid.nodes.mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-12)
    low, high = ends_of_links(scene, "bob")
    assert (low[1], high[1]) == pytest.approx((0, 1))


def test_guides_are_as_long_as_the_travel():
    run = examples.slider_crank().simulate(6)
    guide = part_of(run.animate().scene, "ground", "guide q").solid.nodes[:, 0]
    x = run.of(run.source.mechanism.bodies[2].T.e[0])
    assert guide.min() < x.min() - 0.1 and guide.max() > x.max() + 0.1 and np.ptp(guide) < 2 * np.ptp(x)


def test_springs_dampers_and_contacts_are_drawn():
    model = Model("springs", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.1, -1))
    bob = model.body("bob", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(
        Spring((bob, (0.1, 0, 0)), (ground, (1, 0, 0)), stiffness=10, free_length=1),
        Damper((bob, (0.1, 0, 0)), (ground, (1, 0, 0)), damping=1),
        PlaneSphere(bob, (ground, (0, -3, 0)), radius=0.2, normal=(0, 1, 0), stiffness=1e4),
    )
    scene = model.scene()
    spring = part_of(scene, "bob", "spring")
    assert spring.kind == "between" and [e.frame for e in spring.ends] == ["bob", "ground"]
    assert [list(e.point) for e in spring.ends] == [[0.1, 0, 0], [1, 0, 0]]
    assert (spring.solid.nodes[:, 2].min(), spring.solid.nodes[:, 2].max()) == pytest.approx((0, 1), abs=0.02)
    assert np.ptp(part_of(scene, "bob", "contact").solid.nodes, axis=0)[2] == pytest.approx(0.4)
    (floor,) = (part for part in scene.parts if part.solid is not None and not part.solid.surfaces)
    assert (floor.body, floor.name) == ("ground", "ground")
    fixed = [p.solid.nodes.mean(axis=0) for p in scene.parts if p.name == "ground" and p is not floor]
    assert all(middle == pytest.approx([1, 0, 0]) for middle in fixed) and fixed
    assert floor.solid.nodes[:, 1] == pytest.approx(-3) and len(floor.lines) == len(floor.solid.edges) > 10


def test_lines_of_motion_are_found():
    """Along a line whatever the components, on a curve not."""
    model = Model("lines")
    q, p = model.coordinates("q p")
    (a,) = model.parameters(a=2)
    along = {
        tdisp(3 * q, -4 * q, 0): (3, -4, 0),
        tdisp(0, sympy.sin(q) + a, 0): (0, 1, 0),
        tdisp(a * (q + p), 0, q + p): (1, 0, 0.5),
        tdisp(q, sympy.cos(q), 0): None,
        tdisp(q, p, 0): None,
        tdisp(t, 2 * t, q): None,
    }
    for T, direction in along.items():
        (factor,) = [f for f in chains.split(T.factors) if any(map(chains.moves, f.e))]
        found = chains.Node(T, factor).direction
        assert (found is None) == (direction is None), T
        if direction is not None:
            numbers = np.array([float(sympy.sympify(c).subs({a: 2})) for c in found])
            assert np.cross(numbers, direction) == pytest.approx(0) and numbers.any()


def test_what_slides_has_no_arm_to_where_its_coordinate_is_zero():
    model = Model("quarter car", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y")
    hub = model.body("hub", tdisp(0, 0.3 + y, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(hub, (ground, (0, sympy.sin(t) / 10, 0)), stiffness=100, free_length=0.3))
    scene = model.scene()
    assert not [part for part in scene.parts if part.name == "link"]
    guide = part_of(scene, "ground", "guide y").solid.nodes
    assert guide[:, 1].min() < 0.3 < guide[:, 1].max()
    (end,) = [e for e in part_of(scene, "hub", "spring").ends if e.frame != "hub"]
    run = model.simulate(2)
    animation = run.animate()
    moving = animation.frames[:, animation.scene.index(end.frame) - 1, 1, 3]
    assert moving == pytest.approx(np.sin(animation.t) / 10)


@pytest.mark.parametrize("height", [1.0, 3.0])
def test_the_floor_is_where_gaps_close(height):
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=height)
    moment = 2 / 5 * 0.2**2
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(moment, moment, moment))
    model.add(RigidContact(y - 0.2, restitution=0.5, name="floor"))
    scene = model.scene()
    assert np.ptp(part_of(scene, "ball", "body").solid.nodes, axis=0)[2] == pytest.approx(0.4)
    (net,) = (part for part in scene.parts if part.solid is not None and not part.solid.surfaces)
    assert net.solid.nodes[:, 1] == pytest.approx(0, abs=1e-9)


def test_gravity_is_an_arrow_along_gravity():
    for g in ((0, -9.81, 0), (0, 0, -1.62), (3, 0, -4)):
        model = Model("falling", gravity=g)
        x, z = model.coordinates("x z")
        model.body("stone", tdisp(x, 0, z), mass=1, inertia=(0, 0, 0))
        scene = model.scene()
        nodes = next(p for p in scene.parts if p.name == "gravity" and p.solid is not None).solid.nodes
        along = np.array(g) / np.linalg.norm(g)
        tip = nodes[np.argmax(nodes @ along)]
        line = tip - nodes.mean(axis=0)
        assert line / np.linalg.norm(line) == pytest.approx(along)
        assert scene.view.up == pytest.approx(-along)


def test_sizes_scale_with_the_mechanism():
    """A mechanism a thousand times larger looks the same."""

    def scene(k):
        model = Model("pendulum", gravity=(0, -9.81, 0))
        (q,) = model.coordinates("q", initial=0.4)
        model.body("arm", trotz(q) * tdisp(0, -k, 0), mass=2, inertia=(0, 0, k * k / 2))
        return model.scene()

    small, large = scene(1.0), scene(1000.0)
    assert large.size == pytest.approx(1000 * small.size) and len(small.parts) == len(large.parts)
    for a, b in zip(small.parts, large.parts, strict=True):
        assert (a.name, a.body, a.colour) == (b.name, b.body, b.colour)
        if a.solid is not None:
            assert b.solid.nodes == pytest.approx(1000 * a.solid.nodes)


def test_parameters_change_the_picture():
    model = examples.double_pendulum()
    low, high = ends_of_links(model.scene(parameters={"l2": 2.2}), "lower arm")
    assert high[1] - low[1] == pytest.approx(2.2)


def test_a_model_without_bodies_is_a_diagram_of_its_coordinates():
    scene = examples.hydraulic_jack().scene()
    assert [frame.name for frame in scene.frames] == ["ground", "x", "p1", "p2"]
    assert part_of(scene, "x", "body").solid.volume > 0
    turning = Model("rotor")
    (q,) = turning.coordinates("q", unit="rad")
    turning.equation(q.ddot + q)
    assert part_of(turning.scene(), "q", "body").solid is not None


def test_far_travellers_are_followed():
    model = Model("sledge", gravity=(0, -9.81, 0))
    (x,) = model.coordinates("x", rates=20)
    model.body("sledge", tdisp(x, 0, 0), mass=1, inertia=(0.01, 0.01, 0.01))
    animation = model.simulate(10).animate()
    assert animation.scene.view.follow == "sledge"
    arrow = next(part for part in animation.scene.parts if part.name == "gravity")
    beside = animation.frames[:, animation.scene.index(arrow.body) - 1]  # it goes along, too, and does not turn
    assert beside[:, :3, 3] == pytest.approx(animation.frames[:, 0, :3, 3]) and (beside[:, :3, :3] == np.eye(3)).all()
    assert pendulum().simulate(1).animate().scene.view.follow is None


@pytest.mark.long
def test_plane_examples_are_seen_head_on():
    """Whatever moves in the plane has no depth on paper: a level rail is level, a rectangle a rectangle."""
    seen = 0
    for name in examples.MODELS:
        scene = getattr(examples, name)().scene()
        q, qd = (x[None] for x in scene.initial)
        bodies = scene.system.mechanism.bodies
        T = motion.frames_at(scene.system, [body.T for body in bodies], np.zeros(1), q, qd)[0]
        gravity = np.array([number(c, scene.values) for c in scene.system.mechanism.gravity])
        normal = looks.plane_of(bodies, list(T[:, None]), gravity) if bodies else np.array([0.0, 0.0, 1.0])
        if normal is None or abs(normal @ gravity) > 1e-9:  # in space; or along a line that slants in space
            continue
        seen += 1
        assert np.abs(np.cross(normal, scene.view.towards)).max() < 1e-12, name
        camera = raster.Camera(scene.view, np.zeros(3), 600, 400)
        right, up, _ = camera.axes
        box = scene.view.target + np.array([-right - up, right - up, right + up, up - right]) * scene.size / 4
        a, b, c, d = camera.project(box)[:, :2]
        assert abs(a[1] - b[1]) < 1e-9 and abs(c[1] - d[1]) < 1e-9 and abs(a[0] - d[0]) < 1e-9, name
    assert seen >= 15, seen
    robot = examples.spatial_robot().scene()
    assert robot.view.up == pytest.approx([0, 0, 1]) and 0 < robot.view.towards[2] < 0.6


@pytest.mark.parametrize("inertia", [(0.2, 0.2, 0.39), (0.2, 0.3, 0.25), (0.2, 0.2, 0.2)])
def test_a_body_in_space_keeps_its_size_when_something_hangs_on_it(inertia):
    sizes = []
    for hangs in (False, True):
        model = Model("craft")
        x, y, z, a, b, c = model.coordinates("x y z a b c")
        T = tdisp(x, y, z) * trotz(a) * trotx(b) * trotz(c)
        model.body("craft", T, mass=10, inertia=inertia)
        if hangs:
            (q,) = model.coordinates("q")
            small = (1e-5, 1e-5, 1e-5)
            model.body("sensor", T * tdisp(0.05, 0, 0) * trotx(q) * tdisp(0, -0.05, 0), mass=0.1, inertia=small)
        sizes.append(np.ptp(part_of(model.scene(), "craft", "body").solid.nodes, axis=0))
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-12) and sizes[0].max() > 0.4


def test_a_guide_does_not_go_into_the_floor():
    scene = examples.bouncing_ball().simulate(2).animate().scene
    guide, floor = (part_of(scene, "ground", name).solid.nodes[:, 1] for name in ("guide height", "ground"))
    assert floor == pytest.approx(0, abs=1e-9) and 0.049 < guide.min() < 0.06 and guide.max() > 1


# -- shapes -----------------------------------------------------------------------------------------------------------


def polygon(radius, sides):
    """Area of a regular polygon."""
    return sides / 2 * radius**2 * math.sin(2 * math.pi / sides)


N = solids.AROUND
SOLIDS = {
    "box": (visu.Box(0.2, 0.3, 0.5), 0.03),
    "cylinder": (visu.Cylinder(0.2, 0.5), polygon(0.2, N) * 0.5),
    "cone": (visu.Cone(0.2, 0.6), polygon(0.2, N) * 0.2),
    "frustum": (visu.Frustum(0.3, 0.1, 0.6), 0.2 * polygon(1, N) * (0.3**2 + 0.3 * 0.1 + 0.1**2)),
    "tube": (visu.Tube(0.3, 0.2, 0.4), 0.4 * (polygon(0.3, N) - polygon(0.2, N))),
}  # fmt: skip
SMOOTH = {
    "sphere": (visu.Sphere(0.3), 4 / 3 * math.pi * 0.3**3),
    "torus": (visu.Torus(0.5, 0.1), 2 * math.pi**2 * 0.5 * 0.1**2),
    "gear": (visu.Gear(0.2, 40, 0.1, bore=0.1), math.pi * (0.2**2 - 0.1**2) * 0.1),
}


@together("name", SOLIDS)
def test_volumes_of_flat_sided_shapes(name):
    shape, volume = SOLIDS[name]
    assert shape.solid.volume == pytest.approx(volume, rel=1e-12)


@pytest.mark.parametrize("name", SMOOTH)
def test_volumes_of_round_shapes(name):
    shape, volume = SMOOTH[name]
    assert shape.solid.volume == pytest.approx(volume, rel=0.06)


CLOSED = [shape.solid for shape, _ in (SOLIDS | SMOOTH).values()]
CLOSED += [visu.Tyre(0.3, 0.1).solid, looks.rod(np.zeros(3), np.array([1.0, 2, 2]), 0.1)]


@together("solid", CLOSED)
def test_surfaces_are_sound(solid):
    """Indices that exist, flat and convex polygons, and each side of a triangle shared with one that runs back."""
    assert solid.edges.min() >= 0 and solid.edges.max() < len(solid.nodes)
    assert (solid.edges[:, 0] != solid.edges[:, 1]).all()
    for surface in solid.surfaces:
        corners = solid.nodes[list(surface)]
        assert len(set(surface)) == len(surface) >= 3
        normals = np.cross(corners - np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0) - corners)
        assert (normals @ normals.sum(axis=0) > -1e-12).all()
    assert not unmatched_sides(solid)


def unmatched_sides(solid):
    sides = Counter((a, b) for s in solid.triangles.tolist() for a, b in zip(s, [*s[1:], s[0]], strict=True))
    return [side for side, count in sides.items() if sides[side[::-1]] != count]


def test_a_coil_is_open_at_its_ends_alone():
    coil = solids.coil(0.1, 0.02, 5)
    assert len(unmatched_sides(coil)) == 12 and coil.volume > 0
    assert (coil.nodes[:, 2].min(), coil.nodes[:, 2].max()) == (0, 1)


def test_shapes_are_placed_in_body_axes():
    box = visu.Box(1, 2, 3, at=tdisp(5, 0, 0) * trotz(math.pi / 2)).solid
    assert (box.nodes.min(axis=0), box.nodes.max(axis=0)) == (
        pytest.approx([4, -0.5, -1.5]),
        pytest.approx([6, 0.5, 1.5]),
    )


def test_a_declared_shape_takes_the_place_of_what_would_be_drawn():
    model = pendulum(shape=[visu.Box(0.1, 1, 0.1, colour="green", name="rod"), visu.Text("hello")])
    scene = model.scene()
    own = [part for part in scene.parts if part.body == "arm"]
    assert {part.name for part in own} == {"rod", "hello", "centre of mass", "joint q"}
    assert part_of(scene, "arm", "rod").colour == visu.COLOURS["green"]
    copy = pickle.loads(pickle.dumps(model))
    assert copy["arm"].shape[0].sides == (0.1, 1.0, 0.1) and len(copy.scene().parts) == len(scene.parts)


def test_frames_have_three_arrows_along_their_axes():
    parts = list(visu.Frame(2.0).solids())
    for axis, (solid, _) in enumerate(parts):
        tip = solid.nodes[np.argmax(np.linalg.norm(solid.nodes, axis=1))]
        assert tip == pytest.approx(2 * np.eye(3)[axis]) and solid.volume > 0
    assert [colour for _, colour in parts] == list(colours.AXES)


def test_scenes_are_added_to_and_animations_leave_them_alone():
    model = examples.double_pendulum()
    scene = model.scene()
    before = len(scene.parts)
    scene.add("lower arm", visu.Arrow(model["lower arm"].v, scale=0.1), visu.Path((0, -0.55, 0)))
    scene.add(ground, visu.SpringShape(ground, (model["lower arm"], (0, -0.55, 0)), radius=0.05, turns=4))
    assert len(scene.parts) == before + 3
    run = model.simulate(0.5)
    animation = run.animate(scene=scene, trace="upper arm", follow="lower arm")
    assert len(scene.parts) == before + 3 and len(animation.scene.parts) == before + 4
    assert scene.view.follow is None and animation.scene.view.follow == "lower arm"
    v = run.of(model["lower arm"].v)
    expected = np.stack([np.interp(animation.t, run.t, c) for c in v.T], axis=1)
    assert animation.tips[:, 0] == pytest.approx(expected)


def test_views_grow_with_the_motion_unless_their_size_was_asked_for():
    model = pendulum()
    run = model.simulate(3, initial={"q": 3.0})
    scene = model.scene()
    wide = run.animate(scene=scene).scene.view
    assert wide.size[1] > 1.3 * scene.view.size[1] and wide.target == pytest.approx(scene.view.target)
    scene.look(size=0.3, towards=(0, 0, 2))
    assert run.animate(scene=scene).scene.view.size == (0.3, 0.3)
    assert scene.view.towards == pytest.approx([0, 0, 1])


@together("up", [(0, 0, 1), (0, 1, 0), (1, 0, 0)])
@together("sign", [1, -1])
def test_who_looks_along_what_was_upwards_sees_something(up, sign):
    model = Model("rod", gravity=tuple(-9.81 * c for c in up))
    x, y = model.coordinates("x y")
    model.body("rod", tdisp(x + 0.3, y + 0.3, 0.3), mass=1, inertia=(0.1, 0.1, 0.1))  # along no axis
    scene = model.scene()
    assert scene.view.up == pytest.approx(up)
    scene.look(towards=sign * np.array(up))
    upright = np.cross(scene.view.up, scene.view.towards)
    assert np.linalg.norm(upright) == pytest.approx(1)
    image = picture.pixels(scene, *(each[0] for each in at_rest(scene)), 40, 30)
    assert (image < 255).any(axis=2).mean() > 0.02  # the body, and not paper alone
    scene.look(size=2)
    assert np.cross(scene.view.up, scene.view.towards) == pytest.approx(upright)


def test_colours_stay_apart_for_the_colour_blind():
    """Under protanopia and deuteranopia (matrices of Machado, Oliveira and Fernandes, 2009, severity 1)."""
    kinds = {
        "none": np.eye(3),
        "protanopia": [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        "deuteranopia": [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
    }  # fmt: skip
    rgb = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in colours.BODIES])
    for kind, matrix in kinds.items():
        seen = np.clip(np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92) @ np.array(matrix).T, 0, 1)
        seen = np.where(seen > 0.0031308, 1.055 * seen ** (1 / 2.4) - 0.055, 12.92 * seen)
        for (i, a), (j, b) in itertools.combinations(enumerate(seen), 2):
            assert np.abs(a - b).max() > 0.08, f"{kind}: {colours.BODIES[i]} and {colours.BODIES[j]}"


# -- motion -----------------------------------------------------------------------------------------------------------


def test_quaternions_are_those_of_scipy_and_never_jump():
    R = ScipyRotation.from_rotvec(np.outer(np.linspace(-9, 9, 400), [0.6, -0.64, 0.48])).as_matrix()
    e = motion.quaternions(R)
    expected = np.roll(ScipyRotation.from_matrix(R).as_quat(), 1, axis=1)
    assert np.abs(np.sum(e * expected, axis=1)) == pytest.approx(1)
    assert np.linalg.norm(np.diff(e, axis=0), axis=1).max() < 0.05
    half_turns = np.array([np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)])
    assert np.abs(motion.quaternions(half_turns[:, None])[:, 0]) == pytest.approx(np.eye(4)[[1, 2, 3, 0]])


def test_frames_of_an_animation_are_those_of_the_run():
    for model, T in ((examples.spatial_robot(), 1), (driven(), 1)):
        run = model.simulate(T, save_every=0.05, tolerance=1e-8)
        animation = run.animate(every=0.025)
        assert animation.t[::2] == pytest.approx(run.t)
        for k, body in enumerate(model.bodies):
            assert animation.frames[::2, k] == pytest.approx(run.frames(body), abs=1e-12)
        fine = model.simulate(T, save_every=0.025, tolerance=1e-8)
        for k, body in enumerate(model.bodies):
            assert animation.frames[:, k] == pytest.approx(fine.frames(body), abs=1e-4)


def driven():
    model = Model("driven", gravity=(0, 0, -9.81))
    (q,) = model.coordinates("q", initial=-0.3)
    model.body("arm", trotz(-2 * t) * tdisp(1, 0, 0) * trotx(q) * tdisp(0, 0, -0.4), mass=1, inertia=(0.1, 0.1, 0.02))
    return model


def test_states_between_saved_instants_are_cubic():
    run = integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=3, save_every=0.1, tolerance=1e-9)
    times = np.linspace(0, 3, 301)
    q, qd = motion.states_at(run, times)
    assert q[:, 0] == pytest.approx(np.cos(times), abs=1e-6) and qd[:, 0] == pytest.approx(-np.sin(times), abs=2e-3)


# -- meshes -----------------------------------------------------------------------------------------------------------

TEXT = """solid tetrahedron
{}
endsolid tetrahedron
"""
FACET = "facet normal 0 0 0\nouter loop\nvertex {}\nvertex {}\nvertex {}\nendloop\nendfacet"
POINTS = ["0 0 0", "1 0 0", "0 1 0", "0 0 1e0"]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]


def as_text():
    return TEXT.format("\n".join(FACET.format(*(POINTS[i] for i in face)) for face in FACES)).encode()


def as_binary():
    points = [tuple(map(float, p.split())) for p in POINTS]
    data = b"solid looks like text".ljust(80) + struct.pack("<I", len(FACES))
    return data + b"".join(struct.pack("<12fH", 0, 0, 0, *(x for i in f for x in points[i]), 0) for f in FACES)


@together("data", [as_text(), as_text().upper(), as_text().replace(b"\n", b"\r\n"), as_binary()])
def test_meshes_are_read_from_text_and_binary(data, tmp_path):
    path = tmp_path / "part.stl"
    path.write_bytes(data)
    mesh = visu.Mesh(path, scale=2).solid
    assert len(mesh.nodes) == 4 and len(mesh.edges) == 6 and mesh.volume == pytest.approx(8 / 6)


@together("cut", [10, 83, 84, 150, -1])
def test_broken_meshes_are_refused(cut, tmp_path):
    path = tmp_path / "part.stl"
    path.write_bytes(as_binary()[:cut])
    with pytest.raises(FileError, match="not STL|expected"):
        visu.Mesh(path)


# -- mistakes ---------------------------------------------------------------------------------------------------------


FAR = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1e200\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"


def mesh_of(folder, text):
    path = folder / "x.stl"
    path.write_text(text)
    return visu.Mesh(path)


def without_assembly():
    model = Model("loop")
    (q,) = model.coordinates("q", initial=2)
    model.body("rod", trotz(sympy.asin(q)) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 1))
    return model.scene()


def only_states():
    model = Model("filter")
    (p,) = model.states("p")
    model.equation(p.dot + p)
    return model.scene()


def run():
    return pendulum().simulate(0.1)


def other_scene():
    return examples.double_pendulum().scene()


def unloaded(folder):
    return Trajectory.load(run().save(folder / "run.npz"))


def by_hand():
    def compute_motion(t, q, qd, qdd, bodies):
        bodies[0].T = tdisp(q[0], 0, 0)
        bodies[0].vG, bodies[0].aG = (qd[0], 0, 0), (qdd[0], 0, 0)

    system = System("block", compute_motion, coordinates="x")
    system.body("block", mass=1, inertia=(0, 0, 0))
    return system.simulate(0.1)


def without_ipywidgets():
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "ipywidgets", None)
        pendulum().explore(backend="ipywidgets")


@pytest.fixture(scope="module")
def bench():
    """None: each mistake has an empty folder."""


test_mistake_is_explained = explained(__file__)


def test_a_wrong_shape_leaves_the_model_as_it_was():
    model = Model("pendulum")
    (q,) = model.coordinates("q")
    with pytest.raises(InputError):
        model.body("arm", trotz(q), mass=1, inertia=(0, 0, 1), shape="box")
    assert model.bodies == ()


# -- films ------------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_film_by_matplotlib(tmp_path):
    from matplotlib.animation import FuncAnimation
    from PIL import Image

    trajectory = pendulum().simulate(1)
    film = trajectory.animate(backend="matplotlib", every=0.25)
    assert isinstance(film, FuncAnimation)
    film._draw_was_started = True  # it is not shown here, and would complain
    path = trajectory.animate(every=0.25, trace=["arm"]).save(tmp_path / "run.gif")
    pictures = []
    with Image.open(path) as picture:
        for k in range(picture.n_frames):
            picture.seek(k)
            pictures.append(np.asarray(picture.convert("RGB"), dtype=float))
    assert len(pictures) == 5 and np.abs(pictures[2] - pictures[0]).max() > 100
    blue = np.abs(pictures[0] - [0, 114, 178]).sum(axis=-1) < 60
    assert blue.sum() > 100


def test_a_film_without_ffmpeg_is_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(footage, "ffmpeg", lambda: None)
    with pytest.raises(MissingDependencyError, match="the program ffmpeg, which is not there.*an .html, or a .gif"):
        run().animate().save(tmp_path / "run.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("package", [False, True])
def test_a_film_is_handed_to_ffmpeg(tmp_path, monkeypatch, package):
    """Frame by frame, at the speed of the run: here to a program that keeps what it is given.

    It is on the path, or that of the package imageio-ffmpeg.
    """
    program, script = tmp_path / "ffmpeg", tmp_path / "ffmpeg.py"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
    script.write_text(
        "import json, sys\nif sys.argv[-1] == '-encoders': sys.exit()\ndata = sys.stdin.buffer.read()\n"
        "open(sys.argv[-1], 'wb').write(json.dumps(sys.argv[1:]).encode() + b'\\n' + data)\n"
    )
    program.chmod(0o755)
    if package:
        other = type(sys)("imageio_ffmpeg")
        other.get_ffmpeg_exe = lambda: str(program)
        monkeypatch.setitem(sys.modules, "imageio_ffmpeg", other)
        monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    else:
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    animation = pendulum().simulate(1).animate(every=0.25, speed=0.5)
    path = animation.save(tmp_path / "run.mp4")
    words, data = path.read_bytes().split(b"\n", 1)
    words = json.loads(words)
    width, height = map(int, words[words.index("-s") + 1].split("x"))
    pictures = np.frombuffer(data, dtype=np.uint8).reshape(-1, height, width, 3).astype(int)
    assert len(pictures) == 5 and float(words[words.index("-r") + 1]) == pytest.approx(2)
    shown = [(np.abs(picture - [0, 94, 147]).sum(axis=-1) < 90).mean() for picture in pictures]
    assert min(shown) > 1e-3 and np.abs(pictures[2] - pictures[0]).max() > 100


def test_sliders_of_ipywidgets_move_the_picture():
    pytest.importorskip("ipywidgets", reason="ipywidgets is not installed")
    model = Model("loop")
    x, y = model.coordinates("x y", initial=(0.5, 0))
    model.body("rod", trotz(sympy.asin(x)) * tdisp(1, y, 0), mass=1, inertia=(0, 0, 1 / 3))
    explorer = model.explore(limits={"x": (-2, 2)}, backend="ipywidgets")
    assert list(explorer.sliders) == ["x", "y"] and explorer.values == {"x": 0.5, "y": 0.0}
    before = bytes(explorer.picture.value)
    explorer.sliders["x"].value = -0.4
    after = bytes(explorer.picture.value)
    assert after != before and after.startswith(b"\x89PNG") and explorer.message.value == ""
    assert explorer.values["x"] == -0.4 and model.initial(explorer.values)[0][0] == -0.4
    explorer.sliders["x"].value = 1.5
    assert bytes(explorer.picture.value) == after and "cannot be assembled" in explorer.message.value
    explorer.sliders["x"].value = 0.5
    assert bytes(explorer.picture.value) == before and explorer.message.value == ""
    assert "application/vnd.jupyter.widget-view+json" in explorer._repr_mimebundle_()


def test_identity_products_are_fine():
    model = Model("block")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("post", Transform(), mass=0, inertia=(0, 0, 0))
    assert {frame.name for frame in model.scene().frames} == {"ground", "block", "post"}
