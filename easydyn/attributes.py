"""Names behind a dot that are not there: what Python says of them in an AttributeError, in words that help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from easydyn.errors import UnknownAttributeError

# What it is called elsewhere, and what it may be called here.
HABITS = {"time": "t", "velocity": "v", "acceleration": "a", "angular_velocity": "omega", "position": "T", "pose": "T"}


class Attributes:
    """Base of what tells of a wrong attribute, and what may be meant.

    >>> class Arm(Attributes):
    ...     length = 1
    >>> Arm().lenght
    Traceback (most recent call last):
    easydyn.errors.UnknownAttributeError: Arm has no 'lenght': did you mean length? It has length.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # which should tell by itself

        def __getattr__(self, name):
            if name.startswith("_") or hasattr(type(self), name):  # libraries ask; a property of ours that fails
                raise AttributeError(name)
            raise unknown(self, name)


def unknown(thing: object, name: str) -> UnknownAttributeError:
    """What is said of an attribute that a thing does not have; by its key, where it has one of that name."""
    kind = type(thing).__name__
    try:
        thing[name]  # type: ignore[index]
    except Exception:  # it has no keys, or not this one
        from difflib import get_close_matches

        there = [x for x in dir(thing) if not x.startswith("_")]
        habit = HABITS.get(name, "")
        close = [habit] if habit in there else get_close_matches(name, there, n=1, cutoff=0.7)
        if close:
            return UnknownAttributeError(f"{kind} has no '{name}': did you mean {close[0]}? It has {', '.join(there)}.")
        return UnknownAttributeError(f"{kind} has no '{name}': expected another name. It has {', '.join(there)}.")
    return UnknownAttributeError(
        f"{kind} has no attribute '{name}': expected its name in brackets and quotes, ['{name}'], not .{name}."
    )
