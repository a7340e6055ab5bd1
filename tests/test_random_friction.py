"""Random bodies on rough floors, blocks and clutches, beside time stepping that is written here and knows no events.

J. J. Moreau, Unilateral contact and dry friction in finite freedom dynamics, 1988, with impulses of whole steps,

    M (v+ - v) = h F + W P,    v+ and P in the laws of contact and of friction,    q+ = q + h (v + v+)/2

The stepping is as accurate as its step is short: it is compared with itself at half the step.
"""

import numpy as np
import pytest
import sympy as sp
from chance import seeds

from easydyn import (
    Clutch,
    Force,
    JointFriction,
    Model,
    Moment,
    RigidContact,
    Spring,
    ground,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)

METHODS = "newmark", "dop853", "lobatto", "generalized_alpha"
G = 9.81


def solved(A, b, rows, P):
    """Impulses P by relaxation: P[i] so that A P + b fits the row i, one after the other, from P on.

    A row is ("push",), ("rub", places of its components, place of what presses, share) or ("bound", most).
    """
    k = len(b)
    A, b = A.tolist(), b.tolist()
    for _ in range(300):
        change = 0.0
        for i, row in enumerate(rows):
            if row[0] == "with":  # moved with the first component
                continue
            mine = row[1] if row[0] == "rub" else (i,)
            scale = max(A[j][j] for j in mine)
            new = [P[j] - (sum(A[j][m] * P[m] for m in range(k)) + b[j]) / scale for j in mine]
            if row[0] == "push":
                new = [max(new[0], 0.0)]
            else:
                most = row[3] * P[row[2]] if row[0] == "rub" else row[1]
                size = sum(x * x for x in new) ** 0.5
                new = [x * most / size for x in new] if size > most else new
            for j, x in zip(mine, new):
                change = max(change, abs(x - P[j]))
                P[j] = x
        if change <= 1e-10 * (1e-6 + max(map(abs, P))):
            break
    return P


def stepped(q, v, h, end, inverse, force, contacts, moved, joints=()):
    """The state at the end. contacts(q): gap, W of the gap, restitution, W of the slips (components), friction."""
    known = {}
    for n in range(round(end / h)):
        time = (n + 0.5) * h
        middle = moved(q, v, h / 2)
        W, b, rows, names = [], [], [], []
        Minv = inverse(middle)
        free = v + h * Minv @ force(time, middle, v)
        for c, (gap, normal, e, slips, mu) in enumerate(contacts(middle)):
            if gap > 0:
                continue
            place = len(W)
            W += [normal, *slips]
            b += [normal @ free + e * (normal @ v), *(s @ free for s in slips)]
            mine = tuple(range(place + 1, place + 1 + len(slips)))
            rows += [("push",), *(("rub", mine, place, mu) if j == mine[0] else ("with",) for j in mine)]
            names += [(c, j) for j in range(1 + len(slips))]
        for c, (gradient, most) in enumerate(joints):
            W, b, rows = [*W, gradient], [*b, gradient @ free], [*rows, ("bound", most * h)]
            names.append(("joint", c))
        new = free
        if W:
            W = np.array(W)
            P = solved(W @ Minv @ W.T, np.array(b), rows, [known.get(name, 0.0) for name in names])
            known = dict(zip(names, P))
            new = free + Minv @ W.T @ np.array(P)
        q = moved(middle, new, h / 2)
        v = new
    return q, v


# -- what is compared --------------------------------------------------------------------------------------------------


def body_in_a_plane(rng):
    """A box or a polygon, at rest or dropped, shaken by a force and a moment; its stepping."""
    m, mu, e = rng.uniform(1, 3), rng.uniform(0.1, 0.7), 0.0
    size, count = rng.uniform(0.1, 0.3), int(rng.integers(2, 6))
    if count == 2:
        high = size * rng.uniform(0.2, 0.8)
        corners, below = [(-size, -high), (size, -high)], high
    else:
        turns = -np.pi / 2 - np.pi / count + 2 * np.pi / count * np.arange(count)
        corners = [(size * np.cos(p), size * np.sin(p)) for p in turns]
        below = size * np.cos(np.pi / count)
    inertia = m * size**2 * rng.uniform(0.3, 0.6)
    shake, om, lift, twist = m * G * rng.uniform(0.1, 1.2), rng.uniform(2, 8), rng.uniform(0, 0.2), rng.uniform(0, 0.2)
    start = np.array([0, below, 0.0])
    if rng.integers(2):  # it falls on one corner: of corners that strike nearly together the order is decided by a step
        start = np.array([0, 1.5 * size, rng.uniform(0.1, 0.5)])
    rates = np.array([rng.uniform(-1, 1), 0, 0]) * int(rng.integers(2))
    model = Model("body", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=start, rates=rates)
    body = model.body("body", tdisp(x, y, 0) * trotz(a), mass=m, inertia=(0, 0, inertia))
    wave = sp.sin(om * t)
    model.add(Force(body, (shake * wave, lift * m * G * sp.cos(om * t), 0)))
    model.add(Moment(body, (0, 0, twist * m * G * size * wave)))
    for i, (X, Y) in enumerate(corners):
        at = (body.T * tdisp(X, Y, 0)).e
        slip = x.dot - (at[1] - y) * a.dot
        model.add(RigidContact(at[1], restitution=e, friction=mu, slip=slip, name=f"c{i}"))

    def contacts(q):
        c, s = np.cos(q[2]), np.sin(q[2])
        for X, Y in corners:
            dx, dy = c * X - s * Y, s * X + c * Y
            yield q[1] + dy, np.array([0, 1, dx]), e, [np.array([1, 0, -dy])], mu

    def force(time, q, v):
        s = np.sin(om * time)
        return np.array([shake * s, -m * G + lift * m * G * np.cos(om * time), twist * m * G * size * s])

    inverse = np.diag([1 / m, 1 / m, 1 / inertia])
    return model, lambda h, end: stepped(
        start, rates, h, end, lambda q: inverse, force, contacts, lambda q, v, h: q + h * v
    )[0], ["x", "y", "a"]  # fmt: skip


def blocks_and_clutches(rng):
    """Blocks in a row with friction of their own and clutches between them, one spring, one force; their stepping."""
    n = int(rng.integers(2, 6))
    m, start = rng.uniform(0.5, 3, n), np.zeros(n)
    rates = rng.uniform(-1, 1, n) * int(rng.integers(2))
    size, om, k = rng.uniform(2, 30), rng.uniform(1, 6), rng.uniform(5, 50)
    levels = rng.uniform(0.5, 5, n)
    pairs = [(i, j) for i in range(n) for j in range(i) if rng.uniform() < 0.5]
    shared = rng.uniform(0.5, 5, len(pairs))
    model = Model("blocks")
    x = model.coordinates(" ".join(f"x{i}" for i in range(n)), initial=start, rates=rates)
    bodies = [model.body(f"b{i}", tdisp(q, i, 0), mass=m[i], inertia=(0, 0, 0)) for i, q in enumerate(x)]
    model.add(Spring(bodies[0], (ground, (-1, 0, 0)), stiffness=k, free_length=1))
    model.add(Force(bodies[-1], (size * sp.sin(om * t), 0, 0)))
    for q, level in zip(x, levels):
        model.add(JointFriction(q, level))
    for (i, j), level in zip(pairs, shared):
        model.add(Clutch(x[i], x[j], level=level))
    unit = np.eye(n)
    joints = [*zip(unit, levels), *((unit[i] - unit[j], f) for (i, j), f in zip(pairs, shared))]

    def force(time, q, v):
        return -k * q[0] * unit[0] + size * np.sin(om * time) * unit[-1]

    return model, lambda h, end: stepped(
        start, rates, h, end, lambda q: np.diag(1 / m), force, lambda q: (), lambda q, v, h: q + h * v, joints
    )[0], [str(q) for q in x]  # fmt: skip


def compared(made, seed, end, h, methods=METHODS):
    """The differences (k,) of a run and of the stepping with a quarter of the step, and of the stepping with itself.

    Events fall anywhere in a step: two lengths may be off to the same side, three hardly.
    """
    model, stepping, names = made(np.random.default_rng(seed))
    run = model.simulate(end, method=methods[seed % len(methods)])
    fine = stepping(h / 4, end)
    found = np.array([run[name][-1] for name in names])
    own = np.max([np.abs(stepping(x, end) - fine) for x in (h, h / 2)], axis=0)
    return np.abs(found - fine), own, run


@pytest.mark.parametrize("seed", seeds("rough_contacts"))
@pytest.mark.parametrize("made", [body_in_a_plane, blocks_and_clutches])
def test_rough_bodies_beside_time_stepping(made, seed):
    away, own, _ = compared(made, seed, 1.0, 2e-3)
    if np.any(away > 2 * own.max() + 1e-3):  # all three lengths are seldom off to the same side: shorter ones are not
        away, own, _ = compared(made, seed, 1.0, 2.5e-4)
    assert np.all(away <= 2 * own.max() + 1e-3)  # an event is anywhere in a step


def box_in_space(rng):
    """A box on four corners, pushed in its plane and turned; its stepping as a sledge that stays flat.

    Corners that give way alike carry m g/4 and what the moments of friction, c below the centre, ask for: a function of
    X and Y without a product, as the corners stay in one plane.
    """
    m, mu = rng.uniform(1, 3), rng.uniform(0.15, 0.5)
    a, b, c = rng.uniform(0.1, 0.3), rng.uniform(0.1, 0.3), rng.uniform(0.03, 0.08)
    inertia = m / 3 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    shake, aim, om, twist = mu * m * G * rng.uniform(0.6, 2), rng.uniform(0, 6), rng.uniform(2, 6), rng.uniform(0, 1)
    corners = np.array([[X, Y] for X in (-a, a) for Y in (-b, b)])
    model = Model("box", gravity=(0, 0, -G))
    x, y, z, p, q, r = model.coordinates("x y z p q r", initial=(0, 0, c, 0, 0, 0))
    body = model.body("box", tdisp(x, y, z) * trotz(p) * troty(q) * trotx(r), mass=m, inertia=inertia)
    wave, twisting = sp.sin(om * t), twist * mu * m * G * a
    model.add(Force(body, (shake * np.cos(aim) * wave, shake * np.sin(aim) * wave, 0)))
    model.add(Moment(body, (0, 0, twisting * sp.sin(1.3 * om * t))))
    w = body.omega
    for i, (X, Y) in enumerate(corners):
        at = (body.T * tdisp(X, Y, -c)).e
        d = [at[0] - x, at[1] - y, at[2] - z]
        slip = x.dot + w[1] * d[2] - w[2] * d[1], y.dot + w[2] * d[0] - w[0] * d[2]
        model.add(RigidContact(at[2], restitution=0, friction=mu, slip=slip, name=f"c{i}"))
    M = np.array([m, m, inertia[2]])
    r = 1 / (4 / m + 4 * (a * a + b * b) / inertia[2])  # less than the mobility of all corners

    def stepping(h, end):
        place, v, P = np.zeros(3), np.zeros(3), np.zeros((4, 2))  # P in axes of the body
        for n in range(round(end / h)):
            time, turn = (n + 0.5) * h, place[2] + h / 2 * v[2]
            R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
            push = shake * np.sin(om * time) * np.array([np.cos(aim), np.sin(aim)])
            free = v + h * np.array([*push, twisting * np.sin(1.3 * om * time)]) / M
            free[:2] = R.T @ free[:2]
            for _ in range(400):
                new = free + np.array([*P.sum(0), (corners[:, 0] * P[:, 1] - corners[:, 1] * P[:, 0]).sum()]) / M
                slip = new[:2] + new[2] * np.stack([-corners[:, 1], corners[:, 0]], axis=1)
                most = mu * (h * m * G / 4 - c / 4 * (corners * P.sum(0) / [a * a, b * b]).sum(1))
                wanted = P - r * slip
                size = np.maximum(np.hypot(*wanted.T), 1e-300)
                before, P = P, wanted * np.minimum(1, np.maximum(most, 0) / size)[:, None]
                if np.abs(P - before).max() <= 1e-7 * h * m * G:
                    break
            v = np.array([*(R @ new[:2]), new[2]])
            place = place + h * v
        return place

    return model, stepping, ["x", "y", "p"]


@pytest.mark.parametrize("seed", seeds("rough_boxes_in_space"))
def test_boxes_in_space_beside_time_stepping(seed):
    away, own, run = compared(box_in_space, seed, 0.5, 2e-3, ["generalized_alpha", "newmark", "lobatto", "dop853"])
    assert np.all(away <= 2 * own.max() + 1e-3)  # an event is anywhere in a step
    assert run.message.startswith("reached")  # no word about the energy
