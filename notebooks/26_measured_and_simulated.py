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
# - read what a program has tracked in a film, and see what is missing in it;
# - fit a model to it, with the camera as a part of the model;
# - read residuals and intervals, and say when not to believe a fit;
# - do all this with a film or a phone of your own.
#
# **The question.** You film a pendulum with your phone. The stick with which
# you calibrated the picture was longer than you thought. Can you find the
# length of the pendulum nevertheless?

# %%
from pathlib import Path
from tempfile import mkdtemp

import matplotlib.pyplot as plt
import numpy as np

from easydyn import GeneralizedForce, Model, lab, tdisp, trotz

# %% [markdown]
# ## The model
#
# A bob hangs on a string of the length $l$ and moves in a plane. Air and pivot
# brake it with a moment $-c\,\dot q$. The mass $m$ is known from a balance. So
# eq. (6) is
#
# $$m l^2\,\ddot q + c\,\dot q + m g l\sin q = 0 \tag{6}$$
#
# A motion tells ratios of its coefficients only: $g/l$ and $c/(m l^2)$. With
# $g$ and $m$ known, $l$ and $c$ can be found.

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
# You need data with a known truth once, to see what a fit finds. So this cell
# plays the part of the world. A pendulum of 0.62 m swings before a camera of
# 30 pictures a second. The truth goes through everything that makes a
# measurement worse:
#
# - **noise**: a standard deviation of 3 mm;
# - **gaps**: a post hides the bob for a while;
# - **a wrong scale**: the stick was taken for 4 % longer than it is, so that
#   all lengths come out 4 % too long;
# - **an unknown start**: nobody knows angle and rate in the first picture.
#
# It writes the file that the program Tracker would have exported.

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
# From here on it is your work. `lab.read` knows the files of many programs
# ([the page](../docs/lab.md) has a table). **Print what it has read**: how many
# instants, how many gaps, which units, and what was assumed.

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
# Look before you fit. The arc has a radius: $\sqrt{x^2 + y^2}$ is the length of
# the string, if the scale is right. The period has a length in it, too:

# %%
radius = np.nanmean(np.hypot(x, y))
print(f"radius of the arc: {radius:.3f} m")
assert abs(radius - 1.04 * 0.62) < 0.002

# %% [markdown]
# ## What a fit does
#
# A fit changes the unknowns until the sum of squares of the **residuals**
# becomes smallest. A residual is what was measured less what is simulated:
#
# $$S = \sum_k \left(\frac{y_k - y(t_k; l, c, q_0, \dot q_0)}{\sigma}\right)^2$$
#
# ([Notebook 21](21_ten_thousand_runs.ipynb) derives the steps.) A gap is no
# residual: it does not count. First believe the scale, as one does:

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
# The residuals are waves. **A shape in the residuals is something that the
# model lacks.** The fit has to serve two masters: the radius of the arc says
# 0.645 m, the period says 0.62 m. The value that it finds lies between, and its
# interval does not contain the truth. An interval holds *if the model is
# right*, and here it is not.
#
# The fit knows that something is wrong: it calls itself doubtful. It looks at
# how much each residual is like the next one. Noise does not remember what it
# was a moment ago, so neighbours have nothing in common. A part that the model
# lacks lasts for many pictures, so neighbours are alike. The number is the
# correlation from one instant to the next: it is 0 for noise, and near 1 here.
# For the same reason a long film is no cure. More values make the interval
# smaller, about a value that stays wrong.
#
# ## The camera is part of the model
#
# So let the fit find the scale. A `lab.Camera` adds the scale, the origin and
# the angle of the picture to the parameters. The picture is in metres that are
# wrong by an unknown factor:

# %%
camera = lab.Camera(model, scale=1.0, origin=(0, 0), y_up=True)
print(camera.unknowns)
seen = camera.sees(bob.T.e, "mass A")
unknowns = ["length", "c", "q", "q.dot", *camera.unknowns]
fit = model.fit(film, unknowns, to=seen)
print(fit)
for name, value in (truth | begin | {"camera_scale": 1.04}).items():
    assert abs(fit[name] - value) < 4 * fit.errors[name], name

# %% [markdown]
# Length 0.62 m, scale 1.04: the answer to the question is yes. **The period
# tells the length, the length tells the scale.** Nobody has to hold a stick
# into the picture at all. The price is that more unknowns share the same data.
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
# The upper panels say little: lines through dots always look well. Look at
# the strips below them. What is left has the size of the noise, 3 mm times
# 1.04, and no shape. Only now do the intervals mean something: an interval of
# 95 % contains the truth in 95 of 100 experiments. Do the experiment more
# often, with other noise, and look at how the results scatter:

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

# %% [markdown]
# The results scatter about as much as one fit alone has said. That is what a
# standard error is.
#
# ## Does it hold for data that it has not seen?
#
# A fit with many unknowns can follow anything. The test is prediction: fit the
# first part, and compare with the rest.

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
# With a film there is one more picture: `fit.overlay("swing.mp4", camera)`
# draws the mechanism over the film, in which you see at once what a number
# hides. `python -m easydyn demo measured` makes film, fit and overlay. Here is
# the motion that was found:

# %%
found_run = model.simulate(4, **fit.options, save_every=0.02)
assert abs(found_run["q"][0] - 0.9) < 0.02
found_run.animate(trace=[bob])

# %% [markdown]
# ## Your own pendulum
#
# 1. Hang a heavy small thing on a thin string, at a door frame. Measure nothing
#    but its mass.
# 2. Film it from the side, at right angles to its plane, from some metres away.
#    Put the phone on something: it must not move.
# 3. Track it with Tracker, and save the project (.trk), or export the table.
#    Or tie the phone to a plank as a pendulum, and record its gyroscope with
#    phyphox: `lab.gyro(body, "z")` is what it measures.
# 4. Put the path of your file in place of `path` above. For a .trk, write
#    `lab.Camera(model, film)`: it has the scale where the search begins.
# 5. Look at the residuals first, and at the length last.
#
# Usual surprises: slow motion (times are too short by a factor of 4 or 8),
# pixels in which y goes down, a bob that swings out of the plane, a string that
# is not light. The message of the fit names the first two.
#
# ## Questions
#
# 1. Somebody lets the fit find $l$, $c$ and $g$ as well, with the camera's
#    scale. What happens, and why?
# 2. Friction in a real pivot is dry in part: it does not fall with the rate.
#    How do you see that in the residuals of the model above?
# 3. You film four times as long. By about which factor does the standard error
#    of $l$ fall if the pendulum were not damped: by 2, or by more?
#
# <details><summary>Answers</summary>
#
# 1. The motion tells $g/l$ only, and the picture the product of scale and
#    length. Of three unknowns only two combinations are known: the fit refuses,
#    or says that these belong together. Measure one of them.
# 2. The amplitude falls along a straight line in place of an exponential. The
#    residuals oscillate with the pendulum, under an envelope that is large in
#    the middle and at both ends.
# 3. By more. Four times as many values alone give a factor 2. But the phase
#    $\omega t$ depends on $l$ more and more as time goes on, so the late values
#    tell most of it: the factor is nearly 8.
#
# </details>

# %%
# Answer 3: sensitivities of cos(w t) to w grow as t, so the sum of t^2 as T^3.
t_1, t_4 = np.arange(0, 10, 0.02), np.arange(0, 40, 0.02)
told = [np.sum((t * np.sin(5 * t)) ** 2) for t in (t_1, t_4)]
assert 7.5 < np.sqrt(told[1] / told[0]) < 8.5

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
