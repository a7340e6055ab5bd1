"""Every public name says what it is: parameters with units and shapes, results, errors, sources, an example.

`public_names.py` says which names are public and judges them; the rules in words are in CONTRIBUTING.md. That the judge
sees what it should is shown on the docstrings themselves: whatever is taken away from one of them is missed.
"""

import functools
import inspect
import re

import pytest
from public_names import (
    QUANTITY,
    SHAPE,
    SOURCE,
    UNIT,
    Name,
    entries,
    gives,
    parameters,
    problems,
    public,
    quantity,
    raised,
    sections,
)
from together import together

KNOWN = """
easydyn.model.model.Model easydyn.model.model.Model.simulate easydyn.model.model.Model.equilibrium
easydyn.vec.Transform.R
easydyn.vec.tensors.Inertia.moved easydyn.mechanics.mbs.residual easydyn.mechanics.kinematics.motion
easydyn.mechanics.equations.Equations.M
easydyn.engine.system.CompiledSystem.residual easydyn.forces.springs.Spring easydyn.forces.effort.Effort.apply
easydyn.result.trajectory.Trajectory.of easydyn.result.trajectory.Energy easydyn.analysis.modes.Mode.damping
easydyn.visu.shapes.Box
easydyn.course.work.Work.compare easydyn.sim.stepper.Stepper.advance easydyn.examples.chain.falling_chain
easydyn.result.plots.style easydyn.result.spectra.Spectrum.peak easydyn.errors.EventError
easydyn.mechanics.symbols.State.dot
""".split()


@functools.cache
def names():
    return sorted(public().values(), key=lambda name: name.path)


@functools.cache
def whole():
    """Of what is not, nothing needs to be taken away."""
    return [name for name in names() if not problems(name)]


def test_public_names_were_found():
    """Of each kind, in each room."""
    assert not set(KNOWN) - public().keys()
    assert len(names()) >= 500
    for kind, least in (("class", 110), ("function", 70), ("method", 180), ("property", 80)):
        assert sum(name.kind == kind for name in names()) >= least, kind
    assert not [name.path for name in names() if name.path.rsplit(".", 1)[-1].startswith("_")]


@together("name", names, ids=lambda name: name.path)
def test_docstring_is_whole(name):
    found = problems(name)
    assert not found, f"{name.path}{inspect.signature(name.thing) if name.kind != 'class' else ''}:\n  " + "\n  ".join(
        found
    )


# -- whatever is taken away is missed ---------------------------------------------------------------------------------


def without(doc, section, entry=None):
    """A docstring without a section, or without one entry of it."""
    parts = sections(doc)
    if entry is None:
        del parts[section]
    else:
        lines, gone = [], False
        for line in parts[section].splitlines():
            if not line.startswith(" "):
                heads = [head.strip(" *") for head in line.partition(" : ")[0].split(",")]
                kept = [head for head in heads if head != entry]
                gone = not kept
                if len(kept) < len(heads) and kept:
                    line = line.replace(line.partition(" : ")[0], ", ".join(kept))
            if not gone:
                lines.append(line)
        parts[section] = "\n".join(lines)
    return "\n\n".join(text if not head else f"{head}\n{'-' * len(head)}\n{text}" for head, text in parts.items())


def described():
    """(name, section, parameter, its type, its text) of everything that has an entry."""
    for name in whole():
        for section in ("Parameters", "Attributes"):
            for parameter, (kind, text) in entries(sections(name.doc).get(section, "")).items():
                yield name, section, parameter, kind, text


# Where it is enough that the text above the list names it, too, in backticks.
NAMED_TWICE = {f"easydyn.sim.stepper.Stepper: {parameter}" for parameter in ("t", "q", "qd")} | {
    "easydyn.visu.animation.Animation: run"
}


def test_a_parameter_taken_away_is_missed():
    missed, seen = [], 0
    for name, section, parameter, _, _ in described():
        if parameter in parameters(name):
            found = problems(name, without(name.doc, section, parameter))
            seen += 1
            if not any(f"{parameter!r}" in problem or f"`{parameter}`" in problem for problem in found):
                missed.append(f"{name.path}: {parameter}")
    assert seen > 400
    assert not set(missed) - NAMED_TWICE, "\n".join(sorted(set(missed) - NAMED_TWICE))


def test_the_text_of_a_parameter_taken_away_is_missed():
    seen = 0
    for name, section, parameter, _, text in described():
        lines = name.doc.splitlines()
        for k, line in enumerate(lines):
            if k < lines.index(section):
                continue
            heads = [head.strip(" *") for head in line.partition(" : ")[0].split(",")]
            if parameter in heads and not line.startswith(" ") and parameter in parameters(name) and text:
                if f"{name.path}: {parameter}" in NAMED_TWICE:
                    break
                more = k + 1
                while more < len(lines) and lines[more].startswith(" "):
                    more += 1
                found = problems(name, "\n".join(lines[: k + 1] + lines[more:]))
                seen += 1
                assert any(f"{parameter!r}" in problem for problem in found), f"{name.path}: {section}, {parameter}"
                break
    assert seen > 400


def test_a_parameter_that_does_not_exist_is_seen():
    for name in whole():
        if "Parameters" in sections(name.doc):
            more = name.doc.replace("Parameters\n----------\n", "Parameters\n----------\nspook : float (m)\n    Boo.\n")
            assert (
                any("'spook'" in problem for problem in problems(name, more))
                or not name.listed
                and name.kind == "class"
            )


def test_a_unit_taken_away_is_missed():
    seen = 0
    for name, section, parameter, kind, text in described():
        if quantity(kind, "") and UNIT.search(kind) and not UNIT.search(text) and not SHAPE.search(text):
            bare = SHAPE.sub("", UNIT.sub("", kind)).strip()
            if not QUANTITY.search(bare) or SHAPE.search(bare):
                continue
            doc = name.doc.replace(f" : {kind}", f" : {bare}")
            seen += 1
            assert any("unit" in problem for problem in problems(name, doc)), f"{name.path}: {section}, {parameter}"
    assert seen > 100


def test_a_unit_taken_away_from_prose_is_missed():
    seen = 0
    for name in whole():
        parts = sections(name.doc)
        if name.kind == "class" or "Parameters" in parts or "Returns" in parts:
            continue
        given = {} if name.kind == "property" else parameters(name)
        if not any(quantity("", hint, own) and own in name.doc for own, hint in given.items()):
            if not quantity("", gives(name) or ""):
                continue
        head = parts[""]
        bare = SHAPE.sub("", UNIT.sub("", head))
        if bare != head and not UNIT.search(bare) and not SHAPE.search(bare):
            seen += 1
            found = problems(name, name.doc.replace(head, bare))
            assert any("unit" in problem or "sentence" in problem for problem in found), name.path
    assert seen > 100


def test_an_exception_taken_away_is_missed():
    seen = 0
    for name in whole():
        for kind in raised(name) if "documented at" not in name.doc else ():
            seen += 1
            assert any(kind in problem for problem in problems(name, name.doc.replace(kind, "an error")))
    assert seen > 60


@pytest.mark.parametrize("section", ["Returns"])
def test_a_section_taken_away_is_missed(section):
    having = [name for name in whole() if section in sections(name.doc) and "Parameters" in sections(name.doc)]
    assert len(having) > 50
    for name in having:
        assert any(section in problem for problem in problems(name, without(name.doc, section))), name.path


def is_exception(thing):
    return inspect.isclass(thing) and issubclass(thing, Exception)


def test_an_example_taken_away_is_missed():
    having = [name for name in whole() if ">>>" in name.doc and name.listed and not is_exception(name.thing)]
    assert len(having) > 150
    for name in having:
        assert any("example" in problem for problem in problems(name, name.doc.replace(">>>", ""))), name.path


def test_a_source_taken_away_is_missed():
    seen = 0
    for name in whole():
        if name.listed and name.path.startswith(("easydyn.mechanics.kinematics", "easydyn.mechanics.mbs",
            "easydyn.forces.")):
            if name.path.endswith("Placeholder"):  # a symbol
                continue
            seen += 1
            assert any("mechanics" in problem for problem in problems(name, SOURCE.sub("", name.doc))), name.path
    assert seen > 35


def test_what_a_newcomer_might_write_is_judged():
    def spring(stiffness: float, ends: list, scale=1.0) -> float:
        """It does things"""
        from easydyn.errors import InputError

        raise InputError("no")
        return stiffness

    found = problems(Name("easydyn.forces.springs.spring", spring, "function", True))
    for expected in (
        "full stop",
        "`stiffness`",
        "`ends`",
        "`scale`",
        "returns a number",
        "InputError",
        "law",
        "example",
    ):
        assert any(expected in problem for problem in found), (expected, found)
    assert problems(Name("easydyn.x.f", lambda: 0, "function", True)) == ["it has no docstring"]


def test_reading_of_sections():
    text = "x, y : scalar (m)\n    Sides: long\n    ones.\n\\*\\*options\n    As in `Shape`.\n"
    assert entries(text) == {
        "x": ("scalar (m)", "Sides: long ones."), "y": ("scalar (m)", "Sides: long ones."),
        "options": ("", "As in `Shape`."),
    }  # fmt: skip
    assert sections("One.\n\nReturns\n-------\nfloat\n")["Returns"] == "float"
    units = "(N/m)", "(kg m2)", "(rad/s)", "(1/s)", "(s)", "(N m/rad, or N/m)", "no unit", "(m, 3 components)"
    assert all(map(UNIT.search, units)) and not any(
        map(UNIT.search, ("(see there)", "(by name)", "a number", "(A)x")[:3])
    )
    assert all(map(SHAPE.search, ("(n,)", "(N, 3)", "(..., n)", "3x3"))) and not SHAPE.search("(one if left out, none)")
    assert re.search(SOURCE, "eq. (6)") and re.search(SOURCE, "Hooke's law") and not re.search(SOURCE, "a force")
