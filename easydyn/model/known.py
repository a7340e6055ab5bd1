"""Copies of a model in one process share the derived equations and compiled programs.

A model comes out of a pickle for every task of a pool of processes. If its definition equals that of an earlier model,
it shares the bodies, elements and programs of that model, but keeps its own parameter values.
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
    """A key of the definition of a model, without parameter values; empty where it cannot be determined."""
    written = {name: x for name, x in state.items() if name not in (*OWN, "_compiled", "_recent", "_content")}
    try:
        return content_of([written, list(state["_parameters"])], closures=False)
    except (TypeError, ValueError, RecursionError):  # something that cannot be read off
        return ""


def shared(state: dict[str, Any]) -> dict[str, Any]:
    """The attributes of an unpickled model, replaced by those of an equal model that is already known."""
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
