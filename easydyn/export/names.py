"""Names of the user as identifiers of another language.

The names of a model are any text that Python or a person can read (θ, `upper arm`, `\\beta_{1}`); those of C or Fortran
are letters, digits and underscores, and some are taken. The rules, always the same for the same model:

1. Greek and accented letters become their Latin names (θ: theta, é: e), other signs of Unicode their code (u540d), and
   all that is neither letter nor digit an underscore; underscores at the beginning go, double ones become one.
2. A word that the language or the file itself needs gets an underscore at its end.
3. Of two equal names (in Fortran L and l are equal) the second gets _2, the third _3, ...
4. No name is longer than 63 characters, the least that all the languages allow.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

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
