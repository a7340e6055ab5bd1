"""What shows a model: scenes, sliders, reports, and its equations as a program in another language.

Each method hands over to a module of `visu/` or `export/`, which is loaded when it is first asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from easydyn.arguments import answers
from easydyn.errors import ModelError
from easydyn.inputs import flag

if TYPE_CHECKING:
    from easydyn.model.model import Model
    from easydyn.result.trajectory import Trajectory


@answers
class Showing:
    """The part of a Model that shows it."""

    def _repr_html_(self) -> str:
        from easydyn.result.rich import of_model

        return of_model(self)

    def export(
        self, language: str, path: Any, *, t_final: float = 5.0, step: float = 1e-3, save_every: float = 0.01,
        parameters: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
        scheme: str = "recursive",
    ) -> Path:  # fmt: skip
        """Write the model as one source file of another language: its equations, and a program that integrates them.

        Parameters
        ----------
        language : {"c", "c++", "matlab", "modelica", "fortran", "julia", "rust", "jax"}
            What it is written in.
        path : str or Path
            The file to write, or a folder that exists, where it is called after the model.
        t_final, step, save_every : float
            What the program does: Runge-Kutta's method of fourth order from 0 to `t_final` (s), a line of a table
            every `save_every`, in steps of at most `step`.
        parameters, initial, scheme : optional
            As in `simulate`.

        Returns
        -------
        Path
            Of the file.

        Raises
        ------
        InputError, ModelError, FileError
            An unknown language, efforts in plain Python, a file that cannot be written.

        Example
        -------
        >>> from tempfile import TemporaryDirectory
        >>> from easydyn import examples
        >>> with TemporaryDirectory() as folder:
        ...     examples.double_pendulum().export("c", folder).name
        'double_pendulum.c'
        """
        from easydyn.export import export

        return export(
            cast("Model", self), language, path, t_final=t_final, step=step, save_every=save_every,
            parameters=parameters, initial=initial, scheme=scheme,
        )  # fmt: skip

    def report(
        self, path: Any, run: Trajectory | None = None, *, title: str | None = None, kinematics: bool = True,
        equations: bool = True, figures: Any = (),
    ) -> Path:  # fmt: skip
        """Write a report: bodies and data, transforms, kinematics, equations, sizes; of a run its results and pictures.

        Parameters
        ----------
        path : str or Path
            Its ending says what is written: ".html" one file that needs no network, ".tex" for a plain LaTeX
            installation, ".pdf" by pdflatex, ".md"; beside ".tex" and ".md" stand the files of the pictures.
        run : Trajectory, optional
            A run of this model.
        title : str, optional
            The name of the model if left out.
        kinematics, equations : bool
            Whether velocities and accelerations of the bodies, and the equations of motion, are written out.
        figures : matplotlib axes or figures, optional
            Pictures of your own to be put at the end: `[run.plot("q1.dot", x="q1")]`.

        Returns
        -------
        Path
            Of the file.

        Raises
        ------
        FileError, InputError, ModelError, MissingDependencyError
            Another ending, a file that cannot be written, a run of another model, no pdflatex for ".pdf".

        Example
        -------
        >>> from tempfile import TemporaryDirectory
        >>> from easydyn import examples
        >>> with TemporaryDirectory() as folder:
        ...     examples.double_pendulum().report(f"{folder}/report.html").name
        'report.html'
        """
        from easydyn.export.report import report

        return report(
            cast("Model", self), path, run, title=title, kinematics=kinematics, equations=equations, figures=figures
        )  # fmt: skip

    def scene(
        self, *, initial: Mapping[str, Any] | None = None, parameters: Mapping[str, Any] | None = None,
        shapes: bool = True,
    ) -> Any:  # fmt: skip
        """The mechanism in its initial state as a `visu.Scene`: links, axes, guides, springs, ground, gravity.

        Nothing has to be declared: all is read off the transforms, masses and inertias. It shows itself in a notebook;
        `scene.picture()` and `scene.sketch()` draw it on paper, `scene.add(body, shapes)` puts more into it,
        `run.animate(scene=scene)` moves it.

        Parameters
        ----------
        initial, parameters : dict, optional
            Values that differ from the model's own.
        shapes : bool
            Draw the shapes that bodies were given; without them, what would be drawn if there were none.

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

        model = cast("Model", self)
        system = model.compile("python", parameters=parameters)
        q, qd = model.initial(initial, system.parameters)
        if model.constraints:
            q, qd = model.solver.closed(initial, system.parameters)[0].start(q, qd, system.mechanism.multipliers)
        if system.mechanism.algebraic:
            qd = determined(system, 0.0, q, qd)
        scene = visu.scene_of(model.name, system, np.zeros(1), q[None], qd[None], shapes)
        scene.initial = q, qd
        return scene

    @classmethod
    def from_urdf(
        cls, path: Any, *, gravity: Any = (0, 0, -9.81), meshes: Any = None, name: str | None = None
    ) -> Model:
        """The model of a robot in a URDF file: a coordinate for each joint that moves, a body for each link.

        Coordinates are called as the joints are, with underscores for what no name may hold. Damping and dry friction
        of joints become efforts, `mimic` an expression of the other joint. Limits do not act.

        Parameters
        ----------
        path : str or Path
            The file.
        gravity : 3 scalars (m/s2)
            Ground components; the file does not know them. Downwards along z if left out.
        meshes : folder, function or False, optional
            Where STL files are; or what reads a mesh by its name and returns an object with `vertices` and `faces`,
            such as `trimesh.load`; or False to leave meshes out. Beside the file if left out.
        name : str, optional
            Of the model; that of the robot if left out.

        Returns
        -------
        Model
            With a TorsionDamper and a JointFriction where a joint has damping and friction, to be added to.

        Raises
        ------
        FileError, InputError
            What is no URDF file, a joint of another type, a loop; a mesh that is not found or no STL.

        Example
        -------
        >>> from pathlib import Path
        >>> from easydyn import Model
        >>> text = '<robot name="bar"><link name="base"/><link name="arm"><inertial><mass value="2"/>'
        >>> text += '<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link><joint name="q" type="continuous">'
        >>> text += '<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
        >>> path = Path("bar.urdf")
        >>> characters = path.write_text(text)
        >>> Model.from_urdf(path).names
        ('q',)
        """
        from easydyn.model.urdf import from_urdf

        return cast("Model", from_urdf(cls, path, gravity, meshes, name))

    def to_urdf(self, path: Any, *, parameters: Mapping[str, Any] | None = None) -> Path:
        """Write the model as a robot in a URDF file: links, joints, inertias, boxes, cylinders, spheres.

        It fits where every body is reached by turns and displacements, each of one coordinate, and nothing acts but
        gravity (which the file does not hold) and dampers on joints.

        Parameters
        ----------
        path : str or Path
            A name that ends in .urdf.
        parameters : dict, optional
            Values that differ from the model's own; the file holds numbers, each in its own unit.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ModelError, FileError
            What URDF cannot say, by its name; a file that cannot be written.

        Example
        -------
        >>> from easydyn import Model, tdisp, trotz
        >>> model = Model("bar")
        >>> q = model.coordinate("q")
        >>> bar = model.body("bar", trotz(q) * tdisp(0, -0.5, 0), mass=2, inertia=(0.1, 0, 0.1))
        >>> Model.from_urdf(model.to_urdf("bar.urdf")).names
        ('q',)
        """
        from easydyn.model.to_urdf import to_urdf

        return to_urdf(self, path, parameters)

    def to_fmu(
        self, path: Any, *, version: str = "2.0", parameters: Mapping[str, Any] | None = None,
        initial: Mapping[str, Any] | None = None, tolerance: float = 1e-6, compiler: str | None = None,
        binary: bool = True,
    ) -> Path:  # fmt: skip
        """Write the model as a Functional Mock-up Unit, for model exchange and co-simulation by other programs.

        Inputs of the model are inputs of the unit, outputs its outputs; coordinates, rates, states, accelerations and
        the places of bodies can be looked at. Events, rigid contacts, sampled PID and StateFeedback controllers, closed
        loops and free rotations go with it. In co-simulation it integrates by the method of Dormand and Prince.

        Parameters
        ----------
        path : str or Path
            A name that ends in .fmu.
        version : {"2.0", "3.0"}
            Of the Functional Mock-up Interface.
        parameters, initial : dict, optional
            Values that differ from the model's own, in their own units; others can be set in the unit.
        tolerance : float (no unit)
            Of co-simulation, beside the size of each state, where the importing program gives none.
        compiler : str, optional
            A C compiler; that of the variable CC, or the first of cc, gcc, clang, cl, if left out.
        binary : bool
            Compile it for this machine; without, the unit holds its source in C alone.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ModelError, MissingDependencyError, InputError, FileError
            What a unit cannot do, by its name; no compiler; a version that is not there; a file that cannot be written.

        Notes
        -----
        Functional Mock-up Interface, fmi-standard.org, 2.0.4 and 3.0.1.

        Example
        -------
        >>> from easydyn import examples
        >>> examples.double_pendulum().to_fmu("pendulum.fmu", binary=False).name
        'pendulum.fmu'
        """
        from easydyn.export.fmu import to_fmu

        return to_fmu(self, path, version, parameters, initial, tolerance, compiler, binary)

    def explore(
        self, *, limits: Mapping[str, Any] | None = None, initial: Mapping[str, Any] | None = None,
        parameters: Mapping[str, Any] | None = None, scene: Any = None, backend: str = "html",
    ) -> Any:  # fmt: skip
        """A page with a slider for every coordinate, to see the assembly move: in a notebook, or `.save("x.html")`.

        The page works out T(q) itself: it needs no Python. Of closed loops there are sliders for independent
        coordinates; where they cannot be closed it stops, and says so.

        Parameters
        ----------
        limits : dict, optional
            Ends of sliders: {"q1": (-1, 1)}; a half turn, or half the size of the mechanism, to both sides if left out.
        initial, parameters : dict, optional
            Values that differ from the model's own.
        scene : Scene, optional
            What to show, `model.scene()` with more in it.
        backend : {"html", "ipywidgets"}
            The page, or sliders of ipywidgets, which Python reads: `model.simulate(5, initial=explorer.values)`.

        Returns
        -------
        Page
            With `.save(path)`; of ipywidgets an Explorer, with `.values`.

        Raises
        ------
        UnknownNameError, InputError, ModelError, MissingDependencyError
            Limits of what is no coordinate, or not two numbers; a model that cannot be assembled, loops without a
            closed form; no ipywidgets.

        Example
        -------
        >>> from easydyn import examples
        >>> page = examples.slider_crank().explore(limits={"q": (0, 6.2)})
        >>> path = page.save("crank.html")
        """
        from easydyn import visu

        if scene is None:
            loops = bool(cast("Model", self).constraints)
            scene = (self._solved_scene if loops else self.scene)(initial=initial, parameters=parameters)
        return visu.explore(scene, limits, backend)

    def _solved_scene(self, initial: Any, parameters: Any) -> Any:
        """The scene of the independent coordinates of closed loops."""
        from easydyn import visu
        from easydyn.run.schedule import inputs_of

        model = cast("Model", self)
        values = model.values(parameters)
        closed, _ = model.solver.closed(initial, values)
        found = model.solver.forms(closed, values, 0.0)
        if found.carried or not found.forms:
            open_ones = ", ".join(map(str, found.carried)) or "no coordinate"
            raise ModelError(
                f"model '{model.name}' has loops without a closed form ({open_ones} would follow by iteration), which "
                "sliders cannot close. Draw what model.assemblies(hold=...) finds, or animate a run."
            )
        given = inputs_of(model, None)
        system = model.solver.reduced_system(values, found, "python", "recursive", given, closed, 0.0)
        names = [str(c) for c in model.mechanism.coordinates]
        own = [names.index(str(c)) for c in system.mechanism.coordinates]
        rest = np.zeros(system.n - len(own))
        q, qd = np.append(closed.q[own], rest), np.append(closed.qd[own], rest)
        scene = visu.scene_of(model.name, system, np.zeros(1), q[None], qd[None], True)
        scene.initial = q, qd
        return scene
