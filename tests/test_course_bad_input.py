"""Mistakes with the course, and what is said of them; in the manner of test_bad_input.py."""

import shutil
from pathlib import Path

import pytest
from mistakes import explained
from together import together

import easydyn
from easydyn.__main__ import parsed  # noqa: F401  in mistakes.txt
from easydyn.course import Limits, Work, Wrong, catalogue, check, commands, exercises, find, grade  # noqa: F401  in mistakes.txt
from easydyn.course.handout import hand_out, write_exercise, write_solutions  # noqa: F401  in mistakes.txt

EXERCISES = Path(__file__).resolve().parent.parent / "exercises"


def exercise(number="01", names=None, **options):
    easydyn.exercise(number, {} if names is None else names, folder=EXERCISES, **options)


def submissions(w, *names):
    """A folder of the submissions of one student, empty files."""
    folder = w.folder / f"group of {len(names)}"
    (folder / "ada").mkdir(parents=True, exist_ok=True)
    for name in names:
        (folder / "ada" / name).touch()
    return folder


def without_stages(w):
    (path,) = [p for p in write_exercise(w.folder / "21_empty") if p.name == "check.py"]
    path.write_text("")
    return find(21, w.folder).stages


def installed(w):
    """As if the exercises were in the package, where nobody works."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "HERE", EXERCISES)
        patch.chdir(w.folder)
        catalogue.work_file(find(1, EXERCISES))


def in_a_browser(w):
    """As if Python had been compiled for the browser."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.platform", "emscripten")
        grade(submissions(w, "01.py"))


def without_namespaces(w):
    """As if this were a machine that has nothing but limits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.platform", "win32")
        grade(submissions(w, "01.py"), walls="namespaces")


def alone(w):
    """An exercise as it is installed, without solutions beside it."""
    shutil.copytree(find(1, EXERCISES).folder, w.folder / "installed" / "01_frames")
    return find(1, w.folder / "installed")


def another_seed(w):
    (w.folder / "interrupted.csv.progress").write_text('{"seed": 5}\n')
    grade(submissions(w, "01.py"), w.folder / "interrupted.csv", resume=True, seed=6)


def twice(function):
    function()
    function()


test_mistake_is_explained = explained(__file__)


def script(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text(text, encoding="utf-8")
    return path


STUMBLES = [
    ("def elbow(q1):\n    return 1 / 0", "Your function stopped in line 2, `return 1 / 0`: division by zero"),
    ("def elbow(q1):\n    q1 * 2", "Your function returns nothing: does it end with `return ...`"),
    ("def elbow(q1):\n    return q1 * ...", "There is still a `...` to be replaced in line 2"),
    ("def elbow():\n    return 1", "`elbow` takes another number of arguments: keep the line `def elbow(...):`"),
    ("elbow = 3", "`elbow` is no longer a function: keep the line `def elbow(...):`"),
    ("def elbow(q1):\n    return 'here'", "Your answer is not made of real numbers"),
    ("def elbow(q1):\n    return (1, 2)", "Your answer has another shape: 2 numbers"),
    ("def elbow(q1):\n    return [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1]]", "Your answer is not made of real numbers"),
    (
        "import sympy\ndef elbow(q1):\n    return sympy.Symbol('x') * sympy.eye(4)",
        "still contains `x`: it is asked for",
    ),
    ("import numpy\ndef elbow(q1):\n    return 2 * numpy.eye(4)", "This is not the matrix of a frame"),
    ("import numpy\ndef elbow(q1):\n    return numpy.nan * numpy.eye(4)", "Your answer is not finite"),
    ("import numpy\ndef elbow(q1):\n    return 1j * numpy.eye(4)", "Your answer is imaginary"),
    ("from easydyn import trotz\ndef elbow(q1):\n    return trotz('90')", "Your function stopped in line 3"),
    ("x = [1\ndef", "Your script stops in line 1"),
    ("raise ValueError('why')", "Your script stops in line 1, `raise ValueError('why')`: ValueError: why"),
    ("exit()", "Your script ends itself in line 1, `exit()`: take out"),
]


@together(("text", "said"), STUMBLES, ids=lambda text: text[:30].replace("\n", " "))
def test_what_python_would_say_is_said_kindly(text, said, tmp_path):
    report = check(find(1, EXERCISES), script(tmp_path, text))
    assert report.passed == 0 and said in str(report.wrong), report.text()
    assert "Traceback" not in report.text()


def test_a_check_that_stumbles_says_so(tmp_path):
    folder = tmp_path / "24_odd"
    write_exercise(folder)
    (folder / "check.py").write_text(
        "from easydyn.course import stage\n@stage('odd')\ndef odd(work):\n    work.value('tip').odd\n"
    )
    report = check(find(24, tmp_path), {"tip": 3})
    assert "The check itself stumbled over your answer (AttributeError: 'int'" in str(report.wrong)
    assert isinstance(report.wrong, Wrong) and "tip" in report.text()


def test_rows_and_columns_exchanged_are_told():
    """They are not put in order: a transposed answer would be compared number by number with others."""
    rows = [[1, 2, 3], [4, 5, 6]]
    assert Work({}).array(rows, (2, 3)).tolist() == rows
    assert Work({}).array([[1], [2], [3]], (3,)).tolist() == [1, 2, 3]  # a column is as good as a list
    with pytest.raises(Wrong, match="Rows and columns of your answer are exchanged"):
        Work({}).array([[1, 4], [2, 5], [3, 6]], (2, 3))
    with pytest.raises(Wrong, match="another shape: 6 numbers"):
        Work({}).array([1, 2, 3, 4, 5, 6], (2, 3))
