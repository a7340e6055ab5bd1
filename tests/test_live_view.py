"""What a run has reached, seen while it is under way: nothing of the run changes, and no picture costs its result."""

import sys
import types
from contextlib import contextmanager

import numpy as np
import pytest

from easydyn import Model, errors, examples, integrate, tdisp, trotz, visu
from easydyn.visu import live


def picture(path):
    from matplotlib import image

    return image.imread(path)


def watched(monkeypatch, model, *time, **options):
    """The motions that are given to a view in tenths of a run, and the run."""
    monkeypatch.setattr("easydyn.sim.records.SLICE", 0.0)  # reports after every few steps
    given = []

    def report(fraction):
        if not given or fraction > given[-1][0] + 0.1 or fraction == 1:
            given.append((fraction, latest()))

    class Watcher:
        @contextmanager
        def follow(self, so_far):
            nonlocal latest
            latest = so_far
            yield report

    latest = None
    return given, model.simulate(*time, progress=Watcher(), **options)


@pytest.mark.long
def test_the_run_is_the_same_to_the_bit_and_its_end_is_in_the_file(tmp_path):
    model = examples.double_pendulum()
    path = tmp_path / "a picture.png"
    view = visu.LiveView("q1", "q1.dot", path=path, trace="lower arm", every=1e-3)
    run, alone = model.simulate(3, progress=view), model.simulate(3, progress=False)
    for name in ("t", "q", "qd", "qdd", "integrals"):
        assert np.array_equal(getattr(run, name), getattr(alone, name))
    assert view.pictures >= 1
    shown = picture(path)
    assert shown.shape[0] > shown.shape[1] == 600  # the mechanism, and two panels below it
    assert 0.02 < np.mean(shown[..., :3].min(axis=-1) < 0.9) < 0.5  # neither empty nor full


def test_what_is_watched_is_the_motion_so_far(monkeypatch):
    """Each motion begins at the start and ends where the run is; its states are those of the run."""
    given, run = watched(monkeypatch, examples.double_pendulum(), 3, tolerance=1e-8)
    assert len(given) > 3 and given[-1][0] == 1
    for fraction, motion in given[1:]:
        assert motion.status == "running" and motion.t[0] == 0 and np.all(np.diff(motion.t) > 0)
        assert motion.t[-1] == pytest.approx(3 * fraction, abs=1e-12) and len(motion) < 4001
        place = np.searchsorted(run.t, motion.t[:-1])
        assert np.array_equal(run.q[place], motion.q[:-1])
        assert abs(np.ptp(motion.energy.balance)) < 1e-5


def test_of_a_loop_all_coordinates_are_watched(monkeypatch):
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c = model.coordinates("a b c", initial=(0.5, -0.3, 0.9))
    crank = model.body("crank", trotz(a) * tdisp(0.1, 0, 0), mass=1, inertia=(0, 0, 0.01))
    elbow = trotz(a) * tdisp(0.2, 0, 0)
    coupler = model.body("coupler", elbow * trotz(b) * tdisp(0.3, 0, 0), mass=1, inertia=(0, 0, 0.01))
    rocker = model.body("rocker", tdisp(0.5, 0, 0) * trotz(c) * tdisp(0.2, 0, 0), mass=1, inertia=(0, 0, 0.01))
    model.close((coupler, (0.3, 0, 0)), (rocker, (0.2, 0, 0)), joint="revolute")
    given, run = watched(monkeypatch, model, 0.5)
    motion = given[-1][1]
    assert motion.names == run.names and motion["c"][-1] == run["c"][-1]
    assert np.isfinite(motion.frames(crank)).all()


@pytest.mark.long
def test_a_cell_of_a_notebook_has_one_picture_that_is_replaced(monkeypatch):
    shown = []

    class Handle:
        def update(self, image):
            shown.append(("update", image.data[:4]))

    def display(image, display_id):
        shown.append(("display", image.data[:4]))
        return Handle()

    import matplotlib.pyplot  # noqa: F401  (it asks IPython, when it is loaded, for more than stands below)

    ipython = types.ModuleType("IPython")
    ipython.version_info = (9, 0)  # the first figure asks for it
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=1)
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display, ipython.display.Image = display, lambda data: types.SimpleNamespace(data=data)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    monkeypatch.setattr("easydyn.sim.records.SLICE", 0.0)
    monkeypatch.setattr(live, "SHARE", 1.0)
    view = visu.LiveView(every=1e-9)
    with view.follow(lambda: examples.oscillator().simulate(0.1)) as report:
        for fraction in (0.1, 0.5, 1.0):
            report(fraction)
    assert [kind for kind, _ in shown] == ["display", "update", "update"] and view.pictures == 3
    assert {start for _, start in shown} == {b"\x89PNG"}


def test_pictures_take_a_fifth_of_the_time(monkeypatch):
    """After a picture of so many seconds the next one is not begun before four times as many have passed."""
    now = [0.0]
    monkeypatch.setattr(live.clock, "perf_counter", lambda: now[0])
    drawn = []
    view = visu.LiveView(path="never.png", every=0.5)
    with view.follow(lambda: None) as report:
        watching = report.__self__

        def draw(*_):
            drawn.append(now[0])
            now[0] += 3.0

        monkeypatch.setattr(watching, "picture", draw)
        watching.show = lambda figure: None
        for _ in range(100):
            report(0.5 + now[0] / 1e4)
            now[0] += 1.0
    assert np.diff(drawn).min() >= 15 and len(drawn) >= 6


def test_a_name_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(errors.UnknownNameError, match="'speed'") as told:
        examples.oscillator().simulate(1, progress=visu.LiveView("speed", path=tmp_path / "a.png"))
    assert told.value.trajectory is not None


def test_a_picture_that_fails_later_costs_nothing(monkeypatch, tmp_path):
    calls = []

    def write(path, figure):
        calls.append(path)
        if len(calls) > 1:
            raise errors.FileError("cannot write 'a.png': No space left on device.")

    monkeypatch.setattr(live, "_write", write)
    monkeypatch.setattr("easydyn.sim.records.SLICE", 0.0)
    with pytest.warns(errors.LiveViewWarning, match="has ended: cannot write 'a.png'.*goes on without it"):
        run = examples.oscillator().simulate(5, progress=visu.LiveView(path=tmp_path / "a.png"))
    assert run.status == "finished" and len(calls) == 2


def test_without_a_place_for_pictures_there_is_a_bar(capsys):
    view = visu.LiveView()
    assert examples.oscillator().simulate(1, progress=view).status == "finished"
    assert view.pictures == 0 and "100 %" in capsys.readouterr().err


def test_runs_without_a_model_and_of_scipy_are_followed(tmp_path):
    path = tmp_path / "curve.png"
    integrate(lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=3, progress=visu.LiveView("q[0]", path=path))
    low = picture(path).shape[0]
    pytest.importorskip("scipy")
    run = examples.double_pendulum().simulate(0.2, method="scipy:LSODA", progress=visu.LiveView(path=path))
    assert run.status == "finished" and picture(path).shape[0] > low


def test_many_runs_are_no_motion_to_be_followed():
    study = examples.oscillator().study(1, over={"q": [0.1, 0.2]})
    with pytest.raises(errors.InputError, match="many runs have no one motion to be followed; give progress=True"):
        study.run(progress=visu.LiveView())


def test_refusals():
    with pytest.raises(errors.InputError, match="every is 0"):
        visu.LiveView(every=0)
    with pytest.raises(errors.FileError, match=r"ends in \.png"):
        visu.LiveView(path="a.html")
    assert repr(visu.LiveView("q1", "q2")) == "LiveView(q1, q2)"
