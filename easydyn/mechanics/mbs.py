"""D'Alembert's residual from the motion and the efforts of the bodies (section III of the paper).

For each coordinate q_j, with the partial contributions d_ij, theta_ij of body i,

    f_j = sum_i d_ij . (m_i a_i - R_i) + theta_ij . (Phi_i alpha_i + omega_i x Phi_i omega_i - MG_i)  = 0     (6)

This is (6) with opposite sign, so that f = M qdd + h (7): f is also the generalised force that a prescribed motion
would need. R_i, MG_i are the resultant force and moment about the centre of mass G_i of the applied efforts, Phi_i the
inertia tensor about G_i. The code below serves floats, SymPy expressions and the engine's graph. All vectors are in the
ground frame, except `inertia`, which is in the axes of the body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from easydyn.errors import InputError, UnknownNameError
from easydyn.vec import ZERO, Inertia, Transform, Vector, cross, dot, vector
from easydyn.vec.scalars import Scalar


@dataclass(eq=False, slots=True)  # slots: a name written wrongly is an error, not lost
class BodyState:
    """A body at one instant: its motion, which kinematics fills in, and the efforts that accumulate on it.

    Attributes
    ----------
    name : str
        Of the body.
    mass : scalar (kg)
        Its mass.
    inertia : Inertia (kg m2)
        About its centre of mass G, in its axes.
    com : Vector (m)
        G in its axes; the origin if not given.
    T : Transform
        Its frame (1).
    vG, aG : Vector (m/s, m/s2)
        Velocity and acceleration of G.
    omega, omegad : Vector (rad/s, rad/s2)
        Angular velocity and angular acceleration.
    R, MG : Vector (N, N m)
        Resultant of the applied efforts at G.
    d, theta : tuples of n Vector
        Partial contributions (eq. 5), m and rad per unit of each coordinate.
    vG_t, omega_t : Vector (m/s, rad/s)
        Contributions of explicit time to vG and omega in a driven frame.

    Example
    -------
    >>> from easydyn import inertia_tensor, vcoord
    >>> body = BodyState("stone", 2, inertia_tensor(0, 0, 0), aG=vcoord(0, -9.81, 0))
    >>> body.force_balance()
    Vector(x=0, y=-19.62, z=0)
    """

    name: str
    mass: Scalar
    inertia: Inertia
    com: Vector = ZERO
    T: Transform = Transform()
    vG: Vector = ZERO
    omega: Vector = ZERO
    aG: Vector = ZERO
    omegad: Vector = ZERO
    R: Vector = ZERO
    MG: Vector = ZERO
    d: tuple[Vector, ...] = ()
    theta: tuple[Vector, ...] = ()
    vG_t: Vector = ZERO
    omega_t: Vector = ZERO

    @property
    def G(self) -> Vector:
        """Ground position of the centre of mass (m)."""
        return self.T.e + self.T.R * self.com

    def velocity_at(self, point: Vector) -> Vector:
        """Velocity (m/s) of the body's material point at a ground position `point` (m): vG + omega x (p - G)."""
        return vector(self.vG) + cross(self.omega, point - self.G)

    def angular_momentum(self, rotation: Vector) -> Vector:
        """Phi_G . `rotation` (kg m2/s of a velocity in rad/s), with the tensor in ground axes: R I R^T."""
        R = self.T.R
        return R * (self.inertia * (R.T * rotation))

    def force_balance(self) -> Vector:
        """m a - R (N)."""
        return vector(self.aG) * self.mass - vector(self.R, f"the resultant force R on body '{self.name}'")

    def moment_balance(self) -> Vector:
        """Phi alpha + omega x Phi omega - MG (N m)."""
        omega = vector(self.omega)
        gyroscopic = cross(omega, self.angular_momentum(omega))
        MG = vector(self.MG, f"the resultant moment MG on body '{self.name}'")
        return self.angular_momentum(vector(self.omegad)) + gyroscopic - MG

    def apply(self, force: Vector, point: Vector) -> None:
        """Add a `force` (N) that acts at a ground position `point` (m), including its moment about G."""
        self.R = self.R + force
        self.MG = self.MG + cross(point - self.G, force)


class Bodies(Sequence[BodyState]):
    """Bodies by position or by name, as `compute_motion` gets them; the bodies of the sums in eq. (6).

    Parameters
    ----------
    states : sequence of BodyState
        In their order.

    Example
    -------
    >>> from easydyn import inertia_tensor
    >>> bodies = Bodies([BodyState("arm", 2, inertia_tensor(1, 1, 1))])
    >>> bodies["arm"] is bodies[0]
    True
    """

    def __init__(self, states: Sequence[BodyState]):
        self._states = list(states)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            for state in self._states:
                if state.name == key:
                    return state
        elif isinstance(key, slice) or -len(self._states) <= key < len(self._states):
            return self._states[key]
        raise UnknownNameError(f"there is no body {key!r}: the bodies are {[s.name for s in self._states]}.")

    def __iter__(self) -> Iterator[BodyState]:
        return iter(self._states)

    def __len__(self) -> int:
        return len(self._states)


def resultant(value: Any, what: str) -> Vector:
    """Return R (N) or MG (N m) of eq. (6), three numbers (3,), from the `value` that a user's function left in a body.

    Raises InputError, naming `what`, for symbols and for anything that is not a vector.

    >>> resultant((1, 2, 3), "the force")
    Vector(x=1.0, y=2.0, z=3.0)
    """
    given = vector(value, what)
    try:
        return Vector(float(given.x), float(given.y), float(given.z))
    except (TypeError, ValueError):
        raise InputError(f"{what} is {tuple(given)}: expected three numbers (symbols belong in a Model).") from None


def apply_gravity(bodies: Iterable[BodyState], gravity: Vector) -> None:
    """Add the weights to the `bodies`, by `gravity` (m/s2, 3 components): R += m g, part of R in eq. (6).

    >>> from easydyn import inertia_tensor, vcoord
    >>> body = BodyState("stone", 2, inertia_tensor(0, 0, 0))
    >>> apply_gravity([body], vcoord(0, -10, 0))
    >>> body.R
    Vector(x=0, y=-20, z=0)
    """
    for body in bodies:
        body.R = body.R + gravity * body.mass


def residual(bodies: Sequence[BodyState], n: int) -> list[Scalar]:
    """The `n` residuals f_j of eq. (6) of the `bodies` (N, or N m where the coordinate is an angle).

    >>> from easydyn import inertia_tensor, vcoord
    >>> sledge = BodyState("sledge", 2, inertia_tensor(0, 0, 1), aG=vcoord(3, 0, 0), R=vcoord(5, 0, 0))
    >>> sledge.d, sledge.theta = (vcoord(1, 0, 0),), (vcoord(0, 0, 0),)
    >>> residual([sledge], 1)
    [1]
    """
    balances = [(body, body.force_balance(), body.moment_balance()) for body in bodies]
    return [sum(dot(b.d[j], F) + dot(b.theta[j], M) for b, F, M in balances) for j in range(n)]


def mass_matrix(bodies: Sequence[BodyState], n: int) -> list[list[Scalar]]:
    """The `n` x n mass matrix of the `bodies`: M_jk = sum_i m_i d_ij . d_ik + theta_ij . Phi_i theta_ik (eq. 8).

    An element is in kg, kg m or kg m2, as its two coordinates are lengths or angles.

    >>> from easydyn import inertia_tensor, vcoord
    >>> sledge = BodyState("sledge", 2, inertia_tensor(0, 0, 1), d=(vcoord(1, 0, 0),), theta=(vcoord(0, 0, 0),))
    >>> mass_matrix([sledge], 1)
    [[2]]
    """
    M: list[list[Scalar]] = [[0] * n for _ in range(n)]
    for b in bodies:
        momenta = [(d * b.mass, b.angular_momentum(theta)) for d, theta in zip(b.d, b.theta, strict=True)]
        for j in range(n):
            for k in range(j + 1):
                M[j][k] = M[k][j] = M[j][k] + dot(b.d[j], momenta[k][0]) + dot(b.theta[j], momenta[k][1])
    return M


def kinetic_energy(bodies: Iterable[BodyState]) -> Scalar:
    """sum_i m v.v/2 + omega . Phi omega/2 (J) of the `bodies`, by the theorem of König.

    >>> from easydyn import inertia_tensor, vcoord
    >>> kinetic_energy([BodyState("disc", 2, inertia_tensor(0, 0, 4), vG=vcoord(3, 0, 0), omega=vcoord(0, 0, 1))])
    11.0
    """
    return sum(dot(b.vG, b.vG) * b.mass / 2 + dot(b.omega, b.angular_momentum(vector(b.omega))) / 2 for b in bodies)


def gravity_potential(bodies: Iterable[BodyState], gravity: Vector) -> Scalar:
    """-sum_i m g . r_G (J) of the `bodies`, with `gravity` (m/s2, 3 components): the work of the weights of eq. (6).

    >>> from easydyn import inertia_tensor, tdisp, vcoord
    >>> gravity_potential([BodyState("stone", 2, inertia_tensor(0, 0, 0), T=tdisp(0, 3, 0))], vcoord(0, -10, 0))
    60
    """
    return sum(-(dot(gravity, b.G) * b.mass) for b in bodies)


def power(bodies: Iterable[BodyState]) -> Scalar:
    """Power (W) of the efforts in R and MG of the `bodies` (eq. 6): sum_i R . vG + MG . omega.

    >>> from easydyn import inertia_tensor, vcoord
    >>> power([BodyState("sledge", 2, inertia_tensor(0, 0, 1), vG=vcoord(3, 0, 0), R=vcoord(5, 0, 0))])
    15
    """
    return sum(dot(b.R, b.vG) + dot(b.MG, b.omega) for b in bodies)


def driving_power(bodies: Iterable[BodyState]) -> Scalar:
    """Power (W) that the prescribed motion T(., t) of driven frames feeds into the `bodies`; zero without such frames.

    sum_i (m a - R) . v_t + (Phi alpha + omega x Phi omega - MG) . omega_t, by the balances of eq. (6).

    >>> from easydyn import inertia_tensor, vcoord
    >>> lifted = BodyState("cage", 2, inertia_tensor(0, 0, 0), R=vcoord(0, -20, 0), vG_t=vcoord(0, 3, 0))
    >>> driving_power([lifted])
    60
    """
    return sum(dot(b.force_balance(), b.vG_t) + dot(b.moment_balance(), b.omega_t) for b in bodies)


def numeric_partial_contributions(
    compute_motion: Callable[[Any, Any, Any, Any, Any], None], t: float, q: Any, bodies: Sequence[BodyState]
) -> None:
    """Fill d and theta of each body from hand-written kinematics, one coordinate at a time (eq. 31).

    d_ij is the velocity of body i when all rates but the j-th are zero, minus the velocity when all rates are zero. The
    latter is the drift of a driven frame, which q_j does not cause. `compute_motion(t, q, qd, qdd, bodies)` fills the
    `bodies` at time `t` (s) and coordinates `q` (n,).

    >>> from easydyn import inertia_tensor, vcoord
    >>> def compute_motion(t, q, qd, qdd, bodies):
    ...     bodies[0].vG = vcoord(3 * qd[0] + 5, 0, 0)
    >>> body = BodyState("sledge", 2, inertia_tensor(0, 0, 1))
    >>> numeric_partial_contributions(compute_motion, 0.0, [0.0], [body])
    >>> float(body.d[0].x), float(body.vG_t.x)
    (3.0, 5.0)
    """
    n = len(q)
    rest = np.zeros(n)

    def velocities(qd: Any) -> list[tuple[Vector, Vector]]:
        compute_motion(t, q, qd, rest, bodies)
        return [(vector(b.vG), vector(b.omega)) for b in bodies]

    drift = velocities(rest)
    unit = [velocities(row) for row in np.eye(n)]
    for i, b in enumerate(bodies):
        b.vG_t, b.omega_t = drift[i]
        b.d = tuple(unit[j][i][0] - b.vG_t for j in range(n))
        b.theta = tuple(unit[j][i][1] - b.omega_t for j in range(n))
