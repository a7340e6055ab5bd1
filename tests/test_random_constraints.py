"""Points under two and three random constraints: reduced, by multipliers, and by hand.

By hand means: r(q) of every point, J and its rate in SymPy alone, M qdd + h = J' lambda and J qdd = -gamma solved by
NumPy, and SciPy's DOP853 with a projection at the end. Nothing of the toolkit stands in it but the symbol of time.
"""

from itertools import count

import numpy as np
import pytest
import sympy as sp
from chance import seeds
from scipy.integrate import DOP853, solve_ivp

from easydyn import Model, RigidContact, Spring, ground, t, tdisp, trotz

END = 1.0
STIFFNESS = 5
WAYS = ("reduced", "multipliers")
WORST = 300.0  # condition of the equations along the motion: beyond it rounding, not mechanics, would be compared
MOST = 6000  # evaluations by hand: a case that needs more is left out


class Points:
    """A random case: names, symbols, places of points, masses, constraints, a start that fits them."""

    def __init__(self, seed):
        rng = self.rng = np.random.default_rng(seed)
        for _ in count():
            self.space = bool(rng.integers(2))
            points = 1 if self.space else int(rng.integers(1, 3))
            own = (3 if self.space else 2) * points
            beside = int(rng.integers(1, 3))  # coordinates of constraints that stand in a place as well, or in none
            self.n, self.m = own + beside, int(rng.integers(2, min(4, own + beside)))
            self.names = [f"q{k}" for k in range(self.n)]
            self.q = sp.symbols(self.names, real=True)
            self.qd = sp.symbols([f"{name}d" for name in self.names], real=True)
            self.masses = rng.uniform(0.5, 2, points).round(2).tolist()
            self.places = self._places(points, own)
            self.end = self._end(own)
            self.start = rng.uniform(-0.6, 0.6, self.n).round(3)
            self.constraints = [self._constraint() for _ in range(self.m)]
            self._by_hand()
            if self._fits():
                return

    def _number(self, low, high):
        return sp.Float(round(float(self.rng.uniform(low, high)) * float(self.rng.choice([-1, 1])), 3))

    def _term(self, symbols):
        """A smooth function of one or two symbols."""
        a, b = self.rng.choice(len(symbols), 2)
        x, y = symbols[a], symbols[b]
        return self._number(0.2, 0.9) * [x * y, x**2, x**3 / 3, sp.sin(x + y), sp.cos(2 * x), x][self.rng.integers(6)]

    def _places(self, points, own):
        """Coordinates of the points: their own, and some of the others mixed in."""
        size, extra, found = own // points, list(self.q[own:]), []
        for k in range(points):
            r = list(self.q[size * k : size * (k + 1)])
            for x in extra[int(self.rng.integers(2)) :]:  # one of them may stand in constraints alone
                r[self.rng.integers(size)] += sp.Rational(1, 2) * (x + self._term([x, *self.q]))
            found.append([*r, 0][:3])
        return found

    def _end(self, own):
        """The end of a spring to the first point, which coordinates move; or None."""
        if self.rng.random() < 0.6:
            return None
        x = self.q[-1]
        return [2 + self._number(0.2, 0.9) * x, self._number(0.2, 0.5) * x**2 - 1, 0]

    def _constraint(self):
        """(expression, of rates): explicit in a coordinate, implicit, or of rates; some depend on time."""
        kind = self.rng.integers(5)
        some = [self.q[k] for k in self.rng.permutation(self.n)[: self.rng.integers(2, self.n + 1)]]
        timed = self._number(0.1, 0.3) * sp.sin(self._number(1, 3) * t) if self.rng.random() < 0.3 else 0
        if kind == 4:  # rates, with varying coefficients
            at = dict(zip(self.q, self.qd, strict=True))
            return sum((self._number(0.4, 1) + self._term(some)) * at[x] for x in some) + timed, True
        if kind < 2:  # a coordinate by others
            e = some[0] - sum(self._term(some[1:]) for _ in range(2)) + timed
        else:
            e = some[0] + sum(self._term(some) for _ in range(3)) + timed
        there = e.subs(dict(zip(self.q, self.start, strict=True))).subs(t, 0)
        return e - sp.Float(float(there), 17), False

    # -- by hand -----------------------------------------------------------------------------------------------------

    def _by_hand(self):
        q, qd = sp.Matrix(self.q), sp.Matrix(self.qd)

        def rate(expression):
            e = sp.Matrix([expression])
            return (e.jacobian(q) * qd + e.diff(t))[0]

        r = sp.Matrix([x for place in self.places for x in place])
        m = sp.diag(*(x for x in self.masses for _ in range(3)))
        A = r.jacobian(q)
        a = sp.Matrix([rate(x) for x in A * qd])
        weight = sp.Matrix([x for mass in self.masses for x in (0, -9.81 * mass, 0)])
        rows = [e if of_rates else rate(e) for e, of_rates in self.constraints]
        J = sp.Matrix(rows).jacobian(qd)
        gamma = sp.Matrix([rate(e) for e in rows])
        places = sp.Matrix([0 if of_rates else e for e, of_rates in self.constraints])
        v = A * qd
        line = r[:3, :] - sp.Matrix(self.end or [0, 0, 0])
        stretch = 0 if self.end is None else line.norm() - 1
        potential = STIFFNESS / 2 * stretch**2 - (weight.T * r)[0]
        energy = (v.T * m * v)[0] / 2 + potential
        force = -A.T * m * a - sp.Matrix([potential]).jacobian(q).T
        outputs = (A.T * m * A, force, J, gamma, sp.Matrix(rows), places, sp.Matrix([energy]))
        whole = sp.lambdify([t, list(self.q), list(self.qd)], outputs, "numpy", cse=True)
        self.numbers = lambda time, x: [np.array(y, dtype=float) for y in whole(time, x[: self.n], x[self.n :])]

    def _fits(self):
        """True if a start was found that fits, and the equations stay regular along the motion."""
        q = self.start
        rates = self.rng.uniform(-1, 1, self.n).round(2)
        M, f, J, gamma, rows, _, _ = self.numbers(0.0, np.concatenate([q, rates]))
        if np.linalg.matrix_rank(J, tol=0.1) < self.m:
            return False
        rates = rates - np.linalg.pinv(J) @ rows.ravel()
        self.x = np.concatenate([q, rates])
        if self.wild(0.0, self.x):
            return False
        solver = DOP853(self.slope, 0.0, self.x, END, rtol=1e-12, atol=1e-13, max_step=0.05)
        while solver.status == "running":
            solver.step()
            if solver.nfev > MOST or self.wild(solver.t, solver.y):
                return False
        if solver.status != "finished":
            return False
        self.there = self.projected(solver.y)
        self.energy = self.numbers(END, self.there)[6].item()
        return True

    def system(self, time, x):
        M, f, J, gamma, *_ = self.numbers(time, x)
        return np.block([[M, -J.T], [J, np.zeros((self.m, self.m))]]), np.concatenate([f.ravel(), -gamma.ravel()])

    def slope(self, time, x):
        K, right = self.system(time, x)
        return np.concatenate([x[self.n :], np.linalg.solve(K, right)[: self.n]])

    def wild(self, time, x):
        """True where the equations are nearly singular, or the points far away."""
        J = self.numbers(time, x)[2]
        places, rates = np.abs(x[: self.n]).max(), np.abs(x[self.n :]).max()
        return max(np.linalg.cond(self.system(time, x)[0]), 20 * np.linalg.cond(J), 50 * places, 15 * rates) > WORST

    def projected(self, x):
        for _ in range(3):
            _, _, J, _, _, places, _ = self.numbers(END, x)
            kept = np.array([not of_rates for _, of_rates in self.constraints])
            x = x.copy()
            x[: self.n] -= np.linalg.pinv(J[kept]) @ places.ravel()[kept]
        _, _, J, _, rows, _, _ = self.numbers(END, x)
        x[self.n :] -= np.linalg.pinv(J) @ rows.ravel()
        return x

    # -- by the toolkit ---------------------------------------------------------------------------------------------

    def model(self):
        model = Model("points", gravity=(0, -9.81, 0))
        q = model.coordinates(" ".join(self.names), initial=tuple(self.x[: self.n]), rates=tuple(self.x[self.n :]))
        images = dict(zip(self.q, q, strict=True)) | {a: b.dot for a, b in zip(self.qd, q, strict=True)}
        for k, (place, mass) in enumerate(zip(self.places, self.masses, strict=True)):
            r = [sp.sympify(x).xreplace(images) for x in place]
            model.body(f"point {k}", tdisp(*r), mass=float(mass), inertia=(0, 0, 0))
        if self.end is not None:
            end = tuple(sp.sympify(x).xreplace(images) for x in self.end)
            model.add(Spring(model.bodies[0], (ground, end), stiffness=STIFFNESS, free_length=1))
        for k, (e, _) in enumerate(self.constraints):
            model.constraint(e.xreplace(images), name=f"c{k}")
        return model


@pytest.mark.parametrize("seed", seeds("constrained_points"))
def test_reduced_multipliers_and_the_projection_by_hand_come_to_the_same_end(seed):
    case = Points(seed)
    model, ends = case.model(), {}
    for way in WAYS:
        run = model.simulate(END, constraints=way, method="dop853", tolerance=1e-10)
        assert run.status == "finished" and not run.message.count("assembled"), run.message
        ends[way] = np.concatenate([run.q[-1], run.qd[-1]])
        assert abs(run.energy.total[-1] - case.energy) < 1e-7 * max(1, abs(case.energy)), way
        assert ends[way] == pytest.approx(case.there, rel=1e-7, abs=1e-7), way


# -- constraints of what follows from others ------------------------------------------------------------------------


def along_a_curve(place, s, start, rate, end):
    """s at the end, of a point of 1 kg that slides on place(s), by its one equation in SymPy and SciPy."""
    x = sp.Symbol("x", real=True)
    r = sp.Matrix([e.xreplace({s: x}) for e in map(sp.sympify, place)])
    first, second = r.diff(x), r.diff(x, 2)
    a = -(first.dot(second) * sp.Symbol("v") ** 2 + 9.81 * first[1]) / first.dot(first)
    slope = sp.lambdify([x, sp.Symbol("v")], a)
    found = solve_ivp(lambda _, y: (y[1], slope(*y)), (0, end), (start, rate), "DOP853", rtol=1e-12, atol=1e-13)
    return found.y[0, -1]


def test_a_constraint_with_a_coordinate_and_its_follower_acts_once():
    model = Model("m", gravity=(0, -9.81, 0))
    x, s, u = model.coordinates("x s u", initial=(0.5, 0.3, 0.1), rates=(0.5, 0, 0))
    model.body("a", tdisp(x, u, s), mass=1, inertia=(0, 0, 0))
    model.constraint(u - s**2)  # u follows from s, and both stand in the next one
    model.constraint(s + s**3 - x + u)
    run = model.simulate(0.5, method="dop853", tolerance=1e-10)
    hand = along_a_curve((s + s**3 + s**2, s**2, s), s, run["s"][0], run["s.dot"][0], 0.5)
    assert run["s"][-1] == pytest.approx(hand, abs=1e-9)
    assert np.ptp(run.energy.balance) < 1e-8


def four_bar():
    model = Model("four-bar", gravity=(0, -9.81, 0))
    a, b, c, w = model.coordinates("a b c w", initial=(1.2, -0.9, 1.5, 0), rates=(2, 0, 0, 0))
    model.body("crank", trotz(a) * tdisp(0.15, 0, 0), mass=1, inertia=(0, 0, 0.01))
    rod = model.body("rod", trotz(a) * tdisp(0.3, 0, 0) * trotz(b) * tdisp(0.4, 0, 0), mass=2, inertia=(0, 0, 0.1))
    rocker = model.body("rocker", tdisp(0.9, 0, 0) * trotz(c) * tdisp(0.3, 0, 0), mass=1.5, inertia=(0, 0, 0.05))
    model.close((rod, (0.4, 0, 0)), (rocker, (0.3, 0, 0)), joint="revolute", name="pin")
    model.body("wheel", tdisp(0, 0, 1) * trotz(w), mass=0, inertia=(0, 0, 0.3))
    return model, (a, b, c, w)


@pytest.mark.parametrize("kind", ["rates", "places"])
def test_constraints_on_followers_of_a_loop_are_the_same_reduced_and_by_multipliers(kind):
    model, (a, b, c, w) = four_bar()
    if kind == "rates":
        model.constraint(w.dot - (1 + sp.sin(c)) * c.dot - b * a.dot)
    else:
        model.constraint(w + w**3 / 3 - sp.sin(c) * b - a)
    one, other = (model.simulate(0.5, method="dop853", tolerance=1e-10, constraints=x) for x in WAYS)
    assert one["w"][-1] == pytest.approx(other["w"][-1], abs=1e-10)
    assert np.ptp(one.energy.balance) < 1e-8


@pytest.mark.parametrize("seed", range(3))
def test_equations_that_say_nothing_new_change_nothing(seed):
    """They follow from the equations of the pin, but are independent of these where the loop is open."""
    rng = np.random.default_rng(seed)
    model, (a, b, c, _) = four_bar()
    x = 0.3 * sp.cos(a) + 0.8 * sp.cos(a + b) - 0.9 - 0.6 * sp.cos(c)
    y = 0.3 * sp.sin(a) + 0.8 * sp.sin(a + b) - 0.6 * sp.sin(c)
    plain, ways = model.assemble(), model.assemblies()
    model, (a, b, c, _) = four_bar()
    model.constraint(x * sp.Float(rng.uniform(0.5, 1)) + y * (2 + sp.sin(c) * sp.Float(rng.uniform(-1, 1))) - x * y)
    again = model.assemble()
    assert again["a"] == 1.2 and again == pytest.approx(plain, abs=1e-10)
    assert model.assemble({"b": -0.85})["b"] == -0.85
    assert len(ways) == 2 and len(model.assemblies()) == 2
    assert model.mobility().degrees_of_freedom == 2
    one, other = (model.simulate(0.2, method="dop853", tolerance=1e-10, constraints=way) for way in WAYS)
    assert one["a"][-1] == pytest.approx(other["a"][-1], abs=1e-9)


def test_a_contact_point_on_a_curve_is_a_coordinate_without_a_body():
    """A bead on a parabola whose parameter s is a coordinate; and a spring to a slider that follows the bead."""
    model = Model("wire", gravity=(0, -9.81, 0))
    x, y, s = model.coordinates("x y s", initial=(0.5, 0.25, 0.5))
    model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.constraint(x - s)
    model.constraint(y - s**2)
    hand = along_a_curve((x, x**2), x, 0.5, 0.0, 0.4)
    for way in WAYS:
        run = model.simulate(0.4, method="dop853", tolerance=1e-10, constraints=way)
        assert run["s"][-1] == pytest.approx(hand, abs=1e-9)


@pytest.mark.parametrize("way", WAYS)
def test_the_end_of_a_spring_pushes_the_coordinates_that_move_it(way):
    model = Model("slider", gravity=(0, -9.81, 0))
    x, y, s = model.coordinates("x y s", initial=(0.5, 0.25, 0.3125))
    bead = model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(Spring(bead, (ground, (s, s**2, 0)), stiffness=30, free_length=0.1))
    model.constraint(s - x / 2 - y**2)
    run = model.simulate(0.5, method="dop853", tolerance=1e-10, constraints=way)
    assert np.ptp(run.energy.total) < 1e-7
    assert np.abs(run.energy.work).max() < 1e-7


def test_a_gap_to_an_unknown_acts_along_all_that_it_depends_on():
    model = Model("bead", gravity=(0, -9.81, 0))
    x, y = model.coordinates("x y", initial=(0.5, 0.25))
    model.body("bead", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    (s,) = model.unknowns("s", initial=0.25)
    model.equation(s - x**2)
    model.add(RigidContact(y - s, restitution=0, name="wire"))
    run = model.simulate(0.4, method="dop853", tolerance=1e-9)
    assert run["x"][-1] == pytest.approx(along_a_curve((x, x**2), x, 0.5, 0.0, 0.4), abs=1e-7)
