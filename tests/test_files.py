"""Files that are written: whole or not at all, by every writer, whoever else writes to the same path."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from together import together

from easydyn import Model, Trajectory, easyanim, files, integrate, tdisp, trotz, visu
from easydyn.__main__ import main
from easydyn.course import grading
from easydyn.course.catalogue import find, start
from easydyn.course.handout import write_exercise
from easydyn.course.intake import hand_in
from easydyn.errors import FileError
from easydyn.examples.figures import pictures
from easydyn.visu import film

HERE = Path(__file__).parent
ROOT = HERE.parent
posix = pytest.mark.skipif(os.name != "posix", reason="the system has no such thing")


def decay(value=1.0, instants=21):
    """A run of one unknown that begins at a value."""
    return integrate(
        lambda t, q, qd, qdd: qdd + q, q=[value], qd=[0.0], t_final=0.01, save_every=0.01 / (instants - 1), step=0.01
    )


class Made:
    """What is written: made once, as far as that is possible. Films are short."""

    def __init__(self):
        self.model = Model("pendulum", gravity=(0, -9.81, 0))
        (q,) = self.model.coordinates("q", initial=1)
        self.model.body("arm", trotz(q) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 1))
        self.run = self.model.simulate(0.1, save_every=0.05, step=0.01)
        self.animation = self.run.animate()


def grades(path):
    (path.parent / "handed in").mkdir(exist_ok=True)
    (path.parent / "handed in" / "ada_01.py").write_text("...")
    given = hand_in(path.parent / "handed in", [find(1)])
    grade = grading.Grade(given.taken["ada", "01"], (True, True, False, None), "stage 3: no")
    grading.write_table([grade], path, given)


def command(*words):
    if main([*words]):
        raise FileError("the command failed.")


def report(made, path):
    made.model.report(path, kinematics=False, equations=False)


def exercise(made, path):
    write_exercise(path.parent)


WRITERS = {  # by the file that is written: what writes it
    "run.npz": lambda made, path: made.run.save(path),
    "run.csv": lambda made, path: made.run.to_csv(path),
    "run.res": lambda made, path: made.run.to_csv(path),
    "run.mat": lambda made, path: made.run.to_mat(path),
    "run.html": lambda made, path: made.animation.save(path),
    "run.gif": lambda made, path: made.animation.save(path),
    "run.glb": lambda made, path: made.animation.save(path),
    "run.gltf": lambda made, path: made.animation.save(path),
    "scene.html": lambda made, path: made.model.explore().save(path),
    "run.vol": lambda made, path: easyanim.write(made.run, path),
    "run.van": lambda made, path: easyanim.write(made.run, path),
    "gear.hab": lambda made, path: easyanim.write(visu.Box(1, 1, 1), path),
    "arm.c": lambda made, path: made.model.export("c", path),
    "arm.mo": lambda made, path: made.model.export("modelica", path),
    "arm.html": report,
    "arm.tex": report,
    "arm.md": report,
    "oscillator_free.png": lambda made, path: next(pictures("oscillator", path.parent)),
    "grades.csv": lambda made, path: grades(path),
    "my_model.py": lambda made, path: command("new", str(path)),
    "01_frames.py": lambda made, path: start(find(1), path.parent),
    "21_mine/README.md": exercise,
}  # fmt: skip
NEW = ("my_model.py", "01_frames.py", "21_mine/README.md")  # never in the place of another
LARGEST = 64  # bytes that a file may have where the disk is full


@pytest.fixture(scope="module", autouse=True)
def short_films():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(film, "MOST_PICTURES", 3)
        yield


@pytest.fixture(scope="module")
def made():
    return Made()


def children(program, *words, count=1, **options):
    """Processes that run a program with the names of this file."""
    names = f"import sys; sys.path[:0] = {[str(HERE), str(ROOT)]!r}\nfrom test_files import *\nfilm.MOST_PICTURES = 3"
    command = [sys.executable, "-c", f"{names}\n{program}", *map(str, words)]
    return [subprocess.Popen([*command, str(k)], stdout=subprocess.PIPE, text=True, **options) for k in range(count)]


# -- two writers ------------------------------------------------------------------------------------------------------

SAVE_OFTEN = """
folder, k = Path(sys.argv[1]), int(sys.argv[2])
run = decay(1.0 + k, instants=2001)
animation = Made().animation
print("ready", flush=True)
sys.stdin.readline()
for _ in range(25):
    run.save(folder / "run.npz")
    run.to_csv(folder / "run.csv")
animation.save(folder / "run.html")
animation.save(folder / "run.gif")
print("done")
"""


@pytest.mark.long
def test_two_processes_save_to_one_path_and_neither_file_is_spoiled(tmp_path):
    both = children(SAVE_OFTEN, tmp_path, count=2, stdin=subprocess.PIPE)
    assert [child.stdout.readline() for child in both] == ["ready\n"] * 2
    for child in both:
        child.stdin.write("go\n")
        child.stdin.flush()
    seen = []
    while any(child.poll() is None for child in both):  # whoever reads meanwhile finds one of the two, whole
        if (tmp_path / "run.npz").exists():
            seen.append(float(Trajectory.load(tmp_path / "run.npz").q[0, 0]))
        time.sleep(0.002)  # the two are to get on
    assert [child.communicate()[0] for child in both] == ["done\n"] * 2
    assert seen and set(seen) <= {1.0, 2.0}
    rows = np.loadtxt(tmp_path / "run.csv", delimiter=",", skiprows=1)
    assert rows.shape == (2001, 4) and rows[0, 1] in (1.0, 2.0)
    assert (tmp_path / "run.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert (tmp_path / "run.gif").read_bytes()[-1:] == b";"  # how a film ends
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.csv", "run.gif", "run.html", "run.npz"]


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no such signal")
def test_a_process_that_is_killed_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "run.npz"
    (child,) = children("run = decay(instants=20001)\nwhile True:\n    run.save(sys.argv[1])\n    print()", path)
    for _ in range(3):
        assert child.stdout.readline()
    while not list(tmp_path.glob("*.part.npz")):  # in the middle of a save
        pass
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert len(Trajectory.load(path)) == 20001
    decay().save(path)  # what is left is in nobody's way
    assert len(Trajectory.load(path)) == 21


def test_of_many_that_begin_one_file_one_is_the_first(tmp_path):
    said = []

    def begin(k):
        try:
            files.write_text(tmp_path / "my_model.py", f"# {k}\n" * 1000, new=True)
            said.append(k)
        except FileError as error:
            said.append(str(error))

    threads = [threading.Thread(target=begin, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (first,) = [k for k in said if isinstance(k, int)]
    assert (tmp_path / "my_model.py").read_text() == f"# {first}\n" * 1000
    assert len(said) == 8 and all("exists already: choose another name" in k for k in said if k != first)
    assert len(list(tmp_path.iterdir())) == 1


# -- whatever fails ---------------------------------------------------------------------------------------------------

FULL_DISK = """
import resource
made = Made()
for name, write in WRITERS.items():
    folder = Path(sys.argv[1], name.replace(".", " ").replace("/", " "))
    folder.mkdir()
    path = folder / name
    if name not in NEW:
        path.write_text("old")
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, resource.RLIM_INFINITY))
    try:
        write(made, path)
        said = "nothing"
    except FileError as error:
        said = str(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(name, said, sep="|", flush=True)
"""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the system sets no limits")
def test_a_full_disk_leaves_what_was_there_and_says_so(tmp_path):
    (child,) = children(FULL_DISK, tmp_path, env={**os.environ, "EASYDYN_CACHE": "off"}, stderr=subprocess.PIPE)
    out, errors = child.communicate()
    assert child.returncode == 0, errors
    said = dict(line.split("|", 1) for line in out.splitlines() if "|" in line)
    assert set(said) == set(WRITERS)
    for name, text in said.items():
        assert "cannot write '" in text and "Make room" in text or name == "my_model.py", (name, text)
        folder = tmp_path / name.replace(".", " ").replace("/", " ")
        assert {path.name for path in folder.iterdir()} <= {name, "handed in"} - set(NEW), name
        assert name in NEW or (folder / name).read_text() == "old"
    assert "Make room" in errors, "what the command says"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_cannot_take_its_place_leaves_no_half_of_it(name, made, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "my folder"
    folder.mkdir()
    path, write = folder / name, WRITERS[name]
    if name not in NEW:
        path.write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", refused)
        with pytest.raises(FileError, match="cannot write '.*': No way. Choose another|the command failed"):
            write(made, path)
    assert {each.name for each in folder.iterdir()} <= {name, "handed in"} - set(NEW)
    assert name in NEW or path.read_text() == "old"
    write(made, path)
    assert path.stat().st_size > 3 and not list(tmp_path.rglob("*.part*"))


def refused(*_, **__):
    raise OSError(errno.EIO, "No way")


@pytest.mark.long
def test_a_film_that_fails_half_way_leaves_what_was_there(made, tmp_path, monkeypatch):
    from PIL import Image

    (tmp_path / "run.gif").write_text("old")

    def half(image, path, *_, **__):
        Path(path).write_bytes(b"GIF89a")
        raise ValueError("a mistake of a library")

    with monkeypatch.context() as patch, pytest.raises(ValueError, match="a mistake"):
        patch.setattr(Image.Image, "save", half)
        made.animation.save(tmp_path / "run.gif")
    assert [each.name for each in tmp_path.iterdir()] == ["run.gif"] and (tmp_path / "run.gif").read_text() == "old"


@pytest.mark.one_in(2)
@posix
@pytest.mark.parametrize("good", [True, False])
def test_a_film_by_another_program(good, made, tmp_path):
    """A program in the place of ffmpeg, which does what it is told, or writes half a film and fails."""
    program = tmp_path / "my ffmpeg"
    asked = 'for last; do :; done\n[ "$last" = -encoders ] && exit\n'
    program.write_text(f'#!/bin/sh\n{asked}cat > /dev/null\necho film > "$last"\nexit {int(not good)}\n')
    program.chmod(0o700)
    path = tmp_path / "my films" / "run.mp4"
    path.parent.mkdir()
    path.write_text("old")
    with matplotlib.rc_context({"animation.ffmpeg_path": str(program)}):
        if good:
            assert made.animation.save(path) == path and path.read_text() == "film\n"
        else:
            with pytest.raises(FileError, match="cannot write '.*run.mp4': ffmpeg failed, status 1. Choose another"):
                made.animation.save(path)
            assert path.read_text() == "old"
    assert [each.name for each in path.parent.iterdir()] == ["run.mp4"]


READ_ONLY = """
made, folder = Made(), Path(sys.argv[1])
os.chdir(folder)
if hasattr(os, "geteuid") and os.geteuid() == 0:  # who may do everything is not refused anything
    os.setuid(65534)
for path in ("read only/run.npz", "read only/new.npz", "mine.npz"):
    try:
        made.run.save(path)
        print("nothing")
    except FileError as error:
        print(error)
"""


@pytest.mark.long
@posix
def test_a_folder_or_a_file_that_may_not_be_written(tmp_path):
    folder = tmp_path / "read only"
    folder.mkdir()
    for path in (folder / "run.npz", tmp_path / "mine.npz"):
        path.write_text("old")
    tmp_path.chmod(0o777)
    (folder / "run.npz").chmod(0o666)
    folder.chmod(0o555)
    (tmp_path / "mine.npz").chmod(0o444)
    (child,) = children(READ_ONLY, tmp_path, env={**os.environ, "EASYDYN_CACHE": "off"})
    said = child.communicate()[0].splitlines()
    folder.chmod(0o755)
    assert len(said) == 3
    assert all(f"cannot write '{name}': Permission denied. Choose another folder." in text for name, text in zip(
        ("read only/run.npz", "read only/new.npz", "mine.npz"), said, strict=True
    ))  # fmt: skip
    assert (folder / "run.npz").read_text() == (tmp_path / "mine.npz").read_text() == "old"
    assert len(list(tmp_path.rglob("*"))) == 3


# -- as usual ---------------------------------------------------------------------------------------------------------


@posix
def test_permissions_are_as_usual(tmp_path):
    before = os.umask(0o027)
    try:
        new = decay().save(tmp_path / "new.npz")
        old = tmp_path / "old.npz"
        old.touch(0o600)
        decay().save(old)
    finally:
        os.umask(before)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640 and stat.S_IMODE(old.stat().st_mode) == 0o600


@posix
def test_links_stay_and_lead_to_what_was_written(tmp_path):
    (tmp_path / "far away").mkdir()
    place, run = tmp_path / "far away" / "results.npz", decay()
    for name in ("new.npz", "old.npz"):  # the first leads to nothing yet
        link = tmp_path / name
        link.symlink_to(place)
        run.save(link)
        assert link.is_symlink() and len(Trajectory.load(place)) == len(Trajectory.load(link)) == len(run)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["far away", "new.npz", "old.npz", "results.npz"]
    (tmp_path / "round.npz").symlink_to(tmp_path / "round.npz")
    with pytest.raises(FileError, match="cannot write '.*round.npz': .*link"):
        run.save(tmp_path / "round.npz")


@posix
def test_what_is_no_file_is_written_to_as_it_is(tmp_path):
    decay().to_csv("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    os.mkfifo(tmp_path / "pipe")
    said = []
    reader = threading.Thread(target=lambda: said.append((tmp_path / "pipe").read_text()))
    reader.start()
    decay().to_csv(tmp_path / "pipe")
    reader.join()
    assert said[0].startswith("t,q[0],") and (tmp_path / "pipe").is_fifo()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no such device")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # older NumPy leaves its archive open
def test_a_disk_that_is_full(tmp_path):
    for write in (decay().save, decay().to_csv):
        with pytest.raises(FileError, match="cannot write '/dev/full': No space left on device. Make room, or choose"):
            write("/dev/full")


def test_another_program_that_has_the_file_open(tmp_path, monkeypatch):
    """Windows refuses to replace a file for as long as somebody reads it."""
    monkeypatch.setattr(sys, "platform", "win32")
    tried, original = [], os.replace

    def held(times):
        def replace(*paths):
            tried.append(paths)
            if len(tried) <= times:
                raise PermissionError(errno.EACCES, "it is open")
            original(*paths)

        return replace

    monkeypatch.setattr(os, "replace", held(3))
    files.write_text(tmp_path / "x.html", "whole")
    assert len(tried) == 4 and (tmp_path / "x.html").read_text() == "whole"
    monkeypatch.setattr(os, "replace", held(10**9))
    monkeypatch.setattr(files, "PATIENCE", 0.0)
    with pytest.raises(FileError, match="it is open"):
        files.write_text(tmp_path / "x.html", "other")
    assert (tmp_path / "x.html").read_text() == "whole" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["with blanks.npz", "Größe 漢字.npz", "x" * 251 + ".npz", "#%&'!.npz", "-o.npz"])
def test_names_that_are_unusual(name, tmp_path):
    path = decay().save(tmp_path / name)
    assert path.name == name and len(Trajectory.load(path)) == 21 and len(list(tmp_path.iterdir())) == 1


@together("path", [None, 3, "", " ", "a\0b", "\ud800.npz", b"run.npz", "/", [], np.zeros(3)])
def test_what_is_no_name_of_a_file(path):
    with pytest.raises(FileError, match="the path is .*: expected the name of a file, such as"):
        decay().save(path)
    with pytest.raises(FileError, match="the path is .*: expected the name of a file that ends in .html or .htm"):
        files.path_to(path, endings=(".html", ".htm"))


def test_a_table_of_grades_holds_no_formulas_of_spreadsheets(tmp_path):
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "=HYPERLINK(1)_01.py").write_text("...")
    given = hand_in(tmp_path / "given", [find(1)])
    (one,) = given.taken.values()
    grading.write_table([grading.Grade(one, (True, True, False, None), "=1+1")], tmp_path / "grades.csv", given)
    text = (tmp_path / "grades.csv").read_bytes().decode("utf-8")
    assert text.startswith("\ufeffstudent,01.1,") and "\n'=HYPERLINK(1)," in text and ',"01, \'=1+1"' in text
