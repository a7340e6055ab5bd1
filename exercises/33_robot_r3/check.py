"""Checks of exercise 33."""

from math import sqrt

import numpy as np

from easydyn import Model, tdisp, trotx, troty
from easydyn.course import stage

BODIES = (
    (troty, 1, (0, 0, 0), (0.58, 1.16, 0.58), (0, 0.324, 0.3)),
    (trotx, 56.5, (0.172, 0.205, 0), (2.58, 0.64, 2.73, -0.46, 0, 0), (0, 0.65, 0)),
    (trotx, 26.4, (0.064, -0.034, 0), (0.279, 0.245, 0.413, -0.07, 0, 0), (0, 0.414, -0.155)),
    (troty, 28.7, (0, 0, 0), (1.67, 0.081, 1.67), (0, 0.186, 0)),
    (trotx, 5.2, (0, 0, 0), (1.25, 0.81, 1.53), (0, 0.125, 0)),
    (troty, 0.5, (0.05, 0.05, 0.05), (0.001, 0.001, 0.001), (0, 0, 0)),
)
RATIO = np.array([-105, 210, 60, -99, 79.2, -99])
ROTOR = np.array([1.3e-3, 1.3e-3, 1.3e-3, 1.6e-4, 1.8e-4, 4.3e-5])
CONSTANT = np.array([1.1616, 1.1616, 1.1616, 0.2365, 0.2608, 0.0842])
START, END = np.radians([-60, 20, 90, 0, -110, 0]), np.radians([60, -70, -35, 45, 110, 45])
SPEEDS, ACCELERATIONS = (3, 1.5, 5, 3.1, 3.1, 4.1), (15, 15, 15, 60, 60, 60)
KP_, KD_ = 400.0, 36.0
KV, KP, KI, LIMIT = 12.0, 90.0, 700.0, 150.0
NAMES = tuple(f"joint{k}" for k in range(1, 7))


def along(start, end, speed, acceleration, t, limited=True, symmetric=True):
    """Place, rate, acceleration of a path; `limited`: the speed is not reached where the way is too short."""
    way, side = abs(end - start), 1 if end > start else -1
    if limited:
        speed = min(speed, sqrt(way * acceleration))
    ramp = speed / acceleration
    whole = way / speed + ramp
    if t <= 0:
        return np.array([start, 0, 0])
    if t >= whole:
        return np.array([end, 0, 0])
    if t < ramp:
        return np.array([start + side * acceleration * t**2 / 2, side * acceleration * t, side * acceleration])
    if t > whole - ramp and symmetric:
        left = whole - t
        return np.array([end - side * acceleration * left**2 / 2, side * acceleration * left, -side * acceleration])
    return np.array([start + side * speed * (t - ramp / 2), side * speed, 0])


@stage("The path of one joint")
def path(work):
    three = lambda came: work.several(came, 3, "place, rate, acceleration")  # noqa: E731
    phases = {"speeds up": 0.1, "goes steadily": 0.5, "slows down": 0.9}
    for side in (1, -1):
        for what, share in phases.items():
            start, speed, acceleration = *work.draw(1), *work.draw(1, 1, 2), *work.draw(1, 4, 8)
            end = round(start + side * work.draw(1, 2, 3)[0], 3)
            whole = abs(end - start) / speed + speed / acceleration
            t = round(share * whole, 3) if what != "speeds up" else round(0.6 * speed / acceleration, 3)
            if what == "slows down":
                t = round(whole - 0.6 * speed / acceleration, 3)
            right, given = along(start, end, speed, acceleration, t), (start, end, speed, acceleration, t)
            came = np.array([work.number(x) for x in three(work.call("path", *given))])
            mirror = np.array([2 * start - right[0], -right[1], -right[2]])
            mistakes = [(mirror, "The joint goes the other way: the end may be below the start."),
                        (right - (start, 0, 0), "The start is missing: the place, not the way.")]  # fmt: skip
            if what == "speeds up":
                mistakes += [(right + (right[0] - start, 0, 0), "A half is missing: a t²/2."),
                             (along(start, end, speed, 1e9, t), "The joint speeds up first: a ramp of the "
                                                                "acceleration.")]  # fmt: skip
            if what == "goes steadily":
                ramp = side * speed**2 / acceleration / 2
                mistakes += [(right + (ramp, 0, 0), "During the first ramp it has gone only half as far as with the "
                                                    "full "
                                                    "speed.")]  # fmt: skip
            if what == "slows down":
                mistakes += [(right * (1, 1, -1), "It slows down: the sign of the acceleration."),
                             (along(start, end, speed, acceleration, t, symmetric=False), "The second ramp is "
                                                                                          "missing: it "
                                                                                         "slows down."),
                             (right * (1, -1, 1), "It still goes forwards while it slows down.")]  # fmt: skip
            work.compare(came, right, f"This is where it {what}: the area under the speed is the way.",
                mistakes=mistakes)
    for side in (1, -1):  # too short for the speed
        start, acceleration, speed = *work.draw(1), *work.draw(1, 4, 8), *work.draw(1, 3, 4)
        end = round(start + side * work.draw(1, 0.3, 0.6)[0], 3)
        whole = 2 * sqrt(abs(end - start) / acceleration)
        for share in (0.3, 0.8):
            t = round(share * whole, 3)
            given = (start, end, speed, acceleration, t)
            came = np.array([work.number(x) for x in three(work.call("path", *given))])
            late = [(along(*given, limited=False), "The way is too short for the largest speed: it is not reached, and "
                                                   "the joint must slow down in time.")]  # fmt: skip
            work.compare(came, along(*given), "The way is too short for the largest speed: it slows down "
                                              "from the middle on.", mistakes=late if share > 0.5 else ())  # fmt: skip
    for t, place in ((-0.4, start), (whole + 0.3, end)):
        given = (start, end, speed, acceleration, round(t, 3))
        came = np.array([work.number(x) for x in three(work.call("path", *given))])
        work.compare(came, (place, 0, 0), "Before and after the motion it stands: at the start, at the end.")


def together(ways, speeds, accelerations):
    moving = [(abs(w), v, a) for w, v, a in zip(ways, speeds, accelerations) if w]
    acceleration = min(a / w for w, _, a in moving)
    speed = min(min(v / w for w, v, _ in moving), sqrt(acceleration))
    return 1 / speed + speed / acceleration


@stage("All joints together")
def duration(work):
    def one(w, v, a):
        v = min(v, sqrt(abs(w) * a))
        return abs(w) / v + v / a if w else 0.0

    def alone(ways, speeds, accelerations):
        return max(one(*x) for x in zip(ways, speeds, accelerations))

    def square(ways, speeds, accelerations):
        moving = [(abs(w), v, a) for w, v, a in zip(ways, speeds, accelerations) if w]
        return 1 / min(v / w for w, v, _ in moving)

    def flat(ways, speeds, accelerations):
        moving = [(abs(w), v, a) for w, v, a in zip(ways, speeds, accelerations) if w]
        acceleration, speed = min(a / w for w, _, a in moving), min(v / w for w, v, _ in moving)
        return 1 / speed + speed / acceleration

    def eager(ways, speeds, accelerations):
        moving = [(abs(w), v, a) for w, v, a in zip(ways, speeds, accelerations) if w]
        acceleration = max(a / w for w, _, a in moving)
        speed = min(max(v / w for w, v, _ in moving), sqrt(acceleration))
        return 1 / speed + speed / acceleration

    # the joint that limits the speed is not the one that limits the acceleration; one stands, one goes back
    inputs = [([3.0, 0.5, 0.0], [2.0, 9.0, 1.0], [40.0, 2.0, 3.0]), ([-0.6, 2.5, 1.0], [5.0, 2.2, 3.0], [2.5, 30.0,
        20.0]),
              ([0.3, -0.2, 0.4], [9.0, 7.0, 8.0], [3.0, 4.0, 2.5])]  # fmt: skip
    inputs = [tuple([round(x * u, 3) for x, u in zip(row, work.draw(3, 0.9, 1.1))] for row in rows) for rows in inputs]
    work.answers(
        "duration", inputs, together, "Which limits does each joint put on the rate and on the acceleration of s?",
        [(alone, "That is the time of the slowest joint alone: on one path s(t) the limits of speed and of "
                 "acceleration may "
                 "come from different joints."),
         (square, "The ramps take time as well."),
         (flat, "On a short way the largest speed is not reached."),
         (eager, "The smallest limits count: no joint may exceed its own."),
         (lambda w, v, a: sum(one(*x) for x in zip(w, v, a)), "They move together, not one after "
                                                               "the other.")])


def reference(load=15.0, gravity=-9.81, centres=True, tensors=True, foot=0.351, turns_last=False):
    made = Model("r3", gravity=(0, gravity, 0))
    joints = made.coordinates(list(NAMES))
    T = tdisp(0, foot, 0)
    for k, (turn, mass, com, inertia, way) in enumerate(BODIES):
        T = T * tdisp(*way) * turn(joints[k]) if turns_last else T * turn(joints[k])
        made.body(f"link {k + 1}", T, mass=mass, com=com if centres else (0, 0, 0),
                  inertia=inertia if tensors else (0, 0, 0))  # fmt: skip
        T = T if turns_last else T * tdisp(*way)
    if load:
        made.body("load", T, mass=load, inertia=(0.001, 0.001, 0.001), com=(0.1, 0.25, 0.1))
    return made.compile(target="python")


@stage("The robot")
def robot(work):
    made = work.a(Model, work.call("robot"), "a Model")
    work.require(tuple(made.names) == NAMES, "The coordinates are joint1 ... joint6.", came=made.names, expected=NAMES)
    work.require(len(made.bodies) == 7, "A body for each row, and the load.", came=len(made.bodies), expected=7)
    mine, ours = made.compile(target="python"), reference()
    cases = [(reference(turns_last=True), "The order: the joint turns the link, and the way to the next joint turns "
                                          "with "
                                          "it."),
             (reference(tensors=False), "The inertia tensors are missing."),
             (reference(centres=False), "The centres of mass are missing: com=..."),
             (reference(gravity=0), "There is no gravity."), (reference(gravity=9.81), "Gravity points upwards."),
             (reference(load=1.5), "The load has 15 kg.")]  # fmt: skip
    for _ in range(2):
        q, v = work.draw(6, -1.5, 1.5), work.draw(6, -1, 1)
        work.called = f"frames of robot() at q = {tuple(q)}"
        came, right, late = (s.frames(0, q) for s in (mine, ours, cases[0][0]))
        for k in range(6):
            work.compare(came[k], right[k], f"The frame of link {k + 1} is not where it belongs.",
                         mistakes=[(late[k], cases[0][1]), (right[k] - np.eye(4)[:, [1]] @ [[0, 0, 0, 0.351]],
                                                            "The first joint is 0.351 m above the ground.")])
        work.compare(came[6], right[6], "The load is at the end of the last link, not turned against it.")
        work.called = f"mass matrix of robot() at q = {tuple(q)}"
        work.compare(mine.mass_matrix(0, q), ours.mass_matrix(0, q), "The masses, centres of mass and tensors are "
                                                                     "those of "
                     "the rows; the load has its own.", mistakes=[(s.mass_matrix(0, q), said) for s, said in cases
                               if "ravity" not in said])  # fmt: skip
        work.called = f"residual of robot() at q = {tuple(q)}, v = {tuple(v)}"
        work.compare(mine.residual(0, q, v, [0.0] * 6), ours.residual(0, q, v, [0.0] * 6), "Gravity is (0, -9.81, 0), "
                                                                                           "and "
                     "nothing else acts.", mistakes=[(s.residual(0, q, v, [0.0] * 6), said) for s, said in cases])


@stage("The currents of a motion")
def currents(work):
    work.either(lambda: currents_of(work, reference()), lambda: currents_of(work, own(work)))


def own(work):
    """The student's robot, where that is another one: what is wrong with it has been said."""
    return work.call("robot").compile(target="python")


def currents_of(work, ours):
    def tau(q, v, a):
        return ours.residual(0, list(q), list(v), list(a))

    def by(formula):
        return lambda q, v, a: formula(tau(q, v, a), np.array(a), q, v)

    inputs = [tuple(tuple(work.draw(6, -size, size)) for size in (1.5, 2, 12)) for _ in range(3)]
    work.answers(
        "currents", inputs, by(lambda T, a, q, v: (T / RATIO + ROTOR * RATIO * a) / CONSTANT),
        "Torques of the joints through the gears, and what the rotors need; then divide by the constants of the "
        "motors.",
        [(by(lambda T, a, q, v: T / RATIO / CONSTANT), "What speeds up the rotors is missing."),
         (by(lambda T, a, q, v: (T / RATIO + ROTOR * a) / CONSTANT), "A rotor speeds up RATIO times as much as the "
                                                                     "joint."),
         (by(lambda T, a, q, v: (T / RATIO + ROTOR * RATIO**2 * a) / CONSTANT), "RATIO² J belongs to the joint's "
                                                                                "side: the "
                                                                                "motor bears RATIO J a."),
         (by(lambda T, a, q, v: (T * RATIO + ROTOR * RATIO * a) / CONSTANT), "The motor is the fast side: its torque "
                                                                             "is that "
                                                                             "of the joint divided by the ratio."),
         (by(lambda T, a, q, v: T / RATIO + ROTOR * RATIO * a), "That is the torque of the motors: the currents are "
                                                                "asked "
                                                                "for."),
         (by(lambda T, a, q, v: (T / RATIO + ROTOR * RATIO * a) * CONSTANT), "The torque is CONSTANT times the "
                                                                             "current: "
                                                                             "divide by it."),
         (by(lambda T, a, q, v: (T / abs(RATIO) + ROTOR * abs(RATIO) * a) / CONSTANT), "The signs of the ratios: some "
                                                                                       "motors "
                                                                                       "turn the other way."),
         (by(lambda T, a, q, v: (tau(q, v, np.zeros(6)) / RATIO + ROTOR * RATIO * a) / CONSTANT),
          "The torques of the joints need the accelerations, too."),
         (by(lambda T, a, q, v: (tau(q, np.zeros(6), a) / RATIO + ROTOR * RATIO * a) / CONSTANT),
          "The torques of the joints need the rates, too."),
         (by(lambda T, a, q, v: T), "Those are the torques of the joints.")],
        take=lambda came: work.array(came, (6,), "six currents"))  # fmt: skip


@stage("Computed torques")
def control(work):
    work.either(lambda: control_of(work, reference()), lambda: control_of(work, own(work)))


def control_of(work, ours):
    def tau(q, a, v):
        return ours.residual(0, list(q), list(v), list(a))

    def by(formula):
        def torque(q, v, wanted, rate, acceleration):
            e, ed = np.array(wanted) - q, np.array(rate) - v
            return formula(e, ed, np.array(acceleration), q, v)

        return torque

    inputs = []
    for _ in range(3):
        q, v, a = work.draw(6, -1.5, 1.5), work.draw(6, -1, 1), work.draw(6, -3, 3)
        wanted = [round(x + y, 3) for x, y in zip(q, work.draw(6, -0.1, 0.1))]
        rate = [round(x + y, 3) for x, y in zip(v, work.draw(6, -0.5, 0.5))]
        inputs.append((q, v, wanted, rate, a))
    work.answers(
        "control", inputs, by(lambda e, ed, a, q, v: tau(q, a + KD_ * ed + KP_ * e, v)),
        "Solve the equation of the error for the acceleration of the joints; the model says which torques give it.",
        [(by(lambda e, ed, a, q, v: tau(q, a, v)), "Without the error nothing brings the robot back to its path."),
         (by(lambda e, ed, a, q, v: tau(q, a - KD_ * ed - KP_ * e, v)), "The signs of the gains: the error would "
                                                                        "grow."),
         (by(lambda e, ed, a, q, v: tau(q, a + KP_ * e, v)), "The rate of the error is missing: it would swing."),
         (by(lambda e, ed, a, q, v: tau(q, a + KD_ * ed, v)), "The error itself is missing."),
         (by(lambda e, ed, a, q, v: tau(q, a - KD_ * ed + KP_ * e, v)), "The sign of KD_: the error would swing up."),
         (by(lambda e, ed, a, q, v: tau(q, a + KP_ * ed + KD_ * e, v)), "KP_ and KD_ are exchanged."),
         (by(lambda e, ed, a, q, v: tau(q, KD_ * ed + KP_ * e, v)), "The acceleration of the wanted motion is "
                                                                    "missing."),
         (by(lambda e, ed, a, q, v: tau(q, a, v) + KD_ * ed + KP_ * e), "The gains are in 1/s² and 1/s: they belong "
                                                                        "to the "
                                                                        "accelerations, before the model."),
         (by(lambda e, ed, a, q, v: KD_ * ed + KP_ * e), "That is a PD controller, without the model."),
         (by(lambda e, ed, a, q, v: tau(q + e, a + KD_ * ed + KP_ * e, v + ed)), "The model takes the state in which "
                                                                                 "the "
                                                                                 "robot is, not the wanted one."),
         (by(lambda e, ed, a, q, v: a + KD_ * ed + KP_ * e), "Those are accelerations: the model makes torques of "
                                                             "them.")],
        take=lambda came: work.array(came, (6,), "six torques"))  # fmt: skip
    # the robot from START to END, from 0.05 rad beside its start
    h, whole = 0.01, together(END - START, SPEEDS, ACCELERATIONS)
    moving = [(abs(w), v, a) for w, v, a in zip(END - START, SPEEDS, ACCELERATIONS) if w]
    quick, steep = min(v / w for w, v, _ in moving), min(a / w for w, _, a in moving)
    q, v = START + 0.05, np.zeros(6)

    def fall(q, v, torque):
        return np.linalg.solve(ours.mass_matrix(0, q), torque - ours.residual(0, q, v, np.zeros(6)))

    for n in range(round((whole + 0.2) / h)):
        s = along(0, 1, quick, steep, n * h)
        wanted, rate, acceleration = ((END - START) * x for x in s)
        torque = work.array(work.call("control", list(q), list(v), list(wanted + START), list(rate),
            list(acceleration)),
                            (6,), "six torques")  # fmt: skip
        k1 = fall(q, v, torque)
        k2 = fall(q + h / 2 * v, v + h / 2 * k1, torque)
        q, v = q + h * v + h**2 / 2 * k2, v + h * k2
    work.called = "the robot at the end of its motion, driven by control()"
    work.require(np.max(np.abs(q - END)) < 0.01, "It does not arrive.", came=f"{np.max(np.abs(q - END)):.3g} rad "
                                                                             f"beside it",
                 expected="less than 0.01 rad")


@stage("A cascade for one joint")
def cascade(work):
    def by(kv=KV, kp=KP, ki=KI, limit=LIMIT, wind=False, late=False, step=1, sign=1, bare=False):
        def law(error, speed, total, h):
            d = sign * (kv * error - (0 if bare else speed))
            more = total + d * (h if step else 1)
            torque = kp * d + ki * (total if late else more)
            if abs(torque) > limit:
                return np.array([limit * np.sign(torque), more if wind else total])
            return np.array([torque, more])

        return law

    free = [(*work.draw(1, 0.002, 0.008), *work.draw(1, -0.05, 0.05), *work.draw(1, -0.02, 0.02), h) for h in (0.002,
        0.005, 0.01)]
    full = [(sign * work.draw(1, 0.3, 0.6)[0], *work.draw(1, -0.5, 0.5), *work.draw(1, -0.05, 0.05),
        0.004) for sign in (1, -1)]

    def pair(came):
        return work.several(came, 2, "torque, sum")

    cases = [
        (by(late=True), "The present difference is not in the sum yet: add d h first, then take the torque."),
        (by(step=0), "The period h is missing in the sum."),
        (by(kv=1), "The outer loop is missing: the wanted speed is KV times the error."),
        (by(ki=0), "The integral is missing."),
        (by(kp=0), "The proportional part is missing."),
        (by(sign=-1), "The sign: the wanted speed less the measured one."),
        (by(bare=True), "The measured speed is missing: the inner loop controls the speed."),
        (by(kp=KI, ki=KP), "KP and KI are exchanged."),
    ]
    work.answers("cascade", free, by(), "The wanted speed, the difference of speeds, the sum, the torque: in this "
                                        "order.", cases,
                 take=pair)  # fmt: skip
    work.answers("cascade", full, by(), "The torque that is asked for is larger than the limit here.",
                 [(by(limit=1e9), "The limit of the torque is missing."),
                  (by(wind=True), "Where the torque is limited the sum stays: it would wind up."),
                  (lambda *x: by()(*x) * (np.sign(x[0]), 1), "The limit has the sign of the torque.")],
                 take=pair)  # fmt: skip
