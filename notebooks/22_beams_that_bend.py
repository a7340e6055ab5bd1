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
# # 22. Beams that bend: from one element to a rotating blade
#
# **After this notebook you can**
#
# - derive the 12 x 12 mass and stiffness matrices of a beam element from its
#   shape functions;
# - say how many elements a frequency needs, and measure the order of the
#   error;
# - bend a beam to a circle, and say which angles are large and which are small;
# - explain why a blade becomes stiffer as it turns, and estimate by how much.
#
# **The question.** The blades of a helicopter droop under their own weight when
# it stands. In flight they carry the whole machine, and hardly bend. What holds
# them?

# %%
import matplotlib.pyplot as plt
import numpy as np
import sympy

from easydyn import Force, Model, Moment, t, trotz
from easydyn.flexible import Material, Section

# %% [markdown]
# ## One element
#
# A straight beam of the length $L$ lies along x; $E$, $G$ are its moduli,
# $\rho$ its density, $A$ its area, $I_z$, $I_y$ and $J$ its second moments
# and its torsion constant. Its state is given by the displacements and
# rotations of its two ends: six numbers for each end, twelve in all.

# %% alt="Sketch of a beam of one element in space, with an end at either side"
B, H, LENGTH = 0.02, 0.05, 0.8
section = Section.rectangle(B, H)
aluminium = Material(E=70e9, density=2700, nu=0.3)
one = Model("element")
one.beam(
    "b", length=LENGTH, section=section, material=aluminium, elements=1,
    spatial=True, ends=("free", "free"),
)
one.scene().sketch();

# %% [markdown]
# Between the ends the displacements are approximated, by the simplest functions
# that fit. With $s = x/L$, the displacement $u$ along the beam is linear, and
# so is the twist $\theta$:
#
# $$u(x) = (1 - s)\,u_1 + s\,u_2$$
#
# The deflection $v$ along y has to fit four values, two deflections and two
# slopes $v' = \varphi_z$. So it is a cubic. This is the exact line of a beam
# that is loaded at its ends only, where $E I v'''' = 0$.
#
# $$v(x) = (1 - 3s^2 + 2s^3)\,v_1 + L\,(s - 2s^2 + s^3)\,\varphi_1 +
# (3s^2 - 2s^3)\,v_2 + L\,(s^3 - s^2)\,\varphi_2$$
#
# The deflection $w$ along z is similar, with $w' = -\varphi_y$, because a
# positive rotation about y turns the beam downwards. So each of $u$, $v$, $w$
# and $\theta$ is a row of twelve **shape functions**.

# %%
x, L, E, G, rho, A, Iy, Iz, J = sympy.symbols(
    "x L E G rho A I_y I_z J", positive=True
)
s = x / L
linear = [1 - s, s]
cubic = [
    1 - 3 * s**2 + 2 * s**3, L * (s - 2 * s**2 + s**3),
    3 * s**2 - 2 * s**3, L * (s**3 - s**2),
]


def row(shapes, places):
    found = sympy.zeros(1, 12)
    for shape, place in zip(shapes, places, strict=True):
        found[abs(place)] = -shape if place < 0 else shape
    return found


u = row(linear, (0, 6))
v = row(cubic, (1, 5, 7, 11))
w = row(cubic, (2, -4, 8, -10))
twist = row(linear, (3, 9))
assert all(sympy.diff(shape, x, 4) == 0 for shape in cubic)
sympy.Matrix(cubic)

# %% [markdown]
# ## Its matrices
#
# **Stiffness.** The elastic energy of the beam comes from its stretch $u'$, its
# curvatures $v''$, $w''$ and its rate of twist $\theta'$:
#
# $$V = \tfrac12\int_0^L E A\,u'^2 + E I_z\,v''^2 + E I_y\,w''^2 + G J\,
# \theta'^2\ dx = \tfrac12\,\mathbf q^\mathsf{T}\mathbf K\,\mathbf q$$
#
# **Mass.** The kinetic energy contains the rates of $u$, $v$, $w$ and, because
# the sections turn, those of $v'$, $w'$ and $\theta$:
#
# $$\mathcal T = \tfrac12\int_0^L \rho A\,(\dot u^2 + \dot v^2 + \dot w^2) +
# \rho I_z\,\dot v'^2 + \rho I_y\,\dot w'^2 + \rho\,(I_y + I_z)\,\dot\theta^2\
# dx = \tfrac12\,\dot{\mathbf q}^\mathsf{T}\mathbf M\,\dot{\mathbf q}$$
#
# Insert the shape functions: every element of a matrix is then the integral of
# a polynomial.


# %%
def integral(factor, shapes, derivative):
    shapes = shapes.diff(x, derivative)
    products = (shapes.T * shapes).applyfunc(sympy.expand)
    return factor * products.applyfunc(lambda p: sympy.integrate(p, (x, 0, L)))


K = (
    integral(E * A, u, 1) + integral(E * Iz, v, 2) + integral(E * Iy, w, 2)
    + integral(G * J, twist, 1)
)
line = [integral(rho * A, shapes, 0) for shapes in (u, v, w)]
turning = [integral(rho * Iz, v, 1), integral(rho * Iy, w, 1)]
turning.append(integral(rho * (Iy + Iz), twist, 0))
M = sum([*line, *turning], sympy.zeros(12, 12))
bending = [1, 5, 7, 11]
assert K[1, 1] == 12 * E * Iz / L**3
(K.extract(bending, bending) * L**3 / (E * Iz)).applyfunc(sympy.simplify)

# %% [markdown]
# The elements of the mass matrix, without the rotary inertia of the sections,
# are also in every textbook:

# %%
(line[1].extract(bending, bending) * 420 / (rho * A * L)).applyfunc(
    sympy.simplify
)

# %% [markdown]
# ## Beside the element of the library
#
# In the library the nodes of a beam are frames, which may turn by any angle. So
# its energy is not quadratic. But at rest the second derivatives of the
# energies should be our matrices. For $\mathbf K$ this is true to the last
# digit. For the mass matrix $\mathbf M$ of eq. (8) it is not!

# %%
values = {
    L: LENGTH, E: 70e9, G: aluminium.G, rho: 2700, A: section.area,
    Iy: section.inertia_y, Iz: section.inertia, J: section.torsion,
}
ours = [np.array(matrix.subs(values), dtype=float) for matrix in (M, K)]
about = one.linearize()
print("order of the freedoms:", *about.names)
stiff = np.abs(about.K - ours[1]).max() / np.abs(ours[1]).max()
heavy = np.abs(about.M - ours[0]).max() / np.abs(ours[0]).max()
print(f"K differs by {stiff:.1e}, M by {heavy:.1e} of its largest element")
assert stiff < 1e-12 and 0.01 < heavy < 0.2

# %% [markdown]
# Is one of them wrong? The nodes alone do not determine the velocities between
# them: the shape functions are an approximation, and so is the mass matrix.
# Only rigid motions, three displacements and three rotations, are exact. For
# these both matrices must give the energy of a rigid body. They do:

# %%
rigid = np.zeros((12, 6))
for node, place in enumerate((0.0, LENGTH)):
    rigid[6 * node : 6 * node + 6] = np.eye(6)
    rigid[6 * node + 1, 5] = place  # turned about z: along y
    rigid[6 * node + 2, 4] = -place
as_rigid = [rigid.T @ matrix @ rigid for matrix in (about.M, ours[0])]
print("mass:", as_rigid[0][0, 0], "=", 2700 * section.area * LENGTH, "kg")
assert np.allclose(as_rigid[0], as_rigid[1], rtol=1e-12, atol=1e-12)
assert np.allclose(about.K @ rigid, 0, atol=1e-6)

# %% [markdown]
# The library makes use of this: it adds to $\mathbf M$ a part that is zero for
# every rigid motion, and chooses it so that the errors of the frequencies fall
# faster. (There is another difference: the library puts the rotary inertia of
# the sections into the nodes.) Is that worth the effort?
#
# ## How many elements?
#
# A cantilever of $E I = \rho A = L = 1$, thin enough that its rotary inertia
# does not matter, has in theory the frequencies $b^2$, where
# $\cos b\cosh b = -1$: $b_1 = 1.8751$, $b_2 = 4.6941$. We add our $4\times4$
# matrices of $n$ elements at the nodes that they share, and clamp the first
# node.

# %% alt="Sketch of a beam on a root that turns by an angle of speed times t"
EA = 1e6


def cantilever(elements, damping=0.0):
    """A load across, a moment at its tip, a root that turns: parameters."""
    model = Model("cantilever")
    speed, load, moment = model.parameters(speed=0, load=0, moment=0)
    beam = model.beam(
        "b", root=trotz(speed * t), length=1, elements=elements,
        section=Section(area=1, inertia=1 / EA),
        material=Material(E=EA, density=1, damping=damping),
    )
    model.add(Force(beam.tip, (0, load, 0)), Moment(beam.tip, (0, 0, moment)))
    return model


cantilever(3).scene().sketch();

# %%
small = [
    sympy.lambdify(L, matrix.extract(bending, bending).subs({E: 1, Iz: 1}))
    for matrix in (integral(E * Iz, v, 2), line[1].subs({rho: 1, A: 1}))
]


def by_hand(n):
    """The frequencies of n of our elements."""
    whole = np.zeros((2, 2 * n + 2, 2 * n + 2))
    for k in range(n):
        for matrix, element in zip(whole, small, strict=True):
            matrix[2 * k : 2 * k + 4, 2 * k : 2 * k + 4] += element(1 / n)
    K, M = whole[:, 2:, 2:]
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))


def frequencies(model, **options):
    found = np.sort(model.linearize(**options).poles().imag)
    return found[found > 1e-6]


roots = np.array([1.8751040687119611, 4.694091132974175])
assert np.allclose(np.cos(roots) * np.cosh(roots), -1)
exact = roots**2
counts, several = np.array([1, 2, 4, 8, 16]), np.array([1, 2, 3, 4])
errors = np.array([by_hand(n)[:2] / exact - 1 for n in counts])
of_library = [frequencies(cantilever(n))[:2] / exact - 1 for n in several]
of_library = np.abs(of_library)

# %% alt="Errors of two frequencies over the elements: slope -4 by hand, steeper ones of the library"
fig, ax = plt.subplots(layout="constrained")
for k in range(2):
    name = f"frequency {k + 1}"
    ax.loglog(
        counts, errors[:, k], "o-", color=f"C{k}", label=f"{name}, by hand"
    )
    ax.loglog(
        several, of_library[:, k], "s--", color=f"C{k}",
        label=f"{name}, of the library",
    )
ax.set(xlabel="elements", ylabel="relative error")
ax.legend()
order = np.log2(errors[3, 1] / errors[4, 1])
print(f"by hand, order {order:.2f}; errors with 4 elements:", errors[2])
print("of the library, with 4 elements:", of_library[3])
assert abs(order - 4) < 0.1 and np.all(errors > 0)  # they are too high
assert np.all(errors[:, 1] > errors[:, 0])  # the second needs more elements
assert np.all(of_library[3] < errors[2] / 5)

# %% [markdown]
# By hand the error falls with the fourth power of the number of elements. These
# frequencies are too high: a beam that can take only the shapes of its elements
# is stiffer than a real one (Rayleigh). The second frequency needs more
# elements than the first. Its waves are shorter, and the error depends on the
# length of an element relative to that of a wave.
#
# ## Large bending
#
# A chain of elements can bend by any angle. Within each element the angles stay
# small, because they are measured from the straight line between its ends. This
# line, the *chord*, moves with the element (a *corotational* element). For a
# beam with a load $P$ across its tip, the curvature is the moment divided by
# $E I$. With the angle $\theta$ along the line this gives
#
# $$E I\,\theta'' = -P\cos\theta,\qquad \theta(0) = 0,\quad \theta'(L) = 0$$
#
# This is Euler's *elastica*. We solve it without elements: we integrate from
# the root, and find the slope $\theta'(0)$ for which $\theta'(L) = 0$ by
# bisection.


# %%
def elastica(P, steps=100):
    """Places along the line, by the method of Runge and Kutta."""

    def slope(y):
        return np.array([y[1], -P * np.cos(y[0]), np.cos(y[0]), np.sin(y[0])])

    def shot(first):
        states, h = [np.array([0.0, first, 0.0, 0.0])], 1 / steps
        for _ in range(steps):
            y = states[-1]
            k1 = slope(y)
            k2 = slope(y + h / 2 * k1)
            k3 = slope(y + h / 2 * k2)
            k4 = slope(y + h * k3)
            states.append(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4))
        return np.array(states)

    low, high = 0.0, np.sqrt(2 * P)  # the angle of the tip is below 90 degrees
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if shot(middle)[-1, 1] < 0 else (low, middle)
    return shot(middle)[:, 2:]


# %% alt="Four bent shapes, up to a beam that points upwards: nodes lie on the lines of the elastica"
N = 8
model = cantilever(N)
fig, ax = plt.subplots(layout="constrained")
start = None
for P in (0.5, 2, 5, 10):
    rest = model.equilibrium(parameters={"load": P}, initial=start)
    start = {str(q): rest[str(q)] for q in model.mechanism.coordinates}
    theory = elastica(P)
    places = [(rest[f"b_x{k}"], rest[f"b_y{k}"]) for k in range(1, N + 1)]
    nodes = np.array(places)
    ax.plot(*theory.T, color="gray")
    ax.plot(*np.vstack([[0, 0], nodes]).T, "o", label=f"P L²/(E I) = {P}")
    off = np.abs(nodes[-1] - theory[-1]).max()
    print(f"P = {P}: tip {nodes[-1]}, by the elastica {theory[-1]}")
    assert off < 2e-4
ax.set(xlabel="x / L", ylabel="y / L", aspect="equal")
ax.legend();

# %% [markdown]
# By linear theory the tip would rise by $P L^3/(3 E I)$, 3.3 times the length
# of the beam at $P = 10$.
#
# A moment $M$ at the tip is constant along the beam, and so is the curvature
# $M/(E I)$. The line is an arc of a circle; at $M = 2\pi E I/L$ it closes.

# %% alt="A beam that is rolled up in four steps, from a quarter of a circle to a whole one"
fig, ax = plt.subplots(layout="constrained")
start, rolled = None, {}
for part in (0.25, 0.5, 0.75, 1):
    M_tip = 2 * np.pi * part
    rest = model.equilibrium(parameters={"moment": M_tip}, initial=start)
    start = {str(q): rest[str(q)] for q in model.mechanism.coordinates}
    places = [(rest[f"b_x{k}"], rest[f"b_y{k}"]) for k in range(1, N + 1)]
    ax.plot(*np.array([(0, 0), *places]).T, "o-", label=f"{part} of 2 pi E I/L")
    rolled[part] = start
ax.set(xlabel="x / L", ylabel="y / L", aspect="equal")
ax.legend()
print("tip of the closed circle:", places[-1])
assert np.abs(places[-1]).max() < 1e-3

# %% [markdown]
# We release the half circle. A beam also vibrates along its axis, and in this
# model up to some thousands of times faster than it bends. A run that follows
# these vibrations takes millions of steps without any benefit (`run.check()`
# says so). A little damping of the material, stress $= E\,(\varepsilon +
# \tau\,\dot\varepsilon)$, removes them. A vibration of the circular frequency
# $\omega$ has the damping ratio $\omega\tau/2$. This is large for vibrations
# along the beam, and almost nothing for slow ones.

# %%
damped = cantilever(N, damping=1e-3)
fast = frequencies(model)
print(f"fastest and slowest vibration: {fast[-1] / fast[0]:.0f} to 1")
assert 2000 < fast[-1] / fast[0] < 20000
assert fast[-1] * 1e-3 / 2 > 1 > 0.01 > fast[0] * 1e-3 / 2  # damping ratios
run = damped.simulate(1.5, initial=rolled[0.5], save_every=0.01)
print(run.stats.steps, "steps;", run.status, run.check())
lost = -run.energy.work[-1] / run.energy.total[0]
print(f"the damping has taken {lost:.1%} of the energy")
assert np.abs(run["b_y8"]).max() < 1 and run.check() == [] and 0 < lost < 0.5
run.animate(trace=["b 8"], speed=0.3)

# %% [markdown]
# ## A blade that turns
#
# The root turns at $\Omega$. The centrifugal force on a piece of the blade at
# the radius $x$ is $\rho A\,\Omega^2 x\,dx$. Each section carries the forces on
# all pieces further out. Its tension is
#
# $$T(x) = \int_x^L \rho A\,\Omega^2\xi\,d\xi = \tfrac12\rho A\,\Omega^2
# (L^2 - x^2)$$
#
# A deflection $w$ shortens the blade by $\tfrac12\int w'^2 dx$, against this
# tension. This takes the energy $\tfrac12\int T\,w'^2 dx$, as in a string. We
# choose one shape for $w$, that under a uniform load. Rayleigh's quotient is
#
# $$\omega^2 = \frac{\int E I\,w''^2\,dx + \int T\,w'^2\,dx}{\int\rho A\,w^2\,dx}
# = \omega_0^2 + c\,\Omega^2$$
#
# (Southwell). It holds for *flapping*, out of the plane of rotation. For
# *lagging*, in that plane, the centrifugal force has a component that pushes a
# displaced piece further away. This subtracts $\Omega^2$:
# $\omega^2 = \omega_0^2 + (c - 1)\,\Omega^2$.

# %%
X = sympy.symbols("X")
shape = X**2 * (6 - 4 * X + X**2)
below = sympy.integrate(shape**2, (X, 0, 1))
w0_squared = sympy.integrate(shape.diff(X, 2) ** 2, (X, 0, 1)) / below
c = sympy.integrate((1 - X**2) / 2 * shape.diff(X) ** 2, (X, 0, 1)) / below
print(f"w0 = {float(sympy.sqrt(w0_squared)):.4f} (exact 3.5160), c = {c}")
assert abs(float(w0_squared) / exact[0] ** 2 - 1) < 0.01
c

# %% alt="Southwell's plot: squares of frequencies rise as straight lines with the square of the speed"
model, speeds = cantilever(6), np.linspace(0, 12, 9)
lagging = []
for speed in speeds:
    steady = model.equilibrium(parameters={"speed": speed})
    lagging.append(frequencies(model, at=steady)[:2])
lagging = np.array(lagging)
flapping = np.sqrt(lagging**2 + speeds[:, None] ** 2)
fig, ax = plt.subplots(layout="constrained")
fine = np.linspace(0, 144, 50)
ax.plot(speeds**2, flapping[:, 0] ** 2, "o", label="flapping")
ax.plot(fine, float(w0_squared) + float(c) * fine, color="C0", label="Rayleigh")
ax.plot(speeds**2, lagging[:, 0] ** 2, "s", label="lagging")
ax.plot(fine, float(w0_squared) + float(c - 1) * fine, color="C1")
ax.set(xlabel="speed²", ylabel="square of the lowest frequency")
ax.legend()
published = {3: 4.797278532379145, 12: 13.170150487516604}
for speed, value in published.items():
    found = flapping[np.argmin(abs(speeds - speed)), 0]
    print(f"speed {speed}: flapping {found:.5f}, published {value:.5f}")
    assert abs(found / value - 1) < 1e-3
by_c = np.sqrt(float(w0_squared) + float(c) * speeds**2)
assert np.all(by_c / flapping[:, 0] < 1.03) and np.all(by_c > flapping[:, 0])
assert c > 1 and 3.5 < flapping[-1, 0] / flapping[0, 0] < 4
by_c = np.sqrt(float(w0_squared) + float(c - 1) * speeds**2)
assert np.max(by_c / lagging[:, 0]) > 1.03

# %% [markdown]
# (The units are those of $\sqrt{E I/(\rho A L^4)}$; published values are
# those of Wright and others, *Journal of Applied Mechanics* 49, 1982.) For
# flapping, this one simple shape gives the frequency to 3 %, up to a speed at
# which the blade vibrates nearly four times as fast as at rest. For lagging the
# error is larger, because two large numbers nearly cancel.

# %% alt="Two frequencies of flapping over speed, rising, the line of one in each turn below them"
fig, ax = plt.subplots(layout="constrained")
ax.plot(speeds, flapping, "o-", label=["flapping 1", "flapping 2"])
ax.plot(speeds, lagging[:, 0], "s-", label="lagging 1")
for n in (1, 2, 3):
    ax.plot(speeds, n * speeds, ":", color="gray")
    ax.text(speeds[-1], n * speeds[-1], f" {n} per turn")
ax.set(xlabel="speed", ylabel="frequency", ylim=(0, 45))
ax.legend()
assert np.all(flapping[:, 0] > speeds)
assert abs(200**2 / (2 * 9.81 * 6) - 340) < 1  # tension over weight

# %% [markdown]
# This answers the question. **The blade is held by its own rotation**: at
# working speed the tension at its root is several hundred times the weight of
# the blade. (That is $(\Omega L)^2/(2 g L)$: 340 for 200 m/s at a tip 6 m from
# the axis.) The blade is as stiff as a string under this tension, and its
# bending stiffness matters little. The frequency of flapping is above one
# vibration per turn for every blade, because $c > 1$. Where a curve crosses a
# dotted line, the rotation excites the blade in resonance.
#
# ## Questions
#
# 1. A blade is made of steel instead of aluminium, with the same section.
#    Which of the frequencies change, at rest and at a high speed?
# 2. Why is $\mathbf K$ of the element exact for a load at the tip, and
#    $\mathbf M$ only for rigid motions?
# 3. With a beam of one element, what does `model.equilibrium` say for
#    $P = 10$, and what does `run.check()` say of a run from there? Try it.
#
# <details><summary>Answers</summary>
#
# 1. Hardly any: $E/\rho$ of both is the same within a few per cent, and so is
#    $\sqrt{E I/(\rho A)}$. At a high speed $\omega_0$ does not matter at all:
#    $\omega\to\sqrt c\,\Omega$.
# 2. Without loads between the nodes the line *is* a cubic, so nothing is
#    approximated. On a vibrating beam inertia forces act everywhere. Its line
#    consists of sines and hyperbolic sines, which are not cubics.
# 3. The tip is 4 % too low: an end turns by more than a radian relative to the
#    chord. `run.check()` says that this is too much for one element, and how
#    many elements to take.
#
# </details>

# %%
assert abs(210e9 / 7850 / (70e9 / 2700) - 1) < 0.05  # E/rho, steel, aluminium
single, start = cantilever(1), None
for P in (0.5, 2, 5, 10):
    rest = single.equilibrium(parameters={"load": P}, initial=start)
    start = {str(q): rest[str(q)] for q in single.mechanism.coordinates}
low = 1 - rest["b_y1"] / elastica(10)[-1, 1]
print(f"one element: the tip is {low:.1%} too low")
assert 0.03 < low < 0.05
said = single.simulate(0.001, parameters={"load": 10}, initial=start).check()
print(*said, sep="\n")
assert any("elements" in sentence for sentence in said)

# %% [markdown]
# ## Where to read on
#
# - Exercises [22](../exercises/22_beam/README.md), where these integrals are
#   yours, and [23](../exercises/23_parts_that_bend/README.md), on matrices of
#   finite element programs.
# - [Beams that bend](../docs/flexible.md): the element as it is, in space and
#   along curves, with its errors; [checking](../docs/check.md), what is said
#   of a wrong unit.
# - J. S. Przemieniecki, *Theory of Matrix Structural Analysis* (1968),
#   chapters 5 and 11; M. Géradin, A. Cardona, *Flexible Multibody Dynamics*
#   (2001).
