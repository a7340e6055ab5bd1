"""The course in a real browser: the site is built, served and used, in headless Chromium with Python inside of it.

    python tests/lite_in_browser.py                       everything, in a temporary folder; a minute or two
    python tests/lite_in_browser.py --pictures FOLDER     the same, with screenshots to look at

A visitor opens the first page, runs notebook 0 from top to bottom, does exercise 01 wrongly and then rightly. Nothing
comes from another server: Pyodide is part of the site (pyodide_folder.py). Needs the packages of the extra `lite`,
Chromium and npm; that is why it is a program of its own and not one of the tests that everybody runs.
"""

import argparse
import functools
import http.server
import json
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "notebooks")]

import browser  # noqa: E402
import lite  # noqa: E402
import pyodide_folder  # noqa: E402

PATIENCE = 300.0  # s for what Python does in the browser
pictures = None  # the folder for screenshots, if any are wanted
EXERCISE = "01"
WRONG = "def elbow(q1):\n    return tdisp(0, -L1, 0) * trotz(q1)"
RIGHT = "def elbow(q1):\n    return trotz(q1) * tdisp(0, -L1, 0)"

# The notebook that is in front; others may be open from the page before. What is out of sight in it is not laid out:
# textContent, not innerText.
FRONT = "(document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)') || document)"
PROMPTS = f"[...{FRONT}.querySelectorAll('.jp-CodeCell .jp-InputPrompt')].map(e => e.textContent)"
OUTPUTS = f"[...{FRONT}.querySelectorAll('.jp-OutputArea-output')].map(e => e.textContent).join('\\n')"
FAILED = f"""[...{FRONT}.querySelectorAll('.jp-OutputArea-output')]
    .filter(e => /error|stderr/.test(e.getAttribute('data-mime-type') || '')).map(e => e.textContent)"""

SKETCH = f"[...{FRONT}.querySelectorAll('.jp-RenderedMarkdown img')].some(e => e.naturalWidth > 100)"


def count(what):
    return f"{FRONT}.querySelectorAll('{what}').length"


def show(page, name):
    """A screenshot, if any are wanted."""
    if pictures is not None:
        pictures.mkdir(parents=True, exist_ok=True)
        page.picture(pictures / f"{name}.png")


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of plain files, which keeps what was not there."""

    missing: list = []

    def log_request(self, code="-", size="-"):
        if code == 404:
            self.missing.append(self.path)

    def log_message(self, form, *values):
        pass


def press(page, key, code, modifiers=0):
    for kind in ("rawKeyDown", "keyUp"):
        page.send(
            "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, modifiers=modifiers
        )


def click(page, text):
    """Put the cursor into the first cell of Python that has this text."""
    place = page.run(f"""(() => {{
        const found = [...{FRONT}.querySelectorAll('.jp-CodeCell')].find(e => e.textContent.includes({text!r}));
        found.scrollIntoView({{block: 'center'}});
        const box = found.querySelector('.jp-InputArea-editor').getBoundingClientRect();
        return [box.x + 30, box.y + 12];
    }})()""")
    page.settle()
    for kind in ("mousePressed", "mouseReleased"):
        page.mouse(kind, *place, button="left", clickCount=1)
    page.settle()


def wait(page, expression, what):
    end = time.monotonic() + PATIENCE
    while not page.run(expression):
        if time.monotonic() > end:
            show(page, "too late")
            raise TimeoutError(f"{what}: not within {PATIENCE:g} s. Outputs so far:\n{page.run(OUTPUTS)[-2000:]}")
        time.sleep(0.5)


def open_notebook(chromium, address, cells):
    """A page with a notebook of so many cells, with the cursor in its first cell of Python."""
    page = chromium.open(address, 1200, 1000)
    wait(page, f"{count('.jp-Cell')} == {cells}", "all cells are shown")
    click(page, "%pip install")
    return page


def run_all(page, path):
    """Shift+Enter in every cell from the first of Python on; they are queued, once the page listens to the keyboard."""
    kinds = [cell["cell_type"] for cell in cells_of(path)]
    press(page, "Enter", 13, modifiers=8)
    for _ in range(20):
        time.sleep(1)
        if page.run("[...document.querySelectorAll('.jp-InputPrompt')].some(x => /[*0-9]/.test(x.textContent))"):
            break
        click(page, "%pip install")
        press(page, "Enter", 13, modifiers=8)
    for _ in kinds[kinds.index("code") + 1 :]:
        press(page, "Enter", 13, modifiers=8)
        time.sleep(0.2)


def require(condition, sentence):
    if not condition:
        raise AssertionError(sentence)


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def visit(site, base, chromium):
    """Everything a visitor does."""
    page = chromium.open(f"{base}/lab/index.html?path=START.md", 1200, 1000)
    wait(page, "document.body.textContent.includes('Ten minutes: from a matrix')", "the first page")
    wait(page, "!document.querySelector('#jupyterlab-splash')", "the page is complete")
    show(page, "start")
    lessons = sorted((site / "files" / "notebooks").glob("*.ipynb"))
    exercises = sorted((site / "files" / "exercises").glob("*.ipynb"))
    for path in lessons + exercises:
        require(page.run(f"document.body.innerHTML.includes({path.name!r})"), f"{path.name} is not on the first page")
    print(f"the first page leads to {len(lessons)} notebooks and {len(exercises)} exercises")

    task = next(path for path in exercises if path.name.startswith(EXERCISE))
    first, second = len(cells_of(lessons[0])), len(cells_of(task))
    began = time.monotonic()
    lesson = open_notebook(chromium, f"{base}/lab/index.html?path=notebooks/{lessons[0].name}", first)
    run_all(lesson, lessons[0])
    codes = sum(cell["cell_type"] == "code" for cell in cells_of(lessons[0]))
    wait(lesson, f"{PROMPTS}.slice(0, {codes}).every(text => /[0-9]/.test(text))", lessons[0].name)
    require(not lesson.run(FAILED), f"{lessons[0].name}: {lesson.run(FAILED)}")
    said = lesson.run(OUTPUTS)
    require("period: 2.38443 s in the run, 2.38443 s by the formula" in said, said)
    pictures = lesson.run(count(".jp-RenderedImage img"))
    formulas = lesson.run(count(".jp-RenderedLatex mjx-container"))
    require(pictures >= 3 and formulas >= 4, f"{pictures} pictures, {formulas} formulas")
    require(lesson.run(count(".jp-OutputArea-output iframe")) == 1, "nothing moves")
    print(f"{lessons[0].name}: {pictures} pictures, {formulas} formulas, in {time.monotonic() - began:.0f} s")
    show(lesson, "notebook end")
    click(lesson, "run.animate")
    time.sleep(1)
    show(lesson, "notebook animation")

    chromium.close(lesson)
    began = time.monotonic()
    page = open_notebook(chromium, f"{base}/lab/index.html?path=exercises/{task.name}", second)
    wait(page, SKETCH, f"{task.name}: the sketch of its statement")
    run_all(page, task)
    wait(page, f"{OUTPUTS}.includes('0 of 4 stages pass')", "the untouched exercise")
    for answer, expected in ((WRONG, "The order of the product"), (RIGHT, "1 of 4 stages pass")):
        click(page, "def elbow")
        press(page, "a", 65, modifiers=2)
        page.send("Input.insertText", text=answer)
        press(page, "Enter", 13, modifiers=2)
        click(page, "easydyn.exercise")
        press(page, "Enter", 13, modifiers=2)
        wait(page, f"{OUTPUTS}.includes({expected!r})", expected)
    require(not page.run(FAILED), f"{task.name}: {page.run(FAILED)}")
    show(page, "exercise")
    print(f"{task.name}: untouched, wrong and right are told apart, in {time.monotonic() - began:.0f} s")


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="where screenshots go")
    parser.add_argument("--pyodide", type=Path, metavar="FOLDER", help="Pyodide that pyodide_folder.py has made before")
    given = parser.parse_args()
    global pictures
    pictures = given.pictures
    if browser.program() is None:
        sys.exit(f"there is no Chromium here: expected one of {', '.join(browser.NAMES)}.")
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        pyodide = given.pyodide or pyodide_folder.make(work / "pyodide")
        site = lite.site(work / "site", str(pyodide))
        (work / "profile").mkdir()
        handler = functools.partial(Quiet, directory=str(site))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with browser.Browser(work / "profile") as chromium:
                visit(site, f"http://localhost:{server.server_port}", chromium)
        finally:
            server.shutdown()
        missing = [path for path in Quiet.missing if "favicon" not in path]
        require(not missing, f"files that the site lacks: {missing}")
    print("the course runs in a browser")


if __name__ == "__main__":
    main()
