"""Lines of source text: templates with places to fill, lines that are too long, words in comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_CHOICE = re.compile(r"( *)\{\{if ([\w ]+)\}\}(.*)")
_PREFERRED = re.compile(r"[-+*/,<>=&|?:] ")  # a line goes on after an operator: Julia asks for that, nobody minds
_POSSIBLE = re.compile(r"(?<![*/])[*/](?![*/])|[-+*/,<>=&|?:] ")
_REMARK = re.compile(r"(?:  (?://|!|#|%)|(?<=,) //) ")  # a comment behind code: it goes to the end


def template(name: str) -> str:
    """A file of templates/."""
    return (files("easydyn.export") / "templates" / name).read_text(encoding="utf-8")


def sections(name: str) -> dict[str, str]:
    """The texts of templates/NAME.txt by their headings, lines such as "@@ solve"."""
    _, *found = re.split(r"^@@ (.+)\n", template(f"{name}.txt"), flags=re.MULTILINE)
    return dict(zip(found[::2], found[1::2], strict=True))


def helpers_of(parts: Mapping[str, str]) -> dict[str, str]:
    """The sections "helper sign" and the like, by operation."""
    return {key.removeprefix("helper "): text for key, text in parts.items() if key.startswith("helper ")}


def fill(template: str, pieces: Mapping[str, Any], *, width: int = 120, going_on: str = "") -> str:
    """The template with its {{places}} filled: a text within its line, a list as lines of their own, wrapped.

    A line that begins with {{if name}} is left out where that piece is false, 0 or empty; with {{if not name}} where it
    is not; with {{if one and other}} where one of both would leave it out.
    `going_on` is what the language wants at the end of a line that is continued.
    """
    lines: list[str] = []
    for line in template.splitlines():
        if choice := _CHOICE.fullmatch(line):
            terms = choice[2].split(" and ")
            if any(bool(pieces[term.removeprefix("not ")]) == term.startswith("not ") for term in terms):
                continue
            line = choice[1] + choice[3]
        alone = re.fullmatch(r"( *)\{\{(\w+)\}\}", line)
        piece = pieces[alone[2]] if alone else None
        if alone and piece is not None and not isinstance(piece, str | int):
            for each in piece:
                lines += wrapped(alone[1] + each, width, going_on)
        else:
            lines += wrapped(_PLACE.sub(lambda place: str(pieces[place[1]]), line), width, going_on)
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return re.sub(r"\n{3,}", "\n\n", text)


def wrapped(line: str, width: int, going_on: str = "") -> list[str]:
    """A line of code in lines of at most `width` characters, where it can be broken; comments stay, however long."""
    if len(line) <= width or line.lstrip().startswith(("//", "!", "#", "%")):
        return [line]
    remark = _REMARK.search(line)
    if remark:
        *before, last = wrapped(line[: remark.start()], width, going_on)
        return [*before, last + line[remark.start() :]]
    indent = re.match(" *", line)[0]  # type: ignore[index]
    after = f" {going_on}" if going_on else ""
    found: list[str] = []
    while len(line) > width:
        first = len(indent) + 4 * (len(found) > 0) + 1
        places = [m.end() for m in _PREFERRED.finditer(line, first) if m.end() - 1 <= width - len(after)]
        places = places or [m.end() for m in _POSSIBLE.finditer(line, first) if m.end() <= width - len(after)]
        if not places:
            break
        found.append(line[: places[-1]].rstrip() + after)
        line = f"{indent}    {line[places[-1] :].lstrip()}"
    return [*found, line]


def plain(text: str) -> str:
    """A text of the user's on one line, without signs that nobody sees, or that end or join comments."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown.replace("??", "? ?").replace("*/", "* /").replace("/*", "/ *").rstrip("\\ ")


def packed(parts: Iterable[str], separator: str, begin: str = "", end: str = "", width: int = 100) -> list[str]:
    """Short parts side by side on lines of about `width` characters, each line between `begin` and `end`."""
    sizes = ((part, len(part) + len(separator)) for part in parts)
    groups = _groups(sizes, width, len(begin) + len(end) - len(separator))
    return [begin + separator.join(line) + end for line in groups]


def by_kind(parts: Iterable[tuple[str, bool]], kinds: tuple[str, str], end: str = "") -> list[str]:
    """Short parts, several in a line after the word of their kind: those of numbers, then those of conditions."""
    both: tuple[list[str], list[str]] = [], []
    for part, condition in parts:
        both[condition].append(part)
    return [line for kind, those in zip(kinds, both, strict=True) for line in packed(those, ", ", kind, end)]


def paired(pairs: Iterable[tuple[str, str]], one: str, several: str, width: int = 100) -> list[str]:
    """Assignments of short values, many in a line: "{} = {}" for one, "{}, {} = {}, {}" for several."""
    groups = _groups(((pair, len("".join(pair)) + 4) for pair in pairs), width)
    return [
        (one if len(group) == 1 else several).format(*(", ".join(words) for words in zip(*group, strict=True)))
        for group in groups
    ]


def _groups(parts: Iterable[tuple[Any, int]], width: int, around: int = 0) -> list[list[Any]]:
    """Parts, each with its length, in lines that are not longer than `width` with what stands `around` them."""
    groups: list[list[Any]] = []
    length = 0
    for part, size in parts:
        length += size
        if not groups or length > width:
            groups.append([])
            length = around + size
        groups[-1].append(part)
    return groups


def commented(lines: Iterable[str], mark: str) -> list[str]:
    """Lines as comments."""
    return [f"{mark} {plain(line)}".rstrip() for line in lines]
