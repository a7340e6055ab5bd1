"""python -m easydyn grade: whatever a submission does costs its own row only.

Thirty submissions of every kind, in both layouts, and the table that must come of them.
"""

import csv
import os
import sys
import time
from pathlib import Path

import pytest

from easydyn.__main__ import main
from easydyn.course.grading import Limits, grade, memory

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
FIRST = (EXERCISES / "solutions" / "01_frames.py").read_text(encoding="utf-8")
FOURTH = (EXERCISES / "solutions" / "04_dalembert.py").read_text(encoding="utf-8")
UNTOUCHED = (EXERCISES / "01_frames" / "exercise.py").read_text(encoding="utf-8")
ELBOW = "return trotz(q1) * tdisp(0, -L1, 0)"
ANGLE = "return math.atan2(T.R[1, 0], T.R[0, 0])"


def first(*changes, before="", after=""):
    """The solution of exercise 01 with something else in places of it."""
    text = FIRST
    for right, written in changes:
        assert text.count(right) == 1
        text = text.replace(right, written)
    return f"{before}\n{text}\n{after}\n"


def in_angle(line):
    """A mischief in the fourth stage: three have passed."""
    return first((ANGLE, f"import os, sys, time\n    {line}\n    {ANGLE}"))


# what is handed in: file, text, stages passed of 4, words of the remark
MADE = {
    "right": ("01_frames.py", first(), 4, ""),
    "right under another name": ("01_my_work.py", first(), 4, ""),
    "right under its number": ("01.py", first(), 4, ""),
    "right in a folder of its own": ("01_frames/exercise.py", first(), 4, ""),
    "Zoë Müller": ("01_frames.py", first(before="# Zoë"), 4, ""),
    "right and talkative": ("01_frames.py", first(after="print('x' * 10000)"), 4, ""),
    "untouched": ("01_frames.py", UNTOUCHED, 0, "stage 1, unfinished: `elbow` is still to be written"),
    "empty": ("01_frames.py", "", 0, "stage 1, unfinished: There is no `elbow`"),
    "wrong order": ("01_frames.py", first((ELBOW, "return tdisp(0, -L1, 0) * trotz(q1)")), 0, "The order of the"),
    "wrong at last": ("01_frames.py", first((ANGLE, "return 1.0")), 3, "stage 4: "),
    "half": ("01_frames.py", first((ANGLE, "return ...")), 3, "stage 4, unfinished"),
    "syntax": ("01_frames.py", first(before="def x(:"), 0, "Your script stops in line 1, `def x(:`"),
    "not Python": ("01_frames.py", "\x00\x01\xff", 0, "Your script stops"),
    "crash": ("01_frames.py", first(before="1 / 0"), 0, "ZeroDivisionError"),
    "crash inside": ("01_frames.py", in_angle("1 / 0"), 3, "Your function stopped in line"),
    "missing package": ("01_frames.py", first(before="import not_there"), 0, "No module named 'not_there'"),
    "endless": ("01_frames.py", first(before="while True: pass"), 0, "stage 1: stopped after 3 s (a loop"),
    "endless inside": ("01_frames.py", in_angle("while True: pass"), 3, "stage 4: stopped after 3 s"),
    "asleep": ("01_frames.py", first(before="import time; time.sleep(1000)"), 0, "stopped after 3 s"),
    "input": ("01_frames.py", first(before="x = input('x?')"), 0, "Your script waits for input in line 1"),
    "flood": ("01_frames.py", first(before="while True: print('x' * 1000)"), 0, "it printed more than"),
    "flood of errors": (
        "01_frames.py", first(before="import sys\nwhile True: sys.stderr.write('x' * 1000)"), 0, "it printed more than",
    ),
    "sys.exit": ("01_frames.py", first(before="import sys; sys.exit()"), 0, "Your script ends itself in line 1"),
    "os._exit": ("01_frames.py", first(before="import os; os._exit(0)"), 0, "the program ended itself (status 0)"),
    "os._exit inside": ("01_frames.py", in_angle("os._exit(3)"), 3, "stage 4: the program ended itself (status 3)"),
    "writes files": ("01_frames.py", first(before="open('a.txt', 'w').write('x' * 100)"), 4, ""),
    "deletes itself": ("01_frames.py", first(before="import os; os.remove(__file__)"), 4, ""),
    "memory": (
        "01_frames.py", first(before="x = []\nwhile True: x.append(bytearray(10**7))"), 0, "it used more than 600 MB",
    ),
    "leaves a process behind": (
        "01_frames.py",
        first(before="import subprocess, sys\n"
                     "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])"), 4, "",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hand in") / "group A"
    for student, (name, text, _, _) in MADE.items():
        path = folder / student / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="latin-1" if student == "not Python" else "utf-8")
    (folder / "flat_01.py").write_text(first(), encoding="utf-8")  # the other layout
    (folder / "right" / "04_dalembert.py").write_text(FOURTH, encoding="utf-8")
    (folder / "right" / "notes.txt").write_text("not a submission", encoding="utf-8")
    (folder / ".hidden").mkdir()
    return folder


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def table(handed_in, tmp_path_factory):
    output, before = tmp_path_factory.mktemp("out") / "grades.csv", contents(handed_in)
    limits = Limits(time=3.0, output=200_000, memory=600 * 2**20)
    grade(handed_in, output, limits=limits, jobs=2, exercises_folder=EXERCISES)
    assert contents(handed_in) == before, "a submission has changed what was handed in"
    with open(output, encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.mark.long
def test_there_are_thirty(table):
    assert len(table) == 30 and set(table) == {*MADE, "flat"}


@pytest.mark.long
@pytest.mark.parametrize("student", MADE)
def test_row(student, table):
    if student == "memory" and sys.platform == "win32":
        pytest.skip("memory is not watched on Windows")
    row, (_, _, passed, remark) = table[student], MADE[student]
    assert [row[f"01.{k}"] for k in (1, 2, 3, 4)] == ["1"] * passed + ["0"] * (4 - passed), row
    assert remark in row["remarks"] and bool(remark) == bool(row["remarks"]), row["remarks"]


@pytest.mark.long
def test_other_layout_and_several_exercises(table):
    assert [table["flat"][f"01.{k}"] for k in (1, 2, 3, 4)] == ["1"] * 4
    assert [table["right"][f"04.{k}"] for k in range(1, 6)] == ["1"] * 5 and table["right"]["passed"] == "9"
    assert table["flat"]["04.1"] == "" and table["flat"]["passed"] == "4"


def test_on_the_command_line(tmp_path, capsys):
    folder, output = tmp_path / "group", tmp_path / "table.csv"
    for student, text in (("ada", FIRST), ("bob", UNTOUCHED)):
        (folder / student).mkdir(parents=True)
        (folder / student / "01_frames.py").write_text(text, encoding="utf-8")
    words = [
        "grade",
        str(folder),
        "--output",
        str(output),
        "--timeout",
        "30",
        "--jobs",
        "1",
        "--exercises",
        str(EXERCISES),
    ]
    assert main(words) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [line.split() for line in shown[:4]] == [
        ["student", "01"], ["ada", "4/4"], ["bob", "0/4"], ["passed", "by", "1"],
    ]  # fmt: skip
    assert output.read_text(encoding="utf-8-sig").splitlines()[0] == "student,01.1,01.2,01.3,01.4,passed,remarks"


def test_memory_of_a_process():
    if sys.platform == "win32":
        assert memory(os.getpid()) == 0
        return
    before = memory(os.getpid())
    block = bytearray(200 * 2**20)
    block[:: 2**12] = b"x" * len(block[:: 2**12])
    assert before > 10 * 2**20 and 150 * 2**20 < memory(os.getpid()) - before < 300 * 2**20


@pytest.mark.long
def test_nothing_is_left_running(table):
    """What a submission has started ends with it."""
    if not sys.platform.startswith("linux"):
        pytest.skip("processes are looked up in /proc")
    time.sleep(0.2)
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes()
        except OSError:
            continue
        assert b"time.sleep(1000)" not in command, command
