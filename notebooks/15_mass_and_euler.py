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
# # 15. Mass distribution and Euler's equations
#
# **After this notebook you can**
#
# - find the inertia tensor of a body about any point and in any axes;
# - find its principal axes, and say what products of inertia do to bearings;
# - derive Euler's equations, and use them: balancing, tumbling, precession.
#
# **The question.** A rotor rests in every position when its shaft lies on two
# knife edges, so its centre of mass is on the axis. But when it spins, the
# bearings shake. What is wrong with it?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, inertia_tensor, tdisp, trotx, trotz, visu

# %% [markdown]
# ## Nine numbers that are six
#
# A body turns about a point O. Its angular momentum about O is a sum over its
# mass elements $dm$ at the positions $\mathbf r = (x, y, z)$ from O. Each
# element moves with $\boldsymbol\omega\times\mathbf r$:
#
# $$\mathbf L = \int\mathbf r\times(\boldsymbol\omega\times\mathbf r)\,dm =
# \int\left(\mathbf r\cdot\mathbf r\;\boldsymbol\omega - \mathbf r\;\mathbf
# r\cdot\boldsymbol\omega\right)dm = \boldsymbol\Phi\,\boldsymbol\omega$$
#
# It is linear in the angular velocity $\boldsymbol\omega$. The factor is the
# **inertia tensor** $\boldsymbol\Phi$, with $\mathbf 1$ for the unit tensor:
#
# $$\boldsymbol\Phi = \int\left(\mathbf r^T\mathbf r\,\mathbf 1 - \mathbf
# r\,\mathbf r^T\right)dm = \begin{pmatrix}I_{xx} & I_{xy} & I_{xz}\\ I_{xy} &
# I_{yy} & I_{yz}\\ I_{xz} & I_{yz} & I_{zz}\end{pmatrix}$$
#
# The **moments of inertia** stand on its diagonal,
# $I_{xx} = \int(y^2 + z^2)\,dm$; the other elements are
# $I_{xy} = -\int x y\,dm$ and so on. The integrals $\int xy\,dm$ are the
# **products of inertia**. Mind the sign: easydyn takes the *elements of the
# tensor*, as most books of today do; data sheets and CAD programs often print
# the products.
#
# Our rotor has a shaft along $z$ and two discs. On each disc there is a lump by
# mistake, and the two lumps are on opposite sides. A cloud of points stands for
# the mass elements:

# %% alt="Sketch of the rotor: a shaft with two discs, a lump on one side of the first and on the other of the second"
DENSITY = 7850  # kg/m3
parts = [
    visu.Cylinder(0.02, 0.5, colour="grey"),
    visu.Cylinder(0.16, 0.04, at=tdisp(0, 0, 0.1)),
    visu.Cylinder(0.16, 0.04, at=tdisp(0, 0, -0.1)),
    visu.Box(0.05, 0.05, 0.05, at=tdisp(0.12, 0, 0.145), colour="orange"),
    visu.Box(0.05, 0.05, 0.05, at=tdisp(-0.12, 0, -0.145), colour="orange"),
]
model = Model("rotor")
(q,) = model.coordinates("q", rates=100)
rotor = model.body("rotor", trotz(q), density=DENSITY, shape=parts)
model.scene().sketch(towards=(0.5, -1, 0.3));

# %%
rng = np.random.default_rng(1)
cloud, masses = [], []
for part in parts:
    size = np.ptp(part.solid.nodes, axis=0)
    points = rng.uniform(-0.5, 0.5, (300_000, 3)) * size
    volume = np.prod(size)
    if isinstance(part, visu.Cylinder):
        radius = size[0] / 2
        points = points[np.hypot(points[:, 0], points[:, 1]) <= radius]
        volume = np.pi * radius**2 * size[2]
    cloud.append(points + np.array(part.place)[:3, 3])
    masses.append(np.full(len(points), DENSITY * volume / len(points)))
r, dm = np.concatenate(cloud), np.concatenate(masses)


def tensor_of(r, dm):
    """The sum of (r.r 1 - r r^T) dm."""
    return np.eye(3) * (dm @ (r**2).sum(axis=1)) - (r.T * dm) @ r


summed = tensor_of(r, dm)
exact = np.array(rotor.inertia, dtype=float)
print(summed.round(4), exact.round(4), sep="\n\n")
print("centre of mass:", np.array(rotor.com, dtype=float).round(12), "m")
assert np.abs(summed - exact).max() < 1e-2 * exact.max()
assert np.allclose(np.array(rotor.com, dtype=float), 0, atol=1e-9)
assert abs(exact[0, 2]) > 0.01

# %% [markdown]
# The centre of mass is on the axis, as the knife edges showed. But $I_{xz}$ is
# not zero, because for both lumps $x$ and $z$ have the same sign. This will be
# the cause.
#
# ## Another point: parallel axes
#
# Let G be the centre of mass, at $\mathbf c$ from O, and
# $\mathbf s = \mathbf r - \mathbf c$. By the definition of G,
# $\int\mathbf s\,dm = \mathbf 0$. So the mixed terms vanish when
# $\mathbf r = \mathbf c + \mathbf s$ is put in, and for a body of the mass $m$
#
# $$\boldsymbol\Phi_O = \boldsymbol\Phi_G + m\left(\mathbf c^T\mathbf
# c\,\mathbf 1 - \mathbf c\,\mathbf c^T\right)$$
#
# This is Steiner's theorem for all six numbers at once. The moments about G are
# the smallest. In the program the theorem is `moved`:

# %%
m, c = 2.0, np.array([0.3, -0.1, 0.2])
about_G = inertia_tensor(0.02, 0.05, 0.06, 0.004, 0, 0)
about_O = np.array(about_G) + m * (c @ c * np.eye(3) - np.outer(c, c))
assert np.allclose(about_O, np.array(about_G.moved(m, c.tolist())))
about_O

# %% [markdown]
# ## Other axes: principal axes
#
# Let the columns of $\mathbf R$ be unit vectors of other axes. Components of
# vectors change by $\mathbf R^T$, and
# $\mathbf L = \boldsymbol\Phi\,\boldsymbol\omega$ holds in both axes, so
#
# $$\boldsymbol\Phi' = \mathbf R^T\boldsymbol\Phi\,\mathbf R$$
#
# $\boldsymbol\Phi$ is symmetric. Hence there are three perpendicular
# **principal axes**, its eigenvectors, in which it is diagonal. If the body
# turns about a principal axis, its angular momentum is parallel to its angular
# velocity. For other axes this is in general not so. The
# moment about any direction $\mathbf n$ of length one is
# $\mathbf n\cdot\boldsymbol\Phi\,\mathbf n$; the principal moments are its
# extremes.

# %%
moments, axes = np.linalg.eigh(exact)
assert np.allclose(axes.T @ exact @ axes, np.diag(moments))
shaft = int(np.argmax(np.abs(axes[2])))  # the axis nearest to it
tilt = np.arccos(abs(axes[2, shaft]))
print("principal moments:", moments.round(5), "kg m2")
print(f"a principal axis is {np.degrees(tilt):.1f} degrees off the shaft")

# %% alt="Moment of inertia over the direction from -90 to 90 degrees: one low and one high, beside -90 and 0"
angle = np.linspace(-np.pi / 2, np.pi / 2, 181)
n = np.array([np.sin(angle), 0 * angle, np.cos(angle)])  # from z towards x
fig, ax = plt.subplots(layout="constrained")
ax.plot(np.degrees(angle), (n * (exact @ n)).sum(axis=0))
for k in range(3):
    if abs(axes[1, k]) < 0.1:  # it lies in the plane of x and z
        where = np.degrees(np.arctan(axes[0, k] / axes[2, k]))
        ax.plot(where, moments[k], "o", label=f"principal axis {k + 1}")
ax.set(xlabel="angle from the shaft [degrees]", ylabel="moment [kg m²]")
ax.legend();

# %% [markdown]
# ## Euler's equations
#
# The moment $\mathbf M$ about G changes the angular momentum:
# $\dot{\mathbf L} = \mathbf M$. In the axes of the ground the tensor
# $\mathbf R\,\boldsymbol\Phi\,\mathbf R^T$ changes, because the body turns. In
# the axes of the body it is constant, but these axes turn. The components
# $\mathbf L'$ in body axes obey $\mathbf L = \mathbf R\,\mathbf L'$. The
# derivative of the rotation is
# $\dot{\mathbf R} = \mathbf R\,\tilde{\boldsymbol\omega}$, where
# $\tilde{\boldsymbol\omega}$ is the skew tensor in body axes,
# $\tilde{\boldsymbol\omega}\,\mathbf u = \boldsymbol\omega\times\mathbf u$. So
#
# $$\dot{\mathbf L} = \mathbf R\left(\dot{\mathbf L}' +
# \boldsymbol\omega\times\mathbf
# L'\right)\quad\Rightarrow\quad\boldsymbol\Phi\,\dot{\boldsymbol\omega} +
# \boldsymbol\omega\times\boldsymbol\Phi\,\boldsymbol\omega = \mathbf M$$
#
# That is the second half of eq. (6). In principal axes, with the moments $A$,
# $B$, $C$:

# %%
t = sympy.Symbol("t")
A, B, C = sympy.symbols("A B C")
w = sympy.Matrix([sympy.Function(f"omega_{k}")(t) for k in (1, 2, 3)])
L = sympy.diag(A, B, C) * w
euler = (L.diff(t) + w.cross(L)).applyfunc(sympy.factor)
assert sympy.expand(euler[0] - (A * w[0].diff(t) + (C - B) * w[1] * w[2])) == 0
euler

# %% [markdown]
# ## The rotor shakes
#
# The rotor turns about its shaft at the constant rate $\Omega$:
# $\boldsymbol\omega = (0, 0, \Omega)$ in its own axes,
# $\dot{\boldsymbol\omega} = \mathbf 0$. Its bearings must give
#
# $$\mathbf M = \boldsymbol\omega\times\boldsymbol\Phi\,\boldsymbol\omega =
# \Omega^2\,(-I_{yz},\ I_{xz},\ 0)$$
#
# This moment turns with the rotor and grows with the square of the speed.
# **This is the answer**: the centre of mass is on the axis of rotation, but
# this axis is not a principal axis. The rotor is balanced *statically*, not
# *dynamically*. A test at rest cannot show it.

# %% alt="The moment in the bearings over two turns: its x and y components are a sine and a cosine"
run = model.simulate(0.126, save_every=0.0005)
bearing = run.reaction("rotor", "ground").moment
by_hand = 100**2 * np.hypot(exact[0, 2], exact[1, 2])
print(f"{np.linalg.norm(bearing, axis=1).max():.4f} N m, {by_hand:.4f} by hand")
assert np.allclose(np.linalg.norm(bearing, axis=1), by_hand)
fig, ax = plt.subplots(layout="constrained")
ax.plot(run.t * 1e3, bearing[:, :2], label=["$M_x$", "$M_y$"])
ax.set(xlabel="t [ms]", ylabel="moment of the bearings [N m]")
ax.legend();

# %% [markdown]
# A tyre shop corrects this with two masses in two planes. Two additional lumps,
# at the same radius on the opposite sides, make $I_{xz}$ zero and leave G on
# the axis.

# %%
more = [
    visu.Box(0.05, 0.05, 0.05, at=tdisp(-0.12, 0, 0.145), colour="green"),
    visu.Box(0.05, 0.05, 0.05, at=tdisp(0.12, 0, -0.145), colour="green"),
]
balanced = Model("balanced rotor")
(q,) = balanced.coordinates("q", rates=100)
balanced.body("rotor", trotz(q), density=DENSITY, shape=parts + more)
run = balanced.simulate(0.1, save_every=0.001)
left = np.abs(run.reaction("rotor", "ground").moment).max()
print(f"largest moment of the bearings: {left:.1e} N m")
assert left < 1e-9

# %% [markdown]
# ## Three axes, and one that tumbles
#
# A body flies freely: $\mathbf M = \mathbf 0$. It turns about its second axis
# at $\Omega$, with small $\omega_1$, $\omega_3$. To first order in these,
# Euler's equations are $A\,\dot\omega_1 = (B - C)\,\Omega\,\omega_3$ and
# $C\,\dot\omega_3 = (A - B)\,\Omega\,\omega_1$, so that
#
# $$\ddot\omega_1 = \sigma^2\,\omega_1,\qquad \sigma^2 = \Omega^2\,\frac{(C -
# B)(B - A)}{A\,C}$$
#
# Where $B$ lies between $A$ and $C$, $\sigma^2 > 0$: a disturbance grows as
# $e^{\sigma t}$. For a rotation about the first or the third axis a disturbance
# only oscillates.

# %% alt="Logarithm of omega_1: a straight line of the slope sigma until the body tumbles"
brick = Model("brick")
A, B, C, W = 0.02, 0.05, 0.06, 6.0
body = brick.free_body(
    "brick", mass=1, inertia=(A, B, C), angular_velocity=(1e-4, W, 0),
    shape=visu.Box(0.8, 0.45, 0.2, colour="orange"),
)
run = brick.simulate(6, method="dop853", tolerance=1e-11, save_every=0.01)
R = run.frames("brick")[:, :3, :3]
omega = np.einsum("tji,tj->ti", R, run.of(body.omega))  # in body axes
sigma = W * np.sqrt((C - B) * (B - A) / (A * C))
early = (run.t > 0.5) & (run.t < 2)
slope = np.polyfit(run.t[early], np.log(np.abs(omega[early, 0])), 1)[0]
print(f"growth: {slope:.3f} 1/s in the run, sigma = {sigma:.3f} 1/s")
assert abs(slope - sigma) < 0.02 * sigma
fig, ax = plt.subplots(layout="constrained")
ax.semilogy(run.t, np.abs(omega[:, 0]), label=r"$|\omega_1|$")
ax.semilogy(run.t, 5e-5 * np.exp(sigma * run.t), ":", label=r"$e^{\sigma t}$")
ax.set(xlabel="t [s]", ylabel="[rad/s]", ylim=(1e-5, 20))
ax.legend();

# %%
run.animate(every=0.02)

# %% [markdown]
# ## Steady precession, at any inclination
#
# A top of the mass $m$ turns about a fixed point O. Its centre of mass is on
# its axis, at the distance $l$ from O. $C$ is its moment of inertia about the
# axis, $A$ the one about O across the axis. The axis leans by $\vartheta$ from
# the vertical and turns about the vertical at $\dot\psi$. About its axis the
# top spins by $\varphi$.

# %% alt="Sketch of the top: a disc on an axis that leans by theta and goes round by psi"
top = Model("top", gravity=(0, 0, -9.81))
psi, theta, phi = top.coordinates("psi theta phi")
T = trotz(psi) * trotx(theta) * trotz(phi) * tdisp(0, 0, 0.1)
disc = visu.Cylinder(0.05, 0.015)
stick = visu.Cylinder(0.006, 0.1, at=tdisp(0, 0, -0.05), colour="grey")
top.body("top", T, mass=0.4, inertia=(4e-4, 4e-4, 7.2e-4), shape=[disc, stick])
top.scene(initial={"psi": 0.9, "theta": 0.5}).sketch(towards=(0.6, -1, 0.3));

# %% [markdown]
# Take axes that go round with the top, but do not spin: $\mathbf x_1$ is the
# line about which it leans, $\mathbf z_1$ the axis of the top, and
# $\mathbf y_1$ is across both. They turn with
# $\boldsymbol\Omega = \dot\psi\,\mathbf z$. In steady motion $\vartheta$ and
# the rates are constant. The vertical is $\mathbf z = \sin\vartheta\,\mathbf
# y_1 + \cos\vartheta\,\mathbf z_1$, and the rotation about the axis of the top
# is $n = \dot\varphi + \dot\psi\cos\vartheta$. The angular momentum
#
# $$\mathbf L = A\,\dot\psi\sin\vartheta\;\mathbf y_1 + C\,n\;\mathbf z_1$$
#
# is constant in these axes, and turns with them:
#
# $$\dot{\mathbf L} = \boldsymbol\Omega\times\mathbf L = \left(C
# n\,\dot\psi\sin\vartheta -
# A\,\dot\psi^2\sin\vartheta\cos\vartheta\right)\mathbf x_1$$
#
# The moment of the weight about O is
# $l\,\mathbf z_1\times(-m g\,\mathbf z) = m g l\sin\vartheta\;\mathbf x_1$.
# Both are equal:
#
# $$A\cos\vartheta\;\dot\psi^2 - C\,n\,\dot\psi + m g l = 0$$
#
# There are two rates, a slow and a fast one, if
# $C^2 n^2 > 4 A\,m g l\cos\vartheta$. If the top spins too slowly, there is
# none. For a horizontal axis, $\cos\vartheta = 0$, the slow rate is
# $m g l/(C n)$, as in notebook 8.

# %% alt="Inclination over two seconds: level lines for both steady rates, waves for a rate between them"
A = 4e-4 + 0.4 * 0.1**2
C, mgl, lean, n = 7.2e-4, 0.4 * 9.81 * 0.1, 0.5, 150.0
rates = np.roots([A * np.cos(lean), -C * n, mgl]).real
print("steady rates:", rates.round(3), "rad/s")
assert (C * n) ** 2 > 4 * A * mgl * np.cos(lean)
fig, ax = plt.subplots(layout="constrained")
for rate in (*rates, rates.mean()):
    start = {
        "theta": lean, "psi.dot": rate,
        "phi.dot": n - rate * np.cos(lean),
    }
    run = top.simulate(2, initial=start, method="dop853", save_every=0.002)
    ax.plot(run.t, run["theta"], label=f"starts at {rate:.2f} rad/s")
    if rate in rates:
        assert np.ptp(run["theta"]) < 1e-6
    else:
        assert np.ptp(run["theta"]) > 0.01  # not steady
ax.set(xlabel="t [s]", ylabel=r"$\vartheta$ [rad]")
ax.legend();

# %%
run.animate(trace=["top"], every=0.01, speed=0.3)

# %% [markdown]
# ## Questions
#
# 1. Two bodies have the same mass and the same principal moments about their
#    centres of mass. Must they have the same shape? May a rigid body have
#    $I_{xx} = 1$, $I_{yy} = 1$, $I_{zz} = 3$ kg m²?
# 2. A wheel is balanced statically by one mass. When does that suffice?
# 3. The rotor of this notebook is not held on a shaft but thrown, spinning
#    about $z$. What does it do?
#
# <details><summary>Answers</summary>
#
# 1. No: six numbers do not determine a shape, but they determine the motion.
#    No:
#    $I_{xx} + I_{yy} - I_{zz} = 2\int z^2 dm\ge 0$, the triangle inequality.
#    `model.check()` says so of such a tensor.
# 2. If all of the unbalance lies in one plane across the shaft, as on a thin
#    disc. Then $z$ is the same for all of it, and $I_{xz}$, $I_{yz}$ about
#    the centre vanish together with the eccentricity.
# 3. It wobbles: $\boldsymbol\omega$ is not along a principal axis, so
#    $\boldsymbol\omega\times\boldsymbol\Phi\,\boldsymbol\omega\ne\mathbf 0$ and
#    $\dot{\boldsymbol\omega}\ne\mathbf 0$.
#
# </details>

# %%
impossible = Model("impossible")
impossible.free_body("body", mass=1, inertia=(1, 1, 3))
print(impossible.check()[0])
assert "which no real body has" in impossible.check()[0]
spin = np.array([0, 0, 100.0])
assert np.linalg.norm(np.cross(spin, exact @ spin)) > 100

# %% [markdown]
# ## Where to read on
#
# - Exercises [14](../exercises/14_mass_distribution/README.md),
#   [15](../exercises/15_eulers_equations/README.md):
#   `python -m easydyn exercise 14`.
# - Exercise [09](../exercises/09_spatial/README.md):
#   `python -m easydyn exercise 09`.
# - [Conventions](../docs/conventions.md): elements of the tensor, and their
#   signs.
# - [Notebook 8](08_spatial_robot.ipynb): the gyroscope;
#   [notebook 14](14_motors.ipynb): Newton and Euler in one line.
# - [Notebook 18](18_attitude.ipynb): how the attitude of what tumbles is kept.
