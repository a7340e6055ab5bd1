"""Mechanisms in maximal coordinates, by NumPy and SciPy alone: each body has a place and a rotation matrix of its own.

    M a - J' l = f,    J a = -J. v        J v = b(t): rates that joints, gears and drives allow

Joints are rows of J, in trees and in loops alike; nothing is solved for independent coordinates, and no angle is ever
taken from a position: the coordinate of each joint is the integral of its rate. J. is the derivative of J by a complex
step, exact to the last digit; redundant rows are left to least squares. No line is shared with easydyn.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.integrate import DOP853

STEP = 1e-30  # of complex numbers: no difference is taken


def skew(w):
    """The matrix of w x ."""
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def turned(axis, angle):
    """The rotation about a unit vector (Rodrigues)."""
    K = skew(axis)
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def cross(a, b):
    """a x b, of vectors (..., 3): that of NumPy takes longer."""
    return np.stack(
        [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1
    )


@dataclass
class Joint:
    """From a parent (-1: the ground) to a child: frames in both, an axis, and what it is ("R", "P", "S", "D")."""

    parent: int
    child: int
    kind: str
    at: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in the parent
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    axis: np.ndarray = field(default_factory=lambda: np.array([0.0, 0, 1]))  # in the frame at the parent
    to: np.ndarray = field(default_factory=lambda: np.zeros(3))  # in the child
    turn: np.ndarray = field(default_factory=lambda: np.eye(3))  # the joint's frame in the child
    start: float = 0.0
    length: float = 0.0  # of a rod, "D"


class Mechanism:
    """Bodies of masses, inertias about their centres (diagonal), centres of mass in their frames; joints and loads."""

    def __init__(self, gravity):
        self.gravity = np.array(gravity, dtype=float)
        self.m, self.I, self.com = [], [], []
        self.joints, self.loops, self.gears, self.drives = [], [], [], []
        self.springs, self.torsion, self.damping = [], [], []

    def body(self, mass, inertia, com):
        """A body, by its number."""
        self.m.append(mass), self.I.append(np.diag(inertia).astype(float)), self.com.append(np.array(com, dtype=float))
        return len(self.m) - 1

    # -- where the tree puts its bodies ---------------------------------------------------------------------------

    def placed(self, q, qd):
        """Centres (N, 3), rotations (N, 3, 3), velocities and angular velocities (N, 3) of a tree of joints."""
        n = len(self.m)
        o, R, u, w = np.zeros((n, 3)), np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3))
        for j, x, rate in zip(self.joints, q, qd, strict=True):
            p = j.parent
            Rp, op, up, wp = (np.eye(3), *np.zeros((3, 3))) if p < 0 else (R[p], o[p], u[p], w[p])
            k, a = j.child, Rp @ j.R @ j.axis
            slide = j.kind == "P"
            d = Rp @ j.at + (a * x if slide else 0)
            R[k] = Rp @ j.R @ (np.eye(3) if slide else turned(j.axis, x)) @ j.turn.T
            w[k] = wp + (0 if slide else a * rate)
            o[k] = op + d - R[k] @ j.to
            u[k] = up + cross(wp, d) + (a * rate if slide else 0) - cross(w[k], R[k] @ j.to)
        arms = np.einsum("nij,nj->ni", R, np.array(self.com))
        return o + arms, R, u + np.cross(w, arms), w

    # -- rates that are allowed -----------------------------------------------------------------------------------

    @cached_property
    def _rows(self):
        """What the rows are made of, once the mechanism is complete: joints, directions, and where rows of a kind are.

        A row "along" says the rate of the point of the child along e, as the parent sees it; one "square" the rate of
        e.w, with w of the child; one "turn" the relative rate of rotation about e.
        """
        joints = [*self.joints, *self.loops]
        along, square, turn, rods, own = [], [], [], [], []
        for k, j in enumerate(joints):
            others = [e for e in np.eye(3) if not np.array_equal(e, j.axis)]
            if j.kind == "D":
                rods.append(k)
            elif j.kind == "P":
                along += [(k, e) for e in others]
                square += [(k, e, np.roll(e, 1)) for e in np.eye(3)]
            else:
                along += [(k, e) for e in np.eye(3)]
                square += [(k, e, j.axis) for e in others] if j.kind == "R" else []
        of_slides = [k for k, j in enumerate(self.joints) if j.kind == "P"]
        of_turns = [k for k, j in enumerate(self.joints) if j.kind == "R"]
        first = len(along) + len(rods) + len(square)
        own = [first + (of_slides.index(k) if k in of_slides else len(of_slides) + of_turns.index(k))
               for k in range(len(self.joints))]  # fmt: skip
        along, extra = [*along], [(k, joints[k].axis) for k in of_slides]
        turn = [(k, joints[k].axis) for k in of_turns]
        ends = np.array([(j.parent, j.child) for j in joints])
        frames = [np.array([getattr(j, x) for j in joints]) for x in ("at", "R", "to", "turn")]
        com = np.array([*self.com, np.zeros(3)])
        frames[0], frames[2] = frames[0] - com[ends[:, 0]], frames[2] - com[ends[:, 1]]

        def columns(rows):
            return [np.array(x) for x in zip(*rows, strict=True)] if rows else [np.zeros(0, int), *np.zeros((2, 0, 3))]

        parts = [columns(x) for x in (along, square, extra, turn)]
        return ends, frames, parts, np.array(rods, dtype=int), own, first

    def system(self, r, R):
        """J and the rows of the rates of the tree's joints."""
        ends, (at, FR, to, turn), (along, square, extra, turns), rods, own, first = self._rows
        p, c = ends.T
        r, R = np.concatenate([r, np.zeros((1, 3))]), np.concatenate([R, np.eye(3)[None]])  # the ground is the last
        sp, sc = (R[p] @ at[:, :, None])[:, :, 0], (R[c] @ to[:, :, None])[:, :, 0]
        Fp, Fc = R[p] @ FR, R[c] @ turn
        d = r[c] + sc - r[p] - sp

        def moved(k, e):
            return k, -e, cross(e, sp[k]) + cross(e, d[k]), e, cross(sc[k], e)

        def turned_(frames, k, e):
            return (frames[k] @ e[:, :, None])[:, :, 0]

        x = cross(turned_(Fp, *square[:2]), turned_(Fc, square[0], square[2]))
        u, nothing = turned_(Fp, *turns[:2]), np.zeros_like
        parts = [
            moved(along[0], turned_(Fp, *along[:2])), moved(rods, d[rods]), (square[0], nothing(x), x, nothing(x), -x),
            moved(extra[0], turned_(Fp, *extra[:2])), (turns[0], nothing(u), -u, nothing(u), u),
        ]  # fmt: skip
        k, vp, wp, vc, wc = (np.concatenate(column) for column in zip(*parts, strict=True))
        J = np.zeros((len(k), len(r), 6), dtype=r.dtype)
        rows = np.arange(len(k))
        J[rows, p[k], :3], J[rows, p[k], 3:] = vp, wp
        J[rows, c[k], :3], J[rows, c[k], 3:] = vc, wc
        J = J[:, :-1].reshape(len(k), -1)
        rates = J[own]
        more = [rates[a] - n * rates[b] for a, b, n in self.gears] + [rates[a] for a, *_ in self.drives]
        return np.concatenate([J[:first], more]) if more else J[:first], rates

    # -- verdicts -------------------------------------------------------------------------------------------------

    def least(self, q, rank=None):
        """The last singular value of J that counts at coordinates of the joints, and how many count (or `rank`)."""
        r, R, *_ = self.placed(q, 0 * np.array(q))
        values = np.linalg.svd(self.system(r, R)[0], compute_uv=False)
        rank = int((values > 1e-7).sum()) if rank is None else rank
        return values[rank - 1], rank

    def open(self, t, q):
        """By how much loops, gears and drives are open at coordinates of the joints."""
        centres, R, *_ = self.placed(q, 0 * np.array(q))
        origins = np.vstack([centres - np.einsum("nij,nj->ni", R, np.array(self.com)), np.zeros(3)])
        R, found = np.concatenate([R, np.eye(3)[None]]), []  # the ground is the last
        for j in self.loops:
            p, c = j.parent, j.child
            d = origins[c] + R[c] @ j.to - origins[p] - R[p] @ j.at
            if j.kind == "D":
                found.append(np.linalg.norm(d) - j.length)
                continue
            found += list(d)
            if j.kind == "R":
                axis = R[c] @ j.turn @ j.axis
                found += [R[p] @ j.R @ e @ axis for e in np.eye(3) if not np.array_equal(e, j.axis)]
        starts = [j.start for j in self.joints]
        found += [q[a] - starts[a] - n * (q[b] - starts[b]) for a, b, n in self.gears]
        return np.array(found + [q[k] - place(t) for k, place, *_ in self.drives])

    def near(self, t, q, reach=0.3):
        """The coordinates near q at which all is closed at t (Newton's iteration); None if there are none."""
        x = np.array(q, dtype=float)
        for _ in range(50):
            g = self.open(t, x)
            if np.abs(g).max() < 1e-11:
                return x
            h = 1e-6 * np.eye(len(x))
            J = np.column_stack([self.open(t, x + e) - self.open(t, x - e) for e in h]) / 2e-6
            x = x - np.linalg.lstsq(J, g, rcond=1e-9)[0]
            if not np.abs(x - q).max() < reach:
                return None
        return None

    def assembled(self, q, tries=30):
        """Coordinates at which all is closed at the start, found from those given or from others; None if none are."""
        guesses = [q, *np.random.default_rng(0).uniform(-np.pi, np.pi, (tries, len(q)))]
        found = (self.near(0.0, guess, np.inf) for guess in guesses)
        return next((x for x in found if x is not None), None)

    # -- motion ---------------------------------------------------------------------------------------------------

    def rate(self, t, y):
        """The derivative of all: centres, rotations, velocities, angular velocities, coordinates of joints."""
        n = len(self.m)
        r, R = y[: 3 * n].reshape(n, 3), y[3 * n : 12 * n].reshape(n, 3, 3)
        v, w = y[12 * n : 15 * n].reshape(n, 3), y[15 * n : 18 * n].reshape(n, 3)
        x = y[18 * n :]
        Rd = cross(w[:, None, :], R.transpose(0, 2, 1)).transpose(0, 2, 1)
        ahead, own = self.system(r + 1j * STEP * v, R + 1j * STEP * Rd)
        J, own = ahead.real, own.real
        V = np.column_stack([v, w]).ravel()
        bias = -(ahead.imag / STEP) @ V
        for k, (*_, acceleration) in enumerate(self.drives):
            bias[len(bias) - len(self.drives) + k] += acceleration(t)
        M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
        for k in range(n):
            I = R[k] @ self.I[k] @ R[k].T
            M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = self.m[k] * np.eye(3)
            M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = I
            f[6 * k : 6 * k + 3] = self.m[k] * self.gravity
            f[6 * k + 3 : 6 * k + 6] = -cross(w[k], I @ w[k])
        rates = own @ V
        for k, stiffness, free in self.torsion:
            f -= own[k] * stiffness * (x[k] - free)
        for k, d in self.damping:
            f -= own[k] * d * rates[k]
        for a, at, b, to, stiffness, free in self.springs:
            ends = [(p, None) if k < 0 else (r[k] + R[k] @ (p - self.com[k]), k) for k, p in ((a, at), (b, to))]
            way = ends[1][0] - ends[0][0]
            length = np.linalg.norm(way)
            pull = stiffness * (length - free) * way / length
            for (point, k), force in zip(ends, (pull, -pull), strict=True):
                if k is not None:
                    f[6 * k : 6 * k + 3] += force
                    f[6 * k + 3 : 6 * k + 6] += cross(point - r[k], force)
        L = np.linalg.cholesky(M)
        B, c = np.linalg.solve(L, J.T).T, np.linalg.solve(L, f)
        # M a = f + J' l: in L' a the least change of what the loads alone would do
        a = np.linalg.solve(L.T, c + np.linalg.lstsq(B, bias - B @ c, rcond=1e-6)[0])
        a = a.reshape(n, 6)
        return np.concatenate([v.ravel(), Rd.ravel(), a[:, :3].ravel(), a[:, 3:].ravel(), rates])

    def run(self, q, qd, t_final, tolerance=1e-13):
        """Coordinates and rates of the joints at the end, and by how much rates break J v = b at both ends."""
        y = np.concatenate([*(x.ravel() for x in self.placed(q, qd)), q])
        solver = DOP853(self.rate, 0.0, y, t_final, rtol=tolerance, atol=tolerance, max_step=0.02)
        broken = [self._broken(0.0, y)]
        while solver.status == "running":
            assert solver.nfev < 30_000  # it runs away
            solver.step()
        broken.append(self._broken(t_final, solver.y))
        n = len(self.m)
        return solver.y[18 * n :], self.rate(t_final, solver.y)[18 * n :], max(broken)

    def _broken(self, t, y):
        n = len(self.m)
        r, R = y[: 3 * n].reshape(n, 3), y[3 * n : 12 * n].reshape(n, 3, 3)
        V = np.column_stack([y[12 * n : 15 * n].reshape(n, 3), y[15 * n : 18 * n].reshape(n, 3)]).ravel()
        missing = self.system(r, R)[0] @ V
        for k, (_, _, rate, _) in enumerate(self.drives):
            missing[len(missing) - len(self.drives) + k] -= rate(t)
        return float(np.abs(missing).max())
