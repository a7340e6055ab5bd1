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
# # 0. Ten minutes: from a matrix to a moving pendulum
#
# **After this notebook you can**
#
# - describe a mechanism by one matrix for each body, and see it move;
# - get velocities, partial contributions and the equation of motion from the
#   model;
# - check a result in two independent ways.
#
# **The question.** You know *where* a body is. What else does it take to know
# how it *moves*?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Model, tdisp, trotz, visu

# %% [markdown]
# ## A rod on a hinge
#
# A rod of length $l$ hangs from a hinge; $q$ is its angle from the vertical. We
# attach a frame to its centre of mass. The *homogeneous transformation matrix*
# says where this frame is:
#
# $$\mathbf T = \begin{pmatrix}\mathbf R & \mathbf e\\ \mathbf 0 &
# 1\end{pmatrix} \tag{1}$$
#
# $\mathbf R$ holds the directions of the frame's axes, $\mathbf e$ the position
# of its origin. Nobody writes the sixteen elements: we build $\mathbf T$ as a
# product, from the ground outwards. Turn about $z$ by $q$, then go down by
# $l/2$ along the *turned* axis.

# %%
pendulum = Model("pendulum", gravity=(0, -9.81, 0))  # the y axis points upwards
(q,) = pendulum.coordinates("q", initial=2.0)  # rad; SI units everywhere
l, m = pendulum.parameters(l=1.2, m=1.1)
rod = pendulum.body(
    "rod",
    trotz(q) * tdisp(0, -l / 2, 0),
    mass=m,
    inertia=(0, 0, m * l**2 / 12),  # kg m2: about x, y and z
    shape=visu.Box(0.05, 1.2, 0.05, colour="orange"),  # for the eye alone
)
rod.T

# %% [markdown]
# The mechanism as a textbook would draw it, at $q = 0.6$ rad. The program draws
# it from the matrix alone. The circle in four quarters is the centre of mass,
# $l$ is the length in the product, and $g$ shows the direction of gravity.

# %% alt="Sketch of the pendulum: a rod of length l hangs from a hinge, at the angle q from the vertical"
pendulum.scene(initial={"q": 0.6}).sketch();

# %% [markdown]
# (Declarations return a tuple, hence the parentheses and the comma around a
# single `q`.)
#
# ## It moves
#
# That was the whole description. The next cell simulates ten seconds, from rest
# at $q = 2$ rad. To start or stop the motion, press ► under the picture, or
# click into the picture and press Space. Drag to turn the picture; ? shows
# more.

# %%
run = pendulum.simulate(10, save_every=0.02)
run.animate(trace=[("rod", (0, -0.6, 0))])

# %% alt="The angle q over ten seconds: an even swing between 2 and -2 rad"
run.plot("q")
assert abs(run["q"].min() + 2) < 0.01

# %% [markdown]
# `run.frames("rod")` holds the matrix $\mathbf T$ at every saved instant. The
# tip of the rod has the body coordinates $(0, -l/2, 0)$; a matrix product takes
# it to the ground frame. The hinge is at $(0, l/2, 0)$.

# %% alt="The rod at fifteen instants of its first swing, and the arc of its tip"
T = run.frames("rod")
tip = (T @ [0, -0.6, 0, 1])[:, :2]
hinge = (T @ [0, 0.6, 0, 1])[:, :2]

fig, ax = plt.subplots(layout="constrained")
ax.plot(*tip.T, color="lightgray")
for k in range(0, 60, 4):
    ax.plot(*zip(hinge[k], tip[k]), color=plt.cm.viridis(k / 60), lw=3)
ax.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="the first 1.2 s");

# %% [markdown]
# ## Look at the mechanics
#
# Everything that lies between the matrix and the motion has a name, a formula
# and a number. The velocity of the centre of mass is the derivative of
# $\mathbf e$:

# %%
rod.v

# %% [markdown]
# The *partial contribution* $\mathbf d$ is the factor of $\dot q$ in this
# velocity. $\boldsymbol\theta$ is the factor of $\dot q$ in the angular
# velocity $\boldsymbol\omega$. Notebook 3 uses both:
#
# $$\mathbf v = \mathbf d\,\dot q \qquad \boldsymbol\omega =
# \boldsymbol\theta\,\dot q \tag{5}$$

# %%
rod.d[q]

# %%
rod.theta[q]

# %% [markdown]
# And the equation of motion is of the form
#
# $$\mathbf M(q)\,\ddot q + \mathbf h(q, \dot q, t) = 0 \tag{7}$$
#
# The mass matrix $\mathbf M$ is one number here. $\mathbf h$ contains all terms
# without $\ddot q$.

# %%
pendulum.equations().simplified()

# %% [markdown]
# $m l^2/3$ is the moment of inertia of a rod about its end, so $\mathbf M$ is
# right. The acceleration in one state needs no simulation:

# %%
system = pendulum.compile()
assert np.isclose(system.mass_matrix(0, [2.0])[0, 0], 1.1 * 1.2**2 / 3)
acceleration = system.accelerations(0, [2.0], [0.0])[0]
by_hand = -1.5 * 9.81 / 1.2 * np.sin(2.0)
print(
    f"acceleration at q = 2 rad, at rest: {acceleration:.9f} rad/s2;",
    f"-(3 g/2 l) sin(q) is {by_hand:.9f}",
)
assert np.isclose(acceleration, by_hand)

# %% [markdown]
# ## Believe it?
#
# **Check 1: energy.** There is no friction, so the total energy may not change.

# %% alt="Kinetic and potential energy rise and fall against each other; their sum is a level line"
run.plot_energy()
drift = np.ptp(run.energy.total)
print(
    f"the total energy changes by {drift:.1e} J,",
    f"the kinetic energy by {np.ptp(run.energy.kinetic):.1f} J",
)
assert drift < 1e-3

# %% [markdown]
# **Check 2: a closed form.** The period of a large swing is known:
# $P = 4\sqrt{\dfrac{2l}{3g}}\,K\!\left(\sin^2\dfrac{q_0}{2}\right)$ with the
# complete elliptic integral $K$. In the run we look for the instants at which
# the rod passes through $q = 0$: there are two in every period.

# %%
before = np.flatnonzero(np.diff(np.sign(run["q"])))
crossings = (
    run.t[before]
    - run["q"][before] * np.diff(run.t)[before] / np.diff(run["q"])[before]
)
measured = 2 * np.diff(crossings).mean()
exact = (
    4
    * np.sqrt(2 * 1.2 / (3 * 9.81))
    * float(sympy.elliptic_k(np.sin(1.0) ** 2))
)
print(f"period: {measured:.5f} s in the run, {exact:.5f} s by the formula")
assert abs(measured - exact) < 1e-3
heavy = pendulum.simulate(10, save_every=0.02, parameters={"m": 2.2})
assert np.abs(heavy["q"] - run["q"]).max() < 1e-4

# %% [markdown]
# ## Change something
#
# Parameters and initial values can be changed without deriving anything again.
# The hanging rod gets a push. At 6 rad/s it does not go over the top, at 8
# rad/s it does:

# %% alt="The angle after two pushes: at 6 rad/s it swings, at 8 rad/s it grows without end"
fig, ax = plt.subplots(layout="constrained")
for push in (6, 8):
    pushed = pendulum.simulate(5, initial={"q": 0, "q.dot": push})
    pushed.plot("q", ax=ax)
    assert (pushed["q"].max() > np.pi) == (push == 8)
ax.legend(["6 rad/s", "8 rad/s"])
for push in (6.9, 7.1):  # question 1: 7.00 just reaches the top
    pushed = pendulum.simulate(5, initial={"q": 0, "q.dot": push})
    assert (pushed["q"].max() > np.pi) == (push > 7)

# %% [markdown]
# ## Questions
#
# 1. At which push does the rod just reach the top? Use the energy, then try it
#    with `simulate`.
# 2. What happens to the period when `m` is doubled? Look at the equation before
#    you run `pendulum.simulate(10, parameters={"m": 2.2})`.
# 3. Write the rod with the two factors in the other order,
#    `tdisp(0, -l/2, 0) * trotz(q)`. Which mechanism is this?
#
# <details><summary>Answers</summary>
#
# 1. $\tfrac12 \tfrac{m l^2}{3} \dot q^2 = m g l$, so
#    $\dot q = \sqrt{6g/l} = 7.00$ rad/s.
# 2. Nothing: $m$ is a common factor of $\mathbf M$ and $\mathbf h$.
# 3. The centre of mass stays at $(0, -l/2)$, and the rod turns about it: a
#    wheel, not a pendulum. Gravity has no moment about the centre of mass, so
#    $\ddot q = 0$.
#
# </details>
#
# ## Where to read on
#
# - [Notebook 1](01_frames.ipynb): what exactly a product of transforms means.
# - [Conventions](../docs/conventions.md): frames, signs, units, on one page.
