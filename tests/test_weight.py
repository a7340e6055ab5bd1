"""Bodies that are given a density: mass, centre and inertia by the volumes of their shapes."""

import numpy as np
from mistakes import explained
from together import together

from easydyn import Model, tdisp, trot, visu


def weighed(*shapes, density=7700):
    model = Model("weighed")
    (q,) = model.coordinates("q")
    body = model.body("body", tdisp(q, 0, 0), density=density, shape=list(shapes))
    inertia = np.array([[float(body.inertia[i, j]) for j in range(3)] for i in range(3)])
    return float(body.mass), np.array([float(x) for x in body.com]), inertia


def of_polyhedron(solid):
    """Volume, centre and inertia for density 1, by tetrahedra from the origin."""
    a, b, c = (solid.nodes[solid.triangles[:, k]] for k in range(3))
    sixth = np.einsum("ij,ij->i", a, np.cross(b, c))
    volume, first = sixth.sum() / 6, ((a + b + c) * sixth[:, None]).sum(axis=0) / 24
    corners = np.stack([a, b, c])
    second = np.einsum("kni,knj,n->ij", corners, corners, sixth) + np.einsum(
        "ni,nj,n->ij", a + b + c, a + b + c, sixth)  # fmt: skip
    second /= 120
    centre = first / volume
    second -= volume * np.outer(centre, centre)
    return volume, centre, np.trace(second) * np.eye(3) - second


PLACE = tdisp(0.3, -0.2, 0.5) * trot((1, 2, 3), 0.7)
ROUND = [
    visu.Sphere(0.3, at=PLACE), visu.Cylinder(0.1, 0.4, at=PLACE), visu.Cone(0.2, 0.6, at=PLACE),
    visu.Frustum(0.1, 0.3, 0.4, at=PLACE), visu.Tube(0.2, 0.1, 0.5, at=PLACE), visu.Torus(0.5, 0.1, at=PLACE),
]  # fmt: skip


@together("shape", [visu.Box(0.1, 0.2, 0.3, at=PLACE), *ROUND], ids=lambda shape: shape.name)
def test_closed_forms_are_those_of_the_solids_that_are_drawn(shape):
    """A box exactly; what is round within what its polygons leave out."""
    volume, centre, inertia = of_polyhedron(shape.solid)
    mass, com, tensor = weighed(shape, density=1)
    limit = 1e-12 if isinstance(shape, visu.Box) else 0.12
    assert abs(mass / volume - 1) < limit
    assert np.abs(com - centre).max() < limit / 10
    assert np.abs(tensor - inertia).max() < limit * np.abs(inertia).max()


def test_textbook_values():
    """A ball, a rod, a ring and a cone of 2 kg/m3."""
    for shape, volume, across, about in (
        (visu.Sphere(0.3), 4 / 3 * np.pi * 0.027, 0.4 * 0.09, 0.4 * 0.09),
        (visu.Cylinder(0.1, 0.4), np.pi * 0.004, (3 * 0.01 + 0.16) / 12, 0.005),
        (visu.Tube(0.2, 0.1, 0.5), np.pi * 0.015, (3 * 0.05 + 0.25) / 12, 0.025),
        (visu.Torus(0.5, 0.1), 2 * np.pi**2 * 0.005, 0.125 + 0.00625, 0.25 + 0.0075),
        (visu.Cone(0.2, 0.6), np.pi * 0.008, 3 / 80 * (4 * 0.04 + 0.36), 0.3 * 0.04),
    ):
        mass, _, tensor = weighed(shape, density=2)
        np.testing.assert_allclose(mass, 2 * volume, rtol=1e-13)
        np.testing.assert_allclose(tensor, 2 * volume * np.diag([across, across, about]), rtol=1e-12, atol=1e-15)


def test_bars_of_the_published_engine_and_four_bar():
    """Masses and tensors that are published for these bars, to their printed digits."""
    for shape, mass, com, tensor in (
        (visu.Box.along((0, -0.2, 0), 0.02, 0.06, across="x"), 1.848, (0, -0.1, 0),
         np.diag([0.0067144, 0.000616, 0.0062216])),
        (visu.Box.along((0, 0.1, 0), 0.02, 0.05), 0.77, (0, 0.05, 0),
         np.diag([0.000802083333, 0.000186083333, 0.000667333333])),
        (visu.Cylinder.along((0, 0.5, 0.1), 0.025), 7.709164080124284, (0, 0.25, 0.05),
         [[0.16823644529, 0, 0], [0, 0.008787088064, -0.031889871445], [0, -0.031889871445, 0.161858471001]]),
    ):  # fmt: skip
        found = weighed(shape)
        assert abs(found[0] - mass) < 1e-12
        np.testing.assert_allclose(found[1], com, atol=1e-15)
        np.testing.assert_allclose(found[2], tensor, atol=1e-12)


def test_several_shapes_are_one_body():
    """Two halves of a bar; a text weighs nothing; a parameter may be the density."""
    whole = weighed(visu.Box.along((1, 0, 0), 0.1))
    halves = weighed(visu.Box.along((0.5, 0, 0), 0.1), visu.Box(0.5, 0.1, 0.1, at=tdisp(0.75, 0, 0)), visu.Text("bar"))
    for one, other in zip(whole, halves, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    model = Model("parameter")
    (q,), (rho,) = model.coordinates("q"), model.parameters(rho=7700)
    body = model.body("bar", tdisp(q, 0, 0), density=rho, shape=visu.Box.along((1, 0, 0), 0.1))
    assert abs(float(body.mass.subs(rho, 7700)) - whole[0]) < 1e-12
    stone = model.free_body("stone", density=2, shape=visu.Sphere(0.5))
    assert abs(float(stone.mass) - np.pi / 3) < 1e-12


test_mistake_is_explained = explained(__file__)
