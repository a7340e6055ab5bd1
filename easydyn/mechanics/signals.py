"""What each number of a run means: by name, its kind, its unit, and where it stands or how it is computed.

A first-order state has its value in the column of the rates, its rate in that of the accelerations (eq. 29): who asks a
signal for its place need not know this.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from easydyn.arguments import answers
from easydyn.inputs import listed

SLOTS = ("q", "qd", "qdd")
ENERGIES = ("kinetic energy", "potential energy", "total energy")
PER = ("", "/s", "/s²")
SWITCHES = ("flag", "reference")  # what is no column of tables


class Signal(NamedTuple):
    """A number of a run.

    Attributes
    ----------
    name : str
        Its name: "q1.dot", "floor.closed", "total energy".
    kind : str
        "time", "coordinate", "state", "unknown", "multiplier"; "input", "flag", "reference" (held between events);
        "formula", "quaternion", "energy" (computed).
    slot : str
        Where it stands: "t", a column of "q", "qd", "qdd", or of "u", what is held; an empty text if it is computed.
    column : int
        Its column there.
    unit : str
        An empty text where nothing is known of it.
    formula : optional
        What it is computed from.
    """

    name: str
    kind: str
    slot: str = ""
    column: int = 0
    unit: str = ""
    formula: Any = None

    @property
    def order(self) -> int:
        """0, 1 or 2: its place in (q, qd, qdd); -1 for what stands in none of them."""
        return SLOTS.index(self.slot) if self.slot in SLOTS else -1


@answers
class Signals(Mapping[str, Signal]):
    """The signals of a model or of a run by name, `signals["q1.dot"].unit`; printed, they are a table.

    Parameters
    ----------
    listed : iterable of Signal
        Of two with the same name the first one counts.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("block", gravity=(0, -9.81, 0))
    >>> x, = model.coordinates("x")
    >>> _ = model.body("block", tdisp(0, x, 0), mass=1, inertia=(0, 0, 0))
    >>> print(model.signals)
    name              kind        unit
    t                 time        s
    x                 coordinate  m
    x.dot             coordinate  m/s
    x.ddot            coordinate  m/s²
    kinetic energy    energy      J
    potential energy  energy      J
    total energy      energy      J
    """

    def __init__(self, listed: Iterable[Signal]):
        self._by_name: dict[str, Signal] = {}
        for signal in listed:
            self._by_name.setdefault(signal.name, signal)

    def __getitem__(self, name: str) -> Signal:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def names(self, *kinds: str, slots: Iterable[str] = ("t", *SLOTS, "u", "")) -> list[str]:
        """Names of all signals of some `kinds`, or of all kinds, that stand in these `slots`."""
        of_kinds = [str(kind) for kind in kinds]
        places = [str(slot) for slot in listed(slots, "slots", "places where numbers stand")]
        return [s.name for s in self.values() if (not kinds or s.kind in of_kinds) and s.slot in places]

    def unit(self, name: str) -> str:
        """The unit of the signal called `name`; an empty text where there is none, or nothing is known of it."""
        return self._by_name[str(name)].unit if str(name) in self._by_name else ""

    def __repr__(self) -> str:
        rows = [("name", "kind", "unit"), *((s.name, s.kind, s.unit) for s in self.values())]
        wide = [max(len(row[k]) for row in rows) for k in range(2)]
        return "\n".join(f"{a:{wide[0]}}  {b:{wide[1]}}  {c}".rstrip() for a, b, c in rows)


def unknowns(
    kinds: Mapping[str, str], units: Mapping[str, str], given: Mapping[str, Any] = MappingProxyType({})
) -> Iterator[Signal]:
    """The columns of q, qd, qdd by the kinds of the unknowns: a coordinate has three, all others have two (eq. 29).

    What is `given` by a formula is computed from that, to the last digit, and does not come from the column.

    >>> [(s.name, s.slot) for s in unknowns({"x": "coordinate", "p": "state"}, {})]
    [('x', 'q'), ('x.dot', 'qd'), ('x.ddot', 'qdd'), ('p', 'qd'), ('p.dot', 'qdd')]
    """
    for j, (name, kind) in enumerate(kinds.items()):
        unit, first = units.get(name, ""), kind != "coordinate"
        for order, suffix in enumerate(("", ".dot", ".ddot")[: 3 - first]):
            formula = given.get(name) if not suffix else None
            yield Signal(name + suffix, kind, SLOTS[order + first], j, unit + PER[order] if unit else "", formula)


def constant_between_events(names: Iterable[str], units: Mapping[str, str]) -> Iterator[Signal]:
    """What is constant between events: inputs (a name without a point), flags, held angles; no slopes of inputs.

    >>> [(s.name, s.kind) for s in constant_between_events(["u", "u.slope", "u.since", "q.locked"], {})]
    [('u', 'input'), ('q.locked', 'flag')]
    """
    for k, name in enumerate(names):
        if not name.endswith((".slope", ".since")):
            kind = "input" if "." not in name else "reference" if ".reference" in name else "flag"
            yield Signal(name, kind, "u", k, units.get(name, ""))


def computed(given: Mapping[Any, Any], units: Mapping[str, str]) -> Iterator[Signal]:
    """What is computed from formulas by name: outputs, and inputs that follow one.

    >>> [s.kind for s in computed({"height": 0}, {})]
    ['formula']
    """
    return (Signal(str(name), "formula", unit=units.get(str(name), ""), formula=e) for name, e in given.items())


def energies() -> Iterator[Signal]:
    """Kinetic, potential and total energy.

    >>> [s.unit for s in energies()]
    ['J', 'J', 'J']
    """
    return (Signal(name, "energy", unit="J", formula=k) for k, name in enumerate(ENERGIES))


TIME = Signal("t", "time", "t", unit="s")
