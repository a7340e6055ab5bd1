"""Makes the blocks of a study, by threads of this process, by executors or on a cluster, and keeps each in a file."""

from __future__ import annotations

import json
import os
import threading
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError, InputError, InterruptedRunError, SlowRunWarning, calls_to_user
from easydyn.files import path_to, writable, write_text
from easydyn.result import trajectory_files
from easydyn.sim.progress import progress_bar
from easydyn.study.result import Block, StudyResult

AHEAD = 64  # blocks that an executor is given before it has made them
DEATHS = 3  # of processes at a block, until its runs are left out
REMEMBERED = 4  # studies in a process that makes blocks
LOST = "the process that made this run died, {} times: it may need more memory than there is, or crash."
DESCRIPTION = "study.json"
_STUDIES: dict[tuple[str, int], Any] = {}
_LOCK = threading.Lock()


def block_of(study: Any, k: int) -> Block:
    """Make a block of a study in any process; equations that this process has already compiled are used again."""
    with _LOCK:
        key = study.key, study.block
        study = _STUDIES[key] = _STUDIES.pop(key, study)  # the one that was used last is the last
        if len(_STUDIES) > REMEMBERED:
            del _STUDIES[next(iter(_STUDIES))]
        if study.batch is not None:
            study.batch.ready()
    return study.make(k)


def make_all(study: Any, executor: Any, folder: Any, progress: Any, resumed: bool) -> StudyResult:
    """All runs of a study; documented at `Study.run`."""
    store = None if folder is None and not resumed else Store(study, folder, resumed)
    table = np.full((study.count, study.columns), np.nan)
    messages: dict[int, str] = {}
    missing = list(range(study.blocks))

    def take(k: int, block: Block) -> None:
        begin = k * study.block
        table[begin : begin + len(block.table)] = block.table
        messages.update({begin + place: text for place, text in block.messages.items()})

    if store is not None:
        for k in store.there():
            take(k, store.read(k))
            missing.remove(k)
    done = study.blocks - len(missing)
    with progress_bar(progress) as report:
        try:
            for k, block in _made(study, executor, missing):
                if store is not None:
                    store.write(k, block)
                take(k, block)
                done += 1
                report(done / study.blocks)
        except KeyboardInterrupt:
            where = f" study.resume({str(folder)!r}) goes on." if store is not None else ""
            error = InterruptedRunError(
                f"the study was interrupted after {done} of {study.blocks} blocks; error.result has their runs.{where}",
            )
            left = "not made: the study was interrupted."
            for run in np.flatnonzero(np.isnan(table).all(axis=1)).tolist():
                messages.setdefault(run, left)
            error.result = StudyResult(study, table, messages)  # type: ignore[attr-defined]
            raise error from None
    return StudyResult(study, table, dict(sorted(messages.items())))


# -- who makes them ---------------------------------------------------------------------------------------------------


def _made(study: Any, executor: Any, missing: list[int]) -> Iterator[tuple[int, Block]]:
    """The blocks as they come."""
    if executor is None:
        if study.batch is None or len(missing) < 2:
            yield from ((k, study.make(k)) for k in missing)
            return
        study.batch.ready()
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            yield from _submitted(threads.submit, study.make, (), dict.fromkeys(missing))
        return
    if not isinstance(executor, Executor) and callable(getattr(executor, "get_executor", None)):
        executor = executor.get_executor(pure=False)  # a Client of Dask
    if not isinstance(executor, Executor):
        raise InputError(
            f"executor is {executor!r}: expected an executor of concurrent.futures, such as ProcessPoolExecutor(), a "
            "Client of Dask, or None."
        )
    _check_portable(study, executor)
    yield from _repeated(study, executor, missing)


def _submitted(submit: Any, make: Callable[..., Block], first: tuple[Any, ...], left: dict[int, None]) -> Iterator[Any]:
    """The blocks that are `left`, some of them asked for ahead; where it ends, what was asked for is called off."""
    waiting = list(reversed(left))
    asked: dict[Any, int] = {}
    try:
        while waiting or asked:
            while waiting and len(asked) < AHEAD:
                asked[submit(make, *first, waiting[-1])] = waiting[-1]
                waiting.pop()
            done = wait(asked, return_when=FIRST_COMPLETED).done
            for future in sorted(done, key=lambda future: (future.exception() is not None, asked[future])):
                yield asked[future], future.result()
                del left[asked.pop(future)]
    finally:
        for future in asked:
            future.cancel()


def _repeated(study: Any, executor: Executor, missing: list[int]) -> Iterator[tuple[int, Block]]:
    """The blocks, those of processes that have died once more: by new processes of this machine, as theirs are gone."""
    left, deaths = dict.fromkeys(missing), 0
    while True:
        try:
            with ProcessPoolExecutor() if deaths else nullcontext(executor) as able:
                yield from _submitted(able.submit, block_of, (study,), left)
            return
        except BrokenExecutor as error:
            deaths += 1
            warnings.warn(
                f"a process that made runs of this study died ({error}): the {len(left)} blocks that are left are made "
                "again by new processes. If it comes again, look for memory: fewer runs in a block, block=100.",
                SlowRunWarning,
                stacklevel=calls_to_user(),
            )
        if deaths >= DEATHS:
            yield from _each_apart(study, list(left))
            return


def _each_apart(study: Any, missing: list[int]) -> Iterator[tuple[int, Block]]:
    """Blocks in processes of their own: one that kills its process is a block of failed runs."""
    for k in missing:
        with ProcessPoolExecutor(1) as alone:
            try:
                block = alone.submit(block_of, study, k).result()
            except BrokenExecutor:
                count = min(study.block, study.count - k * study.block)
                text = LOST.format(DEATHS + 1)
                block = Block(np.full((count, study.columns), np.nan), dict.fromkeys(range(count), text))
        yield k, block


def _check_portable(study: Any, executor: Executor) -> None:
    """InputError where a model cannot go to another process, and why."""
    if not isinstance(executor, ProcessPoolExecutor):  # others say so themselves, or have ways of their own
        return
    from multiprocessing.reduction import ForkingPickler

    try:
        ForkingPickler.dumps(study)
    except Exception as error:
        raise InputError(
            f"this study cannot go to other processes: {error}. Functions have to stand in a module, by their names: "
            "no lambda, none within another function. Or leave the executor out, or take threads."
        ) from None


# -- what is kept on disk ---------------------------------------------------------------------------------------------


class Store:
    """The folder of a study: a description, and a file for each block, which is complete or absent.

    Parameters
    ----------
    study : Study
        The study whose results the folder holds.
    folder : path
        The folder; it is made if it does not exist.
    resumed : bool
        True: use the results that are already there.
    """

    def __init__(self, study: Any, folder: Any, resumed: bool):
        self.study, self.folder = study, path_to(folder, '"runs"', folder=True)
        place = self.folder / DESCRIPTION
        about = {
            "format": 1, "study": study.key, "model": study.model.name, "runs": study.count, "block": study.block,
            "columns": study.columns, "kept": [kept.name for kept in study.kept], "over": list(study.names),
        }  # fmt: skip
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            there = place.is_file()
        except OSError as error:
            raise FileError(f"cannot write to the folder '{folder}': {error.strerror or error}.") from None
        if not there:
            writable(place)
            write_text(place, json.dumps(about, indent=1) + "\n")
            return
        found = self._described(place)
        if found.get("study") != study.key:
            raise FileError(
                f"the folder '{folder}' belongs to another study, of model {found.get('model')!r} over "
                f"{found.get('over')}: something of the model, of over, keep or the options is not as it was then. "
                "Take another folder, or ask for what was asked for."
            )
        if found.get("block") != study.block:
            raise FileError(
                f"the folder '{folder}' has blocks of {found.get('block')} runs, and the study {study.block}: "
                f"give model.study(..., block={found.get('block')})."
            )
        if not resumed:
            raise FileError(f"the folder '{folder}' has results of this study: study.resume({str(folder)!r}) goes on.")

    def _described(self, place: Path) -> dict[str, Any]:
        try:
            found = json.loads(place.read_text(encoding="utf-8"))
            if isinstance(found, dict):
                return found
        except (OSError, ValueError, RecursionError):
            pass
        raise FileError(f"'{place}' does not say what study this is, or is damaged: take another folder.")

    def path(self, k: int) -> Path:
        """The file of block `k`."""
        return self.folder / f"block-{k:06d}.npz"

    def there(self) -> list[int]:
        """The blocks that are there; files that a killed process left incomplete are removed."""
        for path in self.folder.glob("block-*.part.npz"):
            path.unlink(missing_ok=True)
        return [k for k in range(self.study.blocks) if self.path(k).is_file()]

    def write(self, k: int, block: Block) -> None:
        """Keep a block."""
        messages = {str(place): text for place, text in sorted(block.messages.items())}
        about = {"study": self.study.key, "block": k, "messages": messages}
        trajectory_files.write(self.path(k), about, {"table": block.table})

    def read(self, k: int) -> Block:
        """Read a block that was kept; FileError if the file is not one of this study."""
        path, study = self.path(k), self.study
        count = min(study.block, study.count - k * study.block)

        def built(about: dict[str, Any], arrays: dict[str, Any]) -> Block | None:
            table, messages = arrays["table"], {int(place): str(text) for place, text in about["messages"].items()}
            fits = table.shape == (count, study.columns) and table.dtype == float
            fits = fits and all(0 <= place < count for place in messages)
            return Block(table, messages) if fits and (about["study"], about["block"]) == (study.key, k) else None

        with suppress(FileError):
            if (found := trajectory_files.read(path, built)) is not None:
                return found
        raise FileError(f"'{path}' is no block of this study, or it is damaged: remove it, and resume.")
