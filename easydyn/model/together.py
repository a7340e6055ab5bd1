"""Declarations that belong together are made completely, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any


@contextmanager
def together(owner: Any) -> Iterator[None]:
    """Change an object in a `with` block: if something fails there, the object returns to its previous state.

    Its attributes are restored, and also the contents of dicts, lists and sets.
    """
    attributes = vars(owner)
    before = {name: copy(x) if type(x) in (dict, list, set) else x for name, x in attributes.items()}
    try:
        yield
    except BaseException:
        attributes.clear()
        attributes.update(before)
        raise
