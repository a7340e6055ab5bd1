"""The benchmarks still run: their quick mode, which needs no peers, and what they are compared by. Nothing is timed."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from chance import first
from together import together

FOLDER = Path(__file__).resolve().parent.parent / "benchmarks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def run(folder, *words):
    """What a process with these words prints; it must succeed, and leave nothing in the checkout."""
    before = {path.name for path in FOLDER.glob("results/*")}
    # the package that these tests see, from wherever it was installed
    package = str(Path(importlib.util.find_spec("easydyn").origin).parents[1])
    places = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": places, "TMPDIR": str(folder)}
    done = subprocess.run([sys.executable, *words], cwd=folder, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert {path.name for path in FOLDER.glob("results/*")} == before, "a quick run saved its results"
    return done.stdout


def test_there_are_benchmarks():
    assert len(SCRIPTS) >= 10


@together("script", SCRIPTS, ids=lambda path: path.name)
def test_it_compiles(script):
    compile(script.read_text(encoding="utf-8"), str(script), "exec")


@pytest.mark.long
def test_importing_them_needs_no_peer(tmp_path):
    names = [script.stem for script in SCRIPTS]
    peers = ("pinocchio", "mujoco", "casadi", "exudyn", "heyoka", "pydy", "scipy")
    program = (
        f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import {', '.join(names)}; "
        f"print(*(name for name in {peers} if name in sys.modules))"
    )
    assert run(tmp_path, "-c", program).split() == []


QUICK = ["controller", "derivation", "growth", "interpreted", "loops", "player", "accelerators"]
QUICK += ["flexible", "convergence"]


@pytest.mark.one_in(3)
@pytest.mark.long
@pytest.mark.parametrize("name", first(1, QUICK))
def test_quick_mode(name, tmp_path):
    assert "easydyn" in run(tmp_path, str(FOLDER / f"{name}.py"), "--quick")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("gcc") is None, reason="newmark.c needs gcc")
def test_c_takes_the_same_steps(tmp_path):
    """The script asserts the same number of steps and the same final state."""
    assert "the same in C" in run(tmp_path, str(FOLDER / "c_loop.py"), "--quick")


def test_table_of_what_there_is(tmp_path):
    assert run(tmp_path, str(FOLDER / "table.py")).strip()


def test_unknown_names_are_told(tmp_path):
    words = [sys.executable, str(FOLDER / "run.py"), "nonsense"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "derivation" in done.stderr


def test_references_belong_to_the_systems_of_today(tmp_path):
    """A change of a system without a new reference would compare with the wrong motion."""
    program = (
        f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import references; "
        "print(*(len(references.reference(arm)) for arm in references.arms()))"
    )
    assert run(tmp_path, "-c", program).split() == ["2", "10", "50", "6"]
