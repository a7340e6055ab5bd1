"""Files that are broken in many ways: what is said has the file, the line and the reason. And other mistakes."""

import tracemalloc

import numpy as np
import pytest
from mistakes import InAFolder, explained_in_a_folder

from easydyn import Model, easyanim, examples, integrate, tdisp, trotz, visu
from easydyn.errors import FileError, InputError, ModelError, UnknownNameError
from easydyn.visu import easyanim as files

GOOD = "t\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n1\n1 1 2 4\n1\n1 3 1 2 3 4\n"


def volume(text, where, phrase, ending=".vol"):
    """A volume that is broken; `where` is how the message begins behind the name of the file."""

    def call(folder):
        (folder / f"x{ending}").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        easyanim.read(folder / f"x{ending}")

    return InAFolder(
        FileError, phrase, call, f"x{ending}', {where}" if where.startswith("line") else f"x{ending}' {where}"
    )


def beside(ending, text, where, phrase, good=GOOD):
    """Frames or modes that are broken, beside a good volume."""

    def call(folder):
        (folder / "x.vol").write_text(good)
        (folder / f"x{ending}").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        easyanim.read(folder / "x")

    return InAFolder(
        FileError, phrase, call, f"x{ending}', {where}" if where.startswith("line") else f"x{ending}' {where}"
    )


def changed(line, text):
    """GOOD with another line, counted from 1."""
    lines = GOOD.splitlines()
    lines[line - 1] = text
    return "\n".join(lines)


def pendulum():
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,) = model.coordinates("q")
    model.body("arm", trotz(q) * tdisp(0, -0.5, 0), mass=2, inertia=(0, 0, 2 / 12))
    return model


def run():
    return pendulum().simulate(0.1, save_every=0.05)


def drawing(**changes):
    nodes = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    return easyanim.Drawing(**{"title": "t", "nodes": nodes, "edges": [(0, 1)], "surfaces": [(0, 1, 2)]} | changes)


VMO = "t\n1\n1 0 3\n" + 3 * "1 0 0 0 0 0\n"
BROKEN = [
    volume("", "is empty", "is empty: expected a title"),
    volume("t\n", "ends before the number of nodes", "it was cut off, or a count in it is wrong"),
    volume(changed(2, "three"), "line 2: expected the number of nodes, a whole", "a whole number, got"),
    volume(changed(2, "3.0"), "line 2: expected the number of nodes, a whole", "a whole number, got"),
    volume(changed(2, "-1"), "line 2: the number of nodes is -1", "expected zero or more"),
    volume(changed(2, "3 # nodes"), "line 2: expected the number of nodes alone", "alone on its line"),
    volume(changed(2, "9" * 40), "line 2: expected the number of nodes, a whole", "a whole number, got"),
    volume(changed(2, "999999999999"), "line 6: expected 'id x y z' of a node, got '1'", "of a node, got"),
    volume("t\n999999999999\n1 0 0 0\n", "ends after 1 of 999999999999 nodes", "it was cut off, or a count"),
    volume(changed(2, "2"), "line 5: expected the number of edges alone", "alone on its line"),
    volume(changed(4, "2 1 0"), "line 4: expected 'id x y z' of a node, got '2 1 0'", "of a node, got"),
    volume(changed(4, "2 1 0 0 0"), "line 4: expected 'id x y z' of a node", "of a node, got"),
    volume(changed(4, "2 1 O 0"), "line 4: expected y of node 2, a finite number, got 'O'", "a finite number, got"),
    volume(changed(4, "2 nan 0 0"), "line 4: expected x of node 2", "a finite number, got"),
    volume(changed(4, "2 0 0 -inf"), "line 4: expected z of node 2", "a finite number, got"),
    volume(changed(4, "2 1e999 0 0"), "line 4: expected x of node 2", "a finite number, got"),
    volume(changed(4, "2 1_0 0 0"), "line 4: expected x of node 2", "a finite number, got"),
    volume(changed(4, "2 1,5 0 0"), "line 4: expected x of node 2", "a finite number, got"),
    volume(changed(4, "b 1 0 0"), "line 4: expected the number of a node", "a whole number, got"),
    volume(changed(4, "1 1 0 0"), "line 4: node 1 is there twice: it is in line 3 already", "is there twice"),
    volume(GOOD[: GOOD.index("3 0 1 0")], "ends after 2 of 3 nodes", "it was cut off, or a count"),
    volume(GOOD[: GOOD.index("1 1 2 4")], "ends after 0 of 1 edges", "it was cut off, or a count"),
    volume(changed(7, "1 1 9 4"), "line 7: edge 1 has the node 9", "which is not among the 3 nodes of this file"),
    volume(changed(7, "1 1 2"), "line 7: expected 'id n1 n2 colour' of an edge", "of an edge, got"),
    volume(changed(7, "1 1 2 red"), "line 7: expected the colour of edge 1", "a whole number, got"),
    volume(GOOD[: GOOD.index("\n1\n1 3")], "ends before the number of surfaces", "it was cut off, or a count"),
    volume(changed(9, "1 4 1 2 3 4"), "line 9: surface 1 says that it has 4 nodes, and lists 3", "and lists"),
    volume(changed(9, "1 2 1 2 4"), "line 9: surface 1 says that it has 2 nodes", "at least 3, and a colour"),
    volume(changed(9, "1 99999999999 1 2 3 4"), "line 9: surface 1 says", "and lists"),
    volume(changed(9, "1 3 1 2 8 4"), "line 9: surface 1 has the node 8", "which is not among"),
    volume(changed(9, "1 3 1 2 3 x"), "line 9: expected the colour of surface 1", "a whole number, got"),
    volume(GOOD + "more\n", "line 10: expected the end of the file after 1 surfaces", "expected the end of the file"),
    volume(b"M\xe9canisme\n3\n", "line 1: expected text in UTF-8, got the byte 0xe9", "expected text in UTF-8"),
    volume(b"t\n3\n1 \xff 0 0\n", r"line 3: expected x of node 1, a finite number, got '\\xff'", "number, got"),
    volume(bytes(range(128, 256)) * 40, "line 1: expected text in UTF-8", "expected text in UTF-8"),
    volume(b"\0" * 200_000, "line 1: the line has more than 100000 characters", "this is not an EasyAnim file"),
    volume(changed(4, "2 1 0"), "line 4: expected 'id x y z' of a node", "of a node, got", ".hab"),
    beside(".van", "", "is empty", "is empty: expected frames of 3 lines"),
    beside(".van", "\n \n", "is empty", "is empty: expected frames of 3 lines"),
    beside(".van", "0 0 0\n1 0 0\n", "ends in frame 1, after 2 of 3 nodes", "it was cut off, or a count"),
    beside(".van", 4 * "0 0 0\n", "ends in frame 2, after 1 of 3 nodes", "it was cut off, or a count"),
    beside(".van", 4 * "0 0 0\n" + "0 0\n0 0 0\n", "line 5: expected 'x y z', 3 numbers, got '0 0'", "numbers, got"),
    beside(".van", "0 0 0\n\n0 0 0 0\n0 0 0\n", "line 3: expected 'x y z', 3 numbers", "numbers, got"),
    beside(".van", "0 0 0\n0 nan 0\n0 0 0\n", "line 2: expected y of a node, a finite number", "a finite number, got"),
    beside(".van", "0 0 0\n0 0 1_1\n0 0 0\n", "line 2: expected z of a node", "a finite number, got"),
    beside(".van", 3 * "0 0 0\n" + "0 0 0\nx 0 0\n0 0 0\n", "line 5: expected x of a node", "a finite number, got"),
    beside(".van", b"\x93NUMPY\x01\x00\xff\xfe\n" * 3, "line 1: expected 'x y z', 3 numbers", "numbers, got"),
    beside(".van", "0 0 0\n", "belongs to a scene without nodes", "nothing that frames could move", "t\n0\n0\n0\n"),
    beside(".vmo", "t\n0\n", "line 2: the number of modes is 0: expected 1 or more", "or more"),
    beside(".vmo", VMO.replace("1 0 3", "1 0"), "line 3: expected 'id re im' of a mode", "of a mode, got"),
    beside(".vmo", VMO.replace("1 0 3", "1 0 i"), "line 3: expected the pole of mode 1", "a finite number, got"),
    beside(".vmo", VMO[:-12], "ends in mode 1, after 2 of 3 nodes", "it was cut off, or a count"),
    beside(".vmo", VMO.replace("1 0 0 0 0 0", "1 0 0 0 0"), "line 4: expected 'x y z x y z', 6", "numbers, got"),
    beside(".vmo", VMO + "1\n", "line 7: expected the end of the file after 1 modes", "expected the end of the file"),
    beside(".vmo", VMO.replace("t\n1", "t\n2") + VMO[4:], "line 7: mode 1 is there twice", "is there twice"),
]  # fmt: skip

MISTAKES = [
    *BROKEN,
    InAFolder(FileError, "there is no file", lambda folder: easyanim.read(folder / "none"), "none.vol'"),
    InAFolder(FileError, "there is no file", lambda folder: easyanim.read(folder / "none.hab"), "none.hab'"),
    InAFolder(FileError, "there is no file", lambda folder: visu.Mesh(folder / "none.hab"), "none.hab'"),
    InAFolder(FileError, "cannot read", lambda folder: ((folder / "x.vol").mkdir(), easyanim.read(folder / "x")),
              "x.vol': Is a direct"),
    InAFolder(FileError, "the path is", lambda _: easyanim.read(3), "3"),
    InAFolder(FileError, "the path is", lambda _: easyanim.read(""), "''"),
    InAFolder(FileError, "the path is", lambda _: easyanim.write(run(), "a\0b")),
    InAFolder(FileError, "cannot write", lambda f: easyanim.write(run(), f / "none" / "x"), "x.vol"),
    InAFolder(FileError, "cannot write", lambda f: ((f / "x.van").mkdir(), easyanim.write(run(), f / "x")), "x.van"),
    InAFolder(FileError, "expected the name of a mesh", lambda f: easyanim.write(visu.Box(1, 1, 1), f / "x")),
    InAFolder(FileError, "expected a name without .hab", lambda f: easyanim.write(run(), f / "x.hab")),
    InAFolder(InputError, "easyanim.write got", lambda f: easyanim.write(pendulum(), f / "x")),
    InAFolder(ModelError, "run.animate needs the model", lambda f: easyanim.write(oscillation(), f / "x")),
    InAFolder(InputError, "of a drawing has shape", lambda _: drawing(nodes=[(0, 0), (1, 0)])),
    InAFolder(InputError, "of a drawing has shape", lambda _: drawing(frames=np.zeros((2, 4, 3)))),
    InAFolder(InputError, "of a drawing are not all finite", lambda _: drawing(nodes=[(0, 0, float("nan"))] * 3)),
    InAFolder(InputError, "an edge joins the nodes", lambda _: drawing(edges=[(0, 3)])),
    InAFolder(InputError, "a surface joins the nodes", lambda _: drawing(surfaces=[(0, 1, -1)])),
    InAFolder(InputError, "does not join two nodes", lambda _: drawing(edges=[(0, 1, 2)])),
    InAFolder(InputError, "a surface has the nodes", lambda _: drawing(surfaces=[(0, 1)])),
    InAFolder(InputError, "holds a number twice", lambda _: drawing(node_ids=[1, 2, 1])),
    InAFolder(InputError, "whole numbers", lambda _: drawing(edge_colours=[1, 2])),
    InAFolder(InputError, "whole numbers", lambda _: drawing(surface_colours=[1.5])),
    InAFolder(InputError, "of what is to be seen", lambda _: drawing(nodes=np.eye(3) * 1e308).animate(), "1e+308 m"),
    InAFolder(InputError, "of what is to be seen", lambda _: drawing(frames=np.ones((2, 3, 3)) * 1e200).animate()),
    InAFolder(InputError, "the amplitudes of mode 1", lambda _: drawing(modes=[(1, 3j, np.zeros((2, 3)))])),
    InAFolder(InputError, "modes, counted from 0", lambda _: drawing().animate(mode=0)),
    InAFolder(InputError, "expected a whole number above zero", lambda _: moving().mode_frames(0, 1, 0)),
    InAFolder(InputError, "the amplitude is", lambda _: moving().mode_frames(0, float("inf"))),
    InAFolder(InputError, "has no nodes", lambda _: easyanim.Drawing("nothing", np.zeros((0, 3))).animate()),
    InAFolder(InputError, "was made of a drawing", lambda f: easyanim.write(drawing().animate().scene, f / "x")),
    InAFolder(InputError, "every is", lambda _: drawing().animate(every=0)),
    InAFolder(InputError, "expected a direction, three numbers", lambda _: drawing().animate(up=(0, 0, 0))),
    InAFolder(InputError, "is asked for, and is there already", lambda f: run().to_csv(f / "x.csv", q=run().q[:, 0])),
    InAFolder(InputError, "for each of the", lambda f: run().to_csv(f / "x.res", height=np.zeros(7))),
    InAFolder(UnknownNameError, "this run has no", lambda f: run().to_csv(f / "x.res", height="y")),
]  # fmt: skip


def oscillation():
    return integrate(lambda t, q, qd, qdd: qdd + q, q=[1], qd=[0], t_final=0.1)


def moving():
    return drawing(modes=[(1, 3j, np.ones((3, 3)))])


test_mistake_is_explained = explained_in_a_folder(MISTAKES)


def test_what_the_broken_files_were_made_of_is_good(tmp_path):
    (tmp_path / "x.vol").write_text(GOOD)
    (tmp_path / "x.vmo").write_text(VMO)
    assert len(easyanim.read(tmp_path / "x").modes) == 1 and len(BROKEN) > 50


def test_counts_that_are_huge_take_no_memory(tmp_path):
    (tmp_path / "x.vol").write_text("t\n999999999999999\n1 0 0 0\n")
    tracemalloc.start()
    with pytest.raises(FileError, match="ends after 1 of 999999999999999 nodes"):
        easyanim.read(tmp_path / "x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_half_a_file_is_told_wherever_it_was_cut(tmp_path):
    """Of a file that was written, cut at any line; and of every byte in turn changed, nothing else is ever raised."""
    easyanim.write(examples.oscillator().simulate(0.1, save_every=0.05).animate(every=0.05), tmp_path / "x")
    lines = (tmp_path / "x.vol").read_bytes().splitlines(keepends=True)
    for k in range(0, len(lines), 37):
        (tmp_path / "half.vol").write_bytes(b"".join(lines[:k]))
        with pytest.raises(FileError, match="half.vol"):
            easyanim.read(tmp_path / "half.vol")
    random, told = np.random.default_rng(1), 0
    small = GOOD.encode() * 1
    for k in range(len(small)):
        broken = bytearray(small)
        broken[k] = random.integers(0, 256)
        (tmp_path / "small.vol").write_bytes(broken)
        try:
            easyanim.read(tmp_path / "small.vol")
        except FileError as error:
            assert "small.vol" in str(error)
            told += 1
    assert told > 20


def test_a_failing_disk_is_told(tmp_path, monkeypatch):
    def full(rows):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "rows_text", full)
    with pytest.raises(FileError, match="No space left"):
        easyanim.write(drawing(), tmp_path / "x")
    assert not list(tmp_path.iterdir())
