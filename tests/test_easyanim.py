"""Files of EasyAnim: what is written is what moves.

Files are read by `easyanim_files.py`, by fixed columns, and by `numpy.loadtxt`; motions come from `run.frames`.
"""

import functools
import math
import os
import subprocess
import sys

import numpy as np
import pytest
from easyanim_files import read, same
from together import together

from easydyn import Damper, Model, Spring, easyanim, examples, ground, tdisp, trotz, visu
from easydyn.examples import MODELS
from easydyn.visu import drawing as files
from easydyn.visu import motion
from easydyn.visu.drawing import colour_number


def columns(path, width=15):
    """The numbers of a .van file by its columns alone, (lines, 3)."""
    lines = path.read_text(encoding="ascii").split("\n")
    assert lines.pop() == "" and {len(line) for line in lines} == {3 * width}
    return np.array([[float(line[k : k + width]) for k in range(0, 3 * width, width)] for line in lines])


def moved(T, points):
    """Points (n, 3) of a frame at F instants, (F, n, 3)."""
    return np.einsum("fij,nj->fni", T[:, :3, :3], np.atleast_2d(points)) + T[:, None, :3, 3]


def near(value, wanted):
    """Equal to what 14 characters hold of numbers below 100."""
    np.testing.assert_allclose(value, wanted, rtol=0, atol=6e-11)


@functools.cache
def run_of(name):
    """A short run of an example, whose instants are those of its frames."""
    return getattr(examples, name)().simulate(0.3, save_every=0.1)


# -- all examples -----------------------------------------------------------------------------------------------------


SLOW = ("robot_r3", "seven_axis_arm")
QUICK = [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in MODELS]


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", QUICK)
def test_nodes_of_all_examples_move_with_their_bodies_and_are_read_back(name, tmp_path):
    run = run_of(name)
    animation = run.animate(every=0.1)
    paths = easyanim.write(animation, tmp_path / "x")
    assert [path.name for path in paths] == ["x.vol", "x.van"]
    drawing = read(tmp_path / "x")
    assert np.array_equal(drawing.frames, columns(paths[1]).reshape(4, -1, 3))
    bodies = {body.name for body in run.source.mechanism.bodies}
    first, solids = 0, 0
    for part in animation.scene.parts:
        if part.kind == "solid" and (part.body in bodies or part.body == "ground"):
            T = run.frames(part.body) if part.body in bodies else np.tile(np.eye(4), (4, 1, 1))
            near(drawing.frames[:, first : first + len(part.solid.nodes)], moved(T, part.solid.nodes))
            solids += 1
        first += {"centre": 6, "text": 0}.get(part.kind, len(part.solid.nodes) if part.solid else 0)
    assert first == len(drawing.nodes) and solids
    assert np.array_equal(drawing.nodes, drawing.frames[0])
    easyanim.write(drawing, tmp_path / "again")
    assert same(read(tmp_path / "again"), drawing)


def test_the_layout_of_a_volume(tmp_path):
    """Counts and lines by hand: a title, nodes, edges, surfaces."""
    easyanim.write(examples.double_pendulum().scene(), tmp_path / "x")
    lines = (tmp_path / "x.vol").read_text().splitlines()
    assert lines[0] == "double pendulum"
    n = int(lines[1])
    for k, line in enumerate(lines[2 : 2 + n], 1):
        assert int(line[:8]) == k and [float(line[8 + 15 * i : 23 + 15 * i]) for i in range(3)]
    m = int(lines[2 + n])
    edges = np.array([line.split() for line in lines[3 + n : 3 + n + m]], dtype=int)
    assert edges[:, 0].tolist() == list(range(1, m + 1)) and set(edges[:, 1:3].ravel()) <= set(range(1, n + 1))
    assert set(edges[:, 3]) <= set(easyanim.COLOURS)
    k = int(lines[3 + n + m])
    surfaces = [[int(word) for word in line.split()] for line in lines[4 + n + m :]]
    assert len(surfaces) == k and all(len(words) == words[1] + 3 for words in surfaces)


# -- what is stretched, arrows, paths, signs --------------------------------------------------------------------------


def hanging():
    """A block on a spring that turns by half a turn, and passes through directions in which coils could jump."""
    model = Model("hanging", gravity=(0, -9.81, 0))
    x, q = model.coordinates("x q", initial=(0.5, -2.5), rates=(0, 2))
    arm = model.body("arm", trotz(q), mass=1, inertia=(0, 0, 1), shape=visu.Sphere(0.05))
    block = model.body("block", tdisp(x, 0, -0.3), mass=1, inertia=(0, 0, 0), shape=visu.Box(0.1, 0.1, 0.1))
    model.add(Spring((arm, (0.2, 0.4, 0)), (block, (0.05, 0, 0)), stiffness=20, free_length=1))
    return model


def test_springs_arrows_and_paths_follow(tmp_path):
    model = hanging()
    run = model.simulate(2, save_every=0.05)
    scene = model.scene()
    scene.parts = [part for part in scene.parts if part.kind == "between"]
    scene.add("block", visu.Arrow(model["block"].v, scale=0.2, point=(0, 0.1, 0)), visu.Path((0, 0, 0.1)))
    drawing = read(easyanim.write(run.animate(scene=scene, every=0.05), tmp_path / "x")[1])
    ends = moved(run.frames("arm"), (0.2, 0.4, 0)), moved(run.frames("block"), (0.05, 0, 0))
    coil = scene.parts[0].solid.nodes
    spring, rest = drawing.frames[:, : len(coil)], drawing.frames[:, len(coil) :]
    assert np.ptp(ends[1] - ends[0], axis=0)[0, :2].min() > 0.8
    low, high = (spring[:, coil[:, 2] == z].mean(axis=1) for z in (0.0, 1.0))  # the wire is round its axis
    near([low, high], [ends[0][:, 0], ends[1][:, 0]])
    line = (high - low) / np.linalg.norm(high - low, axis=1)[:, None]
    radius = np.linalg.norm(np.cross(spring - low[:, None], line[:, None]), axis=-1)
    near(radius, np.broadcast_to(np.hypot(*coil.T[:2]), radius.shape))  # it is as thick as before
    steps = np.linalg.norm(np.diff(spring, axis=0), axis=-1).max(axis=1)
    assert steps.max() < 0.3  # and does not jump about its line
    arrow = rest[:, : len(scene.parts[1].solid.nodes)]
    tip = arrow[:, np.argmax(scene.parts[1].solid.nodes[:, 2])]
    v = np.column_stack([run["x.dot"], 0 * run.t, 0 * run.t])
    near(tip, moved(run.frames("block"), (0, 0.1, 0))[:, 0] + 0.2 * v)
    path, point = rest[:, arrow.shape[1] :], moved(run.frames("block"), (0, 0, 0.1))[:, 0]
    assert path.shape[1] == len(run) == 41
    for k in (0, 17, 40):  # what the point has left behind, and no more
        near(path[k], point[np.minimum(np.arange(41), k)])


def test_what_has_no_length_keeps_its_direction():
    """A body that is thrown upwards, and its velocity, which is exactly zero at the start of a fall."""
    model = Model("fall", gravity=(0, -10, 0))
    (y,) = model.coordinates("y")
    body = model.body("body", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0), shape=visu.Arrow((0, y.dot, 0), scale=1))
    animation = model.simulate(0.2, save_every=0.1).animate(every=0.1)
    (T,) = motion.between(animation.scene, animation.frames, animation.tips).values()
    assert np.linalg.norm(T[0, :3, 2]) == 0 and np.isfinite(T).all() and body.name == "body"
    for k, length in ((0, 0), (1, 1), (2, 2)):
        near(T[k, :3, 2], (0, -length, 0))
        near(np.linalg.norm(T[k, :3, :2], axis=0), 1)
        near(T[k, :3, 0], T[0, :3, 0])


# -- numbers ----------------------------------------------------------------------------------------------------------


def test_what_is_kept_of_numbers():
    """As docs/easyanim.md has it: digits by size, and always 15 columns of which the first is blank."""
    random = np.random.default_rng(7)
    for low, high, positive, negative in ((-3, 0, 5e-13, 5e-12), (0, 3, 5e-10, 5e-9)):
        x = 10 ** random.uniform(low, high, (4000, 1))
        for sign, bound in ((1, positive), (-1, negative)):
            text = files.rows_text(sign * x)
            assert {len(line) for line in text.splitlines()} == {15} and {line[0] for line in text.splitlines()} == {
                " "
            }
            assert np.abs(np.array(text.split(), dtype=float) - sign * x[:, 0]).max() <= bound * 1.0001
    for low, high, digits in ((-9, 12, 9), (-99, 99, 8), (-300, 300, 7)):
        x = 10 ** random.uniform(low, high, (2000, 1)) * random.choice([-1, 1], (2000, 1))
        text = files.rows_text(x)
        assert {len(line) for line in text.splitlines()} == {15}
        error = np.abs(np.array(text.split(), dtype=float) / x[:, 0] - 1)
        assert error.max() <= 0.5 * 10.0 ** (1 - digits)


@together(
    ("x", "text"),
    [
        (0.0, "0"), (-0.0, "0"), (1e-300, "1.0000000e-300"), (-1e-300, "-1.000000e-300"), (1e200, "1.00000000e200"),
        (-1e200, "-1.0000000e200"), (math.pi, "3.141592653590"), (-math.pi, "-3.14159265359"),
        (-9.99999999999999, "-10.0000000000"), (9.9999999999999e10, "99999999999.999"[:14]), (5e-324, "4.9406565e-324"),
        (sys.float_info.max, "1.79769313e308"), (-sys.float_info.max, "-1.7976931e308"), (-1e12, "-1000000000000"),
    ],
)  # fmt: skip
def test_extreme_numbers(x, text):
    written = files.rows_text(np.array([[x, 1.0]]))
    assert (
        len(written) == 31 and abs(float(written[:15]) - x) <= abs(float(text) - x) and len(written[:15].strip()) < 15
    )
    if x != 9.9999999999999e10:
        assert written[:15].strip() == text
    assert math.isfinite(float(written[:15]))


def drawing_of(**changes):
    """One with everything odd: numbers, ids in no order, a title that is not English, modes that are complex."""
    random = np.random.default_rng(3)
    numbers = [[1e-300, -1e200, 0.1], [1 / 3, -2 / 3, 1e-12], [-1e-5, 12345.678901234, 0], [-1, 1, -1]]
    shape = random.normal(size=(4, 3)) + 1j * random.normal(size=(4, 3))
    given = {
        "title": "Mécanisme  à\nbielle ✓", "nodes": numbers, "edges": [(0, 1), (3, 2), (1, 1)],
        "surfaces": [(0, 1, 2), (3, 2, 1, 0)], "edge_colours": [15, 0, -7], "surface_colours": [4, 300],
        "frames": random.normal(size=(3, 4, 3)) * 10.0 ** random.integers(-8, 8, (3, 4, 3)),
        "modes": ((4, -0.1 + 3j, shape), (2, 5j, shape.real)), "node_ids": [70, -3, 0, 12], "edge_ids": [9, 8, 1],
        "surface_ids": [2, 1],
    }  # fmt: skip
    return easyanim.Drawing(**given | changes)


def test_written_and_read_back_equal(tmp_path):
    drawing = drawing_of()
    folder = tmp_path / "a folder, and blanks"
    folder.mkdir()
    paths = easyanim.write(drawing, folder / "my scene 1.5")
    assert [path.name for path in paths] == [f"my scene 1.5.{kind}" for kind in ("vol", "van", "vmo")]
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in paths)
    found = read(folder / "my scene 1.5")
    assert found.title == "Mécanisme à bielle ✓" and found.surfaces == drawing.surfaces
    for name in ("edges", "edge_colours", "surface_colours", "node_ids", "edge_ids", "surface_ids"):
        assert np.array_equal(getattr(found, name), getattr(drawing, name))
    np.testing.assert_allclose(found.nodes, drawing.nodes, rtol=5e-7, atol=0)
    np.testing.assert_allclose(found.frames, drawing.frames, rtol=5e-8, atol=0)
    assert [(m.id, m.pole) for m in found.modes] == [(4, -0.1 + 3j), (2, 5j)]
    np.testing.assert_allclose(found.modes[0].amplitudes, drawing.modes[0].amplitudes, rtol=0, atol=1e-11)
    assert found != drawing  # digits were lost, but only once
    easyanim.write(found, folder / "again")
    assert same(read(folder / "again"), found)
    assert not same(found, read(folder / "again.vol")) and len(read(folder / "again.van").frames) == 3
    assert not read(folder / "again.vmo").frames.size and len(read(folder / "again.vmo").modes) == 2


# -- whole or not at all ----------------------------------------------------------------------------------------------


def test_an_interrupted_write_leaves_what_was_there(tmp_path, monkeypatch):
    drawing = drawing_of(modes=())
    easyanim.write(drawing, tmp_path / "x")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    plain, calls = files.rows_text, []

    def interrupted(rows):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return plain(rows)

    monkeypatch.setattr(files, "rows_text", interrupted)
    with pytest.raises(KeyboardInterrupt):
        easyanim.write(drawing_of(title="other", modes=()), tmp_path / "x")
    assert len(calls) == 4 and {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.long
def test_loaded_when_it_is_asked_for():
    program = (
        "import sys, easydyn; assert 'easydyn.easyanim' not in sys.modules; "
        "assert callable(easydyn.easyanim.write); from easydyn import easyanim; "
        "assert not {'matplotlib', 'llvmlite', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr


# -- modes ------------------------------------------------------------------------------------------------------------


def coupled():
    """A pendulum that leans, with a damper, and a block that slides: complex shapes, a turn and a pure translation."""
    model = Model("coupled", gravity=(0, -9.81, 0))
    q, x = model.coordinates("q x", initial=(-0.7, 0.2))
    arm = model.body("arm", trotz(q) * tdisp(0, -0.5, 0), mass=1, inertia=(0, 0, 0.1), shape=visu.Box(0.1, 1, 0.1))
    block = model.body("block", tdisp(x, -1, 0), mass=2, inertia=(0, 0, 0), shape=visu.Box(0.2, 0.2, 0.2))
    model.add(
        Spring((arm, (0, -0.3, 0)), (block, (0, 0.1, 0)), stiffness=30, free_length=0.2),
        Damper(block, (ground, (2, -1, 0)), damping=4),
        Spring(block, (ground, (2, -1, 0)), stiffness=50, free_length=2),
    )
    return model


@pytest.mark.long
def test_modes_move_nodes_as_their_shapes_say(tmp_path):
    """Of the arm: e_z x (p - pivot) times the amplitude of q; of the block that of x along x."""
    model = coupled()
    lin = model.linearize(at=model.equilibrium())
    assert np.abs(lin.modes()[0].shape.imag).max() > 0.01 and abs(lin.q[0]) > 0.05
    paths = easyanim.write(lin, tmp_path / "x")
    assert [path.name for path in paths] == ["x.vol", "x.vmo"]
    drawing = read(tmp_path / "x")
    arm, block = (visu.Box(*sides).solid.nodes for sides in ((0.1, 1, 0.1), (0.2, 0.2, 0.2)))
    c, s = math.cos(lin.q[0]), math.sin(lin.q[0])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    places = (arm + (0, -0.5, 0)) @ R.T, block + (lin.q[1], -1, 0)
    turning = np.cross((0, 0, 1), places[0])
    for mode, found in zip(lin.modes(), drawing.modes, strict=True):
        assert found.pole == pytest.approx(mode.pole, rel=1e-7)
        assert abs(found.pole) == pytest.approx(2 * np.pi * mode.frequency)
        assert -found.pole.real == pytest.approx(mode.damping * abs(found.pole))
        for where, wanted in ((places[0], mode["q"] * turning), (places[1], mode["x"] * np.array([[1, 0, 0]] * 8))):
            rows = [int(np.argmin(np.linalg.norm(drawing.nodes - p, axis=1))) for p in where]
            near(drawing.nodes[rows], where)
            np.testing.assert_allclose(found.amplitudes[rows], wanted, rtol=0, atol=1e-10)
    easyanim.write(drawing, tmp_path / "again")
    assert same(read(tmp_path / "again"), drawing)


@pytest.mark.long
def test_modes_in_space_are_the_partial_contributions_of_the_textbook(tmp_path):
    """Of the robot, by eq. (5): d_j + theta_j x (R p), in SymPy."""
    model = examples.spatial_robot()
    lin = model.linearize(at={"turret": -0.4, "roll": -0.8, "lift": 0.1, "slide": 0.2})
    drawing = easyanim._drawing(lin)
    first = {}
    count = 0
    scene = model.scene()
    for part in scene.parts:
        size = {"centre": 6, "text": 0}.get(part.kind, len(part.solid.nodes) if part.solid else 0)
        if part.kind == "solid":
            first.setdefault((part.body, part.name), count)
        count += size
    assert len(lin.names) == 5 and len(drawing.modes) == len(lin.modes()) >= 5
    hand, at = model["hand"], first["hand", "body"]
    symbols = {str(s): s for s in hand.T.free_symbols}
    values = {symbols[name]: value for name, value in zip(lin.names, lin.q, strict=True) if name in symbols}
    values |= {s: model.compile(target="python").parameters[n] for n, s in symbols.items() if n not in lin.names}
    e = np.array([float(c.subs(values)) for c in hand.T.e])
    for mode, found in zip(lin.modes(), drawing.modes, strict=True):
        wanted = np.zeros((8, 3), dtype=complex)
        for name in lin.names:
            if name in symbols:
                d, theta = (np.array([float(c.subs(values)) for c in x[symbols[name]]]) for x in (hand.d, hand.theta))
                wanted += mode[name] * (d + np.cross(theta, drawing.nodes[at : at + 8] - e))
        np.testing.assert_allclose(found.amplitudes[at : at + 8], wanted, rtol=0, atol=2e-11)


# -- meshes -----------------------------------------------------------------------------------------------------------


def test_meshes_have_the_faces_and_the_colour_of_their_shape(tmp_path):
    paths = easyanim.write(visu.Gear(0.1, 12, 0.05, colour="blue"), tmp_path / "gear.hab")
    assert [path.name for path in paths] == ["gear.hab"]
    gear, found = visu.Gear(0.1, 12, 0.05).solid, read(tmp_path / "gear.hab")
    volume = visu.solid(found.nodes, found.edges, found.surfaces).volume
    assert volume == pytest.approx(gear.volume, rel=1e-9) and len(found.edges) == len(gear.edges)
    assert {*found.edge_colours.tolist(), *found.surface_colours.tolist()} == {1}


def test_colours_by_number():
    assert len(easyanim.COLOURS) == len(visu.COLOURS) == len(set(easyanim.COLOURS.values()))
    for number, name in easyanim.COLOURS.items():
        assert colour_number(visu.COLOURS[name]) == number
    assert easyanim.COLOURS[colour_number("#ff3000")] == "vermilion"


def test_drawings_say_what_they_are():
    drawing = drawing_of(nodes=np.eye(4)[:, :3], frames=(), modes=())
    assert "4 nodes, 3 edges, 2 surfaces" in repr(drawing)
    assert same(drawing, drawing_of(nodes=np.eye(4)[:, :3], frames=(), modes=()))
    with pytest.raises(ValueError):
        drawing.nodes[0, 0] = 1


@pytest.mark.long
@pytest.mark.one_in(2)
@pytest.mark.parametrize("scheme", ["recursive", "explicit"])
def test_every_target_and_scheme_gives_the_same_files(scheme, tmp_path):
    frames = []
    for target in ("python", "numpy", "auto"):
        run = coupled().simulate(0.2, save_every=0.1, target=target, scheme=scheme)
        easyanim.write(run.animate(every=0.1), tmp_path / target)
        frames.append(read(tmp_path / target).frames)
        lin = coupled().linearize(target="python" if target == "auto" else target, scheme=scheme)
        frames.append(np.abs(easyanim._drawing(lin).modes[1].amplitudes))
    for other in (2, 4):
        np.testing.assert_allclose(frames[other], frames[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(frames[other + 1], frames[1], rtol=0, atol=1e-9)
