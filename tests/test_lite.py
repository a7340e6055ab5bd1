"""What a reader of the course in the browser finds: notebooks and exercises that are those of the repository.

The site itself is built and used by tests/lite_in_browser.py, in a browser.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from test_notebooks import SOURCES, cells
from together import together

import easydyn

pytest.importorskip("jupytext", reason="jupytext is not installed")

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = sorted(path.parent for path in (ROOT / "exercises").glob("[0-9][0-9]_*/exercise.py"))


@pytest.fixture(scope="module")
def lite():
    """notebooks/lite.py, as a module."""
    sys.path.insert(0, str(ROOT / "notebooks"))
    try:
        spec = importlib.util.spec_from_file_location("lite", ROOT / "notebooks" / "lite.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(ROOT / "notebooks"))


@pytest.fixture(scope="module")
def folder(lite, tmp_path_factory):
    return lite.contents(tmp_path_factory.mktemp("what is there") / "files")


def notebook(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def python(path):
    return [cell["source"] for cell in notebook(path) if cell["cell_type"] == "code"]


@pytest.mark.long
def test_everything_is_there(folder):
    import nbformat

    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.ipynb")}
    assert names == {f"notebooks/{source.stem}.ipynb" for source in SOURCES} | {
        f"exercises/{path.name}.ipynb" for path in EXERCISES
    }
    assert len(names) == len(SOURCES) + len(EXERCISES) >= 21 + 20
    for name in names:
        nbformat.validate(nbformat.read(folder / name, as_version=4))
    start = (folder / "START.md").read_text(encoding="utf-8")
    assert all(f"]({name})" in start for name in names)
    assert not [path for path in folder.rglob("*") if "solution" in path.name]


@together("source", SOURCES, ids=lambda path: path.stem)
def test_a_notebook_is_its_source_and_a_line_that_installs(source, folder, lite):
    first, *rest = python(folder / "notebooks" / f"{source.stem}.ipynb")
    assert first == lite.INSTALL and "%pip install -q easydyn" in first
    assert rest == [text.strip() for kind, text in cells(source) if kind == "code"]


@together("source", EXERCISES, ids=lambda path: path.name)
def test_an_exercise_is_its_script_in_cells(source, folder, lite, capsys):
    """All of the script and its statement; run as it is, it fails at its first stage, kindly."""
    path = folder / "exercises" / f"{source.name}.ipynb"
    first, *parts, check = python(path)
    assert first == lite.INSTALL and parts
    script = (source / "exercise.py").read_text(encoding="utf-8").split("\nif __name__")[0]
    assert "\n".join(parts).split() == re.sub(r'\A""".*?"""', "", script, flags=re.DOTALL).split()
    statement = notebook(path)[0]["source"]
    assert statement.startswith(f"# {source.name[:2]} ") and "Work in `exercise.py`" not in statement
    names = {"__name__": "__main__"}
    for part in [*parts, check]:
        exec(compile(part, path.name, "exec"), names)
    said = capsys.readouterr().out
    assert f"Exercise {source.name[:2]}, " in said and ": 0 of " in said and "globals(), hints=1)" in said


def test_links_lead_somewhere(folder):
    """Within the site: what a reader cannot open is no link."""
    count = 0
    for path in [*folder.rglob("*.md"), *folder.rglob("*.ipynb")]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "\n\n".join(cell["source"] for cell in notebook(path) if cell["cell_type"] == "markdown")
        for target in re.findall(r"\]\(([^()\s]+)\)", text):
            if "://" not in target and not target.startswith(("#", "attachment:")):
                count += 1
                where = Path(os.path.normpath(path.parent / target.split("#")[0]))
                assert where.exists(), f"{path.relative_to(folder)}: {target}"
                assert where.suffix != ".py"
    assert count > 100


def test_links_are_rewritten(lite):
    there = {"docs/a.md", "notebooks/00_ten.ipynb", "exercises/01_frames.ipynb"}
    assert lite.linked("see [a](a.md#b), [c](../CHANGELOG.md)", "docs/z.md", there) == "see [a](a.md#b), c"
    assert lite.linked("[n](../notebooks/00_ten.py)", "docs/z.md", there) == "[n](../notebooks/00_ten.ipynb)"
    assert (
        lite.linked("[e](../exercises/01_frames/README.md)", "docs/z.md", there) == "[e](../exercises/01_frames.ipynb)"
    )
    assert lite.linked("[w](https://x.y/z) [h](#here)", "START.md", there) == "[w](https://x.y/z) [h](#here)"


def test_the_wheel_is_pure(lite, tmp_path):
    """Nothing compiled; numpy, scipy, sympy, matplotlib are in Pyodide; llvmlite only where it exists."""
    from packaging.requirements import Requirement

    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    needed = [Requirement(line) for line in __import__("tomllib").loads(text)["project"]["dependencies"]]
    browser = {
        "sys_platform": "emscripten", "platform_machine": "wasm32", "platform_python_implementation": "CPython",
        "implementation_name": "cpython", "os_name": "posix", "platform_system": "Emscripten",
        "python_version": "3.13", "python_full_version": "3.13.2",
    }  # fmt: skip
    there = {one.name for one in needed if one.marker is None or one.marker.evaluate(browser)}
    assert there == {"numpy", "scipy", "sympy", "matplotlib"}
    assert lite.BESIDE == ("comm",) and easydyn.__version__


def test_mistakes_are_explained(lite, tmp_path, monkeypatch):
    def said(*words):
        with pytest.raises(SystemExit) as caught:
            lite.site(*words)
        return str(caught.value)

    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("precious")
    monkeypatch.setattr(lite, "find_spec", lambda name: name)
    assert "has other things in it: choose a new folder" in said(tmp_path / "thesis")
    assert (tmp_path / "thesis" / "chapter.tex").read_text() == "precious"
    assert "expected a folder or an archive of Pyodide" in said(tmp_path / "site", str(tmp_path / "nowhere"))
    assert "is no Pyodide" in said(tmp_path / "site", str(tmp_path / "thesis"))
    monkeypatch.setattr(lite, "find_spec", lambda name: None)
    assert said(tmp_path / "site").endswith('python -m pip install ".[lite]" in the clone.')


def test_its_help_says_how(lite):
    done = subprocess.run(
        [sys.executable, str(ROOT / "notebooks" / "lite.py"), "--help"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0 and "--pyodide PLACE" in done.stdout
