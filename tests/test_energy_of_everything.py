"""No run of what comes with easydyn is doubtful: examples, notebooks, solutions of exercises.

Each runs in a process of its own, where a warning of energy is an error.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
RUNNER = """
import runpy, sys, warnings
from easydyn.errors import EnergyWarning
warnings.simplefilter("error", EnergyWarning)
if sys.argv[1] == "example":
    import importlib
    run = importlib.import_module("easydyn.examples." + sys.argv[2]).simulate()
    assert run.status in ("finished", "stopped") and run.check() == []
else:
    runpy.run_path(sys.argv[2], run_name="__main__")
"""


def examples():
    files = sorted((ROOT / "easydyn" / "examples").glob("[a-z]*.py"))
    return [file.stem for file in files if "def simulate(" in file.read_text(encoding="utf-8")]


def scripts():
    return sorted([*(ROOT / "notebooks").glob("[0-9]*.py"), *(ROOT / "exercises" / "solutions").glob("*.py")])


def run(folder, *arguments):
    environment = os.environ | {"MPLBACKEND": "Agg", "PYTHONWARNINGS": ""}
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *map(str, arguments)], cwd=folder, env=environment, capture_output=True,
        encoding="utf-8", errors="replace", timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.one_in(3)
@pytest.mark.long
@pytest.mark.parametrize("name", examples())
def test_energy_of_examples(name, tmp_path):
    run(tmp_path, "example", name)


@pytest.mark.one_in(4)
@pytest.mark.long
@pytest.mark.parametrize("script", scripts(), ids=lambda script: script.stem)
def test_energy_of_scripts(script, tmp_path):
    run(tmp_path, "script", script)


@pytest.mark.long
def test_a_doubtful_run_fails_there(tmp_path):
    script = tmp_path / "coarse.py"
    script.write_text(
        "from easydyn import examples\n"
        "examples.double_pendulum().simulate(20, method='hht', tolerance=0.5, max_step=1)\n",
        encoding="utf-8",
    )
    with pytest.raises(AssertionError, match="EnergyWarning"):
        run(tmp_path, "script", script)


def test_they_are_found():
    assert len(examples()) > 10 and len(scripts()) > 20
