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
# # 8. Three dimensions: the spatial robot
#
# **After this notebook you can**
#
# - handle rotations in space, where the angular velocity is not a derivative of
#   angles;
# - recognise the gyroscopic moment, in a formula and in a motion;
# - model a robot with its motors, actions and reactions, and forces that jump;
# - use inverse dynamics to decide which of two published numbers is right.
#
# **The question.** A publication prints the moment of a robot's motor twice: as
# $637\,t - 508$ and as $673\,t - 508$. Which one is right?

# %%
import matplotlib.pyplot as plt
import numpy as np
from sympy import Piecewise, Rational, atan2, exp, pi, sqrt

from easydyn import (
    Force,
    Model,
    Moment,
    integrate,
    t,
    tdisp,
    trotx,
    troty,
    trotz,
)

# %% [markdown]
# ## A gyroscope
#
# A wheel of the mass $m$ spins on an axle, at the distance $r$ from a pivot;
# the axle may turn about the vertical ($\psi$) and nod ($\nu$, downwards). $C$
# is the moment of inertia about the axle, $A$ that across it. Three turns, from
# the ground outwards:

# %% alt="Sketch of the gyroscope: a wheel on an axle of length r that turns by psi and nods"
gyro = Model("gyroscope", gravity=(0, 0, -9.81))
psi, nod, spin = gyro.coordinates("psi nod spin", rates=(0, 0, 200))
m, r, C, A = gyro.parameters(m=2, r=0.15, C=0.02, A=0.012)
T = trotz(psi) * troty(nod) * tdisp(r, 0, 0) * trotx(spin)
wheel = gyro.body("wheel", T, mass=m, inertia=(C, A, A))
gyro.scene(initial={"psi": 0.6, "nod": -0.3, "spin": 0.7}).sketch();

# %%
wheel.omega

# %% [markdown]
# Each column of $\boldsymbol\theta$ is the axis of one turn. The axis of $\psi$
# is vertical, that of $\nu$ is turned by $\psi$, that of the spin by both.
# $\boldsymbol\omega$ is the sum of these axes, each times its rate. **It is not
# the derivative of a vector of angles**: the integral of $\omega_x$ has no
# meaning.

# %%
wheel.theta[spin]

# %% [markdown]
# In eq. (6) a spinning body has a term that no planar body has,
# $\boldsymbol\omega\times\boldsymbol\Phi\boldsymbol\omega$. The tensor is given
# in the axes of the body; the product needs both factors in the same axes:
# $\boldsymbol\Phi_0 = \mathbf R\boldsymbol\Phi\mathbf R^T$. This term makes the
# wheel precess: the weight has a moment that would tip the axle down, but the
# axle moves sideways.
#
# **How fast?** Let the axle be horizontal, along $\mathbf x_1$, and the wheel
# spin at $\Omega$. About the pivot the angular momentum is
# $\mathbf L = C\,\Omega\,\mathbf x_1 + L_z\,\mathbf z$. In a steady precession
# $\Omega$ and $L_z$ are constant, and $\mathbf x_1$ turns with
# $\dot\psi\,\mathbf z$:
#
# $$\dot{\mathbf L} = C\,\Omega\,\dot\psi\;\mathbf z\times\mathbf x_1 = C\,\Omega\,\dot\psi\;\mathbf y_1$$
#
# The moment of the weight is
# $r\,\mathbf x_1\times(-m g\,\mathbf z) = m g r\;\mathbf y_1$. Both are equal,
# and $A$ does not matter:
#
# $$\dot\psi = \frac{m g r}{C\,\Omega}$$
#
# (Notebook 15 derives it for any inclination of the axle.)

# %%
rate = 2 * 9.81 * 0.15 / (0.02 * 200)
steady = gyro.simulate(10, initial={"psi.dot": rate})
print(
    f"nods by {np.abs(steady['nod']).max():.1e} rad;",
    f"turns by {steady['psi'][-1]:.6f} rad, expected {10 * rate:.6f}",
)
assert (
    np.abs(steady["nod"]).max() < 1e-5
    and abs(steady["psi"][-1] - 10 * rate) < 1e-4
)

# %% [markdown]
# Released without that rate, the axle nods while it goes round (*nutation*).
# The path of the wheel's centre, unrolled:

# %% alt="Path of the axle: cusps when released at rest, a level line at the steady rate, waves above it"
fig, ax = plt.subplots(layout="constrained")
for start in (0, rate, 2 * rate):
    run = gyro.simulate(0.5, initial={"psi.dot": start})
    ax.plot(run["psi"], -run["nod"], label=f"starts at {start:.2f} rad/s")
ax.set(xlabel="psi [rad]", ylabel="height of the axle [rad]")
ax.grid(True, alpha=0.3)
ax.legend();

# %% [markdown]
# The run that starts without turning, in slow motion:

# %%
run = gyro.simulate(0.5)
run.animate(trace=["wheel"], every=0.002, speed=0.1)

# %% [markdown]
# ## The robot
#
# A benchmark of the Multibody Systems Handbook: a column lifts and turns, an
# arm slides and rolls, a gripper tilts. There are five coordinates, and three
# products of transforms. $L$
# and $c$ are the distances from the middle of the arm to the joint of the hand,
# and from there to its centre of mass:

# %% alt="Sketch of the robot: a column that lifts and turns, an arm that slides and rolls, a tilting hand"
robot = Model("spatial robot", gravity=(0, 0, -9.81))
lift, turret, slide, roll, grip = robot.coordinates(
    "lift turret slide roll grip",
    initial=(2.25, -pi / 6, 0.75, 0, 0),
    unit=("m", "rad", "m", "rad", "rad"),
)
L, c = robot.parameters(L=0.5, c=0.05)
column = trotz(turret) * tdisp(0, 0, lift)
base = robot.body("base", column, mass=250, inertia=(90, 10, 90))
arm = robot.body(
    "arm",
    column * troty(roll) * tdisp(0, slide, 0),
    mass=150,
    inertia=(13, 0.75, 13),
)
hand_frame = (
    column * troty(roll) * tdisp(0, slide + L, 0) * trotx(grip) * tdisp(0, c, 0)
)
hand = robot.body("hand", hand_frame, mass=100, inertia=(4, 1, 4.3))
pose = {"lift": 1.1, "turret": -0.5, "slide": 0.9}
robot.scene(initial=pose).sketch(towards=(1, -0.25, 0.45));

# %%
hand.omega

# %%
hand.d[turret]

# %% [markdown]
# ## Motors
#
# Force and moment of each motor are given in three phases. **Action and
# reaction**: the motor of the slide pushes the arm along the arm's own y axis
# (`frame=arm`), and the base backwards (`reaction=base`). Without the reaction
# the mechanism would accelerate itself without an outer force. `robot.check()`
# would report that.


# %%
def phases(first, second, third):
    return Piecewise((first, t < 0.5), (second, t < 1.5), (third, True))


motors = (
    Force(base, (0, 0, phases(6348, 4905, 3462))),
    Moment(
        base,
        (0, 0, phases(673 * t - 508, 148 * exp(-5.5 * (t - 0.5)) - 8, 240)),
    ),
    Force(
        arm, (0, phases(36 * t + 986, -2, -1019), 0), frame=arm, reaction=base
    ),
    Moment(hand, (phases(63.5, 49.05, 34.6), 0, 0), frame=arm, reaction=arm),
)

# %% [markdown]
# ## The question: which number?
#
# The benchmark's designers wanted the arm's centre of mass to move on a
# straight line along $(1, 1, 1)$: half a second at 5 m/s², a second at constant
# speed, half a second to stop. **Inverse dynamics** gives the efforts for that
# motion: put the motion into eq. (6), and the missing force is the effort of
# the motor.

# %% alt="Moment of the turret: 673 t - 508 meets the needed curve at both ends, 637 t - 508 ends below it"
way = Piecewise(
    (Rational(5, 2) * t**2, t < 0.5),
    (Rational(5, 8) + Rational(5, 2) * (t - 0.5), t < 1.5),
    (
        Rational(25, 8)
        + Rational(5, 2) * (t - 1.5)
        - Rational(5, 2) * (t - 1.5) ** 2,
        True,
    ),
) / sqrt(3)
x, y = Rational(3, 8) + way, sqrt(3) * Rational(3, 8) + way
design = [Rational(9, 4) + way, atan2(-x, y), sqrt(x**2 + y**2), 0, 0]

instants = np.linspace(0, 0.5, 51)[:-1]
efforts = robot.inverse_dynamics(instants, design)
fig, ax = plt.subplots(layout="constrained")
ax.plot(instants, efforts[:, 1], "k", lw=2, label="needed by the design motion")
for slope, style in ((673, "--"), (637, ":")):
    ax.plot(instants, slope * instants - 508, style, label=f"{slope} t - 508")
ax.set(xlabel="t [s]", ylabel="moment of the turret [N m]")
ax.grid(True, alpha=0.3)
ax.legend();

# %%
needed = robot.inverse_dynamics([0.0, 0.5 - 1e-9], design)[:, 1]
print(
    "needed at 0 and at 0.5 s:",
    needed.round(1),
    " 673 gives",
    673 * 0.5 - 508,
    " 637 gives",
    637 * 0.5 - 508,
)
assert abs(needed[1] + 168.8) < 0.1
assert abs(needed[0] + 508) < 0.5
assert abs(673 * 0.5 - 508 - needed[1]) < 3 < 20 < needed[1] - 637 * 0.5 + 508
assert np.abs(efforts[:, 0] - 6348).max() < 1  # N: the lift

# %% [markdown]
# It is 673: the line $673\,t - 508$ meets the curve at both ends, to 3 N m.
# With 637 the end would be more than 20 N m too low: two digits are exchanged.
# The other motors agree: the lift must carry 500 kg and accelerate them,
# $500\,(9.81 + 5/\sqrt3) = 6348$ N.
#
# ## The run

# %% alt="Lift, turret and slide over two seconds"
robot.add(*motors)
run = robot.simulate(2)
run.plot("lift", "turret", "slide");

# %%
run.animate(trace=["hand"], every=0.02, speed=0.5)

# %% [markdown]
# Does the arm go where it was meant to? Its path in space, and its distance
# from the straight line at the end:

# %% alt="The paths of arm and hand in space, beside the straight line that the arm was to follow"
path = run.frames("arm")[:, :3, 3]
goal = path[0] + 3.75 / np.sqrt(3)
ax = plt.figure(layout="constrained").add_subplot(projection="3d")
ax.plot(*path.T, label="arm")
ax.plot(*run.frames("hand")[:, :3, 3].T, label="hand")
ax.plot(*zip(path[0], goal), "k:", label="straight line")
ax.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]")
ax.legend()
print("arm at the end:", path[-1].round(3), " goal:", goal.round(3))
assert np.linalg.norm(path[-1] - goal) < 0.05

# %% [markdown]
# It arrives within 5 cm. The published efforts are rounded, and no controller
# (notebook 11) corrects the motion.
#
# **Check**: the energy must change by the work of the motors, no more and no
# less.

# %%
print(run.energy)
assert np.ptp(run.energy.balance) < 1e-6 * run.energy.work[-1]

# %% [markdown]
# ## Forces that jump
#
# At 0.5 s and 1.5 s the efforts jump. easydyn finds the conditions on time, and
# ends a step exactly there. What happens if an integrator does not know of the
# jumps? We compare steps of 9.7 ms across the jumps with the same steps that
# end at them:

# %%
system = robot.compile()
reference = robot.simulate(2, tolerance=1e-9).q[-1]
knowing = robot.simulate(2, step=0.0097).q[-1]
blind = integrate(
    system.residual, q=run.q[0], qd=run.qd[0], t_final=2, step=0.0097
).q[-1]
print(
    "error of the slide, landing on the jumps:",
    f"{knowing[2] - reference[2]:.1e} m",
)
print(
    "error of the slide, stepping across:     ",
    f"{blind[2] - reference[2]:.1e} m",
)
assert (
    abs(knowing[2] - reference[2]) < 1e-4 < 1e-3 < abs(blind[2] - reference[2])
)

# %% [markdown]
# ## Questions
#
# 1. Why do the inertias $I_{xx}, I_{yy}$ of the base have no effect?
# 2. The base is pushed by a `Force` without a reaction. Which body takes the
#    reaction? What
#    would change with `reaction=ground`?
# 3. Turn the wheel of the gyroscope the other way round. What happens to the
#    precession? Answer with the formula first.
#
# <details><summary>Answers</summary>
#
# 1. The base only turns about $z$: $\boldsymbol\theta = (0, 0, 1)$, so only
#    $I_{zz}$ enters the equations.
# 2. The ground, either way. The motion is the same; with `reaction=ground` the
#    reaction of the ground on the base, `run.reaction("base", "ground")`,
#    counts the motor as part of the joint.
# 3. $\Omega$ changes its sign, and so does $\dot\psi$.
#
# </details>
#
# ## Where to read on
#
# - Exercise [09](../exercises/09_spatial/README.md):
#   `python -m easydyn exercise 09`.
# - [Reactions and inverse dynamics](../docs/reactions.md).
# - W. Schiehlen, *Multibody Systems Handbook*, Springer 1990: the benchmark.
# - [Notebook 9](09_force_elements.ipynb): springs, contact, tyres.
