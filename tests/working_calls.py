"""A call that works for every public name that takes arguments, each in a `World` of models and runs.

`CALLS[path](world)` gives the function, its positional arguments and its options; a name without a call stands in
`UNCALLED`, with the reason. What is mutated and how is in mutants.py. A list of several calls covers arguments that
make sense together only.
"""

import shutil
from functools import cached_property
from pathlib import Path

import numpy as np
import sympy

import easydyn as ed
from easydyn import (
    PID,
    Cut,
    Event,
    Force,
    GeneralizedForce,
    Model,
    Spring,
    System,
    examples,
    integrate,
    lab,
    linkages,
    t,
    tdisp,
    trotz,
    vcoord,
    visu,
)
from easydyn.analysis import (
    check,
    equilibrium,
    equilibrium_path,
    inverse_kinematics,
    jacobian,
    linearize,
    root_locus,
    sensitivity,
)
from easydyn.constraints import BevelGear, Gear, GearConstraint
from easydyn.course import Exercise, Limits, Stage, Work, exercise, exercises, find, grade, stage
from easydyn.course import check as course_check
from easydyn.easyanim import Drawing, ModeShape, write
from easydyn.examples.figures import figure
from easydyn.flexible import Beam, Elasticity, FlexibleBeam, Material, Section
from easydyn.forces import ElasticGear, ElectricMotor, SpringDamperSeries
from easydyn.mechanics import kinematics, symbols
from easydyn.motor import Dyad, Motor, inertia_dyad
from easydyn.result.plots import style
from easydyn.sim import Family, Instant
from easydyn.touch import Contact, shapes
from easydyn.vec import as_transform, vector
from easydyn.vec.tensors import Tensor, Vector, axial

U = sympy.Symbol("u")
FOUR_BAR = {"ground": 0.9, "crank": 0.3, "coupler": 0.8, "rocker": 0.6}


def a_shaft():
    model = Model("m")
    crank = model.coordinate("crank")
    return model, model.body("shaft", trotz(crank), mass=8, inertia=(0, 0, 0.02)), crank


def call(function, *arguments, **options):
    return function, arguments, options


def framework():
    """K of three nodes, each held by springs to what the first would have as a rigid body."""
    R = np.zeros((3, 6, 6))
    R[:] = np.eye(6)
    for k, place in enumerate(([1, 0, 0], [0, 1, 0]), start=1):
        R[k, :3, 3:] = np.cross(np.eye(3), place).T
    off = np.eye(18) - np.hstack([R.reshape(18, 6), np.zeros((18, 12))])
    return 1000.0 * off.T @ off


# Three bodies on springs, as a flexible body
FRAME = {"nodes": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "M": np.kron(np.eye(3), np.diag([1, 1, 1, 0.1, 0.1, 0.1])),
         "K": framework()}  # fmt: skip


def bar(w):
    return Beam(w.m.ground, w.s.rod, Section.rectangle(0.02, 0.01), Material(2e9, 1000), length=1.0)


def driven():
    """A pendulum with a spring, a parameter, an input, an output, an effort in Python, an event, something to lock."""
    model = Model("pendulum", gravity=(0, -9.81, 0))
    q1, q2 = model.coordinates("q1 q2", initial=(0.1, 1))
    (l1,) = model.parameters(l1=1.2)
    (p,) = model.states("p", initial=1)
    u = model.input("u", 0.5)
    upper = model.body("upper", trotz(q1) * tdisp(0, -l1, 0), mass=1.1, inertia=(1, 1, 0.1))
    model.body("lower", trotz(q1) * tdisp(0, -2 * l1, 0) * trotz(q2) * tdisp(0, -0.5, 0), mass=1, inertia=(1, 1, 0.1))
    model.add(Spring(model["lower"], model.ground, stiffness=5, free_length=1), GeneralizedForce(q1, u))
    model.add(Force(upper, (1, 0, 0)))
    model.equation(p.dot + p)
    model.output("angle", q1 + q2)
    model.event(q1 - 100, name="far")
    model.lock(q2, locked=False)
    return model


class Small:
    """A small model, made anew for each call that may change it."""

    def __init__(self):
        self.model = Model("small", gravity=(0, -9.81, 0))
        (self.q,) = self.model.coordinates("q", initial=0.3)
        (self.k,) = self.model.parameters(k=2.0)
        (self.p,) = self.model.states("p")
        self.u = self.model.input("u")
        self.rod = self.model.body("rod", trotz(self.q) * tdisp(0, -1, 0), mass=1, inertia=(1, 1, 1))
        self.model.equation(self.p.dot + self.p)


def turned(t, q, qd, qdd, bodies):
    body = bodies[0]
    body.T = trotz(q[0]) * tdisp(0, -1.0, 0)
    body.omega, body.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
    body.vG = ed.cross(body.omega, body.T.e)
    body.aG = ed.cross(body.omegad, body.T.e) + ed.cross(body.omega, ed.cross(body.omega, body.T.e))


def by_hand():
    system = System("by hand", turned, coordinates="q", gravity=(0, -9.81, 0), initial=1.0)
    system.body("bob", mass=1, inertia=(0, 0, 0))
    return system


class World:
    """What the calls are made on: models and runs that nobody changes, and small ones that may be."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.small = self.closed = None

    def renew(self):
        """Before each call: what the last one may have changed is made anew."""
        self.small = self.closed = None
        self.__dict__.pop("hand", None)
        self.__dict__.pop("looped", None)
        self.__dict__.pop("system", None)
        self.__dict__.pop("stepper", None)
        self.__dict__.pop("scene", None)

    @property
    def s(self):
        self.small = self.small or Small()
        return self.small

    @property
    def m(self):
        return self.s.model

    @property
    def extra(self):
        """The small model with a state that has no equation yet."""
        if "p2" not in self.m.symbols:
            self.m.states("p2")
        return self.m

    @property
    def other_shaft(self):
        """The body of that coordinate."""
        return self.m["shaft"] if self.shaft else None

    @property
    def plan(self):
        return ed.point_to_point((0, 1), (2, 1), 1, 2)

    @property
    def shaft(self):
        """A second coordinate of the small model, of a body of its own."""
        if "turn" not in self.m.symbols:
            (turn,) = self.m.coordinates("turn")
            self.m.body("shaft", trotz(turn), mass=0, inertia=(0, 0, 1))
        return self.m.symbols["turn"]

    @cached_property
    def model(self):
        return driven()

    @cached_property
    def run(self):
        return self.model.simulate(0.1, step=0.01, target="python")

    @cached_property
    def eigen(self):
        """Linearised, with inputs and outputs."""
        return self.model.linearize()

    @cached_property
    def plain(self):
        model = Model("oscillator")
        x, y = model.coordinates("x y", initial=(0.1, 0))
        k, c = model.parameters(k=4, c=0.1)
        model.body("block", tdisp(x, y, 0), mass=1, inertia=(1, 1, 1))
        model.add(GeneralizedForce(x, -k * x - c * x.dot), GeneralizedForce(y, -k * y))
        return model

    @property
    def loop(self):
        """Two rods that a bar holds together."""
        if self.closed is None:
            self.closed = model = Model("two rods")
            a, b = model.coordinates("a b", initial=(0.5, 2.0))
            (length,) = model.parameters(l=0.9)
            rod = model.body("rod", trotz(a) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
            other = model.body("other", tdisp(1, 0, 0) * trotz(b) * tdisp(0.5, 0, 0), mass=1, inertia=(0, 0, 0.1))
            model.close(rod, other, joint="distance", length=length, name="bar")
        return self.closed

    @cached_property
    def looped(self):
        return self.loop.simulate(0.1, target="python")

    @cached_property
    def modes(self):
        return self.plain.linearize()

    @cached_property
    def hand(self):
        return by_hand()

    @cached_property
    def system(self):
        return self.model.compile(target="python")

    @cached_property
    def stepper(self):
        return self.model.stepper(target="python")

    @cached_property
    def scene(self):
        return self.model.scene()

    @cached_property
    def animation(self):
        return self.run.animate(every=0.01)

    @cached_property
    def camera(self):
        return lab.Camera(Model("of a camera"), scale=400, origin=(320, 40))

    @property
    def seen(self):
        return lab.Recording([0, 1], {"A x": [0, 1], "A y": [0, 1]}, {"A x": "px", "A y": "px"})

    @cached_property
    def film(self):
        (self.folder / "film.mp4").write_bytes(b"no film")
        return self.folder / "film.mp4"

    @cached_property
    def drawing(self):
        return Drawing("d", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], edges=[(0, 1)], surfaces=[(0, 1, 2)],
                       frames=[[(0, 0, 0), (1, 0, 0), (0, 1, 0)]] * 2,
                       modes=[ModeShape(1, -1 + 3j, np.ones((3, 3)))])  # fmt: skip

    @cached_property
    def studied(self):
        return self.plain.study(0.02, over={"x": [0.1, 0.2], "k": [2.0, 3.0]})

    @cached_property
    def uncertain(self):
        return self.plain.study(0.02, over={"x": ed.Uniform(0, 1), "k": ed.Uniform(1, 2)}, samples=4)

    @cached_property
    def measured(self):
        run = self.plain.simulate(0.2, save_every=0.02, target="python")
        return {"t": run.t, "x": run["x"] + 1e-3 * np.sin(40 * run.t)}

    @cached_property
    def fitted(self):
        return self.plain.fit(self.measured, {"k": 3.0})

    @cached_property
    def best(self):
        return self.plain.optimise(ed.Max("x"), {"k": (1, 9)}, 0.2)

    @cached_property
    def sensitivities(self):
        return self.plain.sensitivity(0.02, ["k"], step=0.01, target="python")

    @cached_property
    def statics(self):
        return self.plain.equilibrium()

    @cached_property
    def locus(self):
        return self.plain.root_locus("k", [1, 2, 3])

    @cached_property
    def over_k(self):
        return self.plain.equilibrium_path("k", 3, most=3)

    @cached_property
    def saved(self):
        self.run.save(self.folder / "saved.npz")
        write(self.run, self.folder / "drawn")
        return self.folder

    @cached_property
    def submissions(self):
        folder = self.folder / "hand-ins"
        folder.mkdir()
        shutil.copy(find(1).script, folder / "ann_01.py")
        return folder

    @cached_property
    def course(self):
        return Work({"double": lambda x: 2 * x, "x": 1.0, "T": trotz(0.1)})

    def path(self, name):
        return self.folder / name

    def file(self, name, content):
        self.path(name).write_text(content, encoding="utf-8")
        return self.path(name)

    @property
    def recording(self):
        return lab.Recording([0, 1, 2], {"x": [1, 2, 3]})

    def states(self):
        """Bodies of the textbook in numbers."""
        return self.hand.motion(0, [0.1], [0.2], [0.3])

    @cached_property
    def calculus(self):
        return kinematics.SymbolicCalculus(self.model.mechanism.coordinates)

    def contact(self, **more):
        return {"stiffness": 1e4, "name": "contact", "normal": (0, 1, 0), **more}

    def stiff(self, **more):
        tyre = {"outer_radius": 0.3, "torus_radius": 0.05, "stiffness": 1e5, "nominal_load": 1000}
        tyre |= {"slip_stiffness": 1e4, "side_slip_stiffness": 1e4, "camber_stiffness": 1e3, "exponent": 1}
        return tyre | {"static_friction": 1, "dynamic_friction": 0.8, "low_speed": 0.1, **more}


RECORD = "a record: easydyn makes it and users read it"
ROOMS = "between rooms of easydyn, which give it what they have checked"
TEXTBOOK = "the textbook, for any scalar: what it takes is made by what is called here"
CHECKS = "for check.py of an exercise: raises Wrong, and Stage.wrong tells of whatever else a check raises"
PROTOCOL = "says what others must have, and is never called"

UNCALLED = {
    RECORD: """
        analysis.equilibrium.Equilibrium analysis.linearize.Linearization analysis.linearize.StateSpace
        analysis.inverse_kinematics.InverseKinematics
        analysis.locus.RootLocus analysis.modes.Mode analysis.modes.Modes result.reactions.Reaction
        analysis.path.EquilibriumPath
        analysis.sensitivity.Sensitivity course.report.Report sim.motion.Happening result.plots.Panels
        result.trajectory.Trajectory study.study.Study study.result.StudyResult study.sobol.SobolIndices
        visu.animation.Animation visu.page.Page visu.scene.Frame visu.scene.Part visu.scene.Scene visu.scene.View
        mechanics.kinematics.Motion mechanics.mbs.BodyState mechanics.mbs.Bodies mechanics.symbols.Declared
        mechanics.equations.Equations visu.solids.Solid
        lab.sensors.Sensed
        forces.gap.Gap constraints.closure.Closure constraints.equation.Equation linkages.linkage.Linkage
        forces.effort.Transition flexible.body.FlexibleBody vec.Block vec.Shift vec.Turn visu.shapes.SolidShape
        forces.effort.Placeholder""",
    ROOMS: """
        model.byhand.System.actions model.byhand.System.along model.byhand.System.balances model.byhand.System.element
        model.byhand.System.supplied model.byhand.System.locking_force
        model.byhand.System.energies_along model.byhand.System.loaded model.byhand.System.motions
        model.byhand.System.drives
        model.byhand.System.energies model.byhand.System.closed
        engine.system.CompiledSystem.along engine.system.CompiledSystem.at engine.system.CompiledSystem.at_values
        engine.system.CompiledSystem.computable engine.system.CompiledSystem.constants_of
        engine.system.CompiledSystem.element engine.system.CompiledSystem.whole
        engine.system.CompiledSystem.energies
        engine.system.CompiledSystem.loads engine.system.CompiledSystem.closure_nodes
        constraints.closure.Closure.frames constraints.constraint.Constraint.rows
        constraints.constraint.Constraint.push constraints.constraint.Constraint.lengths
        constraints.constraint.Constraint.limits
        mechanics.symbols.Time.is_constant
        engine.system.CompiledSystem.function
        engine.system.CompiledSystem.kernel engine.system.CompiledSystem.kernel_abreast
        engine.system.CompiledSystem.node engine.system.CompiledSystem.one engine.system.CompiledSystem.program
        engine.system.CompiledSystem.set_parameters
        engine.system.CompiledSystem.with_held engine.system.CompiledSystem.with_constraints
        engine.system.CompiledSystem.with_locks engine.system.CompiledSystem.unrolled_at
        mechanics.equations.Equations.add_generalized mechanics.equations.Equations.state
        mechanics.equations.Equations.value errors.in_your_function errors.hint_of
        forces.contact.PlanePoint.place
        forces.effort.place
        touch.curve.Curve.jets touch.curve.Curve.normal touch.curve.Curve.bend touch.curve.Curve.outline
        forces.gap.Gap.determine forces.gap.Gap.guard forces.gap.Gap.power forces.gap.Gap.press forces.gap.Gap.push
        forces.gap.gap_of
        mechanics.equations.Equations.add_equation mechanics.mechanism.Mechanism.element_equations
        mechanics.rates.WithRates.add_rate mechanics.rates.WithRates.slopes mechanics.rates.WithRates.rate_slopes
        mechanics.mechanism.Mechanism.with_given sim.motion.Happening.of model.model.Model.system
        model.model.Model.warn_of_callbacks model.model.Model.scales sim.agenda.Instant sim.stepper.Stepper.call
        sim.stepper.Stepper.failure
        sim.stepper.Stepper.probe sim.stepper.Stepper.set_held sim.stepper.Stepper.set_input
        sim.stepper.Stepper.value_of visu.scene.Scene.colour_of visu.scene.Scene.end visu.scene.Scene.index
        visu.automatic.scene_of visu.explore.explore visu.animation.animate visu.weight.Volume.placed""",
    TEXTBOOK: """
        mechanics.kinematics.SymbolicCalculus mechanics.kinematics.SymbolicCalculus.diff
        mechanics.kinematics.SymbolicCalculus.gradient
        mechanics.kinematics.SymbolicCalculus.rate mechanics.kinematics.SymbolicCalculus.tidy
        mechanics.kinematics.motion
        mechanics.kinematics.rotation_contribution mechanics.kinematics.rotation_vector
        mechanics.kinematics.translation_contribution mechanics.symbols.partial_derivative
        mechanics.mbs.BodyState.angular_momentum mechanics.mbs.BodyState.apply mechanics.mbs.BodyState.velocity_at
        mechanics.mbs.apply_gravity
        mechanics.mbs.driving_power mechanics.mbs.gravity_potential mechanics.mbs.kinetic_energy
        mechanics.mbs.mass_matrix
        mechanics.mbs.numeric_partial_contributions mechanics.mbs.power mechanics.mbs.residual mechanics.mbs.resultant
        motor.Motor.map vec.tensors.Tensor.map vec.tensors.Vector.map
        vec.Transform.map vec.tensors.Tensor vec.tensors.Inertia vec.tensors.Rotation""",
    CHECKS: """
        course.work.Work.a course.work.Work.answers course.work.Work.array course.work.Work.ask course.work.Work.at
        course.work.Work.call course.work.Work.compare course.work.Work.draw course.work.Work.inputs
        course.work.Work.either course.work.Work.number course.work.Work.require course.work.Work.result
        course.work.Work.right course.work.Work.several
        course.work.Work.simulate course.work.Work.transform course.work.Work.value course.work.Work.vector
        course.work.holes""",
    PROTOCOL: """
        forces.effort.Assembly forces.effort.Assembly.add_generalized forces.effort.Assembly.add_rate
        forces.effort.Assembly.state forces.effort.Assembly.value forces.effort.Effort.apply forces.effort.Effort.gaps
        forces.effort.Effort.slips forces.effort.Effort.doubts forces.slip.Slip forces.slip.Slip.guard
        forces.slip.Slip.pressed forces.effort.Effort.demands forces.effort.Effort.start
        forces.effort.Effort.transitions forces.effort.Assembly.add_equation
        forces.declared.Declared.demands forces.declared.Declared.slips forces.declared.Declared.take
        forces.effort.Assembly.slopes forces.effort.Assembly.rate_slopes
        forces.effort.Effort.kinetic forces.effort.Effort.potential forces.effort.Effort.switches
        forces.fields.GravityField.acceleration
        forces.fields.GravityField.potential mechanics.kinematics.Calculus
        mechanics.kinematics.Calculus.diff
        mechanics.kinematics.Calculus.gradient mechanics.kinematics.Calculus.rate mechanics.kinematics.Calculus.tidy""",
}

GIVEN = "result.by_hand.integrate sim.stepper.Stepper"  # of these Model.simulate alone gives the following arguments
BY_EASYDYN = {(path, name) for path in GIVEN.split() for name in ("clocks", "held", "before_restart", "about", "judge")}
BY_EASYDYN.add(("course.grading.grade", "each"))  # what the user's function raises is the user's

# fmt: off
CALLS = {
    "model.model.Model.equilibrium": lambda w: call(w.plain.equilibrium),
    "model.model.Model.linearize": lambda w: call(w.plain.linearize),
    "model.model.Model.root_locus": lambda w: call(w.plain.root_locus, "k", [1, 2]),
    "model.model.Model.equilibrium_path": lambda w: call(w.plain.equilibrium_path, "k", 3, most=3),
    "model.model.Model.study": [
        lambda w: call(w.plain.study, 0.02, over={"x": ed.Uniform(0, 1), "k": [2.0, 3.0]}, samples=2,
             seed=3, sampling="latin hypercube",
             keep={"end": ed.Last("x"), "far": ed.Max("x.dot"), "then": ed.At("x", 0.01)}, block=3, tolerance=1e-5,
             max_step=0.01, parameters={}, initial={"x.dot": 0.1}),
        lambda w: call(w.plain.study, 0.02, over={("x", "x.dot"): [[0.1, 0.2]]}, save_at=[0.01, 0.02],
             method="newmark", t_start=0.0)],
    "study.study.Study.run": lambda w: call(w.studied.run, progress=False),
    "study.study.Study.resume": lambda w: call(w.studied.resume, w.folder / "studied", progress=False),
    "study.study.Study.values": lambda w: call(w.studied.values, [0, 1]),
    "study.study.Study.make": lambda w: call(w.studied.make, 0),
    "study.study.Study.sobol": lambda w: call(w.uncertain.sobol, progress=False, confidence=0.9, resamples=10),
    "study.sobol.SobolIndices.plot": lambda w: call(w.uncertain.sobol(resamples=10).plot, "x end"),
    "study.result.StudyResult.plot_scatter": lambda w: call(w.studied.run().plot_scatter, "x end"),
    "study.result.StudyResult.plot_tornado": lambda w: call(w.studied.run().plot_tornado, "x end", share=0.5),
    "study.result.StudyResult.plot": lambda w: call(w.studied.run().plot, "x", "x end", colour="k"),
    "study.distributions.Uniform": lambda w: call(ed.Uniform, 0.0, 1.0),
    "study.distributions.Normal": lambda w: call(ed.Normal, 0.0, 1.0),
    "study.keep.Last": lambda w: call(ed.Last, "x"),
    "study.keep.At": lambda w: call(ed.At, "x", 0.5),
    "model.model.Model.sensitivity": lambda w: call(
        w.plain.sensitivity, 0.02, ["k"], step=0.01, target="python"),
    "analysis.checks.check": lambda w: call(check, w.plain),
    "analysis.linearize.Linearization.animate": lambda w: call(w.modes.animate),
    "analysis.linearize.Linearization.plot_mode": lambda w: call(w.modes.plot_mode),
    "analysis.linearize.Linearization.plot_modes": lambda w: call(w.modes.plot_modes),
    "analysis.linearize.Linearization.plot_poles": lambda w: call(w.modes.plot_poles),
    "analysis.linearize.Linearization.plot_response": lambda w: call(w.eigen.plot_response),
    "analysis.equilibrium.Equilibrium.frames": lambda w: call(w.statics.frames),
    "analysis.equilibrium.equilibrium": lambda w: call(equilibrium, w.plain),
    "analysis.linearize.Linearization.frequency_response": lambda w: call(w.eigen.frequency_response, [1.0, 2.0]),
    "analysis.linearize.Linearization.input_column": lambda w: call(w.eigen.input_column, "u"),
    "analysis.linearize.Linearization.mode_frames": lambda w: call(w.modes.mode_frames, 0),
    "analysis.linearize.Linearization.output_rows": lambda w: call(w.eigen.output_rows, "angle"),
    "analysis.linearize.Linearization.lqr": lambda w: call(examples.oscillator().linearize().lqr, 1, 1, inputs=["q"]),
    "analysis.linearize.Linearization.state_space": lambda w: call(w.eigen.state_space, ["u"], ["angle"]),
    "analysis.linearize.linearize": lambda w: call(linearize, w.plain),
    "analysis.path.EquilibriumPath.initial": lambda w: call(w.over_k.initial, 1),
    "analysis.path.EquilibriumPath.plot": lambda w: call(w.over_k.plot, w.over_k.names[0]),
    "analysis.path.equilibrium_path": lambda w: call(equilibrium_path, w.plain, "k", 3, most=3),
    "analysis.locus.RootLocus.plot": lambda w: call(w.locus.plot),
    "analysis.locus.RootLocus.plot_frequencies": lambda w: call(w.locus.plot_frequencies),
    "analysis.locus.RootLocus.plot_parts": lambda w: call(w.locus.plot_parts),
    "analysis.locus.root_locus": lambda w: call(root_locus, w.plain, "k", [1, 2]),
    "result.reactions.Cut": lambda w: call(Cut, "lower", "upper", "Fx Fy Fz Mx My Mz"),
    "model.model.Model.fit": [
        lambda w: call(w.plain.fit, w.measured, {"k": 3.0}, bounds={"k": (1, 9)}, sigma=1e-3, shooting="single"),
        lambda w: call(w.plain.fit, [{"film": w.measured}] * 2, ["k"], {"x": "x"}, clocks={"film": 0.0},
                       rates={"film": 1.0}, each=["x"], start="guess", loss="soft_l1", shooting="single")],
    "model.model.Model.optimise": [
        lambda w: call(w.plain.optimise, ed.Max("x"), {"k": 3.0}, 0.2, constraints={ed.Last("x"): (None, 5)},
                       bounds={"k": (1, 9)}, maximise=False),
        lambda w: call(w.plain.optimise, {ed.Integral("x"): 1.0, ed.AtRest("x"): 2.0}, {"k": (1, 9)}, 0.2)],
    "study.optimise.Optimum.plot": lambda w: call(w.best.plot),
    "study.keep.Integral": lambda w: call(ed.Integral, "x"),
    "study.measures.AtRest": lambda w: call(ed.AtRest, "x"),
    "study.measures.Linearized": lambda w: call(ed.Linearized, len),
    "study.fit.Fit.plot": lambda w: call(w.fitted.plot),
    "study.fit.Fit.overlay": lambda w: call(w.fitted.overlay, w.film, w.camera, trace=0.1),
    "study.fit.Fit.compare": lambda w: call(w.fitted.compare),
    "study.fit.Fit.plot_residuals": lambda w: call(w.fitted.plot_residuals),
    "analysis.sensitivity.Sensitivity.gradient": lambda w: call(w.sensitivities.gradient, "x"),
    "analysis.sensitivity.Sensitivity.of": lambda w: call(w.sensitivities.of, w.plain.symbols["x"], "k"),
    "analysis.sensitivity.sensitivity": lambda w: call(sensitivity, w.plain, 0.02, ["k"], step=0.01, target="python"),
    "model.byhand.System": lambda w: call(System, "hand", turned, coordinates="q", efforts=lambda t, bodies: None),
    "model.byhand.System.accelerations": lambda w: call(w.hand.accelerations, 0, [0.1], [0.2]),
    "model.byhand.System.body": lambda w: call(w.hand.body, "more", mass=1, inertia=(1, 1, 1)),
    "model.byhand.System.frames": lambda w: call(w.hand.frames, 0, [0.1]),
    "model.byhand.System.mass_matrix": lambda w: call(w.hand.mass_matrix, 0, [0.1]),
    "model.byhand.System.motion": lambda w: call(w.hand.motion, 0, [0.1], [0.1], [0.1]),
    "model.byhand.System.residual": lambda w: call(w.hand.residual, 0, [0.1], [0.1], [0.1]),
    "model.byhand.System.simulate": lambda w: call(w.hand.simulate, 0.02, step=0.01),
    "model.byhand.System.source": lambda w: call(w.hand.source),
    "model.byhand.check_motion": lambda w: call(ed.check_motion, w.hand),
    "model.control.PID": lambda w: call(PID, "q", "u"),
    "model.control.StateFeedback": lambda w: call(
        ed.StateFeedback, "u", {"q": 1}, setpoints={"q": 0.1}, limits=(-1, 1)),
    "model.control.continuous_pid": lambda w: call(
        ed.continuous_pid, w.m, "c", w.s.q - 1, proportional=1, filter=0.1, derivative=1),
    "model.paths.point_to_point": [
        lambda w: call(ed.point_to_point, (0, 1), (2, 1), (1, 1), (2, 2)),
        lambda w: call(ed.point_to_point, 0, 2, 1, 2)],
    "model.paths.PointToPoint.position": lambda w: call(w.plan.position, 0.3),
    "model.paths.PointToPoint.velocity": lambda w: call(w.plan.velocity, 0.3),
    "model.paths.PointToPoint.acceleration": lambda w: call(w.plan.acceleration, 0.3),
    "course.catalogue.Exercise": lambda w: call(Exercise, find(1).folder),
    "course.catalogue.Exercise.hints": lambda w: call(find(1).hints, 1),
    "course.catalogue.exercises": lambda w: call(exercises),
    "course.catalogue.find": lambda w: call(find, 1),
    "course.grading.Limits": lambda w: call(Limits),
    "course.grading.grade": lambda w: call(grade, w.submissions, jobs=1),
    "course.report.Report.text": lambda w: call(course_check(find(1), {}).text),
    "course.report.check": lambda w: call(course_check, find(1), {"elbow": 1}),
    "course.report.exercise": lambda w: call(exercise, "01", {"elbow": 1}),
    "course.work.Stage": lambda w: call(Stage, "title", lambda work: None),
    "course.work.Stage.wrong": lambda w: call(Stage("title", lambda work: None).wrong, w.course),
    "course.work.Work": lambda w: call(Work, {"x": 1}),
    "course.work.stage": lambda w: call(stage, "title"),
    "mechanics.mechanism.Body.seen_from": lambda w: call(w.plain.bodies[0].seen_from, w.plain.bodies[0]),
    "mechanics.mechanism.Body.omega_in": lambda w: call(w.plain.bodies[0].omega_in, w.plain.bodies[0]),
    "mechanics.symbols.Multiplier": lambda w: call(symbols.Multiplier, "pin:Fx"),
    "mechanics.symbols.Reference": lambda w: call(symbols.Reference, "hip.reference"),
    "mechanics.symbols.Unknown": lambda w: call(symbols.Unknown, "x"),
    "model.model.Model.close": lambda w: call(
        w.loop.close, (w.loop["rod"], (0.5, 0, 0)), (ed.ground, (1, 0, 0)), joint="distance", axis="z", length=1,
        name="second", mass=0.5),
    "model.model.Model.constraint": lambda w: call(
        w.loop.constraint, w.loop.symbols["a"].dot - 2 * w.loop.symbols["b"].dot, name="second", holonomic=None),
    "model.model.Model.dependent": lambda w: call(w.loop.dependent, w.loop.symbols["b"], 2 * w.loop.symbols["a"]),
    "model.model.Model.mobility": lambda w: call(w.loop.mobility, {"a": 0.2}),
    "model.model.Model.closures": lambda w: call(w.loop.closures, {"a": 0.2}),
    "model.model.Model.assemble": lambda w: call(w.loop.assemble, {"a": 0.2}, hold=["a"], parameters={"l": 1.0}, t=0.0),
    "model.model.Model.assemblies": lambda w: call(w.loop.assemblies, hold=["a"], parameters={"l": 1}, t=0, starts=5),
    "result.trajectory.Trajectory.multipliers": lambda w: call(
        w.looped.multipliers, w.loop.constraints[0], minimum_norm=False
    ),
    "model.description.Description.add": lambda w: call(w.m.add, Force(w.s.rod, (1, 0, 0))),
    "model.description.Description.body": [
        lambda w: call(
            w.m.body, "tool", trotz(w.s.q), mass=1, inertia=(1, 1, 1), com=(0, 0, 0), shape=[visu.Box(1, 1, 1)]),
        lambda w: call(w.m.body, "tool", trotz(w.s.q), shape=visu.Box(1, 1, 1), density=7700)],
    "model.description.Description.controller": lambda w: call(w.m.controller, 0.01, lambda t, outputs: {"u": 1}),
    "model.description.Description.coordinate": lambda w: call(
        w.m.coordinate, "x", initial=0, rate=1, unit="m"),
    "model.description.Description.state": lambda w: call(w.m.state, "s", initial=0, unit="V", scale=1),
    "lab.reading.read": [
        lambda w: call(lab.read, w.file("a.csv", "t,x,y\n0,1,2\n1,2,3\n"), time="t", units={"x": "cm"}, decimal=".",
                       time_unit="s", y_up=True, names=("t", "x", "y"), drop=False),
        lambda w: call(lab.read, w.file("a.csv", "frame,x,y\n0,1,2\n1,2,3\n"), frame_rate=30)],
    "lab.recording.Recording": lambda w: call(
        lab.Recording, [0, 1], {"x": [1, 2]}, {"x": "m"}, camera=None, notes=("a",), title="a", y_up=True, faults={}),
    "lab.recording.Recording.cut": lambda w: call(w.recording.cut, 0, 1.5),
    "lab.recording.Recording.shifted": lambda w: call(w.recording.shifted, 0.1),
    "lab.recording.Recording.table": lambda w: call(w.recording.table, "x"),
    "lab.recording.Recording.unit": lambda w: call(w.recording.unit, "x"),
    "lab.recording.Recording.without": lambda w: call(w.recording.without, "x", [0]),
    "model.finding.Finding.unknown": lambda w: call(w.m.unknown, "s", initial=0.5, unit="V"),
    "model.finding.Finding.unknowns": lambda w: call(w.m.unknowns, "s r", initial=(0.5, 0), unit="V"),
    "model.finding.Finding.start": [
        lambda w: call(w.m.start, w.s.q - 0.1, free=[w.s.q]),
        lambda w: call(w.m.start, w.s.q - 0.1, w.s.q.dot)],
    "model.finding.Finding.node": [
        lambda w: call(w.m.node, "knot", position=(0.1, 0.2, 0)),
        lambda w: call(w.m.node, "knot", position=(w.m.unknown("s"), 0, 1))],
    "model.description.Description.parameter": lambda w: call(w.m.parameter, "own", 2.5),
    "model.description.Description.coordinates": lambda w: call(w.m.coordinates, "x y", initial=(0, 1), rates=(0, 0)),
    "model.description.Description.efforts": lambda w: call(w.m.efforts, lambda t, bodies: None),
    "model.description.Description.equation": lambda w: call(
        w.extra.equation, w.extra.symbols["p2"].dot + w.extra.symbols["p2"]),
    "model.description.Description.event": [
        lambda w: call(w.m.event, w.s.q - 0.299, action={w.s.q.dot: -w.s.q.dot}, name="floor"),
        lambda w: call(w.m.event, w.s.q - 0.299, action=lambda instant: None, name="floor")],
    "flexible.section.Section": lambda w: call(Section, area=2e-4, inertia=1e-9, outline=[(0, 0), (1, 0), (0, 1)]),
    "flexible.section.Section.rectangle": lambda w: call(Section.rectangle, 0.02, 0.01),
    "flexible.section.Section.circle": lambda w: call(Section.circle, 0.02, bore=0.01),
    "flexible.section.Section.i_beam": lambda w: call(Section.i_beam, 0.05, 0.1, 0.004, 0.006),
    "flexible.section.Material": lambda w: call(Material, E=2e9, density=1000, damping=1e-4),
    "flexible.beam.Beam": lambda w: call(
        Beam, w.m.ground, w.s.rod, Section.rectangle(0.02, 0.01), Material(2e9, 1000), length=1.0),
    "flexible.beam.Beam.at": lambda w: call(
        bar(w).at, 0.5),
    "flexible.chain.FlexibleBeam": lambda w: call(FlexibleBeam, "rod", [w.s.rod], [bar(w)]),
    "flexible.chain.FlexibleBeam.at": lambda w: call(FlexibleBeam("rod", [w.s.rod], [bar(w)]).at, 0.5),
    "model.model.Model.beam": lambda w: call(
        w.m.beam, "blade", root=trotz(0.1), length=1.0, section=Section.rectangle(0.02, 0.01),
        material=Material(2e9, 1000), elements=2, ends=("pinned", "free")),
    "flexible.body.Elasticity": lambda w: call(
        Elasticity, "rod", [w.s.q], [[200.0]], [[0.1]], factor=2, stiffening=[(1.0, [[1.0]])]),
    "flexible.body.FlexibleBody.deflection": lambda w: call(
        Model("shop").flexible_body("frame", trotz(0.1), **FRAME, clamped=[0], modes=1).deflection, 1),
    "model.model.Model.flexible_body": lambda w: call(
        w.m.flexible_body, "frame", trotz(0.1), **FRAME, modes=1, boundary=[2], clamped=[0], damping=0.01,
        rayleigh=(0.1, 1e-4), stiffening=[(2.0, np.eye(18))], stiffness=2.0, unit="m",
        mesh=[(0, 1)]),
    "model.model.Model.free_body": [
        lambda w: call(
            w.m.free_body, "stone", mass=1, inertia=(1, 1, 1), com=(0, 0, 0), position=(0, 0, 1), attitude=(1, 0, 0, 0),
            velocity=(1, 0, 0), angular_velocity=(0, 1, 0), axes="body", shape=visu.Box(0.1, 0.1, 0.1)),
        lambda w: call(w.m.free_body, "stone", shape=visu.Box(0.1, 0.1, 0.1), density=7700)],
    "model.model.Model.spherical": lambda w: call(
        w.m.spherical, "hip", attitude=(1, 0, 0, 0), angular_velocity=(0, 1, 0), axes="body"),
    "model.description.Description.input": lambda w: call(w.m.input, "f", 1),
    "model.description.Description.lock": [
        lambda w: call(w.m.lock, w.s.q),
        lambda w: call(w.m.lock, w.s.q, until=abs(w.m.locking_force(w.s.q)) > 50)],
    "model.description.Description.locking_force": lambda w: call(w.model.locking_force, w.model.symbols["q2"]),
    "model.description.Description.output": lambda w: call(w.m.output, "o", w.s.q),
    "model.description.Description.parameters": lambda w: call(w.m.parameters, "c", l=2.0),
    "model.description.Description.set_parameters": lambda w: call(w.m.set_parameters, k=2.0),
    "model.description.Description.states": lambda w: call(w.m.states, "s", unit="V", scale=1),
    "easyanim.write": lambda w: call(write, w.run, w.path("written")),
    "engine.system.CompiledSystem.jacobian": lambda w: call(
        w.system.jacobian, "q", 0, [0.1, 0.2, 0], [0, 0, 0], [0, 0, 0]),
    "engine.system.CompiledSystem.accelerations": lambda w: call(w.system.accelerations, 0, [0.1, 0.2, 0], [0, 0, 0]),
    "engine.system.CompiledSystem.evaluate": lambda w: call(
        w.system.evaluate, [w.model.symbols["q1"]], 0, [0.1, 0.2, 0], [0, 0, 0], [0, 0, 0]),
    "engine.system.CompiledSystem.frames": lambda w: call(w.system.frames, 0, [0.1, 0.2, 0]),
    "engine.system.CompiledSystem.mass_matrix": lambda w: call(w.system.mass_matrix, 0, [0.1, 0.2, 0]),
    "engine.system.CompiledSystem.residual": lambda w: call(
        w.system.residual, 0, [0.1, 0.2, 0], [0, 0, 0], [0, 0, 0]),
    "examples.arm.seven_axis_arm": lambda w: call(examples.seven_axis_arm, lambda t, q, qd: 7 * [0]),
    "examples.ball.bouncing_ball": lambda w: call(examples.bouncing_ball),
    "examples.car.quarter_car": lambda w: call(examples.quarter_car, ((0, 1), (0, 0.1))),
    "examples.coupler.coupler_curve": lambda w: call(examples.coupler_curve, 3),
    "examples.orbit.satellite": lambda w: call(examples.satellite, 0.1, 0.1, 0.3),
    "examples.rails.wheel_set": lambda w: call(examples.wheel_set, 30),
    "examples.shaker.hexapod": lambda w: call(examples.hexapod, 1e6, 1e3),
    "examples.strut.macpherson": lambda w: call(examples.macpherson, 0.01),
    "examples.vee.v6_engine": lambda w: call(examples.v6_engine, 2),
    "examples.walker.walking_legs": lambda w: call(examples.walking_legs, 3),
    "examples.whipple.benchmark_bicycle": lambda w: call(examples.benchmark_bicycle, 5),
    "examples.cart.inverted_pendulum": lambda w: call(examples.inverted_pendulum),
    "examples.chain.falling_chain": lambda w: call(examples.falling_chain, 2),
    "examples.crank.slider_crank": lambda w: call(examples.slider_crank),
    "examples.figures.figure": lambda w: call(figure, 1),
    "examples.flight.quadrotor": lambda w: call(examples.quadrotor, lambda t: (0, 0, 1, 0)),
    "examples.motor.dc_motor": lambda w: call(examples.dc_motor, lambda model, theta: 1),
    "examples.pid.speed_control": lambda w: call(examples.speed_control),
    "examples.rack.spinning_wheel": lambda w: call(examples.spinning_wheel, 20),
    "examples.r3.robot_r3": lambda w: call(examples.robot_r3, 10, planned=False),
    "examples.robot.spatial_robot": lambda w: call(examples.spatial_robot),
    "examples.tumbling.free_body": lambda w: call(examples.free_body),
    "forces.actuator.Actuator": [
        lambda w: call(ed.Actuator, w.s.q, command=w.s.u, limit=1, no_load_speed=10, stall=2),
        lambda w: call(ed.Actuator, w.s.rod, w.m.ground, command=1, power=3, limit=2, mass=0.2, at=0.4),
        lambda w: call(ed.Actuator, w.s.rod, w.m.ground, command=1, mass=(0.2, 0.1), distances=(0.4, 0.1))],
    "forces.bushing.Bushing": lambda w: call(
        ed.Bushing, (w.s.rod, tdisp(0, 1, 0)), w.m.ground, stiffness=(1, 1, 1), rotational_stiffness=(1, 1, 1),
        damping=(1, 1, 1), rotational_damping=(1, 1, 1)),
    "forces.springs.Damper": [
        lambda w: call(ed.Damper, (w.s.rod, (0, 0, 0)), w.m.ground, damping=1),
        lambda w: call(ed.Damper, w.s.rod, (w.m.ground, (1, 1, 0)), law=lambda v: v**3, mass=1, at=0.5),
        lambda w: call(ed.Damper, w.s.rod, (w.m.ground, (1, 1, 0)), damping=1, mass=(1, 2), distances=(0.1, 0.2))],
    "forces.on_body.Drag": [
        lambda w: call(ed.Drag, w.s.rod, linear=1, quadratic=1),
        lambda w: call(ed.Drag, w.s.rod, density=1, coefficient=1, area=1)],
    "forces.on_coordinate.EndStop": lambda w: call(ed.EndStop, w.s.q, lower=-1, upper=1, stiffness=100, damping=1),
    "forces.fields.GravityField": [
        lambda w: call(ed.GravityField, lambda r: (-r.x, -r.y, 0)),
        lambda w: call(ed.GravityField, potential=lambda r: r.x**2)],
    "forces.fields.PointGravity": lambda w: call(ed.PointGravity, 4.0, (1, 2, 0)),
    "forces.fields.UniformGravity": lambda w: call(ed.UniformGravity, (0, 0, -9.81)),
    "forces.fields.GravityGradient": lambda w: call(ed.GravityGradient, w.s.rod, ed.PointGravity(1)),
    "forces.on_body.Force": lambda w: call(ed.Force, w.s.rod, (1, 0, 0)),
    "forces.on_coordinate.GeneralizedForce": lambda w: call(ed.GeneralizedForce, w.s.q, 1),
    "forces.joint_friction.JointFriction": [
        lambda w: call(ed.JointFriction, w.s.q, 1, slip_speed=0.1, static_level=2, static_speed=0.1),
        lambda w: call(ed.JointFriction, w.s.q, 1, sticking=0.01, name="joint", slip_speed=0.1),
        lambda w: call(ed.JointFriction, w.s.q, 1, static_level=2, name="joint")],
    "forces.joint_friction.Brake": lambda w: call(ed.Brake, w.s.q, level=1, static_level=2, name="brake"),
    "forces.joint_friction.Clutch": lambda w: call(ed.Clutch, w.s.q, w.shaft, level=1, static_level=2, name="clutch"),
    "forces.joint_friction.OneWay": lambda w: call(ed.OneWay, w.s.q, w.shaft, name="freewheel"),
    "forces.rotor.Rotor": lambda w: call(
        ed.Rotor, w.s.rod, axis=(0, 0, 1), inertia=1, coordinate=w.s.q, position=(0, 0, 0), name="fan", shape=None),
    "forces.rotor.ElectricMotor": [
        lambda w: call(ElectricMotor, w.s.q, resistance=1, constant=1, inductance=1, voltage=3, name="m"),
        lambda w: call(ElectricMotor, w.s.q, resistance=1, constant=1, current=3, proportional=1, integral=2)],
    "forces.elastic_gear.ElasticGear": lambda w: call(
        ElasticGear, w.s.q, w.shaft, ratio=2, stiffness=3, damping=1, backlash=0.1, friction=((0, 1), (2, 3)),
        static_friction=2, name="gear"),
    "forces.on_body.Moment": lambda w: call(ed.Moment, w.s.rod, (0, 0, 1)),
    "forces.contact.PlanePoint": [
        lambda w: call(ed.PlanePoint, (w.s.rod, (0, 0, 0)), (w.m.ground, (0, -2, 0)), **w.contact()),
        lambda w: call(ed.PlanePoint, w.s.rod, w.m.ground, **w.contact(
            friction=0.5, static_friction=0.6, slip_speed=0.1, static_speed=0.2, damping=1, damping_power=1))],
    "forces.contact.PlaneSphere": [
        lambda w: call(ed.PlaneSphere, (w.s.rod, (0, 0, 0)), (w.m.ground, (0, -2, 0)), radius=0.1, **w.contact()),
        lambda w: call(ed.PlaneSphere, w.s.rod, w.m.ground, radius=0.1, **w.contact(friction=0.5, sticking=0.01,
        slip_speed=0.1))],
    "forces.rigid_contact.RigidContact": [
        lambda w: call(ed.RigidContact, w.s.q + 1, restitution=0.5, name="stop", rest=1e-6),
        lambda w: call(ed.RigidContact, w.s.q + 1, restitution=0.5, name="stop", friction=0.3, static_friction=0.4,
                       slip=w.s.q.dot)],
    "touch.contact.Contact": [
        lambda w: call(Contact, (w.s.rod, shapes.Disc(0.1)), (w.m.ground, shapes.HalfPlane("y")), restitution=0.5,
                       friction=0.3, static_friction=0.4, name="touch", rest=1e-6),
        lambda w: call(Contact, (w.s.rod, shapes.Disc(0.1)), (w.m.ground, shapes.HalfPlane("y")), stiffness=1e5,
                       power=1.5, damping=10, damping_power=1, friction=0.3, static_friction=0.4, slip_speed=0.1,
                       static_speed=0.2, sticking=0.01, name="soft")],
    "touch.contact.Contact.between": lambda w: call(
        Contact.between, [(w.s.rod, shapes.Disc(0.1)), (w.m.ground, shapes.HalfPlane("y"))], name="all", restitution=1),
    "touch.shapes.Box": lambda w: call(shapes.Box, 1, 2, 3),
    "touch.shapes.Capsule": lambda w: call(shapes.Capsule, 0.1, 1),
    "touch.rolling.Sliding": lambda w: call(
        ed.Sliding, (w.s.rod, shapes.Point()), (w.m.ground, shapes.HalfPlane("y")), name="pin"),
    "touch.rolling.RollingOn": lambda w: call(
        ed.RollingOn, (w.s.rod, shapes.Disc(0.1)), (w.m.ground, shapes.HalfPlane("y")), name="wheel"),
    "touch.curve.Curve": [
        lambda w: call(shapes.Curve, U, U**2, (U, -1, 1), side="left"),
        lambda w: call(shapes.Curve, [(0, 0), (1, 0), (2, 1), (2, 2), (1, 3), (0, 2)], closed=True)],
    "touch.curve.Curve.lift": lambda w: call(
        shapes.Curve.lift, [(k, 0.1 if k == 3 else 0) for k in range(6)], 1, follower=0.1),
    "touch.shapes.Disc": lambda w: call(shapes.Disc, 0.1),
    "touch.shapes.Ellipsoid": lambda w: call(shapes.Ellipsoid, 1, 2, 3),
    "touch.shapes.HalfPlane": lambda w: call(shapes.HalfPlane, (0, 1, 0)),
    "touch.shapes.Hole": lambda w: call(shapes.Hole, 0.1),
    "touch.shapes.Plane": lambda w: call(shapes.Plane, (0, 1, 0)),
    "touch.shapes.Polygon": lambda w: call(shapes.Polygon, [(0, 0), (1, 0), (0, 1)]),
    "touch.shapes.Polygon.box": lambda w: call(shapes.Polygon.box, 1, 2),
    "touch.shapes.Rim": lambda w: call(shapes.Rim, 0.1, "z"),
    "touch.shapes.Segment": lambda w: call(shapes.Segment, (0, 0), (1, 0)),
    "touch.shapes.Sphere": lambda w: call(shapes.Sphere, 0.1),
    "forces.springs.Spring": [
        lambda w: call(ed.Spring, (w.s.rod, (0, 0, 0)), w.m.ground, stiffness=1, free_length=0.5),
        lambda w: call(ed.Spring, w.s.rod, w.m.ground, law=lambda s: s**3, free_length=0.5, mass=1, at=0.5),
        lambda w: call(ed.Spring, w.s.rod, w.m.ground, stiffness=1, free_length=1, mass=(1, 2), distances=(0.1, 0.2))],
    "forces.springs.SpringDamperSeries": [
        lambda w: call(SpringDamperSeries, w.s.rod, w.m.ground, stiffness=1, damping=2, free_length=0.5,
                       name="mount", mass=1, at=0.5),
        lambda w: call(SpringDamperSeries, (w.s.rod, (0, 0, 0)), w.m.ground, stiffness=1, damping=2,
                       free_length=0.5, name="mount", mass=(1, 2), distances=(0.1, 0.2))],
    "forces.on_coordinate.TorsionDamper": [
        lambda w: call(ed.TorsionDamper, w.s.q, damping=1),
        lambda w: call(ed.TorsionDamper, w.s.q, law=lambda v: v**3)],
    "forces.on_coordinate.TorsionSpring": [
        lambda w: call(ed.TorsionSpring, w.s.q, stiffness=1, free_angle=0),
        lambda w: call(ed.TorsionSpring, w.s.q, law=lambda s: s**3, free_angle=0)],
    "constraints.rolling.Rolling": lambda w: call(
        ed.Rolling, (w.s.rod, (0, 0, 0)), w.m.ground, radius=0.3, axis="z", normal=(0, 1, 0), name="rear"),
    "constraints.rolling.RollingWheel": lambda w: call(
        ed.RollingWheel, w.s.rod, (w.m.ground, (0, -1, 0)), radius=0.3, axis=(0, 0, 1), normal="y", name="rear"),
    "constraints.rolling.RollingWheelSet": lambda w: call(
        ed.RollingWheelSet, w.loop["rod"], w.loop["other"], ed.ground, radius=0.3, axis="z", normal="y", name="axle"),
    "constraints.gears.Gear": lambda w: call(Gear, w.s.q, w.shaft, 2, offset=1, name="teeth"),
    "constraints.gears.BevelGear": lambda w: call(
        BevelGear, w.s.q, w.shaft, 2, axes=("x", (0, 1, 1)), offset=1, name="teeth"),
    "constraints.gears.GearConstraint": lambda w: call(
        GearConstraint, w.s.rod, w.other_shaft, w.m.ground, ratio=2, axes=("x", (0, 1, 1)), name="teeth"),
    "linkages.geneva.geneva": lambda w: call(linkages.geneva, Model("m"), 4, distance=0.1, rate=1, crank=1, wheel=2),
    "linkages.crank_slider.crank_slider": lambda w: call(
        linkages.crank_slider, Model("m"), crank=0.3, rod=0.9, offset=0.1, angle=0.6, rate=1, side=1, density=1,
        slider=1, at=tdisp(1, 0, 0), name="a"),
    "linkages.crank_slider.engine_cylinder": lambda w: call(
        linkages.engine_cylinder, *a_shaft(), throw=0.045, rod=0.2, phase=0.4, bank=-0.5, along=0.1, piston=1),
    "linkages.four_bar.bar_with_cylinder": lambda w: call(
        linkages.bar_with_cylinder, Model("m"), bar=1, foot=(0.6, -0.2), stroke=0.9, half=0.5),
    "linkages.four_bar.four_bar": lambda w: call(linkages.four_bar, Model("m"), **FOUR_BAR, side=1),
    "linkages.four_bar.four_bar_with_slide": lambda w: call(
        linkages.four_bar_with_slide, Model("m"), ground=0.9, crank=0.3, coupler=0.8, slide=0.6, block=0.5),
    "linkages.four_bar.watt": lambda w: call(
        linkages.watt, Model("m"), **FOUR_BAR, point=(0.5, -0.3), dyad=(0.9, 0.6), foot=(1.9, 0), second=1),
    "linkages.four_bar.stephenson": lambda w: call(
        linkages.stephenson, Model("m"), **FOUR_BAR, point=(0.5, 0.3), dyad=(1.1, 0.6), foot=(1.6, 0.2)),
    "linkages.hexapod.hexapod": lambda w: call(
        linkages.hexapod, Model("m"), base=1, spread=0.25, pose=[0, 0, 1.1, 0, 0, 0], half=1),
    "linkages.linkage.Linkage.closed_form": lambda w: call(
        linkages.four_bar(Model("m"), **FOUR_BAR).closed_form, {"crank": 1.2}, {}),
    "linkages.scissor.scissor": lambda w: call(
        linkages.scissor, Model("m"), stages=2, length=1.2, angle=0.5, density=1, load=10),
    "linkages.steering.steering": lambda w: call(
        linkages.steering, Model("m"), track=1.5, arm=(-0.15, -0.05), rack=0.35, behind=0.18, inertia=0.6),
    "constraints.rolling.KnifeEdge": lambda w: call(
        ed.KnifeEdge, (w.s.rod, (0, 0, 0)), w.m.ground, axis="y", normal="z", name="blade"),
    "forces.tyre.Tyre": lambda w: call(
        ed.Tyre, (w.s.rod, (0, 0, 0)), (w.m.ground, (0, -1.2, 0)), axle=(0, 0, 1), normal=(0, 1, 0), name="tyre",
        **w.stiff()),
    "result.trajectory.Trajectory.reaction": lambda w: call(w.run.reaction, "lower", "upper"),
    "result.trajectory.Trajectory.reactions": lambda w: call(
        w.run.reactions, Cut("lower", "upper", "Fx Fy Fz Mx My Mz")
    ),
    "model.model.Model": lambda w: call(Model, "name", gravity=(0, 0, -9.81)),
    "model.model.Model.compile": lambda w: call(w.plain.compile, target="python"),
    "model.model.Model.initial": lambda w: call(w.plain.initial),
    "mechanics.signals.Signals.names": lambda w: call(w.plain.signals.names, "coordinate", slots=("q", "qd")),
    "mechanics.signals.Signals.unit": lambda w: call(w.plain.signals.unit, "x"),
    "analysis.inverse_kinematics.inverse_kinematics": lambda w: call(inverse_kinematics, w.plain, {"block": (1, 2, 0)}),
    "analysis.jacobian.jacobian": lambda w: call(jacobian, w.plain, "block", (0, 0, 0)),
    "model.model.Model.inverse_kinematics": lambda w: call(w.plain.inverse_kinematics, {"block": (1, 2, 0)}),
    "model.model.Model.jacobian": lambda w: call(w.plain.jacobian, "block", (0, 0, 0)),
    "engine.system.CompiledSystem.frame_jacobian": lambda w: call(
        w.plain.compile(target="python").frame_jacobian, w.plain["block"], 0, [0, 0]),
    "model.model.Model.inverse_dynamics": lambda w: call(
        w.plain.inverse_dynamics, np.linspace(0, 1, 12), [sympy.sin(t), t], target="python"),
    "model.model.Model.equations": lambda w: call(w.plain.equations, {}),
    "model.model.Model.operations": lambda w: call(w.plain.operations),
    "model.model.Model.simulate": lambda w: call(w.model.simulate, 0.02, step=0.01, target="python"),
    "model.model.Model.source": lambda w: call(w.plain.source),
    "model.model.Model.stepper": lambda w: call(
        w.model.stepper, method="newmark", target="python", tolerance=1e-6, initial={"q1": 0}, inputs={"u": 0},
        parameters={"l1": 1}, locked=["q2"], t_start=0, max_step=0.1, min_step=1e-9, jumps=[0.5]),
    "model.model.Model.values": lambda w: call(w.plain.values),
    "result.plots.Panels.set_title": lambda w: call(w.run.plot("q1", "p").set_title, "title"),
    "result.plots.style": lambda w: call(style, "default"),
    "model.model.Model.explore": lambda w: call(w.plain.explore),
    "model.model.Model.export": lambda w: call(w.plain.export, "c", w.path("x.c")),
    "model.model.Model.from_urdf": lambda w: call(
        Model.from_urdf, examples.double_pendulum().to_urdf(w.path("x.urdf"))),
    "model.model.Model.to_fmu": lambda w: call(examples.double_pendulum().to_fmu, w.path("y.fmu"), binary=False),
    "model.model.Model.to_urdf": lambda w: call(examples.double_pendulum().to_urdf, w.path("y.urdf")),
    "model.model.Model.report": lambda w: call(w.plain.report, w.path("x.md"), kinematics=False, equations=False),
    "model.model.Model.scene": lambda w: call(w.plain.scene),
    "sim.agenda.Event": lambda w: call(Event, "e", lambda t, q, qd, qdd: q[0] - 0.5, 0, "stop"),
    "sim.agenda.Instant.get": lambda w: call(Instant(w.stepper).get, "q1"),
    "sim.agenda.Instant.lock": lambda w: call(Instant(w.stepper).lock, "q2"),
    "sim.agenda.Instant.note": lambda w: call(Instant(w.stepper).note, "what"),
    "sim.agenda.Instant.stop": lambda w: call(Instant(w.stepper).stop),
    "sim.agenda.Instant.unlock": lambda w: call(Instant(w.stepper).unlock, "q2"),
    "result.by_hand.integrate": lambda w: call(
        integrate, lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=0.02, step=0.01, names=["x"],
        first_order=[],
        events=[Event("e", lambda t, q, qd, qdd: q[0] - 0.9999)], rates=lambda t, q, qd, qdd: [q[0]]),
    "sim.family.Family": lambda w: call(
        Family, "mine", *(getattr(ed.newmark().family, x) for x in ("attempt", "between", "integral_between")),
        order=2, exponent=0.5),
    "sim.methods.Method": lambda w: call(ed.Method, "mine"),
    "sim.methods.generalized_alpha": lambda w: call(ed.generalized_alpha),
    "sim.methods.hht": lambda w: call(ed.hht),
    "sim.methods.newmark": lambda w: call(ed.newmark),
    "sim.methods.newmark_extrapolated": lambda w: call(ed.newmark_extrapolated),
    "sim.stepper.Stepper": lambda w: call(ed.Stepper, lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0]),
    "sim.stepper.Stepper.advance": lambda w: call(w.stepper.advance, 0.01),
    "sim.stepper.Stepper.reset": lambda w: call(w.stepper.reset, 0, [0.1, 0.2, 0], [0, 0, 1]),
    "sim.stepper.Stepper.step": lambda w: call(w.stepper.step, 0.01),
    "motor.Dyad": lambda w: call(Dyad, *Dyad.unit().blocks),
    "motor.Dyad.moved": lambda w: call(Dyad.unit().moved, vcoord(1, 2, 3)),
    "motor.Dyad.rate": lambda w: call(Dyad.unit().rate, Motor((1, 2, 3), (4, 5, 6))),
    "motor.Dyad.turned": lambda w: call(Dyad.unit().turned, trotz(0.1).R),
    "motor.Motor": lambda w: call(Motor, vcoord(1, 2, 3), vcoord(4, 5, 6)),
    "motor.Motor.cross": lambda w: call(Motor((1, 2, 3), (4, 5, 6)).cross, Motor((1, 2, 3), (4, 5, 6))),
    "motor.Motor.dot": lambda w: call(Motor((1, 2, 3), (4, 5, 6)).dot, Motor((1, 2, 3), (4, 5, 6))),
    "motor.Motor.moved": lambda w: call(Motor((1, 2, 3), (4, 5, 6)).moved, vcoord(1, 2, 3)),
    "motor.Motor.of_force_vector": lambda w: call(Motor.of_force_vector, (1, 2, 3, 4, 5, 6)),
    "motor.Motor.of_motion_vector": lambda w: call(Motor.of_motion_vector, (1, 2, 3, 4, 5, 6)),
    "motor.Motor.prismatic": lambda w: call(Motor.prismatic, vcoord(1, 0, 0)),
    "motor.Motor.revolute": lambda w: call(Motor.revolute, vcoord(1, 0, 0)),
    "motor.Motor.turned": lambda w: call(Motor((1, 2, 3), (4, 5, 6)).turned, trotz(0.1).R),
    "motor.inertia_dyad": lambda w: call(inertia_dyad, 1.0, vcoord(1, 2, 3), ed.inertia_tensor(1, 1, 1)),
    "vec.tensors.Inertia.moved": lambda w: call(ed.inertia_tensor(1, 1, 1).moved, 1, vcoord(1, 0, 0)),
    "vec.tensors.Inertia.rotated": lambda w: call(ed.inertia_tensor(1, 1, 1).rotated, trotz(0.1).R),
    "vec.tensors.Rotation.angles": lambda w: call(trotz(0.1).R.angles, "xyz"),
    "vec.tensors.Tensor.of": lambda w: call(Tensor.of, [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "vec.tensors.Vector": lambda w: call(Vector, 1, 2, 3),
    "vec.tensors.Vector.cross": lambda w: call(vcoord(1, 2, 3).cross, vcoord(1, 2, 3)),
    "vec.tensors.Vector.dot": lambda w: call(vcoord(1, 2, 3).dot, vcoord(1, 2, 3)),
    "vec.tensors.axial": lambda w: call(axial, Tensor.of([[0, 1, 0], [-1, 0, 0], [0, 0, 0]])),
    "vec.tensors.cross": lambda w: call(ed.cross, vcoord(1, 2, 3), vcoord(1, 2, 3)),
    "vec.tensors.dot": lambda w: call(ed.dot, vcoord(1, 2, 3), vcoord(1, 2, 3)),
    "vec.tensors.inertia_tensor": lambda w: call(ed.inertia_tensor, 1, 1, 1),
    "vec.tensors.vcoord": lambda w: call(vcoord, 1, 2, 3),
    "vec.tensors.vector": lambda w: call(vector, (1, 2, 3)),
    "result.trajectory.Trajectory.overlay": lambda w: call(w.run.overlay, w.film, w.camera, trace=0.1),
    "result.trajectory.Trajectory.animate": lambda w: call(
        w.run.animate, scene=w.scene, every=0.01, trace="lower", plots=["q1"], follow="lower", speed=1.0,
        backend="html"),
    "result.trajectory.Trajectory.at": lambda w: call(w.run.at, [0, 0.01]),
    "result.trajectory.Trajectory.frames": lambda w: call(w.run.frames, "lower"),
    "result.trajectory.Trajectory.quaternion": lambda w: call(w.run.quaternion, "lower"),
    "result.trajectory.Trajectory.rotation_vector": lambda w: call(w.run.rotation_vector, "lower"),
    "result.trajectory.Trajectory.angles": lambda w: call(w.run.angles, "lower", "zyx"),
    "result.trajectory.Trajectory.load": lambda w: call(ed.Trajectory.load, w.saved / "saved.npz"),
    "result.trajectory.Trajectory.locking_force": lambda w: call(w.run.locking_force, "q2"),
    "result.trajectory.Trajectory.of": lambda w: call(w.run.of, w.model.symbols["q1"]),
    "result.trajectory.Trajectory.plot": lambda w: call(w.run.plot, "q1"),
    "result.trajectory.Trajectory.plot_energy": lambda w: call(w.run.plot_energy),
    "result.trajectory.Trajectory.plot_spectrum": lambda w: call(w.run.plot_spectrum, "q1"),
    "result.trajectory.Trajectory.plot_steps": lambda w: call(w.run.plot_steps),
    "result.trajectory.Trajectory.potential": lambda w: call(w.run.potential, w.model.mechanism.efforts[0]),
    "result.trajectory.Trajectory.power": lambda w: call(w.run.power, w.model.mechanism.efforts[0]),
    "result.trajectory.Trajectory.save": lambda w: call(w.run.save, w.path("x.npz")),
    "result.trajectory.Trajectory.spectrum": lambda w: call(w.run.spectrum, "q1"),
    "result.trajectory.Trajectory.to_csv": lambda w: call(w.run.to_csv, w.path("x.csv"), more=w.model.symbols["q1"]),
    "result.trajectory.Trajectory.to_mat": lambda w: call(w.run.to_mat, w.path("x.mat"), more=w.model.symbols["q1"]),
    "result.trajectory.Trajectory.to_tracker": lambda w: call(
        w.run.to_tracker, w.path("x.txt"), A=w.model["upper"].T.e),
    "result.trajectory.Trajectory.to_pandas": lambda w: call(w.run.to_pandas, more=w.model.symbols["q1"]),
    "result.trajectory.Trajectory.to_parquet": lambda w: call(
        w.run.to_parquet, w.path("x.parquet"), more=w.model.symbols["q1"]),
    "result.trajectory.Trajectory.to_xarray": lambda w: call(w.run.to_xarray, more=w.model.symbols["q1"]),
    "result.trajectory.Trajectory.unit": lambda w: call(w.run.unit, "q1"),
    "result.trajectory.Trajectory.work": lambda w: call(w.run.work, w.model.mechanism.efforts[0]),
    "touch.path.Around": lambda w: call(ed.Around, (w.s.rod, (0, 0, 0)), 0.1, axis="z", side="left"),
    "touch.path.Pulley": [
        lambda w: call(ed.Pulley, (w.s.rod, (0, 0, 0)), 0.1, axis="z", side="left", friction=0.2, wrap=1),
        lambda w: call(ed.Pulley, w.m.ground, 0.1, side="left", angle=w.s.q)],
    "touch.path.Winch": lambda w: call(ed.Winch, (w.m.ground, (0, 1, 0)), 0.1, angle=w.s.q, axis="z", side="left",
                                       wrap=2),
    "touch.rope.Rope": [
        lambda w: call(ed.Rope, w.m.ground, (w.s.rod, (0, -1, 0)), length=2, density=0.1, name="rope"),
        lambda w: call(ed.Rope, w.m.ground, w.s.rod, length=2, keep_taut=True, name="rope"),
        lambda w: call(ed.Rope, w.m.ground, w.s.rod, length=2, stiffness=10, damping=1, name="rope")],
    "vec.Transform": lambda w: call(ed.Transform, trotz(0.1).factors),
    "vec.as_transform": lambda w: call(as_transform, np.eye(4), "T"),
    "vec.rotation_sequence": lambda w: call(ed.rotation_sequence, "xyz", 0.1, 0.2, 0.3),
    "vec.tdisp": lambda w: call(tdisp, 1, 2, 3),
    "vec.tquat": lambda w: call(ed.tquat, 1, 0, 0, 0),
    "vec.transform": lambda w: call(ed.transform, np.eye(3), (1, 0, 0)),
    "vec.trot": lambda w: call(ed.trot, (0, 0, 1), 0.1),
    "vec.trotx": lambda w: call(ed.trotx, 0.1),
    "vec.troty": lambda w: call(ed.troty, 0.1),
    "vec.trotz": lambda w: call(ed.trotz, 0.1),
    "visu.animation.Animation.picture": lambda w: call(w.animation.picture, [0.0, 0.02]),
    "visu.animation.Animation.save": lambda w: call(w.animation.save, w.path("x.html")),
    "visu.overlay.Overlay": lambda w: call(
        visu.Overlay, w.run, w.film, w.camera, points={"A": (0, 0, 0)}, trace=0.1, frame=0),
    "visu.overlay.Overlay.save": lambda w: call(w.run.overlay(w.film, w.camera).save, w.path("x.html"), embed=True),
    "lab.sensors.Camera": [
        lambda w: call(lab.Camera, w.m, w.seen, scale=400, origin=(320, 40), angle=0.1, y_up=False, fixed=["angle"],
                       name="phone"),
        lambda w: call(lab.Camera, w.m, corners={(0, 0): (1, 1), (1, 0): (2, 1), (1, 1): (2, 2), (0, 1): (1, 2)}),
    ],
    "lab.sensors.Camera.sees": lambda w: call(w.camera.sees, (0, 0, 0), "A"),
    "lab.sensors.Camera.pixels": lambda w: call(w.camera.pixels, [(0.1, 0.2, 0.0)], {"camera_x": 3}),
    "lab.sensors.Camera.matrix": lambda w: call(w.camera.matrix, {"camera_x": 3}),
    "lab.sensors.gyro": lambda w: call(lab.gyro, w.s.rod, "z", bias=True, column="Gyroscope"),
    "lab.sensors.accelerometer": lambda w: call(
        lab.accelerometer, w.s.rod, (0, 0.1, 0), axes="xy", bias=True, column="Acceleration"),
    "visu.drawing.Drawing": lambda w: call(
        Drawing, "d", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], edges=[(0, 1)], surfaces=[(0, 1, 2)], edge_colours=[1],
        surface_colours=[2], frames=[[(0, 0, 0), (1, 0, 0), (0, 1, 0)]], node_ids=[1, 2, 3], edge_ids=[1],
        surface_ids=[1], modes=[ModeShape(1, 1j, np.ones((3, 3)))]),
    "visu.drawing.ModeShape": lambda w: call(ModeShape, 1, 1j, np.ones((3, 3))),
    "visu.page.Page.save": lambda w: call(w.plain.explore().save, w.path("x.html")),
    "visu.scene.Scene.add": lambda w: call(w.scene.add, "lower", visu.Box(1, 1, 1)),
    "visu.scene.Scene.hide": lambda w: call(w.scene.copy().hide, "lower"),
    "visu.scene.Scene.look": lambda w: call(w.scene.look, follow="lower", towards=(0, 0, 1), size=2),
    "visu.scene.Scene.picture": lambda w: call(w.scene.picture),
    "visu.scene.Scene.sketch": lambda w: call(
        w.scene.sketch, names={"alpha": w.model.symbols["q1"]}, towards=(0, 0, 1)),
    "study.distributions.Normal.at": lambda w: call(ed.Normal(1, 0.1).at, np.array([0.3, 0.5])),
    "study.distributions.Uniform.at": lambda w: call(ed.Uniform(-1, 1).at, np.array([0.3, 0.5])),
    "study.keep.Max": lambda w: call(ed.Max, "q1"),
    "study.keep.Min": lambda w: call(ed.Min, "q1"),
    "visu.live.LiveView": lambda w: call(visu.LiveView, "q", every=0.5, path=w.folder / "live.png", trace="mass"),
    "visu.live.LiveView.follow": lambda w: call(visu.LiveView(path=w.folder / "live.png").follow, lambda: w.run),
    "visu.surfaces.Pipe": lambda w: call(visu.Pipe, 0.1, 1, value=[1, 2], limits=(0, 3), label="T", unit="K", steps=8),
    "visu.surfaces.Surface": lambda w: call(
        visu.Surface, lambda u, v: (u, v, u * v), (0, 1, 4), (0, 1, 3), value=lambda u, v: u, limits=(0, 1)),
    "visu.shapes.Arrow": lambda w: call(visu.Arrow, (1, 0, 0), scale=0.1, name="arrow", colour="blue"),
    "visu.shapes.Box": lambda w: call(visu.Box, 1, 1, 1, at=trotz(0.1), colour="blue", name="box", opacity=1),
    "visu.shapes.Box.along": lambda w: call(visu.Box.along, (0.5, 0, 0), 0.1, 0.2, across="y", colour="blue"),
    "visu.shapes.Cylinder.along": lambda w: call(visu.Cylinder.along, (0.5, 0, 0), 0.1, colour="blue"),
    "visu.shapes.Cone": lambda w: call(visu.Cone, 1, 1),
    "visu.shapes.Cylinder": lambda w: call(visu.Cylinder, 1, 1),
    "visu.shapes.Frame": lambda w: call(visu.Frame, 1, labels=True),
    "visu.shapes.Frustum": lambda w: call(visu.Frustum, 1, 2, 1),
    "visu.shapes.Gear": lambda w: call(visu.Gear, 1, 8, 0.1),
    "visu.shapes.Mesh": lambda w: call(visu.Mesh, visu.Box(1, 1, 1).solid),
    "visu.shapes.Line": lambda w: call(visu.Line, (0, 0, 0), (1, 0, 0), width=0.1),
    "visu.shapes.Triangle": lambda w: call(visu.Triangle, (0, 0, 0), (1, 0, 0), (0, 1, 0)),
    "visu.shapes.Path": lambda w: call(visu.Path),
    "visu.shapes.Shape": lambda w: call(visu.Shape),
    "visu.shapes.Sphere": lambda w: call(visu.Sphere, 1),
    "visu.shapes.SpringShape": lambda w: call(visu.SpringShape, (w.s.rod, (0, 1, 0)), w.m.ground, radius=0.1),
    "visu.shapes.Text": lambda w: call(visu.Text, "text"),
    "visu.shapes.Torus": lambda w: call(visu.Torus, 1, 0.1),
    "visu.shapes.Tube": lambda w: call(visu.Tube, 1, 0.5, 1),
    "visu.shapes.Tyre": lambda w: call(visu.Tyre, 1, 0.1),
    "visu.solids.Solid.placed": lambda w: call(visu.Box(1, 1, 1).solid.placed, np.eye(4)),
    "visu.solids.solid": lambda w: call(visu.solid, [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1)], [(0, 1, 2)]),
}
CALLS |= {f"mechanics.symbols.{kind.__name__}": lambda w, kind=kind: call(kind, "x") for kind in (
    symbols.Acceleration, symbols.Coordinate, symbols.Flag, symbols.HoldingForce, symbols.Input, symbols.LockingForce,
    symbols.Measure, symbols.Parameter, symbols.Rate, symbols.State, symbols.StateRate, symbols.Time)}
# fmt: on
