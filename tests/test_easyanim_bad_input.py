"""Mistakes with files of EasyAnim and with drawings."""


import pytest
from mistakes import explained

from easydyn import Model, easyanim, integrate, tdisp, trotz
from easydyn.errors import FileError
from easydyn.visu import drawing as files


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


def oscillation():
    return integrate(lambda t, q, qd, qdd: qdd + q, q=[1], qd=[0], t_final=0.1)


@pytest.fixture(scope="module")
def bench():
    """None: each mistake has an empty folder."""


test_mistake_is_explained = explained(__file__)


def test_a_failing_disk_is_told(tmp_path, monkeypatch):
    def full(rows):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "rows_text", full)
    with pytest.raises(FileError, match="No space left"):
        easyanim.write(drawing(), tmp_path / "x")
    assert not list(tmp_path.iterdir())
