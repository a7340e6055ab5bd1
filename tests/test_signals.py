"""The table of what each number of a run means, beside the arrays of runs and what models declare."""

import numpy as np
import pytest

from easydyn import Model, RigidContact, tdisp
from easydyn.errors import UnknownNameError
from easydyn.examples.figures import MODELS, module_of
from easydyn.mechanics.signals import ENERGIES


@pytest.fixture(scope="module")
def model():
    """All kinds of names: a coordinate that can be locked, a contact, a state, an input, an output."""
    model = Model("all kinds", gravity=(0, -9.81, 0))
    y, x = model.coordinates("y x", initial=(0.5, 0))
    (p,) = model.states("p", initial=1.0)
    u = model.input("u", 2.0)
    ball = model.body("ball", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
    model.add(RigidContact(y, restitution=0.5, name="floor"))
    model.equation(p.dot + u * p)
    model.lock(x, locked=False)
    model.output("speed", ball.v[1])
    return model


KINDS = {
    "t": "time", "y": "coordinate", "y.dot": "coordinate", "y.ddot": "coordinate", "p": "state", "p.dot": "state",
    "u": "input", "x.locked": "flag", "floor.closed": "flag", "speed": "formula", "total energy": "energy",
}  # fmt: skip


def test_each_name_has_its_kind_and_its_place(model):
    run = model.simulate(0.5, save_every=0.1, locked={"x": (0.1, 0.2)})
    assert all(model.signals[name].kind == kind for name, kind in KINDS.items() if name != "x.locked")
    assert all(run.signals[name].kind.startswith(kind[:5]) for name, kind in KINDS.items())
    m = list(run.names).index("p")
    assert run["p"] == pytest.approx(np.exp(-2 * run.t), abs=1e-5) and (run["p"] == run.qd[:, m]).all()
    assert (run["p.dot"] == run.qdd[:, m]).all() and (run["y.ddot"] == run.qdd[:, 0]).all()
    assert set(np.unique(run["x.locked"])) == {0, 1} and set(np.unique(run["floor.closed"])) <= {0, 1}
    assert (run["u"] == 2).all() and (run["speed"] == run["y.dot"]).all()
    assert (run["total energy"] == run.energy.total).all() and run.unit("total energy") == "J"
    assert run.unit("y.ddot") == "m/s²" and run.unit("t") == "s" and run.unit("floor.closed") == ""
    assert "u.slope" not in run.signals and not {"total energy", "x.locked", "floor.closed"} & set(run.columns)
    with pytest.raises(UnknownNameError, match="this run has no 'z'"):
        run.unit("z")


def test_the_table_is_printed(model):
    lines = str(model.signals).splitlines()
    assert lines[0].split() == ["name", "kind", "unit"] and len(lines) == 1 + len(model.signals)
    assert "y.dot             coordinate  m/s" in lines


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", sorted(MODELS))
def test_names_of_examples_are_those_of_their_runs(name, tmp_path):
    run = module_of(name).simulate()
    model = run.source.mechanism
    assert set(model.signals.names("coordinate", "state")) <= set(run.signals) | set(model.signals.names("multiplier"))
    for signal in run.signals.values():
        values = run[signal.name]
        assert values.shape == run.t.shape and run.unit(signal.name) == signal.unit
        if signal.slot in ("q", "qd", "qdd"):
            assert np.array_equal(values, getattr(run, signal.slot)[:, signal.column], equal_nan=True)
    loaded = type(run).load(run.save(tmp_path / "run.npz"))
    held = [s.name for s in run.signals.values() if s.slot or s.kind == "energy"]
    assert all(np.array_equal(loaded[x], run[x], equal_nan=True) for x in held if x not in ENERGIES)
    for x in ENERGIES:
        if x in held:
            assert loaded[x] == pytest.approx(run[x], abs=1e-12 * (1 + abs(run[x]).max()))
