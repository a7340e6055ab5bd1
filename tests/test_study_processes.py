"""Studies in other processes, on disk, killed and resumed: the results are those of a study that nobody disturbed."""

import copy
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from easydyn import Force, GeneralizedForce, Last, Max, Model, Uniform, examples, tdisp, trotz
from easydyn.errors import SlowRunWarning

# other processes find what is hidden in this one, and then make machine code
pytestmark = pytest.mark.skipif(bool(os.environ.get("EASYDYN_HIDE")), reason="what is hidden here is not hidden there")

HERE = Path(__file__).resolve().parent


def study(samples=300, block=20, **options):
    """A study some of whose runs fail."""
    over = {"q1": Uniform(-1, 1), "q2": [0.5, 1.0]}
    keep = {"end": Last("q1"), "largest": Max("q2.dot")}
    return examples.double_pendulum().study(2, over=over, samples=samples, seed=3, keep=keep, block=block, **options)


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def processes(count=2):
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"))


@pytest.mark.long
def test_processes_give_what_this_process_gives():
    with processes() as pool:
        found = study(60).run(pool)
        again = study(60, method="newmark").run(pool)  # one by one
    np.testing.assert_array_equal(found.table, study(60).run().table)
    np.testing.assert_array_equal(again.table, study(60, method="newmark").run().table)


def killed(folder, after):
    """Begin the study in a process of its own, and kill that."""
    program = f"import test_study_processes as t; t.study().resume({str(folder)!r})"
    run = subprocess.Popen([sys.executable, "-c", program], cwd=HERE, env={**os.environ, "MPLBACKEND": "Agg"})
    began = time.monotonic()
    while not after(folder, time.monotonic() - began) and run.poll() is None:
        time.sleep(0.002)
    run.kill()
    run.wait()
    return run.returncode != 0


def some_blocks(count):
    return lambda folder, passed: len([*Path(folder).glob("block-*.npz")]) >= count or passed > 60


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="processes are killed by a signal")
def test_a_study_that_is_killed_goes_on_where_it_was(tmp_path):
    """What is there is taken, and the files are those of a study that was not disturbed, byte by byte."""
    undisturbed = study().run(folder=tmp_path / "whole")
    assert killed(tmp_path / "runs", some_blocks(3))
    there = contents(tmp_path / "runs")
    assert 3 < len(there) < 31
    result = study().resume(tmp_path / "runs")
    assert contents(tmp_path / "runs") == contents(tmp_path / "whole")
    np.testing.assert_array_equal(result.table, undisturbed.table)
    np.testing.assert_array_equal(study().resume(tmp_path / "runs").table, undisturbed.table)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="processes are killed by a signal")
def test_killed_at_random_instants_ten_times(tmp_path, rng):
    study().run(folder=tmp_path / "whole")
    hits = 0
    for k in range(10):
        folder = tmp_path / f"runs {k}"
        reached, after = some_blocks(int(rng.integers(0, 15))), iter(range(int(rng.integers(0, 5))))
        hits += killed(folder, lambda *at, reached=reached, after=after: reached(*at) and next(after, None) is None)
        study().resume(folder)
        assert contents(folder) == contents(tmp_path / "whole")
        shutil.rmtree(folder)
    assert hits >= 5


# -- processes that die -----------------------------------------------------------------------------------------------


def dies_once(instant):
    """The action of an event: the process that makes the run with this start dies, the first time."""
    marker = Path(os.environ["EASYDYN_TEST_MARKER"])
    if not marker.exists():
        marker.write_text("died")
        os.kill(os.getpid(), signal.SIGKILL)


def dies_always(instant):
    if os.environ.get("EASYDYN_TEST_PARENT") != str(os.getpid()):
        os.kill(os.getpid(), signal.SIGKILL)


def falling(action):
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1)
    model.body("ball", tdisp(0, y, 0), mass=1, inertia=(0, 0, 0))
    model.event(y, name="ground", action=action)
    return model.study(0.2, over={"y": [2.0, 1.0, 0.1, 3.0]}, block=1)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="processes are killed by a signal")
def test_runs_of_a_process_that_died_are_made_again(tmp_path, monkeypatch):
    monkeypatch.setenv("EASYDYN_TEST_MARKER", str(tmp_path / "died"))
    with processes(1) as pool, pytest.warns(SlowRunWarning, match=r"^a process that made runs of this study died"):
        found = falling(dies_once).run(pool)
    assert (tmp_path / "died").exists() and not found.messages
    np.testing.assert_allclose(found["y end"], np.array([2.0, 1.0, 0.1, 3.0]) - 9.81 * 0.02, atol=1e-5)


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="processes are killed by a signal")
def test_a_run_that_kills_each_process_is_a_row(tmp_path, monkeypatch):
    monkeypatch.setenv("EASYDYN_TEST_PARENT", str(os.getpid()))
    with processes(1) as pool, pytest.warns(SlowRunWarning):
        found = falling(dies_always).run(pool)
    assert found.messages == {
        2: "the process that made this run died, 4 times: it may need more memory than there is, or crash."
    }
    assert np.isnan(found["y end"]).tolist() == [False, False, True, False]


# -- tasks of one's own -----------------------------------------------------------------------------------------------


def end_of(model, q1):
    """What a user maps over a pool; with how often equations were derived in this process."""
    from easydyn.engine import derivation

    if not hasattr(end_of, "counted"):
        made = derivation.Derivation.__init__

        def counting(self, *arguments):
            end_of.counted += 1
            made(self, *arguments)

        end_of.counted, derivation.Derivation.__init__ = 0, counting
    return float(model.simulate(1, initial={"q1": q1})["q2"][-1]), end_of.counted


@pytest.mark.long
def test_a_model_is_derived_once_in_each_process():
    """However many tasks it travels with; and its values of parameters travel with it."""
    model, values = examples.double_pendulum(), [0.1 * k for k in range(12)]
    with processes(1) as pool:
        found = [*pool.map(partial(end_of, model), values)]
    assert [end for end, _ in found] == [float(model.simulate(1, initial={"q1": x})["q2"][-1]) for x in values]
    assert {counted for _, counted in found} == {1}


def test_copies_of_a_model_share_what_was_derived_and_nothing_else():
    model = Model("pendulum", gravity=(0, -9.81, 0))
    (q,), (length,) = model.coordinates("q", initial=1), model.parameters(length=1.0)
    model.body("bob", trotz(q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0))
    written = pickle.dumps(model)
    first, second = pickle.loads(written), pickle.loads(written)
    first.simulate(0.1)
    assert second._compiled is first._compiled and second._compiled
    model.set_parameters(length=2.0)
    third = pickle.loads(pickle.dumps(model))
    assert third._compiled is first._compiled
    assert third.simulate(0.5)["q"][-1] == model.simulate(0.5)["q"][-1] != second.simulate(0.5)["q"][-1]
    second.coordinates("x")
    assert len(first.names) == len(third.names) == 1 and len(second.names) == 2
    assert second._compiled is not first._compiled
    twin = copy.copy(first)
    twin.event(q, name="down", action="stop")
    assert not first.events and twin.simulate(1).status == "stopped" and first.simulate(1).status == "finished"
    other = Model("pendulum", gravity=(0, -9.81, 0))
    (q,), (length,) = other.coordinates("q", initial=1), other.parameters(length=1.0)
    other.body("bob", trotz(q) * tdisp(0, -length, 0), mass=1, inertia=(0, 0, 0.5))
    fourth = pickle.loads(pickle.dumps(other))
    assert fourth._compiled is not first._compiled


class Counting:
    """A law that remembers how often it was asked."""

    def __init__(self):
        self.asked = 0

    def __call__(self, t, outputs):
        self.asked += 1
        return {"u": self.asked}


def pushes(t, outputs):
    return {"u": 5.0}


def cart():
    model = Model("cart")
    (x,), u = model.coordinates("x"), model.input("u")
    model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, u))
    return model


def test_a_copy_takes_elements_on_the_bodies_of_its_model():
    """Also where an equal model was written before: the copy has the bodies of the one, not of the other."""

    def one():
        model = Model("cart", gravity=(0, -9.81, 0))
        (x,) = model.coordinates("x")
        return model, model.body("cart", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))

    pickle.dumps(one()[0])
    model, cart = one()
    twin = copy.copy(model)
    twin.add(Force(cart, (3, 0, 0)))
    assert twin.simulate(1)["x"][-1] == pytest.approx(0.75) and model.simulate(1)["x"][-1] == 0


def test_a_copy_has_what_was_declared_after_the_last_one():
    model = cart()
    first = pickle.loads(pickle.dumps(model))
    model.controller(0.1, pushes)  # which changes no equation
    second, third = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    end = model.simulate(1)["x"][-1]
    assert second.simulate(1)["x"][-1] == third.simulate(1)["x"][-1] == end == pytest.approx(1.25)
    assert first.simulate(1)["x"][-1] == 0
    assert second._compiled is first._compiled
    model.name, model.note = "wagon", [1]
    fourth = pickle.loads(pickle.dumps(model))
    assert (fourth.name, fourth.note, first.name) == ("wagon", [1], "cart") and fourth.note is not model.note
    model.event(model.symbols["x"] - 0.5, name="there", action="stop")
    fifth = pickle.loads(pickle.dumps(model))
    assert fifth.simulate(1).status == "stopped" and fourth.simulate(1).status == "finished"


def test_what_a_law_remembers_is_that_of_one_copy():
    model = cart()
    model.controller(0.1, Counting())
    written = pickle.dumps(model)
    first, second = pickle.loads(written), pickle.loads(written)
    ends = [first.simulate(1)["x"][-1], second.simulate(1)["x"][-1], copy.deepcopy(model).simulate(1)["x"][-1]]
    assert ends[0] == ends[1] == ends[2] and second._compiled is first._compiled
    assert model.controllers[0].law.asked == 0
    model.event(model.symbols["x"] - 0.5, name="there", action=lambda instant: None)  # no function that can be pickled
    with pytest.raises((AttributeError, pickle.PicklingError)):
        pickle.dumps(model)
    assert copy.deepcopy(model).simulate(1).events


def test_a_model_is_written_once_and_read_once(monkeypatch):
    """A task then costs what its values cost."""
    from easydyn.model import known

    model, written = examples.double_pendulum(), []
    monkeypatch.setattr(known, "_packed", lambda state, made=known._packed: written.append(1) or made(state))
    for length in (1.0, 1.1, 1.2):
        model.set_parameters(l1=length)
        assert pickle.loads(pickle.dumps(model)).values()["l1"] == length
    assert len(written) == 1
    sent = pickle.dumps(model)
    known._KNOWN.clear()  # as in another process
    one, two = pickle.loads(sent), pickle.loads(sent)
    assert one["lower arm"] is two["lower arm"] is not model["lower arm"] and one._compiled is two._compiled
    model.parameters(extra=1)
    pickle.dumps(model)
    assert len(written) == 2


# -- clusters ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_cluster_of_dask_gives_what_this_process_gives(tmp_path):
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, local_directory=str(tmp_path)
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = study(100).run(client, folder=tmp_path / "runs")
    np.testing.assert_array_equal(found.table, study(100).run().table)


MPI = """
import sys
sys.path.insert(0, {here!r})
if __name__ == "__main__":
    from mpi4py import MPI
    from mpi4py.futures import MPIPoolExecutor
    import test_study_processes as t
    with MPIPoolExecutor() as pool:
        t.study(100).run(pool, folder={folder!r})
"""


@pytest.mark.long
def test_two_ranks_of_mpi_give_what_this_process_gives(tmp_path):
    pytest.importorskip("mpi4py")
    launch = shutil.which("mpiexec")
    if launch is None:
        pytest.skip("there is no mpiexec")
    program = tmp_path / "program.py"
    program.write_text(MPI.format(here=str(HERE), folder=str(tmp_path / "runs")), encoding="utf-8")
    about = subprocess.run([launch, "--version"], capture_output=True, text=True, check=False).stdout
    options = ["--oversubscribe", "--allow-run-as-root"] if "Open MPI" in about or "OpenRTE" in about else []
    command = [launch, *options, "-n", "2", sys.executable, "-m", "mpi4py.futures", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(study(100).resume(tmp_path / "runs").table, study(100).run().table)
