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
# # 5. The double pendulum: energy, chaos, tolerance
#
# **After this notebook you can**
#
# - reproduce a published simulation, and find out how far it can be trusted;
# - use the energy as a check, and know which errors it does not show;
# - recognise chaos, and estimate the time up to which a prediction holds.
#
# **The question.** Two programs simulate the same double pendulum for a minute
# and end in different places. Which of them is wrong?

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np

from easydyn import Model, tdisp, trotz
from easydyn.errors import EnergyWarning

# %% [markdown]
# ## A published run
#
# Two rods hang on each other, the upper one (length $l_1$, mass $m_1$) from the
# ground, the lower one ($l_2$, $m_2$) from its end. They are released at
# $q_1 = 0$, $q_2 = 1$ rad:

# %% alt="Sketch of the double pendulum: two rods of lengths l1 and l2, hinges O and A, angles q1 and q2"
pendulum = Model("double pendulum", gravity=(0, -9.81, 0))
q1, q2 = pendulum.coordinates("q1 q2", initial=(0, 1))
l1, l2, m1, m2 = pendulum.parameters(l1=1.2, l2=1.1, m1=1.1, m2=0.9)
upper = pendulum.body(
    "upper",
    trotz(q1) * tdisp(0, -l1 / 2, 0),
    mass=m1,
    inertia=(1, 1, m1 * l1**2 / 12),
)
T = trotz(q1) * tdisp(0, -l1, 0) * trotz(q2) * tdisp(0, -l2 / 2, 0)
lower = pendulum.body("lower", T, mass=m2, inertia=(1, 1, m2 * l2**2 / 12))
pendulum.scene(initial={"q1": 0.5, "q2": 0.6}).sketch(points=True);

# %% alt="The two angles over five seconds: q1 swings gently, q2 faster and by more than a radian"
run = pendulum.simulate(5, save_every=0.01, max_step=0.005)
run.plot("q1", "q2")
assert np.ptp(run["q2"]) > 1.5 > np.ptp(run["q1"])

# %% [markdown]
# ## Is the first instant right?
#
# At the start everything is at rest, and the equations can be solved with a
# pocket calculator: $\mathbf M\ddot{\mathbf q} = -\mathbf h$, eq. (7), with the
# mass matrix $\mathbf M$ of notebook 3, and $-\mathbf h$ the moments of the
# weights.

# %%
c = np.cos(1)
M12 = 0.9 * (1.1**2 / 3 + 1.2 * 1.1 / 2 * c)
M11 = 1.1 * 1.2**2 / 3 + 0.9 * (1.2**2 + 1.1**2 / 3 + 1.2 * 1.1 * c)
M22 = 0.9 * 1.1**2 / 3
# the weight of the lower arm; the upper one hangs straight
moment = -0.9 * 9.81 * 0.55 * np.sin(1)
by_hand = np.linalg.solve([[M11, M12], [M12, M22]], [moment, moment])
print(by_hand, run.qdd[0])
assert np.allclose(by_hand, run.qdd[0])

# %% [markdown]
# ## Energy
#
# No energy is lost, so the sum of kinetic energy $T$ and potential energy $V$
# must be constant. This is a check of the whole chain, from the derivation to
# the
# integrator:

# %% alt="Kinetic and potential energy come and go against each other; the total is a level line"
run.plot_energy()
print(run.energy)
assert np.ptp(run.energy.total) < 1e-4

# %% [markdown]
# **Which errors does it show?** We repeat the run with tolerances that are too
# large, and print the errors of the energy and of the angles. The reference is
# a method of order 8 with a tolerance of 1e-12. easydyn watches the energy of
# every run. It warns of the first of these runs (the warning is silenced here),
# and the status of this run is
# "doubtful".

# %%
reference = pendulum.simulate(
    5, save_every=0.01, method="dop853", tolerance=1e-12
)
print(
    "tolerance   steps   change of energy [J]   error of angles [rad]   status"
)
doubtful = []
for tolerance in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", EnergyWarning)
        trial = pendulum.simulate(5, save_every=0.01, tolerance=tolerance)
    drift, error = (
        np.ptp(trial.energy.total),
        np.abs(trial.q - reference.q).max(),
    )
    print(
        f"{tolerance:9.0e} {trial.stats.steps:7d} {drift:22.1e}",
        f"{error:22.1e}   {trial.status}",
    )
    doubtful.append(trial.status == "doubtful")
    assert 0.2 < error / drift < 5  # rad/J
assert error < 2e-5 and doubtful == [True, False, False, False, False]

# %% [markdown]
# Both errors become smaller together here. That need not be so: an error in
# *time* along the right curve changes the angles, and not the energy. A change
# of the energy proves that a run is wrong. A constant energy does not prove
# that it is right: compare with a run at half the tolerance.
#
# ## Push harder
#
# At $q_1 = 2$, $q_2 = 1$ rad there is enough energy for the lower arm to turn
# over. The path of its tip:

# %% alt="The tip of the lower arm in 20 s: a tangle of loops that fills most of a circle"
wild = {"q1": 2.0, "q2": 1.0}
run = pendulum.simulate(
    20, initial=wild, method="dop853", tolerance=1e-11, save_every=0.01
)
tip = (run.frames("lower") @ [0, -0.55, 0, 1])[:, :2]
elbow = (run.frames("upper") @ [0, -0.6, 0, 1])[:, :2]
fig, ax = plt.subplots(layout="constrained")
ax.plot(*tip.T, lw=0.7)
for k in range(0, 100, 12):
    ax.plot(
        [0, elbow[k, 0], tip[k, 0]],
        [0, elbow[k, 1], tip[k, 1]],
        "o-",
        color="gray",
        alpha=0.2 + 0.6 * k / 100,
    )
ax.set(
    aspect="equal",
    xlabel="x [m]",
    ylabel="y [m]",
    title="tip of the lower arm, 20 s",
)
assert np.ptp(run["q2"]) > 2 * np.pi  # it turns over
assert abs(np.linalg.norm(tip[0]) * 1e-8 - 20e-9) < 1e-9

# %%
run.animate(trace=[("lower", (0, -0.55, 0))])

# %% [markdown]
# ## Chaos
#
# Two runs start $10^{-8}$ rad apart, about twenty nanometres at the tip. How
# far apart are they later?

# %% alt="Distance of neighbours in logarithms: level for the gentle start, a rising line for the wild one"
options = {"method": "dop853", "tolerance": 1e-12, "save_every": 0.05}
gentle = {"q1": 0.3, "q2": 0.2}
fig, ax = plt.subplots(layout="constrained")
apart = {}
for name, start in (("gentle", gentle), ("wild", wild)):
    one = pendulum.simulate(30, initial=start, **options)
    other = pendulum.simulate(
        30, initial=start | {"q1": start["q1"] + 1e-8}, **options
    )
    apart[name] = np.linalg.norm(one.q - other.q, axis=1)
    ax.semilogy(one.t, apart[name], label=name)
ax.set(xlabel="t [s]", ylabel="distance of the angles [rad]")
ax.grid(True, alpha=0.3)
ax.legend();

# %% [markdown]
# In the gentle motion neighbours stay close. In the wild one their distance
# grows by the same factor every second, until it is as large as the motion
# itself:
# $\delta(t) \approx \delta_0\,e^{\lambda t}$. The slope is an estimate of
# **Lyapunov's exponent** $\lambda$.

# %%
growing = (apart["wild"] > 1e-7) & (apart["wild"] < 1e-2)
rate = np.polyfit(one.t[growing], np.log(apart["wild"][growing]), 1)[0]
print(
    f"lambda is about {rate:.2f} 1/s:",
    f"ten times the distance every {np.log(10) / rate:.1f} s",
)
assert abs(rate - 0.8) < 0.15
assert apart["gentle"].max() < 1e-6
slow, fast = pendulum.linearize(at=pendulum.equilibrium()).modes()
assert abs(1 / slow.frequency - 2.5) < 0.05  # question 2
assert abs(1 / fast.frequency - 1.0) < 0.05

# %% [markdown]
# ## How long is a prediction good?
#
# Every error grows like that: errors of the data, of the integrator and of
# rounding. An
# error $\epsilon$ reaches 1 rad after $\ln(1/\epsilon)/\lambda$. Two runs with
# different tolerances agree for about as long, and then part:

# %% alt="Distance of three tolerances from the reference: parallel rising lines, the finest one last"
fine = pendulum.simulate(40, initial=wild, **options)
until = []
fig, ax = plt.subplots(layout="constrained")
for tolerance in (1e-4, 1e-7, 1e-10):
    coarse = pendulum.simulate(
        40, initial=wild, method="dop853", tolerance=tolerance, save_every=0.05
    )
    ax.semilogy(
        fine.t,
        np.linalg.norm(coarse.q - fine.q, axis=1) + 1e-16,
        label=f"tolerance {tolerance:g}",
    )
    good = fine.t[np.argmax(np.linalg.norm(coarse.q - fine.q, axis=1) > 0.1)]
    until.append(good)
    drift = np.ptp(coarse.energy.total)
    print(
        f"tolerance {tolerance:.0e}: within 0.1 rad until {good:4.1f} s;",
        f"energy kept within {drift:.0e} J",
    )
ax.set(
    xlabel="t [s]",
    ylabel="distance from the reference [rad]",
    ylim=(1e-12, 1e3),
)
ax.legend()
assert 0 < min(np.diff(until)) and max(np.diff(until)) < 15
assert drift < 1e-7 and np.abs(coarse.q[-1] - fine.q[-1]).max() > 0.1

# %% [markdown]
# A thousand times the accuracy gains only a few seconds. **So neither of the
# two programs need be wrong**: both may satisfy the equations and the energy to
# many digits, and differ after a minute. Some results can still be compared,
# because they do not depend on the details: the energy, how often the arm turns
# over, the distribution of the angles.
#
# ## Questions
#
# 1. With $\lambda$ from above: how small must the error be to predict one
#    minute to within 0.1 rad? Is that possible with numbers of 16 digits?
# 2. The gentle pendulum is nearly linear. Which two frequencies does it have,
#    roughly? (Look at `run.plot("q1", "q2")`; notebook 10 computes them.)
# 3. Somebody proposes to scale velocities after each step so that the energy is
#    kept exactly. Does this make the run more accurate?
#
# <details><summary>Answers</summary>
#
# 1. $\epsilon = 0.1\,e^{-60\lambda}$; with $\lambda \approx 0.8$ that is
#    $10^{-22}$. No: rounding alone is $10^{-16}$.
# 2. The slow one of both arms swinging together (a period of 2.5 s), and the
#    fast one against each other (1.0 s).
# 3. No. The energy is then right by construction, and no longer a check. The
#    error in time along the path remains.
#
# </details>
#
# ## Where to read on
#
# - Exercise [06](../exercises/06_double_pendulum/README.md):
#   `python -m easydyn exercise 06`.
# - [Validation](../docs/validation.md): what this run was compared with.
# - [Notebook 4](04_newmark.ipynb) for the tolerance,
#   [notebook 10](10_equilibrium_and_modes.ipynb) for small motions.
