"""Free flight in space keeps momentum, its moment and energy: by the mass matrix, and by a sum over the line."""

import numpy as np
import pytest

from easydyn import Model
from easydyn.flexible import Material, Section

WIDTH, HEIGHT, DENSITY = 0.02, 0.03, 1000
KIND = {"section": Section.rectangle(WIDTH, HEIGHT), "material": Material(E=2e6, density=DENSITY, nu=0.3),
        "elements": 1, "spatial": True}  # fmt: skip


def by_mass_matrix(model, run):
    """Momentum and moment of momentum (N, 6): M qd along the six rates that move all nodes as one rigid body."""
    system, found, e = model.compile(), [], 1e-6
    for t, q, qd in zip(run.t, run.q, run.qd, strict=True):
        T, columns = system.frames(t, q, qd), []
        for step in e * np.eye(len(q)):
            change = (system.frames(t, q + step, qd) - system.frames(t, q - step, qd)) / (2 * e)
            spin = change[:, :3, :3] @ T[:, :3, :3].transpose(0, 2, 1)
            columns.append(np.hstack([change[:, :3, 3], spin[:, [2, 0, 1], [1, 2, 0]]]).ravel())
        rigid = [np.tile([*v, 0, 0, 0], len(T)) for v in np.eye(3)]
        rigid += [np.hstack([[*np.cross(w, A[:3, 3]), *w] for A in T]) for w in np.eye(3)]
        rates = np.linalg.lstsq(np.transpose(columns), np.transpose(rigid), rcond=None)[0]
        assert np.transpose(columns) @ rates == pytest.approx(np.transpose(rigid), abs=1e-8)  # they are rigid motions
        found.append(rates.T @ system.mass_matrix(t, q) @ qd)
    return np.array(found)


def by_line(run, beams, L):
    """The same from frames and velocities of nodes alone: r x dm v of the cubic line, and two more terms.

    These are of the part of M that is zero for a rigid beam (w, g, u of easydyn/flexible/beam.py), and of the rotary
    inertia at the nodes.
    """
    s, weight = np.polynomial.legendre.leggauss(4)
    s, weight = (s + 1) / 2, weight / 2
    cubics = np.array([1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2])
    polar = DENSITY * L / 24 * WIDTH * HEIGHT * np.array([WIDTH**2 + HEIGHT**2, WIDTH**2, HEIGHT**2])
    mass, total = DENSITY * WIDTH * HEIGHT * L, np.zeros((len(run.t), 6))
    for nodes in beams:
        d, v = [], []
        for node in nodes:
            T, velocity, spin = run.frames(node), *(np.transpose([run.of(x) for x in y]) for y in (node.v, node.omega))
            R, tangent = T[:, :3, :3], L * T[:, :3, 0]
            d += [T[:, :3, 3], tangent]
            v += [velocity, np.cross(spin, tangent)]
            total[:, 3:] += np.einsum("nij,nj,nkj,nk->ni", R, polar * np.ones_like(spin), R, spin)
        r, u = (np.einsum("ks,kni->sni", cubics, x) for x in (d, v))
        (w, g, m), (w1, g1, m1) = ((x[1] - x[3], x[2] - x[0] - (x[1] + x[3]) / 2, (x[1] + x[3]) / 2) for x in (d, v))
        more = np.cross(w, w1) / 240 - 2 * np.cross(g, g1) / 105 - (np.cross(m, g1) + np.cross(g, m1)) / 60
        total += mass * np.hstack([np.einsum("s,sni->ni", weight, x) for x in (u, np.cross(r, u))])
        total[:, 3:] += mass * more
    return total


def kept(model, run, beams, L):
    one, other = by_mass_matrix(model, run), by_line(run, beams, L)
    assert one == pytest.approx(other, abs=1e-9)
    for found in (one, other):
        assert np.ptp(found, axis=0) == pytest.approx(np.zeros(6), abs=1e-9)
        assert np.linalg.norm(found[0, :3]) > 1 and np.linalg.norm(found[0, 3:]) > 0.5
    assert np.ptp(run.energy.total) < 1e-8 * run.energy.kinetic.max()
    assert np.ptp(run.energy.potential) > 0.02  # it does bend


@pytest.mark.long
def test_free_flight_in_space_keeps_momentum_and_energy():
    """It bends in both planes and twists at once: forces are the derivatives of the potential, all of its terms."""
    model = Model("flight")
    beam = model.beam("b", length=1, ends=("free", "free"), **KIND)
    spins = {f"b_{k}_{c}.dot": w for k, turn in enumerate([(20, -3, 5), (-15, 6, -8)]) for c, w in zip("abc", turn)}
    start = {"b_z0.dot": 1, "b_y1.dot": -2, "b_z1.dot": 3} | spins
    run = model.simulate(0.1, save_every=0.01, initial=start, method="dop853", tolerance=1e-10)
    kept(model, run, [beam.nodes], 1)


@pytest.mark.long
def test_double_pendulum_in_space_in_free_flight():
    """Two beams, hinged to each other by a spherical joint."""
    model = Model("two")
    first = model.beam("a", length=0.5, ends=("free", "free"), **KIND)
    second = model.beam("b", root=first.tip.T, length=0.5, ends=("spherical", "free"), **KIND)
    turns = {"a_0_a": 10, "a_0_b": -3, "a_1_a": -8, "a_1_c": 4, "b_0_b": 6, "b_0_c": -3}
    shifts = {"a_z0": 1, "a_y1": -2, "a_z1": 3, "b_z1": -1.5, "b_y1": 2}
    run = model.simulate(0.05, save_every=0.005, initial={f"{k}.dot": x for k, x in (turns | shifts).items()},
                         method="dop853", tolerance=1e-10)  # fmt: skip
    kept(model, run, [first.nodes, second.nodes], 0.5)
