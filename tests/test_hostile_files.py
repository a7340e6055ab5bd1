"""Files that somebody has damaged, or made to do harm: an error of ours or a right result, and soon.

Each kind of file is mutated by seed: bits, pieces taken out or doubled, what is in the archive, what is in its JSON.
The normal suite takes a sample; `pytest -m long` takes five hundred of each kind.
"""

import io
import json
import struct
import zipfile
import zlib

import numpy as np
import pytest
from together import together

from easydyn import Model, Trajectory, integrate, tdisp, trotz, visu
from easydyn.errors import EasyDynError, FileError
from easydyn.result import trajectory_files

SAMPLE, MANY = 40, 500


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """The bytes of good files, by their endings."""
    folder = tmp_path_factory.mktemp("good")
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q", initial=1)
    model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 1), shape=visu.Box(0.1, 1, 0.1))
    run = model.simulate(0.1, save_every=0.02, step=0.01)
    run.save(folder / "x.npz")
    corners = np.eye(3, dtype="<f4")
    (folder / "x.stl").write_bytes(bytes(80) + struct.pack("<I", 2) + 2 * (bytes(12) + corners.tobytes() + bytes(2)))
    return {path.suffix: path.read_bytes() for path in folder.iterdir() if path.stem == "x"} | {
        ".text.stl": b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        b"endloop\nendfacet\nendsolid x\n"
    }


def read(kind, path):
    if kind == ".npz":
        run = Trajectory.load(path)
        return len(run.columns), repr(run), run["t"]
    return visu.Mesh(path).solid.volume


def mutated(data, rng):
    """Bytes with something wrong in them."""
    found = bytearray(data)
    kind = rng.integers(5)
    place = int(rng.integers(len(found)))
    if kind == 0:
        for k in rng.integers(len(found), size=rng.integers(1, 9)):
            found[k] ^= 1 << int(rng.integers(8))
    elif kind == 1:
        del found[place:]
    elif kind == 2:
        del found[place : place + int(rng.integers(1, 60))]
    elif kind == 3:
        found[place:place] = found[: int(rng.integers(1, 200))]
    else:
        found[place : place + 1] = rng.choice([b"nan", b"1e999", b"-1", b"99999999999", b"\xff\xfe", b"\n\n", b"1e308"])
    return bytes(found)


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts, **options):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return file.getvalue()


def told(content):
    """What is said about a run, as the array in which it stands."""
    file = io.BytesIO()
    np.save(file, np.array(content))
    return file.getvalue()


STRANGE = [None, [], {}, "", 3, -1, 1e999, True, [None], ["q", "q"], {"a": None}, [[]], "x" * 5000, [1, 2], {"1": "x"}]


def mutated_run(data, rng):
    """A run whose archive is in order, but not what is in it."""
    parts = members(data)
    if rng.integers(2):
        about = json.loads(str(np.load(io.BytesIO(parts["about.npy"]))))
        about[str(rng.choice([*about]))] = STRANGE[int(rng.integers(len(STRANGE)))]
        parts["about.npy"] = told(json.dumps(about))
    else:
        name = str(rng.choice([*parts]))
        choice = int(rng.integers(3))
        if choice == 0:
            parts[name] = mutated(parts[name], rng)
        elif choice == 1:
            del parts[name]
        else:
            file = io.BytesIO()
            np.save(file, [np.zeros((3, 3)), np.full(6, np.nan), np.array("x"), np.zeros(0)][int(rng.integers(4))])
            parts[name] = file.getvalue()
    return packed(parts)


def survive(kind, data, count, seed, folder):
    rng = np.random.default_rng(seed)
    ending = kind[kind.rindex(".") :]
    came = {"error": 0, "result": 0}
    for k in range(count):
        path = folder / f"f{k}{ending}"
        for companion in (".vol", ".van", ".vmo") if ending in (".van", ".vmo") else ():
            (folder / f"f{k}{companion}").write_bytes(ORIGINALS[companion])
        harm = mutated_run if kind == ".npz" and rng.integers(2) else mutated
        path.write_bytes(harm(data, rng))
        try:
            read(kind, path)
            came["result"] += 1
        except EasyDynError as error:
            assert str(error).endswith("."), error
            came["error"] += 1
    return came


ORIGINALS = {}
KINDS = [".npz", ".stl", ".text.stl"]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_give_an_error_of_ours_or_a_result(kind, originals, tmp_path):
    ORIGINALS.update(originals)
    came = survive(kind, originals[kind], SAMPLE, 1, tmp_path)
    assert came["error"] >= SAMPLE // 5, came


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_damaged_files(kind, originals, tmp_path):
    ORIGINALS.update(originals)
    assert survive(kind, originals[kind], MANY, 2, tmp_path)["error"] >= MANY // 5


# -- made to do harm --------------------------------------------------------------------------------------------------


def header(shape, kind="<f8"):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def with_part(data, **changed):
    return packed(members(data) | {f"{name}.npy": content for name, content in changed.items()})


def encrypted(data):
    """The first member says that it needs a password."""
    found = bytearray(data)
    found[6] |= 1
    found[found.index(b"PK\x01\x02") + 8] |= 1
    return bytes(found)


def packed_otherwise(data, method):
    found = bytearray(data)
    found[8:10] = struct.pack("<H", method)
    place = found.index(b"PK\x01\x02") + 10
    found[place : place + 2] = struct.pack("<H", method)
    return bytes(found)


def bomb(_):
    """Two GB of zeros in two MB."""
    packer, zeros, count = zlib.compressobj(9, zlib.DEFLATED, -15), bytes(2**24), 128
    part = packer.compress(zeros) + packer.flush(zlib.Z_FULL_FLUSH)  # whatever stands before it, it says the same
    content, crc = part * count + packer.flush(), 0x4DBDF21C
    sizes = struct.pack("<III", crc, len(content), len(zeros) * count)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + struct.pack("<HH", 5, 0) + b"t.npy"
    central = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes
    central += struct.pack("<HHHHHII", 5, 0, 0, 0, 0, 0, 0) + b"t.npy"
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local) + len(content), 0)
    return local + content + central + end


def about_with(data, **changed):
    parts = members(data)
    about = json.loads(str(np.load(io.BytesIO(parts["about.npy"]))))
    return with_part(data, about=told(json.dumps(about | changed)))


HARMFUL = {
    "deep JSON": lambda data: with_part(data, about=told("[" * 200_000)),
    "long number in JSON": lambda data: with_part(data, about=told("9" * 20_000)),
    "no dictionary": lambda data: with_part(data, about=told("[1, 2]")),
    "shape of 1e12": lambda data: with_part(data, t=header((10**12,))),
    "shape of 1e30": lambda data: with_part(data, t=header((10**15, 10**15))),
    "shape below zero": lambda data: with_part(data, t=header((-1,))),
    "texts of no length": lambda data: with_part(data, t=header((10**12,), "<U0")),
    "objects": lambda data: with_part(data, t=header((1,), "|O") + b"cos\nsystem\n(S'mkdir executed'\ntR."),
    "no header": lambda data: with_part(data, t=b"\x93NUMPY\x01\x00\x05\x00((((("),
    "deep header": lambda data: with_part(data, t=b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535),
    "a newer kind": lambda data: with_part(data, t=b"\x93NUMPY\x09\x00" + bytes(100)),
    "encrypted": encrypted,
    "packed by a way of its own": lambda data: packed_otherwise(data, 99),
    "packed by lzma": lambda data: packed_otherwise(data, 14),
    "many members": lambda data: packed({f"a{k}.npy": header((0,)) for k in range(500)}),
    "bomb": bomb,
    "numbers as names": lambda data: about_with(data, names=[1]),
    "parameters that are none": lambda data: about_with(data, parameters={"l": [1]}),
    "statistics that are none": lambda data: about_with(data, stats={"steps": "x"}),
    "units that are none": lambda data: about_with(data, units={"q": 3}),
    "title that is none": lambda data: about_with(data, title=None),
    "events that are none": lambda data: about_with(data, events=[3]),
    "times that are no numbers": lambda data: with_part(data, t=header((6,)) + np.full(6, np.nan).tobytes()),
    "times that go back": lambda data: with_part(data, t=header((6,)) + np.arange(6.0)[::-1].tobytes()),
    "one array": lambda data: header((1,)) + bytes(8),
    "a pickle": lambda data: b"cos\nsystem\n(S'mkdir executed'\ntR.",
    "nothing": lambda data: b"",
}


@together("name", HARMFUL)
def test_a_file_made_to_do_harm_is_refused(name, originals, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.npz").write_bytes(HARMFUL[name](originals[".npz"]))
    with pytest.raises(FileError, match="x.npz' is not a run written by Trajectory.save, or it is damaged. Save the"):
        Trajectory.load("x.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["x.npz"]


def test_a_run_that_packs_well_is_no_bomb(tmp_path, monkeypatch):
    """What stands still takes a thousandth of its memory on disk."""
    monkeypatch.setattr(trajectory_files, "DENSEST", 1)
    run = integrate(lambda t, q, qd, qdd: qdd, q=[0.0], qd=[0.0], t_final=1, save_every=1e-5, step=0.1)
    path = run.save(tmp_path / "x.npz")
    assert path.stat().st_size < run.q.nbytes / 2 and len(Trajectory.load(path)) == 100_001
    monkeypatch.setattr(trajectory_files, "PLENTY", 10_000)
    with pytest.raises(FileError, match="is not a run"):
        Trajectory.load(path)
