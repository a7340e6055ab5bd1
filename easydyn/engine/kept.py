"""What is made once and kept: programs of equations, what runs make of a system, what a model derives."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from math import inf
from typing import Any, TypeVar

T = TypeVar("T")


class Kept(dict[Any, Any]):
    """Results by their keys, made when they are first asked for; of more than `most` the oldest goes.

    Threads that make something are let in one by one by `alone`, a lock, if there is one.
    """

    def __init__(self, most: float = inf, alone: AbstractContextManager[Any] | None = None):
        super().__init__()
        self._most, self._alone = most, nullcontext() if alone is None else alone

    def of(self, key: Any, make: Callable[[], T]) -> T:
        """What is known by a key, made where it is not; with no key (None) it is made anew."""
        if key is None:
            return make()
        found: Any = self.get(key, self)
        if found is self:
            with self._alone:
                found = self.get(key, self)
                if found is self:
                    found = make()
                    while len(self) >= self._most:
                        self.pop([*self, None][0], None)  # at once: another thread may change it
                    self[key] = found
        return found  # type: ignore[no-any-return]
