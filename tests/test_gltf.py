"""glTF 2.0: files are taken apart and checked here against the specification, by a reader of their own.

`checked` is that reader: it follows the rules of the specification (Khronos, glTF 2.0, sections 3 and 4) for what these
files hold, and knows nothing of how they were written. `Loaded` then says where nodes are at the instants of an
animation.
"""

import base64
import json
import math
import struct
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_easyanim import run_of

from easydyn import Model, Spring, examples, ground, tdisp, trotx, troty, trotz, visu
from easydyn.errors import FileError
from easydyn.examples import MODELS

SIZES = {5126: 4, 5125: 4, 5123: 2, 5121: 1}
DTYPES = {5126: "<f4", 5125: "<u4", 5123: "<u2", 5121: "u1"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def content(path):
    """The JSON of a file and its buffer."""
    data = path.read_bytes()
    if path.suffix == ".gltf":
        found = json.loads(data.decode("utf-8"))
        (buffer,) = found["buffers"]
        head, _, text = buffer["uri"].partition(",")
        assert head == "data:application/octet-stream;base64"
        return found, base64.b64decode(text, validate=True)
    magic, version, length = struct.unpack("<4sII", data[:12])
    assert (magic, version, length) == (b"glTF", 2, len(data)) and length % 4 == 0
    chunks, at = [], 12
    while at < length:
        size, kind = struct.unpack("<I4s", data[at : at + 8])
        assert size % 4 == 0 and at + 8 + size <= length
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    assert at == length and [kind for kind, _ in chunks] == [b"JSON", b"BIN\0"]
    assert "uri" not in json.loads(chunks[0][1])["buffers"][0]
    return json.loads(chunks[0][1].decode("utf-8")), chunks[1][1]


def checked(path):
    """The file taken apart, (JSON, arrays of its accessors), after every rule that applies to it."""
    found, data = content(path)
    assert found["asset"]["version"] == "2.0" and found["asset"]["generator"].startswith("easydyn ")
    assert set(found) <= {"asset", "scene", "scenes", "nodes", "meshes", "materials", "accessors", "bufferViews",
                          "buffers", "animations"}  # fmt: skip
    assert all(value for name, value in found.items() if name != "scene"), "an empty list"
    (buffer,) = found["buffers"]
    assert len(data) - 3 <= buffer["byteLength"] <= len(data)
    for view in found["bufferViews"]:
        assert view["buffer"] == 0 and view["byteLength"] >= 1 and view.get("target") in (None, 34962, 34963)
        assert 0 <= view["byteOffset"] and view["byteOffset"] + view["byteLength"] <= buffer["byteLength"]
    arrays = []
    for accessor in found["accessors"]:
        view = found["bufferViews"][accessor["bufferView"]]
        size, width = SIZES[accessor["componentType"]], WIDTHS[accessor["type"]]
        offset = accessor.get("byteOffset", 0)
        assert offset % size == 0 and (view["byteOffset"] + offset) % size == 0 and accessor["count"] >= 1
        assert offset + accessor["count"] * width * size <= view["byteLength"]
        start = view["byteOffset"] + offset
        array = np.frombuffer(data, DTYPES[accessor["componentType"]], accessor["count"] * width, start)
        array = array.reshape(accessor["count"], width)
        assert np.isfinite(array).all()
        for name, value in (("min", array.min(axis=0)), ("max", array.max(axis=0))):
            if name in accessor:
                assert np.array_equal(np.array(accessor[name], dtype=array.dtype), value), name
        arrays.append(array)
    used = set()
    for mesh in found["meshes"]:
        for primitive in mesh["primitives"]:
            position = primitive["attributes"]["POSITION"]
            accessor = found["accessors"][position]
            assert (accessor["componentType"], accessor["type"]) == (5126, "VEC3") and {"min", "max"} <= set(accessor)
            assert found["bufferViews"][accessor["bufferView"]]["target"] == 34962
            assert primitive["mode"] in (1, 3, 4) and 0 <= primitive["material"] < len(found["materials"])
            used |= {position}
            count = accessor["count"]
            if "indices" in primitive:
                index = found["accessors"][primitive["indices"]]
                used |= {primitive["indices"]}
                assert index["type"] == "SCALAR" and index["componentType"] in (5121, 5123, 5125)
                assert found["bufferViews"][index["bufferView"]]["target"] == 34963
                assert arrays[primitive["indices"]].max() < accessor["count"]
                count = index["count"]
            assert count % {1: 2, 3: 1, 4: 3}[primitive["mode"]] == 0 and count >= 2
    for material in found["materials"]:
        colour = material["pbrMetallicRoughness"]["baseColorFactor"]
        assert len(colour) == 4 and all(0 <= x <= 1 for x in colour)
        assert (colour[3] < 1) == (material.get("alphaMode", "OPAQUE") == "BLEND")
    nodes = found["nodes"]
    parents = [child for node in nodes for child in node.get("children", [])]
    assert len(parents) == len(set(parents)) and all(node.get("children", [1]) for node in nodes)
    assert set(range(len(nodes))) == set(parents) | set(found["scenes"][found["scene"]]["nodes"])
    assert not set(parents) & set(found["scenes"][0]["nodes"])  # one parent each and one root: a tree
    for node in nodes:
        assert not {"matrix"} & set(node) and abs(np.linalg.norm(node.get("rotation", [0, 0, 0, 1])) - 1) < 1e-6
        assert 0 <= node.get("mesh", 0) < len(found["meshes"])
    for animation in found.get("animations", []):
        targets = [(channel["target"]["node"], channel["target"]["path"]) for channel in animation["channels"]]
        assert len(set(targets)) == len(targets) and all(0 <= node < len(nodes) for node, _ in targets)
        for channel in animation["channels"]:
            sampler = animation["samplers"][channel["sampler"]]
            times, values = arrays[sampler["input"]], found["accessors"][sampler["output"]]
            assert {"min", "max"} <= set(found["accessors"][sampler["input"]]) and times[0] == 0
            assert (np.diff(times[:, 0]) > 0).all() and sampler["interpolation"] == "LINEAR"
            kind = {"translation": "VEC3", "scale": "VEC3", "rotation": "VEC4"}[channel["target"]["path"]]
            assert (values["type"], values["componentType"], values["count"]) == (kind, 5126, len(times))
            used |= {sampler["input"], sampler["output"]}
            if kind == "VEC4":
                quaternions = arrays[sampler["output"]].astype(float)
                assert np.abs(np.linalg.norm(quaternions, axis=1) - 1).max() < 1e-6
                assert (np.sum(quaternions[1:] * quaternions[:-1], axis=1) > 0).all(), "the sign jumps"
    assert used == set(range(len(arrays))) and len(found["bufferViews"]) == len(arrays), "bytes that nobody uses"
    return found, arrays


class Loaded:
    """Where the nodes of a file are at the instants of its animation."""

    def __init__(self, path):
        self.found, self.arrays = checked(path)
        self.nodes = self.found["nodes"]
        self.parent = {child: k for k, node in enumerate(self.nodes) for child in node.get("children", [])}
        self.moving, self.times = {}, np.zeros(1)
        for animation in self.found.get("animations", []):
            for channel in animation["channels"]:
                sampler = animation["samplers"][channel["sampler"]]
                target = channel["target"]
                self.moving[target["node"], target["path"]] = self.arrays[sampler["output"]].astype(float)
                self.times = self.arrays[sampler["input"]][:, 0].astype(float)

    def index(self, name, mesh=False):
        """The node of a frame, or of a part with a mesh."""
        (found,) = (k for k, node in enumerate(self.nodes) if node["name"] == name and ("mesh" in node) == mesh and k)
        return found

    def local(self, k):
        parts = []
        for name, default in (("translation", [0, 0, 0]), ("rotation", [0, 0, 0, 1]), ("scale", [1, 1, 1])):
            still = np.tile(self.nodes[k].get(name, default), (len(self.times), 1))
            parts.append(self.moving.get((k, name), still))
        T = np.tile(np.eye(4), (len(self.times), 1, 1))
        T[:, :3, :3] = Rotation.from_quat(parts[1]).as_matrix() * parts[2][:, None, :]
        T[:, :3, 3] = parts[0]
        return T

    def place(self, k, below=1):
        """Matrices (N, 4, 4) of a node in the axes of node `below` (1: the ground; None: the world)."""
        T = self.local(k)
        while (k := self.parent.get(k)) != below:
            T = self.local(k) @ T
        return T

    def points(self, k):
        """Corners (n, 3) of the mesh of a node, in its axes."""
        (primitive,) = self.found["meshes"][self.nodes[k]["mesh"]]["primitives"]
        return self.arrays[primitive["attributes"]["POSITION"]].astype(float)


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", MODELS)
def test_bodies_of_all_examples_are_where_the_run_has_them(name, tmp_path):
    run = run_of(name)
    animation = run.animate(every=0.1)
    loaded = Loaded(animation.save(tmp_path / "x.glb"))
    for body in run.source.mechanism.bodies:
        T = np.broadcast_to(loaded.place(loaded.index(body.name)), (4, 4, 4))
        bound = 1e-6 * max(1.0, np.abs(run.frames(body)).max())  # 32 bits
        np.testing.assert_allclose(T, run.frames(body), rtol=0, atol=bound)
    text = Loaded(animation.save(tmp_path / "x.gltf"))
    assert {k: v for k, v in text.found.items() if k != "buffers"} == {
        k: v for k, v in loaded.found.items() if k != "buffers"
    }
    assert all(np.array_equal(a, b) for a, b in zip(text.arrays, loaded.arrays, strict=True))
    parts = [part for part in animation.scene.parts if part.solid is not None]
    assert sum("mesh" in node for node in loaded.nodes) == len(parts)
    if run.source.mechanism.bodies and loaded.moving:
        np.testing.assert_allclose(loaded.times, run.t, rtol=0, atol=1e-7)


def spinning():
    """A body that turns many times about an axis that turns, a spring to it, "up" along z, negative angles."""
    model = Model("spinning", gravity=(0, 0, -9.81))
    a, b = model.coordinates("a b", initial=(-0.4, 0.2), rates=(-9, 14))
    body = model.body("body", trotz(a) * tdisp(0.5, 0, 1) * trotx(b) * troty(-0.3), mass=2, inertia=(0.1, 0.2, 0.25))
    model.add(Spring((body, (0, 0, 0.2)), (ground, (0.1, 0, 2)), stiffness=10, free_length=0.5))
    return model


def test_quaternions_keep_their_sign_over_many_turns(tmp_path):
    run = spinning().simulate(3, save_every=0.02)
    loaded = Loaded(run.animate(every=0.02).save(tmp_path / "x.glb"))
    assert abs(run["b"][-1]) > 8 * math.pi
    k = loaded.index("body")
    np.testing.assert_allclose(loaded.place(k), run.frames("body"), rtol=0, atol=1e-6)
    q = loaded.moving[k, "rotation"]
    assert q.min(axis=0)[3] < -0.9 < 0.9 < q.max(axis=0)[3]  # they go round: both signs of each rotation are passed


def test_up_is_y(tmp_path):
    """The topmost node turns the ground, so that what is up in the scene is up in glTF."""
    model = spinning()
    run = model.simulate(0.2, save_every=0.1)
    loaded = Loaded(run.animate(every=0.1).save(tmp_path / "x.glb"))
    R = loaded.place(1, None)[0, :3, :3]
    np.testing.assert_allclose(R, [[1, 0, 0], [0, 0, 1], [0, -1, 0]], rtol=0, atol=1e-7)
    flat = Loaded(examples.double_pendulum().simulate(0.1).animate().save(tmp_path / "flat.glb"))
    assert "rotation" not in flat.nodes[0]
    scene = model.scene()
    for up in ((0.6, 0.8, 0), (-0.48, -0.6, 0.64), (0, -1, 0)):
        scene.view = replace(scene.view, up=np.array(up, dtype=float), towards=np.cross(up, (0, 0.6, 0.8)))
        R = Loaded(run.animate(scene=scene, every=0.1).save(tmp_path / "x.glb")).place(1, None)[0, :3, :3]
        np.testing.assert_allclose(R @ up, (0, 1, 0), rtol=0, atol=1e-7)
        np.testing.assert_allclose(R.T @ R, np.eye(3), rtol=0, atol=1e-7)


def test_springs_arrows_and_paths(tmp_path):
    model = spinning()
    run = model.simulate(1, save_every=0.02)
    scene = model.scene()
    body = model["body"]
    scene.add("body", visu.Arrow(body.omega, scale=0.02, point=(0.1, 0, 0), frame=body), visu.Path((0, 0.2, 0)))
    scene.add("body", visu.Box(0.1, 0.2, 0.3, colour="purple", opacity=0.25, name="glass"))
    loaded = Loaded(run.animate(scene=scene, every=0.02).save(tmp_path / "x.glb"))
    T = run.frames("body")
    spring = loaded.place(loaded.index("spring", mesh=True))
    ends = T[:, :3, :3] @ (0, 0, 0.2) + T[:, :3, 3], np.tile((0.1, 0, 2), (len(run), 1))
    np.testing.assert_allclose(spring[:, :3, 3], ends[0], rtol=0, atol=1e-6)
    np.testing.assert_allclose(spring[:, :3, 3] + spring[:, :3, 2], ends[1], rtol=0, atol=1e-6)
    assert loaded.points(loaded.index("spring", mesh=True))[:, 2].min() == 0 and np.ptp(
        np.linalg.norm(spring[:, :3, 2], axis=1)
    )
    arrow = loaded.place(loaded.index("arrow", mesh=True))
    omega = run.of(body.omega)
    np.testing.assert_allclose(arrow[:, :3, 3], T[:, :3, :3] @ (0.1, 0, 0) + T[:, :3, 3], rtol=0, atol=1e-6)
    tip = 0.02 * np.einsum("nij,nj->ni", T[:, :3, :3], omega)  # its components are taken in the axes of the body
    np.testing.assert_allclose(arrow[:, :3, 2], tip, rtol=0, atol=1e-6)
    path = loaded.points(loaded.index("path", mesh=True))
    np.testing.assert_allclose(path, T[:, :3, :3] @ (0, 0.2, 0) + T[:, :3, 3], rtol=0, atol=1e-6)
    glass = loaded.nodes[loaded.index("glass", mesh=True)]
    material = loaded.found["materials"][loaded.found["meshes"][glass["mesh"]]["primitives"][0]["material"]]
    # "#cc79a7" in linear light, by the definition of sRGB
    linear = [((v / 255 + 0.055) / 1.055) ** 2.4 for v in (0xCC, 0x79, 0xA7)]
    assert material["pbrMetallicRoughness"]["baseColorFactor"] == pytest.approx([*linear, 0.25], abs=1e-6)
    assert material["name"] == "purple, 0.25" and material["alphaMode"] == "BLEND"


def test_what_vanishes_keeps_an_inverse(tmp_path):
    """The arrow of a velocity that is zero at the start: no scale is zero."""
    model = Model("fall", gravity=(0, -10, 0))
    (y,) = model.coordinates("y")
    model.body("body", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0), shape=visu.Arrow((0, y.dot, 0), scale=1))
    loaded = Loaded(model.simulate(0.2, save_every=0.1).animate(every=0.1).save(tmp_path / "x.glb"))
    scale = loaded.moving[loaded.index("arrow", mesh=True), "scale"]
    assert (scale > 0).all() and scale[0, 2] < 1e-6 and scale[2, 2] == pytest.approx(2, rel=1e-6)


def test_a_file_that_cannot_be_written_leaves_what_was_there(tmp_path):
    animation = examples.oscillator().simulate(0.1).animate()
    (tmp_path / "x.glb").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        animation.save(tmp_path / "x.glb")
    with pytest.raises(FileError, match=r"ends in .*\.glb or \.gltf"):
        animation.save(tmp_path / "x.obj")
    assert [path.name for path in tmp_path.iterdir()] == ["x.glb"]


def tampered(found, what):
    """Something wrong, which the reader above must find."""
    accessors, channel = found["accessors"], found["animations"][0]["channels"][0]
    if what == "minimum":
        accessors[0]["min"][0] -= 1
    elif what == "count":
        accessors[-1]["count"] += 1000
    elif what == "alignment":
        found["bufferViews"][1]["byteOffset"] += 2
    elif what == "length":
        found["buffers"][0]["byteLength"] += 8
    elif what == "tree":
        found["nodes"][0]["children"] = [1, 2]
    elif what == "rotation":
        found["nodes"][2]["rotation"] = [0, 0, 0, 2]
    elif what == "target":
        found["animations"][0]["channels"].append(channel)


@pytest.mark.parametrize("what", ["minimum", "count", "alignment", "length", "tree", "rotation", "target"])
def test_the_reader_finds_what_is_wrong(what, tmp_path):
    path = examples.double_pendulum().simulate(0.1, save_every=0.05).animate(every=0.05).save(tmp_path / "x.gltf")
    found = json.loads(path.read_text())
    tampered(found, what)
    path.write_text(json.dumps(found))
    with pytest.raises((AssertionError, ValueError)):
        checked(path)
