"""What is declared together is declared as a whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any


@contextmanager
def together(owner: Any) -> Iterator[None]:
    """Change an object in a `with`: when something fails there, the object is what it was before.

    Its attributes are kept, and of dicts, lists and sets what is in them.
    """
    attributes = vars(owner)
    before = {name: copy(x) if type(x) in (dict, list, set) else x for name, x in attributes.items()}
    try:
        yield
    except BaseException:
        attributes.clear()
        attributes.update(before)
        raise
