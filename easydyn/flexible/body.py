"""A body from the matrices of a finite element program: it moves with its frame, and has small deformations in it.

    r = T (x + sum_k phi_k q_k),        V = q' K q/2,        Q = -K q - D qd - sum_l s_l G_l q

Points carry the mass (inertia.py). The elasticity is an element on the coordinates q of the shapes (reduction.py). s_l
G_l are loads, each times the geometric stiffness of a unit load.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import sympy

from easydyn.arguments import answers
from easydyn.errors import InputError
from easydyn.flexible.inertia import Rigid
from easydyn.flexible.matrices import Matrices, read, square
from easydyn.forces.effort import Assembly, Effort, a_coordinate, constant, given, positive
from easydyn.inputs import a, expect, finite, is_listed, listed, shown, text, whole
from easydyn.mechanics.mechanism import Body
from easydyn.mechanics.symbols import Coordinate
from easydyn.vec import Shift, Transform, Vector, trotx, troty, trotz
from easydyn.vec.scalars import Scalar, is_number

if TYPE_CHECKING:
    from easydyn.flexible.reduction import Shapes

MOST_EDGES, MOST_DRAWN = 6, 3000  # lines between nodes: for each node, in all
FAST, FAR = 1 / 3, 0.1  # of its lowest frequency, of its size: what small displacements without stiffening allow


class Data(NamedTuple):
    """The data that `check()` uses to find probable mistakes in a body."""

    size: float  # m
    mass: float  # kg
    lowest: float  # rad/s
    highest: float
    celerity: float  # m/s, about that of waves from node to node


class Drawn(NamedTuple):
    """The data for pictures: nodes (n, 3) in m, their shapes (n, 3 or 6, m), and cells between nodes."""

    places: np.ndarray
    shapes: np.ndarray
    cells: tuple[tuple[int, ...], ...]


@answers
class Elasticity(Effort):
    """Elasticity and damping of a body that deforms in shapes, as `model.flexible_body` makes it.

    Parameters
    ----------
    name : str
        Of the body.
    coordinates : sequence of Coordinate
        One for each shape.
    stiffness : array (m, m)
        K, in N/m.
    damping : array (m, m)
        D, in N s/m.
    factor : scalar (no unit), optional
        A factor on K and on D.
    stiffening : sequence of pairs, optional
        Pairs of a scalar s, in its own unit, and its geometric stiffness (m, m), in N/m for a unit of s.
    data : Data, optional
        What `check()` looks at.
    drawn : Drawn, optional
        The data for pictures.

    Raises
    ------
    InputError
        A matrix without a row for each coordinate, an invalid coordinate, a stiffening that is not a pair.

    Example
    -------
    >>> from easydyn import Model, tdisp
    >>> model = Model("mode")
    >>> q, = model.coordinates("q", initial=0.1)
    >>> mass = model.body("mass", tdisp(q, 0, 0), mass=2, inertia=(0, 0, 0))
    >>> model.add(Elasticity("mass", [q], [[200]], [[0]]))
    >>> round(float(model.linearize().poles().imag.max()), 9)
    10.0
    """

    def __init__(
        self, name: str, coordinates: Sequence[Coordinate], stiffness: Any, damping: Any, factor: Any = 1,
        stiffening: Any = (), data: Data | None = None, drawn: Drawn | None = None,
    ):  # fmt: skip
        self.name, self.data = name, None if data is None else a(Data, data, "the data of an Elasticity", "a Data")
        self.drawn = None if drawn is None else a(Drawn, drawn, "drawn of an Elasticity", "a Drawn")
        what = f"an Elasticity of '{text(name, 'the name of an Elasticity')}'"
        given_to = listed(coordinates, f"the coordinates of {what}", "coordinates")
        self._coordinates = tuple(a_coordinate(q, f"a coordinate of {what}") for q in given_to)
        self.stiffness = self._square(stiffness, f"the stiffness of {what}")
        self.damping = self._square(damping, f"the damping of {what}")
        self.factor = given(factor, f"the factor of {what}")
        self.stiffening = tuple(
            (load, self._square(G, f"a stiffening of {what}")) for load, G in pairs_of(stiffening, what)
        )

    def _square(self, matrix: Any, what: str) -> np.ndarray:
        found, m = np.asarray(square(matrix, what)), len(self._coordinates)
        expect(found.shape == (m, m), what, found.shape, f"({m}, {m}), a row for each of its coordinates", "has shape")
        return found

    @property
    def conservative(self) -> bool:
        return not self.damping.any() and constant(self.expressions())

    @property
    def coordinates(self) -> tuple[Coordinate, ...]:
        return self._coordinates

    def expressions(self) -> Iterator[Scalar]:
        yield self.factor
        yield from (s for s, _ in self.stiffening)

    def _loads(self, assembly: Assembly, of_energy: bool) -> Iterator[tuple[Scalar, np.ndarray]]:
        """The factors at work and their matrices; of those that store energy, or of all."""
        if not of_energy or constant(iter((self.factor,))):
            yield assembly.value(self.factor), self.stiffness
        for s, G in self.stiffening:
            if not of_energy or constant(iter((s,))):
                yield assembly.value(s), G

    def apply(self, assembly: Assembly) -> None:
        q = [assembly.value(x) for x in self._coordinates]
        total: list[Scalar] = [0] * len(q)
        for s, A in self._loads(assembly, of_energy=False):
            total = [f + s * x for f, x in zip(total, _product(A, q), strict=True)]
        if self.damping.any():
            rates = _product(self.damping, [assembly.value(x.dot) for x in self._coordinates])
            c = assembly.value(self.factor)
            total = [f + c * x for f, x in zip(total, rates, strict=True)]
        for x, force in zip(self._coordinates, total, strict=True):
            assembly.add_generalized(x, -force)

    def potential(self, assembly: Assembly) -> Scalar:
        q = [assembly.value(x) for x in self._coordinates]
        found: Scalar = 0
        for s, A in self._loads(assembly, of_energy=True):
            found = found + s * sum((x * f for x, f in zip(q, _product(A, q), strict=True)), 0) / 2
        return found

    def doubts(self, source: Any, t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> Iterator[str]:
        names, bodies = [str(x) for x in source.mechanism.unknowns], [body.name for body in source.mechanism.bodies]
        if self.data is None or self.name not in bodies:
            return
        far = abs(q[:, [names.index(str(x)) for x in self._coordinates]]).max()
        if far > FAR * self.data.size:
            yield (
                f"flexible body '{self.name}' is displaced by about {far:.3g} m, and is {self.data.size:.3g} m "
                "long: its displacements are to be small, a tenth of that at most. Take a chain of beams (model.beam) "
                "or several flexible bodies one after the other."
            )
        speed = np.linalg.norm(source.motions(t, q, qd)[:, bodies.index(self.name), 2], axis=-1).max()
        if not self.stiffening and speed > FAST * self.data.lowest:
            yield (
                f"flexible body '{self.name}' turns at {speed:.3g} rad/s, and its lowest frequency is "
                f"{self.data.lowest:.3g} rad/s: without stiffening= its rotation makes it too soft, and above that "
                "frequency it has no stiffness left. Give the geometric stiffness of a unit of the speed squared, "
                "stiffening=[(q.dot**2, G)], or take a chain of beams, model.beam."
            )

    def __repr__(self) -> str:
        return f"the elasticity of flexible body '{self.name}'"


def _product(A: np.ndarray, q: Sequence[Scalar]) -> list[Scalar]:
    return [sum((float(a) * x for a, x in zip(row, q, strict=True) if a), 0) for row in A]


class Nodes(Sequence[Body]):
    """The nodes of a flexible body, as bodies without mass; each becomes part of the model when it is first used."""

    def __init__(self, count: int, node: Callable[[int], Body]):
        self._count, self._node = count, node

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, k: Any) -> Any:
        chosen = range(self._count)[k]
        return self._node(chosen) if isinstance(chosen, int) else [self._node(j) for j in chosen]


@answers
class FlexibleBody:
    """A flexible body, as `model.flexible_body` returns it.

    Attributes
    ----------
    name : str
        Its name.
    T : Transform
        The frame with which it moves.
    body : Body
        A massless body that is fixed to that frame.
    mass : float (kg)
        Mass of the whole body.
    com : array (3,)
        Centre of mass (m) of the undeformed body, in the axes of the frame.
    inertia : array (3, 3)
        Moments of inertia (kg m2) of the undeformed body about the centre of mass.
    coordinates : tuple of Coordinate
        Coordinates of the shapes: where one is 1, the node that it moves most is displaced by 1 m.
    frequencies : array (m,)
        Angular frequencies of the shapes (rad/s), with a fixed frame.
    places : array (n, 3)
        Positions of the nodes (m) of the undeformed body, in the axes of the frame.
    shapes : array (n, 3, m), or (n, 6, m)
        Displacements, and small rotations, of each node by each shape (no unit, 1/m).

    Example
    -------
    >>> import numpy as np
    >>> from easydyn import Model, tdisp
    >>> corners, bars = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.zeros((4, 3, 4, 3))
    >>> for i in range(4):
    ...     for j in set(range(4)) - {i}:
    ...         line = corners[j] - corners[i]
    ...         k = 1000 * np.outer(line, line) / (line @ line)
    ...         bars[i, :, i] += k
    ...         bars[i, :, j] -= k
    >>> model = Model("four masses, six bars")
    >>> x, = model.coordinates("x")
    >>> frame = model.flexible_body(
    ...     "frame", tdisp(x, 0, 0), nodes=corners, M=np.eye(12), K=bars.reshape(12, 12), modes=3, clamped=[0, 1, 2])
    >>> frame, frame.mass, len(frame.nodes)
    (flexible body 'frame', 4.0, 4)
    >>> frame.nodes[2].name
    'frame node 2'
    """

    def __init__(
        self, model: Any, name: str, T: Transform, body: Body, mass: float, com: np.ndarray, inertia: np.ndarray,
        coordinates: tuple[Coordinate, ...], frequencies: np.ndarray, places: np.ndarray, shapes: np.ndarray,
    ):  # fmt: skip
        self.name, self.T, self.body, self.coordinates = name, T, body, coordinates
        self.mass, self.com, self.inertia = mass, com, inertia
        self.places, self.shapes, self.frequencies = places, shapes, frequencies
        self._model, self._known = model, dict[int, Body]()

    @property
    def nodes(self) -> Nodes:
        """Its nodes: bodies without mass, for forces, springs, joints, loops; `nodes[k].T` are their frames.

        With six degrees of freedom at each node the frames rotate with the node; with three they stay parallel to the
        frame of the body.
        """
        return Nodes(len(self.places), self._node)

    def deflection(self, node: int) -> tuple[Scalar, Scalar, Scalar]:
        """Displacements of a `node`, counted from 0, along the axes of the frame (m): for `run.of`, or an output.

        Raises InputError for a node that does not exist.
        """
        k = whole(node, f"the node of {self}", len(self.places) - 1, least=0)
        x, y, z = (combined(0.0, row, self.coordinates) for row in self.shapes[k, :3])
        return x, y, z

    def _node(self, k: int) -> Body:
        if k not in self._known:
            T = self.T * frame_of(self.places[k], self.shapes[k], self.coordinates)
            self._known[k] = self._model.body(f"{self.name} node {k}", T, mass=0, inertia=(0, 0, 0))
        return self._known[k]

    def __repr__(self) -> str:
        return f"flexible body '{self.name}'"


def frame_of(place: np.ndarray, shapes: np.ndarray, coordinates: Sequence[Coordinate]) -> Transform:
    """The frame of a node, or of a point, in that of its body; with three rows of shapes it does not rotate."""
    moved = Transform((Shift(Vector(*(combined(x, row, coordinates) for x, row in zip(place, shapes, strict=False)))),))
    for turn, row in zip((trotx, troty, trotz), shapes[3:], strict=False):
        if row.any():
            moved = moved * turn(combined(0.0, row, coordinates))
    return moved


def combined(constant: float, factors: Any, coordinates: Sequence[Coordinate]) -> Scalar:
    """constant + sum of factors times coordinates."""
    terms = [float(a) * q for a, q in zip(factors, coordinates, strict=True) if a]
    return sympy.Add(float(constant), *terms) if terms else float(constant)


def damping_of(ratio: Any, rayleigh: Any, shapes: Shapes, what: str) -> np.ndarray:
    """D of the shapes, from a fraction of critical damping in each of their modes, and from alpha M + beta K."""
    m = len(shapes.names)
    each = list(ratio) if is_listed(ratio) else [ratio] * m
    if len(each) != m:
        raise InputError(f"the damping of {what} has {len(each)} values: expected one, or one for each of {m} modes.")
    ratios = [finite(x, f"the damping of {what}") for x in each]
    factors = listed((0, 0) if rayleigh is None else rayleigh, f"rayleigh of {what}", "two numbers (alpha, beta)")
    if len(factors) != 2:
        raise InputError(f"rayleigh of {what} has {len(factors)} values: expected (alpha, beta), for alpha M + beta K.")
    alpha, beta = (finite(x, f"rayleigh of {what}") for x in factors)
    if min([*ratios, alpha, beta], default=0) < 0:
        raise InputError(f"the damping of {what} is {shown(ratio if rayleigh is None else rayleigh)}: expected >= 0.")
    if not m:
        return np.zeros((0, 0))
    from scipy.linalg import eigh

    squares, modes = eigh(shapes.K, shapes.M)
    momenta = shapes.M @ modes
    critical = momenta * (2 * np.array(ratios) * np.sqrt(squares)) @ momenta.T
    return np.asarray(critical + alpha * shapes.M + beta * shapes.K)


def pairs_of(pairs: Any, what: str) -> Iterator[tuple[Scalar, Any]]:
    """Loads and the partner of each; InputError if it is not a list of pairs."""
    for pair in listed(pairs, f"the stiffening of {what}", "pairs (load, matrix)"):
        if not is_listed(pair) or len(list(pair)) != 2:
            raise InputError(f"the stiffening of {what} has {shown(pair)}: expected pairs (load, matrix).")
        load, A = pair
        yield given(load, f"a load of the stiffening of {what}"), A


def stiffening_of(pairs: Any, matrices: Matrices, V: np.ndarray, what: str) -> list[tuple[Scalar, np.ndarray]]:
    """Loads, and the geometric stiffness that a unit of each gives to the shapes."""
    found = []
    for load, A in pairs_of(pairs, what):
        G = square(read(A, "G", what), f"a matrix of the stiffening of {what}")
        if G.shape != matrices.M.shape:
            raise InputError(
                f"a matrix of the stiffening of {what} has shape {G.shape}: expected {matrices.M.shape}, as M and K."
            )
        found.append((load, V.T @ (G @ V)))
    return found


def data_of(matrices: Matrices, rigid: Rigid, shapes: Shapes) -> Data:
    """What `check()` looks at."""
    size = float(np.linalg.norm(np.ptp(matrices.nodes, axis=0)))
    masses, springs = (A.diagonal().reshape(-1, matrices.freedoms)[:, :3] for A in (matrices.M, matrices.K))
    squares = springs[masses > 0] / masses[masses > 0]
    some = matrices.nodes[:: max(1, len(matrices.nodes) // 50)]
    apart = np.linalg.norm(some[:, None] - matrices.nodes, axis=2)
    step = float(np.where(apart > 1e-9 * size, apart, np.inf).min()) / 2
    frequencies = shapes.frequencies
    return Data(size, rigid.mass, float(frequencies[0]), float(frequencies[-1]), step * float(squares.max()) ** 0.5)


def cells_of(mesh: Any, matrices: Matrices, what: str) -> tuple[tuple[int, ...], ...]:
    """The cells drawn between nodes: as given, else lines between nodes that the stiffness couples."""
    n, f = len(matrices.nodes), matrices.freedoms
    if mesh is not None:
        cells = [listed(cell, f"a cell of the mesh of {what}", "node numbers, such as (0, 1, 4)")
                 for cell in listed(mesh, f"the mesh of {what}", "cells, tuples of node numbers")]  # fmt: skip
        found = tuple(tuple(whole(k, f"a node of the mesh of {what}", least=0) for k in cell) for cell in cells)
        wrong = next((cell for cell in found if len(cell) < 2 or max(cell) >= n), None)
        if wrong is not None:
            raise InputError(
                f"the mesh of {what} has a cell {wrong}: expected two nodes of an edge, three or more of a face, "
                f"counted from 0 to {n - 1}."
            )
        return found
    if isinstance(matrices.K, np.ndarray):
        rows, columns = np.nonzero(abs(matrices.K) > 1e-9 * abs(matrices.K).max())
    else:
        rows, columns = matrices.K.nonzero()
    pairs = np.unique(np.stack([rows // f, columns // f], axis=1), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    if len(pairs) > MOST_EDGES * n:  # of solid elements: those without a node between, the edges of a grid
        near: list[set[int]] = [set() for _ in range(n)]
        for i, j in pairs.tolist():
            near[i].add(j)
            near[j].add(i)
        x = matrices.nodes

        def apart(i: int, j: int) -> float:
            return float(np.linalg.norm(x[i] - x[j]))

        def beside(i: int, j: int) -> bool:
            return all(max(apart(i, k), apart(j, k)) > 0.999 * apart(i, j) for k in near[i] & near[j])

        pairs = np.array([(i, j) for i, j in pairs.tolist() if beside(i, j)])
    return tuple((int(i), int(j)) for i, j in pairs[:MOST_DRAWN])


def factor_of(value: Any, what: str) -> Scalar:
    """A factor on the stiffness: a scalar that is not a number at or below zero."""
    found = positive(value, f"the stiffness of {what}")
    if is_number(found) and float(found) == 0:
        raise InputError(f"the stiffness of {what} is 0: expected a factor on K above zero (no unit).")
    return found
