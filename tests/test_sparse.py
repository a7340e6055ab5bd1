"""Iteration matrices that are mostly zero: their plan, their factors beside NumPy's, runs beside those of full ones."""

from itertools import pairwise

import numpy as np
import pytest
import sympy
from scipy.sparse.csgraph import connected_components

from easydyn import GeneralizedForce, Model, tdisp
from easydyn.flexible import Material, Section
from easydyn.native.machine import available
from easydyn.run import simulation
from easydyn.sim import iteration
from easydyn.sim.blank import new_record
from easydyn.sim.functions import Evaluation, Functions
from easydyn.sim.linear import inverse
from easydyn.sim.methods import newmark
from easydyn.sim.run import Run
from easydyn.sim.sparse import Groups, arrange, plan, sparse_factorize, sparse_solve


def held_chain(n, held, rng):
    """A matrix of a chain, with multipliers, whose diagonal entries are zero, at some places."""
    A = np.zeros((n + len(held), n + len(held)))
    for i in range(n):
        for j in range(max(0, i - 3), min(n, i + 4)):
            A[i, j] = rng.normal()
        A[i, i] += 8
    for k, i in enumerate(held):
        A[n + k, i] = A[i, n + k] = 1
    return A


def record_of(found, A, n):
    r = Run()
    rows = np.array(found.entry_row)
    columns = np.repeat(np.arange(n), np.diff(found.column_start))
    r.n, r.level, r.room, r.fill, r.entries = n, 1, found.room, len(found.fill_at), len(rows)
    r.allocate(dict.fromkeys(("row_scales", "column_scales"), 2 * n) | {"ordered": n, "factors": 2 * found.room})
    r.matrix = list(A[rows, columns])
    for name, values in found.arrays().items():
        setattr(r, name, values)
    return r


def test_factors_solve_what_numpy_solves(rng):
    A = held_chain(60, (0, 30, 31, 59), rng)
    n = len(A)
    found = plan([list(np.flatnonzero(column)) for column in A.T])
    A *= 10.0 ** rng.integers(-3, 4, (n, 1)) * 10.0 ** rng.integers(-3, 4, n)
    r = record_of(found, A, n)
    for stale in (r.row_scales, r.column_scales, r.factors):  # of another matrix, and of another level
        stale[:] = [7.0] * len(stale)
    assert sparse_factorize(r)
    rows, columns, others = (np.array(x).reshape(2, -1) for x in (r.row_scales, r.column_scales, r.factors))
    np.testing.assert_allclose(np.abs(A * rows[1][:, None]).max(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(np.abs(A * rows[1][:, None] * columns[1]).max(axis=0), 1, rtol=1e-14)
    assert (rows[0] == 7).all() and (columns[0] == 7).all() and (others[0] == 7).all()
    f, x = rng.normal(size=n) * np.abs(A).max(axis=1), [0.0] * n
    sparse_solve(r, f, x)
    np.testing.assert_allclose(x, np.linalg.solve(A, f), rtol=1e-8)
    for row in (A[1], 0 * A[1]):
        singular = A.copy()
        singular[2] = row
        assert not sparse_factorize(record_of(found, singular, n))
    assert len(found.colour_start) - 1 <= 10 and found.room < 12 * n
    r.matrix[3] = np.nan
    assert not sparse_factorize(r)


@pytest.mark.parametrize("n", [3, 12, 40])
def test_full_matrices_solve_what_numpy_solves(n, rng, monkeypatch):
    """With rows out of order and of unlike units, the second of two levels; 3 and 12 unknowns by the inverse."""
    monkeypatch.setattr(iteration, "INTERPRETED", False)  # loops in place of NumPy: what is compiled
    A = np.diag(rng.uniform(3, 9, n)) + rng.normal(size=(n, n)) / n
    A = 10.0 ** rng.integers(-6, 7, (n, 1)) * A[rng.permutation(n)] * 10.0 ** rng.integers(-2, 3, n)
    r = Run()
    r.n, r.level, r.sparse = n, 1, 0
    r.allocate({"row_scales": 2 * n, "column_scales": 2 * n, "pivots": 2 * n, "factors": 2 * n * n}
               | dict.fromkeys(("guess", "delta", "kept"), n))  # fmt: skip
    r.matrix = A.ravel().tolist()
    assert iteration.factorize(r) and not any(r.factors[: n * n])
    rows, columns, factors = (np.array(x[len(x) // 2 :]) for x in (r.row_scales, r.column_scales, r.factors))
    np.testing.assert_allclose(np.abs(A * rows[:, None]).max(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(np.abs(A * rows[:, None] * columns).max(axis=0), 1, rtol=1e-14)
    if n > iteration.INVERTED:  # rows are exchanged so that no factor is larger than 1
        assert np.abs(np.triu(factors.reshape(n, n), 1).T).max() <= 1
    f, x = rng.normal(size=n) * np.abs(A).max(axis=1), [0.0] * n
    iteration.solve(r, f.tolist(), x)
    # without these scales NumPy itself has errors of 1e-9 where units are so unlike
    exact = columns * np.linalg.solve(A * rows[:, None] * columns, f * rows)
    np.testing.assert_allclose(x, exact, rtol=1e-11)
    scaled = np.linalg.inv(A * rows[:, None] * columns)
    np.testing.assert_allclose(inverse(A) / columns[:, None] / rows, scaled, rtol=1e-9)
    r.matrix = np.outer(A[0], A[1]).ravel().tolist()
    assert not iteration.factorize(r)
    for bad in (np.nan, np.inf):
        r.matrix = [*A.ravel().tolist()[:-1], bad]
        assert not iteration.factorize(r)


@pytest.mark.parametrize("sparse", [True, False])
def test_matrices_by_differences_are_those_of_a_linear_residual(sparse, rng):
    """f = K q + C qd + M qdd + c, side by side in lanes; each column is found by one evaluation, or with others.

    Where a change is lost in the rounding of f, a larger one is tried.
    """
    n, width = 30, 4
    K, C, M = (held_chain(n, (), rng) for _ in range(3))
    found = plan([list(np.flatnonzero(column)) for column in K.T])
    r = record_of(found, K, n)
    r.sparse, r.width, r.colours = int(sparse), width, len(found.colour_start) - 1
    lanes = ("abreast_q", "abreast_qd", "abreast_qdd", "abreast_f")
    r.allocate(dict.fromkeys(("f", "q_at", "qd_at", "qdd_at", "epsilon"), n) | dict.fromkeys(lanes, n * width)
               | {"abreast_time": width, "abreast_epsilon": width, "time": 1, "matrix": n * n})  # fmt: skip
    for name in ("q_at", "qd_at", "qdd_at"):
        setattr(r, name, rng.normal(size=n).tolist())
    r.epsilon = [*rng.uniform(0.5, 1.5, n - 1), 1e-17]  # of the last one: two larger ones follow
    r.time[0] = 0.7

    def residual(time, q, qd, qdd):
        return K @ q + C @ qd + M @ qdd + time

    def abreast(time, q, qd, qdd, _, f):
        q, qd, qdd = (np.reshape(x, (n, width)) for x in (q, qd, qdd))
        f[:] = residual(np.array(time), q, qd, qdd).ravel().tolist()

    r.residuals_abreast = abreast
    r.f = residual(0.7, r.q_at, r.qd_at, r.qdd_at).tolist()
    iteration.difference_matrix(r, 0.3, -0.7, 1.1)
    exact, own = 0.3 * K - 0.7 * C + 1.1 * M, n - 1
    if sparse:
        rows, columns = np.array(found.entry_row), np.repeat(np.arange(n), np.diff(found.column_start))
        matrix, evaluated = np.zeros((n, n)), r.colours
        matrix[rows, columns] = r.matrix[: len(rows)]
        own = np.searchsorted(found.colour_start, found.colour_columns.index(n - 1), side="right") - 1
    else:
        matrix, evaluated = np.reshape(r.matrix, (n, n)), n
    together = min(width, evaluated - own // width * width)  # those that are evaluated with the last column
    assert r.residuals == evaluated + 2 * together
    np.testing.assert_allclose(matrix[:, :-1], exact[:, :-1], atol=1e-12)
    np.testing.assert_allclose(matrix[:, -1], exact[:, -1], atol=1e-4)


def test_columns_of_a_colour_have_no_row_in_common(rng):
    A = held_chain(60, (10,), rng)
    columns = [set(np.flatnonzero(column)) for column in A.T]
    found = plan([sorted(rows) for rows in columns])
    for first, last in zip(found.colour_start, found.colour_start[1:], strict=False):
        together = found.colour_columns[first:last]
        assert sum(len(columns[j]) for j in together) == len(set().union(*(columns[j] for j in together)))


def test_blocks_are_what_groups_tie_together_at_present(rng):
    """SciPy finds the same components; a column has the rows of its block, and its colour no other column of that."""
    n, groups = 30, [rng.choice(26, rng.integers(1, 5), replace=False).tolist() for _ in range(14)]  # 26 to 29: alone
    r, flags = Run(), [-1, -1, *range(12)]
    r.n, r.groups, r.room, r.held = n, len(groups), n * n, rng.integers(0, 2, 12).tolist()
    r.group_member, r.group_flag = sum(groups, []), flags
    r.group_start = [0, *np.cumsum([len(x) for x in groups]).tolist()]
    sizes = dict.fromkeys("root number last following members colour_columns".split(), n)
    r.allocate(sizes | dict.fromkeys(("block_start", "column_start", "colour_start"), n + 1) | {"entry_row": n * n})
    tied, present = np.zeros((n, n)), set()
    for members, flag in zip(groups, flags, strict=True):
        if flag < 0 or r.held[flag]:
            tied[np.ix_(members, members)] = 1
            present |= {*members}
    for name in ("colour_start", "column_start", "block_start"):
        setattr(r, name, [7.0] * (n + 1))  # of another arrangement
    r.group_counts = [-1.0] * len(groups)
    arrange(r)
    block = connected_components(tied)[1]
    columns = [[int(i) for i in r.entry_row[int(a) : int(b)]] for a, b in pairwise(r.column_start)]
    expected = [[i for i in present if block[i] == block[j]] if j in present else [] for j in range(n)]
    assert [*map(sorted, columns)] == [*map(sorted, expected)] and r.entries == sum(map(len, expected))
    assert r.blocks == len({block[j] for j in present}) and r.colours == max(map(len, expected))
    ends = pairwise(r.colour_start[: r.colours + 1])
    colours = [[int(j) for j in r.colour_columns[int(a) : int(b)]] for a, b in ends]
    assert sorted(sum(colours, [])) == sorted(present)
    assert all(len({block[j] for j in together}) == len(together) for together in colours)
    r.room, r.group_counts = r.entries - 1, [-1.0] * len(groups)
    arrange(r)
    assert r.blocks == r.colours == r.entries == 0


def test_a_block_of_all_unknowns_has_room_for_its_inverse(monkeypatch, rng):
    monkeypatch.setattr(iteration, "INTERPRETED", False)
    n, groups = 5, Groups([[0, 1, 2, 3, 4]], [-1], 25)
    r, _ = new_record(Functions({"residual": Evaluation(None)}, groups=groups), newmark(), n, False, 0)
    arrange(r)
    A, f, x = rng.normal(size=(n, n)), rng.normal(size=n), [0.0] * n
    r.matrix[: n * n] = A.T.ravel().tolist()  # by columns
    assert iteration.factorize(r)
    iteration.solve(r, f.tolist(), x)
    assert x == pytest.approx(np.linalg.solve(A, f), rel=1e-11)


@pytest.mark.parametrize("inverted", [0, 5])
def test_blocks_whose_members_alternate_are_factorized_one_by_one(inverted, monkeypatch, rng):
    """Of two kinds, at the second of two levels; what is no number is told in the row in which it stands."""
    monkeypatch.setattr(iteration, "INTERPRETED", False)
    monkeypatch.setattr(iteration, "INVERTED", inverted)  # large blocks by their factors, small ones by the inverse
    n, groups = 5, Groups([[0, 3, 4], [1, 2]], [-1, -1], 25)
    r, _ = new_record(Functions({"residual": Evaluation(None)}, groups=groups), newmark(), n, False, 0)
    r.allocate(dict.fromkeys(("row_scales", "column_scales", "pivots"), 2 * n) | {"factors": 2 * r.room})
    arrange(r)
    A, f, x = rng.normal(size=(n, n)), rng.normal(size=n), [0.0] * n
    A[np.ix_([0, 3, 4], [1, 2])] = A[np.ix_([1, 2], [0, 3, 4])] = 0
    r.level, r.matrix[: r.entries] = 1, A.T[A.T != 0].tolist()
    given = [*r.matrix[: r.entries]]
    assert iteration.factorize(r) and [*r.matrix[: r.entries]] == given and not any(r.factors[: r.room])
    iteration.solve(r, f.tolist(), x)
    assert x == pytest.approx(np.linalg.solve(A, f), rel=1e-11)
    assert not iteration.no_number(r)
    r.matrix[r.entries - 2], r.f[:] = np.nan, [0.0] * n  # of column 4, whose rows are 0, 3, 4
    assert iteration.no_number(r) and np.flatnonzero(np.isnan(r.f)).tolist() == [3]
    r.sparse, r.matrix[:], r.f[:] = 0, [0.0] * len(r.matrix), [0.0] * n
    r.matrix[2 * n + 1] = np.nan  # by rows
    assert iteration.no_number(r) and np.flatnonzero(np.isnan(r.f)).tolist() == [2]


def test_the_pattern_of_a_chain_is_where_its_derivatives_are_not_zero(rng):
    """Constant factors, other than 0, hide nothing."""
    chain = Model("chain", gravity=(0, -9.81, 0))
    xs = chain.coordinates([f"x{k}" for k in range(4)])
    for k, x in enumerate(xs):
        chain.body(f"bead {k}", tdisp(3 * x, 2 * sympy.sin(x), 0), mass=1, inertia=(0, 0, 0))
        if k:
            chain.add(GeneralizedForce(x, 2 * (xs[k - 1] - x)))
    system, state = chain.compile(), rng.normal(size=(3, 4))
    found = sum(np.abs(system.jacobian(key, 0.0, *state)) for key in ("q", "qd", "qdd"))
    assert [sorted(rows) for rows in system.pattern] == [np.flatnonzero(column).tolist() for column in found.T]


@pytest.mark.skipif(not available(), reason="machine code only")
def test_matrices_of_many_unknowns_are_looked_at_and_those_of_few_are_not(monkeypatch):
    looked = []
    monkeypatch.setattr(simulation, "plan", lambda pattern, *_: looked.append(len(pattern)))
    for n in (3, 26):
        model = Model("masses")
        for x in model.coordinates([f"x{k}" for k in range(n)], initial=[1] * n):
            model.equation(x.ddot + x)
        model.simulate(0.1)
    assert looked == [26]


def test_full_matrices_have_no_plan():
    assert plan([list(range(40))] * 40) is None
    assert plan([[j] for j in range(10)]) is None
    assert plan([sorted({j, 0}) for j in range(40)]) is None  # a row that depends on everything


def beam(elements):
    model = Model("swing", gravity=(0, -9.81, 0))
    material = Material(E=1e7, density=1000)
    model.beam("b", length=1, section=Section.rectangle(0.02, 0.01), material=material, elements=elements,
               ends=("pinned", "free"))  # fmt: skip
    return model


@pytest.mark.long
@pytest.mark.parametrize("method", ["newmark", "newmark_extrapolated"])
def test_runs_are_those_of_full_matrices(method, monkeypatch):
    pytest.importorskip("llvmlite")
    model = beam(12)
    asked = {"method": method, "tolerance": 1e-4, "save_every": 0.05}
    one = model.simulate(0.1, **asked)
    monkeypatch.setattr(simulation, "FEWEST", 10**6)
    full = beam(12).simulate(0.1, **asked)
    assert one.q[-1] == pytest.approx(full.q[-1], rel=1e-6, abs=1e-7)
    assert one.stats.jacobians == pytest.approx(full.stats.jacobians, rel=0.1)  # each by fewer evaluations
    assert one.stats.residuals <= full.stats.residuals - 20 * one.stats.jacobians


@pytest.mark.long
def test_fixed_steps_end_before_rounding_and_keep_their_error(monkeypatch):
    """Full matrices go on to rounding: beside these runs little changes, beside what half a step changes."""
    pytest.importorskip("llvmlite")
    steps, runs = (2e-3, 1e-3, 5e-4), []
    for fewest in (36, 10**6):
        monkeypatch.setattr(simulation, "FEWEST", fewest)
        model = beam(12)
        runs.append([model.simulate(0.2, method="generalized_alpha", step=h, save_every=0.2) for h in steps])
    early, rounded = runs
    for one, other in zip(early, rounded, strict=True):
        assert one.stats.newton_iterations < 0.85 * other.stats.newton_iterations
    ends, right = (np.array([run.q[-1] for run in kind]) for kind in runs)
    halved = np.abs(np.diff(right, axis=0)).max(axis=1)
    assert halved[0] > 3 * halved[1]  # of order 2
    assert (np.abs(ends - right).max(axis=1)[1:] < 1e-3 * halved).all()
    drift = [np.ptp(kind[0].energy.total - kind[0].energy.work) for kind in runs]
    assert drift[0] == pytest.approx(drift[1], rel=1e-3)


@pytest.mark.long
def test_cost_grows_as_the_number_of_elements():
    """Evaluations and operations are counted, not seconds."""
    counts = []
    for elements in (40, 160):
        pattern = beam(elements).compile().pattern
        found = plan(pattern)
        counts.append((len(found.colour_start), len(found.update_to) / elements, found.room / elements))
    assert counts[1] == pytest.approx(counts[0], rel=0.1)
