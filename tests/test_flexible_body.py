"""Bodies from matrices of finite elements: inertia beside all particles, closed forms, the rigid limit, momentum."""

import pickle
import re

import numpy as np
import pytest
from finite_elements import beam, block
from mistakes import explained
from scipy.sparse import csc_array
from together import together

from easydyn import Force, Model, Spring, ground, tdisp, trotx, troty, trotz
from easydyn.analysis.beams import flexible
from easydyn.errors import ModelError
from easydyn.flexible import Material, Section, matrices
from easydyn.flexible.inertia import _stretched
from easydyn.flexible.reduction import _lowest_sparse
from easydyn.mechanics.symbols import t

ALL = {"E": 70e6, "nu": 0.3, "rho": 2700}
FREE_FREE = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])
CANTILEVER = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613])
FLAPPING = {3: (4.797278532379145, 23.320263674586187), 12: (13.170150487516604, 37.60311233132547)}


def slender(n, length=1.0):
    """A beam along x with E I = rho A = 1, without rotary inertia, and the stiffness that rotation gives it."""
    x = np.linspace(0, length, n + 1)
    M, K, geometric = beam(x, E=1, G=1, A=1e6, Iy=1, Iz=1, J=1, rho=1e-6, rotary=False)
    return {"nodes": np.column_stack([x, 0 * x, 0 * x]), "M": M, "K": K}, geometric(lambda s: (length**2 - s * s) / 2)


def bar(n=6):
    """A bar of aluminium a thousand times too soft, along x about the origin."""
    x = np.linspace(-0.5, 0.5, n + 1)
    b, h = 0.02, 0.03
    M, K, _ = beam(x, E=70e6, G=26e6, A=b * h, Iy=h * b**3 / 12, Iz=b * h**3 / 12, J=0.2 * h * b**3, rho=2700)
    return {"nodes": np.column_stack([x, 0 * x, 0 * x]), "M": M, "K": K}


def anywhere(model, **rates):
    x, y, z, a, b, c = model.coordinates("x y z a b c")
    return tdisp(x, y, z) * trotz(a) * trotx(b) * troty(c)


# -- inertia, beside the sum over all particles -------------------------------------------------------------------


def places(body, q):
    """Of all nodes, in ground axes, for any kind of number: X + R (x + sum phi q)."""
    (x, y, z, a, b, c), shapes = q[:6], q[6:]
    turns = []
    for angle, axis in ((a, 2), (b, 0), (c, 1)):
        R, (i, j) = np.eye(3, dtype=complex), ((axis + 1) % 3, (axis + 2) % 3)
        R[i, i] = R[j, j] = np.cos(angle)
        R[j, i], R[i, j] = np.sin(angle), -np.sin(angle)
        turns.append(R)
    beside = body.places + body.shapes[:, :3] @ shapes
    return np.array([x, y, z]) + beside @ (turns[0] @ turns[1] @ turns[2]).T


def dalembert(body, M0, stiffness, q, qd, qdd):
    """sum over pairs of nodes of M0 a . dr/dq, and K q: derivatives by a complex step, and by differences in time."""
    steps = np.arange(-4, 5)
    weights = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
    h = 0.01
    moved = [places(body, q + qd * s * h + qdd * (s * h) ** 2 / 2).real for s in steps]
    a = np.einsum("s,sij->ij", weights, moved) / h**2
    by_q = [places(body, q + 1e-30j * e).imag / 1e-30 for e in np.eye(len(q))]
    found = np.array([np.sum((M0 @ a) * d) for d in by_q])
    found[6:] += stiffness * q[6:]
    return found


@pytest.mark.parametrize("lumped", [False, True])
def test_every_inertia_term_is_that_of_all_nodes(rng, lumped):
    """Solid elements: consistent mass couples nodes, and every scheme has all of it."""
    nodes, M, K = block((2, 1, 1), (0.4, 0.1, 0.2), lumped=lumped, **ALL)
    model = Model("block")
    body = model.flexible_body("block", anywhere(model), nodes=nodes, M=M, K=K, modes=4)
    q, qd, qdd = rng.normal(size=(3, 10)) * np.array([1] * 6 + [0.1] * 4)
    V = body.shapes.reshape(-1, 4)
    expected = dalembert(body, M[::3, ::3], np.diag(V.T @ K @ V), q, qd, qdd)
    for scheme in ("recursive", "explicit", "motor"):
        found = model.compile(scheme=scheme, target="python").residual(0, q, qd, qdd)
        assert found == pytest.approx(expected, rel=1e-13, abs=1e-13 * abs(expected).max())


def test_what_matrices_of_beams_say_is_kept(rng):
    """Mass, moments, momentum and moment of momentum of the shapes, their masses: M of eq. (8) where it is not bent."""
    model, given = Model("bar"), bar()
    body = model.flexible_body("bar", anywhere(model), **given, modes=2, boundary=[0, 6])
    n = 6 + len(body.coordinates)
    at_rest = model.compile(target="python").mass_matrix(0, np.zeros(n))
    R = np.zeros((7, 6, 6))  # rates of x, y, z, a (about z), b (about x), c (about y) at the origin
    R[:, :3, :3] = np.eye(3)
    for column, axis in ((3, 2), (4, 0), (5, 1)):
        R[:, :3, column] = np.cross(np.eye(3)[axis], given["nodes"])
        R[:, 3 + axis, column] = 1
    W = np.column_stack([R.reshape(42, 6), body.shapes.reshape(42, -1)])
    expected = W.T @ given["M"] @ W
    assert at_rest == pytest.approx(expected, rel=1e-10, abs=1e-12 * abs(expected).max())


@together(("of_rest", "of_left"), [(12, 4), (5, 4), (12, 2), (2, 3), (12, 0)])
def test_products_of_shapes_are_stretched_to_all_of_the_mass(rng, of_rest, of_left):
    """Of full rank and of less: their sum over the axes is what was missing, and no product takes mass away."""
    one, other = rng.normal(size=(12, of_rest)), 3 * rng.normal(size=(4, of_left))
    left = other @ other.T
    found = _stretched((one @ one.T).reshape(3, 4, 3, 4), left)
    np.testing.assert_allclose(np.einsum("akal->kl", found), left, atol=1e-12 * max(1, np.abs(left).max()))
    assert np.linalg.eigvalsh(found.reshape(12, 12)).min() > -1e-12 * max(1, np.abs(left).max())


def test_without_modes_it_is_a_rigid_body(rng):
    given = bar()
    for modes in (0, 2):
        model, rigid = Model("bar"), Model("rigid")
        body = model.flexible_body("bar", anywhere(model), **given, modes=modes)
        A, Iy, Iz = 6e-4, 0.03 * 0.02**3 / 12, 0.02 * 0.03**3 / 12
        J = 2700 * np.diag([Iy + Iz, Iy + A / 12, Iz + A / 12])
        assert (body.mass, *np.diag(body.inertia)) == pytest.approx((2700 * A, *np.diag(J)), rel=1e-12)
        rigid.body("bar", anywhere(rigid), mass=2700 * A, inertia=J)
        q, qd, qdd = rng.normal(size=(3, 6))
        pad = np.zeros(len(body.coordinates))
        found = model.compile(target="python").residual(0, *(np.append(u, pad) for u in (q, qd, qdd)))[:6]
        assert found == pytest.approx(rigid.compile(target="python").residual(0, q, qd, qdd), rel=1e-11, abs=1e-12)


@pytest.mark.long
def test_free_flight_keeps_momentum_and_energy():
    nodes, M, K = block((2, 1, 1), (0.4, 0.1, 0.2), **ALL)
    model = Model("flight")
    T = tdisp(*model.coordinates("x y z", rates=(1, -2, 0.5))) * model.spherical("b", angular_velocity=(30, 5, 60))
    body = model.flexible_body("block", T, nodes=nodes, M=M, K=K, modes=3)
    run = model.simulate(0.05, save_every=0.01, method="dop853", tolerance=1e-10, initial={"block_1": 0.01})
    assert np.ptp(run.energy.total) < 1e-8 * run.energy.kinetic.max()
    assert run.energy.potential.max() > 0.01 * run.energy.kinetic.max()
    frames, M0 = run.frames("block"), M[::3, ::3]
    q, qd = (np.array([x(str(s)) for s in body.coordinates]) for x in (run.__getitem__, lambda s: run[s + ".dot"]))
    v, omega = (np.array(run.of(u)) for u in (model["block"].v, model["block"].omega))
    kept = []
    for k in range(len(run.t)):
        R, e = frames[k, :3, :3], frames[k, :3, 3]
        arms = (nodes + body.shapes @ q[:, k]) @ R.T
        velocities = v[k].ravel() + np.cross(omega[k].ravel(), arms) + (body.shapes @ qd[:, k]) @ R.T
        p = M0 @ velocities
        kept.append([*p.sum(axis=0), *np.cross(e + arms, p).sum(axis=0)])
    assert np.ptp(kept, axis=0) == pytest.approx(np.zeros(6), abs=1e-8)
    assert abs(np.array(kept[0])).min() > 0.01


# -- closed forms ----------------------------------------------------------------------------------------------------


def test_frequencies_of_beams():
    given, _ = slender(16)
    model = Model("beams")
    x, = model.coordinates("x")
    free = model.flexible_body("free", tdisp(x, 0, 0), **given, modes=6)
    held = model.flexible_body("held", tdisp(x, 0, 0), **given, modes=6, clamped=[0])
    assert free.frequencies[::2] == pytest.approx(FREE_FREE**2, rel=2e-4)
    assert held.frequencies[::2] == pytest.approx(CANTILEVER**2, rel=1e-4)
    assert free.com == pytest.approx([0.5, 0, 0])


def test_boundary_nodes_bend_as_in_the_whole_program():
    """Craig and Bampton: a load on a node that was kept gives P L^3/(3 E I), with no mode at all."""
    given, _ = slender(4)
    model = Model("static")
    body = model.flexible_body("b", tdisp(0, 0, 0), **given, modes=0, clamped=[0], boundary=[4])
    model.add(Force(body.nodes[4], (0, 0.03, -0.06)))
    found = model.equilibrium()
    deflection = [float(e.xreplace({q: found[str(q)] for q in body.coordinates})) for e in body.deflection(4)]
    assert deflection == pytest.approx([0, 0.01, -0.02], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("eta", "modes"), [(3, 6), pytest.param(12, 14, marks=pytest.mark.long)])
def test_blade_stiffens_as_it_turns(eta, modes):
    """Out of the plane by the geometric stiffness; in the plane omega^2 is less by the speed squared."""
    given, geometric = slender(8)
    model = Model("blade")
    speed, = model.parameters(speed=eta)
    model.flexible_body("b", trotz(speed * t), **given, modes=modes, clamped=[0], stiffening=[(speed**2, geometric)])
    found = np.sort(model.linearize().poles().imag)
    found = found[found > 1e-6][:4]
    flapping, lagging = found[1::2], found[::2]
    assert flapping == pytest.approx(FLAPPING[eta], rel=1e-3)
    assert lagging**2 + eta**2 == pytest.approx(flapping**2, rel=1e-4)


def arm(kind, elements, E, **given):
    """A beam on a hinge, by elements of easydyn or by their matrices."""
    x, b, h = np.linspace(0, 1, elements + 1), 0.04, 0.02
    model = Model(kind, gravity=(0, -9.81, 0))
    q, = model.coordinates("q", initial=0.3)
    if kind == "elements":
        made = model.beam("arm", root=trotz(q), length=1, section=Section.rectangle(b, h),
                          material=Material(E=E, density=2000), elements=elements)  # fmt: skip
        return model, made.tip
    M, K, _ = beam(x, E=E, G=0.4 * E, A=b * h, Iy=h * b**3 / 12, Iz=b * h**3 / 12, J=1e-7, rho=2000)
    nodes = np.column_stack([x, 0 * x, 0 * x])
    made = model.flexible_body("arm", trotz(q), nodes=nodes, M=M, K=K, clamped=[0], **given)
    return model, made.nodes[elements]


@pytest.mark.long
def test_a_swinging_beam_beside_beams_of_the_house():
    """The same motion while it bends little, by 1 mm of 1 m: what is missing is the tension in it."""
    tips = []
    for kind, given in (("elements", {}), ("matrices", {"modes": 6})):
        model, tip = arm(kind, 3, E=1e10, **given)
        run = model.simulate(0.12, save_every=0.005, method="lobatto", tolerance=1e-7)
        tips.append(run.frames(tip.name)[:, :2, 3])
        bent = abs(run["arm_y3"] if kind == "elements" else run["arm_1"]).max()
    assert bent > 1e-3 and np.abs(tips[0] - tips[1]).max() < 0.03 * bent


# -- all else works with it --------------------------------------------------------------------------------------------


def hanging(**changed):
    """A bar on a hinge, with a weight on a spring at its end."""
    model = Model("hanging", gravity=(0, -9.81, 0))
    q, = model.coordinates("q", initial=0.2)
    soft, = model.parameters(soft=1)
    given = bar(4) | {"modes": 2, "damping": 0.02, "stiffness": soft} | changed
    body = model.flexible_body("bar", trotz(q) * tdisp(0.5, 0, 0), **given)
    y, = model.coordinates("y", initial=-0.3)
    weight = model.body("weight", tdisp(1, y, 0), mass=0.1, inertia=(0, 0, 0))
    model.add(Spring(body.nodes[4], weight, stiffness=50, free_length=0.2), Spring(body.nodes[2], ground, stiffness=100,
              free_length=0.4))  # fmt: skip
    return model, body


@pytest.mark.long
def test_all_methods_give_one_motion_and_the_balance_closes():
    model, _ = hanging()
    reference = model.simulate(0.2, save_at=[0, 0.2], method="dop853", tolerance=1e-10)
    drift = reference.energy.total - reference.energy.work
    assert np.ptp(drift) < 1e-8 * reference.energy.kinetic.max()
    assert reference.energy.work[-1] < 0
    for method in ("newmark", "hht", "generalized_alpha", "lobatto", "newmark_extrapolated"):
        run = model.simulate(0.2, save_at=[0, 0.2], method=method, tolerance=1e-5)
        assert run.q[-1] == pytest.approx(reference.q[-1], abs=2e-4), method


@pytest.mark.long
def test_equilibrium_modes_sensitivities_and_pickles():
    model, body = hanging()
    rest = model.equilibrium()
    assert model.compile().residual(0, rest.q, 0 * rest.q, 0 * rest.q) == pytest.approx(np.zeros(len(rest.q)), abs=1e-6)
    again = pickle.loads(pickle.dumps(model))
    assert again.compile().residual(0, rest.q, 0 * rest.q, 0 * rest.q) == pytest.approx(0 * rest.q, abs=1e-6)
    q, h = body.coordinates[0], 1e-4
    slope = model.sensitivity(0.1, ["soft"], save_at=[0, 0.1], tolerance=1e-8, method="dop853")[str(q), "soft"][-1]
    more, less = (model.simulate(0.1, save_at=[0, 0.1], tolerance=1e-10, method="dop853",
                                 parameters={"soft": 1 + s * h})[str(q)][-1] for s in (1, -1))  # fmt: skip
    assert slope == pytest.approx((more - less) / (2 * h), rel=1e-4)


# -- what check() says ----------------------------------------------------------------------------------------------


def doubted(rate=0, units=(1, 1, 1), **changed):
    nodes, M, K = (f * A for f, A in zip(units, block((2, 1, 1), (0.4, 0.1, 0.2), **ALL | {"E": 70e9}), strict=True))
    model = Model("doubted")
    q, = model.coordinates("q", rates=rate)
    model.flexible_body("bar", trotz(q), **{"nodes": nodes, "M": M, "K": K, "modes": 1} | changed)
    return model


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("changed", "said"), [
    ({"rate": 2500, "clamped": [0, 1, 2, 3]}, "turns at 2.5e.03 rad/s, and its lowest frequency is 7.34e.03 rad/s"),
    ({"units": (1e3, 1e-3, 1e-3)}, "is 458 m large: its nodes look like mm"),
    ({"units": (1, 1, 1e-6)}, "carries waves at about 9.7 m/s, which no material does"),
    (bar(3) | {"modes": "nodes", "clamped": [0]},
     "has frequencies from 3.27 to .* rad/s, and nothing damps the high ones"),
])  # fmt: skip
def test_what_is_probably_a_mistake_is_told(changed, said):
    model = doubted(**changed)
    (finding,) = flexible(model, *model.initial())
    assert re.search(said, finding), finding


def test_a_spin_up_tells_of_softening_and_of_large_displacements():
    model = doubted(clamped=[0, 1, 2, 3])
    assert model.check() == []
    run = model.simulate(0.001, initial={"q.dot": 2500, "bar_1": 0.07}, save_every=0.0005)
    soft, far = "without stiffening= its rotation makes it too soft", "its displacements are to be small"
    assert [any(x in finding for finding in run.check()) for x in (soft, far)] == [True, True]


# -- files and units -------------------------------------------------------------------------------------------------


def same(model, other):
    q, qd, qdd = np.random.default_rng(3).normal(size=(3, len(model.mechanism.coordinates))) * 0.1
    return [m.compile(target="python").residual(0, q, qd, qdd) for m in (model, other)]


@pytest.mark.parametrize("kind", ["mtx", "half.mtx", "array.mtx", "npz", "sparse.npz", "npy", "scipy"])
def test_matrices_come_from_files_and_sparse_ones(tmp_path, kind):
    io, sparse = pytest.importorskip("scipy.io"), pytest.importorskip("scipy.sparse")
    given = bar(2)
    found = dict(given)
    for name in ("M", "K"):
        A, path = given[name], tmp_path / f"{name}.{kind.rpartition('.')[2]}"
        found[name] = path
        if kind == "scipy":
            found[name] = sparse.coo_array(A)
        elif kind == "npz":
            found = dict.fromkeys(given, tmp_path / "all.npz")
            np.savez(found[name], **given)
        elif kind == "npy":
            np.save(path, A)
        elif kind == "sparse.npz":
            sparse.save_npz(path, sparse.csc_array(A))
        else:
            symmetry = "general" if kind == "mtx" else "symmetric"
            io.mmwrite(path, A if kind == "array.mtx" else sparse.coo_array(A), symmetry=symmetry, precision=17)
    models = [Model("a"), Model("b")]
    for model, each in zip(models, (given, found), strict=True):
        model.flexible_body("bar", trotz(*model.coordinates("q")), **each, modes=3)
    mine, theirs = same(*models)
    assert theirs == pytest.approx(mine, rel=1e-9, abs=1e-9)


def test_millimetres_and_tonnes_are_brought_to_si():
    given = bar(2)
    mm = np.tile(np.repeat([1e-3, 1], 3), 3)  # of each freedom
    other = {"nodes": given["nodes"] * 1e3, "unit": "mm"} | {x: given[x] * np.outer(mm, mm) * 1e3 for x in "MK"}
    models = [Model("a"), Model("b")]
    for model, each in zip(models, (given, other), strict=True):
        model.flexible_body("bar", trotz(*model.coordinates("q")), **each, modes=3)
    mine, theirs = same(*models)
    assert theirs == pytest.approx(mine, rel=1e-9, abs=1e-9)


def test_large_sparse_matrices_stay_sparse(monkeypatch):
    pytest.importorskip("scipy.sparse")
    sparse, given = pytest.importorskip("scipy.sparse"), bar()
    thin = bar(8) | {"M": np.kron(np.eye(9), np.diag([0.2, 0.2, 0.2, 0, 0, 0]))}  # no inertia about its line, exactly
    found = []
    for dense in (3000, 10):
        monkeypatch.setattr(matrices, "DENSE", dense)
        for one in (given, thin):
            one = one | {x: sparse.csr_array(one[x]) for x in "MK"}
            for asked in ({"modes": 4}, {"modes": 1, "boundary": [0, 6]}, {"modes": 3, "clamped": [0]}):
                found.append(Model("bar").flexible_body("bar", tdisp(0, 0, 0), **one, **asked).frequencies)
    for mine, theirs in zip(found[:6], found[6:], strict=True):
        assert theirs == pytest.approx(mine, rel=1e-11)
    twisting = np.arange(len(given["K"])) % 6 == 3
    slack = {"K": sparse.csr_array(np.where(twisting | twisting[:, None], 0, given["K"]))}
    bent = given["K"] @ np.cos(1.0 + np.arange(42))  # hinged so that this motion has no stiffness
    hinged = {"K": given["K"] - np.outer(bent, bent) / (np.cos(1.0 + np.arange(42)) @ bent)}
    for asked in ({"modes": 1, "boundary": [0, 6]}, {"modes": 4}, {"modes": 1}, {"modes": "nodes", "clamped": [0]}):
        for loose in (slack, hinged, {"K": sparse.csr_array(hinged["K"])}):
            with pytest.raises(ModelError, match=r"K of flexible body 'bar' has a motion without stiffness"):
                Model("bar").flexible_body("bar", tdisp(0, 0, 0), **given | loose, **asked)


# -- mistakes -------------------------------------------------------------------------------------------------------


def body(w, **changed):
    return Model("shop").flexible_body("bar", tdisp(0, 0, 0), **(bar(2) | {"modes": 2} | changed))


def altered(name, entries):
    A = bar(2)[name].copy()
    for place, value in entries.items():
        A[place] = value
    return {name: A}


def indefinite():
    """K of a bar that pushes away when it is bent the softest way; its rigid motions stay free of forces."""
    K = bar(2)["K"]
    values, vectors = np.linalg.eigh(K)
    return K - 2 * values[6] * np.outer(vectors[:, 6], vectors[:, 6])


def without(name, rows):
    A = bar(2)[name].copy()
    A[rows], A[:, rows] = 0, 0
    return {name: A}


def file(w, name, text):
    path = w.folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def archive(w, **arrays):
    np.savez(w.folder / "m.npz", **arrays)
    return w.folder / "m.npz"


def objects(w):
    np.save(w.folder / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    return w.folder / "objects.npy"


LINE, POINT = np.eye(6, k=5) + np.eye(6, k=-5), np.diag([1] * 3 + [0] * 3)  # freedoms of a node
CUBE = dict(zip(("nodes", "M", "K"), block((1, 1, 1), (1, 1, 1), **ALL), strict=True))
HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"


test_mistake_is_explained = explained(__file__)


# -- another program ---------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_beside_exudyn():
    """A free block that spins, by Exudyn's floating frame with the same six modes: a corner, within its steps."""
    exudyn, fem = pytest.importorskip("exudyn"), pytest.importorskip("exudyn.FEM")
    sparse = pytest.importorskip("scipy.sparse")
    nodes, M, K = block((3, 1, 1), (0.6, 0.1, 0.2), **ALL)
    nodes = nodes - nodes.mean(axis=0)
    spin, speed, until = (3, 5, 60), (1, -2, 0.5), 0.1

    mesh = fem.FEMinterface()
    mesh.nodes = {"Position": nodes}
    mesh.massMatrix, mesh.stiffnessMatrix = sparse.csr_matrix(M), sparse.csr_matrix(K)
    mesh.ComputeEigenmodes(6, excludeRigidBodyModes=6)
    system = exudyn.SystemContainer().AddSystem()
    made = fem.ObjectFFRFreducedOrderInterface(mesh).AddObjectFFRFreducedOrder(
        system, initialVelocity=speed, initialAngularVelocity=spin
    )
    corner = system.AddSensor(exudyn.itemInterface.SensorSuperElement(
        bodyNumber=made["oFFRFreducedOrder"], meshNodeNumber=len(nodes) - 1, storeInternal=True,
        outputVariableType=exudyn.OutputVariableType.Position))  # fmt: skip
    system.Assemble()
    settings = exudyn.SimulationSettings()
    settings.timeIntegration.endTime, settings.timeIntegration.numberOfSteps = until, 10_000
    settings.timeIntegration.generalizedAlpha.spectralRadius = 1
    settings.solution.file.write = False
    settings.solution.sensors.writePeriod = until / 10
    system.SolveDynamic(settings)
    theirs = system.GetSensorStoredData(corner)[:, 1:]

    model = Model("block")
    T = tdisp(*model.coordinates("x y z", rates=speed)) * model.spherical("a", angular_velocity=spin)
    body = model.flexible_body("block", T, nodes=nodes, M=M, K=K, modes=6)
    node = body.nodes[len(nodes) - 1]
    run = model.simulate(until, save_every=until / 10, method="dop853", tolerance=1e-9)
    assert max(abs(run[str(q)]).max() for q in body.coordinates) > 1e-3
    assert np.abs(run.frames(node.name)[:, :3, 3] - theirs).max() < 1e-6


def test_modes_by_lanczos_are_the_same_in_any_units():
    """A chain of 40 masses between walls, w^2 = 2 k/m (1 - cos j pi/41): of kilograms, and of ships."""
    n = 40
    K = np.diag(np.full(n, 2.0)) - np.eye(n, k=1) - np.eye(n, k=-1)
    exact = 2 * (1 - np.cos(np.arange(1, 4) * np.pi / (n + 1)))
    for mass, stiffness in ((1.0, 1e3), (1e7, 1e10), (1e-6, 1e-2)):
        V = _lowest_sparse(np.eye(n) * mass, csc_array(stiffness * K), 3, None)
        squares = np.diag(V.T @ K @ V) / np.diag(V.T @ V)
        np.testing.assert_allclose(squares, exact, rtol=1e-9)
