"""The exercises: solutions pass, untouched scripts fail kindly at their first stage, no answer is shown.

What students write, right and wrong, and what is said of it is in test_variants.py.
"""

import ast
import inspect
import math
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import sympy
from together import together

import easydyn
from easydyn import GeneralizedForce, Model, Transform, Vector, tdisp, trotx, trotz, vcoord
from easydyn.__main__ import main
from easydyn.course import Work, Wrong, check, exercises
from easydyn.course.diagnosis import limits
from easydyn.course.handout import hand_out
from easydyn.course.room import RUN_NAME
from easydyn.motor import Motor

ROOT = Path(__file__).resolve().parent.parent
SOLUTIONS = ROOT / "exercises" / "solutions"
ALL = exercises(ROOT / "exercises")
NUMBERS = [one.number for one in ALL]


# Projects work longer: what runs all of one is `long`.
WHOLE = [pytest.param(one, id=one.number, marks=[pytest.mark.long] * (one.number > "30")) for one in ALL]


def test_how_far_a_component_may_be_off():
    """By its own size over all inputs; with one, a small component may be so by chance: 1e-4 of the largest counts."""
    one = limits(np.array([[2.0, 1e-7, 0.0]]), 1e-3)
    assert one[0] == pytest.approx([2e-3, 2e-7, 2e-3], rel=1e-12)
    two = limits(np.array([[2.0, 1e-7, 0.0], [1.0, -3e-7, 0.0]]), 1e-3)
    np.testing.assert_allclose(two, [[2e-3, 3e-10, 2e-3], [1e-3, 3e-10, 1e-3]], rtol=1e-12)


def solution(one):
    return SOLUTIONS / f"{one.name}.py"


def text_of(one):
    return solution(one).read_text(encoding="utf-8")


def test_there_are_enough():
    assert len(ALL) >= 12 and len(set(NUMBERS)) == len(NUMBERS)
    assert {path.stem for path in SOLUTIONS.glob("*.py")} == {one.name for one in ALL}


def test_the_page_lists_them():
    """With what the statement says of effort, in their order."""
    page = (ROOT / "docs" / "course.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d\d) (\w+) \| [^|]{20,} \| (\d), (\d+) \|$", page, re.MULTILINE)
    asked = [re.fullmatch(r"Difficulty (\d) of 3, about (\d+) minutes", one.effort).groups() for one in ALL]
    assert rows == [(one.number, one.name[3:], *effort) for one, effort in zip(ALL, asked, strict=True)]


@together("one", ALL, ids=NUMBERS)
def test_it_is_complete(one):
    """What a student needs to work alone: learning objectives, effort, a part for each stage, hints for each stage."""
    assert re.fullmatch(rf"# {one.number} .+", one.statement.splitlines()[0])
    assert re.fullmatch(r"Difficulty [123] of 3, about \d+ minutes", one.effort)
    assert "**You will learn**" in one.statement
    assert 3 <= len(one.stages) <= 6
    parts = [int(n) for n in re.findall(r"^(\d)\. ", one.statement, re.MULTILINE)]
    assert parts == list(range(1, len(one.stages) + 1))
    for k in range(1, len(one.stages) + 1):
        hints = one.hints(k)
        assert len(hints) >= 2 and all(hint.endswith((".", "?", "`", ")")) for hint in hints), (k, hints)
    assert not one.hints(len(one.stages) + 1)
    assert f'easydyn.exercise("{one.number}", globals())' in one.script.read_text(encoding="utf-8")


def test_no_script_scrolls_sideways():
    """On the page of its statement, where there is room for 84 letters of code."""
    wide = [
        f"{one.number}: {line}" for one in ALL for line in one.script.read_text(encoding="utf-8").splitlines()
        if len(line) > 84
    ]  # fmt: skip
    assert not wide, "\n".join(wide)


@pytest.mark.parametrize("one", WHOLE)
def test_solution_passes(one):
    report = check(one, solution(one))
    assert report.done, report.text()
    assert f"all {len(one.stages)} stages pass" in report.text()


@together("one", ALL, ids=NUMBERS)
def test_untouched_fails_at_its_first_stage(one):
    report = check(one, one.script)
    assert report.passed == 0 and report.wrong.unfinished
    assert re.search(
        r"`[\w.]+` is still to be (found|written): put your answer where the `...` stands", str(report.wrong)
    )
    text = report.text()
    assert "here  1. " in text and "Hint" not in text and f"exercise {one.number} --hints 1" in text


def holes_of(one):
    """The names that are to be written, in their order."""
    text = one.script.read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        if "..." in ast.get_source_segment(text, node):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield node.name
            elif isinstance(node, ast.Assign):
                yield node.targets[0].id


@pytest.mark.one_in(5)
@pytest.mark.parametrize("one", WHOLE)
def test_half_done_is_unfinished_not_wrong(one):
    """With the first names as they should be, the report asks for the next."""
    untouched, right = (runpy.run_path(str(path)) for path in (one.script, solution(one)))
    names, passed = list(holes_of(one)), 0
    for k, name in enumerate(names):
        report = check(one, untouched | {done: right[done] for done in names[:k]})
        assert report.wrong.unfinished and "put your answer where the `...` stands" in str(report.wrong)
        assert passed <= report.passed < len(one.stages), f"{name}: {report.text()}"
        passed = report.passed


@pytest.mark.parametrize(
    ("begin", "end", "stage", "said"),
    [
        ("        u, L, Ld = self", "    def potential", 2, "`apply` does nothing yet: put your answer where"),
        ("        k, L0 = assembly.value(self.k)", None, 4, "`Strut.potential` is still to be written"),
    ],
)
def test_half_a_class_is_unfinished(begin, end, stage, said, tmp_path):
    one, text = ALL[9], text_of(ALL[9])
    start = text.index(begin)
    rest = "" if end is None else text[text.index(end) :]
    path = tmp_path / "mine.py"
    path.write_text(f"{text[:start]}        return ...\n\n{rest}", encoding="utf-8")
    report = check(one, path)
    assert report.passed + 1 == stage and report.wrong.unfinished and said in str(report.wrong), report.text()


def test_lines_of_classes_are_named(tmp_path):
    """Also where it is easydyn, or the check, that calls a method of the student's."""
    path = tmp_path / "mine.py"
    path.write_text(text_of(ALL[9]).replace("L = r.norm()", "L = r.length()"), encoding="utf-8")
    said = str(check(ALL[9], path).wrong)
    assert re.search(r"Your function stopped in line \d+, `L = r.length\(\)`: .*Vector has no 'length'", said)


def spoilt(value):
    """A wrong value in place of a right one, in the same form."""
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, Transform):
        return trotx(0.3) * value * trotz(0.4) * tdisp(0.1, 0.2, 0.05)
    if isinstance(value, Vector):
        return Vector(*(spoilt(x) for x in value))
    if isinstance(value, Motor):
        return Motor.of_motion_vector([spoilt(x) for x in value.motion_vector])
    if isinstance(value, Model):
        coordinates = value.mechanism.coordinates
        if coordinates:
            value.add(GeneralizedForce(coordinates[0], 7.0))
        else:
            value.states("one_too_many")
        return value
    if isinstance(value, list | tuple):
        return type(value)(spoilt(x) for x in value)
    if inspect.isfunction(value):
        return lambda *x: {"U": spoilt(value(*x)["U"])}
    return value * 1.37 + 0.11


def spoiling(text, names, values):
    """A script in which the functions and numbers with these names are wrong: `values` are the right ones."""
    lines = text.splitlines()
    for statement in reversed(ast.parse(text).body):
        bound = {getattr(statement, "name", "")} | {
            x.id for x in ast.walk(statement) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)
        }
        for name in sorted(bound & set(names)):
            more = [f"{name} = spoilt({name})"]
            if inspect.isfunction(values[name]):
                takes = inspect.signature(values[name])
                more = [f"right_{name} = {name}", f"def {name}{takes}:",
                        f"    return spoilt(right_{name}({', '.join(takes.parameters)}))"]  # fmt: skip
            lines[statement.end_lineno : statement.end_lineno] = more
    return "\n".join(["from test_exercises import spoilt", *lines])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("one", [x for x in WHOLE if x.id != "10"])  # its stages ask one class
def test_a_wrong_stage_costs_itself_alone(one, tmp_path, monkeypatch):
    """Each stage in turn is wrong: those that build on it are judged by what is right in its place."""
    values, asked, passed = runpy.run_path(str(solution(one)), run_name=RUN_NAME), {}, [0]
    value = Work.value

    def noting(work, name):
        asked.setdefault(name, passed[-1] + 1)
        return value(work, name)

    monkeypatch.setattr(Work, "value", noting)
    assert check(one, solution(one), each=lambda k, wrong: passed.append(k)).done
    monkeypatch.undo()
    path = tmp_path / "mine.py"
    for k in range(1, len(one.stages) + 1):
        names = [name for name, first in asked.items() if first == k]
        if not names or isinstance(values[names[0]], type) or names in (["model"], ["system"]):
            continue  # test_variants.py has those whose stages ask one model
        path.write_text(spoiling(text_of(one), names, values), encoding="utf-8")
        report = check(one, path)
        assert report.marks == tuple(j != k for j in range(1, len(one.stages) + 1)), f"{k}, {names}: {report.text()}"


def test_what_is_put_together_of_lent_answers_alone_does_not_pass(tmp_path):
    """Exercise 02 has a stage for which nothing is to be written: it passes with one that is, not before."""
    one, path = ALL[NUMBERS.index("02")], tmp_path / "mine.py"
    start = (one.folder / "exercise.py").read_text(encoding="utf-8")
    first = "def frame(q):\n    return "
    for answers, marks in ((start, (False,) * 5), (start.replace(f"{first}...", f"{first}trotz(q[1])"), (False,) * 5),
                           (start.replace("(qd):\n    return ...", "(qd):\n    return vcoord(0, 0, qd[1])").replace(
                               "(qdd):\n    return ...", "(qdd):\n    return vcoord(0, 0, qdd[1])"),
                            (False, True, False, False, True))):  # fmt: skip
        path.write_text(answers, encoding="utf-8")
        assert check(one, path).marks == marks


@pytest.mark.parametrize("number", ["08", "12"])
def test_parameters_may_be_symbols(number, tmp_path):
    """Equations with symbols of parameters, where the script has numbers, are as good."""
    one = ALL[NUMBERS.index(number)]
    text = text_of(one)
    names = "m, k" if number == "08" else "R, J"
    line = f"    {names.replace(', ', '_, ')}_ = made.parameters({', '.join(f'{n}={n}' for n in names.split(', '))})\n"
    at = text.index("\n", text.index("made = Model(")) + 1
    body = text[at:]
    for name, old, new in (("m", "m * x.ddot", "m_ * x.ddot"), ("k", "k * x -", "k_ * x -"),
                           ("R", "R * i", "R_ * i"), ("J", "J * w.dot", "J_ * w.dot")):  # fmt: skip
        if name in names:
            assert old in body
            body = body.replace(old, new)
    path = tmp_path / "mine.py"
    path.write_text(text[:at] + line + body, encoding="utf-8")
    report = check(one, path)
    assert report.done, report.text()


@together("one", ALL, ids=NUMBERS)
def test_hints_and_messages_never_hold_the_solution(one, tmp_path):
    """No line that has to be written stands in a hint or in the check's sentences."""
    written = {line.strip() for line in text_of(one).splitlines()} - {
        line.strip() for line in one.script.read_text(encoding="utf-8").splitlines()
    }
    lines = [line for line in written if len(line) > 20 and "=" in line or line.startswith("return ")]
    assert lines
    hints = " ".join(hint for k in range(1, len(one.stages) + 1) for hint in one.hints(k))
    strings = " ".join(re.findall(r'"([^"]*)"', (one.folder / "check.py").read_text(encoding="utf-8")))
    for line in lines:
        assert line not in hints and line not in strings and line not in one.statement, line


PLAIN = [("04", "period"), ("08", "x_rest"), *(("11", x) for x in "rest M C K frequency ratio critical".split())]


@together(("number", "name"), PLAIN, ids="-".join)
@together("factor", [2, -1, 0.5, 1.01])
def test_a_number_that_is_the_answer_is_never_shown(number, name, factor, tmp_path):
    """A student cannot copy it from the report."""
    one = ALL[NUMBERS.index(number)]
    right = runpy.run_path(str(solution(one)))[name]
    path = tmp_path / "mine.py"
    path.write_text(f"{text_of(one)}\n{name} *= {factor}\n", encoding="utf-8")
    report = check(one, path)
    assert not report.done and report.wrong.called == name, report.text()
    numbers = [float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", report.text(hints=9))]
    assert all(abs(x - right) > 1e-4 * abs(right) for x in numbers), report.text()


# -- on the command line, in a notebook ----------------------------------------------------------------------------


def typed(capsys, *words):
    status = main(["exercise", *words])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_list(capsys):
    status, shown, _ = typed(capsys)
    assert status == 0 and [line.split()[0] for line in shown.splitlines()] == [one.name for one in ALL]
    assert all(re.search(r"Difficulty [123] of 3, about \d+ minutes\.$", line) for line in shown.splitlines())


def test_statement(capsys):
    """In plain letters (test_sketches.py): all lines, and formulas as one would type them."""
    shown = typed(capsys, "4", "--statement")[1].strip()
    assert shown.count("\n") == ALL[3].statement.strip().count("\n")
    assert "is m l^2/12." in shown and "f = d . (m a - R) + theta . (I alpha - M)" in shown and "$" not in shown


@pytest.mark.long
def test_any_console_will_do(tmp_path):
    """Also one that knows no letters but those of ASCII."""
    done = subprocess.run(
        [sys.executable, "-m", "easydyn", "exercise", "06", "--statement"], cwd=tmp_path, capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(ROOT)}, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0 and b"9.81 m/s? downwards" in done.stdout and done.stderr == b""


def test_a_student_begins_works_and_finishes(tmp_path, monkeypatch, capsys):
    """In a folder of one's own: begun, first look, help, a mistake, done."""
    monkeypatch.chdir(tmp_path)
    status, shown, _ = typed(capsys, "01", "--start", ".")
    script = tmp_path / "01_frames.py"
    assert status == 0 and script.is_file() and (tmp_path / "01_frames.md").is_file() and "01_frames.py" in shown
    status, shown, _ = typed(capsys, "01")
    assert status == 1 and "0 of 4 stages pass" in shown and "Hint" not in shown
    shown = typed(capsys, "01", "--hints", "2")[1]
    assert "Hint 1 of 3." in shown and "Hint 2 of 3." in shown and "--hints 3" in shown
    script.write_text(text_of(ALL[0]).replace(".inv() * point", " * point"), encoding="utf-8")
    status, shown, _ = typed(capsys, "01")
    assert status == 1 and "3 of 4 stages pass" in shown and "here it is the other way round" in " ".join(shown.split())
    script.write_text(text_of(ALL[0]), encoding="utf-8")
    assert typed(capsys, "01")[:2] == (0, "Exercise 01, Frames and transforms: all 4 stages pass. Well done.\n")
    status, _, complaint = typed(capsys, "01", "--start", ".")
    assert status == 1 and "nothing was changed" in complaint and script.read_text(encoding="utf-8") == text_of(ALL[0])


def test_the_data_of_an_exercise_go_along(tmp_path, capsys):
    """And are what the formula beside them makes; what is there is kept."""
    (tmp_path / "mine").mkdir()
    for folder in (tmp_path, tmp_path / "mine"):
        assert typed(capsys, "32", "--start", str(folder))[0] == 0
    made = runpy.run_path(str(ROOT / "exercises" / "32_car" / "questions.py"))["text"]()
    assert (tmp_path / "road.csv").read_text(encoding="utf-8") == made
    (tmp_path / "32_car.py").unlink()
    (tmp_path / "32_car.md").unlink()
    handed = [path.name for path in hand_out(tmp_path / "handed", [ALL[NUMBERS.index("32")]])]
    assert "road.csv" in handed and "32_car.py" not in handed
    (tmp_path / "road.csv").write_text("mine", encoding="utf-8")
    assert typed(capsys, "32", "--start", str(tmp_path))[0] == 0
    assert (tmp_path / "road.csv").read_text(encoding="utf-8") == "mine"


def test_named_files_and_folders(tmp_path, capsys):
    (tmp_path / "01_frames.py").write_text(text_of(ALL[0]), encoding="utf-8")
    assert typed(capsys, "1", str(tmp_path))[0] == 0
    path = tmp_path / "mine.py"
    path.write_text("elbow = 1", encoding="utf-8")
    status, shown, _ = typed(capsys, "1", str(path))
    assert status == 1 and f"python -m easydyn exercise 01 {path} --hints 1" in " ".join(shown.split())


def test_in_a_notebook(capsys):
    names = {"__name__": "__main__", "elbow": lambda q1: 3}
    easydyn.exercise(1, names, folder=ROOT / "exercises")
    shown = capsys.readouterr().out
    assert "Your answer has another shape: one number." in shown
    assert 'Help: easydyn.exercise("01", globals(), hints=1)' in shown
    easydyn.exercise("01", names, hints=3, folder=ROOT / "exercises")
    shown = capsys.readouterr().out
    assert "Hint 3 of 3" in shown and "More help" not in shown


def test_a_script_checks_itself_once(tmp_path, capsys):
    """With easydyn.exercise(...) at its end, run as a program; not again when it is checked."""
    text = text_of(ALL[0]) + '\nimport easydyn\neasydyn.exercise("01", globals())\n'
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    assert typed(capsys, "01", str(path))[1].count("stages pass") == 1
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out.count("stages pass") == 1


def test_ctrl_c_is_understood(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("raise KeyboardInterrupt", encoding="utf-8")
    status, _, complaint = typed(capsys, "01", str(path))
    assert status == 1 and "is there a loop in it without one?" in complaint


def test_an_exercise_of_ones_own(tmp_path, capsys):
    folder = tmp_path / "21_rod"
    assert typed(capsys, "--new", str(folder))[0] == 0
    own = ["21", "--exercises", str(tmp_path)]
    status, shown, _ = typed(capsys, *own)
    assert status == 1 and "`tip` is still to be written" in shown
    script = folder / "exercise.py"
    text = script.read_text(encoding="utf-8")
    script.write_text(text.replace("return ...", "return (LENGTH*sin(q), LENGTH*cos(q), 0)"), encoding="utf-8")
    assert "Sine and cosine are exchanged." in typed(capsys, *own)[1]
    script.write_text(text.replace("return ...", "return (LENGTH*cos(q), LENGTH*sin(q), 0)"), encoding="utf-8")
    assert typed(capsys, *own)[0] == 0


# -- what checks are made of ---------------------------------------------------------------------------------------


def test_symbolic_answers_are_compared_as_numbers():
    """However they are written; with any symbols of these names."""
    q, l = sympy.symbols("q l")
    work = Work({})
    given = {"q": 0.3, "l": 1.2}
    for value in (sympy.sin(2 * q) * l, 2 * l * sympy.sin(q) * sympy.cos(q)):
        work.compare(work.number(work.at(value, given)), 1.2 * math.sin(0.6))
    assert np.allclose(work.vector(work.at(vcoord(q, l, 0), given)), (0.3, 1.2, 0))
    assert np.allclose(work.vector(work.at(sympy.Matrix([q, l, 0]), given)), (0.3, 1.2, 0))
    assert work.array(work.at(sympy.Matrix([[q, l], [0, 1]]), given), (2, 2)).tolist() == [[0.3, 1.2], [0, 1]]
    with pytest.raises(Wrong, match="contains `m`, which it should not depend on"):
        work.at(sympy.Symbol("m") * q, given)
    with pytest.raises(Wrong, match="not finite"):
        work.number(work.at(sympy.sqrt(-q), given))


def test_random_numbers_are_the_same_and_can_be_typed():
    a, b = Work({}).draw(20, -3, 3), Work({}).draw(20, -3, 3)
    assert a == b and len(set(a)) > 15 and all(-3 <= x <= 3 and round(x, 3) == x for x in a)


def test_comparing():
    work = Work({})
    work.compare((1.0, 2.0 + 1e-7), (1, 2))
    work.compare(1e-14, 0)
    with pytest.raises(Wrong, match="^mine$"):
        work.compare(3.0, 2.0, "other", mistakes=[(4, "not this"), (3, "mine")])
    with pytest.raises(Wrong, match="^other$"):
        work.compare(3.5, 2.0, "other", mistakes=[(4, "not this"), (3, "mine")])
    with pytest.raises(Wrong):
        work.compare((1.0, 2.0), (1.0, 2.0, 3.0))
    with pytest.raises(Wrong):
        work.compare(2.00001, 2.0)


def test_each_component_has_a_scale_of_its_own():
    """A pressure beside a length: what is wrong in the small one shows, what rounding leaves does not."""

    def right(x):
        return (3e7 * x, 2e-3 * math.cos(x), 0.0, math.sin(x))

    def refused(scale=(1, 1, 1, 1), plus=(0, 0, 0, 0), right=right, **options):
        work = Work({"f": lambda x: [scale[k] * r + plus[k] for k, r in enumerate(right(x))]})
        try:
            work.answers("f", [(0.7,), (math.pi,), (2.0,)], right, "no", **options)
        except Wrong as wrong:
            return str(wrong)

    assert not refused(scale=[1 + 1e-9] * 4) and not refused(plus=(0, 1e-10, 1e-9, 1e-10))
    assert refused(scale=(1, 1.01, 1, 1)) == refused(scale=(1, 1, 1, 1.001)) == "no"
    assert not refused(plus=(0, 0, 1e-3, 0)), "what is zero at all inputs has no scale but that of the others"
    assert refused(plus=(0, 0, 1e-3, 0), size=(3e7, 2e-3, 1, 1)) == "no", "unless it is given"
    assert refused(plus=(0, 1e-4, 0, 0)) and not refused(plus=(0, 1e-4, 0, 0), size=(3e7, 1e3, 1, 1))
    work = Work({})
    work.compare((1e6, 5.0 + 1e-7), (1e6, 5.0), size=None, tolerance=1e-7)
    for came in ((1e6, 5.1), (1.001e6, 5.0)):
        with pytest.raises(Wrong):
            work.compare(came, (1e6, 5.0))
