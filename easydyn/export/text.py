"""Lines of source text: templates with places to fill, lines that are too long, words in comments, names."""

from __future__ import annotations

import re
import unicodedata
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


LONGEST = 63


def identifier(text: str, otherwise: str) -> str:
    """The text in letters, digits and underscores, beginning with a letter; `otherwise` where nothing is left."""
    latin = "".join(map(_latin, unicodedata.normalize("NFKD", text)))
    word = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", latin)).lstrip("_")
    if not re.sub("_", "", word):
        word = otherwise
    elif word[0].isdigit():
        word = f"{otherwise}_{word}"
    if not text.endswith("_"):
        word = word.rstrip("_")
    return word[:LONGEST]


def _latin(character: str) -> str:
    if character.isascii():
        return character
    if unicodedata.combining(character):
        return ""
    found = re.match(r"\w+ (SMALL|CAPITAL) LETTER (?:FINAL )?([A-Z]+)\b", unicodedata.name(character, ""))
    if found:
        return found[2].lower() if found[1] == "SMALL" else found[2].capitalize()
    return f"u{ord(character):x}" if character.isalnum() else "_"


class Names:
    """Assigns identifiers, each once; `changed` lists the names that had to change.

    The names of a model are any text that Python or a person can read (θ, `upper arm`, `\\beta_{1}`); those of C or
    Fortran are letters, digits and underscores, and some are taken. The rules, always the same for the same model:

    1. Greek and accented letters become their Latin names (θ: theta, é: e), other signs of Unicode their code (u540d),
       and all that is neither letter nor digit an underscore; underscores at the beginning go, double ones become one.
    2. A word that the language or the file itself needs gets an underscore at its end.
    3. Of two equal names (in Fortran L and l are equal) the second gets _2, the third _3, ...
    4. No name is longer than 63 characters, the least that all the languages allow.

    Parameters
    ----------
    reserved : iterable of str
        Words that no name may use.
    fold_case : bool
        Capital and small letters are the same.
    """

    def __init__(self, reserved: Iterable[str], fold_case: bool = False):
        self._fold = str.casefold if fold_case else str
        self._reserved = {self._fold(word) for word in reserved}
        self._taken: set[str] = set()
        self.changed: list[tuple[str, str]] = []

    def give(self, what: str, name: str, expected: str | None = None) -> str:
        """An identifier for `what` ("coordinate q1"), whose name is `name`, and ought to be called `expected`."""
        wanted = identifier(name if expected is None else expected, otherwise=what.split()[0])
        chosen = wanted if self._is_free(wanted) else self._another(wanted)
        self._taken.add(self._fold(chosen))
        if chosen != (name if expected is None else expected):
            self.changed.append((what, chosen))
        return chosen

    def _is_free(self, word: str) -> bool:
        return self._fold(word) not in self._reserved | self._taken

    def _another(self, word: str) -> str:
        if self._fold(word) in self._reserved and self._is_free(longer := word[: LONGEST - 1].rstrip("_") + "_"):
            return longer
        number = 2
        while not self._is_free(found := f"{word[: LONGEST - 1 - len(str(number))].rstrip('_')}_{number}"):
            number += 1
        return found

    def is_reserved(self, word: str) -> bool:
        """True for a word that no name may be."""
        return self._fold(word) in self._reserved

    def prefix(self, *wanted: str) -> str:
        """The first of the prefixes for which no name `prefix` + digits is taken: for variables of our own."""
        words = self._taken | self._reserved
        for prefix in wanted:
            if not any(re.fullmatch(re.escape(self._fold(prefix)) + r"\d+", word) for word in words):
                return prefix
        return self.prefix(*(f"{prefix}{wanted[0]}_" for prefix in wanted))
