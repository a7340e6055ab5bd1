"""Gaps, slips and laws that bend or jump, in time or in space. References: impulses and free flight by hand."""

import numpy as np
import pytest
import sympy
from chance import seeds
from mistakes import explained

from easydyn import Model, RigidContact, Spring, ground, t, tdisp, trotz
from easydyn.errors import DomainError, ModelError
from easydyn.run.impacts import Impulses

METHODS = ["newmark", "dop853", "lobatto", "generalized_alpha"]
G = 9.81
FINE = 1e-10  # tolerance of runs


def point(gap, *, at=(0, 0), rates=(0, 0), restitution=0, **options):
    """A point of 2 kg above a floor: gap(x, y)."""
    model = Model("point", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=at, rates=rates)
    model.body("point", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    options = {key: value(x, y) if callable(value) else value for key, value in options.items()}
    model.add(RigidContact(gap(x, y), restitution=restitution, name="floor", **options))
    return model


def end(run):
    return np.array([run[name][-1] for name in ("x", "y", "x.dot", "y.dot")])


# -- in time --------------------------------------------------------------------------------------------------------

RAMPS = {
    "Piecewise": sympy.Piecewise((0, t < 1), (t - 1, True)),
    "Max": sympy.Max(0, 3 * t - 3) / 3,
    "Heaviside": (t - 1) * sympy.Heaviside(t - 1),
    "three": sympy.Max(-9, t - 1, (t - 1) / 2) + sympy.Max(0, (1 - t) / 2),
}


@pytest.mark.one_in(48)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ramp", RAMPS)
@pytest.mark.parametrize("e, start", [(0, 0), (0.5, 0.25), (1, 0)])
def test_a_floor_that_starts_to_move_hits_what_rests_on_it(ramp, e, start, method):
    """It begins with 1 m/s, so that y.dot = 1 + e at once."""
    model = point(lambda x, y: y - RAMPS[ramp], restitution=e)
    run = model.simulate(1.05, t_start=start, method=method, tolerance=FINE)
    rate, height = (1 + e, 0.05 * (1 + e) - G / 2 * 0.05**2) if e else (1, 0.05)
    assert run["y"][-1] == pytest.approx(height, abs=1e-8)
    assert run["y.dot"][-1] == pytest.approx(rate - G * 0.05 if e else 1, abs=1e-8)


def test_a_floor_starts_to_move_at_an_instant_that_is_no_number_of_two_digits():
    run = point(lambda x, y: y - sympy.Max(0, t - sympy.Rational(1, 3)), restitution=0.5).simulate(1 / 3 + 0.05)
    assert run["y.dot"][-1] == pytest.approx(1.5 - G * 0.05, abs=1e-8)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_a_driven_table_hits_with_the_restitution_of_the_contact(method):
    model = Model("table", gravity=(0, -G, 0))
    y, = model.coordinates("y")
    ball = model.body("ball", tdisp(0, y, 0), mass=2, inertia=(0, 0, 0))
    table = model.body("table", tdisp(0, RAMPS["Piecewise"], 0), mass=5, inertia=(0, 0, 0))
    model.add(RigidContact(ball.T.e[1] - table.T.e[1], restitution=0.5, name="floor"))
    run = model.simulate(1.05, method=method, tolerance=FINE)
    assert run["y.dot"][-1] == pytest.approx(1.5 - G * 0.05, abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_floor_that_is_taken_away_lets_fall(method):
    """By a step down, or at 20 m/s."""
    for floor in (sympy.Piecewise((0, t < 1), (-5, True)), -20 * sympy.Max(0, t - 1)):
        run = point(lambda x, y, floor=floor: y - floor, restitution=0.3).simulate(1.2, method=method, tolerance=FINE)
        assert end(run)[[1, 3]] == pytest.approx([-G / 2 * 0.04, -G * 0.2], abs=2e-8)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_a_stepper_meets_a_floor_that_starts_to_move(method):
    stepper = point(lambda x, y: y - RAMPS["Piecewise"], restitution=1).stepper(t_end=2, method=method, tolerance=FINE)
    stepper.advance(1.05)
    assert stepper["y.dot"] == pytest.approx(2 - G * 0.05, abs=1e-8)


@pytest.mark.one_in(16)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "belt, rate, duration, wanted",
    [
        (sympy.Piecewise((0, t < 1), (1, True)), 0, 1.1, 0.1 * G / 2),  # friction alone moves it
        (sympy.Heaviside(t - sympy.Rational(1, 3)), 0, 1 / 3 + 0.1, 0.1 * G / 2),
        (sympy.Piecewise((0, t < 0.2), (5, True)), 3, 0.4, 3),  # braked by 0.981 m/s, then pulled as long
        (sympy.Piecewise((0, t < 1), (1, True)), 0, 1.5, 1),  # and is carried along in the end
    ],
)
def test_friction_moves_a_block_on_a_belt_whose_speed_jumps(belt, rate, duration, wanted, method):
    model = point(lambda x, y: y, rates=(rate, 0), friction=0.5, slip=lambda x, y: x.dot - belt)
    assert model.simulate(duration, method=method, tolerance=FINE)["x.dot"][-1] == pytest.approx(wanted, abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_belt_begins_somewhere(method):
    """A block of 2 m/s is braked up to x = 0.5, and pulled by a belt of as much speed from there on."""
    belt = lambda x: sympy.Piecewise((0, x < 0.5), (2, True))  # noqa: E731
    model = point(lambda x, y: y, rates=(2, 0), friction=0.2, slip=lambda x, y: x.dot - belt(x))
    run = model.simulate(0.5, method=method, tolerance=FINE)
    a = 0.2 * G
    slowest = np.sqrt(4 - a)
    assert run["x.dot"][-1] == pytest.approx(slowest + a * (0.5 - (2 - slowest) / a), abs=1e-8)


def test_a_belt_in_the_plane_jumps():
    """Towards (3, 4) with 5 m/s: friction 0.5 pulls in that direction."""
    model = Model("block", gravity=(0, 0, -G))
    x, y, z = model.coordinates("x y z")
    model.body("block", tdisp(x, y, z), mass=2, inertia=(0, 0, 0))
    belt = sympy.Heaviside(t - 0.5)
    slip = x.dot - 3 * belt, y.dot - 4 * belt
    model.add(RigidContact(z, restitution=0, friction=0.5, slip=slip, name="belt"))
    run = model.simulate(0.6)
    assert [run["x.dot"][-1], run["y.dot"][-1]] == pytest.approx([0.6 * G / 20, 0.8 * G / 20], abs=1e-8)


def test_a_floor_that_leaps_up_is_refused_when_it_does_and_what_was_found_is_kept():
    with pytest.raises(DomainError, match=r"gap of RigidContact 'floor' leaps to -0.1 m at t = 1 s: bodies would") as e:
        point(lambda x, y: y - sympy.Heaviside(t - 1) / 10).simulate(2)
    assert e.value.trajectory.t[-1] == 1 and np.abs(e.value.trajectory["y"]).max() < 1e-9


def test_an_action_that_puts_a_body_into_the_floor_is_refused():
    model = point(lambda x, y: y, at=(0, 1))
    model.event(t - 0.1, action=lambda instant: instant.__setitem__("y", -0.2))
    with pytest.raises(DomainError, match=r"leaps to -0.2 m at t = 0.1 s: .*let an action set coordinates") as caught:
        model.simulate(1)
    assert caught.value.trajectory.t[-1] == pytest.approx(0.1, abs=1e-12)


# -- in space -------------------------------------------------------------------------------------------------------

VALLEYS = {
    "Abs": lambda x, y: y - sympy.Abs(x),
    "Max": lambda x, y: y - sympy.Max(x, -x),
    "Min": lambda x, y: sympy.Min(y - x, y + x),
    "Piecewise": lambda x, y: sympy.Piecewise((y + x, x < 0), (y - x, True)),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("valley", VALLEYS)
def test_a_point_comes_to_rest_at_the_bottom_of_a_valley(valley, method):
    run = point(VALLEYS[valley], at=(-1, 1)).simulate(1, method=method, tolerance=FINE)
    assert end(run) == pytest.approx(np.zeros(4), abs=1e-9)
    forces = [run[f"{name}.dot"][-1] for name in ("floor", "floor_2")]
    assert forces == pytest.approx([G, G], rel=1e-6)  # 2 kg on two slopes of 45 degrees
    assert {*run["floor.closed"], *run["floor_2.closed"]} == {0, 1}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_valley_turns_a_point_back(method):
    """The slopes are at right angles: it hits the second one head on, and climbs the first one with half its speed."""
    run = point(VALLEYS["Abs"], at=(-1, 1), restitution=0.5).simulate(0.8, method=method, tolerance=FINE)
    down = (2 * 2 * np.sqrt(2) / (G * np.sqrt(2) / 2 * np.sqrt(2))) ** 0.5
    speed, a = G / np.sqrt(2) * np.sqrt(4 / G), G / np.sqrt(2)
    left = 0.8 - np.sqrt(4 / G)
    assert down > 0 and end(run)[0] == pytest.approx(-(speed / 2 * left - a / 2 * left**2) / np.sqrt(2), abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_ramp_takes_the_part_of_the_velocity_across_it(method):
    model = point(lambda x, y: y - sympy.Piecewise((0, x < 1), (x - 1, True)), rates=(4, 0))
    run = model.simulate(0.5, method=method, tolerance=FINE)
    x, rate = 0.5 - G / 4 / 16, 2 - G / 8  # along the ramp 4 cos(45 deg) at once
    assert end(run) == pytest.approx([1 + x, x, rate, rate], abs=1e-8)
    hit = point(lambda x, y: y - sympy.Max(0, x - 1), rates=(4, 0), restitution=0.5).simulate(0.3, method=method)
    assert end(hit)[2:] == pytest.approx([1, 3 - G * 0.05], abs=1e-7)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_ridge_lets_fly(method):
    """Up a slope of 45 degrees with 4 m/s in x and y, over the ridge and away."""
    model = point(lambda x, y: y + sympy.Abs(x), at=(-0.5, -0.5), rates=(4, 4))
    run = model.simulate(0.5, method=method, tolerance=FINE)
    a = G / 2
    first = (4 - np.sqrt(16 - a)) / a
    rate, left = 4 - a * first, 0.5 - first
    flight = [rate * left, rate * left - G / 2 * left**2, rate, rate - G * left]
    assert end(run) == pytest.approx(flight, abs=1e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("edge", [
    lambda x, y: sympy.Max(y, x - 0.5),
    lambda x, y: sympy.Piecewise((y, x < 0.5), (y + 1, True)),
])  # fmt: skip
def test_a_point_falls_off_the_edge_of_a_table(edge, method):
    run = point(edge, rates=(1, 0)).simulate(0.7, method=method, tolerance=FINE)
    assert end(run) == pytest.approx([0.7, -G / 2 * 0.04, 1, -G * 0.2], abs=2e-8)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_step_up_is_refused_where_a_point_comes_to_it(method):
    floor = point(lambda x, y: y - sympy.Piecewise((0, x < 1), (0.3, True)), rates=(2, 0))
    with pytest.raises(DomainError, match=r"leaps to -0.3 m at t = 0.5 s: .*contact of its own for the wall") as caught:
        floor.simulate(1, method=method, tolerance=FINE)
    assert caught.value.trajectory["x"][-1] == pytest.approx(1, abs=1e-9)


def block(together):
    """A block of 0.2 m by 1 m on two corners, leaning: as two contacts, or as the lower of two corners."""
    model = Model("block", gravity=(0, -G, 0))
    x, y, a = model.coordinates("x y a", initial=(0, 0.5 * np.cos(0.1) + 0.1 * np.sin(0.1), 0.1))
    body = model.body("block", tdisp(x, y, 0) * trotz(a), mass=2, inertia=(0, 0, 0.2))
    corners = [(body.T * tdisp(side, -0.5, 0)).e[1] for side in (-0.1, 0.1)]
    contacts = [RigidContact(sympy.Min(*corners), restitution=0, name="c")] if together else [
        RigidContact(corner, restitution=0, name=name) for corner, name in zip(corners, "cd", strict=True)
    ]  # fmt: skip
    model.add(*contacts)
    return model


@pytest.mark.one_in(4)
@pytest.mark.parametrize("method", METHODS)
def test_the_lower_of_two_corners_is_two_contacts(method):
    one, two = (block(together).simulate(1.2, method=method, tolerance=FINE) for together in (True, False))
    assert len(two.events) > 2
    assert np.abs(one.q[-1, :3] - two.q[-1, :3]).max() < 1e-9
    assert np.abs(one.qd[-1, :3] - two.qd[-1, :3]).max() < 1e-8


@pytest.mark.parametrize("method", ["dop853", "lobatto"])
def test_a_rounding_error_does_not_grow_with_the_impacts_of_a_block(method):
    """Whether rounding leaves the corner that strikes above zero or below it, the other one stays where it is."""
    ends = []
    for lean in (0.1, 0.1 + 1e-15, 0.1 + 3e-15):
        start = {"a": lean, "y": 0.5 * np.cos(lean) + 0.1 * np.sin(lean)}
        run = block(False).simulate(1.2, method=method, tolerance=1e-11, initial=start)
        ends.append(run.qd[-1, :3])
    assert np.ptp(ends, axis=0).max() < 1e-9


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_pin_starts_in_the_middle_of_its_hole(method):
    """R - sqrt(x^2 + y^2) has no derivative there; it is 1 m from the wall."""
    run = point(lambda x, y: 1 - sympy.sqrt(x**2 + y**2)).simulate(1, method=method, tolerance=FINE)
    assert end(run) == pytest.approx([0, -1, 0, 0], abs=1e-9)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("equation", [lambda s, x: s - x**2, lambda s, x: s + s**3 - x**2 - x**6])
def test_a_gap_with_an_unknown_is_the_same_gap_written_out(equation, method):
    """A bead in a parabola, whose height is an unknown of an equation: linear in it, or not."""
    model = Model("bead", gravity=(0, -G, 0))
    x, y = model.coordinates("x y", initial=(0.5, 0.25))
    s, = model.unknowns("s")
    model.body("bead", tdisp(x, y, 0), mass=2, inertia=(0, 0, 0))
    model.equation(equation(s, x))
    model.add(RigidContact(y - s, restitution=0, name="floor"))
    run = model.simulate(1, method=method, tolerance=FINE)
    plain = point(lambda x, y: y - x**2, at=(0.5, 0.25)).simulate(1, method="dop853", tolerance=1e-12)
    assert [run["x"][-1], run["y"][-1]] == pytest.approx(end(plain)[:2], abs=1e-8)
    assert run["x"][-1] == pytest.approx(-0.4529, abs=1e-4)


# -- by chance ------------------------------------------------------------------------------------------------------


class Polygon:
    """A floor of straight pieces, and the motion of a point on it, event by event, by parabolas."""

    def __init__(self, xs, ys, e):
        self.xs, self.ys, self.e, self.slopes = xs, ys, e, np.diff(ys) / np.diff(xs)
        self.ends = [-np.inf, *xs[1:-1], np.inf]

    def formula(self, x, kind):
        lines = [y + m * (x - at) for at, y, m in zip(self.xs[:-1], self.ys[:-1], self.slopes, strict=True)]
        if kind == "Piecewise":
            conditions = [*(x < at for at in self.xs[1:-1]), True]
            return sympy.Piecewise(*zip(lines, conditions, strict=True))
        turns = zip(self.xs[1:-1], np.diff(self.slopes), strict=True)
        if kind == "Abs":
            return lines[0] + sum(turn * (sympy.Abs(x - at) + x - at) / 2 for at, turn in turns)
        return lines[0] + sum(turn * sympy.Max(0, x - at) for at, turn in turns)

    def normal(self, i):
        return np.array([-self.slopes[i], 1]) / np.hypot(self.slopes[i], 1)

    def motion(self, p, v, duration, on):
        """Place and velocity in the end, of a point that begins on piece `on`, or in flight (None)."""
        left = duration
        while left > 0:
            if on is None:
                p, v, left, on = self._flown(p, v, left)
                continue
            along = np.array([1, self.slopes[on]]) / np.hypot(self.slopes[on], 1)
            u, a, first, side = v @ along, -G * along[1], left, 0
            for k, x in ((-1, self.ends[on]), (1, self.ends[on + 1])):
                for time in np.roots([a / 2, u, -(x - p[0]) / along[0]]) if np.isfinite(x) else ():
                    if np.isreal(time) and 1e-11 < time.real < first and (u + a * time.real) * k > 0:
                        first, side = time.real, k
            p, v, left = p + along * (u * first + a / 2 * first**2), along * (u + a * first), left - first
            if side and (self.slopes[on + side] - self.slopes[on]) * side < 0:
                on = None  # over a ridge
            elif side:
                v, on = self._turned(v, on, on + side)
                if np.abs(v).max() < 1e-6:
                    return p, 0 * v
        return p, v

    def _flown(self, p, v, left):
        first, hit = left, None
        for i, m in enumerate(self.slopes):
            height = p[1] - self.ys[i] - m * (p[0] - self.xs[i])
            for time in np.roots([-G / 2, v[1] - m * v[0], height]):
                falls = np.isreal(time) and 1e-9 < time.real < first and v[1] - m * v[0] - G * time.real < 0
                if falls and self.ends[i] <= p[0] + v[0] * time.real <= self.ends[i + 1]:
                    first, hit = time.real, i
        p, v = p + v * first - [0, G / 2 * first**2], v - [0, G * first]
        if hit is None:
            return p, v, 0, None
        n = self.normal(hit)
        v = v - (1 + self.e) * (v @ n) * n
        rests = 2 * (v @ n) / (G * n[1]) < 1e-6
        return p, v - (v @ n) * n if rests else v, left - first, hit if rests else None

    def _turned(self, v, on, to):
        """The velocity after a valley, and the piece on which the point goes on."""
        n = np.array([self.normal(on), self.normal(to)])
        new = v - (1 + self.e) * (v @ n[1]) * n[1]
        held = new @ n[0] < 1e-12  # the piece on which it came pushes, too
        if held:
            new = np.linalg.solve(n, [0, -self.e * (v @ n[1])])
        if 2 * (new @ n[1]) / (G * n[1][1]) < 1e-6:
            return new, to
        return new, on if held else None


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", seeds("broken_floors"))
def test_a_point_on_a_floor_of_straight_pieces_moves_as_by_parabolas(seed):
    """Impacts, valleys, ridges and flights, with any restitution and by any method."""
    rng = np.random.default_rng(seed)
    pieces = int(rng.integers(2, 5))
    floor = Polygon(np.cumsum(rng.uniform(0.3, 1, pieces + 1)) - 1.2, rng.uniform(-0.4, 0.4, pieces + 1),
                    rng.choice([0, 0.3, 0.7, 1]))  # fmt: skip
    on = int(rng.integers(pieces)) if rng.random() < 0.5 else None
    x0 = rng.uniform(*floor.xs[on : on + 2]) if on is not None else rng.uniform(floor.xs[0], floor.xs[-1])
    u, duration = rng.uniform(-2, 2), rng.uniform(0.5, 1.5)
    p, v = np.array([x0, np.interp(x0, floor.xs, floor.ys)]), np.array([u, 0.5])
    p, v = (p + [0, rng.uniform(0.05, 0.5)], v) if on is None else (p, u * np.array([1, floor.slopes[on]]))
    wanted, beside = (np.concatenate(floor.motion(p + [0, shift], v, duration, on)) for shift in (0, 1e-9))
    if on is None and np.abs(wanted - beside).max() > 1e-6:
        pytest.skip("it meets a corner")
    kind, method = str(rng.choice(["Piecewise", "Abs", "Max"])), str(rng.choice(METHODS))
    model = point(lambda x, y: y - floor.formula(x, kind), at=p + [0, 1e-15], rates=v, restitution=float(floor.e))
    run = model.simulate(duration, method=method, tolerance=1e-9)
    # without loss each hop adds what the tolerance leaves: 2e-8 a hop by generalised alpha
    assert end(run) == pytest.approx(wanted, abs=1e-7 * max(10, len(run.events))) and run.status == "finished"


# -- constraints ----------------------------------------------------------------------------------------------------


def geared(law):
    """A body of 1 kg, and one of 3 kg whose place follows from that of the first."""
    model = Model("geared")
    a, w = model.coordinates("a w")
    model.body("A", tdisp(a, 0, 0), mass=1, inertia=(0, 0, 0))
    model.body("B", tdisp(0, w, 0), mass=3, inertia=(0, 0, 0))
    model.dependent(w, law(a))
    return model


def two_ratios(a):
    return sympy.Piecewise((a / 2, a < 1), (2 * a - sympy.Rational(3, 2), True))


@pytest.mark.one_in(16)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("constraints", ["reduced", "multipliers"])
@pytest.mark.parametrize("start, rate, slopes", [(0, 1, (0.5, 2)), (2, -1, (2, 0.5))])
def test_a_gear_that_changes_its_ratio_gives_an_impulse(start, rate, slopes, constraints, method):
    """The momentum along the new slope is kept: (1 + 3 s0 s1)/(1 + 3 s1^2) of the rate, after 1 s."""
    model = geared(two_ratios)
    initial = {"a": start, "a.dot": rate}
    run = model.simulate(1.5, initial=initial, method=method, constraints=constraints, tolerance=FINE)
    old, new = slopes
    after = rate * (1 + 3 * old * new) / (1 + 3 * new**2)
    assert run["a.dot"][-1] == pytest.approx(after, abs=1e-9) and run.status == "finished"
    assert run["w.dot"][-1] == pytest.approx(new * after, abs=1e-9)
    assert run["a"][-1] == pytest.approx(1 + after / 2, abs=1e-9)


@pytest.mark.parametrize("rate", [0.1, -0.1, 0.01, 10.0])
def test_a_ratio_changes_slowly_and_fast(rate):
    """However long it takes from one side of the corner to the other, the slope behind it is that of the impulse."""
    old, new = (0.5, 2) if rate > 0 else (2, 0.5)
    run = geared(two_ratios).simulate(1.5, initial={"a": 1 - rate, "a.dot": rate}, method="dop853", tolerance=FINE)
    after = rate * (1 + 3 * old * new) / (1 + 3 * new**2)
    assert run["a.dot"][-1] == pytest.approx(after, abs=1e-9)
    assert run["w.dot"][-1] == pytest.approx(new * after, abs=1e-9)


@pytest.mark.parametrize("constraints", ["reduced", "multipliers"])
def test_what_follows_by_another_constraint_takes_its_part_of_the_impulse(constraints):
    """A third body, of 0.5 kg, goes three times as fast as the first one: 4.5 kg more there."""
    model = geared(two_ratios)
    (z,) = model.coordinates("z")
    model.body("C", tdisp(0, 0, z), mass=0.5, inertia=(0, 0, 0))
    model.dependent(z, 3 * model.mechanism.coordinates[0])
    run = model.simulate(1.5, initial={"a.dot": 1}, method="dop853", tolerance=FINE, constraints=constraints)
    after = (5.5 + 3 * 0.5 * 2) / (5.5 + 3 * 2**2)
    found = [run[name][-1] for name in ("a.dot", "w.dot", "z.dot")]
    assert found == pytest.approx([after, 2 * after, 3 * after], abs=1e-9)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("constraints", ["reduced", "multipliers"])
def test_a_step_of_a_constraint_is_refused(constraints):
    model = geared(lambda a: sympy.Piecewise((a / 2, a < 1), (2 * a, True)))
    with pytest.raises(ModelError, match=r"constraint 'w' of model 'geared' has a step where a - 1 is 0: bodies do"):
        model.simulate(0.1, constraints=constraints)
    with pytest.raises(DomainError, match=r"constraint 'w' leaps at t = 1 s: bodies do not\. .*ramp") as caught:
        geared(lambda a: a + sympy.Heaviside(t - 1)).simulate(2, constraints=constraints)
    assert caught.value.trajectory.t[-1] == 1


# -- what is said ---------------------------------------------------------------------------------------------------


@pytest.mark.one_in(2)
@pytest.mark.parametrize("method", METHODS)
def test_a_flag_of_a_contact_is_0_or_1(method):
    run = point(lambda x, y: y, at=(0, 0.3)).simulate(1, method=method, tolerance=FINE)
    assert {*run["floor.closed"]} == {0, 1} and run["floor.closed"][-1] == 1
    assert run["floor.dot"][-1] == pytest.approx(2 * G, rel=1e-9)


def test_a_gap_that_is_brought_back_takes_no_other_below_zero():
    """A seesaw whose near end is 1.8e-6 m too deep; the far one, at ten times the arm, is 5e-6 m above its floor."""
    model = Model("seesaw", gravity=(0, -2 * G, 0))
    y, q = model.coordinates("y q", initial=(1, 0))
    model.body("beam", tdisp(0, y, 0) * trotz(q), mass=1, inertia=(0, 0, 1))
    for x, name in ((1, "near"), (-10, "far")):
        model.add(RigidContact(y + x * sympy.sin(q), restitution=0, name=name))
    stepper, tilt = model.stepper(target="python"), -6.8e-6 / 11
    stepper.q = [-1.8e-6 - tilt, tilt, 0, 0]
    measured = Impulses(model.compile("python"), {}).part(stepper, 0)
    assert np.abs(measured.gap).max() < 1e-15


def stepping():
    """A body on a table that leaps."""
    model = Model("stepping")
    x, = model.coordinates("x")
    model.body("b", tdisp(x, sympy.Heaviside(t - 1), 0), mass=1, inertia=(0, 0, 0))
    return model


@pytest.mark.parametrize("method", METHODS)
def test_the_first_saved_instant_may_be_at_a_jump(method):
    """Energy and work there are both those before it, unless the run begins there."""
    model = Model("spring")
    x, = model.coordinates("x", initial=0.3)
    body = model.body("body", tdisp(x, 0, 0), mass=2, inertia=(0, 0, 0))
    model.add(Spring(body, (ground, (-1, 0, 0)), stiffness=10, free_length=1 + sympy.Heaviside(t - 1) / 2))
    for start, energy in ((0, 0.45), (1, 0.2)):
        run = model.simulate(1.5, t_start=start, method=method, save_at=[1.0, 1.2, 1.5], tolerance=FINE)
        assert run.energy.balance == pytest.approx([energy] * 3, abs=1e-8)


test_mistake_is_explained = explained(__file__)
