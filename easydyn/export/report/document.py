"""Parts of a report in any format: headings, paragraphs, tables, formulas, listings, pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

# A text with formulas in it, piece by piece.
Inline: TypeAlias = "str | Maths | tuple[str | Maths, ...]"


@dataclass(frozen=True)
class Maths:
    """A formula within a line."""

    tree: Any


def inline(text: Inline, words: Callable[[str], str], maths: Callable[[Any], str]) -> str:
    """A text with formulas, of its `words` and its `maths` in one format."""
    if isinstance(text, str):
        return words(text)
    return maths(text.tree) if isinstance(text, Maths) else "".join(inline(part, words, maths) for part in text)


@dataclass(frozen=True)
class Heading:
    """A heading of a section (1) or of a part of one (2)."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """A paragraph."""

    text: Inline


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Inline, ...]


@dataclass(frozen=True)
class Table:
    """A table: headings of columns, rows of as many cells; columns of numbers stand on the right."""

    heading: tuple[str, ...]
    rows: tuple[tuple[Inline, ...], ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True)
class Formula:
    """left = right, where the right side may go on for several lines."""

    left: Any
    lines: tuple[Any, ...]


@dataclass(frozen=True)
class Formulas:
    """Formulas below each other, their signs of equality in line; short ones in several columns."""

    formulas: tuple[Formula, ...]
    columns: int = 1


@dataclass(frozen=True)
class Listing:
    """Lines of a program."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A figure, its name in files, what stands below it, and whether it is as wide as the text."""

    figure: Any
    name: str
    caption: str
    wide: bool = False


@dataclass(frozen=True)
class Document:
    """A title, a line below it, and blocks."""

    title: str
    subtitle: str
    blocks: list[Any] = field(default_factory=list)
