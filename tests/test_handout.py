"""What students get has no solutions in it; what the lecturer keeps has them; an autograder grades."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from easydyn.__main__ import main
from easydyn.course import check, exercises

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = ROOT / "exercises"
SOLUTIONS = sorted((EXERCISES / "solutions").glob("*.py"))


def lines_of(text):
    """Lines of code that say something."""
    return {line.strip() for line in text.splitlines() if len(line.strip()) > 12 and not line.strip().startswith("#")}


def test_the_folder_of_students_has_no_solutions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["course", "my course", "--exercises", str(EXERCISES)]) == 0
    made = tmp_path / "my course"
    assert "no solutions" in capsys.readouterr().out
    there = exercises(made / "exercises")
    assert [one.name for one in there] == [one.name for one in exercises(EXERCISES)]
    assert len(list((made / "notebooks").glob("*.ipynb"))) == len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert not [path for path in made.rglob("*") if "solution" in path.name.lower()]
    for path in SOLUTIONS:  # nor is one of them in another file
        own = lines_of(path.read_text(encoding="utf-8")) - lines_of(
            (EXERCISES / path.stem / "exercise.py").read_text(encoding="utf-8")
        )
        script = lines_of((made / "exercises" / path.stem / "exercise.py").read_text(encoding="utf-8"))
        assert own and not own & script
    assert not check(there[0], there[0].script).done
    assert "# Multibody dynamics" in (made / "README.md").read_text(encoding="utf-8")
    assert not dead_links(made)


def dead_links(folder):
    """Links to files that are not there."""
    return [
        f"{path.name}: {link}"
        for path in folder.rglob("*")
        if path.suffix in (".md", ".ipynb", ".py")
        for link in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
        if not (path.parent / link).exists()
    ]


@pytest.mark.long
def test_the_folder_of_students_works_alone(tmp_path, monkeypatch):
    """What its README says is all that is needed: easydyn lies in it, and a part of the exercises has no dead link."""
    monkeypatch.chdir(tmp_path)
    assert main(["course", "ours", "--exercises", str(EXERCISES), "--only", "01,09"]) == 0
    made = tmp_path / "ours"
    assert not dead_links(made)
    assert sorted(x.name for x in (made / "exercises").iterdir()) == ["01_frames", "09_spatial"]
    (wheel,) = made.glob("*.whl")
    assert f'pip install "{wheel.name}[notebook]"' in (made / "README.md").read_text(encoding="utf-8")
    words = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", "there", str(wheel)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    words = [sys.executable, "-m", "easydyn", "exercise", "01", "--exercises", "exercises", "--start", "."]
    own = os.environ | {"PYTHONPATH": str(tmp_path / "there")}
    done = subprocess.run(words, capture_output=True, text=True, cwd=made, check=False, env=own)
    assert done.returncode == 0 and (made / "01_frames.py").is_file(), done.stdout + done.stderr


def test_the_archive_of_the_lecturer(tmp_path):
    path = tmp_path / "solutions.zip"
    assert main(["course", "--solutions", str(path), "--exercises", str(EXERCISES), "--only", "01,3"]) == 0
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["README.txt", "solutions/01_frames.py", "solutions/03_contributions.py"]
        assert archive.read("solutions/01_frames.py") == SOLUTIONS[0].read_bytes()


@pytest.mark.skipif(not (ROOT / ".git").exists() or shutil.which("git") is None, reason="no repository of git here")
def test_archives_of_the_repository_have_no_solutions():
    words = ["git", "archive", "--format=tar", "--worktree-attributes", "HEAD"]
    packed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout
    names = subprocess.run(["tar", "-t"], input=packed, capture_output=True, check=True).stdout.decode().split("\n")
    assert "exercises/01_frames/check.py" in names
    assert not [name for name in names if "solutions/" in name or name.startswith("tests/")]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="a script of bash")
def test_an_autograder_grades(tmp_path):
    path = tmp_path / "autograder.zip"
    words = ["--exercises", str(EXERCISES), "--only", "01,02", "--seed", "3"]
    assert main(["course", "--gradescope", str(path), *words]) == 0
    place = tmp_path / "autograder"
    for name in ("submission", "results"):
        (place / name).mkdir(parents=True)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(place)
        assert archive.getinfo("run_autograder").external_attr >> 16 & 0o111, "it can be run"
        assert not [name for name in archive.namelist() if "solutions" in name or "__pycache__" in name]
    shutil.copyfile(SOLUTIONS[0], place / "submission" / "frames.py")
    environment = {**os.environ, "AUTOGRADER": str(place)}
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    subprocess.run(["bash", str(place / "run_autograder")], env=environment, check=True, capture_output=True)
    told = json.loads((place / "results" / "results.json").read_text(encoding="utf-8"))
    assert told["score"] == 4 and [x["score"] for x in told["tests"]] == [1] * 4 + [0] * 5
    assert told["tests"][4]["output"] == "not handed in"
    subprocess.run(["bash", "-n", str(place / "setup.sh")], check=True)
