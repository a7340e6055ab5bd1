"""A study: its runs, the values with which each of them starts, and how a block of runs is made."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from inspect import signature
from typing import Any

import numpy as np

from easydyn.arguments import Thing, answers, no_others
from easydyn.constraints.stack import starts
from easydyn.errors import EasyDynError, InputError, InterruptedRunError
from easydyn.inputs import a_model, among, by_name, expect, finite, finite_array, is_listed, name_in, whole
from easydyn.mechanics.content import content_of
from easydyn.run.automatic import fitting
from easydyn.run.batch import Batch
from easydyn.run.schedule import inputs_of
from easydyn.run.setup import interval_of, setup_of, way_of
from easydyn.run.simulation import INSTEAD, prepare
from easydyn.sim.lanes import ALONE
from easydyn.sim.request import Request
from easydyn.study.distributions import is_distribution, uniform_numbers, values_at
from easydyn.study.keep import along, kept_of, leaps, together
from easydyn.study.result import DOUBTFUL, Block, StudyResult
from easydyn.study.sampling import CHANCE, PAIRS, check_power, sampled, shares_of
from easydyn.study.sobol import SobolIndices, indices_of

GRID = 500  # intervals in which the largest and the smallest values are looked for
SIDE_BY_SIDE, ONE_BY_ONE = (16, 8192), (64, 256)  # blocks of a study, if nothing is said, and the most runs of one
AT_ONCE = 4096  # runs that are in the machine at the same time
NUMBERS = 4_000_000  # of states on the way that are in memory at the same time
MOST_RUNS = 10**9
OF_THE_EQUATIONS: dict[str, Any] = {
    "jumps": (), "constraints": "reduced", "contacts": "events", "scheme": "recursive", "target": "auto"
}  # fmt: skip
MOVED = 1e-6  # of a value: by more it is another one
FIRST_TRIES = 20  # runs that are looked at for one with which the equations can be set up


@dataclass(frozen=True)
class Axis:
    """A variation from run to run: names with a grid of values (K, names), or one name with a distribution."""

    names: tuple[str, ...]
    values: Any
    distribution: Any = None


@answers
class Study(Thing):
    """Many runs of one model; made by `model.study`, which documents what can be asked.

    Parameters
    ----------
    model : Model
        The model that is run; later changes of it do not affect the study.
    over, samples, seed, keep, block, sampling : optional
        As in `model.study`.
    options, given : dict
        Arguments of `model.simulate` in each run: about the time, and about the model.

    Attributes
    ----------
    count : int
        The number of runs.
    names : tuple of str
        What differs from run to run.
    kept : tuple
        What is kept of each.
    how : str
        "side by side", "in turn", or "one by one" with the reason.

    Example
    -------
    >>> from easydyn import examples, Uniform
    >>> study = examples.double_pendulum().study(1, over={"q1": Uniform(-1, 1)}, samples=100)
    >>> study.count, study.names
    (100, ('q1',))

    Raises
    ------
    InputError, UnknownNameError
        As `model.study` does.
    """

    _INSTEAD = "its runs are counted and drawn when it is made. Make another by model.study(...)."

    def __init__(
        self, model: Any, over: Any, samples: Any, seed: Any, keep: Any, block: Any, options: Mapping[str, Any],
        given: Mapping[str, Any], sampling: Any = CHANCE,
    ):  # fmt: skip
        method = None if among(options["method"], ("auto",)) else options["method"]
        self.model, self.options, self.given = copy(model), {**options, "method": method}, dict(given)
        for what, such_as in (("initial", '{"q1": 0.3}'), ("parameters", '{"l1": 1.3}'), ("inputs", '{"u": 2}')):
            self.given[what] = by_name(given[what], what, such_as)
        self._interval, step = interval_of(self.given["contacts"], options["step"])
        self.request = Request(**{**self.options, "step": step, "method": "dop853" if method is None else method})
        self.seed = whole(seed, "seed", 2**63, least=0)
        self.axes = _axes(over, model, self.given)
        self.samples = _samples(samples, self.axes)
        self.sampling = sampled(sampling, self.samples, len(self._drawn))
        lengths = [len(axis.values) for axis in self.axes if axis.distribution is None]
        self.count = int(np.prod(lengths, dtype=object)) * (self.samples or 1)
        if self.count > MOST_RUNS:
            raise InputError(f"the study has {self.count:g} runs: expected at most {MOST_RUNS:g}; take fewer values.")
        self.names = tuple(name for axis in self.axes for name in axis.names)
        self.kept = kept_of(keep, model, self.request.save_at or ())
        for kept in self.kept:
            if kept.name in self.names:
                raise InputError(f"keep has {kept.name!r}, which is in over, too: give it another name.")
            kept.settle_times(self.request.t_start, self.request.t_final, f"keep[{kept.name!r}]")
        self.block = whole(block, "block", MOST_RUNS) if block is not None else self._usual_block()

    @property
    def _drawn(self) -> tuple[Axis, ...]:
        """What is drawn, and is no grid."""
        return tuple(axis for axis in self.axes if axis.distribution is not None)

    def _usual_block(self) -> int:
        many, most = SIDE_BY_SIDE if self.batch is not None else ONE_BY_ONE
        return int(np.clip(self.count // many, 64, most))

    def __repr__(self) -> str:
        return f"Study({self.model.name}: {self.count} runs over {', '.join(self.names) or 'nothing'}, {self.how})"

    def __getstate__(self) -> dict[str, Any]:
        made = "batch", "_found_batch", "_shares"
        return {name: x for name, x in self.__dict__.items() if name not in made} | {"key": self.key}

    # -- what differs ---------------------------------------------------------------------------------------------

    def values(self, runs: Any) -> dict[str, np.ndarray]:
        """Values with which some `runs` (indices (N,)) start, by name: arrays (N,), each in its own unit.

        Raises InputError for an index that this study does not have.
        """
        runs = finite_array(runs, "runs")
        if runs.size and not (0 <= runs.min() and runs.max() < self.count and (runs % 1 == 0).all() and runs.ndim == 1):
            raise InputError(f"runs is {runs}: expected a list of indices, from 0 to {self.count - 1}.")
        runs = runs.astype(np.int64)
        grids = [axis for axis in self.axes if axis.distribution is None]
        places = np.unravel_index(runs // (self.samples or 1), [len(axis.values) for axis in grids] or [1])
        found: dict[str, np.ndarray] = {}
        for axis in self.axes:
            if axis.distribution is not None:
                found[axis.names[0]] = values_at(axis.distribution, self._share(axis, runs))
            else:
                rows = axis.values[places[[a is axis for a in grids].index(True)]]
                found |= {name: np.ascontiguousarray(rows[:, k]) for k, name in enumerate(axis.names)}
        return found

    def _share(self, axis: Axis, runs: np.ndarray) -> np.ndarray:
        """Where some runs lie (N,), between 0 and 1, of what is drawn."""
        if self.sampling == CHANCE:
            return uniform_numbers(self.seed, axis.names[0], runs)
        return self._shares[runs % self.samples, self._drawn.index(axis)]

    @cached_property
    def _shares(self) -> np.ndarray:
        """A design (samples, names): the same at each point of the grids."""
        return shares_of(self.sampling, self.seed, self.samples, len(self._drawn))

    @property
    def blocks(self) -> int:
        """The number of blocks of runs."""
        return -(-self.count // self.block)

    @property
    def columns(self) -> int:
        """The number of values that are kept of each run."""
        return sum(kept.width for kept in self.kept)

    @cached_property
    def places(self) -> list[tuple[Any, slice]]:
        """What is kept, and in which columns of the table."""
        ends = np.cumsum([kept.width for kept in self.kept]).tolist()
        return [(kept, slice(end - kept.width, end)) for kept, end in zip(self.kept, ends, strict=True)]

    # -- how they are made ----------------------------------------------------------------------------------------

    @cached_property
    def instants(self) -> tuple[float, ...]:
        """The times (s) during a run at which states are needed."""
        times = {t for kept in self.kept for t in kept.times}
        if any(kept.whole for kept in self.kept):
            times |= set(np.linspace(self.request.t_start, self.request.t_final, GRID + 1).tolist())
        return tuple(sorted(times))

    @cached_property
    def _found_batch(self) -> tuple[Any, str]:
        given, why = inputs_of(self.model, self.given["inputs"]), ""
        jumping = [kept.name for kept in self.kept if leaps(kept, self.model, given)]
        if jumping:
            return None, f"what is kept as {jumping[0]!r} jumps"
        ends = ({name: float(x[0]) for name, x in self.values([k]).items()} for k in {0, self.count - 1})
        scales = [self.model.scales(self.model.given_values | self._sorted(one)["parameters"]) for one in ends]
        if scales[0] != scales[-1]:
            return None, "the scale of a state differs from run to run"
        if self.model.starts:
            return None, "an element asks something of the start"
        own = partial(starts, self.model, self.given["initial"])
        for k in range(min(self.count, FIRST_TRIES)):
            start = {**self.model.initial_values, **self.given["initial"]}
            try:
                batch = Batch(self._setup(k), self.request, start, self.names, self.instants, own)
                if not (why := batch.why_not):
                    return batch, ""
            except EasyDynError as error:
                why = str(error)
        return None, why

    def _setup(self, k: int) -> Any:
        """What the run number `k` begins with."""
        one = {name: float(x[0]) for name, x in self.values([k]).items()}
        rest = {name: self.given[name] for name in ("locked", "jumps", "scheme", "target")}
        return setup_of(
            self.model, self.request.t_start, **self._sorted(one), **rest,
            constraints=way_of(self.given["constraints"]), interval=self._interval,
        )  # fmt: skip

    @cached_property
    def batch(self) -> Any:
        """The object that makes the runs in machine code; None if they are made one by one."""
        return self._found_batch[0]

    @property
    def how(self) -> str:
        """How the runs are made: in machine code, "side by side" or "in turn", or "one by one", with the reason."""
        if self.batch is None:
            return f"one by one: {self._found_batch[1]}"
        return "in turn" if self.batch.in_turn else "side by side"

    @cached_property
    def key(self) -> str:
        """A text that is equal for two studies if their results are the same, run by run."""
        model = {k: x for k, x in vars(self.model).items() if k not in ("_compiled", "_recent", "_warned", "_checked")}
        axes = [(a.names, a.values, _described(a.distribution)) for a in self.axes]
        kept = [tuple(vars(k).items()) for k in self.kept]
        what = [model, axes, self.samples, self.seed, kept, self.options, self.given]
        if self.sampling != CHANCE:  # a design is what SciPy has made
            what += [self.sampling, self._shares]
        return content_of(what)

    def _sorted(self, values: Mapping[str, float]) -> dict[str, Any]:
        """Parameters, initial values and inputs of one run."""
        m, found = self.model.mechanism, {kind: dict(self.given[kind]) for kind in ("parameters", "initial", "inputs")}
        kinds = dict.fromkeys(map(str, m.parameters), "parameters") | dict.fromkeys(map(str, m.inputs), "inputs")
        for name, value in values.items():
            found[kinds.get(name, "initial")][name] = value
        return found

    def make(self, k: int) -> Block:
        """Make the block number `k`: all of its runs, even if some of them fail."""
        k = whole(k, "k", self.blocks - 1, least=0)
        runs = np.arange(k * self.block, min((k + 1) * self.block, self.count))
        table, messages = np.full((len(runs), self.columns), np.nan), dict[int, str]()
        if self.batch is None or not (self.batch.watched or self._balanced):
            self._one_by_one(runs, range(len(runs)), table, messages)
            return Block(table, messages)
        at_once = max(8, min(AT_ONCE, NUMBERS // max(1, len(self.batch.way) * 3 * len(self.batch.setup.system.names))))
        for begin in range(0, len(runs), at_once):
            part = slice(begin, begin + at_once)
            alone = begin + self._side_by_side(runs[part], table[part])
            self._one_by_one(runs, alone, table, messages)
        return Block(table, messages)

    @cached_property
    def _balanced(self) -> bool:
        """Whether the energy of the first run is right, made alone: side by side nobody adds up what work is done."""
        self._one_by_one(np.arange(1), range(1), np.zeros((1, self.columns)), messages := dict[int, str]())
        return not messages.get(0, "").startswith(DOUBTFUL)

    def _side_by_side(self, runs: np.ndarray, table: np.ndarray) -> np.ndarray:
        """Fill a table with these runs; the places of those that need to be made alone."""
        values = self.values(runs)
        found = self.batch.runs(values, len(runs), any(kept.whole for kept in self.kept))
        fine = np.flatnonzero(found.why != ALONE)
        if not len(fine):
            return np.arange(len(runs))
        found, values = found.of(fine), {name: x[fine] for name, x in values.items()}
        part, grid = np.zeros((len(fine), self.columns)), np.array(self.instants)
        times = np.where(grid <= found.t[:, None], grid, np.nan)
        t, states, _ = found.in_order(times)
        for kept, columns in self.places:
            if kept.how == "last":
                y = along(self.batch, kept.what, values, found.t[:, None], found.state[:, None])
            elif kept.whole:
                y = along(self.batch, kept.what, values, t, states)
                y = kept.over(together(t), y)[:, None]
            else:
                chosen = np.searchsorted(grid, kept.times)
                y = along(self.batch, kept.what, values, times[:, chosen], found.saved[:, chosen])
            part[:, columns] = y
        known = ~np.isnan(part[:, self.at_the_end]).any(axis=1)
        table[fine[known]] = part[known]
        return np.setdiff1d(np.arange(len(runs)), fine[known])

    @cached_property
    def at_the_end(self) -> np.ndarray:
        """Columns (C,) that have a value however early a run stops."""
        return np.concatenate([[kept.how not in ("at", "series")] * kept.width for kept in self.kept])

    def _one_by_one(self, runs: np.ndarray, places: Any, table: np.ndarray, messages: dict[int, str]) -> None:
        """Fill the rows of these places by whole simulations."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of each run: what matters stands in the table
            for place in places:
                one = {name: float(x[0]) for name, x in self.values(runs[place : place + 1]).items()}
                try:
                    table[place], message = self._row(one)
                except InterruptedRunError:
                    raise
                except EasyDynError as error:
                    table[place], message = np.nan, str(error)
                if message:
                    messages[int(place)] = message

    def _row(self, one: Mapping[str, float]) -> tuple[np.ndarray, str]:
        """What is kept of one run, and what is to be said of it, if anything."""
        end = self.request.t_final
        run = self.model.simulate(
            **{**self.options, "method": self._method, "save_at": sorted({*self.instants, end}), "progress": False},
            **{**self.given, **self._sorted(one)},
        )  # fmt: skip
        closing = getattr(run.source, "closing", None)
        moved = {name: x for name, x in (closing.closed.moved if closing else {}).items() if name in one}
        far = [name for name, (a, b) in moved.items() if abs(a - b) > MOVED * max(1.0, abs(a))]
        if far:  # no row is labelled with a value that was not kept
            told = ", ".join(f"{name} = {moved[name][0]:.6g} to {moved[name][1]:.6g}" for name in far)
            why = f"the loops were assembled by moving {told}: vary fewer initial values, or such as fit each other."
            return np.full(self.columns, np.nan), why
        row = np.concatenate([kept.of_run(run) for kept in self.kept])
        gone = self.at_the_end & np.isnan(row)
        if lost := [kept.name for kept, columns in self.places if gone[columns].any()]:
            return np.full(len(row), np.nan), f"{', '.join(lost)} is no number in this run."
        if run.status == "doubtful":
            return row, f"{DOUBTFUL}: {run.message}"
        return row, run.message if INSTEAD in run.message else ""

    @cached_property
    def _method(self) -> Any:
        """The method of runs made alone: if nothing is said, the one that fits the first run that can begin."""
        if self.options["method"] is not None or self.batch is not None:
            return self.options["method"] or "dop853"
        saved = tuple(sorted({*self.instants, self.request.t_final}))
        for k in range(min(self.count, FIRST_TRIES)):
            with suppress(EasyDynError):
                return fitting(self._setup(k), replace(self.request, save_at=saved, save_every=None), prepare)[0]
        return "newmark"

    # -- all of them ----------------------------------------------------------------------------------------------

    def run(self, executor: Any = None, folder: Any = None, progress: Any = None) -> StudyResult:
        """Make all runs.

        Parameters
        ----------
        executor : optional
            The executor that makes the blocks: any executor of `concurrent.futures` (threads, processes,
            `mpi4py.futures`), or a Client of Dask. If left out, this process makes them on all its cores.
        folder : path, optional
            Folder in which results are saved during the study, one file for each block; `resume` continues with such a
            folder.
        progress : bool, callable or bar, optional
            As in `simulate`.

        Returns
        -------
        StudyResult
            The kept values of every run; a failed run is a row of NaN with a message.

        Raises
        ------
        InputError, FileError
            The executor is not valid; the folder has results already.
        InterruptedRunError
            The user pressed Ctrl-C; `error.result` holds the results so far.
        """
        from easydyn.study.making import make_all

        return make_all(self, executor, folder, progress, resumed=False)

    def sobol(
        self, executor: Any = None, folder: Any = None, progress: Any = None, *, confidence: float = 0.95,
        resamples: int = 1000,
    ) -> SobolIndices:  # fmt: skip
        """Sobol's indices of all kept quantities: the scatter that each drawn name causes, alone and with others.

        For `samples` rows (a power of two) and m names, the method makes (m + 2) times `samples` runs, at the places of
        Sobol's sequence. Every varied name must have its own distribution.

        Parameters
        ----------
        executor, progress : optional
            As in `run`.
        folder : path, optional
            Folder in which results are saved during the study; a folder with some results is continued.
        confidence : float
            The probability of the intervals (no unit).
        resamples : int
            The number of bootstrap samples for the intervals.

        Returns
        -------
        SobolIndices
            With `first`, `total`, their intervals, `plot()`, `to_pandas()`.

        Raises
        ------
        InputError
            A varied name has a grid; the number of samples is not a power of two.
        """
        share, count = finite(confidence, "confidence"), whole(resamples, "resamples", 100_000)
        expect(0 < share < 1, "confidence", share, "a probability between 0 and 1, such as 0.95")
        if len(self._drawn) < len(self.axes) or not self.axes:
            grids = [" and ".join(axis.names) for axis in self.axes if axis.distribution is None]
            raise InputError(
                f"over has {', '.join(grids) or 'nothing'}, which is not drawn: expected distributions alone, as "
                "Sobol's indices are shares of what chance makes; give the others by parameters= and initial=."
            )
        check_power(self.samples, "samples")
        design = copy(self)
        for name in ("_shares", "key"):  # what is compiled stays
            design.__dict__.pop(name, None)
        samples = self.samples * (len(self._drawn) + 2)
        design.__dict__.update(sampling=PAIRS, samples=samples, count=samples)
        if folder is None:
            result = design.run(executor, progress=progress)
        else:
            result = design.resume(folder, executor, progress)
        return indices_of(result, self.names, self.samples, share, count)

    def resume(self, folder: Any, executor: Any = None, progress: Any = None) -> StudyResult:
        """Continue a study that was interrupted or killed, in its `folder`.

        The results are identical, bit for bit, to those of a study without interruption.

        Parameters
        ----------
        folder : path
            Folder of the results; it may be new.
        executor, progress : optional
            As in `run`.

        Returns
        -------
        StudyResult
            Of all runs.

        Raises
        ------
        FileError
            The folder belongs to another study.
        """
        from easydyn.study.making import make_all

        return make_all(self, executor, folder, progress, resumed=True)


def _described(distribution: Any) -> Any:
    """A distribution as what it consists of: of SciPy's, its name and its numbers."""
    if hasattr(distribution, "dist") and hasattr(distribution, "kwds"):
        return str(distribution.dist.name), list(distribution.args), dict(distribution.kwds)
    return distribution


def _axes(over: Any, model: Any, given: Mapping[str, Any]) -> tuple[Axis, ...]:
    m = model.mechanism
    start = list(model.initial_values)
    known = [*map(str, m.parameters), *start, *map(str, m.inputs)]
    axes: list[Axis] = []
    told = (
        f"over has {{!r}}, which model '{model.name}' does not know: expected a parameter, an initial value or an "
        "input, of {}."
    )
    if over is None:
        over = {}
    expect(isinstance(over, Mapping), "over", over, 'a dict of what differs, such as {"q1": Uniform(-1, 1)}')
    for key, value in over.items():
        names = tuple(map(str, key)) if isinstance(key, tuple) else (str(key),)
        for name in names:
            name_in(name, known, told)
            if any(name in axis.names for axis in axes) or names.count(name) > 1:
                raise InputError(f"over has {name!r} twice: expected each name once.")
            for what in ("parameters", "initial", "inputs"):
                if name in given[what]:
                    raise InputError(f"{name!r} is in over and in {what}: expected it in one of them.")
        if is_distribution(value):
            if len(names) > 1:
                raise InputError(f"over[{names!r}] is {value!r}: a distribution is that of one name.")
            axes.append(Axis(names, None, value))
            continue
        if is_listed(value) and not isinstance(value, np.ndarray):
            value = list(value)
        if not (value.size if isinstance(value, np.ndarray) else isinstance(value, list) and len(value)):
            raise InputError(
                f"over[{key!r}] is {value!r}: expected values, such as numpy.linspace(0, 1, 50), or a distribution, "
                "Uniform(0, 1) or Normal(0, 1)."
            )
        array = finite_array(value, f"over[{key!r}]")
        array = array[:, None] if array.ndim == 1 and len(names) == 1 else array
        if array.ndim != 2 or array.shape[1] != len(names):
            raise InputError(
                f"over[{key!r}] has shape {np.shape(value)}: expected "
                + ("(N,), the values of one name." if len(names) == 1 else f"(N, {len(names)}), a row for each run.")
            )
        axes.append(Axis(names, array))
    return tuple(axes)


def _samples(samples: Any, axes: Sequence[Axis]) -> int:
    drawn_ones = [axis.names[0] for axis in axes if axis.distribution is not None]
    if samples is None:
        if drawn_ones:
            raise InputError(f"{', '.join(drawn_ones)} is drawn: say how often, samples=1000.")
        return 0
    if not drawn_ones:
        raise InputError(f"samples is {samples!r}, and nothing in over is drawn: give a distribution, or leave it out.")
    return whole(samples, "samples", MOST_RUNS)


def study(
    model: Any, t_final: float, *, over: Mapping[Any, Any] | None = None, samples: int | None = None,
    sampling: str = "random", seed: int = 0, keep: Mapping[str, Any] | None = None,
    save_at: Sequence[float] | None = None, block: int | None = None, t_start: float = 0.0, method: Any = None,
    tolerance: float = 1e-6, step: float | None = None, max_step: float | None = None,
    initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None, locked: Any = None, **options: Any,
) -> Study:  # fmt: skip
    """Define many runs of a model, over a grid of values, random values, or both; nothing is run yet.

    Parameters
    ----------
    t_final, t_start : float
        End and start of the runs (s).
    over : dict
        The parameters, initial values and inputs that vary, by name. Each has values in its own unit, a list or an
        array (N,), or a distribution, `Uniform(low, high)`, `Normal(mean, deviation)` or a frozen one of SciPy. All
        combinations of the grids are run; two names in a tuple, ("q1", "q2"), take the rows of an array (N, 2).
    samples : int, optional
        Number of runs at each point of the grids, if there are random values.
    sampling : {"random", "latin hypercube", "sobol"}
        How values are drawn. "random" draws each run independently. "latin hypercube" divides the range of each
        name into as many strata as there are runs, and has one run in each. "sobol" fills the space of all names
        evenly by Sobol's sequence; `samples` is then a power of two. The design is the same at each point of the
        grids.
    seed : int
        Seed of the random values, which depend only on the seed, the name and the index of the run.
    keep : dict, optional
        The results to keep of each run, by names of your choice: `Last(what)` at the end, `Max(what)`, `Min(what)`,
        `At(what, t)`, or `what` alone, which is kept at all times of `save_at`, or at the end if there are none.
        `what` is "q1", "q1.dot", an output, "total energy", or an expression. If left out, all coordinates, rates
        and states are kept, as "q1 end" (with `save_at` as "q1 then").
    save_at : sequence of float, optional
        Times (s) at which these results are kept.
    block : int, optional
        Number of runs in a block; each block is computed as a whole and has its own file. It does not change the
        results.
    method : str or Method, optional
        As in `simulate`. If left out, or "auto", "dop853" where machine code makes the runs side by side or in turn
        (`study.how` says so), otherwise the one that fits the first run.
    tolerance, step, max_step, initial, parameters, inputs, locked : optional
        As in `simulate`, the same for all runs.
    **options
        jumps, constraints, contacts, scheme, target, as in `simulate`.

    Returns
    -------
    Study
        `study.run()` makes the runs; `study.resume("folder")` stores them as they finish, and continues from stored
        runs.

    Raises
    ------
    InputError, UnknownNameError
        A name that the model does not know, invalid values, random values without `samples`.

    Example
    -------
    >>> from easydyn import Max, Uniform, examples
    >>> model = examples.double_pendulum()
    >>> study = model.study(5, over={"q1": Uniform(-1, 1)}, samples=100, keep={"fastest": Max("q2.dot")})
    >>> len(study.run())
    100
    """
    no_others(options, [*signature(study).parameters, *OF_THE_EQUATIONS], "study")
    asked = {
        "t_final": t_final, "t_start": t_start, "method": method, "tolerance": tolerance, "step": step,
        "max_step": max_step, "save_at": save_at,
    }  # fmt: skip
    given = {"initial": initial, "parameters": parameters, "inputs": inputs, "locked": locked}
    given |= OF_THE_EQUATIONS | options
    return Study(a_model(model, "model"), over, samples, seed, keep, block, asked, given, sampling)
