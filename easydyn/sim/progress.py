"""Progress of a run: a bar on the standard error stream (in a notebook, in the output), or a live view."""

from __future__ import annotations

import sys
import threading
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from easydyn.errors import InputError
from easydyn.inputs import interactive, is_function
from easydyn.sim.functions import Guarded

PATIENCE = 1.5  # seconds before a bar appears by itself
_WIDTH = 30
_ASKED = ContextVar[tuple[Any, float]]("progress", default=(None, -1.0))  # of who waits, and since when


@contextmanager
def progress_bar(progress: Any, latest: Callable[[], Any] | None = None) -> Iterator[Callable[[float], None]]:
    """Yield a function of the completed fraction.

    `progress`: False shows nothing, True shows a bar at once, and a callable is called instead. None shows a bar in
    interactive use (a terminal or a notebook) if the run takes longer than PATIENCE. A bar of tqdm, `tqdm(total=100)`,
    is updated; for a bar of rich give a function, `lambda done: bar.update(task, completed=done)`. For an object with a
    method `follow(latest)`, such as `visu.LiveView`, its context is used; `latest()` makes the motion so far.
    """
    if progress is False or (progress is None and not interactive()):
        yield lambda fraction: None
        return
    if hasattr(progress, "follow"):
        if latest is None:
            raise InputError(f"progress={progress!r}: many runs have no one motion to be followed; give progress=True.")
        with progress.follow(latest) as report:
            yield report
        return
    if is_function(progress) or all(hasattr(progress, name) for name in ("update", "total", "n")):
        own = progress if is_function(progress) else _moving(progress)
        yield Guarded(own, "the function given as progress=", when=_of_the_run)
        return
    if progress is not True and progress is not None:
        raise InputError(f"progress={progress!r}: expected True, False or a function of the fraction, or a tqdm bar.")
    bar = Bar(0.0 if progress else PATIENCE)
    try:
        yield bar.show
    finally:
        bar.close()


@contextmanager
def watched(progress: Any) -> Iterator[None]:
    """What is made within is told as `progress` says (`progress_bar`)."""
    before = _ASKED.set((progress, clock.perf_counter()))
    try:
        yield
    finally:
        _ASKED.reset(before)


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Tell what is made, where a bar would be shown and who waits has waited for PATIENCE; then wipe out the line.

    It starts a thread: for what is made once and kept.
    """
    (progress, since), now = _ASKED.get(), clock.perf_counter()
    told = progress is True or progress is None and interactive()
    if not told or sys.platform == "emscripten":  # there are no threads in a browser
        yield
        return
    bar = Bar(0.0)
    left = max(0.0, PATIENCE - (now - since)) if since >= 0 else PATIENCE
    timer = threading.Timer(left, bar.write, (f"\r{what} ...",))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        bar.close()


def _moving(bar: Any) -> Callable[[float], Any]:
    """A function of the fraction done that moves a bar of tqdm, or of whatever has its `n`, `total` and `update`."""
    return lambda fraction: bar.update((bar.total or 1.0) * fraction - bar.n)


def _of_the_run(fraction: float) -> str:
    return f"{100 * fraction:.3g} % of the run"


def _stream() -> Any:
    """Where a bar goes: in a notebook, errors have a red ground, and what is wiped out leaves a red line."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr if shell is None or getattr(sys.stderr, "isatty", lambda: False)() else sys.stdout


class Bar:
    """A line of characters that is rewritten; it appears after `patience` seconds."""

    def __init__(self, patience: float):
        self.began = self.last = clock.perf_counter()
        self.patience = patience
        self.stream = _stream()
        self.shown, self.broken = 0, False  # characters

    def show(self, fraction: float) -> None:
        now = clock.perf_counter()
        if self.broken or now - self.began < self.patience or (now - self.last < 0.1 and fraction < 1):
            return
        self.last = now
        done = int(_WIDTH * fraction)
        left = (now - self.began) * (1 - fraction) / fraction if fraction > 0 else 0.0
        bar = "#" * done + "." * (_WIDTH - done)
        self.write(f"\r[{bar}] {100 * fraction:3.0f} %  {left:6.1f} s left")

    def close(self) -> None:
        if self.shown:
            self.write("\r" + " " * self.shown + "\r")

    def write(self, text: str) -> None:
        """Show a text; the run continues even if the output was closed (a pipe or a notebook)."""
        self.shown = max(self.shown, len(text))
        try:
            print(text, end="", file=self.stream, flush=True)
        except (OSError, ValueError):
            self.broken = True
