"""The result of a run: arrays by name, quantities along the motion, energy, statistics, files, plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from easydyn.arguments import Thing, answers, asked
from easydyn.errors import InputError, ModelError, UnknownNameError
from easydyn.inputs import expect, place_of
from easydyn.mechanics.signals import (
    SWITCHES,
    TIME,
    Signal,
    Signals,
    computed,
    constant_between_events,
    energies,
    unknowns,
)
from easydyn.mechanics.symbols import LockingForce
from easydyn.result import attitudes
from easydyn.result import trajectory_files as files
from easydyn.result.instants import ROWS, STATES, rows_of
from easydyn.result.source import Source
from easydyn.sim.motion import Happening, Motion, Named, Statistics, Steps

if TYPE_CHECKING:
    from easydyn import visu
    from easydyn.result import instants, plots, spectra, tables
    from easydyn.result import reactions as loads

LISTS, TOLD = ("names", "held_names", "followed"), ("status", "message", "units", "title")  # of a file, beside arrays


def in_degrees(what: str, angle: float) -> str:
    """That an angle beyond a full turn looks like degrees; `what` says whose it is."""
    return (
        f"{what} {angle:g} rad, more than a full turn: angles are in radians. If it is in degrees, write "
        f"math.radians({angle:g})."
    )


@dataclass(frozen=True, eq=False)
class Energy(Named):
    """Energies along a run (J), arrays (N,).

    `potential` is the energy of gravity and springs, `total` the sum of `kinetic` and `potential`. `work` is the work
    that all other efforts (forces, dampers, drives) have done on the system since the start. `balance` is total - work;
    it is constant except for the error of integration.
    """

    kinetic: np.ndarray
    potential: np.ndarray
    total: np.ndarray
    work: np.ndarray
    balance: np.ndarray

    def __repr__(self) -> str:
        ends = ", ".join(f"{name} {self[name][0]:.6g} to {self[name][-1]:.6g}" for name in self)
        return f"Energy({ends}; balance within {np.ptp(self.balance):.3g} J)"


@answers
@dataclass(eq=False)
class Trajectory(Thing, Motion):
    """A motion: N saved instants of n unknowns; `run["q1"]` is a column, by name.

    Attributes
    ----------
    t : array (N,)
        Instants (s).
    q, qd, qdd : arrays (N, n)
        Coordinates (m or rad) and their derivatives. A first-order state is the qd of its column, its derivative the
        qdd (eq. 29); use `run["p"]`.
    names : tuple of str
        The unknowns: coordinates, then first-order states.
    steps, stats : Steps, Statistics
        Time, length and error of every accepted step; the cost of the run.
    first_order : array (n,) of bool
        Which unknowns are first-order states.
    status, message, title : str
        The status is "finished", "stopped" (by an event), "failed", "interrupted", or "doubtful" (the run came to its
        end, but its energy balance is wrong). The message is a sentence about it. The title is the name of the model.
    integrals : array (N, m)
        Integrals along the run. For a model they are works: that of each force element that is not conservative, then
        that of all other efforts.
    units, parameters : dict
        Units of columns, and values of the parameters in this run, by name.
    source : optional
        The object that computes frames, energies and expressions along the run; None for a file loaded without its
        model.
    stored_energy : array (N, 2) or None
        Kinetic and potential energy (J) that a file holds.
    held, held_names : array (N, k), tuple of str
        Values that are constant between events: inputs, and whether coordinates are locked; `run["u"]`.
    followed : tuple of str
        The inputs that are not constant between events but follow a function of time.
    events : tuple of Happening
        What happened, in order of time: `event.t`, `event.name`, `event.before`, `event.after`.
    multiplier_names, multiplier_values : tuple of str, array (N, m)
        The multipliers of constraints, such as "pin:Fx"; `run.multipliers(pin)` and `run.reaction(pin)` give them with
        their meaning.
    seams : tuple or None
        A Trajectory of the states just before and just after what happened (events, jumps in time, samples) that are
        not among the saved instants, and their places among all; `run.at` uses them. So are some on the way of several
        independent coordinates of loops.

    Example
    -------
    >>> from easydyn import examples
    >>> run = examples.double_pendulum().simulate(2)
    >>> run["q1"].shape == run.t.shape, run.status
    (True, 'finished')
    """

    units: dict[str, str] = field(default_factory=dict)
    title: str = ""
    parameters: dict[str, float] = field(default_factory=dict)
    source: Any = None  # a Source
    stored_energy: np.ndarray | None = None
    followed: tuple[str, ...] = ()
    multiplier_names: tuple[str, ...] = ()
    multiplier_values: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    seams: Any = field(default=None, repr=False)

    _INSTEAD = "a result is what was computed. Change a copy of its arrays, such as run[\"q1\"].copy()."

    animate = visu.animate if TYPE_CHECKING else asked("easydyn.visu:animate")
    angles = attitudes.angles if TYPE_CHECKING else asked("easydyn.result.attitudes:angles")
    quaternion = attitudes.quaternion if TYPE_CHECKING else asked("easydyn.result.attitudes:quaternion")
    rotation_vector = attitudes.rotation_vector if TYPE_CHECKING else asked("easydyn.result.attitudes:rotation_vector")
    at = instants.at if TYPE_CHECKING else asked("easydyn.result.instants:at")
    multipliers = loads.multipliers if TYPE_CHECKING else asked("easydyn.result.reactions:multipliers")
    reaction = loads.reaction if TYPE_CHECKING else asked("easydyn.result.reactions:reaction")
    reactions = loads.reactions if TYPE_CHECKING else asked("easydyn.result.reactions:reactions")
    plot = plots.plot if TYPE_CHECKING else asked("easydyn.result.plots:plot")
    plot_energy = plots.plot_energy if TYPE_CHECKING else asked("easydyn.result.plots:plot_energy")
    plot_spectrum = plots.plot_spectrum if TYPE_CHECKING else asked("easydyn.result.plots:plot_spectrum")
    plot_steps = plots.plot_steps if TYPE_CHECKING else asked("easydyn.result.plots:plot_steps")
    spectrum = spectra.spectrum if TYPE_CHECKING else asked("easydyn.result.spectra:spectrum")
    to_csv = tables.to_csv if TYPE_CHECKING else asked("easydyn.result.tables:to_csv")
    to_mat = tables.to_mat if TYPE_CHECKING else asked("easydyn.result.tables:to_mat")
    to_pandas = tables.to_pandas if TYPE_CHECKING else asked("easydyn.result.tables:to_pandas")
    to_parquet = tables.to_parquet if TYPE_CHECKING else asked("easydyn.result.tables:to_parquet")
    to_tracker = tables.to_tracker if TYPE_CHECKING else asked("easydyn.result.tables:to_tracker")
    to_xarray = tables.to_xarray if TYPE_CHECKING else asked("easydyn.result.tables:to_xarray")

    def __post_init__(self) -> None:
        for array in (self.t, self.q, self.qd, self.qdd, self.integrals, self.held, self.multiplier_values):
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

    _repr_html_ = asked("easydyn.result.rich:of_run")

    def check(self) -> list[str]:
        """List what is wrong with the run: findings, each a sentence with its remedy; empty when all is well.

        The findings concern this run, such as energy that came from nowhere, or an initial angle given in degrees.
        `model.check()` looks at the model.

        Example
        -------
        >>> from easydyn import examples
        >>> examples.double_pendulum().simulate(2).check()
        []
        """
        found = [] if self.status in ("finished", "stopped") else [self.message]
        start = zip(self.names, self.q[0].tolist() if len(self) else (), strict=False)
        found += [  # in whole or half numbers, as nobody gives radians: what another run has left is no such number
            in_degrees(f"the run starts with {name} =", x) for name, x in start
            if self.units.get(name) == "rad" and abs(x) > 2 * np.pi and (2 * x).is_integer()
        ]  # fmt: skip
        efforts = getattr(getattr(self.source, "mechanism", None), "efforts", ()) if len(self) else ()
        found += [x for e in efforts for x in e.doubts(self.source, self.t, self.q, self.qd)]
        if not len(self) or not self.stats.rejected:  # a fixed step is what was asked for
            return found
        lasted = float(self.t[-1] - self.t[0])
        return found + [x for e in efforts for x in e._wasted_steps(self.source, lasted, self.stats.steps)]

    # -- by name --------------------------------------------------------------------------------------------------

    @property
    def columns(self) -> tuple[str, ...]:
        """All names that `run[name]` takes: q, q.dot, q.ddot for a coordinate q; p, p.dot for a state p.

        An attitude whose reference is renewed has the columns of its quaternion, "stone.e0" (the scalar) to "stone.e3".
        """
        return tuple(s.name for s in self.signals.values() if s.kind not in (*SWITCHES, "energy"))

    @cached_property
    def signals(self) -> Signals:
        """What each number of the run means, by name: `print(run.signals)` is a table with kinds and units."""
        kinds = {x: "state" if state else "coordinate" for x, state in zip(self.names, self.first_order, strict=True)}
        m = getattr(self.source, "mechanism", None)
        outputs = getattr(m, "outputs", {})
        quaternions = (
            Signal(f"{name}.{e}", "quaternion", formula=(name, e))
            for name, _, _ in attitudes.renewed_of(self) for e in attitudes.COMPONENTS
        )  # fmt: skip
        known = self.stored_energy is not None or bool(getattr(m, "bodies", ()))
        return Signals((  # an input may be held and have a formula
            TIME, *unknowns(kinds, self.units, outputs), *constant_between_events(self.held_names, self.units),
            *quaternions, *computed(self._formulas, self.units),
            *computed(outputs, self.units), *(energies() if known else ()),
        ))  # fmt: skip

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
        """Array (N,) of a coordinate ("q1"), a rate ("q1.dot"), an acceleration ("q1.ddot"), a state, or "t".

        Also of what is on (1) or off (0) between events: "q1.locked", and flags of force elements, "floor.closed"; and
        of "kinetic energy", "potential energy", "total energy" (J).
        """
        signal = self._signal(name)
        if signal.slot and signal.formula is None:
            arrays = {"q": self.q, "qd": self.qd, "qdd": self.qdd, "u": self.held}
            return self.t if signal.slot == "t" else arrays[signal.slot][:, signal.column]
        if signal.kind == "energy":
            return np.asarray((self.energy.kinetic, self.energy.potential, self.energy.total)[signal.formula])
        if signal.kind == "quaternion":
            return attitudes.component(self, *signal.formula)
        return self.of(signal.formula)

    def _signal(self, name: Any) -> Signal:
        found = self.signals.get(str(name))
        if found is None:
            more = "" if self.source else " Outputs of a model need it: Trajectory.load(path, model=model)."
            raise UnknownNameError(f"this run has no {str(name)!r}: it has {', '.join(self.columns)}.{more}")
        return found

    def unit(self, name: str) -> str:
        """Unit of the column `name`, "" if it is not known; UnknownNameError if there is no such column."""
        return self._signal(name).unit

    # -- quantities along the run ---------------------------------------------------------------------------------

    def _source(self, what: str) -> Source:
        if self.source is None:
            raise ModelError(
                f"{what} needs the model, which this result does not know. Load a file with Trajectory.load(path, "
                "model=model); from integrate(...) there is none: work with run.q, run.qd, run.qdd."
            )
        return self.source

    def of(self, expression: Any) -> np.ndarray:
        """Any SymPy `expression` of the model's symbols along the run: (N,), or (N, 3) for a vector.

        Examples: `run.of(lower.v[0])`, `run.of(lower.T.e)`, `run.of(q1 + q2)`.
        """
        return self._source("run.of").along(self, expression)

    def locking_force(self, coordinate: Any) -> np.ndarray:
        """The generalised force (N,), N or N m, that holds a `coordinate` while it is locked; zero while it is free."""
        return np.asarray(self._source("run.locking_force").locking_force(self, coordinate))

    def frames(self, body: Any) -> np.ndarray:
        """The matrices T of a `body`, or of its name, along the run: (N, 4, 4); UnknownNameError for any other."""
        source = self._source("run.frames")
        place = place_of(body, source.mechanism.bodies)
        q, qd = attitudes.at_start(self, self.q, self.qd, self.held)
        return source.frames(self.t, q, qd)[:, place]

    @cached_property
    def energy(self) -> Energy:
        """Kinetic, potential and total energy, and the work of all other efforts (J); ModelError without bodies."""
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
        """Power (W) that a force element, `effort`, gives to the bodies along the run: (N,); negative if it brakes.

        Example: `run.power(damper)`, where `damper` is the element that was given to `model.add`. Of a closure it is
        what its first frame gives to the second through the joint; of any other constraint what it gives to all
        coordinates, zero unless it depends on time: the power of a drive. A lock, `model.locking_force(q)`, gives none.
        """
        effort = getattr(effort, "taut", None) or effort  # of a rope
        if isinstance(effort, LockingForce):
            return self.of(effort * effort.coordinate.dot)
        if callable(getattr(effort, "rows", None)):  # a constraint
            from easydyn.result import reactions

            return reactions.power(self, self._source("run.power"), effort)
        return self._source("run.power").element(self, effort)[:, 0]

    def potential(self, effort: Any) -> np.ndarray:
        """Potential energy (J) stored in a force element, `effort`, along the run: (N,); zero if it stores none."""
        return self._source("run.potential").element(self, effort)[:, 1]

    def work(self, effort: Any) -> np.ndarray:
        """Work (J) that a force element, `effort`, has done on the bodies since the first saved instant: (N,).

        The work is the exact decrease of the element's potential, plus the rest of its work, integrated step by step
        with the motion. Its accuracy does not depend on how densely instants were saved. An element has dissipated
        -(work + change of potential). A constraint has a `power` alone.
        """
        source = self._source("run.work")
        potential = source.element(self, effort)[:, 1]
        supplied = source.supplied(self, effort)
        return (supplied - supplied[:1]) - (potential - potential[:1])

    # -- pictures -------------------------------------------------------------------------------------------------

    def _column(self, what: Any) -> np.ndarray:
        """A column, or one expression along the run."""
        if isinstance(what, str) or str(what) in self.columns:
            return self[what]
        values = self.of(what)
        if values.ndim != 1:
            raise InputError(f"{what} has {values.shape[1]} components: expected one, such as body.v[0].")
        return values

    def overlay(self, film: Any, camera: Any, *, points: Any = None, trace: Any = 0.5, frame: Any = None) -> Any:
        """The motion over a `film`, as a `camera` sees it (a `lab.Camera`): `.save("swing.html")`, .mp4, .gif or .png.

        As of `easydyn.visu.Overlay`: `points` (a dict of those that are marked, 3 scalars in m), `trace` (s, for how
        long their paths are drawn), `frame` (the index of the frame that was shown at the time 0).
        """
        from easydyn import visu

        return visu.Overlay(self, film, camera, points=points, trace=trace, frame=frame)

    # -- files ----------------------------------------------------------------------------------------------------

    def save(self, path: Any) -> Path:
        """Write the run to a .npz file at `path` (arrays and text only); `Trajectory.load` reads it."""
        about = {name: getattr(self, name) for name in (*LISTS, *TOLD, "parameters")}
        about |= {"first_order": self.first_order.tolist(), "stats": asdict(self.stats)}
        about["events"] = [asdict(event) for event in self.events]
        arrays: dict[str, Any] = {x: getattr(self, x) for x in ("t", *STATES)}
        if self.multiplier_names:
            about["multiplier_names"], arrays["multipliers"] = self.multiplier_names, self.multiplier_values
        arrays |= {"steps": np.array([self.steps.t, self.steps.h, self.steps.error])}
        seams = None if self.seams is None else self.seams[0]
        if self.stored_energy is not None or (self.source is not None and self.source.mechanism.bodies):
            arrays["energy"] = np.column_stack([self.energy.kinetic, self.energy.potential])
            if seams is not None:
                arrays["seam_energy"] = np.column_stack([seams.energy.kinetic, seams.energy.potential])
        if seams is not None:
            arrays |= {f"seam_{x}": getattr(seams, x) for x in ("t", *ROWS)} | {"seam_places": self.seams[1]}
        return files.write(path, about, arrays)

    @classmethod
    def load(cls, path: Any, model: Any = None) -> Trajectory:
        """Read a run that `save` wrote, from a `path`; with the `model`, `of` and `frames` work again.

        Raises FileError when the file does not exist or is not a run, InputError or ModelError for another model.
        """
        expect(model is None or hasattr(model, "source"), "model", model, "the Model, or the System, that made the run")

        def built(about: dict[str, Any], arrays: dict[str, Any]) -> Trajectory:
            lists: dict[str, Any] = {name: tuple(about.get(name, ())) for name in (*LISTS, "multiplier_names")}
            run = cls(
                **{name: arrays[name] for name in ("t", *STATES) if name in arrays},
                **lists, **{name: about[name] for name in TOLD},
                first_order=np.array(about["first_order"], dtype=bool), steps=Steps(*arrays["steps"]),
                stats=Statistics(**about["stats"]), stored_energy=arrays.get("energy"),
                parameters={name: float(value) for name, value in about["parameters"].items()},
                events=tuple(Happening.of(entry) for entry in about.get("events", ())),
                multiplier_values=arrays.get("multipliers", np.zeros((0, 0))),
            )  # fmt: skip
            if "seam_places" in arrays:
                rows = {x: arrays[f"seam_{x}"] for x in ("t", *ROWS)}
                seams = replace(run, stored_energy=arrays.get("seam_energy"), **rows)
                seams._check_shapes()
                run = replace(run, seams=(seams, arrays["seam_places"]))
            run._check_shapes()
            return run

        run = files.read(path, built)
        if model is None:
            return run
        names = tuple(model.names)
        if names != run.names:
            raise ModelError(
                f"'{Path(path)}' has the unknowns {', '.join(run.names)}, the model {', '.join(names)}: not the same "
                "one. Give the model that made the run."
            )
        source = model.source(run.parameters)
        seams = None if run.seams is None else (replace(run.seams[0], source=source), run.seams[1])
        run = replace(run, source=source, seams=seams)
        run._check_model()
        return run

    def _check_model(self) -> None:
        """ModelError when the model of a run that was read has other energies than the run: masses, frames, springs."""
        if self.stored_energy is None or not self.source.mechanism.bodies:
            return
        some = sorted({0, len(self) // 2, len(self) - 1})
        short = rows_of(self, np.array(some))
        there = self.stored_energy[some]
        largest = np.abs(self.stored_energy[np.isfinite(self.stored_energy)]).max(initial=0.0)
        for k, now in enumerate(self.source.energies_along(short)):
            for kind, own, found in zip(("kinetic", "potential"), there[k], now, strict=True):
                if np.isfinite(own) and not abs(found - own) <= 1e-6 * (largest + abs(found)):
                    raise ModelError(
                        f"the {kind} energy at t = {short.t[k]:g} s was {own:.6g} J in this run, and is {found:.6g} J "
                        f"with the model '{self.source.mechanism.name}': not the one that made the run. Masses, "
                        "frames, gravity or springs are others; read the run without a model, or with its own."
                    )

    def _check_shapes(self) -> None:
        shape = (len(self), len(self.names))
        stored, steps = self.stored_energy, (self.steps.t, self.steps.h, self.steps.error)
        arrays = [self.t, self.q, self.qd, self.qdd, self.integrals, self.held, *steps]
        texts = [*self.names, *self.held_names, *self.followed, *self.units, *self.units.values(), *self.parameters]
        if not (
            all(array.dtype.kind == "f" for array in arrays)
            and all(isinstance(x, str) for x in (*texts, self.status, self.message, self.title))
            and all(isinstance(x, str if name == "method" else int | float) for name, x in vars(self.stats).items())
            and len(set(self.names)) == len(self.names)
            and self.t.ndim == 1
            and len(self)
            and np.isfinite(self.t).all()
            and (np.diff(self.t) >= 0).all()
            and self.integrals.ndim == self.held.ndim == 2
            and self.q.shape == self.qd.shape == self.qdd.shape == shape
            and self.first_order.shape == shape[1:]
            and len(self.integrals) == len(self)
            and self.held.shape[1:] in ((0,), (len(self.held_names),))
            and len(self.held) in (0, len(self))
            and (stored is None or stored.shape == (len(self), 2))
            and (self.seams is None or _fit(self.seams[1], len(self.seams[0]), len(self)))
        ):
            raise ValueError("the arrays do not fit together")


def _fit(places: np.ndarray, count: int, others: int) -> bool:
    """True for places (count,) of some among others, each after the one before it."""
    whole = places.dtype.kind == "i" and places.shape == (count,) and bool((np.diff(places) > 0).all())
    return whole and (not count or (places[0] >= 0 and places[-1] < count + others))


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
    if isinstance(expression, Sequence) or isinstance(expression, np.ndarray) and expression.ndim:
        if not len(expression):
            raise InputError("run.of got an empty list: expected at least one expression.")
        return list(expression), True
    return [expression], False
