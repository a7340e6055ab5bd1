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
# - make ten thousand runs of one model, and read the map of their results;
# - fit parameters to measured data, and say how certain they are;
# - say which of several uncertain parameters makes a result scatter.
#
# **The question.** One run answers one question: what happens from *here*.
# Where does the double pendulum turn over, and where does it never? That is a
# question about all initial states at once.

# %%
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import LogNorm

from easydyn import GeneralizedForce, Last, Max, Model, Uniform, t, tdisp, trotz

# %% [markdown]
# ## One run
#
# Two slender rods hang one below the other, with the lengths $l_1$, $l_2$ and
# the masses $m_1$, $m_2$. The angle $a$ of the upper rod and the angle $b$ of
# the lower rod are both measured from the vertical. (So the angle in the joint
# is $b - a$.) A rod has *turned over* when its angle is beyond $\pi$ or $-\pi$.
# The frames are those of eqs. (3) and (4). The run stops when a rod turns over:
# there is an event for each rod and each side.


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
# The pendulum is released at rest, at the angles $a_0$, $b_0$. Its energy is
# constant, and equal to the potential energy at the start,
#
# $$V(a, b) = -g\left[\left(\tfrac{m_1}2 + m_2\right) l_1\cos a +
# \tfrac{m_2}2\,l_2\cos b\right]$$
#
# To turn over, the lower rod has to pass $b = \pi$. The least energy there is
# $V(0, \pi)$: the upper rod hangs ($a = 0$), and nothing moves. For the upper
# rod to turn over, the least energy is $V(\pi, 0)$, which is more. So
#
# $$V(a_0, b_0) < V(0, \pi)\quad\Rightarrow\quad\text{it never turns over}$$
#
# For equal rods this is $3\cos a_0 + \cos b_0 > 2$. This law needs no
# simulation. **It does not say** what happens outside of this region: a
# pendulum with enough energy may turn over, but need not. Simulations answer
# that.
#
# ## Ten thousand runs
#
# The starts are a grid of 100 by 100. Of each run only its end time is kept: 20
# s, or the instant at which a rod turned over. These runs need no Python
# between their steps, so the processor computes sixteen of them at once.

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
# White starts have not turned over within 20 s. The red line is the law,
# $3\cos a_0 + \cos b_0 = 2$. Nothing inside of it is coloured: none of the ten
# thousand runs contradicts the law. Outside there are broad bands, in which
# neighbouring starts turn over at similar times. There is also a ragged fringe,
# in which they do not. There the motion is chaotic, and the time until a rod
# turns over depends on the last digit of the start. The map is symmetric:
# turned by half a turn it is the same, because the mirror image of a motion is
# a motion, too.

# %%
assert not turned[energy > 2].any(), "energy forbids it"
same = turned == turned[::-1, ::-1]
print(f"mirrored starts do the same: {same.mean():.2%}")
assert same.mean() > 0.9
beyond = ~turned & (energy < 2)
print(f"{beyond.sum()} could, and did not within 20 s")
assert beyond.any() and turned.any()

# %% [markdown]
# **How far can this map be trusted?** Where it is smooth, each run is accurate
# to its tolerance. In the fringe a run with another tolerance turns over at
# another time, so a single point there has no meaning. But the position and the
# width of the fringe do not depend on the tolerance. We repeat every fourth
# angle with a smaller tolerance. The early times and the share of the starts
# that turn over stay the same:

# %%
coarse = angles[::4]
again = model.study(
    20, over={"a": coarse, "b": coarse}, keep={"end": Last(t)}, tolerance=1e-8
).run()["end"].reshape(25, 25)
before = end[::4, ::4]
quick = before < 2
print(f"early: at most {np.abs(again - before)[quick].max():.1e} s apart")
assert np.abs(again - before)[quick].max() < 1e-4
assert abs((again < 20).mean() - (before < 20).mean()) < 0.05

# %% [markdown]
# ## From data to parameters
#
# The angle of a pendulum was measured. What is its length $l$, and how large is
# its damping? The model has a damping $c$ in its pivot and a mass of 1 kg.
# (Only ratios of forces and masses follow from a motion.) The data are made
# here, so the true values are known: $l = 0.9$ m, $c = 0.05$ N m s, and noise
# of 0.02 rad.


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
# **Least squares.** The residuals $r_i = y(t_i; x) - y_i$ are the differences
# between model and data. We look for the $x = (l, c)$ with the smallest
# $\sum r_i^2$. A small change $\Delta x$ changes the residuals to
# $r + J\,\Delta x$, with the derivatives $J = \partial y/\partial x$. The sum
# of their squares is smallest where
#
# $$J^T(r + J\,\Delta x) = 0\quad\Rightarrow\quad\Delta x = -(J^T J)^{-1} J^T r$$
#
# This is a step of the method of *Gauss and Newton*. Several steps lead to the
# minimum. $J$ comes from the tangent equations, which are integrated with the
# motion
# (`model.sensitivity`).
#
# **How certain is the result?** Errors $\delta y$ of the data shift the minimum
# by $\delta x = (J^T J)^{-1} J^T\delta y$. If these errors are independent,
# with the variance $\sigma^2$, the covariance of $x$ is
#
# $$C = \sigma^2\,(J^T J)^{-1}$$
#
# $\sigma^2$ is estimated from the residuals at the minimum, by
# $\sum r_i^2/(N - 2)$. The divisor is $N - 2$ because two parameters are fitted
# to $N$ values.

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
# `fit` does the same. It also limits its steps, so that they converge from a
# poor guess, gives confidence intervals, and says which parameters the data do
# not determine:

# %% alt="Angle over time: dots with noise, and the fitted curve through them"
fit = pendulum.fit(data, {"l": (0.3, 2), "c": 0.2}, to={"q": "angle"})
print(fit)
np.testing.assert_allclose(list(fit.parameters.values()), x, rtol=1e-4)
np.testing.assert_allclose(list(fit.errors.values()), errors, rtol=1e-2)
assert abs(fit["l"] - 0.9) < 4 * fit.errors["l"]
assert fit.errors["l"] / fit["l"] < 0.002 < 0.01 < fit.errors["c"] / fit["c"]
fit.plot();

# %% [markdown]
# ## Which parameter matters?
#
# No machine is exactly as it was drawn. The pendulum is released at $q_0$. Its
# length, its damping and $q_0$ are known to some per cent. How much does its
# largest rate scatter, and *which of the three causes the scatter*?
#
# The variance of a result $y$ can be divided among the parameters $x_i$. First,
# hold $x_i$ and average $y$ over all other parameters. The variance of this
# average is the part that $x_i$ causes *alone*. Second, hold all other
# parameters and let only $x_i$ vary. The mean variance is the part that $x_i$
# causes alone or *together with others*. Divided by the whole variance, these
# are **Sobol's indices** of first order, $S_i$, and total, $T_i$:
#
# $$S_i = \frac{V[E(y\,|\,x_i)]}{V(y)},\qquad
# T_i = \frac{E[V(y\,|\,\text{all but } x_i)]}{V(y)}$$
#
# By hand, without a damper: $\dot q_{max}^2 = \frac{2g}l(1 - \cos q_0)$, so
# that for small changes $\frac{\delta\dot q}{\dot q} = -\frac12\frac{\delta l}l
# + \frac12\frac{\sin q_0}{1 - \cos q_0}\,\delta q_0$. The parts of the variance
# are the variances of these two terms. A uniform distribution of the width $w$
# has the variance $w^2/12$.

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
first, total = shares.first["fastest"], shares.total["fastest"]
assert abs(first["l"] - by_l / (by_l + by_q)) < 0.05
assert all(abs(first[name] - total[name]) < 0.1 for name in "lcq")
assert abs(first["l"] - 0.6) < 0.1 > abs(first["q"] - 0.4) and total["c"] < 0.05
shares.plot();

# %% [markdown]
# The indices of first order and the total ones are nearly equal: within such
# small ranges the result is a sum of the effects of the parameters. A scatter
# plot of the runs shows the same. A parameter matters if the cloud over it has
# a clear slope.

# %% alt="Largest rate over l, c and q: a clear fall with l, no slope with c, a rise with q"
shares.result.plot_scatter("fastest");

# %% [markdown]
# ## Questions
#
# 1. In the map, why are the bands that turn over at once so smooth, although
#    the double pendulum is chaotic?
# 2. The fit has found $l$ to a tenth of a percent, $c$ only to some percent.
#    Why does the angle determine the length so much better than the damping?
# 3. A parameter has $S = 0$ and $T = 0.5$. What is its effect, and would a plot
#    of the result over this parameter show it?
#
# <details><summary>Answers</summary>
#
# 1. Chaos needs time: neighbours part as $e^{\lambda t}$. A rod that turns over
#    in the first swing leaves no time for that.
# 2. The length sets the frequency, and an error of it grows with time: after
#    many periods the phase is off. The damping only changes the amplitude, and
#    slowly.
# 3. It changes the effects of *other* parameters, but the mean over these does
#    not depend on it. So the cloud in the plot has no slope. Its width changes.
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
