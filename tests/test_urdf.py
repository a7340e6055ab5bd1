"""Robots from URDF files and to them: dynamics equal to Pinocchio's on the same file, shapes in the player."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from mistakes import explained
from together import together

from easydyn import (
    GeneralizedForce,
    JointFriction,
    Model,
    Spring,
    TorsionDamper,
    examples,
    ground,
    tdisp,
    trot,
    trotx,
    trotz,
    visu,
)
from easydyn.constraints import Gear
from easydyn.mechanics.attitude import spin_of

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


LINKS = '<link name="a"/><link name="b"/>'


def joint(kind="continuous", inside="", parent="a", child="b", name="q"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def robot(*parts, links=LINKS):
    return f'<robot name="r">{links}{"".join(parts)}</robot>'


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


# -- odd files --------------------------------------------------------------------------------------------------------

HEAVY = (
    '<inertial><origin xyz="0.1 0.02 -0.03" rpy="0.1 0.2 0.3"/><mass value="2"/>'
    '<inertia ixx="0.1" iyy="0.12" izz="0.15" ixy="0.01" iyz="0.02" ixz="-0.01"/></inertial>'
)
PLACE = '<origin xyz="0.3 0.1 -0.2" rpy="0.4 -0.2 0.7"/><limit lower="-1" upper="2" effort="3" velocity="4"/>'


def chain(*joints, names="abcdef"):
    """A robot of heavy links one behind the other, joined by (name, type, what is in it)."""
    text = f'<robot name="r"><link name="base">{HEAVY}</link>'
    for (name, kind, inside), child, parent in zip(joints, names, ("base", *names), strict=False):
        text += f'<link name="{child}">{HEAVY}</link>' + joint(kind, PLACE + inside, parent, child, name)
    return text + "</robot>"


def accelerations_of(path, model, root, q, qd):
    """What Pinocchio makes of a state, and its frames; the coordinates of `root`, if any, are a free motion."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheels for Windows")
    free = [pin.JointModelFreeFlyer()] if root == "base" else []
    theirs = pin.buildModelFromUrdf(str(path), *free)
    data, x, v = theirs.createData(), [], []
    frames = dict(zip((b.name for b in model.bodies), model.compile().frames(0, q), strict=True))
    for name, one in model.joints.items():
        k = [model.names.index(str(c)) for c in one.coordinates]
        if one.type == "floating":
            T = np.linalg.inv(np.asarray(one.before, dtype=float)) @ frames[one.child]
            x += [*T[:3, 3], *pin.Quaternion(T[:3, :3]).coeffs()]
            v += [*(T[:3, :3].T @ qd[k[:3]]), *spin_of(q[k[3:]], qd[k[3:]])]
        elif one.type == "planar":
            c, s = np.cos(q[k[2]]), np.sin(q[k[2]])
            x += [*q[k[:2]], c, s]
            v += [*(np.array([[c, s], [-s, c]]) @ qd[k[:2]]), qd[k[2]]]
        elif one.type != "fixed":
            assert theirs.existJointName(name)
            x += [np.cos(q[k[0]]), np.sin(q[k[0]])] if one.type == "continuous" else [q[k[0]]]
            v += [qd[k[0]]]
    found = pin.aba(theirs, data, np.array(x), np.array(v), np.zeros(len(v)))
    pin.framesForwardKinematics(theirs, data, np.array(x))
    places = {name: data.oMf[theirs.getFrameId(name)].homogeneous for name in frames}
    return found, frames, places


@pytest.mark.parametrize("kind", ["free base", "floating", "planar"])
def test_joints_of_several_coordinates_move_as_pinocchio_says(kind, tmp_path, rng):
    """Frames, and the accelerations of the joints behind it; its own are of other coordinates there."""
    free = [("wrist z", "planar" if kind == "planar" else "floating", '<axis xyz="0 0 1"/>')] * (kind != "free base")
    rest = ("q", "continuous", '<axis xyz="0 1 2"/>'), ("s", "prismatic", '<axis xyz="0 0.6 -0.8"/>')
    path = written(tmp_path, chain(*free, *rest))
    model = Model.from_urdf(path, base="floating" if kind == "free base" else "fixed")
    name = "base" if kind == "free base" else "wrist_z"
    own = [f"{name}_{x}" for x in ("xya" if kind == "planar" else "xyzabc")]
    assert model.names == (*own, "q", "s") and model.notes == ()
    q, qd = rng.uniform(-0.7, 0.7, (2, len(model.names)))
    theirs, frames, places = accelerations_of(path, model, name, q, qd)
    assert max(np.abs(frames[x] - places[x]).max() for x in frames) < 1e-14
    assert np.abs(model.compile().accelerations(0, q, qd)[-2:] - theirs[-2:]).max() < 1e-12 * np.abs(theirs).max()
    if kind == "planar":  # it is written as joints of one coordinate each
        again = Model.from_urdf(model.to_urdf(tmp_path / "again.urdf"))
        found, expected = (x.compile().accelerations(0, q, qd) for x in (again, model))
        assert again.names == model.names and np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.long
def test_a_free_base_is_a_free_body(tmp_path):
    """It tumbles as one does, through attitudes that three angles alone would not pass, with a child that turns."""
    spin = {"base_a.dot": 1.0, "base_b.dot": 4.0, "q.dot": 3.0}
    path = written(tmp_path, chain(("q", "continuous", '<axis xyz="0 1 0"/>')))
    robot = Model.from_urdf(path, base="floating", gravity=(0, 0, 0))
    plain = Model("plain", gravity=(0, 0, 0))
    base = robot["base"]
    free = plain.free_body("base", mass=base.mass, inertia=base.inertia, com=base.com)
    q = plain.coordinate("q")
    child = Model.from_urdf(path)["a"]
    assert q == robot.symbols["q"]
    plain.body("a", free.T * child.T, mass=child.mass, inertia=child.inertia, com=child.com)
    one, other = (m.simulate(2, method="dop853", tolerance=1e-10, save_every=0.1, initial=spin) for m in (robot, plain))
    for name in ("base", "a"):
        assert np.abs(one.frames(name) - other.frames(name)).max() < 1e-8
    assert np.ptp(one.energy.total) < 1e-8 * one.energy.total[0]
    assert "base" in robot.joints and robot.joints["base"].parent == "ground"
    again = Model.from_urdf(robot.to_urdf(tmp_path / "again.urdf"), gravity=(0, 0, 0))
    assert again.names == robot.names and again.notes == () and again.joints["base"].type == "floating"
    x = np.linspace(-0.6, 0.7, 14).reshape(2, 7)
    assert again.compile().accelerations(0, *x) == pytest.approx(robot.compile().accelerations(0, *x), rel=1e-11)


def test_joints_are_told(arm, tmp_path):
    """Limits of a chain of joints that mimic hold for the coordinate of the first: here -1 <= -2 (0.5 q + 0.1) <= 2."""
    first = arm.joints["A1"]
    assert first.coordinates == (arm.symbols["A1"],) and first.limits == (-2.97, 2.97) and first.type == "revolute"
    assert (first.effort, first.velocity, first.parent, first.child) == (300, 10, "base", "link 1")
    assert first.after == arm["link 1"].T and arm.joints["A4"].limits is None and arm.joints["tool"].coordinates == ()
    text = chain(
        ("p", "prismatic", '<mimic joint="m" multiplier="-2"/>'),
        ("q", "continuous", ""), ("m", "continuous", '<mimic joint="q" multiplier="0.5" offset="0.1"/>'),
    )  # fmt: skip
    model = Model.from_urdf(written(tmp_path, text))
    assert model.names == ("q",) and [j.coordinates for j in model.joints.values()] == 3 * [(model.symbols["q"],)]
    assert (model.joints["p"].factor, model.joints["p"].offset) == (-1, -0.2)
    assert all(one.limits == pytest.approx((-2.2, 0.8)) for one in model.joints.values())
    again = Model.from_urdf(model.to_urdf(tmp_path / "again.urdf"))
    assert again.joints["q"].limits == pytest.approx((-2.2, 0.8)) and again.joints["q"].effort == 3
    x = np.array([[0.3], [0.7]])
    assert again.compile().accelerations(0, *x) == pytest.approx(model.compile().accelerations(0, *x), rel=1e-12)
    assert Model("of one's own").joints == {}


def test_links_without_inertia_and_robots_without_joints(tmp_path):
    """They are read; what cannot move is a finding."""
    light = noted(tmp_path, robot(joint()))
    assert light.check()[0].startswith("coordinate q moves no mass and no inertia") and light["b"].mass == 0
    alone = noted(tmp_path, robot("<sensor/>", links='<link name="a"/>'), "<sensor>")
    assert alone.names == () and alone.check()[0] == alone.notes[0] and "has no coordinates" in alone.check()[1]


def test_names_that_no_symbol_has(tmp_path):
    joints = [(name, "continuous", "") for name in ("肘", "Gelenk ü", "2", "a.b", "a b", "t")]
    model = Model.from_urdf(written(tmp_path, chain(*joints)))
    assert model.names == ("肘", "Gelenk_ü", "q_2", "a_b", "a_b_", "q_t") and list(model.joints)[1] == "Gelenk ü"


BAR = """<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
  <inertia ixy="0" ixz="0" iyz="0" ixx="0.01" iyy="0.02" izz="0.02"/></inertial></link>
  <joint name="q" type="continuous"><parent link="base"/><child link="bar"/><axis xyz="0 1 0"/>
  <dynamics damping="0.1" friction="6"/></joint></robot>"""


def test_friction_holds_an_arm(tmp_path):
    """6 N m against 4.905: exactly, or with a slip speed, by which it creeps; written and read again, both."""
    path = written(tmp_path, BAR)
    for again in range(2):
        model = Model.from_urdf(path)
        assert not model.simulate(60, method="dop853")["q"].any()
        smooth = Model.from_urdf(path, slip_speed=1e-3)
        creep = smooth.simulate(1, method="dop853")["q.dot"][-1]
        assert creep == pytest.approx(1e-3 * np.tan(np.arcsin((4.905 - 0.1 * creep) / 6)), rel=1e-3)
        path = (smooth if again else model).to_urdf(tmp_path / "again.urdf")


def noted(folder, text, *patterns, **options):
    """A model with these notes."""
    model = Model.from_urdf(written(folder, text), **options)
    assert len(model.notes) == len(patterns), model.notes
    for note, pattern in zip(model.notes, patterns, strict=True):
        assert note.startswith("'robot.urdf': ") and note.endswith(".") and re.search(pattern, note), note
    return model


def seen(form, inside="", looks=""):
    """A robot of one link with a visual."""
    return flat(f"<visual>{inside}<geometry>{form}</geometry>{looks}</visual>")


def flat(inside, extra=""):
    return robot(joint(), extra, links=f'<link name="a"/><link name="b">{HEAVY}{inside}</link>')


LOOKS = [
    ("sphere of no size", seen('<sphere radius="0"/>'), r"visuals .*: line 1 \(the radius of a Sphere is 0"),
    ("box of no size", seen('<box size="0 1 1"/>'), r"side x of a Box is 0"),
    ("box of words", seen('\n<box size="a"/>'), r"line 2, <box>: size of link 'b' is 'a', expected 3"),
    ("torus", seen("<torus/>"), r"no form that is known, expected box, sphere, cylinder, capsule, mesh"),
    ("nothing", flat("<visual/>"), r"no form that is known"),
    ("mesh of no size", seen('<mesh filename="x.stl" scale="1 0 1"/>'), r"not found are not .*'x.stl'"),
    ("mesh of another kind", seen('<mesh filename="robot.urdf"/>'), r"no STL files .*meshes=trimesh.load"),
    ("mesh of a page", seen('<mesh filename="http://x.org/a.stl"/>'), r"not found .*'http://x.org/a.stl'"),
    ("mesh of no name", seen("<mesh/>"), r"not found .*''"),
    ("turn of four numbers", seen('<sphere radius="1"/>', '<origin rpy="0 0 0 1"/>'), r"expected 3 finite"),
    ("colour of three", seen('<sphere radius="1"/>', "", '<material><color rgba="1 1 1"/></material>'),
     r"colours were left out: .*rgba of link 'b' is '1 1 1', expected 4"),
    ("sensor", flat("\n<sensor/>"), r"what does not concern motion was left out: <sensor>, line 2\.$"),
    ("gazebo", flat("", 4 * "<gazebo><x/></gazebo>\n" + 5 * "<transmission/>\n" + "<y/><y/>"),
     r"<gazebo>, line 1; .*; <transmission>, line 6 and 4 more\.$"),
]  # fmt: skip


@together(("text", "pattern"), [row[1:] for row in LOOKS], ids=[row[0] for row in LOOKS])
def test_what_does_not_concern_motion_stops_no_robot(text, pattern, tmp_path):
    model = noted(tmp_path, text, pattern)
    assert model.names == ("q",) and model["b"].mass == 2 and len(model["b"].shape) == ("colours" in pattern)


def test_what_is_left_out_is_told_once(tmp_path):
    """In one note for all, and by check once more."""
    both = '<visual><geometry><mesh filename="package://a/x.stl"/></geometry></visual>'
    text = flat(2 * both + both.replace("package://a/x", "y"))
    model = noted(tmp_path, text, r"not found are not drawn \(tried .* and above\): 'package://a/x.stl'; 'y.stl'\.$")
    assert model.check() == list(model.notes)
    noted(tmp_path, text, r"does not read are not drawn: 'package://a/x.stl' \(OSError.*no such thing", meshes=failing)
    noted(tmp_path, text, meshes=False)


@pytest.mark.parametrize(("moments", "least", "finding"), [
    ((0.1, 0.1, -5e-20), 0, ""), ((0.1, 0.1, -5e-8), 0, ""), ((-5e-20, 0, 0), 0, ""),
    ((0.1, 0.2, -0.05), -0.05, "more than the sum of the other two"), ((0, 0, -0.05), -0.05, "more than the sum"),
])  # fmt: skip
def test_an_impossible_inertia_is_reported(moments, least, finding, tmp_path, rng):
    """Below zero by rounding it is set to zero; otherwise the arm moves with it, as Pinocchio's."""
    given = 'ixx="{}" iyy="{}" izz="{}"'.format(*moments)
    notes = [] if finding else [r"negative principal moments \(kg m2\) were set to zero: -5e-\d+, line 2"]
    text = BAR.replace('ixx="0.01" iyy="0.02" izz="0.02"', given)
    model = noted(tmp_path, re.sub("<dynamics[^>]*>", "", text), *notes)
    assert np.linalg.eigvalsh(np.array(model["bar"].inertia.matrix, dtype=float))[0] == pytest.approx(least, abs=1e-20)
    assert len(model.check()) == 1 and finding in model.check()[0]
    theirs, *_ = accelerations_of(tmp_path / "robot.urdf", model, "", np.array([0.3]), np.array([0.0]))
    assert model.compile().accelerations(0, [0.3], [0])[0] == pytest.approx(theirs[0], rel=1e-12)


def test_limits_do_not_stop_a_robot(tmp_path):
    for limit in ("", '<limit effort="1"/>', '<limit lower="2" upper="-1"/>', '<limit lower="0" upper="0"/>'):
        model = noted(tmp_path, robot(joint("revolute", limit), links=heavy()), r"limits that are missing .*: 'q'\.$")
        assert model.joints["q"].limits is None
    both = r"limits were left out: line 1 \(.*lower of joint 'q' is 'low'", r"missing or .*'q'"
    noted(tmp_path, robot(joint("revolute", '<limit lower="low"/>'), links=heavy()), *both)
    half = noted(tmp_path, robot(joint("revolute", '<limit upper="2"/>'), links=heavy()))
    assert half.joints["q"].limits == (0, 2) and half.joints["q"].effort is None


def heavy(names="ab"):
    return "".join(f'<link name="{x}">{HEAVY}</link>' for x in names)


def test_a_link_called_ground_is_renamed(tmp_path):
    model = noted(tmp_path, robot(joint(parent="ground"), links=heavy(["ground", "b"])), r"'ground' to 'ground 2'")
    assert [b.name for b in model.bodies] == ["ground 2", "b"] and model.joints["q"].parent == "ground 2"
    bare = noted(tmp_path, robot(joint(parent="ground"), links='<link name="ground"/>' + heavy("b")))
    assert [b.name for b in bare.bodies] == ["b"] and bare.joints["q"].parent == "ground"


def test_losses_of_several_coordinates_are_left_out(tmp_path):
    model = noted(tmp_path, chain(("p", "planar", '<dynamics damping="1"/>')), r"losses of joints of several .*: 'p'")
    assert model.mechanism.efforts == () and model.names == ("p_x", "p_y", "p_a")
    e = np.asarray(model.joints["p"].before.R, dtype=float)  # without an axis it is x: the plane is y, z
    moved = np.array([T[:3, 3] for T in (model.compile().frames(0, q)[-1] for q in ([0, 0, 0], [1, 0, 0], [0, 1, 0]))])
    assert moved[1:] - moved[0] == pytest.approx(np.array([e[:, 1], e[:, 2]]), abs=1e-15)


def test_a_mirrored_mesh_is_seen_from_outside(tmp_path):
    for scale, volume in (((-1, 1, 1), 1), ((2, 3, 0.5), 3), ((-1, -1, 2), 2), ((-2, -2, -2), 8)):
        mesh = visu.Mesh(CUBE, scale=np.array(scale) / 100)
        assert mesh.solid.volume == pytest.approx(volume) and len(mesh.solid.edges) == 18
        assert np.ptp(mesh.solid.nodes, axis=0) == pytest.approx(np.abs(scale))
    text = seen('<mesh filename="x.stl" scale="-.01 .01 .02"/>')
    model = noted(tmp_path, text, meshes=lambda name: CUBE)
    assert model["b"].shape[0].solid.volume == pytest.approx(2)


def test_packages_are_found(tmp_path, monkeypatch):
    """Far above the robot, by its folder or by its package.xml; in package_path=, ROS_PACKAGE_PATH; beside the file."""
    deep = tmp_path / "ws" / "1" / "2" / "3" / "4" / "5"
    deep.mkdir(parents=True)
    path = written(deep, seen('<mesh filename="package://parts/a/x.stl"/>'))

    def drawn(place, **options):
        place.mkdir(parents=True, exist_ok=True)
        file = written(place, "solid x\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
                       "endloop\nendfacet\nendsolid\n", "x.stl")  # fmt: skip
        model = Model.from_urdf(path, **options)
        file.unlink()
        return len(model["b"].shape)

    far = tmp_path / "elsewhere"
    assert drawn(tmp_path / "ws" / "parts" / "a") == 1
    assert drawn(tmp_path / "ws" / "a") == 0  # too far above for a name without its package
    written(tmp_path / "ws", "<package><name> parts </name></package>", "package.xml")
    assert drawn(tmp_path / "ws" / "a") == 1
    assert drawn(far / "parts" / "a") == 0 and drawn(far / "parts" / "a", package_path=far) == 1
    assert drawn(far / "parts" / "a", package_path=[str(tmp_path), far]) == 1
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(far))
    assert drawn(far / "parts" / "a") == 1 and drawn(deep / "a") == 1 and drawn(deep) == 1


def test_gears_are_written_as_joints_that_mimic(tmp_path):
    """A train of two gears, with losses on both shafts: (1 + 2^2 + 10^2) r.ddot = -0.3 10^2 - 0.2 at a rate of 1."""
    model = Model("train")
    p, q, r = model.coordinates("p q r")
    for x in (p, q, r):
        model.body(f"shaft {x}", trotz(x), mass=0, inertia=(1, 1, 1))
    model.add(Gear(p, q, 5), Gear(q, r, 2, offset=0.1), TorsionDamper(p, damping=0.3), JointFriction(r, 0.2))
    again = Model.from_urdf(model.to_urdf(tmp_path / "train.urdf"))
    assert again.names == ("r",) and (again.joints["p"].factor, again.joints["p"].offset) == (10, 0.5)
    assert again.compile().accelerations(0, [0], [1]) == pytest.approx([-30.2 / 105], rel=1e-12)


def test_a_follower_may_stand_before_its_leader(tmp_path):
    parts = GRIPPER.partition("  <joint")
    text = parts[0] + '<joint name="follow"' + GRIPPER.partition('<joint name="follow"')[2].replace("</robot>", "")
    text += parts[1] + parts[2].partition('<joint name="follow')[0] + "</robot>"
    model = Model.from_urdf(written(tmp_path, text))
    again = Model.from_urdf(model.to_urdf(tmp_path / "again.urdf"))
    assert again.compile().accelerations(0, [0.1], [1]) == pytest.approx([-0.7 / 1.4], rel=1e-12)


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
    path = model.to_urdf(tmp_path / "x.urdf")
    again = Model.from_urdf(path, gravity=tuple(map(float, model.gravity)))
    assert sorted(again.names) == sorted(model.names)
    assert not re.search(r"-0\.0\b(?!\d)", path.read_text())  # zero has no sign
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


NUMBERS = "Write numbers such as 0.5, with spaces between them"


def read(w, text, **options):
    Model.from_urdf(written(w.folder, text), **options)


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


def row(joints):
    """A robot of so many joints behind each other."""
    tags = [f'<link name="l{k}"/>' for k in range(joints + 1)] + [
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/><axis xyz="0 0 1"/></joint>'
        for k in range(joints)
    ]
    return f"<robot name='row'>{' '.join(tags)}</robot>"


def test_links_in_a_row_share_the_factors_of_their_transforms(tmp_path):
    """So each is looked at once, and a thousand links are read in a second."""
    path = tmp_path / "chain.urdf"
    path.write_text(row(300), encoding="utf-8")
    model = Model.from_urdf(path)
    factors = {id(factor) for body in model.bodies for factor in body.T.factors}
    assert len(model.bodies) == 300 and len(factors) <= 900 and len(model._checked) == len(factors)


test_mistake_is_explained = explained(__file__)


def pushed():
    model, q = single(lambda p, q: trotz(p) * trotx(q))
    model.add(GeneralizedForce(q, 1))
    return model


def rubbed():
    model, q = single(lambda p, q: trotz(p) * trotx(q))
    model.add(JointFriction(q, 1, static_level=2))
    return model


def looped(geared=False, knot=False, ring=False):
    """Two links that are joined to the ground at both ends, or by a gear, by two gears, by a node."""
    model = Model("looped")
    p, q = model.coordinates("p q", initial=(0.5, -1))
    model.body("first", trotz(p), mass=1, inertia=(0, 0, 1))
    last = model.body("last", trotz(p) * tdisp(1, 0, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    if geared:
        model.constraint(p - 2 * q, name="mesh")
    elif ring:
        model.add(Gear(p, q, 2), Gear(q, p, 0.5, name="back"))
    elif knot:
        node = model.node("knot", position=(0.5, 0.2, 0))
        model.add(*(Spring(node, (x, (1, 0, 0)), stiffness=2, free_length=0.1) for x in (last, ground)))
    else:
        model.close((last, (1, 0, 0)), (ground, (1.5, 0, 0)), joint="distance", length=0.3)
    return model


def driven():
    model, _ = single(lambda p, q: trotz(p) * trotx(q))
    model.input("u")
    return model
