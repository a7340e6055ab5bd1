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
# # 9. Force elements: springs, contact, tyres
#
# **After this notebook you can**
#
# - choose among springs, laws, contacts, friction and tyres, and write an
#   element's law yourself;
# - follow the energy through every element: what it stores, and what it
#   dissipates;
# - decide between a soft contact and a rigid impact.
#
# **The question.** A force element is a formula of positions and velocities.
# Which effects cannot be described by such a formula, and how does a run treat
# them?

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import (
    Damper,
    Force,
    JointFriction,
    Model,
    PlanePoint,
    RigidContact,
    Spring,
    Tyre,
    ground,
    tdisp,
    troty,
    trotz,
)

# %% [markdown]
# ## A spring is a force
#
# Everything that acts on a body enters eq. (6) by its resultant force
# $\mathbf R_i$ and moment $\mathbf M_{G_i}$. A mass hangs on a spring of the
# stiffness $k$ and the free length $\ell_0$, in the plane; $\ell$ is the
# distance from mass to hinge. By hand: the tension is $k\,(\ell - \ell_0)$,
# along the line from the mass to the hinge. We write it as a `Force`, and as a
# `Spring`:

# %% alt="Sketch: a mass at x, y hangs from the ground by a spring drawn as a zigzag"
by_hand = Model("by hand", gravity=(0, -9.81, 0))
x, y = by_hand.coordinates("x y", initial=(0.5, -1))
mass = by_hand.body("mass", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
length = sympy.sqrt(x**2 + y**2)
tension = 40 * (length - 0.8)
by_hand.add(Force(mass, (-tension * x / length, -tension * y / length, 0)))

elastic = Model("elastic pendulum", gravity=(0, -9.81, 0))
x, y = elastic.coordinates("x y", initial=(0.5, -1))
mass = elastic.body("mass", tdisp(x, y, 0), mass=1, inertia=(0, 0, 0))
spring = Spring(mass, ground, stiffness=40, free_length=0.8)
elastic.add(spring)
elastic.scene().sketch();

# %%
elastic.equations()

# %%
state = ([0.3, -1.2], [0.1, 2.0])
print(
    by_hand.compile().accelerations(0, *state),
    elastic.compile().accelerations(0, *state),
)
assert np.allclose(
    by_hand.compile().accelerations(0, *state),
    elastic.compile().accelerations(0, *state),
)

# %% [markdown]
# The equations are the same, but the element also knows which energy it
# *stores*. A damper beside it dissipates energy. `run.work` is the work of one
# element:

# %% alt="Left the path of the mass, right the energy that falls by as much as the damper takes"
damper = Damper(mass, ground, damping=0.4)
elastic.add(damper)
run = elastic.simulate(8)
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
axes[0].plot(run["x"], run["y"])
axes[0].set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
axes[1].plot(
    run.t,
    run.energy.total - run.energy.total[0],
    lw=3,
    alpha=0.4,
    label="change of energy",
)
axes[1].plot(run.t, run.work(damper), "k:", label="work of the damper")
axes[1].plot(run.t, run.potential(spring), label="stored in the spring")
axes[1].set(xlabel="t [s]", ylabel="[J]")
axes[1].legend()
assert np.allclose(
    run.work(damper), run.energy.total - run.energy.total[0], atol=1e-4
)

# %%
run = elastic.simulate(8)
run.animate(trace=["mass"], every=0.02)

# %% [markdown]
# ## Any law
#
# `law=` takes a function of the elongation. A rope can pull, but not push:

# %% alt="Sketch: the jumper hangs by a rope, a zigzag, at the depth z below the ground"
jump = Model("bungee jump", gravity=(0, 0, -9.81))
(z,) = jump.coordinates("z", unit="m")
jumper = jump.body("jumper", tdisp(0, 0, -z), mass=80, inertia=(0, 0, 0))
rope = Spring(
    ground, jumper, law=lambda e: sympy.Max(0, 300 * e), free_length=10
)
jump.add(rope)
jump.scene(initial={"z": 12}).sketch();

# %% alt="Depth of the jumper over eight seconds: a fall, a deep swing on the rope, a leap back"
run = jump.simulate(8)
run.plot("z")

deepest = (
    10
    + (80 * 9.81 + math.sqrt((80 * 9.81) ** 2 + 2 * 300 * 80 * 9.81 * 10)) / 300
)
print(
    f"deepest point: {run['z'].max():.3f} m;",
    f"from m g z = k (z - 10)^2 / 2: {deepest:.3f} m",
)
assert abs(run["z"].max() - deepest) < 2e-3

# %% [markdown]
# ## Contact: soft or rigid
#
# A ball falls from the height $h = 1$ m. **Soft**: where it is below the floor
# by $p$, the force $F = k p^a + c p^b\dot p$ acts on it, with a stiffness $k$,
# a damping $c$, and exponents that are 1 here. The impact takes some time, and
# steps end where it begins and where it ends. **Rigid**: the velocity is
# reversed at once,
# $\dot y^+ = -e\,\dot y^-$, with the coefficient of restitution $e$.


# %% alt="Sketch: a ball at the height y above a floor"
def ball(element):
    model = Model("ball", gravity=(0, -9.81, 0))
    (y,) = model.coordinates("y", initial=1, unit="m")
    body = model.body("ball", tdisp(0, y, 0), mass=0.5, inertia=(0, 0, 0))
    model.add(element(body, y))
    return model


soft = ball(
    lambda body, y: PlanePoint(
        body, ground, normal=(0, 1, 0), stiffness=1e5, damping=6e3, name="floor"
    )
)
hard = ball(lambda body, y: RigidContact(y, restitution=0.8, name="floor"))
hard.scene().sketch();

# %% alt="Height of both balls over six seconds: bounces that become lower, of the rigid one at rest in the end"
fig, ax = plt.subplots(layout="constrained")
soft_run, hard_run = soft.simulate(6), hard.simulate(6)
ax.plot(soft_run.t, soft_run["y"], label="soft, c/k = 0.06 s/m")
ax.plot(hard_run.t, hard_run["y"], "--", label="rigid, e = 0.8")
ax.set(xlabel="t [s]", ylabel="y [m]")
ax.legend()
for event in soft_run.events[:2]:
    print(event)
print(hard_run.events[0])
print(hard_run.events[-1])

# %% [markdown]
# **Checks.** How long is the soft contact? About half a period of mass and
# spring, $\pi\sqrt{m/k}$. When is the hard ball at rest? Its flights get
# shorter by the factor $e$: a geometric series, infinitely many impacts in a
# finite time, $t = \sqrt{2h/g}\,\left(1 + \dfrac{2e}{1 - e}\right)$.

# %%
begin, end = soft_run.events[:2]
print(
    f"contact: {(end.t - begin.t) * 1e3:.2f} ms,",
    f"half a period {math.pi * math.sqrt(0.5 / 1e5) * 1e3:.2f} ms",
)
assert abs((end.t - begin.t) / (math.pi * math.sqrt(0.5 / 1e5)) - 1) < 0.1
after = (soft_run.t > end.t) & (soft_run.t < soft_run.events[2].t)
rebound = math.sqrt(soft_run["y"][after].max())  # its restitution: h is 1 m
assert abs(rebound - (1 - 2 / 3 * 0.06 * math.sqrt(2 * 9.81))) < 0.05
steps = soft_run.steps.t
assert 1000 < np.sum((begin.t < steps) & (steps <= end.t)) < 3000
rest = math.sqrt(2 / 9.81) * (1 + 2 * 0.8 / 0.2)
print(f"at rest: {hard_run.events[-1].t:.6f} s, by the series {rest:.6f} s")
assert abs(hard_run.events[-1].t - rest) < 1e-5

# %% [markdown]
# The soft ball rebounds less from fast impacts (its restitution is about
# $1 - \tfrac23\tfrac ck v$ at the speed $v$; notebook 19 derives it), and needs
# more than a thousand steps in the first. The rigid ball needs a number $e$
# from a measurement. **A formula for a force cannot** change a velocity at
# once. An event can.
#
# ## Friction: to slide and to stick
#
# A block on a slope of 20 degrees starts downwards at 1 m/s; $\mu = 0.5$ is the
# coefficient of friction. Friction opposes the slip, and its formula has no
# value at rest. *Regularised* friction is a steep damper: the block creeps.
# *Sticking* friction has bristles that bend: the block stays.

# %% alt="Sketch: a block at s on a slope that falls to the right"
slope = math.radians(20)


def block(sticking):
    model = Model("block on a slope", gravity=(0, -9.81, 0))
    (s,) = model.coordinates("s", rates=1, unit="m")
    T = trotz(-slope) * tdisp(s, 0, 0)
    model.body("block", T, mass=2, inertia=(0, 0, 0))
    weight = 2 * 9.81 * math.cos(slope)
    model.add(
        JointFriction(
            s, 0.5 * weight, slip_speed=0.01, sticking=sticking, name="sole"
        )
    )
    return model


block(None).scene(initial={"s": 0.5}).sketch();

# %% alt="Way of the block over 30 s: regularised it creeps on after a stop, sticking it stays"
fig, ax = plt.subplots(layout="constrained")
for sticking, name in ((None, "regularised"), (1e-4, "sticking")):
    run = block(sticking).simulate(30)
    ax.plot(run.t, run["s"], label=name)
    print(
        f"{name:12s} s = {run['s'][-1]:.4f} m,",
        f"speed at the end {run['s.dot'][-1]:.1e} m/s",
    )
expected = 1 / (2 * 9.81 * (0.5 * math.cos(slope) - math.sin(slope)))
print("v^2 / (2 g (mu cos - sin)) =", round(expected, 4), "m")
assert abs(run["s"][-1] - expected) < 0.01 * expected
assert abs(run["s.dot"][-1]) < 1e-6  # m/s: it stays
ax.set(xlabel="t [s]", ylabel="s [m]")
ax.legend();

# %% [markdown]
# **How fast does the regularised block creep?** Its friction is
# $\mu N\,u/\sqrt{1 + u^2}$, with the normal force $N$ and the speed $u = v/v_0$
# in units of the slip speed $v_0$. Steady creep means that it
# balances the weight along the slope, $m g\sin 20° = \mu N\,r$ with
# $N = m g\cos 20°$, so that $r = \tan 20°/\mu$. Then
#
# $$\frac{u}{\sqrt{1 + u^2}} = r \quad\Rightarrow\quad u^2 = r^2\,(1 + u^2) \quad\Rightarrow\quad
# v = v_0\,\frac{r}{\sqrt{1 - r^2}}$$
#
# The block creeps at this speed for ever. Notebook 19 has friction without a
# $v_0$.

# %%
r = math.tan(slope) / 0.5
creep = 0.01 * r / math.sqrt(1 - r**2)
late = block(None).simulate(30)["s.dot"][-1]
print(f"creep: {late:.6f} m/s in the run, {creep:.6f} m/s by the formula")
assert abs(late - creep) < 1e-4 * creep

# %% [markdown]
# ## A tyre
#
# The force of a tyre depends on its *slip*, the difference between the speed at
# which it rolls and the speed at which it travels. To see the law, take a wheel
# at a fixed height, and compute the acceleration at many speeds of spin at once
# (`system` takes arrays of states):

# %% alt="Sketch: a wheel on the ground, that turns by spin and travels by x"
car = Model("wheel on its rig")
x, spin = car.coordinates("x spin")
load = 3000
p = load / 2e5  # the tyre is pressed in as far as its load needs
wheel = car.body(
    "wheel", tdisp(x, 0, 0.3 - p) * troty(spin), mass=1, inertia=(0, 1, 0)
)
car.add(
    Tyre(
        wheel,
        ground,
        axle=(0, 1, 0),
        normal=(0, 0, 1),
        outer_radius=0.3,
        torus_radius=0.05,
        stiffness=2e5,
        nominal_load=3000,
        slip_stiffness=4e4,
        side_slip_stiffness=4e4,
        camber_stiffness=2e3,
        exponent=0.8,
        static_friction=1,
        dynamic_friction=0.7,
        low_speed=0.1,
    )
)
car.scene(initial={"spin": 0.6}).sketch();

# %% alt="Thrust over slip: steep through the origin, a peak at a slip of about 0.18, then falling towards 0.7"
rolling_radius = 0.3 - p / 3
speed = 20.0
spins = np.linspace(0.0, 3.0, 301) * speed / rolling_radius
rates = np.column_stack([np.full_like(spins, speed), spins])
thrust = car.compile().accelerations(0, np.zeros((301, 2)), rates)[
    :, 0
]  # of 1 kg: the force in N

rolling = spins * rolling_radius
slip = (rolling - speed) / np.maximum(rolling, speed)
fig, ax = plt.subplots(layout="constrained")
ax.plot(slip, thrust / load)
ax.plot(
    slip, np.clip(4e4 * slip / load, -1.1, 1.1), ":", label="slip stiffness"
)
ax.set(
    xlabel="slip (braking negative, driving positive)", ylabel="thrust / load"
)
ax.grid(True, alpha=0.3)
ax.legend();

# %%
middle = np.abs(slip) < 0.01
stiffness = np.polyfit(slip[middle], thrust[middle], 1)[0]
print(
    f"slope at the origin: {stiffness:.0f} N, slip stiffness 40000 N",
    "(the curve bends from the start)",
)
print(f"locked wheel: {thrust[0] / load:.3f} of the load, dynamic friction 0.7")
assert abs(thrust[0] / load + 0.7) < 1e-6 and abs(stiffness - 4e4) < 0.05 * 4e4
assert abs(slip[np.argmax(thrust)] - 0.18) < 0.03
assert thrust.min() < 1.1 * thrust[0]

# %% [markdown]
# The largest thrust comes at a slip of about 18 %, and a locked wheel brakes
# worse: the reason for anti-lock brakes.
#
# ## Questions
#
# 1. A `Spring` has no default for its stiffness, and a `Damper` none for its
#    damping. Why?
# 2. Why does `run.energy.balance` stay constant although contact and friction
#    take energy?
# 3. You simulate a hammer that strikes a nail, and want to know the largest
#    force. Soft or rigid contact?
#
# <details><summary>Answers</summary>
#
# 1. A default would be a number that nobody has measured, in every model in
#    which it was forgotten. An error message costs a minute, a wrong result
#    much more.
# 2. It is the total energy *less the work* of what is not conservative:
#    constant, if forces and work are right.
# 3. Soft, with a stiffness that means something. A rigid impact has an impulse,
#    and no force.
#
# </details>
#
# ## Where to read on
#
# - Exercise [10](../exercises/10_force_element/README.md):
#   `python -m easydyn exercise 10`.
# - [Forces](../docs/forces.md), with elements of your own;
#   [contact](../docs/contact.md); [tyre](../docs/tyre.md);
#   [events](../docs/events.md), for impacts.
# - [Notebook 10](10_equilibrium_and_modes.ipynb): where mechanisms rest, and
#   how they vibrate.
