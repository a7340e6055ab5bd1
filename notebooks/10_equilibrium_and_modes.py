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
# # 10. Equilibrium, linearisation, poles and modes
#
# **After this notebook you can**
#
# - find where a mechanism rests, and say whether it stays there;
# - replace the equations near a state by matrices, and compute poles and modes
#   from them;
# - see a system lose its stability when a parameter changes;
# - predict the response to a harmonic force, and check it by a run.
#
# **The question.** A simulation answers one question: what happens from *here*.
# What can be said about *all* small motions at once?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    Damper,
    GeneralizedForce,
    Model,
    Spring,
    examples,
    ground,
    t,
    tdisp,
    troty,
    trotz,
)

# %% [markdown]
# ## Where does it rest?
#
# Equilibrium: all velocities and accelerations are zero in eq. (9),
#
# $$\mathbf f(\mathbf q, \mathbf 0, \mathbf 0) = \mathbf h(\mathbf q, \mathbf 0) = \mathbf 0$$
#
# The slider-crank of notebook 6 has one coordinate; here is its $h$ for all
# angles:

# %% alt="Sketch of the slider-crank: a crank of length l1 at the angle q, a rod of length l2, a slider"
crank = examples.slider_crank()
crank.scene().sketch(points=True);

# %% alt="h over the angle of the crank: a curve with two zeros"
system = crank.compile()
angles = np.linspace(-np.pi, np.pi, 361)
rest = np.zeros((361, 1))
h = system.residual(0, angles[:, None], rest, rest)[:, 0]

fig, ax = plt.subplots(layout="constrained")
ax.plot(angles, h)
ax.axhline(0, color="gray", lw=1)
assert np.count_nonzero(np.diff(np.sign(h))) == 2
ax.set(xlabel="q [rad]", ylabel="h [N m]")
ax.grid(True, alpha=0.3)

# %% [markdown]
# There are two zeros. `equilibrium` starts from a guess and lets the mechanism
# move downhill without momentum. Then it refines the result by Newton's method.
# So it finds a *stable* equilibrium. A guess that is an equilibrium itself is
# returned, with its stability:

# %%
below = crank.equilibrium(initial={"q": 0.2})
print(below)
above = crank.equilibrium(initial={"q": np.pi / 2})
print(above)
assert below.stable and not above.stable and abs(below["q"] + np.pi / 2) < 1e-9

# %% [markdown]
# ## Small motions
#
# Near a state, to first order in the deviations $\delta\mathbf q$ of the
# coordinates and $\delta\mathbf u$ of the inputs,
#
# $$\mathbf M\,\delta\ddot{\mathbf q} + \mathbf C\,\delta\dot{\mathbf q} + \mathbf K\,\delta\mathbf q =
# \mathbf B\,\delta\mathbf u \qquad \mathbf K = \frac{\partial\mathbf f}{\partial\mathbf q}\quad
# \mathbf C = \frac{\partial\mathbf f}{\partial\dot{\mathbf q}} \tag{17}$$
#
# $\mathbf M$ is the mass matrix, $\mathbf K$ the tangent stiffness, $\mathbf C$
# the tangent damping; a column of $\mathbf B$ says what an input does. For the
# hanging double pendulum:

# %% alt="Sketch of the double pendulum: two rods of lengths l1 and l2, angles q1 and q2"
pendulum = examples.double_pendulum()
pendulum.scene(initial={"q1": 0.4, "q2": 0.5}).sketch(points=True);

# %%
hanging = pendulum.equilibrium()
lin = pendulum.linearize(at=hanging)
print(lin)

# %% [markdown]
# **Check by hand.** $\mathbf K$ is the second derivative of the potential
# energy, and $\mathbf M$ the mass matrix there:

# %%
q1, q2 = sympy.symbols("q1 q2")
V = -1.1 * 9.81 * 0.6 * sympy.cos(q1) - 0.9 * 9.81 * (
    1.2 * sympy.cos(q1) + 0.55 * sympy.cos(q1 + q2)
)
K = sympy.hessian(V, (q1, q2)).subs({q1: 0, q2: 0})
assert np.allclose(np.array(K, dtype=float), lin.K) and np.allclose(
    pendulum.compile().mass_matrix(0, [0, 0]), lin.M
)
K

# %% [markdown]
# ## Modes
#
# Try $\delta\mathbf q = \boldsymbol\varphi\,e^{st}$: there is a solution where
# $\det(\mathbf M s^2 + \mathbf C s + \mathbf K) = 0$. The roots are the
# **poles**, the vectors $\boldsymbol\varphi$ the **modes**: motions in which
# everything swings at one frequency.

# %%
modes = lin.modes()
print(modes)
# omega^2, without damping
squares = np.linalg.eigvals(np.linalg.solve(lin.M, lin.K))
by_numpy = np.sort(np.sqrt(squares)) / (2 * np.pi)
print("NumPy:", by_numpy, "Hz")
assert np.allclose([mode.frequency for mode in modes], by_numpy)

# %% [markdown]
# A picture: each mode at its largest deflection to both sides. In the slow one
# the arms go together, in the fast one against each other.

# %% alt="The two modes: arms swing together at the low frequency, against each other at the high one"
fig, axes = plt.subplots(
    1, 2, figsize=(8, 4), layout="constrained", sharex=True, sharey=True
)
for ax, mode in zip(axes, modes):
    frames = lin.mode_frames(mode, amplitude=0.25, phases=24)
    for k in range(0, 13, 3):
        upper, lower = frames[k]
        elbow, tip = upper @ [0, -0.6, 0, 1], lower @ [0, -0.55, 0, 1]
        ax.plot(
            [0, elbow[0], tip[0]],
            [0, elbow[1], tip[1]],
            "o-",
            color=plt.cm.viridis(k / 12),
        )
    ax.set(aspect="equal", title=f"{mode.frequency:.3f} Hz", xlabel="x [m]")
    together = (mode["q1"] * np.conj(mode["q2"])).real > 0
    assert together == (mode is modes[0])

# %% [markdown]
# **Check by a run.** Released in the shape of a mode, the pendulum must swing
# in it alone, at its frequency. Count the passages through zero of a small
# motion:

# %%
for mode in modes:
    start = {"q1": 0.01 * mode["q1"].real, "q2": 0.01 * mode["q2"].real}
    run = pendulum.simulate(20, initial=start, method="dop853", save_every=0.01)
    x = run["q1"]
    before = np.flatnonzero(np.diff(np.sign(x)))
    zeros = run.t[before] - x[before] * 0.01 / np.diff(x)[before]
    measured = 1 / (2 * np.diff(zeros).mean())
    print(f"run: {measured:.4f} Hz, mode: {mode.frequency:.4f} Hz")
    assert abs(measured - mode.frequency) < 1e-3 * mode.frequency

# %% [markdown]
# ## Losing stability: the governor
#
# A pendulum of the mass $m$ and the length $l$ hangs on a shaft that turns at
# the rate $w$ (half of James Watt's governor). At a low speed it hangs, at a
# high speed it opens. Relative to the shaft, the moments about the hinge are
# $m l\sin q\,(g - w^2 l\cos q)$. So $\cos q = g/(w^2 l)$ once $w > \sqrt{g/l}$.

# %% alt="Sketch: an arm of length l with a ball turns about the vertical by t w, and opens by q"
governor = Model("governor", gravity=(0, -9.81, 0))
(q,) = governor.coordinates("q")
w, l, c = governor.parameters(w=3, l=0.5, c=0.02)
governor.body(
    "ball", troty(w * t) * trotz(q) * tdisp(0, -l, 0), mass=1, inertia=(0, 0, 0)
)
governor.add(GeneralizedForce(q, -c * q.dot))
governor.scene(initial={"q": 0.6}).sketch();

# %% alt="Angle over speed: zero up to the critical speed, then rising along arccos(g/(w^2 l))"
speeds = np.linspace(1, 10, 37)
found = [
    governor.equilibrium(initial={"q": 0.3}, parameters={"w": speed})["q"]
    for speed in speeds
]
closed = np.arccos(np.minimum(1, 9.81 / (speeds**2 * 0.5)))
fig, ax = plt.subplots(layout="constrained")
ax.plot(speeds, closed, "k", lw=1, label="arccos(g/(w² l))")
ax.plot(speeds, found, "o", ms=4, label="equilibrium")
ax.set(xlabel="w [rad/s]", ylabel="q [rad]")
ax.legend()
assert np.abs(np.array(found) - closed).max() < 1e-5

# %%
opening = governor.simulate(6, parameters={"w": 7}, initial={"q": 0.01})
opening.animate(plots=["q"], every=0.02)

# %% [markdown]
# What happens to the *hanging* position? It is still an equilibrium. Its poles
# depend on the speed of the shaft. At a low speed they are a pair beside the
# imaginary axis, at -0.04 1/s because of the friction. With rising speed they
# come down, and meet beside zero. Beyond that both are real. One of them
# becomes positive.

# %% alt="Poles over the speed: a pair beside the imaginary axis comes down, meets near zero, and parts"
locus = governor.root_locus("w", np.linspace(0, 8, 81), at={"q": 0})
ax = locus.plot()
critical = locus.values[np.argmax(locus.unstable)]
print(
    f"unstable from about {critical:.1f} rad/s on;",
    f"sqrt(g/l) = {np.sqrt(9.81 / 0.5):.2f} rad/s",
)
assert abs(critical - np.sqrt(9.81 / 0.5)) < 0.11
slow, fast = (
    governor.linearize(at={"q": 0}, parameters={"w": speed}).poles()
    for speed in (1, 8)
)
print("poles:", slow, fast)
assert np.allclose(slow.real, -0.04) and np.abs(slow.imag).min() > 4
assert np.abs(fast.imag).max() < 1e-9 and np.sum(fast.real > 0) == 1

# %% [markdown]
# ## Forced vibrations: an absorber
#
# A machine of 100 kg on springs is shaken by a force $u = \hat u\cos\omega t$
# of the amplitude $\hat u$ and the circular frequency $\omega$. A small mass on
# a spring of its own is put on top, tuned to the machine's frequency. The
# **frequency response** is the steady amplitude per newton:

# %% alt="Sketch: a machine on spring and damper, an absorber on a spring and a damper above it"
machine = Model("machine with absorber")
y, z = machine.coordinates("y z", unit="m")
m2, k2, c2 = machine.parameters(m2=10, k2=4e4 * 10 / 100, c2=20)
frame = machine.body("machine", tdisp(0, y, 0), mass=100, inertia=(0, 0, 0))
absorber = machine.body(
    "absorber", tdisp(0, 1 + y + z, 0), mass=m2, inertia=(0, 0, 0)
)
machine.add(
    Spring(frame, (ground, (0, -1, 0)), stiffness=4e4, free_length=1),
    Damper(frame, (ground, (0, -1, 0)), damping=60),
    Spring(absorber, frame, stiffness=k2, free_length=1),
    Damper(absorber, frame, damping=c2),
)
machine.scene(initial={"y": 0.1, "z": 0.1}).sketch();

# %% alt="Amplitude over frequency: one peak of the machine alone, a valley and two lower peaks with absorber"
u = machine.input("u", unit="N")
machine.add(GeneralizedForce(y, u))
lin = machine.linearize(at=machine.equilibrium())
omega = np.linspace(10, 32, 600)
with_absorber = lin.frequency_response(omega, input="u", output="y")

# without the absorber: by hand
alone = 1 / (4e4 - 100 * omega**2 + 60j * omega)
at_20 = np.argmin(np.abs(omega - 20))
amplitude = np.abs(with_absorber)
assert amplitude[at_20] < 0.1 * np.abs(alone[at_20])
peaks = amplitude[:at_20].max(), amplitude[at_20:].max()
assert min(peaks) > 5 * amplitude[at_20]
fig, ax = plt.subplots(layout="constrained")
ax.semilogy(omega, np.abs(alone) * 1e3, ":", label="machine alone")
ax.semilogy(omega, np.abs(with_absorber) * 1e3, label="with absorber")
ax.set(xlabel="omega [rad/s]", ylabel="amplitude [mm/N]")
ax.grid(True, which="both", alpha=0.3)
ax.legend();

# %% [markdown]
# At 20 rad/s the machine almost stands still, and the absorber shakes in its
# place. (There is a new resonance on either side of it.) **Check by a run**:
# shake with 100 N at 18 rad/s until the initial transient has died out, and
# measure.

# %%
run = machine.simulate(
    60, inputs={"u": 100 * sympy.cos(18 * t)}, method="dop853", save_every=0.01
)
late = run["y"][run.t > 50]
predicted = 100 * abs(lin.frequency_response([18.0], input="u", output="y")[0])
print(
    f"amplitude in the run: {np.ptp(late) / 2 * 1e3:.3f} mm,",
    f"predicted: {predicted * 1e3:.3f} mm",
)
assert abs(np.ptp(late) / 2 - predicted) < 5e-3 * predicted

# %%
# questions 1 and 3
for up, expected in (((np.pi, 0), 2), ((np.pi, np.pi), 1), ((0, np.pi), 1)):
    found = pendulum.linearize(at=dict(zip(("q1", "q2"), up))).poles()
    assert np.sum(found.real > 1e-6) == expected
double = {"c2": 40}
damped = machine.linearize(
    at=machine.equilibrium(parameters=double), parameters=double
).frequency_response(omega, input="u", output="y")
damped = np.abs(damped)
print("at 20 rad/s:", amplitude[at_20], damped[at_20], "m/N")
assert damped[at_20] > 1.5 * amplitude[at_20]
assert damped[:at_20].max() < peaks[0] and damped[at_20:].max() < peaks[1]

# %% [markdown]
# ## Questions
#
# 1. Which equilibrium of the double pendulum has two unstable poles, which has
#    one? Try `pendulum.equilibrium(initial={"q1": np.pi, "q2": 0})`, and
#    `pendulum.linearize(at=...)`.
# 2. The governor's hanging position is unstable above $\sqrt{g/l}$. In the other
#    equilibrium its ball goes round: the kinetic energy is not zero. Which
#    motion is "at rest" here?
# 3. Double the absorber's damping. What do you win, and what do you lose?
#
# <details><summary>Answers</summary>
#
# 1. Both arms up: two. Upper arm up and lower arm down ($q_1 = \pi$,
#    $q_2 = \pi$), or upper down and lower up: one.
# 2. Rest relative to the shaft, which turns. The motor of the shaft keeps $w$
#    constant.
# 3. The two new peaks become lower, the valley between them is filled.
#
# </details>
#
# ## Where to read on
#
# - Project [32](../exercises/32_car/README.md): a car on a measured road, a
#   quarter of it at each frequency, then the whole.
# - Exercise [11](../exercises/11_small_motions/README.md):
#   `python -m easydyn exercise 11`.
# - [Rest, small motions, sensitivities](../docs/analysis.md): steady motions,
#   contacts, Campbell's diagram.
# - J. P. Den Hartog, *Mechanical Vibrations*: the absorber, with its best
#   damping.
# - [Notebook 11](11_control.ipynb): how a controller moves unstable poles.
