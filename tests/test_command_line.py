"""python -m easydyn: what a person types, and what comes back."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from together import together

import easydyn
from easydyn.__main__ import main
from easydyn.examples import MODELS, measured
from easydyn.examples.figures import module_of
from easydyn.files import ffmpeg

PACKAGE = Path(easydyn.__file__).parent


def run(*words, cwd):
    """A real process, without a display."""
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "MPLBACKEND")}
    environment["PYTHONPATH"] = str(PACKAGE.parent)
    return subprocess.run(
        [sys.executable, "-m", "easydyn", *words], cwd=cwd, capture_output=True, text=True, env=environment, timeout=120
    )


def picture(path):
    """A PNG that is not blank."""
    from matplotlib import image

    pixels = image.imread(path)
    return pixels.shape[0] > 300 and pixels[..., :3].std() > 0.02


SLOW = ("robot_r3", "seven_axis_arm")
QUICK = [pytest.param(name, marks=pytest.mark.long) if name in SLOW else name for name in MODELS]


@pytest.mark.one_in(25)
@pytest.mark.parametrize("name", QUICK)
def test_demo(name, tmp_path, capsys):
    assert main(["demo", name.replace("_", "-"), "--folder", str(tmp_path / "out put")]) == 0
    shown = capsys.readouterr().out
    assert "reached t =" in shown and "steps" in shown
    files = sorted((tmp_path / "out put").glob("*.png"))
    assert len(files) == len(module_of(name).PICTURES) and all(picture(path) for path in files)
    page = (tmp_path / "out put" / f"{name}.html").read_text(encoding="utf-8")  # tests/test_player.py opens such pages
    assert page.startswith("<!DOCTYPE html>") and "easydynPlayer(" in page and "http" not in page


@pytest.mark.long
def test_demo_of_a_film(tmp_path, capsys):
    """What the fit finds is what the film was made of; the film and what is drawn over it where ffmpeg is."""
    assert main(["demo", "measured", "--folder", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    rows = {words[0]: words for words in map(str.split, shown.splitlines()) if len(words) == 6 and words[3] == "to"}
    for name, value in {**measured.TRUE, "camera_scale": 520}.items():
        best, low, high = (float(rows[name][k]) for k in (1, 2, 4))
        assert 2 * low - best < value < 2 * high - best, name
    assert picture(tmp_path / "measured.png") and (tmp_path / "measured.trk").exists()
    assert (tmp_path / "measured.html").exists() == (ffmpeg() is not None)


@pytest.mark.long
def test_demo_in_a_process_of_its_own(tmp_path):
    done = run("demo", "double-pendulum", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == ""
    assert "q1           =  0.2426" in done.stdout and (tmp_path / "double_pendulum_angles.png").exists()


def test_list(capsys):
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [name.replace("_", "-") for name in MODELS]


@pytest.mark.long
def test_figures_of_the_paper(tmp_path, capsys):
    """All of them, 1 to 14, each in a file of its own."""
    assert main(["figures", str(tmp_path)]) == 0
    files = sorted(tmp_path.glob("*.png"))
    assert [path.name for path in files] == [f"figure_{number:02d}.png" for number in range(1, 15)]
    assert all(picture(path) for path in files)


@pytest.mark.long
def test_a_new_model_runs_and_is_well(tmp_path):
    assert run("new", "my model.py", cwd=tmp_path).returncode == 0
    script = subprocess.run(
        [sys.executable, "my model.py"], cwd=tmp_path, capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent), "MPLBACKEND": "Agg"}, timeout=120,
    )  # fmt: skip
    assert script.returncode == 0, script.stderr
    assert (tmp_path / "my_model.png").exists()
    checked = run("check", "my model.py", cwd=tmp_path)
    assert checked.returncode == 0 and "all is well" in checked.stdout


def test_new_does_not_overwrite(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text("precious")
    assert main(["new", str(path)]) == 1
    assert "exists already" in capsys.readouterr().err and path.read_text() == "precious"


MISTAKES = """
from easydyn import Force, Model, tdisp, trotz
upside = Model("too flat", gravity=(0, -9.81, 0))
q, = upside.coordinates("q")
plate = upside.body("plate", trotz(q), mass=1, inertia=(1, 2, 9))
twice = Model("twice", gravity=(0, -9.81, 0))
a, b = twice.coordinates("a b")
twice.body("sledge", tdisp(a + b, 0, 0), mass=1, inertia=(0, 0, 0))
pushed = Model("one-sided")
x, y = pushed.coordinates("x y")
base = pushed.body("base", tdisp(x, 0, 0), mass=1, inertia=(0, 0, 0))
rider = pushed.body("rider", tdisp(x + y, 0, 0), mass=1, inertia=(0, 0, 0))
pushed.add(Force(rider, (1, 0, 0), frame=base))
idle = Model("idle")
z, w = idle.coordinates("z w")
idle.body("stone", tdisp(z, 0, 0), mass=1, inertia=(0, 0, 0))
floating = Model("floating")
angle, = floating.coordinates("angle", initial=90)
floating.body("bob", trotz(angle) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
"""


def test_check_finds_mistakes_and_names_them(tmp_path, capsys):
    path = tmp_path / "mistakes.py"
    path.write_text(MISTAKES)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().out
    assert "body 'plate': the largest principal moment, 9" in shown
    assert "two coordinates do the same" in shown
    assert "Force on 'rider' is given in the axes of 'base' but nothing bears the reaction" in shown
    assert "coordinate w moves nothing" in shown
    assert "initial value of angle is 90 rad" in shown and "math.radians(90)" in shown
    assert "nothing acts on the bodies: no gravity" in shown


@together(
    "words, says",
    [
        (["demo", "nope"], "there is no demo 'nope': expected one of double-pendulum"),
        (["check", "nope.py"], "there is no file"),
        (["new", "folder/that/is/not/there.py"], "cannot write"),
        (["new", "name"], "does not end in .py"),
    ],
)
def test_mistakes_on_the_command_line(words, says, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 1
    assert says in capsys.readouterr().err


def test_a_mistake_in_a_script_comes_with_its_line(tmp_path, capsys):
    path = tmp_path / "wrong.py"
    path.write_text(
        "from easydyn import Model, trotz\n\nm = Model('m')\nm.body('b', trotz(90), mass=1, inertia=(1, 1, 1))\n"
    )
    assert main(["check", str(path)]) == 1
    assert "wrong.py:4: the transform of body 'b'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("q = Model('m'", "wrong.py:2: SyntaxError: '(' was never closed. The script was not run."),
        ("Modell('m')", "wrong.py:2: NameError: name 'Modell' is not defined"),
        ("q = Model('m').coordinates('q'); Model('n').body('b', None, q.dot)", "wrong.py:2: a tuple (q,) stands where"),
    ],
)
def test_what_python_says_of_a_script_comes_with_its_line(line, says, tmp_path, capsys):
    path = tmp_path / "wrong.py"
    path.write_text(f"from easydyn import Model\n{line}\n")
    assert main(["check", str(path)]) == 1
    assert says in capsys.readouterr().err


@pytest.mark.long
def test_whoever_reads_may_have_had_enough(tmp_path):
    command = [sys.executable, "-m", "easydyn", "list"]
    environment = os.environ | {"PYTHONPATH": str(PACKAGE.parent)}
    listing = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, cwd=tmp_path)
    listing.stdout.close()
    assert listing.stderr.read() == b"" and listing.wait(60) == 0
    listing.stderr.close()


def test_a_script_without_models(tmp_path, capsys):
    path = tmp_path / "empty.py"
    path.write_text("x = 1")
    assert main(["check", str(path)]) == 1
    assert "no Model found" in capsys.readouterr().out


@pytest.mark.parametrize(("ending", "code"), [("sys.exit()", ""), ("raise SystemExit(3)", "exit 3"), ("exit(0)", "")])
def test_check_tells_of_a_script_that_ends_itself(tmp_path, capsys, ending, code):
    path = tmp_path / "ends.py"
    path.write_text(f"import sys\nfrom easydyn import Model\nmodel = Model('m')\n{ending}\n")
    assert main(["check", str(path)]) not in (0, None)
    said = capsys.readouterr().err
    assert "the script ended itself" in said and "nothing was checked" in said and code in said
