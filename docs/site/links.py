"""Looks at finished pages: links and anchors lead somewhere, nothing is loaded from elsewhere, pictures have words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {"src", "srcset", "data", "poster"}  # of any element; href of <link> as well
ELSEWHERE = re.compile(r"^(?:https?:)?//", re.IGNORECASE)
STYLE = re.compile(r"url\(\s*['\"]?((?:https?:)?//[^'\")]+)|@import\s+['\"]((?:https?:)?//[^'\"]+)", re.IGNORECASE)
FILE = re.compile(r"\.(?:png|svg|jpe?g|gif)\s*$")  # a name of a file is no word
OUT = {"http", "https", "mailto", "data", "javascript"}


class Page(HTMLParser):
    """What a page refers to."""

    def __init__(self, text: str):
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.silent: list[str] = []  # pictures and frames without words
        self.titles = 0
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors.update(given[name] for name in ("id", "name") if given.get(name))
        self.titles += tag == "h1"
        if tag in ("a", "area") and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.loaded.append(given.get("href", ""))
        self.loaded += [given[name] for name in LOADS if given.get(name)]
        if tag == "img" and (not given.get("alt", "").strip() or FILE.search(given["alt"])):
            self.silent.append(given.get("src", "")[:60])
        if tag == "iframe" and not given.get("title", "").strip():
            self.silent.append("a frame: " + given.get("src", "srcdoc")[:60])


def findings(site: Path) -> list[str]:
    """What is wrong with the pages of a folder, a sentence each; empty when all is well."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if pages else [f"{site} holds no pages"]
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        if "_static" in path.relative_to(site).parts:
            continue
        found += [f"{where}: {fault}" for fault in faults(path, page, pages)]
    for sheet in sorted(site.rglob("*.css")):
        for first, second in STYLE.findall(sheet.read_text(encoding="utf-8")):
            found.append(f"{sheet.relative_to(site).as_posix()}: loads {first or second}")
    return found


def faults(path: Path, page: Page, pages: dict[Path, Page]) -> Iterator[str]:
    """What is wrong with one page."""
    for silent in page.silent:
        yield f"a picture without words: {silent}"
    for address in [*page.links, *page.loaded]:
        if address in page.loaded and ELSEWHERE.match(address):
            yield f"loads {address} from elsewhere"
            continue
        parts = urlsplit(address)
        if parts.scheme in OUT or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
        target = target / "index.html" if target.is_dir() else target
        if not target.exists():
            yield f"a dead link: {address}"
        elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
            yield f"a link to a place that is not there: {address}"
