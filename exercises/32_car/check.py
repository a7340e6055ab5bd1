"""Checks of exercise 32."""

import runpy
from math import pi
from pathlib import Path

import numpy as np

from easydyn import Model
from easydyn.course import stage

M, m, k, K, c = 320.0, 38.0, 21e3, 190e3, 1400.0
BODY, ROLL, PITCH = 1280.0, 420.0, 1750.0
FRONT, WHEELBASE, TRACK, N0 = 1.1, 2.6, 1.5, 0.1
ROAD = np.array(list(runpy.run_path(str(Path(__file__).with_name("questions.py")))["tracks"]()))  # that of road.csv


@stage("A road of a given spectrum")
def profile(work):
    def road(s, n, phases, G0, two=2, step=1, power=-2, base=N0, turn=2 * pi, root=0.5):
        amplitude = (two * G0 * (n / base) ** power * (n[1] - n[0]) ** step) ** root
        return np.cos(turn * np.outer(s, n) + phases) @ amplitude

    def by(**how):
        return lambda *given: road(*given, **how)

    def sines(s, n, phases, G0):
        return road(s, n, phases - pi / 2, G0)

    inputs = []
    for first, step, G0 in ((0.03, 0.02, 64e-6), (0.05, 0.03, 256e-6), (0.02, 0.05, 1024e-6)):
        n = np.round(first + step * np.arange(6), 3)
        inputs.append((np.array(work.draw(5, 0, 90)), n, np.array(work.draw(6, 0, 6.28)), G0))
    work.answers(
        "profile", inputs, road, "Each wave has the amplitude sqrt(2 G(n) dn), its own frequency and its own phase.",
        [(by(two=1), "The factor 2 under the root is missing: a wave of the amplitude a has the mean square a²/2."),
         (by(step=0), "The step of the frequencies is missing under the root: a density times a width is a square."),
         (by(two=1, step=0), "Under the root are 2 and the step of the frequencies, too."),
         (by(power=2), "The exponent is -2: longer waves are higher."),
         (by(power=-1), "The exponent is -2, not -1."),
         (by(power=0), "The density depends on n."),
         (by(base=1), "n0 is missing: 0.1 1/m."),
         (by(turn=1), "The waves have n periods in a metre: 2 pi n s."),
         (by(root=1), "That is the square of the amplitude: take the root."),
         (sines, "The waves are cosines: with sines the phases mean something else."),
         (lambda s, n, phases, G0: road(s, n, 0 * phases, G0), "The phases are missing."),
         (lambda s, n, phases, G0: road(s, n, -phases, G0), "The sign of the phases.")])  # fmt: skip


def answer(f, tyre=K, wheel=m, damping=c, turn=2 * pi):
    """Complex z and w for a road of 1 m."""
    p = 1j * turn * f
    strut = damping * p + k
    return p, *np.linalg.solve([[M * p**2 + strut, -strut], [-strut, wheel * p**2 + strut + tyre]], [0, tyre])


@stage("What passes at each frequency")
def gains(work):
    def by(formula, **how):
        return lambda f: float(abs(formula(*answer(f, **how))))

    parts = (
        (lambda p, z, w: p**2 * z, "acceleration of the body",
         [(lambda p, z, w: z, "The first is the acceleration, omega² times the amplitude of z."),
          (lambda p, z, w: p * z, "That is the velocity of the body: its acceleration is asked for."),
          (lambda p, z, w: p**2 * w, "That is the acceleration of the wheel."),
          (lambda p, z, w: p**2 * z / (4 * pi**2), "The acceleration has omega², not f².")]),
        (lambda p, z, w: z - w, "travel",
         [(lambda p, z, w: abs(z) - abs(w), "The amplitude of a difference is not the difference of amplitudes: z and "
                                            "w "
                                            "are not in phase."),
          (lambda p, z, w: z - 1, "The travel is that of the suspension, z - w."),
          (lambda p, z, w: z, "The travel is that of the suspension, z - w."),
          (lambda p, z, w: K * (1 - w), "The order: acceleration, travel, force.")]),
        (lambda p, z, w: K * (1 - w), "force of the tyre",
         [(lambda p, z, w: K * (1 - abs(w)), "Wheel and road are not in phase: the abs of the difference."),
          (lambda p, z, w: K * w, "The tyre's force is K (r - w), and r has the amplitude 1."),
          (lambda p, z, w: 1 - w, "The stiffness of the tyre is missing in its force."),
          (lambda p, z, w: k * (z - w), "That is the force of the spring: the tyre's is asked for.")]),
    )  # fmt: skip
    inputs = work.inputs(4, 1, 0.6, 14)
    for n, (right, what, mistakes) in enumerate(parts):
        common = [(by(right, turn=1), "f is in Hz: omega is 2 pi f."), (by(right, damping=0), "The damper is missing."),
                  (by(right, wheel=0), "The mass of the wheel is missing.")]  # fmt: skip
        work.answers(
            "gains", inputs, by(right), f"The {what}: two linear equations for z and w, with i omega for each dot.",
            [*common, *((by(wrong), said) for wrong, said in mistakes)],
            take=lambda came, n=n: work.several(came, 3, "acceleration, travel, force")[n])  # fmt: skip


def system_of(work, name, names, inputs):
    made = work.a(Model, work.call(name), "a Model")
    work.require(tuple(made.names) == names, f"The coordinates are {' '.join(names)}, in this order.", came=made.names,
                 expected=names)
    mine = made.compile(target="python")
    zero = np.zeros(len(names))

    def residual(q=zero, qd=zero, qdd=zero, **road):
        roads = dict.fromkeys(inputs, 0.0) | road
        try:
            system = made.compile(target="python", inputs=roads)
            return np.array(system.residual(0.0, list(q), list(qd), list(qdd)))
        except Exception as error:
            work.require(not any(name in str(error) for name in inputs),
                         f"The inputs are {' '.join(inputs)}: made.input(...) makes one.", came=str(error)[:200])
            raise

    return made, mine, residual


def slopes(function, size, step):
    """Columns of a linear function."""
    rows = []
    for n in range(size):
        e = np.zeros(size)
        e[n] = step
        rows.append((function(e) - function(-e)) / (2 * step))
    return np.array(rows).T


def driven(A, B, times, road, x):
    """Exact states of x' = A x + B r along a road of straight lines."""
    n = len(A)
    big = np.zeros((n + 2, n + 2))
    big[:n, :n], big[:n, n], big[n, n + 1] = A, B, 1
    h = times[1] - times[0]
    term, step = np.eye(n + 2), np.eye(n + 2)
    scale = 2**8
    for power in range(1, 12):
        term = term @ (big * h / scale) / power
        step = step + term
    for _ in range(8):
        step = step @ step
    found = [x]
    for r, after in zip(road, road[1:]):
        x = step[:n, :n] @ x + step[:n, n] * r + step[:n, n + 1] * (after - r) / h
        found.append(x)
    return np.array(found)


@stage("The quarter car on the measured road")
def quarter(work):
    made, mine, residual = system_of(work, "quarter", ("z", "w"), ("road",))
    work.called = "mass matrix of quarter()"
    work.compare(mine.mass_matrix(0, [0, 0]), [[M, 0], [0, m]], "The masses are M and m; coordinates are heights.",
                 mistakes=[([[m, 0], [0, M]], "The masses of body and wheel are exchanged.")])
    work.called = "residual of quarter() at rest"
    work.compare(residual(), [0, 0], "At rest nothing acts: heights are measured from rest, without gravity.", size=1.0,
                 mistakes=[([M * 9.81, m * 9.81], "Gravity does not occur: heights are measured from rest.")])
    stiff = np.array([[k, -k], [-k, k + K]])
    work.called = "stiffness of quarter(), the slopes of its residual with z and w"
    came = slopes(lambda e: residual(q=e), 2, 1e-3)
    work.compare(came, stiff, "The spring k is between body and wheel, the tyre K between wheel and road.",
        tolerance=1e-5,
                 mistakes=[(stiff - [[0, 0], [0, K]], "The tyre is missing."),
                           (stiff - [[0, 0], [0, 2 * K]], "The sign of the tyre: it pushes the wheel towards the "
                                                          "road."),
                           ([[k + K, -k], [-k, k]], "The tyre acts on the wheel, not on the body."),
                           ([[k, -k], [0, k + K]], "What the spring does to the body it does to the wheel, too, the "
                                                   "other "
                                                   "way round."),
                           ([[k, 0], [0, K]], "The spring is between body and wheel, not between body and ground."),
                           ([[k, 0], [0, k + K]], "The spring is between body and wheel: z - w.")])  # fmt: skip
    damp = np.array([[c, -c], [-c, c]])
    work.called = "damping of quarter(), the slopes of its residual with the rates"
    work.compare(slopes(lambda e: residual(qd=e), 2, 1e-3), damp, "The damper c is between body and wheel.",
        tolerance=1e-5,
                 size=c, mistakes=[(0 * damp, "The damper is missing."), (-damp, "The sign of the damper."),
                                   ([[c, 0], [0, 0]], "The damper is between body and wheel, not to the ground.")])
    work.called = "slope of the residual of quarter() with the road"
    work.compare(residual(road=0.01) / 0.01, [0, -K], "The road lifts the wheel by K road.",
                 mistakes=[([0, K], "The sign of the road: where it is higher it pushes the wheel up."),
                           ([0, 0], "The road does not act on the car."), ([-K, 0], "The road acts on the wheel.")])
    v, until = 20.0, 3.0
    times, heights = ROAD[:, 0] / v, ROAD[:, 1] - ROAD[0, 1]
    work.called = "the initial state of quarter()"
    work.compare(np.array(made.initial()), np.zeros((2, 2)), "It starts at rest, at z = w = 0.")
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-stiff / [[M], [m]], -damp / [[M], [m]]]])
    exact = driven(A, np.array([0, 0, 0, K / m]), times[: round(until / 0.01) + 1], heights, np.zeros(4))
    # A run of the student's is what he says of it; at the instants of the exact one his forces have to cancel.
    for n in (round(100 * t) for t in work.draw(4, 0.5, until)):
        q, qd = exact[n, :2], exact[n, 2:]
        qdd = -(stiff @ q + damp @ qd - [0, K * heights[n]]) / [M, m]
        work.called = f"residual of quarter() on road.csv, left track, at 20 m/s, t = {n / 100:g} s"
        work.compare(residual(q, qd, qdd, road=heights[n]), [0, 0], "On its way over the road the equations do not "
                     "hold: the body is not where the road brings it.", size=1.0, tolerance=1e-5)


@stage("Comfort, grip, travel")
def measures(work):
    def by(comfort=lambda a: np.sqrt(np.mean(a**2)), grip=lambda F, load: np.sqrt(np.mean(F**2)) / load, travel=np.ptp):
        return lambda t, a, F, x, load: np.array([comfort(a), grip(F, load), travel(x)])

    inputs = []
    for size in (7, 12):
        inputs.append((np.round(0.01 * np.arange(size), 2), np.array(work.draw(size, -2, 3)),
                       np.array(work.draw(size, -900, 1500)), np.array(work.draw(size, -0.02, 0.08)),
                       *work.draw(1, 3000, 4000)))  # fmt: skip
    work.answers(
        "measures", inputs, by(), "Root of the mean of the squares, twice; then the largest less the smallest.",
        [(by(comfort=lambda a: np.mean(a**2)), "The first is a root mean square: the root is missing."),
         (by(comfort=lambda a: np.mean(np.abs(a))), "That is the mean of the amounts: squares, mean, root."),
         (by(comfort=np.std), "That is the deviation from the mean: nothing is to be taken off."),
         (by(comfort=np.std, grip=lambda F, load: np.std(F) / load), "That is the deviation from the mean: nothing is "
                                                                     "to be "
                                                                     "taken off."),
         (by(comfort=lambda a: np.max(np.abs(a))), "That is the largest acceleration."),
         (by(comfort=lambda a: np.sqrt(np.sum(a**2))), "That is the root of the sum: of the mean."),
         (by(grip=lambda F, load: np.sqrt(np.mean(F**2))), "The force is to be divided by the load at rest."),
         (by(grip=lambda F, load: np.mean(F**2) / load), "The second is a root mean square, too."),
         (by(grip=lambda F, load: np.max(np.abs(F)) / load), "That is the largest force: its root mean square."),
         (by(travel=np.max), "The range is the largest less the smallest value."),
         (by(travel=lambda x: np.max(np.abs(x))), "The range is the largest less the smallest value."),
         (by(travel=lambda x: np.sqrt(np.mean(x**2))), "The third is a range, not a root mean square.")],
        take=lambda came: work.several(came, 3, "comfort, grip, travel"))  # fmt: skip


def under(s, left, right, v, t, start=5.0, behind=WHEELBASE):
    front = start + v * t
    return np.array([np.interp(x, s, z) for x in (front, front - behind) for z in (left, right)])


@stage("The road under four wheels")
def four(work):
    s, left, right = ROAD.T
    inputs = [(s[:300], left[:300], right[:300], v, t) for v, t in zip(work.draw(3, 10, 25), work.draw(3, 0.3, 1.8))]

    def nearest(s, left, right, v, t):
        front = 5 + v * t
        return np.array([z[np.argmin(np.abs(s - x))] for x in (front, front - WHEELBASE) for z in (left, right)])

    work.answers(
        "four", inputs, under, "Where is each wheel at the time t? Then read its track there.",
        [(lambda *x: under(*x, behind=0), "The rear wheels are behind the front ones."),
         (lambda *x: under(*x, behind=-WHEELBASE), "The rear wheels are behind, not before the front ones."),
         (lambda *x: under(*x, behind=FRONT), "The rear axle is a wheelbase behind the front one."),
         (lambda *x: under(*x, start=0), "At t = 0 the front wheels are at s = 5 m."),
         (nearest, "Between the points the road is straight: np.interp."),
         (lambda *x: under(*x)[[0, 2, 1, 3]], "The order: front left, front right, rear left, rear right."),
         (lambda *x: under(*x)[[2, 3, 0, 1]], "Front wheels first."),
         (lambda *x: under(*x)[[1, 0, 3, 2]], "Left and right are exchanged."),
         (lambda *x: under(*x)[[0, 0, 2, 2]], "Both sides see the left track.")],
        take=lambda came: np.array(work.several(came, 4, "four heights"), dtype=float), tolerance=1e-5)  # fmt: skip


@stage("The whole car")
def full(work):
    names = ("z", "pitch", "roll", "w1", "w2", "w3", "w4")
    _, mine, residual = system_of(work, "full", names, ("r1", "r2", "r3", "r4"))

    def corners(front=FRONT, half=TRACK / 2, nod=1, tilt=1):
        rear = front - WHEELBASE
        places = [(front, half), (front, -half), (rear, half), (rear, -half)]
        return np.array([[1, -nod * x, tilt * y, *(-np.eye(4)[n])] for n, (x, y) in enumerate(places)])

    def matrix(value, A, tyre=0.0):
        return value * A.T @ A + np.diag([0, 0, 0, *[tyre] * 4])

    right = corners()
    work.called = "mass matrix of full(), at rest"
    masses = np.diag([BODY, PITCH, ROLL, m, m, m, m])
    work.compare(mine.mass_matrix(0, [0.0] * 7), masses, "BODY, PITCH about y, ROLL about x, and m for each wheel.",
                 mistakes=[(np.diag([BODY, ROLL, PITCH, m, m, m, m]), "The moments about x and y are exchanged."),
                           (np.diag([M, PITCH, ROLL, m, m, m, m]), "The body of the whole car has the mass BODY."),
                           (np.diag([BODY, 0, 0, m, m, m, m]), "The moments of inertia of the body are missing.")])
    work.called = "residual of full() at rest"
    work.compare(residual(), np.zeros(7), "At rest nothing acts: heights are measured from rest.", size=1.0)
    cases = [
        (corners(nod=-1), "The sign of the pitch: positive about y, the nose goes down."),
        (corners(tilt=-1), "The sign of the roll: positive about x, the left side goes up."),
        (corners(nod=-1, tilt=-1), "The signs of pitch and roll."),
        (corners(half=TRACK), "The wheels are TRACK apart: half of it on each side."),
        (corners(WHEELBASE - FRONT), "The centre is FRONT behind the front axle: the distances of the axles are "
                                     "exchanged."),
        (corners(WHEELBASE / 2), "The centre is not in the middle between the axles."),
    ]
    work.called = "stiffness of full(), the slopes of its residual with z, pitch, roll, w1 ... w4"
    stiff = matrix(k, right, K)
    more = [(matrix(k, right), "The tyres are missing."),
            (matrix(k, right * ([1] * 3 + [0] * 4), K), "The springs are between the body and the wheels."),
            ]  # fmt: skip
    only = stiff.copy()
    only[3:, :3] = 0
    only[3:, 3:] = K * np.eye(4)
    work.compare(slopes(lambda e: residual(q=e), 7, 1e-5), stiff, "A spring at each corner, with the height z - x "
                                                                  "pitch + "
                 "y roll of the body there; virtual work gives its moments.", tolerance=1e-4,
                 mistakes=[*((matrix(k, A, K), said) for A, said in cases), *more,
                           (only, "The springs act on the wheels, too, the other way round.")])  # fmt: skip
    work.called = "damping of full(), the slopes of its residual with the rates"
    damp = matrix(c, right)
    work.compare(slopes(lambda e: residual(qd=e), 7, 1e-5), damp, "A damper at each corner, beside the spring.", size=c,
                 tolerance=1e-4, mistakes=[(0 * damp, "The dampers are missing."), (-damp, "The sign of the dampers."),
                                           *((matrix(c, A), said) for A, said in cases)])  # fmt: skip
    for n in range(4):
        work.called = f"slope of the residual of full() with r{n + 1}"
        load = np.zeros(7)
        load[3 + n] = -K
        other = [np.roll(load[3:], j) for j in (1, 2, 3)]
        work.compare(residual(**{f"r{n + 1}": 0.01}) / 0.01, load, "Each road lifts its own wheel.",
                     mistakes=[(-load, "The sign of the road: where it is higher it pushes the wheel up."),
                               (0 * load, "This road does not act on the car."),
                               *((np.concatenate([[0] * 3, x]), "This road acts on another wheel.") for x in other)])
