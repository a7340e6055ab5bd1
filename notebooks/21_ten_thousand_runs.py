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
# # 21. From one run to ten thousand
#
# **After this notebook you can**
#
# - ask one model for ten thousand runs, and read the map that they draw;
# - fit parameters to measured data, and say how certain they are;
# - tell which of the things that you do not know makes your result scatter.
#
# **The question.** One run answers one question: what happens from *here*.
# Where does the double pendulum turn over, and where does it never? That is a
# question about all starts at once.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from easydyn import GeneralizedForce, Last, Max, Model, Uniform, t, tdisp, trotz

# %% [markdown]
# ## One run
#
# Two slender rods hang below each other, with the lengths $l_1$, $l_2$ and the
# masses $m_1$, $m_2$. Both angles, $a$ of the upper rod and $b$ of the lower
# one, are from the vertical (the angle in the joint is $b - a$), so that a rod
# has *turned over* when its angle is beyond $\pi$. The frames are those of
# eqs. (3) and (4). Where a rod turns over the run stops: an event, on each rod,
# to both sides.


# %% alt="Sketch: two rods below each other, with the angles a and b from the vertical"
def double_pendulum():
    model = Model("double pendulum", gravity=(0, -9.81, 0))
    a, b = model.coordinates("a b", initial=(2, 2.5))
    l1, l2, m1, m2 = model.parameters(l1=1.0, l2=1.0, m1=1.0, m2=1.0)
    upper = trotz(a) * tdisp(0, -l1 / 2, 0)
    lower = trotz(a) * tdisp(0, -l1, 0) * trotz(b - a) * tdisp(0, -l2 / 2, 0)
    model.body("upper", upper, mass=m1, inertia=(0, 0, m1 * l1**2 / 12))
    model.body("lower", lower, mass=m2, inertia=(0, 0, m2 * l2**2 / 12))
    return model, a, b


model, a, b = double_pendulum()
model.scene(initial={"a": 0.4, "b": 0.9}).sketch();

# %%
for name, angle in (("upper", a), ("lower", b)):
    model.event(angle - np.pi, action="stop", name=f"{name} turns over")
    model.event(angle + np.pi, action="stop", name=f"{name} turns back over")
run = model.simulate(20, method="dop853")
print(run.events[-1])
run.animate(plots=["a", "b"])

# %% [markdown]
# ## Where it can never turn over
#
# The pendulum is let go at rest, at the angles $a_0$, $b_0$. All the energy that
# it will ever have is the potential energy of that place,
#
# $$V(a, b) = -g\left[\left(\tfrac{m_1}2 + m_2\right) l_1\cos a +
# \tfrac{m_2}2\,l_2\cos b\right]$$
#
# To turn over, the lower rod has to pass $b = \pi$. With what is least there,
# the upper rod hanging ($a = 0$) and nothing moving, that takes
# $V(0, \pi)$; the upper rod over the top, the lower one hanging, takes
# $V(\pi, 0)$, which is more. So
#
# $$V(a_0, b_0) < V(0, \pi)\quad\Rightarrow\quad\text{it never turns over}$$
#
# With equal rods: $3\cos a_0 + \cos b_0 > 2$. That is a law without a single
# run. **What it does not say** is what happens outside: enough energy is no
# promise. For that there are runs.
#
# ## Ten thousand runs
#
# A grid of 100 by 100 starts; of each run nothing is kept but when it ended:
# after 20 s, or at its first turn over. Runs that need no Python on their way
# go side by side, sixteen at once in the lanes of the processor.

# %%
angles = np.linspace(-3.1, 3.1, 100)
study = model.study(
    20, over={"a": angles, "b": angles}, keep={"end": Last(t)}
)
print(study)
result = study.run()
end = result["end"].reshape(100, 100)
turned = end < 20
print(f"{turned.sum()} of {end.size} turn over within 20 s")

# %% alt="Map of the time until a rod turns over: a lens in the middle never does, around it bands and a ragged fringe"
fig, ax = plt.subplots(figsize=(6.4, 5.4), layout="constrained")
shown = np.where(turned, end, np.nan)
drawn = ax.pcolormesh(
    angles, angles, shown.T, norm=LogNorm(0.3, 20), cmap="viridis_r"
)
fig.colorbar(drawn, ax=ax, label="until a rod turns over [s]")
A, B = np.meshgrid(angles, angles, indexing="ij")
energy = 3 * np.cos(A) + np.cos(B)
ax.contour(angles, angles, energy.T, levels=[2], colors="C3")
ax.set(xlabel="a at the start [rad]", ylabel="b at the start [rad]")
ax.set_aspect("equal");

# %% [markdown]
# White has not turned over within 20 s; the red line is the law,
# $3\cos a_0 + \cos b_0 = 2$. Inside of it nothing is coloured, as it must be,
# and ten thousand runs did not break it. Outside there are broad bands, where
# neighbours do the same, and a fringe in which they do not: there the motion is
# chaotic, and the time until it turns over is a matter of the last digit.
# The map is the same turned by half a turn: the mirror of a motion is a motion.

# %%
assert not turned[energy > 2].any(), "energy forbids it"
same = turned == turned[::-1, ::-1]
print(f"mirrored starts do the same: {same.mean():.2%}")
assert same.mean() > 0.9
beyond = ~turned & (energy < 2)
print(f"{beyond.sum()} could, and did not within 20 s")
assert beyond.any() and turned.any()

# %% [markdown]
# **How far is a picture to be believed?** Where it is smooth, each run is right
# to its tolerance. In the fringe no run is *the* run from its start: with
# another tolerance it turns over at another time, a little later or earlier.
# But where the fringe is, and how wide, does not depend on that.
#
# ## The way back: from data to parameters
#
# A pendulum was filmed. What is its length $l$, and what brakes it? The model
# has the damping $c$ in its pivot and a mass of 1 kg (a motion tells ratios of
# masses and forces alone). The data are made here, so that the truth is known:
# $l = 0.9$ m, $c = 0.05$ N m s, and noise of 0.02 rad.


# %% alt="Sketch: a pendulum with the angle q and a rod of the length l"
pendulum = Model("pendulum", gravity=(0, -9.81, 0))
(q,) = pendulum.coordinates("q", initial=1.2)
length, c = pendulum.parameters(l=0.7, c=0.2)
bob = trotz(q) * tdisp(0, -length, 0)
pendulum.body("bob", bob, mass=1, inertia=(0, 0, 0))
pendulum.add(GeneralizedForce(q, -c * q.dot))
pendulum.scene(initial={"q": 0.6}).sketch();

# %%
seen = pendulum.simulate(
    8, parameters={"l": 0.9, "c": 0.05}, save_every=0.04, method="dop853"
)
noise = 0.02 * np.random.default_rng(4).normal(size=len(seen))
data = {"t": seen.t, "angle": seen["q"] + noise}

# %% [markdown]
# **Least squares.** With the residuals $r_i = y(t_i; x) - y_i$ between model and
# data, the $x = (l, c)$ is sought that makes $\sum r_i^2$ smallest. Near any
# $x$ a change $\Delta x$ makes of them $r + J\,\Delta x$, with the derivatives
# $J = \partial y/\partial x$. The square has no slope where
#
# $$J^T(r + J\,\Delta x) = 0\quad\Rightarrow\quad\Delta x = -(J^T J)^{-1} J^T r$$
#
# a step of *Gauss and Newton*; several of them lead to the minimum. $J$ comes
# from the tangent equations, which are integrated with the motion
# (`model.sensitivity`).
#
# **How certain?** The noise of the data shifts the minimum by
# $\delta x = (J^T J)^{-1} J^T\delta y$. If its errors are independent, with
# the variance $\sigma^2$, the covariance of $x$ is
#
# $$C = \sigma^2\,(J^T J)^{-1}$$
#
# where $\sigma^2$ follows from the residuals that are left:
# $\sum r_i^2/(N - 2)$, as two unknowns have taken two of $N$ freedoms.

# %%
x = np.array([0.85, 0.1])
for step in range(6):
    values = dict(zip(("l", "c"), x))
    s = pendulum.sensitivity(
        8, ["l", "c"], parameters=values, save_at=seen.t, method="dop853"
    )
    r, J = s.run["q"] - data["angle"], s.gradient("q")
    dx = -np.linalg.solve(J.T @ J, J.T @ r)
    print(f"{step}: {r @ r:8.4f} with l = {x[0]:.4f} m, c = {x[1]:.4f} N m s")
    x = x + dx
errors = np.sqrt(np.diag(np.linalg.inv(J.T @ J)) * (r @ r) / (len(r) - 2))

# %% [markdown]
# `fit` does the same, with steps that cannot go astray, intervals, and a word
# on what the data do not determine:

# %% alt="Angle over time: dots with noise, and the fitted curve through them"
fit = pendulum.fit(data, {"l": (0.3, 2), "c": 0.2}, to={"q": "angle"})
print(fit)
np.testing.assert_allclose(list(fit.parameters.values()), x, rtol=1e-4)
np.testing.assert_allclose(list(fit.errors.values()), errors, rtol=1e-2)
assert abs(fit["l"] - 0.9) < 4 * fit.errors["l"]
fit.plot();

# %% [markdown]
# ## What counts?
#
# A machine is never built as it was drawn. Let the pendulum be let go at
# $q_0$, with a length, a damping and a start that are known to some percent. How
# much does its largest rate scatter, and *which of the three is to blame*?
#
# The variance of a result $y$ falls into shares. Hold $x_i$, average over all
# else: what still varies is what $x_i$ makes *alone*. Let nothing but $x_i$
# vary: what varies then is what it makes *with others* as well. Beside the
# whole variance these are **Sobol's indices**, first order and total:
#
# $$S_i = \frac{V[E(y\,|\,x_i)]}{V(y)},\qquad
# T_i = \frac{E[V(y\,|\,\text{all but } x_i)]}{V(y)}$$
#
# By hand, without a damper: $\dot q_{max}^2 = \frac{2g}l(1 - \cos q_0)$, so
# that for small changes $\frac{\delta\dot q}{\dot q} = -\frac12\frac{\delta
# l}l + \frac12\frac{\sin q_0}{1 - \cos q_0}\,\delta q_0$. Each share is the
# square of such a term; of an even range of the width $w$ the variance is
# $w^2/12$.

# %% alt="Bars of both indices of l, c and q with their intervals: l makes three fifths, q two fifths, c nearly nothing"
over = {
    "l": Uniform(0.85, 0.95), "c": Uniform(0.0, 0.02), "q": Uniform(1.17, 1.23),
}
spread = pendulum.study(
    3, over=over, samples=512, keep={"fastest": Max(abs(q.dot))}, seed=1
)
shares = spread.sobol()
print(shares)
by_l = (0.5 * 0.1 / 0.9) ** 2
by_q = (0.5 * np.sin(1.2) / (1 - np.cos(1.2)) * 0.06) ** 2
print(f"by hand l: {by_l / (by_l + by_q):.3f}, q: {by_q / (by_l + by_q):.3f}")
assert abs(shares.first["fastest"]["l"] - by_l / (by_l + by_q)) < 0.05
shares.plot();

# %% [markdown]
# First order and total are nearly alike: within such small ranges the result is
# a sum. Of the runs themselves a scatter plot shows the same: a slope that is
# clear of its cloud is a name that counts.

# %% alt="Largest rate over l, c and q: a clear fall with l, no slope with c, a rise with q"
shares.result.plot_scatter("fastest");

# %% [markdown]
# ## Questions
#
# 1. In the map, why are the bands that turn over at once so smooth, although
#    the double pendulum is chaotic?
# 2. The fit has found $l$ to a tenth of a percent, $c$ only to some percent.
#    Why is a length so much easier to see in an angle than a damper?
# 3. A name has $S = 0$ and $T = 0.5$. What does it do, and would a plot of the
#    result over that name show it?
#
# <details><summary>Answers</summary>
#
# 1. Chaos needs time: neighbours part as $e^{\lambda t}$. What turns over in the
#    first swing has had none.
# 2. The length sets the frequency, and an error of it grows with time: after
#    many periods the phase is off. The damper changes the amplitude, and
#    slowly.
# 3. It decides how *others* act, in both directions alike: alone, on average,
#    it changes nothing. The means over that name stay level; what it changes is
#    the width of the cloud.
#
# </details>
#
# ## Where to read on
#
# - [Studies](../docs/studies.md): executors, clusters, results on disk;
#   [fits](../docs/fits.md): chaos, several columns, what cannot be known;
#   [optimise](../docs/optimise.md): the values with which a machine does best.
# - Exercise [24](../exercises/24_study/README.md): a step of a fit, a map, and
#   Sobol's indices of your own.
# - A. Saltelli and others, *Global Sensitivity Analysis: The Primer*, Wiley
#   2008; G. A. F. Seber, C. J. Wild, *Nonlinear Regression*, Wiley 1989.
# - [Notebook 12](12_inside_the_engine.ipynb): why a run takes microseconds.
