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
# # 4. Newmark, step by step: accuracy, stability, step control
#
# **After this notebook you can**
#
# - write Newmark's method for a mechanism in twenty lines, Newton's iteration
#   included;
# - distinguish order and stability, and see both in a picture;
# - say what `tolerance` bounds, and what it does not.
#
# **The question.** The equations give accelerations. How do we compute
# positions from them, with steps as long as possible, and how do we know that
# the steps are not too long?

# %%
import matplotlib.pyplot as plt
import numpy as np

from easydyn import Model, Stepper, integrate, tdisp, trotz

# %% [markdown]
# ## The formulas
#
# A step of the length $h$ goes from $t$ to $t + h$. Newmark expresses positions
# and velocities at its end by the accelerations there, with two numbers $\beta$
# and $\gamma$ that are chosen once:
#
# $$q^{t+h} = q^t + h\,\dot q^t + (\tfrac12 - \beta)\,h^2\,\ddot q^t + \beta h^2\,\ddot q^{t+h} \tag{12}$$
#
# $$\dot q^{t+h} = \dot q^t + (1 - \gamma)\,h\,\ddot q^t + \gamma h\,\ddot q^{t+h} \tag{13}$$
#
# Inserted into the equation of motion, they leave one unknown, $\ddot q^{t+h}$.
# For an oscillator $\ddot q + q = 0$ it is found by hand. Let $q^*$ be the part
# of (12) that is known at the beginning of the step. Then
# $\ddot q^{t+h} = -q^*/(1 + \beta h^2)$.


# %%
def oscillator(h, steps, beta=1 / 4, gamma=1 / 2):
    """Positions of qdd + q = 0, released at q = 1, at rest."""
    q, qd, qdd = 1.0, 0.0, -1.0
    found = [q]
    for _ in range(steps):
        known_q = q + h * qd + (0.5 - beta) * h**2 * qdd
        known_qd = qd + (1 - gamma) * h * qdd
        qdd = -known_q / (1 + beta * h**2)
        q, qd = known_q + beta * h**2 * qdd, known_qd + gamma * h * qdd
        found.append(q)
    return np.array(found)

# %% [markdown]
# The integrator of the toolkit, with a fixed step, does the same to rounding:

# %% alt="Oscillation by steps of 0.5 and 1 s beside the exact one: the amplitude stays, the phase lags"
run = integrate(
    lambda t, q, qd, qdd: qdd + q, q=[1.0], qd=[0.0], t_final=10, step=0.1
)
assert np.allclose(run.q[:, 0], oscillator(0.1, 100), atol=1e-12)

fig, ax = plt.subplots(layout="constrained")
instants = np.linspace(0, 25, 400)
ax.plot(instants, np.cos(instants), "k", lw=1, label="exact")
for h in (0.5, 1.0):
    ax.plot(
        np.arange(0, 25.1, h),
        oscillator(h, int(25 / h)),
        "o-",
        ms=3,
        label=f"h = {h} s",
    )
ax.set(xlabel="t [s]", ylabel="q")
ax.legend()
assert 0.999 < oscillator(1.0, 200).max() < 1 + 1e-12
lag = [1 - np.arccos(oscillator(h, 1)[1]) / h for h in (1.0, 0.5)]
assert 3.5 < lag[0] / lag[1] < 4.5

# %% [markdown]
# Even with steps of a sixth of a period the amplitude stays, and only the phase
# lags. Half the step makes a quarter of the lag.
#
# ## Order
#
# The error of the end position against the step, in logarithms: the slope is
# the order of the method. It is 2 when $\gamma = \tfrac12$, and 1 for any other
# $\gamma$.

# %% alt="Error over step in logarithms: a line of slope 2, and one of slope 1"
steps = np.array([50, 100, 200, 400, 800])
fig, ax = plt.subplots(layout="constrained")
for beta, gamma in ((1 / 4, 1 / 2), (0.3025, 0.6)):
    error = [
        abs(oscillator(5 / n, n, beta, gamma)[-1] - np.cos(5)) for n in steps
    ]
    slope = np.polyfit(np.log(5 / steps), np.log(error), 1)[0]
    ax.loglog(
        5 / steps,
        error,
        "o-",
        label=f"beta = {beta:g}, gamma = {gamma:g}: slope {slope:.2f}",
    )
    assert abs(slope - (2 if gamma == 1 / 2 else 1)) < 0.1
fourth = [abs(oscillator(5 / n, n, 1 / 12)[-1] - np.cos(5)) for n in (50, 100)]
assert abs(np.log2(fourth[0] / fourth[1]) - 4) < 0.1  # question 1
ax.set(xlabel="h [s]", ylabel="error of q at 5 s")
ax.grid(True, which="both", alpha=0.3)
ax.legend();

# %% [markdown]
# ## Stability
#
# A mechanism may have a fast oscillation that nobody is interested in: a stiff
# spring, a compressed fluid. With $z = \omega h$ a step of
# $\ddot q + \omega^2 q = 0$ is a multiplication,
# $(q, h\dot q)^{t+h} = \mathbf A(z)\,(q, h\dot q)^t$. The largest magnitude of
# the eigenvalues of $\mathbf A$ decides: above 1 the oscillation grows without
# limit.


# %% alt="Spectral radius over omega h: two curves leave 1 upwards, one stays at 1, one falls below"
def spectral_radius(z, beta, gamma):
    a_old = np.array([-(z**2), 0.0])  # h^2 qdd as a row that acts on (q, h qd)
    known_q = np.array([1.0, 1.0]) + (0.5 - beta) * a_old
    known_qd = np.array([0.0, 1.0]) + (1 - gamma) * a_old
    a_new = -(z**2) * known_q / (1 + beta * z**2)
    A = np.array([known_q + beta * a_new, known_qd + gamma * a_new])
    return np.abs(np.linalg.eigvals(A)).max()


z = np.logspace(-1, 3, 400)
fig, ax = plt.subplots(layout="constrained")
for beta, gamma in ((0, 1 / 2), (1 / 6, 1 / 2), (1 / 4, 1 / 2), (0.3025, 0.6)):
    ax.semilogx(
        z,
        [spectral_radius(x, beta, gamma) for x in z],
        label=f"beta = {beta:.3g}, gamma = {gamma:g}",
    )
ax.set(xlabel="$\\omega h$", ylabel="spectral radius", ylim=(0.6, 1.4))
ax.legend();

# %% [markdown]
# - $\beta = 0$ (central differences) is unstable beyond $\omega h = 2$,
#   $\beta = \tfrac16$ beyond $\sqrt{12}$.
# - $\beta = \tfrac14, \gamma = \tfrac12$ is always stable, and never damps. It
#   is the default of the toolkit.
# - $\gamma = 0.6$ damps the fast oscillations away, at the price of one order
#   of accuracy. (The methods `"hht"` and `"generalized_alpha"` damp them and
#   keep the second order.)

# %%
for beta, limit in ((0, 2), (1 / 6, 12**0.5), (1 / 12, 6**0.5)):
    assert (
        spectral_radius(0.99 * limit, beta, 0.5)
        < 1 + 1e-9
        < spectral_radius(1.01 * limit, beta, 0.5)
    )
assert all(abs(spectral_radius(x, 1 / 4, 1 / 2) - 1) < 1e-6 for x in z)
assert all(spectral_radius(x, 0.3025, 0.6) < 1 for x in z)

# %% [markdown]
# ## A mechanism: Newton's iteration
#
# The residual of a mechanism is not linear. With (12) and (13) it is a function
# $F$ of $\ddot q^{t+h}$ (14), and Newton and Raphson find its zero:
#
# $$\ddot q \leftarrow \ddot q - \mathbf J^{-1} F(\ddot q) \tag{15}$$
#
# The iteration matrix holds mass, damping and stiffness,
# $\mathbf J = \mathbf M + \gamma h\,\mathbf{CT} + \beta h^2\,\mathbf{KT}$ (16).
# It comes from a difference: move $\ddot q$ by $\epsilon$, and $\dot q$ and $q$
# with it (18), (19).

# %% alt="Sketch: a point mass on a massless rod of 1 m, at the angle q1 from the vertical"
pendulum = Model("pendulum", gravity=(0, -9.81, 0))
(q1,) = pendulum.coordinates("q1", initial=3.1)
pendulum.body("bob", trotz(q1) * tdisp(0, -1, 0), mass=1, inertia=(0, 0, 0))
system = pendulum.compile()
pendulum.scene(initial={"q1": 0.6}).sketch();


# %%
def newmark_step(t, q, qd, qdd, h, beta=1 / 4, gamma=1 / 2, seen=None):
    """One step, eqs. (12) to (19)."""
    known_q = q + h * qd + (0.5 - beta) * h**2 * qdd
    known_qd = qd + (1 - gamma) * h * qdd

    def F(qdd):
        return system.residual(
            t + h, known_q + beta * h**2 * qdd, known_qd + gamma * h * qdd, qdd
        )

    for _ in range(10):
        eps = 1e-6
        J = (F(qdd + eps) - F(qdd)) / eps
        correction = F(qdd) / J
        qdd = qdd - correction
        if seen is not None:
            seen.append(abs(correction[0]))
        if abs(correction[0]) < 1e-12:
            break
    return known_q + beta * h**2 * qdd, known_qd + gamma * h * qdd, qdd


q, qd = np.array([1.0]), np.array([0.0])
corrections = []
newmark_step(0, q, qd, system.accelerations(0, q, qd), 0.2, seen=corrections)
print("corrections:", np.array(corrections))
assert len(corrections) < 6 and corrections[2] < corrections[1] ** 2

# %% [markdown]
# A few corrections suffice: each at least doubles the number of right digits.
# `Stepper.step(h)` is the same step in the package:

# %%
stepper = Stepper(
    lambda t, q, qd, qdd: system.residual(t, q, qd, qdd), q=q, qd=qd
)
stepper.step(0.2)
mine = newmark_step(0, q, qd, system.accelerations(0, q, qd), 0.2)
print(stepper.q - mine[0], stepper.qd - mine[1])
assert np.allclose(stepper.q, mine[0], atol=1e-9)

# %% [markdown]
# ## How long may a step be?
#
# The error of (12) depends on the third derivative of $q$, which follows from
# the change of the accelerations:
#
# $$\epsilon_q = \frac{h^3}{12}\,\frac{d^3 q}{dt^3} \simeq \frac{h^2\,\Delta\ddot q}{12} \tag{21}$$
#
# (The norm over all coordinates is eq. (22).) **The step is chosen so that the
# rate of error $\epsilon_q/h$ stays below the tolerance.** Our pendulum starts
# near the top, where almost nothing happens, and then falls:

# %% alt="Angle over time, and below it the lengths of the steps: long near the top, short in the fall"
run = pendulum.simulate(6, tolerance=1e-6)
fig, axes = plt.subplots(
    2, 1, figsize=(6.4, 6), sharex=True, layout="constrained"
)
run.plot("q1", ax=axes[0])
run.plot_steps(ax=axes[1])
print(run.stats)

# %%
run.animate(plots=["q1", "q1.dot"], every=0.02)

# %% [markdown]
# The rate of error, $\epsilon_q/h = h\,\Delta\ddot q/12$, from the record of
# the run; no accepted step is above the tolerance:

# %%
print("largest rate of error:", run.steps.error.max())
assert run.steps.error.max() <= 1e-6

# %% [markdown]
# ## The effect of a smaller tolerance
#
# The rate of error grows with $h^2$. So a hundredth of the tolerance takes ten
# times the steps. The reference is a run by a method of order 8 with a very
# small tolerance. (Jacobi's elliptic functions would do, too.)

# %%
exact = pendulum.simulate(
    6, initial={"q1": 1}, method="dop853", tolerance=1e-12
).q[-1, 0]
counts = []
print("tolerance   steps      error   error / (tolerance * 6 s)")
for tolerance in (1e-3, 1e-4, 1e-5, 1e-6, 1e-7):
    run = pendulum.simulate(6, initial={"q1": 1}, tolerance=tolerance)
    error = abs(run.q[-1, 0] - exact)
    print(
        f"{tolerance:9.0e} {run.stats.steps:7d} {error:10.1e}",
        f"{error / (6 * tolerance):8.2f}",
    )
    assert error < 20 * 6 * tolerance
    counts.append(run.stats.steps)
assert 8 < counts[4] / counts[2] < 12

# %% [markdown]
# The tolerance bounds the error that each second *adds*. How this error grows
# afterwards is a property of the mechanism. Here a small error in amplitude
# changes the period, and the error of the phase adds up.
#
# ## Questions
#
# 1. What is special about $\beta = \tfrac1{12}$ for an oscillator? Add it to
#    the picture of the order. (`newmark(1/12)`.)
# 2. You double the stiffness of a spring that hardly moves. What happens to the
#    steps of $\beta = 0$, and of $\beta = \tfrac14$?
# 3. Why does a *smaller* step not need a better first guess for Newton's
#    iteration?
#
# <details><summary>Answers</summary>
#
# 1. The term with $h^4$ vanishes: the method is of order 4 (Fox and Goodwin),
#    but only stable up to $\omega h = \sqrt 6$.
# 2. $\beta = 0$: they shrink by $\sqrt 2$, whether the spring moves or not.
#    $\beta = \tfrac14$: they stay the same as long as its oscillation is small,
#    because accuracy limits them, not stability.
# 3. The guess, the accelerations of the step before, is off by $h\,d^3q/dt^3$,
#    and the nonlinear part of $F$ is multiplied by $\beta h^2$: both shrink
#    with $h$.
#
# </details>
#
# ## Where to read on
#
# - Exercise [05](../exercises/05_newmark/README.md):
#   `python -m easydyn exercise 05`.
# - The code: `easydyn/sim/newmark_step.py`, `iteration.py`;
#   [words](../docs/words.md) has all equations by number.
# - [Methods](../docs/methods.md): which method to take when.
# - [Notebook 5](05_double_pendulum.ipynb): how small errors grow in a chaotic
#   mechanism.
