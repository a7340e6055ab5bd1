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
# # 17. Rolling
#
# **After this notebook you can**
#
# - write the condition of rolling as an equation for rates, and say when it can
#   be integrated to an equation for positions;
# - count degrees of freedom of positions and of rates, which may differ, and
#   find the force that keeps a wheel from slipping;
# - derive three motions of classical mechanics: a coin that stays upright, a
#   sleigh, a ball on a turntable.
#
# **The question.** A wheel cannot move sideways. Yet a car can reach every
# position with every heading, if the driver turns the wheel often enough. What
# kind of constraint forbids a motion at every instant, but excludes no
# position?

# %%
import matplotlib.pyplot as plt
import numpy as np

from easydyn import (
    KnifeEdge,
    Model,
    Rolling,
    examples,
    ground,
    tdisp,
    trotx,
    troty,
    trotz,
    visu,
)

# %% [markdown]
# ## The condition
#
# A disc of the radius $r$ touches the ground at C; its centre is G, its
# angular velocity $\boldsymbol\omega$. Rolling means that the *material point*
# of the disc at C is at rest:
#
# $$\mathbf v_C = \mathbf v_G + \boldsymbol\omega\times\mathbf{GC} = \mathbf
# 0$$
#
# An upright disc is at $(x, y)$ on a plane. It heads along
# $(\cos\psi, \sin\psi)$ and turns by $\varphi$ about its axis. Then the
# condition of rolling is two equations for the rates:
#
# $$\dot x = r\,\dot\varphi\cos\psi,\qquad \dot y = r\,\dot\varphi\sin\psi$$
#
# If the disc rolls *straight on*, with constant $\psi$, they can be integrated:
# $x - r\varphi\cos\psi = $ const. This is a constraint on positions
# (**holonomic**), as in the notebooks before. If $\psi$ changes, they cannot be
# integrated. If there were an equation $g(x, y, \psi, \varphi) = 0$, the
# position would follow from the two angles. But it depends on the *order* in
# which the angles change:


# %%
def drive(moves, r=0.3):
    """Where a disc ends that turns its heading, or rolls, in this order."""
    x = y = heading = 0.0
    for what, angle in moves:
        if what == "turn":
            heading += angle
        else:
            x += r * angle * np.cos(heading)
            y += r * angle * np.sin(heading)
    return np.array([x, y])


first = drive([("turn", np.pi / 2), ("roll", 4.0)])
second = drive([("roll", 4.0), ("turn", np.pi / 2)])
print("turn, roll:", first.round(3), "  roll, turn:", second.round(3))
assert not np.allclose(first, second)

# %% [markdown]
# The angles are the same, but the positions are different. Such a constraint is
# **nonholonomic**: it restricts the *rates*, but not the *positions*. There are
# four coordinates, and two independent rates.
#
# ## A disc on a slope: holonomic after all
#
# A disc rolls straight down a slope of the angle $\beta$. Its mass is $m$,
# its moment of inertia about the axis $J$; $F$ is the force of the ground along
# the slope. Newton: $m\,\ddot s = m g\sin\beta - F$; Euler:
# $J\,\ddot\varphi = F r$; rolling: $\ddot s = r\,\ddot\varphi$. So
#
# $$\ddot s = \frac{g\sin\beta}{1 + J/(m r^2)},\qquad F = m
# g\sin\beta\;\frac{J}{J + m r^2}$$
#
# It does not slip as long as $F\le\mu\,m g\cos\beta$ with the coefficient of
# friction $\mu$: for a solid disc, $J = m r^2/2$, up to $\tan\beta = 3\mu$.
# In easydyn the constraint is `Rolling`. Its multipliers are the force of the
# ground.

# %% alt="Sketch: a wheel on a slope"
beta, r, m = 0.3, 0.3, 3.0
J = m * r**2 / 2
slope = Model("disc on a slope", gravity=(0, 0, -9.81))
phi, s, h = slope.coordinates("phi s h", initial=(0, 0, r))
T = troty(beta) * tdisp(s, 0, h) * troty(phi)
disc = slope.body("disc", T, mass=m, inertia=(J / 2, J, J / 2))
ramp = Rolling(
    disc, ground, radius=r,
    normal=(np.sin(beta), 0, np.cos(beta)), name="slope",
)
slope.add(ramp)
scene = slope.scene(initial={"phi": 0.5, "s": 0.6})
ramp_of_wood = visu.Box(1.6, 0.3, 0.04, at=troty(beta) * tdisp(0.5, 0, -0.02))
scene.add(ground, ramp_of_wood)
scene.sketch(towards=(0, -1, 0));

# %%
run = slope.simulate(1, method="dop853")
by_hand = 9.81 * np.sin(beta) / (1 + J / (m * r**2))
print(f"acceleration {run['s.ddot'][-1]:.6f}, by hand {by_hand:.6f} m/s2")
force = dict(zip(ramp.labels, run.multipliers(ramp)[-1]))
F = m * 9.81 * np.sin(beta) * J / (J + m * r**2)
print(f"along the slope {force['Fx']:.6f}, by hand {-F:.6f} N")
print(f"across it {force['Fz']:.6f}, by hand {m * 9.81 * np.cos(beta):.6f} N")
assert np.isclose(run["s.ddot"][-1], by_hand) and np.isclose(force["Fx"], -F)
assert np.isclose(force["Fz"], m * 9.81 * np.cos(beta))
assert np.ptp(run.energy.total) < 1e-6  # the force of rolling does no work
print(slope.mobility())
grip = F / (m * 9.81 * np.cos(beta))  # the friction that it needs
assert np.isclose(3 * grip, np.tan(beta))

# %% [markdown]
# ## A coin
#
# An upright coin falls over if it is slow, and rolls on if it is fast. Let it
# roll at $v = r\,\Omega$, nearly upright: the lean $\vartheta$ and the rate
# $\dot\psi$ of its heading are small. $C$ is its moment of inertia about the
# axis, $A$ that about a diameter.
#
# - *About the vertical.* All forces of the ground act just below G, so they
#   have no moment about the vertical through G, to first order. The angular
#   momentum about it is $A\,\dot\psi$, plus the component
#   $C\,\Omega\,\vartheta$ of the spin, because the axis leans. It stays zero:
#   $A\,\dot\psi = -C\,\Omega\,\vartheta$. (The sign means that the coin turns
#   to the side to which it leans.)
# - *About the line on which it rolls*, through C: the weight has the moment
#   $m g r\,\vartheta$. This moment is the sum of three terms:
#   $(A + m r^2)\,\ddot\vartheta$ accelerates the lean, $C\,\Omega\,\dot\psi$
#   turns the spin, and $m v\,\dot\psi\,r$ accelerates the mass sideways at the
#   height $r$.
#
# Together, with $|\dot\psi| = C\,\Omega\,\vartheta/A$,
#
# $$(A + m r^2)\,\ddot\vartheta = \left(m g r - (C + m
# r^2)\,\frac{C}{A}\,\Omega^2\right)\vartheta$$
#
# The coin falls if the bracket is positive. For a thin disc,
# $C = m r^2/2 = 2A$: it falls if $v^2 < g r/3$, and stays upright if
# $v^2 > g r/3$.

# %% alt="Sketch of a coin that leans, on the ground"
coin = Model("coin", gravity=(0, 0, -9.81))
lean, yaw, spin = coin.coordinates("lean yaw spin")
x, y, z = coin.coordinates("x y z")  # declared last: they follow
place = tdisp(x, y, z) * trotz(yaw) * trotx(lean) * troty(spin)
body = coin.body("coin", place, mass=2, inertia=(0.125, 0.25, 0.125))
coin.add(Rolling(body, ground, radius=0.5))
leaning = coin.assemble({"lean": 0.4, "yaw": 0.4}, hold=["lean", "yaw"])
scene = coin.scene(initial=leaning)
scene.add(ground, visu.Box(2, 2, 0.02, at=tdisp(0, 0, -0.01)))
scene.sketch(towards=(1, -0.35, 0.35));

# %%
print(coin.mobility())
assert coin.mobility().degrees_of_freedom == 3
v = np.sqrt(9.81 * 0.5 / 3)
for factor in (0.5, 0.99, 1.01, 2):
    steady = {"lean": 0, "yaw.dot": 0, "spin.dot": factor * v / 0.5}
    growth = coin.linearize(at=steady).poles().real.max()
    bracket = 2 * 9.81 * 0.5 - 0.75 * 2 * (factor * v / 0.5) ** 2
    by_hand = np.sqrt(max(0, bracket) / (0.125 + 0.5))
    print(f"{factor:5.2f} v: growth {growth:.4f}, by hand {by_hand:.4f} 1/s")
    assert abs(growth - by_hand) < 1e-5

# %% alt="Path of the middle of the coin: a curl that is nearly a circle"
start = {"lean": 0.25, "yaw.dot": -1.0, "spin.dot": 4.0, "x": 0, "y": 0}
run = coin.simulate(
    6, initial=start, method="dop853", tolerance=1e-9, save_every=0.02
)
drift = np.ptp(run.energy.balance)
print(f"what rolls loses no energy: it changes by {drift:.1e} J")
assert drift < 1e-5
fig, ax = plt.subplots(layout="constrained")
ax.plot(run["x"], run["y"])
ax.set(aspect="equal", xlabel="x [m]", ylabel="y [m]");

# %%
run.animate(trace=["coin"])

# %% [markdown]
# ## A sleigh
#
# A blade glides lengthwise, but not sideways. Chaplygin's sleigh rests on one
# blade at the point P, and on smooth feet. G is ahead of P by the distance $a$.
# $I$ is the moment of inertia about G, $u$ the speed along the blade, and
# $\omega$ the rate of turning. The velocity of G is $u$ along the blade and
# $a\,\omega$ across it. Its acceleration along the blade is
# $\dot u - a\,\omega^2$, across it $a\,\dot\omega + u\,\omega$. The only force
# is $N$, across the blade at P:
#
# $$\dot u = a\,\omega^2,\qquad N = m\,(a\,\dot\omega + u\,\omega),\qquad
# I\,\dot\omega = -a N$$
#
# so that $(I + m a^2)\,\dot\omega = -m a\,u\,\omega$: **the rotation dies out
# although there is no damping**. $u$ grows, because the energy is constant. In
# the end the sleigh runs straight ahead, with the blade behind G. If the blade
# is in front of G at the start, the sleigh turns round, as does a trolley that
# is pushed with its fixed wheels in front.

# %% alt="Sketch of a sleigh from above: a body on a blade behind its centre of mass"
sleigh = Model("sleigh")
x, angle, y = sleigh.coordinates("x angle y", rates=(0.2, 2, 0))
frame = tdisp(x, y, 0) * trotz(angle)
hull = visu.Box(0.9, 0.3, 0.1)
blade = visu.Box(0.2, 0.02, 0.12, at=tdisp(-0.3, 0, 0.05), colour="dark")
body = sleigh.body(
    "sleigh", frame, mass=2, inertia=(0, 0, 0.5), shape=[hull, blade]
)
sleigh.add(KnifeEdge((body, (-0.3, 0, 0)), ground))
sleigh.scene(initial={"x": 0.6, "y": 0.4, "angle": 0.5}).sketch();

# %% alt="Left the path, a curl that becomes a straight line; right speed and turning, and the textbook's dots on them"
run = sleigh.simulate(8, method="dop853", tolerance=1e-10, save_every=0.02)
c, s = np.cos(run["angle"]), np.sin(run["angle"])
along = run["x.dot"] * c + run["y.dot"] * s
u, omega, h = along[0], run["angle.dot"][0], 0.001
by_hand = [(u, omega)]
for _ in range(8000):  # the midpoint rule for the two equations above
    um, wm = (
        u + h / 2 * 0.3 * omega**2,
        omega - h / 2 * 0.6 * u * omega / (0.5 + 0.18),
    )
    u, omega = u + h * 0.3 * wm**2, omega - h * 0.6 * um * wm / (0.5 + 0.18)
    by_hand.append((u, omega))
by_hand = np.array(by_hand)[::20]
assert np.abs(by_hand[:, 0] - along).max() < 1e-5
assert abs(run["angle.dot"][-1]) < 0.01 and along[-1] > 5 * along[0]
assert np.ptp(run.energy.total) < 1e-6
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
left.plot(run["x"], run["y"])
left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
right.plot(run.t, along, label="u [m/s]")
right.plot(run.t, run["angle.dot"], label=r"$\omega$ [rad/s]")
right.plot(run.t[::25], by_hand[::25], "k.", ms=3)
right.set(xlabel="t [s]")
right.legend();

# %% [markdown]
# ## A ball on a turntable
#
# A ball of the radius $r$ rolls on a turntable that turns at $\Omega$ about the
# vertical $\mathbf z$. Where does it go? One would expect it to go outwards.
# Let
# $\mathbf p$ be the place of its centre, $\mathbf v = \dot{\mathbf p}$,
# $\mathbf F$ the horizontal force of the table and $J = \tfrac25 m r^2$:
#
# $$m\,\dot{\mathbf v} = \mathbf F,\qquad J\,\dot{\boldsymbol\omega} = -r\,\mathbf
# z\times\mathbf F,\qquad \mathbf v - r\,\boldsymbol\omega\times\mathbf z =
# \Omega\,\mathbf z\times\mathbf p$$
#
# Differentiate the last equation. By the second one,
# $\dot{\boldsymbol\omega}\times\mathbf z$ is
# $-\tfrac rJ(\mathbf z\times\mathbf F)\times\mathbf z$, which is
# $-\tfrac rJ\,\mathbf F$, and $\mathbf F = m\,\dot{\mathbf v}$:
#
# $$\left(1 + \frac{m r^2}{J}\right)\dot{\mathbf v} = \Omega\,\mathbf
# z\times\mathbf v\quad\Rightarrow\quad \dot{\mathbf v} =
# \tfrac27\,\Omega\;\mathbf z\times\mathbf v$$
#
# The velocity turns at a constant rate. So **the ball goes round a circle**,
# anywhere on the table, at two sevenths of the rate of the table. The condition
# of rolling is an equation for rates, and `constraint` takes any such equation:

# %% alt="Sketch: a ball on a round table"
W, r = 1.4, 0.1
table = Model("ball on a turntable")
ball = table.free_body(
    "ball", mass=1, inertia=(0.4 * r**2,) * 3, position=(0.5, 0, r),
    velocity=(0, 0.3, 0), angular_velocity=((W * 0.5 - 0.3) / r, 0, 0),
)
px, py, pz = ball.T.e
v, omega = ball.v, ball.omega
table.constraint(v[0] - r * omega[1] + W * py, name="no slip along x")
table.constraint(v[1] + r * omega[0] - W * px, name="no slip along y")
table.constraint(pz - r, name="contact")
scene = table.scene()
scene.add(ground, visu.Cylinder(0.9, 0.02, at=tdisp(0, 0, -0.01)))
scene.sketch(towards=(0.3, -1, 0.5));

# %% alt="Path of the ball: a circle of radius 0.75 m about a point that is not the middle of the table"
run = table.simulate(10, method="dop853", tolerance=1e-9, save_every=0.02)
X, Y = run.of(px), run.of(py)
A = np.column_stack([2 * X, 2 * Y, np.ones_like(X)])
(cx, cy, rest), *_ = np.linalg.lstsq(A, X**2 + Y**2, rcond=None)
radius = np.sqrt(rest + cx**2 + cy**2)
rate = np.polyfit(run.t, np.unwrap(np.arctan2(Y - cy, X - cx)), 1)[0]
print(f"a circle about ({cx:.4f}, {cy:.4f}) m, radius {radius:.4f} m;")
print(f"rate {rate:.6f} rad/s, 2/7 of the table's {2 / 7 * W:.6f}")
assert abs(rate - 2 / 7 * W) < 1e-7
assert np.abs(np.hypot(X - cx, Y - cy) - radius).max() < 1e-7
assert abs(radius - 0.75) < 1e-6 and abs(cx + 0.25) < 1e-6
fig, ax = plt.subplots(layout="constrained")
ax.plot(X, Y)
ax.plot(0, 0, "k+", ms=12, label="axis of the table")
ax.set(aspect="equal", xlabel="x [m]", ylabel="y [m]")
ax.legend();

# %% [markdown]
# Such constraints enter eq. (6) in the same way as constraints on positions.
# Let $\mathbf A\,\dot{\mathbf q} + \mathbf b = \mathbf 0$ be the equations for
# the rates. Virtual motions must obey $\mathbf A\,\delta\mathbf q = \mathbf 0$,
# and the force of the constraint is $\mathbf A^\mathsf{T}\boldsymbol\lambda$
# (notebook 13). The difference is that no coordinate can be eliminated.
#
# ## Questions
#
# 1. A bicycle has two wheels, a frame and a fork. How many coordinates does it
#    need, and how many independent rates has it?
# 2. A hollow ball rolls on the turntable. Faster or slower?
# 3. May one say that the force of rolling does no work? The disc on the slope
#    gains energy of rotation.
#
# <details><summary>Answers</summary>
#
# 1. Nine (position and attitude of the frame, steering angle, two wheels), less
#    two because both wheels touch the ground: seven. Rolling removes four
#    rates. Three are left: those of lean and steering, and the speed.
# 2. $J = \tfrac23 m r^2$, so $1 + m r^2/J = \tfrac52$: two fifths of $\Omega$,
#    faster.
# 3. Yes. The force acts on a point that is at rest, so its power is zero. It
#    converts energy of translation into energy of rotation.
#
# </details>

# %%
bicycle = examples.benchmark_bicycle().mobility()
assert bicycle.coordinates == 9 and bicycle.degrees_of_freedom == 3
assert np.isclose(1 / (1 + 1 / (2 / 3)), 2 / 5)

# %% [markdown]
# ## Where to read on
#
# - Exercise [18](../exercises/18_rolling/README.md):
#   `python -m easydyn exercise 18`.
# - [What rolls](../docs/rolling.md): wheels, wheel sets, blades, and Whipple's
#   bicycle to 14 digits.
# - [Notebook 13](13_closed_loops.ipynb): multipliers;
#   [notebook 16](16_freedoms_and_loops.ipynb): counting.
# - J. I. Neimark, N. A. Fufaev, *Dynamics of Nonholonomic Systems*, AMS 1972.
