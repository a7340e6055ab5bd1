"""Checks of exercise 14."""

import numpy as np

from easydyn.course import stage

E = np.eye(3)
DIAGONAL = np.eye(3, dtype=bool)


def box_of(m, a, b, c):
    return m / 12 * np.diag([b * b + c * c, c * c + a * a, a * a + b * b])


def point(r):
    """The tensor of a mass of 1 kg at r."""
    r = np.array(r)
    return r @ r * E - np.outer(r, r)


def centre_of(parts):
    return np.sum([m * np.array(p) for m, _, p in parts], axis=0) / sum(m for m, _, _ in parts)


def whole(parts, about):
    return sum(box_of(m, *edges) + m * point(np.subtract(p, about)) for m, edges, p in parts)


def tensor_of(work):
    """Of a body without symmetry, its centre of mass in the origin."""
    return whole([(1.0, work.draw(3, 0.2, 0.9), work.draw(3, 0.2, 0.9)) for _ in range(3)], (0, 0, 0)).round(4)


def bodies(work):
    """Lists of parts."""
    for count in (2, 3, 3):
        yield ([(*work.draw(1, 1, 4), tuple(work.draw(3, 0.1, 0.9)), tuple(work.draw(3))) for _ in range(count)],)


@stage("A box")
def box(work):
    work.answers(
        "box", work.inputs(4, 4, 0.5, 3), box_of, "About x matter counts by its distance from x: the edges b and c.",
        mistakes=[
            (lambda m, a, b, c: m / 12 * np.diag([a * a, b * b, c * c]),
             "About an axis the edge along it does not count: the two others do."),
            (lambda m, a, b, c: m / 3 * np.diag([b * b + c * c, c * c + a * a, a * a + b * b]),
             "A third is for an axis at the end of a rod: the tensor about the middle is asked for."),
            (lambda m, a, b, c: box_of(1, a, b, c), "The mass is missing."),
            (lambda m, a, b, c: 12 * box_of(m, a, b, c), "The factor 1/12 is missing."),
            (lambda m, a, b, c: m / 12 * np.diag([b + c, c + a, a + b]), "The squares are missing: a moment of "
             "inertia "
                                                                          "has the unit kg m²."),
            (lambda m, a, b, c: m / 12 * np.diag([b * b + c * c, a * a + b * b, c * c + a * a]),
             "The moments about y and z are exchanged."),
        ])  # fmt: skip


@stage("Parallel axes")
def moved(work):
    inputs = [(tensor_of(work), *work.draw(1, 1, 3), tuple(work.draw(3, -1, 1))) for _ in range(3)]
    work.answers(
        "moved", inputs, lambda I, m, r: I + m * point(r), "What is added is the tensor of a point mass m at r.",
        mistakes=[
            (lambda I, m, r: I - m * point(r), "The sign: about the centre of mass the moments are smallest, "
             "elsewhere "
                                               "they are larger."),
            (lambda I, m, r: m * point(r), "That is what is added: the tensor about the centre of mass is missing."),
            (lambda I, m, r: I + point(r), "The mass is missing in what is added."),
            (lambda I, m, r: I + m * np.where(DIAGONAL, 1, -1) * point(r),
             "The sign of the products of inertia: the element xy of the tensor is minus the integral of x y dm."),
            (lambda I, m, r: I + m * np.where(DIAGONAL, point(r), 0),
             "The products of inertia are missing: they change with the point, too."),
            (lambda I, m, r: I + m * np.outer(r, r), "m r r^T is not the tensor of a point mass: its element xx "
             "would be "
                                                     "m x², and should be m (y² + z²)."),
            (lambda I, m, r: I + m * np.dot(r, r) * E,
             "A point mass has no moment about the line through it: r r^T is to be taken off."),
            (lambda I, m, r: I + m * np.dot(r, r), "The unit tensor is missing: r . r stands on the diagonal only."),
            (lambda I, m, r: I + m * (np.dot(r, r) - np.outer(r, r)), "The unit tensor is missing: the scalar "
             "product "
             "stands on the diagonal only, r r^T everywhere."),
        ])  # fmt: skip


@stage("The centre of mass")
def centre(work):
    work.answers(
        "centre", list(bodies(work)), centre_of, "The mean of the places, each with its mass.",
        mistakes=[
            (lambda parts: np.mean([p for _, _, p in parts], axis=0), "A heavy part counts more: weigh the "
             "places with "
                                                                      "the masses."),
            (lambda parts: centre_of(parts) * sum(m for m, _, _ in parts), "Divide it by the mass of the whole."),
            (lambda parts: centre_of(parts) * sum(m for m, _, _ in parts) / len(parts),
             "Divide it by the mass of the whole, not by the number of parts."),
            (lambda parts: np.sum([p for _, _, p in parts], axis=0), "That is the sum of the places: the masses are "
                                                                     "missing."),
        ])  # fmt: skip


@stage("The whole")
def composite(work):
    def means(parts):
        return whole(parts, np.mean([p for _, _, p in parts], axis=0))

    work.answers(
        "composite", list(bodies(work)), lambda parts: whole(parts, centre_of(parts)),
        "Move each box from its middle to the centre of mass of the whole, then add.",
        mistakes=[
            (lambda parts: whole(parts, (0, 0, 0)), "That is about the origin: the tensor is asked for about "
             "the centre "
                                                    "of mass of the whole."),
            (lambda parts: sum(box_of(m, *edges) for m, edges, _ in parts),
             "You have added tensors about different points: move each to the common centre of mass first."),
            (lambda parts: whole(parts, centre_of(parts)) - sum(box_of(m, *edges) for m, edges, _ in parts),
             "You have point masses: each box has a tensor about its own middle."),
            (lambda parts: whole(parts, -centre_of(parts)), "The sign: r is the place of the box less that of the "
                                                            "centre of mass."),
            (lambda parts: whole(parts, (0, 0, 0)) + sum(m for m, _, _ in parts) * point(centre_of(parts)),
             "From the origin to the centre of mass one goes back: what the theorem adds is to be taken off."),
            (means, "The point is not the centre of mass: is it the mean without the masses?"),
            (lambda parts: sum(m for m, _, _ in parts) * point(centre_of(parts))
             + sum(box_of(m, *edges) for m, edges, _ in parts),
             "Each box has a way of its own, with its own mass: one step with the mass of the whole does not do it."),
        ])  # fmt: skip


@stage("Principal axes")
def principal(work):
    for _ in range(3):
        I = tensor_of(work)
        moments, axes = work.several(work.call("principal", I), 2, "moments, axes")
        moments = work.vector(moments)
        right = np.linalg.eigvalsh(I)
        work.compare(
            moments, right, "The principal moments are the eigenvalues of the tensor.",
            mistakes=[(right[::-1], "From the smallest to the largest: yours are the other way round."),
                      (np.diag(I), "These are the moments about x, y and z: the products of inertia are not zero."),
                      (np.sqrt(right), "These are roots: singular values, or radii of gyration? The moments "
                       "themselves.")
                      ])  # fmt: skip
        axes = work.array(axes, (3, 3), "a 3 x 3 array, its columns the axes")
        right = np.diag(moments)
        work.require(np.abs(axes.T @ axes - E).max() < 1e-6, "The columns are not perpendicular unit vectors.",
                     came=axes.T @ axes, expected="the unit matrix, of axes.T @ axes")
        size = 1e-6 * moments.max()
        work.require(not (np.abs(axes @ I @ axes.T - right).max() < size), "Your axes are the rows: columns are "
         "asked "
                     "for.", came=axes, expected="the axes as columns")
        work.require(np.abs(axes.T @ I @ axes - right).max() < size, "In your axes the tensor is not diagonal, "
         "with the "
                     "moments in their order.", came=axes.T @ I @ axes, expected=right)
        work.require(np.linalg.det(axes) > 0, "Your axes are left-handed: turn one of them round.",
                     came=axes, expected="a determinant of +1")


@stage("The bearings")
def bearings(work):
    def rotor(formula):
        return lambda I, W: formula(I, np.array([0, 0, W]))

    work.answers(
        "bearings", [(tensor_of(work), W) for W in work.draw(3, 2, 9)], rotor(lambda I, w: np.cross(w, I @ w)),
        "Take I omega with omega along z: the last column. Then the vector product.",
        mistakes=[
            (rotor(lambda I, w: np.cross(I @ w, w)), "The order of the vector product: omega x (I omega)."),
            (rotor(lambda I, w: I @ w), "That is the angular momentum: the moment is its rate."),
            (rotor(lambda I, w: np.cross(w, I @ w) / w[2]), "It grows with the square of the rate."),
            (rotor(lambda I, w: I @ w * w[2]), "The vector product is missing: omega x (I omega) has no part "
             "along z."),
            (rotor(lambda I, w: np.cross(w, np.diag(np.diag(I)) @ w)), "No moment? It comes from the products of "
                                                                       "inertia."),
            (rotor(lambda I, w: np.array([I[0, 2], I[1, 2], 0]) * w[2] ** 2),
             "The components: z x (I_xz, I_yz, I_zz) has -I_yz along x and I_xz along y."),
        ])  # fmt: skip
