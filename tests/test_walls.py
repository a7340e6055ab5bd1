"""The walls around submissions: 130 attacks behind each of them, right answers in unusual forms, and the intake."""

import csv
import errno
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy
import pytest
from submissions import ALL, BREAKING, EXERCISES, SEED, attacks, blocks, others, right_forms
from test_grading import rows_of, state, undeserved
from together import together

import easydyn
from easydyn.course import exercises, intake
from easydyn.course.grading import Limits, grade
from easydyn.course.intake import Intake, Submission, hand_in
from easydyn.course.table import Grade, defused, write_table
from easydyn.course.walls import WALLS, measure, running
from easydyn.errors import FileError, InputError, MissingDependencyError

ATTACKS = [*attacks(), *others()]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there are no walls")


def write_class(folder, **texts):
    for student, text in texts.items():
        (folder / student).mkdir(parents=True)
        (folder / student / "01_frames.py").write_text(text, encoding="utf-8")
    return folder


# -- intake -----------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_what_breaks_a_reader_costs_its_own_row(tmp_path):
    """Each beside a right hand-in: refused by name or read, within the limits, and the others are taken."""
    for name, (file, make, _) in BREAKING.items():
        data = make()
        (tmp_path / name).mkdir()
        for k in range(60 if "{}" in file else 1):
            (tmp_path / name / file.format(k)).write_bytes(data.encode() if isinstance(data, str) else data)
        write_class(tmp_path, **{f"{name}, beside": ALL})
    start = time.monotonic()
    found = hand_in(tmp_path, exercises(EXERCISES))
    assert time.monotonic() - start < 60
    for name, (*_, said) in BREAKING.items():
        assert found.taken[f"{name}, beside", "01"].source.decode() == ALL
        assert said in "; ".join(found.refused.get(name, []))
        assert bool(said) != ((name, "01") in found.taken)


@pytest.mark.long
def test_a_student_whose_files_end_their_reader_is_refused(tmp_path, monkeypatch):
    """Whatever ends it: the next one is read by another process; what takes too long is ended."""
    text = Path(intake.reading.__file__).read_text(encoding="utf-8")
    assert (start := "        print(json.dumps(Reading(") in text
    broken = '        os._exit(9) if "bad" in str(sources) else time.sleep(60 * ("slow" in str(sources)))\n' + start
    (tmp_path / "reader.py").write_text(text.replace(start, broken), encoding="utf-8")
    monkeypatch.setattr(intake.reading, "__file__", str(tmp_path / "reader.py"))
    monkeypatch.setattr(intake, "PATIENCE", 2.0)
    found = hand_in(write_class(tmp_path / "class", ada=ALL, bad=ALL, eve=ALL, slow=ALL, zoe=ALL), exercises(EXERCISES))
    assert sorted(student for student, _ in found.taken) == ["ada", "eve", "zoe"]
    assert found.refused == {name: [found.refused["bad"][0]] for name in ("bad", "slow")}
    assert found.refused["bad"][0].startswith("not taken: all of it (to read it takes more than 10 s")


# -- attacks ----------------------------------------------------------------------------------------------------------


def devices():
    return [(about.st_mode, about.st_uid) for about in map(os.stat, ("/dev/null", "/dev/zero", "/dev/urandom"))]


@LINUX
@pytest.mark.long
@pytest.mark.parametrize("walls", WALLS[:2])
def test_attacks_are_held(walls, tmp_path, monkeypatch):
    """Nothing outside of a room changes, nobody else's marks change, nothing is left; also as root.

    Where a control group is lent none holds a tenth more than its limit of memory, by what the kernel has counted.
    """
    monkeypatch.setattr(running, "CHECK", 10.0)  # s, which what waits without end has more by the clock
    most, close = [], measure.Group.close

    def counted(group):
        for name in ("memory.peak", "memory.max_usage_in_bytes") if group.path is not None else ():
            with suppress(FileNotFoundError):
                most.append(int((group.path / name).read_text()))
        close(group)

    monkeypatch.setattr(measure.Group, "close", counted)
    folder, output, rooms = tmp_path / "class", tmp_path / "out" / "grades.csv", tmp_path / "rooms"
    for path in (output.parent, rooms):
        path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(rooms))
    write_class(folder, victim=ALL)
    calls, servers = [], [socket.create_server(("127.0.0.1", 0)), *(socket.socket(socket.AF_UNIX) for k in range(2))]
    port = servers[0].getsockname()[1]
    for server, name in zip(servers[1:], (f"\0easydyn-{port}", f"{output}.socket"), strict=True):
        server.bind(name)
        server.listen()
    for server in servers:
        threading.Thread(target=lambda server=server: calls.append(server.accept()), daemon=True).start()
    for one in ATTACKS:
        one.write(folder, SUBMISSIONS=folder, EXERCISES=EXERCISES, OUTPUT=output, PORT=port)
    packages = Path(numpy.__file__).parent
    kept = folder, EXERCISES, Path(easydyn.__file__).parent / "course", packages / "linalg"
    before, beside = state(*kept), (sorted(os.listdir(packages.parent)), devices())
    try:
        limits = Limits(time=3.0, output=200_000, memory=600 * 2**20)
        grade(folder, output, limits=limits, exercises_folder=EXERCISES, walls=walls, jobs=4, seed=SEED)
    except InputError as error:
        pytest.skip(str(error))
    rows = rows_of(output)
    assert state(*kept) == before and (sorted(os.listdir(packages.parent)), devices()) == beside
    assert sorted(os.listdir(output.parent)) == ["grades.csv", "grades.csv.socket"] and not os.listdir(rooms)
    assert not calls, "somebody called"
    assert [row["passed"] for row in rows if row["student"] == "victim"] == ["4"]
    assert not [row for row in rows if ".inv()" in row["remarks"]], "a line of the solution"
    assert min(len(blocks(file)) for file in ("attacks", "others")) >= 60
    assert not (wrong := undeserved(rows, ATTACKS)), "\n".join(wrong)
    assert measure.lender() is None or 0.9 < max(most) / limits.memory < 1.1


@LINUX
@pytest.mark.long
def test_attacks_get_through_where_there_are_no_walls(tmp_path):
    """The test above can fail: this one only reads."""
    (one,) = (one for one in ATTACKS if one.name == "secrets of the system")
    one.write(tmp_path / "class")
    (found,) = grade(tmp_path / "class", exercises_folder=EXERCISES, walls="limits", seed=SEED)
    assert "breach: " in found.remark and "/etc/passwd" in found.remark


@LINUX
@pytest.mark.long
def test_right_answers_have_the_same_marks_behind_both_walls(tmp_path):
    """Copies, pools of processes, shared memory, named tuples: at home, and behind each wall."""
    assert len(blocks("right")) >= 44
    for name, text in right_forms():
        write_class(tmp_path, **{name: text})
    limits = Limits(time=20.0)
    for walls in WALLS[:2]:
        try:
            grades = grade(tmp_path, exercises_folder=EXERCISES, limits=limits, walls=walls, jobs=4, seed=SEED)
        except InputError as error:
            pytest.skip(str(error))
        assert [(x.submission.student, x.remark) for x in grades if not x.done or x.remark] == []


@together("name", [name for name, _ in right_forms() if not name.startswith("before")])
def test_answers_of_other_kinds_are_right_at_home(name):
    from easydyn.course import check, find

    names = {}
    exec(dict(right_forms())[name], names)
    assert check(find(1), names).passed == 4


# -- what it takes ----------------------------------------------------------------------------------------------------


@LINUX
def test_what_a_process_keeps_beside_its_memory_is_counted(tmp_path):
    """Buffers of sockets and pipes in memory; removed files that are open, or in memory, and files, on the disk."""
    text = (
        "import mmap, os, socket, sys\nkept = [socket.socketpair() for k in range(10)]\n"
        "files = [open(f'f{k}', 'wb+') for k in range(3)]\nfor file in files:\n    file.write(bytes(10**6))\n"
        "    file.flush()\nos.unlink('f0')\nos.unlink('f1')\nblock = mmap.mmap(files[1].fileno(), 0)\n"
        "files[1].close()\nprint('ready', flush=True)\nsys.stdin.read()\n"
    )
    words, pipe = [sys.executable, "-c", text], subprocess.PIPE
    with subprocess.Popen(words, cwd=tmp_path, stdin=pipe, stdout=pipe) as one:
        assert one.stdout.readline() == b"ready\n"
        in_memory, on_disk = measure.kept([one.pid], tmp_path)
        one.stdin.close()
    assert 20 * 2**19 <= in_memory <= 25 * 2**19 and 3.0e6 <= on_disk <= 3.1e6


def test_a_control_group_counts_whole_where_one_is_lent(tmp_path, monkeypatch):
    """By a folder in place of the kernel's: the nearest group above that hands on the limit of memory."""
    user = tmp_path / "user.slice"
    (own := user / "run-1.scope").mkdir(parents=True)
    (tmp_path / "group").write_text("3:cpu:/\n0::/user.slice/run-1.scope\n")
    (own / "cgroup.subtree_control").write_text("\n")
    (user / "cgroup.subtree_control").write_text("memory pids\n")
    (user / "cgroup.procs").write_text("")
    monkeypatch.setattr(measure, "CGROUPS", tmp_path)
    monkeypatch.setattr(measure, "OWN_GROUP", tmp_path / "group")
    group = measure.Group(12345)
    assert group.path.parent == user and (group.path / "memory.max").read_text() == "12345"
    group.take(77)
    assert (group.path / "cgroup.procs").read_text() == "77" and not group.full
    (group.path / "memory.events").write_text("low 0\noom 1\noom_kill 2\n")
    assert group.full
    monkeypatch.setattr(measure, "CGROUPS", tmp_path / "none")
    assert measure.lender() is None and measure.Group(1).path is None


def test_a_control_group_of_version_1_counts_too(tmp_path, monkeypatch):
    """Its tree of memory is found by the line that names it, whatever the tree of version 2 is for."""
    (own := tmp_path / "memory" / "docker" / "5").mkdir(parents=True)
    (tmp_path / "group").write_text("4:memory:/docker/5\n0::/\n")
    for name in ("memory.limit_in_bytes", "cgroup.procs"):
        (own / name).write_text("")
    monkeypatch.setattr(measure, "CGROUPS", tmp_path)
    monkeypatch.setattr(measure, "OWN_GROUP", tmp_path / "group")
    group = measure.Group(12345)
    assert group.path.parent == own
    assert (group.path / "memory.limit_in_bytes").read_text() == "12345"
    (group.path / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 0\n")
    assert not group.full
    (group.path / "memory.oom_control").write_text("oom_kill_disable 0\nunder_oom 0\noom_kill 12\n")
    assert group.full


@LINUX
@pytest.mark.long
def test_a_grading_that_is_killed_leaves_nothing_behind(tmp_path):
    """Neither its folder nor a process."""
    write_class(tmp_path / "class", ada="import time; time.sleep(1235)\n" + ALL)
    words = [sys.executable, "-m", "easydyn", "grade", "class", "--exercises", str(EXERCISES)]
    (tmp_path / "tmp").mkdir()
    environment = os.environ | {"TMPDIR": str(tmp_path / "tmp")}
    process = subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 60
    while not list((tmp_path / "tmp").glob("easydyn-grade-*/*/work/*")) and time.monotonic() < limit:
        time.sleep(0.05)
    assert list((tmp_path / "tmp").glob("easydyn-grade-*"))
    process.kill()
    process.wait()
    while list((tmp_path / "tmp").glob("easydyn-grade-*")) and time.monotonic() < limit:
        time.sleep(0.05)
    assert not list((tmp_path / "tmp").glob("easydyn-grade-*"))


# -- the table --------------------------------------------------------------------------------------------------------


def test_no_spreadsheet_works_anything_out():
    """At the beginning of a cell, and behind whatever a spreadsheet may take for the end of one; numbers stay."""
    signs = "=+-@\uff1d\uff0b\uff0d\uff20\u2212"
    for sign in signs:
        for before in ("", " ", "'", "x;", "x, ", "x\t", "x|", "x: ", 'x;"', "x "):
            assert defused(f"{before}{sign}cmd|' /C calc'!A0") == f"{before}'{sign}cmd|' /C calc'!A0", (sign, before)
    for text in ("stage 3: a = b", "[ 0.1, -0.8e-3, 2]", "01, -0.5; +1e5", "ada-lovelace@home", "-0.5", "x - y"):
        assert defused(text) == text
    assert defused("a;-2+3+cmd") == "a;'-2+3+cmd" and defused(";= 1+1") == ";'= 1+1"


def test_a_workbook_has_the_cells_of_the_table(tmp_path, monkeypatch):
    """Texts stay texts; without its package nothing is graded, and a full disk is a sentence."""
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    exercise = exercises(EXERCISES)[0]
    script = tmp_path / "x_01.py"
    given = Submission("=1+1", exercise, script, b"")
    refused = {"zoe": ["\x01=cmd|' /C calc'!A0: refused"]}
    handed_in = Intake({("=1+1", exercise.number): given}, refused, {"=1+1", "zoe"})
    marks = (True, False, None, *[True] * (len(exercise.stages) - 3))
    for name in ("marks.csv", "marks.xlsx"):
        write_table([Grade(given, marks, "stage 2: @SUM(1)")], tmp_path / name, handed_in)
    sheet = openpyxl.load_workbook(tmp_path / "marks.xlsx").active
    with open(tmp_path / "marks.csv", encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    assert [["" if x is None else str(x) for x in row] for row in sheet.values] == rows
    assert "f" not in {cell.data_type for row in sheet for cell in row} and sheet["A2"].value == "'=1+1"

    def full(*paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match="marks.xlsx': No space left on device. Make room"):
        write_table([], tmp_path / "marks.xlsx", handed_in)


def test_a_workbook_needs_its_package_before_anything_is_graded(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    folder = write_class(tmp_path / "class", ada=ALL)
    with pytest.raises(MissingDependencyError, match=r".xlsx needs openpyxl: pip install openpyxl"):
        grade(folder, tmp_path / "grades.xlsx", exercises_folder=EXERCISES)
    assert [path.name for path in tmp_path.iterdir()] == ["class"]


def test_a_full_disk_is_a_sentence(tmp_path, monkeypatch):
    """At once, before anything is graded; and of the table itself."""

    def full(*paths):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    folder = write_class(tmp_path / "class", ada=ALL)
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FileError, match="grades.csv.progress': No space left on device. Make room"):
        grade(folder, tmp_path / "grades.csv", exercises_folder=EXERCISES)
    assert [path.name for path in tmp_path.iterdir()] == ["class"]
