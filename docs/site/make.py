"""Make the documentation site: python docs/site/make.py, or `python start.py docs`, which installs what it needs.

1. All sources go into one folder, build/site-sources, laid out as in the repository, so that links between them hold:
   the pages of docs/, README, CONTRIBUTING, CHANGELOG, the notebooks with their outputs (executed unless the tests have
   just done so), the statements of the exercises, the reference (api.py), the command line.
2. Sphinx makes build/site of them; every warning is an error.
3. links.py looks at every page: nothing is loaded from elsewhere, no link is dead, no picture lacks its text.

The result is a folder that works as it stands, opened from the disk or put on any server.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ROOT / "build" / "site-sources"
SITE = ROOT / "build" / "site"
LINK = re.compile(r"(\]\(|^\[[^\]]+\]:\s*)(?!\w+:|#)([^)\s#]+)", re.MULTILINE)
FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)
COMMANDS = ("list", "demo", "figures", "new", "check", "exercise", "grade")

sys.path[:0] = [str(HERE), str(ROOT / "notebooks")]


def text_of(source: Path, staged: Path | None = None) -> str:
    """A page of Markdown with its links led to where things are on the site.

    A notebook is a page there, made from its .ipynb; a module of the package is shown by Sphinx with its colours.
    """
    here = source.parent.relative_to(ROOT)
    there = (staged or source).parent.relative_to(ROOT)

    def led(link: re.Match[str]) -> str:
        target = Path(os.path.normpath(here / link[2]))
        if target.parent.name == "notebooks" and re.match(r"\d\d_", target.name):
            target = target.with_suffix(".ipynb")
        elif target.parts[0] == "easydyn" and target.suffix == ".py":
            return f"{link[1]}source:{relative(Path('_modules') / target.with_suffix('.html'), there)}"
        elif target == Path("docs/README.md"):
            target = Path("index.md")
        elif target == Path("notebooks") or target == Path("exercises"):
            target = target / "README.md"
        return link[1] + relative(target, there)

    parts = FENCED.split(source.read_text(encoding="utf-8"))
    return "".join(part if k % 2 else LINK.sub(led, part) for k, part in enumerate(parts))


def relative(target: Path, folder: Path) -> str:
    return Path(os.path.relpath(target, folder)).as_posix()


def put(source: Path, staged: Path | None = None, more: str = "") -> None:
    """Stage a page."""
    target = SOURCES / (staged or source).relative_to(ROOT)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text_of(source, staged) + more, encoding="utf-8")


def gather() -> None:
    """All sources but the notebooks, in one folder."""
    import api
    import films

    shutil.rmtree(SOURCES, ignore_errors=True)
    put(HERE / "index.md", ROOT / "index.md")
    for page in (ROOT / "docs").glob("*.md"):
        if page.name != "README.md":  # the same list, for readers of the repository
            put(page)
    put(ROOT / "docs/gallery.md", more=films.section(SOURCES))
    for page in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md"):
        put(ROOT / page)
    for page, below in (("notebooks/README.md", "[0-9]*"), ("exercises/README.md", "[0-9]*/README")):
        put(ROOT / page, more=f"\n```{{toctree}}\n:hidden:\n:glob:\n\n{below}\n```\n")
    for statement in ROOT.glob("exercises/[0-9]*/README.md"):
        script = (statement.parent / "exercise.py").read_text(encoding="utf-8")
        name = statement.parent.name
        more = f"\n## The script\n\n`python -m easydyn exercise {name[:2]} --start .` puts it into your folder.\n"
        put(statement, more=f"{more}\n```python\n{script.rstrip()}\n```\n")
        if (statement.parent / "sketch.png").is_file():
            shutil.copy(statement.parent / "sketch.png", SOURCES / "exercises" / name)
    for name in ("LICENSE", "CITATION.cff"):
        shutil.copy(ROOT / name, SOURCES / name)
    shutil.copytree(ROOT / "docs" / "pictures", SOURCES / "docs" / "pictures")
    (SOURCES / "_static").mkdir(exist_ok=True)
    shutil.copy(HERE / "site.css", SOURCES / "_static")
    api.write(SOURCES / "api")
    (SOURCES / "api" / "command_line.rst").write_text(command_line(), encoding="utf-8")


def command_line() -> str:
    """What `--help` says of every command."""
    from easydyn.__main__ import main as easydyn

    os.environ.update(COLUMNS="88", NO_COLOR="1")
    text = ["The command line", "================", "", "Everything here is also a method or a function.", ""]
    for command in ("", *COMMANDS):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(SystemExit):
            easydyn([*command.split(), "--help"])
        title = f"easydyn {command}".strip()
        text += [title, "-" * len(title), "", ".. code-block:: text", ""]
        text += [f"   {line}".rstrip() for line in said.getvalue().splitlines()] + [""]
    return "\n".join(text)


def film() -> None:
    """The moving picture of the first page."""
    from easydyn import examples

    run = examples.double_pendulum().simulate(10, save_every=0.02)
    run.animate(trace=[("lower arm", (0, -0.55, 0))], plots=["q1", "q2"]).save(SOURCES / "_static" / "pendulum.html")


def notebooks() -> None:
    """The executed notebooks: those that were kept, and two at a time of those that were not."""
    import build as lessons  # notebooks/build.py

    sources = lessons.sources([])
    waiting = [source for source in sources if lessons.kept(source) is None]
    print(f"notebooks: {len(sources)}, of which {len(waiting)} are executed now", flush=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        commands = [
            [sys.executable, "-c", "import build, pathlib, sys; build.fresh(pathlib.Path(sys.argv[1]))", str(source)]
            for source in waiting
        ]
        lessons_folder = ROOT / "notebooks"
        for done in pool.map(lambda words: subprocess.run(words, cwd=lessons_folder, capture_output=True), commands):
            if done.returncode:
                sys.exit(done.stderr.decode(errors="replace"))
    for source in sources:
        shutil.copy(lessons.EXECUTED / f"{source.stem}.ipynb", SOURCES / "notebooks")


def main() -> int:
    """Make the site; 0 when all is well."""
    import links

    began = time.time()
    gather()
    film()
    notebooks()
    shutil.rmtree(SITE, ignore_errors=True)
    command = ["-m", "sphinx", "-W", "-n", "--keep-going", "-q", "-j", "2", "-b", "html", "-c", str(HERE)]
    caches = ["-d", str(ROOT / "build" / "site-doctrees"), str(SOURCES), str(SITE)]
    environment = dict(os.environ, PYTHONPATH=str(ROOT))
    if subprocess.call([sys.executable, *command, *caches], env=environment):
        print("the documentation could not be made: see the warnings above")
        return 1
    findings = links.findings(SITE)
    print(*findings, sep="\n", end="\n" if findings else "")
    pages = len(list(SITE.rglob("*.html")))
    print(f"documentation: {pages} pages, {len(findings)} findings, {time.time() - began:.0f} s")
    print(f"open {SITE / 'index.html'}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
