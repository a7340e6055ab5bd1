"""Mistakes with files of EasyAnim and with drawings."""


import numpy as np
import pytest
from mistakes import InAFolder, explained_in_a_folder

from easydyn import Model, easyanim, integrate, tdisp, trotz, visu
from easydyn.errors import FileError, InputError, ModelError, UnknownNameError
from easydyn.visu import easyanim as files


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


MISTAKES = [
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
    InAFolder(InputError, "the amplitudes of mode 1", lambda _: drawing(modes=[(1, 3j, np.zeros((2, 3)))])),
    InAFolder(InputError, "is asked for, and is there already", lambda f: run().to_csv(f / "x.csv", q=run().q[:, 0])),
    InAFolder(InputError, "for each of the", lambda f: run().to_csv(f / "x.res", height=np.zeros(7))),
    InAFolder(UnknownNameError, "this run has no", lambda f: run().to_csv(f / "x.res", height="y")),
]  # fmt: skip


def oscillation():
    return integrate(lambda t, q, qd, qdd: qdd + q, q=[1], qd=[0], t_final=0.1)


test_mistake_is_explained = explained_in_a_folder(MISTAKES)


def test_a_failing_disk_is_told(tmp_path, monkeypatch):
    def full(rows):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "rows_text", full)
    with pytest.raises(FileError, match="No space left"):
        easyanim.write(drawing(), tmp_path / "x")
    assert not list(tmp_path.iterdir())
