"""Iteration matrices that are mostly zero: their plan, their factors beside NumPy's, runs beside those of full ones."""

import numpy as np
import pytest

from easydyn import Model
from easydyn.flexible import Material, Section
from easydyn.run import simulation
from easydyn.sim.run import Run
from easydyn.sim.sparse import plan, sparse_factorize, sparse_solve


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
    r.n, r.level, r.room, r.fill, r.entries = n, 0, found.room, len(found.fill_at), len(rows)
    r.allocate(dict.fromkeys(("row_scales", "column_scales", "ordered"), n) | {"factors": found.room})
    r.matrix = list(A[rows, columns])
    for name, values in found.arrays().items():
        setattr(r, name, values)
    return r


def test_factors_solve_what_numpy_solves(rng):
    A = held_chain(60, (0, 30, 31, 59), rng)
    n = len(A)
    found = plan([list(np.flatnonzero(column)) for column in A.T])
    r = record_of(found, A, n)
    assert sparse_factorize(r)
    f, x = rng.normal(size=n), [0.0] * n
    sparse_solve(r, f, x)
    assert x == pytest.approx(np.linalg.solve(A, f), rel=1e-9, abs=1e-11)
    assert len(found.colour_start) - 1 <= 10 and found.room < 12 * n
    r.matrix[3] = np.nan
    assert not sparse_factorize(r)


def test_columns_of_a_colour_have_no_row_in_common(rng):
    A = held_chain(60, (10,), rng)
    columns = [set(np.flatnonzero(column)) for column in A.T]
    found = plan([sorted(rows) for rows in columns])
    for first, last in zip(found.colour_start, found.colour_start[1:], strict=False):
        together = found.colour_columns[first:last]
        assert sum(len(columns[j]) for j in together) == len(set().union(*(columns[j] for j in together)))


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
