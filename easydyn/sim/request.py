"""The checked options of a run, for any system: times, method, tolerance, saved results."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from easydyn.errors import InputError
from easydyn.inputs import finite, listed, positive
from easydyn.sim.methods import method_of


def inside(t: float, begin: float, end: float) -> float:
    """A time (s); the end of a span that rounding has taken it out of, as 12*0.05 is more than 0.6."""
    near = min(max(t, begin), end)
    return near if abs(near - t) <= 1e-9 * (end - begin) else t


@dataclass(frozen=True)
class Request:
    """The options of a run, as `integrate` and `Model.simulate` document them.

    `t_start`, `t_final`, `max_step`, `min_step`, `step`, `save_every`, `save_at` in s; `tolerance`, `progress`,
    `max_steps` and `max_memory` (bytes) are passed on to what uses them. Raises InputError for times and
    steps that make no sense.
    """

    t_final: Any
    t_start: Any = 0.0
    method: Any = "newmark"  # afterwards the Method that is meant
    tolerance: Any = 1e-6
    step: Any = None
    max_step: Any = None
    min_step: Any = None
    save_every: Any = None
    progress: Any = None
    max_steps: Any = None
    max_memory: Any = None
    save_at: Any = None  # afterwards a tuple of floats, or None

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        for name in ("t_final", "t_start"):
            put(name, finite(getattr(self, name), name))
        if not self.t_final > self.t_start:
            raise InputError(f"t_final is {self.t_final:g} s: expected a time after the start, {self.t_start:g} s.")
        for name in ("save_every", "step", "min_step"):
            if getattr(self, name) is not None and not (name == "save_every" and self.every_step):
                put(name, positive(getattr(self, name), name))
        if self.save_at is not None:
            put("save_at", self._instants())
        method = method_of(self.method)
        put("method", method)
        if method.family.own_steps:
            for option in ("step", "min_step"):
                if (value := getattr(self, option)) is not None:
                    raise InputError(
                        f"{option} is {value:g} s: method={method.name!r} chooses its steps itself; leave `{option}` "
                        "out."
                    )

    def _instants(self) -> tuple[float, ...]:
        if self.save_every is not None:
            raise InputError(f"save_every is {self.save_every} and save_at was given, too: expected one of the two.")
        given = [finite(x, "an instant of save_at") for x in listed(self.save_at, "save_at", "times (s)")]
        found = tuple(inside(x, self.t_start, self.t_final) for x in given)
        if not found or any(b <= a for a, b in zip(found, found[1:], strict=False)):
            raise InputError(f"save_at is {list(found)}: expected one time (s) or more, each after the one before it.")
        for x in (found[0], found[-1]):
            if not self.t_start <= x <= self.t_final:
                raise InputError(
                    f"save_at has {x:g} s: expected times within the run, {self.t_start:g} to {self.t_final:g} s."
                )
        return found

    @property
    def every_step(self) -> bool:
        """True if every step must be saved, however many there are."""
        return isinstance(self.save_every, str) and self.save_every == "step"

    @property
    def longest_step(self) -> Any:
        """`max_step`, or its default value (s), which is short enough to resolve the beginning of a motion."""
        if self.max_step is not None:
            return self.max_step
        return (self.t_final - self.t_start) / (100 if self.method.family.short_steps else 10)

    @property
    def interval(self) -> float:
        """Interval between saved instants (s); 0 if steps are saved, as for methods with steps short enough to draw."""
        if self.every_step:
            return 0.0
        if self.save_every is not None:
            return self.save_every  # type: ignore[no-any-return]
        steps = self.method.family.short_steps and self.save_at is None
        return 0.0 if steps else (self.t_final - self.t_start) / 500


OPTIONS = tuple(field.name for field in fields(Request))
