"""What `start.py test` shows while it goes on, and its last line."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest
from progress import duration, in_words

ROOT = Path(__file__).resolve().parent.parent

PLAIN = ["-o", "console_output_style=classic"]
SOME = """
import pytest

@pytest.mark.parametrize("number", range(5))
def test_number(number):
    assert number != 3

@pytest.fixture
def broken():
    raise ValueError("broken")

def test_fixture(broken):
    pass

@pytest.mark.skip(reason="not here")
def test_nothing():
    pass
"""


@pytest.fixture
def start():
    spec = importlib.util.spec_from_file_location("start", ROOT / "start.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_runs_how_far_how_long():
    assert in_words(0, 0, 0, 0.2, "tests/test_a.py") == "0 of 0 tests (0 %), 0 failed; 0 s; now tests/test_a.py"
    words = in_words(1500, 6000, 2, 100.0, "tests/test_vec.py")
    assert words == "1500 of 6000 tests (25 %), 2 failed; 1 min 40 s, about 5 min 0 s more; now tests/test_vec.py"
    assert "more" not in in_words(10, 6000, 0, 100.0, "tests/test_vec.py"), "too early to say"
    assert duration(59.4) == "59 s" and duration(59.6) == "1 min 0 s" and duration(150) == "2 min 30 s"


@pytest.mark.parametrize("processes", ["0", "1"])
def test_progress_is_a_line_and_counts_are_written(processes, tmp_path):
    (tmp_path / "test_some.py").write_text(SOME)
    (tmp_path / "pytest.ini").write_text("[pytest]")
    counts = tmp_path / "counts.txt"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-n", processes, "--tb=no", "-p", "progress", *PLAIN],
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests"), "EASYDYN_COUNTS": str(counts), "PYTEST_ADDOPTS": ""},
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    assert "failed: test_some.py::test_number[3]" in lines and "failed: test_some.py::test_fixture" in lines
    assert any(line.startswith("1 of 7 tests (14 %), 0 failed; ") and line.endswith("test_some.py") for line in lines)
    assert any(line.startswith("FAILED test_some.py::test_number[3]") for line in lines), "the summary of pytest stays"
    assert counts.read_text() == "4 passed, 2 failed, 1 skipped\n"


@pytest.mark.parametrize("broken", [None, "ruff", "types", "pytest"])
def test_the_last_line_is_the_count(broken, start, monkeypatch, capsys):
    calls = []

    def run(command, cwd, env):
        calls.append(command[2])
        if command[2] == "pytest":
            Path(env["EASYDYN_COUNTS"]).write_text("7 passed, 1 failed\n")
        return int(command[2] == broken)

    class Types:
        def __init__(self, command, **_):
            calls.append(command[2])
            self.wait = lambda: run([*command[:2], "types"], None, None)

    monkeypatch.setattr(start, "run", run)
    monkeypatch.setattr(start.subprocess, "Popen", Types)
    assert start.test([]) == int(broken is not None)
    *_, verdicts, last = capsys.readouterr().out.splitlines()
    assert calls == ["mypy", "ruff", "pytest", "types"] and last == "7 passed, 1 failed"
    assert verdicts.startswith("start.py test: ") and verdicts.count("FAILED") == int(broken is not None)
