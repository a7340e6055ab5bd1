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
# # 6. A closed loop in minimal coordinates: the slider-crank
#
# **After this notebook you can**
#
# - describe a mechanism with a closed loop by one coordinate and a formula;
# - check that the loop is closed, and know where the formula fails;
# - compute the forces in the pins and in the guide, and check them.
#
# **The question.** A crank, a rod, a slider: three bodies, nine coordinates in
# the plane, and one degree of freedom. Can the loop be closed without any
# equation of
# constraint?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy
from sympy import asin, cos, sin

from easydyn import Cut, EasyDynError, Model, tdisp, trotz

# %% [markdown]
# ## Solve the loop first
#
# The crank (length $l_1$) turns by $q$, the rod (length $l_2$) leans back by
# $\alpha$, the slider is at $x$. The pin between crank and rod has the same
# height on both: $l_1\sin q = l_2\sin\alpha$. So
#
# $$\alpha = \arcsin\left(\frac{l_1\sin q}{l_2}\right) \qquad x = l_1\cos q + l_2\cos\alpha \tag{39}$$
#
# and the frames are written with $\alpha$ and $x$ as if they were numbers.
# SymPy differentiates through them.

# %% alt="Sketch of the slider-crank: crank l1 at the angle q, rod l2 leaning back by alpha, slider at x"
mechanism = Model("slider-crank", gravity=(0, -9.81, 0))
(q,) = mechanism.coordinates("q", initial=1)
l1, l2 = mechanism.parameters(l1=1, l2=2)

alpha = asin(l1 * sin(q) / l2)
x = l1 * cos(q) + l2 * cos(alpha)

crank = mechanism.body(
    "crank", trotz(q) * tdisp(l1 / 2, 0, 0), mass=1, inertia=(0, 0, 0.0833)
)
T_rod = tdisp(x, 0, 0) * trotz(-alpha) * tdisp(-l2 / 2, 0, 0)
rod = mechanism.body("rod", T_rod, mass=2, inertia=(0, 0, 0.6667))
slider = mechanism.body("slider", tdisp(x, 0, 0), mass=5, inertia=(0, 0, 2))
mechanism.scene().sketch(points=True, names={"alpha": alpha, "x": x});

# %%
rod.T

# %% [markdown]
# **Is the loop closed?** The end of the crank and the beginning of the rod must
# be the same point, for every $q$:

# %%
gap = crank.T * (l1 / 2, 0, 0) - rod.T * (-l2 / 2, 0, 0)
gap = [sympy.simplify(c) for c in gap]
assert gap == [0, 0, 0]
gap

# %% alt="The slider-crank at eight angles of the crank"
fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
for k, angle in enumerate(np.linspace(0, 2 * np.pi, 9)[:-1]):
    pin = np.array([np.cos(angle), np.sin(angle)])
    end = np.cos(angle) + np.sqrt(4 - np.sin(angle) ** 2)
    ax.plot([0, pin[0], end], [0, pin[1], 0], "o-", color=plt.cm.viridis(k / 8))
    ax.plot(end, 0, "s", ms=12, color=plt.cm.viridis(k / 8), alpha=0.6)
ax.set(aspect="equal", xlabel="x [m]", ylabel="y [m]");

# %% [markdown]
# Move it yourself: one slider is enough for three bodies.

# %%
mechanism.explore(limits={"q": (0, 6.28)})

# %% [markdown]
# ## Velocity and partial contributions
#
# The partial contribution $\mathbf d$ of $q$ to the slider's velocity is
# $dx/dq$ along x. The textbook has
# $\dot x = -l_1\sin q\left(1 + \dfrac{l_1\cos q}{\sqrt{l_2^2 - l_1^2\sin^2 q}}\right)\dot q$:

# %%
textbook = (
    -l1 * sin(q) * (1 + l1 * cos(q) / sympy.sqrt(l2**2 - l1**2 * sin(q) ** 2))
)
values = {q: 0.7, l1: 1, l2: 2}
print(slider.d[q][0].subs(values).evalf(), "=", textbook.subs(values).evalf())
assert abs((slider.d[q][0] - textbook).subs(values).evalf()) < 1e-14
rod.omega[2]

# %% [markdown]
# ## One equation of motion
#
# Eq. (8) has one element left,
# $M = \sum_i m_i\mathbf d_i\cdot\mathbf d_i + I_i\theta_i^2$ with the masses
# $m_i$, the moments of inertia $I_i$ and the rates of turning $\theta_i$ per
# $\dot q$: the inertia that the crank "feels". It depends on the angle of the
# crank, because the $\mathbf d_i$ and $\theta_i$ of the other bodies do. It is
# smallest at the dead points, where the slider stands still:

# %% alt="Inertia over the angle of the crank: low at 0 and pi, with two high humps between"
system = mechanism.compile()
angles = np.linspace(0, 2 * np.pi, 200)[:, None]
M = system.mass_matrix(0, angles)[:, 0, 0]

fig, ax = plt.subplots(layout="constrained")
ax.plot(angles, M)
ax.set(xlabel="q [rad]", ylabel="M [kg m²]")
ax.set_title("inertia as seen from the crank")
assert np.isclose(M.min(), M[0])
assert np.isclose(system.mass_matrix(0, [np.pi])[0, 0], M[0])
ax.grid(True, alpha=0.3)

# %% [markdown]
# $\mathbf M$ at $q = 0$ by hand: the crank turns about its end, the rod turns
# about the slider at half the rate of the crank, the slider rests.

# %%
by_hand = 0.0833 + 1 * 0.5**2 + 0.5**2 * (0.6667 + 2 * 1**2)
print(by_hand, M[0])
assert np.isclose(by_hand, M[0])

# %% [markdown]
# ## A run
#
# Released at $q = 1$ rad, at rest:

# %% alt="The angle of the crank over six seconds: it swings between 1 and -4.1 rad"
run = mechanism.simulate(6)
run.plot("q")
assert abs(run["q"].max() - 1) < 0.01 > abs(run["q"].min() + 1 + np.pi)

# %%
run.animate(plots=["q", "q.dot"], every=0.02)

# %% [markdown]
# **Check against a closed form.** With one coordinate, energy alone gives the
# velocity at every angle, $\tfrac12 M(q)\,\dot q^2 = V(1) - V(q)$, and the
# period is an integral, $P = 2\displaystyle\int \frac{dq}{\dot q}$ from one
# turning point to the other. The weights lie on heights of
# $\tfrac{l_1}{2}\sin q$ (crank and rod both), so
# $V = (m_1 + m_2)\,g\,\tfrac{l_1}{2}\sin q$.

# %%
# q = middle + half * sin(u): no infinite 1/qd where it turns, at 1 and -pi - 1
middle, half = -np.pi / 2, 1 + np.pi / 2
u = (np.arange(2000) + 0.5) / 2000 * np.pi - np.pi / 2
angle = middle + half * np.sin(u)
V = (1 + 2) * 9.81 * 0.5 * np.sin(angle)
V0 = (1 + 2) * 9.81 * 0.5 * np.sin(1.0)
qd = np.sqrt(2 * (V0 - V) / system.mass_matrix(0, angle[:, None])[:, 0, 0])
period = 2 * np.sum(half * np.cos(u) / qd) * np.pi / 2000

# it is back, and turns
top = np.flatnonzero((run["q.dot"][:-1] > 0) & (run["q.dot"][1:] <= 0))[-1]
share = run["q.dot"][top] / (run["q.dot"][top] - run["q.dot"][top + 1])
measured = run.t[top] + share * (run.t[top + 1] - run.t[top])
print(f"period: {measured:.5f} s in the run, {period:.5f} s from the energy")
assert abs(measured - period) < 1e-3

# %% [markdown]
# ## Forces in the bearings
#
# The equation of motion does not contain the forces in the pins, but a designer
# needs them. Cut the mechanism at its joints, and say which forces and moments
# each joint can transmit. The balances of the bodies then give these forces:

# %% alt="Forces of main bearing and guide over time, with peaks where the crank passes the bottom"
base, crank_pin, slider_pin, guide = run.reactions(
    Cut("crank", "ground", "Fx Fy", at=(-0.5, 0, 0)),  # a pin in the plane
    Cut("rod", "crank", "Fx Fy", at=(-1, 0, 0)),
    Cut("slider", "rod", "Fx Fy"),
    Cut("slider", "ground", "Fy Mz"),  # a guide along x
)
fig, ax = plt.subplots(layout="constrained")
ax.plot(run.t, base.force[:, :2], label=["main bearing, x", "main bearing, y"])
ax.plot(run.t, guide.force[:, 1], label="guide, y")
ax.set(xlabel="t [s]", ylabel="force [N]")
ax.grid(True, alpha=0.3)
ax.legend();

# %% [markdown]
# **Check with the mechanism as a whole.** Only the main bearing and the guide
# touch it from outside. Their sum, and gravity, must make the acceleration of
# all the mass, $\sum_i m_i\mathbf a_i$:

# %%
mass_times_acceleration = (
    1 * run.of(crank.a) + 2 * run.of(rod.a) + 5 * run.of(slider.a)
)
outside = base.force + guide.force + [0, -(1 + 2 + 5) * 9.81, 0]
print(
    "largest difference:", np.abs(outside - mass_times_acceleration).max(), "N"
)
assert np.abs(outside - mass_times_acceleration).max() < 1e-4
assert np.abs(guide.force[:, 1]).max() > 1.1 * 5 * 9.81  # question 3

# %% [markdown]
# ## Where the formula fails
#
# With $l_1 > l_2$ there are angles that the crank cannot reach, because the
# arcsine has no value. The run stops there, and the error says where:

# %%
try:
    mechanism.simulate(6, parameters={"l1": 2.5}, initial={"q": 0.3})
except EasyDynError as error:
    print(error)
    print("\nreached:", error.trajectory.t[-1], "s")
    reached = error.trajectory["q"][-1]
assert abs(reached + 0.927) < 0.01

# %% [markdown]
# $2.5\sin q = -2$ at $q = -0.927$ rad: there the rod is perpendicular to the
# guide, and cannot lean further. The arcsine also describes only one of the two
# ways to assemble the loop, with the slider to the right of the pin. Mechanisms
# with
# several loops, or with several branches, need more care.
#
# ## Questions
#
# 1. How would you describe the mechanism with the slider to the *left* of the
#    pin?
# 2. The coordinate could also be $x$, with $q$ from the cosine rule. Why is $q$
#    the better choice?
# 3. With a guide along $x$ and no friction, why is the largest guide force not
#    simply the weight of the slider?
#
# <details><summary>Answers</summary>
#
# 1. $x = l_1\cos q - l_2\cos\alpha$, and the rod's frame with $\pi + \alpha$ in
#    place of $-\alpha$.
# 2. At the dead points $dq/dx$ is infinite: the crank could not pass them. $q$
#    goes round and round.
# 3. The rod leans on the slider: the force along the rod has a component across
#    the guide.
#
# </details>
#
# ## Where to read on
#
# - Exercise [07](../exercises/07_slider_crank/README.md):
#   `python -m easydyn exercise 07`.
# - [Reactions](../docs/reactions.md): cuts in trees and in loops.
# - [Notebook 13](13_closed_loops.ipynb): loops that are not solved by hand.
# - [Notebook 7](07_hydraulic_jack.ipynb): stiff equations, and states without
#   inertia.
