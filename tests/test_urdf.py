"""Robots from URDF files and to them: dynamics equal to Pinocchio's on the same file, shapes in the player."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from mistakes import Mistake, explained

from easydyn import (
    GeneralizedForce,
    Model,
    TorsionDamper,
    examples,
    ground,
    t,
    tdisp,
    transform,
    trot,
    trotx,
    trotz,
    visu,
)
from easydyn.errors import FileError, InputError, ModelError

ARM = Path(__file__).parent / "data" / "arm.urdf"
TOLERANCE = 1e-10
CUBE = SimpleNamespace(
    vertices=[[x, y, z] for x in (0, 100) for y in (0, 100) for z in (0, 100)],
    faces=[[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
           [1, 5, 7], [1, 7, 3]],
)  # fmt: skip


@pytest.fixture(scope="module")
def arm():
    return Model.from_urdf(ARM, meshes=False)


@pytest.fixture
def states(rng):
    return rng.uniform(-2, 2, (5, 3, 7))


def same(one, other, states):
    """The generalised forces of two models whose coordinates are the same."""
    a, b = one.compile(), other.compile()
    for q, qd, qdd in states:
        found, expected = a.residual(0, q, qd, qdd), b.residual(0, q, qd, qdd)
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


def with_pinocchio(path, names, states):
    """What Pinocchio makes of a file: generalised forces, in the order of these names."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    model = pin.buildModelFromUrdf(str(path))
    data = model.createData()
    order = [names.index(re.sub(r"\W", "_", name)) for name in model.names[1:]]
    assert sorted(order) == list(range(len(names)))
    for q, qd, qdd in states:
        theirs = []
        for joint, x in zip(model.joints[1:], q[order], strict=True):
            theirs += [np.cos(x), np.sin(x)] if joint.nq == 2 else [x]
        forces = np.empty(len(names))
        forces[order] = pin.rnea(model, data, np.array(theirs), qd[order], qdd[order])
        yield forces


# -- reading ----------------------------------------------------------------------------------------------------------


def test_the_arm_moves_as_pinocchio_says(arm, states):
    system = arm.compile()
    for (q, qd, qdd), theirs in zip(states, with_pinocchio(ARM, arm.names, states), strict=True):
        assert np.abs(system.residual(0, q, qd, qdd) - theirs).max() < TOLERANCE * np.abs(theirs).max()


def test_links_are_where_the_file_says(arm):
    """By the product of the file's numbers, written out here for the first two joints and the tool."""
    assert arm.names == ("A1", "A2", "A3", "A4", "A5", "A6", "flange_turn")
    q = np.array([0.3, -0.4, 0, 0, 0, 0, 0.7])
    frames = dict(zip((b.name for b in arm.bodies), arm.compile().frames(0, q), strict=True))
    first = tdisp(0, 0, 0.15) * trotz(0.3) * tdisp(0, 0, 0.1575) * trotz(0.3)
    second = first * tdisp(0, 0, 0.2025) * trotz(np.pi) * trotx(np.pi / 2) * trotz(-0.4)
    assert frames["link 1"] == pytest.approx(np.asarray(first, dtype=float), abs=1e-15)
    assert frames["link 2"] == pytest.approx(np.asarray(second, dtype=float), abs=1e-14)
    tip = np.linalg.inv(frames["flange"]) @ frames["tool tip"]
    assert tip[:3, 3] == pytest.approx([0, 0, 0.1]) and tip[0, 2] == pytest.approx(np.sin(0.5))
    assert arm["tool tip"].mass == 0 and [str(q) for q in arm["link 2"].coordinates] == ["A1", "A2"]


def test_a_robot_falls_and_keeps_its_energy(arm):
    run = arm.simulate(0.5, method="dop853", save_every=0.05)
    assert np.ptp(run.energy.balance) < 1e-5 * np.ptp(run.energy.kinetic) and arm.check() == []


GRIPPER = """<robot name="gripper"><link name="base"/>
  <link name="left"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <link name="right"><inertial><mass value="0.3"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"/></inertial></link>
  <joint name="2 open" type="prismatic"><parent link="base"/><child link="left"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5" friction="0.2"/></joint>
  <joint name="follow" type="prismatic"><parent link="base"/><child link="right"/><axis xyz="0 1 0"/>
    <mimic joint="2 open" multiplier="-2" offset="0.1"/></joint></robot>"""


def written(folder, text, name="robot.urdf"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_fingers_follow_each_other_and_joints_have_losses(tmp_path):
    """(0.2 + 4 0.3) qdd = -0.5 qd - 0.2: damping, and dry friction beyond its slip speed."""
    model = Model.from_urdf(written(tmp_path, GRIPPER), gravity=(0, 0, 0), name="hand")
    assert model.name == "hand" and model.names == ("q_2_open",)
    assert model.compile().accelerations(0, [0.1], [1]) == pytest.approx([-0.7 / 1.4], rel=1e-3)
    assert model.compile().frames(0, [0.3])[1][1, 3] == pytest.approx(0.1 - 2 * 0.3)


@pytest.mark.parametrize("factor", [1, -2])
def test_a_joint_that_follows_another_has_its_own_losses(tmp_path, factor):
    """Two fingers of 0.1 kg, 0.3 N s/m in each guide: (0.1 + 0.1 f^2) qdd = -(0.3 + 0.3 f^2) qd, q.dot = e^(-3 t)."""
    text = """<robot name="hand"><link name="base"/>"""
    for name, mimic in ("left", ""), ("right", f'<mimic joint="left" multiplier="{factor}"/>'):
        text += f"""<link name="{name}"><inertial><mass value="0.1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
            </link><joint name="{name}" type="prismatic"><parent link="base"/><child link="{name}"/>
            <dynamics damping="0.3" friction="FRICTION"/>{mimic}</joint>"""
    model = Model.from_urdf(written(tmp_path, text.replace("FRICTION", "0") + "</robot>"))
    run = model.simulate(1, method="dop853", tolerance=1e-12, initial={"left.dot": 1})
    assert abs(run["left.dot"][-1] / np.exp(-3) - 1) < 1e-11
    again = Model.from_urdf(model.to_urdf(tmp_path / "again.urdf"))
    assert again.compile().accelerations(0, [0], [1]) == pytest.approx([-3], rel=1e-14)
    rubbed = Model.from_urdf(written(tmp_path, text.replace("FRICTION", "0.2") + "</robot>"))
    loss = 0.3 * (1 + factor**2) + 0.2 * (1 + abs(factor))
    assert rubbed.compile().accelerations(0, [0], [1]) == pytest.approx([-loss / 0.1 / (1 + factor**2)], rel=1e-5)


# -- shapes and meshes ------------------------------------------------------------------------------------------------


def parts(model):
    return {(part.body, part.name): part for part in model.scene().parts}


def test_shapes_are_seen(arm):
    assert arm["base"].shape[0].sides == (0.2, 0.2, 0.1) and arm["base"].shape[0].colour == "#8c9199"
    assert arm["link 1"].shape[0].colour == "#e6801a" and arm["link 6"].shape[0].radius == 0.05
    assert {("base", "box"), ("link 1", "cylinder"), ("link 6", "sphere")} <= set(parts(arm))
    assert arm["link 2"].shape == ()


def test_a_mesh_comes_from_a_function_or_a_file(tmp_path):
    """In the player it is the cube of 100 mm, by the scale of the file."""
    asked = []
    model = Model.from_urdf(ARM, meshes=lambda name: asked.append(name) or CUBE)
    assert asked == ["package://test_arm/part.stl"]
    (shape,) = model["link 2"].shape
    assert shape.solid.volume == pytest.approx(0.1**3) and np.ptp(shape.solid.nodes) == pytest.approx(0.1)
    data = model.simulate(0.05, save_every=0.01).animate().data
    found = next(part for part in data["parts"] if part["name"] == "mesh")
    assert data["frames"][found["frame"]]["name"] == "link 2" and max(found["scale"]) == pytest.approx(0.1)
    corners = np.array(CUBE.vertices)[np.array(CUBE.faces)]
    text = "solid cube\n" + "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join("vertex {} {} {}\n".format(*x) for x in corner)
        + "endloop\nendfacet\n" for corner in corners
    )  # fmt: skip
    (tmp_path / "meshes").mkdir()
    written(tmp_path / "meshes", text + "endsolid\n", "part.stl")
    again = Model.from_urdf(ARM, meshes=tmp_path / "meshes")
    assert again["link 2"].shape[0].solid.volume == pytest.approx(0.1**3)
    beside = written(tmp_path, ARM.read_text(encoding="utf-8").replace("package://test_arm", "package://x/meshes"))
    assert len(Model.from_urdf(beside)["link 2"].shape) == 1


def test_any_object_with_vertices_and_faces_is_a_mesh():
    mesh = visu.Mesh(CUBE, scale=0.01)
    assert mesh.solid.volume == pytest.approx(1) and len(mesh.solid.edges) == 18
    quads = SimpleNamespace(vertices=CUBE.vertices, faces=np.array([[0, 1, 3, 2]]))
    assert len(visu.Mesh(quads).solid.triangles) == 2


# -- writing ----------------------------------------------------------------------------------------------------------


def test_what_is_written_is_read_as_the_same(arm, states, tmp_path):
    path = arm.to_urdf(tmp_path / "arm.urdf")
    again = Model.from_urdf(path)
    same(again, arm, states)
    assert [(b.name, len(b.shape)) for b in again.bodies] == [(b.name, len(b.shape)) for b in arm.bodies]
    for (q, qd, qdd), theirs in zip(states, with_pinocchio(path, arm.names, states), strict=True):
        assert np.abs(arm.compile().residual(0, q, qd, qdd) - theirs).max() < TOLERANCE * np.abs(theirs).max()


@pytest.mark.parametrize("name", ["double_pendulum", "falling_chain"])
def test_examples_are_written(name, tmp_path, rng):
    model = getattr(examples, name)()
    again = Model.from_urdf(model.to_urdf(tmp_path / "x.urdf"), gravity=tuple(map(float, model.gravity)))
    assert sorted(again.names) == sorted(model.names)
    order = [model.names.index(q) for q in again.names]
    x = rng.uniform(-1, 1, (3, len(order)))
    ours, theirs = (m.compile().residual(0, *y) for m, y in ((model, x), (again, x[:, order])))
    assert theirs == pytest.approx(ours[order], rel=1e-12, abs=1e-12)


def test_a_body_behind_two_joints_a_scaled_follower_and_a_damper(tmp_path, rng):
    """Turns without a body between them become links without mass; a coordinate that is used again is mimicked."""
    model = Model("odd")
    a, b = model.coordinates("a b")
    (l,) = model.parameters(l=0.7)
    T = trotz(0.2 - a) * tdisp(l, 0, 0.1) * trot((0.6, 0, 0.8), b) * tdisp(0, 0.3, 0)
    model.body("far", T, mass=2, inertia=(0.1, 0.2, 0.25, 0.01, 0, 0), com=(0, l / 2, 0), shape=visu.Cylinder(0.1, 1))
    model.body("beside", trotz(0.2 - a) * tdisp(-l, 0, 3 * b + 1), mass=1, inertia=(0, 0, 0.1))
    model.add(TorsionDamper(b, damping=l))
    path = model.to_urdf(tmp_path / "odd.urdf", parameters={"l": 0.9})
    again = Model.from_urdf(path, gravity=(0, 0, 0))
    q, qd, qdd = rng.uniform(-1, 1, (3, 2))
    expected = model.compile(parameters={"l": 0.9}).residual(0, q, qd, qdd)
    assert again.names == ("a", "b") and again.compile().residual(0, q, qd, qdd) == pytest.approx(expected, rel=1e-12)
    assert again["far"].shape[0].length == 1


# -- mistakes ---------------------------------------------------------------------------------------------------------

TREE = "URDF describes trees: leave a joint out, and close the loop by model.close after from_urdf"
NUMBERS = "Write numbers such as 0.5, with spaces between them"
LINKS = '<link name="a"/><link name="b"/>'


def read(w, text, **options):
    Model.from_urdf(written(w.folder, text), **options)


def joint(kind="continuous", inside="", parent="a", child="b", name="q"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def robot(*parts, links=LINKS):
    return f'<robot name="r">{links}{"".join(parts)}</robot>'


def inertial(inside):
    return robot(joint(), links=f'<link name="a"/><link name="b"><inertial>{inside}</inertial></link>')


def visual(inside):
    return robot(joint(), links=f'<link name="a"/><link name="b"><visual>{inside}</visual></link>')


def single(T, **options):
    """A model of one body and two coordinates."""
    model = Model("single")
    p, q = model.coordinates("p q")
    model.body("body", T(p, q), mass=1, inertia=(1, 1, 1), **options)
    return model, q


def failing(name):
    raise OSError("no such thing")


MISTAKES = [
    Mistake("robot that is not there", FileError, lambda w: Model.from_urdf(w.folder / "none.urdf"),
            "Expected a URDF file", r"cannot read '.*none.urdf': No such file"),
    Mistake("half a file", FileError, lambda w: read(w, '<robot name="r">\n<link name="a"/>\n'), "it is no XML",
            r"line 3: it is no XML \(no element found.* Mend that line; a file that ends too early"),
    Mistake("xacro that is no XML", FileError, lambda w: read(w, "<robot>\n<xacro:if a='<'/>"),
            "Expand the .xacro first", r"line 2: it is no XML \(.*xacro robot.xacro > robot.urdf"),
    Mistake("xacro", FileError, lambda w: read(w, robot("\n<xacro:arm x='1'/>")), "Expand the .xacro first",
            r"line 2, <xacro:arm>: it has macros, expected plain URDF"),
    Mistake("values of a xacro", FileError, lambda w: read(w, robot('\n<link name="${x}"/>')),
            "Expand the .xacro first", r"line 2, <link name='\$\{x\}'>: it has macros"),
    Mistake("encoding that nobody knows", FileError, lambda w: read(w, '<?xml version="1.0" encoding="none"?><robot/>'),
            "it is no XML", r"line 1: it is no XML \(unknown encoding"),
    Mistake("entities", FileError, lambda w: read(w, '<!DOCTYPE r [<!ENTITY x "y">]><robot/>'), "Take it out",
            r"line 1, <!DOCTYPE>: entities could follow, expected elements alone"),
    Mistake("huge file", FileError, lambda w: read(w, "<robot>" + 20_000_000 * " "), "is larger than",
            r"is larger than 20 MB: expected a URDF file, without meshes"),
    Mistake("sdf", FileError, lambda w: read(w, "<sdf/>"), "Give a URDF file",
            r"line 1, <sdf>: its root is <sdf>, expected a <robot>"),
    Mistake("robot of nothing", FileError, lambda w: read(w, "<robot/>"), "Give the file of a whole robot",
            r"<robot>: it has no <link>, expected one or more"),
    Mistake("two links of a name", FileError, lambda w: read(w, robot(links=2 * '\n<link name="a"/>')), "Rename it",
            r"line 3, <link name='a'>: another one has this name, expected one for each"),
    Mistake("link without a name", FileError, lambda w: read(w, robot("<link/>")), "Name it",
            r"line 1, <link>: it has no name, expected one"),
    Mistake("joint of no link", FileError, lambda w: read(w, robot(joint(child="c"))), "Correct <parent> and <child>",
            r"<joint name='q'>: it leads from 'a' to 'c', expected the names of two links"),
    Mistake("joint of one end", FileError, lambda w: read(w, robot('<joint name="q" type="fixed"/>')),
            "Correct <parent> and <child>", r"<joint name='q'>: it leads from None to None"),
    Mistake("closed loop", FileError, lambda w: read(w, robot(joint(), "\n", joint(name="p"))), TREE,
            r"line 2, <joint name='p'>: link 'b' is the child of joint 'q', too, expected a tree"),
    Mistake("two bases", FileError, lambda w: read(w, robot()), "Join both by a fixed joint",
            r"<link name='b'>: it is no child of a joint, and 'a' is none, expected one base"),
    Mistake("ring apart", FileError,
            lambda w: read(w, robot(joint(), joint(parent="b", child="a", name="p"), links=LINKS + '<link name="c"/>')),
            TREE, r"<joint name='q'>: it is in a loop that nothing joins to the base, expected a tree"),
    Mistake("ring alone", FileError, lambda w: read(w, robot(joint(), joint(parent="b", child="a", name="p"))),
            TREE, r"<joint name='q'>: it is in a loop that nothing joins to the base, expected a tree"),
    Mistake("joint of another type", FileError, lambda w: read(w, robot(joint("ball"))), "Choose the type",
            r"type 'ball', expected one of revolute, continuous, prismatic, fixed, floating, planar"),
    Mistake("axis of nothing", FileError, lambda w: read(w, robot(joint(inside='\n<axis xyz="0 0 0"/>'))),
            "Give 0 0 1", r"line 2, <axis>: the axis of joint 'q' is zero, expected a direction"),
    Mistake("axis of words", FileError, lambda w: read(w, robot(joint(inside='<axis xyz="x y z"/>'))),
            NUMBERS, r"<axis>: xyz of joint 'q' is 'x y z', expected 3 finite numbers"),
    Mistake("turn of four numbers", FileError, lambda w: read(w, robot(joint(inside='\n<origin rpy="0 0 0 1"/>'))),
            NUMBERS, r"line 2, <origin>: rpy of joint 'q' is '0 0 0 1', expected 3 finite numbers"),
    Mistake("number without an end", FileError, lambda w: read(w, robot(joint(inside='<origin xyz="1e999 0 0"/>'))),
            NUMBERS, r"xyz of joint 'q' is '1e999 0 0', expected 3 finite numbers"),
    Mistake("mimic of nobody", FileError, lambda w: read(w, robot(joint(inside='<mimic joint="p"/>'))),
            "Name the joint that leads", r"<mimic>: joint 'q' mimics 'p', expected another joint of one coordinate"),
    Mistake("mimic of itself", FileError, lambda w: read(w, robot(joint(inside='<mimic joint="q"/>'))),
            "Name the joint that leads", r"<mimic>: joint 'q' mimics 'q', expected another joint"),
    Mistake("floating joint that mimics", FileError,
            lambda w: read(w, robot(joint("floating", '<mimic joint="p"/>'), joint(child="c", name="p"),
                                    links=LINKS + '<link name="c"/>')),
            "Name the joint that leads", r"joint 'q' mimics 'p', expected another joint of one coordinate"),
    Mistake("damping that drives", FileError, lambda w: read(w, robot(joint(inside='<dynamics damping="-1"/>'))),
            "Correct the sign", r"<dynamics>: the damping of joint 'q' is -1, expected 0 or more"),
    Mistake("inertial without a mass", FileError, lambda w: read(w, inertial("")), "Add what is missing",
            r"<inertial>: that of link 'b' is not whole, expected a <mass> and an <inertia>"),
    Mistake("mass below zero", FileError, lambda w: read(w, inertial('<mass value="-1"/><inertia/>')), "Correct it",
            r"<mass>: the mass of link 'b' is -1.0, expected >= 0"),
    Mistake("inertia of nothing", FileError, lambda w: read(w, inertial('<mass value="1"/><inertia/>')), NUMBERS,
            r"<inertia>: ixx of link 'b' is '', expected 1 finite number"),
    Mistake("another base", InputError, lambda w: Model.from_urdf(ARM, base="free"), "expected \"fixed\" or",
            r"base='free': expected \"fixed\" or \"floating\""),
    Mistake("mesh of no size", InputError, lambda w: visu.Mesh(CUBE, scale=(1, 0, 1)), "the scale of a Mesh is",
            r"the scale of a Mesh is \(1, 0, 1\): expected one factor or three, none of them zero"),
    Mistake("vertices in the plane", InputError, lambda w: visu.Mesh(SimpleNamespace(vertices=[[0, 1]], faces=[])),
            "the vertices of a Mesh have shape", r"shape \(1, 2\): expected \(n, 3\), finite numbers"),
    Mistake("faces of two corners", InputError,
            lambda w: visu.Mesh(SimpleNamespace(vertices=CUBE.vertices, faces=[[0, 1]])),
            "the faces of a Mesh have shape", r"shape \(1, 2\): expected \(k, 3\), indices of its vertices"),
    Mistake("faces beyond the vertices", InputError,
            lambda w: visu.Mesh(SimpleNamespace(vertices=CUBE.vertices, faces=[[0, 1, 8]])),
            "the faces of a Mesh have indices", r"have indices from 0 to 8: expected 0 to 7, those of its vertices"),
    Mistake("effort that URDF has not", ModelError, lambda w: pushed().to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"'single' does not .* it has GeneralizedForce on q. Expected a tree"),
    Mistake("input that URDF has not", ModelError, lambda w: driven().to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"does not fit into a URDF file: it has input u"),
    Mistake("closed form that URDF has not", ModelError,
            lambda w: single(lambda p, q: tdisp(sympy.sin(p), q, 0))[0].to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"the transform of 'body' depends on sin\(p\)"),
    Mistake("two coordinates in a slide", ModelError,
            lambda w: single(lambda p, q: tdisp(p, q, 0))[0].to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"a displacement of 'body' depends on p, q"),
    Mistake("matrix that moves", ModelError,
            lambda w: single(lambda p, q: trotz(p) * transform(trotx(q).R))[0].to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"the transform of 'body' has a moving matrix"),
    Mistake("loop that URDF has not", ModelError, lambda w: looped().to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"does not fit into a URDF file: it has the loop over 'last-ground'\."),
    Mistake("gear that URDF has not", ModelError, lambda w: looped(geared=True).to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"does not fit into a URDF file: it has constraint 'mesh'\."),
    Mistake("gear", ModelError, lambda w: single(lambda p, q: trotz(2 * p) * trotx(q))[0].to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"'body' moves by 2 times p"),
    Mistake("driven frame", ModelError,
            lambda w: single(lambda p, q: trotz(p) * trotx(q + t))[0].to_urdf(w.folder / "x.urdf"),
            "does not fit into a URDF file", r"the transform of 'body' depends on q \+ t"),
    Mistake("another ending of a robot", FileError,
            lambda w: single(lambda p, q: trotz(p) * trotx(q))[0].to_urdf(w.folder / "x.txt"),
            "expected the name of a file that ends in", r"ends in .urdf or .xml"),
]  # fmt: skip
test_mistake_is_explained = explained(MISTAKES)


def pushed():
    model, q = single(lambda p, q: trotz(p) * trotx(q))
    model.add(GeneralizedForce(q, 1))
    return model


def looped(geared=False):
    """Two links that are joined to the ground at both ends, or by a gear."""
    model = Model("looped")
    p, q = model.coordinates("p q", initial=(0.5, -1))
    model.body("first", trotz(p), mass=1, inertia=(0, 0, 1))
    last = model.body("last", trotz(p) * tdisp(1, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    if geared:
        model.constraint(p - 2 * q, name="mesh")
    else:
        model.close((last, (1, 0, 0)), (ground, (1.5, 0, 0)), joint="distance", length=0.3)
    return model


def driven():
    model, _ = single(lambda p, q: trotz(p) * trotx(q))
    model.input("u")
    return model
