"""The documentation site, as far as it can be judged without building it: nothing is left out, and its checks check.

`python start.py docs` builds it; tests/built_site.py looks at the result.
"""

import importlib
import importlib.util
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest
from together import together

import easydyn

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SITE = DOCS / "site"
PAGES = sorted([*DOCS.glob("*.md"), *ROOT.glob("*.md"), ROOT / "notebooks/README.md", *ROOT.glob("exercises/**/*.md")])
TEXTBOOK = ("mechanics.symbols", "mechanics.kinematics", "mechanics.mbs", "mechanics.equations", "errors")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)[^)]*\)")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]*)#([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *$", re.MULTILINE)


@pytest.fixture(scope="module", autouse=True)
def tools():
    """The modules of docs/site can be imported, here only."""
    sys.path.insert(0, str(SITE))
    yield
    sys.path.remove(str(SITE))
    for name in ("api", "films", "links", "make"):
        sys.modules.pop(name, None)


def toctree():
    """Names of the pages in the table of contents, "docs/forces"."""
    text = (SITE / "index.md").read_text(encoding="utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    lines = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    return [line.rpartition("<")[2].rstrip("> ") for line in lines]


def without_code(text):
    return re.sub(r"^( *)```.*?^\1```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)


def test_every_page_is_in_the_table_of_contents():
    there = toctree()
    assert len(there) == len(set(there))
    pages = {f"docs/{page.stem}" for page in DOCS.glob("*.md") if page.name != "README.md"}
    others = {"README", "CONTRIBUTING", "CHANGELOG", "notebooks/README", "exercises/README", "benchmarks/README"}
    import api

    reference = {f"api/{page.file}" for page in api.PAGES} | {"api/command_line"}
    assert set(there) == pages | others | reference


def test_every_page_is_in_the_list_for_readers_of_the_repository():
    text = (DOCS / "README.md").read_text(encoding="utf-8")
    missing = [page.name for page in DOCS.glob("*.md") if page.name != "README.md" and f"]({page.name})" not in text]
    assert not missing, f"docs/README.md does not list {', '.join(missing)}"


def public_names():
    """(full name, thing) of what is public: `__all__` of every module, and what the textbook's modules define."""
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(easydyn.__path__, "easydyn.")
        if not found.name.endswith("__main__")
    ]
    for module in [easydyn, *modules]:
        if hasattr(module, "__all__"):
            yield from ((f"{module.__name__}.{name}", getattr(module, name)) for name in module.__all__)
        elif module.__name__.partition(".")[2] in TEXTBOOK:
            for name, thing in vars(module).items():
                written_here = getattr(thing, "__module__", None) == module.__name__
                if not name.startswith("_") and written_here and (inspect.isclass(thing) or inspect.isfunction(thing)):
                    yield f"{module.__name__}.{name}", thing


def test_every_public_name_is_in_the_reference():
    import api

    shown = [name for page in api.PAGES for _, names in page.sections for name, _ in api.entries(names)]
    assert len(shown) == len(set(shown)) and len(shown) > 150
    things = {id(api.thing(name)) for name in shown}  # each of them exists: anything else raises
    tables = {"easydyn.examples.MODELS", "easydyn.examples.PAPER"}  # of names, for `python -m easydyn list`
    missing = [name for name, thing in public_names() if id(thing) not in things and name not in tables]
    assert not missing, f"docs/site/api.py has no place for {', '.join(missing)}"


def test_the_reference_says_something_of_each_name():
    import api

    for page in api.PAGES:
        text = api.text(page)
        assert text.startswith(f"{page.title}\n=")
        for _, names in page.sections:
            for name, _ in api.entries(names):
                assert api.summary(name).endswith((".", ":")) or len(api.summary(name)) > 20, name
                assert re.search(rf"^\.\. (auto|py:)\w+:: {re.escape(api.full_name(name))}$", text, re.MULTILINE), name


def test_members_of_bases_are_shown_and_those_of_others_are_not():
    import api

    assert {"simulate", "coordinates", "equilibrium"} <= set(api.own_members(easydyn.Model))
    assert {"reaction", "plot"} <= set(api.own_members(easydyn.Trajectory))
    assert "subs" not in api.own_members(type(easydyn.t))


@together("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_pictures_have_words_and_anchors_exist(page):
    text = without_code(page.read_text(encoding="utf-8"))
    for words, path in PICTURE.findall(text):
        assert len(words.split()) >= 2, f"the picture {path} says nothing to those who do not see it"
        assert (page.parent / path).exists(), path
    for path, anchor in LINK.findall(text):
        if "://" in path:
            continue
        target = page.parent / path if path else page
        titles = [slug(title) for title in HEADING.findall(without_code(target.read_text(encoding="utf-8")))]
        assert anchor in titles, f"{path} has no heading #{anchor}"


def slug(title):
    """The anchor of a heading, as forges and MyST make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_the_how_to_page_has_enough_answers():
    text = (DOCS / "how_to.md").read_text(encoding="utf-8")
    questions = re.findall(r"^### \.\.\. .*\?$", text, re.MULTILINE)
    assert 25 <= len(questions) <= 50 and len(set(questions)) == len(questions)
    for answer in re.split(r"^### .*$", text, flags=re.MULTILINE)[1:]:
        assert "```python" in answer or "](" in answer or "`" in answer


CLEAN = """<!DOCTYPE html><html><body><h1 id="top">A page</h1><a href="b.html#here">b</a><a href="#top">up</a>
<a href="https://elsewhere.test/">elsewhere</a><img src="p.png" alt="A rod">
<script src="s.js"></script></body></html>"""


@pytest.fixture
def made(tmp_path):
    (tmp_path / "a.html").write_text(CLEAN, encoding="utf-8")
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1>', encoding="utf-8")
    (tmp_path / "p.png").write_bytes(b"")
    (tmp_path / "s.js").write_text("")
    (tmp_path / "s.css").write_text("p { background: url(p.png); }")
    return tmp_path


def test_a_clean_folder_has_no_findings(made):
    import links

    assert links.findings(made) == []
    assert links.findings(made / "empty") == [f"{made / 'empty'} holds no pages"]


@pytest.mark.parametrize(
    "file, old, new, finding",
    [
        ("a.html", "b.html#here", "c.html", "a.html: a dead link: c.html"),
        ("a.html", "b.html#here", "b.html#there", "a.html: a link to a place that is not there: b.html#there"),
        ("a.html", "#top", "#bottom", "a.html: a link to a place that is not there: #bottom"),
        ("a.html", "p.png", "q.png", "a.html: a dead link: q.png"),
        ("a.html", "s.js", "https://elsewhere.test/s.js", "a.html: loads https://elsewhere.test/s.js from elsewhere"),
        ("a.html", 'src="s.js"', 'src="//elsewhere.test/s.js"', "a.html: loads //elsewhere.test/s.js from elsewhere"),
        ("a.html", ' alt="A rod"', "", "a.html: a picture without words: p.png"),
        ("a.html", '<img src="p.png" alt="A rod">', '<iframe src="b.html"></iframe>',
         "a.html: a picture without words: a frame: b.html"),
        ("s.css", "url(p.png)", "url('https://elsewhere.test/f.woff')", "s.css: loads https://elsewhere.test/f.woff"),
        ("s.css", "p {", '@import "//elsewhere.test/x.css"; p {', "s.css: loads //elsewhere.test/x.css"),
    ],
)  # fmt: skip
def test_each_fault_of_a_page_is_found(made, file, old, new, finding):
    import links

    text = (made / file).read_text(encoding="utf-8")
    assert old in text
    (made / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    assert links.findings(made) == [finding]


def test_links_lead_to_where_things_are_on_the_site(tmp_path, monkeypatch):
    import make

    monkeypatch.setattr(make, "ROOT", tmp_path)
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(
        "[a](../notebooks/06_crank.py) [b](../easydyn/examples/ball.py) [c](README.md) [d](forces.md#x) [e](#x)\n"
        "[f](https://elsewhere.test/x.py) [g](../exercises)\n```text\n[h](../notebooks/06_crank.py)\n```\n",
        encoding="utf-8",
    )
    assert make.text_of(page) == (
        "[a](../notebooks/06_crank.ipynb) [b](source:../_modules/easydyn/examples/ball.html) [c](../index.md) "
        "[d](forces.md#x) [e](#x)\n[f](https://elsewhere.test/x.py) [g](../exercises/README.md)\n"
        "```text\n[h](../notebooks/06_crank.py)\n```\n"
    )
    moved = make.text_of(page, tmp_path / "index.md")
    assert "[d](docs/forces.md#x)" in moved and "[b](source:_modules/easydyn/examples/ball.html)" in moved


def test_films_of_the_gallery(tmp_path):
    """Each published mechanism has words, a film that moves, in few bytes, and a picture for who wants no motion."""
    image = pytest.importorskip("PIL.Image")
    import films

    cases = films.published()
    said = [films.words(case) for case in cases.values()]
    assert len(cases) == len(set(said)) == 42 and min(map(len, said)) > 30
    name = "Elementary.DoublePendulum"
    moving, still = films.film(name, cases[name], tmp_path)
    assert moving.stat().st_size < 60_000
    with image.open(moving) as film:
        assert film.n_frames > 20
        shown = []
        for k in range(film.n_frames):
            film.seek(k)
            shown.append(film.convert("L").tobytes())
    assert len(set(shown)) > 20
    card = films.card(name, cases[name])
    assert moving.name in card and still.name in card and "prefers-reduced-motion" in card
    assert f'alt="{films.words(cases[name])}"' in card
