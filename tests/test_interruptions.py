"""Runs and steps that are interrupted, by Ctrl-C or by an exception of the user's own; progress; by every method.

Wherever it happens, the last state that was reached is there, and nothing stands there twice.
"""

import _thread
import io
import math
import signal
import threading

import numpy as np
import pytest
from targets import LOOPS

from easydyn import Stepper, examples, integrate
from easydyn.errors import InterruptedRunError
from easydyn.native.machine import available
from easydyn.sim import (
    dop853,
    generalized_alpha,
    hht,
    kernels,
    lobatto,
    newmark,
    newmark_extrapolated,
    progress,
    records,
)

OWN = {
    "newmark": newmark(), "hht": hht(), "generalized_alpha": generalized_alpha(), "dop853": dop853(),
    "lobatto": lobatto(),
    **{f"order {order}": newmark_extrapolated(order) for order in (4, 6, 8, 12)},
}  # fmt: skip
ALL = [*OWN, "scipy:RK23", "scipy:RK45", "scipy:DOP853", "scipy:Radau", "scipy:BDF", "scipy:LSODA"]


def method_of(name):
    return OWN.get(name, name)


def oscillator(t, q, qd, qdd):
    return qdd + q


FAST = ["newmark", "order 6", "dop853", "lobatto", "scipy:Radau"]


def interrupted(name, target, length=2000, **options):
    """A long run that is not allowed to end; what came instead."""
    with pytest.raises(InterruptedRunError) as caught:
        examples.double_pendulum().simulate(
            length, method=method_of(name), tolerance=1e-8, save_every=0.5, target=target, max_steps=10**9, **options
        )
    error, run = caught.value, caught.value.trajectory
    assert isinstance(error, KeyboardInterrupt) and run.status == "interrupted"
    assert np.all(np.isfinite(run.qd)) and run.t[0] == 0.0 and len(run) > 1 and run.t[-1] == error.time
    assert np.ptp(run.energy.total) < 1e-3
    return error


class Bell(list):
    """A list that rings when it has grown to two."""

    def append(self, item):
        super().append(item)
        if len(self) == 2:
            raise KeyboardInterrupt


@pytest.mark.parametrize("place", ["rows", "steps"])
def test_interrupted_while_results_are_put_away(place, monkeypatch):
    """Between two lines of Records.take_over, where Ctrl-C falls now and then: every instant is there once."""
    begin = records.Records.__init__

    def with_a_bell(self, *arguments):
        begin(self, *arguments)
        setattr(self, place, Bell())

    monkeypatch.setattr(records.Records, "__init__", with_a_bell)
    with pytest.raises(InterruptedRunError) as caught:
        integrate(oscillator, q=[1.0], qd=[0.0], t_final=20.0, method="dop853", save_every=0.001)
    run = caught.value.trajectory
    assert len(run) > 4000 and np.all(np.diff(run.t) > 0) and np.all(np.diff(run.steps.t) > 0)
    assert np.diff(run.t)[:-1] == pytest.approx(0.001, rel=1e-6), "none is missing"
    assert len(run.steps) == run.stats.steps


@pytest.mark.parametrize("name, target, way", [
    (name, target, way) for name in FAST for target in LOOPS for way in ("raise", "signal")
    if name != "scipy:Radau" or target == LOOPS[0]
])  # fmt: skip
def test_progress_may_interrupt(name, target, way):
    seen = []

    def report(fraction):
        seen.append(fraction)
        if len(seen) == 3:
            if way == "raise":
                raise KeyboardInterrupt
            signal.raise_signal(signal.SIGINT)

    error = interrupted(name, target, progress=report)
    assert len(seen) == 3 and 0 < error.time < 2000
    assert error.time / 2000 == pytest.approx(seen[-1], rel=1e-6) or way == "signal"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", ["newmark", "order 6", "dop853", "lobatto"])
@pytest.mark.parametrize("target", LOOPS)
def test_another_thread_may_interrupt(name, target):
    """In the middle of a long run of machine code, which comes back within a slice."""
    timer, began = threading.Timer(0.2, _thread.interrupt_main), threading.Event()

    def report(_):
        if not began.is_set():
            began.set()
            timer.start()

    try:
        interrupted(name, target, length=2000 if name == "newmark" else 50_000, progress=report)
    finally:
        timer.cancel()
        timer.join()


class Exploding:
    """A residual, or rates of integrals, that raise an exception at the n-th evaluation."""

    def __init__(self, exception, left=-1, value=lambda t, q, qd, qdd: qdd + q):
        self.exception, self.left, self.value = exception, left, value

    def __call__(self, t, q, qd, qdd):
        self.left -= 1
        if self.left == 0:
            raise self.exception
        return self.value(t, q, qd, qdd)


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("what", ["residual", "rates"])
def test_interrupted_in_the_middle_of_a_step(name, what):
    """Wherever it happens, the last state reached is there, and is one of the motion, its integral, too."""
    for number in range(200, 215):
        raising = Exploding(KeyboardInterrupt, number)
        raising.value = raising.value if what == "residual" else lambda t, q, qd, qdd: [qd[0] ** 2]
        residual, rates = (raising, lambda t, q, qd, qdd: [qd[0] ** 2]) if what == "residual" else (oscillator, raising)
        with pytest.raises(InterruptedRunError) as caught:
            integrate(
                residual, q=[1.0], qd=[0.0], t_final=50.0, method=method_of(name), tolerance=1e-5, save_every=20.0,
                rates=rates,
            )  # fmt: skip
        run = caught.value.trajectory
        reached = run.steps.t[-1] if len(run.steps) else 0.0
        assert run.t[-1] == pytest.approx(reached, abs=1e-12) and caught.value.time == pytest.approx(reached, abs=1e-12)
        assert np.abs(run.q[:, 0] - np.cos(run.t)).max() < 0.01
        assert np.abs(run.integrals[:, 0] - (run.t / 2 - np.sin(2 * run.t) / 4)).max() < 0.01


@pytest.mark.parametrize("name", OWN)
def test_a_stepper_whose_residual_raises_keeps_its_state(name):
    """Wherever in a step it raises; and the step can be made again."""
    for number in range(1, 60):
        residual = Exploding(RuntimeError("something of the user's own"))
        stepper = Stepper(residual, q=[1.0], qd=[0.0], method=OWN[name])
        stepper.step(0.1)
        before = stepper.t, stepper.q[0], stepper.qd[0], stepper.qdd[0]
        residual.left = number
        try:
            stepper.step(0.1)
        except RuntimeError:
            assert (stepper.t, stepper.q[0], stepper.qd[0], stepper.qdd[0]) == before
            stepper.step(0.1)
            assert stepper.q[0] == pytest.approx(math.cos(0.2), abs=1e-3)
        else:
            assert number > 2
            break


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name, target", [(name, target) for name in FAST for target in LOOPS])
def test_progress_rises_to_one(name, target):
    seen = []
    length = {"scipy:Radau": 1, "newmark": 20 if target == "native" else 1}.get(name, 20 if target == "native" else 10)
    examples.double_pendulum().simulate(
        length, t_start=-1, method=method_of(name), tolerance=1e-8, save_every=0.5, target=target, progress=seen.append
    )
    assert seen == sorted(seen) and seen[-1] == 1.0 and seen[0] > 0
    assert len(set(seen)) >= 3


class Bar:
    """As much of a bar of tqdm as is asked for."""

    def __init__(self, total):
        self.total, self.n = total, 0.0

    def update(self, by):
        self.n += by


@pytest.mark.parametrize("total", [100, None])
def test_a_bar_of_tqdm_is_moved_along(total):
    bar = Bar(total)
    examples.double_pendulum().simulate(0.2, progress=bar)
    assert bar.n == pytest.approx(total or 1.0)


def test_the_bar_of_tqdm_itself():
    tqdm = pytest.importorskip("tqdm").tqdm
    with tqdm(total=1.0, file=io.StringIO()) as real:
        examples.double_pendulum().simulate(0.2, progress=real)
    assert real.n == pytest.approx(1.0)


class AtOnce(threading.Thread):
    """A timer that does not wait."""

    started = 0

    def __init__(self, seconds, function, arguments):
        super().__init__(target=function, args=arguments)
        assert 0 <= seconds <= progress.PATIENCE

    def start(self):
        AtOnce.started += 1
        super().start()
        self.join()

    def cancel(self):
        """It is over."""


def test_what_comes_before_a_run_is_told_too(monkeypatch, capsys):
    """Equations that are derived and compiled are lines that are wiped out, and say nothing where nobody looks."""
    monkeypatch.setattr(progress.threading, "Timer", AtOnce)
    kernels._compiled.cache_clear(), kernels._library.cache_clear()
    examples.double_pendulum().simulate(0.1, progress=False)
    examples.double_pendulum().simulate(0.1)
    assert capsys.readouterr().err == ""
    kernels._compiled.cache_clear(), kernels._library.cache_clear()
    model = examples.double_pendulum()
    model.simulate(0.1, progress=True)
    shown, started = capsys.readouterr().err, AtOnce.started
    told = ("equations are derived", "equations are compiled", "the method is")
    assert all(f"\r{what}" in shown for what in (told if available() else told[:1]))
    assert shown.endswith("\r") and set(shown.rsplit("\r", 2)[1]) == {" "}
    model.simulate(0.1, progress=True)
    model.simulate(0.1, progress=True, parameters={"l1": 1.3})
    assert AtOnce.started == started  # what is there need not be waited for


def test_a_line_stands_as_long_as_what_it_tells(capsys, monkeypatch):
    monkeypatch.setattr(progress.threading, "Timer", AtOnce)
    with pytest.raises(ValueError, match="by chance"), progress.watched(True), progress.waiting("something is done"):
        assert capsys.readouterr().err == "\rsomething is done ..."
        raise ValueError("by chance")
    assert capsys.readouterr().err == "\r" + " " * len("\rsomething is done ...") + "\r"
    with progress.waiting("something is done"):  # nobody has asked for it any longer
        assert capsys.readouterr().err == ""
