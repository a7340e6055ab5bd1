"""python -m easydyn grade: whatever a submission does costs its own row only.

Thirty submissions of every kind, in both layouts, and the table that must come of them.
"""

import csv
import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from submissions import MORE, ODD, SEED, hostile

from easydyn.__main__ import main
from easydyn.course import check, exercises, find
from easydyn.course.asking import Ended, hear, over, serve
from easydyn.course.asking import here as asking_of
from easydyn.course.grading import Limits, grade
from easydyn.course.intake import hand_in
from easydyn.course.table import remarks_of, shortened
from easydyn.course.walls.jail import WALLS
from easydyn.course.walls.measure import memory, processor_time
from easydyn.course.walls.running import _Clock
from easydyn.course.work import Work, Wrong
from easydyn.errors import InputError

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


# what is handed in: file, text, marks of the four stages ("-": not reached), words of the remark
MADE = {
    "right": ("01_frames.py", first(), "1111", ""),
    "right under another name": ("01_my_work.py", first(), "1111", ""),
    "right under its number": ("01.py", first(), "1111", ""),
    "right in a folder of its own": ("01_frames/exercise.py", first(), "1111", ""),
    "Zoë Müller": ("01_frames.py", first(before="# Zoë"), "1111", ""),
    "right and talkative": ("01_frames.py", first(after="print('x' * 10000)"), "1111", ""),
    "untouched": ("01_frames.py", UNTOUCHED, "0000", "stage 1, unfinished: `elbow` is still to be written"),
    "empty": ("01_frames.py", "", "0000", "stage 1, unfinished: There is no `elbow`"),
    "wrong order": ("01_frames.py", first((ELBOW, "return tdisp(0, -L1, 0) * trotz(q1)")), "0111", "The order of the"),
    "wrong at last": ("01_frames.py", first((ANGLE, "return 1.0")), "1110", "stage 4: "),
    "half": ("01_frames.py", first((ANGLE, "return ...")), "1110", "stage 4, unfinished"),
    "syntax": ("01_frames.py", first(before="def x(:"), "0---", "Your script stops in line 1, `def x(:`"),
    "not Python": ("01_frames.py", "Dear Ada, I could not do it, naïve as I am", "0---", "Your script stops"),
    "crash": ("01_frames.py", first(before="1 / 0"), "0---", "ZeroDivisionError"),
    "crash inside": ("01_frames.py", in_angle("1 / 0"), "1110", "Your function stopped in line"),
    "missing package": ("01_frames.py", first(before="import not_there"), "0---", "No module named 'not_there'"),
    "endless": ("01_frames.py", first(before="while True: pass"), "0---", "stage 1: stopped after 3 s (a loop"),
    "endless inside": ("01_frames.py", in_angle("while True: pass"), "1110", "stage 4: stopped after 3 s"),
    "asleep": ("01_frames.py", first(before="import time; time.sleep(1000)"), "0---", "stopped after 3 s"),
    "input": ("01_frames.py", first(before="x = input('x?')"), "0---", "Your script waits for input in line 1"),
    "flood": ("01_frames.py", first(before="while True: print('x' * 1000)"), "0---", "it printed more than"),
    "flood of errors": (
        "01_frames.py", first(before="import sys\nwhile True: sys.stderr.write('x' * 1000)"), "0---",
        "it printed more than",
    ),
    "sys.exit": ("01_frames.py", first(before="import sys; sys.exit()"), "0---", "Your script ends itself in line 1"),
    "os._exit": ("01_frames.py", first(before="import os; os._exit(0)"), "0---", "the program ended itself (status 0)"),
    "os._exit inside": ("01_frames.py", in_angle("os._exit(3)"), "1110", "stage 4: the program ended itself (status 3"),
    "writes files": ("01_frames.py", first(before="open('a.txt', 'w').write('x' * 100)"), "1111", ""),
    "deletes itself": ("01_frames.py", first(before="import os; os.remove(__file__)"), "1111", ""),
    "wrong and endless": (
        "01_frames.py", first((ELBOW, "return 1.0"), (ANGLE, "while True: pass")), "0110", "stage 4: stopped after 3 s",
    ),
    "memory": (
        "01_frames.py", first(before="x = []\nwhile True: x.append(bytearray(10**7))"), "0---",
        "it used more than 600 MB",
    ),
    "leaves a process behind": (
        "01_frames.py",
        first(before="import subprocess, sys\n"
                     "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(1000)'])"), "1111", "",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hand in") / "group A"
    for student, (name, text, _, _) in MADE.items():
        path = folder / student / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
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
    grade(handed_in, output, limits=limits, jobs=2, exercises_folder=EXERCISES, seed=SEED)
    assert contents(handed_in) == before, "a submission has changed what was handed in"
    with open(output, encoding="utf-8-sig", newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


@pytest.mark.long
def test_there_are_thirty(table):
    assert len(table) == 31 and set(table) == {*MADE, "flat"}


@pytest.mark.long
@pytest.mark.parametrize("student", MADE)
def test_row(student, table):
    if student == "memory" and sys.platform == "win32":
        pytest.skip("memory is not watched on Windows")
    row, (_, _, marks, remark) = table[student], MADE[student]
    assert "".join(row[f"01.{k}"] or "-" for k in (1, 2, 3, 4)) == marks, row
    assert remark in row["remarks"] and bool(remark) == bool(row["remarks"]), row["remarks"]


@pytest.mark.long
def test_other_layout_and_several_exercises(table):
    assert [table["flat"][f"01.{k}"] for k in (1, 2, 3, 4)] == ["1"] * 4
    assert [table["right"][f"04.{k}"] for k in range(1, 6)] == ["1"] * 5 and table["right"]["passed"] == "9"
    assert table["flat"]["04.1"] == "" and table["flat"]["passed"] == "4"


@pytest.mark.long
def test_on_the_command_line(tmp_path, capsys):
    """With a student who looks for his neighbour's work, and does not find it where the system has walls."""
    folder, output = tmp_path / "group", tmp_path / "table.csv"
    (thief,) = (one.text for one in HOSTILE if one.name == "a neighbour's work is taken")
    thief = (
        thief.replace("{SUBMISSIONS}", folder.as_posix())
        if sys.platform.startswith("linux")
        else first(("return hand(q1, q2).inv() * point", "return ..."))
    )
    for student, text in (("ada", FIRST), ("bob", thief)):
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
        "--seed",
        str(SEED),
        "--exercises",
        str(EXERCISES),
    ]
    assert main(words) == 0
    said = capsys.readouterr()
    shown = said.out.splitlines()
    *before, one, two = said.err.splitlines()
    assert all(line.startswith(("walls: ", "memory: ")) for line in before), "what this machine does not promise"
    assert [line.split() for line in (one, two)] == [
        ["1", "of", "2:", "ada,", "01:", "4", "of", "4"], ["2", "of", "2:", "bob,", "01:", "2", "of", "4"],
    ]  # fmt: skip
    assert shown[-1].startswith("2 shut in by") or not sys.platform.startswith("linux")
    assert [line.split() for line in shown[:4]] == [
        ["student", "01"], ["ada", "4/4"], ["bob", "2/4"], ["passed", "by", "1"],
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


def test_time_is_that_of_the_processor():
    """On a busy machine a submission waits, and is not ended for that; what sleeps is."""

    def ends(*seen, limit=3.0):
        clock = _Clock(limit)
        return next(((now, said) for now, mine, check in seen if (said := clock.over(10.0, now, (mine, check)))), None)

    busy = [(10 + k, 0.4 + k / 4, 1.0) for k in range(100)]  # a quarter of a processor
    assert ends(*busy) == (23, "stopped after 3 s (a loop without end?)")
    assert ends(*[(10 + k / 10, 0.4, 1.0) for k in range(100)])[1].startswith("stopped after 3 s in which nothing")
    assert ends(*[(10 + k, 0.4 + k / 1000, 1.0) for k in range(100)])[1].startswith("stopped after 35 s by the clock")
    assert ends(*[(10 + k, 0.4, 1.0 + k) for k in range(100)])[1].startswith("stopped: its answers take more than 20 s")
    assert ends(*[(10 + k, None, None) for k in range(100)]) == (14, "stopped after 3 s (a loop without end?)")
    assert ends(*[(10 + k / 10, 0.4 + k / 20, 1.0) for k in range(50)]) is None


def test_processor_time_counts_children_that_have_ended():
    if not sys.platform.startswith("linux"):
        assert processor_time(os.getpid()) is None
        return
    before = processor_time(os.getpid())
    subprocess.run([sys.executable, "-c", "for k in range(5_000_000): pass"], check=True)
    assert processor_time(os.getpid()) > before + 0.05 and processor_time(2**22 + 1) == 0


def test_what_is_lent_passes_no_stage_of_its_own_and_does_not_stay():
    """In a notebook the names are those that functions find: right results stand there during the check alone."""
    wrong = "def elbow(q1):\n    return elbow(q1)\n" + FIRST[FIRST.index("def hand") :]
    names = {"__name__": "__main__"}
    exec(FIRST[: FIRST.index("def elbow")] + wrong, names)
    own = names["elbow"]
    found = check(find(1), names)
    assert found.marks == (False, True, True, True) and names["elbow"] is own
    assert check(find(1), names).marks == found.marks

    def each(stage, wrong):
        if stage == 2:
            assert names["elbow"] is not own
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(find(1), names, each=each)
    assert names["elbow"] is own

    asking = asking_of(names, {})
    asking.mend({"elbow": lambda q1: 1.0})
    assert names["elbow"](0) == 1.0 and Work(asking).value("elbow").is_a(type(own))
    asking.mend({})
    with pytest.raises(Wrong, match="recursion"):
        Work(asking).call("elbow", 0.5)


def test_an_error_of_what_is_handed_over_is_found_by_the_lines_that_call_it(tmp_path):
    """At home as over pipes: whoever expects it goes on, and the check goes on in any case."""
    text = "def careful(f):\n    try:\n        return f(0.0)\n    except Exception:\n        return 7.0\n"
    (tmp_path / "x.py").write_text(text + "def careless(f):\n    return f(0.0)\n", encoding="utf-8")
    questions, answers = ([os.fdopen(fd, mode) for fd, mode in zip(os.pipe(), ("rb", "wb"))] for _ in range(2))
    side = threading.Thread(target=lambda: pytest.raises(Ended, serve, questions[0], answers[1], {}, ""))
    side.start()
    assert hear(answers[0])["ready"]
    for asking in (over(questions[1], answers[0]), asking_of({}, {})):
        asking.ask("load", None, str(tmp_path / "x.py"))
        work = Work(asking)
        assert work.call("careful", lambda x: 1 / x) == 7.0
        with pytest.raises(Wrong, match="division by zero"):
            work.call("careless", lambda x: 1 / x)
    questions[1].close()
    side.join()
    for stream in (questions[0], *answers):
        stream.close()


def commands_of_processes():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_bytes()
        except OSError:
            continue


@pytest.mark.long
def test_nothing_is_left_running(table):
    """What a submission has started ends with it."""
    if not sys.platform.startswith("linux"):
        pytest.skip("processes are looked up in /proc")
    time.sleep(0.2)
    assert not [command for command in commands_of_processes() if b"time.sleep(1000)" in command]


# -- hostile submissions ----------------------------------------------------------------------------------------------

HOSTILE = list(hostile())


def state(*folders):
    """Every file there, with its contents, rights and date."""
    found = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                about = path.stat()
                with path.open("rb") as file:
                    digest = hashlib.sha256(file.read(2**25)).hexdigest()
                found[path] = (digest, about.st_mode, about.st_mtime_ns, about.st_nlink)
    return found


ATTACKS = [one for one in HOSTILE if one.number == "01"]  # others do nothing but answer what is not so


def rows_of(table):
    with open(table, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def undeserved(rows, hostile):
    """The rows of submissions that are not as they should be."""
    by = {row["student"]: row for row in rows}
    return [
        f"{one.name}: {row['passed']}, {row['remarks']}"
        for one, row in ((one, by[one.name]) for one in hostile)
        if (int(row["passed"]), bool(row["remarks"])) != (one.passed, bool(one.remark))
        or one.remark not in row["remarks"]
        or len(row["remarks"]) > 320
        or not row["remarks"].isprintable()
    ]


@pytest.fixture(scope="module", params=WALLS[:2])
def attacked(request, tmp_path_factory):
    """The rows of the table, and who was called: everybody attacks a neighbour who has done his work."""
    walls = request.param
    if not sys.platform.startswith("linux"):
        pytest.skip("there are no walls")
    place = tmp_path_factory.mktemp("attacked")
    folder, output, calls = place / "class", place / "out" / "grades.csv", []
    output.parent.mkdir()
    server = socket.create_server(("127.0.0.1", 0))

    def listen():
        while True:
            try:
                calls.append(server.accept()[1])
            except OSError:
                return

    threading.Thread(target=listen, daemon=True).start()
    (folder / "victim").mkdir(parents=True)
    (folder / "victim" / "01_frames.py").write_text(FIRST, encoding="utf-8")
    told = {"SUBMISSIONS": folder, "EXERCISES": EXERCISES, "OUTPUT": output, "PORT": server.getsockname()[1]}
    for one in ATTACKS:
        one.write(folder, **told)
    kept = (folder, EXERCISES, ROOT / "easydyn" / "course")
    os.environ["SECRET_OF_THE_LECTURER"] = "a pass word"
    pace = os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0)
    before, packages = state(*kept), sorted(os.listdir(Path(pytest.__file__).parent.parent))
    try:
        limits = Limits(time=3.0, output=200_000, memory=600 * 2**20)
        grade(folder, output, limits=limits, exercises_folder=EXERCISES, walls=walls, seed=SEED)
        rows = rows_of(output)
    except InputError as error:  # they are never let loose without walls
        pytest.skip(str(error))
    finally:
        del os.environ["SECRET_OF_THE_LECTURER"]
        server.close()
    assert pace == (os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(os.PRIO_PROCESS, 0))
    assert state(*kept) == before, "a submission has changed what is not its own"
    assert sorted(os.listdir(Path(pytest.__file__).parent.parent)) == packages
    return rows, calls, walls


def test_there_are_two_dozen():
    assert len({one.name for one in HOSTILE}) == len(HOSTILE) >= 24


@pytest.mark.long
def test_hostile_submissions_get_what_they_deserve(attacked):
    rows, calls, _ = attacked
    assert not calls and sorted(row["student"] for row in rows) == sorted([one.name for one in ATTACKS] + ["victim"])
    (victim,) = (row for row in rows if row["student"] == "victim")
    assert victim["passed"] == "4" and not victim["remarks"]
    wrong = undeserved(rows, ATTACKS)
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_forged_runs_gain_nothing(tmp_path):
    """Models and runs that say what is not so: stages of six exercises that ask for a run or for what a model does."""
    forgers = [one for one in HOSTILE if one.number != "01"]
    assert {one.number for one in forgers} >= {"06", "07", "12", "20", "31", "32"}
    for one in forgers:
        one.write(tmp_path / "class")
    grade(tmp_path / "class", tmp_path / "t.csv", exercises_folder=EXERCISES, seed=SEED)
    wrong = undeserved(rows_of(tmp_path / "t.csv"), forgers)
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_no_hostile_process_is_left(attacked):
    time.sleep(0.2)
    assert not [command for command in commands_of_processes() if b"time.sleep(1234)" in command]


@pytest.mark.long
def test_cheats_work_where_there_are_no_walls(tmp_path):
    """The tests above can fail: those that only read come further where nothing keeps them from it."""
    readers = [one for one in HOSTILE if one.name in ("the solution is run", "a neighbour's work is taken")]
    assert len(readers) == 2
    for one in readers:
        one.write(tmp_path / "class", SUBMISSIONS=tmp_path / "class", EXERCISES=EXERCISES, OUTPUT="", PORT=1)
    (tmp_path / "class" / "victim").mkdir()
    (tmp_path / "class" / "victim" / "01_frames.py").write_text(FIRST, encoding="utf-8")
    grades = grade(tmp_path / "class", exercises_folder=EXERCISES, walls="limits", seed=SEED)
    assert [found.passed for found in grades] == [3, 3, 4] and {found.walls for found in grades} == {"limits"}


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there are no copies")
def test_without_the_process_that_makes_copies(tmp_path, monkeypatch):
    """Where it is gone each submission is started anew, and gets what it deserves."""
    from easydyn.course import grading

    class Gone(grading.Nursery):
        def __init__(self):
            super().__init__()
            self.process.kill()

    monkeypatch.setattr(grading, "Nursery", Gone)
    found = grade(class_of(tmp_path / "class", ada=FIRST, bob=UNTOUCHED), exercises_folder=EXERCISES, seed=SEED)
    assert [one.passed for one in found] == [4, 0]


# -- odd submissions --------------------------------------------------------------------------------------------------


def here(odd):
    """Those that can be handed in on this system."""
    return [one for one in odd if sys.platform in one.fits]


def test_nobody_is_lost(tmp_path):
    """Everything is taken, or listed with the reason; nothing runs for that."""
    odd = here(ODD + MORE)
    for one in odd:
        one.write(tmp_path)
    (tmp_path / "notes.txt").write_text("of the lecturer")
    before = state(tmp_path)
    found = hand_in(tmp_path, exercises(EXERCISES))
    assert len(odd) >= 80 and found.students == {one.student for one in odd}
    assert [name.partition(" ")[0] for name in found.others] == ["notes.txt"]
    for one in odd:
        assert ((one.student, "01") in found.taken) == (one.passed is not None), one.student
        said = "; ".join(remarks_of(one.student, [], found)).replace("01, not graded yet", "")
        if one.passed != 0:
            assert one.said in said and bool(one.said) == bool(said), (one.student, said)
    assert state(tmp_path) == before


@pytest.mark.long
def test_odd_submissions_are_graded(tmp_path):
    odd = [one for one in here(ODD + MORE) if one.passed is not None]
    for one in odd:
        one.write(tmp_path / "class")
    output = tmp_path / "grades.csv"
    grade(tmp_path / "class", output, exercises_folder=EXERCISES, limits=Limits(time=20), seed=SEED)
    with open(output, encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(odd)
    by = {row["student"].removeprefix("'"): row for row in rows}
    for one in odd:
        row = by[shortened(one.student)]
        assert (int(row["passed"]), one.said in row["remarks"]) == (one.passed, True), row


# -- the table is always whole ----------------------------------------------------------------------------------------


def class_of(folder, **texts):
    for student, text in texts.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "01_frames.py").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.long
def test_a_grading_that_was_interrupted_goes_on(tmp_path, monkeypatch):
    """What was graded stands in the table; the rest is graded when it is resumed, with the same inputs."""
    from easydyn.course import grading

    folder, output, ran = class_of(tmp_path / "class", ada=FIRST, bob=UNTOUCHED, eve=FIRST), tmp_path / "t.csv", []

    def run(submission, limits, seed, *more):
        ran.append((submission.student, seed))
        if submission.student == "bob" and len(ran) < 3:
            raise KeyboardInterrupt
        found = [{"stages": 4, "walls": "limits"}, *({"stage": k, "passed": True} for k in (1, 2, 3, 4))]
        return grading.Outcome([*found, {"remark": "", "unfinished": False}], "", 0, "limits")

    monkeypatch.setattr(grading, "run", run)
    with pytest.raises(KeyboardInterrupt):
        grade(folder, output, jobs=1, exercises_folder=EXERCISES)
    rows = output.read_text(encoding="utf-8-sig").splitlines()
    assert len(rows) == 4 and rows[1] == "ada,1,1,1,1,4," and 'bob,,,,,0,"01, not graded yet"' in rows[2]
    (tmp_path / "class" / "eve" / "01_frames.py").write_text("# changed\n", encoding="utf-8")
    done = grade(folder, output, jobs=1, exercises_folder=EXERCISES, resume=True)
    assert [found.passed for found in done] == [4, 4, 4] and len({seed for _, seed in ran}) == 1
    assert [student for student, _ in ran].count("ada") == 1, "what was graded is not graded again"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["class", "t.csv"]


@pytest.mark.long
def test_one_that_cannot_be_graded_costs_its_own_row(tmp_path, monkeypatch):
    from easydyn.course import grading

    folder, output = class_of(tmp_path / "class", ada=FIRST, bob=FIRST), tmp_path / "t.csv"

    def run(submission, *more):
        if submission.student == "ada":
            (folder / "bob" / "01_frames.py").write_text("destroyed", encoding="utf-8")
            raise OSError(28, "No space left on device")
        return grading.Outcome([{"stages": 4, "walls": ""}, {"remark": "no", "unfinished": False}], "", 0, "")

    monkeypatch.setattr(grading, "run", run)
    grade(folder, output, jobs=1, exercises_folder=EXERCISES)
    rows = output.read_text(encoding="utf-8-sig").splitlines()
    assert "could not be graded (OSError" in rows[1] and "stage 1: no" in rows[2]
    assert "01, changed while it was graded" in rows[2] and "changed" not in rows[1]
    assert (folder / "bob" / "01_frames.py").read_text(encoding="utf-8") == "destroyed", "it may be a newer one"


WITHOUT_NAMESPACES = """
import sys
from easydyn.course import grading
from easydyn.course.walls import jail
libc = jail.Libc()
libc("prctl", 38, 1, 0, 0, 0)
assert jail.forbid(libc, alone=True, version=0)
grading.there = lambda: list(jail.WALLS)
print(*grading.grade("class", exercises_folder=sys.argv[1], walls="namespaces"), sep="\\n")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there are no namespaces")
@pytest.mark.long
def test_a_submission_that_does_not_get_its_walls_does_not_begin(tmp_path):
    """Never behind lesser walls than the lecturer was told; and it is no fault of the student's."""
    class_of(tmp_path / "class", ada=FIRST)
    words = [sys.executable, "-c", WITHOUT_NAMESPACES, str(EXERCISES)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "marks=(None, None, None, None), remark='did not begin (status 1): is easydyn installed?'" in done.stdout


@pytest.mark.long
def test_results_for_gradescope(tmp_path, monkeypatch):
    from easydyn.course import grading

    def run(submission, *more):
        found = [{"stages": 4, "walls": ""}, {"stage": 1, "passed": True}, {"stage": 2, "passed": False}]
        return grading.Outcome([*found, {"remark": "the \x1b sign" + "!" * 999, "unfinished": False}], "", 0, "")

    monkeypatch.setattr(grading, "run", run)
    folder, results = tmp_path / "submission", tmp_path / "results.json"
    folder.mkdir()
    (folder / "frames.py").write_text(FIRST, encoding="utf-8")
    (folder / "essay.docx").write_bytes(b"PK")
    grade(folder, gradescope=results)
    told = json.loads(results.read_text(encoding="utf-8"))
    assert told["score"] == 1 and [(x["score"], x["max_score"]) for x in told["tests"]] == [
        (1, 1),
        (0, 1),
        (0, 1),
        (0, 1),
    ]
    assert told["tests"][1]["name"] == "01.2 The frame of the hand" and "the ? sign" in told["tests"][1]["output"]
    assert max(len(x["output"]) for x in told["tests"]) <= 310 and "essay.docx" in told["output"]
