# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 18. Attitude and quaternions
#
# **After this notebook you can**
#
# - turn a vector about any axis by Rodrigues' formula, and find the axis and
#   the angle of a matrix;
# - derive the product of quaternions and their rate, and integrate a tumbling
#   body with them;
# - say why three angles must fail somewhere, and what easydyn does about it.
#
# **The question.** An attitude has three degrees of freedom. Three angles
# become singular (notebook 1), four numbers need one condition, nine numbers
# need six. Which description is good for a body that tumbles?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, rotation_sequence, tquat, trot, trotx, visu

# %% [markdown]
# ## One axis, one angle
#
# Euler: every change of attitude is a turn about *one* axis. A matrix
# $\mathbf R$ with $\mathbf R\mathbf R^T = \mathbf 1$, $\det\mathbf R = 1$ has
# the eigenvalue 1, because in three dimensions
#
# $$\det(\mathbf R - \mathbf 1) = \det\mathbf R^T(\mathbf R - \mathbf 1) = \det(\mathbf
# 1 - \mathbf R)^T = -\det(\mathbf R - \mathbf 1)$$
#
# Its eigenvector $\mathbf n$ is the axis, which does not move.
#
# Turn $\mathbf u$ about the unit vector $\mathbf n$ by $\varphi$. The part
# along $\mathbf n$ stays, $\mathbf n\,(\mathbf n\cdot\mathbf u)$. The part
# across it,
# $\mathbf u_\perp = \mathbf u - \mathbf n\,(\mathbf n\cdot\mathbf u)$, goes to
# $\cos\varphi\,\mathbf u_\perp + \sin\varphi\,\mathbf n\times\mathbf u$.
# Together, with the skew tensor $\tilde{\mathbf n}$, for which
# $\tilde{\mathbf n}\,\mathbf u = \mathbf n\times\mathbf u$:
#
# $$\mathbf R = \mathbf 1 + \sin\varphi\;\tilde{\mathbf n} + (1 -
# \cos\varphi)\;\tilde{\mathbf n}^2$$
#
# This is the formula of Rodrigues.


# %%
def skew(n):
    x, y, z = n
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def rodrigues(n, angle):
    N = skew(n)
    return np.eye(3) + np.sin(angle) * N + (1 - np.cos(angle)) * N @ N


n, angle = np.array([2, -1, 2]) / 3, 0.9
R = rodrigues(n, angle)
assert np.allclose(R, np.array(trot(n.tolist(), angle).R, dtype=float))
back = np.arccos((np.trace(R) - 1) / 2)  # and the axis, from the skew part
axis = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
print("angle", back, " axis", axis / (2 * np.sin(back)))
assert np.isclose(back, angle) and np.allclose(axis / (2 * np.sin(back)), n)

# %% [markdown]
# ## Four numbers
#
# A **quaternion** is a scalar and a vector that contain half the angle:
#
# $$e = (e_0, \mathbf e) = \left(\cos\tfrac\varphi2,\
# \sin\tfrac\varphi2\;\mathbf n\right),\qquad e_0^2 + \mathbf e\cdot\mathbf e =
# 1$$
#
# With $\sin\varphi = 2\sin\tfrac\varphi2\cos\tfrac\varphi2$ and
# $1 - \cos\varphi = 2\sin^2\tfrac\varphi2$ Rodrigues' formula becomes
#
# $$\mathbf R = \mathbf 1 + 2 e_0\,\tilde{\mathbf e} + 2\,\tilde{\mathbf
# e}^2$$
#
# The product of two rotations, $\mathbf R(a)\,\mathbf R(b)$, is the rotation of
# the product of their quaternions,
#
# $$a\,b = \left(a_0 b_0 - \mathbf a\cdot\mathbf b,\ a_0\,\mathbf b +
# b_0\,\mathbf a + \mathbf a\times\mathbf b\right)$$
#
# Let SymPy multiply both and compare:


# %%
def product(a, b):
    """Of quaternions, lists or arrays of four."""
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    return [
        a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3,
        a0 * b1 + b0 * a1 + a2 * b3 - a3 * b2,
        a0 * b2 + b0 * a2 + a3 * b1 - a1 * b3,
        a0 * b3 + b0 * a3 + a1 * b2 - a2 * b1,
    ]


def matrix(e):
    e0, x, y, z = e
    E = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    square = e0**2 + x**2 + y**2 + z**2  # 1; kept, so that squares cancel
    return square * sympy.eye(3) + 2 * e0 * E + 2 * E * E


a, b = sympy.symbols("a0:4"), sympy.symbols("b0:4")
difference = matrix(a) * matrix(b) - matrix(product(a, b))
assert difference.expand() == sympy.zeros(3, 3)
product(a, b)[0]

# %% [markdown]
# Both $e$ and $-e$ are the same attitude: after one whole turn $\varphi = 2\pi$
# a quaternion has changed its sign, after two it is back.
#
# ## The rate of a quaternion
#
# In the time $dt$ a body turns by $\omega\,dt$ about its angular velocity
# $\boldsymbol\omega$. The quaternion of this small turn is
# $(1, \tfrac12\boldsymbol\omega\,dt)$. It is the first factor of the product
# for components in ground axes, and the last one for components in body axes.
# So
#
# $$\dot e = \tfrac12\,(0, \boldsymbol\omega)\,e = \tfrac12\,e\,(0,
# \boldsymbol\omega')$$
#
# with $\boldsymbol\omega$ in ground components, $\boldsymbol\omega'$ in those
# of the body. There is no sine and no division, and nothing becomes singular.
# With three angles this is impossible. For
# $\mathbf R = \mathbf R_z(a)\,\mathbf R_y(b)\,\mathbf R_x(c)$ the angular
# velocity is a sum of three axes, each times a rate. Solved for the rates, it
# contains $1/\cos b$:

# %%
turns = [sympy.Symbol(name) for name in "abc"]
Rz, Ry = (
    sympy.rot_ccw_axis3(turns[0]),
    sympy.rot_ccw_axis2(turns[1]),
)
axes = sympy.Matrix.hstack(
    sympy.Matrix([0, 0, 1]),
    Rz * sympy.Matrix([0, 1, 0]),
    Rz * Ry * sympy.Matrix([1, 0, 0]),
)  # omega = axes * rates
print("determinant:", sympy.simplify(axes.det()))
assert sympy.simplify(axes.det() ** 2 - sympy.cos(turns[1]) ** 2) == 0
sympy.simplify(axes.inv())

# %% [markdown]
# Other angles are no better. Any three numbers that describe all attitudes
# become singular somewhere, as every flat map of the whole earth does. The
# attitudes form a closed space, which has no regular map to three numbers.
#
# ## A body that tumbles
#
# A brick is thrown so that it turns about its middle axis (notebook 15). We
# integrate Euler's equations for $\boldsymbol\omega'$, with the principal
# moments $I_1, I_2, I_3$, and the four equations for $e$, by the method of
# Runge and Kutta:

# %% alt="Sketch of the brick: a flat box in space"
I = np.array([0.02, 0.05, 0.06])
W = np.array([0.05, 8.0, 0.0])  # rad/s, at the start, in body axes
brick = Model("brick")
body = brick.free_body(
    "brick", mass=1, inertia=tuple(I), attitude=trotx(0.4),
    angular_velocity=tuple(W), axes="body",
    shape=visu.Box(0.8, 0.45, 0.2, colour="orange"),
)
brick.scene().sketch();


# %%
def slope(state):
    e, w = state[:4], state[4:]
    turning = 0.5 * np.array(product(e, [0, *w]))
    return np.concatenate([turning, np.cross(I * w, w) / I])


def integrate(seconds, h, normed=True):
    e0, e1 = np.cos(0.2), np.sin(0.2)
    state, found = np.array([e0, e1, 0, 0, *W]), []
    for _ in range(round(seconds / h)):
        k1 = slope(state)
        k2 = slope(state + h / 2 * k1)
        k3 = slope(state + h / 2 * k2)
        k4 = slope(state + h * k3)
        state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if normed:
            state[:4] /= np.linalg.norm(state[:4])
        found.append(state)
    return np.array(found)


by_hand = integrate(5, 0.002)
run = brick.simulate(5, method="dop853", tolerance=1e-11, save_every=0.01)
e = run.quaternion("brick")
apart = np.abs(e[1:] - by_hand[4::5, :4]).max()
print(f"largest difference of the quaternions: {apart:.1e}")
assert apart < 1e-6

# %% alt="Above four smooth curves, the quaternion; below three angles, two of which rush near the lock"
fig, (upper, lower) = plt.subplots(
    2, 1, figsize=(6.4, 6), sharex=True, layout="constrained"
)
upper.plot(run.t, e, label=["$e_0$", "$e_1$", "$e_2$", "$e_3$"])
upper.legend(ncols=4, loc="lower left")
lower.plot(run.t, run.angles("brick", "zyx"), ".", ms=1.5)
lower.set(xlabel="t [s]", ylabel="angles a, b, c [rad]");

# %% [markdown]
# ## The norm
#
# Errors of the integration change $|e|$. If $|e|\ne 1$, the matrix $\mathbf R$
# of $e$ is not a rotation, because it changes lengths. A division by the norm
# after each step corrects this (a projection, as in notebook 13). We compare
# runs with it and without it:

# %% alt="Distance of the norm from one in logarithms: growing when left alone, rounding when divided"
fig, ax = plt.subplots(layout="constrained")
for normed in (False, True):
    found = integrate(10, 0.01, normed)
    off = np.abs(np.linalg.norm(found[:, :4], axis=1) - 1)
    name = "divided by the norm" if normed else "left alone"
    ax.semilogy(0.01 * np.arange(1, len(off) + 1), off + 1e-17, label=name)
    print(f"{name}: off by {off[-1]:.1e}")
    assert off[-1] < 1e-15 if normed else off[-1] > 1e-12
ax.set(xlabel="t [s]", ylabel="distance of the norm from 1")
ax.legend();

# %% [markdown]
# Quaternions can also be *coordinates* of d'Alembert's equations. The four
# coordinates are not independent, so the model needs the constraint
# $e_0^2 + \ldots + e_3^2 = 1$, with a multiplier. `tquat` of four coordinates
# adds both. The multiplier is zero: this constraint needs no force.

# %%
four = Model("four numbers")
rates = 0.5 * np.array(product([np.cos(0.2), np.sin(0.2), 0, 0], [0, *W]))
names = four.coordinates(
    "e0 e1 e2 e3", initial=(np.cos(0.2), np.sin(0.2), 0, 0), rates=tuple(rates)
)
four.body("brick", tquat(*names), mass=1, inertia=tuple(I))
print(four.mobility())
other = four.simulate(5, method="dop853", tolerance=1e-11, save_every=0.01)
apart = np.abs(other.q[:, :4] - e).max()
print(f"largest difference: {apart:.1e}")
pull = other.multipliers("norm of e0, e1, e2, e3")
print(f"largest multiplier: {np.abs(pull).max():.1e}")
assert apart < 1e-7 and np.abs(pull).max() < 1e-6

# %% [markdown]
# ## What easydyn does
#
# `free_body` is a compromise. Its rotation has three angles as coordinates,
# $\mathbf R = \mathbf R_z(g)\,\mathbf R_x(a)\,\mathbf R_y(b)\,\mathbf R_z(c)$,
# and a fourth angle, $g$, that is held constant. When $b$ comes too near to the
# singularity, $g$ is *renewed*: $g$, $a$, $b$ and $c$ get other values for the
# same attitude and the same angular velocity. There are three coordinates and
# no constraint, and every method keeps its order. The results of a run do not
# show the renewals: its quaternions, angles and frames do not jump.

# %% alt="The held angle g steps from one value to the next whenever b reaches 0.8 rad"
fig, (upper, lower) = plt.subplots(
    2, 1, figsize=(6.4, 5), sharex=True, layout="constrained"
)
upper.plot(run.t, run["brick_b"])
upper.set(ylabel="b [rad]")
lower.step(run.t, run["brick.reference"], where="post")
lower.set(xlabel="t [s]", ylabel="g [rad]")
print("largest |b|:", np.abs(run["brick_b"]).max().round(3), "rad")
assert 0.75 < np.abs(run["brick_b"]).max() < 0.95
assert np.any(np.diff(run["brick.reference"]))  # it was renewed

# %%
run.animate(every=0.02)

# %% [markdown]
# **Check**: the angular momentum in the axes of the ground and the energy must
# be constant, for any description of the attitude.

# %%
R = run.frames("brick")[:, :3, :3]
w = run.of(body.omega)  # ground components
L = np.einsum("tij,j,tkj,tk->ti", R, I, R, w)
print("angular momentum:", L[0].round(9), "->", L[-1].round(9))
assert np.abs(L - L[0]).max() < 1e-7 * np.linalg.norm(L[0])
assert np.ptp(run.energy.total) < 1e-8 * run.energy.total[0]

# %% [markdown]
# ## Between two attitudes
#
# The mean of two triples of angles is not the attitude half-way, and it depends
# on the sequence. The mean of two quaternions (of the same sign, divided by its
# norm) is the attitude half-way, at half the angle of the turn from one to the
# other.

# %%
first, second = (0.2, 1.2, -0.5), (1.9, -0.6, 1.4)  # angles zyx, rad
A, B = (
    np.array(rotation_sequence("zyx", *x).R, dtype=float)
    for x in (first, second)
)


def angle_between(A, B):
    return np.arccos((np.trace(A.T @ B) - 1) / 2)


mean = (np.array(first) + np.array(second)) / 2
M = np.array(rotation_sequence("zyx", *mean).R, dtype=float)
turn = angle_between(A, B)
print(f"from one to the other: {turn:.4f} rad; half: {turn / 2:.4f}")
print(f"mean of angles: {angle_between(A, M):.4f}, {angle_between(M, B):.4f}")


def quaternion(R):
    """For turns of less than half a turn from the unit tensor."""
    e0 = np.sqrt(1 + np.trace(R)) / 2
    v = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
    return np.array([e0, *(np.array(v) / (4 * e0))])


e = quaternion(A) + np.sign(quaternion(A) @ quaternion(B)) * quaternion(B)
H = np.array(matrix(e / np.linalg.norm(e)), dtype=float)
print(f"quaternions:    {angle_between(A, H):.4f}, {angle_between(H, B):.4f}")
assert np.isclose(angle_between(A, H), turn / 2)
assert np.isclose(angle_between(H, B), turn / 2)
assert abs(angle_between(A, M) - turn / 2) > 0.01

# %% [markdown]
# ## Questions
#
# 1. Which quaternion is a half turn about $x$? And the product of half turns
#    about $x$ and $y$?
# 2. Why is there no vector whose derivative is $\boldsymbol\omega$, though
#    $\tfrac12\boldsymbol\omega$ stands in $\dot e$?
# 3. A wheel turns about its axle a thousand times a second in a free body. Do
#    renewals of $g$ slow the run down?
#
# <details><summary>Answers</summary>
#
# 1. $(0, 1, 0, 0)$; $(0, 0, 0, 1)$, a half turn about $z$. In the other order
#    it is $(0, 0, 0, -1)$: the same attitude.
# 2. The rate is a *product* with $e$, and products of turns depend on their
#    order. Only where the axis stays does the angle integrate it.
# 3. No: the last angle $c$ takes the spin, without limit. Only changes of the
#    direction of the axis, $a$ and $b$, cause renewals.
#
# </details>

# %%
about_x, about_y = [0, 1, 0, 0], [0, 0, 1, 0]
assert product(about_x, about_y) == [0, 0, 0, 1]
assert product(about_y, about_x) == [0, 0, 0, -1]
spun = Model("wheel")
spun.free_body(
    "wheel", mass=1, inertia=(1, 1, 2), angular_velocity=(0, 0, 2000 * np.pi)
)
run = spun.simulate(0.1)
assert np.ptp(run["wheel.reference"]) == 0 and run["wheel_c"][-1] > 600

# %% [markdown]
# ## Where to read on
#
# - Exercise [19](../exercises/19_quaternions/README.md):
#   `python -m easydyn exercise 19`.
# - [Attitude](../docs/attitude.md): free bodies, spherical joints, how g is
#   chosen; eqs. (37), (38) hold for all of them.
# - [Notebook 15](15_mass_and_euler.ipynb): Euler's equations;
#   [notebook 14](14_motors.ipynb): turns and displacements in one.
# - J. B. Kuipers, *Quaternions and Rotation Sequences*, Princeton 1999.
