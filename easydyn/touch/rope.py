"""Ropes: inextensible or elastic, over pulleys, which pull and never push.

The path of a rope (path.py) is never longer than the rope. If that does not stretch, length - path is a gap without
restitution (forces/gap.py): the rope becomes taut with an impact, carries a tension, and is slack again. A pulley that
the rope turns divides it into parts, each with a tension of its own.

Friction on a pulley (Euler, Eytelwein) lets the tensions before and after it differ by f, at most by a ratio e^(mu w):

    T1 = N + f/2,    T2 = N - f/2,    |f| <= 2 tanh(mu w / 2) N,    v = (l2.dot - l1.dot)/2,

where v is the rate at which the rope slips towards the second side, and f acts along it. N is their mean, the force of
the gap: by virtual work -T1 l1.dot - T2 l2.dot = -N (l1 + l2).dot + f v. So it is a slip as of any rigid contact
(forces/slip.py), with 2 tanh(mu w / 2) in place of the coefficient of friction: it sticks exactly, also in impacts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import sympy

from easydyn.constraints.constraint import Constraint, Limit, Row, used_up
from easydyn.errors import InputError
from easydyn.forces import Transition
from easydyn.forces.effort import Assembly, Demand, Effort, Placeholder, a_name, constant, positive, steady, two_bodies
from easydyn.forces.gap import STABILISATION, Gap, gap_of
from easydyn.forces.slip import Slip, determine, modes_of
from easydyn.inputs import flag
from easydyn.mechanics.mechanism import Body, Ground
from easydyn.mechanics.symbols import Coordinate, Flag, Input, Measure, Parameter, State, Time
from easydyn.touch import weight
from easydyn.touch.path import NEAR, Around, Guide, Path, Point, Strand
from easydyn.vec.scalars import Scalar, is_number, symbols_of

PAID_OUT = Parameter, Time, Input, State  # by which the length of a rope may change
MOST = 3.0  # rad: so far an `Around` is wrapped where its turns are not counted, less than half a turn
REST = 1e-6  # s: a rope that is pulled taut again within this time is taut
_X, _PULL, _WRAP, _MU = (Placeholder(x, real=True) for x in ("x", "pull", "wrap", "mu"))


class Rope(Effort):
    """A rope along a path: it pulls, and never pushes; where its path is shorter than the rope, it is slack.

    A rope that does not stretch becomes taut with an impact without restitution, and then keeps its path as long as it
    has a tension. `run["hoist.tension"]`, `run["hoist.length"]` and `run["hoist.slack"]` are its tension (N) at its
    first end, the length of its path (m), and what is left of its own length (m).

    Parameters
    ----------
    *path : Body or (Body, (x, y, z)), Pulley, Winch
        Its first end, the pulleys that it runs over, and its last end. Ends are as those of a `Spring`, or a `Winch`.
    length : scalar (m), optional
        Its length, with what lies on pulleys and drums. Left out: the length of the path at the start of a run, so that
        the rope is just taut (a rope that stretches needs it).
    stiffness : scalar (N), optional
        E A, tension per strain: the rope stretches, without mass.
    damping : scalar (N s), optional
        Tension per rate of strain, beside the stiffness.
    density : scalar (kg/m), optional
        Mass per length of a rope that does not stretch: its straight parts and arcs have inertia, and weight in the
        uniform gravity of the model. The tension is then that at its last end.
    keep_taut : bool
        True: the path always has this length, as a constraint whose tension may push, `run.multipliers("hoist")`.
    name : str
        Its name in results. `run["hoist"]` is the impulse so far (N s) of a rope that does not stretch,
        `run["hoist.dot"]` its tension, as of a `RigidContact`.

    Raises
    ------
    InputError
        A path without two ends, values that are missing or not possible, two pulleys with friction in one part.

    Notes
    -----
    d'Alembert's principle with the gap length - path (path.py); friction on pulleys is Eytelwein's.

    Example
    -------
    >>> from easydyn import Model, Pulley, ground, tdisp
    >>> model = Model("two loads", gravity=(0, -9.81, 0))
    >>> x, y = model.coordinates("x y", initial=(-1, -1))
    >>> light = model.body("light", tdisp(-0.1, x, 0), mass=1, inertia=(0, 0, 0))
    >>> heavy = model.body("heavy", tdisp(0.1, y, 0), mass=3, inertia=(0, 0, 0))
    >>> model.add(Rope(light, Pulley(ground, 0.1, side="right"), heavy, name="rope"))
    >>> run = model.simulate(0.4)
    >>> round(float(run["rope.tension"][-1]), 6), round(float(run["y.ddot"][-1]), 6)
    (14.715, -4.905)
    """

    def __init__(
        self, *path: Any, length: Any = None, stiffness: Any = None, damping: Any = None, density: Any = None,
        keep_taut: Any = False, name: Any = None,
    ):  # fmt: skip
        self.name = a_name(name, "a Rope", ', such as "hoist"')
        guides = [x if isinstance(x, Guide) else Point(x, f"part {k + 1} of the path of {self}")
                  for k, x in enumerate(path)]  # fmt: skip
        if len(guides) < 2 or [g.ends for g in guides] != [True, *[False] * (len(guides) - 2), True]:
            raise InputError(
                f"the path of {self} is {', '.join(map(str, path)) or 'empty'}: expected two ends (a body, a pair "
                "(body, (x, y, z)) or a Winch), and what the rope runs over (Pulley, Around) between them."
            )
        self.guides = tuple(guides)
        told, more = f"the length of {self}", ", time, inputs and states; a Winch pays it out by a coordinate."
        self.length = None if length is None else steady(positive(length, told), told, PAID_OUT, more)
        self.stiffness = None if stiffness is None else positive(stiffness, f"the stiffness of {self}")
        self.damping = None if damping is None else positive(damping, f"the damping of {self}")
        self.density = None if density is None else positive(density, f"the density of {self}")
        self.keep_taut = flag(keep_taut, f"keep_taut of {self}")
        if len(set(self.bodies)) == 1 and not self.coordinates:  # not those of a drum, or of a point that moves
            two_bodies(guides[0].body, guides[-1].body, str(self))
        cuts = [0, *(k for k, g in enumerate(guides) if g.turned and not g.ends), len(guides) - 1]
        if stiffness is None and damping is not None:
            raise InputError(f"{self} has a damping and no stiffness: expected both, or none of them.")
        if stiffness is not None and (length is None or len(cuts) > 2 or any(g.friction is not None for g in guides)):
            raise InputError(
                f"{self} stretches (stiffness=), so that length= is needed (free of tension), and its tension is the "
                "same everywhere: no Pulley has an angle or a friction. Two ropes to a Winch each pull at one drum."
            )
        if density is not None and (stiffness is not None or any(isinstance(g, Around) for g in guides)):
            raise InputError(
                f"{self} has a density, and stretches, or lies on an Around: expected a rope that does not stretch, "
                "over pulleys. A chain of small bodies with springs is both heavy and elastic."
            )
        simple = not any(g.turned or g.friction is not None for g in guides)
        if self.keep_taut and not (simple and length is not None and stiffness is density is None):
            raise InputError(
                f"{self} is kept taut, as a constraint: it needs length=, and has neither stiffness nor density, no "
                "Winch, and no Pulley with an angle or a friction."
            )
        self.parts = tuple(
            _Part(self, k, guides[a : b + 1], k == len(cuts) - 2)
            for k, (a, b) in enumerate(zip(cuts, cuts[1:], strict=False))
        )

    @cached_property
    def taut(self) -> Taut | None:
        """The constraint that it is with keep_taut; None without."""
        return Taut(self) if self.keep_taut else None

    @property
    def inertial(self) -> bool:  # type: ignore[override]
        """True if it has a mass."""
        return self.density is not None

    @property
    def implicit(self) -> bool:  # type: ignore[override]
        """True unless it stretches: its tension is found together with the accelerations."""
        return self.stiffness is None

    @property
    def stretches(self) -> bool:
        """True if it has a stiffness."""
        return self.stiffness is not None

    @property
    def conservative(self) -> bool:
        return self.stretches and self.damping is None and constant(iter((self.stiffness, self.length)))

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return tuple(dict.fromkeys(guide.body for guide in self.guides))

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        found = {s for s in symbols_of(*self.expressions()) if isinstance(s, Coordinate)}
        return tuple(sorted(found, key=str))

    @property
    def states(self) -> tuple[State, ...]:
        return () if self.stretches else tuple(state for part in self.parts for state in part.states)

    @property
    def flags(self) -> tuple[Flag, ...]:
        return tuple(flag for part in self.parts for flag in part.flags)

    def expressions(self) -> Iterator[Scalar]:
        yield from (x for x in (self.length, self.stiffness, self.damping, self.density) if x is not None)
        for guide in self.guides:
            yield from guide.expressions()

    def start(self, assembly: Assembly) -> Mapping[Flag, Scalar]:
        lengths = [part.path.length(assembly) for part in self.parts]
        found: Any = {p.found: x for p, x in zip(self.parts, lengths, strict=True) if p.found is not None}
        last = self.parts[-1].found
        if self.length is not None and last is not None:
            found[last] = assembly.value(self.length) - sum(lengths[:-1])
        return found | {flag: step for part in self.parts for flag, step in part.path.start(assembly).items()}

    def gaps(self, assembly: Assembly) -> Iterator[Gap]:
        return iter(()) if self.stretches else (part.gap(assembly) for part in self.parts)

    def slips(self, assembly: Assembly) -> Iterator[Slip]:
        return (part.slip(assembly)[0] for part in self.parts if part.rubs is not None)

    def transitions(self, assembly: Assembly) -> Iterator[Transition]:
        return (x for part in self.parts for x in part.path.transitions(assembly, self.name))

    def apply(self, assembly: Assembly) -> None:
        for part in self.parts:
            part.apply(assembly)

    def potential(self, assembly: Assembly) -> Scalar:
        if self.density is not None:
            return self._heavy(assembly)[1]
        if not self.stretches:
            return 0
        x, k = self.parts[0].stretch(assembly), assembly.value(self.stiffness) / assembly.value(self.length)
        return k * assembly.value(sympy.Piecewise((_X**2, _X > 0), (0, True)), {_X: x}) / 2

    def kinetic(self, assembly: Assembly) -> Scalar:
        return 0 if self.density is None else self._heavy(assembly)[0]

    def _heavy(self, assembly: Assembly) -> tuple[Scalar, Scalar]:
        found = [weight.energies(part.path, assembly, assembly.value(self.density)) for part in self.parts]
        return sum(x for x, _ in found), sum(x for _, x in found)

    def switches(self, assembly: Assembly) -> Iterator[tuple[str, Scalar]]:
        for part in self.parts:
            yield from ((self.name, w) for _, w, _ in part.path.lifts(assembly))
        if self.stretches:
            yield self.name, self.parts[0].stretch(assembly)
            if self.damping is not None:
                yield self.name, self.parts[0].pull(assembly)

    def demands(self, assembly: Assembly) -> Iterator[Demand]:
        if self.length is not None and not self.stretches and not self.keep_taut:
            least = sum(part.extent(assembly) for part in self.parts) * (1 - 1e-9)
            remedy = "Its path is longer: give another length=, or none, or initial values."
            yield Demand(f"the length (m) of {self}", assembly.value(self.length), least, remedy=remedy)
        for part in self.parts:
            strands = part.path.strands(assembly)
            for strand in strands:
                ends = f"the rope '{self.name}' between {strand.first} and {strand.last}"
                remedy = "They overlap: move them apart."
                why = "" if strand.first.eye and strand.last.eye else "they overlap"
                yield Demand(f"the room (m or m2) for {ends}", strand.room, 0, None, remedy, why)
                if not is_number(strand.off):
                    remedy = "A rope leaves a pulley in the pulley's plane: turn its axis, or take an eye (radius 0)."
                    most = NEAR * strand.length
                    yield Demand(f"the way (m) from the plane of a pulley of {ends}", strand.off, -most, most, remedy)
            for k, wrap, _ in part.path.wraps(assembly, strands):
                remedy = "The rope does not touch it: take the other side=, or count more turns with wrap=."
                guide = part.path.guides[k]
                beyond = "" if part.path.counts else ", or is wound beyond 294 degrees, which is not counted"
                why = f"the rope leaves it{beyond}" * (guide.ends or not guide.turned)
                yield Demand(f"the wrap (rad) of the rope '{self.name}' on {guide}", wrap, -1e-9, None, remedy, why)

            for k, wrap, _ in () if part.path.counts else part.path.lifts(assembly):
                remedy = "A rope without stiffness= and keep_taut= counts its turns round an Around."
                told = f"what is left of half a turn (rad) of the rope '{self.name}' round {part.path.guides[k]}"
                yield Demand(told, MOST - wrap, 0, None, remedy, "its turns are not counted")

    # -- what is known of it ----------------------------------------------------------------------------------------

    @property
    def tensions(self) -> tuple[Measure, ...]:
        """The tension (N) of each straight part, from the first end to the last."""
        return tuple(Measure(f"{self.name}.tension_{k}") for k in range(1, sum(p.count for p in self.parts) + 1))

    @property
    def tension(self) -> Any:
        """The tension (N) at its first end; of a rope that is kept taut the multiplier, for laws of force elements."""
        return self.taut.multipliers[0] if self.taut else Measure(f"{self.name}.tension")

    @property
    def path(self) -> Measure:
        """The length (m) of its path."""
        return Measure(f"{self.name}.length")

    @property
    def slack(self) -> Measure:
        """How much longer it is than its path (m): negative where it stretches."""
        return Measure(f"{self.name}.slack")

    @property
    def measured(self) -> Mapping[str, tuple[Callable[[Assembly], Scalar], str]]:
        def tension(k: int) -> Callable[[Assembly], Scalar]:
            return lambda assembly: [x for part in self.parts for x in part.tensions(assembly)][k]

        if self.keep_taut:
            return {}
        return {
            str(self.tension): (tension(0), "N"), str(self.path): (lambda x: sum(p.extent(x) for p in self.parts), "m"),
            str(self.slack): (lambda x: -sum(p.stretch(x) for p in self.parts), "m"),
            **{str(x): (tension(k), "N") for k, x in enumerate(self.tensions)},
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"Rope '{self.name}'"


class _Part:
    """A part of a rope, of one length: from an end, or a pulley that the rope turns, to the next one."""

    def __init__(self, rope: Rope, k: int, guides: Sequence[Guide], last: bool):
        self.rope, self.name = rope, f"{rope.name}_{k + 1}" if k else rope.name
        self.path = Path(guides, self.name, not (rope.stretches or rope.keep_taut))
        self.impulse, self.closed = State(self.name), Flag(f"{self.name}.closed")
        self.compliance = Flag(f"{self.name}.compliance")
        known = k == 0 and last and rope.length is not None
        self.found = None if known else Flag(f"{self.name}.length_found")
        self.length = rope.length if known else self.found
        rubbing = [i for i, guide in enumerate(guides) if guide.friction is not None]
        if len(rubbing) > 1:
            raise InputError(
                f"{rope} has {len(rubbing)} pulleys with friction between which it has one length: expected one. What "
                "the rope holds at one of them depends on the friction of the others. Give one an angle=, by which it "
                "turns, or let a small body join two ropes."
            )
        self.rubs = rubbing[0] if rubbing else None
        self.rub = State(f"{self.name}_friction")
        self.modes = modes_of(str(self.rub))

    @property
    def states(self) -> tuple[State, ...]:
        return (self.impulse,) if self.rubs is None else (self.impulse, self.rub)

    @property
    def flags(self) -> tuple[Flag, ...]:
        found = () if self.found is None else (self.found,)
        modes = () if self.rubs is None else tuple(self.modes)
        own = () if self.rope.stretches else (self.closed, self.compliance)
        return (*self.path.flags, *found, *modes, *own)

    @property
    def count(self) -> int:
        """How many straight parts it has."""
        return len(self.path.guides) - 1

    def extent(self, assembly: Assembly) -> Scalar:
        return self.path.length(assembly)

    def stretch(self, assembly: Assembly) -> Scalar:
        return self.extent(assembly) - assembly.value(self.length)

    def pull(self, assembly: Assembly) -> Scalar:
        """The tension of a rope that stretches, where it is not slack."""
        x, pull = self.stretch(assembly), assembly.value(self.rope.stiffness)
        pull = pull * x
        if self.rope.damping is not None:
            pull = pull + assembly.value(self.rope.damping) * assembly.calculus.rate(x)
        return pull / assembly.value(self.length)

    def tensions(self, assembly: Assembly) -> list[Scalar]:
        """Of each strand."""
        if self.rope.stretches:
            formula = sympy.Piecewise((sympy.Max(0, _PULL), _X > 0), (0, True))
            return [assembly.value(formula, {_X: self.stretch(assembly), _PULL: self.pull(assembly)})] * self.count
        mean = assembly.value(self.impulse.dot)
        if self.rubs is None:
            return [mean] * self.count
        half = assembly.value(self.rub.dot) / 2
        return [mean + half if k < self.rubs else mean - half for k in range(self.count)]

    def gap(self, assembly: Assembly) -> Gap:
        return gap_of(
            assembly, -self.stretch(assembly), name=self.name, element=repr(self.rope),
            restitution=0, rest=REST, impulse=self.impulse, closed=self.closed, compliance=self.compliance,
        )._replace(bends=True)  # fmt: skip

    def slip(self, assembly: Assembly) -> tuple[Slip, Scalar]:
        """Its slip on a pulley, and the force while it slides."""
        strands, j = self.path.strands(assembly), self.rubs
        assert j is not None
        rates = [strand.opening(assembly) for strand in strands]
        v = (sum(rates[j:]) - sum(rates[:j])) / 2
        (wrap,) = (w for k, w, _ in self.path.wraps(assembly, strands) if k == j)
        mu = assembly.value(self.path.guides[j].friction)
        level = assembly.value(2 * sympy.tanh(_MU * _WRAP / 2), {_MU: mu, _WRAP: wrap})
        slip = Slip(
            str(self.rub), repr(self.rope), v, assembly.calculus.rate(v), assembly.rate_slopes(v), level, level,
            self.modes, assembly.value(self.rub.dot), False, self.impulse,
        )  # fmt: skip
        return slip, -(self.modes.towards(assembly, v) * level * assembly.value(self.impulse.dot))

    def apply(self, assembly: Assembly) -> None:
        self.draw(assembly, self.tensions(assembly))
        if not self.rope.stretches:
            self.gap(assembly).determine(assembly)
        if self.rubs is not None:
            slip, sliding = self.slip(assembly)
            determine(assembly, slip, self.rub, sliding, STABILISATION)
        if self.rope.density is not None:
            weight.load(self.path, assembly, assembly.value(self.rope.density))

    def draw(self, assembly: Assembly, pulls: Sequence[Scalar]) -> None:
        """Apply the tensions of its strands."""
        strands: list[Strand] = self.path.strands(assembly)
        for strand, tension in zip(strands, pulls, strict=True):
            strand.pull(assembly, tension)
        for guide, tension in ((self.path.guides[0], pulls[0]), (self.path.guides[-1], pulls[-1])):
            if guide.turned and not guide._whole:  # a drum in the body
                out = 1 if guide is self.path.guides[0] else -1
                arm = assembly.value(guide.radius) * guide.side * out
                for q, slope in assembly.slopes(assembly.value(guide.angle)).items():
                    assembly.add_generalized(q, tension * arm * slope)


class Taut(Constraint):
    """A `rope` that is kept taut: length - path = 0, whose multiplier is the tension, of either sign.

    >>> from easydyn import Model, ground, tdisp
    >>> model = Model("pendulum")
    >>> x, y = model.coordinates("x y", initial=(1, 0))
    >>> ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    >>> Taut(Rope(ground, ball, length=1, keep_taut=True, name="string")).labels
    ('tension',)
    """

    labels = ("tension",)

    def __init__(self, rope: Rope):
        self.rope, self.name = rope, rope.name

    @property
    def bodies(self) -> tuple[Body | Ground, ...]:
        return self.rope.bodies

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self.rope.coordinates

    def expressions(self) -> Iterator[Scalar]:
        return self.rope.expressions()

    def rows(self, assembly: Assembly) -> list[Row]:
        left = -self.rope.parts[0].stretch(assembly)
        return [Row("tension", left, assembly.calculus.rate(left))]

    def limits(self, assembly: Assembly) -> list[Limit]:
        return used_up(self.rope.demands(assembly))

    def push(self, assembly: Assembly, loads: Sequence[tuple[Row, Scalar]]) -> None:
        for _, tension in loads:
            self.rope.parts[0].draw(assembly, [tension] * self.rope.parts[0].count)

    def __repr__(self) -> str:
        return repr(self.rope)
