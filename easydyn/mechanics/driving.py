"""States that drive frames: T(q, s, t) with s.dot = f(s, t), like an ideal motor that no load slows down.

The frame moves with the rate s.dot from the equations of its states, so its velocity contains no unknown. Its
acceleration contains s.ddot, the derivative of f along the motion, in which the rates of other states are unknowns of
the equations. s moves no coordinate: its partial contributions are those of a drive in time (eq. 5), and the forces
that it needs are reactions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy

from easydyn.errors import ModelError
from easydyn.mechanics.symbols import Parameter, State, StateRate, Unknown, t
from easydyn.vec import Transform

SECOND = 'Put a second state between: {s}.dot = v, with the formula for v.dot, v = model.state("v").'


def drives(frames: Mapping[str, Transform], equations: Iterable[sympy.Expr], name: str) -> dict[State, sympy.Expr]:
    """The rates f(s, t) of the states s in the `frames` of bodies, by their names, each in its unit per s.

    Raises ModelError, for a model called by `name`, if one of the `equations` does not give s.dot from states,
    parameters and time.

    >>> from easydyn import Model, tdisp
    >>> model = Model("lift")
    >>> s = model.state("s")
    >>> cabin = model.body("cabin", tdisp(0, 0, s), mass=500, inertia=(0, 0, 0))
    >>> drives({"cabin": cabin.T}, [2*s.dot - 3 + s], "lift")
    {s: 3/2 - s/2}
    """
    found: dict[State, sympy.Expr] = {}
    written = list(equations)
    for body, T in frames.items():
        for s in sorted((x for x in T.free_symbols if isinstance(x, State)), key=str):
            if s not in found:
                found[s] = _rate(s, body, [e for e in written if s.dot in e.free_symbols], name)
    return found


def _rate(s: State, body: str, own: list[sympy.Expr], name: str) -> sympy.Expr:
    """f of s.dot = f; ModelError where it does not follow, or has what may jump or is not known."""
    where = f"model '{name}': state {s} drives the frame of body '{body}'"
    alone = [e for e in own if not any(isinstance(x, StateRate) and x != s.dot for x in e.free_symbols)]
    if len(alone) != 1:
        written = " and ".join(f"{e} = 0" for e in own) or "none"
        raise ModelError(
            f"{where}, so one equation must say its rate alone; {s}.dot stands in {written}. Give "
            f"model.equation({s}.dot - ...), with no rate of another state."
        )
    (e,) = alone
    slope = sympy.diff(e, s.dot)
    if slope == 0 or s.dot in slope.free_symbols:
        raise ModelError(f"{where}: {e} = 0 is not linear in {s}.dot. Solve it for {s}.dot, and give that.")
    f = -e.xreplace({s.dot: sympy.Integer(0)}) / slope
    for x in sorted(f.free_symbols, key=str):
        if x != t and (not isinstance(x, State | Parameter) or isinstance(x, Unknown)):
            raise ModelError(
                f"{where}, and its rate depends on {x} ({getattr(x, 'said', 'symbol')}): it may depend on states, "
                f"parameters and time, or the frame would leap, or be held back. {SECOND.format(s=s)}"
            )
    return sympy.expand(f) if f.is_polynomial() else f


def steady(rates: Mapping[State, sympy.Expr]) -> frozenset[str]:
    """The names of states that no action may set, for given `rates` (in any unit), because frames would jump.

    >>> s, v = State("s"), State("v")
    >>> sorted(steady({s: v - s}))
    ['s', 'v']
    """
    symbols: set[Any] = set(rates).union(*(f.free_symbols for f in rates.values()))
    return frozenset(str(x) for x in symbols if isinstance(x, State))


def without_drives(mechanism: Any, what: str) -> None:
    """Raise ModelError if the loops of a `mechanism` have frames that follow states: `what` is not available then.

    >>> from easydyn import Model
    >>> without_drives(Model("empty").mechanism, "equilibrium")
    """
    if mechanism.drives:
        raise ModelError(
            f"{what} of closed loops does not know frames that follow states ({', '.join(map(str, mechanism.drives))} "
            f"in '{mechanism.name}'): write their motion as a formula of time, or take coordinates, and lock them."
        )
