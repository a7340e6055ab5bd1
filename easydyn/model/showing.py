"""Ways to show a model: scenes, sliders, reports, and its equations as a program in another language.

Each method calls a module of `visu/` or `export/`, which is loaded at the first call.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Self, cast

import numpy as np

from easydyn.arguments import answers, asked
from easydyn.errors import ModelError
from easydyn.inputs import flag

INSTANT = 1e-6  # s: a run of one step, whose first accelerations count


@answers
class Showing:
    """The part of a Model that shows it."""

    _repr_html_ = asked("easydyn.result.rich:of_model")

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
