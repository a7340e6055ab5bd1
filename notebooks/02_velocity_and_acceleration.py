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
# # 2. Velocity and acceleration from position
#
# **After this notebook you can**
#
# - derive $\mathbf v, \boldsymbol\omega, \mathbf a, \boldsymbol\alpha$ of any
#   body from its matrix $\mathbf T$;
# - do the same by hand with vectors, and let the computer find your mistake;
# - treat driven frames, and say where the Coriolis acceleration comes from.
#
# **The question.** Position is easy to write down, acceleration is not. How
# much of the work can be left to differentiation, and how do we check the
# result?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    Model,
    System,
    check_motion,
    cross,
    t,
    tdisp,
    trotz,
    vcoord,
    visu,
)

# %% [markdown]
# ## Translation
#
# The position $\mathbf e$ of the origin of a frame depends on the coordinates
# $q_j$, and these on time. By the chain rule
#
# $$\{\mathbf v\}_0 = \frac{d}{dt}\{\mathbf e\}_0 = \sum_j \frac{\partial \{\mathbf e\}_0}{\partial q_j}\,\dot q_j
# \tag{36}$$
#
# The example is the lower arm of the double pendulum. The angles are $q_1$
# (from the vertical) and $q_2$ (between the arms):

# %% alt="Sketch of the double pendulum: two rods of lengths l1 and l2, hinges O and A, angles q1 and q2"
pendulum = Model("double pendulum", gravity=(0, -9.81, 0))
q1, q2 = pendulum.coordinates("q1 q2", initial=(0, 1))
l1, l2 = pendulum.parameters(l1=1.2, l2=1.1)
upper = pendulum.body(
    "upper",
    trotz(q1) * tdisp(0, -l1 / 2, 0),
    mass=1.1,
    inertia=(1, 1, 1.1 * l1**2 / 12),
)
T = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
lower = pendulum.body("lower", T, mass=0.9, inertia=(1, 1, 0.9 * l2**2 / 12))
pendulum.scene(initial={"q1": 0.5, "q2": 0.6}).sketch(points=True);

# %%
sympy.Matrix(T.e)

# %% [markdown]
# Eq. (36) in two lines of SymPy, beside what the toolkit derives:

# %%
e = sympy.Matrix(T.e)
v = e.diff(q1) * q1.dot + e.diff(q2) * q2.dot
assert sympy.simplify(v - lower.v) == sympy.zeros(3, 1)
lower.v

# %% [markdown]
# ## Rotation
#
# The angular velocity $\boldsymbol\omega$ follows from the derivative of the
# rotation tensor $\mathbf R$. Its skew tensor is
#
# $$\tilde{\boldsymbol\omega} = \begin{pmatrix}0 & -\omega_z & \omega_y\\ \omega_z & 0 & -\omega_x\\
# -\omega_y & \omega_x & 0\end{pmatrix} = \dot{\mathbf R}\,\mathbf R^T \tag{37}$$
#
# Why is it skew? Because $\mathbf R\mathbf R^T = \mathbf 1$ at all times:
# differentiate, and
# $\dot{\mathbf R}\mathbf R^T + (\dot{\mathbf R}\mathbf R^T)^T = 0$.

# %%
R = sympy.Matrix(T.R.matrix)
R_dot = R.diff(q1) * q1.dot + R.diff(q2) * q2.dot
sympy.simplify(R_dot * R.T)

# %%
lower.omega

# %% [markdown]
# ## Accelerations
#
# The acceleration $\mathbf a$ and the angular acceleration $\boldsymbol\alpha$
# take one more derivative in time, now of expressions in $q$ *and* $\dot q$:
#
# $$\mathbf a = \frac{d}{dt}\mathbf v \qquad \boldsymbol\alpha = \dot{\boldsymbol\omega} =
# \frac{d}{dt}\boldsymbol\omega
# \tag{38}$$


# %%
def rate(expression):
    """Total derivative in time, by the chain rule."""
    pairs = [(q1, q1.dot), (q2, q2.dot), (q1.dot, q1.ddot), (q2.dot, q2.ddot)]
    return sum(
        (expression.diff(x) * x_dot for x, x_dot in pairs), sympy.zeros(3, 1)
    )


assert sympy.simplify(rate(v) - lower.a) == sympy.zeros(3, 1)
lower.a[0]

# %%
lower.alpha

# %% [markdown]
# The first result is the x component of $\mathbf a$, the second is
# $\boldsymbol\alpha$. Terms with $\ddot q$ come from the accelerations of the
# coordinates. Terms with $\dot q^2$ are centripetal. The term with
# $\dot q_1 \dot q_2$ is the Coriolis term.
#
# ## In numbers, checked by differences
#
# A formula may be wrong and still look right. Differences of positions are an
# independent check:
# $\mathbf v \approx (\mathbf e(t + h) - \mathbf e(t - h)) / 2h$.

# %%
run = pendulum.simulate(2, tolerance=1e-9, step=0.001)
place = run.frames("lower")[:, :3, 3]
by_differences = (place[2:] - place[:-2]) / 0.002
by_formula = run.of(lower.v)[1:-1]
print(
    "largest difference of velocities:    ",
    np.abs(by_differences - by_formula).max(),
    "m/s",
)

second = (place[2:] - 2 * place[1:-1] + place[:-2]) / 0.001**2
print(
    "largest difference of accelerations: ",
    np.abs(second - run.of(lower.a)[1:-1]).max(),
    "m/s2",
)
assert np.abs(by_differences - by_formula).max() < 1e-4
assert np.abs(second - run.of(lower.a)[1:-1]).max() < 1e-2

# %% [markdown]
# A picture of both at eight instants: velocity (blue) is tangent to the path of
# the centre of mass, acceleration (red) points to its hollow side.

# %% alt="Path of the centre of mass with velocities along it and accelerations to its hollow side"
fig, ax = plt.subplots(layout="constrained")
ax.plot(place[:, 0], place[:, 1], color="lightgray")
pick = slice(0, 1200, 150)
for u, colour, scale in (
    (run.of(lower.v), "tab:blue", 10),
    (run.of(lower.a), "tab:red", 60),
):
    ax.quiver(
        *place[pick, :2].T,
        *u[pick, :2].T,
        color=colour,
        angles="xy",
        scale=scale,
        width=0.005,
    )
ax.set(
    aspect="equal",
    xlabel="x [m]",
    ylabel="y [m]",
    title="centre of mass of the lower arm",
);

# %% [markdown]
# The same in motion, with arrows at the centre of mass (velocity blue,
# acceleration red):

# %%
scene = pendulum.scene()
scene.add(
    "lower",
    visu.Arrow(lower.v, scale=0.15, colour="blue"),
    visu.Arrow(lower.a, scale=0.03, colour="vermilion"),
)
run.animate(scene=scene, every=0.02, speed=0.5)

# %% [markdown]
# ## By hand, and checked
#
# Engineers wrote this with vectors long before there was computer algebra:
#
# $$\mathbf a_{G_2} = \boldsymbol\alpha_1\times\mathbf{OA} +
# \boldsymbol\omega_1\times(\boldsymbol\omega_1\times\mathbf{OA}) +
# \boldsymbol\alpha_2\times\mathbf{AG}_2 +
# \boldsymbol\omega_2\times(\boldsymbol\omega_2\times\mathbf{AG}_2) \tag{32}$$
#
# Here O is the fixed hinge, A the elbow, $G_2$ the centre of mass of the lower
# arm; an index 1 is the upper arm, 2 the lower one. A `System` takes a function
# that computes these vectors in numbers. A printed listing of this example has
# $\boldsymbol\omega\times(\boldsymbol\alpha\times\mathbf{AG}_2)$ as its last
# term. Let us write it as printed:


# %%
def as_printed(t, q, qd, qdd, bodies):
    one, two = bodies
    one.T = trotz(q[0]) * tdisp(0, -0.6, 0)
    one.omega, one.omegad = vcoord(0, 0, qd[0]), vcoord(0, 0, qdd[0])
    OG1 = one.T.e
    one.vG = cross(one.omega, OG1)
    one.aG = cross(one.omegad, OG1) + cross(one.omega, cross(one.omega, OG1))

    two.T = trotz(q[0]) * tdisp(0, -1.2, 0) * trotz(q[1]) * tdisp(0, -0.55, 0)
    two.omega = one.omega + vcoord(0, 0, qd[1])
    two.omegad = one.omegad + vcoord(0, 0, qdd[1])
    AG2 = two.T.R * vcoord(0, -0.55, 0)
    two.vG = 2 * one.vG + cross(two.omega, AG2)  # A moves twice as fast as G1
    two.aG = (
        2 * one.aG
        + cross(two.omegad, AG2)
        + cross(two.omega, cross(two.omegad, AG2))
    )  # the slip


system = System(
    "by hand",
    as_printed,
    coordinates="q1 q2",
    gravity=(0, -9.81, 0),
    initial=(0, 1),
)
system.body("upper", mass=1.1, inertia=(1, 1, 0.132))
system.body("lower", mass=0.9, inertia=(1, 1, 0.09075))
findings = check_motion(system)
for finding in findings:
    print(finding)
assert findings and all("lower" in str(finding) for finding in findings)

# %% [markdown]
# `check_motion` differentiates $\mathbf T$ and names the body and the
# component. With the right term it finds no mistake:


# %%
def mended(t, q, qd, qdd, bodies):
    as_printed(t, q, qd, qdd, bodies)
    one, two = bodies
    AG2 = two.T.R * vcoord(0, -0.55, 0)
    two.aG = (
        2 * one.aG
        + cross(two.omegad, AG2)
        + cross(two.omega, cross(two.omega, AG2))
    )


system = System(
    "by hand",
    mended,
    coordinates="q1 q2",
    gravity=(0, -9.81, 0),
    initial=(0, 1),
)
system.body("upper", mass=1.1, inertia=(1, 1, 0.132))
system.body("lower", mass=0.9, inertia=(1, 1, 0.09075))
assert check_motion(system) == []
by_hand = system.accelerations(0, [0.3, 1], [1, -2])
derived = pendulum.compile().accelerations(0, [0.3, 1], [1, -2])
print("by hand:  ", by_hand)
print("derived:  ", derived)
assert np.allclose(by_hand, derived)

# %% [markdown]
# ## Driven frames: time in T
#
# A bead slides along a line that a motor turns with the constant rate $w$. Its
# frame depends on the coordinate and on time, `T(q, t)`, and the chain rule has
# one more term than eq. (36):
#
# $$\mathbf v = \sum_j \frac{\partial\mathbf e}{\partial q_j}\dot q_j + \frac{\partial\mathbf e}{\partial t}$$

# %% alt="Sketch: a line turns about a pin by the angle t w; a bead is on it, at the distance s"
turntable = Model("bead on a turning line")
(s,) = turntable.coordinates("s", initial=0.1)
(w,) = turntable.parameters(w=3)
bead = turntable.body(
    "bead", trotz(w * t) * tdisp(s, 0, 0), mass=1, inertia=(0, 0, 0)
)
turntable.scene(initial={"s": 0.5}).sketch();

# %%
bead.v

# %% [markdown]
# What does an observer on the line see? Express $\mathbf a$ in the axes of the
# frame, $\mathbf R^T\mathbf a$:

# %%
seen = sympy.simplify(sympy.Matrix(bead.T.R.matrix).T * bead.a)
assert seen == sympy.Matrix([s.ddot - w**2 * s, 2 * w * s.dot, 0])
seen

# %% [markdown]
# Along the line there are $\ddot s$ and the centripetal term $-w^2 s$. Across
# the line there is the **Coriolis acceleration** $2 w \dot s$. It is the mixed
# derivative $\partial^2\mathbf e/\partial s\,\partial t$ times $\dot s$, which
# the chain rule gives twice: once because the velocity along the line turns,
# and once because the circular velocity grows with $s$.
#
# Nothing acts along the line, so $\ddot s = w^2 s$ and $s = s_0 \cosh wt$. Is
# that what the simulation gives?

# %%
run = turntable.simulate(1)
print(
    f"s(1) = {run['s'][-1]:.6f} m, by the closed form {0.1 * np.cosh(3):.6f} m"
)
assert abs(run["s"][-1] - 0.1 * np.cosh(3)) < 1e-4
# questions 1 and 3: without the drift, and the work of the motor
assert bead.d[s] == sympy.Matrix([sympy.cos(w * t), sympy.sin(w * t), 0])
gained = run.energy.kinetic[-1] - run.energy.kinetic[0]
assert abs(run.energy.work[-1] - gained) < 1e-3 * gained

# %% [markdown]
# ## Questions
#
# 1. A partial contribution is found as "the velocity when $\dot q_j = 1$ and
#    all other rates are zero". What does this give for the bead, and what
#    should it give?
# 2. `lower.omega` does not hold $q_1$ nor $q_2$. Is that always so for a body
#    that hangs on two hinges?
# 3. The kinetic energy of the bead grows although no applied force acts. Who
#    does the work?
#
# <details><summary>Answers</summary>
#
# 1. It gives $(\cos wt - w s \sin wt, \dots)$: this includes the drift
#    $\partial\mathbf e/\partial t$. The partial contribution is
#    $\partial\mathbf e/\partial s = (\cos wt, \sin wt, 0)$. The drift has to be
#    subtracted.
# 2. No. It is so because both axes are parallel to $z$. With
#    `trotz(q1) * trotx(q2)` the second axis is turned by $q_1$, so
#    $\boldsymbol\omega$ contains $\cos q_1$ and $\sin q_1$.
# 3. The motor that keeps $w$ constant: the line pushes the bead sideways with
#    $2 m w \dot s$. `run.energy.work` shows it.
#
# </details>
#
# ## Where to read on
#
# - Exercise [02](../exercises/02_velocity/README.md):
#   `python -m easydyn exercise 02`.
# - [Theory](../docs/theory.md), "From position to motion".
# - `easydyn/mechanics/kinematics.py`: eqs. (36) to (38) as a program, two
#   pages.
# - [Notebook 3](03_dalembert.ipynb): how the factors of $\dot q_j$ are used.
