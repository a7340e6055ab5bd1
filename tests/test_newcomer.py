"""The way of a newcomer, walked by the text alone: README, notebook 0, a model, an exercise; and that of a lecturer.

The commands are read from the pages themselves and run one after the other in an empty folder with a space in its name,
as they would be typed. (What `start.py` does in its own environment is tested where it is used: it runs all tests.)
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mistakes import explained
from together import together

from easydyn import Model, tdisp
from easydyn.__main__ import main

ROOT = Path(__file__).resolve().parent.parent
FIRST_MODEL = ROOT / "docs" / "first_model.md"
COURSE = ROOT / "docs" / "course.md"


def commands(page, language="text"):
    """What is to be typed, of all blocks of a page: lines that begin with python; what is said beside them goes."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [re.split(r"\s{2,}", line)[0] for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("python ")]


def python_of(page):
    return "\n".join(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


@pytest.fixture
def empty(tmp_path, monkeypatch):
    """An empty folder, in which one is."""
    folder = tmp_path / "my first steps"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def typed(command, folder, capsys):
    """Run a command of the command line; its status and what it prints."""
    words = shlex.split(command)
    if words[1:3] == ["-m", "easydyn"]:
        status = main(words[3:])
        said = capsys.readouterr()
        return status, said.out + said.err
    done = subprocess.run(
        [sys.executable, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_the_pages_have_commands():
    assert len(commands(ROOT / "README.md")) >= 9
    assert len(commands(FIRST_MODEL)) >= 5 and len(commands(COURSE)) >= 9


def test_the_first_two_commands_are_what_start_understands():
    first = commands(ROOT / "README.md")[:2]
    assert first == ["python start.py demo", "python start.py test"]
    done = subprocess.run(
        [sys.executable, str(ROOT / "start.py"), "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and all(line in done.stdout for line in first)


@pytest.mark.long
def test_every_command_of_the_readme(empty, capsys):
    """In their order; FOLDER is a folder of one's own. An untouched exercise fails, all others succeed."""
    (empty / "FOLDER" / "ada").mkdir(parents=True)
    shutil.copyfile(ROOT / "exercises/solutions/01_frames.py", empty / "FOLDER" / "ada" / "01_frames.py")
    lines = [line for line in commands(ROOT / "README.md") if line.startswith("python -m easydyn")]
    known = {"list", "demo", "figures", "new", "check", "exercise", "grade", "course", "info"}
    assert {shlex.split(line)[3] for line in lines} == known
    main(["exercise", "01", "--start", "."])  # as its own page says
    for line in lines:
        status, said = typed(line, empty, capsys)
        assert (status == 1 and "0 of 4 stages pass" in said) if " exercise " in line else status == 0, (line, said)
    made = {path.suffix for path in empty.rglob("*") if path.is_file()}
    assert made >= {".png", ".html", ".py", ".csv"}


@pytest.mark.long
def test_the_page_of_the_first_model(empty, capsys):
    """Its commands in their order; then its own script, looked at by `check`."""
    *lines, start, check = commands(FIRST_MODEL)
    for line in lines:
        status, said = typed(line, empty, capsys)
        assert status == 0, (line, said)
    assert (empty / "my_model.png").stat().st_size and (empty / "my_model.html").stat().st_size > 40_000
    (empty / "my_model.py").write_text(python_of(FIRST_MODEL), encoding="utf-8")
    status, said = typed(lines[-1], empty, capsys)
    assert status == 0 and "all is well" in said
    assert typed(start, empty, capsys)[0] == 0 and (empty / "01_frames.py").exists()
    status, said = typed(check, empty, capsys)
    assert status == 1 and "`elbow` is still to be written" in said


def changed(text, old, new):
    assert old in text, old
    return text.replace(old, new)


BY_A_STUDENT = {  # what a student writes instead: as in the table of the page
    "a tuple (q,) stands where a symbol belongs": ("x, q = model.coordinates(\"x q\", initial=(0.2, radians(30)))",
        "x, = model.coordinates('x')\nq = model.coordinates('q')\n-q"),
    "body 'bob' has no inertia": ("mass=0.5, inertia=(0, 0, 0)", "mass=0.5"),
    "turns by a constant angle of 90": ("trotz(q)", "trotz(90)"),
    "the initial value of q is 30 rad": ("radians(30)", "30"),
    "the mass matrix is singular": ("trotz(q) * tdisp(0, -l, 0)", "tdisp(0, -l, 0) * trotz(q)"),
    "q is a symbol and no number": ("tdisp(x, 0, 0) * trotz(q) * tdisp(0, -l, 0)",
        "tdisp(x + l * __import__('math').sin(q), 0, 0)"),
    "as functions of math and of numpy want one": ("tdisp(x, 0, 0) * trotz(q) * tdisp(0, -l, 0)",
        "tdisp(x + l * __import__('math').sin(2 * q), 0, 0)"),
    "contains w, which model": ("stiffness=k", "stiffness=__import__('sympy').Symbol('w')"),
}  # fmt: skip


@together("says", BY_A_STUDENT)
def test_mistakes_of_a_student_are_named(says, empty, capsys):
    old, new = BY_A_STUDENT[says]
    before_any_look = python_of(FIRST_MODEL).split("print(bob.T.e)")[0] + "model.simulate(1)\n"
    (empty / "my_model.py").write_text(changed(before_any_look, old, new), encoding="utf-8")
    status, said = typed("python -m easydyn check my_model.py", empty, capsys)
    assert status == 1 and says in said, said
    assert says in FIRST_MODEL.read_text(encoding="utf-8")  # the row of the page


def test_the_exercise_of_the_first_week(empty, capsys):
    """Begun, done wrongly, then rightly; the copied text speaks of the copied file."""
    assert main(["exercise", "01", "--start", "."]) == 0
    script, statement = empty / "01_frames.py", empty / "01_frames.md"
    assert "`01_frames.py`" in statement.read_text("utf-8") and "exercise.py" not in statement.read_text("utf-8")
    assert "01_frames.md says" in script.read_text("utf-8") and "README" not in script.read_text("utf-8")
    untouched = script.read_text("utf-8")
    for answer, says in (
        ("tdisp(0, -L1, 0) * trotz(q1)", "The order of the product"),
        ("trotz(math.radians(q1)) * tdisp(0, -L1, 0)", "You have converted q1 from degrees"),
        ("trotz(q1) tdisp(0, -L1, 0)", "SyntaxError"),
        ("trotz(q1) * tdisp(0, -L1, 0)", "1 of 4 stages pass"),
    ):
        script.write_text(untouched.replace("return ...", f"return {answer}", 1), encoding="utf-8")
        capsys.readouterr()
        assert main(["exercise", "01"]) == 1 and says in capsys.readouterr().out
    shutil.copyfile(ROOT / "exercises/solutions/01_frames.py", script)
    assert main(["exercise", "01"]) == 0 and "Well done" in capsys.readouterr().out


@pytest.mark.long
def test_notebooks_are_made_as_their_page_says(empty, capsys):
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    shutil.copytree(ROOT / "notebooks", empty / "notebooks", ignore=shutil.ignore_patterns("*.ipynb", "__pycache__"))
    page = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    lines = re.findall(r"`(python notebooks/build\.py[^`]*)`", page)
    assert "python notebooks/build.py 00 03" in lines
    status, said = typed("python notebooks/build.py 00 03", empty, capsys)
    assert status == 0, said
    assert sorted(path.name[:2] for path in (empty / "notebooks").glob("*.ipynb")) == ["00", "03"]


@pytest.mark.long
def test_the_way_of_a_lecturer(empty, capsys):
    """The commands of the page for lecturers: a folder graded, an exercise changed, one of one's own."""
    for student, source in (("ada", "solutions/03_contributions.py"), ("bob", "03_contributions/exercise.py")):
        (empty / "submissions" / student).mkdir(parents=True)
        shutil.copyfile(ROOT / "exercises" / source, empty / "submissions" / student / "03_contributions.py")
    lines = commands(COURSE)
    grading = next(line for line in lines if " grade " in line)
    status, said = typed(grading, empty, capsys)
    assert status == 0 and re.search(r"^ada +4/4$", said, re.MULTILINE), said
    table = (empty / "grades.csv").read_text(encoding="utf-8-sig").splitlines()
    assert table[1].startswith("ada,1,1,1,1,4") and "bob,0,0,0,0,0" in table[2]

    # An exercise of ours, changed: its folder copied, a sentence of its check rewritten.
    shutil.copytree(ROOT / "exercises" / "03_contributions", empty / "my_exercises" / "03_contributions")
    status, said = typed(next(line for line in lines if " exercise 03 --exercises" in line), empty, capsys)
    assert status == 1 and "`d_s` is still to be found" in said
    own = lines[lines.index("python -m easydyn exercise --new my_exercises/21_rod") :]
    made, looked, graded = own[:3]
    status, said = typed(made, empty, capsys)
    assert status == 0 and looked in said  # what comes next is proposed
    status, said = typed(looked, empty, capsys)
    assert status == 1 and "--exercises my_exercises --hints" in said
    status, said = typed(looked + " --start .", empty, capsys)
    (proposed,) = [line for line in said.splitlines() if line.startswith("python")]
    (empty / "21_rod.py").write_text(
        "from math import cos, sin\ndef tip(q):\n    return 0.5 * cos(q), 0.5 * sin(q), 0\n"
    )
    status, said = typed(proposed, empty, capsys)
    assert status == 0 and "Well done" in said, said
    shutil.copyfile(empty / "21_rod.py", empty / "submissions" / "bob" / "21_rod.py")
    status, said = typed(graded, empty, capsys)
    assert status == 0 and re.search(r"^student +03 +21$", said, re.MULTILINE), said


# The most frequent mistake of all: declarations always return a tuple.


def declared(use):
    return lambda w: use(Model("comma").coordinates("q"))


test_mistake_is_explained = explained(__file__)


def test_what_is_declared_is_a_tuple_all_the_same():
    model = Model("tuples")
    several = model.coordinates("a b")
    more = several + model.parameters(l=1.0)
    assert isinstance(several, tuple) and several == tuple(several) and repr(several) == "(a, b)"
    assert [str(name) for name in more] == ["a", "b", "l"] and hash(several) == hash(tuple(several))
    a, b = several
    body = model.body("point", tdisp(a, b, 0), mass=1, inertia=(0, 0, 0))
    assert np.shape(model.compile().mass_matrix(0, [0.0, 0.0])) == (2, 2) and body.d[several[0]] is not None
