"""Checks of exercise 20."""

from math import copysign, cos, sin, sqrt

import numpy as np

from easydyn import Model
from easydyn.course import stage

M, MU0, MU, G = 1.3, 0.55, 0.4, 9.81
H = 2.0


def sign(x):
    return copysign(1, x)


@stage("The force of friction")
def friction(work):
    slides = [(v, push, a) for v, push, a in zip((0.7, -1.3, 2.1), work.draw(3, -3, 3), work.draw(3, 0.1, 0.6))]
    work.answers(
        "friction", slides, lambda v, push, a: -MU * M * G * cos(a) * sign(v),
        "A block that slides is braked by mu times the normal force, whatever else acts along the slope.",
        [(lambda v, push, a: MU * M * G * cos(a) * sign(v), "The sign: friction acts against the velocity."),
         (lambda v, push, a: -MU0 * M * G * cos(a) * sign(v), "The block slides: mu of motion, not that of rest."),
         (lambda v, push, a: -MU * M * G * sign(v), "The normal force is M g cos a, not the weight."),
         (lambda v, push, a: -MU * M * G * sin(a) * sign(v), "The normal force is M g cos a: sine and cosine are "
                                                             "exchanged."),
         (lambda v, push, a: -MU * M * G * cos(a), "That does not depend on where the block goes: up or down."),
         (lambda v, push, a: -MU * M * G * cos(a) * v, "The force does not grow with the speed: it is its sign that "
                                                       "matters."),
         (lambda v, push, a: -MU * G * cos(a) * sign(v), "That is an acceleration: the mass is missing."),
         (lambda v, push, a: -M * G * sin(a) - push, "That holds a block at rest: this one moves.")])
    rests = [(0.0, push, a) for push, a in zip(work.draw(3, -3, 1), work.draw(3, 0.1, 0.35))]
    work.answers(
        "friction", rests, lambda v, push, a: -M * G * sin(a) - push,
        "The block is at rest, and what pulls it is less than friction can hold: the sum of all forces is zero.",
        [(lambda v, push, a: M * G * sin(a) + push, "The sign: friction holds against what pulls."),
         (lambda v, push, a: -MU0 * M * G * cos(a) * sign(M * G * sin(a) + push), "That is the most that friction "
          "can hold: at rest it is as large as needed, not more."),
         (lambda v, push, a: -MU * M * G * cos(a) * sign(M * G * sin(a) + push), "That is the friction of motion: "
          "here the block rests, as mu at rest can hold it."),
         (lambda v, push, a: -M * G * sin(a), "The push is missing in what friction has to hold."),
         (lambda v, push, a: -push, "The weight along the slope is missing in what friction has to hold."),
         (lambda v, push, a: -M * G * cos(a) - push, "The weight along the slope is M g sin a: sine and cosine are "
                                                     "exchanged."),
         (lambda v, push, a: -M * G * sin(a) + push, "The sign of the push: it acts along x, as the weight does."),
         (lambda v, push, a: 0.0, "Without friction this block would slide: what holds it?")])
    near = []  # friction at rest holds what that of motion would not
    for a, part, way in zip(work.draw(3, 0.2, 0.4), work.draw(3, 0.8, 0.95), (1, -1, 1)):
        near.append((0.0, round(way * part * MU0 * M * G * cos(a) - M * G * sin(a), 3), a))
    work.answers("friction", near, lambda v, push, a: -M * G * sin(a) - push,
                 "At rest friction holds up to mu0 times the normal force, in both directions.",
                 [(lambda v, push, a: -MU * M * G * cos(a) * sign(M * G * sin(a) + push),
                   "mu at rest still holds this block: you have compared with mu of motion.")])
    leaves = [(0.0, push, a) for push, a in zip((9.5, -16.5, 13.1), work.draw(3, 0.3, 0.5))]
    work.answers(
        "friction", leaves, lambda v, push, a: -MU * M * G * cos(a) * sign(M * G * sin(a) + push),
        "What pulls is more than friction can hold: the block begins to slide, and friction is that of motion.",
        [(lambda v, push, a: -MU0 * M * G * cos(a) * sign(M * G * sin(a) + push), "It does not hold: once the block "
          "slides, friction is that of motion."),
         (lambda v, push, a: -M * G * sin(a) - push, "Friction cannot hold that much: compare with mu0 M g cos a."),
         (lambda v, push, a: -MU * M * G * cos(a), "The direction: against that in which the block begins to slide."),
         (lambda v, push, a: 0.0, "A velocity of zero has no sign: what is the direction in which the block leaves?"),
         (lambda v, push, a: MU * M * G * cos(a) * sign(M * G * sin(a) + push), "The sign: friction acts against the "
          "direction in which the block begins to slide.")])


@stage("How far up")
def turning(work):
    def both(braking):
        return lambda v, a: (v**2 / (2 * braking(a)), v / braking(a))

    def right(a):
        return G * (sin(a) + MU * cos(a))

    work.answers(
        "turning", [(v, a) for v, a in zip(work.draw(3, 1, 3), work.draw(3, 0.5, 0.9))], both(right),
        "Upwards both brake, the weight along the slope and friction: with that deceleration b the block goes "
        "v²/(2 b), in the time v/b.",
        [(both(lambda a: G * (sin(a) - MU * cos(a))), "That is for a way down: going up, friction and weight both "
                                                      "brake."),
         (both(lambda a: G * sin(a)), "Friction is missing."),
         (both(lambda a: G * MU * cos(a)), "The weight along the slope is missing."),
         (both(lambda a: G * (sin(a) + MU0 * cos(a))), "The block slides: mu of motion, not that of rest."),
         (both(lambda a: G * (cos(a) + MU * sin(a))), "Sine and cosine are exchanged."),
         (both(lambda a: M * G * (sin(a) + MU * cos(a))), "The mass has no place here: that is a force, not an "
                                                          "acceleration."),
         (lambda v, a: both(right)(v, a)[::-1], "The way first, the time then."),
         (lambda v, a: (v**2 / right(a), v / right(a)), "The half is missing in the way: v²/(2 b)."),
         (lambda v, a: (v**2 / 2 / right(a) * sin(a), v / right(a)), "That is how high it goes: the way is along the "
                                                                     "slope.")],
        take=lambda came: work.several(came, 2, "the way, the time"))


@stage("The height of a bounce")
def height(work):
    inputs = [(h, e, n) for h, e, n in zip(work.draw(3, 0.5, 3), work.draw(3, 0.5, 0.9), (2, 3, 5))]
    work.answers(
        "height", inputs, lambda h, e, n: h * e ** (2 * n),
        "At each impact the speed is multiplied by e; and the height goes with the square of the speed.",
        [(lambda h, e, n: h * e**n, "e is a ratio of speeds: the height goes with the square of the speed."),
         (lambda h, e, n: h * e**2, "That is the height after the first impact."),
         (lambda h, e, n: h * e ** (2 * n - 2), "That is one impact too few."),
         (lambda h, e, n: h * e ** (2 * n + 2), "That is one impact too many."),
         (lambda h, e, n: h * n * e**2, "The impacts follow each other: their factors are multiplied."),
         (lambda h, e, n: h * (1 - e ** (2 * n)), "That is the height that is lost."),
         (lambda h, e, n: h * sqrt(e) ** n, "e is a ratio of speeds, not of energies: square it."),
         (lambda h, e, n: sqrt(2 * G * h) * e**n, "That is the speed with which it leaves the ground.")])


@stage("The time of all bounces")
def rest_time(work):
    inputs = [(h, e) for h, e in zip(work.draw(3, 0.5, 3), work.draw(3, 0.5, 0.9))]
    work.answers(
        "rest_time", inputs, lambda h, e: sqrt(2 * h / G) * (1 + e) / (1 - e),
        "It falls once, and then each bounce goes up and down: a geometric series.",
        [(lambda h, e: sqrt(2 * h / G) / (1 - e), "Each bounce goes up *and* down: it takes twice the time of a fall "
                                                  "from its height."),
         (lambda h, e: 2 * sqrt(2 * h / G) / (1 - e), "The first fall is no bounce: it goes down only."),
         (lambda h, e: 2 * e * sqrt(2 * h / G) / (1 - e), "The first fall is missing."),
         (lambda h, e: sqrt(2 * h / G) * (1 + e**2) / (1 - e**2), "The times go with the speed, e, not with the "
                                                                  "height, e²."),
         (lambda h, e: sqrt(h / G) * (1 + e) / (1 - e), "A fall takes the root of 2 h/g."),
         (lambda h, e: sqrt(2 * h / G), "That is the first fall only."),
         (lambda h, e: sqrt(2 * h / G) * (1 + 2 * e), "That is until the second impact: there is no end of them, and "
                                                      "their times have a sum."),
         (lambda h, e: 2 * h / G * (1 + e) / (1 - e), "The root is missing: h is g t²/2.")])


@stage("A ball that bounces")
def ball(work):
    for e, part in zip(work.draw(2, 0.6, 0.85), work.draw(2, 0.2, 0.45)):
        model = work.a(Model, work.call("ball", e), "a Model")
        coordinates = [str(x) for x in model.mechanism.coordinates]
        work.require(coordinates == ["y"], 'One coordinate: made.coordinates("y", initial=2).', came=coordinates,
                     expected="['y']")
        work.require(len(model.bodies) == 1, "One body.", came=len(model.bodies), expected="1")
        system, others = model.compile(target="python"), [1.0] * (len(model.names) - 1)
        mass = float(system.mass_matrix(0, [1.0, *others])[0][0])
        work.compare(mass, 0.5, "The ball has a mass of 0.5 kg, and moves by y.")
        work.called = f"ball({e:g})"
        fall = sqrt(2 * H / G)
        came_with = sqrt(2 * G * H)
        t = round(fall * (1 + 2 * e * part), 4)
        run = work.simulate(model, t, method="dop853", tolerance=1e-9, target="python")
        work.called = f"ball({e:g}).simulate({t:g}), y and y.dot at its end"

        left = t - fall

        def after(speed, left=left):
            return (speed * left - G * left**2 / 2, speed - G * left)

        work.compare(
            (float(run["y"][0]), float(run["y.dot"][0])), (H, 0.0), "It begins at 2 m, at rest.",
            mistakes=[((0.0, 0.0), "The initial height is missing: initial=2.")])
        came = (float(run["y"][-1]), float(run["y.dot"][-1]))
        work.compare(
            came, after(e * came_with), "After the first impact it goes up with e times the speed that it came with.",
            tolerance=1e-5,
            mistakes=[(after(-came_with), "It falls through: the event is missing, or does nothing."),
                      (after(came_with), "It leaves with the speed that it came with: where is e?"),
                      (after(-e * came_with), "The velocity has to change its sign: it goes on downwards."),
                      (after(e**2 * came_with), "e is a ratio of speeds: you have squared it."),
                      (after(0.0), "It leaves the ground without a velocity."),
                      ((H + G * t**2 / 2, G * t), "Gravity points upwards."),
                      ((H, 0.0), "Nothing makes it fall: is there gravity along -y?")])
        flights(work, model, e)


def flights(work, model, e):
    """Several bounces from a start by chance: the exact motion is worked out here, instant by instant."""
    h, up = *work.draw(1, 0.4, 1.4), *work.draw(1, 0.5, 2)
    speed = sqrt(up**2 + 2 * G * h)
    begin, impacts = (up + speed) / G, []
    for _ in range(3):
        speed *= e
        impacts.append((begin, speed))
        begin += 2 * speed / G
    parts = [0.5 * impacts[0][0]] + [start + x * 2 * v / G for (start, v), x in zip(impacts, work.draw(3, 0.3, 0.7))]
    times = [round(x, 4) for x in parts]
    right = [(h + up * times[0] - G * times[0] ** 2 / 2, up - G * times[0])]
    right += [(v * (t - start) - G * (t - start) ** 2 / 2, v - G * (t - start))
              for t, (start, v) in zip(times[1:], impacts)]
    shown = f"ball({e:g}).simulate({times[-1]:g}, initial={{'y': {h:g}, 'y.dot': {up:g}}}, save_at={times})"
    work.called = f"{shown}, y and y.dot"
    run = work.simulate(model, times[-1], initial={"y": h, "y.dot": up}, save_at=times, method="dop853", tolerance=1e-9,
                        target="python")
    came = np.array([run["y"], run["y.dot"]], dtype=float)
    work.compare(came[:, -len(times):].T, right, "From another height, and thrown upwards, it bounces otherwise than "
                 "it should.", tolerance=1e-5)


@stage("The energy that is lost")
def lost(work):
    inputs = [(m, h, e, n) for m, h, e, n in zip(work.draw(3, 0.3, 2), work.draw(3, 0.5, 3), work.draw(3, 0.5, 0.9),
                                                 (1, 3, 4))]
    work.answers(
        "lost", inputs, lambda m, h, e, n: m * G * h * (1 - e ** (2 * n)),
        "It had m g h; after n impacts it rises to the height of part 3.",
        [(lambda m, h, e, n: m * G * h * e ** (2 * n), "That is what the ball still has."),
         (lambda m, h, e, n: m * G * h * (1 - e**n), "e is a ratio of speeds: energy goes with its square."),
         (lambda m, h, e, n: m * G * h * (1 - e) ** (2 * n), "The square of a difference is no difference of squares."),
         (lambda m, h, e, n: G * h * (1 - e ** (2 * n)), "The mass is missing."),
         (lambda m, h, e, n: m * h * (1 - e ** (2 * n)), "g is missing: that is no energy."),
         (lambda m, h, e, n: n * m * G * h * (1 - e**2), "Later impacts are slower: they take less than the first."),
         (lambda m, h, e, n: m * G * h * (1 - e**2), "That is what the first impact takes.")])
