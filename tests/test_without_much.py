"""easydyn where there is little: Python as it is in a browser, imitated.

There no machine code is made, no thread and no process starts, no file can be written outside of a small place, there
is no home, and much of the standard library is missing. A process in which all of this has been taken away runs
notebook 0, a run with a progress bar, an animation, a report, files, and an exercise. (tests/lite_in_browser.py does it
in a real browser; that NumPy counts with 32 bits there can only be seen in it.)
"""

import ast
import subprocess
import sys
import types
from pathlib import Path

import pytest

from easydyn import examples

ROOT = Path(__file__).resolve().parent.parent

TAKEN_AWAY = """
import os, signal, subprocess, sys, sysconfig, threading

sysconfig.get_config_vars()  # those of this Python: there are none for another platform

GONE = {"llvmlite", "numba", "scipy", "_multiprocessing", "_posixshmem", "_posixsubprocess", "fcntl", "termios",
        "resource", "pwd", "grp", "syslog", "readline", "curses", "_curses", "sqlite3", "ssl", "_ssl", "tkinter",
        "_tkinter", "lzma", "ensurepip", "venv"}

class Hiding:
    # a finder of modules that does not find some

    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, path=None, target=None):
        return None if name.split(".")[0] in GONE else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hiding(finder) for finder in sys.meta_path]
for name in [name for name in sys.modules if name.split(".")[0] in GONE]:
    del sys.modules[name]

def refuse(kind, text):
    def refused(*_, **__):
        frame = sys._getframe(1)
        while os.path.dirname(frame.f_code.co_filename) == os.path.dirname(os.__file__):  # of the standard library
            frame = frame.f_back
        used.append(f"{text} ({frame.f_code.co_filename})")
        raise kind(text)
    return refused

used = []
threading.Thread.start = refuse(RuntimeError, "can't start new thread")
subprocess.Popen.__init__ = refuse(OSError, "emscripten does not support processes.")
os.fork = os.posix_spawn = os.system = refuse(OSError, "Function not implemented")
signal.signal = refuse(ValueError, "no signals")
os.path.expanduser = lambda path: path
for name in ("HOME", "USER", "XDG_CACHE_HOME", "LOCALAPPDATA"):
    os.environ.pop(name, None)
os.getuid = lambda: 99999
sys.platform = "emscripten"
del os.cpu_count
ALLOWED = os.environ["TMPDIR"]

def watch(event, arguments):
    if event == "open":
        path, mode, flags = arguments
        writing = any(sign in (mode or "") for sign in "wax+") or flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        if writing and isinstance(path, str) and not os.path.abspath(path).startswith((ALLOWED, "/dev/")):
            used.append(path)
            raise PermissionError(30, "Read-only file system", path)

sys.addaudithook(watch)
"""

VISIT = """
import contextlib, io, re
import easydyn
from easydyn import Model, examples, tdisp, trotz
from easydyn.course import grade
from easydyn.errors import EasyDynError

assert "llvmlite" not in sys.modules
names = {"__name__": "__main__"}
exec(compile(notebook, "notebook 0", "exec"), names)
page = names["run"].animate()._repr_html_()
assert len(page) > 40_000 and "<iframe" in page

# A run slow enough for a bar, by both targets that are left; they agree.
pendulum = examples.double_pendulum()
heard = io.StringIO()
with contextlib.redirect_stderr(heard):
    run = pendulum.simulate(0.5, target="python", progress=True)
assert "100 %" in heard.getvalue(), heard.getvalue()
other = pendulum.simulate(0.5, target="numpy")
assert pendulum.compile().target == "python" and abs(run.q - other.q).max() < 1e-12

# What needs machine code or a process says so.
for attempt in (lambda: pendulum.compile(target="native"), lambda: grade("."), lambda: run_pdf()):
    run_pdf = lambda: pendulum.report(os.path.join(ALLOWED, "r.pdf"))
    try:
        attempt()
    except EasyDynError as error:
        print(type(error).__name__, error)
    else:
        raise AssertionError("it should not work here")

# Files, where there is a place; a report; a figure.
os.chdir(ALLOWED)
run.save("run.npz"); run.to_csv("run.csv"); run.animate().save("run.html")
pendulum.report("report.html", run)
pendulum.export("c", "pendulum.c")
run.plot("q1").figure.savefig("q1.png")
assert easydyn.Trajectory.load("run.npz")["q1"][-1] == run["q1"][-1]

# An exercise, untouched and done.
for script, says in zip(exercises, ("0 of 4 stages pass", "all 4 stages pass")):
    mine, said = {"__name__": "__main__"}, io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(script.split("\\nif __name__")[0], "exercise", "exec"), mine)
        easydyn.exercise("01", mine)
    assert says in said.getvalue(), said.getvalue()
print("refused:", sorted({str(one) for one in used}))
print("all of it")
"""


@pytest.fixture(scope="module")
def visit(tmp_path_factory):
    """What that process has printed."""
    folder = tmp_path_factory.mktemp("a small place")
    texts = {
        "notebook": ROOT / "notebooks" / "00_ten_minutes.py",
        "untouched": ROOT / "exercises" / "01_frames" / "exercise.py",
        "done": ROOT / "exercises" / "solutions" / "01_frames.py",
    }
    given = {name: path.read_text(encoding="utf-8") for name, path in texts.items()}
    program = f"{TAKEN_AWAY}\nnotebook = {given['notebook']!r}\nexercises = {[given['untouched'], given['done']]!r}\n"
    environment = {
        "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder), "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": str(folder), "PATH": str(folder),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", program + VISIT], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done


def test_a_bar_in_a_notebook_leaves_no_red_line(monkeypatch, capsys):
    """Errors have a red ground there, also where they have been wiped out."""
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: "a shell"))
    examples.double_pendulum().simulate(0.05, target="python", progress=True)
    said = capsys.readouterr()
    assert "100 %" in said.out and said.out.endswith("\r") and said.err == ""
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    examples.double_pendulum().simulate(0.05, target="python", progress=True)
    said = capsys.readouterr()
    assert "100 %" in said.err and said.out == ""


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the imitation takes away what Windows does not have")
def test_the_course_runs_with_little(visit):
    assert visit.stdout.endswith("all of it\n")
    assert "period: 2.38443 s in the run, 2.38443 s by the formula" in visit.stdout


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the imitation takes away what Windows does not have")
def test_what_cannot_be_done_there_is_said(visit):
    assert 'target="native" needs the package llvmlite' in visit.stdout
    assert "there are none where Python runs in a browser" in visit.stdout
    assert "pdf" in visit.stdout.lower()


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="the imitation takes away what Windows does not have")
def test_nothing_that_is_missing_was_even_tried(visit):
    """No thread, process or signal, and no file outside of the small place. (Matplotlib does.)"""
    (line,) = [line for line in visit.stdout.splitlines() if line.startswith("refused: ")]
    assert [text for text in ast.literal_eval(line.removeprefix("refused: ")) if "matplotlib" not in text] == []
