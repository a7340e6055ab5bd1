"""From a Mechanism to the outputs of programs: residual, mass matrix, energies, frames, any expression.

A scheme (scheme.py) writes the rows of d'Alembert's equations. The articulated-body method gives the accelerations
(articulated.py); elimination in M gives them where that method does not apply, or where elimination is shorter.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

from easydyn.engine.articulated import ArticulatedBodies
from easydyn.engine.balances import Alone, actions_of, balances_of, masses, mechanical, of_time, supplied
from easydyn.engine.closing import Closing
from easydyn.engine.derivatives import GraphCalculus, gradient, slopes
from easydyn.engine.elimination import Pivot, checked, eliminated
from easydyn.engine.graph import Graph, Node, reachable
from easydyn.engine.implicit import Applied, Implicit
from easydyn.engine.kept import Kept
from easydyn.engine.motors import MotorTree
from easydyn.engine.observer import Observer, observer_of
from easydyn.engine.program import Program
from easydyn.engine.recursion import Joint, Tree, Wrench
from easydyn.engine.scheme import Scheme, scheme_of
from easydyn.engine.sympy_bridge import FromSympy
from easydyn.engine.unknowns import Unknowns
from easydyn.errors import ModelError
from easydyn.forces import Gap, Slip, Transition
from easydyn.inputs import shown
from easydyn.mechanics import kinematics, mbs
from easydyn.mechanics.attitude import held_of
from easydyn.mechanics.kinematics import Calculus, motion, rotation_contribution, translation_contribution
from easydyn.mechanics.mbs import BodyState
from easydyn.mechanics.mechanism import Body, Ground, MasslessPoint, Mechanism
from easydyn.mechanics.rates import WithRates
from easydyn.mechanics.symbols import Coordinate, Flag, HoldingForce, LockingForce, Measure, Multiplier, State, t
from easydyn.vec import ZERO, Inertia, Rotation, Transform, Vector, along
from easydyn.vec.scalars import Scalar

BOTH_WAYS = 8  # unknowns up to which the shorter program of accelerations is looked for
UNROLLED = 12  # unknowns up to which elimination in M is written out
WIDTH = 6  # open coordinates up to which articulated bodies stay short


class Loads(NamedTuple):
    """Effects of the efforts: loaded bodies, generalised forces, and the equation of each state of an element."""

    bodies: list[BodyState]
    generalized: list[Node]
    equations: dict[State, Node]


class Derivation(Closing, WithRates):
    """The equations of a mechanism on one graph; each part is made at its first use."""

    def __init__(self, mechanism: Mechanism, scheme: str | Scheme = "recursive"):
        self.mechanism, self.scheme = mechanism, scheme_of(scheme)
        g = self.graph = Graph()
        self.n = len(mechanism.unknowns)
        self.t = g.input("t", 0)
        self.q = [g.input("q", j) for j in range(self.n)]
        self.qd = [g.input("qd", j) for j in range(self.n)]
        self.qdd = [g.input("qdd", j) for j in range(self.n)]
        self.parameters = [g.input("p", k) for k in range(len(mechanism.parameters))]
        self.symbols: dict[Any, Node] = {t: self.t, **dict(zip(mechanism.parameters, self.parameters, strict=True))}
        self.held = {name: g.input("u", k) for k, name in enumerate(mechanism.held)}
        count = len(mechanism.moving) if mechanism.callbacks else 0  # forces of efforts in Python, given at each state
        self.from_python = [g.input("u", len(self.held) + k) for k in range(count)]
        flags = *mechanism.flags, *(Flag(f"{q}.locked") for q in mechanism.locks)
        self.symbols |= {flag: self.held[str(flag)] for flag in flags}
        for x in mechanism.attitudes:  # of which sine and cosine are held, too
            angle, sine, cosine = (self.held[name] for name in held_of(x.reference, x.start))
            self.symbols[x.reference], g.turned[angle.index] = angle, (sine, cosine)
        for u in mechanism.inputs:
            self.symbols[u] = self.held[str(u)] + self.held[f"{u}.slope"] * (self.t - self.held[f"{u}.since"])
        for j, x in enumerate(mechanism.coordinates):
            self.symbols |= {x: self.q[j], x.dot: self.qd[j], x.ddot: self.qdd[j]}
        for j, p in enumerate(mechanism.states, start=len(mechanism.coordinates)):
            column = self.qdd if isinstance(p, Multiplier) else self.qd  # a law means the load, not its impulse
            self.symbols |= {p: column[j], p.dot: self.qdd[j]}  # eq. (29): a state is the rate of its column of q
        rates = {self.t: g.one, **dict(zip(self.q + self.qd, self.qd + self.qdd, strict=True))}
        self.value = FromSympy(g, self.symbols, f"model '{mechanism.name}'", self._force)
        self.drives = {self.symbols[s]: self.value(f) for s, f in mechanism.drives.items()}
        self._own_rates = {s.dot: self.symbols[s.dot] for s in mechanism.drives}  # the unknowns of their equations
        rates |= self.drives
        if self.drives:
            self.symbols |= {s.dot: self.drives[self.symbols[s]] for s in mechanism.drives}
            self.value = FromSympy(g, self.symbols, f"model '{mechanism.name}'", self._force)
        self.calculus: Calculus = GraphCalculus(g, rates)
        self._solve_loops()
        self.symbols |= {u: self.value(expression) for u, expression in mechanism.given.items()}
        if mechanism.algebraic:
            self._solve_unknowns(rates)
        self._generalized: list[Node] = [g.zero] * self.n
        self._of_states: dict[State, Node] = {}
        self._states: dict[str, BodyState] = {}
        self._points: dict[str, BodyState] = {}
        self._images, self.rotations = dict[int, Any](), dict[int, Any]()  # of transforms; rotation vectors of these
        self._elements: dict[int, list[Node]] = {}
        self._potentials = Kept()
        self._ground = BodyState("ground", 0, Rotation(ZERO, ZERO, ZERO))  # type: ignore[arg-type]

    def _solve_loops(self) -> None:
        """Solve for the dependent coordinates, one after the other; inputs stand for those that are not yet solved."""
        g, forms, rate = self.graph, self.mechanism.forms, self.calculus.rate
        unknown = {form.coordinate: g.input("q", self.n + k) for k, form in enumerate(forms)}
        self.symbols |= unknown
        self.margins: list[Node] = []
        for form in forms:
            s = form.on(self, unknown[form.coordinate])
            self.margins += [form.margin(s)] if form.may_end(s) else []
            node = form.node(s)
            del self.symbols[form.coordinate]
            self.value = FromSympy(g, self.symbols, f"model '{self.mechanism.name}'", self._force)
            first = rate(node)
            self.symbols |= {form.coordinate: node, form.coordinate.dot: first, form.coordinate.ddot: rate(first)}

    def _solve_unknowns(self, rates: Mapping[Node, Node]) -> None:
        """Solve for the unknowns that equations without rates determine at every instant."""
        m = self.mechanism
        self.unknowns = Unknowns(self.graph, m, self.symbols, rates, self.n + len(m.forms))
        self.symbols |= dict(zip(m.algebraic, self.unknowns.nodes, strict=True))
        self.value = FromSympy(self.graph, self.symbols, f"model '{m.name}'", self._force)

    @property
    def solved(self) -> list[Node]:
        """Values, rates and accelerations of the dependent coordinates."""
        followers = [form.coordinate for form in self.mechanism.forms]
        return [self.symbols[x] for q in followers for x in (q, q.dot, q.ddot)]

    @property
    def names(self) -> list[str]:
        """The unknowns by name."""
        return [str(x) for x in self.mechanism.unknowns]

    @property
    def first_order(self) -> list[bool]:
        """True for first-order states."""
        return [False] * len(self.mechanism.coordinates) + [True] * len(self.mechanism.states)

    @cached_property
    def gravity(self) -> Vector:
        """The acceleration of gravity in ground axes, on the graph (part of the `Assembly` of force elements)."""
        return self.mechanism.gravity.map(self.value)

    def state(self, body: Body | Ground) -> BodyState:
        """The state of a body on the graph (part of the `Assembly` of force elements)."""
        if isinstance(body, MasslessPoint):
            return self._point(body)
        return self._ground if isinstance(body, Ground) else self.body_state(body)

    def _point(self, point: MasslessPoint) -> BodyState:
        """A point without mass, on which forces balance each other."""
        if point.name not in self._points:
            T = self.transform(point.T)
            nothing = type(point.inertia)(*point.inertia.map(self.value))
            rate, tidy = self.calculus.rate, self.calculus.tidy
            v, omega = T.e.map(rate), kinematics.rotation_vector(T, rate, tidy)
            self._points[point.name] = BodyState(point.name, 0, nothing, T=T, vG=v, omega=omega)
        return self._points[point.name]

    def add_generalized(self, q: Coordinate, force: Node) -> None:
        """Add to the generalised force of q (part of the `Assembly` of force elements)."""
        for j, share in self._on_unknowns(q, force):
            self._generalized[j] = self._generalized[j] + share

    def _on_unknowns(self, q: Coordinate, force: Node) -> list[tuple[int, Node]]:
        """A generalised force as forces on the unknowns: if q is dependent, on the coordinates that determine it."""
        if q in self.mechanism.coordinates:
            return [(self.mechanism.coordinates.index(q), force)]
        if q not in self.symbols:
            raise ModelError(f"add_generalized got {shown(q)}: expected a coordinate of the model, self.q.")
        slopes = gradient({self.symbols[q]: self.graph.one}, self.q)
        return [(j, slope * force) for j, slope in enumerate(slopes) if slope is not self.graph.zero]

    def add_equation(self, state: State, expression: Scalar) -> None:
        """Add the equation of a state, a scalar that is zero (part of the `Assembly` of force elements)."""
        self._of_states[state] = self.graph.node(expression)

    # -- bodies ---------------------------------------------------------------------------------------------------

    def transform(self, T: Transform) -> Transform:
        """A transform of the user's with nodes in place of its expressions."""
        return along(T, self._images, Transform(), lambda left, right: left * right.map(self.value))  # type: ignore

    @property
    def inputs(self) -> list[Node]:
        """The values of the inputs."""
        return [self.held[str(u)] for u in self.mechanism.inputs]

    @cached_property
    def moving(self) -> list[Node]:
        """The coordinates that have a row of d'Alembert's equations."""
        return [self.q[j] for j in self.mechanism.moving]

    def body_state(self, body: Body) -> BodyState:
        """A body in motion, with the efforts that have been added so far; made at its first use."""
        state = self._states.get(body.name)
        if state is None:
            T, G = self.transform(body.T), self.transform(body.frame_at_G)
            inertia = Inertia(*self.mechanism.inertias[body.name].map(self.value))
            state = BodyState(body.name, self.value(body.mass), inertia, body.com.map(self.value), T)
            self.scheme.move(self, state, G)
            self._states[body.name] = state
        return state

    @property
    def moved(self) -> list[BodyState]:
        """The bodies in motion, without loads."""
        return [self.body_state(body) for body in self.mechanism.bodies]

    @property
    def pushed(self) -> list[BodyState]:
        """The bodies with all efforts on them except their weights."""
        return self._loads.bodies

    @cached_property
    def _loads(self) -> Loads:
        """The effects of the efforts, each applied once; gravity is not among them."""
        self.apart(lambda effort: effort.apply(self), self.mechanism.efforts)
        return Loads(self.moved, self._generalized, self._of_states)

    @cached_property
    def loaded(self) -> list[BodyState]:
        """The bodies with all efforts on them."""
        bodies = [dataclasses.replace(body) for body in self.pushed]
        mbs.apply_gravity(bodies, self.gravity)
        return bodies

    def apart(self, function: Callable[[Any], Any], efforts: Iterable[Any]) -> list[Any]:
        """A function of each of some efforts, the nodes of each contact a block of their own."""
        return [self.graph.apart(partial(function, x), x.implicit) for x in efforts]

    # -- outputs --------------------------------------------------------------------------------------------------

    @cached_property
    def switches(self) -> list[tuple[str, Node]]:
        """Names and switching functions of the laws of efforts; a run lands at the zeros of these functions."""
        found = (pair for effort in self.mechanism.efforts for pair in effort.switches(self))
        return [(name, self.graph.node(g)) for name, g in found]

    @cached_property
    def gaps(self) -> list[Gap]:
        """The distances that must not become negative."""
        found = [gap for gaps in self.apart(lambda x: [*x.gaps(self)], self.mechanism.efforts) for gap in gaps]
        self._known((gap.rate, f"the gap of {gap.element}") for gap in found)
        return found

    def _known(self, velocities: Iterable[tuple[Scalar, str]]) -> None:
        """ModelError for a velocity that is an unknown of the equations: of a state that no frame follows."""
        unknown = {x.index: name for x, name in zip(self.qdd, self.names, strict=True)}
        for velocity, what in velocities:
            for name in (unknown[x.index] for x in reachable([self.graph.node(velocity)]) if x.index in unknown):
                raise ModelError(
                    f"{what} depends on state {name}, which no frame follows, so its velocity is not known: write it "
                    "by coordinates, time, and states that stand in transforms of bodies."
                )

    @cached_property
    def gap_guards(self) -> list[Node]:
        """Functions that fall through zero when the gaps close or open."""
        return [self.graph.node(self.graph.apart(partial(gap.guard, self))) for gap in self.gaps]

    @cached_property
    def free_residual(self) -> list[Node]:
        """The residual without locks: d'Alembert's rows of the coordinates that move bodies, then the equations."""
        rows = [self.graph.node(f) for f in self.scheme.residual(self)]
        generalized = self._seen_generalized if self.scheme.along_the_tree else self._loads.generalized
        rows = [row - generalized[j] for row, j in zip(rows, self.mechanism.moving, strict=True)]
        rows = [row - force for row, force in zip(rows, self.from_python, strict=True)] if self.from_python else rows
        return [*rows, *self._equations, *self.element_equations]

    @property
    def _equations(self) -> list[Node]:
        """The equations of the model. Those of states that drive frames give the rates for all other rows."""
        value = self.value
        if self.drives:
            where = f"model '{self.mechanism.name}'"
            value = FromSympy(self.graph, self.symbols | self._own_rates, where, self._force)
        return [value(e) for e in self.mechanism.equations]

    @cached_property
    def residual(self) -> list[Node]:
        """f(t, q, qd, qdd), n rows: those of the free system; the row of a locked coordinate is its acceleration."""
        rows = list(self.free_residual)
        for row, j, locked in self._locked:
            rows[row] = self.graph.select(locked, self.qdd[j], rows[row])
        return rows

    @property
    def _locked(self) -> list[tuple[int, int, Node]]:
        """Row, column and condition of every coordinate that a lock or sticking friction may hold."""
        m, g = self.mechanism, self.graph
        found = []
        for q, names in m.holders.items():
            first, *others = (self.held[name] for name in names)
            for other in others:
                first = g.call("max", first, other)
            j = m.coordinates.index(q)
            found.append((m.moving.index(j), j, g.call("lt", g.constant(0.5), first)))
        return found

    @cached_property
    def locking_forces(self) -> list[Node]:
        """The generalised force that holds each coordinate that can be locked; zero while the coordinate is free."""
        g, half, m, held = self.graph, self.graph.constant(0.5), self.mechanism, self.held
        return [g.select(g.call("lt", half, held[f"{q}.locked"]), self._holding(q), g.zero) for q in m.locks]

    def _holding(self, q: Coordinate) -> Node:
        """The generalised force that holds a coordinate: the remainder of its equation of motion."""
        return self.free_residual[self.mechanism.moving.index(self.mechanism.coordinates.index(q))]

    def _force(self, symbol: Any) -> Node | None:
        """What an element measures; or the force of a lock, zero if the coordinate cannot be locked in this run."""
        if isinstance(symbol, Measure):
            found = (e.measured[str(symbol)][0] for e in self.mechanism.efforts if str(symbol) in e.measured)
            return self.graph.node(next(found)(self))
        if isinstance(symbol, HoldingForce):
            return self._holding(symbol.coordinate)
        if not isinstance(symbol, LockingForce):
            return None
        locks = self.mechanism.locks
        return self.locking_forces[locks.index(symbol.coordinate)] if symbol.coordinate in locks else self.graph.zero

    @cached_property
    def slips(self) -> list[Slip]:
        """The velocities that friction may hold at zero."""
        found = [slip for effort in self.mechanism.efforts for slip in effort.slips(self)]
        self._known((slip.velocity, f"the slip of {slip.element}") for slip in found)
        return found

    @cached_property
    def slip_guards(self) -> list[Node]:
        """Functions that fall through zero when the modes of slips end."""
        return [self.graph.node(slip.guard(self)) for slip in self.slips]

    @cached_property
    def transitions(self) -> list[Transition]:
        """The changes of modes of the elements, as nodes."""
        node = self.graph.node
        found = (x for effort in self.mechanism.efforts for x in effort.transitions(self))
        return [x._replace(guard=node(x.guard), sets={s: node(v) for s, v in x.sets.items()}) for x in found]

    @cached_property
    def starting_flags(self) -> dict[Flag, Node]:
        """The flags that may not be zero at the start."""
        found = (pair for effort in self.mechanism.efforts for pair in effort.start(self).items())
        return {flag: self.graph.node(value) for flag, value in found}

    @cached_property
    def tree(self) -> Tree:
        return Tree(self.graph, self.mechanism.bodies, self.mechanism.inertias, self.value)

    @cached_property
    def motors(self) -> MotorTree:
        return MotorTree(self.graph, self.gravity, self.calculus)

    @cached_property
    def _observers(self) -> list[Observer]:
        """The observers of efforts other than gravity, each with the efforts that are computed as it sees them."""
        observers: dict[Any, Observer] = {}
        for effort in self.mechanism.efforts:
            base = observer_of(effort)
            if base not in observers:
                observers[base] = Observer(self, base)
        self.apart(lambda effort: effort.apply(observers[observer_of(effort)]), self.mechanism.efforts)
        return list(observers.values())

    @cached_property
    def _seen_generalized(self) -> list[Node]:
        total = [self.graph.zero] * self.n
        for observer in self._observers:
            for q, force in observer.generalized.items():
                for j, share in self._on_unknowns(q, force):
                    total[j] = total[j] + share
        return total

    @cached_property
    def element_equations(self) -> list[Node]:
        """The equations of the states of force elements, each a scalar that is zero."""
        if not self.scheme.along_the_tree:
            return self.mechanism.element_equations(self._loads.equations)
        return self.mechanism.element_equations({p: x for o in self._observers for p, x in o.equations.items()})

    @cached_property
    def applied(self) -> Applied:
        """The effects of the efforts other than gravity."""
        seen = (wrench for observer in self._observers for wrench in observer.wrenches())
        return Applied(self.tree.applied(seen), [self._seen_generalized[j] for j in self.mechanism.moving])

    @cached_property
    def _implicit(self) -> Implicit:
        return Implicit(self, self.applied)

    def wrenches(self, calculus: Calculus, applied: Mapping[Joint, Wrench]) -> dict[Joint, Wrench]:
        """The wrench that the motion requires at each joint of the tree, minus the applied wrench."""
        return self.tree.wrenches(self.gravity, calculus.rate, applied)

    def _on_coordinates(self, efforts: Applied) -> list[Node]:
        """The generalised forces of efforts."""
        rows = self.tree.residual(self.moving, efforts.wrenches)
        return [row + Q for row, Q in zip(rows, efforts.generalized, strict=True)]

    @cached_property
    def mass_matrix(self) -> list[Node]:
        """M (n x n, row by row); row and column of a locked coordinate are those of the unit matrix."""
        g, n, M = self.graph, self.n, list(self.free_mass_matrix)
        for row, j, locked in self._locked:
            for k in range(n):
                one = g.one if k == j else g.zero
                M[row * n + k] = g.select(locked, one, M[row * n + k])
                if k != row:
                    M[k * n + j] = g.select(locked, g.zero, M[k * n + j])
        return M

    @cached_property
    def free_mass_matrix(self) -> list[Node]:
        """Eq. (8) for bodies, derivatives with respect to qdd where efforts or equations depend on it."""
        of_all = self._efforts_with_accelerations and not self.scheme.along_the_tree
        if self.mechanism.equations or of_all:
            return slopes(self.graph, self.free_residual, self.qdd)
        M = self.scheme.mass_matrix(self)
        if self._efforts_with_accelerations:
            rows: list[list[Any]] = self._implicit.mass_rows(M, self._on_coordinates)
        else:
            rows = [[*row, *[0] * (self.n - len(M))] for row in M]
            rows += [[float(j == k) for k in range(self.n)] for j in range(len(M), self.n)]  # states of elements
        return [self.graph.node(x) for row in rows for x in row]

    @cached_property
    def own_masses(self) -> list[Node]:
        """M of the coordinates alone (row by row), of which forces of contacts are no part."""
        return masses(self)

    @cached_property
    def bias(self) -> list[Node]:
        """h of eq. (7): the residual without accelerations."""
        return self.graph.substitute(self.residual, dict.fromkeys(self.qdd, self.graph.zero))

    @cached_property
    def accelerations(self) -> list[Node]:
        """qdd = -M^-1 h as straight-line code: by articulated bodies where they apply, by elimination elsewhere.

        With few unknowns the shorter of the two programs is used.
        """
        if not self.articulated:
            return self.by_elimination
        if self.n > BOTH_WAYS or self.accelerations_in_efforts:  # no row exchanges: pivots that are masses alone
            return self.by_articulated_bodies
        return min(self.by_elimination, self.by_articulated_bodies, key=_length)

    @cached_property
    def by_elimination(self) -> list[Node]:
        """qdd from M and h: a number of operations that grows as n cubed."""
        return self._eliminated[0]

    @cached_property
    def _eliminated(self) -> tuple[list[Node], list[Pivot]]:
        M, n = self.mass_matrix, self.n
        return eliminated([M[j * n : (j + 1) * n] for j in range(n)], [-h for h in self.bias])

    @cached_property
    def by_articulated_bodies(self) -> list[Node]:
        """qdd without M, if `articulated`: a number of operations that grows as n."""
        return self._articulated[0]

    @cached_property
    def _articulated(self) -> tuple[list[Node], list[Pivot]]:
        bodies, implicit = self._articulated_bodies, self._implicit
        assert bodies is not None
        rates = {self.t: self.graph.one, **dict(zip(self.q, self.qd, strict=True))}
        at_rest = GraphCalculus(self.graph, rates | dict.fromkeys(self.qd, self.graph.zero))  # qdd = 0
        added, felt = implicit.split(bodies.takes_inertia)
        known = implicit.known
        inertias = bodies.inwards(added, {row: locked for row, _, locked in self._locked})

        def response(wrenches: Mapping[Joint, Wrench], generalized: Sequence[Node]) -> dict[int, Node]:
            efforts = {c: Q for c, Q in enumerate(generalized) if Q is not self.graph.zero}
            return bodies.accelerations(inertias, wrenches, efforts)

        def of_unit(unit: Applied) -> dict[int, Node]:
            return response({joint: (-F, -M) for joint, (F, M) in unit.wrenches.items()}, unit.generalized)

        without = response(self.wrenches(at_rest, known.wrenches), known.generalized)
        qdd, pivots = implicit.accelerations(without, felt, of_unit)
        return qdd, bodies.pivots(inertias, added) + pivots

    @property
    def checked_accelerations(self) -> list[Node]:
        """qdd, the first of them infinite where M may be singular."""
        return checked(self.accelerations, self.pivots)

    @cached_property
    def pivots(self) -> list[Pivot]:
        """The pivots of the elimination in `accelerations`."""
        if self.articulated and self.accelerations is self.by_articulated_bodies:
            return self._articulated[1]
        return self._eliminated[1]

    @cached_property
    def articulated(self) -> bool:
        """True when articulated bodies apply: accelerations then take a number of operations that grows as n.

        They do not apply if equations contain accelerations, if coordinates move many joints each, or if efforts depend
        on many accelerations.
        """
        bodies = self._articulated_bodies
        if bodies is None or not bodies.regular or bodies.width > WIDTH:
            return False
        if self.inertial:  # many accelerations each: M is eliminated, or solved in numbers
            return False
        if self.accelerations_in_efforts:
            return not self._locked and self._implicit.solvable(bodies, WIDTH)
        return all(bodies.takes_inertia(row) for row, *_ in self._locked)

    @property
    def unrolled_is_sensible(self) -> bool:
        """True when `accelerations` is complete, short and free of row exchanges; else solve M qdd = -h in numbers.

        Callbacks are in no program. If efforts or equations contain accelerations, M is not the matrix of the masses.
        """
        if self.mechanism.callbacks or self.mechanism.equations:
            return False
        return self.articulated or (not self.accelerations_in_efforts and self.n <= UNROLLED)

    @cached_property
    def _articulated_bodies(self) -> ArticulatedBodies | None:
        m = self.mechanism
        if not self.scheme.along_the_tree or m.equations or not self.n:
            return None
        return ArticulatedBodies(self.tree, self.moving, self.calculus.diff)

    @property
    def accelerations_in_efforts(self) -> bool:
        """True when some effort depends on accelerations: M is then more than that of the bodies."""
        return bool(self._efforts_with_accelerations)

    @property
    def linear_efforts(self) -> bool:
        """True when efforts, and the equations of elements, are linear functions of accelerations."""
        return all(x.inertial or x.linear for x in self._efforts_with_accelerations) or self._implicit.linear

    @cached_property
    def inertial(self) -> list[Any]:
        """The efforts that have inertia."""
        return [effort for effort in self.mechanism.efforts if effort.inertial]

    @cached_property
    def _efforts_with_accelerations(self) -> list[Any]:
        accelerations = {x.ddot for x in self.mechanism.coordinates} | {p.dot for p in self.mechanism.states}
        accelerations |= set(self.mechanism.loading)

        def uses(effort: Any) -> bool:
            if effort.implicit or effort.inertial:
                return True
            return any(accelerations & getattr(e, "free_symbols", set()) for e in effort.expressions())

        return [effort for effort in self.mechanism.efforts if uses(effort)]

    @cached_property
    def frames(self) -> list[Node]:
        """The 4x4 matrices of all bodies, row by row."""
        entries: list[Scalar] = []
        for body in self.moved:
            R, e = body.T.R, body.T.e
            entries += [*(x for i in range(3) for x in (R[i, 0], R[i, 1], R[i, 2], e[i])), 0, 0, 0, 1]
        return [self.graph.node(x) for x in entries]

    @cached_property
    def energies(self) -> list[Node]:
        """Kinetic and potential energy (J), and the power (W) of all else: efforts, generalised forces, drives."""
        return [*self.mechanical_energies, sum(self.supplied_power, self.calculus.rate(sum(self.of_time)))]

    mechanical_energies = cached_property(mechanical)

    of_time = cached_property(of_time)
    supplied_power = cached_property(supplied)

    @cached_property
    def supplied_power_stepping(self) -> list[Node]:
        """The same with the power of contacts that is spread over intervals of time stepping."""
        return supplied(self, True)

    def element(self, effort: Any) -> list[Node]:
        """Power (W) that one effort gives to the bodies, and its potential (J)."""
        if id(effort) not in self._elements:
            alone = Alone(self)
            effort.apply(alone)
            self._elements[id(effort)] = [alone.power(), self.potential(effort)]
        return self._elements[id(effort)]

    def potential(self, effort: Any) -> Node:
        """The potential (J) of one effort."""
        return self._potentials.of(id(effort), lambda: self.graph.node(effort.potential(self)))

    @cached_property
    def drive_motion(self) -> list[Node]:
        """Velocity of G and angular velocity of each body: for a unit rate of each driving state, then for time."""
        entries: list[Scalar] = []
        for body in self.mechanism.bodies:
            G = self.transform(body.frame_at_G)
            for s in (*self.drives, self.t):
                entries.extend(translation_contribution(G, s, self.calculus))
                entries.extend(rotation_contribution(G, s, self.calculus))
        return [self.graph.node(x) for x in entries]

    @cached_property
    def callback_motion(self) -> list[Node]:
        """What a Python callback gets of each body: R, e, vG, omega (row by row), then d, theta per coordinate."""
        entries: list[Scalar] = []
        for body, state in zip(self.mechanism.bodies, self.moved, strict=True):
            m = motion(self.transform(body.frame_at_G), self.moving, [0] * len(self.moving), self.t, self.calculus)
            R = state.T.R
            entries += [*(R[i, j] for j in range(3) for i in range(3)), *state.T.e, *state.vG, *state.omega]
            entries += [x for d, theta in zip(m.d, m.theta, strict=True) for x in (*d, *theta)]
        return [self.graph.node(x) for x in entries]

    balances = cached_property(balances_of)

    @cached_property
    def acting(self) -> list[tuple[int, str]]:
        """The effort, by its position, and the body of each action."""
        return self._actions[0]

    @cached_property
    def actions(self) -> list[Node]:
        """Force and moment about the ground's origin of each effort on each body, in the order of `acting`."""
        return self._actions[1]

    _actions = cached_property(actions_of)

    def expressions(self, expressions: Iterable[Any]) -> list[Node]:
        """Nodes of any SymPy expressions of the model."""
        return [self.value(e) for e in expressions]


def _length(outputs: list[Node]) -> int:
    """Number of multiplications and additions of the outputs."""
    operations = Program("accelerations", outputs).operations
    return operations["mul"] + operations["add"]
