"""Findings on events that never come and controllers that do nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def schedules(model: Any) -> Iterator[str]:
    """Findings on the events and the controllers of a model."""
    for event in model.events:
        yield from _never(event)
    for controller in model.controllers:
        law = controller.law
        if getattr(law, "idle", False) is True:
            yield (
                f"controller '{controller.name}' has no gain: it gives 0 to {law.command} whatever happens. Give "
                "proportional=, integral= or derivative=."
            )


def _never(event: Any) -> Iterator[str]:
    """An expression that is never negative, or never positive, does not change its sign: x**2, Abs(x)."""
    sign = "negative" if event.expression.is_nonnegative else "positive" if event.expression.is_nonpositive else ""
    if sign:
        yield (
            f"event '{event.name}' never comes: {event.expression} is never {sign}, and an event is where an "
            "expression changes its sign. Write one that does, x - 0.5 in place of (x - 0.5)**2 or Abs(x - 0.5)."
        )
