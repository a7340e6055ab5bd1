"""Mistakes that are seldom made, and programs that are not there; in the manner of test_bad_input.py."""

import dataclasses
import subprocess

import numpy as np
import pytest
import sympy
import test_bad_input as bad
from mistakes import explained
from test_bad_input import without  # noqa: F401  in mistakes.txt

from easydyn import Effort, GeneralizedForce, Model, t, tdisp, trotz
from easydyn.__main__ import (
    check,
    new,  # noqa: F401  in mistakes.txt
)
from easydyn.analysis import check as check_model  # noqa: F401  in mistakes.txt
from easydyn.engine.graph import Graph  # noqa: F401  in mistakes.txt
from easydyn.errors import (
    IncompleteEquationsWarning,
    InterruptedRunError,
    SlowRunWarning,
)
from easydyn.export import report
from easydyn.lab import footage
from easydyn.mechanics.symbols import Multiplier  # noqa: F401  in mistakes.txt
from easydyn.visu import Mesh, solids


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


def as_film(w):
    """A film where there is no ffmpeg."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(footage, "ffmpeg", lambda: None)
        return w.run.animate(every=0.05).save(w.folder / "run.mp4")


def large_mesh(w, binary):
    """A file of three triangles where two are allowed."""
    facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    text = ("solid large\n" + 3 * facet + "endsolid large\n").encode()
    data = bytes(80) + (3).to_bytes(4, "little") + bytes(150) if binary else text
    (w.folder / "large.stl").write_bytes(data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solids, "LARGEST", len(data))
        assert len(Mesh(w.folder / "large.stl").solid.surfaces) == 3
        patch.setattr(solids, "LARGEST", len(data) - 50)
        return Mesh(w.folder / "large.stl")


def checked_script(w, text="x = 1\nq = Model('m'\n"):
    script = w.folder / "wrong.py"
    script.write_text(text, encoding="utf-8")
    check(str(script))


# fmt: off


# fmt: on

test_mistake_is_explained = explained(__file__)


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
