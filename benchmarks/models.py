"""The systems that are compared: chains of rigid bodies, one description for every program.

Each body turns about one axis of its own frame, which stands at the joint; all axes are parallel when all angles are
zero. easydyn gets the description as a Model; peers.py translates the same numbers for the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Link:
    """A body and the joint it turns in.

    `axis` "x", "y" or "z"; `joint` is the place of the joint in the frame of the body before (m); `com` the centre of
    mass (m) and `inertia` (Ixx, Iyy, Izz, Ixy, Iyz, Ixz) (kg m2), elements of the tensor about it, in body axes.
    """

    axis: str
    joint: tuple[float, float, float]
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float, float, float, float]

    @property
    def tensor(self) -> list[list[float]]:
        """The inertia tensor 3x3."""
        xx, yy, zz, xy, yz, xz = self.inertia
        return [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]


@dataclass(frozen=True)
class Arm:
    """A chain of links, its gravity (m/s2) and the angles (rad) from which it is released at rest."""

    name: str
    kind: str  # "planar" or "spatial"
    gravity: tuple[float, float, float]
    links: tuple[Link, ...]
    start: tuple[float, ...]

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return len(self.links)

    def model(self, model: Any = None) -> Any:
        """The chain as an easydyn Model; in a given one, which knows the parameters, if the numbers are symbols."""
        from easydyn import Model, Transform, tdisp, trotx, troty, trotz

        turn = {"x": trotx, "y": troty, "z": trotz}
        model = model or Model(self.name)
        model.gravity = self.gravity
        q = model.coordinates([f"q{i + 1}" for i in range(self.n)], initial=self.start)
        T = Transform()
        for i, link in enumerate(self.links):
            if any(x != 0 for x in link.joint):
                T = T * tdisp(*link.joint)
            T = T * turn[link.axis](q[i])
            model.body(f"body {i + 1}", T, mass=link.mass, inertia=link.inertia, com=link.com)
        return model


def rod_inertia(mass: float, length: float) -> tuple[float, float, float, float, float, float]:
    """A thin rod along y, a hundredth of its inertia about its own axis (which no planar motion feels)."""
    about = mass * length**2 / 12
    return (about, about / 100, about, 0.0, 0.0, 0.0)


def planar_chain(n: int, first: float = 0.5) -> Arm:
    """n rods of 0.5 m and 2 kg hanging from each other, in one line at the angle `first`; gravity along -y."""
    length, mass = 0.5, 2.0
    links = tuple(
        Link("z", (0.0, -length if i else 0.0, 0.0), mass, (0.0, -length / 2, 0.0), rod_inertia(mass, length))
        for i in range(n)
    )
    return Arm(f"planar chain of {n}", "planar", (0.0, -9.81, 0.0), links, (first, *[0.0] * (n - 1)))


def double_pendulum() -> Arm:
    """The double pendulum of the paper: the numbers of easydyn.examples.double_pendulum."""
    upper = Link("z", (0.0, 0.0, 0.0), 1.1, (0.0, -0.6, 0.0), (1.0, 1.0, 1.1 * 1.2**2 / 12, 0.0, 0.0, 0.0))
    lower = Link("z", (0.0, -1.2, 0.0), 0.9, (0.0, -0.55, 0.0), (1.0, 1.0, 0.9 * 1.1**2 / 12, 0.0, 0.0, 0.0))
    return Arm("double pendulum", "planar", (0.0, -9.81, 0.0), (upper, lower), (0.0, 1.0))


def easydyn_model(arm: Arm) -> Any:
    """The chain as an easydyn Model: for the double pendulum the one of the paper, as easydyn ships it."""
    if arm.name == "double pendulum":
        from easydyn import examples

        return examples.double_pendulum()
    return arm.model()


_SIX = (
    # axis, joint, mass, centre of mass, inertia
    ("x", (0.00, 0.00, 0.00), 12.0, (0.02, 0.01, -0.15), (0.300, 0.280, 0.090, 0.0100, -0.0200, 0.0150)),
    ("y", (0.05, 0.00, -0.30), 9.0, (0.03, -0.02, -0.22), (0.250, 0.240, 0.050, -0.0080, 0.0100, 0.0120)),
    ("z", (0.00, 0.04, -0.45), 6.0, (-0.02, 0.03, -0.18), (0.120, 0.110, 0.030, 0.0040, 0.0060, -0.0050)),
    ("x", (0.02, 0.00, -0.36), 4.0, (0.02, 0.01, -0.12), (0.050, 0.050, 0.015, 0.0020, -0.0030, 0.0020)),
    ("y", (0.00, 0.02, -0.24), 3.0, (0.06, -0.04, -0.05), (0.030, 0.028, 0.020, 0.0010, 0.0010, -0.0020)),
    ("z", (0.03, 0.00, -0.12), 2.0, (0.00, 0.03, -0.08), (0.015, 0.012, 0.010, 0.0005, -0.0004, 0.0006)),
)


def spatial_arm() -> Arm:
    """Six turns about x, y, z, x, y, z, full inertia tensors, centres of mass off the axes; gravity along -z."""
    links = tuple(Link(*values) for values in _SIX)
    return Arm("spatial 6R arm", "spatial", (0.0, 0.0, -9.81), links, (0.6, 0.4, 0.3, 0.2, 0.1, 0.1))


def spatial_chain(n: int) -> Arm:
    """n bodies turning about x, y, z, x, ...; each with a full inertia tensor; gravity along -z."""
    links = []
    for i in range(n):
        joint = (0.05, -0.02, -0.4) if i else (0.0, 0.0, 0.0)
        links.append(Link("xyz"[i % 3], joint, 2.0, (0.02, 0.01, -0.2), (0.05, 0.06, 0.03, 0.002, -0.004, 0.003)))
    return Arm(f"spatial chain of {n}", "spatial", (0.0, 0.0, -9.81), tuple(links), (0.3, *[0.0] * (n - 1)))


def with_symbols(arm: Arm, symbol: Callable[[str, float], Any]) -> Arm:
    """The chain with a symbol for every different number; symbol(name, value) makes it."""
    known: dict[float, Any] = {}

    def scalar(x: float) -> Any:
        if x == 0:
            return 0
        if abs(x) not in known:
            known[abs(x)] = symbol(f"p{len(known)}", abs(x))
        return known[abs(x)] if x > 0 else -known[abs(x)]

    def vector(values: tuple) -> tuple:
        return tuple(scalar(x) for x in values)

    links = tuple(
        Link(link.axis, vector(link.joint), scalar(link.mass), vector(link.com), vector(link.inertia))
        for link in arm.links
    )
    return replace(arm, links=links, gravity=vector(arm.gravity))


def parametric_model(arm: Arm) -> Any:
    """The chain as an easydyn Model in which every number is a parameter."""
    from easydyn import Model

    model = Model(arm.name)
    return with_symbols(arm, lambda name, value: model.parameters(**{name: value})[0]).model(model)


def random_states(arm: Arm, count: int) -> tuple[Any, Any, Any]:
    """q, qd, qdd (count, n), the same every time."""
    import numpy as np

    generator = np.random.default_rng(20260101)
    q, qd, qdd = (generator.uniform(-1, 1, (count, arm.n)) for _ in range(3))
    return 3 * q, 2 * qd, 5 * qdd
