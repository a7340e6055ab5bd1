"""Model: what the user writes (description.py), and what follows from it.

    pendulum = Model("pendulum", gravity=(0, -9.81, 0))
    q, = pendulum.coordinates("q", initial=1)
    pendulum.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    run = pendulum.simulate(5)

`equations()` shows the equations in SymPy, `compile()` evaluates them in numbers, `simulate()` computes a motion.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from easydyn.arguments import answers, asked
from easydyn.constraints.carrying import carried
from easydyn.engine.derivation import Derivation
from easydyn.engine.kept import Kept
from easydyn.engine.scheme import scheme_of
from easydyn.engine.system import CompiledSystem, Programs
from easydyn.engine.targets import check_target
from easydyn.errors import IncompleteEquationsWarning, InputError, ModelError, calls_to_user
from easydyn.inputs import among, by_name, finite, flag, name_in
from easydyn.mechanics.equations import Equations
from easydyn.mechanics.independent import OPEN
from easydyn.mechanics.mechanism import Mechanism
from easydyn.mechanics.physical import check_physical
from easydyn.mechanics.symbols import Coordinate, Input
from easydyn.model import constraining, declarations, known
from easydyn.model.description import Description
from easydyn.model.finding import Finding
from easydyn.model.solving import MOST, Solver
from easydyn.run.schedule import Inputs, inputs_of
from easydyn.sim.request import Request

if TYPE_CHECKING:
    from easydyn import analysis
    from easydyn import export as exporting
    from easydyn.analysis import inverse
    from easydyn.constraints import closures as closing
    from easydyn.constraints import mobility as counting
    from easydyn.export import fmu
    from easydyn.export import report as reporting
    from easydyn.model import bending, free
    from easydyn.model import to_urdf as urdf_writer
    from easydyn.result.trajectory import Trajectory
    from easydyn.study import fit as fitting
    from easydyn.study import optimise as optimising
    from easydyn.study import study as studying

INSTANT = 1e-6  # s: a run of one step, whose first accelerations count


@answers
class Model(Description, Finding):
    """A mechanical system described by the frames of its bodies, or by its equations.

    Parameters
    ----------
    name : str
        Name of the system.
    gravity : 3 scalars (m/s2), optional
        Acceleration of gravity, ground components; no gravity if left out (no axis is "up" by default). Numbers or
        expressions of parameters (`model.gravity = (0, -g, 0)` once the parameter g is declared). If gravity depends on
        the position, give a field: PointGravity, GravityField, or a function of the position.

    Raises
    ------
    InputError, ModelError
        Wrong names, shapes, values; a call that fails does not change the model.

    Example
    -------
    >>> from easydyn import Model, trotz, tdisp
    >>> model = Model("pendulum", gravity=(0, -9.81, 0))
    >>> q, = model.coordinates("q", initial=1)
    >>> bob = model.body("bob", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
    >>> model.equations().simplified().residual
    Matrix([[q.ddot + 9.81*sin(q)]])
    """

    assemble = counting.assemble if TYPE_CHECKING else asked("easydyn.constraints.mobility:assemble")
    assemblies = counting.assemblies if TYPE_CHECKING else asked("easydyn.constraints.mobility:assemblies")
    beam = bending.beam if TYPE_CHECKING else asked("easydyn.model.bending:beam")
    close = constraining.close if TYPE_CHECKING else asked("easydyn.model.constraining:close")
    closures = closing.closures if TYPE_CHECKING else asked("easydyn.constraints.closures:closures")
    constraint = constraining.constraint if TYPE_CHECKING else asked("easydyn.model.constraining:constraint")
    dependent = constraining.dependent if TYPE_CHECKING else asked("easydyn.model.constraining:dependent")
    equilibrium = analysis.equilibrium if TYPE_CHECKING else asked("easydyn.analysis:equilibrium")
    equilibrium_path = analysis.equilibrium_path if TYPE_CHECKING else asked("easydyn.analysis:equilibrium_path")
    export = exporting.export if TYPE_CHECKING else asked("easydyn.export:export")
    fit = fitting.fit if TYPE_CHECKING else asked("easydyn.study.fit:fit")
    flexible_body = bending.flexible_body if TYPE_CHECKING else asked("easydyn.model.bending:flexible_body")
    free_body = free.free_body if TYPE_CHECKING else asked("easydyn.model.free:free_body")
    inverse_dynamics = inverse.inverse_dynamics if TYPE_CHECKING else asked("easydyn.analysis.inverse:inverse_dynamics")
    inverse_kinematics = analysis.inverse_kinematics if TYPE_CHECKING else asked("easydyn.analysis:inverse_kinematics")
    jacobian = analysis.jacobian if TYPE_CHECKING else asked("easydyn.analysis:jacobian")
    linearize = analysis.linearize if TYPE_CHECKING else asked("easydyn.analysis:linearize")
    mobility = counting.mobility if TYPE_CHECKING else asked("easydyn.constraints.mobility:mobility")
    optimise = optimising.optimise if TYPE_CHECKING else asked("easydyn.study.optimise:optimise")
    report = reporting.report if TYPE_CHECKING else asked("easydyn.export.report:report")
    root_locus = analysis.root_locus if TYPE_CHECKING else asked("easydyn.analysis:root_locus")
    sensitivity = analysis.sensitivity if TYPE_CHECKING else asked("easydyn.analysis:sensitivity")
    spherical = free.spherical if TYPE_CHECKING else asked("easydyn.model.free:spherical")
    study = studying.study if TYPE_CHECKING else asked("easydyn.study.study:study")
    to_fmu = fmu.to_fmu if TYPE_CHECKING else asked("easydyn.export.fmu:to_fmu")
    to_urdf = urdf_writer.to_urdf if TYPE_CHECKING else asked("easydyn.model.to_urdf:to_urdf")
    _repr_html_ = asked("easydyn.result.rich:of_model")

    def _changed(self) -> None:
        self._compiled, self._recent = Kept(), Kept(MOST)

    @property
    def mechanism(self) -> Mechanism:
        """A frozen snapshot of the model: the same one until the model changes."""
        return self._compiled.of(("mechanism", self.name), lambda: super(Model, self).mechanism)

    @property
    def solver(self) -> Any:
        """The object that assembles the loops, and solves them for independent coordinates."""
        return Solver(self)

    def _read_off(self) -> dict[str, Any]:
        return known.said(self)

    def __reduce__(self) -> Any:
        return known.written(self)

    def __copy__(self) -> Any:
        return known.copied(self)

    def equations(self, mode: Mapping[str, Any] | None = None) -> Equations:
        """The equations of motion in SymPy: `M` (8), `h` (7), `residual` (6); LaTeX in a notebook.

        Those of a model with constraints also have `W`, `multipliers`, `Phi`, `rates`, `gamma`, and may be `reduced()`.
        They do not contain efforts in plain Python (`@model.efforts`); a warning says so.

        Parameters
        ----------
        mode : dict, optional
            The mode of contacts, clutches, friction and locks: values (1 or 0, no unit) by name, such as
            {"floor.closed": 1, "q.locked": 1}; all others are 0. What holds then has a multiplier. If left out, locks
            are as at the start, and the flags of elements stay symbols.

        Returns
        -------
        Equations

        Raises
        ------
        UnknownNameError
            When no element has a flag of this name.
        ModelError
            When the equations are not complete.
        """
        flags = (*(str(f) for f in self.mechanism.flags), *(f"{q}.locked" for q in self._locks))
        given = {name: finite(x, f"mode {name}") for name, x in by_name(mode, "mode", '{"floor.closed": 1}').items()}
        for name in given:
            name_in(name, flags, "mode has {!r}: expected flags of the model, of which there are {}.")
        present = dict.fromkeys(flags, 0.0) | given
        if mode is None:
            present = {f"{q}.locked": 1.0 for q, locked in self._locks.items() if locked}
        mechanism, reduction = self.mechanism, OPEN
        if self.constraints:
            closed, redundancy = self.solver.closed(None, self.values())
            mechanism = carried(mechanism, redundancy.kept)
            reduction = self.solver.read(closed, self.values())
        found = Equations(declarations.complete(mechanism), reduction, present)
        if found.missing:
            warnings.warn(
                f"the symbolic equations of model '{self.name}' do not hold the efforts written in plain Python "
                f"({', '.join(found.missing)}): write them as Force, Moment or GeneralizedForce to see them here.",
                IncompleteEquationsWarning,
                stacklevel=calls_to_user(),
            )
        return found

    def values(self, parameters: Mapping[str, Any] | None = None) -> dict[str, float]:
        """Values of all parameters, in their own units, with those of `parameters` in place of the model's own.

        Raises
        ------
        ModelError
            When a parameter has no value.
        """
        overriding = {} if parameters is None else self._checked_values(parameters)
        values = {p.name: overriding.get(p.name, value) for p, value in self._parameters.items()}
        missing = [name for name, value in values.items() if value is None]
        if missing:
            raise ModelError(
                f"model '{self.name}': no value for parameter {', '.join(missing)}. Give one with "
                f"parameters={{'{missing[0]}': ...}} or model.set_parameters({missing[0]}=...)."
            )
        return {name: float(value) for name, value in values.items() if value is not None}

    def _programs(
        self, scheme: str, given: Mapping[Input, Any] | None = None, locks: tuple[Coordinate, ...] | None = None,
        kept: tuple[int, ...] = (), said: Any = None, mechanism: Callable[[], Mechanism] | None = None,
    ) -> Programs:  # fmt: skip
        """Those of the model, or of another complete mechanism, which is known by what is `said`."""
        locks = tuple(self._locks) if locks is None else locks
        key = said, scheme_of(scheme), tuple((given or {}).items()), locks, kept

        def derived() -> Programs:
            own = declarations.complete(self.mechanism) if mechanism is None else mechanism()
            return Programs(Derivation(carried(own.with_given(given or {}, locks), kept), key[1]))

        return self._compiled.of(key, derived)

    def compile(
        self,
        target: str = "auto",
        scheme: str = "recursive",
        *,
        parameters: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> CompiledSystem:
        """Prepare evaluation in numbers, without a run: `residual, mass_matrix, accelerations, frames`.

        Parameters
        ----------
        target : {"auto", "native", "numpy", "python", "jax"}
            The means of evaluation: "auto" takes the fastest one available; `system.target` names it. "jax" gives
            functions that JAX can compile, vectorise and differentiate: docs/accelerators.md.
        scheme : {"recursive", "explicit", "motor"}
            How the equations are derived; all give the same numbers.
        parameters : dict, optional
            Values that differ from the model's own.
        inputs : dict, optional
            Numbers that differ from those of `model.input`.

        Returns
        -------
        CompiledSystem
            Later changes of the model do not affect it.
        """
        given = {name: finite(value, f"input {name}") for name, value in by_name(inputs, "inputs", '{"u": 2}').items()}
        found = self.system(self.values(parameters), target, scheme, inputs_of(self, given))
        return found.copy() if target != "jax" else self._for_jax(found)

    def _for_jax(self, system: CompiledSystem) -> CompiledSystem:
        """The same, with functions that JAX can trace."""
        from easydyn.engine.accelerated import jax_system

        names, values = [str(q) for q in self._coordinates], self.initial_values
        others = system.n - len(names) - len(self._states)  # multipliers, and unknowns of elements
        rates = [*(values[f"{q}.dot"] for q in names), *(values[str(p)] for p in self._states), *[0] * others]
        start = *(values[q] for q in names), *[0] * (system.n - len(names)), *rates
        obstacles = [*self.happenings, *(["a start that has to be found"] if self._starts else [])]
        return jax_system(system, start, obstacles)

    def system(
        self,
        values: Mapping[str, float],
        target: str,
        scheme: str,
        inputs: Inputs | None = None,
        locks: tuple[Coordinate, ...] | None = None,
        kept: tuple[int, ...] | None = None,
    ) -> CompiledSystem:
        """The compiled system for `values` of all parameters; made once for the same values.

        Parameters
        ----------
        values : dict
            In their own units.
        target, scheme, inputs
            As in `compile`.
        locks : tuple of Coordinate, optional
            Coordinates that can be locked.
        kept : tuple of int, optional
            The rows of constraints that are independent; found at the model's initial state if left out.

        Returns
        -------
        CompiledSystem
        """
        check_target(target)
        given = inputs or inputs_of(self, None)
        if kept is None:
            kept = self.solver.closed(None, values)[1].kept if self.constraints else ()
        programs = self._programs(scheme, given.formulas, locks, kept)

        def made() -> CompiledSystem:
            check_physical(programs.derivation.mechanism, values)
            return CompiledSystem(programs, values, target, given.numbers)

        key = target, programs, tuple(values.values()), tuple(given.numbers.values())
        return self._recent.of(key, made)

    def operations(self, of: str = "residual", scheme: str = "recursive") -> dict[str, int]:
        """Count the operations of one evaluation by a `scheme`: {"mul": .., "add": .., "trig": .., "other": ..}.

        `of` is "residual", "mass_matrix" or "accelerations" (by articulated bodies or by elimination of M, whichever is
        shorter); anything else raises InputError. A division counts as mul. Sign changes, and operations on parameters
        only, do not count.
        """
        if not among(of, ("residual", "mass_matrix", "accelerations")):
            raise InputError(f'operations(of={of!r}): expected "residual", "mass_matrix" or "accelerations".')
        kept = self.solver.closed(None, self.values())[1].kept if self.constraints else ()
        return self._programs(scheme, kept=kept).program(of).operations

    def simulate(
        self,
        t_final: float,
        *,
        save_every: float | None = None,
        max_step: float | None = None,
        step: float | None = None,
        tolerance: float = 1e-6,
        method: Any = "newmark",
        initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None,
        jumps: Any = (),
        t_start: float = 0.0,
        min_step: float | None = None,
        target: str = "auto",
        scheme: str = "recursive",
        progress: Any = None,
        inputs: Mapping[str, Any] | None = None,
        locked: Any = None,
        max_steps: int | None = None,
        max_memory: float | None = None,
        save_at: Sequence[float] | None = None,
        constraints: str = "reduced",
        contacts: str = "events",
    ) -> Trajectory:
        """Integrate the motion from `t_start` to `t_final` (s).

        Parameters
        ----------
        t_final : float
            End of the run (s).
        save_every : float or "step", optional
            Interval between saved instants (s); it does not change the steps. If left out, every step is saved; of more
            than 100,000 steps only as many as a plot can show are saved (`run.message` says so). "step" saves all
            steps. Methods of high order save 500 intervals if it is left out.
        max_step : float, optional
            Longest step (s); a hundredth of the run if left out (with methods of high order, a tenth).
        step : float, optional
            A fixed step (s) instead of step control.
        tolerance : float
            Bound on the rate of error of eq. (22), in the unit of the coordinates per s; 1e-6 by default.
        method : str or Method
            "newmark", "hht", "generalized_alpha", or `newmark(beta, gamma)`, `hht(alpha)`, ...; the methods of high
            order "dop853", "lobatto" and "newmark_extrapolated"; SciPy's methods "scipy:RK45", "scipy:Radau"
            and others; "auto": one that fits the model, which `run.stats.method` tells.
            docs/methods.md says when to use which.
        initial : dict, optional
            Values at the start that differ from the model's own: {"q1": 0.3, "q1.dot": 2}.
        parameters : dict, optional
            Parameter values that differ from the model's own.
        jumps : sequence of float, optional
            Times (s) at which a Python callback jumps; the jumps of symbolic efforts are found automatically.
        t_start : float
            Start of the run (s), 0 by default.
        min_step : float, optional
            Step (s) below which the run is abandoned; if left out, the smallest step that the rounding of time allows.
        target, scheme : str
            As in `compile`.
        inputs : dict or Recording, optional
            The inputs: {"u": 2}, a table {"u": (times, values)} with straight lines between its points, a function of
            time, or a formula of the model's symbols. Other inputs keep their value from `model.input`. Of a recording
            the columns that are called as inputs are tables.
        locked : list or dict, optional
            Coordinates that are held: ["q2"] throughout, or {"q2": (begin, end)} for some time (s).
        progress : bool, callable or bar, optional
            True for a progress bar; or a function of the fraction done, a bar of tqdm, or a `visu.LiveView`, which
            draws the state that the run has reached. If left out, a bar is shown for long runs in interactive use.
        max_steps : int, optional
            Number of steps after which the run is abandoned; ten million if left out.
        max_memory : float, optional
            Memory (bytes, no unit) for saved instants, steps and events after which the run is abandoned; 1e9 if left
            out.
        save_at : sequence of float, optional
            The instants to be saved (s), in increasing order, instead of an interval; only these are saved.
        constraints : {"reduced", "multipliers"}
            How loops are kept closed. "reduced" keeps as many coordinates as there are degrees of freedom and solves
            for the others, by closed forms where these exist. "multipliers" keeps all coordinates and uses Lagrange
            multipliers. Both give the same motion; where the run by closed forms loses a loop, or its energy balance
            is broken, it is made again by multipliers, and `run.message` says so.
        contacts : {"events", "stepping"}
            How rigid contacts, ropes and dry friction are found. "events" locates each impact, release and change of
            friction. "stepping" finds all their forces anew in each interval of `step` (s, 1e-3 if left out): for heaps
            of many bodies; its error is proportional to `step`. docs/contact.md.

        Returns
        -------
        Trajectory
            `run["q1"]`, `run.plot()`, `run.energy`, `run.animate()`, ...

        Raises
        ------
        InputError
            An option that makes no sense.
        IntegrationError
            The run could not go on. The message names the time, the coordinate and the remedy; `error.trajectory` is
            the result so far.
        """
        from easydyn.run.setup import interval_of, setup_of, way_of
        from easydyn.run.simulation import made

        interval, step = interval_of(contacts, step)
        request = Request(
            t_final, t_start, method, tolerance, step, max_step, min_step, save_every, progress, max_steps, max_memory,
            save_at,
        )
        chosen = way_of(constraints)

        def setup(way: str) -> Any:
            return setup_of(
                self, request.t_start, initial=initial, parameters=parameters, jumps=jumps, target=target,
                scheme=scheme, inputs=inputs, locked=locked, constraints=way, interval=interval,
            )  # fmt: skip

        return made(setup, request, chosen)

    @property
    def names(self) -> tuple[str, ...]:
        """The unknowns by name: coordinates, then first-order states."""
        return tuple(str(x) for x in (*self._coordinates, *self._states))

    def source(self, parameters: Mapping[str, Any] | None = None) -> Any:
        """The source of frames, energies and expressions of a Trajectory, with the `parameters` of the run."""
        from easydyn.run.model_source import SourceOfModel

        values, closing = self.values(parameters), None
        if self.constraints:
            from easydyn.run.closing import closing_of

            closing = closing_of(self, None, values, 0.0)
        return SourceOfModel(self.compile(parameters=parameters), closing)

    def check(self) -> list[str]:
        """Look for probable mistakes: findings, each a sentence with its remedy; empty when none is found."""
        from easydyn.analysis import check

        return check(self)

    def stepper(
        self, *, t_start: float = 0.0, t_end: float = 1e3, method: Any = "newmark", tolerance: float = 1e-6,
        max_step: float | None = None, min_step: float | None = None, initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None, jumps: Any = (), target: str = "auto", scheme: str = "recursive",
        inputs: Mapping[str, Any] | None = None, locked: Any = None, constraints: str = "multipliers",
        contacts: str = "events", step: float | None = None,
    ) -> Any:  # fmt: skip
        """Make a `Stepper` at the initial state, to go one step at a time: `stepper.step(h)`, `stepper.advance(h)`.

        Parameters
        ----------
        t_start, t_end : float
            Start, and the time up to which jumps in time are known (s): 0 and 1000 by default.
        method, tolerance, max_step, min_step, initial, parameters, jumps, target, scheme, inputs, locked : optional
            As in `simulate`.
        constraints : {"multipliers", "reduced"}
            How closed loops are treated. "multipliers" keeps all coordinates. With "reduced", `stepper.q`
            (`stepper.names`) has only the independent coordinates, and the stepper stops at a dead point, where a
            closed form ends.
        contacts : {"events", "stepping"}
            As in `simulate`.
        step : float (s), optional
            The interval of "stepping".

        Returns
        -------
        Stepper
            At the initial state.

        Raises
        ------
        InputError, ModelError
            Values that make no sense, a model that is not complete.

        Example
        -------
        >>> from easydyn import examples
        >>> stepper = examples.double_pendulum().stepper(method="lobatto")
        >>> stepper.advance(0.5)
        >>> stepper.t
        0.5
        """
        from easydyn.run.setup import interval_of, setup_of, way_of
        from easydyn.run.simulation import stepper

        interval, step = interval_of(contacts, step)
        if step is not None:
            raise InputError(f"step is {step!r}: a stepper takes the length of each of its steps, stepper.step(h).")
        t_start, t_end = finite(t_start, "t_start"), finite(t_end, "t_end")
        setup = setup_of(
            self, t_start, initial=initial, parameters=parameters, jumps=jumps, target=target, scheme=scheme,
            inputs=inputs, locked=locked, constraints=way_of(constraints), interval=interval,
        )  # fmt: skip
        return stepper(setup, t_start, t_end, method, tolerance=tolerance, max_step=max_step, min_step=min_step)

    def warn_of_callbacks(self, system: CompiledSystem) -> None:
        """Warn once that plain Python efforts of a `system` make runs slower."""
        if self._callbacks and not self._warned:
            self._warned = True
            system.callbacks.warn()

    def initial(self, values: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None) -> Any:
        """Initial (q, qd), two arrays (n,), for `parameters`; `values` by name replace the model's own."""
        return declarations.initial(self, values, self.values() if parameters is None else parameters)

    def scales(self, parameters: Mapping[str, float]) -> list[float | None] | None:
        """Typical sizes of the first-order states for `parameters`, in their own units; None where there are none."""
        return declarations.scales(self, parameters)

    def scene(
        self: Any, *, initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
        shapes: bool = True,
    ) -> Any:  # fmt: skip
        """The mechanism in its initial state as a `visu.Scene`: links, axes, guides, springs, ground, gravity.

        You need not declare anything: the scene follows from the transforms, masses and inertias. A notebook displays
        it. `scene.picture()` and `scene.sketch()` draw it on paper, `scene.add(body, shapes)` adds to it,
        `run.animate(scene=scene)` moves it.

        Parameters
        ----------
        initial, parameters : dict, optional
            Values that differ from the model's own.
        shapes : bool
            True to draw the shapes that were given to bodies; False to draw the bodies as if they had none.

        Returns
        -------
        Scene

        Raises
        ------
        ModelError
            A model with neither bodies nor coordinates, or one that cannot be assembled.
        """
        flag(shapes, "shapes")
        from easydyn import visu
        from easydyn.run.unknowns import determined

        system = self.compile("python", parameters=parameters)
        q, qd = self.initial(initial, system.parameters)
        if self.constraints:
            q, qd = self.solver.closed(initial, system.parameters)[0].start(q, qd, system.mechanism.multipliers)
        if system.mechanism.algebraic:
            qd = determined(system, 0.0, q, qd)
        scene = visu.scene_of(self.name, system, np.zeros(1), q[None], qd[None], shapes)
        scene.initial = q, qd
        instant: dict[str, Any] = {"save_at": [0.0], "step": INSTANT, "initial": initial, "parameters": parameters}
        scene.begun = partial(self.simulate, INSTANT, **instant)
        return scene

    @classmethod
    def from_urdf(
        cls, path: Any, *, gravity: Any = (0, 0, -9.81), meshes: Any = None, name: str | None = None,
        base: str = "fixed", package_path: Any = None, slip_speed: Any = None,
    ) -> Self:  # fmt: skip
        """Make the model of a robot from a URDF file: coordinates for each moving joint, a body for each link.

        The coordinate of a joint has its name; underscores replace characters that a name cannot contain. A planar
        joint "j" has the coordinates j_x, j_y, j_a: displacements along two axes perpendicular to its own (x and y for
        z), and the angle about it. A floating joint has j_x, j_y, j_z and, as `model.spherical`, j_a, j_b, j_c. A
        `mimic` joint becomes an expression of the coordinate of its leader. `model.joints["j"]` holds coordinates,
        limits, effort, velocity and frames. Limits do not act on the motion. Damping and dry friction become efforts;
        those of joints that mimic act on the leader.

        What does not concern motion never stops reading: meshes that are not found, transmissions, sensors.
        `model.notes` tells what was left out or put right, and `model.check()` as well.

        Parameters
        ----------
        path : str or Path
            The file.
        gravity : 3 scalars (m/s2)
            Ground components; a URDF file does not contain gravity. Downwards along z if left out.
        meshes : folder, function or False, optional
            The folder of the STL files; or a function that reads a mesh by its name and returns an object with
            `vertices` and `faces`, such as `trimesh.load`; or False to leave meshes out. If left out, the files are
            where their names say; `package://` is looked for upwards from the URDF file.
        name : str, optional
            Name of the model; that of the robot if left out.
        base : {"fixed", "floating"}
            Whether the base is fixed to the ground, or moves as a `free_body` does, with six coordinates.
        package_path : folder or list of them, optional
            Where packages are looked for, too, before the folders of the environment variable ROS_PACKAGE_PATH.
        slip_speed : float (rad/s or m/s), optional
            Makes dry friction smooth, as `JointFriction` does. Without it, friction is exact: it holds a joint at rest.

        Returns
        -------
        Model
            With a TorsionDamper and a JointFriction where a joint has damping and friction, to be added to.

        Raises
        ------
        FileError, InputError
            A file that is not URDF, or in which something is wrong that concerns motion: file, line, element, remedy.

        Example
        -------
        >>> from pathlib import Path
        >>> from easydyn import Model
        >>> text = '<robot name="bar"><link name="base"/><link name="arm"><inertial><mass value="2"/>'
        >>> text += '<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><joint name="q" type="continuous">'
        >>> text += '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
        >>> path = Path("bar.urdf")
        >>> characters = path.write_text(text)
        >>> model = Model.from_urdf(path)
        >>> model.names, model.joints["q"].coordinates == (model.symbols["q"],)
        (('q',), True)
        """
        from easydyn.model.urdf import from_urdf

        return cast("Self", from_urdf(cls, path, gravity, meshes, name, base, package_path, slip_speed))

    def explore(
        self: Any, *, limits: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None, scene: Any = None, backend: str = "html",
    ) -> Any:  # fmt: skip
        """Make a page with sliders for all coordinates, to see the assembly move: in a notebook, or `.save("x.html")`.

        The page computes T(q) itself, without Python. With closed loops it has sliders for the independent coordinates.
        Where the loops cannot be closed, it stops and says so.

        Parameters
        ----------
        limits : dict, optional
            Ends of sliders: {"q1": (-1, 1)}; a half turn, or half the size of the mechanism, to both sides if left out.
        initial, parameters : dict, optional
            Values that differ from the model's own.
        scene : Scene, optional
            The scene to show, for example `model.scene()` with additions.
        backend : {"html", "ipywidgets"}
            "html" for the page; "ipywidgets" for sliders whose values Python can read:
            `model.simulate(5, initial=explorer.values)`.

        Returns
        -------
        Page
            With `.save(path)`; with ipywidgets an Explorer, with `.values`.

        Raises
        ------
        UnknownNameError, InputError, ModelError, MissingDependencyError
            Limits for a name that is not a coordinate, or that are not two numbers; a model that cannot be assembled,
            loops without a closed form; no ipywidgets.

        Example
        -------
        >>> from easydyn import examples
        >>> page = examples.slider_crank().explore(limits={"q": (0, 6.2)})
        >>> path = page.save("crank.html")
        """
        from easydyn import visu

        if scene is None:
            scene = (self._solved_scene if self.constraints else self.scene)(initial=initial, parameters=parameters)
        return visu.explore(scene, limits, backend)

    def _solved_scene(self: Any, initial: Any, parameters: Any) -> Any:
        """The scene of the independent coordinates of closed loops."""
        from easydyn import visu
        from easydyn.run.schedule import inputs_of

        values = self.values(parameters)
        closed, _ = self.solver.closed(initial, values)
        found = self.solver.forms(closed, values, 0.0)
        if found.carried or not found.forms:
            open_ones = ", ".join(map(str, found.carried)) or "no coordinate"
            raise ModelError(
                f"model '{self.name}' has loops without a closed form ({open_ones} would follow by iteration), which "
                "sliders cannot close. Draw what model.assemblies(hold=...) finds, or animate a run."
            )
        given = inputs_of(self, None)
        system = self.solver.reduced_system(values, found, "python", "recursive", given, closed, 0.0)
        own = [self.mechanism.coordinates.index(c) for c in system.mechanism.coordinates]
        rest = np.zeros(system.n - len(own))
        q, qd = np.append(closed.q[own], rest), np.append(closed.qd[own], rest)
        scene = visu.scene_of(self.name, system, np.zeros(1), q[None], qd[None], True)
        scene.initial = q, qd
        return scene
