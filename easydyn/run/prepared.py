"""What runs make of a system, and keep there for the next run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from easydyn.engine.system import CompiledSystem


def once(system: CompiledSystem, key: Any, make: Callable[[], Any]) -> Any:
    """What is made once for a system, by its key; with no key (None) it is made anew."""
    if key is None:
        return make()
    if key not in system.prepared:
        system.prepared[key] = make()
    return system.prepared[key]
