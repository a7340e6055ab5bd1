"""Checks of exercise 31."""

from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np

from easydyn import GeneralizedForce, Model, PlanePoint, ground, tdisp, trotz
from easydyn.course import stage

a, b, c, d, e, f = 0.38, 0.415, 0.393, 0.401, 0.558, 0.394
g, h, i, j, k, l, M = 0.367, 0.657, 0.49, 0.5, 0.619, 0.078, 0.15
TRUNK, CRANK, SPEED, GAIN = 10.0, 1.0, -3.0, 60.0
FLOOR = {"stiffness": 2e4, "damping": 400, "friction": 0.8, "slip_speed": 0.02}
NAMES = ("x", "y", "q", "u1", "v1", "w1", "u2", "v2", "w2")


def joined(A, B, p, q, side):
    x, y = B[0] - A[0], B[1] - A[1]
    square = x**2 + y**2
    along = (p**2 - q**2 + square) / (2 * square)
    across = side * sqrt(max(p**2 / square - along**2, 0))
    return np.array([A[0] + along * x - across * y, A[1] + along * y + across * x])


def points(theta, m=M):
    P, B = m * np.array([cos(theta), sin(theta)]), np.array([-a, -l])
    C, D = joined(P, B, j, b, -1), joined(P, B, k, c, 1)
    E = joined(C, B, e, d, -1)
    F = joined(E, D, f, g, -1)
    return np.array([P, C, D, E, F, joined(F, D, h, i, -1)])


@stage("Where two bars meet")
def meet(work):
    inputs = []
    for side in (1, -1, 1, -1):
        A, angle, size = tuple(work.draw(2)), *work.draw(1, -3, 3), *work.draw(1, 0.8, 1.05)
        B = (round(A[0] + size * cos(angle), 3), round(A[1] + size * sin(angle), 3))
        inputs.append((A, B, *work.draw(1, 0.7, 0.9), *work.draw(1, 0.4, 0.6), side))

    def rough(A, B, p, q, side, along=None):
        x, y = B[0] - A[0], B[1] - A[1]
        s = x**2 + y**2
        along = (p**2 - q**2 + s) / (2 * s) if along is None else along(p, q, s)
        across = side * sqrt(abs(p**2 / s - along**2))
        return np.array([A[0] + along * x - across * y, A[1] + along * y + across * x])

    work.answers(
        "meet", inputs, joined, "The point must have the distance p from A and q from B: the law of cosines says how "
                                "far "
                                "along the line its foot is.",
        [(lambda A, B, p, q, side: joined(A, B, p, q, -side), "That is on the other side: left of the way from A to B "
                                                              "is (x, y) turned to (-y, x)."),
         (lambda A, B, p, q, side: joined(A, B, p, q, 1), "The answer does not depend on side."),
         (lambda A, B, p, q, side: joined(A, B, p, q, -1), "The answer does not depend on side."),
         (lambda A, B, p, q, side: joined(A, B, q, p, side), "p is the distance from A, q that from B."),
         (lambda A, B, p, q, side: joined(A, B, p, q, side) - A, "That is the way from A: add the place of A."),
         (lambda A, B, p, q, side: rough(A, B, p, q, side, lambda p, q, s: (p**2 + s - q**2) / (2 * sqrt(s))),
          "The share of the way from A to B has its square in the denominator."),
         (lambda A, B, p, q, side: rough(A, B, p, q, side, lambda p, q, s: (q**2 - p**2 + s) / (2 * s)),
          "The signs of the squares: a longer p is farther along."),
         (lambda A, B, p, q, side: rough(A, B, p, q, 0), "That is the foot on the line from A to B: the way across is "
                                                         "missing."),
         (lambda A, B, p, q, side: joined(A, B, p, q, side)[::-1], "x first, y then.")],
        take=lambda came: work.several(came, 2, "x, y"), tolerance=1e-7)  # fmt: skip


BARS = [("j", "P", "C", j), ("b", "B", "C", b), ("k", "P", "D", k), ("c", "B", "D", c), ("e", "C", "E", e),
        ("d", "B", "E", d), ("f", "E", "F", f), ("g", "D", "F", g), ("h", "F", "G", h), ("i", "D", "G", i)]  # fmt: skip


@stage("All points of a leg")
def leg(work):
    work.right("leg", lambda theta, m: tuple(map(tuple, points(theta, m))))
    for theta, m in [(x, y) for x, y in zip(work.draw(4, -3, 3), work.draw(4, 0.13, 0.146))]:
        rows = work.several(work.call("leg", theta, m), 6, "P, C, D, E, F, G")
        there = {name: np.array(work.array(row, (2,), "pairs x, y")) for name, row in zip("PCDEFG", rows)}
        there["B"], right = np.array([-a, -l]), dict(zip("PCDEFG", points(theta, m)))
        work.compare(there["P"], right["P"], "P is the end of the crank, m (cos theta, sin theta).",
                     mistakes=[(right["P"][::-1], "Sine and cosine are exchanged: at theta = 0 the crank points "
                                                  "forwards."),
                               (right["P"] / m * M, "The length of the crank is the argument m."),
                               (right["P"] * (1, -1), "The sign of y: theta is positive from x towards y."),
                               (right["P"] / m, "The length of the crank is missing.")])  # fmt: skip
        for name, one, two, length in BARS:
            came = hypot(*(there[two] - there[one]))
            sentence = f"The bar {name} from {one} to {two} has not its length: the point {two} is not in its place."
            work.require(abs(came - length) < 1e-7, sentence, came=came, expected=f"{length} m")
        for name, one, two in (("C", "P", "B"), ("D", "P", "B"), ("E", "C", "B"), ("F", "E", "D"), ("G", "F", "D")):
            work.compare(there[name], right[name], f"All bars have their lengths, but {name} is on the other side of "
                                                   f"the "
                                                   f"way from {one} to {two}.", tolerance=1e-6)


def handover(m, apart=pi):
    """Angle at which the other foot comes down: both are equally high."""
    def gap(t):
        return points(t, m)[5][1] - points(t + apart, m)[5][1]

    grid = np.linspace(0, 2 * pi, 73)
    values = [gap(t) for t in grid]
    found = []
    for one, two, u, v in zip(grid, grid[1:], values, values[1:]):
        if u * v < 0:
            for _ in range(40):
                middle = (one + two) / 2
                w = gap(middle)
                one, two, u = (middle, two, w) if u * w > 0 else (one, middle, u)
            found.append(one)
    return found


@stage("The step")
def stride(work):
    def both(m):
        t = handover(m)[0]
        path = np.array([points(x, m)[5] for x in np.linspace(0, 2 * pi, 181)])
        return abs(points(t, m)[5][0] - points(t + pi, m)[5][0]), np.ptp(path[:, 1]), np.ptp(path[:, 0])

    known = {}

    def lengths(m):
        if m not in known:
            known[m] = both(m)
        return known[m]

    def by(formula):
        return lambda m: np.array(formula(*lengths(m)))

    work.answers(
        "stride", [(m,) for m in work.draw(2, 0.135, 0.155)], by(lambda step, lift, width: (2 * step, lift)),
        "Find the angle at which both feet are equally high: from there to half a turn later one foot stands.",
        [(by(lambda step, lift, width: (step, lift)), "That is one step: in one turn each of the two feet makes one."),
         (by(lambda step, lift, width: (width, lift)), "That is the width of the whole path: the foot stands on a "
                                                       "part of "
                                                       "it only."),
         (by(lambda step, lift, width: (2 * width, lift)), "The path is wider than a step: the foot stands on a part "
                                                           "of it "
                                                           "only."),
         (by(lambda step, lift, width: (lift, 2 * step)), "The way first, the lift then."),
         (by(lambda step, lift, width: (-2 * step, lift)), "The way of one turn is a length: take it as positive."),
         (by(lambda step, lift, width: (2 * step, lift / 2)), "The lift is the highest less the lowest point of the "
                                                              "path."),
         (by(lambda step, lift, width: (4 * step, lift)), "Two steps in one turn, not four.")],
        take=lambda came: work.several(came, 2, "way, lift"), tolerance=0.01)  # fmt: skip


@stage("The torque on the crank")
def crank_torque(work):
    def slope(theta, m, size=1e-6):
        return (points(theta + size, m)[5] - points(theta - size, m)[5]) / (2 * size)

    def by(formula):
        return lambda theta, m, force: float(formula(np.array(force), slope(theta, m), points(theta, m)[5]))

    inputs = [(theta, m, tuple(work.draw(2, 20, 90))) for theta, m in zip(work.draw(3, -3, 3), work.draw(3, 0.13,
        0.15))]
    work.answers(
        "crank_torque", inputs, by(lambda F, s, G: -F @ s),
        "Virtual work: turn the crank a little, and let torque and force do no work together.",
        [(by(lambda F, s, G: F @ s), "That is what the force does to the crank: the torque that holds it is the "
                                     "opposite."),
         (by(lambda F, s, G: -F[1] * s[1]), "The foot moves along x, too: fx does work."),
         (by(lambda F, s, G: -F[0] * s[0]), "The foot moves along y, too: fy does work."),
         (by(lambda F, s, G: F[1] * s[1]), "The foot moves along x, too; and the sign."),
         (by(lambda F, s, G: -(G[0] * F[1] - G[1] * F[0])), "That would hold it if the foot were a part of the crank: "
                                                            "it "
                                                           "moves by the linkage."),
         (by(lambda F, s, G: G[0] * F[1] - G[1] * F[0]), "That is the moment of the force about O: the foot is no "
                                                         "part of "
                                                         "the crank."),
         (by(lambda F, s, G: -F @ s * pi / 180), "The derivative is with respect to radians."),
         (by(lambda F, s, G: -(F[0] * s[1] + F[1] * s[0])), "x with x, y with y: the scalar product of force and way."),
         (by(lambda F, s, G: -F @ s / hypot(*s)), "Divide by the turn of the crank, not by the way of the foot."),
         (by(lambda F, s, G: -2 * (F @ s)), "A difference to both sides is twice as long.")],
             tolerance=1e-4)  # fmt: skip


def reference(gravity=-9.81, gain=GAIN, speed=SPEED, floor=True, closed=False):
    """The machine, with what may be wrong in it; `closed`: a Model whose legs are."""
    model = Model("walker", gravity=(0, gravity, 0))
    x, y, q = model.coordinates("x y q", initial=(0, 0.92, 0), rates=(0, 0, SPEED))
    trunk = tdisp(x, y, 0)
    model.body("trunk", trunk, mass=TRUNK, inertia=(0, 0, 0))
    crank = model.body("crank", trunk * trotz(q), mass=CRANK, inertia=(0, 0, 0.05))
    _, C, D, E, F, G = points(0)
    B = np.array([-a, -l])

    def angle(U, V):
        return atan2(V[1] - U[1], V[0] - U[0])

    for n in (1, 2):
        P, C, D, E, F, G = points((n - 1) * pi)
        u, v, w = model.coordinates(f"u{n} v{n} w{n}", initial=(angle(B, C), angle(B, D), angle(D, F)))
        hinge = trunk * tdisp(-a, -l, 0)
        solid = {"mass": 0.3, "inertia": (0, 0, 0.01)}
        top = model.body(f"top {n}", hinge * trotz(u), com=(0.1, 0.1, 0), **solid)
        link = model.body(f"link {n}", hinge * trotz(v), com=(c / 2, 0, 0), **solid)
        foot = model.body(f"foot {n}", hinge * trotz(v) * tdisp(c, 0, 0) * trotz(w - v), com=(0.1, 0.2, 0), **solid)

        def seen(U, V, W, angle=angle):
            turn, way = angle(U, V), W - U
            return way[0] * cos(turn) + way[1] * sin(turn), way[1] * cos(turn) - way[0] * sin(turn), 0

        if floor:
            model.add(PlanePoint((foot, seen(D, F, G)), ground, normal=(0, 1, 0), **FLOOR))
        if closed:
            pin = (crank, (M if n == 1 else -M, 0, 0))
            for one, two, length in ((pin, (top, (b, 0, 0)), j), (pin, (link, (c, 0, 0)), k),
                                     ((top, seen(B, C, E)), (foot, (g, 0, 0)), f)):
                model.close(one, two, joint="distance", length=length)
    if gain:
        model.add(GeneralizedForce(q, gain * (speed - q.dot)))
    return model if closed else model.compile(target="python")


def place(state):
    """The coordinates of a machine whose legs are closed, for x, y and the angle of the crank."""
    x, y, angle = state
    q = [x, y, angle]
    for n in (0, 1):
        _, C, D, _, F, _ = points(angle + n * pi)
        q += [atan2(V[1] - U[1], V[0] - U[0]) for U, V in (((-a, -l), C), ((-a, -l), D), (D, F))]
    return np.array(q)


def gaps(work, made, system):
    """What the closures of a model leave open at a place, by its frames: a function of the coordinates."""
    bodies = {str(body.name): n for n, body in enumerate(made.bodies)}

    def ends(end):
        body, there = end
        return bodies.get(str(body.name)), np.array(getattr(there, "matrix", there), dtype=float)[:3, 3]

    closures = list(made.constraints)
    work.require(all(x.joint == "distance" for x in closures), 'Each closure is a rod: joint="distance".',
                 came=[x.joint for x in closures], expected='"distance"')
    rods = [(ends(x.first), ends(x.second), float(x.length)) for x in closures]

    def left(q):
        T = [np.array(getattr(F, "matrix", F), dtype=float) for F in system.frames(0, list(q))]

        def at(end):
            n, r = end
            return r if n is None else T[n][:3, :3] @ r + T[n][:3, 3]

        return np.array([hypot(*(at(two) - at(one))) - length for one, two, length in rods])

    return left


def directions(left, q, h=1e-5):
    """The projector on the directions that closures forbid at a place."""
    J = np.array([(left(q + e) - left(q - e)) / (2 * h) for e in h * np.eye(len(q))]).T
    return np.linalg.pinv(J, rcond=1e-6) @ J


@stage("The machine")
def walker(work):
    made = work.a(Model, work.call("walker"), "a Model")
    work.require(made.names == NAMES, "The coordinates are x y q, then those of each leg, in this order.",
                 came=made.names, expected=NAMES)
    work.called = "walker().mobility()"
    try:
        freedoms = made.mobility().degrees_of_freedom
    except Exception as error:
        work.require(False, f"The legs cannot be closed: {error}"[:400])
    work.require(freedoms == 3, "With three rods for each leg three freedoms are left: x, y and the crank.",
                 came=freedoms, expected=3)
    angle, = work.draw(1, -2.5, 2.5)
    work.called = f"walker().assemble at q = {angle}"
    state = made.assemble({"x": 0.2, "y": 1.4, "q": angle}, hold=["x", "y", "q"])
    for n in (1, 2):
        _, C, D, E, F, _ = points(angle + (n - 1) * pi)
        for name, u, v in (("u", (-a, -l), C), ("v", (-a, -l), D), ("w", D, F)):
            right, came = atan2(v[1] - u[1], v[0] - u[0]), state[f"{name}{n}"]
            other = points(angle + n * pi)
            bad = {"u": ((-a, -l), other[1]), "v": ((-a, -l), other[2]), "w": (other[2], other[4])}[name]
            turned = atan2(bad[1][1] - bad[0][1], bad[1][0] - bad[0][0])
            work.compare([cos(came), sin(came)], [cos(right), sin(right)],
                         f"The coordinate {name}{n} is not that of the closed leg: which points has each rod, and how "
                         f"long "
                         "is it?", mistakes=[([cos(turned), sin(turned)], "This leg is half a turn off: the pin of the "
                                              "second leg is on the other side of the crank.")],
                         tolerance=1e-6)  # fmt: skip
    mine, ours, light = made.compile(target="python"), reference(), reference(floor=False)
    other = reference(closed=True)
    mine_left, our_left = gaps(work, made, mine), gaps(work, other, ours)
    for q in (place((*work.draw(2), turn)) for turn in (angle, *work.draw(1, -2.5, 2.5))):
        work.called = f"the rods of walker(), each its way less its length, legs closed at q = {q[2]:g}"
        work.compare(mine_left(q), np.zeros(len(made.constraints)), "Some rod has not its length where the legs are "
                     "closed: which points has each rod, and how long is it?", size=1.0)
        work.called = f"what the rods of walker() forbid, at q = {q[2]:g}"
        work.require(np.abs(directions(mine_left, q) - directions(our_left, q)).max() < 1e-4,
                     "The rods do not hold what they should: three for each leg, each between its two points.")
    # the feet above the floor first, then in it
    for height, what in ((1.5, "in the air"), (0.8, "on the floor")):
        q = [0.1, height, angle] + [state[name] for name in NAMES[3:]]
        qd, zero = work.draw(9, -1, 1), np.zeros(9)
        work.called = f"mass matrix of walker(), {what}"
        work.compare(np.array(mine.mass_matrix(0, q))[:9, :9], ours.mass_matrix(0, q),
                     "Masses and moments of inertia: those of trunk and crank; `bodies` has made the others.")
        work.called = f"residual of walker(), {what}, at rates of {qd}"
        came, right = np.array(mine.residual(0, q, qd, zero))[:9], np.array(ours.residual(0, q, qd, zero))
        cases = [(reference(gravity=0), "There is no gravity."), (reference(gravity=9.81), "Gravity points upwards."),
                 (reference(gain=0), "The motor is missing."), (reference(gain=-GAIN), "The sign of the motor: it "
                                                                                       "drives "
                                                                                     "q.dot towards SPEED."),
                 (reference(speed=-SPEED), "The sign of SPEED: the crank turns from y towards x.")]  # fmt: skip
        if height < 1:
            cases.append((light, "Nothing holds the feet: the floor is missing."))
        work.compare(came, right, "Gravity, the motor, and the floor under both feet.",
                     mistakes=[(np.array(s.residual(0, q, qd, zero)), said) for s, said in cases])
    work.called = "the initial state of walker()"
    first = made.assemble()
    came = [first[name] for name in ("x", "y", "q", "x.dot", "y.dot", "q.dot")]
    work.compare(came, [0, 0.92, 0, 0, 0, SPEED], "At the start y = 0.92 m, q.dot = SPEED, all else zero.")
    # A run of the student's is what he says of it: the machine of the check walks, and his has the same forces there.
    run = reference(closed=True).simulate(2.4, save_every=0.02, constraints="multipliers", tolerance=1e-3)
    turns = abs(run["q"][-1] - run["q"][0]) / (2 * pi)
    way, ideal = (run["x"][-1] - run["x"][0]) / turns, 2 * abs(np.diff([points(t, M)[5][0] for t in handover(M)])[0])
    assert abs(way / ideal - 1) < 0.1, "the machine of the check does not walk as part 3 says"
    for n in (round(50 * x) for x in work.draw(6, 0.1, 2.4)):
        now = [[float(x) for x in row[n, :9]] for row in (run.q, run.qd, run.qdd)]
        work.called = f"residual of walker(), t = {n / 50:g} s of a run in which it walks {way:.3g} m in a turn"
        work.compare(np.array(mine.residual(0, *now))[:9], ours.residual(0, *now), "In the midst of a step other "
                     "forces act on your machine: it does not walk as part 3 says.", tolerance=1e-5)


@stage("It walks, and what that costs")
def energy(work):
    inputs = []
    for size in (40, 60):
        t = np.cumsum([0.0, *work.draw(size, 0.01, 0.05)])
        inputs.append((t, np.array(work.draw(size + 1, -30, -5)), np.array(work.draw(size + 1, -4, -1)),
                       np.cumsum([0.3, *work.draw(size, 0.0, 0.06)])))  # fmt: skip

    def integral(power, t):
        return np.sum((power[1:] + power[:-1]) / 2 * np.diff(t))

    work.answers(
        "energy_per_metre", inputs, lambda t, torque, rate, x: integral(torque * rate, t) / (x[-1] - x[0]),
        "The power is torque times rate; its integral over time is the energy.",
        [(lambda t, torque, rate, x: integral(torque * rate, t), "That is the energy: divide it by the way."),
         (lambda t, torque, rate, x: integral(torque * rate, t) / x[-1], "The way is the last place less the first."),
         (lambda t, torque, rate, x: integral(torque, t) / (x[-1] - x[0]), "The power is torque times rate."),
         (lambda t, torque, rate, x: integral(rate, t) / (x[-1] - x[0]), "The power is torque times rate."),
         (lambda t, torque, rate, x: np.sum(torque * rate) / (x[-1] - x[0]), "The time steps are missing in the sum."),
         (lambda t, torque, rate, x: np.mean(torque * rate) / (x[-1] - x[0]), "That is the mean power: times the time "
                                                                              "it "
                                                                              "is the energy."),
         (lambda t, torque, rate, x: integral(torque * rate, t) / t[-1], "That is the mean power: divide by the way, "
                                                                         "not "
                                                                         "by the time."),
         (lambda t, torque, rate, x: (x[-1] - x[0]) / integral(torque * rate, t), "That is metres per joule: upside "
                                                                                  "down."),
         ], tolerance=0.01)  # fmt: skip
