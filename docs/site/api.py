"""The reference: every public name, grouped as a reader looks for it. Its text comes from the docstrings.

`tests/test_site.py` fails when a public name stands on no page.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from easydyn.arguments import asked


class Page(NamedTuple):
    """One page: its file, its title, what is said first, and (heading, names) in order.

    A name is a full one, "easydyn.Model"; "easydyn.mechanics.mbs.*" stands for all public names of that module. With a
    colon behind it the members that are shown follow: "easydyn.Spring:" none, "easydyn.X: a, b" those.
    """

    file: str
    title: str
    text: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]


DATA = {  # names that are no classes or functions have no docstring of their own
    "easydyn.ground": "The fixed frame, body 0: an end of springs, a place for a reaction.",
    "easydyn.shapes": "The module of the shapes for `Contact`: `shapes.Disc(0.1)`.",
    "easydyn.t": "Time (s), as a symbol: frames, forces and inputs may depend on it.",
    "easydyn.result.plots.STYLES": "Styles of figures by name, for `style`: paper, grey paper, slides.",
    "easydyn.sim.dop853": "The method of Dormand and Prince, order 8: `method=\"dop853\"`.",
    "easydyn.vec.Factor": "What a product of transforms is made of: a `Turn`, a `Shift` or a `Block`.",
    "easydyn.vec.IDENTITY": "The rotation that turns nothing.",
    "easydyn.vec.ZERO": "The vector (0, 0, 0).",
    "easydyn.visu.COLOURS": "Colours by name, each as its hexadecimal code; the colour-blind can tell them apart.",
    "easydyn.easyanim.COLOURS": "Colours of EasyAnim by number.",
    "easydyn.export.LANGUAGES": "What `model.export` can write: c, c++, matlab, modelica, fortran, julia, rust.",
}


def each(module: str, names: str, only: str = "") -> tuple[str, ...]:
    """Full names, each with the members to be shown."""
    return tuple(f"{module}.{name}{only}" for name in names.split())


PAGES = (
    Page(
        "model", "Models",
        "What you write, and what follows from it. Frames come first: :doc:`vec`; forces have a page of their own, "
        ":doc:`efforts`. :doc:`/docs/conventions` says which way everything goes.",
        (
            ("The model", ("easydyn.Model",)),
            ("Bodies, ground, time", ("easydyn.mechanics.mechanism.Body", "easydyn.ground", "easydyn.t")),
            ("Points without mass, made by ``model.node``", ("easydyn.mechanics.mechanism.MasslessPoint",)),
            ("Joints of a robot from a file, in ``model.joints``", ("easydyn.model.urdf.Joint",)),
            ("Symbols", ("easydyn.mechanics.symbols.*",)),
            ("Equations and numbers", (
                "easydyn.mechanics.equations.Equations",
                "easydyn.engine.system.CompiledSystem: residual, mass_matrix, accelerations, bound, frames, "
                "energies, jacobian, with_locks, copy",
                "easydyn.engine.accelerated.JaxSystem: pure, motion",
            )),
        ),
    ),
    Page(
        "efforts", "Force elements",
        ":doc:`/docs/forces`, :doc:`/docs/contact` and :doc:`/docs/tyre` say which to take, with the laws and "
        "pictures of their use; this is the reference. All are given to ``model.add(...)``.",
        (
            ("Forces and moments", each("easydyn", "Force Moment GeneralizedForce Actuator Drag", ":")),
            ("Fields of gravity, for ``Model(gravity=...)``", each(
                "easydyn", "UniformGravity PointGravity GravityField GravityGradient", ":",
            )),
            ("Springs, dampers, stops", each(
                "easydyn", "Spring Damper TorsionSpring TorsionDamper EndStop Bushing", ":",
            ) + each("easydyn.forces", "SpringDamperSeries", ":")),
            ("Contact and friction", each(
                "easydyn", "Contact PlanePoint PlaneSphere RigidContact JointFriction Brake Clutch OneWay Tyre", ":",
            )),
            ("Shapes that touch", ("easydyn.shapes", *each(
                "easydyn.shapes",
                "Point Disc Hole HalfPlane Segment Polygon Curve Sphere Plane Capsule Box Ellipsoid Rim", ":",
            ))),
            ("Ropes", each("easydyn", "Rope Pulley Winch Around", ":")),
            ("Drive trains", each("easydyn", "Rotor", ":") + each("easydyn.forces", "ElectricMotor ElasticGear", ":")
             + each("easydyn.constraints", "Gear BevelGear GearConstraint", ":")),
            ("Ready-made linkages", each(
                "easydyn.linkages",
                "crank_slider engine_cylinder four_bar four_bar_with_slide bar_with_cylinder steering scissor watt "
                "stephenson hexapod geneva Linkage", ":",
            )),
            ("What rolls and slides", each(
                "easydyn", "Rolling RollingWheel RollingWheelSet KnifeEdge RollingOn Sliding", ":",
            )),
            ("Loops and constraints, made by ``model.close`` and ``model.constraint``", each(
                "easydyn.constraints", "Closure Equation",
            )),
            ("Elements of your own", (
                "easydyn.Effort", *each("easydyn.forces", "Assembly place Placeholder Gap gap_of Slip Transition"),
            )),
        ),
    ),
    Page(
        "flexible", "Bodies that bend",
        ":doc:`/docs/flexible` has the formulas, and how many elements are needed. ``model.beam(...)`` makes them.",
        (
            ("Beams in the plane", each("easydyn.flexible", "Section Material FlexibleBeam Beam")),
            ("Bodies from matrices", each("easydyn.flexible", "FlexibleBody Elasticity")),
        ),
    ),
    Page(
        "run", "Runs and results",
        "What ``model.simulate(...)`` returns, and its parts; the methods that step. :doc:`/docs/methods` says "
        "which to take.",
        (
            ("The result", ("easydyn.Trajectory",)),
            ("Its parts", ("easydyn.Happening", "easydyn.result.trajectory.Energy",
                           *each("easydyn.sim.motion", "Statistics Steps"), "easydyn.result.spectra.Spectrum")),
            ("Figures", each("easydyn.result.plots", "style STYLES Panels")),
            ("Without a model", each("easydyn", "integrate Stepper Event Instant")),
            ("Methods", ("easydyn.Method", "easydyn.newmark", "easydyn.hht", "easydyn.generalized_alpha",
                         "easydyn.newmark_extrapolated", "easydyn.sim.dop853", "easydyn.sim.lobatto",
                         "easydyn.sim.Family")),
        ),
    ),
    Page(
        "analyses", "Analyses",
        "What the analyses of a model and of a run return. How they are asked for: :doc:`/docs/analysis`, "
        ":doc:`/docs/reactions`, :doc:`/docs/check`.",
        (
            ("Rest and small motions", each(
                "easydyn.analysis",
                "Equilibrium EquilibriumPath Linearization Modes Mode StateSpace RootLocus InverseKinematics",
            )),
            ("Dependence on data", ("easydyn.analysis.Sensitivity",)),
            ("Reactions", ("easydyn.Cut", "easydyn.analysis.Reaction")),
            ("As functions", each(
                "easydyn.analysis",
                "equilibrium equilibrium_path linearize root_locus sensitivity check inverse_kinematics jacobian",
            )),
        ),
    ),
    Page(
        "control", "Control",
        "Laws for ``model.controller(...)`` and loops in continuous time. :doc:`/docs/events` has inputs, outputs, "
        "events and locks.",
        (
            ("", each("easydyn", "PID continuous_pid StateFeedback point_to_point")),
            ("Made by ``point_to_point``", each("easydyn.model.paths", "PointToPoint")),
        ),
    ),
    Page(
        "vec", "Vectors and transforms",
        "Vectors, rotations, inertia and homogeneous transforms of numbers, of SymPy expressions, or of both, "
        "equations (1)-(4). All of it is in ``easydyn.vec``, too.",
        (
            ("Making transforms", each("easydyn", "trotx troty trotz trot tdisp tquat transform rotation_sequence")),
            ("Vectors and inertia", each("easydyn", "vcoord cross dot inertia_tensor")),
            ("Their types", ("easydyn.Transform", "easydyn.Vector", *each("easydyn.vec", "Rotation Inertia Tensor"))),
            ("Factors of a product", each("easydyn.vec", "Factor Turn Shift Block")),
            ("What is taken for what", each("easydyn.vec", "as_transform vector axial IDENTITY ZERO")),
        ),
    ),
    Page(
        "motor", "Motor calculus",
        "Velocity, momentum and force of a rigid body as one quantity each, after von Mises. ``easydyn.motor`` is "
        "loaded when it is asked for.",
        (("", each("easydyn.motor", "Motor Dyad inertia_dyad")),),
    ),
    Page(
        "textbook", "The textbook",
        "The method itself, to be read beside :doc:`/docs/theory`: velocities and accelerations from T(q, t), "
        "d'Alembert's principle, and kinematics written by hand as in the original program.",
        (
            ("Kinematics by hand", each("easydyn", "System check_motion")),
            ("Velocity and acceleration from position", ("easydyn.mechanics.kinematics.*",)),
            ("d'Alembert's principle", ("easydyn.mechanics.mbs.*",)),
        ),
    ),
    Page(
        "studies", "Studies",
        "Many runs of one model; :doc:`/docs/studies` is the guide.",
        (
            ("What is drawn", each("easydyn", "Uniform Normal")),
            ("What is kept", each("easydyn", "Last Max Min At Integral")),
            ("What ``model.study`` makes", each("easydyn.study", "Study StudyResult SobolIndices")),
            ("Fits, made by ``model.fit``: :doc:`/docs/fits`", ("easydyn.study.fit.Fit",)),
            ("What was measured, for a fit", each("easydyn.lab", "read Recording") + ("easydyn.lab.recording.Runs",)),
            ("What a camera and sensors see of a model", (
                *each("easydyn.lab", "Camera gyro accelerometer"), "easydyn.lab.sensors.Sensed",
            )),
            ("Optima, made by ``model.optimise``: :doc:`/docs/optimise`", (
                *each("easydyn", "AtRest Linearized"), "easydyn.study.optimise.Optimum",
            )),
        ),
    ),
    Page(
        "visu", "Pictures and animations",
        "Shapes for bodies, scenes, the player. :doc:`/docs/sight` shows how they are used; nothing has to be declared "
        "to see a model.",
        (
            ("Animations and pages", each("easydyn.visu", "animate explore Animation Overlay Page LiveView")),
            ("Scenes", each("easydyn.visu", "scene_of Scene Part SceneFrame View")),
            ("Shapes of bodies", each("easydyn.visu", "Box Sphere Cylinder Cone Frustum Tube Torus Gear Tyre Mesh")),
            ("Other shapes", each("easydyn.visu", "Arrow Frame Line Path Pipe SpringShape Surface Text Triangle")),
            ("What shapes are made of", each("easydyn.visu", "Shape SolidShape Solid solid COLOURS")),
        ),
    ),
    Page(
        "export", "Programs, reports, files",
        "A model is exported by ``model.export(...)`` (:doc:`/docs/export`) and told about by ``model.report(...)`` "
        "(:doc:`/docs/reports`); a run is kept by ``run.save(...)``.",
        (
            ("Other languages", ("easydyn.export.export", "easydyn.export.LANGUAGES")),
            ("Files of EasyAnim", ("easydyn.easyanim.*",)),
        ),
    ),
    Page(
        "course", "The course",
        "Checks of exercises and the table of a folder of submissions; :doc:`/docs/course` is the guide, also to "
        "exercises of your own.",
        (
            ("For students", ("easydyn.exercise",)),
            ("For lecturers", each("easydyn.course", "grade Limits exercises find check Exercise Report Stage holes")),
            ("For authors of exercises", each("easydyn.course", "stage Wrong Work")),
        ),
    ),
    Page(
        "examples", "Examples",
        "The models that come with easydyn, each a function that returns a ``Model``; :doc:`/docs/gallery` shows them.",
        (("", ("easydyn.examples.*", "easydyn.examples.figures.figure")),),
    ),
    Page(
        "errors", "Exceptions",
        "The classes; :doc:`/docs/errors` has every message, its cause and its cure.",
        (("", ("easydyn.errors.*",)),),
    ),
)  # fmt: skip


def thing(name: str) -> Any:
    """What a full name stands for; AttributeError or ImportError where there is no such thing."""
    parts = name.split(".")
    value: Any = importlib.import_module(parts[0])
    for k, part in enumerate(parts[1:], start=2):
        if not hasattr(value, part) and found(".".join(parts[:k])):
            importlib.import_module(".".join(parts[:k]))
        value = getattr(value, part)
    return value


def found(module: str) -> bool:
    """Whether there is a module of this name."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def public(module: str) -> list[str]:
    """Public names of a module: `__all__`, or the functions and classes that are written there."""
    there = importlib.import_module(module)
    if hasattr(there, "__all__"):
        return [name for name in there.__all__ if not name.isupper() or f"{module}.{name}" in DATA]
    own = (inspect.isclass, inspect.isroutine)
    return [
        name for name, value in vars(there).items()
        if not name.startswith("_") and any(kind(value) for kind in own) and value.__module__ == module
    ]  # fmt: skip


def entries(names: tuple[str, ...]) -> Iterator[tuple[str, str | None]]:
    """(full name, members to be shown, None for all) of the names of a section."""
    for written in names:
        name, colon, members = written.partition(":")
        if name.endswith(".*"):
            module = name[:-2]
            if found(module):  # what is not there has nothing to be said of
                yield from ((f"{module}.{each}", None) for each in public(module))
        else:
            yield name, members.strip() if colon else None


def own_members(cls: type) -> list[str]:
    """Public methods and properties with a docstring, those of base classes of the package too, as they are written."""
    names: dict[str, None] = {}
    for base in cls.__mro__:
        if base.__module__.startswith("easydyn"):
            for name, value in vars(base).items():
                member = isinstance(value, asked | classmethod | staticmethod | property | functools.cached_property)
                told = not name.startswith("_") and (member or inspect.isfunction(value))
                if told and inspect.getdoc(getattr(base, name)):
                    names[name] = None
    return list(names)


def full_name(name: str) -> str:
    """The name under which Sphinx shows it: that of the class itself where it has another one in its own module."""
    value = thing(name)
    renamed = inspect.isclass(value) and value.__name__ != name.rpartition(".")[2]
    return f"{value.__module__}.{value.__qualname__}" if renamed else name


def directive(name: str, members: str | None) -> str:
    """What makes Sphinx take a name from its docstring."""
    value = thing(name)
    if inspect.isclass(value):
        shown = ", ".join(own_members(value)) if members is None else members
        lines = [f".. autoclass:: {full_name(name)}"]
        lines += [f"   :members: {shown}"] if shown else []
    elif inspect.isroutine(value):
        lines = [f".. autofunction:: {name}"]
    else:
        lines = [f".. py:data:: {name}", "", f"   {DATA[name]}"]
    return "\n".join(lines) + "\n"


def summary(name: str) -> str:
    """The first sentence of a docstring, up to the first blank line."""
    text = DATA.get(name) or inspect.getdoc(thing(name)) or ""
    return " ".join(text.split("\n\n")[0].split())


def text(page: Page) -> str:
    """The source of a page: a table of its names, then each of them in full."""
    lines = [page.title, "=" * len(page.title), "", page.text, ""]
    rows: list[str] = []
    body: list[str] = []
    for heading, names in page.sections:
        there = list(entries(names))
        if heading and there:
            body += [heading, "-" * len(heading), ""]
        for name, members in there:
            value = thing(name)
            role = "class" if inspect.isclass(value) else "func" if inspect.isroutine(value) else "data"
            said = summary(name).replace("\\", "\\\\").replace("*", r"\*").replace("|", r"\|")
            rows += [f"   * - :py:{role}:`{name.rpartition('.')[2]} <{full_name(name)}>`", f"     - {said}"]
            body += [directive(name, members), ""]
    if len(rows) > 2:
        lines += [".. list-table::", "   :class: names", "   :widths: 25 75", "", *rows, ""]
    return "\n".join([*lines, *body])


def write(folder: Path) -> None:
    """All pages, and the one that lists them."""
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        (folder / f"{page.file}.rst").write_text(text(page), encoding="utf-8")
