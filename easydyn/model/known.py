"""Copies of a model in a process share what was derived and compiled: it is found by what the model consists of.

A model that comes out of a pickle, as it does for every task of a pool of processes, has the same bodies, elements and
programs as the one before it, if it was written the same; values of parameters are its own.
"""

from __future__ import annotations

from collections import OrderedDict
from copy import copy
from typing import Any

from easydyn.mechanics.content import content_of

MOST = 8  # models that are remembered
OWN = "_parameters", "_warned"
_KNOWN: OrderedDict[str, dict[str, Any]] = OrderedDict()


def identity(state: dict[str, Any]) -> str:
    """What a model of these attributes consists of, values of parameters left out; empty where it cannot be told."""
    written = {name: x for name, x in state.items() if name not in (*OWN, "_compiled", "_recent", "_content")}
    try:
        return content_of([written, list(state["_parameters"])], closures=False)
    except (TypeError, ValueError, RecursionError):  # something that cannot be read off
        return ""


def shared(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of a model out of a pickle, with those of an equal one that is known already in their place."""
    key = state.get("_content", "")
    if not key:
        return _copied(state)
    known = _KNOWN.get(key)
    if known is None:
        _KNOWN[key] = _copied(state)
        while len(_KNOWN) > MOST:
            _KNOWN.popitem(last=False)
        return _copied(state)
    return _copied(state) | {name: x for name, x in _copied(known).items() if name not in OWN}


def _copied(state: dict[str, Any]) -> dict[str, Any]:
    """The same with containers of its own, but for what is derived, which is common to all."""
    common = "_compiled", "_recent"
    return {name: copy(x) if type(x) in (dict, list, set) and name not in common else x for name, x in state.items()}
