"""The result of a run: arrays by name, quantities along the motion, energy, statistics, files, plots."""

from __future__ import annotations

import csv
import json
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from easydyn.errors import FileError, InputError, MissingDependencyError, ModelError, UnknownNameError

FORMAT = 1  # of the files that `save` writes


class _Record:
    """A small frozen record, by attribute and by key."""

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise UnknownNameError(f"no {key!r} here: expected one of {', '.join(self)}.")
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__dataclass_fields__)  # type: ignore[attr-defined]

    def keys(self) -> list[str]:
        """Names of the entries."""
        return list(self)


@dataclass(frozen=True)
class Statistics(_Record):
    """What a run cost: accepted steps, rejected ones, iterations, iteration matrices, residuals, seconds."""

    steps: int = 0
    rejected: int = 0
    newton_iterations: int = 0
    jacobians: int = 0
    residuals: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, eq=False)
class Steps(_Record):
    """The accepted steps: time at the end (s), length h (s), rate of error (eq. 22 over h)."""

    t: np.ndarray
    h: np.ndarray
    error: np.ndarray

    def __len__(self) -> int:
        return len(self.t)


@dataclass(frozen=True)
class Happening:
    """Something that happened during a run.

    Attributes
    ----------
    t : float
        When (s).
    name : str
        Of the event, or of what else it was.
    what : str
        A sentence, where there is more to say.
    before, after : dict
        Values just before and just after, by name: those that changed.
    """

    t: float
    name: str
    what: str = ""
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        changed = "".join(f", {name} {self.before[name]:.6g} -> {value:.6g}" for name, value in self.after.items())
        return f"t = {self.t:.9g} s: {self.name}{': ' + self.what if self.what else ''}{changed}"

    @classmethod
    def of(cls, entry: Any) -> Happening:
        """What `dataclasses.asdict` made of one, checked."""
        before, after = ({str(k): float(v) for k, v in entry[side].items()} for side in ("before", "after"))
        return cls(float(entry["t"]), str(entry["name"]), str(entry["what"]), before, after)


@dataclass(frozen=True, eq=False)
class Energy(_Record):
    """Energies along a run (J), arrays (N,).

    `kinetic`, `potential` (gravity and springs), `total` of both, `work` done on the system since the start by all
    other efforts (forces, dampers, drives); `balance` = total - work, constant but for the error of integration.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray
    work: np.ndarray
    balance: np.ndarray

    def __repr__(self) -> str:
        ends = ", ".join(f"{name} {self[name][0]:.6g} to {self[name][-1]:.6g}" for name in self)
        return f"Energy({ends}; balance within {np.ptp(self.balance):.3g} J)"


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion: N saved instants of n unknowns.

    Attributes
    ----------
    t : array (N,)
        Instants (s).
    q, qd, qdd : arrays (N, n)
        Coordinates (m or rad) and their derivatives. A first-order state is the qd of its column, its derivative the
        qdd (eq. 29); use `run["p"]`.
    names : tuple of str
    steps : Steps
        Time, length and error of every accepted step.
    stats : Statistics
    status, message : str
        "finished", "failed" or "interrupted", and a sentence.
    integrals : array (N, m)
        Integrals along the run of what was asked for (for a model the work: of each force element that is not
        conservative, then of all else).
    parameters : dict
        Values of the parameters in this run.
    held, held_names : array (N, k), tuple of str
        What is constant between events: inputs, and whether coordinates are locked; `run["u"]`.
    events : tuple of Happening
        What happened, in its order: `event.t`, `event.name`, `event.before`, `event.after`.
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    names: tuple[str, ...]
    steps: Steps
    stats: Statistics
    first_order: np.ndarray
    status: str = "finished"
    message: str = ""
    integrals: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    units: dict[str, str] = field(default_factory=dict)
    title: str = ""
    parameters: dict[str, float] = field(default_factory=dict)
    source: Any = None
    stored_energy: np.ndarray | None = None
    held: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    held_names: tuple[str, ...] = ()
    events: tuple[Happening, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.t, self.q, self.qd, self.qdd, self.integrals, self.held):
            array.setflags(write=False)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()  # arrays come out of a pickle writeable

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return (
            f"Trajectory({self.title + ': ' if self.title else ''}{len(self)} instants of {', '.join(self.names)}, "
            f"t = {self.t[0]:g} to {self.t[-1]:g} s, {self.status})"
        )

    # -- by name --------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """All names that `run[name]` takes: of a coordinate q, q.dot, q.ddot; of a state p, p.dot."""
        found: list[str] = ["t"]
        for name, state in zip(self.names, self.first_order, strict=True):
            found += [name, f"{name}.dot"] if state else [name, f"{name}.dot", f"{name}.ddot"]
        found += [x for x in self.held_names if "." not in x]
        return (*found, *self._formulas, *self.outputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the model's outputs."""
        return tuple(getattr(getattr(self.source, "mechanism", None), "outputs", ()))

    @property
    def _formulas(self) -> dict[str, Any]:
        """The formulas of inputs that were given one."""
        given = getattr(getattr(self.source, "mechanism", None), "given", {})
        return {str(u): formula for u, formula in given.items()}

    def __getitem__(self, name: Any) -> np.ndarray:
        """Array (N,) of a coordinate ("q1"), a rate ("q1.dot"), an acceleration ("q1.ddot"), a state, or "t"."""
        key = str(name)
        if key == "t":
            return self.t
        base, _, suffix = key.partition(".")
        if key not in self.columns:
            raise UnknownNameError(f"this run has no {key!r}: it has {', '.join(self.columns)}.")
        if key in self.held_names:
            return self.held[:, self.held_names.index(key)]
        if key in self._formulas:
            return self.of(self._formulas[key])
        if key in self.outputs:
            return self.of(self.source.mechanism.outputs[key])
        j = self.names.index(base)
        order = {"": 0, "dot": 1, "ddot": 2}[suffix] + int(self.first_order[j])
        return (self.q, self.qd, self.qdd)[order][:, j]

    def unit(self, name: str) -> str:
        """Unit of a column, "" where it is not known."""
        name = str(name)
        if name not in self.columns:
            raise UnknownNameError(f"this run has no {name!r}: it has {', '.join(self.columns)}.")
        if name == "t":
            return "s"
        base, _, suffix = name.partition(".")
        unit = self.units.get(base, "")
        return unit + {"": "", "dot": "/s", "ddot": "/s²"}[suffix] if unit else ""

    # -- quantities along the run ---------------------------------------------------------------------------------

    def _source(self, what: str) -> Any:
        if self.source is None:
            raise ModelError(
                f"{what} needs the model, which this result does not know. Load a file with Trajectory.load(path, "
                "model=model); from integrate(...) there is none: work with run.q, run.qd, run.qdd."
            )
        return self.source

    def of(self, expression: Any) -> np.ndarray:
        """Any SymPy expression of the model's symbols along the run: (N,), or (N, 3) for a vector.

        Example: `run.of(lower.v[0])`, `run.of(lower.T.e)`, `run.of(q1 + q2)`.
        """
        source = self._source("run.of")
        return source.along(self, expression)

    def locking_force(self, coordinate: Any) -> np.ndarray:
        """The generalised force (N,), N or N m, that holds a coordinate while it is locked; zero while it is free."""
        return np.asarray(self._source("run.locking_force").locking_force(self, coordinate))

    def frames(self, body: Any) -> np.ndarray:
        """The 4x4 matrices T of a body, by name, along the run: (N, 4, 4)."""
        source = self._source("run.frames")
        name = getattr(body, "name", body)
        known = [b.name for b in source.mechanism.bodies]
        if name not in known:
            raise UnknownNameError(f"there is no body {name!r}: the bodies are {', '.join(known) or 'none'}.")
        return source.frames(self.t, self.q)[:, known.index(name)]

    @cached_property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy, and the work of all other efforts (J)."""
        if self.stored_energy is not None:
            kinetic, potential = self.stored_energy.T
        else:
            source = self._source("run.energy")
            if not source.mechanism.bodies:
                raise ModelError(f"'{self.title}' has no bodies: its energy is not known. Write it with run.of(...).")
            kinetic, potential = source.energies_along(self).T
        work = self.integrals.sum(axis=1) if len(self.integrals) == len(self) else np.zeros(len(self))
        total = kinetic + potential
        return Energy(kinetic, potential, total, work, total - work)

    def power(self, effort: Any) -> np.ndarray:
        """Power (W) that a force element gives to the bodies along the run: (N,); what a brake takes is negative.

        Example: `run.power(damper)`, with what was given to `model.add`.
        """
        return self._source("run.power").element(self, effort)[:, 0]

    def potential(self, effort: Any) -> np.ndarray:
        """Potential energy (J) stored in a force element along the run: (N,); zero of one that stores none."""
        return self._source("run.potential").element(self, effort)[:, 1]

    def work(self, effort: Any) -> np.ndarray:
        """Work (J) that a force element has done on the bodies since the start of the run: (N,).

        It is what the element took from its potential, exactly, and what else it did, integrated step by step with the
        motion: coarse saved instants do no harm. An element has dissipated -(work + change of potential).
        """
        source = self._source("run.work")
        potential = source.element(self, effort)[:, 1]
        return source.supplied(self, effort) - (potential - potential[0])

    # -- pictures -------------------------------------------------------------------------------------------------

    def plot(self, *what: Any, ax: Any = None) -> Any:
        """Plot columns by name ("q1", "q1.dot") or expressions against time; all coordinates when none is named.

        Parameters
        ----------
        *what : str or SymPy expressions
        ax : matplotlib axes, optional
            Where to draw; a new figure if left out.

        Returns
        -------
        matplotlib axes
            With names and units; the figure is not shown here.
        """
        from easydyn import plots

        return plots.columns(self, what, ax)

    def plot_energy(self, ax: Any = None) -> Any:
        """Plot kinetic, potential and total energy, and the work of other efforts; returns the axes."""
        from easydyn import plots

        return plots.energy(self, ax)

    def plot_steps(self, ax: Any = None) -> Any:
        """Plot the length of the steps against time (the paper's figure 7); returns the axes."""
        from easydyn import plots

        return plots.steps(self, ax)

    # -- files ----------------------------------------------------------------------------------------------------

    def save(self, path: Any) -> Path:
        """Write the run to a .npz file (arrays and text only); `Trajectory.load` reads it."""
        path = _path(path)
        about = {
            "format": FORMAT,
            "names": self.names,
            "first_order": self.first_order.tolist(),
            "stats": asdict(self.stats),
            "status": self.status,
            "message": self.message,
            "units": self.units,
            "title": self.title,
            "parameters": self.parameters,
            "held_names": self.held_names,
            "events": [asdict(event) for event in self.events],
        }
        arrays: dict[str, Any] = {"t": self.t, "q": self.q, "qd": self.qd, "qdd": self.qdd, "integrals": self.integrals}
        arrays["held"] = self.held
        arrays |= {"steps": np.array([self.steps.t, self.steps.h, self.steps.error])}
        if self.stored_energy is not None or (self.source is not None and self.source.mechanism.bodies):
            arrays["energy"] = np.column_stack([self.energy.kinetic, self.energy.potential])
        partial = path.with_name(path.name + ".part")
        try:
            with open(partial, "wb") as file:  # a half-written file never takes the place of a whole one
                np.savez_compressed(file, about=np.array(json.dumps(about)), **arrays)
            partial.replace(path)
        except OSError as error:
            partial.unlink(missing_ok=True)
            raise _cannot_write(path, error) from None
        return path

    @classmethod
    def load(cls, path: Any, model: Any = None) -> Trajectory:
        """Read a run that `save` wrote; with the model, `of` and `frames` work again.

        Raises
        ------
        FileError
            When there is no such file or it is not a run.
        """
        path = _path(path)
        if model is not None and not hasattr(model, "source"):
            raise InputError(f"model is {model!r}: expected the Model, or the System, that made the run.")
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as data:
                about = json.loads(str(data["about"]))
                arrays = {name: data[name] for name in data.files if name != "about"}
            if about["format"] != FORMAT:
                raise FileError(f"'{path}' has format {about['format']}: this version reads {FORMAT}.")
            run = cls(
                **{name: arrays[name] for name in ("t", "q", "qd", "qdd", "integrals")},
                names=tuple(about["names"]),
                first_order=np.array(about["first_order"], dtype=bool),
                steps=Steps(*arrays["steps"]),
                stats=Statistics(**about["stats"]),
                status=about["status"],
                message=about["message"],
                units=about["units"],
                title=about["title"],
                stored_energy=arrays.get("energy"),
                parameters={str(name): float(value) for name, value in about["parameters"].items()},
                held=arrays.get("held", np.zeros((0, 0))),
                held_names=tuple(about.get("held_names", ())),
                events=tuple(Happening.of(entry) for entry in about.get("events", ())),
            )
            run._check_shapes()
        except FileNotFoundError:
            raise FileError(f"there is no file '{path}': expected one written by run.save(path).") from None
        except OSError as error:
            raise FileError(f"cannot read '{path}': {error.strerror or error}. Expected a .npz file.") from None
        except (KeyError, ValueError, TypeError, EOFError, AttributeError, zipfile.BadZipFile, zlib.error) as error:
            if isinstance(error, FileError):
                raise
            raise FileError(
                f"'{path}' is not a run written by Trajectory.save, or it is damaged. Save the run again."
            ) from None
        if model is None:
            return run
        names = tuple(model.names)
        if names != run.names:
            raise ModelError(
                f"'{path}' has the unknowns {', '.join(run.names)}, the model {', '.join(names)}: not the same one. "
                "Give the model that made the run."
            )
        return replace(run, source=model.source(run.parameters))

    def _check_shapes(self) -> None:
        shape = (len(self), len(self.names))
        stored = self.stored_energy
        if not (
            self.q.shape == self.qd.shape == self.qdd.shape == shape
            and self.first_order.shape == shape[1:]
            and len(self.integrals) == len(self)
            and self.held.shape[1:] in ((0,), (len(self.held_names),))
            and len(self.held) in (0, len(self))
            and (stored is None or stored.shape == (len(self), 2))
        ):
            raise ValueError("the arrays do not fit together")

    def _table(self) -> tuple[list[str], np.ndarray]:
        return list(self.columns), np.column_stack([self[name] for name in self.columns])

    def to_csv(self, path: Any) -> Path:
        """Write columns t, then each unknown with its derivatives, to a text file with a heading line."""
        path = _path(path)
        heading, table = self._table()
        try:
            with open(path, "w", newline="", encoding="utf-8") as file:
                writer = csv.writer(file)
                writer.writerow(heading)
                writer.writerows(table.tolist())
        except OSError as error:
            raise _cannot_write(path, error) from None
        return path

    def to_pandas(self) -> Any:
        """The same columns as a pandas DataFrame, indexed by t."""
        try:
            import pandas
        except ImportError:
            raise MissingDependencyError('to_pandas needs pandas: pip install "easydyn[pandas]".') from None
        heading, table = self._table()
        return pandas.DataFrame(table[:, 1:], columns=heading[1:], index=pandas.Index(self.t, name="t"))


def _path(path: Any) -> Path:
    """A path to a file; FileError for what cannot be one."""
    try:
        found = Path(path)
    except TypeError:
        found = Path()
    if not found.name or "\0" in str(found):
        raise FileError(f'the path is {path!r}: expected the name of a file, such as "run.npz".')
    return found


def _cannot_write(path: Path, error: OSError) -> FileError:
    return FileError(f"cannot write '{path}': {error.strerror or error}. Choose another folder.")


def as_expressions(expression: Any) -> tuple[Sequence[Any], bool]:
    """(flat list of expressions, whether a vector was given) of an expression, a vector, a column or a list."""
    if isinstance(expression, str):
        raise InputError(f"{expression!r} is a text: use run[{expression!r}] for a column, run.of for an expression.")
    if isinstance(expression, np.ndarray) and expression.dtype != object:
        raise InputError(
            f"run.of got an array of numbers of shape {expression.shape}: expected an expression of symbols. Columns "
            "such as run['q1'] are arrays already, and are combined as they are."
        )
    if callable(getattr(expression, "flat", None)):
        return list(expression.flat()), True
    if isinstance(expression, Sequence | np.ndarray):
        if not len(expression):
            raise InputError("run.of got an empty list: expected at least one expression.")
        return list(expression), True
    return [expression], False
