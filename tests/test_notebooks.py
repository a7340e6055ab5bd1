"""The notebooks run from top to bottom, one test each, and have what a lesson needs.

Their sources are scripts in Jupytext's percent format; the .ipynb files beside them agree with these, and hold no
outputs. The checks of the numbers stand in the notebooks themselves: a lesson in which an `assert` fails, or that
warns, fails here. All are executed with the tests marked `long`.
"""

import ast
import importlib.util
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote

import pytest
from together import together

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
LEAST = 28  # so many there are, and none may be lost
CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
SKETCH = re.compile(r"\bsketch\(|\bdrawing\(\)")
WIDTH = 80  # of what does not wrap on a page
# The textbook's drawings of a notebook, one of every mechanism in it, where it has more than one.
SKETCHES = {
    2: 2, 8: 2, 9: 5, 10: 4, 11: 2, 13: 2, 14: 2, 15: 2, 16: 3, 17: 4, 19: 4, 20: 2, 21: 2, 22: 2, 23: 2,
    24: 5, 25: 5, 26: 2, 27: 4,
}  # fmt: skip

every = together("source", SOURCES, ids=lambda path: path.stem)
executed = pytest.mark.parametrize(
    "source",
    [pytest.param(path, marks=pytest.mark.long) for path in SOURCES],
    ids=lambda path: path.stem,
)


def numbered(source):
    """(kind, text, lines before it) of each cell: "markdown" without the comment signs, or "code"."""
    text = source.read_text(encoding="utf-8")
    marks = [*CELL.finditer(text)]
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        body = text[mark.end() + 1 : end].rstrip()
        before = text.count("\n", 0, mark.end() + 1)
        if "[markdown]" in mark[1]:
            yield "markdown", re.sub(r"^# ?", "", body.strip(), flags=re.MULTILINE), before
        else:
            yield "code", body, before


def cells(source):
    return [(kind, text) for kind, text, _ in numbered(source)]


def prose(source):
    return "\n\n".join(text for kind, text in cells(source) if kind == "markdown")


def section(text, title):
    """The text under a heading."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"there is no section '{title}'"
    return found[1]


def test_all_of_them_are_found():
    assert [int(source.name[:2]) for source in SOURCES] == list(range(len(SOURCES)))
    assert len(SOURCES) >= LEAST


def execute(code, number, source, names):
    """Run one cell; the name of the form in which a notebook would show its last value, or None."""
    code = "\n" * number + code  # lines of a traceback are those of the file
    body = ast.parse(code, str(source)).body
    shown = body and isinstance(body[-1], ast.Expr) and not code.endswith(";")
    last = body.pop() if shown else None
    exec(compile(ast.Module(body, []), str(source), "exec"), names)
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), str(source), "eval"), names)
    for form in ("_repr_html_", "_repr_latex_"):
        if getattr(value, form, None) is not None and getattr(value, form)():
            return form
    return repr(value) and None


def kernel():
    """Whether notebooks can be run as a reader does: through a kernel, which does not know what a test has hidden."""
    there = all(importlib.util.find_spec(name) for name in ("jupytext", "nbclient", "ipykernel"))
    return there and not os.environ.get("EASYDYN_HIDE")


def lessons():
    """notebooks/build.py."""
    spec = importlib.util.spec_from_file_location("lessons", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@executed
def test_it_runs(source, tmp_path, monkeypatch):
    """All cells in order, in an empty folder, with what they show: formulas, pictures, a player.

    Through a kernel where there is one; the outputs are kept in build/notebooks, for the documentation.
    """
    monkeypatch.chdir(tmp_path)
    kinds = as_a_reader(source, tmp_path) if kernel() else as_a_script(source)
    assert "image/png" in kinds, "no picture was drawn"
    assert "text/html" in kinds, "nothing moves"
    assert not list(tmp_path.iterdir()), "files were left behind"


def as_a_script(source):
    """The cells in a namespace of their own, warnings being errors; the kinds of what they show."""
    from matplotlib import pyplot

    pyplot.close("all")
    names, began = {"__name__": "__main__"}, time.process_time()
    forms = [execute(code, number, source, names) for kind, code, number in numbered(source) if kind == "code"]
    assert time.process_time() - began < 60, "a notebook takes less than a minute"
    shown = {"image/png": bool(pyplot.get_fignums()), "text/html": "_repr_html_" in forms}
    return {kind for kind, there in shown.items() if there}


def as_a_reader(source, folder):
    """The cells through a kernel; the kinds of what they show."""
    build, began = lessons(), os.times()
    notebook = build.executed(source, folder)
    ended = os.times()
    assert ended.children_user - began.children_user < 60, "a notebook takes less than a minute"
    shown = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    said = [out.text for out in shown if out.get("name") == "stderr"]
    assert not said and not any(out.output_type == "error" for out in shown), said
    assert [cell.cell_type for cell in notebook.cells] == [kind for kind, _ in cells(source)]
    for cell in notebook.cells:
        drawn = cell.cell_type == "code" and any("image/png" in out.get("data", ()) for out in cell.outputs)
        assert drawn == ("alt" in cell.metadata), f"a picture has a text, and nothing else has one: {cell.source}"
    build.keep(notebook, source)
    return {kind for out in shown for kind in out.get("data", ())}


def test_they_are_built(tmp_path):
    """As .ipynb files without outputs, whose cells are those that Jupytext takes the source for."""
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    import nbformat

    command = [sys.executable, str(FOLDER / "build.py"), "00", "12", "--folder", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for path, source in zip(sorted(tmp_path.glob("*.ipynb")), (SOURCES[0], SOURCES[12]), strict=True):
        notebook = nbformat.read(path, as_version=4)
        assert [cell.cell_type for cell in notebook.cells] == [kind for kind, _ in cells(source)]
        assert not any(cell.outputs for cell in notebook.cells if cell.cell_type == "code")


def test_what_was_executed_is_taken_while_nothing_has_changed(tmp_path, monkeypatch):
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    import jupytext

    build = lessons()
    monkeypatch.setattr(build, "EXECUTED", tmp_path / "executed")
    source = tmp_path / "00_short.py"
    source.write_text("# %%\n1 + 1\n", encoding="utf-8")
    assert build.kept(source) is None
    notebook = jupytext.read(source)
    notebook.metadata["easydyn"] = {"fingerprint": build.fingerprint(source)}
    path = build.keep(notebook, source)
    assert build.kept(source) == build.fresh(source) == path
    source.write_text("# %%\n1 + 2\n", encoding="utf-8")
    assert build.kept(source) is None


def test_no_outputs_are_stored():
    for source in SOURCES:
        for path in (source, source.with_suffix(".ipynb")):
            text = path.read_text(encoding="utf-8")
            assert "image/png" not in text and "base64" not in text
        assert "format_name: percent" in source.read_text(encoding="utf-8").split("# %%")[0]
    if (ROOT / ".git").exists():
        kept = subprocess.run(["git", "ls-files", "*.ipynb"], cwd=ROOT, capture_output=True, text=True, check=True)
        assert {Path(name).parent.as_posix() for name in kept.stdout.split()} <= {"notebooks"}, kept.stdout


def test_those_to_click_agree_with_their_sources():
    """Cell by cell, to the letter: whoever changes a source has them made anew."""
    pytest.importorskip("jupytext", reason="jupytext is not installed")
    build = lessons()
    assert sorted(FOLDER.glob("*.ipynb")) == [source.with_suffix(".ipynb") for source in SOURCES]
    for source in SOURCES:
        there = source.with_suffix(".ipynb").read_text(encoding="utf-8")
        assert there == build.text_of(build.notebook_of(source)), f"python notebooks/build.py {source.name[:2]}"


def test_every_mechanism_has_its_sketch():
    """Drawn by the library, in a cell of its own, with a text for those who do not see it."""
    for source in SOURCES:
        drawn = [text for kind, text in cells(source) if kind == "code" and SKETCH.search(text)]
        assert len(drawn) >= SKETCHES.get(int(source.name[:2]), 1), source.name
    everything = "\n".join(source.read_text(encoding="utf-8") for source in SOURCES)
    texts = re.findall(r'^# %% alt="(.*)"$', everything, re.MULTILINE)
    assert len(texts) >= 70 and min(map(len, texts)) > 20


@every
def test_nothing_scrolls_sideways(source):
    """Lines of code are as wide as a page; so is text, but for formulas, links and tables."""
    for kind, text in cells(source):
        for line in text.splitlines():
            if kind == "code" or not re.search(r"[$|`(\\]", line):
                assert len(line) <= WIDTH - 2 * (kind == "markdown"), line


@every
def test_the_paper_is_named_once(source):
    """A lesson is about mechanics. Equations have their numbers; where these come from is said once."""
    assert len(re.findall(r"\bpaper\b", prose(source))) <= 1


@every
def test_it_is_a_lesson(source):
    """Objectives, a question, the paper's equations, three questions with hidden answers, where to read on."""
    kind, first = cells(source)[0]
    assert kind == "markdown" and first.startswith(f"# {int(source.name[:2])}. ")
    objectives = first.split("**After this notebook you can**")[1]
    assert len(re.findall(r"^- ", objectives, re.MULTILINE)) >= 3 and "**The question.**" in objectives
    text = prose(source)
    assert re.search(r"\\tag\{\d+\}|eqs?\. \(\d+\)", text), "no equation of the paper is named"
    questions, answers = section(text, "Questions").split("<details><summary>Answers</summary>")
    for part in (questions, answers):
        assert re.findall(r"^(\d)\. ", part, re.MULTILINE) == ["1", "2", "3"]
    assert "</details>" in answers
    assert LINK.search(section(text, "Where to read on")), "no link leads on"


@every
def test_its_cells_are_short_and_its_numbers_checked(source):
    code = [text.strip() for kind, text in cells(source) if kind == "code"]
    assert max(text.count("\n") + 1 for text in code) <= 40
    checks = sum(isinstance(node, ast.Assert) for text in code for node in ast.walk(ast.parse(text)))
    assert checks >= 3


@together("page", [*SOURCES, FOLDER / "README.md"], ids=lambda path: path.stem)
def test_its_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if "://" in target or target.startswith("#"):
            continue
        path = Path(os.path.normpath(FOLDER / unquote(target.split("#")[0])))
        assert path.exists() and ROOT in path.parents, f"{target}: is it there, in the clone?"


def test_the_table_of_weeks_has_all_of_them():
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for source in SOURCES:
        title = cells(source)[0][1].splitlines()[0].split(". ", 1)[1]
        assert f"[{title}]({source.stem}.ipynb)" in table


def test_the_plan_of_weeks_has_all_exercises():
    """Each in one week; so has every notebook."""
    table = section((FOLDER / "README.md").read_text(encoding="utf-8"), "Twelve weeks")
    there = re.findall(r"\]\(\.\./exercises/(\w+)/README\.md\)", table)
    assert sorted(there) == sorted(path.parent.name for path in ROOT.glob("exercises/[0-9][0-9]_*/check.py"))
    assert sorted(re.findall(r"\]\((\w+)\.ipynb\)", table)) == [source.stem for source in SOURCES]
