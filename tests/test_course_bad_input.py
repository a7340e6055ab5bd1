"""Mistakes with the course, and what is said of them; in the manner of test_bad_input.py."""

import shutil
from pathlib import Path

import pytest
from mistakes import Mistake, explained
from together import together

import easydyn
from easydyn.__main__ import parsed
from easydyn.course import Limits, Work, Wrong, catalogue, check, commands, exercises, find, grade
from easydyn.course.handout import hand_out, write_solutions
from easydyn.course.template import write_exercise
from easydyn.errors import FileError, InputError, UnknownNameError

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


MISTAKES = [
    Mistake("exercise that does not exist", UnknownNameError, lambda w: exercise("99"),
            "there is no exercise", r"there is no exercise '99': expected one of 01_frames, 02_"),
    Mistake("exercise of another name", UnknownNameError, lambda w: exercise("frames"),
            "there is no exercise", r"there is no exercise 'frames': expected one of 01_frames"),
    Mistake("folder without exercises", FileError, lambda w: exercises(w.folder / "nowhere"),
            "there are no exercises in", r"there are no exercises in '.*nowhere': expected folders such as 01_frames"),
    Mistake("check without stages", FileError, without_stages,
            "has no stage", r"check.py' has no stage: expected functions under @stage"),
    Mistake("names that are a list", InputError, lambda w: exercise(names=["q"]),
            "expected globals(), your names", r"exercise\('01', ...\) got list: expected globals\(\), your names"),
    Mistake("hints that are a word", InputError, lambda w: exercise(hints="all"),
            "expected a whole number of", r"hints is 'all': expected a whole number of 0 or more"),
    Mistake("number of hints below zero", InputError,
            lambda w: commands.exercise(parsed(["exercise", "01", "--hints", "-1"])),
            "expected a whole number of", r"hints is -1: expected a whole number of 0 or more"),
    Mistake("script of an exercise that is not there", FileError,
            lambda w: catalogue.work_file(find(1, EXERCISES), str(w.folder / "mine.py")),
            "there is no file", r"there is no file '.*mine.py': expected your script of exercise 01"),
    Mistake("exercise that was not begun", FileError, installed,
            "in this folder: begin with", r"there is no '01_frames.py' in this folder: begin with .* 01 --start"),
    Mistake("exercise begun twice", FileError,
            lambda w: twice(lambda: catalogue.start(find(1, EXERCISES), w.folder / "my work")),
            "exists already", r"01_frames.py' exists already: it may be your work, nothing was changed"),
    Mistake("exercise begun in a file", FileError, lambda w: catalogue.start(find(1, EXERCISES), Path(__file__)),
            "cannot write", r"cannot write '.*test_course_bad_input.py': .* Choose another folder"),
    Mistake("new exercise without a number", FileError, lambda w: write_exercise(w.folder / "mine"),
            "is not called NN_name", r"mine' is not called NN_name: expected two digits and a word"),
    Mistake("new exercise that exists", FileError,
            lambda w: twice(lambda: write_exercise(w.folder / "22_new")),
            "exists already", r"22_new' exists already: choose another name, nothing was changed"),
    Mistake("new exercise in a file", FileError, lambda w: write_exercise(Path(__file__) / "23_new"),
            "cannot write", r"cannot write '.*23_new': .* Choose another folder"),
    Mistake("submissions that are nowhere", FileError, lambda w: grade(w.folder / "nobody"),
            "expected the submissions", r"there is no folder '.*nobody': expected the submissions, a folder for each"),
    Mistake("nobody has handed in anything", FileError, lambda w: grade(submissions(w, "notes.txt", "99_x.py")),
            "there are no submissions in", r"there are no submissions in '.*': expected student/NN_name.py or"),
    Mistake("grading in a browser", InputError, in_a_browser,
            "there are none where Python runs in a browser", r"grading runs each submission in a process of its own"),
    Mistake("a course of nothing", InputError, lambda w: commands.course(parsed(["course"])),
            "nothing is asked for", r"nothing is asked for: expected the folder that students are to get, --solutions"),
    Mistake("solutions of an installation", FileError, lambda w: write_solutions(w.folder / "s.zip", [alone(w)]),
            "there is no solution", r"there is no solution '.*01_frames.py': expected exercises with solutions beside"),
    Mistake("a course that exists", FileError, lambda w: hand_out(w.folder, [find(1, EXERCISES)]),
            "exists already", r"exists already: choose another name, nothing was changed"),
    Mistake("walls of another name", InputError, lambda w: grade(submissions(w, "01.py"), walls="bricks"),
            "or none, for the strongest", r"walls is 'bricks': expected one of namespaces, landlock, limits; or none"),
    Mistake("walls that this machine has not", InputError, without_namespaces,
            "here for this user: expected one of", r"there are no namespaces here for this user: expected .* limits"),
    Mistake("to resume without a table", InputError, lambda w: grade(submissions(w, "01.py"), resume=True),
            "resume goes on from what stands beside the table", r"beside the table: name the table, output=\.\.\."),
    Mistake("to resume with another seed", InputError, another_seed,
            "what is to be resumed was begun with the seed", r"was begun with the seed 5, not 6: leave the seed out"),
    Mistake("table that cannot be written", FileError,
            lambda w: grade(submissions(w, "01.py"), w.folder / "none" / "grades.csv"),
            "cannot write", r"cannot write '.*grades.csv': .* Choose another folder"),
    Mistake("jobs that are none", InputError, lambda w: grade(submissions(w, "01.py"), jobs=0),
            "expected a whole number above zero", r"jobs is 0: expected a whole number above zero"),
    Mistake("no time at all", InputError, lambda w: grade(submissions(w, "01.py"), limits=Limits(time=0)),
            "expected a number above zero", r"the time limit is 0.*: expected a number above zero"),
]  # fmt: skip

test_mistake_is_explained = explained(MISTAKES)


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
