"""The equations of a motion and of its derivatives with respect to parameters or initial values, as one system.

With s, the derivative of q with respect to a parameter p, the tangent (variational) equations are

    f(t, q, qd, qdd) = 0        f_q s + f_qd sd + f_qdd sdd + f_p = 0

Forward sweeps over the graph give the second equation exactly. The unknowns are those of the model, then those of each
direction (parameter or initial value) in turn. Derivatives are taken with respect to p / scale, so that they have the
size of the unknowns.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

from easydyn.engine.derivation import Derivation
from easydyn.engine.derivatives import Forward
from easydyn.engine.elimination import checked
from easydyn.engine.graph import Node, reachable


class Varied(NamedTuple):
    """A varied quantity: name; "parameters" or "inputs" and the number there, "" for an initial value; scale."""

    name: str
    kind: str
    number: int
    scale: float


class Variations:
    """A replacement for a Derivation: the same equations, and below them those of their derivatives.

    All else is that of the motion.
    """

    def __init__(self, base: Derivation, directions: Sequence[Varied]):
        self._base = base
        g, n = base.graph, base.n
        self.n = n * (1 + len(directions))
        self.names = [*base.names, *(f"d {x} / d {d.name}".replace(".", " ") for d in directions for x in base.names)]
        self.first_order = base.first_order * (1 + len(directions))
        self._tangents, self._explicit = [], []
        for k, direction in enumerate(directions, start=1):
            seeds: dict[Node, Node] = {}
            for slot, nodes in (("q", base.q), ("qd", base.qd), ("qdd", base.qdd)):
                seeds |= {x: g.input(slot, k * n + j) for j, x in enumerate(nodes)}
            if direction.kind:
                seeds[getattr(base, direction.kind)[direction.number]] = g.constant(direction.scale)
            self._tangents.append(Forward(g, seeds))
            # along qdd = a(t, q, qd) the accelerations are no inputs
            self._explicit.append(Forward(g, {x: s for x, s in seeds.items() if x not in base.qdd}))

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_base"), name)  # a copy that is being made has none

    @cached_property
    def residual(self) -> list[Node]:
        """Of the motion, then of each direction."""
        f = self._base.residual
        return [*f, *(tangent(x) for tangent in self._tangents for x in f)]

    @cached_property
    def accelerations(self) -> list[Node]:
        """Of the motion, then of each direction."""
        a = self._base.accelerations
        return [*a, *(tangent(x) for tangent in self._explicit for x in a)]

    @property
    def checked_accelerations(self) -> list[Node]:
        """The same, the first of them infinite where M may be singular."""
        return checked(self.accelerations, self._base.pivots)

    @cached_property
    def mass_matrix(self) -> list[Node]:
        """Derivatives of the residual by all accelerations (row by row): M, and below it its derivatives beside M."""
        M, n, zero = self._base.mass_matrix, self._base.n, self._base.graph.zero
        blocks = [M, *([tangent(x) for x in M] for tangent in self._tangents)]
        rows: list[Node] = []
        for k, block in enumerate(blocks):
            for i in range(n):
                row = [zero] * self.n
                row[k * n : (k + 1) * n] = M[i * n : (i + 1) * n]
                if k:
                    row[:n] = block[i * n : (i + 1) * n]
                rows += row
        return rows

    @cached_property
    def switches(self) -> list[tuple[str, Node]]:
        """Switches of the motion, then all conditions on the motion or on inputs in its equations: forces may jump."""
        found = list(self._base.switches)
        known = {x.index for _, node in found for x in (node, -node)}
        for node in reachable(self._base.residual):
            if node.op in ("lt", "le", "sign"):
                difference = node.args[0] - node.args[1] if len(node.args) == 2 else node.args[0]
                if difference.index not in known and not _known_beforehand(difference):
                    known |= {difference.index, (-difference).index}
                    found.append((f"condition {len(found) + 1}", difference))
        return found

    @property
    def rounds(self) -> bool:
        """True when floor, ceiling or Mod of the motion, or of an input, stands in the equations."""
        rounded = ("floor", "ceil", "mod")
        return any(x.op in rounded and not _known_beforehand(x) for x in reachable(self._base.residual))

    def crossing(self, switch: Node) -> tuple[Node, ...]:
        """The rate of a switching function along the motion, and its derivatives in the directions."""
        return self._base.calculus.rate(switch), *(tangent(switch) for tangent in self._tangents)


def _known_beforehand(node: Node) -> bool:
    """True when it depends on time and parameters alone: inputs may follow a table, or move an instant."""
    return all(x.value[0] in ("t", "p") for x in reachable([node]) if x.op == "input")
