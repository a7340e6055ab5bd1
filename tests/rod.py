"""A rod by its differential equations, as SciPy solves them: large deflections, shear, stretch, twist; no elements.

r' = R (e_x + C^-1 R' n),  R' = R (kappa_0 + D^-1 R' m)~,  n' = 0,  m' = -r' x n    (Reissner; Simo and Vu-Quoc 1986)
"""

import numpy as np


def rotated(p, v):
    """v turned by the quaternions p (4, N), scalar first."""
    s, u = p[0], p[1:]
    t = 2 * np.cross(u.T, v.T).T
    return v + s * t + np.cross(u.T, t.T).T


def bent_rod(length, stiffness, force, *, curvature=(0, 0, 0), points=41):
    """Tip (x, y, z) and the moment at the root (m) of a rod, clamped along x, with a dead force at its tip.

    `stiffness`: E A, G A_y, G A_z, G J, E I_y, E I_z; `curvature` is that without stress, about its own axes.
    """
    from scipy.integrate import solve_bvp

    C, D = np.array(stiffness[:3])[:, None], np.array(stiffness[3:])[:, None]
    kappa0, force = np.array(curvature, float)[:, None], np.array(force, float)

    def slope(s, y, share):
        p, m = y[3:7], y[7:]
        back = np.vstack([p[:1], -p[1:]])
        n = np.repeat(share * force[:, None], len(s), axis=1)
        stretch = rotated(back, n) / C + np.array([[1.0], [0], [0]])
        kappa = kappa0 + rotated(back, m) / D
        along = rotated(p, stretch)
        turn = np.vstack([-np.sum(p[1:] * kappa, axis=0), p[0] * kappa + np.cross(p[1:].T, kappa.T).T]) / 2
        return np.vstack([along, turn, -np.cross(along.T, n.T).T])

    s = np.linspace(0, length, points)
    angle = np.linalg.norm(curvature) * s / 2
    axis = np.array(curvature, float) / (np.linalg.norm(curvature) or 1)
    y = np.zeros((10, points))
    y[3], y[4:7] = np.cos(angle), axis[:, None] * np.sin(angle)
    y[:3] = np.cumsum(rotated(y[3:7], np.eye(3)[:, :1] * np.ones(points)), axis=1) * length / points
    at_root = np.array([0, 0, 0, 1.0, 0, 0, 0])
    for share in (0.25, 0.5, 1.0):
        found = solve_bvp(
            lambda s, y, share=share: slope(s, y, share), lambda a, b: np.concatenate([a[:7] - at_root, b[7:]]), s, y,
            tol=1e-8, max_nodes=20000,
        )  # fmt: skip
        assert found.success, found.message
        s, y = found.x, found.y
    return found.y[:3, -1], found.y[7:, 0]
