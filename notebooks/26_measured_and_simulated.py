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
# # 26. Measured and simulated
#
# **After this notebook you can**
#
# - read the data that a program has tracked in a film, and find the gaps;
# - fit a model to the data, with the camera as a part of the model;
# - read residuals and intervals, and say when not to believe a fit;
# - do all this with a film or a phone of your own.
#
# **The question.** You film a pendulum with your phone. A stick in the picture
# gives the scale, but you have a wrong value of its length. Can you find the
# length of the pendulum nevertheless?

# %%
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import curve_fit

from easydyn import GeneralizedForce, Model, lab, tdisp, trotz

# %% [markdown]
# ## The model
#
# A bob hangs on a string of the length $l$ and moves in a plane. Air and pivot
# damp it with a moment $-c\,\dot q$. The mass $m$ has been weighed. Eq. (6) is
#
# $$m l^2\,\ddot q + c\,\dot q + m g l\sin q = 0 \tag{6}$$
#
# A motion determines only ratios of the coefficients: $g/l$ and $c/(m l^2)$.
# Since $g$ and $m$ are known, $l$ and $c$ can be found.

# %% alt="Sketch: a bob on a string of the given length, at the angle q from hanging"
model = Model("pendulum", gravity=(0, -9.81, 0))
(q,) = model.coordinates("q", initial=0.7)
length, c = model.parameters(length=0.5, c=0.01)
T = trotz(q) * tdisp(0, -length, 0)
bob = model.body("bob", T, mass=0.2, inertia=(0, 0, 0))
model.add(GeneralizedForce(q, -c * q.dot))
model.scene().sketch();

# %% alt="Free-body diagram of the bob: its weight and the pull of the string"
model.scene().sketch(forces=bob);

# %% [markdown]
# ## The measurement
#
# To test a fit, you need data for which you know the true values. So this cell
# simulates the measurement. A pendulum of 0.62 m swings in front of a camera
# that takes 30 pictures a second. The data have all the usual faults:
#
# - **noise**: a standard deviation of 3 mm;
# - **gaps**: a post hides the bob for a while;
# - **a wrong scale**: the assumed length of the stick is 4 % larger than the
#   true one, so that all lengths become 4 % too large;
# - **an unknown start**: the angle and the rate in the first picture are not
#   known.
#
# The cell writes a file like those that the program Tracker exports.

# %%
truth = {"length": 0.62, "c": 0.014}
begin = {"q": 0.9, "q.dot": 0.3}
true_run = model.simulate(
    4, parameters=truth, initial=begin, save_every=1 / 30, method="dop853"
)
place = true_run.of(bob.T.e)[:, :2]
noise = np.random.default_rng(7).normal(scale=0.003, size=place.shape)
film_x, film_y = (1.04 * (place + noise)).T
hidden = (place[:, 0] > -0.25) & (place[:, 0] < -0.17)
lines = ["\tmass A\t\t", "t\tx\ty\t"]
for t, u, v, gone in zip(true_run.t, film_x, film_y, hidden):
    seen = "\t\t" if gone else f"\t{u:.6f}\t{v:.6f}"
    lines.append(f"{t:.6f}{seen}\t")
path = Path(mkdtemp()) / "swing.txt"
path.write_text("\n".join(lines) + "\n")
print(*lines[:5], sep="\n")
assert 5 < hidden.sum() < 40

# %% [markdown]
# ## Read it
#
# From here on you can use a file of your own. `lab.read` knows the files of many
# programs ([the page](../docs/lab.md) has a table). **Print the result of
# `lab.read`**. It shows the number of instants and of gaps, the units, and the
# assumptions.

# %% alt="The way of the bob in the picture, an arc with a gap where the post stands, and x over time"
film = lab.read(path)
print(film)
x, y = film.tracks["mass A"]
fig, (left, right) = plt.subplots(
    1, 2, figsize=(8, 3.2), layout="constrained"
)
left.plot(x, y, ".")
left.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
right.plot(film.t, x, ".")
right.set(xlabel="t [s]", ylabel="x [m]")
assert np.isnan(x).sum() == hidden.sum() and len(film.t) == 121

# %% [markdown]
# Look at the data before you fit. The radius of the arc, $\sqrt{x^2 + y^2}$, is
# the length of the string if the scale is right. The period depends on the
# length as well, and not on the scale:

# %%
radius = np.nanmean(np.hypot(x, y))
print(f"radius of the arc: {radius:.3f} m")
assert abs(radius - 1.04 * 0.62) < 0.002 and abs(radius - 0.645) < 0.002

# %% [markdown]
# ## What a fit does
#
# A **residual** is a measured value less the simulated one. A fit changes the
# unknowns until the sum of the squares of the residuals is smallest:
#
# $$S = \sum_k \left(\frac{y_k - y(t_k; l, c, q_0, \dot q_0)}{\sigma}\right)^2$$
#
# ([Notebook 21](21_ten_thousand_runs.ipynb) derives the steps.) A gap has no
# residual, so it does not count. First we trust the scale:

# %%
x_bob, y_bob = bob.T.e[0], bob.T.e[1]
names = {x_bob: "mass A x", y_bob: "mass A y"}
first = model.fit(
    film, ["length", "c", "q", "q.dot"], to=names, start="measured"
)
print(first)
lowest, highest = first.intervals["length"]
assert 0.62 < lowest < first["length"] < 0.645 and first.status == "doubtful"

# %% alt="Residuals of x and y over time: waves, where there should be nothing but noise"
first.plot_residuals()
assert first.correlation["mass A x"] > 0.8

# %% [markdown]
# The residuals are waves. **A shape in the residuals shows that the model lacks
# something.** The two sources of the length contradict each other. The radius
# of the arc gives 0.645 m, and the period gives 0.62 m. The fit finds a value
# between them, and its interval does not contain the true value. An interval is
# valid only *if the model is right*. Here the model is wrong.
#
# The fit notices this: its status is "doubtful". It computes the correlation of
# each residual with the next one. In noise, neighbouring residuals are
# independent, and the correlation is near 0. An error of the model lasts for
# many pictures, so that neighbouring residuals are alike. Then the correlation
# is near 1, as it is here. A longer film does not help. More values make the
# interval smaller, but the value in its middle stays wrong.
#
# ## The camera is part of the model
#
# So the fit has to find the scale as well. A `lab.Camera` adds the scale, the
# origin and the angle of the picture to the parameters. The lengths in the
# picture are wrong by an unknown factor, which is the scale:

# %%
camera = lab.Camera(model, scale=1.0, origin=(0, 0), y_up=True)
print(camera.unknowns)
seen = camera.sees(bob.T.e, "mass A")
unknowns = ["length", "c", "q", "q.dot", *camera.unknowns]
fit = model.fit(film, unknowns, to=seen)
print(fit)
for name, value in (truth | begin | {"camera_scale": 1.04}).items():
    assert abs(fit[name] - value) < 4 * fit.errors[name], name
assert abs(fit["length"] - 0.62) < 0.004
assert abs(fit["camera_scale"] - 1.04) < 0.02

# %% [markdown]
# The length is 0.62 m and the scale is 1.04. So the answer to the question is
# yes. **The period determines the length, and the length determines the
# scale.** You do not need a stick in the picture. But more unknowns have to be
# found from the same data.
#
# ## Residuals and intervals

# %% alt="Measured dots and simulated lines of x and y, their residuals below, without a shape"
fit.compare();

# %%
left_over = [fit.residuals[name] for name in ("mass A x", "mass A y")]
sizes = [1000 * np.nanstd(r) for r in left_over]
print("what is left:", np.round(sizes, 2), "mm in the picture")
assert all(2.5 < size < 3.8 for size in sizes)
assert abs(fit.correlation["mass A x"]) < 0.3
low, high = fit.intervals["length"]
print(f"length from {low:.4f} to {high:.4f} m")
assert low < 0.6212 and high > 0.6188 and high - low < 0.01

# %% [markdown]
# The upper panels say little, because a line through dots always looks good.
# Look at the residuals below them. Their size is about that of the noise, 3 mm
# times 1.04, and they have no shape. Only now are the intervals valid. An
# interval of 95 % contains the true value in 95 of 100 experiments. We repeat
# the experiment twelve times with other noise, and look at the scatter of the
# results:

# %% alt="Lengths found in twelve repeated experiments, with intervals, about the true length of 0.62 m"
found, errors = [], []
for seed in range(12):
    more = np.random.default_rng(seed).normal(scale=0.003, size=place.shape)
    u, v = (1.04 * (place + more)).T
    table = {"t": true_run.t, "mass A x": u, "mass A y": v}
    start = {name: fit[name] for name in unknowns}
    again = model.fit(table, start, to=seen)
    found.append(again["length"])
    errors.append(again.errors["length"])
fig, ax = plt.subplots(layout="constrained")
ax.errorbar(range(12), found, yerr=2 * np.array(errors), fmt="o", capsize=3)
ax.axhline(0.62, color="k", lw=0.8)
ax.set(xlabel="experiment", ylabel="length found [m]")
scatter, said = np.std(found), np.mean(errors)
print(f"scatter {1000 * scatter:.2f} mm, standard error {1000 * said:.2f} mm")
assert 0.4 < scatter / said < 1.8
inside = np.abs(np.array(found) - 0.62) < 2 * np.array(errors)
print(f"{inside.sum()} of 12 intervals contain the true length")
assert inside.sum() >= 9

# %% [markdown]
# The scatter of the results is about the standard error that a single fit
# gives. This is the meaning of a standard error.
#
# ## Does it predict other data?
#
# A fit with many unknowns can follow any data. A better test is a prediction.
# Fit the first part of the film, and compare the result with the rest.

# %% alt="Fit of the first 2.5 s, and its prediction over the rest beside the measured points"
early = model.fit(film.cut(0, 2.5), start, to=seen)
ahead = model.simulate(4, **early.options, save_every=1 / 30, method="dop853")
predicted = ahead.of(list(seen)[0])
late = film.t > 2.5
missed = np.nanstd((x - predicted.ravel())[late])
fig, ax = plt.subplots(layout="constrained")
ax.plot(film.t, x, ".", label="measured")
ax.plot(ahead.t, predicted, label="fit of the first 2.5 s")
ax.axvline(2.5, color="k", lw=0.8)
ax.set(xlabel="t [s]", ylabel="x [m]")
ax.legend()
print(f"missed by {1000 * missed:.1f} mm after 2.5 s")
assert missed < 0.006

# %% [markdown]
# ## Over the film
#
# If you have the film, `fit.overlay("swing.mp4", camera)` draws the mechanism
# over it. Then you see errors at once that a number hides.
# `python -m easydyn demo measured` makes film, fit and overlay. This is the
# motion of the fit:

# %%
found_run = model.simulate(4, **fit.options, save_every=0.02)
assert abs(found_run["q"][0] - 0.9) < 0.02
found_run.animate(trace=[bob])

# %% [markdown]
# ## Your own pendulum
#
# 1. Hang a small, heavy object on a thin string in a door frame. Measure only
#    its mass.
# 2. Film it at right angles to the plane of its motion, from some metres away.
#    Fix the phone, because it must not move.
# 3. Track it with Tracker, and save the project (.trk), or export the table.
#    Or tie the phone to a plank that swings as a pendulum, and record its
#    gyroscope with phyphox. `lab.gyro(body, "z")` is the measured rate.
# 4. Replace `path` above by the path of your file. For a .trk, write
#    `lab.Camera(model, film)`. The file contains a scale, with which the search
#    begins.
# 5. Look at the residuals first, and at the length last.
#
# Frequent faults are slow motion (the times are too long by a factor of 4 or 8),
# pixels in which y goes down, a bob that leaves the plane, and a heavy string.
# The message of the fit names the first two.
#
# ## Questions
#
# 1. Let the fit find $g$ as well, together with $l$, $c$ and the camera's scale.
#    What happens, and why?
# 2. Friction in a real pivot is partly dry friction, which does not depend on
#    the size of the rate. How do you see that in the residuals of the model
#    above?
# 3. You film four times as long a pendulum without damping. Does the standard
#    error of $l$ become smaller by a factor of 2, or by more?
#
# <details><summary>Answers</summary>
#
# 1. The motion determines only $g/l$ and $c/(m l^2)$. The picture determines only
#    the product of scale and length. These are three combinations of four
#    unknowns. The fit says that the four cannot be identified together. Measure
#    one of them.
# 2. The amplitude decreases along a straight line, and not exponentially. The
#    residuals oscillate with the pendulum. Their amplitude is large at the
#    beginning, in the middle and at the end, and small between these.
# 3. By more. Four times as many values alone give a factor of 2. But the later
#    a value, the more its phase $\omega t$ depends on $l$. So the late values
#    count most, and the factor is nearly 8.
#
# </details>

# %%
# Answer 1: derivatives of the logarithms of three combinations by those of
# length, c, g and scale.
known = np.array([[-1, 0, 1, 0], [-2, 1, 0, 0], [1, 0, 0, 1]])
assert np.linalg.matrix_rank(known) == 3 < 4
# Answer 2: a straight line less the exponential that fits it best.
s = np.linspace(0, 1, 201)
line = 1 - 0.7 * s
(A, k), _ = curve_fit(lambda s, A, k: A * np.exp(-k * s), s, line)
rest = line - A * np.exp(-k * s)
assert rest[0] < 0 < rest[100] and rest[-1] < 0 < rest[100]
# Answer 3: the derivative of cos(w t) by w grows as t, its squares sum to T^3.
t_1, t_4 = np.arange(0, 10, 0.02), np.arange(0, 40, 0.02)
sums = [np.sum((t * np.sin(5 * t)) ** 2) for t in (t_1, t_4)]
assert 7.5 < np.sqrt(sums[1] / sums[0]) < 8.5

# %% [markdown]
# ## Where to read on
#
# - [The lab](../docs/lab.md): files of many programs, cameras, phones;
#   [fits](../docs/fits.md): weights, bounds, doubts.
# - [Notebook 21](21_ten_thousand_runs.ipynb): how a step of a fit and its
#   errors are computed.
# - Exercise [28](../exercises/28_measured_and_simulated/README.md):
#   `python -m easydyn exercise 28`.
# - J. R. Taylor, *An Introduction to Error Analysis*, University Science Books,
#   1997.
