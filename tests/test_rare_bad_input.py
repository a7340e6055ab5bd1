"""Mistakes that are seldom made, and programs that are not there; in the manner of test_bad_input.py."""

import dataclasses
import math
import subprocess

import numpy as np
import pytest
import sympy
import test_bad_input as bad
from mistakes import Mistake, explained

from easydyn import Effort, GeneralizedForce, Model, Trajectory, Transform, t, tdisp, trotx, trotz
from easydyn.__main__ import check, new
from easydyn.analysis import check as check_model
from easydyn.engine.graph import Graph
from easydyn.errors import (
    ArgumentError,
    DomainError,
    EasyDynError,
    FileError,
    IncompleteEquationsWarning,
    InputError,
    InterruptedRunError,
    MissingDependencyError,
    ModelError,
    ReadOnlyError,
    SlowRunWarning,
    TransformError,
    UnknownNameError,
)
from easydyn.export import report
from easydyn.mechanics.symbols import Multiplier
from easydyn.motor import Motor
from easydyn.visu import Mesh, stl


def pushed(force):
    """A block on a line with a force of (x)."""
    model = Model("block")
    (x,) = model.coordinates("x")
    model.body("block", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
    model.add(GeneralizedForce(x, force(x)))
    return model


def equation_with(number):
    model = Model("odd")
    (x,) = model.coordinates("x")
    model.equation(x.ddot + number * x)
    return model.compile()


def other_run(w, change):
    """The run of the bench with other coordinates, as a film."""
    return dataclasses.replace(w.run, q=change(w.run.q)).animate()


def corner():
    model = Model("cam")
    x = model.coordinate("x", initial=-0.5, rate=1)
    model.body("follower", tdisp(x, sympy.Max(x, 0), 0), mass=1, inertia=(0, 0, 0))
    model.simulate(1)


def own(**members):
    """An element of the user's own on a block, of which some members are wrong."""
    right = {"expressions": lambda self: iter(()), "apply": lambda self, assembly: None}
    model = pushed(lambda x: 1)
    model.add(type("Push", (Effort,), {name: x for name, x in (right | members).items() if x})())
    return model.compile().accelerations(0, [0], [0])


def out_of_reach():
    """A run in which an arcsine leaves its domain."""
    model = Model("arm")
    (x,) = model.coordinates("x")
    model.body("arm", trotz(sympy.asin(x)) * tdisp(1, 0, 0), mass=1, inertia=(0, 0, 0))
    run = model.simulate(0.1)
    return dataclasses.replace(run, q=run.q + np.linspace(0, 2, len(run))[:, None]).animate()


def cornered(w):
    model = Model("lift")
    x = model.coordinate("x")
    model.body("cabin", tdisp(x, 0, sympy.Abs(t - 1)), mass=1, inertia=(0, 0, 0))
    model.export("c", w.folder)


def eventful(w):
    model = pushed(lambda x: -x)
    model.event(model.symbols["x"] - 1, name="wall")
    return model.export("c", w.folder / "block.c")


def interrupting():
    def progress(fraction):
        raise KeyboardInterrupt

    return bad.slider(lambda x: -x, initial=1).simulate(50, progress=progress, target="python")


def as_pdf(w, answer):
    """A report with another program in place of pdflatex: `answer` is what it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report.shutil, "which", lambda name: name if answer else None)
        patch.setattr(report.subprocess, "run", answer)
        return w.model.report(w.folder / "report.pdf")


def complaining(command, **options):
    return subprocess.CompletedProcess(command, 1, stdout=b"This is TeX\n! Undefined control sequence.\n")


def endless(command, **options):
    raise subprocess.TimeoutExpired(command, 120)


def as_film(w, name):
    """A film where matplotlib has neither pillow nor ffmpeg."""
    from matplotlib.animation import writers

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(writers), "is_available", lambda self, name: False)
        return w.run.animate(every=0.05).save(w.folder / name)


def large_mesh(w, binary):
    """A file of three triangles where two are allowed."""
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    text = ("solid large\n" + 3 * facet + "endsolid large\n").encode()
    data = bytes(80) + (3).to_bytes(4, "little") + bytes(150) if binary else text
    (w.folder / "large.stl").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stl, "LARGEST", len(data))
        assert len(Mesh(w.folder / "large.stl").solid.surfaces) == 3
        patch.setattr(stl, "LARGEST", len(data) - 50)
        return Mesh(w.folder / "large.stl")


def checked_script(w, text="x = 1\nq = Model('m'\n"):
    script = w.folder / "wrong.py"
    script.write_text(text, encoding="utf-8")
    check(str(script))


# fmt: off
MISTAKES = [
    Mistake("integer beyond floats", InputError, lambda w: w.model.set_parameters(l1=10**400),
            "expected a number below 1.8e308", r"parameter .l1. is a number of about 401 digits: expected"),
    Mistake("fraction of a node", InputError, lambda w: check_model(w.model, seed=0.5),
            "expected a whole number", r"seed is 0.5: expected a whole number of 0 or more"),
    Mistake("text as a flag", InputError, lambda w: w.model.lock(w.q1, locked="yes"),
            "expected True or False", r"locked is 'yes': expected True or False"),
    Mistake("one thing for a list", InputError, lambda w: w.run.animate(plots=3),
            "expected a list of", r"plots is 3: expected a list of names of columns"),
    Mistake("half a character", InputError, lambda w: Model("a\ud800"),
            "expected a text", r"the name of a model is 'a.ud800': expected a text, such as Model"),
    Mistake("class for a model", InputError, lambda w: check_model(Model),
            "expected a Model", r"what is checked is <class .*> \(type\): expected a Model"),
    Mistake("Transform of numbers", TransformError, lambda w: Transform([1, 2]),
            "write products such as trotz", r"a factor of a Transform is 1: write products such as trotz\(q\) \*"),
    Mistake("quaternion of a matrix of symbols", InputError,
            lambda w: (trotz(t).R * trotx(t).R).quaternion(), "take it of the .R",
            r"a quaternion of a matrix of symbols is no single formula: take it of the \.R of a product of transforms"),
    Mistake("rotation vector of two axes", InputError, lambda w: (trotz(t) * trotx(t)).R.rotation_vector(),
            "R.quaternion()", r"a rotation vector of symbols is one formula only of turns about one axis: take R\."),
    Mistake("NaN in a matrix", TransformError, lambda w: w.body(np.diag([1, math.nan, 1, 1])),
            "of the rotation is", r"body 'tool': entry \(2,2\) of the rotation is nan, expected a finite number"),
    Mistake("parameter by name and by value", ModelError, lambda w: w.model.parameters("k", k=1),
            "twice", r"model.parameters\(\) got 'k' twice: every name is declared once"),
    Mistake("arcsine of two", ModelError, lambda w: equation_with(sympy.asin(2)),
            "in the model is not a real number", r"asin\(2.0\) in the model is not a real number: math domain error"),
    Mistake("constant that is no number", ModelError, lambda w: Graph().constant(math.nan),
            "a constant of the model is NaN", r"NaN \(not a number\): look for 0/0 or inf - inf in its data"),
    Mistake("symbol of nobody in a system", ModelError,
            lambda w: w.system.evaluate([sympy.Symbol("z")], 0, [0, 0], [0, 0], [0, 0]),
            "which is not a symbol of the model", r"'pendulum' depends on z, which is not a symbol of the model"),
    Mistake("staircase in time", InputError, lambda w: pushed(lambda x: sympy.floor(10**9 * t)).simulate(1),
            "a floor, ceiling or Mod of time jumps", r"jumps 1000000000 times between 0 and 1 s"),
    Mistake("Ctrl-C", InterruptedRunError, lambda w: interrupting(),
            "the run was interrupted", r"model 'slider': the run was interrupted at t = .* s; error.trajectory holds"),
    Mistake("folder instead of a run", FileError, lambda w: Trajectory.load(w.folder),
            "Expected a .npz file", r"cannot read '.*': .*. Expected a .npz file"),
    Mistake("no pandas", MissingDependencyError, lambda w: bad.without("pandas", w.run.to_pandas),
            " needs ", r'to_pandas needs pandas: pip install "easydyn\[pandas\]"'),
    Mistake("no xarray", MissingDependencyError, lambda w: bad.without("xarray", w.run.to_xarray),
            " needs ", r'to_xarray needs xarray: pip install "easydyn\[tables\]"'),
    Mistake("no pyarrow", MissingDependencyError,
            lambda w: bad.without("pyarrow", lambda: w.run.to_parquet(w.folder / "run.parquet")),
            " needs ", r'to_parquet needs pyarrow: pip install "easydyn\[tables\]"'),
    Mistake("not a file of MATLAB", FileError, lambda w: w.run.to_mat("run.npz"),
            "expected the name of a file", r"the path is 'run.npz': expected the name of a file that ends in .mat"),
    Mistake("no LaTeX", MissingDependencyError, lambda w: as_pdf(w, None),
            "needs the program pdflatex", r"a report as PDF needs the program pdflatex, .* \"report.html\""),
    Mistake("LaTeX that fails", EasyDynError, lambda w: as_pdf(w, complaining),
            "pdflatex failed", r"pdflatex failed \(! Undefined control sequence.\): write a .tex instead"),
    Mistake("LaTeX that does not end", EasyDynError, lambda w: as_pdf(w, endless),
            "pdflatex did not come to an end", r"pdflatex did not come to an end: .*120 seconds. Write a .tex"),
    Mistake("element without apply", ArgumentError, lambda w: own(apply=None), "is abstract, it lacks",
            r"Push is abstract, it lacks apply: expected def apply\(self, assembly\) in it"),
    Mistake("bodies that are a name", ModelError, lambda w: own(bodies=property(lambda self: "forearm")),
            "and is asked for something else",
            r"bodies of your Push gives 'forearm' \(str\), .* expected a tuple of b"),
    Mistake("bodies that are a method", ModelError, lambda w: own(bodies=lambda self: ()),
            "is a method: expected a property", r"bodies of your Push is a method: expected a property, with"),
    Mistake("element that fails", ModelError, lambda w: own(apply=lambda self, assembly: 1 / 0),
            "Look at the line of your function", r"apply of your Push failed: ZeroDivisionError: division by zero. L",
            (ZeroDivisionError,)),
    Mistake("element that keeps bodies", ReadOnlyError,
            lambda w: own(__init__=lambda self: setattr(self, "bodies", ())),
            "is a property of its class", r"Push: bodies is a property of its class: expected @property, def bodies"),
    Mistake("generalised force on a name", ModelError,
            lambda w: own(apply=lambda self, assembly: assembly.add_generalized("q1", 1)),
            "expected a coordinate of the model, self.q", r"add_generalized got 'q1': expected a coordinate of the"),
    Mistake("integral that only stands there", ModelError,
            lambda w: w.model.add(GeneralizedForce(w.q1, sympy.Integral(t * w.q1, (t, 0, 1)))),
            "which is not worked out: write it with .doit()", r"contains Integral\(...\), which is not worked out"),
    Mistake("friction by a multiplier", ModelError,
            lambda w: pushed(lambda x: Multiplier("mesh:load")),
            "may depend on those of constraints of their own model", r"contains mesh:load, the multiplier of a con"),
    Mistake("mode that is not there", UnknownNameError, lambda w: w.model.linearize({"q1": 0, "q2": 0}).modes()[9],
            "expected a number below", r"'pendulum' has no mode \[9\]: expected a number below 2, from 0 on"),
    Mistake("motor over nothing", InputError, lambda w: Motor((1, 2, 3), (4, 5, 6)) / 0, "a motor is divided by 0",
            r"a motor is divided by 0: expected another number"),
    Mistake("corner in a transform", DomainError,
            lambda w: corner(), "has a corner there",
            r"by Max\(0, x\), at t = 0.5 s .* another velocity: .* equal slopes"),
    Mistake("force without a spring", ModelError,
            lambda w: pushed(lambda x: sympy.Piecewise((1, x < 0.3), (-1, True))).equilibrium()["x"],
            "no stiffness determines", r"no equilibrium was found: no stiffness determines x, and a force acts on it"),
    Mistake("force that is never zero", ModelError,
            lambda w: pushed(lambda x: -sympy.sign(x - 0.3) * (1 + x**2)).equilibrium()["x"],
            "no equilibrium was found in", r"in \d+ steps: where the search ended \(x = 0.3\) a residual of"),
    Mistake("film of a run that is not finite", ModelError, lambda w: other_run(w, lambda q: q * math.nan),
            "the run holds coordinates that are not finite", r"not finite: there is nothing to be shown"),
    Mistake("film of what cannot be assembled", ModelError, lambda w: out_of_reach(),
            "cannot be assembled at every instant", r"at every instant of the run: some frame is not finite"),
    Mistake("mesh for manufacturing", FileError, lambda w: large_mesh(w, True),
            "MB: save a coarser one", r"the mesh '.*large.stl' is larger than .* MB: save a coarser one, or a binary"),
    Mistake("mesh for manufacturing, as a text", FileError, lambda w: large_mesh(w, False),
            "MB: save a coarser one", r"the mesh '.*large.stl' is larger than .* MB: save a coarser one, or a binary"),
    Mistake("no ffmpeg", MissingDependencyError, lambda w: as_film(w, "run.mp4"),
            "an .mp4 needs the program ffmpeg", r"not there: pip install .easydyn\[lab\]., or save a .gif or an .html"),
    Mistake("no pillow", MissingDependencyError, lambda w: as_film(w, "run.gif"),
            "a .gif needs the package pillow", r"a .gif needs the package pillow: pip install pillow"),
    Mistake("events in a model to be exported", ModelError, eventful,
            "which change a run from outside its equations",
            r"model 'block' has event 'wall', which .*: they cannot be written in C. Export a model without them"),
    Mistake("corner in a model to be exported", ModelError, cornered,
            "has a corner or a step in",
            r"model 'lift' has a corner or a step in the transform of body 'cabin', where t - 1 is 0: rates"),
    Mistake("new script without an ending", FileError, lambda w: new(str(w.folder / "model")),
            "does not end in .py", r"model' does not end in .py: expected a name such as my_model.py"),
    Mistake("script that is not Python", FileError, checked_script,
            "The script was not run", r"wrong.py:2: SyntaxError: .* The script was not run"),
    Mistake("script that ends itself", FileError, lambda w: checked_script(w, "import sys\nsys.exit(2)\n"),
            "and nothing was checked", r"wrong.py: the script ended itself \(exit 2\), and nothing was checked. Put"),
]
# fmt: on

test_mistake_is_explained = explained(MISTAKES)


def test_an_interrupted_run_keeps_what_it_has():
    with pytest.raises(InterruptedRunError) as caught:
        interrupting()
    assert caught.value.trajectory.status == "interrupted" and len(caught.value.trajectory) > 1


def test_warnings_are_those_of_the_catalogue():
    """By text."""
    model = bad.slider()

    @model.efforts
    def push(t, bodies):
        bodies["block"].R += (1, 0, 0)

    with pytest.warns(SlowRunWarning, match="'push' of model 'slider' is plain Python, called at every residual"):
        model.simulate(0.01)
    with pytest.warns(
        IncompleteEquationsWarning, match=r"model 'slider' do not hold the efforts written in .* \(push\)"
    ):
        model.equations()
