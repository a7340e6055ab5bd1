"""What is made once and kept: what runs make of a system, what a model derives for its loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def once(known: dict[Any, Any], key: Any, make: Callable[[], T]) -> T:
    """What is known by a key, made where it is not; with no key (None) it is made anew."""
    if key is None:
        return make()
    if key not in known:
        known[key] = make()
    found: T = known[key]
    return found
