"""The documents tell the truth: their Python runs, their links lead somewhere, and they fit every machine.

The ```python blocks of a page run in order, from top to bottom, as a reader would type them: one namespace a page, an
empty folder to write in. A block that cannot run here is preceded by `<!-- not run: reason -->`; few may be.
"""

import re
import textwrap
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest
from together import together

from easydyn.errors import MissingDependencyError

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = [ROOT / folder for folder in ("docs", "exercises", "notebooks", "benchmarks")]
PAGES = sorted({*ROOT.glob("*.md"), *(page for folder in FOLDERS for page in folder.rglob("*.md"))})
RUN = [page for page in PAGES if page.name != "CHANGELOG.md"]
MOST_LEFT_OUT = 5
SLOW = (
    "accelerators attitude contact course drives easyanim flexible flexible_cases lab linkages loops optimise reports "
    "robots rolling sight studies"
).split()

FENCE = re.compile(r"^( *)(`{3,}|~{3,})[ ]*(\w*).*$")
LEFT_OUT = re.compile(r"^\s*<!--\s*not run:\s*(.*?)\s*-->\s*$")
LINK = re.compile(r"\[[^\]]*\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
ABSOLUTE = re.compile(r"(?:^|(?<=[\s`'\"(=<]))(?:/[A-Za-z][\w.-]*/[\w.-]|[A-Za-z]:\\|file://)")


class Block(NamedTuple):
    page: Path
    line: int  # of its first line of code
    language: str
    code: str
    left_out: str | None  # the reason

    @property
    def where(self):
        return f"{name(self.page)}:{self.line}"


def name(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """The fenced blocks of a page, and its text with those blocks blanked (so that lines keep their numbers)."""
    found, prose, inside, reason = [], [], None, None
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        fence = FENCE.match(line)
        if inside is not None:
            if fence and fence[2].startswith(inside[0][2]) and not fence[3]:
                code = textwrap.dedent("\n".join(inside[1]))
                found.append(Block(page, number - len(inside[1]), inside[0][3], code, reason))
                inside, reason = None, None
            else:
                inside[1].append(line)
            prose.append("")
        elif fence:
            inside = (fence, [])
            prose.append("")
        else:
            if line.strip():
                said = LEFT_OUT.match(line)
                reason = said[1] if said else None
            prose.append(line)
    assert inside is None, f"{name(page)}: the last ``` block is never closed"
    return found, "\n".join(prose)


def python(page):
    return [block for block in blocks(page)[0] if block.language == "python"]


def test_there_is_something_to_run():
    shown = [block for page in RUN for block in python(page) if block.left_out is None]
    assert shown, "README.md and docs/ show no Python at all"


def guilty_line(error, block):
    """The line of the page where it went wrong."""
    if isinstance(error, SyntaxError) and error.filename == str(block.page):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return [block.line, *(frame.lineno for frame in frames if frame.filename == str(block.page))][-1]


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=pytest.mark.long) if p.stem in SLOW else p for p in RUN], ids=name
)
def test_python_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for block in python(page):
        if block.left_out is not None:
            continue
        try:
            # Blank lines in front: tracebacks then show the line of the page.
            program = compile("\n" * (block.line - 1) + block.code, str(page), "exec")
            with warnings.catch_warnings():
                warnings.simplefilter("default", UserWarning)  # an example may show how the package warns
                exec(program, namespace)
        except MissingDependencyError as error:
            pytest.skip(str(error))
        except (Exception, SystemExit) as error:
            where = f"{name(page)}:{guilty_line(error, block)}"
            raise AssertionError(f"{where}: {type(error).__name__}: {error}") from error


def test_few_blocks_are_left_out():
    left_out = [block for page in RUN for block in python(page) if block.left_out is not None]
    listing = "\n".join(f"  {block.where}: {block.left_out or 'no reason given'}" for block in left_out)
    print(f"blocks of Python that are not run: {len(left_out)}\n{listing}")
    assert all(block.left_out for block in left_out), f"a block is left out without a reason:\n{listing}"
    assert len(left_out) <= MOST_LEFT_OUT, f"more than {MOST_LEFT_OUT} blocks of Python are not run:\n{listing}"


@together("page", RUN, ids=name)
def test_modules_that_are_named_are_there(page):
    named = re.findall(r"`((?:[a-z_0-9]+/)+[a-z_0-9]+\.py)`", page.read_text(encoding="utf-8"))
    ours = [file for file in named if (ROOT / "easydyn" / file.split("/")[0]).is_dir()]
    assert not [file for file in ours if not (ROOT / "easydyn" / file).exists()]


@together("page", PAGES, ids=name)
def test_links_lead_somewhere(page):
    text = re.sub(r"`[^`\n]*`|\$\$.*?\$\$|\$[^$\n]+\$|<!--.*?-->", "", blocks(page)[1], flags=re.DOTALL)
    targets = [inline or defined for inline, defined in LINK.findall(text)]
    local = [target for target in targets if not re.match(r"[a-z][a-z0-9+.-]*:|#", target)]
    broken = [target for target in local if not (page.parent / unquote(target.split("#")[0])).exists()]
    outside = [target for target in local if not (page.parent / unquote(target)).resolve().is_relative_to(ROOT)]
    assert not broken, f"{name(page)} links to what does not exist: {', '.join(broken)}"
    assert not outside, f"{name(page)} links out of the project: {', '.join(outside)}"


@together("page", PAGES, ids=name)
def test_no_absolute_paths(page):
    lines = enumerate(page.read_text(encoding="utf-8").splitlines(), start=1)
    found = [f"{name(page)}:{number}: {line.strip()}" for number, line in lines if ABSOLUTE.search(line)]
    assert not found, "a path that only some machines have:\n" + "\n".join(found)
