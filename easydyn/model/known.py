"""Copies of a model in one process share the derived equations and compiled programs.

A model comes out of a pickle for every task of a pool of processes. Its definition is everything but the values of
parameters and the controllers. A definition of symbols, numbers and objects of easydyn alone is written once, until the
model changes. It is a pickle within the pickle: a process that knows an equal definition, by a key of its content, does
not read it again. The copy takes bodies, elements and programs of the known model, and has containers of its own.
"""

from __future__ import annotations

import functools
from typing import Any

from easydyn.engine.kept import Kept
from easydyn.mechanics.content import Content
from easydyn.model.description import Description
from easydyn.model.solving import MOST as RECENT

MOST = 8  # definitions that are remembered
# of each copy: values change, and the law of a controller may, too; ids of factors are those of a process
OWN = "_parameters", "_warned", "_controllers", "_checked"
DERIVED = "_compiled", "_recent"
_KNOWN = Kept(MOST)


@functools.cache
def _names() -> tuple[str, ...]:
    """The attributes that a definition consists of; others may have been added by a user."""
    return tuple(name for name in vars(Description("any")) if name not in OWN)


def said(model: Any) -> dict[str, Any]:
    """The attributes of a model but for what is derived."""
    return {name: x for name, x in vars(model).items() if name not in (*DERIVED, "_checked")}


def written(model: Any) -> tuple[Any, ...]:
    """How `pickle` makes a copy of a model: a function and its arguments."""
    state = said(model)
    key, packed = _definition(model, state)
    if key:
        _KNOWN.of(key, lambda: _to_remember(vars(model)))
    if packed is None:
        return restored, (type(model), key, state)
    own = {name: x for name, x in state.items() if x and name not in _names()}
    return unpacked, (type(model), key, packed, own | {"_parameters": tuple(state["_parameters"].values())})


def copied(model: Any) -> Any:
    """A copy with the very bodies of a model, by which elements may be added to it."""
    key, _ = _definition(model, said(model))
    return _made(type(model), _copied(vars(model)) | ({} if key else _nothing()))


def _definition(model: Any, state: dict[str, Any]) -> tuple[str, bytes | None]:
    """A key of the definition of a model, empty where it cannot be shared; and its pickle where it cannot change."""
    place = "definition", type(model), state["name"], state["gravity_given"]  # two that change without a declaration
    if place in model._compiled:
        found: tuple[str, bytes | None] = model._compiled[place]
        return found
    declared = [state[name] for name in _names()]
    try:
        content = Content([type(model), declared, list(state["_parameters"])])
    except (TypeError, ValueError, RecursionError):  # something that cannot be read off
        return "", None
    if content.closures or not all(hasattr(f, "__code__") for f in state["_callbacks"]):  # values in them may change
        return "", None
    if content.foreign:  # so may objects of the user
        return content.digest, None
    found = content.digest, None if content.functions else _packed(state)
    model._compiled[place] = found
    return found


def _packed(state: dict[str, Any]) -> bytes | None:
    """The pickle of a definition; None where there are no other processes to send it to."""
    try:
        from multiprocessing.reduction import ForkingPickler
    except ImportError:
        return None
    names = *_names(), "_parameters"
    return bytes(ForkingPickler.dumps({name: state[name] for name in names}))


def unpacked(kind: type, key: str, packed: bytes, own: dict[str, Any]) -> Any:
    """A model whose definition is known, or comes out of its own pickle."""
    def read() -> dict[str, Any]:
        from multiprocessing.reduction import ForkingPickler

        return _to_remember(ForkingPickler.loads(packed))

    known = _KNOWN.of(key, read)
    values = dict(zip(known["_parameters"], own["_parameters"], strict=True))
    return _made(kind, _copied(known | {"_warned": False, "_controllers": []} | own) | {"_parameters": values})


def restored(kind: type, key: str, state: dict[str, Any]) -> Any:
    """A model that was written as a whole; what is derived is that of an equal one."""
    if not key:
        return _made(kind, _copied(state) | _nothing())
    known = _KNOWN.of(key, lambda: _to_remember(state))
    own = {name: x for name, x in state.items() if name not in _names() or name == "_events"}  # its actions may change
    return _made(kind, _copied(known | own))


def _made(kind: Any, attributes: dict[str, Any]) -> Any:
    model = kind.__new__(kind)
    model.__dict__.update(attributes | {"_checked": {}})
    return model


def _to_remember(state: dict[str, Any]) -> dict[str, Any]:
    wanted = (*_names(), "_parameters", *DERIVED)
    return _copied({name: x for name, x in (_nothing() | state).items() if name in wanted})


def _nothing() -> dict[str, Any]:
    return {"_compiled": Kept(), "_recent": Kept(RECENT)}


def _copied(state: dict[str, Any]) -> dict[str, Any]:
    """The same with containers of its own, but for what is derived, which is common to all."""
    return {name: x.copy() if type(x) in (dict, list, set) and name not in DERIVED else x for name, x in state.items()}
